use super::*;
use crate::rng::Stream;
use crate::tcp::SsthreshFrom;
use crate::tcp::cc::CongestionControlState;
use crate::tcp::cc::{CongestionAvoidance, CongestionControlParams};
use crate::tcp::recovery::{LossDetection, Lost};
use crate::units::instants::ms;

const MSS: u64 = 1000;

/// A connection with ten segments in flight, one sent every 10 ms from 0 on, and no more to send. The first is
/// acknowledged after 100 ms: the reordering window is 25 ms.
struct Connection {
    rack: Rack,
    congestion_control: CongestionControlState,
    window: Window,
    flight: Flight,
}

fn block(start: u64, end: u64) -> SackBlock {
    SackBlock { start: start * MSS, end: end * MSS }
}

impl Connection {
    fn new() -> Connection {
        let congestion_control = CongestionControlParams::Reno(CongestionAvoidance::Float);
        let mut connection = Connection {
            rack: Rack::new(&RackParams::default(), MSS),
            congestion_control: congestion_control.start(Stream::new(0, "", "")),
            window: Window { cwnd: 10_000.0, ssthresh: 10_000.0 },
            flight: Flight { una: 0, nxt: 0, max: 0, mss: MSS, rwnd: 1 << 30, advertised: 1 << 30, limit: 10 * MSS },
        };
        (0..10).for_each(|n| connection.send(10 * n, n));
        assert_eq!(connection.ack(100, 1), NewAck::Grow);
        connection
    }

    fn send(&mut self, at: u64, number: u64) {
        self.flight.limit = self.flight.limit.max((number + 1) * MSS);
        self.rack.on_sent(ms(at), number * MSS, false, &self.flight);
        self.flight.max = self.flight.max.max((number + 1) * MSS);
        self.flight.nxt = self.flight.max;
    }

    fn context<'a>(
        at: u64,
        congestion_control: &'a mut CongestionControlState,
        window: &'a mut Window,
    ) -> RecoveryContext<'a> {
        let ssthresh_from = SsthreshFrom::Window;
        RecoveryContext {
            congestion_control,
            window,
            now: ms(at),
            times: None,
            rtt: None,
            ssthresh_from,
            in_use: None,
            is_answered: false,
        }
    }

    fn duplicate(&mut self, at: u64, blocks: &[SackBlock]) -> DupAck {
        self.rack.on_sack(ms(at), self.flight.una, blocks, &self.flight);
        self.rack.on_dup_ack(1, &self.flight, Self::context(at, &mut self.congestion_control, &mut self.window))
    }

    fn ack(&mut self, at: u64, una: u64) -> NewAck {
        self.rack.on_sack(ms(at), una * MSS, &[], &self.flight);
        let context = Self::context(at, &mut self.congestion_control, &mut self.window);
        let meaning = self.rack.on_new_ack(una * MSS, &self.flight, context);
        self.flight.una = una * MSS;
        meaning
    }

    fn deadline(&mut self, at: u64) -> Deadline {
        assert_eq!(self.rack.deadline(), ms(at));
        self.rack.on_deadline(&self.flight, Self::context(at, &mut self.congestion_control, &mut self.window))
    }

    fn sending(&self) -> Sending {
        self.rack.sending(&self.flight, &self.window)
    }

    /// Segment 1 is sent again after three held ones, at 140 ms.
    fn after_three_held() -> Connection {
        let mut connection = Connection::new();
        assert_eq!(connection.duplicate(120, &[block(2, 3)]), DupAck::Noted);
        assert_eq!(connection.duplicate(130, &[block(2, 4)]), DupAck::Noted);
        assert_eq!(connection.duplicate(140, &[block(2, 5)]), DupAck::FastRetransmit(TimerAction::Leave));
        assert_eq!((connection.window.cwnd, connection.rack.in_flight), (5000.0, 5 * MSS));
        connection.send(140, 1);
        connection
    }
}

/// Segment 1 was sent at 10 ms; a round trip and a quarter later it is lost, as 2 has arrived.
#[test]
fn a_segment_is_lost_a_quarter_of_a_round_trip_after_a_later_one_arrived() {
    let mut connection = Connection::new();
    assert_eq!(connection.duplicate(120, &[block(2, 3)]), DupAck::Noted);
    assert_eq!(connection.deadline(135), Deadline::FastRetransmit);
    assert!(connection.rack.in_recovery());
    assert_eq!(connection.rack.lost(), Lost::Segments(&[1]));
}

#[test]
fn three_held_segments_leave_no_time() {
    let mut connection = Connection::after_three_held();
    assert_eq!(connection.ack(240, 10), NewAck::Recovered);
    assert_eq!(connection.window.cwnd, 5000.0);
}

/// 1 is sent again at 140 ms, and 10 after it; when 10 has arrived, 1 is lost again.
#[test]
fn a_lost_retransmission_is_found_by_what_was_sent_after_it() {
    let mut connection = Connection::after_three_held();
    connection.send(141, 10);
    connection.duplicate(150, &[block(2, 6)]);
    assert!(connection.rack.lost.is_empty(), "5 was sent before it");
    connection.duplicate(241, &[block(10, 11), block(2, 10)]);
    assert_eq!(connection.rack.lost(), Lost::Segments(&[1]));
    assert_eq!(connection.sending(), Sending::Segment(MSS));
}

/// 1 arrives after 2, without having been sent again: from then on three held segments are not enough. 10 is lost a round
/// trip and 25 ms after it was sent.
#[test]
fn a_path_that_reorders_gets_its_time() {
    let mut connection = Connection::new();
    connection.duplicate(120, &[block(2, 3)]);
    assert_eq!(connection.ack(125, 3), NewAck::Grow);
    assert_eq!(connection.ack(190, 10), NewAck::Grow);
    (10..14).for_each(|number| connection.send(200, number));
    assert_eq!(connection.duplicate(300, &[block(11, 14)]), DupAck::Noted);
    assert_eq!(connection.deadline(325), Deadline::FastRetransmit);
}

/// The second copy was not needed: twice the window, for sixteen recoveries.
#[test]
fn a_report_of_a_second_copy_widens_the_window() {
    let mut connection = Connection::new();
    connection.rack.reordering.seen = true;
    assert_eq!(connection.rack.reordering_window(), Span::from_ms(25));
    connection.rack.on_duplicate(block(0, 1), MSS, &connection.flight);
    connection.rack.on_duplicate(block(0, 1), MSS, &connection.flight);
    assert_eq!(connection.rack.reordering_window(), Span::from_ms(50), "once per round trip");
    (0..15).for_each(|_| connection.rack.reordering.end_recovery());
    assert_eq!(connection.rack.reordering_window(), Span::from_ms(50));
    connection.rack.reordering.end_recovery();
    assert_eq!(connection.rack.reordering_window(), Span::from_ms(25));
}

/// §8: a reordering timer ends the wait for a probe, and a probe is sent no later than the timeout (§7.2).
#[test]
fn one_timer_runs_at_a_time_and_none_later_than_the_timeout() {
    let mut connection = Connection::new();
    connection.rack.expect_timeout(ms(250));
    assert_eq!(connection.rack.deadline(), ms(250), "not 300");
    assert_eq!(connection.duplicate(120, &[block(2, 3)]), DupAck::Noted);
    connection.rack.expect_timeout(ms(125));
    assert_eq!((connection.rack.reorder_at, connection.rack.probe.at), (ms(135), Time::NEVER));
}

/// §6.2, step 2: RACK.rtt is that of each segment newly delivered, also of one that was sent before the newest. 5 is sent again at
/// 140 ms and arrives; then 6, sent at 60 ms, after 200 ms: what was sent before 140 ms may take 200 ms and a quarter of 100 now.
#[test]
fn the_round_trip_is_that_of_every_segment_newly_delivered() {
    let mut connection = Connection::new();
    connection.rack.reordering.seen = true;
    connection.send(140, 5);
    connection.duplicate(240, &[block(5, 6)]);
    assert_eq!(connection.rack.rtt, Span::from_ms(100));
    connection.duplicate(260, &[block(5, 7)]);
    assert_eq!((connection.rack.rtt, connection.rack.newest), (Span::from_ms(200), (ms(140), 5)));
}

/// The round trip of the handshake: the first segment is probed for after twice that and 200 ms.
#[test]
fn the_handshake_gives_the_first_round_trip() {
    let mut rack = Rack::new(&RackParams::default(), MSS);
    rack.on_handshake(ms(100), Span::from_ms(100));
    let flight = Flight { una: 0, nxt: 0, max: 0, mss: MSS, rwnd: 1 << 30, advertised: 1 << 30, limit: MSS };
    rack.on_sent(ms(100), 0, false, &flight);
    assert_eq!(rack.deadline(), ms(500));
}

/// Nothing comes after 100 ms: two round trips later the last segment is sent again.
#[test]
fn a_probe_asks_for_an_answer_and_what_it_repairs_alone_lowers_the_window() {
    let probed = || {
        let mut connection = Connection::new();
        assert_eq!(connection.deadline(300), Deadline::Probe);
        assert_eq!(connection.sending(), Sending::Segment(9 * MSS));
        connection.send(300, 9);
        assert_eq!((connection.rack.deadline(), connection.sending()), (Time::NEVER, Sending::Nothing));
        connection
    };
    // The probe and the original arrive: two answers, the second of which says nothing new.
    let mut connection = probed();
    assert_eq!(connection.ack(310, 10), NewAck::Grow);
    connection.send(311, 10);
    assert_eq!(connection.duplicate(400, &[]), DupAck::Noted);
    assert_eq!(connection.ack(411, 11), NewAck::Grow);
    assert_eq!(connection.window.cwnd, 10_000.0);
    // Only the probe arrives: the original was lost.
    let mut connection = probed();
    assert_eq!(connection.ack(400, 10), NewAck::Grow);
    connection.send(401, 10);
    assert_eq!(connection.ack(501, 11), NewAck::Recovered);
    assert_eq!(connection.window.cwnd, 5000.0);
}

/// The probe of new data is held: what was before it is lost.
#[test]
fn an_answer_to_a_probe_shows_the_end_of_a_flight_to_be_lost() {
    let mut connection = Connection::new();
    connection.deadline(300);
    connection.send(300, 9);
    assert_eq!(connection.duplicate(400, &[block(9, 10)]), DupAck::FastRetransmit(TimerAction::Leave));
    assert_eq!(connection.rack.lost(), Lost::Segments(&[1, 2, 3, 4, 5, 6, 7, 8]));
}

#[test]
fn after_a_timeout_everything_that_is_not_held_is_lost_and_the_window_is_not_lowered_again() {
    let mut connection = Connection::after_three_held();
    let context = Connection::context(1500, &mut connection.congestion_control, &mut connection.window);
    connection.rack.on_timeout(&connection.flight, context);
    connection.window.cwnd = 1000.0;
    assert_eq!(connection.rack.lost.iter().copied().collect::<Vec<u64>>(), [1, 5, 6, 7, 8, 9]);
    assert_eq!(connection.sending(), Sending::Segment(MSS));
    connection.send(1500, 1);
    assert_eq!(connection.sending(), Sending::Nothing);
    assert_eq!(connection.ack(1600, 5), NewAck::Grow);
    assert_eq!(connection.sending(), Sending::Segment(5 * MSS));
}

/// Undone: 9 segments of which 3 are held are in flight but for these, nothing is to be sent again, and losses are found as before: the
/// one that was sent again at 140 ms when what was sent later is delivered.
#[test]
fn after_an_undone_reduction_everything_is_in_flight_again() {
    let mut connection = Connection::after_three_held();
    connection.rack.lose(5);
    assert_eq!(connection.rack.in_flight, 5 * MSS);
    connection.rack.on_undo(MSS);
    assert_eq!((connection.rack.in_flight, connection.rack.in_recovery()), (6 * MSS, false));
    assert_eq!(connection.sending(), Sending::Nothing);
    let order: Vec<u64> = connection.rack.order.iter().map(|&(_, number)| number).collect();
    assert_eq!(order, [5, 6, 7, 8, 9, 1]);
    connection.send(150, 10);
    // 10 is delivered after a round trip of 100 ms: all of the others were sent a round trip ago and more.
    connection.rack.on_sack(ms(250), MSS, &[block(10, 11)], &connection.flight);
    assert_eq!(connection.rack.newly_lost, [5, 6, 7, 8, 9, 1]);
}

/// Segment 1 was sent again, 5 was not; the second time the answer says nothing new.
#[test]
fn it_knows_which_segments_were_sent_once() {
    let mut connection = Connection::after_three_held();
    assert_eq!(connection.ack(160, 2), NewAck::Partial { retransmit: false, restart_timer: true });
    assert_eq!(connection.rack.first_original(), Some(u64::MAX));
    connection.ack(170, 7);
    assert_eq!(connection.rack.first_original(), Some(5 * MSS), "2 to 4 were held");
    connection.duplicate(180, &[block(8, 9)]);
    assert_eq!(connection.rack.first_original(), Some(8 * MSS));
    connection.duplicate(190, &[block(8, 9)]);
    assert_eq!(connection.rack.first_original(), Some(u64::MAX));
}
