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
    let runs = |selection: Selection| Scope::new(&study, &selection).unwrap().demanded_seeds(&study);
    // Seed 1 only: what the card says.
    assert_eq!(runs(of_card("checks")).into_values().collect::<Vec<_>>(), [1, 1]);
    assert_eq!(runs(Selection { quick: true, ..of_card("checks") }).len(), 0);
    assert!(report_of(&study, &Selection { quick: true, ..of_card("checks") }).cards[0].comparisons.is_empty());
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
    assert!(report.tally.numbers.examined == 0 && report.passed());
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
