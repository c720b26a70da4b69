//! Rate control of TCP at routers: window feedback and the acknowledgement bucket, in networks.

use std::sync::Arc;

use crate::lab::agree::{assert_engines_agree, assert_engines_agree_on_chains_with_feedback};
use crate::lab::{self, conserves, port, scenario};
use ackclock::ids::{FlowId, Id};
use ackclock::link::RoutingTable;
use ackclock::record::{Columns, EdgeRecord, FlowRecord, Metric, PortRecord, Records};
use ackclock::scenario::Route;
use ackclock::sim;
use ackclock::units::{Span, Time};
use proptest::prelude::*;

/// The heterogeneous N×N configuration of \[RATE-CONTROL\], with packets that take as much of a link as their cells would.
const N_BY_N: &str = r#"
duration = "1 s"
warmup = "500 ms"
[network]
technology = "packet"
topology = "n-by-n"
[packet]
link_header = "155 B"
[tcp]
dialect = "osu"
mss = "1024 B"
receive_window = "600000 B"
recovery = "vanilla"
"#;

/// Four routers in a row, with a flow over all of them and one over each link, and few bytes of buffer.
const PARKING_LOT: &str = r#"
duration = "1 s"
[network]
technology = "packet"
topology = "parking-lot"
switches = 4
rate = "10 Mbps"
access_delay = "1 ms"
trunk_delay = "3 ms"
[queue]
buffer = "20 packets"
[tcp]
dialect = "standard"
receive_window = "400000 B"
"#;

/// A host, a router and a host, with a flow from the first to the last.
const ONE_ROUTER: &str = r#"
duration = "500 ms"
network = { technology = "packet", topology = "graph" }
node = { a.kind = "host", r.kind = "switch", b.kind = "host" }
tcp.dialect = "osu"
queue.rate_algorithm = "simplified-erica-plus"
[link]
left = { ends = ["a", "r"], rate = "10 Mbps", delay = "1 ms" }
right = { ends = ["r", "b"], rate = "5 Mbps", delay = "1 ms" }
[flow]
f = { from = "a", to = "b" }
"#;

const RATES: &str = "queue.rate_algorithm=simplified-erica-plus";

fn run(text: &str, sets: &[&str]) -> Records {
    lab::run(&scenario(text, sets), 1)
}

fn edge(records: &Records, name: &str) -> EdgeRecord {
    port(records, name).feedback.unwrap()
}

#[test]
fn the_engines_agree_with_every_kind_of_feedback() {
    for feedback in ["window", "bucket", "both"] {
        let feedback = format!("queue.tcp_feedback={feedback}");
        let records = assert_engines_agree(&feedback, &scenario(N_BY_N, &[RATES, &feedback]), 1);
        let edge = edge(&records, "sw1->sw2");
        assert!(edge.acks > 1000 && edge.allocation.is_some());
        assert_eq!(edge.windows_lowered > 100, !feedback.contains("bucket"));
        assert_eq!(edge.most_acks_waiting > 100, !feedback.contains("window"));
    }
}

/// Each algorithm that computes rates; several routers on a path; losses, delayed acknowledgements, SACK, SYN and FIN; all that
/// can be recorded.
#[test]
fn the_engines_agree_on_chains_of_routers() {
    assert_engines_agree_on_chains_with_feedback(PARKING_LOT, |_, _| {});
}

/// The window is what the rate fills in the fixed time, and without a rate what the receiver advertises.
/// \[RATE-CONTROL\] §5 to the letter, and what ERICA does there: rates of 0, rates without an upper bound.
#[test]
fn the_engines_agree_on_every_reading_of_the_printed_rule() {
    let printed = [
        "rates_from=first-interval",
        "first_rate=zero",
        "first_rate=equal-share",
        "limited_by_target=false",
        "limited_by_fair_share=false",
        "fair_share_at_light_load=true",
        "largest_rise=10",
        "least_load=1e-9",
    ];
    let default = run(N_BY_N, &[RATES, "queue.tcp_feedback=both"]);
    for reading in printed {
        let set = format!("queue.simplified-erica-plus.{reading}");
        let records = assert_engines_agree(reading, &scenario(N_BY_N, &[RATES, "queue.tcp_feedback=both", &set]), 1);
        // Where nothing arrives all rates are 0, whatever they are divided by; no rate of fifteen flows exceeds an equal share at first,
        // nor the target ever.
        let same = ["least_load=1e-9", "first_rate=equal-share", "limited_by_target=false"];
        let is_the_same = same.contains(&reading);
        assert_eq!(records.fingerprint == default.fingerprint, is_the_same, "{reading}");
    }
}

/// Three routers on the path of A, whose share of each trunk is 5 Mb/s. They offer different parts of it: wherever the least of them
/// is, its window, or its bucket, is what A gets.
#[test]
fn of_several_routers_the_tightest_decides() {
    let parts = [[0.3, 0.7, 0.5], [0.7, 0.3, 0.5], [0.7, 0.5, 0.3]];
    for of_ports in parts {
        let trunks = ["sw1->sw2", "sw2->sw3", "sw3->sw4"];
        let utilisation = |(trunk, part): (&str, f64)| format!("port.{trunk}.max-min.target_utilisation={part}");
        let trunks: Vec<String> = trunks.into_iter().zip(of_ports).map(utilisation).collect();
        let records = |feedback: &'static str| {
            let mut sets = vec![
                "queue.rate_algorithm=max-min",
                "tcp.mss=1000 B",
                "queue.buffer=100 packets",
                // Filled within a second: while a window grows, each acknowledgement lets more than it acknowledges go.
                "tcp.receive_window=32000 B",
                "duration=3 s",
                "warmup=2 s",
                "record=[\"send-window\"]",
                feedback,
            ];
            if feedback.ends_with("window") {
                sets.push("queue.feedback_round_trip=100 ms");
            }
            sets.extend(trunks.iter().map(String::as_str));
            assert_engines_agree(feedback, &scenario(PARKING_LOT, &sets), 1)
        };
        let windows = records("queue.tcp_feedback=window");
        let of_a =
            windows.series.iter().find(|series| series.metric == Metric::SendWindow && series.of == "A").unwrap();
        let Columns::Points { value, .. } = &of_a.columns else { panic!() };
        // 1.5 Mb/s in packets of 1052 bytes, with the option of timestamps, are 17.8 segments in 100 ms.
        assert_eq!(value.last(), Some(&17_000.0), "{of_ports:?}");
        let buckets = records("queue.tcp_feedback=bucket");
        let a = buckets.flows.iter().find(|flow| flow.name == "A").unwrap();
        let rate = a.goodput_after_warmup_bps.unwrap() * 1.052;
        assert!((rate / 1.5e6 - 1.0).abs() < 0.03, "{rate} of 1.5 Mb/s with {of_ports:?}");
    }
}

#[test]
fn senders_follow_the_window() {
    let sets = [RATES, "queue.tcp_feedback=window", "queue.feedback_round_trip=70 ms", "record=[\"send-window\"]"];
    let records = run(N_BY_N, &sets);
    let windows =
        records.series.iter().find(|series| series.metric == Metric::SendWindow && series.of == "C1").unwrap();
    let Columns::Points { value, .. } = &windows.columns else { panic!() };
    let steady = &value[value.len() / 2..];
    let mean = steady.iter().sum::<f64>() / steady.len() as f64;
    assert!((40_000.0..100_000.0).contains(&mean), "{mean}");
    assert!(steady.iter().all(|window| window % 1024.0 == 0.0), "whole segments");
}

/// \[RATE-CONTROL\] §4.1, case b: the receiver's window is less than what the rate fills.
#[test]
fn a_small_receiver_window_is_not_changed_at_all() {
    let small = "tcp.receive_window=4096 B";
    let without = run(N_BY_N, &[small]);
    let with = run(N_BY_N, &[small, RATES, "queue.tcp_feedback=window", "queue.feedback_round_trip=70 ms"]);
    assert_eq!(edge(&with, "sw1->sw2").windows_lowered, 0);
    // Shares are known only where a port gives rates.
    let known: Vec<FlowRecord> = with.flows.into_iter().map(|flow| FlowRecord { max_min: None, ..flow }).collect();
    assert_eq!(without.flows, known);
    let ports: Vec<PortRecord> = with.ports.into_iter().map(|port| PortRecord { feedback: None, ..port }).collect();
    assert_eq!((without.ports, without.fingerprint), (ports, with.fingerprint));
}

/// Released acknowledgements of a flow are as far apart as the rate says; here it is fixed.
#[test]
fn a_bucket_releases_at_the_rate() {
    let sets = [
        "queue.rate_algorithm=max-min",
        "queue.max-min.target_utilisation=1",
        "queue.tcp_feedback=bucket",
        "tcp.receive_window=131072 B",
        "duration=3 s",
        "warmup=2 s",
    ];
    let records = run(N_BY_N, &sets);
    // Windows of 128 segments are enough for a fifteenth of the link in every round trip.
    let goodputs: Vec<f64> = records.flows.iter().map(|flow| flow.goodput_after_warmup_bps.unwrap()).collect();
    let share = 155.52e6 / 15.0 * 1024.0 / 1219.0;
    for goodput in goodputs {
        assert!((goodput / share - 1.0).abs() < 0.01, "{goodput} of {share}");
    }
}

/// Two flows in opposite directions whose acknowledgements enter the ports whose rates the other one's router uses: rates and
/// acknowledgements depend on each other at one instant.
#[test]
fn the_engines_agree_on_feedback_in_both_directions() {
    for feedback in ["window", "bucket", "both"] {
        let chosen = format!("queue.tcp_feedback={feedback}");
        let scenario = scenario(ONE_ROUTER, &["flow.g.from=b", "flow.g.to=a", &chosen]);
        let records = assert_engines_agree(feedback, &scenario, 1);
        assert!(records.ports.iter().all(|port| port.feedback.unwrap().acks > 10));
    }
}

/// The last port before a host gives rates, and is done in one step with the port before, with rates of its own or without; if it is
/// recorded over time it is not.
#[test]
fn the_engines_agree_where_the_last_port_before_a_host_gives_rates() {
    let text = r#"
duration = "500 ms"
network = { technology = "packet", topology = "graph" }
node = { a.kind = "host", b.kind = "host", c.kind = "host", r.kind = "switch", s.kind = "switch" }
[tcp]
dialect = "osu"

[link]
a = { ends = ["a", "r"], rate = "10 Mbps", delay = "1 ms" }
c = { ends = ["c", "r"], rate = "10 Mbps", delay = "1 ms" }
middle = { ends = ["r", "s"], rate = "5 Mbps", delay = "10 us" }
b = { ends = ["s", "b"], rate = "5 Mbps", delay = "1 ms" }
[flow]
f = { from = "a", to = "b", size = "150001 B" }
g = { from = "c", to = "a" }
"#;
    for feedback in ["window", "bucket", "both"] {
        for port in ["queue", "port.\"s->b\""] {
            let sets =
                [format!("{port}.rate_algorithm=simplified-erica-plus"), format!("{port}.tcp_feedback={feedback}")];
            let [rates, feedback] = sets.each_ref().map(String::as_str);
            for recorded in ["record=[]", "record=[\"vc-queue\"]", "record=[\"allocation\"]"] {
                let records = assert_engines_agree(feedback, &scenario(text, &[rates, feedback, recorded]), 1);
                assert!(edge(&records, "s->b").acks > 10);
            }
        }
    }
}

/// GFC-2, whose shares are known to the last digit: 10 Mb/s of A, 5 of B, 35 of C to E, 10 of F, 5 of G and 52.5 of H on the wire. A
/// segment of 1024 bytes takes 1219 of them.
#[test]
fn flows_have_max_min_shares_where_ports_give_rates() {
    let gfc = N_BY_N.replace("n-by-n", "gfc-2").replace("1 s", "20 ms").replace("500 ms", "0 s");
    let shares = |sets: &[&str]| -> Vec<_> {
        run(&gfc, sets).flows.iter().map(|flow| (flow.name.clone(), flow.max_min)).collect()
    };
    let with = shares(&[RATES, "queue.tcp_feedback=bucket"]);
    for (name, share) in with {
        let (share, of_group) = (share.unwrap(), &name[..1]);
        let mbps = match of_group {
            "A" | "F" => 10.0,
            "B" | "G" => 5.0,
            "H" => 52.5,
            _ => 35.0,
        };
        assert_eq!(share.wire_bps, mbps * 1e6, "{name}");
        assert!((share.payload_bps - mbps * 1e6 * 1024.0 / 1219.0).abs() < 1e-3, "{name}");
    }
    assert!(shares(&[]).iter().all(|(_, share)| share.is_none()));
}

/// Five flows of each distance are one unit: both engines, with every kind of feedback and several routers on the path.
#[test]
fn the_engines_agree_on_groups_of_flows() {
    for feedback in ["window", "bucket", "both"] {
        let feedback = format!("queue.tcp_feedback={feedback}");
        let records =
            assert_engines_agree(&feedback, &scenario(N_BY_N, &[RATES, &feedback, "queue.feedback_group=5"]), 1);
        assert!(edge(&records, "sw1->sw2").acks > 1000);
        let sets = [RATES, &feedback, "queue.feedback_group=2", "queue.simplified-erica-plus.averaging_interval=10 ms"];
        assert_engines_agree(&feedback, &scenario(PARKING_LOT, &sets), 3);
    }
}

/// With fixed shares of the whole link, a bucket of five flows releases a third of it: what its members get may differ, but not what
/// they get together.
#[test]
fn a_group_has_the_rate_of_its_members() {
    let sets = [
        "queue.rate_algorithm=max-min",
        "queue.max-min.target_utilisation=1",
        "queue.tcp_feedback=bucket",
        "queue.feedback_group=5",
        "tcp.receive_window=131072 B",
        "duration=3 s",
        "warmup=2 s",
    ];
    let records = run(N_BY_N, &sets);
    let share = 155.52e6 / 3.0 * 1024.0 / 1219.0;
    for group in ["A", "B", "C"] {
        let members = records.flows.iter().filter(|flow| flow.name.starts_with(group));
        let goodput: f64 = members.map(|flow| flow.goodput_after_warmup_bps.unwrap()).sum();
        assert!((goodput / share - 1.0).abs() < 0.01, "{group}: {goodput} of {share}");
    }
}

/// Fifteen flows over one link in groups of ten are two units: five flows have as much as the ten others. By itself each has a
/// fifteenth, and the five a third.
#[test]
fn a_small_group_has_as_much_as_a_large_one() {
    for (group, part) in [(1, 1.0 / 3.0), (10, 0.5)] {
        let group = format!("queue.feedback_group={group}");
        let sets = [RATES, "queue.tcp_feedback=both", "queue.feedback_round_trip=70 ms", &group, "duration=2 s"];
        let records = run(N_BY_N, &sets);
        let goodput = |flow: &FlowRecord| flow.goodput_after_warmup_bps.unwrap();
        let all: f64 = records.flows.iter().map(goodput).sum();
        let of_c: f64 = records.flows.iter().filter(|flow| flow.name.starts_with('C')).map(goodput).sum();
        assert!((of_c / all - part).abs() < 0.06, "{group}: {} of {part}", of_c / all);
    }
}

/// Acknowledgements of f leave the path of its data from 2 to 4 s.
fn route_change() -> String {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/rate-control/route-change.toml");
    std::fs::read_to_string(file).unwrap()
}

/// While acknowledgements come by another router their sender is told what its receiver allows, and the flow takes what others leave; then
/// the router lowers its window again. The other flows are told windows all the time.
#[test]
fn acknowledgements_that_leave_the_path_of_the_data_pass_unchanged() {
    let records = assert_engines_agree("route change", &scenario(&route_change(), &[]), 1);
    let windows = |flow: &str, from: u64, until: u64| -> Vec<f64> {
        let series =
            records.series.iter().find(|series| series.metric == Metric::SendWindow && series.of == flow).unwrap();
        let Columns::Points { time, value } = &series.columns else { panic!() };
        let within = |time: &&Time| (from..until).contains(&(time.as_ps() / 1_000_000_000));
        time.iter().zip(value).filter(|(time, _)| within(time)).map(|(_, value)| *value).collect()
    };
    let below = |windows: Vec<f64>| windows.iter().filter(|window| **window < 131_072.0).count();
    assert!(below(windows("f", 1000, 2000)) > 10 && below(windows("f", 4500, 6000)) > 10);
    // Of acknowledgements that waited in the bucket some arrive when newer ones have come by r3, which say more.
    assert_eq!(below(windows("f", 2500, 4000)), 0);
    assert!(below(windows("g", 2500, 4000)) > 10);
    // All that the receiver allows, and not what the router said last.
    assert_eq!(windows("f", 1000, 3000).last(), Some(&131_072.0));
}

/// The data of f leave r1 by another port from 1 s on. Its acknowledgements pass r1 all the time: they are changed by the port that
/// the data leave by.
#[test]
fn acknowledgements_are_those_of_the_port_by_which_the_data_left_last() {
    let ports = ["r1->r2", "s->r3"].map(|port| {
        [format!("port.{port}.rate_algorithm=simplified-erica-plus"), format!("port.{port}.tcp_feedback=bucket")]
    });
    let mut sets: Vec<&str> = ports.iter().flatten().map(String::as_str).collect();
    let route = r#"flow.f.route_changes=[{ at = "1 s", route = ["f1", "s", "r3", "r4", "f2"] }]"#;
    sets.extend([route, "flow.f.back_route_changes=[]", "port.s->r1.rate_algorithm=simplified-erica-plus"]);
    sets.extend(["port.s->r1.tcp_feedback=bucket"]);
    let text = route_change().replace("tcp_feedback = \"both\"", "").replace("feedback_round_trip = \"40 ms\"", "");
    let mut run = sim::build(&scenario(&text, &sets), 1);
    let mut acks = |ms: u64| {
        run.step(Time::ZERO + Span::from_ms(ms));
        let records = run.records();
        ["s->r1", "s->r3"].map(|port| {
            let edge = edge(&records, port);
            (edge.acks, edge.acks_waiting)
        })
    };
    let [before, later, end] = [1000, 1500, 2500].map(|ms| acks(ms).map(|(acks, waiting)| acks + waiting));
    // Both routers of s: g and h go on by r1.
    assert!(before[0] > 100 && before[1] == 0, "{before:?}");
    assert!(later[1] > 100 && end[1] > later[1] + 100, "{later:?} {end:?}");
}

/// The router beside the receiver knows no route back from 250 to 300 ms: what leaves its bucket then is lost, and the link by which it
/// came counts that, which is the one of the receiver's host.
#[test]
fn acknowledgements_may_lose_their_route_in_a_bucket() {
    for sets in [&["capture=[\"b\"]"][..], &["record=[\"drops\"]"], &[]] {
        let sets = [&["queue.tcp_feedback=bucket"], sets].concat();
        let mut scenario = scenario(ONE_ROUTER, &sets);
        let first = scenario.flows[FlowId::from_index(0)].backward.first();
        let back = scenario.links.iter_ids().find(|(_, link)| link.name == "r->a").unwrap().0;
        let (router, a) = (scenario.links[back].from, scenario.links[back].to);
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let routes = vec![(at(0), Some(back)), (at(250), None), (at(300), Some(back))];
        let table = Arc::new(RoutingTable::new(a, 8, vec![(router, routes)]));
        scenario.flows[FlowId::from_index(0)].backward = Route::Dynamic { first, table };
        let records = assert_engines_agree("lost in a bucket", &scenario, 1);
        let edge = edge(&records, "r->b");
        let link = records.links.iter().find(|link| link.name == "b->r").unwrap();
        assert!(edge.most_acks_waiting > 10 && link.lost.no_route > 10, "{edge:?} {link:?}");
        assert!(edge.acks > records.flows[0].counts.segments_sent / 2, "{edge:?}");
    }
}

/// Errors of the trunks, in both directions.
const ERRORS: &str = r#"
[link."sw*->sw*"]
errors = { model = "uniform", rate = 0.01 }
"#;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Data and acknowledgements are lost at trunks, and at ports with few buffers: no deadlock, and every byte of every file is delivered
    /// once and in order, on both engines alike.
    #[test]
    fn every_file_arrives_whole_whatever_is_lost(
        feedback in prop::sample::select(vec!["window", "bucket", "both"]),
        algorithm in prop::sample::select(vec!["simplified-erica-plus", "erica", "erica-plus", "capc"]),
        recovery in prop::sample::select(vec!["vanilla", "reno", "new-reno", "rfc6675"]),
        (interval, round_trip) in (5_u32..40, prop_oneof![Just("individual".to_owned()), (1_u32..100).prop_map(|ms| format!("{ms} ms"))]),
        (loss_percent, packets, size, initial) in (0_u32..8, 2_u32..30, 1_u32..120_000, 1_u32..8),
        (delayed, discard, handshake, wire) in any::<(bool, bool, bool, bool)>(),
        group in 1_u32..4,
        seed in 1_u64..1000,
    ) {
        let text = PARKING_LOT.replace("1 s", "600 s") + &ERRORS.replace("0.01", &format!("{}", f64::from(loss_percent) / 100.0));
        let mut sets = vec![
            format!("queue.tcp_feedback={feedback}"),
            format!("queue.rate_algorithm={algorithm}"),
            format!("queue.{algorithm}.averaging_interval={interval} ms"),
            format!("queue.buffer={packets} packets"),
            format!("tcp.recovery={recovery}"),
            format!("tcp.initial_window={initial} segments"),
            format!("tcp.delayed_ack={delayed}"),
            format!("tcp.out_of_order={}", if discard { "discard" } else { "buffer" }),
            format!("tcp.handshake={handshake}"),
            // Six links lose packets: a third of all transmissions or their acknowledgements, and then timers back off.
            "tcp.max_rto=2 s".to_owned(),
            format!("queue.feedback_group={group}"),
            format!("traffic.size={size} B"),
        ];
        if feedback != "bucket" {
            sets.push(format!("queue.feedback_round_trip={round_trip}"));
            sets.push(format!("queue.feedback_units={}", if wire { "wire" } else { "payload" }));
        }
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let scenario = scenario(&text, &sets);
        let records = sim::build_with(&scenario, seed, sim::Engine::Reference);
        let records = finished(records);
        conserves(&records);
        for flow in &records.flows {
            prop_assert!(flow.completed.is_some(), "{} got {} of {size}", flow.name, flow.counts.bytes_delivered);
            prop_assert_eq!(flow.counts.bytes_delivered, u64::from(size));
        }
        prop_assert!(records.ports.iter().filter_map(|port| port.feedback).all(|edge| edge.acks_waiting == 0));
        prop_assert!(finished(sim::build(&scenario, seed)) == records, "the engines differ");
    }
}

fn finished(mut run: sim::Simulation) -> Records {
    while !run.step(Time::NEVER).finished() {}
    run.finish()
}

/// A flow alone on a fast path, opened by a SYN of 76 octets: that gives it no rate, so its window is as large, a round trip of 20 ms later,
/// as that of a flow that is established.
#[test]
fn a_first_rate_does_not_come_from_a_syn() {
    let text = "duration = \"400 ms\"\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 1\n\
                access_rate = \"10 Gbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"10 Gbps\"\n\
                bottleneck_delay = \"8 ms\"\n[queue]\nbuffer = \"100000 packets\"\n[tcp]\ndialect = \"standard\"\n\
                delayed_ack = false\n";
    let delivered = |handshake: &str, ms: u64| {
        let sets = [RATES, "queue.tcp_feedback=window", handshake];
        let mut simulation = sim::build(&scenario(text, &sets), 1);
        simulation.step(Time::ZERO + Span::from_ms(ms));
        simulation.records().flows[0].counts.bytes_delivered as f64
    };
    let (opened, established) = (delivered("tcp.handshake=true", 120), delivered("tcp.handshake=false", 100));
    assert!(opened > 100_000.0 && opened > 0.95 * established, "{opened} bytes, {established} if established");
}
