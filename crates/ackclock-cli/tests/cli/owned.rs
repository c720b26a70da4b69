//! What belongs to the program and what does not: links and devices within its folders, files of others under names that it would write,
//! words that act on terminals and tables, limits of the system.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::support::{PLAIN, Place, RANDOM, outcome};
use crate::sweep::{keys, swept, tables};

/// A command under limits that the shell sets.
#[cfg(target_os = "linux")]
fn limited(place: &Place, limits: &str, command: &str) -> crate::support::Outcome {
    let mut shell = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_ackclock");
    shell.args(["-c", &format!("{limits}; exec timeout 300 {program} {command}")]).current_dir(place.path("."));
    outcome(shell)
}

/// Whatever of a result is a link or a FIFO: no command follows it, and none waits.
#[test]
#[cfg(unix)]
fn links_and_pipes_in_a_result_folder_are_refused_by_every_command() {
    let place = Place::with("owned-links", RANDOM);
    let run = ["run", "scenario.toml", "--out", "kept", "--record", "cwnd", "--capture", "s1"];
    place.run(&run).exits_with(0);
    place.run("report kept").exits_with(0);
    place.write("outside/bashrc", "of the user");
    place.write("outside/index.json", "of the user");
    let commands: [&[&str]; 6] = [
        &run,
        &["report", "kept"],
        &["export", "kept", "--to", "csv"],
        &["compare", "kept", "kept"],
        &["rerun", "kept"],
        &["verify", "kept"],
    ];
    let is_read_by = |name: &str, command: &str| match name {
        ".ackclock.lock" => ["run", "report"].contains(&command),
        ".ackclock" => ["run", "report", "verify"].contains(&command),
        "scenario.toml" => ["run", "rerun", "verify"].contains(&command),
        "report.html" => ["run", "report", "verify"].contains(&command),
        "result.json" => true,
        "tables" | "tables/seed-1" => command != "rerun",
        "tables/seed-1/cwnd.parquet" => command != "rerun",
        _ => ["run", "verify"].contains(&command),
    };
    for name in [
        ".ackclock.lock",
        ".ackclock",
        "scenario.toml",
        "result.json",
        "report.html",
        "tables",
        "tables/seed-1",
        "tables/seed-1/cwnd.parquet",
        "captures",
        "captures/seed-1/index.json",
    ] {
        let path = place.path("kept").join(name);
        let aside = place.path("aside");
        let was_there = path.exists();
        if was_there {
            fs::rename(&path, &aside).unwrap();
        }
        let outside = if aside.is_dir() { place.path("outside") } else { place.path("outside/bashrc") };
        for kind in ["link", "pipe"] {
            match kind {
                "link" => symlink(&outside, &path).unwrap(),
                _ => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
            }
            for command in commands {
                let context = format!("{name}: {kind}: {}", command[0]);
                let mut started = Command::new("timeout");
                started.args(["60", env!("CARGO_BIN_EXE_ackclock")]).args(command).current_dir(place.path("."));
                let found = outcome(started);
                if is_read_by(name, command[0]) {
                    assert_eq!(found.code, 1, "{context}: {found:#?}");
                } else {
                    assert!([0, 1].contains(&found.code), "{context}: {found:#?}");
                }
                assert_eq!(place.read("outside/bashrc"), "of the user", "{context}");
                assert_eq!(place.read("outside/index.json"), "of the user", "{context}");
                assert_eq!(fs::read_dir(place.path("outside")).unwrap().count(), 2, "{context}");
            }
            fs::remove_file(&path).unwrap();
        }
        if was_there {
            fs::rename(&aside, &path).unwrap();
        }
        let _ = fs::remove_dir_all(place.path("csv"));
    }
    place.run("verify kept").exits_with(0);
    // The folder itself may be reached through a link.
    symlink(place.path("kept"), place.path("named")).unwrap();
    place.run("run scenario.toml --out named --record cwnd --capture s1").exits_with(0);
    place.run("report named").exits_with(0);
}

#[test]
#[cfg(unix)]
fn a_lock_that_is_a_link_is_named_with_a_remedy() {
    let place = Place::with("owned-lock", RANDOM);
    place.write("bashrc", "export PATH");
    fs::create_dir(place.path("kept")).unwrap();
    symlink(place.path("bashrc"), place.path("kept/.ackclock.lock")).unwrap();
    let outcome = place.run("run scenario.toml --out kept").exits_with(1).without_result();
    insta::assert_snapshot!(outcome.stderr, @r"
    error: `kept/.ackclock.lock` cannot be used: it is a symbolic link, and ackclock follows none in its folders; nothing was run
    help: remove it, or put the file itself in its place, or name another folder with --out DIR
    ");
    assert_eq!(place.read("bashrc"), "export PATH");
}

#[test]
fn files_of_others_are_not_replaced_by_numbers_and_pages_of_the_manual() {
    let place = Place::with("owned-others", PLAIN);
    place.run("run scenario.toml --out kept --record cwnd,queue").exits_with(0);
    let commands: [&[&str]; 4] = [
        &["plot", "kept", "--to", "out"],
        &["export", "kept", "--to", "out"],
        &["export", "kept", "--to", "out", "--format", "json"],
        &["man", "out"],
    ];
    for command in commands {
        place.run(command).exits_with(0);
        // What is written last.
        let mut written: Vec<String> = crate::support::files(&place.path("out"))
            .iter()
            .map(|file| file.file_name().unwrap().to_str().unwrap().into())
            .collect();
        fs::remove_dir_all(place.path("out")).unwrap();
        let name = &written.pop().unwrap();
        place.write(&format!("out/{name}"), "mine\n");
        let refused = place.run(command).exits_with(1);
        refused.warns(&[&format!("`out/{name}` exists already and is not a ")]);
        assert_eq!(fs::read_dir(place.path("out")).unwrap().count(), 1, "nothing else was written");
        assert_eq!(place.read(&format!("out/{name}")), "mine\n");
        fs::remove_file(place.path("out").join(name)).unwrap();
        place.run(command).exits_with(0);
        // What it has written itself it replaces.
        place.run(command).exits_with(0);
        fs::remove_dir_all(place.path("out")).unwrap();
    }
}

#[test]
fn parts_that_disagree_on_a_run_are_named_whatever_their_order() {
    let place = Place::with("owned-parts", RANDOM);
    swept(&place, "--out one").exits_with(0);
    swept(&place, "--out two").exits_with(0);
    // A run of another machine that computes something else: line 3 of `two` has another number and the checksum of it.
    let text = place.read("two/runs.jsonl");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let (run, _) = lines[2].rsplit_once(",\"blake3\":\"").unwrap();
    let at = run.find("\"numbers\":[").unwrap() + "\"numbers\":[".len();
    let changed = format!("{}1{}", &run[..at], &run[at..]);
    lines[2] = format!("{changed},\"blake3\":\"{}\"}}", &blake3::hash(changed.as_bytes()).to_hex()[..32]);
    place.write("two/runs.jsonl", lines.join("\n") + "\n");
    let said: Vec<String> = [["one", "two"], ["two", "one"]]
        .iter()
        .map(|[first, second]| {
            let refused = place.run(&["merge", first, second, "--out", "merged"]).exits_with(1).without_result();
            assert!(!place.path("merged").exists(), "nothing was written");
            refused.stderr
        })
        .collect();
    assert_eq!(said[0], said[1]);
    assert!(said[0].contains("`one` and `two` have different numbers of the run at queue.policy = "), "{}", said[0]);
}

#[test]
fn a_merge_without_all_runs_a_part_whose_runs_failed_and_files_that_were_not_written_exit_with_1() {
    let place = Place::with("owned-exits", RANDOM);
    swept(&place, "--out part-1 --shard 1/2").exits_with(0);
    place.run("merge part-1 --out half").exits_with(1).says(&["18 runs of the sweep missing in half"]);
    // A part cannot have the figure of the whole.
    let refused = swept(&place, "--out part-1 --shard 1/2 --plot a.svg").exits_with(1);
    refused.says(&["`a.svg` was not written: 18 runs missing", "put the parts together"]);
    assert!(!place.path("a.svg").exists());
    // Runs that take longer than they may fail, in a part as in the whole.
    let failed = swept(&place, "--out slow --shard 1/2 --time-limit 1ns").exits_with(1);
    failed.says(&["18 runs failed", "it took longer than"]);
    // A line that is damaged is a run that is missing.
    swept(&place, "--out part-2 --shard 2/2").exits_with(0);
    let text = place.read("part-2/runs.jsonl");
    place.write("part-2/runs.jsonl", text.replacen("\"numbers\":[", "\"numbers\":[9", 1));
    let merged = place.run("merge part-1 part-2 --out whole").exits_with(1);
    merged.says(&["1 line (1) does not match the checksum", "1 run of the sweep missing in whole"]);
}

#[test]
fn a_complete_sweep_that_is_extended_keeps_its_tables_until_the_new_ones_are_whole() {
    let place = Place::with("owned-extended", RANDOM);
    swept(&place, "--out all").exits_with(0);
    let before = tables(&place, "all");
    let extend = |more: &str| {
        let vary = "--vary queue.policy=epd,tail-drop,fba --vary queue.buffer=60..480cells:log:4";
        place.run(&format!("sweep scenario.toml {vary} --seeds 4 --out all {more}"))
    };
    // Half of what is new: the tables are those of before.
    extend("--shard 1/2").exits_with(0);
    assert_eq!(tables(&place, "all"), before);
    place.run("verify all").exits_with(0);
    extend("").exits_with(0);
    assert_ne!(tables(&place, "all"), before);
    place.run("verify all").exits_with(0);
}

#[test]
fn verify_forgives_what_its_remedy_mended_and_names_a_ledger_that_is_gone() {
    let place = Place::with("owned-mended", RANDOM);
    let part = "--out part --shard 1/2";
    swept(&place, part).exits_with(0);
    let text = place.read("part/runs.jsonl");
    place.write("part/runs.jsonl", text.replacen("\"numbers\":[", "\"numbers\":[9", 1));
    place.run("verify part").exits_with(1);
    // The remedy: the same sweep again.
    swept(&place, part).exits_with(0);
    assert_eq!(keys(&place, "part").len(), 19);
    place.run("verify part").exits_with(0);
    fs::remove_file(place.path("part/runs.jsonl")).unwrap();
    place.run("verify part").exits_with(1).prints(&["runs.jsonl", "it is missing"]);
    swept(&place, part).exits_with(0);
    place.run("verify part").exits_with(0);
}

#[test]
fn words_of_a_scenario_do_nothing_to_a_terminal() {
    let place = Place::with("owned-escape", &PLAIN.replace("\"plain\"", "\"plain\\u001b]0;owned\\u0007\\u202e\""));
    let shown = place.run("run scenario.toml --out kept").exits_with(0);
    let report = place.run("compare kept kept").exits_with(0);
    let wrong = place.run("run scenario.toml --set queue.policy=\"\\u001b[2J\"").exits_with(3);
    for text in [&shown.stdout, &shown.stderr, &report.stdout, &report.stderr, &wrong.stderr] {
        assert!(!text.contains(['\x1b', '\x07', '\u{202e}']), "{text:?}");
    }
    for key in ["name", "description"] {
        let refused = place.run(&["sweep", "scenario.toml", "--vary", &format!("{key}==1+1,b")]).exits_with(3);
        refused.says(&[&format!("`{key}` cannot be varied")]);
    }
}

/// A file of a few kilobytes is sent at once; the other 24 hours are idle. A port has 8.6 million intervals.
#[test]
#[cfg(target_os = "linux")]
fn a_day_in_which_nothing_happens_takes_no_memory_and_no_disk() {
    let scenario =
        PLAIN.replace("\"200 ms\"", "\"24 h\"") + "\n[flow.f1]\nsize = \"20 kB\"\n[flow.f2]\nsize = \"20 kB\"\n";
    let place = Place::with("owned-idle", &scenario);
    limited(&place, "ulimit -v 400000", "run scenario.toml --out kept --record ports,throughput").exits_with(0);
    let files = crate::support::files(&place.path("kept"));
    let octets: u64 = files.iter().map(|file| fs::metadata(file).unwrap().len()).sum();
    assert!(octets < 200_000, "{octets}");
    place.run("verify kept").exits_with(0);
}

/// A run that is too small to be looked at before it begins, and takes more than the shell gives: 170,000 datagrams at one host.
#[test]
#[cfg(target_os = "linux")]
fn memory_that_is_not_there_ends_with_a_message() {
    let scenario = "duration = \"40 s\"\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 1\n\
                    access_rate = \"100 Mbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"50 Mbps\"\n\
                    bottleneck_delay = \"5 ms\"\n[queue]\nbuffer = \"50 packets\"\n";
    let place = Place::with("owned-memory", scenario);
    let ended = limited(&place, "ulimit -v 60000", "run scenario.toml --out kept --capture s1").exits_with(1);
    let ended =
        ended.says(&["error: there is no memory for ", " more bytes\nhelp: record less (--record, ", "`ulimit -v`"]);
    // One message, and nothing of Rust's.
    assert_eq!(ended.stderr.matches("error: ").count(), 1, "{ended:#?}");
    limited(&place, "ulimit -v 600000", "run scenario.toml --out kept --capture s1").exits_with(0);
}

#[test]
#[cfg(target_os = "linux")]
fn limits_of_the_shell_end_with_a_message() {
    let place = Place::with("owned-limits", RANDOM);
    // No file may be longer than 8 blocks of 512 octets.
    let cut = limited(&place, "ulimit -f 8", "run scenario.toml --out kept --seeds 3 --record ports").exits_with(1);
    cut.says(&["error: ", "help: "]);
    // Results of so many runs are more than fits into what the shell gives.
    let refused = limited(&place, "ulimit -v 200000", "run scenario.toml --out much --seeds 200000");
    assert_eq!(refused.code, 1, "{refused:#?}");
    refused.warns(&["memory", "help: "]);
}
