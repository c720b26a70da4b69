//! The same for networks with ABR connections: ports that take runs of cells, hosts that send cell by cell, and visits.

use super::layout::{Layout, Plan};
use super::routes::{Exits, Place, Routes};
use crate::atm::rate::RateAlgorithm;
use crate::ids::{Id, IdVec, LinkId, VcId};
use crate::net::abr::{rates, scheduler};
use crate::net::batched::Upstream;
use crate::net::batched::abr::admission::{RunAdmission, RunVc};
use crate::net::batched::abr::fifo::LateFifo;
use crate::net::batched::abr::port::RunPort;
use crate::net::batched::abr::under_way::VisitHop;
use crate::net::batched::cells::service::Service;
use crate::net::batched::hosts::uplinks::{ScheduledLink, ScheduledVc};
use crate::net::batched::io::NextHop;
use crate::net::build::{Feeder, service_stream};
use crate::net::flow::{End, Hop, data_vc, end_of};
use crate::record::trace::FifoTrace;
use crate::scenario::{Link, Scenario, ServiceCategory};
use crate::units::Span;

impl Plan<'_> {
    /// Backward RM cells of connection `id`, which left `from`, have crossed so many links when they arrive at a switch, `lag`
    /// after the instant from which the lags of `from` count. If the port by which the data of their connection leave the switch
    /// computes rates, they visit it.
    pub(super) fn visit(
        &self,
        id: VcId,
        crossed: usize,
        (from, lag): (&Place, Span),
        layout: &Layout,
        routes: &mut Routes,
    ) {
        let (flow, end) = end_of(id);
        let is_abr =
            self.scenario.flows.iter().nth(flow).is_some_and(|flow| matches!(flow.service, ServiceCategory::Abr(_)));
        if end == End::Receiver || !is_abr {
            return;
        }
        // The reverse path has the same links, in the other direction.
        let forward = &self.vcs[data_vc(flow)].route;
        let Hop { link: port, at_port } = forward[forward.len() - crossed];
        let Some((process, _)) = layout.process_of_port[port].filter(|_| self.computes_rates(port)) else { return };
        let back = &self.vcs[id].route;
        let link = back[crossed - 1].link.index() as u32;
        routes.visits.entry((from.link, id)).or_default().push(VisitHop { lag, link, process, at_port });
        routes.look_ahead(process as usize, from.process, self.first_unit(from) + lag);
        // The source reads what the port has written.
        let from = process as usize;
        routes.writers[flow].push(Upstream { from, lookahead: self.least_time(&back[crossed..]) });
        self.keep_order_of_visits(id, crossed, process as usize, layout, routes);
    }

    /// What ports write is the same in any order: the least rate, and whether any of them says so. Only of an algorithm from outside
    /// nothing is known; with such ones, the ports are visited in the order in which the cell passes them.
    fn keep_order_of_visits(&self, id: VcId, crossed: usize, process: usize, layout: &Layout, routes: &mut Routes) {
        if !self.orders_visits {
            return;
        }
        let (forward, back) = (&self.vcs[data_vc(end_of(id).0)].route, &self.vcs[id].route);
        for before in 1..crossed {
            let port = forward[forward.len() - before].link;
            if let Some((other, _)) = layout.process_of_port[port].filter(|_| self.computes_rates(port)) {
                routes.look_ahead(process, other as usize, self.least_time(&back[before..crossed]));
            }
        }
    }

    /// The least time that a cell takes on these links.
    fn least_time(&self, hops: &[Hop]) -> Span {
        let links = hops.iter().map(|hop| &self.scenario.links[hop.link]);
        links.fold(Span::ZERO, |sum, link| sum + link.rate.cell_time() + link.delay)
    }

    /// Whether a port with slots has an algorithm that looks at backward RM cells.
    fn computes_rates(&self, port: LinkId) -> bool {
        let algorithm = self.scenario.links[port].queue.rates.as_ref();
        self.wiring.feeders[port] == Feeder::Cells
            && algorithm.is_some_and(|algorithm| !matches!(algorithm, RateAlgorithm::Efci(_)))
    }

    /// The port that feeds a link.
    pub(super) fn run_port(&self, id: LinkId, process: usize, routes: &mut Routes) -> RunPort {
        let link = &self.scenario.links[id];
        let cell_time = link.rate.cell_time();
        let Exits { next_hops, memory, .. } = routes.exits(id);
        let vcs: IdVec<VcId, RunVc> = self
            .next_hops(id, next_hops)
            .map(|(vc, next_hop): (VcId, NextHop)| {
                let visits = routes.visits.remove(&(id, vc)).unwrap_or_default();
                let of_rm_cells = routes.of_rm_cells.remove(&(id, vc)).unwrap_or(next_hop.to);
                // Past an edge device only RM cells go on to a port.
                let stream = routes.stream(of_rm_cells);
                RunVc::new(vc, self.vcs[vc].name_hash, (next_hop, of_rm_cells), stream, visits)
            })
            .collect();
        let crossing = self.crossing.of(id);
        let policy = link.queue.policy.of_cells().start(crossing.len(), &link.name, self.seed);
        let (monitor, _) = self.monitor(id, cell_time);
        let trace = self.trace(id).map(|trace| FifoTrace::new(trace, cell_time, crossing.len()));
        let rates = rates(self.scenario, self.seed, link, &self.vcs, crossing);
        let fifo = LateFifo::new(cell_time, monitor, memory, trace);
        let admission = RunAdmission::new(fifo, vcs, rates).with_reader(self.reader(id));
        RunPort::new(process, policy, self.service(id), admission)
    }

    /// The order of service of a cell port.
    pub(super) fn service(&self, id: LinkId) -> Service {
        let link = &self.scenario.links[id];
        Service {
            order: link.queue.service_order,
            stream: service_stream(link, self.seed),
            inputs: self.wiring.input_names(id, self.scenario, &self.vcs),
        }
    }

    /// By group of hosts, the outputs of those that send cell by cell, with their numbers there, which `nics` has.
    pub(super) fn scheduled_links(
        &self,
        layout: &Layout,
        nics: &IdVec<LinkId, Option<u32>>,
        routes: &mut Routes,
    ) -> Vec<Vec<(u32, ScheduledLink)>> {
        let mut links: Vec<Vec<(u32, ScheduledLink)>> = layout.groups.iter().map(|_| Vec::new()).collect();
        for (link, nic) in nics.iter_ids().filter_map(|(link, nic)| Some((link, (*nic)?))) {
            let crossing = self.crossing.of(link);
            let Some(scheduler) = scheduler(self.scenario, link, &self.vcs, crossing) else { continue };
            // What leaves by one link, leaves one host.
            let group = layout.group_of(end_of(crossing[0]).1.other());
            let vc = |&vc: &VcId| {
                let (flow, end) = end_of(vc);
                let uplink = layout.numbering.of(flow, end.other());
                let visits = routes.visits.remove(&(link, vc)).unwrap_or_default();
                ScheduledVc::new(vc, uplink, routes.of_rm_cells.remove(&(link, vc)), visits)
            };
            links[group].push((nic, ScheduledLink::new(scheduler, crossing.iter().map(vc).collect())));
        }
        links
    }
}

/// Whether the order of visits matters: a rate algorithm from outside is in the network.
pub(super) fn orders_visits(scenario: &Scenario) -> bool {
    let is_custom = |link: &Link| matches!(link.queue.rates, Some(RateAlgorithm::Custom(_)));
    scenario.links.iter().any(is_custom)
}
