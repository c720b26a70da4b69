//! Explicit congestion notification at the two ends of a connection: what is ECT, what is echoed, and when that is answered.
//! Sources: RFC 3168 §6.1; RFC 9438 §4.6; docs/models/ecn.md.

use super::cc::Window;
use super::recovery::proportional::{News, Reduction};
use super::{EcnMode, EcnResponse, TcpParams};
use crate::packet::{Ecn, SegmentKind};
use crate::units::{Span, Time};

/// The sender of data.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EcnSender {
    /// Marks of data before this byte are answered: a window of data is one event (§6.1.2).
    answered: u64,
    /// Whether a mark was answered, and data sent before the answer is still outstanding: the window does not grow.
    pub(super) in_cwr: bool,
    /// Whether the acknowledgement that is handled now echoes a mark.
    pub(super) echoed: bool,
    /// Whether the next new data says that the window was reduced.
    cwr_due: bool,
    /// The bits of the segment that is sent now.
    bits: Ecn,
    /// After a mark in a window of one segment nothing is sent before then (§6.1.2).
    pub(super) not_before: Time,
    /// How often in a row that was.
    waits: u32,
    /// The longest such time.
    longest: Span,
    /// What a mark leaves of the window where it takes less than a loss.
    pub(super) kept: Option<f64>,
    /// Whether the window comes down in proportion, and the reduction under way.
    pub(super) is_proportional: bool,
    reduction: Option<Reduction>,
    /// What was in flight before the acknowledgement that is handled now.
    before: u64,
}

impl EcnSender {
    /// Of a connection with these parameters, if it has ECN.
    pub(super) fn new(params: &TcpParams) -> Option<EcnSender> {
        let abe = params.congestion_control.abe().filter(|_| params.ecn.response == EcnResponse::Abe);
        let (longest, is_proportional) = (params.timer.max_rto, params.ecn.is_proportional);
        let sender = EcnSender { longest, kept: abe, is_proportional, ..EcnSender::default() };
        (params.ecn.mode == EcnMode::Classic).then_some(sender)
    }

    /// Whether an echo in an acknowledgement of everything before `ack` is news: of what was sent after the last answer.
    pub(super) fn is_news(&self, ack: u64) -> bool {
        self.answered == 0 || ack > self.answered
    }

    /// Whether the window may grow with the acknowledgement that is handled now.
    pub(super) fn allows_growth(&self) -> bool {
        !self.echoed && !self.in_cwr
    }

    /// Whether the window was reduced because of a mark, and what was outstanding then still is.
    pub(super) fn is_reduced(&self) -> bool {
        self.in_cwr
    }

    /// Everything before `ack` is acknowledged, and so much was in flight. Whether a reduction in proportion is over.
    pub(super) fn on_ack(&mut self, ack: u64, in_flight: u64) -> bool {
        self.in_cwr &= ack <= self.answered;
        self.before = in_flight;
        if !self.echoed {
            self.waits = 0;
        }
        !self.in_cwr && self.reduction.take().is_some()
    }

    /// The window comes down in proportion from now on (RFC 9937 §6, for a mark in the place of a loss).
    pub(super) fn begin_reduction(&mut self) {
        self.reduction = Some(Reduction::of(self.before));
    }

    /// Whether the window comes down in proportion now.
    pub(super) fn comes_down(&self) -> bool {
        self.reduction.is_some()
    }

    /// Something else lowers the window now.
    pub(super) fn end_reduction(&mut self) {
        self.reduction = None;
    }

    /// The acknowledgement is handled: what is in flight now, and whether it was of new data.
    pub(super) fn reduce(&mut self, mss: u64, in_flight: u64, is_safe: bool, window: &mut Window) {
        if let Some(reduction) = &mut self.reduction {
            let news = News { delivered: self.before.saturating_sub(in_flight), in_flight, is_safe };
            reduction.on_ack(mss, &news, window);
        }
    }

    /// The window is reduced because of a mark, and `max` is the first byte never sent.
    pub(super) fn on_mark(&mut self, max: u64) {
        self.on_loss(max);
        self.in_cwr = true;
    }

    /// The window is reduced because of a loss: whatever is marked of the same window says nothing new.
    pub(super) fn on_loss(&mut self, max: u64) {
        (self.answered, self.in_cwr, self.cwr_due) = (max, false, true);
        self.reduction = None;
    }

    /// Whether a loss of the segment at `una` belongs to what a mark was answered for.
    pub(super) fn has_answered(&self, una: u64) -> bool {
        self.in_cwr && una < self.answered
    }

    /// A mark in a window of one segment: the next segment is sent when the retransmission timer would expire, later each time.
    pub(super) fn wait(&mut self, now: Time, timeout: Span) {
        let doubled = Span::from_ps(timeout.as_ps().saturating_mul(1 << self.waits.min(16)));
        self.not_before = now + doubled.min(self.longest).max(timeout);
        self.waits += 1;
    }

    /// A segment of data is sent: new data can be marked, what is sent again cannot (§6.1.5).
    pub(super) fn on_sent(&mut self, is_new: bool, payload: u64) {
        self.bits = Ecn::NOT_ECT;
        if let Some(reduction) = &mut self.reduction {
            reduction.on_sent(payload);
        }
        if is_new && payload > 0 {
            self.bits = if std::mem::take(&mut self.cwr_due) { Ecn::ECT_0.with(Ecn::CWR) } else { Ecn::ECT_0 };
        }
    }

    /// The bits of the segment of this kind, which is sent now; `has_data`: it takes sequence numbers.
    pub(super) fn bits_of(&self, kind: SegmentKind, has_data: bool) -> Ecn {
        match kind {
            SegmentKind::Syn => Ecn::ECE.with(Ecn::CWR),
            _ if has_data => self.bits,
            _ => Ecn::NOT_ECT,
        }
    }
}

/// The receiver of data.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EcnReceiver {
    /// Whether acknowledgements echo a mark: from a segment with CE until one with CWR.
    echoes: bool,
    /// Segments that came with CE.
    pub(super) marked: u64,
}

impl EcnReceiver {
    /// Of a connection with these parameters, if it has ECN.
    pub(super) fn new(params: &TcpParams) -> Option<EcnReceiver> {
        (params.ecn.mode == EcnMode::Classic).then(EcnReceiver::default)
    }

    /// A segment with these bits comes; `is_inside`: it has bytes that are not delivered. Whether it is to be acknowledged at once: the
    /// first mark.
    pub(super) fn on_segment(&mut self, ecn: Ecn, is_inside: bool) -> bool {
        self.echoes &= !ecn.cwr();
        if !ecn.is_ce() || !is_inside {
            return false;
        }
        self.marked += 1;
        !std::mem::replace(&mut self.echoes, true)
    }

    /// The bits of an acknowledgement of this kind.
    pub(super) fn bits_of(&self, kind: SegmentKind) -> Ecn {
        if self.echoes || kind == SegmentKind::SynAck { Ecn::ECE } else { Ecn::NOT_ECT }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_echoed_until_the_sender_says_that_it_knows() {
        let mut receiver = EcnReceiver::default();
        assert!(!receiver.on_segment(Ecn::ECT_0, true));
        assert_eq!(receiver.bits_of(SegmentKind::Data), Ecn::NOT_ECT);
        assert!(receiver.on_segment(Ecn::CE, true), "the first is acknowledged at once");
        assert!(!receiver.on_segment(Ecn::CE, true));
        receiver.on_segment(Ecn::ECT_0, true);
        assert_eq!(receiver.bits_of(SegmentKind::Data), Ecn::ECE);
        // CWR and CE on one segment: the flag is taken first.
        assert!(receiver.on_segment(Ecn::CE.with(Ecn::CWR), true));
        assert_eq!((receiver.bits_of(SegmentKind::Data), receiver.marked), (Ecn::ECE, 3));
        receiver.on_segment(Ecn::ECT_0.with(Ecn::CWR), true);
        assert_eq!(receiver.bits_of(SegmentKind::Data), Ecn::NOT_ECT);
        assert!(!receiver.on_segment(Ecn::CE, false), "delivered before: outside the window");
        assert_eq!((receiver.bits_of(SegmentKind::Data), receiver.marked), (Ecn::NOT_ECT, 3));
    }

    #[test]
    fn an_answer_holds_for_what_was_sent_before_it() {
        let mut sender = EcnSender::default();
        assert!(sender.is_news(1) && sender.allows_growth());
        sender.on_mark(5000);
        assert!(!sender.is_news(5000) && sender.is_news(5001) && !sender.allows_growth());
        assert!(sender.has_answered(4999) && !sender.has_answered(5000));
        sender.on_ack(5000, 0);
        assert!(sender.in_cwr);
        sender.on_ack(5001, 0);
        assert!(sender.allows_growth() && !sender.has_answered(4999));
        sender.echoed = true;
        assert!(!sender.allows_growth(), "not with an echo either");
    }

    #[test]
    fn new_data_is_ect_and_the_first_after_a_reduction_has_cwr() {
        let mut sender = EcnSender::default();
        let sent = |sender: &mut EcnSender, is_new, payload| {
            sender.on_sent(is_new, payload);
            sender.bits_of(SegmentKind::Data, true)
        };
        assert_eq!(sent(&mut sender, true, 1000), Ecn::ECT_0);
        assert_eq!(sent(&mut sender, false, 1000), Ecn::NOT_ECT);
        sender.on_loss(9000);
        assert_eq!(sent(&mut sender, false, 1000), Ecn::NOT_ECT, "never on what is sent again");
        assert_eq!(sent(&mut sender, true, 0), Ecn::NOT_ECT, "a FIN alone");
        assert_eq!(sent(&mut sender, true, 1000), Ecn::ECT_0.with(Ecn::CWR));
        assert_eq!(sent(&mut sender, true, 1000), Ecn::ECT_0);
        assert_eq!(sender.bits_of(SegmentKind::Syn, false), Ecn::ECE.with(Ecn::CWR));
        assert_eq!(sender.bits_of(SegmentKind::Ack, false), Ecn::NOT_ECT);
    }

    #[test]
    fn waits_double_up_to_the_longest_timeout() {
        let mut sender = EcnSender { longest: Span::from_secs(1), ..EcnSender::default() };
        let wait = |sender: &mut EcnSender| {
            sender.wait(Time::ZERO, Span::from_ms(300));
            sender.not_before.since(Time::ZERO)
        };
        let waits: Vec<Span> = (0..3).map(|_| wait(&mut sender)).collect();
        assert_eq!(waits, [300, 600, 1000].map(Span::from_ms));
        sender.on_ack(1, 0);
        assert_eq!(wait(&mut sender), Span::from_ms(300));
    }
}
