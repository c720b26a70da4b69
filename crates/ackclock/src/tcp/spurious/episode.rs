//! A reduction of the window, and what was sent again since.
//! Sources: RFC 3522 §3.2; RFC 3708; Linux 6.x, tcp_input.c (undo_marker, undo_retrans, retrans_stamp), behaviour only.

use crate::packet::SackBlock;
use crate::tcp::cc::Window;
use crate::tcp::spurious::sent_again::SentAgain;
use crate::tcp::timer::Estimates;

/// A reduction of the window, and what was sent again since.
#[derive(Clone, Debug)]
pub(super) struct Episode {
    /// The window before it.
    pub(super) before: Window,
    /// What was outstanding then: from this byte to that.
    from: u64,
    pub(super) end: u64,
    pub(super) by_timeout: bool,
    /// SRTT and RTTVAR at the timeout, if it was one and the timer has them.
    pub(super) estimates: Option<Estimates>,
    /// What was sent again, and whether D-SACKs of it can be believed.
    sent_again: SentAgain,
    believes_duplicates: bool,
    /// The timestamp of the first of them, if they have any.
    first_sent: Option<u32>,
    /// The highest of them ends here.
    sent_to: u64,
}

impl Episode {
    /// The window is reduced that was `before`; these probes were sent again for what is outstanding.
    pub(super) fn new(before: Window, from: u64, end: u64, probes: SentAgain) -> Episode {
        Episode {
            before,
            from,
            end,
            by_timeout: false,
            estimates: None,
            sent_again: probes,
            believes_duplicates: true,
            first_sent: None,
            sent_to: from,
        }
    }

    /// What was outstanding, in bytes.
    pub(super) fn flight(&self) -> u64 {
        self.end - self.from
    }

    pub(super) fn on_sent_again(&mut self, segment: SackBlock, mss: u64, stamp: Option<u32>) {
        self.sent_again.insert(segment, mss);
        self.first_sent = self.first_sent.or(stamp);
        self.sent_to = self.sent_to.max(segment.end);
    }

    /// The receiver says that this arrived twice. What was outstanding and was not sent again was duplicated by the network: then other
    /// duplicates may be as well (RFC 3708).
    pub(super) fn on_duplicate(&mut self, duplicate: SackBlock, mss: u64) {
        let was_missing = self.sent_again.report(duplicate, mss);
        if !was_missing && duplicate.end > self.from && duplicate.start < self.end {
            self.believes_duplicates = false;
        }
    }

    /// Whether everything that was sent again had arrived before.
    pub(super) fn all_arrived_twice(&self) -> bool {
        self.believes_duplicates && self.sent_again.all_arrived_twice()
    }

    /// Whether an acknowledgement with this echo, of everything before `ack`, answers what was sent before the first retransmission
    /// although it acknowledges the retransmitted; of a timeout the first acknowledgement says so.
    pub(super) fn answers_earlier(&self, echo: u32, una: u64, ack: u64) -> bool {
        let is_first = ack > una && una < self.end && (self.by_timeout || ack >= self.sent_to);
        is_first && self.first_sent.is_some_and(|sent| sent != echo && sent.wrapping_sub(echo) < 1 << 31)
    }
}
