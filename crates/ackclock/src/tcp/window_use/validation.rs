//! Congestion window validation: a window that was not used for some time is kept for minutes, and a loss leaves half of what was in use.
//! (That it does not grow unused is a rule of its own.)
//! Source: RFC 7661 §4.   Units: bytes.

use std::collections::VecDeque;

use crate::tcp::TcpParams;
use crate::tcp::cc::Window;
use crate::tcp::recovery::Flight;
use crate::units::{Span, Time};

/// How much of the window was in use of late.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct Validation {
    /// Bytes acknowledged in a round trip, and when that ended, those of the last sampling period (§4.2).
    samples: VecDeque<(Time, u64)>,
    period: Span,
    round: Option<Round>,
    /// When the window was valid last; `None` before the first acknowledgement.
    valid_at: Option<Time>,
    initial_window: f64,
}

/// A round trip that is measured.
#[derive(Clone, Copy, Debug)]
struct Round {
    began: Time,
    /// What was acknowledged when it began, and what had been sent: with the acknowledgement of what was sent next it ends.
    first: u64,
    end: u64,
}

impl Validation {
    /// Of senders that validate their windows.
    pub(in crate::tcp) fn new(params: &TcpParams) -> Option<Validation> {
        let initial_window = f64::from(params.initial_window_segments) * f64::from(params.mss);
        let (samples, period, round, valid_at) = (VecDeque::new(), LEAST_PERIOD, None, None);
        params.validates_window().then_some(Validation { samples, period, round, valid_at, initial_window })
    }

    /// Everything before `ack` is acknowledged, outside of a recovery; `flight` is from before. `is_used`: the window was full of late.
    /// Returns whether the window was lowered, because it was not valid for long.
    pub(in crate::tcp) fn on_ack(
        &mut self,
        now: Time,
        ack: u64,
        is_used: bool,
        flight: &Flight,
        window: &mut Window,
    ) -> bool {
        let round = self.round.unwrap_or(Round { began: now, first: flight.una, end: flight.nxt.max(ack) });
        // With what was sent next it is over, or when nothing more is outstanding.
        self.round = if ack > round.end || ack == flight.max {
            self.period = (now.since(round.began) * 3).max(LEAST_PERIOD);
            self.samples.retain(|&(at, _)| at + self.period >= now);
            self.samples.push_back((now, round.end - round.first));
            (ack < flight.max).then_some(Round { began: now, first: ack, end: flight.nxt.max(ack) })
        } else {
            Some(round)
        };
        let lowered = self.age(now, window);
        if is_used || self.pipe_ack(now).is_some_and(|bytes| is_half(bytes, window)) {
            self.valid_at = Some(now);
        }
        lowered
    }

    /// The application writes after a pause with nothing outstanding: whether the window was lowered.
    pub(in crate::tcp) fn on_restart(&mut self, now: Time, window: &mut Window) -> bool {
        self.age(now, window)
    }

    /// A loss is found, or a mark comes: what was measured before says nothing any more (§4.2).
    pub(in crate::tcp) fn on_congestion(&mut self) {
        self.samples.clear();
        self.round = None;
    }

    /// What a loss takes the half of in place of the window, if less than half of it was in use (§4.3, §4.4.1). Where nothing was measured of
    /// late, pipeACK is undefined, and the window counts.
    pub(in crate::tcp) fn limit(&self, now: Time, flight: &Flight, window: &Window) -> Option<f64> {
        let pipe_ack = self.pipe_ack(now).filter(|&bytes| !is_half(bytes, window))?;
        Some(pipe_ack.max(flight.max - flight.una) as f64)
    }

    fn pipe_ack(&self, now: Time) -> Option<u64> {
        self.samples.iter().filter(|&&(at, _)| at + self.period >= now).map(|&(_, bytes)| bytes).max()
    }

    /// §4.4.3: each period in which it was not valid halves it. Returns whether it did.
    fn age(&mut self, now: Time, window: &mut Window) -> bool {
        let (valid_at, before) = (self.valid_at.get_or_insert(now), window.cwnd);
        while *valid_at + NON_VALIDATED_PERIOD < now {
            *valid_at += NON_VALIDATED_PERIOD;
            window.ssthresh = window.ssthresh.max(0.75 * window.cwnd);
            window.cwnd = (window.cwnd / 2.0).max(self.initial_window).min(window.cwnd);
        }
        window.cwnd < before
    }
}

/// Whether so much is at least half of the window (§4.3).
fn is_half(bytes: u64, window: &Window) -> bool {
    bytes as f64 >= window.cwnd / 2.0
}

/// §5: for so long a window is kept that is not used.
const NON_VALIDATED_PERIOD: Span = Span::from_secs(300);
/// §4.2: a sample counts for three round trips, or for this if that is more.
const LEAST_PERIOD: Span = Span::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::WindowRules;

    const MSS: u64 = 1000;

    fn validation() -> Validation {
        let rules = TcpParams::default().window_rules;
        let window_rules = WindowRules { window_validation: true, ..rules };
        Validation::new(&TcpParams { mss: 1000, initial_window_segments: 10, window_rules, ..TcpParams::default() })
            .unwrap()
    }

    fn flight(una: u64, nxt: u64) -> Flight {
        let rwnd = 1 << 30;
        Flight { una: una * MSS, nxt: nxt * MSS, max: nxt * MSS, mss: MSS, rwnd, advertised: rwnd, limit: 1 << 30 }
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    /// Round trips of 100 ms, a window of 40 segments. Twenty in a round trip are half of it, nineteen are not.
    #[test]
    fn a_window_is_valid_of_which_half_was_acknowledged_in_a_round_trip() {
        for (in_flight, valid) in [(20, true), (19, false)] {
            let (mut validation, mut window) = (validation(), Window { cwnd: 40_000.0, ssthresh: 30_000.0 });
            let limit = |validation: &Validation, outstanding: &Flight, window: &Window| {
                validation.limit(ms(200), outstanding, window)
            };
            // So many are in flight when the first of them is acknowledged.
            validation.on_ack(ms(100), MSS, false, &flight(0, in_flight), &mut window);
            validation.on_ack(ms(199), in_flight * MSS, false, &flight(1, 40), &mut window);
            assert_eq!(limit(&validation, &flight(30, 31), &window), None, "no round trip is over: undefined");
            validation.on_ack(ms(200), (in_flight + 1) * MSS, false, &flight(in_flight, 40), &mut window);
            assert_eq!(
                limit(&validation, &flight(30, 55), &window),
                (!valid).then_some(25_000.0),
                "more is outstanding"
            );
            assert_eq!(limit(&validation, &flight(30, 31), &window), (!valid).then_some(19_000.0));
            assert_eq!(validation.valid_at == Some(ms(200)), valid);
            validation.on_congestion();
            assert_eq!(limit(&validation, &flight(30, 31), &window), None, "undefined again");
        }
    }

    /// Five segments each 300 ms, all of them acknowledged before the next ones: they are a sample each.
    #[test]
    fn what_is_acknowledged_before_more_is_sent_is_a_sample() {
        let (mut validation, mut window) = (validation(), Window { cwnd: 40_000.0, ssthresh: 30_000.0 });
        for burst in 0..3 {
            for n in 0..5 {
                let (una, nxt) = (5 * burst + n, 5 * burst + 5);
                validation.on_ack(ms(300 * burst + 100 + n), (una + 1) * MSS, false, &flight(una, nxt), &mut window);
            }
            assert_eq!(validation.pipe_ack(ms(300 * burst + 104)), Some(5 * MSS));
        }
    }

    /// The largest sample of the last second counts, and no older one.
    #[test]
    fn a_sample_counts_for_a_second() {
        let (mut validation, window) = (validation(), Window { cwnd: 40_000.0, ssthresh: 30_000.0 });
        validation.samples.extend([(ms(0), 15 * MSS), (ms(500), 10 * MSS)]);
        let limit = |time: u64| validation.limit(ms(time), &flight(0, 1), &window);
        assert_eq!([1000, 1001, 1500, 1501].map(limit), [Some(15_000.0), Some(10_000.0), Some(10_000.0), None]);
    }

    #[test]
    fn five_minutes_of_no_use_halve_the_window() {
        let (mut validation, mut window) = (validation(), Window { cwnd: 100_000.0, ssthresh: 20_000.0 });
        validation.valid_at = Some(ms(1000));
        validation.on_restart(ms(301_000), &mut window);
        assert_eq!((window.cwnd, window.ssthresh), (100_000.0, 20_000.0));
        validation.on_restart(ms(301_001), &mut window);
        assert_eq!((window.cwnd, window.ssthresh), (50_000.0, 75_000.0));
        validation.on_restart(ms(601_001), &mut window);
        assert_eq!((window.cwnd, window.ssthresh), (25_000.0, 75_000.0));
        // Not below the first window, and nothing becomes larger by it.
        validation.on_restart(ms(3_000_000), &mut window);
        assert_eq!(window.cwnd, 10_000.0);
        window.cwnd = 4000.0;
        validation.on_restart(ms(9_000_000), &mut window);
        assert_eq!(window.cwnd, 4000.0);
    }
}
