//! What a sender sends next: what the window allows, unless recovery or the state of the connection has a say.
//! Sources: [SACK-UBR] §2; RFC 6298 §3 (Karn); RFC 3042.

use super::{NONE, Sender};
use crate::packet::{Segment, SegmentKind};
use crate::tcp::handshake::SynSent;
use crate::tcp::host::Claimed;
use crate::tcp::recovery::{BatchHints, Recovery, Sending};
use crate::units::Time;

impl Sender {
    /// The next segment to send, as long as there is one.
    pub fn poll_segment(&mut self, now: Time) -> Option<Segment> {
        let (seq, len) = self.poll(now)?;
        Some(self.segment(now, seq, len))
    }

    /// The next segment to send, as its first byte and its length.
    #[inline(always)]
    pub fn poll(&mut self, now: Time) -> Option<(u64, u32)> {
        if self.fast_path {
            return self.poll_fast(now);
        }
        let by_window = !self.recovery_decides && self.fast_retransmit == NONE;
        let (seq, fast) = if by_window {
            (self.next_by_window(), false)
        } else if self.extra.is_none() {
            self.next_by_recovery() // nothing else has a say
        } else if let Some(seq) = self.next_window_probe(now).or_else(|| self.next_by_end(now)) {
            return Some((seq, 0));
        } else if self.is_served() {
            return self.poll_served(now);
        } else if self.waits(now) {
            return None;
        } else {
            self.next_by_recovery()
        };
        if seq == NONE {
            return None;
        }
        Some((seq, self.send(now, seq, fast)))
    }

    /// The segment of `len` bytes from `seq` on that [`Sender::poll`] returned now.
    pub fn segment(&self, now: Time, seq: u64, len: u32) -> Segment {
        let plain = Segment { seq, len, headers: self.header_bytes, ..Segment::default() };
        // What is written later is not sent yet, and no FIN before it.
        let is_all = self.next_write == Time::NEVER && !self.awaits_messages();
        let end = if is_all { self.flight.limit } else { NONE };
        self.extra.as_ref().map_or(plain, |extra| extra.add_options(now, plain, end))
    }

    /// The segment at `seq` is sent; `fast`: because recovery wanted it before anything else. Returns its length.
    #[inline(never)]
    pub(super) fn send(&mut self, now: Time, seq: u64, fast: bool) -> u32 {
        let claimed = self.claim(now, seq, fast);
        self.transmit(now, claimed);
        claimed.len as u32
    }

    /// The segment at `seq` takes its sequence numbers: it will be sent.
    #[inline(always)]
    pub(super) fn claim(&mut self, now: Time, seq: u64, fast: bool) -> Claimed {
        self.account(now);
        let len = self.flight.segment_len(seq);
        let end = seq + len;
        if self.recovery_decides && !self.fast_path {
            self.record_sent(now, seq, fast);
        }
        let (is_new, was_idle) = (seq >= self.flight.max, self.flight.nxt == self.flight.una);
        self.flight.nxt = self.flight.nxt.max(end);
        self.flight.max = self.flight.max.max(end);
        Claimed { seq, len, is_new, was_idle }
    }

    /// A segment is sent that has its sequence numbers.
    #[inline(always)]
    pub(super) fn transmit(&mut self, now: Time, Claimed { seq, len, is_new, was_idle }: Claimed) {
        if !is_new {
            self.stats.retransmissions += 1;
            self.timed = NONE; // Karn: the acknowledgement would be ambiguous
            self.note_retransmission(now, seq, len);
        } else if self.timed == NONE && self.extra.as_ref().is_none_or(|extra| !extra.samples_every) {
            self.time(now, seq);
        }
        // While it was in service it may have been acknowledged.
        if self.extra.is_some() && seq >= self.flight.una {
            if self.fast_path {
                self.remember_fast(now, seq);
            } else {
                self.remember(now, seq, len, was_idle);
            }
        }
        let payload = if self.fast_path || self.plain { len } else { self.payload(now, seq, len) };
        if self.extra.is_some() {
            self.mark_as_capable(is_new, payload);
        }
        if self.extra.is_some() {
            self.start_timer_for(now, seq);
        } else if self.timer.is_off() {
            self.timer.start(now);
        }
        self.count(now, seq, payload);
    }

    /// The round trip of the segment at `seq` is measured.
    #[inline(always)]
    pub(super) fn time(&mut self, now: Time, seq: u64) {
        self.timed = seq;
        self.timed_at = self.timer.stamp(now);
    }

    /// A segment is sent: it is counted.
    #[inline(always)]
    pub(super) fn count(&mut self, now: Time, seq: u64, payload: u64) {
        self.stats.segments_sent += 1;
        self.stats.bytes_sent += payload;
        self.fingerprint.event(now.as_ps(), seq);
    }

    #[inline(never)]
    fn record_sent(&mut self, now: Time, seq: u64, fast: bool) {
        if self.recovery.controls_sending() {
            self.recovery.on_sent(now, seq, fast, &self.flight);
        }
    }

    /// The next segment by the recovery, or [`NONE`]; and whether it is wanted before anything else.
    #[inline(never)]
    pub(super) fn next_by_recovery(&mut self) -> (u64, bool) {
        let fast = std::mem::replace(&mut self.fast_retransmit, NONE);
        if fast != NONE {
            return (fast, true);
        }
        if self.extra.is_some()
            && let Some(seq) = self.next_by_f_rto()
        {
            return (seq, false);
        }
        // Not before the connection is open.
        let controls_sending = self.recovery.controls_sending() && self.window_end > 0;
        let sending =
            if controls_sending { self.recovery.sending(&self.flight, &self.window) } else { Sending::ByWindow };
        let seq = match sending {
            Sending::Segment(seq) => seq,
            Sending::Nothing => NONE,
            Sending::ByWindow => self.next_by_window(),
        };
        if seq == NONE {
            self.ask_for_recovery(Time::NEVER);
            if self.flight.nxt >= self.flight.limit {
                self.has_no_data();
            }
        }
        (seq, false)
    }

    /// The next segment by the window, or [`NONE`].
    #[inline]
    pub(super) fn next_by_window(&self) -> u64 {
        let seq = self.flight.nxt;
        let fits = seq < self.flight.limit && seq + self.flight.segment_len(seq) <= self.window_end;
        if fits || self.is_repaired_anyway(seq) { seq } else { NONE }
    }

    /// Whether the segment at `seq` is the first that is missing, and was sent when the receiver's window was larger: it is repaired (RFC 9293
    /// §3.8.6).
    #[inline]
    fn is_repaired_anyway(&self, seq: u64) -> bool {
        seq == self.flight.una && seq < self.flight.max && self.has_persist_timer() && self.window_end > 0
    }

    /// To be called when `una`, the window or the recovery may have changed: segments to send are asked for more often.
    #[inline(never)]
    pub(super) fn update_send_state(&mut self) {
        self.recovery_decides = self.controls_sending();
        let undisturbed = self.dup_acks == 0 && self.fast_retransmit == NONE;
        let allowed = self.extra.as_ref().is_none_or(|extra| extra.allows_fast_path());
        self.fast_path = self.plain && allowed && undisturbed && !self.recovery_decides && self.recovery.is_idle();
        if !self.plain {
            return self.update_end();
        }
        if self.extra.as_ref().is_some_and(|extra| !extra.held.leaves_window()) {
            self.apply_held_window();
        }
        self.open_window();
        self.allow_limited_transmit();
    }

    /// Whether recovery or F-RTO may want something sent that the window would not send.
    #[inline]
    fn controls_sending(&self) -> bool {
        self.recovery.controls_sending() || self.extra.as_ref().is_some_and(|extra| extra.awaits_verdict())
    }

    #[inline]
    pub(super) fn open_window(&mut self) {
        // A fraction of a byte allows nothing. The receiver's window has 30 bits at most (RFC 7323 §2.3).
        self.window_end = self.flight.una + self.usable_window();
    }

    /// Limited transmit without SACK (RFC 3042): the first two duplicate acknowledgements allow a new segment each beyond the congestion
    /// window.
    #[inline]
    fn allow_limited_transmit(&mut self) {
        if self.window_rules.limited_transmit && matches!(self.dup_acks, 1 | 2) {
            let repairs = self.recovery.in_recovery() || self.flight.nxt < self.flight.max;
            if !repairs && self.recovery.loss_detection().is_none() {
                let window = u64::from(self.window.cwnd as u32) + u64::from(self.dup_acks) * self.flight.mss;
                self.window_end = self.flight.una + self.flight.rwnd.min(window);
            }
        }
    }

    /// Updates the send state of a connection that may not be open, or has something to answer.
    #[inline(never)]
    fn update_end(&mut self) {
        let (open, due) = self.end().map_or((true, false), |end| (end.is_open(), end.is_due()));
        self.report_delivery();
        self.apply_held_window();
        self.recovery_decides |= due || self.is_paced() || self.is_served() || self.has_persist_timer();
        self.plain = self.extra.as_ref().is_none_or(|extra| extra.is_plain());
        if open {
            self.open_window();
            self.allow_limited_transmit();
        }
    }

    /// What is to be sent before anything else, and takes no sequence numbers: where it stands among them.
    #[inline(never)]
    fn next_by_end(&mut self, now: Time) -> Option<u64> {
        let sent = SynSent { stamp: self.timer.stamp(now), at: now };
        let kind = self.end_mut()?.take_due(sent)?;
        if kind == SegmentKind::Syn {
            self.timer.start(now);
        }
        self.recovery_decides =
            self.controls_sending() || self.is_paced() || self.is_served() || self.has_persist_timer();
        self.fingerprint.event(now.as_ps(), kind as u64);
        // A SYN stands before the first byte, answers after the last.
        Some(if kind == SegmentKind::Syn { 0 } else { self.flight.max })
    }

    /// Payload bytes of the segment at `seq`, which takes `len` sequence numbers.
    #[inline(never)]
    fn payload(&self, now: Time, seq: u64, len: u64) -> u64 {
        u64::from(self.segment(now, seq, len as u32).payload())
    }
}
