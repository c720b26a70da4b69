//! What the retransmission timeout of Linux is above the smoothed round trip: four mean deviations, the most of some round trips, and
//! min_rto at least. So the timeout is min_rto longer than the round trip, where that of RFC 6298 is not less than min_rto.
//! Source: Linux 6.x, tcp_input.c (tcp_rtt_estimator, tcp_set_rto), behaviour only.   Units: picoseconds.

use crate::units::Span;

/// For how long the timer runs at least after the receiver seems to have discarded what it had acknowledged (tcp_check_sack_reneging).
pub(super) const LEAST_AFTER_RENEGING: Span = Span::from_ms(10);

/// Four mean deviations, as Linux follows them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deviation {
    /// Four mean deviations now (mdev), and the most of that in the present round trip (mdev_max).
    now: Span,
    largest: Span,
    /// What the timeout is above the smoothed round trip (rttvar).
    margin: Span,
    /// The least of both (min_rto).
    least: Span,
}

impl Deviation {
    /// Before the first sample.
    pub(super) fn new(least: Span) -> Deviation {
        Deviation { now: Span::ZERO, largest: least, margin: least, least }
    }

    /// The first round trip: two of it.
    pub(super) fn begin(&mut self, r: Span) {
        self.now = r * 2;
        self.margin = self.now.max(self.least);
        self.largest = self.margin;
    }

    /// A round trip that was expected to be `srtt`; `begins`: it is the first of a new one.
    pub(super) fn sample(&mut self, srtt: Span, r: Span, begins: bool) {
        let (error, quarter) = (srtt.as_ps().abs_diff(r.as_ps()), self.now.as_ps() / 4);
        let rises = error.saturating_sub(quarter);
        // A round trip that is shorter than expected is no reason to wait much longer.
        let rises = if r < srtt { rises / 8 } else { rises };
        let falls = quarter.saturating_sub(error);
        self.now = Span::from_ps(self.now.as_ps() + rises - falls);
        self.largest = self.largest.max(self.now);
        self.margin = self.margin.max(self.largest);
        if begins {
            self.margin = Span::from_ps(self.margin.as_ps() - (self.margin.as_ps() - self.largest.as_ps()) / 4);
            self.largest = self.least;
        }
    }

    /// What the timeout is above the smoothed round trip.
    pub(super) fn margin(&self) -> Span {
        self.margin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(least_ms: u64, samples: &[(u64, u64, bool)]) -> Span {
        let mut deviation = Deviation::new(Span::from_ms(least_ms));
        deviation.begin(Span::from_ms(100));
        for &(srtt, r, begins) in samples {
            deviation.sample(Span::from_ms(srtt), Span::from_ms(r), begins);
        }
        deviation.margin()
    }

    /// Two round trips of 100 ms at first; or min_rto, if that is more.
    #[test]
    fn at_first_two_round_trips_are_added_and_min_rto_at_least() {
        assert_eq!(of(199, &[]), Span::from_ms(200));
        assert_eq!(of(201, &[]), Span::from_ms(201));
    }

    /// 200 ms, and 140 later than expected: 200 + 140 − 50. As much too early: an eighth of the 90, so 211.25. Within the quarter, 50, it
    /// falls by what is left of that, and the margin stays until the round trip is over.
    #[test]
    fn a_late_round_trip_counts_in_full_and_an_early_one_for_an_eighth() {
        assert_eq!(of(1, &[(100, 240, false)]), Span::from_ms(290));
        assert_eq!(of(1, &[(240, 100, false)]), Span::from_us(211_250));
        assert_eq!(of(1, &[(100, 151, false)]), Span::from_ms(201));
        assert_eq!(of(1, &[(100, 150, false)]), Span::from_ms(200));
        assert_eq!(of(1, &[(100, 120, false)]), Span::from_ms(200));
    }

    /// On a path without variation: 200 ms in the first round trip, with its end. In the second 200 − 50 − 37.5 = 112.5 at most 150, so
    /// the margin falls by a quarter of 50; and min_rto is what is left of it in the end.
    #[test]
    fn the_margin_falls_by_a_quarter_in_a_round_trip_and_not_below_min_rto() {
        let same = (100, 100, false);
        let end = (100, 100, true);
        assert_eq!(of(1, &[same, end]), Span::from_ms(200));
        assert_eq!(of(1, &[end, same, end]), Span::from_us(200_000 - (200_000 - 112_500) / 4));
        // Quarters are cut off to whole picoseconds.
        assert!(of(40, &[end; 200]) < Span::from_ms(40) + Span::from_ps(4));
    }
}
