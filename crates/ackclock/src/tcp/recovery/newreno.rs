//! New Reno: a partial acknowledgement shows the next hole; recovery ends when everything sent before it is
//! acknowledged. One hole is repaired per round trip.
//! Sources: RFC 6582 §3.2; RFC 2582 §3, §5; [SACK-UBR] §2.3.

use super::{DUP_ACK_THRESHOLD, DupAck, Flight, Hands, NewAck, Recovery};
use crate::tcp::NewRenoParams;

/// Fast recovery of New Reno.
#[derive(Clone, Debug)]
pub struct NewReno {
    params: NewRenoParams,
    /// In recovery: ends when this byte is acknowledged.
    recover: Option<u64>,
    /// After a timeout: duplicate acknowledgements mean nothing before this byte is acknowledged.
    ignore_dup_acks_below: u64,
}

impl NewReno {
    /// New Reno with the given choices.
    pub fn new(params: &NewRenoParams) -> NewReno {
        NewReno { params: params.clone(), recover: None, ignore_dup_acks_below: 0 }
    }
}

impl Recovery for NewReno {
    fn on_dup_ack(&mut self, count: u32, flight: &Flight, mut hands: Hands<'_>) -> DupAck {
        if self.recover.is_some() {
            hands.window.cwnd += flight.mss as f64;
            return DupAck::Noted;
        }
        if count != DUP_ACK_THRESHOLD || flight.una < self.ignore_dup_acks_below {
            return DupAck::Noted;
        }
        self.recover = Some(flight.max);
        hands.reduce(flight);
        hands.window.cwnd = hands.window.ssthresh + 3.0 * flight.mss as f64;
        DupAck::FastRetransmit
    }

    #[inline]
    fn on_new_ack(&mut self, ack: u64, flight: &Flight, hands: Hands<'_>) -> NewAck {
        let Some(recover) = self.recover else { return NewAck::Grow };
        if ack >= recover {
            self.recover = None;
            hands.window.cwnd = hands.window.ssthresh;
            return NewAck::Recovered;
        }
        // Deflate by what was acknowledged, then one segment for the one that leaves with the retransmission.
        let mss = flight.mss as f64;
        hands.window.cwnd = (hands.window.cwnd - (ack - flight.una) as f64).max(0.0) + mss;
        NewAck::Partial { retransmit: true, restart_timer: self.params.restart_timer_on_partial_ack }
    }

    fn on_timeout(&mut self, flight: &Flight) {
        self.recover = None;
        if self.params.guard_after_timeout {
            self.ignore_dup_acks_below = flight.max;
        }
    }

    fn in_recovery(&self) -> bool {
        self.recover.is_some()
    }
}
