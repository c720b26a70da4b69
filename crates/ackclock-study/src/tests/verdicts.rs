//! What is judged how, what is refused, and reports of it.

use std::collections::BTreeMap;

use super::{FINDINGS, TABLE, TWO_CLAIMS, report_of, study_of, study_with};
use crate::report::Number;
use crate::report::page;
use crate::{CellReport, Report, Selection, Verdict};

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

/// SACK with 1000 cells: .955 and .965 in the quick subset, up to .985 in all; published .97 with a tolerance of .05.
#[test]
fn a_finding_knows_which_part_of_the_study_it_belongs_to() {
    let passes = |published: &str, covered: &str, quick: bool| {
        let findings = format!(
            "finding = [{{ id = \"F\", title = \"\", text = \"\", evidence = [], covers = [\"claim:wrong\"], {covered} }}]"
        );
        let table =
            TABLE.replace("[0.55, 0.97]", published).replace("[0.50, 0.60]", "[0.51, 0.72]").replace("0.78]", "0.84]");
        let study = study_with(&table, TWO_CLAIMS, &findings).unwrap();
        let report = report_of(&study, &Selection { quick, ..Selection::default() });
        (report.passed(), report.tally.numbers.differ, report.tally.vanished)
    };
    // Means .960 with two seeds and .970 with four: 0.915 is within .05 of the first only, 1.015 of the second only.
    let (low, high) = ("[0.52, 0.915]", "[0.52, 1.015]");
    assert_eq!(passes(low, "whole_only = [\"t1/K=1000/SACK\"]", true), (true, 0, 0));
    assert_eq!(passes(low, "whole_only = [\"t1/K=1000/SACK\"]", false), (true, 1, 0));
    assert_eq!(passes(high, "quick_only = [\"t1/K=1000/SACK\"]", true), (true, 1, 0));
    assert_eq!(passes(high, "quick_only = [\"t1/K=1000/SACK\"]", false), (true, 0, 0));
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
    assert_eq!((report.tally.numbers_exact, report.tally.numbers_exact_agree), (2, 1));
    let text = report.text();
    assert!(text.contains("Exact:  1 of 2 equal every digit that was printed."), "{text}");
}

/// Reno: .50 .51 .52 .53; the row is .50 and .60 apart by .10, its tolerance .05, or as large as that.
#[test]
fn tolerances_that_tell_nothing_apart_are_counted_apart() {
    let of = |tolerance: &str| {
        let table = TABLE.replace("value = 0.05", &format!("value = {tolerance}"));
        report_of(&study_with(&table, "claim = []", "").unwrap(), &Selection::default())
    };
    let cell = |report: &Report, id: &str| {
        let cell = report.cards[0].table.as_ref().unwrap().cells.iter().find(|cell| cell.id == id).unwrap().clone();
        ((cell.apart.unwrap() * 100.0).round(), cell.wide)
    };
    // Rows: .55 and .97, .50 and .60, .52 and .78.
    let narrow = of("0.05");
    assert_eq!(cell(&narrow, "t1/K=3000/Reno"), (10.0, false));
    assert_eq!((narrow.tally.numbers_wide, narrow.tally.numbers_wide_agree), (0, 0));
    assert!(!narrow.text().contains("Wide:") && narrow.text().contains("50 %"), "{}", narrow.text());
    // .1 is as far as .50 is from .60; SACK has .72 there, and does not agree.
    let wide = of("0.1");
    assert_eq!(cell(&wide, "t1/K=3000/Reno"), (10.0, true));
    assert_eq!(cell(&wide, "t1/K=1000/Reno"), (42.0, false));
    assert_eq!((wide.tally.numbers_wide, wide.tally.numbers_wide_agree), (2, 1));
    assert!(wide.text().contains("Wide:   2 have a tolerance"), "{}", wide.text());
    // A row of one number is compared with its column.
    let one = TABLE.replace(
        "published = [0.50, 0.60]\ntolerance = [\"level\", \"level\"]",
        "columns = 1\npublished = [0.50]\ntolerance = [\"level\"]",
    );
    let one = report_of(&study_with(&one, "claim = []", "").unwrap(), &Selection::default());
    assert_eq!(cell(&one, "t1/K=3000/Reno"), (5.0, true), ".55 and .52 in the column");
}

/// Of two seeds the interval is 12.7 standard errors either way.
#[test]
fn intervals_are_cut_to_what_a_quantity_can_be() {
    let number = Number::of(&[0.2, 0.5], (0.0, 1.0));
    // Mean .35, half width 12.706 · .15 = 1.906
    assert!((number.ci95.unwrap() - 1.905_93).abs() < 1e-4);
    assert_eq!(number.cut, Some([0.0, 1.0]));
    let one_sided = Number::of(&[3.0, 5.0, 10.0], (0.0, f64::INFINITY));
    // Mean 6, sd √13, half width 4.30265 · √(13/3) = 8.95665
    let [low, high] = one_sided.cut.unwrap();
    assert!(low == 0.0 && (high - 14.956_65).abs() < 1e-4, "{high}");
    assert_eq!(Number::of(&[0.5, 0.5, 0.51], (0.0, 1.0)).cut, None);
    assert_eq!(Number::of(&[0.5], (0.0, 1.0)).cut, None);
}

/// The mean of 30.0, 30.6, 31.2 and 31.8 Mb/s is 30.9.
fn table_of_one_number(tolerance: &str, published: &str) -> String {
    format!(
        r#"
quantity = "Of the first flow, Mb/s"
metric = "goodput(s1)"
tolerance = [{{ name = "t", {tolerance}, reason = "Nothing is random." }}]
column = [
    {{ label = "from 0", at = {{ tcp = "reno" }}, unit = 1e6 }},
    {{ label = "from 100", at = {{ tcp = "reno" }}, unit = 1e6, plus = 100, decimals = 1 }},
]
[[row]]
label = "K=1000"
at = {{ net = "lan", k = "1000" }}
{published}
"#
    )
}

fn cells_of(table: &str) -> Vec<CellReport> {
    let report = report_of(&study_with(table, "claim = []", "").unwrap(), &Selection::default());
    report.cards[0].table.as_ref().unwrap().cells.clone()
}

#[test]
fn what_must_equal_the_printed_digits_is_shown_with_them() {
    let both = |published: &str| format!("published = [{published}]\ntolerance = [\"t\", \"t\"]");
    for (is, printed, published) in [
        ("truncated", [30.0, 130.0], "30, 130"),
        ("rounded", [31.0, 131.0], "31, 131"),
        ("rounded-up", [31.0, 131.0], "31, 131"),
    ] {
        let cells = cells_of(&table_of_one_number(&format!("value = 1, is = \"{is}\""), &both(published)));
        assert_eq!([0, 1].map(|n| cells[n].as_printed.unwrap().mean), printed, "{is}");
        assert!(cells.iter().all(|cell| cell.verdict == Verdict::Agrees && cell.decimals == 0), "{is}");
        assert!((cells[0].ours.mean - 30.9).abs() < 1e-9, "what was measured stays what it is");
    }
    let cells = cells_of(&table_of_one_number("value = 1", &both("30, 131.8")));
    assert_eq!([0, 1].map(|n| (cells[n].as_printed, cells[n].decimals)), [(None, 2), (None, 1)]);
}

#[test]
fn a_row_may_have_the_first_columns_only() {
    let table = |row: &str| table_of_one_number("value = 1", row);
    let cells = cells_of(&table("columns = 1\npublished = [31]\ntolerance = [\"t\"]"));
    assert_eq!(cells.iter().map(|cell| cell.id.as_str()).collect::<Vec<_>>(), ["t1/K=1000/from 0"]);
    let refused = |row: &str| study_with(&table(row), "claim = []", "").unwrap_err().to_string();
    let missing = refused("published = [31]\ntolerance = [\"t\"]");
    assert!(missing.ends_with("row \"K=1000\" does not have one number and tolerance per column"), "{missing}");
    let many = refused("columns = 3\npublished = [31, 131, 1]\ntolerance = [\"t\", \"t\", \"t\"]");
    assert!(many.ends_with("row \"K=1000\" has more columns than there are"), "{many}");
}

/// The publication has TCPs below each other, and of the means only that of SACK.
#[test]
fn a_layout_has_a_place_for_every_published_number() {
    let of = |layout: &str| {
        let table = TABLE.replacen("[[row]]", &format!("[layout]\n{layout}\n[[row]]"), 1);
        study_with(&table, "claim = []", "").map_err(|error| error.to_string())
    };
    let columns = "column = [{ label = \"1000\", cell = \"K=1000/{row}\" }, { label = \"3000\", cell = \"K=3000/{row}\" }, { label = \"both\", cell = \"mean/{row}\" }]";
    assert!(
        of(&format!("corner = \"TCP\"\nrows = [\"Reno\", {{ label = \"with SACK\", name = \"SACK\" }}]\n{columns}"))
            .is_ok()
    );
    let missing = of(&format!("rows = [\"SACK\"]\n{columns}")).unwrap_err();
    assert_eq!(missing, "studies/made-up/t1.toml: the layout has no place for \"K=1000/Reno\"");
    let twice = of(&format!("rows = [\"Reno\", \"SACK\", \"Reno\"]\n{columns}")).unwrap_err();
    assert_eq!(twice, "studies/made-up/t1.toml: the layout has two places for \"K=1000/Reno\"");
}

#[test]
fn the_page_tells_the_instances_of_a_claim_apart() {
    let claims = TWO_CLAIMS.replace(
        "each = []",
        "each = [{ label = \"small\", at = { k = \"1000\" } }, { label = \"large\", at = { k = \"3000\" } }]",
    );
    let page = |claims: &str| page::render(&report_of(&study_of(claims, "").unwrap(), &Selection::default()), &[], &[]);
    let with = page(&claims);
    assert!(with.contains("small") && with.contains("large"), "{with}");
    assert_eq!((with.matches(">of<").count(), page(TWO_CLAIMS).matches(">of<").count()), (1, 0));
}

#[test]
fn data_that_do_not_fit_together_are_refused() {
    let refused = |claims: &str, findings: &str| study_of(claims, findings).unwrap_err().to_string();
    let covering = |id: &str| {
        format!("finding = [{{ id = \"F\", title = \"\", text = \"\", evidence = [], covers = [\"{id}\"] }}]")
    };
    let no_cell = refused(TWO_CLAIMS, &covering("t1/K=2000/Reno"));
    assert_eq!(no_cell, "studies/made-up/findings.toml: finding F: there is no \"t1/K=2000/Reno\"");
    let slow = refused(TWO_CLAIMS, &covering("t1/K=3000/SACK").replace("covers", "quick_only"));
    assert!(slow.ends_with("\"t1/K=3000/SACK\" is not in the quick subset; name it in covers"), "{slow}");
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
