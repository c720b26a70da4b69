//! The frames of one connection that are on their way.

use std::collections::VecDeque;

use super::Segment;

/// What each frame carries, from the oldest that may still arrive. A connection keeps its order, so the arrival of
/// one frame means that no earlier one will come.
#[derive(Clone, Debug, Default)]
pub struct FrameLog {
    oldest: u32,
    segments: VecDeque<Segment>,
}

impl FrameLog {
    /// A frame with this segment begins to be sent; returns its number.
    pub fn push(&mut self, segment: Segment) -> u32 {
        self.segments.push_back(segment);
        self.oldest.wrapping_add(self.segments.len() as u32 - 1)
    }

    /// What frame `number` carries.
    pub fn segment(&self, number: u32) -> &Segment {
        &self.segments[number.wrapping_sub(self.oldest) as usize]
    }

    /// Frame `number` has reached the end of the connection, damaged or not.
    pub fn retire(&mut self, number: u32) {
        let gone = number.wrapping_sub(self.oldest) as usize + 1;
        self.segments.drain(..gone);
        self.oldest = number.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_found_by_number_while_earlier_ones_are_lost() {
        let segment = |seq| Segment { seq, ..Segment::default() };
        let mut log = FrameLog::default();
        let numbers: Vec<u32> = (0..4).map(|seq| log.push(segment(seq))).collect();
        assert_eq!(log.segment(numbers[2]).seq, 2);
        log.retire(numbers[2]);
        assert_eq!(log.segment(numbers[3]).seq, 3);
        assert_eq!(log.push(segment(4)), numbers[3] + 1);
        assert_eq!(log.segment(numbers[3]).seq, 3);
    }
}
