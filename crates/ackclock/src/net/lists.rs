//! A list for each of many things, most of them short: all in one piece of memory.

use std::cmp::Ordering;
use std::marker::PhantomData;

use crate::ids::Id;

/// Lists of `T`, one for each `I`.
pub(super) struct Lists<I, T> {
    /// One list after the other, and where each of them ends.
    items: Vec<T>,
    ends: Vec<u32>,
    id: PhantomData<I>,
}

impl<I: Id, T: Copy> Lists<I, T> {
    /// So many lists, of what belongs to each; what comes first in `pairs` comes first in its list.
    pub(super) fn new(lists: usize, pairs: impl Iterator<Item = (I, T)> + Clone) -> Lists<I, T> {
        let mut ends = vec![0; lists];
        pairs.clone().for_each(|(id, _)| ends[id.index()] += 1);
        let mut start = 0;
        for end in &mut ends {
            (start, *end) = (start + *end, start);
        }
        // What are still the starts become the ends as the lists are filled.
        let mut items: Vec<T> = pairs.clone().next().map_or(Vec::new(), |(_, any)| vec![any; start as usize]);
        for (id, item) in pairs {
            let place = &mut ends[id.index()];
            items[*place as usize] = item;
            *place += 1;
        }
        Lists { items, ends, id: PhantomData }
    }

    /// Puts each list in order, and keeps one of items that are equal.
    pub(super) fn sort_and_dedup_by(&mut self, compare: impl Fn(&T, &T) -> Ordering) {
        let (mut start, mut kept) = (0, 0);
        for end in &mut self.ends {
            let (begins, list) = (kept, start..*end as usize);
            start = list.end;
            self.items[list.clone()].sort_unstable_by(&compare);
            for place in list {
                let is_new = kept == begins || compare(&self.items[kept - 1], &self.items[place]).is_ne();
                if is_new {
                    self.items[kept] = self.items[place];
                    kept += 1;
                }
            }
            *end = kept as u32;
        }
        self.items.truncate(kept);
    }

    /// The list of `id`.
    pub(super) fn of(&self, id: I) -> &[T] {
        &self.items[self.start(id)..self.ends[id.index()] as usize]
    }

    /// How many items come before the list of `id`.
    fn start(&self, id: I) -> usize {
        id.index().checked_sub(1).map_or(0, |before| self.ends[before] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LinkId;

    #[test]
    fn each_list_keeps_the_order_of_its_items() {
        let pairs = [(2, 'a'), (0, 'b'), (2, 'c'), (0, 'd'), (3, 'e')];
        let lists = Lists::new(5, pairs.iter().map(|&(id, item)| (LinkId::from_index(id), item)));
        let of = |id| String::from_iter(lists.of(LinkId::from_index(id)));
        assert_eq!((0..5).map(of).collect::<Vec<_>>(), ["bd", "", "ac", "e", ""]);
    }

    #[test]
    fn equal_items_of_a_list_are_kept_once_and_in_order() {
        let pairs = [(2, 'b'), (0, 'a'), (2, 'a'), (2, 'b'), (0, 'a'), (3, 'a'), (2, 'c'), (2, 'a')];
        let mut lists = Lists::new(5, pairs.iter().map(|&(id, item)| (LinkId::from_index(id), item)));
        lists.sort_and_dedup_by(char::cmp);
        let of = |id| String::from_iter(lists.of(LinkId::from_index(id)));
        assert_eq!((0..5).map(of).collect::<Vec<_>>(), ["a", "", "abc", "a", ""]);
    }
}
