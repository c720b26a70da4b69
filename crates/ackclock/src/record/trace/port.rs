//! What is recorded of a port.

use std::collections::BTreeMap;

use super::amounts::Busy;
use super::level::{Averages, LevelTrace};
use super::sojourn::{Departures, SojournTrace};
use crate::record::{Columns, DropReason, Histogram, Metric, MetricSet, Series};
use crate::units::{Span, Time};

/// Records a port.
#[derive(Clone, Debug)]
pub struct PortTrace {
    queue: Option<LevelTrace>,
    /// Whether the averages of the queue are all that is recorded of how many wait.
    averages_only: bool,
    vcs: Vec<LevelTrace>,
    /// When the port transmits.
    busy: Option<Busy>,
    drops: Option<Vec<Refused>>,
    /// When packets were marked, and of which connection each.
    marks: Option<Vec<(Time, u32)>>,
    sojourn: Option<Box<SojournTrace>>,
}

/// A refused unit.
#[derive(Clone, Copy, Debug)]
pub struct Refused {
    /// When.
    pub time: Time,
    /// The connection's number at the port.
    pub vc: u32,
    /// The how manieth frame of the connection it belongs to.
    pub frame: u32,
    /// Why.
    pub reason: DropReason,
}

impl PortTrace {
    /// A recorder of those of `metrics` that are a port's, at a port that `vcs` connections cross, and of how long what departs
    /// from `sojourn_since` on has waited; `None` if there is nothing to record.
    pub fn new(metrics: MetricSet, interval: Span, vcs: usize, sojourn_since: Option<Time>) -> Option<Box<PortTrace>> {
        let level = |average, changes| LevelTrace::new(interval, metrics.contains(average), metrics.contains(changes));
        let queue = level(Metric::Queue, Metric::QueueChanges);
        let of_vc = level(Metric::VcQueue, Metric::VcQueueChanges);
        let waits = metrics.contains(Metric::Sojourn).then_some(interval);
        let averages_only = of_vc.is_none()
            && sojourn_since.is_none()
            && waits.is_none()
            && queue.as_ref().is_some_and(LevelTrace::is_averages);
        let trace = PortTrace {
            vcs: of_vc.map_or(Vec::new(), |level| vec![level; vcs]),
            busy: metrics.contains(Metric::Utilisation).then(|| Busy::new(interval)),
            drops: metrics.contains(Metric::Drops).then(Vec::new),
            marks: metrics.contains(Metric::Marks).then(Vec::new),
            sojourn: (sojourn_since.is_some() || waits.is_some())
                .then(|| Box::new(SojournTrace::new(sojourn_since, waits))),
            queue,
            averages_only,
        };
        let of_levels = trace.queue.is_some() || !trace.vcs.is_empty();
        let of_units = trace.drops.is_some() || trace.marks.is_some() || trace.sojourn.is_some();
        let wanted = of_levels || trace.busy.is_some() || of_units;
        wanted.then(|| Box::new(trace))
    }

    /// The queue, which gives one unit away at every tick, falls by one at each of `steps` ticks from number `first` on.
    #[inline]
    pub fn falls(&mut self, tick: Span, first: u64, steps: u64) {
        if let Some(queue) = &mut self.queue {
            queue.fall(tick, first, steps);
        }
    }

    /// One more unit waits from now on, of connection `vc`, of which then `of_vc` wait.
    #[inline(always)]
    pub fn enters(&mut self, now: Time, vc: usize, of_vc: impl FnOnce() -> u32) {
        match self.averages_within(now) {
            Some(averages) => averages.rise(now),
            None => self.enters_slowly(now, vc, of_vc()),
        }
    }

    /// One unit fewer waits from now on, of connection `vc`, of which then `of_vc` wait. At one instant units leave
    /// before others enter.
    #[inline(always)]
    pub fn leaves(&mut self, now: Time, vc: usize, of_vc: impl FnOnce() -> u32) {
        match self.averages_within(now) {
            Some(averages) => averages.sink(now),
            None => self.leaves_slowly(now, vc, of_vc()),
        }
    }

    /// The averages of the queue, if a change of it within the running interval has to be told to nobody else.
    #[inline(always)]
    fn averages_within(&mut self, now: Time) -> Option<&mut Averages> {
        if self.averages_only { self.queue.as_mut()?.averages_within(now) } else { None }
    }

    /// Apart, as is [`PortTrace::leaves_slowly`], so that the fast path has nothing to save and restore.
    #[inline(never)]
    fn enters_slowly(&mut self, now: Time, vc: usize, of_vc: u32) {
        if let Some(queue) = &mut self.queue {
            queue.rise(now);
        }
        if let Some(sojourn) = &mut self.sojourn {
            sojourn.enters(now);
        }
        self.queued_of(now, vc, of_vc);
    }

    #[inline(never)]
    fn leaves_slowly(&mut self, now: Time, vc: usize, of_vc: u32) {
        if let Some(queue) = &mut self.queue {
            queue.sink(now);
        }
        if let Some(sojourn) = &mut self.sojourn {
            sojourn.leaves(now);
        }
        self.queued_of(now, vc, of_vc);
    }

    /// So many units wait now.
    #[inline(always)]
    pub fn queued(&mut self, now: Time, queued: u32) {
        if let Some(queue) = &mut self.queue {
            queue.set(now, queued);
        }
    }

    /// So many units of connection `vc` wait now.
    pub fn queued_of(&mut self, now: Time, vc: usize, of_vc: u32) {
        if let Some(level) = self.vcs.get_mut(vc) {
            level.set(now, of_vc);
        }
    }

    /// A unit begins to be transmitted that waited so long; to be told by who does not tell that it
    /// [leaves](PortTrace::leaves).
    pub fn departs(&mut self, now: Time, waited: Span) {
        if let Some(sojourn) = &mut self.sojourn {
            sojourn.departs(now, waited);
        }
    }

    /// Those of `departures` that depart up to a tick have departed.
    pub(super) fn departed(&mut self, departures: &mut Departures, tick_number: u64, tick: Span) {
        if let Some(sojourn) = &mut self.sojourn {
            departures.settle(tick_number, tick, sojourn);
        }
    }

    /// Whether it wants to know how long units wait.
    pub fn wants_sojourns(&self) -> bool {
        self.sojourn.is_some()
    }

    /// How long units waited, if that is recorded.
    pub fn sojourn(&self) -> Option<&Histogram> {
        self.sojourn.as_ref()?.histogram()
    }

    /// The port transmits from an instant to another.
    #[inline]
    pub fn transmits(&mut self, from: Time, to: Time) {
        if let Some(busy) = &mut self.busy {
            busy.add(from, to);
        }
    }

    /// Whether it wants to know when the port transmits.
    pub fn wants_transmissions(&self) -> bool {
        self.busy.is_some()
    }

    /// Whether it wants to know how many wait of each connection.
    pub fn wants_vcs(&self) -> bool {
        !self.vcs.is_empty()
    }

    /// A unit is refused.
    pub fn refused(&mut self, refused: Refused) {
        if let Some(drops) = &mut self.drops {
            drops.push(refused);
        }
    }

    /// A packet of connection `vc` leaves with a mark that it did not have.
    pub fn marked(&mut self, now: Time, vc: u32) {
        if let Some(marks) = &mut self.marks {
            marks.push((now, vc));
        }
    }

    /// Everything refused so far.
    pub fn all_refused(&self) -> &[Refused] {
        self.drops.as_deref().unwrap_or_default()
    }

    /// The same, moved out.
    pub fn take_refused(&mut self) -> Vec<Refused> {
        self.drops.take().unwrap_or_default()
    }

    /// The record of one metric up to `end` at the port called `name`, which the connections called `vcs` cross; changes are moved out. Of
    /// what was refused see [`PortTrace::all_refused`].
    pub fn take(&mut self, metric: Metric, end: Time, name: &str, vcs: &[String]) -> Vec<Series> {
        let one = |columns| vec![Series { metric, of: name.to_owned(), vc: None, columns }];
        let level = |level: &mut LevelTrace| match metric {
            Metric::Queue | Metric::VcQueue => level.intervals(end),
            _ => level.take_changes(),
        };
        match metric {
            Metric::Queue | Metric::QueueChanges => self.queue.as_mut().and_then(level).map(one).unwrap_or_default(),
            Metric::VcQueue | Metric::VcQueueChanges => {
                let of_vc = |(trace, vc): (&mut LevelTrace, &String)| {
                    Some(Series { metric, of: name.to_owned(), vc: Some(vc.clone()), columns: level(trace)? })
                };
                self.vcs.iter_mut().zip(vcs).filter_map(of_vc).collect()
            }
            Metric::Marks => {
                let mut of_vcs: BTreeMap<u32, Vec<Time>> = BTreeMap::new();
                for (time, vc) in self.marks.take().into_iter().flatten().filter(|&(time, _)| time < end) {
                    of_vcs.entry(vc).or_default().push(time);
                }
                let of_vc = |(number, time): (u32, Vec<Time>)| {
                    let value = (1..=time.len()).map(|count| count as f64).collect();
                    let (of, vc) = (name.to_owned(), Some(vcs[number as usize].clone()));
                    Series { metric, of, vc, columns: Columns::Points { time, value } }
                };
                of_vcs.into_iter().map(of_vc).collect()
            }
            Metric::Sojourn => {
                self.sojourn.as_ref().and_then(|sojourn| sojourn.columns(end)).map(one).unwrap_or_default()
            }
            Metric::Utilisation => self.busy.as_ref().map(|busy| one(busy.columns(end))).unwrap_or_default(),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::trace::{DeliveryTrace, SenderTrace};
    use crate::units::instants::ps as at;

    fn set(metrics: &[Metric]) -> MetricSet {
        metrics.iter().copied().collect()
    }

    fn intervals(columns: Columns) -> [Vec<f64>; 3] {
        let Columns::Intervals { min, mean, max, .. } = columns else { panic!("no intervals") };
        [min, mean, max].map(|column| column.to_vec())
    }

    #[test]
    fn averages_by_hand() {
        let mut trace = PortTrace::new(set(&[Metric::Queue]), Span::from_ps(100), 1, None).unwrap();
        // 0 until 50, 4 until 150, 1 until 350; at 150 it was 9 for no time.
        for (time, queued) in [(50, 4), (150, 9), (150, 1), (350, 2)] {
            trace.queued(at(time), queued);
        }
        let series = trace.take(Metric::Queue, at(375), "p", &["v".into()]);
        let [min, mean, max] = intervals(series[0].columns.clone());
        assert_eq!(min, [0.0, 1.0, 1.0, 1.0]);
        // 4·50/100; (4·50 + 1·50)/100; 1; (1·50 + 2·25)/75
        assert_eq!(mean, [2.0, 2.5, 1.0, 100.0 / 75.0]);
        assert_eq!(max, [4.0, 4.0, 1.0, 2.0]);
    }

    /// Falling many steps at once is the same as falling step by step, wherever intervals begin.
    #[test]
    fn steps_together_are_steps_one_by_one() {
        for (tick, interval) in [(7, 100), (7, 70), (7, 50), (7, 3), (7, 7), (1, 10), (250, 1000)] {
            let metrics = set(&[Metric::Queue, Metric::QueueChanges]);
            let mut together = PortTrace::new(metrics, Span::from_ps(interval * 10), 1, None).unwrap();
            let mut one_by_one = together.clone();
            let (mut number, mut level) = (3, 0);
            for (rise, steps, pause) in [(5, 5, 0), (40, 17, 3), (0, 23, 2), (300, 299, 1)] {
                let queued = level + rise;
                level = queued - steps as u32;
                for trace in [&mut together, &mut one_by_one] {
                    trace.queued(at(number * tick), queued);
                }
                number += 1;
                together.falls(Span::from_ps(tick), number, steps);
                for step in 0..steps {
                    one_by_one.queued(at((number + step) * tick), queued - 1 - step as u32);
                }
                number += steps + pause;
            }
            for metric in [Metric::Queue, Metric::QueueChanges] {
                let end = at(number * tick + 1);
                assert_eq!(together.take(metric, end, "p", &[]), one_by_one.take(metric, end, "p", &[]));
            }
        }
    }

    /// Units that come and go one by one are levels, wherever intervals begin: one that goes, then some that come.
    #[test]
    fn units_one_by_one_are_levels() {
        for interval in [1, 3, 10, 40] {
            let metrics = set(&[Metric::Queue, Metric::QueueChanges]);
            let mut one_by_one = PortTrace::new(metrics, Span::from_ps(interval * 10), 1, None).unwrap();
            let mut told = one_by_one.clone();
            let (mut now, mut level) = (0, 0);
            for step in 0..500_u64 {
                let random = step.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
                now += 5 * (1 + random % 3);
                if level > 0 && random & 64 == 0 {
                    level -= 1;
                    one_by_one.leaves(at(now), 0, || 0);
                    told.queued(at(now), level);
                }
                for _ in 0..[0, 1, 0, 1, 0, 2, 0, 0][(random >> 8) as usize % 8] {
                    level += 1;
                    one_by_one.enters(at(now), 0, || 0);
                    told.queued(at(now), level);
                }
            }
            for metric in [Metric::Queue, Metric::QueueChanges] {
                let end = at(now + 1);
                assert_eq!(one_by_one.take(metric, end, "p", &[]), told.take(metric, end, "p", &[]));
            }
        }
    }

    #[test]
    fn a_run_that_ends_with_an_interval_has_no_empty_one() {
        let mut trace = PortTrace::new(set(&[Metric::Queue]), Span::from_ps(100), 1, None).unwrap();
        assert_eq!(intervals(trace.take(Metric::Queue, at(200), "p", &[])[0].columns.clone())[1], [0.0, 0.0]);
    }

    #[test]
    fn utilisation_by_hand() {
        let mut trace = PortTrace::new(set(&[Metric::Utilisation]), Span::from_ps(100), 1, None).unwrap();
        trace.transmits(at(5), at(20));
        trace.transmits(at(95), at(125));
        let series = trace.take(Metric::Utilisation, at(120), "p", &[]);
        let [min, mean, max] = intervals(series[0].columns.clone());
        // First interval: 15 + 5 of 100, tenths between nothing and all; second: all of 20, what is beyond the end
        // does not count.
        assert_eq!((min, mean, max), (vec![0.0, 1.0], vec![0.2, 1.0], vec![1.0, 1.0]));
    }

    #[test]
    fn what_nobody_asks_for_has_no_recorder() {
        assert!(SenderTrace::new(set(&[Metric::Queue, Metric::Throughput]), None).is_none());
        assert!(PortTrace::new(set(&[Metric::Cwnd]), Span::from_ms(1), 3, None).is_none());
        assert!(DeliveryTrace::new(set(&[Metric::Cwnd]), Span::from_ms(1)).is_none());
    }
}
