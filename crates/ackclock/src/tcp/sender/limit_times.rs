//! The times for which each of several things kept a sender from sending more.

use crate::record::LimitedTimes;
use crate::units::{Span, Time};

/// What limits, and the times that are over. What limits after an event is known once everything is sent that may be: at the next event,
/// or on the fast path, which takes most events, at once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limits {
    /// What limits, and since when, picoseconds.
    limit: usize,
    since_ps: u64,
    /// The event after which it is not known yet; never if it is.
    unknown_from: Time,
    /// By what limited, [`NOTHING`] last; up to `since_ps`.
    times_ps: [u64; 5],
}

pub(super) const RECEIVE_WINDOW: usize = 0;
pub(super) const CONGESTION_WINDOW: usize = 1;
pub(super) const APPLICATION: usize = 2;
pub(super) const HOST: usize = 3;
/// Not open yet, or all data acknowledged.
pub(super) const NOTHING: usize = 4;

impl Limits {
    /// Whether what limits is known.
    #[inline(always)]
    pub(super) fn are_known(&self) -> bool {
        self.unknown_from == Time::NEVER
    }

    /// Whether it is not known what limits from now on.
    #[inline(always)]
    pub(super) fn are_forgotten(&self, now: Time) -> bool {
        self.unknown_from == now
    }

    /// It is not known what limits from now on.
    pub(super) fn forget(&mut self, now: Time) {
        self.unknown_from = now;
    }

    /// It was `limit` that limited since it was not known.
    pub(super) fn learn(&mut self, limit: usize) {
        let from = std::mem::replace(&mut self.unknown_from, Time::NEVER);
        self.change(limit, from);
    }

    /// It is `limit` that limits from now on.
    #[inline(always)]
    pub(super) fn change(&mut self, limit: usize, now: Time) {
        if limit != self.limit {
            self.change_to_other(limit, now);
        }
    }

    #[inline(never)]
    fn change_to_other(&mut self, limit: usize, now: Time) {
        self.times_ps[self.limit] += now.as_ps() - self.since_ps;
        (self.limit, self.since_ps) = (limit, now.as_ps());
    }

    /// The times up to `now`.
    pub(super) fn until(mut self, now: Time) -> LimitedTimes {
        self.times_ps[self.limit] += now.as_ps().saturating_sub(self.since_ps);
        let of = |limit: usize| Span::from_ps(self.times_ps[limit]);
        LimitedTimes {
            receive_window: of(RECEIVE_WINDOW),
            congestion_window: of(CONGESTION_WINDOW),
            application: of(APPLICATION),
            host: of(HOST),
        }
    }
}
