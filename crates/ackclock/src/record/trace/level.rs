//! A number that changes at instants: exact averages and extremes over intervals, or every change.

use super::points::Points;
use crate::record::{Columns, PerInterval};
use crate::units::{Span, Time};

/// Records a number that changes at instants: minimum, mean and maximum per interval, every change, or both. The averages
/// are kept even if nobody wants them: what is there need not be looked for.
#[derive(Clone, Debug)]
pub(super) struct LevelTrace {
    averages: Averages,
    averaged: bool,
    changes: Option<Points>,
}

impl LevelTrace {
    /// A recorder of averages over intervals of this length, if they are wanted, and of changes, if so chosen; `None` if of
    /// neither.
    pub(super) fn new(interval: Span, averaged: bool, changes: bool) -> Option<LevelTrace> {
        let changes = changes.then(|| {
            let mut points = Points::default();
            points.change(Time::ZERO, 0.0);
            points
        });
        let interval = if averaged { interval } else { Time::NEVER.since(Time::ZERO) };
        (averaged || changes.is_some()).then(|| LevelTrace { averages: Averages::new(interval), averaged, changes })
    }

    #[inline(always)]
    pub(super) fn set(&mut self, now: Time, value: u32) {
        self.averages.set(now, value);
        if let Some(changes) = &mut self.changes {
            changes.change(now, f64::from(value));
        }
    }

    /// The number rises by one.
    pub(super) fn rise(&mut self, now: Time) {
        self.averages.reach(now);
        self.averages.rise(now);
        if let Some(changes) = &mut self.changes {
            changes.change(now, changes.last() + 1.0);
        }
    }

    /// The number falls by one. At one instant it does so before it rises, if it does both.
    pub(super) fn sink(&mut self, now: Time) {
        self.averages.reach(now);
        self.averages.sink(now);
        if let Some(changes) = &mut self.changes {
            changes.change(now, changes.last() - 1.0);
        }
    }

    /// Whether there are averages and nothing else.
    pub(super) fn is_averages(&self) -> bool {
        self.changes.is_none()
    }

    /// The averages, if the running interval goes on after now.
    #[inline(always)]
    pub(super) fn averages_within(&mut self, now: Time) -> Option<&mut Averages> {
        if now < self.averages.next { Some(&mut self.averages) } else { None }
    }

    /// The number falls by one at each of `steps` ticks from number `first` on.
    #[inline]
    pub(super) fn fall(&mut self, tick: Span, first: u64, steps: u64) {
        self.averages.fall(tick.as_ps(), first, steps);
        if let Some(changes) = &mut self.changes {
            for number in first..first + steps {
                changes.change(Time::from_ps(number * tick.as_ps()), changes.last() - 1.0);
            }
        }
    }

    /// Averages and extremes over intervals up to `end`, if they are recorded.
    pub(super) fn intervals(&self, end: Time) -> Option<Columns> {
        self.averaged.then(|| self.averages.columns(end))
    }

    /// Every change, if that is recorded.
    pub(super) fn take_changes(&mut self) -> Option<Columns> {
        self.changes.take().map(Points::into_columns)
    }
}

/// Exact averages of a number over intervals.
#[derive(Clone, Debug)]
pub(super) struct Averages {
    interval: Span,
    value: u32,
    since: Time,
    /// The end of the running interval.
    next: Time,
    /// Over the running interval: the number times picoseconds as it is at the end if nothing changes any more.
    integral: u128,
    /// The values that lasted in it so far.
    min: u32,
    max: u32,
    columns: [PerInterval; 3],
}

impl Averages {
    pub(super) fn new(interval: Span) -> Averages {
        // An average is a whole number of units times picoseconds over the picoseconds of the interval.
        let mean = PerInterval::of_parts(interval.as_ps() as f64);
        let columns = [PerInterval::new(), mean, PerInterval::new()];
        let next = Time::ZERO + interval;
        Averages { interval, value: 0, since: Time::ZERO, next, integral: 0, min: u32::MAX, max: 0, columns }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, now: Time, value: u32) {
        self.reach(now);
        self.lasted(now);
        let left = self.left(now);
        self.integral = self.integral + u128::from(value) * left - u128::from(self.value) * left;
        self.value = value;
    }

    /// The number rises by one, within the running interval. Before that it may have been the least; it was not the
    /// largest, as it lasts now.
    #[inline(always)]
    pub(super) fn rise(&mut self, now: Time) {
        if now > self.since {
            self.min = self.min.min(self.value);
            self.since = now;
        }
        self.integral += self.left(now);
        self.value += 1;
    }

    /// The number falls by one, within the running interval. It does not rise and fall at one instant in this order.
    #[inline(always)]
    pub(super) fn sink(&mut self, now: Time) {
        self.lasted(now);
        self.integral -= self.left(now);
        self.value -= 1;
    }

    /// The number falls by one at each of `steps` ticks from number `first` on. In one step for all that lie within an
    /// interval.
    #[inline]
    pub(super) fn fall(&mut self, tick: u64, first: u64, steps: u64) {
        let (mut number, end) = (first, first + steps);
        while number < end {
            self.set(Time::from_ps(number * tick), self.value - 1);
            number += 1;
            let within = (self.next.as_ps() - 1) / tick;
            let more = (within + 1).min(end).saturating_sub(number);
            if more > 0 {
                // One less from each of these ticks to the end of the interval.
                let numbers = u128::from(more) * u128::from(number) + u128::from(more * (more - 1) / 2);
                self.integral -= u128::from(more) * u128::from(self.next.as_ps()) - numbers * u128::from(tick);
                self.max = self.max.max(self.value);
                self.value -= more as u32;
                self.min = self.min.min(self.value + 1);
                number += more;
                self.since = Time::from_ps((number - 1) * tick);
            }
        }
    }

    /// Closes the intervals that end until now.
    #[inline(always)]
    fn reach(&mut self, now: Time) {
        if now >= self.next {
            self.close_until(now);
        }
    }

    #[cold]
    #[inline(never)]
    fn close_until(&mut self, now: Time) {
        self.close();
        // In the rest of the time nothing changed.
        let intervals = now.as_ps().saturating_sub(self.next.as_ps() - self.interval.as_ps()) / self.interval.as_ps();
        if intervals > 0 {
            (self.min, self.max) = (self.value, self.value);
            self.write(self.interval, intervals);
            self.next += self.interval * intervals;
            self.since = Time::from_ps(self.next.as_ps() - self.interval.as_ps());
        }
    }

    /// Picoseconds to the end of the running interval.
    #[inline(always)]
    fn left(&self, now: Time) -> u128 {
        u128::from(self.next.since(now).as_ps())
    }

    /// The value lasted until now.
    #[inline(always)]
    fn lasted(&mut self, now: Time) {
        if now > self.since {
            self.min = self.min.min(self.value);
            self.max = self.max.max(self.value);
            self.since = now;
        }
    }

    fn close(&mut self) {
        self.lasted(self.next);
        self.write(self.interval, 1);
        self.next += self.interval;
        self.integral = u128::from(self.value) * u128::from(self.interval.as_ps());
    }

    /// The running interval is over and was so long, or so many equal ones are.
    fn write(&mut self, length: Span, intervals: u64) {
        let mean = self.integral as f64 / length.as_ps() as f64;
        for (column, value) in self.columns.iter_mut().zip([f64::from(self.min), mean, f64::from(self.max)]) {
            column.push_many(value, intervals);
        }
        (self.min, self.max) = (u32::MAX, 0);
    }

    pub(super) fn columns(&self, end: Time) -> Columns {
        let mut all = self.clone();
        all.reach(end);
        all.lasted(end);
        let begun = Time::from_ps(all.next.as_ps() - all.interval.as_ps());
        if end > begun {
            all.integral -= u128::from(all.value) * all.left(end);
            all.write(end.since(begun), 1);
        }
        let [min, mean, max] = all.columns.map(PerInterval::finished);
        Columns::Intervals { interval: self.interval, end, min, mean, max }
    }
}
