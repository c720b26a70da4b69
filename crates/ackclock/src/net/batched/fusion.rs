//! Ports that are fused for a while: where routes change, most ports are fed by one other port alone, as long as nothing changes. What
//! leaves this one is then taken through all that follow in one loop (`packets/routed/fused.rs`), without mailboxes and events on the
//! way, and a horizon spans all links between ports that several feed, instead of each link by itself.
//!
//! It is known from the routes and from the schedules of the links how long nothing changes. Ports are fused up to this instant, or
//! up to where the engine is asked to advance, and are given back to their processes then: what has happened before it is the same
//! in any case. They are also given back if something happens that is not known when a packet comes to a port.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::build::upstreams;
use super::logical_process::LogicalProcess;
use super::packets::routed::fused::{FusedPort, FusedPorts};
use super::packets::routed::packets::Handle;
use super::packets::routed::port::RoutedPort;
use super::packets::routed::port_places::PortPlaces;
use super::packets::routed::ports::RoutedPorts;
use super::{Batched, Upstream};
use crate::ids::{Id, IdVec, LinkId};
use crate::link::{Forwarding, RoutingTable};
use crate::net::link::Link;
use crate::units::{Span, Time};

/// What is known of a network of which ports may be fused: all routes of packets between ports change.
pub(super) struct Fusion {
    routes: Vec<FusableRoute>,
    places: Arc<PortPlaces>,
    /// What the shortest packet takes on each link.
    transmissions: IdVec<LinkId, Span>,
    /// What can reach each process if no ports are fused.
    separate: Vec<Vec<Upstream>>,
    now: Option<Fused>,
    /// When it is tried next to fuse ports, and how long after that if it is of no use then.
    next: Time,
    pause: Span,
    /// The shortest and the longest such pause, and for how long ports are fused at least.
    pauses: (Span, Span),
    shortest: Span,
}

/// A route that changes, with the processes of the hosts where it begins and ends.
pub(super) struct FusableRoute {
    pub(super) first: LinkId,
    pub(super) table: Arc<RoutingTable>,
    pub(super) origin: usize,
    pub(super) destination: usize,
}

/// What is fused now.
struct Fused {
    since: Time,
    limit: Time,
    /// The processes that have other ports with them.
    owners: Vec<usize>,
    /// Processes all of whose ports are fused with others, or idle.
    empty: Vec<usize>,
    /// Whether something has come that they cannot take.
    is_blocked: bool,
}

/// Which ports may be fused from now on, and for how long.
#[derive(Default)]
struct FusionPlan {
    limit: Time,
    /// By route the links on its way, the host's first; and whether it ends at its destination.
    ways: Vec<(Vec<LinkId>, bool)>,
    /// The ports on the ways, each with the links before it.
    feeders: BTreeMap<LinkId, BTreeSet<LinkId>>,
    /// The ports on the ways that are fused with none before them.
    heads: BTreeSet<LinkId>,
    /// The least delay of each link on the ways.
    delays: BTreeMap<LinkId, Span>,
}

/// When ports are fused. It changes no result, and nothing at all on the reference engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fusing {
    /// When it is likely to pay.
    #[default]
    IfItPays,
    /// Whenever it is possible.
    Always,
    /// Each port is in its own process.
    Never,
}

/// To fuse ports costs as much as some segments on a long way: for less than this it does not pay.
const SHORTEST: Span = Span::from_ms(50);
/// After the first attempt in vain, or the first short success, and after the last of many.
const PAUSES: (Span, Span) = (Span::from_ms(20), Span::from_secs(5));

impl Fusion {
    /// Of a network with these routes, whose ports are at these places.
    pub(super) fn new(
        routes: Vec<FusableRoute>,
        places: Arc<PortPlaces>,
        transmissions: IdVec<LinkId, Span>,
    ) -> Fusion {
        let mut fusion = Fusion {
            routes,
            places,
            transmissions,
            separate: Vec::new(),
            now: None,
            next: Time::ZERO,
            pause: Span::ZERO,
            pauses: PAUSES,
            shortest: SHORTEST,
        };
        fusion.set(Fusing::IfItPays);
        fusion
    }

    fn set(&mut self, fusing: Fusing) {
        let moment = Span::from_ps(1);
        (self.shortest, self.pauses, self.next) = match fusing {
            Fusing::IfItPays => (SHORTEST, PAUSES, Time::ZERO),
            Fusing::Always => (moment, (moment, moment), Time::ZERO),
            Fusing::Never => (SHORTEST, PAUSES, Time::NEVER),
        };
        self.pause = self.pauses.0;
    }

    fn process(&self, port: LinkId) -> usize {
        self.places.of(port).0 as usize
    }
}

impl Batched {
    /// Says when ports are fused, from where everything has happened on.
    pub fn set_fusing(&mut self, fusing: Fusing) {
        if let Some(fusion) = &mut self.fusion {
            fusion.set(fusing);
        }
    }

    /// How many packets have crossed ports that were fused with others, each counted at each port.
    pub fn fused_packets(&self) -> u64 {
        let routed = (0..self.processes.len()).filter_map(|process| self.routed(process));
        routed.map(RoutedPorts::fused_packets).sum()
    }

    /// Fuses ports or separates them, as is due now. Up to where everything has happened, and how far the engine may go on from there, at most
    /// up to `until`.
    #[inline]
    pub(super) fn settle_fusion(&mut self, until: Time) -> (Time, Time) {
        let slowest = self.slowest();
        match &self.fusion {
            None => (slowest, until),
            Some(fusion) => match &fusion.now {
                Some(fused) if slowest < fused.limit && !fused.is_blocked => (slowest, fused.limit),
                None if slowest < fusion.next => (slowest, until),
                _ => self.change_fusion(until),
            },
        }
    }

    #[inline(never)]
    fn change_fusion(&mut self, until: Time) -> (Time, Time) {
        let Some(mut fusion) = self.fusion.take() else { return (self.slowest(), until) };
        self.separate_if_over(&mut fusion);
        let slowest = self.slowest();
        if fusion.now.is_none() && slowest >= fusion.next && slowest.saturating_add(fusion.shortest) <= until {
            self.fuse(&mut fusion, slowest, until);
            // What was under way may have met something at once.
            self.separate_if_over(&mut fusion);
        }
        let limit = fusion.now.as_ref().map_or(until, |fused| fused.limit);
        self.fusion = Some(fusion);
        (self.slowest(), limit)
    }

    /// Gives the fused ports back if they are of no use any more.
    fn separate_if_over(&mut self, fusion: &mut Fusion) {
        let slowest = self.slowest();
        let is_over = |fused: &Fused| {
            let blocked = |&owner: &usize| self.routed(owner).is_some_and(RoutedPorts::are_blocked);
            slowest >= fused.limit || fused.owners.iter().any(blocked)
        };
        if fusion.now.as_ref().is_some_and(is_over) {
            self.separate(fusion, slowest);
        }
    }

    /// Whether a process has met something that its fused ports cannot take: no other may go on before they are given back.
    #[inline]
    pub(super) fn is_blocked(&mut self, process: usize) -> bool {
        let Some(Fusion { now: Some(fused), .. }) = self.fusion.as_deref_mut() else { return false };
        let LogicalProcess::Routed(ports) = &self.processes[process] else { return false };
        fused.is_blocked = ports.are_blocked();
        fused.is_blocked
    }

    /// Up to where everything has happened.
    fn slowest(&self) -> Time {
        *self.clocks.iter().min().expect("a network has hosts")
    }

    fn routed(&self, process: usize) -> Option<&RoutedPorts> {
        match &self.processes[process] {
            LogicalProcess::Routed(ports) => Some(ports),
            _ => None,
        }
    }

    fn routed_port(&self, fusion: &Fusion, link: LinkId) -> &RoutedPort {
        let (process, number) = fusion.places.of(link);
        self.routed(process as usize).expect("routes lead through such ports").port(number)
    }

    /// Fuses ports for what happens from `now` on, if that pays.
    fn fuse(&mut self, fusion: &mut Fusion, now: Time, until: Time) {
        fusion.next = now + fusion.pause;
        fusion.pause = (fusion.pause * 2).min(fusion.pauses.1);
        self.post_under_way();
        let Some(plan) = self.plan_fusion(fusion, now, until) else { return };
        if plan.heads.len() == plan.feeders.len() || !self.is_on_ways(fusion, &plan, now) {
            return;
        }
        let owned = self.take_out_fused(fusion, &plan);
        let with_heads: BTreeSet<usize> = plan.heads.iter().map(|&head| fusion.process(head)).collect();
        let is_empty = |&process: &usize| self.routed(process).is_some() && !with_heads.contains(&process);
        let empty: Vec<usize> = (0..self.processes.len()).filter(is_empty).collect();
        let lookaheads = self.lookaheads(fusion, &plan);
        fusion.separate = std::mem::replace(&mut self.upstreams, upstreams(self.processes.len(), &lookaheads));
        empty.iter().for_each(|&process| self.clocks[process] = Time::NEVER);
        self.order = plan.order(fusion, self.processes.len(), &empty);
        let owners = owned.keys().copied().collect();
        for (owner, (ports, under_way)) in owned {
            let LogicalProcess::Routed(process) = &mut self.processes[owner] else { unreachable!("it has a head") };
            process.fuse(FusedPorts::new(ports, plan.limit), under_way, &mut self.io);
        }
        fusion.now = Some(Fused { since: now, limit: plan.limit, owners, empty, is_blocked: false });
    }

    /// Gives the fused ports back to their processes. What happens before `slowest` has happened, but for what waits for these ports.
    fn separate(&mut self, fusion: &mut Fusion, slowest: Time) {
        let Some(Fused { since, limit, owners, empty, .. }) = fusion.now.take() else { return };
        for owner in owners {
            let LogicalProcess::Routed(process) = &mut self.processes[owner] else { unreachable!("it has a head") };
            for FusedPort { port, home: (process, number), .. } in process.separate() {
                let LogicalProcess::Routed(home) = &mut self.processes[process as usize] else {
                    unreachable!("it came from there")
                };
                home.put_back(number, port);
            }
        }
        self.upstreams = std::mem::take(&mut fusion.separate);
        self.order = (0..self.processes.len()).collect();
        // What waits has been sent by processes that are further than these were; nothing else comes before `slowest`.
        let waits = empty.iter().map(|&process| self.processes[process].process().next(&self.io));
        let clock = waits.fold(slowest, Time::min);
        empty.iter().for_each(|&process| self.clocks[process] = clock);
        if slowest >= limit || slowest >= since + fusion.pauses.1 {
            (fusion.next, fusion.pause) = (slowest, fusion.pauses.0);
        } else {
            fusion.next = slowest + fusion.pause;
        }
    }

    /// What is on the links between ports of one process waits in mailboxes.
    fn post_under_way(&mut self) {
        for process in &mut self.processes {
            if let LogicalProcess::Routed(ports) = process {
                ports.post_under_way(&mut self.io);
            }
        }
    }

    /// The ways of all routes from `now` on, and which ports on them may be fused; `None` if it is for too short a time.
    fn plan_fusion(&self, fusion: &Fusion, now: Time, until: Time) -> Option<FusionPlan> {
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

    fn link_of(&self, fusion: &Fusion, port: LinkId) -> &Link {
        self.routed_port(fusion, port).port.link.as_ref().expect("a link of a route that changes has a state")
    }

    /// Whether all that is under way between ports, or waits there, goes on by steps of the plan: what has come on former ways may
    /// still be elsewhere.
    fn is_on_ways(&self, fusion: &Fusion, plan: &FusionPlan, now: Time) -> bool {
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
                let mut waiting = port.waiting_vcs();
                if !waiting.all(|vc| port.route_of(vc).is_some_and(|table| goes_on(port, table))) {
                    return false;
                }
            }
        }
        true
    }

    /// Takes the ports out of their processes that are to be fused with others: by the process of the port that they follow, each with what
    /// is on its way there, and each after the one that feeds it.
    fn take_out_fused(&mut self, fusion: &Fusion, plan: &FusionPlan) -> BTreeMap<usize, (Vec<FusedPort>, UnderWay)> {
        let (mut owned, mut taken) = (BTreeMap::<usize, (Vec<FusedPort>, UnderWay)>::new(), BTreeSet::new());
        for (way, _) in &plan.ways {
            let mut owner = None;
            for step in way.windows(2) {
                let (feeder, link) = (step[0], step[1]);
                if plan.heads.contains(&link) {
                    owner = Some(fusion.process(link));
                } else if taken.insert(link) {
                    let home = fusion.places.of(link);
                    let LogicalProcess::Routed(process) = &mut self.processes[home.0 as usize] else {
                        unreachable!("routes lead through such ports")
                    };
                    let (port, packets) = process.take_out(home.1, &mut self.io);
                    let (ports, under_way) = owned.entry(owner.expect("the first port is a head")).or_default();
                    ports.push(FusedPort { port, home, feeder });
                    under_way.push(packets);
                }
            }
        }
        owned
    }

    /// The least time from process to process while ports are fused.
    fn lookaheads(&self, fusion: &Fusion, plan: &FusionPlan) -> BTreeMap<(usize, usize), Span> {
        let mut lookaheads = BTreeMap::new();
        let mut look_ahead = |to: usize, from: usize, least: Span| {
            let known = lookaheads.entry((to, from)).or_insert(least);
            *known = (*known).min(least);
        };
        for (to, upstreams) in self.upstreams.iter().enumerate() {
            for &Upstream { from, lookahead } in upstreams {
                if self.routed(to).is_none() && self.routed(from).is_none() {
                    look_ahead(to, from, lookahead);
                }
            }
        }
        for (route, (way, arrives)) in fusion.routes.iter().zip(&plan.ways) {
            let (mut from, mut least) = (route.origin, Span::ZERO);
            for (place, link) in way.iter().enumerate() {
                if place > 0 {
                    let process = fusion.process(*link);
                    // If a fused port is blocked, what waits for it has to be ahead of its process.
                    if process != from {
                        look_ahead(process, from, least);
                    }
                    if plan.heads.contains(link) {
                        (from, least) = (process, Span::ZERO);
                    }
                }
                least = least + fusion.transmissions[*link] + plan.delays[link];
            }
            if *arrives {
                look_ahead(route.destination, from, least);
            }
        }
        lookaheads
    }
}

/// By fused port what is on its way there.
type UnderWay = Vec<Vec<(Time, Handle)>>;

impl FusionPlan {
    fn has_step(&self, from: LinkId, to: LinkId) -> bool {
        self.feeders.get(&to).is_some_and(|feeders| feeders.contains(&from))
    }

    /// The processes but for those that are `empty`, in the order of the ways: so most horizons follow from what has been advanced just before.
    fn order(&self, fusion: &Fusion, processes: usize, empty: &[usize]) -> Vec<usize> {
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
    fn keep_apart(&mut self, process: impl Fn(LinkId) -> usize) {
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
