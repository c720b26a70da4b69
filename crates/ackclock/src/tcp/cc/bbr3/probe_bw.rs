//! ProbeBW: most of the time of a connection. Slower than the path delivers, as fast, as fast with a full pipe, faster; and
//! what the path takes while it is probed.
//! Source: \[BBR3\] §5.3.3, whose functions the comments name.   Units: bytes, bytes per second.

use super::Bbr3;
use super::state::{AckPhase, State};
use crate::tcp::cc::Delivery;
use crate::units::{Span, Time};

/// T_reno_bound: round trips between probes, at most.
const RENO_ROUNDS: f64 = 63.0;
/// T_bbr: between probes, at least, and a random part.
const LEAST_WAIT: Span = Span::from_secs(2);
const RANDOM_WAIT: Span = Span::from_secs(1);

impl Bbr3 {
    /// UpdateProbeBWCyclePhase ()
    pub(super) fn update_probe_bw(&mut self, delivery: &Delivery) {
        if !self.full_bw_reached || self.adapt_long_term(delivery) {
            return;
        }
        let state = self.state;
        match state {
            State::Down | State::Cruise if self.is_time_to_probe(delivery) => self.start_refill(delivery.total),
            State::Down if self.is_time_to_cruise(delivery) => self.state = State::Cruise,
            State::Refill if self.rounds.starts => {
                self.probe.is_sample = true;
                self.start_up(delivery);
            }
            State::Up if self.is_time_to_go_down(delivery) => {
                self.probe.was_too_high = false;
                self.start_down(delivery.now, delivery.total);
            }
            _ => {}
        }
    }

    /// AdaptLongTermModel (): whether it has decided about the state.
    fn adapt_long_term(&mut self, delivery: &Delivery) -> bool {
        if self.probe.ack_phase == AckPhase::ProbeStarting && self.rounds.starts {
            self.probe.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.probe.ack_phase == AckPhase::ProbeStopping && self.rounds.starts {
            self.probe.is_sample = false;
            self.probe.ack_phase = AckPhase::Init;
            if self.state.is_probe_bw() {
                self.cycles += u64::from(!delivery.is_app_limited()); // AdvanceMaxBwFilter ()
                if self.probe.was_precautionary && !self.probe.was_too_high {
                    self.start_refill(delivery.total);
                    return true;
                }
            }
        }
        let too_high = delivery.sample.is_some_and(|sample| self.is_too_high(sample.lost, sample.in_flight));
        if self.inflight_longterm.is_finite() && !too_high {
            let taken = delivery.sample.map_or(0.0, |sample| sample.in_flight);
            self.inflight_longterm = self.inflight_longterm.max(taken);
            if self.state == State::Up {
                self.raise_long_term(delivery);
            }
        }
        false
    }

    /// ProbeInflightLongtermUpward ()
    pub(super) fn raise_long_term(&mut self, delivery: &Delivery) {
        if !delivery.window_limited || self.cwnd < self.inflight_longterm {
            return;
        }
        self.probe.acked += delivery.delivered;
        let segments = (self.probe.acked / self.probe.acked_per_increment).floor();
        if segments >= 1.0 {
            self.probe.acked -= segments * self.probe.acked_per_increment;
            self.inflight_longterm += segments * delivery.mss;
        }
        if self.rounds.starts {
            self.raise_slope(delivery.mss);
        }
    }

    /// RaiseInflightLongtermSlope (): 1, 2, 4 … segments per round trip.
    pub(super) fn raise_slope(&mut self, mss: f64) {
        let segments = f64::from(1_u32 << self.probe.rounds);
        self.probe.rounds = (self.probe.rounds + 1).min(30);
        self.probe.acked_per_increment = (self.cwnd / segments).max(mss);
    }

    /// IsTimeToProbeBW (), IsRenoCoexistenceProbeTime ()
    pub(super) fn is_time_to_probe(&self, delivery: &Delivery) -> bool {
        let reno_rounds = (self.target_inflight() / delivery.mss).min(RENO_ROUNDS);
        delivery.now > self.probe.cycle_began + self.probe.wait || self.probe.rounds_since as f64 >= reno_rounds
    }

    /// IsTimeToCruise ()
    fn is_time_to_cruise(&self, delivery: &Delivery) -> bool {
        delivery.in_flight <= self.with_headroom(delivery.mss)
            && delivery.in_flight <= self.inflight(self.max_bw.value(), delivery.mss)
    }

    /// IsTimeToGoDown ()
    fn is_time_to_go_down(&mut self, delivery: &Delivery) -> bool {
        if self.probe.was_too_high && delivery.in_flight >= self.inflight_longterm {
            self.probe.was_precautionary = true;
            return true;
        }
        if delivery.window_limited && self.cwnd >= self.inflight_longterm {
            self.reset_full_bw(delivery.rate()); // the bound keeps the rate from growing
            return false;
        }
        self.full_bw_now
    }

    /// StartProbeBW_DOWN (), PickProbeWait ()
    pub(super) fn start_down(&mut self, now: Time, total: u64) {
        self.losses.any = false; // ResetCongestionSignals ()
        (self.bw_latest, self.inflight_latest) = (0.0, 0.0);
        self.probe.acked_per_increment = f64::INFINITY;
        self.probe.rounds_since = self.stream.below(2, 2 * self.waits);
        self.probe.wait = LEAST_WAIT + Span::from_ps(self.stream.below(RANDOM_WAIT.as_ps(), 2 * self.waits + 1));
        self.waits += 1;
        self.probe.cycle_began = now;
        self.probe.ack_phase = AckPhase::ProbeStopping;
        self.rounds.restart(total);
        self.state = State::Down;
    }

    /// StartProbeBW_REFILL ()
    pub(super) fn start_refill(&mut self, total: u64) {
        self.reset_short_term();
        (self.probe.rounds, self.probe.acked, self.probe.was_precautionary) = (0, 0.0, false);
        self.probe.ack_phase = AckPhase::Refilling;
        self.rounds.restart(total);
        self.state = State::Refill;
    }

    /// StartProbeBW_UP ()
    fn start_up(&mut self, delivery: &Delivery) {
        self.probe.ack_phase = AckPhase::ProbeStarting;
        self.rounds.restart(delivery.total);
        self.reset_full_bw(delivery.rate());
        self.state = State::Up;
        self.raise_slope(delivery.mss);
    }
}
