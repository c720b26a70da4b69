//! The same for packet ports that are driven event by event: single ones, and those that routes which change may cross.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Layout, Plan, Ways};
use crate::ids::{Id, LinkId, VcId};
use crate::net::batched::io::{Destination, Leg};
use crate::net::batched::outlets::RoutedOutlet;
use crate::net::batched::path_port::PathPort;
use crate::net::batched::routed_ports::{PortNumbers, RouteToHost, RoutedPort, RoutedPorts, RoutedVc, Way};
use crate::net::build::{self, Feeder};
use crate::net::flow::{Vc, end_of};
use crate::net::occupancy::Occupancy;
use crate::net::packet_port::PacketPort;
use crate::net::routes::{Routed, far_ends};
use crate::units::Span;

impl Plan<'_> {
    /// A port with a part of its own.
    pub(super) fn path_port(&self, id: LinkId, part: usize, ways: &mut Ways) -> PathPort {
        PathPort::new(part, self.event_port(id), self.packet_vcs(id, ways), self.scenario.flows.len())
    }

    /// A packet port that is driven event by event.
    fn event_port<T: Copy>(&self, id: LinkId) -> PacketPort<T> {
        let link = &self.scenario.links[id];
        let (units, max_bytes) = build::limits(link.queue.buffer);
        let mut occupancy = Occupancy::new(units, self.crossing.of(id).len(), link.queue.policy.threshold_cells());
        occupancy.trace = self.trace(id);
        let policy = build::packet_policy(link, self.seed);
        PacketPort::new((link.rate, link.delay), self.link(id), policy, max_bytes, occupancy)
    }

    /// Gives all ports that routes which change may cross a part of their own, in the order of their links.
    pub(super) fn place_routed_ports(&self, layout: &mut Layout, parts: &mut usize) {
        let links = || self.routed.iter_ids().filter(|&(link, &routed)| routed && self.is_port(link)).map(|(id, _)| id);
        for (number, link) in links().enumerate() {
            layout.part_of_port[link] = Some((*parts as u32, number as u32));
        }
        layout.routed = Some((*parts, Arc::new(PortNumbers::new(self.routed.len(), links()))));
        *parts += 1;
    }

    fn is_port(&self, link: LinkId) -> bool {
        self.wiring.feeders[link] != Feeder::Nic
    }

    /// The way of a connection whose route changes: out of its host, and how long it takes from part to part at least.
    pub(super) fn dynamic_way_of(&self, id: VcId, routed: &Arc<Routed>, layout: &Layout, ways: &mut Ways) {
        let (group, destination) = self.end_of_way(id, layout);
        let origin = layout.groups[layout.group_of(end_of(id).1.other())];
        let first = self.vcs[id].route[0].link;
        // Where it goes if the first link leads to its destination.
        let host = Destination::Host { group: group as u32, link: first.index() as u32 };
        ways.of_hosts[id.index()] = Some((Leg { lag: Span::ZERO, to: host }, Span::ZERO));
        // Many connections may have the same route.
        if !ways.dynamic.insert((Arc::as_ptr(routed), origin, destination)) {
            return;
        }
        for &link in &routed.links {
            let from = match layout.part_of_port[link] {
                Some((part, _)) if link != first => part as usize,
                _ => origin,
            };
            let of_link = &self.scenario.links[link];
            let least = self.least_transmission(link) + of_link.path.least_delay(of_link.delay);
            for node in far_ends(of_link) {
                if node == routed.table.destination() {
                    ways.look_ahead(destination, from, least);
                } else if let (Some(part), Some(_)) = (ways.routed_part, routed.table.links_from(node).next()) {
                    ways.look_ahead(part, from, least);
                }
            }
        }
    }

    /// The way out of the host of a connection whose route changes.
    pub(super) fn routed_outlet(&self, vc: &Vc, layout: &Layout) -> Option<Box<RoutedOutlet>> {
        let table = vc.routed.as_ref()?.table.clone();
        // Without a part there are no ports.
        let none = || (0, Arc::new(PortNumbers::new(0, std::iter::empty())));
        let (part, ports) = layout.routed.clone().unwrap_or_else(none);
        Some(Box::new(RoutedOutlet { table, mailbox: part as u32, ports }))
    }

    /// The part with all ports that routes which change may cross.
    pub(super) fn routed_ports(
        &self,
        links: &[(u32, u32, LinkId)],
        part: usize,
        layout: &Layout,
        ways: &mut Ways,
    ) -> RoutedPorts {
        let mut routes: Vec<RouteToHost> = Vec::new();
        // By the place of the table in memory, and the group of the host.
        let mut known = BTreeMap::new();
        let mut route_of = |id: VcId, routed: &Arc<Routed>| {
            let group = self.end_of_way(id, layout).0 as u32;
            let number = *known.entry((Arc::as_ptr(&routed.table), group)).or_insert(routes.len() as u32);
            if number as usize == routes.len() {
                routes.push(RouteToHost { table: routed.table.clone(), group });
            }
            Way::Dynamic(number)
        };
        let mut ports = Vec::with_capacity(links.len());
        for &(_, _, link) in links {
            let legs = ways.of_ports.remove(&link).map(|exits| exits.legs);
            let crossing = self.crossing.of(link).iter().enumerate();
            let vc = |(number, &id): (usize, &VcId)| RoutedVc {
                id,
                name_hash: self.vcs[id].name_hash,
                way: match (&self.vcs[id].routed, &legs) {
                    (Some(routed), _) => route_of(id, routed),
                    (None, Some(legs)) => Way::Fixed(legs[number].expect("a connection that comes also leaves").to),
                    (None, None) => unreachable!("a connection that comes also leaves"),
                },
            };
            let vcs = crossing.map(vc).collect();
            ports.push(RoutedPort::new(link, self.scenario.links[link].from, self.event_port(link), vcs));
        }
        let (_, numbers) = layout.routed.clone().expect("these ports have a part");
        RoutedPorts::new(part, ports, numbers, routes, self.scenario.flows.len())
    }
}
