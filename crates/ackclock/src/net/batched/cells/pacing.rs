//! Frames whose cells do not come one in every slot: their cells by slots, as far ahead as a ring of slots reaches.
//!
//! When a frame begins it is known when each of its cells will come, and that does not change. So all of them are
//! written down at once, each into its slot, and nothing has to be searched, sorted or asked of a frame afterwards. What
//! several frames have in one slot is put in its order of service when that slot's turn comes.

use crate::net::batched::cells::cell_time::CellTime;
use crate::net::batched::cells::service::Service;

/// From one cell of a frame to the next: whole slots, and picoseconds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::net::batched) struct Spacing {
    slots: u64,
    rest: u64,
}

impl Spacing {
    /// One cell in every slot.
    pub(in crate::net::batched) const EVEN: Spacing = Spacing { slots: 1, rest: 0 };

    /// All cells at one instant.
    pub(in crate::net::batched) const AT_ONCE: Spacing = Spacing { slots: 0, rest: 0 };

    /// A spacing of so many picoseconds, at a port with this cell time.
    pub(in crate::net::batched) fn new(spacing: u64, cell_time: u64) -> Spacing {
        Spacing { slots: spacing / cell_time, rest: spacing % cell_time }
    }
}

/// An instant: the end of its slot, and when in this slot it is, in picoseconds.
#[derive(Clone, Copy)]
pub(in crate::net::batched) struct Place {
    pub(in crate::net::batched) slot: u64,
    offset: u64,
}

/// The cells of a frame that are not written down yet.
#[derive(Clone, Copy)]
struct Rest {
    number: u32,
    /// The end of the slot in which the next one arrives, and when in that slot, in picoseconds.
    slot: u64,
    offset: u64,
    spacing: Spacing,
    left: u16,
}

/// A cell that is written down.
#[derive(Clone, Copy, Default)]
struct Cell {
    /// Its frame's number.
    frame: u32,
    /// The cell of the same slot that was written down before it: of one input, the cell that comes before it.
    next: u32,
    /// When in its slot it arrives, in picoseconds.
    offset: u64,
}

/// The frames, and the cells that are to come of them.
pub(in crate::net::batched) struct Pacing<T> {
    cell_time: CellTime,
    /// The frames by number, and the numbers that are not in use.
    trains: Vec<T>,
    free: Vec<u32>,
    /// A ring: the last one written down of the cells of each slot before `limit`; none before the first frame. And which slots have
    /// any.
    slots: Vec<u32>,
    filled: [u64; RING / 64],
    limit: u64,
    /// The cells written down; place 0 is none. Those not in use are linked, from `spare` on, and they are so many.
    cells: Vec<Cell>,
    spare: u32,
    spares: usize,
    /// What comes in slots beyond the ring.
    later: Vec<Rest>,
    /// The cells of the window at hand: slots after its first, and frames.
    window: Vec<(u32, u32)>,
    /// To sort with: the turn of each cell, its place among those of its slot as they were written down, and its frame.
    turns: Vec<(u64, u32, u32)>,
    /// The order where cells are served as they arrive: when in the slot, from which input, which frame.
    arrivals: Vec<(u64, u32, u32)>,
}

/// A power of two.
const RING: usize = 4096;
const NONE: u32 = 0;

/// Up to so many cells of one slot are sorted without a branch that depends on their order.
const SEVERAL: usize = 4;

/// Cells that come at a spacing: a frame, or a part of one.
pub(in crate::net::batched) trait Paced: Copy {
    /// By which of the port's inputs they come.
    fn input(&self) -> u32;
    /// How many are to come.
    fn left(&self) -> u16;
}

impl<T: Paced> Pacing<T> {
    /// No frames, at a port with this cell time.
    pub(in crate::net::batched) fn new(cell_time: CellTime) -> Pacing<T> {
        Pacing {
            cell_time,
            trains: Vec::new(),
            free: Vec::new(),
            slots: Vec::new(),
            filled: [0; RING / 64],
            limit: 0,
            cells: vec![Cell::default()],
            spare: NONE,
            spares: 0,
            later: Vec::new(),
            window: Vec::new(),
            turns: Vec::new(),
            arrivals: Vec::new(),
        }
    }

    /// Whether no cells are to come.
    #[inline]
    pub(in crate::net::batched) fn is_empty(&self) -> bool {
        self.spares + 1 == self.cells.len() && self.later.is_empty()
    }

    /// The frames with cells to come.
    pub(in crate::net::batched) fn trains(&self) -> impl Iterator<Item = &T> {
        self.trains.iter().filter(|train| train.left() > 0)
    }

    /// Everything before slot end `now` was served: prepares for frames that begin from there on. Returns the last slot end
    /// up to which all cells are written down.
    #[inline]
    pub(in crate::net::batched) fn reach(&mut self, now: u64) -> u64 {
        if self.limit < now + RING as u64 / 2 {
            self.limit = now + RING as u64;
            self.slots.resize(RING, NONE);
            self.write_later();
        }
        self.limit - 1
    }

    /// The same, as far as it goes if `last` is beyond: where much is known of what is to come.
    #[inline]
    pub(in crate::net::batched) fn reach_far(&mut self, now: u64, last: u64) -> u64 {
        if self.limit <= last {
            self.limit = 0;
        }
        self.reach(now)
    }

    /// A frame by its number.
    pub(in crate::net::batched) fn train_mut(&mut self, number: u32) -> &mut T {
        &mut self.trains[number as usize]
    }

    /// A frame whose next cell arrives there, within reach, and the others every `spacing` after it. Returns its number, which it has
    /// as long as cells of it are to come.
    #[inline(always)]
    pub(in crate::net::batched) fn add(&mut self, train: T, next: Place, spacing: Spacing) -> u32 {
        let Place { slot, offset } = next;
        let number = self.number(train);
        self.write(Rest { number, slot, offset, spacing, left: train.left() });
        number
    }

    /// A cell arrives there, within reach: the next one of the frame with this number.
    #[inline(always)]
    pub(in crate::net::batched) fn add_cell(&mut self, number: u32, Place { slot, offset }: Place) {
        if self.spares == 0 {
            self.grow();
        }
        self.spares -= 1;
        let slots: &mut [u32; RING] = self.slots.as_mut_slice().try_into().expect("the ring is there");
        let (place, spare) = (slot as usize % RING, self.spare);
        let cell = &mut self.cells[spare as usize];
        self.spare = cell.next;
        *cell = Cell { frame: number, next: slots[place], offset };
        slots[place] = spare;
        self.filled[place / 64] |= 1 << (place % 64);
    }

    /// The slot of an instant.
    #[inline(always)]
    pub(in crate::net::batched) fn place_of(&self, time: u64) -> Place {
        let slot = self.cell_time.slots(time);
        Place { slot: slot + 1, offset: time - slot * self.cell_time.ps() }
    }

    /// A frame gets a number.
    #[inline(always)]
    pub(in crate::net::batched) fn number(&mut self, train: T) -> u32 {
        let number = self.free.pop().unwrap_or(self.trains.len() as u32);
        if let Some(place) = self.trains.get_mut(number as usize) {
            *place = train;
        } else {
            self.trains.push(train);
        }
        number
    }

    /// The end of the first slot from `now` on that has a cell, as far as cells are written down; if none is there up to `last`,
    /// one after that.
    #[inline]
    pub(in crate::net::batched) fn next_slot(&self, now: u64, last: u64) -> u64 {
        let mut slot = now;
        while slot < self.limit && slot <= last {
            // What is in the ring lies within one turn of it, so lower bits are of later slots.
            let ahead = self.filled[word_of(slot)] >> (slot % 64);
            if ahead != 0 {
                return slot + u64::from(ahead.trailing_zeros());
            }
            slot = (slot / 64 + 1) * 64;
        }
        slot.min(self.limit)
    }

    /// Takes the cells of the slots that end from `now` to `last`, all of them within reach, in their order of service: to
    /// be read with [`Pacing::window`].
    pub(in crate::net::batched) fn take(&mut self, now: u64, last: u64, service: &Service) {
        self.window.clear();
        let mut first = now;
        while first <= last {
            let base = first - first % 64;
            let word = &mut self.filled[word_of(first)];
            let range = u64::MAX << (first % 64) & u64::MAX >> (63 - (last - base).min(63));
            let mut slots = *word & range;
            *word &= !range;
            while slots != 0 {
                let slot = base + u64::from(slots.trailing_zeros());
                slots &= slots - 1;
                self.take_slot(slot, (slot - now) as u32, service);
            }
            first = base + 64;
        }
    }

    /// The cells taken, each with how many slots it comes after the first, and its frame's number; the frames by their
    /// numbers; and where to put the numbers of those that end.
    #[inline]
    pub(in crate::net::batched) fn window(&mut self) -> (&[(u32, u32)], &mut [T], &mut Vec<u32>) {
        (&self.window, &mut self.trains, &mut self.free)
    }

    /// Writes down the cells of a frame.
    #[inline(always)]
    fn write(&mut self, mut rest: Rest) {
        if self.spares < usize::from(rest.left) {
            self.grow();
        }
        let before = rest.left;
        let (Rest { number, spacing, .. }, cell_time) = (rest, self.cell_time.ps());
        let slots: &mut [u32; RING] = self.slots.as_mut_slice().try_into().expect("the ring is there");
        while rest.left > 0 && rest.slot < self.limit {
            let place = rest.slot as usize % RING;
            let spare = self.spare;
            let cell = &mut self.cells[spare as usize];
            self.spare = cell.next;
            *cell = Cell { frame: number, next: slots[place], offset: rest.offset };
            slots[place] = spare;
            self.filled[place / 64] |= 1 << (place % 64);
            rest.offset += spacing.rest;
            let carry = rest.offset >= cell_time;
            rest.offset -= if carry { cell_time } else { 0 };
            rest.slot += spacing.slots + u64::from(carry);
            rest.left -= 1;
        }
        self.spares -= usize::from(before - rest.left);
        if rest.left > 0 {
            self.later.push(rest);
        }
    }

    /// The ring reaches farther.
    #[inline(never)]
    fn write_later(&mut self) {
        let mut later = std::mem::take(&mut self.later);
        later.drain(..).for_each(|rest| self.write(rest));
        // What is still later was pushed meanwhile; the room is kept.
        later.append(&mut self.later);
        self.later = later;
    }

    /// More places for cells.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let before = self.cells.len();
        // More than the cells of the largest frame.
        self.cells.resize(2 * before + 2048, Cell::default());
        for place in before..self.cells.len() {
            self.cells[place].next = std::mem::replace(&mut self.spare, place as u32);
        }
        self.spares += self.cells.len() - before;
    }

    /// Takes the cells of one slot, which has some, and comes `offset` slots after the first of the window.
    #[inline(always)]
    fn take_slot(&mut self, slot: u64, offset: u32, service: &Service) {
        let first = std::mem::replace(&mut self.slots[slot as usize % RING], NONE);
        let Cell { frame, next, .. } = self.cells[first as usize];
        if next == NONE {
            self.free_cells(first, first, 1);
            self.window.push((offset, frame));
        } else if service.is_by_arrival() {
            self.take_by_arrival(offset, first);
        } else if self.cells[next as usize].next == NONE {
            self.take_two(slot, offset, [first, next], service);
        } else {
            self.take_several(slot, offset, first, service);
        }
    }

    /// Takes the cells of a slot that has two.
    #[inline(always)]
    fn take_two(&mut self, slot: u64, offset: u32, places: [u32; 2], service: &Service) {
        let in_slot = service.in_slot(slot - 1);
        let [one, other] = places.map(|place| self.cells[place as usize].frame);
        let [turn, turn_of_other] = [one, other].map(|frame| in_slot.of(self.trains[frame as usize].input()));
        self.free_cells(places[0], places[1], 2);
        // The first one is random, so no branch depends on it. Of one input it is the one written down first.
        let flip = (one ^ other) * u32::from(turn_of_other <= turn);
        self.window.extend_from_slice(&[(offset, one ^ flip), (offset, other ^ flip)]);
    }

    /// Takes the cells of a slot that has a few.
    #[inline(always)]
    fn take_several(&mut self, slot: u64, offset: u32, first: u32, service: &Service) {
        let in_slot = service.in_slot(slot - 1);
        let (mut turns, mut frames, mut places) = ([0; SEVERAL], [0; SEVERAL], [0_u8; SEVERAL]);
        let (mut count, mut last) = (0, first);
        loop {
            let Cell { frame, next, .. } = self.cells[last as usize];
            (turns[count], frames[count]) = (in_slot.of(self.trains[frame as usize].input()), frame);
            // The place of each is the number of those before it: the order is random, so no branch depends on it. Of one input those
            // come first that were written down first.
            for other in 0..count {
                let before = turns[other] < turns[count];
                places[count] += u8::from(before);
                places[other] += u8::from(!before);
            }
            count += 1;
            if next == NONE {
                break;
            }
            if count == SEVERAL {
                return self.take_many(slot, offset, first, service);
            }
            last = next;
        }
        self.free_cells(first, last, count);
        let mut sorted = [(offset, 0); SEVERAL];
        for (&place, &frame) in places[..count].iter().zip(&frames) {
            sorted[usize::from(place) % SEVERAL].1 = frame;
        }
        self.window.extend_from_slice(&sorted[..count]);
    }

    /// Takes the cells of any slot.
    #[inline(never)]
    fn take_many(&mut self, slot: u64, offset: u32, first: u32, service: &Service) {
        let in_slot = service.in_slot(slot - 1);
        self.turns.clear();
        let mut last = first;
        loop {
            let Cell { frame, next, .. } = self.cells[last as usize];
            let turn = in_slot.of(self.trains[frame as usize].input());
            self.turns.push((turn, u32::MAX - self.turns.len() as u32, frame));
            if next == NONE {
                break;
            }
            last = next;
        }
        self.free_cells(first, last, self.turns.len());
        self.turns.sort_unstable();
        self.window.extend(self.turns.iter().map(|&(_, _, frame)| (offset, frame)));
    }

    /// Takes the cells of any slot, where cells are served as they arrive.
    #[inline(never)]
    fn take_by_arrival(&mut self, offset: u32, first: u32) {
        self.arrivals.clear();
        let mut last = first;
        loop {
            let Cell { frame, next, offset: within } = self.cells[last as usize];
            self.arrivals.push((within, self.trains[frame as usize].input(), frame));
            if next == NONE {
                break;
            }
            last = next;
        }
        self.free_cells(first, last, self.arrivals.len());
        // Of one input and instant those come first that were written down first.
        self.arrivals.reverse();
        self.arrivals.sort_by_key(|&(within, input, _)| (within, input));
        self.window.extend(self.arrivals.iter().map(|&(_, _, frame)| (offset, frame)));
    }

    /// The `count` cells of a slot, from the first to the last in their chain, are no longer needed.
    #[inline(always)]
    fn free_cells(&mut self, first: u32, last: u32, count: usize) {
        self.cells[last as usize].next = std::mem::replace(&mut self.spare, first);
        self.spares += count;
    }
}

/// In which word of the map of filled slots a slot is.
#[inline]
fn word_of(slot: u64) -> usize {
    slot as usize / 64 % (RING / 64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::batched::cells::train::Train;
    use crate::net::batched::io::{Arrival, Cells, InputRef};
    use crate::rng::{Stream, mix};
    use crate::scenario::ServiceOrder;
    use proptest::prelude::*;

    fn train(input: u32, left: u16) -> Train {
        let input_ref = InputRef { input, ..InputRef::default() };
        Train::new(&Arrival { input_ref, cells: Cells::new(0, left, true), ..Arrival::default() })
    }

    proptest! {
        #[test]
        fn every_cell_is_served_in_its_slot_and_turn(
            frames in prop::collection::vec((0_u64..3000, 1_u64..70_000, 1_u16..20), 1..60),
            windows in prop::collection::vec(1_u64..RING as u64, 1..20),
            random in any::<bool>(),
        ) {
            const CELL_TIME: u64 = 100;
            let order = if random { ServiceOrder::Random } else { ServiceOrder::Rotating };
            let inputs: Vec<u64> = (0..frames.len() as u64).map(mix).collect();
            let service = Service { order, stream: Stream::new(1, "port", "service-order"), inputs };
            let mut pacing = Pacing::new(CellTime::new(CELL_TIME));
            let mut expected = Vec::new();
            pacing.reach(1);
            for (input, &(time, spacing, cells)) in (0..).zip(&frames) {
                pacing.add(train(input, cells), pacing.place_of(time), Spacing::new(spacing, CELL_TIME));
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
                let last = pacing.reach(now).min(now + window - 1);
                prop_assert!(seen.len() == expected.len() || pacing.next_slot(now, last) <= expected[seen.len()].0);
                pacing.take(now, last, &service);
                let (cells, trains, ended) = pacing.window();
                for &(offset, number) in cells {
                    let (slot, train) = (now + u64::from(offset), &mut trains[number as usize]);
                    train.left -= 1;
                    seen.push((slot, service.in_slot(slot - 1).of(train.input), train.input));
                    if train.left == 0 {
                        ended.push(number);
                    }
                }
                now = last + 1;
            }
            prop_assert_eq!(seen, expected);
            prop_assert_eq!(pacing.trains().count(), 0);
        }

        /// Many frames on few instants: those of one instant are served by input, and those of one input in the order in which they came.
        #[test]
        fn cells_that_are_served_as_they_arrive_keep_their_times(
            mut frames in prop::collection::vec((0_u64..1500, 10_u64..700, 1_u16..20), 1..40),
            inputs in 1_u32..40,
        ) {
            const CELL_TIME: u64 = 100;
            let stream = Stream::new(1, "port", "service-order");
            let service = Service { order: ServiceOrder::Arrival, stream, inputs: vec![0; frames.len()] };
            let mut pacing = Pacing::new(CellTime::new(CELL_TIME));
            let mut expected = Vec::new();
            pacing.reach(1);
            frames.sort_unstable();
            for (frame, &(time, spacing, cells)) in (0..).zip(&frames) {
                let (input, time, spacing) = (frame % inputs, 10 * time, 10 * spacing);
                let train = Train { frame, ..train(input, cells) };
                pacing.add(train, pacing.place_of(time), Spacing::new(spacing, CELL_TIME));
                expected.extend((0..u64::from(cells)).map(|cell| (time + cell * spacing, input, frame)));
            }
            expected.sort_unstable();
            let expected: Vec<_> = expected.iter().map(|&(time, _, frame)| (time / CELL_TIME + 1, frame)).collect();
            let (mut seen, mut now) = (Vec::new(), 1);
            while !pacing.is_empty() {
                let last = pacing.reach(now).min(now + 63);
                pacing.take(now, last, &service);
                let (cells, trains, ended) = pacing.window();
                for &(offset, number) in cells {
                    let train = &mut trains[number as usize];
                    train.left -= 1;
                    seen.push((now + u64::from(offset), train.frame));
                    if train.left == 0 {
                        ended.push(number);
                    }
                }
                now = last + 1;
            }
            prop_assert_eq!(seen, expected);
        }
    }
}
