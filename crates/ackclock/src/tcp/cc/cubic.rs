//! CUBIC: the window grows with the cube of the time since the last loss, flat around the window at which that happened,
//! but never slower than Reno would.
//! Sources: RFC 9438, whose sections and figures the comments name; `least_growth`: Linux 6.x, tcp_cubic.c, behaviour only.
//! Units: segments, seconds.

use super::{Ack, CongestionControl, Loss, Mechanism, Needs, Restart, Window, reduce_by_mark};
use crate::exact::cube_root;
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::rng::Stream;
use crate::units::{Span, Time};

/// The window of CUBIC.
#[derive(Clone, Debug)]
pub struct Cubic {
    params: CubicParams,
    /// Smoothed round trip.
    srtt: Option<Span>,
    /// W_max: the window before the last reduction, or less after fast convergence (§4.7); 0 before the first reduction, and after a
    /// timeout until a stage begins (§4.8).
    w_max: f64,
    /// Whether W_max is the window of a reduction, not the one at which a stage began.
    is_of_reduction: bool,
    /// cwnd_prior: the window just before the last reduction, which fast convergence leaves alone (§4.1.2).
    cwnd_prior: Option<f64>,
    epoch: Option<Epoch>,
    /// What it knew before the last reduction, and whether the window has grown since.
    before: Option<Box<Before>>,
    grown: bool,
}

/// W_max, cwnd_prior, and the stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Before {
    w_max: f64,
    is_of_reduction: bool,
    cwnd_prior: Option<f64>,
    epoch: Option<Epoch>,
}

/// The constants of CUBIC (RFC 9438 §4.1, §4.6, §4.7).
#[derive(Clone, Debug, PartialEq)]
pub struct CubicParams {
    /// C, segments per second cubed.
    pub c: f64,
    /// What is left of the window after a loss.
    pub beta: f64,
    /// Whether a connection that loses below its last maximum releases bandwidth to others (fast convergence).
    pub fast_convergence: bool,
    /// What each acknowledged segment adds at least while no reduction has told W_max, segments.
    pub least_growth: f64,
}

impl std::default::Default for CubicParams {
    fn default() -> CubicParams {
        Cubic::default_params()
    }
}

impl Mechanism for Cubic {
    const NAME: &'static str = "cubic";
    const ABOUT: &'static str = "CUBIC: the window grows with the cube of the time since the last loss.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("c", Kind::Number(1e6), Default::Is(Value::Number(0.4)), "RFC 9438 §5",
            "C: the scale of the cubic function, segments per second cubed."),
        Key::new("beta", Kind::Number(1.0), Default::Is(Value::Number(0.7)), "RFC 9438 §4.6",
            "The share of the window that remains after a loss."),
        Key::new("fast_convergence", Kind::Flag, Default::Is(Value::Flag(true)), "RFC 9438 §4.7",
            "Whether a connection that loses below its last maximum lowers this maximum further, in favour of other flows."),
        Key::new("least_growth", Kind::Share, Default::Is(Value::Number(0.0)), "RFC 9438 §4.2: none",
            "What each acknowledged segment adds to the window at least in congestion avoidance before the first reduction and \
             after a timeout, where no earlier maximum is known, segments."),
    ];
    const NEEDS: Needs = Needs::ROUND_TRIPS;
    const ABE: Option<f64> = Some(0.85);
    type Params = CubicParams;

    fn params(values: &Values) -> Result<CubicParams, Misfit> {
        let (c, beta) = (values.number("c"), values.number("beta"));
        let (fast_convergence, least_growth) = (values.flag("fast_convergence"), values.number("least_growth"));
        Ok(CubicParams { c, beta, fast_convergence, least_growth })
    }

    fn start(params: &CubicParams, _draws: Stream) -> Cubic {
        Cubic::new(params)
    }
}

/// A stage of congestion avoidance, from the reduction that began it (§4.2).
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// When the window began to grow again; later by the times in which it was not used.
    start: Time,
    /// The last acknowledgement of a full window.
    used: Time,
    /// Whether since then the window was not used.
    pauses: bool,
    /// How long it takes from there to W_max.
    k: f64,
    /// The window that is aimed at then: W_max, or where the stage began if that is more.
    origin: f64,
    /// W_est: what Reno would have.
    w_est: f64,
    /// From this W_est on α is 1 (§4.3): cwnd_prior, or where the stage began if nothing was lost before.
    cwnd_prior: f64,
}

impl Epoch {
    /// The window is used again: the time since it was used last is left out.
    fn resume(&mut self, now: Time) {
        self.start += now.since(self.used);
        (self.used, self.pauses) = (now, false);
    }
}

impl Cubic {
    /// The algorithm with the given constants.
    pub fn new(params: &CubicParams) -> Cubic {
        let (srtt, cwnd_prior, epoch, before) = (None, None, None, None);
        let (w_max, is_of_reduction, grown) = (0.0, false, true);
        Cubic { params: params.clone(), srtt, w_max, is_of_reduction, cwnd_prior, epoch, before, grown }
    }

    /// The congestion avoidance of one acknowledgement: the growth of the window, in segments.
    fn growth(&mut self, ack: &Ack, cwnd: f64) -> f64 {
        let growth = self.growth_of_rfc_9438(ack, cwnd);
        // Linux, tcp_cubic.c, bictcp_update: where no maximum is known, the cubic function is flat at the window itself, which says
        // nothing of what the path carries.
        let least = if self.is_of_reduction { 0.0 } else { self.params.least_growth };
        growth.max(least * ack.acked / ack.mss)
    }

    fn growth_of_rfc_9438(&mut self, ack: &Ack, cwnd: f64) -> f64 {
        let CubicParams { c, beta, .. } = self.params;
        let (acked, now) = (ack.acked / ack.mss, ack.measured().now);
        if self.w_max == 0.0 {
            self.w_max = cwnd; // §4.8, and before the first reduction: K = 0
        }
        let (w_max, cwnd_prior) = (self.w_max, self.cwnd_prior.unwrap_or(cwnd));
        let epoch = self.epoch.get_or_insert_with(|| {
            let origin = w_max.max(cwnd);
            // Figure 2: from where the window is now.
            let k = cube_root((origin - cwnd) / c);
            Epoch { start: now, used: now, pauses: false, k, origin, w_est: cwnd, cwnd_prior }
        });
        // §4.2, §5.8: t is the time of use.
        if epoch.pauses {
            epoch.resume(now);
        }
        epoch.used = now;
        // §4.3, Figure 4.
        let alpha = if epoch.w_est < epoch.cwnd_prior { 3.0 * (1.0 - beta) / (1.0 + beta) } else { 1.0 };
        epoch.w_est += alpha * acked / cwnd;
        // §4.2, Figure 1: the target is where the window should be one round trip from now.
        let t = now.since(epoch.start).as_secs_f64();
        let w_cubic = |t: f64| c * (t - epoch.k) * (t - epoch.k) * (t - epoch.k) + epoch.origin;
        if w_cubic(t) < epoch.w_est {
            return epoch.w_est - cwnd; // the region in which Reno is faster
        }
        let rtt = self.srtt.map_or(0.0, Span::as_secs_f64);
        let target = w_cubic(t + rtt).clamp(cwnd, 1.5 * cwnd);
        // §4.4, §4.5; a stretch acknowledgement does not pass the target.
        ((target - cwnd) * acked / cwnd).min(target - cwnd)
    }

    /// §4.6, §4.7: the reduced window in bytes, and W_max with fast convergence.
    fn reduce(&mut self, loss: &Loss, window: &Window) -> f64 {
        let cwnd = window.cwnd.min(loss.limit) / loss.mss;
        // A timeout in the middle of a recovery is the same event.
        if std::mem::replace(&mut self.grown, false) || self.before.is_none() {
            let Cubic { w_max, is_of_reduction, cwnd_prior, epoch, .. } = *self;
            self.before = Some(Box::new(Before { w_max, is_of_reduction, cwnd_prior, epoch }));
        }
        self.cwnd_prior = Some(cwnd);
        let releases = cwnd < self.w_max && self.params.fast_convergence;
        self.w_max = if releases { cwnd * (1.0 + self.params.beta) / 2.0 } else { cwnd };
        self.is_of_reduction = true;
        self.epoch = None;
        (loss.used(window) / loss.mss * loss.kept.unwrap_or(self.params.beta)).max(2.0) * loss.mss
    }
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        let measured = ack.measured();
        if let Some(rtt) = measured.rtt {
            let smoothed = |srtt: Span| Span::from_ps((7 * srtt.as_ps() + rtt.as_ps()) / 8);
            self.srtt = Some(self.srtt.map_or(rtt, smoothed));
        }
        // §5.8: not a window that the application does not use.
        if !measured.window_limited {
            if let Some(epoch) = &mut self.epoch {
                epoch.pauses = true;
            }
            return;
        }
        self.grown = true;
        let cwnd = window.cwnd / ack.mss;
        let growth = if window.cwnd < window.ssthresh {
            (ack.acked / ack.mss).min(1.0) // §4.10: the slow start of RFC 5681
        } else {
            self.growth(ack, cwnd)
        };
        window.cwnd = (window.cwnd + growth.max(0.0) * ack.mss).min(ack.limit);
    }

    fn on_congestion(&mut self, loss: &Loss, window: &mut Window) {
        window.ssthresh = self.reduce(loss, window);
    }

    /// No reduction that could be undone, nor is an earlier one any more.
    fn on_mark(&mut self, mark: &Loss, window: &mut Window) -> bool {
        reduce_by_mark(self, mark, window);
        self.before = None;
        true
    }

    /// §4.8: as for a loss, but from one segment on, and the next stage begins at its own window.
    fn on_rto(&mut self, loss: &Loss, window: &mut Window) {
        window.ssthresh = self.reduce(loss, window);
        window.cwnd = loss.mss;
        (self.w_max, self.is_of_reduction) = (0.0, false);
    }

    /// §4.9: W_max, K and the rest as before.
    fn on_undo(&mut self) {
        if let Some(before) = self.before.take() {
            (self.w_max, self.is_of_reduction) = (before.w_max, before.is_of_reduction);
            (self.cwnd_prior, self.epoch) = (before.cwnd_prior, before.epoch);
        }
    }

    /// Slow start from the restart window ends a stage, a shorter pause does not.
    fn on_restart(&mut self, restart: &Restart) {
        if restart.window_lowered {
            self.epoch = None;
        } else if let Some(epoch) = &mut self.epoch {
            epoch.resume(restart.now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::cc::Measured;

    const MSS: f64 = 1000.0;

    fn cubic() -> Cubic {
        Cubic::new(&CubicParams::default())
    }

    fn measured(ms: u64) -> Measured {
        Measured { now: Time::ZERO + Span::from_ms(ms), rtt: Some(Span::from_ms(100)), ..Measured::default() }
    }

    fn ack(ms: u64) -> Ack<'static> {
        Ack::of(MSS, 1e12).with(measured(ms))
    }

    fn window(cwnd: f64) -> Window {
        Window { cwnd: cwnd * MSS, ssthresh: 1.0 }
    }

    /// §4.9: after a reduction that was spurious the curve goes on as if it had not been; a timeout in the middle of a recovery, with no
    /// growth between, is part of the same reduction. After growth another is undone alone.
    #[test]
    fn a_spurious_reduction_leaves_no_trace() {
        let begun = || {
            let (mut cubic, mut grown) = (cubic(), window(1000.0));
            cubic.on_congestion(&Loss::of(MSS, 1e12), &mut grown);
            grown.cwnd = grown.ssthresh;
            cubic.on_ack(&ack(0), &mut grown);
            (cubic, grown)
        };
        let next = |cubic: &mut Cubic, window: Window| {
            let mut window = window;
            cubic.on_ack(&ack(2000), &mut window);
            window.cwnd
        };
        let (mut undisturbed, before) = begun();
        let expected = next(&mut undisturbed, before);
        for timeouts in [0, 1, 2] {
            let (mut cubic, before) = begun();
            let mut reduced = before;
            cubic.on_congestion(&Loss::of(MSS, 1e12), &mut reduced);
            (0..timeouts).for_each(|_| cubic.on_rto(&Loss::of(MSS, 1e12), &mut reduced));
            assert_ne!(next(&mut cubic.clone(), before), expected);
            cubic.on_undo();
            assert_eq!(next(&mut cubic, before), expected, "{timeouts} timeouts");
            cubic.on_undo();
            assert_eq!(cubic.w_max, 1000.0, "once");
        }
    }

    /// Of a mark and a loss after it, with no growth between, the loss alone is undone.
    #[test]
    fn a_mark_stays() {
        let (mut cubic, mut reduced) = (cubic(), window(1000.0));
        cubic.on_congestion(&Loss::of(MSS, 1e12), &mut reduced);
        let mut marked = window(800.0);
        assert!(cubic.on_mark(&Loss::of(MSS, 1e12), &mut marked));
        let w_max = cubic.w_max;
        cubic.on_undo();
        assert_eq!(cubic.w_max, w_max, "there is nothing to undo");
        cubic.on_congestion(&Loss::of(MSS, 1e12), &mut marked);
        assert_ne!(cubic.w_max, w_max);
        cubic.on_undo();
        assert_eq!(cubic.w_max, w_max);
    }

    /// 1000 segments, a loss: 700 are left, K = ∛(300/0.4) = 9.0856 s. From 700 on a round trip of 100 ms at a time: the
    /// curve of W_max − 0.4 (K − t)³.
    #[test]
    fn the_window_follows_the_cube_and_is_flat_at_the_old_maximum() {
        let mut cubic = cubic();
        let mut window = window(1000.0);
        cubic.on_congestion(&Loss::of(MSS, 1e12), &mut window);
        assert_eq!(window.ssthresh, 700.0 * MSS);
        window.cwnd = window.ssthresh;
        let k = cube_root(300.0 / 0.4);
        assert!((k - 9.0856).abs() < 1e-4);
        let mut at = |from: u64, to: u64| {
            for ms in (from..to).step_by(100) {
                let segments = (window.cwnd / MSS) as u64;
                for n in 0..segments {
                    cubic.on_ack(&ack(ms + n * 100 / segments), &mut window);
                }
            }
            window.cwnd / MSS
        };
        for (from, to) in [(0, 3000), (3000, 9000), (9000, 12_000)] {
            let t = to as f64 / 1000.0;
            let expected = 1000.0 + 0.4 * (t - k) * (t - k) * (t - k);
            let cwnd = at(from, to);
            assert!((cwnd / expected - 1.0).abs() < 0.01, "after {t} s {cwnd}, not {expected}");
        }
    }

    /// A window of 10 with a round trip of 100 ms: the cube is slow, Reno is not. α = 3 · 0.3/1.7 = 0.529 per round trip.
    #[test]
    fn it_is_never_slower_than_reno() {
        let mut cubic = cubic();
        let mut window = window(10.0);
        cubic.on_congestion(&Loss::of(MSS, 1e12), &mut window);
        window.cwnd = 7.0 * MSS;
        for n in 0..7 {
            cubic.on_ack(&ack(n * 14), &mut window);
        }
        assert!((window.cwnd / MSS - 7.52).abs() < 0.02, "{}", window.cwnd);
    }

    /// §4.3: losses at 100 and at 60 segments. Fast convergence makes W_max 51, but W_est goes on by α = 9/17 per round trip
    /// up to 60, the window before the reduction, and by 1 from there on. The cube is slower with so short a round trip.
    #[test]
    fn reno_grows_by_one_from_the_window_before_the_reduction_and_not_from_what_fast_convergence_left() {
        let mut cubic = cubic();
        cubic.on_congestion(&Loss::of(MSS, 1e12), &mut window(100.0));
        let mut window = window(60.0);
        cubic.on_congestion(&Loss::of(MSS, 1e12), &mut window);
        assert_eq!((cubic.w_max, window.ssthresh), (51.0, 42.0 * MSS));
        window.cwnd = window.ssthresh;
        let mut round = 0;
        // How much a round trip adds where the window first is as large.
        let mut slope = |at: f64| {
            loop {
                let before = window.cwnd / MSS;
                for n in 0..before as u64 {
                    let now = Time::ZERO + Span::from_us(round * 10 + n / 8);
                    cubic.on_ack(
                        &ack(0).with(Measured { now, rtt: Some(Span::from_us(10)), ..Measured::default() }),
                        &mut window,
                    );
                }
                round += 1;
                if before >= at {
                    return (window.cwnd / MSS - before) * before / before.floor();
                }
            }
        };
        for (at, expected) in [(43.0, 9.0 / 17.0), (53.0, 9.0 / 17.0), (58.0, 9.0 / 17.0), (61.0, 1.0)] {
            let slope = slope(at);
            assert!((slope / expected - 1.0).abs() < 0.03, "at {at} {slope}, not {expected}");
        }
    }

    /// A window of 100 that has lost nothing grows by 1/20 for each segment acknowledged, by five in a round trip, and the cubic function by
    /// 0.4 · 0.2³ = 0.0032 in the same time. After a reduction nothing is added, after a timeout it is again; what is undone was none.
    #[test]
    fn a_window_that_has_lost_nothing_grows_by_a_share_of_what_is_acknowledged() {
        let of = |least_growth: f64, before: fn(&mut Cubic)| {
            let mut cubic = Cubic::new(&CubicParams { least_growth, ..CubicParams::default() });
            before(&mut cubic);
            let mut window = window(100.0);
            (0..100).for_each(|n| cubic.on_ack(&ack(n), &mut window));
            window.cwnd / MSS
        };
        let loss = |cubic: &mut Cubic| cubic.on_congestion(&Loss::of(MSS, 1e12), &mut window(110.0));
        let timeout = |cubic: &mut Cubic| cubic.on_rto(&Loss::of(MSS, 1e12), &mut window(110.0));
        let undone = |cubic: &mut Cubic| {
            cubic.on_congestion(&Loss::of(MSS, 1e12), &mut window(110.0));
            cubic.on_undo();
        };
        // Without it Reno is faster than the cube: a segment in the first round trip (§4.3: α = 1 from cwnd_prior on).
        let own = of(0.0, |_| ());
        assert!((own - 101.0).abs() < 0.02, "{own}");
        for (name, before, grows) in [
            ("nothing", (|_| ()) as fn(&mut Cubic), true),
            ("loss", loss, false),
            ("timeout", timeout, true),
            ("undone", undone, true),
        ] {
            let (with, without) = (of(0.05, before), of(0.0, before));
            let expected = if grows { 105.0 } else { without };
            assert!((with - expected).abs() < 0.01, "{name}: {with}, not {expected}");
        }
    }

    /// §4.7: a connection that loses below its old maximum releases bandwidth: (1 + 0.7)/2 of where it was.
    #[test]
    fn fast_convergence_lowers_the_maximum_after_a_loss_below_it() {
        let mut cubic = cubic();
        cubic.on_congestion(&Loss::of(MSS, 1e12), &mut window(100.0));
        assert_eq!(cubic.w_max, 100.0);
        cubic.on_congestion(&Loss::of(MSS, 1e12), &mut window(80.0));
        assert_eq!(cubic.w_max, 68.0);
        cubic.on_congestion(&Loss::of(MSS, 1e12), &mut window(90.0));
        assert_eq!(cubic.w_max, 90.0, "above it no more");
        let mut plain = Cubic::new(&CubicParams { fast_convergence: false, ..CubicParams::default() });
        plain.on_congestion(&Loss::of(MSS, 1e12), &mut window(100.0));
        plain.on_congestion(&Loss::of(MSS, 1e12), &mut window(80.0));
        assert_eq!(plain.w_max, 80.0);
    }

    /// ns-3 #966 and #1085: an application that does not fill the window does not let it grow; after a timeout the window is that of a
    /// loss. RFC 9438 §4.8: W_max is where the next stage begins.
    #[test]
    fn an_unused_window_does_not_grow_and_a_timeout_ends_the_stage() {
        let mut cubic = cubic();
        let mut window = window(50.0);
        cubic.on_ack(&ack(0).with(Measured { window_limited: false, ..measured(0) }), &mut window);
        cubic.on_ack(&ack(0).with(Measured { window_limited: false, ..measured(10_000) }), &mut window);
        assert_eq!(window.cwnd, 50.0 * MSS);
        cubic.on_rto(&Loss::of(MSS, 1e12), &mut window);
        assert_eq!((window.cwnd, window.ssthresh, cubic.w_max), (MSS, 35.0 * MSS, 0.0));
        window.cwnd = window.ssthresh;
        cubic.on_ack(&ack(20_000), &mut window);
        assert_eq!((cubic.w_max, cubic.epoch.unwrap().k), (35.0, 0.0));
    }

    /// RFC 9438 §4.2: 10 s without use are no part of t, and W_max, K and W_est stay.
    #[test]
    fn a_pause_is_no_part_of_a_stage() {
        let stage = |pause: u64| {
            let mut cubic = cubic();
            let mut window = window(100.0);
            cubic.on_congestion(&Loss::of(MSS, 1e12), &mut window);
            window.cwnd = window.ssthresh;
            (0..40).for_each(|n| cubic.on_ack(&ack(25 * n), &mut window));
            if pause > 0 {
                // The last acknowledgement came at 975 ms.
                let now = Time::ZERO + Span::from_ms(975 + pause);
                cubic.on_restart(&Restart { now, nxt: 0, delivered: 0, window_lowered: false });
            }
            (0..40).for_each(|n| cubic.on_ack(&ack(pause + 1000 + 25 * n), &mut window));
            window.cwnd
        };
        assert_eq!(stage(10_000), stage(0));
    }

    /// ns-3 #407: as in Linux, of the window, whatever is in flight, unless what is in flight counts.
    #[test]
    fn a_loss_leaves_seven_tenths_of_the_window_and_never_less_than_two_segments() {
        let after = |segments: f64| {
            let mut window = window(segments);
            cubic().on_congestion(&Loss::of(MSS, 1e12), &mut window);
            window.ssthresh / MSS
        };
        assert_eq!([20.0, 10.0, 2.5, 2.0].map(after), [14.0, 7.0, 2.0, 2.0]);
        let (mut cubic, mut window) = (cubic(), window(20.0));
        cubic.on_congestion(&Loss { flight: 10.0 * MSS, ..Loss::of(MSS, 1e12) }, &mut window);
        assert_eq!((window.ssthresh, cubic.w_max), (7.0 * MSS, 20.0));
    }
}
