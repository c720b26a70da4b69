//! From a scenario to the flows and links of the reference engine.

use super::cell_port::{CellPort, Input};
use crate::ids::{IdVec, LinkId, NodeId, VcId};
use crate::net::abr::{CellScheduler, rates, scheduler};
use crate::net::build::{self, Feeder, Wiring, crossing, limits, service_stream};
use crate::net::feedback::{Edges, packet_rates};
use crate::net::flow::{ForcedDrops, Vc};
use crate::net::last_hops::last_hops;
use crate::net::link::{self, PacketMeta};
use crate::net::nic::Nic;
use crate::net::packet_port::PacketPort;
use crate::net::queue_monitor::QueueMonitor;
use crate::net::recorder::Recorder;
use crate::net::routes::routed_links;
use crate::packet::Unit;
use crate::record::trace::PortTrace;
use crate::rng::name_hash;
use crate::scenario::{self, Scenario};
use crate::units::{Rate, Span};

/// A connection, but for its two ends.
pub(super) struct Flow {
    pub(super) name: String,
    /// If some segments are lost on purpose.
    pub(super) forced_drops: Option<Box<ForcedDrops>>,
}

impl Flow {
    /// A flow of a scenario, before anything has happened.
    pub(super) fn new(flow: &scenario::Flow) -> Flow {
        Flow { name: flow.name.clone(), forced_drops: ForcedDrops::new(flow) }
    }
}

/// One direction of a link, with the output that feeds it.
pub(super) struct Link {
    pub(super) name: String,
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) rate: Rate,
    pub(super) cell_time: Span,
    pub(super) delay: Span,
    pub(super) output: Output,
    /// The connections that cross the link; their numbers at its port are their places here.
    pub(super) crossing: Vec<VcId>,
    /// What this link is as an input of the next port.
    pub(super) input: Input,
}

impl Link {
    /// The state of a link that changes or corrupts packets, if any come.
    pub(super) fn changing(&self) -> Option<&link::Link> {
        match &self.output {
            _ if self.crossing.is_empty() => None,
            Output::Nic(_, changing) => changing.as_deref(),
            Output::Packets(port) => port.link.as_deref(),
            Output::Scheduler(_) | Output::PassThrough(_) | Output::Cells(_) => None,
        }
    }
}

/// What feeds a link.
pub(super) enum Output {
    /// A host, and the link behind it if that is more than plain.
    Nic(Nic, Option<Box<link::Link>>),
    /// A cell port with a single input of no higher rate: nothing ever waits.
    PassThrough(QueueMonitor),
    /// A host at which ABR connections begin or end.
    Scheduler(CellScheduler),
    Cells(CellPort),
    Packets(PacketPort<(PacketMeta, Unit)>),
}

/// The links of a scenario with their outputs; `vcs` are its connections.
pub(super) fn links(
    scenario: &Scenario,
    vcs: &IdVec<VcId, Vc>,
    edges: &Edges,
    seed: u64,
    recorder: Option<&Recorder>,
) -> IdVec<LinkId, Link> {
    let wiring = Wiring::new(scenario);
    let crossing = crossing(scenario, vcs);
    let routed = routed_links(scenario, vcs.iter().filter_map(|vc| vc.routed.as_ref()));
    let last_hops = last_hops(scenario, &wiring, &crossing, vcs, &routed, edges, false);
    let all_vcs = vcs;
    let link = |(id, link): (LinkId, &scenario::Link)| Link {
        name: link.name.clone(),
        from: link.from,
        to: link.to,
        rate: link.rate,
        cell_time: link.rate.cell_time(),
        delay: link.delay,
        output: {
            let vcs = crossing.of(id).len();
            let trace = recorder.filter(|_| !last_hops[id]).and_then(|recorder| recorder.port(vcs));
            let changing = link::Link::new(id, link, seed, vcs, routed[id], build::loss_recording(recorder));
            let feeder = (wiring.feeders[id], wiring.input_names(id, scenario, all_vcs));
            let names: Vec<u64> = crossing.of(id).iter().map(|&vc| all_vcs[vc].name_hash).collect();
            let mut output = output_of(link, feeder, changing, seed, &names, trace);
            match &mut output {
                Output::Nic(..) => {
                    output = scheduler(scenario, id, all_vcs, crossing.of(id)).map_or(output, Output::Scheduler)
                }
                Output::Cells(port) => port.rates = rates(scenario, seed, link, all_vcs, crossing.of(id)),
                Output::Packets(port) => port.give_rates(packet_rates(scenario, seed, id, crossing.of(id))),
                Output::PassThrough(_) | Output::Scheduler(_) => {}
            }
            output
        },
        crossing: crossing.of(id).to_vec(),
        input: Input(name_hash(&link.name)),
    };
    scenario.links.iter_ids().map(link).collect()
}

fn output_of(
    link: &scenario::Link,
    (feeder, inputs): (Feeder, Vec<u64>),
    changing: Option<Box<link::Link>>,
    seed: u64,
    names: &[u64],
    trace: Option<Box<PortTrace>>,
) -> Output {
    let (vcs, (units, _)) = (names.len(), limits(link.queue.buffer));
    let mut monitor = QueueMonitor::new(units, vcs, link.queue.policy.threshold_cells());
    if feeder != Feeder::PassThrough && vcs > 0 {
        monitor.trace = trace;
    }
    match feeder {
        Feeder::Nic => Output::Nic(Nic::default(), changing),
        Feeder::PassThrough => Output::PassThrough(monitor),
        Feeder::Packets => {
            let discipline = build::discipline(link, names, seed);
            Output::Packets(PacketPort::new((link.rate, link.delay), changing, discipline, monitor))
        }
        Feeder::Cells => {
            let policy = link.queue.policy.of_cells().start(vcs, &link.name, seed);
            let (order, stream) = (link.queue.service_order, service_stream(link, seed));
            let inputs = inputs.into_iter().map(Input).collect();
            Output::Cells(CellPort::new(link.rate.cell_time(), policy, order, stream, inputs, monitor))
        }
    }
}
