//! Golden tables: every drop policy against every recovery, with the fingerprint of each run. A difference here is a
//! changed result: raise `RESULT_VERSION`, say so in the changelog, and accept the table.

use ackclock::queue::cell;
use ackclock::sim::{self, RESULT_VERSION};
use ackclock::tcp::recovery;
use ackclock::units::Time;
use ackclock_scenario::{Memory, load};

const POLICIES: [(&str, &[&str]); 9] = [
    ("tail drop", &["queue.policy=tail-drop"]),
    ("PPD", &["queue.policy=ppd"]),
    ("EPD", &["queue.policy=epd"]),
    ("EPD+", &["queue.policy=epd", "queue.epd.forgiveness=toggle"]),
    ("SD", &["queue.policy=selective-drop"]),
    ("SD+ toggle", &["queue.policy=selective-drop", "queue.selective-drop.forgiveness=toggle"]),
    (
        "SD+ episode",
        &[
            "queue.policy=selective-drop",
            "queue.selective-drop.forgiveness=episode",
            "queue.selective-drop.episode_end=0.5",
        ],
    ),
    ("FBA", &["queue.policy=fba"]),
    ("FBA+", &["queue.policy=fba", "queue.fba.forgiveness=toggle"]),
];

/// The rows above, and one for every other policy of the family with its defaults.
fn rows() -> Vec<(&'static str, Vec<String>)> {
    let mut rows: Vec<_> =
        POLICIES.iter().map(|(name, sets)| (*name, sets.iter().map(|set| (*set).to_owned()).collect())).collect();
    for policy in cell::POLICIES {
        let set = format!("queue.policy={}", policy.name);
        if rows.iter().all(|(_, sets): &(_, Vec<String>)| !sets.contains(&set)) {
            rows.push((policy.name, vec![set]));
        }
    }
    rows
}

fn table(text: &str) -> String {
    let mut table = format!("result version {RESULT_VERSION}\n{:<12} {:<11}", "policy", "recovery");
    table += "efficiency fairness   cells lost  max queue  fingerprint\n";
    for (name, policy) in rows() {
        // Vegas' recoveries go with Vegas.
        for recovery in recovery::ALL.iter().filter(|recovery| !recovery.needs.fine_timeouts) {
            let recovery = recovery.name;
            let mut sets = policy.clone();
            sets.push(format!("tcp.recovery={recovery}"));
            let loaded = load(&Memory::new().with("t.toml", text), "t.toml", &sets).expect("a valid scenario");
            let mut run = sim::build(&loaded.scenario, 1);
            run.step(Time::NEVER);
            let records = run.records();
            let port = records.ports.iter().find(|port| port.name == "sw1->sw2").expect("the bottleneck");
            table += &format!(
                "{name:<12} {recovery:<11}{:>10.3} {:>8.3} {:>12} {:>10}  {:016x}\n",
                records.efficiency.expect("a bottleneck"),
                records.fairness.unwrap(),
                port.drops.total(),
                port.max_queue,
                records.fingerprint
            );
        }
    }
    table
}

#[test]
fn lan() {
    insta::assert_snapshot!(table(
        r#"
        duration = "2 s"
        [network]
        topology = "n-source"
        sources = 5
        rate = "155.52 Mbps"
        access_delay = "5 us"
        trunk_delay = "5 us"
        [queue]
        buffer = "1000 cells"
        "#
    ));
}

#[test]
fn wan() {
    insta::assert_snapshot!(table(
        r#"
        duration = "2 s"
        [network]
        topology = "n-source"
        sources = 3
        rate = "155.52 Mbps"
        access_delay = "2 ms"
        trunk_delay = "2 ms"
        [atm]
        pcr = "146.9 Mbps"
        [queue]
        buffer = "4000 cells"
        [tcp]
        receive_window = "200 kB"
        "#
    ));
}
