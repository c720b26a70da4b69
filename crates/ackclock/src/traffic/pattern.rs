//! Datagrams at a rate that changes in steps, on and off by turns, or in bursts: a datagram is due whenever its bits have been produced.
//! Source: docs/models/udp.md.   Whole picoseconds and bits throughout.

use crate::law::Law;
use crate::rng::Stream;
use crate::units::{Rate, Span, Time};

/// When bits are produced, and how many datagrams go together.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternParams {
    /// Payload per second from each instant on; the first is at time 0, and each is later than the one before.
    pub rates: Vec<(Time, Rate)>,
    /// How long the source is on and off by turns, on at first; `None`: always on.
    pub turns: Option<TurnsParams>,
    /// Datagrams that are sent at one instant.
    pub burst: u32,
}

/// Times on and off.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnsParams {
    /// How long it is on.
    pub on: Law,
    /// How long it is off.
    pub off: Law,
}

/// The state of a pattern.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    params: PatternParams,
    /// Bits of a burst, in units of 10⁻¹² bit: what a rate produces in a picosecond is whole.
    bits_of_burst: u128,
    draws: Stream,
    /// When the next burst is due, and how many of its datagrams are not sent.
    due: Time,
    left: u32,
    /// Until when it is on after that, and how often it was on, this time included.
    on_until: Time,
    times_on: u64,
}

impl PatternParams {
    /// The largest rate.
    pub(super) fn largest(&self) -> Rate {
        self.rates.iter().map(|&(_, rate)| rate).max().expect("there is a first rate")
    }

    /// Whether random numbers make a difference.
    pub fn is_random(&self) -> bool {
        self.turns.as_ref().is_some_and(|turns| turns.on.is_random() || turns.off.is_random())
    }

    /// This pattern on a smaller scale of time, by this power of two; times on and off stay as they are.
    pub fn scaled(&self, power: u32) -> PatternParams {
        let sooner = |time: Time| Time::from_ps(time.as_ps().checked_shr(power).unwrap_or(0));
        let mut rates: Vec<(Time, Rate)> = Vec::with_capacity(self.rates.len());
        for &(time, rate) in &self.rates {
            if rates.last().is_some_and(|&(before, _)| before == sooner(time)) {
                rates.pop();
            }
            rates.push((sooner(time), rate));
        }
        PatternParams { rates, ..self.clone() }
    }
}

impl Pattern {
    /// A pattern from `start` on: the first burst is due then.
    pub(super) fn new(params: &PatternParams, payload_bytes: u32, start: Time, draws: Stream) -> Pattern {
        let bits_of_burst = u128::from(params.burst) * u128::from(payload_bytes) * 8 * PS_PER_S;
        let (left, params) = (params.burst, params.clone());
        let mut pattern =
            Pattern { params, bits_of_burst, draws, due: start, left, on_until: Time::NEVER, times_on: 0 };
        if pattern.params.turns.is_some() {
            pattern.on_until = start.saturating_add(pattern.turn_on());
        }
        pattern
    }

    /// When the next datagram is due.
    pub(super) fn due(&self) -> Time {
        self.due
    }

    /// It is sent.
    pub(super) fn send(&mut self) {
        self.left -= 1;
        if self.left == 0 {
            self.left = self.params.burst;
            self.produce();
        }
    }

    /// The bits of a burst are produced from the last one on: what is begun when the source goes off is completed when it is on again.
    fn produce(&mut self) {
        let mut missing = self.bits_of_burst;
        let mut place = self.params.rates.partition_point(|&(from, _)| from <= self.due) - 1;
        loop {
            let rate = u128::from(self.params.rates[place].1.as_bps());
            let step = self.params.rates.get(place + 1).map_or(Time::NEVER, |&(from, _)| from);
            let until = step.min(self.on_until);
            let produced = rate * u128::from(until.since(self.due).as_ps());
            if missing <= produced {
                let ps = u64::try_from(missing.div_ceil(rate)).unwrap_or(u64::MAX);
                self.due = self.due.saturating_add(Span::from_ps(ps));
                return;
            }
            if until == Time::NEVER {
                self.due = Time::NEVER;
                return;
            }
            missing -= produced;
            self.due = until;
            if until == self.on_until {
                self.due = until.saturating_add(self.turn_off());
                self.on_until = self.due.saturating_add(self.turn_on());
                place = self.params.rates.partition_point(|&(from, _)| from <= self.due) - 1;
            } else {
                place += 1;
            }
            if self.due == Time::NEVER {
                return;
            }
        }
    }

    /// It is on: for how long.
    fn turn_on(&mut self) -> Span {
        self.times_on += 1;
        self.draw(2 * (self.times_on - 1), |turns| &turns.on)
    }

    /// It is off: for how long.
    fn turn_off(&self) -> Span {
        self.draw(2 * self.times_on - 1, |turns| &turns.off)
    }

    /// The ordinal of a law counts its own times.
    fn draw(&self, number: u64, law: impl Fn(&TurnsParams) -> &Law) -> Span {
        let turns = self.params.turns.as_ref().expect("it is on and off");
        law(turns).span_at(self.draws, number, number / 2)
    }
}

const PS_PER_S: u128 = 1_000_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::{ListOrder, ListedParams};
    use crate::units::instants::ms as at;

    fn rate(bps: u64) -> Rate {
        Rate::from_bps(bps).unwrap()
    }

    fn times(params: &PatternParams, start: u64, count: usize) -> Vec<f64> {
        let mut pattern = Pattern::new(params, 1000, at(start), Stream::new(1, "u", "turns"));
        let next = |pattern: &mut Pattern| {
            let due = pattern.due();
            pattern.send();
            due.as_ps() as f64 / 1e9
        };
        (0..count).map(|_| next(&mut pattern)).collect()
    }

    fn listed(ms: &[f64]) -> Law {
        let values = ms.iter().map(|ms| ms * 1e9).collect();
        Law::Listed(ListedParams { values, order: ListOrder::Given })
    }

    fn constant(bps: u64) -> PatternParams {
        PatternParams { rates: vec![(Time::ZERO, rate(bps))], turns: None, burst: 1 }
    }

    /// 8000 bits: 8 ms at 1 Mb/s, 4 ms at 2 Mb/s. At 20 ms half of the third interval is over, and 4000 bits take 2 ms.
    #[test]
    fn a_step_of_the_rate_is_in_the_middle_of_an_interval() {
        let stepped = PatternParams { rates: vec![(at(0), rate(1_000_000)), (at(20), rate(2_000_000))], ..constant(1) };
        assert_eq!(times(&stepped, 0, 5), [0.0, 8.0, 16.0, 22.0, 26.0]);
        assert_eq!(times(&stepped, 24, 3), [24.0, 28.0, 32.0], "it starts later than the step");
        assert_eq!(stepped.largest(), rate(2_000_000));
    }

    /// On from 0 to 10 and from 40 to 60 ms and from 90 ms on: what is begun goes on.
    #[test]
    fn bits_are_produced_while_the_source_is_on() {
        let turns = Some(TurnsParams { on: listed(&[10.0, 20.0]), off: listed(&[30.0]) });
        let on_off = PatternParams { turns, ..constant(1_000_000) };
        assert_eq!(times(&on_off, 0, 6), [0.0, 8.0, 46.0, 54.0, 92.0, 100.0]);
    }

    #[test]
    fn a_burst_goes_together_at_the_same_mean_rate() {
        let bursts = PatternParams { burst: 3, ..constant(1_000_000) };
        assert_eq!(times(&bursts, 1, 7), [1.0, 1.0, 1.0, 25.0, 25.0, 25.0, 49.0]);
    }

    #[test]
    fn on_a_smaller_scale_steps_come_sooner() {
        let stepped = PatternParams { rates: vec![(at(0), rate(1)), (at(2), rate(2))], ..constant(1) };
        assert_eq!(stepped.scaled(1).rates, [(at(0), rate(1)), (at(1), rate(2))]);
        assert_eq!(stepped.scaled(63).rates, [(at(0), rate(2))]);
    }
}
