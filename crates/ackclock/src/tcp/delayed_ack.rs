//! Delayed acknowledgements.
//! Source: RFC 5681 §4.2; RFC 1122 §4.2.3.2; that of Linux in `linux.rs`.

mod linux;

use super::{AckPolicy, TcpParams};
use crate::units::{Span, Time};

/// Decides when the receiver acknowledges.
#[derive(Clone, Debug)]
pub struct DelayedAck {
    /// The longest delay; zero if every segment is acknowledged.
    timeout: Span,
    /// A full segment in order waits for company until then; never if none waits.
    deadline: Time,
    /// What decides it on Linux.
    linux: Option<Box<linux::Pace>>,
}

impl DelayedAck {
    /// That of the receiver of a connection.
    pub fn new(params: &TcpParams) -> DelayedAck {
        let (timeout, linux) = match params.ack {
            AckPolicy::EverySegment => (Span::ZERO, None),
            AckPolicy::Delayed { timeout } => (timeout, None),
            AckPolicy::Linux => (Span::ZERO, Some(Box::new(linux::Pace::new(params.mss, params.advertised_window())))),
        };
        DelayedAck { timeout, deadline: Time::NEVER, linux }
    }

    /// Whether every segment is acknowledged at once.
    pub fn is_off(&self) -> bool {
        self.timeout == Span::ZERO && self.linux.is_none()
    }

    /// A segment arrived; `ordinary` says that it was the next in order, full, and no hole is open. Whether to
    /// acknowledge at once.
    #[inline]
    pub fn on_segment(&mut self, now: Time, ordinary: bool) -> bool {
        if self.linux.is_some() {
            return self.on_segment_of_linux(now, ordinary);
        }
        let waits = self.timeout > Span::ZERO && ordinary && self.deadline == Time::NEVER;
        // The second in order does not wait: one acknowledgement for two.
        self.deadline = if waits { now + self.timeout } else { Time::NEVER };
        !waits
    }

    #[inline(never)]
    fn on_segment_of_linux(&mut self, now: Time, ordinary: bool) -> bool {
        let Some(linux) = &mut self.linux else { return true };
        let wait = linux.on_segment(now, ordinary, self.deadline < Time::NEVER);
        self.deadline = wait.map_or(Time::NEVER, |wait| now + wait);
        wait.is_none()
    }

    /// What waits is acknowledged now, for another reason than the segments themselves.
    pub fn end_wait(&mut self) {
        self.deadline = Time::NEVER;
    }

    /// A segment arrived of which everything was there.
    pub fn on_duplicate(&mut self) {
        if let Some(linux) = &mut self.linux {
            linux.on_duplicate();
        }
    }

    /// A SYN arrived, or `opens`: what came next.
    pub fn on_handshake(&mut self, now: Time, opens: bool) {
        match &mut self.linux {
            Some(linux) if opens => linux.on_opened(now),
            Some(linux) => linux.on_syn(now),
            None => {}
        }
    }

    /// Whether the wait is over.
    pub fn on_timer(&mut self, now: Time) -> bool {
        let expired = self.deadline <= now;
        if expired {
            self.deadline = Time::NEVER;
            if let Some(linux) = &mut self.linux {
                linux.on_expired();
            }
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

    fn delayed_ack(ack: AckPolicy) -> DelayedAck {
        DelayedAck::new(&TcpParams { ack, ..TcpParams::default() })
    }

    /// With the wait of Linux, of a window that never opens: sixteen at once, then every second, and the one that stays alone after 40 ms.
    #[test]
    fn linux_acknowledges_every_second_segment_after_sixteen() {
        let mut delayed = delayed_ack(AckPolicy::Linux);
        assert!(!delayed.is_off());
        let at_once: Vec<bool> = (0..20).map(|ms| delayed.on_segment(at(ms), true)).collect();
        assert_eq!(at_once[14..], [true, true, false, true, false, true]);
        assert!(!delayed.on_segment(at(20), true));
        assert_eq!(delayed.deadline(), at(60));
        assert!(!delayed.on_timer(at(59)) && delayed.on_timer(at(60)));
        delayed.on_duplicate();
        assert!(delayed.on_segment(at(61), true));
    }

    #[test]
    fn every_second_segment_in_order_is_acknowledged() {
        let mut delayed = delayed_ack(AckPolicy::Delayed { timeout: Span::from_ms(200) });
        assert!(!delayed.on_segment(at(0), true));
        assert!(delayed.on_segment(at(1), true));
        assert_eq!(delayed.deadline(), Time::NEVER);
        assert!(!delayed.on_segment(at(2), true));
        assert_eq!(delayed.deadline(), at(202));
    }

    #[test]
    fn a_wait_that_is_ended_takes_no_acknowledgement_of_those_at_once() {
        let mut delayed = delayed_ack(AckPolicy::Linux);
        let mut at_once = |ms| {
            let at_once = delayed.on_segment(at(ms), true);
            delayed.end_wait();
            at_once
        };
        // Sixteen and no more: after them each waits, as none is left alone before it.
        assert_eq!((0..20).map(&mut at_once).filter(|&at_once| at_once).count(), 16);
        assert_eq!(delayed.deadline(), Time::NEVER);
    }

    #[test]
    fn anything_unusual_is_acknowledged_at_once() {
        let mut delayed = delayed_ack(AckPolicy::Delayed { timeout: Span::from_ms(200) });
        assert!(delayed.on_segment(at(0), false));
        assert!(!delayed.on_segment(at(1), true));
        assert!(delayed.on_segment(at(2), false));
    }

    #[test]
    fn the_wait_ends_at_the_deadline() {
        let mut delayed = delayed_ack(AckPolicy::Delayed { timeout: Span::from_ms(200) });
        delayed.on_segment(at(0), true);
        assert!(!delayed.on_timer(at(199)));
        assert!(delayed.on_timer(at(200)));
        assert!(!delayed.on_timer(at(200)), "once");
    }

    #[test]
    fn without_delay_every_segment_is_acknowledged() {
        let mut delayed = delayed_ack(AckPolicy::EverySegment);
        assert!(delayed.on_segment(at(0), true) && delayed.on_segment(at(0), true));
        assert_eq!(delayed.deadline(), Time::NEVER);
    }
}
