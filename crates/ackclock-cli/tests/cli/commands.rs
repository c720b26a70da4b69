//! The other commands, and every example of the help texts.

use std::env;
use std::path::Path;
use std::process::Command;

use crate::support::{PLAIN, Place, outcome};

#[test]
fn the_version_names_the_version_of_the_results() {
    let place = Place::new("version");
    let outcome = place.run(&["--version"]).exits_with(0);
    insta::assert_snapshot!(outcome.stdout, @"ackclock 0.1.0 (result version 2)");
    assert_eq!(outcome.stderr, "");
}

#[test]
fn every_command_has_help_on_standard_output() {
    let place = Place::new("help");
    insta::assert_snapshot!(place.run(&["--help"]).exits_with(0).stdout);
    for command in ["run", "check", "list", "init", "schema", "reproduce", "report", "compare"] {
        let outcome = place.run(&[command, "--help"]).exits_with(0);
        assert!(outcome.stdout.contains("\nExample:\n  ackclock "), "{}", outcome.stdout);
        assert_eq!(outcome.stderr, "");
    }
}

#[test]
#[cfg(unix)]
fn the_examples_of_the_help_texts_work() {
    let place = Place::new("help-examples");
    place.run(&["init"]).exits_with(0);
    place.run(&["init", "template.toml"]).exits_with(0);
    let program = Path::new(env!("CARGO_BIN_EXE_ackclock")).parent().unwrap();
    let path = env::join_paths([program, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    // `init` refuses to overwrite, and studies take minutes: both have tests of their own.
    for command in ["run", "check", "list", "schema"] {
        let help = place.run(&[command, "--help"]).stdout;
        let example = help.split("Example:\n").nth(1).unwrap().lines().next().unwrap().trim();
        let mut shell = Command::new("sh");
        shell.args(["-c", example]).env("PATH", &path).current_dir(place.path("."));
        outcome(shell).exits_with(0);
    }
}

#[test]
fn init_writes_a_scenario_that_runs_without_a_warning() {
    let place = Place::new("init");
    let init = place.run(&["init"]).exits_with(0).without_result();
    assert_eq!(init.stderr, "wrote scenario.toml\nrun it with: ackclock run scenario.toml\n");
    place.run(&["init"]).exits_with(1).without_result().says(&["`scenario.toml` exists already", "ackclock init FILE"]);
    assert_eq!(place.run(&["init", "-"]).exits_with(0).stdout, place.read("scenario.toml"));
    place.run(&["init", "no/such/folder.toml"]).exits_with(1).says(&["cannot write"]);

    let run = place.run(&["run", "scenario.toml"]).exits_with(0);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(run.stdout.contains("efficiency after warm-up"), "{}", run.stdout);
}

#[test]
fn check_says_what_a_valid_scenario_is_and_prints_it_in_full() {
    let place = Place::with("check", PLAIN);
    let valid = place.run(&["check", "scenario.toml"]).exits_with(0);
    insta::assert_snapshot!(valid.stdout, @"scenario.toml: valid, packet network of 4 hosts and 2 switches, 2 flows, 0.2 s simulated");
    assert_eq!(valid.stderr, "");

    let printed = place.run(&["check", "scenario.toml", "--print", "--set", "queue.buffer=7 packets"]).exits_with(0);
    assert!(printed.stdout.contains("7 packets") && printed.stdout.contains("mss = "), "{}", printed.stdout);
    // What is printed is a scenario itself.
    place.write("printed.toml", &printed.stdout);
    place.run(&["check", "printed.toml"]).exits_with(0);

    place
        .run(&["check", "scenario.toml", "--set", "queue.buffer=7"])
        .exits_with(3)
        .without_result()
        .says(&["1 error\n"]);
}

#[test]
fn list_shows_words_and_studies() {
    let place = Place::new("list");
    let all = place.run(&["list"]).exits_with(0).stdout;
    for word in ["policy", "selective-drop", "recovery", "new-reno", "topology", "dumbbell", "sack-ubr"] {
        assert!(all.contains(word), "no {word} in {all}");
    }
    let policies = place.run(&["list", "policy"]).exits_with(0).stdout;
    assert!(policies.lines().any(|line| line == "epd"), "{policies}");
    assert!(place.run(&["list", "studies"]).exits_with(0).stdout.contains("sack-ubr/t1"));
    place.run(&["list", "polices"]).exits_with(2).without_result().says(&["did you mean `ackclock list policy`?"]);
}

#[test]
fn the_schema_is_json_that_names_the_keys() {
    let schema = Place::new("schema").run(&["schema"]).exits_with(0).json();
    assert!(schema["$schema"].as_str().unwrap().contains("draft-07"));
    assert!(schema["properties"]["network"].is_object() && schema["properties"]["duration"].is_object());
}
