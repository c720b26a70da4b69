//! The counters of a shared buffer. The cells themselves wait elsewhere; policies read only these numbers.

use crate::ids::{IdVec, VcId};

/// Occupancy of one port's buffer, as a drop policy sees it.
#[derive(Clone, Debug)]
pub struct Buffer {
    capacity: u32,
    queued: u32,
    per_vc: IdVec<VcId, u32>,
    active: u32,
}

impl Buffer {
    /// The capacity of a buffer without a limit.
    pub const INFINITE: u32 = u32::MAX;

    /// An empty buffer of `capacity` cells for the connections numbered below `vcs`.
    pub fn new(capacity: u32, vcs: usize) -> Buffer {
        Buffer { capacity, queued: 0, per_vc: (0..vcs).map(|_| 0).collect(), active: 0 }
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
        self.per_vc[vc]
    }

    /// N_a: connections with at least one cell waiting.
    #[inline]
    pub fn active(&self) -> u32 {
        self.active
    }

    /// Whether no further cell fits.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.queued >= self.capacity
    }

    /// A cell of `vc` begins to wait.
    #[inline]
    pub fn enter(&mut self, vc: VcId) {
        self.enter_many(vc, 1);
    }

    /// A cell of `vc` no longer waits.
    #[inline]
    pub fn leave(&mut self, vc: VcId) {
        self.leave_many(vc, 1);
    }

    /// Some cells of `vc` begin to wait, at least one.
    #[inline]
    pub fn enter_many(&mut self, vc: VcId, cells: u32) {
        let of_vc = &mut self.per_vc[vc];
        self.active += u32::from(*of_vc == 0);
        *of_vc += cells;
        self.queued += cells;
    }

    /// Some cells of `vc` no longer wait, at least one.
    #[inline]
    pub fn leave_many(&mut self, vc: VcId, cells: u32) {
        let of_vc = &mut self.per_vc[vc];
        *of_vc -= cells;
        self.active -= u32::from(*of_vc == 0);
        self.queued -= cells;
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
