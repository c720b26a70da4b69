//! The receiving end: puts segments in order, acknowledges.
//! Sources: [SACK-UBR] §3; RFC 2018 §4 for the order of SACK blocks; RFC 5681 §4.2 through
//! [`DelayedAck`].

mod reading;
mod reneging;
mod with_data;

use super::ecn::EcnReceiver;
use super::handshake::PassiveEnd;
use super::host::{AckNumber, AckServer};
use super::reassembly_queue::ReassemblyQueue;
use super::sack::sack_ends::SackWriter;
use super::timer::timestamps::{Echo, TimestampClock};
use super::{AckPolicy, DelayedAck, HostModel, OutOfOrder, TcpParams, sack_option};
use crate::packet::{SackBlock, SackOption, Segment, SegmentKind};
use crate::record::Fingerprint;
use crate::units::Time;
use reading::Reading;
use reneging::Reneging;

/// What the receiver counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Segments that arrived whole.
    pub segments_received: u64,
    /// Of those, segments of which it held every byte already.
    pub unnecessary: u64,
}

/// The receiving end of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    mss: u32,
    /// Octets of the headers of a data segment.
    header_bytes: u16,
    /// How many blocks are reported at most; none if SACK is not used.
    sack_blocks: u8,
    out_of_order: OutOfOrder,
    ack_due: bool,
    delayed_ack: DelayedAck,
    /// Next byte expected: everything before it is delivered.
    nxt: u64,
    /// When the last payload so far was delivered.
    last_delivery: Time,
    /// What is held beyond it; not there before something is.
    held: Option<Box<ReassemblyQueue>>,
    /// Whether something is, so that there is a hole before it.
    hole_open: bool,
    /// Whether the next segment is answered at once, with nothing but the number of the byte after it.
    fast_path: bool,
    /// Sequence numbers at the beginning that are no payload.
    empty: u64,
    /// What only some receivers have.
    extra: Option<Box<OptionalState>>,
    stats: ReceiverStats,
    fingerprint: Fingerprint,
}

/// In the fingerprint: no byte has this number.
const MARK: u64 = u64::MAX - 1;

/// What only some receivers have.
#[derive(Clone, Debug, Default)]
struct OptionalState {
    end: Option<PassiveEnd>,
    echo: Option<Echo>,
    sack: Option<SackWriter>,
    /// The server of a host that takes time for acknowledgements, and what the one whose service is over says.
    server: Option<Box<AckServer>>,
    said: Option<Box<Segment>>,
    /// What the answer to the SYN offers.
    offer: SackOption,
    ecn: Option<EcnReceiver>,
    /// An application that does not read at once.
    reading: Option<Box<Reading>>,
    /// Memory that is taken away from it.
    reneging: Option<Reneging>,
    /// How many of the numbers that were delivered stand for nothing, on a connection with data in both directions.
    unfilled: u64,
}

impl OptionalState {
    fn new(params: &TcpParams) -> Option<Box<OptionalState>> {
        let end =
            (params.handshake || params.fin).then(|| PassiveEnd::new(params.timer.initial_rto, params.timer.max_rto));
        let echo = params.timestamp_clock.map(|tick| Echo::new(TimestampClock::new(tick)));
        let sack = SackWriter::new(params);
        let server = match &params.host {
            HostModel::Immediate => None,
            HostModel::Served(served) => Some(Box::new(served.acknowledgements(0, ""))),
        };
        let ecn = EcnReceiver::new(params);
        let reading = Reading::new(params).map(Box::new);
        let any = end.is_some() || echo.is_some() || sack.is_some() || server.is_some() || ecn.is_some();
        let reneging = Reneging::new(params);
        let any = any || reading.is_some() || reneging.is_some();
        let (offer, said) = (SackOption::default(), None);
        any.then(|| {
            Box::new(OptionalState { end, echo, sack, server, said, offer, ecn, reading, reneging, unfilled: 0 })
        })
    }
}

impl Receiver {
    /// The receiver of a connection with the given parameters.
    pub fn new(params: &TcpParams) -> Receiver {
        let extra = OptionalState::new(params);
        Receiver {
            mss: params.mss,
            header_bytes: params.header_bytes,
            sack_blocks: params.most_sack_blocks(),
            out_of_order: params.out_of_order,
            ack_due: false,
            delayed_ack: DelayedAck::new(params),
            nxt: 0,
            last_delivery: Time::ZERO,
            held: None,
            hole_open: false,
            fast_path: extra.is_none() && params.ack == AckPolicy::EverySegment,
            empty: params.empty_bytes(),
            extra,
            stats: ReceiverStats::default(),
            fingerprint: Fingerprint::default(),
        }
    }

    /// Draws what is random in its host for the connection called `name`.
    #[must_use]
    pub fn with_randomness(mut self, params: &TcpParams, seed: u64, name: &str) -> Receiver {
        if let (HostModel::Served(served), Some(extra)) = (&params.host, &mut self.extra) {
            extra.server = Some(Box::new(served.acknowledgements(seed, name)));
        }
        self
    }

    /// A segment from the sender.
    #[inline]
    pub fn on_segment(&mut self, now: Time, segment: Segment) {
        if self.extra.is_some() {
            return self.on_extra(now, &segment);
        }
        self.take(now, segment.seq, segment.seq + u64::from(segment.len));
    }

    /// A segment arrives at a receiver with optional state.
    #[inline(never)]
    fn on_extra(&mut self, now: Time, segment: &Segment) {
        self.take_extra(now, segment);
        self.serve(now);
    }

    fn take_extra(&mut self, now: Time, segment: &Segment) {
        self.renege(now);
        let nxt = self.nxt;
        let Some(OptionalState { end, echo, sack, offer, reading, .. }) = self.extra.as_deref_mut() else { return };
        if let Some(reading) = reading {
            reading.pass(now, nxt);
        }
        if let (Some(echo), Some(timestamps)) = (echo, segment.timestamps) {
            echo.on_segment(segment.seq, timestamps);
        }
        let last = segment.seq + u64::from(segment.len);
        self.delayed_ack.on_handshake(now, segment.kind != SegmentKind::Syn);
        if let Some(end) = end {
            match segment.kind {
                SegmentKind::Syn => {
                    end.on_syn(now);
                    *offer = sack.as_mut().map(|sack| sack.on_syn(segment)).unwrap_or_default();
                    self.ack_due = true;
                }
                kind => end.on_answer(kind),
            }
            if segment.kind == SegmentKind::Fin {
                end.on_fin(last);
            }
        }
        if matches!(segment.kind, SegmentKind::Syn | SegmentKind::Ack | SegmentKind::Probe) {
            self.fingerprint.event(now.as_ps(), segment.kind as u64);
            if segment.kind == SegmentKind::Probe {
                self.delayed_ack.end_wait();
                self.ack_due = true;
            }
            return;
        }
        let (delivered, last_delivery) = (self.delivered(), self.last_delivery);
        let is_inside = last > self.nxt;
        let is_first_mark = match self.extra.as_mut().and_then(|extra| extra.ecn.as_mut()) {
            None => false,
            Some(ecn) => ecn.on_segment(segment.ecn, is_inside),
        };
        self.take(now, segment.seq, last);
        if is_first_mark {
            self.delayed_ack.end_wait();
            self.ack_due = true;
            self.fingerprint.event(now.as_ps(), MARK);
        }
        if self.delivered() == delivered {
            // A FIN alone takes a sequence number, but is no payload.
            self.last_delivery = last_delivery;
        }
        if let Some(end) = self.extra.as_mut().and_then(|extra| extra.end.as_mut()) {
            end.on_progress(now, self.nxt, segment.kind == SegmentKind::Fin);
        }
        let (nxt, is_closed) = (self.nxt, self.end().is_some_and(|end| end.is_closed(self.nxt)));
        match self.reading_mut() {
            Some(reading) if is_closed => reading.close(),
            Some(reading) => reading.plan(nxt),
            None => {}
        }
    }

    /// A plain segment of the bytes `start..end`.
    #[inline(always)]
    pub fn on_data(&mut self, now: Time, start: u64, end: u64) {
        if self.extra.is_some() {
            let segment = Segment { seq: start, len: (end - start) as u32, ..Segment::default() };
            return self.on_extra(now, &segment);
        }
        self.take(now, start, end);
    }

    /// A plain segment of the bytes `start..end` to a receiver that may have nothing to do but to acknowledge it:
    /// [`Receiver::on_data`] and [`Receiver::poll`] in one. Returns the next byte expected, or `None` if there is more to
    /// do, and nothing is done.
    #[inline(always)]
    pub fn answer_fast(&mut self, now: Time, start: u64, end: u64) -> Option<u64> {
        if !self.fast_path || start != self.nxt || end <= start {
            return None;
        }
        self.fingerprint.event(now.as_ps(), start);
        self.stats.segments_received += 1;
        self.nxt = end;
        self.last_delivery = now;
        self.fingerprint.event(now.as_ps(), end);
        Some(end)
    }

    /// Bytes `start..end` arrive.
    #[inline(always)]
    fn take(&mut self, now: Time, start: u64, end: u64) {
        self.fingerprint.event(now.as_ps(), start);
        self.stats.segments_received += 1;
        let in_order = start == self.nxt;
        let next = in_order && !self.hole_open;
        if end <= self.nxt {
            self.stats.unnecessary += 1;
            self.note_duplicate(start, end);
            self.delayed_ack.on_duplicate();
        } else if next {
            self.nxt = end;
            self.last_delivery = now;
        } else {
            self.on_unusual(now, start, end);
        }
        let ordinary = next && end - start == u64::from(self.mss);
        self.ack_due |= self.delayed_ack.on_segment(now, ordinary);
    }

    /// Bytes arrive of which some are not delivered: a hole is open, or is now.
    #[inline(never)]
    fn on_unusual(&mut self, now: Time, start: u64, end: u64) {
        self.note_duplicate(start, end);
        let mut held = self.held.as_mut().filter(|held| !held.is_empty());
        if held.as_mut().is_some_and(|held| held.report_again(start, end)) {
            self.stats.unnecessary += 1;
        } else if start <= self.nxt {
            self.nxt = held.map_or(end, |held| held.deliver(end));
            self.last_delivery = now;
        } else if self.out_of_order == OutOfOrder::Buffer {
            let limit = usize::from(self.sack_blocks);
            self.held.get_or_insert_with(|| Box::new(ReassemblyQueue::new(limit))).hold(start, end);
        }
        self.hole_open = self.held.as_ref().is_some_and(|held| !held.is_empty());
        let every_segment = self.delayed_ack.is_off();
        self.fast_path = !self.hole_open && every_segment && self.extra.is_none();
    }

    /// What it holds beyond a hole is discarded, if that was to happen by now.
    #[inline(never)]
    fn renege(&mut self, now: Time) {
        let reneging = self.extra.as_mut().and_then(|extra| extra.reneging.as_mut());
        if reneging.is_some_and(|reneging| reneging.pass(now)) {
            self.held = None;
            self.hole_open = false;
        }
    }

    /// Bytes arrive of which some may have come before: the first of those are reported, by a receiver that does that.
    #[cold]
    fn note_duplicate(&mut self, start: u64, end: u64) {
        let Some(sack) = self.extra.as_mut().and_then(|extra| extra.sack.as_mut()) else { return };
        let duplicate = if start < self.nxt {
            Some(SackBlock { start, end: end.min(self.nxt) })
        } else {
            self.held.as_ref().and_then(|held| held.overlap(start, end))
        };
        if let Some(duplicate) = duplicate {
            sack.on_duplicate(duplicate);
        }
    }

    /// The deadline has come.
    pub fn on_timer(&mut self, now: Time) {
        self.ack_due |= self.delayed_ack.on_timer(now);
        if let Some(end) = self.end_mut() {
            self.ack_due |= end.on_timer(now);
        }
        if self.reading_mut().is_some_and(|reading| reading.update_is_due(now)) {
            self.delayed_ack.end_wait();
            self.ack_due = true;
        }
        self.serve(now);
    }

    /// An acknowledgement that is due goes to the server, if there is one.
    fn serve(&mut self, now: Time) {
        let server = self.extra.as_ref().and_then(|extra| extra.server.as_deref());
        let Some(number) = server.map(AckServer::number).filter(|_| self.ack_due) else { return };
        self.ack_due = false;
        let said = match number {
            AckNumber::Arrival => Some(self.report(now, self.nxt)),
            AckNumber::Departure => None,
        };
        if let Some(server) = self.extra.as_mut().and_then(|extra| extra.server.as_mut()) {
            server.push(now, said);
        }
    }

    /// The acknowledgement to send, if one is due.
    pub fn poll_segment(&mut self, now: Time) -> Option<Segment> {
        let ack = self.poll(now)?;
        Some(if self.has_report() { self.report(now, ack) } else { Segment { ack, ..Segment::default() } })
    }

    /// The acknowledgement to send, if one is due, as the next byte expected. There may be a report beside it.
    #[inline(always)]
    pub fn poll(&mut self, now: Time) -> Option<u64> {
        if self.extra.is_some() {
            self.poll_server(now);
        }
        if !std::mem::take(&mut self.ack_due) {
            return None;
        }
        let ack = self.extra.as_ref().and_then(|extra| extra.said.as_ref()).map_or(self.nxt, |said| said.ack);
        self.fingerprint.event(now.as_ps(), ack);
        Some(ack)
    }

    /// If there is a server, what is due is the acknowledgement whose service is over.
    #[inline(never)]
    fn poll_server(&mut self, now: Time) {
        let Some(OptionalState { server: Some(server), said, .. }) = self.extra.as_deref_mut() else { return };
        let finished = server.finish(now);
        self.ack_due = finished.is_some();
        *said = finished.flatten().map(Box::new);
    }

    /// Whether the acknowledgement of [`Receiver::poll`] says more than its number.
    #[inline]
    pub fn has_report(&self) -> bool {
        self.hole_open && self.sack_blocks > 0 || self.extra.is_some()
    }

    /// It says this.
    pub fn report(&mut self, now: Time, ack: u64) -> Segment {
        if self.extra.is_none() {
            return Segment { ack, sack: self.sack_option(), ..Segment::default() };
        }
        self.renege(now);
        if let Some(said) = self.extra.as_mut().and_then(|extra| extra.said.take()) {
            return *said;
        }
        let mut segment = Segment { ack, ..Segment::default() };
        if let Some(OptionalState { end, echo, ecn, .. }) = self.extra.as_deref_mut() {
            segment.kind = end.as_mut().and_then(PassiveEnd::take_due).unwrap_or_default();
            segment.timestamps = echo.as_mut().map(|echo| echo.on_ack(now, ack));
            segment.ecn = ecn.map(|ecn| ecn.bits_of(segment.kind)).unwrap_or_default();
        }
        let (nxt, is_closed) = (self.nxt, self.end().is_some_and(|end| end.is_closed(self.nxt)));
        if let Some(reading) = self.reading_mut().filter(|_| segment.kind != SegmentKind::SynAck) {
            reading.pass(now, nxt);
            segment.window = Some(reading.advertise(nxt));
            if is_closed {
                reading.close();
            }
        }
        segment.sack = match &self.extra {
            Some(extra) if segment.kind == SegmentKind::SynAck => extra.offer,
            _ => self.sack_option(),
        };
        segment
    }

    /// What is held, as an acknowledgement reports it.
    fn sack_option(&mut self) -> SackOption {
        let held = self.held.as_mut().filter(|_| self.sack_blocks > 0);
        let blocks = held.map_or(&[][..], |held| held.sack_blocks());
        match self.extra.as_mut().and_then(|extra| extra.sack.as_mut()) {
            Some(sack) => sack.report(blocks),
            None => sack_option::of_stream(blocks),
        }
    }

    /// Its host sends data of its own, which carries the acknowledgement: what that says, whether or not one is due; none is due any more.
    pub fn ride(&mut self, now: Time) -> Segment {
        self.delayed_ack.end_wait();
        self.ack_due = false;
        let ack = self.nxt;
        self.report(now, ack)
    }

    /// When [`Receiver::on_timer`] is to be called.
    pub fn next_deadline(&self) -> Option<Time> {
        Some(self.deadline()).filter(|&deadline| deadline < Time::NEVER)
    }

    /// When [`Receiver::on_timer`] is to be called; [`Time::NEVER`] if it is not.
    #[inline]
    pub fn deadline(&self) -> Time {
        let deadline = self.delayed_ack.deadline();
        match &self.extra {
            None => deadline,
            Some(extra) => {
                let of_end = extra.end.as_ref().map_or(Time::NEVER, PassiveEnd::deadline);
                let of_reading = extra.reading.as_deref().map_or(Time::NEVER, Reading::deadline);
                let of_server = extra.server.as_deref().map_or(Time::NEVER, AckServer::ends);
                deadline.min(of_end).min(of_reading).min(of_server)
            }
        }
    }

    /// Bytes delivered to the application, in order, each once.
    pub fn delivered(&self) -> u64 {
        let nxt = self.end().map_or(self.nxt, |end| end.payload_before(self.nxt));
        let unfilled = self.extra.as_ref().map_or(0, |extra| extra.unfilled);
        nxt.saturating_sub(self.empty + unfilled)
    }

    /// When the last of them were delivered; at the start of the run before the first.
    pub fn last_delivery(&self) -> Time {
        self.last_delivery
    }

    fn end(&self) -> Option<&PassiveEnd> {
        self.extra.as_ref().and_then(|extra| extra.end.as_ref())
    }

    fn reading_mut(&mut self) -> Option<&mut Reading> {
        self.extra.as_mut().and_then(|extra| extra.reading.as_deref_mut())
    }

    fn end_mut(&mut self) -> Option<&mut PassiveEnd> {
        self.extra.as_mut().and_then(|extra| extra.end.as_mut())
    }

    /// Octets of the headers of a plain data segment.
    #[inline]
    pub fn header_bytes(&self) -> u32 {
        u32::from(self.header_bytes)
    }

    /// Segments of new data that came with a mark.
    pub fn marked(&self) -> u64 {
        self.extra.as_ref().and_then(|extra| extra.ecn).map_or(0, |ecn| ecn.marked)
    }

    /// What was counted.
    pub fn stats(&self) -> ReceiverStats {
        self.stats
    }

    /// Hash over every segment received and every acknowledgement sent, with their times.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint.value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::AckPolicy;
    use crate::tcp::recovery::{NewRenoParams, RecoveryParams, Rfc6675Params};
    use crate::units::Span;
    use proptest::prelude::*;

    const MSS: u64 = 100;

    fn params() -> TcpParams {
        let recovery = RecoveryParams::Rfc6675(Rfc6675Params::default());
        TcpParams { mss: MSS as u32, recovery, ..TcpParams::default() }
    }

    fn delayed() -> TcpParams {
        TcpParams { ack: AckPolicy::Delayed { timeout: Span::from_ms(200) }, ..params() }
    }

    fn receive(receiver: &mut Receiver, seq: u64, len: u64) -> Option<Segment> {
        receiver.on_segment(Time::ZERO, Segment { seq, len: len as u32, ..Segment::default() });
        receiver.poll_segment(Time::ZERO)
    }

    /// Full segment `number` arrives; what the acknowledgement says, in segments: cumulative number and blocks.
    fn arrives(receiver: &mut Receiver, number: u64) -> Option<(u64, Vec<(u64, u64)>)> {
        let answer = receive(receiver, number * MSS, MSS)?;
        let blocks = if answer.sack.is_empty() {
            Vec::new()
        } else {
            sack_option::to_stream(&answer.sack, answer.ack).unwrap().as_slice().to_vec()
        };
        let blocks = blocks.iter().map(|block| (block.start / MSS, block.end / MSS)).collect();
        Some((answer.ack / MSS, blocks))
    }

    /// On Linux some acknowledgements go at once at first: a mark, which is acknowledged at once in any case, takes none of them more.
    #[test]
    fn a_mark_counts_as_the_segment_that_it_is_of() {
        use crate::packet::Ecn;
        use crate::tcp::{EcnMode, EcnParams};
        let ecn = EcnParams { mode: EcnMode::Classic, ..EcnParams::default() };
        let params = TcpParams { ack: AckPolicy::Linux, receive_window: 20 * MSS, ecn, ..params() };
        let at_once = |marked: u64| {
            let mut receiver = Receiver::new(&params);
            let comes = |number: u64| {
                let bits = if number == marked { Ecn::CE } else { Ecn::ECT_0 };
                let segment = Segment { seq: number * MSS, len: MSS as u32, ecn: bits, ..Segment::default() };
                let now = Time::ZERO + Span::from_ms(number);
                receiver.on_segment(now, segment);
                receiver.poll_segment(now).is_some()
            };
            (0..20).map(comes).collect::<Vec<_>>()
        };
        let (plain, early) = (at_once(100), at_once(3));
        assert_eq!(plain.iter().position(|&at_once| !at_once), Some(10));
        assert_eq!(early, plain);
        // The eleventh would wait: it does not, and the next one does.
        assert_eq!(at_once(10)[10..13], [true, false, true]);
    }

    fn blocks_after(receiver: &mut Receiver, number: u64) -> Vec<(u64, u64)> {
        arrives(receiver, number).expect("acknowledged at once").1
    }

    proptest! {
        /// Half of the segments are the next in order, some of them short; the others may be anywhere.
        #[test]
        fn an_answer_on_the_fast_path_is_the_answer(
            segments in prop::collection::vec((0_u64..16, prop_oneof![Just(MSS), 1..MSS]), 1..60),
            delays in any::<bool>(),
        ) {
            let params = if delays { delayed() } else { params() };
            let (mut short, mut full) = (Receiver::new(&params), Receiver::new(&params));
            let mut fast = 0;
            for (&(place, len), ps) in segments.iter().zip(1..) {
                let now = Time::from_ps(ps);
                let start = if place < 8 { full.delivered() } else { (place - 8) * MSS };
                let answer = match short.answer_fast(now, start, start + len) {
                    Some(ack) => {
                        fast += 1;
                        Some(Segment { ack, ..Segment::default() })
                    }
                    None => {
                        short.on_data(now, start, start + len);
                        short.poll_segment(now)
                    }
                };
                full.on_segment(now, Segment { seq: start, len: len as u32, ..Segment::default() });
                prop_assert_eq!(answer, full.poll_segment(now));
                prop_assert_eq!(short.deadline(), full.deadline());
            }
            prop_assert_eq!(short.fingerprint(), full.fingerprint());
            prop_assert_eq!(short.stats(), full.stats());
            prop_assert!(fast > 0 || delays || segments[0].0 > 8);
        }
    }

    /// RFC 2018 §4: the first block contains the segment that triggered the acknowledgement, the others repeat the
    /// most recently reported ones, at most three in all.
    #[test]
    fn the_newest_block_is_reported_first_and_at_most_three() {
        let mut receiver = Receiver::new(&params());
        assert_eq!(blocks_after(&mut receiver, 6), [(6, 7)]);
        assert_eq!(blocks_after(&mut receiver, 2), [(2, 3), (6, 7)], "by time, not by place");
        assert_eq!(blocks_after(&mut receiver, 4), [(4, 5), (2, 3), (6, 7)]);
        assert_eq!(blocks_after(&mut receiver, 8), [(8, 9), (4, 5), (2, 3)], "the oldest report has no room");
        // 6..7 is still held: growing, it is the newest again.
        assert_eq!(blocks_after(&mut receiver, 7), [(6, 9), (4, 5), (2, 3)]);
    }

    #[test]
    fn a_segment_between_two_blocks_makes_them_one() {
        let mut receiver = Receiver::new(&params());
        arrives(&mut receiver, 2);
        arrives(&mut receiver, 4);
        arrives(&mut receiver, 7);
        assert_eq!(blocks_after(&mut receiver, 3), [(2, 5), (7, 8)]);
        assert_eq!(blocks_after(&mut receiver, 1), [(1, 5), (7, 8)], "grown at its lower end");
        assert_eq!(blocks_after(&mut receiver, 5), [(1, 6), (7, 8)], "and at its upper end");
        assert_eq!(receiver.stats().unnecessary, 0);
    }

    #[test]
    fn a_duplicate_of_a_held_segment_is_reported_first_again() {
        let mut receiver = Receiver::new(&params());
        for number in [2, 3, 5, 7] {
            arrives(&mut receiver, number);
        }
        assert_eq!(blocks_after(&mut receiver, 2), [(2, 4), (7, 8), (5, 6)], "the block of the segment, whole");
        assert_eq!(blocks_after(&mut receiver, 5), [(5, 6), (2, 4), (7, 8)]);
    }

    #[test]
    fn what_a_filled_hole_delivers_is_not_reported_any_more() {
        let mut receiver = Receiver::new(&params());
        for number in [1, 2, 4] {
            arrives(&mut receiver, number);
        }
        assert_eq!(arrives(&mut receiver, 0), Some((3, vec![(4, 5)])));
        assert_eq!(arrives(&mut receiver, 3), Some((5, vec![])));
        assert_eq!(receiver.delivered(), 5 * MSS);
    }

    #[test]
    fn blocks_go_only_to_a_sender_that_reads_them() {
        let new_reno = NewRenoParams::default();
        for silent in [
            TcpParams { receiver_sack: false, ..params() },
            TcpParams { recovery: RecoveryParams::NewReno(new_reno), ..params() },
            TcpParams { recovery: RecoveryParams::Reno(()), ..params() },
            TcpParams { recovery: RecoveryParams::Vanilla(()), ..params() },
        ] {
            let mut receiver = Receiver::new(&silent);
            assert_eq!(arrives(&mut receiver, 1), Some((0, vec![])));
            assert_eq!(arrives(&mut receiver, 0), Some((2, vec![])), "held all the same");
        }
    }

    #[test]
    fn a_segment_of_which_every_byte_was_there_is_unnecessary() {
        let mut receiver = Receiver::new(&params());
        for (number, so_far) in [(0, 0), (0, 1), (2, 1), (2, 2), (3, 2), (2, 3), (3, 4), (1, 4), (3, 5)] {
            arrives(&mut receiver, number);
            assert_eq!(receiver.stats().unnecessary, so_far, "after {number}");
        }
        assert_eq!((receiver.stats().segments_received, receiver.delivered()), (9, 4 * MSS));
    }

    #[test]
    fn a_segment_of_which_some_bytes_are_new_is_not_unnecessary() {
        let mut receiver = Receiver::new(&params());
        receive(&mut receiver, 0, MSS);
        receive(&mut receiver, MSS / 2, MSS); // 50..150 on top of 0..100
        assert_eq!((receiver.stats().unnecessary, receiver.delivered()), (0, 150));
        receive(&mut receiver, 200, MSS);
        receive(&mut receiver, 250, MSS); // 250..350 on top of 200..300
        receive(&mut receiver, 180, MSS); // 180..280: the other end
        assert_eq!(receiver.stats().unnecessary, 0);
        receive(&mut receiver, 150, 30);
        assert_eq!((receiver.stats().unnecessary, receiver.delivered()), (0, 350), "180..350 was held");
    }

    /// The last byte of a file counts when it is delivered: a copy, what is beyond a hole, and a FIN in order deliver nothing.
    #[test]
    fn the_last_delivery_is_that_of_the_last_payload() {
        let mut receiver = Receiver::new(&TcpParams { handshake: true, fin: true, ..params() });
        let ms = |ms| Time::ZERO + Span::from_ms(ms);
        let data = |number: u64| Segment { seq: number * MSS, len: MSS as u32, ..Segment::default() };
        let fin = Segment { seq: 3 * MSS, len: 1, kind: SegmentKind::Fin, ..Segment::default() };
        receiver.on_segment(ms(1), Segment { kind: SegmentKind::Syn, ..Segment::default() });
        for (at, segment, last) in [
            (2, data(0), 2),
            (3, data(2), 2), // beyond a hole
            (4, data(0), 2), // a copy
            (5, data(1), 5), // fills the hole
            (6, fin, 5),
            (7, fin, 5),
        ] {
            receiver.on_segment(ms(at), segment);
            assert_eq!(receiver.last_delivery(), ms(last), "after {at} ms");
        }
        assert_eq!(receiver.delivered(), 3 * MSS);
        // A FIN comes with the last payload; or alone, before it, and is delivered with it.
        let mut receiver = Receiver::new(&TcpParams { handshake: true, fin: true, ..params() });
        receiver.on_segment(ms(1), Segment { len: MSS as u32 + 1, kind: SegmentKind::Fin, ..data(0) });
        assert_eq!((receiver.last_delivery(), receiver.delivered()), (ms(1), MSS));
        let mut receiver = Receiver::new(&TcpParams { handshake: true, fin: true, ..params() });
        for (at, segment) in [(1, data(0)), (2, data(2)), (3, fin), (4, data(1))] {
            receiver.on_segment(ms(at), segment);
        }
        assert_eq!((receiver.last_delivery(), receiver.delivered()), (ms(4), 3 * MSS));
    }

    #[test]
    fn a_receiver_that_discards_holds_nothing() {
        let mut receiver = Receiver::new(&TcpParams { out_of_order: OutOfOrder::Discard, ..params() });
        assert_eq!(arrives(&mut receiver, 1), Some((0, vec![])));
        assert_eq!(arrives(&mut receiver, 0), Some((1, vec![])), "1 is gone");
        assert_eq!(arrives(&mut receiver, 1), Some((2, vec![])));
        assert_eq!(receiver.stats().unnecessary, 0, "it had discarded 1");
    }

    /// RFC 5681 §4.2: out of order, and what fills a hole, wholly or in part: acknowledged at once.
    #[test]
    fn nothing_waits_for_company_while_a_hole_is_open_or_filled() {
        let mut receiver = Receiver::new(&delayed());
        assert_eq!(arrives(&mut receiver, 0), None, "in order: waits");
        assert_eq!(arrives(&mut receiver, 2), Some((1, vec![(2, 3)])), "opens a hole");
        assert_eq!(receiver.next_deadline(), None, "0 is acknowledged with it");
        assert_eq!(arrives(&mut receiver, 4), Some((1, vec![(4, 5), (2, 3)])), "another");
        assert_eq!(arrives(&mut receiver, 1), Some((3, vec![(4, 5)])), "fills one, the other stays open");
        assert_eq!(arrives(&mut receiver, 3), Some((5, vec![])), "fills the last");
        assert_eq!(arrives(&mut receiver, 5), None, "in order, no hole: waits again");
        assert_eq!(arrives(&mut receiver, 6), Some((7, vec![])), "the second of two");
    }

    #[test]
    fn duplicates_and_short_segments_do_not_wait() {
        let mut receiver = Receiver::new(&delayed());
        arrives(&mut receiver, 0);
        assert_eq!(arrives(&mut receiver, 0), Some((1, vec![])), "a duplicate");
        assert_eq!(receive(&mut receiver, MSS, MSS - 1).map(|answer| answer.ack), Some(2 * MSS - 1));
    }

    /// Without a buffer the hole stays open, but nothing tells the receiver: what comes in order is ordinary.
    #[test]
    fn a_receiver_that_discards_knows_of_no_hole() {
        let mut receiver = Receiver::new(&TcpParams { out_of_order: OutOfOrder::Discard, ..delayed() });
        assert_eq!(arrives(&mut receiver, 1), Some((0, vec![])));
        assert_eq!(arrives(&mut receiver, 0), None);
    }

    #[test]
    fn a_lone_segment_is_acknowledged_at_its_deadline() {
        let mut receiver = Receiver::new(&delayed());
        let deadline = Time::ZERO + Span::from_ms(200);
        assert_eq!(arrives(&mut receiver, 0), None);
        assert_eq!(receiver.next_deadline(), Some(deadline));
        receiver.on_timer(deadline);
        assert_eq!(receiver.poll_segment(deadline).map(|answer| answer.ack), Some(MSS));
        assert_eq!(receiver.poll_segment(deadline), None, "once");
    }
}
