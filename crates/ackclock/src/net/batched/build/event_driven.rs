//! Processes of packet ports that are driven event by event: single ones, and those that routes which change may cross.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::layout::{Layout, Plan};
use super::routes::Routes;
use crate::ids::{Id, IdVec, LinkId, NodeId, VcId};
use crate::link::{NoReceiver, Turns};
use crate::net::batched::fusion::{FusableRoute, Fusion};
use crate::net::batched::hosts::uplinks::RoutedUplink;
use crate::net::batched::io::{Destination, NextHop};
use crate::net::batched::packets::changing_port::ChangingPort;
use crate::net::batched::packets::medium_ports::{MediumPort, MediumPorts};
use crate::net::batched::packets::routed::edges::{RoutedEdges, Way};
use crate::net::batched::packets::routed::packets::{RoutedVc, VcRoute};
use crate::net::batched::packets::routed::port::{RouteHere, RoutedPort};
use crate::net::batched::packets::routed::port_places::PortPlaces;
use crate::net::batched::packets::routed::ports::RoutedPorts;
use crate::net::build::{self, Feeder, PacketKinds};
use crate::net::feedback::{Acks, EdgesOnRoutes, packet_rates};
use crate::net::flow::{Vc, end_of};
use crate::net::packet_port::PacketPort;
use crate::net::queue_monitor::QueueMonitor;
use crate::net::routes::{Routed, far_ends};
use crate::scenario::NodeKind;
use crate::units::Span;

/// Where a port is, in the order in which processes are advanced.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Position {
    /// Behind hosts.
    In,
    /// Between switches.
    Within,
    /// Between switches, to one with hosts.
    Down,
    /// Before hosts.
    Out,
}

impl Plan<'_> {
    pub(super) fn changing_port(&self, id: LinkId, process: usize, routes: &mut Routes) -> ChangingPort {
        let (port, vcs) = (self.event_port(id), self.packet_vcs(id, routes));
        let windows = self.ack_windows(std::iter::once(id));
        ChangingPort::new(process, port, vcs, windows, self.reader(id), PacketKinds::new(self.scenario))
    }

    /// Gives the ports of the medium of a link a process, if they have none, in the order of their links. Its order among others makes no
    /// difference.
    pub(super) fn place_medium(&self, link: LinkId, layout: &mut Layout, processes: &mut usize) {
        if layout.process_of_port[link].is_some() {
            return;
        }
        let links = &self.scenario.links;
        let is_port = |id: &LinkId| links[*id].medium == links[link].medium && !self.crossing.of(*id).is_empty();
        for (number, id) in links.ids().filter(is_port).enumerate() {
            layout.process_of_port[id] = Some((*processes as u32, number as u32));
        }
        *processes += 1;
    }

    /// The process of the ports of a medium.
    pub(super) fn medium_ports(
        &self,
        links: &[(u32, u32, LinkId)],
        process: usize,
        routes: &mut Routes,
    ) -> MediumPorts {
        let medium = self.scenario.links[links[0].2].medium.as_ref().expect("these ports share one");
        let nodes = links.iter().map(|&(_, _, link)| self.scenario.links[link].from);
        let turns = Turns::new(medium.overhead, nodes);
        let port = |&(_, _, link): &(u32, u32, LinkId)| MediumPort {
            port: self.event_port(link),
            vcs: self.packet_vcs(link, routes),
        };
        MediumPorts::new(process, turns, links.iter().map(port).collect(), PacketKinds::new(self.scenario))
    }

    /// A packet port that is driven event by event.
    fn event_port<T: Copy>(&self, id: LinkId) -> PacketPort<T> {
        let link = &self.scenario.links[id];
        let names: Vec<u64> = self.crossing.of(id).iter().map(|&vc| self.vcs[vc].name_hash).collect();
        let mut monitor =
            QueueMonitor::new(build::limits(link.queue.buffer).0, names.len(), link.queue.policy.threshold_cells());
        monitor.trace = self.trace(id);
        let discipline = build::discipline(link, &names, self.seed);
        let mut port = PacketPort::new((link.rate, link.delay), self.link(id), discipline, monitor);
        port.give_rates(packet_rates(self.scenario, self.seed, id, self.crossing.of(id)));
        port
    }

    /// Gives the ports that routes which change may cross their processes: most of them one, in the order of their links. Those
    /// at nodes with hosts have processes of their own, as links of hosts are often short: so the delays of all others lie between
    /// what hosts send and what they receive. Those that lead to such nodes share a process of their own: so a horizon spans the
    /// links before it and behind it.
    pub(super) fn place_routed_ports(&self, layout: &mut Layout, processes: &mut usize) {
        if self.joint {
            let is_port = |link: &LinkId| self.is_routed(*link) && self.wiring.feeders[*link] != Feeder::Nic;
            for (number, link) in self.scenario.links.ids().filter(is_port).enumerate() {
                layout.process_of_port[link] = Some((*processes as u32, number as u32));
            }
            *processes += 1;
            let places = layout.process_of_port.iter().map(|place| place.unwrap_or_default());
            layout.routed = Some(Arc::new(PortPlaces::new(places)));
            return;
        }
        let reroutes = self.rerouting_nodes();
        let with_hosts = self.nodes_with_hosts(&reroutes);
        let of_link = |id: LinkId| {
            let link = &self.scenario.links[id];
            let to_host = |node| self.scenario.nodes[node].kind == NodeKind::Host;
            match with_hosts[link.from] {
                false if !reroutes[link.from] && far_ends(link).all(|node| with_hosts[node]) => Position::Down,
                false => Position::Within,
                true if far_ends(link).any(to_host) => Position::Out,
                true => Position::In,
            }
        };
        let ports =
            self.routed.iter_ids().filter(|&(link, &routed)| routed && self.wiring.feeders[link] != Feeder::Nic);
        let mut ports: Vec<(Position, LinkId)> = ports.map(|(link, _)| (of_link(link), link)).collect();
        ports.sort_unstable();
        let mut number = 0;
        for (place, &(position, link)) in ports.iter().enumerate() {
            layout.process_of_port[link] = Some((*processes as u32, number));
            number += 1;
            let is_shared = matches!(position, Position::Within | Position::Down);
            let goes_on = is_shared && ports.get(place + 1).is_some_and(|next| next.0 == position);
            if !goes_on {
                *processes += 1;
                number = 0;
            }
        }
        let places = layout.process_of_port.iter().map(|place| place.unwrap_or_default());
        layout.routed = Some(Arc::new(PortPlaces::new(places)));
    }

    /// Nodes at which a packet may go from one port to another at once.
    fn rerouting_nodes(&self) -> IdVec<NodeId, bool> {
        let mut reroutes: IdVec<NodeId, bool> = self.scenario.nodes.iter().map(|_| false).collect();
        for link in self.scenario.links.iter() {
            let far_ends = link.params.schedule.as_ref().and_then(|schedule| schedule.far_ends.as_ref());
            reroutes[link.from] |= far_ends.is_some_and(|ends| ends.no_receiver == NoReceiver::Reroute);
        }
        reroutes
    }

    /// Nodes to which a host's link always leads, and where no packet goes from one port to another at once.
    fn nodes_with_hosts(&self, reroutes: &IdVec<NodeId, bool>) -> IdVec<NodeId, bool> {
        let mut with_hosts: IdVec<NodeId, bool> = self.scenario.nodes.iter().map(|_| false).collect();
        for link in self.scenario.links.iter().filter(|link| self.scenario.nodes[link.from].kind == NodeKind::Host) {
            let is_fixed = link.params.schedule.as_ref().is_none_or(|schedule| schedule.far_ends.is_none());
            with_hosts[link.to] |= is_fixed && !reroutes[link.to];
        }
        with_hosts
    }

    /// The path of a connection whose route changes: out of its host, and the least time from process to process.
    pub(super) fn dynamic_route_of(&self, id: VcId, routed: &Arc<Routed>, layout: &Layout, routes: &mut Routes) {
        let (group, destination) = self.end_of_route(id, layout);
        let origin = layout.groups[layout.group_of(end_of(id).1.other())];
        let first = self.vcs[id].route[0].link;
        // Where it goes if the first link leads to its destination.
        let host = Destination::Host { inbox: group as u32, link: first.index() as u32 };
        routes.of_hosts[id.index()] = Some((NextHop { lag: Span::ZERO, to: host }, Span::ZERO));
        // Many connections may have the same route.
        if !routes.dynamic.insert((Arc::as_ptr(routed), origin, destination)) {
            return;
        }
        for &link in &routed.links {
            let from = match layout.process_of_port[link] {
                Some((process, _)) if link != first => process as usize,
                _ => origin,
            };
            let of_link = &self.scenario.links[link];
            let least = self.least_transmission(link) + of_link.params.least_delay(of_link.delay);
            for node in far_ends(of_link) {
                if node == routed.table.destination() {
                    routes.look_ahead(destination, from, least);
                    continue;
                }
                for (process, _) in routed.table.links_from(node).filter_map(|next| layout.process_of_port[next]) {
                    routes.look_ahead(process as usize, from, least);
                }
            }
        }
    }

    /// What is known of which ports may be fused for a while: all packets between ports are on routes that change, and no router changes them.
    pub(super) fn fusion(&self, layout: &Layout) -> Option<Fusion> {
        let places = layout.routed.as_ref().filter(|_| !self.joint)?;
        let (mut routes, mut known) = (Vec::new(), BTreeSet::new());
        for (id, vc) in self.vcs.iter_ids().filter(|(_, vc)| !vc.route.is_empty()) {
            let first = vc.route[0].link;
            let Some(routed) = &vc.routed else {
                // It may cross ports on routes that change.
                if vc.route[1..].iter().any(|hop| self.is_routed(hop.link)) {
                    return None;
                }
                continue;
            };
            let origin = layout.groups[layout.group_of(end_of(id).1.other())];
            let destination = self.end_of_route(id, layout).1;
            if known.insert((first, Arc::as_ptr(&routed.table), origin, destination)) {
                routes.push(FusableRoute { first, table: routed.table.clone(), origin, destination });
            }
        }
        let least = |link: LinkId| if self.is_routed(link) { self.least_transmission(link) } else { Span::ZERO };
        let transmissions = self.scenario.links.ids().map(least).collect();
        Some(Fusion::new(routes, places.clone(), transmissions))
    }

    /// The uplink of the host of a connection whose route changes.
    pub(super) fn routed_uplink(&self, vc: &Vc, layout: &Layout) -> Option<Box<RoutedUplink>> {
        let table = vc.routed.as_ref()?.table.clone();
        // Where there are no ports, nothing asks for them.
        let ports = layout.routed.clone().unwrap_or_else(|| Arc::new(PortPlaces::new(std::iter::empty())));
        Some(Box::new(RoutedUplink { table, ports, known: None }))
    }

    /// A process with ports that routes which change may cross.
    pub(super) fn routed_ports(
        &self,
        links: &[(u32, u32, LinkId)],
        process: usize,
        layout: &Layout,
        routes: &mut Routes,
    ) -> RoutedPorts {
        let mut ports = Vec::with_capacity(links.len());
        for &(_, _, link) in links {
            let next_hops = routes.of_ports.remove(&link).map(|exits| exits.next_hops);
            let crossing = self.crossing.of(link).iter().enumerate();
            // The port's numbers of its routes, by the place of the table in memory and the group of the host.
            let (mut of_port, mut known) = (Vec::new(), BTreeMap::new());
            let mut route_of = |id: VcId, routed: &Arc<Routed>| {
                let group = self.end_of_route(id, layout).0 as u32;
                *known.entry((Arc::as_ptr(&routed.table), group)).or_insert_with(|| {
                    of_port.push(RouteHere::new(routed.table.clone(), group));
                    of_port.len() as u32 - 1
                })
            };
            let vc = |(number, &id): (usize, &VcId)| RoutedVc {
                id,
                name_hash: self.vcs[id].name_hash,
                route: match (&self.vcs[id].routed, &next_hops) {
                    (Some(routed), _) => VcRoute::Dynamic(route_of(id, routed)),
                    (None, Some(next_hops)) => {
                        VcRoute::Fixed(next_hops[number].expect("a connection that comes also leaves").to)
                    }
                    (None, None) => unreachable!("a connection that comes also leaves"),
                },
            };
            let vcs = crossing.map(vc).collect();
            let node = self.scenario.links[link].from;
            ports.push(RoutedPort::new(link, node, self.event_port(link), vcs, of_port));
        }
        let places = layout.routed.clone().expect("these ports have a process");
        let ports = RoutedPorts::new(process, ports, places, PacketKinds::new(self.scenario));
        ports.with_edges(self.joint.then(|| self.routed_edges()))
    }

    /// The routers that change acknowledgements where routes change.
    fn routed_edges(&self) -> RoutedEdges {
        let nodes = self.edges.ports.iter().map(|&port| self.scenario.links[port].from).collect();
        let way = |&Acks { vc, .. }: &Acks| {
            let Vc { route, routed, .. } = &self.vcs[vc];
            let way = match routed {
                Some(routed) => Way::Changing(routed.table.clone()),
                None => Way::Fixed(route.iter().map(|hop| (self.scenario.links[hop.link].from, hop.link)).collect()),
            };
            (vc, way)
        };
        let ways = self.edges.acks.iter().flatten().map(way).collect();
        RoutedEdges::new(EdgesOnRoutes::new(self.edges.clone()), nodes, ways)
    }
}
