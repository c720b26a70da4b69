//! Delivery opportunities: a link that is no bit pipe, but is asked at listed instants how much it takes. Source: Mahimahi's format of
//! traces and its rule \[MAHIMAHI\]: at each opportunity a number of octets goes, of what waits then; what is not used is lost, and a
//! packet that is longer than what is left takes the rest of it and as many of the following ones as it needs.

use crate::units::{Rate, Span, Time};

/// The opportunities of a link; they repeat.
#[derive(Clone, Debug, PartialEq)]
pub struct Opportunities {
    /// In order; several may be at one instant. The last is the length of a round.
    times: Vec<Span>,
    /// Octets of each.
    bytes: u32,
}

/// The opportunity that is used next, and how many of its octets are used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    number: u64,
    used: u32,
}

impl Opportunities {
    /// Opportunities at these times after the start, for so many octets each; after the last they begin again, as if that were the
    /// start.
    ///
    /// # Panics
    /// If there are none, if they are not in order, if the last is at the start, or if they are for no octets.
    pub fn new(times: Vec<Span>, bytes: u32) -> Opportunities {
        assert!(times.last().is_some_and(|&last| last > Span::ZERO) && bytes > 0, "opportunities for something");
        assert!(times.is_sorted(), "opportunities must be in order of time");
        Opportunities { times, bytes }
    }

    /// How long a round is.
    pub fn period(&self) -> Span {
        self.times[self.times.len() - 1]
    }

    /// What goes in a round, as a rate; a bit per second at least.
    pub fn mean_rate(&self) -> Rate {
        let bits = u128::from(self.bytes) * 8 * self.times.len() as u128;
        let bps = bits * u128::from(Span::from_secs(1).as_ps()) / u128::from(self.period().as_ps());
        Rate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX).max(1)).expect("it is more than zero")
    }

    /// Those of a smaller scale of time, by this power of two.
    pub(super) fn scaled(&self, power: u32) -> Opportunities {
        let sooner = |time: &Span| Span::from_ps(time.as_ps().checked_shr(power).unwrap_or(0));
        let mut times: Vec<Span> = self.times.iter().map(sooner).collect();
        let last = times.len() - 1;
        times[last] = times[last].max(Span::from_ps(1));
        Opportunities { times, bytes: self.bytes }
    }

    /// When the opportunity of this number is, counted from 0.
    fn time(&self, number: u64) -> Time {
        let (round, place) = (number / self.times.len() as u64, number % self.times.len() as u64);
        let before = u128::from(round) * u128::from(self.period().as_ps());
        let ps = before + u128::from(self.times[place as usize].as_ps());
        u64::try_from(ps).map_or(Time::NEVER, Time::from_ps)
    }

    /// The first at `time` or later.
    fn first_from(&self, time: Time) -> u64 {
        let (period, in_a_round) = (self.period().as_ps(), self.times.len() as u64);
        // What is at the end of a round is not later than what is at the start of the next.
        let round = time.as_ps().saturating_sub(1) / period;
        let passed = Span::from_ps(time.as_ps() - round * period);
        round * in_a_round + self.times.partition_point(|&at| at < passed) as u64
    }
}

impl Cursor {
    /// The first instant from `time` on at which something can go.
    pub(super) fn begins(self, opportunities: &Opportunities, time: Time) -> Time {
        opportunities.time(self.at(opportunities, time).number)
    }

    /// So many octets go from `time` on: when the last of them goes, or [`LATEST`] if that is after every run.
    pub(super) fn take(&mut self, opportunities: &Opportunities, time: Time, bytes: u32) -> Time {
        let Cursor { number, used } = self.at(opportunities, time);
        let end = u64::from(used) + u64::from(bytes.max(1));
        let of_each = u64::from(opportunities.bytes);
        // The last octet that goes is number `end` of those of the first opportunity and all after it.
        let last = number + (end - 1) / of_each;
        *self = Cursor { number: last, used: ((end - 1) % of_each + 1) as u32 };
        opportunities.time(last).min(LATEST.max(time))
    }

    /// The opportunity of what goes at `time` or later, and what is used of it.
    fn at(self, opportunities: &Opportunities, time: Time) -> Cursor {
        let next = match self.used < opportunities.bytes {
            true => self,
            false => Cursor { number: self.number + 1, used: 0 },
        };
        // What was before `time` is lost.
        match opportunities.time(next.number) < time {
            true => Cursor { number: opportunities.first_from(time), used: 0 },
            false => next,
        }
    }
}

/// Later than any run: what is added to it can still be represented.
const LATEST: Time = Time::from_ps(1 << 63);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::instants::ms as at;

    fn opportunities(ms: &[u64]) -> Opportunities {
        Opportunities::new(ms.iter().map(|&ms| Span::from_ms(ms)).collect(), 1500)
    }

    #[test]
    fn rounds_repeat_and_what_ends_one_is_at_the_start_of_the_next() {
        let of_round = opportunities(&[0, 2, 2, 5]);
        let times: Vec<Time> = (0..10).map(|number| of_round.time(number)).collect();
        assert_eq!(times, [0, 2, 2, 5, 5, 7, 7, 10, 10, 12].map(at));
        for time in 0..12 {
            let first = (0..).find(|&number| of_round.time(number) >= at(time)).unwrap();
            assert_eq!(of_round.first_from(at(time)), first, "{time}");
        }
        // Four of 1500 octets in 5 ms.
        assert_eq!(of_round.mean_rate().as_bps(), 9_600_000);
        assert_eq!(opportunities(&[86_400_000]).mean_rate().as_bps(), 1);
        assert_eq!(of_round.time(u64::MAX), Time::NEVER);
    }

    #[test]
    fn packets_share_an_opportunity_and_a_long_one_takes_what_is_left_of_the_next() {
        let (of_round, mut cursor) = (opportunities(&[3, 7, 20]), Cursor::default());
        let mut take = |time, bytes| {
            let begins = cursor.begins(&of_round, at(time));
            [begins, cursor.take(&of_round, begins, bytes)]
        };
        assert_eq!(take(1, 500), [at(3), at(3)]);
        assert_eq!(take(3, 1000), [at(3), at(3)], "to its last octet");
        assert_eq!(take(3, 1501), [at(7), at(20)], "which leaves 1499");
        assert_eq!(take(20, 1500), [at(20), at(23)]);
        assert_eq!(take(23, 4500), [at(23), at(43)], "1499 at 23, 1500 at 27 and at 40, one at 43");
    }

    #[test]
    fn what_nobody_uses_is_lost() {
        let (of_round, mut cursor) = (opportunities(&[3, 7, 20]), Cursor::default());
        assert_eq!(cursor.take(&of_round, at(3), 100), at(3));
        assert_eq!(cursor.begins(&of_round, Time::from_ps(at(3).as_ps() + 1)), at(7));
        assert_eq!(cursor.begins(&of_round, at(8)), at(20));
        assert_eq!(cursor.begins(&of_round, at(19 + 20 * 1000)), at(20 + 20 * 1000));
        assert_eq!(cursor.take(&of_round, at(19 + 20 * 1000), 1500), at(20 + 20 * 1000));
        assert_eq!(cursor.begins(&of_round, at(20 + 20 * 1000)), at(3 + 20 * 1001), "none of them is left");
    }

    /// An opportunity in 120 hours: 44 of them are later than instants go.
    #[test]
    fn what_takes_longer_than_any_run_ends_at_an_instant_to_which_a_delay_can_be_added() {
        let sparse = opportunities(&[432_000_000]);
        for (time, number) in [(Time::ZERO, 44), (Time::ZERO, 60), (at(432_000_000), 43)] {
            let mut cursor = Cursor::default();
            let complete = cursor.take(&sparse, time, number * 1500);
            assert_eq!(complete, LATEST);
            assert!(complete.saturating_add(sparse.period()) < Time::NEVER);
        }
        assert_eq!(Cursor::default().take(&sparse, Time::ZERO, 1501), at(864_000_000));
    }

    #[test]
    fn on_a_smaller_scale_there_are_as_many_in_order() {
        assert_eq!(opportunities(&[2, 4]).scaled(1), opportunities(&[1, 2]));
        assert_eq!(opportunities(&[2, 4]).scaled(63).period(), Span::from_ps(1));
    }
}
