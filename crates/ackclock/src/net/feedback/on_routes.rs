//! Which edge an acknowledgement passes. Where routes change it is that of the port by which the data left the router last.

use std::collections::BTreeMap;

use super::placement::{EdgePlace, Edges};
use crate::ids::{LinkId, NodeId, VcId};
use crate::net::flow::reverse_of;

/// The edges of a network, and where the data of flows left last.
pub(in crate::net) struct EdgesOnRoutes {
    pub(in crate::net) plan: Edges,
    /// Of the acknowledgements of flows of which a route changes, at each router the port by which the data left last.
    last_ports: BTreeMap<(VcId, NodeId), LinkId>,
}

impl EdgesOnRoutes {
    /// Those of a network in which nothing has been sent.
    pub(in crate::net) fn new(plan: Edges) -> EdgesOnRoutes {
        EdgesOnRoutes { plan, last_ports: BTreeMap::new() }
    }

    /// A packet comes to the port of a router. Where routes change, the acknowledgements of data are those of the port that data came
    /// to last.
    pub(in crate::net) fn on_packet(&mut self, vc: VcId, node: NodeId, port: LinkId) {
        if self.plan.follow_data(vc) {
            self.last_ports.insert((reverse_of(vc), node), port);
        }
    }

    /// Where an acknowledgement is changed that is at this router and about to enter this port, if it is.
    pub(in crate::net) fn place(&self, vc: VcId, node: NodeId, port: LinkId) -> Option<EdgePlace> {
        let of_changing = || self.plan.place_of_port(vc, *self.last_ports.get(&(vc, node))?);
        self.plan.place(vc, port).or_else(of_changing)
    }
}
