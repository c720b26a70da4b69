//! What ports without a queue behind a cell port have to know of it.

use crate::ids::{IdVec, VcId};
use crate::net::batched::cells::cell_time::CellTime;
use crate::net::lists::Lists;
use crate::units::{Span, Time};

/// The cells of each connection that a port has accepted. Made once for all ports behind it: there may be one for each
/// connection.
pub(in crate::net::batched) struct Passed {
    cell_time: CellTime,
    accepted: IdVec<VcId, u64>,
    /// The slot ends at which those cells depart that wait or are remembered, the last one first.
    departures: Lists<VcId, u64>,
}

impl Passed {
    /// So many were accepted at a port with this cell time, and these depart or departed not long ago.
    pub(in crate::net::batched) fn new(
        cell_time: CellTime,
        accepted: IdVec<VcId, u64>,
        departures: Lists<VcId, u64>,
    ) -> Passed {
        Passed { cell_time, accepted, departures }
    }

    /// How many cells of `vc` have reached a place `lag` after their departures before `now`.
    pub(in crate::net::batched) fn of(&self, vc: VcId, lag: Span, now: Time) -> u64 {
        let departures = self.departures.of(vc).iter();
        let to_come = departures.take_while(|&&departs| self.cell_time.instant(departs).saturating_add(lag) >= now);
        self.accepted[vc] - to_come.count() as u64
    }
}
