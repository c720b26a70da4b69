//! The last port before a host, fed by one packet port of no higher rate and nothing else.
//!
//! Packets come here one after the other, each as long as it takes at the port before, so all that a packet may have
//! to wait for is a longer one just before it, and a buffer with room for that refuses nothing (`net/last_hops.rs`).
//! So when a packet will be at the host is known as soon as the port before has accepted it: this port is no process of
//! its own, but done in the same step, ahead of time. What it counts must not be ahead: the few packets that wait are
//! counted when their time has come, and how many have arrived is read off the frames on their way to the host.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::ids::{Id, VcId};
use crate::net::batched::fifo_monitor::FifoMonitor;
use crate::net::batched::io::{Arrival, Io, UnderWay};
use crate::net::batched::packets::last_hop_rates::LastHopRates;
use crate::net::batched::packets::port_feedback::PortRates;
use crate::net::batched::packets::serializer::{LastTime, Serializers};
use crate::net::link::AFTER_ALL;
use crate::net::port_stats;
use crate::queue::Buffer;
use crate::record::PortRecord;
use crate::units::{Rate, Span, Time};

/// The last-hop ports behind ports that advance together.
#[derive(Default)]
pub(in crate::net::batched) struct LastHopPorts {
    all: Vec<LastHopPort>,
    /// What last-hop ports have in common with those before them: mostly all of them.
    kinds: Vec<Kind>,
    /// Of those that give rates, if there are some.
    rated: Option<Box<Rated>>,
}

/// The last-hop ports that give rates.
struct Rated {
    /// Their numbers.
    ports: Vec<u32>,
    /// When the first of their averaging intervals ends.
    interval_end: Time,
    /// What arrives there so long after an instant is known when the ports before have reached it.
    lag: Span,
}

/// A port where packets are ahead of time. There may be two for each flow, and at most of them nothing ever waits.
pub(in crate::net::batched) struct LastHopPort {
    kind: u32,
    /// By which link it leads to the host.
    pub(in crate::net::batched) link: u32,
    /// The port before, of those that advance together.
    pub(in crate::net::batched) behind: u32,
    /// How many connections cross it.
    connections: u32,
    /// When the transmission of the last packet is complete.
    free: Time,
    /// Not there before the first packet has to wait.
    waits: Option<Box<Waits>>,
    /// What it gives to senders of TCP, if it does.
    rates: Option<Box<LastHopRates>>,
}

/// Where last-hop ports lead.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::net::batched) struct Kind {
    pub(in crate::net::batched) rate: Rate,
    /// Which serializer has that rate.
    pub(in crate::net::batched) serializer: u32,
    pub(in crate::net::batched) last_time: LastTime,
    /// From the completion of a transmission to the arrival at the host.
    pub(in crate::net::batched) lag: Span,
    /// An inbox of the host's group.
    pub(in crate::net::batched) inbox: u32,
}

/// The packets that have to wait for one before them.
#[derive(Clone)]
struct Waits {
    /// From the first that is not known to have left.
    queue: VecDeque<Wait>,
    /// How many of them are known to have arrived.
    entered: usize,
    /// All but arrivals.
    monitor: FifoMonitor,
}

#[derive(Clone, Copy)]
struct Wait {
    arrives: Time,
    begins: Time,
    vc: VcId,
}

impl LastHopPorts {
    /// Room for so many.
    pub(in crate::net::batched) fn with_capacity(last_hops: usize) -> LastHopPorts {
        LastHopPorts { all: Vec::with_capacity(last_hops), kinds: Vec::new(), rated: None }
    }

    /// Adds an idle port that leads to a host by `link`; the port before it is `behind`, and so many connections cross
    /// it.
    pub(in crate::net::batched) fn push(&mut self, kind: Kind, link: u32, behind: u32, connections: u32) {
        if self.kinds.last() != Some(&kind) {
            self.kinds.push(kind);
        }
        let kind = self.kinds.len() as u32 - 1;
        self.all.push(LastHopPort { kind, link, behind, connections, free: Time::ZERO, waits: None, rates: None });
    }

    /// The last one gives rates from now on. A packet takes so long to it from the end of its transmission at the port before.
    pub(in crate::net::batched) fn give_rates(&mut self, rates: PortRates, lag: Span) {
        let number = self.all.len() as u32 - 1;
        let rates = Box::new(LastHopRates::new(rates));
        let none = || Box::new(Rated { ports: Vec::new(), interval_end: Time::NEVER, lag });
        let rated = self.rated.get_or_insert_with(none);
        rated.ports.push(number);
        rated.interval_end = rated.interval_end.min(rates.interval_end());
        rated.lag = rated.lag.min(lag);
        self.all[number as usize].rates = Some(rates);
    }

    /// When the first of their averaging intervals ends; never if they give no rates.
    pub(in crate::net::batched) fn interval_end(&self) -> Time {
        self.rated.as_ref().map_or(Time::NEVER, |rated| rated.interval_end)
    }

    /// Where the ports before have to be for it to end, if it does before the engine stops.
    pub(in crate::net::batched) fn next_end(&self, io: &Io) -> Time {
        let rated = self.rated.as_ref().filter(|rated| rated.interval_end < io.until);
        rated.map_or(Time::NEVER, |rated| rated.interval_end.saturating_sub(rated.lag))
    }

    /// The ports before have reached `clock`: intervals end in which nothing can arrive any more.
    #[inline]
    pub(in crate::net::batched) fn end_intervals(&mut self, clock: Time, io: &mut Io) {
        if let Some(rated) = &mut self.rated {
            rated.end_intervals(&mut self.all, clock, io);
        }
    }

    /// Whether rates of one of them depend on what arrives there.
    #[inline(always)]
    pub(in crate::net::batched) fn counts(&self, last_hop: u32) -> bool {
        self.rated.is_some() && self.all[last_hop as usize].rates.as_ref().is_some_and(|rates| rates.count())
    }

    /// One of them, and its kind, for packets to pass.
    #[inline]
    pub(in crate::net::batched) fn get_mut(&mut self, last_hop: u32) -> (&mut LastHopPort, &mut Kind) {
        let last_hop = &mut self.all[last_hop as usize];
        let kind = &mut self.kinds[last_hop.kind as usize];
        (last_hop, kind)
    }

    /// One of them, and its kind.
    pub(in crate::net::batched) fn get(&self, last_hop: u32) -> (&LastHopPort, &Kind) {
        let last_hop = &self.all[last_hop as usize];
        (last_hop, &self.kinds[last_hop.kind as usize])
    }
}

impl Rated {
    #[inline(never)]
    fn end_intervals(&mut self, all: &mut [LastHopPort], clock: Time, io: &mut Io) {
        let known = clock.saturating_add(self.lag);
        while self.interval_end <= known && self.interval_end < io.until {
            let mut next = Time::NEVER;
            for &port in &self.ports {
                let rates = all[port as usize].rates.as_mut().expect("it gives rates");
                if rates.interval_end() == self.interval_end {
                    rates.end_interval(io);
                }
                next = next.min(rates.interval_end());
            }
            self.interval_end = next;
        }
    }
}

impl LastHopPort {
    /// The rates that it gives, if it does.
    pub(in crate::net::batched) fn rates(&self) -> Option<&LastHopRates> {
        self.rates.as_deref()
    }

    /// A packet of connection `vc` that is at the port before now arrives here at `arrives`; returns when it will be at
    /// the host. What is before now has happened. `counts` is what [`LastHopPorts::counts`] says.
    #[inline(always)]
    pub(in crate::net::batched) fn pass(
        &mut self,
        kind: &mut Kind,
        packet: &Arrival,
        arrives: Time,
        vc: VcId,
        serializers: &mut Serializers,
        counts: bool,
    ) -> Time {
        let begins = if self.free <= arrives { arrives } else { self.wait(packet.time, arrives, vc) };
        self.free = begins + kind.last_time.of(kind.serializer, packet.size, serializers);
        if counts && let Some(rates) = &mut self.rates {
            rates.pass(arrives, begins, vc, packet.size);
        }
        self.free + kind.lag
    }

    /// The record at `now`, if the port before accepted so many packets of each of the connections; `names` are theirs.
    pub(in crate::net::batched) fn record(
        &self,
        kind: &Kind,
        now: Time,
        accepted: impl Iterator<Item = (VcId, u64)>,
        under_way: &UnderWay,
        name: &str,
        names: impl Iterator<Item = Arc<str>>,
    ) -> PortRecord {
        let departures = accepted.map(|(vc, accepted)| {
            // What begins to be transmitted before `now` is at the host by then, or so long after.
            let takes = |bytes: u32| kind.rate.serialization(u64::from(bytes) * 8) + kind.lag;
            let begins_later = |&(time, bytes): &(Time, u32)| time >= now + takes(bytes);
            accepted - under_way.of(vc).filter(begins_later).count() as u64
        });
        let Some(mut waits) = self.waits.as_deref().cloned() else {
            return port_stats::passed(name, names.zip(departures), false);
        };
        waits.count_before(now);
        for (place, departures) in departures.enumerate() {
            let vc = VcId::from_index(place);
            waits.monitor.arrive(vc, departures + u64::from(waits.monitor.buffer().queued_of(vc)));
        }
        let waiting = waits.queue.iter().take(waits.entered).map(|wait| (wait.vc, wait.begins.as_ps()));
        waits.monitor.record(now, name, names, waiting)
    }

    /// The packet has to wait for the one before it; returns for how long.
    #[inline(never)]
    fn wait(&mut self, now: Time, arrives: Time, vc: VcId) -> Time {
        let waits = self.waits.get_or_insert_with(|| Box::new(Waits::none(self.connections)));
        waits.count_before(now);
        waits.queue.push_back(Wait { arrives, begins: self.free, vc });
        self.free.min(AFTER_ALL)
    }
}

impl Waits {
    /// Nothing waits, of so many connections.
    fn none(connections: u32) -> Waits {
        // Nothing is ever refused, so the size of the buffer does not matter.
        let monitor = FifoMonitor::new(Buffer::INFINITE, connections as usize, None, Span::from_ps(1));
        Waits { queue: VecDeque::new(), entered: 0, monitor }
    }

    /// FifoMonitor what waits before `now`.
    fn count_before(&mut self, now: Time) {
        loop {
            let leaves = self.queue.front().filter(|_| self.entered > 0).map_or(Time::NEVER, |wait| wait.begins);
            let enters = self.queue.get(self.entered).map_or(Time::NEVER, |wait| wait.arrives);
            if leaves.min(enters) >= now {
                break;
            }
            // At one instant departures come first.
            let place = if leaves <= enters { 0 } else { self.entered };
            let Wait { arrives, begins, vc } = self.queue[place];
            if leaves <= enters {
                self.queue.pop_front();
                self.entered -= 1;
                self.monitor.leave(vc);
            } else {
                self.entered += 1;
                let before = u64::from(self.monitor.buffer().queued());
                self.monitor.enter(vc, arrives.as_ps(), begins.as_ps(), 1, before);
                self.monitor.wait(vc, begins.since(arrives).as_ps());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::last_hops::never_refuses;
    use proptest::prelude::*;

    const SHORTEST: u64 = 40;
    const LONGEST: u64 = 300;

    fn time(bytes: u64) -> Span {
        Span::from_ps(10 * bytes)
    }

    proptest! {
        /// Packets that come one after the other, at the same rate or a lower one: those that wait when one arrives leave
        /// it room.
        #[test]
        fn a_port_that_never_refuses_has_room(
            slower in 1_u64..12,
            sizes in prop::collection::vec(prop_oneof![SHORTEST..=LONGEST, Just(SHORTEST), Just(LONGEST)], 1..100),
        ) {
            let never_refuses = |&packets: &u32| {
                never_refuses((packets, u64::MAX), (time(LONGEST), LONGEST), time(slower * SHORTEST))
            };
            let packets = (1..10).find(never_refuses).expect("eight at most");
            let (mut arrives, mut free, mut begun) = (Time::ZERO, Time::ZERO, Vec::new());
            for bytes in sizes {
                arrives += time(slower * bytes);
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
        let never =
            |packets, bytes, slower| never_refuses((packets, bytes), (time(LONGEST), LONGEST), time(slower * SHORTEST));
        assert!(never(8, u64::MAX, 1) && !never(7, u64::MAX, 1));
        assert!(never(4, u64::MAX, 2) && !never(3, u64::MAX, 2));
        assert!(never(u32::MAX, 600, 1) && !never(u32::MAX, 599, 1));
    }
}
