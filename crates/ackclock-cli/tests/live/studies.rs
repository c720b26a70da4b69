//! The live parts of studies. A whole one takes an hour: here is its first run.

use std::time::Duration;

use crate::alone;
use crate::support::{Place, catches_ctrl_c, interrupted_once};

#[test]
fn a_study_of_which_nothing_runs_live_is_refused() {
    let place = Place::new("live-no-study");
    let refused = place.run("reproduce sd-plus --live").exits_with(2);
    refused.says(&["nothing of the study sd-plus runs live", "testbed, vegas-a"]);
    place.run("reproduce --live").exits_with(2).says(&["STUDY"]);
}

#[test]
fn ctrl_c_keeps_the_live_runs_of_a_study_that_are_finished() {
    let Some(_alone) = alone("ctrl_c_keeps_the_live_runs_of_a_study_that_are_finished") else { return };
    let place = Place::new("live-study");
    let ledger = place.path("kept/testbed-live/runs.jsonl");
    let live_runs = || {
        let kept = std::fs::read_to_string(&ledger).unwrap_or_default();
        kept.lines().filter(|line| line.contains("\"live\":{")).count()
    };
    // The shortest case comes first, 100 KB: it takes 5 s. On a busy machine it may be made again.
    let begin = std::time::Instant::now();
    let has_one = |process: u32| {
        let is_late = begin.elapsed() > Duration::from_secs(240);
        catches_ctrl_c(process) && (live_runs() > 0 || is_late)
    };
    let arguments = "reproduce testbed/fig-5 --quick --live --seeds 1 --out kept";
    let outcome = interrupted_once(has_one, &place, arguments).exits_with(130);
    outcome.says(&["live runs go one after the other", "SACK without RACK", "are finished and kept in"]);
    if live_runs() == 0 {
        let _ = std::fs::write("/dev/stderr", "SKIPPED: no live run of a study was valid here within four minutes\n");
    }
}
