//! Partial packet discard: every new frame is accepted; what overflows takes the rest of its frame along.
//! Source: \[RF95\]. The memory is [`FrameDiscard`]'s.

use super::{CellArrival, FrameDiscard, FrameParams, FrameRule, Mechanism};
use crate::keys::{Key, Misfit, Values};
use crate::queue::{Buffer, Port};
use crate::rng::Stream;

/// PPD's rule for new frames: none.
#[derive(Clone, Copy, Debug)]
pub struct Ppd;

impl Mechanism for Ppd {
    const NAME: &'static str = "ppd";
    const ABOUT: &'static str = "Partial packet discard: the rest of a frame that lost a cell is refused too.";
    const KEYS: &'static [Key] = &[];
    type Params = ();
    type State = FrameDiscard<Ppd>;

    fn params(_: &Values, _: &Port) -> Result<(), Misfit> {
        Ok(())
    }

    fn start((): &(), vcs: usize, _draws: Stream) -> FrameDiscard<Ppd> {
        FrameDiscard::new(Ppd, &FrameParams::PLAIN, vcs)
    }
}

impl FrameRule for Ppd {
    fn accept_frame(&mut self, _first: CellArrival, _buffer: &Buffer) -> bool {
        true
    }

    fn reads_per_vc(&self, _queued: u32) -> bool {
        false
    }
}
