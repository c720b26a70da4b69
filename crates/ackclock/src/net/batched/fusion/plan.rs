//! Which ports may be fused from an instant on: the ways of all routes, as they are then, and for how long they stay.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::state::{FusableRoute, Fusion};
use crate::ids::{Id, LinkId};
use crate::link::{Forwarding, RoutingTable};
use crate::net::batched::Batched;
use crate::net::batched::logical_process::LogicalProcess;
use crate::net::batched::packets::routed::port::RoutedPort;
use crate::net::batched::packets::routed::ports::RoutedPorts;
use crate::net::link::Link;
use crate::units::{Span, Time};

/// Which ports may be fused from now on, and for how long.
#[derive(Default)]
pub(super) struct FusionPlan {
    pub(super) limit: Time,
    /// By route the links on its way, the host's first; and whether it ends at its destination.
    pub(super) ways: Vec<(Vec<LinkId>, bool)>,
    /// The ports on the ways, each with the links before it.
    pub(super) feeders: BTreeMap<LinkId, BTreeSet<LinkId>>,
    /// The ports on the ways that are fused with none before them.
    pub(super) heads: BTreeSet<LinkId>,
    /// The least delay of each link on the ways.
    pub(super) delays: BTreeMap<LinkId, Span>,
}

impl Batched {
    /// The ways of all routes from `now` on, and which ports on them may be fused; `None` if it is for too short a time.
    pub(super) fn plan_fusion(&self, fusion: &Fusion, now: Time, until: Time) -> Option<FusionPlan> {
        let of_hosts: BTreeMap<LinkId, &Link> =
            self.hosts().flat_map(|hosts| hosts.links()).map(|link| (link.id, link)).collect();
        let mut plan = FusionPlan { limit: until, ..FusionPlan::default() };
        for FusableRoute { first, table, .. } in &fusion.routes {
            let (mut way, mut link) = (vec![*first], *of_hosts.get(first)?);
            let arrives = loop {
                let (node, steady) = link.steady_from(now)?;
                let (routes, _) = table.holds(node, now);
                plan.limit = plan.limit.min(steady).min(routes.end);
                if plan.limit < now.saturating_add(fusion.shortest) {
                    return None;
                }
                match table.forward(node, now, way.len() as u8) {
                    Forwarding::Arrived => break true,
                    Forwarding::Lost(_) => break false,
                    Forwarding::By(next) => {
                        plan.feeders.entry(next).or_default().insert(way[way.len() - 1]);
                        way.push(next);
                        link = self.link_of(fusion, next);
                    }
                }
            };
            plan.ways.push((way, arrives));
        }
        let delays = |link: LinkId| match of_hosts.get(&link) {
            Some(link) => link.state.delays_between(now, plan.limit),
            None => self.link_of(fusion, link).state.delays_between(now, plan.limit),
        };
        let delays: BTreeMap<LinkId, (Span, bool)> =
            plan.ways.iter().flat_map(|(way, _)| way).map(|&link| (link, delays(link))).collect();
        // The first port of each route is a head.
        let keeps_order = |link: &LinkId| !of_hosts.contains_key(link) && delays[link].1;
        let is_head = |(port, feeders): (&LinkId, &BTreeSet<LinkId>)| {
            let is_alone = feeders.len() == 1 && feeders.iter().all(keeps_order);
            (!is_alone || !self.routed_port(fusion, *port).port.foresees()).then_some(*port)
        };
        plan.heads = plan.feeders.iter().filter_map(is_head).collect();
        plan.delays = delays.into_iter().map(|(link, (least, _))| (link, least)).collect();
        plan.keep_apart(|port| fusion.process(port));
        Some(plan)
    }

    /// Whether all that is under way between ports, or waits there, goes on by steps of the plan: what has come on former ways may
    /// still be elsewhere.
    pub(super) fn is_on_ways(&self, fusion: &Fusion, plan: &FusionPlan, now: Time) -> bool {
        let mut known = BTreeSet::new();
        let mut goes_on = |port: &RoutedPort, table: &Arc<RoutingTable>| {
            let (mut link, mut crossed) = (port.link, 0);
            while known.insert((link, Arc::as_ptr(table))) {
                let Some((node, _)) = self.link_of(fusion, link).steady_from(now) else { return false };
                match table.forward(node, now, crossed) {
                    Forwarding::By(next) if plan.has_step(link, next) => (link, crossed) = (next, crossed + 1),
                    Forwarding::By(_) => return false,
                    Forwarding::Arrived | Forwarding::Lost(_) => return true,
                }
            }
            true
        };
        let routed = self.processes.iter().enumerate().filter_map(|(number, _)| Some((number, self.routed(number)?)));
        for (number, ports) in routed {
            for arrival in self.io.mailboxes[number].waiting() {
                let (port, vc) = (ports.port(arrival.input_ref.port), arrival.input_ref.at_port);
                let Some(table) = port.route_of(vc) else { return false };
                let input = LinkId::from_index(arrival.input_ref.input as usize);
                if !plan.has_step(input, port.link) || !goes_on(port, table) {
                    return false;
                }
            }
            for port in ports.all() {
                let is_on_way = plan.feeders.contains_key(&port.link);
                let mut goes_on = |vc| is_on_way && port.route_of(vc).is_some_and(|table| goes_on(port, table));
                if !port.waiting_vcs().all(&mut goes_on) {
                    return false;
                }
            }
        }
        true
    }

    pub(super) fn routed(&self, process: usize) -> Option<&RoutedPorts> {
        match &self.processes[process] {
            LogicalProcess::Routed(ports) => Some(ports),
            _ => None,
        }
    }

    pub(super) fn routed_port(&self, fusion: &Fusion, link: LinkId) -> &RoutedPort {
        let (process, number) = fusion.places.of(link);
        self.routed(process as usize).expect("routes lead through such ports").port(number)
    }

    pub(super) fn link_of(&self, fusion: &Fusion, port: LinkId) -> &Link {
        self.routed_port(fusion, port).port.link.as_ref().expect("a link of a route that changes has a state")
    }
}

impl FusionPlan {
    pub(super) fn has_step(&self, from: LinkId, to: LinkId) -> bool {
        self.feeders.get(&to).is_some_and(|feeders| feeders.contains(&from))
    }

    /// The processes but for those that are `empty`, in the order of the ways: so most horizons follow from what has been advanced just before.
    pub(super) fn order(&self, fusion: &Fusion, processes: usize, empty: &[usize]) -> Vec<usize> {
        let of_way = |(route, (way, _)): (&FusableRoute, &(Vec<LinkId>, bool))| {
            let heads = way.iter().filter(|link| self.heads.contains(link)).map(|&link| fusion.process(link));
            std::iter::once(route.origin).chain(heads).chain([route.destination]).collect::<Vec<_>>()
        };
        let (mut order, mut seen) = (Vec::new(), BTreeSet::from_iter(empty.iter().copied()));
        let on_ways = fusion.routes.iter().zip(&self.ways).flat_map(of_way);
        order.extend(on_ways.chain(0..processes).filter(|&process| seen.insert(process)));
        order
    }

    /// What leaves the ports that are fused with those of a process never comes to a port of this process: this would be in the order of events
    /// there. `process` says of which process a port is.
    pub(super) fn keep_apart(&mut self, process: impl Fn(LinkId) -> usize) {
        loop {
            let mut own: Vec<LinkId> = Vec::new();
            for (way, _) in &self.ways {
                let mut head = 1;
                for place in 2..way.len() {
                    let is_head = self.heads.contains(&way[place]);
                    if process(way[place]) == process(way[head]) && (!is_head || place > head + 1) {
                        own.extend(&way[head + 1..=place]);
                    }
                    if is_head {
                        head = place;
                    }
                }
            }
            let before = self.heads.len();
            self.heads.extend(own);
            if self.heads.len() == before {
                break;
            }
        }
    }
}
