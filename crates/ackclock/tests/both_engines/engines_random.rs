//! Both engines on random networks: the same records, whenever they are asked for.

use std::fmt;

use crate::lab::agree::engines_agree;
use crate::lab::choices::Choices;
use crate::lab::random::{Example, example, through_ports};
use ackclock::record::{AbrRecord, EdgeRecord, FlowRecord, LinkLosses, Records, UdpCounts, UdpRecord};
use ackclock::rng::Stream;
use ackclock::scenario::Technology;
use ackclock::tcp::{ApplicationParams, application};
use proptest::prelude::*;

/// Bytes that are shown with the scenario they stand for.
struct Bytes(Vec<u8>);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}\n{:?}", self.0, example(&self.0))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(300), max_shrink_iters: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_engines_give_the_same_records(bytes in prop::collection::vec(any::<u8>(), 0..800).prop_map(Bytes)) {
        let Example { scenario, seed, stops } = example(&bytes.0);
        if let Err(difference) = engines_agree(&scenario, seed, &stops) {
            return Err(TestCaseError::fail(difference));
        }
    }
}

/// `PROPTEST_CASES`, or so many.
fn cases(default: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(default)
}

/// What was once found: RM cells past an edge device and cells of a stream, both by one link, in one slot.
#[test]
fn an_input_at_which_the_engines_differed() {
    let Example { scenario, seed, stops } = example(include_bytes!("../inputs/rm-cells-past-an-edge"));
    engines_agree(&scenario, seed, &stops).unwrap_or_else(|difference| panic!("{difference}"));
}

/// `ENGINES_INPUT=FILE cargo test -p ackclock --test both_engines engines_random` shows what the fuzzer found.
#[test]
fn an_input_of_the_fuzzer() {
    let Ok(file) = std::env::var("ENGINES_INPUT") else { return };
    let example = example(&std::fs::read(file).expect("the file can be read"));
    let Example { scenario, seed, stops } = &example;
    engines_agree(scenario, *seed, stops).unwrap_or_else(|difference| panic!("{difference}\n{example:?}"));
}

/// Whatever comes first, the choices that are left when the bytes have come to their end make a network: none of them is drawn again
/// and again.
#[test]
fn bytes_that_end_early_make_a_network() {
    for number in 0..3000 {
        let stream = Stream::new(number, "short inputs", "test");
        let bytes: Vec<u8> = (0..number % 150).map(|index| stream.at(index) as u8).collect();
        example(&bytes);
    }
}

/// How many of nine hundred random networks contain something: many more than are asked for, as another mechanism draws others.
#[test]
fn random_networks_are_full_of_events() {
    let mut counts: Vec<(&str, u32)> = Vec::new();
    let mut count = |what, does: bool| match counts.iter_mut().find(|(name, _)| *name == what) {
        Some((_, count)) => *count += u32::from(does),
        None => counts.push((what, u32::from(does))),
    };
    for number in 0..900 {
        let stream = Stream::new(number, "random networks", "test");
        let bytes: Vec<u8> = (0..1600).map(|index| stream.at(index) as u8).collect();
        let example = example(&bytes);
        let Example { scenario, seed, stops } = &example;
        let records = engines_agree(scenario, *seed, stops).unwrap_or_else(|text| panic!("{text}\n{example:?}"));
        crate::lab::conserves(&records);
        let through = through_ports(scenario);
        let ports = |does: &dyn Fn(&ackclock::record::PortRecord) -> bool| records.ports.iter().any(does);
        let flows = |does: &dyn Fn(&ackclock::record::FlowRecord) -> bool| records.flows.iter().any(does);
        let packets = matches!(scenario.technology, Technology::Packet { .. });
        count("packets", packets);
        count("packets wait at two ports of one medium", ports_of_air_that_wait(scenario, &records) > 1);
        count("overflow", ports(&|port| port.drops.overflow > 0));
        count("partial frames", ports(&|port| port.drops.partial_frame > 0));
        count("refused by policy", ports(&|port| port.drops.policy > 0));
        count("corrupted", records.links.iter().any(|link| link.lost.corrupted > 0));
        count("lost at an outage", records.links.iter().any(|link| link.lost.outage > 0));
        let lost = |does: &dyn Fn(&LinkLosses) -> u64| records.links.iter().any(|link| does(&link.lost) > 0);
        count("no route", lost(&|lost| lost.no_route));
        count("no receiver", lost(&|lost| lost.no_receiver));
        count("too many links", lost(&|lost| lost.ttl));
        count_datagrams(packets, scenario.has_abr(), &records, &mut count);
        count("two congested ports", records.ports.iter().filter(|port| port.max_queue > 10).count() > 1);
        count("through ports", ports(&|port| through.contains(&port.name.as_str()) && port.arrivals > 0));
        count("timeouts", flows(&|flow| flow.counts.timeouts > 0));
        count("taken back", flows(&|flow| flow.counts.segments_discarded_in_host > 0));
        count("fast retransmits", flows(&|flow| flow.counts.fast_retransmits > 0));
        count("damaged data", flows(&|flow| flow.counts.damaged_frames > 0));
        count("damaged acknowledgements", flows(&|flow| flow.counts.damaged_ack_frames > 0));
        count("forced drops", flows(&|flow| flow.counts.forced_drops > 0));
        for application in application::ALL {
            count(application.name, scenario.flows.iter().any(|flow| flow.application.name() == application.name));
        }
        let is_slow = |flow: &ackclock::scenario::Flow| flow.tcp.reading.is_some();
        let has_slow_reader = scenario
            .flows
            .iter()
            .zip(&records.flows)
            .any(|(flow, record)| is_slow(flow) && record.counts.bytes_delivered > 0);
        count("slow readers", has_slow_reader);
        let exchanges = |flow: &FlowRecord| flow.exchanges.as_ref().is_some_and(|all| all.requests > 0);
        count("exchanges", flows(&exchanges));
        count("completed", flows(&|flow| flow.completed.is_some()));
        count("thousand units", units(&records) > 1000);
        let abr =
            |does: &dyn Fn(&AbrRecord) -> bool| records.flows.iter().filter_map(|flow| flow.abr.as_ref()).any(does);
        count("backward RM cells", abr(&|abr| abr.backward_rm_cells > 10));
        count("RM cells out of rate", abr(&|abr| abr.out_of_rate_rm_cells > 0));
        count("RM cells replaced", abr(&|abr| abr.replaced_rm_cells > 0));
        let edges = || records.ports.iter().filter_map(|port| port.feedback);
        let in_cells = |does: &dyn Fn(&EdgeRecord) -> bool| !packets && edges().any(|edge| does(&edge));
        count("windows lowered in cells", in_cells(&|edge| edge.windows_lowered > 10));
        count("acknowledgements wait at edge devices", in_cells(&|edge| edge.most_acks_waiting > 2));
        count("edge devices and ABR", scenario.has_abr() && in_cells(&|edge| edge.acks > 10));
        count("EFCI", abr(&|abr| abr.efci_cells > 10));
        let edge = |does: &dyn Fn(&EdgeRecord) -> bool| ports(&|port| port.feedback.as_ref().is_some_and(does));
        count("lowered windows", edge(&|edge| edge.windows_lowered > 10));
        count("acknowledgements that wait", edge(&|edge| edge.most_acks_waiting > 1));
        let is_dynamic = |flow: &ackclock::scenario::Flow| {
            [&flow.forward, &flow.backward].iter().any(|route| route.fixed().is_none())
        };
        let changes = scenario.flows.iter().any(is_dynamic);
        count("windows lowered where routes change", changes && edge(&|edge| edge.windows_lowered > 1));
        count("acknowledgements that wait where routes change", changes && edge(&|edge| edge.most_acks_waiting > 1));
        let both_ways = crate::lab::feedback::depends_on_itself(scenario);
        count("feedback in both directions", both_ways && edge(&|edge| edge.windows_lowered > 0));
        count("rates that fall and rise", abr(&|abr| abr.least_acr < 0.9 * abr.acr));
    }
    for (what, count) in &counts {
        // Some are rare, and every mechanism that is added draws others: what is never there is what tells of a mistake.
        assert!(*count >= 1, "{what}: {count} of 900\n{counts:#?}");
    }
}

/// At how many ports of the medium `air` packets waited.
fn ports_of_air_that_wait(scenario: &ackclock::scenario::Scenario, records: &Records) -> usize {
    let is_air = |medium: &std::sync::Arc<ackclock::link::Medium>| medium.name == "air";
    let at_air =
        |name: &str| scenario.links.iter().any(|link| link.name == name && link.medium.as_ref().is_some_and(is_air));
    records.ports.iter().filter(|port| port.max_queue > 1 && at_air(&port.name)).count()
}

/// What became of datagrams, in packets or in cells.
fn count_datagrams(packets: bool, has_abr: bool, records: &Records, count: &mut impl FnMut(&'static str, bool)) {
    let udp = |does: &dyn Fn(&UdpCounts) -> bool| records.udp.iter().any(|source| does(&source.counts));
    for (in_packets, datagrams, lost) in
        [(true, "datagrams", "lost datagrams"), (false, "datagrams in cells", "lost datagrams in cells")]
    {
        count(datagrams, packets == in_packets && udp(&|udp| udp.delivered > 10));
        count(lost, packets == in_packets && udp(&|udp| udp.lost > 0));
    }
    let comes_back = |source: &UdpRecord| source.round_trips.as_ref().is_some_and(|all| all.count() > 10);
    for (in_packets, what) in [(true, "datagrams that come back"), (false, "datagrams that come back in cells")] {
        count(what, packets == in_packets && records.udp.iter().any(comes_back));
    }
    count("datagrams beside ABR", has_abr && udp(&|udp| udp.delivered > 10));
}

/// Packet networks in which all flows have exchanges: both engines agree, and whatever is delivered was sent.
#[test]
fn both_engines_agree_where_data_go_in_both_directions() {
    let (mut completed, mut retransmissions) = (0, 0);
    for number in 0..900 {
        let stream = Stream::new(number, "exchanges", "test");
        let bytes: Vec<u8> = (0..1600).map(|index| stream.at(index) as u8).collect();
        let Example { mut scenario, seed, stops } = example(&bytes);
        if !crate::lab::exchanges::everywhere(&mut scenario, stream) {
            continue;
        }
        let records = engines_agree(&scenario, seed, &stops).unwrap_or_else(|text| panic!("{number}: {text}"));
        crate::lab::conserves(&records);
        for (given, flow) in scenario.flows.iter().zip(&records.flows) {
            retransmissions += flow.counts.retransmissions;
            let Some(exchanges) = &flow.exchanges else { continue };
            let ApplicationParams::Exchanges(params) = &*given.application else { panic!("{number}: {given:?}") };
            let back = crate::lab::flow(&records, &format!("{}-back", flow.name));
            assert!(flow.counts.bytes_delivered <= exchanges.request_bytes, "{number}: {exchanges:?}");
            assert!(back.counts.bytes_delivered <= exchanges.response_bytes, "{number}: {exchanges:?}");
            let under_way = exchanges.requests - exchanges.completed;
            assert!(under_way <= params.outstanding, "{number}: {exchanges:?}");
            if exchanges.requests == exchanges.completed {
                assert_eq!(flow.counts.bytes_delivered, exchanges.request_bytes, "{number}");
                assert_eq!(back.counts.bytes_delivered, exchanges.response_bytes, "{number}");
            }
            completed += exchanges.completed;
        }
    }
    assert!(completed > 1000 && retransmissions > 1000, "{completed} exchanges, {retransmissions} retransmissions");
}

/// The same with rate control: ports give rates to each direction of data.
#[test]
fn both_engines_agree_on_rate_control_of_data_in_both_directions() {
    let (mut completed, mut lowered, mut lowered_where_routes_change, mut made) = (0, 0, 0, 0);
    for number in 0..1200 {
        let bytes = |name: &str| -> Vec<u8> {
            let stream = Stream::new(number, name, "test");
            (0..1600).map(|index| stream.at(index) as u8).collect()
        };
        let Example { mut scenario, seed, mut stops } = example(&bytes("rate control of exchanges"));
        let of_feedback = bytes("feedback");
        if !crate::lab::feedback::everywhere(&mut Choices::new(&of_feedback), &mut scenario, &mut stops)
            || !crate::lab::exchanges::everywhere(&mut scenario, Stream::new(number, "exchanges", "test"))
        {
            continue;
        }
        let records = engines_agree(&scenario, seed, &stops).unwrap_or_else(|text| panic!("{number}: {text}"));
        crate::lab::conserves(&records);
        let of_edges: u64 =
            records.ports.iter().filter_map(|port| port.feedback).map(|edge| edge.windows_lowered).sum();
        let changes = scenario.flows.iter().any(|flow| flow.forward.fixed().is_none());
        lowered += of_edges;
        // What routers make of acknowledgements on data.
        let captured = records.captures.iter().flat_map(|capture| &capture.packets);
        made += captured.filter(|packet| packet.frame >= 1 << 31).count();
        lowered_where_routes_change += if changes { of_edges } else { 0 };
        completed +=
            records.flows.iter().filter_map(|flow| flow.exchanges.as_ref()).map(|all| all.completed).sum::<u64>();
    }
    assert!(completed > 1000 && made > 300, "{completed} exchanges, {made} packets made by routers");
    assert!(
        lowered > 5000 && lowered_where_routes_change > 100,
        "{lowered}, {lowered_where_routes_change} windows lowered"
    );
}

fn units(records: &Records) -> u64 {
    records.ports.iter().map(|port| port.arrivals).sum()
}
