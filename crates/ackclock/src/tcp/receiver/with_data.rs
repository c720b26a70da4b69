//! Acknowledgements that data carries, on a connection with data in both directions.
//! Sources: RFC 9293 §3.8.6.3; RFC 5681 §4.2.

use super::{OptionalState, Receiver};
use crate::packet::{Segment, SegmentKind};
use crate::tcp::handshake::PassiveEnd;
use crate::tcp::sack::sack_ends::SackWriter;
use crate::units::Time;

impl Receiver {
    /// The receiver of one direction of a connection with data in both.
    #[must_use]
    pub fn with_messages(mut self) -> Receiver {
        self.extra.get_or_insert_default();
        self.fast_path = false;
        self
    }

    /// The next number expected: everything before it is delivered.
    pub fn next(&self) -> u64 {
        self.nxt
    }

    /// So many of the numbers that are delivered stand for nothing.
    pub fn leave_out(&mut self, unfilled: u64) {
        self.extra.get_or_insert_default().unfilled = unfilled;
    }

    /// Whether an acknowledgement is due that data cannot carry. One of a segment out of order is to be a duplicate, which one with data
    /// never is (RFC 5681 §2); with it go reports of what came twice, and what answers a SYN or a FIN.
    pub fn acknowledges_alone(&self) -> bool {
        let says_more = |extra: &OptionalState| {
            extra.end.as_ref().is_some_and(PassiveEnd::has_more)
                || extra.sack.as_ref().is_some_and(SackWriter::has_duplicate)
        };
        self.ack_due && (self.hole_open || self.extra.as_deref().is_some_and(says_more))
    }

    /// Data that is sent now carries the acknowledgement, be one due or not: nothing waits for it any longer.
    pub fn acknowledge_with(&mut self, now: Time, segment: &mut Segment) {
        self.ack_due = false;
        self.delayed_ack.end_wait();
        self.fingerprint.event(now.as_ps(), self.nxt);
        segment.ack = self.nxt;
        let Some(OptionalState { echo, ecn, .. }) = self.extra.as_deref_mut() else { return };
        if let Some(echo) = echo {
            segment.timestamps = Some(echo.on_ack(now, self.nxt));
        }
        if let Some(ecn) = ecn {
            segment.ecn = segment.ecn.with(ecn.bits_of(SegmentKind::Data));
        }
    }
}
