//! A number that changes at instants: exact averages and extremes over intervals, or every change.

use super::points::Points;
use crate::record::Columns;
use crate::units::{Span, Time};

/// Records a number that changes at instants: minimum, mean and maximum per interval, every change, or both.
#[derive(Clone, Debug)]
pub(super) struct LevelTrace {
    averages: Option<Averages>,
    changes: Option<Points>,
}

impl LevelTrace {
    pub(super) fn new(averages: Option<Span>, changes: bool) -> LevelTrace {
        let changes = changes.then(|| {
            let mut points = Points::default();
            points.change(Time::ZERO, 0.0);
            points
        });
        LevelTrace { averages: averages.map(Averages::new), changes }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, now: Time, value: u32) {
        if let Some(averages) = &mut self.averages {
            averages.set(now, value);
        }
        if let Some(changes) = &mut self.changes {
            changes.change(now, f64::from(value));
        }
    }

    /// The number falls by one at each of `steps` ticks from number `first` on.
    #[inline]
    pub(super) fn fall(&mut self, tick: Span, first: u64, steps: u64) {
        if let Some(averages) = &mut self.averages {
            averages.fall(tick.as_ps(), first, steps);
        }
        if let Some(changes) = &mut self.changes {
            for number in first..first + steps {
                let value = changes.last().unwrap_or(0.0);
                changes.change(Time::from_ps(number * tick.as_ps()), value - 1.0);
            }
        }
    }
}

impl LevelTrace {
    /// Averages and extremes over intervals up to `end`, if they are recorded.
    pub(super) fn intervals(&self, end: Time) -> Option<Columns> {
        self.averages.as_ref().map(|averages| averages.columns(end))
    }

    /// Every change, if that is recorded.
    pub(super) fn changes(&self) -> Option<Columns> {
        self.changes.clone().map(Points::into_columns)
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
    /// Over the running interval so far: the number times picoseconds, and the values that lasted.
    integral: u128,
    min: u32,
    max: u32,
    columns: [Vec<f64>; 3],
}

impl Averages {
    pub(super) fn new(interval: Span) -> Averages {
        let columns = [const { Vec::new() }; 3];
        let next = Time::ZERO + interval;
        Averages { interval, value: 0, since: Time::ZERO, next, integral: 0, min: u32::MAX, max: 0, columns }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, now: Time, value: u32) {
        while now >= self.next {
            self.close();
        }
        self.lasted(now);
        self.value = value;
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
                // The value as it is lasts a tick, then one less, and so on.
                let sum = more * u64::from(self.value) - more * (more - 1) / 2;
                self.integral += u128::from(sum) * u128::from(tick);
                self.max = self.max.max(self.value);
                self.value -= more as u32;
                self.min = self.min.min(self.value + 1);
                number += more;
                self.since = Time::from_ps((number - 1) * tick);
            }
        }
    }

    /// The value lasted until now.
    #[inline(always)]
    pub(super) fn lasted(&mut self, now: Time) {
        if now > self.since {
            self.integral += u128::from(self.value) * u128::from(now.since(self.since).as_ps());
            self.min = self.min.min(self.value);
            self.max = self.max.max(self.value);
            self.since = now;
        }
    }

    #[inline(never)]
    pub(super) fn close(&mut self) {
        let (next, length) = (self.next, self.interval);
        self.lasted(next);
        self.write(length);
        self.next += self.interval;
    }

    /// The running interval is over and was so long.
    pub(super) fn write(&mut self, length: Span) {
        let mean = self.integral as f64 / length.as_ps() as f64;
        for (column, value) in self.columns.iter_mut().zip([f64::from(self.min), mean, f64::from(self.max)]) {
            column.push(value);
        }
        (self.integral, self.min, self.max) = (0, u32::MAX, 0);
    }

    pub(super) fn columns(&self, end: Time) -> Columns {
        let mut all = self.clone();
        while end >= all.next {
            all.close();
        }
        all.lasted(end);
        let begun = Time::from_ps(all.next.as_ps() - all.interval.as_ps());
        if end > begun {
            all.write(end.since(begun));
        }
        let [min, mean, max] = all.columns;
        Columns::Intervals { interval: self.interval, end, min, mean, max }
    }
}
