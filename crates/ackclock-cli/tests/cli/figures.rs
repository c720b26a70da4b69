//! Figures as files, and how they look: the same options of `plot`, `compare` and `sweep`.

use crate::kept::kept;
use crate::support::{Place, RANDOM};
use crate::sweep::swept;

/// What a figure is asked to look like: 7.2 inches are 518.4 points, 3 inches 216.
const LOOK: &str = "--plot a.svg --plot a.pdf --size 7.2inx3in --title 'As asked'";

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
    let drawn = "plot kept --figure cwnd --label cwnd=Window --label f1=Reno --color f1=#d55e00";
    place.run(&format!("{drawn} {LOOK}")).exits_with(0).says(&["a.svg written", "a.pdf written"]);
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
    let drawn = "compare kept kept --metric queue --label queue=Waiting";
    place.run(&format!("{drawn} {LOOK}")).exits_with(0).says(&["a.svg written", "a.pdf written"]);
    assert!(place.read("a.svg").contains("Waiting, cells"), "{}", place.read("a.svg"));
    place.run("compare kept kept --size 3.5in").exits_with(2).says(&["--plot <FILE.svg|pdf>"]);
}

#[test]
fn a_sweep_draws_the_numbers_that_are_asked_for() {
    let place = Place::with("figures-sweep", RANDOM);
    let drawn = "--out all --metric goodput_bps --label Goodput=Rate --color 'queue.policy = epd=#0072b2'";
    swept(&place, &format!("{drawn} {LOOK}")).exits_with(0);
    has_look(&place, "#0072b2");
    let svg = place.read("a.svg");
    assert!(svg.contains(">Rate, Mb/s<") && !svg.contains("Queueing delay"), "{svg}");
    // Those of the folder stay as they are.
    assert!(place.read("all/figure.svg").contains("Queueing delay, p95"));
}

#[test]
fn what_a_figure_cannot_have_is_refused_with_a_remedy() {
    let place = kept("figures-refused");
    let wrong = |more: &str, said: &[&str]| {
        let outcome = place.run(&format!("plot kept --figure cwnd --plot a.pdf {more}"));
        outcome.exits_with(2).without_result().says(said);
        assert!(!place.path("a.pdf").exists() && !place.path("figures").exists(), "nothing is written");
    };
    wrong("--size 7", &["--size 7: a length is a number with one of in, cm, mm, pt, px", "as in 3.5in"]);
    wrong("--size 3inx2inx1in", &["--size 3inx2inx1in: a length"]);
    wrong("--size 1in", &["--size 1in: a figure has 1.5 to 100 in on each side"]);
    // Two plots of 160 with 10 below them, of .63 points: 207.9 points are 2.89 inches.
    let low =
        ["--size 3.5inx2in: the plots of this figure need a height of 2.9 in at least", "write --size 3.50inx2.9in"];
    wrong("--figure queue --size 3.5inx2in", &low);
    wrong("--color f11=#d55e00", &["--color 'f11=#d55e00': the figure has no curve `f11`", "did you mean `f1`?"]);
    wrong("--color f1=red", &["--color f1=red: this is no name with a colour", "'reno=#0072b2'"]);
    wrong("--label cwdn=Window", &["the figure has no name `cwdn`", "did you mean `cwnd`?"]);
    wrong("--label Window", &["--label Window: there is no `=`", "write NAME=TEXT"]);
    wrong("--title 窓", &["--title '窓': the font of PDF files has no `窓`", "write the figure as SVG"]);
    // Of a sweep before anything is run.
    let place = Place::with("figures-refused-sweep", RANDOM);
    let refused = |more: &str, said: &[&str]| {
        swept(&place, &format!("--out all --plot a.svg {more}")).exits_with(2).without_result().says(said);
        assert!(!place.path("all").exists(), "nothing was run");
    };
    refused("--metric godput_bps", &["the figure has no number `godput_bps`", "did you mean `goodput_bps`?"]);
    refused("--label queue.bufer=Buffer", &["the figure has no name `queue.bufer`", "did you mean `queue.buffer`?"]);
    refused("--color edp=#000000", &["the figure has no curve `edp`", "did you mean `epd`?"]);
}

/// Nothing failed: the results are kept, other numbers are drawn, and the reason is the right one.
#[test]
fn a_number_that_no_run_has_is_not_drawn_and_said() {
    let place = Place::with("figures-none", RANDOM);
    let udp = "--out all --plot a.svg --metric udp_loss";
    let outcome = swept(&place, &format!("{udp} --report a.html")).exits_with(1);
    let outcome =
        outcome.says(&["--metric udp_loss: no run has a value of this number", "`ackclock explain udp_loss`"]);
    assert!(!outcome.stderr.contains("failed"), "{}", outcome.stderr);
    assert!(place.path("all/table.csv").exists() && place.path("a.html").exists() && !place.path("a.svg").exists());
    swept(&place, &format!("{udp} --metric goodput_bps"))
        .exits_with(1)
        .says(&["a.svg written", "udp_loss: no run has"]);
    // A label of what is not drawn is no reason to draw nothing.
    let label = "--out all --plot a.svg --label udp_loss=Lost";
    swept(&place, label).exits_with(0).says(&["--label 'udp_loss=Lost': no run has a value", "a.svg written"]);
}

#[test]
fn a_figure_that_is_refused_leaves_nothing_behind() {
    let place = Place::with("figures-low", RANDOM);
    let low = |more: &str| {
        let outcome = swept(&place, &format!("--out all --plot a.svg {more}"));
        outcome.exits_with(2).without_result().says(&["the plots of this figure need a height of", "write --size"]);
        assert!(!place.path("all").exists() && !place.path("a.svg").exists(), "nothing was run");
    };
    low("--size 3.5inx3in");
    // One plot of 160 with 10 below it and three lines of 20: 230 of .63 points are 2.02 inches.
    low("--size 1.5inx2in --metric goodput_bps");
    low("--size 1.5inx2in --metric goodput_bps --dry-run");
    let place = kept("figures-behind");
    let compared = |more: &str| place.run(&format!("compare kept kept --plot a.svg {more}"));
    for wrong in ["--label r=x", "--size 3inx1.5in", "--color x=#000000"] {
        compared(wrong).exits_with(2).without_result();
        assert!(!place.path("comparison.html").exists() && !place.path("a.svg").exists(), "{wrong:?}");
    }
    place.run("compare kept kept --plot scenario.toml/a.svg").exits_with(1).says(&["scenario.toml/a.svg"]);
}

/// A column of 3.5 inches has room for about fifty letters.
#[test]
fn texts_that_are_wider_than_the_figure_are_shortened_and_that_is_said() {
    let place = kept("figures-wide");
    let long = "A very long text that nobody can read at the edge of a narrow column of a paper";
    for option in ["--title '", "--label 'kept=", "--label 'cwnd="].map(|option| format!("{option}{long}'")) {
        let compared = "compare kept kept --metric cwnd --plot a.svg";
        let outcome = place.run(&format!("{compared} {option}")).exits_with(0);
        outcome.says(&["texts that are wider than the figure are shortened", "--size "]);
        let svg = place.read("a.svg");
        assert!(
            !svg.contains(&format!(">{long}</text>")) && svg.contains(">A very long") && svg.contains('…'),
            "{svg}"
        );
        let outcome = place.run(&format!("{compared} {option} --size 8in")).exits_with(0);
        assert!(!outcome.stderr.contains("shortened") && place.read("a.svg").contains(&format!(">{long}")));
    }
}

#[test]
fn labels_and_colours_are_of_one_thing_each() {
    let place = kept("figures-labels");
    let wrong = |more: &str, said: &[&str]| {
        let outcome = place.run(&format!("plot kept --figure cwnd --plot a.svg {more}"));
        outcome.exits_with(2).without_result().says(said);
        assert!(!place.path("a.svg").exists(), "nothing is written");
    };
    wrong("--label f1=A --label f1=B", &["--label 'f1=B': `f1` has a label already"]);
    wrong("--color f1=#000000 --color f1=#ffffff", &["--color 'f1=#ffffff': `f1` has a colour already"]);
    wrong("--label f1=", &["--label 'f1=': there is no text", "leave the option out"]);
    wrong("--label 'f1=A\nB'", &["--label \"f1=A\\nB\": a text of a figure is one line"]);
    wrong("--title 'A\nB'", &["--title \"A\\nB\": a text of a figure is one line"]);
    let drawn = "plot kept --figure cwnd --plot a.svg --plot ./a.svg";
    let outcome = place.run(&drawn).exits_with(0);
    assert_eq!(outcome.stderr.matches("a.svg written").count(), 1, "{}", outcome.stderr);
    let place = Place::with("figures-labels-sweep", RANDOM);
    let drawn = "--out all --plot a.svg --metric goodput_bps";
    let same = swept(&place, &format!("{drawn} --label epd=A --label fba=A"));
    same.exits_with(2).without_result().says(&["two curves would have the name `A`", "label of its own"]);
    let taken = swept(&place, &format!("{drawn} --label 'epd=queue.policy = fba'"));
    taken.exits_with(2).without_result().says(&["two curves would have the name `queue.policy = fba`"]);
    assert!(!place.path("all").exists(), "nothing was run");
}

/// Curves are called by their values alone, and numbers as in tables and in `--metric`.
#[test]
fn names_of_figures_may_be_short() {
    let place = Place::with("figures-names", RANDOM);
    let measure = "--measure 'share(goodput: f1)' --out all --plot a.svg";
    let named = "--label epd=fba --label fba=epd --label goodput_bps=Rate --label share_goodput_f1=Share";
    let numbers = "--metric goodput_bps --metric share_goodput_f1 --color epd=#0072b2";
    swept(&place, &format!("{measure} {named} {numbers}")).exits_with(0);
    let svg = place.read("a.svg");
    for text in [">Rate, Mb/s<", ">Share<", ">epd<", ">fba<", ">queue.policy = tail-drop<"] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    // The colour is that of the curve of EPD, which is called FBA.
    assert!(svg.contains("color=\"#0072b2\"><title>fba</title>"), "{svg}");
    let refused = swept(&place, &format!("{measure} --metric loss --label zzzzzzzzzz=x"));
    let refused = refused.exits_with(2).says(&["there are: Loss; queue.buffer; queue.policy = epd"]);
    assert!(!refused.stderr.contains("Goodput"), "{}", refused.stderr);
}
