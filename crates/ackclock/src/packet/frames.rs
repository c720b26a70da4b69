//! The frames of one connection that are on their way.

use std::collections::VecDeque;

use super::segment::SegmentKind;
use super::{SackBlock, SackBlocks, Segment, Timestamps};

/// What each frame carries, from the oldest that may still arrive. A connection keeps its order, so the arrival of
/// one frame means that no earlier one will come.
///
/// A window of segments is kept here, of every flow: SACK blocks, which few segments have, are in a queue of their own.
#[derive(Clone, Debug, Default)]
pub struct FrameLog {
    /// The number of the oldest frame, and of the next one, modulo 2^32.
    oldest: u32,
    next: u32,
    /// SACK blocks of all frames before the oldest, modulo 2^32.
    blocks_gone: u32,
    /// How many times in a row hardly any of the ring was in use.
    nearly_empty: u32,
    /// A ring by the frames' numbers; its length is a power of two, or zero.
    frames: Vec<Frame>,
    /// The blocks of all frames, in their order.
    blocks: VecDeque<SackBlock>,
}

/// A segment without its SACK blocks.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    seq: u64,
    ack: u64,
    form: Form,
    /// SACK blocks of all frames up to and including this one, modulo 2^32.
    blocks_end: u32,
}

/// Length, headers and kind of a segment, and whether it has timestamps, in one word.
///
/// Timestamps are kept as a block before the SACK blocks.
#[derive(Clone, Copy, Debug, Default)]
struct Form(u32);

impl Form {
    const LEN_BITS: u32 = 17;
    const HEADER_BITS: u32 = 11;
    const KIND_BITS: u32 = 3;

    #[inline]
    fn of(segment: &Segment) -> Form {
        let headers = u32::from(segment.headers) << Form::LEN_BITS;
        let kind = (segment.kind as u32) << (Form::LEN_BITS + Form::HEADER_BITS);
        let timestamps = u32::from(segment.timestamps.is_some()) << (u32::BITS - 1);
        Form(segment.len | headers | kind | timestamps)
    }

    #[inline]
    fn len(self) -> u32 {
        self.0 & ((1 << Form::LEN_BITS) - 1)
    }

    #[inline]
    fn headers(self) -> u16 {
        (self.0 >> Form::LEN_BITS & ((1 << Form::HEADER_BITS) - 1)) as u16
    }

    #[inline]
    fn has_timestamps(self) -> bool {
        self.0 >> (u32::BITS - 1) != 0
    }

    #[inline]
    fn kind(self) -> SegmentKind {
        SegmentKind::ALL[(self.0 >> (Form::LEN_BITS + Form::HEADER_BITS) & ((1 << Form::KIND_BITS) - 1)) as usize]
    }
}

/// After so many frames.
const TIDY_EVERY: u32 = 64;

impl FrameLog {
    /// A frame with this segment begins to be sent; returns its number.
    #[inline]
    pub fn push(&mut self, segment: &Segment) -> u32 {
        if !segment.sack.is_empty() || segment.timestamps.is_some() {
            self.push_blocks(segment);
        }
        let blocks_end = self.blocks_gone.wrapping_add(self.blocks.len() as u32);
        let number = self.next;
        let under_way = number.wrapping_sub(self.oldest) as usize;
        if under_way == self.frames.len() {
            self.resize((2 * self.frames.len()).max(2));
        } else if number.is_multiple_of(TIDY_EVERY) {
            self.tidy(under_way);
        }
        *self.frame_mut(number) = Frame { seq: segment.seq, ack: segment.ack, form: Form::of(segment), blocks_end };
        self.next = number.wrapping_add(1);
        number
    }

    /// The number that the next frame will get.
    pub fn next_number(&self) -> u32 {
        self.next
    }

    /// What frame `number` carries.
    pub fn segment(&self, number: u32) -> Segment {
        let (frame, blocks_start) = self.find(number);
        let mut blocks = Blocks::of(frame.form);
        for place in blocks_start..frame.blocks_end.wrapping_sub(self.blocks_gone) {
            blocks.push(self.blocks[place as usize]);
        }
        frame.with(blocks)
    }

    /// Frame `number` has reached the end of the connection, damaged or not.
    #[inline]
    pub fn retire(&mut self, number: u32) {
        while self.oldest != number {
            self.drop_oldest();
        }
        self.drop_oldest();
    }

    #[inline(never)]
    fn push_blocks(&mut self, segment: &Segment) {
        let as_block = |Timestamps { value, echo }| SackBlock { start: u64::from(value), end: u64::from(echo) };
        self.blocks.extend(segment.timestamps.map(as_block));
        self.blocks.extend(segment.sack.as_slice());
    }

    /// Frame `number`, and the place of its first block among the blocks kept.
    fn find(&self, number: u32) -> (Frame, u32) {
        let before =
            if number == self.oldest { self.blocks_gone } else { self.frame(number.wrapping_sub(1)).blocks_end };
        (self.frame(number), before.wrapping_sub(self.blocks_gone))
    }

    fn drop_oldest(&mut self) {
        assert!(self.oldest != self.next, "a frame that arrives was sent");
        let end = self.frame(self.oldest).blocks_end;
        self.oldest = self.oldest.wrapping_add(1);
        while self.blocks_gone != end {
            self.blocks.pop_front().expect("as many as were counted");
            self.blocks_gone = self.blocks_gone.wrapping_add(1);
        }
    }

    #[inline]
    fn frame(&self, number: u32) -> Frame {
        self.frames[number as usize & (self.frames.len() - 1)]
    }

    #[inline]
    fn frame_mut(&mut self, number: u32) -> &mut Frame {
        let place = number as usize & (self.frames.len() - 1);
        &mut self.frames[place]
    }

    /// Gives back what is not needed: a window was large once, losses are seldom, and there are many connections.
    #[cold]
    #[inline(never)]
    fn tidy(&mut self, under_way: usize) {
        let len = self.frames.len();
        self.nearly_empty = if under_way < len / 8 { self.nearly_empty + 1 } else { 0 };
        // Not before the ring has gone round some times, so that bursts do not make it shrink and grow all the time.
        if self.nearly_empty > 8 && (self.nearly_empty * TIDY_EVERY) as usize > 4 * len {
            self.nearly_empty = 0;
            self.resize(len / 2);
        }
        if self.blocks.is_empty() {
            self.blocks = VecDeque::new();
        }
    }

    #[cold]
    #[inline(never)]
    fn resize(&mut self, len: usize) {
        let mut frames = vec![Frame::default(); len];
        for back in 0..self.next.wrapping_sub(self.oldest) {
            let number = self.oldest.wrapping_add(back);
            frames[number as usize & (len - 1)] = self.frame(number);
        }
        self.frames = frames;
    }
}

/// The blocks of a frame, the first of which may be its timestamps.
#[derive(Clone, Copy, Default)]
struct Blocks {
    timestamps_first: bool,
    timestamps: Option<Timestamps>,
    sack: SackBlocks,
}

impl Blocks {
    fn of(form: Form) -> Blocks {
        Blocks { timestamps_first: form.has_timestamps(), ..Blocks::default() }
    }

    fn push(&mut self, block: SackBlock) {
        if std::mem::take(&mut self.timestamps_first) {
            self.timestamps = Some(Timestamps { value: block.start as u32, echo: block.end as u32 });
        } else {
            self.sack.push(block);
        }
    }
}

impl Frame {
    #[inline]
    fn with(self, blocks: Blocks) -> Segment {
        let Blocks { timestamps, sack, .. } = blocks;
        let Frame { seq, ack, form, .. } = self;
        Segment { seq, len: form.len(), headers: form.headers(), kind: form.kind(), ack, sack, timestamps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_found_by_number_while_earlier_ones_are_lost() {
        let segment = |seq| Segment { seq, ..Segment::default() };
        let mut log = FrameLog::default();
        let numbers: Vec<u32> = (0..4).map(|seq| log.push(&segment(seq))).collect();
        assert_eq!(log.segment(numbers[2]).seq, 2);
        log.retire(numbers[2]);
        assert_eq!(log.segment(numbers[3]).seq, 3);
        assert_eq!(log.push(&segment(4)), numbers[3] + 1);
        assert_eq!(log.segment(numbers[3]).seq, 3);
    }

    /// Acknowledgements with none to three blocks; every fifth never arrives.
    #[test]
    fn each_frame_keeps_its_own_blocks() {
        let acknowledgement = |number: u64| {
            let mut sack = SackBlocks::default();
            for block in 0..number % 4 {
                sack.push(SackBlock { start: 100 * number + block, end: 100 * number + block + 1 });
            }
            let timestamps = (number % 3 == 1).then_some(Timestamps { value: number as u32, echo: u32::MAX });
            Segment { ack: number, sack, timestamps, ..Segment::default() }
        };
        let mut log = FrameLog::default();
        for number in 0..100 {
            assert_eq!(u64::from(log.push(&acknowledgement(number))), number);
            let Some(arriving) = number.checked_sub(7) else { continue };
            for waiting in arriving..=number {
                let segment = acknowledgement(waiting);
                assert_eq!(log.segment(waiting as u32), segment);
            }
            match arriving {
                lost if lost % 5 == 0 => {}
                arrived => log.retire(arrived as u32),
            }
        }
    }

    #[test]
    fn a_frame_keeps_length_headers_and_kind() {
        let mut log = FrameLog::default();
        for kind in SegmentKind::ALL {
            let segment = Segment { seq: 7, len: 65_535, headers: 2047, kind, ..Segment::default() };
            let number = log.push(&segment);
            assert_eq!(log.segment(number), segment);
        }
    }

    #[test]
    fn a_frame_without_blocks_stays_small() {
        assert_eq!(std::mem::size_of::<Frame>(), 24);
    }
}
