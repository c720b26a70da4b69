//! Routers that change acknowledgements where routes change: all of them are in the process of the ports, which tells them of each packet.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ids::{LinkId, NodeId, VcId};
use crate::link::{Forwarding, RoutingTable};
use crate::net::batched::io::{Arrival, Io};
use crate::net::batched::packets::router_edges::pass_at_once;
use crate::net::feedback::{EdgePlace, EdgesOnRoutes, Passed};
use crate::units::Time;

/// The routers. What they do to acknowledgements is in [`Io::edges`].
pub(in crate::net::batched) struct RoutedEdges {
    places: EdgesOnRoutes,
    /// The node of each edge.
    nodes: Vec<NodeId>,
    /// Of each connection of acknowledgements that passes an edge now and then, its way.
    ways: BTreeMap<VcId, Way>,
}

/// How acknowledgements go on from a router.
pub(in crate::net::batched) enum Way {
    /// Always so: by node.
    Fixed(Vec<(NodeId, LinkId)>),
    Changing(Arc<RoutingTable>),
}

/// An acknowledgement leaves an edge: for where.
pub(in crate::net::batched) struct Onward {
    pub(in crate::net::batched) ack: Arrival,
    pub(in crate::net::batched) to: Forwarding,
}

impl RoutedEdges {
    /// Those of a network, before the first packet.
    pub(in crate::net::batched) fn new(
        places: EdgesOnRoutes,
        nodes: Vec<NodeId>,
        ways: BTreeMap<VcId, Way>,
    ) -> RoutedEdges {
        RoutedEdges { places, nodes, ways }
    }

    /// How many there are.
    pub(in crate::net::batched) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A packet comes to the port of a router.
    pub(in crate::net::batched) fn on_packet(&mut self, vc: VcId, node: NodeId, port: LinkId) {
        self.places.on_packet(vc, node, port);
    }

    /// Where an acknowledgement is changed that is at this router and about to enter this port, if it is.
    pub(in crate::net::batched) fn place(&self, vc: VcId, node: NodeId, port: LinkId) -> Option<EdgePlace> {
        self.places.place(vc, node, port)
    }

    /// An acknowledgement comes to an edge, on its way to `port`. Which goes on, if one does: it, or one that came before it. Its
    /// connection is in the place of its number at a port.
    pub(in crate::net::batched) fn on_ack(
        &self,
        place: EdgePlace,
        ack: Arrival,
        port: LinkId,
        io: &mut Io,
    ) -> Option<Onward> {
        let EdgePlace { edge, session } = place;
        if pass_at_once(&ack, place, io) {
            return Some(Onward { ack, to: Forwarding::By(port) });
        }
        let vc = ack.input_ref.at_port;
        let comes = Passed { handle: ack, window: io.packet_side.window(ack.frame) };
        let number = io.packet_side.acknowledged(ack.frame, ack.seq_or_ack);
        let passed = io.edges[edge].edge.on_ack(ack.time, session, number, comes)?;
        let to = match passed.handle.input_ref.at_port == vc {
            true => Forwarding::By(port),
            // One of another flow that shares the bucket.
            false => self.way(edge, ack.time, &passed.handle),
        };
        Some(leave(passed, to, io))
    }

    /// An acknowledgement leaves a bucket of this edge.
    pub(in crate::net::batched) fn on_release(&self, now: Time, edge: usize, io: &mut Io) -> Option<Onward> {
        let (session, passed) = io.edges[edge].edge.on_release(now)?;
        let to = match self.places.plan.acks[edge][session].next {
            Some(port) => Forwarding::By(port),
            None => self.way(edge, now, &passed.handle),
        };
        Some(leave(passed, to, io))
    }

    /// A port gives new rates: returns the edge that takes them, if one does.
    pub(in crate::net::batched) fn take_rates(
        &self,
        now: Time,
        port: LinkId,
        rates: &[f64],
        io: &mut Io,
    ) -> Option<usize> {
        let edge = self.places.plan.of_port(port)?;
        io.edges[edge].edge.on_rates(now, rates);
        Some(edge)
    }

    /// Where an acknowledgement goes on now from the router of an edge.
    fn way(&self, edge: usize, now: Time, ack: &Arrival) -> Forwarding {
        let (vc, node) = (ack.input_ref.at_port, self.nodes[edge]);
        match &self.ways[&vc] {
            Way::Changing(table) => table.forward(node, now, ack.cells.first() as u8),
            Way::Fixed(hops) => {
                let hop = hops.iter().find(|(from, _)| *from == node);
                Forwarding::By(hop.expect("an acknowledgement is at a router of its route").1)
            }
        }
    }
}

fn leave(Passed { handle: mut ack, window }: Passed<Arrival>, to: Forwarding, io: &mut Io) -> Onward {
    if let Some(window) = window {
        ack.frame = io.packet_side.write_window(ack.frame, window);
    }
    Onward { ack, to }
}
