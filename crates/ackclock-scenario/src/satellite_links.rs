//! From a contact plan to links and routes of the network.

use std::collections::{BTreeMap, BTreeSet};

use ackclock::ids::LinkId;
use ackclock::link::{InService, LinkSchedule, Outages, Queued};
use ackclock::scenario::{Event, EventKind, Flow, Route, UdpFlow};
use ackclock::units::Time;
use ackclock_sat::plan::{self as sat, NodeId, Plan};

use crate::flows::PlannedFlow;
use crate::network::Network;
use crate::network::routes;
use crate::network::satellites::SatelliteNetwork;
use crate::satellites::Satellites;
use crate::text::diagnostic::Report;

/// Puts what the contact plan says into a network whose flows are known.
pub(crate) fn fill(
    satellites: &Satellites,
    network: &mut Network,
    flows: &mut [PlannedFlow],
    udp: &mut [UdpFlow],
    report: &mut Report,
) -> Option<Plan> {
    let pairs = pairs(network, flows, udp);
    let plan = satellites.plan(pairs.clone(), report)?;
    if satellites.is_bent_pipe() {
        bent_pipe(satellites, network, &plan, report)?;
        return Some(plan);
    }
    let stand_ins = network.through_sky.clone();
    let mut satellite_network = SatelliteNetwork::build(satellites, &plan, &pairs, network, report)?;
    for planned in flows {
        let Flow { name, forward, backward, .. } = &mut planned.flow;
        for route in [forward, backward] {
            *route = through(route, name, &stand_ins, network, &mut satellite_network, report)?;
        }
    }
    for source in udp {
        let UdpFlow { name, route, echo, .. } = source;
        for route in std::iter::once(route).chain(echo) {
            *route = through(route, name, &stand_ins, network, &mut satellite_network, report)?;
        }
    }
    Some(plan)
}

/// The route in the network with satellites that stands for one in the network without.
fn through(
    route: &Route,
    name: &str,
    stand_ins: &BTreeMap<LinkId, (usize, usize)>,
    network: &mut Network,
    satellite_network: &mut SatelliteNetwork<'_>,
    report: &mut Report,
) -> Option<Route> {
    let links = route.links();
    let in_sky: Vec<usize> = (0..links.len()).filter(|&at| stand_ins.contains_key(&links[at])).collect();
    let moved = |links: &[LinkId]| links.iter().map(|&link| network.moved(link)).collect::<Option<Vec<LinkId>>>();
    let at = match in_sky[..] {
        [] => return moved(&links).map(Route::from),
        [at] => at,
        _ => {
            report
                .error(None, format!("the route of {name} crosses the satellite network more than once"))
                .help("leave out the places between: satellites forward packets to each other");
            return None;
        }
    };
    let (before, after) = (moved(&links[..at])?, moved(&links[at + 1..])?);
    let pair = stand_ins[&links[at]];
    let route = satellite_network.route(network, &before, pair, &after);
    let on_ground = routes::delay_ps(network, &before) + routes::delay_ps(network, &after);
    let key = (route.first(), route.destination(&network.links));
    network.largest_delays.insert(key, on_ground + satellite_network.largest_delay_ps(pair));
    Some(route)
}

/// The events of the plan that concern its paths.
pub(crate) fn events(plan: &Plan) -> Vec<Event> {
    let name = |node: NodeId| plan.nodes[node].name.clone();
    let mut events = Vec::new();
    let linked: BTreeSet<(NodeId, NodeId)> = plan.links.iter().map(|link| (link.a, link.b)).collect();
    for event in &plan.events {
        let kind = match event.kind {
            sat::EventKind::Acquired => EventKind::Acquired,
            sat::EventKind::Handover => EventKind::Handover,
            sat::EventKind::Lost => EventKind::Lost,
            sat::EventKind::IslUp => EventKind::LinkUp,
            sat::EventKind::IslDown => EventKind::LinkDown,
        };
        let is_link = matches!(kind, EventKind::LinkUp | EventKind::LinkDown);
        let other = event.before.or(event.after);
        let is_used = !is_link || other.is_some_and(|other| linked.contains(&(event.node, other)));
        if is_used && !(is_link && event.reason == sat::Reason::Start) {
            let (before, after) = (event.before.map(name), event.after.map(name));
            events.push(Event { time: event.time, kind, node: name(event.node), before, after });
        }
    }
    let mut had_path: BTreeMap<(NodeId, NodeId), bool> = BTreeMap::new();
    for route in &plan.routes {
        let has_path = matches!(route.path, sat::RoutePath::Through(_));
        let had = had_path.insert((route.from, route.to), has_path).unwrap_or(true);
        if has_path != had {
            let (kind, to) =
                (if has_path { EventKind::RouteFound } else { EventKind::RouteLost }, Some(name(route.to)));
            let (before, after) = if has_path { (None, to) } else { (to, None) };
            events.push(Event { time: route.time, kind, node: name(route.from), before, after });
        }
    }
    events.sort_by_key(|event| event.time);
    events
}

/// The pairs of places between which something is sent, each once, the lower number first.
fn pairs(network: &Network, flows: &[PlannedFlow], udp: &[UdpFlow]) -> Vec<(usize, usize)> {
    let of_flows = flows.iter().flat_map(|planned| [&planned.flow.forward, &planned.flow.backward]);
    let routes = of_flows.chain(udp.iter().flat_map(UdpFlow::routes));
    let links = routes.flat_map(|route| route.links().into_owned());
    let through = links.filter_map(|link| network.through_sky.get(&link));
    let mut pairs: Vec<(usize, usize)> = through.map(|&(a, b)| (a.min(b), a.max(b))).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// A mirror: one hop from place to place.
fn bent_pipe(satellites: &Satellites, network: &mut Network, plan: &Plan, report: &mut Report) -> Option<()> {
    let links: Vec<_> = network.through_sky.iter().map(|(&link, &pair)| (link, pair)).collect();
    for (link, (from, to)) in links {
        let of = |place: usize| plan.named(&satellites.places[place].name);
        let errors = satellites.errors(to, report)?;
        let link = &mut network.links[link];
        link.params.errors = errors;
        match plan.delay(of(from)?, of(to)?, Time::ZERO) {
            Some(delay) => link.delay = delay,
            // Nothing is ever sent: what its delay would be does not matter.
            None => {
                let never = vec![(Time::ZERO, Time::NEVER)];
                let outages = Outages::new(never, InService::Finish, Queued::Keep);
                link.params.schedule =
                    Some(Box::new(LinkSchedule { outages, ..LinkSchedule::constant(link.rate, link.delay) }));
            }
        }
    }
    Some(())
}
