//! Vanilla: slow start and congestion avoidance; a loss is found by the timer alone.
//! Source: [SACK-UBR] §4.

use super::{BatchHints, DupAck, Flight, Mechanism, NewAck, Recovery, RecoveryContext};
use crate::keys::{Misfit, Values};
use crate::rng::Stream;

/// No recovery but the timeout.
#[derive(Clone, Copy, Debug)]
pub struct Vanilla;

impl Mechanism for Vanilla {
    const NAME: &'static str = "vanilla";
    const ABOUT: &'static str = "Recovery by timeout only.";
    type Params = ();
    type State = Vanilla;

    fn params(_values: &Values) -> Result<(), Misfit> {
        Ok(())
    }

    fn start(_params: &(), _mss: u64, _draws: Stream) -> Vanilla {
        Vanilla
    }
}

impl Recovery for Vanilla {
    fn on_dup_ack(&mut self, _count: u32, _flight: &Flight, _context: RecoveryContext<'_>) -> DupAck {
        DupAck::Noted
    }

    #[inline]
    fn on_new_ack(&mut self, _ack: u64, _flight: &Flight, _context: RecoveryContext<'_>) -> NewAck {
        NewAck::Grow
    }

    fn on_timeout(&mut self, _flight: &Flight, _context: RecoveryContext<'_>) {}

    fn in_recovery(&self) -> bool {
        false
    }
}

impl BatchHints for Vanilla {
    fn is_idle(&self) -> bool {
        true
    }

    #[inline]
    fn controls_sending(&self) -> bool {
        false
    }
}
