//! Tail drop: a cell is refused when the buffer is full. Frames do not matter, so a full buffer damages many.
//! Source: [SACK-UBR] §1.

use super::{Arrival, DropPolicy, DropReason, Verdict};
use crate::ids::VcId;
use crate::queue::Buffer;

/// Tail drop has no state.
#[derive(Clone, Copy, Debug)]
pub struct TailDrop;

impl DropPolicy for TailDrop {
    fn admit(&mut self, _arrival: Arrival, buffer: &Buffer) -> Verdict {
        if buffer.is_full() { Verdict::Drop(DropReason::Overflow) } else { Verdict::Accept }
    }

    /// There is no state, and a buffer that is not full accepts.
    fn asks_always(&self) -> bool {
        false
    }

    fn looks_at_shares(&self, _queued: u32) -> bool {
        false
    }

    fn end_accepted(&mut self, _vc: VcId) {}
}
