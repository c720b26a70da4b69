//! Rate control of TCP: where edges are processes, where ports write windows into acknowledgements, and who reads which rates.

use std::collections::{BTreeMap, BTreeSet};

use super::layout::{Layout, Plan};
use super::routes::{Place, Routes};
use crate::ids::{Id, IdVec, LinkId, VcId};
use crate::net::abr::rates;
use crate::net::batched::LogicalProcess;
use crate::net::batched::cells::edge::{CellEdges, CellPassage};
use crate::net::batched::io::{Arrival, Destination, InputRef, NextHop};
use crate::net::batched::packets::edge::{EdgeProcess, Passage};
use crate::net::batched::packets::port_feedback::{AckWindows, PortRates};
use crate::net::batched::packets::rate_log::{RateLog, RatedEdge};
use crate::net::batched::packets::router_edges::RouterEdges;
use crate::net::build::{Feeder, limits};
use crate::net::feedback::{PacketRates, packet_rates};
use crate::net::flow::Hop;
use crate::queue::PolicyParams;
use crate::scenario::{Link, Technology};
use crate::units::Span;

impl Plan<'_> {
    /// The processes of the routers.
    pub(super) fn routers(&self, layout: &Layout, routes: &mut Routes) -> BTreeMap<usize, LogicalProcess> {
        let of_routers = std::mem::take(&mut routes.of_routers);
        let router = |(router, passages): (usize, Vec<Passage>)| {
            let (process, edges) = (layout.routers[router]?, self.routers.edges(router));
            let edges = match self.scenario.technology {
                Technology::Packet { .. } => {
                    let mailboxes = routes.mailboxes.read_by(process);
                    let edges = EdgeProcess::new(mailboxes, edges, passages, self.scenario.links.len());
                    LogicalProcess::Edge(Box::new(edges))
                }
                Technology::Atm { llc } => {
                    let passage = |passage: Passage| {
                        let (Some(place), Some(to)) = (passage.place, passage.to) else {
                            unreachable!("what passes an edge device is changed there, and goes on")
                        };
                        CellPassage { vc: passage.vc, place, to }
                    };
                    let (group, edges) = (layout.inbox_of_router(router), RouterEdges::new(edges));
                    let passages = passages.into_iter().map(passage).collect();
                    LogicalProcess::CellEdges(Box::new(CellEdges::new(group, edges, passages, llc)))
                }
            };
            Some((process, edges))
        };
        of_routers.into_iter().enumerate().filter_map(router).collect()
    }

    /// The edges of the network before the first acknowledgement.
    pub(super) fn rated_edges(&self) -> Vec<RatedEdge<Arrival>> {
        let edge = |(edge, &port): (usize, &LinkId)| {
            let crossing = self.crossing.of(port);
            let first = match self.scenario.technology {
                Technology::Packet { .. } => packet_rates(self.scenario, self.seed, port, crossing)
                    .map(|rates| (rates.interval_end(), rates.rates().to_vec())),
                Technology::Atm { .. } => {
                    rates(self.scenario, self.seed, &self.scenario.links[port], &self.vcs, crossing)
                        .and_then(|rates| Some((rates.interval_end(), rates.of_tcp()?.to_vec())))
                }
            };
            let (interval_end, rates) = first.expect("an edge is one of a port with rates");
            let log = RateLog::new(interval_end, &rates);
            RatedEdge { edge: self.edges.start(edge, self.scenario, rates), rates: log }
        };
        self.edges.ports.iter().enumerate().map(edge).collect()
    }

    /// The edge that reads the rates of a port, if acknowledgements pass it.
    pub(super) fn reader(&self, port: LinkId) -> Option<usize> {
        self.edges.of_port(port).filter(|&edge| self.edges.acks[edge].iter().any(|acks| acks.next.is_some()))
    }

    /// For each link, whether its port is a last-hop port of cells: it gives rates to TCP, and is the last before a host, behind one
    /// port of its rate, so that at most one cell comes in a slot, and has room for one.
    pub(super) fn cell_last_hops(&self, are_possible: bool) -> IdVec<LinkId, bool> {
        let is_last_hop = |(id, link): (LinkId, &Link)| {
            let [input] = self.wiring.inputs.of(id)[..] else { return false };
            let is_last = |&vc: &VcId| self.vcs[vc].route.last().is_some_and(|hop| hop.link == id);
            link.queue.feedback.is_some()
                // Flows of TCP cross it, and no acknowledgements come from its edge device.
                && self.wiring.edges.get(&id).is_some_and(Vec::is_empty)
                && self.wiring.feeders[input] == Feeder::Cells
                && self.scenario.links[input].rate == link.rate
                && link.queue.policy == PolicyParams::TailDrop
                && limits(link.queue.buffer).0 > 0
                && self.crossing.of(id).iter().all(is_last)
        };
        self.scenario.links.iter_ids().map(|link| are_possible && is_last_hop(link)).collect()
    }

    /// The rates of a port of which departures are known on arrival, if it gives any.
    pub(super) fn port_rates(&self, port: LinkId) -> Option<PortRates> {
        let rates: Box<PacketRates> = packet_rates(self.scenario, self.seed, port, self.crossing.of(port))?;
        Some(PortRates::new(rates, self.reader(port)))
    }

    /// The acknowledgements into which ports of one process write windows.
    pub(super) fn ack_windows(&self, ports: impl Iterator<Item = LinkId>) -> AckWindows {
        let places = |port: LinkId| {
            let is_written_here = self.edges.precede(port) && self.routers.before(port).is_none();
            let place = |&vc: &VcId| self.edges.place(vc, port).filter(|_| is_written_here);
            self.crossing.of(port).iter().map(place).collect()
        };
        AckWindows::new(ports.map(places).collect())
    }

    /// By process, the ports whose rates it reads: no time passes from the end of an interval to the first acknowledgement that follows
    /// the new rates. A port that reads its own rates needs no horizon for that.
    pub(super) fn rates_read(&self, layout: &Layout, processes: usize) -> Vec<Vec<usize>> {
        let mut read = vec![BTreeSet::new(); if self.edges.ports.is_empty() { 0 } else { processes }];
        for (edge, &port) in self.edges.ports.iter().enumerate() {
            let Some((from, _)) = layout.process_of_port[port] else { continue };
            for next in self.edges.acks[edge].iter().filter_map(|acks| acks.next) {
                let reader = match self.routers.before(next) {
                    Some(router) => layout.routers[router],
                    None => layout.process_of_port[next].map(|(process, _)| process as usize),
                };
                if let Some(reader) = reader.filter(|&reader| reader != from as usize) {
                    read[reader].insert(from as usize);
                }
            }
        }
        read.into_iter().map(|ports| ports.into_iter().collect()).collect()
    }

    /// The router that is a process that a connection passes before it enters a port. What is changed at an edge device passes it, and of
    /// packets all that enters the port.
    pub(super) fn router_before(&self, id: VcId, port: LinkId) -> Option<usize> {
        let router = self.routers.before(port)?;
        match self.scenario.technology {
            Technology::Packet { .. } => Some(router),
            Technology::Atm { .. } => self.edges.place(id, port).map(|_| router),
        }
    }

    /// RM cells of connection `id` are no part of frames: they pass an edge device as they come, and enter the port behind it, so long
    /// after they left the output before.
    pub(super) fn pass_edge_device(
        &self,
        id: VcId,
        (before, lag): (Place, Span),
        to: Destination,
        process: usize,
        routes: &mut Routes,
    ) {
        routes.of_rm_cells.insert((before.link, id), to);
        routes.look_ahead(process, before.process, self.first_unit(&before) + lag);
    }

    /// Connection `id` comes to a router that is a process, so long after it left `from`, between these hops.
    pub(super) fn enter_router(
        &self,
        id: VcId,
        router: usize,
        (from, lag, looked_back): (&Place, Span, Span),
        hops: &[Hop],
        layout: &Layout,
        routes: &mut Routes,
    ) -> Place {
        let process = layout.routers[router].expect("a router that something passes is a process");
        let at_port = VcId::from_index(routes.of_routers[router].len());
        let input = hops[0].link.index() as u32;
        let to = match self.scenario.technology {
            Technology::Packet { .. } => {
                let mailbox = routes.mailboxes.mailbox(process, from.process, lag);
                Destination::Port { mailbox, input_ref: InputRef { port: 0, input, at_port } }
            }
            // Frames are put together, as before a host.
            Technology::Atm { .. } => Destination::Host { inbox: layout.inbox_of_router(router) as u32, link: input },
        };
        self.leave(id, from, NextHop { lag, to }, (process, Span::ZERO), looked_back, routes);
        routes.of_routers[router].push(Passage { vc: id, place: self.edges.place(id, hops[1].link), to: None });
        Place { process, link: from.link, number: None, router: Some(router) }
    }
}
