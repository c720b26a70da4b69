//! The retransmission timeout of RFC 6298: the estimator in fine time.
//! Sources: RFC 6298 §2, §5, whose numbers the comments give; RFC 7323 appendix G; RFC 4015 §3.   Units: picoseconds.

use super::linux::Deviation;
use super::timestamps::Round;
use crate::tcp::{RtoMargin, TimerKind, TimerParams};
use crate::units::Span;

/// Estimator and backoff: from samples to the timeout.
#[derive(Clone, Debug)]
pub(super) struct FineRto {
    /// SRTT; `None` before the first sample.
    srtt: Option<Span>,
    rttvar: Span,
    /// G.
    granularity: Span,
    min: Span,
    max: Span,
    /// Before the first sample, without backoff.
    initial: Span,
    margin: RtoMargin,
    /// What Linux has in the place of 4 RTTVAR.
    linux: Option<Deviation>,
    /// With the backoff since the last sample.
    timeout: Span,
    /// At a spurious timeout; the next sample is of data sent after it.
    before_spurious: Option<Estimates>,
}

/// SRTT, two ticks longer than it was, and RTTVAR at a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) struct Estimates {
    srtt: Span,
    rttvar: Span,
}

impl FineRto {
    /// The state before the first sample (2.1).
    pub(super) fn new(params: &TimerParams) -> FineRto {
        let granularity = params.granularity;
        let min = granularity * u64::from(params.min_rto_ticks);
        let max = params.max_rto.max(min);
        let timeout = params.initial_rto.clamp(min, max);
        let margin = params.margin;
        let linux = (params.kind == TimerKind::Linux).then(|| Deviation::new(min));
        let (srtt, rttvar, before_spurious) = (None, Span::ZERO, None);
        FineRto { srtt, rttvar, granularity, min, max, margin, linux, initial: timeout, timeout, before_spurious }
    }

    /// A round trip, one of n samples that are expected in a round trip: α/n and β/n in the place of α and β (RFC 7323 appendix G).
    /// With a congestion window of so many segments. Ends the backoff.
    pub(super) fn sample_of(&mut self, r: Span, Round { samples: n, begins }: Round, window_segments: u64) {
        match (&mut self.linux, self.srtt) {
            (Some(linux), None) => linux.begin(r),
            (Some(linux), Some(srtt)) => linux.sample(srtt, r, begins),
            (None, _) => {}
        }
        let srtt = match self.srtt {
            // (2.2)
            None => {
                self.rttvar = Span::from_ps(r.as_ps() / 2);
                r
            }
            // (2.3): RTTVAR first, with the old SRTT.
            Some(srtt) => {
                let deviation = srtt.as_ps().abs_diff(r.as_ps());
                self.rttvar = smoothed(self.rttvar, deviation, 4 * n);
                smoothed(srtt, r.as_ps(), 8 * n)
            }
        };
        let srtt = match self.before_spurious.take() {
            Some(before) => {
                self.rttvar = before.rttvar.max(Span::from_ps(r.as_ps() / 2));
                before.srtt.max(r)
            }
            None => srtt,
        };
        self.srtt = Some(srtt);
        // (2.4), (2.5)
        let above = self.linux.map_or_else(|| self.granularity.max(self.rttvar * 4), |linux| linux.margin());
        let timeout = srtt + above;
        self.timeout = (timeout + self.margin.of(timeout, window_segments)).clamp(self.min, self.max);
    }

    /// What it takes at least after a spurious timeout; none before the first sample, nor with the estimator of Linux, which has no such rule.
    pub(super) fn estimates(&self) -> Option<Estimates> {
        let srtt = self.srtt.filter(|_| self.linux.is_none())?;
        Some(Estimates { srtt: srtt + self.granularity * 2, rttvar: self.rttvar })
    }

    /// The next sample is the first of data that was sent after a spurious timeout: SRTT is that sample, RTTVAR half of it, unless both were
    /// more at the timeout.
    pub(super) fn be_cautious(&mut self, before: Estimates) {
        self.before_spurious = Some(before);
    }

    /// Doubles the timeout, up to the maximum, until the next sample (5.5).
    pub(super) fn back_off(&mut self) {
        self.timeout = self.max.min(self.timeout * 2);
    }

    /// SYNs were lost, and data begins: 3 s, or what it was before the first of them if that is more (5.7). The backoff of the
    /// SYNs is over.
    pub(super) fn begin_after_lost_syn(&mut self) {
        self.timeout = self.initial.max(AFTER_LOST_SYN).clamp(self.min, self.max);
    }

    /// The longest timeout, backoff included.
    pub(super) fn longest(&self) -> Span {
        self.max
    }

    /// SRTT; `None` before the first sample.
    pub(super) fn srtt(&self) -> Option<Span> {
        self.srtt
    }

    pub(super) fn timeout(&self) -> Span {
        self.timeout
    }
}

/// The timeout with which data begins after a SYN was lost (5.7).
const AFTER_LOST_SYN: Span = Span::from_secs(3);

impl RtoMargin {
    /// How much longer than `timeout` it is with a congestion window of so many segments.
    fn of(self, timeout: Span, window_segments: u64) -> Span {
        match self {
            RtoMargin::None => Span::ZERO,
            RtoMargin::Linux22 => {
                let halvings = window_segments.saturating_sub(1).min(63);
                Span::from_ps(timeout.as_ps() / 4 + (timeout.as_ps() >> halvings))
            }
        }
    }
}

/// (1 − 1/n) old + 1/n new.
fn smoothed(old: Span, new: u64, n: u64) -> Span {
    let sum = u128::from(n - 1) * u128::from(old.as_ps()) + u128::from(new);
    Span::from_ps((sum / u128::from(n)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::{TcpParams, TimerKind};

    fn rto(min_rto_ticks: u32) -> FineRto {
        let granularity = Span::from_ms(1);
        let timer = TcpParams::default().timer;
        FineRto::new(&TimerParams {
            kind: TimerKind::Rfc6298,
            granularity,
            min_rto_ticks,
            initial_rto: Span::from_secs(1),
            max_rto: Span::from_secs(60),
            ..timer
        })
    }

    /// Linux: 100 + 200, and min_rto is the least of what is added, not of the sum. RFC 6298 has 300 ms in both cases.
    #[test]
    fn min_rto_of_linux_is_above_the_round_trip() {
        for (min_rto_ticks, expected) in [(199, 300), (300, 400)] {
            let linux = Some(Deviation::new(Span::from_ms(min_rto_ticks)));
            let mut rto = FineRto { linux, ..rto(min_rto_ticks as u32) };
            rto.sample_of(Span::from_ms(100), Round::ONE, 10);
            assert_eq!(rto.timeout(), Span::from_ms(expected));
        }
    }

    #[test]
    fn the_estimator_follows_a_hand_calculation() {
        let mut rto = rto(1);
        assert_eq!((rto.srtt(), rto.timeout()), (None, Span::from_secs(1)));
        // SRTT 100, RTTVAR 50: 100 + 200.
        rto.sample_of(Span::from_ms(100), Round::ONE, 10);
        assert_eq!((rto.srtt(), rto.timeout()), (Some(Span::from_ms(100)), Span::from_ms(300)));
        // 180: RTTVAR (150 + 80)/4 = 57.5, SRTT (700 + 180)/8 = 110: 110 + 230.
        rto.sample_of(Span::from_ms(180), Round::ONE, 10);
        assert_eq!((rto.srtt(), rto.timeout()), (Some(Span::from_ms(110)), Span::from_ms(340)));
    }

    /// RTTVAR shrinks to nothing on a path without variation: then the granularity of the clock is added.
    #[test]
    fn the_granularity_is_the_least_that_is_added() {
        let mut rto = rto(1);
        for _ in 0..200 {
            rto.sample_of(Span::from_ms(100), Round::ONE, 10);
        }
        assert_eq!(rto.timeout(), Span::from_ms(101));
    }

    /// 100 + 4 · 50 = 300 ms: a quarter is 75, and with windows of 1, 2 and 4 segments 300, 150 and 37.5 ms are added, with 20 less
    /// than a microsecond. The bounds hold with the margin.
    #[test]
    fn the_margin_of_linux_depends_on_the_window() {
        let with_margin = |min_rto_ticks, window| {
            let mut rto = FineRto { margin: RtoMargin::Linux22, ..rto(min_rto_ticks) };
            rto.sample_of(Span::from_ms(100), Round::ONE, window);
            rto.timeout()
        };
        assert_eq!([0, 1, 2].map(|window| with_margin(1, window)), [675, 675, 525].map(Span::from_ms));
        assert_eq!(with_margin(1, 4), Span::from_us(412_500));
        assert!(with_margin(1, 20) < Span::from_us(375_001) && with_margin(1, 1000) == Span::from_ms(375));
        assert_eq!(with_margin(400, 1000), Span::from_ms(400));
    }

    #[test]
    fn the_timeout_is_bounded_and_doubles_until_the_next_sample() {
        let mut rto = rto(1000);
        rto.sample_of(Span::from_ms(100), Round::ONE, 10);
        assert_eq!(rto.timeout(), Span::from_secs(1));
        let mut seen = Vec::new();
        for _ in 0..7 {
            rto.back_off();
            seen.push(rto.timeout().as_ps() / 1_000_000_000_000);
        }
        assert_eq!(seen, [2, 4, 8, 16, 32, 60, 60]);
        rto.sample_of(Span::from_ms(100), Round::ONE, 10);
        assert_eq!(rto.timeout(), Span::from_secs(1));
    }

    /// RFC 4015 §3: 100 ms, ticks of 1 ms. SRTT 100, RTTVAR 50 at the timeout. Whatever comes between, the first round trip of new data sets SRTT
    /// to it and RTTVAR to its half, but not below 102 and 50. After it all is as usual.
    #[test]
    fn after_a_spurious_timeout_round_trips_are_expected_to_stay_long() {
        let ms = Span::from_ms;
        let after = |r: u64| {
            let mut rto = rto(1);
            rto.sample_of(ms(100), Round::ONE, 10);
            let before = rto.estimates().expect("there was a sample");
            rto.back_off();
            rto.sample_of(ms(5000), Round::ONE, 10);
            rto.be_cautious(before);
            rto.sample_of(ms(r), Round::ONE, 10);
            (rto.srtt(), rto.timeout(), rto)
        };
        assert_eq!(after(80).0, Some(ms(102)));
        assert_eq!(after(80).1, ms(102 + 4 * 50));
        assert_eq!((after(102).0, after(103).0), (Some(ms(102)), Some(ms(103))));
        assert_eq!((after(100).1, after(104).1), (ms(302), ms(104 + 4 * 52)));
        let (_, _, mut rto) = after(800);
        assert_eq!((rto.srtt(), rto.timeout()), (Some(ms(800)), ms(800 + 4 * 400)));
        rto.sample_of(ms(800), Round::ONE, 10);
        assert_eq!(rto.timeout(), ms(800 + 4 * 300));
    }
}
