//! What keeps a sender from sending more, over time: the receive window, the congestion window, the application, or the host.
//! Between two events of a connection nothing changes, so each stretch of time belongs to what held since the last event.

use super::Sender;
use super::limit_times::{APPLICATION, CONGESTION_WINDOW, HOST, NOTHING, RECEIVE_WINDOW};
use crate::record::LimitedTimes;
use crate::units::Time;

impl Sender {
    /// An event comes: what has limited since the last one is known, and what will, once everything is sent that may be.
    #[inline(always)]
    pub(super) fn account(&mut self, now: Time) {
        // Within an instant nothing limits for any time: what holds after the last event of it counts.
        if !self.limits.are_forgotten(now) {
            self.learn_limit();
            self.limits.forget(now);
        }
    }

    #[inline(never)]
    fn learn_limit(&mut self) {
        if !self.limits.are_known() {
            let limit = self.limit();
            self.limits.learn(limit);
        }
    }

    /// [`Sender::account`] of an acknowledgement on the fast path, before which everything was sent that might be.
    #[inline(always)]
    pub(super) fn account_fast(&mut self) {
        if !self.limits.are_known() {
            self.learn_limit();
        }
    }

    /// The window is open on the fast path: it is one of the windows that limits when what it allows is sent, unless the data ends.
    #[inline(always)]
    pub(super) fn limited_by_windows(&mut self, now: Time) {
        let by_receiver = self.window_end - self.flight.una >= self.flight.rwnd;
        self.limits.change(if by_receiver { RECEIVE_WINDOW } else { CONGESTION_WINDOW }, now);
    }

    /// There is nothing more to send on the fast path. If that was found before, as when a timer wakes and does not expire, the time since
    /// then counts as well.
    #[cold]
    #[inline(never)]
    pub(super) fn data_ends(&mut self, now: Time) {
        if self.limits.are_known() {
            self.limits.forget(now);
        }
    }

    /// What keeps the sender from sending more.
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

    fn limit_without_data(&self) -> usize {
        // What waits for the other end has not ended.
        let waits = self.awaits_messages();
        let has_ended = self.flight.una >= self.flight.limit && self.next_write == Time::NEVER && !waits;
        if self.window_end == 0 || has_ended { NOTHING } else { APPLICATION }
    }

    /// For how long each limit held up to `now`, which is not before the last event.
    pub fn limited(&self, now: Time) -> LimitedTimes {
        let mut limits = self.limits;
        if !limits.are_known() {
            limits.learn(self.limit());
        }
        limits.until(now)
    }
}
