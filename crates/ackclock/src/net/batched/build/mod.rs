//! From a scenario to the processes of the batched engine and the routes between them.

mod abr;
mod event_driven;
mod feedback;
mod layout;
mod mailbox_plan;
mod processes;
mod routers;
mod routes;

use std::collections::BTreeMap;

use layout::{Layout, Plan};
use mailbox_plan::MailboxPlan;
use processes::hosts;
use routers::Routers;
use routes::PassThroughSource;

use crate::ids::{IdVec, VcId};
use crate::net::batched::Batched;
use crate::net::batched::abr::under_way::AbrIo;
use crate::net::batched::directory::{Directory, Output, PassThroughPort};
use crate::net::batched::frame_side::FrameSideTable;
use crate::net::batched::hosts::udp::UdpSinks;
use crate::net::batched::hosts::uplinks::HostUplinks;
use crate::net::batched::io::Io;
use crate::net::batched::logical_process::LogicalProcess;
use crate::net::batched::packet_side::PacketSideTable;
use crate::net::batched::upstreams::upstreams;
use crate::net::build::{self, Feeder, Wiring};
use crate::net::feedback::Edges;
use crate::net::flow::{End, LostDatagrams};
use crate::net::host_traces::HostTraces;
use crate::net::last_hops::last_hops;
use crate::net::recorder::Recorder;
use crate::net::routes::routed_links;
use crate::packet::{IP_HEADER_BYTES, TCP_HEADER_BYTES};
use crate::record::Metric;
use crate::scenario::{Scenario, Technology};
use crate::units::Time;

impl Batched {
    /// The network of a scenario, before anything has happened.
    pub fn new(scenario: &Scenario, seed: u64, recorder: Option<&Recorder>) -> Batched {
        let (mut network, mut processes, Ends { layout, inboxes, uplinks }) =
            Batched::without_ends(Plan::new(scenario, seed, recorder));
        // The ends of many flows are most of a network: what the rest is built from has gone before.
        let names = network.directory.names();
        processes.extend(hosts(scenario, seed, names, &layout, &inboxes, uplinks));
        network.processes = processes.into_values().collect();
        network
    }

    /// The network without its hosts, its processes by their numbers, and what the hosts are built from.
    fn without_ends(plan: Plan<'_>) -> (Batched, BTreeMap<usize, LogicalProcess>, Ends) {
        let Plan { scenario, recorder, .. } = plan;
        let mut layout = plan.layout();
        let mut routes = plan.routes(&layout);
        let uplinks = plan.uplinks(&layout, &mut routes);
        let mut processes: BTreeMap<usize, LogicalProcess> = plan.routers(&layout, &mut routes);
        for links in layout.ports().chunk_by(|a, b| a.0 == b.0) {
            processes.insert(links[0].0 as usize, plan.ports(links, &layout, &mut routes));
        }
        if let Some((group, process)) = layout.udp_sinks {
            processes.insert(process, LogicalProcess::Udp(UdpSinks::new(group, scenario)));
        }
        let fusion = plan.fusion(&layout);
        let rates_read = plan.rates_read(&layout, layout.processes);
        let (frame_side, edges) = (plan.frame_side(), plan.rated_edges());
        let mut directory = Directory::new(scenario, plan.crossing);
        for (id, link) in scenario.links.iter_ids() {
            match (plan.wiring.feeders[id], layout.process_of_port[id]) {
                (Feeder::Nic, _) => directory.push(Output::Nic),
                (_, Some((process, last_hop))) if plan.last_hops[id] => {
                    directory.push(Output::LastHopPort { process, last_hop })
                }
                (_, Some((process, port))) => directory.push(Output::Port { process, port }),
                (_, None) => {
                    // Where nothing crosses, it does not matter behind what.
                    let PassThroughSource { behind, lag, numbers } =
                        routes.pass_through.remove(&id).unwrap_or_default();
                    let threshold = link.queue.policy.threshold_cells();
                    directory.push_pass_through(PassThroughPort { behind, lag, numbers, threshold });
                }
            }
        }
        let traces = recorder.and_then(Recorder::hosts);
        let network = Batched {
            directory,
            order: (0..layout.processes).collect(),
            clocks: vec![Time::ZERO; layout.processes],
            upstreams: upstreams(layout.processes, &routes.lookaheads),
            writers: std::mem::take(&mut routes.writers),
            sources: layout.groups[layout.group_of(End::Sender)],
            rates_read,
            edges: plan.edges.ports,
            fusion: fusion.map(Box::new),
            io: Io {
                frame_side,
                packet_side: PacketSideTable::new(
                    recorder.filter(|recorder| recorder.numbers_packets()).map_or(0, |_| plan.vcs.len()),
                ),
                watched: traces.as_deref().map(HostTraces::watched).unwrap_or_default(),
                traces,
                mailboxes: routes.mailboxes.mailboxes(),
                inboxes: routes.inboxes.mailboxes(),
                abr: AbrIo::new(scenario, layout.processes, |process| routes.streams(process)),
                lost_datagrams: LostDatagrams::new(scenario),
                edges,
                lost_behind_hosts: Vec::new(),
                until: Time::ZERO,
            },
            processes: Vec::new(),
        };
        layout.process_of_port = IdVec::new();
        (network, processes, Ends { layout, inboxes: routes.inboxes, uplinks })
    }
}

/// What the hosts are built from, beside the scenario.
struct Ends {
    layout: Layout,
    inboxes: MailboxPlan,
    uplinks: Vec<HostUplinks>,
}

impl<'a> Plan<'a> {
    /// What the processes of a scenario are made from.
    fn new(scenario: &'a Scenario, seed: u64, recorder: Option<&'a Recorder>) -> Plan<'a> {
        let vcs = build::vcs(scenario);
        let (wiring, crossing) = (Wiring::new(scenario), build::crossing(scenario, &vcs));
        let routed = routed_links(scenario, vcs.iter().filter_map(|vc| vc.routed.as_ref()));
        let edges = Edges::new(scenario, &vcs, &crossing);
        let joint = !edges.ports.is_empty() && vcs.iter().any(|vc| vc.routed.is_some());
        let routers = if joint { Routers::default() } else { Routers::new(scenario, &edges, &routed) };
        let none = || scenario.links.iter().map(|_| false).collect();
        let orders_visits = abr::orders_visits(scenario);
        // Ports that are recorded over time are processes, and those whose rates depend on each cell or packet.
        let records_ports = recorder.is_some_and(|recorder| recorder.port(1).is_some())
            || scenario.recording.metrics.contains(Metric::Allocation);
        let rated_last_hops = !joint && !records_ports && !orders_visits;
        let last_hops = last_hops(scenario, &wiring, &crossing, &vcs, &routed, &edges, rated_last_hops);
        let (last_hops, unrecorded) = if joint { (none(), last_hops) } else { (last_hops, none()) };
        let of_flows = scenario.flows.iter().map(|flow| flow.tcp.shortest_datagram());
        let shortest = of_flows.min().unwrap_or(IP_HEADER_BYTES + TCP_HEADER_BYTES);
        let takes_runs = scenario.has_abr() || orders_visits && !wiring.edges.is_empty();
        let mut plan = Plan {
            scenario,
            seed,
            takes_runs,
            orders_visits,
            recorder,
            wiring,
            crossing,
            last_hops,
            unrecorded,
            joint,
            routed,
            vcs,
            edges,
            routers,
            shortest,
        };
        if let Technology::Atm { .. } = scenario.technology {
            plan.last_hops = plan.cell_last_hops(rated_last_hops && !takes_runs);
        }
        plan
    }

    /// Only of what travels in cells.
    fn frame_side(&self) -> IdVec<VcId, FrameSideTable> {
        match self.scenario.technology {
            Technology::Atm { .. } => self.vcs.iter().map(|_| FrameSideTable::default()).collect(),
            Technology::Packet { .. } => IdVec::new(),
        }
    }
}
