//! What RFCs of today ask of a sender, each over a whole path in the dialect `standard`, on both engines, beside instants
//! calculated by hand. The round trip without queues is 2 · (1 ms + delay + 1 ms) and the transmission times: 12 µs on each
//! access link of 1 Gb/s, and 1500 octets at the rate of the middle.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{flow, scenario};
use ackclock::record::{Columns, Metric, Records};
use ackclock::units::Time;

const MSS: f64 = 1448.0;

/// One flow f1 over a middle of this rate and delay.
fn path(duration: &str, rate: &str, delay: &str, tcp: &str, of_flow: &str) -> String {
    let window = if tcp.contains("receive_window") { "" } else { "receive_window = \"4194304 B\"\n" };
    format!(
        "duration = \"{duration}\"\nrecord = [\"cwnd\", \"ssthresh\", \"rto\", \"rtt\", \"sent\", \"acknowledged\", \"retransmissions\"]\n\
         [network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 1\naccess_rate = \"10 Gbps\"\n\
         access_delay = \"1 ms\"\nbottleneck_rate = \"{rate}\"\nbottleneck_delay = \"{delay}\"\n\
         [queue]\nbuffer = \"20000 packets\"\n[tcp]\ndialect = \"standard\"\n{window}{tcp}\n[flow.f1]\n{of_flow}\n"
    )
}

fn run(name: &str, text: &str, sets: &[&str]) -> Records {
    assert_engines_agree(name, &scenario(text, sets), 1)
}

fn points(records: &Records, metric: Metric) -> Vec<(f64, f64)> {
    let series = records.series.iter().find(|series| series.metric == metric && series.of == "f1").unwrap();
    let Columns::Points { time, value } = &series.columns else { panic!("{metric:?} has points") };
    time.iter().map(|time: &Time| time.as_secs_f64()).zip(value.iter().copied()).collect()
}

fn value(records: &Records, metric: Metric, at: f64) -> f64 {
    points(records, metric).iter().take_while(|&&(time, _)| time <= at).last().expect("it has a value").1
}

/// The window in segments.
fn cwnd(records: &Records, at: f64) -> f64 {
    value(records, Metric::Cwnd, at) / MSS
}

fn times(records: &Records, metric: Metric) -> Vec<f64> {
    points(records, metric).iter().map(|&(time, _)| time).collect()
}

fn timeouts(records: &Records) -> u64 {
    flow(records, "f1").counts.timeouts
}

/// Whether these instants are those, each at most a millisecond later.
#[track_caller]
fn assert_at(name: &str, instants: &[f64], expected: &[f64]) {
    let late = |(is, expected): (&f64, &f64)| (0.0..0.001).contains(&(is - expected));
    assert!(
        instants.len() == expected.len() && instants.iter().zip(expected).all(late),
        "{name}: {instants:?}, not {expected:?}"
    );
}

// ---- RFC 8985: RACK-TLP ----

/// RFC 8985 §7.2: PTO = min(PTO, time to the RTO). Over 544 ms the RTO is 1 s after the last acknowledgement, 2 · SRTT + 200 ms
/// would be 1.29 s: the probe is sent in the place of the timeout, and leaves window and RTO as they were.
#[test]
fn a_probe_is_sent_no_later_than_the_timeout() {
    let text = path("20 s", "50 Mbps", "270 ms", "fin = false", "size = \"289600 B\"\ndrops = [199]");
    let records = run("probe", &text, &[]);
    assert_eq!(timeouts(&records), 0);
    let [again] = times(&records, Metric::Retransmissions)[..] else { panic!("one probe") };
    let rto = value(&records, Metric::Rto, again);
    // The last acknowledgement, which starts the timer, is that of segment 198: the last change of the window.
    let last = points(&records, Metric::Cwnd).iter().rfind(|&&(time, _)| time < again).unwrap().0;
    assert!((again - (last + rto)).abs() < 1e-6, "{again}: {last} + {rto}");
    assert_eq!(rto, 1.0);
    assert_eq!(cwnd(&records, again + 0.5), cwnd(&records, again - 0.1), "the probe does not change the window");
    assert!(flow(&records, "f1").completed.is_some());
}

/// RFC 8985 §8: one timer at a time. Three segments every 2 s over 850 ms; of those written at 40 s the first is lost. The RTO of 1 s
/// would expire at 41 s; the reordering timer, which takes its place, at 40 s + 850 ms + 850 ms/4.
#[test]
fn the_reordering_timer_takes_the_place_of_the_retransmission_timer() {
    let tcp = "delayed_ack = false";
    let text = path("50 s", "50 Mbps", "423 ms", tcp, "write = \"3 segments\"\nwrite_interval = \"2 s\"\ndrops = [60]");
    let records = run("one timer", &text, &[]);
    assert_eq!(timeouts(&records), 0);
    assert_at("retransmission", &times(&records, Metric::Retransmissions), &[40.0 + 0.850 * 1.25]);
}

/// RFC 8985 §6.2, step 1: the shortest round trip is that of the last 300 s. The path is longer from 20 s on, 850 ms instead of
/// 100; the reordering window is a quarter of 100 ms until 320 s, then of 850 ms.
#[test]
fn the_shortest_round_trip_is_forgotten() {
    let tcp = "delayed_ack = false";
    let drops = "write = \"3 segments\"\nwrite_interval = \"2 s\"\ndrops = [150, 540]";
    let text = path("400 s", "50 Mbps", "48 ms", tcp, drops);
    let sets = ["link.\"sw1->sw2\".delay=[\"48 ms\", { at = \"20 s\", delay = \"798 ms\" }]"];
    let records = run("forgotten", &text, &sets);
    assert_eq!(timeouts(&records), 0);
    // The longer path is probed, needlessly, until twice the smoothed round trip is longer. Of the three segments of a piece two give it a
    // round trip of 850 ms, an eighth each: 100, 194, 276, 348, 410, 465, 514 ms. The third was sent twice.
    let smoothed = |samples: usize| (0..samples).fold(0.100, |smoothed, _| 0.875 * smoothed + 0.125 * 0.850);
    let probes = [20.0 + 2.0 * smoothed(0), 22.0 + 2.0 * smoothed(2), 24.0 + 2.0 * smoothed(4)];
    // Segments 150 and 540 are written at 100 s and at 360 s.
    let expected = [100.0 + 0.850 + 0.025, 360.0 + 0.850 * 1.25];
    let again: Vec<f64> = times(&records, Metric::Retransmissions);
    assert_eq!(again.len(), 5, "{again:?}");
    assert!(again.iter().zip(probes).all(|(again, probe)| (again - probe).abs() < 0.002), "{again:?}, not {probes:?}");
    assert_at("retransmissions", &again[3..], &expected);
}

/// A path whose delay falls by 30 ms again and again, over 102 ms, and loses nothing.
fn reordering(duration: u32) -> String {
    let step = |ms: u32, delay: u32| format!("{{ at = \"{ms} ms\", delay = \"{delay} ms\" }}");
    let steps: Vec<String> = (8..4 * duration - 4).map(|n| step(250 * n, if n % 2 == 0 { 20 } else { 50 })).collect();
    let text = path(&format!("{duration} s"), "50 Mbps", "50 ms", "congestion_control = \"cubic\"", "");
    format!("{text}[link.\"sw1->sw2\"]\ndelay = [\"50 ms\", {}]\n", steps.join(", "))
}

/// RFC 8985 §6.2, step 4: with D-SACKs the reordering window grows by a quarter of 72 ms each round trip that has one, up to more
/// than the 30 ms by which segments are late: then nothing is sent again for nothing.
#[test]
fn reports_of_second_copies_widen_the_reordering_window() {
    let text = reordering(20);
    let needless = |dsack: &str| {
        let records = run("D-SACK", &text, &[dsack, "tcp.receive_window=500 kB"]);
        flow(&records, "f1").counts.unnecessary_retransmissions
    };
    let (with, without) = (needless("tcp.dsack=true"), needless("tcp.dsack=false"));
    assert!(without > 300 && with * 4 < without, "{with} with D-SACK, {without} without");
}

// ---- The round trip of the handshake ----

/// RFC 8985 §7.2, RFC 6298: after a handshake of 100 ms SRTT is known. One segment is probed for after 2 · 100 + 200 ms, three
/// after 2 · 100 ms; both begin at 100 ms.
#[test]
fn the_handshake_gives_the_first_probe_its_time() {
    for (size, drops, expected) in [("1448 B", "[0]", 0.5), ("4344 B", "[0, 1, 2]", 0.3)] {
        let text = path("20 s", "50 Mbps", "48 ms", "fin = false", &format!("size = \"{size}\"\ndrops = {drops}"));
        let records = run("first probe", &text, &[]);
        assert_at(size, &times(&records, Metric::Retransmissions)[..1], &[expected]);
        assert_eq!(timeouts(&records), 0);
    }
}

/// BBRInitPacingRate (): gain · InitialCwnd / SRTT, so the first ten segments are SRTT/(10 · gain) apart.
#[test]
fn the_handshake_gives_bbr_its_first_pace() {
    for (version, gain) in [("bbr1", 2.885), ("bbr3", 2.77)] {
        let text = path("2 s", "50 Mbps", "48 ms", &format!("congestion_control = \"{version}\""), "");
        let records = run(version, &text, &[]);
        let sent = times(&records, Metric::Sent);
        for pair in sent[..10].windows(2) {
            let expected = 0.1 / (10.0 * gain);
            let gap = pair[1] - pair[0];
            assert!((gap / expected - 1.0).abs() < 0.005, "{version}: {gap} s, not {expected}");
        }
    }
}

// ---- RFC 5681 §3.1: repeated timeouts ----

/// The link is down for 5 s: the same segment times out several times, and ssthresh stays what the first left.
#[test]
fn repeated_timeouts_leave_ssthresh() {
    for algorithm in ["reno", "cubic", "hybla", "vegas-linux", "vegas"] {
        let text = path("40 s", "20 Mbps", "48 ms", &format!("congestion_control = \"{algorithm}\""), "");
        let outage = "link.\"sw1->sw2\".outages=[{ from = \"15 s\", until = \"20 s\" }]";
        let records = run(algorithm, &text, &["queue.buffer=1 bdp", outage, "link.\"sw1->sw2\".queued=flush"]);
        let timeouts: Vec<f64> =
            flow(&records, "f1").timeout_times.iter().map(|time: &Time| time.as_secs_f64()).collect();
        assert!(timeouts.len() >= 2 && timeouts[0] > 15.0, "{algorithm}: {timeouts:?}");
        let first = value(&records, Metric::Ssthresh, timeouts[0]) / MSS;
        let last = value(&records, Metric::Ssthresh, timeouts[timeouts.len() - 1]) / MSS;
        assert!(first == last && first > 30.0, "{algorithm}: {first}, then {last} segments");
    }
}

// ---- RFC 9438: CUBIC ----

/// RFC 9438 §4.8: the stage after a timeout begins at W_max = cwnd, K = 0: ten seconds later 0.4 · 10³ = 400 segments have come to it.
/// Slow start ends at 100 segments, and at 2 s Reno's growth by one per round trip has come to some 113; the timeout is at 3 s.
#[test]
fn cubic_begins_at_its_window_after_a_timeout() {
    let tcp = "congestion_control = \"cubic\"\ninitial_ssthresh = \"144800 B\"\nreceive_window = \"64 MiB\"";
    let text = path("20 s", "10 Gbps", "48 ms", tcp, "");
    let outage = "link.\"sw1->sw2\".outages=[{ from = \"2 s\", until = \"3.2 s\" }]";
    let records = run("timeout", &text, &[outage, "link.\"sw1->sw2\".queued=flush"]);
    assert!(timeouts(&records) >= 1);
    let ssthresh = value(&records, Metric::Ssthresh, 19.0) / MSS;
    assert!((77.0..82.0).contains(&ssthresh), "0.7 of some 113: {ssthresh}");
    let windows = points(&records, Metric::Cwnd);
    let begins = windows.iter().find(|&&(time, cwnd)| time > 3.2 && cwnd / MSS >= ssthresh).unwrap().0;
    let reached = cwnd(&records, begins + 10.0);
    assert!((reached / (ssthresh + 400.0) - 1.0).abs() < 0.03, "{reached} from {ssthresh}");
}

/// RFC 9438 §4.2, §5.8: times without use are no part of a stage; W_max, K and t stay. The same loss, then in one go and in pieces of
/// 800 segments: after as many segments the windows are the same.
#[test]
fn pauses_are_left_out_of_a_stage_of_cubic() {
    let tcp =
        "congestion_control = \"cubic\"\ndelayed_ack = false\nreceive_window = \"64 MiB\"\nrestart_after_idle = false";
    let text = path("45 s", "10 Gbps", "48 ms", tcp, "drops = [30]");
    let greedy = run("in one go", &text, &["duration=12 s"]);
    let pieces = run("in pieces", &text, &["flow.f1.write=800 segments", "flow.f1.write_interval=3.5 s"]);
    // As many segments are sent, in a little more time, as the last window of a piece is only partly full: by a tenth at most.
    let sent = |records: &Records, number: f64| {
        let sent = points(records, Metric::Sent);
        let at = sent.iter().find(|&&(_, seq)| seq >= number * MSS).expect("so many are sent").0;
        cwnd(records, at)
    };
    for number in [3000.0, 5000.0, 7000.0] {
        let (of_greedy, of_pieces) = (sent(&greedy, number), sent(&pieces, number));
        assert!((0.95..1.1).contains(&(of_pieces / of_greedy)), "at segment {number}: {of_pieces}, not {of_greedy}");
    }
}

// ---- Pauses ----

/// Draft BBR, "Restarting From Idle": a sender that pauses for longer than the window of the shortest round trip sends no less
/// afterwards, and its first segments leave at the rate of the path.
#[test]
fn bbr_does_not_measure_the_round_trip_again_after_a_pause() {
    for (version, write_interval) in [("bbr1", 12), ("bbr3", 7)] {
        let pieces = format!("write = \"4000 segments\"\nwrite_interval = \"{write_interval} s\"");
        let text = path("60 s", "20 Mbps", "48 ms", &format!("congestion_control = \"{version}\""), &pieces);
        let records = run(version, &text, &["queue.buffer=1 bdp"]);
        let sent = times(&records, Metric::Sent);
        for piece in 1..5 {
            let start = f64::from(piece * write_interval);
            let least = points(&records, Metric::Cwnd)
                .iter()
                .filter(|&&(time, _)| (start..start + 0.6).contains(&time))
                .map(|&(_, cwnd)| cwnd / MSS)
                .fold(f64::INFINITY, f64::min);
            let least = least.min(cwnd(&records, start));
            assert!(least > 150.0, "{version} after {start} s: {least} segments");
            let first: Vec<f64> = sent.iter().copied().filter(|&time| time >= start).take(20).collect();
            let gap = (first[19] - first[0]) / 19.0;
            let expected = 1500.0 * 8.0 / 20e6;
            assert!((0.97..1.03).contains(&(gap / expected)), "{version} after {start} s: {gap} s, not {expected}");
        }
    }
}

/// Linux resets the base round trip of Vegas after a pause: on a path that has become longer meanwhile the difference is not
/// taken for a queue.
#[test]
fn vegas_of_linux_measures_its_base_round_trip_anew_after_a_pause() {
    let tcp = "congestion_control = \"vegas-linux\"\nrestart_after_idle = false";
    let text = path("30 s", "20 Mbps", "20 ms", tcp, "write = \"400 segments\"\nwrite_interval = \"5 s\"");
    let delays = "link.\"sw1->sw2\".delay=[\"20 ms\", { at = \"9 s\", delay = \"120 ms\" }]";
    let records = run("base", &text, &[delays]);
    let (before, after) = (cwnd(&records, 9.0), cwnd(&records, 29.0));
    assert!(before > 8.0 && after >= before, "{before} segments, then {after}");
}

/// RFC 9438 §5.8, RFC 7661: one segment every 50 ms over 100 ms. The initial window of ten is never full, and does not grow.
/// RFC 5681 §3.1, equation (4): a loss leaves what was in flight, three segments at most, so ssthresh is two.
#[test]
fn an_unused_window_does_not_grow() {
    for algorithm in ["reno", "vegas-linux", "cubic", "hybla"] {
        let tcp = format!("congestion_control = \"{algorithm}\"");
        let text =
            path("20 s", "10 Mbps", "48 ms", &tcp, "write = \"1 segment\"\nwrite_interval = \"50 ms\"\ndrops = [300]");
        let records = run(algorithm, &text, &[]);
        let before = points(&records, Metric::Cwnd).into_iter().filter(|&(time, _)| time < 15.0);
        let largest = before.map(|(_, cwnd)| cwnd / MSS).fold(0.0, f64::max);
        assert_eq!(largest, 10.0, "{algorithm}");
        // Three or four segments are in flight when the loss is found; 0.7 of four are 2.8.
        let ssthresh = value(&records, Metric::Ssthresh, 19.0) / MSS;
        assert_eq!(ssthresh, if algorithm == "cubic" { 2.8 } else { 2.0 }, "{algorithm}");
    }
}

/// Ten segments every 0.9 s, and a window of ten: it was full, so each of the ten acknowledgements lets it grow though nothing more is
/// written. A window of twenty is not.
#[test]
fn acknowledgements_of_a_full_window_count_though_the_data_has_ended() {
    for algorithm in ["reno", "cubic", "vegas-linux"] {
        let tcp = format!("congestion_control = \"{algorithm}\"\ndelayed_ack = false");
        let text = path("10 s", "1 Gbps", "48 ms", &tcp, "write = \"10 segments\"\nwrite_interval = \"900 ms\"");
        let records = run(algorithm, &text, &[]);
        assert_eq!([0.05, 0.5, 9.9].map(|at| cwnd(&records, at)), [10.0, 20.0, 20.0], "{algorithm}");
    }
}

/// RFC 5681 §4.1: after a pause longer than the RTO a sender begins with the restart window, ten segments; after a shorter one not.
#[test]
fn a_sender_begins_again_with_the_restart_window() {
    for (interval, write, expected) in [(5.0, "5 s", 10), (0.9, "900 ms", 16)] {
        let pieces = format!("write = \"16 segments\"\nwrite_interval = \"{write}\"");
        let text = path("20 s", "1 Gbps", "48 ms", "delayed_ack = false", &pieces);
        let records = run(write, &text, &[]);
        let at_once =
            |n: f64| times(&records, Metric::Sent).iter().filter(|&&time| (time - n * interval).abs() < 1e-9).count();
        assert_eq!([at_once(2.0), at_once(3.0)], [expected; 2], "{write}");
    }
}

// ---- RFC 6298, RFC 3042, RFC 7323 ----

/// RFC 6298 §5.7: SYNs were lost until 20 s, and the RTO is 16 s by then. Data begins with 3 s: its first segment, sent at 20.099 s and
/// lost, is sent again 3 s later. The SYN waited at the switch: the connection is open 99 ms after 20 s.
#[test]
fn the_timeout_is_three_seconds_after_lost_syns() {
    let text = path("60 s", "20 Mbps", "48 ms", "recovery = \"rfc6675\"", "size = \"100 kB\"\ndrops = [0]");
    let outage = "link.\"sw1->sw2\".outages=[{ from = \"0 s\", until = \"20 s\" }]";
    let records = run("SYN", &text, &[outage, "link.\"sw1->sw2\".queued=flush"]);
    assert_at("retransmission", &times(&records, Metric::Retransmissions)[..1], &[23.099]);
}

/// RFC 3042: three segments, the first lost, without SACK. Each of the two duplicate acknowledgements allows a new segment, whose own
/// makes three and four: the segment is sent again two round trips after it was sent, at 300 ms, and not after a timeout.
#[test]
fn two_duplicate_acknowledgements_without_sack_allow_two_segments() {
    for recovery in ["new-reno", "reno", "rack", "rfc6675"] {
        let tcp = format!("recovery = \"{recovery}\"\nreceiver_sack = false\ninitial_window = \"3 segments\"");
        let text = path("5 s", "1 Gbps", "48 ms", &tcp, "size = \"10 kB\"\ndrops = [0]");
        let records = run(recovery, &text, &[]);
        assert_eq!(timeouts(&records), 0, "{recovery}");
        assert_at(recovery, &times(&records, Metric::Retransmissions)[..1], &[0.3]);
    }
}

/// RFC 7323 appendix G, calculated from what was sent, acknowledged and measured: SRTT and RTTVAR follow a queue over several round trips.
/// Slow start doubles a round trip of 600 ms in fewer. The first loss is repaired after 1.2 s, the RTO is less: a needless timeout. With
/// the gains of RFC 6298 for each sample, SRTT follows within a fraction of a round trip, and there is none.
#[test]
fn scaled_gains_come_too_late_for_a_queue_that_slow_start_builds() {
    let tcp = "congestion_control = \"reno\"\nreceive_window = \"auto\"";
    let text = path("16 s", "50 Mbps", "298 ms", tcp, "");
    let records = run("gains", &text, &["queue.buffer=1 bdp"]);
    let lost = times(&records, Metric::Retransmissions)[0];
    // The handshake gives the first sample: SRTT = r, RTTVAR = r/2, RTO = 3r.
    let first = points(&records, Metric::Rto).iter().find(|&&(_, rto)| rto > 1.0).unwrap().1 / 3.0;
    let (mut srtt, mut rttvar) = (first, first / 2.0);
    let (sent, samples) = (points(&records, Metric::Sent), points(&records, Metric::Rtt));
    let (mut una, mut round_ends, mut outstanding) = (0.0, 0.0, 0.0);
    let (mut next, mut max, mut last) = (0, 0.0_f64, (0.0, 0.0));
    let acknowledged = points(&records, Metric::Acknowledged).into_iter().filter(|&(_, ack)| ack > 0.0);
    for ((now, ack), &(_, r)) in acknowledged.zip(&samples).take_while(|((now, _), _)| *now < lost) {
        while sent.get(next).is_some_and(|&(time, _)| time < now) {
            max = max.max(sent[next].1 + MSS);
            next += 1;
        }
        if ack > round_ends {
            (outstanding, round_ends) = (max - una, max);
        }
        let expected = (outstanding / (2.0 * MSS)).ceil().max(1.0);
        rttvar += ((srtt - r).abs() - rttvar) / (4.0 * expected);
        srtt += (r - srtt) / (8.0 * expected);
        (una, last) = (ack, (now, r));
    }
    let rto = srtt + 4.0 * rttvar;
    assert!((value(&records, Metric::Rto, lost) / rto - 1.0).abs() < 1e-6, "{rto}");
    assert!(last.1 > 1.19 && rto < 1.15, "{} and {rto}", last.1);
    let timeouts = &flow(&records, "f1").timeout_times;
    assert!(timeouts.len() == 1 && (timeouts[0].as_secs_f64() - (last.0 + rto)).abs() < 1e-5, "{timeouts:?}");
    let plain = run("gains of each", &text, &["queue.buffer=1 bdp", "tcp.scale_rtt_gains=false"]);
    assert_eq!(self::timeouts(&plain), 0);
    assert!(flow(&records, "f1").counts.unnecessary_retransmissions > 2000);
    assert_eq!(flow(&plain, "f1").counts.unnecessary_retransmissions, 0);
}

/// RFC 6675 §2: also an acknowledgement that another has overtaken says what has arrived. Every other of eleven segments is lost just before
/// the retransmission of 5000 arrives, and from then on the way back is 15 ms shorter: the acknowledgement of the retransmission overtakes
/// the last 15 ms. It has room for the last three of six blocks. The others are only in those overtaken, which come within the 25 ms for
/// which RACK waits (reordering was seen at 1.5 s, so it waits): without them 5491, 5493 and 5495 are sent again for nothing.
#[test]
fn blocks_of_an_overtaken_acknowledgement_are_used() {
    let tcp = "congestion_control = \"reno\"\ndelayed_ack = false\ninitial_ssthresh = \"579200 B\"";
    let of_flow = "size = \"20 MB\"\ndrops = [5000, 5490, 5492, 5494, 5496, 5498, 5500]\n\
                   [link.\"sw1->sw2\"]\ndelay = [\"48 ms\", { at = \"1.5 s\", delay = \"47.6 ms\" }]\n\
                   [link.\"sw2->sw1\"]\ndelay = [\"48 ms\", { at = \"1956.5 ms\", delay = \"33 ms\" }]";
    let records = run("overtaken", &path("6 s", "50 Mbps", "48 ms", tcp, of_flow), &[]);
    let again: Vec<f64> = points(&records, Metric::Retransmissions).iter().map(|&(_, seq)| seq / MSS).collect();
    assert_eq!(again, [5000.0, 5490.0, 5492.0, 5494.0, 5496.0, 5498.0, 5500.0]);
    // The acknowledgement overtakes: it comes 15 ms sooner than the first one for 5000 did after its segment was sent.
    let sent = times(&records, Metric::Retransmissions)[0];
    let acknowledged = points(&records, Metric::Acknowledged);
    let jump = acknowledged.iter().find(|&&(_, ack)| ack == 5490.0 * MSS).unwrap().0 - sent;
    assert!((0.0845..0.0855).contains(&jump), "{jump}");
}
