//! The page of a reproduction: what it begins with, what is folded away, and where its links lead.

use super::{FINDINGS, TABLE, TWO_CLAIMS, report_of, study_of, study_with};
use crate::report::page;
use crate::{Report, Selection};

fn report(findings: &str) -> Report {
    report_of(&study_of(TWO_CLAIMS, findings).unwrap(), &Selection::default())
}

fn page_of(report: &Report) -> String {
    page::render(report, &[], &["ackclock".into(), "reproduce".into()])
}

#[test]
fn a_page_begins_with_a_dot_for_every_cell_that_leads_to_its_row() {
    let report = report(FINDINGS);
    let html = page_of(&report);
    assert_eq!(report.tally.numbers.examined, 6);
    let picture = html.find("class=\"panels\"").unwrap();
    assert!(picture < html.find("<table>").unwrap(), "before every table");
    for nth in 0..6 {
        let (link, row) = (format!("href=\"#cell-t1-{nth}\""), format!("<tr id=\"cell-t1-{nth}\">"));
        assert!(html[picture..].contains(&link) && html.contains(&row), "{nth}");
    }
    // K=1000 SACK: published .97, ours .955 to .985, within .05; Reno's .55 is .42 away.
    let label =
        "K=1000, SACK: published 0.97 (tolerance ±0.05, 12 % of the distances in its row), ours 0.97 ± 0.02: agrees";
    assert!(html.contains(&format!("aria-label=\"{label}\"")), "{html}");
    // What differs leads to its finding, by its own shape.
    assert!(
        html.contains("<a href=\"#finding-F1\"><span class=\"verdict notable\">") && html.contains("id=\"finding-F1\"")
    );
    assert!(html.contains("class=\"diamond\"") && html.contains("class=\"cross\""));
}

/// Of the row K=3000 the published numbers are .1 apart, and one of the two agrees.
#[test]
fn a_ring_marks_what_agrees_within_a_tolerance_that_tells_nothing_apart() {
    let ring = |tolerance: &str| {
        let table = TABLE.replace("value = 0.05", &format!("value = {tolerance}"));
        let study = study_with(&table, "claim = []", "").unwrap();
        let html = page_of(&report_of(&study, &Selection::default()));
        (
            html.matches("<circle class=\"ring\"").count(),
            html.contains("1 agree within a tolerance that does not distinguish"),
        )
    };
    assert_eq!(ring("0.05"), (0, false));
    // One in the key.
    assert_eq!(ring("0.1"), (2, true));
}

/// A phone shows the first three columns.
#[test]
fn the_verdict_stands_beside_the_names() {
    let html = page_of(&report(FINDINGS));
    let heads = |caption: &str| -> Vec<String> {
        let table = html.split(&format!("<caption>{caption}</caption>")).nth(1).unwrap();
        let head = table.split("</thead>").next().unwrap();
        head.split("<th ").skip(1).map(|th| th.split('>').nth(1).unwrap().split('<').next().unwrap().into()).collect()
    };
    assert_eq!(heads("Goodput of all flows, of 100 Mb/s")[..4], ["row", "column", "verdict", "published"]);
    assert_eq!(heads("Claims"), ["claim", "verdict", "our numbers"]);
}

#[test]
fn everything_is_folded_unless_it_fails() {
    let folded = |report: &Report| {
        let html = page_of(report);
        let parts: Vec<bool> =
            html.split("<details class=\"part\"").skip(1).map(|part| !part.starts_with(" open")).collect();
        (parts, html)
    };
    // Of the recorded differences one cell and one claim do not differ any more.
    let (parts, html) = folded(&report(FINDINGS));
    assert_eq!(parts, [false, true, false], "numbers, assumptions, claims");
    assert!(html.contains("Assumptions: 2,") && html.contains("differ with a finding, 1 fail"), "{html}");
    let without = &FINDINGS[..FINDINGS.rfind("[[finding]]").unwrap()];
    let (parts, _) = folded(&report(without));
    assert_eq!(parts, [true, true, true]);
}
