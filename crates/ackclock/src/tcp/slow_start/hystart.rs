//! HyStart of Linux: slow start ends when acknowledgements have come in one train for half a round trip, or when the round trips of a round
//! are longer than the shortest.
//! Sources: S. Ha, I. Rhee, Taming the elephants: New TCP slow start, Computer Networks 55(9), 2011, §3; numbers and order: literature,
//! Linux' CUBIC without pacing.

use super::{Acknowledged, Advice};
use crate::units::{Span, Time};

/// From this window on, segments.
const LEAST_WINDOW: f64 = 16.0;
/// Acknowledgements no farther apart are one train.
const TRAIN_GAP: Span = Span::from_ms(2);
/// How long an acknowledgement may be late at a host that collects segments.
const HOST_DELAY: Span = Span::from_ms(1);
/// So many samples of a round are the shortest of it.
const SAMPLES: u32 = 8;
/// The rise that counts: an eighth of the shortest round trip, between these.
const LEAST_RISE: Span = Span::from_ms(4);
const MOST_RISE: Span = Span::from_ms(16);
const RISE_DIVISOR: u64 = 8;

/// What HyStart remembers.
#[derive(Clone, Debug, Default)]
pub(super) struct Hystart {
    /// The shortest round trip of the connection.
    shortest: Option<Span>,
    round: Option<Round>,
    /// Whether slow start was ended: until something is lost it looks at nothing.
    is_found: bool,
}

#[derive(Clone, Copy, Debug)]
struct Round {
    /// It ends with the first acknowledgement beyond this byte.
    ends_at: u64,
    began: Time,
    /// The last acknowledgement of the train that began with the round.
    last_of_train: Time,
    shortest: Option<Span>,
    samples: u32,
}

impl Hystart {
    /// A round trip, in slow start or not.
    pub(super) fn measure(&mut self, rtt: Option<Span>) {
        if let Some(rtt) = rtt {
            self.shortest = Some(self.shortest.map_or(rtt, |shortest| shortest.min(rtt)));
        }
    }

    /// New data is acknowledged in slow start, in a window of so many segments.
    pub(super) fn on_ack(&mut self, ack: &Acknowledged, window: f64) -> Advice {
        let begun = Round { ends_at: ack.nxt, began: ack.now, last_of_train: ack.now, shortest: None, samples: 0 };
        let (Some(shortest), Some(rtt)) = (self.shortest, ack.rtt) else { return Advice::Grow(1.0) };
        // Rounds begin with the connection, so that the first samples of each are those without a queue.
        let round = match &mut self.round {
            Some(round) if ack.una <= round.ends_at => round,
            round => round.insert(begun),
        };
        if self.is_found || window < LEAST_WINDOW {
            return Advice::Grow(1.0);
        }
        if ack.now.since(round.last_of_train) <= TRAIN_GAP {
            round.last_of_train = ack.now;
            let half = Span::from_ps((shortest + HOST_DELAY).as_ps() / 2);
            self.is_found = ack.now.since(round.began) > half;
        }
        round.shortest = Some(round.shortest.map_or(rtt, |least| least.min(rtt)));
        if round.samples < SAMPLES {
            round.samples += 1;
        } else {
            let rise = Span::from_ps(shortest.as_ps() / RISE_DIVISOR).max(LEAST_RISE).min(MOST_RISE);
            self.is_found |= round.shortest.is_some_and(|least| least > shortest + rise);
        }
        // Its own acknowledgement does not add to the window any more.
        if self.is_found { Advice::End(0.0) } else { Advice::Grow(1.0) }
    }

    /// Something was lost: the next slow start is looked at.
    pub(super) fn on_loss(&mut self) {
        (self.is_found, self.round) = (false, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(at_us: u64, number: u64, nxt: u64, rtt_ms: u64) -> Acknowledged {
        let now = Time::ZERO + Span::from_us(at_us);
        let rtt = Some(Span::from_ms(rtt_ms));
        Acknowledged { now, una: number, nxt, rtt, bytes: 1.0, mss: 1.0, advertised: 1e9 }
    }

    fn with_shortest(rtt_ms: u64) -> Hystart {
        let mut hystart = Hystart::default();
        hystart.measure(Some(Span::from_ms(rtt_ms)));
        hystart
    }

    /// Ten segments, then twenty: the window is sixteen in the middle of the first round. The second begins with the first acknowledgement
    /// beyond that, where round trips are short, and not in the middle of its twenty, where they are 20 ms longer.
    #[test]
    fn rounds_begin_below_the_least_window() {
        let mut hystart = with_shortest(100);
        (1..=10).for_each(|n| {
            assert_eq!(hystart.on_ack(&ack(n * 100, n, 10 + 2 * n, 100), 9.0 + n as f64), Advice::Grow(1.0))
        });
        for n in 11..=30 {
            let rtt = if n > 16 { 120 } else { 100 };
            let advice = hystart.on_ack(&ack(100_000 + n * 100, n, 30 + 2 * n, rtt), 10.0 + n as f64);
            assert_eq!(advice, Advice::Grow(1.0), "{n}");
        }
    }

    /// A train of acknowledgements 1 ms apart that lasts for more than half of 100 ms and 1 ms ends slow start; with a gap of more than 2 ms
    /// it is none.
    #[test]
    fn a_train_of_half_a_round_trip_ends_slow_start() {
        let mut hystart = with_shortest(100);
        let said: Vec<Advice> = (0..60).map(|n| hystart.on_ack(&ack(n * 1000, n, 1000, 100), 20.0)).collect();
        assert_eq!(said.iter().position(|advice| *advice == Advice::End(0.0)), Some(51), "51 ms is more than 50.5 ms");
        let mut hystart = with_shortest(100);
        let with_gap = |n: u64| n * 1000 + if n >= 20 { 1001 } else { 0 };
        let ends = (0..90).any(|n| hystart.on_ack(&ack(with_gap(n), n, 1000, 100), 20.0) == Advice::End(0.0));
        assert!(!ends, "the train ended after 20");
    }

    /// Below 16 segments nothing is looked at, and after it ended slow start nothing until a loss.
    #[test]
    fn it_begins_with_16_segments_and_again_after_a_loss() {
        let ends = |hystart: &mut Hystart, from: u64, window: f64| {
            (from..from + 60).any(|n| hystart.on_ack(&ack(n * 1000, n, 1000, 100), window) == Advice::End(0.0))
        };
        assert!(!ends(&mut with_shortest(100), 0, 15.9));
        let mut hystart = with_shortest(100);
        assert!(ends(&mut hystart, 0, 16.0));
        assert!(!ends(&mut hystart, 100, 20.0));
        hystart.on_loss();
        assert!(ends(&mut hystart, 200, 20.0));
    }

    /// The ninth sample of a round and later ones: if the shortest of the round is more than an eighth, 4 ms at least and 16 ms at most, above
    /// the shortest of all.
    #[test]
    fn a_longer_round_trip_ends_slow_start() {
        for (shortest, rise) in [(10, 4), (32, 4), (80, 10), (200, 16)] {
            for (more, ends) in [(rise, None), (rise + 1, Some(8))] {
                let mut hystart = with_shortest(shortest);
                // 3 ms apart: no train.
                let said = (0..12).map(|n| hystart.on_ack(&ack(n * 3000, n, 1000, shortest + more), 20.0));
                let found = said.collect::<Vec<_>>().iter().position(|advice| *advice == Advice::End(0.0));
                assert_eq!(found, ends, "{shortest} ms and {more} ms");
            }
        }
    }
}
