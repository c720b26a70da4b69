//! What one process reads: mostly one mailbox. Where units come to it over several delays there are several, one for each process they
//! come from and each delay: what is posted in order of time and takes the same time is nearly in order. In one mailbox
//! all that is under way with the longer delays would have to be sorted again in every batch.

use super::mailbox::{Mailbox, MailboxItem};
use crate::units::Time;

/// The mailboxes of one process, by their numbers.
pub(super) struct MailboxSet<T> {
    first: usize,
    others: Vec<usize>,
    /// Room for what is merged, to be used again: always initialised.
    room: Vec<T>,
}

/// Items that a process has taken, until it gives back what is left of its mailboxes.
pub(super) enum Taken<T> {
    /// Of a single mailbox, everything before this instant.
    One(Mailbox<T>, Time),
    /// Of several mailboxes: so many values of this room.
    Merged(Vec<T>, usize),
}

impl<T: MailboxItem> Taken<T> {
    /// What was taken, in order: once.
    #[inline(always)]
    pub(super) fn items(&mut self) -> &mut [T] {
        match self {
            Taken::One(mailbox, until) => mailbox.take_before(*until),
            Taken::Merged(merged, count) => &mut merged[..*count],
        }
    }
}

impl<T: MailboxItem> MailboxSet<T> {
    /// These mailboxes; there is one at least.
    pub(super) fn new(first: usize, others: Vec<usize>) -> MailboxSet<T> {
        MailboxSet { first, others, room: Vec::new() }
    }

    /// When the first item arrives.
    #[inline]
    pub(super) fn earliest(&self, mailboxes: &[Mailbox<T>]) -> Time {
        if self.others.is_empty() {
            return mailboxes[self.first].earliest();
        }
        let others = self.others.iter().map(|&number| mailboxes[number].earliest());
        others.fold(mailboxes[self.first].earliest(), Time::min)
    }

    /// All items, in any order.
    pub(super) fn waiting<'a>(&'a self, mailboxes: &'a [Mailbox<T>]) -> impl Iterator<Item = &'a T> {
        let numbers = std::iter::once(self.first).chain(self.others.iter().copied());
        numbers.flat_map(|number| mailboxes[number].waiting())
    }

    /// Takes everything before `until`.
    #[inline(always)]
    pub(super) fn take_before(&mut self, until: Time, mailboxes: &mut [Mailbox<T>]) -> Taken<T> {
        if !self.others.is_empty() {
            return self.merge(until, mailboxes);
        }
        let mut mailbox = std::mem::take(&mut mailboxes[self.first]);
        mailbox.settle(until);
        Taken::One(mailbox, until)
    }

    /// Gives back what is left. What was posted meanwhile is kept.
    #[inline(always)]
    pub(super) fn give_back(&mut self, taken: Taken<T>, mailboxes: &mut [Mailbox<T>]) {
        match taken {
            Taken::One(mailbox, _) => {
                let posted = std::mem::replace(&mut mailboxes[self.first], mailbox);
                posted.waiting().iter().for_each(|&item| mailboxes[self.first].post(item));
            }
            Taken::Merged(room, _) => self.room = room,
        }
    }

    /// Everything before `until`, from several mailboxes.
    #[inline(never)]
    fn merge(&mut self, until: Time, mailboxes: &mut [Mailbox<T>]) -> Taken<T> {
        let mut room = std::mem::take(&mut self.room);
        let numbers = || std::iter::once(self.first).chain(self.others.iter().copied());
        numbers().for_each(|number| mailboxes[number].settle_if_due(until));
        let mut due: [&[T]; MOST_MAILBOXES] = [&[]; MOST_MAILBOXES];
        let (mut used, mut count) = (0, 0);
        for number in numbers() {
            due[used] = mailboxes[number].due(until);
            count += due[used].len();
            used += usize::from(!due[used].is_empty());
        }
        if room.len() < count {
            room.resize(count + count / 2, T::default());
        }
        merge_into(&mut room[..count], &mut due[..used]);
        numbers().for_each(|number| mailboxes[number].take_due(until));
        Taken::Merged(room, count)
    }
}

/// Fills `merged` with the items of all mailboxes, none of which is empty: each is in order, and so is what comes of them.
fn merge_into<T: MailboxItem>(merged: &mut [T], due: &mut [&[T]]) {
    let mut keys = [END; MOST_MAILBOXES];
    let keys = &mut keys[..due.len()];
    due.iter().zip(&mut *keys).for_each(|(items, key)| *key = items[0].key());
    // Which mailbox has the next item, and the first item of the others.
    let (mut next, mut others) = first_two(keys);
    for place in merged {
        let Some((item, rest)) = due[next].split_first() else { unreachable!("there are as many items as places") };
        *place = *item;
        due[next] = rest;
        let key = rest.first().map_or(END, T::key);
        // No two mailboxes have items of one time and input.
        if key > others {
            keys[next] = key;
            (next, others) = first_two(keys);
        }
    }
}

/// The place of the least of some keys, and the least of the others.
#[inline(always)]
fn first_two(keys: &[u128]) -> (usize, u128) {
    let (mut first, mut least, mut second) = (0, END, END);
    for (place, &key) in keys.iter().enumerate() {
        if key < least {
            (first, least, second) = (place, key, least);
        } else {
            second = second.min(key);
        }
    }
    (first, second)
}

/// Beyond every item.
const END: u128 = u128::MAX;

/// The most mailboxes of one process. Delays beyond so many share them: what is not in order there is sorted.
pub(super) const MOST_MAILBOXES: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::batched::io::{Arrival, InputRef};
    use proptest::prelude::*;

    proptest! {
        /// What is posted to several mailboxes comes out as from one mailbox, and what is posted meanwhile stays.
        #[test]
        fn mailboxes_are_merged_in_order(
            batches in prop::collection::vec((prop::collection::vec((0_u64..1000, 0_u32..5), 0..60), 0_u64..200), 1..20),
            count in 1_usize..5,
        ) {
            let mut mailboxes: Vec<Mailbox<Arrival>> = (0..count).map(|_| Mailbox::default()).collect();
            let mut set = MailboxSet::new(count - 1, (0..count - 1).collect());
            let (mut plain, mut horizon) = (Vec::new(), 0);
            for (batch, step) in batches {
                let (begins, until) = (horizon, Time::from_ps(horizon + step));
                horizon += step;
                let mut taken = set.take_before(until, &mut mailboxes);
                let items = taken.items().iter().map(|item| (item.time.as_ps(), item.input_ref.input)).collect::<Vec<_>>();
                plain.sort_unstable();
                let due = plain.partition_point(|&(ps, _)| ps < horizon);
                prop_assert_eq!(items, plain.drain(..due).collect::<Vec<_>>());
                for (delay, input) in batch {
                    let input_ref = InputRef { input, ..InputRef::default() };
                    let time = Time::from_ps(begins + step + delay);
                    mailboxes[input as usize % count].post(Arrival { time, input_ref, ..Arrival::default() });
                    plain.push((time.as_ps(), input));
                }
                set.give_back(taken, &mut mailboxes);
                let first = plain.iter().map(|item| Time::from_ps(item.0)).min();
                prop_assert_eq!(set.earliest(&mailboxes), first.unwrap_or(Time::NEVER));
            }
        }
    }
}
