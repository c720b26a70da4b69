//! The memory that networks and records are said to take, against that which a process took for them.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use ackclock::record::MetricSet;
use ackclock::scenario::Scenario;
use ackclock::sim;
use ackclock::units::Span;
use ackclock_run::{Estimate, network_bytes};
use ackclock_scenario::{Disk, load};
use ackclock_store::document::ScenarioPart;

/// A scenario of the repository and changes to it by which records, or the network, take much more memory than the rest.
const CASES: [(&str, &[&str]); 12] = [
    ("packet-dumbbell", &["capture=[\"s1\", \"s2\", \"s3\", \"d1\", \"d2\"]", "duration=\"30 s\""]),
    ("packet-dumbbell", &["record=[\"tcp\"]", "duration=\"120 s\""]),
    ("lan-selective-drop", &["record=[\"queue\", \"drops\"]", "duration=\"45 s\"", "record_interval=\"0.1 ms\""]),
    ("iridium", &["capture=[\"berkeley\", \"boston\"]", "duration=\"100 s\"", "tcp.receive_window=\"1 MB\""]),
    ("iridium", &["record=[\"ports\"]", "duration=\"3600 s\""]),
    ("iridium", &["record=[\"ports\"]", "duration=\"600 s\"", "record_interval=\"1 ms\""]),
    ("packet-dumbbell", &["record=[\"queue-changes\"]", "duration=\"200 s\""]),
    (
        "lan-selective-drop",
        &["record=[\"vc-queue\", \"utilisation\"]", "duration=\"60 s\"", "record_interval=\"0.1 ms\""],
    ),
    ("red", &["record=[\"ports\", \"throughput\"]", "duration=\"600 s\"", "record_interval=\"1 ms\""]),
    ("packet-dumbbell", &["record=[\"tcp\", \"one-way-delay\"]", "duration=\"150 s\""]),
    ("packet-dumbbell", &["network.sources=5000", "duration=\"50 ms\"", "warmup=\"0 s\""]),
    ("lan-selective-drop", &["network.sources=5000", "duration=\"20 ms\"", "warmup=\"0 s\""]),
];
/// The first have records.
const RECORDED: usize = 10;

#[test]
fn records_take_the_memory_that_is_said_within_a_factor_of_1_5() {
    for (case, (name, sets)) in CASES.iter().enumerate().take(RECORDED) {
        // The network takes memory, too.
        let took = in_a_process_of_its_own(case, true) - in_a_process_of_its_own(case, false);
        let (scenario, part) = loaded(case);
        // For so many runs that together they write much.
        let estimate = Estimate::of_much(&scenario, &part, 1, 1_000_000, &AtomicBool::new(false), &mut |_| {});
        let said = estimate.unwrap().memory_bytes;
        println!("{name} {sets:?}: {:.1} MB said, {:.1} MB taken", said / 1e6, took / 1e6);
        assert!(took > 7e6, "{name}: too little to tell");
        assert!((1.0 / 1.5..=1.5).contains(&(said / took)), "{name} {sets:?}: {said:.0} said, {took:.0} taken");
    }
}

fn loaded(case: usize) -> (Scenario, ScenarioPart) {
    let (name, sets) = CASES[case];
    let path = format!("{}/../../scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let loaded = load(&Disk, &path, &sets).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    let part = ScenarioPart::of(&loaded.scenario, loaded.resolved);
    (loaded.scenario, part)
}

/// Runs a case in a new process, where no other run has left memory, with or without its records; the octets that it took.
fn in_a_process_of_its_own(case: usize, records: bool) -> f64 {
    let this = std::env::current_exe().unwrap();
    let output = Command::new(this)
        .args(["one_run", "--exact", "--ignored", "--nocapture"])
        .env(CASE, case.to_string())
        .env(RECORDS, records.to_string())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let octets = text.lines().find_map(|line| line.split_once("octets: ")).map(|(_, octets)| octets.trim().parse());
    octets.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr))).unwrap()
}

#[test]
fn networks_take_the_memory_that_is_said_within_a_factor_of_two() {
    for (case, (name, sets)) in CASES.iter().enumerate().skip(RECORDED) {
        let took = in_a_process_of_its_own(case, false);
        let said = network_bytes(&loaded(case).0);
        println!("{name} {sets:?}: {:.1} MB said, {:.1} MB taken", said / 1e6, took / 1e6);
        assert!(took > 8e6, "{name}: too little to tell");
        assert!((0.5..=2.0).contains(&(said / took)), "{name} {sets:?}: {said:.0} said, {took:.0} taken");
    }
}

#[test]
#[ignore = "the other tests call it"]
fn one_run() {
    let Ok(case) = std::env::var(CASE) else { return };
    let before = most_memory();
    let (mut scenario, _) = loaded(case.parse().unwrap());
    if std::env::var(RECORDS).unwrap() == "false" {
        scenario.recording.metrics = MetricSet::default();
        scenario.recording.captures.clear();
    }
    let mut simulation = sim::build(&scenario, 1);
    while !simulation.progress().finished() {
        simulation.step(simulation.progress().now + Span::from_ms(100));
    }
    let records = simulation.finish();
    println!("octets: {}", most_memory() - before);
    drop(records);
}

/// The most memory that this process has had: proc(5).
fn most_memory() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<f64>().unwrap() * 1024.0
}

const CASE: &str = "ACKCLOCK_MEMORY_CASE";
const RECORDS: &str = "ACKCLOCK_MEMORY_RECORDS";
