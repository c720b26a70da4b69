//! `reproduce`: the command around the studies. The studies themselves are tested where they are.

#[cfg(unix)]
use std::time::Duration;

use crate::support::Place;
#[cfg(unix)]
use crate::support::interrupted_after;

#[test]
fn a_mistyped_study_or_card_is_answered_with_the_nearest() {
    let place = Place::new("reproduce-mistyped");
    place.run(&["reproduce", "sack-urb"]).exits_with(2).without_result().says(&["did you mean `sack-ubr`?"]);
    place.run(&["reproduce", "sack-ubr/tt1"]).exits_with(2).without_result().says(&["did you mean `sack-ubr/t1`?"]);
    place.run(&["reproduce", "no-such-study-at-all"]).exits_with(2).says(&["ackclock list studies"]);
    assert!(place.names().is_empty());
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_of_the_outside() {
    let place = Place::with("reproduce-unwritable", "");
    let outcome = place.run(&["reproduce", "sack-ubr/t1", "--quick", "--out", "scenario.toml/results"]);
    outcome.exits_with(1).without_result().says(&["error:", "--out"]);
}

#[test]
#[cfg(unix)]
fn an_interrupted_reproduction_says_how_to_go_on() {
    let place = Place::new("reproduce-interrupted");
    let output = interrupted_after(Duration::from_secs(1), &place, &["reproduce", "sack-ubr", "--json"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("runs of sack-ubr are finished and kept in results/reproduce/sack-ubr\n"), "{stderr}");
    assert!(stderr.ends_with("run the same command again to go on\n"), "{stderr}");
    assert_eq!(output.stdout, b"");
}
