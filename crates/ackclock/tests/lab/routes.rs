//! Routes that change, and far ends of links that do, as a function of bytes.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use ackclock::ids::{IdVec, LinkId, NodeId};
use ackclock::link::{FarEnds, LinkSchedule, NoReceiver, NodeRoutes, RoutingTable, UnderWay};
use ackclock::scenario::{NodeKind, Route, Scenario, Technology, UdpFlow};
use ackclock::units::{Span, Time};

use super::choices::Choices;
use super::paths::instants;
use super::random::is_host;

/// In half of the packet networks routes change.
pub fn routes(choices: &mut Choices, scenario: &mut Scenario) {
    if matches!(scenario.technology, Technology::Packet { .. }) && choices.once_in(2) {
        change(choices, scenario);
    }
}

/// The routes of some connections change, or of all, and far ends of links that no other crosses.
pub fn change(choices: &mut Choices, scenario: &mut Scenario) {
    let all = choices.once_in(2);
    let count = 2 * scenario.flows.len() + scenario.udp.len();
    let changing: Vec<bool> = (0..count).map(|_| all || choices.once_in(2)).collect();
    // Often several things happen at one instant, as at a handover.
    let times = instants(choices, scenario.duration);
    let fixed = all_routes(scenario).zip(&changing).filter(|(_, changes)| !**changes);
    let echoes = scenario.udp.iter().filter_map(|source| source.echo.as_ref());
    let fixed = fixed.map(|(route, _)| route).chain(echoes.filter(|_| !all));
    let fixed: Vec<LinkId> = fixed.flat_map(|route| route.links().into_owned()).collect();
    far_ends(choices, scenario, &fixed, &times);

    let mut tables: Vec<(NodeId, Arc<RoutingTable>)> = Vec::new();
    let mut change = |choices: &mut Choices, route: &Route| {
        let (first, destination) = (route.first(), route.destination(&scenario.links));
        // Most of those with the same destination share their table.
        let shared = tables.iter().find(|&&(of, _)| of == destination).filter(|_| !choices.once_in(8));
        let table = shared.map(|(_, table)| table.clone());
        let table = table.unwrap_or_else(|| {
            let table = Arc::new(table_to(choices, scenario, destination, &times));
            tables.push((destination, table.clone()));
            table
        });
        Route::Dynamic { first, table }
    };
    let routes = all_routes(scenario).zip(&changing);
    let routes = routes.map(|(route, changes)| if *changes { change(choices, route) } else { route.clone() });
    let mut routes = routes.collect::<Vec<_>>().into_iter();
    let of_echo = |source: &UdpFlow| Some(change(&mut choices.clone(), source.echo.as_ref()?));
    let mut echoes: Vec<Option<Route>> = match all {
        true => scenario.udp.iter().map(of_echo).collect(),
        false => Vec::new(),
    };
    let mut next = || routes.next().expect("as many as there were");
    for flow in scenario.flows.iter_mut() {
        (flow.forward, flow.backward) = (next(), next());
    }
    scenario.udp.iter_mut().for_each(|source| source.route = next());
    scenario.udp.iter_mut().zip(echoes.drain(..)).for_each(|(source, echo)| source.echo = echo);
}

fn all_routes(scenario: &Scenario) -> impl Iterator<Item = &Route> {
    let of_flows = scenario.flows.iter().flat_map(|flow| [&flow.forward, &flow.backward]);
    of_flows.chain(scenario.udp.iter().map(|source| &source.route))
}

/// Routes that mostly lead nearer to the destination, where the link has a receiver, sometimes anywhere or nowhere.
fn table_to(choices: &mut Choices, scenario: &Scenario, destination: NodeId, times: &[Time]) -> RoutingTable {
    let distances = distances(scenario, destination);
    let switches = scenario.nodes.iter_ids().filter(|(_, node)| node.kind == NodeKind::Switch);
    let of_switch = |(node, _): (NodeId, _)| -> NodeRoutes {
        let of_node = scenario.links.iter_ids().filter(|(_, link)| link.from == node);
        let links: Vec<LinkId> = of_node.map(|(id, _)| id).collect();
        let nearest = |time: Time| {
            let distance = |link: &LinkId| Some(distances[scenario.links[*link].far_end(time)?]);
            links.iter().copied().filter(|link| distance(link).is_some()).min_by_key(distance)
        };
        let any = |choices: &mut Choices, time: Time| match choices.below(8) {
            0..=5 => nearest(time),
            7 => None,
            _ if links.is_empty() => None,
            _ => Some(choices.one_of(&links)),
        };
        let start = (choices.below(16) < 15).then_some(Time::ZERO);
        let changes = start.into_iter().chain(some_times(choices, scenario.duration, times));
        (node, changes.map(|time| (time, any(choices, time))).collect())
    };
    let nodes = switches.map(of_switch).collect();
    RoutingTable::new(destination, choices.one_of(&[32, 8, 4, 16, 3, 2, 1]), nodes)
}

/// Those that others have too, or any.
fn some_times(choices: &mut Choices, duration: Span, times: &[Time]) -> Vec<Time> {
    if choices.once_in(4) { instants(choices, duration) } else { times.to_vec() }
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

const NO_RECEIVER: [NoReceiver; 3] = [NoReceiver::Reroute, NoReceiver::Lose, NoReceiver::LoseAddressed];

/// Some links that are not among these lead now to one node, now to another or to none.
fn far_ends(choices: &mut Choices, scenario: &mut Scenario, fixed: &[LinkId], times: &[Time]) {
    let nodes: Vec<NodeId> = scenario.nodes.ids().collect();
    let used: BTreeSet<LinkId> = all_routes(scenario).flat_map(|route| route.links().into_owned()).collect();
    let links: Vec<LinkId> = scenario.links.ids().filter(|link| !fixed.contains(link)).collect();
    for id in links {
        // More often those on which something is.
        if !choices.once_in(if used.contains(&id) { 2 } else { 4 }) {
            continue;
        }
        let times = some_times(choices, scenario.duration, times);
        let link = &mut scenario.links[id];
        // Mostly away and back again.
        let end = |choices: &mut Choices, number: usize| match choices.below(4) {
            3 => Some(choices.one_of(&nodes)),
            _ => Some(link.to).filter(|_| number % 2 == 1),
        };
        let points = times.iter().enumerate().map(|(number, &time)| (time, end(choices, number)));
        let points: Vec<_> = points.collect();
        let points = [(Time::ZERO, Some(link.to))].into_iter().chain(points).collect();
        let constant = || Box::new(LinkSchedule::constant(link.rate, link.delay));
        let schedule = link.params.schedule.get_or_insert_with(constant);
        schedule.far_ends = Some(FarEnds::new(points, choices.one_of(&NO_RECEIVER)));
        if choices.once_in(4) {
            schedule.under_way = UnderWay::Drop;
        }
    }
}
