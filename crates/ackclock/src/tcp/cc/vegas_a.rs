//! Vegas-A: Vegas whose thresholds adapt. While the throughput rises, the connection claims more of the queue; when it
//! falls, or the queue is too long, it gives back.
//! Source: [VEGAS-A] §4.1, whose lines the comments name; what it leaves open: docs/models/congestion-control-vegas-a.md.
//! Units: packets, seconds.

use super::vegas::round::{MIN_WINDOW, Round};
use super::vegas::{FINE_TIMEOUTS, Rounds, VegasParams, reduced, start_over};
use super::{Ack, CongestionControl, Loss, Mechanism, Needs, UsualRecovery, Window};
use crate::keys::{self, Condition, Default, Key, Kind, Misfit, Value, Values};
use crate::rng::Stream;

/// The window of Vegas-A.
#[derive(Clone, Debug)]
pub struct VegasA {
    rounds: Rounds,
    thresholds: Thresholds,
}

/// The choices of Vegas-A.
#[derive(Clone, Debug, PartialEq)]
pub struct VegasAParams {
    /// The thresholds at the start.
    pub vegas: VegasParams,
    /// How the window grows by a packet.
    pub increase: Increase,
    /// Throughputs that differ by no more than this part of the earlier one are equal.
    pub th_tolerance: f64,
    /// With this probability equal throughputs count as risen.
    pub tie_up_probability: f64,
    /// With this probability equal throughputs count as fallen.
    pub tie_down_probability: f64,
    /// Whether there is no comparison with the throughput before a loss.
    pub reset_th_on_loss: bool,
    /// Whether a timeout sets the thresholds back to what they were at the start.
    pub reset_ab_on_rto: bool,
    /// Beyond this alpha does not rise.
    pub alpha_max: Option<f64>,
    /// By how much the thresholds move.
    pub step: AbStep,
    /// What a step that is scaled is multiplied by.
    pub step_gain: f64,
    /// What a step that is scaled is at most, packets.
    pub step_max: f64,
    /// Whether they move together.
    pub coupling: AbCoupling,
}

/// How a window grows by a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Increase {
    /// At once, when that is decided.
    AtOnce,
    /// By 1/cwnd with each acknowledgement of the next round trip.
    Spread,
    /// So while alpha is at its floor, which is what Vegas does; at once above it.
    SpreadAtFloor,
}

/// By how much the thresholds of Vegas-A move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbStep {
    /// By one packet.
    Unit,
    /// By the relative change of the throughput, times the window and the gain, at most the largest step.
    Throughput,
    /// By the relative change of the round-trip time, times the window and the gain, at most the largest step.
    Rtt,
}

/// Whether the thresholds of Vegas-A move together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AbCoupling {
    /// Always together, by one step.
    Locked,
    /// Each by its own multiple of the step.
    Independent {
        /// By which alpha rises.
        raise_alpha: f64,
        /// By which beta rises.
        raise_beta: f64,
        /// By which alpha falls.
        lower_alpha: f64,
        /// By which beta falls.
        lower_beta: f64,
    },
}

impl std::default::Default for VegasAParams {
    fn default() -> VegasAParams {
        VegasA::default_params()
    }
}

impl Mechanism for VegasA {
    const NAME: &'static str = "vegas-a";
    const ABOUT: &'static str = "Vegas-A: Vegas whose thresholds adapt to the throughput.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &keys::joined::<23>(&[
        &VegasParams::KEYS,
        &[
            Key::new("increase", Kind::Word(&["at-once", "spread", "spread-at-floor"]), Default::Is(Value::Word("at-once")), "[VEGAS-A] §4.1",
                "How the window grows by a packet: at once, or by 1/cwnd with each acknowledgement of the next round trip, always or while alpha is at its floor."),
            Key::new("th_tolerance", Kind::Share, Default::Is(Value::Number(1e-9)), "inferred",
                "Throughputs that differ by no more than this share are equal."),
            Key::new("tie_up_probability", Kind::Share, Default::Is(Value::Number(0.01)), "by calculation",
                "Probability that equal throughputs count as risen, which models the noise of a real path. With 0 the window does not change."),
            Key::new("tie_down_probability", Kind::Share, Default::Is(Value::Number(0.0)), "inferred",
                "Probability that equal throughputs count as fallen."),
            Key::new("reset_th_on_loss", Kind::Flag, Default::Is(Value::Flag(true)), "inferred",
                "Whether a loss resets the throughput of the round before."),
            Key::new("reset_ab_on_rto", Kind::Flag, Default::Is(Value::Flag(false)), "inferred",
                "Whether a timeout resets alpha and beta."),
            Key::new("alpha_max", Kind::Or(&Kind::Number(1e6), &["none"]), Default::Is(Value::Word("none")), "[VEGAS-A] §4.1 has none",
                "The largest value of alpha."),
            Key::new("step", Kind::Word(&["unit", "throughput", "rtt"]), Default::Is(Value::Word("unit")), "[VEGAS-A] §4.1; others: §6.3",
                "The step of alpha and beta: one, or the relative change of throughput or round trip times the window."),
            scale_key("step_gain", "What a step that is scaled by a change is multiplied by."),
            scale_key("step_max", "The largest step that is scaled by a change, packets."),
            Key::new("coupling", Kind::Word(&["locked", "independent"]), Default::Is(Value::Word("locked")), "[VEGAS-A] §4.1; independent: §6.3",
                "Whether alpha and beta change together."),
            part_key("s_alpha", "Part of the step by which alpha rises."),
            part_key("s_beta", "Part of the step by which beta rises."),
            part_key("d_alpha", "Part of the step by which alpha falls."),
            part_key("d_beta", "Part of the step by which beta falls."),
        ],
    ]);
    const NEEDS: Needs = Needs::ROUND_TRIPS;
    const USUAL_RECOVERY: Option<UsualRecovery> = FINE_TIMEOUTS;
    const HAS_FINE_TIMEOUTS: bool = true;
    type Params = VegasAParams;

    fn params(values: &Values) -> Result<VegasAParams, Misfit> {
        let vegas = VegasParams::read(values)?;
        let (up, down) = (values.number("tie_up_probability"), values.number("tie_down_probability"));
        if up + down > 1.0 {
            return Err(Misfit {
                keys: &["tie_down_probability", "tie_up_probability"],
                problem: format!(
                    "`tie_up_probability` {up} and `tie_down_probability` {down} are more than 1 together"
                ),
                expected: "equal throughputs cannot count as both",
            });
        }
        let alpha_max = (!values.is_word("alpha_max")).then(|| values.number("alpha_max"));
        if alpha_max.is_some_and(|max| max < vegas.alpha) {
            return Err(Misfit {
                keys: &["alpha_max"],
                problem: format!("`alpha_max` is less than `alpha`, {}", vegas.alpha),
                expected: "alpha begins above its ceiling",
            });
        }
        let increases =
            [("at-once", Increase::AtOnce), ("spread", Increase::Spread), ("spread-at-floor", Increase::SpreadAtFloor)];
        let steps = [("unit", AbStep::Unit), ("throughput", AbStep::Throughput), ("rtt", AbStep::Rtt)];
        let independent = AbCoupling::Independent {
            raise_alpha: values.number("s_alpha"),
            raise_beta: values.number("s_beta"),
            lower_alpha: values.number("d_alpha"),
            lower_beta: values.number("d_beta"),
        };
        Ok(VegasAParams {
            vegas,
            increase: values.choice("increase", &increases),
            th_tolerance: values.number("th_tolerance"),
            tie_up_probability: up,
            tie_down_probability: down,
            reset_th_on_loss: values.flag("reset_th_on_loss"),
            reset_ab_on_rto: values.flag("reset_ab_on_rto"),
            alpha_max,
            step: values.choice("step", &steps),
            step_gain: values.number("step_gain"),
            step_max: values.number("step_max"),
            coupling: values.choice("coupling", &[("locked", AbCoupling::Locked), ("independent", independent)]),
        })
    }

    fn start(params: &VegasAParams, draws: Stream) -> VegasA {
        VegasA::new(params, draws)
    }

    /// Ties.
    fn is_random(params: &VegasAParams) -> bool {
        params.tie_up_probability + params.tie_down_probability > 0.0
    }
}

const fn scale_key(name: &'static str, about: &'static str) -> Key {
    let scaled = &[Condition { key: "step", is: &["throughput", "rtt"] }];
    Key::new(name, Kind::Number(1e6), Default::Is(Value::Number(1.0)), "inferred from [VEGAS-A] §6.3", about)
        .used_if(scaled)
}

const fn part_key(name: &'static str, about: &'static str) -> Key {
    let independent = &[Condition { key: "coupling", is: &["independent"] }];
    Key::new(name, Kind::Share, Default::Is(Value::Number(1.0)), "inferred", about).used_if(independent)
}

impl VegasA {
    /// The algorithm with the given choices; ties are decided by `ties`.
    pub fn new(params: &VegasAParams, ties: Stream) -> VegasA {
        VegasA { rounds: Rounds::new(&params.vegas), thresholds: Thresholds::new(params, ties) }
    }

    /// alpha and beta, packets.
    pub fn thresholds(&self) -> (f64, f64) {
        (self.thresholds.alpha, self.thresholds.beta)
    }
}

impl CongestionControl for VegasA {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        let VegasA { rounds, thresholds } = self;
        if let Some(round) = rounds.on_ack(ack, window, |round, cwnd| thresholds.avoid(round, cwnd)) {
            thresholds.remember(&round);
        }
    }

    fn on_congestion(&mut self, loss: &Loss, window: &mut Window) {
        window.ssthresh = reduced(loss, window);
        self.thresholds.on_loss();
    }

    fn on_rto(&mut self, loss: &Loss, window: &mut Window) {
        start_over(loss, window);
        self.thresholds.on_loss();
        self.thresholds.on_rto();
    }
}

/// The thresholds of a connection, and what they are compared with.
#[derive(Clone, Debug)]
struct Thresholds {
    params: VegasAParams,
    alpha: f64,
    beta: f64,
    /// Th(t − rtt): of the round before, packets per second; `None` is undefined.
    previous: Option<f64>,
    /// The round-trip time of the round before, seconds.
    previous_rtt: Option<f64>,
    ties: Stream,
    /// Ties so far: each has a random number of its own.
    tied: u64,
}

/// How the throughput of a round compares with that of the round before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trend {
    Up,
    Down,
    Tie,
}

/// The floor of alpha: without it both thresholds would go below zero while a path is longer than it was, and the window
/// would never grow again.
const MIN_ALPHA: f64 = 1.0;

impl Thresholds {
    fn new(params: &VegasAParams, ties: Stream) -> Thresholds {
        let (alpha, beta) = (params.vegas.alpha, params.vegas.beta);
        Thresholds { params: params.clone(), alpha, beta, previous: None, previous_rtt: None, ties, tied: 0 }
    }

    /// Congestion avoidance at the end of a round: returns the growth per acknowledgement in the next. All comparisons
    /// are strict.
    fn avoid(&mut self, round: &Round, cwnd: &mut f64) -> f64 {
        let diff = round.diff();
        if self.alpha < diff && diff < self.beta {
            // Lines 1 to 9.
            match self.trend(round) {
                Trend::Up => {
                    self.raise(round, *cwnd);
                    self.grow(cwnd)
                }
                Trend::Down | Trend::Tie => 0.0,
            }
        } else if diff < self.alpha {
            // Lines 10 to 19.
            if self.alpha <= MIN_ALPHA {
                // As Vegas: the throughput is not compared.
                return match self.params.increase {
                    Increase::SpreadAtFloor => 1.0 / *cwnd,
                    Increase::AtOnce | Increase::Spread => self.grow(cwnd),
                };
            }
            match self.trend(round) {
                Trend::Up => self.grow(cwnd),
                Trend::Down => {
                    self.shrink(round, cwnd);
                    0.0
                }
                Trend::Tie => 0.0,
            }
        } else if diff > self.beta {
            // Lines 20 to 22.
            self.shrink(round, cwnd);
            0.0
        } else {
            // Lines 23 to 25: at alpha or at beta.
            0.0
        }
    }

    /// A round is over: the next is compared with it.
    fn remember(&mut self, round: &Round) {
        self.previous = Some(round.actual());
        self.previous_rtt = Some(round.rtt);
    }

    /// The window was cut: the next throughput says nothing.
    fn on_loss(&mut self) {
        if self.params.reset_th_on_loss {
            self.previous = None;
        }
    }

    fn on_rto(&mut self) {
        if self.params.reset_ab_on_rto {
            (self.alpha, self.beta) = (self.params.vegas.alpha, self.params.vegas.beta);
        }
    }

    fn trend(&mut self, round: &Round) -> Trend {
        let actual = round.actual();
        match self.previous {
            Some(previous) if actual - previous > self.params.th_tolerance * previous => Trend::Up,
            Some(previous) if previous - actual > self.params.th_tolerance * previous => Trend::Down,
            _ => self.break_tie(),
        }
    }

    /// On a real path noise decides. Here it is drawn.
    fn break_tie(&mut self) -> Trend {
        let draw = (self.ties.at(self.tied) >> 11) as f64 / (1_u64 << 53) as f64;
        self.tied += 1;
        let VegasAParams { tie_up_probability: up, tie_down_probability: down, .. } = self.params;
        if draw < up {
            Trend::Up
        } else if draw < up + down {
            Trend::Down
        } else {
            Trend::Tie
        }
    }

    /// cwnd + 1.
    fn grow(&self, cwnd: &mut f64) -> f64 {
        match self.params.increase {
            Increase::AtOnce | Increase::SpreadAtFloor => {
                *cwnd += 1.0;
                0.0
            }
            Increase::Spread => 1.0 / *cwnd,
        }
    }

    /// cwnd − 1, and the thresholds are lowered.
    fn shrink(&mut self, round: &Round, cwnd: &mut f64) {
        let step = self.step(round, *cwnd);
        *cwnd = (*cwnd - 1.0).max(MIN_WINDOW);
        match self.params.coupling {
            AbCoupling::Locked => {
                self.alpha = (self.alpha - step).max(MIN_ALPHA);
                self.beta = self.alpha + self.gap();
            }
            AbCoupling::Independent { lower_alpha, lower_beta, .. } => {
                self.alpha = (self.alpha - lower_alpha * step).max(MIN_ALPHA);
                self.beta = (self.beta - lower_beta * step).max(self.alpha + 1.0);
            }
        }
    }

    /// The thresholds are raised.
    fn raise(&mut self, round: &Round, cwnd: f64) {
        let step = self.step(round, cwnd);
        let bounded = |alpha: f64| alpha.min(self.params.alpha_max.unwrap_or(f64::INFINITY));
        match self.params.coupling {
            AbCoupling::Locked => {
                self.alpha = bounded(self.alpha + step);
                self.beta = self.alpha + self.gap();
            }
            AbCoupling::Independent { raise_alpha, raise_beta, .. } => {
                self.alpha = bounded(self.alpha + raise_alpha * step);
                self.beta = (self.beta + raise_beta * step).max(self.alpha + 1.0);
            }
        }
    }

    /// beta − alpha, which never changes while they are locked.
    fn gap(&self) -> f64 {
        self.params.vegas.beta - self.params.vegas.alpha
    }

    /// By how much the thresholds move: 1, or from 0 to the largest step.
    fn step(&self, round: &Round, cwnd: f64) -> f64 {
        let VegasAParams { step_gain: gain, step_max: most, .. } = self.params;
        let change = |now: f64, before: Option<f64>| before.map_or(0.0, |before| (now - before).abs() / before * cwnd);
        match self.params.step {
            AbStep::Unit => 1.0,
            AbStep::Throughput => (gain * change(round.actual(), self.previous)).min(most),
            AbStep::Rtt => (gain * change(round.rtt, self.previous_rtt)).min(most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thresholds(params: VegasAParams, alpha: f64, beta: f64) -> Thresholds {
        Thresholds { alpha, beta, ..Thresholds::new(&params, Stream::new(1, "f", "vegas-a-ties")) }
    }

    fn certain() -> VegasAParams {
        VegasAParams { tie_up_probability: 0.0, ..VegasAParams::default() }
    }

    /// A round of `w` packets in `rtt` ms, of which 100 are the path's.
    fn round(w: f64, rtt: f64) -> Round {
        Round { sent: w, in_flight: w, rtt: rtt / 1000.0, base: 0.1 }
    }

    /// Window and thresholds after a round that was up, down or the same as the one before.
    fn after(alpha: f64, beta: f64, w: f64, rtt: f64, trend: Option<Trend>) -> (f64, f64, f64) {
        let mut state = thresholds(certain(), alpha, beta);
        let round = round(w, rtt);
        state.previous = trend.map(|trend| match trend {
            Trend::Up => round.actual() * 0.9,
            Trend::Down => round.actual() * 1.1,
            Trend::Tie => round.actual(),
        });
        let mut cwnd = w;
        assert_eq!(state.avoid(&round, &mut cwnd), 0.0);
        (cwnd, state.alpha, state.beta)
    }

    /// Every branch of the algorithm, with equality and the floor.
    #[test]
    fn the_decision_table_of_the_thesis() {
        use Trend::{Down, Tie, Up};
        let any = [Some(Up), Some(Down), Some(Tie), None];
        for trend in any {
            assert_eq!(after(1.0, 3.0, 10.0, 100.0, trend), (11.0, 1.0, 3.0), "below alpha at its floor");
            assert_eq!(after(1.0, 3.0, 20.0, 125.0, trend), (19.0, 1.0, 3.0), "above beta, alpha at its floor");
            assert_eq!(after(3.0, 5.0, 40.0, 125.0, trend), (39.0, 2.0, 4.0), "above beta");
            assert_eq!(after(4.0, 6.0, 20.0, 125.0, trend), (20.0, 4.0, 6.0), "at alpha");
            assert_eq!(after(2.0, 4.0, 20.0, 125.0, trend), (20.0, 2.0, 4.0), "at beta");
        }
        assert_eq!(after(1.0, 3.0, 10.0, 125.0, Some(Up)), (11.0, 2.0, 4.0), "between, up");
        assert_eq!(after(1.0, 3.0, 10.0, 125.0, Some(Down)), (10.0, 1.0, 3.0), "between, down");
        assert_eq!(after(1.0, 3.0, 10.0, 125.0, Some(Tie)), (10.0, 1.0, 3.0), "between, a tie");
        assert_eq!(after(1.0, 3.0, 10.0, 125.0, None), (10.0, 1.0, 3.0), "between, the first round");
        assert_eq!(after(5.0, 7.0, 20.0, 125.0, Some(Up)), (21.0, 5.0, 7.0), "below alpha, up");
        assert_eq!(after(5.0, 7.0, 20.0, 125.0, Some(Down)), (19.0, 4.0, 6.0), "below alpha, down");
        assert_eq!(after(5.0, 7.0, 20.0, 125.0, Some(Tie)), (20.0, 5.0, 7.0), "below alpha, a tie");
        assert_eq!(after(1.0, 3.0, 2.0, 400.0, None), (2.0, 1.0, 3.0), "1.5 is between");
        assert_eq!(after(1.0, 3.0, 2.0, 100.0, None), (3.0, 1.0, 3.0), "the first round, below alpha");
        assert_eq!(after(1.0, 1.0, 2.0, 400.0, Some(Up)).0, 2.0, "never below two packets");
    }

    #[test]
    fn ties_go_up_and_down_as_often_as_asked() {
        let params = VegasAParams { tie_up_probability: 0.2, tie_down_probability: 0.1, ..VegasAParams::default() };
        let mut state = thresholds(params, 1.0, 3.0);
        let round = round(10.0, 125.0);
        state.remember(&round);
        let mut counts = [0_u32; 3];
        for _ in 0..10_000 {
            counts[state.trend(&round) as usize] += 1;
        }
        // Standard deviations 40 and 30: five of them.
        assert!(counts[0].abs_diff(2000) < 200 && counts[1].abs_diff(1000) < 150, "{counts:?}");
        // Within the tolerance it is a tie, beyond it is not.
        let mut certain = thresholds(certain(), 1.0, 3.0);
        certain.previous = Some(round.actual() * (1.0 + 0.9e-9));
        assert_eq!(certain.trend(&round), Trend::Tie);
        certain.previous = Some(round.actual() * (1.0 + 1.2e-9));
        assert_eq!(certain.trend(&round), Trend::Down);
    }

    #[test]
    fn a_loss_forgets_the_throughput_and_a_timeout_may_forget_the_thresholds() {
        for (reset_th_on_loss, reset_ab_on_rto) in [(true, false), (false, true)] {
            let params = VegasAParams { reset_th_on_loss, reset_ab_on_rto, ..certain() };
            let mut algorithm = VegasA::new(&params, Stream::new(1, "f", "vegas-a-ties"));
            algorithm.thresholds = thresholds(params, 5.0, 7.0);
            algorithm.thresholds.previous = Some(10.0);
            let mut window = Window { cwnd: 20_000.0, ssthresh: 2000.0 };
            algorithm.on_congestion(&Loss::of(1000.0, 1e9), &mut window);
            assert_eq!(algorithm.thresholds.previous.is_none(), reset_th_on_loss);
            assert_eq!(algorithm.thresholds.alpha, 5.0);
            algorithm.on_rto(&Loss::of(1000.0, 1e9), &mut window);
            assert_eq!(algorithm.thresholds.alpha, if reset_ab_on_rto { 1.0 } else { 5.0 });
        }
    }

    /// 10 packets: 0 waiting is below alpha, 2 are between alpha and beta, and the throughput rises.
    #[test]
    fn growth_at_the_floor_may_be_that_of_vegas_and_at_once_above_it() {
        let grown = |increase, rtt| {
            let mut state = thresholds(VegasAParams { increase, ..certain() }, 1.0, 3.0);
            state.previous = Some(1.0);
            let mut cwnd = 10.0;
            (state.avoid(&round(10.0, rtt), &mut cwnd), cwnd)
        };
        assert_eq!([100.0, 125.0].map(|rtt| grown(Increase::SpreadAtFloor, rtt)), [(0.1, 10.0), (0.0, 11.0)]);
        assert_eq!([100.0, 125.0].map(|rtt| grown(Increase::AtOnce, rtt)), [(0.0, 11.0), (0.0, 11.0)]);
        assert_eq!([100.0, 125.0].map(|rtt| grown(Increase::Spread, rtt)), [(0.1, 10.0), (0.1, 10.0)]);
    }

    #[test]
    fn spread_growth_is_one_packet_over_a_round() {
        let params = VegasAParams { increase: Increase::Spread, ..certain() };
        let mut cwnd = 10.0;
        assert_eq!(thresholds(params, 1.0, 3.0).avoid(&round(10.0, 100.0), &mut cwnd), 0.1);
        assert_eq!(cwnd, 10.0);
    }

    /// Throughput from 100 to 80 packets per second, 10 packets: 0.2 · 10 = 2, at most 1. Round trip from 124 to 125 ms:
    /// 10/124 = 0.0806.
    #[test]
    fn scaled_steps_can_only_be_smaller() {
        let up = |step: AbStep, previous: f64, previous_rtt: f64| {
            let mut state = thresholds(VegasAParams { step, ..certain() }, 1.0, 3.0);
            state.previous = Some(previous);
            state.previous_rtt = Some(previous_rtt);
            state.avoid(&round(10.0, 125.0), &mut 10.0);
            state.alpha
        };
        assert_eq!(up(AbStep::Unit, 79.0, 0.125), 2.0);
        assert_eq!(up(AbStep::Throughput, 64.0, 0.125), 2.0);
        assert!((up(AbStep::Throughput, 79.0, 0.125) - (1.0 + 10.0 / 79.0)).abs() < 1e-12);
        assert!((up(AbStep::Rtt, 64.0, 0.124) - (1.0 + 10.0 / 124.0)).abs() < 1e-12);
    }

    /// As above: 10/79 = 0.1266 by the throughput, 10/124 = 0.0806 by the round trip; five times as much, and at most 0.5.
    #[test]
    fn a_gain_multiplies_scaled_steps_up_to_the_largest() {
        let up = |step: AbStep, step_gain: f64, step_max: f64| {
            let mut state = thresholds(VegasAParams { step, step_gain, step_max, ..certain() }, 1.0, 3.0);
            state.previous = Some(79.0);
            state.previous_rtt = Some(0.124);
            state.avoid(&round(10.0, 125.0), &mut 10.0);
            (state.alpha, state.beta)
        };
        let near = |(alpha, beta): (f64, f64), step: f64| {
            assert!((alpha - 1.0 - step).abs() < 1e-12 && (beta - 3.0 - step).abs() < 1e-12, "{alpha} {beta} {step}");
        };
        near(up(AbStep::Throughput, 5.0, 1.0), 50.0 / 79.0);
        near(up(AbStep::Throughput, 5.0, 0.5), 0.5);
        near(up(AbStep::Throughput, 20.0, 3.0), 200.0 / 79.0);
        near(up(AbStep::Rtt, 5.0, 1.0), 50.0 / 124.0);
        near(up(AbStep::Unit, 5.0, 0.5), 1.0);
    }

    #[test]
    fn independent_thresholds_stay_apart_and_above_their_floors() {
        let coupling = AbCoupling::Independent { raise_alpha: 0.0, raise_beta: 2.0, lower_alpha: 1.0, lower_beta: 3.0 };
        let mut state = thresholds(VegasAParams { coupling, ..certain() }, 1.0, 3.0);
        state.previous = Some(1.0);
        state.avoid(&round(10.0, 125.0), &mut 10.0);
        assert_eq!((state.alpha, state.beta), (1.0, 5.0));
        state.avoid(&round(40.0, 125.0), &mut 40.0);
        assert_eq!((state.alpha, state.beta), (1.0, 2.0));
        state.avoid(&round(40.0, 125.0), &mut 40.0);
        assert_eq!((state.alpha, state.beta), (1.0, 2.0));
    }

    #[test]
    fn alpha_can_have_a_ceiling() {
        let mut state = thresholds(VegasAParams { alpha_max: Some(1.5), ..certain() }, 1.0, 3.0);
        state.previous = Some(1.0);
        state.avoid(&round(10.0, 125.0), &mut 10.0);
        assert_eq!((state.alpha, state.beta), (1.5, 3.5));
    }
}
