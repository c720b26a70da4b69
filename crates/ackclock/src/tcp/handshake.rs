//! Opening and closing of a connection, at both ends: the three-way handshake, and the FINs at the end of a file.
//! Sources: RFC 9293 §3.5, §3.6; RFC 6298 §5.7; RFC 6928 §2.   What is sent is a [`SegmentKind`] without payload.

use crate::packet::SegmentKind;
use crate::units::{Span, Time};

/// The sender of data, which opens the connection.
#[derive(Clone, Debug)]
pub(super) struct ActiveEnd {
    /// Whether the connection is open.
    open: bool,
    /// When the SYN was sent.
    syn: SynSent,
    syn_sent_again: bool,
    /// What is to be sent before anything else.
    due: Option<SegmentKind>,
    /// What was sent last of that.
    sent: SegmentKind,
}

/// What the answer to a SYN means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opened {
    /// The connection is open now. When the SYN was sent, if it was sent once: a round trip.
    Now { syn: Option<SynSent> },
    /// It was already: the third segment of the handshake was lost.
    Before,
}

/// When a SYN was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SynSent {
    /// As the timer remembers it.
    pub(super) stamp: u64,
    /// The instant.
    pub(super) at: Time,
}

impl ActiveEnd {
    /// A connection that is opened at its start, or one that is open.
    pub(super) fn new(handshake: bool) -> ActiveEnd {
        let (syn, syn_sent_again) = (SynSent::default(), false);
        ActiveEnd { open: !handshake, syn, syn_sent_again, due: None, sent: SegmentKind::Ack }
    }

    /// Whether data may be sent.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// The application wants to send: a SYN is due, unless the connection is open.
    pub(super) fn begin(&mut self) {
        if !self.open {
            self.due = Some(SegmentKind::Syn);
        }
    }

    /// The timer expired while no answer had come.
    pub(super) fn on_timeout(&mut self) {
        self.syn_sent_again = true;
        self.due = Some(SegmentKind::Syn);
    }

    /// A SYN and acknowledgement came.
    pub(super) fn on_syn_ack(&mut self) -> Opened {
        self.due = Some(SegmentKind::Ack);
        if std::mem::replace(&mut self.open, true) {
            return Opened::Before;
        }
        Opened::Now { syn: (!self.syn_sent_again).then_some(self.syn) }
    }

    /// The receiver's FIN came, or came again.
    pub(super) fn on_fin(&mut self) {
        self.due = Some(SegmentKind::Ack);
    }

    /// Whether something is to be sent before anything else.
    pub(super) fn is_due(&self) -> bool {
        self.due.is_some()
    }

    /// What is to be sent before anything else; `now` is this instant.
    pub(super) fn take_due(&mut self, now: SynSent) -> Option<SegmentKind> {
        let due = self.due.take()?;
        if due == SegmentKind::Syn {
            self.syn = now;
        }
        self.sent = due;
        Some(due)
    }

    /// What was sent last of that.
    pub(super) fn sent(&self) -> SegmentKind {
        self.sent
    }
}

/// The receiver of data, which answers.
#[derive(Clone, Debug)]
pub(super) struct PassiveEnd {
    initial_rto: Span,
    max_rto: Span,
    /// What was sent and not answered: a SYN and acknowledgement, or a FIN.
    unanswered: Option<SegmentKind>,
    rto: Span,
    /// When it is sent again.
    deadline: Time,
    /// What the next acknowledgement is beside one.
    due: Option<SegmentKind>,
    /// The byte after the sender's FIN.
    fin: Option<u64>,
}

impl PassiveEnd {
    /// Nothing has come. What is not answered is sent again after `initial_rto`, twice that, and so on up to `max_rto`.
    pub(super) fn new(initial_rto: Span, max_rto: Span) -> PassiveEnd {
        let (unanswered, due, fin) = (None, None, None);
        PassiveEnd { initial_rto, max_rto, unanswered, rto: initial_rto, deadline: Time::NEVER, due, fin }
    }

    /// A SYN came: it is answered, again if it came again.
    pub(super) fn on_syn(&mut self, now: Time) {
        self.say(now, SegmentKind::SynAck);
    }

    /// Data or an acknowledgement came: whatever was sent is answered, but for a FIN by data.
    pub(super) fn on_answer(&mut self, kind: SegmentKind) {
        if kind == SegmentKind::Ack || self.unanswered == Some(SegmentKind::SynAck) {
            self.unanswered = None;
            self.deadline = Time::NEVER;
        }
    }

    /// A FIN came, the byte after which is this.
    pub(super) fn on_fin(&mut self, end: u64) {
        self.fin = Some(end);
    }

    /// Everything before `nxt` has come: if that is all, a FIN is due too, once more for a FIN that came again.
    pub(super) fn on_progress(&mut self, now: Time, nxt: u64, fin_came: bool) {
        if self.is_closed(nxt) && (fin_came || self.unanswered.is_none()) {
            self.say(now, SegmentKind::FinAck);
        }
    }

    /// Whether everything before `nxt` is all that there is, the FIN included.
    pub(super) fn is_closed(&self, nxt: u64) -> bool {
        self.fin.is_some_and(|end| nxt >= end)
    }

    /// The deadline may have come: whether something is sent again.
    pub(super) fn on_timer(&mut self, now: Time) -> bool {
        if now < self.deadline {
            return false;
        }
        self.due = self.unanswered;
        self.rto = (self.rto * 2).min(self.max_rto);
        self.deadline = now + self.rto;
        true
    }

    /// When something is sent again.
    pub(super) fn deadline(&self) -> Time {
        self.deadline
    }

    /// Whether the next acknowledgement is more than one.
    pub(super) fn has_more(&self) -> bool {
        self.due.is_some()
    }

    /// What the next acknowledgement is beside one.
    pub(super) fn take_due(&mut self) -> Option<SegmentKind> {
        self.due.take()
    }

    /// How many of the bytes before `nxt` are payload.
    pub(super) fn payload_before(&self, nxt: u64) -> u64 {
        self.fin.map_or(nxt, |end| nxt.min(end - 1))
    }

    fn say(&mut self, now: Time, kind: SegmentKind) {
        self.due = Some(kind);
        if self.unanswered != Some(kind) {
            self.unanswered = Some(kind);
            self.rto = self.initial_rto;
        }
        self.deadline = now + self.rto;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(secs: u64) -> Time {
        Time::ZERO + Span::from_secs(secs)
    }

    fn passive() -> PassiveEnd {
        PassiveEnd::new(Span::from_secs(1), Span::from_secs(3))
    }

    #[test]
    fn a_syn_sent_once_gives_a_round_trip_and_one_sent_again_does_not() {
        for again in [false, true] {
            let mut end = ActiveEnd::new(true);
            end.begin();
            let sent = |stamp| SynSent { stamp, at: secs(stamp) };
            assert_eq!(end.take_due(sent(7)), Some(SegmentKind::Syn));
            if again {
                end.on_timeout();
                assert_eq!(end.take_due(sent(9)), Some(SegmentKind::Syn));
            }
            assert!(!end.is_open());
            assert_eq!(end.on_syn_ack(), Opened::Now { syn: (!again).then_some(sent(7)) });
            assert_eq!(end.take_due(sent(10)), Some(SegmentKind::Ack));
            assert_eq!(end.on_syn_ack(), Opened::Before, "and is acknowledged again");
            assert_eq!(end.take_due(sent(11)), Some(SegmentKind::Ack));
        }
    }

    #[test]
    fn what_is_not_answered_is_sent_again_ever_later() {
        let mut end = passive();
        end.on_syn(secs(10));
        assert_eq!(end.take_due(), Some(SegmentKind::SynAck));
        for at in [11, 13, 16, 19] {
            assert_eq!(end.deadline(), secs(at));
            assert!(end.on_timer(secs(at)));
            assert_eq!(end.take_due(), Some(SegmentKind::SynAck));
        }
        end.on_answer(SegmentKind::Data);
        assert_eq!(end.deadline(), Time::NEVER);
    }

    #[test]
    fn a_fin_is_answered_when_all_before_it_has_come() {
        let mut end = passive();
        end.on_fin(101);
        end.on_progress(secs(1), 50, true);
        assert_eq!(end.take_due(), None, "a hole is open");
        end.on_progress(secs(2), 101, false);
        assert_eq!((end.take_due(), end.deadline()), (Some(SegmentKind::FinAck), secs(3)));
        assert_eq!([50, 101].map(|nxt| end.payload_before(nxt)), [50, 100]);
        // Data that comes again says nothing about our FIN; a FIN that comes again says that the answer was lost.
        end.on_answer(SegmentKind::Data);
        end.on_progress(secs(2), 101, true);
        assert_eq!(end.take_due(), Some(SegmentKind::FinAck));
        end.on_answer(SegmentKind::Ack);
        assert_eq!(end.deadline(), Time::NEVER);
    }
}
