//! The names of metrics in study data.

use serde::Deserialize;

use super::abr::AbrSetting;
use super::flow_metric::{FlowMetric, Flows, Recordable};
use super::part::Part;
use super::port_history::OfPort;
use super::rate_control::RateControlSetting;
use super::rate_control::checksums::ChecksumRule;
use super::sack::Edge;
use super::timeouts::OfTimeouts;

/// The name of a metric in study data: `efficiency`, or with what it is of, `sent(s1)`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum MetricName {
    /// Sum of goodput over the capacity.
    Efficiency,
    /// Jain's index over the goodput of the flows.
    Fairness,
    /// Units refused by all ports.
    Drops,
    /// The longest series of halvings of the slow-start threshold without progress between them, of any flow.
    LongestBackoff,
    /// How much the flows time out together: `synchrony` in `metric.rs`.
    Synchrony,
    /// Something that flows have, of some of them.
    Of(FlowMetric, Flows),
    /// The mean of a metric over some flows, over that over others.
    Ratio(FlowMetric, Flows, Flows),
    /// A metric of all flows as one number.
    Across(Across, FlowMetric),
    /// How far flows are from shares in proportion to weights: the sum of the distances.
    Misallocation(FlowMetric, Vec<(String, u32)>),
    /// Something that flows have in a part of the run.
    During(Recordable, Flows, Part),
    /// The mean over some flows of something that they have in a part of the run, over that over others.
    RatioDuring(Recordable, Flows, Flows, Part),
    /// Something that a port has in a part of the run.
    PortDuring(OfPort, String, Part),
    /// The correlation of what waits at a port with the mean of what senders might have outstanding, in a part of the run.
    QueueAndWindows(String, Part),
    /// Jain's index over some flows, each divided by its weight.
    WeightedJain(FlowMetric, Vec<(String, u32)>),
    /// The time-weighted mean of what waits at a port.
    MeanQueue(String),
    /// The most that waited at a port.
    LargestQueue(String),
    /// The most that waited at any port.
    LargestOfQueues,
    /// The share of the acknowledgements changed by routers whose checksum is right by a rule.
    ValidChecksums(ChecksumRule),
    /// The most acknowledgements that ever waited in the buckets of a port together.
    MostAcksWaiting(String),
    /// The mean of what waits at a port, times the length of the run: units times seconds.
    QueueSeconds(String),
    /// Units that arrived at a port.
    Arrivals(String),
    /// Units refused by a port, of those that arrived.
    DropRatio(String),
    /// Units refused by a port after the warm-up, of those that arrived.
    DropRatioAfterWarmup(String),
    /// The share of the changes of ACR that are those of the source's formulas.
    AcrByFormulas,
    /// The longest time in which some flow delivered nothing, seconds.
    LongestPause,
    /// What single timeouts and retransmissions show.
    OfTimeouts(OfTimeouts),
    /// A parameter of ABR in the scenario.
    Abr(AbrSetting),
    /// A parameter of rate control of TCP in the scenario.
    RateControl(RateControlSetting),
    /// The time of the first handover of a place, seconds.
    FirstHandover(String),
    /// A number in the last SACK option captured of a flow.
    InSack(InSack, String),
}

/// What stands for the values of all flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Across {
    /// The standard deviation, as of a sample.
    Deviation,
    /// Jain's index.
    Jain,
    /// All of them added up.
    Sum,
    /// The largest less the smallest.
    Range,
    Least,
    Largest,
}

impl Across {
    /// Names in study data.
    pub const NAMES: [(&'static str, Across); 6] = [
        ("deviation", Across::Deviation),
        ("jain", Across::Jain),
        ("sum", Across::Sum),
        ("range", Across::Range),
        ("least", Across::Least),
        ("largest", Across::Largest),
    ];

    fn named(name: &str) -> Option<Across> {
        Across::NAMES.iter().find(|(known, _)| *known == name).map(|(_, across)| *across)
    }
}

/// A number in a SACK option, which has several of each kind, numbered from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InSack {
    /// An edge of a block: a byte of the stream.
    Edge(Edge, usize),
    /// How far an edge is below the right one of the first block, bytes.
    Offset(usize),
}

/// `NAME`, `NAME(FLOW FLOW ...)`, `ratio(NAME: FLOW ... / FLOW ...)`, `ratio(NAME: FLOW ... / FLOW ..., N to M s)`, `deviation(NAME)`, `jain(NAME)`,
/// `sum(NAME)`, `range(NAME)`, `least(NAME)`, `largest(NAME)`, `misallocation(NAME: FLOW WEIGHT ...)`,
/// `jain(NAME: FLOW WEIGHT ...)`, `NAME(FLOW FLOW ..., N to M s)`, `queue(PORT, N to M s)`, `mean-queue(PORT)`,
/// `largest-queue(PORT)`, `largest-queue`, `valid-checksums(RULE)`, `most-acks-waiting(PORT)`, `queue-seconds(PORT)`,
/// `arrivals(PORT)`, `drop-ratio(PORT)`, `drop-ratio-after-warmup(PORT)`, `abr(PARAMETER)`,
/// `rate-control(PARAMETER)`, `queue-and-windows(PORT, N to M s)`,
/// `first-handover(PLACE)`, `sack-left(FLOW: N)`, `sack-right(FLOW: N)`, `sack-offset(FLOW: N)`.
impl TryFrom<String> for MetricName {
    type Error = String;
    fn try_from(text: String) -> Result<MetricName, String> {
        let wrong = || format!("{text:?} is no metric");
        let Some((name, of)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) else {
            return match text.as_str() {
                "efficiency" => Ok(MetricName::Efficiency),
                "fairness" => Ok(MetricName::Fairness),
                "drops" => Ok(MetricName::Drops),
                "longest-backoff" => Ok(MetricName::LongestBackoff),
                "synchrony" => Ok(MetricName::Synchrony),
                "longest-pause" => Ok(MetricName::LongestPause),
                "largest-queue" => Ok(MetricName::LargestOfQueues),
                "acr-by-formulas" => Ok(MetricName::AcrByFormulas),
                other => match OfTimeouts::NAMES.iter().find(|(known, _)| *known == other) {
                    Some((_, what)) => Some(MetricName::OfTimeouts(*what)),
                    None => FlowMetric::named(other).map(|metric| MetricName::Of(metric, Flows::All)),
                }
                .ok_or_else(wrong),
            };
        };
        match name {
            "mean-queue" => Ok(MetricName::MeanQueue(of.into())),
            "largest-queue" => Ok(MetricName::LargestQueue(of.into())),
            "most-acks-waiting" => Ok(MetricName::MostAcksWaiting(of.into())),
            "queue-seconds" => Ok(MetricName::QueueSeconds(of.into())),
            "abr" => {
                let (_, setting) = *AbrSetting::NAMES.iter().find(|(known, _)| *known == of).ok_or_else(wrong)?;
                Ok(MetricName::Abr(setting))
            }
            "rate-control" => {
                let known = RateControlSetting::NAMES.iter().find(|(known, _)| *known == of);
                Ok(MetricName::RateControl(known.ok_or_else(wrong)?.1))
            }
            "valid-checksums" => {
                let known = ChecksumRule::NAMES.iter().find(|(known, _)| *known == of);
                Ok(MetricName::ValidChecksums(known.ok_or_else(wrong)?.1))
            }
            "arrivals" => Ok(MetricName::Arrivals(of.into())),
            "drop-ratio" => Ok(MetricName::DropRatio(of.into())),
            "drop-ratio-after-warmup" => Ok(MetricName::DropRatioAfterWarmup(of.into())),
            "first-handover" => Ok(MetricName::FirstHandover(of.into())),
            "sack-left" | "sack-right" | "sack-offset" => {
                let (flow, number) = of.split_once(':').ok_or_else(wrong)?;
                let number: usize = number.trim().parse().ok().filter(|number| *number > 0).ok_or_else(wrong)?;
                let what = match name {
                    "sack-left" => InSack::Edge(Edge::Left, number),
                    "sack-right" => InSack::Edge(Edge::Right, number),
                    _ => InSack::Offset(number),
                };
                Ok(MetricName::InSack(what, flow.trim().into()))
            }
            "misallocation" | "jain" if of.contains(':') => weighted(name, of).ok_or_else(wrong),
            name if of.contains(',') => during(name, of).ok_or_else(wrong),
            "ratio" => {
                let (metric, sides) = of.split_once(':').ok_or_else(wrong)?;
                let (upper, lower) = sides.split_once('/').ok_or_else(wrong)?;
                let metric = FlowMetric::named(metric).ok_or_else(wrong)?;
                Ok(MetricName::Ratio(metric, flows(upper), flows(lower)))
            }
            name => match Across::named(name) {
                Some(across) => FlowMetric::named(of).map(|metric| MetricName::Across(across, metric)),
                None => FlowMetric::named(name).map(|metric| MetricName::Of(metric, flows(of))),
            }
            .ok_or_else(wrong),
        }
    }
}

/// Some flows, by their names.
fn flows(list: &str) -> Flows {
    Flows::Named(list.split_whitespace().map(String::from).collect())
}

/// `METRIC: FLOW WEIGHT ...` of `misallocation` or `jain`.
fn weighted(name: &str, of: &str) -> Option<MetricName> {
    let (metric, weights) = of.split_once(':')?;
    let words: Vec<&str> = weights.split_whitespace().collect();
    let weight = |pair: &[&str]| match pair {
        [flow, weight] => weight.parse().ok().map(|weight| (flow.to_string(), weight)),
        _ => None,
    };
    let weights: Vec<(String, u32)> = words.chunks(2).map(weight).collect::<Option<_>>()?;
    let metric = FlowMetric::named(metric)?;
    match name {
        _ if weights.is_empty() => None,
        "jain" => Some(MetricName::WeightedJain(metric, weights)),
        _ => Some(MetricName::Misallocation(metric, weights)),
    }
}

/// `..., N to M s`: something in a part of the run, of flows or of a port.
fn during(name: &str, of: &str) -> Option<MetricName> {
    let (of, part) = of.split_once(',')?;
    let part = Part::named(part)?;
    let recordable = |name: &str| Recordable::NAMES.iter().find(|(known, _)| *known == name).map(|(_, what)| *what);
    if name == "ratio" {
        let (what, sides) = of.split_once(':')?;
        let (upper, lower) = sides.split_once('/')?;
        return Some(MetricName::RatioDuring(recordable(what)?, flows(upper), flows(lower), part));
    }
    if name == "queue-and-windows" {
        return Some(MetricName::QueueAndWindows(of.trim().into(), part));
    }
    match OfPort::NAMES.iter().find(|(known, _)| *known == name) {
        Some((_, what)) => Some(MetricName::PortDuring(*what, of.trim().into(), part)),
        None => Some(MetricName::During(recordable(name)?, flows(of), part)),
    }
}

impl MetricName {
    /// Which numbers of a table can be compared with one another, in a word: a sum and a range of rates cannot.
    pub fn kind(&self) -> &'static str {
        match self {
            MetricName::Across(across, _) if *across != Across::Jain => {
                Across::NAMES.iter().find(|(_, of)| of == across).map_or("", |(name, _)| name)
            }
            _ => self.counts(),
        }
    }

    /// What it counts, in a word: metrics of the same word have the same unit.
    pub fn counts(&self) -> &'static str {
        match self {
            MetricName::Efficiency => "efficiency",
            MetricName::Fairness | MetricName::Across(Across::Jain, _) | MetricName::WeightedJain(..) => "fairness",
            MetricName::Drops => "drops",
            MetricName::LongestBackoff => "halvings",
            MetricName::Synchrony => "synchrony",
            MetricName::Of(metric, _) | MetricName::Across(_, metric) => metric.counts(),
            MetricName::Ratio(..) | MetricName::RatioDuring(..) => "ratio",
            MetricName::Misallocation(..) => "misallocation",
            MetricName::During(Recordable::Throughput, ..) => "rate",
            MetricName::During(Recordable::Cwnd, ..) => "cwnd",
            MetricName::During(Recordable::SendWindow, ..) => "window",
            MetricName::During(Recordable::Told, ..) => "share of time",
            MetricName::During(Recordable::LargestStep, ..) => "bytes",
            MetricName::QueueAndWindows(..) => "correlation",
            MetricName::PortDuring(OfPort::QueueDeviation | OfPort::QueueTrend, ..) => "part of the queue",
            MetricName::RateControl(setting) => setting.counts(),
            MetricName::PortDuring(OfPort::Utilisation | OfPort::LeastUtilisation, ..) => "utilisation",
            MetricName::PortDuring(..) => "queue",
            MetricName::During(Recordable::Timeouts, ..) => "timeouts",
            MetricName::MeanQueue(_) | MetricName::LargestQueue(_) | MetricName::LargestOfQueues => "queue",
            MetricName::ValidChecksums(_) => "share of acknowledgements",
            MetricName::MostAcksWaiting(_) => "acknowledgements",
            MetricName::QueueSeconds(_) => "queue times seconds",
            MetricName::Abr(AbrSetting::Rif | AbrSetting::Rdf) => "factor",
            MetricName::Abr(AbrSetting::Nrm | AbrSetting::Threshold) => "cells",
            MetricName::Arrivals(_) => "arrivals",
            MetricName::DropRatio(_) | MetricName::DropRatioAfterWarmup(_) => "drop ratio",
            MetricName::AcrByFormulas => "share of changes",
            MetricName::LongestPause
            | MetricName::OfTimeouts(OfTimeouts::ShortestIdle)
            | MetricName::FirstHandover(_) => "time",
            MetricName::OfTimeouts(_) => "share of timeouts",
            MetricName::InSack(InSack::Edge(..), _) => "edges",
            MetricName::InSack(InSack::Offset(_), _) => "offsets",
        }
    }
}
