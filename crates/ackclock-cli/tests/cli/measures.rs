//! A measure is one number: `run`, `compare` and `sweep` give the same bits of it, for random scenarios.

use ackclock::measure::{Combine, OF_RUNS};
use serde_json::Value;

use crate::support::Place;

/// Of flows, groups and times, beside all numbers of the network.
const ASKED: &[&str] = &[
    "goodput(f1)",
    "sent",
    "jain(sent)",
    "share(goodput: camp)",
    "ratio(goodput: f1 / f2)",
    "needless",
    "p95(one-way-delay)",
    "mean(round-trip: f1)",
    "largest(queue)",
    "sum(drops)",
    "jain(goodput, whole run)",
];

/// What `compare` shows anyway, and the name that it has there.
const COMPARED: &[(&str, &str)] = &[
    ("efficiency", "efficiency"),
    ("fairness", "fairness"),
    ("goodput_bps", "goodput_bps"),
    ("queueing_delay_s", "queueing_delay_mean_s"),
    ("mean_queue", "mean_queue"),
    ("drops", "sum(drops)"),
    ("lost_on_links", "lost_on_links"),
    ("udp_loss", "udp_loss"),
    ("retransmissions", "retransmissions"),
    ("timeouts", "timeouts"),
];

/// One of many: topology, buffer, loss, datagrams and warm-up are drawn.
fn scenario(case: u64) -> String {
    let mut state = case.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    let mut below = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let (flows, buffer) = (2 + below(3), 3 + below(30));
    let warmup = [0, 100, 150][below(3) as usize];
    let network = match below(3) {
        0 => "topology = \"n-source\"\nrate = \"10 Mbps\"\naccess_delay = \"5 us\"\ntrunk_delay = \"2 ms\"".to_owned(),
        _ => format!(
            "technology = \"packet\"\ntopology = \"dumbbell\"\naccess_rate = \"100 Mbps\"\naccess_delay = \"1 ms\"\n\
             bottleneck_rate = \"{} Mbps\"\nbottleneck_delay = \"{} ms\"",
            2 + below(9),
            1 + below(20)
        ),
    };
    let is_packets = network.contains("packet");
    let unit = if is_packets { "packets" } else { "cells" };
    let mut text = format!(
        "duration = \"{} ms\"\nwarmup = \"{warmup} ms\"\nseed = {}\n[network]\nsources = {flows}\n{network}\n[queue]\n\
         buffer = \"{} {unit}\"\n[flow.f1]\ngroup = \"camp\"\n",
        300 + 100 * below(4),
        1 + below(1000),
        if is_packets { buffer } else { 20 * buffer },
    );
    if is_packets && below(2) == 0 {
        text += "[link.\"sw1->sw2\"]\nerrors = { model = \"uniform\", rate = 0.02, applies_to = \"data\" }\n";
    }
    if is_packets && below(2) == 0 {
        text += "[udp.u1]\nfrom = \"s1\"\nto = \"d1\"\nrate = \"1 Mbps\"\n";
    }
    text
}

/// The column of a measure: its words, joined.
fn column(measure: &str) -> String {
    let words = measure.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

/// The options that ask for measures.
fn of_measures<'a>(measures: impl Iterator<Item = &'a str>) -> String {
    measures.map(|measure| format!("--measure '{measure}' ")).collect()
}

#[test]
fn commands_agree_on_every_measure_to_the_bit() {
    let cases = std::env::var("MEASURE_CASES").map_or(12, |cases| cases.parse().unwrap());
    let measures: Vec<&str> = OF_RUNS.iter().map(|measure| measure.name).chain(ASKED.iter().copied()).collect();
    let asked = of_measures(ASKED.iter().copied());
    let mut known = 0;
    for case in 0..cases {
        let place = Place::with("measures", &scenario(case));
        place.run(&format!("sweep scenario.toml --out swept {asked}")).exits_with(0);
        let table = place.read("swept/table.csv");
        let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let (names, row) = (lines.next().unwrap(), lines.next().unwrap());
        let swept = |measure: &str| -> Option<f64> {
            // A column that no run has a value for is not there.
            let column = names.iter().position(|name| *name == column(measure))?;
            Some(row[column]).filter(|text| !text.is_empty()).map(|text| text.parse().unwrap())
        };
        let command = format!("run scenario.toml --delays --json --out ran {}", of_measures(measures.iter().copied()));
        let ran = place.run(&command).exits_with(0).json()["runs"][0]["measures"].take();
        let compared = place.run("compare ran ran --json").exits_with(0).json();
        let compared = |measure: &str| {
            let all = compared["results"][0]["measures"].as_array().unwrap();
            all.iter().find(|one| one["measure"] == measure).map(|one| one["values"][0].as_f64().unwrap())
        };
        for measure in &measures {
            let of_run = ran[*measure].as_f64();
            assert!(ran.get(*measure).is_some_and(|value| value.is_null() == of_run.is_none()), "{measure}");
            assert_eq!(
                (swept(measure), compared(measure)),
                (of_run, of_run),
                "{measure} in case {case}:\n{}",
                scenario(case)
            );
            known += u32::from(of_run.is_some());
        }
        for (name, measure) in COMPARED {
            // Delays and loss have no value where nothing passed; then `compare` has none either.
            assert_eq!(compared(name), ran[*measure].as_f64(), "{name} in case {case}:\n{}", scenario(case));
        }
    }
    assert!(f64::from(known) > 0.7 * f64::from(cases as u32) * measures.len() as f64, "{known} values are few");
}

/// By hand from the document: goodput of the flows, and what of it the group has.
#[test]
fn a_run_keeps_the_measures_that_are_asked_for() {
    let place = Place::with("run-measures", &scenario(1));
    let asked = "--measure 'share(goodput: camp)' --measure jain(goodput)";
    let outcome = place.run(&format!("run scenario.toml --seeds 2 --out one {asked}")).exits_with(0);
    outcome.prints(&["share(goodput: camp)", "jain(goodput)"]);
    let document: Value = serde_json::from_str(&place.read("one/result.json")).unwrap();
    let has_warmup = document["scenario"]["warmup_s"].as_f64() != Some(0.0);
    let key = if has_warmup { "goodput_after_warmup_bps" } else { "goodput_bps" };
    for run in document["runs"].as_array().unwrap() {
        let goodput: Vec<f64> =
            run["flows"].as_array().unwrap().iter().map(|flow| flow[key].as_f64().unwrap()).collect();
        let of_udp = run["udp"].as_array().unwrap().iter();
        let of_udp = of_udp
            .map(|source| if has_warmup { &source["after_warmup"] } else { source }["goodput_bps"].as_f64().unwrap());
        let all: f64 = goodput.iter().copied().chain(of_udp).sum();
        assert_eq!(run["measures"]["share(goodput: camp)"].as_f64(), Some(goodput[0] / all));
        assert_eq!(run["measures"]["jain(goodput)"].as_f64(), Combine::Jain.of(&goodput));
    }
    assert!(document["summary"]["measures"]["jain(goodput)"]["mean"].is_number());
    // The same again; and beside another result only the one that is named.
    place.run("rerun one").exits_with(0);
    place.run(&format!("run scenario.toml --set 'queue.buffer=2 packets' --out two --seeds 2 {asked}"));
    let text = place.run("compare one one --measure jain(goodput)").exits_with(0).stdout;
    assert!(text.contains("jain(goodput)") && !text.contains("share(goodput: camp)"), "{text}");
    let page = place.read("comparison.html");
    assert!(page.contains("jain(goodput)</th>") && !page.contains("share(goodput: camp)</th>"));
}

#[test]
fn measures_that_have_no_meaning_are_refused_before_the_run() {
    let place = Place::with("run-no-measure", &scenario(1));
    for (measure, wrong, help) in [
        ("godput(f1)", "there is no measure `godput`", "did you mean `goodput`?"),
        ("goodput(f9)", "is called `f9`", "did you mean `f"),
        ("cwnd(f1, 0.1 to 0.2 s)", "this measure needs `cwnd` over time", "add \"cwnd\" to `record`"),
        ("p95(round-trip)", "this measure needs the delays", "set delays = true"),
        ("share(goodput: new)", "nothing of which there is such a number is called `new`", ""),
        ("queue(f1)", "`f1` has no such number", "docs/measures.md"),
        ("timeouts(f1, 0.2 to 9 s)", "the measure has no value in this part", "it ends after the run"),
        ("timeouts(f1, 5 to 2 s)", "`5 to 2 s` is no part of a run", ""),
        ("jain(goodput: camp 1 f2 2)", "`camp` has no such number", ""),
        ("jain(goodput: f1 0 f2 1)", "each once with a whole number from 1 on", ""),
    ] {
        let outcome = place.run(&["run", "scenario.toml", "--out", "no", "--measure", measure]).exits_with(3);
        outcome.warns(&[wrong, help]);
        assert!(outcome.stderr.contains("measure:1:") && !place.path("no").exists());
    }
    place.run("run scenario.toml --out ran").exits_with(0);
    let outcome = place.run("compare ran ran --measure jain(sent)").exits_with(1);
    outcome.warns(&["none of the results was run with the measure `jain(sent)`"]);
    outcome.warns(&["run each again with --measure 'jain(sent)'"]);
}

/// What was kept before stays whole where another measure is asked for, and a sweep records what its measures need.
#[test]
fn sweeps_with_measures_are_intact_and_can_be_merged() {
    let place = Place::with("sweep-measures", &scenario(1));
    let sweep = |folder: &str, measures: &[&str]| {
        let asked = of_measures(measures.iter().copied());
        place.run(&format!("sweep scenario.toml --seeds 2 --out {folder} {asked}")).exits_with(0)
    };
    sweep("kept", &["jain(goodput)"]);
    place.run("verify kept").exits_with(0);
    let said = sweep("kept", &["share(goodput: camp)", "completion"]).stderr;
    assert!(said.contains("no run has a value of completion"), "{said}");
    let table = place.read("kept/table.csv");
    assert!(table.lines().next().unwrap().contains("share_goodput_camp"), "{table}");
    place.run("verify kept").exits_with(0);
    place.run("merge kept --out merged").exits_with(0);
    assert_eq!(place.read("merged/table.csv"), table);
    // What is recorded is part of the scenario: a folder of its own.
    sweep("recorded", &["cwnd(f1, 0.1 to 0.2 s)"]);
    let table = place.read("recorded/table.csv");
    assert!(table.lines().next().unwrap().contains("cwnd_f1_0_1_to_0_2_s"), "{table}");
    place.run("verify recorded").exits_with(0);
    place.run("sweep scenario.toml --seeds 2 --out other").exits_with(0);
    let refused = place.run("merge kept other --out both");
    assert!(
        refused.code == 1 && refused.stderr.contains("with other measures than the first folder"),
        "{}",
        refused.stderr
    );
}

#[test]
fn many_measures_take_no_lines_from_flows_and_ports() {
    let place = Place::with("many-measures", &scenario(1));
    let names = [
        "goodput",
        "sent",
        "sent-once",
        "timeouts",
        "needless",
        "lost",
        "ratio(timeouts: f1 / f2)",
        "drops",
        "queue",
        "jain(sent)",
    ];
    let table =
        place.run(&format!("run scenario.toml --out ran {}", of_measures(names.into_iter()))).exits_with(0).stdout;
    let rows = |text: &str| text.lines().filter(|line| !names.iter().any(|name| line.starts_with(name))).count();
    let plain = place.run("run scenario.toml --out plain").exits_with(0).stdout;
    // An empty line and a header more; a measure that has no value is `-`, with the number of runs.
    assert_eq!(rows(&table), rows(&plain) + 2, "{table}");
    assert!(table.contains("0 of 1") && table.contains("1 of 1"), "{table}");
}

#[test]
fn a_group_has_a_name_of_its_own() {
    for (group, wrong) in
        [("a b", "cannot be the name of a group"), ("f2", "there is a flow or a source called `f2`, too")]
    {
        let place = Place::with("groups", &scenario(1).replace("\"camp\"", &format!("{group:?}")));
        let outcome = place.run("check scenario.toml").exits_with(3);
        outcome.warns(&[wrong]);
    }
}
