//! A run as it is measured: what its flows, sources and ports did in the time that counts.

use std::cell::OnceCell;

use super::Part;
use super::flow_history::FlowHistory;
use super::plateaus::Plateaus;
use super::port_history::PortHistory;
use super::told_windows::ToldWindows;
use crate::packet::{IP_HEADER_BYTES, TCP_HEADER_BYTES};
use crate::record::stats::{mean, quantile};
use crate::record::{
    FlowCounts, FlowRecord, Histogram, PortCounts, PortRecord, Records, UdpCounts, UdpRecord, limiting_port, lost,
};
use crate::scenario::{self, Route, Scenario, UdpFlow};
use crate::tcp::FirstSegment;
use crate::units::{Span, Time};

/// Over which time numbers are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// After the warm-up, where there is one.
    Measured,
    /// From the beginning of the run to its end, with the warm-up.
    Whole,
}

/// A run that came to its end.
#[derive(Debug)]
pub struct Run<'a> {
    /// Its scenario.
    pub scenario: &'a Scenario,
    /// What it left behind.
    pub records: &'a Records,
    /// Over which time numbers are taken.
    period: Period,
    one_way: OnceCell<Histogram>,
    round_trip: OnceCell<Histogram>,
    completions_s: OnceCell<Vec<f64>>,
    limiting: OnceCell<Option<usize>>,
    histories: OnceCell<Vec<OnceCell<FlowHistory>>>,
    port_histories: OnceCell<Vec<OnceCell<PortHistory>>>,
}

/// One flow of it.
#[derive(Clone, Copy, Debug)]
pub struct Flow<'a> {
    run: &'a Run<'a>,
    place: usize,
    /// Its record over the whole run.
    pub record: &'a FlowRecord,
    /// The flow of the scenario.
    pub of: &'a scenario::Flow,
    /// What is counted in the time that counts.
    pub counts: FlowCounts,
    /// Payload delivered in order in that time, bits per second.
    pub goodput_bps: f64,
}

/// One source of datagrams of it.
#[derive(Clone, Copy, Debug)]
pub struct Udp<'a> {
    /// Its record over the whole run.
    pub record: &'a UdpRecord,
    /// The source of the scenario.
    pub of: &'a UdpFlow,
    /// What is counted in the time that counts.
    pub counts: UdpCounts,
    /// Payload that arrived in that time, bits per second.
    pub goodput_bps: f64,
}

/// One port of it.
#[derive(Clone, Copy, Debug)]
pub struct Port<'a> {
    run: &'a Run<'a>,
    place: usize,
    /// Its record over the whole run.
    pub record: &'a PortRecord,
    /// What happened in the time that counts.
    pub counts: PortCounts,
}

impl<'a> Run<'a> {
    /// A run of this scenario.
    pub fn new(scenario: &'a Scenario, records: &'a Records, period: Period) -> Run<'a> {
        let (one_way, round_trip, completions_s, limiting, histories, port_histories) = Default::default();
        Run { scenario, records, period, one_way, round_trip, completions_s, limiting, histories, port_histories }
    }

    /// The same run, with numbers of another time.
    pub(super) fn over(&self, period: Period) -> Run<'a> {
        Run::new(self.scenario, self.records, period)
    }

    /// When the time that counts begins.
    fn begins(&self) -> Time {
        let counted = self.rest().map_or(self.records.simulated, |rest| rest.time);
        Time::ZERO + (self.records.simulated - counted)
    }

    /// When the run ended.
    fn ends(&self) -> Time {
        Time::ZERO + self.records.simulated
    }

    /// The time that counts.
    pub(super) fn part(&self) -> Part {
        Part::between(self.begins(), self.ends())
    }

    /// How long the time that counts is, seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.ends().since(self.begins()).as_secs_f64()
    }

    /// What was counted after the warm-up, if that is the time that counts.
    pub(super) fn rest(&self) -> Option<&'a crate::record::AfterWarmup> {
        match self.period {
            Period::Measured => self.records.after_warmup.as_ref(),
            Period::Whole => None,
        }
    }

    /// Its flows, in the order of the scenario.
    pub fn flows(&self) -> impl Iterator<Item = Flow<'_>> {
        let rest = self.rest();
        self.records.flows.iter().zip(self.scenario.flows.iter()).enumerate().map(move |(place, (record, of))| {
            let (counts, goodput_bps) = match rest {
                Some(rest) => (rest.flows[place], record.goodput_after_warmup_bps.unwrap_or(0.0)),
                None => (record.counts, record.goodput_bps),
            };
            Flow { run: self, place, record, of, counts, goodput_bps }
        })
    }

    /// Its sources of datagrams, in the order of the scenario.
    pub fn udp(&self) -> impl Iterator<Item = Udp<'a>> + use<'a> {
        let rest = self.rest();
        self.records.udp.iter().zip(&self.scenario.udp).enumerate().map(move |(place, (record, of))| match rest {
            Some(rest) => {
                let counts = rest.udp[place];
                Udp { record, of, counts, goodput_bps: counts.bytes_delivered as f64 * 8.0 / rest.time.as_secs_f64() }
            }
            None => Udp { record, of, counts: record.counts, goodput_bps: record.goodput_bps },
        })
    }

    /// Its ports, in the order of the scenario.
    pub fn ports(&self) -> impl Iterator<Item = Port<'_>> {
        let rest = self.rest();
        self.records.ports.iter().enumerate().map(move |(place, record)| {
            let counts = rest.map_or_else(|| PortCounts::of(record), |rest| rest.ports[place]);
            Port { run: self, place, record, counts }
        })
    }

    /// The port that limits, see [`limiting_port`].
    pub fn limiting_port(&self) -> Option<Port<'_>> {
        // Several numbers are of it, and a constellation has many ports.
        let place = self.limiting.get_or_init(|| {
            let bottleneck = self.scenario.bottleneck.as_ref().map(|of| self.scenario.links[of.link].name.as_str());
            limiting_port(&self.records.ports, self.rest().map(|rest| &rest.ports[..]), bottleneck)
        });
        self.ports().nth((*place)?)
    }

    /// How long units waited at the port that limits.
    pub fn queueing(&self) -> Option<&Histogram> {
        self.limiting_port()?.record.sojourn.as_deref()
    }

    /// One-way delays of the segments of all flows.
    pub fn one_way(&self) -> Option<&Histogram> {
        merged(&self.one_way, self.records.flows.iter().filter_map(|flow| Some(&flow.delays.as_ref()?.one_way)))
    }

    /// Round trips that TCP measured, of all flows.
    pub fn round_trip(&self) -> Option<&Histogram> {
        merged(&self.round_trip, self.records.flows.iter().filter_map(|flow| Some(&flow.delays.as_ref()?.round_trip)))
    }

    /// How long files took whose last byte was acknowledged, from when their applications begin; seconds, in order.
    pub fn completions_s(&self) -> &[f64] {
        self.completions_s.get_or_init(|| {
            let mut all: Vec<f64> = self.flows().filter_map(|flow| flow.completion_s()).collect();
            all.sort_by(f64::total_cmp);
            all
        })
    }

    /// The mean of these times; `None` of none.
    pub(super) fn mean_completion_s(&self) -> Option<f64> {
        let all = self.completions_s();
        (!all.is_empty()).then(|| mean(all))
    }

    /// A quantile of these times; `None` of none.
    pub(super) fn completion_quantile_s(&self, part: f64) -> Option<f64> {
        quantile(self.completions_s(), part)
    }

    /// The sum of something over all flows; `None` without flows.
    pub(super) fn sum(&self, of: impl Fn(&Flow<'_>) -> f64) -> Option<f64> {
        (!self.records.flows.is_empty()).then(|| self.flows().map(|flow| of(&flow)).sum())
    }

    /// What links lost; `None` without links that can lose anything.
    pub(super) fn lost_on_links(&self) -> Option<f64> {
        let lost: u64 = match self.rest() {
            Some(rest) => rest.links.iter().map(|lost| lost.total()).sum(),
            None => self.records.links.iter().map(|link| link.lost.total()).sum(),
        };
        (!self.records.links.is_empty()).then_some(lost as f64)
    }
}

impl<'a> Flow<'a> {
    /// From when the application of a file begins, jitter included, to the acknowledgement of its last byte, seconds.
    pub fn completion_s(&self) -> Option<f64> {
        self.of.size?;
        Some(self.record.completed?.since(self.begins()).as_secs_f64())
    }

    /// When its application begins.
    fn begins(&self) -> Time {
        self.of.begins(self.run.records.seed)
    }

    /// Bits per second that so many bytes are, from the start of the flow, or of the time that counts, to the end of the run.
    pub(super) fn rate(&self, bytes: u64) -> f64 {
        let from = self.begins().max(self.run.begins());
        let seconds = self.run.records.simulated.as_secs_f64() - from.as_secs_f64();
        // A flow that begins after the end sends nothing.
        if seconds > 0.0 { bytes as f64 * 8.0 / seconds } else { 0.0 }
    }

    /// Bytes sent, retransmissions included: payload, and the octets of the headers of an empty first segment.
    pub(super) fn bytes_sent(&self) -> u64 {
        let has_empty = self.of.tcp.first_segment == FirstSegment::Empty && self.begins() >= self.run.begins();
        self.counts.bytes_sent + if has_empty { u64::from(IP_HEADER_BYTES + TCP_HEADER_BYTES) } else { 0 }
    }

    /// The same less that of retransmitted segments, as if all of them were full.
    pub(super) fn bytes_sent_once(&self) -> u64 {
        self.bytes_sent().saturating_sub(self.counts.retransmissions * u64::from(self.of.tcp.mss))
    }

    /// Its data packets that ports refused or links lost, in the whole run.
    pub(super) fn lost(&self) -> u64 {
        lost(&self.record.name, &self.run.records.ports, &self.run.records.links)
    }

    /// The rate of a file, from the start of the flow until its last byte is delivered, or the run ends; bits per second.
    pub(super) fn transfer_bps(&self) -> Option<f64> {
        let delivered = self.record.counts.bytes_delivered;
        let until = if delivered == self.of.size? { self.record.last_delivery? } else { self.run.ends() };
        let begins = self.begins();
        (until > begins).then(|| 8.0 * delivered as f64 / until.since(begins).as_secs_f64())
    }

    /// The delays of all links of its path, there and back, if its routes do not change.
    pub(super) fn propagation(&self) -> Option<Span> {
        let links = &self.run.scenario.links;
        let delay = |route: &Route| Some(route.fixed()?.iter().fold(Span::ZERO, |sum, link| sum + links[*link].delay));
        Some(delay(&self.of.forward)? + delay(&self.of.backward)?)
    }

    /// Its one-way delays, after the warm-up.
    pub(super) fn one_way(&self) -> Option<&'a Histogram> {
        Some(&self.record.delays.as_ref()?.one_way)
    }

    /// The round trips that it measured after the warm-up, if there is any.
    pub(super) fn round_trip(&self) -> Option<&'a Histogram> {
        Some(&self.record.delays.as_ref()?.round_trip).filter(|all| all.count() > 0)
    }

    /// How it went on.
    pub(super) fn history(&self) -> &'a FlowHistory {
        let (run, flow) = (self.run, self.of);
        let all = run.histories.get_or_init(|| vec![OnceCell::new(); run.records.flows.len()]);
        let interval = run.scenario.recording.interval;
        all[self.place]
            .get_or_init(|| FlowHistory::of(&flow.name, flow.tcp.mss, &run.records.series, interval, run.ends()))
    }

    /// What its sender might have outstanding, bytes, interval by interval of a part of the run; `None` where it was not recorded.
    pub fn send_windows(&self, part: Part) -> Option<&'a [f64]> {
        self.history().send_window.within(part)
    }

    /// How its window grows in spurts.
    pub(super) fn plateaus(&self) -> Option<Plateaus> {
        Plateaus::of(&self.of.name, self.propagation()?, &self.run.records.series, self.run.ends())
    }

    pub(super) fn told_windows(&self) -> Option<ToldWindows> {
        ToldWindows::of(self.of, self.run.scenario, &self.run.records.series)
    }
}

impl<'a> Port<'a> {
    /// How many seconds count.
    pub(super) fn seconds(&self) -> f64 {
        self.run.seconds()
    }

    /// What waited, interval by interval of a part of the run; `None` where it was not recorded.
    pub fn queues(&self, part: Part) -> Option<&'a [f64]> {
        self.history().queue.within(part)
    }

    /// The part of the time in which it transmitted, interval by interval of a part of the run.
    pub(super) fn utilisations(&self, part: Part) -> Option<&'a [f64]> {
        self.history().utilisation.within(part)
    }

    /// How it went on.
    pub(super) fn history(&self) -> &'a PortHistory {
        let run = self.run;
        let all = run.port_histories.get_or_init(|| vec![OnceCell::new(); run.records.ports.len()]);
        all[self.place].get_or_init(|| PortHistory::of(&self.record.name, run.records, &run.scenario.recording))
    }
}

/// All values together: one histogram is not copied.
fn merged<'a>(
    all: &'a OnceCell<Histogram>,
    parts: impl Iterator<Item = &'a Histogram> + Clone,
) -> Option<&'a Histogram> {
    let mut parts = parts.filter(|part| part.count() > 0);
    let first = parts.next()?;
    if parts.clone().next().is_none() {
        return Some(first);
    }
    Some(all.get_or_init(|| {
        let mut sum = first.clone();
        parts.for_each(|part| sum.merge(part));
        sum
    }))
}

/// A part of a whole; `None` of nothing.
pub(super) fn share(part: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

/// Seconds.
pub(super) fn seconds(span: Option<Span>) -> Option<f64> {
    span.map(Span::as_secs_f64)
}
