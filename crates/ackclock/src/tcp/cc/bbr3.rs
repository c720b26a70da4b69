//! BBR, version 3: a model of the path at two time scales sets a pace and a window. Over the long term the largest rate and
//! the volume that the path takes while it is probed, over the short term what losses in between leave of these.
//! Source: \[BBR3\] (draft-ietf-ccwg-bbr-06), whose functions the comments name.   Units: bytes, bytes per second.

mod probe_bw;

use super::bbr1::{HOUR, RACK};
use super::path_model::{Maximum, Plateau, Rounds};
use super::{Ack, CongestionControl, Delivery, Loss, LossState, LostSegment, Mechanism, Needs, UsualRecovery, Window};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::rng::Stream;
use crate::units::{Span, Time};
use probe_bw::{AckPhase, Probe};

/// The model and what follows from it. What has no value yet is infinite, as in the draft.
#[derive(Clone, Debug)]
pub struct Bbr3 {
    params: Bbr3Params,
    /// For the waits between probes, of which there were so many.
    stream: Stream,
    waits: u64,
    state: State,
    /// C.pacing_rate, once a round trip is known.
    pacing_rate: Option<f64>,
    /// C.InitialCwnd; 0 before the first acknowledgement.
    initial: f64,
    /// The window as this algorithm has it, and what is to be restored after losses and ProbeRTT.
    cwnd: f64,
    prior_cwnd: f64,
    loss_state: LossState,
    rounds: Rounds,
    drain_start_round: u64,
    /// The model of the rate: BBR.max_bw by cycles, BBR.bw, and what losses leave of it.
    max_bw: Maximum,
    cycles: u64,
    bw: f64,
    bw_latest: f64,
    bw_shortterm: f64,
    /// The model of the volume.
    inflight_latest: f64,
    inflight_shortterm: f64,
    inflight_longterm: f64,
    aggregation: Aggregation,
    shortest: Shortest,
    /// BBR.full_bw_now, BBR.full_bw_reached, and the estimator of both.
    full_bw_now: bool,
    full_bw_reached: bool,
    growth: Plateau,
    losses: LossRound,
    probe: Probe,
    /// When ProbeRTT may end, once little enough is in flight; and whether a round trip has passed since.
    probe_rtt_until: Option<Time>,
    probe_rtt_round_done: bool,
}

/// The constants of BBR, version 3 (\[BBR3\] §2.8, §2.16).
#[derive(Clone, Debug, PartialEq)]
pub struct Bbr3Params {
    /// For how long the shortest round trip is believed: MinRTTFilterLen.
    pub min_rtt_window: Span,
    /// For how long no shorter one is seen before it is measured again: ProbeRTTInterval.
    pub probe_rtt_interval: Span,
    /// For how long less is sent when it is: ProbeRTTDuration.
    pub probe_rtt: Span,
    /// Lost part of what is in flight above which there was too much: LossThresh.
    pub loss_threshold: f64,
    /// What a round trip with losses leaves at least: Beta.
    pub beta: f64,
    /// Part of inflight_longterm that is left to others: Headroom.
    pub headroom: f64,
}

impl std::default::Default for Bbr3Params {
    fn default() -> Bbr3Params {
        Bbr3::default_params()
    }
}

impl Mechanism for Bbr3 {
    const NAME: &'static str = "bbr3";
    const ABOUT: &'static str =
        "BBR, version 3: a model of the path at two time scales sets the pacing rate and the window.";
    const KEYS: &'static [Key] = &[
        Key::new(
            "min_rtt_window",
            Kind::Time(Span::from_ms(1), HOUR),
            Default::Is(Value::Time(Span::from_secs(10))),
            "[BBR3] §2.16.1",
            "MinRTTFilterLen: how long the shortest round trip is valid.",
        ),
        Key::new(
            "probe_rtt",
            Kind::Time(Span::from_us(1), HOUR),
            Default::Is(Value::Time(Span::from_ms(200))),
            "[BBR3] §2.16.2",
            "ProbeRTTDuration: how long half the bandwidth-delay product is in flight to measure the shortest round trip; a round trip at least.",
        ),
        Key::new(
            "probe_rtt_interval",
            Kind::Time(Span::from_ms(1), HOUR),
            Default::Is(Value::Time(Span::from_secs(5))),
            "[BBR3] §2.16.2",
            "ProbeRTTInterval: the time without a shorter round trip after which the shortest is measured again.",
        ),
        Key::new(
            "loss_threshold",
            Kind::Share,
            Default::Is(Value::Number(0.02)),
            "[BBR3] §2.8",
            "LossThresh: the lost share of the bytes in flight above which a probe was too high.",
        ),
        Key::new(
            "beta",
            Kind::Share,
            Default::Is(Value::Number(0.7)),
            "[BBR3] §2.8",
            "Beta: the smallest share of rate and volume that remains after a round trip with losses.",
        ),
        Key::new(
            "headroom",
            Kind::Share,
            Default::Is(Value::Number(0.15)),
            "[BBR3] §2.8",
            "Headroom: the share of the measured volume of the path that is left to other flows between probes.",
        ),
    ];
    const NEEDS: Needs = Needs::DELIVERY_RATES;
    const USUAL_RECOVERY: Option<UsualRecovery> = RACK;
    type Params = Bbr3Params;

    fn params(values: &Values) -> Result<Bbr3Params, Misfit> {
        Ok(Bbr3Params {
            min_rtt_window: values.time("min_rtt_window"),
            probe_rtt_interval: values.time("probe_rtt_interval"),
            probe_rtt: values.time("probe_rtt"),
            loss_threshold: values.number("loss_threshold"),
            beta: values.number("beta"),
            headroom: values.number("headroom"),
        })
    }

    fn start(params: &Bbr3Params, draws: Stream) -> Bbr3 {
        Bbr3::new(params, draws)
    }

    /// For how long it waits before it probes.
    fn is_random(_params: &Bbr3Params) -> bool {
        true
    }
}

/// BBR.state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

/// The round trips in which losses are summed up, and what was lost in the present one.
#[derive(Clone, Copy, Debug, Default)]
struct LossRound {
    /// BBR.loss_round_delivered, BBR.loss_round_start.
    ends_at: u64,
    starts: bool,
    /// BBR.is_loss_in_round; how many ranges of segments; the number after the last one.
    any: bool,
    ranges: u32,
    next_number: Option<u64>,
}

/// BBR.extra_acked: what is acknowledged beyond what the rate lets expect.
#[derive(Clone, Debug, Default)]
struct Aggregation {
    since: Time,
    delivered: f64,
    extra: Maximum,
}

/// BBR.min_rtt, and BBR.probe_rtt_min_delay, which decides when that is measured again.
#[derive(Clone, Copy, Debug, Default)]
struct Shortest {
    rtt: Option<Span>,
    at: Time,
    probed: Option<Span>,
    probed_at: Time,
    expired: bool,
}

impl State {
    /// BBR.pacing_gain (§5.6.1).
    fn pacing_gain(self) -> f64 {
        match self {
            State::Startup => 2.77,
            State::Drain => 0.5,
            State::Down => 0.9,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
            State::Up => 1.25,
        }
    }

    /// BBR.cwnd_gain (§5.6.1).
    fn cwnd_gain(self) -> f64 {
        match self {
            State::Up => 2.25,
            State::ProbeRtt => 0.5,
            _ => 2.0,
        }
    }

    /// IsInAProbeBWState ()
    fn is_probe_bw(self) -> bool {
        matches!(self, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// IsProbingBW ()
    fn is_probing(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }
}

/// BBR.MinPipeCwnd, segments.
const MIN_WINDOW: f64 = 4.0;
/// BBR.PacingMarginPercent.
const PACING_MARGIN: f64 = 0.99;
/// BBR.MaxBwFilterLen, cycles; BBR.ExtraAckedFilterLen, round trips.
const RATE_CYCLES: u64 = 2;
const EXTRA_ACKED_ROUNDS: u64 = 10;
/// BBRStartupFullLossCnt: ranges lost in a round trip that end Startup.
const STARTUP_LOST_RANGES: u32 = 6;
/// Round trips after which Drain ends anyway.
const DRAIN_ROUNDS: u64 = 3;

impl Bbr3 {
    /// OnInit (): the algorithm at the start of a connection.
    pub fn new(params: &Bbr3Params, stream: Stream) -> Bbr3 {
        Bbr3 {
            params: params.clone(),
            stream,
            waits: 0,
            state: State::Startup,
            pacing_rate: None,
            initial: 0.0,
            cwnd: 0.0,
            prior_cwnd: 0.0,
            loss_state: LossState::Open,
            rounds: Rounds::default(),
            drain_start_round: 0,
            max_bw: Maximum::default(),
            cycles: 0,
            bw: 0.0,
            bw_latest: 0.0,
            bw_shortterm: f64::INFINITY,
            inflight_latest: 0.0,
            inflight_shortterm: f64::INFINITY,
            inflight_longterm: f64::INFINITY,
            aggregation: Aggregation::default(),
            shortest: Shortest::default(),
            full_bw_now: false,
            full_bw_reached: false,
            growth: Plateau::default(),
            losses: LossRound::default(),
            probe: Probe::new(),
            probe_rtt_until: None,
            probe_rtt_round_done: false,
        }
    }

    /// The window at the start is that of the connection.
    fn begin(&mut self, window: &Window) {
        if self.initial == 0.0 {
            (self.initial, self.cwnd) = (window.cwnd, window.cwnd);
        }
    }

    // ---- UpdateModelAndState ----

    /// UpdateLatestDeliverySignals ()
    fn update_latest(&mut self, delivery: &Delivery) {
        self.bw_latest = self.bw_latest.max(delivery.rate.unwrap_or(0.0));
        self.inflight_latest = self.inflight_latest.max(delivered_since(delivery));
        self.losses.starts = delivery.total_when_sent.is_some_and(|total| total >= self.losses.ends_at);
        if self.losses.starts {
            self.losses.ends_at = delivery.total;
        }
    }

    /// UpdateCongestionSignals (), UpdateMaxBw ()
    fn update_congestion(&mut self, delivery: &Delivery) {
        self.rounds.update(delivery);
        self.probe.rounds_since += u64::from(self.rounds.starts);
        if let Some(rate) = delivery.rate
            && (!delivery.app_limited || rate >= self.max_bw.value())
        {
            self.max_bw.update(self.cycles, rate, RATE_CYCLES);
        }
        if self.losses.starts && self.losses.any && !self.state.is_probing() {
            self.lower_bounds();
        }
    }

    /// InitLowerBounds (), LossLowerBounds (): at the end of a round trip with losses.
    fn lower_bounds(&mut self) {
        let beta = self.params.beta;
        let bw = if self.bw_shortterm.is_finite() { self.bw_shortterm } else { self.max_bw.value() };
        let inflight = if self.inflight_shortterm.is_finite() { self.inflight_shortterm } else { self.cwnd };
        self.bw_shortterm = self.bw_latest.max(beta * bw);
        self.inflight_shortterm = self.inflight_latest.max(beta * inflight);
    }

    /// UpdateACKAggregation ()
    fn update_aggregation(&mut self, delivery: &Delivery) {
        let Aggregation { since, delivered, extra } = &mut self.aggregation;
        let mut expected = self.bw * delivery.now.since(*since).as_secs_f64();
        if *delivered <= expected {
            (*since, *delivered, expected) = (delivery.now, 0.0, 0.0);
        }
        *delivered += delivery.delivered;
        let rounds = if self.full_bw_reached { EXTRA_ACKED_ROUNDS } else { 1 };
        extra.update(self.rounds.count, (*delivered - expected).min(self.cwnd), rounds);
    }

    /// CheckFullBWReached ()
    fn check_full_bw(&mut self, delivery: &Delivery) {
        if self.full_bw_now || !self.rounds.starts || delivery.app_limited {
            return;
        }
        if let Some(rate) = delivery.rate {
            self.full_bw_now = self.growth.reached(rate);
            self.full_bw_reached |= self.full_bw_now;
        }
    }

    /// ResetFullBW (), with a rate to compare with.
    fn reset_full_bw(&mut self, rate: Option<f64>) {
        self.full_bw_now = false;
        self.growth = Plateau::from(rate.unwrap_or(0.0));
    }

    /// CheckStartupDone (), CheckStartupHighLoss ()
    fn check_startup(&mut self, delivery: &Delivery) {
        if self.state != State::Startup {
            return;
        }
        // A round trip of losses ends: so it lasted for at least one.
        let lossy = self.losses.starts
            && delivery.loss_state == LossState::Recovery
            && self.losses.ranges >= STARTUP_LOST_RANGES
            && self.is_too_high(delivery.lost_since, delivery.in_flight_when_sent);
        if lossy {
            self.full_bw_reached = true;
            self.inflight_longterm = self.bdp(self.bw).max(self.inflight_latest);
        }
        if self.full_bw_reached {
            self.state = State::Drain;
            self.drain_start_round = self.rounds.count;
        }
    }

    /// CheckDrainDone ()
    fn check_drain(&mut self, delivery: &Delivery) {
        let is_drained = delivery.in_flight <= self.inflight(self.bw, delivery.mss);
        let is_over = self.rounds.count > self.drain_start_round + DRAIN_ROUNDS;
        if self.state == State::Drain && (is_drained || is_over) {
            self.start_down(delivery.now, delivery.total);
        }
    }

    // ---- ProbeRTT ----

    /// UpdateMinRTT ()
    fn update_min_rtt(&mut self, delivery: &Delivery) {
        let Shortest { rtt, at, probed, probed_at, expired } = &mut self.shortest;
        if probed.is_none() {
            (*at, *probed_at) = (delivery.now, delivery.now); // clocks begin with the first round trip
        }
        *expired = delivery.now > *probed_at + self.params.probe_rtt_interval;
        if let Some(sample) = delivery.rtt
            && (*expired || probed.is_none_or(|probed| sample < probed))
        {
            (*probed, *probed_at) = (Some(sample), delivery.now);
        }
        let is_shorter = probed.is_some_and(|probed| rtt.is_none_or(|rtt| probed < rtt));
        if is_shorter || delivery.now > *at + self.params.min_rtt_window {
            (*rtt, *at) = (*probed, *probed_at);
        }
    }

    /// CheckProbeRTT (), EnterProbeRTT (), HandleProbeRTT ()
    fn check_probe_rtt(&mut self, delivery: &Delivery) {
        if self.state != State::ProbeRtt && self.shortest.expired {
            self.save_window(self.loss_state);
            self.state = State::ProbeRtt;
            self.probe_rtt_until = None;
            self.probe.ack_phase = AckPhase::ProbeStopping;
            self.rounds.restart(delivery.total);
        }
        if self.state != State::ProbeRtt {
            return;
        }
        match self.probe_rtt_until {
            None if delivery.in_flight <= self.probe_rtt_window(delivery.mss) => {
                self.probe_rtt_until = Some(delivery.now + self.params.probe_rtt);
                self.probe_rtt_round_done = false;
                self.rounds.restart(delivery.total);
            }
            None => {}
            Some(until) => {
                self.probe_rtt_round_done |= self.rounds.starts;
                if self.probe_rtt_round_done && delivery.now > until {
                    self.leave_probe_rtt(delivery);
                }
            }
        }
    }

    /// CheckProbeRTTDone (), ExitProbeRTT ()
    fn leave_probe_rtt(&mut self, delivery: &Delivery) {
        self.shortest.probed_at = delivery.now;
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        self.reset_short_term();
        if self.full_bw_reached {
            self.start_down(delivery.now, delivery.total);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }

    // ---- UpdateControlParameters ----

    /// SetPacingRate (), InitPacingRate (): before the path is known to be full it only rises.
    fn set_pacing_rate(&mut self, mss: f64) {
        if self.pacing_rate.is_none() {
            let of_start = State::Startup.pacing_gain() * self.cwnd;
            self.pacing_rate = self.shortest.rtt.map(|rtt| of_start / rtt.as_secs_f64().max(1e-12));
        }
        // A rate of nothing would never end.
        let rate = (self.state.pacing_gain() * self.bw * PACING_MARGIN).max(mss / 1000.0);
        if self.bw > 0.0 && (self.full_bw_reached || self.pacing_rate.is_some_and(|old| rate > old)) {
            self.pacing_rate = Some(rate);
        }
    }

    /// SetCwnd ()
    fn set_window(&mut self, delivery: &Delivery) {
        let max_inflight = self.multiple_of_bdp(self.state.cwnd_gain(), self.bw) + self.aggregation.extra.value();
        let max_inflight = self.quantize(max_inflight, delivery.mss);
        if self.full_bw_reached {
            self.cwnd = (self.cwnd + delivery.delivered).min(max_inflight);
        } else if self.cwnd < max_inflight || (delivery.total as f64) < self.initial {
            self.cwnd += delivery.delivered;
        }
        self.cwnd = self.cwnd.max(MIN_WINDOW * delivery.mss);
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_window(delivery.mss));
        }
        self.cwnd = self.cwnd.min(self.volume_cap(delivery.mss)).min(delivery.limit);
    }

    /// BoundCwndForModel ()
    fn volume_cap(&self, mss: f64) -> f64 {
        let cap = match self.state {
            State::Down | State::Refill | State::Up => self.inflight_longterm,
            State::Cruise | State::ProbeRtt => self.with_headroom(mss),
            State::Startup | State::Drain => f64::INFINITY,
        };
        cap.min(self.inflight_shortterm).max(MIN_WINDOW * mss)
    }

    /// InflightWithHeadroom ()
    fn with_headroom(&self, mss: f64) -> f64 {
        let headroom = (self.params.headroom * self.inflight_longterm).max(mss);
        match self.inflight_longterm.is_finite() {
            true => (self.inflight_longterm - headroom).max(MIN_WINDOW * mss),
            false => f64::INFINITY,
        }
    }

    /// ProbeRTTCwnd ()
    fn probe_rtt_window(&self, mss: f64) -> f64 {
        self.multiple_of_bdp(State::ProbeRtt.cwnd_gain(), self.bw).max(MIN_WINDOW * mss)
    }

    /// BBR.bdp
    fn bdp(&self, bw: f64) -> f64 {
        self.shortest.rtt.map_or(0.0, |rtt| bw * rtt.as_secs_f64())
    }

    /// BDPMultiple ()
    fn multiple_of_bdp(&self, gain: f64, bw: f64) -> f64 {
        if self.shortest.rtt.is_none() { self.initial } else { gain * self.bdp(bw) }
    }

    /// Inflight (), with a gain of one.
    fn inflight(&self, bw: f64, mss: f64) -> f64 {
        self.quantize(self.multiple_of_bdp(1.0, bw), mss)
    }

    /// QuantizationBudget (), UpdateOffloadBudget (), SetSendQuantum (): segments leave one by one here, but the window
    /// allows for end systems that send more at once.
    fn quantize(&self, inflight: f64, mss: f64) -> f64 {
        let quantum = (self.pacing_rate.unwrap_or(0.0) * 1e-3).min(65_536.0).max(2.0 * mss);
        let probes = if self.state == State::Up { 2.0 * mss } else { 0.0 };
        inflight.max(3.0 * quantum).max(MIN_WINDOW * mss) + probes
    }

    /// TargetInflight ()
    fn target_inflight(&self) -> f64 {
        self.bdp(self.bw).min(self.cwnd)
    }

    // ---- Losses ----

    /// IsInflightTooHigh ()
    fn is_too_high(&self, lost: f64, in_flight: f64) -> bool {
        lost > in_flight * self.params.loss_threshold
    }

    /// ResetShortTermModel ()
    fn reset_short_term(&mut self) {
        (self.bw_shortterm, self.inflight_shortterm) = (f64::INFINITY, f64::INFINITY);
    }

    /// HandleInflightTooHigh ()
    fn handle_too_high(&mut self, lost: &LostSegment) {
        self.probe.was_too_high = true;
        self.probe.is_sample = false;
        if !lost.app_limited {
            let floor = self.target_inflight() * self.params.beta;
            self.inflight_longterm = self.inflight_at_loss(lost).max(floor);
        }
        if self.state == State::Up {
            self.start_down(lost.now, lost.total);
        }
    }

    /// InflightAtLoss (): at which part of the segment losses passed the threshold.
    fn inflight_at_loss(&self, lost: &LostSegment) -> f64 {
        let threshold = self.params.loss_threshold;
        let before = lost.in_flight_when_sent - lost.len;
        before + (threshold * before - (lost.lost_since - lost.len)) / (1.0 - threshold)
    }

    /// SaveCwnd ()
    fn save_window(&mut self, state: LossState) {
        let undisturbed = state == LossState::Open && self.state != State::ProbeRtt;
        self.prior_cwnd = if undisturbed { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    /// OnEnterFastRecovery (), and the end of recovery.
    fn follow_recovery(&mut self, state: LossState) {
        let before = std::mem::replace(&mut self.loss_state, state);
        match (before, state) {
            (LossState::Open | LossState::Timeout, LossState::Recovery) => self.save_window(before),
            (LossState::Recovery | LossState::Timeout, LossState::Open) => self.cwnd = self.cwnd.max(self.prior_cwnd),
            _ => {}
        }
    }
}

/// RS.delivered.
fn delivered_since(delivery: &Delivery) -> f64 {
    delivery.total_when_sent.map_or(0.0, |before| (delivery.total - before) as f64)
}

impl CongestionControl for Bbr3 {
    /// Everything happens in [`CongestionControl::on_delivery`] and [`CongestionControl::on_lost_segment`].
    fn on_ack(&mut self, _ack: &Ack, _window: &mut Window) {}

    fn on_congestion(&mut self, _loss: &Loss, _window: &mut Window) {}

    /// OnEnterRTO (): nothing is in flight any more.
    fn on_rto(&mut self, loss: &Loss, window: &mut Window) {
        self.begin(window);
        self.save_window(self.loss_state);
        self.loss_state = LossState::Timeout;
        self.cwnd = loss.mss;
        window.cwnd = loss.mss;
    }

    /// HandleLostPacket (), NoteLoss ()
    fn on_lost_segment(&mut self, lost: &LostSegment) {
        if !self.losses.any {
            self.losses.ends_at = lost.total;
        }
        self.losses.any = true;
        self.losses.ranges += u32::from(self.losses.next_number != Some(lost.number));
        self.losses.next_number = Some(lost.number + 1);
        if self.probe.is_sample && self.is_too_high(lost.lost_since, lost.in_flight_when_sent) {
            self.handle_too_high(lost);
        }
    }

    /// UpdateOnACK ()
    fn on_delivery(&mut self, delivery: &Delivery, window: &mut Window) {
        self.begin(window);
        self.follow_recovery(delivery.loss_state);
        self.update_latest(delivery);
        self.update_congestion(delivery);
        self.update_aggregation(delivery);
        self.check_full_bw(delivery);
        self.check_startup(delivery);
        self.check_drain(delivery);
        self.update_probe_bw(delivery);
        self.update_min_rtt(delivery);
        self.check_probe_rtt(delivery);
        if self.losses.starts {
            (self.losses.any, self.losses.ranges) = (false, 0);
            // AdvanceLatestDeliverySignals ()
            self.bw_latest = delivery.rate.unwrap_or(0.0);
            self.inflight_latest = delivered_since(delivery);
        }
        self.bw = self.max_bw.value().min(self.bw_shortterm); // BoundBWForModel ()
        self.set_pacing_rate(delivery.mss);
        self.set_window(delivery);
        window.cwnd = self.cwnd;
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.pacing_rate
    }

    fn holds_back(&self) -> bool {
        self.state == State::ProbeRtt
    }
}

#[cfg(test)]
mod tests;
