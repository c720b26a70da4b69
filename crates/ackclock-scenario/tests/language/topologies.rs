//! Networks of one line: what they are made of, and the max-min shares that the literature gives for them.

use crate::render::said_about;
use ackclock::atm::max_min;
use ackclock::ids::Id;
use ackclock::scenario::{Flow, Scenario};
use ackclock::sim::{self, Engine};
use ackclock::units::Time;
use ackclock_scenario::{Loaded, Memory, json_schema, load};

fn loaded(network: &str) -> Loaded {
    let text = format!("duration = \"1 s\"\n[network]\n{network}\n");
    load(&Memory::new().with("test.toml", text.as_str()), "test.toml", &[]).unwrap_or_else(|error| panic!("{error:?}"))
}

/// The names of the nodes that the data of a flow cross.
fn nodes(scenario: &Scenario, flow: &Flow) -> String {
    let links = flow.forward.links();
    let first = scenario.links[links[0]].from;
    let nodes = [first].into_iter().chain(links.iter().map(|link| scenario.links[*link].to));
    nodes.map(|node| scenario.nodes[node].name.as_str()).collect::<Vec<_>>().join(" ")
}

/// The round trip of a flow without queues, milliseconds.
fn round_trip_ms(scenario: &Scenario, flow: &Flow) -> f64 {
    let links = [flow.forward.links(), flow.backward.links()].concat();
    links.iter().map(|&link| scenario.links[link].delay.as_secs_f64() * 1e3).sum()
}

/// The max-min share of each flow, megabits per second, all links counted.
fn shares(scenario: &Scenario) -> Vec<f64> {
    let capacities: Vec<u64> = scenario.links.iter().map(|link| link.rate.as_bps()).collect();
    let routes: Vec<Vec<usize>> =
        scenario.flows.iter().map(|flow| flow.forward.links().iter().map(|link| link.index()).collect()).collect();
    let shares = max_min::shares(&capacities, &routes).unwrap();
    shares.iter().map(|share| share.as_f64() / 1e6).collect()
}

/// Of each flow its name, its share and its round trip.
fn described(network: &str) -> Vec<(String, f64, f64)> {
    let loaded = loaded(network);
    crate::roundtrip::check_loaded(&loaded);
    let scenario = &loaded.scenario;
    let all = scenario.flows.iter().zip(shares(scenario));
    all.map(|(flow, share)| (flow.name.clone(), share, round_trip_ms(scenario, flow).round())).collect()
}

/// The same, as the literature has it: groups of flows with equal shares and round trips.
fn expected(groups: &[(&[&str], f64, f64)]) -> Vec<(String, f64, f64)> {
    let of_group = |(names, share, ms): &(&[&str], f64, f64)| -> Vec<(String, f64, f64)> {
        names.iter().map(|name| ((*name).to_owned(), *share, *ms)).collect()
    };
    groups.iter().flat_map(of_group).collect()
}

fn assert_alike(found: &[(String, f64, f64)], expected: &[(String, f64, f64)]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let close = (found.1 / expected.1 - 1.0).abs() < 1e-6;
        assert!(close && (&found.0, found.2) == (&expected.0, expected.2), "{found:?} is not {expected:?}");
    }
}

/// Three hosts send to one host: its link is shared, and the flows have a third of it each. Links of 2 ms, two there and two back.
#[test]
fn all_flows_of_a_star_go_to_one_host() {
    for technology in ["atm", "packet"] {
        let network = format!(
            "technology = \"{technology}\"\ntopology = \"star\"\nsources = 3\nrate = \"90 Mbps\"\naccess_delay = \"2 ms\""
        );
        assert_alike(&described(&network), &expected(&[(&["f1", "f2", "f3"], 30.0, 8.0)]));
        let scenario = loaded(&network).scenario;
        let all: Vec<&str> = scenario.nodes.iter().map(|node| node.name.as_str()).collect();
        assert_eq!((all, scenario.links.len()), (vec!["d1", "s1", "s2", "s3", "sw1"], 8));
        let paths: Vec<String> = scenario.flows.iter().map(|flow| nodes(&scenario, flow)).collect();
        assert_eq!(paths, ["s1 sw1 d1", "s2 sw1 d1", "s3 sw1 d1"]);
        let bottleneck = scenario.bottleneck.as_ref().unwrap().link;
        assert_eq!(scenario.links[bottleneck].name, "sw1->d1");
    }
}

#[test]
fn the_generic_fairness_configurations_have_their_published_shares() {
    let gfc_1 = expected(&[
        (&["A1", "A2", "A3"], 50.0 / 9.0, 50.0),
        (&["B1", "B2", "B3"], 100.0 / 9.0, 50.0),
        (&["C1", "C2", "C3"], 100.0 / 3.0, 30.0),
        (&["D1", "D2", "D3", "D4", "D5", "D6"], 50.0 / 9.0, 30.0),
        (&["E1", "E2", "E3", "E4", "E5", "E6"], 100.0 / 9.0, 30.0),
        (&["F1", "F2"], 50.0, 30.0),
    ]);
    assert_alike(&described("topology = \"gfc-1\""), &gfc_1);
    let gfc_2 = expected(&[
        (&["A1"], 10.0, 110.0),
        (&["A2"], 10.0, 70.0),
        (&["A3"], 10.0, 50.0),
        (&["B1"], 5.0, 130.0),
        (&["B2"], 5.0, 90.0),
        (&["B3"], 5.0, 60.0),
        (&["C1", "C2", "C3"], 35.0, 30.0),
        (&["D"], 35.0, 60.0),
        (&["E1", "E2"], 35.0, 40.0),
        (&["F"], 10.0, 30.0),
        (&["G1", "G2", "G3", "G4", "G5", "G6", "G7"], 5.0, 40.0),
        (&["H1", "H2"], 52.5, 30.0),
    ]);
    assert_alike(&described("topology = \"gfc-2\""), &gfc_2);
}

/// All rates in proportion, all lengths in proportion, access links apart.
#[test]
fn rates_and_lengths_of_the_fairness_configurations_are_configuration() {
    let network = "topology = \"gfc-2\"\nrate = \"15 Mbps\"\ntrunk_delay = \"1 ms\"\naccess_delay = \"0 s\"";
    let found = described(network);
    let at = |name: &str| found.iter().find(|(flow, ..)| flow == name).map(|(_, share, ms)| (*share, *ms));
    assert_eq!((at("H1"), at("A1")), (Some((5.25, 2.0)), Some((1.0, 18.0))));
    let slow = described("topology = \"gfc-2\"\naccess_rate = \"7 Mbps\"");
    assert!(slow.iter().all(|(_, share, _)| *share <= 7.0), "{slow:?}");
    // 1 bit per second is the least rate that there is.
    assert_eq!(
        loaded("topology = \"gfc-1\"\nrate = \"1 bps\"").scenario.links.iter().map(|l| l.rate.as_bps()).min(),
        Some(1)
    );
}

#[test]
fn in_a_parking_lot_one_flow_crosses_all_trunks_and_each_other_flow_one() {
    let network = "topology = \"parking-lot\"\nswitches = 4\nrate = \"10 Mbps\"\naccess_delay = \"1 ms\"\n\
                   trunk_delay = \"2 ms\"\n[link.\"sw2->sw3\"]\nrate = \"6 Mbps\"\n[link.\"sw3->sw4\"]\nrate = \"12 Mbps\"";
    let of = loaded(network);
    let routes: Vec<String> = of.scenario.flows.iter().map(|flow| nodes(&of.scenario, flow)).collect();
    assert_eq!(routes, ["sA sw1 sw2 sw3 sw4 dA", "sB1 sw1 sw2 dB1", "sB2 sw2 sw3 dB2", "sB3 sw3 sw4 dB3"]);
    // A gets half of 6; the others what it leaves of 10, 6 and 12, but for the last, whose own links carry 10.
    let expected = expected(&[(&["A"], 3.0, 16.0), (&["B1"], 7.0, 8.0), (&["B2"], 3.0, 8.0), (&["B3"], 9.0, 8.0)]);
    assert_alike(&described(network), &expected);
}

#[test]
fn a_cascade_has_a_second_trunk_with_flows_of_its_own() {
    let network = "topology = \"cascade\"\nsources = 2\ncross_sources = 1\nrate = \"10 Mbps\"\nsecond_rate = \"6 Mbps\"\n\
                   access_delay = \"1 ms\"\ntrunk_delay = \"2 ms\"";
    let of = loaded(network);
    let routes: Vec<String> = of.scenario.flows.iter().map(|flow| nodes(&of.scenario, flow)).collect();
    assert_eq!(routes, ["s1 sw1 sw2 sw3 d1", "s2 sw1 sw2 sw3 d2", "sg1 sw2 sw3 dg1"]);
    assert_alike(&described(network), &expected(&[(&["f1", "f2"], 2.0, 12.0), (&["g1"], 2.0, 8.0)]));
    let equal =
        loaded(&network.replace("second_rate = \"6 Mbps\"\n", "").replace("cross_sources = 1", "cross_sources = 0"));
    assert_eq!(shares(&equal.scenario), [5.0, 5.0]);
    assert!(equal.resolved.contains("second_rate = \"10 Mbps\""));
}

/// Flows of the topology can be changed by their names, and flows added.
#[test]
fn made_flows_have_tables_under_their_names() {
    let of = loaded(
        "topology = \"gfc-1\"\n[flow.C2]\nsize = \"1 MB\"\n[flow.F1]\nfrom = \"sA1\"\n[flow.x]\nfrom = \"sA1\"\nto = \"dE6\"",
    );
    let flow = |name: &str| of.scenario.flows.iter().find(|flow| flow.name == name).unwrap();
    assert_eq!((flow("C2").size, flow("C1").size), (Some(1_000_000), None));
    assert_eq!(nodes(&of.scenario, flow("F1")), "sA1 sw1 sw2 sw3 dF1");
    assert_eq!(nodes(&of.scenario, flow("x")), "sA1 sw1 sw2 sw3 sw4 sw5 dE6");
    crate::roundtrip::check_loaded(&of);
}

#[test]
fn what_does_not_belong_to_a_topology() {
    let said = |network: &str| said_about(&format!("duration = \"1 s\"\n[network]\n{network}\n"), &[]);
    let all = [
        "topology = \"gfc-1\"\nsources = 3\nswitches = 4",
        "topology = \"gfc-3\"",
        "topology = \"parkinglot\"",
        "topology = \"parking-lot\"",
        "topology = \"parking-lot\"\nswitches = 1\nrate = \"10 Mbps\"\naccess_delay = \"1 ms\"\ntrunk_delay = \"2 ms\"",
        "topology = \"cascade\"\nsources = 2\nrate = \"10 Mbps\"\naccess_delay = \"1 ms\"\ntrunk_delay = \"2 ms\"",
        "topology = \"gfc-2\"\n[flow.A4]\nstart = \"1 s\"",
        "topology = \"gfc-2\"\n[node.sw7]\nkind = \"switch\"",
    ];
    insta::assert_snapshot!(all.map(|network| format!("{network}\n{}", said(network))).join("\n"));
}

/// A value for each key of [network] that topologies have; the number of `sources` and `switches` is small.
const VALUES: &[(&str, &str)] = &[
    ("sources", "3"),
    ("cross_sources", "2"),
    ("switches", "5"),
    ("rate", "\"40 Mbps\""),
    ("access_delay", "\"20 us\""),
    ("trunk_delay", "\"3 ms\""),
    ("second_rate", "\"30 Mbps\""),
    ("access_rate", "\"80 Mbps\""),
    ("bottleneck_rate", "\"20 Mbps\""),
    ("bottleneck_delay", "\"2 ms\""),
];

/// Every topology of the schema with all keys that it has: its flows get something through, and both engines agree, in cells and
/// in packets.
#[test]
fn every_topology_carries_its_flows_on_both_engines() {
    let schema = json_schema();
    let keys = &schema["properties"]["network"]["properties"];
    let words = keys["topology"]["enum"].as_array().unwrap().iter().filter_map(|word| word.as_str());
    for topology in words.filter(|word| *word != "graph") {
        let is_used = |about: &str| {
            let used = about.rsplit_once("Used with topology = ").map(|(_, used)| used.trim_end_matches('.'));
            used.is_some_and(|used| used.split(" or ").any(|word| word == topology))
        };
        let own = keys.as_object().unwrap().iter().filter(|(_, key)| key["description"].as_str().is_some_and(is_used));
        let values = own.map(|(name, _)| {
            let value = VALUES.iter().find(|(key, _)| key == name).unwrap_or_else(|| panic!("a value of {name}"));
            format!("{name} = {}\n", value.1)
        });
        let values: String = values.collect();
        for technology in ["atm", "packet"] {
            let network = format!("technology = \"{technology}\"\ntopology = \"{topology}\"\n{values}");
            // Queues stay short, so that all flows get through in a second.
            let network = network + "[tcp]\nreceive_window = \"8 kB\"\n";
            let scenario = loaded(&network).scenario;
            let run = |engine| {
                let mut simulation = sim::build_with(&scenario, 1, engine);
                simulation.step(Time::NEVER);
                simulation.records()
            };
            let (a, b) = (run(Engine::Batched), run(Engine::Reference));
            assert_eq!(a.fingerprint, b.fingerprint, "{topology}, {technology}");
            assert!(a.flows.iter().all(|flow| flow.goodput_bps > 0.0), "{topology}, {technology}: a flow is stuck");
        }
    }
}
