//! Rules of the sender that the figures of tcp_recovery.rs do not pin down, each driven by hand: acknowledgements go
//! in, segments and deadlines come out. Ticks lie at 100, 200, … ms, and the first timeout is 30 ticks.

use std::sync::{Arc, Mutex};

use crate::pair::*;
use ackclock::packet::{SackBlock, Segment};
use ackclock::tcp::cc::{Ack, CongestionControl, CustomCongestionControl, Loss, Needs, Window};
use ackclock::tcp::recovery::{self, PartialAckTimer, PipeStart};
use ackclock::tcp::*;
use ackclock::units::{Span, Time};

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

fn ack(number: u64, sacked: &[(u64, u64)]) -> Segment {
    let block = |&(start, end): &(u64, u64)| SackBlock { start: start * MSS, end: end * MSS };
    let blocks: Vec<SackBlock> = sacked.iter().map(block).collect();
    Segment { ack: number * MSS, sack: sack_option::of_stream(&blocks), ..Segment::default() }
}

/// At most a thousand: a sender without end fails a test, it does not hang it.
fn drain(sender: &mut Sender, now: Time) -> Vec<u64> {
    std::iter::from_fn(|| sender.poll_segment(now)).take(1000).map(|segment| segment.seq / MSS).collect()
}

/// A sender whose application has begun at time 0; nothing is sent yet.
fn begun(params: &TcpParams, transfer: Transfer) -> Sender {
    let mut sender = Sender::new(params, transfer, clock());
    sender.on_timer(Time::ZERO);
    sender
}

/// A sender with `window` segments under way at time 0.
fn sender(recovery: RecoveryParams, window: u32) -> Sender {
    let mut sender = begun(&params(recovery, window), GREEDY);
    assert_eq!(drain(&mut sender, Time::ZERO).len(), window as usize);
    sender
}

/// An acknowledgement arrives; the numbers of the segments sent because of it.
fn answer(sender: &mut Sender, ms: u64, number: u64, sacked: &[(u64, u64)]) -> Vec<u64> {
    sender.on_segment(at(ms), ack(number, sacked));
    drain(sender, at(ms))
}

/// The timer expires at its deadline; the numbers of the segments sent because of it.
fn time_out(sender: &mut Sender, ms: u64) -> Vec<u64> {
    assert_eq!(sender.next_deadline(), Some(at(ms)));
    assert_eq!(sender.on_timer(at(ms)), Expired::Retransmission);
    drain(sender, at(ms))
}

/// Three duplicates of `number` with the three segments above it reported; everything sent because of them.
fn three_duplicates(sender: &mut Sender, ms: u64, number: u64) -> Vec<u64> {
    (1..=3).flat_map(|held| answer(sender, ms, number, &[(number + 1, number + 1 + held)])).collect()
}

// ---- the timer: Karn and Partridge ----

#[test]
fn a_segment_sent_once_gives_a_sample() {
    let mut sender = sender(RecoveryParams::Vanilla(()), 1);
    assert_eq!(sender.rto_ticks(), 30);
    // Ticks at 100 and 200 lie between: counted from 1, a round trip of 3, and 3 + 4·1.5 = 9.
    answer(&mut sender, 250, 1, &[]);
    assert_eq!(sender.rto_ticks(), 9);
}

#[test]
fn a_segment_sent_again_by_fast_retransmit_gives_no_sample() {
    for (name, recovery) in every_recovery().into_iter().filter(|(name, _)| *name != "vanilla") {
        let mut sender = sender(recovery, 4);
        // 0 is the segment that is timed.
        assert_eq!(three_duplicates(&mut sender, 250, 0).iter().filter(|&&number| number == 0).count(), 1, "{name}");
        sender.on_segment(at(450), ack(1, &[]));
        assert_eq!(sender.rto_ticks(), 30, "{name}: which of the two was acknowledged?");
    }
}

#[test]
fn backoff_lasts_until_a_segment_sent_once_is_acknowledged() {
    for (name, recovery) in every_recovery() {
        let mut sender = sender(recovery, 4);
        assert_eq!(time_out(&mut sender, 3000), [0]);
        assert_eq!(sender.rto_ticks(), 60);
        assert_eq!(time_out(&mut sender, 9000), [0]);
        assert_eq!(sender.rto_ticks(), 120);
        // New data is acknowledged, but 0 was sent three times and 1 to 3 before the timeouts: no sample.
        assert_eq!(answer(&mut sender, 9050, 4, &[]), [4, 5], "{name}");
        assert_eq!(sender.rto_ticks(), 120, "{name}: a new acknowledgement alone does not end the backoff");
        assert_eq!(sender.next_deadline(), Some(at(9000 + 12_000)), "{name}: and the timer uses it");
        // 4 was sent once. No tick between: counted from 1, a round trip of 1, and 1 + 4·0.5 = 3.
        answer(&mut sender, 9070, 5, &[]);
        assert_eq!(sender.rto_ticks(), 3, "{name}");
    }
}

#[test]
fn an_acknowledgement_of_less_than_the_timed_segment_gives_no_sample() {
    let mut sender = sender(RecoveryParams::Vanilla(()), 2);
    // 0 is acknowledged at 250 and gives a sample; 2 and 3 go out then, 2 is timed.
    assert_eq!(answer(&mut sender, 250, 1, &[]), [2]);
    answer(&mut sender, 950, 2, &[]);
    assert_eq!(sender.rto_ticks(), 9, "1 was not timed");
    // 2 was sent after tick 2; ticks 3 to 10 follow: 8. error 8 − 3 = 5, srtt8 24 + 5 = 29, rttvar4 6 + 5 − 1 = 10.
    answer(&mut sender, 1050, 3, &[]);
    assert_eq!(sender.rto_ticks(), 3 + 10);
}

// ---- partial acknowledgements and the timer ----

fn each_or_none(restart: bool) -> PartialAckTimer {
    if restart { PartialAckTimer::Each } else { PartialAckTimer::Never }
}

fn partial_ack_recoveries(restart_timer_on_partial_ack: bool) -> [(&'static str, RecoveryParams); 3] {
    let fall_floyd = FallFloydParams { restart_timer_on_partial_ack, ..FallFloydParams::default() };
    [
        (
            "new-reno",
            RecoveryParams::NewReno(NewRenoParams {
                guard_after_timeout: true,
                restart_timer_on_partial_ack: each_or_none(restart_timer_on_partial_ack),
                ..NewRenoParams::default()
            }),
        ),
        ("fall-floyd", RecoveryParams::FallFloyd(fall_floyd)),
        (
            "rfc6675",
            RecoveryParams::Rfc6675(Rfc6675Params { restart_timer_on_partial_ack, ..Rfc6675Params::default() }),
        ),
    ]
}

/// Sent at 0, so the timer runs to tick 30. The partial acknowledgement at 1 s has seen 9 ticks: from there, 39.
#[test]
fn a_partial_acknowledgement_restarts_the_timer_if_it_shall() {
    for (restart, deadline) in [(true, 3900), (false, 3000)] {
        for (name, recovery) in partial_ack_recoveries(restart) {
            let mut sender = sender(recovery, 10);
            three_duplicates(&mut sender, 500, 0);
            assert_eq!(sender.next_deadline(), Some(at(3000)), "{name}: a retransmission does not restart it");
            answer(&mut sender, 1000, 4, &[]);
            assert!(sender.in_recovery(), "{name}: 4 is less than the 10 that were sent");
            assert_eq!(sender.next_deadline(), Some(at(deadline)), "{name}, restart {restart}");
        }
    }
}

/// RFC 6582 §3.2 (5): ten holes; the partial acknowledgement of 4 at 1 s restarts the timer as above, that of 5 at 1.5 s and
/// later ones do not. In the next recovery the first one does again.
#[test]
fn the_first_partial_acknowledgement_restarts_the_timer_of_rfc_6582() {
    let new_reno = |restart_timer_on_partial_ack| {
        RecoveryParams::NewReno(NewRenoParams { restart_timer_on_partial_ack, ..NewRenoParams::default() })
    };
    for (restart, after) in [(PartialAckTimer::First, [3900, 3900]), (PartialAckTimer::Each, [3900, 4400])] {
        let mut sender = sender(new_reno(restart), 10);
        three_duplicates(&mut sender, 500, 0);
        for ((ms, number), deadline) in [(1000, 4), (1500, 5)].into_iter().zip(after) {
            answer(&mut sender, ms, number, &[]);
            assert!(sender.in_recovery());
            assert_eq!(sender.next_deadline(), Some(at(deadline)), "{restart:?}, {number}");
        }
    }
}

/// The choice is about partial acknowledgements only.
#[test]
fn an_acknowledgement_outside_recovery_restarts_the_timer_always() {
    for (name, recovery) in partial_ack_recoveries(false) {
        let mut sender = sender(recovery, 10);
        answer(&mut sender, 950, 1, &[]);
        // A sample of 9 ticks, counted from 1: 10 + 4·5 = 30 ticks from tick 9.
        assert_eq!(sender.next_deadline(), Some(at(3900)), "{name}");
    }
}

// ---- fast retransmit and the timer ----

/// Sent at 0, so the timer runs to tick 30. The third duplicate, at 500 ms, has seen 4 ticks: from there, 34.
#[test]
fn a_fast_retransmit_restarts_the_timer_if_it_shall() {
    for (restarts, deadline) in [(false, 3000), (true, 3400)] {
        for (name, recovery) in [
            ("reno", RecoveryParams::Reno(())),
            ("new-reno", new_reno()),
            ("fall-floyd", fall_floyd()),
            ("rfc6675", rfc6675()),
        ] {
            let mut tcp = params(recovery, 10);
            tcp.timer.restarts_at_fast_retransmit = restarts;
            let mut sender = begun(&tcp, GREEDY);
            drain(&mut sender, Time::ZERO);
            answer(&mut sender, 500, 0, &[]);
            answer(&mut sender, 500, 0, &[]);
            assert_eq!(sender.next_deadline(), Some(at(3000)), "{name}: two duplicates are no loss");
            answer(&mut sender, 500, 0, &[]);
            assert_eq!((sender.stats().fast_retransmits, sender.next_deadline()), (1, Some(at(deadline))), "{name}");
        }
    }
}

// ---- PIPE ----

/// A window of ten segments, of which the receiver takes so many; 0 and 1 are lost. Which duplicate acknowledgement is the first after
/// the third that lets something leave.
fn first_duplicate_that_sends(recovery: FallFloydParams, receive_window: u64) -> usize {
    let tcp = params(RecoveryParams::FallFloyd(recovery), 10);
    let mut sender = begun(&TcpParams { receive_window: receive_window * MSS, ..tcp }, GREEDY);
    assert_eq!(drain(&mut sender, Time::ZERO).len() as u64, receive_window.min(10));
    let mut duplicate = || answer(&mut sender, 500, 0, &[(2, 8)]);
    let third = [duplicate(), duplicate(), duplicate()];
    assert_eq!(third, [vec![], vec![], vec![0]]);
    let sends = (4..20).find_map(|count| Some((count, duplicate())).filter(|(_, sent)| !sent.is_empty()));
    let (count, sent) = sends.expect("PIPE falls");
    assert_eq!(sent, [1], "the hole");
    count
}

/// cwnd is 10, then 5: something may be sent when PIPE is 4 at most. From 7, 8, 10 and 11 that takes 3, 4, 6 and 7 duplicates
/// after the third.
#[test]
fn pipe_begins_with_what_is_outstanding_or_with_the_window() {
    let with = |pipe_start, count_first_retransmission| FallFloydParams {
        pipe_start,
        count_first_retransmission,
        ..FallFloydParams::default()
    };
    for (start, counted, expected) in [
        (PipeStart::Outstanding, false, 6),
        (PipeStart::Outstanding, true, 7),
        (PipeStart::Cwnd, false, 9),
        (PipeStart::Cwnd, true, 10),
    ] {
        assert_eq!(first_duplicate_that_sends(with(start, counted), 20), expected, "{start:?}, {counted}");
    }
    // The receiver has room for 8 only, so that 8 are outstanding, and cwnd is halved to 4: PIPE may be 3. From 5 that takes 2,
    // from 10 it takes 7.
    for (start, expected) in [(PipeStart::Outstanding, 5), (PipeStart::Cwnd, 10)] {
        assert_eq!(first_duplicate_that_sends(with(start, false), 8), expected, "{start:?}");
    }
}

/// Ten segments, of which 0 and 4 are lost. The acknowledgement of 4 is partial.
#[test]
fn a_partial_acknowledgement_ends_recovery_as_under_reno_if_it_shall() {
    for (ends, recovers, fast_retransmits) in [(false, true, 1), (true, false, 2)] {
        let params = FallFloydParams { partial_ack_ends_recovery: ends, ..FallFloydParams::default() };
        let mut sender = sender(RecoveryParams::FallFloyd(params), 10);
        for _ in 0..3 {
            answer(&mut sender, 500, 0, &[(1, 4)]);
        }
        assert!(sender.in_recovery());
        answer(&mut sender, 1000, 4, &[(5, 10)]);
        assert_eq!(sender.in_recovery(), recovers, "ends {ends}");
        assert_eq!(sender.window().cwnd, 5.0 * MSS as f64, "it does not grow");
        // Three duplicates are another loss only where the first recovery is over, and halve the window again.
        for _ in 0..3 {
            answer(&mut sender, 1500, 4, &[(5, 10)]);
        }
        assert_eq!(sender.stats().fast_retransmits, fast_retransmits, "ends {ends}");
        assert_eq!(sender.window().ssthresh, if ends { 2.0 } else { 5.0 } * MSS as f64);
        answer(&mut sender, 2000, 10, &[]);
        assert!(!sender.in_recovery());
    }
}

// ---- duplicates after a timeout ----

/// Ten segments are sent, the timer expires, 0 is sent again. Then come duplicates, as of segments sent twice.
/// Returns what a guard lets through below the ten, at the ninth of them, and beyond them.
fn fast_retransmits_after_timeout(recovery: RecoveryParams) -> [u64; 3] {
    let mut sender = sender(recovery, 10);
    assert_eq!(time_out(&mut sender, 3000), [0]);
    let mut counts = [0; 3];
    for (count, number) in counts.iter_mut().zip([0, 9, 10]) {
        if number > 0 {
            answer(&mut sender, 3100, number, &[]);
        }
        let before = sender.stats().fast_retransmits;
        for _ in 0..3 {
            // Without reports, of which there may be none beyond what was sent.
            answer(&mut sender, 3100, number, &[]);
        }
        *count = sender.stats().fast_retransmits - before;
    }
    counts
}

/// RFC 2582 §5; for RFC 6675, §5.1: no recovery until everything sent before the timeout is acknowledged.
#[test]
fn a_guard_ignores_duplicates_until_all_sent_before_the_timeout_is_acknowledged() {
    let new_reno = NewRenoParams::default();
    let fall_floyd = FallFloydParams { guard_after_timeout: true, ..FallFloydParams::default() };
    for (name, recovery) in [
        ("new-reno", RecoveryParams::NewReno(new_reno)),
        ("fall-floyd", RecoveryParams::FallFloyd(fall_floyd)),
        ("rfc6675", rfc6675()),
    ] {
        assert_eq!(fast_retransmits_after_timeout(recovery), [0, 0, 1], "{name}");
    }
}

#[test]
fn without_a_guard_three_duplicates_are_a_loss_after_a_timeout_too() {
    let new_reno = NewRenoParams { guard_after_timeout: false, ..NewRenoParams::default() };
    for (name, recovery) in [
        ("new-reno", RecoveryParams::NewReno(new_reno)),
        ("fall-floyd", fall_floyd()),
        ("reno", RecoveryParams::Reno(())),
    ] {
        assert_eq!(fast_retransmits_after_timeout(recovery)[0], 1, "{name}");
    }
}

/// §5.1 holds for what a single report shows, too: six segments above una are enough outside the guard.
#[test]
fn rfc6675_ignores_reports_after_a_timeout_as_well_as_counts() {
    let mut fresh = sender(rfc6675(), 10);
    assert_eq!(answer(&mut fresh, 500, 0, &[(1, 7)])[0], 0, "one duplicate, three held above: a loss");
    assert_eq!(fresh.stats().fast_retransmits, 1);

    let mut guarded = sender(rfc6675(), 10);
    time_out(&mut guarded, 3000);
    answer(&mut guarded, 3100, 0, &[(1, 7)]);
    assert_eq!(guarded.stats().fast_retransmits, 0);
}

/// RFC 6675 §2, §5: an acknowledgement of new data that shows three held segments above the next hole is a loss too.
#[test]
fn rfc6675_begins_a_recovery_with_what_a_new_acknowledgement_reports() {
    let mut fresh = sender(rfc6675(), 10);
    assert_eq!(answer(&mut fresh, 500, 4, &[(5, 7)]).first(), Some(&10), "two are not enough");
    let mut fresh = sender(rfc6675(), 10);
    assert_eq!(answer(&mut fresh, 500, 4, &[(5, 8)]).first(), Some(&4));
    assert_eq!((fresh.stats().fast_retransmits, fresh.in_recovery()), (1, true));
    assert_eq!(fresh.window().ssthresh, 5.0 * MSS as f64);

    let mut guarded = sender(rfc6675(), 10);
    time_out(&mut guarded, 3000);
    answer(&mut guarded, 3100, 4, &[(5, 8)]);
    assert_eq!(guarded.stats().fast_retransmits, 0, "not before 10");
}

// ---- RFC 6675: what is sent when ----

/// §5 (3): each of the first two duplicates says that a segment has left: one new segment each.
#[test]
fn the_first_two_duplicates_send_new_data_under_rfc6675_alone() {
    for (name, recovery) in every_recovery() {
        let limited = name == "rfc6675";
        let mut sender = sender(recovery, 10);
        // Pipe 10 − 1 = 9 of cwnd 10; with segment 10 under way, 11 − 2 = 9.
        assert_eq!(answer(&mut sender, 500, 0, &[(1, 2)]), if limited { vec![10] } else { vec![] }, "{name}");
        assert_eq!(answer(&mut sender, 500, 0, &[(1, 3)]), if limited { vec![11] } else { vec![] }, "{name}");
        let third = answer(&mut sender, 500, 0, &[(1, 4)]);
        assert_eq!(third, if name == "vanilla" { vec![] } else { vec![0] }, "{name}");
    }
}

#[test]
fn limited_transmit_needs_a_report_and_room_at_the_receiver() {
    let mut unreported = sender(rfc6675(), 10);
    assert!(answer(&mut unreported, 500, 0, &[]).is_empty(), "nothing is known to have left: pipe 10 of cwnd 10");

    let mut full = begun(&TcpParams { receive_window: 10 * MSS, ..params(rfc6675(), 10) }, GREEDY);
    drain(&mut full, Time::ZERO);
    assert!(answer(&mut full, 500, 0, &[(1, 2)]).is_empty(), "the receiver's window ends at 10");
}

/// A file of ten, of which 0, 8 and 9 are lost. NextSeg (4): the last segment is sent again once, though nothing was
/// reported above it; its report shows the hole at 8, so no timeout is needed.
#[test]
fn the_rescue_repairs_a_lost_tail_once() {
    let transfer = Transfer { size: Some(10 * MSS), ..GREEDY };
    let mut sender = begun(&params(rfc6675(), 10), transfer);
    drain(&mut sender, Time::ZERO);
    let mut sent = Vec::new();
    for held in 2..=8 {
        // cwnd 5. Pipe: what is above the reports, and 0 sent again: with 1 to 6 held, 3 + 1 leave room for one.
        let now = answer(&mut sender, 500, 0, &[(1, held)]);
        assert_eq!(
            now,
            if held == 4 {
                vec![0]
            } else if held == 7 {
                vec![9]
            } else {
                vec![]
            },
            "1 to {held} held"
        );
        sent.extend(now);
    }
    assert_eq!(sent, [0, 9], "there is room for another, but the rescue is used");
    assert!(answer(&mut sender, 1000, 8, &[]).is_empty(), "nor again after a partial acknowledgement");
    assert_eq!(answer(&mut sender, 1000, 8, &[(9, 10)]), [8], "the rescue arrived: 8 is a hole");

    let lost = |number, transmission| transmission == 1 && [0, 8, 9].contains(&number);
    let mut pair =
        Pair::new(&params(rfc6675(), 10), Transfer { size: Some(10 * MSS), ..GREEDY }, Span::from_ms(250), lost);
    pair.run(at(2900));
    assert_eq!(pair.retransmitted(), [0, 9, 8]);
    assert!(pair.sender.timeouts().is_empty());
    assert!(pair.sender.stats().completed.is_some());
}

// ---- after a timeout ----

#[test]
fn after_a_timeout_what_the_receiver_held_is_skipped() {
    for (name, recovery) in every_recovery() {
        let mut sender = sender(recovery, 10);
        assert_eq!(time_out(&mut sender, 3000), [0], "{name}: one segment");
        // The receiver held 1 to 5: go-back-N goes on at 6, with a window of two.
        assert_eq!(answer(&mut sender, 3050, 6, &[]), [6, 7], "{name}");
        assert_eq!(answer(&mut sender, 3100, 10, &[]), [10, 11, 12], "{name}");
        assert_eq!(sender.stats().retransmissions, 3, "{name}: 0, 6 and 7");
    }
}

#[test]
fn after_a_timeout_the_sender_goes_back_to_the_first_byte_not_acknowledged() {
    for (name, recovery) in every_recovery() {
        let mut sender = sender(recovery, 10);
        time_out(&mut sender, 3000);
        // Nothing was held: slow start from the beginning, over all that was sent before.
        assert_eq!(answer(&mut sender, 3050, 1, &[]), [1, 2], "{name}");
        assert_eq!(answer(&mut sender, 3100, 2, &[]), [3, 4], "{name}");
    }
}

// ---- the receiver's window ----

#[test]
fn no_more_is_sent_than_the_receiver_has_room_for() {
    for (name, recovery) in every_recovery() {
        // Four segments and a bit: the fifth does not fit, though the congestion window is ten.
        let tcp = TcpParams { receive_window: 4 * MSS + 17, ..params(recovery, 10) };
        let mut sender = begun(&tcp, GREEDY);
        assert_eq!(drain(&mut sender, Time::ZERO), [0, 1, 2, 3], "{name}");
        assert_eq!(answer(&mut sender, 100, 1, &[]), [4], "{name}: it moves with what is acknowledged");
    }
}

#[test]
fn an_inflated_window_does_not_overrun_the_receiver() {
    for (name, recovery) in every_recovery() {
        let tcp = TcpParams { receive_window: 4 * MSS, ..params(recovery, 4) };
        let mut sender = begun(&tcp, GREEDY);
        drain(&mut sender, Time::ZERO);
        // Fast recovery: ssthresh 2, cwnd 2 + 3 = 5, and one more for each further duplicate.
        for held in [2, 3, 4, 4, 4, 4] {
            let sent = answer(&mut sender, 500, 0, &[(1, held)]);
            assert!(sent.iter().all(|&number| number < 4), "{name}: {sent:?}");
        }
    }
}

/// RFC 7323 §2.3: 16 bits, shifted.
#[test]
fn without_window_scale_at_most_65535_bytes_are_under_way() {
    for (window_scale, segments) in [(0, 65_535 / 512), (1, 100_000 / 512)] {
        let tcp = TcpParams { receive_window: 100_000, window_scale, ..params(RecoveryParams::Reno(()), 500) };
        assert_eq!(drain(&mut begun(&tcp, GREEDY), Time::ZERO).len(), segments, "scale {window_scale}");
    }
}

// ---- the application ----

#[test]
fn nothing_is_sent_before_the_application_begins() {
    let mut sender = Sender::new(&params(RecoveryParams::Reno(()), 3), Transfer { start: at(70), ..GREEDY }, clock());
    assert_eq!(sender.next_deadline(), Some(at(70)));
    assert!(drain(&mut sender, at(0)).is_empty());
    sender.on_timer(at(70));
    assert_eq!(drain(&mut sender, at(70)), [0, 1, 2]);
    // The timer counts the ticks of the host: 30 after the none before 70 ms.
    assert_eq!(sender.next_deadline(), Some(at(3000)));
}

#[test]
fn the_last_segment_of_a_file_is_as_short_as_what_is_left() {
    let transfer = Transfer { size: Some(2 * MSS + 100), ..GREEDY };
    let mut sender = begun(&params(RecoveryParams::Reno(()), 10), transfer);
    let lengths: Vec<u32> = std::iter::from_fn(|| sender.poll_segment(Time::ZERO)).map(|segment| segment.len).collect();
    assert_eq!(lengths, [512, 512, 100]);
    assert_eq!((sender.stats().segments_sent, sender.stats().bytes_sent), (3, 1124));
    answer(&mut sender, 400, 2, &[]);
    assert_eq!(sender.stats().completed, None);
    sender.on_segment(at(500), Segment { ack: 1124, ..Segment::default() });
    assert_eq!(sender.stats().completed, Some(at(500)), "when the last byte is acknowledged");
    assert_eq!((sender.next_deadline(), drain(&mut sender, at(500))), (None, vec![]));
}

#[test]
fn a_stopped_application_offers_nothing_new_but_repairs_what_it_sent() {
    for (name, recovery) in every_recovery() {
        let tcp = params(recovery, 4);
        let mut sender = begun(&tcp, Transfer { stop: Some(at(1000)), ..GREEDY });
        drain(&mut sender, Time::ZERO);
        assert_eq!(answer(&mut sender, 999, 1, &[]), [4], "{name}: just before");
        assert!(answer(&mut sender, 1000, 2, &[]).is_empty(), "{name}: from then on");
        // A sample of 9 ticks, counted from 1: 10 + 4·5 = 30; from tick 9, 39. What was sent is sent again…
        assert_eq!(time_out(&mut sender, 3900), [2], "{name}");
        assert_eq!(answer(&mut sender, 4000, 3, &[]), [3, 4], "{name}");
        // …and no more than that.
        assert!(answer(&mut sender, 4100, 5, &[]).is_empty(), "{name}");
        assert_eq!((sender.next_deadline(), sender.stats().completed), (None, None), "{name}: silent, not a file");
    }
}

/// [NS2] §2, step 7: one round trip of a second, forty of 100 ms. Of the fine timeout, 1.5 s at first, some 130 ms are left, so
/// that the first duplicate finds a segment overdue after 400 ms, and not after 50 ms.
#[test]
fn the_fine_timeout_of_vegas_follows_the_round_trip_of_every_acknowledgement() {
    let at_the_end = |ms| {
        let mut sender = sender(RecoveryParams::Vegas(()), 2);
        let mut next = 2;
        for round in 0..=40 {
            let sent = answer(&mut sender, 1000 + 100 * round, next, &[]);
            assert_eq!(sent[0], next);
            next += sent.len() as u64;
        }
        let una = sender.flight().una / MSS;
        assert!(next >= una + 2, "something is under way behind it");
        (answer(&mut sender, ms, una, &[]), una)
    };
    assert!(at_the_end(5050).0.is_empty());
    let (sent, una) = at_the_end(5400);
    assert_eq!(sent, [una]);
}

// ---- rates of delivery: [DRATE] ----

/// A congestion control that notes the rates of delivery that it is told.
struct Notes(Arc<Mutex<Vec<Option<f64>>>>);

impl CongestionControl for Notes {
    fn on_ack(&mut self, ack: &Ack, _window: &mut Window) {
        self.0.lock().unwrap().push(ack.delivery().rate());
    }

    fn on_congestion(&mut self, loss: &Loss, window: &mut Window) {
        window.ssthresh = 2.0 * loss.mss;
    }

    fn on_rto(&mut self, _loss: &Loss, _window: &mut Window) {}
}

/// Of a file of segments 0 to 3, sent at 0, the first is lost: at 120 ms, by the third report, nothing seems to be in flight. The
/// retransmission is delivered 100 ms later, 120 ms after the first transmission before it: SND.NXT is not SND.UNA, so the interval
/// begins there.
#[test]
fn a_retransmission_with_nothing_in_flight_begins_no_new_interval_of_delivery() {
    for recovery in [rfc6675(), recovery::Algorithm::named("rack").unwrap().with_defaults()] {
        let rates = Arc::new(Mutex::new(Vec::new()));
        let noted = rates.clone();
        let custom =
            CustomCongestionControl::new("notes", Needs::DELIVERY_RATES, move |_| Box::new(Notes(noted.clone())));
        let name = recovery.name().to_owned();
        let congestion_control = CongestionControlParams::Custom(custom);
        let file = Transfer { size: Some(4 * MSS), ..GREEDY };
        let mut sender = begun(&TcpParams { congestion_control, ..params(recovery, 4) }, file);
        assert_eq!(drain(&mut sender, Time::ZERO), [0, 1, 2, 3], "{name}");
        let sent = [(100, 2), (110, 3), (120, 4)].map(|(ms, end)| answer(&mut sender, ms, 0, &[(1, end)]));
        assert_eq!(sent, [vec![], vec![], vec![0]], "{name}");
        answer(&mut sender, 220, 4, &[]);
        assert_eq!(rates.lock().unwrap().last(), Some(&Some(MSS as f64 / 0.12)), "{name}");
    }
}

/// What a congestion control is told of an acknowledgement: segments by which it may grow, whether it knows a round trip, segments
/// that are delivered.
type Told = (f64, bool, Option<f64>);

/// A congestion control with a pace of a segment in 10 ms that notes what it is told.
struct Watch(Arc<Mutex<Vec<Told>>>);

impl CongestionControl for Watch {
    fn on_ack(&mut self, ack: &Ack, _window: &mut Window) {
        let delivered = ack.delivery.map(|delivery| delivery.delivered / ack.mss);
        let knows = ack.measured.is_some_and(|measured| measured.rtt.is_some());
        self.0.lock().unwrap().push((ack.acked / ack.mss, knows, delivered));
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(MSS as f64 / 0.01)
    }
}

/// Each need by itself, and any together: a pace lets the first of four segments go and not the second; with rates of delivery a
/// duplicate acknowledgement is one event, too, by which nothing grows.
#[test]
fn what_congestion_controls_need_is_independent() {
    let both = [false, true];
    for (round_trips, delivery_rates, pacing) in
        both.into_iter().flat_map(|a| both.into_iter().flat_map(move |b| both.map(|c| (a, b, c))))
    {
        let (told, needs) = (Arc::new(Mutex::new(Vec::new())), Needs { round_trips, delivery_rates, pacing });
        let noted = told.clone();
        let custom = CustomCongestionControl::new("watch", needs, move |_| Box::new(Watch(noted.clone())));
        let congestion_control = CongestionControlParams::Custom(custom);
        let mut sender = begun(&TcpParams { congestion_control, ..params(rfc6675(), 4) }, GREEDY);
        let at_once = drain(&mut sender, Time::ZERO).len();
        assert_eq!(at_once, if pacing { 1 } else { 4 }, "{needs:?}");
        for ms in [10, 20, 30].into_iter().filter(|_| pacing) {
            sender.on_timer(at(ms));
            assert_eq!(drain(&mut sender, at(ms)).len(), 1, "{needs:?}");
        }
        answer(&mut sender, 100, 1, &[]);
        answer(&mut sender, 110, 1, &[(2, 3)]);
        let (first, second) = ((1.0, round_trips, delivery_rates.then_some(1.0)), (0.0, false, Some(1.0)));
        let expected = if delivery_rates { vec![first, second] } else { vec![first] };
        assert_eq!(*told.lock().unwrap(), expected, "{needs:?}");
    }
}

/// What carries data is no duplicate acknowledgement, whatever number it repeats (RFC 5681 section 2): a router may have put the
/// number there that its acknowledgement bucket released last.
#[test]
fn acknowledgements_on_data_are_no_duplicates() {
    for (len, retransmits) in [(0, 1), (512, 0)] {
        let mut sender = sender(RecoveryParams::Reno(()), 8);
        answer(&mut sender, 10, 1, &[]);
        for ms in 11..15 {
            sender.on_segment(at(ms), Segment { len, ..ack(1, &[]) });
        }
        assert_eq!(sender.stats().fast_retransmits, retransmits, "{len} bytes of data");
    }
}

/// A window that shrinks below what is outstanding takes nothing back and sends nothing again; the sender goes on once enough is
/// acknowledged. What an old acknowledgement says does not count.
#[test]
fn a_window_that_routers_lower_stops_new_segments_only() {
    let windowed = |number, segments: u64| Segment { window: Some((segments * MSS) as u32), ..ack(number, &[]) };
    let mut sender = sender(RecoveryParams::Reno(()), 8);
    let mut answer = |ms, segment: Segment| {
        sender.on_segment(at(ms), segment);
        drain(&mut sender, at(ms))
    };
    assert!(answer(10, windowed(1, 3)).is_empty(), "seven are outstanding");
    assert!(answer(11, windowed(5, 3)).is_empty(), "three");
    assert!(answer(12, windowed(1, 9)).is_empty(), "an old one");
    assert_eq!(answer(13, ack(6, &[])), [8], "two, and the window that was said last");
    assert_eq!(answer(14, windowed(6, 4)), [9], "nothing new, but a window that rises");
    assert_eq!(answer(15, ack(7, &[])), [10], "and that one");
    assert_eq!(sender.stats().retransmissions, 0);
}

/// Data that acknowledges nothing new says a window, too (RFC 9293 §3.10.7.4): one that rises lets segments go, and none of it is a
/// duplicate acknowledgement. Older data says nothing.
#[test]
fn data_without_news_says_a_window() {
    let data = |number, segments: u64| Segment { len: 512, window: Some((segments * MSS) as u32), ..ack(number, &[]) };
    let mut sender = sender(RecoveryParams::Reno(()), 8);
    let mut answer = |ms, segment: Segment| {
        sender.on_segment(at(ms), segment);
        drain(&mut sender, at(ms))
    };
    assert!(answer(10, data(1, 3)).is_empty(), "seven are outstanding");
    assert!(answer(11, data(6, 2)).is_empty(), "two");
    assert_eq!(answer(12, data(6, 3)), [8], "nothing new, but a window that rises");
    assert!(answer(13, data(5, 9)).is_empty(), "an old one");
    assert!(answer(14, data(6, 3)).is_empty(), "the same window");
    assert!(answer(15, data(6, 1)).is_empty(), "one that falls");
    assert!(answer(16, ack(8, &[])).is_empty(), "one is outstanding, and the window is one");
    assert_eq!(sender.stats().retransmissions, 0);
}

/// A window of zero stops all that is new, and is no reason to send anything again; whatever window comes next is followed, with
/// nothing outstanding, too.
#[test]
fn a_window_of_zero_stops_new_segments_until_another_one_comes() {
    let windowed = |number, segments: u64| Segment { window: Some((segments * MSS) as u32), ..ack(number, &[]) };
    let mut sender = sender(RecoveryParams::Reno(()), 4);
    let mut answer = |ms, segment: Segment| {
        sender.on_segment(at(ms), segment);
        drain(&mut sender, at(ms))
    };
    assert!(answer(10, windowed(2, 0)).is_empty(), "two are outstanding");
    assert!(answer(11, windowed(4, 0)).is_empty(), "none is");
    assert!(answer(12, ack(4, &[])).is_empty(), "and the window is still zero");
    assert_eq!(answer(13, windowed(4, 1)), [4], "one may go");
    assert_eq!(answer(14, windowed(5, 9)), [5, 6, 7, 8], "the four of the congestion window");
    assert_eq!(sender.stats().retransmissions, 0);
}
