//! Folders of results: nothing of the user's is touched, nothing finished is lost.

use std::fs;

use crate::support::{PLAIN, Place, RANDOM};
#[cfg(unix)]
use crate::support::{ended_by, hangups_are_ignored, ledger};

/// Every file below a folder, with its content.
fn all(place: &Place, folder: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![place.path(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false => files.push((entry.path().display().to_string(), fs::read(entry.path()).unwrap())),
            }
        }
    }
    files.sort();
    files
}

#[test]
fn a_scenario_of_the_user_is_not_replaced_by_that_of_a_result() {
    let place = Place::new("store-init");
    place.run("init").exits_with(0);
    let before = all(&place, ".");
    for command in [&["run", "scenario.toml", "--out", "."][..], &["run", "scenario.toml", "--out", "./"]] {
        place.run(command).exits_with(1).says(&["holds files that are not a result of ackclock; nothing was run"]);
    }
    assert_eq!(all(&place, "."), before);
}

#[test]
fn folders_of_the_user_are_not_removed_whatever_they_are_called() {
    let place = Place::with("store-tables", RANDOM);
    for name in ["tables/seed-1/cwnd.parquet", "captures/seed-1/s1.pcapng", "scenario.toml", "events.parquet"] {
        place.write(&format!("mine/{name}"), "of the user");
    }
    let before = all(&place, "mine");
    place.run("run scenario.toml --out mine --record cwnd").exits_with(1).says(&["nothing was run"]);
    assert_eq!(all(&place, "mine"), before);
}

#[test]
fn a_result_folder_without_a_marker_is_left_alone_with_a_remedy() {
    let place = Place::with("store-unmarked", RANDOM);
    let run = ["run", "scenario.toml", "--out", "kept"];
    place.run(&run).exits_with(0);
    fs::remove_file(place.path("kept/.ackclock")).unwrap();
    let before = all(&place, "kept");
    let outcome = place.run(&run).exits_with(1).without_result();
    insta::assert_snapshot!(outcome.stderr, @r"
    error: `kept` holds a result but not the file `.ackclock`, which marks a folder in which ackclock may replace files; nothing was run
    help: rename it (`mv kept kept.old`), or name a new or empty folder with --out DIR
    ");
    assert_eq!(all(&place, "kept"), before);
    // It can be read all the same.
    place.run("rerun kept").exits_with(0);
    place.run("report kept").exits_with(0);
}

#[test]
fn what_was_changed_or_added_in_a_result_folder_is_left_alone() {
    let place = Place::with("store-changed", RANDOM);
    let run = ["run", "scenario.toml", "--out", "kept", "--record", "cwnd"];
    place.run(&run).exits_with(0);
    place.write("kept/notes.txt", "mine");
    place.run(&run).exits_with(0);
    let scenario = place.read("kept/scenario.toml");
    place.write("kept/scenario.toml", format!("# why\n{scenario}"));
    let says =
        |name: &str| format!("`kept/{name}` was changed after ackclock wrote it, and would be replaced or removed");
    place.run(&run).exits_with(1).says(&[&says("scenario.toml"), "help: move or rename it"]);
    place.write("kept/scenario.toml", &scenario);
    place.write("kept/tables/seed-1/notes.txt", "mine too");
    place.run(&run).exits_with(1).says(&[&says("tables/seed-1")]);
    fs::remove_file(place.path("kept/tables/seed-1/notes.txt")).unwrap();
    place.run(&run).exits_with(0);
    assert_eq!(place.read("kept/notes.txt"), "mine");
}

#[test]
fn folders_of_run_and_of_reproduce_are_not_mixed() {
    let place = Place::with("store-kinds", RANDOM);
    place.run("run scenario.toml --out kept/sack-ubr").exits_with(0);
    let reproduce = "reproduce sack-ubr/figures --out kept";
    place.run(reproduce).exits_with(1).says(&["holds the result of `ackclock run`; nothing was run", "--out DIR"]);
}

#[test]
#[cfg(unix)]
fn finished_runs_survive_every_signal_and_are_not_run_again() {
    for signal in ["-KILL", "-TERM", "-HUP"] {
        if signal == "-HUP" && hangups_are_ignored() {
            eprintln!("SKIPPED: HUP is ignored here (nohup), so nothing can be ended by it");
            continue;
        }
        let place = Place::with(&format!("store-killed{signal}"), RANDOM);
        let run = |folder, seeds| ["run", "scenario.toml", "--out", folder, "--seeds", seeds];
        // What was there before stays until all is there.
        place.run(&run("kept", "2")).exits_with(0);
        let earlier = place.read("kept/result.json");
        assert!(!ended_by(signal, 20, &place, "kept", &run("kept", "200000")).status.success());
        assert_eq!(place.read("kept/result.json"), earlier);
        // The same once more, from where it was.
        ended_by(signal, 100, &place, "kept", &run("kept", "200000"));
        let finished = fs::read_to_string(ledger(&place, "kept").unwrap()).unwrap();
        // The last line may be cut off: a write goes on page by page, and stops between two of them. KILL does so at once, the others
        // where the machine is too busy for the runs to stop in time.
        let (whole, _) = finished.rsplit_once('\n').unwrap();
        assert_eq!(whole.matches("\"seed\":").count(), whole.lines().count(), "each run is a line");
        place.run(&run("kept", "60")).exits_with(0).says(&["resuming: 60 of 60 runs were finished before"]);
        place.run(&run("fresh", "60")).exits_with(0);
        let result = |folder: &str| place.read(&format!("{folder}/result.json")).replace("\"kept\"", "\"fresh\"");
        let without_checksum = |text: String| text.rsplit_once(",\n  \"blake3\"").unwrap().0.to_owned();
        assert_eq!(without_checksum(result("kept")), without_checksum(result("fresh")));
        let names: Vec<_> = fs::read_dir(place.path("kept")).unwrap().flatten().map(|e| e.file_name()).collect();
        assert_eq!(names.len(), 3, "{names:?}");
    }
}

#[test]
#[cfg(unix)]
fn damaged_lines_of_the_ledger_are_named_and_their_runs_done_again() {
    let place = Place::with("store-ledger", RANDOM);
    let run = |folder, seeds| ["run", "scenario.toml", "--out", folder, "--seeds", seeds];
    ended_by("-KILL", 10, &place, "kept", &run("kept", "200000"));
    let path = ledger(&place, "kept").unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = text.lines().take(5).map(str::to_owned).collect();
    let mut seeds: Vec<u64> = Vec::new();
    for line in &lines {
        let run: serde_json::Value = serde_json::from_str(line).unwrap();
        seeds.push(run["run"]["seed"].as_u64().unwrap());
    }
    let at = lines[1].find("\"fairness\":0.").unwrap() + "\"fairness\":0.".len();
    let digit = if &lines[1][at..=at] == "1" { "2" } else { "1" };
    lines[1].replace_range(at..=at, digit);
    lines[3] = "{}".into();
    let cut = lines[4].len() / 2;
    lines[4].truncate(cut);
    fs::write(&path, lines.join("\n")).unwrap();
    place.run("report kept").exits_with(1).says(&["has finished runs of an incomplete result"]);
    let many = seeds.iter().max().unwrap().to_string();
    let outcome = place.run(&run("kept", &many)).exits_with(0).says(&[
        "warning: `kept/.ackclock.unfinished/",
        "runs.jsonl`: 2 lines (2, 4) do not match the checksum or the version, and the last line was incomplete; these runs \
         are done again",
        &format!("resuming: 2 of {many} runs were finished before"),
    ]);
    assert!(!outcome.stderr.contains("panicked"));
    place.run("rerun kept").exits_with(0);
}

#[test]
#[cfg(unix)]
fn two_processes_do_not_use_one_folder() {
    let place = Place::with("store-two", &PLAIN.replace("200 ms", "700 h"));
    let run = ["run", "scenario.toml", "--out", "kept"];
    let mut first =
        place.command(&run).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    while !place.path("kept/.ackclock").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let says = [&format!("`kept` is in use by process {} on ", first.id()), "help: wait for its end"];
    place.run(&run).exits_with(1).without_result().says(&says);
    first.kill().unwrap();
    first.wait().unwrap();
    // A killed process leaves its lock; it does not keep anybody out.
    assert!(place.path("kept/.ackclock.lock").exists());
    place.run("run scenario.toml --out kept --set 'duration=1 s'").exits_with(0);
    assert!(!place.path("kept/.ackclock.lock").exists());
}

#[test]
fn what_killed_processes_left_half_written_goes_at_the_next_use() {
    let place = Place::with("store-partial", RANDOM);
    let run = ["run", "scenario.toml", "--out", "kept"];
    place.run(&run).exits_with(0);
    for name in
        [".result.json.4294967295.partial", ".scenario.toml.4294967295.partial", "..ackclock.4294967295.partial"]
    {
        place.write(&format!("kept/{name}"), "half");
    }
    place.write("kept/.report.html.4294967295.partial", "half");
    place.run(&run).exits_with(0);
    place.run("report kept").exits_with(0);
    let files = all(&place, "kept");
    assert_eq!(files.len(), 4, "{files:?}");
}

/// The result that is there may be large: it is not read. Here it cannot be: there is less memory than it takes.
#[test]
#[cfg(target_os = "linux")]
fn a_large_earlier_result_costs_nothing() {
    let place = Place::with("store-large", PLAIN);
    let run = ["run", "scenario.toml", "--out", "kept"];
    place.run(&run).exits_with(0);
    let result = place.read("kept/result.json");
    let large = fs::File::options().write(true).open(place.path("kept/result.json")).unwrap();
    // A hole, which takes no room on the disk.
    large.set_len(16 << 30).unwrap();
    drop(large);
    let script = format!("ulimit -v 4000000; exec {} run scenario.toml --out kept", env!("CARGO_BIN_EXE_ackclock"));
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(place.path("."));
    crate::support::outcome(shell).exits_with(0);
    assert_eq!(place.read("kept/result.json"), result);
}

#[test]
#[cfg(unix)]
fn an_interruption_leaves_a_complete_result_whatever_it_is_of() {
    let place = Place::with("store-complete", RANDOM);
    place.run("run scenario.toml --out kept --seeds 2").exits_with(0);
    let complete = place.read("kept/result.json");
    let other = "run scenario.toml --out kept --seeds 200000 --set 'queue.buffer=70 cells'";
    let output = ended_by("-INT", 100, &place, "kept", other);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("; the earlier complete result stays until all are finished\n"), "{stderr}");
    assert_eq!(place.read("kept/result.json"), complete);
    let few = other.replace("200000", "2");
    place.run(&few).exits_with(0).says(&["resuming: 2 of 2"]);
    assert_ne!(place.read("kept/result.json"), complete);
}
