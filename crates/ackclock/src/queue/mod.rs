//! Buffers and who may enter them: [`cell`] policies at ports of cells, [`packet`] policies at ports of packets.

mod buffer;
pub mod cell;
pub mod packet;

pub use buffer::Buffer;

pub use crate::record::DropReason;

use crate::keys::{Key, Misfit, Values};
use crate::units::Rate;

/// The answer to an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It enters.
    Accept,
    /// It is lost.
    Drop(DropReason),
}

/// The drop policy of a port.
#[derive(Clone, Debug, PartialEq)]
pub enum PolicyParams {
    /// Tail drop, which both kinds of ports have.
    TailDrop,
    /// Of a port of cells.
    Cells(cell::CellPolicyParams),
    /// Of a port of packets.
    Packets(packet::PacketPolicyParams),
}

impl PolicyParams {
    /// R, cells, of a policy that has a threshold.
    pub fn threshold_cells(&self) -> Option<f64> {
        match self {
            PolicyParams::Cells(params) => params.threshold_cells(),
            PolicyParams::TailDrop | PolicyParams::Packets(_) => None,
        }
    }

    /// Whether the policy draws random numbers.
    pub fn is_random(&self) -> bool {
        match self {
            PolicyParams::TailDrop => false,
            PolicyParams::Cells(params) => params.is_random(),
            PolicyParams::Packets(params) => params.is_random(),
        }
    }

    /// The policy, at a port of cells.
    ///
    /// # Panics
    /// If it is one of packets.
    pub fn of_cells(&self) -> &cell::CellPolicyParams {
        match self {
            PolicyParams::TailDrop => &cell::CellPolicyParams::TailDrop(()),
            PolicyParams::Cells(params) => params,
            PolicyParams::Packets(params) => panic!("{params:?} decides about packets"),
        }
    }

    /// The policy, at a port of packets.
    ///
    /// # Panics
    /// If it is one of cells.
    pub fn of_packets(&self) -> &packet::PacketPolicyParams {
        match self {
            PolicyParams::TailDrop => &packet::PacketPolicyParams::TailDrop(()),
            PolicyParams::Packets(params) => params,
            PolicyParams::Cells(params) => panic!("{params:?} decides about cells"),
        }
    }
}

impl From<cell::CellPolicyParams> for PolicyParams {
    fn from(params: cell::CellPolicyParams) -> PolicyParams {
        match params {
            cell::CellPolicyParams::TailDrop(()) => PolicyParams::TailDrop,
            other => PolicyParams::Cells(other),
        }
    }
}

impl From<packet::PacketPolicyParams> for PolicyParams {
    fn from(params: packet::PacketPolicyParams) -> PolicyParams {
        match params {
            packet::PacketPolicyParams::TailDrop(()) => PolicyParams::TailDrop,
            other => PolicyParams::Packets(other),
        }
    }
}

/// What the parameters of a policy may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// K: the size of its buffer in cells; `None` if it is not counted in cells, or has no limit.
    pub capacity_cells: Option<u32>,
    /// The rate of its link.
    pub rate: Rate,
}

/// What a policy says of itself; `P` is the parameters of its family.
#[derive(Clone, Copy, Debug)]
pub struct Policy<P> {
    /// What scenario files call it.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// Its parameters.
    pub keys: &'static [Key],
    /// Why it cannot work in a buffer without a limit, if it cannot.
    pub needs_limit: Option<&'static str>,
    /// Its parameters for a port.
    pub params: fn(&Values, &Port) -> Result<P, Misfit>,
}
