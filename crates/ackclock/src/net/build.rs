//! From a scenario to the parts of a network.

use super::cell_port::{CellPort, Input};
use super::flow::{End, Flow, ForcedDrops, Hop, Sink, Source, Vc, vc_name};
use super::nic::Nic;
use super::occupancy::Occupancy;
use super::packet_port::PacketPort;
use crate::ids::{Id, IdVec, LinkId, VcId};
use crate::packet::FrameLog;
use crate::packet::aal5::Reassembler;
use crate::queue::Buffer;
use crate::queue::drop::Policy;
use crate::rng::{Stream, name_hash};
use crate::scenario::{self, NodeKind, Scenario, ServiceOrder, Technology};
use crate::tcp::{Application, Receiver, Sender, TickClock, TickPhase};
use crate::units::{Rate, Span};

/// One direction of a link, with the output that feeds it.
pub(super) struct Link {
    pub(super) name: String,
    pub(super) rate: Rate,
    pub(super) cell_time: Span,
    pub(super) delay: Span,
    pub(super) output: Output,
    /// The connections that cross the link; their numbers at its port are their places here.
    pub(super) crossing: Vec<VcId>,
    /// What this link is as an input of the next port.
    pub(super) input: Input,
}

/// What feeds a link.
pub(super) enum Output {
    Nic(Nic),
    /// A cell port with a single input of no higher rate: nothing ever waits.
    Through(Occupancy),
    Cells(CellPort),
    Packets(PacketPort),
}

/// The connections of a scenario, two to a flow: data, then acknowledgements.
pub(super) fn vcs(scenario: &Scenario) -> IdVec<VcId, Vc> {
    let mut crossing: IdVec<LinkId, usize> = scenario.links.iter().map(|_| 0).collect();
    let mut vc = |name: String, route: &[LinkId], pcr: Option<Rate>| Vc {
        name_hash: name_hash(&name),
        name,
        route: route.iter().map(|&link| number_at_port(link, &mut crossing)).collect(),
        cell_spacing: pcr.unwrap_or(scenario.links[route[0]].rate).cell_time(),
        frames: FrameLog::default(),
        reassembler: Reassembler::default(),
    };
    let mut vcs = IdVec::new();
    for flow in scenario.flows.iter() {
        vcs.push(vc(vc_name(&flow.name, End::Receiver), &flow.forward, flow.pcr));
        vcs.push(vc(vc_name(&flow.name, End::Sender), &flow.backward, flow.pcr));
    }
    vcs
}

fn number_at_port(link: LinkId, crossing: &mut IdVec<LinkId, usize>) -> Hop {
    let at_port = VcId::from_index(crossing[link]);
    crossing[link] += 1;
    Hop { link, at_port }
}

/// What feeds a link, before any engine has built it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feeder {
    /// A host.
    Nic,
    /// A cell port with a single input of no higher rate.
    Through,
    /// A cell port with slots and a queue.
    Cells,
    /// A packet port.
    Packets,
}

/// How the ports of a scenario are fed.
pub(super) struct Wiring {
    pub(super) feeders: IdVec<LinkId, Feeder>,
    /// For each link, the links that feed its port, by name: those that come before it on the route of some
    /// connection.
    pub(super) inputs: IdVec<LinkId, Vec<LinkId>>,
}

impl Wiring {
    /// The wiring of a scenario.
    pub(super) fn new(scenario: &Scenario) -> Wiring {
        let inputs = inputs_of_ports(scenario);
        let feeder = |(id, link): (LinkId, &scenario::Link)| {
            let faster_input = || inputs[id].iter().any(|&input| scenario.links[input].rate > link.rate);
            match scenario.technology {
                _ if scenario.nodes[link.from].kind == NodeKind::Host => Feeder::Nic,
                Technology::Packet { .. } => Feeder::Packets,
                Technology::Atm { .. } if inputs[id].len() <= 1 && !faster_input() => Feeder::Through,
                Technology::Atm { .. } => Feeder::Cells,
            }
        };
        Wiring { feeders: scenario.links.iter_ids().map(feeder).collect(), inputs }
    }
}

/// The links of a scenario with their outputs; `vcs` are its connections.
pub(super) fn links(scenario: &Scenario, vcs: &IdVec<VcId, Vc>, seed: u64) -> IdVec<LinkId, Link> {
    let wiring = Wiring::new(scenario);
    let mut crossing = crossing(scenario, vcs);
    let link = |(id, link): (LinkId, &scenario::Link)| Link {
        name: link.name.clone(),
        rate: link.rate,
        cell_time: link.rate.cell_time(),
        delay: link.delay,
        output: output_of(link, wiring.feeders[id], &wiring.inputs[id], seed, crossing[id].len()),
        crossing: std::mem::take(&mut crossing[id]),
        input: Input { name: name_hash(&link.name), link: id },
    };
    scenario.links.iter_ids().map(link).collect()
}

/// The connections that cross each link; their numbers at its port are their places here.
pub(super) fn crossing(scenario: &Scenario, vcs: &IdVec<VcId, Vc>) -> IdVec<LinkId, Vec<VcId>> {
    let mut crossing: IdVec<LinkId, Vec<VcId>> = scenario.links.iter().map(|_| Vec::new()).collect();
    for (id, vc) in vcs.iter_ids() {
        for hop in &vc.route {
            crossing[hop.link].push(id);
        }
    }
    crossing
}

/// The flows of a scenario.
pub(super) fn flows(scenario: &Scenario, seed: u64) -> Vec<Flow> {
    scenario.flows.iter().map(|flow| flow_of(flow, scenario, seed)).collect()
}

/// Whether the seed can make a difference.
pub fn has_randomness(scenario: &Scenario) -> bool {
    let inputs = inputs_of_ports(scenario);
    let random_order = scenario.links.iter_ids().any(|(id, link)| {
        matches!(scenario.technology, Technology::Atm { .. })
            && link.queue.service_order == ServiceOrder::Random
            && inputs[id].len() > 1
    });
    random_order || scenario.flows.iter().any(|flow| flow.tcp.timer.phase == TickPhase::Random)
}

fn flow_of(flow: &scenario::Flow, scenario: &Scenario, seed: u64) -> Flow {
    let host = &scenario.nodes[scenario.links[flow.forward[0]].from].name;
    let timer = &flow.tcp.timer;
    let phase = match timer.phase {
        TickPhase::Common(phase) => phase,
        TickPhase::Random => Span::from_ps(Stream::new(seed, host, "tick-phase").below(timer.granularity.as_ps(), 0)),
    };
    let application = Application { start: flow.start, stop: flow.stop, size: flow.size };
    Flow {
        name: flow.name.clone(),
        source: Source::new(Sender::new(&flow.tcp, application, TickClock::new(timer.granularity, phase))),
        sink: Sink::new(Receiver::new(&flow.tcp)),
        forced_drops: ForcedDrops::new(flow),
    }
}

/// For each link, the links that feed its port, by name: those that come before it on the route of some connection.
fn inputs_of_ports(scenario: &Scenario) -> IdVec<LinkId, Vec<LinkId>> {
    let mut inputs: IdVec<LinkId, Vec<LinkId>> = scenario.links.iter().map(|_| Vec::new()).collect();
    for route in scenario.flows.iter().flat_map(|flow| [&flow.forward, &flow.backward]) {
        for hop in route.windows(2) {
            inputs[hop[1]].push(hop[0]);
        }
    }
    for of_port in inputs.iter_mut() {
        of_port.sort_unstable_by_key(|&link| (&scenario.links[link].name, link));
        of_port.dedup();
    }
    inputs
}

/// The limits of a buffer: units, and bytes.
pub(super) fn limits(buffer: scenario::Buffer) -> (u32, u64) {
    match buffer {
        scenario::Buffer::Infinite => (Buffer::INFINITE, u64::MAX),
        scenario::Buffer::Cells(units) | scenario::Buffer::Packets(units) => (units, u64::MAX),
        scenario::Buffer::Bytes(bytes) => (Buffer::INFINITE, bytes),
    }
}

/// The randomness of a port's service order.
pub(super) fn service_stream(link: &scenario::Link, seed: u64) -> Stream {
    Stream::new(seed, &link.name, "service-order")
}

fn output_of(link: &scenario::Link, feeder: Feeder, inputs: &[LinkId], seed: u64, vcs: usize) -> Output {
    let (units, bytes) = limits(link.queue.buffer);
    let occupancy = Occupancy::new(units, vcs, link.queue.policy.threshold_cells());
    match feeder {
        Feeder::Nic => Output::Nic(Nic::default()),
        Feeder::Through => Output::Through(occupancy),
        Feeder::Packets => Output::Packets(PacketPort::new(link.rate, bytes, occupancy)),
        Feeder::Cells => {
            let policy = Policy::new(&link.queue.policy, vcs);
            let (order, stream) = (link.queue.service_order, service_stream(link, seed));
            Output::Cells(CellPort::new(link.rate.cell_time(), policy, order, stream, inputs.to_vec(), occupancy))
        }
    }
}
