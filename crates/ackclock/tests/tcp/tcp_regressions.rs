//! Errors that were reported against other simulators and stacks. Each is one small test, here or where its subject is:
//!
//! | Reported | Test |
//! |---|---|
//! | INET PR 415: SACK, and a FIN with the last segment | `tcp_standard.rs`: `a_fin_during_recovery_changes_nothing` |
//! | ns-3 bug 2874: lost or not, and what is next | `tcp/scoreboard.rs`: `lost_means_three_segments_above`, `holes_are_found_in_order_and_once` |
//! | ns-3 #966, #1085: CUBIC without use of its window, after a timeout | `tcp/cc/cubic.rs`: `an_unused_window_does_not_grow_and_a_timeout_ends_the_stage` |
//! | ns-3 #407: the threshold of CUBIC | `tcp/cc/cubic.rs`: `a_loss_leaves_seven_tenths_of_the_window_and_never_less_than_two_segments` |
//! | ns-3 #735: rate samples of BBR that say nothing | `tcp/delivery_rate.rs`: `a_sample_of_less_than_a_round_trip_is_discarded` |
//! | ns-3 #1043: how long BBR's shortest round trip holds | `tcp/cc/bbr1.rs`: `the_shortest_round_trip_is_measured_again_after_ten_seconds`; version 3: five |
//! | seeds that change nothing | `network.rs`: `different_seeds_differ_where_there_is_randomness`, `a_scenario_without_randomness_says_so` |
//! | few satellites, few planes | `ackclock-sat/tests/sat/small.rs`: `few_satellites_per_plane_give_plans_with_gaps_and_reasons` |
//! | a decayed element set | `ackclock-sat/src/elements/tests.rs`: `a_decayed_satellite_is_an_error_with_its_name` |

use crate::pair::*;
use ackclock::packet::{SackBlock, Segment};
use ackclock::tcp::cc::{Bbr1Params, VegasLinuxParams, VegasParams};
use ackclock::tcp::recovery::RackParams;
use ackclock::tcp::*;
use ackclock::units::{Span, Time};

const ONE_WAY: Span = Span::from_ms(250);

fn ack(number: u64, sacked: &[(u64, u64)]) -> Segment {
    let block = |&(start, end): &(u64, u64)| SackBlock { start: start * MSS, end: end * MSS };
    let blocks: Vec<SackBlock> = sacked.iter().map(block).collect();
    Segment { ack: number * MSS, sack: sack_option::of_stream(&blocks), ..Segment::default() }
}

/// A sender with `window` segments under way at time 0.
fn sender(recovery: RecoveryParams, window: u32) -> Sender {
    let mut sender = Sender::new(&params(recovery, window), GREEDY, clock());
    sender.on_timer(Time::ZERO);
    drain(&mut sender, Time::ZERO);
    sender
}

fn drain(sender: &mut Sender, now: Time) -> Vec<u64> {
    std::iter::from_fn(|| sender.poll_segment(now)).map(|segment| segment.seq / MSS).collect()
}

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// ns-3 bug 2649: with SACK off at one end, the sender falls back to New Reno instead of never finding a loss.
#[test]
fn a_sack_sender_with_a_plain_receiver_recovers_as_new_reno() {
    for recovery in [fall_floyd(), rfc6675()] {
        let run = |params: &TcpParams| {
            let mut pair = Pair::new(params, GREEDY, ONE_WAY, |number, transmission| {
                (10..13).contains(&number) && transmission == 1
            });
            pair.run(at(6000));
            pair.sent
        };
        let plain = TcpParams { receiver_sack: false, ..params(recovery, 32) };
        assert_eq!(run(&plain), run(&params(new_reno(), 32)));
    }
}

/// INET issue 78: a hole that was sent again is not sent again on further duplicates.
#[test]
fn a_hole_already_retransmitted_is_not_retransmitted_by_more_duplicates() {
    for recovery in [fall_floyd(), rfc6675()] {
        let mut sender = sender(recovery, 10);
        for held in 2..=4 {
            sender.on_segment(at(500), ack(0, &[(1, held)]));
        }
        assert_eq!(drain(&mut sender, at(500)), [0]);
        for held in 5..=10 {
            sender.on_segment(at(500), ack(0, &[(1, held)]));
            assert!(!drain(&mut sender, at(500)).contains(&0));
        }
    }
}

/// ns-3 bug 1783: losses during fast recovery do not inflate the window without end. Each duplicate adds a segment,
/// so inflation is bounded by what is under way.
#[test]
fn losses_during_recovery_do_not_inflate_the_window() {
    for (name, recovery) in every_recovery() {
        let mut pair = Pair::new(&params(recovery, 32), GREEDY, ONE_WAY, |number, transmission| {
            // Three of the first window, and every third of what is sent during recovery.
            transmission == 1 && (number < 3 || (32..60).contains(&number) && number % 3 == 0)
        });
        for step in 1..300 {
            pair.run(at(100 * step));
            let (window, flight) = (pair.sender.window(), pair.sender.flight());
            if pair.sender.in_recovery() {
                let bound = window.ssthresh + (flight.max - flight.una + 3 * MSS) as f64;
                assert!(window.cwnd <= bound, "{name} at {}: {} > {bound}", pair.now, window.cwnd);
            }
        }
        assert!(pair.receiver.delivered() > 32 * MSS, "{name}");
    }
}

/// ns-3 bug 2832: one partial acknowledgement, one retransmission.
#[test]
fn a_partial_acknowledgement_retransmits_once() {
    let mut sender = sender(new_reno(), 10);
    for _ in 0..3 {
        sender.on_segment(at(500), ack(0, &[]));
    }
    assert_eq!(drain(&mut sender, at(500)), [0]);
    sender.on_segment(at(1000), ack(4, &[]));
    assert_eq!(drain(&mut sender, at(1000)), [4]);
    // Duplicates of the partial acknowledgement do not send 4 again.
    for _ in 0..5 {
        sender.on_segment(at(1000), ack(4, &[]));
        assert!(!drain(&mut sender, at(1000)).contains(&4));
    }
}

/// iip issue 2: an acknowledgement and a block that say the same, with everything acknowledged.
#[test]
fn a_block_equal_to_the_cumulative_acknowledgement_is_harmless() {
    for recovery in [fall_floyd(), rfc6675()] {
        let mut sender = sender(recovery, 4);
        sender.on_segment(at(500), ack(4, &[(3, 4)]));
        assert_eq!(sender.flight().una, 4 * MSS);
        assert_eq!(drain(&mut sender, at(500)), [4, 5, 6, 7]);
    }
}

/// vpp issue 2929 and ns-3 #805: with one hole left at una, the pipe is what is under way and nothing more.
#[test]
fn the_last_hole_does_not_keep_the_pipe_full() {
    let mut sender = sender(rfc6675(), 10);
    for held in 2..=10 {
        sender.on_segment(at(500), ack(0, &[(1, held)]));
    }
    // Everything but 0 has arrived: cwnd 5, pipe 0 after the loss: the hole and four new ones.
    assert_eq!(drain(&mut sender, at(500)), [0, 10, 11, 12, 13]);
}

/// ns-3 bug 2875: RFC 6675's NextSeg rule 3 applies only in recovery and after new data ran out.
#[test]
fn a_hole_not_known_to_be_lost_is_sent_only_when_nothing_new_may_be() {
    let transfer = Transfer { size: Some(10 * MSS), ..GREEDY };
    let mut sender = Sender::new(&params(rfc6675(), 10), transfer, clock());
    sender.on_timer(Time::ZERO);
    assert_eq!(drain(&mut sender, Time::ZERO).len(), 10);
    // 0 and 7 are missing; 8 and 9 above 7 are only two: 7 is not known to be lost.
    for held in 2..=7 {
        sender.on_segment(at(500), ack(0, &[(1, held)]));
    }
    sender.on_segment(at(500), ack(0, &[(8, 9), (1, 7)]));
    sender.on_segment(at(500), ack(0, &[(8, 10), (1, 7)]));
    assert_eq!(drain(&mut sender, at(500)), [0, 7], "7 by rule 3, as there is no new data");
}

/// ns-3 #1319: a congestion control was not told when a reduction began and ended. BBR keeps to what is in flight when a recovery begins
/// (which only who has SACK knows to be less), and has its own window again at once when it is over.
#[test]
fn a_law_is_told_when_a_recovery_begins_and_ends() {
    let with_sack =
        [("fall-floyd", fall_floyd()), ("rfc6675", rfc6675()), ("rack", RecoveryParams::Rack(RackParams::default()))];
    for (name, recovery) in [("reno", RecoveryParams::Reno(())), ("new-reno", new_reno())].into_iter().chain(with_sack)
    {
        let has_sack = !matches!(recovery, RecoveryParams::Reno(()) | RecoveryParams::NewReno(_));
        let params = TcpParams {
            congestion_control: CongestionControlParams::Bbr1(Bbr1Params::default()),
            ..params(recovery, 10)
        };
        let mut pair = Pair::new(&params, GREEDY, ONE_WAY, |number, transmission| number == 40 && transmission == 1);
        let mut windows_until = |in_recovery: bool| {
            pair.run_while(at(20_000), |pair| pair.sender.in_recovery() != in_recovery);
            pair.cwnd.iter().map(|&(_, segments)| segments).collect::<Vec<f64>>()
        };
        let [.., before, first] = windows_until(true)[..] else { panic!("{name}: no recovery") };
        assert!(first < before || !has_sack && first == before, "{name}: {before}, then {first}");
        let [.., last, after] = windows_until(false)[..] else { panic!("{name}: no end of it") };
        assert!(after >= before && (after - last).abs() > 1.0, "{name}: {last}, then {after} of {before}");
    }
}

/// ns-3 #374: a round trip below the clock's resolution is not zero for the estimator.
#[test]
fn a_round_trip_shorter_than_a_tick_gives_a_finite_timeout() {
    let mut pair = Pair::new(&params(RecoveryParams::Vanilla(()), 1), GREEDY, Span::from_us(5), |_, _| false);
    pair.run(at(1));
    assert_eq!(pair.sender.rto_ticks(), 3);
}

/// ns-3 bug 2914: windows beyond 32 bits of sequence space: this model counts in 64 and does not wrap.
#[test]
fn four_gigabytes_pass_without_a_wrap() {
    let mut tcp = params(new_reno(), 4);
    tcp.mss = 65_000;
    tcp.receive_window = 1 << 30;
    tcp.window_scale = 14;
    tcp.initial_window_segments = 16_000;
    tcp.initial_ssthresh = Some(1 << 30);
    let mut sender = Sender::new(&tcp, GREEDY, clock());
    let mut receiver = Receiver::new(&tcp);
    sender.on_timer(Time::ZERO);
    let mut now = Time::ZERO;
    while receiver.delivered() < 5 << 30 {
        now += Span::from_us(1);
        let burst: Vec<Segment> = std::iter::from_fn(|| sender.poll_segment(now)).collect();
        for segment in burst {
            receiver.on_segment(now, segment);
            sender.on_segment(now, receiver.poll_segment(now).unwrap());
        }
    }
    assert_eq!(sender.flight().una, receiver.delivered());
    assert_eq!(sender.stats().retransmissions, 0);
}

/// INET issue 125: whether Vegas decides per round trip or per acknowledgement. Both exist, and have names: Linux' adds a
/// segment at the end of a round trip, ns-2's decides then, and grows by 1/cwnd with each acknowledgement of the next.
#[test]
fn each_vegas_grows_as_its_name_says() {
    let steps = |congestion_control| {
        let params = TcpParams {
            congestion_control,
            initial_ssthresh: Some(2 * MSS),
            receive_window: 64 * MSS,
            ..params(new_reno(), 6)
        };
        let mut pair = Pair::new(&params, GREEDY, ONE_WAY, |_, _| false);
        pair.run(at(4200));
        let changes = pair.cwnd.windows(2).map(|pair| (pair[1].0, pair[1].1 - pair[0].1));
        changes.filter(|&(_, step)| step != 0.0).collect::<Vec<(Time, f64)>>()
    };
    let linux = steps(CongestionControlParams::VegasLinux(VegasLinuxParams::default()));
    // The first round has one sample, and is Reno's.
    assert!(linux.len() > 6 && linux[2..].iter().all(|&(_, step)| step == 1.0), "{linux:?}");
    let apart = linux.windows(2).all(|pair| pair[1].0.since(pair[0].0) >= ONE_WAY * 2);
    assert!(apart, "once in a round trip: {linux:?}");
    let ns2 = steps(CongestionControlParams::Vegas(VegasParams::default()));
    assert!(ns2.len() > 6 * linux.len() && ns2.iter().all(|&(_, step)| step < 0.2), "{ns2:?}");
}
