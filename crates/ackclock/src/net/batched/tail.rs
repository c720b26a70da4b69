//! The last port before a host, fed by one packet port of no higher rate and nothing else.
//!
//! Packets come here one after the other, each as long as it takes at the port before, so all that a packet may have
//! to wait for is a longer one just before it, and a buffer with room for that refuses nothing ([`never_refuses`]).
//! So when a packet will be at the host is known as soon as the port before has accepted it: this port is no part of
//! its own, but done in the same step, ahead of time. What it counts must not be ahead: the few packets that wait are
//! counted when their time has come, and how many have arrived is read off the frames on their way to the host.

use std::collections::VecDeque;

use super::counts::Counts;
use super::io::UnderWay;
use crate::ids::{Id, VcId};
use crate::record::PortRecord;
use crate::units::{Rate, Span, Time};

/// A port where packets are ahead of time.
#[derive(Clone)]
pub(super) struct Tail {
    pub(super) place: Place,
    /// When the transmission of the last packet is complete.
    free: Time,
    /// The packets that wait for one before them, from the first that is not known to have left.
    waits: VecDeque<Wait>,
    /// How many of them are known to have arrived.
    entered: usize,
    /// All but arrivals.
    counts: Counts,
}

/// Where such a port is.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) rate: Rate,
    /// Which serializer that is.
    pub(super) serializer: u32,
    /// From the completion of a transmission to the arrival at the host.
    pub(super) lag: Span,
    /// The host: in which group, and by which link.
    pub(super) group: u32,
    pub(super) link: u32,
    /// The port before, of those that advance together.
    pub(super) behind: u32,
    /// The numbers of the crossing connections at that port.
    pub(super) numbers: Vec<VcId>,
}

#[derive(Clone, Copy)]
struct Wait {
    arrives: Time,
    begins: Time,
    vc: VcId,
}

/// Whether a port never has to refuse a packet: it sends the longest in time `longest`, the shortest in `shortest`, and
/// its only input has no higher rate.
///
/// What is transmitted and waiting when a packet arrives, and that packet, take no longer than `longest` together: this
/// holds for the first, and from one to the next no less time goes by than the next one takes.
pub(super) fn never_refuses(buffer: (u32, u64), longest: (Span, u64), shortest: Span) -> bool {
    let (packets, bytes) = buffer;
    u64::from(packets) >= longest.0.as_ps() / shortest.as_ps() && bytes >= 2 * longest.1
}

impl Tail {
    /// An idle port.
    pub(super) fn new(place: Place, counts: Counts) -> Tail {
        Tail { place, free: Time::ZERO, waits: VecDeque::new(), entered: 0, counts }
    }

    /// A packet of connection `vc` arrives and is transmitted in `time`; returns when that is complete. What is before
    /// `now` has happened.
    #[inline(always)]
    pub(super) fn pass(&mut self, now: Time, arrives: Time, time: Span, vc: VcId) -> Time {
        let begins = if self.free <= arrives { arrives } else { self.wait(now, arrives, vc) };
        self.free = begins + time;
        self.free
    }

    /// The record at `now`, of which the port before accepted so many packets of each of its connections; `vcs` says
    /// what these are.
    pub(super) fn record(
        &self,
        now: Time,
        accepted: impl Fn(VcId) -> (VcId, u64),
        under_way: &UnderWay,
        name: &str,
        names: impl Iterator<Item = String>,
    ) -> PortRecord {
        let mut port = self.clone();
        let Place { rate, lag, .. } = self.place;
        port.count_before(now);
        for (place, &number) in self.place.numbers.iter().enumerate() {
            let (vc, accepted) = accepted(number);
            // What begins to be transmitted before `now` is at the host by then, or so long after.
            let begins_later =
                |&(time, bytes): &(Time, u32)| time >= now + rate.serialization(u64::from(bytes) * 8) + lag;
            let to_begin = under_way.of(vc).filter(begins_later).count() as u64;
            let vc = VcId::from_index(place);
            let arrivals = accepted - to_begin + u64::from(port.counts.buffer().queued_of(vc));
            port.counts.arrive(vc, arrivals);
        }
        let waiting = port.waits.iter().take(port.entered).map(|wait| (wait.vc, wait.begins.as_ps()));
        port.counts.record(now, name, names, waiting)
    }

    /// The packet has to wait for the one before it; returns for how long.
    #[inline(never)]
    fn wait(&mut self, now: Time, arrives: Time, vc: VcId) -> Time {
        self.count_before(now);
        self.waits.push_back(Wait { arrives, begins: self.free, vc });
        self.free
    }

    /// Counts what waits before `now`.
    fn count_before(&mut self, now: Time) {
        loop {
            let leaves = self.waits.front().filter(|_| self.entered > 0).map_or(Time::NEVER, |wait| wait.begins);
            let enters = self.waits.get(self.entered).map_or(Time::NEVER, |wait| wait.arrives);
            if leaves.min(enters) >= now {
                break;
            }
            // At one instant departures come first.
            let place = if leaves <= enters { 0 } else { self.entered };
            let Wait { arrives, begins, vc } = self.waits[place];
            if leaves <= enters {
                self.waits.pop_front();
                self.entered -= 1;
                self.counts.leave(vc);
            } else {
                self.entered += 1;
                let before = u64::from(self.counts.buffer().queued());
                self.counts.enter(vc, arrives.as_ps(), begins.as_ps(), 1, before);
                self.counts.wait(vc, begins.since(arrives).as_ps());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SHORTEST: u64 = 40;
    const LONGEST: u64 = 300;

    fn time(bytes: u64) -> Span {
        Span::from_ps(10 * bytes)
    }

    proptest! {
        /// Packets that come one after the other, at the same rate: those that wait when one arrives leave it room.
        #[test]
        fn a_port_that_never_refuses_has_room(
            packets in 7_u32..10,
            sizes in prop::collection::vec(prop_oneof![SHORTEST..=LONGEST, Just(SHORTEST), Just(LONGEST)], 1..100),
        ) {
            prop_assert!(never_refuses((packets, u64::MAX), (time(LONGEST), LONGEST), time(SHORTEST)));
            let (mut arrives, mut free, mut begun) = (Time::ZERO, Time::ZERO, Vec::new());
            for bytes in sizes {
                arrives += time(bytes);
                let waiting = begun.iter().filter(|&&begins| begins > arrives).count();
                prop_assert!(free <= arrives || waiting < packets as usize, "{waiting} wait");
                let begins = free.max(arrives);
                free = begins + time(bytes);
                begun.push(begins);
            }
        }
    }

    #[test]
    fn a_short_buffer_may_have_to_refuse() {
        let never = |packets, bytes| never_refuses((packets, bytes), (time(LONGEST), LONGEST), time(SHORTEST));
        assert!(never(7, u64::MAX) && !never(6, u64::MAX));
        assert!(never(u32::MAX, 600) && !never(u32::MAX, 599));
    }
}
