//! Frames whose cells do not come one in every slot: their cells put in order, a window of slots at a time.
//!
//! Where paced frames meet, each slot has no cell, or one, or several, at random: to ask every slot what it has costs a
//! wrong guess of the processor nearly every time. So the cells of a window are written down frame by frame, as numbers
//! that begin with the slot, and sorted without a branch that depends on them.

use super::door::Train;
use super::service::Service;

/// From one cell of a frame to the next: whole slots, and picoseconds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Spacing {
    slots: u64,
    rest: u64,
}

impl Spacing {
    /// One cell in every slot.
    pub(super) const EVEN: Spacing = Spacing { slots: 1, rest: 0 };

    /// A spacing of so many picoseconds, at a port with this cell time.
    pub(super) fn new(spacing: u64, cell_time: u64) -> Spacing {
        Spacing { slots: spacing / cell_time, rest: spacing % cell_time }
    }
}

/// When the cells come of a frame with a spacing of its own, or beside such frames.
#[derive(Clone, Copy)]
struct Paced {
    /// The end of the slot in which the next cell arrives, and when in that slot, in picoseconds.
    slot: u64,
    offset: u64,
    spacing: Spacing,
    /// Cells that are not yet written down.
    left: u16,
    /// How many frames began before.
    begun: u64,
    /// The next frame of the same bucket.
    next: u32,
}

/// The frames, each in a wheel of buckets at the slot of its next cell. What is due later than a turn of the wheel
/// comes by once in each turn.
pub(super) struct Pacing {
    cell_time: u64,
    frames: Vec<Paced>,
    /// The same frames for those who serve them.
    trains: Vec<Train>,
    /// The first frame of each bucket.
    buckets: [u32; BUCKETS],
    /// The buckets that are not empty.
    filled: [u64; BUCKETS / 64],
    /// Entries of `frames` that are not in use.
    free: u32,
    /// Frames with cells that are not written down, and how many of them do not have one in every slot.
    len: usize,
    uneven: usize,
    begun: u64,
    /// The cells of the window at hand, and the frames that end in it.
    cells: Vec<u32>,
    ending: Vec<u32>,
    /// To sort with: the first so many are cells as they are written down; how many each slot has, and then where they
    /// go; the slots that have several, by the places of their first cells and after their last ones; the turns of
    /// many, and which frame began first, with the cells.
    unsorted: Vec<u32>,
    written: usize,
    places: Vec<u32>,
    shared: Vec<(u32, u32)>,
    turns: Vec<(u64, u64, u32)>,
}

const BUCKETS: usize = 256;
const NONE: u32 = u32::MAX;

/// A cell is one number: its slot within the window, and the frame's number.
const SLOT_BITS: u32 = 12;
const NUMBER_BITS: u32 = 32 - SLOT_BITS;

/// Up to so many cells of one slot are sorted without a branch that depends on their order.
const SEVERAL: usize = 4;

/// The most slots of a window.
pub(super) const WINDOW: u64 = 1 << SLOT_BITS;

/// From so many frames on a window ends before the next one begins.
pub(super) const MANY: usize = 1 << (NUMBER_BITS - 2);

impl Pacing {
    /// No frames, at a port with this cell time.
    pub(super) fn new(cell_time: u64) -> Pacing {
        Pacing {
            cell_time,
            frames: Vec::new(),
            trains: Vec::new(),
            buckets: [NONE; BUCKETS],
            filled: [0; BUCKETS / 64],
            free: NONE,
            len: 0,
            uneven: 0,
            begun: 0,
            cells: Vec::new(),
            ending: Vec::new(),
            unsorted: Vec::new(),
            written: 0,
            places: Vec::new(),
            shared: Vec::new(),
            turns: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether each frame has one cell in every slot.
    pub(super) fn is_even(&self) -> bool {
        self.uneven == 0
    }

    /// The frames with cells to come.
    pub(super) fn trains(&self) -> impl Iterator<Item = &Train> {
        self.trains.iter().filter(|train| train.left > 0)
    }

    /// A frame whose next cell arrives at `time` and the others every `spacing` after it.
    #[inline(always)]
    pub(super) fn add(&mut self, train: Train, time: u64, spacing: Spacing) {
        let slot = time / self.cell_time + 1;
        let offset = time - (slot - 1) * self.cell_time;
        let (left, begun) = (train.left, self.begun);
        let paced = Paced { slot, offset, spacing, left, begun, next: NONE };
        self.begun += 1;
        let number = self.free;
        let number = if let Some(place) = self.frames.get_mut(number as usize) {
            self.free = place.next;
            *place = paced;
            self.trains[number as usize] = train;
            number
        } else {
            assert!(self.frames.len() < 1 << NUMBER_BITS, "a million paced frames in a window");
            self.frames.push(paced);
            self.trains.push(train);
            self.frames.len() as u32 - 1
        };
        self.len += 1;
        self.uneven += usize::from(spacing != Spacing::EVEN);
        self.link(number);
    }

    /// Takes out all frames, which have one cell in every slot.
    pub(super) fn take_even(&mut self, mut take: impl FnMut(Train)) {
        self.trains().for_each(|&train| take(train));
        *self = Pacing {
            begun: self.begun,
            frames: std::mem::take(&mut self.frames),
            trains: std::mem::take(&mut self.trains),
            cells: std::mem::take(&mut self.cells),
            ending: std::mem::take(&mut self.ending),
            unsorted: std::mem::take(&mut self.unsorted),
            places: std::mem::take(&mut self.places),
            shared: std::mem::take(&mut self.shared),
            turns: std::mem::take(&mut self.turns),
            ..Pacing::new(self.cell_time)
        };
        self.frames.clear();
        self.trains.clear();
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

    /// Writes down the cells of the slots that end from `now` to `last`, in their order of service: to be read with
    /// [`Pacing::written_down`].
    pub(super) fn write_down(&mut self, now: u64, last: u64, service: &Service) {
        self.written = 0;
        let slots = (last + 1 - now) as usize;
        self.places.resize(WINDOW as usize, 0);
        self.places[..slots].fill(0);
        let mut slot = now;
        let until = (last + 1).min(now + BUCKETS as u64);
        loop {
            slot = self.next_slot(slot);
            if slot >= until {
                break;
            }
            let bucket = slot as usize % BUCKETS;
            let mut number = std::mem::replace(&mut self.buckets[bucket], NONE);
            self.filled[bucket / 64] &= !(1 << (bucket % 64));
            while number != NONE {
                let next = self.frames[number as usize].next;
                self.write_frame(number, now, last);
                number = next;
            }
            slot += 1;
        }
        // Frames that were put back in front of the hand come by a second time, with nothing to write.
        for place in 0..self.sort_by_slot(slots) {
            let (first, end) = self.shared[place];
            self.sort_slot(first as usize, end as usize, now, service);
        }
    }

    /// The cells written down, to be told apart with [`slot_of`] and [`number_of`], and the frames by their numbers.
    #[inline]
    pub(super) fn written_down(&mut self) -> (&[u32], &mut [Train]) {
        (&self.cells, &mut self.trains)
    }

    /// All that was written down was served.
    pub(super) fn served(&mut self) {
        for &number in &self.ending {
            self.frames[number as usize].next = self.free;
            self.free = number;
        }
        self.ending.clear();
    }

    /// Writes down the cells of a frame that was taken out of its bucket, up to slot end `last`.
    #[inline(always)]
    fn write_frame(&mut self, number: u32, now: u64, last: u64) {
        let Pacing { cell_time, frames, unsorted, written, places, .. } = self;
        let paced = &mut frames[number as usize];
        let Paced { slot, mut offset, spacing: Spacing { slots, rest }, left, .. } = *paced;
        let end = *written + usize::from(left);
        if unsorted.len() < end {
            unsorted.resize(2 * end, 0);
        }
        let places: &mut [u32; WINDOW as usize] = places.as_mut_slice().try_into().expect("as many as a window");
        let count = if slot + u64::from(left) * (slots + 1) <= last {
            // Most often the window has all of it: nothing is asked of a single cell.
            let mut cell = ((slot - now) as u32) << NUMBER_BITS | number;
            for place in &mut unsorted[*written..end] {
                *place = cell;
                places[slot_of(cell)] += 1;
                offset += rest;
                let carry = offset >= *cell_time;
                offset -= if carry { *cell_time } else { 0 };
                cell += (slots as u32 + u32::from(carry)) << NUMBER_BITS;
            }
            left
        } else {
            let (mut slot, mut count) = (slot, 0);
            while count < left && slot <= last {
                let cell = ((slot - now) as u32) << NUMBER_BITS | number;
                unsorted[*written + usize::from(count)] = cell;
                places[slot_of(cell)] += 1;
                count += 1;
                offset += rest;
                let carry = offset >= *cell_time;
                offset -= if carry { *cell_time } else { 0 };
                slot += slots + u64::from(carry);
            }
            (paced.slot, paced.offset) = (slot, offset);
            count
        };
        *written += usize::from(count);
        paced.left -= count;
        if paced.left > 0 {
            self.link(number);
        } else {
            self.len -= 1;
            self.uneven -= usize::from(paced.spacing != Spacing::EVEN);
            self.ending.push(number);
        }
    }

    /// Sorts by slot what was written down for so many slots, and notes where several cells share one; returns how often.
    fn sort_by_slot(&mut self, slots: usize) -> usize {
        let Pacing { unsorted, written, cells, places, shared, .. } = self;
        let unsorted = &unsorted[..*written];
        if unsorted.len() <= 20 || unsorted.len() < slots / 16 {
            cells.clear();
            cells.extend_from_slice(unsorted);
            cells.sort_unstable();
            shared.clear();
            let mut first = 0;
            for slot in cells.chunk_by(|&one, &other| slot_of(one) == slot_of(other)) {
                let end = first + slot.len() as u32;
                if slot.len() > 1 {
                    shared.push((first, end));
                }
                first = end;
            }
            return shared.len();
        }
        // From how many cells each slot has to where the first of them goes, and then each to its place.
        if shared.len() < slots {
            shared.resize(slots, (0, 0));
        }
        let (mut next, mut several) = (0, 0);
        for place in &mut places[..slots] {
            let first = next;
            next += *place;
            shared[several] = (first, next);
            several += usize::from(*place > 1);
            *place = first;
        }
        // What was there is overwritten.
        cells.resize(unsorted.len(), 0);
        let places: &mut [u32; WINDOW as usize] = places.as_mut_slice().try_into().expect("as many as a window");
        for &cell in unsorted {
            let place = &mut places[slot_of(cell)];
            cells[*place as usize] = cell;
            *place += 1;
        }
        several
    }

    /// Sorts the cells of one slot by their turns. Of those of one input, whose turn is the same, the frame that began
    /// earlier comes first, as frames on a link do not interleave.
    #[inline(always)]
    fn sort_slot(&mut self, first: usize, end: usize, now: u64, service: &Service) {
        let Pacing { cells, frames, trains, turns, .. } = self;
        let cells = &mut cells[first..end];
        let in_slot = service.in_slot(now + slot_of(cells[0]) as u64 - 1);
        let turn = |cell: u32| {
            let number = number_of(cell);
            (in_slot.of(trains[number].input), frames[number].begun, cell)
        };
        if let [one, other] = cells {
            // Who comes first is random: no branch.
            let ((one_turn, one_begun, _), (other_turn, other_begun, _)) = (turn(*one), turn(*other));
            let swap = (other_turn < one_turn) | (other_turn == one_turn) & (other_begun < one_begun);
            (*one, *other) = if swap { (*other, *one) } else { (*one, *other) };
            return;
        }
        if cells.len() <= SEVERAL {
            // The place of each is the number of those before it: no branch. Cells of one frame keep their order.
            let (mut few, mut places, mut sorted) = ([(0, 0); SEVERAL], [0; SEVERAL], [0; SEVERAL]);
            for (one, &cell) in cells.iter().enumerate() {
                let (turn, begun, _) = turn(cell);
                few[one] = (turn, begun);
                for other in 0..one {
                    let (other_turn, other_begun) = few[other];
                    let after = (other_turn < turn) | (other_turn == turn) & (other_begun <= begun);
                    places[one] += usize::from(after);
                    places[other] += usize::from(!after);
                }
            }
            for (&place, &cell) in places.iter().zip(&*cells) {
                sorted[place % SEVERAL] = cell;
            }
            cells.copy_from_slice(&sorted[..cells.len()]);
            return;
        }
        turns.clear();
        turns.extend(cells.iter().map(|&cell| turn(cell)));
        turns.sort_unstable();
        for (cell, &(_, _, sorted)) in cells.iter_mut().zip(&*turns) {
            *cell = sorted;
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

/// How many slots after the first of the window a cell comes.
#[inline]
pub(super) fn slot_of(cell: u32) -> usize {
    (cell >> NUMBER_BITS) as usize
}

/// The number of a cell's frame.
#[inline]
pub(super) fn number_of(cell: u32) -> usize {
    (cell & ((1 << NUMBER_BITS) - 1)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::batched::io::{Cells, Item};
    use crate::rng::{Stream, mix};
    use crate::scenario::ServiceOrder;
    use proptest::prelude::*;

    fn train(input: u32, left: u16) -> Train {
        Train::new(&Item { input, cells: Cells::new(0, left, true), ..Item::default() })
    }

    proptest! {
        #[test]
        fn every_cell_is_served_in_its_slot_and_turn(
            frames in prop::collection::vec((0_u64..3000, 1_u64..70_000, 1_u16..20), 1..60),
            windows in prop::collection::vec(1_u64..WINDOW, 1..20),
            random in any::<bool>(),
        ) {
            const CELL_TIME: u64 = 100;
            let order = if random { ServiceOrder::Random } else { ServiceOrder::Rotating };
            let inputs: Vec<u64> = (0..frames.len() as u64).map(mix).collect();
            let service = Service { order, stream: Stream::new(1, "port", "service-order"), inputs };
            let mut pacing = Pacing::new(CELL_TIME);
            let mut expected = Vec::new();
            for (input, &(time, spacing, cells)) in (0..).zip(&frames) {
                pacing.add(train(input, cells), time, Spacing::new(spacing, CELL_TIME));
                expected.extend((0..u64::from(cells)).map(|cell| {
                    let slot = (time + cell * spacing) / CELL_TIME;
                    (slot + 1, service.in_slot(slot).of(input), input)
                }));
            }
            expected.sort_unstable();
            let (mut seen, mut now) = (Vec::new(), 1);
            for window in windows.into_iter().cycle() {
                if pacing.is_empty() {
                    break;
                }
                pacing.write_down(now, now + window - 1, &service);
                let (cells, trains) = pacing.written_down();
                for &cell in cells {
                    let (slot, train) = (now + slot_of(cell) as u64, &mut trains[number_of(cell)]);
                    train.left -= 1;
                    seen.push((slot, service.in_slot(slot - 1).of(train.input), train.input));
                }
                pacing.served();
                now += window;
            }
            prop_assert_eq!(seen, expected);
            prop_assert_eq!(pacing.trains().count(), 0);
        }
    }
}
