//! How fast the application of a receiver reads.

use crate::units::{Rate, Time};

/// How fast an application reads what is there.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadingParams {
    /// Payload per second from each instant on, `None` in a pause; the first is at time 0, and each is later than the one before.
    pub rates: Vec<(Time, Option<Rate>)>,
}

impl ReadingParams {
    /// The rate at an instant, and until when it holds.
    pub(in crate::tcp) fn at(&self, now: Time) -> (Option<Rate>, Time) {
        let next = self.rates.partition_point(|&(from, _)| from <= now);
        (self.rates[next - 1].1, self.rates.get(next).map_or(Time::NEVER, |&(from, _)| from))
    }
}
