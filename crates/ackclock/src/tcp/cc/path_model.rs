//! What the versions of BBR measure in the same way: round trips counted in data, largest values of late, and whether a rate
//! has stopped to grow.
//! Sources: \[BBR1\] §4.1, §4.3.2; \[BBR3\] §5.3.1.2, §5.5.1 to §5.5.3.   Units: bytes, bytes per second.

use std::collections::VecDeque;

use super::Delivery;

/// Round trips, counted in data: one ends when something is delivered that was sent after its beginning.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    /// How many there were.
    pub(super) count: u64,
    /// Whether the present acknowledgement begins one.
    pub(super) starts: bool,
    /// Delivered in all at the beginning of this one.
    ends_at: u64,
}

impl Rounds {
    /// BBRUpdateRound (): an acknowledgement comes. What says nothing about the rate of the path (GenerateRateSample () of
    /// \[DRATE\] returns false) ends no round trip either: after an unnecessary retransmission the acknowledgement of the first
    /// copy seems to be that of the second, which was sent just before. Rounds of no length would soon push the rate of the
    /// path out of the filter.
    pub(super) fn update(&mut self, delivery: &Delivery) {
        let trusted = delivery.sample.filter(|sample| sample.rate.is_some());
        self.starts = trusted.is_some_and(|sample| sample.prior_delivered >= self.ends_at);
        if self.starts {
            self.restart(delivery.total);
            self.count += 1;
        }
    }

    /// StartRound (): one begins now, with so much delivered, that is not counted.
    pub(super) fn restart(&mut self, total: u64) {
        self.ends_at = total;
    }
}

/// The largest of the values of late, by a clock that counts whatever its owner counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Maximum {
    /// Time and value: later times, smaller values.
    falling: VecDeque<(u64, f64)>,
}

impl Maximum {
    /// The largest value, or nothing.
    pub(super) fn value(&self) -> f64 {
        self.falling.front().map_or(0.0, |&(_, value)| value)
    }

    /// A value of this time; those of the last `len` times count, this one included.
    pub(super) fn update(&mut self, time: u64, value: f64, len: u64) {
        while self.falling.back().is_some_and(|&(_, smaller)| smaller <= value) {
            self.falling.pop_back();
        }
        self.falling.push_back((time, value));
        while self.falling.front().is_some_and(|&(old, _)| old + len <= time) {
            self.falling.pop_front();
        }
    }
}

/// Whether a rate has stopped to grow: three round trips without much growth.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plateau {
    rate: f64,
    rounds: u32,
}

/// Growth below which a round trip does not count as growing, and how many such there must be.
const GROWTH: f64 = 1.25;
const ROUNDS: u32 = 3;

impl Plateau {
    /// Nothing is known but a rate to compare with.
    pub(super) fn from(rate: f64) -> Plateau {
        Plateau { rate, rounds: 0 }
    }

    /// The rate at the end of a round trip. Whether it has stopped to grow.
    pub(super) fn reached(&mut self, rate: f64) -> bool {
        if rate >= self.rate * GROWTH {
            *self = Plateau::from(rate);
            return false;
        }
        self.rounds += 1;
        self.rounds >= ROUNDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::cc::{LossState, RateSample};
    use crate::units::Time;

    /// What was sent when 1000 bytes were delivered ends the round trip that began then, if it says something about the path.
    #[test]
    fn a_sample_that_cannot_be_trusted_ends_no_round_trip() {
        let delivery = |rate: Option<f64>| Delivery {
            now: Time::ZERO,
            mss: 1000.0,
            limit: 1e12,
            delivered: 1000.0,
            total: 2000,
            sample: Some(RateSample {
                prior_delivered: 1000,
                delivered: 1000.0,
                rate,
                app_limited: false,
                in_flight: 0.0,
                lost: 0.0,
            }),
            window_limited: false,
            rtt: None,
            lost: 0.0,
            prior_in_flight: 0.0,
            in_flight: 0.0,
            loss_state: LossState::Timeout,
        };
        let mut rounds = Rounds::default();
        rounds.restart(1000);
        rounds.update(&delivery(None));
        assert_eq!((rounds.starts, rounds.count), (false, 0));
        rounds.update(&delivery(Some(1e6)));
        assert_eq!((rounds.starts, rounds.count), (true, 1));
    }

    #[test]
    fn values_are_forgotten_after_ten_rounds() {
        let mut maximum = Maximum::default();
        for (round, rate, expected) in [(1, 5.0, 5.0), (2, 9.0, 9.0), (5, 7.0, 9.0), (11, 1.0, 9.0), (12, 1.0, 7.0)] {
            maximum.update(round, rate, 10);
            assert_eq!(maximum.value(), expected, "round {round}");
        }
        maximum.update(15, 2.0, 10);
        assert_eq!(maximum.value(), 2.0);
    }

    #[test]
    fn three_rounds_with_less_than_a_quarter_more_are_a_plateau() {
        let mut plateau = Plateau::default();
        let reached = [80.0, 100.0, 124.0, 124.0, 125.0, 130.0, 156.0, 140.0].map(|rate| plateau.reached(rate));
        assert_eq!(reached, [false, false, false, false, false, false, false, true], "125 is a quarter more than 100");
    }
}
