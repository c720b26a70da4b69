//! How connections are opened and closed, and what timestamps are good for.

use crate::pair::*;
use ackclock::packet::{Segment, SegmentKind};
use ackclock::tcp::*;
use ackclock::units::{Span, Time};

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// Handshake, FIN, timestamps, the timer of RFC 6298, ten segments at the start.
fn standard() -> TcpParams {
    TcpParams {
        handshake: true,
        fin: true,
        timestamp_clock: Some(Span::from_ms(1)),
        timer: TimerParams {
            kind: TimerKind::Rfc6298,
            granularity: Span::from_ms(1),
            min_rto_ticks: 1000,
            initial_rto: Span::from_secs(1),
            max_rto: Span::from_secs(60),
            ..TcpParams::default().timer
        },
        ..params(rfc6675(), 10)
    }
}

/// A file of that many bytes over 100 ms of round trip, until nothing is left to be done.
fn transfer(params: &TcpParams, size: u64, lost: &[(SegmentKind, usize)]) -> Pair<fn(u64, u32) -> bool> {
    let transfer = Transfer { size: Some(size), ..GREEDY };
    let loses: fn(u64, u32) -> bool = |_, _| false;
    let mut pair = Pair::new(params, transfer, Span::from_ms(50), loses);
    pair.lost_kinds = lost.to_vec();
    pair.run(Time::ZERO + Span::from_secs(100));
    assert_eq!((pair.receiver.delivered(), pair.sender.flight().una), (size, size + 1), "{lost:?}");
    assert!(pair.sender.next_deadline().is_none() && pair.receiver.next_deadline().is_none(), "{lost:?}");
    pair
}

use SegmentKind::{Ack, Fin, FinAck, Syn, SynAck};

/// SYN at 0, answered at 50, acknowledged with the first data at 100; five segments and a half, the last with the FIN,
/// arrive at 150, and the receiver closes too; its FIN is acknowledged at 200.
#[test]
fn a_connection_is_opened_and_closed() {
    let pair = transfer(&standard(), 5 * MSS + 100, &[]);
    let expected = [(0, Syn), (50, SynAck), (100, Ack), (100, Fin), (150, FinAck), (200, Ack)];
    assert_eq!(pair.kinds, expected.map(|(at, kind)| (ms(at), kind)));
    assert_eq!(pair.sent.len(), 6);
    assert_eq!(pair.sent[0].time, ms(100));
    assert_eq!((pair.sender.stats().bytes_sent, pair.sender.stats().segments_sent), (5 * MSS + 100, 6));
    assert_eq!(pair.sender.stats().completed, Some(ms(200)));
    assert_eq!(pair.receiver.stats().unnecessary, 0);
}

#[test]
fn a_file_of_whole_segments_has_a_fin_of_its_own() {
    let pair = transfer(&standard(), 2 * MSS, &[]);
    assert_eq!(pair.sent.len(), 3);
    assert_eq!(pair.sender.stats().bytes_sent, 2 * MSS);
}

/// The receiver may not know that the connection is open, long after the sender sends as if nothing were special.
#[test]
fn an_answer_to_the_syn_that_comes_again_is_acknowledged_at_any_time() {
    let params = TcpParams { handshake: true, ..params(rfc6675(), 10) };
    let mut pair = Pair::new(&params, GREEDY, Span::from_ms(50), |_, _| false);
    pair.run(ms(1001));
    let sender = &mut pair.sender;
    assert!(sender.is_plain(), "all is sent, and the handshake is over");
    let again = Segment { kind: SynAck, ..Segment::default() };
    sender.on_segment(ms(1001), again);
    assert!(!sender.is_plain());
    assert_eq!(sender.poll_segment(ms(1001)).map(|segment| segment.kind), Some(Ack));
    let ack = sender.flight().una + MSS;
    sender.on_segment(ms(1002), Segment { ack, ..Segment::default() });
    assert!(sender.is_plain());
}

/// RFC 6298 (2.1), (5.7); RFC 6928 §2: a lost SYN is sent again after 1 s; then data begins with one segment and a timeout
/// of 3 s. A lost answer means the same, though the receiver sends its own again, too.
#[test]
fn a_lost_syn_costs_a_second_and_the_initial_window() {
    for lost in [Syn, SynAck] {
        let pair = transfer(&standard(), 5 * MSS, &[(lost, 1)]);
        assert_eq!(pair.sent[0].time, ms(1100), "{lost:?}");
        assert_eq!(pair.sent[1].time, ms(1200), "one segment only");
        assert_eq!(pair.sender.timeouts(), [ms(1000)]);
    }
    let mut pair = Pair::new(&standard(), GREEDY, Span::from_ms(50), |_, _| false);
    pair.lost_kinds = vec![(Syn, 1)];
    pair.run(ms(1101));
    assert_eq!(pair.sender.timer_state().rto, 3.0);
}

/// SYN three times: after 1 s, 2 s more, 4 s more.
#[test]
fn syns_are_sent_ever_more_seldom() {
    let pair = transfer(&standard(), MSS, &[(Syn, 1), (Syn, 2), (Syn, 3)]);
    let syns: Vec<Time> = pair.kinds.iter().filter(|(_, kind)| *kind == Syn).map(|&(at, _)| at).collect();
    assert_eq!(syns, [0, 1000, 3000, 7000].map(ms));
}

/// Data does as well as the acknowledgement that was lost.
#[test]
fn a_lost_third_segment_of_the_handshake_is_not_missed() {
    let pair = transfer(&standard(), 5 * MSS, &[(Ack, 1)]);
    assert_eq!(pair.sent[0].time, ms(100));
    assert_eq!(pair.kinds.iter().filter(|(_, kind)| *kind == SynAck).count(), 1);
}

#[test]
fn lost_fins_and_their_answers_come_again() {
    for lost in [vec![(FinAck, 1)], vec![(FinAck, 1), (FinAck, 2)], vec![(Ack, 2)], vec![(Ack, 2), (Ack, 3)]] {
        let pair = transfer(&standard(), 3 * MSS + 7, &lost);
        assert_eq!(pair.receiver.stats().unnecessary, pair.sender.stats().retransmissions, "{lost:?}");
    }
    // The sender's FIN is lost with the last segment, and repaired like one.
    let transfer = Transfer { size: Some(3 * MSS), ..GREEDY };
    let mut pair = Pair::new(&standard(), transfer, Span::from_ms(50), |number, time| number == 3 && time == 1);
    pair.run(Time::ZERO + Span::from_secs(10));
    assert_eq!(pair.sender.flight().una, 3 * MSS + 1);
    assert_eq!(pair.sender.stats().retransmissions, 1);
}

/// INET PR 415: SACK, and a FIN with the last segment during recovery.
#[test]
fn a_fin_during_recovery_changes_nothing() {
    let transfer = Transfer { size: Some(20 * MSS + 100), ..GREEDY };
    let mut pair = Pair::new(&standard(), transfer, Span::from_ms(50), |number, time| number == 4 && time == 1);
    pair.run(Time::ZERO + Span::from_secs(10));
    assert_eq!(pair.retransmitted(), [4]);
    assert_eq!((pair.sender.flight().una, pair.sender.flight().max), (20 * MSS + 101, 20 * MSS + 101));
    assert_eq!(pair.receiver.delivered(), 20 * MSS + 100);
}

/// RFC 7323 §4: the sample of a segment that was sent again is that of its last transmission. Without timestamps there is
/// none, and the timeout stays doubled (Karn).
#[test]
fn timestamps_measure_what_was_sent_again() {
    let rto = |timestamp_clock: Option<Span>| {
        let params = TcpParams { timestamp_clock, recovery: RecoveryParams::Vanilla(()), ..standard() };
        let transfer = Transfer { size: Some(MSS), ..GREEDY };
        let mut pair = Pair::new(&params, transfer, Span::from_ms(50), |number, time| number == 0 && time < 3);
        pair.run(Time::ZERO + Span::from_secs(30));
        assert_eq!(pair.sender.timeouts().len(), 2);
        pair.sender.timer_state().rto
    };
    assert_eq!(rto(Some(Span::from_ms(1))), 1.0);
    assert_eq!(rto(None), 4.0);
}

/// A source that stops closes its connection when what it sent has arrived.
#[test]
fn a_source_that_stops_closes() {
    let transfer = Transfer { stop: Some(ms(450)), ..GREEDY };
    let mut pair = Pair::new(&standard(), transfer, Span::from_ms(50), |_, _| false);
    pair.run(Time::ZERO + Span::from_secs(10));
    assert_eq!(pair.sender.flight().una, pair.receiver.delivered() + 1);
    assert!(pair.kinds.iter().any(|(_, kind)| *kind == FinAck) && pair.receiver.delivered() > 0);
    assert!(pair.sender.next_deadline().is_none() && pair.receiver.next_deadline().is_none());
}
