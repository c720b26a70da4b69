//! Amounts and times per interval.

use crate::record::Columns;
use crate::units::{Span, Time};

/// How many parts an interval has, over which the extremes of a rate are taken.
pub(super) const PARTS: u64 = 10;

/// An amount per interval, as a rate: its mean, and the extremes over tenths of the interval.
#[derive(Clone, Debug)]
pub struct Amounts {
    part: Span,
    parts: Vec<u64>,
}

impl Amounts {
    /// Nothing yet. `interval` is a multiple of ten picoseconds.
    pub fn new(interval: Span) -> Amounts {
        Amounts { part: Span::from_ps(interval.as_ps() / PARTS), parts: Vec::new() }
    }

    /// Something at an instant.
    pub fn add(&mut self, now: Time, amount: u64) {
        let part = (now.as_ps() / self.part.as_ps()) as usize;
        self.reach(part);
        self.parts[part] += amount;
    }

    /// One per picosecond from an instant to another, which is not earlier.
    pub(super) fn add_time(&mut self, from: Time, to: Time) {
        let width = self.part.as_ps();
        let (mut from, to) = (from.as_ps(), to.as_ps());
        while from < to {
            let part = (from / width) as usize;
            let end = to.min((part as u64 + 1) * width);
            self.reach(part);
            self.parts[part] += end - from;
            from = end;
        }
    }

    pub(super) fn reach(&mut self, part: usize) {
        if part >= self.parts.len() {
            self.parts.resize(part + 1, 0);
        }
    }

    /// Amounts per `unit` of time, up to `end`.
    pub(super) fn columns(&self, end: Time, unit: Span) -> Columns {
        let width = self.part.as_ps();
        let (mut min, mut mean, mut max) = (Vec::new(), Vec::new(), Vec::new());
        let count = end.as_ps().div_ceil(width * PARTS);
        for interval in 0..count {
            let (mut low, mut high, mut sum, mut time) = (f64::INFINITY, 0.0f64, 0, 0);
            for part in interval * PARTS..(interval + 1) * PARTS {
                let length = end.as_ps().saturating_sub(part * width).min(width);
                if length == 0 {
                    break;
                }
                let amount = self.parts.get(part as usize).copied().unwrap_or(0);
                let rate = amount as f64 / (length as f64 / unit.as_ps() as f64);
                (low, high) = (low.min(rate), high.max(rate));
                sum += amount;
                time += length;
            }
            min.push(low);
            mean.push(sum as f64 / (time as f64 / unit.as_ps() as f64));
            max.push(high);
        }
        Columns::Intervals { interval: Span::from_ps(width * PARTS), end, min, mean, max }
    }
}

/// The time in which something goes on.
#[derive(Clone, Debug)]
pub(super) struct Busy {
    time: Amounts,
    /// The last stretch, not counted yet: the end of the run may cut it.
    last: (Time, Time),
}

impl Busy {
    /// Nothing yet.
    pub(super) fn new(interval: Span) -> Busy {
        Busy { time: Amounts::new(interval), last: (Time::ZERO, Time::ZERO) }
    }

    /// It goes on from an instant to another; not before the end of what was told before.
    #[inline]
    pub(super) fn add(&mut self, from: Time, to: Time) {
        if from > self.last.1 {
            self.time.add_time(self.last.0, self.last.1);
            self.last.0 = from;
        }
        self.last.1 = to;
    }

    pub(super) fn columns(&self, end: Time) -> Columns {
        let mut time = self.time.clone();
        time.add_time(self.last.0, self.last.1.min(end));
        time.columns(end, Span::from_ps(1))
    }
}
