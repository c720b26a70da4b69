//! A reduction of the window, and what was sent again since.
//! Sources: RFC 3522 §3.2; RFC 3708; Linux 6.x, tcp_input.c (undo_marker, undo_retrans, retrans_stamp), behaviour only.

use crate::packet::SackBlock;
use crate::tcp::cc::Window;

/// A reduction of the window, and what was sent again since.
#[derive(Clone, Copy, Debug)]
pub(super) struct Episode {
    /// The window before it.
    pub(super) before: Window,
    /// What was outstanding then: from this byte to that.
    from: u64,
    pub(super) end: u64,
    pub(super) by_timeout: bool,
    /// Retransmissions that are not known to have arrived twice, and whether there were any.
    awaited: u32,
    any: bool,
    /// The timestamp of the first of them, if they have any.
    first_sent: Option<u32>,
    /// The highest of them ends here.
    sent_to: u64,
}

impl Episode {
    /// The window is reduced that was `before`; so many probes were sent again for what is outstanding.
    pub(super) fn new(before: Window, from: u64, end: u64, probes: u32) -> Episode {
        let any = probes > 0;
        Episode { before, from, end, by_timeout: false, awaited: probes, any, first_sent: None, sent_to: from }
    }

    pub(super) fn on_sent_again(&mut self, end: u64, stamp: Option<u32>) {
        self.awaited += 1;
        self.any = true;
        self.first_sent = self.first_sent.or(stamp);
        self.sent_to = self.sent_to.max(end);
    }

    pub(super) fn on_duplicate(&mut self, duplicate: SackBlock, mss: u64) {
        if duplicate.end > self.from {
            let segments = (duplicate.end - duplicate.start).div_ceil(mss);
            self.awaited = self.awaited.saturating_sub(segments as u32);
        }
    }

    /// Whether everything that was sent again had arrived before.
    pub(super) fn all_arrived_twice(&self) -> bool {
        self.any && self.awaited == 0
    }

    /// Whether an acknowledgement with this echo, of everything before `ack`, answers what was sent before the first retransmission
    /// although it acknowledges the retransmitted; of a timeout the first acknowledgement says so.
    pub(super) fn answers_earlier(&self, echo: u32, una: u64, ack: u64) -> bool {
        let is_first = ack > una && una < self.end && (self.by_timeout || ack >= self.sent_to);
        is_first && self.first_sent.is_some_and(|sent| sent != echo && sent.wrapping_sub(echo) < 1 << 31)
    }
}
