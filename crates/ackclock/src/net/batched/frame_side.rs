//! What frames of one connection that are on their way in cells carry beyond a number and a length, such as SACK blocks.
//! Few do: those two travel with their cells.

use std::collections::VecDeque;

use crate::packet::Segment;

/// The segments of such frames. A connection keeps its order, so the arrival of one frame means that no earlier one will come.
#[derive(Default)]
pub(super) struct FrameSideTable {
    under_way: VecDeque<(u32, Segment)>,
}

impl FrameSideTable {
    /// Frame `number`, later than all before, carries this; not to be called for a plain segment.
    #[cold]
    pub(super) fn keep(&mut self, number: u32, segment: Segment) {
        self.under_way.push_back((number, segment));
    }

    /// Frame `number` has reached the end of the connection: its segment, unless that is plain.
    #[inline]
    pub(super) fn take(&mut self, number: u32) -> Option<Segment> {
        if self.under_way.is_empty() { None } else { self.find(number) }
    }

    /// Frame `number` passes an edge device on its way: its segment, unless that is plain.
    pub(super) fn get(&self, number: u32) -> Option<Segment> {
        let place = self.place(number);
        self.under_way.get(place).filter(|(of, _)| *of == number).map(|(_, segment)| *segment)
    }

    /// Frame `number` carries this from now on. Later frames may have been kept before.
    pub(super) fn write(&mut self, number: u32, segment: Segment) {
        let place = self.place(number);
        match self.under_way.get_mut(place) {
            Some((of, kept)) if *of == number => *kept = segment,
            Some(_) | None => self.under_way.insert(place, (number, segment)),
        }
    }

    /// Where frame `number` is, or would be.
    fn place(&self, number: u32) -> usize {
        self.under_way.partition_point(|(of, _)| (of.wrapping_sub(number) as i32) < 0)
    }

    /// As numbers go round, the earlier of two is the one from which it is less far to the other.
    #[inline(never)]
    fn find(&mut self, number: u32) -> Option<Segment> {
        while let Some(&(first, segment)) = self.under_way.front() {
            if first.wrapping_sub(number) as i32 > 0 {
                return None;
            }
            self.under_way.pop_front();
            if first == number {
                return Some(segment);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(ack: u32) -> Segment {
        Segment { ack: ack.into(), ..Segment::default() }
    }

    #[test]
    fn each_frame_gets_its_own_segment_while_earlier_ones_are_lost() {
        let mut frame_side = FrameSideTable::default();
        for number in [1, 2, 4, 7] {
            frame_side.keep(number, segment(number));
        }
        assert_eq!(frame_side.take(0), None, "it had none, and none is forgotten");
        assert_eq!(frame_side.take(2), Some(segment(2)), "frame 1 will not come any more");
        assert_eq!(frame_side.take(3), None);
        assert_eq!(frame_side.take(7), Some(segment(7)));
        assert!(frame_side.under_way.is_empty());
    }

    #[test]
    fn what_a_frame_carries_is_written_while_later_ones_are_under_way() {
        let mut frame_side = FrameSideTable::default();
        for number in [u32::MAX, 1, 3] {
            frame_side.keep(number, segment(number));
        }
        frame_side.write(1, segment(70));
        frame_side.write(0, segment(80));
        frame_side.write(5, segment(90));
        let all = [u32::MAX, 0, 1, 2, 3, 5].map(|number| frame_side.get(number).map(|segment| segment.ack));
        assert_eq!(all, [Some(u64::from(u32::MAX)), Some(80), Some(70), None, Some(3), Some(90)]);
        assert_eq!(frame_side.take(1), Some(segment(70)));
        assert_eq!((frame_side.get(0), frame_side.get(3)), (None, Some(segment(3))));
    }

    #[test]
    fn numbers_go_round() {
        let mut frame_side = FrameSideTable::default();
        for number in [u32::MAX, 0] {
            frame_side.keep(number, segment(number));
        }
        assert_eq!(frame_side.take(u32::MAX - 1), None);
        assert_eq!(frame_side.take(0), Some(segment(0)));
    }
}
