//! `run --capture`: which captures there are, and that they, and tables, are always those of the result beside them.

use std::fs;
use std::path::Path;
#[cfg(unix)]
use std::process::Command;

use serde_json::Value;

use crate::support::{PLAIN, Place, RANDOM, numbers};
#[cfg(unix)]
use crate::support::{catches_ctrl_c, ended_by, interrupted_once, ledger, outcome};
#[cfg(unix)]
use crate::tables::seeds_with_tables;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The seeds of a result, after it has been made sure that there are captures of each at these hosts, and no others.
#[track_caller]
fn seeds_with_captures(place: &Place, folder: &str, hosts: &[&str]) -> Vec<u64> {
    let result: Value = serde_json::from_str(&place.read(&format!("{folder}/result.json"))).unwrap();
    let mut seeds = Vec::new();
    for run in result["runs"].as_array().unwrap() {
        let seed = run["seed"].as_u64().unwrap();
        let captures = place.path(folder).join(format!("captures/seed-{seed}"));
        let index: Value = serde_json::from_slice(&fs::read(captures.join("index.json")).unwrap()).unwrap();
        assert_eq!(index["fingerprint"], run["fingerprint"]);
        assert_eq!(index["scenario_hash"], result["scenario"]["hash"]);
        let mut expected: Vec<String> = hosts.iter().map(|host| format!("{host}.pcapng")).collect();
        expected.push("index.json".into());
        expected.sort();
        assert_eq!(names(&captures), expected);
        for (file, host) in index["files"].as_array().unwrap().iter().zip(hosts) {
            let content = fs::read(captures.join(format!("{host}.pcapng"))).unwrap();
            assert_eq!((file["host"].as_str(), file["bytes"].as_u64()), (Some(*host), Some(content.len() as u64)));
            // The block that pcapng begins with, and the seed in its comment.
            assert_eq!(content[..4], [0x0a, 0x0d, 0x0d, 0x0a]);
            let seed = format!(", seed {seed}, ");
            assert!(content.windows(seed.len()).any(|part| part == seed.as_bytes()));
        }
        seeds.push(seed);
    }
    assert_eq!(names(&place.path(folder).join("captures")).len(), seeds.len());
    assert_eq!(partial(place, folder), 0);
    seeds
}

/// How many files there are that are not final.
pub fn partial(place: &Place, folder: &str) -> usize {
    names(&place.path(folder)).iter().filter(|name| name.contains("partial")).count()
}

#[test]
fn each_seed_and_host_has_a_file_and_the_folder_is_named() {
    let place = Place::with("captures", RANDOM);
    let run = "run scenario.toml --out kept --seeds 3 --capture s2,d1";
    let first = place.run(&run).exits_with(0);
    first.warns(&["captures in kept/captures, for Wireshark and tcptrace\nresults in kept\n"]);
    assert_eq!(seeds_with_captures(&place, "kept", &["d1", "s2"]), [1, 2, 3]);
    assert!(place.read("kept/scenario.toml").contains("capture = [\"s2\", \"d1\"]\n"));
    assert!(!place.path("kept/tables").exists(), "only what was asked for");
    let file = |seed: u64| fs::read(place.path("kept").join(format!("captures/seed-{seed}/s2.pcapng"))).unwrap();
    let before = [1, 2, 3].map(file);
    assert_ne!(before[0], before[1]);
    // The same run gives the same file, on either engine.
    place.run(&format!("{run} --engine reference")).exits_with(0);
    assert_eq!([1, 2, 3].map(file), before);
    assert!(!place.run("run scenario.toml").exits_with(0).stderr.contains("captures"));
}

#[test]
fn capturing_and_recording_change_no_number() {
    let place = Place::with("captures-numbers", RANDOM);
    assert_eq!(numbers(&place, "--capture s1,s2,s3,d1,d2,d3 --record tcp,ports,vc-queue"), numbers(&place, ""));
}

#[test]
fn a_scenario_may_ask_for_captures_and_the_command_line_for_others() {
    let place = Place::with("captures-scenario", &format!("capture = [\"d2\"]\n{PLAIN}"));
    place.run("run scenario.toml --out kept").exits_with(0);
    assert_eq!(seeds_with_captures(&place, "kept", &["d2"]), [1]);
    place.run("run scenario.toml --out kept --capture s1").exits_with(0);
    assert_eq!(seeds_with_captures(&place, "kept", &["s1"]), [1]);
    // What was captured is no part of the repetition, and is left as it is.
    place.run("rerun kept").exits_with(0);
    assert_eq!(seeds_with_captures(&place, "kept", &["s1"]), [1]);
}

#[test]
fn captures_of_an_earlier_result_do_not_stay() {
    let place = Place::with("captures-earlier", RANDOM);
    let run = |more: &str| {
        place.run(&format!("run scenario.toml --out kept {more}")).exits_with(0);
    };
    run("--capture s1,s3 --seeds 3");
    run("--capture s1 --record cwnd --seeds 2");
    assert_eq!(seeds_with_captures(&place, "kept", &["s1"]), [1, 2]);
    assert_eq!(names(&place.path("kept/tables")), ["seed-1", "seed-2"]);
    run("--capture s1");
    assert_eq!(seeds_with_captures(&place, "kept", &["s1"]), [1]);
    assert!(!place.path("kept/tables").exists());
    run("");
    assert_eq!(names(&place.path("kept")), [".ackclock", "result.json", "scenario.toml"]);
}

/// A run whose captures or tables are gone or damaged is not taken for finished.
#[test]
#[cfg(unix)]
fn a_killed_run_is_continued_with_its_captures_and_tables() {
    let place = Place::with("captures-continued", RANDOM);
    let run =
        |seeds| ["run", "scenario.toml", "--out", "kept", "--seeds", seeds, "--capture", "d1,s1", "--record", "cwnd"];
    ended_by("-KILL", 20, &place, "kept", &run("200000"));
    assert!(!place.path("kept/result.json").exists());
    let unfinished = ledger(&place, "kept").unwrap().parent().unwrap().to_path_buf();
    fs::remove_file(unfinished.join("captures/seed-2/d1.pcapng")).unwrap();
    let damaged = unfinished.join("captures/seed-3/s1.pcapng");
    let mut content = fs::read(&damaged).unwrap();
    *content.last_mut().unwrap() ^= 1;
    fs::write(&damaged, &content).unwrap();
    // Tables alone do not do either.
    fs::remove_dir_all(unfinished.join("captures/seed-4")).unwrap();
    fs::remove_file(unfinished.join("tables/seed-5/index.json")).unwrap();
    fs::remove_dir_all(unfinished.join("tables/seed-6")).unwrap();
    place.run(&run("7")).exits_with(0).says(&["resuming: 2 of 7 runs were finished before"]);
    assert_eq!(seeds_with_captures(&place, "kept", &["d1", "s1"]), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(seeds_with_tables(&place, "kept").len(), 7);
    assert!(!unfinished.exists());
    place.run("rerun kept").exits_with(0);
    place.run("export kept --metric cwnd").exits_with(0);
    assert_ne!(fs::read(place.path("kept/captures/seed-3/s1.pcapng")).unwrap(), content);
}

#[test]
#[cfg(unix)]
fn finished_runs_are_kept_with_their_captures_and_tables_after_an_interruption() {
    let place = Place::with("captures-interrupted", RANDOM);
    let many = "run scenario.toml --out kept --seeds 200000 --capture s1 --record queue";
    let output = ended_by("-INT", 100, &place, "kept", many);
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stderr).contains("captures in kept/captures"));
    assert!(!seeds_with_captures(&place, "kept", &["s1"]).is_empty() && !seeds_with_tables(&place, "kept").is_empty());
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_without_results_leaves_the_captures_and_tables_that_were_there() {
    let place = Place::with("captures-untouched", RANDOM);
    place.run("run scenario.toml --out kept --capture s1 --record cwnd").exits_with(0);
    let endless = "run scenario.toml --out kept --capture s1 --record cwnd --set 'duration=20 h'";
    let outcome = interrupted_once(catches_ctrl_c, &place, endless).exits_with(130);
    assert!(!outcome.stderr.contains("captures in"), "these are of another run");
    assert_eq!((seeds_with_captures(&place, "kept", &["s1"]), seeds_with_tables(&place, "kept")), (vec![1], vec![1]));
}

/// No file may be longer than 4 KiB: as on a full disk, the first byte beyond is refused.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_gives_one_message_and_nothing_half_written() {
    let place = Place::with("captures-full-disk", RANDOM);
    let program = env!("CARGO_BIN_EXE_ackclock");
    let script = format!("ulimit -f 8; exec {program} run scenario.toml --out kept --capture s1,d1 --seeds 4");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(place.path("."));
    let outcome = outcome(shell).exits_with(1).says(&[
        "error: cannot write the captures of seed ",
        " to the folder `kept`: File too large",
        "help: raise the limit of the length of files (`ulimit -f`), or record less (--record, --record-interval, --capture)",
    ]);
    assert_eq!(outcome.stderr.matches("error:").count(), 1, "{}", outcome.stderr);
    assert!(!place.path("kept").exists(), "made for a result that did not come");
    // And the folder can be used as soon as there is room.
    place.run("run scenario.toml --out kept --capture s1,d1").exits_with(0);
    assert_eq!(seeds_with_captures(&place, "kept", &["d1", "s1"]), [1]);
}

#[test]
fn files_of_others_called_captures_are_refused() {
    let place = Place::with("captures-foreign", RANDOM);
    let run = "run scenario.toml --out kept --capture s1";
    place.write("kept/captures/holiday.jpg", "sun");
    place.run(&run).exits_with(1).says(&["`kept` holds files that are not a result of ackclock; nothing was run"]);
    assert_eq!(place.read("kept/captures/holiday.jpg"), "sun");
    // What is left of a result of ours is not foreign.
    fs::remove_dir_all(place.path("kept")).unwrap();
    place.run(&run).exits_with(0);
    fs::remove_file(place.path("kept/result.json")).unwrap();
    place.run(&run).exits_with(0);
    assert_eq!(seeds_with_captures(&place, "kept", &["s1"]), [1]);
}

#[test]
fn quick_captures_too() {
    let place = Place::new("captures-quick");
    let quick = "quick --rate 1Mbps --rtt 100ms --tcp reno --seeds 2 --duration 2s";
    let capture = "--set capture=[\"s1\"] --out kept";
    place.run(&format!("{quick} {capture}")).exits_with(0).says(&["captures in kept/reno/captures"]);
    assert_eq!(seeds_with_captures(&place, "kept/reno", &["s1"]), [1, 2]);
}
