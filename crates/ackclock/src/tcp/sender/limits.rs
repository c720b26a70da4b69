//! What keeps a sender from sending more, over time: the receive window, the congestion window, the application, or the host.
//! Between two events of a connection nothing changes, so each stretch of time belongs to what held since the last event.

use super::Sender;
use super::limit_times::{APPLICATION, CONGESTION_WINDOW, HOST, NOTHING, RECEIVE_WINDOW};
use crate::record::LimitedTimes;
use crate::units::Time;

impl Sender {
    /// An event comes: what has limited since the last one is known.
    #[inline(always)]
    pub(super) fn account(&mut self, now: Time) {
        let limit = self.limit();
        self.limits.add(limit, now);
    }

    /// What keeps the sender from sending more.
    #[inline(always)]
    fn limit(&self) -> usize {
        let flight = &self.flight;
        if flight.nxt >= flight.limit {
            self.limit_without_data()
        } else if flight.nxt + flight.segment_len(flight.nxt) <= self.window_end {
            if self.is_served() { HOST } else { CONGESTION_WINDOW }
        } else if self.window_end - flight.una.min(self.window_end) >= flight.rwnd {
            RECEIVE_WINDOW
        } else if self.window_end > 0 {
            CONGESTION_WINDOW
        } else {
            NOTHING
        }
    }

    #[inline(never)]
    fn limit_without_data(&self) -> usize {
        let has_ended = self.flight.una >= self.flight.limit && self.next_write == Time::NEVER;
        if self.window_end == 0 || has_ended { NOTHING } else { APPLICATION }
    }

    /// For how long each limit held up to `now`, which is not before the last event.
    pub fn limited(&self, now: Time) -> LimitedTimes {
        self.limits.until(self.limit(), now)
    }
}
