//! Whole networks: exact times by hand, conservation, determinism, and what must not matter.

mod losses;
mod slow_links;

use crate::lab::*;
use ackclock::record::{Columns, Records};
use ackclock::sim::{self, Engine};
use ackclock::units::{Span, Time};

/// Serialization time of a cell at 155.52 Mb/s, ps.
const C: u64 = 2_726_337;

// ---- exact times ----

/// One segment alone: 12 cells. The last has left the host at 12c; each of the two switches, with one input each,
/// passes it on whole (c); then the acknowledgement, 2 cells, comes back by the reverse path.
#[test]
fn one_segment_alone_takes_the_time_computed_by_hand() {
    let text = LAN.replace("sources = 5", "sources = 1");
    let records = run(&scenario(&text, &["traffic.size=512 B"]), 1);
    let delay = 5_000_000;
    let expected = (12 + 1 + 1) * C + 3 * delay + (2 + 1 + 1) * C + 3 * delay;
    assert_eq!(flow(&records, "f1").completed, Some(Time::from_ps(expected)));
}

/// Without any delay the transmissions remain, on both engines, whether or not the ports are shared.
#[test]
fn links_without_delay_take_the_time_of_the_transmissions() {
    let without = ["traffic.size=512 B", "network.access_delay=0 s", "network.trunk_delay=0 s"];
    let completed = |sets: &[&str], engine| {
        let mut simulation = sim::build_with(&scenario(LAN, &[&without, sets].concat()), 1, engine);
        simulation.step(Time::NEVER);
        flow(&simulation.records(), "f1").completed
    };
    let slot_end = |t: u64| (t / C + 1) * C;
    let at_receiver = slot_end(12 * C) + 2 * C;
    let shared = slot_end(at_receiver + 2 * C) + 2 * C;
    for engine in [Engine::Batched, Engine::Reference] {
        let alone = completed(&["network.sources=1"], engine);
        assert_eq!(alone, Some(Time::from_ps((12 + 1 + 1 + 2 + 1 + 1) * C)));
        let beside_another = completed(&["network.sources=2", "flow.f2.start=1 s"], engine);
        assert_eq!(beside_another, Some(Time::from_ps(shared)));
    }
}

/// The same where the trunk's ports are shared with a second source that is silent: at the first switch and, for the
/// acknowledgement, at the second, each cell waits for the end of its slot.
#[test]
fn a_shared_port_adds_the_wait_to_the_end_of_the_slot() {
    let text = LAN.replace("sources = 5", "sources = 2");
    let records = run(&scenario(&text, &["traffic.size=512 B", "flow.f2.start=1 s"]), 1);
    let delay = 5_000_000;
    let slot_end = |t: u64| (t / C + 1) * C;
    // The last cell of the data reaches the first switch; it is transmitted from the end of its slot.
    let at_receiver = slot_end(12 * C + delay) + C + delay + C + delay;
    let at_sender = slot_end(at_receiver + 2 * C + delay) + C + delay + C + delay;
    assert_eq!(flow(&records, "f1").completed, Some(Time::from_ps(at_sender)));
}

/// Paced at 77.76 Mb/s, the cells of a frame start two cell times apart; the last one still takes c on the link.
#[test]
fn a_paced_source_spaces_its_cells() {
    let text = LAN.replace("sources = 5", "sources = 1");
    let records = run(&scenario(&text, &["traffic.size=512 B", "atm.pcr=77.76 Mbps"]), 1);
    let delay = 5_000_000;
    let spacing = 5_452_675; // 424 bit at 77.76 Mb/s: 5 452 674.9 ps
    let expected = 11 * spacing + 3 * C + 3 * delay + spacing + 3 * C + 3 * delay;
    assert_eq!(flow(&records, "f1").completed, Some(Time::from_ps(expected)));
}

/// One segment over 10, 100 and 10 Mb/s.
const ONE_PACKET: &str = r#"
duration = "1 s"
[network]
technology = "packet"
topology = "dumbbell"
sources = 1
access_rate = "10 Mbps"
access_delay = "1 ms"
bottleneck_rate = "100 Mbps"
bottleneck_delay = "2 ms"
[tcp]
dialect = "osu"
mss = "1460 B"
[traffic]
size = "1460 B"
"#;

/// The same packet out, and its acknowledgement back over a return channel of 64 kb/s and 200 ms: 5 ms for 40 octets.
#[test]
fn a_return_channel_has_a_rate_and_a_delay_of_its_own() {
    let channel = ["link.sw2->sw1.rate=64 kbps", "link.sw2->sw1.delay=200 ms"];
    let us = |bits: u64, kbps: u64| bits * 1_000_000_000 / kbps; // ps
    let out = 2 * us(12_000, 10_000) + us(12_000, 100_000) + 4_000_000_000;
    let back = 2 * us(320, 10_000) + us(320, 64) + 202_000_000_000;
    for engine in [Engine::Batched, Engine::Reference] {
        let mut simulation = sim::build_with(&scenario(ONE_PACKET, &channel), 1, engine);
        simulation.step(Time::NEVER);
        assert_eq!(flow(&simulation.records(), "f1").completed, Some(Time::from_ps(out + back)));
    }
}

/// A packet of 1500 octets over 10, 100 and 10 Mb/s, and its acknowledgement of 40 octets back.
#[test]
fn a_packet_is_stored_and_forwarded() {
    let records = run(&scenario(ONE_PACKET, &[]), 1);
    let us = |bits: u64, mbps: u64| bits * 1_000_000 / mbps; // ps
    let data = 2 * us(12_000, 10) + us(12_000, 100);
    let ack = 2 * us(320, 10) + us(320, 100);
    let delay = 2 * 4_000_000_000;
    assert_eq!(flow(&records, "f1").completed, Some(Time::from_ps(data + ack + delay)));
}

/// A source that never waits fills its link to the value of the table, within one segment.
#[test]
fn a_saturated_source_reaches_the_payload_rate_of_the_table() {
    for (mss, cells) in [(512, 12), (1024, 23), (9140, 192), (9180, 193)] {
        let text = format!(
            r#"
            duration = "1 s"
            [network]
            topology = "n-source"
            sources = 1
            rate = "155.52 Mbps"
            access_delay = "1 ns"
            trunk_delay = "1 ns"
            [tcp]
            mss = "{mss} B"
            initial_window = "20 segments"
            receive_window = "{} B"
            "#,
            20 * mss
        );
        let delivered = flow(&run(&scenario(&text, &[]), 1), "f1").counts.bytes_delivered;
        let segments = 1_000_000_000_000 / (cells * C);
        assert!((segments * mss).abs_diff(delivered) <= mss, "MSS {mss}: {delivered} bytes");
    }
}

// ---- what must hold ----

/// [SACK-UBR] §5.3: a buffer for the receiver windows of all sources loses nothing and wastes nothing.
#[test]
fn a_buffer_for_all_windows_loses_nothing() {
    // 127 segments of 12 cells each.
    for (sources, cells) in [(5, 5 * 127 * 12), (15, 15 * 127 * 12)] {
        let sets = [format!("network.sources={sources}"), format!("queue.buffer={cells} cells")];
        let records = run(&scenario(LAN, &[&sets[0], &sets[1], "queue.policy=tail-drop"]), 1);
        assert_eq!(records.ports.iter().map(|port| port.drops.total()).sum::<u64>(), 0);
        assert!(records.flows.iter().all(|flow| flow.counts.retransmissions == 0 && flow.counts.timeouts == 0));
        assert!(records.efficiency.unwrap() > 0.98, "{:?}", records.efficiency);
        // And the buffer is used: with less, something would be lost.
        assert!(port(&records, "sw1->sw2").max_queue > cells * 9 / 10);
    }
}

#[test]
fn the_frames_of_a_port_are_whole_multiples_where_nothing_is_cut() {
    let records = run(&scenario(LAN, &["queue.policy=epd"]), 3);
    let port = port(&records, "sw1->sw2");
    assert!(port.drops.policy > 0);
    assert_eq!((port.drops.overflow, port.drops.partial_frame), (0, 0), "R = 800 leaves room for every frame");
    assert_eq!(port.drops.policy % 12, 0, "only whole frames are refused");
    conserves(&records);
}

// ---- determinism ----

#[test]
fn the_same_seed_gives_the_same_bits_in_any_number_of_steps_and_threads() {
    let scenario = scenario(LAN, &[]);
    let whole: Vec<Records> = (1..=4).map(|seed| run(&scenario, seed)).collect();
    let threaded: Vec<Records> = std::thread::scope(|scope| {
        let handles: Vec<_> = (1..=4)
            .map(|seed| {
                scope.spawn({
                    let s = &scenario;
                    move || run(s, seed)
                })
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    assert_eq!(whole, threaded);

    let mut sliced = sim::build(&scenario, 1);
    for step in 1..=1000 {
        sliced.step(Time::ZERO + Span::from_us(2300) * step);
    }
    assert_eq!(sliced.records(), whole[0]);
}

/// From one event to the next: nothing happens before it, and the run is the same. After its last event it is over at once.
#[test]
fn the_next_event_is_known_beforehand() {
    let scenario = scenario(LAN, &["traffic.size=20 kB", "flow.f2.start=50 s", "duration=1000 s"]);
    let whole = run(&scenario, 1);
    for engine in [Engine::Batched, Engine::Reference] {
        let mut simulation = sim::build_with(&scenario, 1, engine);
        let (mut longest, mut steps) = (Span::ZERO, 0);
        while !simulation.progress().finished() {
            let (before, next) = (simulation.progress(), simulation.next_event());
            assert_eq!(simulation.step(next).events, before.events, "{engine:?}: nothing before {next}");
            longest = longest.max(next.since(before.now));
            simulation.step(next + Span::from_us(1));
            steps += 1;
        }
        assert_eq!(simulation.records(), whole);
        assert!(longest > Span::from_secs(900), "{engine:?}: nothing is left to do");
        assert!(steps < 20_000, "{engine:?}: {steps}");
    }
}

#[test]
fn flows_begin_a_random_time_after_their_start() {
    let jitter = "traffic = { start = \"100 ms\", start_jitter = \"50 ms\" }";
    let mut scenario = scenario(&format!("{jitter}\nrecord = [\"sent\"]\n{LAN}"), &["queue.service_order=fixed"]);
    assert!(sim::has_randomness(&scenario));
    for engine in [Engine::Batched, Engine::Reference] {
        let mut seen = Vec::new();
        for seed in [1, 2] {
            let mut simulation = sim::build_with(&scenario, seed, engine);
            simulation.step(Time::from_ps(200_000_000_000));
            for (flow, series) in scenario.flows.iter().zip(&simulation.records().series) {
                let Columns::Points { time, .. } = &series.columns else { panic!("points") };
                assert_eq!(time[0], flow.begins(seed));
                seen.push(time[0].as_ps() / 1_000_000_000);
            }
        }
        seen.sort_unstable();
        assert!(seen[0] >= 100 && seen[9] < 150, "{seen:?}");
        seen.dedup();
        assert!(seen.len() >= 8, "ten draws of 50 ms: {seen:?}");
    }
    for flow in scenario.flows.iter_mut() {
        flow.start_jitter = Span::ZERO;
        assert_eq!(flow.begins(1), flow.start);
    }
    assert!(!sim::has_randomness(&scenario));
}

#[test]
fn different_seeds_differ_where_there_is_randomness() {
    let scenario = scenario(LAN, &[]);
    assert!(sim::has_randomness(&scenario));
    assert_ne!(run(&scenario, 1).fingerprint, run(&scenario, 2).fingerprint);
}

#[test]
fn a_scenario_without_randomness_says_so() {
    for sets in [["network.sources=1", "queue.policy=epd"], ["queue.service_order=fixed", "queue.policy=epd"]] {
        let scenario = scenario(LAN, &sets);
        assert!(!sim::has_randomness(&scenario));
        assert_eq!(run(&scenario, 1).fingerprint, run(&scenario, 2).fingerprint);
    }
    let random_phase = scenario(LAN, &["network.sources=1", "tcp.tick_phase=random"]);
    assert!(sim::has_randomness(&random_phase));
}

#[test]
fn a_short_run_is_the_beginning_of_a_long_one() {
    let (short, long) = (scenario(LAN, &["duration=1 s"]), scenario(LAN, &["duration=3 s"]));
    let mut simulation = sim::build(&long, 1);
    simulation.step(Time::ZERO + Span::from_secs(1));
    let beginning = simulation.records();
    assert!(!beginning.complete);
    assert_eq!(Records { complete: true, ..beginning }, run(&short, 1));
}

#[test]
fn an_idle_source_changes_nothing() {
    let idle = r#"
        [node.idle]
        kind = "host"
        [link]
        idle = { ends = ["idle", "sw1"], rate = "155.52 Mbps", delay = "1 us" }
        [flow]
        idle = { from = "idle", to = "d1", start = "1 h" }
    "#;
    let (without, with) = (scenario(LAN, &[]), scenario(&format!("{LAN}{idle}"), &[]));
    let (a, b) = (run(&without, 1), run(&with, 1));
    // A sixth source like the others, which does not begin: the same.
    let sixth = run(&scenario(LAN, &["network.sources=6", "flow.f6.start=1 h"]), 1);
    for with in [b, sixth] {
        assert_eq!(a.fingerprint, with.fingerprint);
        assert_eq!((a.efficiency, a.fairness), (with.efficiency, with.fairness));
        for flow_of_a in &a.flows {
            assert_eq!(flow_of_a, flow(&with, &flow_of_a.name));
        }
    }
}

/// Efficiency and fairness are about the flows whose data cross the bottleneck, `sw1->sw2`.
#[test]
fn a_reverse_flow_counts_neither_into_efficiency_nor_into_fairness() {
    let back = "[flow.back]\nfrom = \"d1\"\nto = \"s1\"\n";
    let records = run(&scenario(&format!("{LAN}{back}"), &["warmup=1 s"]), 1);
    assert!(flow(&records, "back").goodput_bps > 50e6, "as much again would be more than 1");
    assert!(records.efficiency.unwrap() <= 1.0 && records.efficiency_after_warmup.unwrap() <= 1.0);
    let forward = || records.flows.iter().filter(|flow| flow.name != "back");
    let sum: f64 = forward().map(|flow| flow.goodput_bps).sum();
    let after: f64 = forward().map(|flow| flow.goodput_after_warmup_bps.unwrap()).sum();
    assert!((records.efficiency.unwrap() - sum / 125.198_491e6).abs() < 1e-6);
    assert!((records.efficiency_after_warmup.unwrap() - after / 125.198_491e6).abs() < 1e-6);
    let squares: f64 = forward().map(|flow| flow.goodput_bps * flow.goodput_bps).sum();
    assert!((records.fairness.unwrap() - sum * sum / (5.0 * squares)).abs() < 1e-9);
}

/// The same network, written differently. With a fixed order, who is served first depends on names alone.
#[test]
fn the_order_of_links_and_of_their_ends_does_not_matter() {
    let flipped =
        |name: &str, a: &str, b: &str| (format!("{name} = {{ ends = [\"{a}\", \"{b}\"]"), [a, b].map(str::to_owned));
    for order in ["fixed", "rotating", "random"] {
        let order_set = format!("queue.service_order={order}");
        // The slow link made fast: the port that two inputs share is the bottleneck.
        let sets = [order_set.as_str(), "queue.buffer=100 cells", "link.tu.rate=155.52 Mbps"];
        let as_written = run(&scenario(CHAIN, &sets), 1);
        assert!(port(&as_written, "s->t").drops.total() > 0, "two inputs compete for room");
        let mut text = CHAIN.to_owned();
        for (line, [a, b]) in [flipped("as", "a", "s"), flipped("st", "s", "t"), flipped("uc", "u", "c")] {
            assert!(text.contains(&line));
            text = text.replace(&line, &line.replace(&format!("[\"{a}\", \"{b}\"]"), &format!("[\"{b}\", \"{a}\"]")));
        }
        assert_eq!(run(&scenario(&text, &sets), 1), as_written, "{order}: ends the other way round");
        let (before, links) = CHAIN.split_once("[link]\n").unwrap();
        let (links, after) = links.split_once("[queue]").unwrap();
        let links: Vec<&str> = links.lines().rev().collect();
        let text = format!("{before}[link]\n{}\n[queue]{after}", links.join("\n"));
        assert_eq!(run(&scenario(&text, &sets), 1), as_written, "{order}: links from last to first");
    }
}

#[test]
fn a_cancelled_run_keeps_what_it_has() {
    let scenario = scenario(LAN, &[]);
    let mut simulation = sim::build(&scenario, 1);
    simulation.step(Time::ZERO + Span::from_ms(700));
    simulation.cancel();
    assert!(simulation.step(Time::NEVER).finished());
    let records = simulation.records();
    assert_eq!((records.complete, records.simulated), (false, Span::from_ms(700)));
    conserves(&records);
}

// ---- traffic ----

/// 2 s, of which the first half second does not count.
#[test]
fn goodput_after_the_warmup_counts_exactly_what_came_later() {
    let scenario = scenario(LAN, &["warmup=500 ms"]);
    let mut simulation = sim::build(&scenario, 1);
    simulation.step(Time::ZERO + Span::from_ms(500));
    let warm = simulation.records();
    simulation.step(Time::NEVER);
    let end = simulation.records();
    for (warm, end) in warm.flows.iter().zip(&end.flows) {
        assert!(0 < warm.counts.bytes_delivered && warm.counts.bytes_delivered < end.counts.bytes_delivered);
        let later = (end.counts.bytes_delivered - warm.counts.bytes_delivered) as f64 * 8.0 / 1.5;
        assert_eq!(end.goodput_after_warmup_bps, Some(later), "{}", end.name);
        assert_eq!(end.goodput_bps, end.counts.bytes_delivered as f64 * 8.0 / 2.0);
        assert_eq!(warm.goodput_after_warmup_bps, None, "there is no time after it yet");
    }
    let rest = end.after_warmup.as_ref().unwrap();
    assert_eq!(warm.after_warmup, None);
    for ((warm, end), rest) in warm.ports.iter().zip(&end.ports).zip(&rest.ports) {
        assert_eq!((rest.arrivals, rest.departures), (end.arrivals - warm.arrivals, end.departures - warm.departures));
        assert_eq!(rest.drops.total(), end.drops.total() - warm.drops.total());
        let mean = (end.mean_queue * 2.0 - warm.mean_queue * 0.5) / 1.5;
        assert!(
            (rest.mean_queue - mean).abs() < 1e-9 * (1.0 + mean),
            "{}: {} is not {mean}",
            end.name,
            rest.mean_queue
        );
    }
    for ((warm, end), rest) in warm.flows.iter().zip(&end.flows).zip(&rest.flows) {
        assert_eq!(rest.timeouts, end.counts.timeouts - warm.counts.timeouts);
        assert_eq!(rest.retransmissions, end.counts.retransmissions - warm.counts.retransmissions);
    }
    let goodputs = end.flows.iter().map(|flow| flow.goodput_after_warmup_bps.unwrap());
    assert_eq!(rest.fairness, ackclock::record::metrics::jain(goodputs));
    let all: f64 = end.flows.iter().map(|flow| flow.goodput_after_warmup_bps.unwrap()).sum();
    assert!((end.efficiency_after_warmup.unwrap() - all / 125.198_491e6).abs() < 1e-6);
    // Where the run is cut into steps makes no difference, though the warm-up lies within one.
    assert_eq!(run(&scenario, 1), end);
}

/// Three files, of which the last ends within the warm-up: fairness after that is about the other two, which get the same. Over
/// the whole run it is about all three.
#[test]
fn fairness_is_about_the_flows_that_were_active_in_the_measured_time() {
    let text = LAN
        .replace("sources = 5", "sources = 3")
        .replace("1000 cells", "infinite")
        .replace("selective-drop", "tail-drop");
    let sets = ["warmup=1 s", "tcp.receive_window=9 kB", "flow.f3.size=20 kB"];
    let records = agree::assert_engines_agree("active", &scenario(&text, &sets), 1);
    let goodputs = records.flows.iter().map(|flow| flow.goodput_after_warmup_bps.unwrap());
    // (1 + 1 + 0)² / (3 · 2)
    assert!((ackclock::record::metrics::jain(goodputs).unwrap() - 2.0 / 3.0).abs() < 0.001);
    assert!((records.after_warmup.unwrap().fairness.unwrap() - 1.0).abs() < 0.001);
    assert!(records.fairness.unwrap() < 0.67);
    // A flow that stops within the warm-up, and is acknowledged, has ended too.
    let sets = ["warmup=1 s", "tcp.receive_window=9 kB", "flow.f3.stop=500 ms"];
    let records = agree::assert_engines_agree("stopped", &scenario(&text, &sets), 1);
    assert!((records.after_warmup.unwrap().fairness.unwrap() - 1.0).abs() < 0.001);
}

/// Nobody has begun: that is neither fair nor unfair. In the warm-up everybody has something, later nobody.
#[test]
fn fairness_of_nothing_is_none() {
    let records = run(&scenario(LAN, &["traffic.start=1 h"]), 1);
    assert_eq!((records.fairness, records.after_warmup.map(|rest| rest.fairness)), (None, None));
    let sets = ["warmup=1 s", "traffic.size=20 kB"];
    let records = run(&scenario(LAN, &sets), 1);
    assert!(records.fairness.is_some() && records.after_warmup.unwrap().fairness.is_none());
}

/// Several flows per host, traffic in both directions, a chain of switches with a slower link.
const CHAIN: &str = r#"
duration = "500 ms"
network = { topology = "graph" }
node = { a.kind = "host", b.kind = "host", c.kind = "host", s.kind = "switch", t.kind = "switch", u.kind = "switch" }
[link]
as = { ends = ["a", "s"], rate = "155.52 Mbps", delay = "10 us" }
bs = { ends = ["b", "s"], rate = "155.52 Mbps", delay = "20 us" }
st = { ends = ["s", "t"], rate = "155.52 Mbps", delay = "1 ms" }
tu = { ends = ["t", "u"], rate = "51.84 Mbps", delay = "500 us" }
uc = { ends = ["u", "c"], rate = "155.52 Mbps", delay = "5 us" }
[queue]
buffer = "500 cells"
policy = "fba"
[flow]
one = { from = "a", to = "c" }
two = { from = "a", to = "c", size = "200 kB" }
three = { from = "b", to = "c", tcp = { recovery = "reno" } }
back = { from = "c", to = "b", tcp = { recovery = "vanilla" } }
"#;

#[test]
fn a_graph_with_several_flows_per_host_and_reverse_traffic_runs() {
    let records = run(&scenario(CHAIN, &[]), 1);
    conserves(&records);
    assert!(records.flows.iter().all(|flow| flow.counts.bytes_delivered > 0));
    // The only congested port on the way is that of the slow link, fed by a single faster input.
    assert!(port(&records, "t->u").max_queue > 100);
    assert_eq!(records.efficiency, None, "no bottleneck is named");
    assert_eq!(flow(&records, "two").counts.bytes_delivered, 200_000);
}

#[test]
fn a_packet_dumbbell_fills_its_bottleneck() {
    let text = r#"
        duration = "20 s"
        [network]
        technology = "packet"
        topology = "dumbbell"
        sources = 3
        access_rate = "100 Mbps"
        access_delay = "1 ms"
        bottleneck_rate = "10 Mbps"
        bottleneck_delay = "10 ms"
        [port."sw1->sw2"]
        buffer = "1.5 bdp"
        [tcp]
        dialect = "osu"
        mss = "1460 B"
        recovery = "rfc6675"
    "#;
    let records = run(&scenario(text, &[]), 1);
    conserves(&records);
    assert!(port(&records, "sw1->sw2").drops.overflow > 0);
    assert!(records.efficiency.unwrap() > 0.95, "{:?}", records.efficiency);
    assert!(records.fairness.unwrap() > 0.8);
}
