//! What follows from the model: the pace and the window.
//! Source: \[BBR3\] §5.6, whose functions the comments name.   Units: bytes, bytes per second.

use super::Bbr3;
use super::state::{MIN_WINDOW, State};
use crate::tcp::cc::{Delivery, LossState};

/// BBR.PacingMarginPercent.
const PACING_MARGIN: f64 = 0.99;

impl Bbr3 {
    // ---- UpdateControlParameters ----

    /// SetPacingRate (): before the path is known to be full it only rises.
    pub(super) fn set_pacing_rate(&mut self, mss: f64) {
        self.init_pacing_rate();
        self.set_pacing_rate_with(self.state.pacing_gain(), mss);
    }

    /// InitPacingRate ()
    pub(super) fn init_pacing_rate(&mut self) {
        if self.pacing_rate.is_none() {
            let of_start = State::Startup.pacing_gain() * self.cwnd;
            self.pacing_rate = self.shortest.rtt.map(|rtt| of_start / rtt.as_secs_f64().max(1e-12));
        }
    }

    /// SetPacingRateWithGain ()
    pub(super) fn set_pacing_rate_with(&mut self, gain: f64, mss: f64) {
        // A rate of nothing would never end.
        let rate = (gain * self.bw * PACING_MARGIN).max(mss / 1000.0);
        if self.bw > 0.0 && (self.full_bw_reached || self.pacing_rate.is_some_and(|old| rate > old)) {
            self.pacing_rate = Some(rate);
        }
    }

    /// SetCwnd ()
    pub(super) fn set_window(&mut self, delivery: &Delivery) {
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

    /// ProbeRTTCwnd ()
    pub(super) fn probe_rtt_window(&self, mss: f64) -> f64 {
        self.multiple_of_bdp(State::ProbeRtt.cwnd_gain(), self.bw).max(MIN_WINDOW * mss)
    }

    /// BBR.bdp
    pub(super) fn bdp(&self, bw: f64) -> f64 {
        self.shortest.rtt.map_or(0.0, |rtt| bw * rtt.as_secs_f64())
    }

    /// BDPMultiple ()
    pub(super) fn multiple_of_bdp(&self, gain: f64, bw: f64) -> f64 {
        if self.shortest.rtt.is_none() { self.initial } else { gain * self.bdp(bw) }
    }

    /// Inflight (), with a gain of one.
    pub(super) fn inflight(&self, bw: f64, mss: f64) -> f64 {
        self.quantize(self.multiple_of_bdp(1.0, bw), mss)
    }

    /// QuantizationBudget (), UpdateOffloadBudget (), SetSendQuantum (): segments leave one by one here, but the window
    /// allows for end systems that send more at once.
    pub(super) fn quantize(&self, inflight: f64, mss: f64) -> f64 {
        let quantum = (self.pacing_rate.unwrap_or(0.0) * 1e-3).min(65_536.0).max(2.0 * mss);
        let probes = if self.state == State::Up { 2.0 * mss } else { 0.0 };
        inflight.max(3.0 * quantum).max(MIN_WINDOW * mss) + probes
    }

    /// TargetInflight ()
    pub(super) fn target_inflight(&self) -> f64 {
        self.bdp(self.bw).min(self.cwnd)
    }

    /// SaveCwnd ()
    pub(super) fn save_window(&mut self, state: LossState) {
        let undisturbed = state == LossState::Open && self.state != State::ProbeRtt;
        self.prior_cwnd = if undisturbed { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    /// OnEnterFastRecovery (), and the end of recovery.
    pub(super) fn follow_recovery(&mut self, state: LossState) {
        let before = std::mem::replace(&mut self.loss_state, state);
        match (before, state) {
            (LossState::Open | LossState::Timeout, LossState::Recovery) => self.save_window(before),
            (LossState::Recovery | LossState::Timeout, LossState::Open) => self.cwnd = self.cwnd.max(self.prior_cwnd),
            _ => {}
        }
    }
}
