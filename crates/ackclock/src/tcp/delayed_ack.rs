//! Delayed acknowledgements.
//! Source: RFC 5681 §4.2; RFC 1122 §4.2.3.2.

use super::AckPolicy;
use crate::units::{Span, Time};

/// Decides when the receiver acknowledges.
#[derive(Clone, Debug)]
pub struct DelayedAck {
    /// The longest delay; zero if every segment is acknowledged.
    timeout: Span,
    /// A full segment in order waits for company until then; never if none waits.
    deadline: Time,
}

impl DelayedAck {
    /// The decision by `policy`.
    pub fn new(policy: AckPolicy) -> DelayedAck {
        let timeout = match policy {
            AckPolicy::EverySegment => Span::ZERO,
            AckPolicy::Delayed { timeout } => timeout,
        };
        DelayedAck { timeout, deadline: Time::NEVER }
    }

    /// What it decides by.
    pub fn policy(&self) -> AckPolicy {
        match self.timeout {
            Span::ZERO => AckPolicy::EverySegment,
            timeout => AckPolicy::Delayed { timeout },
        }
    }

    /// A segment arrived; `ordinary` says that it was the next in order, full, and no hole is open. Whether to
    /// acknowledge at once.
    #[inline]
    pub fn on_segment(&mut self, now: Time, ordinary: bool) -> bool {
        let waits = self.timeout > Span::ZERO && ordinary && self.deadline == Time::NEVER;
        // The second in order does not wait: one acknowledgement for two.
        self.deadline = if waits { now + self.timeout } else { Time::NEVER };
        !waits
    }

    /// Whether the wait is over.
    pub fn on_timer(&mut self, now: Time) -> bool {
        let expired = self.deadline <= now;
        if expired {
            self.deadline = Time::NEVER;
        }
        expired
    }

    /// When the wait ends; never if nothing waits.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.deadline
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::instants::ms as at;

    #[test]
    fn every_second_segment_in_order_is_acknowledged() {
        let mut delayed = DelayedAck::new(AckPolicy::Delayed { timeout: Span::from_ms(200) });
        assert!(!delayed.on_segment(at(0), true));
        assert!(delayed.on_segment(at(1), true));
        assert_eq!(delayed.deadline(), Time::NEVER);
        assert!(!delayed.on_segment(at(2), true));
        assert_eq!(delayed.deadline(), at(202));
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
        assert_eq!(delayed.deadline(), Time::NEVER);
    }
}
