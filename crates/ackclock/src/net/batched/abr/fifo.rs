//! The FIFO of a port in a network with ABR connections: cells that are accepted wait, and depart.
//!
//! One cell departs per slot while any waits, so its departure is known when a cell is accepted, and no more than that is computed
//! then. What is counted by connection follows late, in one loop over the cells accepted since, in the order of their arrivals and
//! departures: the largest number of waiting cells of a connection may be exceeded by every cell while queues grow.

use std::ops::Range;

use crate::ids::{Id, VcId};
use crate::net::batched::cells::cell_time::CellTime;
use crate::net::batched::fifo_monitor::FifoMonitor;
use crate::queue::DropReason;
use crate::record::trace::{FifoTrace, Refused};
use crate::units::Span;

/// The queue of a port, with what is counted there.
pub(in crate::net::batched) struct LateFifo {
    pub(in crate::net::batched) cell_time: CellTime,
    pub(in crate::net::batched) trace: Option<Box<FifoTrace>>,
    /// Late: see [`LateFifo::catch_up`]. Arrivals are counted by others.
    monitor: FifoMonitor,
    /// A ring; its length is a power of two.
    cells: Vec<Cell>,
    /// The numbers of the first cell kept, of the first one whose departure is not counted yet, of the first one that is not counted at
    /// all, and of the next one.
    oldest: usize,
    departed: usize,
    counted: usize,
    next: usize,
    /// The slot end at which the last accepted cell departs, and that up to which everything was counted.
    last_departure: u64,
    counted_until: u64,
    /// For how many slots after its departure a cell is kept.
    memory: u64,
    /// A cell that would wait as many slots or more is not accepted without a question.
    too_long: u64,
}

/// A cell that was accepted.
#[derive(Clone, Copy, Default)]
struct Cell {
    /// The slot end at which it departs.
    departs: u64,
    vc: VcId,
    /// How many slots before that it arrived.
    waits: u32,
}

/// Cells for which there is room at first: so many at least are counted in one loop.
const ROOM: usize = 128;

impl LateFifo {
    /// An empty queue; departed cells are remembered for `memory`.
    pub(in crate::net::batched) fn new(
        cell_time: Span,
        monitor: FifoMonitor,
        memory: Span,
        trace: Option<Box<FifoTrace>>,
    ) -> LateFifo {
        LateFifo {
            cell_time: CellTime::new(cell_time.as_ps()),
            trace,
            too_long: u64::from(monitor.buffer().capacity()) + 1,
            monitor,
            cells: vec![Cell::default(); ROOM],
            oldest: 0,
            departed: 0,
            counted: 0,
            next: 0,
            last_departure: 0,
            counted_until: 0,
            memory: if memory == Span::ZERO { 0 } else { memory / cell_time + 2 },
        }
    }

    /// From now on no cell is accepted without a question.
    pub(in crate::net::batched) fn ask_about_each_cell(&mut self) {
        self.too_long = 0;
    }

    /// How many cells wait at slot end `now`, at which or before which the last one was accepted.
    #[inline]
    pub(in crate::net::batched) fn waiting_at(&self, now: u64) -> u64 {
        self.last_departure.saturating_sub(now)
    }

    /// Whether there is room for a cell at slot end `now`.
    #[inline]
    pub(in crate::net::batched) fn has_room(&self, now: u64) -> bool {
        self.waiting_at(now) < u64::from(self.monitor.buffer().capacity())
    }

    /// The counters, up to the slot end to which they were brought.
    pub(in crate::net::batched) fn monitor(&self) -> &FifoMonitor {
        &self.monitor
    }

    /// The same, to count arrivals, or to give them to a policy that reads the whole queue only: so many wait.
    #[inline]
    pub(in crate::net::batched) fn monitor_mut(&mut self) -> &mut FifoMonitor {
        &mut self.monitor
    }

    /// A cell of `vc` enters the queue at slot end `now`, if it finds room and no question is to be asked. Returns how many slots it
    /// waits, if it does.
    #[inline(always)]
    pub(in crate::net::batched) fn accept_plainly(&mut self, now: u64, vc: VcId) -> Option<u64> {
        let departs = now.max(self.last_departure + 1);
        let waits = departs - now;
        if waits >= self.too_long {
            return None;
        }
        self.put(now, Cell { departs, vc, waits: waits as u32 });
        Some(waits)
    }

    /// A cell of `vc` enters the queue at slot end `now`, for which there is room. Returns when it departs.
    #[inline]
    pub(in crate::net::batched) fn accept(&mut self, now: u64, vc: VcId) -> u64 {
        let departs = now.max(self.last_departure + 1);
        self.put(now, Cell { departs, vc, waits: (departs - now) as u32 });
        departs
    }

    #[inline(always)]
    fn put(&mut self, now: u64, cell: Cell) {
        if self.next - self.oldest >= self.cells.len() {
            self.make_room(now);
        }
        self.last_departure = cell.departs;
        let place = self.next & (self.cells.len() - 1);
        self.cells[place] = cell;
        self.next += 1;
    }

    /// Counts what has arrived and departed up to slot end `now`.
    #[inline(never)]
    pub(in crate::net::batched) fn catch_up(&mut self, now: u64) {
        self.record();
        let LateFifo { cells, monitor, next, .. } = self;
        let mask = cells.len() - 1;
        let (mut departed, mut counted, mut longest) = (self.departed, self.counted, 0);
        while counted < *next {
            let Cell { departs, vc, waits } = cells[counted & mask];
            let arrived = departs - u64::from(waits);
            // The departure that is due comes first.
            departed = depart(cells, monitor, departed..counted, arrived);
            if waits > 0 {
                monitor.enter_in_time(vc, arrived, departs);
                longest = longest.max(waits);
            }
            counted += 1;
        }
        self.departed = depart(cells, monitor, departed..counted, now);
        (self.counted, self.counted_until) = (counted, now);
        // The number that waits is largest when a cell arrives, which then waits for all of them.
        monitor.set_queued(longest.into());
        monitor.set_queued(self.last_departure.saturating_sub(now));
    }

    /// Records what is not counted yet, if something is recorded.
    #[inline(always)]
    fn record(&mut self) {
        let Some(trace) = &mut self.trace else { return };
        for number in self.counted..self.next {
            let Cell { departs, vc, waits } = self.cells[number & (self.cells.len() - 1)];
            let arrived = departs - u64::from(waits);
            match u64::from(waits) {
                0 => trace.pass(arrived, 1),
                waits => trace.enter(vc.index(), arrived, departs, 1, waits - 1),
            }
        }
    }

    /// A cell of `vc`, whose name hashes to `vc_name`, is refused at slot end `now`; it is one of this frame.
    pub(in crate::net::batched) fn refuse(&mut self, now: u64, vc: VcId, vc_name: u64, frame: u32, reason: DropReason) {
        let now = self.cell_time.instant(now);
        if let Some(trace) = &mut self.trace {
            trace.refused(Refused { time: now, vc: vc.index() as u32, frame, reason });
        }
        self.monitor.refuse(now, vc, vc_name, reason);
    }

    /// The cells that wait at the slot end up to which everything was counted, with their departures, the last one first.
    pub(in crate::net::batched) fn waiting(&self) -> impl Iterator<Item = (VcId, u64)> {
        self.departures().take_while(|&(_, departs)| departs > self.counted_until)
    }

    /// The waiting and the remembered cells with their departures, the last one first. Older ones may follow.
    pub(in crate::net::batched) fn departures(&self) -> impl Iterator<Item = (VcId, u64)> + Clone {
        let cells = (self.oldest..self.next).rev().map(|number| self.cells[number & (self.cells.len() - 1)]);
        cells.map(|cell| (cell.vc, cell.departs))
    }

    /// Forgets what need not be remembered at slot end `now`, and makes the ring longer if most of it is in use.
    #[inline(never)]
    fn make_room(&mut self, now: u64) {
        self.catch_up(now);
        let forgotten = now.saturating_sub(self.memory);
        let mask = self.cells.len() - 1;
        // Cells are in the order of their departures.
        let (mut first, mut end) = (self.oldest, self.departed);
        while first < end {
            let middle = first + (end - first) / 2;
            if self.cells[middle & mask].departs <= forgotten {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        self.oldest = first;
        // A ring that stays nearly full would be searched at every turn.
        if 2 * (self.next - self.oldest) > self.cells.len() {
            let (old, new) = (self.cells.len(), 2 * self.cells.len());
            let mut cells = vec![Cell::default(); new];
            for number in self.oldest..self.next {
                cells[number & (new - 1)] = self.cells[number & (old - 1)];
            }
            self.cells = cells;
        }
    }
}

/// Counts the departures up to slot end `until` of the cells with these numbers in a ring. Returns the first number that is left.
#[inline(always)]
fn depart(cells: &[Cell], monitor: &mut FifoMonitor, numbers: Range<usize>, until: u64) -> usize {
    let Range { mut start, end } = numbers;
    while start < end {
        let cell = &cells[start & (cells.len() - 1)];
        if cell.departs > until {
            break;
        }
        if cell.waits > 0 {
            monitor.leave_late(cell.vc, 1);
        }
        start += 1;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against a list of all cells, gone through at each question.
        #[test]
        fn counts_late_what_happened_in_time(
            cells in prop::collection::vec((0_usize..3, 0_u64..4, any::<bool>(), any::<bool>()), 1..900),
            memory in 0_u64..40,
        ) {
            const CELL: Span = Span::from_ps(100);
            let monitor = FifoMonitor::new(1000, 3, None, CELL);
            let mut fifo = LateFifo::new(CELL, monitor, CELL * memory, None);
            // Of each cell when it arrives and departs.
            let (mut all, mut now, mut most) = (Vec::<(VcId, u64, u64)>::new(), 1, [0; 3]);
            for (of, step, plainly, asked) in cells {
                now += step;
                let vc = VcId::from_index(of);
                let departs = all.last().map_or(0, |&(.., at)| at + 1).max(now);
                match plainly {
                    true => prop_assert_eq!(fifo.accept_plainly(now, vc), Some(departs - now)),
                    false => prop_assert_eq!(fifo.accept(now, vc), departs),
                }
                all.push((vc, now, departs));
                let waiting = |vc| all.iter().filter(|&&(of, _, at)| of == vc && at > now).count() as u32;
                if departs > now {
                    most[of] = most[of].max(waiting(vc));
                }
                if asked {
                    fifo.catch_up(now);
                    let buffer = fifo.monitor().buffer();
                    for vc in (0..3).map(VcId::from_index) {
                        prop_assert_eq!(buffer.queued_of(vc), waiting(vc));
                        prop_assert_eq!(buffer.max_queued_of(vc), most[vc.index()]);
                    }
                    prop_assert_eq!(u64::from(buffer.queued()), fifo.waiting_at(now));
                    let of_last = |beyond: u64| {
                        let kept = all.iter().rev().filter(move |&&(.., at)| at + beyond > now);
                        kept.map(|&(vc, _, at)| (vc, at)).collect::<Vec<_>>()
                    };
                    prop_assert_eq!(fifo.waiting().collect::<Vec<_>>(), of_last(0));
                    let remembered = of_last(memory);
                    prop_assert_eq!(fifo.departures().take(remembered.len()).collect::<Vec<_>>(), remembered);
                }
            }
        }
    }
}
