//! Slow start, congestion avoidance and halving, in three arithmetics.
//! Sources: [Jac88]; [SACK-UBR] §2.1, §7.2; docs/models/congestion-control-reno.md.   Units: bytes.

use super::{Ack, CongestionControl, Loss, Mechanism, Window};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::rng::Stream;

/// The window of Tahoe and Reno.
#[derive(Clone, Debug)]
pub struct Reno {
    arithmetic: CongestionAvoidance,
    /// Acknowledgements not yet turned into growth (`AckCounting`).
    counted_acks: f64,
    /// Bytes acknowledged and not yet turned into growth (`ByteCounting`).
    counted_bytes: f64,
}

/// The arithmetic of `cwnd += mss * mss / cwnd`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionAvoidance {
    /// Integer division: the window stops growing beyond mss² bytes [SACK-UBR §7.2].
    Integer,
    /// Integers, but acknowledgements are counted until they are worth at least a byte.
    AckCounting,
    /// Floating point.
    Float,
    /// Acknowledged bytes are counted: a segment per window of them; in slow start no more than a segment per
    /// acknowledgement (RFC 5681 §3.1).
    ByteCounting,
}

impl std::default::Default for CongestionAvoidance {
    fn default() -> CongestionAvoidance {
        Reno::default_params()
    }
}

impl Mechanism for Reno {
    const NAME: &'static str = "reno";
    const ABOUT: &'static str = "Slow start, growth by a segment per round trip, half the window at a loss.";
    const KEYS: &'static [Key] = &[Key::new(
        "congestion_avoidance",
        Kind::Word(&["integer", "ack-counting", "float", "bytes"]),
        Default::Is(Value::Word("ack-counting")),
        "[SACK-UBR] §7.2; inferred",
        "Arithmetic of the growth by one segment per round trip; bytes counts acknowledged bytes (RFC 5681).",
    )];
    const ABE: Option<f64> = Some(0.8);
    type Params = CongestionAvoidance;

    fn params(values: &Values) -> Result<CongestionAvoidance, Misfit> {
        let arithmetics = [
            ("integer", CongestionAvoidance::Integer),
            ("ack-counting", CongestionAvoidance::AckCounting),
            ("float", CongestionAvoidance::Float),
            ("bytes", CongestionAvoidance::ByteCounting),
        ];
        Ok(values.choice("congestion_avoidance", &arithmetics))
    }

    fn start(params: &CongestionAvoidance, _draws: Stream) -> Reno {
        Reno::new(*params)
    }
}

impl Reno {
    /// The algorithm with the given arithmetic.
    pub fn new(arithmetic: CongestionAvoidance) -> Reno {
        Reno { arithmetic, counted_acks: 0.0, counted_bytes: 0.0 }
    }

    /// The growth of one acknowledgement of so many bytes in congestion avoidance: about mss²/cwnd.
    fn increment(&mut self, mss: f64, acked: f64, cwnd: f64) -> f64 {
        match self.arithmetic {
            // Zero beyond cwnd = mss²: with 512-byte segments the window stops at 262 144 bytes.
            CongestionAvoidance::Integer => whole(mss * mss / cwnd),
            CongestionAvoidance::Float => mss * mss / cwnd,
            CongestionAvoidance::ByteCounting => {
                self.counted_bytes += acked;
                if self.counted_bytes < cwnd {
                    return 0.0;
                }
                self.counted_bytes -= cwnd;
                mss
            }
            CongestionAvoidance::AckCounting => {
                self.counted_acks += 1.0;
                let worth = self.counted_acks * mss * mss;
                if worth <= cwnd {
                    return 0.0;
                }
                self.counted_acks = 0.0;
                whole(worth / cwnd)
            }
        }
    }
}

/// The floor of a number of bytes that a window grows by, which is less than 2^32. Unlike `floor` this is no call into a
/// library on any machine.
fn whole(x: f64) -> f64 {
    f64::from(x as u32)
}

impl CongestionControl for Reno {
    #[inline]
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        let growth = if window.cwnd < window.ssthresh {
            match self.arithmetic {
                CongestionAvoidance::ByteCounting => ack.acked.min(ack.mss),
                _ => ack.mss,
            }
        } else {
            self.increment(ack.mss, ack.acked, window.cwnd)
        };
        let grown = window.cwnd + growth;
        window.cwnd = if grown < ack.limit { grown } else { ack.limit };
    }

    fn on_congestion(&mut self, loss: &Loss, window: &mut Window) {
        window.ssthresh = loss.halved(window);
        self.counted_acks = 0.0;
        self.counted_bytes = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACK: Ack = Ack::of(512.0, 600_000.0);

    fn grown(arithmetic: CongestionAvoidance, cwnd: f64, acks: u32) -> f64 {
        let mut window = Window { cwnd, ssthresh: 1024.0 };
        let mut reno = Reno::new(arithmetic);
        for _ in 0..acks {
            reno.on_ack(&ACK, &mut window);
        }
        window.cwnd
    }

    #[test]
    fn slow_start_adds_a_segment_per_acknowledgement_up_to_the_receiver_window() {
        let mut window = Window { cwnd: 512.0, ssthresh: 65_535.0 };
        let mut reno = Reno::new(CongestionAvoidance::Integer);
        reno.on_ack(&ACK, &mut window);
        assert_eq!(window.cwnd, 1024.0);
        reno.on_ack(&Ack { limit: 1100.0, ..ACK }, &mut window);
        assert_eq!(window.cwnd, 1100.0);
    }

    /// [SACK-UBR] §7.2: 512² = 262 144; at that window the increment is 1 byte, beyond it 0.
    #[test]
    fn integer_arithmetic_stops_beyond_the_square_of_the_segment_size() {
        assert_eq!(grown(CongestionAvoidance::Integer, 262_144.0, 1), 262_145.0);
        assert_eq!(grown(CongestionAvoidance::Integer, 262_145.0, 1), 262_145.0);
        assert_eq!(grown(CongestionAvoidance::Integer, 512.0 * 100.0, 1), 51_205.0, "262144/51200 = 5.12");
    }

    #[test]
    fn ack_counting_grows_past_the_trap() {
        // 300 000 / 262 144 = 1.14: the second acknowledgement exceeds it; 2·262144/300000 = 1.7, 1 byte.
        assert_eq!(grown(CongestionAvoidance::AckCounting, 300_000.0, 1), 300_000.0);
        assert_eq!(grown(CongestionAvoidance::AckCounting, 300_000.0, 2), 300_001.0);
        // Exactly mss²: one acknowledgement is worth the window but not more, so two count: 2 bytes.
        assert_eq!(grown(CongestionAvoidance::AckCounting, 262_144.0, 2), 262_146.0);
    }

    /// RFC 5681 §3.1: an acknowledgement of two segments counts for both, in slow start for one. 10 segments: 5 such
    /// acknowledgements are a window.
    #[test]
    fn byte_counting_makes_up_for_delayed_acknowledgements() {
        let mut reno = Reno::new(CongestionAvoidance::ByteCounting);
        let mut window = Window { cwnd: 5120.0, ssthresh: 5120.0 };
        for expected in [5120.0, 5120.0, 5120.0, 5120.0, 5632.0, 5632.0] {
            reno.on_ack(&Ack { acked: 1024.0, ..ACK }, &mut window);
            assert_eq!(window.cwnd, expected);
        }
        let mut window = Window { cwnd: 1024.0, ssthresh: 5120.0 };
        reno.on_ack(&Ack { acked: 1024.0, ..ACK }, &mut window);
        reno.on_ack(&Ack { acked: 100.0, ..ACK }, &mut window);
        assert_eq!(window.cwnd, 1024.0 + 512.0 + 100.0);
    }

    #[test]
    fn floating_point_grows_about_a_segment_per_window() {
        // 100 acknowledgements from 100 segments: +1 segment, less the slope's fall.
        let segments = grown(CongestionAvoidance::Float, 51_200.0, 100) / 512.0;
        assert!((100.99..101.0).contains(&segments), "{segments}");
    }

    #[test]
    fn halving_floors_to_whole_segments_and_stops_at_two() {
        let halved = |cwnd: f64, limit: f64| {
            let mut window = Window { cwnd, ssthresh: 0.0 };
            Reno::new(CongestionAvoidance::Integer).on_congestion(&Loss::of(512.0, limit), &mut window);
            window.ssthresh / 512.0
        };
        assert_eq!(halved(512.0 * 33.0, 1e9), 16.0);
        assert_eq!(halved(512.0 * 33.0, 512.0 * 10.0), 5.0, "the receiver window counts if it is smaller");
        assert_eq!(halved(512.0, 1e9), 2.0);
    }

    #[test]
    fn a_timeout_starts_over_from_one_segment() {
        let mut window = Window { cwnd: 512.0 * 20.0, ssthresh: 65_535.0 };
        Reno::new(CongestionAvoidance::Integer).on_rto(&Loss::of(512.0, 1e9), &mut window);
        assert_eq!((window.cwnd, window.ssthresh), (512.0, 5120.0));
    }
}
