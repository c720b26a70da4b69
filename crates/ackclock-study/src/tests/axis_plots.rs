//! Plots over an axis: which runs they need, their numbers, and how they are drawn.

use super::{report_of, study_from};
use crate::plan::Scope;
use crate::report::page;
use crate::study::Study;
use crate::{Error, Selection};

const PLOTS: &str = r#"
[[plot]]
id = "figure-1"
card = "checks"
title = "Figure 1: Reno and SACK"
shows = "SACK gains nothing from a larger buffer."
at = { net = "lan", k = ["1000", "3000"] }
over = "k"
x = "K, cells"
show = [
    { label = "Sum, Mb/s", metric = "sum(goodput)", unit = 1e6, decimals = 1 },
    { label = "longest round trip, ms", metric = "longest-round-trip", unit = 1e-3 },
]
curve = [{ label = "Reno", at = { tcp = "reno" } }, { label = "SACK", at = { tcp = "sack" } }]
"#;

fn study(plots: &str) -> Result<Study, Error> {
    study_from(&[("claims.toml", "claim = []"), ("findings.toml", ""), ("plots.toml", plots)])
}

#[test]
fn a_plot_needs_the_runs_of_its_curves_but_is_not_quick() {
    let study = study(PLOTS).unwrap();
    let card = Selection { card: Some("checks".into()), ..Selection::default() };
    // Seed 1 only: what the card says.
    let runs = |selection: &Selection| Scope::new(&study, selection).unwrap().demanded_seeds(&study);
    assert_eq!(runs(&card).into_values().collect::<Vec<_>>(), [1; 4]);
    let quick = Selection { quick: true, ..card };
    assert!(runs(&quick).is_empty() && report_of(&study, &quick).cards[0].plots.is_empty());
}

/// Of 100 Mb/s, Reno has .50 with either buffer, SACK .955 and .70; round trips are not recorded.
#[test]
fn a_plot_has_a_row_for_each_value_and_a_curve_for_each_choice() {
    let report = report_of(&study(PLOTS).unwrap(), &Selection::default());
    let text = report.text();
    let expected = "
Figure 1: Reno and SACK: not judged
  SACK gains nothing from a larger buffer.
      Sum, Mb/s                        Reno         SACK
        1000                           50.0         95.5
        3000                           50.0         70.0
";
    assert!(text.contains(expected), "{text}");
    let html = page::render(&report, &[], &[]);
    let drawn = html.split("id=\"plot-figure-1\"").nth(1).unwrap().split("<details").next().unwrap();
    assert!(drawn.contains("As the study describes it: SACK gains nothing"), "{drawn}");
    // The plot for each kind of window and two samples in the legend; of a curve itself and its label twice, and its sample. Nothing of round trips, which have no point.
    assert_eq!((drawn.matches("<svg").count(), drawn.matches("class=\"series-0\"").count()), (4, 5), "{drawn}");
    assert!(html.contains("<caption>Sum, Mb/s</caption>") && html.contains(">K, cells<"), "{html}");
    assert!(!html.contains("NaN"), "{html}");
}

#[test]
fn a_plot_that_does_not_fit_is_refused() {
    let message = |from: &str, to: &str| study(&PLOTS.replacen(from, to, 1)).unwrap_err().to_string();
    let about = "studies/made-up/plots.toml: plot \"figure-1\": ";
    assert_eq!(message("\"checks\"", "\"t9\""), format!("{about}there is no card \"t9\""));
    let one = message("[\"1000\", \"3000\"]", "\"1000\"");
    assert_eq!(one, format!("{about}it needs two values on the axis \"k\""));
    assert_eq!(message("\"3000\"", "\"2000\""), format!("{about}the axis \"k\" has no value \"2000\""));
    let word = message("k = [\"1000\", \"3000\"] }\nover = \"k\"", "tcp = [\"reno\", \"sack\"] }\nover = \"tcp\"");
    assert_eq!(word, format!("{about}\"reno\" is no number, and has no place on an axis"));
    let many = "{ label = \"x\", at = { tcp = \"reno\" } }, ".repeat(5);
    let many = message("curve = [", &format!("curve = [{many}"));
    assert_eq!(many, format!("{about}more than 6 curves cannot be told apart"));
}
