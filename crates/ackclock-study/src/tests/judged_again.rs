//! Cards judged again with alternatives: which runs that needs, what is said of it, and what it does not decide.

use super::{ASSUMPTIONS, TWO_CLAIMS, report_of, study_from};
use crate::Selection;
use crate::plan::Scope;
use crate::report::page;
use crate::study::Study;

/// Ticks of 500 ms cost a fifth of the efficiency: of the six numbers, .52, .97, .52, .72, .52 and .84 become .41, .77, .41, .57, .41
/// and .67, of which only SACK with 3000 cells agrees with what is published.
fn study(more: &str) -> Study {
    let assumptions = ASSUMPTIONS
        .replace("set = [\"tcp.tick=500 ms\"]", "set = [\"tcp.tick=500 ms\"], judged = [\"t1\"]")
        .replace("id = \"tick\"", &format!("id = \"tick\"{more}"));
    study_from(&[("claims.toml", TWO_CLAIMS), ("findings.toml", ""), ("assumptions.toml", &assumptions)]).unwrap()
}

#[test]
fn a_card_is_judged_again_with_the_seeds_for_sensitivities() {
    let study = study("");
    let runs = |selection: &Selection| Scope::new(&study, selection).unwrap().demanded_seeds(&study);
    let slow: Vec<u64> = runs(&Selection::default())
        .into_iter()
        .filter(|(point, _)| point.sets.iter().any(|set| set == "tcp.tick=500 ms"))
        .map(|(_, seeds)| seeds)
        .collect();
    assert_eq!(slow, [3; 4], "two buffers, two TCPs");
    let report = report_of(&study, &Selection::default());
    let [again] = &report.cards[0].judged_again[..] else { panic!("one alternative") };
    assert_eq!((again.of, again.agree_by_default, again.agree, again.seeds), (6, 4, 1, 3));
    let changed: Vec<(&str, bool)> = again.changed.iter().map(|one| (one.id.as_str(), one.agrees)).collect();
    let expected = [("t1/K=1000/Reno", false), ("t1/K=1000/SACK", false), ("t1/K=3000/Reno", false)];
    assert_eq!(changed[..3], expected);
    assert_eq!(changed[3..], [("t1/K=3000/SACK", true), ("t1/mean/Reno", false)]);
    assert!(report.cards[1].judged_again.is_empty());
    let quick = Selection { quick: true, ..Selection::default() };
    assert!(report_of(&study, &quick).cards[0].judged_again.is_empty());
}

#[test]
fn what_was_chosen_after_its_results_is_said_with_the_verdict() {
    let sentence =
        "tick: judged again with \"500 ms\", 1 of 6 numbers and claims agree, 4 with \"100 ms\" (of 3 seeds each)";
    let of = |more: &str| {
        let report = report_of(&study(more), &Selection::default());
        (report.text(), page::render(&report, &[], &[]))
    };
    let (text, html) = of("");
    assert!(
        text.contains(sentence) && text.contains("  - t1/K=1000/Reno does not agree then: 0.41, published 0.55 ±0.05")
    );
    assert!(!text.contains("Chosen when") && !html.contains("Chosen when"), "{text}");
    assert!(html.contains("t1/K=3000/SACK agrees then: 0.57, published 0.60 ±0.05"), "{html}");
    let (text, html) = of("\nafter_results = \"The table was known.\"");
    // Four numbers agree that do not with 500 ms; the one that agrees only then is no loss.
    let verdict = text.split("Chosen when the results were known:").nth(1).unwrap();
    let words = "  - assumption tick: The table was known. 4 numbers and claims that agree depend on it.";
    assert!(verdict.contains(words), "{verdict}");
    assert!(text.contains("Without what was chosen when the results were known, 0 of the numbers and 1 of"), "{text}");
    assert!(text.contains("Chosen when its results were known. The table was known."), "{text}");
    assert!(html.contains(&words[4..]) && html.contains(" Chosen when its results were known. The table was known."));
}

/// `together` of ticks of 500 ms with RFC 6675.
const TOGETHER: &str = r#"
[[together]]
id = "by-the-letter"
label = "500 ms, RFC 6675"
reason = "The text names both."
of = ["tick/500 ms", "tick/RFC 6675"]
set = ["tcp.min_rto=1 s", "tcp.tick=400 ms"]
judged = ["t1"]
"#;

#[test]
fn alternatives_are_tried_together() {
    let with = |together: &str| {
        let assumptions = format!(
            "{}{together}",
            ASSUMPTIONS.replace("id = \"tick\"", "id = \"tick\"\nafter_results = \"It fits.\"")
        );
        study_from(&[("claims.toml", TWO_CLAIMS), ("findings.toml", ""), ("assumptions.toml", &assumptions)])
    };
    let runs = |study: &Study| Scope::new(study, &Selection::default()).unwrap().demanded_seeds(study);
    // Of each point what the alternatives set, of which the last one stands; 3 seeds, and beside the default all 4.
    let of = |study: &Study| {
        let is_together = |sets: &[String]| sets.iter().any(|set| set == "tcp.min_rto=1 s");
        let points = runs(study).into_iter().filter(|(point, _)| is_together(&point.sets));
        points.map(|(point, seeds)| (point.sets[1..].to_vec(), seeds)).collect::<Vec<_>>()
    };
    let study = with(TOGETHER).unwrap();
    let sets = ["tcp.recovery=rfc6675", "tcp.min_rto=1 s", "tcp.tick=400 ms"].map(String::from).to_vec();
    assert_eq!(of(&study), vec![(sets.clone(), 3); 2], "two buffers; TCP is RFC 6675 everywhere");
    let beside = with(&format!("{TOGETHER}beside = true")).unwrap();
    assert_eq!(of(&beside), vec![(sets, 4); 2]);
    let report = report_of(&study, &Selection::default());
    let again = &report.cards[0].judged_again[0];
    assert_eq!(
        (again.assumption.as_str(), again.alternative.as_str(), again.seeds),
        ("by-the-letter", "500 ms, RFC 6675", 3)
    );
    assert_eq!((again.after_results.as_deref(), again.default.as_str()), (Some("It fits. It fits."), "100 ms, 100 ms"));

    let refused = |from: &str, to: &str| with(&TOGETHER.replacen(from, to, 1)).unwrap_err().to_string();
    let about = "studies/made-up/assumptions.toml: together \"by-the-letter\": ";
    assert_eq!(
        refused("tick/500 ms", "tick/200 ms"),
        format!("{about}there is no alternative \"tick/200 ms\"; it is written assumption/label")
    );
    assert_eq!(refused("[\"t1\"]", "[]"), format!("{about}it needs two alternatives, and a card to judge"));
    assert_eq!(refused("[\"t1\"]", "[\"t9\"]"), format!("{about}there is no card \"t9\" to judge again"));
    let twice = refused("\"by-the-letter\"", "\"hosts\"");
    assert!(twice.ends_with("together \"hosts\": an assumption or another one has this name"), "{twice}");
}

#[test]
fn a_card_that_is_not_there_cannot_be_judged_again() {
    let assumptions = ASSUMPTIONS.replace("set = [\"tcp.tick=500 ms\"]", "set = [], judged = [\"t9\"]");
    let files = [("claims.toml", TWO_CLAIMS), ("findings.toml", ""), ("assumptions.toml", &assumptions)];
    let message = study_from(&files).unwrap_err().to_string();
    assert!(message.ends_with("assumption \"tick\": there is no card \"t9\" to judge again"), "{message}");
}
