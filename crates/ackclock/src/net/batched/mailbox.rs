//! What is on its way to one part of the network, from all inputs, in order of arrival: units to a port, or to several
//! that advance together, or frames to a group of hosts.
//!
//! Senders post nearly in order, as they handle what reaches them in order of time. So what is new is put in order by
//! insertion from the end, which costs little when little is out of place, and by a merge sort when much is.

use crate::batch::Batch;
use crate::units::Time;

/// What can be on its way.
pub(super) trait Travels: Copy + Default {
    /// When it arrives.
    fn time(&self) -> Time;
    /// From where: at one instant the inputs come in their order.
    fn input(&self) -> u32;
}

/// Items on their way to a part.
#[derive(Default)]
pub(super) struct Mailbox<T> {
    items: Batch<T>,
    /// Items before this one are taken.
    taken: usize,
    /// Items before this one are in order.
    sorted: usize,
    /// Everything before has been taken.
    done: Time,
}

/// Steps per new item that insertion may take before the merge sort is cheaper.
const PATIENCE: usize = 8;

impl<T: Travels> Mailbox<T> {
    /// Adds an item.
    #[inline(always)]
    pub(super) fn post(&mut self, item: T) {
        self.items.push(item);
    }

    /// Adds an item that is to be written here.
    #[inline(always)]
    pub(super) fn place(&mut self) -> &mut T {
        self.items.place()
    }

    /// Puts what is new in order. To be called before a batch that takes everything before `until`.
    ///
    /// # Panics
    /// If something arrives before the end of the batch before: time would go back.
    pub(super) fn settle(&mut self, until: Time) {
        let before = self.taken;
        self.taken = self.items.clean(before);
        self.sorted -= before - self.taken;
        let items = &mut self.items.as_mut_slice()[self.taken..];
        let mut steps = PATIENCE * (items.len() - (self.sorted - self.taken));
        let mut next = (self.sorted - self.taken).max(1);
        loop {
            next += items.get(next - 1..).map_or(0, in_order);
            if next >= items.len() {
                break;
            }
            let item = items[next];
            let mut place = next;
            while place > 0 && !ordered(&items[place - 1], &item) {
                items[place] = items[place - 1];
                place -= 1;
            }
            items[place] = item;
            let Some(left) = steps.checked_sub(next - place) else {
                items.sort_by_key(|item| (item.time(), item.input()));
                break;
            };
            steps = left;
        }
        let first = items.first().map_or(Time::NEVER, T::time);
        assert!(first >= self.done, "time went back from {} to {first}", self.done);
        self.sorted = self.items.as_slice().len();
        self.done = until;
    }

    /// The first item.
    pub(super) fn first(&self) -> Option<&T> {
        self.items.as_slice().get(self.taken)
    }

    /// When the first item arrives, whether or not what is new is in order; `NEVER` if there is none.
    pub(super) fn earliest(&self) -> Time {
        let items = self.items.as_slice();
        let new = items[self.sorted.max(self.taken)..].iter().map(T::time).min();
        items[..self.sorted].get(self.taken).map_or(Time::NEVER, T::time).min(new.unwrap_or(Time::NEVER))
    }

    /// All items, whether or not what is new is in order.
    pub(super) fn waiting(&self) -> &[T] {
        &self.items.as_slice()[self.taken..]
    }

    /// Takes all items before `until`. What is new must be in order.
    pub(super) fn take_before(&mut self, until: Time) -> &[T] {
        let waiting = &self.items.as_slice()[self.taken..];
        let count = waiting.partition_point(|item| item.time() < until);
        self.taken += count;
        &waiting[..count]
    }

    /// Takes the first item.
    pub(super) fn take(&mut self) {
        self.taken += 1;
    }
}

/// How many items follow the first without being out of order.
fn in_order<T: Travels>(items: &[T]) -> usize {
    let mut count = 0;
    // Everything that travels passes here, so four at a time.
    while let Some([a, b, c, d, e]) = items.get(count..count + 5) {
        if !(ordered(a, b) && ordered(b, c) && ordered(c, d) && ordered(d, e)) {
            break;
        }
        count += 4;
    }
    count + items[count..].windows(2).take_while(|pair| ordered(&pair[0], &pair[1])).count()
}

/// Whether one item may come before another.
#[inline]
fn ordered<T: Travels>(one: &T, other: &T) -> bool {
    one.time() < other.time() || one.time() == other.time() && one.input() <= other.input()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::batched::io::{Entrance, Item};
    use proptest::prelude::*;

    fn item(ps: u64, input: u32) -> Item {
        let entrance = Entrance { input, ..Entrance::default() };
        Item { time: Time::from_ps(ps), entrance, size: 1, ..Item::default() }
    }

    proptest! {
        #[test]
        fn items_come_out_in_order_whatever_the_batches(
            batches in prop::collection::vec((prop::collection::vec((0_u64..1000, 0_u32..4), 0..60), 0_u64..120), 1..20),
        ) {
            let (mut mailbox, mut plain, mut horizon) = (Mailbox::<Item>::default(), Vec::new(), 0);
            for (batch, step) in batches {
                for (delay, input) in batch {
                    mailbox.post(item(horizon + delay, input));
                    plain.push((horizon + delay, input));
                }
                horizon += step;
                mailbox.settle(Time::from_ps(horizon));
                plain.sort_unstable();
                for first in mailbox.take_before(Time::from_ps(horizon)) {
                    prop_assert_eq!((first.time.as_ps(), first.entrance.input), plain.remove(0));
                }
                prop_assert!(plain.first().is_none_or(|&(ps, _)| ps >= horizon));
            }
        }
    }
}
