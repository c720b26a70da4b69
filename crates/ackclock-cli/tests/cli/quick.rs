//! `quick`: a comparison without a file.

use serde_json::Value;

use crate::support::Place;

const PATH: [&str; 6] = ["quick", "--rate", "2Mbps", "--rtt", "100ms", "--duration=5s"];

fn quick(place: &Place, more: &[&str]) -> crate::support::Outcome {
    place.run(&[&PATH[..], more].concat())
}

#[test]
fn it_prints_a_table_and_a_chart_and_writes_a_report() {
    let place = Place::new("quick");
    let outcome = quick(&place, &["--out", "q"]).exits_with(0);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert!(lines[0].starts_with("2Mbps and 100ms there and back, buffer 1bdp: one flow for 5 s, 5 seeds"));
    for (line, name) in lines[2..6].iter().zip(["vanilla", "reno", "newreno", "sack"]) {
        assert!(line.starts_with(name), "{line}");
    }
    assert!(lines[7].starts_with("cwnd of f1 over 5 s"), "{}", outcome.stdout);
    assert_eq!(lines.len(), 12, "a line of the chart for each TCP");
    assert_eq!(outcome.stderr, "report in q/report.html\n");
    let html = place.read("q/report.html");
    for plot in ["cwnd", "rtt", "sequence", "throughput", "queue"] {
        assert!(html.contains(&format!("<figure class=\"chart\" id=\"{plot}\">")), "no plot of {plot}");
    }
    // Each TCP has a result folder like that of `run`, which other commands take.
    assert!(place.names() == ["q"] && place.path("q/sack/result.json").exists());
    place.run(&["rerun", "q/newreno"]).exits_with(0);
    place.run(&["compare", "q/reno", "q/sack"]).exits_with(0);
}

#[test]
fn throughput_is_shown_per_round_trip() {
    let place = Place::new("quick-interval");
    let interval = |rtt: &str, more: &[&str], expected: &str| {
        let arguments = ["quick", "--rate=2Mbps", "--rtt", rtt, "--duration=5s", "--seeds=1", "--tcp=reno", "--out=q"];
        place.run(&[&arguments[..], more].concat()).exits_with(0);
        let scenario = place.read("q/reno/scenario.toml");
        assert!(scenario.contains(&format!("record_interval = \"{expected}\"\n")), "{rtt}: {scenario}");
    };
    interval("550ms", &[], "550 ms");
    interval("10ms", &[], "100 ms");
    interval("550ms", &["--set", "record_interval=20ms"], "20 ms");
}

#[test]
fn the_same_command_gives_the_same_in_the_same_folder() {
    let place = Place::new("quick-twice");
    let first = quick(&place, &["--tcp", "reno,sack"]).exits_with(0);
    let folder = first.stderr.trim_end().strip_prefix("report in ").unwrap().to_owned();
    let report = place.read(&folder);
    let second = quick(&place, &["--tcp", "reno,sack"]).exits_with(0);
    assert_eq!((&first.stdout, &first.stderr), (&second.stdout, &second.stderr));
    assert_eq!(report, place.read(&folder));
}

#[test]
fn one_tcp_has_a_report_of_its_own_and_several_flows_a_fairness() {
    let place = Place::new("quick-one");
    let outcome = quick(&place, &["--tcp", "new-reno", "--flows", "3", "--seeds", "2", "--out", "q"]).exits_with(0);
    assert!(outcome.stdout.contains("3 flows") && outcome.stdout.contains("fairness"), "{}", outcome.stdout);
    assert!(place.read("q/report.html").contains("Run report"));
}

#[test]
fn every_tcp_runs_with_the_recovery_that_goes_with_its_growth() {
    let place = Place::new("quick-every");
    let all = [
        ("rack", "rack", "reno"),
        ("cubic", "rfc6675", "cubic"),
        ("bbr1", "rfc6675", "bbr1"),
        ("bbr3", "rfc6675", "bbr3"),
        ("vegas", "vegas", "vegas"),
        ("vegas-1995", "vegas-1995", "vegas-1995"),
        ("vegas-a", "vegas", "vegas-a"),
        ("vegas-linux", "rfc6675", "vegas-linux"),
        ("vegas-plus", "vegas", "vegas-plus"),
    ];
    let names: Vec<&str> = all.iter().map(|(name, ..)| *name).collect();
    let outcome = quick(&place, &["--seeds", "1", "--out", "q", "--tcp", &names.join(",")]).exits_with(0);
    for (line, (name, recovery, growth)) in outcome.stdout.lines().skip(2).zip(all) {
        let mut words = line.split_whitespace();
        assert_eq!(words.next(), Some(name), "{line}");
        let rate: f64 = words.next().unwrap().parse().unwrap();
        assert!(rate > 0.5, "{name} carries nearly nothing: {line}");
        let scenario = place.read(&format!("q/{name}/scenario.toml"));
        for (key, word) in [("recovery", recovery), ("growth", growth)] {
            assert!(scenario.contains(&format!("{key} = \"{word}\"\n")), "{name}: {scenario}");
        }
    }
}

#[test]
fn terminals_without_unicode_get_ascii() {
    let place = Place::new("quick-ascii");
    let run = |language: &str| {
        let mut command = place.command(&[&PATH[..], &["--tcp", "reno", "--seeds", "1"]].concat());
        let output = command.env_remove("LC_ALL").env_remove("LC_CTYPE").env("LANG", language).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(run("C").is_ascii());
    assert!(run("en_US.UTF-8").contains('▁'));
}

#[test]
fn it_prints_one_json_document_if_asked_to() {
    let place = Place::new("quick-json");
    let json = quick(&place, &["--tcp", "reno,sack", "--json"]).exits_with(0).stdout;
    let document: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["results"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_wrong_is_said_before_anything_is_run() {
    let place = Place::new("quick-wrong");
    for (arguments, code, words) in [
        (&["--tcp", "renno"][..], 2, &["unknown TCP `renno`", "did you mean `reno`?"][..]),
        (&["--tcp", "compound"], 2, &["unknown TCP `compound`", "known: vanilla, reno, newreno, sack"]),
        (&["--rate", "2"], 2, &["--rate 2", "Mbps"]),
        (&["--rtt", "1us"], 2, &["--rtt 1us is too short"]),
        (&["--rtt", "fast"], 2, &["--rtt fast", "expected a time"]),
        (&["--buffer", "many"], 3, &["buffer", "many"]),
        (&["--set", "tcp.mss=0 B"], 3, &["mss"]),
        (&["--flows", "0"], 2, &["--flows"]),
    ] {
        // The last value of an option counts.
        let base: Vec<&str> = match arguments[0] {
            "--rate" => vec!["quick", "--rtt", "100ms"],
            "--rtt" => vec!["quick", "--rate", "2Mbps"],
            _ => PATH.to_vec(),
        };
        let outcome = place.run(&[&base[..], arguments].concat()).exits_with(code);
        for word in words {
            assert!(outcome.stderr.contains(word), "{arguments:?}: {}", outcome.stderr);
        }
        assert!(place.names().is_empty(), "{arguments:?} left something behind");
    }
}
