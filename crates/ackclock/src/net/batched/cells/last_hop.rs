//! The last cell port before a host that gives rates to senders of TCP, fed by one cell port of its rate and nothing else.
//!
//! Cells come here one by one, and each departs at the end of the slot in which it comes. So when one is at the host is known at the
//! port before, this port is no process of its own, and its queue is empty when an averaging interval ends. What is left is to count
//! cells: those that the port before has sent.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::ids::{Id, VcId};
use crate::net::abr::PortRates;
use crate::net::batched::cells::passed::Passed;
use crate::net::batched::cells::rates::CellRates;
use crate::net::batched::io::Io;
use crate::net::port_stats;
use crate::record::PortRecord;
use crate::units::{Span, Time};

/// Such ports, behind one port.
pub(in crate::net::batched) struct LastHopPorts {
    ports: Vec<LastHopPort>,
    /// When the first of them has to know what the port before has sent.
    next_count: Time,
    /// When the first of their averaging intervals ends for whose rates an edge waits.
    next_rates: Time,
}

/// One of them.
pub(in crate::net::batched) struct LastHopPort {
    rates: CellRates,
    slots: Slots,
    /// The numbers of its connections at the port before.
    numbers: Vec<VcId>,
    /// Above how many cells the drop policy acts, which never does.
    threshold: Option<f64>,
    /// The end of the first interval whose cells are not counted yet.
    next_end: Time,
    /// Of each interval that is counted and has not ended, cells of each connection up to its end.
    counted: VecDeque<Vec<u64>>,
}

/// The slots of a port behind another one with slots of the same length.
#[derive(Clone, Copy)]
pub(in crate::net::batched) struct Slots {
    cell_time: Span,
    /// From the slot end at which a cell departs there to its arrival here.
    lag: Span,
}

impl Slots {
    /// Those of a port with this cell time, where cells arrive so long after the slot ends at which they depart from the port before.
    pub(in crate::net::batched) fn new(cell_time: Span, lag: Span) -> Slots {
        Slots { cell_time, lag }
    }

    /// From the slot end at which a cell departs from the port before to that at which it departs here.
    pub(in crate::net::batched) fn to_departure(self) -> Span {
        self.cell_time * (self.lag / self.cell_time + 1)
    }

    /// What departs here before `now` departs from the port before until, and not at, this instant.
    fn departs_before(self, now: Time) -> Time {
        now.saturating_sub(self.to_departure())
    }
}

impl LastHopPort {
    /// The port with these rates and slots, and the numbers of its connections at the port before.
    pub(in crate::net::batched) fn new(
        rates: CellRates,
        slots: Slots,
        numbers: Vec<VcId>,
        threshold: Option<f64>,
    ) -> LastHopPort {
        let next_end = rates.interval_end();
        LastHopPort { rates, slots, numbers, threshold, next_end, counted: VecDeque::new() }
    }

    /// The rates that it gives.
    pub(in crate::net::batched) fn rates(&self) -> &PortRates {
        self.rates.rates()
    }

    /// The record at `now`, if this has passed the port before.
    pub(in crate::net::batched) fn record(
        &self,
        passed: &Passed,
        now: Time,
        name: &str,
        names: impl Iterator<Item = Arc<str>>,
    ) -> PortRecord {
        let to_departure = self.slots.to_departure();
        let passed = self.numbers.iter().map(|&number| passed.of(number, to_departure, now));
        port_stats::passed(name, names.zip(passed), self.threshold.is_some())
    }

    /// When the port before has to be for the next interval to be counted: what departs here at the end of an interval has come in it.
    fn next_count(&self) -> Time {
        if self.next_end == Time::NEVER { Time::NEVER } else { self.slots.departs_before(self.next_end) }
    }
}

impl LastHopPorts {
    /// These ports.
    pub(in crate::net::batched) fn new(ports: Vec<LastHopPort>) -> LastHopPorts {
        let mut ports = LastHopPorts { ports, next_count: Time::NEVER, next_rates: Time::NEVER };
        ports.look_ahead();
        ports
    }

    /// When the first of them has to know what the port before has sent.
    #[inline]
    pub(in crate::net::batched) fn next_count(&self) -> Time {
        self.next_count
    }

    /// When the first averaging interval ends for whose rates an edge waits; never if none does.
    pub(in crate::net::batched) fn next_rates(&self) -> Time {
        self.next_rates
    }

    /// One of them.
    pub(in crate::net::batched) fn get(&self, number: u32) -> &LastHopPort {
        &self.ports[number as usize]
    }

    /// The port before has done all before [`LastHopPorts::next_count`]; it has sent so many cells of each of its connections.
    pub(in crate::net::batched) fn count(&mut self, sent: impl Fn(VcId) -> u64, io: &mut Io) {
        let now = self.next_count;
        for port in self.ports.iter_mut().filter(|port| port.next_count() == now) {
            port.counted.push_back(port.numbers.iter().map(|&number| sent(number)).collect());
            port.next_end = port.rates.end_after(port.next_end);
        }
        self.end_intervals(io);
    }

    /// Ends the intervals whose cells are counted. Of what the engine is asked to stop before, nothing happens yet.
    pub(in crate::net::batched) fn end_intervals(&mut self, io: &mut Io) {
        for port in &mut self.ports {
            while port.rates.interval_end() < io.until {
                let Some(counted) = port.counted.pop_front() else { break };
                port.rates.end_interval(|vc| counted[vc.index()], 0, io);
            }
        }
        self.look_ahead();
    }

    fn look_ahead(&mut self) {
        let first = |times: &mut dyn Iterator<Item = Time>| times.min().unwrap_or(Time::NEVER);
        self.next_count = first(&mut self.ports.iter().map(LastHopPort::next_count));
        self.next_rates = first(&mut self.ports.iter().filter_map(|port| port.rates.next_rates()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_departs_at_the_end_of_the_slot_in_which_it_comes() {
        let to_departure = |lag| Slots::new(Span::from_ps(100), Span::from_ps(lag)).to_departure().as_ps();
        assert_eq!([99, 100, 101, 199, 200].map(to_departure), [100, 200, 200, 200, 300]);
        // What departs here at 500 left the port before at 300 or 400.
        let before = |lag| Slots::new(Span::from_ps(100), Span::from_ps(lag)).departs_before(Time::from_ps(500));
        assert_eq!([99, 100].map(|lag| before(lag).as_ps()), [400, 300]);
        assert_eq!(before(1000), Time::ZERO, "none so far");
    }
}
