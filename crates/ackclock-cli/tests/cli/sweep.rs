//! Sweeps: a table of every run, whatever happens on the way.

use std::collections::BTreeSet;
use std::fs;
#[cfg(unix)]
use std::process::{Command, Stdio};
#[cfg(unix)]
use std::thread;
#[cfg(unix)]
use std::time::Duration;

use crate::support::{PLAIN, Place, RANDOM};

const TABLES: [&str; 7] =
    ["table.parquet", "table.csv", "summary.csv", "figure.svg", "figure.pdf", "figure.csv", "report.html"];
/// Twelve points of a few milliseconds.
const GRID: [&str; 4] = ["--vary", "queue.policy=epd,tail-drop,fba", "--vary", "queue.buffer=60..480cells:log:4"];

fn sweep(more: &[&str]) -> Vec<String> {
    let arguments = [&["sweep", "scenario.toml"], &GRID[..], &["--seeds", "3"], more].concat();
    arguments.into_iter().map(str::to_owned).collect()
}

/// Runs the sweep in a folder.
fn swept(place: &Place, more: &[&str]) -> crate::support::Outcome {
    place.run(&sweep(more).iter().map(String::as_str).collect::<Vec<_>>())
}

fn tables(place: &Place, folder: &str) -> Vec<Vec<u8>> {
    TABLES.iter().map(|name| fs::read(place.path(folder).join(name)).unwrap()).collect()
}

/// The keys of the ledger, in order.
fn keys(place: &Place, folder: &str) -> Vec<String> {
    let key = |line: &str| line.split('"').nth(3).unwrap().to_owned();
    place.read(&format!("{folder}/runs.jsonl")).lines().map(key).collect()
}

#[test]
fn each_run_has_a_row_and_each_point_a_line() {
    let place = Place::with("sweep", RANDOM);
    let outcome = swept(&place, &["--out", "all"]).exits_with(0);
    assert!(outcome.stderr.starts_with("12 points, 3 seeds: 36 runs, 10.8 s simulated\nabout "), "{}", outcome.stderr);
    assert!(outcome.stderr.ends_with("tables and report.html in all\n"), "{}", outcome.stderr);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(lines.len(), 13);
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(lines[0])[..5], ["queue.policy", "queue.buffer", "runs", "Mb/s", "+/-"]);
    assert_eq!(words(lines[1])[..4], ["epd", "60", "cells", "3"]);
    // Buffers in equal ratios: 60, 120, 240, 480.
    assert_eq!(words(lines[12])[..4], ["fba", "480", "cells", "3"]);

    let csv = place.read("all/table.csv");
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 37);
    assert_eq!(rows[0][..5], ["queue_policy", "queue_buffer_cells", "seed", "status", "goodput_bps"]);
    assert_eq!(
        (&rows[1][..4], &rows[36][..4]),
        (&["epd", "60", "1", "finished"][..], &["fba", "480", "3", "finished"][..])
    );
    assert!(rows[0].contains(&"queueing_delay_p95_s") && !rows[0].contains(&"udp_loss"), "what no run has is left out");

    // The numbers are those of `run`.
    let sets = ["--set", "queue.policy=fba", "--set", "queue.buffer=480 cells", "--delays"];
    let one =
        place.run(&[&["run", "scenario.toml", "--seeds", "3", "--json"], &sets[..]].concat()).exits_with(0).json();
    let column =
        |name: &str| rows[36][rows[0].iter().position(|column| *column == name).unwrap()].parse::<f64>().unwrap();
    let run = &one["runs"][2];
    let goodput: f64 =
        run["flows"].as_array().unwrap().iter().map(|flow| flow["goodput_after_warmup_bps"].as_f64().unwrap()).sum();
    assert_eq!((column("goodput_bps"), column("fairness")), (goodput, run["fairness_after_warmup"].as_f64().unwrap()));
    let port = run["ports"].as_array().unwrap().iter().find(|port| port["name"] == "sw1->sw2").unwrap();
    assert_eq!(column("queueing_delay_p95_s"), port["sojourn"]["p95_s"].as_f64().unwrap());
    assert_eq!(column("mean_queue"), port["after_warmup"]["mean_queue"].as_f64().unwrap());
    let summary = place.read("all/summary.csv");
    let last: Vec<&str> = summary.lines().last().unwrap().split(',').collect();
    let mean = one["summary"]["flows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|flow| flow["goodput_after_warmup_bps"]["mean"].as_f64().unwrap())
        .sum::<f64>();
    assert_eq!(last[..4], ["fba", "480", "3", "0"]);
    assert!((last[4].parse::<f64>().unwrap() / mean - 1.0).abs() < 1e-12);
}

#[test]
fn the_same_command_again_runs_nothing_and_more_seeds_run_the_others() {
    let place = Place::with("sweep-again", RANDOM);
    let first = swept(&place, &["--out", "all"]).exits_with(0);
    let before = (keys(&place, "all"), tables(&place, "all"));
    let again = swept(&place, &["--out", "all"]).exits_with(0);
    assert_eq!(again.stdout, first.stdout);
    assert_eq!(again.stderr, "tables and report.html in all\n");
    assert_eq!((keys(&place, "all"), tables(&place, "all")), before);
    let more = swept(&place, &["--out", "all", "--seeds", "4"]);
    assert_eq!(more.code, 2, "an option is given once");
    let more =
        place.run(&[&["sweep", "scenario.toml"], &GRID[..], &["--seeds", "4", "--out", "all"]].concat()).exits_with(0);
    more.says(&["48 runs, 12 to do, 3.6", "resuming: 36 runs finished before"]);
    assert_eq!(keys(&place, "all").len(), 48);
}

#[test]
fn threads_and_shards_in_any_order_give_the_same_tables() {
    let place = Place::with("sweep-shards", RANDOM);
    let one = swept(&place, &["--out", "one", "--threads", "1"]).exits_with(0);
    swept(&place, &["--out", "two", "--threads", "2"]).exits_with(0);
    assert_eq!(tables(&place, "one"), tables(&place, "two"));
    for part in ["1/3", "2/3", "3/3"] {
        let outcome =
            swept(&place, &["--out", &format!("part-{}", &part[..1]), "--shard", part]).exits_with(0).without_result();
        outcome.says(&["36 runs, of which part ", "12 to do", "24 runs of the sweep missing", "ackclock merge"]);
    }
    let parts: BTreeSet<String> = (1..=3).flat_map(|part| keys(&place, &format!("part-{part}"))).collect();
    assert_eq!(parts, keys(&place, "one").into_iter().collect(), "each run once");
    place
        .run(&["merge", "part-2", "part-1", "--out", "some"])
        .exits_with(0)
        .without_result()
        .says(&["12 runs of the sweep missing"]);
    let merged = place.run(&["merge", "part-3", "part-1", "part-2", "--out", "whole"]).exits_with(0);
    assert_eq!((merged.stdout, tables(&place, "whole")), (one.stdout.clone(), tables(&place, "one")));
    for folder in ["two", "part-1", "whole"] {
        assert_eq!(place.read(&format!("{folder}/sweep.json")), place.read("one/sweep.json"), "{folder}");
    }
    let page = place.read("whole/report.html");
    assert!(page.contains("--vary queue.buffer=60..480cells:log:4 --seeds 3</code>"), "no more than says what is run");
    // Parts that were started elsewhere: in any order the same.
    place.write("there/scenario.toml", RANDOM);
    let mut there =
        place.command(&sweep(&["--out", "../part-2", "--shard", "2/3"]).iter().map(String::as_str).collect::<Vec<_>>());
    fs::remove_dir_all(place.path("part-2")).unwrap();
    there.current_dir(place.path("there")).args(["--set", "seed=1"]);
    assert!(there.output().unwrap().status.success());
    for (order, out) in [(["part-1", "part-2", "part-3"], "x"), (["part-2", "part-3", "part-1"], "y")] {
        place.run(&[&["merge"], &order[..], &["--out", out]].concat()).exits_with(0);
    }
    assert_eq!((tables(&place, "x"), place.read("x/sweep.json")), (tables(&place, "y"), place.read("y/sweep.json")));
    // What is missing of the others is done by the same command in the folder.
    let rest = swept(&place, &["--out", "some"]).exits_with(0).says(&["36 runs, 12 to do"]);
    assert_eq!((rest.stdout, tables(&place, "some")), (one.stdout, tables(&place, "one")));
    assert_eq!(keys(&place, "some").len(), 36);
}

/// Signals after numbers of runs and times that follow from a fixed sequence of numbers.
#[test]
#[cfg(unix)]
fn a_sweep_killed_at_any_moment_repeats_no_finished_run_and_loses_none() {
    let place = Place::with("sweep-killed", RANDOM);
    // So many runs that the last signals find some to be done.
    let vary = format!("network.trunk_delay=1..4ms:lin:{DELAYS}");
    let many = |out| ["--vary", &vary, "--out", out];
    let arguments = sweep(&many("killed"));
    let mut before: Vec<String> = Vec::new();
    let mut random = 12_345_u64;
    let mut in_between = 0;
    for kill in 0..MOMENTS {
        let mut command = place.command(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Some of them as the program begins; the others a little after it kept some runs, however fast the machine is.
        let more = (random >> 33) % 6;
        let kept = || fs::read_to_string(place.path("killed/runs.jsonl")).map_or(0, |text| text.matches('\n').count());
        while more > 0 && kept() < before.len() + more as usize && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis((random >> 40) % if more > 0 { 8 } else { 100 }));
        // Under `nohup` that is ignored.
        let hangup = if crate::support::hangups_are_ignored() { "-KILL" } else { "-HUP" };
        let signal = ["-KILL", "-TERM", hangup][kill % 3];
        let _ = Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status();
        child.wait().unwrap();
        // A line that was cut off is no finished run.
        let text = fs::read_to_string(place.path("killed/runs.jsonl")).unwrap_or_default();
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let now: Vec<String> = whole.lines().map(|line| line.split('"').nth(3).unwrap().to_owned()).collect();
        assert!(now.starts_with(&before), "what was finished stays");
        assert_eq!(now.iter().collect::<BTreeSet<_>>().len(), now.len(), "and is not repeated");
        in_between += usize::from(now.len() > before.len() && now.len() < 36 * DELAYS);
        before = now;
    }
    assert!(in_between > MOMENTS / 2, "only {in_between} of the signals came after some runs and before the last");
    swept(&place, &many("killed")).exits_with(0);
    let all = keys(&place, "killed");
    assert!(all.starts_with(&before) && all.len() == 36 * DELAYS);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 36 * DELAYS);
    swept(&place, &many("fresh")).exits_with(0);
    assert_eq!(tables(&place, "killed"), tables(&place, "fresh"));
}

#[cfg(unix)]
const MOMENTS: usize = 50;
#[cfg(unix)]
const DELAYS: usize = 20;

#[test]
fn what_the_scenario_refuses_is_named_once_and_the_rest_runs_if_asked_for() {
    let place = Place::with("sweep-refused", RANDOM);
    let arguments =
        ["sweep", "scenario.toml", "--vary", "queue.policy=epd,edp", "--vary", "queue.buffer=60,120..240cells:lin:2"];
    let outcome = place.run(&arguments).exits_with(3).without_result();
    let outcome = outcome.says(&[
        "the scenario refuses 4 of 6 points; --skip-refused",
        "unknown policy \"edp\"",
        "--> --vary:1:18",
        "2 errors, nothing was run",
    ]);
    assert_eq!(outcome.stderr.matches("unknown policy").count(), 1, "{}", outcome.stderr);
    assert_eq!(outcome.stderr.matches("needs a unit").count(), 1, "{}", outcome.stderr);
    assert_eq!(place.names(), ["scenario.toml"]);
    let outcome = place.run(&[&arguments[..], &["--skip-refused", "--out", "rest"]].concat()).exits_with(0);
    assert_eq!(outcome.stdout.lines().count(), 3);
    assert_eq!(place.read("rest/table.csv").lines().count(), 3);
    // A value that is refused everywhere takes neither the numbers of the others nor the curves.
    let negative =
        ["sweep", "scenario.toml", "--vary", "queue.policy=epd,fba", "--vary", "queue.buffer=60cells,-3cells,240cells"];
    place.run(&[&negative[..], &["--skip-refused", "--out", "curves", "--plot", "a.svg"]].concat()).exits_with(0);
    let csv = place.read("curves/table.csv");
    assert!(csv.starts_with("queue_policy,queue_buffer_cells,seed,") && csv.contains("\nfba,240,1,finished,"), "{csv}");
    assert_eq!(place.read("a.svg").matches("<polyline").count() % 2, 0);
    assert_eq!(place.run(&["verify", "curves"]).code, 0);
    // A path that does not exist is no question of values.
    let unknown = place.run(&["sweep", "scenario.toml", "--vary", "queue.bufer=1..9cells:lin:9", "--skip-refused"]);
    let unknown = unknown.exits_with(3).without_result().says(&[
        "did you mean `buffer`?",
        "--> --vary:1:7",
        "1 error, nothing was run",
    ]);
    assert_eq!(unknown.stderr.matches("bufer").count(), 2, "the message and the line: {}", unknown.stderr);
}

#[test]
fn a_sweep_says_what_it_takes_and_too_many_runs_are_refused() {
    let place = Place::with("sweep-large", RANDOM);
    let dry = swept(&place, &["--dry-run"]).exits_with(0);
    assert!(
        dry.stdout.starts_with("12 points, 3 seeds: 36 runs, 10.8 s simulated\nabout a second on "),
        "{}",
        dry.stdout
    );
    let disk = |said: &str| -> f64 {
        let (_, disk) = said.trim_end().strip_suffix(" kB of disk").expect("kilobytes").rsplit_once(", ").unwrap();
        disk.parse().unwrap()
    };
    let of_shard = swept(&place, &["--dry-run", "--shard", "1/4"]).exits_with(0);
    assert!(of_shard.stdout.contains(", of which part 1/4, 9 to do, "), "{}", of_shard.stdout);
    assert!(disk(&of_shard.stdout) < 0.25 * disk(&dry.stdout), "the tables are made of all parts");
    assert_eq!(place.names(), ["scenario.toml"]);
    let many =
        place.run(&["sweep", "scenario.toml", "--vary", "queue.buffer=1..1000cells:lin:1000", "--seeds", "1000000"]);
    many.exits_with(2).without_result().says(&[
        "this sweep has 1,000,000,000 runs (1,000 points, 1,000,000 seeds each), more than 1,000,000",
        "confirm with --max-runs 1000000000",
    ]);
    let certain = Place::with("sweep-certain", PLAIN);
    let outcome = certain.run(&["sweep", "scenario.toml", "--vary", "queue.buffer=5,10packets", "--seeds", "2"]);
    outcome.exits_with(3).says(&["needs a unit"]);
    let outcome =
        certain.run(&["sweep", "scenario.toml", "--vary", "queue.buffer=5 packets,10packets", "--seeds", "2"]);
    outcome.exits_with(0).says(&["note: this scenario has no randomness"]);
}

#[test]
fn a_run_over_the_time_limit_is_recorded_and_the_rest_goes_on() {
    let place = Place::with("sweep-limit", &PLAIN.replace("200 ms", "100 ms"));
    let command =
        ["sweep", "scenario.toml", "--vary", "duration=100 ms,200 h", "--time-limit", "300ms", "--out", "all"];
    let outcome = place.run(&command).exits_with(1);
    let outcome = outcome
        .says(&["1 run failed; --retry runs them again", "  duration = 200 h, seed 1: it took longer than 0.3 s"]);
    assert_eq!(outcome.stdout.lines().count(), 3);
    let csv = place.read("all/table.csv");
    assert!(csv.contains("\n0.1,1,finished,") && csv.contains("\n720000,1,it took longer than 0.3 s,,"), "{csv}");
    let before = place.read("all/runs.jsonl");
    place.run(&command).exits_with(1);
    assert_eq!(place.read("all/runs.jsonl"), before, "it is not tried again unless that is asked for");
    place.run(&[&command[..], &["--retry"]].concat()).exits_with(1);
    assert_eq!(place.read("all/runs.jsonl").lines().count(), 3);
    place
        .run(&[&command[..4], &["--time-limit", "soon"]].concat())
        .exits_with(2)
        .says(&["--time-limit \"soon\"", "60s"]);
}

#[test]
fn folders_of_others_are_refused() {
    let place = Place::with("sweep-folders", RANDOM);
    place.run(&["run", "scenario.toml", "--out", "run"]).exits_with(0);
    swept(&place, &["--out", "run"]).exits_with(1).without_result().says(&["`run` holds the result of `ackclock run`"]);
    swept(&place, &["--out", "all"]).exits_with(0);
    place
        .run(&["run", "scenario.toml", "--out", "all"])
        .exits_with(1)
        .says(&["`all` holds a sweep of `ackclock sweep`"]);
    let other = ["sweep", "scenario.toml", "--vary", "tcp.recovery=reno,vanilla", "--out", "all"];
    let before = tables(&place, "all");
    place
        .run(&other)
        .exits_with(1)
        .without_result()
        .says(&["`all` holds another sweep: of `random` over queue.policy, queue.buffer"]);
    let plan = place.read("all/sweep.json");
    place.write("all/sweep.json", plan.replace("\"result_version\": ", "\"result_version\": 9"));
    swept(&place, &["--out", "all"]).exits_with(1).says(&["of result version 9", "nothing was run"]);
    place.write("all/sweep.json", "{}");
    swept(&place, &["--out", "all"]).exits_with(1).says(&["`all/sweep.json` cannot be used: it is damaged"]);
    assert_eq!(tables(&place, "all"), before);
    place.write("all/sweep.json", plan);
    place.write("all/table.csv", "mine");
    swept(&place, &["--out", "all"]).exits_with(1).says(&["`all/table.csv` was changed after ackclock wrote it"]);
    place.run(&["merge", "run", "--out", "m"]).exits_with(1).says(&["`run` holds no sweep"]);
    place.run(&[&other[..5], &["other"]].concat()).exits_with(0);
    place
        .run(&["merge", "all", "other", "--out", "m"])
        .exits_with(1)
        .says(&["`other` is no part of the same sweep: of `random` over tcp.recovery", "leave this folder out"]);
}

/// What is probably not meant is said, and what is wrong has a remedy that can be followed.
#[test]
fn mistakes_are_named_with_what_to_do() {
    let place = Place::with("sweep-mistakes", RANDOM);
    let of = |arguments: &[&str]| place.run(&[&["sweep", "scenario.toml"], arguments].concat());
    let twice = of(&["--vary", "queue.buffer=60cells,60 cells,90cells,0.06 kcells", "--dry-run"]);
    assert_eq!(twice.code, 3, "there are no kilocells: {twice:#?}");
    let twice = of(&["--vary", "queue.buffer=60cells,60 cells,90cells", "--dry-run"]).exits_with(0);
    assert!(twice.stdout.starts_with("2 points, 1 seed: 2 runs"), "{twice:#?}");
    twice.says(&["warning: `queue.buffer` has the same value twice", "--> --vary:1:22"]);
    let set = ["--set", "queue.buffer=70cells", "--vary", "queue.buffer=60cells,90cells", "--dry-run"];
    of(&set).exits_with(0).says(&["warning: `queue.buffer` is set and varied", "--> --set:1:7"]);
    let within = ["--vary", "queue=5cells", "--vary", "queue.buffer=60cells"];
    of(&within).exits_with(3).says(&["`queue.buffer` and `queue` are varied, of which one is a part of the other"]);
    of(&["--vary", "que.buffer=60cells"]).exits_with(3).says(&["did you mean `queue`?"]);
    for (range, help) in [
        (".5..5cells:lin:3", "write a digit before the point: 0.5"),
        ("..9cells:lin:2", "write a number at both ends"),
        ("nan..9cells:lin:2", "\"nan\" is no end of a range"),
        ("5..5cells:lin:2", "for one value write 5cells"),
        ("5..9cells", "expected :log:N or :lin:N"),
    ] {
        of(&["--vary", &format!("queue.buffer={range}")]).exits_with(3).says(&[help, "\n  = help: "]);
    }
    of(&["--seeds", "2", "--set", "seed=9223372036854775807"])
        .exits_with(2)
        .says(&["2 seeds from 9223372036854775807 on go beyond the largest seed"]);
    // A sweep is no scenario.
    place.write("sweep.toml", "scenario = \"scenario.toml\"\nseeds = 2\n[vary]\nqueue.buffer = [\"60 cells\"]\n");
    for command in ["run", "check"] {
        let outcome = place.run(&[command, "sweep.toml"]).exits_with(3);
        assert_eq!(outcome.stderr.matches("error: ").count(), 1, "{outcome:#?}");
        outcome.says(&["run it with `ackclock sweep sweep.toml`"]);
    }
    // Runs that failed are not called finished.
    let failing = ["--vary", "queue.buffer=60cells,90cells", "--time-limit", "1ps", "--out", "failed"];
    of(&failing).exits_with(1).says(&["2 runs failed"]);
    let again = of(&[&failing[..], &["--retry"]].concat()).exits_with(1);
    again.says(&["resuming: 0 runs finished before, 2 failed"]);
    // What is said of a part that cannot be used is about that part.
    place.write("failed/sweep.json", "{}");
    place.run(&["merge", "failed", "--out", "all"]).exits_with(1).says(&[
        "`failed/sweep.json` cannot be used: it is damaged",
        "leave this folder out, or remove this file and run the part again with --out of this folder",
    ]);
}

/// The damaged line is named, its run is done again, and no other.
#[test]
fn damage_is_named_and_done_again() {
    let place = Place::with("sweep-damage", RANDOM);
    swept(&place, &["--out", "all"]).exits_with(0);
    let (ledger, before) = (place.read("all/runs.jsonl"), tables(&place, "all"));
    let mut lines: Vec<String> = ledger.lines().map(str::to_owned).collect();
    lines[4] = lines[4].replacen("1", "2", 1);
    place.write("all/runs.jsonl", lines.join("\n") + "\n" + &ledger[..40]);
    let outcome = swept(&place, &["--out", "all"]).exits_with(0);
    outcome.says(&[
        "1 line (5) does not match the checksum or the version, and the last line was incomplete",
        "36 runs, 1 to do",
    ]);
    assert_eq!(tables(&place, "all"), before);
    // The line stays in the ledger, which is only added to; its run is in another now.
    let outcome = place.run(&["verify", "all"]).exits_with(0);
    assert!(
        outcome.stdout.contains("`all/runs.jsonl`: line 5 is not used: it does not match its checksum; nothing is")
    );
}

/// That is what a power failure leaves, so `verify` cannot tell one from the other; nor need the next command.
#[test]
fn whole_lines_that_are_cut_from_an_unfinished_ledger_are_done_again() {
    let place = Place::with("sweep-cut", RANDOM);
    swept(&place, &["--out", "all"]).exits_with(0);
    swept(&place, &["--shard", "1/2", "--out", "part"]).exits_with(0);
    let ledger = place.read("part/runs.jsonl");
    let lines: Vec<&str> = ledger.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 18);
    place.write("part/runs.jsonl", lines[..11].concat());
    place.run(&["verify", "part"]).exits_with(0).says(&[]);
    swept(&place, &["--out", "part"]).exits_with(0).says(&["36 runs, 25 to do", "resuming: 11 runs finished before"]);
    assert_eq!(tables(&place, "part"), tables(&place, "all"));
    assert_eq!(sorted_lines(&place.read("part/runs.jsonl")), sorted_lines(&place.read("all/runs.jsonl")));
    // Of a complete sweep it shows, even if nothing else was touched.
    place.write("part/runs.jsonl", lines[..11].concat());
    let outcome = place.run(&["verify", "part"]).exits_with(1);
    assert!(outcome.stdout.contains("`part/runs.jsonl`: 25 runs of the tables are not in it"), "{outcome:#?}");
}

fn sorted_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn a_file_says_what_to_vary() {
    let place = Place::with("sweep-file", RANDOM);
    place.write(
        "buffers.toml",
        "scenario = \"scenario.toml\"\nseeds = 3\n\n[vary]\nqueue.policy = [\"epd\", \"tail-drop\", \"fba\"]\nqueue.buffer = \"60..480cells:log:4\"\n",
    );
    let from_file = place.run(&["sweep", "buffers.toml", "--out", "file"]).exits_with(0);
    let from_arguments = swept(&place, &["--out", "arguments"]).exits_with(0);
    // The page says by which command it came.
    let without_page = |folder| tables(&place, folder)[..6].to_vec();
    assert_eq!((from_file.stdout, without_page("file")), (from_arguments.stdout, without_page("arguments")));
    place.write("wrong.toml", "scenario = \"scenario.toml\"\n[vary]\nqueue.buffer = [\"4..1cells:lin:3\"]\n");
    let wrong = place.run(&["sweep", "wrong.toml"]).exits_with(3).without_result();
    wrong.says(&["--> wrong.toml:3:17", "is empty", "1 error, nothing was run"]);
}

/// With common random numbers the difference of a point and itself is nothing, and that of two means is the mean difference.
#[test]
fn points_are_compared_seed_by_seed() {
    let place = Place::with("sweep-baseline", RANDOM);
    let command = ["--out", "all", "--baseline", "queue.policy = tail-drop"];
    let outcome = swept(&place, &command).exits_with(0);
    let (means, differences) =
        outcome.stdout.split_once("\ndifferences from queue.policy = tail-drop, seed by seed\n").unwrap();
    assert_eq!((means.lines().count(), differences.lines().count()), (13, 9));
    let field = |line: &str, n: usize| line.split_whitespace().nth(n).unwrap().to_owned();
    let mean =
        |policy: &str| field(means.lines().find(|line| line.starts_with(policy)).unwrap(), 4).parse::<f64>().unwrap();
    let found = differences.lines().nth(1).unwrap();
    assert_eq!((field(found, 0), field(found, 1)), ("epd".into(), "60".into()));
    let difference = field(found, 4).parse::<f64>().unwrap();
    assert!((difference - (mean("epd") - mean("tail-drop"))).abs() < 0.002, "{}", outcome.stdout);
    assert_eq!(place.read("all/differences.csv").lines().count(), 9);
    assert_eq!(place.run(&["verify", "all"]).code, 0);
    // One that is whole but of other runs is found, and a later command without it leaves none behind.
    let marker = place.read("all/.ackclock");
    swept(&place, &["--out", "other", "--baseline", "queue.policy=epd", "--set", "seed=7"]).exits_with(0);
    let (before, _) = marker.rsplit_once(",\n  \"blake3\"").unwrap();
    let [sum, others] = ["all", "other"]
        .map(|folder| blake3::hash(place.read(&format!("{folder}/differences.csv")).as_bytes()).to_hex());
    let marker = before.replace(sum.as_str(), others.as_str());
    place.write("all/differences.csv", place.read("other/differences.csv"));
    place.write("all/.ackclock", format!("{marker}\n}}\n"));
    let outcome = place.run(&["verify", "all"]).exits_with(1);
    assert!(outcome.stdout.contains("`all/differences.csv`: it does not follow from the ledger"), "{outcome:#?}");
    swept(&place, &["--out", "all"]).exits_with(0);
    assert!(!place.path("all/differences.csv").exists());
    assert_eq!(place.run(&["verify", "all"]).code, 0);
    let wrong = swept(&place, &["--out", "new", "--baseline", "queue.policy=edp"]).exits_with(2).without_result();
    wrong.says(&["--baseline: `queue.policy` is never \"edp\"", "its values: epd, tail-drop, fba"]);
    assert!(!place.path("new").exists());
}

/// As where a table of a flow takes precedence over [tcp].
#[test]
fn a_key_without_effect_is_named() {
    let place = Place::with("sweep-no-effect", PLAIN);
    let command = ["sweep", "scenario.toml", "--vary", "name=a,b", "--vary", "queue.buffer=5packets,10packets"];
    let outcome = place.run(&command).exits_with(0).says(&["note: `name` has no effect: every run gives the same"]);
    assert_eq!(outcome.stderr.matches("has no effect").count(), 1, "{}", outcome.stderr);
}

#[test]
fn intervals_can_be_those_of_the_bootstrap() {
    let place = Place::with("sweep-bootstrap", RANDOM);
    let student = swept(&place, &["--out", "all"]).exits_with(0).stdout;
    let bca = swept(&place, &["--out", "all", "--interval", "bca"]).exits_with(0).stdout;
    // By Student's t only those are ends that were cut.
    let ends = |text: &str| text.matches(" to ").count();
    assert!(ends(&bca) > ends(&student), "{student}{bca}");
    assert_eq!(swept(&place, &["--out", "all", "--interval", "bca"]).stdout, bca);
}

#[test]
fn points_get_as_many_seeds_as_their_intervals_need() {
    let place = Place::with("sweep-until", RANDOM);
    let vary = ["--vary", "queue.buffer=60cells,480cells", "--until-ci", "goodput_bps=1.5%", "--max-seeds", "12"];
    let all = |more: &[&str]| place.run(&[&["sweep", "scenario.toml"], &vary[..], more].concat());
    let outcome = all(&["--out", "one", "--threads", "1"]).exits_with(0);
    outcome.says(&["2 points, 5 to 12 seeds until goodput_bps within 1.5 %: 10 runs at first"]);
    let summary = place.read("one/summary.csv");
    let rows: Vec<Vec<f64>> = summary
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|word| word.parse().unwrap_or(f64::NAN)).collect())
        .collect();
    for row in &rows {
        let (seeds, mean, low, high) = (row[1], row[3], row[4], row[5]);
        assert!((5.0..=12.0).contains(&seeds), "{summary}");
        assert!((high - low) / 2.0 <= 0.015 * mean || seeds == 12.0, "{summary}");
    }
    assert!(rows.iter().any(|row| row[1] > 5.0), "the test needs a point that takes more: {summary}");
    let runs: f64 = rows.iter().map(|row| row[1]).sum();
    assert_eq!(place.read("one/table.csv").lines().count() as f64, runs + 1.0);
    assert_eq!(keys(&place, "one").len() as f64, runs, "nothing was run that is not needed");

    // Of differences it is said how many pairs they are of: points have other numbers of seeds.
    let differences = all(&["--out", "one", "--baseline", "queue.buffer=60cells"]).exits_with(0);
    let pairs = rows[0][1].min(rows[1][1]).to_string();
    let csv = place.read("one/differences.csv");
    assert!(
        csv.starts_with("queue_buffer_cells,pairs,goodput_bps,") && csv.contains(&format!("\n480,{pairs},")),
        "{csv}"
    );
    let line = differences.stdout.lines().last().unwrap().split_whitespace().nth(1).unwrap().to_owned();
    assert_eq!(line, pairs, "{}", differences.stdout);
    all(&["--out", "one"]).exits_with(0);

    // A point is in one part as a whole.
    for part in ["1", "2"] {
        all(&["--out", &format!("part-{part}"), "--shard", &format!("{part}/2")]).exits_with(0);
    }
    place.run(&["merge", "part-2", "part-1", "--out", "whole"]).exits_with(0);
    assert_eq!(tables(&place, "one"), tables(&place, "whole"));

    let strict =
        place.run(&[&["sweep", "scenario.toml"], &vary[..2], &["--until-ci", "0.001%", "--max-seeds", "6"]].concat());
    strict
        .exits_with(0)
        .says(&["after 6 seeds not goodput_bps within 0.001 %: 2 points (the first: queue.buffer = 60cells)"]);
}

#[test]
fn rules_for_seeds_that_make_no_sense_are_named() {
    let place = Place::with("sweep-until-wrong", RANDOM);
    let wrong = |more: &[&str], said: &[&str], code: i32| {
        let outcome =
            place.run(&[&["sweep", "scenario.toml", "--vary", "queue.buffer=60cells,480cells"], more].concat());
        outcome.exits_with(code).without_result().says(said);
    };
    wrong(&["--until-ci", "2%", "--seeds", "1"], &["--until-ci with one seed", "leave --seeds out"], 2);
    wrong(&["--max-seeds", "20"], &["--max-seeds", "without --until-ci"], 2);
    wrong(&["--until-ci", "2%", "--seeds", "8", "--max-seeds", "4"], &["begin with 8 seeds", "at most 4"], 2);
    wrong(&["--until-ci", "lose=2%"], &["\"lose\" is no number of a run", "did you mean `loss`?"], 3);
    wrong(&["--until-ci", "2"], &["\"2\" is no share of a mean", "as in goodput_bps=2%"], 3);
    wrong(&["--plot", "figure.png"], &["--plot figure.png: the format is not known", ".svg or .pdf"], 2);
    let outcome = place.run(&["sweep", "scenario.toml", "--vary", "queue.policy=epd,fba", "--plot", "figure.svg"]);
    outcome.exits_with(2).without_result().says(&["--plot: this sweep has no figure"]);
}

#[test]
fn figures_and_page_are_written_where_they_are_asked_for() {
    let place = Place::with("sweep-plot", RANDOM);
    let where_asked = ["--plot", "paper.svg", "--plot", "paper.PDF", "--report", "pages/all.html"];
    swept(&place, &[&["--out", "all"], &where_asked[..]].concat()).exits_with(0);
    let bytes = |name: &str| fs::read(place.path(name)).unwrap();
    assert_eq!(bytes("paper.svg"), bytes("all/figure.svg"));
    assert_eq!(bytes("paper.PDF"), bytes("all/figure.pdf"));
    assert_eq!(bytes("pages/all.html"), bytes("all/report.html"));
    // The numbers of the figure are those of the summary.
    let (figure, summary) = (place.read("all/figure.csv"), place.read("all/summary.csv"));
    let column = |text: &str, name: &str| -> Vec<String> {
        let place = text.lines().next().unwrap().split(',').position(|column| column == name).unwrap();
        text.lines().skip(1).map(|line| line.split(',').nth(place).unwrap().to_owned()).collect()
    };
    for name in ["queue_policy", "queue_buffer_cells", "runs", "loss", "goodput_bps_low"] {
        assert_eq!(column(&figure, name), column(&summary, name));
    }
    assert!(!figure.contains("timeouts"), "what is not drawn is not there");
    // Letters that the font of PDF does not have are said to be missing there.
    let greek = ["--vary", "name=\u{3b1},\u{3b2}", "--out", "greek"];
    swept(&place, &greek).exits_with(0).says(&["note: the font of figure.pdf has no more letters than Latin-1"]);
    let page = place.read("all/report.html");
    assert!(
        page.contains("download=\"goodput_bps.csv\"") && page.contains("data:text/csv;charset=utf-8,queue_policy,")
    );
}

/// `docs/sweeps.md` begins with it.
#[test]
fn the_command_of_the_manual_is_accepted() {
    let place = Place::with("sweep-manual", PLAIN);
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let manual = fs::read_to_string(format!("{root}/docs/sweeps.md")).unwrap();
    let command = manual.lines().find_map(|line| line.strip_prefix("    ackclock ")).unwrap();
    let words: Vec<String> =
        command.split(' ').map(|word| word.replace("scenarios/", &format!("{root}/scenarios/"))).collect();
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.push("--dry-run");
    let outcome = place.run(&words).exits_with(0);
    assert!(outcome.stdout.starts_with("30 points, 5 seeds: 150 runs"), "{}", outcome.stdout);
    // And the sweep as a file, beside that scenario.
    let file = manual.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    place.write("geo-buffers.toml", fs::read(format!("{root}/scenarios/geo-buffers.toml")).unwrap());
    place.write("buffers.toml", file);
    let outcome = place.run(&["sweep", "buffers.toml", "--dry-run"]).exits_with(0);
    assert!(outcome.stdout.starts_with("60 points, 5 seeds: 300 runs"), "{}", outcome.stdout);
}

/// Neither the page nor a figure takes the place of a file that is not of the same kind, or that the folder has for itself.
#[test]
fn no_other_file_is_replaced_by_a_page_or_a_figure() {
    let place = Place::with("sweep-replace", RANDOM);
    place.write("paper.pdf", "%PDF-1.5 of the user");
    place.write("notes.html", "<p>of the user</p>");
    let refused = |more: &[&str], code: i32, said: &[&str]| {
        swept(&place, &[&["--out", "all"], more].concat()).exits_with(code).without_result().says(said);
        assert!(!place.path("all").exists(), "nothing was run");
    };
    refused(&["--report", "scenario.toml"], 2, &["--report scenario.toml: a page is an HTML file", "ends with .html"]);
    refused(&["--report", "notes.html"], 1, &["`notes.html` exists already and is not a report of ackclock"]);
    refused(&["--plot", "paper.pdf"], 1, &["`paper.pdf` exists already and is not a figure of ackclock"]);
    refused(&["--report", "all/report.html"], 2, &["`all/report.html` is a file that the folder of the sweep has"]);
    swept(&place, &["--out", "all"]).exits_with(0);
    let before = place.read("all/runs.jsonl");
    for (option, name) in
        [("--plot", "all/figure.svg"), ("--plot", "./all/figure.pdf"), ("--report", "all/../all/report.html")]
    {
        swept(&place, &["--out", "all", option, name]).exits_with(2).says(&["has for itself", "choose another file"]);
    }
    place.run(&["merge", "all", "--out", "m", "--plot", "paper.pdf"]).exits_with(1).says(&["is not a figure"]);
    assert_eq!((place.read("paper.pdf"), place.read("all/runs.jsonl")), ("%PDF-1.5 of the user".into(), before));
    // Earlier figures and pages are replaced.
    let figures = ["--out", "all", "--plot", "a.svg", "--plot", "a.pdf", "--report", "a.html"];
    swept(&place, &figures).exits_with(0);
    swept(&place, &figures).exits_with(0).says(&["a.svg written", "a.pdf written", "a.html written"]);
}

/// Of the same name and over the same keys. More values and seeds of the same scenario go on, however its other values are spelled.
#[test]
fn a_folder_with_a_sweep_of_another_scenario_is_refused() {
    let place = Place::with("sweep-other", RANDOM);
    let few = |more: &[&str]| {
        place.run(
            &[&["sweep", "scenario.toml", "--vary", "queue.buffer=60cells,120cells", "--out", "all"], more].concat(),
        )
    };
    few(&[]).exits_with(0);
    let before = (tables(&place, "all"), place.read("all/sweep.json"), place.read("all/runs.jsonl"));
    let refused = |outcome: crate::support::Outcome, differs: &str| {
        let said =
            format!("`all` holds another sweep: of another `random`, which differs in {differs}; nothing was run");
        outcome.exits_with(1).without_result().says(&[&said, "name another folder with --out DIR"]);
        assert_eq!((tables(&place, "all"), place.read("all/sweep.json"), place.read("all/runs.jsonl")), before);
    };
    refused(few(&["--set", "duration=310 ms"]), "`duration`");
    let scenario = place.read("scenario.toml");
    place.write(
        "other/scenario.toml",
        scenario.replace("sources = 3", "sources = 4").replace("warmup = \"50 ms\"", "warmup = \"40 ms\""),
    );
    let other = ["sweep", "other/scenario.toml", "--vary", "queue.buffer=60cells,120cells", "--out", "all"];
    refused(place.run(&other), "`network`, `warmup`");
    // The same scenario, though spelled in other words.
    place.write("scenario.toml", scenario.replace("\"300 ms\"", "\"0.3 s\""));
    few(&["--seeds", "2"]).exits_with(0).says(&["4 runs, 2 to do"]);
    let more = ["sweep", "scenario.toml", "--vary", "queue.buffer=90cells,120cells", "--out", "all"];
    place.run(&more).exits_with(0).says(&["2 runs, 1 to do"]);
}

#[test]
fn a_seed_is_run_once_whatever_the_first_seed_is() {
    let place = Place::with("sweep-first-seed", RANDOM);
    let few = ["sweep", "scenario.toml", "--vary", "queue.buffer=60cells,120cells", "--out", "all"];
    let all = |more: &[&str]| place.run(&[&few[..], more].concat()).exits_with(0);
    all(&["--seeds", "3"]);
    let before = place.read("all/runs.jsonl");
    let later = all(&["--seeds", "2", "--set", "seed=2"]);
    assert_eq!(later.stderr, "tables and report.html in all\n");
    assert_eq!(place.read("all/runs.jsonl"), before);
    let csv = place.read("all/table.csv");
    let seeds: Vec<&str> = csv.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    assert_eq!(seeds, ["2", "3", "2", "3"]);
    all(&["--seeds", "2", "--set", "seed=3"]).says(&["4 runs, 2 to do"]);
}

/// Texts that look like numbers, nodes whose names are numbers, and texts of a sweep file.
#[test]
fn each_command_of_the_page_runs_its_point() {
    let place = Place::with("sweep-commands", SMALL);
    place.write(
        "sweep.toml",
        "scenario = \"scenario.toml\"\n[set]\ndescription = \"2e3\"\n[vary]\nudp.u1.to = [\"1\", \"2\"]\nlink.1.delay = [\"1 ms\", \"2 ms\"]\nname = \"7\"\n",
    );
    place.run(&["sweep", "sweep.toml", "--out", "all", "--set", "queue.buffer=9 packets"]).exits_with(0);
    let page = place.read("all/report.html");
    let codes = |html: &str| -> Vec<String> {
        let code = |rest: &str| {
            let text = rest.split("</code>").next().unwrap().replace("<span>", "").replace("</span>", "");
            text.replace("&gt;", ">").replace("&#39;", "'").replace("&quot;", "\"")
        };
        html.split("<code>").skip(1).map(code).collect()
    };
    let (_, points) = page.split_once("id=\"points\"").unwrap();
    let [command, arguments @ ..] = &codes(points.split_once("id=\"repeat\"").unwrap().0)[..] else { panic!("{page}") };
    let begin = command.strip_prefix("ackclock run ").unwrap();
    let commands: Vec<String> = arguments.iter().map(|arguments| format!("{begin} {arguments}")).collect();
    assert_eq!(commands.len(), 4, "{page}");
    let csv = place.read("all/table.csv");
    for (nth, command) in commands.iter().enumerate() {
        let shell = format!("\"$0\" run {command} --json");
        let mut run = Command::new("sh");
        run.args(["-c", &shell, env!("CARGO_BIN_EXE_ackclock")]).current_dir(place.path(""));
        let run = crate::support::outcome(run).exits_with(0).json();
        let goodput = run["summary"]["udp_goodput_bps"]["mean"].as_f64().unwrap();
        let row = csv.lines().nth(nth + 1).unwrap();
        assert!(row.split(',').any(|value| value == goodput.to_string()), "{command}: {goodput} is not in {row}");
        assert_eq!(run["scenario"]["name"], "7");
    }
}

/// A network with nodes that are called by numbers, and a source of datagrams.
#[cfg(unix)]
const SMALL: &str = r#"
name = "small"
duration = "50 ms"

[network]
technology = "packet"
topology = "graph"

[node]
0.kind = "host"
1.kind = "host"
2.kind = "host"
3.kind = "switch"

[link]
0 = { ends = ["0", "3"], rate = "1 Mbps", delay = "1 ms" }
1 = { ends = ["1", "3"], rate = "1 Mbps", delay = "1 ms" }
2 = { ends = ["2", "3"], rate = "2 Mbps", delay = "5 ms" }

[queue]
buffer = "5 packets"

[udp.u1]
from = "0"
to = "1"
rate = "3 Mbps"
"#;

/// What is said before the start, against what there is at the end: of curves, maps, samples, tables without figures, one point and a
/// part, with few seeds and many.
#[test]
fn the_disk_that_is_said_is_what_is_written() {
    let place = Place::with("sweep-disk", &RANDOM.replace("\"300 ms\"", "\"100 ms\""));
    let shapes: [&[&str]; 7] = [
        &["--vary", "queue.policy=epd,tail-drop,fba", "--vary", "queue.buffer=60..480cells:log:9", "--seeds", "2"],
        &["--vary", "queue.buffer=60..480cells:log:30", "--vary", "network.trunk_delay=1..9ms:lin:30"],
        &["--vary", "queue.buffer=60..480cells:log:60", "--vary", "network.trunk_delay=1..9ms:lin:60"],
        &[
            "--vary",
            "queue.buffer=60..480cells:log",
            "--vary",
            "network.trunk_delay=1..9ms:lin",
            "--latin-hypercube",
            "50",
        ],
        &["--vary", "queue.policy=epd,tail-drop,fba", "--seeds", "3", "--baseline", "queue.policy=epd"],
        &["--seeds", "300"],
        &["--vary", "queue.buffer=60..480cells:log:30", "--seeds", "2", "--shard", "1/2"],
    ];
    for (nth, shape) in shapes.iter().enumerate() {
        let out = format!("of-{nth}");
        let outcome = place.run(&[&["sweep", "scenario.toml", "--out", &out], &shape[..]].concat()).exits_with(0);
        let said = outcome.stderr.lines().find_map(|line| line.strip_suffix(" of disk")).unwrap();
        let (number, unit) = said.rsplit_once(", ").unwrap().1.split_once(' ').unwrap();
        let said = number.parse::<f64>().unwrap() * if unit == "MB" { 1e6 } else { 1e3 };
        let files = crate::support::files(&place.path(&out));
        let written: u64 = files.iter().map(|file| fs::metadata(file).unwrap().len()).sum();
        let ratio = said / written as f64;
        println!("{shape:?}: {said} said, {written} written, {ratio:.2}");
        assert!((0.9..2.0).contains(&ratio), "{shape:?}: {said} said, {written} written");
    }
}
