//! The cells of one frame on their way through one port.

use crate::ids::VcId;
use crate::net::batched::io::{Arrival, InputRef};

/// The cells of a frame that are still to come.
#[derive(Clone, Copy, Default)]
pub(in crate::net::batched) struct Train {
    pub(in crate::net::batched) input: u32,
    pub(in crate::net::batched) at_port: VcId,
    pub(in crate::net::batched) frame: u32,
    /// What the frame carries, and how many octets of data: see [`Arrival`].
    pub(in crate::net::batched) seq_or_ack: u64,
    pub(in crate::net::batched) size: u32,
    /// The number after the last cell's.
    pub(in crate::net::batched) end: u16,
    /// Cells to come.
    pub(in crate::net::batched) left: u16,
    /// The cells from this one up to the next one were accepted.
    pub(in crate::net::batched) accepted_from: u16,
    pub(in crate::net::batched) eom: bool,
    /// The next cell is accepted if there is room: the policy need not be asked.
    pub(in crate::net::batched) sure: bool,
    /// Slots that its cells wait, not yet counted.
    pub(in crate::net::batched) waited: u64,
    /// When in its slot the next cell arrives, picoseconds; 0 where that does not matter.
    pub(in crate::net::batched) offset: u64,
}

impl Train {
    /// The cells that begin to arrive.
    #[inline(always)]
    pub(in crate::net::batched) fn new(arrival: &Arrival) -> Train {
        let &Arrival { seq_or_ack, input_ref: InputRef { input, at_port, .. }, frame, size, cells, .. } = arrival;
        Train {
            input,
            at_port,
            frame,
            seq_or_ack,
            size,
            end: cells.first() + cells.count(),
            left: cells.count(),
            accepted_from: cells.first(),
            eom: cells.eom(),
            sure: false,
            waited: 0,
            offset: 0,
        }
    }

    /// The next cell is accepted if there is room, without a question to the policy.
    #[inline]
    pub(in crate::net::batched) fn is_sure(&self) -> bool {
        self.sure
    }
}
