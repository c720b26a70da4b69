//! The cells of a port's FIFO, by connection: those that wait, and behind them those that left recently.

use crate::ids::VcId;
use std::ops::RangeInclusive;

/// One cell departs per slot while any waits, so a departure is known when a cell is accepted, and how many wait is
/// known without taking out those that departed: that is done late, when the connections of the cells are needed. Cells of one
/// connection that depart one after the other are kept as one.
pub(in crate::net::batched) struct CellQueue {
    /// A ring; its length is a power of two.
    runs: Vec<Run>,
    /// The numbers of the first run kept, of the first one whose cells are not all taken out, and of the next one.
    oldest: usize,
    head: usize,
    next: usize,
    /// The slot end at which the last accepted cell departs.
    last_departure: u64,
    /// Up to which slot end all departed cells were taken out.
    drained: u64,
    /// For how many slots after its departure a cell is remembered.
    memory: u64,
}

/// Cells of one connection in consecutive slots. Slots between a run and the one before it, where nothing departs, only precede
/// cells that did not wait.
#[derive(Clone, Copy, Default)]
struct Run {
    /// The slot end at which the last departs.
    last: u64,
    vc: VcId,
    /// How many there are, and whether they did not wait.
    cells: u32,
}

/// Cells that did not wait.
const PASSED: u32 = 1 << 31;

impl Run {
    /// The slot ends at which they depart.
    fn departures(&self) -> RangeInclusive<u64> {
        self.last + 1 - u64::from(self.cells & !PASSED)..=self.last
    }
}

impl CellQueue {
    /// An empty queue that remembers departed cells for `memory` slots.
    pub(in crate::net::batched) fn new(memory: u64) -> CellQueue {
        let runs = vec![Run::default(); 16];
        CellQueue { runs, oldest: 0, head: 0, next: 0, last_departure: 0, drained: 0, memory }
    }

    /// The slot end at which the last accepted cell departs.
    #[inline]
    pub(in crate::net::batched) fn last_departure(&self) -> u64 {
        self.last_departure
    }

    /// How many cells wait at slot end `now`, at which or before which the last one was accepted.
    #[inline]
    pub(in crate::net::batched) fn waiting_at(&self, now: u64) -> u64 {
        self.last_departure.saturating_sub(now)
    }

    /// When a cell departs that is accepted at slot end `now`.
    #[inline]
    pub(in crate::net::batched) fn departure(&self, now: u64) -> u64 {
        now.max(self.last_departure + 1)
    }

    /// Whether cells can be pushed while those that departed are not taken out.
    #[inline]
    pub(in crate::net::batched) fn has_room(&self) -> bool {
        self.next - self.oldest < self.runs.len()
    }

    /// One cell of `vc` is accepted in each of `cells` slots, of which the first ends at `now` or later, and these depart
    /// one by one after the cells that wait. There must be room.
    #[inline(always)]
    pub(in crate::net::batched) fn push(&mut self, vc: VcId, cells: u32) {
        self.last_departure += u64::from(cells);
        self.put(vc, cells);
    }

    /// The run that departs last.
    #[inline(always)]
    fn put(&mut self, vc: VcId, cells: u32) {
        let place = self.next & (self.runs.len() - 1);
        self.runs[place] = Run { last: self.last_departure, vc, cells };
        self.next += 1;
    }

    /// Nothing waits: one cell of `vc` is accepted in each of `cells` slots from slot end `now` on, and departs at once. These cells
    /// are not taken out. There must be room.
    #[inline(always)]
    pub(in crate::net::batched) fn pass(&mut self, vc: VcId, now: u64, cells: u32) {
        self.last_departure = now + u64::from(cells) - 1;
        let all_taken = self.head == self.next;
        // Runs that are to be taken out have nothing but cells that did not wait between them.
        if self.memory > 0 || !all_taken {
            self.put(vc, cells | PASSED);
        }
        if all_taken {
            self.head = self.next;
            self.drained = self.last_departure;
        }
    }

    /// Takes out the cells that departed by slot end `now`: connections, and how many cells in a row.
    #[inline(always)]
    pub(in crate::net::batched) fn take_departed(&mut self, now: u64, mut take: impl FnMut(VcId, u32)) {
        let until = self.last_departure.min(now);
        let mut taken = self.drained;
        while taken < until {
            let run = self.runs[self.head & (self.runs.len() - 1)];
            let end = run.last.min(until);
            if run.cells & PASSED == 0 {
                take(run.vc, (end - taken) as u32);
            }
            self.head += usize::from(end == run.last);
            taken = end;
        }
        self.drained = self.drained.max(now);
    }

    /// The cells that are not taken out with their departures, the last one first. What departed must have been taken out.
    pub(in crate::net::batched) fn waiting(&self) -> impl Iterator<Item = (VcId, u64)> {
        self.departures().take_while(|&(_, departs)| departs > self.drained)
    }

    /// The waiting and the remembered cells with their departures, the last one first. Older ones may follow.
    pub(in crate::net::batched) fn departures(&self) -> impl Iterator<Item = (VcId, u64)> + Clone {
        let runs = (self.oldest..self.next).rev().map(|number| self.runs[number & (self.runs.len() - 1)]);
        runs.flat_map(|run| run.departures().rev().map(move |departs| (run.vc, departs)))
    }

    /// Forgets what need not be remembered, and makes the ring longer if there is no room yet.
    #[inline]
    pub(in crate::net::batched) fn make_room(&mut self) {
        if !self.has_room() {
            self.forget();
        }
    }

    #[inline(never)]
    fn forget(&mut self) {
        let forgotten = self.drained.saturating_sub(self.memory);
        // Runs are in the order of their departures.
        let (mut first, mut end) = (self.oldest, self.head);
        while first < end {
            let middle = first + (end - first) / 2;
            if self.runs[middle & (self.runs.len() - 1)].last <= forgotten {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        self.oldest = first;
        // A ring that stays nearly full would be searched at every turn.
        if 2 * (self.next - self.oldest) > self.runs.len() {
            let (old, new) = (self.runs.len(), 2 * self.runs.len());
            let mut runs = vec![Run::default(); new];
            for number in self.oldest..self.next {
                runs[number & (new - 1)] = self.runs[number & (old - 1)];
            }
            self.runs = runs;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;
    use proptest::prelude::*;

    fn vc(number: usize) -> VcId {
        VcId::from_index(number)
    }

    fn taken(queue: &mut CellQueue, now: u64) -> Vec<usize> {
        let mut taken = Vec::new();
        queue.take_departed(now, |vc, cells| taken.extend((0..cells).map(|_| vc.index())));
        taken
    }

    #[test]
    fn a_cell_departs_at_once_or_after_the_one_before_it() {
        let mut queue = CellQueue::new(0);
        assert_eq!(queue.departure(5), 5, "nothing waits");
        queue.pass(vc(0), 5, 1);
        for of in [1, 0] {
            queue.push(vc(of), 1);
        }
        assert_eq!((queue.waiting_at(5), queue.waiting_at(6), queue.waiting_at(9)), (2, 1, 0));
        assert_eq!(queue.departure(6), 8, "after the cells that depart at 6 and at 7");
        assert_eq!(taken(&mut queue, 5), []);
        assert_eq!(taken(&mut queue, 7), [1, 0]);
        queue.pass(vc(0), 9, 3);
        assert_eq!(taken(&mut queue, 11), [], "transmitted as they come");
    }

    proptest! {
        /// Against a list of all cells with their departures.
        #[test]
        fn agrees_with_a_list(
            pushes in prop::collection::vec((0_usize..3, 1_u32..4, 0_u64..4, any::<bool>()), 1..200),
            memory in 0_u64..40,
        ) {
            let mut queue = CellQueue::new(memory);
            // Of each cell when it departs, and whether it waits until then.
            let (mut all, mut now) = (Vec::<(VcId, u64, bool)>::new(), 1);
            let mut gone = 0;
            for (of, count, step, late) in pushes {
                // Often in the slot of the cell before, so that it waits.
                now += step;
                let first = all.last().map_or(0, |&(_, at, _)| at + 1).max(now);
                prop_assert_eq!(queue.departure(now), first);
                prop_assert_eq!(queue.waiting_at(now), all.iter().filter(|&&(_, at, _)| at > now).count() as u64);
                if !late || !queue.has_room() {
                    let departed: Vec<_> = all[gone..].iter().filter(|&&(_, at, waits)| waits && at <= now).collect();
                    let expected: Vec<_> = departed.iter().map(|&&(of, ..)| of.index()).collect();
                    prop_assert_eq!(taken(&mut queue, now), expected);
                    gone = all.partition_point(|&(_, at, _)| at <= now);
                    let departures: Vec<_> = all.iter().rev().map(|&(of, at, _)| (of, at)).collect();
                    let waiting: Vec<_> = departures.iter().copied().take_while(|&(_, at)| at > now).collect();
                    prop_assert_eq!(queue.waiting().collect::<Vec<_>>(), waiting);
                    let remembered: Vec<_> = departures.into_iter().take_while(|&(_, at)| at + memory > now).collect();
                    prop_assert_eq!(queue.departures().take(remembered.len()).collect::<Vec<_>>(), remembered);
                }
                all.extend((0..u64::from(count)).map(|cell| (vc(of), first + cell, first > now)));
                queue.make_room();
                // A run of several only where nothing else arrives in these slots.
                if first == now {
                    queue.pass(vc(of), now, count);
                } else {
                    queue.push(vc(of), count);
                }
                now += u64::from(count) - 1;
            }
        }
    }
}
