//! The logical processes of a network: groups of hosts and ports.

use std::sync::Arc;

use super::layout::{Layout, Plan};
use super::mailbox_plan::MailboxPlan;
use super::routes::{Exits, PassThroughSource, Routes};
use crate::ids::{Id, IdVec, LinkId, VcId};
use crate::net::abr::rates;
use crate::net::batched::LogicalProcess;
use crate::net::batched::cells::admission::{self, CellAdmission};
use crate::net::batched::cells::fifo::CellFifo;
use crate::net::batched::cells::last_hop::{LastHopPort, Slots};
use crate::net::batched::cells::pacing::Spacing;
use crate::net::batched::cells::port::CellPort;
use crate::net::batched::cells::rates::CellRates;
use crate::net::batched::fifo_monitor::FifoMonitor;
use crate::net::batched::hosts::Hosts;
use crate::net::batched::hosts::uplinks::{ChangingUplink, HostUplink, HostUplinks, SentFrames};
use crate::net::batched::io::NextHop;
use crate::net::batched::packets::last_hop::{self, LastHopPorts};
use crate::net::batched::packets::port::{PacketPort, PacketPorts, PortVc};
use crate::net::batched::packets::serializer::{LastTime, Serializers};
use crate::net::build::{self, PacketKinds};
use crate::net::ends::{self, Ends, Makers, Names};
use crate::net::flow::{Arrivals, End, ForcedDrops, Hop, end_of};
use crate::net::link::Link;
use crate::net::two_way::TwoWay;
use crate::packet::aal5::Reassembler;
use crate::record::trace::{FifoTrace, PortTrace};
use crate::scenario::{Scenario, Technology};
use crate::units::Span;

impl Plan<'_> {
    /// The outputs of each group of hosts.
    pub(super) fn uplinks(&self, layout: &Layout, routes: &mut Routes) -> Vec<HostUplinks> {
        let kinds = PacketKinds::new(self.scenario);
        let has_echoes = self.scenario.udp.iter().any(|source| source.echo.is_some());
        let ends = self.vcs.len() / layout.groups.len();
        let advertised = self.edges.advertised(self.scenario);
        let mut uplinks: Vec<Vec<HostUplink>> = layout.groups.iter().map(|_| Vec::with_capacity(ends)).collect();
        let mut nics: IdVec<LinkId, Option<u32>> = self.scenario.links.iter().map(|_| None).collect();
        let mut monitor: Vec<u32> = vec![0; layout.groups.len()];
        let mut links: Vec<Vec<Link>> = layout.groups.iter().map(|_| Vec::new()).collect();
        let mut serializers: Vec<Serializers> = layout.groups.iter().map(|_| Serializers::default()).collect();
        // A connection's uplink has the number of the end that it leaves: the sender's comes first in each flow.
        for (id, vc) in self.vcs.iter_ids() {
            let origin = layout.group_of(end_of(id).1.other());
            let Some(&Hop { link: first, at_port: at_link }) = vc.route.first() else {
                // It has a number, but nothing ever goes out here.
                if origin == 0 && layout.groups.len() == 1 || origin > 0 && has_echoes {
                    uplinks[origin].push(HostUplink::unused());
                }
                continue;
            };
            let nic = *nics[first].get_or_insert_with(|| {
                monitor[origin] += 1;
                monitor[origin] - 1
            });
            let changing_links = &mut links[origin];
            let changing = self.link(first).map(|link| {
                let known = changing_links.iter().position(|of_host| of_host.id == first);
                let link = known.unwrap_or_else(|| {
                    changing_links.push(*link);
                    changing_links.len() - 1
                });
                let kind = kinds.of(id);
                let routed = self.routed_uplink(vc, layout);
                Box::new(ChangingUplink { link: link as u32, at_link, vc_name: vc.name_hash, kind, routed })
            });
            let rate = self.scenario.links[first].rate;
            let (next_hop, looked_back) = routes.of_hosts[id.index()].take().expect("every connection has a path");
            uplinks[origin].push(HostUplink {
                nic,
                spacing: vc.cell_spacing,
                cell_time: rate.cell_time(),
                serializer: serializers[origin].of(rate),
                frames: 0,
                next_hop,
                sent_frames: (looked_back > Span::ZERO).then(|| Box::new(SentFrames::new(looked_back))),
                forced_drops: None,
                changing,
                advertised: advertised.get(&id).copied(),
                direct: false,
            });
        }
        for (number, flow) in self.scenario.flows.iter().enumerate() {
            let number = layout.numbering.of(number, End::Sender);
            uplinks[layout.group_of(End::Sender)][number].forced_drops = ForcedDrops::new(flow);
        }
        let scheduled = self.scheduled_links(layout, &nics, routes);
        let groups = uplinks.into_iter().zip(monitor).zip(links).zip(serializers).zip(scheduled);
        let of_group = |((((uplinks, nics), links), serializers), scheduled)| {
            let technology = self.scenario.technology;
            let mut uplinks =
                HostUplinks::new(technology, layout.numbering, uplinks, nics as usize, links, serializers);
            uplinks.schedule_links(scheduled);
            uplinks
        };
        groups.map(of_group).collect()
    }

    pub(super) fn ports(&self, links: &[(u32, u32, LinkId)], layout: &Layout, routes: &mut Routes) -> LogicalProcess {
        let process = links[0].0 as usize;
        let of_kind =
            |last_hop| links.iter().map(|&(_, _, link)| link).filter(move |&link| self.last_hops[link] == last_hop);
        let first = of_kind(false).next().expect("last-hop ports are behind another port");
        match self.scenario.technology {
            Technology::Atm { .. } if self.takes_runs => {
                LogicalProcess::Runs(Box::new(self.run_port(first, process, routes)))
            }
            Technology::Atm { .. } => {
                let last_hops = of_kind(true).map(|link| self.cell_last_hop(link, routes)).collect();
                LogicalProcess::Cells(Box::new(self.cell_port(first, last_hops, process, routes)))
            }
            Technology::Packet { .. } if self.is_routed(first) => {
                LogicalProcess::Routed(Box::new(self.routed_ports(links, process, layout, routes)))
            }
            Technology::Packet { .. } if self.scenario.links[first].medium.is_some() => {
                LogicalProcess::Medium(Box::new(self.medium_ports(links, process, routes)))
            }
            Technology::Packet { .. } if !build::is_foreseeable(&self.scenario.links[first]) => {
                LogicalProcess::Changing(Box::new(self.changing_port(first, process, routes)))
            }
            Technology::Packet { .. } => {
                let mut serializers = Serializers::default();
                let mut ports = Vec::with_capacity(of_kind(false).count());
                ports.extend(of_kind(false).map(|link| self.packet_port(link, routes, &mut serializers)));
                let mut last_hops = LastHopPorts::with_capacity(of_kind(true).count());
                of_kind(true)
                    .for_each(|link| self.add_last_hop(link, layout, routes, &mut serializers, &mut last_hops));
                let ports = PacketPorts::new(routes.mailboxes.read_by(process), ports, last_hops, serializers);
                let rates = of_kind(false).filter_map(|link| self.port_rates(link)).collect();
                LogicalProcess::Packets(ports.with_feedback(self.ack_windows(of_kind(false)), rates))
            }
        }
    }

    /// A cell port with these ports behind it.
    fn cell_port(&self, id: LinkId, last_hops: Vec<LastHopPort>, process: usize, routes: &mut Routes) -> CellPort {
        let link = &self.scenario.links[id];
        let cell_time = link.rate.cell_time();
        let Exits { next_hops, spacings, memory } = routes.exits(id);
        let vc = |((vc, next_hop), spacing): ((VcId, NextHop), Span)| admission::PortVc {
            id: vc,
            name_hash: self.vcs[vc].name_hash,
            spacing: Spacing::new(spacing.as_ps(), cell_time.as_ps()),
            next_hop,
            reassembler: Reassembler::default(),
        };
        let vcs = self.next_hops(id, next_hops).zip(spacings).map(vc).collect();
        let policy = link.queue.policy.of_cells().start(self.crossing.of(id).len(), &link.name, self.seed);
        let (monitor, _) = self.monitor(id, cell_time);
        let crossing = self.crossing.of(id).len();
        let trace = self.trace(id).map(|trace| FifoTrace::new(trace, cell_time, crossing));
        let fifo = CellFifo::new(cell_time, monitor, memory, trace);
        let port = CellPort::new(process, policy, self.service(id), CellAdmission::new(fifo, vcs));
        port.with_rates(self.cell_rates(id), last_hops)
    }

    /// A last-hop port of cells, whose place behind another port is known.
    fn cell_last_hop(&self, id: LinkId, routes: &mut Routes) -> LastHopPort {
        let link = &self.scenario.links[id];
        let rates = self.cell_rates(id).expect("a last-hop port of cells gives rates");
        let PassThroughSource { lag, numbers, .. } = routes.pass_through.remove(&id).expect("it is behind a port");
        LastHopPort::new(rates, Slots::new(link.rate.cell_time(), lag), numbers, link.queue.policy.threshold_cells())
    }

    /// The rates of a cell port for senders of TCP, if it gives any.
    fn cell_rates(&self, id: LinkId) -> Option<CellRates> {
        let crossing = self.crossing.of(id);
        let rates = rates(self.scenario, self.seed, &self.scenario.links[id], &self.vcs, crossing)?;
        Some(CellRates::new(rates, self.reader(id), crossing.len()))
    }

    pub(super) fn packet_port(&self, id: LinkId, routes: &mut Routes, serializers: &mut Serializers) -> PacketPort {
        let (monitor, max_bytes) = self.monitor(id, Span::from_ps(1));
        let serializer = serializers.of(self.scenario.links[id].rate);
        PacketPort::new(serializer, max_bytes, self.packet_vcs(id, routes), monitor, self.trace(id))
    }

    /// The connections that cross a packet port.
    pub(super) fn packet_vcs(&self, id: LinkId, routes: &mut Routes) -> IdVec<VcId, PortVc> {
        let vc = |(vc, next_hop): (VcId, NextHop)| PortVc {
            id: vc,
            name_hash: self.vcs[vc].name_hash,
            lag: next_hop.lag,
            to: next_hop.to,
        };
        self.next_hops(id, routes.exits(id).next_hops).map(vc).collect()
    }

    /// The state of a link, if it is more than plain.
    pub(super) fn link(&self, id: LinkId) -> Option<Box<Link>> {
        let vcs = self.crossing.of(id).len();
        let recording = build::loss_recording(self.recorder);
        Link::new(id, &self.scenario.links[id], self.seed, vcs, self.routed[id], recording)
    }

    pub(super) fn add_last_hop(
        &self,
        id: LinkId,
        layout: &Layout,
        routes: &Routes,
        serializers: &mut Serializers,
        last_hops: &mut LastHopPorts,
    ) {
        let link = &self.scenario.links[id];
        let (rate, lag) = (link.rate, link.delay);
        let (_, behind) = layout.process_of_port[self.wiring.inputs.of(id)[0]].expect("behind a port");
        let kind = last_hop::Kind {
            rate,
            serializer: serializers.of(rate),
            last_time: LastTime::default(),
            lag,
            inbox: routes.of_last_hops[id].expect("whoever crosses a last-hop port leads to an inbox"),
        };
        last_hops.push(kind, id.index() as u32, behind, self.crossing.of(id).len() as u32);
        if let Some(rates) = self.port_rates(id) {
            last_hops.give_rates(rates, self.scenario.links[self.wiring.inputs.of(id)[0]].delay);
        }
    }

    /// The connections that cross a port, with their routes out of it.
    pub(super) fn next_hops(
        &self,
        id: LinkId,
        next_hops: Vec<Option<NextHop>>,
    ) -> impl Iterator<Item = (VcId, NextHop)> {
        let next_hops = next_hops.into_iter().map(|next_hop| next_hop.expect("a connection that comes also leaves"));
        self.crossing.of(id).iter().copied().zip(next_hops)
    }

    /// What records a port, if it is to be recorded.
    pub(super) fn trace(&self, id: LinkId) -> Option<Box<PortTrace>> {
        self.recorder.filter(|_| !self.unrecorded[id])?.port(self.crossing.of(id).len())
    }

    /// The counters of a port, and its limit of bytes.
    pub(super) fn monitor(&self, id: LinkId, tick: Span) -> (FifoMonitor, u64) {
        let queue = &self.scenario.links[id].queue;
        let (units, bytes) = build::limits(queue.buffer);
        (FifoMonitor::new(units, self.crossing.of(id).len(), queue.policy.threshold_cells(), tick), bytes)
    }
}

/// The groups of hosts with these outputs, and with the ends of all flows.
pub(super) fn hosts(
    scenario: &Scenario,
    seed: u64,
    names: Arc<Names>,
    layout: &Layout,
    inboxes: &MailboxPlan,
    uplinks: Vec<HostUplinks>,
) -> impl Iterator<Item = (usize, LogicalProcess)> {
    let (mut sources, mut sinks) = ends::of_flows(scenario, seed, Arc::new(Makers::new(scenario, seed, names)));
    layout.groups.iter().zip(uplinks).enumerate().map(move |(group, (&process, uplinks))| {
        let has = |end: End| layout.group_of(end) == group;
        let hosts = Hosts::new(
            inboxes.read_by(group),
            layout.numbering,
            if has(End::Sender) { std::mem::take(&mut sources) } else { Ends::default() },
            if has(End::Receiver) { std::mem::take(&mut sinks) } else { Ends::default() },
            if has(End::Sender) { build::udp(scenario, seed) } else { Vec::new() },
            if has(End::Receiver) { Arrivals::of_echoes(scenario) } else { Vec::new() },
            uplinks,
        );
        let two_way = if has(End::Sender) { TwoWay::new(scenario, seed) } else { TwoWay::default() };
        (process, LogicalProcess::Hosts(Box::new(hosts.with_two_way(two_way))))
    })
}
