//! The cells of a port's FIFO, by connection: those that wait, and behind them those that left recently.

use crate::ids::VcId;

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

/// Cells of one connection in consecutive slots.
#[derive(Clone, Copy, Default)]
struct Run {
    /// The slot end at which the first departs.
    departs: u64,
    vc: VcId,
    cells: u32,
}

impl Run {
    /// The slot end after the last departure.
    #[inline]
    fn end(&self) -> u64 {
        self.departs + u64::from(self.cells)
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
        let place = self.next & (self.runs.len() - 1);
        self.runs[place] = Run { departs: self.last_departure + 1, vc, cells };
        self.next += 1;
        self.last_departure += u64::from(cells);
    }

    /// Nothing waits, and everything before was taken out: one cell of `vc` is accepted in each of `cells` slots from
    /// slot end `now` on, and departs at once. These cells are not taken out.
    #[inline]
    pub(in crate::net::batched) fn pass(&mut self, vc: VcId, now: u64, cells: u32) {
        self.last_departure = now - 1;
        if self.memory > 0 {
            self.make_room();
            self.push(vc, cells);
            self.head = self.next;
        } else {
            self.last_departure += u64::from(cells);
        }
        self.drained = self.last_departure;
    }

    /// Takes out the cells that departed by slot end `now`: connections, and how many cells in a row.
    #[inline(always)]
    pub(in crate::net::batched) fn take_departed(&mut self, now: u64, mut take: impl FnMut(VcId, u32)) {
        let end = self.last_departure.min(now) + 1;
        let mut from = self.drained + 1;
        while from < end {
            let run = self.runs[self.head & (self.runs.len() - 1)];
            // Nothing was taken out of a run that begins later.
            let until = run.end().min(end);
            take(run.vc, (until - from) as u32);
            self.head += usize::from(until == run.end());
            from = until;
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
        runs.flat_map(|run| (run.departs..run.end()).rev().map(move |departs| (run.vc, departs)))
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
            if self.runs[middle & (self.runs.len() - 1)].end() <= forgotten + 1 {
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
            pushes in prop::collection::vec((0_usize..3, 1_u32..4, 0_u64..8, any::<bool>()), 1..200),
            memory in 0_u64..40,
        ) {
            let mut queue = CellQueue::new(memory);
            let (mut all, mut now) = (Vec::<(VcId, u64)>::new(), 0);
            let mut gone = 0;
            for (of, count, step, late) in pushes {
                now += 1 + step;
                let first = all.last().map_or(0, |&(_, at)| at + 1).max(now);
                prop_assert_eq!(queue.departure(now), first);
                prop_assert_eq!(queue.waiting_at(now), all.iter().filter(|&&(_, at)| at > now).count() as u64);
                if first == now || !late || !queue.has_room() {
                    for of in taken(&mut queue, now) {
                        prop_assert!(all[gone].0 == vc(of) && all[gone].1 <= now);
                        gone += 1;
                    }
                    prop_assert!(all[gone..].iter().all(|&(_, at)| at > now));
                    let waiting: Vec<_> = all[gone..].iter().rev().copied().collect();
                    prop_assert_eq!(queue.waiting().collect::<Vec<_>>(), waiting);
                    let remembered: Vec<_> = all.iter().rev().copied().take_while(|&(_, at)| at + memory > now).collect();
                    prop_assert_eq!(queue.departures().take(remembered.len()).collect::<Vec<_>>(), remembered);
                }
                all.extend((0..u64::from(count)).map(|cell| (vc(of), first + cell)));
                // A run of several only where nothing else arrives in these slots.
                if first == now {
                    queue.pass(vc(of), now, count);
                    gone = all.len();
                } else {
                    queue.make_room();
                    queue.push(vc(of), count);
                }
                now += u64::from(count) - 1;
            }
        }
    }
}
