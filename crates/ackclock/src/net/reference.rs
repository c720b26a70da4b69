//! The reference engine: one event per cell (or packet) and hop, as plain as it can be. The specification is read
//! against this text, and faster engines are checked against its fingerprints.
//!
//! Three kinds of things have a next event, and at one instant they come in this order, each kind in the order of
//! the scenario: outputs (a slot or a transmission ends), links (a unit arrives), timers. Links have delay, so what
//! happens at one instant at different nodes does not interact.

use std::collections::VecDeque;

use super::cell_port::{CellPort, Input};
use super::flow::{End, Flow, Vc, ack_vc, data_vc, end_of};
use super::nic::Nic;
use super::occupancy::Occupancy;
use super::packet_port::{Departure, PacketPort};
use crate::engine::Agenda;
use crate::ids::{Id, IdVec, LinkId, VcId};
use crate::packet::aal5::{self, Reassembled, Reassembler};
use crate::packet::{FrameLog, Segment, Unit};
use crate::queue::Buffer;
use crate::queue::drop::Policy;
use crate::record::{FlowRecord, PortRecord};
use crate::rng::{Stream, name_hash};
use crate::scenario::{self, NodeKind, Scenario, ServiceOrder, Technology};
use crate::tcp::{Application, Expired, Receiver, Sender, TickClock, TickPhase};
use crate::units::{Span, Time};

/// A network and its agenda.
pub struct Reference {
    technology: Technology,
    now: Time,
    events: u64,
    agenda: Agenda,
    links: IdVec<LinkId, Link>,
    vcs: IdVec<VcId, Vc>,
    flows: Vec<Flow>,
}

/// One direction of a link, with the output that feeds it.
struct Link {
    name: String,
    rate: crate::units::Rate,
    cell_time: Span,
    delay: Span,
    output: Output,
    /// What this link is as an input of the next port.
    input: Input,
    /// What is under way, with its time of arrival. Links keep the order.
    under_way: VecDeque<(Time, Unit)>,
}

/// What feeds a link.
enum Output {
    Nic(Nic),
    /// A cell port with a single input of no higher rate: nothing ever waits.
    Through(Occupancy),
    Cells(CellPort),
    Packets(PacketPort),
}

impl Reference {
    /// The network of a scenario, before anything has happened.
    pub fn new(scenario: &Scenario, seed: u64) -> Reference {
        let vcs: IdVec<VcId, Vc> = scenario.flows.iter().flat_map(|flow| vcs_of(flow, scenario)).collect();
        let inputs = inputs_of_ports(scenario, &vcs);
        let links: IdVec<LinkId, Link> = scenario
            .links
            .iter_ids()
            .map(|(id, link)| Link {
                name: link.name.clone(),
                rate: link.rate,
                cell_time: link.rate.cell_time(),
                delay: link.delay,
                output: output_of(scenario, link, &inputs[id], seed, vcs.len()),
                input: Input { name: name_hash(&link.name), link: id },
                under_way: VecDeque::new(),
            })
            .collect();
        let flows: Vec<Flow> = scenario.flows.iter().map(|flow| flow_of(flow, scenario, seed)).collect();
        let agenda = Agenda::new(2 * links.len() + 2 * flows.len());
        let mut network =
            Reference { technology: scenario.technology, now: Time::ZERO, events: 0, agenda, links, vcs, flows };
        for flow in 0..network.flows.len() {
            network.schedule_timers(flow);
        }
        network
    }

    /// Handles every event before `until`.
    pub fn advance(&mut self, until: Time) {
        let links = self.links.len();
        loop {
            let (time, source) = self.agenda.earliest();
            if time >= until {
                break;
            }
            assert!(time >= self.now, "time went back from {} to {time}", self.now);
            self.now = time;
            self.events += 1;
            if source < links {
                self.on_output(LinkId::from_index(source));
            } else if source < 2 * links {
                self.on_arrival(LinkId::from_index(source - links));
            } else {
                let flow = (source - 2 * links) / 2;
                match (source - 2 * links) % 2 {
                    0 => self.on_sender_timer(flow),
                    _ => self.on_receiver_timer(flow),
                }
            }
        }
        self.now = self.now.max(until);
    }

    /// Events handled so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The warm-up ends now: remembers what was delivered.
    pub fn end_warmup(&mut self) {
        for flow in &mut self.flows {
            flow.delivered_in_warmup = flow.receiver.delivered();
        }
    }

    /// The flows' records up to `now`, which is `simulated` after the start.
    pub fn flow_records(&self, simulated: Span, warmup: Span) -> Vec<FlowRecord> {
        let damaged = |vc: VcId| self.vcs[vc].damaged_frames;
        let record = |(index, flow): (usize, &Flow)| {
            flow.record(simulated, warmup, damaged(data_vc(index)) + damaged(ack_vc(index)))
        };
        self.flows.iter().enumerate().map(record).collect()
    }

    /// The records of all switch ports at `now`.
    pub fn port_records(&self, now: Time) -> Vec<PortRecord> {
        let record = |(id, link): (LinkId, &Link)| {
            let occupancy = match &link.output {
                Output::Nic(_) => return None,
                Output::Through(occupancy) => occupancy,
                Output::Cells(port) => &port.occupancy,
                Output::Packets(port) => &port.occupancy,
            };
            let crossing = self.vcs.iter_ids().filter(|(_, vc)| vc.route.contains(&id));
            Some(occupancy.record(now, &link.name, crossing.map(|(id, vc)| (id, vc.name.as_str()))))
        };
        self.links.iter_ids().filter_map(record).collect()
    }

    fn on_output(&mut self, id: LinkId) {
        let now = self.now;
        let link = &mut self.links[id];
        match &mut link.output {
            Output::Nic(_) => self.feed_from_nic(id),
            Output::Through(_) => unreachable!("a port that never keeps anything has no events"),
            Output::Cells(port) => {
                let vcs = &self.vcs;
                let (departing, more) = port.on_slot_end(now, |cell| vcs[cell.vc].name_hash);
                let next = if more { now + link.cell_time } else { Time::NEVER };
                if let Some(cell) = departing {
                    let arrival = now + link.cell_time + link.delay;
                    self.launch(id, arrival, cell);
                }
                self.agenda.set(id.index(), next);
            }
            Output::Packets(port) => {
                let departure = port.on_departure(now);
                let next = port.next_departure();
                self.launch_packet(id, departure);
                self.agenda.set(id.index(), next);
            }
        }
    }

    fn on_arrival(&mut self, id: LinkId) {
        let link = &mut self.links[id];
        let input = link.input;
        let (_, mut unit) = link.under_way.pop_front().expect("a link with an event has something under way");
        let next = link.under_way.front().map_or(Time::NEVER, |&(time, _)| time);
        self.agenda.set(self.links.len() + id.index(), next);

        let vc = &self.vcs[unit.vc];
        unit.hop += 1;
        match vc.route.get(usize::from(unit.hop)) {
            Some(&next_link) => self.forward(next_link, input, unit),
            None => self.on_unit_at_end(unit),
        }
    }

    /// A unit arrives at the switch port that feeds link `id`.
    fn forward(&mut self, id: LinkId, input: Input, unit: Unit) {
        let now = self.now;
        let link = &mut self.links[id];
        match &mut link.output {
            Output::Nic(_) => unreachable!("hosts do not forward"),
            Output::Through(occupancy) => {
                occupancy.arrive(unit.vc);
                occupancy.pass();
                let arrival = now + link.cell_time + link.delay;
                self.launch(id, arrival, unit);
            }
            Output::Cells(port) => {
                let slot_end = port.on_arrival(now, input, unit);
                self.agenda.set(id.index(), slot_end);
            }
            Output::Packets(port) => {
                let vc = &self.vcs[unit.vc];
                let bytes = wire_bytes(self.technology, vc.frames.segment(unit.frame));
                let departure = port.on_arrival(now, unit, bytes, vc.name_hash);
                let next = port.next_departure();
                self.launch_packet(id, departure);
                self.agenda.set(id.index(), next);
            }
        }
    }

    /// A unit arrives at the host where its connection ends.
    fn on_unit_at_end(&mut self, unit: Unit) {
        let vc = &mut self.vcs[unit.vc];
        let Some(reassembled) = vc.reassembler.on_unit(unit) else { return };
        let good = match reassembled {
            Reassembled::Good { frame } => Some(*vc.frames.segment(frame)),
            Reassembled::Damaged => None,
        };
        vc.frames.retire(unit.frame);
        let Some(segment) = good else {
            vc.damaged_frames += 1;
            return;
        };
        let (flow, end) = end_of(unit.vc);
        match end {
            End::Receiver => {
                self.flows[flow].receiver.on_segment(self.now, &segment);
                self.send_acknowledgement(flow);
            }
            End::Sender => {
                self.flows[flow].sender.on_segment(self.now, &segment);
                self.send_data(flow);
            }
        }
        self.schedule_timers(flow);
    }

    fn on_sender_timer(&mut self, flow: usize) {
        if self.flows[flow].sender.on_timer(self.now) == Expired::Retransmission {
            let vc = data_vc(flow);
            let first_link = self.vcs[vc].route[0];
            let Output::Nic(nic) = &mut self.links[first_link].output else { unreachable!("a flow begins at a host") };
            self.flows[flow].discarded_in_host += nic.discard(vc);
            let next = nic.next_start();
            self.agenda.set(first_link.index(), next);
        }
        self.send_data(flow);
        self.schedule_timers(flow);
    }

    fn on_receiver_timer(&mut self, flow: usize) {
        self.flows[flow].receiver.on_timer(self.now);
        self.send_acknowledgement(flow);
        self.schedule_timers(flow);
    }

    fn send_data(&mut self, flow: usize) {
        while let Some(segment) = self.flows[flow].sender.poll_segment(self.now) {
            self.hand_down(data_vc(flow), segment);
        }
    }

    fn send_acknowledgement(&mut self, flow: usize) {
        if let Some(segment) = self.flows[flow].receiver.poll_segment(self.now) {
            self.hand_down(ack_vc(flow), segment);
        }
    }

    fn hand_down(&mut self, vc: VcId, segment: Segment) {
        let first_link = self.vcs[vc].route[0];
        let Output::Nic(nic) = &mut self.links[first_link].output else {
            unreachable!("a connection begins at a host")
        };
        nic.push(vc, segment);
        self.feed_from_nic(first_link);
    }

    /// Begins the next frame of a host, if its link is free.
    fn feed_from_nic(&mut self, id: LinkId) {
        let now = self.now;
        let link = &mut self.links[id];
        let Output::Nic(nic) = &mut link.output else { unreachable!("only hosts begin frames") };
        if let Some((vc_id, segment)) = nic.next(now) {
            let vc = &mut self.vcs[vc_id];
            let (units, spacing, first) = match self.technology {
                Technology::Atm { llc } => (aal5::cells(segment.ip_bytes(), llc), vc.cell_spacing, link.cell_time),
                Technology::Packet { .. } => {
                    let time = link.rate.serialization(u64::from(wire_bytes(self.technology, &segment)) * 8);
                    (1, time, time)
                }
            };
            nic.occupy(now + spacing * u64::from(units));
            let (flow, end) = end_of(vc_id);
            if !(end == End::Receiver && self.flows[flow].drops_on_purpose(&segment)) {
                let frame = vc.frames.push(segment);
                for index in 0..units {
                    let arrival = now + spacing * u64::from(index) + first + link.delay;
                    let unit = Unit { vc: vc_id, frame, index, hop: 0, eom: index + 1 == units };
                    link.under_way.push_back((arrival, unit));
                }
            }
        }
        let next_frame = nic.next_start();
        let next_arrival = link.under_way.front().map_or(Time::NEVER, |&(time, _)| time);
        self.agenda.set(id.index(), next_frame);
        self.agenda.set(self.links.len() + id.index(), next_arrival);
    }

    /// A unit is on link `id` and arrives at `arrival`.
    fn launch(&mut self, id: LinkId, arrival: Time, unit: Unit) {
        let under_way = &mut self.links[id].under_way;
        under_way.push_back((arrival, unit));
        if under_way.len() == 1 {
            self.agenda.set(self.links.len() + id.index(), arrival);
        }
    }

    fn launch_packet(&mut self, id: LinkId, departure: Option<Departure>) {
        if let Some(Departure { packet, complete }) = departure {
            let arrival = complete + self.links[id].delay;
            self.launch(id, arrival, packet);
        }
    }

    fn schedule_timers(&mut self, flow: usize) {
        let source = 2 * self.links.len() + 2 * flow;
        let Flow { sender, receiver, .. } = &self.flows[flow];
        self.agenda.set(source, sender.next_deadline().unwrap_or(Time::NEVER));
        self.agenda.set(source + 1, receiver.next_deadline().unwrap_or(Time::NEVER));
    }
}

/// Whether the seed can make a difference.
pub fn has_randomness(scenario: &Scenario) -> bool {
    let vcs: IdVec<VcId, Vc> = scenario.flows.iter().flat_map(|flow| vcs_of(flow, scenario)).collect();
    let inputs = inputs_of_ports(scenario, &vcs);
    let random_order = scenario.links.iter_ids().any(|(id, link)| {
        matches!(scenario.technology, Technology::Atm { .. })
            && link.queue.service_order == ServiceOrder::Random
            && inputs[id].len() > 1
    });
    random_order || scenario.flows.iter().any(|flow| flow.tcp.timer.phase == TickPhase::Random)
}

fn wire_bytes(technology: Technology, segment: &Segment) -> u32 {
    match technology {
        Technology::Packet { link_header_bytes } => segment.ip_bytes() + link_header_bytes,
        Technology::Atm { llc } => u32::from(aal5::cells(segment.ip_bytes(), llc)) * crate::units::CELL_BYTES as u32,
    }
}

fn vcs_of(flow: &scenario::Flow, scenario: &Scenario) -> [Vc; 2] {
    let vc = |name: String, route: &[LinkId]| {
        let rate = flow.pcr.unwrap_or(scenario.links[route[0]].rate);
        Vc {
            name_hash: name_hash(&name),
            name,
            route: route.to_vec(),
            cell_spacing: rate.cell_time(),
            frames: FrameLog::default(),
            reassembler: Reassembler::default(),
            damaged_frames: 0,
        }
    };
    [vc(flow.name.clone(), &flow.forward), vc(format!("{}/ack", flow.name), &flow.backward)]
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
        sender: Sender::new(&flow.tcp, application, TickClock::new(timer.granularity, phase)),
        receiver: Receiver::new(&flow.tcp),
        mss: u64::from(flow.tcp.mss),
        forced_drops: flow.forced_drops.iter().map(|&drop| (drop, 0)).collect(),
        forced_drop_count: 0,
        discarded_in_host: 0,
        delivered_in_warmup: 0,
    }
}

/// For each link, the links that feed its port: those that come before it on the route of some connection.
fn inputs_of_ports(scenario: &Scenario, vcs: &IdVec<VcId, Vc>) -> IdVec<LinkId, Vec<LinkId>> {
    let mut inputs: IdVec<LinkId, Vec<LinkId>> = scenario.links.iter().map(|_| Vec::new()).collect();
    for vc in vcs.iter() {
        for hop in vc.route.windows(2) {
            inputs[hop[1]].push(hop[0]);
        }
    }
    for of_port in inputs.iter_mut() {
        of_port.sort_unstable();
        of_port.dedup();
    }
    inputs
}

fn output_of(scenario: &Scenario, link: &scenario::Link, inputs: &[LinkId], seed: u64, vcs: usize) -> Output {
    if scenario.nodes[link.from].kind == NodeKind::Host {
        return Output::Nic(Nic::default());
    }
    let (units, bytes) = match link.queue.buffer {
        scenario::Buffer::Infinite => (Buffer::INFINITE, u64::MAX),
        scenario::Buffer::Cells(cells) => (cells, u64::MAX),
        scenario::Buffer::Packets(packets) => (packets, u64::MAX),
        scenario::Buffer::Bytes(bytes) => (Buffer::INFINITE, bytes),
    };
    let occupancy = Occupancy::new(units, vcs);
    if let Technology::Packet { .. } = scenario.technology {
        return Output::Packets(PacketPort::new(link.rate, bytes, occupancy));
    }
    let faster_input = inputs.iter().any(|&input| scenario.links[input].rate > link.rate);
    if inputs.len() <= 1 && !faster_input {
        return Output::Through(occupancy);
    }
    let policy = Policy::new(&link.queue.policy, vcs);
    let stream = Stream::new(seed, &link.name, "service-order");
    let order = link.queue.service_order;
    Output::Cells(CellPort::new(link.rate.cell_time(), policy, order, stream, inputs.to_vec(), occupancy))
}
