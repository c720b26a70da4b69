//! The cells of a port's FIFO, by connection: those that wait, and behind them those that left not long ago.

use crate::ids::{Id, VcId};

/// One cell departs per slot while any waits, so a departure is known when a cell is accepted. Cells of one
/// connection that follow each other without a gap are kept as one run.
pub(super) struct CellQueue {
    /// A ring.
    runs: Vec<Run>,
    /// The run that the head of the queue is in, and how many of its cells have departed.
    head: usize,
    gone: u32,
    /// The newest run.
    tail: usize,
    /// Cells waiting.
    len: u64,
    /// The slot end at which the last accepted cell departs.
    last_departure: u64,
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
        CellQueue { runs: vec![Run::default(); 16], head: 0, gone: 0, tail: 0, len: 0, last_departure: 0, memory }
    }

    /// How many of the waiting cells depart by slot end `now`, at which or after which the last one was accepted.
    #[inline]
    pub(super) fn due(&self, now: u64) -> u64 {
        self.len - self.last_departure.saturating_sub(now)
    }

    /// How long a cell that is accepted at slot end `now` waits, in slots.
    #[inline]
    pub(super) fn wait(&self, now: u64) -> u64 {
        (self.last_departure + 1).saturating_sub(now)
    }

    /// One cell of `vc` is accepted in each of `count` slots, of which `now` is the end of the first. Returns the
    /// departure of the first; the others follow one slot apart.
    #[inline(always)]
    pub(super) fn push(&mut self, vc: VcId, now: u64, count: u32) -> u64 {
        let follows = self.last_departure + 1;
        let departs = now.max(follows);
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
            self.begin_run(Run { vc, cells: count, last }, now);
            count
        };
        if departs > now {
            self.len += u64::from(count);
        } else {
            // What departs at once does not wait; nothing else does then.
            self.head = self.tail;
            self.gone = cells;
        }
        departs
    }

    /// Takes up to `count` cells of one connection from the head; at least so many must wait. Returns the connection,
    /// the number of cells, and the departure of the last one.
    #[inline]
    pub(super) fn pop(&mut self, count: u64) -> (VcId, u32, u64) {
        let mask = self.runs.len() - 1;
        let mut run = self.runs[self.head & mask];
        if run.cells == self.gone {
            self.head += 1;
            self.gone = 0;
            run = self.runs[self.head & mask];
        }
        let taken = u64::from(run.cells - self.gone).min(count);
        self.gone += taken as u32;
        self.len -= taken;
        (VcId::from_index(run.vc as usize), taken as u32, self.last_departure - self.len)
    }

    /// The waiting cells with their departures, the last one first.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (VcId, u64)> {
        self.departures().take(self.len as usize)
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
    fn begin_run(&mut self, run: Run, now: u64) {
        self.tail += 1;
        let place = self.tail & (self.runs.len() - 1);
        let oldest = &mut self.runs[place];
        // A run that is still to depart, or departed not long ago, must not be overwritten.
        if oldest.cells == 0 || oldest.last + self.memory < now {
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
        assert_eq!(queue.push(vc(0), 5, 1), 5, "nothing waits");
        assert_eq!((queue.push(vc(1), 5, 1), queue.push(vc(0), 5, 1)), (6, 7));
        assert_eq!((queue.due(5), queue.due(6), queue.due(9)), (0, 1, 2));
        assert_eq!(queue.wait(6), 2, "after the cells that depart at 6 and at 7");
        assert_eq!(queue.pop(2), (vc(1), 1, 6));
        assert_eq!(queue.pop(1), (vc(0), 1, 7));
        assert_eq!(queue.push(vc(0), 9, 3), 9);
        assert_eq!(queue.due(11), 0, "transmitted as they come");
    }

    proptest! {
        /// Against a list of all cells with their departures.
        #[test]
        fn agrees_with_a_list(
            pushes in prop::collection::vec((0_usize..3, 1_u32..4, 0_u64..8), 1..200),
            memory in 0_u64..40,
        ) {
            let mut queue = CellQueue::new(memory);
            let (mut all, mut now) = (Vec::<(VcId, u64)>::new(), 0);
            for (of, count, step) in pushes {
                now += 1 + step;
                let mut due = queue.due(now);
                while due > 0 {
                    let (vc, cells, last) = queue.pop(due);
                    let departed = all.iter().filter(|&&(of, at)| of == vc && at <= last && at + u64::from(cells) > last);
                    prop_assert_eq!(departed.count(), cells as usize);
                    due -= u64::from(cells);
                }
                // A run of several only where nothing else arrives in these slots.
                let departs = queue.push(vc(of), now, count);
                let first = all.last().map_or(0, |&(_, at)| at + 1).max(now);
                prop_assert_eq!(departs, first);
                all.extend((0..u64::from(count)).map(|cell| (vc(of), first + cell)));
                now += u64::from(count) - 1;
                let waiting: Vec<_> = all.iter().rev().copied().take_while(|&(_, at)| at > now).collect();
                let due = queue.due(now);
                let seen: Vec<_> = queue.waiting().collect();
                prop_assert_eq!(&seen[..seen.len() - due as usize], &waiting[..]);
                let remembered = all.iter().rev().copied().take_while(|&(_, at)| at + memory >= now);
                for (expected, seen) in remembered.zip(queue.departures()) {
                    prop_assert_eq!(expected, seen);
                }
            }
        }
    }
}
