//! The reference engine: one event per cell (or packet) and hop, as plain as it can be. The specification is read
//! against this text, and faster engines are checked against its fingerprints.
//!
//! Three kinds of things have a next event, and at one instant they come in this order, each kind in the order of
//! the scenario: outputs (a slot or a transmission ends), links (a unit arrives), timers. Links have delay, so what
//! happens at one instant at different nodes does not interact.

mod build;
mod cell_port;
mod occupancy;
mod packet_port;

use std::collections::VecDeque;

use build::{Link, Output};
use cell_port::Input;
use packet_port::Departure;

use super::build::{flows, vcs};
use super::flow::{self, End, Flow, ForcedDrops, Hop, Vc, ack_vc, data_vc, end_of};
use super::recorder::{HostTraces, PortRecording, Recorder};
use crate::engine::Agenda;
use crate::ids::{Id, IdVec, LinkId, VcId};
use crate::packet::aal5::{self, Reassembled, Reassembler};
use crate::packet::{FrameLog, Segment, Unit};
use crate::record::{Capture, FlowRecord, PortRecord, Series};
use crate::scenario::{Scenario, Technology};
use crate::tcp::Expired;
use crate::units::{Span, Time};

/// A network and its agenda.
pub struct Reference {
    technology: Technology,
    now: Time,
    events: u64,
    agenda: Agenda,
    links: IdVec<LinkId, Link>,
    /// What is on each link, with its time of arrival. Links keep the order.
    under_way: IdVec<LinkId, VecDeque<(Time, Unit)>>,
    vcs: IdVec<VcId, Vc>,
    /// What each of them carries.
    frames: IdVec<VcId, Frames>,
    flows: Vec<Flow>,
    traces: Option<Box<HostTraces>>,
}

/// What a connection carries.
#[derive(Default)]
struct Frames {
    sent: FrameLog,
    /// Where they arrive.
    reassembler: Reassembler,
}

impl Reference {
    /// The network of a scenario, before anything has happened.
    pub fn new(scenario: &Scenario, seed: u64, recorder: Option<&Recorder>) -> Reference {
        let vcs = vcs(scenario);
        let links = build::links(scenario, &vcs, seed, recorder);
        let flows: Vec<Flow> = flows(scenario, seed).collect();
        let mut network = Reference {
            technology: scenario.technology,
            now: Time::ZERO,
            events: 0,
            agenda: Agenda::new(2 * links.len() + 2 * flows.len()),
            under_way: links.iter().map(|_| VecDeque::new()).collect(),
            links,
            frames: vcs.iter().map(|_| Frames::default()).collect(),
            vcs,
            flows,
            traces: recorder.and_then(|recorder| recorder.hosts()),
        };
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
            flow.sink.end_warmup();
        }
    }

    /// The flows' records up to `now`, which is `simulated` after the start.
    pub fn flow_records(&self, simulated: Span, warmup: Span) -> Vec<FlowRecord> {
        let record = |flow: &Flow| {
            let forced_drops = ForcedDrops::count(&flow.forced_drops);
            flow::record(&flow.name, &flow.source, &flow.sink, forced_drops, simulated, warmup)
        };
        self.flows.iter().map(record).collect()
    }

    /// The records of all switch ports at `now`.
    pub fn port_records(&self, now: Time) -> Vec<PortRecord> {
        let record = |link: &Link| {
            let occupancy = match &link.output {
                Output::Nic(_) => return None,
                Output::Through(occupancy) => occupancy,
                Output::Cells(port) => &port.occupancy,
                Output::Packets(port) => &port.occupancy,
            };
            let name = |&vc: &VcId| {
                let (flow, end) = end_of(vc);
                flow::vc_name(&self.flows[flow].name, end)
            };
            let names: Vec<String> = link.crossing.iter().map(name).collect();
            Some(occupancy.record(now, &link.name, names.iter().map(String::as_str)))
        };
        self.links.iter().filter_map(record).collect()
    }

    /// What was recorded over time up to `now`, and what was captured.
    pub fn recorded(&self, recorder: &Recorder, now: Time) -> (Vec<Series>, Vec<Capture>) {
        let hosts = self.traces.as_deref();
        let of_port = |link: &'_ Link| {
            let occupancy = match &link.output {
                Output::Nic(_) | Output::Through(_) => return None,
                Output::Cells(port) => &port.occupancy,
                Output::Packets(port) => &port.occupancy,
            };
            Some(occupancy.trace.as_deref()?.clone())
        };
        let ports: Vec<PortRecording<'_>> = self
            .links
            .iter()
            .filter_map(|link| {
                let trace = of_port(link)?;
                Some(PortRecording { name: &link.name, crossing: &link.crossing, trace })
            })
            .collect();
        (recorder.series(hosts, &ports, now), recorder.captures(hosts, &ports))
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
        let under_way = &mut self.under_way[id];
        let (_, mut unit) = under_way.pop_front().expect("a link with an event has something under way");
        let next = under_way.front().map_or(Time::NEVER, |&(time, _)| time);
        self.agenda.set(self.links.len() + id.index(), next);

        let vc = &self.vcs[unit.vc];
        unit.hop += 1;
        match vc.route.get(usize::from(unit.hop)) {
            Some(&hop) => self.forward(hop, self.links[id].input, unit),
            None => self.on_unit_at_end(unit),
        }
    }

    /// A unit arrives at the switch port of its next hop.
    fn forward(&mut self, hop: Hop, input: Input, unit: Unit) {
        let now = self.now;
        let id = hop.link;
        let link = &mut self.links[id];
        match &mut link.output {
            Output::Nic(_) => unreachable!("hosts do not forward"),
            Output::Through(occupancy) => {
                occupancy.arrive(hop.at_port);
                occupancy.pass(hop.at_port);
                let arrival = now + link.cell_time + link.delay;
                self.launch(id, arrival, unit);
            }
            Output::Cells(port) => {
                let slot_end = port.on_arrival(now, input, hop.at_port, unit);
                self.agenda.set(id.index(), slot_end);
            }
            Output::Packets(port) => {
                let vc = &self.vcs[unit.vc];
                let bytes = packet_bytes(self.technology, &self.frames[unit.vc].sent.segment(unit.frame));
                let departure = port.on_arrival(now, hop.at_port, unit, bytes, vc.name_hash);
                let next = port.next_departure();
                self.launch_packet(id, departure);
                self.agenda.set(id.index(), next);
            }
        }
    }

    /// A unit arrives at the host where its connection ends.
    fn on_unit_at_end(&mut self, unit: Unit) {
        let frames = &mut self.frames[unit.vc];
        let Some(reassembled) = frames.reassembler.on_unit(unit) else { return };
        let good = match reassembled {
            Reassembled::Good { frame } => Some(frames.sent.segment(frame)),
            Reassembled::Damaged => None,
        };
        frames.sent.retire(unit.frame);
        if let Some(traces) = &mut self.traces {
            match &good {
                Some(segment) => traces.arrives(self.now, unit.vc, unit.frame, segment),
                None => traces.damaged(unit.vc, unit.frame),
            }
        }
        let (flow, end) = end_of(unit.vc);
        let Flow { source, sink, .. } = &mut self.flows[flow];
        match (end, good) {
            (End::Receiver, None) => sink.damaged_frames += 1,
            (End::Receiver, Some(segment)) => {
                sink.receiver.on_segment(self.now, segment);
                if let Some(traces) = &mut self.traces {
                    traces.delivered(self.now, flow, &sink.receiver);
                }
                self.send_acknowledgement(flow);
            }
            (End::Sender, None) => source.damaged_frames += 1,
            (End::Sender, Some(segment)) => {
                source.sender.on_segment(self.now, segment);
                if let Some(traces) = &mut self.traces {
                    traces.acked(self.now, flow, &source.sender);
                }
                self.send_data(flow);
            }
        }
        self.schedule_timers(flow);
    }

    fn on_sender_timer(&mut self, flow: usize) {
        if self.flows[flow].source.sender.on_timer(self.now) == Expired::Retransmission {
            let vc = data_vc(flow);
            let first_link = self.vcs[vc].route[0].link;
            let Output::Nic(nic) = &mut self.links[first_link].output else { unreachable!("a flow begins at a host") };
            self.flows[flow].source.discarded_in_host += nic.discard(vc);
            let next = nic.next_start();
            self.agenda.set(first_link.index(), next);
        }
        self.send_data(flow);
        self.schedule_timers(flow);
    }

    fn on_receiver_timer(&mut self, flow: usize) {
        self.flows[flow].sink.receiver.on_timer(self.now);
        self.send_acknowledgement(flow);
        self.schedule_timers(flow);
    }

    fn send_data(&mut self, flow: usize) {
        while let Some(segment) = self.flows[flow].source.sender.poll_segment(self.now) {
            if let Some(traces) = &mut self.traces {
                traces.sent(self.now, flow, &self.flows[flow].source.sender, segment.seq, segment.len);
            }
            self.hand_down(data_vc(flow), segment);
        }
        if let Some(traces) = &mut self.traces {
            traces.settled(self.now, flow, &self.flows[flow].source.sender);
        }
    }

    fn send_acknowledgement(&mut self, flow: usize) {
        if let Some(segment) = self.flows[flow].sink.receiver.poll_segment(self.now) {
            self.hand_down(ack_vc(flow), segment);
        }
    }

    fn hand_down(&mut self, vc: VcId, segment: Segment) {
        let first_link = self.vcs[vc].route[0].link;
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
            let vc = &self.vcs[vc_id];
            let sent = &mut self.frames[vc_id].sent;
            let (units, spacing, first) = match self.technology {
                Technology::Atm { llc } => (aal5::cells(segment.ip_bytes(), llc), vc.cell_spacing, link.cell_time),
                Technology::Packet { .. } => {
                    let time = link.rate.serialization(u64::from(packet_bytes(self.technology, &segment)) * 8);
                    (1, time, time)
                }
            };
            nic.occupy(now + spacing * u64::from(units));
            let (flow, end) = end_of(vc_id);
            let forced_drops = self.flows[flow].forced_drops.as_mut().filter(|_| end == End::Receiver);
            let lost = forced_drops.is_some_and(|drops| drops.hit(&segment));
            if let Some(traces) = &mut self.traces {
                traces.departs(now, vc_id, sent.next_number(), &segment, lost);
            }
            if !lost {
                let frame = sent.push(&segment);
                for index in 0..units {
                    let arrival = now + spacing * u64::from(index) + first + link.delay;
                    let unit = Unit { vc: vc_id, frame, index, hop: 0, eom: index + 1 == units };
                    self.under_way[id].push_back((arrival, unit));
                }
            }
        }
        let next_frame = nic.next_start();
        let next_arrival = self.under_way[id].front().map_or(Time::NEVER, |&(time, _)| time);
        self.agenda.set(id.index(), next_frame);
        self.agenda.set(self.links.len() + id.index(), next_arrival);
    }

    /// A unit is on link `id` and arrives at `arrival`.
    fn launch(&mut self, id: LinkId, arrival: Time, unit: Unit) {
        let under_way = &mut self.under_way[id];
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
        let number = 2 * self.links.len() + 2 * flow;
        let Flow { source, sink, .. } = &self.flows[flow];
        self.agenda.set(number, source.sender.next_deadline().unwrap_or(Time::NEVER));
        self.agenda.set(number + 1, sink.receiver.next_deadline().unwrap_or(Time::NEVER));
    }
}

/// Octets of a packet on the wire.
fn packet_bytes(technology: Technology, segment: &Segment) -> u32 {
    match technology {
        Technology::Packet { link_header_bytes } => segment.ip_bytes() + link_header_bytes,
        Technology::Atm { .. } => unreachable!("an ATM network has no packets"),
    }
}
