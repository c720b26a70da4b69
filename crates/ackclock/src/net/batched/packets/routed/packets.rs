//! Packets at ports that routes which change may cross: what they are known by, and what that says.

use crate::ids::{Id, LinkId, VcId};
use crate::link::Packet;
use crate::net::batched::io::{Arrival, Cells, Destination, InputRef};
use crate::net::batched::packet_side::PacketSideTable;
use crate::net::build::PacketKinds;
use crate::net::link::PacketMeta;
use crate::net::packet_port::PacketOwner;
use crate::units::Time;

/// A connection at a port.
pub(in crate::net::batched) struct RoutedVc {
    pub(in crate::net::batched) id: VcId,
    pub(in crate::net::batched) name_hash: u64,
    pub(in crate::net::batched) route: VcRoute,
}

/// The route of a connection behind a port.
#[derive(Clone, Copy)]
pub(in crate::net::batched) enum VcRoute {
    /// A fixed route: always this next hop.
    Fixed(Destination),
    /// A dynamic route: the one with this number among the port's.
    Dynamic(u32),
}

/// What a packet is known by here.
#[derive(Clone, Copy, Default)]
pub(in crate::net::batched) struct Handle {
    pub(super) vc: VcId,
    /// The connection's number at the port where it is, as far as that has asked.
    pub(super) number: u32,
    /// See [`Arrival`].
    pub(super) seq_or_ack: u64,
    pub(super) frame: u32,
    pub(super) size: u32,
    /// The links that it has left behind, if its route changes.
    pub(super) crossed: u8,
}

impl Handle {
    /// The same at an edge to which it came by this link.
    pub(super) fn at_edge(&self, time: Time, from: LinkId) -> Arrival {
        let &Handle { vc, seq_or_ack, frame, size, crossed, .. } = self;
        let input_ref = InputRef { port: 0, input: from.index() as u32, at_port: vc };
        Arrival { time, seq_or_ack, input_ref, frame, size, cells: Cells::crossed(crossed) }
    }

    pub(super) fn vc_here(&self) -> VcId {
        VcId::from_index(self.number as usize)
    }

    pub(super) fn from_edge(ack: &Arrival) -> Handle {
        let &Arrival { seq_or_ack, input_ref: InputRef { at_port: vc, .. }, frame, size, cells, .. } = ack;
        Handle { vc, number: 0, seq_or_ack, frame, size, crossed: cells.first() as u8 }
    }
}

/// What has to do with packets at a port, beside the port.
pub(super) struct Packets<'a> {
    pub(super) vcs: &'a [RoutedVc],
    pub(super) side: &'a mut PacketSideTable,
    pub(super) kinds: &'a PacketKinds,
}

impl PacketOwner<Handle> for Packets<'_> {
    fn meta(&self, packet: &Handle) -> PacketMeta {
        PacketMeta {
            vc: packet.vc_here(),
            vc_name: self.vcs[packet.number as usize].name_hash,
            frame: self.side.number(packet.frame),
            packet: Packet { bytes: packet.size, kind: self.kinds.of(packet.vc) },
            ecn: self.side.ecn(packet.frame),
        }
    }

    fn lose(&mut self, packet: Handle) {
        self.side.take(packet.frame);
    }
}

/// The same where those that wait may take another port of the node.
pub(super) struct MayLeave<'a, F> {
    pub(super) packets: Packets<'a>,
    pub(super) can_leave: F,
}

impl<F: Fn(&Handle) -> bool> PacketOwner<Handle> for MayLeave<'_, F> {
    fn meta(&self, packet: &Handle) -> PacketMeta {
        self.packets.meta(packet)
    }

    fn lose(&mut self, packet: Handle) {
        self.packets.lose(packet);
    }

    fn can_leave(&self, packet: &Handle) -> bool {
        (self.can_leave)(packet)
    }
}
