//! What a SACK sender knows of each outstanding segment: held by the receiver? sent again?
//! Sources: RFC 2018 §4; RFC 6675 §4 (IsLost).   A ring of segments from snd_una; all but the last of a file are full.

use std::collections::VecDeque;

use crate::packet::SackBlock;

/// The marks of the segments from `una` on.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    mss: u64,
    una: u64,
    marks: VecDeque<Mark>,
    /// First byte after the highest one that is selectively acknowledged; `una` if there is none.
    highest: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    sacked: bool,
    retransmitted: bool,
}

/// Selectively acknowledged segments above a hole that make it lost (DupThresh).
const DUP_THRESH: usize = 3;

impl Scoreboard {
    /// An empty scoreboard for segments of `mss` bytes.
    pub fn new(mss: u64) -> Scoreboard {
        Scoreboard { mss, una: 0, marks: VecDeque::new(), highest: 0 }
    }

    /// Everything before `una` is acknowledged.
    pub fn advance(&mut self, una: u64) {
        let gone = self.index(una).min(self.marks.len());
        self.marks.drain(..gone);
        self.una = una;
        self.highest = self.highest.max(una);
    }

    /// The receiver reports `block`, of which nothing beyond `max` was ever sent.
    pub fn sack(&mut self, block: SackBlock, max: u64) {
        let (start, end) = (block.start.max(self.una), block.end.min(max));
        if start >= end {
            return;
        }
        let range = self.index(start)..self.end_index(end);
        self.reach(range.end);
        self.marks.range_mut(range).for_each(|mark| mark.sacked = true);
        self.highest = self.highest.max(end);
    }

    /// The segment at `seq` was sent again.
    pub fn retransmitted(&mut self, seq: u64) {
        let index = self.index(seq);
        self.reach(index + 1);
        self.marks[index].retransmitted = true;
    }

    /// Forgets which segments were sent again.
    pub fn clear_retransmitted(&mut self) {
        self.marks.iter_mut().for_each(|mark| mark.retransmitted = false);
    }

    /// Forgets everything: after a timeout the receiver may have thrown away what it held (RFC 2018 §8).
    pub fn clear(&mut self) {
        self.marks.clear();
        self.highest = self.una;
    }

    /// Whether the segment at `seq` is selectively acknowledged.
    pub fn is_sacked(&self, seq: u64) -> bool {
        self.marks.get(self.index(seq)).is_some_and(|mark| mark.sacked)
    }

    /// First byte after the highest one selectively acknowledged; `una` if none is.
    pub fn highest_sacked(&self) -> u64 {
        self.highest
    }

    /// The first segment from `una` and before `limit` that is neither acknowledged nor sent again.
    pub fn first_hole(&self, limit: u64) -> Option<u64> {
        let untouched = |mark: &Mark| !mark.sacked && !mark.retransmitted;
        let index = self.marks.iter().position(untouched).unwrap_or(self.marks.len());
        Some(self.seq(index)).filter(|&seq| seq < limit)
    }

    /// The first segment at or after `from` that is not selectively acknowledged.
    pub fn first_unsacked(&self, from: u64) -> u64 {
        let first = self.index(from);
        if first >= self.marks.len() {
            return from;
        }
        let index = self.marks.range(first..).position(|mark| !mark.sacked).map_or(self.marks.len(), |n| first + n);
        self.seq(index).max(from)
    }

    /// The segments below this byte that are not selectively acknowledged are lost: three above them are
    /// (RFC 6675 §4, IsLost; its other two conditions, bytes and separate blocks, follow from this one as all
    /// segments below the highest are full).
    pub fn lost_below(&self) -> u64 {
        let mut above = 0;
        for (index, mark) in self.marks.iter().enumerate().rev() {
            above += usize::from(mark.sacked);
            if above == DUP_THRESH {
                return self.seq(index);
            }
        }
        self.una
    }

    /// Bytes from `una` to `end` that are believed to be in the network (RFC 6675 §4, SetPipe).
    pub fn pipe(&self, end: u64) -> u64 {
        let lost_below = self.lost_below();
        let mut seq = self.una;
        let mut bytes = 0;
        for mark in &self.marks {
            if seq >= end {
                return bytes;
            }
            let len = self.mss.min(end - seq);
            if !mark.sacked {
                bytes += if seq >= lost_below { len } else { 0 } + if mark.retransmitted { len } else { 0 };
            }
            seq += self.mss;
        }
        bytes + end.saturating_sub(seq)
    }

    fn index(&self, seq: u64) -> usize {
        ((seq.saturating_sub(self.una)) / self.mss) as usize
    }

    fn end_index(&self, end: u64) -> usize {
        ((end - self.una).div_ceil(self.mss)) as usize
    }

    fn seq(&self, index: usize) -> u64 {
        self.una + index as u64 * self.mss
    }

    fn reach(&mut self, len: usize) {
        if self.marks.len() < len {
            self.marks.resize(len, Mark::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A board over segments of 10 bytes with these segments (start, end) reported, 20 segments sent.
    fn board(sacked: &[(u64, u64)]) -> Scoreboard {
        let mut board = Scoreboard::new(10);
        for &(start, end) in sacked {
            board.sack(SackBlock { start: start * 10, end: end * 10 }, 200);
        }
        board
    }

    #[test]
    fn lost_means_three_segments_above() {
        // Segments 3 and 5 held: two above each hole, nothing is lost.
        assert_eq!(board(&[(3, 4), (5, 6)]).lost_below(), 0);
        // 3, 5 and 7 held: below 3 there are three above; hole 4 has two.
        assert_eq!(board(&[(3, 4), (5, 6), (7, 8)]).lost_below(), 30);
        // One block of three counts as much as three blocks.
        assert_eq!(board(&[(2, 5)]).lost_below(), 20);
        assert_eq!(board(&[(2, 4)]).lost_below(), 0, "just not");
    }

    #[test]
    fn pipe_counts_what_is_neither_held_nor_lost_and_what_was_sent_again() {
        // 10 sent; 2..5 held: 0 and 1 lost; 5..10 in flight.
        let mut board = board(&[(2, 5)]);
        assert_eq!(board.pipe(100), 50);
        board.retransmitted(0);
        assert_eq!(board.pipe(100), 60);
        // Not lost and sent again counts twice.
        board.retransmitted(60);
        assert_eq!(board.pipe(100), 70);
        // The last segment may be short.
        assert_eq!(board.pipe(95), 65);
    }

    #[test]
    fn the_last_hole_at_una_is_counted_once() {
        // Everything but segment 0 is held.
        let mut board = board(&[(1, 10)]);
        assert_eq!(board.pipe(100), 0);
        board.retransmitted(0);
        assert_eq!(board.pipe(100), 10);
        assert_eq!(board.first_hole(100), None);
    }

    #[test]
    fn holes_are_found_in_order_and_once() {
        let mut board = board(&[(1, 2), (4, 5)]);
        assert_eq!(board.first_hole(board.highest_sacked()), Some(0));
        board.retransmitted(0);
        assert_eq!(board.first_hole(50), Some(20));
        board.retransmitted(20);
        board.retransmitted(30);
        assert_eq!(board.first_hole(board.highest_sacked()), None);
        assert_eq!(board.first_hole(200), Some(50), "beyond the highest report, if allowed");
        board.clear_retransmitted();
        assert_eq!(board.first_hole(50), Some(0));
    }

    #[test]
    fn advancing_keeps_the_marks_of_what_remains() {
        let mut board = board(&[(1, 3), (5, 6)]);
        board.advance(30);
        assert!(!board.is_sacked(30) && board.is_sacked(50));
        assert_eq!(board.first_unsacked(30), 30);
        assert_eq!(board.first_unsacked(50), 60);
        assert_eq!(board.first_unsacked(90), 90);
        board.advance(200);
        assert_eq!(board.highest_sacked(), 200);
        assert_eq!(board.pipe(200), 0);
    }

    #[test]
    fn reports_that_cannot_be_are_ignored() {
        let mut board = board(&[]);
        board.advance(50);
        // Below una, backwards, never sent.
        for (start, end) in [(20, 40), (80, 60), (300, 400)] {
            board.sack(SackBlock { start, end }, 200);
            assert_eq!((board.highest_sacked(), board.pipe(200)), (50, 150));
        }
        // Known in part.
        board.sack(SackBlock { start: 20, end: 80 }, 200);
        board.sack(SackBlock { start: 60, end: 80 }, 200);
        assert_eq!(board.pipe(200), 120);
        assert_eq!(board.first_unsacked(60), 80);
    }
}
