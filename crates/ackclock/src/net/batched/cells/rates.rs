//! The rates that a cell port gives to senders of TCP. How many cells of each connection have come is known when an averaging interval
//! ends, so nothing is done for each cell.

use crate::ids::{IdVec, VcId};
use crate::net::abr::PortRates;
use crate::net::batched::io::Io;
use crate::units::Time;

/// A rate algorithm, and the edge that uses its rates.
pub(in crate::net::batched) struct CellRates {
    rates: Box<PortRates>,
    /// The edge, if acknowledgements pass one.
    edge: Option<usize>,
    /// Cells of each connection that came in earlier intervals.
    counted: IdVec<VcId, u64>,
}

impl CellRates {
    /// The rates of a port that so many connections cross.
    pub(in crate::net::batched) fn new(rates: Box<PortRates>, edge: Option<usize>, connections: usize) -> CellRates {
        CellRates { rates, edge, counted: (0..connections).map(|_| 0).collect() }
    }

    /// The algorithm.
    pub(in crate::net::batched) fn rates(&self) -> &PortRates {
        &self.rates
    }

    /// When the averaging interval ends that runs.
    pub(in crate::net::batched) fn interval_end(&self) -> Time {
        self.rates.interval_end()
    }

    /// When the averaging interval ends that runs, if an edge waits for the rates.
    pub(in crate::net::batched) fn next_rates(&self) -> Option<Time> {
        self.edge.map(|_| self.interval_end())
    }

    /// The end of the interval after one that ends at `end`.
    pub(in crate::net::batched) fn end_after(&self, end: Time) -> Time {
        self.rates.end_after(end)
    }

    /// The interval ends, while so many cells wait; `come` is how many of each connection have come since the start.
    pub(in crate::net::batched) fn end_interval(&mut self, come: impl Fn(VcId) -> u64, queued: u64, io: &mut Io) {
        let now = self.interval_end();
        for vc in self.counted.ids() {
            let come = come(vc);
            let cells = come - std::mem::replace(&mut self.counted[vc], come);
            if cells > 0 {
                self.rates.count(now, vc, cells);
            }
        }
        self.rates.end_interval_at(now, queued);
        if let (Some(edge), Some(of_tcp)) = (self.edge, self.rates.of_tcp()) {
            io.edges[edge].rates.push(of_tcp);
        }
    }
}
