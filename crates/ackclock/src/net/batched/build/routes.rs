//! Where packets and cells go from one logical process to the next, and what that says of how far each may run ahead.

use std::collections::{BTreeMap, BTreeSet};

use super::layout::{Layout, Plan};
use super::mailbox_plan::MailboxPlan;
use crate::ids::{Id, IdVec, LinkId, VcId};
use crate::net::batched::Upstream;
use crate::net::batched::abr::under_way::VisitHop;
use crate::net::batched::cells::last_hop::Slots;
use crate::net::batched::io::{Destination, InputRef, NextHop};
use crate::net::batched::packets::edge::Passage;
use crate::net::build;
use crate::net::flow::{Hop, Vc, end_of};
use crate::net::routes::Routed;
use crate::scenario::Technology;
use crate::units::Span;

/// The routes of all connections between the processes.
#[derive(Default)]
pub(super) struct Routes {
    /// For each connection, the first hop, and for how long ports without a queue need its past.
    pub(super) of_hosts: Vec<Option<(NextHop, Span)>>,
    /// By router that is a process, the connections that pass it.
    pub(super) of_routers: Vec<Vec<Passage>>,
    /// Of ports that are in processes and no last-hop ports.
    pub(super) of_ports: BTreeMap<LinkId, Exits>,
    pub(super) pass_through: BTreeMap<LinkId, PassThroughSource>,
    /// The mailboxes of processes, and the inboxes of groups of hosts and of datagrams.
    pub(super) mailboxes: MailboxPlan,
    pub(super) inboxes: MailboxPlan,
    /// The inboxes that last-hop ports lead to.
    pub(super) of_last_hops: IdVec<LinkId, Option<u32>>,
    /// By output and connection, the port that RM cells enter whose frames are put together by an edge device.
    pub(super) of_rm_cells: BTreeMap<(LinkId, VcId), Destination>,
    /// By output and connection, the ports that its backward RM cells visit on their way to the next output.
    pub(super) visits: BTreeMap<(LinkId, VcId), Vec<VisitHop>>,
    /// By flow, if some has an ABR connection, the ports that write into its backward RM cells, with the least time from there to the source.
    pub(super) writers: Vec<Vec<Upstream>>,
    /// By process, its inputs that are fed by ports from which runs of cells come: a stream for each.
    streams: BTreeMap<u32, Vec<u32>>,
    /// The least time to one process (the first) from another (the second).
    pub(super) lookaheads: BTreeMap<(usize, usize), Span>,
    /// The processes of ports that routes which change may cross.
    pub(super) routed_processes: BTreeSet<usize>,
    /// Routes that change of which lookaheads are known, by their place in memory, with the processes where they begin and end.
    pub(super) dynamic: BTreeSet<(*const Routed, usize, usize)>,
}

/// The next hops of a port.
pub(super) struct Exits {
    /// By the connections' numbers.
    pub(super) next_hops: Vec<Option<NextHop>>,
    /// The spacing of the cells that come in.
    pub(super) spacings: Vec<Span>,
    /// For how long ports without a queue need the past of this one.
    pub(super) memory: Span,
}

impl Exits {
    /// Of a port that so many connections cross.
    fn new(crossing: usize) -> Exits {
        Exits { next_hops: vec![None; crossing], spacings: vec![Span::ZERO; crossing], memory: Span::ZERO }
    }
}

/// An output on a connection's path.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) process: usize,
    pub(super) link: LinkId,
    /// The connection's number there, if it is a port.
    pub(super) number: Option<VcId>,
    /// The router if it is one that is a process.
    pub(super) router: Option<usize>,
}

/// Where a port without a queue finds what passed it.
#[derive(Default)]
pub(super) struct PassThroughSource {
    pub(super) behind: usize,
    pub(super) lag: Span,
    pub(super) numbers: Vec<VcId>,
}

impl Routes {
    /// The number of the stream from a port that leads there, among those to the same process; any number if it leads to no port that
    /// takes streams.
    pub(super) fn stream(&mut self, to: Destination) -> u32 {
        let Destination::RunPort { mailbox, input_ref } = to else { return 0 };
        let inputs = self.streams.entry(mailbox).or_default();
        let number = inputs.iter().position(|&input| input == input_ref.input).unwrap_or(inputs.len());
        if number == inputs.len() {
            inputs.push(input_ref.input);
        }
        number as u32
    }

    /// How many streams lead to a process.
    pub(super) fn streams(&self, process: usize) -> usize {
        self.streams.get(&(process as u32)).map_or(0, Vec::len)
    }
}

impl Plan<'_> {
    pub(super) fn routes(&self, layout: &Layout) -> Routes {
        let mut ranks = BTreeMap::new();
        if let Technology::Atm { .. } = self.scenario.technology {
            for port in self.scenario.links.ids() {
                let inputs = self.wiring.inputs.of(port).iter().enumerate();
                ranks.extend(inputs.map(|(rank, &input)| ((port, input), rank as u32)));
            }
        }
        let routed = layout.process_of_port.iter_ids().filter(|&(link, _)| self.is_routed(link));
        let routed_processes = routed.filter_map(|(_, place)| place.map(|(process, _)| process as usize)).collect();
        let has_abr = self.scenario.has_abr();
        let mut routes = Routes {
            of_hosts: vec![None; self.vcs.len()],
            mailboxes: MailboxPlan::new(layout.processes),
            inboxes: MailboxPlan::new(layout.inboxes()),
            of_last_hops: self.last_hops.iter().map(|_| None).collect(),
            writers: self.scenario.flows.iter().filter(|_| has_abr).map(|_| Vec::new()).collect(),
            routed_processes,
            ..Routes::default()
        };
        routes.of_routers = layout.routers.iter().map(|_| Vec::new()).collect();
        for (id, vc) in self.vcs.iter_ids().filter(|(_, vc)| !vc.route.is_empty()) {
            match &vc.routed {
                None => self.route_of(id, layout, &ranks, &mut routes),
                Some(routed) => self.dynamic_route_of(id, routed, layout, &mut routes),
            }
        }
        routes
    }

    /// The route of one connection, from output to output.
    pub(super) fn route_of(
        &self,
        id: VcId,
        layout: &Layout,
        ranks: &BTreeMap<(LinkId, LinkId), u32>,
        routes: &mut Routes,
    ) {
        let vc = &self.vcs[id];
        let (group, destination) = self.end_of_route(id, layout);
        let origin = layout.group_of(end_of(id).1.other());
        let host_link = &self.scenario.links[vc.route[0].link];
        let mut from = Place { process: layout.groups[origin], link: vc.route[0].link, number: None, router: None };
        let mut lag = host_link.params.least_delay(host_link.delay);
        let mut looked_back = Span::ZERO;
        for (crossed, hops) in (1..).zip(vc.route.windows(2)) {
            let (input, hop) = (hops[0].link, hops[1]);
            let link = &self.scenario.links[hop.link];
            self.visit(id, crossed, (&from, lag), layout, routes);
            let Some((process, port)) = layout.process_of_port[hop.link] else {
                self.pass_through(id, hop, (&from, lag), routes);
                // The past is needed even if the link has no delay.
                looked_back = lag.max(Span::from_ps(1));
                lag = lag + link.rate.cell_time() + link.delay;
                continue;
            };
            if self.last_hops[hop.link] && matches!(self.scenario.technology, Technology::Atm { .. }) {
                (looked_back, lag) = self.pass_last_hop(id, hop, (&from, lag), routes);
                continue;
            }
            if self.last_hops[hop.link] {
                let next_hop = NextHop { lag, to: Destination::LastHopPort { last_hop: port, at_port: hop.at_port } };
                let beyond = self.least_transmission(hop.link) + link.delay;
                let inbox = routes.inboxes.mailbox(group, from.process, lag + link.delay);
                routes.of_last_hops[hop.link] = Some(inbox);
                return self.leave(id, &from, next_hop, (destination, beyond), looked_back, routes);
            }
            let before = (from, lag);
            if let Some(router) = self.router_before(id, hop.link) {
                from = self.enter_router(id, router, (&from, lag, looked_back), hops, layout, routes);
                (lag, looked_back) = (Span::ZERO, Span::ZERO);
            }
            let rank = match self.scenario.technology {
                Technology::Atm { .. } if from.router.is_some() => self.wiring.rank_of_edge(hop.link, id) as u32,
                Technology::Atm { .. } => ranks[&(hop.link, input)],
                // At one instant packets are taken in the order of the links.
                Technology::Packet { .. } => input.index() as u32,
            };
            let crossing = self.crossing.of(hop.link).len();
            let exits = routes.of_ports.entry(hop.link).or_insert_with(|| Exits::new(crossing));
            exits.spacings[hop.at_port.index()] = self.spacing(vc, &from);
            let at_port = if self.is_routed(hop.link) { id } else { hop.at_port };
            let mailbox = self.mailbox(hop.link, process, (&from, lag), routes);
            let input_ref = InputRef { port, input: rank, at_port };
            let to = match self.takes_runs {
                true => Destination::RunPort { mailbox, input_ref },
                false => Destination::Port { mailbox, input_ref },
            };
            let process = process as usize;
            if from.router.is_some() && self.takes_runs {
                let input_ref = InputRef { port, input: ranks[&(hop.link, input)], at_port };
                self.pass_edge_device(id, before, Destination::RunPort { mailbox, input_ref }, process, routes);
            }
            self.leave(id, &from, NextHop { lag, to }, (process, Span::ZERO), looked_back, routes);
            from = Place { process, link: hop.link, number: Some(hop.at_port), router: None };
            looked_back = Span::ZERO;
            lag = match self.scenario.technology {
                Technology::Atm { .. } => link.rate.cell_time() + link.delay,
                Technology::Packet { .. } => link.params.least_delay(link.delay),
            };
        }
        let last_link = vc.route[vc.route.len() - 1].link;
        let inbox = match self.scenario.technology {
            Technology::Packet { .. } if group < layout.groups.len() && !self.is_routed(last_link) => {
                routes.inboxes.mailbox(group, from.process, lag)
            }
            _ => group as u32,
        };
        let to = Destination::Host { inbox, link: last_link.index() as u32 };
        self.leave(id, &from, NextHop { lag, to }, (destination, Span::ZERO), looked_back, routes);
    }

    /// From one cell of a connection to the next behind an output.
    fn spacing(&self, vc: &Vc, from: &Place) -> Span {
        match from.number {
            // Out of an edge device all cells come at once.
            None if from.router.is_some() => Span::ZERO,
            None => vc.cell_spacing,
            // Behind a port cells come at its pace at most, one by one.
            Some(_) => self.scenario.links[from.link].rate.cell_time(),
        }
    }

    /// Connection `id` comes to a port that never keeps anything, so long after it left `from`.
    fn pass_through(&self, id: VcId, hop: Hop, (from, lag): (&Place, Span), routes: &mut Routes) {
        let crossing = self.crossing.of(hop.link).len();
        let source = routes.pass_through.entry(hop.link).or_insert_with(|| PassThroughSource {
            behind: from.process,
            lag,
            numbers: vec![VcId::from_index(0); crossing],
        });
        source.numbers[hop.at_port.index()] = from.number.unwrap_or(id);
    }

    /// Connection `id` comes to a last-hop port of cells so long after it left `from`. For how long that has to know its past, and how
    /// long after it left `from` it comes to the host.
    fn pass_last_hop(&self, id: VcId, hop: Hop, from: (&Place, Span), routes: &mut Routes) -> (Span, Span) {
        self.pass_through(id, hop, from, routes);
        let link = &self.scenario.links[hop.link];
        let to_departure = Slots::new(link.rate.cell_time(), from.1).to_departure();
        (to_departure, to_departure + link.rate.cell_time() + link.delay)
    }

    /// Connection `id` goes from `from` on `next_hop` to process `to`, which it reaches no less than `beyond` after its end.
    pub(super) fn leave(
        &self,
        id: VcId,
        from: &Place,
        next_hop: NextHop,
        (to, beyond): (usize, Span),
        looked_back: Span,
        routes: &mut Routes,
    ) {
        routes.look_ahead(to, from.process, self.first_unit(from) + next_hop.lag + beyond);
        if let Some(router) = from.router {
            let passage = routes.of_routers[router].last_mut().expect("what leaves a router has come to it");
            passage.to = Some(next_hop.to);
            return;
        }
        match from.number {
            None => routes.of_hosts[id.index()] = Some((next_hop, looked_back)),
            Some(number) => {
                let exits = routes.of_ports.get_mut(&from.link).expect("whatever leaves a port has come to it");
                exits.next_hops[number.index()] = Some(next_hop);
                exits.memory = exits.memory.max(looked_back);
            }
        }
    }

    /// Where the process of a port finds what comes to it so long after it left `from`.
    fn mailbox(&self, port: LinkId, process: u32, (from, lag): (&Place, Span), routes: &mut Routes) -> u32 {
        let is_packets = matches!(self.scenario.technology, Technology::Packet { .. });
        match is_packets && !self.is_routed(port) && build::is_foreseeable(&self.scenario.links[port]) {
            true => routes.mailboxes.mailbox(process as usize, from.process, lag),
            false => process,
        }
    }

    /// From the instant at which the first unit begins to that from which the lag of an output counts, at least.
    pub(super) fn first_unit(&self, from: &Place) -> Span {
        match self.scenario.technology {
            _ if from.router.is_some() => Span::ZERO,
            // A port's lag counts from the instant at which a cell begins to be transmitted.
            Technology::Atm { .. } if from.number.is_some() => Span::ZERO,
            _ => self.least_transmission(from.link),
        }
    }

    /// The group of hosts where a connection ends, and its process.
    pub(super) fn end_of_route(&self, id: VcId, layout: &Layout) -> (usize, usize) {
        let (flow, end) = end_of(id);
        let source = flow.checked_sub(self.scenario.flows.len()).map(|source| &self.scenario.udp[source]);
        match (layout.udp_sinks, source) {
            // Of others nothing is sent back.
            (Some(sinks), Some(source)) if source.echo.is_none() => sinks,
            _ => (layout.group_of(end), layout.groups[layout.group_of(end)]),
        }
    }

    /// How long the shortest unit takes on a link.
    pub(super) fn least_transmission(&self, link: LinkId) -> Span {
        let link = &self.scenario.links[link];
        match self.scenario.technology {
            // The rates of its links do not change.
            Technology::Atm { .. } => link.rate.cell_time(),
            Technology::Packet { link_header_bytes } => {
                let bits = u64::from(self.shortest + link_header_bytes) * 8;
                link.params.least_serialization(link.rate, bits)
            }
        }
    }
}

impl Routes {
    /// What leaves process `from` needs so long to `to`, at least. What happens within a process of routes that change is in
    /// order there.
    pub(super) fn look_ahead(&mut self, to: usize, from: usize, least: Span) {
        if to == from && self.routed_processes.contains(&to) {
            return;
        }
        let lookahead = self.lookaheads.entry((to, from)).or_insert(least);
        *lookahead = (*lookahead).min(least);
    }

    /// Takes the next hops of a port that is crossed.
    pub(super) fn exits(&mut self, port: LinkId) -> Exits {
        self.of_ports.remove(&port).expect("a port in a process is crossed")
    }
}
