//! Drop policies of cells: may this cell enter the buffer?
//!
//! [`TailDrop`] looks at the buffer alone. All others decide at the first cell of a frame and remember the decision
//! for the rest of it: [`FrameDiscard`] is that memory, and EPD, Selective Drop, FBA and their like are [`FrameRule`]s
//! within it. The forgiveness bit may be added to each of these.
//!
//! To add a policy: one file and one line in `family.rs`. CONTRIBUTING.md has the recipe.

mod dynamic_threshold;
mod epd;
mod family;
mod fba;
mod forgiveness;
mod frame;
mod load_ratio;
mod ppd;
mod red_epd;
mod selective_drop;
mod tail_drop;

pub use dynamic_threshold::DynamicThreshold;
pub use epd::{Epd, EpdParams};
pub use family::{CellPolicyParams, CellPolicyState, CustomCellPolicy, POLICIES, Visitor};
pub use fba::{Fba, FbaParams};
pub use forgiveness::Forgiveness;
pub use frame::{FrameDiscard, FrameParams, FrameRule};
pub use load_ratio::LoadRatioArithmetic;
pub use ppd::Ppd;
pub use red_epd::{RedEpd, RedEpdParams};
pub use selective_drop::{SelectiveDrop, SelectiveDropParams};
pub use tail_drop::TailDrop;

use super::{Buffer, Port, Verdict};
use crate::ids::VcId;
use crate::keys::{Key, Misfit, Values};
use crate::rng::Stream;
use crate::units::Time;

/// Decides about every arriving cell. The caller keeps the buffer's counters.
pub trait CellPolicy: BatchHints + Send {
    /// Whether the arriving cell may enter; the buffer does not contain it yet.
    fn admit(&mut self, arrival: CellArrival, buffer: &Buffer) -> Verdict;
}

/// What an engine may leave out because its outcome is certain. The defaults are always right, and slow.
pub trait BatchHints {
    /// Whether it has to be asked about every cell. If not, one that is not the first of its frame is accepted without
    /// being asked about when the cell before it was accepted and the buffer is not full: the answer would be the same,
    /// and no state would change but that the frame ends.
    fn needs_every_cell(&self) -> bool {
        true
    }

    /// Whether its answer to the first cell of a frame that finds `queued` others waiting may depend on whose cells those
    /// are: on Y_i or N_a. If not, it is asked with counters of which only X is up to date.
    fn reads_per_vc(&self, _queued: u32) -> bool {
        true
    }

    /// The last cell of a frame of `vc` was accepted without a question. Only called if not every cell is needed.
    fn end_accepted(&mut self, _vc: VcId) {}
}

/// A policy as a member of the family: what it says of itself, and how it begins.
pub trait Mechanism {
    /// What scenario files call it.
    const NAME: &'static str;
    /// What it is, in one sentence.
    const ABOUT: &'static str;
    /// Its parameters.
    const KEYS: &'static [Key];
    /// Whether it draws random numbers.
    const IS_RANDOM: bool = false;
    /// Why it cannot work in a buffer without a limit, if it cannot.
    const NEEDS_LIMIT: Option<&'static str> = None;
    /// Its parameters, checked and in the units that it computes with.
    type Params: Clone + std::fmt::Debug + PartialEq + Send + Sync;
    /// The policy at work.
    type State: CellPolicy;

    /// Its parameters at a port.
    ///
    /// # Errors
    /// If they do not fit together, or do not fit the port.
    fn params(values: &Values, port: &Port) -> Result<Self::Params, Misfit>;

    /// The policy before the first cell, for the connections numbered below `vcs`, with random numbers from `draws`.
    fn start(params: &Self::Params, vcs: usize, draws: Stream) -> Self::State;

    /// R, cells, if it refuses whole frames above a threshold of the queue: for the count of congestion episodes.
    fn threshold_cells(_params: &Self::Params) -> Option<f64> {
        None
    }
}

/// A cell that asks for room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellArrival {
    /// When it asks: at the end of the slot in which it came.
    pub now: Time,
    /// Its connection.
    pub vc: VcId,
    /// Whether it is the last of its frame (the AAL5 mark in its header).
    pub eom: bool,
}

#[cfg(test)]
mod tests;
