//! Bulk transfer: everything is there from the start.
//! Source: [SACK-UBR] §6.1, infinite transfers.

use super::{Application, Mechanism};
use crate::keys::{Misfit, Values};
use crate::rng::Stream;
use crate::units::Span;

/// A transfer of which only TCP decides when it is sent.
#[derive(Clone, Copy, Debug)]
pub struct Bulk;

impl Mechanism for Bulk {
    const NAME: &'static str = "bulk";
    const ABOUT: &'static str = "Bulk transfer: all data is there from the start.";
    type Params = ();

    fn params(_values: &Values, _mss: u32) -> Result<(), Misfit> {
        Ok(())
    }

    fn start(_params: &(), _draws: Stream) -> Option<Box<dyn Application>> {
        None
    }

    fn offered_in(_params: &(), _time: Span) -> f64 {
        f64::INFINITY
    }
}
