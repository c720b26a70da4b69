//! Rate control of TCP: where edges are processes, where ports write windows into acknowledgements, and who reads which rates.

use std::collections::{BTreeMap, BTreeSet};

use super::layout::{Layout, Plan};
use super::routes::{Place, Routes};
use crate::ids::{Id, LinkId, VcId};
use crate::net::batched::LogicalProcess;
use crate::net::batched::io::{Arrival, Destination, InputRef, NextHop};
use crate::net::batched::packets::edge::{EdgeProcess, Passage};
use crate::net::batched::packets::port_feedback::{AckWindows, PortRates};
use crate::net::batched::packets::rate_log::{RateLog, RatedEdge};
use crate::net::feedback::{PacketRates, packet_rates};
use crate::net::flow::Hop;
use crate::units::Span;

impl Plan<'_> {
    /// The processes of the routers.
    pub(super) fn routers(&self, layout: &Layout, routes: &mut Routes) -> BTreeMap<usize, LogicalProcess> {
        let of_routers = std::mem::take(&mut routes.of_routers);
        let router = |(router, passages): (usize, Vec<Passage>)| {
            let (process, edges) = (layout.routers[router]?, self.routers.edges(router));
            let edges = EdgeProcess::new(process, edges, passages, self.scenario.links.len());
            Some((process, LogicalProcess::Edge(Box::new(edges))))
        };
        of_routers.into_iter().enumerate().filter_map(router).collect()
    }

    /// The edges of the network before the first acknowledgement.
    pub(super) fn rated_edges(&self) -> Vec<RatedEdge<Arrival>> {
        let edge = |(edge, &port): (usize, &LinkId)| {
            let rates = packet_rates(self.scenario, port, self.crossing.of(port));
            let rates = rates.expect("an edge is one of a port with rates");
            let of_edge = self.edges.start(edge, self.scenario, rates.rates().to_vec());
            RatedEdge { edge: of_edge, rates: RateLog::new(&rates) }
        };
        self.edges.ports.iter().enumerate().map(edge).collect()
    }

    /// The edge that reads the rates of a port, if acknowledgements pass it.
    pub(super) fn reader(&self, port: LinkId) -> Option<usize> {
        self.edges.of_port(port).filter(|&edge| self.edges.acks[edge].iter().any(|(_, next)| next.is_some()))
    }

    /// The rates of a port of which departures are known on arrival, if it gives any.
    pub(super) fn port_rates(&self, port: LinkId) -> Option<PortRates> {
        let rates: Box<PacketRates> = packet_rates(self.scenario, port, self.crossing.of(port))?;
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
        let mut read = vec![BTreeSet::new(); processes];
        for (edge, &port) in self.edges.ports.iter().enumerate() {
            let Some((from, _)) = layout.process_of_port[port] else { continue };
            for next in self.edges.acks[edge].iter().filter_map(|&(_, next)| next) {
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

    /// Connection `id` comes to a router that is a process, so long after it left `from`, between these hops.
    pub(super) fn enter_router(
        &self,
        id: VcId,
        router: usize,
        (from, lag): (&Place, Span),
        hops: &[Hop],
        layout: &Layout,
        routes: &mut Routes,
    ) -> Place {
        let process = layout.routers[router].expect("a router that something passes is a process");
        let at_port = VcId::from_index(routes.of_routers[router].len());
        let input_ref = InputRef { port: 0, input: hops[0].link.index() as u32, at_port };
        let next_hop = NextHop { lag, to: Destination::Port { mailbox: process as u32, input_ref } };
        self.leave(id, from, next_hop, (process, Span::ZERO), Span::ZERO, routes);
        routes.of_routers[router].push(Passage { place: self.edges.place(id, hops[1].link), to: None });
        Place { process, link: from.link, number: None, router: Some(router) }
    }
}
