//! The network of a scenario with ends outside. Fed with the segments that a simulation sent, at the instants at which it sent them,
//! it does what the network of the simulation did.

use std::collections::BTreeMap;

use crate::lab;
use crate::lab::random::{Example, example};
use ackclock::ids::{FlowId, Id};
use ackclock::link::Place;
use ackclock::packet::Segment;
use ackclock::record::{Capture, Captured, Metric, Records};
use ackclock::rng::Stream;
use ackclock::scenario::{NodeKind, Scenario, Technology};
use ackclock::sim::{Connection, Emulation, Engine, Passed, build_with};
use ackclock::tcp::EcnParams;
use ackclock::units::{Span, Time};

/// What becomes of a segment in an emulation: when it arrives, and on what; `None`: it is lost.
type Fates = BTreeMap<u32, Option<(Time, Connection)>>;

/// With captures at all hosts: they show what is sent and what arrives.
fn captured(mut scenario: Scenario) -> Scenario {
    let hosts = scenario.nodes.iter_ids().filter(|(_, node)| node.kind == NodeKind::Host);
    scenario.recording.captures = hosts.map(|(id, _)| id).collect();
    scenario
}

fn simulated(scenario: &Scenario, seed: u64) -> Records {
    let mut simulation = build_with(scenario, seed, Engine::Batched);
    simulation.step(Time::NEVER);
    let mut records = simulation.finish();
    // What waits for a link that is down begins when it is up, perhaps after the end.
    let end = Time::ZERO + scenario.duration;
    records.captures.iter_mut().for_each(|capture| capture.packets.retain(|packet| packet.time < end));
    records
}

fn connection(flows: usize, packet: &Captured) -> Connection {
    let flow = packet.flow as usize;
    match (flow.checked_sub(flows), packet.data) {
        (Some(source), _) => Connection::Udp(source),
        (None, true) => Connection::Data(FlowId::from_index(flow)),
        (None, false) => Connection::Acknowledgements(FlowId::from_index(flow)),
    }
}

/// The packets of all captures that were sent, or arrived, in order of time.
fn all(captures: &[Capture], sent: bool) -> Vec<&Captured> {
    let packets = captures.iter().flat_map(|capture| &capture.packets);
    let mut packets: Vec<&Captured> = packets.filter(|packet| packet.sent == sent).collect();
    packets.sort_by_key(|packet| packet.time);
    packets
}

/// Hands everything down that was sent in a simulation; what becomes of each segment, by its place among those sent.
fn replay(scenario: &Scenario, seed: u64, of_simulation: &Records) -> Option<(Records, Fates)> {
    let mut emulation = Emulation::new(scenario, seed).ok()?;
    let mut fates = Fates::new();
    let mut note = |passed| {
        let (handle, fate) = match passed {
            Passed::Arrived { time, connection, handle } => (handle, Some((time, connection))),
            Passed::Lost { handle } => (handle, None),
        };
        assert!(fates.insert(handle, fate).is_none(), "a frame comes to its end once");
    };
    for (packet, handle) in all(&of_simulation.captures, true).into_iter().zip(0..) {
        // This takes much longer than all else.
        while handle < 20 && emulation.next_arrival() < packet.time {
            let next = emulation.next_arrival();
            emulation
                .advance(next.saturating_sub(Span::from_ps(1)), |passed| assert!(!arrives(passed), "before {next}"));
            emulation.advance(next, &mut note);
        }
        emulation.advance(packet.time, &mut note);
        match connection(scenario.flows.len(), packet) {
            Connection::Udp(source) => {
                emulation.hand_down_datagram(packet.time, source, packet.segment.len + 12, handle)
            }
            connection => emulation.hand_down(packet.time, connection, packet.segment, handle),
        }
    }
    emulation.advance(Time::NEVER, &mut note);
    Some((emulation.finish(), fates))
}

fn arrives(passed: Passed) -> bool {
    matches!(passed, Passed::Arrived { .. })
}

/// Whether the scenario can be emulated; if so, everything between the hosts is as in the simulation.
fn agrees(scenario: &Scenario, seed: u64) -> bool {
    let simulated = simulated(scenario, seed);
    let Some((emulated, fates)) = replay(scenario, seed, &simulated) else { return false };
    assert_eq!(simulated.ports, emulated.ports);
    assert_eq!(simulated.links, emulated.links);
    // What the windows were is not known.
    let without_windows = |mut captures: Vec<Capture>| {
        captures.iter_mut().flat_map(|capture| &mut capture.packets).for_each(|packet| packet.cwnd = None);
        captures
    };
    let simulated_captures = without_windows(simulated.captures);
    assert_eq!(simulated_captures, without_windows(emulated.captures));
    let arrived = |packet: &Captured| (packet.time, connection(scenario.flows.len(), packet));
    let mut expected: Vec<_> = all(&simulated_captures, false).into_iter().map(arrived).collect();
    let mut found: Vec<_> = fates.values().flatten().copied().collect();
    let order = |&(time, connection): &(Time, Connection)| (time, format!("{connection:?}"));
    expected.sort_by_key(order);
    found.sort_by_key(order);
    assert_eq!(expected, found);
    let sent = all(&simulated_captures, true);
    for (handle, fate) in &fates {
        assert!(fate.is_none() || sent[*handle as usize].lost.is_none(), "{:?}", sent[*handle as usize]);
    }
    for (simulated, emulated) in simulated.udp.iter().zip(&emulated.udp) {
        assert_eq!(
            (simulated.counts.delivered, simulated.counts.lost),
            (emulated.counts.delivered, emulated.counts.lost)
        );
        assert_eq!((simulated.fingerprint, simulated.goodput_bps), (emulated.fingerprint, emulated.goodput_bps));
    }
    for (simulated, emulated) in simulated.flows.iter().zip(&emulated.flows) {
        let of = |flow: &ackclock::record::FlowRecord| {
            (flow.counts.damaged_frames, flow.counts.damaged_ack_frames, flow.counts.forced_drops)
        };
        assert_eq!(of(simulated), of(emulated));
    }
    true
}

#[test]
fn fed_with_what_a_simulation_sent_it_does_what_the_simulation_did() {
    let (mut cells, mut packets, mut changing) = (0, 0, 0);
    for number in 0..300 {
        let stream = Stream::new(number, "emulation", "test");
        let bytes: Vec<u8> = (0..1200).map(|place| stream.below(256, place) as u8).collect();
        let Example { mut scenario, seed, .. } = example(&bytes);
        // Marks do not reach hosts that are outside, and these send nothing back.
        scenario.udp.iter_mut().for_each(|source| source.echo = None);
        scenario.flows.iter_mut().for_each(|flow| flow.tcp.ecn = EcnParams::default());
        for index in 0..scenario.links.len() {
            let link = &mut scenario.links[Id::from_index(index)];
            link.params.duplicate = 0.0;
            // What a link loses before it begins to be transmitted takes no time, and neither do several packets of an opportunity:
            // captures do not show in which order.
            if scenario.nodes[link.from].kind == NodeKind::Host {
                link.params.errors.retain(|error| error.place != Place::Ingress);
                link.params.schedule.iter_mut().for_each(|schedule| schedule.opportunities = None);
            }
        }
        let scenario = captured(scenario);
        if agrees(&scenario, seed) {
            match scenario.technology {
                Technology::Atm { .. } => cells += 1,
                Technology::Packet { .. } => packets += 1,
            }
            changing += u32::from(scenario.links.iter().any(|link| !link.params.is_plain()));
        }
    }
    assert!(cells > 30 && packets > 15 && changing > 10, "{cells} {packets} {changing}");
}

#[test]
fn what_only_simulated_hosts_can_do_is_refused_with_its_place() {
    let refused = |sets: &[&str]| match Emulation::new(&lab::scenario(lab::LAN, sets), 1) {
        Err(wrong) => wrong,
        Ok(_) => Vec::new(),
    };
    assert_eq!(refused(&[]), []);
    let wrong = refused(&["tcp.host=served"]);
    assert_eq!((wrong.len(), wrong[0].place.as_str()), (5, "flow f1"));
    assert!(wrong[0].reason.contains("\"served\"") && wrong[0].remedy.contains("\"immediate\""), "{}", wrong[0]);
    let wrong = refused(&["atm.service=abr", "queue.rate_algorithm=erica"]);
    assert!(wrong[0].reason.contains("ABR") && wrong[0].remedy.contains("\"ubr\""), "{}", wrong[0]);
    let wrong = refused(&["queue.rate_algorithm=erica", "queue.tcp_feedback=window"]);
    assert!(wrong[0].place.starts_with("link ") && wrong[0].remedy.contains("\"none\""), "{}", wrong[0]);
}

#[test]
#[should_panic(expected = "is not handled yet")]
fn what_is_handed_down_before_the_past_is_handled_is_a_mistake() {
    let mut emulation = Emulation::new(&lab::scenario(lab::LAN, &[]), 1).unwrap();
    let data = Connection::Data(FlowId::from_index(0));
    let segment = Segment { len: 512, ..Segment::default() };
    emulation.hand_down(Time::ZERO, data, segment, 0);
    emulation.hand_down(Time::ZERO + Span::from_ms(1), data, segment, 1);
}

/// A capture of a flow over a line: what is seen of it from outside is what its ends count.
#[test]
fn what_is_seen_of_a_flow_is_what_its_ends_count() {
    let text = lab::line(
        "duration = \"20 s\"\nrecord = [\"sent\", \"retransmissions\", \"acknowledged\", \"throughput\", \"cwnd\", \"queue\"]",
        "5 ms",
        "",
    );
    let scenario =
        captured(lab::scenario(&text, &["link.last.rate=500 kbps", "queue.buffer=4 packets", "flow.f.size=400 kB"]));
    let simulated = simulated(&scenario, 1);
    let (emulated, _) = replay(&scenario, 1, &simulated).unwrap();
    let (expected, found) = (&simulated.flows[0], &emulated.flows[0]);
    assert!(expected.counts.retransmissions > 3 && expected.completed.is_some(), "{expected:?}");
    assert_eq!(
        (expected.counts.bytes_delivered, expected.goodput_bps),
        (found.counts.bytes_delivered, found.goodput_bps)
    );
    assert_eq!((expected.completed, expected.last_delivery), (found.completed, found.last_delivery));
    assert_eq!(expected.counts.unnecessary_retransmissions, found.counts.unnecessary_retransmissions);
    // A timeout takes segments back that wait in the simulated host: they are not sent.
    let sent = expected.counts.segments_sent - expected.counts.segments_discarded_in_host;
    assert_eq!(sent, found.counts.segments_sent);
    let series = |records: &Records, metric| records.series.iter().find(|series| series.metric == metric).cloned();
    for metric in [Metric::Acknowledged, Metric::Throughput, Metric::Queue] {
        assert_eq!(series(&simulated, metric), series(&emulated, metric), "{metric:?}");
    }
    assert!(series(&emulated, Metric::Sent).is_some() && series(&emulated, Metric::Retransmissions).is_some());
    assert_eq!(series(&emulated, Metric::Cwnd), None);
}
