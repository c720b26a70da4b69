//! How long units wait at a port: from when they are admitted until they begin to be transmitted, the sojourn time of
//! RFC 8289 §3.1. Units that are dropped out of the queue do not count.

use std::collections::VecDeque;

use crate::record::histogram::{Delays, Histogram};
use crate::record::{Columns, PerInterval};
use crate::units::{Span, Time};

/// Records how long units wait.
#[derive(Clone, Debug)]
pub(super) struct SojournTrace {
    delays: Option<Delays>,
    over_time: Option<Waits>,
    /// When those that wait were admitted, in order; where departures are told and nothing is dropped.
    admitted: VecDeque<Time>,
}

/// Smallest, mean and largest wait of what departs in each interval. Departures are told in the order of time.
#[derive(Clone, Debug)]
struct Waits {
    interval: Span,
    /// The number of the running interval, and what departed in it.
    number: u64,
    running: Waited,
    /// Of the intervals before it.
    columns: [PerInterval; 3],
}

/// Of one interval, in picoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Waited {
    units: u64,
    sum: u128,
    min: u64,
    max: u64,
}

impl Waits {
    fn new(interval: Span) -> Waits {
        // A wait is whole picoseconds; their mean need not be.
        let of_wait = PerInterval::of_parts(1e12);
        let columns = [of_wait.clone(), PerInterval::new(), of_wait];
        Waits { interval, number: 0, running: Waited::default(), columns }
    }

    /// `units` depart one `step` apart from `from` on, each after the same wait.
    fn add(&mut self, from: Time, step: Span, wait: Span, mut units: u64) {
        let (mut now, length, ps) = (from.as_ps(), self.interval.as_ps(), wait.as_ps());
        while units > 0 {
            let number = now / length;
            // Those before the interval is over.
            let here = if units == 1 { 1 } else { units.min(((number + 1) * length - now).div_ceil(step.as_ps())) };
            if number != self.number {
                self.close_until(number);
            }
            let waited = &mut self.running;
            waited.min = if waited.units == 0 { ps } else { waited.min.min(ps) };
            waited.max = waited.max.max(ps);
            waited.sum += u128::from(ps) * u128::from(here);
            waited.units += here;
            units -= here;
            now += here * step.as_ps();
        }
    }

    /// Another interval is running; nothing departed in those between.
    #[inline(never)]
    fn close_until(&mut self, number: u64) {
        debug_assert!(number > self.number, "departures are told in the order of time");
        let Waited { units, sum, min, max } = std::mem::take(&mut self.running);
        let mean = sum as f64 / units.max(1) as f64 * 1e-12;
        let seconds = [Span::from_ps(min).as_secs_f64(), mean, Span::from_ps(max).as_secs_f64()];
        for (column, seconds) in self.columns.iter_mut().zip(seconds) {
            column.push(seconds);
            column.push_many(0.0, number - self.number - 1);
        }
        self.number = number;
    }

    fn columns(&self, end: Time) -> Columns {
        let count = end.as_ps().div_ceil(self.interval.as_ps());
        let mut all = self.clone();
        // What departs as the last interval ends belongs to none.
        if all.number < count {
            all.close_until(count);
        }
        debug_assert_eq!(all.columns[0].len() as u64, count);
        let [min, mean, max] = all.columns.map(PerInterval::finished);
        Columns::Intervals { interval: self.interval, end, min, mean, max }
    }
}

/// Units that depart one tick apart, after the same wait, in ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) departs: u64,
    pub(super) wait: u64,
    pub(super) units: u64,
}

/// Of a FIFO that gives one unit away at every tick: runs that are admitted, and have not departed all.
#[derive(Clone, Debug, Default)]
pub(super) struct Departures {
    runs: VecDeque<Run>,
}

impl SojournTrace {
    /// How often each wait occurs, of what departs from `since` on, and waits over intervals of this length, as far as that is
    /// asked for.
    pub(super) fn new(since: Option<Time>, interval: Option<Span>) -> SojournTrace {
        let over_time = interval.map(Waits::new);
        SojournTrace { delays: since.map(Delays::new), over_time, admitted: VecDeque::new() }
    }

    /// A unit begins to wait.
    pub(super) fn enters(&mut self, now: Time) {
        self.admitted.push_back(now);
    }

    /// The first of those that wait departs.
    pub(super) fn leaves(&mut self, now: Time) {
        let admitted = self.admitted.pop_front().expect("what leaves has entered");
        self.departs(now, now.since(admitted));
    }

    /// A unit departs that waited so long.
    pub(super) fn departs(&mut self, now: Time, waited: Span) {
        self.depart(now, Span::from_ps(1), waited, 1);
    }

    /// Units depart one `step` apart from `from` on, each after the same wait.
    fn depart(&mut self, from: Time, step: Span, waited: Span, units: u64) {
        if let Some(delays) = &mut self.delays {
            delays.add_run(from, step, waited, units);
        }
        if let Some(over_time) = &mut self.over_time {
            over_time.add(from, step, waited, units);
        }
    }

    pub(super) fn histogram(&self) -> Option<&Histogram> {
        Some(self.delays.as_ref()?.histogram())
    }

    /// The waits over time up to `end`, if they are asked for.
    pub(super) fn columns(&self, end: Time) -> Option<Columns> {
        Some(self.over_time.as_ref()?.columns(end))
    }
}

impl Departures {
    /// Units are admitted.
    pub(super) fn add(&mut self, run: Run) {
        match self.runs.back_mut() {
            // Mostly units depart one after the other while the queue is as long as it was.
            Some(last) if last.wait == run.wait && last.departs + last.units == run.departs => last.units += run.units,
            _ => self.runs.push_back(run),
        }
    }

    /// Units that depart up to `tick` are counted.
    pub(super) fn settle(&mut self, tick: u64, length: Span, trace: &mut SojournTrace) {
        while let Some(run) = self.runs.front_mut().filter(|run| run.departs <= tick) {
            let units = run.units.min(tick - run.departs + 1);
            let from = Time::from_ps(run.departs * length.as_ps());
            trace.depart(from, length, length * run.wait, units);
            run.departs += units;
            run.units -= units;
            if run.units == 0 {
                self.runs.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_count_when_they_depart() {
        let mut trace = SojournTrace::new(Some(Time::ZERO), None);
        let mut departures = Departures::default();
        let tick = Span::from_ps(10);
        // Three depart at once, at ticks 5, 6 and 7; then two at 8 and 9, each two ticks after it came.
        departures.add(Run { departs: 5, wait: 0, units: 3 });
        departures.add(Run { departs: 8, wait: 2, units: 1 });
        departures.add(Run { departs: 9, wait: 2, units: 1 });
        assert_eq!(departures.runs.len(), 2);
        let mut counted = |tick_number| {
            departures.settle(tick_number, tick, &mut trace);
            let histogram = trace.histogram().unwrap();
            (histogram.count(), histogram.max())
        };
        assert_eq!(counted(4), (0, None));
        assert_eq!(counted(6), (2, Some(Span::ZERO)));
        assert_eq!(counted(8), (4, Some(Span::from_ps(20))));
        assert_eq!(counted(100), (5, Some(Span::from_ps(20))));
        assert!(departures.runs.is_empty());
    }

    #[test]
    fn the_first_to_enter_is_the_first_to_leave() {
        let mut trace = SojournTrace::new(Some(Time::from_ps(40)), None);
        trace.enters(Time::from_ps(10));
        trace.enters(Time::from_ps(15));
        trace.leaves(Time::from_ps(30));
        assert_eq!(trace.histogram().unwrap().count(), 0, "within the warm-up");
        trace.leaves(Time::from_ps(50));
        let histogram = trace.histogram().unwrap();
        assert_eq!((histogram.count(), histogram.max()), (1, Some(Span::from_ps(35))));
    }

    #[test]
    fn waits_over_intervals_by_hand() {
        let ns = |ns: u64| Span::from_ps(1000 * ns);
        let mut trace = SojournTrace::new(None, Some(ns(10)));
        let at = |ns: u64| Time::from_ps(1000 * ns);
        trace.departs(at(2), ns(4));
        // At 4, 7, 10, 13, 16: two in the first interval, three in the second.
        trace.depart(at(4), ns(3), ns(1), 5);
        trace.departs(at(17), ns(6));
        // At 19, 22: one in the second, one in the third.
        trace.depart(at(19), ns(3), ns(1), 2);
        assert!(trace.histogram().is_none());
        let Columns::Intervals { min, mean, max, .. } = trace.columns(at(35)).unwrap() else { panic!("no intervals") };
        let close = |found: PerInterval, ns: [f64; 4]| {
            found.len() == 4 && found.iter().zip(ns).all(|(found, ns)| (found - 1e-9 * ns).abs() < 1e-20)
        };
        assert!(
            close(min, [1.0, 1.0, 1.0, 0.0]) && close(mean, [2.0, 2.0, 1.0, 0.0]) && close(max, [4.0, 6.0, 1.0, 0.0])
        );
    }
}
