//! Windows of applications that pause, validated (RFC 7661), over a whole path and on both engines.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{flow, scenario};
use ackclock::record::{Columns, Metric, Records};

const MSS: f64 = 1000.0;

/// 100 Mb/s and a round trip of 100 ms; the buffer holds everything.
fn run(name: &str, sets: &[&str]) -> Records {
    let text = "duration = \"10 s\"\nrecord = [\"cwnd\", \"ssthresh\"]\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\n\
         sources = 1\naccess_rate = \"10 Gbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"100 Mbps\"\nbottleneck_delay = \"48 ms\"\n\
         [queue]\nbuffer = \"1000 packets\"\n[tcp]\ndialect = \"standard\"\nmss = \"1000 B\"\ncongestion_control = \"reno\"\ndelayed_ack = false\n";
    assert_engines_agree(name, &scenario(text, sets), 1)
}

/// The value of a metric in segments before an instant, seconds.
fn value(records: &Records, metric: Metric, at: f64) -> f64 {
    let series = records.series.iter().find(|series| series.metric == metric).expect("it is recorded");
    let Columns::Points { time, value } = &series.columns else { panic!("it has points") };
    value[time.iter().rposition(|time| time.as_secs_f64() < at).expect("it begins")] / MSS
}

const VALIDATED: &str = "tcp.window_validation=true";

/// Forty segments every three seconds. From the second time on they leave at once if the window is kept; with the restart window in three round
/// trips, of 10, 20 and 10.
#[test]
fn a_window_is_kept_over_a_pause() {
    let pieces = ["flow.f1.write=40 segments", "flow.f1.write_interval=3 s"];
    let (kept, restarted) = (run("kept", &[&pieces[..], &[VALIDATED]].concat()), run("restarted", &pieces));
    // The window was full in the first two round trips; in the second piece it is not.
    assert!((40.0..=50.0).contains(&value(&kept, Metric::Cwnd, 2.9)), "{}", value(&kept, Metric::Cwnd, 2.9));
    assert_eq!(value(&kept, Metric::Cwnd, 3.05), value(&kept, Metric::Cwnd, 2.9));
    assert_eq!(value(&restarted, Metric::Cwnd, 3.05), 10.0);
    // At 3 s and one way later all of the second piece is there, or only its first 10.
    let delivered = |records: &Records| flow(records, "f1").counts.bytes_delivered;
    let until = |name: &str, sets: &[&str]| delivered(&run(name, &[&pieces[..], sets, &["duration=3100 ms"]].concat()));
    assert_eq!((until("until", &[VALIDATED]), until("until restarted", &[])), (80_000, 50_000));
}

/// Five segments are less than half of a window of sixty, be they written each round trip or each third of a second: a loss takes half of what
/// is in use in place of half of the window.
#[test]
fn a_loss_takes_half_of_what_is_in_use() {
    for interval in ["100 ms", "300 ms"] {
        let interval = format!("flow.f1.write_interval={interval}");
        let sets = [
            "flow.f1.write=5 segments",
            &interval,
            "tcp.ssthresh_from=window",
            "tcp.initial_window=60 segments",
            "flow.f1.drops=[100]",
        ];
        let ssthresh = |name: &str, more: &[&str]| {
            let records = run(name, &[&sets[..], more].concat());
            assert_eq!(flow(&records, "f1").counts.retransmissions, 1, "{name}");
            value(&records, Metric::Ssthresh, 9.9)
        };
        assert_eq!(ssthresh("window", &[]), 30.0);
        let in_use = ssthresh("in use", &[VALIDATED]);
        assert!((2.0..=5.0).contains(&in_use), "{interval}: {in_use}");
    }
}

/// A pause of more than five minutes halves it, and is remembered in ssthresh.
#[test]
fn five_minutes_of_no_use_halve_a_window() {
    let sets = ["flow.f1.write=60 segments", "flow.f1.write_interval=310 s", "duration=320 s", VALIDATED];
    let records = run("five minutes", &sets);
    let (before, after) = (value(&records, Metric::Cwnd, 309.0), value(&records, Metric::Cwnd, 310.05));
    assert!(before > 40.0 && after == before / 2.0, "{before} {after}");
    let ssthresh = [309.0, 310.05].map(|at| value(&records, Metric::Ssthresh, at));
    assert_eq!(ssthresh[0], ssthresh[1], "it is more than three quarters of the window");
}
