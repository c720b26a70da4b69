//! What a receiver holds beyond a hole, and which of it was reported last.
//! Source: RFC 2018 §4.

use std::collections::VecDeque;

use crate::packet::{MAX_SACK_BLOCKS, SackBlock, SackBlocks};

/// The blocks held out of order. A segment touches a few of them at most: the cost does not grow with their number,
/// but for a binary search.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    /// In order of sequence, never touching.
    blocks: VecDeque<Block>,
    /// Counts segments out of order, to tell which block is the most recent.
    reports: u64,
    /// The most recently reported blocks, the newest first. Fewer than there could be after some of them were
    /// delivered or became one.
    recent: SackBlocks,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    start: u64,
    end: u64,
    /// When it last grew: the order in which blocks are reported.
    reported: u64,
}

impl Held {
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
        self.keep_recent(SackBlocks::default(), |block| block.start > next);
        next
    }

    /// RFC 2018 §4: first the block of the segment that caused this acknowledgement, then the most recently
    /// reported ones.
    pub(super) fn sack_blocks(&mut self) -> SackBlocks {
        if self.recent.as_slice().len() < self.blocks.len().min(MAX_SACK_BLOCKS) {
            self.find_recent();
        }
        self.recent
    }

    /// The block at `place` is the one to report first.
    fn report(&mut self, place: usize) {
        self.reports += 1;
        let block = &mut self.blocks[place];
        block.reported = self.reports;
        let (start, end) = (block.start, block.end);
        let mut newest = SackBlocks::default();
        newest.push(SackBlock { start, end });
        // What has become part of it is inside of it.
        self.keep_recent(newest, |block| block.start < start || block.end > end);
    }

    /// The most recent blocks are now those `before`, then those of today that `remain`.
    fn keep_recent(&mut self, mut before: SackBlocks, remain: impl Fn(&SackBlock) -> bool) {
        for block in self.recent.as_slice() {
            if remain(block) {
                before.push(*block);
            }
        }
        self.recent = before;
    }

    /// Looks for the most recent blocks among all.
    fn find_recent(&mut self) {
        let mut newest: [Option<&Block>; MAX_SACK_BLOCKS] = [None; MAX_SACK_BLOCKS];
        for block in &self.blocks {
            let mut block = Some(block);
            for place in &mut newest {
                if block.map(|block| block.reported) > place.map(|block| block.reported) {
                    std::mem::swap(&mut block, place);
                }
            }
        }
        self.recent = SackBlocks::default();
        for block in newest.into_iter().flatten() {
            self.recent.push(SackBlock { start: block.start, end: block.end });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same by brute force: a time of the last report for each byte.
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

        fn report(&mut self, start: u64, end: u64) {
            self.reports += 1;
            self.reported[start as usize..end as usize].fill(Some(self.reports));
        }

        fn deliver(&mut self, next: u64) -> u64 {
            let reached = (next..).find(|&byte| self.reported[byte as usize].is_none()).unwrap();
            self.reported[..reached as usize].fill(None);
            reached
        }

        fn sack_blocks(&self) -> Vec<(u64, u64)> {
            let mut blocks = self.blocks();
            blocks.sort_by_key(|&(_, _, reported)| std::cmp::Reverse(reported));
            blocks.into_iter().take(MAX_SACK_BLOCKS).map(|(start, end, _)| (start, end)).collect()
        }
    }

    proptest! {
        /// What a receiver does with it, on segments of any size and place.
        #[test]
        fn it_holds_and_reports_what_a_plain_model_does(
            segments in prop::collection::vec((0_u64..150, 1_u64..8, any::<bool>()), 0..300),
        ) {
            let (mut held, mut next) = (Held::default(), 0);
            let mut model = Model { reported: vec![None; 400], reports: 0 };
            for (ahead, len, look) in segments {
                // A few of them are next in order, most lie anywhere beyond.
                let start = if ahead < 5 { next } else { next.min(200) + ahead };
                let end = start + len;
                if end <= next {
                    continue;
                }
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
                        held.sack_blocks().as_slice().iter().map(|block| (block.start, block.end)).collect();
                    prop_assert_eq!(reported, model.sack_blocks());
                }
            }
        }
    }
}
