//! How many wait at a port where the departure of a unit is known when it enters: time integrals are sums over units of the
//! time each waits, and what has not yet passed at the end is taken off again. Time is counted in ticks: slots at a cell port,
//! picoseconds at a packet port.

use std::sync::Arc;

use crate::ids::{Id, IdVec, VcId};
use crate::net::port_stats::{PortStats, VcWaits};
use crate::queue::{Buffer, DropReason};
use crate::record::PortRecord;
use crate::units::{Span, Time};

/// What is measured at one port of the batched engine.
#[derive(Clone)]
pub(super) struct FifoMonitor {
    buffer: Buffer,
    tick: Span,
    /// Ticks up to its last departure during which a connection has nothing waiting, of all connections.
    idle: u128,
    stats: PortStats<VcTicks>,
}

#[derive(Clone, Copy, Debug, Default)]
struct VcTicks {
    /// Ticks that the units wait which have entered so far, in all.
    waited: u128,
    /// The last departure of a unit that waits or waited.
    last_departure: u64,
}

impl FifoMonitor {
    /// An empty buffer of `capacity` units for the connections numbered below `vcs`. Its drop policy acts above
    /// `threshold` units, if it has one.
    pub(super) fn new(capacity: u32, vcs: usize, threshold: Option<f64>, tick: Span) -> FifoMonitor {
        FifoMonitor { buffer: Buffer::new(capacity, vcs), tick, idle: 0, stats: PortStats::new(vcs, threshold) }
    }

    /// The counters as policies see them.
    #[inline]
    pub(super) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Units of `vc` arrived at the port.
    #[inline]
    pub(super) fn arrive(&mut self, vc: VcId, units: u64) {
        self.stats.arrive(vc, units);
    }

    /// At each of `units` ticks from `now` on a unit of `vc` finds `before` others waiting and begins to wait, the
    /// first until tick `departs` and each of the others until one tick later than the one before.
    #[inline(always)]
    pub(super) fn enter(&mut self, vc: VcId, now: u64, departs: u64, units: u32, before: u64) {
        self.stats.rise(before, units);
        self.buffer.enter_late(vc, units);
        self.buffer.set_queued(before as u32 + 1);
        let last_departure = &mut self.stats.waited_mut(vc).last_departure;
        if now > *last_departure {
            self.idle += u128::from(now - *last_departure);
        }
        // All but the first begin to wait before the one before them departs.
        *last_departure = departs + u64::from(units) - 1;
    }

    /// A unit of `vc` arrives at tick `now` at a port whose policy has no threshold, and begins to wait until tick
    /// `departs`.
    #[inline(always)]
    pub(super) fn arrive_and_wait(&mut self, vc: VcId, now: u64, departs: u64) {
        debug_assert!(!self.stats.has_threshold());
        self.buffer.enter(vc);
        let of_vc = self.stats.arrive_to(vc);
        of_vc.waited += u128::from(departs - now);
        if now > of_vc.last_departure {
            self.idle += u128::from(now - of_vc.last_departure);
        }
        of_vc.last_departure = departs;
    }

    /// A unit of `vc` arrives at tick `now` and begins to wait until tick `departs`; what departs up to `now` has left. How many wait in
    /// all is set with [`FifoMonitor::set_queued`].
    #[inline(always)]
    pub(super) fn enter_in_time(&mut self, vc: VcId, now: u64, departs: u64) {
        self.stats.rise(departs - now - 1, 1);
        let none_waits = self.buffer.queued_of(vc) == 0;
        self.buffer.enter_late(vc, 1);
        let of_vc = self.stats.waited_mut(vc);
        of_vc.waited += u128::from(departs - now);
        if none_waits {
            self.idle += u128::from(now - of_vc.last_departure);
        }
        of_vc.last_departure = departs;
    }

    /// A unit of `vc` finds `before` others waiting at tick `now`, and begins to wait until each of them has had its
    /// tick, if some of `vc` wait already and its largest number is not exceeded. Returns whether it does.
    #[inline(always)]
    pub(super) fn enter_among_others(&mut self, vc: VcId, now: u64, before: u64) -> bool {
        if !self.buffer.enter_among_others(vc) {
            return false;
        }
        self.stats.rise(before, 1);
        self.buffer.set_queued(before as u32 + 1);
        let last_departure = &mut self.stats.waited_mut(vc).last_departure;
        if now > *last_departure {
            self.idle += u128::from(now - *last_departure);
        }
        *last_departure = now + before + 1;
        true
    }

    /// A waiting unit begins to be transmitted.
    #[inline]
    pub(super) fn leave(&mut self, vc: VcId) {
        self.buffer.leave(vc);
    }

    /// Several units of `vc` no longer wait; the number left is set with [`FifoMonitor::set_queued`].
    #[inline]
    pub(super) fn leave_late(&mut self, vc: VcId, units: u32) {
        self.buffer.leave_late(vc, units);
    }

    /// So many units wait.
    #[inline]
    pub(super) fn set_queued(&mut self, waiting: u64) {
        self.buffer.set_queued(waiting as u32);
    }

    /// Units of `vc` that entered wait so many ticks, in all.
    #[inline]
    pub(super) fn wait(&mut self, vc: VcId, ticks: u64) {
        self.stats.waited_mut(vc).waited += u128::from(ticks);
    }

    /// An arrived unit of the connection whose name hashes to `vc_name` is refused.
    #[cold]
    pub(super) fn refuse(&mut self, now: Time, vc: VcId, vc_name: u64, reason: DropReason) {
        self.stats.drop_unit(now, vc, vc_name, reason);
    }

    /// Units of each connection that were accepted so far.
    pub(super) fn accepted(&self) -> IdVec<VcId, u64> {
        self.stats.vcs().map(|vc| self.stats.accepted(vc)).collect()
    }

    /// Units of `vc` that arrived so far.
    pub(super) fn arrived_of(&self, vc: VcId) -> u64 {
        self.stats.arrived(vc)
    }

    /// Units of `vc` that were accepted so far.
    pub(super) fn accepted_of(&self, vc: VcId) -> u64 {
        self.stats.accepted(vc)
    }

    /// Takes back arrivals that were counted too early.
    pub(super) fn not_arrived(&mut self, vc: VcId, units: u64) {
        self.stats.not_arrived(vc, units);
    }

    /// The port's record at `now`: `name` is the port's, `names` are those of the connections that cross it,
    /// `waiting` are the waiting units with the ticks at which they will depart.
    pub(super) fn record(
        &self,
        now: Time,
        name: &str,
        names: impl Iterator<Item = Arc<str>>,
        waiting: impl Iterator<Item = (VcId, u64)>,
    ) -> PortRecord {
        let tick = u128::from(self.tick.as_ps());
        let of_vc = |vc| *self.stats.waited(vc);
        // What lies after `now` of the time from now to this tick.
        let ahead = |departs: u64| u128::from(departs) * tick - u128::from(now.as_ps());
        let mut integrals: Vec<u128> = self.stats.vcs().map(|vc| of_vc(vc).waited * tick).collect();
        for (vc, departs) in waiting {
            integrals[vc.index()] -= ahead(departs);
        }
        let until = || self.stats.vcs().map(|vc| u128::from(of_vc(vc).last_departure));
        let active = (until().sum::<u128>() - self.idle) * tick
            - until().map(|until| (until * tick).saturating_sub(now.as_ps().into())).sum::<u128>();
        let waits = self.stats.vcs().zip(integrals).map(|(vc, integral)| {
            let departures = self.stats.accepted(vc) - u64::from(self.buffer.queued_of(vc));
            VcWaits { departures, integral }
        });
        self.stats.record(now, name, names, &self.buffer, active, waits)
    }
}
