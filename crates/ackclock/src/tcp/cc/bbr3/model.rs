//! The model of the path: its rate and its volume, over the long term what probes have found, over the short term what losses
//! leave of these.
//! Source: \[BBR3\] §5.5, whose functions the comments name.   Units: bytes, bytes per second.

use super::Bbr3;
use super::state::{Aggregation, MIN_WINDOW, State};
use crate::tcp::cc::{Delivery, LostSegment};

/// BBR.MaxBwFilterLen, cycles; BBR.ExtraAckedFilterLen, round trips.
const RATE_CYCLES: u64 = 2;
const EXTRA_ACKED_ROUNDS: u64 = 10;

impl Bbr3 {
    /// UpdateLatestDeliverySignals ()
    pub(super) fn update_latest(&mut self, delivery: &Delivery) {
        self.bw_latest = self.bw_latest.max(delivery.rate().unwrap_or(0.0));
        self.inflight_latest = self.inflight_latest.max(delivery.sample.map_or(0.0, |sample| sample.delivered));
        self.losses.starts = delivery.sample.is_some_and(|sample| sample.prior_delivered >= self.losses.ends_at);
        if self.losses.starts {
            self.losses.ends_at = delivery.total;
        }
    }

    /// UpdateCongestionSignals (), UpdateMaxBw ()
    pub(super) fn update_congestion(&mut self, delivery: &Delivery) {
        self.rounds.update(delivery);
        self.probe.rounds_since += u64::from(self.rounds.starts);
        if let Some(rate) = delivery.rate()
            && (!delivery.is_app_limited() || rate >= self.max_bw.value())
        {
            self.max_bw.update(self.cycles, rate, RATE_CYCLES);
        }
        if self.losses.starts && self.losses.any && !self.state.is_probing() {
            self.lower_bounds();
        }
    }

    /// InitLowerBounds (), LossLowerBounds (): at the end of a round trip with losses.
    pub(super) fn lower_bounds(&mut self) {
        let beta = self.params.beta;
        let bw = if self.bw_shortterm.is_finite() { self.bw_shortterm } else { self.max_bw.value() };
        let inflight = if self.inflight_shortterm.is_finite() { self.inflight_shortterm } else { self.cwnd };
        self.bw_shortterm = self.bw_latest.max(beta * bw);
        self.inflight_shortterm = self.inflight_latest.max(beta * inflight);
    }

    /// UpdateACKAggregation ()
    pub(super) fn update_aggregation(&mut self, delivery: &Delivery) {
        let Aggregation { since, delivered, extra } = &mut self.aggregation;
        let mut expected = self.bw * delivery.now.since(*since).as_secs_f64();
        if *delivered <= expected {
            (*since, *delivered, expected) = (delivery.now, 0.0, 0.0);
        }
        *delivered += delivery.delivered;
        let rounds = if self.full_bw_reached { EXTRA_ACKED_ROUNDS } else { 1 };
        extra.update(self.rounds.count, (*delivered - expected).min(self.cwnd), rounds);
    }

    // ---- Losses ----

    /// IsInflightTooHigh ()
    pub(super) fn is_too_high(&self, lost: f64, in_flight: f64) -> bool {
        lost > in_flight * self.params.loss_threshold
    }

    /// ResetShortTermModel ()
    pub(super) fn reset_short_term(&mut self) {
        (self.bw_shortterm, self.inflight_shortterm) = (f64::INFINITY, f64::INFINITY);
    }

    /// HandleInflightTooHigh ()
    pub(super) fn handle_too_high(&mut self, lost: &LostSegment) {
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
    pub(super) fn inflight_at_loss(&self, lost: &LostSegment) -> f64 {
        let threshold = self.params.loss_threshold;
        let before = lost.in_flight_when_sent - lost.len;
        before + (threshold * before - (lost.lost_since - lost.len)) / (1.0 - threshold)
    }

    /// BoundCwndForModel ()
    pub(super) fn volume_cap(&self, mss: f64) -> f64 {
        let cap = match self.state {
            State::Down | State::Refill | State::Up => self.inflight_longterm,
            State::Cruise | State::ProbeRtt => self.with_headroom(mss),
            State::Startup | State::Drain => f64::INFINITY,
        };
        cap.min(self.inflight_shortterm).max(MIN_WINDOW * mss)
    }

    /// InflightWithHeadroom ()
    pub(super) fn with_headroom(&self, mss: f64) -> f64 {
        let headroom = (self.params.headroom * self.inflight_longterm).max(mss);
        match self.inflight_longterm.is_finite() {
            true => (self.inflight_longterm - headroom).max(MIN_WINDOW * mss),
            false => f64::INFINITY,
        }
    }
}
