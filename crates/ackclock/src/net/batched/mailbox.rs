//! What is on its way to one port, or to several that advance together, from all inputs, in order of arrival.
//!
//! Senders post nearly in order, as they handle what reaches them in order of time. So what is new is put in order by
//! insertion from the end, which costs little when little is out of place, and by a merge sort when much is.

use super::batch::Batch;
use super::io::Item;
use crate::units::Time;

/// Items on their way to a port.
#[derive(Default)]
pub(super) struct Mailbox {
    items: Batch<Item>,
    /// Items before this one are taken.
    taken: usize,
    /// Items before this one are in order.
    sorted: usize,
    /// Everything before has been taken.
    done: Time,
}

/// Steps per new item that insertion may take before the merge sort is cheaper.
const PATIENCE: usize = 8;

impl Mailbox {
    /// Adds an item.
    #[inline(always)]
    pub(super) fn post(&mut self, item: Item) {
        self.items.push(item);
    }

    /// Puts what is new in order. To be called before a batch that takes everything before `until`.
    ///
    /// # Panics
    /// If something arrives before the end of the batch before: time would go back.
    pub(super) fn settle(&mut self, until: Time) {
        let before = self.taken;
        self.taken = self.items.clean(before);
        self.sorted -= before - self.taken;
        let items = self.items.as_mut_slice();
        let mut steps = PATIENCE * (items.len() - self.sorted);
        for next in self.sorted.max(self.taken + 1)..items.len() {
            if key(&items[next - 1]) <= key(&items[next]) {
                continue;
            }
            let item = items[next];
            let mut place = next;
            while place > self.taken && key(&item) < key(&items[place - 1]) {
                items[place] = items[place - 1];
                place -= 1;
            }
            items[place] = item;
            let Some(left) = steps.checked_sub(next - place) else {
                items[self.taken..].sort_by_key(key);
                break;
            };
            steps = left;
        }
        self.sorted = items.len();
        let first = items.get(self.taken).map_or(Time::NEVER, |item| item.time);
        assert!(first >= self.done, "time went back from {} to {first}", self.done);
        self.done = until;
    }

    /// The first item.
    pub(super) fn first(&self) -> Option<&Item> {
        self.items.as_slice().get(self.taken)
    }

    /// When the first item arrives, whether or not what is new is in order; `NEVER` if there is none.
    pub(super) fn earliest(&self) -> Time {
        let items = self.items.as_slice();
        let new = items[self.sorted.max(self.taken)..].iter().map(|item| item.time).min();
        items[..self.sorted].get(self.taken).map_or(Time::NEVER, |item| item.time).min(new.unwrap_or(Time::NEVER))
    }

    /// Takes all items before `until`. What is new must be in order.
    pub(super) fn take_before(&mut self, until: Time) -> &[Item] {
        let waiting = &self.items.as_slice()[self.taken..];
        let count = waiting.iter().position(|item| item.time >= until).unwrap_or(waiting.len());
        self.taken += count;
        &waiting[..count]
    }

    /// Takes the first item.
    pub(super) fn take(&mut self) {
        self.taken += 1;
    }
}

/// At one instant the inputs come in their order.
fn key(item: &Item) -> (Time, u32) {
    (item.time, item.input)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Id, VcId};
    use proptest::prelude::*;

    fn item(ps: u64, input: u32) -> Item {
        let at_port = VcId::from_index(0);
        Item { time: Time::from_ps(ps), port: 0, input, at_port, frame: 0, size: 1, index: 0, eom: true }
    }

    proptest! {
        #[test]
        fn items_come_out_in_order_whatever_the_batches(
            batches in prop::collection::vec((prop::collection::vec((0_u64..1000, 0_u32..4), 0..60), 0_u64..120), 1..20),
        ) {
            let (mut mailbox, mut plain, mut horizon) = (Mailbox::default(), Vec::new(), 0);
            for (batch, step) in batches {
                for (delay, input) in batch {
                    mailbox.post(item(horizon + delay, input));
                    plain.push((horizon + delay, input));
                }
                horizon += step;
                mailbox.settle(Time::from_ps(horizon));
                plain.sort_unstable();
                for first in mailbox.take_before(Time::from_ps(horizon)) {
                    prop_assert_eq!((first.time.as_ps(), first.input), plain.remove(0));
                }
                prop_assert!(plain.first().is_none_or(|&(ps, _)| ps >= horizon));
            }
        }
    }
}
