//! `export` and `plot`: the numbers, and what is said where there are none.

use std::fs::{self, File};
use std::io;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::kept::kept;
use crate::support::{PLAIN, Place};

#[test]
fn a_table_is_exported_with_the_seeds_below_each_other() {
    let place = kept("export-csv");
    let outcome = place.run("export kept --metric cwnd").exits_with(0);
    let cwnd = "seed,flow,time_ps,cwnd_bytes\n\
                1,f1,0,512\n1,f1,5000000000,1024\n1,f1,9000000000,513\n\
                2,f1,0,512\n2,f1,5000000000,1024\n2,f1,9000000000,514\n";
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (cwnd, ""));

    let written = place.run("export kept --to a/b").exits_with(0).without_result();
    assert_eq!(written.stderr, "wrote 4 files to a/b\n");
    assert_eq!(place.read("a/b/cwnd.csv"), cwnd);
    assert_eq!(place.read("a/b/ssthresh.csv").lines().nth(1), Some("1,f1,0,inf"));
    let queue = "seed,port,start_ps,end_ps,queue_min_cells,queue_mean_cells,queue_max_cells\n\
                 1,sw1->sw2,0,10000000000,0,0.5,1\n1,sw1->sw2,10000000000,15000000000,1,2.25,3\n";
    assert!(place.read("a/b/queue.csv").starts_with(queue), "{}", place.read("a/b/queue.csv"));
    let drops = "seed,port,time_ps,vc,frame,reason\n1,sw1->sw2,7000000000,f2/ack,42,policy\n";
    assert!(place.read("a/b/drops.csv").starts_with(drops), "{}", place.read("a/b/drops.csv"));
    assert_eq!(fs::read_dir(place.path("a/b")).unwrap().count(), 4, "nothing under a name that is not final");
}

#[test]
fn json_lines_are_objects_and_infinity_is_null() {
    let place = kept("export-json");
    let lines = place.run("export kept --format json").exits_with(0).stdout;
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // Of both seeds: 3 rows of cwnd, 2 of ssthresh, 2 of queue, 1 of drops.
    assert_eq!(lines.len(), 2 * (3 + 2 + 2 + 1));
    assert_eq!(lines[0], json!({"metric": "cwnd", "seed": 1, "flow": "f1", "time_ps": 0, "cwnd_bytes": 512.0}));
    assert_eq!(lines[6]["ssthresh_bytes"], Value::Null);
    place.run("export kept --format json --to out").exits_with(0);
    assert_eq!(place.read("out/drops.jsonl").lines().count(), 2);
}

#[test]
fn several_tables_do_not_fit_into_one_csv_file() {
    let place = kept("export-several");
    let outcome = place.run("export kept").exits_with(2).without_result();
    outcome.says(&["4 tables do not fit into one CSV file: cwnd, ssthresh, queue, drops", "--metric M", "--to DIR"]);
}

#[test]
fn the_numbers_behind_each_figure_are_written() {
    let place = kept("plot");
    let outcome = place.run("plot kept").exits_with(0).without_result();
    assert_eq!(outcome.stderr, "wrote 2 files of seed 1 to figures\n");
    let cwnd = "time_s,cwnd_bytes,ssthresh_bytes\n0,512,nan\n0.005,1024,nan\n0.009,513,1024\n";
    assert_eq!(place.read("figures/cwnd-f1.csv"), cwnd);
    let queue = "start_s,end_s,queue_min_cells,queue_mean_cells,queue_max_cells\n0,0.01,0,0.5,1\n0.01,0.015,1,2.25,3\n";
    assert_eq!(place.read("figures/queue-sw1-sw2.csv"), queue);

    place.run("plot kept --figure cwnd --seed 2 --to two").exits_with(0);
    assert!(place.read("two/cwnd-f1.csv").ends_with("0.009,514,1024\n"));
    assert_eq!(fs::read_dir(place.path("two")).unwrap().count(), 1);
}

#[test]
fn what_was_not_recorded_is_said_with_what_was() {
    let place = kept("export-not-recorded");
    for command in [&["export", "kept", "--metric", "rtt"][..], &["plot", "kept", "--figure", "rtt"]] {
        let outcome = place.run(command).exits_with(1).without_result();
        outcome.says(&["rtt.parquet` was not recorded", "recorded are: cwnd, ssthresh, queue, drops", "--record"]);
    }
    place.run("export kept --metric queu").exits_with(2).says(&["'queu'", "'queue'"]);
    place.run("plot kept --figure cwn").exits_with(2).says(&["'cwn'", "'cwnd'"]);
    place.run("plot kept --seed 7").exits_with(2).says(&["no run of this seed", "there are: 1, 2"]);

    let bare = Place::with("export-nothing", PLAIN);
    bare.run("run scenario.toml --out kept").exits_with(0);
    for command in ["export", "plot"] {
        bare.run(&[command, "kept"]).exits_with(1).says(&["has no tables: nothing was recorded", "--record METRIC"]);
    }
}

#[test]
fn damaged_tables_are_refused_with_their_place() {
    let place = kept("export-damaged");
    let refused = |texts: &[&str]| {
        for command in [&["export", "kept", "--metric", "cwnd"][..], &["plot", "kept", "--figure", "cwnd"]] {
            place.run(command).exits_with(1).says(texts).says(&["help: "]);
        }
    };
    let path = "kept/tables/seed-1/cwnd.parquet";
    let whole = fs::read(place.path(path)).unwrap();
    place.write(path, &whole[..whole.len() / 2]);
    refused(&["error: `kept/tables/seed-1/cwnd.parquet` is damaged: it has "]);
    let mut changed = whole.clone();
    changed[20] ^= 1;
    place.write(path, changed);
    refused(&["cwnd.parquet` is damaged: its checksum is wrong", "ackclock run"]);
    fs::remove_file(place.path(path)).unwrap();
    refused(&["cwnd.parquet` is missing"]);
    place.write(path, whole);

    let index = place.read("kept/tables/seed-1/index.json");
    place.write("kept/tables/seed-1/index.json", index.replace("\"format_version\": 2", "\"format_version\": 9"));
    refused(&["index.json` has format version 9; this program reads 2", "newer"]);
    place.write("kept/tables/seed-1/index.json", "{}");
    refused(&["index.json` is damaged"]);
    place.write("kept/tables/seed-1/index.json", place.read("kept/tables/seed-2/index.json"));
    refused(&["`kept/tables/seed-1` belongs to another run than the result beside it"]);
    fs::remove_file(place.path("kept/tables/seed-1/index.json")).unwrap();
    refused(&["index.json` is missing"]);
    fs::remove_dir_all(place.path("kept/tables")).unwrap();
    refused(&["kept/tables/seed-1/index.json` is missing", "run the scenario again"]);
}

#[test]
fn a_damaged_table_of_any_seed_leaves_nothing_half_exported() {
    let place = kept("export-half");
    place.write("kept/tables/seed-2/ssthresh.parquet", "cut");
    let damaged = ["`kept/tables/seed-2/ssthresh.parquet` is damaged"];
    place.run("export kept --metric ssthresh").exits_with(1).without_result().says(&damaged);
    place.run("export kept --format json").exits_with(1).without_result().says(&damaged);
    place.run("export kept --to csv").exits_with(1).without_result().says(&damaged);
    assert!(!place.path("csv").exists());
    place.run("export kept --metric cwnd").exits_with(0);
}

#[test]
fn folders_that_are_no_results_are_refused() {
    let place = kept("export-foreign");
    let commands = [&["export", "kept", "--metric", "cwnd"][..], &["plot", "kept"], &["rerun", "kept"]];
    let refused = |texts: &[&str]| {
        for command in commands {
            place.run(command).exits_with(1).without_result().says(texts).says(&["help: "]);
        }
    };
    let result = place.read("kept/result.json");
    place.write("kept/result.json", &result[..result.len() / 2]);
    refused(&["`kept/result.json` is damaged: EOF"]);
    for foreign in ["{\"format\": \"something\"}", "[]", "years of work"] {
        place.write("kept/result.json", foreign);
        refused(&["`kept/result.json` is not a result of ackclock run"]);
    }
    place.write("kept/result.json", "");
    refused(&["`kept/result.json` is damaged: EOF"]);
    place.write("kept/result.json", "{\"format\": \"something\"}");
    refused(&["`kept/result.json` is not a result of ackclock run"]);
    place.write("kept/result.json", result.replace("\"format_version\": 2", "\"format_version\": 1"));
    refused(&["`kept/result.json` has format version 1; this program reads 2"]);
    fs::remove_file(place.path("kept/result.json")).unwrap();
    refused(&["`kept` has no result: there is no result.json in it"]);
    fs::remove_dir_all(place.path("kept")).unwrap();
    refused(&["there is no folder `kept`"]);
    place.write("kept", "a file");
    refused(&["kept"]);
}

#[test]
#[cfg(unix)]
fn a_folder_that_may_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let place = kept("export-permission");
    let path = place.path("kept/tables/seed-1/cwnd.parquet");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if File::open(&path).is_ok() {
        return; // The superuser may read anything.
    }
    let outcome = place.run("export kept --metric cwnd").exits_with(1);
    outcome.says(&["kept/tables/seed-1/cwnd.parquet", "Permission denied", "allow access"]);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let place = kept("export-unwritable");
    for command in ["export", "plot"] {
        let outcome = place.run(&format!("{command} kept --to scenario.toml/x")).exits_with(1).without_result();
        outcome.says(&["error: cannot write `scenario.toml/x/", "--to DIR"]);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_behind_an_export_is_reported_and_a_closed_pipe_is_not() {
    let place = kept("export-full-disk");
    let arguments = "export kept --format json";
    let run = |stdout: Stdio| {
        let output = place.command(arguments).stdout(stdout).stderr(Stdio::piped()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, stderr) = run(File::options().write(true).open("/dev/full").unwrap().into());
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("error: cannot write to standard output"), "{stderr}");
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    assert_eq!(run(writer.into()), (Some(0), String::new()));
}
