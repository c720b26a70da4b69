//! Values at instants.

use crate::record::Columns;
use crate::units::Time;

#[derive(Clone, Debug)]
pub(super) struct Points {
    time: Vec<Time>,
    value: Vec<f64>,
    /// The last point, at hand; before the first, what equals nothing.
    last: (Time, f64),
}

impl Points {
    #[inline(always)]
    pub(super) fn push(&mut self, now: Time, value: f64) {
        self.time.push(now);
        self.value.push(value);
        self.last = (now, value);
    }

    /// The value from now on. What lasts no time leaves no trace.
    #[inline(always)]
    pub(super) fn change(&mut self, now: Time, value: f64) {
        if self.last.1 == value {
            return;
        }
        let full = self.time.len() == self.time.capacity() || self.value.len() == self.value.capacity();
        if full || self.last.0 == now {
            self.change_slowly(now, value);
        } else {
            self.push(now, value);
        }
    }

    /// The last value; not a number if there is none.
    #[inline(always)]
    pub(super) fn last(&self) -> f64 {
        self.last.1
    }

    /// The value that holds at an instant, after whatever happens then.
    pub(super) fn at(&self, instant: Time) -> Option<f64> {
        let after = self.time.partition_point(|&time| time <= instant);
        self.value.get(after.checked_sub(1)?).copied()
    }

    pub(super) fn into_columns(self) -> Columns {
        Columns::Points { time: self.time, value: self.value }
    }

    /// Apart, so that who has room has nothing to save and restore.
    #[cold]
    #[inline(never)]
    fn change_slowly(&mut self, now: Time, value: f64) {
        match self.last.0 == now {
            true => self.replace(now, value),
            false => self.push(now, value),
        }
    }

    /// The last point lasted no time.
    fn replace(&mut self, now: Time, value: f64) {
        self.time.pop();
        self.value.pop();
        self.last = match (self.time.last(), self.value.last()) {
            (Some(&time), Some(&value)) => (time, value),
            _ => NOTHING,
        };
        if self.last.1 != value {
            self.push(now, value);
        }
    }
}

impl Default for Points {
    fn default() -> Points {
        Points { time: Vec::new(), value: Vec::new(), last: NOTHING }
    }
}

/// Before the first point: no value equals it, and nothing happens then.
const NOTHING: (Time, f64) = (Time::NEVER, f64::NAN);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::instants::ps as at;

    #[test]
    fn a_value_that_lasts_no_time_leaves_no_trace() {
        let mut points = Points::default();
        for (time, value) in [(0, 1.0), (5, 2.0), (5, 1.0), (7, 3.0), (7, 4.0), (9, 4.0)] {
            points.change(at(time), value);
        }
        assert_eq!((points.time, points.value), (vec![at(0), at(7)], vec![1.0, 4.0]));
    }
}
