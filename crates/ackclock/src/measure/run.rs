//! A run as it is measured: what its flows, sources and ports did in the time that counts.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::record::stats::{mean, quantile};
use crate::record::{
    FlowCounts, FlowRecord, Histogram, PortCounts, PortRecord, Records, UdpCounts, UdpRecord, limiting_port,
};
use crate::scenario::{self, Scenario, UdpFlow};
use crate::units::Span;

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
    one_way: OnceCell<Option<Cow<'a, Histogram>>>,
    round_trip: OnceCell<Option<Cow<'a, Histogram>>>,
    completions_s: OnceCell<Vec<f64>>,
    limiting: OnceCell<Option<usize>>,
}

/// One flow of it.
#[derive(Clone, Copy, Debug)]
pub struct Flow<'a> {
    /// Its record over the whole run.
    pub record: &'a FlowRecord,
    /// The flow of the scenario.
    pub of: &'a scenario::Flow,
    /// What is counted in the time that counts.
    pub counts: FlowCounts,
    /// Payload delivered in order in that time, bits per second.
    pub goodput_bps: f64,
    /// How long that time is, seconds.
    pub seconds: f64,
    /// The seed of the run.
    pub seed: u64,
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
    /// Its record over the whole run.
    pub record: &'a PortRecord,
    /// What happened in the time that counts.
    pub counts: PortCounts,
}

impl<'a> Run<'a> {
    /// A run of this scenario.
    pub fn new(scenario: &'a Scenario, records: &'a Records, period: Period) -> Run<'a> {
        let (one_way, round_trip, completions_s, limiting) = Default::default();
        Run { scenario, records, period, one_way, round_trip, completions_s, limiting }
    }

    /// What was counted after the warm-up, if that is the time that counts.
    pub(super) fn rest(&self) -> Option<&'a crate::record::AfterWarmup> {
        match self.period {
            Period::Measured => self.records.after_warmup.as_ref(),
            Period::Whole => None,
        }
    }

    /// Its flows, in the order of the scenario.
    pub fn flows(&self) -> impl Iterator<Item = Flow<'a>> + use<'a> {
        let (rest, records) = (self.rest(), self.records);
        let seconds = rest.map_or(records.simulated, |rest| rest.time).as_secs_f64();
        records.flows.iter().zip(self.scenario.flows.iter()).enumerate().map(move |(place, (record, of))| {
            let (counts, goodput_bps) = match rest {
                Some(rest) => (rest.flows[place], record.goodput_after_warmup_bps.unwrap_or(0.0)),
                None => (record.counts, record.goodput_bps),
            };
            Flow { record, of, counts, goodput_bps, seconds, seed: records.seed }
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
    pub fn ports(&self) -> impl Iterator<Item = Port<'a>> + use<'a> {
        let rest = self.rest();
        self.records.ports.iter().enumerate().map(move |(place, record)| {
            let counts = rest.map_or_else(|| PortCounts::of(record), |rest| rest.ports[place]);
            Port { record, counts }
        })
    }

    /// The port that limits, see [`limiting_port`].
    pub fn limiting_port(&self) -> Option<Port<'a>> {
        // Several numbers are of it, and a constellation has many ports.
        let place = self.limiting.get_or_init(|| {
            let bottleneck = self.scenario.bottleneck.as_ref().map(|of| self.scenario.links[of.link].name.as_str());
            limiting_port(&self.records.ports, self.rest().map(|rest| &rest.ports[..]), bottleneck)
        });
        self.ports().nth((*place)?)
    }

    /// How long units waited at the port that limits.
    pub fn queueing(&self) -> Option<&'a Histogram> {
        self.limiting_port()?.record.sojourn.as_deref()
    }

    /// One-way delays of the segments of all flows.
    pub fn one_way(&self) -> Option<&Histogram> {
        let merged = || merged(self.records.flows.iter().filter_map(|flow| Some(&flow.delays.as_ref()?.one_way)));
        self.one_way.get_or_init(merged).as_deref()
    }

    /// Round trips that TCP measured, of all flows.
    pub fn round_trip(&self) -> Option<&Histogram> {
        let merged = || merged(self.records.flows.iter().filter_map(|flow| Some(&flow.delays.as_ref()?.round_trip)));
        self.round_trip.get_or_init(merged).as_deref()
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

impl Flow<'_> {
    /// From when the application of a file begins, jitter included, to the acknowledgement of its last byte, seconds.
    pub fn completion_s(&self) -> Option<f64> {
        self.of.size?;
        Some(self.record.completed?.since(self.of.begins(self.seed)).as_secs_f64())
    }
}

/// All values together: one histogram is not copied.
fn merged<'a>(parts: impl Iterator<Item = &'a Histogram>) -> Option<Cow<'a, Histogram>> {
    parts.filter(|part| part.count() > 0).fold(None, |sum, part| match sum {
        None => Some(Cow::Borrowed(part)),
        Some(mut sum) => {
            sum.to_mut().merge(part);
            Some(sum)
        }
    })
}

/// A part of a whole; `None` of nothing.
pub(super) fn share(part: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

/// Seconds.
pub(super) fn seconds(span: Option<Span>) -> Option<f64> {
    span.map(Span::as_secs_f64)
}
