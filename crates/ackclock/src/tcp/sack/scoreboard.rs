//! What a SACK sender knows of each outstanding segment: held by the receiver? sent again?
//! Sources: RFC 2018 §4; RFC 6675 §4 (IsLost).   Segments are counted from snd_una; all but the last of a file are full.

use super::interval_set::IntervalSet;
use crate::packet::SackBlock;

/// The marks of the segments from `una` on.
///
/// An acknowledgement costs a few steps whatever the window: marks are kept as runs of segments, reports of what is
/// known already end at a binary search, and what is asked for at every segment is counted as it changes.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    mss: u64,
    una: u64,
    /// First byte after the highest one that is selectively acknowledged; `una` if there is none.
    highest: u64,
    /// Segments from `una` on that have, or had, a mark or one above them.
    len: u64,
    /// Not there before the first mark after the start or a timeout: connections may be many, and most of the time most
    /// of them have none.
    marks: Option<Box<Marks>>,
}

/// Segments go by numbers that stay the same while `una` advances.
#[derive(Clone, Debug, Default)]
struct Marks {
    /// The number of the segment at `una`.
    base: u64,
    /// Selectively acknowledged.
    sacked: IntervalSet,
    /// Sent again, and not selectively acknowledged.
    again: IntervalSet,
    /// The first segment from `base` on that is neither.
    hole: u64,
    /// The segments below this one that are not selectively acknowledged are lost; `base` if no more than that is known.
    lost_below: u64,
}

/// Selectively acknowledged segments above a hole that make it lost (DupThresh).
const DUP_THRESH: u64 = 3;

impl Scoreboard {
    /// An empty scoreboard for segments of `mss` bytes.
    pub fn new(mss: u64) -> Scoreboard {
        Scoreboard { mss, una: 0, highest: 0, len: 0, marks: None }
    }

    /// An acknowledgement: everything before `una` has arrived, and `blocks`, of which nothing beyond `max` was ever
    /// sent.
    #[inline]
    pub fn on_ack(&mut self, una: u64, blocks: &[SackBlock], max: u64) {
        self.advance(una);
        if !blocks.is_empty() {
            self.sack_all(blocks, max);
        }
    }

    #[inline(never)]
    fn sack_all(&mut self, blocks: &[SackBlock], max: u64) {
        blocks.iter().for_each(|&block| self.sack(block, max));
    }

    /// Everything before `una` is acknowledged.
    #[inline]
    pub fn advance(&mut self, una: u64) {
        if self.len > 0 && una != self.una {
            self.drop_before(una);
        }
        self.una = una;
        self.highest = self.highest.max(una);
    }

    /// The receiver reports `block`, of which nothing beyond `max` was ever sent.
    pub fn sack(&mut self, block: SackBlock, max: u64) {
        let (start, end) = (block.start.max(self.una), block.end.min(max));
        if start >= end {
            return;
        }
        let (first, beyond) = (self.index(start), self.end_index(end));
        self.len = self.len.max(beyond);
        self.highest = self.highest.max(end);
        let marks = self.marks.get_or_insert_default();
        marks.sack(marks.base + first, marks.base + beyond);
    }

    /// The segment at `seq` was sent again.
    pub fn retransmitted(&mut self, seq: u64) {
        let index = self.index(seq);
        self.len = self.len.max(index + 1);
        let marks = self.marks.get_or_insert_default();
        marks.send_again(marks.base + index);
    }

    /// Forgets which segments were sent again.
    pub fn clear_retransmitted(&mut self) {
        if let Some(marks) = &mut self.marks {
            marks.again.clear();
            marks.hole = marks.sacked.first_absent(marks.base);
        }
    }

    /// Forgets everything: after a timeout the receiver may have discarded what it held (RFC 2018 §8).
    pub fn clear(&mut self) {
        self.len = 0;
        self.highest = self.una;
        self.marks = None;
    }

    /// Whether nothing is selectively acknowledged or sent again.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes that are selectively acknowledged; a short last segment counts as a full one.
    pub fn held(&self) -> u64 {
        self.marks.as_ref().map_or(0, |marks| marks.sacked.count() * self.mss)
    }

    /// How many segments are lost: see [`Scoreboard::lost_below`].
    pub fn lost(&self) -> u64 {
        self.marks.as_ref().map_or(0, |marks| {
            let held_below = marks.sacked.count().saturating_sub(DUP_THRESH);
            marks.lost_below - marks.base - held_below
        })
    }

    /// How many segments were sent again, and are not selectively acknowledged.
    pub fn again(&self) -> u64 {
        self.marks.as_ref().map_or(0, |marks| marks.again.count())
    }

    /// Whether the segment at `seq` is selectively acknowledged.
    pub fn is_sacked(&self, seq: u64) -> bool {
        self.marks.as_ref().is_some_and(|marks| marks.sacked.contains(marks.base + self.index(seq)))
    }

    /// First byte after the highest one selectively acknowledged; `una` if none is.
    #[inline]
    pub fn highest_sacked(&self) -> u64 {
        self.highest
    }

    /// The first segment from `una` and before `limit` that is neither acknowledged nor sent again.
    pub fn first_hole(&self, limit: u64) -> Option<u64> {
        let index = self.marks.as_ref().map_or(0, |marks| marks.hole - marks.base);
        Some(self.seq(index)).filter(|&seq| seq < limit)
    }

    /// The first segment at or after `from` that is not selectively acknowledged.
    pub fn first_unsacked(&self, from: u64) -> u64 {
        let index = self.index(from);
        match &self.marks {
            Some(marks) if index < self.len => {
                self.seq(marks.sacked.first_absent(marks.base + index) - marks.base).max(from)
            }
            _ => from,
        }
    }

    /// The segments below this byte that are not selectively acknowledged are lost: three above them are
    /// (RFC 6675 §4, IsLost; its other two conditions, bytes and separate blocks, follow from this one as all
    /// segments below the highest are full).
    #[inline]
    pub fn lost_below(&self) -> u64 {
        match &self.marks {
            Some(marks) if self.len > 0 => self.seq(marks.lost_below - marks.base),
            _ => self.una,
        }
    }

    /// Bytes from `una` to `end` that are believed to be in the network (RFC 6675 §4, SetPipe).
    pub fn pipe(&self, end: u64) -> u64 {
        let Some(bytes) = end.checked_sub(self.una) else { return 0 };
        let segments = bytes.div_ceil(self.mss);
        match &self.marks {
            Some(marks) if self.len > segments => self.pipe_of(marks, bytes), // marks beyond `end`
            Some(marks) if self.len > 0 => {
                // Each segment that is neither held nor lost counts, each that was sent again counts.
                let end = marks.base + segments;
                let sacked_above = marks.sacked.count().min(DUP_THRESH);
                let counted = end - marks.lost_below - sacked_above + marks.again.count();
                let missing = segments * self.mss - bytes;
                let last = if missing == 0 { 0 } else { marks.times_in_pipe(end - 1) };
                counted * self.mss - last * missing
            }
            _ => bytes,
        }
    }

    /// The pipe with an `end` that has marks beyond it, which no sender needs.
    #[cold]
    fn pipe_of(&self, marks: &Marks, bytes: u64) -> u64 {
        let segments = (0..bytes.div_ceil(self.mss))
            .map(|index| self.mss.min(bytes - index * self.mss) * marks.times_in_pipe(marks.base + index));
        segments.sum()
    }

    /// Drops the marks of the segments before `una`.
    fn drop_before(&mut self, una: u64) {
        let gone = self.index(una).min(self.len);
        self.len -= gone;
        let Some(marks) = &mut self.marks else { return };
        marks.base += gone;
        marks.sacked.remove_below(marks.base);
        marks.again.remove_below(marks.base);
        if marks.sacked.count() < DUP_THRESH {
            marks.lost_below = marks.base;
        }
        if marks.hole < marks.base {
            marks.hole = marks.base;
            marks.skip_to_hole();
        }
    }

    fn index(&self, seq: u64) -> u64 {
        self.whole_segments(seq.saturating_sub(self.una))
    }

    fn end_index(&self, end: u64) -> u64 {
        self.whole_segments(end - self.una + self.mss - 1)
    }

    fn whole_segments(&self, bytes: u64) -> u64 {
        // Dividing 32 bits takes a fraction of the time, and nearly every window has no more.
        match (u32::try_from(bytes), u32::try_from(self.mss)) {
            (Ok(bytes), Ok(mss)) => u64::from(bytes / mss),
            _ => bytes / self.mss,
        }
    }

    fn seq(&self, index: u64) -> u64 {
        self.una + index * self.mss
    }
}

impl Marks {
    fn sack(&mut self, first: u64, beyond: u64) {
        self.sacked.insert(first, beyond);
        if beyond > self.lost_below {
            self.lost_below = self.sacked.nth_from_above(DUP_THRESH).unwrap_or(self.base);
        }
        if self.again.count() > 0 {
            self.again.remove(first, beyond);
        }
        if (first..beyond).contains(&self.hole) {
            self.hole = beyond;
            self.skip_to_hole();
        }
    }

    fn send_again(&mut self, segment: u64) {
        if !self.sacked.contains(segment) {
            self.again.insert(segment, segment + 1);
        }
        if segment == self.hole {
            self.skip_to_hole();
        }
    }

    /// `hole` moves up to the next segment without a mark. It moves down only when marks are taken back.
    fn skip_to_hole(&mut self) {
        // Mostly what is new is the highest of all.
        while self.hole < self.sacked.end().max(self.again.end()) {
            let next = self.again.first_absent(self.sacked.first_absent(self.hole));
            if next == self.hole {
                return;
            }
            self.hole = next;
        }
    }

    /// How often a segment counts as being in the network.
    fn times_in_pipe(&self, segment: u64) -> u64 {
        if self.sacked.contains(segment) {
            return 0;
        }
        u64::from(segment >= self.lost_below) + u64::from(self.again.contains(segment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    /// The scoreboard as a list of marks, each question answered by looking at all of them.
    #[derive(Default)]
    struct Model {
        mss: u64,
        una: u64,
        /// Selectively acknowledged; sent again.
        marks: Vec<(bool, bool)>,
        highest: u64,
    }

    impl Model {
        fn advance(&mut self, una: u64) {
            let gone = self.index(una).min(self.marks.len());
            self.marks.drain(..gone);
            self.una = una;
            self.highest = self.highest.max(una);
        }

        fn sack(&mut self, block: SackBlock, max: u64) {
            let (start, end) = (block.start.max(self.una), block.end.min(max));
            if start < end {
                let beyond = (end - self.una).div_ceil(self.mss) as usize;
                self.reach(beyond);
                let first = self.index(start);
                self.marks[first..beyond].iter_mut().for_each(|mark| mark.0 = true);
                self.highest = self.highest.max(end);
            }
        }

        fn retransmitted(&mut self, seq: u64) {
            let index = self.index(seq);
            self.reach(index + 1);
            self.marks[index].1 = true;
        }

        fn clear_retransmitted(&mut self) {
            self.marks.iter_mut().for_each(|mark| mark.1 = false);
        }

        fn clear(&mut self) {
            self.marks.clear();
            self.highest = self.una;
        }

        fn is_sacked(&self, seq: u64) -> bool {
            self.marks.get(self.index(seq)).is_some_and(|mark| mark.0)
        }

        fn first_hole(&self, limit: u64) -> Option<u64> {
            let index = self.marks.iter().position(|&mark| mark == (false, false)).unwrap_or(self.marks.len());
            Some(self.seq(index)).filter(|&seq| seq < limit)
        }

        fn first_unsacked(&self, from: u64) -> u64 {
            let first = self.index(from);
            if first >= self.marks.len() {
                return from;
            }
            let index = (first..self.marks.len()).find(|&index| !self.marks[index].0).unwrap_or(self.marks.len());
            self.seq(index).max(from)
        }

        fn lost_below(&self) -> u64 {
            let sacked: Vec<usize> = (0..self.marks.len()).filter(|&index| self.marks[index].0).collect();
            if sacked.len() < 3 { self.una } else { self.seq(sacked[sacked.len() - 3]) }
        }

        fn lost(&self) -> u64 {
            let of = |index: usize| self.seq(index) < self.lost_below() && !self.marks[index].0;
            (0..self.marks.len()).filter(|&index| of(index)).count() as u64
        }

        fn again(&self) -> u64 {
            self.marks.iter().filter(|&&mark| mark == (false, true)).count() as u64
        }

        fn pipe(&self, end: u64) -> u64 {
            let (mut bytes, lost_below) = (0, self.lost_below());
            for (index, &(sacked, again)) in self.marks.iter().enumerate() {
                let seq = self.seq(index);
                let len = self.mss.min(end.saturating_sub(seq));
                if !sacked {
                    bytes += if seq >= lost_below { len } else { 0 } + if again { len } else { 0 };
                }
            }
            bytes + end.saturating_sub(self.seq(self.marks.len()))
        }

        fn index(&self, seq: u64) -> usize {
            (seq.saturating_sub(self.una) / self.mss) as usize
        }

        fn seq(&self, index: usize) -> u64 {
            self.una + index as u64 * self.mss
        }

        fn reach(&mut self, len: usize) {
            if self.marks.len() < len {
                self.marks.resize(len, (false, false));
            }
        }
    }

    #[derive(Clone, Copy, Debug)]
    enum Operation {
        Advance(u64),
        Sack(u64, u64, u64),
        Retransmitted(u64),
        RetransmittedHole,
        ClearRetransmitted,
        Clear,
    }

    fn operation() -> impl Strategy<Value = Operation> {
        // Places relative to una; most of them borders of segments (of 10 bytes).
        let place = || prop_oneof![4 => (0_u64..60).prop_map(|segment| 10 * segment), 1 => 0_u64..600];
        prop_oneof![
            2 => prop_oneof![3 => (0_u64..8).prop_map(|segments| 10 * segments), 1 => 0_u64..700]
                .prop_map(Operation::Advance),
            8 => (place(), place(), 0_u64..650).prop_map(|(start, len, max)| Operation::Sack(start, len / 4, max)),
            2 => place().prop_map(Operation::Retransmitted),
            4 => Just(Operation::RetransmittedHole),
            1 => Just(Operation::ClearRetransmitted),
            1 => prop_oneof![3 => Just(Operation::ClearRetransmitted), 1 => Just(Operation::Clear)],
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Any operations, also such as no sender does: after each, every question has the answer of the model.
        #[test]
        fn it_answers_as_a_plain_list_of_marks_does(operations in prop::collection::vec(operation(), 0..120)) {
            let mut board = Scoreboard::new(10);
            let mut model = Model { mss: 10, ..Model::default() };
            for operation in operations {
                let una = model.una;
                match operation {
                    Operation::Advance(by) => {
                        board.advance(una + by);
                        model.advance(una + by);
                    }
                    Operation::Sack(start, len, max) => {
                        let start = (una + start).saturating_sub(20);
                        let block = SackBlock { start, end: start + len };
                        board.sack(block, una + max);
                        model.sack(block, una + max);
                    }
                    Operation::Retransmitted(ahead) => {
                        let seq = (una + ahead).saturating_sub(20);
                        board.retransmitted(seq);
                        model.retransmitted(seq);
                    }
                    Operation::RetransmittedHole => {
                        if let Some(seq) = model.first_hole(model.highest) {
                            board.retransmitted(seq);
                            model.retransmitted(seq);
                        }
                    }
                    Operation::ClearRetransmitted => {
                        board.clear_retransmitted();
                        model.clear_retransmitted();
                    }
                    Operation::Clear => {
                        board.clear();
                        model.clear();
                    }
                }
                prop_assert_eq!(board.highest_sacked(), model.highest);
                prop_assert_eq!(board.lost_below(), model.lost_below());
                prop_assert_eq!((board.lost(), board.again()), (model.lost(), model.again()));
                for seq in (model.una.saturating_sub(15)..model.una + 700).step_by(5) {
                    prop_assert_eq!(board.is_sacked(seq), model.is_sacked(seq), "{}", seq);
                    prop_assert_eq!(board.first_hole(seq), model.first_hole(seq), "{}", seq);
                    prop_assert_eq!(board.first_unsacked(seq), model.first_unsacked(seq), "{}", seq);
                    prop_assert_eq!(board.pipe(seq), model.pipe(seq), "{}", seq);
                }
            }
        }
    }
}
