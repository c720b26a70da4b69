//! A small made-up study with made-up measurements, for tests by theme; the data of the real studies.

mod axis_plots;
mod comparisons;
mod experiments;
mod headlines;
mod judged_again;
mod live;
mod pages;
mod planning;
mod predicates;
mod studies;
mod verdicts;

use std::collections::BTreeMap;

use ackclock::measure::Combine;

use crate::data::Point;
use crate::measure::Row;
use crate::plan::Scope;
use crate::study::Study;
use crate::{Error, Report, Selection};

const HEAD: &str = r#"
title = "A made-up study"
citation = "Nowhere, 1997."
seeds = 4
quick_seeds = 2
sensitivity_seeds = 3
capacity_mbps = 100
remarks = ["Its text contradicts its table."]
card = [
    { id = "t1", title = "Table 1: efficiency", table = "t1.toml" },
    { id = "checks", title = "Claims without a table", seeds = 1 },
]
[[axis]]
name = "net"
values = [{ name = "lan", scenario = "lan.toml" }]
[[axis]]
name = "k"
values = [{ name = "1000", set = ["queue.buffer=1000 cells"] }, { name = "3000", set = ["queue.buffer=3000 cells"] }]
[[axis]]
name = "tcp"
values = [{ name = "reno", set = ["tcp.recovery=reno"] }, { name = "sack", set = ["tcp.recovery=fall-floyd"] }]
"#;

const TABLE: &str = r#"
quantity = "Goodput of all flows, of 100 Mb/s"
metric = "efficiency"
beside = [{ label = "of 200", capacity_mbps = 200 }, { label = "after 1 s", capacity_mbps = 100, after_warmup = true }]
tolerance = [{ name = "level", value = 0.05, reason = "Because." }]
column = [{ label = "Reno", at = { tcp = "reno" } }, { label = "SACK", at = { tcp = "sack" } }]
[[row]]
label = "K=1000"
at = { net = "lan", k = "1000" }
published = [0.55, 0.97]
tolerance = ["level", "level"]
quick = true
[[row]]
label = "K=3000"
at = { net = "lan", k = "3000" }
published = [0.50, 0.60]
tolerance = ["level", "level"]
[[row]]
label = "mean"
at = { net = "lan", k = ["1000", "3000"] }
published = [0.52, 0.78]
tolerance = ["level", "level"]
"#;

const ASSUMPTIONS: &str = r#"
[[assumption]]
id = "tick"
card = "t1"
statement = "Ticks of 100 ms."
mark = "inferred"
reason = "It is not said."
default = "100 ms"
alternative = [{ label = "500 ms", set = ["tcp.tick=500 ms"] }]
[[assumption.on]]
label = "Reno, mean over both buffers"
at = { net = "lan", k = ["1000", "3000"], tcp = "reno" }
[[assumption.on]]
label = "SACK K=1000"
at = { net = "lan", k = "1000", tcp = "sack" }
alternative = [{ label = "RFC 6675", set = ["tcp.recovery=rfc6675"] }]
[[assumption]]
id = "hosts"
card = "t1"
statement = "Hosts need no time."
mark = "literature"
reason = "It was usual."
default = "no time"
"#;

/// K=1000 Reno is .035 off, which is within .05; K=3000 SACK is .12 off.
const FINDINGS: &str = r#"
[[finding]]
id = "F1"
title = "SACK is better here"
text = "With 3000 cells SACK is more efficient than published."
evidence = ["A mean of .72."]
covers = ["t1/K=3000/SACK", "t1/mean/SACK", "claim:wrong"]
[[finding]]
id = "F2"
title = "Something that was different once"
text = "No longer."
evidence = ["None."]
covers = ["t1/K=1000/Reno", "claim:right"]
"#;

const TWO_CLAIMS: &str = r#"
[[claim]]
id = "right"
card = "checks"
text = "There are timeouts."
test.bound = { metric = "timeouts", of = { label = "timeouts", at = { net = "lan" } }, is = ">", value = 0 }
[[claim]]
id = "wrong"
card = "checks"
text = "There are no losses, whatever the buffer."
quick = true
each = []
test.bound = { metric = "sum(drops)", of = { label = "cells lost", at = { net = "lan" } }, is = "==", value = 0 }
"#;

fn study_of(claims: &str, findings: &str) -> Result<Study, Error> {
    study_with(TABLE, claims, findings)
}

fn study_with(table: &str, claims: &str, findings: &str) -> Result<Study, Error> {
    study_from(&[("t1.toml", table), ("claims.toml", claims), ("findings.toml", findings)])
}

/// The study with these files beside those that are always there.
fn study_from(files: &[(&str, &str)]) -> Result<Study, Error> {
    let always = [("study.toml", HEAD), ("t1.toml", TABLE), ("assumptions.toml", ASSUMPTIONS)];
    Study::parse("made-up", &|name| {
        let text = files.iter().chain(&always).find(|(file, _)| *file == name);
        text.map(|(_, text)| (*text).to_owned())
    })
}

/// Reno: .50 to .53 with either buffer. SACK: .955 to .985 with 1000 cells, .70, .74, .70, .74 with 3000.
fn measure(point: &Point, seed: u64) -> Row {
    let has = |set: &str| point.sets.iter().any(|known| known == set);
    let step = 0.01 * (seed as f64 - 1.0);
    let efficiency = match (has("tcp.recovery=reno"), has("queue.buffer=1000 cells")) {
        (true, _) => 0.50 + step,
        (false, true) => 0.955 + step,
        (false, false) => 0.70 + 0.04 * ((seed + 1) % 2) as f64,
    };
    let slow = if has("tcp.tick=500 ms") { 0.8 } else { 1.0 };
    let goodput = [60e6 * efficiency * slow, 40e6 * efficiency * slow];
    let values = [
        ("sum(goodput)", Some(goodput[0] + goodput[1])),
        ("goodput(s1)", Some(goodput[0])),
        ("largest(goodput)", Some(goodput[0])),
        ("fairness", Combine::Jain.of(&goodput)),
        ("sum(goodput, after warm-up)", Some(61e6 * efficiency + 41e6 * efficiency)),
        ("retransmissions(s1)", Some(3.0)),
        ("timeouts", Some(2.0)),
        ("sum(drops)", Some(7.0)),
        ("completed(s1)", None),
        ("longest-round-trip", None),
        ("synchrony", None),
    ];
    Row { queue_unit: "cells".into(), values: values.map(|(name, value)| (name.to_owned(), value)).into(), live: None }
}

impl Scope {
    /// Seeds 1 to this at each point that is needed.
    fn demanded_seeds(&self, study: &Study) -> BTreeMap<Point, u64> {
        self.demand(study).into_iter().map(|(point, demand)| (point, demand.seeds)).collect()
    }
}

pub(crate) fn report_of(study: &Study, selection: &Selection) -> Report {
    let scope = Scope::new(study, selection).unwrap();
    let mut runs = BTreeMap::new();
    for (point, seeds) in scope.demanded_seeds(study) {
        for seed in 1..=seeds {
            runs.insert((point.clone(), seed), measure(&point, seed));
        }
    }
    // A run that was not planned is not there.
    Report::new(study, &scope, &|point, seed| &runs[&(point.clone(), seed)])
}
