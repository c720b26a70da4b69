//! Flows whose routes change: what `route_changes` and `back_route_changes` say, and the routing tables that follow.

use std::collections::BTreeMap;
use std::sync::Arc;

use ackclock::ids::{LinkId, NodeId};
use ackclock::link::RoutingTable;
use ackclock::scenario::{Event, EventKind, Flow, Route};
use ackclock::units::Time;

use crate::network::Network;
use crate::network::routes::{along, delay_ps};
use crate::settings::Settings;
use crate::text::diagnostic::Report;
use crate::value::FileValue;

/// A path from an instant on.
#[derive(Clone)]
pub(crate) struct RouteAt {
    pub(crate) time: Time,
    pub(crate) path: Vec<LinkId>,
}

/// The later paths of a flow whose data, or whose acknowledgements, first take this one: what `key` says. `None`: wrong, and reported.
pub(super) fn read(
    network: &Network,
    settings: &Settings,
    key: &'static str,
    first: &[LinkId],
    has_satellites: bool,
    report: &mut Report,
) -> Option<Vec<RouteAt>> {
    let Some(FileValue::RouteChanges(changes)) = settings.value(key) else {
        return (!settings.has(key)).then(Vec::new);
    };
    if has_satellites && !changes.is_empty() {
        report
            .error(settings.at(key), format!("`{key}` is of networks without satellites"))
            .label("the routes of this network follow from the satellites")
            .help("leave it out; `handover` and `routing` in [satellites] say when routes change");
        return None;
    }
    let ends = (network.links[first[0]].from, network.links[first[first.len() - 1]].to);
    let mut later = Vec::with_capacity(changes.len());
    for change in changes {
        let path = along(network, ends, &change.nodes, Some(change.place), report)?;
        if path[0] != first[0] {
            report
                .error(change.nodes[1].at, format!("the route leaves {} by another link", change.nodes[0].text))
                .label(format!("must be {}", network.nodes[network.links[first[0]].to].name))
                .help("the first link of a route does not change: let a switch come first");
            return None;
        }
        later.push(RouteAt { time: Time::from_ps(change.at_ps), path });
    }
    Some(later)
}

/// Flows of which a route changes get routing tables; each comes with the later paths of its data and of its acknowledgements. What
/// happens when, in the order of time.
pub(crate) fn fill<'a>(
    network: &mut Network,
    flows: impl Iterator<Item = (&'a mut Flow, &'a [Vec<RouteAt>; 2])>,
) -> Vec<Event> {
    let mut all = Vec::new();
    for (flow, later) in flows {
        for (route, changes) in [&mut flow.forward, &mut flow.backward].into_iter().zip(later) {
            if !changes.is_empty() {
                let first = route.links();
                all.extend(events(network, &first, changes));
                *route = dynamic(network, &first, changes);
            }
        }
    }
    all.sort_by_key(|event| event.time);
    all.dedup();
    all
}

/// The changes of the route that begins as this path. What repeats the path before it is none.
fn events(network: &Network, first: &[LinkId], changes: &[RouteAt]) -> Vec<Event> {
    let name = |node: NodeId| network.nodes[node].name.as_str();
    let spelled = |path: &[LinkId]| {
        let rest = path.iter().map(|link| name(network.links[*link].to));
        std::iter::once(name(network.links[path[0]].from)).chain(rest).collect::<Vec<&str>>().join(" > ")
    };
    let before = std::iter::once(first).chain(changes.iter().map(|change| &*change.path));
    let event = |(before, RouteAt { time, path }): (&[LinkId], &RouteAt)| Event {
        time: *time,
        kind: EventKind::RouteChanged,
        node: name(network.links[first[0]].from).to_owned(),
        before: Some(spelled(before)),
        after: Some(spelled(path)),
    };
    before.zip(changes).filter(|(before, change)| *before != change.path).map(event).collect()
}

/// The route that begins as this path and changes so. A node that is not on a new path keeps its next hop: so packets that are under way
/// reach the new path, or the destination.
fn dynamic(network: &mut Network, first: &[LinkId], changes: &[RouteAt]) -> Route {
    let begin = RouteAt { time: Time::ZERO, path: first.to_vec() };
    let mut nodes: BTreeMap<NodeId, Vec<(Time, Option<LinkId>)>> = BTreeMap::new();
    let mut largest = 0;
    for RouteAt { time, path } in [&begin].into_iter().chain(changes) {
        largest = largest.max(delay_ps(network, path));
        for &link in &path[1..] {
            let hops = nodes.entry(network.links[link].from).or_default();
            if hops.last().is_none_or(|&(_, last)| last != Some(link)) {
                hops.push((*time, Some(link)));
            }
        }
    }
    let (first, destination) = (begin.path[0], network.links[begin.path[begin.path.len() - 1]].to);
    let known = network.largest_delays.entry((first, destination)).or_default();
    *known = largest.max(*known);
    let table = RoutingTable::new(destination, u8::MAX, nodes.into_iter().collect());
    Route::Dynamic { first, table: Arc::new(table) }
}
