//! Comparisons beyond the publication: which runs they need, and how they are shown.

use super::{report_of, study_from};
use crate::plan::Scope;
use crate::report::page;
use crate::study::Study;
use crate::{Error, Selection};

const COMPARISONS: &str = r#"
[[comparison]]
id = "ticks"
card = "checks"
label = "LAN, 1000 cells"
text = "SACK is better."
show = [
    { label = "sum", metric = "sum(goodput)", unit = 1e6, decimals = 1 },
    { label = "largest share", metric = "largest(goodput)", unit = 1e6, decimals = 1 },
]
row = [
    { label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } },
    { label = "SACK", at = { net = "lan", k = "1000", tcp = "sack" } },
]
"#;

fn study(comparisons: &str) -> Result<Study, Error> {
    study_from(&[("claims.toml", "claim = []"), ("findings.toml", ""), ("comparisons.toml", comparisons)])
}

fn of_card(card: &str) -> Selection {
    Selection { card: Some(card.into()), ..Selection::default() }
}

#[test]
fn a_comparison_needs_the_runs_of_its_rows_but_is_not_quick() {
    let study = study(COMPARISONS).unwrap();
    let runs = |selection: Selection| Scope::new(&study, &selection).unwrap().demand(&study);
    // Seed 1 only: what the card says.
    assert_eq!(runs(of_card("checks")).into_values().collect::<Vec<_>>(), [1, 1]);
    assert_eq!(runs(Selection { quick: true, ..of_card("checks") }).len(), 0);
    assert!(report_of(&study, &Selection { quick: true, ..Selection::default() }).cards[1].comparisons.is_empty());
}

/// Goodput of 60 and 40 times .50 and .955.
#[test]
fn rows_stand_below_each_other_with_their_text() {
    let study = study(COMPARISONS).unwrap();
    let report = report_of(&study, &of_card("checks"));
    let text = report.text();
    let expected = "
ticks: not judged
  SACK is better.
      LAN, 1000 cells            sum  largest share
        Reno                    50.0           30.0
        SACK                    95.5           57.3
";
    assert!(text.contains(expected), "{text}");
    let html = page::render(&report, &[], &[]);
    assert!(html.contains("<p>SACK is better.</p>") && html.contains("<caption>LAN, 1000 cells</caption>"), "{html}");
    assert!(report.tally.cells == 0 && report.passed());
}

/// A reading of the text: it covers nothing.
const READING: &str = r#"
[[finding]]
id = "R1"
title = "Ticks"
text = "The text does not say how long a tick is."
experiments = ["ticks"]
"#;

fn with_finding(finding: &str) -> Result<Study, Error> {
    study_from(&[("claims.toml", "claim = []"), ("findings.toml", finding), ("comparisons.toml", COMPARISONS)])
}

#[test]
fn an_experiment_stands_with_its_finding_and_not_with_its_card() {
    let study = with_finding(READING).unwrap();
    let report = report_of(&study, &of_card("checks"));
    assert!(report.cards[0].comparisons.is_empty() && report.passed());
    let expected = "
Findings: recorded differences, and how the text is read
────────────────────────────────────────────────────────
  R1  Ticks
      The text does not say how long a tick is.
      SACK is better.
      LAN, 1000 cells            sum  largest share
        Reno                    50.0           30.0
        SACK                    95.5           57.3
";
    assert!(report.text().contains(expected), "{}", report.text());
    let html = page::render(&report, &[], &[]);
    let (before, finding) = html.split_once("id=\"finding-R1\"").unwrap();
    assert!(before.ends_with("<div><div "), "not in columns");
    assert!(finding.contains("<caption>LAN, 1000 cells</caption>") && !finding.contains("Covers"), "{finding}");
    // Nothing of it is run for another card, nor quickly.
    let of_other = report_of(&study, &of_card("t1"));
    let quick = report_of(&study, &Selection { quick: true, ..Selection::default() });
    assert!(of_other.findings.is_empty() && quick.findings.is_empty());
}

#[test]
fn experiments_that_are_none_are_refused() {
    let message = |finding: String| with_finding(&finding).unwrap_err().to_string();
    let at = "studies/made-up/findings.toml: ";
    assert_eq!(
        message(READING.replace("[\"ticks\"]", "[]")),
        format!("{at}finding R1 covers nothing and has no experiment")
    );
    assert_eq!(
        message(READING.replace("[\"ticks\"]", "[\"tocks\"]")),
        format!("{at}finding R1: there is no comparison \"tocks\"")
    );
    assert_eq!(
        message(READING.to_owned() + &READING.replace("R1", "R2")),
        format!("{at}\"ticks\" is an experiment of two findings")
    );
}

#[test]
fn what_a_choice_does_not_have_is_left_out() {
    let study = study(&COMPARISONS.replace("largest(goodput)", "completed(s1)")).unwrap();
    let report = report_of(&study, &of_card("checks"));
    assert!(report.text().contains("Reno                    50.0              -\n"), "{}", report.text());
    assert!(!page::render(&report, &[], &[]).contains("NaN"));
}

#[test]
fn a_comparison_that_does_not_fit_is_refused() {
    let message = |from: &str, to: &str| study(&COMPARISONS.replacen(from, to, 1)).unwrap_err().to_string();
    assert_eq!(
        message("\"checks\"", "\"t9\""),
        "studies/made-up/comparisons.toml: comparison \"ticks\": there is no card \"t9\""
    );
    assert_eq!(
        message("\"1000\"", "\"2000\""),
        "studies/made-up/comparisons.toml: comparison \"ticks\", Reno: the axis \"k\" has no value \"2000\""
    );
}
