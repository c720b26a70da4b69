//! TCP Vegas as it was published: once per round trip the rate expected of an empty path is compared with the actual one,
//! and the difference decides, in slow start of every other round trip.
//! Source: [BP95] §III.B (congestion avoidance) and §III.C (slow start); where the paper gives no number, the choice and its
//! source are in docs/models/congestion-control-vegas-1995.md.   Units: packets, seconds.

use super::vegas::reroute_detect::RerouteDetect;
use super::vegas::round::{MIN_WINDOW, Round};
use super::vegas::{VegasParams, reduced, start_over};
use super::{Ack, CongestionControl, Loss, Mechanism, Needs, UsualRecovery, Window};
use crate::keys::{Key, Misfit, Values};
use crate::rng::Stream;

/// The window of Vegas as published.
#[derive(Clone, Debug)]
pub struct Vegas1995 {
    params: VegasParams,
    /// WindowSize. In packets: bytes would round a growth by 1/cwnd otherwise.
    cwnd: f64,
    /// The window in bytes when it was last written here: recovery may have written another.
    written: f64,
    /// BaseRTT: the shortest round trip of all; infinite before the first.
    base: f64,
    /// The first byte of the distinguished segment, whose round trip is the one that counts.
    distinguished: u64,
    /// Growth per acknowledgement in this round trip.
    increment: f64,
    /// Slow start grows in every other round trip.
    grows: bool,
    /// Looks for changes of route, if it is to.
    reroute: Option<RerouteDetect>,
}

impl Mechanism for Vegas1995 {
    const NAME: &'static str = "vegas-1995";
    const ABOUT: &'static str =
        "Vegas as published: one segment per round trip gives the rate, which is compared with that of an empty path.";
    const KEYS: &'static [Key] = &VegasParams::KEYS;
    const NEEDS: Needs = Needs::ROUND_TRIPS;
    const USUAL_RECOVERY: Option<UsualRecovery> =
        Some(UsualRecovery { name: "vegas-1995", source: "[BP95] §III.A: part of Vegas", instead_of_sack: None });
    const HAS_FINE_TIMEOUTS: bool = true;
    type Params = VegasParams;

    fn params(values: &Values) -> Result<VegasParams, Misfit> {
        VegasParams::read(values)
    }

    fn start(params: &VegasParams, _draws: Stream) -> Vegas1995 {
        Vegas1995::new(params)
    }
}

impl Vegas1995 {
    /// The algorithm with the given thresholds.
    pub fn new(params: &VegasParams) -> Vegas1995 {
        Vegas1995 {
            params: params.clone(),
            cwnd: 0.0,
            written: -1.0,
            base: f64::INFINITY,
            distinguished: 0,
            increment: 0.0,
            grows: true,
            reroute: params.reroute.as_ref().map(|reroute| RerouteDetect::new(reroute, params.beta)),
        }
    }

    /// The distinguished segment is acknowledged, after `rtt` if it was sent once: decides about the next round trip, whose
    /// distinguished segment is the next to be sent.
    fn end_round(&mut self, ack: &Ack, rtt: Option<f64>, window: &mut Window) {
        let nxt = ack.measured().nxt;
        let sent = (nxt - self.distinguished) as f64 / ack.mss;
        self.distinguished = nxt;
        self.increment = 0.0;
        // Without a sample there is nothing to compare: the window rests.
        let Some(rtt) = rtt else { return };
        // WindowSize stands for what is in flight.
        let round = Round { sent, in_flight: self.cwnd, rtt, base: self.base };
        if self.cwnd * ack.mss < window.ssthresh {
            self.slow_start(&round, ack.mss, window);
        } else {
            self.avoid(&round);
        }
        if let Some(reroute) = &mut self.reroute {
            reroute.on_round(&round);
        }
    }

    /// §III.C. The round trips in between have a constant window, so that the comparison is valid.
    fn slow_start(&mut self, round: &Round, mss: f64, window: &mut Window) {
        self.grows = !self.grows;
        if !self.grows {
            return;
        }
        if round.diff() > self.params.gamma {
            window.ssthresh = MIN_WINDOW * mss; // the linear mode, from here on
        } else {
            self.increment = 1.0;
        }
    }

    /// §III.B. At alpha and at beta nothing changes.
    fn avoid(&mut self, round: &Round) {
        let diff = round.diff();
        if diff < self.params.alpha {
            self.increment = 1.0 / self.cwnd;
        } else if diff > self.params.beta {
            self.cwnd = (self.cwnd - 1.0).max(MIN_WINDOW);
        }
    }

    /// A sample may show that the path has become longer: base and the window follow, and slow start is over.
    fn look_for_new_route(&mut self, rtt: f64, mss: f64, window: &mut Window) {
        if let Some(found) = self.reroute.as_mut().and_then(|reroute| reroute.on_sample(rtt, self.base)) {
            (self.base, self.cwnd, self.increment) = (found.base, found.cwnd, 0.0);
            window.ssthresh = MIN_WINDOW * mss;
        }
    }
}

impl CongestionControl for Vegas1995 {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        if window.cwnd != self.written {
            self.cwnd = window.cwnd / ack.mss;
        }
        let measured = ack.measured();
        let rtt = measured.rtt.map(|rtt| rtt.as_secs_f64());
        self.base = rtt.map_or(self.base, |rtt| self.base.min(rtt));
        if measured.una > self.distinguished {
            self.end_round(ack, rtt, window);
        }
        if self.increment == 1.0 && self.cwnd * ack.mss >= window.ssthresh {
            self.increment = 0.0;
        }
        self.cwnd += self.increment;
        if let Some(rtt) = rtt {
            self.look_for_new_route(rtt, ack.mss, window);
        }
        self.cwnd = self.cwnd.min(ack.limit / ack.mss);
        window.cwnd = self.cwnd * ack.mss;
        self.written = window.cwnd;
    }

    fn on_congestion(&mut self, loss: &Loss, window: &mut Window) {
        window.ssthresh = reduced(loss, window);
    }

    fn on_rto(&mut self, loss: &Loss, window: &mut Window) {
        start_over(loss, window);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::cc::Measured;
    use crate::units::Span;

    const MSS: f64 = 1000.0;

    /// An acknowledgement of everything before packet `una`, `rtt` ms after the newest of it was sent; `nxt` comes next.
    fn ack(una: u64, nxt: u64, rtt: u64) -> Ack<'static> {
        let rtt = Some(Span::from_ms(rtt));
        Ack::of(MSS, 1e9).with(Measured { una: una * 1000, nxt: nxt * 1000, rtt, ..Measured::default() })
    }

    /// In congestion avoidance with `packets` in flight and BaseRTT 100 ms, the end of a round trip of `rtt` ms: the window
    /// after its last acknowledgement, and after as many more as there are packets.
    fn after_round(packets: u64, rtt: u64) -> (f64, f64) {
        let mut vegas = Vegas1995::new(&VegasParams::default());
        let mut window = Window { cwnd: packets as f64 * MSS, ssthresh: 2.0 * MSS };
        (vegas.base, vegas.distinguished) = (0.1, 1000 * packets);
        vegas.on_ack(&ack(packets + 1, 2 * packets, rtt), &mut window);
        let first = window.cwnd / MSS;
        assert_eq!(vegas.distinguished, 2000 * packets, "the next to be sent");
        (packets + 2..=2 * packets).for_each(|una| vegas.on_ack(&ack(una, una + packets, rtt), &mut window));
        (first, window.cwnd / MSS)
    }

    /// Diff = W · (1 − 100/rtt), not rounded: 10 packets; alpha 1, beta 3.
    #[test]
    fn the_decision_table() {
        let rests = |packets, rtt| assert_eq!(after_round(packets, rtt), (packets as f64, packets as f64), "{rtt}");
        // 100 ms: 0. 111 ms: 0.991 is less than alpha, where ns-2 would round it up.
        for rtt in [100, 111] {
            let (first, last) = after_round(10, rtt);
            assert!((first - 10.1).abs() < 1e-9 && (last - 11.0).abs() < 1e-9, "{rtt}: {first} {last}");
        }
        rests(10, 112); // 1.07
        rests(10, 142); // 2.96
        assert_eq!(after_round(10, 143), (9.0, 9.0), "3.007, which ns-2 would round down");
        rests(4, 400); // exactly 3, at beta
        rests(2, 200); // exactly 1, at alpha
        assert_eq!(after_round(4, 401), (3.0, 3.0));
        rests(2, 10_000); // 1.98; three packets with 2.97 rest too: Diff is less than the window
        rests(3, 10_000);
    }

    /// Without the effect of alpha and beta the window stops at two packets.
    #[test]
    fn the_window_does_not_fall_below_two_packets() {
        let mut vegas = Vegas1995::new(&VegasParams { alpha: 0.5, beta: 1.0, ..VegasParams::default() });
        let mut window = Window { cwnd: 2.0 * MSS, ssthresh: 2.0 * MSS };
        (vegas.base, vegas.distinguished) = (0.1, 2000);
        vegas.on_ack(&ack(3, 4, 900), &mut window);
        assert_eq!(window.cwnd, 2.0 * MSS);
    }

    /// From one packet: 1 1 2 2 4 4 8, with a round trip each.
    #[test]
    fn slow_start_doubles_in_every_other_round_trip() {
        let mut vegas = Vegas1995::new(&VegasParams::default());
        let mut window = Window { cwnd: MSS, ssthresh: 1e9 };
        let (mut una, mut nxt, mut sizes) = (0, 1, Vec::new());
        for _ in 0..7 {
            // All that is in flight is acknowledged, and the window allows as much at each acknowledgement.
            for _ in 0..nxt - una {
                una += 1;
                vegas.on_ack(&ack(una, nxt, 100), &mut window);
                nxt = una + (window.cwnd / MSS) as u64;
            }
            sizes.push(nxt - una);
        }
        assert_eq!(sizes, [1, 2, 2, 4, 4, 8, 8]);
        assert_eq!(vegas.base, 0.1, "the first round trip, too");
    }

    /// Ten packets, gamma 1, at the end of a round trip in which the window was constant, and of one in which it was not.
    #[test]
    fn slow_start_ends_above_gamma_and_leaves_the_window() {
        let after = |rtt, grows| {
            let mut vegas = Vegas1995::new(&VegasParams::default());
            let mut window = Window { cwnd: 10.0 * MSS, ssthresh: 1e9 };
            (vegas.base, vegas.distinguished, vegas.grows) = (0.1, 10_000, grows);
            vegas.on_ack(&ack(11, 20, rtt), &mut window);
            (window.cwnd / MSS, window.ssthresh / MSS)
        };
        assert_eq!(after(111, false), (11.0, 1e6), "0.991: another doubling begins");
        assert_eq!(after(112, false), (10.0, 2.0), "1.07: the linear mode");
        assert_eq!(after(112, true), (10.0, 1e6), "the window was not constant: nothing is compared");
    }

    /// The distinguished segment was sent twice, so nothing is known of its round trip (Karn).
    #[test]
    fn without_a_sample_the_window_rests() {
        let mut vegas = Vegas1995::new(&VegasParams::default());
        let mut window = Window { cwnd: 10.0 * MSS, ssthresh: 2.0 * MSS };
        (vegas.base, vegas.distinguished) = (0.1, 10_000);
        vegas.on_ack(&ack(0, 0, 0).with(Measured { una: 11_000, nxt: 20_000, ..Measured::default() }), &mut window);
        assert_eq!((window.cwnd, vegas.distinguished), (10.0 * MSS, 20_000));
    }

    /// BaseRTT is the minimum of all that was measured, and never rises.
    #[test]
    fn base_is_the_shortest_round_trip() {
        let mut vegas = Vegas1995::new(&VegasParams::default());
        let mut window = Window { cwnd: MSS, ssthresh: 1e9 };
        for (una, rtt, base) in [(1, 120, 0.12), (2, 90, 0.09), (3, 200, 0.09)] {
            vegas.on_ack(&ack(una, una, rtt), &mut window); // alone in its round trip: ns-2 would raise base
            assert_eq!(vegas.base, base);
        }
    }
}
