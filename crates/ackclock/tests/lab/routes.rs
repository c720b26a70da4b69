//! Routes that change, and far ends of links that do, as a function of bytes.

use std::collections::VecDeque;
use std::sync::Arc;

use ackclock::ids::{Id, IdVec, LinkId, NodeId};
use ackclock::path::{Course, FarEnds, NodeRoutes, RoutingTable, UnderWay, Unheard};
use ackclock::scenario::{NodeKind, Route, Scenario, Technology};
use ackclock::units::Time;

use super::paths::instants;
use super::random::{Choices, is_host};

/// In half of the packet networks the routes of some connections change, or of all, and then far ends of links too.
pub fn routes(choices: &mut Choices, scenario: &mut Scenario) {
    if matches!(scenario.technology, Technology::Atm { .. }) || !choices.once_in(2) {
        return;
    }
    let all = choices.once_in(2);
    let mut tables: Vec<(NodeId, Arc<RoutingTable>)> = Vec::new();
    let mut change = |choices: &mut Choices, scenario: &Scenario, route: &Route| {
        if !all && !choices.once_in(2) {
            return route.clone();
        }
        let (first, destination) = (route.first(), route.destination(&scenario.links));
        // Most of those with the same destination share their table.
        let shared = tables.iter().find(|&&(of, _)| of == destination).filter(|_| !choices.once_in(8));
        let table = shared.map(|(_, table)| table.clone());
        let table = table.unwrap_or_else(|| {
            let table = Arc::new(table_to(choices, scenario, destination));
            tables.push((destination, table.clone()));
            table
        });
        Route::Dynamic { first, table }
    };
    for number in 0..scenario.flows.len() {
        let id = ackclock::ids::FlowId::from_index(number);
        let [forward, backward] = [&scenario.flows[id].forward, &scenario.flows[id].backward].map(Route::clone);
        let forward = change(choices, scenario, &forward);
        let backward = change(choices, scenario, &backward);
        let flow = &mut scenario.flows[id];
        (flow.forward, flow.backward) = (forward, backward);
    }
    for number in 0..scenario.datagrams.len() {
        let route = change(choices, scenario, &scenario.datagrams[number].route);
        scenario.datagrams[number].route = route;
    }
    far_ends(choices, scenario);
}

/// Routes that mostly lead nearer to the destination, sometimes anywhere or nowhere.
fn table_to(choices: &mut Choices, scenario: &Scenario, destination: NodeId) -> RoutingTable {
    let distances = distances(scenario, destination);
    let switches = scenario.nodes.iter_ids().filter(|(_, node)| node.kind == NodeKind::Switch);
    let of_switch = |(node, _): (NodeId, _)| -> NodeRoutes {
        let links: Vec<LinkId> =
            scenario.links.iter_ids().filter(|(_, link)| link.from == node).map(|(id, _)| id).collect();
        let nearest = links.iter().copied().min_by_key(|&link| distances[scenario.links[link].to]);
        let any = |choices: &mut Choices| match choices.below(8) {
            0..=4 => nearest,
            7 => None,
            _ if links.is_empty() => None,
            _ => Some(choices.one_of(&links)),
        };
        let first = choices.below(16) < 15;
        let start = first.then_some((Time::ZERO, nearest));
        let changes = instants(choices, scenario.duration).into_iter().map(|time| (time, any(choices)));
        let changes: Vec<_> = changes.collect();
        (node, start.into_iter().chain(changes).collect())
    };
    let nodes = switches.map(of_switch).collect();
    RoutingTable::new(destination, choices.one_of(&[32, 8, 4, 16, 3, 2, 1]), nodes)
}

/// Links from each node to the destination.
fn distances(scenario: &Scenario, destination: NodeId) -> IdVec<NodeId, usize> {
    let mut distances: IdVec<NodeId, usize> = scenario.nodes.iter().map(|_| usize::MAX).collect();
    distances[destination] = 0;
    let mut open = VecDeque::from([destination]);
    while let Some(node) = open.pop_front() {
        for link in scenario.links.iter().filter(|link| link.to == node) {
            if distances[link.from] == usize::MAX && !is_host(scenario, link.from) {
                distances[link.from] = distances[node] + 1;
                open.push_back(link.from);
            }
        }
    }
    distances
}

/// Some links that no fixed route crosses lead now to one node, now to another or to none.
fn far_ends(choices: &mut Choices, scenario: &mut Scenario) {
    let flows = scenario.flows.iter().flat_map(|flow| [&flow.forward, &flow.backward]);
    let routes = flows.chain(scenario.datagrams.iter().map(|source| &source.route));
    let fixed: Vec<LinkId> = routes.filter_map(Route::fixed).flatten().copied().collect();
    let nodes: Vec<NodeId> = scenario.nodes.ids().collect();
    let links: Vec<LinkId> = scenario.links.ids().filter(|link| !fixed.contains(link)).collect();
    for id in links {
        if !choices.once_in(4) {
            continue;
        }
        let times = instants(choices, scenario.duration);
        let link = &mut scenario.links[id];
        let end = |choices: &mut Choices, to: NodeId| match choices.below(4) {
            0 | 1 => Some(to),
            2 => None,
            _ => Some(choices.one_of(&nodes)),
        };
        let points: Vec<_> = times.iter().map(|&time| (time, end(choices, link.to))).collect();
        let points = [(Time::ZERO, Some(link.to))].into_iter().chain(points).collect();
        let constant = || Course::constant(link.rate, link.delay);
        let course = link.path.course.get_or_insert_with(constant);
        course.far_ends = Some(FarEnds::new(points, choices.one_of(&[Unheard::Lose, Unheard::Reroute])));
        if choices.once_in(4) {
            course.under_way = UnderWay::Drop;
        }
    }
}
