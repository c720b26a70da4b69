//! Ctrl-C: finished runs are kept, and the same command goes on.
#![cfg(unix)]

use serde_json::Value;

use crate::support::{PLAIN, Place, RANDOM, catches_ctrl_c, ended_by, interrupted_once};

fn result(place: &Place, folder: &str) -> Value {
    serde_json::from_str(&place.read(&format!("{folder}/result.json"))).unwrap()
}

#[test]
fn finished_runs_are_kept_and_the_same_command_goes_on() {
    let place = Place::with("interrupted", RANDOM);
    let many = "run scenario.toml --out kept --seeds 200000";
    let output = ended_by("-INT", 100, &place, "kept", many);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("finished and kept in kept\nrun the same command again to resume\n"), "{stderr}");
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
    place.run("run scenario.toml --out kept").exits_with(0);
    let complete = result(&place, "kept");
    let endless = "run scenario.toml --out kept --set 'duration=700 h'";
    interrupted_once(catches_ctrl_c, &place, endless).exits_with(130);
    assert_eq!(result(&place, "kept"), complete);
}

#[test]
fn a_single_run_stops_at_once_and_leaves_nothing() {
    let place = Place::with("interrupted-single", &PLAIN.replace("200 ms", "700 h"));
    let begun = |_| place.path("results").exists();
    let outcome = interrupted_once(begun, &place, "run scenario.toml").exits_with(130);
    let said: Vec<_> = outcome.stderr.lines().collect();
    assert!(said[0].starts_with("note: up to 4565 million packets are to be simulated"), "{said:?}");
    assert_eq!(said[1..], ["interrupted: none of 1 run was finished, nothing was written"]);
    assert_eq!(outcome.stdout, "");
    assert_eq!(place.names(), ["scenario.toml"]);
}

/// Nobody looks at the flag while a file is read: the program ends by itself, with the code and a word about it.
#[test]
fn ctrl_c_is_answered_while_a_large_scenario_is_read() {
    let large = RANDOM.replace("sources = 3", "sources = 2000000");
    let place = Place::with("interrupted-loading", &large);
    let outcome = interrupted_once(catches_ctrl_c, &place, "run scenario.toml").exits_with(130);
    assert_eq!(outcome.stderr, "interrupted: nothing was run\n");
    assert_eq!(outcome.stdout, "");
}
