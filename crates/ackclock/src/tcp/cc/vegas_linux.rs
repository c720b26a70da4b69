//! Vegas as Linux has it: the shortest round trip of each round decides, slow start doubles in every round, and losses are
//! Reno's.
//! Source: Linux `tcp_vegas`, its behaviour as of 6.x, recalled; docs/models/congestion-control-vegas-linux.md.
//! Units: segments, picoseconds.

use super::reno::{CongestionAvoidance, Reno};
use super::vegas::thresholds_fit;
use super::{Ack, CongestionControl, Mechanism, Needs, Restart, Window};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::rng::Stream;

/// The window of Linux' Vegas.
#[derive(Clone, Debug)]
pub struct VegasLinux {
    params: VegasLinuxParams,
    /// Slow start, and rounds with too few samples.
    reno: Reno,
    /// The shortest round trip of the connection, and of this round.
    base: u64,
    shortest: u64,
    samples: u32,
    /// The round ends when this byte is acknowledged.
    end: u64,
}

/// The thresholds of Linux' Vegas, whole segments.
#[derive(Clone, Debug, PartialEq)]
pub struct VegasLinuxParams {
    /// With fewer the window grows.
    pub alpha: u32,
    /// With more it shrinks.
    pub beta: u32,
    /// With more slow start ends.
    pub gamma: u32,
}

impl std::default::Default for VegasLinuxParams {
    fn default() -> VegasLinuxParams {
        VegasLinux::default_params()
    }
}

impl Mechanism for VegasLinux {
    const NAME: &'static str = "vegas-linux";
    const ABOUT: &'static str =
        "Vegas of Linux: the shortest round trip of each round decides, and losses halve the window as in Reno.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("alpha", Kind::Integer(0, 1_000_000), Default::Is(Value::Integer(2)), "literature: Linux",
            "Segments in queues below which the window grows."),
        Key::new("beta", Kind::Integer(0, 1_000_000), Default::Is(Value::Integer(4)), "literature: Linux",
            "Segments in queues above which the window shrinks."),
        Key::new("gamma", Kind::Integer(0, 1_000_000), Default::Is(Value::Integer(1)), "literature: Linux",
            "Segments in queues above which slow start ends."),
    ];
    const NEEDS: Needs = Needs::ROUND_TRIPS;
    type Params = VegasLinuxParams;

    fn params(values: &Values) -> Result<VegasLinuxParams, Misfit> {
        let (alpha, beta) = (values.integer("alpha"), values.integer("beta"));
        thresholds_fit(alpha.into(), beta.into())?;
        Ok(VegasLinuxParams { alpha, beta, gamma: values.integer("gamma") })
    }

    fn start(params: &VegasLinuxParams, _draws: Stream) -> VegasLinux {
        VegasLinux::new(params)
    }
}

/// With fewer samples in a round a delayed acknowledgement could pass for a queue.
const LEAST_SAMPLES: u32 = 3;
const MIN_WINDOW: u64 = 2;

impl VegasLinux {
    /// The algorithm with the given thresholds.
    pub fn new(params: &VegasLinuxParams) -> VegasLinux {
        let reno = Reno::new(CongestionAvoidance::Float);
        VegasLinux { params: params.clone(), reno, base: u64::MAX, shortest: u64::MAX, samples: 0, end: 0 }
    }

    /// The end of a round with enough samples.
    fn decide(&mut self, ack: &Ack, window: &mut Window) {
        let VegasLinuxParams { alpha, beta, gamma } = self.params;
        let cwnd = (window.cwnd / ack.mss) as u64;
        let times = |a: u64, b: u64, c: u64| (u128::from(a) * u128::from(b) / u128::from(c)) as u64;
        let diff = times(cwnd, self.shortest - self.base, self.base);
        let in_slow_start = window.cwnd < window.ssthresh;
        let mut set = |segments: u64| window.cwnd = segments.max(MIN_WINDOW) as f64 * ack.mss;
        if in_slow_start && diff > u64::from(gamma) {
            set(cwnd.min(times(cwnd, self.base, self.shortest) + 1));
            window.ssthresh = window.ssthresh.min(window.cwnd);
        } else if in_slow_start {
            self.reno.on_ack(ack, window);
        } else if diff > u64::from(beta) {
            set(cwnd - 1);
            window.ssthresh = window.ssthresh.min(window.cwnd);
        } else if diff < u64::from(alpha) {
            set(cwnd + 1);
        }
    }
}

impl CongestionControl for VegasLinux {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        let measured = ack.measured();
        if let Some(rtt) = measured.rtt {
            // Never zero.
            let rtt = rtt.as_ps().max(1);
            self.base = self.base.min(rtt);
            self.shortest = self.shortest.min(rtt);
            self.samples += 1;
        }
        if measured.una > self.end {
            self.end = measured.nxt;
            if self.samples < LEAST_SAMPLES {
                self.reno.on_ack(ack, window);
            } else {
                self.decide(ack, window);
            }
            self.samples = 0;
            self.shortest = u64::MAX;
        } else if window.cwnd < window.ssthresh {
            self.reno.on_ack(ack, window);
        }
        window.cwnd = window.cwnd.min(ack.limit);
    }

    /// After a pause the path may be another: the base round trip is measured anew.
    fn on_restart(&mut self, restart: &Restart) {
        (self.base, self.shortest, self.samples, self.end) = (u64::MAX, u64::MAX, 0, restart.nxt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::cc::Loss;
    use crate::tcp::cc::Measured;
    use crate::units::Span;

    const MSS: f64 = 1000.0;

    /// The window after a round of `cwnd` segments whose shortest round trip was `rtt` ms, base 100 ms.
    fn after(cwnd: f64, ssthresh: f64, rtt: u64, samples: u32) -> (f64, f64) {
        let mut algorithm = VegasLinux::new(&VegasLinuxParams::default());
        let ms = |ms: u64| Span::from_ms(ms).as_ps();
        (algorithm.base, algorithm.shortest, algorithm.samples) = (ms(100), ms(rtt), samples - 1);
        let mut window = Window { cwnd: cwnd * MSS, ssthresh: ssthresh * MSS };
        let ack = Ack::of(MSS, 1e9).with(Measured {
            una: 1000,
            nxt: 20_000,
            rtt: Some(Span::from_ms(900)),
            ..Measured::default()
        });
        algorithm.on_ack(&ack, &mut window);
        assert_eq!((algorithm.samples, algorithm.end), (0, 20_000));
        (window.cwnd / MSS, window.ssthresh / MSS)
    }

    /// diff = ⌊W (r − b)/b⌋, alpha 2, beta 4: ten segments.
    #[test]
    fn the_decision_table() {
        assert_eq!(after(10.0, 2.0, 119, 3), (11.0, 2.0), "1.9 is 1");
        assert_eq!(after(10.0, 2.0, 120, 3), (10.0, 2.0), "at alpha");
        assert_eq!(after(10.0, 2.0, 149, 3), (10.0, 2.0), "4.9 is 4, at beta");
        assert_eq!(
            after(10.0, 20.0, 110, 3),
            (11.0, 20.0),
            "slow start, at gamma: one segment for this acknowledgement"
        );
        assert_eq!(after(10.0, 20.0, 125, 3), (9.0, 9.0), "slow start ends: 10 · 100/125 + 1");
        assert_eq!(after(10.0, 9.5, 150, 3), (9.0, 9.0), "beyond beta, and ssthresh follows");
        assert_eq!(after(2.0, 2.0, 900, 3), (2.0, 2.0), "never below two");
    }

    #[test]
    fn a_round_with_two_samples_is_renos() {
        assert_eq!(after(10.0, 2.0, 900, 2), (10.1, 2.0));
    }

    #[test]
    fn a_loss_halves() {
        let mut window = Window { cwnd: 10.0 * MSS, ssthresh: 0.0 };
        VegasLinux::new(&VegasLinuxParams::default()).on_congestion(&Loss::of(MSS, 1e9), &mut window);
        assert_eq!(window.ssthresh, 5.0 * MSS);
    }
}
