//! The cells of a port's FIFO, by connection: those that wait, and behind them those that left not long ago.

use std::collections::VecDeque;

use crate::ids::{Id, VcId};

/// A run's number of cells stays within 32 bits.
const LONGEST_RUN: u32 = 1 << 30;

/// One cell departs per slot while any waits, so a departure is known when a cell is accepted, and all others from
/// the last one backwards, up to the last slot in which the port was idle. Kept as runs of cells of one connection.
pub(super) struct CellQueue {
    /// A ring of runs: connections and numbers of cells.
    ring: Vec<(u32, u32)>,
    /// The run that the head of the queue is in, and how many of its cells have departed.
    head: usize,
    gone: u32,
    /// The newest run.
    tail: usize,
    /// Cells waiting.
    len: u64,
    /// Cells accepted so far.
    accepted: u64,
    /// The slot end at which the last accepted cell departs.
    last_departure: u64,
    /// For how many slots after its departure a cell is remembered.
    memory: u64,
    /// Where the departures of remembered cells are not one slot apart: how many were accepted before, and the
    /// departure of the next.
    busy_periods: VecDeque<(u64, u64)>,
}

impl CellQueue {
    /// An empty queue that remembers departed cells for `memory` slots.
    pub(super) fn new(memory: u64) -> CellQueue {
        CellQueue {
            ring: vec![(0, 0); (memory + 64).next_power_of_two() as usize],
            head: 0,
            gone: 0,
            tail: 0,
            len: 0,
            accepted: 0,
            last_departure: 0,
            memory,
            busy_periods: VecDeque::from([(0, 1)]),
        }
    }

    /// How many of the waiting cells depart by slot end `now`.
    #[inline]
    pub(super) fn due(&self, now: u64) -> u64 {
        self.len - self.last_departure.saturating_sub(now)
    }

    /// One cell of `vc` is accepted in each of `count` slots, of which `now` is the end of the first. Returns the
    /// departure of the first; the others follow one slot apart.
    #[inline]
    pub(super) fn push(&mut self, vc: VcId, now: u64, count: u64) -> u64 {
        let follows = self.last_departure + 1;
        let departs = now.max(follows);
        if self.memory > 0 && departs > follows {
            self.begin_busy_period(now, departs);
        }
        self.last_departure = departs + count - 1;
        self.accepted += count;
        let vc = vc.index() as u32;
        let mask = self.ring.len() - 1;
        let last = &mut self.ring[self.tail & mask];
        if last.0 == vc && last.1 < LONGEST_RUN {
            last.1 += count as u32;
        } else {
            self.tail += 1;
            self.ring[self.tail & mask] = (vc, count as u32);
            if self.len + self.memory + 4 > mask as u64 {
                self.grow();
            }
        }
        if departs > now {
            self.len += count;
        } else {
            // What departs at once does not wait; nothing else does.
            self.head = self.tail;
            self.gone = self.ring[self.tail & (self.ring.len() - 1)].1;
        }
        departs
    }

    /// Takes up to `count` cells of one connection from the head; there must be as many.
    #[inline]
    pub(super) fn pop(&mut self, count: u64) -> (VcId, u64) {
        let mask = self.ring.len() - 1;
        let (mut vc, mut run) = self.ring[self.head & mask];
        if run == self.gone {
            self.head += 1;
            self.gone = 0;
            (vc, run) = self.ring[self.head & mask];
        }
        let taken = u64::from(run - self.gone).min(count);
        self.gone += taken as u32;
        self.len -= taken;
        (VcId::from_index(vc as usize), taken)
    }

    /// The waiting cells with their departures, the last one first.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (VcId, u64)> {
        self.backwards().zip((0..=self.last_departure).rev()).take(self.len as usize)
    }

    /// The remembered cells with their departures, the last one first.
    pub(super) fn departures(&self) -> impl Iterator<Item = (VcId, u64)> {
        let mut end = self.accepted;
        let departures = self.busy_periods.iter().rev().flat_map(move |&(first, departs)| {
            let numbers = first..std::mem::replace(&mut end, first);
            numbers.rev().map(move |number| departs + (number - first))
        });
        self.backwards().zip(departures)
    }

    /// The connections of all cells in the ring, the last one first.
    fn backwards(&self) -> impl Iterator<Item = VcId> {
        let mask = self.ring.len() - 1;
        let runs = (0..self.ring.len()).map(move |back| self.ring[self.tail.wrapping_sub(back) & mask]);
        runs.flat_map(|(vc, count)| std::iter::repeat_n(VcId::from_index(vc as usize), count as usize))
    }

    #[inline(never)]
    fn begin_busy_period(&mut self, now: u64, departs: u64) {
        // A period is forgotten when the next one began too long ago to be asked for.
        while self.busy_periods.get(1).is_some_and(|&(_, first)| first + self.memory < now) {
            self.busy_periods.pop_front();
        }
        self.busy_periods.push_back((self.accepted, departs));
    }

    #[cold]
    fn grow(&mut self) {
        let (old, new) = (self.ring.len(), 2 * self.ring.len());
        let mut ring = vec![(0, 0); new];
        for back in 0..old.min(self.tail + 1) {
            let number = self.tail - back;
            ring[number & (new - 1)] = self.ring[number & (old - 1)];
        }
        self.ring = ring;
    }
}
