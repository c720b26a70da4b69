//! Scenarios from text, run and looked at.

#![allow(dead_code)] // each test program uses its part

pub mod agree;
pub mod paths;
pub mod queues;
pub mod random;
pub mod routes;
pub mod tcp;

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
/// between the switches; one flow f1, from s1; `head` is what stands before, and `tcp` in [tcp].
pub fn two_senders(head: &str, access_rate: &str, middle_delay: &str, buffer: &str, tcp: &str) -> String {
    format!(
        r#"{head}
[network]
technology = "packet"
topology = "graph"
[node]
s1.kind = "host"
s2.kind = "host"
sw1.kind = "switch"
sw2.kind = "switch"
d.kind = "host"
[link.a]
ends = ["s1", "sw1"]
rate = "{access_rate}"
delay = "5 ms"
[link.b]
ends = ["s2", "sw1"]
rate = "{access_rate}"
delay = "5 ms"
[link.middle]
ends = ["sw1", "sw2"]
rate = "10 Mbps"
delay = "{middle_delay}"
[link.exit]
ends = ["sw2", "d"]
rate = "{access_rate}"
delay = "5 ms"
[queue]
buffer = "{buffer}"
[tcp]
dialect = "standard"
{tcp}
[flow.f1]
from = "s1"
to = "d"
"#
    )
}

/// The second flow of [`two_senders`].
pub const SECOND_FLOW: [&str; 2] = ["flow.f2.from=s2", "flow.f2.to=d"];

/// One sender s, one switch r, one receiver d, and a flow f, over links `first` and `last` of 1 Mb/s with this delay; `head` is
/// what stands before, and `tcp` in [tcp].
pub fn line(head: &str, delay: &str, tcp: &str) -> String {
    format!(
        r#"{head}
[network]
technology = "packet"
topology = "graph"
[node]
s.kind = "host"
r.kind = "switch"
d.kind = "host"
[link.first]
ends = ["s", "r"]
rate = "1 Mbps"
delay = "{delay}"
[link.last]
ends = ["r", "d"]
rate = "1 Mbps"
delay = "{delay}"
[tcp]
{tcp}
[flow.f]
from = "s"
to = "d"
"#
    )
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
    for source in &records.datagrams {
        assert!(source.delivered + source.lost <= source.sent, "{}", source.name);
    }
    for flow in &records.flows {
        assert!(flow.bytes_delivered <= flow.bytes_sent);
        assert!(flow.retransmissions <= flow.segments_sent);
    }
}
