//! SACK blocks of the frames of one connection that are on their way in cells. Few frames have any: what else a frame
//! carries travels with its cells.

use std::collections::VecDeque;

use crate::packet::SackBlocks;

/// The blocks, by frame. A connection keeps its order, so the arrival of one frame means that no earlier one will come.
#[derive(Default)]
pub(super) struct Reports {
    under_way: VecDeque<(u32, SackBlocks)>,
}

impl Reports {
    /// Frame `number`, later than all before, has these blocks; not to be called if there are none.
    #[cold]
    pub(super) fn keep(&mut self, number: u32, blocks: &SackBlocks) {
        self.under_way.push_back((number, *blocks));
    }

    /// Frame `number` has reached the end of the connection: its blocks, if it had any.
    #[inline]
    pub(super) fn take(&mut self, number: u32) -> Option<SackBlocks> {
        if self.under_way.is_empty() { None } else { self.find(number) }
    }

    /// As numbers go round, the earlier of two is the one from which it is less far to the other.
    #[inline(never)]
    fn find(&mut self, number: u32) -> Option<SackBlocks> {
        while let Some(&(first, blocks)) = self.under_way.front() {
            if first.wrapping_sub(number) as i32 > 0 {
                return None;
            }
            self.under_way.pop_front();
            if first == number {
                return Some(blocks);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::SackBlock;

    fn blocks(start: u64) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        blocks.push(SackBlock { start, end: start + 1 });
        blocks
    }

    #[test]
    fn each_frame_gets_its_own_blocks_while_earlier_ones_are_lost() {
        let mut reports = Reports::default();
        for number in [1, 2, 4, 7] {
            reports.keep(number, &blocks(number.into()));
        }
        assert_eq!(reports.take(0), None, "it had none, and none is forgotten");
        assert_eq!(reports.take(2), Some(blocks(2)), "frame 1 will not come any more");
        assert_eq!(reports.take(3), None);
        assert_eq!(reports.take(7), Some(blocks(7)));
        assert!(reports.under_way.is_empty());
    }

    #[test]
    fn numbers_go_round() {
        let mut reports = Reports::default();
        for number in [u32::MAX, 0] {
            reports.keep(number, &blocks(number.into()));
        }
        assert_eq!(reports.take(u32::MAX - 1), None);
        assert_eq!(reports.take(0), Some(blocks(0)));
    }
}
