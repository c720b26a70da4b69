//! TCP-Illinois: losses decide when the window falls, the average queueing delay decides by how much it falls and how fast it rises. A
//! short queue makes it grow by many segments in a round trip, a long one by a part of one.
//! Sources: \[LBS08\] §3, equations (1), (2), (4) and §4.1; Linux `tcp_illinois` where it differs, its behaviour as of 6.x;
//! docs/models/congestion-control-illinois.md.   Units: segments, seconds.

use super::{Ack, CongestionControl, Loss, Mechanism, Needs, Restart, Window};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::rng::Stream;

/// The window of TCP-Illinois.
#[derive(Clone, Debug)]
pub struct Illinois {
    params: IllinoisParams,
    /// T_min and T_max: the shortest and the longest round trip of the connection; none yet: infinite, and 0.
    shortest_s: f64,
    longest_s: f64,
    /// The round trips of this round: their sum, and how many they are.
    sum_s: f64,
    samples: u32,
    /// The round ends when this byte is acknowledged.
    end: u64,
    /// What is in force in this round.
    alpha: f64,
    beta: f64,
    /// Whether the average delay has exceeded its lowest threshold since alpha was at its maximum, and for how many rounds it has not
    /// since then.
    was_above: bool,
    rounds_below: u32,
}

/// The parameters of TCP-Illinois.
#[derive(Clone, Debug, PartialEq)]
pub struct IllinoisParams {
    /// α_min: segments that a round trip adds when the queue is longest.
    pub alpha_min: f64,
    /// α_max: segments that a round trip adds while the queue is short.
    pub alpha_max: f64,
    /// β_min: the part of the window that a loss takes while the queue is short.
    pub beta_min: f64,
    /// β_max: the part of the window that a loss takes when the queue is longest.
    pub beta_max: f64,
    /// W_thresh: below so many segments it is Reno.
    pub window_threshold: f64,
    /// θ: after so many rounds with a short queue alpha is at its maximum again.
    pub theta: u32,
}

impl Mechanism for Illinois {
    const NAME: &'static str = "illinois";
    const ABOUT: &'static str =
        "TCP-Illinois: the longer the queueing delay, the slower the window grows and the more a loss takes.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("alpha_min", Kind::Number(1000.0), Default::Is(Value::Number(0.3)), "[LBS08] §4.1; Linux",
            "Segments by which the window grows in a round trip when the queue is longest."),
        Key::new("alpha_max", Kind::Number(1000.0), Default::Is(Value::Number(10.0)), "[LBS08] §4.1; Linux",
            "Segments by which the window grows in a round trip while the queue is short."),
        Key::new("beta_min", Kind::Share, Default::Is(Value::Number(0.125)), "[LBS08] §4.1; Linux",
            "The part of the window that a loss takes while the queue is short."),
        Key::new("beta_max", Kind::Share, Default::Is(Value::Number(0.5)), "[LBS08] §4.1; Linux",
            "The part of the window that a loss takes when the queue is longest."),
        Key::new("window_threshold", Kind::Integer(0, 1_000_000), Default::Is(Value::Integer(15)), "[LBS08] §4.1; Linux",
            "Segments below which the window grows and falls as in Reno."),
        Key::new("theta", Kind::Integer(1, 1000), Default::Is(Value::Integer(5)), "[LBS08] §4.1; Linux",
            "Round trips with a short queue after which the window grows at its maximum again."),
    ];
    const NEEDS: Needs = Needs::ROUND_TRIPS;
    type Params = IllinoisParams;

    fn params(values: &Values) -> Result<IllinoisParams, Misfit> {
        let params = IllinoisParams {
            alpha_min: values.number("alpha_min"),
            alpha_max: values.number("alpha_max"),
            beta_min: values.number("beta_min"),
            beta_max: values.number("beta_max"),
            window_threshold: f64::from(values.integer("window_threshold")),
            theta: values.integer("theta"),
        };
        if params.alpha_min > params.alpha_max {
            return Err(exchanged(&["alpha_min", "alpha_max"]));
        }
        if params.beta_min > params.beta_max {
            return Err(exchanged(&["beta_min", "beta_max"]));
        }
        Ok(params)
    }

    fn start(params: &IllinoisParams, _draws: Stream) -> Illinois {
        Illinois {
            params: params.clone(),
            shortest_s: f64::INFINITY,
            longest_s: 0.0,
            sum_s: 0.0,
            samples: 0,
            end: 0,
            // Linux: at its maximum in the first round.
            alpha: params.alpha_max,
            beta: params.beta_max,
            was_above: false,
            rounds_below: 0,
        }
    }
}

fn exchanged(keys: &'static [&'static str]) -> Misfit {
    Misfit {
        keys,
        problem: format!("`{}` of illinois is more than `{}`", keys[0], keys[1]),
        expected: "the smaller of both must not be more than the larger",
    }
}

/// η1, η2, η3: thresholds of the average delay, as parts of the longest (\[LBS08\] §4.1).
const LOWEST: f64 = 0.01;
const LOW: f64 = 0.1;
const HIGH: f64 = 0.8;
/// α and β that make it Reno.
const ALPHA_BASE: f64 = 1.0;
const BETA_BASE: f64 = 0.5;

impl Illinois {
    /// The end of a round: what is in force in the next one.
    fn update(&mut self, window_segments: f64) {
        if window_segments < self.params.window_threshold {
            (self.alpha, self.beta) = (ALPHA_BASE, BETA_BASE);
        } else if self.samples > 0 {
            let average = self.sum_s / f64::from(self.samples) - self.shortest_s;
            let longest = self.longest_s - self.shortest_s;
            self.alpha = self.alpha_for(average, longest);
            self.beta = self.beta_for(average, longest);
        }
        (self.sum_s, self.samples) = (0.0, 0);
    }

    /// Equation (1): α_max up to d1, then κ1/(κ2 + d_a), which is α_min at d_m. §4.1: after a longer delay α_max only after θ rounds.
    fn alpha_for(&mut self, average: f64, longest: f64) -> f64 {
        let IllinoisParams { alpha_min, alpha_max, theta, .. } = self.params;
        let lowest = LOWEST * longest;
        if average <= lowest {
            if self.was_above {
                self.rounds_below += 1;
                if self.rounds_below < theta {
                    return self.alpha;
                }
            }
            (self.was_above, self.rounds_below) = (false, 0);
            return alpha_max;
        }
        self.was_above = true;
        let (longest, average) = (longest - lowest, average - lowest);
        longest * alpha_max / (longest + average * (alpha_max - alpha_min) / alpha_min)
    }

    /// Equation (2): a line from β_min at d2 to β_max at d3.
    fn beta_for(&self, average: f64, longest: f64) -> f64 {
        let IllinoisParams { beta_min, beta_max, .. } = self.params;
        let (low, high) = (LOW * longest, HIGH * longest);
        if average <= low {
            beta_min
        } else if average >= high {
            beta_max
        } else {
            beta_min + (beta_max - beta_min) * (average - low) / (high - low)
        }
    }
}

impl CongestionControl for Illinois {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        let measured = *ack.measured();
        if let Some(rtt) = measured.rtt {
            let rtt = rtt.as_secs_f64();
            self.shortest_s = self.shortest_s.min(rtt);
            self.longest_s = self.longest_s.max(rtt);
            self.sum_s += rtt;
            self.samples += 1;
        }
        if measured.una > self.end {
            self.update(window.cwnd / ack.mss);
            self.end = measured.nxt;
        }
        // As in Linux: a window that is not used does not grow.
        if !measured.window_limited {
            return;
        }
        window.cwnd += match window.cwnd < window.ssthresh {
            true => ack.acked.min(ack.mss),
            false => self.alpha * ack.mss * ack.acked / window.cwnd,
        };
        window.cwnd = window.cwnd.min(ack.limit);
    }

    /// Linux: at least two segments are left.
    fn on_congestion(&mut self, loss: &Loss, window: &mut Window) {
        window.ssthresh = ((1.0 - self.beta) * loss.used(window)).max(2.0 * loss.mss);
    }

    /// Linux: Reno's parameters until the end of the next round.
    fn on_rto(&mut self, loss: &Loss, window: &mut Window) {
        self.on_congestion(loss, window);
        window.cwnd = loss.mss;
        (self.alpha, self.beta) = (ALPHA_BASE, BETA_BASE);
        (self.was_above, self.rounds_below) = (false, 0);
        (self.sum_s, self.samples) = (0.0, 0);
    }

    /// After a pause the path may be another: its delays are measured anew.
    fn on_restart(&mut self, restart: &Restart) {
        (self.shortest_s, self.longest_s) = (f64::INFINITY, 0.0);
        (self.sum_s, self.samples, self.end) = (0.0, 0, restart.nxt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::cc::Measured;
    use crate::units::Span;

    const MSS: f64 = 1000.0;

    /// Round trips from 100 to 200 ms were seen: a queue of at most 100 ms.
    fn illinois() -> Illinois {
        Illinois {
            shortest_s: 0.1,
            longest_s: 0.2,
            ..Illinois::start(&Illinois::default_params(), Stream::new(0, "", ""))
        }
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
    }

    /// α(d_a) = 10 up to 1 ms, then falls so that it is 0.3 at 100 ms: at 50.5 ms, half of the way, 10/(1 + 0.5 · 9.7/0.3) = 0.583.
    #[test]
    fn growth_falls_with_the_delay() {
        let mut illinois = illinois();
        near(illinois.alpha_for(0.001, 0.1), 10.0);
        near(illinois.alpha_for(0.0505, 0.1), 10.0 / (1.0 + 0.5 * 9.7 / 0.3));
        near(illinois.alpha_for(0.1, 0.1), 0.3);
    }

    #[test]
    fn after_a_queue_growth_is_at_its_maximum_after_five_rounds_without_one() {
        let mut illinois = illinois();
        illinois.alpha = illinois.alpha_for(0.1, 0.1);
        for _ in 0..4 {
            illinois.alpha = illinois.alpha_for(0.0, 0.1);
            near(illinois.alpha, 0.3);
        }
        near(illinois.alpha_for(0.0, 0.1), 10.0);
        near(illinois.alpha_for(0.0, 0.1), 10.0);
    }

    /// β(d_a): 1/8 up to 10 ms, 1/2 from 80 ms, in the middle 5/16.
    #[test]
    fn a_loss_takes_more_the_longer_the_delay() {
        let illinois = illinois();
        for (average, beta) in [(0.01, 0.125), (0.045, 0.3125), (0.08, 0.5), (0.1, 0.5)] {
            near(illinois.beta_for(average, 0.1), beta);
        }
        let mut window = Window { cwnd: 80.0 * MSS, ssthresh: 1e9 };
        let mut illinois = Illinois { beta: 0.125, ..illinois };
        illinois.on_congestion(&Loss::of(MSS, 1e9), &mut window);
        near(window.ssthresh, 70.0 * MSS);
        illinois.on_rto(&Loss::of(MSS, 1e9), &mut window);
        assert_eq!((window.cwnd, illinois.alpha, illinois.beta), (MSS, 1.0, 0.5));
    }

    /// A window of acknowledgements of such round trips; the growth in segments.
    fn round(illinois: &mut Illinois, window: &mut Window, ms: u64) -> f64 {
        let (before, segments) = (window.cwnd, (window.cwnd / MSS) as u64);
        for _ in 0..segments {
            let una = illinois.end;
            let measured = Measured { rtt: Some(Span::from_ms(ms)), una, nxt: una, ..Measured::default() };
            illinois.on_ack(&Ack::of(MSS, 1e9).with(measured), window);
        }
        illinois.update(window.cwnd / MSS);
        (window.cwnd - before) / MSS
    }

    #[test]
    fn a_round_decides_about_the_next() {
        let mut illinois = illinois();
        let mut window = Window { cwnd: 100.0 * MSS, ssthresh: MSS };
        let first = round(&mut illinois, &mut window, 200);
        assert!((9.5..10.0).contains(&first), "{first}: at its maximum at first");
        let second = round(&mut illinois, &mut window, 100);
        assert!((0.29..0.3).contains(&second), "{second}: the round before had the longest delay");
        near(illinois.beta, 0.125);
    }

    #[test]
    fn a_small_window_is_renos_and_an_unused_one_does_not_grow() {
        let mut illinois = illinois();
        let mut window = Window { cwnd: 14.0 * MSS, ssthresh: MSS };
        illinois.update(14.0);
        assert_eq!((illinois.alpha, illinois.beta), (1.0, 0.5));
        illinois
            .on_ack(&Ack::of(MSS, 1e9).with(Measured { window_limited: false, ..Measured::default() }), &mut window);
        assert_eq!(window.cwnd, 14.0 * MSS);
        let mut window = Window { cwnd: 2.0 * MSS, ssthresh: 10.0 * MSS };
        illinois.on_ack(&Ack::of(MSS, 1e9).with(Measured::default()), &mut window);
        assert_eq!(window.cwnd, 3.0 * MSS, "slow start");
    }
}
