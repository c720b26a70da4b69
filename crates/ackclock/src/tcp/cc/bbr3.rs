//! BBR, version 3: a model of the path at two time scales sets a pace and a window. Over the long term the largest rate and
//! the volume that the path takes while it is probed, over the short term what losses in between leave of these.
//! Source: \[BBR3\] (draft-ietf-ccwg-bbr-06), whose functions the comments name.   Units: bytes, bytes per second.

mod control;
mod model;
mod probe_bw;
mod probe_rtt;
mod startup;
mod state;

use super::bbr1::{HOUR, RACK};
use super::path_model::{Maximum, Plateau, Rounds};
use super::{Ack, CongestionControl, Loss, LossState, LostSegment, Mechanism, Needs, Restart, UsualRecovery, Window};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::rng::Stream;
use crate::units::{Span, Time};
use state::{Aggregation, LossRound, Probe, Shortest, State};

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
    /// BBR.idle_restart: since nothing was outstanding nothing was delivered.
    idle_restart: bool,
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
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("min_rtt_window", Kind::time(Span::from_ms(1), HOUR), Default::Is(Value::time(Span::from_secs(10))), "[BBR3] §2.16.1",
            "MinRTTFilterLen: how long the shortest round trip is valid."),
        Key::new("probe_rtt", Kind::time(Span::from_us(1), HOUR), Default::Is(Value::time(Span::from_ms(200))), "[BBR3] §2.16.2",
            "ProbeRTTDuration: how long half the bandwidth-delay product is in flight to measure the shortest round trip; a round trip at least."),
        Key::new("probe_rtt_interval", Kind::time(Span::from_ms(1), HOUR), Default::Is(Value::time(Span::from_secs(5))), "[BBR3] §2.16.2",
            "ProbeRTTInterval: the time without a shorter round trip after which the shortest is measured again."),
        Key::new("loss_threshold", Kind::Share, Default::Is(Value::Number(0.02)), "[BBR3] §2.8",
            "LossThresh: the lost share of the bytes in flight above which a probe was too high."),
        Key::new("beta", Kind::Share, Default::Is(Value::Number(0.7)), "[BBR3] §2.8",
            "Beta: the smallest share of rate and volume that remains after a round trip with losses."),
        Key::new("headroom", Kind::Share, Default::Is(Value::Number(0.15)), "[BBR3] §2.8",
            "Headroom: the share of the measured volume of the path that is left to other flows between probes."),
    ];
    const NEEDS: Needs = Needs { pacing: true, ..Needs::DELIVERY_RATES };
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
            idle_restart: false,
        }
    }

    /// The window at the start is that of the connection.
    fn begin(&mut self, window: &Window) {
        if self.initial == 0.0 {
            (self.initial, self.cwnd) = (window.cwnd, window.cwnd);
        }
    }
}

impl CongestionControl for Bbr3 {
    fn on_congestion(&mut self, _loss: &Loss, _window: &mut Window) {}

    /// The draft says nothing of ECN: marks do not concern it.
    fn on_mark(&mut self, _mark: &Loss, _window: &mut Window) -> bool {
        false
    }

    /// OnEnterRTO (): nothing is in flight any more.
    fn on_rto(&mut self, loss: &Loss, window: &mut Window) {
        self.begin(window);
        self.save_window(self.loss_state);
        self.loss_state = LossState::Timeout;
        self.cwnd = loss.mss;
        window.cwnd = loss.mss;
    }

    fn on_repeated_rto(&mut self, loss: &Loss, window: &mut Window) {
        self.on_rto(loss, window);
    }

    /// OnInit (), where SRTT is known: that of the handshake.
    fn on_handshake(&mut self, now: Time, rtt: Span, window: &Window) {
        self.begin(window);
        self.shortest = Shortest { rtt: Some(rtt), at: now, probed: Some(rtt), probed_at: now, expired: false };
        self.init_pacing_rate();
    }

    /// HandleRestartFromIdle (): a sender without data is limited by its application.
    fn on_restart(&mut self, restart: &Restart) {
        self.idle_restart = true;
        self.aggregation.since = restart.now;
        if self.state.is_probe_bw() {
            self.set_pacing_rate_with(1.0, 0.0);
        } else if self.state == State::ProbeRtt && self.probe_rtt_until.is_some_and(|until| restart.now > until) {
            self.leave_probe_rtt(restart.now, restart.delivered);
        }
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
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        let delivery = ack.delivery();
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
        self.idle_restart &= delivery.delivered == 0.0;
        if self.losses.starts {
            (self.losses.any, self.losses.ranges) = (false, 0);
            // AdvanceLatestDeliverySignals ()
            self.bw_latest = delivery.rate().unwrap_or(0.0);
            self.inflight_latest = delivery.sample.map_or(0.0, |sample| sample.delivered);
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
