//! The rates that a last-hop port gives to TCP flows. It is known ahead of time when packets arrive there, so they are counted by the
//! averaging interval in which they arrive, until it ends.

use std::collections::VecDeque;

use crate::ids::VcId;
use crate::net::batched::io::Io;
use crate::net::batched::packets::port_feedback::PortRates;
use crate::net::feedback::PacketRates;
use crate::units::{Span, Time};

/// The rates of a last-hop port, and what they are computed from.
pub(in crate::net::batched) struct LastHopRates {
    rates: PortRates,
    /// None if the algorithm has no intervals: such rates are always the same.
    interval: Option<Span>,
    /// What arrives in intervals that have not ended, in order.
    arrivals: VecDeque<Arrivals>,
    /// The end of the interval of the last of them.
    last_end: Time,
    /// Packets that have to wait, from the first that waited when the last interval ended, in order.
    waits: VecDeque<Wait>,
}

/// Packets of one connection that arrive one after the other in one interval.
#[derive(Clone, Copy)]
struct Arrivals {
    /// The end of the interval.
    end: Time,
    vc: VcId,
    bytes: u64,
}

/// A packet that has to wait for a longer one before it.
#[derive(Clone, Copy)]
struct Wait {
    arrives: Time,
    begins: Time,
    bytes: u32,
}

impl LastHopRates {
    /// Rates of a port at which nothing has arrived.
    pub(in crate::net::batched) fn new(rates: PortRates) -> LastHopRates {
        let (interval, arrivals, waits) = (rates.rates().interval(), VecDeque::new(), VecDeque::new());
        LastHopRates { rates, interval, arrivals, last_end: Time::ZERO, waits }
    }

    /// Whether they are computed from what arrives.
    pub(in crate::net::batched) fn count(&self) -> bool {
        self.interval.is_some()
    }

    /// The algorithm.
    pub(in crate::net::batched) fn rates(&self) -> &PacketRates {
        self.rates.rates()
    }

    /// When the interval ends that runs.
    pub(in crate::net::batched) fn interval_end(&self) -> Time {
        self.rates.interval_end()
    }

    /// A packet will arrive, after those before, and its transmission will begin.
    #[inline(always)]
    pub(in crate::net::batched) fn pass(&mut self, arrives: Time, begins: Time, vc: VcId, bytes: u32) {
        if begins > arrives {
            self.waits.push_back(Wait { arrives, begins, bytes });
        }
        match self.arrivals.back_mut() {
            Some(last) if arrives < self.last_end && last.vc == vc => last.bytes += u64::from(bytes),
            _ => self.add(arrives, vc, bytes),
        }
    }

    #[inline(never)]
    fn add(&mut self, arrives: Time, vc: VcId, bytes: u32) {
        // Interval k ends at k·T.
        let interval = self.interval.expect("it counts what arrives").as_ps();
        self.last_end = Time::from_ps((arrives.as_ps() / interval + 1).saturating_mul(interval));
        self.arrivals.push_back(Arrivals { end: self.last_end, vc, bytes: bytes.into() });
    }

    /// The interval ends; all that arrives in it is known.
    pub(in crate::net::batched) fn end_interval(&mut self, io: &mut Io) {
        let end = self.interval_end();
        while let Some((vc, bytes)) = self.take_arrivals(end) {
            self.rates.on_arrival(end, vc, bytes);
        }
        let queued = self.queued_at(end);
        self.rates.end_interval(queued, io);
    }

    /// The next of the packets that arrived in the interval that ends then.
    fn take_arrivals(&mut self, end: Time) -> Option<(VcId, u64)> {
        let Arrivals { vc, bytes, .. } = *self.arrivals.front().filter(|arrivals| arrivals.end == end)?;
        self.arrivals.pop_front();
        Some((vc, bytes))
    }

    /// How many bytes wait then. At one instant departures come first, and arrivals last.
    fn queued_at(&mut self, now: Time) -> u64 {
        while self.waits.front().is_some_and(|packet| packet.begins <= now) {
            self.waits.pop_front();
        }
        self.waits.iter().take_while(|packet| packet.arrives < now).map(|packet| u64::from(packet.bytes)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atm::rate::{ALGORITHMS, Port, Unit};
    use crate::ids::Id;
    use crate::keys::Values;
    use crate::units::Rate;

    /// Of two connections, with intervals of 5 ms.
    fn rates() -> LastHopRates {
        let algorithm = ALGORITHMS.iter().find(|algorithm| algorithm.name == "simplified-erica-plus").unwrap();
        let algorithm = (algorithm.params)(&Values::defaults(algorithm.keys)).unwrap();
        let rate = Rate::from_bps(8_000_000).unwrap();
        let port = Port { rate, unit: Unit::Byte, connections: 2, max_min: &|_| vec![], openings: &[] };
        let rates = PacketRates::new(&algorithm, &port, ("a->b", 1), vec![Some(0), Some(1)]);
        LastHopRates::new(PortRates::new(Box::new(rates), None))
    }

    fn us(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    fn arrivals(rates: &mut LastHopRates, end: Time) -> Vec<(usize, u64)> {
        std::iter::from_fn(|| rates.take_arrivals(end)).map(|(vc, bytes)| (vc.index(), bytes)).collect()
    }

    #[test]
    fn packets_count_in_the_interval_in_which_they_arrive() {
        let mut rates = rates();
        for (arrives, vc) in [(1, 0), (2, 0), (3, 1), (4999, 0), (5000, 0), (5001, 0), (20_000, 1)] {
            rates.pass(us(arrives), us(arrives), VcId::from_index(vc), 100);
        }
        assert_eq!(arrivals(&mut rates, us(5000)), [(0, 200), (1, 100), (0, 100)]);
        assert_eq!(arrivals(&mut rates, us(10_000)), [(0, 200)], "what arrives at an end is of the next interval");
        assert_eq!(arrivals(&mut rates, us(15_000)), []);
        assert_eq!(arrivals(&mut rates, us(25_000)), [(1, 100)]);
    }

    #[test]
    fn what_has_arrived_and_not_begun_is_queued() {
        let mut rates = rates();
        for (arrives, begins, bytes) in [(10, 10, 1), (20, 30, 2), (30, 40, 4), (40, 50, 8), (50, 60, 16)] {
            rates.pass(us(arrives), us(begins), VcId::from_index(0), bytes);
        }
        let queued = [20, 21, 30, 31, 50, 70].map(|now| rates.queued_at(us(now)));
        assert_eq!(queued, [0, 2, 0, 4, 0, 0]);
    }
}
