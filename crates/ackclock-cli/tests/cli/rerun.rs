//! `rerun`: the same runs once more, and what became of the result since.

use crate::support::{Place, RANDOM};

fn kept(test: &str) -> Place {
    let place = Place::with(test, RANDOM);
    place.run("run scenario.toml --seeds 3 --out kept --record queue").exits_with(0);
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
    place.run("rerun kept/result.json").exits_with(0);
}

#[test]
fn a_run_that_differs_is_named() {
    let place = kept("rerun-differs");
    let result = place.read("kept/result.json");
    let at = result.rfind("\"fingerprint\": \"").unwrap() + "\"fingerprint\": \"".len();
    let changed = format!("{}0123456789abcdef{}", &result[..at], &result[at + 16..]);
    place.write("kept/result.json", &changed);
    let outcome = place.run("rerun kept").exits_with(4).says(&["result.json was changed"]);
    assert!(outcome.stdout.starts_with("kept: 1 of 3 runs differ\nseed 3: fingerprint 0123456789abcdef, now "));
    // Another number under the same fingerprint.
    place.write("kept/result.json", result.replacen("\"fairness\": 0", "\"fairness\": 1", 1));
    let outcome = place.run("rerun kept").exits_with(4);
    outcome.prints(&["seed 1: same fingerprint "]);
    outcome.prints(&["result.json: runs[0].fairness is 1."]);
    // Nothing that is computed: the command line, and white space.
    for (from, to) in [("\"kept\"", "\"keep\""), ("\n}", "\n }")] {
        place.write("kept/result.json", result.replacen(from, to, 1));
        let outcome = place.run("rerun kept").exits_with(4).says(&["result.json was changed"]);
        outcome.prints(&["although all its numbers are equal"]);
    }
}

/// One digit of each number of the summary, one after the other.
#[test]
fn each_changed_number_of_the_summary_is_found() {
    let place = kept("rerun-summary");
    let result = place.read("kept/result.json");
    let summary = result.find("\"summary\": {").unwrap();
    let mut numbers = 0;
    let colons = result[summary..].match_indices("\": ").map(|(colon, _)| summary + colon);
    for quote in colons.filter(|quote| result[quote + 3..].starts_with(|c: char| c.is_ascii_digit())) {
        let (at, name) = (quote + 3, result[..quote].rsplit('"').next().unwrap());
        let digit = if &result[at..=at] == "5" { "4" } else { "5" };
        place.write("kept/result.json", [&result[..at], digit, &result[at + 1..]].concat());
        let outcome = place.run("rerun kept").exits_with(4).says(&["result.json was changed"]);
        let said = outcome.stdout.lines().any(|line| line.starts_with("result.json: summary.") && line.contains(name));
        assert!(said, "{name}: {}", outcome.stdout);
        let refused = "not as ackclock wrote it: it does not match its checksum";
        if numbers % 10 == 0 {
            place.run("report kept").exits_with(1).without_result().says(&[refused]);
        }
        if numbers == 0 {
            for command in
                [&["export", "kept", "--metric", "queue"][..], &["plot", "kept"], &["compare", "kept", "kept"]]
            {
                place.run(command).exits_with(1).without_result().says(&[refused]);
            }
        }
        numbers += 1;
    }
    assert!(numbers > 60, "{numbers}");
    assert!(!place.path("kept/report.html").exists());
    place.write("kept/result.json", &result);
    place.run("report kept").exits_with(0);
}

/// Whoever changes a number and the checksum too.
#[test]
fn a_summary_that_does_not_follow_from_the_runs_is_no_report() {
    let place = kept("rerun-forged");
    let result = place.read("kept/result.json");
    let forged = |from: &str, to: &str| {
        let (document, _) = result.rsplit_once(",\n  \"blake3\"").unwrap();
        let at = document.rfind(from).unwrap();
        let changed = [&document[..at], to, &document[at + from.len()..]].concat();
        let checksum = blake3::hash(changed.as_bytes()).to_hex();
        place.write("kept/result.json", format!("{changed},\n  \"blake3\": \"{checksum}\"\n}}\n"));
    };
    forged("\"runs\": 3,", "\"runs\": 4,");
    place.run("report kept").exits_with(1).says(&["its summary does not follow from its runs"]);
    place.run("rerun kept").exits_with(4).prints(&["result.json: summary.runs is 4, computed 3\n"]);
    // A run with a flow less than the others: once a panic.
    let begin = result.rfind("{\"name\": \"f1\", \"goodput_bps\"").unwrap();
    let end = begin + result[begin..].find("},\n").unwrap() + 2;
    forged(&result[begin..end], "");
    place.run("report kept").exits_with(1).says(&["its summary does not follow from its runs"]);
    place.run("rerun kept").exits_with(4);
}

#[test]
fn a_result_without_a_checksum_is_no_report() {
    let place = kept("rerun-no-checksum");
    let result = place.read("kept/result.json");
    let (document, _) = result.rsplit_once(",\n  \"blake3\"").unwrap();
    place.write("kept/result.json", format!("{document}\n}}\n"));
    place.run("report kept").exits_with(1).says(&["it has no checksum", "help: run it again"]);
    assert!(place.run("rerun kept").exits_with(4).stdout.ends_with("result.json: it has no checksum\n"));
}

#[test]
fn a_result_of_another_version_is_refused() {
    let place = kept("rerun-version");
    let result = place.read("kept/result.json");
    let version = |line: &&str| line.contains("\"result_version\"");
    let line = result.lines().find(version).unwrap();
    place.write("kept/result.json", result.replace(line, "  \"result_version\": 1,"));
    place
        .run("rerun kept")
        .exits_with(1)
        .without_result()
        .says(&["`kept` is of result version 1 (ackclock 0.1.0); this program computes version ", "help: "]);
}

#[test]
fn a_scenario_that_was_changed_since_is_noticed() {
    let place = kept("rerun-scenario");
    let scenario = place.read("kept/scenario.toml");
    place.write("kept/scenario.toml", scenario.replace("60 cells", "61 cells"));
    place.run("rerun kept").exits_with(1).says(&["`kept/scenario.toml` is not the scenario of the result"]);
    place.write("kept/scenario.toml", "duration = 3");
    place.run("rerun kept").exits_with(3).says(&["kept/scenario.toml:1", "nothing was run"]);
    std::fs::remove_file(place.path("kept/scenario.toml")).unwrap();
    place.run("rerun kept").exits_with(1).says(&["cannot read `kept/scenario.toml`"]);
}
