//! Whole networks: exact times by hand, conservation, determinism, and what must not matter.

use ackclock::record::{FlowRecord, PortRecord, Records};
use ackclock::scenario::Scenario;
use ackclock::sim;
use ackclock::units::{Span, Time};
use ackclock_scenario::{LoadError, Memory, load};
use proptest::prelude::*;

/// Five sources on a LAN with Selective Drop: many losses.
const LAN: &str = r#"
duration = "2 s"
[network]
topology = "n-source"
sources = 5
rate = "155.52 Mbps"
access_delay = "5 us"
trunk_delay = "5 us"
[queue]
buffer = "1000 cells"
policy = "selective-drop"
[tcp]
recovery = "fall-floyd"
"#;

fn scenario(text: &str, sets: &[&str]) -> Scenario {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    match load(&Memory::new().with("test.toml", text), "test.toml", &sets) {
        Ok(loaded) => loaded.scenario,
        Err(LoadError::Invalid(errors)) => panic!("{:#?}", errors.iter().map(|e| &e.message).collect::<Vec<_>>()),
        Err(error) => panic!("{error:?}"),
    }
}

fn run(scenario: &Scenario, seed: u64) -> Records {
    let mut simulation = sim::build(scenario, seed);
    simulation.step(Time::NEVER);
    simulation.records()
}

fn port<'a>(records: &'a Records, name: &str) -> &'a PortRecord {
    records.ports.iter().find(|port| port.name == name).expect("the port exists")
}

fn flow<'a>(records: &'a Records, name: &str) -> &'a FlowRecord {
    records.flows.iter().find(|flow| flow.name == name).expect("the flow exists")
}

/// Serialization time of a cell at 155.52 Mb/s, ps.
const C: u64 = 2_726_337;

// ---- exact times ----

/// One segment alone: 12 cells. The last has left the host at 12c; each of the two switches, with one input each,
/// passes it on whole (c); then the acknowledgement, 2 cells, comes back the same way.
#[test]
fn one_segment_alone_takes_the_time_computed_by_hand() {
    let text = LAN.replace("sources = 5", "sources = 1");
    let records = run(&scenario(&text, &["traffic.size=512 B"]), 1);
    let delay = 5_000_000;
    let expected = (12 + 1 + 1) * C + 3 * delay + (2 + 1 + 1) * C + 3 * delay;
    assert_eq!(flow(&records, "f1").completed, Some(Time::from_ps(expected)));
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

/// A packet of 1500 octets over 10, 100 and 10 Mb/s, and its acknowledgement of 40 octets back.
#[test]
fn a_packet_is_stored_and_forwarded() {
    let text = r#"
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
        mss = "1460 B"
        [traffic]
        size = "1460 B"
    "#;
    let records = run(&scenario(text, &[]), 1);
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
        let delivered = flow(&run(&scenario(&text, &[]), 1), "f1").bytes_delivered;
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
        assert!(records.flows.iter().all(|flow| flow.retransmissions == 0 && flow.timeouts == 0));
        assert!(records.efficiency.unwrap() > 0.98, "{:?}", records.efficiency);
        // And the buffer is used: with less, something would be lost.
        assert!(port(&records, "sw1->sw2").max_queue > cells * 9 / 10);
    }
}

fn conserves(records: &Records) {
    for port in &records.ports {
        assert_eq!(port.arrivals, port.departures + port.drops.total() + port.final_queue, "{}", port.name);
        assert_eq!(port.arrivals, port.vcs.iter().map(|vc| vc.arrivals).sum::<u64>());
        assert_eq!(port.drops.total(), port.vcs.iter().map(|vc| vc.drops).sum::<u64>());
        assert_eq!(port.final_queue, port.vcs.iter().map(|vc| vc.final_queue).sum::<u64>());
        let mean: f64 = port.vcs.iter().map(|vc| vc.mean_queue).sum();
        assert!((port.mean_queue - mean).abs() < 1e-6 * port.mean_queue.max(1.0));
        assert!(port.vcs.iter().all(|vc| vc.max_queue <= port.max_queue));
    }
    for flow in &records.flows {
        assert!(flow.bytes_delivered <= flow.bytes_sent);
        assert!(flow.retransmissions <= flow.segments_sent);
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

#[test]
fn different_seeds_differ_where_there_is_randomness() {
    let scenario = scenario(LAN, &[]);
    assert!(sim::build(&scenario, 1).has_randomness());
    assert_ne!(run(&scenario, 1).fingerprint, run(&scenario, 2).fingerprint);
}

#[test]
fn a_scenario_without_randomness_says_so() {
    for sets in [["network.sources=1", "queue.policy=epd"], ["queue.service_order=fixed", "queue.policy=epd"]] {
        let scenario = scenario(LAN, &sets);
        assert!(!sim::build(&scenario, 1).has_randomness());
        assert_eq!(run(&scenario, 1).fingerprint, run(&scenario, 2).fingerprint);
    }
    let random_phase = scenario(LAN, &["network.sources=1", "tcp.tick_phase=random"]);
    assert!(sim::build(&random_phase, 1).has_randomness());
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
        [link.idle]
        ends = ["idle", "sw1"]
        rate = "155.52 Mbps"
        delay = "1 us"
        [flow.idle]
        from = "idle"
        to = "d1"
        start = "1 h"
    "#;
    let (without, with) = (scenario(LAN, &[]), scenario(&format!("{LAN}{idle}"), &[]));
    let (a, b) = (run(&without, 1), run(&with, 1));
    assert_eq!(a.fingerprint, b.fingerprint);
    for flow_of_a in &a.flows {
        assert_eq!(flow_of_a, flow(&b, &flow_of_a.name));
    }
    // A sixth source like the others, which does not begin: the same.
    let sixth = run(&scenario(LAN, &["network.sources=6", "flow.f6.start=1 h"]), 1);
    assert_eq!(a.fingerprint, sixth.fingerprint);
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

#[test]
fn goodput_after_the_warmup_counts_only_what_came_later() {
    let records = run(&scenario(LAN, &["warmup=500 ms"]), 1);
    for flow in &records.flows {
        let in_warmup = flow.goodput_bps * 2.0 - flow.goodput_after_warmup_bps * 1.5;
        assert!(in_warmup >= 0.0 && flow.goodput_after_warmup_bps > 0.0);
    }
    let all: f64 = records.flows.iter().map(|flow| flow.goodput_after_warmup_bps).sum();
    assert!((records.efficiency_after_warmup.unwrap() - all / 125.198_491e6).abs() < 1e-6);
}

#[test]
fn files_end_and_stopped_sources_fall_silent() {
    let records = run(&scenario(LAN, &["flow.f1.size=100 kB", "flow.f2.stop=300 ms", "flow.f3.start=1 s"]), 1);
    assert_eq!(flow(&records, "f1").bytes_delivered, 100_000);
    assert!(flow(&records, "f1").completed.is_some());
    let stopped = flow(&records, "f2");
    assert_eq!(stopped.bytes_delivered % 512, 0);
    assert!(stopped.bytes_delivered < flow(&records, "f4").bytes_delivered / 2);
    assert!(flow(&records, "f3").bytes_delivered > 0);
}

#[test]
fn forced_drops_lose_exactly_the_chosen_transmissions() {
    let text = LAN
        .replace("sources = 5", "sources = 1")
        .replace("1000 cells", "infinite")
        .replace("policy = \"selective-drop\"", "policy = \"tail-drop\"");
    let drops = "flow.f1.drops=[40, 41, { segment = 41, transmission = 2 }]";
    let records = run(&scenario(&text, &[drops]), 1);
    let flow = flow(&records, "f1");
    assert_eq!(flow.forced_drops, 3);
    assert!(flow.retransmissions >= 3, "40 once, 41 twice");
    assert_eq!(flow.timeouts, 1, "a retransmission that is lost again is found only by the timer");
}

/// Several flows per host, traffic in both directions, a chain of switches with a slower link.
const CHAIN: &str = r#"
duration = "500 ms"
[network]
topology = "graph"
[node]
a = { kind = "host" }
b = { kind = "host" }
c = { kind = "host" }
s = { kind = "switch" }
t = { kind = "switch" }
u = { kind = "switch" }
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
    assert!(records.flows.iter().all(|flow| flow.bytes_delivered > 0));
    // The only congested port on the way is that of the slow link, fed by a single faster input.
    assert!(port(&records, "t->u").max_queue > 100);
    assert_eq!(records.efficiency, None, "no bottleneck is named");
    assert_eq!(flow(&records, "two").bytes_delivered, 200_000);
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
        mss = "1460 B"
        recovery = "rfc6675"
    "#;
    let records = run(&scenario(text, &[]), 1);
    conserves(&records);
    assert!(port(&records, "sw1->sw2").drops.overflow > 0);
    assert!(records.efficiency.unwrap() > 0.95, "{:?}", records.efficiency);
    assert!(records.fairness > 0.8);
}

// ---- random networks ----

fn any_lan() -> impl Strategy<Value = (Vec<String>, u64)> {
    let policy = prop_oneof![Just("tail-drop"), Just("ppd"), Just("epd"), Just("selective-drop"), Just("fba")];
    let recovery = prop_oneof![Just("vanilla"), Just("reno"), Just("new-reno"), Just("fall-floyd"), Just("rfc6675")];
    let forgiveness = prop_oneof![Just("none"), Just("toggle"), Just("episode")];
    let order = prop_oneof![Just("random"), Just("rotating"), Just("fixed")];
    (policy, recovery, forgiveness, order, 1_u32..8, 20_u32..600, 1_u32..2000, any::<u64>(), any::<(bool, bool)>())
        .prop_map(|(policy, recovery, forgiveness, order, sources, cells, delay, seed, (delayed, discard))| {
            let mut sets = vec![
                format!("queue.policy={policy}"),
                format!("tcp.recovery={recovery}"),
                format!("queue.service_order={order}"),
                format!("network.sources={sources}"),
                format!("queue.buffer={cells} cells"),
                format!("network.trunk_delay={delay} us"),
                format!("tcp.delayed_ack={delayed}"),
                format!("tcp.out_of_order={}", if discard { "discard" } else { "buffer" }),
                "duration=300 ms".to_owned(),
            ];
            if matches!(policy, "epd" | "selective-drop" | "fba") {
                sets.push(format!("queue.forgiveness={forgiveness}"));
            }
            (sets, seed >> 1)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_network_conserves_its_cells_and_repeats_itself((sets, seed) in any_lan()) {
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let scenario = scenario(LAN, &sets);
        let records = run(&scenario, seed);
        conserves(&records);
        let capacity = match scenario.links.iter().find(|link| link.name == "sw1->sw2").unwrap().queue.buffer {
            ackclock::scenario::Buffer::Cells(cells) => u64::from(cells),
            other => panic!("{other:?}"),
        };
        prop_assert!(records.ports.iter().all(|port| port.max_queue <= capacity));
        prop_assert!(records.efficiency.unwrap() <= 1.0);
        prop_assert_eq!(run(&scenario, seed), records);
    }
}
