//! The cells of a port's FIFO, by connection: those that wait, and behind them those that left not long ago.

use crate::ids::{Id, VcId};

/// One cell departs per slot while any waits, so a departure is known when a cell is accepted, and how many wait is
/// known without taking out those that departed: that is done late, when somebody asks of whom they were. There is one
/// place for each slot, and nothing to decide when a cell enters or leaves: cells of several connections interleave at
/// random.
pub(super) struct CellQueue {
    /// A ring by slots: whose cell departs at the slot's end. Its length is a power of two.
    slots: Vec<u32>,
    /// The slot end at which the last accepted cell departs.
    last_departure: u64,
    /// Up to which slot end all departed cells were taken out.
    drained: u64,
    /// For how many slots after its departure a cell is remembered.
    memory: u64,
    /// The last slot end that has a place without one in the ring being overwritten that is still needed.
    room_until: u64,
}

/// No cell departs.
const NONE: u32 = u32::MAX;

impl CellQueue {
    /// An empty queue that remembers departed cells for `memory` slots.
    pub(super) fn new(memory: u64) -> CellQueue {
        CellQueue { slots: vec![NONE; 16], last_departure: 0, drained: 0, memory, room_until: 16 }
    }

    /// The slot end at which the last accepted cell departs.
    #[inline]
    pub(super) fn last_departure(&self) -> u64 {
        self.last_departure
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

    /// Whether `count` more cells can be pushed while they wait. If not, those that departed have to be taken out.
    #[inline]
    pub(super) fn has_room(&self, count: u32) -> bool {
        self.last_departure + u64::from(count) <= self.room_until
    }

    /// One cell of `vc` is accepted in each of `count` slots, of which the first ends at `now` or later, and these depart
    /// one by one after the cells that wait. There must be room.
    #[inline(always)]
    pub(super) fn push(&mut self, vc: VcId, count: u32) {
        let place = (self.last_departure as usize + 1) & (self.slots.len() - 1);
        self.last_departure += u64::from(count);
        let vc = vc.index() as u32;
        if count == 1 {
            self.slots[place] = vc;
        } else if let Some(places) = self.slots.get_mut(place..place + count as usize) {
            places.fill(vc);
        } else {
            // Round the end of the ring.
            (0..u64::from(count)).for_each(|back| self.set(self.last_departure - back, vc));
        }
    }

    /// Nothing waits, and everything before was taken out: one cell of `vc` is accepted in each of `count` slots from
    /// slot end `now` on, and departs at once. These cells are not taken out.
    #[inline]
    pub(super) fn pass(&mut self, vc: VcId, now: u64, count: u32) {
        let idle_from = self.last_departure + 1;
        self.last_departure = now - 1;
        if self.memory > 0 {
            self.pass_remembered(vc, idle_from, now, count);
        }
        self.last_departure += u64::from(count);
        self.drain(self.last_departure);
    }

    #[inline]
    fn pass_remembered(&mut self, vc: VcId, idle_from: u64, now: u64, count: u32) {
        while self.memory + u64::from(count) > self.slots.len() as u64 {
            self.grow();
        }
        for slot in idle_from.max(now.saturating_sub(self.memory))..now {
            self.set(slot, NONE);
        }
        for slot in now..now + u64::from(count) {
            self.set(slot, vc.index() as u32);
        }
    }

    /// Takes out the cells that departed by slot end `now`.
    #[inline(always)]
    pub(super) fn take_departed(&mut self, now: u64, mut take: impl FnMut(VcId)) {
        let end = self.last_departure.min(now) + 1;
        let mut slot = self.drained + 1;
        while slot < end {
            let from_here = &self.slots[slot as usize & (self.slots.len() - 1)..];
            let from_here = &from_here[..from_here.len().min((end - slot) as usize)];
            from_here.iter().for_each(|&vc| take(VcId::from_index(vc as usize)));
            slot += from_here.len() as u64;
        }
        self.drain(self.drained.max(now));
    }

    /// The cells that are not taken out with their departures, the last one first.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (VcId, u64)> {
        self.departures().take_while(|&(_, departs)| departs > self.drained)
    }

    /// The waiting and the remembered cells with their departures, the last one first. Older ones may follow.
    pub(super) fn departures(&self) -> impl Iterator<Item = (VcId, u64)> {
        let forgotten = self.drained.saturating_sub(self.memory);
        let cell = |slot: u64| (self.slots[slot as usize & (self.slots.len() - 1)], slot);
        let cells = (forgotten + 1..=self.last_departure).rev().map(cell);
        cells.filter(|&(vc, _)| vc != NONE).map(|(vc, slot)| (VcId::from_index(vc as usize), slot))
    }

    /// All cells that departed by slot end `now` are taken out.
    #[inline]
    fn drain(&mut self, now: u64) {
        self.drained = now;
        self.room_until = now.saturating_sub(self.memory) + self.slots.len() as u64;
    }

    #[inline(always)]
    fn set(&mut self, slot: u64, vc: u32) {
        let place = slot as usize & (self.slots.len() - 1);
        self.slots[place] = vc;
    }

    /// Doubles the ring.
    #[cold]
    #[inline(never)]
    pub(super) fn grow(&mut self) {
        let (old, new) = (self.slots.len(), 2 * self.slots.len());
        let mut slots = vec![NONE; new];
        let oldest = (self.last_departure + 1).saturating_sub(old as u64);
        for slot in oldest..=self.last_departure {
            slots[slot as usize & (new - 1)] = self.slots[slot as usize & (old - 1)];
        }
        self.slots = slots;
        self.drain(self.drained);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vc(number: usize) -> VcId {
        VcId::from_index(number)
    }

    fn taken(queue: &mut CellQueue, now: u64) -> Vec<usize> {
        let mut taken = Vec::new();
        queue.take_departed(now, |vc| taken.push(vc.index()));
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
                if first == now || !late || !queue.has_room(count) {
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
                    while !queue.has_room(count) {
                        queue.grow();
                    }
                    queue.push(vc(of), count);
                }
                now += u64::from(count) - 1;
            }
        }
    }
}
