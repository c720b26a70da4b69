//! Which logical process each host group and each port belongs to.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::routers::Routers;
use crate::atm::rate::RateAlgorithm;
use crate::ids::{IdVec, LinkId, NodeId, VcId};
use crate::net::batched::hosts::uplinks::Numbering;
use crate::net::batched::packets::routed::port_places::PortPlaces;
use crate::net::build::{self, Feeder, Wiring};
use crate::net::feedback::Edges;
use crate::net::flow::{End, Vc, end_of};
use crate::net::lists::Lists;
use crate::net::recorder::Recorder;
use crate::scenario::Scenario;
use crate::units::Time;

/// What the processes are made from.
pub(super) struct Plan<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) seed: u64,
    /// Whether cell ports take runs of cells: some flow has the service ABR, or an algorithm from outside gives rates to TCP, which may
    /// want to know of each cell. Asked for every hop of every connection, so it is not searched for again.
    pub(super) takes_runs: bool,
    /// Whether a backward RM cell visits the ports on its path in order. Not searched for again for each visit.
    pub(super) orders_visits: bool,
    pub(super) recorder: Option<&'a Recorder>,
    pub(super) wiring: Wiring,
    pub(super) vcs: IdVec<VcId, Vc>,
    /// The connections that cross each link, in the order of their numbers at its port.
    pub(super) crossing: Lists<LinkId, VcId>,
    /// Whether a link's port is done together with the one before it.
    pub(super) last_hops: IdVec<LinkId, bool>,
    /// Ports that would be done so, were not all of the network in one process: they are not recorded over time either.
    pub(super) unrecorded: IdVec<LinkId, bool>,
    /// Whether all ports are one process: routers change acknowledgements where routes change.
    pub(super) joint: bool,
    /// Whether packets may cross a link whose route changes.
    pub(super) routed: IdVec<LinkId, bool>,
    /// The edges at routers, and the routers where these are processes.
    pub(super) edges: Edges,
    pub(super) routers: Routers,
    /// Octets of the shortest datagram of all flows. Those of UDP are not shorter.
    pub(super) shortest: u32,
}

/// The numbers of the processes. They are advanced in this order, so it follows the data and then the acknowledgements.
pub(super) struct Layout {
    pub(super) numbering: Numbering,
    /// How many processes there are.
    pub(super) processes: usize,
    /// The processes that are groups of hosts: those of the senders and of the receivers, or one for both.
    pub(super) groups: Vec<usize>,
    /// The group that datagrams arrive at, and its process, if there are any.
    pub(super) udp_sinks: Option<(usize, usize)>,
    /// For each port that has a queue and is crossed, its process, and its number among the ports of that process; of a last-hop port,
    /// among the last-hop ports.
    pub(super) process_of_port: IdVec<LinkId, Option<(u32, u32)>>,
    /// How many last-hop ports each process has.
    pub(super) last_hops: BTreeMap<usize, u32>,
    /// Where the ports are that routes which change may cross.
    pub(super) routed: Option<Arc<PortPlaces>>,
    /// The process of each router that is one.
    pub(super) routers: Vec<Option<usize>>,
}

impl Plan<'_> {
    pub(super) fn layout(&self) -> Layout {
        let scenario = self.scenario;
        let mut roles: IdVec<NodeId, [bool; 2]> = scenario.nodes.iter().map(|_| [false; 2]).collect();
        for flow in scenario.flows.iter() {
            roles[scenario.links[flow.forward.first()].from][0] = true;
            roles[scenario.links[flow.backward.first()].from][1] = true;
        }
        for source in &scenario.udp {
            roles[scenario.links[source.route.first()].from][0] = true;
            if let Some(echo) = &source.echo {
                roles[scenario.links[echo.first()].from][1] = true;
            }
        }
        let both = roles.iter().any(|role| *role == [true, true]);
        let mut layout = Layout {
            numbering: if both { Numbering::BothEnds } else { Numbering::OneEnd },
            processes: 0,
            groups: vec![0],
            udp_sinks: None,
            process_of_port: scenario.links.iter().map(|_| None).collect(),
            last_hops: BTreeMap::new(),
            routed: None,
            routers: vec![None; self.routers.len()],
        };
        let mut processes = 1;
        if self.joint {
            self.place_routed_ports(&mut layout, &mut processes);
        }
        self.place_ports(End::Receiver, &mut layout, &mut processes);
        if !both {
            layout.groups.push(processes);
            processes += 1;
        }
        self.place_ports(End::Sender, &mut layout, &mut processes);
        if !scenario.udp.is_empty() {
            layout.udp_sinks = Some((layout.groups.len(), processes));
            processes += 1;
        }
        layout.processes = processes;
        layout
    }

    /// Numbers the ports on the routes to these ends. Packet ports with a single input, and the same one before it, are
    /// one process.
    pub(super) fn place_ports(&self, end: End, layout: &mut Layout, processes: &mut usize) {
        let mut shared: BTreeMap<(usize, Option<Time>), (u32, u32)> = BTreeMap::new();
        for (_, vc) in self.vcs.iter_ids().filter(|&(id, _)| end_of(id).1 == end) {
            let mut before = layout.groups[layout.group_of(end.other())];
            for link in vc.links() {
                let feeder = self.wiring.feeders[link];
                if !matches!(feeder, Feeder::Cells | Feeder::Packets) {
                    continue;
                }
                if let Some(router) = self.routers.before(link) {
                    before = *layout.routers[router].get_or_insert_with(|| {
                        *processes += 1;
                        *processes - 1
                    });
                }
                if self.routed[link] && layout.routed.is_none() {
                    self.place_routed_ports(layout, processes);
                }
                if self.scenario.links[link].medium.is_some() {
                    self.place_medium(link, layout, processes);
                } else if layout.process_of_port[link].is_none() {
                    let alone = feeder == Feeder::Cells
                        || self.wiring.inputs.of(link).len() > 1
                        || !build::is_foreseeable(&self.scenario.links[link]);
                    if self.last_hops[link] {
                        let last_hops = layout.last_hops.entry(before).or_insert(0);
                        layout.process_of_port[link] = Some((before as u32, *last_hops));
                        *last_hops += 1;
                        continue;
                    }
                    // Ports that give rates do so at the same instants, if they are one process.
                    let kind = (before, self.edges.of_port(link).map(|_| self.first_interval_end(link)));
                    let place = match shared.get_mut(&kind).filter(|_| !alone) {
                        Some((process, ports)) => {
                            *ports += 1;
                            (*process, *ports)
                        }
                        None => {
                            *processes += 1;
                            (*processes as u32 - 1, 0)
                        }
                    };
                    if !alone {
                        shared.insert(kind, place);
                    }
                    layout.process_of_port[link] = Some(place);
                }
                before = layout.process_of_port[link].map_or(before, |(process, _)| process as usize);
            }
        }
    }
}

impl Plan<'_> {
    /// Whether the port of a link is in a process of routes that change.
    pub(super) fn is_routed(&self, link: LinkId) -> bool {
        self.routed[link] || self.joint && !self.crossing.of(link).is_empty()
    }

    /// When the first averaging interval of a port that gives rates ends.
    fn first_interval_end(&self, port: LinkId) -> Time {
        let interval = self.scenario.links[port].queue.rates.as_ref().and_then(RateAlgorithm::interval);
        interval.map_or(Time::NEVER, |interval| Time::ZERO + interval)
    }
}

impl Layout {
    /// How many groups receive something: of hosts, of sinks of datagrams, and the routers that are processes.
    pub(super) fn inboxes(&self) -> usize {
        self.inbox_of_router(self.routers.len())
    }

    /// The group as which an edge device gets frames.
    pub(super) fn inbox_of_router(&self, router: usize) -> usize {
        self.groups.len() + usize::from(self.udp_sinks.is_some()) + router
    }

    pub(super) fn group_of(&self, end: End) -> usize {
        match self.numbering {
            Numbering::OneEnd if end == End::Receiver => 1,
            _ => 0,
        }
    }

    /// All ports that are in processes, in the order of the processes and of their numbers there, and their links.
    pub(super) fn ports(&self) -> Vec<(u32, u32, LinkId)> {
        let places = self.process_of_port.iter_ids();
        let places = places.filter_map(|(link, place)| place.map(|(process, port)| (process, port, link)));
        let mut ports = Vec::with_capacity(places.clone().count());
        ports.extend(places);
        // Stable, which is quick: the ports of one process often follow each other.
        ports.sort();
        ports
    }
}
