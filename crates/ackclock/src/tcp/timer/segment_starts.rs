//! The timers of outstanding segments, where the retransmission timer is that of the oldest one.
//! Source: [UBR-ABR] §2.4: a timer per segment; docs/models/retransmission-timer.md.

use std::collections::BTreeMap;

use crate::tcp::SegmentTimeout;

/// By their first bytes the segments sent since the last timeout that are not acknowledged.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct SegmentStarts {
    starts: BTreeMap<u64, SegmentStart>,
    runs_for: SegmentTimeout,
}

/// The last transmission of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) struct SegmentStart {
    /// When it was: a [`start_stamp`](super::RetransmissionTimer::start_stamp).
    pub(in crate::tcp) stamp: u64,
    /// When a timer expires that started then and ran for the timeout of then: an
    /// [`expiry_stamp`](super::RetransmissionTimer::expiry_stamp).
    pub(in crate::tcp) expiry: u64,
}

impl SegmentStarts {
    /// None is sent.
    pub(in crate::tcp) fn new(runs_for: SegmentTimeout) -> SegmentStarts {
        SegmentStarts { starts: BTreeMap::new(), runs_for }
    }

    /// For how long the timer of a segment runs.
    pub(in crate::tcp) fn runs_for(&self) -> SegmentTimeout {
        self.runs_for
    }

    /// The segment at `seq` is sent.
    pub(in crate::tcp) fn on_sent(&mut self, seq: u64, start: SegmentStart) {
        self.starts.insert(seq, start);
    }

    /// The start of the segment at `una`, which is the oldest, if it was sent since the last timeout. Those before it are
    /// acknowledged.
    pub(in crate::tcp) fn oldest(&mut self, una: u64) -> Option<SegmentStart> {
        while self.starts.first_key_value().is_some_and(|(&seq, _)| seq < una) {
            self.starts.pop_first();
        }
        self.starts.get(&una).copied()
    }

    /// The timer has expired.
    pub(in crate::tcp) fn on_timeout(&mut self) {
        self.starts.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments with their stamps; each timer runs for 30 ticks.
    fn sent(segments: [(u64, u64); 3]) -> SegmentStarts {
        let mut starts = SegmentStarts::new(SegmentTimeout::WhenSent);
        segments.into_iter().for_each(|(seq, stamp)| starts.on_sent(seq, start(stamp)));
        starts
    }

    fn start(stamp: u64) -> SegmentStart {
        SegmentStart { stamp, expiry: stamp + 30 }
    }

    #[test]
    fn the_oldest_segment_has_its_own_start() {
        let mut starts = sent([(0, 10), (100, 20), (200, 30)]);
        assert_eq!(starts.oldest(0), Some(start(10)));
        assert_eq!(starts.oldest(200), Some(start(30)));
        assert_eq!(starts.oldest(300), None, "not sent yet");
    }

    #[test]
    fn sending_again_counts_and_a_timeout_forgets() {
        let mut starts = sent([(0, 10), (100, 20), (0, 25)]);
        assert_eq!(starts.oldest(0), Some(start(25)));
        starts.on_timeout();
        assert_eq!((starts.oldest(0), starts.oldest(100)), (None, None));
    }
}
