//! Buffers and who may enter them: [`cell`] policies at ports of cells, [`packet`] policies at ports of packets.

mod buffer;
pub mod cell;
pub mod packet;
pub(crate) mod packet_fifo;
mod policy;
pub(crate) mod waiting_packets;

pub use buffer::Buffer;
pub use policy::{Policy, Port, Verdict};

pub use crate::record::DropReason;

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

    /// Whether it marks packets that can be marked.
    pub fn marks(&self) -> bool {
        matches!(self, PolicyParams::Packets(params) if params.marks())
    }

    /// Whether the seed makes a difference to the policy, at a port that so many connections cross.
    pub fn is_random(&self, connections: usize) -> bool {
        match self {
            PolicyParams::TailDrop => false,
            PolicyParams::Cells(params) => params.is_random(),
            PolicyParams::Packets(params) => params.is_random(connections),
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
