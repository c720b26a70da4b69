//! Reno: fast retransmit and fast recovery. Any new acknowledgement ends recovery, so several losses in one window
//! halve the window several times.
//! Sources: RFC 2001 §3, §4; [SACK-UBR] §2.2.

use super::{BatchHints, DUP_ACK_THRESHOLD, DupAck, Flight, Mechanism, NewAck, Recovery, RecoveryContext, TimerAction};
use crate::keys::{Misfit, Values};
use crate::rng::Stream;

/// Fast recovery of Reno.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reno {
    recovering: bool,
}

impl Mechanism for Reno {
    const NAME: &'static str = "reno";
    const ABOUT: &'static str =
        "Fast retransmit and fast recovery, which ends with any new acknowledgement (RFC 2001).";
    type Params = ();
    type State = Reno;

    fn params(_values: &Values) -> Result<(), Misfit> {
        Ok(())
    }

    fn start(_params: &(), _mss: u64, _draws: Stream) -> Reno {
        Reno::default()
    }
}

impl Recovery for Reno {
    fn on_dup_ack(&mut self, count: u32, flight: &Flight, mut context: RecoveryContext<'_>) -> DupAck {
        if self.recovering {
            context.window.cwnd += flight.mss as f64; // a segment has left the network
            return DupAck::Noted;
        }
        // No guard against duplicates of what a timeout resent: none is in the source.
        if count != DUP_ACK_THRESHOLD {
            return DupAck::Noted;
        }
        self.recovering = true;
        context.reduce(flight);
        context.window.cwnd = context.window.ssthresh + 3.0 * flight.mss as f64;
        DupAck::FastRetransmit(TimerAction::Leave)
    }

    #[inline]
    fn on_new_ack(&mut self, _ack: u64, _flight: &Flight, context: RecoveryContext<'_>) -> NewAck {
        if !self.recovering {
            return NewAck::Grow;
        }
        self.recovering = false;
        context.window.cwnd = context.window.ssthresh;
        NewAck::Recovered
    }

    fn on_timeout(&mut self, _flight: &Flight, _context: RecoveryContext<'_>) {
        self.recovering = false;
    }

    fn on_undo(&mut self, _una: u64) {
        self.recovering = false;
    }

    fn in_recovery(&self) -> bool {
        self.recovering
    }
}

impl BatchHints for Reno {
    fn is_idle(&self) -> bool {
        !self.recovering
    }

    #[inline]
    fn controls_sending(&self) -> bool {
        false
    }
}
