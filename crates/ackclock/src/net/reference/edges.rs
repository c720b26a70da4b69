//! The routers that change acknowledgements.

use super::build::{Link, Output};
use crate::ids::{IdVec, LinkId, VcId};
use crate::net::feedback::{Edge, EdgePlace, Edges, PacketRates};
use crate::packet::Unit;
use crate::packet::aal5::Reassembler;
use crate::record::EdgeRecord;
use crate::scenario::Scenario;

/// The edges of a network.
pub(super) struct ReferenceEdges {
    pub(super) plan: Edges,
    /// In the order of their ports.
    pub(super) edges: Vec<Edge<Unit>>,
    /// Of each edge, by session: what puts acknowledgements together that come in cells.
    pub(super) reassemblers: Vec<Vec<Reassembler>>,
}

impl ReferenceEdges {
    /// Those of a scenario with these ports.
    pub(super) fn new(plan: Edges, scenario: &Scenario, links: &IdVec<LinkId, Link>) -> ReferenceEdges {
        let rates = |port: LinkId| rates_of(&links[port].output).to_vec();
        let edges =
            plan.ports.iter().enumerate().map(|(edge, &port)| plan.start(edge, scenario, rates(port))).collect();
        let reassemblers = plan.acks.iter().map(|acks| vec![Reassembler::default(); acks.len()]).collect();
        ReferenceEdges { plan, edges, reassemblers }
    }

    pub(super) fn len(&self) -> usize {
        self.edges.len()
    }

    /// Where an acknowledgement is changed that is about to enter this port, if it is.
    pub(super) fn place(&self, vc: VcId, port: LinkId) -> Option<EdgePlace> {
        self.plan.place(vc, port)
    }

    /// The edge whose rates are those of this port.
    pub(super) fn of_port(&self, port: LinkId) -> Option<usize> {
        self.plan.of_port(port)
    }

    /// What the edge of this port did.
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
