//! What a receiver holds beyond a hole, and which of it was reported last.
//! Source: RFC 2018 §4.

use std::cmp::Reverse;
use std::collections::VecDeque;

use crate::packet::SackBlock;

/// The blocks held out of order. A segment touches a few of them at most: the cost does not grow with their number,
/// but for a binary search.
#[derive(Clone, Debug)]
pub(super) struct ReassemblyQueue {
    /// In order of sequence, never touching.
    blocks: VecDeque<Block>,
    /// Counts segments out of order, to tell which block is the most recent.
    reports: u64,
    /// The most recently reported blocks, the newest first. Fewer than there could be after some of them were
    /// delivered or became one.
    recent: Vec<SackBlock>,
    /// How many of them are remembered.
    limit: usize,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    start: u64,
    end: u64,
    /// When it last grew: the order in which blocks are reported.
    reported: u64,
}

impl ReassemblyQueue {
    /// Nothing is held, of which up to `limit` blocks will be reported at a time.
    pub(super) fn new(limit: usize) -> ReassemblyQueue {
        ReassemblyQueue { blocks: VecDeque::new(), reports: 0, recent: Vec::new(), limit }
    }

    /// Whether nothing is held.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Whether all of `start..end` is held already: then its block is the one to report first.
    pub(super) fn report_again(&mut self, start: u64, end: u64) -> bool {
        // Most segments follow the last block.
        let last = self.blocks.len() - 1;
        let candidate = if self.blocks[last].start <= start {
            last
        } else {
            let Some(place) = self.blocks.partition_point(|block| block.start <= start).checked_sub(1) else {
                return false;
            };
            place
        };
        if end > self.blocks[candidate].end {
            return false;
        }
        self.report(candidate);
        true
    }

    /// Holds `start..end`, of which something is new.
    pub(super) fn hold(&mut self, start: u64, end: u64) {
        // Everything that touches the new segment becomes one block with it.
        let (first, last) = match self.blocks.back() {
            Some(back) if back.end < start => (self.blocks.len(), self.blocks.len()),
            Some(back) if back.start <= start => (self.blocks.len() - 1, self.blocks.len()),
            _ => (
                self.blocks.partition_point(|block| block.end < start),
                self.blocks.partition_point(|block| block.start <= end),
            ),
        };
        if first == last {
            if self.blocks.capacity() == 0 {
                self.blocks.reserve_exact(1); // seldom there are more
            }
            self.blocks.insert(first, Block { start, end, reported: 0 });
        } else {
            let end = end.max(self.blocks[last - 1].end);
            let merged = &mut self.blocks[first];
            merged.start = merged.start.min(start);
            merged.end = end;
            if last - first > 1 {
                self.blocks.drain(first + 1..last);
            }
        }
        self.report(first);
    }

    /// Everything before `next` has arrived: delivers what follows without a hole. Returns the next byte expected.
    pub(super) fn deliver(&mut self, mut next: u64) -> u64 {
        while let Some(front) = self.blocks.front().filter(|front| front.start <= next) {
            next = next.max(front.end);
            self.blocks.pop_front();
        }
        self.recent.retain(|block| block.start > next);
        next
    }

    /// RFC 2018 §4: first the block of the segment that caused this acknowledgement, then the most recently
    /// reported ones.
    pub(super) fn sack_blocks(&mut self) -> &[SackBlock] {
        if self.recent.len() < self.blocks.len().min(self.limit) {
            self.find_recent();
        }
        &self.recent
    }

    /// The first bytes of `start..end` that are held.
    pub(super) fn overlap(&self, start: u64, end: u64) -> Option<SackBlock> {
        let block = self.blocks.get(self.blocks.partition_point(|block| block.end <= start))?;
        let overlap = SackBlock { start: start.max(block.start), end: end.min(block.end) };
        (overlap.start < overlap.end).then_some(overlap)
    }

    /// The block at `place` is the one to report first.
    fn report(&mut self, place: usize) {
        self.reports += 1;
        let block = &mut self.blocks[place];
        block.reported = self.reports;
        let &mut Block { start, end, .. } = block;
        // What has become part of it is inside of it.
        self.recent.retain(|block| block.start < start || block.end > end);
        self.recent.truncate(self.limit.saturating_sub(1));
        self.recent.insert(0, SackBlock { start, end });
    }

    /// Looks for the most recent blocks among all.
    fn find_recent(&mut self) {
        let mut all: Vec<&Block> = self.blocks.iter().collect();
        all.sort_unstable_by_key(|block| Reverse(block.reported));
        let blocks = all.into_iter().take(self.limit);
        self.recent = blocks.map(|&Block { start, end, .. }| SackBlock { start, end }).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The queue by brute force: a time of the last report for each byte.
    #[derive(Default)]
    struct Model {
        reported: Vec<Option<u64>>,
        reports: u64,
    }

    impl Model {
        fn blocks(&self) -> Vec<(u64, u64, u64)> {
            let mut blocks: Vec<(u64, u64, u64)> = Vec::new();
            for (byte, reported) in (0_u64..).zip(&self.reported) {
                let &Some(reported) = reported else { continue };
                match blocks.last_mut() {
                    Some(last) if last.1 == byte => *last = (last.0, byte + 1, last.2.max(reported)),
                    _ => blocks.push((byte, byte + 1, reported)),
                }
            }
            blocks
        }

        fn holds(&self, start: u64, end: u64) -> bool {
            self.reported[start as usize..end as usize].iter().all(Option::is_some)
        }

        fn overlap(&self, start: u64, end: u64) -> Option<(u64, u64)> {
            let is_held = |byte: &u64| self.reported[*byte as usize].is_some();
            let first = (start..end).find(is_held)?;
            Some((first, (first..end).find(|byte| !is_held(byte)).unwrap_or(end)))
        }

        fn report(&mut self, start: u64, end: u64) {
            self.reports += 1;
            self.reported[start as usize..end as usize].fill(Some(self.reports));
        }

        fn deliver(&mut self, next: u64) -> u64 {
            let reached = (next..).find(|&byte| self.reported[byte as usize].is_none()).unwrap();
            self.reported[..reached as usize].fill(None);
            reached
        }

        fn sack_blocks(&self, limit: usize) -> Vec<(u64, u64)> {
            let mut blocks = self.blocks();
            blocks.sort_by_key(|&(_, _, reported)| std::cmp::Reverse(reported));
            blocks.into_iter().take(limit).map(|(start, end, _)| (start, end)).collect()
        }
    }

    proptest! {
        /// What a receiver does with it, on segments of any size and place.
        #[test]
        fn it_holds_and_reports_what_a_plain_model_does(
            segments in prop::collection::vec((0_u64..150, 1_u64..8, any::<bool>()), 0..300),
            limit in 1_usize..20,
        ) {
            let (mut held, mut next) = (ReassemblyQueue::new(limit), 0);
            let mut model = Model { reported: vec![None; 400], reports: 0 };
            for (ahead, len, look) in segments {
                // A few of them are next in order, most lie anywhere beyond.
                let start = if ahead < 5 { next } else { next.min(200) + ahead };
                let end = start + len;
                if end <= next {
                    continue;
                }
                let overlap = held.overlap(start, end).map(|block| (block.start, block.end));
                prop_assert_eq!(overlap, model.overlap(start, end));
                if !held.is_empty() && held.report_again(start, end) {
                    prop_assert!(model.holds(start, end));
                    model.report(start, end);
                } else {
                    prop_assert!(!model.holds(start, end));
                    if start <= next {
                        next = if held.is_empty() { end } else { held.deliver(end) };
                        prop_assert_eq!(next, model.deliver(end));
                    } else {
                        held.hold(start, end);
                        model.report(start, end);
                    }
                }
                prop_assert_eq!(held.is_empty(), model.blocks().is_empty());
                let all: Vec<_> = held.blocks.iter().map(|block| (block.start, block.end)).collect();
                prop_assert_eq!(all, model.blocks().iter().map(|&(start, end, _)| (start, end)).collect::<Vec<_>>());
                if look {
                    let reported: Vec<_> =
                        held.sack_blocks().iter().map(|block| (block.start, block.end)).collect();
                    prop_assert_eq!(reported, model.sack_blocks(limit));
                }
            }
        }
    }
}
