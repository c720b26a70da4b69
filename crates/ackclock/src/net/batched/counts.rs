//! What a port of the batched engine counts.
//!
//! A unit's departure is known when it enters, so time integrals are sums over units of the time each waits, and
//! what has not yet passed at the end is taken off again. Time is counted in ticks: slots at a cell port,
//! picoseconds at a packet port.

use crate::ids::{Id, IdVec, VcId};
use crate::queue::Buffer;
use crate::queue::DropReason;
use crate::record::{Drops, Fingerprint, PortRecord, VcRecord};
use crate::units::{Span, Time};

/// The counters of one port.
#[derive(Clone)]
pub(super) struct Counts {
    buffer: Buffer,
    /// Length of a tick.
    tick: Span,
    /// Ticks up to its last departure during which a connection has nothing waiting, of all connections.
    idle: u128,
    drops: Drops,
    /// The whole part of the drop policy's threshold, as far as a buffer can hold: a unit that finds so many others
    /// waiting begins a congestion episode. Without a threshold a number that never wait.
    threshold: u64,
    episodes: u64,
    fingerprint: Fingerprint,
    vcs: IdVec<VcId, VcCounts>,
}

#[derive(Clone, Copy, Default)]
struct VcCounts {
    arrivals: u64,
    drops: u64,
    /// Ticks that the units wait which have entered so far, in all.
    waited: u128,
    /// The last departure of a unit that waits or waited.
    last_departure: u64,
}

const NO_THRESHOLD: u64 = u64::MAX;

impl Counts {
    /// An empty buffer of `capacity` units for the connections numbered below `vcs`. Its drop policy acts above
    /// `threshold` units, if it has one.
    pub(super) fn new(capacity: u32, vcs: usize, threshold: Option<f64>, tick: Span) -> Counts {
        Counts {
            buffer: Buffer::new(capacity, vcs),
            tick,
            idle: 0,
            drops: Drops::default(),
            threshold: threshold.map_or(NO_THRESHOLD, |cells| u64::from(cells as u32)),
            episodes: 0,
            fingerprint: Fingerprint::default(),
            vcs: (0..vcs).map(|_| VcCounts::default()).collect(),
        }
    }

    /// The counters of a port that units passed without waiting, as many of each connection.
    pub(super) fn of_passed(passed: Vec<u64>, threshold: Option<f64>) -> Counts {
        let mut counts = Counts::new(Buffer::INFINITE, passed.len(), threshold, Span::ZERO);
        for (vc, passed) in counts.vcs.iter_mut().zip(passed) {
            vc.arrivals = passed;
        }
        counts
    }

    /// The counters as policies see them.
    #[inline]
    pub(super) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Units of `vc` arrived at the port.
    #[inline]
    pub(super) fn arrive(&mut self, vc: VcId, units: u64) {
        self.vcs[vc].arrivals += units;
    }

    /// At each of `units` ticks from `now` on a unit of `vc` finds `before` others waiting and begins to wait, the
    /// first until tick `departs` and each of the others until one tick later than the one before.
    #[inline(always)]
    pub(super) fn enter(&mut self, vc: VcId, now: u64, departs: u64, units: u32, before: u64) {
        // The queue rises above R if it was at the whole part of R before.
        if self.threshold == before {
            self.episodes += u64::from(units);
        }
        self.buffer.enter_late(vc, units);
        self.buffer.tell(before as u32 + 1);
        let last_departure = &mut self.vcs[vc].last_departure;
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
        debug_assert!(self.threshold == NO_THRESHOLD);
        self.buffer.enter(vc);
        let of_vc = &mut self.vcs[vc];
        of_vc.arrivals += 1;
        of_vc.waited += u128::from(departs - now);
        if now > of_vc.last_departure {
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
        self.episodes += u64::from(self.threshold == before);
        self.buffer.tell(before as u32 + 1);
        let last_departure = &mut self.vcs[vc].last_departure;
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

    /// The same for several, while how many are left has to be told with [`Counts::tell`].
    #[inline]
    pub(super) fn leave_late(&mut self, vc: VcId, units: u32) {
        self.buffer.leave_late(vc, units);
    }

    /// So many units wait.
    #[inline]
    pub(super) fn tell(&mut self, waiting: u64) {
        self.buffer.tell(waiting as u32);
    }

    /// Units of `vc` that entered wait so many ticks, in all.
    #[inline]
    pub(super) fn wait(&mut self, vc: VcId, ticks: u64) {
        self.vcs[vc].waited += u128::from(ticks);
    }

    /// An arrived unit of the connection whose name hashes to `vc_name` is refused.
    #[cold]
    pub(super) fn refuse(&mut self, now: Time, vc: VcId, vc_name: u64, reason: DropReason) {
        self.vcs[vc].drops += 1;
        reason.count(&mut self.drops);
        self.fingerprint.add(now.as_ps());
        self.fingerprint.add(vc_name);
        self.fingerprint.add(reason as u64);
    }

    /// Units of each connection that were accepted so far.
    pub(super) fn accepted(&self) -> IdVec<VcId, u64> {
        self.vcs.iter().map(|vc| vc.arrivals - vc.drops).collect()
    }

    /// Units of `vc` that were accepted so far.
    pub(super) fn accepted_of(&self, vc: VcId) -> u64 {
        self.vcs[vc].arrivals - self.vcs[vc].drops
    }

    /// Takes back arrivals that were counted too early.
    pub(super) fn not_arrived(&mut self, vc: VcId, units: u64) {
        self.vcs[vc].arrivals -= units;
    }

    /// The port's record at `now`: `name` is the port's, `vcs` are the names of the connections that cross it,
    /// `waiting` are the waiting units with the ticks at which they will depart.
    pub(super) fn record(
        &self,
        now: Time,
        name: &str,
        vcs: impl Iterator<Item = String>,
        waiting: impl Iterator<Item = (VcId, u64)>,
    ) -> PortRecord {
        let tick = u128::from(self.tick.as_ps());
        // What lies after `now` of the time from now to this tick.
        let ahead = |departs: u64| u128::from(departs) * tick - u128::from(now.as_ps());
        let mut of_vc: Vec<u128> = self.vcs.iter().map(|vc| vc.waited * tick).collect();
        for (vc, departs) in waiting {
            of_vc[vc.index()] -= ahead(departs);
        }
        let whole: u128 = of_vc.iter().sum();
        let until = self.vcs.iter().map(|vc| u128::from(vc.last_departure) * tick);
        let active: u128 = self.vcs.iter().map(|vc| u128::from(vc.last_departure)).sum::<u128>() - self.idle;
        let active = active * tick - until.map(|until| until.saturating_sub(now.as_ps().into())).sum::<u128>();
        let mean = |integral: u128| if now == Time::ZERO { 0.0 } else { integral as f64 / now.as_ps() as f64 };

        let record = |((vc, name), integral): ((VcId, String), u128)| {
            let count = &self.vcs[vc];
            let waiting = u64::from(self.buffer.queued_of(vc));
            VcRecord {
                name,
                arrivals: count.arrivals,
                departures: count.arrivals - count.drops - waiting,
                drops: count.drops,
                mean_queue: mean(integral),
                max_queue: u64::from(self.buffer.max_queued_of(vc)),
                final_queue: waiting,
            }
        };
        let vcs: Vec<VcRecord> = self.vcs.ids().zip(vcs).zip(of_vc).map(record).collect();
        let arrivals = vcs.iter().map(|vc| vc.arrivals).sum();
        let departures = vcs.iter().map(|vc| vc.departures).sum();
        let mut fingerprint = self.fingerprint;
        if arrivals > 0 {
            for word in [arrivals, departures, u64::from(self.buffer.max_queued()), whole as u64] {
                fingerprint.add(word);
            }
        }
        PortRecord {
            name: name.to_owned(),
            arrivals,
            departures,
            drops: self.drops,
            mean_queue: mean(whole),
            max_queue: u64::from(self.buffer.max_queued()),
            final_queue: u64::from(self.buffer.queued()),
            mean_active: mean(active),
            congestion_episodes: (self.threshold != NO_THRESHOLD).then_some(self.episodes),
            vcs,
            fingerprint: fingerprint.value(),
            sojourn: None,
        }
    }
}
