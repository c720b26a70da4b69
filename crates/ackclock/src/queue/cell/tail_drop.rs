//! Tail drop: a cell is refused when the buffer is full. Frames do not matter, so a full buffer damages many.
//! Source: \[SACK-UBR\] §1.

use super::{BatchHints, CellArrival, CellPolicy, Mechanism};
use crate::ids::VcId;
use crate::keys::{Key, Misfit, Values};
use crate::queue::{Buffer, DropReason, Port, Verdict};
use crate::rng::Stream;

/// Tail drop has no state.
#[derive(Clone, Copy, Debug)]
pub struct TailDrop;

impl Mechanism for TailDrop {
    const NAME: &'static str = "tail-drop";
    const ABOUT: &'static str = "Cells that find the buffer full are refused.";
    const KEYS: &'static [Key] = &[];
    type Params = ();
    type State = TailDrop;

    fn params(_: &Values, _: &Port) -> Result<(), Misfit> {
        Ok(())
    }

    fn start((): &(), _vcs: usize, _draws: Stream) -> TailDrop {
        TailDrop
    }
}

impl CellPolicy for TailDrop {
    fn admit(&mut self, _arrival: CellArrival, buffer: &Buffer) -> Verdict {
        if buffer.is_full() { Verdict::Drop(DropReason::Overflow) } else { Verdict::Accept }
    }
}

impl BatchHints for TailDrop {
    /// There is no state, and a buffer that is not full accepts.
    fn needs_every_cell(&self) -> bool {
        false
    }

    fn reads_per_vc(&self, _queued: u32) -> bool {
        false
    }

    fn end_accepted(&mut self, _vc: VcId) {}
}
