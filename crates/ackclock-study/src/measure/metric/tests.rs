//! Metrics of a made-up run, by hand.

use std::collections::BTreeMap;

use super::super::abr::AbrSettings;
use super::super::flow_history::FlowHistory;
use super::super::measurement::RoundTrips;
use super::super::port_history::PortHistory;
use super::super::sack::LastSack;
use super::super::timeouts::Timeouts;
use super::*;

#[test]
fn flows_that_time_out_together_are_in_synchrony_and_others_are_not() {
    let near = |value: Option<f64>, expected: f64| assert!((value.unwrap() - expected).abs() < 1e-12);
    // one second, ten intervals
    near(synchrony(&[vec![130, 550], vec![190, 500]], 1.0), 1.0);
    // p = q = 0.5, never together: (0 - 0.25) / 0.25 = -1
    let even = vec![0, 200, 400, 600, 800];
    let odd = vec![100, 300, 500, 700, 900];
    near(synchrony(&[even.clone(), odd], 1.0), -1.0);
    // a flow without timeouts has no correlation with any
    assert_eq!(synchrony(&[even, vec![]], 1.0), None);
    // an expiry at the very end belongs to the last interval
    near(synchrony(&[vec![1000], vec![950]], 1.0), 1.0);
}

fn run() -> Measurement {
    Measurement {
        seconds: 10.0,
        flows: vec!["s1".into(), "s2".into()],
        start: vec![0.0, 5.0],
        mss: vec![1000, 1000],
        segments_sent: vec![1000, 2000],
        lost: vec![2, 4],
        goodput_bps: vec![30e6, 20e6],
        goodput_after_warmup_bps: vec![60e6, 40e6],
        bytes_sent: vec![1_000_000, 2_000_000],
        fast_retransmits: vec![1, 2],
        retransmissions: vec![3, 4],
        unnecessary: vec![2, 1],
        // Table 20 at 7000.
        last_sack: vec![Some(LastSack { blocks: vec![(7000, 7500), (6000, 6500)], octets: 12 }), None],
        longest_backoff: vec![1, 5],
        timeouts_ms: vec![vec![1], vec![2, 3]],
        completed: vec![Some(4.5), None],
        drops: 9,
        mean_queue: BTreeMap::from([("r1->r2".into(), 2.5)]),
        largest_queue: BTreeMap::from([("r1->r2".into(), 40)]),
        rate_of_share: vec![0.75, 1.25],
        arrivals: BTreeMap::from([("r1->r2".into(), 200), ("r2->r1".into(), 0)]),
        refused: BTreeMap::from([("r1->r2".into(), 3), ("r2->r1".into(), 0)]),
        round_trips: vec![RoundTrips { longest: 0.5, spread: 0.25 }, RoundTrips { longest: 0.75, spread: 0.125 }],
        one_way_p95: vec![Some(0.25), None],
        mean_acr_bps: vec![Some(5e6), Some(7e6)],
        abr: Some(AbrSettings { rif: 0.25, rdf: 0.5, nrm: 32, threshold: Some(256) }),
        timeouts: Timeouts { shortest_idle: Some(0.5), ..Timeouts::default() },
        history: vec![
            FlowHistory {
                interval: 2.0,
                throughput_bps: vec![1.0, 2.0, 3.0, 4.0, 5.0],
                cwnd: vec![10.0; 5],
                send_window: vec![8000.0; 5],
            },
            FlowHistory {
                interval: 2.0,
                throughput_bps: vec![0.0, 0.0, 9.0, 8.0, 7.0],
                cwnd: vec![30.0; 5],
                send_window: Vec::new(),
            },
        ],
        port_history: BTreeMap::from([(
            "r1->r2".into(),
            PortHistory {
                interval: 2.0,
                queue: vec![1.0, 2.0, 6.0, 4.0, 3.0],
                utilisation: vec![0.5, 1.0, 0.75, 1.0, 1.0],
            },
        )]),
        most_acks_waiting: BTreeMap::from([("r1->r2".into(), 12)]),
        first_handover: BTreeMap::from([("boston".into(), 3.5)]),
    }
}

#[test]
fn a_part_of_the_run_counts_what_happens_in_it() {
    assert_eq!((value("throughput(s1, 2 to 6 s)"), value("throughput(s1 s2, 8 to 10 s)")), (Some(2.5), Some(6.0)));
    assert_eq!((value("cwnd(s2, 0 to 10 s)"), value("throughput(s1, 20 to 30 s)")), (Some(30.0), None));
    assert_eq!((value("timeouts(s1 s2, 0 to 1 s)"), value("timeouts(s2, 1 to 9 s)")), (Some(3.0), Some(0.0)));
}

#[test]
fn a_port_has_a_queue_a_utilisation_and_buckets() {
    assert_eq!((value("queue(r1->r2, 2 to 6 s)"), value("queue-median(r1->r2, 0 to 10 s)")), (Some(4.0), Some(3.0)));
    assert_eq!((value("queue-p5(r1->r2, 4 to 10 s)"), value("queue-p95(r1->r2, 0 to 10 s)")), (Some(3.0), Some(6.0)));
    assert_eq!(value("utilisation(r1->r2, 0 to 4 s)"), Some(0.75));
    assert_eq!(value("least-utilisation(r1->r2, 2 to 10 s)"), Some(0.75));
    assert_eq!((value("most-acks-waiting(r1->r2)"), value("most-acks-waiting(r2->r1)")), (Some(12.0), None));
    assert_eq!((value("queue(r2->r1, 2 to 6 s)"), value("queue(r1->r2, 20 to 30 s)")), (None, None));
    assert_eq!(value("ratio(cwnd: s2 / s1, 0 to 10 s)"), Some(3.0));
    // Not recorded of s2.
    assert_eq!((value("send-window(s1, 2 to 6 s)"), value("send-window(s1 s2, 2 to 6 s)")), (Some(8000.0), None));
}

#[test]
fn what_was_sent_again_is_no_part_of_what_was_sent_once() {
    // 1 MB less 3 kB in 10 s, 2 MB less 4 kB in 5 s.
    assert_eq!((value("sent-once(s1)"), value("sent-once(s2)")), (Some(797_600.0), Some(3_193_600.0)));
    assert_eq!((value("lost"), value("share-sent-again(s2)")), (Some(6.0), Some(0.002)));
}

#[test]
fn rates_of_abr_and_delays_are_those_of_the_flows_named() {
    assert_eq!((value("sum(mean-acr)"), value("mean-acr(s2)")), (Some(12e6), Some(7e6)));
    // No segment of s2 arrived.
    assert_eq!((value("one-way-delay-p95(s1)"), value("one-way-delay-p95(s2)")), (Some(0.25), None));
}

#[test]
fn shares_are_compared_with_each_other_and_with_weights() {
    // 0.8 and 3.2 Mb/s: (4)² / (2 · (0.64 + 10.24)).
    assert!((value("jain(sent)").unwrap() - 16.0 / 21.76).abs() < 1e-12);
    // Of 4 Mb/s 1 to 3 would be 1 and 3.
    assert!((value("misallocation(sent: s1 1 s2 3)").unwrap() - 400_000.0).abs() < 1e-6);
    assert_eq!(value("misallocation(sent: s1 1 s9 3)"), None);
    // In parts of weights of 1 and 2: 0.8 and 1.6.
    assert!((value("jain(sent: s1 1 s2 2)").unwrap() - 5.76 / (2.0 * (0.64 + 2.56))).abs() < 1e-12);
    assert!((value("jain(sent: s1 1 s2 4)").unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(value("jain(sent: s1 1 s9 4)"), None);
}

fn value(name: &str) -> Option<f64> {
    MetricName::try_from(name.to_owned()).unwrap().with(100e6).value(&run())
}

#[test]
fn efficiency_is_the_sum_of_goodput_over_the_capacity() {
    assert_eq!(value("efficiency"), Some(0.5));
    let late = Metric::Efficiency { capacity_bps: 100e6, after_warmup: true };
    assert_eq!(late.value(&run()), Some(1.0));
}

#[test]
fn counts_are_added_up() {
    assert_eq!((value("timeouts"), value("timeouts(s2)")), (Some(3.0), Some(2.0)));
    assert_eq!((value("fast-retransmits"), value("retransmissions(s1)")), (Some(3.0), Some(3.0)));
    assert_eq!((value("longest-backoff"), value("drops")), (Some(5.0), Some(9.0)));
    assert_eq!((value("needless"), value("needless(s2)")), (Some(3.0), Some(1.0)));
    // (30+20)² / (2·(900+400)) = 2500/2600
    assert_eq!(value("fairness"), Some(2500.0 / 2600.0));
}

/// By hand: 8 Mb in 10 s, 16 Mb in the 5 s since the start of the second flow.
#[test]
fn rates_are_averaged_over_flows() {
    assert_eq!((value("sent(s1)"), value("sent(s2)"), value("sent")), (Some(0.8e6), Some(3.2e6), Some(2e6)));
    assert_eq!((value("goodput(s2)"), value("goodput-after-warmup(s1)")), (Some(20e6), Some(60e6)));
    assert_eq!(value("ratio(sent: s2 / s1)"), Some(4.0));
    // Mean 25, differences of 5: the root of 50 / 1, in megabits.
    assert_eq!(value("deviation(goodput)"), Some((2.0 * 5e6 * 5e6_f64).sqrt()));
    assert_eq!((value("completed(s1)"), value("completed(s2)")), (Some(4.5), None));
}

#[test]
fn options_are_those_of_the_last_acknowledgement_captured() {
    assert_eq!((value("sack-blocks(s1)"), value("sack-octets(s1)")), (Some(2.0), Some(12.0)));
    assert_eq!((value("sack-blocks(s2)"), value("sack-octets(s2)")), (None, None), "nothing was captured");
    let edges = ["sack-left(s1: 1)", "sack-right(s1: 1)", "sack-left(s1: 2)", "sack-right(s1: 2)"].map(value);
    assert_eq!(edges, [7000.0, 7500.0, 6000.0, 6500.0].map(Some));
    // Below 7500: the left edge of the first block, the right one of the second, and its left one.
    let offsets = ["sack-offset(s1: 1)", "sack-offset(s1: 2)", "sack-offset(s1: 3)"].map(value);
    assert_eq!(offsets, [500.0, 1000.0, 1500.0].map(Some));
    let none = ["sack-left(s1: 3)", "sack-offset(s1: 4)", "sack-right(s2: 1)", "sack-right(s3: 1)"].map(value);
    assert_eq!(none, [None; 4], "no third block, nothing captured, no such flow");
}

/// 60 and 40 Mb/s after the warm-up; the second flow delivers nothing in two of its intervals of 2 s.
#[test]
fn all_flows_are_added_up_or_compared() {
    assert_eq!((value("sum(goodput)"), value("range(goodput)")), (Some(50e6), Some(10e6)));
    assert_eq!((value("least(goodput)"), value("largest(goodput)")), (Some(20e6), Some(30e6)));
    assert_eq!((value("sum(completed)"), value("range(timeouts)")), (None, Some(1.0)));
    assert_eq!((value("longest-pause"), value("shortest-idle"), value("late-segments")), (Some(4.0), Some(0.5), None));
    assert_eq!((value("longest-round-trip"), value("round-trip-spread(s2)")), (Some(0.625), Some(0.125)));
    assert_eq!(value("share-needless(s1)"), Some(2.0 / 3.0));
}

#[test]
fn parameters_of_abr_are_those_of_the_scenario() {
    let all = ["abr(rif)", "abr(rdf)", "abr(nrm)", "abr(threshold)"].map(value);
    assert_eq!(all, [0.25, 0.5, 32.0, 256.0].map(Some));
    assert_eq!((value("least(rate-of-share)"), value("rate-of-share(s2)")), (Some(0.75), Some(1.25)));
}

#[test]
fn queues_are_those_of_a_port() {
    assert_eq!((value("arrivals(r1->r2)"), value("drop-ratio(r1->r2)")), (Some(200.0), Some(0.015)));
    assert_eq!((value("drop-ratio(r2->r1)"), value("arrivals(r3->r1)")), (None, None), "nothing came; there is none");
    assert_eq!((value("mean-queue(r1->r2)"), value("queue-seconds(r1->r2)")), (Some(2.5), Some(25.0)));
    assert_eq!((value("largest-queue(r1->r2)"), value("largest-queue(r2->r1)")), (Some(40.0), None));
    assert_eq!((value("mean-queue(r2->r1)"), value("sent(s3)")), (None, None), "there is none");
}

#[test]
fn handovers_are_those_of_a_place() {
    let places = ["first-handover(boston)", "first-handover(berkeley)"];
    assert_eq!(places.map(value), [Some(3.5), None], "one that never goes over has none");
}

#[test]
fn what_is_no_metric_is_said() {
    for text in ["sack-left(s1)", "sack-left(s1: 0)", "sack-offset(s1: A)"] {
        assert_eq!(MetricName::try_from(text.to_owned()), Err(format!("{text:?} is no metric")));
    }
    for text in [
        "sents",
        "sent(s1",
        "ratio(sent s1 / s2)",
        "ratio(sent: s1)",
        "deviation(queue)",
        "speed(s1)",
        "abr(mcr)",
        "sum(queue)",
    ] {
        assert_eq!(MetricName::try_from(text.to_owned()), Err(format!("{text:?} is no metric")));
    }
}
