//! What is on its way to one process, from all inputs, in order of arrival: units to a port, or to several
//! that advance together, or frames to a group of hosts.
//!
//! Senders post nearly in order, as they handle what reaches them in order of time. So what is new is put in order by
//! insertion from the end, which costs little when little is out of place, and by a merge sort when much is.

use crate::batch::Batch;
use crate::units::Time;

/// What a mailbox can hold.
pub(super) trait MailboxItem: Copy + Default {
    fn time(&self) -> Time;
    /// From where: at one instant the inputs come in their order.
    fn input(&self) -> u32;
    /// Its place in the order, as one number.
    #[inline(always)]
    fn key(&self) -> u128 {
        u128::from(self.time().as_ps()) << 32 | u128::from(self.input())
    }
}

/// Items on their way to a process.
#[derive(Default)]
pub(super) struct Mailbox<T> {
    arrivals: Batch<T>,
    /// Items before this one are taken.
    taken: usize,
    /// Items before this one are in order.
    sorted: usize,
    /// Everything before has been taken.
    clock: Time,
}

/// Steps per new item that insertion may take before the merge sort is cheaper.
const PATIENCE: usize = 8;

impl<T: MailboxItem> Mailbox<T> {
    #[inline(always)]
    pub(super) fn post(&mut self, arrival: T) {
        self.arrivals.push(arrival);
    }

    /// Adds an item that is to be written here.
    #[inline(always)]
    pub(super) fn place(&mut self) -> &mut T {
        self.arrivals.place()
    }

    /// Puts what is new in order. To be called before a batch that takes everything before `until`.
    ///
    /// # Panics
    /// If something arrives before the end of the batch before: time would go back.
    pub(super) fn settle(&mut self, until: Time) {
        let before = self.taken;
        self.taken = self.arrivals.clean(before);
        self.sorted -= before - self.taken;
        let arrivals = &mut self.arrivals.as_mut_slice()[self.taken..];
        let mut steps = PATIENCE * (arrivals.len() - (self.sorted - self.taken));
        let mut next = (self.sorted - self.taken).max(1);
        loop {
            next += arrivals.get(next - 1..).map_or(0, in_order);
            if next >= arrivals.len() {
                break;
            }
            let arrival = arrivals[next];
            let mut place = next;
            while place > 0 && !ordered(&arrivals[place - 1], &arrival) {
                arrivals[place] = arrivals[place - 1];
                place -= 1;
            }
            arrivals[place] = arrival;
            let Some(left) = steps.checked_sub(next - place) else {
                arrivals.sort_by_key(|arrival| (arrival.time(), arrival.input()));
                break;
            };
            steps = left;
        }
        let first = arrivals.first().map_or(Time::NEVER, T::time);
        assert!(first >= self.clock, "time went back from {} to {first}", self.clock);
        self.sorted = self.arrivals.as_slice().len();
        self.clock = until;
    }

    /// The same where mostly nothing is due.
    #[inline]
    pub(super) fn settle_if_due(&mut self, until: Time) {
        if self.arrivals.as_slice().len() > self.sorted || self.first().is_some_and(|first| first.time() < until) {
            self.settle(until);
        }
        self.clock = until;
    }

    /// All items before `until`. What is new must be in order.
    pub(super) fn due(&self, until: Time) -> &[T] {
        let waiting = self.waiting();
        &waiting[..waiting.partition_point(|arrival| arrival.time() < until)]
    }

    pub(super) fn take_due(&mut self, until: Time) {
        self.taken += self.due(until).len();
    }

    pub(super) fn first(&self) -> Option<&T> {
        self.arrivals.as_slice().get(self.taken)
    }

    /// When the first item arrives, whether or not what is new is in order; `NEVER` if there is none.
    pub(super) fn earliest(&self) -> Time {
        let arrivals = self.arrivals.as_slice();
        let new = arrivals[self.sorted.max(self.taken)..].iter().map(T::time).min();
        arrivals[..self.sorted].get(self.taken).map_or(Time::NEVER, T::time).min(new.unwrap_or(Time::NEVER))
    }

    /// All items, whether or not what is new is in order.
    pub(super) fn waiting(&self) -> &[T] {
        &self.arrivals.as_slice()[self.taken..]
    }

    /// Takes all items before `until`. What is new must be in order.
    pub(super) fn take_before(&mut self, until: Time) -> &mut [T] {
        let waiting = &mut self.arrivals.as_mut_slice()[self.taken..];
        let count = waiting.partition_point(|arrival| arrival.time() < until);
        self.taken += count;
        &mut waiting[..count]
    }

    /// Takes those items out that `is_one` names, in order of arrival.
    pub(super) fn remove(&mut self, is_one: impl Fn(&T) -> bool) -> Vec<T> {
        let mut removed: Vec<T> = self.waiting().iter().filter(|item| is_one(item)).copied().collect();
        if !removed.is_empty() {
            removed.sort_by_key(|item| (item.time(), item.input()));
            let kept: Vec<T> = self.waiting().iter().filter(|item| !is_one(item)).copied().collect();
            *self = Mailbox { clock: self.clock, ..Mailbox::default() };
            kept.into_iter().for_each(|item| self.post(item));
        }
        removed
    }

    /// Takes the first item.
    pub(super) fn take(&mut self) {
        self.taken += 1;
    }
}

/// How many items follow the first without being out of order.
fn in_order<T: MailboxItem>(arrivals: &[T]) -> usize {
    let mut count = 0;
    // Everything that travels passes here, so four at a time.
    while let Some([a, b, c, d, e]) = arrivals.get(count..count + 5) {
        if !(ordered(a, b) && ordered(b, c) && ordered(c, d) && ordered(d, e)) {
            break;
        }
        count += 4;
    }
    count + arrivals[count..].windows(2).take_while(|pair| ordered(&pair[0], &pair[1])).count()
}

/// Whether one item may come before another.
#[inline]
fn ordered<T: MailboxItem>(one: &T, other: &T) -> bool {
    one.time() < other.time() || one.time() == other.time() && one.input() <= other.input()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::batched::io::{Arrival, InputRef};
    use proptest::prelude::*;

    fn arrival(ps: u64, input: u32) -> Arrival {
        let input_ref = InputRef { input, ..InputRef::default() };
        Arrival { time: Time::from_ps(ps), input_ref, size: 1, ..Arrival::default() }
    }

    proptest! {
        #[test]
        fn items_come_out_in_order_whatever_the_batches(
            batches in prop::collection::vec((prop::collection::vec((0_u64..1000, 0_u32..4), 0..60), 0_u64..120), 1..20),
        ) {
            let (mut mailbox, mut plain, mut horizon) = (Mailbox::<Arrival>::default(), Vec::new(), 0);
            for (batch, step) in batches {
                for (delay, input) in batch {
                    mailbox.post(arrival(horizon + delay, input));
                    plain.push((horizon + delay, input));
                }
                horizon += step;
                mailbox.settle(Time::from_ps(horizon));
                plain.sort_unstable();
                for first in mailbox.take_before(Time::from_ps(horizon)) {
                    prop_assert_eq!((first.time.as_ps(), first.input_ref.input), plain.remove(0));
                }
                prop_assert!(plain.first().is_none_or(|&(ps, _)| ps >= horizon));
            }
        }
    }
}
