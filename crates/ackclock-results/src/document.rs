//! The one JSON document: what `run --json` prints and `result.json` holds.
//! Keys are stable within a format version; units are in their names; nothing depends on when or where it was made.

#![allow(missing_docs)] // The names of the fields are the keys of the document, and say what they are.

use std::io::{self, BufWriter, IntoInnerError, Write};

use ackclock::record::{
    DatagramCounts, DatagramRecord, Drops, FlowCounts, FlowRecord, LinkLosses, LinkRecord, LinkVcRecord, PortCounts,
    PortRecord, Records, VcRecord,
};
use ackclock::scenario::{Scenario, Technology};
use ackclock::sim::RESULT_VERSION;
use ackclock::units::Span;
use ackclock_store::seal::Sealing;
use serde::{Deserialize, Serialize};

use crate::delays::Delays;
use crate::events::EventPart;
use crate::keyed::Keyed;
use crate::lines;
use crate::summary::SummaryPart;

/// The value of `format`, by which a result is recognized.
pub const FORMAT: &str = "ackclock-result";
/// The number that changes whenever a reader of the document would have to.
pub const FORMAT_VERSION: u32 = 2;

/// What ports of ATM networks count.
const CELLS: &str = "cells";
/// Members of a run are on lines of their own, and what is below them, as each flow and port, on one line.
const DEPTH: usize = 4;

/// One scenario, run under some seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    pub format: String,
    pub format_version: u32,
    /// The version of the program.
    pub ackclock: String,
    /// Changes whenever any run could give other numbers.
    pub result_version: u32,
    /// The command line, beginning with the program's name.
    pub command: Vec<String>,
    pub scenario: ScenarioPart,
    /// The seeds that were asked for.
    pub seeds: Vec<u64>,
    /// Whether all of them were run to the end.
    pub complete: bool,
    /// One entry per finished run, in the order of the seeds.
    pub runs: Vec<Run>,
    pub summary: SummaryPart,
}

/// What was simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenarioPart {
    pub name: String,
    /// BLAKE3 of the resolved scenario, in hexadecimal digits.
    pub hash: String,
    /// What ports count: `cells` or `packets`.
    pub unit: String,
    pub duration_s: f64,
    pub warmup_s: f64,
    /// What efficiency refers to.
    pub bottleneck: Option<BottleneckPart>,
    /// What happens to the network: handovers of terminals, links between satellites, ways. In order of time.
    #[serde(default)]
    pub events: Vec<EventPart>,
    /// The scenario file with every key written out.
    pub resolved: String,
}

/// The link that limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BottleneckPart {
    pub link: String,
    /// TCP payload that counts as an efficiency of 1.
    pub capacity_bps: f64,
}

/// The outcome under one seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub seed: u64,
    pub simulated_s: f64,
    pub efficiency: Option<f64>,
    pub efficiency_after_warmup: Option<f64>,
    pub fairness: f64,
    /// `null` without a warm-up, and for a run that ended before; so are all parts `after_warmup`.
    #[serde(default)]
    pub fairness_after_warmup: Option<f64>,
    /// Sixteen hexadecimal digits over everything observable.
    pub fingerprint: String,
    pub flows: Vec<Flow>,
    /// Sources of datagrams.
    #[serde(default)]
    pub udp: Vec<Udp>,
    pub ports: Vec<Port>,
    /// Links that change or corrupt packets.
    #[serde(default)]
    pub links: Vec<Link>,
}

/// What one flow did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    pub name: String,
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
    #[serde(default)]
    pub after_warmup: Option<Keyed<FlowCounts>>,
}

/// What one source of datagrams sent, and what of it arrived.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Udp {
    pub name: String,
    pub goodput_bps: f64,
    #[serde(flatten)]
    pub counts: Keyed<DatagramCounts>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_way_delay: Option<Delays>,
    /// RFC 3550 §6.4.1, after each arrival.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<Delays>,
    #[serde(default)]
    pub after_warmup: Option<UdpAfterWarmup>,
}

/// What one source of datagrams did after the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UdpAfterWarmup {
    pub goodput_bps: f64,
    #[serde(flatten)]
    pub counts: Keyed<DatagramCounts>,
}

/// What happened at one output port. Counted in the scenario's unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Port {
    pub name: String,
    pub arrivals: u64,
    pub departures: u64,
    pub drops: DropCounts,
    pub mean_queue: f64,
    pub max_queue: u64,
    pub final_queue: u64,
    /// Time-weighted mean number of connections with something waiting.
    pub mean_active: f64,
    /// `null` for a policy without a threshold.
    pub congestion_episodes: Option<u64>,
    /// How long units waited; not where none can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sojourn: Option<Delays>,
    #[serde(default)]
    pub after_warmup: Option<PortAfterWarmup>,
    pub vcs: Vec<Vc>,
}

/// What happened at one port after the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortAfterWarmup {
    pub arrivals: u64,
    pub departures: u64,
    pub drops: DropCounts,
    pub mean_queue: f64,
}

/// Refused units by reason.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(serialize = "T: Serialize", deserialize = "T: Deserialize<'de>"))]
pub struct DropCounts<T = u64> {
    pub total: T,
    #[serde(flatten)]
    pub by_reason: Keyed<Drops<T>>,
}

/// What one direction of a link lost, of packets that its port did not refuse.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    pub name: String,
    #[serde(flatten)]
    pub lost: Keyed<LinkLosses>,
    #[serde(default)]
    pub after_warmup: Option<Keyed<LinkLosses>>,
    pub vcs: Vec<LinkVc>,
}

/// What one path lost on one link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkVc {
    pub name: String,
    #[serde(flatten)]
    pub lost: Keyed<LinkLosses>,
}

/// One path through one port.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vc {
    pub name: String,
    pub arrivals: u64,
    pub departures: u64,
    pub drops: u64,
    pub mean_queue: f64,
    pub max_queue: u64,
    pub final_queue: u64,
}

impl Document {
    /// Puts together what was asked for and what came out. `runs` are in the order of the seeds.
    pub fn new(command: Vec<String>, scenario: ScenarioPart, seeds: Vec<u64>, runs: Vec<Run>) -> Document {
        Document {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
            ackclock: env!("CARGO_PKG_VERSION").into(),
            result_version: RESULT_VERSION,
            command,
            scenario,
            complete: runs.len() == seeds.len(),
            seeds,
            summary: SummaryPart::of(&runs),
            runs,
        }
    }

    /// Whether ports count cells, so that they know of frames.
    pub fn counts_cells(&self) -> bool {
        self.scenario.unit == CELLS
    }

    /// Whether a scenario of this hash, run now, would give the same runs under the same seeds.
    pub fn same_experiment(&self, scenario_hash: &str) -> bool {
        self.scenario.hash == scenario_hash
            && self.result_version == RESULT_VERSION
            && self.ackclock == env!("CARGO_PKG_VERSION")
    }

    /// The text of the document, ending in a line feed.
    pub fn to_json(&self) -> String {
        let mut text = Vec::new();
        self.write_json(&mut text).expect("memory can be written to");
        String::from_utf8(text).expect("JSON is UTF-8")
    }

    /// Writes the same text, piece by piece: of many flows it is long. Its last member is the checksum of all before.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        // JSON comes in pieces of a few octets, which cost a checksum more than they are long.
        let mut out = BufWriter::with_capacity(1 << 16, Sealing::new(out));
        lines::write(&mut out, self, DEPTH)?;
        out.into_inner().map_err(IntoInnerError::into_error)?.finish().map(drop)
    }

    /// Reads a document; `None` for any other text.
    pub fn from_json(text: &str) -> Option<Document> {
        serde_json::from_str(text).ok().filter(|d: &Document| d.format == FORMAT && d.format_version == FORMAT_VERSION)
    }
}

impl ScenarioPart {
    /// The description of a scenario whose resolved text is `resolved`.
    pub fn of(scenario: &Scenario, resolved: String) -> ScenarioPart {
        ScenarioPart {
            name: scenario.name.clone(),
            hash: blake3::hash(resolved.as_bytes()).to_hex().to_string(),
            unit: match scenario.technology {
                Technology::Atm { .. } => CELLS.into(),
                Technology::Packet { .. } => "packets".into(),
            },
            duration_s: scenario.duration.as_secs_f64(),
            warmup_s: scenario.warmup.as_secs_f64(),
            bottleneck: scenario.bottleneck.as_ref().map(|bottleneck| BottleneckPart {
                link: scenario.links[bottleneck.link].name.clone(),
                capacity_bps: bottleneck.capacity_bps,
            }),
            events: scenario.events.iter().map(EventPart::from).collect(),
            resolved,
        }
    }
}

impl Run {
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

impl From<&Records> for Run {
    fn from(records: &Records) -> Run {
        let mut run = Run {
            seed: records.seed,
            simulated_s: records.simulated.as_secs_f64(),
            efficiency: records.efficiency,
            efficiency_after_warmup: records.efficiency_after_warmup,
            fairness: records.fairness,
            fairness_after_warmup: records.after_warmup.as_ref().map(|rest| rest.fairness),
            fingerprint: format!("{:016x}", records.fingerprint),
            flows: records.flows.iter().map(Flow::from).collect(),
            udp: records.datagrams.iter().map(Udp::from).collect(),
            ports: records.ports.iter().map(Port::from).collect(),
            links: records.links.iter().map(Link::from).collect(),
        };
        if let Some(rest) = &records.after_warmup {
            run.flows.iter_mut().zip(&rest.flows).for_each(|(flow, rest)| flow.after_warmup = Some(Keyed(*rest)));
            for (source, counts) in run.udp.iter_mut().zip(&rest.datagrams) {
                source.after_warmup = Some(UdpAfterWarmup::of(*counts, rest.time));
            }
            run.ports.iter_mut().zip(&rest.ports).for_each(|(port, rest)| port.after_warmup = Some(rest.into()));
            run.links.iter_mut().zip(&rest.links).for_each(|(link, rest)| link.after_warmup = Some(Keyed(*rest)));
        }
        run
    }
}

impl UdpAfterWarmup {
    fn of(counts: DatagramCounts, time: Span) -> UdpAfterWarmup {
        UdpAfterWarmup { goodput_bps: counts.bytes_delivered as f64 * 8.0 / time.as_secs_f64(), counts: Keyed(counts) }
    }
}

impl From<&PortCounts> for PortAfterWarmup {
    fn from(counts: &PortCounts) -> PortAfterWarmup {
        let PortCounts { arrivals, departures, drops, mean_queue } = *counts;
        PortAfterWarmup { arrivals, departures, drops: drops.into(), mean_queue }
    }
}

impl From<&FlowRecord> for Flow {
    fn from(flow: &FlowRecord) -> Flow {
        Flow {
            name: flow.name.clone(),
            goodput_bps: flow.goodput_bps,
            goodput_after_warmup_bps: flow.goodput_after_warmup_bps,
            counts: Keyed(flow.counts),
            timeout_times_s: flow.timeout_times.iter().map(|time| time.as_secs_f64()).collect(),
            longest_backoff: flow.longest_backoff,
            completed_s: flow.completed.map(|time| time.as_secs_f64()),
            one_way_delay: flow.delays.as_ref().map(|delays| Delays::from(&delays.one_way)),
            round_trip: flow.delays.as_ref().map(|delays| Delays::from(&delays.round_trip)),
            after_warmup: None,
        }
    }
}

impl From<&DatagramRecord> for Udp {
    fn from(source: &DatagramRecord) -> Udp {
        Udp {
            name: source.name.clone(),
            goodput_bps: source.goodput_bps,
            counts: Keyed(source.counts),
            one_way_delay: source.delays.as_ref().map(|delays| Delays::from(&delays.one_way)),
            jitter: source.delays.as_ref().map(|delays| Delays::from(&delays.jitter)),
            after_warmup: None,
        }
    }
}

impl From<&PortRecord> for Port {
    fn from(port: &PortRecord) -> Port {
        Port {
            name: port.name.clone(),
            arrivals: port.arrivals,
            departures: port.departures,
            drops: port.drops.into(),
            mean_queue: port.mean_queue,
            max_queue: port.max_queue,
            final_queue: port.final_queue,
            mean_active: port.mean_active,
            congestion_episodes: port.congestion_episodes,
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

impl From<&LinkRecord> for Link {
    fn from(link: &LinkRecord) -> Link {
        let vc = |vc: &LinkVcRecord| LinkVc { name: vc.name.clone(), lost: Keyed(vc.lost) };
        let vcs = link.vcs.iter().map(vc).collect();
        Link { name: link.name.clone(), lost: Keyed(link.lost), after_warmup: None, vcs }
    }
}

impl From<&VcRecord> for Vc {
    fn from(vc: &VcRecord) -> Vc {
        Vc {
            name: vc.name.clone(),
            arrivals: vc.arrivals,
            departures: vc.departures,
            drops: vc.drops,
            mean_queue: vc.mean_queue,
            max_queue: vc.max_queue,
            final_queue: vc.final_queue,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;

    #[test]
    fn a_document_survives_being_written_and_read_to_the_last_bit() {
        let document = example(3, 2, 7);
        assert_eq!(Document::from_json(&document.to_json()), Some(document));
    }

    #[test]
    fn documents_of_others_are_not_taken_for_ours() {
        let other = example(1, 1, 1).to_json().replace(FORMAT, "something-else");
        assert_eq!(Document::from_json(&other), None);
        assert_eq!(Document::from_json("{}"), None);
    }

    #[test]
    fn efficiency_is_null_where_no_bottleneck_is_named() {
        let mut runs = example(1, 1, 2).runs;
        runs.iter_mut().for_each(|run| run.efficiency = None);
        assert_eq!(SummaryPart::of(&runs).efficiency, None);
    }

    #[test]
    fn the_summary_is_taken_over_the_seeds() {
        // Flow 1 delivers 1.1, 1.2 and 1.3 Mb/s.
        let goodput = example(2, 1, 3).summary.flows[0].goodput_bps;
        assert!((goodput.mean - 1.2e6).abs() < 1e-3);
        assert_eq!((goodput.min, goodput.max), (1.1e6, 1.3e6));
        // Sample standard deviation 0.1 Mb/s, t = 4.30265: 4.30265 · 0.1 / sqrt 3 = 0.248414 Mb/s
        assert!((goodput.ci95.unwrap() - 248_414.0).abs() < 1.0);
    }
}
