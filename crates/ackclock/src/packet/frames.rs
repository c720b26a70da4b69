//! The frames of one connection that are on their way.

use std::collections::VecDeque;

use super::segment::SegmentKind;
use super::{Ecn, SackOption, Segment, Timestamps};

/// What each frame carries, from the oldest that may still arrive. A connection keeps its order, so the arrival of
/// one frame means that no earlier one will come.
///
/// A window of segments is kept here, of every flow: options, which few segments have, are in a queue of their own.
#[derive(Clone, Debug, Default)]
pub struct FrameLog {
    /// The number of the oldest frame, and of the next one, modulo 2^32.
    oldest: u32,
    next: u32,
    /// Octets of options of all frames before the oldest, modulo 2^32.
    options_gone: u32,
    /// How many times in a row hardly any of the ring was in use.
    nearly_empty: u32,
    /// A ring by the frames' numbers; its length is a power of two, or zero.
    frames: Vec<Frame>,
    /// A ring of the same length, once a window was written or a segment had bits of ECN: those of the frames.
    beside: Vec<Beside>,
    /// The octets of the options of all frames, in their order.
    options: VecDeque<u8>,
}

/// A segment without its options.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    seq: u64,
    ack: u64,
    form: Form,
    /// Octets of options of all frames up to and including this one, modulo 2^32.
    options_end: u32,
}

/// What few segments have.
#[derive(Clone, Copy, Debug, Default)]
struct Beside {
    window: Option<u32>,
    ecn: Ecn,
}

/// Length, headers and kind of a segment, and whether it has timestamps, in one word.
///
/// Timestamps are kept as eight octets before the SACK option.
#[derive(Clone, Copy, Debug, Default)]
struct Form(u32);

impl Form {
    const LEN_BITS: u32 = 16;
    const HEADER_BITS: u32 = 11;
    const KIND_BITS: u32 = 4;

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
            self.push_options(segment);
        }
        let options_end = self.options_gone.wrapping_add(self.options.len() as u32);
        let number = self.next;
        let under_way = number.wrapping_sub(self.oldest) as usize;
        if under_way == self.frames.len() {
            self.resize((2 * self.frames.len()).max(2));
        } else if number.is_multiple_of(TIDY_EVERY) {
            self.tidy(under_way);
        }
        if !self.beside.is_empty() || segment.ecn != Ecn::NOT_ECT || segment.window.is_some() {
            *self.beside_mut(number) = Beside { window: segment.window, ecn: segment.ecn };
        }
        *self.frame_mut(number) = Frame { seq: segment.seq, ack: segment.ack, form: Form::of(segment), options_end };
        self.next = number.wrapping_add(1);
        number
    }

    /// Frame `number` carries this window from now on, see [`Segment::window`].
    pub fn write_window(&mut self, number: u32, window: Option<u32>) {
        if !self.beside.is_empty() || window.is_some() {
            self.beside_mut(number).window = window;
        }
    }

    fn beside_mut(&mut self, number: u32) -> &mut Beside {
        if self.beside.is_empty() {
            self.beside = vec![Beside::default(); self.frames.len()];
        }
        let place = number as usize & (self.frames.len() - 1);
        &mut self.beside[place]
    }

    /// The number that the next frame will get.
    pub fn next_number(&self) -> u32 {
        self.next
    }

    /// Whether frame `number`, which has been sent, may still arrive.
    pub fn may_arrive(&self, number: u32) -> bool {
        number.wrapping_sub(self.oldest) < self.next.wrapping_sub(self.oldest)
    }

    /// What frame `number` carries.
    pub fn segment(&self, number: u32) -> Segment {
        let (frame, start) = self.find(number);
        let end = frame.options_end.wrapping_sub(self.options_gone);
        let mut octets = self.options.range(start as usize..end as usize).copied();
        let timestamps = frame.form.has_timestamps().then(|| {
            let mut number = || u32::from_be_bytes(std::array::from_fn(|_| octets.next().unwrap_or_default()));
            Timestamps { value: number(), echo: number() }
        });
        let mut sack = SackOption::default();
        octets.for_each(|octet| sack.push(octet));
        let Frame { seq, ack, form, .. } = frame;
        let beside = self.beside.get(number as usize & (self.frames.len() - 1));
        let Beside { window, ecn } = beside.copied().unwrap_or_default();
        let (len, headers, kind) = (form.len(), form.headers(), form.kind());
        // What travels in cells has data in one direction.
        Segment { seq, len, headers, kind, ack, sack, timestamps, window, ecn, unfilled: None }
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
    fn push_options(&mut self, segment: &Segment) {
        if let Some(Timestamps { value, echo }) = segment.timestamps {
            self.options.extend(value.to_be_bytes());
            self.options.extend(echo.to_be_bytes());
        }
        self.options.extend(segment.sack.octets());
    }

    /// Frame `number`, and the place of its first octet of options among those kept.
    fn find(&self, number: u32) -> (Frame, u32) {
        let before =
            if number == self.oldest { self.options_gone } else { self.frame(number.wrapping_sub(1)).options_end };
        (self.frame(number), before.wrapping_sub(self.options_gone))
    }

    fn drop_oldest(&mut self) {
        assert!(self.oldest != self.next, "a frame that arrives was sent");
        let end = self.frame(self.oldest).options_end;
        self.oldest = self.oldest.wrapping_add(1);
        self.options.drain(..end.wrapping_sub(self.options_gone) as usize);
        self.options_gone = end;
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
        if self.options.is_empty() {
            self.options = VecDeque::new();
        }
    }

    #[cold]
    #[inline(never)]
    fn resize(&mut self, len: usize) {
        let mut frames = vec![Frame::default(); len];
        let mut beside = vec![Beside::default(); if self.beside.is_empty() { 0 } else { len }];
        for back in 0..self.next.wrapping_sub(self.oldest) {
            let number = self.oldest.wrapping_add(back);
            frames[number as usize & (len - 1)] = self.frame(number);
            if let Some(of_frame) = beside.get_mut(number as usize & (len - 1)) {
                *of_frame = self.beside[number as usize & (self.frames.len() - 1)];
            }
        }
        (self.frames, self.beside) = (frames, beside);
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

    /// Acknowledgements with options of all lengths; every fifth never arrives.
    #[test]
    fn each_frame_keeps_its_own_options() {
        let acknowledgement = |number: u64| {
            let mut sack = SackOption::default();
            (0..number % 41).for_each(|place| sack.push((number + place) as u8));
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

    /// So many are under way that the ring grows while some have windows.
    #[test]
    fn windows_are_written_while_frames_are_under_way() {
        let mut log = FrameLog::default();
        let segment = |number: u32| Segment { ack: number.into(), ..Segment::default() };
        for number in 0..3 {
            log.push(&segment(number));
        }
        log.write_window(1, Some(700));
        log.write_window(2, Some(800));
        log.write_window(2, None);
        for number in 3..40 {
            log.push(&segment(number));
            log.write_window(number - 3, (number % 5 == 0).then_some(number));
        }
        log.retire(20);
        for number in 40..200 {
            log.push(&segment(number));
        }
        let windows: Vec<u32> = (21..200).filter_map(|number| log.segment(number).window).collect();
        assert_eq!(windows, [25, 30, 35]);
        assert_eq!(log.segment(30).ack, 30);
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
    fn a_frame_without_options_stays_small() {
        assert_eq!(std::mem::size_of::<Frame>(), 24);
    }
}
