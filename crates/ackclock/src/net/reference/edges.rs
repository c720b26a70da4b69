//! The routers that change acknowledgements.

use std::collections::BTreeMap;

use super::build::{Link, Output};
use crate::ids::{IdVec, LinkId, NodeId, VcId};
use crate::net::feedback::{Edge, EdgePlace, Edges, EdgesOnRoutes, PacketRates};
use crate::packet::aal5::Reassembler;
use crate::packet::{Segment, Unit};
use crate::record::EdgeRecord;
use crate::scenario::Scenario;

/// The edges of a network.
pub(super) struct ReferenceEdges {
    places: EdgesOnRoutes,
    /// In the order of their ports.
    pub(super) edges: Vec<Edge<AtEdge>>,
    /// Of each edge, by session: what puts acknowledgements together that come in cells.
    pub(super) reassemblers: Vec<Vec<Reassembler>>,
    /// See [`Edges::advertised`].
    advertised: BTreeMap<VcId, u32>,
}

/// An acknowledgement at an edge, and the link by which it came.
#[derive(Clone, Copy)]
pub(super) struct AtEdge {
    pub(super) unit: Unit,
    pub(super) from: LinkId,
}

impl ReferenceEdges {
    /// Those of a scenario with these ports.
    pub(super) fn new(plan: Edges, scenario: &Scenario, links: &IdVec<LinkId, Link>) -> ReferenceEdges {
        let rates = |port: LinkId| rates_of(&links[port].output).to_vec();
        let edges =
            plan.ports.iter().enumerate().map(|(edge, &port)| plan.start(edge, scenario, rates(port))).collect();
        let reassemblers = plan.acks.iter().map(|acks| vec![Reassembler::default(); acks.len()]).collect();
        let advertised = plan.advertised(scenario);
        ReferenceEdges { places: EdgesOnRoutes::new(plan), edges, reassemblers, advertised }
    }

    pub(super) fn plan(&self) -> &Edges {
        &self.places.plan
    }

    /// The window that is written into a segment where acknowledgements come on a connection, if one has to be.
    pub(super) fn written(&self, vc: VcId, segment: &Segment) -> Option<u32> {
        // The window of a SYN has no scale.
        let advertised = (!segment.kind.opens()).then(|| self.advertised.get(&vc).copied());
        segment.window.or(advertised.flatten())
    }

    pub(super) fn len(&self) -> usize {
        self.edges.len()
    }

    /// A packet comes to the port of a router.
    pub(super) fn on_packet(&mut self, vc: VcId, node: NodeId, port: LinkId) {
        self.places.on_packet(vc, node, port);
    }

    /// Where an acknowledgement is changed that is at this router and about to enter this port, if it is.
    pub(super) fn place(&self, vc: VcId, node: NodeId, port: LinkId) -> Option<EdgePlace> {
        self.places.place(vc, node, port)
    }

    /// The edge whose rates are those of this port.
    pub(super) fn of_port(&self, port: LinkId) -> Option<usize> {
        self.plan().of_port(port)
    }

    pub(super) fn record(&self, port: LinkId) -> Option<EdgeRecord> {
        Some(self.edges[self.of_port(port)?].record())
    }
}

/// The rates of a port that an edge uses.
pub(super) fn rates_of(port: &Output) -> &[f64] {
    let rates = match port {
        Output::Packets(port) => port.rates().map(PacketRates::rates),
        Output::Cells(port) => port.rates.as_ref().and_then(|rates| rates.of_tcp()),
        Output::Nic(..) | Output::Scheduler(_) | Output::PassThrough(_) => None,
    };
    rates.expect("an edge is one of a port with rates")
}
