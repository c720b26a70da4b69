//! Scenarios from text, run and looked at.

#![allow(dead_code)] // each test program uses its part

pub mod abr;
pub mod agree;
pub mod choices;
pub mod exchanges;
pub mod feedback;
pub mod medium;
pub mod paths;
pub mod queues;
pub mod random;
pub mod routes;
pub mod tcp;
pub mod times;

use ackclock::record::{FlowRecord, LinkLosses, PortRecord, Records};
use ackclock::scenario::Scenario;
use ackclock::sim;
use ackclock::units::Time;
use ackclock_scenario::{LoadError, Memory, load};

/// Five sources on a LAN with Selective Drop: many losses.
pub const LAN: &str = r#"
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

/// Two senders s1 and s2 and one receiver d in the standard dialect, over links of 5 ms with this rate and one of 10 Mb/s
/// between the switches; one flow f1, from s1; `head` is what stands before, and `tcp` in [tcp]; the receive
/// window is 4 MiB if that says no other.
pub fn two_senders(head: &str, access_rate: &str, middle_delay: &str, buffer: &str, tcp: &str) -> String {
    let links = [
        ("a", ["s1", "sw1"], access_rate, "5 ms"),
        ("b", ["s2", "sw1"], access_rate, "5 ms"),
        ("middle", ["sw1", "sw2"], "10 Mbps", middle_delay),
        ("exit", ["sw2", "d"], access_rate, "5 ms"),
    ];
    let network = packet_network(&["s1", "s2", "d"], &["sw1", "sw2"], &links);
    let window = if tcp.contains("receive_window") { "" } else { "receive_window = \"4194304 B\"\n" };
    format!(
        "{head}\n{network}[queue]\nbuffer = \"{buffer}\"\n[tcp]\ndialect = \"standard\"\n{window}{tcp}\n\
         [flow.f1]\nfrom = \"s1\"\nto = \"d\"\n"
    )
}

/// The second flow of [`two_senders`].
pub const SECOND_FLOW: [&str; 2] = ["flow.f2.from=s2", "flow.f2.to=d"];

/// One sender s, one switch r, one receiver d, and a flow f, over links `first` and `last` of 1 Mb/s with this delay; `head` is
/// what stands before, and `tcp` in [tcp], in the dialect osu if that says no other.
pub fn line(head: &str, delay: &str, tcp: &str) -> String {
    let links = [("first", ["s", "r"], "1 Mbps", delay), ("last", ["r", "d"], "1 Mbps", delay)];
    let network = packet_network(&["s", "d"], &["r"], &links);
    let dialect = if tcp.contains("dialect") { "" } else { "dialect = \"osu\"\n" };
    format!("{head}\n{network}[tcp]\n{dialect}{tcp}\n[flow.f]\nfrom = \"s\"\nto = \"d\"\n")
}

/// The tables of a packet network: hosts, switches, and links with name, ends, rate and delay.
pub fn packet_network(hosts: &[&str], switches: &[&str], links: &[(&str, [&str; 2], &str, &str)]) -> String {
    let kinds = [(hosts, "host"), (switches, "switch")];
    let nodes =
        kinds.into_iter().flat_map(|(names, kind)| names.iter().map(move |name| format!("{name}.kind = \"{kind}\"\n")));
    let links = links.iter().map(|(name, ends, rate, delay)| {
        format!("[link.{name}]\nends = {ends:?}\nrate = \"{rate}\"\ndelay = \"{delay}\"\n")
    });
    let nodes: String = nodes.collect();
    let links: String = links.collect();
    format!("[network]\ntechnology = \"packet\"\ntopology = \"graph\"\n[node]\n{nodes}{links}")
}

pub fn scenario(text: &str, sets: &[&str]) -> Scenario {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    match load(&Memory::new().with("test.toml", text), "test.toml", &sets) {
        Ok(loaded) => loaded.scenario,
        Err(LoadError::Invalid(errors)) => panic!("{:#?}", errors.iter().map(|e| &e.message).collect::<Vec<_>>()),
        Err(error) => panic!("{error:?}"),
    }
}

pub fn run(scenario: &Scenario, seed: u64) -> Records {
    let mut simulation = sim::build(scenario, seed);
    simulation.step(Time::NEVER);
    simulation.records()
}

pub fn port<'a>(records: &'a Records, name: &str) -> &'a PortRecord {
    records.ports.iter().find(|port| port.name == name).expect("the port exists")
}

pub fn flow<'a>(records: &'a Records, name: &str) -> &'a FlowRecord {
    records.flows.iter().find(|flow| flow.name == name).expect("the flow exists")
}

/// Whatever came in went out, was refused or waits, at every port and for every connection.
pub fn conserves(records: &Records) {
    for port in &records.ports {
        assert_eq!(port.arrivals, port.departures + port.drops.total() + port.final_queue, "{}", port.name);
        for vc in &port.vcs {
            assert_eq!(vc.arrivals, vc.departures + vc.drops + vc.final_queue, "{} at {}", vc.name, port.name);
        }
        assert_eq!(port.arrivals, port.vcs.iter().map(|vc| vc.arrivals).sum::<u64>());
        assert_eq!(port.departures, port.vcs.iter().map(|vc| vc.departures).sum::<u64>());
        assert_eq!(port.drops.total(), port.vcs.iter().map(|vc| vc.drops).sum::<u64>());
        assert_eq!(port.final_queue, port.vcs.iter().map(|vc| vc.final_queue).sum::<u64>());
        let mean: f64 = port.vcs.iter().map(|vc| vc.mean_queue).sum();
        assert!((port.mean_queue - mean).abs() < 1e-6 * port.mean_queue.max(1.0));
        assert!(port.vcs.iter().all(|vc| vc.max_queue <= port.max_queue));
    }
    for link in &records.links {
        let mut lost = LinkLosses::default();
        link.vcs.iter().for_each(|vc| lost += vc.lost);
        assert_eq!(link.lost, lost, "{}", link.name);
    }
    for source in &records.udp {
        assert!(source.counts.delivered + source.counts.lost <= source.counts.sent, "{}", source.name);
    }
    for flow in &records.flows {
        assert!(flow.counts.bytes_delivered <= flow.counts.bytes_sent);
        assert!(flow.counts.retransmissions <= flow.counts.segments_sent);
    }
}
