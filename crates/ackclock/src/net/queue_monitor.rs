//! How many wait at a port, as time passes: the buffer's counters with their exact time integrals.

use std::sync::Arc;

use super::port_stats::{PortStats, VcWaits};
use crate::ids::{Id, VcId};
use crate::queue::{Buffer, DropReason};
use crate::record::PortRecord;
use crate::record::trace::{PortTrace, Refused};
use crate::units::{Span, Time};

/// Everything that a port measures which is driven event by event.
#[derive(Clone, Debug)]
pub(super) struct QueueMonitor {
    buffer: Buffer,
    active: Area,
    stats: PortStats<VcQueue>,
    pub(super) trace: Option<Box<PortTrace>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct VcQueue {
    waiting: Area,
    departures: u64,
}

/// The integral over time of a number that begins as zero and changes by one: each rise takes its instant off, each fall adds it. What
/// the number is now, times now, is the rest.
#[derive(Clone, Copy, Debug, Default)]
struct Area(i128);

impl Area {
    #[inline(always)]
    fn rise(&mut self, now: Time) {
        self.0 -= i128::from(now.as_ps());
    }

    #[inline(always)]
    fn fall(&mut self, now: Time) {
        self.0 += i128::from(now.as_ps());
    }

    /// Units times picoseconds until `now`, when the number is `value`.
    fn integral(self, now: Time, value: u32) -> u128 {
        (self.0 + i128::from(value) * i128::from(now.as_ps())) as u128
    }
}

impl QueueMonitor {
    /// An empty buffer of `capacity` units for the connections numbered below `vcs`. Its drop policy acts above
    /// `threshold` cells, if it has one.
    pub(super) fn new(capacity: u32, vcs: usize, threshold: Option<f64>) -> QueueMonitor {
        QueueMonitor {
            buffer: Buffer::new(capacity, vcs),
            active: Area::default(),
            stats: PortStats::new(vcs, threshold),
            trace: None,
        }
    }

    /// The counters as policies see them.
    pub(super) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// A unit of `vc` arrived at the port.
    #[inline(always)]
    pub(super) fn arrive(&mut self, vc: VcId) {
        self.stats.arrive(vc, 1);
    }

    /// A unit arrives at the port, and is transmitted at once, until `complete`.
    #[inline(always)]
    pub(super) fn arrive_and_transmit(&mut self, now: Time, complete: Time, vc: VcId) {
        self.stats.arrive_to(vc).departures += 1;
        if let Some(trace) = &mut self.trace {
            trace.departs(now, Span::ZERO);
            trace.transmits(now, complete);
        }
    }

    /// A unit arrives at the port, and is transmitted without waiting.
    #[inline(always)]
    pub(super) fn arrive_and_pass(&mut self, now: Time, vc: VcId) {
        self.stats.arrive_to(vc).departures += 1;
        self.trace_departure(now, now);
    }

    /// A unit arrives at the port, and begins to wait. `PLAIN`: nothing is recorded over time.
    #[inline(always)]
    pub(super) fn arrive_and_enter<const PLAIN: bool>(&mut self, now: Time, vc: VcId) {
        self.stats.rise(u64::from(self.buffer.queued()), 1);
        if self.buffer.enter(vc) {
            self.active.rise(now);
        }
        self.stats.arrive_to(vc).waiting.rise(now);
        if !PLAIN {
            self.record_queue(now, vc);
        }
    }

    /// An arrived unit begins to wait.
    #[inline(always)]
    pub(super) fn enter(&mut self, now: Time, vc: VcId) {
        self.stats.rise(u64::from(self.buffer.queued()), 1);
        if self.buffer.enter(vc) {
            self.active.rise(now);
        }
        self.stats.waited_mut(vc).waiting.rise(now);
        self.record_queue(now, vc);
    }

    /// A unit that has waited since `admitted` begins to be transmitted. `PLAIN`: nothing is recorded over time.
    #[inline(always)]
    pub(super) fn leave<const PLAIN: bool>(&mut self, now: Time, vc: VcId, admitted: Time) {
        self.leave_buffer(now, vc).departures += 1;
        if !PLAIN {
            self.record_queue(now, vc);
            self.trace_departure(now, admitted);
        }
    }

    #[inline(always)]
    fn leave_buffer(&mut self, now: Time, vc: VcId) -> &mut VcQueue {
        if self.buffer.leave(vc) {
            self.active.fall(now);
        }
        let of_vc = self.stats.waited_mut(vc);
        of_vc.waiting.fall(now);
        of_vc
    }

    /// An arrived unit is transmitted without waiting.
    #[inline(always)]
    pub(super) fn pass(&mut self, now: Time, vc: VcId) {
        self.stats.waited_mut(vc).departures += 1;
        self.trace_departure(now, now);
    }

    #[inline(always)]
    fn trace_departure(&mut self, now: Time, admitted: Time) {
        if let Some(trace) = &mut self.trace {
            trace.departs(now, now.since(admitted));
        }
    }

    /// The port transmits from `now` on, for so long.
    #[inline(always)]
    pub(super) fn transmits(&mut self, now: Time, time: Span) {
        if let Some(trace) = &mut self.trace {
            trace.transmits(now, now + time);
        }
    }

    /// An arrived unit of frame `frame` of the connection whose name hashes to `vc_name` is refused.
    pub(super) fn refuse(&mut self, now: Time, vc: VcId, vc_name: u64, frame: u32, reason: DropReason) {
        if let Some(trace) = &mut self.trace {
            trace.refused(Refused { time: now, vc: vc.index() as u32, frame, reason });
        }
        self.stats.drop_unit(now, vc, vc_name, reason);
    }

    /// A waiting unit of frame `frame` is dropped.
    pub(super) fn drop_waiting(&mut self, now: Time, vc: VcId, vc_name: u64, frame: u32, reason: DropReason) {
        self.leave_buffer(now, vc);
        self.record_queue(now, vc);
        self.stats.tallies.dropped_after_waiting += 1;
        self.refuse(now, vc, vc_name, frame, reason);
    }

    /// A packet leaves with a mark that it did not have when it came.
    pub(super) fn mark(&mut self, now: Time, vc: VcId) {
        self.stats.tallies.marked_packets += 1;
        if let Some(trace) = &mut self.trace {
            trace.marked(now, vc.index() as u32);
        }
    }

    /// The port's record at `now`: `name` is the port's, `names` are those of the connections that cross it.
    pub(super) fn record(&self, now: Time, name: &str, names: impl Iterator<Item = Arc<str>>) -> PortRecord {
        let waits = self.stats.vcs().map(|vc| {
            let VcQueue { waiting, departures } = *self.stats.waited(vc);
            VcWaits { departures, integral: waiting.integral(now, self.buffer.queued_of(vc)) }
        });
        let active = self.active.integral(now, self.buffer.active());
        self.stats.record(now, name, names, &self.buffer, active, waits)
    }

    #[inline(always)]
    fn record_queue(&mut self, now: Time, vc: VcId) {
        if let Some(trace) = &mut self.trace {
            trace.queued(now, self.buffer.queued());
            trace.queued_of(now, vc.index(), self.buffer.queued_of(vc));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_maximum_are_exact_over_time() {
        let vc = VcId::from_index(0);
        let mut monitor = QueueMonitor::new(10, 1, Some(1.0));
        let at = |ps| Time::from_ps(ps);
        for ps in [10, 20] {
            monitor.arrive(vc);
            monitor.enter(at(ps), vc);
        }
        monitor.leave::<false>(at(50), vc, at(10));
        // 0 for 10 ps, 1 for 10, 2 for 30, 1 for 50: 120 over 100.
        let record = monitor.record(at(100), "p", ["v".into()].into_iter());
        assert_eq!((record.mean_queue, record.max_queue, record.final_queue), (1.2, 2, 1));
        // Active for 90 of 100 ps; above R = 1 once.
        assert_eq!((record.mean_active, record.congestion_episodes), (0.9, Some(1)));
        assert_eq!((record.arrivals, record.departures, record.vcs[0].mean_queue), (2, 1, 1.2));
    }

    #[test]
    fn an_episode_begins_when_the_queue_rises_above_the_threshold() {
        let vc = VcId::from_index(0);
        let mut monitor = QueueMonitor::new(10, 1, Some(1.5));
        let mut episodes = |enters: bool| {
            match enters {
                true => monitor.enter(Time::ZERO, vc),
                false => monitor.leave::<false>(Time::ZERO, vc, Time::ZERO),
            }
            monitor.record(Time::ZERO, "p", ["v".into()].into_iter()).congestion_episodes
        };
        // To 1, 2 (above 1.5), 3, back to 1, and above again.
        let after = [true, true, true, false, false, true].map(|enters| episodes(enters).unwrap());
        assert_eq!(after, [0, 1, 1, 1, 1, 2]);
    }
}
