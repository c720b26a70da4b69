//! What came out under one seed, as the document says it.

#![allow(missing_docs)] // The names of the fields are the keys of the document, and say what they are.

use std::collections::BTreeMap;

use ackclock::measure::{self, Expression, Period};
use ackclock::record::{
    Drops, ExchangesRecord, FlowCounts, FlowRecord, LinkLosses, LinkRecord, LinkVcRecord, PortCounts, PortRecord,
    PortTallies, Records, UdpCounts, UdpRecord, VcRecord,
};
use ackclock::scenario::Scenario;
use ackclock::units::Span;
use serde::{Deserialize, Serialize};

use crate::flows::parts::PartFiles;

use super::abr::{self, Abr, Rates};
use super::delays::Delays;
use super::feedback::{self, Feedback, MaxMin};
use super::keyed::{Keyed, Known, known};
use super::limited::Limited;
use super::live::LiveRun;

/// The outcome under one seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub seed: u64,
    pub simulated_s: f64,
    pub efficiency: Option<f64>,
    pub efficiency_after_warmup: Option<f64>,
    /// `null` where no flow has any goodput.
    pub fairness: Option<f64>,
    /// `null` without a warm-up, and for a run that ended before; so are all parts `after_warmup`.
    #[serde(default)]
    pub fairness_after_warmup: Option<f64>,
    /// Sixteen hexadecimal digits over everything observable.
    pub fingerprint: String,
    /// There only of a run on the TCP of a kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveRun>,
    /// Of each measure that was asked for its value over the time after the warm-up; `null` where it has none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub measures: BTreeMap<String, Option<f64>>,
    /// The files with flows, sources of datagrams, ports and links, where these are too many to be here.
    #[serde(default, skip_serializing_if = "PartFiles::is_empty")]
    pub parts: PartFiles,
    pub flows: Vec<Flow>,
    /// Sources of datagrams.
    #[serde(default)]
    pub udp: Vec<Udp>,
    pub ports: Vec<Port>,
    /// Links that change or corrupt packets.
    #[serde(default)]
    pub links: Vec<Link>,
}

/// What one flow did. Here and below, names are texts of their own, or those of the records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flow<N = String> {
    pub name: N,
    pub goodput_bps: f64,
    pub goodput_after_warmup_bps: Option<f64>,
    #[serde(flatten)]
    pub counts: Keyed<FlowCounts>,
    pub timeout_times_s: Vec<f64>,
    pub longest_backoff: u32,
    pub completed_s: Option<f64>,
    /// From the sender to the receiver; there only if the scenario asks for delays, as are the next ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_way_delay: Option<Delays>,
    /// As TCP measures it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_trip: Option<Delays>,
    /// What was exchanged, and from a request to its whole response: by the flow of the requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchanges: Option<Exchanges>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Delays>,
    /// There only of flows of the service ABR.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abr: Option<Abr>,
    /// There only of flows of TCP where some port tells senders rates and no route changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_min: Option<MaxMin>,
    /// What kept the sender from sending more, as shares of its time; not there of a flow that was never open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited: Option<Limited>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited_after_warmup: Option<Limited>,
    #[serde(default)]
    pub after_warmup: Option<Keyed<FlowCounts>>,
}

/// What a client and a server exchanged on one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchanges {
    pub requests: u64,
    pub completed: u64,
    pub request_bytes: u64,
    pub response_bytes: u64,
}

/// What one source of datagrams sent, and what of it arrived.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Udp<N = String> {
    pub name: N,
    pub goodput_bps: f64,
    #[serde(flatten)]
    pub counts: Keyed<UdpCounts>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_way_delay: Option<Delays>,
    /// RFC 3550 §6.4.1, after each arrival.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<Delays>,
    /// Of datagrams that come back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_trip: Option<Delays>,
    #[serde(default)]
    pub after_warmup: Option<UdpAfterWarmup>,
}

/// What one source of datagrams did after the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UdpAfterWarmup {
    pub goodput_bps: f64,
    #[serde(flatten)]
    pub counts: Keyed<UdpCounts>,
}

/// What happened at one output port. Counted in the scenario's unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Port<N = String> {
    pub name: N,
    pub arrivals: u64,
    pub departures: u64,
    pub drops: DropCounts,
    #[serde(flatten)]
    pub tallies: Known<PortTallies<Option<u64>>>,
    pub mean_queue: f64,
    pub max_queue: u64,
    pub final_queue: u64,
    /// Time-weighted mean number of connections with something waiting.
    pub mean_active: f64,
    /// `null` for a policy without a threshold.
    pub congestion_episodes: Option<u64>,
    /// There only where the port has a rate algorithm and ABR connections cross it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rates: Option<Rates>,
    /// There only where the port tells TCP senders rates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<Feedback>,
    /// How long units waited; not where none can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sojourn: Option<Delays>,
    #[serde(default)]
    pub after_warmup: Option<PortAfterWarmup>,
    pub vcs: Vec<Vc<N>>,
}

/// What happened at one port after the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortAfterWarmup {
    pub arrivals: u64,
    pub departures: u64,
    pub drops: DropCounts,
    #[serde(flatten)]
    pub tallies: Known<PortTallies<Option<u64>>>,
    pub mean_queue: f64,
    /// There only where the port has [`Port::rates`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marked_cells: Option<u64>,
}

/// Refused units by reason.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(serialize = "T: Serialize", deserialize = "T: Deserialize<'de> + Default"))]
pub struct DropCounts<T = u64> {
    pub total: T,
    #[serde(flatten)]
    pub by_reason: Keyed<Drops<T>>,
}

/// What one direction of a link lost, of packets that its port did not refuse.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link<N = String> {
    pub name: N,
    #[serde(flatten)]
    pub lost: Keyed<LinkLosses>,
    #[serde(default)]
    pub after_warmup: Option<Keyed<LinkLosses>>,
    pub vcs: Vec<LinkVc<N>>,
}

/// What one path lost on one link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkVc<N = String> {
    pub name: N,
    #[serde(flatten)]
    pub lost: Keyed<LinkLosses>,
}

/// One path through one port.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vc<N = String> {
    pub name: N,
    pub arrivals: u64,
    pub departures: u64,
    pub drops: u64,
    pub mean_queue: f64,
    pub max_queue: u64,
    pub final_queue: u64,
}

impl Run {
    /// Jain's index of the mean ACR of ABR flows, each over its max-min share. Without any, that of the goodput of flows of TCP in
    /// parts of the goodput at their max-min shares; `None` where these are not known.
    pub fn weighted_fairness(&self) -> Option<f64> {
        let of_tcp = self.flows.iter().filter_map(|flow| Some((flow.goodput_bps, flow.max_min?)));
        let of_abr = abr::weighted_fairness(self.flows.iter().filter_map(|flow| flow.abr.as_ref()));
        of_abr.or_else(|| feedback::weighted_fairness(of_tcp))
    }

    /// Payload bits per second of datagrams that arrived; `None` without sources of datagrams.
    pub fn udp_goodput_bps(&self) -> Option<f64> {
        (!self.udp.is_empty()).then(|| self.udp.iter().map(|source| source.goodput_bps).sum())
    }

    /// Of all datagrams sent, the share that was lost; `None` if none was sent.
    pub fn udp_loss(&self) -> Option<f64> {
        let sent: u64 = self.udp.iter().map(|source| source.counts.sent).sum();
        let lost: u64 = self.udp.iter().map(|source| source.counts.lost).sum();
        (sent > 0).then(|| lost as f64 / sent as f64)
    }

    /// Packets that links lost after their ports accepted them; `None` without links that can lose any.
    pub fn lost_on_links(&self) -> Option<f64> {
        let lost = || self.links.iter().map(|link| link.lost.total()).sum::<u64>();
        (!self.links.is_empty()).then(|| lost() as f64)
    }
}

impl Run {
    /// The same run as if no delays had been counted.
    pub fn without_delays(mut self) -> Run {
        for flow in &mut self.flows {
            (flow.one_way_delay, flow.round_trip) = (None, None);
        }
        for source in &mut self.udp {
            (source.one_way_delay, source.jitter) = (None, None);
        }
        for port in &mut self.ports {
            port.sojourn = None;
        }
        self
    }

    /// The same run with these measures of what it left behind.
    pub fn measured(mut self, measures: &[Expression], scenario: &Scenario, records: &Records) -> Run {
        let run = measure::Run::new(scenario, records, Period::Measured);
        self.measures = measures.iter().map(|measure| (measure.text().to_owned(), measure.value(&run))).collect();
        self
    }
}

impl From<&Records> for Run {
    fn from(records: &Records) -> Run {
        Run {
            flows: flows(records).collect(),
            udp: udp(records).collect(),
            ports: ports(records).collect(),
            links: links(records).collect(),
            ..Run::together(records)
        }
    }
}

impl Run {
    /// What a run says of all its flows together, without its parts.
    pub fn together(records: &Records) -> Run {
        Run {
            seed: records.seed,
            simulated_s: records.simulated.as_secs_f64(),
            efficiency: records.efficiency,
            efficiency_after_warmup: records.efficiency_after_warmup,
            fairness: records.fairness,
            fairness_after_warmup: records.after_warmup.as_ref().and_then(|rest| rest.fairness),
            fingerprint: format!("{:016x}", records.fingerprint),
            live: None,
            measures: BTreeMap::new(),
            parts: PartFiles::new(),
            flows: Vec::new(),
            udp: Vec::new(),
            ports: Vec::new(),
            links: Vec::new(),
        }
    }

    /// The run with its parts, of which ports and links leave out what each connection did there. Records go as they are taken over: of
    /// many flows both together would not fit into memory.
    pub fn with_parts(self, mut records: Records) -> Run {
        let mut names = Vec::with_capacity(records.ports.len());
        for port in &mut records.ports {
            port.vcs = Vec::new();
            names.push(std::mem::take(&mut port.name));
        }
        records.links.iter_mut().for_each(|link| link.vcs = Vec::new());
        let ports = ports(&records).zip(names).map(|(port, name)| Port { name, ..port }).collect();
        let links = links(&records).collect();
        (records.links, records.ports) = (Vec::new(), Vec::new());
        let names: Vec<String> = records.flows.iter_mut().map(|flow| std::mem::take(&mut flow.name)).collect();
        let flows = flows(&records).zip(names).map(|(flow, name)| Flow { name, ..flow }).collect();
        Run { flows, udp: udp(&records).collect(), ports, links, ..self }
    }
}

/// The flows of a run, one after the other.
pub(crate) fn flows<'a, N: From<&'a str>>(records: &'a Records) -> impl ExactSizeIterator<Item = Flow<N>> {
    let rest = records.after_warmup.as_ref();
    records.flows.iter().enumerate().map(move |(number, record)| {
        let mut flow = Flow::from(record);
        let Some(rest) = rest else { return flow };
        flow.after_warmup = rest.flows.get(number).copied().map(Keyed);
        flow.limited_after_warmup = rest.limited.get(number).and_then(Limited::of);
        if let (Some(abr), Some(Some(counts))) = (&mut flow.abr, rest.abr.get(number)) {
            abr.after_warmup = Some(Keyed(*counts));
        }
        flow
    })
}

/// The sources of datagrams of a run.
pub(crate) fn udp<'a, N: From<&'a str>>(records: &'a Records) -> impl ExactSizeIterator<Item = Udp<N>> {
    let rest = records.after_warmup.as_ref();
    records.udp.iter().enumerate().map(move |(number, record)| Udp {
        after_warmup: rest.and_then(|rest| Some(UdpAfterWarmup::of(*rest.udp.get(number)?, rest.time))),
        ..Udp::from(record)
    })
}

/// The ports of a run.
pub(crate) fn ports<'a, N: From<&'a str>>(records: &'a Records) -> impl ExactSizeIterator<Item = Port<N>> {
    let rest = records.after_warmup.as_ref();
    records.ports.iter().enumerate().map(move |(number, record)| Port {
        after_warmup: rest.and_then(|rest| rest.ports.get(number)).map(PortAfterWarmup::from),
        ..Port::from(record)
    })
}

/// The links of a run.
pub(crate) fn links<'a, N: From<&'a str>>(records: &'a Records) -> impl ExactSizeIterator<Item = Link<N>> {
    let rest = records.after_warmup.as_ref();
    records.links.iter().enumerate().map(move |(number, record)| Link {
        after_warmup: rest.and_then(|rest| rest.links.get(number)).copied().map(Keyed),
        ..Link::from(record)
    })
}

impl UdpAfterWarmup {
    fn of(counts: UdpCounts, time: Span) -> UdpAfterWarmup {
        UdpAfterWarmup { goodput_bps: counts.bytes_delivered as f64 * 8.0 / time.as_secs_f64(), counts: Keyed(counts) }
    }
}

impl From<&PortCounts> for PortAfterWarmup {
    fn from(counts: &PortCounts) -> PortAfterWarmup {
        let PortCounts { arrivals, departures, drops, tallies, mean_queue, marked_cells } = *counts;
        let (drops, tallies) = (drops.into(), known(&tallies));
        PortAfterWarmup { arrivals, departures, drops, tallies, mean_queue, marked_cells }
    }
}

impl<'a, N: From<&'a str>> From<&'a FlowRecord> for Flow<N> {
    fn from(flow: &'a FlowRecord) -> Flow<N> {
        Flow {
            name: N::from(&flow.name),
            goodput_bps: flow.goodput_bps,
            goodput_after_warmup_bps: flow.goodput_after_warmup_bps,
            counts: Keyed(flow.counts),
            timeout_times_s: flow.timeout_times.iter().map(|time| time.as_secs_f64()).collect(),
            longest_backoff: flow.longest_backoff,
            completed_s: flow.completed.map(|time| time.as_secs_f64()),
            one_way_delay: flow.delays.as_ref().map(|delays| Delays::from(&delays.one_way)),
            round_trip: flow.delays.as_ref().map(|delays| Delays::from(&delays.round_trip)),
            exchanges: flow.exchanges.as_deref().map(Exchanges::from),
            exchange: flow.exchanges.as_ref().map(|exchanges| Delays::from(&exchanges.times)),
            abr: flow.abr.as_ref().map(Abr::from),
            max_min: flow.max_min.as_ref().map(MaxMin::from),
            limited: Limited::of(&flow.limited),
            limited_after_warmup: None,
            after_warmup: None,
        }
    }
}

impl From<&ExchangesRecord> for Exchanges {
    fn from(record: &ExchangesRecord) -> Exchanges {
        let &ExchangesRecord { requests, completed, request_bytes, response_bytes, .. } = record;
        Exchanges { requests, completed, request_bytes, response_bytes }
    }
}

impl<'a, N: From<&'a str>> From<&'a UdpRecord> for Udp<N> {
    fn from(source: &'a UdpRecord) -> Udp<N> {
        Udp {
            name: N::from(&source.name),
            goodput_bps: source.goodput_bps,
            counts: Keyed(source.counts),
            one_way_delay: source.delays.as_ref().map(|delays| Delays::from(&delays.one_way)),
            jitter: source.delays.as_ref().map(|delays| Delays::from(&delays.jitter)),
            round_trip: source.round_trips.as_deref().map(Delays::from),
            after_warmup: None,
        }
    }
}

impl<'a, N: From<&'a str>> From<&'a PortRecord> for Port<N> {
    fn from(port: &'a PortRecord) -> Port<N> {
        Port {
            name: N::from(&port.name),
            arrivals: port.arrivals,
            departures: port.departures,
            drops: port.drops.into(),
            tallies: known(&port.tallies),
            mean_queue: port.mean_queue,
            max_queue: port.max_queue,
            final_queue: port.final_queue,
            mean_active: port.mean_active,
            congestion_episodes: port.congestion_episodes,
            rates: port.rates.as_ref().map(Rates::from),
            feedback: port.feedback.as_ref().map(Feedback::from),
            sojourn: port.sojourn.as_deref().map(Delays::from),
            after_warmup: None,
            vcs: port.vcs.iter().map(Vc::from).collect(),
        }
    }
}

impl From<Drops> for DropCounts {
    fn from(drops: Drops) -> DropCounts {
        DropCounts { total: drops.total(), by_reason: Keyed(drops) }
    }
}

impl<'a, N: From<&'a str>> From<&'a LinkRecord> for Link<N> {
    fn from(link: &'a LinkRecord) -> Link<N> {
        let vc = |vc: &'a LinkVcRecord| LinkVc { name: N::from(&vc.name), lost: Keyed(vc.lost) };
        let vcs = link.vcs.iter().map(vc).collect();
        Link { name: N::from(&link.name), lost: Keyed(link.lost), after_warmup: None, vcs }
    }
}

impl<'a, N: From<&'a str>> From<&'a VcRecord> for Vc<N> {
    fn from(vc: &'a VcRecord) -> Vc<N> {
        Vc {
            name: N::from(&vc.name),
            arrivals: vc.arrivals,
            departures: vc.departures,
            drops: vc.drops,
            mean_queue: vc.mean_queue,
            max_queue: vc.max_queue,
            final_queue: vc.final_queue,
        }
    }
}
