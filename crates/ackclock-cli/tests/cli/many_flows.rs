//! Results of more than a thousand flows: the parts of their runs are in files, and every command shows them as if they were not.

use std::fs;

use crate::support::{PLAIN, Place};
#[cfg(unix)]
use crate::support::{ended_by, ledger, lines};

const COMMAND: [&str; 6] = ["run", "scenario.toml", "--set", "duration=\"40 ms\"", "--set", "warmup=\"10 ms\""];
const RECORDED: [&str; 4] = ["--set", "delays=true", "--record", "queue"];
/// What a run of them leaves in its folder `flows/seed-N`.
const FILES: [&str; 7] = [
    "flows",
    "flows.one_way_delay.quantiles_s",
    "flows.round_trip.quantiles_s",
    "flows.timeout_times_s",
    "ports",
    "ports.sojourn.quantiles_s",
    "ports.vcs",
];

fn run<'a>(sources: &'a str, seeds: &'a str, out: &'a str) -> Vec<&'a str> {
    [&COMMAND[..], &["--set", sources, "--seeds", seeds, "--out", out]].concat()
}

/// The result with its flows in `result.json`, as every result was written before.
fn whole(place: &Place, document: &str) {
    for name in [".ackclock", "scenario.toml", "tables/seed-1/index.json", "tables/seed-1/queue.parquet"] {
        place.write(&format!("whole/{name}"), fs::read(place.path("kept").join(name)).unwrap());
        let of_2 = name.replace("seed-1", "seed-2");
        place.write(&format!("whole/{of_2}"), fs::read(place.path("kept").join(&of_2)).unwrap());
    }
    place.write("whole/result.json", document);
}

#[test]
fn what_is_in_files_is_shown_by_every_command_as_if_it_were_in_the_document() {
    let place = Place::with("many-shown", PLAIN);
    let command = [&run("network.sources=1001", "2", "kept")[..], &RECORDED].concat();
    let table = place.run(&command).exits_with(0).stdout;
    let json = place.run(&[&command[..], &["--json"]].concat()).exits_with(0);
    let names: Vec<String> = fs::read_dir(place.path("kept/flows/seed-2"))
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().into_string().unwrap().replace(".parquet", ""))
        .collect();
    assert!(names.iter().all(|name| FILES.contains(&&**name)) && names.len() >= FILES.len() - 1, "{names:?}");
    let document: serde_json::Value = serde_json::from_str(&place.read("kept/result.json")).unwrap();
    let second = &document["runs"][1];
    assert_eq!((second["flows"].to_string(), second["parts"]["flows"]["rows"].as_u64()), ("[]".into(), Some(1001)));
    assert_eq!(json.json()["runs"][1]["flows"].as_array().unwrap().len(), 1001);
    assert!(json.json()["runs"][1].get("parts").is_none());
    assert!(place.read("kept/result.json").len() < 20_000, "{}", place.read("kept/result.json").len());
    assert!(table.contains("... and 998 more"), "{table}");

    whole(&place, &json.stdout);
    place.run(&["verify", "kept"]).exits_with(0);
    for folder in ["kept", "whole"] {
        place.run(&["report", folder, "--out", &format!("{folder}.html")]).exits_with(0);
        place.run(&["export", folder, "--to", &format!("{folder}.csv")]).exits_with(0);
    }
    assert!(place.read("kept.html") == place.read("whole.html"), "the pages differ");
    assert!(place.read("kept.csv/queue.csv") == place.read("whole.csv/queue.csv"), "the tables differ");
    // Without tables of two thousand ports, which are compared in seconds.
    let command = [&run("network.sources=1001", "2", "plain")[..], &["--json"]].concat();
    place.write("json/result.json", place.run(&command).exits_with(0).stdout);
    let compared = |first, second| place.run(&["compare", first, second, "--json", "--out", "c.html"]).exits_with(0);
    let (files, documents) = (compared("plain", "json"), compared("json", "plain"));
    assert_eq!(files.stdout.replace("json", "plain"), documents.stdout.replace("json", "plain"));
    place.run(&["rerun", "plain"]).exits_with(0);
}

#[test]
fn a_thousand_flows_are_in_the_document() {
    let place = Place::with("many-not", PLAIN);
    let few = [&run("network.sources=1000", "1", "kept")[..], &["--json"]].concat();
    let json = place.run(&few).exits_with(0).stdout;
    assert!(place.read("kept/result.json") == json && !place.path("kept/flows").exists());
    // What an earlier result of this folder left of more flows goes with it.
    place.run(&run("network.sources=1001", "1", "kept")).exits_with(0);
    assert!(place.path("kept/flows/seed-1/flows.parquet").exists());
    place.run(&few).exits_with(0);
    assert!(place.read("kept/result.json") == json && !place.path("kept/flows").exists());
}

#[test]
fn a_file_that_is_missing_or_was_changed_is_one_message() {
    let place = Place::with("many-damaged", PLAIN);
    place.run(&run("network.sources=1001", "1", "kept")).exits_with(0);
    let file = "kept/flows/seed-1/ports.vcs.parquet";
    let content = fs::read(place.path(file)).unwrap();
    let commands: [&[&str]; 3] = [&["report", "kept"], &["compare", "kept", "kept"], &["rerun", "kept"]];
    let mut changed = content.clone();
    changed[content.len() / 2] ^= 1;
    for (content, said) in [
        (None, "is missing"),
        (Some(&changed[..]), "is damaged: its checksum is not that in the result beside it"),
        (Some(&content[1..]), "bytes, "),
    ] {
        match content {
            None => fs::remove_file(place.path(file)).unwrap(),
            Some(content) => fs::write(place.path(file), content).unwrap(),
        }
        for command in commands {
            let outcome = place.run(command).exits_with(1).without_result();
            assert_eq!(outcome.stderr.matches("error: ").count(), 1, "{outcome:#?}");
            outcome.says(&[said, file, "help: run the scenario again"]);
        }
        let outcome = place.run(&["verify", "kept"]).exits_with(1);
        assert_eq!(outcome.stdout.matches(file).count(), 1, "{outcome:#?}");
    }
    fs::write(place.path(file), &content).unwrap();
    place.run(&["verify", "kept"]).exits_with(0);
    // Of another run, whole in itself: the document does not vouch for it.
    place
        .run(&[&run("network.sources=1001", "1", "other")[..], &["--set", "queue.buffer=5 packets"]].concat())
        .exits_with(0);
    fs::copy(place.path("other/flows/seed-1/ports.vcs.parquet"), place.path(file)).unwrap();
    place.run(&["report", "kept"]).exits_with(1).says(&[file]);
    fs::write(place.path(file), &content).unwrap();
    place.write("kept/flows/seed-1/notes.txt", "mine");
    let outcome = place.run(&["verify", "kept"]).exits_with(1);
    assert!(outcome.stdout.contains("`kept/flows/seed-1/notes.txt`: it does not belong to this run"), "{outcome:#?}");
}

/// The ledger does not hold the flows, and what is kept of finished runs is not simulated again.
#[test]
#[cfg(unix)]
fn runs_of_many_flows_are_resumed_after_a_kill() {
    let place = Place::with("many-killed", PLAIN);
    let command = run("network.sources=1001", "6", "kept");
    ended_by("-KILL", 2, &place, "kept", &command);
    let kept = ledger(&place, "kept").unwrap();
    let (finished, length) = (lines(&kept), fs::metadata(&kept).unwrap().len());
    assert!(length < 3000 * (finished as u64 + 1), "{length} octets of {finished} runs");
    place.run(&["verify", "kept"]).exits_with(0);
    // A run of which a file is missing is simulated again.
    let text = fs::read_to_string(&kept).unwrap();
    let (_, seed) = text.split_once("\"seed\":").unwrap();
    let seed = &seed[..seed.find(',').unwrap()];
    fs::remove_file(kept.parent().unwrap().join(format!("flows/seed-{seed}/flows.parquet"))).unwrap();
    let resumed = place.run(&command).exits_with(0).says(&["resuming: ", " of 6 runs were finished before"]);
    assert!(resumed.stderr.contains(&format!("resuming: {} of 6", finished - 1)), "{finished}: {resumed:#?}");
    let whole = place.run(&run("network.sources=1001", "6", "whole")).exits_with(0);
    assert_eq!(resumed.stdout, whole.stdout);
    for seed in 1..=6 {
        let name = format!("flows/seed-{seed}/flows.parquet");
        assert!(
            fs::read(place.path("kept").join(&name)).unwrap() == fs::read(place.path("whole").join(&name)).unwrap()
        );
    }
    place.run(&["verify", "kept", "whole"]).exits_with(0);
}
