//! Frames whose cells do not come one in every slot: each is found in the slot of its next cell, without a search.

use super::door::Train;

/// A frame with a spacing of its own.
#[derive(Clone, Copy)]
pub(super) struct Paced {
    pub(super) train: Train,
    /// The end of the slot in which the next cell arrives, and when in that slot, in picoseconds.
    slot: u64,
    offset: u64,
    /// The spacing: whole slots, and picoseconds.
    slots: u64,
    rest: u64,
    /// The next frame of the same bucket.
    next: u32,
}

/// A wheel of buckets, one for each of the next slots. What is due later comes by once in each turn.
pub(super) struct Pacing {
    cell_time: u64,
    frames: Vec<Paced>,
    /// The first frame of each bucket.
    buckets: [u32; BUCKETS],
    /// The buckets that are not empty.
    filled: [u64; BUCKETS / 64],
    /// Entries of `frames` that are not in use.
    free: u32,
    len: usize,
}

const BUCKETS: usize = 256;
const NONE: u32 = u32::MAX;

impl Pacing {
    /// No frames, at a port with this cell time.
    pub(super) fn new(cell_time: u64) -> Pacing {
        let buckets = [NONE; BUCKETS];
        Pacing { cell_time, frames: Vec::new(), buckets, filled: [0; BUCKETS / 64], free: NONE, len: 0 }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The frames with cells to come.
    pub(super) fn trains(&self) -> impl Iterator<Item = &Train> {
        self.frames.iter().map(|paced| &paced.train).filter(|train| train.left > 0)
    }

    /// A frame whose next cell arrives at `time` and the others every `spacing` after it.
    pub(super) fn add(&mut self, train: Train, time: u64, spacing: u64) {
        let paced = Paced {
            train,
            slot: time / self.cell_time + 1,
            offset: time % self.cell_time,
            slots: spacing / self.cell_time,
            rest: spacing % self.cell_time,
            next: NONE,
        };
        let number = self.free;
        let number = if let Some(place) = self.frames.get_mut(number as usize) {
            self.free = place.next;
            *place = paced;
            number
        } else {
            self.frames.push(paced);
            self.frames.len() as u32 - 1
        };
        self.len += 1;
        self.link(number);
    }

    /// The end of the first slot from `now` on that may have a cell, if it is within one turn.
    #[inline]
    pub(super) fn next_slot(&self, now: u64) -> u64 {
        let start = now as usize % BUCKETS;
        let word = start / 64;
        let ahead = self.filled[word] >> (start % 64);
        if ahead != 0 {
            return now + u64::from(ahead.trailing_zeros());
        }
        let mut slots = 64 - start as u64 % 64;
        for step in 1..=self.filled.len() {
            let filled = self.filled[(word + step) % self.filled.len()];
            if filled != 0 {
                slots += u64::from(filled.trailing_zeros());
                return now + slots;
            }
            slots += 64;
        }
        now + BUCKETS as u64
    }

    /// If exactly one cell may arrive in the slot that ends at `now`, and does: takes its frame out.
    #[inline]
    pub(super) fn take_single(&mut self, now: u64) -> Option<u32> {
        let bucket = now as usize % BUCKETS;
        let number = self.buckets[bucket];
        let paced = self.frames.get(number as usize)?;
        // A spacing of at least a slot leaves room for one cell only.
        if paced.next != NONE || paced.slot != now || paced.slots == 0 {
            return None;
        }
        self.buckets[bucket] = NONE;
        self.filled[bucket / 64] &= !(1 << (bucket % 64));
        Some(number)
    }

    /// Takes the frames out that have cells in the slot that ends at `now`: calls `cell` with the frame's number and
    /// train, and when in the slot, for each of their cells.
    pub(super) fn take(&mut self, now: u64, mut cell: impl FnMut(u32, &Train, u64)) {
        let bucket = now as usize % BUCKETS;
        let mut number = std::mem::replace(&mut self.buckets[bucket], NONE);
        self.filled[bucket / 64] &= !(1 << (bucket % 64));
        while let Some(paced) = self.frames.get_mut(number as usize) {
            let next = paced.next;
            if paced.slot == now {
                let mut offset = paced.offset;
                for _ in 0..paced.train.left {
                    cell(number, &paced.train, offset);
                    offset += paced.slots * self.cell_time + paced.rest;
                    if offset >= self.cell_time {
                        break;
                    }
                }
            } else {
                self.link(number);
            }
            number = next;
        }
    }

    /// The train of a frame that was taken out.
    #[inline]
    pub(super) fn train_mut(&mut self, number: u32) -> &mut Train {
        &mut self.frames[number as usize].train
    }

    /// A cell of a frame that was taken out was served in the slot that ends at `now`: puts it back for the next one
    /// unless that is in the same slot or there is none.
    #[inline]
    pub(super) fn served(&mut self, number: u32, now: u64) {
        let paced = &mut self.frames[number as usize];
        if paced.train.left == 0 {
            paced.next = self.free;
            self.free = number;
            self.len -= 1;
            return;
        }
        paced.slot += paced.slots;
        paced.offset += paced.rest;
        if paced.offset >= self.cell_time {
            paced.offset -= self.cell_time;
            paced.slot += 1;
        }
        if paced.slot > now {
            self.link(number);
        }
    }

    #[inline]
    fn link(&mut self, number: u32) {
        let paced = &mut self.frames[number as usize];
        let bucket = paced.slot as usize % BUCKETS;
        paced.next = std::mem::replace(&mut self.buckets[bucket], number);
        self.filled[bucket / 64] |= 1 << (bucket % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Id, VcId};
    use proptest::prelude::*;

    fn train(input: u32, left: u16) -> Train {
        Train::new(input, VcId::from_index(0), 0, 0, left, true)
    }

    proptest! {
        #[test]
        fn every_cell_is_found_in_its_slot(
            frames in prop::collection::vec((0_u64..3000, 1_u64..70_000, 1_u16..20), 1..10),
        ) {
            const CELL_TIME: u64 = 100;
            let mut pacing = Pacing::new(CELL_TIME);
            let mut expected = Vec::new();
            for (input, &(time, spacing, cells)) in (0..).zip(&frames) {
                pacing.add(train(input, cells), time, spacing);
                expected.extend((0..u64::from(cells)).map(|cell| {
                    let at = time + cell * spacing;
                    (at / CELL_TIME + 1, at % CELL_TIME, input)
                }));
            }
            expected.sort_unstable();
            let (mut seen, mut now) = (Vec::new(), 1);
            while !pacing.is_empty() {
                now = pacing.next_slot(now);
                let mut here = Vec::new();
                pacing.take(now, |number, train, offset| here.push((offset, train.input, number)));
                here.sort_unstable();
                for (offset, input, number) in here {
                    seen.push((now, offset, input));
                    pacing.train_mut(number).left -= 1;
                    pacing.served(number, now);
                }
                now += 1;
            }
            prop_assert_eq!(seen, expected);
        }
    }
}
