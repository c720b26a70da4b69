//! `reproduce`: the command around the studies. The studies themselves are tested where they are.

use serde_json::Value;

use crate::support::Place;
#[cfg(unix)]
use crate::support::{Outcome, interrupted_once, lines};

#[test]
fn a_mistyped_study_or_card_is_answered_with_the_nearest() {
    let place = Place::new("reproduce-mistyped");
    place.run("reproduce sack-urb").exits_with(2).without_result().says(&["did you mean `sack-ubr`?"]);
    place.run("reproduce sack-ubr/tt1").exits_with(2).without_result().says(&["did you mean `sack-ubr/t1`?"]);
    place.run("reproduce no-such-study-at-all").exits_with(2).says(&["ackclock list studies"]);
    assert!(place.names().is_empty());
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_of_the_outside() {
    let place = Place::with("reproduce-unwritable", "");
    let outcome = place.run("reproduce sack-ubr/t1 --quick --out scenario.toml/results");
    outcome.exits_with(1).without_result().says(&["error:", "--out"]);
}

#[test]
#[cfg(unix)]
fn an_interrupted_reproduction_says_how_to_go_on() {
    let place = Place::new("reproduce-interrupted");
    let ledger = place.path("results/reproduce/sack-ubr/runs.jsonl");
    let begun = |_| ledger.exists() && lines(&ledger) > 0;
    let Outcome { stderr, stdout, .. } = interrupted_once(begun, &place, "reproduce sack-ubr --json").exits_with(130);
    assert!(stderr.contains("runs of sack-ubr are finished and kept in results/reproduce/sack-ubr\n"), "{stderr}");
    assert!(stderr.ends_with("run the same command again to resume\n"), "{stderr}");
    assert_eq!(stdout, "");
}

/// What the study tells of Figures 2 to 4 happens within few round trips: on a plot of 1 % of them it could not be seen.
#[test]
fn the_retransmissions_of_the_figures_can_be_told_apart() {
    let place = Place::new("reproduce-figures");
    place.run("reproduce sack-ubr/figures --out r").exits_with(0);
    let html = place.read("r/sack-ubr/report.html");
    let data = html.split("<script type=\"application/json\" id=\"data\">").nth(1).unwrap();
    let data: Value = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
    // Times between the segments that were sent again, as parts of the whole plot.
    let gaps = |id: &str| -> Vec<f64> {
        let chart = data["charts"].as_array().unwrap().iter().find(|chart| chart["id"] == id).unwrap();
        let again = chart["lines"].as_array().unwrap().iter().find(|line| line["style"] == "crosses").unwrap();
        let part = again["t"]["q"].as_f64().unwrap() / chart["end"].as_f64().unwrap();
        again["t"]["d"].as_array().unwrap()[1..].iter().map(|steps| steps.as_f64().unwrap() * part).collect()
    };
    let reno = gaps("figure-2-sequence");
    assert!(reno.len() == 2 && reno[0] > 0.02 && reno[1] > 4.0 * reno[0], "two fast ones, then the timer: {reno:?}");
    let new_reno = gaps("figure-3-sequence");
    assert!(new_reno.len() == 2 && new_reno.iter().all(|gap| *gap > 0.02), "one in each round trip: {new_reno:?}");
    let sack = gaps("figure-4-sequence");
    assert!(sack.len() == 2 && sack[0] > 0.02 && sack[1] < 0.001, "all within one round trip: {sack:?}");
}

/// The page of a reproduction says of itself, in a browser, how many of its plots it drew.
#[test]
fn the_page_draws_every_figure() {
    let place = Place::new("reproduce-page");
    place.run("reproduce sack-ubr/figures --out r").exits_with(0);
    let html = place.read("r/sack-ubr/report.html");
    for part in ["Figure 1: Congestion window", "Figure 4: Time-sequence", "verdict good", "reproduce sack-ubr/figures"]
    {
        assert!(html.contains(part), "no {part}");
    }
    let folders: Vec<_> = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let Some(browser) = folders.iter().flat_map(|dir| names.map(|name| dir.join(name))).find(|path| path.is_file())
    else {
        eprintln!("*** SKIPPED: no browser (chromium, google-chrome) on the path: the page was NOT looked at ***");
        return;
    };
    let page = format!("file://{}", place.path("r/sack-ubr/report.html").display());
    let profile = format!("--user-data-dir={}", place.path("profile").display());
    let options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom"];
    let output = std::process::Command::new(browser).args(options).args([profile, page]).output().unwrap();
    let dom = String::from_utf8_lossy(&output.stdout);
    let root = dom.split("<html").nth(1).unwrap_or_default().split('>').next().unwrap_or_default();
    for said in ["data-errors=\"0\"", "data-charts=\"8\"", "data-drawn=\"8\""] {
        assert!(root.contains(said), "no {said} in <html{root}>");
    }
}
