//! What is on its way in the reference engine: units on links, and what connections carry.

use std::collections::BTreeMap;

use crate::ids::{IdVec, NodeId, VcId};
use crate::link::{Packet, PacketKind};
use crate::net::flow::{Hop, Vc};
use crate::net::link::PacketMeta;
use crate::net::packet_port::PacketOwner;
use crate::packet::aal5::Reassembler;
use crate::packet::{FrameLog, Segment, Unit};
use crate::scenario::Technology;
use crate::units::Time;

/// A unit on a link.
pub(super) struct UnderWay {
    pub(super) time: Time,
    pub(super) node: NodeId,
    pub(super) unit: Unit,
}

/// What a connection carries.
#[derive(Default)]
pub(super) struct Frames {
    pub(super) sent: FrameLog,
    pub(super) reassembler: Reassembler,
    pub(super) packets: Packets,
    /// The frame whose cells a host sends among others; `None` while one is lost on purpose.
    pub(super) begun: Option<u32>,
}

/// The packets of a connection that are on their way: they may arrive in any order.
#[derive(Default)]
pub(super) struct Packets {
    pub(super) next: u32,
    /// By number, and by that of the copy: 0 of the packet itself.
    under_way: BTreeMap<(u32, u16), Segment>,
    copies: u16,
}

impl Packets {
    /// A packet is on its way.
    pub(super) fn insert(&mut self, unit: Unit, segment: Segment) {
        self.under_way.insert(key(unit), segment);
    }

    /// What it carries.
    pub(super) fn get(&self, unit: Unit) -> &Segment {
        &self.under_way[&key(unit)]
    }

    /// What it carries, to be changed.
    pub(super) fn get_mut(&mut self, unit: Unit) -> Option<&mut Segment> {
        self.under_way.get_mut(&key(unit))
    }

    /// It is on its way no more.
    pub(super) fn remove(&mut self, unit: Unit) -> Option<Segment> {
        self.under_way.remove(&key(unit))
    }

    /// Whether none is on its way.
    pub(super) fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }

    /// Whether the packet with this number is on its way, or a copy of it.
    pub(super) fn contains(&self, number: u32) -> bool {
        self.under_way.range((number, 0)..=(number, u16::MAX)).next().is_some()
    }

    /// Another packet that carries what this one does. Numbers of copies begin again long after a packet with the same is gone.
    pub(super) fn copy(&mut self, unit: Unit) -> Unit {
        self.copies = self.copies.wrapping_add(1).max(1);
        let copy = Unit { index: self.copies, ..unit };
        self.insert(copy, *self.get(unit));
        copy
    }
}

/// Units of packets have no index within their frame.
fn key(packet: Unit) -> (u32, u16) {
    (packet.frame, packet.index)
}

/// A packet at the link that `hop` is.
pub(super) fn meta(
    technology: Technology,
    hop: Hop,
    vc: &Vc,
    unit: Unit,
    (segment, kind): (&Segment, PacketKind),
) -> PacketMeta {
    let Technology::Packet { link_header_bytes } = technology else {
        unreachable!("an ATM network has no packets");
    };
    let packet = Packet { bytes: segment.ip_bytes() + link_header_bytes, kind };
    PacketMeta { vc: hop.at_port, vc_name: vc.name_hash, frame: unit.frame, packet, ecn: segment.ecn.of_ip() }
}

/// What has to do with packets at a port, beside the port: each is known by what it is and what a link knows of it.
pub(super) struct PacketsHere<'a, F> {
    pub(super) frames: &'a mut IdVec<VcId, Frames>,
    /// Whether one can take another port of the node.
    pub(super) can_leave: F,
}

impl<F: Fn(Unit) -> bool> PacketOwner<(PacketMeta, Unit)> for PacketsHere<'_, F> {
    fn meta(&self, packet: &(PacketMeta, Unit)) -> PacketMeta {
        packet.0
    }

    fn lose(&mut self, (_, unit): (PacketMeta, Unit)) {
        forget(self.frames, unit);
    }

    fn can_leave(&self, &(_, unit): &(PacketMeta, Unit)) -> bool {
        (self.can_leave)(unit)
    }
}

/// A packet is marked.
pub(super) fn mark(frames: &mut IdVec<VcId, Frames>, packet: Unit) {
    if let Some(segment) = frames[packet.vc].packets.get_mut(packet) {
        segment.ecn = segment.ecn.marked();
    }
}

/// A packet is lost.
pub(super) fn forget(frames: &mut IdVec<VcId, Frames>, packet: Unit) {
    frames[packet.vc].packets.remove(packet);
}
