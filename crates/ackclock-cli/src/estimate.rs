//! How much a run is going to write, before it is run. Right to a factor of about three; the point is to notice that
//! something takes gigabytes, not how many.
//!
//! Rows: every flow sends at its share of the slowest link of its route (the link's rate over the number of flows that
//! cross it) from its start to its stop or the end of its file. A segment and its acknowledgement make one row each of
//! `cwnd`, `sent` and `acknowledged`; what is timed once per round trip makes one row per propagation delay of the
//! route and back; losses are taken as one segment in ten. A unit that crosses a port makes one row of
//! `vc-queue-changes`, and of `queue-changes` too on a packet network; cells come and go at the same instants, and only
//! every fourth changes the number of those that wait. Bytes: a constant for each shape, from measured tables, of which
//! large ones had 0.25 to 1.3 bytes a row.

use ackclock::ids::{IdVec, LinkId};
use ackclock::packet::{IP_HEADER_BYTES, TCP_HEADER_BYTES, aal5};
use ackclock::record::{Metric, Shape, Subject};
use ackclock::scenario::{Flow, NodeKind, Scenario, Technology};
use ackclock::tcp::AckPolicy;
use ackclock::units::Time;

/// A warning, if `runs` runs of a scenario would write more than a gigabyte.
pub fn warning(scenario: &Scenario, runs: usize) -> Option<String> {
    if scenario.recording.metrics.is_empty() && scenario.recording.captures.is_empty() {
        return None;
    }
    let mut parts = parts(scenario);
    let all: f64 = parts.iter().map(|(_, bytes)| bytes).sum::<f64>() * runs as f64;
    if all <= MUCH_BYTES {
        return None;
    }
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let largest: Vec<String> =
        parts.iter().take(3).map(|(name, bytes)| format!("{name} {}", size(bytes * runs as f64))).collect();
    Some(format!(
        "note: what this records will take about {} ({}), roughly estimated\n\
         less: fewer metrics (--record), longer intervals (--record-interval), fewer seeds; Ctrl-C stops it",
        size(all),
        largest.join(", ")
    ))
}

/// The bytes of each metric, and of the captures, for one run.
fn parts(scenario: &Scenario) -> Vec<(&'static str, f64)> {
    let mut crossing: IdVec<LinkId, u64> = scenario.links.iter().map(|_| 0).collect();
    for link in scenario.flows.iter().flat_map(|flow| flow.forward.at(Time::ZERO, &scenario.links)) {
        crossing[link] += 1;
    }
    let loads: Vec<Load> = scenario.flows.iter().map(|flow| Load::of(scenario, flow, &crossing)).collect();
    let mut parts: Vec<(&str, f64)> = scenario
        .recording
        .metrics
        .iter()
        .map(|metric| (metric.name(), rows(scenario, &loads, metric) * bytes_per_row(metric.shape())))
        .collect();
    let captured = |(flow, load): (&Flow, &Load)| {
        let ends = [scenario.links[flow.forward.first()].from, scenario.links[flow.backward.first()].from];
        // Data and acknowledgements pass both ends.
        2.0 * load.segments * ends.iter().filter(|end| scenario.recording.captures.contains(end)).count() as f64
    };
    let packets: f64 = scenario.flows.iter().zip(&loads).map(captured).sum();
    parts.push(("captures", packets * CAPTURED_BYTES));
    parts
}

/// What one flow does to the tables.
struct Load {
    segments: f64,
    round_trips: f64,
    /// Ports of switches that its data, and that its acknowledgements cross.
    data_ports: f64,
    ack_ports: f64,
    data_units: f64,
    ack_units: f64,
}

impl Load {
    /// That of a flow, if so many flows send data over each link.
    fn of(scenario: &Scenario, flow: &Flow, crossing: &IdVec<LinkId, u64>) -> Load {
        let ip_bytes = flow.tcp.mss + HEADER_BYTES;
        let (data_units, ack_units, wire_bits) = match scenario.technology {
            Technology::Atm { llc } => {
                let cells = f64::from(aal5::cells(ip_bytes, llc));
                (cells, f64::from(aal5::cells(HEADER_BYTES, llc)), cells * 424.0)
            }
            Technology::Packet { link_header_bytes } => (1.0, 1.0, f64::from(ip_bytes + link_header_bytes) * 8.0),
        };
        let [forward, backward] = [&flow.forward, &flow.backward].map(|route| route.at(Time::ZERO, &scenario.links));
        let share = forward.iter().map(|&link| scenario.links[link].rate.as_bps() as f64 / crossing[link] as f64);
        let rate = share.fold(f64::INFINITY, f64::min).min(flow.pcr.map_or(f64::INFINITY, |pcr| pcr.as_bps() as f64));
        let end = scenario.duration.as_secs_f64();
        let active = flow.stop.map_or(end, |stop| end.min(stop.as_secs_f64())) - flow.start.as_secs_f64();
        let of_file = flow.size.map_or(f64::INFINITY, |bytes| bytes as f64 / f64::from(flow.tcp.mss));
        let delay: f64 = forward.iter().chain(&backward).map(|&link| scenario.links[link].delay.as_secs_f64()).sum();
        let segments = (active.max(0.0) * rate / wire_bits).min(of_file);
        let ports = |route: &[LinkId]| route.iter().filter(|&&link| of_switch(scenario, link)).count() as f64;
        Load {
            segments,
            // With timestamps one for each acknowledgement; else no more often than there are segments to time.
            round_trips: match (flow.tcp.timestamp_clock, flow.tcp.ack) {
                (Some(_), AckPolicy::Delayed { .. }) => segments / 2.0,
                (Some(_), AckPolicy::EverySegment) => segments,
                (None, _) => (active.max(0.0) / delay).min(segments),
            },
            data_ports: ports(&forward),
            ack_ports: ports(&backward),
            data_units,
            ack_units,
        }
    }

    /// Units times the ports that they cross.
    fn crossings(&self) -> f64 {
        self.segments * (self.data_ports * self.data_units + self.ack_ports * self.ack_units)
    }
}

fn of_switch(scenario: &Scenario, link: LinkId) -> bool {
    scenario.nodes[scenario.links[link].from].kind == NodeKind::Switch
}

fn rows(scenario: &Scenario, loads: &[Load], metric: Metric) -> f64 {
    let sum = |of: fn(&Load) -> f64| loads.iter().map(of).sum::<f64>();
    let intervals = (scenario.duration.as_secs_f64() / scenario.recording.interval.as_secs_f64()).ceil();
    if metric.shape() == Shape::Intervals {
        return intervals
            * match metric.subject() {
                Subject::Flow => loads.len() as f64,
                Subject::Port => {
                    scenario.links.iter().filter(|link| scenario.nodes[link.from].kind == NodeKind::Switch).count()
                        as f64
                }
                Subject::PortVc => sum(|load| load.data_ports + load.ack_ports),
            };
    }
    match metric {
        Metric::Cwnd | Metric::Sent | Metric::Acknowledged | Metric::OneWayDelay => sum(|load| load.segments),
        // Of sources of datagrams only, which are few.
        Metric::Jitter | Metric::Loss => intervals * scenario.datagrams.len() as f64,
        Metric::Rtt | Metric::Srtt | Metric::Rto => sum(|load| load.round_trips),
        Metric::Ssthresh | Metric::Retransmissions => LOSSES * sum(|load| load.segments),
        Metric::Delay => intervals * loads.len() as f64,
        Metric::Drops => LOSSES * sum(|load| load.segments * load.data_units),
        Metric::QueueChanges if matches!(scenario.technology, Technology::Atm { .. }) => 0.25 * sum(Load::crossings),
        _ => sum(Load::crossings),
    }
}

fn bytes_per_row(shape: Shape) -> f64 {
    match shape {
        Shape::Changes | Shape::Events => 1.5,
        Shape::Intervals => 10.0,
        Shape::Drops => 3.0,
    }
}

fn size(bytes: f64) -> String {
    match bytes {
        _ if bytes >= 1e12 => format!("{:.0} TB", bytes / 1e12),
        _ if bytes >= 1e10 => format!("{:.0} GB", bytes / 1e9),
        _ if bytes >= 1e9 => format!("{:.1} GB", bytes / 1e9),
        _ => format!("{:.0} MB", bytes / 1e6),
    }
}

/// Less than this is written without a word.
const MUCH_BYTES: f64 = 1e9;
/// TCP and IP headers without options.
const HEADER_BYTES: u32 = IP_HEADER_BYTES + TCP_HEADER_BYTES;
const LOSSES: f64 = 0.1;
/// A captured datagram in its file, without its payload: 97 bytes at receivers, 110 to 113 at senders, where the comment
/// says more, measured on `lan-selective-drop`, `packet-dumbbell` and a network with heavy losses.
const CAPTURED_BYTES: f64 = 105.0;

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_scenario::{Memory, load};

    fn scenario(sets: &[&str]) -> Scenario {
        let file = r#"
            duration = "100 s"
            [network]
            technology = "packet"
            topology = "dumbbell"
            sources = 2
            access_rate = "100 Mbps"
            access_delay = "1 ms"
            bottleneck_rate = "10 Mbps"
            bottleneck_delay = "8 ms"
            [queue]
            buffer = "10 packets"
            [tcp]
            mss = "960 B"
        "#;
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        load(&Memory::new().with("x.toml", file), "x.toml", &sets).unwrap_or_else(|error| panic!("{error:?}")).scenario
    }

    fn bytes(sets: &[&str], metric: &str) -> f64 {
        parts(&scenario(sets)).iter().find(|(name, _)| *name == metric).unwrap().1
    }

    #[test]
    fn rows_follow_from_rates_durations_and_sizes() {
        // 10 Mb/s over packets of 1000 octets, 100 s: 125,000 segments of both flows together, 1.5 bytes each.
        assert_eq!(bytes(&["record=[\"cwnd\"]"], "cwnd").round(), 187_500.0);
        // Propagation there and back 2 · (1 + 8 + 1) ms: 5,000 round trips of each flow.
        assert_eq!(bytes(&["record=[\"rtt\"]"], "rtt").round(), 2.0 * 5000.0 * 1.5);
        // With timestamps a row for every acknowledgement, of every second segment if they are delayed.
        let stamped = ["record=[\"rtt\"]", "tcp.timestamps=true", "tcp.mss=948 B"];
        assert_eq!(bytes(&stamped, "rtt").round(), bytes(&["record=[\"cwnd\"]", "tcp.mss=948 B"], "cwnd").round());
        let delayed = [stamped[0], stamped[1], stamped[2], "tcp.delayed_ack=true"];
        assert_eq!(bytes(&delayed, "rtt").round(), (bytes(&stamped, "rtt") / 2.0).round());
        // 10,000 intervals of 10 ms at 6 ports: each switch has one to the other and one to each of its hosts.
        assert_eq!(bytes(&["record=[\"queue\"]"], "queue").round(), 10_000.0 * 6.0 * 10.0);
        // Data cross two ports of switches, acknowledgements two: 125,000 · 4.
        assert_eq!(bytes(&["record=[\"queue-changes\"]"], "queue-changes").round(), 125_000.0 * 4.0 * 1.5);
        // Data and acknowledgements of one of the two flows.
        assert_eq!(bytes(&["capture=[\"s1\"]"], "captures").round(), 125_000.0 * 105.0);
    }

    #[test]
    fn a_warning_is_given_above_a_gigabyte_and_not_below() {
        // 0.75 MB for queue-changes of one run: 1,333 runs are below a gigabyte, 1,334 above.
        let scenario = scenario(&["record=[\"queue-changes\"]"]);
        assert_eq!(warning(&scenario, 1333), None);
        let warning = warning(&scenario, 1334).unwrap();
        assert!(warning.contains("about 1.0 GB (queue-changes 1.0 GB") && warning.contains("--record"), "{warning}");
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!(
            ["12 TB", "12 GB", "1.5 GB", "3 MB"],
            [1.2e13, 1.2e10, 1.5e9, 3.2e6].map(size).each_ref().map(|s| &s[..])
        );
    }
}
