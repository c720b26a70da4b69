//! How many frames of one connection have lost a cell, each counted once wherever it loses how many.

use std::collections::VecDeque;

/// The frames of a connection of which a cell was lost.
#[derive(Clone, Debug, Default)]
pub struct LostFrames {
    count: u64,
    /// The numbers, in order, of those of which more cells may be lost.
    under_way: VecDeque<u32>,
}

impl LostFrames {
    /// A cell of frame `number` is lost. As numbers go round, the earlier of two is the one from which it is less far to the
    /// other.
    pub fn add(&mut self, number: u32) {
        let place = self.under_way.partition_point(|before| is_before(*before, number));
        if self.under_way.get(place) != Some(&number) {
            self.under_way.insert(place, number);
            self.count += 1;
        }
    }

    /// The end of frame `number` has arrived. A connection keeps its order, so nothing more is lost of it or of those before.
    pub fn end(&mut self, number: u32) {
        while self.under_way.front().is_some_and(|&first| first == number || is_before(first, number)) {
            self.under_way.pop_front();
        }
    }

    /// How many frames have lost a cell.
    pub fn count(&self) -> u64 {
        self.count
    }
}

fn is_before(earlier: u32, later: u32) -> bool {
    (earlier.wrapping_sub(later) as i32) < 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_counts_once_at_whatever_port_it_loses_cells() {
        let mut lost = LostFrames::default();
        // A port far away refuses a cell of frame 3 after one nearby has refused cells of frame 5.
        for number in [3, 5, 5, 3, 4, 3] {
            lost.add(number);
        }
        assert_eq!(lost.count(), 3);
        lost.end(4);
        assert_eq!(lost.under_way, [5], "those before have ended too");
        lost.add(5);
        assert_eq!(lost.count(), 3);
    }

    #[test]
    fn numbers_go_round() {
        let mut lost = LostFrames::default();
        for number in [0, u32::MAX, 0, u32::MAX] {
            lost.add(number);
        }
        assert_eq!((lost.count(), lost.under_way.front()), (2, Some(&u32::MAX)));
        lost.end(u32::MAX);
        assert_eq!(lost.under_way, [0]);
    }
}
