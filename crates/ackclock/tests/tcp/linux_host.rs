//! Hosts on Linux of today, `dialect = "linux"`, over a whole path and on both engines.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{flow, scenario};
use ackclock::record::{Columns, Metric, Records};
use ackclock::units::Time;

const MSS: f64 = 1448.0;

/// 10 Mb/s and 100 ms, with a queue that holds everything.
fn run(name: &str, sets: &[&str]) -> Records {
    let text = "duration = \"6 s\"\nrecord = [\"cwnd\", \"ssthresh\", \"rto\", \"srtt\"]\ncapture = [\"d1\"]\n[network]\n\
         technology = \"packet\"\ntopology = \"dumbbell\"\nsources = 1\n\
         access_rate = \"1 Gbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"10 Mbps\"\nbottleneck_delay = \"48 ms\"\n\
         [queue]\nbuffer = \"20000 packets\"\n[tcp]\ndialect = \"linux\"\nreceive_window = \"60000 B\"\n";
    assert_engines_agree(name, &scenario(text, sets), 1)
}

fn value(records: &Records, metric: Metric, at: f64) -> f64 {
    let series = records.series.iter().find(|series| series.metric == metric).expect("it is recorded");
    let Columns::Points { time, value } = &series.columns else { panic!("it has points") };
    value[time.iter().rposition(|time| time.as_secs_f64() < at).expect("it begins")]
}

/// Segments with payload that come to the receiver, and acknowledgements that it sends: when.
fn captured(records: &Records) -> (Vec<Time>, Vec<Time>) {
    let times = |sent: bool| {
        let packets = records.captures[0]
            .packets
            .iter()
            .filter(|packet| packet.sent == sent && (packet.segment.payload() > 0) != sent);
        packets.map(|packet| packet.time).collect()
    };
    (times(false), times(true))
}

/// A window that never opens further, 41 segments: sixteen acknowledgements at once, then one for two.
#[test]
fn the_first_sixteen_segments_are_acknowledged_at_once() {
    let (data, acks) = captured(&run("quick", &["flow.f1.size=57920 B"]));
    // 40 segments, of which the FIN goes with the last; the answer to the SYN; the last is acknowledged at once.
    assert_eq!(data.len(), 40);
    assert!((1 + 16 + 12..=1 + 16 + 12 + 3).contains(&acks.len()), "{}", acks.len());
    let (_, acks) = captured(&run("delayed", &["flow.f1.size=57920 B", "tcp.delayed_ack=true"]));
    assert!((1 + 20..=1 + 20 + 3).contains(&acks.len()), "{}", acks.len());
    // While the window opens, by two segments for each that comes, every segment is acknowledged.
    let (data, acks) = captured(&run("opens", &["flow.f1.size=579200 B", "tcp.receive_window=4 MB"]));
    assert!(acks.len() >= data.len(), "{} {}", data.len(), acks.len());
}

/// Without variation the timeout is min_rto more than the round trip; that of RFC 6298 is min_rto or a little more than the round trip.
#[test]
fn the_timeout_is_min_rto_above_the_round_trip() {
    let records = run("timer", &[]);
    let (rto, srtt) = (value(&records, Metric::Rto, 5.9), value(&records, Metric::Srtt, 5.9));
    assert!((rto - srtt - 0.2).abs() < 0.005, "{rto} {srtt}");
    let records = run("rfc6298", &["tcp.timer=rfc6298"]);
    let (rto, srtt) = (value(&records, Metric::Rto, 5.9), value(&records, Metric::Srtt, 5.9));
    assert!(rto < srtt + 0.15, "{rto} {srtt}");
}

/// CUBIC leaves slow start by HyStart, Reno does not; nobody loses anything in a queue without end.
#[test]
fn cubic_is_the_default_and_has_hystart() {
    let ssthresh = |name: &str, sets: &[&str]| {
        let sets: Vec<&str> = sets.iter().copied().chain(["tcp.receive_window=8 MB"]).collect();
        value(&run(name, &sets), Metric::Ssthresh, 5.9) / MSS
    };
    let cubic = ssthresh("cubic", &[]);
    assert!((20.0..400.0).contains(&cubic), "{cubic}");
    assert_eq!(ssthresh("reno", &["tcp.congestion_control=reno"]), f64::INFINITY);
    let records = run("nothing", &[]);
    assert_eq!(flow(&records, "f1").counts.retransmissions, 0);
}

/// Forty segments each 700 ms. The second forty begin some 390 ms after the last segment of the first, with a timeout of 306 ms: half of the window
/// leaves at once, where RFC 5681 has the first window of ten.
#[test]
fn a_pause_halves_the_window_for_each_timeout() {
    let sets = ["traffic.write=40 segments", "traffic.write_interval=700 ms", "tcp.receive_window=4 MB"];
    for (name, reduction) in [("halved", "halving"), ("restart", "restart-window")] {
        let records = run(name, &[&sets[..], &[&format!("tcp.idle_reduction={reduction}")]].concat());
        let before = (value(&records, Metric::Cwnd, 0.699) / MSS).floor();
        assert!((24.0..=50.0).contains(&before), "{before}");
        let rto = value(&records, Metric::Rto, 0.699);
        assert!((0.3..0.32).contains(&rto), "{rto}");
        let expected = if reduction == "halving" { (before / 2.0).floor() } else { 10.0 };
        let at_once = captured(&records).0.iter().filter(|time| (0.7..0.82).contains(&time.as_secs_f64())).count();
        assert_eq!(at_once as f64, expected, "{name}");
    }
}

/// The last byte whose acknowledgement was at the sender by then, in segments: it takes 50 ms, and 41 us at the bottleneck.
fn acknowledged(records: &Records, by: f64) -> f64 {
    let packets = records.captures[0].packets.iter().filter(|packet| packet.sent);
    let last = packets.take_while(|packet| packet.time.as_secs_f64() < by - 0.05005).last().expect("it begins");
    last.segment.ack as f64 / MSS
}

/// Slow start ends with 40 segments, and the path holds 83. While nothing was lost CUBIC grows by a segment for each 20 acknowledged, ten in five
/// round trips; by the RFC by a segment in each. A loss tells it W_max: from then on the two are the same. An outage of a second ends with
/// a timeout, which forgets W_max.
#[test]
fn cubic_that_has_lost_nothing_grows_by_a_twentieth_of_what_is_acknowledged() {
    // How much the window grows in half a second of congestion avoidance, and how much is acknowledged, in segments.
    let grown = |name: &str, least: &str, more: &[&str], from: f64| {
        let least = format!("tcp.cubic.least_growth={least}");
        let sets = ["tcp.receive_window=4 MB", "tcp.initial_ssthresh=57920 B", "tcp.slow_start_exit=loss", &least];
        let records = run(name, &[&sets[..], more].concat());
        assert!(value(&records, Metric::Cwnd, from) >= value(&records, Metric::Ssthresh, from), "{name}: slow start");
        let [growth, acked] = [|records: &Records, at| value(records, Metric::Cwnd, at) / MSS, acknowledged]
            .map(|of| of(&records, from + 0.5) - of(&records, from));
        (growth, acked, flow(&records, "f1").counts)
    };
    let (growth, acked, _) = grown("least", "0.05", &[], 0.6);
    assert!(acked > 190.0 && (growth - acked / 20.0).abs() < 0.15, "{growth} of {acked}");
    let (growth, acked, _) = grown("none", "0", &[], 0.6);
    assert!(acked > 190.0 && (growth - 5.0).abs() < 1.0, "{growth} of {acked}");
    let drops = ["flow.f1.drops=[30]"];
    let after_loss = grown("loss", "0.05", &drops, 1.0);
    assert_eq!(after_loss, grown("loss, none", "0", &drops, 1.0));
    assert_eq!((after_loss.2.fast_retransmits, after_loss.2.timeouts), (1, 0));
    // The 40 of the last round of slow start, and the probe for them.
    let lost: Vec<String> = (30..71).map(|segment| segment.to_string()).collect();
    let lost = [&*format!("flow.f1.drops=[{}]", lost.join(", "))];
    let (growth, acked, counts) = grown("timeout", "0.05", &lost, 2.2);
    assert!(counts.timeouts >= 1 && counts.fast_retransmits == 0, "{counts:?}");
    assert!(acked > 90.0 && (growth - acked / 20.0).abs() < 0.15, "{growth} of {acked}");
    let (growth, acked, _) = grown("timeout, none", "0", &lost, 2.2);
    assert!(growth < 0.75 * acked / 20.0, "{growth} of {acked}");
}

/// The rule is that of the dialect.
#[test]
fn cubic_grows_so_by_default() {
    let sets = ["tcp.receive_window=4 MB", "tcp.initial_ssthresh=57920 B"];
    let window = |name: &str, more: &[&str]| value(&run(name, &[&sets[..], more].concat()), Metric::Cwnd, 2.0);
    assert_eq!(window("by default", &[]), window("said", &["tcp.cubic.least_growth=0.05"]));
    assert!(window("by default", &[]) > 1.2 * window("none", &["tcp.cubic.least_growth=0"]));
}

/// Segment 30 is lost, and what is sent again of it, so that the timer expires while all after it is held. What arrives then is that segment: the window
/// grows from 1 to 2. Counted by what una advances, it grows by all that was held, up to ssthresh.
#[test]
fn what_was_held_makes_no_window_grow_again() {
    let sets = ["tcp.receive_window=4 MB", "tcp.recovery=rfc6675", "tcp.congestion_control=reno", "tcp.f_rto=false"];
    let drops = "flow.f1.drops=[30, { segment = 30, transmission = 2 }]";
    let opens = |growth: &str| {
        let records = run(growth, &[&sets[..], &[drops, &format!("tcp.window_growth={growth}")]].concat());
        let counts = flow(&records, "f1").counts;
        assert_eq!((counts.fast_retransmits, counts.timeouts), (1, 1), "{growth}: {counts:?}");
        let series = records.series.iter().find(|series| series.metric == Metric::Cwnd).expect("it is recorded");
        let Columns::Points { time, value } = &series.columns else { panic!("it has points") };
        let first = value.iter().position(|cwnd| *cwnd <= MSS).expect("the timer expires");
        let ssthresh = self::value(&records, Metric::Ssthresh, time[first + 1].as_secs_f64()) / MSS;
        (value[first + 1] / MSS, ssthresh)
    };
    assert_eq!(opens("linux").0, 2.0);
    let (cwnd, ssthresh) = opens("standard");
    assert!(ssthresh >= 10.0 && (cwnd - ssthresh).abs() < 0.5, "{cwnd} {ssthresh}");
}

/// The application writes six segments each 250 ms, two round trips and a half: more than half of the first window of ten, which grows to twelve in slow start,
/// of which six are half. Five are half of ten. In `standard` neither fills the window.
#[test]
fn half_a_window_is_enough_in_slow_start() {
    for (write, growth, expected) in
        [(6, "linux", 12.0), (5, "linux", 10.0), (6, "standard", 10.0), (10, "standard", 20.0)]
    {
        let write_key = format!("traffic.write={write} segments");
        let growth_key = format!("tcp.window_growth={growth}");
        let sets = ["traffic.write_interval=250 ms", "tcp.receive_window=4 MB", "tcp.delayed_ack=false"];
        let records = run(&format!("{write}, {growth}"), &[&sets[..], &[&write_key, &growth_key]].concat());
        assert_eq!(value(&records, Metric::Cwnd, 5.9) / MSS, expected, "{write}, {growth}");
    }
}
