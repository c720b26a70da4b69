//! Experiments of findings: which runs they need, what they show, and what they refute.

use super::{FINDINGS, TWO_CLAIMS, report_of, study_of};
use crate::Selection;
use crate::plan::Scope;
use crate::report::page;

/// The finding that differs, with an experiment: Reno has .515 of 100 Mb/s with either buffer, SACK .72 with 3000 cells.
fn findings(test: &str) -> String {
    let only_true = FINDINGS.split("[[finding]]\nid = \"F2\"").next().unwrap();
    format!(
        r#"{only_true}
[[finding.experiment]]
text = "Reno is not better."
label = "3000 cells"
show = [{{ label = "Sum Mb/s", metric = "sum(goodput)", unit = 1e6, decimals = 1 }}]
row = [
    {{ label = "Reno", at = {{ net = "lan", k = "3000", tcp = "reno" }} }},
    {{ label = "SACK", at = {{ net = "lan", k = "3000", tcp = "sack" }} }},
]
{test}
"#
    )
}

fn less_than(bound: f64) -> String {
    findings(&format!(
        "test.bound = {{ metric = \"sum(goodput)\", of = {{ label = \"Reno\", at = {{ net = \"lan\", k = \"3000\", tcp = \"reno\" }} }}, is = \"<\", value = {bound} }}"
    ))
}

#[test]
fn a_finding_is_confirmed_or_refuted_by_its_experiment() {
    let report = |findings: &str| report_of(&study_of(TWO_CLAIMS, findings).unwrap(), &Selection::default());
    let confirmed = report(&less_than(60e6));
    assert!(confirmed.passed() && confirmed.tally.refuted == 0);
    let expected = "
      Reno is not better.
      3000 cells       Sum Mb/s
        Reno          51.5 ±2.1
        SACK          72.0 ±3.7
        confirmed: Reno: 51.50 ±2.1 Mb/s; wanted: < 60 Mb/s
";
    assert!(confirmed.text().contains(expected), "{}", confirmed.text());
    let html = page::render(&confirmed, &[], &[]);
    assert!(html.contains("<p>Reno is not better.</p>") && html.contains("confirmed: Reno:"), "{html}");

    let refuted = report(&less_than(50e6));
    assert!(!refuted.passed() && refuted.tally.refuted == 1);
    let text = refuted.text();
    assert!(
        text.contains("NOT CONFIRMED: Reno: 51.50")
            && text.contains("1 experiment does not show what its finding says"),
        "{text}"
    );
    assert!(page::render(&refuted, &[], &[]).contains("1 experiment does not show what its finding says"));

    // The quick subset leaves the experiment out, and does not call its numbers prose.
    let confirmed = study_of(TWO_CLAIMS, &less_than(60e6).replace("t1/K=3000/SACK", "t1/K=1000/SACK")).unwrap();
    let quick = report_of(&confirmed, &Selection { quick: true, ..Selection::default() });
    let words = "Its experiments are not part of the quick subset.";
    assert!(quick.text().contains(words) && page::render(&quick, &[], &[]).contains(words), "{}", quick.text());
    assert!(!quick.text().contains("prose"), "{}", quick.text());

    let shown_only = report(&findings(""));
    assert!(shown_only.passed() && shown_only.text().contains("SACK          72.0 ±3.7\n      Concerns"));
}

/// A reading of the text: it covers nothing.
const READING: &str = r#"
[[finding]]
id = "R1"
title = "Ticks"
text = "The text does not say how long a tick is."
card = "checks"
[[finding.experiment]]
text = "SACK is better."
label = "LAN, 1000 cells"
show = [{ label = "sum", metric = "sum(goodput)", unit = 1e6, decimals = 1 }]
row = [
    { label = "Reno", at = { net = "lan", k = "1000", tcp = "reno" } },
    { label = "SACK", at = { net = "lan", k = "1000", tcp = "sack" } },
]
"#;

#[test]
fn a_reading_is_shown_where_its_card_is() {
    let study = study_of("claim = []", READING).unwrap();
    let of_card = |card: &str| Selection { card: Some(card.into()), ..Selection::default() };
    let report = report_of(&study, &of_card("checks"));
    let expected = "
Findings: recorded differences, and how the text is read
────────────────────────────────────────────────────────
  R1  Ticks
      The text does not say how long a tick is.
      SACK is better.
      LAN, 1000 cells            sum
        Reno                    50.0
        SACK                    95.5
";
    assert!(report.text().contains(expected), "{}", report.text());
    let html = page::render(&report, &[], &[]);
    let finding = html.split("id=\"finding-R1\"").nth(1).unwrap();
    assert!(finding.contains("<caption>LAN, 1000 cells</caption>") && !finding.contains("Covers"), "{finding}");
    // Nothing of it is run for another card, nor quickly.
    let of_other = report_of(&study, &of_card("t1"));
    let quick = report_of(&study, &Selection { quick: true, ..Selection::default() });
    assert!(of_other.findings.is_empty() && quick.findings.is_empty());
}

/// A published sentence that stands against us is no matter of reading: a finding covers it.
#[test]
fn a_reading_is_about_what_holds() {
    let of = |about: &str| {
        let reading = READING.replace("card = \"checks\"", &format!("card = \"checks\"\nabout = [\"{about}\"]"));
        let covers = FINDINGS.split("[[finding]]").nth(1).unwrap();
        study_of(TWO_CLAIMS, &format!("[[finding]]{covers}{reading}"))
            .map(|study| report_of(&study, &Selection::default()))
    };
    let holds = of("claim:right").unwrap();
    assert!(
        holds.passed() && holds.text().contains("      About, all of which holds: claim:right"),
        "{}",
        holds.text()
    );
    let against = of("claim:wrong").unwrap();
    assert!(!against.passed() && against.tally.misplaced == 1);
    assert!(against.headline.consistent.contains("1 finding is about a sentence that stands against us"));
    assert!(of("claim:none").unwrap_err().to_string().ends_with("finding R1: there is no \"claim:none\""));
}

#[test]
fn a_reading_needs_a_card_and_an_experiment() {
    let message = |findings: &str| study_of("claim = []", findings).unwrap_err().to_string();
    let at = "studies/made-up/findings.toml: finding R1";
    let neither = format!("{at} covers nothing: it needs a card and an experiment");
    assert_eq!(message(&READING.replace("card = \"checks\"\n", "")), neither);
    assert_eq!(message(READING.split("[[finding.experiment]]").next().unwrap()), neither);
    assert_eq!(message(&READING.replace("\"checks\"", "\"cheques\"")), format!("{at}: there is no card \"cheques\""));
}

#[test]
fn experiments_need_their_runs_where_their_finding_is_examined_and_are_not_quick() {
    let study = study_of("claim = []", &findings("").replace(", \"claim:wrong\"", "")).unwrap();
    let needed = |selection: Selection| Scope::new(&study, &selection).unwrap().demanded_seeds(&study).len();
    let alone = |card: &str| needed(Selection { card: Some(card.into()), ..Selection::default() });
    // The finding is about the table, which has both points too; the other card has nothing.
    let without = study_of("claim = []", "").unwrap();
    let table = Scope::new(&without, &Selection::default()).unwrap().demanded_seeds(&without).len();
    assert_eq!((alone("t1"), alone("checks")), (table, 0));
    let quick = report_of(&study, &Selection { quick: true, ..Selection::default() });
    assert!(quick.findings.is_empty(), "the quick row agrees");
}

#[test]
fn an_experiment_that_does_not_fit_is_refused() {
    let message =
        |from: &str, to: &str| study_of(TWO_CLAIMS, &less_than(60e6).replace(from, to)).unwrap_err().to_string();
    let row = message("k = \"3000\", tcp = \"sack\"", "k = \"2000\", tcp = \"sack\"");
    assert!(
        row.ends_with("finding F1, experiment \"3000 cells\", SACK: the axis \"k\" has no value \"2000\""),
        "{row}"
    );
    let test = message("tcp = \"reno\" } }, is", "tcp = \"reno\" }, gain_over = \"k\" }, is");
    assert!(test.ends_with("finding F1, experiment \"3000 cells\", Reno: it needs two values on the axis"), "{test}");
}
