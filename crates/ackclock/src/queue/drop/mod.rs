//! Drop policies: may this cell enter the buffer?
//!
//! [`TailDrop`] looks at the buffer alone. All others decide at the first cell of a frame and remember the decision
//! for the rest of it: [`FrameDiscard`] is that memory, and EPD, Selective Drop and FBA are [`FrameRule`]s within it.
//! [`Forgiving`] adds the forgiveness bit to any of the three. These decide about cells; what decides about packets, with
//! their times and sizes, is a [`PacketPolicy`].
//!
//! To add a policy: one file with its rule, one variant in [`DropParams`] and in [`Policy`], its name in the
//! scenario language. CONTRIBUTING.md has the recipe.

mod codel;
mod epd;
mod fba;
mod forgiveness;
mod frame;
mod packets;
mod params;
mod ppd;
mod red;
mod selective_drop;
mod tail_drop;

pub use codel::{CoDel, CoDelParams};
pub use epd::Epd;
pub use fba::Fba;
pub use forgiveness::{Forgiving, Thresholded};
pub use frame::{FrameDiscard, FrameRule};
pub use packets::{PacketArrival, PacketDrop, PacketPolicy};
pub use params::{DropParams, Forgiveness, FrameParams};
pub use ppd::Ppd;
pub use red::{AboveMax, Red, RedParams, Spacing};
pub use selective_drop::SelectiveDrop;
pub use tail_drop::TailDrop;

pub use crate::record::DropReason;

use super::Buffer;
use crate::ids::VcId;

/// Decides about every arriving cell. The caller keeps the buffer's counters.
pub trait DropPolicy: Send {
    /// Whether the arriving cell may enter; the buffer does not contain it yet.
    fn admit(&mut self, arrival: Arrival, buffer: &Buffer) -> Verdict;

    /// Whether it has to be asked about every cell. If not, one that is not the first of its frame is accepted without
    /// being asked about when the cell before it was accepted and the buffer is not full: the answer would be the same,
    /// and no state would change but that the frame ends.
    fn asks_always(&self) -> bool {
        true
    }

    /// Whether its answer to the first cell of a frame that finds `queued` others waiting may depend on whose cells those
    /// are: on Y_i or N_a. If not, it is asked with counters of which only X is up to date.
    fn looks_at_shares(&self, _queued: u32) -> bool {
        true
    }

    /// The last cell of a frame of `vc` was accepted without being asked about.
    fn end_accepted(&mut self, vc: VcId);
}

/// A cell at the door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its connection.
    pub vc: VcId,
    /// Whether it is the last of its frame (the AAL5 mark in its header).
    pub eom: bool,
}

/// The answer to an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It enters.
    Accept,
    /// It is gone.
    Drop(DropReason),
}

/// Any of the policies: one variant each.
pub enum Policy {
    /// Tail drop.
    TailDrop(TailDrop),
    /// Partial packet discard.
    Ppd(FrameDiscard<Ppd>),
    /// Early packet discard.
    Epd(FrameDiscard<Epd>),
    /// EPD+.
    EpdPlus(FrameDiscard<Forgiving<Epd>>),
    /// Selective Drop.
    SelectiveDrop(FrameDiscard<SelectiveDrop>),
    /// SD+.
    SelectiveDropPlus(FrameDiscard<Forgiving<SelectiveDrop>>),
    /// Fair Buffer Allocation.
    Fba(FrameDiscard<Fba>),
    /// FBA+.
    FbaPlus(FrameDiscard<Forgiving<Fba>>),
}

impl Policy {
    /// The policy that `params` describes, for the connections numbered below `vcs`.
    ///
    /// # Panics
    /// If it is a policy of packets.
    pub fn new(params: &DropParams, vcs: usize) -> Policy {
        match params {
            DropParams::Red(_) | DropParams::Codel(_) => unreachable!("{params:?} works on packets"),
            DropParams::TailDrop => Policy::TailDrop(TailDrop),
            DropParams::Ppd => Policy::Ppd(FrameDiscard::new(Ppd, FrameParams { keep_eom_of_whole: false }, vcs)),
            DropParams::Epd { threshold_cells, frame, forgiveness } => {
                let rule = Epd::new(*threshold_cells);
                match forgiveness {
                    None => Policy::Epd(FrameDiscard::new(rule, *frame, vcs)),
                    Some(reading) => {
                        Policy::EpdPlus(FrameDiscard::new(Forgiving::new(rule, reading, vcs), *frame, vcs))
                    }
                }
            }
            DropParams::SelectiveDrop { threshold_cells, load_ratio, frame, forgiveness } => {
                let rule = SelectiveDrop::new(*threshold_cells, *load_ratio);
                match forgiveness {
                    None => Policy::SelectiveDrop(FrameDiscard::new(rule, *frame, vcs)),
                    Some(reading) => {
                        Policy::SelectiveDropPlus(FrameDiscard::new(Forgiving::new(rule, reading, vcs), *frame, vcs))
                    }
                }
            }
            DropParams::Fba { threshold_cells, load_ratio, frame, forgiveness } => {
                let rule = Fba::new(*threshold_cells, *load_ratio);
                match forgiveness {
                    None => Policy::Fba(FrameDiscard::new(rule, *frame, vcs)),
                    Some(reading) => {
                        Policy::FbaPlus(FrameDiscard::new(Forgiving::new(rule, reading, vcs), *frame, vcs))
                    }
                }
            }
        }
    }
}

impl DropPolicy for Policy {
    fn admit(&mut self, arrival: Arrival, buffer: &Buffer) -> Verdict {
        match self {
            Policy::TailDrop(policy) => policy.admit(arrival, buffer),
            Policy::Ppd(policy) => policy.admit(arrival, buffer),
            Policy::Epd(policy) => policy.admit(arrival, buffer),
            Policy::EpdPlus(policy) => policy.admit(arrival, buffer),
            Policy::SelectiveDrop(policy) => policy.admit(arrival, buffer),
            Policy::SelectiveDropPlus(policy) => policy.admit(arrival, buffer),
            Policy::Fba(policy) => policy.admit(arrival, buffer),
            Policy::FbaPlus(policy) => policy.admit(arrival, buffer),
        }
    }

    fn end_accepted(&mut self, _vc: VcId) {
        unreachable!("it is asked always");
    }
}

#[cfg(test)]
mod tests;
