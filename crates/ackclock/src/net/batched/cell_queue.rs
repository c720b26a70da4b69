//! The cells of a port's FIFO, by connection: those that wait, and behind them those that left not long ago.

use crate::ids::{Id, VcId};

/// One cell departs per slot while any waits, so a departure is known when a cell is accepted, and how many wait is
/// known without taking out those that departed: that is done late, when somebody asks of whom they were. Cells of one
/// connection that follow each other without a gap are kept as one run.
pub(super) struct CellQueue {
    /// A ring.
    runs: Vec<Run>,
    /// The run that the head of the queue is in, and how many of its cells were taken out.
    head: usize,
    gone: u32,
    /// The newest run.
    tail: usize,
    /// The slot end at which the last accepted cell departs.
    last_departure: u64,
    /// Up to which slot end all departed cells were taken out.
    drained: u64,
    /// For how many slots after its departure a cell is remembered.
    memory: u64,
}

/// Cells of one connection that depart one slot apart.
#[derive(Clone, Copy, Default)]
struct Run {
    vc: u32,
    cells: u32,
    /// The departure of the last one.
    last: u64,
}

/// A run's number of cells stays within 32 bits.
const LONGEST_RUN: u32 = 1 << 30;

impl CellQueue {
    /// An empty queue that remembers departed cells for `memory` slots.
    pub(super) fn new(memory: u64) -> CellQueue {
        let runs = vec![Run::default(); 16];
        CellQueue { runs, head: 0, gone: 0, tail: 0, last_departure: 0, drained: 0, memory }
    }

    /// How many cells wait at slot end `now`, at which or before which the last one was accepted.
    #[inline]
    pub(super) fn waiting_at(&self, now: u64) -> u64 {
        self.last_departure.saturating_sub(now)
    }

    /// When a cell departs that is accepted at slot end `now`.
    #[inline]
    pub(super) fn departure(&self, now: u64) -> u64 {
        now.max(self.last_departure + 1)
    }

    /// One cell of `vc` is accepted in each of `count` slots, of which `now` is the end of the first, and these depart
    /// one by one from [`CellQueue::departure`] on. If that is at once, everything before must have been taken out:
    /// they do not wait, and are not taken out.
    #[inline(always)]
    pub(super) fn push(&mut self, vc: VcId, now: u64, departs: u64, count: u32) {
        let follows = self.last_departure + 1;
        let last = departs + u64::from(count) - 1;
        self.last_departure = last;
        let vc = vc.index() as u32;
        let mask = self.runs.len() - 1;
        let newest = &mut self.runs[self.tail & mask];
        let cells = if newest.vc == vc && departs == follows && newest.cells < LONGEST_RUN {
            newest.cells += count;
            newest.last = last;
            newest.cells
        } else {
            self.begin_run(Run { vc, cells: count, last });
            count
        };
        if departs == now {
            self.head = self.tail;
            self.gone = cells;
        }
    }

    /// Takes out the first cells of one connection that departed by slot end `now`, if there are any.
    #[inline(always)]
    pub(super) fn take_departed(&mut self, now: u64) -> Option<(VcId, u32)> {
        let mask = self.runs.len() - 1;
        let mut run = self.runs[self.head & mask];
        if run.cells == self.gone && self.head != self.tail {
            self.head += 1;
            self.gone = 0;
            run = self.runs[self.head & mask];
        }
        let waiting = u64::from(run.cells).min(run.last.saturating_sub(now)) as u32;
        let taken = run.cells - waiting - self.gone;
        if taken == 0 {
            self.drained = now;
            return None;
        }
        self.gone += taken;
        Some((VcId::from_index(run.vc as usize), taken))
    }

    /// The cells that are not taken out with their departures, the last one first.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (VcId, u64)> {
        self.departures().take_while(|&(_, departs)| departs > self.drained)
    }

    /// The waiting and the remembered cells with their departures, the last one first. Older ones may follow.
    pub(super) fn departures(&self) -> impl Iterator<Item = (VcId, u64)> {
        let mask = self.runs.len() - 1;
        let runs = (0..self.runs.len()).map(move |back| self.runs[self.tail.wrapping_sub(back) & mask]);
        runs.flat_map(|Run { vc, cells, last }| {
            (0..u64::from(cells)).map(move |back| (VcId::from_index(vc as usize), last - back))
        })
    }

    #[inline(always)]
    fn begin_run(&mut self, run: Run) {
        self.tail += 1;
        let place = self.tail & (self.runs.len() - 1);
        let oldest = &mut self.runs[place];
        // A run that is still to be taken out, or departed not long ago, must not be overwritten.
        if oldest.cells == 0 || oldest.last + self.memory < self.drained {
            *oldest = run;
        } else {
            self.grow();
            let place = self.tail & (self.runs.len() - 1);
            self.runs[place] = run;
        }
    }

    /// Doubles the ring.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let (old, new) = (self.runs.len(), 2 * self.runs.len());
        let mut runs = vec![Run::default(); new];
        for back in 1..=old.min(self.tail) {
            let number = self.tail - back;
            runs[number & (new - 1)] = self.runs[number & (old - 1)];
        }
        self.runs = runs;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vc(number: usize) -> VcId {
        VcId::from_index(number)
    }

    #[test]
    fn a_cell_departs_at_once_or_after_the_one_before_it() {
        let mut queue = CellQueue::new(0);
        assert_eq!(queue.departure(5), 5, "nothing waits");
        for of in [0, 1, 0] {
            queue.push(vc(of), 5, queue.departure(5), 1);
        }
        assert_eq!((queue.waiting_at(5), queue.waiting_at(6), queue.waiting_at(9)), (2, 1, 0));
        assert_eq!(queue.departure(6), 8, "after the cells that depart at 6 and at 7");
        assert_eq!(queue.take_departed(5), None);
        assert_eq!(queue.take_departed(7), Some((vc(1), 1)));
        assert_eq!(queue.take_departed(7), Some((vc(0), 1)));
        assert_eq!(queue.take_departed(7), None);
        queue.push(vc(0), 9, 9, 3);
        assert_eq!(queue.take_departed(11), None, "transmitted as they come");
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
                if first == now || !late {
                    while let Some((vc, cells)) = queue.take_departed(now) {
                        let taken = &all[gone..gone + cells as usize];
                        prop_assert!(taken.iter().all(|&(of, at)| of == vc && at <= now));
                        gone += cells as usize;
                    }
                    prop_assert!(all[gone..].iter().all(|&(_, at)| at > now));
                    let waiting: Vec<_> = all[gone..].iter().rev().copied().collect();
                    prop_assert_eq!(queue.waiting().collect::<Vec<_>>(), waiting);
                    let remembered = all.iter().rev().copied().take_while(|&(_, at)| at + memory >= now);
                    for (expected, seen) in remembered.zip(queue.departures()) {
                        prop_assert_eq!(expected, seen);
                    }
                }
                // A run of several only where nothing else arrives in these slots.
                queue.push(vc(of), now, first, count);
                all.extend((0..u64::from(count)).map(|cell| (vc(of), first + cell)));
                if first == now {
                    gone = all.len();
                }
                now += u64::from(count) - 1;
            }
        }
    }
}
