//! The times for which each of several things kept a sender from sending more.

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

pub(super) const RECEIVE_WINDOW: usize = 0;
pub(super) const CONGESTION_WINDOW: usize = 1;
pub(super) const APPLICATION: usize = 2;
pub(super) const HOST: usize = 3;
/// Not open yet, or all data acknowledged.
pub(super) const NOTHING: usize = 4;

impl Limits {
    /// From the last event until `now` it was `limit` that limited.
    #[inline(always)]
    pub(super) fn add(&mut self, limit: usize, now: Time) {
        self.times_ps[limit] += now.as_ps() - self.last_ps;
        self.last_ps = now.as_ps();
    }

    /// The times up to `now`, if it is `limit` that has limited since the last event.
    pub(super) fn until(&self, limit: usize, now: Time) -> LimitedTimes {
        let mut times_ps = self.times_ps;
        times_ps[limit] += now.as_ps().saturating_sub(self.last_ps);
        LimitedTimes {
            receive_window: Span::from_ps(times_ps[RECEIVE_WINDOW]),
            congestion_window: Span::from_ps(times_ps[CONGESTION_WINDOW]),
            application: Span::from_ps(times_ps[APPLICATION]),
            host: Span::from_ps(times_ps[HOST]),
        }
    }
}
