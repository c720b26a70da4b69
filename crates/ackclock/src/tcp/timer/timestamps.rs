//! Timestamps: every segment carries the time of its sender and the time that it has from the other end.
//! Source: RFC 7323 §3, §4, appendix G.   Units: ticks of the timestamp clock, which is the same at both ends.

use crate::packet::Timestamps;
use crate::tcp::recovery::Flight;
use crate::units::{Span, Time};

#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct TimestampClock {
    tick: Span,
}

impl TimestampClock {
    pub(in crate::tcp) fn new(tick: Span) -> TimestampClock {
        TimestampClock { tick }
    }

    /// What it shows, modulo 2^32.
    pub(in crate::tcp) fn at(self, now: Time) -> u32 {
        (now.as_ps() / self.tick.as_ps()) as u32
    }

    /// The round trip that an echo shows: whole ticks (§4.1).
    pub(in crate::tcp) fn since(self, now: Time, echo: u32) -> Span {
        self.tick * u64::from(self.at(now).wrapping_sub(echo))
    }
}

/// How many samples a round trip has (appendix G): with delayed acknowledgements one for two segments of what was outstanding when the
/// round trip began. (What is outstanding now is more while the window grows, and samples would count for too little.)
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct SamplesPerRound {
    /// What was outstanding, and up to which byte.
    outstanding: u64,
    until: u64,
}

/// Where in the round trips a sample is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) struct Round {
    /// How many samples are expected in this one.
    pub(in crate::tcp) samples: u64,
    /// Whether another begins with it.
    pub(in crate::tcp) begins: bool,
}

impl Round {
    /// A sample a round trip.
    pub(in crate::tcp) const ONE: Round = Round { samples: 1, begins: true };
}

impl SamplesPerRound {
    /// Everything before `ack` is acknowledged, which is news; `flight` is from before.
    pub(in crate::tcp) fn expected(&mut self, ack: u64, flight: &Flight) -> Round {
        let begins = ack > self.until;
        if begins {
            (self.outstanding, self.until) = (flight.max - flight.una, flight.max);
        }
        Round { samples: self.outstanding.div_ceil(2 * flight.mss).max(1), begins }
    }
}

/// What a receiver of data echoes (§4.3).
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Echo {
    clock: TimestampClock,
    /// TS.Recent.
    recent: u32,
    /// Last.ACK.sent.
    last_ack: u64,
}

impl Echo {
    /// Nothing has come.
    pub(in crate::tcp) fn new(clock: TimestampClock) -> Echo {
        Echo { clock, recent: 0, last_ack: 0 }
    }

    /// A segment that begins at `seq` came: rule (2). So the echo is that of the first segment that a delayed
    /// acknowledgement answers, and of the one before the hole if there is a hole.
    pub(in crate::tcp) fn on_segment(&mut self, seq: u64, timestamps: Timestamps) {
        let is_newer = timestamps.value.wrapping_sub(self.recent) < 1 << 31;
        if is_newer && seq <= self.last_ack {
            self.recent = timestamps.value;
        }
    }

    /// An acknowledgement of everything before `ack` goes out: what it carries.
    pub(in crate::tcp) fn on_ack(&mut self, now: Time, ack: u64) -> Timestamps {
        self.last_ack = ack;
        Timestamps { value: self.clock.at(now), echo: self.recent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::instants::ms;

    fn carries(value: u32) -> Timestamps {
        Timestamps { value, echo: 0 }
    }

    #[test]
    fn a_round_trip_is_counted_in_ticks_that_wrap() {
        let clock = TimestampClock::new(Span::from_ms(1));
        assert_eq!((clock.at(ms(1234)), clock.since(ms(1234), 1200)), (1234, Span::from_ms(34)));
        let wrapped = ms((1 << 32) + 5);
        assert_eq!((clock.at(wrapped), clock.since(wrapped, u32::MAX)), (5, Span::from_ms(6)));
    }

    /// Ten segments are outstanding: five samples, until the last of them is acknowledged. Fifteen are by then: eight.
    #[test]
    fn a_round_trip_has_a_sample_for_two_segments_of_what_was_outstanding_when_it_began() {
        let mut samples = SamplesPerRound::default();
        let flight = |una: u64, max: u64| {
            let (una, max, mss) = (una * 100, max * 100, 100);
            Flight { una, nxt: max, max, mss, rwnd: 1 << 30, advertised: 1 << 30, limit: 1 << 30 }
        };
        for (una, max, expected, begins) in [
            (0, 10, 5, true),
            (2, 13, 5, false),
            (8, 22, 5, false),
            (10, 25, 8, true),
            (23, 44, 8, false),
            (25, 47, 11, true),
        ] {
            let round = Round { samples: expected, begins };
            assert_eq!(samples.expected((una + 2) * 100, &flight(una, max)), round, "from {una}");
        }
    }

    /// RFC 7323 §4.3: the two cases that it is about.
    #[test]
    fn the_echo_is_that_of_the_first_segment_acknowledged_and_of_the_one_before_a_hole() {
        let mut echo = Echo::new(TimestampClock::new(Span::from_ms(1)));
        // Delayed acknowledgements: of the two that are acknowledged together the earlier counts.
        echo.on_segment(0, carries(10));
        echo.on_segment(100, carries(11));
        assert_eq!(echo.on_ack(ms(20), 200), Timestamps { value: 20, echo: 10 });
        // A hole at 200: 300 and 400 change nothing; what fills it does.
        echo.on_segment(300, carries(31));
        assert_eq!(echo.on_ack(ms(40), 200).echo, 10);
        echo.on_segment(200, carries(50));
        assert_eq!(echo.on_ack(ms(60), 400).echo, 50);
        // An old copy does not.
        echo.on_segment(100, carries(12));
        assert_eq!(echo.on_ack(ms(61), 400).echo, 50);
    }
}
