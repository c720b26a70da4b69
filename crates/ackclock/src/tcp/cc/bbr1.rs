//! BBR, version 1: a model of the path, its bottleneck's rate and its shortest round trip, sets a pace and a window. Losses
//! hardly matter.
//! Source: \[BBR1\] (draft-cardwell-iccrg-bbr-congestion-control-00), whose functions the comments name.
//! Units: bytes, bytes per second.

use super::path_model::{Maximum, Plateau, Rounds};
use super::{Ack, CongestionControl, Delivery, Loss, LossState, Mechanism, Needs, Restart, UsualRecovery, Window};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::rng::Stream;
use crate::units::{Span, Time};

/// The model and what follows from it.
#[derive(Clone, Debug)]
pub struct Bbr1 {
    params: Bbr1Params,
    /// For the phase at which cycles begin.
    stream: Stream,
    cycles: u64,
    mode: Mode,
    pacing_gain: f64,
    cwnd_gain: f64,
    /// BBR.pacing_rate, once a round trip is known.
    pacing_rate: Option<f64>,
    /// InitialCwnd; 0 before the first acknowledgement.
    initial: f64,
    /// The window as this algorithm has it.
    cwnd: f64,
    /// prior_cwnd: to be restored after losses and ProbeRTT.
    prior_cwnd: f64,
    rounds: Rounds,
    bottleneck: Maximum,
    rtprop: Option<Span>,
    rtprop_at: Time,
    /// BBR.filled_pipe: whether the rate has stopped to grow in Startup.
    pipe_filled: bool,
    growth: Plateau,
    /// Where in [`CYCLE`] ProbeBW is, and since when.
    phase: usize,
    phase_at: Time,
    /// When ProbeRTT may end, once little enough is in flight; and whether a round has passed since.
    probe_rtt_until: Option<Time>,
    probe_rtt_round_done: bool,
    /// BBR.idle_restart: since nothing was outstanding no acknowledgement has come.
    idle_restart: bool,
    loss_state: LossState,
    /// packet_conservation: in the first round of a recovery no more is sent than is delivered.
    conserves: bool,
}

/// The constants of BBR, version 1 (\[BBR1\] §4.1.2, §4.3.5).
#[derive(Clone, Debug, PartialEq)]
pub struct Bbr1Params {
    /// For how long the shortest round trip is believed.
    pub rtprop_window: Span,
    /// For how long next to nothing is sent when it is measured again.
    pub probe_rtt: Span,
}

impl std::default::Default for Bbr1Params {
    fn default() -> Bbr1Params {
        Bbr1::default_params()
    }
}

impl Mechanism for Bbr1 {
    const NAME: &'static str = "bbr1";
    const ABOUT: &'static str = "BBR, version 1: a model of the path sets the pacing rate and the window.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("rtprop_window", Kind::time(Span::from_ms(1), HOUR), Default::Is(Value::time(Span::from_secs(10))), "[BBR1] §4.1.2",
            "How long the shortest round trip is valid; then it is measured again."),
        Key::new("probe_rtt", Kind::time(Span::from_us(1), HOUR), Default::Is(Value::time(Span::from_ms(200))), "[BBR1] §4.3.5",
            "How long only four segments are in flight to measure the shortest round trip; a round trip at least."),
    ];
    const NEEDS: Needs = Needs { pacing: true, ..Needs::DELIVERY_RATES };
    const USUAL_RECOVERY: Option<UsualRecovery> = RACK;
    type Params = Bbr1Params;

    fn params(values: &Values) -> Result<Bbr1Params, Misfit> {
        Ok(Bbr1Params { rtprop_window: values.time("rtprop_window"), probe_rtt: values.time("probe_rtt") })
    }

    fn start(params: &Bbr1Params, draws: Stream) -> Bbr1 {
        Bbr1::new(params, draws)
    }

    /// The gain with which it begins to probe.
    fn is_random(_params: &Bbr1Params) -> bool {
        true
    }
}

/// With any other a retransmission that is lost again is found by a timeout only, and the model of the path decays meanwhile.
pub(super) const RACK: Option<UsualRecovery> = Some(UsualRecovery {
    name: "rack",
    source: "RFC 8985; BBR is used with it today",
    instead_of_sack: Some("a retransmission that is lost again is found by a timeout only"),
});
/// The longest time that BBR may be told to wait.
pub(super) const HOUR: Span = Span::from_secs(3600);

/// BBR.state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// BBRHighGain: 2/ln 2, so that the rate doubles in each round.
const HIGH_GAIN: f64 = 2.885;
/// BBRBtlBwFilterLen, rounds.
const RATE_ROUNDS: u64 = 10;
/// The gains of ProbeBW: one phase that asks for more, one that takes it back, six that cruise.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// BBRMinPipeCwnd, segments.
const MIN_WINDOW: f64 = 4.0;

impl Bbr1 {
    /// BBRInit (): the algorithm at the start of a connection.
    pub fn new(params: &Bbr1Params, stream: Stream) -> Bbr1 {
        Bbr1 {
            params: params.clone(),
            stream,
            cycles: 0,
            mode: Mode::Startup,
            pacing_gain: HIGH_GAIN,
            cwnd_gain: HIGH_GAIN,
            pacing_rate: None,
            initial: 0.0,
            cwnd: 0.0,
            prior_cwnd: 0.0,
            rounds: Rounds::default(),
            bottleneck: Maximum::default(),
            rtprop: None,
            rtprop_at: Time::ZERO,
            pipe_filled: false,
            growth: Plateau::default(),
            phase: 0,
            phase_at: Time::ZERO,
            probe_rtt_until: None,
            probe_rtt_round_done: false,
            idle_restart: false,
            loss_state: LossState::Open,
            conserves: false,
        }
    }

    /// The window at the start is that of the connection.
    fn begin(&mut self, window: &Window) {
        if self.initial == 0.0 {
            (self.initial, self.cwnd) = (window.cwnd, window.cwnd);
        }
    }

    // ---- BBRUpdateModelAndState ----

    /// BBRUpdateBtlBw ()
    fn update_bottleneck(&mut self, delivery: &Delivery) {
        self.rounds.update(delivery);
        if let Some(rate) = delivery.rate()
            && (!delivery.is_app_limited() || rate >= self.bottleneck.value())
        {
            self.bottleneck.update(self.rounds.count, rate, RATE_ROUNDS);
        }
    }

    /// BBRCheckCyclePhase (), BBRIsNextCyclePhase ()
    fn check_phase(&mut self, delivery: &Delivery) {
        if self.mode != Mode::ProbeBw {
            return;
        }
        let is_full_length = delivery.now.since(self.phase_at) > self.rtprop.unwrap_or(Span::ZERO);
        let goes_on = if self.pacing_gain > 1.0 {
            let is_full = delivery.prior_in_flight >= self.inflight(self.pacing_gain, delivery);
            is_full_length && (delivery.lost > 0.0 || is_full)
        } else if self.pacing_gain < 1.0 {
            is_full_length || delivery.prior_in_flight <= self.inflight(1.0, delivery)
        } else {
            is_full_length
        };
        if goes_on {
            self.advance_phase(delivery.now);
        }
    }

    /// BBRAdvanceCyclePhase ()
    fn advance_phase(&mut self, now: Time) {
        self.phase_at = now;
        self.phase = (self.phase + 1) % CYCLE.len();
        self.pacing_gain = CYCLE[self.phase];
    }

    /// BBRCheckFullPipe ()
    fn check_full_pipe(&mut self, delivery: &Delivery) {
        if !self.pipe_filled && self.rounds.starts && !delivery.is_app_limited() {
            self.pipe_filled = self.growth.reached(self.bottleneck.value());
        }
    }

    /// BBRCheckDrain ()
    fn check_drain(&mut self, delivery: &Delivery) {
        if self.mode == Mode::Startup && self.pipe_filled {
            (self.mode, self.pacing_gain, self.cwnd_gain) = (Mode::Drain, 1.0 / HIGH_GAIN, HIGH_GAIN);
        }
        if self.mode == Mode::Drain && delivery.in_flight <= self.inflight(1.0, delivery) {
            self.enter_probe_bw(delivery.now);
        }
    }

    /// BBREnterProbeBW (): at any phase but that which takes back.
    fn enter_probe_bw(&mut self, now: Time) {
        (self.mode, self.cwnd_gain) = (Mode::ProbeBw, 2.0);
        self.phase = CYCLE.len() - 1 - self.stream.below(CYCLE.len() as u64 - 1, self.cycles) as usize;
        self.cycles += 1;
        self.advance_phase(now);
    }

    /// BBRUpdateRTprop (), BBRCheckProbeRTT ()
    fn check_rtprop(&mut self, delivery: &Delivery) {
        let expired = self.rtprop.is_some() && delivery.now > self.rtprop_at + self.params.rtprop_window;
        if let Some(rtt) = delivery.rtt
            && (expired || self.rtprop.is_none_or(|rtprop| rtt <= rtprop))
        {
            (self.rtprop, self.rtprop_at) = (Some(rtt), delivery.now);
        }
        if self.mode != Mode::ProbeRtt && expired && !self.idle_restart {
            self.save_window();
            (self.mode, self.pacing_gain, self.cwnd_gain) = (Mode::ProbeRtt, 1.0, 1.0);
            self.probe_rtt_until = None;
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(delivery);
        }
        self.idle_restart = false;
    }

    /// BBRHandleProbeRTT ()
    fn probe_rtt(&mut self, delivery: &Delivery) {
        match self.probe_rtt_until {
            None if delivery.in_flight <= MIN_WINDOW * delivery.mss => {
                self.probe_rtt_until = Some(delivery.now + self.params.probe_rtt);
                self.probe_rtt_round_done = false;
                self.rounds.restart(delivery.total);
            }
            None => {}
            Some(until) => {
                self.probe_rtt_round_done |= self.rounds.starts;
                if self.probe_rtt_round_done && delivery.now > until {
                    self.rtprop_at = delivery.now;
                    self.restore_window();
                    self.leave_probe_rtt(delivery.now);
                }
            }
        }
    }

    /// BBRExitProbeRTT ()
    fn leave_probe_rtt(&mut self, now: Time) {
        if self.pipe_filled {
            self.enter_probe_bw(now);
        } else {
            (self.mode, self.pacing_gain, self.cwnd_gain) = (Mode::Startup, HIGH_GAIN, HIGH_GAIN);
        }
    }

    // ---- BBRUpdateControlParameters ----

    /// BBRSetPacingRate (): before the pipe is full it only rises.
    fn set_pacing_rate(&mut self, delivery: &Delivery) {
        self.init_pacing_rate();
        self.set_pacing_rate_with(self.pacing_gain, delivery.mss);
    }

    /// BBRInitPacingRate (), once a round trip is known.
    fn init_pacing_rate(&mut self) {
        if self.pacing_rate.is_none() {
            self.pacing_rate = self.rtprop.map(|rtt| HIGH_GAIN * self.cwnd / rtt.as_secs_f64().max(1e-12));
        }
    }

    /// BBRSetPacingRateWithGain ()
    fn set_pacing_rate_with(&mut self, gain: f64, mss: f64) {
        let rate = gain * self.bottleneck.value();
        // A rate of nothing would never end.
        let rate = rate.max(mss / 1000.0);
        if self.bottleneck.value() > 0.0 && (self.pipe_filled || self.pacing_rate.is_some_and(|old| rate > old)) {
            self.pacing_rate = Some(rate);
        }
    }

    /// BBRSetCwnd ()
    fn set_window(&mut self, delivery: &Delivery, mut cwnd: f64) -> f64 {
        let target = self.inflight(self.cwnd_gain, delivery);
        cwnd = self.modulate_for_recovery(delivery, cwnd);
        if !self.conserves {
            if self.pipe_filled {
                cwnd = (cwnd + delivery.delivered).min(target);
            } else if cwnd < target || (delivery.total as f64) < self.initial {
                cwnd += delivery.delivered;
            }
            cwnd = cwnd.max(MIN_WINDOW * delivery.mss);
        }
        if self.mode == Mode::ProbeRtt {
            cwnd = cwnd.min(MIN_WINDOW * delivery.mss); // BBRModulateCwndForProbeRTT ()
        }
        cwnd.min(delivery.limit)
    }

    /// BBRModulateCwndForRecovery (), and what happens at the beginning and the end of recovery.
    fn modulate_for_recovery(&mut self, delivery: &Delivery, mut cwnd: f64) -> f64 {
        let before = std::mem::replace(&mut self.loss_state, delivery.loss_state);
        if delivery.lost > 0.0 {
            cwnd = (cwnd - delivery.lost).max(delivery.mss);
        }
        match (before, delivery.loss_state) {
            (LossState::Open | LossState::Timeout, LossState::Recovery) => {
                self.save_window_of(before);
                cwnd = delivery.in_flight + delivery.delivered.max(delivery.mss);
                self.conserves = true;
                self.rounds.restart(delivery.total);
            }
            (LossState::Recovery, LossState::Recovery) => self.conserves &= !self.rounds.starts,
            (LossState::Recovery | LossState::Timeout, LossState::Open) => {
                cwnd = cwnd.max(self.prior_cwnd);
                self.conserves = false;
            }
            _ => {}
        }
        if self.conserves { cwnd.max(delivery.in_flight + delivery.delivered) } else { cwnd }
    }

    /// BBRInflight (): what the path holds, times `gain`, and what waits in end systems.
    fn inflight(&self, gain: f64, delivery: &Delivery) -> f64 {
        match self.rtprop {
            Some(rtprop) if self.bottleneck.value() > 0.0 => {
                gain * self.bottleneck.value() * rtprop.as_secs_f64() + 3.0 * self.send_quantum(delivery.mss)
            }
            _ => self.initial,
        }
    }

    /// BBRSetSendQuantum (): what an end system sends at once. Segments leave one by one here, but the window allows for it.
    fn send_quantum(&self, mss: f64) -> f64 {
        let rate = self.pacing_rate.unwrap_or(0.0);
        match rate * 8.0 {
            bits if bits < 1.2e6 => mss,
            bits if bits < 24e6 => 2.0 * mss,
            _ => (rate * 1e-3).min(65_536.0),
        }
    }

    /// BBRSaveCwnd ()
    fn save_window(&mut self) {
        self.save_window_of(self.loss_state);
    }

    fn save_window_of(&mut self, state: LossState) {
        let undisturbed = state == LossState::Open && self.mode != Mode::ProbeRtt;
        self.prior_cwnd = if undisturbed { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    /// BBRRestoreCwnd ()
    fn restore_window(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }
}

impl CongestionControl for Bbr1 {
    fn on_congestion(&mut self, _loss: &Loss, _window: &mut Window) {}

    /// The draft says nothing of ECN: marks do not concern it.
    fn on_mark(&mut self, _mark: &Loss, _window: &mut Window) -> bool {
        false
    }

    /// BBROnRTO ()
    fn on_rto(&mut self, loss: &Loss, window: &mut Window) {
        self.begin(window);
        self.save_window();
        self.loss_state = LossState::Timeout;
        self.conserves = false;
        self.cwnd = loss.mss;
        window.cwnd = loss.mss;
    }

    fn on_repeated_rto(&mut self, loss: &Loss, window: &mut Window) {
        self.on_rto(loss, window);
    }

    /// BBRInit (), where SRTT is known: that of the handshake.
    fn on_handshake(&mut self, now: Time, rtt: Span, window: &Window) {
        self.begin(window);
        (self.rtprop, self.rtprop_at) = (Some(rtt), now);
        self.init_pacing_rate();
    }

    /// BBRHandleRestartFromIdle (): a sender without data is limited by its application.
    fn on_restart(&mut self, _restart: &Restart) {
        self.idle_restart = true;
        if self.mode == Mode::ProbeBw {
            self.set_pacing_rate_with(1.0, 0.0);
        }
    }

    /// BBRUpdateOnACK ()
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        let delivery = ack.delivery();
        self.begin(window);
        self.update_bottleneck(delivery);
        self.check_phase(delivery);
        self.check_full_pipe(delivery);
        self.check_drain(delivery);
        self.check_rtprop(delivery);
        self.set_pacing_rate(delivery);
        self.cwnd = self.set_window(delivery, self.cwnd);
        window.cwnd = self.cwnd;
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.pacing_rate
    }

    fn holds_back(&self) -> bool {
        self.mode == Mode::ProbeRtt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::cc::RateSample;

    const MSS: f64 = 1000.0;

    fn bbr() -> Bbr1 {
        Bbr1::new(&Bbr1Params::default(), Stream::new(1, "f1", "test"))
    }

    fn window() -> Window {
        Window { cwnd: 10.0 * MSS, ssthresh: 1e12 }
    }

    /// An acknowledgement of one segment after `ms`, one round trip of 100 ms after it was sent.
    fn delivery(ms: u64, rate: f64) -> Delivery {
        Delivery {
            now: Time::ZERO + Span::from_ms(ms),
            mss: MSS,
            limit: 1e12,
            delivered: MSS,
            total: ms * 1000,
            sample: Some(RateSample {
                prior_delivered: ms.saturating_sub(100) * 1000,
                delivered: (ms - ms.saturating_sub(100)) as f64 * 1000.0,
                rate: Some(rate),
                app_limited: false,
                in_flight: 30.0 * MSS,
                lost: 0.0,
            }),
            window_limited: false,
            rtt: Some(Span::from_ms(100)),
            lost: 0.0,
            prior_in_flight: 30.0 * MSS,
            in_flight: 30.0 * MSS,
            loss_state: LossState::Open,
        }
    }

    /// An algorithm that has found 100 kB/s and 100 ms, 10 kB, in its cycle since `ms`.
    fn cruising(ms: u64) -> (Bbr1, Window) {
        let (mut bbr, mut window) = (bbr(), window());
        for n in 0..6 {
            bbr.on_ack(&Ack::delivering(&delivery(n * 100, 100_000.0)), &mut window);
        }
        assert_eq!(bbr.mode, Mode::Drain);
        bbr.on_ack(&Ack::delivering(&Delivery { in_flight: 10.0 * MSS, ..delivery(ms, 100_000.0) }), &mut window);
        assert_eq!(bbr.mode, Mode::ProbeBw);
        (0..30).for_each(|_| bbr.on_ack(&Ack::delivering(&delivery(ms, 100_000.0)), &mut window));
        assert_eq!(window.cwnd, 2.0 * 10_000.0 + 3.0 * MSS, "window gain 2");
        (bbr, window)
    }

    /// The rate doubles, then stands: full in the third round after the last growth.
    #[test]
    fn startup_ends_after_three_rounds_without_growth() {
        let (mut bbr, mut window) = (bbr(), window());
        let mut modes = Vec::new();
        for (n, rate) in [10e3, 20e3, 40e3, 80e3, 90e3, 99e3, 99e3].into_iter().enumerate() {
            bbr.on_ack(&Ack::delivering(&delivery(n as u64 * 100, rate)), &mut window);
            modes.push(bbr.mode);
            if n == 3 {
                let first = 2.885 * 10.0 * MSS / 0.1;
                assert_eq!(bbr.pacing_rate(), Some(first), "10 kB in 100 ms was higher");
            }
        }
        assert_eq!(modes[..6], [Mode::Startup; 6]);
        assert_eq!(modes[6], Mode::Drain);
        assert_eq!(bbr.pacing_rate(), Some(99e3 / 2.885));
    }

    /// bdp(1) = 10 kB + 3 segments, as 100 kB/s are below 1.2 Mb/s.
    #[test]
    fn a_cycle_asks_for_more_and_takes_it_back() {
        let (mut bbr, mut window) = cruising(600);
        let mut gains = Vec::new();
        for n in 0..16 {
            let last = bbr.pacing_gain;
            // At 1.25 enough is in flight, at 0.75 too much.
            bbr.on_ack(&Ack::delivering(&delivery(701 + n * 101, 100_000.0)), &mut window);
            assert_ne!((last, bbr.pacing_gain), (1.25, 1.0), "0.75 follows");
            gains.push(bbr.pacing_gain);
        }
        for gain in [1.25, 0.75] {
            assert_eq!(gains.iter().filter(|&&other| other == gain).count(), 2, "{gains:?}");
        }
        // 1.25 goes on until so much is in flight, 0.75 ends as soon as the queue is gone.
        bbr.pacing_gain = 1.25;
        bbr.phase = 0;
        bbr.phase_at = Time::ZERO;
        let few = |ms| Delivery { prior_in_flight: 12.9 * MSS, ..delivery(ms, 100_000.0) };
        bbr.on_ack(&Ack::delivering(&few(5000)), &mut window);
        assert_eq!(bbr.pacing_gain, 1.25);
        bbr.on_ack(&Ack::delivering(&Delivery { lost: 1.0, ..few(5001) }), &mut window);
        assert_eq!(bbr.pacing_gain, 0.75, "a loss means that it is full");
        bbr.on_ack(&Ack::delivering(&few(5002)), &mut window);
        assert_eq!(bbr.pacing_gain, 1.0);
    }

    /// ns-3 #1043: the window of the shortest round trip.
    #[test]
    fn the_shortest_round_trip_is_measured_again_after_ten_seconds() {
        let (mut bbr, mut window) = cruising(600);
        let at = |ms: u64, rtt: u64, in_flight: f64| Delivery {
            rtt: Some(Span::from_ms(rtt)),
            in_flight: in_flight * MSS,
            ..delivery(ms, 100_000.0)
        };
        bbr.on_ack(&Ack::delivering(&at(10_600, 120, 10.0)), &mut window);
        assert_eq!((bbr.mode, bbr.rtprop), (Mode::ProbeBw, Some(Span::from_ms(100))), "not more than 10 s");
        let before = window.cwnd;
        bbr.on_ack(&Ack::delivering(&at(10_601, 120, 10.0)), &mut window);
        assert_eq!((bbr.mode, bbr.rtprop), (Mode::ProbeRtt, Some(Span::from_ms(120))));
        assert!(bbr.holds_back());
        assert_eq!(window.cwnd, 4.0 * MSS);
        bbr.on_ack(&Ack::delivering(&at(10_650, 110, 4.0)), &mut window);
        // 200 ms from here, and a round trip: what is delivered must have been sent after 10 650.
        bbr.on_ack(&Ack::delivering(&at(10_700, 110, 4.0)), &mut window);
        bbr.on_ack(&Ack::delivering(&at(10_850, 110, 4.0)), &mut window);
        assert_eq!(bbr.mode, Mode::ProbeRtt, "200 ms are not over");
        bbr.on_ack(&Ack::delivering(&at(10_851, 110, 4.0)), &mut window);
        assert_eq!((bbr.mode, bbr.rtprop), (Mode::ProbeBw, Some(Span::from_ms(110))));
        assert_eq!(window.cwnd, before + MSS, "restored, and one segment more is delivered");
    }

    #[test]
    fn a_recovery_conserves_for_a_round_and_restores() {
        let (mut bbr, mut window) = cruising(600);
        bbr.on_ack(&Ack::delivering(&delivery(700, 100_000.0)), &mut window);
        let before = window.cwnd;
        let in_recovery = |ms, in_flight: f64| Delivery {
            loss_state: LossState::Recovery,
            in_flight: in_flight * MSS,
            ..delivery(ms, 100_000.0)
        };
        bbr.on_ack(&Ack::delivering(&Delivery { lost: 3.0 * MSS, ..in_recovery(710, 6.0) }), &mut window);
        assert_eq!(window.cwnd, 7.0 * MSS, "in flight, and one for what was delivered");
        bbr.on_ack(&Ack::delivering(&in_recovery(720, 6.0)), &mut window);
        assert_eq!(window.cwnd, 7.0 * MSS);
        bbr.on_ack(&Ack::delivering(&in_recovery(811, 6.0)), &mut window);
        assert_eq!(window.cwnd, 8.0 * MSS, "a round later it grows again");
        bbr.on_ack(&Ack::delivering(&delivery(820, 100_000.0)), &mut window);
        assert_eq!(window.cwnd, before);
    }

    #[test]
    fn a_timeout_leaves_one_segment_and_is_undone() {
        let (mut bbr, mut window) = cruising(600);
        bbr.on_ack(&Ack::delivering(&delivery(700, 100_000.0)), &mut window);
        let before = window.cwnd;
        bbr.on_rto(&Loss::of(MSS, 1e12), &mut window);
        assert_eq!(window.cwnd, MSS);
        let repairing = |ms| Delivery { loss_state: LossState::Timeout, ..delivery(ms, 100_000.0) };
        bbr.on_ack(&Ack::delivering(&repairing(2000)), &mut window);
        assert_eq!(window.cwnd, 4.0 * MSS);
        bbr.on_rto(&Loss::of(MSS, 1e12), &mut window);
        bbr.on_ack(&Ack::delivering(&repairing(5000)), &mut window);
        bbr.on_ack(&Ack::delivering(&delivery(5100, 100_000.0)), &mut window);
        assert_eq!(window.cwnd, before, "not what a second timeout found");
    }
}
