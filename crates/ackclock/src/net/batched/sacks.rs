//! SACK blocks of the packets under way. Few packets have any: what else a packet carries travels with it.

use crate::packet::SackBlocks;

/// The blocks of the packets under way, each in its place until the packet arrives or is lost.
#[derive(Default)]
pub(super) struct Sacks {
    places: Vec<SackBlocks>,
    free: Vec<u32>,
}

impl Sacks {
    /// The number under which a packet's blocks are kept; zero if it has none.
    #[inline(always)]
    pub(super) fn keep(&mut self, blocks: &SackBlocks) -> u32 {
        if blocks.is_empty() { 0 } else { self.put(*blocks) }
    }

    /// The blocks kept under this number, which is free again.
    #[inline(never)]
    pub(super) fn take(&mut self, number: u32) -> SackBlocks {
        if number == 0 {
            return SackBlocks::default();
        }
        self.free.push(number - 1);
        self.places[number as usize - 1]
    }

    #[inline(never)]
    fn put(&mut self, blocks: SackBlocks) -> u32 {
        let place = self.free.pop().unwrap_or(self.places.len() as u32);
        if place as usize == self.places.len() {
            self.places.push(blocks);
        } else {
            self.places[place as usize] = blocks;
        }
        place + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::SackBlock;

    #[test]
    fn each_packet_gets_back_its_own_blocks() {
        let blocks = |start: u64| {
            let mut blocks = SackBlocks::default();
            blocks.push(SackBlock { start, end: start + 1 });
            blocks
        };
        let mut sacks = Sacks::default();
        assert_eq!(sacks.keep(&SackBlocks::default()), 0);
        let numbers: Vec<u32> = (0..4).map(|start| sacks.keep(&blocks(start))).collect();
        assert_eq!(sacks.take(numbers[2]), blocks(2));
        assert_eq!(sacks.keep(&blocks(7)), numbers[2], "its place is free");
        for (number, start) in [(numbers[0], 0), (numbers[1], 1), (numbers[2], 7), (numbers[3], 3)] {
            assert_eq!(sacks.take(number), blocks(start));
        }
        assert_eq!(sacks.take(0), SackBlocks::default());
    }
}
