//! From a scenario to the parts of the batched engine and the ways between them.

mod event_driven;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cell_port::CellPort;
use super::datagrams::DatagramSinks;
use super::directory::{Directory, Output, Through};
use super::door::{self, Door};
use super::fifo_monitor::FifoMonitor;
use super::hosts::Hosts;
use super::io::{Destination, Entrance, Io, Leg};
use super::mailbox::Mailbox;
use super::outlets::{Numbering, Outlet, Outlets, PathOutlet, Trail};
use super::pacing::Spacing;
use super::packet_port::{PacketPort, PacketPorts, PortVc};
use super::reports::Reports;
use super::routed_ports::PortPlaces;
use super::sacks::Sacks;
use super::serializer::{LastTime, Serializers};
use super::service::Service;
use super::tail::{self, Tails};
use super::{Batched, Inlet, Part};
use crate::ids::{Id, IdVec, LinkId, NodeId, VcId};
use crate::net::build::{self, Feeder, Wiring};
use crate::net::flow::{End, Hop, Vc, end_of};
use crate::net::link::Link;
use crate::net::lists::Lists;
use crate::net::recorder::{HostTraces, Recorder};
use crate::net::routes::{Routed, routed_links};
use crate::net::tails::tails;
use crate::packet::aal5::Reassembler;
use crate::record::trace::{FifoTrace, PortTrace};
use crate::rng::name_hash;
use crate::scenario::{Scenario, Technology};
use crate::units::{Span, Time};

impl Batched {
    /// The network of a scenario, before anything has happened.
    pub fn new(scenario: &Scenario, seed: u64, recorder: Option<&Recorder>) -> Batched {
        let vcs = build::vcs(scenario);
        let (wiring, crossing) = (Wiring::new(scenario), build::crossing(scenario, &vcs));
        let routed = routed_links(scenario, vcs.iter().filter_map(|vc| vc.routed.as_ref()));
        let tails = tails(scenario, &wiring, &crossing, &vcs, &routed);
        let shortest = scenario.flows.iter().map(|flow| flow.tcp.shortest_datagram()).min().unwrap_or(0);
        let plan = Plan { scenario, seed, recorder, wiring, crossing, tails, routed, vcs, shortest };
        let layout = plan.layout();
        let mut ways = plan.ways(&layout);
        let mut parts: BTreeMap<usize, Part> = plan.hosts(&layout, &mut ways);
        let ports = layout.ports();
        for links in ports.chunk_by(|a, b| a.0 == b.0) {
            parts.insert(links[0].0 as usize, plan.ports(links, &layout, &mut ways));
        }
        if let Some((group, part)) = layout.datagram_sinks {
            let (flows, sources) = (scenario.flows.len(), scenario.datagrams.len());
            parts.insert(part, Part::Datagrams(DatagramSinks::new(group, flows, sources)));
        }
        let reports = plan.reports();
        let mut directory = Directory::new(scenario, plan.crossing);
        for (id, link) in scenario.links.iter_ids() {
            match (plan.wiring.feeders[id], layout.part_of_port[id]) {
                (Feeder::Nic, _) => directory.push(Output::Nic),
                (_, Some((part, tail))) if plan.tails[id] => directory.push(Output::Tail { part, tail }),
                (_, Some((part, port))) => directory.push(Output::Port { part, port }),
                (_, None) => {
                    // Where nothing crosses, it does not matter behind what.
                    let Tap { behind, lag, numbers } = ways.taps.remove(&id).unwrap_or_default();
                    let threshold = link.queue.policy.threshold_cells();
                    directory.push_through(Through { behind, lag, numbers, threshold });
                }
            }
        }
        let traces = recorder.and_then(Recorder::hosts);
        Batched {
            directory,
            done: vec![Time::ZERO; parts.len()],
            inlets: inlets(parts.len(), &ways.lookaheads),
            io: Io {
                reports,
                sacks: Sacks::new(recorder.filter(|recorder| recorder.numbers_packets()).map_or(0, |_| plan.vcs.len())),
                watched: traces.as_deref().map(HostTraces::watched).unwrap_or_default(),
                traces,
                mailboxes: parts.iter().map(|_| Mailbox::default()).collect(),
                inboxes: (0..layout.inboxes()).map(|_| Mailbox::default()).collect(),
            },
            parts: parts.into_values().collect(),
        }
    }
}

/// What the parts are made from.
struct Plan<'a> {
    scenario: &'a Scenario,
    seed: u64,
    recorder: Option<&'a Recorder>,
    wiring: Wiring,
    vcs: IdVec<VcId, Vc>,
    /// The connections that cross each link, in the order of their numbers at its port.
    crossing: Lists<LinkId, VcId>,
    /// Whether a link's port is done together with the one before it.
    tails: IdVec<LinkId, bool>,
    /// Whether packets may cross a link whose route changes.
    routed: IdVec<LinkId, bool>,
    /// Octets of the shortest datagram of all flows. Those of UDP are not shorter.
    shortest: u32,
}

/// The numbers of the parts. They are advanced in this order, so it follows the data and then the acknowledgements.
struct Layout {
    numbering: Numbering,
    /// The parts that are groups of hosts: those of the senders and of the receivers, or one for both.
    groups: Vec<usize>,
    /// The group that datagrams arrive at, and its part, if there are any.
    datagram_sinks: Option<(usize, usize)>,
    /// For each port that has a queue and is crossed, its part, and its number among the ports of that part; of a tail,
    /// among the tails.
    part_of_port: IdVec<LinkId, Option<(u32, u32)>>,
    /// How many tails each part has.
    tails: BTreeMap<usize, u32>,
    /// Where the ports are that routes which change may cross.
    routed: Option<Arc<PortPlaces>>,
}

/// The ways between the parts.
#[derive(Default)]
struct Ways {
    /// For each connection, the way out of its host, and how long ports without a queue look back on it.
    of_hosts: Vec<Option<(Leg, Span)>>,
    /// Of ports that are in parts and no tails.
    of_ports: BTreeMap<LinkId, Exits>,
    taps: BTreeMap<LinkId, Tap>,
    /// The least time to one part (the first) from another (the second).
    lookaheads: BTreeMap<(usize, usize), Span>,
    /// The parts of ports that routes which change may cross.
    routed_parts: BTreeSet<usize>,
    /// Routes that change of which lookaheads are known, by their place in memory, with the parts where they begin and end.
    dynamic: BTreeSet<(*const Routed, usize, usize)>,
}

/// The ways out of a port.
struct Exits {
    /// By the connections' numbers.
    legs: Vec<Option<Leg>>,
    /// The spacing of the cells that come in.
    spacings: Vec<Span>,
    /// How long ports without a queue look back on this one.
    memory: Span,
}

/// An output on a connection's way.
struct Place {
    part: usize,
    link: LinkId,
    /// The connection's number there, if it is a port.
    number: Option<VcId>,
}

/// Where a port without a queue finds what passed it.
#[derive(Default)]
struct Tap {
    behind: usize,
    lag: Span,
    numbers: Vec<VcId>,
}

impl Plan<'_> {
    /// Only of what travels in cells.
    fn reports(&self) -> IdVec<VcId, Reports> {
        match self.scenario.technology {
            Technology::Atm { .. } => self.vcs.iter().map(|_| Reports::default()).collect(),
            Technology::Packet { .. } => IdVec::new(),
        }
    }

    fn layout(&self) -> Layout {
        let scenario = self.scenario;
        let mut roles: IdVec<NodeId, [bool; 2]> = scenario.nodes.iter().map(|_| [false; 2]).collect();
        for flow in scenario.flows.iter() {
            roles[scenario.links[flow.forward.first()].from][0] = true;
            roles[scenario.links[flow.backward.first()].from][1] = true;
        }
        for source in &scenario.datagrams {
            roles[scenario.links[source.route.first()].from][0] = true;
        }
        let both = roles.iter().any(|role| *role == [true, true]);
        let mut layout = Layout {
            numbering: if both { Numbering::BothEnds } else { Numbering::OneEnd },
            groups: vec![0],
            datagram_sinks: None,
            part_of_port: scenario.links.iter().map(|_| None).collect(),
            tails: BTreeMap::new(),
            routed: None,
        };
        let mut parts = 1;
        self.place_ports(End::Receiver, &mut layout, &mut parts);
        if !both {
            layout.groups.push(parts);
            parts += 1;
        }
        self.place_ports(End::Sender, &mut layout, &mut parts);
        if !scenario.datagrams.is_empty() {
            layout.datagram_sinks = Some((layout.groups.len(), parts));
        }
        layout
    }

    /// Numbers the ports on the ways to these ends. Packet ports with a single input, and the same one before it, are
    /// one part.
    fn place_ports(&self, end: End, layout: &mut Layout, parts: &mut usize) {
        let mut shared: BTreeMap<usize, (u32, u32)> = BTreeMap::new();
        for (_, vc) in self.vcs.iter_ids().filter(|&(id, _)| end_of(id).1 == end) {
            let mut before = layout.groups[layout.group_of(end.other())];
            for link in vc.links() {
                let feeder = self.wiring.feeders[link];
                if !matches!(feeder, Feeder::Cells | Feeder::Packets) {
                    continue;
                }
                if self.routed[link] && layout.routed.is_none() {
                    self.place_routed_ports(layout, parts);
                }
                if layout.part_of_port[link].is_none() {
                    let alone = feeder == Feeder::Cells
                        || self.wiring.inputs.of(link).len() > 1
                        || !build::is_foreseeable(&self.scenario.links[link]);
                    if self.tails[link] {
                        let tails = layout.tails.entry(before).or_insert(0);
                        layout.part_of_port[link] = Some((before as u32, *tails));
                        *tails += 1;
                        continue;
                    }
                    let place = match shared.get_mut(&before).filter(|_| !alone) {
                        Some((part, ports)) => {
                            *ports += 1;
                            (*part, *ports)
                        }
                        None => {
                            *parts += 1;
                            (*parts as u32 - 1, 0)
                        }
                    };
                    if !alone {
                        shared.insert(before, place);
                    }
                    layout.part_of_port[link] = Some(place);
                }
                before = layout.part_of_port[link].map_or(before, |(part, _)| part as usize);
            }
        }
    }

    /// The ways of all connections.
    fn ways(&self, layout: &Layout) -> Ways {
        let mut ranks = BTreeMap::new();
        if let Technology::Atm { .. } = self.scenario.technology {
            for port in self.scenario.links.ids() {
                let inputs = self.wiring.inputs.of(port).iter().enumerate();
                ranks.extend(inputs.map(|(rank, &input)| ((port, input), rank as u32)));
            }
        }
        let routed = layout.part_of_port.iter_ids().filter(|&(link, _)| self.routed[link]);
        let routed_parts = routed.filter_map(|(_, place)| place.map(|(part, _)| part as usize)).collect();
        let mut ways = Ways { of_hosts: vec![None; self.vcs.len()], routed_parts, ..Ways::default() };
        for (id, vc) in self.vcs.iter_ids().filter(|(_, vc)| !vc.route.is_empty()) {
            match &vc.routed {
                None => self.way_of(id, layout, &ranks, &mut ways),
                Some(routed) => self.dynamic_way_of(id, routed, layout, &mut ways),
            }
        }
        ways
    }

    /// The way of one connection, from output to output.
    fn way_of(&self, id: VcId, layout: &Layout, ranks: &BTreeMap<(LinkId, LinkId), u32>, ways: &mut Ways) {
        let vc = &self.vcs[id];
        let (group, destination) = self.end_of_way(id, layout);
        let origin = layout.group_of(end_of(id).1.other());
        let host_link = &self.scenario.links[vc.route[0].link];
        let mut from = Place { part: layout.groups[origin], link: vc.route[0].link, number: None };
        let mut lag = host_link.path.least_delay(host_link.delay);
        let mut looked_back = Span::ZERO;
        for hops in vc.route.windows(2) {
            let (input, hop) = (hops[0].link, hops[1]);
            let link = &self.scenario.links[hop.link];
            let Some((part, port)) = layout.part_of_port[hop.link] else {
                let crossing = self.crossing.of(hop.link).len();
                let tap = ways.taps.entry(hop.link).or_insert_with(|| Tap {
                    behind: from.part,
                    lag,
                    numbers: vec![VcId::from_index(0); crossing],
                });
                tap.numbers[hop.at_port.index()] = from.number.unwrap_or(id);
                // Something is looked back at even if the link has no delay.
                looked_back = lag.max(Span::from_ps(1));
                lag = lag + link.rate.cell_time() + link.delay;
                continue;
            };
            if self.tails[hop.link] {
                let leg = Leg { lag, to: Destination::Tail { tail: port, at_port: hop.at_port } };
                let beyond = self.least_transmission(hop.link) + link.delay;
                return self.leave(id, &from, leg, (destination, beyond), looked_back, ways);
            }
            let rank = match self.scenario.technology {
                Technology::Atm { .. } => ranks[&(hop.link, input)],
                // At one instant packets are taken in the order of the links.
                Technology::Packet { .. } => input.index() as u32,
            };
            let spacing = match from.number {
                None => vc.cell_spacing,
                // Behind a port cells come at its pace at most, one by one.
                Some(_) => self.scenario.links[from.link].rate.cell_time(),
            };
            let crossing = self.crossing.of(hop.link).len();
            let exits = ways.of_ports.entry(hop.link).or_insert_with(|| Exits {
                legs: vec![None; crossing],
                spacings: vec![Span::ZERO; crossing],
                memory: Span::ZERO,
            });
            exits.spacings[hop.at_port.index()] = spacing;
            let at_port = if self.routed[hop.link] { id } else { hop.at_port };
            let to = Destination::Port { mailbox: part, entrance: Entrance { port, input: rank, at_port } };
            let part = part as usize;
            self.leave(id, &from, Leg { lag, to }, (part, Span::ZERO), looked_back, ways);
            from = Place { part, link: hop.link, number: Some(hop.at_port) };
            looked_back = Span::ZERO;
            lag = match self.scenario.technology {
                Technology::Atm { .. } => link.rate.cell_time() + link.delay,
                Technology::Packet { .. } => link.path.least_delay(link.delay),
            };
        }
        let last_link = vc.route[vc.route.len() - 1].link;
        let to = Destination::Host { group: group as u32, link: last_link.index() as u32 };
        self.leave(id, &from, Leg { lag, to }, (destination, Span::ZERO), looked_back, ways);
    }

    /// Connection `id` goes from `from` on `leg` to part `to`, which it reaches no less than `beyond` after its end.
    fn leave(&self, id: VcId, from: &Place, leg: Leg, (to, beyond): (usize, Span), looked_back: Span, ways: &mut Ways) {
        let first_unit = match self.scenario.technology {
            // A port's lag counts from the instant at which a cell begins to be transmitted.
            Technology::Atm { .. } if from.number.is_some() => Span::ZERO,
            _ => self.least_transmission(from.link),
        };
        ways.look_ahead(to, from.part, first_unit + leg.lag + beyond);
        match from.number {
            None => ways.of_hosts[id.index()] = Some((leg, looked_back)),
            Some(number) => {
                let exits = ways.of_ports.get_mut(&from.link).expect("whatever leaves a port has come to it");
                exits.legs[number.index()] = Some(leg);
                exits.memory = exits.memory.max(looked_back);
            }
        }
    }

    /// The group of hosts where a connection ends, and its part.
    fn end_of_way(&self, id: VcId, layout: &Layout) -> (usize, usize) {
        match (layout.datagram_sinks, end_of(id)) {
            (Some(sinks), (flow, _)) if flow >= self.scenario.flows.len() => sinks,
            (_, (_, end)) => (layout.group_of(end), layout.groups[layout.group_of(end)]),
        }
    }

    /// How long the shortest unit takes on a link.
    fn least_transmission(&self, link: LinkId) -> Span {
        let link = &self.scenario.links[link];
        let rate = link.path.largest_rate(link.rate);
        match self.scenario.technology {
            Technology::Atm { .. } => rate.cell_time(),
            Technology::Packet { link_header_bytes } => {
                rate.serialization(u64::from(self.shortest + link_header_bytes) * 8)
            }
        }
    }

    fn hosts(&self, layout: &Layout, ways: &mut Ways) -> BTreeMap<usize, Part> {
        let ends = self.vcs.len() / layout.groups.len();
        let mut outlets: Vec<Vec<Outlet>> = layout.groups.iter().map(|_| Vec::with_capacity(ends)).collect();
        let mut nics: IdVec<LinkId, Option<u32>> = self.scenario.links.iter().map(|_| None).collect();
        let mut monitor: Vec<u32> = vec![0; layout.groups.len()];
        let mut links: Vec<Vec<Link>> = layout.groups.iter().map(|_| Vec::new()).collect();
        let mut serializers: Vec<Serializers> = layout.groups.iter().map(|_| Serializers::default()).collect();
        // A connection's outlet has the number of the end that it leaves: the sender's comes first in each flow.
        for (id, vc) in self.vcs.iter_ids() {
            let origin = layout.group_of(end_of(id).1.other());
            let Some(&Hop { link: first, at_port: at_link }) = vc.route.first() else {
                // It has a number, but nothing ever goes out here.
                if origin == 0 && layout.groups.len() == 1 {
                    outlets[origin].push(Outlet::unused());
                }
                continue;
            };
            let nic = *nics[first].get_or_insert_with(|| {
                monitor[origin] += 1;
                monitor[origin] - 1
            });
            let paths = &mut links[origin];
            let path = self.link(first).map(|link| {
                let known = paths.iter().position(|of_host| of_host.id == first);
                let link = known.unwrap_or_else(|| {
                    paths.push(*link);
                    paths.len() - 1
                });
                let kind = build::kind(id, self.scenario.flows.len());
                let routed = self.routed_outlet(vc, layout);
                Box::new(PathOutlet { link: link as u32, at_link, vc_name: vc.name_hash, kind, routed })
            });
            let rate = self.scenario.links[first].rate;
            let (leg, looked_back) = ways.of_hosts[id.index()].take().expect("every connection has a way");
            outlets[origin].push(Outlet {
                nic,
                spacing: vc.cell_spacing,
                cell_time: rate.cell_time(),
                serializer: serializers[origin].of(rate),
                frames: 0,
                leg,
                trail: (looked_back > Span::ZERO).then(|| Box::new(Trail::new(looked_back))),
                forced_drops: None,
                path,
                direct: false,
            });
        }
        let flows = self.scenario.flows.len();
        let (mut sources, mut sinks) = (Vec::with_capacity(flows), Vec::with_capacity(flows));
        for (number, flow) in build::flows(self.scenario, self.seed).enumerate() {
            let number = layout.numbering.of(number, End::Sender);
            outlets[layout.group_of(End::Sender)][number].forced_drops = flow.forced_drops;
            sources.push(flow.source);
            sinks.push(flow.sink);
        }
        let mut parts = BTreeMap::new();
        let groups = layout.groups.iter().enumerate().zip(outlets).zip(links).zip(serializers);
        for ((((group, &part), outlets), links), serializers) in groups {
            let nics = monitor[group] as usize;
            let has = |end: End| layout.group_of(end) == group;
            let hosts = Hosts::new(
                group,
                layout.numbering,
                if has(End::Sender) { std::mem::take(&mut sources) } else { Vec::new() },
                if has(End::Receiver) { std::mem::take(&mut sinks) } else { Vec::new() },
                if has(End::Sender) { build::datagrams(self.scenario, self.seed) } else { Vec::new() },
                Outlets::new(self.scenario.technology, layout.numbering, outlets, nics, links, serializers),
            );
            parts.insert(part, Part::Hosts(Box::new(hosts)));
        }
        parts
    }

    /// The part with the ports of these links.
    fn ports(&self, links: &[(u32, u32, LinkId)], layout: &Layout, ways: &mut Ways) -> Part {
        let (part, _, first) = links[0];
        let part = part as usize;
        match self.scenario.technology {
            Technology::Atm { .. } => Part::Cells(Box::new(self.cell_port(first, part, ways))),
            Technology::Packet { .. } if self.routed[first] => {
                Part::Routed(Box::new(self.routed_ports(links, part, layout, ways)))
            }
            Technology::Packet { .. } if !build::is_foreseeable(&self.scenario.links[first]) => {
                Part::Path(Box::new(self.path_port(first, part, ways)))
            }
            Technology::Packet { .. } => {
                let mut serializers = Serializers::default();
                let of_kind =
                    |tail| links.iter().map(|&(_, _, link)| link).filter(move |&link| self.tails[link] == tail);
                let mut ports = Vec::with_capacity(of_kind(false).count());
                ports.extend(of_kind(false).map(|link| self.packet_port(link, ways, &mut serializers)));
                let mut tails = Tails::with_capacity(of_kind(true).count());
                of_kind(true).for_each(|link| self.add_tail(link, layout, &mut serializers, &mut tails));
                Part::Packets(PacketPorts::new(part, ports, tails, serializers))
            }
        }
    }

    fn cell_port(&self, id: LinkId, part: usize, ways: &mut Ways) -> CellPort {
        let link = &self.scenario.links[id];
        let cell_time = link.rate.cell_time();
        let Exits { legs, spacings, memory } = ways.exits(id);
        let vc = |((vc, leg), spacing): ((VcId, Leg), Span)| door::PortVc {
            id: vc,
            name_hash: self.vcs[vc].name_hash,
            spacing: Spacing::new(spacing.as_ps(), cell_time.as_ps()),
            leg,
            reassembler: Reassembler::default(),
        };
        let vcs = self.legs(id, legs).zip(spacings).map(vc).collect();
        let inputs = self.wiring.inputs.of(id).iter();
        let service = Service {
            order: link.queue.service_order,
            stream: build::service_stream(link, self.seed),
            inputs: inputs.map(|&input| name_hash(&self.scenario.links[input].name)).collect(),
        };
        let policy = link.queue.policy.of_cells().start(self.crossing.of(id).len());
        let (monitor, _) = self.monitor(id, cell_time);
        let crossing = self.crossing.of(id).len();
        let trace = self.trace(id).map(|trace| FifoTrace::new(trace, cell_time, crossing));
        CellPort::new(part, policy, service, Door::new(cell_time, vcs, monitor, memory, trace))
    }

    fn packet_port(&self, id: LinkId, ways: &mut Ways, serializers: &mut Serializers) -> PacketPort {
        let (monitor, max_bytes) = self.monitor(id, Span::from_ps(1));
        let serializer = serializers.of(self.scenario.links[id].rate);
        PacketPort::new(serializer, max_bytes, self.packet_vcs(id, ways), monitor, self.trace(id))
    }

    /// The connections that cross a packet port.
    fn packet_vcs(&self, id: LinkId, ways: &mut Ways) -> IdVec<VcId, PortVc> {
        let vc =
            |(vc, leg): (VcId, Leg)| PortVc { id: vc, name_hash: self.vcs[vc].name_hash, lag: leg.lag, to: leg.to };
        self.legs(id, ways.exits(id).legs).map(vc).collect()
    }

    /// The state of a link, if it is more than plain.
    fn link(&self, id: LinkId) -> Option<Box<Link>> {
        let vcs = self.crossing.of(id).len();
        let recording = build::loss_recording(self.recorder);
        Link::new(id, &self.scenario.links[id], self.seed, vcs, self.routed[id], recording)
    }

    fn add_tail(&self, id: LinkId, layout: &Layout, serializers: &mut Serializers, tails: &mut Tails) {
        let link = &self.scenario.links[id];
        let (rate, lag) = (link.rate, link.delay);
        let crossing = self.crossing.of(id);
        let (_, end) = end_of(crossing[0]);
        let (_, behind) = layout.part_of_port[self.wiring.inputs.of(id)[0]].expect("behind a port");
        let kind = tail::Kind {
            rate,
            serializer: serializers.of(rate),
            last_time: LastTime::default(),
            lag,
            group: layout.group_of(end) as u32,
        };
        tails.push(kind, id.index() as u32, behind, crossing.len() as u32);
    }

    /// The connections that cross a port, with their ways out of it.
    fn legs(&self, id: LinkId, legs: Vec<Option<Leg>>) -> impl Iterator<Item = (VcId, Leg)> {
        let legs = legs.into_iter().map(|leg| leg.expect("a connection that comes also leaves"));
        self.crossing.of(id).iter().copied().zip(legs)
    }

    /// What records a port, if it is to be recorded.
    fn trace(&self, id: LinkId) -> Option<Box<PortTrace>> {
        self.recorder?.port(self.crossing.of(id).len())
    }

    /// The counters of a port, and its limit of bytes.
    fn monitor(&self, id: LinkId, tick: Span) -> (FifoMonitor, u64) {
        let queue = &self.scenario.links[id].queue;
        let (units, bytes) = build::limits(queue.buffer);
        (FifoMonitor::new(units, self.crossing.of(id).len(), queue.policy.threshold_cells(), tick), bytes)
    }
}

impl Ways {
    /// What leaves part `from` needs so long to `to`, at least. What happens within a part of routes that change is in
    /// order there.
    fn look_ahead(&mut self, to: usize, from: usize, least: Span) {
        if to == from && self.routed_parts.contains(&to) {
            return;
        }
        let lookahead = self.lookaheads.entry((to, from)).or_insert(least);
        *lookahead = (*lookahead).min(least);
    }

    /// Takes the ways out of a port that is crossed.
    fn exits(&mut self, port: LinkId) -> Exits {
        self.of_ports.remove(&port).expect("a port in a part is crossed")
    }
}

impl Layout {
    /// How many groups receive something.
    fn inboxes(&self) -> usize {
        self.groups.len() + usize::from(self.datagram_sinks.is_some())
    }

    fn group_of(&self, end: End) -> usize {
        match self.numbering {
            Numbering::OneEnd if end == End::Receiver => 1,
            _ => 0,
        }
    }

    /// All ports that are in parts, in the order of the parts and of their numbers there, and their links.
    fn ports(&self) -> Vec<(u32, u32, LinkId)> {
        let places = self.part_of_port.iter_ids();
        let places = places.filter_map(|(link, place)| place.map(|(part, port)| (part, port, link)));
        let mut ports = Vec::with_capacity(places.clone().count());
        ports.extend(places);
        ports.sort_unstable();
        ports
    }
}

fn inlets(parts: usize, lookaheads: &BTreeMap<(usize, usize), Span>) -> Vec<Vec<Inlet>> {
    let mut inlets: Vec<Vec<Inlet>> = (0..parts).map(|_| Vec::new()).collect();
    for (&(to, from), &lookahead) in lookaheads {
        assert!(lookahead > Span::ZERO, "part {to} can be reached from part {from} in no time");
        inlets[to].push(Inlet { from, lookahead });
    }
    inlets
}
