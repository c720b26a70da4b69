//! Rates of ABR over time.

use crate::record::Columns;
use crate::units::Time;

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
}
