//! The rate algorithm of a cell port: which of its cells count for which connection, and when its averaging intervals end.
//!
//! Interval k ends at k · m · c, c the cell time of the port and m the slots of an interval. At that instant the departure that is
//! due has gone, and the cells of the slot that ends have not been offered yet: they count in the next interval.

use crate::atm::rate::{RateAlgorithm, RateAllocator};
use crate::ids::{Id, VcId};
use crate::packet::{Pti, RmCell};
use crate::units::{Span, Time};

/// A rate algorithm at a port, and its clock.
pub(in crate::net) struct PortRates {
    allocator: Box<dyn RateAllocator>,
    /// The length of an interval, m · c; none if the algorithm has no intervals.
    interval: Option<Span>,
    /// When the interval that runs ends.
    interval_end: Time,
    /// For each connection of the port its number among those that the algorithm serves: the data of ABR flows.
    served: Vec<Option<usize>>,
}

impl PortRates {
    /// An algorithm at a port with slots of `cell_time`; `served` says which connections of the port it serves.
    pub(in crate::net) fn new(
        algorithm: &RateAlgorithm,
        port: &crate::atm::rate::Port<'_>,
        served: Vec<Option<usize>>,
    ) -> PortRates {
        let interval = algorithm.interval().map(|interval| port.rate.cell_time() * port.slots(interval));
        let interval_end = interval.map_or(Time::NEVER, |interval| Time::ZERO + interval);
        PortRates { allocator: algorithm.start(port), interval, interval_end, served }
    }

    /// Ends the intervals that end before `now`, which is the end of a slot: the queue was empty then.
    pub(in crate::net) fn end_idle_intervals(&mut self, now: Time) {
        while self.interval_end < now {
            self.end_interval(0);
        }
    }

    /// Ends the interval that ends now, if one does, with so many cells waiting.
    pub(in crate::net) fn end_interval_at(&mut self, now: Time, queued: u64) {
        if self.interval_end == now {
            self.end_interval(queued);
        }
    }

    fn end_interval(&mut self, queued: u64) {
        self.allocator.on_interval_end(queued);
        let interval = self.interval.expect("only what has intervals ends one");
        self.interval_end = self.interval_end.saturating_add(interval);
    }

    /// A cell is offered while so many wait: it is counted, and marked if the queue is long. `rm` is what it says if it is a
    /// forward RM cell.
    pub(in crate::net) fn on_offered(&mut self, vc: VcId, pti: Pti, queued: u64, rm: impl FnOnce() -> RmCell) -> Pti {
        let Some(connection) = self.served[vc.index()] else {
            self.allocator.on_other_cells(1);
            return pti;
        };
        self.allocator.on_cells(connection, 1);
        if pti == Pti::FORWARD_RM {
            self.allocator.on_forward_rm(connection, &rm());
        }
        if self.allocator.marks_efci(queued) { pti.marked() } else { pti }
    }

    /// A backward RM cell passes, whose data cross the port as connection `vc`, while so many cells wait.
    pub(in crate::net) fn on_backward_rm(&mut self, now: Time, vc: VcId, queued: u64, cell: &mut RmCell) {
        // What ends at this instant at the port has ended already, unless nothing was there to do it.
        self.end_idle_intervals(now);
        self.end_interval_at(now, queued);
        let connection = self.served[vc.index()].expect("an RM cell is one of an ABR flow");
        self.allocator.on_backward_rm(connection, queued, cell);
    }
}
