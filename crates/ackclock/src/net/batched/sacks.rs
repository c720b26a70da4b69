//! SACK blocks of the packets under way. Few packets have any: what else a packet carries travels with it.
//!
//! Where something is recorded, each packet has a place here too, with its number among those of its connection.

use crate::ids::{IdVec, VcId};
use crate::packet::SackBlocks;

/// The blocks of the packets under way, each in its place until the packet arrives or is lost.
#[derive(Default)]
pub(super) struct Sacks {
    places: Vec<Place>,
    free: Vec<u32>,
    /// The number of each connection's next packet, if they are numbered; else empty.
    next: IdVec<VcId, u32>,
}

#[derive(Clone, Copy)]
struct Place {
    blocks: SackBlocks,
    number: u32,
}

impl Sacks {
    /// No packet is under way; those of so many connections are numbered.
    pub(super) fn new(numbered: usize) -> Sacks {
        Sacks { next: (0..numbered).map(|_| 0).collect(), ..Sacks::default() }
    }

    /// The key under which the blocks of a packet of `vc` are kept; zero if it has none, and no number.
    #[inline(always)]
    pub(super) fn keep(&mut self, vc: VcId, blocks: &SackBlocks) -> u32 {
        if blocks.is_empty() && self.next.is_empty() { 0 } else { self.put(vc, *blocks) }
    }

    /// The blocks kept under this key, which is free again.
    #[inline(never)]
    pub(super) fn take(&mut self, key: u32) -> SackBlocks {
        if key == 0 {
            return SackBlocks::default();
        }
        self.free.push(key - 1);
        self.places[key as usize - 1].blocks
    }

    /// The blocks kept under this key.
    pub(super) fn blocks(&self, key: u32) -> SackBlocks {
        if key == 0 { SackBlocks::default() } else { self.places[key as usize - 1].blocks }
    }

    /// The number of the packet with this key among those of its connection; zero if they are not numbered.
    pub(super) fn number(&self, key: u32) -> u32 {
        if key == 0 { 0 } else { self.places[key as usize - 1].number }
    }

    /// The number that the next packet of `vc` will get; zero if they are not numbered.
    pub(super) fn next_number(&self, vc: VcId) -> u32 {
        if self.next.is_empty() { 0 } else { self.next[vc] }
    }

    #[inline(never)]
    fn put(&mut self, vc: VcId, blocks: SackBlocks) -> u32 {
        let mut number = 0;
        if !self.next.is_empty() {
            number = self.next[vc];
            self.next[vc] = number.wrapping_add(1);
        }
        let place = Place { blocks, number };
        let free = self.free.pop().unwrap_or(self.places.len() as u32);
        if free as usize == self.places.len() {
            self.places.push(place);
        } else {
            self.places[free as usize] = place;
        }
        free + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;
    use crate::packet::SackBlock;

    #[test]
    fn each_packet_gets_back_its_own_blocks() {
        let blocks = |start: u64| {
            let mut blocks = SackBlocks::default();
            blocks.push(SackBlock { start, end: start + 1 });
            blocks
        };
        let mut sacks = Sacks::default();
        let vc = VcId::from_index(0);
        assert_eq!(sacks.keep(vc, &SackBlocks::default()), 0);
        let numbers: Vec<u32> = (0..4).map(|start| sacks.keep(vc, &blocks(start))).collect();
        assert_eq!(sacks.take(numbers[2]), blocks(2));
        assert_eq!(sacks.keep(vc, &blocks(7)), numbers[2], "its place is free");
        for (number, start) in [(numbers[0], 0), (numbers[1], 1), (numbers[2], 7), (numbers[3], 3)] {
            assert_eq!(sacks.take(number), blocks(start));
        }
        assert_eq!(sacks.take(0), SackBlocks::default());
    }

    #[test]
    fn packets_are_numbered_by_connection_if_asked_for() {
        let mut sacks = Sacks::new(2);
        let [a, b] = [0, 1].map(VcId::from_index);
        let none = SackBlocks::default();
        let keys = [a, a, b, a].map(|vc| sacks.keep(vc, &none));
        assert_eq!(keys.map(|key| sacks.number(key)), [0, 1, 0, 2]);
        sacks.take(keys[1]);
        assert_eq!(sacks.next_number(b), 1);
        let key = sacks.keep(b, &none);
        assert_eq!((key, sacks.number(key)), (keys[1], 1));
    }
}
