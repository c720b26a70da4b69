//! When each outstanding segment was sent last, where the retransmission timer is that of the oldest one.
//! Source: [UBR-ABR] §2.4: a timer per segment; docs/models/retransmission-timer.md.

use std::collections::BTreeMap;

/// By their first bytes the segments sent since the last timeout that are not acknowledged, each with the stamp of its
/// transmission ([`start_stamp`](super::RetransmissionTimer::start_stamp)).
#[derive(Clone, Debug, Default)]
pub(in crate::tcp) struct SegmentStarts(BTreeMap<u64, u64>);

impl SegmentStarts {
    /// The segment at `seq` is sent.
    pub(in crate::tcp) fn on_sent(&mut self, seq: u64, stamp: u64) {
        self.0.insert(seq, stamp);
    }

    /// The stamp of the segment at `una`, which is the oldest, if it was sent since the last timeout. Those before it are
    /// acknowledged.
    pub(in crate::tcp) fn oldest(&mut self, una: u64) -> Option<u64> {
        while self.0.first_key_value().is_some_and(|(&seq, _)| seq < una) {
            self.0.pop_first();
        }
        self.0.get(&una).copied()
    }

    /// The timer has expired.
    pub(in crate::tcp) fn on_timeout(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_segment_has_its_own_start() {
        let mut starts = SegmentStarts::default();
        [(0, 10), (100, 20), (200, 30)].into_iter().for_each(|(seq, stamp)| starts.on_sent(seq, stamp));
        assert_eq!(starts.oldest(0), Some(10));
        assert_eq!(starts.oldest(200), Some(30));
        assert_eq!(starts.oldest(300), None, "not sent yet");
    }

    #[test]
    fn sending_again_counts_and_a_timeout_forgets() {
        let mut starts = SegmentStarts::default();
        [(0, 10), (100, 20), (0, 25)].into_iter().for_each(|(seq, stamp)| starts.on_sent(seq, stamp));
        assert_eq!(starts.oldest(0), Some(25));
        starts.on_timeout();
        assert_eq!((starts.oldest(0), starts.oldest(100)), (None, None));
    }
}
