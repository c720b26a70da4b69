//! How many wait at a port, over time: the buffer's counters with their exact time integrals.

use crate::ids::{Id, IdVec, VcId};
use crate::queue::Buffer;
use crate::queue::DropReason;
use crate::record::trace::{PortTrace, Refused};
use crate::record::{Drops, Fingerprint, PortRecord, VcRecord};
use crate::units::{Span, Time};

/// Everything a port counts.
#[derive(Clone, Debug)]
pub(super) struct Occupancy {
    buffer: Buffer,
    whole: Level,
    active: Level,
    per_vc: IdVec<VcId, VcCount>,
    departures: u64,
    drops: Drops,
    /// R of the drop policy, cells, and how often the queue rose above it.
    threshold: Option<f64>,
    episodes: u64,
    fingerprint: Fingerprint,
    pub(super) trace: Option<Box<PortTrace>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct VcCount {
    level: Level,
    arrivals: u64,
    departures: u64,
    drops: u64,
}

/// A number that changes at known instants: its integral and its maximum.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    value: u32,
    max: u32,
    since: Time,
    /// Units times picoseconds.
    integral: u128,
}

impl Level {
    fn set(&mut self, now: Time, value: u32) {
        self.integral += u128::from(self.value) * u128::from(now.since(self.since).as_ps());
        self.since = now;
        self.value = value;
        self.max = self.max.max(value);
    }

    fn mean(mut self, now: Time) -> f64 {
        self.set(now, self.value);
        if now == Time::ZERO { 0.0 } else { self.integral as f64 / now.as_ps() as f64 }
    }
}

impl Occupancy {
    /// An empty buffer of `capacity` units for the connections numbered below `vcs`. Its drop policy acts above
    /// `threshold` cells, if it has one.
    pub(super) fn new(capacity: u32, vcs: usize, threshold: Option<f64>) -> Occupancy {
        Occupancy {
            buffer: Buffer::new(capacity, vcs),
            whole: Level::default(),
            active: Level::default(),
            per_vc: (0..vcs).map(|_| VcCount::default()).collect(),
            departures: 0,
            drops: Drops::default(),
            threshold,
            episodes: 0,
            fingerprint: Fingerprint::default(),
            trace: None,
        }
    }

    /// The counters as policies see them.
    pub(super) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// A unit of `vc` arrived at the port.
    pub(super) fn arrive(&mut self, vc: VcId) {
        self.per_vc[vc].arrivals += 1;
    }

    /// An arrived unit begins to wait.
    pub(super) fn enter(&mut self, now: Time, vc: VcId) {
        let before = f64::from(self.buffer.queued());
        self.buffer.enter(vc);
        let rose = |threshold| before <= threshold && f64::from(self.buffer.queued()) > threshold;
        self.episodes += u64::from(self.threshold.is_some_and(rose));
        self.update(now, vc);
    }

    /// A unit that has waited since `admitted` begins to be transmitted.
    pub(super) fn leave(&mut self, now: Time, vc: VcId, admitted: Time) {
        self.buffer.leave(vc);
        self.update(now, vc);
        self.depart(now, vc, admitted);
    }

    /// An arrived unit is transmitted without waiting.
    pub(super) fn pass(&mut self, now: Time, vc: VcId) {
        self.depart(now, vc, now);
    }

    #[inline(always)]
    fn depart(&mut self, now: Time, vc: VcId, admitted: Time) {
        self.per_vc[vc].departures += 1;
        self.departures += 1;
        if let Some(trace) = &mut self.trace {
            trace.departs(now, now.since(admitted));
        }
    }

    /// The port transmits from `now` on, for so long.
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
        self.per_vc[vc].drops += 1;
        reason.count(&mut self.drops);
        self.fingerprint.add(now.as_ps());
        self.fingerprint.add(vc_name);
        self.fingerprint.add(reason as u64);
    }

    /// A waiting unit of frame `frame` is thrown away.
    pub(super) fn throw_away(&mut self, now: Time, vc: VcId, vc_name: u64, frame: u32, reason: DropReason) {
        self.buffer.leave(vc);
        self.update(now, vc);
        self.refuse(now, vc, vc_name, frame, reason);
    }

    /// The port's record at `now`: `name` is the port's, `vcs` are the names of the connections that cross it.
    pub(super) fn record<'a>(&self, now: Time, name: &str, vcs: impl Iterator<Item = &'a str>) -> PortRecord {
        let vcs: Vec<VcRecord> = self.per_vc.ids().zip(vcs).map(|(vc, name)| self.vc_record(now, vc, name)).collect();
        let arrivals = vcs.iter().map(|vc| vc.arrivals).sum();
        let mut fingerprint = self.fingerprint;
        if arrivals > 0 {
            let mut integral = self.whole;
            integral.set(now, self.whole.value);
            for word in [arrivals, self.departures, u64::from(self.whole.max), integral.integral as u64] {
                fingerprint.add(word);
            }
        }
        PortRecord {
            name: name.to_owned(),
            arrivals,
            departures: self.departures,
            drops: self.drops,
            mean_queue: self.whole.mean(now),
            max_queue: u64::from(self.whole.max),
            final_queue: u64::from(self.buffer.queued()),
            mean_active: self.active.mean(now),
            congestion_episodes: self.threshold.map(|_| self.episodes),
            vcs,
            fingerprint: fingerprint.value(),
            sojourn: None,
        }
    }

    fn vc_record(&self, now: Time, vc: VcId, name: &str) -> VcRecord {
        let count = &self.per_vc[vc];
        VcRecord {
            name: name.to_owned(),
            arrivals: count.arrivals,
            departures: count.departures,
            drops: count.drops,
            mean_queue: count.level.mean(now),
            max_queue: u64::from(count.level.max),
            final_queue: u64::from(self.buffer.queued_of(vc)),
        }
    }

    fn update(&mut self, now: Time, vc: VcId) {
        self.whole.set(now, self.buffer.queued());
        self.active.set(now, self.buffer.active());
        self.per_vc[vc].level.set(now, self.buffer.queued_of(vc));
        if let Some(trace) = &mut self.trace {
            trace.queued(now, self.buffer.queued());
            trace.queued_of(now, vc.index(), self.buffer.queued_of(vc));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;

    #[test]
    fn mean_and_maximum_are_exact_over_time() {
        let vc = VcId::from_index(0);
        let mut occupancy = Occupancy::new(10, 1, Some(1.0));
        let at = |ps| Time::from_ps(ps);
        for ps in [10, 20] {
            occupancy.arrive(vc);
            occupancy.enter(at(ps), vc);
        }
        occupancy.leave(at(50), vc, at(10));
        // 0 for 10 ps, 1 for 10, 2 for 30, 1 for 50: 120 over 100.
        let record = occupancy.record(at(100), "p", ["v"].into_iter());
        assert_eq!((record.mean_queue, record.max_queue, record.final_queue), (1.2, 2, 1));
        // Active for 90 of 100 ps; above R = 1 once.
        assert_eq!((record.mean_active, record.congestion_episodes), (0.9, Some(1)));
        assert_eq!((record.arrivals, record.departures, record.vcs[0].mean_queue), (2, 1, 1.2));
    }
}
