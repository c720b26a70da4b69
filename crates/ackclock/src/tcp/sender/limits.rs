//! What keeps a sender from sending more, over time: the receive window, the congestion window, the application, or the host.
//! Between two events of a connection nothing changes, so each stretch of time belongs to what held since the last event.

use super::Sender;
use crate::record::LimitedTimes;
use crate::units::{Span, Time};

/// The times up to the last event.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limits {
    /// The last event, picoseconds.
    last_ps: u64,
    /// By what limited, [`NOTHING`] last.
    times_ps: [u64; 5],
}

const RECEIVE_WINDOW: usize = 0;
const CONGESTION_WINDOW: usize = 1;
const APPLICATION: usize = 2;
const HOST: usize = 3;
/// Not open yet, or all data acknowledged.
const NOTHING: usize = 4;

impl Sender {
    /// An event comes: what has limited since the last one is known.
    #[inline(always)]
    pub(super) fn account(&mut self, now: Time) {
        let time_ps = now.as_ps() - self.limits.last_ps;
        self.limits.last_ps = now.as_ps();
        let limit = self.limit();
        self.limits.times_ps[limit] += time_ps;
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
        let mut times_ps = self.limits.times_ps;
        times_ps[self.limit()] += now.as_ps().saturating_sub(self.limits.last_ps);
        LimitedTimes {
            receive_window: Span::from_ps(times_ps[RECEIVE_WINDOW]),
            congestion_window: Span::from_ps(times_ps[CONGESTION_WINDOW]),
            application: Span::from_ps(times_ps[APPLICATION]),
            host: Span::from_ps(times_ps[HOST]),
        }
    }
}
