//! Delayed acknowledgements.
//! Source: RFC 5681 §4.2; RFC 1122 §4.2.3.2.

use super::AckPolicy;
use crate::units::Time;

/// Decides when the receiver acknowledges.
#[derive(Clone, Debug)]
pub struct DelayedAck {
    policy: AckPolicy,
    /// A full segment in order waits for company until then.
    deadline: Option<Time>,
}

impl DelayedAck {
    /// The decision by `policy`.
    pub fn new(policy: AckPolicy) -> DelayedAck {
        DelayedAck { policy, deadline: None }
    }

    /// A segment arrived; `ordinary` says that it was the next in order, full, and no hole is open. Whether to
    /// acknowledge at once.
    #[inline]
    pub fn on_segment(&mut self, now: Time, ordinary: bool) -> bool {
        match self.policy {
            AckPolicy::Delayed { timeout } if ordinary && self.deadline.is_none() => {
                self.deadline = Some(now + timeout);
                false
            }
            // Also the second in order: one acknowledgement for two.
            _ => {
                self.deadline = None;
                true
            }
        }
    }

    /// Whether the wait is over.
    pub fn on_timer(&mut self, now: Time) -> bool {
        let expired = self.deadline.is_some_and(|deadline| deadline <= now);
        if expired {
            self.deadline = None;
        }
        expired
    }

    /// When the wait ends.
    #[inline]
    pub fn deadline(&self) -> Option<Time> {
        self.deadline
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    #[test]
    fn every_second_segment_in_order_is_acknowledged() {
        let mut delayed = DelayedAck::new(AckPolicy::Delayed { timeout: Span::from_ms(200) });
        assert!(!delayed.on_segment(at(0), true));
        assert!(delayed.on_segment(at(1), true));
        assert_eq!(delayed.deadline(), None);
        assert!(!delayed.on_segment(at(2), true));
        assert_eq!(delayed.deadline(), Some(at(202)));
    }

    #[test]
    fn anything_unusual_is_acknowledged_at_once() {
        let mut delayed = DelayedAck::new(AckPolicy::Delayed { timeout: Span::from_ms(200) });
        assert!(delayed.on_segment(at(0), false));
        assert!(!delayed.on_segment(at(1), true));
        assert!(delayed.on_segment(at(2), false));
    }

    #[test]
    fn the_wait_ends_at_the_deadline() {
        let mut delayed = DelayedAck::new(AckPolicy::Delayed { timeout: Span::from_ms(200) });
        delayed.on_segment(at(0), true);
        assert!(!delayed.on_timer(at(199)));
        assert!(delayed.on_timer(at(200)));
        assert!(!delayed.on_timer(at(200)), "once");
    }

    #[test]
    fn without_delay_every_segment_is_acknowledged() {
        let mut delayed = DelayedAck::new(AckPolicy::EverySegment);
        assert!(delayed.on_segment(at(0), true) && delayed.on_segment(at(0), true));
        assert_eq!(delayed.deadline(), None);
    }
}
