//! The cells of one frame on their way through one port.

use super::io::{Entrance, Item};
use crate::ids::VcId;

/// The cells of a frame that are still to come.
#[derive(Clone, Copy, Default)]
pub(super) struct Train {
    pub(super) input: u32,
    pub(super) at_port: VcId,
    pub(super) frame: u32,
    /// What the frame carries, and how many octets of data: see [`Item`].
    pub(super) carries: u64,
    pub(super) size: u32,
    /// The number after the last cell's.
    pub(super) end: u16,
    /// Cells to come.
    pub(super) left: u16,
    /// The cells from this one up to the next one were accepted.
    pub(super) accepted_from: u16,
    pub(super) eom: bool,
    /// The next cell is accepted if there is room: the policy need not be asked.
    pub(super) sure: bool,
    /// Slots that its cells wait, not yet counted.
    pub(super) waited: u64,
}

impl Train {
    /// The cells that begin to arrive.
    #[inline(always)]
    pub(super) fn new(item: &Item) -> Train {
        let &Item { carries, entrance: Entrance { input, at_port, .. }, frame, size, cells, .. } = item;
        Train {
            input,
            at_port,
            frame,
            carries,
            size,
            end: cells.first() + cells.count(),
            left: cells.count(),
            accepted_from: cells.first(),
            eom: cells.eom(),
            sure: false,
            waited: 0,
        }
    }

    /// The next cell is accepted if there is room, without a question to the policy.
    #[inline]
    pub(super) fn is_sure(&self) -> bool {
        self.sure
    }
}
