//! The event tree of the reference engine: which of a fixed set of sources has the earliest event?
//!
//! There are no event objects, nothing is inserted or cancelled: each source has one next instant, or none. Ties go
//! to the source with the smaller number, so they are decided by structure and never by the order of insertion.

use crate::units::Time;

/// A tournament over the next instants of all sources.
#[derive(Clone, Debug)]
pub struct EventTree {
    /// Next instant of each source; padded with `NEVER` to a power of two.
    next: Vec<Time>,
    /// Winner below each inner node; node 1 is the root, the children of node i are 2i and 2i+1.
    winner: Vec<u32>,
    /// The instant of the winner of all.
    earliest: Time,
}

impl EventTree {
    /// An event tree of `sources` sources, none of which has an event.
    pub fn new(sources: usize) -> EventTree {
        let leaves = sources.next_power_of_two().max(2);
        let mut winner = vec![0; leaves];
        for node in (1..leaves).rev() {
            let left = 2 * node;
            winner[node] = if left >= leaves { (left - leaves) as u32 } else { winner[left] };
        }
        EventTree { next: vec![Time::NEVER; leaves], winner, earliest: Time::NEVER }
    }

    /// The next event of `source` is at `time` (`Time::NEVER`: there is none).
    #[inline]
    pub fn set(&mut self, source: usize, time: Time) {
        if self.next[source] != time {
            self.change(source, time);
        }
    }

    #[inline(never)]
    fn change(&mut self, source: usize, time: Time) {
        self.next[source] = time;
        self.play(source);
        self.earliest = self.next[self.winner[1] as usize];
    }

    /// The matches of `source`, as far up as they may end otherwise than before.
    fn play(&mut self, source: usize) {
        let leaves = self.next.len();
        // The match at the lowest level is between two leaves, above it between winners.
        let mut node = (source + leaves) / 2;
        let pair = source & !1;
        let mut best = if self.next[pair + 1] < self.next[pair] { pair + 1 } else { pair };
        loop {
            let unchanged = self.winner[node] as usize == best && best != source;
            self.winner[node] = best as u32;
            if unchanged || node == 1 {
                return; // above, the same winner meets the same rivals
            }
            let rival = self.winner[node ^ 1] as usize;
            let (left, right) = if node & 1 == 0 { (best, rival) } else { (rival, best) };
            best = if self.next[right] < self.next[left] { right } else { left };
            node /= 2;
        }
    }

    /// The next event of `source`; `Time::NEVER` if there is none.
    pub fn of(&self, source: usize) -> Time {
        self.next[source]
    }

    /// The instant of the earliest event; `Time::NEVER` if there is none.
    #[inline]
    pub fn next(&self) -> Time {
        self.earliest
    }

    /// The earliest event: its instant and its source. `Time::NEVER` if there is none.
    #[inline]
    pub fn earliest(&self) -> (Time, usize) {
        (self.earliest, self.winner[1] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ties_go_to_the_smaller_number() {
        let at = Time::from_ps(5);
        let mut event_tree = EventTree::new(5);
        for source in [4, 2, 3] {
            event_tree.set(source, at);
        }
        assert_eq!(event_tree.earliest(), (at, 2));
        event_tree.set(2, Time::NEVER);
        assert_eq!(event_tree.earliest(), (at, 3));
    }

    proptest! {
        #[test]
        fn agrees_with_a_search_of_all_sources(
            sources in 1_usize..40,
            changes in prop::collection::vec((0_usize..40, 0_u64..20), 1..200),
        ) {
            let mut event_tree = EventTree::new(sources);
            let mut plain = vec![Time::NEVER; sources];
            for (source, ps) in changes {
                let time = if ps == 0 { Time::NEVER } else { Time::from_ps(ps) };
                event_tree.set(source % sources, time);
                plain[source % sources] = time;
                let earliest = *plain.iter().min().unwrap();
                prop_assert_eq!(event_tree.earliest().0, earliest);
                if earliest != Time::NEVER {
                    prop_assert_eq!(event_tree.earliest().1, plain.iter().position(|&t| t == earliest).unwrap());
                }
            }
        }
    }
}
