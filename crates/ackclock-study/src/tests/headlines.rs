//! What stands first: what reproduces, under which reading, and how strong the evidence is; whose numbers count.

use super::{ASSUMPTIONS, FINDINGS, TABLE, TWO_CLAIMS, report_of, study_from, study_of, study_with};
use crate::report::page;
use crate::{Report, Selection, Study};

fn whole(study: &Study) -> Report {
    report_of(study, &Selection::default())
}

/// The words of a text, whatever their lines.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Published .55 .97, .50 .60, .52 .78, of which the mean is .6533; ours .515 .97, .515 .72, .515 .845. Their distances are .035, 0, .015,
/// .12, .005 and .065, .04 on average; those of the mean .1033, .3167, .1533, .0533, .1333 and .1267, .1478 on average: skill .7293.
/// Ranks of the published ones 3 6 1 4 2 5, of ours 2 6 2 4 2 5, less 3.5: the products are .75, 6.25, 3.75, .25, 2.25 and 2.25, 15.5
/// together, and 15.5 / sqrt(17.5 * 15.5) = .9411.
#[test]
fn a_table_says_what_its_agreement_tells() {
    let study = study_of("claim = []", "").unwrap();
    let report = whole(&study);
    let power = report.power.as_ref().unwrap();
    assert_eq!(Some(power), report.cards[0].table.as_ref().unwrap().power.as_ref(), "there is one table");
    let near = |one: f64, other: f64| (one - other).abs() < 5e-5;
    assert!(near(power.kinds[0].error, 0.04) && near(power.kinds[0].error_of_mean, 0.1478), "{power:?}");
    assert!(near(power.skill.unwrap(), 0.7293) && near(power.rank_correlation.unwrap(), 0.9411), "{power:?}");
    // The mean is within .05 of none; .55 is, of .55, .50, .60 and .52.
    assert_eq!((power.numbers, power.agree, power.agree_with_mean, power.agree_with_best), (6, 4, 0, 4));
    let sentence = "Of 6 published numbers 4 agree; with one constant for all, 0 (their mean) to 4 (the best choice); skill 0.73, rank";
    let (text, html) = (report.text(), page::render(&report, &[], &[]));
    assert!(flat(&text).contains(sentence) && html.contains(sentence), "{text}");
    assert!(text.contains("Mean error of efficiency: 0.040, with the mean of the published numbers 0.148."), "{text}");
    assert!(
        flat(&text)
            .contains("skill 0.73, rank correlation 0.94: weak evidence: one constant would agree with as many."),
        "{text}"
    );
}

/// The row of means is ours; of the claims the first is.
#[test]
fn what_is_our_own_counts_for_itself() {
    let table = TABLE.replace("label = \"mean\"", "label = \"mean\"\ntally = \"own\"");
    let claims = TWO_CLAIMS.replacen("id = \"right\"", "id = \"right\"\ntally = \"own\"", 1);
    let report = whole(&study_with(&table, &claims, "").unwrap());
    let [numbers, claims, own] =
        [report.tally.numbers, report.tally.claims, report.tally.own].map(|of| (of.examined, of.agree));
    assert_eq!((numbers, claims, own), ((4, 3), (1, 0), (3, 2)));
    assert_eq!(report.power.as_ref().unwrap().numbers, 4);
    let table = report.cards[0].table.as_ref().unwrap();
    assert_eq!(table.layout.rows.iter().map(|row| row.label.as_str()).collect::<Vec<_>>(), ["K=1000", "K=3000"]);
    let (text, html) = (report.text(), page::render(&report, &[], &[]));
    assert!(text.contains("2 of 3 checks of our own hold; they tell nothing about the publication."), "{text}");
    assert!(text.contains("agrees, own") && text.contains("right [own]: holds"), "{text}");
    let panels = html.split("class=\"panels\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert_eq!(panels.matches("href=\"#cell-t1-").count(), 4, "no mark for what the publication does not print");
}

/// A column of a card that goes beyond is ours, and of its claims what does not say otherwise.
#[test]
fn a_card_beyond_the_publication_is_ours_unless_a_claim_says_otherwise() {
    let head = super::HEAD
        .replace("table = \"t1.toml\"", "table = \"t1.toml\", beyond = true")
        .replace("seeds = 1 }", "seeds = 1, beyond = true }");
    let claims = TWO_CLAIMS.replacen("id = \"wrong\"", "id = \"wrong\"\ntally = \"published\"", 1);
    let files = [("study.toml", head.as_str()), ("claims.toml", claims.as_str()), ("findings.toml", "")];
    let report = whole(&study_from(&files).unwrap());
    assert_eq!((report.tally.numbers.examined, report.tally.claims.examined, report.tally.own.examined), (0, 1, 7));
    let text = report.text();
    assert!(text.contains("right [beyond]: holds") && text.contains("wrong [claim]: FAILS"), "{text}");
    assert!(report.power.is_none() && !page::render(&report, &[], &[]).contains("class=\"panels"), "nothing to draw");
}

/// Of what agrees, the tolerance of three numbers of SACK, the measure of a table, or the bound of a claim was chosen afterwards.
#[test]
fn what_holds_without_choices_made_after_results_is_counted() {
    let late = TABLE
        .replace(
            "tolerance = [{",
            "tolerance = [{ name = \"late\", value = 0.05, reason = \"R.\", after_results = \"It was .04.\" }, {",
        )
        .replace("tolerance = [\"level\", \"level\"]", "tolerance = [\"level\", \"late\"]");
    let report = whole(&study_with(&late, "claim = []", "").unwrap());
    // Reno agrees three times, SACK once.
    assert_eq!((report.tally.numbers.agree, report.tally.numbers.agree_by_choice), (4, 1));
    let text = report.text();
    assert!(
        flat(&text).contains("Without what was chosen when the results were known, 3 of the numbers remain."),
        "{text}"
    );
    assert!(
        flat(&text).contains("- tolerance late of t1: It was .04. One number or claim that agrees depends on it."),
        "{text}"
    );
    assert!(text.contains("agrees, by choice"), "{text}");

    let measure = format!("after_results = \"It fits better.\"\n{TABLE}");
    let report = whole(&study_with(&measure, "claim = []", "").unwrap());
    assert_eq!((report.tally.numbers.agree, report.tally.numbers.agree_without_choice()), (4, 0));
    assert!(
        flat(&report.text())
            .contains("- the measure of t1: It fits better. 4 numbers and claims that agree depend on it.")
    );

    let bound = TWO_CLAIMS.replacen("id = \"right\"", "id = \"right\"\nafter_results = \"There were two.\"", 1);
    let report = whole(&study_of(&bound, "").unwrap());
    assert_eq!((report.tally.claims.agree, report.tally.claims.agree_without_choice()), (1, 0));
    assert!(
        report
            .text()
            .contains("  - the bound of claim right: There were two. One number or claim that agrees depends on it.")
    );

    let assumption = ASSUMPTIONS.replace("id = \"hosts\"", "id = \"hosts\"\nafter_results = \"It was slow.\"");
    let files = [("claims.toml", "claim = []"), ("findings.toml", ""), ("assumptions.toml", &assumption)];
    let text = whole(&study_from(&files).unwrap()).text();
    assert!(
        flat(&text).contains("assumption hosts: It was slow. How much depends on it is not counted: no card is judged"),
        "{text}"
    );
}

/// With ticks of 500 ms .41 .77, .41 .57, .41 .67 (.8 of the default): only .57 agrees with .60. Of all four seeds.
#[test]
fn a_second_reading_stands_beside_the_default() {
    let assumptions = ASSUMPTIONS.replace(
        "set = [\"tcp.tick=500 ms\"]",
        "set = [\"tcp.tick=500 ms\"], judged = [\"t1\", \"checks\"], beside = true",
    );
    let files = [("claims.toml", TWO_CLAIMS), ("findings.toml", ""), ("assumptions.toml", &assumptions)];
    let report = whole(&study_from(&files).unwrap());
    let [reading] = &report.readings[..] else { panic!("one reading") };
    assert_eq!((reading.numbers, reading.numbers_agree, reading.numbers_agree_by_default), (6, 1, 4));
    assert_eq!((reading.claims, reading.claims_hold, reading.claims_hold_by_default), (2, 1, 1));
    // Distances .138, .194, .088, .024, .108, .104: .1093 on average of .1478.
    assert!((reading.power.as_ref().unwrap().skill.unwrap() - 0.2602).abs() < 5e-4, "{reading:?}");
    let (text, html) = (report.text(), page::render(&report, &[], &[]));
    let sentence = "With \"500 ms\" (tick), on t1, checks: 1 of 6 numbers agree (4 with the first), 1 of 2 claims hold (1); skill 0.26";
    assert!(flat(&text).contains(sentence) && html.contains("1 of 6 numbers agree (4 with the first)"), "{text}");
    assert!(flat(&text).contains("reproduces in part under the reading that stands first: 4 of 6"), "{text}");
    let expected =
        "K=3000  Reno       0.50   0.52 ±0.02    0.50..0.53      ±0.05   50 %    0.26       0.53    0.41  no  agrees";
    assert!(text.contains(expected), "{text}");
    assert!(flat(&text).contains("[1] with \"500 ms\", and whether it agrees; skill 0.26"), "{text}");
    assert!(text.contains("          with \"500 ms\" it holds: timeouts: 2; wanted: > 0"), "{text}");
    let layout = html.split("published, and ours</caption>").nth(1).unwrap().split("</table>").next().unwrap();
    assert!(layout.contains("500 ms") && layout.contains("0.58"), "{layout}");
}

/// The publication has its TCPs below each other.
#[test]
fn a_table_stands_in_the_layout_of_the_publication() {
    let layout = r#"
[layout]
corner = "TCP"
rows = [{ label = "TCP Reno", name = "Reno" }, "SACK"]
column = [{ label = "K = 1000", cell = "K=1000/{row}" }, { label = "K = 3000", cell = "K=3000/{row}" }, { label = "mean", cell = "mean/{row}" }]
[[row]]"#;
    let study = study_with(&TABLE.replacen("[[row]]", layout, 1), "claim = []", "").unwrap();
    let of = |quick| {
        let report = report_of(&study, &Selection { quick, ..Selection::default() });
        let layout = report.cards[0].table.as_ref().unwrap().layout.clone();
        (layout.columns, layout.rows.into_iter().map(|row| (row.label, row.cells)).collect::<Vec<_>>(), report)
    };
    let (columns, rows, report) = of(false);
    assert_eq!(columns, ["K = 1000", "K = 3000", "mean"]);
    assert_eq!(rows[0], ("TCP Reno".into(), vec![Some(0), Some(2), Some(4)]));
    assert_eq!(rows[1].1, [Some(1), Some(3), Some(5)]);
    // What is not quick has no column.
    assert_eq!(of(true).0, ["K = 1000"]);
    let html = page::render(&report, &[], &[]);
    let table = html.split("Goodput of all flows, of 100 Mb/s: published, and ours</caption>").nth(1).unwrap();
    let words: Vec<&str> =
        table.split("</table>").next().unwrap().split("</t").map(|cell| cell.rsplit('>').next().unwrap()).collect();
    let place = |word: &str| words.iter().position(|cell| *cell == word).unwrap();
    assert!(place("TCP") < place("K = 1000") && place("TCP Reno") < place("SACK"), "{words:?}");
    // The same as text; of the quick subset one column is left, which needs no arrangement.
    let arranged = "\n\
TCP       K = 1000      K = 3000      mean
TCP Reno  0.55 / 0.52   0.50 / 0.52   0.52 / 0.52
SACK      0.97 / 0.97   0.60 / 0.72!  0.78 / 0.84!
";
    assert!(report.text().contains(arranged), "{}", report.text());
    assert!(!of(true).2.text().contains("In the layout"), "{}", of(true).2.text());
}

/// Five columns of 17, each after two spaces, are 95 wide: they fit behind a label of 5, behind one of 6 the last stands below.
#[test]
fn columns_that_do_not_fit_stand_below() {
    let lines_of = |label: &str| {
        let column = |nth: u32| format!("[[column]]\nlabel = \"{nth}, a long heading\"\nat = {{ tcp = \"reno\" }}\n");
        let row = |label: &str| {
            let at = "at = { net = \"lan\", k = \"1000\" }";
            let tolerances = format!("{:?}", ["level"; 5]);
            format!("[[row]]\nlabel = \"{label}\"\n{at}\npublished = {:?}\ntolerance = {tolerances}\n", [0.5; 5])
        };
        let head = TABLE.split("beside").next().unwrap();
        let level = "tolerance = [{ name = \"level\", value = 0.05, reason = \"Because.\" }]";
        let columns: String = (1..=5).map(column).collect();
        let table = format!("{head}{level}\n{columns}{}{}", row("one"), row(label));
        let text = whole(&study_with(&table, "claim = []", "").unwrap()).text();
        text.lines().filter(|line| line.starts_with(&format!("{label}  0.50 / 0.52"))).count()
    };
    assert_eq!([lines_of("fives"), lines_of("sixsix")], [1, 2]);
}

/// Of 50 Mb/s, ours are 1.03 and more: within the frame, and explained.
#[test]
fn efficiencies_above_1_are_explained() {
    let html = |table: &str| page::render(&whole(&study_with(table, "claim = []", "").unwrap()), &[], &[]);
    let words = "Values above 1: the measure of the study, 50 Mb/s, is less than the largest payload rate of the link.";
    let above = html(&format!("capacity_mbps = 50\n{TABLE}"));
    assert!(above.contains(words) && !html(TABLE).contains("Values above 1"), "{above}");
    // 1.94 lies below the upper end of the axis, which has ticks up to 1.5.
    let panel = above.split("class=\"panels\"").nth(1).unwrap().split("</figure>").next().unwrap();
    assert!(panel.contains(">1.5<") && panel.contains("ours 1.94"), "{panel}");
}

/// One claim of two fails, so that it is no green verdict; of none nothing is said.
#[test]
fn no_good_word_stands_above_claims_that_fail() {
    let recorded = format!(
        "{}covers = [\"t1/K=3000/SACK\", \"t1/mean/SACK\", \"claim:wrong\"]\n",
        FINDINGS.split("covers").next().unwrap()
    );
    let claims = TWO_CLAIMS.split("[[claim]]").nth(2).map(|wrong| format!("[[claim]]{wrong}")).unwrap();
    let report = whole(&study_of(&claims, &recorded).unwrap());
    assert!(report.passed());
    let html = page::render(&report, &[], &[]);
    let lead = html.split("class=\"lead-verdict\"").nth(1).unwrap().split("</p>").next().unwrap();
    assert!(
        lead.contains("verdict notable") && lead.contains("reproduces in part: 4 of 6 published numbers"),
        "{lead}"
    );
    let consistent =
        "The tree is consistent with its records: each of the 3 differences has a finding, and every finding applies.";
    assert!(html.contains(consistent) && flat(&report.text()).contains(consistent));
    // What fails stands first, in words, with its numbers and its finding.
    let differing = html.split("class=\"differing\"").nth(1).unwrap().split("</div>").next().unwrap();
    assert!(
        differing.contains("There are no losses, whatever the buffer.") && differing.contains("#finding-F1"),
        "{differing}"
    );
    assert!(report.text().contains("Its numbers are prose: no run of the study repeats them."));
    assert!(html.contains("The numbers of F1 come from prose"));
}

/// The beginning of each study, on made-up measurements: how its numbers and claims are counted.
#[test]
fn headlines_of_the_made_up_study() {
    let study = study_of(TWO_CLAIMS, FINDINGS).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&whole(&study).headline).unwrap());
}
