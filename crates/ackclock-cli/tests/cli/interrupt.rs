//! Ctrl-C: finished runs are kept, and the same command goes on.
#![cfg(unix)]

use std::time::Duration;

use serde_json::Value;

use crate::support::{PLAIN, Place, RANDOM, interrupted_after};

fn result(place: &Place, folder: &str) -> Value {
    serde_json::from_str(&place.read(&format!("{folder}/result.json"))).unwrap()
}

#[test]
fn finished_runs_are_kept_and_the_same_command_goes_on() {
    let place = Place::with("interrupted", RANDOM);
    let many = ["run", "scenario.toml", "--out", "kept", "--seeds", "200000"];
    let output = interrupted_after(Duration::from_secs(2), &place, &many);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("finished and kept in kept\nrun the same command again to go on\n"), "{stderr}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("fairness"));
    let kept = result(&place, "kept");
    assert_eq!(kept["complete"], false);
    assert!(kept["runs"].as_array().unwrap().len() < 200_000);

    // With fewer seeds it can be taken to its end: same runs as without the interruption.
    let few = |folder| ["run", "scenario.toml", "--out", folder, "--seeds", "3"];
    place.run(&few("kept")).exits_with(0).says(&["of 3 runs were finished before"]);
    place.run(&few("fresh")).exits_with(0);
    let (kept, fresh) = (result(&place, "kept"), result(&place, "fresh"));
    assert_eq!(kept["complete"], true);
    assert_eq!((&kept["runs"], &kept["summary"]), (&fresh["runs"], &fresh["summary"]));
}

#[test]
fn an_interrupted_run_without_results_leaves_what_was_in_its_folder() {
    let place = Place::with("interrupted-other", &PLAIN.replace("200 ms", "1 s"));
    place.run(&["run", "scenario.toml", "--out", "kept"]).exits_with(0);
    let complete = result(&place, "kept");
    let endless = ["run", "scenario.toml", "--out", "kept", "--set", "duration=700 h"];
    assert_eq!(interrupted_after(Duration::from_secs(1), &place, &endless).status.code(), Some(130));
    assert_eq!(result(&place, "kept"), complete);
}

#[test]
fn a_single_run_stops_at_once_and_leaves_nothing() {
    let place = Place::with("interrupted-single", &PLAIN.replace("200 ms", "700 h"));
    let output = interrupted_after(Duration::from_secs(1), &place, &["run", "scenario.toml"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert_eq!(stderr, "interrupted: none of 1 run was finished, nothing was written\n");
    assert_eq!(output.stdout, b"");
    assert_eq!(place.names(), ["scenario.toml"]);
}
