//! What is recorded over time: it agrees with what is counted, and it changes nothing.

mod delays;

use std::collections::BTreeSet;

use crate::lab::agree::assert_engines_agree;
use ackclock::record::{
    Columns, DropReason, Drops, Histogram, LinkLosses, Metric, MetricSet, PortRecord, Records, Series,
};
use ackclock::scenario::{NodeKind, Scenario};
use ackclock::sim::{Engine, build_with};
use ackclock::units::{Span, Time};

const PACKETS: &str = r#"
duration = "20 s"
[network]
technology = "packet"
topology = "dumbbell"
sources = 3
access_rate = "10 Mbps"
access_delay = "1 ms"
bottleneck_rate = "2 Mbps"
bottleneck_delay = "50 ms"
[queue]
buffer = "20 packets"
[tcp]
dialect = "osu"
recovery = "rfc6675"
"#;

fn recorded(text: &str, sets: &[&str]) -> Scenario {
    let mut scenario = crate::lab::scenario(text, sets);
    scenario.recording.metrics = Metric::ALL.into_iter().collect();
    scenario.recording.delays = true;
    scenario
}

fn run(scenario: &Scenario, engine: Engine) -> Records {
    let mut simulation = build_with(scenario, 1, engine);
    simulation.step(Time::NEVER);
    simulation.finish()
}

fn find<'a>(records: &'a Records, metric: Metric, of: &str, vc: Option<&str>) -> &'a Columns {
    let matches = |series: &&Series| series.metric == metric && series.of == of && series.vc.as_deref() == vc;
    &records.series.iter().find(matches).unwrap_or_else(|| panic!("{metric:?} of {of}, {vc:?}")).columns
}

fn points(columns: &Columns) -> (&[Time], &[f64]) {
    let Columns::Points { time, value } = columns else { panic!("no points") };
    assert!(time.is_sorted());
    (time, value)
}

/// Minimum, mean and maximum over the whole run.
fn overall(columns: &Columns) -> (f64, f64, f64) {
    let Columns::Intervals { interval, end, min, mean, max } = columns else { panic!("no intervals") };
    assert_eq!(mean.len() as u64, end.as_ps().div_ceil(interval.as_ps()));
    let (interval, end) = (interval.as_ps() as f64, end.as_ps() as f64);
    let mut integral = 0.0;
    for (n, ((min, mean), max)) in min.iter().zip(mean.iter()).zip(max.iter()).enumerate() {
        assert!(min <= mean * (1.0 + 1e-12) && mean <= max * (1.0 + 1e-12), "{min} {mean} {max}");
        integral += mean * interval.min(end - n as f64 * interval);
    }
    let low = min.iter().fold(f64::INFINITY, f64::min);
    (low, integral / end, max.iter().fold(0.0, f64::max))
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * a.abs().max(b.abs()), "{a} and {b}");
}

/// Everything recorded, against everything counted.
fn agrees(records: &Records) {
    for flow in &records.flows {
        let (sent, _) = points(find(records, Metric::Sent, &flow.name, None));
        assert_eq!(sent.len() as u64, flow.counts.segments_sent);
        let (again, _) = points(find(records, Metric::Retransmissions, &flow.name, None));
        assert_eq!(again.len() as u64, flow.counts.retransmissions);
        let (_, mean, _) = overall(find(records, Metric::Throughput, &flow.name, None));
        close(mean, flow.goodput_bps);
        for metric in [Metric::Cwnd, Metric::Ssthresh, Metric::Rto, Metric::Acknowledged] {
            let (time, value) = points(find(records, metric, &flow.name, None));
            assert!(time.windows(2).all(|pair| pair[0] < pair[1]) && value.windows(2).all(|pair| pair[0] != pair[1]));
        }
        let (_, acknowledged) = points(find(records, Metric::Acknowledged, &flow.name, None));
        assert!(acknowledged.is_sorted());
        assert!(acknowledged.last().is_some_and(|&bytes| bytes <= flow.counts.bytes_delivered as f64));
        assert!(points(find(records, Metric::Rtt, &flow.name, None)).1.iter().all(|&rtt| rtt > 0.0));
        let delays = flow.delays.as_ref().unwrap();
        histogram_agrees(&delays.one_way, points(find(records, Metric::OneWayDelay, &flow.name, None)).1);
        histogram_agrees(&delays.round_trip, points(find(records, Metric::Rtt, &flow.name, None)).1);
    }
    for source in &records.udp {
        let delays = source.delays.as_ref().unwrap();
        histogram_agrees(&delays.one_way, points(find(records, Metric::OneWayDelay, &source.name, None)).1);
        histogram_agrees(&delays.jitter, points(find(records, Metric::Jitter, &source.name, None)).1);
    }
    records.ports.iter().for_each(|port| sojourns_agree(port, records.simulated));
    for port in records.ports.iter().filter(|port| port.max_queue > 0) {
        let (_, mean, max) = overall(find(records, Metric::Queue, &port.name, None));
        close(mean, port.mean_queue);
        assert_eq!(max, port.max_queue as f64);
        let (low, _, max) = overall(find(records, Metric::Sojourn, &port.name, None));
        assert_eq!((low, max), (0.0, port.sojourn.as_ref().unwrap().max().unwrap().as_secs_f64()));
        let (_, changes) = points(find(records, Metric::QueueChanges, &port.name, None));
        assert_eq!(changes.iter().copied().fold(0.0, f64::max), port.max_queue as f64);
        for vc in &port.vcs {
            let (_, mean, max) = overall(find(records, Metric::VcQueue, &port.name, Some(&vc.name)));
            close(mean, vc.mean_queue);
            assert!(max <= vc.max_queue as f64);
        }
    }
    let of_drops = records.series.iter().filter(|series| series.metric == Metric::Drops);
    of_drops.for_each(|series| drops_agree(records, &series.of, &series.columns));
}

/// What is recorded of the losses of a link and its port, against what is counted.
fn drops_agree(records: &Records, name: &str, drops: &Columns) {
    let Columns::Drops { time, vc, reason, names, .. } = drops else { panic!("no drops") };
    let port = records.ports.iter().find(|port| port.name == name);
    let link = records.links.iter().find(|link| link.name == name);
    assert!(time.is_sorted());
    let refused = port.map_or(Drops::default(), |port| port.drops);
    let lost = link.map_or(LinkLosses::default(), |link| link.lost);
    let counted = |wanted| reason.iter().filter(|reason| **reason == wanted).count() as u64;
    assert_eq!(
        DropReason::ALL.map(counted),
        [
            refused.overflow,
            refused.partial_frame,
            refused.policy,
            lost.corrupted,
            refused.outage + lost.outage,
            lost.no_route,
            lost.no_receiver,
            lost.ttl
        ],
        "{name}"
    );
    for (number, of) in names.iter().enumerate() {
        let refused = port.map_or(0, |port| port.vcs[number].drops);
        let lost = link.map_or(0, |link| link.vcs[number].lost.total());
        assert!(port.is_none_or(|port| *port.vcs[number].name == **of));
        assert_eq!(vc.iter().filter(|&&vc| vc as usize == number).count() as u64, refused + lost, "{name}, {of}");
    }
}

/// How often each value occurred, against the values over time (warm-up 0).
fn histogram_agrees(histogram: &Histogram, values: &[f64]) {
    let max = histogram.max().unwrap_or_default().as_secs_f64();
    assert_eq!((histogram.count(), max), (values.len() as u64, values.iter().copied().fold(0.0, f64::max)));
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    close(histogram.mean_s().unwrap_or_default(), mean);
}

/// How long units waited, against how many waited: Little's law, without an error (warm-up 0).
fn sojourns_agree(port: &PortRecord, simulated: Span) {
    let Some(sojourn) = &port.sojourn else {
        assert_eq!(port.max_queue, 0, "{}: nothing can wait where that is not recorded", port.name);
        return;
    };
    assert_eq!(sojourn.count(), port.departures, "{}", port.name);
    let waited = sojourn.mean_s().unwrap_or_default() * port.departures as f64;
    let queued = port.mean_queue * simulated.as_secs_f64();
    // Units that still wait, or were dropped, are in the second only.
    if port.final_queue == 0 && port.drops.policy + port.drops.outage == 0 {
        close(waited, queued);
    }
    let longest = sojourn.max().unwrap_or_default().as_secs_f64();
    assert!(waited <= queued * (1.0 + 1e-9), "{}: {waited} and {queued}", port.name);
    assert!(longest > 0.0 || port.departures == 0 || port.max_queue == 0);
}

/// What the port transmits takes up as much time as it takes.
fn utilisation_is(records: &Records, port: &str, departures: u64, unit_s: f64) {
    let (_, mean, max) = overall(find(records, Metric::Utilisation, port, None));
    let busy_s = mean * records.simulated.as_secs_f64();
    // The end of the run may cut the last one.
    let cut = departures as f64 * unit_s - busy_s;
    assert!((-1e-12..unit_s).contains(&cut), "busy for {busy_s} s, {departures} of {unit_s} s were sent");
    assert!(max <= 1.0 + 1e-12);
}

#[test]
fn what_is_recorded_on_cells_agrees_with_what_is_counted() {
    for policy in ["tail-drop", "selective-drop", "fba"] {
        let scenario = recorded(crate::lab::LAN, &[&format!("queue.policy={policy}"), "duration=1 s"]);
        for engine in [Engine::Reference, Engine::Batched] {
            let records = run(&scenario, engine);
            agrees(&records);
            let port = crate::lab::port(&records, "sw1->sw2");
            utilisation_is(&records, "sw1->sw2", port.departures, 2_726_337e-12);
        }
    }
}

#[test]
fn what_is_recorded_on_packets_agrees_with_what_is_counted() {
    let scenario = recorded(PACKETS, &[]);
    for engine in [Engine::Reference, Engine::Batched] {
        let records = run(&scenario, engine);
        agrees(&records);
        // 512 B and 40 B of headers at 2 Mb/s.
        utilisation_is(&records, "sw1->sw2", crate::lab::port(&records, "sw1->sw2").departures, 552.0 * 8.0 / 2e6);
    }
}

/// A host's link that corrupts, and a port that overflows before a link that corrupts and goes down.
const LOSSY: &str = r#"
duration = "20 s"
network = { technology = "packet", topology = "graph" }
node = { s.kind = "host", r.kind = "switch", d.kind = "host" }
[link]
first = { ends = ["s", "r"], rate = "10 Mbps", delay = "10 ms", errors = { model = "uniform", rate = 0.002 } }
[link.last]
ends = ["r", "d"]
rate = "1 Mbps"
delay = "100 ms"
errors = { model = "uniform", rate = 0.002, place = "receiver" }
outages = [{ from = "5 s", until = "6 s" }, { from = "9 s", until = "9.5 s" }, { from = "13 s", until = "13.5 s" }]
in_service = "lose"
queued = "flush"
[queue]
buffer = "20 packets"
[tcp]
dialect = "osu"
mss = "960 B"
recovery = "new-reno"
[flow]
f = { from = "s", to = "d" }
[udp]
u = { from = "d", to = "s", rate = "50 kbps" }
"#;

#[test]
fn what_links_lose_is_recorded_with_what_ports_refuse() {
    let mut scenario = recorded(LOSSY, &[]);
    let records = assert_engines_agree("lossy", &scenario, 1);
    agrees(&records);
    let reasons = |of: &str| {
        let Columns::Drops { reason, .. } = find(&records, Metric::Drops, of, None) else { panic!("no drops") };
        reason.iter().map(|reason| reason.name()).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    };
    assert_eq!(reasons("s->r"), ["corrupted"], "the link of a host");
    assert_eq!(reasons("r->d"), ["corrupted", "outage", "overflow"]);
    assert!(reasons("r->s").contains(&"corrupted"), "datagrams and acknowledgements");
    // Not before the link goes down for the first time.
    let Columns::Drops { time, reason, .. } = find(&records, Metric::Drops, "r->d", None) else { panic!("no drops") };
    let mut outages = time.iter().zip(reason).filter(|(_, reason)| **reason == DropReason::Outage);
    assert!(outages.all(|(time, _)| time.as_secs_f64() >= 5.0));
    // Drops alone, which nothing else numbers packets for.
    scenario.recording.metrics = [Metric::Drops].into_iter().collect();
    let alone = assert_engines_agree("drops", &scenario, 1);
    assert!(alone.series.iter().all(|series| records.series.contains(series)) && !alone.series.is_empty());
}

#[test]
fn recording_changes_nothing_else() {
    for text in [crate::lab::LAN, PACKETS, LOSSY] {
        let scenario = recorded(text, &["duration=1 s"]);
        let mut silent = scenario.clone();
        silent.recording.metrics = MetricSet::NONE;
        silent.recording.delays = false;
        for engine in [Engine::Reference, Engine::Batched] {
            let records = run(&scenario, engine);
            let without = run(&silent, engine);
            assert!(without.series.is_empty());
            let mut rest = Records { series: Vec::new(), ..records };
            assert!(rest.flows.iter().all(|flow| flow.delays.is_some()));
            rest.flows.iter_mut().for_each(|flow| flow.delays = None);
            rest.udp.iter_mut().for_each(|source| source.delays = None);
            rest.ports.iter_mut().for_each(|port| port.sojourn = None);
            assert_eq!(rest, without);
        }
    }
}

#[test]
fn both_engines_record_the_same() {
    for (text, intervals) in [(crate::lab::LAN, [10, 333]), (PACKETS, [10_000, 77])] {
        for interval in intervals {
            let mut scenario = recorded(text, &["duration=300 ms"]);
            scenario.recording.interval = Span::from_us(interval);
            scenario.recording.captures = scenario.nodes.iter_ids().map(|(id, _)| id).collect();
            assert_engines_agree("recorded", &scenario, 3);
        }
    }
}

/// The window of a sender and the fate of each of its packets are in the capture.
#[test]
fn a_capture_holds_every_packet_of_a_host() {
    let mut scenario = crate::lab::scenario(crate::lab::LAN, &["duration=500 ms"]);
    let host = |name: &str| scenario.nodes.iter_ids().find(|(_, node)| node.name == name).unwrap().0;
    scenario.recording.captures = vec![host("s1"), host("d1")];
    scenario.recording.captures.sort();
    let records = run(&scenario, Engine::Reference);
    assert!(records.series.is_empty(), "only what was asked for");
    let flow = crate::lab::flow(&records, "f1");
    let of = |name: &str| &records.captures.iter().find(|capture| capture.host == name).unwrap().packets;
    let (at_source, at_sink) = (of("s1"), of("d1"));
    let sent = at_source.iter().filter(|packet| packet.sent);
    assert!(sent.clone().all(|packet| packet.data && packet.cwnd.is_some_and(|cwnd| cwnd >= 512.0)));
    assert_eq!(sent.clone().count() as u64 + flow.counts.segments_discarded_in_host, flow.counts.segments_sent);
    let arrived = at_sink.iter().filter(|packet| !packet.sent).count();
    let lost = sent.filter(|packet| packet.lost.is_some()).count();
    assert!(lost > 0 && arrived > 0);
    assert!(at_sink.iter().all(|packet| packet.cwnd.is_none()));
}

/// With plain tail drop, ends of frames are refused too: the next frame is lost although every cell of it arrives. What
/// was sent and is not told as lost has arrived, or is still on its way.
#[test]
fn a_frame_lost_with_the_end_of_the_one_before_is_told_as_lost() {
    let sets = ["duration=1 s", "queue.policy=tail-drop", "queue.buffer=200 cells"];
    let mut scenario = crate::lab::scenario(crate::lab::LAN, &sets);
    scenario.recording.captures =
        scenario.nodes.iter_ids().filter(|(_, node)| node.kind == NodeKind::Host).map(|(id, _)| id).collect();
    let records = assert_engines_agree("joined", &scenario, 1);
    let all = || records.captures.iter().flat_map(|capture| &capture.packets);
    let mut joined = 0;
    for flow in 0..5 {
        let data = || all().filter(move |packet| packet.flow == flow && packet.data);
        let sent = data().filter(|packet| packet.sent && packet.lost.is_none());
        let arrived: BTreeSet<u32> = data().filter(|packet| !packet.sent).map(|packet| packet.frame).collect();
        let last = *arrived.last().unwrap();
        assert!(sent.clone().all(|packet| arrived.contains(&packet.frame) || packet.frame > last));
        let mut lost = data().filter(|packet| packet.lost.is_some());
        assert!(lost.all(|packet| !arrived.contains(&packet.frame)));
        for packet in data().filter(|packet| packet.lost.as_ref().is_some_and(|loss| loss.by_frame_before)) {
            let before = data().find(|other| other.sent && other.frame + 1 == packet.frame).unwrap();
            let [loss, of_before] = [packet, before].map(|packet| packet.lost.as_ref().unwrap());
            assert_eq!((loss.time, &loss.port, loss.reason), (of_before.time, &of_before.port, of_before.reason));
            joined += 1;
        }
    }
    assert!(joined > 5, "{joined}");
}
