//! What a scenario may say about the retransmission timer.

use crate::keys::{Condition, DAY, Default, Dimension, HOUR, Key, Kind, Limit, Quantity, Value, Values, words};
use crate::units::Span;

/// Which retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerKind {
    /// 4.3BSD: round trips are counted in ticks, and the timer expires at a tick.
    Bsd,
    /// ns-2: round trips are counted in ticks, but the timer runs from the instant it is started.
    Ns2,
    /// RFC 6298: round trips are measured as they are; the tick is the granularity of the clock.
    Rfc6298,
    /// Linux: round trips are measured as they are, and the timeout is `min_rto` longer than they are, at least.
    Linux,
}
words!(TimerKind: "bsd" = Bsd, "ns2" = Ns2, "rfc6298" = Rfc6298, "linux" = Linux);

/// The retransmission timer.
#[derive(Clone, Debug, PartialEq)]
pub struct TimerParams {
    /// Which timer.
    pub kind: TimerKind,
    /// Length of a tick.
    pub granularity: Span,
    /// Where the ticks lie.
    pub phase: TickPhase,
    /// Lower bound of the timeout, in ticks.
    pub min_rto_ticks: u32,
    /// Upper bound of the timeout, backoff included.
    pub max_rto: Span,
    /// The timeout before the first sample.
    pub initial_rto: Span,
    /// What it times.
    pub scope: TimerScope,
    /// For how long the timer of a segment runs.
    pub segment_timeout: SegmentTimeout,
    /// Of which segments round trips are measured, where timestamps do not measure them.
    pub samples: RttSamples,
    /// How many mean deviations the timeout of BSD is above the smoothed round trip: more than 0.
    pub rttvar_factor: u32,
    /// Whether the gains of SRTT and RTTVAR are divided by the samples that a round trip is expected to have (RFC 7323
    /// appendix G), where timestamps give one with each acknowledgement. Only of [`TimerKind::Rfc6298`].
    pub scaled_gains: bool,
    /// Whether a fast retransmit restarts it, whatever the recovery says. 4.4BSD turns it off there, and its output routine starts
    /// it anew.
    pub restarts_at_fast_retransmit: bool,
    /// What the timeout has beyond that of RFC 6298, if it is that.
    pub margin: RtoMargin,
}

impl TimerParams {
    /// The keys of the timer, in the table of those of TCP.
    #[rustfmt::skip]
    pub const KEYS: &'static [Key] = &[
        Key::new("timer", Kind::Word(TimerKind::NAMES), Default::Is(Value::Word("bsd")), "[SD-PLUS] §5.2",
            "The retransmission timer: bsd and ns2 count round trips in ticks, and bsd expires at a tick; rfc6298 measures round trips exactly, and the tick is the granularity of its clock; linux measures like it, and its timeout is min_rto longer than the smoothed round trip at least."),
        Key::new("tick", Kind::time(Span::from_ps(1_000), HOUR), Default::Is(Value::time(Span::from_ms(100))), "[SD-PLUS] §5.2",
            "Granularity of the retransmission timer."),
        Key::new("tick_phase", Kind::Or(&Kind::time(Span::ZERO, HOUR), &["random"]), Default::Is(Value::time(Span::ZERO)), "inferred",
            "The offset of the ticks: the same for all hosts, or random for each."),
        Key::new("min_rto", Kind::Quantities(&[Limit { dimension: Dimension::Ticks, min: 1, max: u32::MAX as u64 }, Limit::time(Span::from_ps(1), HOUR)]), Default::Is(Value::quantity(Dimension::Ticks, 2)), "[UBR-ABR] §3.1; elsewhere inferred",
            "Lower bound of the retransmission timeout, with the timer linux of what that is above the smoothed round trip; a time is rounded up to ticks."),
        Key::new("initial_rto", Kind::time(Span::from_ps(1), DAY), Default::Is(Value::time(Span::from_secs(3))), "literature: BSD",
            "Timeout before the first sample of the round-trip time."),
        Key::new("max_rto", Kind::time(Span::from_ps(1), DAY), Default::Is(Value::time(Span::from_secs(64))), "literature: BSD",
            "Upper bound of the timeout, backoff included."),
        Key::new("scale_rtt_gains", Kind::Flag, Default::Is(Value::Flag(false)), "RFC 6298 §2: gains for one sample per round trip",
            "Whether the timer rfc6298 divides the gains of its estimator by the samples that a round trip is expected to have, where timestamps give one with each acknowledgement.").used_if(&[Condition::new("timestamps", &["true"])]),
        Key::new("timer_per", Kind::Word(TimerScope::NAMES), Default::Is(Value::Word("connection")), "literature: BSD; RFC 6298 §5",
            "What the retransmission timer times: the connection, so that each acknowledgement of new data restarts it; or the oldest segment that is not acknowledged, from the time at which that was sent."),
        Key::new("restart_timer_on_fast_retransmit", Kind::Flag, Default::Is(Value::Flag(false)), "RFC 6298 §5; true: literature: 4.4BSD",
            "Whether a fast retransmit restarts the retransmission timer, whatever the recovery says."),
        Key::new("rto_margin", Kind::Word(RtoMargin::NAMES), Default::Is(Value::Word("none")), "RFC 6298 §2; linux-2.2: literature: Linux 2.2",
            "What the timeout has beyond that of RFC 6298: nothing, or as in Linux 2.2 a quarter of it, and all of it divided by 2 as often as the congestion window has segments beyond the first.").used_if(&[Condition::new("timer", &["rfc6298"])]),
        Key::new("segment_timeout", Kind::Word(SegmentTimeout::NAMES), Default::Is(Value::Word("current")), "inferred; when-sent: [UBR-ABR] §2.4",
            "For how long the timer of a segment runs: for the timeout that holds when the segment becomes the oldest that is not acknowledged; or for that which held when it was sent.").used_if(&[Condition::new("timer_per", &["segment"])]),
        Key::new("rtt_samples", Kind::Word(RttSamples::NAMES), Default::Is(Value::Word("one-at-a-time")), "literature: BSD; every-segment: [UBR-ABR] §2.4",
            "Of which segments the timer measures round trips: of one at a time, or of every one. Of a segment that is sent more than once it measures none.").used_if(&[Condition::new("timestamps", &["false"])]),
        Key::new("rttvar_factor", Kind::Integer(1, 16), Default::Is(Value::Integer(4)), "literature: 4.3BSD-Reno; 4.3BSD-Tahoe has 2",
            "How many mean deviations the timeout of BSD is above the smoothed round trip: SRTT + rttvar_factor times RTTVAR.").used_if(&[Condition::new("timer", &["bsd"])]),
    ];

    /// The timer that the keys of TCP describe.
    pub(super) fn read(values: &Values) -> TimerParams {
        let (kind, tick) = (values.choice("timer", TimerKind::WORDS), values.time("tick"));
        TimerParams {
            kind,
            granularity: tick,
            phase: if values.is_word("tick_phase") {
                TickPhase::Random
            } else {
                TickPhase::Common(values.time("tick_phase"))
            },
            min_rto_ticks: u32::try_from(TimerParams::ticks(values.quantity("min_rto"), tick)).expect("checked"),
            max_rto: values.time("max_rto"),
            initial_rto: values.time("initial_rto"),
            scope: values.choice("timer_per", TimerScope::WORDS),
            segment_timeout: values.choice("segment_timeout", SegmentTimeout::WORDS),
            samples: values.choice("rtt_samples", RttSamples::WORDS),
            rttvar_factor: values.integer("rttvar_factor"),
            scaled_gains: values.flag("timestamps") && values.flag("scale_rtt_gains"),
            restarts_at_fast_retransmit: values.flag("restart_timer_on_fast_retransmit"),
            // Another timer has none, whatever a flow inherits.
            margin: match kind {
                TimerKind::Rfc6298 => values.choice("rto_margin", RtoMargin::WORDS),
                TimerKind::Bsd | TimerKind::Ns2 | TimerKind::Linux => RtoMargin::None,
            },
        }
    }

    /// A lower bound of the timeout in ticks; a time is rounded up.
    pub fn ticks(min_rto: Quantity, tick: Span) -> u64 {
        if min_rto.dimension == Dimension::Ticks { min_rto.amount } else { min_rto.amount.div_ceil(tick.as_ps()) }
    }
}

/// What a timeout has beyond SRTT + 4 RTTVAR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoMargin {
    /// Nothing.
    None,
    /// As in Linux 2.2: a quarter of it, and all of it divided by two as often as the congestion window has segments beyond the first.
    Linux22,
}
words!(RtoMargin: "none" = None, "linux-2.2" = Linux22);

/// What a retransmission timer times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerScope {
    /// The connection: it starts when a segment is sent while it is off, and starts again with each acknowledgement of new data.
    Connection,
    /// The oldest segment that is not acknowledged: it runs from the instant at which that was sent last. A timeout forgets when
    /// the others were sent.
    Segment,
}
words!(TimerScope: "connection" = Connection, "segment" = Segment);

/// For how long the timer of the oldest segment runs from when that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentTimeout {
    /// For the timeout that holds when the segment becomes the oldest, or is sent again.
    Current,
    /// For the timeout that held when it was sent last.
    WhenSent,
}
words!(SegmentTimeout: "current" = Current, "when-sent" = WhenSent);

/// Of which segments round trips are measured. Of what was sent more than once none is (Karn).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RttSamples {
    /// Of one at a time; any retransmission cancels it.
    OneAtATime,
    /// Of every one: an acknowledgement measures that of the last segment that it acknowledges.
    EverySegment,
}
words!(RttSamples: "one-at-a-time" = OneAtATime, "every-segment" = EverySegment);

/// The offset of a host's ticks from time zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TickPhase {
    /// All hosts tick at the same instants: at this offset, less than one tick, and every tick after it.
    Common(Span),
    /// Each host has an offset of its own, uniform within a tick, from the seed and the host's name.
    Random,
}
