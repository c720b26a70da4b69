//! The cells of a port's FIFO, by connection: those that wait, and behind them those that left not long ago.

use std::collections::VecDeque;

use crate::ids::{Id, VcId};

/// One cell departs per slot while any waits, so a departure is known when a cell is accepted, and all others from
/// the last one backwards, up to the last slot in which the port was idle.
pub(super) struct CellQueue {
    /// The connections of the last cells, a ring by the cells' numbers.
    ring: Vec<u32>,
    /// Cells below this number have departed.
    head: u64,
    /// The number of the next cell.
    tail: u64,
    /// The slot end at which the last accepted cell departs.
    last_departure: u64,
    /// For how many slots after its departure a cell is remembered.
    memory: u64,
    /// Where the departures of remembered cells are not one slot apart: numbers of cells and their departures.
    busy_periods: VecDeque<(u64, u64)>,
}

impl CellQueue {
    /// An empty queue that remembers departed cells for `memory` slots.
    pub(super) fn new(memory: u64) -> CellQueue {
        CellQueue {
            ring: vec![0; (memory + 64).next_power_of_two() as usize],
            head: 0,
            tail: 0,
            last_departure: 0,
            memory,
            busy_periods: VecDeque::from([(0, 1)]),
        }
    }

    /// Makes room for `cells` more.
    #[inline]
    pub(super) fn reserve(&mut self, cells: u64) {
        while self.tail - self.head + self.memory + cells + 2 > self.ring.len() as u64 {
            self.grow();
        }
    }

    /// A cell of `vc` is accepted at slot end `now`; returns when it departs. There must be room.
    #[inline]
    pub(super) fn push(&mut self, vc: VcId, now: u64) -> u64 {
        let follows = self.last_departure + 1;
        let departs = now.max(follows);
        if departs > follows && self.memory > 0 {
            self.begin_busy_period(now, departs);
        }
        self.last_departure = departs;
        let place = self.place(self.tail);
        self.ring[place] = vc.index() as u32;
        self.tail += 1;
        // What departs at once does not wait; nothing else does then.
        self.head += u64::from(departs == now);
        departs
    }

    /// Takes the head of the queue if it departs by slot end `now`: its connection, and when it departs.
    #[inline]
    pub(super) fn pop(&mut self, now: u64) -> Option<(VcId, u64)> {
        let departs = self.last_departure + 1 - (self.tail - self.head);
        if self.head == self.tail || departs > now {
            return None;
        }
        let place = self.place(self.head);
        self.head += 1;
        Some((VcId::from_index(self.ring[place] as usize), departs))
    }

    /// The waiting cells with their departures, the last one first.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (VcId, u64)> {
        (self.head..self.tail).rev().zip((0..=self.last_departure).rev()).map(|(number, at)| (self.vc(number), at))
    }

    /// The remembered cells with their departures, the last one first.
    pub(super) fn departures(&self) -> impl Iterator<Item = (VcId, u64)> {
        let mut end = self.tail;
        self.busy_periods.iter().rev().flat_map(move |&(first, departs)| {
            let numbers = first..std::mem::replace(&mut end, first);
            numbers.rev().map(move |number| (self.vc(number), departs + (number - first)))
        })
    }

    fn vc(&self, number: u64) -> VcId {
        VcId::from_index(self.ring[self.place(number)] as usize)
    }

    #[inline]
    fn place(&self, number: u64) -> usize {
        number as usize & (self.ring.len() - 1)
    }

    #[inline(never)]
    fn begin_busy_period(&mut self, now: u64, departs: u64) {
        // A period is forgotten when the next one began too long ago to be asked for.
        while self.busy_periods.get(1).is_some_and(|&(_, first)| first + self.memory < now) {
            self.busy_periods.pop_front();
        }
        self.busy_periods.push_back((self.tail, departs));
    }

    #[cold]
    fn grow(&mut self) {
        let (old, new) = (self.ring.len() as u64, 2 * self.ring.len());
        let mut ring = vec![0; new];
        for number in self.tail.saturating_sub(old)..self.tail {
            ring[number as usize & (new - 1)] = self.ring[self.place(number)];
        }
        self.ring = ring;
    }
}
