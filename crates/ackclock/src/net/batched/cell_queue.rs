//! The cells of a port's FIFO, by connection: those that wait, and behind them those that left not long ago.

use std::collections::VecDeque;

use crate::ids::{Id, VcId};

/// One cell departs per slot while any waits, so a departure is known when a cell is accepted, and all others from
/// the last one backwards, up to the last slot in which the port was idle. Cells of one connection that follow each
/// other are kept as one run.
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
    /// Where the departures of remembered cells are not one slot apart: how many cells were accepted before, and the
    /// departure of the next.
    busy_periods: VecDeque<(u64, u64)>,
}

/// A run's number of cells stays within 32 bits.
const LONGEST_RUN: u32 = 1 << 30;

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

    /// How long a cell that is accepted at slot end `now` waits, in slots.
    #[inline]
    pub(super) fn wait(&self, now: u64) -> u64 {
        (self.last_departure + 1).saturating_sub(now)
    }

    /// One cell of `vc` is accepted in each of `count` slots, of which `now` is the end of the first. Returns the
    /// departure of the first; the others follow one slot apart.
    #[inline]
    pub(super) fn push(&mut self, vc: VcId, now: u64, count: u32) -> u64 {
        let follows = self.last_departure + 1;
        let departs = now.max(follows);
        if departs > follows && self.memory > 0 {
            self.begin_busy_period(now, departs);
        }
        self.last_departure = departs + u64::from(count) - 1;
        self.accepted += u64::from(count);
        let vc = vc.index() as u32;
        let mask = self.ring.len() - 1;
        let newest = &mut self.ring[self.tail & mask];
        let length = if newest.0 == vc && newest.1 < LONGEST_RUN {
            newest.1 += count;
            newest.1
        } else {
            self.tail += 1;
            self.ring[self.tail & mask] = (vc, count);
            if self.len + self.memory + 4 > mask as u64 {
                self.grow();
            }
            count
        };
        if departs > now {
            self.len += u64::from(count);
        } else {
            // What departs at once does not wait; nothing else does then.
            self.head = self.tail;
            self.gone = length;
        }
        departs
    }

    /// Takes up to `count` cells of one connection from the head; at least so many must wait. Returns the connection,
    /// the number of cells, and the departure of the last one.
    #[inline]
    pub(super) fn pop(&mut self, count: u64) -> (VcId, u32, u64) {
        let mask = self.ring.len() - 1;
        let (mut vc, mut length) = self.ring[self.head & mask];
        if length == self.gone {
            self.head += 1;
            self.gone = 0;
            (vc, length) = self.ring[self.head & mask];
        }
        let taken = u64::from(length - self.gone).min(count);
        self.gone += taken as u32;
        self.len -= taken;
        (VcId::from_index(vc as usize), taken as u32, self.last_departure - self.len)
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

    /// Doubles the ring. One run has at least one cell, so it holds all that wait and all that are remembered.
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
