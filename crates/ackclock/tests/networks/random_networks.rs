//! Random networks: what must hold whatever the policy, the recovery and the sizes.

use crate::lab::*;
use ackclock::queue::{cell, packet};
use ackclock::scenario::Buffer;
use ackclock::tcp::recovery;
use proptest::prelude::*;

/// What makes timeouts happen: a fine clock and no patience before the first sample.
const IMPATIENT: [&str; 2] = ["tcp.tick=10 ms", "tcp.initial_rto=30 ms"];

fn any_recovery() -> impl Strategy<Value = &'static str> {
    let names = recovery::ALL.iter().filter(|recovery| !recovery.needs.fine_timeouts).map(|recovery| recovery.name);
    prop::sample::select(names.collect::<Vec<_>>())
}

fn any_lan() -> impl Strategy<Value = (Vec<String>, u64)> {
    let policy = prop::sample::select(cell::POLICIES).prop_map(|policy| (policy.name, policy.keys));
    let forgiveness = prop_oneof![Just("none"), Just("toggle"), Just("episode")];
    let order = prop_oneof![Just("random"), Just("rotating"), Just("fixed")];
    let pcr = prop_oneof![Just("155.52 Mbps"), Just("149.76 Mbps"), Just("77.76 Mbps"), Just("20 Mbps")];
    (
        (policy, any_recovery(), forgiveness, order, pcr),
        (1_u32..8, 20_u32..600, 1_u32..2000, any::<u64>()),
        any::<(bool, bool, bool, bool)>(),
    )
        .prop_map(|(((policy, keys), recovery, forgiveness, order, pcr), (sources, cells, delay, seed), flags)| {
            let (delayed, discard, keep_eom, llc) = flags;
            let mut sets = vec![
                format!("queue.policy={policy}"),
                format!("tcp.recovery={recovery}"),
                format!("queue.service_order={order}"),
                format!("network.sources={sources}"),
                format!("queue.buffer={cells} cells"),
                format!("network.trunk_delay={delay} us"),
                format!("tcp.delayed_ack={delayed}"),
                format!("tcp.out_of_order={}", if discard { "discard" } else { "buffer" }),
                format!("atm.llc={llc}"),
                format!("atm.pcr={pcr}"),
                "duration=300 ms".to_owned(),
            ];
            sets.extend(IMPATIENT.map(str::to_owned));
            if keys.iter().any(|key| key.name == "forgiveness") {
                sets.push(format!("queue.{policy}.forgiveness={forgiveness}"));
                sets.push(format!("queue.{policy}.keep_eom_of_whole={keep_eom}"));
            }
            (sets, seed >> 1)
        })
}

const DUMBBELL: &str = r#"
duration = "2 s"
[tcp]
dialect = "osu"

[network]
technology = "packet"
topology = "dumbbell"
access_delay = "1 ms"
"#;

fn any_dumbbell() -> impl Strategy<Value = (Vec<String>, u64)> {
    let policy = prop::sample::select(packet::POLICIES).prop_map(|policy| policy.name);
    (
        (policy, any_recovery(), prop_oneof![Just(536_u32), Just(1460), Just(8960)], any::<bool>(), any::<bool>()),
        (1_u32..6, 1_u32..50, 1_u32..10, 1_u32..100, 1_u32..30, 0_u32..20),
        any::<(u64, bool)>(),
    )
        .prop_map(|((policy, recovery, mss, delayed, discard), numbers, (seed, in_bytes))| {
            let (sources, access, bottleneck, delay, packets, link_header) = numbers;
            // Not a whole number of packets.
            let bytes = packets * (mss + 60 + link_header) + packets / 2;
            let mut sets = vec![
                format!("queue.policy={policy}"),
                format!("tcp.recovery={recovery}"),
                format!("tcp.mss={mss} B"),
                format!("tcp.delayed_ack={delayed}"),
                format!("tcp.out_of_order={}", if discard { "discard" } else { "buffer" }),
                format!("network.sources={sources}"),
                format!("network.access_rate={access} Mbps"),
                format!("network.bottleneck_rate={bottleneck} Mbps"),
                format!("network.bottleneck_delay={delay} ms"),
                format!("packet.link_header={link_header} B"),
                if in_bytes { format!("queue.buffer={bytes} B") } else { format!("queue.buffer={packets} packets") },
            ];
            sets.extend(IMPATIENT.map(str::to_owned));
            (sets, seed >> 1)
        })
}

/// Runs a random network twice; what holds for all of them.
fn runs_as_every_network(text: &str, sets: &[String], seed: u64) -> Result<(), TestCaseError> {
    let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
    let scenario = scenario(text, &sets);
    let records = run(&scenario, seed);
    conserves(&records);
    let most = match scenario.links.iter().find(|link| link.name == "sw1->sw2").unwrap().queue.buffer {
        Buffer::Cells(most) | Buffer::Packets(most) => u64::from(most),
        Buffer::Bytes(bytes) => bytes / 40, // no packet is shorter than its headers
        other => panic!("{other:?}"),
    };
    prop_assert!(records.ports.iter().all(|port| port.max_queue <= most));
    prop_assert!(records.efficiency.unwrap() <= 1.0);
    for flow in &records.flows {
        prop_assert!(
            flow.counts.bytes_delivered > 0 || flow.counts.timeouts > 0,
            "{} neither works nor waits",
            flow.name
        );
    }
    prop_assert_eq!(run(&scenario, seed), records);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_network_conserves_its_cells_and_repeats_itself((sets, seed) in any_lan()) {
        runs_as_every_network(LAN, &sets, seed)?;
    }

    #[test]
    fn every_packet_network_conserves_its_packets_and_repeats_itself((sets, seed) in any_dumbbell()) {
        runs_as_every_network(DUMBBELL, &sets, seed)?;
    }
}

/// The random networks are meant to time out, with segments waiting and with frames damaged.
#[test]
fn impatient_networks_time_out() {
    let cells = run(
        &scenario(
            LAN,
            &[&IMPATIENT[..], &["duration=300 ms", "queue.policy=tail-drop", "queue.buffer=200 cells"]].concat(),
        ),
        1,
    );
    let mut sets = IMPATIENT.to_vec();
    sets.extend(["network.sources=3", "network.access_rate=10 Mbps", "network.bottleneck_rate=2 Mbps"]);
    sets.extend(["network.bottleneck_delay=20 ms", "queue.buffer=10 packets"]);
    let packets = run(&scenario(DUMBBELL, &sets), 1);
    for records in [cells, packets] {
        let timeouts: u64 = records.flows.iter().map(|flow| flow.counts.timeouts).sum();
        assert!(timeouts > 2, "{timeouts}");
    }
}
