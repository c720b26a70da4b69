//! What is on its way in the reference engine: units on links, and what connections carry.

use std::collections::BTreeMap;

use crate::ids::{IdVec, NodeId, VcId};
use crate::link::{Packet, PacketKind};
use crate::net::flow::{Hop, Vc};
use crate::net::link::PacketMeta;
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
    pub(super) under_way: BTreeMap<u32, Segment>,
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

/// A packet is marked.
pub(super) fn mark(frames: &mut IdVec<VcId, Frames>, packet: Unit) {
    if let Some(segment) = frames[packet.vc].packets.under_way.get_mut(&packet.frame) {
        segment.ecn = segment.ecn.marked();
    }
}

/// A packet is lost.
pub(super) fn forget(frames: &mut IdVec<VcId, Frames>, packet: Unit) {
    frames[packet.vc].packets.under_way.remove(&packet.frame);
}
