//! `run` with recordings: which tables there are, and that they are always those of the result beside them.

use std::fs;
#[cfg(unix)]
use std::process::Command;

use serde_json::Value;

use crate::captures::partial;
#[cfg(unix)]
use crate::support::{PLAIN, interrupted_when, outcome};
use crate::support::{Place, RANDOM};

/// The seeds of a result, after it has been made sure that there are tables of each, and of no other.
#[track_caller]
pub fn seeds_with_tables(place: &Place, folder: &str) -> Vec<u64> {
    let result: Value = serde_json::from_str(&place.read(&format!("{folder}/result.json"))).unwrap();
    let mut seeds = Vec::new();
    for run in result["runs"].as_array().unwrap() {
        let seed = run["seed"].as_u64().unwrap();
        let index: Value =
            serde_json::from_str(&place.read(&format!("{folder}/tables/seed-{seed}/index.json"))).unwrap();
        assert_eq!(index["fingerprint"], run["fingerprint"]);
        assert_eq!(index["scenario_hash"], result["scenario"]["hash"]);
        seeds.push(seed);
    }
    assert_eq!(fs::read_dir(place.path(folder).join("tables")).unwrap().count(), seeds.len());
    assert_eq!(partial(place, folder), 0);
    seeds
}

#[test]
fn a_recorded_run_has_tables_of_each_seed() {
    let place = Place::with("tables", RANDOM);
    let run = "run scenario.toml --out kept --seeds 3 --engine reference";
    let record = "--record queue,cwnd --record-interval '20 ms'";
    place.run(&format!("{run} {record}")).exits_with(0);
    assert_eq!(seeds_with_tables(&place, "kept"), [1, 2, 3]);
    let scenario = place.read("kept/scenario.toml");
    assert!(scenario.contains("record = [\"cwnd\", \"queue\"]\n"), "{scenario}");
    assert!(scenario.contains("record_interval = \"20 ms\"\n"), "{scenario}");
    // 300 ms are 15 intervals of 20 ms, at either end of the trunk, under 3 seeds; and the names of the columns.
    let queue = place.run("export kept --metric queue").exits_with(0).stdout;
    assert_eq!(queue.lines().count(), 15 * 2 * 3 + 1, "{queue}");
    place.run("plot kept").exits_with(0).says(&["of seed 1 to figures"]);
}

#[test]
fn tables_of_an_earlier_result_do_not_stay() {
    let place = Place::with("tables-earlier", RANDOM);
    let run = |more: &str| {
        place.run(&format!("run scenario.toml --out kept {more}")).exits_with(0);
    };
    run("--record cwnd --seeds 3");
    run("--record cwnd,queue --seeds 2");
    assert_eq!(seeds_with_tables(&place, "kept"), [1, 2]);
    run("");
    assert!(!place.path("kept/tables").exists());
}

/// No file may be longer than 512 bytes: as on a full disk, the first byte beyond is refused.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_gives_one_message_and_nothing_half_written() {
    let place = Place::with("tables-full-disk", RANDOM);
    let program = env!("CARGO_BIN_EXE_ackclock");
    let script = format!(
        "ulimit -f 1; exec {program} run scenario.toml --out kept \
                          --record tcp,ports --engine reference"
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(place.path("."));
    let outcome = outcome(shell).exits_with(1).says(&[
        "error: cannot write the tables of seed 1 to the folder `kept`: File too large",
        "help: raise the limit of the length of files (`ulimit -f`), or record less (--record, --record-interval, --capture)",
    ]);
    assert_eq!(outcome.stderr.matches("error:").count(), 1, "{}", outcome.stderr);
    assert!(!place.path("kept/result.json").exists());
    assert_eq!(partial(&place, "kept"), 0);
    // And the folder can be used as soon as there is room.
    place.run("run scenario.toml --out kept --record tcp,ports").exits_with(0);
    assert_eq!(seeds_with_tables(&place, "kept"), [1]);
}

#[test]
#[cfg(unix)]
fn gigabytes_are_announced() {
    let place = Place::with("tables-gigabytes", PLAIN);
    let small = place.run("run scenario.toml --record queue-changes").exits_with(0);
    assert!(!small.stderr.contains("note"), "{}", small.stderr);
    let large = "run scenario.toml --record queue-changes --set 'duration=700 h'";
    let stderr = interrupted_when("note: the records will take about ", &place, large).stderr;
    assert!(stderr.contains(" GB (queue-changes ") && stderr.contains("--record-interval"), "{stderr}");
}

#[test]
fn an_unknown_metric_or_host_is_answered_with_the_nearest() {
    let place = Place::with("tables-unknown", RANDOM);
    let run = |more: &str| place.run(&format!("run scenario.toml {more}")).without_result();
    run("--record cwnd,queu").exits_with(2).says(&["invalid value 'queu' for '--record", "'queue'"]);
    run("--set record=[\"cwmd\"]").exits_with(3).says(&["unknown metric \"cwmd\"", "did you mean \"cwnd\"?"]);
    run("--capture nobody").exits_with(3).says(&["nobody"]);
    run("--record cwnd --record-interval 20").exits_with(3).says(&["record_interval"]);
    assert_eq!(place.names(), ["scenario.toml"]);
}
