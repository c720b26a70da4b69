//! The retransmission timeout of 4.3BSD-Reno: Jacobson's estimator in ticks, with Karn's rule and backoff; and that of
//! ns-2, which is the same but for a few ticks.
//! Sources: [Jac88] appendix A; [NS2] §1; docs/models/retransmission-timer.md.   Units: ticks of the coarse timer.

use crate::tcp::{TimerKind, TimerParams};
use crate::units::{Span, Time};

/// The instants at which a host's coarse timer ticks: one granularity apart, for ever; none at time zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

    /// How many ticks lie before `t` or at it.
    pub fn up_to(&self, t: Time) -> u64 {
        match t.as_ps().checked_sub(self.first) {
            Some(since) => since / self.granularity + 1,
            None => 0,
        }
    }

    /// The instant of tick number `n`, counted from 1.
    #[inline]
    pub fn instant(&self, n: u64) -> Time {
        Time::from_ps(self.first + (n - 1) * self.granularity)
    }

    /// The number of the tick at that instant.
    pub fn number(&self, instant: Time) -> u64 {
        (instant.as_ps() - self.first) / self.granularity + 1
    }
}

/// The ticks that one end of a connection has seen. It asks at every segment, and most segments lie between two
/// ticks: the next one is remembered, so that only a tick costs a division.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenTicks {
    clock: TickClock,
    count: u64,
    /// The instant of the first tick not seen.
    next: Time,
}

impl SeenTicks {
    /// Of `clock`, none yet.
    pub(super) fn new(clock: TickClock) -> SeenTicks {
        SeenTicks { clock, count: 0, next: clock.instant(1) }
    }

    /// All ticks before `now` are seen.
    #[inline]
    pub(super) fn pass(&mut self, now: Time) {
        if now > self.next {
            self.reach(self.clock.before(now));
        }
    }

    /// Tick number `n` is seen.
    #[cold]
    pub(super) fn reach(&mut self, n: u64) {
        if n > self.count {
            self.count = n;
            // Beyond the range of time there is no tick that could pass.
            let clock = self.clock;
            self.next = Time::from_ps(clock.first.saturating_add(n.saturating_mul(clock.granularity)));
        }
    }

    /// How many are seen.
    #[inline]
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// How many ticks lie before `t`, seen or not.
    pub(super) fn before(&self, t: Time) -> u64 {
        self.clock.before(t)
    }

    /// How many ticks lie before `t` or at it, seen or not.
    pub(super) fn up_to(&self, t: Time) -> u64 {
        self.clock.up_to(t)
    }

    /// From one tick to the next.
    pub(super) fn granularity(&self) -> Span {
        Span::from_ps(self.clock.granularity)
    }

    /// The instant of tick number `n`, counted from 1.
    #[inline]
    pub(super) fn instant(&self, n: u64) -> Time {
        self.clock.instant(n)
    }

    pub(super) fn number(&self, instant: Time) -> u64 {
        self.clock.number(instant)
    }
}

/// Estimator and backoff: from samples in whole ticks to the timeout in whole ticks.
#[derive(Clone, Debug)]
pub struct CoarseRto {
    /// Smoothed round trip, scaled by 8; 0 before the first sample.
    srtt8: i64,
    /// Mean deviation, scaled by 4.
    rttvar4: i64,
    min: u64,
    max: u64,
    /// With the backoff since the last valid sample.
    timeout: u64,
    /// Mean deviations in the timeout, in units in which both estimates have the same scale.
    deviations: i64,
    /// ns-2 has its own way of counting and of backing off: the factor, and the timeout before it is applied.
    ns2: Option<Ns2Backoff>,
}

/// The backoff of ns-2: a factor that is applied before the bounds are.
#[derive(Clone, Copy, Debug)]
struct Ns2Backoff {
    factor: u64,
    timeout: u64,
}

/// The largest factor of ns-2's backoff.
const NS2_MAX_FACTOR: u64 = 64;

impl CoarseRto {
    /// The state before the first sample.
    pub fn new(params: &TimerParams) -> CoarseRto {
        let in_ticks = |span: Span| span.as_ps().div_ceil(params.granularity.as_ps()).max(1);
        let min = u64::from(params.min_rto_ticks);
        let max = in_ticks(params.max_rto).max(min);
        let initial = in_ticks(params.initial_rto);
        let ns2 = (params.kind == TimerKind::Ns2).then_some(Ns2Backoff { factor: 1, timeout: initial });
        // The factor is that of the release of BSD; ns-2's is 4.
        let factor = if ns2.is_some() { 4 } else { params.rttvar_factor };
        let deviations = 2 * i64::from(factor);
        CoarseRto { srtt8: 0, rttvar4: 0, min, max, timeout: initial.clamp(min, max), deviations, ns2 }
    }

    /// Takes the round trip of a segment that was sent once, in ticks seen between sending and acknowledgement.
    /// Ends the backoff.
    pub fn sample(&mut self, elapsed_ticks: u64) {
        let mut elapsed = i64::try_from(elapsed_ticks).expect("round trip within the range of time");
        if self.ns2.is_some() {
            elapsed = elapsed.max(1);
        }
        if self.srtt8 == 0 {
            // BSD counts from 1, and takes the first value as it stands.
            let first = if self.ns2.is_some() { elapsed } else { elapsed + 1 };
            self.srtt8 = first << 3;
            self.rttvar4 = first << 1;
        } else {
            let error = elapsed - (self.srtt8 >> 3);
            self.srtt8 = (self.srtt8 + error).max(1);
            self.rttvar4 = (self.rttvar4 + error.abs() - (self.rttvar4 >> 2)).max(1);
        }
        // In eighths of a tick; a fraction of a tick is cut off.
        let timeout = u64::try_from((self.srtt8 + self.deviations * self.rttvar4) >> 3).unwrap_or(0);
        self.timeout = timeout.clamp(self.min, self.max);
        if let Some(ns2) = &mut self.ns2 {
            *ns2 = Ns2Backoff { factor: 1, timeout };
        }
    }

    /// Doubles the timeout, up to the maximum, until the next sample.
    pub fn back_off(&mut self) {
        self.timeout = match &mut self.ns2 {
            None => self.timeout.saturating_mul(2).min(self.max),
            Some(ns2) => {
                ns2.factor = (2 * ns2.factor).min(NS2_MAX_FACTOR);
                ns2.timeout.saturating_mul(ns2.factor).clamp(self.min, self.max)
            }
        };
    }

    /// The longest timeout, in ticks, backoff included.
    pub(super) fn max_ticks(&self) -> u64 {
        self.max
    }

    /// The smoothed round trip; `None` before the first sample.
    pub fn srtt_ticks(&self) -> Option<f64> {
        (self.srtt8 > 0).then_some(self.srtt8 as f64 / 8.0)
    }

    /// The least timeout.
    #[inline]
    pub fn least_ticks(&self) -> u64 {
        self.min
    }

    /// The timeout.
    #[inline]
    pub fn ticks(&self) -> u64 {
        self.timeout
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::{RtoMargin, RttSamples, SegmentTimeout, TickPhase, TimerScope};

    fn params() -> TimerParams {
        TimerParams {
            kind: TimerKind::Bsd,
            granularity: Span::from_ms(100),
            phase: TickPhase::Common(Span::ZERO),
            min_rto_ticks: 2,
            max_rto: Span::from_secs(64),
            initial_rto: Span::from_secs(3),
            scope: TimerScope::Connection,
            segment_timeout: SegmentTimeout::Current,
            samples: RttSamples::OneAtATime,
            rttvar_factor: 4,
            scaled_gains: false,
            restarts_at_fast_retransmit: false,
            margin: RtoMargin::None,
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

    /// What is remembered between calls makes no difference, whatever the steps, and wherever a timer was the last.
    #[test]
    fn ticks_seen_one_after_the_other_are_those_counted_at_once() {
        for (granularity, phase) in [(1000, 0), (1000, 1), (1000, 999), (1, 0), (7, 3)] {
            let clock = TickClock::new(Span::from_ps(granularity), Span::from_ps(phase));
            for step in [1, 2, 3, 499, 1000, 1001, 5000] {
                let mut seen = SeenTicks::new(clock);
                let mut last = 0;
                for n in 0..100 {
                    let now = Time::from_ps(n * step);
                    seen.pass(now);
                    last = last.max(clock.before(now));
                    assert_eq!(seen.count(), last, "every {granularity} from {phase}, step {step}, at {now}");
                    if n % 10 == 0 {
                        // The timer of the next tick, at its instant.
                        last += 1;
                        seen.reach(last);
                        seen.reach(last - 1);
                        assert_eq!(seen.count(), last);
                    }
                }
            }
        }
    }

    #[test]
    fn there_is_no_tick_after_the_end_of_time() {
        let mut seen = SeenTicks::new(TickClock::new(Span::from_ps(u64::MAX / 2), Span::ZERO));
        // Tick 2 is one picosecond before it.
        for (now, count) in [(u64::MAX - 1, 1), (u64::MAX, 2), (u64::MAX, 2)] {
            seen.pass(Time::from_ps(now));
            assert_eq!(seen.count(), count);
        }
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

    /// Segments sent and acknowledged at these times in ms, ticks of `granularity` from `granularity` on: the round trip in ticks,
    /// the estimates, the timeout. A time of 0 is a timeout.
    fn estimates(granularity: Span, events: &[(u64, u64)]) -> Vec<(u64, i64, i64, u64)> {
        let clock = TickClock::new(granularity, Span::ZERO);
        let mut rto = CoarseRto::new(&TimerParams { granularity, ..params() });
        let mut estimate = |&(sent, acknowledged): &(u64, u64)| {
            let ticks = |us: u64| clock.before(Time::ZERO + Span::from_us(us));
            let m = ticks(acknowledged) - ticks(sent);
            if acknowledged == 0 {
                rto.back_off()
            } else {
                rto.sample(m)
            }
            (m, rto.srtt8, rto.rttvar4, rto.ticks())
        };
        events.iter().map(&mut estimate).collect()
    }

    /// Worked by hand for a fine timer and for a coarse one; times in us.
    #[test]
    fn fine_and_coarse_ticks_follow_hand_calculations() {
        let fine = [
            (1_000, 3_700),
            (4_000, 6_750),
            (10_000, 20_350),
            (21_000, 40_050),
            (0, 0),
            (0, 0),
            (60_000, 79_000),
            (80_000, 83_300),
            (84_000, 86_700),
        ];
        let expected = [
            (27, 224, 56, 84),
            (28, 224, 42, 70),
            (104, 300, 108, 145),
            (191, 454, 235, 291),
            (0, 454, 235, 582),
            (0, 454, 235, 1164),
            (190, 588, 311, 384),
            (33, 548, 274, 342),
            (27, 507, 247, 310),
        ];
        assert_eq!(CoarseRto::new(&TimerParams { granularity: Span::from_us(100), ..params() }).ticks(), 30_000);
        assert_eq!(estimates(Span::from_us(100), &fine), expected);
        let coarse = [
            (200_000, 760_000),
            (800_000, 1_360_000),
            (1_400_000, 2_600_000),
            (0, 0),
            (0, 0),
            (5_000_000, 5_560_000),
            (5_600_000, 6_160_000),
        ];
        let expected =
            [(1, 16, 4, 6), (1, 15, 4, 5), (3, 17, 5, 7), (0, 17, 5, 14), (0, 17, 5, 28), (2, 17, 4, 6), (1, 16, 4, 6)];
        assert_eq!(CoarseRto::new(&TimerParams { granularity: Span::from_ms(500), ..params() }).ticks(), 6);
        assert_eq!(estimates(Span::from_ms(500), &coarse), expected);
    }

    /// After a first sample of 27 ticks, counted as 28: srtt8 = 224, rttvar4 = 56. Factor 4: 28 + 56 = 84. Factor 2: 28 + 28 = 56,
    /// or with the shifts of 1988 ((224 >> 2) + 56) >> 1. Factor 3: 28 + 42.
    /// Then 104 ticks: error 76; srtt8 = 300, rttvar4 = 56 + 76 − 14 = 118. Factor 4: 37 + 118 = 155. Factor 2: 37.5 + 59 = 96.5, cut
    /// off; ((300 >> 2) + 118) >> 1 = 96. Factor 3: 37.5 + 88.5 = 126: the halves of both make a whole tick.
    #[test]
    fn the_timeout_is_as_many_deviations_above_the_round_trip_as_the_factor_says() {
        for (rttvar_factor, first, second) in [(4, 84, 155), (2, 56, 96), (3, 70, 126)] {
            let mut rto = CoarseRto::new(&TimerParams { rttvar_factor, ..params() });
            rto.sample(27);
            assert_eq!(rto.ticks(), first, "factor {rttvar_factor}");
            rto.sample(104);
            assert_eq!((rto.srtt8, rto.rttvar4, rto.ticks()), (300, 118, second), "factor {rttvar_factor}");
        }
        // That of ns-2, which takes the 27 as they are, is no matter of the release of BSD: 27 + 54.
        let mut ns2 = CoarseRto::new(&TimerParams { kind: TimerKind::Ns2, rttvar_factor: 2, ..params() });
        ns2.sample(27);
        assert_eq!(ns2.ticks(), 81);
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
