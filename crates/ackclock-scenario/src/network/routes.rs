//! Paths of flows: as given, or found. Hosts do not forward.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use ackclock::ids::{LinkId, NodeId};
use ackclock::scenario::Route;

use crate::network::Network;
use crate::network::id_map::IdMap;
use crate::text::diagnostic::{At, Report};
use crate::value::Name;

/// Finds paths: fewest links, then least delay, then the names of the nodes in order.
pub(crate) struct Finder<'a> {
    network: &'a Network,
    /// Paths between switches, for hosts that have one switch only.
    between_switches: IdMap<(NodeId, NodeId), Option<Vec<LinkId>>>,
}

/// Links and picoseconds to the destination.
type Distance = (u32, u128);

impl<'a> Finder<'a> {
    /// No path is known yet.
    pub(crate) fn new(network: &'a Network) -> Finder<'a> {
        Finder { network, between_switches: IdMap::default() }
    }

    /// The path from one host to another.
    pub(crate) fn find(&mut self, from: NodeId, to: NodeId) -> Option<Vec<LinkId>> {
        let network = self.network;
        let (Some(first), Some(last)) = (network.only_switch(from), network.only_switch(to)) else {
            return self.search(from, to);
        };
        // There is no choice at the ends, so the best path contains the best path between the switches.
        if !self.between_switches.contains_key(&(first, last)) {
            let found = if first == last { Some(Vec::new()) } else { self.search(first, last) };
            self.between_switches.insert((first, last), found);
        }
        let middle = self.between_switches[&(first, last)].as_ref()?;
        let mut path = Vec::with_capacity(middle.len() + 2);
        path.push(network.link_between(from, first)?);
        path.extend_from_slice(middle);
        path.push(network.link_between(last, to)?);
        Some(path)
    }

    /// Distances to `to` by Dijkstra's algorithm, then the path along them.
    fn search(&self, from: NodeId, to: NodeId) -> Option<Vec<LinkId>> {
        let network = self.network;
        let mut distances: IdMap<NodeId, Distance> = IdMap::default();
        let mut heap = BinaryHeap::from([Reverse(((0, 0), to))]);
        while let Some(Reverse((distance, node))) = heap.pop() {
            if distances.contains_key(&node) {
                continue;
            }
            distances.insert(node, distance);
            let is_path = node == to || !network.is_host(node);
            let before = network.switches_next_to(node).iter().copied();
            let start = network.link_between(from, node).map(|_| from);
            for before in before.chain(start).filter(|_| is_path) {
                let link = network.link_between(before, node)?;
                let delay = u128::from(network.links[link].delay.as_ps());
                heap.push(Reverse(((distance.0 + 1, distance.1 + delay), before)));
            }
        }
        let mut path = Vec::new();
        let mut node = from;
        while node != to {
            let here = *distances.get(&node)?;
            let reaches = |next: &NodeId| {
                let link = network.link_between(node, *next)?;
                let (links, delay) = distances.get(next)?;
                let through = (links + 1, delay + u128::from(network.links[link].delay.as_ps()));
                (through == here).then_some((*next, link))
            };
            let switches = network.switches_next_to(node).iter();
            let (next, link) = switches.chain([&to]).filter_map(reaches).min_by_key(|(next, _)| *next)?;
            path.push(link);
            node = next;
        }
        Some(path)
    }
}

/// The links along the nodes of a list, or reports.
pub(crate) fn along(
    network: &Network,
    (from, to): (NodeId, NodeId),
    nodes: &[Name],
    at: Option<At>,
    report: &mut Report,
) -> Option<Vec<LinkId>> {
    let ids: Vec<Option<NodeId>> =
        nodes.iter().map(|name| network.expect_node(&name.text, Some(name.at), report)).collect();
    let ids: Vec<NodeId> = ids.into_iter().collect::<Option<_>>()?;
    let (Some(first), Some(last)) = (ids.first(), ids.last()) else { return None };
    if (*first, *last) != (from, to) {
        let (from, to) = (&network.nodes[from].name, &network.nodes[to].name);
        report
            .error(at, format!("the route does not lead from {from} to {to}"))
            .label(format!("must begin with {from} and end with {to}"));
        return None;
    }
    let mut path = Vec::with_capacity(ids.len());
    let mut visited = HashSet::from([*first]);
    for index in 1..ids.len() {
        let (here, next) = (ids[index - 1], ids[index]);
        let name = &nodes[index];
        if !visited.insert(next) {
            report.error(name.at, format!("the route visits {} twice", name.text)).label("a second time");
            return None;
        }
        if network.is_host(next) && index + 1 < ids.len() {
            report
                .error(name.at, format!("the route passes through the host {}", name.text))
                .label("hosts do not forward");
            return None;
        }
        let Some(link) = network.link_between(here, next) else {
            report
                .error(name.at, format!("there is no link between {} and {}", network.nodes[here].name, name.text))
                .label("not a neighbour of the node before");
            return None;
        };
        path.push(link);
    }
    Some(path)
}

/// The largest propagation delay that a route ever has, picoseconds.
pub(crate) fn largest_delay_ps(network: &Network, route: &Route) -> u128 {
    match route.fixed() {
        Some(path) => delay_ps(network, path),
        None => network.largest_delays[&(route.first(), route.destination(&network.links))],
    }
}

/// The propagation delay of a path, picoseconds.
pub(crate) fn delay_ps(network: &Network, path: &[LinkId]) -> u128 {
    path.iter().map(|link| u128::from(network.links[*link].delay.as_ps())).sum()
}
