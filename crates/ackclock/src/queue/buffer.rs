//! The counters of a shared buffer. The cells themselves wait elsewhere; policies read only these numbers.

use crate::ids::{IdVec, VcId};

/// Occupancy of one port's buffer, as a drop policy sees it, and the largest values so far.
#[derive(Clone, Debug)]
pub struct Buffer {
    capacity: u32,
    queued: u32,
    max: u32,
    active: u32,
    per_vc: IdVec<VcId, VcOccupancy>,
}

#[derive(Clone, Copy, Debug, Default)]
struct VcOccupancy {
    cells: u32,
    max: u32,
}

impl Buffer {
    /// The capacity of a buffer without a limit.
    pub const INFINITE: u32 = u32::MAX;

    /// An empty buffer of `capacity` cells for the connections numbered below `vcs`.
    pub fn new(capacity: u32, vcs: usize) -> Buffer {
        let per_vc = (0..vcs).map(|_| VcOccupancy::default()).collect();
        Buffer { capacity, queued: 0, max: 0, active: 0, per_vc }
    }

    /// K: how many cells may wait.
    #[inline]
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// X: cells waiting; the one in transmission is not counted.
    #[inline]
    pub fn queued(&self) -> u32 {
        self.queued
    }

    /// Y_i: cells of `vc` waiting.
    #[inline]
    pub fn queued_of(&self, vc: VcId) -> u32 {
        self.per_vc[vc].cells
    }

    /// N_a: connections with at least one cell waiting.
    #[inline]
    pub fn active(&self) -> u32 {
        self.active
    }

    /// The largest X so far.
    pub fn max_queued(&self) -> u32 {
        self.max
    }

    /// The largest Y_i of `vc` so far.
    pub fn max_queued_of(&self, vc: VcId) -> u32 {
        self.per_vc[vc].max
    }

    /// Whether no further cell fits.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.queued >= self.capacity
    }

    /// A cell of `vc` begins to wait. Returns whether none of its connection did.
    #[inline]
    pub fn enter(&mut self, vc: VcId) -> bool {
        self.set_queued(self.queued + 1);
        self.enter_late(vc, 1)
    }

    /// As many cells of `vc` begin to wait, while others may have left that are not taken off yet: X does not follow
    /// from these counts, and is set with [`Buffer::set_queued`]. Returns whether none of its connection did.
    #[inline]
    pub fn enter_late(&mut self, vc: VcId, cells: u32) -> bool {
        let held = &mut self.per_vc[vc];
        let is_first = held.cells == 0;
        if is_first {
            self.active += 1;
        }
        held.cells += cells;
        held.max = held.max.max(held.cells);
        is_first
    }

    /// As [`Buffer::enter_late`] for one cell, if N_a and the largest Y_i stay what they are. Returns whether they do.
    #[inline(always)]
    pub fn enter_among_others(&mut self, vc: VcId) -> bool {
        let held = &mut self.per_vc[vc];
        // Not if there are none: one less is very many then.
        let fits = held.cells.wrapping_sub(1) < held.max.wrapping_sub(1);
        held.cells += u32::from(fits);
        fits
    }

    /// X is `queued`.
    #[inline]
    pub fn set_queued(&mut self, queued: u32) {
        self.queued = queued;
        self.max = self.max.max(queued);
    }

    /// Whether the largest Y_i of `vc` stays what it is if as many of its cells enter and none leaves.
    #[inline]
    pub fn stays_below_max(&self, vc: VcId, cells: u32) -> bool {
        let held = &self.per_vc[vc];
        held.cells + cells <= held.max
    }

    /// A cell of `vc` no longer waits. Returns whether none of its connection does any more.
    #[inline]
    pub fn leave(&mut self, vc: VcId) -> bool {
        self.queued -= 1;
        self.leave_late(vc, 1)
    }

    /// As many cells of `vc` no longer wait. X is set separately. Returns whether none of its connection does any more.
    #[inline]
    pub fn leave_late(&mut self, vc: VcId, cells: u32) -> bool {
        let held = &mut self.per_vc[vc];
        held.cells -= cells;
        // A branch on purpose: as `active -= u32::from(last)`, inlined into the cell port and optimised, rustc 1.95 made
        // other numbers of it. tests/both_engines/engines.rs notices in release builds.
        let is_last = held.cells == 0;
        if is_last {
            self.active -= 1;
        }
        is_last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;

    #[test]
    fn counts_follow_cells_in_and_out() {
        let vc: Vec<VcId> = (0..3).map(VcId::from_index).collect();
        let mut buffer = Buffer::new(3, 3);
        buffer.enter(vc[0]);
        buffer.enter(vc[0]);
        buffer.enter(vc[2]);
        assert_eq!((buffer.queued(), buffer.active(), buffer.is_full()), (3, 2, true));
        assert_eq!((buffer.queued_of(vc[0]), buffer.queued_of(vc[1])), (2, 0));
        buffer.leave(vc[2]);
        assert_eq!((buffer.queued(), buffer.active(), buffer.is_full()), (2, 1, false));
        buffer.leave(vc[0]);
        assert_eq!(buffer.active(), 1, "vc 0 still has one cell");
    }
}
