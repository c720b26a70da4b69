//! Vegas+: Vegas that turns to Reno when its window does not grow and its round trips do all the same, since that is what
//! competing Renos look like.
//! Source: [HKM00], as described in [VEGAS-A] §2.2.1A; details recalled, docs/models/congestion-control-vegas-plus.md.
//! Units: packets, seconds.

use super::vegas::round::Round;
use super::vegas::{FINE_TIMEOUTS, Rounds, VegasParams, avoid, reduced, start_over};
use super::{Ack, CongestionControl, Loss, Mechanism, Needs, UsualRecovery, Window};
use crate::keys::{self, Default, Key, Kind, Misfit, Value, Values};
use crate::rng::Stream;

/// The window of Vegas+.
#[derive(Clone, Debug)]
pub struct VegasPlus {
    params: VegasPlusParams,
    rounds: Rounds,
    mode: Mode,
    /// Rounds with growing round trips and no growing window.
    count: u32,
    /// Round-trip time and window at the end of the round before.
    before: Option<(f64, f64)>,
}

/// The choices of Vegas+.
#[derive(Clone, Debug, PartialEq)]
pub struct VegasPlusParams {
    /// Its thresholds in moderate mode.
    pub vegas: VegasParams,
    /// At this count it becomes aggressive.
    pub count_max: u32,
    /// When it becomes moderate again.
    pub back: PlusReturn,
}

/// When Vegas+ becomes moderate again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlusReturn {
    /// When losses have halved its count down to zero.
    CountIsZero,
    /// At any loss.
    AnyLoss,
}

impl std::default::Default for VegasPlusParams {
    fn default() -> VegasPlusParams {
        VegasPlus::default_params()
    }
}

impl Mechanism for VegasPlus {
    const NAME: &'static str = "vegas-plus";
    const ABOUT: &'static str = "Vegas+: Vegas that changes to Reno while other flows seem to be Reno.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &keys::joined::<10>(&[
        &VegasParams::KEYS,
        &[
            Key::new("count_max", Kind::Integer(1, 1_000_000), Default::Is(Value::Integer(8)), "literature: [HKM00], recalled",
                "The count of rounds with growing round trips at which the aggressive mode begins."),
            Key::new("return_at", Kind::Word(&["count-is-zero", "any-loss"]), Default::Is(Value::Word("count-is-zero")), "literature: [HKM00], recalled",
                "When the aggressive mode ends."),
        ],
    ]);
    const NEEDS: Needs = Needs::ROUND_TRIPS;
    const USUAL_RECOVERY: Option<UsualRecovery> = FINE_TIMEOUTS;
    const HAS_FINE_TIMEOUTS: bool = true;
    type Params = VegasPlusParams;

    fn params(values: &Values) -> Result<VegasPlusParams, Misfit> {
        let returns = [("count-is-zero", PlusReturn::CountIsZero), ("any-loss", PlusReturn::AnyLoss)];
        Ok(VegasPlusParams {
            vegas: VegasParams::read(values)?,
            count_max: values.integer("count_max"),
            back: values.choice("return_at", &returns),
        })
    }

    fn start(params: &VegasPlusParams, _draws: Stream) -> VegasPlus {
        VegasPlus::new(params)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Vegas.
    Moderate,
    /// Reno's congestion avoidance.
    Aggressive,
}

impl VegasPlus {
    /// The algorithm with the given choices, in moderate mode.
    pub fn new(params: &VegasPlusParams) -> VegasPlus {
        let rounds = Rounds::new(&params.vegas);
        VegasPlus { params: params.clone(), rounds, mode: Mode::Moderate, count: 0, before: None }
    }

    /// The end of a round in moderate mode, at which the window was `cwnd`.
    fn on_round(&mut self, round: &Round, cwnd: f64) {
        if let Some((rtt, window)) = self.before.replace((round.rtt, cwnd)) {
            if cwnd <= window && round.rtt > rtt {
                self.count += 1;
            } else if round.rtt < rtt {
                self.count = self.count.saturating_sub(1);
            }
        }
        if self.count >= self.params.count_max {
            self.mode = Mode::Aggressive;
        }
    }

    fn on_loss(&mut self, count: u32) {
        self.count = count;
        if self.count == 0 || self.params.back == PlusReturn::AnyLoss {
            self.mode = Mode::Moderate;
            self.before = None;
        }
    }
}

impl CongestionControl for VegasPlus {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        if self.mode == Mode::Aggressive {
            let growth = if window.cwnd < window.ssthresh { ack.mss } else { ack.mss * ack.mss / window.cwnd };
            window.cwnd = (window.cwnd + growth).min(ack.limit);
            return;
        }
        let VegasPlus { params, rounds, .. } = self;
        let cwnd = window.cwnd / ack.mss;
        if let Some(round) = rounds.on_ack(ack, window, |round, cwnd| avoid(&params.vegas, round, cwnd)) {
            self.on_round(&round, cwnd);
        }
    }

    fn on_congestion(&mut self, loss: &Loss, window: &mut Window) {
        window.ssthresh = reduced(loss, window);
        self.on_loss(self.count / 2);
    }

    fn on_rto(&mut self, loss: &Loss, window: &mut Window) {
        start_over(loss, window);
        self.on_loss(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(rtt: f64) -> Round {
        Round { sent: 10.0, in_flight: 10.0, rtt, base: 0.1 }
    }

    fn algorithm(back: PlusReturn) -> VegasPlus {
        let mut algorithm = VegasPlus::new(&VegasPlusParams { count_max: 3, back, ..VegasPlusParams::default() });
        algorithm.on_round(&round(0.1), 10.0);
        algorithm
    }

    #[test]
    fn growing_round_trips_with_a_window_that_does_not_grow_are_counted() {
        let mut algorithm = algorithm(PlusReturn::CountIsZero);
        for (rtt, cwnd, count) in [(0.11, 10.0, 1), (0.12, 11.0, 1), (0.12, 11.0, 1), (0.11, 11.0, 0), (0.1, 11.0, 0)] {
            algorithm.on_round(&round(rtt), cwnd);
            assert_eq!(algorithm.count, count, "{rtt} {cwnd}");
        }
        for rtt in [0.11, 0.12] {
            algorithm.on_round(&round(rtt), 10.0);
            assert_eq!(algorithm.mode, Mode::Moderate);
        }
        algorithm.on_round(&round(0.13), 10.0);
        assert_eq!(algorithm.mode, Mode::Aggressive);
    }

    /// count 3: a loss leaves 1, the next 0.
    #[test]
    fn losses_halve_the_count_and_a_timeout_forgets_it() {
        for (back, modes) in [
            (PlusReturn::CountIsZero, [Mode::Aggressive, Mode::Moderate]),
            (PlusReturn::AnyLoss, [Mode::Moderate, Mode::Moderate]),
        ] {
            let mut algorithm = algorithm(back);
            (algorithm.count, algorithm.mode) = (3, Mode::Aggressive);
            let mut window = Window { cwnd: 20_000.0, ssthresh: 2000.0 };
            for mode in modes {
                algorithm.on_congestion(&Loss::of(1000.0, 1e9), &mut window);
                assert_eq!(algorithm.mode, mode, "{back:?}");
            }
            (algorithm.count, algorithm.mode) = (3, Mode::Aggressive);
            algorithm.on_rto(&Loss::of(1000.0, 1e9), &mut window);
            assert_eq!((algorithm.count, algorithm.mode), (0, Mode::Moderate));
        }
    }

    #[test]
    fn aggressive_growth_is_renos() {
        let mut algorithm = algorithm(PlusReturn::CountIsZero);
        algorithm.mode = Mode::Aggressive;
        let mut window = Window { cwnd: 10_000.0, ssthresh: 2000.0 };
        algorithm.on_ack(&Ack::of(1000.0, 1e9), &mut window);
        assert_eq!(window.cwnd, 10_100.0);
    }
}
