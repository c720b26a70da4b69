//! The rates that a port has given to TCP flows, and since when. The port is a process, and those that read its rates are others:
//! each of them is behind it, by less than the log holds.

use std::collections::VecDeque;

use crate::net::feedback::Edge;
use crate::units::Time;

/// An edge with the rates that it reads; `T` is what is known of a packet.
pub(in crate::net::batched) struct RatedEdge<T> {
    pub(in crate::net::batched) edge: Edge<T>,
    pub(in crate::net::batched) rates: RateLog,
}

/// Rates by averaging intervals: those of interval k hold from k·T on, those of interval 0 from the start.
pub(in crate::net::batched) struct RateLog {
    /// T in picoseconds; beyond the end of time if the rates never change.
    interval_ps: u64,
    /// The number of the first interval that somebody may still read.
    first: u64,
    /// In bytes or cells per second, by session. There is always one interval at least.
    intervals: VecDeque<Box<[f64]>>,
    /// Those that nobody reads any more, to be used again.
    spare: Vec<Box<[f64]>>,
}

impl RateLog {
    /// What an algorithm gives before anything has happened, whose first interval ends at T.
    pub(in crate::net::batched) fn new(interval_end: Time, rates: &[f64]) -> RateLog {
        let intervals = VecDeque::from([rates.into()]);
        RateLog { interval_ps: interval_end.as_ps(), first: 0, intervals, spare: Vec::new() }
    }

    /// An interval has ended with these rates.
    pub(in crate::net::batched) fn push(&mut self, rates: &[f64]) {
        let mut copy = self.spare.pop().unwrap_or_else(|| rates.into());
        copy.copy_from_slice(rates);
        self.intervals.push_back(copy);
    }

    /// The interval that follows the last end of one up to this instant, this included.
    #[inline(always)]
    pub(in crate::net::batched) fn interval_at(&self, now: Time) -> u64 {
        now.as_ps() / self.interval_ps
    }

    /// The rate of a session at an instant that the port has reached, and until when it holds.
    #[inline(never)]
    pub(in crate::net::batched) fn rate_at(&self, now: Time, session: usize) -> (f64, Time) {
        let interval = self.interval_at(now);
        let until = Time::from_ps((interval + 1).saturating_mul(self.interval_ps));
        (self.intervals[(interval - self.first) as usize][session], until)
    }

    /// The rates of the interval with this number, if they are known, and since when they hold.
    pub(in crate::net::batched) fn of_interval(&self, number: u64) -> Option<(Time, &[f64])> {
        let rates = self.intervals.get(usize::try_from(number - self.first).ok()?)?;
        Some((Time::from_ps(number * self.interval_ps), rates))
    }

    /// Nobody reads anything before `now` any more.
    pub(in crate::net::batched) fn forget_before(&mut self, now: Time) {
        let current = self.interval_at(now);
        while self.first < current && self.intervals.len() > 1 {
            self.spare.extend(self.intervals.pop_front());
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(interval_ps: u64) -> RateLog {
        let intervals = VecDeque::from([[f64::INFINITY, 1.0].into()]);
        RateLog { interval_ps, first: 0, intervals, spare: Vec::new() }
    }

    #[test]
    fn rates_hold_from_the_end_of_their_interval_on() {
        let mut log = log(10);
        log.push(&[5.0, 2.0]);
        log.push(&[6.0, 3.0]);
        let at = |log: &RateLog, ps: u64| {
            let [one, other] = [0, 1].map(|session| log.rate_at(Time::from_ps(ps), session).0);
            (one, other)
        };
        assert_eq!([0, 9, 10, 19, 20].map(|ps| at(&log, ps).1), [1.0, 1.0, 2.0, 2.0, 3.0]);
        assert_eq!([0, 9, 10].map(|ps| log.rate_at(Time::from_ps(ps), 0).1.as_ps()), [10, 10, 20]);
        assert_eq!(log.of_interval(1), Some((Time::from_ps(10), &[5.0, 2.0][..])));
        assert_eq!(log.of_interval(3), None);
        log.forget_before(Time::from_ps(19));
        assert_eq!((at(&log, 19), log.intervals.len()), ((5.0, 2.0), 2));
        log.forget_before(Time::from_ps(1000));
        assert_eq!((at(&log, 25), log.intervals.len()), ((6.0, 3.0), 1), "the last rates are kept");
        log.push(&[7.0, 4.0]);
        assert_eq!((at(&log, 30), log.spare.len()), ((7.0, 4.0), 1), "room is used again");
    }

    #[test]
    fn rates_without_intervals_never_change() {
        let log = log(Time::NEVER.as_ps());
        assert_eq!(log.rate_at(Time::from_ps(u64::MAX - 1), 0), (f64::INFINITY, Time::NEVER));
    }
}
