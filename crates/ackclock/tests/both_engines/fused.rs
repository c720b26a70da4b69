//! Ports that are fused for a while, in random constellations: handovers, queues that overflow, several flows and datagrams, some of which
//! meet on their ways.

use crate::lab::agree::assert_engines_agree;
use crate::lab::choices::Choices;
use crate::lab::scenario;
use ackclock::record::Records;
use ackclock::rng::Stream;
use ackclock::scenario::Scenario;
use ackclock::sim::{Engine, Fusing, build_with};
use ackclock::units::Time;

const PLACES: [(&str, &str); 8] = [
    ("berkeley", "37.9 N 122.3 W"),
    ("boston", "42.3 N 71.1 W"),
    ("quito", "0.2 S 78.5 W"),
    ("oslo", "59.9 N 10.7 E"),
    ("nairobi", "1.3 S 36.8 E"),
    ("delhi", "28.6 N 77.2 E"),
    ("sydney", "33.9 S 151.2 E"),
    ("longyearbyen", "78.2 N 15.6 E"),
];

/// A constellation of a random minute, as text.
fn random_constellation(choices: &mut Choices) -> String {
    let senders = ["standard", "linux", "osu", "ns2-2001"];
    let text = |choices: &mut Choices, of: &[&str]| choices.one_of(of).to_owned();
    let mut toml = format!(
        "duration = \"{} s\"\n[satellites]\nconstellation = \"iridium\"\ncheck_interval = \"{} s\"\nhandover = \"{}\"\n\
         old_downlink = \"{}\"\nterminal_queue = \"{}\"\nrouting_delay = \"{} ms\"\nisl_rate = \"{} Mbps\"\n",
        choices.one_of(&[20, 40, 60, 90]),
        choices.one_of(&[10, 2, 1, 5]),
        text(choices, &["max-elevation", "sticky", "least-delay", "max-remaining-time"]),
        text(choices, &["drop", "reroute"]),
        text(choices, &["keep", "drop", "old-address"]),
        choices.one_of(&[0, 100, 700]),
        choices.one_of(&[25, 1, 2, 10]),
    );
    toml += &format!("[tcp]\ndialect = \"{}\"\n", text(choices, &senders));
    toml += &format!("[queue]\nbuffer = \"{} packets\"\n[place]\n", choices.one_of(&[50, 3, 10, 20]));
    for (name, place) in PLACES {
        toml += &format!("{name} = \"{place}\"\n");
    }
    let pair = |choices: &mut Choices| {
        let from = choices.below(8) as usize;
        let to = (from + 1 + choices.below(7) as usize) % 8;
        (PLACES[from].0, PLACES[to].0)
    };
    let first = pair(choices);
    for flow in 0..=choices.one_of(&[0, 1, 2, 4]) {
        let (from, to) = if choices.once_in(3) { first } else { pair(choices) };
        let start = choices.below(3000);
        toml += &format!("[flow.f{flow}]\nfrom = \"{from}\"\nto = \"{to}\"\nstart = \"{start} ms\"\n");
    }
    if choices.once_in(2) {
        let (from, to) = pair(choices);
        let (rate, echo) = (choices.one_of(&[100, 1600, 700]), choices.once_in(2));
        toml += &format!(
            "[udp.u]\nfrom = \"{from}\"\nto = \"{to}\"\npayload = \"{} B\"\nrate = \"{rate} kbps\"\necho = {echo}\n",
            choices.one_of(&[972, 32, 1400]),
        );
    }
    toml
}

/// What has happened at all.
#[derive(Debug, Default)]
struct Seen {
    fused: u64,
    packets: u64,
    overflow: u64,
    /// Handovers and the like.
    events: usize,
}

impl Seen {
    fn add(&mut self, scenario: &Scenario, records: &Records) {
        self.packets += records.ports.iter().map(|port| port.arrivals).sum::<u64>();
        self.overflow += records.ports.iter().map(|port| port.drops.overflow).sum::<u64>();
        self.events += scenario.events.len();
    }
}

#[test]
fn fused_ports_do_what_single_ports_do_in_random_constellations() {
    let rounds = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(16);
    let mut seen = Seen::default();
    for round in 0..rounds {
        let stream = Stream::new(round, "random constellations", "test");
        let bytes: Vec<u8> = (0..400).map(|index| stream.at(index) as u8).collect();
        let toml = random_constellation(&mut Choices::new(&bytes));
        let scenario = scenario(&toml, &[]);
        let records = assert_engines_agree(&toml, &scenario, round);
        for fusing in [Fusing::Always, Fusing::Never] {
            let mut simulation = build_with(&scenario, round, Engine::Batched);
            simulation.set_fusing(fusing);
            simulation.step(Time::NEVER);
            assert_eq!(simulation.records(), records, "{fusing:?}\n{toml}");
            assert!(fusing != Fusing::Never || simulation.fused_packets() == 0);
        }
        let mut simulation = build_with(&scenario, round, Engine::Batched);
        simulation.step(Time::NEVER);
        seen.fused += simulation.fused_packets();
        seen.add(&scenario, &records);
    }
    assert!(seen.fused > seen.packets / 4, "{seen:?}");
    assert!(seen.overflow > 100 && seen.events > 100, "{seen:?}");
}
