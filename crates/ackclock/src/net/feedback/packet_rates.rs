//! The rate algorithm of a packet port: it counts bytes on the wire, and when an interval ends it gives each flow a rate.
//! Source: \[RATE-CONTROL\] §5.
//!
//! Interval k ends at k·T, after what departs at that instant and before what arrives.

use super::group_rates::GroupRates;
use super::session_rates::SessionRates;
use crate::atm::rate::{Port, RateAlgorithm, RateAllocator, Unit};
use crate::ids::{Id, VcId};
use crate::net::abr::RateTrace;
use crate::units::{Span, Time};

/// A rate algorithm at a packet port, and its clock.
#[derive(Clone)]
pub(in crate::net) struct PacketRates {
    allocator: Box<dyn RateAllocator>,
    /// Whether it may be told at the end of an interval what arrived in it.
    is_told_late: bool,
    /// T; none if the algorithm has no intervals.
    interval: Option<Span>,
    interval_end: Time,
    /// For each connection of the port its number among those that get rates.
    sessions: Vec<Option<usize>>,
    /// Bytes of others in this interval.
    other_bytes: u64,
    /// What it says to these, in bytes per second; to groups of them, if there are any.
    of_sessions: SessionRates,
    groups: Option<Box<GroupRates>>,
    /// What it offers over time, if that is recorded.
    trace: Option<RateTrace>,
}

impl PacketRates {
    /// An algorithm at a port of this name, under this seed; `sessions` says which of its connections get rates.
    pub(in crate::net) fn new(
        algorithm: &RateAlgorithm,
        port: &Port<'_>,
        (name, seed): (&str, u64),
        sessions: Vec<Option<usize>>,
    ) -> PacketRates {
        let interval = algorithm.interval();
        let mut allocator = algorithm.start(port, name, seed);
        PacketRates {
            is_told_late: allocator.efci_threshold().is_some(),
            of_sessions: SessionRates::new(&mut *allocator, port.connections, interval),
            allocator,
            interval,
            interval_end: interval.map_or(Time::NEVER, |interval| Time::ZERO + interval),
            other_bytes: 0,
            sessions,
            groups: None,
            trace: None,
        }
    }

    /// From now on the algorithm gives rates to groups of sessions: of each session the number of its group.
    pub(in crate::net) fn form_groups(&mut self, of_sessions: Vec<usize>) {
        let known = self.interval.is_none();
        self.groups = Some(Box::new(GroupRates::new(of_sessions, self.of_sessions.rates(), known)));
    }

    /// Records from now on what it offers over time.
    pub(in crate::net) fn record_allocation(&mut self) {
        self.trace = Some(RateTrace::default());
    }

    /// What it offered over time, if that is recorded.
    pub(in crate::net) fn allocations(&self) -> Option<RateTrace> {
        self.trace.clone()
    }

    /// What it offers to a connection that it limits, in bits per second.
    pub(in crate::net) fn allocation(&self) -> Option<f64> {
        Some(self.allocator.allocation()? * Unit::Byte.bits())
    }

    /// The length of an interval; none if the algorithm has no intervals.
    pub(in crate::net) fn interval(&self) -> Option<Span> {
        self.interval
    }

    /// When the interval that runs ends; never if the algorithm has no intervals.
    pub(in crate::net) fn interval_end(&self) -> Time {
        self.interval_end
    }

    /// The rate of each session in bytes per second; infinite while it has none. Where there are groups, then that of each group.
    pub(in crate::net) fn rates(&self) -> &[f64] {
        self.groups.as_ref().map_or(self.of_sessions.rates(), |groups| groups.rates())
    }

    /// Packets with so many bytes arrive, whether or not they enter the queue: one, at `now`, if the algorithm may not be told late.
    #[inline(always)]
    pub(in crate::net) fn on_arrival(&mut self, now: Time, vc: VcId, bytes: u64) {
        let mut session = self.sessions[vc.index()];
        if let Some(groups) = &mut self.groups {
            session = session.map(|session| groups.on_arrival(session));
        }
        if !self.is_told_late {
            self.tell(now, session, bytes);
        }
        match session {
            Some(session) => self.of_sessions.on_arrival(session, bytes),
            None => self.other_bytes += bytes,
        }
    }

    /// Tells the algorithm of bytes of a session or of others that arrive.
    #[inline(never)]
    fn tell(&mut self, now: Time, session: Option<usize>, bytes: u64) {
        match session {
            Some(session) => self.allocator.on_cells(Some(now), session, bytes),
            None => self.allocator.on_other_cells(Some(now), bytes),
        }
    }

    /// The interval ends, while so many bytes wait: there are new rates.
    pub(in crate::net) fn end_interval(&mut self, queued: u64) {
        let interval = self.interval.expect("only what has intervals ends one");
        let other_bytes = std::mem::take(&mut self.other_bytes);
        if self.is_told_late {
            self.allocator.on_other_cells(None, other_bytes);
            for (session, bytes) in self.of_sessions.arrived().filter(|(_, bytes)| *bytes > 0) {
                self.allocator.on_cells(None, session, bytes);
            }
        }
        let now = self.interval_end;
        self.allocator.on_interval_end(now, queued);
        self.of_sessions.end_interval(&mut *self.allocator, now, interval, queued);
        if let Some(groups) = &mut self.groups {
            groups.update(self.of_sessions.rates());
        }
        if let (Some(trace), Some(rate)) = (&mut self.trace, self.allocator.allocation()) {
            trace.change_bits(now, rate * Unit::Byte.bits());
        }
        self.interval_end = now.saturating_add(interval);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atm::rate::ALGORITHMS;
    use crate::keys::Values;
    use crate::units::Rate;
    use proptest::prelude::*;

    fn rates(name: &str) -> PacketRates {
        let algorithm = ALGORITHMS.iter().find(|algorithm| algorithm.name == name).unwrap();
        let algorithm = (algorithm.params)(&Values::defaults(algorithm.keys)).unwrap();
        let rate = Rate::from_bps(8_000_000).unwrap();
        let port = Port {
            rate,
            unit: Unit::Byte,
            connections: 2,
            max_min: &|part| vec![part * 3e5, part * 7e5],
            openings: &[],
        };
        PacketRates::new(&algorithm, &port, ("a->b", 1), vec![None, Some(0), None, Some(1)])
    }

    fn vc(number: usize) -> VcId {
        VcId::from_index(number)
    }

    #[test]
    fn rates_come_at_the_ends_of_intervals_to_those_that_have_sent() {
        let mut rates = rates("simplified-erica-plus");
        assert_eq!(rates.interval_end(), Time::ZERO + Span::from_ms(5));
        rates.on_arrival(Time::ZERO, vc(3), 1000);
        rates.end_interval(0);
        // All of 10^6 bytes per second for the only one.
        assert_eq!(rates.rates(), [f64::INFINITY, 1e6]);
        assert_eq!((rates.allocation(), rates.interval_end()), (Some(8e6), Time::ZERO + Span::from_ms(10)));
    }

    /// 1000 of 5000 bytes are of a flow that gets no rate.
    #[test]
    fn what_gets_no_rate_is_taken_out_of_the_capacity() {
        let mut rates = rates("simplified-erica-plus");
        rates.on_arrival(Time::ZERO, vc(1), 1000);
        rates.on_arrival(Time::ZERO, vc(2), 1000);
        rates.end_interval(0);
        assert_eq!(rates.allocation(), Some(6.4e6));
    }

    /// ERICA shares 0.95 of 10^6 bytes per second; one that sends at 600,000 keeps that over the load.
    #[test]
    fn algorithms_that_read_rates_get_what_is_measured() {
        let mut rates = rates("erica");
        rates.on_arrival(Time::ZERO, vc(1), 3000);
        rates.on_arrival(Time::ZERO, vc(3), 500);
        rates.end_interval(0);
        let load = 700_000.0 / 950_000.0;
        let said: Vec<f64> = rates.rates().iter().map(|rate| rate.round()).collect();
        assert_eq!(said, [(600_000.0_f64 / load).round(), 475_000.0]);
    }

    /// [RATE-CONTROL] §5: no rate changes before an interval ends; then none is more than a tenth above the one before, and one may fall
    /// as far as the load asks: here it fell to less than half.
    #[test]
    fn a_rate_may_fall_at_once() {
        let mut rates = rates("simplified-erica-plus");
        let mut interval = |bytes: [u32; 2], queued| {
            rates.on_arrival(Time::ZERO, vc(1), bytes[0].into());
            rates.on_arrival(Time::ZERO, vc(3), bytes[1].into());
            rates.end_interval(queued);
            rates.rates().to_vec()
        };
        assert_eq!(interval([1000, 0], 0), [1e6, f64::INFINITY]);
        // A queue of 20,000 bytes halves the target; each of two gets half of it.
        assert_eq!(interval([5000, 5000], 20_000)[0], 250_000.0);
    }

    proptest! {
        /// The same of whatever arrives.
        #[test]
        fn rates_stay_until_an_interval_ends_and_rise_by_a_tenth_at_most(
            intervals in prop::collection::vec((prop::collection::vec((0_usize..4, 1_u32..3000), 0..12), 0_u64..40_000), 1..60),
        ) {
            let mut rates = rates("simplified-erica-plus");
            for (arrivals, queued) in intervals {
                let before = rates.rates().to_vec();
                for (number, bytes) in arrivals {
                    rates.on_arrival(Time::ZERO, vc(number), bytes.into());
                    prop_assert_eq!(rates.rates(), &before[..]);
                }
                rates.end_interval(queued);
                for (after, before) in rates.rates().iter().zip(&before) {
                    prop_assert!(*after <= 1.1 * before, "{} after {}", after, before);
                    prop_assert!(after.is_finite() || before.is_infinite(), "a rate that is known stays known");
                }
            }
        }
    }

    /// ERICA would say a rate to whoever asks.
    #[test]
    fn who_has_sent_nothing_has_no_rate() {
        let mut rates = rates("erica");
        rates.on_arrival(Time::ZERO, vc(1), 3000);
        rates.end_interval(0);
        assert_eq!(rates.rates(), [950_000.0, f64::INFINITY]);
    }

    #[test]
    fn fixed_shares_are_known_from_the_start_and_efci_has_no_rates() {
        assert_eq!(rates("max-min").rates(), [0.95 * 3e5, 0.95 * 7e5]);
        assert_eq!(rates("efci").rates(), [f64::INFINITY, f64::INFINITY]);
    }
}
