//! What is kept of a run for the metrics of a study.

use std::collections::BTreeMap;

use ackclock::packet::{IP_HEADER_BYTES, TCP_HEADER_BYTES};
use ackclock::record::{self, FlowRecord, Records};
use ackclock::scenario::{Event, EventKind, Flow, Route, Scenario, Technology};
use ackclock::tcp::FirstSegment;
use ackclock::units::{CELL_BITS, Span, Time};
use serde::{Deserialize, Serialize};

use super::abr::{AbrSettings, acr_by_formulas};
use super::flow_history::FlowHistory;
use super::plateaus::Plateaus;
use super::port_history::PortHistory;
use super::rate_control::RateControlSettings;
use super::rate_control::checksums::Checksums;
use super::rate_control::told_windows::ToldWindows;
use super::sack::LastSack;
use super::timeouts::Timeouts;

/// Raised whenever something is added to [`Measurement`] or computed in another way: runs that were kept before lack it, and are made
/// again.
pub(crate) const MEASUREMENT_VERSION: u32 = 4;

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
    /// Payload delivered in order after the warm-up, bits per second.
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
    /// Payload of a file delivered from the start of its flow until the last byte was, or until the end of a run that ended before,
    /// bits per second; `None` of a flow without end.
    #[serde(default)]
    pub transfer_bps: Vec<Option<f64>>,
    /// What waits at ports: cells or packets.
    #[serde(default)]
    pub queue_unit: String,
    /// Units refused by all ports; segments lost on purpose are not among them.
    pub drops: u64,
    /// The time-weighted mean of what waited at each port, by its name.
    pub mean_queue: BTreeMap<String, f64>,
    /// The most that waited at each port, by its name.
    #[serde(default)]
    pub largest_queue: BTreeMap<String, u64>,
    /// The most acknowledgements that ever waited in the buckets of each port that has them, by its name.
    #[serde(default)]
    pub most_acks_waiting: BTreeMap<String, u64>,
    /// Units that arrived at each port, and those of them that it refused, by its name.
    #[serde(default)]
    pub arrivals: BTreeMap<String, u64>,
    #[serde(default)]
    pub refused: BTreeMap<String, u64>,
    /// Of what arrived after the warm-up the share that the port refused, by its name; empty without a warm-up.
    #[serde(default)]
    pub refused_after_warmup: BTreeMap<String, f64>,
    /// The share of the changes of ACR that are those of the source's formulas, where it is recorded and no switch sets rates.
    #[serde(default)]
    pub acr_by_formulas: Option<f64>,
    /// What the scenario says of ABR, if its first flow has that service.
    #[serde(default)]
    pub abr: Option<AbrSettings>,
    /// What the scenario says of rate control of TCP, if the bottleneck does that.
    #[serde(default)]
    pub rate_control: Option<RateControlSettings>,
    /// The delays of all links of the path of each flow, there and back, seconds; not of routes that change.
    #[serde(default)]
    pub propagation_round_trip: Vec<Option<f64>>,
    /// The max-min share of each flow of TCP where ports give it rates, bits per second on the wire.
    #[serde(default)]
    pub max_min_share_bps: Vec<Option<f64>>,
    /// Payload that each such flow would get after the warm-up at its share, bits per second.
    #[serde(default)]
    pub goodput_at_share_bps: Vec<Option<f64>>,
    /// How the window of each flow grows in spurts, where it is recorded.
    #[serde(default)]
    pub plateaus: Vec<Option<Plateaus>>,
    /// The windows that each flow is told by a packet router, where they are recorded.
    #[serde(default)]
    pub told_windows: Vec<Option<ToldWindows>>,
    /// Checksums of acknowledgements that routers have changed, where they are captured at both ends.
    #[serde(default)]
    pub checksums: Option<Checksums>,
    /// The mean of ACR of each flow after the warm-up, as a part of its max-min share of whole links; empty unless all are of ABR.
    #[serde(default)]
    pub rate_of_share: Vec<f64>,
    /// The round trips of each flow, where the scenario records delays.
    #[serde(default)]
    pub round_trips: Vec<RoundTrips>,
    /// 95th percentile of the one-way delays of segments, seconds, where delays are recorded and any segment arrived.
    #[serde(default)]
    pub one_way_p95: Vec<Option<f64>>,
    /// Of ABR flows the mean rate that the network allowed after the warm-up, bits per second with cell headers.
    #[serde(default)]
    pub mean_acr_bps: Vec<Option<f64>>,
    /// Its timeouts one by one, where the scenario records what is sent and acknowledged.
    #[serde(default)]
    pub timeouts: Timeouts,
    /// How each flow went on, where the scenario records throughput and cwnd.
    #[serde(default, alias = "course")]
    pub history: Vec<FlowHistory>,
    /// How each port that several paths share went on, by its name, where the scenario records its queue and its utilisation.
    #[serde(default)]
    pub port_history: BTreeMap<String, PortHistory>,
    /// When a place first went over to another satellite, seconds, by its name.
    #[serde(default)]
    pub first_handover: BTreeMap<String, f64>,
}

/// The round trips of a flow, seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RoundTrips {
    pub longest: f64,
    #[serde(default)]
    pub mean: Option<f64>,
    /// The 95th percentile less the 5th.
    pub spread: f64,
    /// The standard deviation; 0 of a single one.
    pub deviation: f64,
}

fn one_way_p95(flow: &FlowRecord) -> Option<f64> {
    flow.delays.as_ref()?.one_way.quantile(950).map(Span::as_secs_f64)
}

impl RoundTrips {
    /// Of a flow of which delays are recorded and some round trip was measured.
    fn of(flow: &FlowRecord) -> Option<RoundTrips> {
        let histogram = &flow.delays.as_ref()?.round_trip;
        let quantile = |per_mille| histogram.quantile(per_mille).map(Span::as_secs_f64);
        let longest = histogram.max()?.as_secs_f64();
        let deviation = histogram.deviation_s().unwrap_or(0.0);
        Some(RoundTrips { longest, mean: histogram.mean_s(), spread: quantile(950)? - quantile(50)?, deviation })
    }
}

impl Measurement {
    /// Of a run of this scenario.
    pub fn of(records: &Records, scenario: &Scenario) -> Measurement {
        let flows = &records.flows;
        let end = Time::ZERO + records.simulated;
        let history = scenario.flows.iter().map(|flow| FlowHistory::of(&flow.name, flow.tcp.mss, &records.series, end));
        let port_history = records
            .ports
            .iter()
            .filter(|port| port.vcs.len() > 1)
            .filter_map(|port| Some((port.name.clone(), PortHistory::of(&port.name, &records.series)?)));
        let rate_of_share = flows.iter().map(|flow| flow.abr.map(|abr| abr.mean_acr / abr.max_min_share));
        let round_trips: Vec<Option<Span>> = scenario.flows.iter().map(|flow| propagation(scenario, flow)).collect();
        let ticks: Vec<Span> = scenario.flows.iter().map(|flow| flow.tcp.timer.granularity).collect();
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
            transfer_bps: flows
                .iter()
                .zip(scenario.flows.iter())
                .map(|(flow, of)| transfer_bps(flow, of, records.seed, end))
                .collect(),
            queue_unit: match scenario.technology {
                Technology::Atm { .. } => "cells".into(),
                Technology::Packet { .. } => "packets".into(),
            },
            drops: records.ports.iter().map(|port| port.drops.total()).sum(),
            mean_queue: records.ports.iter().map(|port| (port.name.clone(), port.mean_queue)).collect(),
            largest_queue: records.ports.iter().map(|port| (port.name.clone(), port.max_queue)).collect(),
            most_acks_waiting: records
                .ports
                .iter()
                .filter_map(|port| Some((port.name.clone(), port.feedback.as_ref()?.most_acks_waiting)))
                .collect(),
            arrivals: records.ports.iter().map(|port| (port.name.clone(), port.arrivals)).collect(),
            refused: records.ports.iter().map(|port| (port.name.clone(), port.drops.total())).collect(),
            refused_after_warmup: refused_after_warmup(records),
            acr_by_formulas: acr_by_formulas(scenario, &records.series),
            abr: AbrSettings::of(scenario),
            rate_control: RateControlSettings::of(scenario),
            propagation_round_trip: round_trips.iter().map(|time| Some((*time)?.as_secs_f64())).collect(),
            max_min_share_bps: flows.iter().map(|flow| Some(flow.max_min?.wire_bps)).collect(),
            goodput_at_share_bps: flows.iter().map(|flow| Some(flow.max_min?.payload_bps)).collect(),
            told_windows: scenario.flows.iter().map(|flow| ToldWindows::of(flow, scenario, &records.series)).collect(),
            checksums: Checksums::of(records, scenario),
            plateaus: scenario
                .flows
                .iter()
                .zip(&round_trips)
                .map(|(flow, time)| Plateaus::of(&flow.name, (*time)?, &records.series, end))
                .collect(),
            rate_of_share: rate_of_share.collect::<Option<Vec<f64>>>().unwrap_or_default(),
            round_trips: flows.iter().map(RoundTrips::of).collect::<Option<Vec<RoundTrips>>>().unwrap_or_default(),
            one_way_p95: flows.iter().map(one_way_p95).collect(),
            mean_acr_bps: flows.iter().map(|flow| Some(flow.abr.as_ref()?.mean_acr * CELL_BITS as f64)).collect(),
            timeouts: Timeouts::of(flows, &records.series, &ticks),
            history: history.collect::<Option<Vec<FlowHistory>>>().unwrap_or_default(),
            port_history: port_history.collect(),
            // The earliest is the last that is put in.
            first_handover: handovers(scenario).rev().map(|(time, place)| (place.into(), time.as_secs_f64())).collect(),
        }
    }

    /// Bits per second that a flow sent from its start to the end of the run, retransmissions included.
    pub fn sent_bps(&self, flow: usize) -> f64 {
        self.rate(flow, self.bytes_sent[flow])
    }

    /// So many bytes, as bits per second of the time from the start of a flow to the end of the run.
    pub fn rate(&self, flow: usize, bytes: u64) -> f64 {
        bytes as f64 * 8.0 / (self.seconds - self.start[flow])
    }
}

/// When places go over to another satellite, in the order of time.
pub(crate) fn handovers(scenario: &Scenario) -> impl DoubleEndedIterator<Item = (Time, &str)> {
    let later = |event: &&Event| event.kind == EventKind::Handover && event.time > Time::ZERO;
    scenario.events.iter().filter(later).map(|event| (event.time, event.node.as_str()))
}

/// The delays of all links of the path of a flow, there and back, if its routes do not change.
fn propagation(scenario: &Scenario, flow: &Flow) -> Option<Span> {
    let delay =
        |route: &Route| Some(route.fixed()?.iter().fold(Span::ZERO, |sum, link| sum + scenario.links[*link].delay));
    Some(delay(&flow.forward)? + delay(&flow.backward)?)
}

/// The rate of a file transfer in a run that ended at `end`, bits per second.
fn transfer_bps(flow: &FlowRecord, of: &Flow, seed: u64, end: Time) -> Option<f64> {
    let delivered = flow.counts.bytes_delivered;
    let until = if delivered == of.size? { flow.last_delivery? } else { end };
    let begins = of.begins(seed);
    (until > begins).then(|| 8.0 * delivered as f64 / until.since(begins).as_secs_f64())
}

/// Of each port to which anything came after the warm-up.
fn refused_after_warmup(records: &Records) -> BTreeMap<String, f64> {
    let counts = records.after_warmup.iter().flat_map(|after| &after.ports);
    let arrived = records.ports.iter().zip(counts).filter(|(_, counts)| counts.arrivals > 0);
    arrived.map(|(port, counts)| (port.name.clone(), counts.drops.total() as f64 / counts.arrivals as f64)).collect()
}

/// The octets of a first segment without payload.
fn empty(flow: &Flow) -> u64 {
    match flow.tcp.first_segment {
        FirstSegment::Data => 0,
        FirstSegment::Empty => u64::from(IP_HEADER_BYTES + TCP_HEADER_BYTES),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: a segment of 1000 bytes on the wire takes 8 ms and 0.08 ms, its delay 10 ms; the acknowledgement's way does not count.
    #[test]
    fn a_transfer_lasts_until_its_last_byte_is_delivered_or_until_the_run_ends() {
        let transfer = |file: &str| {
            let text = format!(
                "duration = \"100 ms\"\n[network]\ntechnology = \"packet\"\ntopology = \"graph\"\n[node]\na.kind = \"host\"\n\
                 r.kind = \"switch\"\nb.kind = \"host\"\n[link.x]\nends = [\"a\", \"r\"]\nrate = \"100 Mbps\"\ndelay = \"0 s\"\n\
                 [link.y]\nends = [\"r\", \"b\"]\nrate = \"1 Mbps\"\ndelay = \"10 ms\"\n[tcp]\ndialect = \"osu\"\nmss = \"960 B\"\n\
                 [flow.f]\nfrom = \"a\"\nto = \"b\"\nstart = \"10 ms\"\n{file}\n"
            );
            let source = ackclock_scenario::Memory::new().with("test.toml", text);
            let scenario = ackclock_scenario::load(&source, "test.toml", &[]).unwrap().scenario;
            let mut simulation = ackclock::sim::build(&scenario, 1);
            simulation.step(Time::NEVER);
            Measurement::of(&simulation.finish(), &scenario).transfer_bps[0]
        };
        let rate = |bytes: f64, ms: f64| Some(8000.0 * bytes / ms);
        let close = |rate: Option<f64>, by_hand: Option<f64>| (rate.unwrap() / by_hand.unwrap() - 1.0).abs() < 1e-9;
        assert!(close(transfer("size = \"960 B\""), rate(960.0, 18.08)));
        // Windows of 1, 2 and 4 segments: all seven have not arrived by the end, 90 ms after the start.
        let (round, all) = (18.08 + 10.0 + 0.32 + 0.0032, transfer("size = \"960 kB\"").unwrap());
        let delivered = all * 90.0 / 8000.0 / 960.0;
        assert!((delivered - delivered.round()).abs() < 1e-9 && delivered > 90.0 / round, "{delivered}");
        assert_eq!(transfer(""), None, "no file");
    }

    /// Two sources whose windows exceed the buffer. Nothing arrives in the first microsecond: after it as much is lost as in all.
    #[test]
    fn what_is_refused_after_the_warm_up_is_a_share_of_what_arrives_after_it() {
        let measured = |warmup: &str| {
            let text = format!(
                "duration = \"100 ms\"\n{warmup}\n[network]\ntopology = \"n-source\"\nsources = 2\nrate = \"100 Mbps\"\n\
                 access_delay = \"5 us\"\ntrunk_delay = \"1 ms\"\n[queue]\nbuffer = \"100 cells\"\n"
            );
            let source = ackclock_scenario::Memory::new().with("test.toml", text);
            let scenario = ackclock_scenario::load(&source, "test.toml", &[]).unwrap().scenario;
            let mut simulation = ackclock::sim::build(&scenario, 1);
            simulation.step(Time::NEVER);
            Measurement::of(&simulation.finish(), &scenario)
        };
        let whole = measured("");
        assert!(whole.refused_after_warmup.is_empty() && whole.queue_unit == "cells");
        let ratio = |run: &Measurement| run.refused["sw1->sw2"] as f64 / run.arrivals["sw1->sw2"] as f64;
        assert!(ratio(&whole) > 0.0);
        assert_eq!(measured("warmup = \"1 us\"").refused_after_warmup["sw1->sw2"], ratio(&whole));
        let later = measured("warmup = \"50 ms\"").refused_after_warmup;
        assert!(later.get("sw1->sw2").is_none_or(|share| *share != ratio(&whole)), "{later:?}");
    }
}
