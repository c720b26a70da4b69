//! Hosts that take time for segments and acknowledgements, and timers of single segments: by hand, in networks, on both engines.

use crate::lab::agree::assert_engines_agree;
use crate::lab::{flow, port, run, scenario};
use ackclock::packet::Segment;
use ackclock::record::{Columns, FlowCounts, Metric, Records};
use ackclock::sim::Engine;
use ackclock::tcp::cc::{Ack, CongestionControl, CustomCongestionControl, Loss, Needs, Window};
use ackclock::tcp::host::{AckNumber, Distribution, Served};
use ackclock::tcp::*;
use ackclock::units::{Span, Time};

/// Sources at one switch, destinations at another: 2, 10 and 2 km. Timers per segment, a receiver that discards.
const LAN: &str = r#"
duration = "2 s"
[network]
topology = "n-source"
sources = 5
rate = "150 Mbps"
access_delay = "10 us"
trunk_delay = "50 us"
[queue]
buffer = "1024 cells"
[atm]
llc = false
[tcp]
mss = "9140 B"
receive_window = "64000 B"
recovery = "vanilla"
out_of_order = "discard"
host = "served"
host_queue_at_timeout = "keep"
timer_per = "segment"
"#;

fn times(records: &Records, metric: Metric) -> Vec<Time> {
    let series = records.series.iter().find(|series| series.metric == metric).expect("it is recorded");
    let Columns::Points { time, .. } = &series.columns else { panic!("not points") };
    time.clone()
}

/// In microseconds, three digits behind the point, as the calculation has them.
fn us(time: Time) -> f64 {
    (time.as_ps() as f64 / 1e3).round() / 1e3
}

/// One connection, each service 1 ms. One way is 192 cells of 2 826 667 ps, 70 us, and a cell at each switch: 618.373 us; an
/// acknowledgement is one cell: 78.480 us. The window begins with one segment; where it allows two, the server takes the second a
/// service later.
#[test]
fn five_segments_alone_take_the_times_computed_by_hand() {
    let sets = ["network.sources=1", "duration=9.1 ms", "tcp.served.distribution=fixed", "tcp.tick=100 us"];
    let mut by_hand = scenario(LAN, &sets);
    by_hand.recording.metrics =
        [Metric::Sent, Metric::Acknowledged, Metric::Rto, Metric::OneWayDelay].into_iter().collect();
    let records = assert_engines_agree("by hand", &by_hand, 1);
    let all = |metric| times(&records, metric).into_iter().map(us).collect::<Vec<f64>>();
    assert_eq!(all(Metric::Sent)[..5], [1_000.0, 3_696.853, 4_696.853, 6_393.707, 7_393.707]);
    assert_eq!(all(Metric::OneWayDelay)[..5], [1_618.373, 4_315.227, 5_315.227, 7_012.08, 8_012.08]);
    let acknowledged = all(Metric::Acknowledged);
    assert_eq!(acknowledged[acknowledged.len() - 5..], [2_696.853, 5_393.707, 6_393.707, 8_090.56, 9_090.56]);
    // Timed are segments 1, 2 and 4, each with 17 ticks of 100 us: (144, 36), then (143, 28), then (143, 21).
    let series = records.series.iter().find(|series| series.metric == Metric::Rto).unwrap();
    let Columns::Points { time, value } = &series.columns else { panic!("not points") };
    let timeouts: Vec<(f64, f64)> =
        time.iter().zip(value).map(|(&time, &rto)| (us(time), (rto * 1e4).round())).collect();
    assert_eq!(timeouts[timeouts.len() - 3..], [(2_696.853, 54.0), (5_393.707, 45.0), (8_090.56, 38.0)]);
}

/// The same connection with other timers. Every round trip has 17 ticks of 100 us between sending and acknowledgement, also those
/// of segments 3 and 5: (144, 36), (143, 28), (143, 21), (143, 16), (143, 12). One at a time: the first three, at segments 1, 2
/// and 4. Factor 4: srtt8 / 8 + rttvar4; factor 2: (srtt8 + 4 rttvar4) / 8, cut off: 36, 31, 28, 25, 23.
#[test]
fn the_timeouts_of_five_segments_are_those_computed_by_hand() {
    let timed = [2_696.853, 5_393.707, 8_090.56];
    let all = [2_696.853, 5_393.707, 6_393.707, 8_090.56, 9_090.56];
    let cases: [(&[&str], &[f64], &[f64]); 4] = [
        (&[], &timed, &[54.0, 45.0, 38.0]),
        (&["tcp.rttvar_factor=2"], &timed, &[36.0, 31.0, 28.0]),
        (&["tcp.rtt_samples=every-segment"], &all, &[54.0, 45.0, 38.0, 33.0, 29.0]),
        (&["tcp.rtt_samples=every-segment", "tcp.rttvar_factor=2"], &all, &[36.0, 31.0, 28.0, 25.0, 23.0]),
    ];
    for (sets, instants, ticks) in cases {
        let base = ["network.sources=1", "duration=9.1 ms", "tcp.served.distribution=fixed", "tcp.tick=100 us"];
        let mut scenario = scenario(LAN, &[&base, sets].concat());
        scenario.recording.metrics = [Metric::Rto, Metric::Rtt].into_iter().collect();
        let records = assert_engines_agree("timeouts by hand", &scenario, 1);
        let of = |metric: Metric, unit: f64| -> Vec<(f64, f64)> {
            let series = records.series.iter().find(|series| series.metric == metric).unwrap();
            let Columns::Points { time, value } = &series.columns else { panic!("not points") };
            time.iter().zip(value).map(|(&time, &value)| (us(time), (value / unit).round())).collect()
        };
        let rto = of(Metric::Rto, 1e-4);
        let expected: Vec<(f64, f64)> = instants.iter().copied().zip(ticks.iter().copied()).collect();
        assert_eq!(rto[rto.len() - expected.len()..], expected, "{sets:?}");
        // What is recorded as a round trip is what the timer measures: 1696.853 us each, 1697 of them.
        let measured: Vec<(f64, f64)> = instants.iter().map(|&at| (at, 1697.0)).collect();
        assert_eq!(of(Metric::Rtt, 1e-6), measured, "{sets:?}");
    }
}

/// Segment 3 is lost. It was sent at 4.697 ms, after 46 ticks, when the timeout was 54 ticks. At 5.394 ms segment 2 is acknowledged:
/// the timeout is 45 ticks, and segment 3 is the oldest. Its timer expires at tick 46 + 45, or 46 + 54; the service takes 1 ms.
#[test]
fn a_lost_segment_is_sent_again_after_the_timeout_of_now_or_of_when_it_was_sent() {
    for (set, again) in [("tcp.segment_timeout=current", 10_100.0), ("tcp.segment_timeout=when-sent", 11_000.0)] {
        let base = ["network.sources=1", "duration=12 ms", "tcp.served.distribution=fixed", "tcp.tick=100 us"];
        let mut scenario = scenario(LAN, &[&base[..], &["flow.f1.drops=[2]", set]].concat());
        scenario.recording.metrics = [Metric::Sent, Metric::Retransmissions].into_iter().collect();
        let records = assert_engines_agree(set, &scenario, 1);
        let sent: Vec<f64> = times(&records, Metric::Sent).into_iter().map(us).collect();
        assert_eq!(sent[..5], [1_000.0, 3_696.853, 4_696.853, 6_393.707, 7_393.707]);
        assert_eq!(us(times(&records, Metric::Retransmissions)[0]), again, "{set}");
    }
}

/// The number of an acknowledgement is that of the arrival, or that of the end of its service: two segments arrive within one
/// service, and the first acknowledgement tells of both only if its number is fixed late.
#[test]
fn an_acknowledgement_says_what_was_known_when_its_number_was_fixed() {
    let at = |ms| Time::ZERO + Span::from_ms(ms);
    for (ack_number, expected) in [(AckNumber::Arrival, [100, 200]), (AckNumber::Departure, [200, 200])] {
        let served = fixed(ack_number);
        let mut receiver =
            Receiver::new(&TcpParams { mss: 100, host: HostModel::Served(served), ..TcpParams::default() });
        for (now, seq) in [(at(0), 0), (at(1), 100)] {
            receiver.on_segment(now, Segment { seq, len: 100, ..Segment::default() });
            assert_eq!(receiver.poll_segment(now), None, "in service");
        }
        let mut next = |ms| {
            assert_eq!(receiver.next_deadline(), Some(at(ms)));
            receiver.on_timer(at(ms));
            receiver.poll_segment(at(ms)).map(|segment| segment.ack)
        };
        assert_eq!([next(2), next(4)].map(Option::unwrap), expected, "{ack_number:?}");
        assert_eq!(receiver.next_deadline(), None);
    }
}

/// 2 ms for a segment, 2 ms for an acknowledgement.
fn fixed(ack_number: AckNumber) -> Served {
    let two = Span::from_ms(2);
    Served { distribution: Distribution::Fixed, segment: two, acknowledgement: two, ack_number }
}

const MSS: u64 = 100;

/// A sender that has begun, with ticks of 100 ms and a first timeout of 3 s.
fn sender(host: HostModel, scope: TimerScope, window: u32) -> Sender {
    begun(&params(host, scope, window))
}

fn params(host: HostModel, scope: TimerScope, window: u32) -> TcpParams {
    let mut params = TcpParams {
        mss: MSS as u32,
        recovery: RecoveryParams::Vanilla(()),
        initial_window_segments: window,
        host,
        ..TcpParams::default()
    };
    params.timer.scope = scope;
    params
}

fn begun(params: &TcpParams) -> Sender {
    let transfer = Transfer { start: Time::ZERO, stop: None, size: None, application: None };
    let mut sender = Sender::new(params, transfer, TickClock::new(params.timer.granularity, Span::ZERO));
    sender.on_timer(Time::ZERO);
    sender
}

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// The numbers of the segments that are sent at an instant.
fn sent(sender: &mut Sender, ms: u64) -> Vec<u64> {
    std::iter::from_fn(|| sender.poll_segment(at(ms))).take(1000).map(|segment| segment.seq / MSS).collect()
}

fn acknowledge(sender: &mut Sender, ms: u64, number: u64) {
    sender.on_segment(at(ms), Segment { ack: number * MSS, ..Segment::default() });
}

/// Segments 0 to 3 at time 0, then 2 ticks to the first acknowledgement: 3 + 6 ticks. The timer of the connection starts again
/// at each acknowledgement, after 2 ticks and after 5; that of segment 1, and of segment 2, runs from tick 0.
#[test]
fn the_timer_of_a_segment_runs_from_its_own_start() {
    for (scope, first, second) in [(TimerScope::Connection, 1100, 1400), (TimerScope::Segment, 900, 900)] {
        let mut sender = sender(HostModel::Immediate, scope, 4);
        assert_eq!(sent(&mut sender, 0), [0, 1, 2, 3]);
        assert_eq!(sender.next_deadline(), Some(at(3000)));
        acknowledge(&mut sender, 250, 1);
        assert_eq!((sender.rto_ticks(), sender.next_deadline()), (9, Some(at(first))), "{scope:?}");
        assert_eq!(sent(&mut sender, 250), [4, 5]);
        acknowledge(&mut sender, 550, 2);
        assert_eq!(sender.next_deadline(), Some(at(second)), "{scope:?}");
        // Of segment 4, sent after 2 ticks: m = 2, so 3 − 1/8 and 6/4 − ¼ of it … 8 ticks more.
        sent(&mut sender, 550);
        acknowledge(&mut sender, 560, 4);
        let of_segment_4 = if scope == TimerScope::Segment { 1100 } else { 1400 };
        assert_eq!(sender.next_deadline(), Some(at(of_segment_4)), "{scope:?}");
    }
}

/// The timeout is 30 ticks when segments 0 to 3 are sent. A round trip of 2 ticks, counted as 3, makes it 3 + 6: when segment 1
/// becomes the oldest its timer runs for 9 ticks, or for the 30 of when it was sent. Segments 4 and 5 are sent after 2 ticks, for 9.
/// Then a round trip of 8 ticks is measured, of segment 3: error 5, 29 and 6 + 5 − 1 = 10, 3 + 10 ticks: the timer of segment 4 runs
/// for 13, or for 9.
#[test]
fn the_timer_of_a_segment_runs_for_the_timeout_of_now_or_of_when_it_was_sent() {
    for (segment_timeout, of_segment_1, of_segment_4) in
        [(SegmentTimeout::Current, 900, 1500), (SegmentTimeout::WhenSent, 3000, 1100)]
    {
        let mut params = params(HostModel::Immediate, TimerScope::Segment, 4);
        params.timer.segment_timeout = segment_timeout;
        params.timer.samples = RttSamples::EverySegment;
        let mut sender = begun(&params);
        assert_eq!(sent(&mut sender, 0), [0, 1, 2, 3]);
        acknowledge(&mut sender, 250, 1);
        assert_eq!((sender.rto_ticks(), sender.next_deadline()), (9, Some(at(of_segment_1))), "{segment_timeout:?}");
        assert_eq!(sent(&mut sender, 250), [4, 5]);
        acknowledge(&mut sender, 850, 4);
        assert_eq!((sender.rto_ticks(), sender.next_deadline()), (13, Some(at(of_segment_4))), "{segment_timeout:?}");
    }
}

/// Of four segments sent at 0 the first is acknowledged after 2 ticks, the second after 3: error 0, 24 and 6 − 1 = 5, 8 ticks. One
/// segment at a time: that was the first, and the next is segment 4.
#[test]
fn round_trips_are_measured_of_one_segment_at_a_time_or_of_every_one() {
    for (samples, expected) in [(RttSamples::OneAtATime, 9), (RttSamples::EverySegment, 8)] {
        let mut params = params(HostModel::Immediate, TimerScope::Connection, 4);
        params.timer.samples = samples;
        let mut sender = begun(&params);
        assert_eq!(sent(&mut sender, 0), [0, 1, 2, 3]);
        acknowledge(&mut sender, 250, 1);
        assert_eq!(sender.rto_ticks(), 9, "{samples:?}");
        sent(&mut sender, 250);
        acknowledge(&mut sender, 350, 2);
        assert_eq!(sender.rto_ticks(), expected, "{samples:?}");
    }
}

/// After the timeout segment 0 is sent again. An acknowledgement of it alone is ambiguous: the doubled timeout stays. One of segment 2
/// is not, which was sent once: 30 ticks, counted as 31: 31 + 62. One segment at a time: the timeout ended the measurement.
#[test]
fn of_what_is_sent_twice_no_round_trip_is_measured() {
    for (samples, of_segment_2) in [(RttSamples::OneAtATime, 60), (RttSamples::EverySegment, 93)] {
        for (acknowledged, expected) in [(1, 60), (3, of_segment_2)] {
            let mut params = params(HostModel::Immediate, TimerScope::Segment, 3);
            params.timer.samples = samples;
            let mut sender = begun(&params);
            assert_eq!(sent(&mut sender, 0), [0, 1, 2]);
            sender.on_timer(at(3000));
            assert_eq!(sent(&mut sender, 3000), [0]);
            acknowledge(&mut sender, 3050, acknowledged);
            assert_eq!(sender.rto_ticks(), expected, "{samples:?}, {acknowledged}");
        }
    }
}

/// After the timeout only segment 0 is sent again. An acknowledgement of the first copies of 0 to 2 hands over to segment 3, whose
/// first start is forgotten: the timer is off until it is sent again, then runs for the doubled timeout.
#[test]
fn a_timeout_forgets_when_the_other_segments_were_sent() {
    let mut sender = sender(HostModel::Immediate, TimerScope::Segment, 4);
    assert_eq!(sent(&mut sender, 0), [0, 1, 2, 3]);
    assert_eq!(sender.on_timer(at(3000)), Expired::Retransmission);
    assert_eq!(sender.next_deadline(), None, "off until the retransmission is sent");
    assert_eq!(sent(&mut sender, 3000), [0]);
    assert_eq!(sender.next_deadline(), Some(at(9000)));
    acknowledge(&mut sender, 3050, 3);
    assert_eq!(sender.next_deadline(), None);
    assert_eq!(sent(&mut sender, 3050), [3, 4]);
    assert_eq!((sender.rto_ticks(), sender.next_deadline()), (60, Some(at(9000))));
}

/// The server takes segment 0 at 0, 1 at 2, … ms; each is sent, timed, and starts the timer 2 ms later.
#[test]
fn a_served_segment_is_sent_when_its_service_is_over() {
    let mut sender = sender(HostModel::Served(fixed(AckNumber::Arrival)), TimerScope::Segment, 3);
    assert_eq!(sent(&mut sender, 0), [0_u64; 0]);
    assert_eq!((sender.next_deadline(), sender.timed(), sender.stats().segments_sent), (Some(at(2)), None, 0));
    sender.on_timer(at(2));
    assert_eq!(sent(&mut sender, 2), [0]);
    assert_eq!((sender.timed(), sender.stats().segments_sent), (Some(0), 1));
    assert_eq!(sender.next_deadline(), Some(at(4)), "the next service ends before the timer expires");
    for (ms, number) in [(4, 1), (6, 2)] {
        sender.on_timer(at(ms));
        assert_eq!(sent(&mut sender, ms), [number]);
    }
    assert_eq!(sender.next_deadline(), Some(at(3000)), "the window is full");
}

/// Segment 2 is in service when segment 0 is timed out: it is sent all the same, and starts no timer; then segment 0 is served.
#[test]
fn a_timeout_ends_no_service() {
    let slow = Served { segment: Span::from_ms(1400), ..fixed(AckNumber::Arrival) };
    let mut sender = sender(HostModel::Served(slow), TimerScope::Segment, 8);
    sent(&mut sender, 0);
    for (ms, number) in [(1400, 0), (2800, 1), (4200, 2)] {
        assert_eq!(sender.next_deadline(), Some(at(ms)));
        sender.on_timer(at(ms));
        assert_eq!(sent(&mut sender, ms), [number]);
    }
    // Segment 0 was sent after 13 ticks, and 30 more: tick 43, at 4300 ms; segment 3 is in service until 5600.
    assert_eq!(sender.next_deadline(), Some(at(4300)));
    assert_eq!(sender.on_timer(at(4300)), Expired::Retransmission);
    assert_eq!(sent(&mut sender, 4300), [0_u64; 0]);
    assert_eq!(sender.next_deadline(), Some(at(5600)));
    sender.on_timer(at(5600));
    assert_eq!(sent(&mut sender, 5600), [3]);
    assert_eq!(sender.next_deadline(), Some(at(7000)), "no timer runs; segment 0 is in service");
    // While it is, its first copy is acknowledged: what is sent again then starts no timer.
    acknowledge(&mut sender, 6000, 1);
    sender.on_timer(at(7000));
    assert_eq!(sent(&mut sender, 7000), [0]);
    assert_eq!(sender.stats().retransmissions, 1);
    assert_eq!(sender.next_deadline(), Some(at(8400)), "the service of segment 1");
}

/// The same with the timer of the connection: everything is acknowledged while segment 0 is in service again, so nothing is
/// outstanding. The round trip of segment 3 makes the timeout 15 ticks: a timer that began at 7000 would expire at 8400.
#[test]
fn what_was_acknowledged_in_service_starts_no_timer() {
    let slow = Served { segment: Span::from_ms(1400), ..fixed(AckNumber::Arrival) };
    let mut sender = sender(HostModel::Served(slow), TimerScope::Connection, 8);
    sent(&mut sender, 0);
    for ms in [1400, 2800, 4200, 4300, 5600] {
        assert_eq!(sender.next_deadline(), Some(at(ms)));
        sender.on_timer(at(ms));
        sent(&mut sender, ms);
    }
    acknowledge(&mut sender, 6000, 4);
    assert_eq!(sent(&mut sender, 6000), [0_u64; 0]);
    assert_eq!(sender.rto_ticks(), 15);
    for (ms, number) in [(7000, 0), (8400, 4)] {
        assert_eq!(sender.next_deadline(), Some(at(ms)));
        assert_eq!(sender.on_timer(at(ms)), Expired::Nothing, "{ms}");
        assert_eq!(sent(&mut sender, ms), [number]);
    }
}

/// One segment of 100 bytes in 10 ms.
struct Paced;

impl CongestionControl for Paced {
    fn on_ack(&mut self, _: &Ack, _: &mut Window) {}

    fn on_congestion(&mut self, _: &Loss, _: &mut Window) {}

    fn on_rto(&mut self, _: &Loss, _: &mut Window) {}

    fn pacing_rate(&self) -> Option<f64> {
        Some(MSS as f64 / 0.01)
    }
}

/// Service takes 2 ms, and does not begin before the pace allows a segment.
#[test]
fn a_served_segment_waits_for_the_pace_before_its_service() {
    let custom = CustomCongestionControl::new("paced", Needs::PACING, |_| Box::new(Paced));
    let params = TcpParams {
        mss: MSS as u32,
        congestion_control: CongestionControlParams::Custom(custom),
        recovery: recovery::Algorithm::named("rfc6675").unwrap().with_defaults(),
        initial_window_segments: 3,
        host: HostModel::Served(fixed(AckNumber::Arrival)),
        ..TcpParams::default()
    };
    let mut sender = begun(&params);
    assert_eq!(sent(&mut sender, 0), [0_u64; 0]);
    for (begins, number) in [(0, 0), (12, 1), (24, 2)] {
        if begins > 0 {
            assert_eq!(sender.next_deadline(), Some(at(begins)));
            sender.on_timer(at(begins));
            assert_eq!(sent(&mut sender, begins), [0_u64; 0]);
        }
        assert_eq!(sender.next_deadline(), Some(at(begins + 2)));
        sender.on_timer(at(begins + 2));
        assert_eq!(sent(&mut sender, begins + 2), [number]);
    }
}

/// Whatever is drawn, what comes in goes out, and the seed matters; both engines agree.
#[test]
fn served_hosts_on_both_engines() {
    let tahoe = ["tcp.rttvar_factor=2", "tcp.rtt_samples=every-segment", "tcp.segment_timeout=when-sent"];
    let cases: [(&str, &[&str]); 7] = [
        ("fine ticks, Tahoe", &[&tahoe[..], &["tcp.tick=100 us", "tcp.tick_phase=random"]].concat()),
        ("coarse ticks, Tahoe", &[&tahoe[..], &["tcp.tick=100 ms", "tcp.min_rto=3 ticks"]].concat()),
        ("fine ticks", &["tcp.tick=100 us", "tcp.tick_phase=random"]),
        ("coarse ticks", &["tcp.tick=100 ms", "tcp.tick_phase=random"]),
        ("slow cells", &["atm.pcr=40 Mbps", "queue.buffer=512 cells"]),
        ("late numbers", &["tcp.served.ack_number=departure", "tcp.timer_per=connection"]),
        ("what waits is discarded", &["tcp.host_queue_at_timeout=discard", "atm.pcr=40 Mbps", "tcp.tick=1 ms"]),
    ];
    for (name, sets) in cases {
        let mut scenario = scenario(LAN, sets);
        scenario.recording.metrics = Metric::ALL.into_iter().collect();
        scenario.recording.delays = true;
        let records: Vec<Records> = (1..=2).map(|seed| assert_engines_agree(name, &scenario, seed)).collect();
        for records in &records {
            crate::lab::conserves(records);
            assert!(flow(records, "f1").counts.timeouts > 0, "{name}");
            assert!(records.flows.iter().all(|flow| flow.counts.bytes_delivered > 0), "{name}");
        }
        assert_ne!(records[0].fingerprint, records[1].fingerprint, "{name}");
    }
}

/// Without a limit by the window or the queue, a sender sends as its server lets it: 1000 segments of 1 ms in a second, ± 5 standard
/// deviations of 1/√n.
#[test]
fn a_greedy_sender_is_as_fast_as_its_server() {
    let sets =
        ["network.sources=1", "queue.buffer=infinite", "tcp.receive_window=1 MB", "tcp.initial_window=100 segments"];
    let records = run(&scenario(LAN, &[&sets[..], &["duration=20 s"]].concat()), 1);
    let sent = flow(&records, "f1").counts.segments_sent as f64 / 20_000.0;
    assert!((sent - 1.0).abs() < 5.0 / 20_000_f64.sqrt(), "{sent}");
    assert_eq!(port(&records, "sw1->sw2").drops.total(), 0);
}

/// The timer of a segment expires while the queue grows faster than the timeout: hardly anything is lost, and nearly all that is sent
/// again was there already. A timer that acknowledgements restart hardly ever does.
#[test]
fn fine_timers_of_segments_expire_without_a_loss() {
    let of = |per: &str| {
        let scenario = scenario(LAN, &["queue.buffer=8192 cells", "tcp.tick=100 us", "tcp.tick_phase=random", per]);
        let records = run(&scenario, 1);
        let sum = |count: fn(&FlowCounts) -> u64| records.flows.iter().map(|flow| count(&flow.counts)).sum::<u64>();
        let unnecessary = sum(|counts| counts.unnecessary_retransmissions);
        let damaged = sum(|counts| counts.damaged_frames);
        (sum(|counts| counts.timeouts), sum(|counts| counts.retransmissions), unnecessary, damaged)
    };
    let (timeouts, retransmissions, unnecessary, damaged) = of("tcp.timer_per=segment");
    assert!(timeouts > 10 && unnecessary > 50 && damaged < 5, "{timeouts} {unnecessary} {damaged}");
    // But for those still under way at the end: a window of each flow.
    assert!(retransmissions - unnecessary <= 35 + 8 * damaged, "{retransmissions} {unnecessary}");
    let (of_connection, ..) = of("tcp.timer_per=connection");
    assert!(of_connection * 5 < timeouts, "{of_connection} {timeouts}");
}

/// The batched engine is asked for by default, and is used.
#[test]
fn served_hosts_without_abr_are_of_the_batched_engine() {
    let scenario = scenario(LAN, &[]);
    let events = |engine| {
        let mut simulation = ackclock::sim::build_with(&scenario, 1, engine);
        simulation.step(Time::NEVER).events
    };
    assert!(2 * events(Engine::Batched) < events(Engine::Reference));
}
