//! What ABR connections record over time: rates, what RM cells say, cells with EFCI.

use crate::record::{Columns, Metric};
use crate::scenario::Recording;
use crate::units::{Span, Time};

/// A rate over time: at each instant at which it changes the new one, in bits per second with cell headers.
#[derive(Clone, Debug, Default)]
pub(in crate::net) struct RateTrace(Vec<(Time, f64)>);

impl RateTrace {
    /// The rate from now on, in cells per second. What lasts no time leaves no trace.
    pub(in crate::net) fn change(&mut self, now: Time, cells_per_second: f64) {
        self.change_bits(now, cells_per_second * CELL_BITS);
    }

    /// The rate from now on, in bits per second.
    pub(in crate::net) fn change_bits(&mut self, now: Time, value: f64) {
        match self.0.last_mut() {
            Some((_, last)) if *last == value => {}
            Some((time, last)) if *time == now => *last = value,
            Some(_) | None => self.0.push((now, value)),
        }
    }

    /// What it was before `end`.
    pub(in crate::net) fn columns(&self, end: Time) -> Columns {
        let (time, value) = self.0.iter().take_while(|(time, _)| *time < end).copied().unzip();
        Columns::Points { time, value }
    }
}

/// What RM cells say at their arrivals.
#[derive(Clone, Debug, Default)]
pub(in crate::net) struct EventTrace(Vec<(Time, f64)>);

impl EventTrace {
    pub(in crate::net) fn add(&mut self, now: Time, value: f64) {
        self.0.push((now, value));
    }

    /// What they said before `end`.
    pub(in crate::net) fn columns(&self, end: Time) -> Columns {
        let (time, value) = self.0.iter().take_while(|(time, _)| *time < end).copied().unzip();
        Columns::Points { time, value }
    }
}

/// How many cells come in each interval.
#[derive(Clone, Debug)]
pub(in crate::net) struct CountTrace {
    interval: Span,
    /// The number of each interval in which some come, and how many.
    counts: Vec<(u64, u64)>,
}

impl CountTrace {
    /// None yet, if they are recorded.
    pub(in crate::net) fn new(recording: &Recording) -> Option<CountTrace> {
        let interval = recording.interval;
        recording.metrics.contains(Metric::Efci).then_some(CountTrace { interval, counts: Vec::new() })
    }

    /// One comes, no earlier than those before.
    pub(in crate::net) fn add(&mut self, now: Time) {
        let number = now.as_ps() / self.interval.as_ps();
        match self.counts.last_mut() {
            Some((last, count)) if *last == number => *count += 1,
            Some(_) | None => self.counts.push((number, 1)),
        }
    }

    /// The number of each interval that began before `end`, at its beginning, where it is another than before.
    pub(in crate::net) fn columns(&self, end: Time) -> Columns {
        let (mut time, mut value) = (Vec::new(), Vec::new());
        let mut row = |number: u64, count: u64| {
            let begins = Time::from_ps(number.saturating_mul(self.interval.as_ps()));
            if begins < end && value.last() != Some(&(count as f64)) {
                time.push(begins);
                value.push(count as f64);
            }
        };
        let mut next = 0;
        for &(number, count) in &self.counts {
            if number > next {
                row(next, 0);
            }
            row(number, count);
            next = number + 1;
        }
        row(next, 0);
        Columns::Points { time, value }
    }
}

const CELL_BITS: f64 = 424.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_that_last_are_kept() {
        let at = Time::from_ps;
        let mut trace = RateTrace::default();
        for (time, rate) in [(0, 1.0), (5, 1.0), (7, 3.0), (7, 2.0), (9, 4.0)] {
            trace.change(at(time), rate);
        }
        let expected = |rows: &[(u64, f64)]| Columns::Points {
            time: rows.iter().map(|row| at(row.0)).collect(),
            value: rows.iter().map(|row| row.1).collect(),
        };
        assert_eq!(trace.columns(at(10)), expected(&[(0, 424.0), (7, 848.0), (9, 1696.0)]));
        assert_eq!(trace.columns(at(9)), expected(&[(0, 424.0), (7, 848.0)]));
    }

    #[test]
    fn cells_are_counted_by_intervals() {
        let at = Time::from_ps;
        let expected = |rows: &[(u64, f64)]| Columns::Points {
            time: rows.iter().map(|row| at(row.0)).collect(),
            value: rows.iter().map(|row| row.1).collect(),
        };
        let mut trace = CountTrace { interval: Span::from_ps(10), counts: Vec::new() };
        assert_eq!(trace.columns(at(5)), expected(&[(0, 0.0)]));
        for ps in [10, 11, 19, 20, 25, 29, 51] {
            trace.add(at(ps));
        }
        assert_eq!(trace.columns(at(70)), expected(&[(0, 0.0), (10, 3.0), (30, 0.0), (50, 1.0), (60, 0.0)]));
        assert_eq!(trace.columns(at(60)), expected(&[(0, 0.0), (10, 3.0), (30, 0.0), (50, 1.0)]));
        let mut from_the_start = CountTrace { interval: Span::from_ps(10), counts: Vec::new() };
        from_the_start.add(at(0));
        assert_eq!(from_the_start.columns(at(60)), expected(&[(0, 1.0), (10, 0.0)]));
    }
}
