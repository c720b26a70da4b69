//! What a sender does whose host takes time for each segment: a segment takes its sequence numbers when the server is idle, and is
//! sent when its service is over. A timeout does not end a service.
//! Source: [UBR-ABR] §2.4; docs/models/served-hosts.md.

use super::{NONE, Sender};
use crate::tcp::host::SegmentServer;
use crate::units::Time;

impl Sender {
    /// Whether its host takes time for segments.
    #[inline]
    pub(super) fn is_served(&self) -> bool {
        self.extra.as_ref().is_some_and(|extra| extra.server.is_some())
    }

    /// The segment whose service is over now, if one is; the next service begins if the server is idle.
    #[inline(never)]
    pub(super) fn poll_served(&mut self, now: Time) -> Option<(u64, u32)> {
        loop {
            if let Some(served) = self.server_mut()?.finish(now) {
                self.transmit(now, served);
                return Some((served.seq, served.len as u32));
            }
            let idle = self.server_mut()?.is_idle() && !self.waits(now);
            let (seq, fast) = if idle { self.next_by_recovery() } else { (NONE, false) };
            if seq == NONE {
                let ends = self.server_mut()?.ends();
                self.ask_for_recovery(ends);
                return None;
            }
            let claimed = self.claim(now, seq, fast);
            self.server_mut()?.begin(now, claimed);
        }
    }

    fn server_mut(&mut self) -> Option<&mut SegmentServer> {
        self.extra.as_mut().and_then(|extra| extra.server.as_deref_mut())
    }
}
