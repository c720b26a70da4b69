//! A small made-up study with made-up measurements: predicates, verdicts, planning, rendering. Then the real studies'
//! data.

use std::collections::BTreeMap;

use crate::data::{Card, Finding, Point};
use crate::measure::Measurement;
use crate::plan::Scope;
use crate::study::Study;
use crate::{Error, Report, Selection, Verdict, names};

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

/// Each claim with whether it holds for the measurements of [`measure`].
const CLAIMS: &[(bool, &str)] = &[
    (
        true,
        r#"order = { metric = "efficiency", is = "<", of = [{ label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, { label = "SACK", at = { net = "lan", k = "1000", tcp = "sack" } }] }"#,
    ),
    (
        false,
        r#"order = { metric = "efficiency", is = ">=", of = [{ label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, { label = "SACK", at = { net = "lan", k = "1000", tcp = "sack" } }] }"#,
    ),
    // Equal quantities: at least, but not more.
    (
        true,
        r#"order = { metric = "timeouts", is = ">=", of = [{ label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, { label = "SACK", at = { net = "lan", k = "1000", tcp = "sack" } }] }"#,
    ),
    (
        false,
        r#"order = { metric = "timeouts", is = ">", of = [{ label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, { label = "SACK", at = { net = "lan", k = "1000", tcp = "sack" } }] }"#,
    ),
    // With a resolution, what is closer is equal: .515 and .97 are .455 apart.
    (
        false,
        r#"order = { metric = "efficiency", is = "<", resolution = 0.46, of = [{ label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, { label = "SACK", at = { net = "lan", k = "1000", tcp = "sack" } }] }"#,
    ),
    (
        true,
        r#"order = { metric = "efficiency", is = ">=", resolution = 0.46, of = [{ label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, { label = "SACK", at = { net = "lan", k = "1000", tcp = "sack" } }] }"#,
    ),
    (
        false,
        r#"order = { metric = "efficiency", is = ">=", resolution = 0.45, of = [{ label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, { label = "SACK", at = { net = "lan", k = "1000", tcp = "sack" } }] }"#,
    ),
    // Spread over TCP: K=1000 .97 - .515, K=3000 .72 - .515
    (
        true,
        r#"order = { metric = "efficiency", is = ">", of = [{ label = "spread K=1000", at = { net = "lan", k = "1000", tcp = ["reno", "sack"] }, spread_over = "tcp" }, { label = "spread K=3000", at = { net = "lan", k = "3000", tcp = ["reno", "sack"] }, spread_over = "tcp" }] }"#,
    ),
    (
        true,
        r#"bound = { metric = "efficiency", of = { label = "spread", at = { net = "lan", k = "3000", tcp = ["reno", "sack"] }, spread_over = "tcp" }, is = "<", value = 0.21 }"#,
    ),
    (
        false,
        r#"bound = { metric = "efficiency", of = { label = "spread", at = { net = "lan", k = "3000", tcp = ["reno", "sack"] }, spread_over = "tcp" }, is = "<", value = 0.2 }"#,
    ),
    // The mean of .97 and .72 is above .8, but not every point is.
    (
        true,
        r#"bound = { metric = "efficiency", of = { label = "SACK", at = { net = "lan", k = ["1000", "3000"], tcp = "sack" } }, is = ">=", value = 0.8 }"#,
    ),
    (
        false,
        r#"bound = { metric = "efficiency", over = "every-point", of = { label = "SACK", at = { net = "lan", k = ["1000", "3000"], tcp = "sack" } }, is = ">=", value = 0.8 }"#,
    ),
    // Seeds 1 to 4 of Reno give .50 to .53: a mean above .51, but not every run.
    (
        true,
        r#"bound = { metric = "efficiency", over = "every-point", of = { label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, is = ">", value = 0.51 }"#,
    ),
    (
        false,
        r#"bound = { metric = "efficiency", over = "every-run", of = { label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, is = ">", value = 0.51 }"#,
    ),
    (
        true,
        r#"bound = { metric = "timeouts", over = "every-run", of = { label = "timeouts", at = { net = "lan", k = "1000", tcp = "reno" } }, is = "==", value = 2 }"#,
    ),
    (
        false,
        r#"bound = { metric = "timeouts", over = "every-run", of = { label = "timeouts", at = { net = "lan", k = "1000", tcp = "reno" } }, is = "==", value = 1 }"#,
    ),
    // Both grow alike with the seed, so that the difference of .455 has no variance at all.
    (
        true,
        r#"difference = { metric = "efficiency", of = { label = "SACK", at = { net = "lan", k = "1000", tcp = "sack" } }, minus = { label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, is = ">=", value = 0.454, confident = true }"#,
    ),
    // Mean .205 above .2; the interval of K=3000 begins below it.
    (
        true,
        r#"difference = { metric = "efficiency", of = { label = "SACK", at = { net = "lan", k = "3000", tcp = "sack" } }, minus = { label = "Reno", at = { net = "lan", k = "3000", tcp = "reno" } }, is = ">", value = 0.2 }"#,
    ),
    (
        false,
        r#"difference = { metric = "efficiency", of = { label = "SACK", at = { net = "lan", k = "3000", tcp = "sack" } }, minus = { label = "Reno", at = { net = "lan", k = "3000", tcp = "reno" } }, is = ">", value = 0.2, confident = true }"#,
    ),
    // Reno's seeds are .50 to .53, SACK's with 3000 cells .70, .74, .70, .74: medians .515 and .72.
    (
        true,
        r#"within = { metric = "efficiency", of = { label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, from = 0.5, to = 0.52 }"#,
    ),
    (
        false,
        r#"within = { metric = "efficiency", of = { label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, from = 0.52, to = 0.6 }"#,
    ),
    (
        true,
        r#"within = { metric = "efficiency", of = { label = "SACK", at = { net = "lan", k = "3000", tcp = "sack" }, statistic = "median" }, from = 0.7199, to = 0.7201 }"#,
    ),
    // .97 over .515 is 1.883.
    (
        true,
        r#"quotient = { metric = "efficiency", of = { label = "SACK", at = { net = "lan", k = "1000", tcp = "sack" } }, by = { label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, at_least = 1.88, at_most = 1.89 }"#,
    ),
    (
        false,
        r#"quotient = { metric = "efficiency", of = { label = "SACK", at = { net = "lan", k = "1000", tcp = "sack" } }, by = { label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, at_least = 1.89 }"#,
    ),
    (
        false,
        r#"quotient = { metric = "efficiency", of = { label = "SACK", at = { net = "lan", k = "1000", tcp = "sack" } }, by = { label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, at_most = 1.88 }"#,
    ),
    // .20, .23, .18 and .21: three of four.
    (
        true,
        r#"pairs = { metric = "efficiency", of = { label = "SACK", at = { net = "lan", k = "3000", tcp = "sack" } }, minus = { label = "Reno", at = { net = "lan", k = "3000", tcp = "reno" } }, is = ">", value = 0.19, share = 0.75 }"#,
    ),
    (
        false,
        r#"pairs = { metric = "efficiency", of = { label = "SACK", at = { net = "lan", k = "3000", tcp = "sack" } }, minus = { label = "Reno", at = { net = "lan", k = "3000", tcp = "reno" } }, is = ">", value = 0.19, share = 0.76 }"#,
    ),
    // Flow 2 has no timeouts: the metric has no meaning anywhere.
    (
        false,
        r#"difference = { metric = "synchrony", of = { label = "SACK", at = { net = "lan", k = "1000", tcp = "sack" } }, minus = { label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, is = "<=", value = 1 }"#,
    ),
    (
        false,
        r#"bound = { metric = "synchrony", of = { label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } }, is = "<=", value = 1 }"#,
    ),
];

fn claims() -> String {
    let claim = |(i, (holds, test)): (usize, &(bool, &str))| {
        format!(
            "[[claim]]\nid = \"c{i}\"\ncard = \"t1\"\ntext = \"Claim {i}, which is {holds}.\"\n[claim.test]\n{test}\n"
        )
    };
    CLAIMS.iter().enumerate().map(claim).collect()
}

fn study_of(claims: &str, findings: &str) -> Result<Study, Error> {
    study_with(TABLE, claims, findings)
}

fn study_with(table: &str, claims: &str, findings: &str) -> Result<Study, Error> {
    Study::parse("made-up", &|file| {
        let text = match file {
            "study.toml" => HEAD,
            "t1.toml" => table,
            "claims.toml" => claims,
            "assumptions.toml" => ASSUMPTIONS,
            "findings.toml" => findings,
            _ => return None,
        };
        Some(text.into())
    })
}

/// Reno: .50 to .53 with either buffer. SACK: .955 to .985 with 1000 cells, .70, .74, .70, .74 with 3000.
fn measure(point: &Point, seed: u64) -> Measurement {
    let has = |set: &str| point.sets.iter().any(|known| known == set);
    let step = 0.01 * (seed as f64 - 1.0);
    let efficiency = match (has("tcp.recovery=reno"), has("queue.buffer=1000 cells")) {
        (true, _) => 0.50 + step,
        (false, true) => 0.955 + step,
        (false, false) => 0.70 + 0.04 * ((seed + 1) % 2) as f64,
    };
    let slow = if has("tcp.tick=500 ms") { 0.8 } else { 1.0 };
    Measurement {
        seconds: 10.0,
        goodput_bps: vec![60e6 * efficiency * slow, 40e6 * efficiency * slow],
        goodput_after_warmup_bps: vec![61e6 * efficiency, 41e6 * efficiency],
        fast_retransmits: vec![1, 0],
        retransmissions: vec![3, 0],
        unnecessary: vec![1, 0],
        last_sack: vec![None, None],
        longest_backoff: vec![1, 0],
        timeouts_ms: vec![vec![500, 900], vec![]],
        drops: 7,
        flows: vec!["s1".into(), "s2".into()],
        start: vec![0.0, 0.0],
        mss: vec![1000, 1000],
        bytes_sent: vec![10_000_000, 5_000_000],
        segments_sent: vec![10_000, 5_000],
        lost: vec![3, 0],
        completed: vec![None, None],
        ..Measurement::default()
    }
}

fn report_of(study: &Study, selection: &Selection) -> Report {
    let scope = Scope::new(study, selection).unwrap();
    let mut runs = BTreeMap::new();
    for (point, seeds) in scope.demand(study) {
        for seed in 1..=seeds {
            runs.insert((point.clone(), seed), measure(&point, seed));
        }
    }
    // A run that was not planned is not there.
    Report::new(study, &scope, &|point, seed| &runs[&(point.clone(), seed)])
}

#[test]
fn every_kind_of_predicate_holds_and_fails() {
    let study = study_of(&claims(), "").unwrap();
    let report = report_of(&study, &Selection::default());
    for (claim, (holds, test)) in report.cards[0].claims.iter().zip(CLAIMS) {
        assert_eq!(claim.holds, *holds, "{test}\n{}", claim.evidence);
    }
}

/// Reno gives .50 to .53 with 1000 cells, and with 3000: mean .515, standard deviation sqrt(10 . 1e-4 / 7) = .01195. SACK
/// .955 to .985 and .70 or .74: mean .845 of both, standard deviation sqrt((8 . .125^2 + .0026) / 7) = .1350. The means of
/// both buffers, seed by seed, would lie within .007 of each other.
#[test]
fn a_tolerance_in_deviations_counts_the_runs_of_every_point() {
    let table = TABLE.replace("value = 0.05,", "value = 3, is = \"deviations\",");
    let study = study_with(&table, &claims(), "").unwrap();
    let report = report_of(&study, &Selection::default());
    let cells = &report.cards[0].table.as_ref().unwrap().cells;
    let of_row: Vec<(usize, f64)> =
        cells.iter().filter(|cell| cell.row == "mean").map(|cell| (cell.ours.n, cell.tolerance)).collect();
    let [(8, reno), (8, sack)] = of_row[..] else { panic!("four seeds at two points: {of_row:?}") };
    assert!((reno / 3.0 - 0.01195).abs() < 1e-5 && (sack / 3.0 - 0.1350).abs() < 5e-4, "{reno} {sack}");
}

#[test]
fn one_seed_gives_no_confidence() {
    let study = study_of(&claims(), "").unwrap();
    let report = report_of(&study, &Selection { seeds: Some(1), ..Selection::default() });
    let confident = CLAIMS.iter().position(|(_, test)| test.contains("confident = true")).unwrap();
    assert!(!report.cards[0].claims[confident].holds);
}

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
test.bound = { metric = "drops", of = { label = "cells lost", at = { net = "lan" } }, is = "==", value = 0 }
"#;

fn verdicts(report: &Report) -> BTreeMap<String, Verdict> {
    let mut all = BTreeMap::new();
    for card in &report.cards {
        all.extend(
            card.table.iter().flat_map(|table| &table.cells).map(|cell| (cell.id.clone(), cell.verdict.clone())),
        );
        all.extend(card.claims.iter().map(|claim| (format!("claim:{}", claim.id), claim.verdict.clone())));
    }
    all
}

#[test]
fn a_verdict_compares_what_was_measured_with_what_is_recorded() {
    let study = study_of(TWO_CLAIMS, FINDINGS).unwrap();
    let report = report_of(&study, &Selection::default());
    let verdicts = verdicts(&report);
    assert_eq!(verdicts["t1/K=1000/SACK"], Verdict::Agrees);
    assert_eq!(verdicts["t1/K=3000/SACK"], Verdict::Differs("F1".into()));
    assert_eq!(verdicts["t1/K=1000/Reno"], Verdict::Vanished("F2".into()));
    assert_eq!(verdicts["claim:wrong"], Verdict::Differs("F1".into()));
    assert_eq!(verdicts["claim:right"], Verdict::Vanished("F2".into()));
    assert_eq!(report.tally.vanished, 2);
    assert_eq!(report.tally.failures, 0);
    assert!(!report.passed());

    let unrecorded = report_of(&study_of(TWO_CLAIMS, "").unwrap(), &Selection::default());
    assert_eq!(self::verdicts(&unrecorded)["t1/K=3000/SACK"], Verdict::Fails);
    assert_eq!(unrecorded.tally.failures, 3);
    assert!(!unrecorded.passed());

    let only_true = FINDINGS.split("[[finding]]\nid = \"F2\"").next().unwrap();
    assert!(report_of(&study_of(TWO_CLAIMS, only_true).unwrap(), &Selection::default()).passed());
}

#[test]
fn what_equals_the_tolerance_agrees() {
    // Mean .515 against .55 and .50 with ±.05; the published .565 would be exactly .05 away.
    let study = |published: &str| {
        let mut study = study_of(TWO_CLAIMS, "").unwrap();
        study.tables.get_mut("t1").unwrap().rows[0].published[0] = published.parse().unwrap();
        verdicts(&report_of(&study, &Selection::default()))["t1/K=1000/Reno"].clone()
    };
    assert_eq!(study("0.565"), Verdict::Agrees);
    assert_eq!(study("0.566"), Verdict::Fails);
    assert_eq!(study("0.465"), Verdict::Agrees);
    assert_eq!(study("0.464"), Verdict::Fails);
}

/// Columns of single flows, in units of their own. Seed by seed: 3 segments sent again by the first flow; 30.0, 30.6 ...
/// Mb/s delivered to it.
#[test]
fn a_column_can_have_a_metric_and_a_unit_of_its_own() {
    let table = r#"
quantity = "Of the first flow"
metric = "retransmissions(s1)"
[[tolerance]]
name = "printed"
value = 1
is = "truncated"
reason = "Nothing is random."
[[tolerance]]
name = "runs"
value = 3
is = "deviations"
reason = "Single runs scatter."
[[column]]
label = "again"
at = { tcp = "reno" }
decimals = 0
[[column]]
label = "Mb/s"
at = { tcp = "reno" }
metric = "goodput(s1)"
unit = 1e6
decimals = 1
[[column]]
label = "never"
at = { tcp = "reno" }
metric = "completed(s1)"
[[row]]
label = "K=1000"
at = { net = "lan", k = "1000" }
published = [3, 31.0, 1]
tolerance = ["printed", "runs", "printed"]
"#;
    let report = report_of(&study_with(table, "claim = []", "").unwrap(), &Selection::default());
    let cells = &report.cards[0].table.as_ref().unwrap().cells;
    let of = |cell: &crate::CellReport| (cell.ours.mean, cell.exact, cell.verdict.clone());
    assert_eq!(of(&cells[0]), (3.0, true, Verdict::Agrees));
    assert!((cells[1].ours.mean - 30.9).abs() < 1e-9 && cells[1].verdict == Verdict::Agrees);
    // 3 times the deviation of 30.0, 30.6, 31.2, 31.8.
    assert!((cells[1].tolerance - 3.0 * 0.6_f64.sqrt()).abs() < 1e-9, "the squares of .9 .3 .3 .9 are 1.8 together");
    // A file that was never finished agrees with nothing.
    assert!(cells[2].ours.mean.is_nan() && cells[2].verdict == Verdict::Fails);
    assert_eq!((report.tally.cells_exact, report.tally.cells_exact_agree), (2, 1));
    let text = report.text();
    assert!(text.contains("Exact:  1 of 2 equal every digit that was printed."), "{text}");
}

#[test]
fn a_point_is_planned_once_with_the_most_seeds_that_anything_wants() {
    let study = study_of(TWO_CLAIMS, "").unwrap();
    let demand = Scope::new(&study, &Selection::default()).unwrap().demand(&study);
    // Table: 2 buffers times 2 TCPs, shared with the mean row and the defaults of the assumption. Claims: the bare
    // LAN. Alternatives: 500 ms at three points, RFC 6675 at one.
    assert_eq!(demand.len(), 4 + 1 + 3 + 1);
    let seeds = |sets: &[&str]| {
        let sets = sets.iter().map(|set| set.to_string()).collect();
        demand[&Point { scenario: "made-up/lan.toml".into(), sets }]
    };
    assert_eq!(seeds(&["queue.buffer=1000 cells", "tcp.recovery=reno"]), 4);
    assert_eq!(seeds(&["queue.buffer=1000 cells", "tcp.recovery=reno", "tcp.tick=500 ms"]), 3);
    // The alternative replaces the setting of the axis.
    assert_eq!(seeds(&["queue.buffer=1000 cells", "tcp.recovery=rfc6675"]), 3);
    assert_eq!(seeds(&[]), 1);
}

#[test]
fn the_quick_subset_is_smaller_and_tries_no_alternatives() {
    let study = study_of(TWO_CLAIMS, "").unwrap();
    let quick = Selection { quick: true, ..Selection::default() };
    let demand = Scope::new(&study, &quick).unwrap().demand(&study);
    assert_eq!(demand.values().sum::<u64>(), 2 * 2 + 1);
    let report = report_of(&study, &quick);
    assert_eq!(report.tally.cells, 2);
    assert_eq!(report.tally.claims, 1);
    assert!(report.cards[0].assumptions.iter().all(|assumption| assumption.groups.is_empty()));
}

#[test]
fn a_card_can_be_examined_alone() {
    let study = study_of(TWO_CLAIMS, FINDINGS).unwrap();
    let report = report_of(&study, &Selection { card: Some("checks".into()), ..Selection::default() });
    assert_eq!(report.cards.len(), 1);
    assert_eq!(report.tally.cells, 0);
    // Of a finding, only what was examined is shown.
    assert_eq!(report.findings[0].covers, ["claim:wrong"]);

    let unknown = Scope::new(&study, &Selection { card: Some("t9".into()), ..Selection::default() });
    let message = unknown.unwrap_err().to_string();
    assert_eq!(message, "the study made-up has no card named \"t9\"; it has: t1, checks");
    assert!(matches!(Scope::new(&study, &Selection { seeds: Some(0), ..Selection::default() }), Err(Error::NoSeeds)));
}

#[test]
fn data_that_do_not_fit_together_are_refused() {
    let refused = |claims: &str, findings: &str| study_of(claims, findings).unwrap_err().to_string();
    let covering = |id: &str| {
        format!("finding = [{{ id = \"F\", title = \"\", text = \"\", evidence = [], covers = [\"{id}\"] }}]")
    };
    let no_cell = refused(TWO_CLAIMS, &covering("t1/K=2000/Reno"));
    assert_eq!(no_cell, "studies/made-up/findings.toml: finding F: there is no \"t1/K=2000/Reno\"");
    let axis = refused(&TWO_CLAIMS.replace("net = \"lan\"", "nett = \"lan\""), "");
    assert!(axis.ends_with("claim \"right\", timeouts: there is no axis \"nett\""), "{axis}");
    let value = refused(&TWO_CLAIMS.replace("net = \"lan\"", "net = \"man\""), "");
    assert!(value.ends_with("the axis \"net\" has no value \"man\""), "{value}");
    let nothing = refused(&TWO_CLAIMS.replace("net = \"lan\"", "k = \"1000\""), "");
    assert!(nothing.ends_with("no coordinate names a scenario"), "{nothing}");
    let card = refused(&TWO_CLAIMS.replace("card = \"checks\"", "card = \"t2\""), "");
    assert!(card.ends_with("there is no card \"t2\""), "{card}");
    let twice = refused(&TWO_CLAIMS.replace("\"wrong\"", "\"right\""), "");
    assert!(twice.ends_with("two claims are named \"right\""), "{twice}");
    let key = refused(&TWO_CLAIMS.replace("quick = true", "quickly = true"), "");
    assert!(key.contains("quickly"), "{key}");
}

#[test]
fn the_report_as_text() {
    let study = study_of(TWO_CLAIMS, FINDINGS).unwrap();
    let text = report_of(&study, &Selection::default()).text();
    assert!(text.lines().all(|line| line.chars().count() <= 120));
    insta::assert_snapshot!(text);
}

#[test]
fn the_report_as_json() {
    let study = study_of(TWO_CLAIMS, FINDINGS).unwrap();
    insta::assert_snapshot!(report_of(&study, &Selection { quick: true, ..Selection::default() }).json());
}

// The real studies.

#[test]
fn all_studies_are_there_and_their_data_fit_together() {
    assert_eq!(names(), ["sack-ubr", "sd-plus", "vegas-a"]);
    for name in names() {
        let study = Study::load(name).unwrap();
        assert_eq!(study.name(), name);
        let without = |card: &&Card| card.table.is_some() && !study.tables.contains_key(&card.id);
        assert_eq!(study.head.cards.iter().find(without).map(|card| &card.id), None);
        let incomplete = |finding: &Finding| finding.text.is_empty() || finding.evidence.is_empty();
        assert!(!study.findings.iter().any(incomplete));
    }
    assert!(matches!(Study::load("ubr-sack"), Err(Error::UnknownStudy { .. })));
}

#[test]
fn published_means_are_the_means_of_the_published_rows() {
    let study = Study::load("sack-ubr").unwrap();
    let mut checked = 0;
    for card in ["t1", "t2"] {
        let table = &study.tables[card];
        for mean in table.rows.iter().filter(|row| row.label.ends_with("mean SACK")) {
            let net = mean.label.split(' ').next().unwrap();
            let of_net: Vec<_> =
                table.rows.iter().filter(|row| row.label.starts_with(net) && row.label.contains("N=")).collect();
            assert_eq!(of_net.len(), 4);
            for (column, published) in mean.published.iter().enumerate() {
                let exact = of_net.iter().map(|row| row.published[column]).sum::<f64>() / 4.0;
                // Half a hundredth may have gone either way.
                assert!((exact - published).abs() <= 0.005 + 1e-9, "{card}/{}: {exact} and {published}", mean.label);
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 12);

    // The means that the publication computes for SD and SD+.
    let study = Study::load("sd-plus").unwrap();
    for (card, means) in [("t1", [0.606, 0.755]), ("t3", [0.680, 0.927])] {
        let rows = &study.tables[card].rows;
        for (column, published) in means.iter().enumerate() {
            let exact = rows.iter().map(|row| row.published[column]).sum::<f64>() / rows.len() as f64;
            assert!((exact - published).abs() <= 0.0005 + 1e-9, "{card}: {exact} and {published}");
        }
    }
}

#[test]
fn every_scenario_of_every_point_is_accepted_without_a_warning() {
    for name in names() {
        let study = Study::load(name).unwrap();
        let demand = Scope::new(&study, &Selection::default()).unwrap().demand(&study);
        let mut different = std::collections::BTreeSet::new();
        for point in demand.keys() {
            let loaded = ackclock_scenario::load(&crate::embedded::Embedded, &point.scenario, &point.sets);
            let loaded = loaded.unwrap_or_else(|error| panic!("{point:?}: {error:?}"));
            assert!(loaded.warnings.is_empty(), "{point:?}: {:?}", loaded.warnings);
            different.insert(loaded.resolved);
        }
        // No two points are the same scenario by mistake.
        assert_eq!(different.len(), demand.len());
    }
}

#[test]
fn every_figure_draws_flows_that_its_runs_have() {
    for name in names() {
        let study = Study::load(name).unwrap();
        for figure in &study.figures {
            for (label, at) in figure.all_runs() {
                let point = study.checked_points(&at).swap_remove(0);
                let loaded = ackclock_scenario::load(&crate::embedded::Embedded, &point.scenario, &point.sets).unwrap();
                let has = |name: &String| loaded.scenario.flows.iter().any(|flow| flow.name == *name);
                assert!(!figure.flows.is_empty() && figure.flows.iter().all(has), "{name}: {} {label}", figure.id);
            }
        }
    }
}

#[test]
fn every_report_fits_into_120_columns() {
    for name in names() {
        let study = Study::load(name).unwrap();
        let text = report_of(&study, &Selection::default()).text();
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    }
}

#[test]
fn what_computes_does_not_know_the_studies() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in ["ackclock", "ackclock-scenario"] {
        let manifest = std::fs::read_to_string(root.join(name).join("Cargo.toml")).unwrap();
        assert!(!manifest.contains("ackclock-study"), "{name} must not depend on published numbers");
    }
}
