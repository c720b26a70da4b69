//! TCP Vegas as ns-2 has it: once per round trip, what was sent is compared with what an empty path would carry, and
//! the difference, packets that wait in queues, is held between alpha and beta.
//! Sources: [BP95] for the idea; [NS2] §2, §3 for every step, which are named in the comments.   Units: packets, seconds.

pub(super) mod reroute_detect;
pub(super) mod round;

use super::{Ack, CongestionControl, Loss, Measured, Mechanism, Needs, UsualRecovery, Window};
use crate::keys::{self, Default, Key, Kind, Misfit, Value, Values};
use crate::rng::Stream;
use crate::units::{Span, Time};
use reroute_detect::{RerouteDetect, RerouteParams};
use round::{MIN_WINDOW, Round};

/// The window of Vegas.
#[derive(Clone, Debug)]
pub struct Vegas {
    params: VegasParams,
    rounds: Rounds,
}

/// The thresholds of Vegas, in packets that wait in queues.
#[derive(Clone, Debug, PartialEq)]
pub struct VegasParams {
    /// With fewer the window grows.
    pub alpha: f64,
    /// With more it shrinks.
    pub beta: f64,
    /// With more slow start ends.
    pub gamma: f64,
    /// Whether changes of route are looked for, and how.
    pub reroute: Option<RerouteParams>,
}

impl std::default::Default for VegasParams {
    fn default() -> VegasParams {
        Vegas::default_params()
    }
}

impl VegasParams {
    /// The keys of every Vegas with these thresholds.
    #[rustfmt::skip]
    pub(super) const KEYS: [Key; 8] = keys::joined(&[
        &[
            Key::new("alpha", Kind::Number(1e6), Default::Is(Value::Number(1.0)), "[VEGAS-A] §4.1",
                "Packets in queues below which the window grows; in Vegas-A the value at the start."),
            Key::new("beta", Kind::Number(1e6), Default::Is(Value::Number(3.0)), "[VEGAS-A] §4.1",
                "Packets in queues above which the window shrinks; in Vegas-A the value at the start."),
            Key::new("gamma", Kind::Number(1e6), Default::Is(Value::Number(1.0)), "[NS2] §2",
                "Packets in queues above which slow start ends."),
        ],
        &RerouteParams::KEYS,
    ]);

    /// The parameters that the keys of Vegas have in `values`; an error if beta is less than alpha.
    pub(super) fn read(values: &Values) -> Result<VegasParams, Misfit> {
        let (alpha, beta) = (values.number("alpha"), values.number("beta"));
        thresholds_fit(alpha, beta)?;
        let reroute = RerouteParams::read(values, alpha);
        Ok(VegasParams { alpha, beta, gamma: values.number("gamma"), reroute })
    }
}

/// The window rests between alpha and beta.
pub(super) fn thresholds_fit(alpha: f64, beta: f64) -> Result<(), Misfit> {
    if alpha <= beta {
        return Ok(());
    }
    Err(Misfit {
        keys: &["alpha", "beta"],
        problem: format!("`alpha` is {alpha}, more than `beta`, {beta}"),
        expected: "the window could never rest: raise `beta`, or lower `alpha`",
    })
}

/// The recovery that is part of Vegas.
pub(super) const FINE_TIMEOUTS: Option<UsualRecovery> =
    Some(UsualRecovery { name: "vegas", source: "[NS2] §4: part of Vegas", instead_of_sack: None });

impl Mechanism for Vegas {
    const NAME: &'static str = "vegas";
    const ABOUT: &'static str = "Vegas of ns-2: the packets that wait in queues are kept between two thresholds.";
    const KEYS: &'static [Key] = &VegasParams::KEYS;
    const NEEDS: Needs = Needs::ROUND_TRIPS;
    const USUAL_RECOVERY: Option<UsualRecovery> = FINE_TIMEOUTS;
    const HAS_FINE_TIMEOUTS: bool = true;
    type Params = VegasParams;

    fn params(values: &Values) -> Result<VegasParams, Misfit> {
        VegasParams::read(values)
    }

    fn start(params: &VegasParams, _draws: Stream) -> Vegas {
        Vegas::new(params)
    }
}

impl Vegas {
    /// The algorithm with the given thresholds.
    pub fn new(params: &VegasParams) -> Vegas {
        Vegas { params: params.clone(), rounds: Rounds::new(params) }
    }
}

impl CongestionControl for Vegas {
    #[inline(always)]
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        let Vegas { params, rounds } = self;
        rounds.on_ack(ack, window, |round, cwnd| avoid(params, round, cwnd));
    }

    fn on_congestion(&mut self, loss: &Loss, window: &mut Window) {
        window.ssthresh = reduced(loss, window);
    }

    fn on_rto(&mut self, loss: &Loss, window: &mut Window) {
        start_over(loss, window);
    }
}

/// Congestion avoidance at the end of a round: returns the growth per acknowledgement in the next.
pub(super) fn avoid(params: &VegasParams, round: &Round, cwnd: &mut f64) -> f64 {
    let diff = round.diff_rounded();
    if diff > params.beta {
        *cwnd = (*cwnd - 1.0).max(MIN_WINDOW);
        0.0
    } else if diff < params.alpha {
        // This growth holds for the whole round: about a packet per round trip.
        1.0 / *cwnd
    } else {
        0.0
    }
}

/// What the members of the family have in common: measuring, slow start, growth within a round.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    gamma: f64,
    /// cwnd in packets: bytes would round a growth by 1/cwnd otherwise.
    cwnd: f64,
    /// cwnd in bytes when it was last written here: recovery may have written another.
    written: f64,
    /// The shortest round trip, seconds; zero before the first.
    base: f64,
    /// The round ends when this byte is acknowledged.
    end: u64,
    /// When it began.
    begun: Time,
    /// Sum and number of the round trips measured in it.
    sum: Span,
    count: u32,
    /// Growth per acknowledgement in this round, packets.
    increment: f64,
    /// Slow start grows in every other round.
    grows: bool,
    /// Looks for changes of route, if it is to.
    reroute: Option<RerouteDetect>,
}

impl Rounds {
    /// Before the first acknowledgement.
    pub(super) fn new(params: &VegasParams) -> Rounds {
        Rounds {
            gamma: params.gamma,
            cwnd: 0.0,
            written: -1.0,
            base: 0.0,
            end: 0,
            begun: Time::ZERO,
            sum: Span::ZERO,
            count: 0,
            increment: 0.0,
            grows: true,
            reroute: params.reroute.as_ref().map(|reroute| RerouteDetect::new(reroute, params.beta)),
        }
    }

    /// New data is acknowledged. `avoid` is congestion avoidance: at the end of a round it may change the window, in
    /// packets, and returns the growth per acknowledgement in the next. Returns the round that has ended.
    #[inline(always)]
    pub(super) fn on_ack(
        &mut self,
        ack: &Ack,
        window: &mut Window,
        avoid: impl FnOnce(&Round, &mut f64) -> f64,
    ) -> Option<Round> {
        let measured = ack.measured();
        if window.cwnd != self.written {
            self.cwnd = window.cwnd / ack.mss;
        }
        if self.base == 0.0 {
            // The first acknowledgement of all.
            self.base = measured.now.since(measured.start).as_secs_f64();
            self.begun = measured.start;
        }
        let ended = (measured.una > self.end).then(|| self.on_end_of_round(*ack, window, avoid));
        if self.increment == 1.0 && self.cwnd >= window.ssthresh / ack.mss {
            self.increment = 0.0; // step 5
        }
        if self.increment > 0.0 && self.cwnd - in_flight(measured, ack.mss) <= 2.0 {
            self.cwnd += self.increment; // step 6: not a window that is not used
        }
        // Step 7: it counts for the next round. The round trip of the very first packet is no sample, as ns-2 takes its
        // send time, zero, for none: so the first two packets, which are alone in their rounds, both set base.
        if let Some(rtt) = measured.rtt.filter(|&rtt| measured.start + rtt < measured.now) {
            self.sum = self.sum + rtt;
            self.count += 1;
            let rtt = rtt.as_secs_f64();
            self.base = lesser(self.base, rtt);
            self.look_for_new_route(rtt, ack.mss, window);
        }
        window.cwnd = lesser(self.cwnd * ack.mss, ack.limit);
        self.written = window.cwnd;
        ended
    }

    /// Slow start or congestion avoidance, once per round trip. A copy of what is acknowledged: by reference it would have
    /// to be in memory, although most acknowledgements end no round.
    #[inline(never)]
    fn on_end_of_round(&mut self, ack: Ack, window: &mut Window, avoid: impl FnOnce(&Round, &mut f64) -> f64) -> Round {
        let round = self.end_round(ack.measured(), ack.mss);
        if self.cwnd < window.ssthresh / ack.mss {
            self.slow_start(&round, ack.mss, window);
        } else {
            self.increment = avoid(&round, &mut self.cwnd);
        }
        if let Some(reroute) = &mut self.reroute {
            reroute.on_round(&round);
        }
        round
    }

    /// Step 4: measures the round that ends, and begins the next.
    fn end_round(&mut self, measured: &Measured, mss: f64) -> Round {
        let sent = (measured.nxt - self.end) as f64 / mss;
        let rtt = match self.count {
            0 => measured.now.since(self.begun).as_secs_f64(),
            count => self.sum.as_secs_f64() / f64::from(count),
        };
        self.sum = Span::ZERO;
        self.count = 0;
        // With a single packet in a round there is no queue of one's own: the only way in which base can grow.
        if rtt < self.base || sent <= 1.0 {
            self.base = rtt;
        }
        self.end = measured.nxt;
        self.begun = measured.now;
        Round { sent, in_flight: in_flight(measured, mss), rtt, base: self.base }
    }

    /// A sample may show that the path has become longer: base and the window follow, and slow start is over.
    fn look_for_new_route(&mut self, rtt: f64, mss: f64, window: &mut Window) {
        if let Some(found) = self.reroute.as_mut().and_then(|reroute| reroute.on_sample(rtt, self.base)) {
            self.base = found.base;
            self.cwnd = found.cwnd;
            self.increment = 0.0;
            window.ssthresh = MIN_WINDOW * mss;
        }
    }

    fn slow_start(&mut self, round: &Round, mss: f64, window: &mut Window) {
        self.grows = !self.grows;
        if !self.grows {
            self.increment = 0.0;
        } else if round.diff_rounded() > self.gamma {
            window.ssthresh = MIN_WINDOW * mss;
            self.cwnd = (self.cwnd - self.cwnd / 8.0).max(MIN_WINDOW);
            self.increment = 0.0;
        } else {
            self.increment = 1.0;
        }
    }
}

/// The lesser of two numbers: `f64::min` also asks whether they are numbers.
#[inline(always)]
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// Packets under way just before this acknowledgement.
fn in_flight(measured: &Measured, mss: f64) -> f64 {
    (measured.nxt - measured.una) as f64 / mss + 1.0
}

/// The window after a loss, bytes: a quarter less, or half of it if what was lost had been sent again.
pub(super) fn reduced(loss: &Loss, window: &Window) -> f64 {
    let packets = (window.cwnd.min(loss.limit) / loss.mss) as u64;
    let left = match (packets, loss.sent_again) {
        (0..=3, _) => 2,
        (_, Some(true)) => packets / 2,
        (_, Some(false) | None) => packets - packets / 4,
    };
    left as f64 * loss.mss
}

/// After a timeout: two packets, slow start up to half of the window.
pub(super) fn start_over(loss: &Loss, window: &mut Window) {
    let packets = (window.cwnd.min(loss.limit) / loss.mss) as u64;
    window.ssthresh = (packets / 2).max(2) as f64 * loss.mss;
    window.cwnd = MIN_WINDOW * loss.mss;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::instants::ms;

    const MSS: f64 = 1000.0;

    /// A round of `w` packets that took `rtt` ms, of which 100 are the path's.
    fn round(w: f64, rtt: f64) -> Round {
        Round { sent: w, in_flight: w, rtt: rtt / 1000.0, base: 0.1 }
    }

    /// In congestion avoidance with `packets` in flight, at the end of a round of `rtt` ms: the window after its last
    /// acknowledgement, and after as many more as there are packets.
    fn after_round(packets: u64, rtt: u64) -> (f64, f64) {
        let mut vegas = Vegas::new(&VegasParams::default());
        let mut window = Window { cwnd: packets as f64 * MSS, ssthresh: 2.0 * MSS };
        let ack = |number: u64, at: u64, rtt: u64| {
            Ack::of(MSS, 1e9).with(Measured {
                now: ms(at),
                una: number * 1000,
                nxt: (number + packets - 1) * 1000,
                rtt: Some(Span::from_ms(rtt)),
                ..Measured::default()
            })
        };
        // The first acknowledgement ends a round of its own: base = 100 ms, nothing waits, growth by 1/cwnd.
        vegas.on_ack(&ack(1, 100, 100), &mut window);
        window.cwnd = packets as f64 * MSS;
        // Up to the last packet of this round.
        for number in 2..=packets {
            vegas.rounds.increment = 0.0;
            vegas.on_ack(&ack(number, 100 + rtt, rtt), &mut window);
        }
        vegas.rounds.sum = Span::from_ms(rtt);
        vegas.rounds.count = 1;
        vegas.on_ack(&ack(packets + 1, 100 + 2 * rtt, rtt), &mut window);
        let first = window.cwnd / MSS;
        for number in packets + 2..=2 * packets {
            vegas.on_ack(&ack(number, 100 + 2 * rtt, rtt), &mut window);
        }
        (first, window.cwnd / MSS)
    }

    /// diff = W · (1 − 100/rtt): 10 packets; alpha 1, beta 3.
    #[test]
    fn the_window_grows_below_alpha_shrinks_above_beta_and_stays_between_and_at_both() {
        // 100 ms: 0. 1/10 per acknowledgement, the first included.
        let (first, last) = after_round(10, 100);
        assert!((first - 10.1).abs() < 1e-9 && (last - 11.0).abs() < 1e-9, "{first} {last}");
        // 111 ms: 0.99 is 1. 125 ms: 2. 143 ms: 3.007 is 3.
        for rtt in [111, 125, 143] {
            assert_eq!(after_round(10, rtt), (10.0, 10.0), "{rtt}");
        }
        // 167 ms: 4.01 is 4.
        assert_eq!(after_round(10, 167), (9.0, 9.0));
        // Never below two: 2 · (1 − 100/1000) = 1.8 is 2; that is not above beta. So 4 packets in 1 s: 3.6 is 4.
        assert_eq!(after_round(4, 1000), (3.0, 3.0));
        assert_eq!(after_round(3, 10_000).0, 3.0, "2.97 is 3, which is beta");
    }

    /// ns-2 cuts off after adding a half: 3.52 is 4, 3.48 is 3; below zero it goes towards zero.
    #[test]
    fn diff_is_rounded_as_ns2_does() {
        let rounded = |w: f64, rtt: f64| round(w, rtt).diff_rounded();
        assert_eq!([199.0, 201.0].map(|rtt| rounded(7.0, rtt)), [3.0, 4.0]);
        assert_eq!(Round { in_flight: 1.0, ..round(2.0, 100.0) }.diff_rounded(), 0.0, "−1 + 0.5 is 0");
        // [VEGAS-A]: after 65 → 245 ms four packets are 2.94, which is 3: at beta, for ever.
        assert_eq!(Round { base: 0.065, ..round(4.0, 245.0) }.diff_rounded(), 3.0);
    }

    #[test]
    fn a_loss_takes_a_quarter_and_half_if_it_was_sent_again() {
        let left = |packets: f64, sent_again| {
            let loss = Loss { sent_again: Some(sent_again), ..Loss::of(MSS, 1e9) };
            reduced(&loss, &Window { cwnd: packets * MSS, ssthresh: 0.0 }) / MSS
        };
        assert_eq!([left(3.9, false), left(4.0, false), left(10.5, false), left(11.0, true)], [2.0, 3.0, 8.0, 5.0]);
    }

    #[test]
    fn a_timeout_starts_over_from_two_packets() {
        let mut window = Window { cwnd: 21.0 * MSS, ssthresh: 2.0 * MSS };
        Vegas::new(&VegasParams::default()).on_rto(&Loss::of(MSS, 1e9), &mut window);
        assert_eq!((window.cwnd, window.ssthresh), (2.0 * MSS, 10.0 * MSS));
    }
}
