//! The shortest round trip of late.
//! Source: RFC 8985 §6.2, step 1: a minimum over a window, so that it adapts to a path that has become longer.

use std::collections::VecDeque;

use crate::units::{Span, Time};

/// The shortest round trip of the last part of a window and of the parts before it: samples of one part are kept as one.
#[derive(Clone, Debug)]
pub(super) struct Shortest {
    part: Span,
    /// Parts and their shortest round trips: later parts, longer round trips.
    rising: VecDeque<(u64, Span)>,
}

/// Parts of a window.
const PARTS: u64 = 60;

impl Shortest {
    /// Over this window.
    pub(super) fn new(window: Span) -> Shortest {
        Shortest { part: Span::from_ps((window.as_ps() / PARTS).max(1)), rising: VecDeque::new() }
    }

    /// A round trip, measured now.
    pub(super) fn update(&mut self, now: Time, rtt: Span) {
        let part = now.as_ps() / self.part.as_ps();
        while self.rising.front().is_some_and(|&(old, _)| old + PARTS <= part) {
            self.rising.pop_front();
        }
        while self.rising.back().is_some_and(|&(_, longer)| longer >= rtt) {
            self.rising.pop_back();
        }
        if self.rising.back().is_none_or(|&(last, _)| last < part) {
            self.rising.push_back((part, rtt));
        }
    }

    /// The shortest, as of the last sample; none before the first.
    pub(super) fn value(&self) -> Option<Span> {
        self.rising.front().map(|&(_, rtt)| rtt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window of 60 s: parts of a second.
    #[test]
    fn a_round_trip_is_forgotten_after_the_window() {
        let mut shortest = Shortest::new(Span::from_secs(60));
        assert_eq!(shortest.value(), None);
        for (at, rtt, expected) in [
            (0, 100, 100),
            (1, 300, 100),
            (2, 200, 100),
            (59, 250, 100),
            (60, 400, 200),
            (61, 400, 200),
            (62, 400, 250),
        ] {
            shortest.update(Time::ZERO + Span::from_secs(at), Span::from_ms(rtt));
            assert_eq!(shortest.value(), Some(Span::from_ms(expected)), "at {at} s");
        }
        assert!(shortest.rising.len() <= PARTS as usize);
    }
}
