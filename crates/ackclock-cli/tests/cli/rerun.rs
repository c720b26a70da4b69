//! `rerun`: the same runs once more, and what became of the result since.

use crate::support::{Place, RANDOM};

fn kept(test: &str) -> Place {
    let place = Place::with(test, RANDOM);
    place.run(&["run", "scenario.toml", "--seeds", "3", "--out", "kept", "--record", "queue"]).exits_with(0);
    place
}

#[test]
fn a_result_that_is_repeated_is_equal_with_both_engines() {
    let place = kept("rerun");
    for engine in ["batched", "reference"] {
        let outcome = place.run(&["rerun", "kept", "--engine", engine]).exits_with(0);
        assert_eq!(outcome.stdout, "kept: 3 runs repeated, all equal to the bit\n");
        assert_eq!(outcome.stderr, "");
    }
    // The document will do for the folder.
    place.run(&["rerun", "kept/result.json"]).exits_with(0);
}

#[test]
fn a_run_that_differs_is_named() {
    let place = kept("rerun-differs");
    let result = place.read("kept/result.json");
    let at = result.rfind("\"fingerprint\": \"").unwrap() + "\"fingerprint\": \"".len();
    let changed = format!("{}0123456789abcdef{}", &result[..at], &result[at + 16..]);
    place.write("kept/result.json", &changed);
    let outcome = place.run(&["rerun", "kept"]).exits_with(4).says(&["result.json was changed"]);
    assert!(outcome.stdout.starts_with("kept: 1 of 3 runs differ\nseed 3: fingerprint 0123456789abcdef, now "));
    // Another number under the same fingerprint.
    place.write("kept/result.json", result.replacen("\"fairness\": 0", "\"fairness\": 1", 1));
    let outcome = place.run(&["rerun", "kept"]).exits_with(4);
    assert!(outcome.stdout.contains("seed 1: same fingerprint "), "{}", outcome.stdout);
}

#[test]
fn a_result_of_another_version_is_refused() {
    let place = kept("rerun-version");
    let result = place.read("kept/result.json");
    let version = |line: &&str| line.contains("\"result_version\"");
    let line = result.lines().find(version).unwrap();
    place.write("kept/result.json", result.replace(line, "  \"result_version\": 1,"));
    let outcome = place.run(&["rerun", "kept"]).exits_with(1).without_result();
    outcome.says(&["`kept` is of result version 1 (ackclock 0.1.0); this program computes version ", "help: "]);
}

#[test]
fn a_scenario_that_was_changed_since_is_noticed() {
    let place = kept("rerun-scenario");
    let scenario = place.read("kept/scenario.toml");
    place.write("kept/scenario.toml", scenario.replace("60 cells", "61 cells"));
    place.run(&["rerun", "kept"]).exits_with(1).says(&["`kept/scenario.toml` is not the scenario of the result"]);
    place.write("kept/scenario.toml", "duration = 3");
    place.run(&["rerun", "kept"]).exits_with(3).says(&["kept/scenario.toml:1", "nothing was run"]);
    std::fs::remove_file(place.path("kept/scenario.toml")).unwrap();
    place.run(&["rerun", "kept"]).exits_with(1).says(&["cannot read `kept/scenario.toml`"]);
}
