//! What was sent again and has not arrived twice yet.
//! Source: RFC 3708.

use crate::packet::SackBlock;
use crate::tcp::sack::interval_set::IntervalSet;

/// Segments that were sent again, each as often as it was, until it is reported as often that they have arrived twice.
#[derive(Clone, Debug, Default)]
pub(super) struct SentAgain {
    /// Numbers of segments: those with at least one report missing, of these those with at least two, and so on.
    missing: Vec<IntervalSet>,
    any: bool,
}

impl SentAgain {
    /// The segment is sent again.
    pub(super) fn insert(&mut self, segment: SackBlock, mss: u64) {
        self.any = true;
        for number in numbers(segment, mss) {
            let level = self.missing.iter().position(|missing| !missing.contains(number));
            let level = level.unwrap_or_else(|| {
                self.missing.push(IntervalSet::default());
                self.missing.len() - 1
            });
            self.missing[level].insert(number, number + 1);
        }
    }

    /// The receiver says that this arrived twice. Returns whether that was missing: else it was not sent again, or not so often.
    pub(super) fn report(&mut self, duplicate: SackBlock, mss: u64) -> bool {
        let is_missing = |number| self.missing.first().is_some_and(|missing| missing.contains(number));
        if !numbers(duplicate, mss).all(is_missing) {
            return false;
        }
        for number in numbers(duplicate, mss) {
            if let Some(missing) = self.missing.iter_mut().rev().find(|missing| missing.contains(number)) {
                missing.remove(number, number + 1);
            }
        }
        true
    }

    /// Whether something was sent again, and all of it is reported.
    pub(super) fn all_arrived_twice(&self) -> bool {
        self.any && self.missing.first().is_none_or(|missing| missing.count() == 0)
    }
}

/// The numbers of the segments that have bytes in this.
fn numbers(block: SackBlock, mss: u64) -> std::ops::Range<u64> {
    block.start / mss..block.end.div_ceil(mss)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn segment(number: u64) -> SackBlock {
        SackBlock { start: number * MSS, end: (number + 1) * MSS }
    }

    #[test]
    fn what_was_sent_again_twice_is_reported_twice() {
        let mut sent = SentAgain::default();
        assert!(!sent.all_arrived_twice(), "nothing was sent again");
        [10, 12, 10].into_iter().for_each(|number| sent.insert(segment(number), MSS));
        for (number, missing, all) in [(11, false, false), (10, true, false), (12, true, false), (10, true, true)] {
            assert_eq!(sent.report(segment(number), MSS), missing, "{number}");
            assert_eq!(sent.all_arrived_twice(), all, "{number}");
        }
        assert!(!sent.report(segment(10), MSS), "a third time");
    }

    /// A report of several segments, and of the last one, which is shorter.
    #[test]
    fn a_report_may_be_of_several_segments() {
        let mut sent = SentAgain::default();
        sent.insert(segment(10), MSS);
        sent.insert(SackBlock { start: 11_000, end: 11_001 }, MSS);
        assert!(!sent.report(SackBlock { start: 9000, end: 11_000 }, MSS));
        assert!(sent.report(SackBlock { start: 10_000, end: 11_001 }, MSS) && sent.all_arrived_twice());
    }
}
