//! What every port counts, in both engines: arrivals and drops, congestion episodes, the fingerprint; and the record made of
//! that and of how long units waited.
//!
//! How long units waited is measured in two ways: as time passes (`queue_monitor.rs`), and ahead of time where departures are known
//! when units enter (`batched/fifo_monitor.rs`). That both agree to the last unit and picosecond is what the tests of the engines compare.

use std::sync::Arc;

use crate::ids::{IdVec, VcId};
use crate::queue::{Buffer, DropReason};
use crate::record::{Drops, Fingerprint, PortRecord, PortTallies, VcRecord};
use crate::units::Time;

/// The counters of one port; `W` is what is known of how long the units of one connection waited.
#[derive(Clone, Debug)]
pub(super) struct PortStats<W> {
    vcs: IdVec<VcId, VcStats<W>>,
    drops: Drops,
    pub(super) tallies: PortTallies,
    /// The whole part of the drop policy's threshold, as far as a buffer can hold: a unit that finds so many others
    /// waiting begins a congestion episode. Without a threshold a number that never wait.
    threshold: u64,
    episodes: u64,
    fingerprint: Fingerprint,
}

#[derive(Clone, Copy, Debug, Default)]
struct VcStats<W> {
    arrivals: u64,
    drops: u64,
    waited: W,
}

/// How long the units of one connection have waited.
pub(super) struct VcWaits {
    /// Units that were transmitted.
    pub(super) departures: u64,
    /// Units waiting, over time: units times picoseconds.
    pub(super) integral: u128,
}

const NO_THRESHOLD: u64 = u64::MAX;

/// The record of a port that units passed without waiting, so many of each connection. No drop policy ever acted.
pub(super) fn passed(name: &str, vcs: impl Iterator<Item = (Arc<str>, u64)>, has_threshold: bool) -> PortRecord {
    let of_vc = |(name, passed)| VcRecord {
        name,
        arrivals: passed,
        departures: passed,
        drops: 0,
        mean_queue: 0.0,
        max_queue: 0,
        final_queue: 0,
    };
    let vcs: Vec<VcRecord> = vcs.map(of_vc).collect();
    let passed = vcs.iter().map(|vc| vc.arrivals).sum();
    PortRecord {
        name: name.to_owned(),
        arrivals: passed,
        departures: passed,
        drops: Drops::default(),
        tallies: PortTallies::default(),
        mean_queue: 0.0,
        max_queue: 0,
        final_queue: 0,
        mean_active: 0.0,
        congestion_episodes: has_threshold.then_some(0),
        rates: None,
        feedback: None,
        vcs,
        fingerprint: with_counters(Fingerprint::default(), passed, passed, 0, 0),
        sojourn: None,
    }
}

/// The fingerprint of a port with its counters, if anything came.
fn with_counters(mut refused: Fingerprint, arrivals: u64, departures: u64, max_queue: u64, waited: u64) -> u64 {
    if arrivals > 0 {
        [arrivals, departures, max_queue, waited].into_iter().for_each(|word| refused.add(word));
    }
    refused.value()
}

impl<W: Default> PortStats<W> {
    /// Nothing has happened, to the connections numbered below `vcs`. The drop policy acts above `threshold` units, if it has
    /// one.
    pub(super) fn new(vcs: usize, threshold: Option<f64>) -> PortStats<W> {
        PortStats {
            vcs: (0..vcs).map(|_| VcStats::default()).collect(),
            drops: Drops::default(),
            tallies: PortTallies::default(),
            threshold: threshold.map_or(NO_THRESHOLD, |units| u64::from(units as u32)),
            episodes: 0,
            fingerprint: Fingerprint::default(),
        }
    }
}

impl<W> PortStats<W> {
    /// Units of `vc` arrived at the port.
    #[inline(always)]
    pub(super) fn arrive(&mut self, vc: VcId, units: u64) {
        self.vcs[vc].arrivals += units;
    }

    /// A unit of `vc` arrived at the port: what is known of how long those of its connection waited, to be changed.
    #[inline(always)]
    pub(super) fn arrive_to(&mut self, vc: VcId) -> &mut W {
        let of_vc = &mut self.vcs[vc];
        of_vc.arrivals += 1;
        &mut of_vc.waited
    }

    /// Takes back arrivals that were counted too early.
    pub(super) fn not_arrived(&mut self, vc: VcId, units: u64) {
        self.vcs[vc].arrivals -= units;
    }

    /// Each of so many units finds `before` others waiting, and begins to wait.
    #[inline(always)]
    pub(super) fn rise(&mut self, before: u64, units: u32) {
        // The queue rises above R if it was at the whole part of R before.
        if self.threshold == before {
            self.episodes += u64::from(units);
        }
    }

    /// Whether the drop policy has a threshold.
    #[inline]
    pub(super) fn has_threshold(&self) -> bool {
        self.threshold != NO_THRESHOLD
    }

    /// An arrived unit of the connection whose name hashes to `vc_name` is refused, or dropped later.
    pub(super) fn drop_unit(&mut self, now: Time, vc: VcId, vc_name: u64, reason: DropReason) {
        self.vcs[vc].drops += 1;
        reason.count(&mut self.drops);
        self.fingerprint.add(now.as_ps());
        self.fingerprint.add(vc_name);
        self.fingerprint.add(reason as u64);
    }

    /// Units of `vc` that arrived.
    pub(super) fn arrived(&self, vc: VcId) -> u64 {
        self.vcs[vc].arrivals
    }

    /// Units of `vc` that arrived and were not dropped.
    #[inline]
    pub(super) fn accepted(&self, vc: VcId) -> u64 {
        self.vcs[vc].arrivals - self.vcs[vc].drops
    }

    /// How long units of `vc` waited, as far as that is known.
    #[inline(always)]
    pub(super) fn waited(&self, vc: VcId) -> &W {
        &self.vcs[vc].waited
    }

    /// What a connection has waited, to be changed.
    #[inline(always)]
    pub(super) fn waited_mut(&mut self, vc: VcId) -> &mut W {
        &mut self.vcs[vc].waited
    }

    /// The connections that cross the port.
    pub(super) fn vcs(&self) -> impl Iterator<Item = VcId> + use<W> {
        self.vcs.ids()
    }

    /// The port's record at `now`: `name` is the port's, `names` are those of the connections that cross it, `waits` how long
    /// the units of each waited, and `active` how many connections had something in the buffer, over time.
    pub(super) fn record(
        &self,
        now: Time,
        name: &str,
        names: impl Iterator<Item = Arc<str>>,
        buffer: &Buffer,
        active: u128,
        waits: impl Iterator<Item = VcWaits>,
    ) -> PortRecord {
        let mean = |integral: u128| if now == Time::ZERO { 0.0 } else { integral as f64 / now.as_ps() as f64 };
        let mut whole = 0;
        let of_vc = |((vc, name), VcWaits { departures, integral }): ((VcId, Arc<str>), VcWaits)| {
            whole += integral;
            VcRecord {
                name,
                arrivals: self.vcs[vc].arrivals,
                departures,
                drops: self.vcs[vc].drops,
                mean_queue: mean(integral),
                max_queue: u64::from(buffer.max_queued_of(vc)),
                final_queue: u64::from(buffer.queued_of(vc)),
            }
        };
        let vcs: Vec<VcRecord> = self.vcs.ids().zip(names).zip(waits).map(of_vc).collect();
        let (arrivals, departures) = (vcs.iter().map(|vc| vc.arrivals).sum(), vcs.iter().map(|vc| vc.departures).sum());
        let max_queue = u64::from(buffer.max_queued());
        PortRecord {
            name: name.to_owned(),
            arrivals,
            departures,
            drops: self.drops,
            tallies: self.tallies,
            mean_queue: mean(whole),
            max_queue,
            final_queue: u64::from(buffer.queued()),
            mean_active: mean(active),
            congestion_episodes: self.has_threshold().then_some(self.episodes),
            rates: None,
            feedback: None,
            vcs,
            fingerprint: with_counters(self.fingerprint, arrivals, departures, max_queue, whole as u64),
            sojourn: None,
        }
    }
}
