//! No report is large, however long the run and however many the flows.

use ackclock_report::compare::{Entry, compare};
use ackclock_report::{LARGEST_BYTES, run::run};

use crate::made_up::{document, series};

#[test]
fn millions_of_points_become_a_small_report() {
    // Five flows with eight tables of 400,000 rows, a port with 400,000 drops: 16 million rows.
    let html = run(&document(5, 1, 3), 1, &series(5, 1, 400_000));
    println!("5 flows: {} bytes", html.len());
    assert!(html.len() < LARGEST_BYTES, "{} bytes", html.len());
    assert!(html.len() > LARGEST_BYTES / 3, "{} bytes: detail is lost", html.len());
}

#[test]
fn a_thousand_flows_become_a_small_report_in_which_each_can_be_chosen() {
    let html = run(&document(1000, 4, 2), 1, &series(1000, 4, 2000));
    println!("1000 flows: {} bytes", html.len());
    assert!(html.len() < LARGEST_BYTES, "{} bytes", html.len());
    assert!(html.contains("All 1000 flows"));
    let data = html.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["choices"][0]["members"].as_array().unwrap().len(), 1000);
    let cwnd = data["charts"].as_array().unwrap().iter().find(|chart| chart["id"] == "cwnd").unwrap();
    for member in 0..1000 {
        assert!(cwnd["lines"].as_array().unwrap().iter().any(|line| line["member"] == member), "flow {member}");
    }
}

#[test]
fn of_too_many_flows_some_are_drawn_and_the_page_says_so() {
    let html = run(&document(8000, 1, 1), 1, &series(8000, 1, 100));
    println!("8000 flows: {} bytes", html.len());
    assert!(html.len() < LARGEST_BYTES, "{} bytes", html.len());
    assert!(html.contains("more flows are not drawn"));
}

#[test]
fn a_comparison_of_twenty_long_runs_is_small() {
    let entry =
        |n: usize| Entry { label: format!("variant {n}"), document: document(5, 1, 3), series: series(5, 1, 20_000) };
    let html = compare(&(0..20).map(entry).collect::<Vec<_>>(), &[]);
    println!("20 results: {} bytes", html.len());
    assert!(html.len() < LARGEST_BYTES, "{} bytes", html.len());
}
