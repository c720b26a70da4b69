//! Values at instants.

use crate::record::Columns;
use crate::units::Time;

/// Values at instants.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    time: Vec<Time>,
    value: Vec<f64>,
}

impl Points {
    #[inline]
    pub(super) fn push(&mut self, now: Time, value: f64) {
        self.time.push(now);
        self.value.push(value);
    }

    /// The value from now on. What lasts no time leaves no trace.
    #[inline]
    pub(super) fn change(&mut self, now: Time, value: f64) {
        if self.last() == Some(value) {
            return;
        }
        match self.time.last() == Some(&now) {
            true => self.replace(now, value),
            false => self.push(now, value),
        }
    }

    /// The last value.
    pub(super) fn last(&self) -> Option<f64> {
        self.value.last().copied()
    }

    /// The value that holds at an instant, after whatever happens then.
    pub(super) fn at(&self, instant: Time) -> Option<f64> {
        let after = self.time.partition_point(|&time| time <= instant);
        self.value.get(after.checked_sub(1)?).copied()
    }

    /// The record.
    pub(super) fn into_columns(self) -> Columns {
        Columns::Points { time: self.time, value: self.value }
    }

    /// The last point lasted no time.
    #[inline(never)]
    fn replace(&mut self, now: Time, value: f64) {
        self.time.pop();
        self.value.pop();
        if self.last() != Some(value) {
            self.push(now, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    #[test]
    fn a_value_that_lasts_no_time_leaves_no_trace() {
        let mut points = Points::default();
        for (time, value) in [(0, 1.0), (5, 2.0), (5, 1.0), (7, 3.0), (7, 4.0), (9, 4.0)] {
            points.change(at(time), value);
        }
        assert_eq!((points.time, points.value), (vec![at(0), at(7)], vec![1.0, 4.0]));
    }
}
