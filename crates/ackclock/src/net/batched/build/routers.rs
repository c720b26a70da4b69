//! Rate control of TCP: the routers whose edges are processes.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{IdVec, LinkId, NodeId};
use crate::net::feedback::Edges;
use crate::scenario::{Scenario, Technology};

/// The routers whose edges are processes: acknowledgements wait in buckets there, or enter a port that routes which change may cross; and
/// all ATM edge devices.
/// Into other acknowledgements the ports that they enter write windows.
#[derive(Default)]
pub(super) struct Routers {
    /// The ports that are entered from there, with the numbers of their routers.
    entered: BTreeMap<LinkId, usize>,
    /// By router, the edges that what enters these ports passes.
    edges: Vec<BTreeSet<usize>>,
}

impl Routers {
    /// Those of a scenario with these edges; `routed` are the links that routes which change may cross.
    pub(super) fn new(scenario: &Scenario, edges: &Edges, routed: &IdVec<LinkId, bool>) -> Routers {
        let mut routers = Routers::default();
        let mut numbers: BTreeMap<NodeId, usize> = BTreeMap::new();
        let entered = |edge: &usize| edges.acks[*edge].iter().filter_map(|acks| acks.next);
        for edge in 0..edges.ports.len() {
            let port = &scenario.links[edges.ports[edge]];
            let has_bucket = port.queue.feedback.is_some_and(|feedback| feedback.bucket);
            // Edge devices put frames together, which takes time.
            let in_cells = matches!(scenario.technology, Technology::Atm { .. });
            for next in entered(&edge).filter(|&next| has_bucket || in_cells || routed[next]) {
                let known = numbers.len();
                routers.entered.insert(next, *numbers.entry(port.from).or_insert(known));
            }
        }
        routers.edges = vec![BTreeSet::new(); numbers.len()];
        for edge in 0..edges.ports.len() {
            for &router in entered(&edge).filter_map(|next| routers.entered.get(&next)) {
                routers.edges[router].insert(edge);
            }
        }
        routers
    }

    /// The edges that what passes a router may pass, in order.
    pub(super) fn edges(&self, router: usize) -> impl Iterator<Item = usize> {
        self.edges[router].iter().copied()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.edges.len()
    }

    /// The number of the router that everything passes that enters this port, if there is one.
    pub(super) fn before(&self, port: LinkId) -> Option<usize> {
        if self.entered.is_empty() { None } else { self.entered.get(&port).copied() }
    }
}
