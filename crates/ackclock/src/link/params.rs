//! What a scenario may say about a link.

use super::errors::ErrorParams;
use super::jitter::JitterParams;
use super::reorder::ReorderParams;
use super::schedule::{InService, LinkSchedule, Queued, Reordering, Shape, UnderWay};
use crate::keys::{Condition, DELAY, Default, INSTANT, Key, Kind, RATE, Value};
use crate::units::{Rate, Span, Time};

/// What is said about a link beyond its rate and its delay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkParams {
    /// How it changes; `None`: not at all.
    /// Boxed, as most links have none, and there are several for each flow.
    pub schedule: Option<Box<LinkSchedule>>,
    /// Which packets it corrupts.
    pub errors: Vec<ErrorParams>,
    /// What each packet takes longer.
    pub jitter: Option<JitterParams>,
    /// Which packets are held back.
    pub reorder: Option<ReorderParams>,
    /// The probability with which a packet comes to the queue before the link twice.
    pub duplicate: f64,
}

impl LinkParams {
    /// The keys of a link, or of one of its directions, rate and delay included.
    #[rustfmt::skip]
    pub const KEYS: &'static [Key] = &[
        Key::required("rate", Kind::Schedule(&RATE),
            "Rate of each direction, which it needs unless `medium` says what it shares; or a list, as in [\"2 Mbps\", { at = \"20 s\", rate = \"1 Mbps\" }], or a file with a trace, as in { trace = \"cell.trace\" }, on packet networks."),
        Key::required("delay", Kind::Schedule(&DELAY),
            "One-way propagation delay; or a list, as in [\"10 ms\", { at = \"20 s\", delay = \"100 ms\" }], on packet networks."),
        Key::new("medium", Kind::Text, Default::Derived("none: each direction has its own transmitter"), "Ackclock",
            "The NAME of the [medium.NAME] that the link shares with others, in place of a rate of its own, on packet networks."),
        Key::new("delay_shape", Kind::Word(Shape::NAMES), Default::Is(Value::Word("steps")), "docs/models/paths.md",
            "How the delay changes from one value to the next.").used_if(IF_DELAYS),
        Key::new("reordering", Kind::Word(Reordering::NAMES), Default::Is(Value::Word("natural")), "literature: ns-2",
            "Whether packets may overtake those sent before them when the delay shrinks.").used_if(IF_DELAYS),
        Key::new("under_way", Kind::Word(UnderWay::NAMES), Default::Is(Value::Word("keep")), "[VEGAS-A] §3.1; inferred",
            "What happens to the packets on the link when its delay steps: they arrive after the old delay, or are lost.").used_if(IF_DELAYS),
        Key::new("jitter", Kind::Law(&INSTANT), Default::Is(Value::time(Span::ZERO)), "Ackclock",
            "A random time that each packet takes longer, on packet networks: the upper bound of a uniform one, or a law, as in { law = \"normal\", mean = \"5 ms\", deviation = \"1 ms\" }."),
        Key::new("overtaking", Kind::Flag, Default::Is(Value::Flag(false)), "Ackclock",
            "Whether packets may overtake others by their `jitter`; else one that would arrives with the one before it."),
        Key::new("reorder", Kind::Table(ReorderParams::KEYS), Default::Derived("none"), "Ackclock",
            "Which packets are held back, so that later ones overtake them, as in { probability = 0.01, delay = \"10 ms\" }; on packet networks."),
        Key::new("duplicate", Kind::Share, Default::Is(Value::Number(0.0)), "Ackclock",
            "The probability with which a packet comes to the queue before the link twice, at switches; on packet networks."),
        Key::new("outages", Kind::Outages, Default::Derived("none"), "Ackclock",
            "When the link is down, as in [{ from = \"10 s\", until = \"12 s\" }]; on packet networks."),
        Key::new("in_service", Kind::Word(InService::NAMES), Default::Is(Value::Word("finish")), "Ackclock",
            "What happens to the packet in transmission when the link goes down.").used_if(IF_OUTAGES),
        Key::new("queued", Kind::Word(Queued::NAMES), Default::Is(Value::Word("keep")), "Ackclock",
            "What happens to the packets that wait at a switch when the link goes down.").used_if(IF_OUTAGES),
        Key::new("errors", Kind::Errors(ErrorParams::KEYS_OF_LINKS), Default::Derived("none"), "Ackclock",
            "Which packets are corrupted: one model or several, as in { model = \"uniform\", rate = 0.01 }; on packet networks."),
        Key::new("mtu", Kind::bytes(68, 65_535), Default::Derived("none: every datagram fits"), "Ackclock",
            "The largest IP datagram that the link carries. There is no fragmentation: larger segments are refused, and in the dialect standard `mss` follows from the smallest `mtu` of the path."),
    ];

    /// A link that does nothing but transmit.
    pub fn plain() -> LinkParams {
        LinkParams::default()
    }

    /// Whether it is one.
    pub fn is_plain(&self) -> bool {
        self.schedule.is_none()
            && self.errors.is_empty()
            && self.jitter.is_none()
            && self.reorder.is_none()
            && self.duplicate == 0.0
    }

    /// The least delay there ever is on a link whose delay is `constant` unless it changes.
    pub fn least_delay(&self, constant: Span) -> Span {
        self.schedule.as_ref().map_or(constant, |schedule| schedule.delays.least_from(Time::ZERO))
    }

    /// The largest rate there ever is on a link whose rate is `constant` unless it changes; of one with opportunities, the mean.
    pub fn largest_rate(&self, constant: Rate) -> Rate {
        self.schedule.as_ref().map_or(constant, |schedule| schedule.rates.largest())
    }

    /// The least time that so many bits ever take on a link whose rate is `constant` unless it changes.
    pub fn least_serialization(&self, constant: Rate, bits: u64) -> Span {
        match &self.schedule {
            Some(schedule) if schedule.opportunities.is_some() => Span::ZERO,
            _ => self.largest_rate(constant).serialization(bits),
        }
    }
}

const IF_DELAYS: &[Condition] = &[Condition::new("delay", &["given"])];
const IF_OUTAGES: &[Condition] = &[Condition::new("outages", &["given"])];
