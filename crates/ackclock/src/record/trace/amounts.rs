//! Amounts and times per interval.

use crate::record::{Columns, PerInterval};
use crate::units::{Span, Time};

/// How many parts an interval has, over which the extremes of a rate are taken.
pub(super) const PARTS: u64 = 10;

/// An amount per interval, as a rate: its mean, and the extremes over tenths of the interval. What is told comes in the order of time.
#[derive(Clone, Debug)]
pub struct Amounts {
    part: Span,
    /// The rate is per this time.
    unit: Span,
    /// The number of the running interval, and the amount in each of its parts.
    number: u64,
    parts: [u64; PARTS as usize],
    /// Of the intervals before it: smallest rate, mean, largest.
    columns: [PerInterval; 3],
}

impl Amounts {
    /// Nothing yet; rates are per `unit`. `interval` is a multiple of ten picoseconds.
    pub fn new(interval: Span, unit: Span) -> Amounts {
        let part = Span::from_ps(interval.as_ps() / PARTS);
        // As `rates` divides amounts.
        let of_time = |time: u64| PerInterval::of_parts(time as f64 / unit.as_ps() as f64);
        let [of_part, of_all] = [1, PARTS].map(|parts| of_time(part.as_ps() * parts));
        let columns = [of_part.clone(), of_all, of_part];
        Amounts { part, unit, number: 0, parts: [0; PARTS as usize], columns }
    }

    /// Something at an instant.
    pub fn add(&mut self, now: Time, amount: u64) {
        let part = now.as_ps() / self.part.as_ps();
        *self.part_of(part) += amount;
    }

    /// One per picosecond from an instant to another, which is not earlier.
    pub(super) fn add_time(&mut self, from: Time, to: Time) {
        let width = self.part.as_ps();
        let (mut from, to) = (from.as_ps(), to.as_ps());
        while from < to {
            let part = from / width;
            let end = to.min((part + 1) * width);
            *self.part_of(part) += end - from;
            from = end;
        }
    }

    /// A part, counted from the start of the run.
    #[inline]
    fn part_of(&mut self, part: u64) -> &mut u64 {
        let number = part / PARTS;
        if number != self.number {
            self.close_until(number);
        }
        &mut self.parts[(part % PARTS) as usize]
    }

    /// Another interval is running.
    #[inline(never)]
    fn close_until(&mut self, number: u64) {
        debug_assert!(number > self.number, "what is told comes in the order of time");
        let [low, mean, high] = self.rates((self.number + 1) * PARTS * self.part.as_ps());
        let idle = number - self.number - 1;
        for (column, rate) in self.columns.iter_mut().zip([low, mean, high]) {
            column.push(rate);
            column.push_many(0.0, idle);
        }
        self.number = number;
        self.parts = [0; PARTS as usize];
    }

    /// Smallest rate, mean and largest of the running interval, if the run ends then.
    fn rates(&self, end: u64) -> [f64; 3] {
        let width = self.part.as_ps();
        let (mut low, mut high, mut sum, mut time) = (f64::INFINITY, 0.0f64, 0, 0);
        for (part, &amount) in (self.number * PARTS..).zip(&self.parts) {
            let length = end.saturating_sub(part * width).min(width);
            if length == 0 {
                break;
            }
            let rate = amount as f64 / (length as f64 / self.unit.as_ps() as f64);
            (low, high) = (low.min(rate), high.max(rate));
            sum += amount;
            time += length;
        }
        [low, sum as f64 / (time as f64 / self.unit.as_ps() as f64), high]
    }

    /// The rates up to `end`.
    pub(super) fn columns(&self, end: Time) -> Columns {
        let interval = self.part * PARTS;
        let count = end.as_ps().div_ceil(interval.as_ps());
        let mut all = self.clone();
        // The last interval may be shorter than the others. What happens as it ends belongs to none.
        if let Some(last) = count.checked_sub(1).filter(|last| *last >= all.number) {
            if last > all.number {
                all.close_until(last);
            }
            let rates = all.rates(end.as_ps());
            all.columns.iter_mut().zip(rates).for_each(|(column, rate)| column.push(rate));
        }
        debug_assert_eq!(all.columns[0].len() as u64, count);
        let [min, mean, max] = all.columns.map(PerInterval::finished);
        Columns::Intervals { interval, end, min, mean, max }
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
        Busy { time: Amounts::new(interval, Span::from_ps(1)), last: (Time::ZERO, Time::ZERO) }
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
        time.columns(end)
    }
}
