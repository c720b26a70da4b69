//! What both engines take from a scenario alike.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::feedback::atm_ports;
use super::flow::{End, Hop, Vc, backs, end_of, vc_name};
use super::link::LossRecording;
use super::lists::Lists;
use super::recorder::Recorder;
use super::routes::DynamicRoutes;
use crate::ids::{FlowId, Id, IdVec, LinkId, VcId};
use crate::link::PacketKind;
use crate::queue::Buffer;
use crate::queue::PolicyParams;
use crate::queue::packet::{QueueDiscipline, QueuePort};
use crate::rng::{Stream, name_hash};
use crate::scenario::{self, NodeKind, Route, Scenario, Technology, UdpFlow};
use crate::traffic::Cbr;
use crate::units::{Rate, Span, Time};

/// The connections of a scenario, two to a flow: data, then acknowledgements.
pub(super) fn vcs(scenario: &Scenario) -> IdVec<VcId, Vc> {
    let mut crossing: IdVec<LinkId, usize> = scenario.links.iter().map(|_| 0).collect();
    let mut dynamic = DynamicRoutes::default();
    let mut vc = |name: &str, route: Option<&Route>, pcr: Option<Rate>| {
        let (route, routed) = match route {
            None => (Vec::new(), None),
            Some(Route::Fixed(links)) => {
                assert!(links.iter().all(|&link| leads_to_one_node(&scenario.links[link])), "{name} knows no far ends");
                (links.iter().map(|&link| number_at_port(link, &mut crossing)).collect(), None)
            }
            Some(Route::Dynamic { first, table }) => {
                let routed = dynamic.of(scenario, *first, table);
                let hops = routed.links.iter().map(|&link| number_at_port(link, &mut crossing));
                // Each of the links has to count it.
                (hops.fold(Vec::new(), |kept, hop| if hop.link == *first { vec![hop] } else { kept }), Some(routed))
            }
        };
        Vc {
            name_hash: name_hash(name),
            cell_spacing: match route.first() {
                Some(first) => pcr.unwrap_or(scenario.links[first.link].rate).cell_time(),
                None => Span::ZERO,
            },
            route,
            routed,
        }
    };
    let of_flows = scenario.flows.iter().flat_map(|flow| {
        // The other direction of a connection has no paths of its own.
        let route = |route| Some(route).filter(|_| flow.back_of.is_none());
        let (name, pcr) = (&flow.name, flow.service.pcr());
        [(name, End::Receiver, route(&flow.forward), pcr), (name, End::Sender, route(&flow.backward), pcr)]
    });
    let of_udp = scenario.udp.iter().flat_map(|source| {
        let (name, back) = (&source.name, source.echo.as_ref());
        [(name, End::Receiver, Some(&source.route), source.pcr), (name, End::Sender, back, None)]
    });
    let backs = backs(scenario);
    let connections = of_flows.chain(of_udp).enumerate();
    let name = |number: usize, name, end| match backs.get(&(number / 2)) {
        Some(&back) if end == End::Sender => scenario.flows[FlowId::from_index(back)].name.as_str().into(),
        _ => vc_name(name, end),
    };
    connections.map(|(number, (of, end, route, pcr))| vc(&name(number, of, end), route, pcr)).collect()
}

fn leads_to_one_node(link: &scenario::Link) -> bool {
    link.params.schedule.as_ref().is_none_or(|schedule| schedule.far_ends.is_none())
}

fn number_at_port(link: LinkId, crossing: &mut IdVec<LinkId, usize>) -> Hop {
    let at_port = VcId::from_index(crossing[link]);
    crossing[link] += 1;
    Hop { link, at_port }
}

/// What feeds a link, before any engine has built it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feeder {
    Nic,
    /// A cell port with a single input of no higher rate.
    PassThrough,
    /// A cell port with slots and a queue.
    Cells,
    Packets,
}

/// How the ports of a scenario are fed.
pub(super) struct Wiring {
    pub(super) feeders: IdVec<LinkId, Feeder>,
    /// For each link, the links that feed its port, of cell ports by name: those that come before it on the route of some
    /// connection.
    pub(super) inputs: Lists<LinkId, LinkId>,
    /// The cell ports of rate control of TCP, each with the connections whose acknowledgements come from an edge device.
    pub(super) edges: BTreeMap<LinkId, Vec<VcId>>,
}

impl Wiring {
    pub(super) fn new(scenario: &Scenario) -> Wiring {
        let (inputs, edges) = (inputs_of_ports(scenario), atm_ports(scenario));
        let feeder = |(id, link): (LinkId, &scenario::Link)| {
            let faster_input = || inputs.of(id).iter().any(|&input| scenario.links[input].rate > link.rate);
            match scenario.technology {
                _ if scenario.nodes[link.from].kind == NodeKind::Host => Feeder::Nic,
                Technology::Packet { .. } => Feeder::Packets,
                Technology::Atm { .. } if edges.contains_key(&id) => Feeder::Cells,
                Technology::Atm { .. } if inputs.of(id).len() <= 1 && !faster_input() => Feeder::PassThrough,
                Technology::Atm { .. } => Feeder::Cells,
            }
        };
        Wiring { feeders: scenario.links.iter_ids().map(feeder).collect(), inputs, edges }
    }

    /// The number among the inputs of a cell port of this connection, whose acknowledgements come from an edge device.
    pub(super) fn rank_of_edge(&self, port: LinkId, vc: VcId) -> usize {
        let rank = self.edges[&port].iter().position(|&of_edge| of_edge == vc);
        self.inputs.of(port).len() + rank.expect("it comes from an edge device")
    }

    /// How many inputs a port has.
    pub(super) fn inputs_of(&self, port: LinkId) -> usize {
        self.inputs.of(port).len() + self.edges.get(&port).map_or(0, Vec::len)
    }

    /// The hashes of the names of all inputs of a cell port, in their order: links by name, then the connections whose
    /// acknowledgements come from an edge device, each an input of its own.
    pub(super) fn input_names(&self, port: LinkId, scenario: &Scenario, vcs: &IdVec<VcId, Vc>) -> Vec<u64> {
        let links = self.inputs.of(port).iter().map(|&input| name_hash(&scenario.links[input].name));
        links.chain(self.edges.get(&port).into_iter().flatten().map(|&vc| vcs[vc].name_hash)).collect()
    }
}

/// The connections that cross each link, or may do so; their numbers at its port are their places here, in their order.
pub(super) fn crossing(scenario: &Scenario, vcs: &IdVec<VcId, Vc>) -> Lists<LinkId, VcId> {
    let pairs = vcs.iter_ids().flat_map(|(id, vc)| vc.links().map(move |link| (link, id)));
    Lists::new(scenario.links.len(), pairs)
}

/// For each link, the links that feed its port, of cell ports by name: those that come before it on the route of some connection.
/// Routes that change have no such list.
fn inputs_of_ports(scenario: &Scenario) -> Lists<LinkId, LinkId> {
    let of_udp = scenario.udp.iter().flat_map(UdpFlow::routes);
    let routes = scenario.flows.iter().flat_map(|flow| [&flow.forward, &flow.backward]).chain(of_udp);
    let pairs = routes.filter_map(Route::fixed).flat_map(|route| route.windows(2).map(|hop| (hop[1], hop[0])));
    let mut inputs = Lists::new(scenario.links.len(), pairs);
    // Most ports have one, and many flows come from it. The order of packets does not depend on the names.
    inputs.sort_and_dedup_by(|one, other| match scenario.technology {
        _ if one == other => Ordering::Equal,
        Technology::Packet { .. } => one.cmp(other),
        Technology::Atm { .. } => (&scenario.links[*one].name, one).cmp(&(&scenario.links[*other].name, other)),
    });
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

/// The queue discipline of a packet port, which connections with these names cross (as hashes).
pub(super) fn discipline(link: &scenario::Link, flows: &[u64], seed: u64) -> Box<dyn QueueDiscipline> {
    let (max_packets, max_bytes) = limits(link.queue.buffer);
    let port = QueuePort { rate: link.rate, max_packets, max_bytes, flows };
    link.queue.policy.of_packets().start(&port, &link.name, seed)
}

/// Whether a packet port knows, when a packet arrives, when it will be at the other end of the link.
pub(super) fn is_foreseeable(link: &scenario::Link) -> bool {
    link.params.is_plain() && link.queue.policy == PolicyParams::TailDrop && link.medium.is_none()
}

/// Whether each loss on a link is to be recorded: with drops, and for captures, which say where a packet was lost.
pub(super) fn loss_recording(recorder: Option<&Recorder>) -> LossRecording {
    match recorder {
        Some(recorder) if recorder.records_losses() => LossRecording::Each,
        _ => LossRecording::Counts,
    }
}

/// What connections carry in their packets.
#[derive(Clone, Debug)]
pub(super) struct PacketKinds {
    /// How many flows there are.
    flows: usize,
    /// Those on whose reverse path another flow sends data.
    with_back: Arc<[usize]>,
}

impl PacketKinds {
    pub(super) fn new(scenario: &Scenario) -> PacketKinds {
        PacketKinds { flows: scenario.flows.len(), with_back: backs(scenario).into_keys().collect() }
    }

    /// What a connection carries: one with data in both directions data, on both paths.
    pub(super) fn of(&self, vc: VcId) -> PacketKind {
        match end_of(vc) {
            (flow, _) if flow >= self.flows => PacketKind::Udp,
            (_, End::Receiver) => PacketKind::Data,
            (flow, End::Sender) if self.with_back.binary_search(&flow).is_ok() => PacketKind::Data,
            (_, End::Sender) => PacketKind::Acknowledgement,
        }
    }
}

/// The sources of datagrams of a scenario.
pub(super) fn udp(scenario: &Scenario, seed: u64) -> Vec<Cbr> {
    let source = |flow: &UdpFlow| {
        let cbr = Cbr::new(flow.source.clone(), Stream::new(seed, &flow.name, "dither"));
        if flow.echo.is_some() { cbr.with_echoes(Time::ZERO + scenario.warmup) } else { cbr }
    };
    scenario.udp.iter().map(source).collect()
}

/// The randomness of a port's service order.
pub(super) fn service_stream(link: &scenario::Link, seed: u64) -> Stream {
    Stream::new(seed, &link.name, "service-order")
}
