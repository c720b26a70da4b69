//! What a scenario may say about the drop policy of a port.

use super::{CoDelParams, RedParams};

/// A drop policy and its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum DropParams {
    /// Cells are refused when the buffer is full; nothing is remembered.
    TailDrop,
    /// Partial packet discard: the rest of a frame that lost a cell is refused too.
    Ppd,
    /// Early packet discard.
    Epd {
        /// R: new frames are refused when more than this many cells wait.
        threshold_cells: f64,
        /// What happens to the frame.
        frame: FrameParams,
        /// The forgiveness bit: with it, this is EPD+.
        forgiveness: Option<Forgiveness>,
    },
    /// Selective Drop.
    SelectiveDrop {
        /// R, cells.
        threshold_cells: f64,
        /// Z: the load ratio beyond which a connection is over its share.
        load_ratio: f64,
        /// What happens to the frame.
        frame: FrameParams,
        /// The forgiveness bit: with it, this is SD+.
        forgiveness: Option<Forgiveness>,
    },
    /// Fair Buffer Allocation.
    Fba {
        /// R, cells. Smaller than the buffer.
        threshold_cells: f64,
        /// Z: the load ratio allowed when the buffer is full.
        load_ratio: f64,
        /// What happens to the frame.
        frame: FrameParams,
        /// The forgiveness bit: with it, this is FBA+.
        forgiveness: Option<Forgiveness>,
    },
    /// Random early detection, of packets.
    Red(RedParams),
    /// CoDel, of packets.
    Codel(CoDelParams),
}

impl DropParams {
    /// R, cells, of a policy that has a threshold.
    pub fn threshold_cells(&self) -> Option<f64> {
        match self {
            DropParams::TailDrop | DropParams::Ppd | DropParams::Red(_) | DropParams::Codel(_) => None,
            DropParams::Epd { threshold_cells, .. }
            | DropParams::SelectiveDrop { threshold_cells, .. }
            | DropParams::Fba { threshold_cells, .. } => Some(*threshold_cells),
        }
    }
}

/// What the frame state machine does beyond the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameParams {
    /// Keep the last cell of a frame that is refused whole (some hardware does).
    pub keep_eom_of_whole: bool,
}

/// The two readings of the forgiveness bit.
#[derive(Clone, Debug, PartialEq)]
pub enum Forgiveness {
    /// Reading A: a connection that was dropped is spared the next time, and so on in turn.
    Toggle,
    /// Reading B: connections dropped in one congestion episode are spared in the next.
    Episode {
        /// An episode that began above R ends when no more than this many cells wait.
        low_threshold_cells: f64,
    },
}
