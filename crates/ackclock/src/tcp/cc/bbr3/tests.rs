use super::*;
use crate::tcp::cc::{Delivery, RateSample};
use crate::units::instants::ms as at;

const MSS: f64 = 1000.0;
/// The rate of the path, 100 kB/s; with a round trip of 100 ms it holds 10 kB.
const RATE: f64 = 100_000.0;

fn bbr(seed: u64) -> (Bbr3, Window) {
    let algorithm = Bbr3::new(&Bbr3Params::default(), Stream::new(seed, "f1", "test"));
    (algorithm, Window { cwnd: 10.0 * MSS, ssthresh: 1e12 })
}

/// An acknowledgement of one segment after `ms`, one round trip of 100 ms after it was sent.
fn delivery(ms: u64) -> Delivery {
    Delivery {
        now: at(ms),
        mss: MSS,
        limit: 1e12,
        delivered: MSS,
        total: ms * 100,
        sample: Some(sample(ms)),
        window_limited: false,
        rtt: Some(Span::from_ms(100)),
        lost: 0.0,
        prior_in_flight: 11.0 * MSS,
        in_flight: 10.0 * MSS,
        loss_state: LossState::Open,
    }
}

/// What it says about the path.
fn sample(ms: u64) -> RateSample {
    let prior_delivered = ms.saturating_sub(100) * 100;
    RateSample {
        prior_delivered,
        delivered: (ms * 100 - prior_delivered) as f64,
        rate: Some(RATE),
        app_limited: false,
        in_flight: 10.0 * MSS,
        lost: 0.0,
    }
}

/// A segment is found to be lost after `ms`, the `lost`th since it was sent, when so many were in flight.
fn lost(ms: u64, number: u64, in_flight: f64, lost: f64) -> LostSegment {
    LostSegment {
        now: at(ms),
        mss: MSS,
        number,
        len: MSS,
        total: ms * 100,
        in_flight_when_sent: in_flight * MSS,
        lost_since: lost * MSS,
        app_limited: false,
    }
}

/// An acknowledgement that shows this rate.
fn with_rate(ms: u64, rate: f64) -> Delivery {
    Delivery { sample: Some(RateSample { rate: Some(rate), ..sample(ms) }), ..delivery(ms) }
}

/// An algorithm that knows the path, in ProbeBW_CRUISE since 700 ms.
fn cruising(seed: u64) -> (Bbr3, Window) {
    let (mut bbr, mut window) = bbr(seed);
    (1..=4).for_each(|n| {
        bbr.on_ack(&Ack::delivering(&Delivery { in_flight: 20.0 * MSS, ..delivery(100 * n) }), &mut window)
    });
    assert_eq!(bbr.state, State::Drain, "three rounds without growth");
    bbr.on_ack(&Ack::delivering(&delivery(500)), &mut window);
    bbr.on_ack(&Ack::delivering(&delivery(510)), &mut window);
    assert_eq!(bbr.state, State::Cruise);
    (0..30).for_each(|_| bbr.on_ack(&Ack::delivering(&delivery(700)), &mut window));
    (bbr, window)
}

/// BBR while it probes, since `ms`.
fn probing(ms: u64) -> (Bbr3, Window) {
    let (mut bbr, mut window) = cruising(1);
    bbr.start_refill(delivery(ms - 100).total);
    bbr.on_ack(&Ack::delivering(&delivery(ms)), &mut window);
    assert_eq!(bbr.state, State::Up, "a round trip later");
    (bbr, window)
}

#[test]
fn startup_drain_and_cruise_have_their_gains() {
    let (mut bbr, mut window) = bbr(1);
    let mut states = Vec::new();
    for n in 1..=6 {
        let in_flight = if n < 6 { 20.0 } else { 10.0 } * MSS;
        bbr.on_ack(&Ack::delivering(&Delivery { in_flight, ..delivery(100 * n) }), &mut window);
        states.push((bbr.state, bbr.pacing_rate().unwrap()));
    }
    // 10 kB in 100 ms give 100 kB/s before there is a rate, and the window has grown by a segment with each.
    let rate = |gain: f64| gain * RATE * 0.99;
    assert_eq!(states[0], (State::Startup, 2.77 * 100_000.0));
    assert_eq!(states[3], (State::Drain, rate(0.5)));
    assert_eq!(states[5], (State::Cruise, rate(1.0)), "what is in flight fits: DOWN has nothing to do");
    let (mut bbr, window) = cruising(1);
    assert_eq!(bbr.pacing_rate(), Some(rate(1.0)));
    assert!(window.cwnd > 20.0 * MSS, "30 segments at once are more than the rate lets expect");
    bbr.aggregation = Aggregation::default();
    bbr.set_window(&delivery(700));
    assert_eq!(bbr.cwnd, 2.0 * 10_000.0, "twice what the path holds");
}

#[test]
fn drain_ends_after_three_rounds_anyway() {
    let (mut bbr, mut window) = bbr(1);
    let full = |n: u64| Delivery { in_flight: 20.0 * MSS, ..delivery(100 * n) };
    (1..=7).for_each(|n| bbr.on_ack(&Ack::delivering(&full(n)), &mut window));
    assert_eq!(bbr.state, State::Drain);
    bbr.on_ack(&Ack::delivering(&full(8)), &mut window);
    assert_eq!(bbr.state, State::Down);
}

/// Fast recovery from 250 ms on; that round trip of losses ends at 350 ms.
#[test]
fn six_ranges_and_two_percent_end_startup() {
    let after = |ranges: u64, lost_since: f64| {
        let (mut bbr, mut window) = bbr(1);
        let growing = |n: u64| with_rate(100 * n, RATE * f64::from(1_u32 << n));
        (1..=2).for_each(|n| bbr.on_ack(&Ack::delivering(&growing(n)), &mut window));
        (0..ranges).for_each(|n| bbr.on_lost_segment(&lost(250, 2 * n, 100.0, 1.0)));
        let recovery = Delivery { loss_state: LossState::Recovery, ..growing(3) };
        bbr.on_ack(
            &Ack::delivering(&Delivery {
                now: at(250),
                total: 25_000,
                sample: Some(RateSample { rate: Some(8.0 * RATE), ..sample(250) }),
                ..recovery
            }),
            &mut window,
        );
        let in_flight = 100.0 * MSS;
        let lossy = RateSample { lost: lost_since, in_flight, rate: Some(16.0 * RATE), ..sample(350) };
        let lossy = Delivery { now: at(350), total: 35_000, in_flight, sample: Some(lossy), ..recovery };
        bbr.on_ack(&Ack::delivering(&lossy), &mut window);
        (bbr.state, bbr.inflight_longterm)
    };
    assert_eq!(after(6, 2.1 * MSS).0, State::Drain);
    assert!(after(6, 2.1 * MSS).1.is_finite());
    assert_eq!(after(5, 2.1 * MSS), (State::Startup, f64::INFINITY));
    assert_eq!(after(6, 2.0 * MSS), (State::Startup, f64::INFINITY));
}

/// Segments 0 to 2 are one range.
#[test]
fn neighbours_are_one_range() {
    let (mut bbr, _) = bbr(1);
    [0, 1, 2, 5, 6, 8].iter().for_each(|&number| bbr.on_lost_segment(&lost(1, number, 100.0, 1.0)));
    assert_eq!(bbr.losses.ranges, 3);
}

#[test]
fn losses_between_probes_lower_the_rate_once_per_round_trip() {
    let (mut bbr, mut window) = cruising(1);
    let slower = with_rate;
    bbr.on_ack(&Ack::delivering(&slower(750, 80_000.0)), &mut window);
    bbr.on_lost_segment(&lost(760, 1, 10.0, 1.0));
    bbr.on_ack(&Ack::delivering(&slower(760, 80_000.0)), &mut window);
    assert_eq!(bbr.bw, RATE, "not before the end of the round trip");
    bbr.on_ack(&Ack::delivering(&slower(860, 60_000.0)), &mut window);
    // The largest rate of the round trip before was 100 kB/s, at 700 ms.
    assert_eq!(bbr.bw, RATE);
    bbr.on_lost_segment(&lost(870, 2, 10.0, 1.0));
    bbr.on_ack(&Ack::delivering(&slower(870, 60_000.0)), &mut window);
    bbr.on_ack(&Ack::delivering(&slower(970, 60_000.0)), &mut window);
    assert_eq!((bbr.bw, bbr.max_bw.value()), (0.7 * RATE, RATE), "beta, as 60 kB/s are less");
    bbr.on_ack(&Ack::delivering(&slower(1070, 60_000.0)), &mut window);
    assert_eq!(bbr.bw, 0.7 * RATE, "without losses it stays");
    bbr.start_refill(200_000);
    bbr.on_ack(&Ack::delivering(&slower(1080, 60_000.0)), &mut window);
    assert_eq!(bbr.bw, RATE, "until the next probe");
}

/// 100 segments in flight, the third of them lost: 2 % of 99 are 1.98, and 2 were lost before. So 0.02/0.98 of a segment
/// less than 99.
#[test]
fn a_probe_that_loses_too_much_finds_what_the_path_takes() {
    let (mut bbr, mut window) = probing(900);
    bbr.on_lost_segment(&lost(950, 1, 100.0, 1.0));
    bbr.on_lost_segment(&lost(950, 2, 100.0, 2.0));
    assert_eq!((bbr.state, bbr.inflight_longterm), (State::Up, f64::INFINITY), "at the threshold");
    bbr.on_lost_segment(&lost(950, 3, 100.0, 3.0));
    assert_eq!(bbr.state, State::Down);
    assert!((bbr.inflight_longterm - (99.0 - 0.02 / 0.98) * MSS).abs() < 1e-6, "{}", bbr.inflight_longterm);
    bbr.on_lost_segment(&lost(951, 4, 50.0, 4.0));
    assert!(bbr.inflight_longterm > 98.0 * MSS, "once per probe");
    // A part of it is left to others then; at least beta of what is needed counts.
    let (mut small, _) = probing(900);
    small.on_lost_segment(&lost(950, 1, 5.0, 1.0));
    assert_eq!(small.inflight_longterm, 0.7 * 10_000.0);
    small.state = State::Cruise;
    assert_eq!(small.volume_cap(MSS), 7000.0 - 0.15 * 7000.0);
    small.inflight_longterm = 4500.0;
    assert_eq!(small.volume_cap(MSS), 4.0 * MSS, "never less than four segments");
    bbr.on_ack(&Ack::delivering(&delivery(960)), &mut window);
}

#[test]
fn a_precautionary_probe_ends_where_the_last_lost_and_is_followed_by_another() {
    let (mut bbr, mut window) = probing(900);
    bbr.on_ack(&Ack::delivering(&Delivery { in_flight: 9.0 * MSS, ..delivery(910) }), &mut window);
    (bbr.probe.was_too_high, bbr.inflight_longterm) = (true, 12.0 * MSS);
    bbr.on_ack(&Ack::delivering(&Delivery { in_flight: 11.9 * MSS, ..delivery(920) }), &mut window);
    assert_eq!(bbr.state, State::Up);
    bbr.on_ack(&Ack::delivering(&Delivery { in_flight: 12.0 * MSS, ..delivery(930) }), &mut window);
    assert_eq!((bbr.state, bbr.probe.was_precautionary), (State::Down, true));
    assert_eq!(bbr.pacing_rate(), Some(0.9 * RATE * 0.99));
    let cycles = bbr.cycles;
    bbr.on_ack(&Ack::delivering(&Delivery { in_flight: 12.0 * MSS, ..delivery(1030) }), &mut window);
    assert_eq!((bbr.state, bbr.cycles), (State::Refill, cycles + 1), "nothing was lost: at once again");
}

/// A window of eight segments that the long-term bound limits: 1, 2, 4 segments in the round trips of a probe.
#[test]
fn the_long_term_bound_grows_faster_and_faster() {
    let (mut bbr, _) = cruising(1);
    bbr.state = State::Up;
    (bbr.cwnd, bbr.inflight_longterm, bbr.rounds.starts) = (8.0 * MSS, 8.0 * MSS, false);
    bbr.raise_slope(MSS);
    let mut grown = Vec::new();
    for _ in 0..3 {
        let before = bbr.inflight_longterm;
        for segment in 0..8 {
            bbr.rounds.starts = segment == 7;
            bbr.cwnd = 8.0 * MSS;
            let bound = std::mem::replace(&mut bbr.inflight_longterm, 8.0 * MSS);
            bbr.raise_long_term(&Delivery { window_limited: true, ..delivery(900) });
            bbr.inflight_longterm += bound - 8.0 * MSS;
        }
        grown.push((bbr.inflight_longterm - before) / MSS);
    }
    assert_eq!(grown, [1.0, 2.0, 4.0]);
    let before = bbr.inflight_longterm;
    bbr.raise_long_term(&delivery(900));
    assert_eq!(bbr.inflight_longterm, before, "not if it is not what limits");
}

#[test]
fn probes_are_two_to_three_seconds_apart_or_as_many_rounds_as_there_are_segments() {
    let waits: Vec<Span> = (0..50).map(|seed| cruising(seed).0.probe.wait).collect();
    let (least, most) = (waits.iter().min().unwrap(), waits.iter().max().unwrap());
    assert!(*least >= Span::from_secs(2) && *least < Span::from_ms(2200), "{least}");
    assert!(*most <= Span::from_secs(3) && *most > Span::from_ms(2800), "{most}");
    let (mut bbr, _) = cruising(1);
    bbr.probe.rounds_since = 9;
    assert!(!bbr.is_time_to_probe(&delivery(2400)));
    assert!(bbr.is_time_to_probe(&delivery(3600)), "the cycle began at 500 ms");
    bbr.probe.rounds_since = 10;
    assert!(bbr.is_time_to_probe(&delivery(800)), "ten segments fill the path");
    (bbr.shortest.rtt, bbr.cwnd, bbr.probe.rounds_since) = (Some(Span::from_secs(1)), 1e6, 62);
    assert!(!bbr.is_time_to_probe(&delivery(800)));
    bbr.probe.rounds_since = 63;
    assert!(bbr.is_time_to_probe(&delivery(800)), "however many there are");
}

/// No shorter round trip since 100 ms: after five seconds half of what the path holds, for 200 ms and a round trip.
#[test]
fn the_shortest_round_trip_is_measured_again_after_five_seconds() {
    let (mut bbr, mut window) = cruising(1);
    let longer = |ms: u64, in_flight: f64| Delivery {
        rtt: Some(Span::from_ms(120)),
        in_flight: in_flight * MSS,
        ..delivery(ms)
    };
    bbr.on_ack(&Ack::delivering(&longer(5100, 20.0)), &mut window);
    assert_ne!(bbr.state, State::ProbeRtt, "not more than 5 s");
    let before = window.cwnd;
    bbr.on_ack(&Ack::delivering(&longer(5101, 20.0)), &mut window);
    assert_eq!((bbr.state, window.cwnd), (State::ProbeRtt, 5.0 * MSS));
    assert_eq!(bbr.shortest.rtt, Some(Span::from_ms(100)), "believed for ten seconds");
    assert!(bbr.holds_back());
    bbr.on_ack(&Ack::delivering(&longer(5150, 5.0)), &mut window);
    bbr.on_ack(&Ack::delivering(&longer(5350, 5.0)), &mut window);
    assert_eq!(bbr.state, State::ProbeRtt, "200 ms are not over");
    bbr.on_ack(&Ack::delivering(&longer(5351, 5.0)), &mut window);
    assert_eq!(bbr.state, State::Cruise);
    assert!(window.cwnd >= before.min(20.0 * MSS), "restored: {}", window.cwnd);
    bbr.on_ack(&Ack::delivering(&longer(10_101, 5.0)), &mut window);
    assert_eq!(bbr.shortest.rtt, Some(Span::from_ms(120)));
}

#[test]
fn a_recovery_and_a_timeout_restore_the_window() {
    let (mut bbr, mut window) = cruising(1);
    let before = window.cwnd;
    bbr.on_rto(&Loss::of(MSS, 1e12), &mut window);
    assert_eq!(window.cwnd, MSS);
    let repairing = |ms| Delivery { loss_state: LossState::Timeout, ..delivery(ms) };
    bbr.on_ack(&Ack::delivering(&repairing(1800)), &mut window);
    assert_eq!(window.cwnd, 4.0 * MSS);
    bbr.on_ack(&Ack::delivering(&delivery(1810)), &mut window);
    assert!(window.cwnd >= before.min(20.0 * MSS), "{} {before}", window.cwnd);
}
