//! The retransmission timeout of 4.3BSD-Reno: Jacobson's estimator in ticks, with Karn's rule and backoff.
//! Sources: [Jac88] appendix A; docs/models/retransmission-timer.md.   Units: ticks of the coarse timer.

use super::TimerParams;
use crate::units::{Span, Time};

/// The instants at which a host's coarse timer ticks: one granularity apart, for ever; none at time zero.
#[derive(Clone, Copy, Debug)]
pub struct TickClock {
    granularity: u64,
    /// Tick number 1, in picoseconds: more than zero.
    first: u64,
}

impl TickClock {
    /// Ticks every `granularity`, one of them `phase` after time zero.
    pub fn new(granularity: Span, phase: Span) -> TickClock {
        let granularity = granularity.as_ps();
        let phase = phase.as_ps() % granularity;
        TickClock { granularity, first: if phase == 0 { granularity } else { phase } }
    }

    /// How many ticks lie before `t`. Whatever else happens at the instant of a tick happens before it: timers come
    /// last.
    pub fn before(&self, t: Time) -> u64 {
        t.as_ps().saturating_sub(self.first).div_ceil(self.granularity)
    }

    /// The instant of tick number `n`, counted from 1.
    pub fn instant(&self, n: u64) -> Time {
        Time::from_ps(self.first + (n - 1) * self.granularity)
    }
}

/// Estimator and backoff: from samples in whole ticks to the timeout in whole ticks.
#[derive(Clone, Debug)]
pub struct CoarseRto {
    /// Smoothed round trip, scaled by 8; 0 before the first sample.
    srtt8: i64,
    /// Mean deviation, scaled by 4.
    rttvar4: i64,
    /// Before backoff.
    base: u64,
    /// Timeouts since the last valid sample.
    shift: u32,
    min: u64,
    max: u64,
}

impl CoarseRto {
    /// The state before the first sample.
    pub fn new(params: &TimerParams) -> CoarseRto {
        let in_ticks = |span: Span| span.as_ps().div_ceil(params.granularity.as_ps()).max(1);
        let min = u64::from(params.min_rto_ticks);
        let max = in_ticks(params.max_rto).max(min);
        CoarseRto { srtt8: 0, rttvar4: 0, base: in_ticks(params.initial_rto).clamp(min, max), shift: 0, min, max }
    }

    /// Takes the round trip of a segment that was sent once, in ticks seen between sending and acknowledgement.
    /// Ends the backoff.
    pub fn sample(&mut self, elapsed_ticks: u64) {
        let elapsed = i64::try_from(elapsed_ticks).expect("round trip within the range of time");
        if self.srtt8 == 0 {
            // BSD counts from 1, and takes the first value as it stands.
            self.srtt8 = (elapsed + 1) << 3;
            self.rttvar4 = (elapsed + 1) << 1;
        } else {
            let error = elapsed - (self.srtt8 >> 3);
            self.srtt8 = (self.srtt8 + error).max(1);
            self.rttvar4 = (self.rttvar4 + error.abs() - (self.rttvar4 >> 2)).max(1);
        }
        self.base = u64::try_from((self.srtt8 >> 3) + self.rttvar4).unwrap_or(0).clamp(self.min, self.max);
        self.shift = 0;
    }

    /// Doubles the timeout, up to the maximum, until the next sample.
    pub fn back_off(&mut self) {
        self.shift += 1;
    }

    /// The timeout.
    pub fn ticks(&self) -> u64 {
        // Beyond 63 doublings every timeout is the maximum.
        self.base.saturating_mul(1 << self.shift.min(63)).min(self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::TickPhase;

    fn params() -> TimerParams {
        TimerParams {
            granularity: Span::from_ms(100),
            phase: TickPhase::Common(Span::ZERO),
            min_rto_ticks: 2,
            max_rto: Span::from_secs(64),
            initial_rto: Span::from_secs(3),
        }
    }

    #[test]
    fn ticks_are_counted_strictly_before() {
        let ms = |ms| Time::ZERO + Span::from_ms(ms);
        let clock = TickClock::new(Span::from_ms(100), Span::ZERO);
        assert_eq!(clock.before(ms(0)), 0);
        assert_eq!(clock.before(ms(100)), 0, "the tick at 100 ms comes after everything else at 100 ms");
        assert_eq!(clock.before(ms(100) + Span::from_ps(1)), 1);
        assert_eq!(clock.before(ms(200)), 1);
        assert_eq!(clock.instant(1), ms(100));
        let shifted = TickClock::new(Span::from_ms(100), Span::from_ms(30));
        assert_eq!(shifted.instant(1), ms(30));
        assert_eq!(shifted.before(ms(131)), 2);
    }

    #[test]
    fn estimator_follows_a_hand_calculation() {
        let mut rto = CoarseRto::new(&params());
        assert_eq!(rto.ticks(), 30, "3 s before the first sample");
        // First sample, 0 ticks: t_rtt = 1, srtt8 = 8, rttvar4 = 2; 1 + 2 = 3.
        rto.sample(0);
        assert_eq!(rto.ticks(), 3);
        // 0 ticks: error = 0 − 1 = −1; srtt8 = 7; rttvar4 = 2 + 1 − 0 = 3; 0 + 3 = 3.
        rto.sample(0);
        assert_eq!(rto.ticks(), 3);
        // 0 ticks: error = 0; srtt8 = 7; rttvar4 = 3 + 0 − 0 = 3.
        rto.sample(0);
        assert_eq!(rto.ticks(), 3);
        // 5 ticks: error = 5; srtt8 = 12; rttvar4 = 3 + 5 − 0 = 8; 1 + 8 = 9.
        rto.sample(5);
        assert_eq!(rto.ticks(), 9);
        // 5 ticks: error = 5 − 1 = 4; srtt8 = 16; rttvar4 = 8 + 4 − 2 = 10; 2 + 10 = 12.
        rto.sample(5);
        assert_eq!(rto.ticks(), 12);
    }

    #[test]
    fn backoff_doubles_to_the_maximum_and_ends_with_a_sample() {
        let mut rto = CoarseRto::new(&params());
        rto.sample(0);
        let mut seen = Vec::new();
        for _ in 0..10 {
            rto.back_off();
            seen.push(rto.ticks());
        }
        assert_eq!(seen, [6, 12, 24, 48, 96, 192, 384, 640, 640, 640]);
        for _ in 0..100 {
            rto.back_off();
        }
        assert_eq!(rto.ticks(), 640);
        rto.sample(0);
        assert_eq!(rto.ticks(), 3);
    }

    #[test]
    fn backoff_of_a_very_fine_timer_does_not_overflow() {
        let mut rto = CoarseRto::new(&TimerParams { granularity: Span::from_ps(1000), ..params() });
        for _ in 0..100 {
            rto.back_off();
            assert!(rto.ticks() >= 3_000_000_000 && rto.ticks() <= 64_000_000_000);
        }
        assert_eq!(rto.ticks(), 64_000_000_000);
    }

    #[test]
    fn the_timeout_is_never_below_the_minimum() {
        let mut rto = CoarseRto::new(&TimerParams { min_rto_ticks: 7, ..params() });
        rto.sample(0);
        assert_eq!(rto.ticks(), 7);
    }
}
