//! What is kept of a run, and the metrics computed from it.

use std::collections::BTreeMap;

use ackclock::packet::{IP_HEADER_BYTES, TCP_HEADER_BYTES, wire_number};
use ackclock::record::metrics::jain;
use ackclock::record::stats::sample_sd;
use ackclock::record::{self, Records};
use ackclock::scenario::{Event, EventKind, Flow, Scenario};
use ackclock::tcp::offset_sack::{Flags, Negotiated};
use ackclock::tcp::{FirstSegment, sack_option};
use ackclock::units::{Span, Time};
use serde::{Deserialize, Serialize};

use crate::course::Course;

/// What the metrics need of a run. Lists have one entry per flow, in the order of the scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measurement {
    /// Simulated time.
    pub seconds: f64,
    /// The names of the flows.
    pub flows: Vec<String>,
    /// When they began, seconds, without the jitter.
    pub start: Vec<f64>,
    /// Payload bytes of their segments.
    pub mss: Vec<u32>,
    /// Payload delivered in order, bits per second, over the whole run.
    pub goodput_bps: Vec<f64>,
    /// The same after the warm-up.
    pub goodput_after_warmup_bps: Vec<f64>,
    /// Bytes sent, retransmissions included, as studies count them: payload, and the 40 octets of an empty first segment.
    pub bytes_sent: Vec<u64>,
    /// Segments sent, retransmissions included.
    pub segments_sent: Vec<u64>,
    /// Data packets refused by ports and lost on links.
    pub lost: Vec<u64>,
    pub fast_retransmits: Vec<u64>,
    pub retransmissions: Vec<u64>,
    /// Segments that arrived although the receiver held all their bytes.
    pub unnecessary: Vec<u64>,
    /// The SACK option of the last acknowledgement captured where it was sent; `None` if none was captured.
    pub last_sack: Vec<Option<LastSack>>,
    pub longest_backoff: Vec<u32>,
    /// When the retransmission timer expired, whole milliseconds, rounded down.
    pub timeouts_ms: Vec<Vec<u64>>,
    /// When the last byte of a file was acknowledged, seconds.
    pub completed: Vec<Option<f64>>,
    /// Units refused by all ports; segments lost on purpose are not among them.
    pub drops: u64,
    /// The time-weighted mean of what waited at each port, by its name.
    pub mean_queue: BTreeMap<String, f64>,
    /// How each flow went on, where the scenario records throughput and cwnd.
    #[serde(default)]
    pub course: Vec<Course>,
    /// When a place first went over to another satellite, seconds, by its name.
    #[serde(default)]
    pub first_handover: BTreeMap<String, f64>,
}

impl Measurement {
    /// Of a run of this scenario.
    pub fn of(records: &Records, scenario: &Scenario) -> Measurement {
        let flows = &records.flows;
        let end = Time::ZERO + records.simulated;
        let course = scenario.flows.iter().map(|flow| Course::of(&flow.name, flow.tcp.mss, &records.series, end));
        let milliseconds = |time: &Time| time.as_ps() / Span::from_ms(1).as_ps();
        Measurement {
            seconds: records.simulated.as_secs_f64(),
            flows: flows.iter().map(|flow| flow.name.clone()).collect(),
            start: scenario.flows.iter().map(|flow| flow.start.as_secs_f64()).collect(),
            mss: scenario.flows.iter().map(|flow| flow.tcp.mss).collect(),
            goodput_bps: flows.iter().map(|flow| flow.goodput_bps).collect(),
            goodput_after_warmup_bps: flows.iter().filter_map(|flow| flow.goodput_after_warmup_bps).collect(),
            bytes_sent: flows
                .iter()
                .zip(scenario.flows.iter())
                .map(|(flow, of)| flow.counts.bytes_sent + empty(of))
                .collect(),
            segments_sent: flows.iter().map(|flow| flow.counts.segments_sent).collect(),
            lost: flows.iter().map(|flow| record::lost(&flow.name, &records.ports, &records.links)).collect(),
            fast_retransmits: flows.iter().map(|flow| flow.counts.fast_retransmits).collect(),
            retransmissions: flows.iter().map(|flow| flow.counts.retransmissions).collect(),
            unnecessary: flows.iter().map(|flow| flow.counts.unnecessary_retransmissions).collect(),
            last_sack: (0..).zip(scenario.flows.iter()).map(|(flow, of)| LastSack::of(records, flow, of)).collect(),
            longest_backoff: flows.iter().map(|flow| flow.longest_backoff).collect(),
            timeouts_ms: flows.iter().map(|flow| flow.timeout_times.iter().map(milliseconds).collect()).collect(),
            completed: flows.iter().map(|flow| flow.completed.map(Time::as_secs_f64)).collect(),
            drops: records.ports.iter().map(|port| port.drops.total()).sum(),
            mean_queue: records.ports.iter().map(|port| (port.name.clone(), port.mean_queue)).collect(),
            course: course.collect::<Option<Vec<Course>>>().unwrap_or_default(),
            // The earliest is the last that is put in.
            first_handover: handovers(scenario).rev().map(|(time, place)| (place.into(), time.as_secs_f64())).collect(),
        }
    }

    /// Bits per second that a flow sent from its start to the end of the run, retransmissions included.
    fn sent_bps(&self, flow: usize) -> f64 {
        self.rate(flow, self.bytes_sent[flow])
    }

    /// So many bytes, as bits per second of the time from the start of a flow to the end of the run.
    fn rate(&self, flow: usize, bytes: u64) -> f64 {
        bytes as f64 * 8.0 / (self.seconds - self.start[flow])
    }
}

/// A SACK option: what it says, and how long it is with kind and length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LastSack {
    /// Left and right edge of each block, in the order of the option: bytes of the stream, modulo 2^32.
    pub blocks: Vec<(u32, u32)>,
    pub octets: u32,
}

impl LastSack {
    /// That of the last acknowledgement of a flow that was captured where it was sent, also if it is empty.
    fn of(records: &Records, number: u32, flow: &Flow) -> Option<LastSack> {
        let mut packets = records.captures.iter().flat_map(|capture| &capture.packets);
        let last = packets.rfind(|packet| packet.flow == number && packet.sent && !packet.data)?;
        let form = flow.tcp.sack.offset.as_ref().map(|offset| offset.form);
        let negotiated = form.map_or(Negotiated::Standard, |form| Negotiated::Offset(form, Flags::ALL));
        let octets = last.segment.sack.octets();
        let blocks = sack_option::find(octets, negotiated).ok().flatten().unwrap_or_default();
        let byte = |number: u32| number.wrapping_sub(wire_number(0));
        let blocks = blocks.iter().map(|block| (byte(block.left), byte(block.right))).collect();
        Some(LastSack { blocks, octets: octets.len() as u32 })
    }

    /// An edge of the block of this number, from 1.
    fn edge(&self, edge: Edge, number: usize) -> Option<u32> {
        let (left, right) = *self.blocks.get(number.checked_sub(1)?)?;
        Some(if edge == Edge::Left { left } else { right })
    }

    /// How far an edge is below the right one of the first block: of the left edge of that (1), of right (2) and left (3) edge of
    /// the second, and so on.
    fn offset(&self, number: usize) -> Option<u32> {
        let edge = if number.is_multiple_of(2) { Edge::Right } else { Edge::Left };
        Some(self.edge(Edge::Right, 1)?.wrapping_sub(self.edge(edge, number / 2 + 1)?))
    }
}

/// When places go over to another satellite, in the order of time.
pub(crate) fn handovers(scenario: &Scenario) -> impl DoubleEndedIterator<Item = (Time, &str)> {
    let later = |event: &&Event| event.kind == EventKind::Handover && event.time > Time::ZERO;
    scenario.events.iter().filter(later).map(|event| (event.time, event.node.as_str()))
}

/// The octets of a first segment without payload.
fn empty(flow: &Flow) -> u64 {
    match flow.tcp.first_segment {
        FirstSegment::Data => 0,
        FirstSegment::Empty => u64::from(IP_HEADER_BYTES + TCP_HEADER_BYTES),
    }
}

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
    /// How much the flows time out together: [`synchrony`].
    Synchrony,
    /// Something that flows have, of some of them.
    Of(Quality, Flows),
    /// The mean of a quality over some flows, over that over others.
    Ratio(Quality, Flows, Flows),
    /// The standard deviation of a quality over all flows, as of a sample.
    Deviation(Quality),
    /// Jain's index of a quality over all flows.
    Jain(Quality),
    /// How far flows are from shares in proportion to weights: the sum of the distances.
    Misallocation(Quality, Vec<(String, u32)>),
    /// Something that flows have from one instant of the run to another, seconds.
    During(Recordable, Flows, u32, u32),
    /// The time-weighted mean of what waits at a port.
    MeanQueue(String),
    /// The same times the length of the run: units times seconds.
    QueueSeconds(String),
    /// When a place first goes over to another satellite, seconds.
    FirstHandover(String),
    /// A number in the last SACK option captured of a flow.
    InSack(InSack, String),
}

/// A number in a SACK option, which has several of each kind, numbered from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InSack {
    /// An edge of a block: a byte of the stream.
    Edge(Edge, usize),
    /// How far an edge is below the right one of the first block, bytes.
    Offset(usize),
}

/// The first byte of a block, or the first after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    Left,
    Right,
}

/// What a flow has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quality {
    /// Bits per second sent since its start, retransmissions included.
    Sent,
    /// The same without what was sent again: what [VEGAS-A] calls goodput.
    SentOnce,
    /// Packets lost on their way.
    Lost,
    /// Segments sent again, of all that were sent.
    ShareSentAgain,
    /// Bits per second delivered, over the whole run.
    Goodput,
    /// The same after the warm-up.
    GoodputAfterWarmup,
    /// Segments sent again.
    Retransmissions,
    /// Those of which the receiver held all bytes.
    Needless,
    /// Blocks in the last SACK option captured.
    SackBlocks,
    /// Octets of that option.
    SackOctets,
    /// Fast retransmits.
    FastRetransmits,
    /// Expiries of the retransmission timer.
    Timeouts,
    /// When the last byte of a file was acknowledged, seconds.
    Completed,
}

/// What a flow has in a part of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recordable {
    /// Bits per second delivered in order.
    Throughput,
    /// The congestion window, segments.
    Cwnd,
    /// Expiries of the retransmission timer.
    Timeouts,
}

impl Recordable {
    /// Names in study data.
    const NAMES: [(&'static str, Recordable); 3] =
        [("throughput", Recordable::Throughput), ("cwnd", Recordable::Cwnd), ("timeouts", Recordable::Timeouts)];

    /// Of some flows: of counts the sum, of everything else the mean. `None` where it was not recorded.
    fn over(self, run: &Measurement, flows: &Flows, from: u32, to: u32) -> Option<f64> {
        let (from, to) = (f64::from(from), f64::from(to));
        let of_flow = |flow: usize| match self {
            Recordable::Throughput => run.course.get(flow)?.mean(&run.course[flow].throughput_bps, from, to),
            Recordable::Cwnd => run.course.get(flow)?.mean(&run.course[flow].cwnd, from, to),
            Recordable::Timeouts => {
                let within = |ms: &&u64| (from..to).contains(&(**ms as f64 / 1000.0));
                Some(run.timeouts_ms[flow].iter().filter(within).count() as f64)
            }
        };
        let values: Option<Vec<f64>> = flows.among(run).map(of_flow).collect();
        let values = values.filter(|values| !values.is_empty())?;
        let sum: f64 = values.iter().sum();
        Some(if self == Recordable::Timeouts { sum } else { sum / values.len() as f64 })
    }
}

/// Which flows; counts are added up, everything else is averaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Flows {
    All,
    Named(Vec<String>),
}

impl Flows {
    /// Their numbers in a run.
    fn among<'a>(&'a self, run: &'a Measurement) -> impl Iterator<Item = usize> + 'a {
        let wanted = |name: &String| match self {
            Flows::All => true,
            Flows::Named(names) => names.contains(name),
        };
        (0..run.flows.len()).filter(move |&flow| wanted(&run.flows[flow]))
    }
}

impl Quality {
    /// Names in study data.
    const NAMES: [(&'static str, Quality); 13] = [
        ("sent", Quality::Sent),
        ("sent-once", Quality::SentOnce),
        ("lost", Quality::Lost),
        ("share-sent-again", Quality::ShareSentAgain),
        ("goodput", Quality::Goodput),
        ("goodput-after-warmup", Quality::GoodputAfterWarmup),
        ("retransmissions", Quality::Retransmissions),
        ("needless", Quality::Needless),
        ("sack-blocks", Quality::SackBlocks),
        ("sack-octets", Quality::SackOctets),
        ("fast-retransmits", Quality::FastRetransmits),
        ("timeouts", Quality::Timeouts),
        ("completed", Quality::Completed),
    ];

    fn named(name: &str) -> Option<Quality> {
        Quality::NAMES.iter().find(|(known, _)| *known == name).map(|(_, quality)| *quality)
    }

    fn is_count(self) -> bool {
        matches!(
            self,
            Quality::Lost | Quality::Retransmissions | Quality::Needless | Quality::FastRetransmits | Quality::Timeouts
        )
    }

    /// Of one flow; `None` where it has no meaning.
    fn value(self, run: &Measurement, flow: usize) -> Option<f64> {
        match self {
            Quality::Sent => Some(run.sent_bps(flow)),
            Quality::SentOnce => {
                let again = run.retransmissions[flow] * u64::from(run.mss[flow]);
                Some(run.rate(flow, run.bytes_sent[flow].saturating_sub(again)))
            }
            Quality::Lost => Some(run.lost[flow] as f64),
            Quality::ShareSentAgain => Some(run.retransmissions[flow] as f64 / run.segments_sent[flow].max(1) as f64),
            Quality::Goodput => Some(run.goodput_bps[flow]),
            Quality::GoodputAfterWarmup => run.goodput_after_warmup_bps.get(flow).copied(),
            Quality::Retransmissions => Some(run.retransmissions[flow] as f64),
            Quality::Needless => Some(run.unnecessary[flow] as f64),
            Quality::SackBlocks => run.last_sack[flow].as_ref().map(|sack| sack.blocks.len() as f64),
            Quality::SackOctets => run.last_sack[flow].as_ref().map(|sack| f64::from(sack.octets)),
            Quality::FastRetransmits => Some(run.fast_retransmits[flow] as f64),
            Quality::Timeouts => Some(run.timeouts_ms[flow].len() as f64),
            Quality::Completed => run.completed[flow],
        }
    }

    /// Of several flows.
    fn over(self, run: &Measurement, flows: &Flows) -> Option<f64> {
        let values: Option<Vec<f64>> = flows.among(run).map(|flow| self.value(run, flow)).collect();
        let values = values.filter(|values| !values.is_empty())?;
        let sum: f64 = values.iter().sum();
        Some(if self.is_count() { sum } else { sum / values.len() as f64 })
    }
}

/// `NAME`, `NAME(FLOW FLOW ...)`, `ratio(NAME: FLOW ... / FLOW ...)`, `deviation(NAME)`, `jain(NAME)`,
/// `misallocation(NAME: FLOW WEIGHT ...)`, `NAME(FLOW FLOW ..., N to M s)`, `mean-queue(PORT)`, `queue-seconds(PORT)`,
/// `first-handover(PLACE)`, `sack-left(FLOW: N)`, `sack-right(FLOW: N)`, `sack-offset(FLOW: N)`.
impl TryFrom<String> for MetricName {
    type Error = String;
    fn try_from(text: String) -> Result<MetricName, String> {
        let wrong = || format!("{text:?} is no metric");
        let flows = |list: &str| Flows::Named(list.split_whitespace().map(String::from).collect());
        let Some((name, of)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) else {
            return match text.as_str() {
                "efficiency" => Ok(MetricName::Efficiency),
                "fairness" => Ok(MetricName::Fairness),
                "drops" => Ok(MetricName::Drops),
                "longest-backoff" => Ok(MetricName::LongestBackoff),
                "synchrony" => Ok(MetricName::Synchrony),
                other => Quality::named(other).map(|quality| MetricName::Of(quality, Flows::All)).ok_or_else(wrong),
            };
        };
        match name {
            "mean-queue" => Ok(MetricName::MeanQueue(of.into())),
            "queue-seconds" => Ok(MetricName::QueueSeconds(of.into())),
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
            "deviation" => Quality::named(of).map(MetricName::Deviation).ok_or_else(wrong),
            "jain" => Quality::named(of).map(MetricName::Jain).ok_or_else(wrong),
            "misallocation" => {
                let (quality, weights) = of.split_once(':').ok_or_else(wrong)?;
                let words: Vec<&str> = weights.split_whitespace().collect();
                let weight = |pair: &[&str]| match pair {
                    [flow, weight] => weight.parse().ok().map(|weight| (flow.to_string(), weight)),
                    _ => None,
                };
                let weights: Option<Vec<(String, u32)>> = words.chunks(2).map(weight).collect();
                let quality = Quality::named(quality).ok_or_else(wrong)?;
                Ok(MetricName::Misallocation(quality, weights.filter(|all| !all.is_empty()).ok_or_else(wrong)?))
            }
            name if of.contains(',') => {
                let (_, what) = *Recordable::NAMES.iter().find(|(known, _)| *known == name).ok_or_else(wrong)?;
                let (names, part) = of.split_once(',').ok_or_else(wrong)?;
                let instants = part.trim().strip_suffix(" s").and_then(|part| part.split_once(" to "));
                let (from, to) = instants.ok_or_else(wrong)?;
                let instant = |text: &str| text.parse::<u32>().map_err(|_| wrong());
                Ok(MetricName::During(what, flows(names), instant(from)?, instant(to)?))
            }
            "ratio" => {
                let (quality, sides) = of.split_once(':').ok_or_else(wrong)?;
                let (upper, lower) = sides.split_once('/').ok_or_else(wrong)?;
                let quality = Quality::named(quality).ok_or_else(wrong)?;
                Ok(MetricName::Ratio(quality, flows(upper), flows(lower)))
            }
            name => Quality::named(name).map(|quality| MetricName::Of(quality, flows(of))).ok_or_else(wrong),
        }
    }
}

impl MetricName {
    /// What it counts, in a word: metrics of the same word can share an axis.
    pub fn counts(&self) -> &'static str {
        match self {
            MetricName::Efficiency => "efficiency",
            MetricName::Fairness | MetricName::Jain(_) => "fairness",
            MetricName::Drops => "drops",
            MetricName::LongestBackoff => "halvings",
            MetricName::Synchrony => "synchrony",
            MetricName::Of(quality, _) | MetricName::Deviation(quality) => quality.counts(),
            MetricName::Ratio(..) => "ratio",
            MetricName::Misallocation(..) => "misallocation",
            MetricName::During(Recordable::Throughput, ..) => "rate",
            MetricName::During(Recordable::Cwnd, ..) => "cwnd",
            MetricName::During(Recordable::Timeouts, ..) => "timeouts",
            MetricName::MeanQueue(_) => "queue",
            MetricName::QueueSeconds(_) => "queue times seconds",
            MetricName::FirstHandover(_) => "time",
            MetricName::InSack(InSack::Edge(..), _) => "edges",
            MetricName::InSack(InSack::Offset(_), _) => "offsets",
        }
    }
}

impl Quality {
    fn counts(self) -> &'static str {
        match self {
            Quality::Sent | Quality::SentOnce | Quality::Goodput | Quality::GoodputAfterWarmup => "rate",
            Quality::Lost => "lost",
            Quality::ShareSentAgain => "share sent again",
            Quality::Retransmissions | Quality::Needless => "sent again",
            Quality::SackBlocks => "blocks",
            Quality::SackOctets => "octets",
            Quality::FastRetransmits => "fast retransmits",
            Quality::Timeouts => "timeouts",
            Quality::Completed => "time",
        }
    }
}

/// A metric, ready to be computed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Metric {
    Efficiency { capacity_bps: f64, after_warmup: bool },
    Other(MetricName),
}

impl MetricName {
    pub fn with(self, capacity_bps: f64) -> Metric {
        match self {
            MetricName::Efficiency => Metric::Efficiency { capacity_bps, after_warmup: false },
            other => Metric::Other(other),
        }
    }
}

impl Metric {
    /// The smallest and the largest value that it can have.
    pub fn bounds(&self) -> (f64, f64) {
        match self {
            Metric::Other(MetricName::Fairness | MetricName::Jain(_) | MetricName::Of(Quality::ShareSentAgain, _)) => {
                (0.0, 1.0)
            }
            Metric::Other(MetricName::Synchrony) => (-1.0, 1.0),
            // Rates, counts, times and ratios of them. Capacities are nominal: an efficiency may be above 1.
            Metric::Efficiency { .. } | Metric::Other(_) => (0.0, f64::INFINITY),
        }
    }

    /// The metric of one run; `None` where it has no meaning.
    pub fn value(&self, run: &Measurement) -> Option<f64> {
        let name = match self {
            Metric::Efficiency { capacity_bps, after_warmup } => {
                let goodput = if *after_warmup { &run.goodput_after_warmup_bps } else { &run.goodput_bps };
                return Some(goodput.iter().sum::<f64>() / capacity_bps);
            }
            Metric::Other(name) => name,
        };
        match name {
            MetricName::Efficiency => unreachable!("an efficiency has a capacity"),
            MetricName::Fairness => Some(jain(run.goodput_bps.iter().copied())),
            MetricName::Drops => Some(run.drops as f64),
            MetricName::LongestBackoff => run.longest_backoff.iter().max().map(|longest| f64::from(*longest)),
            MetricName::Synchrony => synchrony(&run.timeouts_ms, run.seconds),
            MetricName::Of(quality, flows) => quality.over(run, flows),
            MetricName::Ratio(quality, upper, lower) => Some(quality.over(run, upper)? / quality.over(run, lower)?),
            MetricName::Deviation(quality) => {
                let values: Option<Vec<f64>> = (0..run.flows.len()).map(|flow| quality.value(run, flow)).collect();
                sample_sd(&values?)
            }
            MetricName::Jain(quality) => {
                let values: Option<Vec<f64>> = (0..run.flows.len()).map(|flow| quality.value(run, flow)).collect();
                Some(jain(values?.into_iter()))
            }
            MetricName::Misallocation(quality, weights) => misallocation(run, *quality, weights),
            MetricName::During(what, flows, from, to) => what.over(run, flows, *from, *to),
            MetricName::MeanQueue(port) => run.mean_queue.get(port).copied(),
            MetricName::FirstHandover(place) => run.first_handover.get(place).copied(),
            MetricName::InSack(what, flow) => {
                let flow = run.flows.iter().position(|name| name == flow)?;
                let sack = run.last_sack[flow].as_ref()?;
                let number = match *what {
                    InSack::Edge(edge, number) => sack.edge(edge, number),
                    InSack::Offset(number) => sack.offset(number),
                };
                number.map(f64::from)
            }
            MetricName::QueueSeconds(port) => run.mean_queue.get(port).map(|mean| mean * run.seconds),
        }
    }
}

/// The sum, over the flows with a weight, of how far each is from its share of what they have together, in proportion to
/// the weights.
fn misallocation(run: &Measurement, quality: Quality, weights: &[(String, u32)]) -> Option<f64> {
    let value = |(flow, _): &(String, u32)| {
        let flow = run.flows.iter().position(|name| name == flow)?;
        quality.value(run, flow)
    };
    let values: Option<Vec<f64>> = weights.iter().map(value).collect();
    let values = values?;
    let (together, all) =
        (values.iter().sum::<f64>(), weights.iter().map(|(_, weight)| f64::from(*weight)).sum::<f64>());
    let shares = weights.iter().map(|(_, weight)| together * f64::from(*weight) / all);
    Some(values.iter().zip(shares).map(|(value, share)| (value - share).abs()).sum())
}

/// How much the flows time out together. Time is cut into intervals of 100 ms; a flow's indicator is 1 where its timer
/// expired. The mean over all pairs of flows of the correlation (Pearson) of their indicators; a pair counts only if
/// both flows timed out in some interval and not in all. 1: always together; 0: independent; `None`: no pair counts.
fn synchrony(timeouts_ms: &[Vec<u64>], seconds: f64) -> Option<f64> {
    const INTERVAL_MS: u64 = 100;
    let intervals = (seconds * 1000.0 / INTERVAL_MS as f64).ceil() as usize;
    let indicators: Vec<Vec<bool>> = timeouts_ms
        .iter()
        .map(|times| {
            let mut hit = vec![false; intervals];
            for time in times {
                let interval = (time / INTERVAL_MS) as usize;
                hit[interval.min(intervals - 1)] = true;
            }
            hit
        })
        .collect();
    let mut correlations = Vec::new();
    for (i, first) in indicators.iter().enumerate() {
        for second in &indicators[i + 1..] {
            correlations.extend(correlation(first, second));
        }
    }
    (!correlations.is_empty()).then(|| correlations.iter().sum::<f64>() / correlations.len() as f64)
}

/// Pearson's correlation of two indicators; `None` where one is constant.
fn correlation(first: &[bool], second: &[bool]) -> Option<f64> {
    let n = first.len() as f64;
    let share = |indicator: &[bool]| indicator.iter().filter(|hit| **hit).count() as f64 / n;
    let (p, q) = (share(first), share(second));
    let both = first.iter().zip(second).filter(|(a, b)| **a && **b).count() as f64 / n;
    let variance = p * (1.0 - p) * q * (1.0 - q);
    (variance > 0.0).then(|| (both - p * q) / variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_that_time_out_together_are_in_synchrony_and_others_are_not() {
        let near = |value: Option<f64>, expected: f64| assert!((value.unwrap() - expected).abs() < 1e-12);
        // one second, ten intervals
        near(synchrony(&[vec![130, 550], vec![190, 500]], 1.0), 1.0);
        // p = q = 0.5, never together: (0 - 0.25) / 0.25 = -1
        let even = vec![0, 200, 400, 600, 800];
        let odd = vec![100, 300, 500, 700, 900];
        near(synchrony(&[even.clone(), odd], 1.0), -1.0);
        // a flow without timeouts has no correlation with any
        assert_eq!(synchrony(&[even, vec![]], 1.0), None);
        // an expiry at the very end belongs to the last interval
        near(synchrony(&[vec![1000], vec![950]], 1.0), 1.0);
    }

    fn run() -> Measurement {
        Measurement {
            seconds: 10.0,
            flows: vec!["s1".into(), "s2".into()],
            start: vec![0.0, 5.0],
            mss: vec![1000, 1000],
            segments_sent: vec![1000, 2000],
            lost: vec![2, 4],
            goodput_bps: vec![30e6, 20e6],
            goodput_after_warmup_bps: vec![60e6, 40e6],
            bytes_sent: vec![1_000_000, 2_000_000],
            fast_retransmits: vec![1, 2],
            retransmissions: vec![3, 4],
            unnecessary: vec![2, 1],
            // Table 20 at 7000.
            last_sack: vec![Some(LastSack { blocks: vec![(7000, 7500), (6000, 6500)], octets: 12 }), None],
            longest_backoff: vec![1, 5],
            timeouts_ms: vec![vec![1], vec![2, 3]],
            completed: vec![Some(4.5), None],
            drops: 9,
            mean_queue: BTreeMap::from([("r1->r2".into(), 2.5)]),
            course: vec![
                Course { interval: 2.0, throughput_bps: vec![1.0, 2.0, 3.0, 4.0, 5.0], cwnd: vec![10.0; 5] },
                Course { interval: 2.0, throughput_bps: vec![0.0, 0.0, 9.0, 8.0, 7.0], cwnd: vec![30.0; 5] },
            ],
            first_handover: BTreeMap::from([("boston".into(), 3.5)]),
        }
    }

    #[test]
    fn a_part_of_the_run_counts_what_happens_in_it() {
        assert_eq!((value("throughput(s1, 2 to 6 s)"), value("throughput(s1 s2, 8 to 10 s)")), (Some(2.5), Some(6.0)));
        assert_eq!((value("cwnd(s2, 0 to 10 s)"), value("throughput(s1, 20 to 30 s)")), (Some(30.0), None));
        assert_eq!((value("timeouts(s1 s2, 0 to 1 s)"), value("timeouts(s2, 1 to 9 s)")), (Some(3.0), Some(0.0)));
    }

    #[test]
    fn what_was_sent_again_is_no_part_of_what_was_sent_once() {
        // 1 MB less 3 kB in 10 s, 2 MB less 4 kB in 5 s.
        assert_eq!((value("sent-once(s1)"), value("sent-once(s2)")), (Some(797_600.0), Some(3_193_600.0)));
        assert_eq!((value("lost"), value("share-sent-again(s2)")), (Some(6.0), Some(0.002)));
    }

    #[test]
    fn shares_are_compared_with_each_other_and_with_weights() {
        // 0.8 and 3.2 Mb/s: (4)² / (2 · (0.64 + 10.24)).
        assert!((value("jain(sent)").unwrap() - 16.0 / 21.76).abs() < 1e-12);
        // Of 4 Mb/s 1 to 3 would be 1 and 3.
        assert!((value("misallocation(sent: s1 1 s2 3)").unwrap() - 400_000.0).abs() < 1e-6);
        assert_eq!(value("misallocation(sent: s1 1 s9 3)"), None);
    }

    fn value(name: &str) -> Option<f64> {
        MetricName::try_from(name.to_owned()).unwrap().with(100e6).value(&run())
    }

    #[test]
    fn efficiency_is_the_sum_of_goodput_over_the_capacity() {
        assert_eq!(value("efficiency"), Some(0.5));
        let late = Metric::Efficiency { capacity_bps: 100e6, after_warmup: true };
        assert_eq!(late.value(&run()), Some(1.0));
    }

    #[test]
    fn counts_are_added_up() {
        assert_eq!((value("timeouts"), value("timeouts(s2)")), (Some(3.0), Some(2.0)));
        assert_eq!((value("fast-retransmits"), value("retransmissions(s1)")), (Some(3.0), Some(3.0)));
        assert_eq!((value("longest-backoff"), value("drops")), (Some(5.0), Some(9.0)));
        assert_eq!((value("needless"), value("needless(s2)")), (Some(3.0), Some(1.0)));
        // (30+20)² / (2·(900+400)) = 2500/2600
        assert_eq!(value("fairness"), Some(2500.0 / 2600.0));
    }

    /// By hand: 8 Mb in 10 s, 16 Mb in the 5 s since the start of the second flow.
    #[test]
    fn rates_are_averaged_over_flows() {
        assert_eq!((value("sent(s1)"), value("sent(s2)"), value("sent")), (Some(0.8e6), Some(3.2e6), Some(2e6)));
        assert_eq!((value("goodput(s2)"), value("goodput-after-warmup(s1)")), (Some(20e6), Some(60e6)));
        assert_eq!(value("ratio(sent: s2 / s1)"), Some(4.0));
        // Mean 25, differences of 5: the root of 50 / 1, in megabits.
        assert_eq!(value("deviation(goodput)"), Some((2.0 * 5e6 * 5e6_f64).sqrt()));
        assert_eq!((value("completed(s1)"), value("completed(s2)")), (Some(4.5), None));
    }

    #[test]
    fn options_are_those_of_the_last_acknowledgement_captured() {
        assert_eq!((value("sack-blocks(s1)"), value("sack-octets(s1)")), (Some(2.0), Some(12.0)));
        assert_eq!((value("sack-blocks(s2)"), value("sack-octets(s2)")), (None, None), "nothing was captured");
        let edges = ["sack-left(s1: 1)", "sack-right(s1: 1)", "sack-left(s1: 2)", "sack-right(s1: 2)"].map(value);
        assert_eq!(edges, [7000.0, 7500.0, 6000.0, 6500.0].map(Some));
        // Below 7500: the left edge of the first block, the right one of the second, and its left one.
        let offsets = ["sack-offset(s1: 1)", "sack-offset(s1: 2)", "sack-offset(s1: 3)"].map(value);
        assert_eq!(offsets, [500.0, 1000.0, 1500.0].map(Some));
        let none = ["sack-left(s1: 3)", "sack-offset(s1: 4)", "sack-right(s2: 1)", "sack-right(s3: 1)"].map(value);
        assert_eq!(none, [None; 4], "no third block, nothing captured, no such flow");
    }

    #[test]
    fn queues_are_those_of_a_port() {
        assert_eq!((value("mean-queue(r1->r2)"), value("queue-seconds(r1->r2)")), (Some(2.5), Some(25.0)));
        assert_eq!((value("mean-queue(r2->r1)"), value("sent(s3)")), (None, None), "there is none");
    }

    #[test]
    fn handovers_are_those_of_a_place() {
        let places = ["first-handover(boston)", "first-handover(berkeley)"];
        assert_eq!(places.map(value), [Some(3.5), None], "one that never goes over has none");
    }

    #[test]
    fn what_is_no_metric_is_said() {
        for text in ["sack-left(s1)", "sack-left(s1: 0)", "sack-offset(s1: A)"] {
            assert_eq!(MetricName::try_from(text.to_owned()), Err(format!("{text:?} is no metric")));
        }
        for text in ["sents", "sent(s1", "ratio(sent s1 / s2)", "ratio(sent: s1)", "deviation(queue)", "speed(s1)"] {
            assert_eq!(MetricName::try_from(text.to_owned()), Err(format!("{text:?} is no metric")));
        }
    }
}
