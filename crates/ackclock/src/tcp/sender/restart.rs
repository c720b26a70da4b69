//! When the retransmission timer starts again: with whatever shows progress if it is that of the connection; if it is that of the
//! oldest segment, it runs from when that was sent.
//! Sources: RFC 6298 §5; [UBR-ABR] §2.4; docs/models/retransmission-timer.md.

use super::Sender;
use crate::tcp::SegmentTimeout;
use crate::tcp::timer::segment_starts::SegmentStart;
use crate::units::Time;

impl Sender {
    /// The timer starts again.
    #[inline]
    pub(super) fn restart_timer(&mut self, now: Time) {
        if self.extra.as_ref().is_none_or(|extra| extra.starts.is_none()) {
            self.timer.start(now);
        } else {
            self.time_oldest(now);
        }
    }

    /// The segment at `seq` is sent: the timer starts if it is off, or if it is that of this segment. What was acknowledged while it
    /// was in service is not timed.
    #[inline(never)]
    pub(super) fn start_timer_for(&mut self, now: Time, seq: u64) {
        if seq < self.flight.una {
            return;
        }
        let stamp = self.timer.start_stamp(now);
        let start = SegmentStart { stamp, expiry: self.timer.expiry_stamp(stamp) };
        match self.extra.as_mut().and_then(|extra| extra.starts.as_mut()) {
            None if self.timer.is_off() => self.timer.start(now),
            None => {}
            Some(starts) => {
                starts.on_sent(seq, start);
                if seq == self.flight.una {
                    self.timer.start_until(now, start.expiry);
                }
            }
        }
    }

    /// The timer is that of the oldest segment: off until that is sent.
    #[inline(never)]
    fn time_oldest(&mut self, now: Time) {
        let una = self.flight.una;
        let Some(starts) = self.extra.as_mut().and_then(|extra| extra.starts.as_mut()) else { return };
        let (oldest, runs_for) = (starts.oldest(una), starts.runs_for());
        let expiry = oldest.map(|start| match runs_for {
            SegmentTimeout::Current => self.timer.expiry_stamp(start.stamp),
            SegmentTimeout::WhenSent => start.expiry,
        });
        match expiry {
            Some(expiry) => self.timer.start_until(now, expiry),
            None => self.timer.stop(),
        }
    }
}
