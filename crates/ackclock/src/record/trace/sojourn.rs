//! How long units wait at a port: from when they are admitted until they begin to be transmitted, the sojourn time of
//! RFC 8289 §3.1. What is thrown away out of the queue does not count.

use std::collections::VecDeque;

use crate::record::histogram::{Delays, Histogram};
use crate::units::{Span, Time};

/// Records how long units wait.
#[derive(Clone, Debug)]
pub(super) struct SojournTrace {
    delays: Delays,
    /// When those that wait were admitted, in order; where departures are told and nothing is thrown away.
    admitted: VecDeque<Time>,
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
    /// What departs before `since` does not count.
    pub(super) fn new(since: Time) -> SojournTrace {
        SojournTrace { delays: Delays::new(since), admitted: VecDeque::new() }
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
        self.delays.add(now, waited);
    }

    pub(super) fn histogram(&self) -> &Histogram {
        self.delays.histogram()
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
            trace.delays.add_run(from, length, length * run.wait, units);
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
        let mut trace = SojournTrace::new(Time::from_ps(0));
        let mut departures = Departures::default();
        let tick = Span::from_ps(10);
        // Three depart at once, at ticks 5, 6 and 7; then two at 8 and 9, each two ticks after it came.
        departures.add(Run { departs: 5, wait: 0, units: 3 });
        departures.add(Run { departs: 8, wait: 2, units: 1 });
        departures.add(Run { departs: 9, wait: 2, units: 1 });
        assert_eq!(departures.runs.len(), 2);
        let mut counted = |tick_number| {
            departures.settle(tick_number, tick, &mut trace);
            (trace.histogram().count(), trace.histogram().max())
        };
        assert_eq!(counted(4), (0, None));
        assert_eq!(counted(6), (2, Some(Span::ZERO)));
        assert_eq!(counted(8), (4, Some(Span::from_ps(20))));
        assert_eq!(counted(100), (5, Some(Span::from_ps(20))));
        assert!(departures.runs.is_empty());
    }

    #[test]
    fn the_first_to_enter_is_the_first_to_leave() {
        let mut trace = SojournTrace::new(Time::from_ps(40));
        trace.enters(Time::from_ps(10));
        trace.enters(Time::from_ps(15));
        trace.leaves(Time::from_ps(30));
        assert_eq!(trace.histogram().count(), 0, "within the warm-up");
        trace.leaves(Time::from_ps(50));
        assert_eq!((trace.histogram().count(), trace.histogram().max()), (1, Some(Span::from_ps(35))));
    }
}
