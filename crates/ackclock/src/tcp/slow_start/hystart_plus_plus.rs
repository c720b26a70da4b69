//! HyStart++: where the shortest round trip of a round is longer than that of the round before, slow start goes on at a quarter of its pace for
//! some rounds; if round trips become shorter again, at its full pace, else it ends.
//! Source: RFC 9406 §4.2, §4.3, whose names are in the comments. Round trips are spans, bytes are those of the stream.

use super::{Acknowledged, Advice};
use crate::units::Span;

/// L: an acknowledgement adds at most so many segments.
pub(super) const L: f64 = 8.0;
/// N_RTT_SAMPLE.
const SAMPLES: u32 = 8;
/// MIN_RTT_THRESH, MAX_RTT_THRESH, MIN_RTT_DIVISOR.
const LEAST_RISE: Span = Span::from_ms(4);
const MOST_RISE: Span = Span::from_ms(16);
const RISE_DIVISOR: u64 = 8;
/// CSS_GROWTH_DIVISOR, CSS_ROUNDS.
const SLOWER: f64 = 0.25;
const SLOWER_ROUNDS: u32 = 5;

/// What HyStart++ remembers.
#[derive(Clone, Debug, Default)]
pub(super) struct HystartPlusPlus {
    /// windowEnd: the round ends when this byte is acknowledged.
    round_ends_at: u64,
    /// lastRoundMinRTT, currentRoundMinRTT; rttSampleCount.
    last: Option<Span>,
    current: Option<Span>,
    samples: u32,
    slower: Option<Slower>,
}

/// Conservative slow start (CSS).
#[derive(Clone, Copy, Debug)]
struct Slower {
    /// cssBaselineMinRtt.
    baseline: Span,
    /// Rounds of it that have ended, the one in which it began included.
    rounds: u32,
}

impl HystartPlusPlus {
    /// New data is acknowledged in slow start.
    pub(super) fn on_ack(&mut self, ack: &Acknowledged) -> Advice {
        if let Some(rtt) = ack.rtt {
            self.current = Some(self.current.map_or(rtt, |current| current.min(rtt)));
            self.samples += 1;
        }
        let grows = Advice::Grow(if self.slower.is_some() { SLOWER } else { 1.0 });
        if self.samples >= SAMPLES {
            self.compare();
        }
        if ack.una < self.round_ends_at {
            return grows;
        }
        self.round_ends_at = ack.nxt;
        (self.last, self.current, self.samples) = (self.current.or(self.last), None, 0);
        if let Some(slower) = &mut self.slower {
            slower.rounds += 1;
            if slower.rounds >= SLOWER_ROUNDS {
                return Advice::End(SLOWER);
            }
        }
        grows
    }

    /// A round has samples enough.
    fn compare(&mut self) {
        let Some(current) = self.current else { return };
        match (self.slower, self.last) {
            (Some(slower), _) if current < slower.baseline => self.slower = None,
            (None, Some(last)) => {
                let rise = Span::from_ps(last.as_ps() / RISE_DIVISOR).max(LEAST_RISE).min(MOST_RISE);
                if current >= last + rise {
                    self.slower = Some(Slower { baseline: current, rounds: 0 });
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Time;

    const MSS: u64 = 1000;

    /// A connection with so many segments in a round.
    struct Connection {
        hystart: HystartPlusPlus,
        una: u64,
        segments: u64,
    }

    impl Connection {
        fn new(segments: u64, rtt_ms: u64) -> Connection {
            let mut connection = Connection { hystart: HystartPlusPlus::default(), una: 0, segments };
            // The first acknowledgement ends the round that was nothing.
            connection.acknowledge(1, rtt_ms);
            connection.acknowledge(segments, rtt_ms);
            connection
        }

        /// What the acknowledgements of a round say, each with this round trip.
        fn round(&mut self, rtt_ms: u64) -> Vec<Advice> {
            self.acknowledge(self.segments, rtt_ms)
        }

        fn acknowledge(&mut self, count: u64, rtt_ms: u64) -> Vec<Advice> {
            let advice = (0..count).map(|_| {
                self.una += MSS;
                let (nxt, rtt) = (self.una + self.segments * MSS, Some(Span::from_ms(rtt_ms)));
                let (bytes, mss, advertised) = (MSS as f64, MSS as f64, 1e9);
                self.hystart.on_ack(&Acknowledged { now: Time::ZERO, una: self.una, nxt, rtt, bytes, mss, advertised })
            });
            advice.collect()
        }
    }

    fn is_slower(advice: &[Advice]) -> bool {
        advice.contains(&Advice::Grow(SLOWER))
    }

    /// RFC 9406 §4.2: the rise that counts is an eighth of the last round's round trip, 4 ms at least, 16 ms at most.
    #[test]
    fn a_rise_of_an_eighth_between_4_and_16_ms_counts() {
        for (last, rise) in [(10, 4), (32, 4), (80, 10), (128, 16), (200, 16)] {
            for (current, is_found) in [(last + rise, true), (last + rise - 1, false)] {
                let mut connection = Connection::new(20, last);
                assert_eq!(is_slower(&connection.round(current)), is_found, "{last} ms, then {current} ms");
            }
        }
    }

    /// Fewer than eight samples of a round say nothing.
    #[test]
    fn eight_samples_of_a_round_are_needed() {
        for (segments, is_found) in [(7, false), (8, true)] {
            let mut connection = Connection::new(segments, 10);
            connection.round(50);
            assert_eq!(is_slower(&connection.round(50)), is_found, "{segments} samples");
        }
    }

    /// After five rounds, of which the first is that in which it began, slow start ends; a shorter round trip makes it go on as before.
    #[test]
    fn it_ends_after_five_rounds_unless_round_trips_become_shorter() {
        let mut connection = Connection::new(20, 10);
        assert!(is_slower(&connection.round(50)));
        assert!(!is_slower(&connection.round(49)[8..]), "shorter than the baseline");
        assert!(is_slower(&connection.round(60)));
        for number in 2..=4 {
            assert!(!connection.round(60).contains(&Advice::End(SLOWER)), "round {number}");
        }
        assert_eq!(connection.round(60).last(), Some(&Advice::End(SLOWER)));
    }
}
