//! Reductions of the window for segments that were late, not lost, over a whole path and on both engines: a path that becomes longer than the
//! timer expects, and packets that overtake others. 10 Mb/s and 100 ms; a window of 55 to 80 segments, which the path holds.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{flow, scenario};
use ackclock::record::{Columns, FlowCounts, Metric, Records};

const MSS: f64 = 1448.0;

fn run(name: &str, middle: &str, tcp: &str) -> Records {
    run_with_drops(name, middle, tcp, "")
}

fn run_with_drops(name: &str, middle: &str, tcp: &str, drops: &str) -> Records {
    let dialect = "dialect = \"standard\"\ntimer = \"linux\"\ndsack = true";
    run_as(name, dialect, middle, tcp, drops)
}

fn run_as(name: &str, dialect: &str, middle: &str, tcp: &str, drops: &str) -> Records {
    let text = format!(
        "duration = \"8 s\"\nrecord = [\"cwnd\", \"ssthresh\"]\n\
         network = {{ technology = \"packet\", topology = \"graph\" }}\nqueue = {{ buffer = \"1000 packets\" }}\n\
         node = {{ s.kind = \"host\", a.kind = \"switch\", b.kind = \"switch\", d.kind = \"host\" }}\n\
         [link]\nfirst = {{ ends = [\"s\", \"a\"], rate = \"100 Mbps\", delay = \"1 ms\" }}\n\
         last = {{ ends = [\"b\", \"d\"], rate = \"100 Mbps\", delay = \"1 ms\" }}\n\
         [link.middle]\nends = [\"a\", \"b\"]\nrate = \"10 Mbps\"\n{middle}\n\
         [tcp]\n{dialect}\ncongestion_control = \"reno\"\nmin_rto = \"200 ms\"\n\
         initial_ssthresh = \"60000 B\"\nreceive_window = \"1000000 B\"\n{tcp}\n[flow.f1]\nfrom = \"s\"\nto = \"d\"\n{drops}\n"
    );
    assert_engines_agree(name, &scenario(&text, &[]), 1)
}

/// The last value before this instant, in segments.
fn value(records: &Records, metric: Metric, at: f64) -> f64 {
    let series = records.series.iter().find(|series| series.metric == metric).expect("it is recorded");
    let Columns::Points { time, value } = &series.columns else { panic!("it has points") };
    let place = time.iter().rposition(|time| time.as_secs_f64() < at).expect("it begins");
    value[place] / MSS
}

/// The least since the path has changed, in segments.
fn least_ssthresh(records: &Records) -> f64 {
    let series = records.series.iter().find(|series| series.metric == Metric::Ssthresh).expect("it is recorded");
    let Columns::Points { time, value } = &series.columns else { panic!("it has points") };
    let since = time.iter().zip(value).filter(|(time, _)| time.as_secs_f64() > 4.0);
    since.map(|(_, value)| value / MSS).fold(f64::INFINITY, f64::min)
}

fn counts(records: &Records) -> &FlowCounts {
    &flow(records, "f1").counts
}

/// The window in the congestion avoidance that was interrupted, and half a second later.
fn windows(records: &Records) -> (f64, f64) {
    (value(records, Metric::Cwnd, 3.99), value(records, Metric::Cwnd, 6.5))
}

/// From 4 s on the path is 550 ms longer each way: the timer expires at about 4.4 s, and from 4.6 s on everything is acknowledged.
const LONGER: &str = "delay = [\"48 ms\", { at = \"4 s\", delay = \"598 ms\" }]";
/// What is sent for 4 ms arrives 20 ms later than usual, so that what follows overtakes it.
const OVERTAKEN: &str =
    "delay = [\"48 ms\", { at = \"4 s\", delay = \"68 ms\" }, { at = \"4004 ms\", delay = \"48 ms\" }]";

const RECOVERIES: [&str; 4] = ["rack", "rfc6675", "new-reno", "reno"];

#[test]
fn without_undo_a_late_path_costs_the_window_and_what_was_in_flight_is_sent_again() {
    for recovery in RECOVERIES {
        let records = run(recovery, LONGER, &format!("recovery = \"{recovery}\""));
        let (before, ssthresh) = (windows(&records).0, least_ssthresh(&records));
        let found = counts(&records);
        assert!(found.timeouts >= 1 && found.undone_reductions == 0, "{recovery}: {found:?}");
        let costs = found.unnecessary_retransmissions > 20 && ssthresh < 0.6 * before;
        assert!(costs, "{recovery}: {before} {ssthresh} {found:?}");
    }
}

/// F-RTO and timestamps know with the first acknowledgements: one segment is sent again for the timeout, and perhaps a probe before that.
#[test]
fn a_spurious_timeout_is_undone_before_everything_is_sent_again() {
    for recovery in RECOVERIES {
        for rule in ["f_rto = true", "undo = \"timestamps\"", "undo = \"both\"\nf_rto = true"] {
            let name = format!("{recovery}, {rule}");
            let records = run(&name, LONGER, &format!("recovery = \"{recovery}\"\n{rule}"));
            let (before, after) = windows(&records);
            let found = counts(&records);
            assert!(found.timeouts == 1 && found.undone_reductions == 1, "{name}: {found:?}");
            assert!(found.retransmissions <= 3 && after >= before, "{name}: {before} {after} {found:?}");
            assert!(value(&records, Metric::Ssthresh, 6.5) * MSS >= 60_000.0 - 1.0, "{name}");
        }
    }
}

/// Segments without a handshake, a FIN and timestamps are plain, and their senders on the fast path: it must not miss the answer.
#[test]
fn f_rto_looks_at_plain_acknowledgements() {
    let dialect = "dialect = \"osu\"\ntick = \"1 ms\"";
    for recovery in ["reno", "new-reno", "vanilla", "fall-floyd", "rfc6675", "rack"] {
        let with = |rule: bool| {
            let (name, tcp) = (format!("plain {recovery}"), format!("recovery = \"{recovery}\"\nf_rto = {rule}"));
            let records = run_as(&name, dialect, LONGER, &tcp, "");
            (windows(&records), *counts(&records), name)
        };
        let (_, off, name) = with(false);
        assert!(off.timeouts >= 1 && off.unnecessary_retransmissions > 20, "{name}: {off:?}");
        let ((before, after), on, name) = with(true);
        assert!((1..=2).contains(&on.timeouts) && on.undone_reductions == on.timeouts, "{name}: {on:?}");
        assert!(on.retransmissions <= 3 && after >= before, "{name}: {before} {after} {on:?}");
    }
}

/// Packets are lost, and others arrive twice that were sent once: that is no answer to what was sent again.
#[test]
fn a_network_that_duplicates_undoes_no_losses() {
    let lost: Vec<String> = (0..8).map(|number| (1000 + 300 * number).to_string()).collect();
    let drops = format!("drops = [{}]", lost.join(", "));
    let tcp = "recovery = \"rack\"\nundo = \"both\"";
    let records = run_with_drops("duplicates", "delay = \"48 ms\"\nduplicate = 0.05", tcp, &drops);
    let found = counts(&records);
    assert!(found.fast_retransmits >= 4 && found.undone_reductions == 0, "{found:?}");
}

/// D-SACKs say so when all that was sent again has come once more: that costs what it costs, but not the window.
#[test]
fn d_sacks_give_the_window_back_later() {
    let records = run("d-sacks", LONGER, "recovery = \"rack\"\nundo = \"dsack\"");
    let (before, _) = windows(&records);
    let found = counts(&records);
    assert!(found.unnecessary_retransmissions > 10 && found.undone_reductions == 1, "{found:?}");
    assert!(value(&records, Metric::Cwnd, 7.9) >= before);
}

#[test]
fn a_recovery_because_of_reordering_is_undone() {
    for recovery in RECOVERIES {
        let with = |rule: &str| {
            let name = format!("{recovery}, {rule}");
            let records = run(&name, OVERTAKEN, &format!("recovery = \"{recovery}\"\nundo = \"{rule}\""));
            (windows(&records), *counts(&records), name)
        };
        let ((before, after), found, name) = with("off");
        assert!(
            found.fast_retransmits >= 1 && found.timeouts == 0 && found.undone_reductions == 0,
            "{name}: {found:?}"
        );
        assert!(after < before, "{name}: {before} {after}");
        let has_sack = ["rack", "rfc6675"].contains(&recovery);
        for rule in ["timestamps", "both", "dsack"] {
            let ((before, after), found, name) = with(rule);
            if rule == "dsack" && !has_sack {
                assert_eq!(found.undone_reductions, 0, "{name}");
            } else {
                assert!(found.undone_reductions >= 1 && after >= before, "{name}: {before} {after} {found:?}");
            }
        }
    }
}

/// A whole window is lost: nothing is undone, and F-RTO sends as much again as without it. What it sends first is lost here, too, which
/// takes time.
#[test]
fn a_real_loss_is_not_undone() {
    let lost: Vec<String> = (2000..2080).map(|segment| segment.to_string()).collect();
    let drops = format!("drops = [{}]", lost.join(", "));
    for recovery in RECOVERIES {
        let with = |rule: &str| {
            let name = format!("{recovery}, {rule}, lost");
            let tcp = format!("recovery = \"{recovery}\"\n{rule}");
            *counts(&run_with_drops(&name, "delay = \"48 ms\"", &tcp, &drops))
        };
        let (off, on) = (with("undo = \"off\""), with("undo = \"both\"\nf_rto = true"));
        let has_timeout = |found: &FlowCounts| found.timeouts >= 1 || recovery == "rack";
        assert!(has_timeout(&off) && has_timeout(&on) && on.undone_reductions == 0, "{recovery}: {on:?}");
        assert!(
            off.retransmissions >= 80 && on.retransmissions.abs_diff(off.retransmissions) <= 5,
            "{recovery}: {off:?} {on:?}"
        );
        assert!(on.bytes_delivered as f64 > 0.75 * off.bytes_delivered as f64, "{recovery}: {off:?} {on:?}");
    }
}
