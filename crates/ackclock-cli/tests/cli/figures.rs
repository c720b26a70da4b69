//! Figures as files, and how they look: the same options of `plot`, `compare` and `sweep`.

use crate::kept::kept;
use crate::support::{Place, RANDOM};
use crate::sweep::swept;

/// What a figure is asked to look like: 7.2 inches are 518.4 points, 3 inches 216.
const LOOK: [&str; 8] = ["--plot", "a.svg", "--plot", "a.pdf", "--size", "7.2inx3in", "--title", "As asked"];

fn has_look(place: &Place, colour: &str) {
    let (svg, pdf) = (place.read("a.svg"), std::fs::read(place.path("a.pdf")).unwrap());
    let pdf = String::from_utf8_lossy(&pdf);
    assert!(svg.contains("width=\"518.4pt\" height=\"216pt\"") && svg.contains(">As asked<"), "{svg}");
    assert!(pdf.contains("/MediaBox [0 0 518.4 216]") && pdf.contains("(As asked)"), "{pdf}");
    assert!(svg.contains(&format!("color=\"{colour}\"")), "{svg}");
}

#[test]
fn plot_draws_what_was_recorded() {
    let place = kept("figures-plot");
    let drawn =
        ["plot", "kept", "--figure", "cwnd", "--label", "cwnd=Window", "--label", "f1=Reno", "--color", "f1=#d55e00"];
    place.run(&[&drawn[..], &LOOK].concat()).exits_with(0).says(&["a.svg written", "a.pdf written"]);
    has_look(&place, "#d55e00");
    let svg = place.read("a.svg");
    assert!(svg.contains("Window, ") && !svg.contains(">cwnd"), "{svg}");
    // Whatever the unit.
    for (size, points) in [("18cm", "510.236"), ("180mm", "510.236"), ("680px", "510"), ("510pt×300pt", "510")] {
        place.run(&["plot", "kept", "--plot", "a.svg", "--figure", "cwnd", "--size", size]).exits_with(0);
        assert!(place.read("a.svg").contains(&format!("width=\"{points}pt\"")), "{size}");
    }
}

#[test]
fn compare_draws_a_curve_for_each_result() {
    let place = kept("figures-compare");
    let drawn = ["compare", "kept", "kept", "--metric", "queue", "--label", "queue=Waiting"];
    let outcome = place.run(&[&drawn[..], &LOOK].concat()).exits_with(0);
    outcome.says(&["a.svg written", "a.pdf written"]);
    assert!(place.read("a.svg").contains("Waiting, cells"), "{}", place.read("a.svg"));
    place.run(&["compare", "kept", "kept", "--size", "3.5in"]).exits_with(2).says(&["--plot <FILE.svg|pdf>"]);
}

#[test]
fn a_sweep_draws_the_numbers_that_are_asked_for() {
    let place = Place::with("figures-sweep", RANDOM);
    let curve = "queue.policy = epd=#0072b2";
    let drawn = ["--out", "all", "--metric", "goodput_bps", "--label", "Goodput=Rate", "--color", curve];
    swept(&place, &[&drawn[..], &LOOK].concat()).exits_with(0);
    has_look(&place, "#0072b2");
    let svg = place.read("a.svg");
    assert!(svg.contains(">Rate, Mb/s<") && !svg.contains("Queueing delay"), "{svg}");
    // Those of the folder stay as they are.
    assert!(place.read("all/figure.svg").contains("Queueing delay, p95"));
}

#[test]
fn what_a_figure_cannot_have_is_refused_with_a_remedy() {
    let place = kept("figures-refused");
    let wrong = |more: &[&str], said: &[&str]| {
        let outcome = place.run(&[&["plot", "kept", "--figure", "cwnd", "--plot", "a.pdf"], more].concat());
        outcome.exits_with(2).without_result().says(said);
        assert!(!place.path("a.pdf").exists() && !place.path("figures").exists(), "nothing is written");
    };
    wrong(&["--size", "7"], &["--size 7: a length is a number with one of in, cm, mm, pt, px", "as in 3.5in"]);
    wrong(&["--size", "3inx2inx1in"], &["--size 3inx2inx1in: a length"]);
    wrong(&["--size", "1in"], &["--size 1in: a figure has 1.5 to 100 in on each side"]);
    // Two plots of 160 with 10 below them, of .63 points: 207.9 points are 2.89 inches.
    let low =
        ["--size 3.5inx2in: the plots of this figure need a height of 2.9 in at least", "write --size 3.50inx2.9in"];
    wrong(&["--figure", "queue", "--size", "3.5inx2in"], &low);
    wrong(&["--color", "f11=#d55e00"], &["--color 'f11=#d55e00': the figure has no curve `f11`", "did you mean `f1`?"]);
    wrong(&["--color", "f1=red"], &["--color f1=red: this is no name with a colour", "'reno=#0072b2'"]);
    wrong(&["--label", "cwdn=Window"], &["the figure has no name `cwdn`", "did you mean `cwnd`?"]);
    wrong(&["--label", "Window"], &["--label Window: there is no `=`", "write NAME=TEXT"]);
    wrong(&["--title", "窓"], &["--title '窓': the font of PDF files has no `窓`", "write the figure as SVG"]);
    // Of a sweep before anything is run.
    let place = Place::with("figures-refused-sweep", RANDOM);
    let refused = |more: &[&str], said: &[&str]| {
        swept(&place, &[&["--out", "all", "--plot", "a.svg"], more].concat()).exits_with(2).without_result().says(said);
        assert!(!place.path("all").exists(), "nothing was run");
    };
    refused(&["--metric", "godput_bps"], &["the figure has no number `godput_bps`", "did you mean `goodput_bps`?"]);
    refused(
        &["--label", "queue.bufer=Buffer"],
        &["the figure has no name `queue.bufer`", "did you mean `queue.buffer`?"],
    );
    refused(&["--color", "epd=#000000"], &["the figure has no curve `epd`", "queue.policy = epd"]);
}
