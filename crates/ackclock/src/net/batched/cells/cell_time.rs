//! How many cell times an instant is after the start: asked for each frame, and a division takes long.

use crate::units::Time;

/// The cell time of a port, prepared for division.
#[derive(Clone, Copy, Debug)]
pub(in crate::net::batched) struct CellTime {
    ps: u64,
    /// 2^64 cell times, rounded down or one less.
    inverse: u64,
}

impl CellTime {
    /// A cell time of so many picoseconds, not zero.
    pub(in crate::net::batched) fn new(ps: u64) -> CellTime {
        CellTime { ps, inverse: u64::MAX / ps }
    }

    /// Picoseconds.
    #[inline]
    pub(in crate::net::batched) fn ps(self) -> u64 {
        self.ps
    }

    /// The end of slot number `slot - 1`: never, if it is beyond the range of time. At a few bit/s what waits may depart
    /// that late.
    #[inline]
    pub(in crate::net::batched) fn instant(self, slot: u64) -> Time {
        Time::from_ps(slot.saturating_mul(self.ps))
    }

    /// The whole cell times in so many picoseconds.
    #[inline]
    pub(in crate::net::batched) fn slots(self, ps: u64) -> u64 {
        // The error of the inverse is less than a cell time in 2^64 picoseconds: the product is exact or one too small.
        let slots = ((u128::from(ps) * u128::from(self.inverse)) >> 64) as u64;
        slots + u64::from(ps - slots * self.ps >= self.ps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_divides(cell_time in 1_u64..10_000_000_000, ps in any::<u64>(), slots in any::<u32>(), odd in 0_u64..3) {
            let near = u64::from(slots).wrapping_mul(cell_time).wrapping_add(odd).wrapping_sub(1);
            for ps in [ps, ps >> 20, near] {
                prop_assert_eq!(CellTime::new(cell_time).slots(ps), ps / cell_time);
            }
            prop_assert_eq!(CellTime::new(1).slots(ps), ps);
        }
    }
}
