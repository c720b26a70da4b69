//! Which acknowledgements pass which router that changes them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Edge, PacketRates};
use crate::atm::rate::{Port, Unit};
use crate::feedback::{Feedback, Governed};
use crate::ids::{FlowId, Id, IdVec, LinkId, VcId};
use crate::net::abr::tcp_shares;
use crate::net::flow::{DataFlows, Vc, ack_vc, end_of, reverse_of};
use crate::net::lists::Lists;
use crate::packet::aal5;
use crate::record::Metric;
use crate::scenario::{Flow, Scenario, Technology};
use crate::units::{CELL_BYTES, Span, Time};

/// Where an acknowledgement is changed: which edge, and its flow's number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::net) struct EdgePlace {
    pub(in crate::net) edge: usize,
    pub(in crate::net) session: usize,
}

/// Acknowledgements of the data of a flow that an edge gives a rate to.
#[derive(Clone, Copy, Debug)]
pub(in crate::net) struct Acks {
    /// The connection on which they come: with data, if the flow's connection has data in both directions.
    pub(in crate::net) vc: VcId,
    flow: usize,
    /// The port that they enter next, if they pass the edge and that is always the same.
    pub(in crate::net) next: Option<LinkId>,
    /// The number of the edge among those of its connection, of so many.
    rank: (u32, u32),
}

/// The edges of a network, before an engine has built them.
#[derive(Clone, Default)]
pub(in crate::net) struct Edges {
    /// The ports whose rates each of them uses, in the order of links.
    pub(in crate::net) ports: Vec<LinkId>,
    /// For each connection of acknowledgements and each port that it is about to enter, the edge before that port.
    places: BTreeMap<(VcId, LinkId), EdgePlace>,
    /// The ports that acknowledgements enter behind an edge.
    entered: BTreeSet<LinkId>,
    /// For each edge the acknowledgements of its flows, by session.
    pub(in crate::net) acks: Vec<Vec<Acks>>,
    /// Of flows of which a route changes: for each connection of acknowledgements and each port by which the data may leave, the edge
    /// of that port.
    of_changing: BTreeMap<(VcId, LinkId), EdgePlace>,
    data: DataFlows,
}

impl Edges {
    /// Those of a scenario with these connections.
    pub(in crate::net) fn new(scenario: &Scenario, vcs: &IdVec<VcId, Vc>, crossing: &Lists<LinkId, VcId>) -> Edges {
        let data = DataFlows::new(scenario);
        let mut edges = Edges { data, ..Edges::default() };
        for (port, _) in scenario.links.iter_ids().filter(|(_, link)| link.queue.feedback.is_some()) {
            let edge = edges.ports.len();
            let mut acks = Vec::new();
            for (session, (vc, flow)) in sessions(&edges.data, crossing.of(port)).enumerate() {
                let ack = reverse_of(vc);
                if [vc, ack].into_iter().any(|vc| vcs[vc].routed.is_some()) {
                    edges.of_changing.insert((ack, port), EdgePlace { edge, session });
                    acks.push(Acks { vc: ack, flow, next: None, rank: (0, 1) });
                    continue;
                }
                // A route passes a node once. Its first link is one of a host.
                let here = |hop: &&crate::net::flow::Hop| scenario.links[hop.link].from == scenario.links[port].from;
                let next = vcs[ack].route.iter().skip(1).find(here).map(|hop| hop.link);
                if let Some(next) = next {
                    edges.places.insert((ack, next), EdgePlace { edge, session });
                    edges.entered.insert(next);
                }
                acks.push(Acks { vc: ack, flow, next, rank: (0, 1) });
            }
            if !acks.is_empty() {
                edges.ports.push(port);
                edges.acks.push(acks);
            }
        }
        edges.rank();
        edges
    }

    /// Numbers the edges of each connection.
    fn rank(&mut self) {
        let mut known: BTreeMap<VcId, u32> = BTreeMap::new();
        for acks in self.acks.iter_mut().flatten() {
            let before = known.entry(acks.vc).or_default();
            acks.rank.0 = *before;
            *before += 1;
        }
        for acks in self.acks.iter_mut().flatten() {
            acks.rank.1 = known[&acks.vc];
        }
    }

    /// Where an acknowledgement is changed that is about to enter this port, if it is.
    pub(in crate::net) fn place(&self, vc: VcId, port: LinkId) -> Option<EdgePlace> {
        if self.places.is_empty() { None } else { self.places.get(&(vc, port)).copied() }
    }

    /// Whether there are edges of flows of which a route changes, and a connection carries data that the rates of ports may be for.
    pub(in crate::net) fn follow_data(&self, vc: VcId) -> bool {
        !self.of_changing.is_empty() && self.data.of(vc).is_some()
    }

    /// The edge of this port for an acknowledgement of a flow of which a route changes, if its data may leave there.
    pub(in crate::net) fn place_of_port(&self, vc: VcId, port: LinkId) -> Option<EdgePlace> {
        self.of_changing.get(&(vc, port)).copied()
    }

    /// What the receivers of flows of which a route changes advertise, by the connections of their acknowledgements: they write it into
    /// each, as a sender that was told less has to know it from acknowledgements that pass no edge.
    pub(in crate::net) fn advertised(&self, scenario: &Scenario) -> BTreeMap<VcId, u32> {
        // Both directions of a connection have the same parameters.
        let of_flow = |vc| (vc, scenario.flows[FlowId::from_index(end_of(vc).0)].tcp.advertised_window() as u32);
        self.of_changing.keys().map(|&(vc, _)| of_flow(vc)).collect()
    }

    /// Whether acknowledgements that enter this port have passed an edge.
    pub(in crate::net) fn precede(&self, port: LinkId) -> bool {
        self.entered.contains(&port)
    }

    /// The number of the edge whose rates are those of this port.
    pub(in crate::net) fn of_port(&self, port: LinkId) -> Option<usize> {
        self.ports.binary_search(&port).ok()
    }

    /// The edge with this number before the first acknowledgement.
    pub(in crate::net) fn start<T>(&self, edge: usize, scenario: &Scenario, rates: Vec<f64>) -> Edge<T> {
        let feedback = feedback(scenario, self.ports[edge]).expect("an edge is one of a port with feedback");
        let flows = || self.acks[edge].iter().map(|acks| acks.flow);
        let governed: Vec<Governed> =
            flows().map(|flow| governed(scenario, &scenario.flows[FlowId::from_index(flow)])).collect();
        let mut started = Edge::new(&feedback, &governed, &groups(&feedback, flows()), rates);
        for (session, &Acks { rank: (number, of), .. }) in self.acks[edge].iter().enumerate() {
            started.number_made(session, number, of);
        }
        started
    }
}

/// The ports of an ATM network that tell TCP senders rates, and the ports by which the acknowledgements leave their edge devices, with
/// the connections of these: by port, connections in order. Such ports have slots and a queue, whatever feeds them.
pub(in crate::net) fn atm_ports(scenario: &Scenario) -> BTreeMap<LinkId, Vec<VcId>> {
    let mut ports: BTreeMap<LinkId, Vec<VcId>> = BTreeMap::new();
    if let Technology::Packet { .. } = scenario.technology {
        return ports;
    }
    for (number, flow) in scenario.flows.iter().enumerate() {
        for port in flow.forward.links().iter().copied().filter(|&port| feedback(scenario, port).is_some()) {
            ports.entry(port).or_default();
            let here = |link: &LinkId| scenario.links[*link].from == scenario.links[port].from;
            if let Some(next) = flow.backward.links().iter().copied().skip(1).find(here) {
                ports.entry(next).or_default().push(ack_vc(number));
            }
        }
    }
    ports
}

/// How the port of a link tells senders its rates, if it does.
fn feedback(scenario: &Scenario, link: LinkId) -> Option<Feedback> {
    scenario.links[link].queue.feedback
}

/// The rate algorithm of a packet port, if it has one and tells rates to flows that cross it.
pub(in crate::net) fn packet_rates(
    scenario: &Scenario,
    seed: u64,
    id: LinkId,
    crossing: &[VcId],
) -> Option<Box<PacketRates>> {
    let feedback = feedback(scenario, id)?;
    let data = DataFlows::new(scenario);
    let of_sessions = groups(&feedback, sessions(&data, crossing).map(|(_, flow)| flow));
    let connections = of_sessions.iter().max()? + 1;
    let link = &scenario.links[id];
    let algorithm = link.queue.rates.as_ref().expect("feedback needs rates");
    let of_data = |part| {
        let shares = tcp_shares(scenario, part);
        let mut of_groups = vec![0.0; connections];
        for ((_, flow), group) in sessions(&data, crossing).zip(&of_sessions) {
            of_groups[*group] += shares[flow] / Unit::Byte.bits();
        }
        of_groups
    };
    let mut openings = vec![0; connections];
    for ((vc, _), group) in sessions(&data, crossing).zip(&of_sessions) {
        openings[*group] += opening(scenario, vc);
    }
    let port = Port { rate: link.rate, unit: Unit::Byte, connections, max_min: &of_data, openings: &openings };
    let mut numbers = 0..;
    let number = |&vc: &VcId| data.of(vc).and_then(|_| numbers.next());
    let sessions = crossing.iter().map(number).collect();
    let mut rates = Box::new(PacketRates::new(algorithm, &port, (&link.name, seed), sessions));
    if scenario.recording.metrics.contains(Metric::Allocation) {
        rates.record_allocation();
    }
    if connections < of_sessions.len() {
        rates.form_groups(of_sessions);
    }
    Some(rates)
}

/// The number of the group of each of these flows, in the order in which groups come first: so many flows of the scenario in a row are one.
fn groups(feedback: &Feedback, flows: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut known = BTreeMap::new();
    let number = |flow: usize| {
        let next = known.len();
        *known.entry(flow / feedback.group as usize).or_insert(next)
    };
    flows.map(number).collect()
}

/// The connections with data of TCP among those that cross a port, and the flows of the data: in their order they are its sessions.
fn sessions(data: &DataFlows, crossing: &[VcId]) -> impl Iterator<Item = (VcId, usize)> {
    crossing.iter().filter_map(|&vc| Some((vc, data.of(vc)?)))
}

/// What the segment that opens the flow of a connection takes on the wire, and the answer to it: bytes, or cells; 0 if none does.
pub(in crate::net) fn opening(scenario: &Scenario, vc: VcId) -> u64 {
    let (flow, _) = end_of(vc);
    let tcp = &scenario.flows[FlowId::from_index(flow)].tcp;
    match (tcp.opening_datagram(), scenario.technology) {
        (None, _) => 0,
        (Some(bytes), Technology::Packet { link_header_bytes }) => u64::from(bytes + link_header_bytes),
        (Some(bytes), Technology::Atm { llc }) => aal5::cells(bytes, llc).into(),
    }
}

/// What an edge has to know of a flow.
fn governed(scenario: &Scenario, flow: &Flow) -> Governed {
    // Of routes that change, at the beginning.
    let links = [&flow.forward, &flow.backward]
        .into_iter()
        .flat_map(|route| route.at(Time::ZERO, &scenario.links).into_owned());
    let round_trip = links.fold(Span::ZERO, |sum, link| sum + scenario.links[link].delay);
    let (units, wire_bytes) = match scenario.technology {
        Technology::Packet { link_header_bytes } => {
            let bytes = f64::from(flow.tcp.full_datagram() + link_header_bytes);
            (bytes, bytes)
        }
        Technology::Atm { llc } => {
            let cells = f64::from(aal5::cells(flow.tcp.full_datagram(), llc));
            (cells, cells * CELL_BYTES as f64)
        }
    };
    Governed {
        round_trip,
        mss: flow.tcp.mss,
        units,
        wire_bytes,
        advertised: flow.tcp.advertised_window() as u32,
        shift: flow.tcp.window_scale,
    }
}
