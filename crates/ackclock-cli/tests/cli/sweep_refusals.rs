//! Sweeps that are refused: with the place and what to do, and nothing changed.

use crate::support::{PLAIN, Place, RANDOM};
use crate::sweep::{swept, tables};

#[test]
fn what_the_scenario_refuses_is_named_once_and_the_rest_runs_if_asked_for() {
    let place = Place::with("sweep-refused", RANDOM);
    let arguments = "sweep scenario.toml --vary queue.policy=epd,edp --vary queue.buffer=60,120..240cells:lin:2";
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
    let outcome = place.run(&format!("{arguments} --skip-refused --out rest")).exits_with(0);
    assert_eq!(outcome.stdout.lines().count(), 3);
    assert_eq!(place.read("rest/table.csv").lines().count(), 3);
    // A value that is refused everywhere takes neither the numbers of the others nor the curves.
    let negative = "sweep scenario.toml --vary queue.policy=epd,fba --vary queue.buffer=60cells,-3cells,240cells";
    place.run(&format!("{negative} --skip-refused --out curves --plot a.svg")).exits_with(0);
    let csv = place.read("curves/table.csv");
    assert!(csv.starts_with("queue_policy,queue_buffer_cells,seed,") && csv.contains("\nfba,240,1,finished,"), "{csv}");
    assert_eq!(place.read("a.svg").matches("<polyline").count() % 2, 0);
    assert_eq!(place.run("verify curves").code, 0);
    // A path that does not exist is no question of values.
    let unknown = place.run("sweep scenario.toml --vary queue.bufer=1..9cells:lin:9 --skip-refused");
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
    let dry = swept(&place, "--dry-run").exits_with(0);
    assert!(
        dry.stdout.starts_with("12 points, 3 seeds: 36 runs, 10.8 s simulated\nabout a second on "),
        "{}",
        dry.stdout
    );
    let disk = |said: &str| -> f64 {
        let (_, disk) = said.trim_end().strip_suffix(" kB of disk").expect("kilobytes").rsplit_once(", ").unwrap();
        disk.parse().unwrap()
    };
    let of_shard = swept(&place, "--dry-run --shard 1/4").exits_with(0);
    of_shard.prints(&[", of which part 1/4, 9 to do, "]);
    assert!(disk(&of_shard.stdout) < 0.25 * disk(&dry.stdout), "the tables are made of all parts");
    assert_eq!(place.names(), ["scenario.toml"]);
    let many = place.run("sweep scenario.toml --vary queue.buffer=1..1000cells:lin:1000 --seeds 1000000");
    many.exits_with(2).without_result().says(&[
        "this sweep has 1,000,000,000 runs (1,000 points, 1,000,000 seeds each), more than 1,000,000",
        "confirm with --max-runs 1000000000",
    ]);
    let certain = Place::with("sweep-certain", PLAIN);
    let outcome = certain.run("sweep scenario.toml --vary queue.buffer=5,10packets --seeds 2");
    outcome.exits_with(3).says(&["needs a unit"]);
    let outcome = certain.run("sweep scenario.toml --vary 'queue.buffer=5 packets,10packets' --seeds 2");
    outcome.exits_with(0).says(&["note: this scenario has no randomness"]);
}

#[test]
fn folders_of_others_are_refused() {
    let place = Place::with("sweep-folders", RANDOM);
    place.run("run scenario.toml --out run").exits_with(0);
    swept(&place, "--out run").exits_with(1).without_result().says(&["`run` holds the result of `ackclock run`"]);
    swept(&place, "--out all").exits_with(0);
    place.run("run scenario.toml --out all").exits_with(1).says(&["`all` holds a sweep of `ackclock sweep`"]);
    let other = "sweep scenario.toml --vary tcp.recovery=reno,vanilla --out all";
    let before = tables(&place, "all");
    place
        .run(other)
        .exits_with(1)
        .without_result()
        .says(&["`all` holds another sweep: of `random` over queue.policy, queue.buffer"]);
    let plan = place.read("all/sweep.json");
    place.write("all/sweep.json", plan.replace("\"result_version\": ", "\"result_version\": 9"));
    swept(&place, "--out all").exits_with(1).says(&["of result version 9", "nothing was run"]);
    place.write("all/sweep.json", "{}");
    swept(&place, "--out all").exits_with(1).says(&["`all/sweep.json` cannot be used: it is damaged"]);
    assert_eq!(tables(&place, "all"), before);
    place.write("all/sweep.json", plan);
    place.write("all/table.csv", "mine");
    swept(&place, "--out all").exits_with(1).says(&["`all/table.csv` was changed after ackclock wrote it"]);
    place.run("merge run --out m").exits_with(1).says(&["`run` holds no sweep"]);
    place.run(&other.replace("--out all", "--out other")).exits_with(0);
    place
        .run("merge all other --out m")
        .exits_with(1)
        .says(&["`other` is no part of the same sweep: of `random` over tcp.recovery", "leave this folder out"]);
}

/// What is probably not meant is said, and what is wrong has a remedy that can be followed.
#[test]
fn mistakes_are_named_with_what_to_do() {
    let place = Place::with("sweep-mistakes", RANDOM);
    let of = |arguments: &str| place.run(&format!("sweep scenario.toml {arguments}"));
    let twice = of("--vary 'queue.buffer=60cells,60 cells,90cells,0.06 kcells' --dry-run");
    assert_eq!(twice.code, 3, "there are no kilocells: {twice:#?}");
    let twice = of("--vary 'queue.buffer=60cells,60 cells,90cells' --dry-run").exits_with(0);
    assert!(twice.stdout.starts_with("2 points, 1 seed: 2 runs"), "{twice:#?}");
    twice.says(&["warning: `queue.buffer` has the same value twice", "--> --vary:1:22"]);
    let set = "--set queue.buffer=70cells --vary queue.buffer=60cells,90cells --dry-run";
    of(set).exits_with(0).says(&["warning: `queue.buffer` is set and varied", "--> --set:1:7"]);
    let within = "--vary queue=5cells --vary queue.buffer=60cells";
    of(within).exits_with(3).says(&["`queue.buffer` and `queue` are varied, of which one is a part of the other"]);
    of("--vary que.buffer=60cells").exits_with(3).says(&["did you mean `queue`?"]);
    for (range, help) in [
        (".5..5cells:lin:3", "write a digit before the point: 0.5"),
        ("..9cells:lin:2", "write a number at both ends"),
        ("nan..9cells:lin:2", "\"nan\" is no end of a range"),
        ("5..5cells:lin:2", "for one value write 5cells"),
        ("5..9cells", "expected :log:N or :lin:N"),
    ] {
        of(&format!("--vary queue.buffer={range}")).exits_with(3).says(&[help, "\n  = help: "]);
    }
    of("--seeds 2 --set seed=9223372036854775807")
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
    let failing = "--vary queue.buffer=60cells,90cells --time-limit 1ps --out failed";
    of(failing).exits_with(1).says(&["2 runs failed"]);
    let again = of(&format!("{failing} --retry")).exits_with(1);
    again.says(&["resuming: 0 runs finished before, 2 failed"]);
    // What is said of a part that cannot be used is about that part.
    place.write("failed/sweep.json", "{}");
    place.run("merge failed --out all").exits_with(1).says(&[
        "`failed/sweep.json` cannot be used: it is damaged",
        "leave this folder out, or remove this file and run the part again with --out of this folder",
    ]);
}

/// As where a table of a flow takes precedence over [tcp].
#[test]
fn a_key_without_effect_is_named() {
    let place = Place::with("sweep-no-effect", PLAIN);
    let command = "sweep scenario.toml --vary tcp.max_rto=60s,100s --vary queue.buffer=5packets,10packets";
    let outcome =
        place.run(command).exits_with(0).says(&["note: `tcp.max_rto` has no effect: every run gives the same"]);
    assert_eq!(outcome.stderr.matches("has no effect").count(), 1, "{}", outcome.stderr);
}

#[test]
fn rules_for_seeds_that_make_no_sense_are_named() {
    let place = Place::with("sweep-until-wrong", RANDOM);
    let wrong = |more: &str, said: &[&str], code: i32| {
        let outcome = place.run(&format!("sweep scenario.toml --vary queue.buffer=60cells,480cells {more}"));
        outcome.exits_with(code).without_result().says(said);
    };
    wrong("--until-ci 2% --seeds 1", &["--until-ci with one seed", "leave --seeds out"], 2);
    wrong("--max-seeds 20", &["--max-seeds", "without --until-ci"], 2);
    wrong("--until-ci 2% --seeds 8 --max-seeds 4", &["begin with 8 seeds", "at most 4"], 2);
    wrong("--until-ci lose=2%", &["\"lose\" is no number of a run", "did you mean `loss`?"], 3);
    wrong("--until-ci 2", &["\"2\" is no share of a mean", "as in goodput_bps=2%"], 3);
    wrong("--plot figure.png", &["--plot figure.png: the format is not known", ".svg or .pdf"], 2);
    let outcome = place.run("sweep scenario.toml --vary queue.policy=epd --plot figure.svg");
    outcome.exits_with(2).without_result().says(&["--plot: this sweep has no figure"]);
}

/// Neither the page nor a figure takes the place of a file that is not of the same kind, or that the folder has for itself.
#[test]
fn no_other_file_is_replaced_by_a_page_or_a_figure() {
    let place = Place::with("sweep-replace", RANDOM);
    place.write("paper.pdf", "%PDF-1.5 of the user");
    place.write("notes.html", "<p>of the user</p>");
    let refused = |more: &str, code: i32, said: &[&str]| {
        swept(&place, &format!("--out all {more}")).exits_with(code).without_result().says(said);
        assert!(!place.path("all").exists(), "nothing was run");
    };
    refused("--report scenario.toml", 2, &["--report scenario.toml: a page is an HTML file", "ends with .html"]);
    refused("--report notes.html", 1, &["`notes.html` exists already and is not a report of ackclock"]);
    refused("--plot paper.pdf", 1, &["`paper.pdf` exists already and is not a figure of ackclock"]);
    refused("--report all/report.html", 2, &["`all/report.html` is a file that the folder of the sweep has"]);
    swept(&place, "--out all").exits_with(0);
    let before = place.read("all/runs.jsonl");
    for (option, name) in
        [("--plot", "all/figure.svg"), ("--plot", "./all/figure.pdf"), ("--report", "all/../all/report.html")]
    {
        swept(&place, &format!("--out all {option} {name}"))
            .exits_with(2)
            .says(&["has for itself", "choose another file"]);
    }
    place.run("merge all --out m --plot paper.pdf").exits_with(1).says(&["is not a figure"]);
    assert_eq!((place.read("paper.pdf"), place.read("all/runs.jsonl")), ("%PDF-1.5 of the user".into(), before));
    // Earlier figures and pages are replaced.
    let figures = "--out all --plot a.svg --plot a.pdf --report a.html";
    swept(&place, figures).exits_with(0);
    swept(&place, figures).exits_with(0).says(&["a.svg written", "a.pdf written", "a.html written"]);
}

/// Of the same name and over the same keys. More values and seeds of the same scenario go on, however its other values are spelled.
#[test]
fn a_folder_with_a_sweep_of_another_scenario_is_refused() {
    let place = Place::with("sweep-other", RANDOM);
    let few =
        |more: &str| place.run(&format!("sweep scenario.toml --vary queue.buffer=60cells,120cells --out all {more}"));
    few("").exits_with(0);
    let before = (tables(&place, "all"), place.read("all/sweep.json"), place.read("all/runs.jsonl"));
    let refused = |outcome: crate::support::Outcome, differs: &str| {
        let said =
            format!("`all` holds another sweep: of another `random`, which differs in {differs}; nothing was run");
        outcome.exits_with(1).without_result().says(&[&said, "name another folder with --out DIR"]);
        assert_eq!((tables(&place, "all"), place.read("all/sweep.json"), place.read("all/runs.jsonl")), before);
    };
    refused(few("--set 'duration=310 ms'"), "`duration`");
    let scenario = place.read("scenario.toml");
    place.write(
        "other/scenario.toml",
        scenario.replace("sources = 3", "sources = 4").replace("warmup = \"50 ms\"", "warmup = \"40 ms\""),
    );
    let other = ["sweep", "other/scenario.toml", "--vary", "queue.buffer=60cells,120cells", "--out", "all"];
    refused(place.run(&other), "`network`, `warmup`");
    // The same scenario, though spelled in other words.
    place.write("scenario.toml", scenario.replace("\"300 ms\"", "\"0.3 s\""));
    few("--seeds 2").exits_with(0).says(&["4 runs, 2 to do"]);
    let more = "sweep scenario.toml --vary queue.buffer=90cells,120cells --out all";
    place.run(more).exits_with(0).says(&["2 runs, 1 to do"]);
}
