//! Deadlines of a sender: the start, the retransmission timer, recovery's own, and the pace.
//! Sources: RFC 6298 §5; RFC 5681 §3.1; RFC 8985 §8; [SACK-UBR] §2.

use super::{Expired, NONE, Sender};
use crate::tcp::HostQueue;
use crate::tcp::cc::CongestionControl;
use crate::tcp::recovery::{Deadline, Flight, Recovery, RecoveryContext, RecoveryState};
use crate::units::Time;

impl Sender {
    /// A deadline has come: the start, or a tick.
    pub fn on_timer(&mut self, now: Time) -> Expired {
        if !self.started {
            self.pass_time(now);
            self.started = now >= self.timer.wake();
            if self.started {
                self.timer.stop();
                self.write(now);
                if let Some(end) = self.end_mut() {
                    end.begin();
                }
                self.update_send_state();
            }
            return Expired::Nothing;
        }
        self.write_if_due(now);
        if self.on_persist_timer(now) {
            return Expired::Nothing;
        }
        let deadline = self.recovery.deadline();
        if deadline <= now {
            self.on_deadline_of_recovery(now);
            return Expired::Nothing;
        }
        // RFC 8985 §8: one timer at a time. That of the recovery takes the place of the retransmission timer.
        let expires = if deadline == Time::NEVER {
            self.timer.expires(now)
        } else {
            self.timer.wait_until(deadline);
            false
        };
        if !expires {
            if self.is_paced() || self.is_served() {
                self.pass_time(now); // to send
            }
            return Expired::Nothing;
        }
        if let Some(end) = self.end_mut().filter(|end| !end.is_open()) {
            end.on_timeout();
            self.timer.back_off();
            self.update_send_state();
            return Expired::Nothing;
        }
        self.account(now);
        self.stop_if_due(now);
        self.on_timeout(now);
        self.update_send_state();
        match self.host_queue {
            HostQueue::Discard => Expired::Retransmission,
            HostQueue::Keep => Expired::Nothing,
        }
    }

    #[inline(never)]
    fn on_deadline_of_recovery(&mut self, now: Time) {
        self.pass_time(now);
        let ask = |recovery: &mut RecoveryState, flight: &Flight, context: RecoveryContext<'_>| {
            recovery.on_deadline(flight, context)
        };
        self.watch_window();
        let meaning = self.ask_recovery(now, None, ask);
        self.note_window(self.flight.una);
        match meaning {
            Deadline::Noted => {}
            Deadline::FastRetransmit => {
                self.fast_retransmit = self.flight.una;
                self.count_fast_retransmit();
            }
            Deadline::Probe => {}
        }
        if self.flight.max > self.flight.una {
            self.restart_timer(now);
        }
        self.deliveries_on_losses(now);
        self.update_send_state();
    }

    /// The sender is to be called at `other`, or when recovery wants it, whatever is earlier. A probe is sent no later than the
    /// retransmission timer would expire (RFC 8985 §7.2).
    pub(super) fn ask_for_recovery(&mut self, other: Time) {
        self.recovery.expect_timeout(self.timer.due());
        self.timer.ask_by(other.min(self.recovery.deadline()));
    }

    fn on_timeout(&mut self, now: Time) {
        self.deliveries_on_timeout(now);
        self.watch_window();
        let again = self.timed_out == self.flight.una;
        let loss = self.flight.loss(self.window_rules.ssthresh_from).of_use(self.in_use(now));
        if self.window_rules.hold_ssthresh && again {
            // RFC 5681 §3.1: the same segment again.
            self.congestion_control.on_repeated_rto(&loss, &mut self.window);
        } else {
            self.count_reduction();
            self.congestion_control.on_rto(&loss, &mut self.window);
        }
        self.timed_out = self.flight.una;
        self.note_timeout(again);
        self.ask_recovery(now, None, |recovery, flight, context| recovery.on_timeout(flight, context));
        self.flight.nxt = self.flight.una;
        self.dup_acks = 0;
        self.fast_retransmit = NONE;
        self.timed = NONE;
        if let Some(starts) = self.extra.as_mut().and_then(|extra| extra.starts.as_mut()) {
            starts.on_timeout();
        }
        self.timer.back_off(); // sending una starts it again
    }
}
