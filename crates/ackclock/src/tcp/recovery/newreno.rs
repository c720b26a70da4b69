//! New Reno: a partial acknowledgement shows the next hole; recovery ends when everything sent before it is
//! acknowledged. One hole is repaired per round trip.
//! Sources: RFC 6582 §3.2; RFC 2582 §3, §5; [SACK-UBR] §2.3; what ns-2 does otherwise: [NS2] §6.

use super::{DUP_ACK_THRESHOLD, DupAck, Flight, NewAck, Recovery, RecoveryContext, Sending, TimerAction};
use crate::tcp::cc::Window;
use crate::tcp::{NewRenoParams, PartialAckWindow};
use crate::units::Time;

/// Fast recovery of New Reno.
#[derive(Clone, Debug)]
pub struct NewReno {
    params: NewRenoParams,
    /// In recovery: ends when this byte is acknowledged.
    recover: Option<u64>,
    /// Whether no partial acknowledgement has come in this recovery.
    awaits_first_partial_ack: bool,
    /// After a timeout: duplicate acknowledgements mean nothing before this byte is acknowledged.
    ignore_dup_acks_below: u64,
    /// Segments that the last acknowledgement still allows, if recovery is sent in bursts of so many.
    burst: u32,
}

impl NewReno {
    /// New Reno with the given choices.
    pub fn new(params: &NewRenoParams) -> NewReno {
        NewReno {
            params: params.clone(),
            recover: None,
            awaits_first_partial_ack: false,
            ignore_dup_acks_below: 0,
            burst: 0,
        }
    }

    /// Another acknowledgement allows another burst.
    fn allow_burst(&mut self) {
        self.burst = self.params.recovery_burst_segments.unwrap_or(0);
    }
}

impl Recovery for NewReno {
    fn on_dup_ack(&mut self, count: u32, flight: &Flight, mut context: RecoveryContext<'_>) -> DupAck {
        self.allow_burst();
        if self.recover.is_some() {
            context.window.cwnd += flight.mss as f64;
            return DupAck::Noted;
        }
        if count != DUP_ACK_THRESHOLD || flight.una < self.ignore_dup_acks_below {
            return DupAck::Noted;
        }
        self.recover = Some(flight.max);
        self.awaits_first_partial_ack = true;
        context.reduce(flight);
        context.window.cwnd = context.window.ssthresh + 3.0 * flight.mss as f64;
        DupAck::FastRetransmit
    }

    #[inline]
    fn on_new_ack(&mut self, ack: u64, flight: &Flight, context: RecoveryContext<'_>) -> NewAck {
        let Some(recover) = self.recover else { return NewAck::Grow };
        if ack >= recover {
            self.recover = None;
            context.window.cwnd = context.window.ssthresh;
            return if self.params.growth_at_recovery_end { NewAck::Grow } else { NewAck::Recovered };
        }
        self.allow_burst();
        let mss = flight.mss as f64;
        context.window.cwnd = match self.params.partial_ack_window {
            // By what was acknowledged, then one segment for the one that leaves with the retransmission.
            PartialAckWindow::Deflate => (context.window.cwnd - (ack - flight.una) as f64).max(0.0) + mss,
            PartialAckWindow::Reset => context.window.ssthresh,
        };
        let is_first = std::mem::replace(&mut self.awaits_first_partial_ack, false);
        NewAck::Partial { retransmit: true, restart_timer: self.params.restart_timer_on_partial_ack.restarts(is_first) }
    }

    fn on_timeout(&mut self, flight: &Flight, _context: RecoveryContext<'_>) {
        self.recover = None;
        if self.params.guard_after_timeout {
            self.ignore_dup_acks_below = flight.max;
        }
    }

    fn timer_at_fast_retransmit(&self) -> TimerAction {
        if self.params.restart_timer_on_fast_retransmit { TimerAction::Restart } else { TimerAction::Leave }
    }

    #[inline]
    fn has_a_say(&self) -> bool {
        self.params.recovery_burst_segments.is_some() && self.recover.is_some()
    }

    fn sleeps(&self) -> bool {
        self.recover.is_none()
    }

    fn sending(&self, _flight: &Flight, _window: &Window) -> Sending {
        if self.burst > 0 { Sending::ByWindow } else { Sending::Nothing }
    }

    fn on_sent(&mut self, _now: Time, _seq: u64, fast: bool, _flight: &Flight) {
        if !fast {
            self.burst = self.burst.saturating_sub(1);
        }
    }

    fn in_recovery(&self) -> bool {
        self.recover.is_some()
    }
}
