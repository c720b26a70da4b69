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
const GRID: &str = "--vary queue.policy=epd,tail-drop,fba --vary queue.buffer=60..480cells:log:4";

pub fn sweep(more: &str) -> String {
    format!("sweep scenario.toml {GRID} --seeds 3 {more}")
}

/// Runs the sweep in a folder.
pub fn swept(place: &Place, more: &str) -> crate::support::Outcome {
    place.run(&sweep(more))
}

pub fn tables(place: &Place, folder: &str) -> Vec<Vec<u8>> {
    TABLES.iter().map(|name| fs::read(place.path(folder).join(name)).unwrap()).collect()
}

/// The keys of the ledger, in order.
pub fn keys(place: &Place, folder: &str) -> Vec<String> {
    let key = |line: &str| line.split('"').nth(3).unwrap().to_owned();
    place.read(&format!("{folder}/runs.jsonl")).lines().map(key).collect()
}

/// The default back end has a name, as `on="local"` in Python; this program knows no other.
#[test]
fn runs_are_done_on_this_machine_which_is_called_local() {
    let place = Place::with("sweep-local", RANDOM);
    swept(&place, "--out usual").exits_with(0);
    // Not beside the first, whose runs it would take over.
    swept(&place, "--on local --out named/all").exits_with(0);
    assert_eq!(tables(&place, "named/all"), tables(&place, "usual"));
    for address in ["dask://scheduler:8786", "Local", "locals"] {
        let outcome = swept(&place, &format!("--on {address} --out never")).exits_with(2).without_result();
        outcome.says(&[&format!("--on {address}: this program knows no cluster"), "pip install 'ackclock[dask]'"]);
    }
}

#[test]
fn each_run_has_a_row_and_each_point_a_line() {
    let place = Place::with("sweep", RANDOM);
    let outcome = swept(&place, "--out all").exits_with(0);
    assert!(outcome.stderr.starts_with("12 points, 3 seeds: 36 runs, 10.8 s simulated\nabout "), "{}", outcome.stderr);
    assert!(
        outcome.stderr.ends_with("Loss and queueing delay are those of sw1->sw2.\ntables and report.html in all\n"),
        "{}",
        outcome.stderr
    );
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
    assert_eq!(rows[0][..5], ["queue_policy", "queue_buffer_cells", "seed", "status", "limiting_port"]);
    assert_eq!(
        (&rows[1][..4], &rows[36][..4]),
        (&["epd", "60", "1", "finished"][..], &["fba", "480", "3", "finished"][..])
    );
    assert!(rows[0].contains(&"queueing_delay_p95_s") && !rows[0].contains(&"udp_loss"), "what no run has is left out");

    // The numbers are those of `run`.
    let sets = "--set queue.policy=fba --set 'queue.buffer=480 cells' --delays";
    let one = place.run(&format!("run scenario.toml --seeds 3 --json {sets}")).exits_with(0).json();
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
    assert_eq!(last[..5], ["fba", "480", "3", "0", "sw1->sw2"]);
    assert!((last[5].parse::<f64>().unwrap() / mean - 1.0).abs() < 1e-12);
}

#[test]
fn the_same_command_again_runs_nothing_and_more_seeds_run_the_others() {
    let place = Place::with("sweep-again", RANDOM);
    let first = swept(&place, "--out all").exits_with(0);
    let before = (keys(&place, "all"), tables(&place, "all"));
    let again = swept(&place, "--out all").exits_with(0);
    assert_eq!(again.stdout, first.stdout);
    assert_eq!(again.stderr, "Loss and queueing delay are those of sw1->sw2.\ntables and report.html in all\n");
    assert_eq!((keys(&place, "all"), tables(&place, "all")), before);
    let more = swept(&place, "--out all --seeds 4");
    assert_eq!(more.code, 2, "an option is given once");
    let more = place.run(&format!("sweep scenario.toml {GRID} --seeds 4 --out all")).exits_with(0);
    more.says(&["48 runs, 12 to do, 3.6", "resuming: 36 runs finished before"]);
    assert_eq!(keys(&place, "all").len(), 48);
}

#[test]
fn threads_and_shards_in_any_order_give_the_same_tables() {
    let place = Place::with("sweep-shards", RANDOM);
    let one = swept(&place, "--out one --threads 1").exits_with(0);
    // In another folder: beside the first it would take over its runs.
    swept(&place, "--out apart/two --threads 2").exits_with(0);
    assert_eq!(tables(&place, "one"), tables(&place, "apart/two"));
    for part in ["1/3", "2/3", "3/3"] {
        let outcome =
            swept(&place, &format!("--out part-{} --shard {part}", &part[..1])).exits_with(0).without_result();
        outcome.says(&["36 runs, of which part ", "12 to do", "24 runs of the sweep missing", "ackclock merge"]);
    }
    let parts: BTreeSet<String> = (1..=3).flat_map(|part| keys(&place, &format!("part-{part}"))).collect();
    assert_eq!(parts, keys(&place, "one").into_iter().collect(), "each run once");
    place
        .run("merge part-2 part-1 --out alone/some")
        .exits_with(1)
        .without_result()
        .says(&["12 runs of the sweep missing"]);
    let merged = place.run("merge part-3 part-1 part-2 --out whole").exits_with(0);
    assert_eq!((merged.stdout, tables(&place, "whole")), (one.stdout.clone(), tables(&place, "one")));
    for folder in ["apart/two", "part-1", "whole"] {
        assert_eq!(place.read(&format!("{folder}/sweep.json")), place.read("one/sweep.json"), "{folder}");
    }
    let page = place.read("whole/report.html");
    assert!(page.contains("--vary queue.buffer=60..480cells:log:4 --seeds 3</code>"), "no more than says what is run");
    // Parts that were started elsewhere: in any order the same.
    place.write("there/scenario.toml", RANDOM);
    let mut there = place.command(&sweep("--out ../part-2 --shard 2/3"));
    fs::remove_dir_all(place.path("part-2")).unwrap();
    there.current_dir(place.path("there")).args(["--set", "seed=1"]);
    assert!(there.output().unwrap().status.success());
    for (order, out) in [("part-1 part-2 part-3", "x"), ("part-2 part-3 part-1", "y")] {
        place.run(&format!("merge {order} --out {out}")).exits_with(0);
    }
    assert_eq!((tables(&place, "x"), place.read("x/sweep.json")), (tables(&place, "y"), place.read("y/sweep.json")));
    // What is missing of the others is done by the same command in the folder.
    let rest = swept(&place, "--out alone/some").exits_with(0).says(&["36 runs, 12 to do"]);
    assert_eq!((rest.stdout, tables(&place, "alone/some")), (one.stdout, tables(&place, "one")));
    assert_eq!(keys(&place, "alone/some").len(), 36);
}

/// Signals after numbers of runs and times that follow from a fixed sequence of numbers.
#[test]
#[cfg(unix)]
fn a_sweep_killed_at_any_moment_repeats_no_finished_run_and_loses_none() {
    let place = Place::with("sweep-killed", RANDOM);
    // So many runs that the last signals find some to be done.
    let many = |out| format!("--vary network.trunk_delay=1..4ms:lin:{DELAYS} --out {out}");
    let arguments = sweep(&many("killed"));
    let mut before: Vec<String> = Vec::new();
    let mut random = 12_345_u64;
    let mut in_between = 0;
    for kill in 0..MOMENTS {
        let mut command = place.command(&arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Some of them as the program begins; the others a little after it kept some runs, however fast the machine is.
        let more = (random >> 33) % 6;
        let kept = || fs::read_to_string(place.path("killed/runs.jsonl")).map_or(0, |text| text.matches('\n').count());
        while more > 0 && kept() < before.len() + more as usize && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis((random >> 40) % if more > 0 { 8 } else { 40 }));
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
const DELAYS: usize = 60;

#[test]
fn a_run_over_the_time_limit_is_recorded_and_the_rest_goes_on() {
    let place = Place::with("sweep-limit", &PLAIN.replace("200 ms", "100 ms"));
    let command = "sweep scenario.toml --vary 'duration=100 ms,200 h' --time-limit 300ms --out all";
    let outcome = place.run(&command).exits_with(1);
    let outcome = outcome
        .says(&["1 run failed; --retry runs them again", "  duration = 200 h, seed 1: it took longer than 0.3 s"]);
    assert_eq!(outcome.stdout.lines().count(), 3);
    let csv = place.read("all/table.csv");
    assert!(csv.contains("\n0.1,1,finished,") && csv.contains("\n720000,1,it took longer than 0.3 s,,"), "{csv}");
    let before = place.read("all/runs.jsonl");
    place.run(&command).exits_with(1);
    assert_eq!(place.read("all/runs.jsonl"), before, "it is not tried again unless that is asked for");
    place.run(&format!("{command} --retry")).exits_with(1);
    assert_eq!(place.read("all/runs.jsonl").lines().count(), 3);
    place.run(&command.replace("300ms", "soon")).exits_with(2).says(&["--time-limit \"soon\"", "60s"]);
}

/// The damaged line is named, its run is done again, and no other.
#[test]
fn damage_is_named_and_done_again() {
    let place = Place::with("sweep-damage", RANDOM);
    swept(&place, "--out all").exits_with(0);
    let (ledger, before) = (place.read("all/runs.jsonl"), tables(&place, "all"));
    let mut lines: Vec<String> = ledger.lines().map(str::to_owned).collect();
    lines[4] = lines[4].replacen("1", "2", 1);
    place.write("all/runs.jsonl", lines.join("\n") + "\n" + &ledger[..40]);
    let outcome = swept(&place, "--out all").exits_with(0);
    outcome.says(&[
        "1 line (5) does not match the checksum or the version, and the last line was incomplete",
        "36 runs, 1 to do",
    ]);
    assert_eq!(tables(&place, "all"), before);
    // The line stays in the ledger, which is only added to; its run is in another now.
    let outcome = place.run("verify all").exits_with(0);
    outcome.prints(&["`all/runs.jsonl`: line 5 is not used: it does not match its checksum; nothing is"]);
}

/// That is what a power failure leaves, so `verify` cannot tell one from the other; nor need the next command.
#[test]
fn whole_lines_that_are_cut_from_an_unfinished_ledger_are_done_again() {
    let place = Place::with("sweep-cut", RANDOM);
    swept(&place, "--out apart/all").exits_with(0);
    swept(&place, "--shard 1/2 --out part").exits_with(0);
    let ledger = place.read("part/runs.jsonl");
    let lines: Vec<&str> = ledger.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 18);
    place.write("part/runs.jsonl", lines[..11].concat());
    place.run("verify part").exits_with(0).says(&[]);
    swept(&place, "--out part").exits_with(0).says(&["36 runs, 25 to do", "resuming: 11 runs finished before"]);
    assert_eq!(tables(&place, "part"), tables(&place, "apart/all"));
    assert_eq!(sorted_lines(&place.read("part/runs.jsonl")), sorted_lines(&place.read("apart/all/runs.jsonl")));
    // Of a complete sweep it shows, even if nothing else was touched.
    place.write("part/runs.jsonl", lines[..11].concat());
    place.run("verify part").exits_with(1).prints(&["`part/runs.jsonl`: 25 runs of the tables are not in it"]);
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
    let from_file = place.run("sweep buffers.toml --out file").exits_with(0);
    let from_arguments = swept(&place, "--out apart/arguments").exits_with(0);
    // The page says by which command it came.
    let without_page = |folder| tables(&place, folder)[..6].to_vec();
    assert_eq!((from_file.stdout, without_page("file")), (from_arguments.stdout, without_page("apart/arguments")));
    place.write("wrong.toml", "scenario = \"scenario.toml\"\n[vary]\nqueue.buffer = [\"4..1cells:lin:3\"]\n");
    let wrong = place.run("sweep wrong.toml").exits_with(3).without_result();
    wrong.says(&["--> wrong.toml:3:17", "is empty", "1 error, nothing was run"]);
}

/// With common random numbers the difference of a point and itself is nothing, and that of two means is the mean difference.
#[test]
fn points_are_compared_seed_by_seed() {
    let place = Place::with("sweep-baseline", RANDOM);
    let command = "--out all --baseline 'queue.policy = tail-drop'";
    let outcome = swept(&place, command).exits_with(0);
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
    assert_eq!(place.run("verify all").code, 0);
    // One that is whole but of other runs is found, and a later command without it leaves none behind.
    let marker = place.read("all/.ackclock");
    swept(&place, "--out other --baseline queue.policy=epd --set seed=7").exits_with(0);
    let (before, _) = marker.rsplit_once(",\n  \"blake3\"").unwrap();
    let [sum, others] = ["all", "other"]
        .map(|folder| blake3::hash(place.read(&format!("{folder}/differences.csv")).as_bytes()).to_hex());
    let marker = before.replace(sum.as_str(), others.as_str());
    place.write("all/differences.csv", place.read("other/differences.csv"));
    place.write("all/.ackclock", format!("{marker}\n}}\n"));
    place.run("verify all").exits_with(1).prints(&["`all/differences.csv`: it does not follow from the ledger"]);
    swept(&place, "--out all").exits_with(0);
    assert!(!place.path("all/differences.csv").exists());
    assert_eq!(place.run("verify all").code, 0);
    let wrong = swept(&place, "--out new --baseline queue.policy=edp").exits_with(2).without_result();
    wrong.says(&["--baseline: `queue.policy` is never \"edp\"", "its values: epd, tail-drop, fba"]);
    assert!(!place.path("new").exists());
}

#[test]
fn intervals_can_be_those_of_the_bootstrap() {
    let place = Place::with("sweep-bootstrap", RANDOM);
    let student = swept(&place, "--out all").exits_with(0).stdout;
    let bca = swept(&place, "--out all --interval bca").exits_with(0).stdout;
    // By Student's t only those are ends that were cut.
    let ends = |text: &str| text.matches(" to ").count();
    assert!(ends(&bca) > ends(&student), "{student}{bca}");
    assert_eq!(swept(&place, "--out all --interval bca").stdout, bca);
}

#[test]
fn points_get_as_many_seeds_as_their_intervals_need() {
    let place = Place::with("sweep-until", RANDOM);
    let vary = "--vary queue.buffer=60cells,480cells --until-ci goodput_bps=1.5% --max-seeds 12";
    let all = |more: &str| place.run(&format!("sweep scenario.toml {vary} {more}"));
    let outcome = all("--out one --threads 1").exits_with(0);
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
    let differences = all("--out one --baseline queue.buffer=60cells").exits_with(0);
    let pairs = rows[0][1].min(rows[1][1]).to_string();
    let csv = place.read("one/differences.csv");
    assert!(
        csv.starts_with("queue_buffer_cells,pairs,goodput_bps,") && csv.contains(&format!("\n480,{pairs},")),
        "{csv}"
    );
    let line = differences.stdout.lines().last().unwrap().split_whitespace().nth(1).unwrap().to_owned();
    assert_eq!(line, pairs, "{}", differences.stdout);
    all("--out one").exits_with(0);

    // A point is in one part as a whole.
    for part in ["1", "2"] {
        all(&format!("--out part-{part} --shard {part}/2")).exits_with(0);
    }
    place.run("merge part-2 part-1 --out whole").exits_with(0);
    assert_eq!(tables(&place, "one"), tables(&place, "whole"));

    let strict = "sweep scenario.toml --vary queue.buffer=60cells,480cells --until-ci 0.001% --max-seeds 6";
    let strict = place.run(strict);
    strict
        .exits_with(0)
        .says(&["after 6 seeds not goodput_bps within 0.001 %: 2 points (the first: queue.buffer = 60cells)"]);
}

#[test]
fn a_seed_is_run_once_whatever_the_first_seed_is() {
    let place = Place::with("sweep-first-seed", RANDOM);
    let few = "sweep scenario.toml --vary queue.buffer=60cells,120cells --out all";
    let all = |more: &str| place.run(&format!("{few} {more}")).exits_with(0);
    all("--seeds 3");
    let before = place.read("all/runs.jsonl");
    let later = all("--seeds 2 --set seed=2");
    assert_eq!(later.stderr, "Loss and queueing delay are those of sw1->sw2.\ntables and report.html in all\n");
    assert_eq!(place.read("all/runs.jsonl"), before);
    let csv = place.read("all/table.csv");
    let seeds: Vec<&str> = csv.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
    assert_eq!(seeds, ["2", "3", "2", "3"]);
    all("--seeds 2 --set seed=3").says(&["4 runs, 2 to do"]);
}
