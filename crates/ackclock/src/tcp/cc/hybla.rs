//! TCP Hybla: a connection with a long round trip sends in a time as much as one with the reference round trip would. Its
//! window grows faster by the ratio ρ of both, and is larger by that ratio.
//! Sources: \[CF04\] §3, equations (2), (6) and (9); docs/models/congestion-control-hybla.md.   Units: segments, seconds.

use super::{Ack, CongestionControl, Mechanism, Needs, Window};
use crate::exact::power_of_two;
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::rng::Stream;
use crate::units::Span;

/// The window of Hybla. Losses are Reno's.
#[derive(Clone, Debug)]
pub struct Hybla {
    rtt0: Span,
    /// The shortest round trip so far: the queue that the connection itself fills is to make it no faster.
    shortest: Option<Span>,
    /// ρ² and 2^ρ − 1 of that.
    rho_squared: f64,
    doubling: f64,
}

/// The choice of Hybla.
#[derive(Clone, Debug, PartialEq)]
pub struct HyblaParams {
    /// RTT0: the round trip of the connection that others are to be as fast as.
    pub rtt0: Span,
}

impl Mechanism for Hybla {
    const NAME: &'static str = "hybla";
    const ABOUT: &'static str =
        "Hybla: the window grows as fast in time as that of a connection with a short round trip.";
    const KEYS: &'static [Key] = &[Key::new(
        "rtt0",
        Kind::time(Span::from_us(1), Span::from_secs(3600)),
        Default::Is(Value::time(Span::from_ms(25))),
        "[CF04] §3",
        "RTT0: the round trip with which the window grows as in Reno; with a longer one it grows faster.",
    )];
    const NEEDS: Needs = Needs::ROUND_TRIPS;
    type Params = HyblaParams;

    fn params(values: &Values) -> Result<HyblaParams, Misfit> {
        Ok(HyblaParams { rtt0: values.time("rtt0") })
    }

    fn start(params: &HyblaParams, _draws: Stream) -> Hybla {
        Hybla { rtt0: params.rtt0, shortest: None, rho_squared: 1.0, doubling: 1.0 }
    }
}

impl Hybla {
    /// ρ = max(RTT/RTT0, 1), equation (2) with its floor, whenever a round trip is the shortest.
    fn sample(&mut self, rtt: Span) {
        if self.shortest.is_some_and(|shortest| shortest <= rtt) {
            return;
        }
        self.shortest = Some(rtt);
        let rho = (rtt.as_secs_f64() / self.rtt0.as_secs_f64()).max(1.0);
        self.rho_squared = rho * rho;
        self.doubling = power_of_two(rho) - 1.0;
    }
}

impl CongestionControl for Hybla {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        let measured = ack.measured();
        if let Some(rtt) = measured.rtt {
            self.sample(rtt);
        }
        // As in Linux: a window that is not used does not grow.
        if !measured.window_limited {
            return;
        }
        window.cwnd = if window.cwnd < window.ssthresh {
            // Equation (6), slow start, which stops at ssthresh: one step may be thousands of segments.
            (window.cwnd + self.doubling * ack.mss).min(window.ssthresh)
        } else {
            // Equation (9), congestion avoidance.
            window.cwnd + self.rho_squared * ack.mss * ack.mss / window.cwnd
        };
        window.cwnd = window.cwnd.min(ack.limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::cc::{Loss, Measured};

    const MSS: f64 = 1000.0;

    fn hybla() -> Hybla {
        Hybla::start(&Hybla::default_params(), Stream::new(0, "", ""))
    }

    fn grown(hybla: &mut Hybla, ms: u64, cwnd: f64, ssthresh: f64) -> f64 {
        let mut window = Window { cwnd: cwnd * MSS, ssthresh: ssthresh * MSS };
        hybla.on_ack(
            &Ack::of(MSS, 1e9).with(Measured { rtt: Some(Span::from_ms(ms)), ..Measured::default() }),
            &mut window,
        );
        window.cwnd / MSS
    }

    /// 100 ms over 25 ms: ρ = 4, 2⁴ − 1 = 15. 62.5 ms: ρ = 2.5, 2^2.5 − 1 = 4.657.
    #[test]
    fn slow_start_adds_two_to_the_ratio_less_one_up_to_ssthresh() {
        assert!((grown(&mut hybla(), 100, 1.0, 1e6) - 16.0).abs() < 1e-9);
        let mut hybla = hybla();
        hybla.sample(Span::from_us(62_500));
        assert!((grown(&mut hybla, 70, 1.0, 1e6) - 5.656_854_249_492).abs() < 1e-9, "5.657 = 1 + 4.657");
        assert_eq!(grown(&mut hybla, 70, 1.0, 3.0), 3.0);
    }

    /// ρ = 4: 16/W per acknowledgement, sixteen segments per round trip, where Reno adds one.
    #[test]
    fn congestion_avoidance_adds_the_square_of_the_ratio_per_round_trip() {
        let mut hybla = hybla();
        let mut window = Window { cwnd: 400.0 * MSS, ssthresh: MSS };
        for _ in 0..400 {
            hybla.on_ack(
                &Ack::of(MSS, 1e9).with(Measured { rtt: Some(Span::from_ms(100)), ..Measured::default() }),
                &mut window,
            );
        }
        let grown = window.cwnd / MSS - 400.0;
        assert!((15.6..16.0).contains(&grown), "{grown}: 16, less what the slope falls");
    }

    #[test]
    fn with_a_round_trip_below_the_reference_it_is_reno() {
        assert_eq!(grown(&mut hybla(), 25, 1.0, 1e6), 2.0);
        assert_eq!(grown(&mut hybla(), 5, 1.0, 1e6), 2.0);
        assert_eq!(grown(&mut hybla(), 5, 100.0, 1.0), 100.01);
    }

    /// 100 ms and then 200 ms of which 100 are a queue: ρ stays 4. A shorter path lowers it to 2.
    #[test]
    fn the_shortest_round_trip_decides() {
        let mut hybla = hybla();
        for (ms, expected) in [(100, 16.0), (200, 16.0), (50, 4.0)] {
            assert!((grown(&mut hybla, ms, 1.0, 1e6) - expected).abs() < 1e-9, "{ms}");
        }
    }

    #[test]
    fn an_unused_window_does_not_grow_and_losses_halve_it() {
        let mut hybla = hybla();
        let mut window = Window { cwnd: 40.0 * MSS, ssthresh: MSS };
        hybla.on_ack(&Ack::of(MSS, 1e9).with(Measured { window_limited: false, ..Measured::default() }), &mut window);
        assert_eq!(window.cwnd, 40.0 * MSS);
        hybla.on_congestion(&Loss::of(MSS, 1e9), &mut window);
        assert_eq!(window.ssthresh, 20.0 * MSS);
        hybla.on_rto(&Loss::of(MSS, 1e9), &mut window);
        assert_eq!(window.cwnd, MSS);
    }
}
