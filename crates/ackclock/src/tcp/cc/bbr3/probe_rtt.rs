//! ProbeRTT: the shortest round trip, and when and how it is measured again.
//! Source: \[BBR3\] §5.3.4, §5.5.4, whose functions the comments name.   Units: bytes, bytes per second.

use super::Bbr3;
use super::state::{AckPhase, Shortest, State};
use crate::tcp::cc::Delivery;
use crate::units::Time;

impl Bbr3 {
    // ---- ProbeRTT ----

    /// UpdateMinRTT ()
    pub(super) fn update_min_rtt(&mut self, delivery: &Delivery) {
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
    pub(super) fn check_probe_rtt(&mut self, delivery: &Delivery) {
        if self.state != State::ProbeRtt && self.shortest.expired && !self.idle_restart {
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
                    self.leave_probe_rtt(delivery.now, delivery.total);
                }
            }
        }
    }

    /// CheckProbeRTTDone (), ExitProbeRTT ()
    pub(super) fn leave_probe_rtt(&mut self, now: Time, delivered: u64) {
        self.shortest.probed_at = now;
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        self.reset_short_term();
        if self.full_bw_reached {
            self.start_down(now, delivered);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }
}
