//! Metrics of a made-up run, by hand.

use std::collections::BTreeMap;

use super::super::abr::{AbrSetting, AbrSettings};
use super::super::flow_history::FlowHistory;
use super::super::measurement::RoundTrips;
use super::super::plateaus::Plateaus;
use super::super::port_history::PortHistory;
use super::super::rate_control::checksums::ChecksumRule;
use super::super::rate_control::told_windows::ToldWindows;
use super::super::rate_control::{RateControlSetting, RateControlSettings};
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
        transfer_bps: vec![Some(24e6), None],
        queue_unit: "packets".into(),
        drops: 9,
        mean_queue: BTreeMap::from([("r1->r2".into(), 2.5)]),
        largest_queue: BTreeMap::from([("r1->r2".into(), 40)]),
        rate_of_share: vec![0.75, 1.25],
        arrivals: BTreeMap::from([("r1->r2".into(), 200), ("r2->r1".into(), 0)]),
        refused: BTreeMap::from([("r1->r2".into(), 3), ("r2->r1".into(), 0)]),
        round_trips: vec![
            RoundTrips { longest: 0.5, mean: Some(0.25), spread: 0.25, deviation: 0.0625 },
            RoundTrips { longest: 0.75, mean: Some(0.5), spread: 0.125, deviation: 0.1875 },
        ],
        refused_after_warmup: BTreeMap::from([("r1->r2".into(), 0.25)]),
        acr_by_formulas: Some(0.75),
        one_way_p95: vec![Some(0.25), None],
        mean_acr_bps: vec![Some(5e6), Some(7e6)],
        abr: Some(AbrSettings { rif: 0.25, rdf: 0.5, nrm: 32, threshold: Some(256) }),
        rate_control: Some(RateControlSettings {
            duration: 5.0,
            averaging_interval: 0.005,
            target_delay: 0.0015,
            drain_limit: 0.5,
            a: 1.15,
            b: 1.0,
            round_trip: None,
            rate: 155.52e6,
            mss: 1024,
            receive_window: 600_000,
            ssthresh: 600_001,
        }),
        propagation_round_trip: vec![Some(0.01), None],
        max_min_share_bps: vec![Some(5e6), Some(10e6)],
        goodput_at_share_bps: vec![Some(40e6), Some(80e6)],
        plateaus: vec![
            Some(Plateaus { least_quotient: 1.5, largest_quotient: 2.5, gap_quotients: Some((0.75, 3.0)) }),
            None,
        ],
        told_windows: vec![
            Some(ToldWindows { changes: 40, changes_in_interval: 2, largest_rise: 1.25, largest_fall: 0.5 }),
            Some(ToldWindows { changes: 20, changes_in_interval: 0, largest_rise: 1.5, largest_fall: 0.75 }),
        ],
        checksums: None,
        timeouts: Timeouts { shortest_idle: Some(0.5), ..Timeouts::default() },
        history: vec![
            FlowHistory {
                interval: 2.0,
                throughput_bps: vec![1.0, 2.0, 3.0, 4.0, 5.0],
                cwnd: vec![10.0; 5],
                send_window: vec![8000.0, 7000.0, 3000.0, 5000.0, 6000.0],
                told: vec![0.0, 0.5, 1.0, 1.0, 1.0],
                sent: vec![10.0, 40.0, 30.0, 20.0, 20.0],
            },
            FlowHistory {
                interval: 2.0,
                throughput_bps: vec![0.0, 0.0, 9.0, 8.0, 7.0],
                cwnd: vec![30.0; 5],
                send_window: Vec::new(),
                told: Vec::new(),
                sent: vec![0.0, 0.0, 0.0, 50.0, 10.0],
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
    assert_eq!((value("send-window(s1, 2 to 6 s)"), value("send-window(s1 s2, 2 to 6 s)")), (Some(5000.0), None));
    assert_eq!((value("told(s1, 2 to 6 s)"), value("told(s2, 2 to 6 s)")), (Some(0.75), None));
    assert_eq!(
        (value("largest-step(s1, 4 to 10 s)"), value("largest-step(s1 s2, 0 to 10 s)")),
        (Some(30.0), Some(50.0))
    );
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

/// A run without flows is neither fair nor unfair.
#[test]
fn jains_index_of_nothing_is_none() {
    let none = Measurement { goodput_bps: Vec::new(), flows: Vec::new(), ..run() };
    for name in ["fairness", "jain(sent)"] {
        assert!(value(name).is_some(), "{name}");
        assert_eq!(MetricName::try_from(name.to_owned()).unwrap().with(100e6).value(&none), None, "{name}");
    }
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
    assert_eq!((value("transfer-rate(s1)"), value("transfer-rate")), (Some(24e6), None));
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
    assert_eq!((value("round-trip-deviation"), value("acr-by-formulas")), (Some(0.125), Some(0.75)));
    assert_eq!(value("share-needless(s1)"), Some(2.0 / 3.0));
}

#[test]
fn parameters_of_abr_are_those_of_the_scenario() {
    let all = ["abr(rif)", "abr(rdf)", "abr(nrm)", "abr(threshold)"].map(value);
    assert_eq!(all, [0.25, 0.5, 32.0, 256.0].map(Some));
    assert_eq!((value("least(rate-of-share)"), value("rate-of-share(s2)")), (Some(0.75), Some(1.25)));
}

#[test]
fn parameters_of_rate_control_are_those_of_the_scenario() {
    let names = ["duration", "averaging-interval", "target-delay", "drain-limit", "a", "b", "rate", "mss"];
    let values = names.map(|name| value(&format!("rate-control({name})")));
    assert_eq!(values, [5.0, 0.005, 0.0015, 0.5, 1.15, 1.0, 155.52e6, 1024.0].map(Some));
    let windows = ["receive-window", "ssthresh", "round-trip"].map(|name| value(&format!("rate-control({name})")));
    assert_eq!(windows, [Some(600_000.0), Some(600_001.0), None]);
}

#[test]
fn paths_and_windows_of_flows() {
    assert_eq!((value("propagation-round-trip(s1)"), value("propagation-round-trip")), (Some(0.01), None));
    assert_eq!((value("max-min-share(s2)"), value("sum(max-min-share)")), (Some(10e6), Some(15e6)));
    let quotients = ["least-plateau-quotient(s1)", "largest-plateau-quotient(s1)", "largest-plateau-quotient(s2)"];
    assert_eq!(quotients.map(value), [Some(1.5), Some(2.5), None]);
    let gaps = ["least-gap-quotient(s1)", "largest-gap-quotient(s1)", "least-gap-quotient(s2)"];
    assert_eq!(gaps.map(value), [Some(0.75), Some(3.0), None]);
    // 60 of 40 Mb/s, 40 of 80.
    assert_eq!((value("part-of-max-min-share(s1)"), value("part-of-max-min-share")), (Some(1.5), Some(1.0)));
    assert_eq!((value("mean-round-trip(s2)"), value("mean-round-trip")), (Some(0.5), Some(0.375)));
}

#[test]
fn windows_that_are_told_change_with_the_rates_of_a_router() {
    assert_eq!((value("window-changes"), value("changes-in-interval")), (Some(60.0), Some(2.0)));
    assert_eq!((value("largest(largest-rise)"), value("least(largest-fall)")), (Some(1.5), Some(0.5)));
    assert_eq!(value("valid-checksums(printed)"), None, "nothing was captured");
}

/// Queues 2, 6, 4 from 2 to 8 s. Of both flows windows are known only if both have recorded them.
#[test]
fn a_queue_is_correlated_with_the_mean_window() {
    let mut run = run();
    let value = |run: &Measurement, name: &str| MetricName::try_from(name.to_owned()).unwrap().with(1.0).value(run);
    let name = "queue-and-windows(r1->r2, 2 to 8 s)";
    assert_eq!(value(&run, name), None);
    // Means of 8500, 16,500 and 12,500 go as the queue; the first flow's alone go against it.
    run.history[1].send_window = vec![0.0, 10_000.0, 30_000.0, 20_000.0, 0.0];
    assert!((value(&run, name).unwrap() - 1.0).abs() < 1e-12);
    assert!((value(&run, "queue-deviation(r1->r2, 2 to 8 s)").unwrap() - 0.5).abs() < 1e-12);
    // From 2 to 4, with a mean of 4.
    assert!((value(&run, "queue-trend(r1->r2, 2 to 8 s)").unwrap() - 0.5).abs() < 1e-12);
}

#[test]
fn queues_are_those_of_a_port() {
    assert_eq!((value("arrivals(r1->r2)"), value("drop-ratio(r1->r2)")), (Some(200.0), Some(0.015)));
    assert_eq!(value("drop-ratio-after-warmup(r1->r2)"), Some(0.25));
    assert_eq!((value("drop-ratio(r2->r1)"), value("arrivals(r3->r1)")), (None, None), "nothing came; there is none");
    assert_eq!((value("mean-queue(r1->r2)"), value("queue-seconds(r1->r2)")), (Some(2.5), Some(25.0)));
    assert_eq!((value("largest-queue(r1->r2)"), value("largest-queue(r2->r1)")), (Some(40.0), None));
    assert_eq!(value("largest-queue"), Some(40.0));
    assert_eq!((value("mean-queue(r2->r1)"), value("sent(s3)")), (None, None), "there is none");
}

#[test]
fn handovers_are_those_of_a_place() {
    let places = ["first-handover(boston)", "first-handover(berkeley)"];
    assert_eq!(places.map(value), [Some(3.5), None], "one that never goes over has none");
}

/// `studies/README.md` explains each name; those of alternatives of one metric may stand alone.
#[test]
fn every_metric_is_explained() {
    let readme = include_str!("../../../../../studies/README.md");
    let of = |names: &[&'static str]| names.to_vec();
    let all = [
        of(&FlowMetric::NAMES.map(|(name, _)| name)),
        of(&Across::NAMES.map(|(name, _)| name)),
        of(&Recordable::NAMES.map(|(name, _)| name)),
        of(&OfPort::NAMES.map(|(name, _)| name)),
        of(&OfTimeouts::NAMES.map(|(name, _)| name)),
        of(&AbrSetting::NAMES.map(|(name, _)| name)),
        of(&RateControlSetting::NAMES.map(|(name, _)| name)),
        of(&ChecksumRule::NAMES.map(|(name, _)| name)),
        of(&["queue-and-windows", "valid-checksums", "most-acks-waiting", "queue-seconds", "rate-control", "abr"]),
    ];
    let is_explained = |name: &&str| {
        [format!("`{name}`"), format!("`{name}("), format!("({name})`")]
            .iter()
            .any(|form| readme.contains(form.as_str()))
    };
    let unexplained: Vec<&str> = all.concat().into_iter().filter(|name| !is_explained(name)).collect();
    assert_eq!(unexplained, [""; 0]);
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
        "rate-control(c)",
        "valid-checksums(rfc-1071)",
        "queue(r1->r2, 1 to s)",
        "sum(queue)",
    ] {
        assert_eq!(MetricName::try_from(text.to_owned()), Err(format!("{text:?} is no metric")));
    }
}
