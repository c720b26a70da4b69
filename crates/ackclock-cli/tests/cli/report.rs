//! `report` and `compare`: what they write, and what they say about folders that are no results.

use serde_json::Value;

use crate::support::{PLAIN, Place, RANDOM};

/// A folder with the results `a` and `b`, which differ in the buffer.
fn two_results(test: &str) -> Place {
    let place = Place::with(test, RANDOM);
    let run = "run scenario.toml --seeds 3 --record tcp,ports --out";
    place.run(&format!("{run} a")).exits_with(0);
    place.run(&format!("{run} b --set 'queue.buffer=200 cells'")).exits_with(0);
    place
}

#[test]
fn a_report_has_tables_plots_and_the_way_to_repeat_it() {
    let place = two_results("report");
    let report = place.run("report a").exits_with(0);
    assert_eq!((report.stdout.as_str(), report.stderr.as_str()), ("", "report in a/report.html\n"));
    let html = place.read("a/report.html");
    for part in [
        "<figure class=\"chart\" id=\"cwnd\">",
        "<figure class=\"chart low\" id=\"queue\">",
        "ackclock run scenario.toml --seeds 3 --record tcp,ports --out a",
        "seeds 1 to 3",
        "buffer = &quot;60 cells&quot;",
    ] {
        assert!(html.contains(part), "no {part}");
    }
    // Once more, in place of the first; and of another seed, elsewhere.
    place.run("report a").exits_with(0);
    place.run("report a/result.json --seed 2 --out second.html").exits_with(0);
    assert!(place.read("second.html").contains("that of seed 2"));
    assert_eq!(place.names(), ["a", "b", "scenario.toml", "second.html"]);
    // The folder is a result folder still.
    place.run("run scenario.toml --out a").exits_with(0);
}

#[test]
fn a_result_without_tables_has_a_report_that_says_how_to_have_plots() {
    let place = Place::with("report-plain", PLAIN);
    place.run("run scenario.toml --out a").exits_with(0);
    place.run("report a").exits_with(0).says(&["no plots", "--record tcp,ports"]);
    assert!(place.read("a/report.html").contains("--record tcp,ports"));
}

#[test]
fn a_comparison_is_printed_and_drawn() {
    let place = two_results("compare");
    let compare = place.run("compare a b").exits_with(0);
    assert_eq!(compare.stderr, "report in comparison.html\n");
    compare.prints(&["\nminus a  seeds "]);
    let title = "rate 10 Mbps, trunk delay 2 ms, access delay 5 us: 0.3 s simulated, of which the first 0.05 s (warm-up) are left out\n";
    assert!(compare.stdout.starts_with(title), "{}", compare.stdout);
    assert!(compare.stdout.is_ascii() && compare.stdout.lines().all(|line| line.len() <= 130), "{}", compare.stdout);
    let html = place.read("comparison.html");
    assert!(html.contains("+ buffer = &quot;200 cells&quot;"));
    // Each result by itself, and both over each other.
    for id in ["queue-of-0", "queue-of-1", "cwnd-of-0", "cwnd-of-1", "queue", "cwnd"] {
        assert!(html.contains(&format!("id=\"{id}\">")), "no {id}");
    }

    let json = place.run("compare a b --json --metric cwnd --out x/y.html").exits_with(0);
    let value: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&value["format"], &value["same_seeds"]), (&"ackclock-comparison".into(), &true.into()));
    assert_eq!(value["results"][1]["label"], "b");
    assert!(place.read("x/y.html").contains("id=\"cwnd\""));
}

#[test]
fn seeds_that_are_not_common_are_mentioned() {
    let place = Place::with("compare-seeds", RANDOM);
    place.run("run scenario.toml --seeds 2 --out a").exits_with(0);
    place.run("run scenario.toml --set seed=7 --out b").exits_with(0);
    place.run("compare a b").exits_with(0).says(&["No seed is common to all results"]).prints(&["no common seed"]);
}

#[test]
fn folders_that_are_no_results_are_refused_with_a_remedy() {
    let place = two_results("report-refused");
    place.write("notes/thesis.tex", "years of work");
    place.write("damaged/result.json", &place.read("a/result.json")[..500]);
    place.write("other/result.json", "{\"format\": \"something\"}");
    for (folder, says) in [
        ("nowhere", "there is no folder `nowhere`"),
        ("notes", "`notes` has no result"),
        ("damaged", "`damaged/result.json` is damaged"),
        ("other", "`other/result.json` is not a result"),
    ] {
        place.run(&["report", folder]).exits_with(1).says(&[says]);
        place.run(&["compare", "a", folder]).exits_with(1).says(&[says]);
    }
    place.run("compare a").exits_with(2);
    place.run("report a --seed 9").exits_with(2).says(&["no run of this seed", "there are: 1, 2, 3"]);
    place.run("compare a b --metric vc-queue").exits_with(1).says(&["none of the results has recorded"]);
    assert_eq!(place.names(), ["a", "b", "damaged", "notes", "other", "scenario.toml"]);
}

#[test]
fn damaged_tables_make_no_report() {
    let place = two_results("report-damaged");
    place.write("a/tables/seed-1/cwnd.parquet", "cut");
    place.run("report a").exits_with(1).says(&["cwnd.parquet"]);
    assert!(!place.path("a/report.html").exists());
    // Plots that the scenario has asked for are not left out without a word.
    std::fs::remove_dir_all(place.path("a/tables")).unwrap();
    for command in [&["report", "a"][..], &["compare", "b", "a"]] {
        place.run(command).exits_with(1).says(&["`a/tables/seed-1/index.json` is missing", "run the scenario again"]);
    }
    assert!(!place.path("a/report.html").exists() && !place.path("comparison.html").exists());
}

#[test]
fn files_of_others_are_not_replaced() {
    let place = two_results("report-foreign");
    place.write("thesis.html", "<html>years of work</html>");
    place.run("report a --out thesis.html").exits_with(1).says(&["is not a report", "--out FILE"]);
    place.run("compare a b --out thesis.html").exits_with(1).prints(&["result"]);
    assert_eq!(place.read("thesis.html"), "<html>years of work</html>");
    place.run("report a --out a").exits_with(1);
}

/// From 2 to 4 s the acknowledgements of a flow do not pass the router that would change them.
#[test]
fn a_report_repeats_warnings_and_marks_changes_of_routes() {
    let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/rate-control/route-change.toml");
    let place = Place::with("report-routes", &std::fs::read_to_string(scenario).unwrap());
    let run = place.run("run scenario.toml --set 'duration=4.5 s' --out a").exits_with(0);
    run.prints(&["route-changed"]);
    place.run("report a").exits_with(0);
    let html = place.read("a/report.html");
    for part in [
        "From 2 s on the acknowledgements of f do not pass the router of the port r1-&gt;r2: then this feedback has no effect",
        "f2 &gt; r4 &gt; r3 &gt; s &gt; f1",
        "[2.0,\"route f2 to f1 changes\"],[4.0,\"route f2 to f1 changes\"]",
    ] {
        assert!(html.contains(part), "no {part}");
    }
    // Another result of the same scenario says the same, and one without the change nothing.
    place.run("rerun a").exits_with(0);
    place.run("run scenario.toml --set flow.f.back_route_changes=[] --out b").exits_with(0);
    place.run("report b").exits_with(0);
    assert!(!place.read("b/report.html").contains("do not pass"));
}
