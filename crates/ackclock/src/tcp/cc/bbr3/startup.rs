//! Startup and Drain: until the rate of the path is found, and what that has put into its queue is gone.
//! Source: \[BBR3\] §5.3.1, §5.3.2, whose functions the comments name.   Units: bytes, bytes per second.

use super::Bbr3;
use super::state::State;
use crate::tcp::cc::path_model::Plateau;
use crate::tcp::cc::{Delivery, LossState};

/// BBRStartupFullLossCnt: ranges lost in a round trip that end Startup.
const STARTUP_LOST_RANGES: u32 = 6;
/// Round trips after which Drain ends anyway.
const DRAIN_ROUNDS: u64 = 3;

impl Bbr3 {
    /// CheckFullBWReached ()
    pub(super) fn check_full_bw(&mut self, delivery: &Delivery) {
        if self.full_bw_now || !self.rounds.starts || delivery.is_app_limited() {
            return;
        }
        if let Some(rate) = delivery.rate() {
            self.full_bw_now = self.growth.reached(rate);
            self.full_bw_reached |= self.full_bw_now;
        }
    }

    /// ResetFullBW (), with a rate to compare with.
    pub(super) fn reset_full_bw(&mut self, rate: Option<f64>) {
        self.full_bw_now = false;
        self.growth = Plateau::from(rate.unwrap_or(0.0));
    }

    /// CheckStartupDone (), CheckStartupHighLoss ()
    pub(super) fn check_startup(&mut self, delivery: &Delivery) {
        if self.state != State::Startup {
            return;
        }
        // A round trip of losses ends: so it lasted for at least one.
        let lossy = self.losses.starts
            && delivery.loss_state == LossState::Recovery
            && self.losses.ranges >= STARTUP_LOST_RANGES
            && delivery.sample.is_some_and(|sample| self.is_too_high(sample.lost, sample.in_flight));
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
    pub(super) fn check_drain(&mut self, delivery: &Delivery) {
        let is_drained = delivery.in_flight <= self.inflight(self.bw, delivery.mss);
        let is_over = self.rounds.count > self.drain_start_round + DRAIN_ROUNDS;
        if self.state == State::Drain && (is_drained || is_over) {
            self.start_down(delivery.now, delivery.total);
        }
    }
}
