//! What RACK knows of losses, for those who ask.

use super::Rack;
use crate::tcp::recovery::{Flight, LossDetection, Lost, SegmentCounts};

impl LossDetection for Rack {
    fn in_flight(&self, _flight: &Flight) -> u64 {
        self.in_flight
    }

    fn lost(&self) -> Lost<'_> {
        Lost::Segments(&self.newly_lost)
    }

    fn delivered(&self) -> Option<u64> {
        Some(self.delivered)
    }

    fn counts(&self, _flight: &Flight) -> Option<SegmentCounts> {
        let numbered = self.records.iter().zip(self.first..);
        let again = numbered
            .filter(|&(record, number)| record.again && !self.held.contains(number) && !self.lost.contains(&number));
        let again = again.count() as u64;
        // A probe is sent again without having been lost.
        let repairs = self.recovery_point.is_some() || self.is_after_timeout();
        let lost = self.lost.len() as u64 + if repairs { again } else { 0 };
        Some(SegmentCounts { held: self.held.count(), lost, again, after_timeout: self.is_after_timeout() })
    }
}
