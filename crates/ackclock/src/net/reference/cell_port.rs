//! The output port of an ATM switch that several inputs share: slots, service order, drop policy, FIFO.
//! Source: docs/models/cell-port.md. Slot n is [n·c, (n+1)·c). What arrives within it is admitted at its end, after the departure
//! due then.

use std::collections::VecDeque;

use crate::ids::VcId;
use crate::net::abr::{AbrConnections, PortRates};
use crate::net::queue_monitor::QueueMonitor;
use crate::packet::Unit;
use crate::queue::cell::{CellArrival, CellPolicy, CellPolicyState};
use crate::queue::{DropReason, Verdict};
use crate::rng::{Stream, mix};
use crate::scenario::ServiceOrder;
use crate::units::{Span, Time};

/// A shared cell port.
pub(super) struct CellPort {
    cell_time: Span,
    policy: CellPolicyState,
    order: ServiceOrder,
    stream: Stream,
    /// What feeds the port, in the order of its inputs.
    inputs: Vec<Input>,
    /// Cells of the slot that is running, with the input they came from.
    arrived: Vec<(Input, Waiting)>,
    queue: VecDeque<Waiting>,
    pub(super) monitor: QueueMonitor,
    /// Which rates it gives to ABR connections, if it does.
    pub(super) rates: Option<Box<PortRates>>,
}

/// A cell with its connection's number at this port.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    vc: VcId,
    cell: Unit,
    arrives: Time,
    /// The end of its slot, when it is admitted.
    since: Time,
}

/// What feeds a port: a link, or a connection whose frames come from an edge device. The hash of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Input(pub(super) u64);

impl CellPort {
    /// A port fed by `inputs`, whose random service order is drawn from `stream`.
    pub(super) fn new(
        cell_time: Span,
        policy: CellPolicyState,
        order: ServiceOrder,
        stream: Stream,
        inputs: Vec<Input>,
        monitor: QueueMonitor,
    ) -> CellPort {
        let (arrived, queue) = (Vec::new(), VecDeque::new());
        CellPort { cell_time, policy, order, stream, inputs, arrived, queue, monitor, rates: None }
    }

    /// A cell of the port's connection `vc` arrives from `input`; returns the end of the slot, at which it is admitted.
    pub(super) fn on_arrival(&mut self, now: Time, input: Input, vc: VcId, cell: Unit) -> Time {
        let slot_end = Time::from_ps((now.as_ps() / self.cell_time.as_ps() + 1) * self.cell_time.as_ps());
        self.arrived.push((input, Waiting { vc, cell, arrives: now, since: slot_end }));
        slot_end
    }

    /// How many cells leave before one that ends a frame, of those that wait or have come in this slot; `None` if none of them does.
    pub(super) fn cells_before_end_of_frame(&self) -> Option<u32> {
        let cells = self.queue.iter().chain(self.arrived.iter().map(|(_, waiting)| waiting));
        let mut before = cells.zip(0..).filter(|(waiting, _)| waiting.cell.pti.eom());
        // The order of those that have come in this slot is not known yet.
        before.next().map(|(_, before)| before.min(self.queue.len() as u32))
    }

    /// When the averaging interval ends that runs, if somebody is told rates then.
    pub(super) fn interval_end(&self) -> Time {
        let rates = self.rates.as_ref().filter(|rates| rates.of_tcp().is_some());
        rates.map_or(Time::NEVER, |rates| rates.interval_end())
    }

    /// The end of a slot: the head of the queue goes, an averaging interval may end, then the slot's cells are admitted. Returns
    /// the cell that begins to be transmitted, and whether there will be another at the end of the next slot. `rm_cells`
    /// are what RM cells say; `refused` is told of each cell that is refused.
    pub(super) fn on_slot_end(
        &mut self,
        now: Time,
        vc_name: impl Fn(Unit) -> u64,
        rm_cells: &mut AbrConnections,
        mut refused: impl FnMut(Unit),
    ) -> (Option<Unit>, bool) {
        if let Some(rates) = &mut self.rates {
            rates.end_idle_intervals(now);
        }
        let mut departing = self.queue.pop_front();
        if let Some(head) = departing {
            self.monitor.leave::<false>(now, head.vc, head.since);
        }
        if let Some(rates) = &mut self.rates {
            rates.end_interval_at(now, u64::from(self.monitor.buffer().queued()));
        }
        let mut arrived = std::mem::take(&mut self.arrived);
        if arrived.len() > 1 {
            let slot = now.as_ps() / self.cell_time.as_ps() - 1;
            self.put_in_service_order(slot, &mut arrived);
        }
        for (_, waiting) in arrived.drain(..) {
            let mut waiting = waiting;
            let Waiting { vc, cell, .. } = waiting;
            self.monitor.arrive(vc);
            let buffer = self.monitor.buffer();
            if let Some(rates) = &mut self.rates {
                waiting.cell.pti = rates.on_offered(now, vc, cell.pti, u64::from(buffer.queued()), || {
                    rm_cells.of(cell.vc).cell_mut(cell.frame)
                });
            }
            let verdict = match cell.pti.is_rm() {
                // RM cells are part of no frame: policies neither see nor count them.
                true if buffer.is_full() => Verdict::Drop(DropReason::Overflow),
                true => Verdict::Accept,
                false => self.policy.admit(CellArrival { now, vc, eom: cell.pti.eom() }, buffer),
            };
            match verdict {
                Verdict::Drop(reason) => {
                    self.monitor.refuse(now, vc, vc_name(cell), cell.frame, reason);
                    refused(cell);
                    if cell.pti.is_rm() {
                        rm_cells.of(cell.vc).refuse();
                    }
                }
                Verdict::Accept | Verdict::Mark if departing.is_none() => {
                    self.monitor.pass(now, vc);
                    departing = Some(waiting);
                }
                Verdict::Accept | Verdict::Mark => {
                    self.monitor.enter(now, vc);
                    self.queue.push_back(waiting);
                }
            }
        }
        self.arrived = arrived;
        if departing.is_some() {
            self.monitor.transmits(now, self.cell_time);
        }
        (departing.map(|waiting| waiting.cell), !self.queue.is_empty())
    }

    /// The random order does not depend on how many inputs there are, nor on which of them are idle; two cells of one
    /// input keep theirs, as the sort is stable.
    fn put_in_service_order(&self, slot: u64, arrived: &mut [(Input, Waiting)]) {
        let rank = |input: &Input| self.inputs.iter().position(|of_port| of_port == input);
        match self.order {
            ServiceOrder::Random => {
                let draw = self.stream.at(slot);
                arrived.sort_by_key(|(Input(name), _)| (mix(draw ^ name), *name));
            }
            ServiceOrder::Rotating => {
                let count = self.inputs.len();
                let first = (slot % count as u64) as usize;
                arrived.sort_by_key(|(input, _)| rank(input).map(|rank| (rank + count - first) % count));
            }
            ServiceOrder::Fixed => arrived.sort_by_key(|(input, _)| rank(input)),
            ServiceOrder::Arrival => arrived.sort_by_key(|(input, cell)| (cell.arrives, rank(input))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;
    use crate::packet::Pti;
    use crate::queue::cell::TailDrop;

    const SLOT: u64 = 100;

    fn port(order: ServiceOrder, capacity: u32) -> CellPort {
        let monitor = QueueMonitor::new(capacity, 4, None);
        let stream = Stream::new(1, "port", "service-order");
        CellPort::new(
            Span::from_ps(SLOT),
            CellPolicyState::TailDrop(TailDrop),
            order,
            stream,
            (0..4).map(input).collect(),
            monitor,
        )
    }

    fn input(number: u32) -> Input {
        Input(mix(u64::from(number)))
    }

    fn arrive(port: &mut CellPort, ps: u64, from: u32) -> Time {
        let Waiting { vc, cell, .. } = waiting(from);
        port.on_arrival(Time::from_ps(ps), input(from), vc, cell)
    }

    fn waiting(from: u32) -> Waiting {
        let vc = VcId::from_index(from as usize);
        Waiting {
            vc,
            cell: Unit { vc, frame: 0, index: 0, hop: 0, pti: Pti::data(false) },
            arrives: Time::ZERO,
            since: Time::ZERO,
        }
    }

    fn numbers(cells: &[(Input, Waiting)]) -> Vec<usize> {
        cells.iter().map(|(_, waiting)| waiting.vc.index()).collect()
    }

    fn slot_end(port: &mut CellPort, ps: u64) -> (Option<Unit>, bool) {
        port.on_slot_end(Time::from_ps(ps), |_| 0, &mut AbrConnections::default(), |_| {})
    }

    /// The connections of the cells that leave at the ends of the slots from 1 on.
    fn departures(port: &mut CellPort) -> Vec<usize> {
        let mut order = Vec::new();
        for slot in 1.. {
            let (cell, more) = slot_end(port, slot * SLOT);
            order.extend(cell.map(|cell| cell.vc.index()));
            if !more {
                break;
            }
        }
        order
    }

    #[test]
    fn a_cell_is_admitted_at_the_end_of_its_slot() {
        let mut port = port(ServiceOrder::Fixed, 10);
        assert_eq!(arrive(&mut port, 0, 0), Time::from_ps(100));
        assert_eq!(arrive(&mut port, 99, 1), Time::from_ps(100));
        assert_eq!(arrive(&mut port, 100, 2), Time::from_ps(200), "the end of a slot is the beginning of the next");
    }

    #[test]
    fn the_cell_in_transmission_takes_no_room() {
        let mut port = port(ServiceOrder::Fixed, 2);
        for input in 0..4 {
            arrive(&mut port, 0, input);
        }
        assert_eq!(departures(&mut port), [0, 1, 2], "one goes at once, two wait, the fourth is refused");
        assert_eq!(port.monitor.buffer().queued(), 0);
    }

    #[test]
    fn the_departure_due_makes_room_before_admission() {
        let mut port = port(ServiceOrder::Fixed, 1);
        arrive(&mut port, 0, 0);
        arrive(&mut port, 0, 1);
        assert!(slot_end(&mut port, 100).1, "input 1 waits, the buffer is full");
        arrive(&mut port, 150, 2);
        let (cell, more) = slot_end(&mut port, 200);
        assert_eq!((cell.unwrap().vc.index(), more), (1, true), "input 2 finds the room that 1 leaves");
    }

    #[test]
    fn rotation_begins_one_input_later_in_every_slot() {
        let port = port(ServiceOrder::Rotating, 10);
        for (slot, expected) in [(0, [0, 1, 2]), (1, [1, 2, 0]), (2, [2, 0, 1]), (3, [0, 1, 2]), (4, [0, 1, 2])] {
            let mut cells = Vec::new();
            for number in [2, 0, 1] {
                cells.push((input(number), waiting(number)));
            }
            port.put_in_service_order(slot, &mut cells);
            assert_eq!(numbers(&cells), expected, "slot {slot}");
        }
    }

    /// Inputs 2 and 0 arrive at the same instant, 3 before and 1 after them.
    #[test]
    fn cells_are_served_as_they_arrive_and_at_one_instant_by_name() {
        let mut port = port(ServiceOrder::Arrival, 10);
        for (ps, from) in [(10, 3), (20, 2), (20, 0), (21, 1)] {
            arrive(&mut port, ps, from);
        }
        assert_eq!(departures(&mut port), [3, 0, 2, 1]);
    }

    #[test]
    fn random_order_does_not_depend_on_absent_inputs_and_is_fair() {
        let port = port(ServiceOrder::Random, 10);
        let order = |slot, present: &[u32]| {
            let mut cells: Vec<_> = present.iter().map(|&number| (input(number), waiting(number))).collect();
            port.put_in_service_order(slot, &mut cells);
            numbers(&cells)
        };
        let mut first = [0; 3];
        for slot in 0..3000 {
            let all = order(slot, &[0, 1, 2, 3]);
            let some: Vec<usize> = all.iter().copied().filter(|&number| number != 3).collect();
            assert_eq!(order(slot, &[2, 1, 0]), some);
            first[some[0]] += 1;
        }
        // Mean 1000, standard deviation 26: four of them.
        assert!(first.iter().all(|n: &i32| (n - 1000).abs() < 104), "{first:?}");
    }
}
