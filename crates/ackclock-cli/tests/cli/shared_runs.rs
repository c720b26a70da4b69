//! A run is simulated once, whichever command asked for it first.

use std::fs;

use serde_json::Value;

use crate::support::{Outcome, Place, RANDOM};
use crate::sweep::{sweep, tables};

const POINT: &str = "--set queue.policy=fba --set 'queue.buffer=480 cells'";
const NOT_AGAIN: &str = "were finished by a sweep, in ./all: not run again";

/// A sweep over some seconds: of shorter runs no documents are kept.
fn swept(test: &str, more: &str) -> Place {
    let place = Place::with(test, &RANDOM.replace("300 ms", "2 s"));
    place.run(&sweep(&format!("--out all {more}"))).exits_with(0);
    place
}

fn run(place: &Place, more: &str) -> Outcome {
    place.run(&format!("run scenario.toml {POINT} {more}")).exits_with(0)
}

/// What a result says, but for the command that made it.
fn result(place: &Place, folder: &str) -> Value {
    let mut document: Value = serde_json::from_str(&place.read(&format!("{folder}/result.json"))).unwrap();
    for member in ["command", "blake3"] {
        document.as_object_mut().unwrap().remove(member).unwrap();
    }
    document
}

#[test]
fn a_run_after_a_sweep_of_the_same_point_simulates_nothing() {
    let place = swept("run-after-sweep", "");
    for (folder, more) in [("plain", ""), ("delays", "--delays")] {
        let again = run(&place, &format!("--seeds 3 --out {folder} {more}"));
        assert!(again.stderr.contains(&format!("3 of 3 runs {NOT_AGAIN}")), "{}", again.stderr);
        // Who names the reference engine wants its results.
        let simulated = run(&place, &format!("--seeds 3 --out {folder}-simulated --engine reference {more}"));
        assert!(!simulated.stderr.contains("sweep"), "{}", simulated.stderr);
        assert_eq!(again.stdout, simulated.stdout);
        assert_eq!(result(&place, folder), result(&place, &format!("{folder}-simulated")));
        place.run(&format!("rerun {folder}")).exits_with(0);
    }
}

#[test]
fn of_more_seeds_than_a_sweep_had_the_others_are_simulated() {
    let place = swept("more-seeds", "");
    let some = run(&place, "--seeds 5 --out some");
    assert!(some.stderr.contains(&format!("3 of 5 runs {NOT_AGAIN}")), "{}", some.stderr);
    run(&place, "--seeds 5 --out simulated --engine reference");
    assert_eq!(result(&place, "some"), result(&place, "simulated"));
}

#[test]
fn what_a_sweep_does_not_keep_is_simulated() {
    let place = swept("not-kept", "--measure 'share(goodput: f1)' --measure timeouts");
    let measured = run(&place, "--out measured --measure timeouts");
    assert!(measured.stderr.contains(&format!("1 of 1 runs {NOT_AGAIN}")), "{}", measured.stderr);
    assert_eq!(result(&place, "measured")["runs"][0]["measures"].as_object().unwrap().len(), 1);
    for more in [
        "--measure jain(goodput)",
        "--record cwnd",
        "--set duration=1900ms",
        "--set seed=4",
        "--set 'queue.buffer=479 cells'",
        "--capture s1",
    ] {
        let simulated = run(&place, &format!("--out simulated {more}"));
        assert!(!simulated.stderr.contains(NOT_AGAIN), "{more}: {}", simulated.stderr);
    }
    // A changed octet of each line.
    let ledger = place.path("all/runs.jsonl");
    let changed = fs::read_to_string(&ledger).unwrap().replace("\"efficiency\":0.", "\"efficiency\":1.");
    fs::write(&ledger, changed).unwrap();
    let simulated = run(&place, "--out damaged");
    assert!(!simulated.stderr.contains(NOT_AGAIN), "{}", simulated.stderr);
}

#[test]
fn a_sweep_takes_over_the_runs_of_another_and_has_the_same_tables() {
    let place = swept("sweep-after-sweep", "");
    // Of eight points four are new. At the first, the fourth and the last it is looked at when the goodput settles.
    let more = "--vary queue.policy=fba,selective-drop --vary queue.buffer=60..480cells:log:4 --seeds 3";
    let taken = place.run(&format!("sweep scenario.toml {more} --out taken")).exits_with(0);
    assert!(
        taken.stderr.contains("note: 10 runs of other sweeps in the same folder are taken over"),
        "{}",
        taken.stderr
    );
    assert!(taken.stderr.contains(", 14 to do"), "{}", taken.stderr);
    fs::create_dir(place.path("alone")).unwrap();
    let alone = place.run(&format!("sweep scenario.toml {more} --out alone/alone")).exits_with(0);
    assert!(!alone.stderr.contains("taken over"), "{}", alone.stderr);
    assert_eq!(tables(&place, "taken"), tables(&place, "alone/alone"));
    place.run("verify .").exits_with(0);
}
