//! The last SACK option of a flow, for metrics about its blocks.

use ackclock::packet::wire_number;
use ackclock::record::Records;
use ackclock::scenario::Flow;
use ackclock::tcp::offset_sack::{self, Flags, Negotiated};

/// A SACK option: what it says, and how long it is with kind and length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LastSack {
    /// Left and right edge of each block, in the order of the option: bytes of the stream, modulo 2^32.
    pub blocks: Vec<(u32, u32)>,
    pub octets: u32,
}

impl LastSack {
    /// That of the last acknowledgement of a flow that was captured where it was sent, also if it is empty.
    pub fn of(records: &Records, number: u32, flow: &Flow) -> Option<LastSack> {
        let mut packets = records.captures.iter().flat_map(|capture| &capture.packets);
        let last = packets.rfind(|packet| packet.flow == number && packet.sent && !packet.data)?;
        let form = flow.tcp.sack.offset.as_ref().map(|offset| offset.form);
        let negotiated = form.map_or(Negotiated::Standard, |form| Negotiated::Offset(form, Flags::ALL));
        let octets = last.segment.sack.octets();
        let blocks = offset_sack::find(octets, negotiated).ok().flatten().unwrap_or_default();
        let byte = |number: u32| number.wrapping_sub(wire_number(0));
        let blocks = blocks.iter().map(|block| (byte(block.left), byte(block.right))).collect();
        Some(LastSack { blocks, octets: octets.len() as u32 })
    }

    /// An edge of the block of this number, from 1.
    pub fn edge(&self, edge: Edge, number: usize) -> Option<u32> {
        let (left, right) = *self.blocks.get(number.checked_sub(1)?)?;
        Some(if edge == Edge::Left { left } else { right })
    }

    /// How far an edge is below the right one of the first block: of the left edge of that (1), of right (2) and left (3) edge of
    /// the second, and so on.
    pub fn offset(&self, number: usize) -> Option<u32> {
        let edge = if number.is_multiple_of(2) { Edge::Right } else { Edge::Left };
        Some(self.edge(Edge::Right, 1)?.wrapping_sub(self.edge(edge, number / 2 + 1)?))
    }
}

/// The first byte of a block, or the first after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Left,
    Right,
}
