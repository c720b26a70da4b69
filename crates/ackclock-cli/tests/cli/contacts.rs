//! Satellites: contact plans shown, written and read back, handovers in results.

use std::process::Command;

use serde_json::Value;

use crate::support::{Place, outcome};

/// Some seconds around a handover: Boston goes over at 390 s.
pub const SPACE: &str = r#"
duration = "400 s"
[satellites]
constellation = "iridium"
earth = "ns2"
[place]
berkeley = "37.9 N 122.3 W"
boston = "42.3 N 71.1 W"
[flow.f]
from = "berkeley"
to = "boston"
start = "380 s"
"#;

fn result(place: &Place, folder: &str) -> Value {
    serde_json::from_str(&place.read(&format!("{folder}/result.json"))).unwrap()
}

fn fingerprint(place: &Place, folder: &str) -> String {
    result(place, folder)["runs"][0]["fingerprint"].as_str().unwrap().to_owned()
}

/// No file may be longer than 1024 bytes: as on a full disk, the first byte beyond is refused.
#[test]
#[cfg(target_os = "linux")]
fn a_plan_that_cannot_be_written_whole_is_not_written() {
    let place = Place::with("contacts-full-disk", SPACE);
    let full = |command: &str| {
        let mut shell = Command::new("sh");
        let program = env!("CARGO_BIN_EXE_ackclock");
        shell.args(["-c", &format!("ulimit -f 2; exec {program} {command}")]);
        shell.current_dir(place.path("."));
        outcome(shell).exits_with(1)
    };
    let message =
        ["error: `plan/nodes.parquet`: ", "File too large", "help: free space on the disk, or choose another disk"];
    full("contacts scenario.toml --write plan").says(&message);
    assert!(!place.path("plan").exists());
    // A plan that was there stays.
    place.run("contacts scenario.toml --write plan").exits_with(0);
    let index = place.read("plan/plan.json");
    full("contacts scenario.toml --write plan").says(&message);
    assert_eq!(place.read("plan/plan.json"), index);
    assert_eq!(std::fs::read_dir(place.path("plan")).unwrap().count(), 7);
    place.run("run scenario.toml --set satellites.plan=plan --out r").exits_with(0);
}

/// A result has a table of events, too, and the user has files of his own.
#[test]
fn writing_a_plan_replaces_nothing_that_is_not_a_plan() {
    let place = Place::with("contacts-owned", SPACE);
    place.run("run scenario.toml --out kept").exits_with(0);
    let events = std::fs::read(place.path("kept/events.parquet")).unwrap();
    let write = |target: &str| place.run(&["contacts", "scenario.toml", "--write", target]);
    write("kept").exits_with(1).says(&[
        "error: `kept/events.parquet` is not a file of a contact plan, and would be replaced",
        "help: name another folder",
    ]);
    assert_eq!(std::fs::read(place.path("kept/events.parquet")).unwrap(), events);
    assert!(!place.path("kept/plan.json").exists());
    place.run("verify kept").exits_with(0);
    // A file where the folder would be.
    write("scenario.toml").exits_with(1);
    assert_eq!(place.read("scenario.toml"), SPACE);
    // Tables of delays: an earlier one is replaced, another file is not.
    write("delays.csv").exits_with(0);
    write("delays.csv").exits_with(0);
    for content in ["t_s,owd_ms\n0,1\n", "", "OBJECT_NAME,EPOCH\n"] {
        place.write("mine.csv", content);
        write("mine.csv")
            .exits_with(1)
            .says(&["error: `mine.csv` exists already and is not a table of the same columns"]);
        assert_eq!(place.read("mine.csv"), content);
    }
}

#[test]
fn contacts_shows_each_change_of_the_path_with_reason_and_delay() {
    let place = Place::with("contacts-shown", SPACE);
    let shown = place.run("contacts scenario.toml").exits_with(0);
    insta::assert_snapshot!(shown.stdout);
    // A mask under which nobody ever sees anything: the path is not there, and why.
    let shown = place.run("contacts scenario.toml --set 'satellites.mask=80 deg'").exits_with(0);
    shown.prints(&["no route", "has no satellite above"]);
    shown.warns(&["there is never a route from `berkeley` to `boston`"]);
}

#[test]
fn long_paths_are_folded_and_a_table_has_them_whole() {
    let shell = SPACE.replace("\"iridium\"", "\"53:1584/72/39\"\naltitude = \"550 km\"");
    let shell = shell.replace("boston = \"42.3 N 71.1 W\"", "boston = \"33.9 S 18.4 E\"");
    let place = Place::with("contacts-folded", &shell);
    let contacts = |more: &str| {
        let command = format!("contacts scenario.toml --set 'duration=11 s' --set 'flow.f.start=1 s' {more}");
        place.run(&command).exits_with(0).stdout
    };
    let shown = contacts("");
    let path = shown.lines().find(|line| line.contains(" more) > ")).unwrap_or_else(|| panic!("{shown}"));
    assert_eq!(path.matches(" > ").count(), 6, "three satellites, a number, three satellites: {path}");
    contacts("--write all.csv");
    assert!(place.read("all.csv").lines().nth(1).unwrap().matches(" > ").count() > 8);
}

#[test]
fn a_plan_that_is_exported_and_read_back_gives_the_same_run_to_the_bit() {
    let place = Place::with("contacts-plan", SPACE);
    place.run("contacts scenario.toml --write plan").exits_with(0).says(&["contact plan in plan"]);
    place.run("run scenario.toml --out computed").exits_with(0);
    place.run("run scenario.toml --set satellites.plan=plan --out read").exits_with(0);
    assert_eq!(fingerprint(&place, "computed"), fingerprint(&place, "read"));
    assert_eq!(result(&place, "computed")["runs"], result(&place, "read")["runs"]);
    // A scenario that knows nothing of orbits, on the other engine.
    let bare: String = SPACE.replace("constellation = \"iridium\"", "plan = \"plan\"");
    let bare = bare.replace("earth = \"ns2\"\n", "");
    place.write("bare.toml", bare.replace("= \"37.9 N 122.3 W\"", "= {}").replace("= \"42.3 N 71.1 W\"", "= {}"));
    place.run("run bare.toml --engine reference --out bare").exits_with(0);
    assert_eq!(result(&place, "computed")["runs"], result(&place, "bare")["runs"]);
    place.run("rerun read").exits_with(0);
    // A plan that goes on after the run is as good: what happens later changes nothing in it.
    place.run("contacts scenario.toml --set 'duration=431 s' --write long").exits_with(0);
    place.run("run scenario.toml --set satellites.plan=long --out of-long").exits_with(0);
    assert_eq!(result(&place, "computed")["runs"], result(&place, "of-long")["runs"]);
    // Another mask, another plan.
    place
        .run("check scenario.toml --set satellites.plan=plan --set 'satellites.mask=9 deg'")
        .exits_with(3)
        .says(&["the plan was made with terminal", "help: write the plan again"]);
    let longer = "check scenario.toml --set satellites.plan=plan --set 'duration=401 s'";
    place.run(longer).exits_with(3).says(&["the plan ends at 400 s, the run lasts 401 s"]);
    let nowhere = ["check", "scenario.toml", "--set", "satellites.plan=nowhere"];
    place.run(&nowhere).exits_with(3).says(&["plan.json` is missing", "help: name the folder of a contact plan"]);
}

#[test]
fn handovers_are_events_of_the_result_and_marks_in_its_plots() {
    let place = Place::with("contacts-events", SPACE);
    let run = place.run("run scenario.toml --record cwnd --out kept").exits_with(0);
    run.prints(&["handover  390.000  boston     5.4    5.3"]);
    let events = result(&place, "kept")["scenario"]["events"].as_array().unwrap().clone();
    let handover = events.iter().find(|event| event["kind"] == "handover").unwrap();
    assert_eq!((handover["time_s"].as_f64(), handover["after"].as_str()), (Some(390.0), Some("5.3")));
    assert!(place.path("kept/events.parquet").exists());
    place.run("report kept").exits_with(0);
    let page = place.read("kept/report.html");
    assert!(page.contains("[390.0,\"boston: 5.4 to 5.3\"]"), "no mark");
    // A result without satellites in the same folder takes the table of events away.
    place.write("plain.toml", crate::support::PLAIN);
    place.run("run plain.toml --out kept").exits_with(0);
    assert!(!place.path("kept/events.parquet").exists());
}

#[test]
fn the_delay_of_a_path_is_written_as_csv() {
    let place = Place::with("contacts-csv", SPACE);
    place.run("contacts scenario.toml --write path.csv --step 5s").exits_with(0);
    let csv = place.read("path.csv");
    assert!(csv.starts_with("t_s,owd_ms,path,event\n0,"), "{csv}");
    assert!(csv.contains("\n390,47.310") && csv.contains("boston: handover 5.4 to 5.3 (below-mask)"), "{csv}");
    let back = "contacts scenario.toml --write back.csv --way boston->berkeley";
    place.run(back).exits_with(0).says(&["boston->berkeley"]);
    let wrong = ["contacts", "scenario.toml", "--write", "x.csv", "--way", "boston->rome"];
    place.run(&wrong).exits_with(2).says(&["choose one with --path: berkeley->boston"]);
    let wrong = ["contacts", "scenario.toml", "--write", "x.csv", "--step", "0s"];
    place.run(&wrong).exits_with(2).says(&["must be more than 0"]);
    place.write("plain.toml", crate::support::PLAIN);
    place.run("contacts plain.toml").exits_with(2).says(&["`plain.toml` has no satellites"]);
}

#[test]
fn a_path_that_is_never_there_says_so_and_runs_on() {
    let place = Place::with("contacts-never", SPACE);
    for engine in ["batched", "reference"] {
        let args = ["run", "scenario.toml", "--set", "satellites.mask=80 deg", "--engine", engine, "--out", engine];
        let run = place.run(&args).exits_with(0);
        run.warns(&["there is never a route from `berkeley` to `boston`: from 0 s"]);
        run.prints(&["route-lost"]);
    }
    assert_eq!(fingerprint(&place, "batched"), fingerprint(&place, "reference"));
    assert_eq!(result(&place, "batched")["runs"][0]["flows"][0]["bytes_delivered"], 0);
}
