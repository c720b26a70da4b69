//! Connections whose route changes, alike in both engines: which links they may cross.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ids::{IdVec, LinkId, NodeId};
use crate::link::RoutingTable;
use crate::scenario::{self, NodeKind, Scenario, Technology};

/// A route that changes, after its first link.
#[derive(Debug)]
pub(super) struct Routed {
    pub(super) table: Arc<RoutingTable>,
    /// The links that its packets may cross at any time, the first included; in the order of the scenario.
    pub(super) links: Vec<LinkId>,
}

/// The routes that change of a scenario, each once.
#[derive(Default)]
pub(super) struct DynamicRoutes {
    /// By the place of the table in memory, and the first link.
    known: BTreeMap<(*const RoutingTable, LinkId), Arc<Routed>>,
}

impl DynamicRoutes {
    /// The route that begins with `first`.
    pub(super) fn of(&mut self, scenario: &Scenario, first: LinkId, table: &Arc<RoutingTable>) -> Arc<Routed> {
        let new = || Arc::new(Routed { table: table.clone(), links: reachable(scenario, first, table) });
        self.known.entry((Arc::as_ptr(table), first)).or_insert_with(new).clone()
    }
}

/// The nodes to which a link ever leads. Some may be named more than once.
pub(super) fn far_ends(link: &scenario::Link) -> impl Iterator<Item = NodeId> {
    let changing = link.params.schedule.as_ref().and_then(|schedule| schedule.far_ends.as_ref());
    let fixed = changing.is_none().then_some(link.to);
    changing.into_iter().flat_map(|far_ends| far_ends.nodes()).chain(fixed)
}

/// For each link, whether packets may cross it whose route changes.
pub(super) fn routed_links<'a>(
    scenario: &Scenario,
    routes: impl Iterator<Item = &'a Arc<Routed>>,
) -> IdVec<LinkId, bool> {
    let mut routed: IdVec<LinkId, bool> = scenario.links.iter().map(|_| false).collect();
    let mut last: *const Routed = std::ptr::null();
    for route in routes {
        // Neighbours often have the same.
        if std::mem::replace(&mut last, Arc::as_ptr(route)) != Arc::as_ptr(route) {
            route.links.iter().for_each(|&link| routed[link] = true);
        }
    }
    routed
}

/// The links that packets may cross which begin with `first`.
fn reachable(scenario: &Scenario, first: LinkId, table: &RoutingTable) -> Vec<LinkId> {
    assert!(matches!(scenario.technology, Technology::Packet { .. }), "on ATM networks routes do not change");
    let mut reached: IdVec<LinkId, bool> = scenario.links.iter().map(|_| false).collect();
    reached[first] = true;
    let mut open = vec![first];
    while let Some(link) = open.pop() {
        for node in far_ends(&scenario.links[link]) {
            for next in table.links_from(node) {
                assert_eq!(scenario.links[next].from, node, "routes name links of their node");
                assert_eq!(scenario.nodes[node].kind, NodeKind::Switch, "hosts do not forward");
                if !std::mem::replace(&mut reached[next], true) {
                    open.push(next);
                }
            }
        }
    }
    reached.iter_ids().filter(|&(_, &reached)| reached).map(|(link, _)| link).collect()
}
