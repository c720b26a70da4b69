//! The reference engine: one event per cell (or packet) and hop, as plain as it can be. The specification is read
//! against this text, and faster engines are checked against its fingerprints.
//!
//! Four kinds of things have a next event, and at one instant they come in this order, each kind in the order of
//! the scenario: outputs (a slot, a transmission or an averaging interval ends), links (a unit arrives), acknowledgement buckets,
//! timers. A transmission takes time, even on
//! a link without delay, so what happens at one instant at different nodes does not interact.

mod abr;
mod acknowledgements;
mod build;
mod cell_port;
mod edges;
mod emulated;
mod external;
mod lookahead;
mod medium;
mod observed;
mod other_ends;
mod records;
mod sending;
mod steering;
mod under_way;

use std::collections::VecDeque;
use std::sync::Arc;

use build::{Flow, Link, Output};
use cell_port::Input;
use edges::ReferenceEdges;
use external::ExternalEnds;
use medium::Media;
use observed::ObservedFlow;
use under_way::{Frames, PacketsHere, UnderWay, forget, mark, meta};

use super::abr::AbrConnections;
use super::build::{self as common, PacketKinds, vcs};
use super::ends::{self, Ends, Makers};
use super::feedback::Edges;
use super::flow::{Arrivals, End, Hop, LostDatagrams, Sink, Source, Vc, ack_vc, data_vc, end_of};
use super::host_traces::HostTraces;
use super::link::PacketMeta;
use super::packet_port::{Coming, Departure, Turn};
use super::recorder::{Recorder, flow_names};
use super::two_way::{Happening, TwoWay};
use crate::engine::EventTree;
use crate::ids::{Id, IdVec, LinkId, VcId};
use crate::link::Forwarding;
use crate::packet::aal5::Reassembled;
use crate::packet::{Pti, Segment, Unit};
use crate::record::DropReason;
use crate::scenario::{Scenario, Technology};
use crate::tcp::Expired;
use crate::traffic::Cbr;
use crate::units::Time;

pub use external::{Connection, Passed};
pub use lookahead::LeastTimes;

/// A network and its event tree.
pub struct Reference {
    technology: Technology,
    now: Time,
    events: u64,
    event_tree: EventTree,
    links: IdVec<LinkId, Link>,
    /// What is on each link, in the order of arrival; at one instant in the order in which it was sent.
    under_way: IdVec<LinkId, VecDeque<UnderWay>>,
    vcs: IdVec<VcId, Vc>,
    /// What each of them carries.
    frames: IdVec<VcId, Frames>,
    flows: Vec<Flow>,
    /// The ends of all flows, of those that come and go only while they are there.
    sources: Ends<Source>,
    sinks: Ends<Sink>,
    /// The sources of datagrams, with what arrived of them.
    udp: Vec<(String, Cbr, Arrivals)>,
    lost_datagrams: LostDatagrams,
    kinds: PacketKinds,
    two_way: TwoWay,
    /// The RM cells of the flows that have ABR connections.
    abr: AbrConnections,
    /// The routers that change acknowledgements.
    edges: ReferenceEdges,
    /// The media that several links share.
    media: Media,
    traces: Option<Box<HostTraces>>,
    /// If the ends of all connections are outside: those that the scenario describes do nothing then.
    external: Option<Box<ExternalEnds>>,
}

impl Reference {
    /// The network of a scenario, before anything has happened.
    pub fn new(scenario: &Scenario, seed: u64, recorder: Option<&Recorder>) -> Reference {
        let mut network = Reference::without_events(scenario, seed, recorder);
        for flow in 0..network.flows.len() {
            network.schedule_timers(flow);
        }
        for source in 0..network.udp.len() {
            network.schedule_udp(source);
        }
        network.schedule_intervals();
        network
    }

    /// The network of a scenario in which nothing ever happens by itself.
    fn without_events(scenario: &Scenario, seed: u64, recorder: Option<&Recorder>) -> Reference {
        let vcs = vcs(scenario);
        let edges = Edges::new(scenario, &vcs, &common::crossing(scenario, &vcs));
        let links = build::links(scenario, &vcs, &edges, seed, recorder);
        let flows: Vec<Flow> = scenario.flows.iter().map(Flow::new).collect();
        let names = Arc::new(flow_names(scenario).collect());
        let (sources, sinks) = ends::of_flows(scenario, seed, Arc::new(Makers::new(scenario, seed, names)));
        let edges = ReferenceEdges::new(edges, scenario, &links);
        Reference {
            technology: scenario.technology,
            now: Time::ZERO,
            events: 0,
            event_tree: EventTree::new(2 * links.len() + edges.len() + 2 * flows.len() + scenario.udp.len()),
            edges,
            media: Media::new(scenario),
            under_way: links.iter().map(|_| VecDeque::new()).collect(),
            links,
            frames: vcs.iter().map(|_| Frames::default()).collect(),
            vcs,
            abr: AbrConnections::new(scenario),
            flows,
            sources,
            sinks,
            udp: common::udp(scenario, seed)
                .into_iter()
                .zip(&scenario.udp)
                .map(|(source, flow)| (flow.name.clone(), source, Arrivals::of(scenario)))
                .collect(),
            lost_datagrams: LostDatagrams::new(scenario),
            kinds: PacketKinds::new(scenario),
            two_way: TwoWay::new(scenario, seed),
            traces: recorder.and_then(|recorder| recorder.hosts()),
            external: None,
        }
    }

    /// The time of the next event.
    pub fn next_event(&self) -> Time {
        self.event_tree.next()
    }

    /// Handles every event before `until`.
    pub fn advance(&mut self, until: Time) {
        let links = self.links.len();
        loop {
            let (time, source) = self.event_tree.earliest();
            if time >= until {
                break;
            }
            assert!(time >= self.now, "time went back from {} to {time}", self.now);
            self.now = time;
            self.events += 1;
            self.put_away_ended();
            if source < links {
                self.on_output(LinkId::from_index(source));
            } else if source < 2 * links {
                self.on_arrival(LinkId::from_index(source - links));
            } else if source < self.first_timer() {
                self.on_release(source - 2 * links);
            } else if source >= self.first_udp() {
                self.send_udp(source - self.first_udp());
            } else {
                let flow = (source - self.first_timer()) / 2;
                match (source - self.first_timer()) % 2 {
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
        self.sinks.end_warmup();
        if let Some(external) = &mut self.external {
            external.observed.iter_mut().for_each(ObservedFlow::end_warmup);
        }
        self.abr.end_warmup(self.now);
    }

    /// The number of the first timer among the sources of events, and of the first source of datagrams.
    fn first_timer(&self) -> usize {
        2 * self.links.len() + self.edges.len()
    }

    fn first_udp(&self) -> usize {
        self.first_timer() + 2 * self.flows.len()
    }

    fn on_output(&mut self, id: LinkId) {
        let now = self.now;
        if let Some(medium) = self.media.of(id) {
            return self.on_turn(medium);
        }
        let link = &mut self.links[id];
        match &mut link.output {
            Output::Nic(..) => self.feed_from_nic(id),
            Output::Scheduler(_) => self.feed_from_scheduler(id),
            Output::PassThrough(_) => unreachable!("a port that never keeps anything has no events"),
            Output::Cells(port) => {
                let vcs = &self.vcs;
                let name = |cell: Unit| vcs[cell.vc].name_hash;
                let lost = &mut self.lost_datagrams;
                let refused = |cell: Unit| lost.refused(cell.vc, cell.frame);
                let interval_ends = port.interval_end() == now;
                let (departing, more) = port.on_slot_end(now, name, &mut self.abr, refused);
                let next = if more { now + link.cell_time } else { port.interval_end() };
                if let Some(unit) = departing {
                    let (time, node) = (now + link.cell_time + link.delay, link.to);
                    self.launch(id, UnderWay { time, node, unit });
                }
                self.event_tree.set(id.index(), next);
                if interval_ends {
                    self.take_rates(id);
                }
            }
            Output::Packets(port) => {
                let (frames, vcs, node) = (&mut self.frames, &self.vcs, link.from);
                let elsewhere = |unit: Unit| vcs[unit.vc].routed.as_ref()?.table.other_than(id, node, now);
                let mut owner = PacketsHere { frames, can_leave: |unit| elsewhere(unit).is_some() };
                let turn = port.on_event(now, &mut owner);
                self.event_tree.set(id.index(), port.next_event());
                match turn {
                    None => {}
                    Some(Turn::Departs(departure)) => self.launch_packet(id, Some(departure)),
                    Some(Turn::IntervalEnds) => self.take_rates(id),
                    Some(Turn::Leaves((_, unit), marked)) => {
                        if marked {
                            mark(&mut self.frames, unit);
                        }
                        let port = elsewhere(unit).expect("it can go elsewhere");
                        self.forward(self.hop(port, unit.vc), self.links[id].input, unit);
                    }
                }
            }
        }
    }

    fn on_arrival(&mut self, id: LinkId) {
        let under_way = &mut self.under_way[id];
        let UnderWay { node, mut unit, .. } =
            under_way.pop_front().expect("a link with an event has something under way");
        let next = under_way.front().map_or(Time::NEVER, |next| next.time);
        self.event_tree.set(self.links.len() + id.index(), next);

        unit.hop += 1;
        let forwarding = self.forwarding(unit, node);
        if unit.pti == Pti::BACKWARD_RM && forwarding != Forwarding::Arrived {
            self.visit(unit);
        }
        match forwarding {
            Forwarding::By(port) => match self.edges.place(unit.vc, node, port) {
                None => self.forward(self.hop(port, unit.vc), self.links[id].input, unit),
                // RM cells are no part of frames.
                Some(_) if unit.pti.is_rm() => self.forward(self.hop(port, unit.vc), self.links[id].input, unit),
                Some(place) => self.on_ack_at_edge(place, port, id, unit),
            },
            Forwarding::Arrived => self.on_unit_at_end(unit),
            Forwarding::Lost(reason) => self.lose(id, unit, reason),
        }
    }

    /// The link that a connection crosses, with its number there.
    fn hop(&self, link: LinkId, vc: VcId) -> Hop {
        let at_port = self.links[link].crossing.binary_search(&vc).expect("whatever comes may cross the link");
        Hop { link, at_port: VcId::from_index(at_port) }
    }

    /// A packet that came by link `id` cannot go on.
    fn lose(&mut self, id: LinkId, unit: Unit, reason: DropReason) {
        let (now, hop) = (self.now, self.hop(id, unit.vc));
        let segment = self.frames[unit.vc].packets.get(unit);
        let kind = self.kinds.of(unit.vc);
        let meta = meta(self.technology, hop, &self.vcs[unit.vc], unit, (segment, kind));
        let changing = match &mut self.links[id].output {
            Output::Nic(_, changing) => changing.as_mut(),
            Output::Packets(port) => port.link.as_mut(),
            Output::Scheduler(_) | Output::PassThrough(_) | Output::Cells(_) => None,
        };
        changing.expect("a link of a route that changes counts its losses").losses.add(now, now, &meta, reason);
        forget(&mut self.frames, unit);
    }

    /// A unit arrives at the switch port of its next hop.
    fn forward(&mut self, hop: Hop, input: Input, unit: Unit) {
        let now = self.now;
        let id = hop.link;
        self.edges.on_packet(unit.vc, self.links[id].from, id);
        let link = &mut self.links[id];
        match &mut link.output {
            Output::Nic(..) | Output::Scheduler(_) => unreachable!("hosts do not forward"),
            Output::PassThrough(monitor) => {
                monitor.arrive(hop.at_port);
                monitor.pass(now, hop.at_port);
                let (time, node) = (now + link.cell_time + link.delay, link.to);
                self.launch(id, UnderWay { time, node, unit });
            }
            Output::Cells(port) => {
                let slot_end = port.on_arrival(now, input, hop.at_port, unit);
                self.event_tree.set(id.index(), slot_end);
            }
            Output::Packets(port) => {
                let copy = port.duplicates().then(|| self.frames[unit.vc].packets.copy(unit));
                for unit in [Some(unit), copy].into_iter().flatten() {
                    self.take_in(hop, unit);
                }
            }
        }
    }

    /// A packet comes to a port.
    fn take_in(&mut self, hop: Hop, unit: Unit) {
        let segment = self.frames[unit.vc].packets.get(unit);
        let kind = self.kinds.of(unit.vc);
        let meta = meta(self.technology, hop, &self.vcs[unit.vc], unit, (segment, kind));
        let coming = Coming { vc: meta.vc, bytes: meta.packet.bytes, ecn: meta.ecn };
        let departure = self.arrives_at_port(hop.link, coming, (meta, unit));
        self.launch_packet(hop.link, departure);
    }

    /// A unit arrives at the host where its connection ends.
    fn on_unit_at_end(&mut self, unit: Unit) {
        if unit.pti.is_rm() {
            return self.on_rm_cell_at_end(unit);
        }
        self.on_abr_data_at_end(unit);
        let frames = &mut self.frames[unit.vc];
        let good = match self.technology {
            Technology::Packet { .. } => frames.packets.remove(unit),
            Technology::Atm { .. } => {
                let Some(reassembled) = frames.reassembler.on_unit(unit) else { return };
                let good = match reassembled {
                    Reassembled::Good { frame } => Some(frames.sent.segment(frame)),
                    Reassembled::Damaged => None,
                };
                frames.sent.retire(unit.frame);
                self.lost_datagrams.ended(unit.vc, unit.frame, good.is_some());
                good
            }
        };
        if let Some(traces) = &mut self.traces {
            match &good {
                Some(segment) => traces.arrives(self.now, unit.vc, unit.frame, segment),
                None => traces.damaged(unit.vc, unit.frame),
            }
        }
        if self.external.is_some() {
            return self.on_frame_at_external_end(unit, good.as_ref());
        }
        let (flow, end) = end_of(unit.vc);
        if flow >= self.flows.len() {
            if let Some(segment) = good {
                self.on_datagram(flow - self.flows.len(), end, segment);
            }
            return;
        }
        if let Some((place, segment)) = self.two_way.end_at(flow, end).zip(good) {
            return self.at_end_of_two(place, Happening::Arrives(segment));
        }
        match (end, good) {
            (End::Receiver, None) => self.sinks.at(flow).damaged_frames += 1,
            (End::Receiver, Some(segment)) => {
                let sink = self.sinks.at(flow);
                sink.receiver.on_segment(self.now, segment);
                if let Some(traces) = &mut self.traces {
                    traces.delivered(self.now, flow, &sink.receiver);
                }
                self.send_acknowledgement(flow);
            }
            (End::Sender, None) => self.sources.at(flow).damaged_frames += 1,
            (End::Sender, Some(segment)) => {
                let source = self.sources.at(flow);
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
        if let Some(end) = self.two_way.end_of_sender(flow) {
            return self.at_end_of_two(end, Happening::SenderTimer);
        }
        if self.sources.at(flow).sender.on_timer(self.now) == Expired::Retransmission {
            let vc = data_vc(flow);
            let first_link = self.vcs[vc].route[0].link;
            let (discarded, next) = match &mut self.links[first_link].output {
                Output::Nic(nic, _) => (nic.discard(vc), nic.next_start()),
                Output::Scheduler(scheduler) => (scheduler.discard(vc), scheduler.next_start()),
                Output::PassThrough(_) | Output::Cells(_) | Output::Packets(_) => {
                    unreachable!("a flow begins at a host")
                }
            };
            self.sources.at(flow).discarded_in_host += discarded;
            if let Some(traces) = &mut self.traces {
                traces.taken_back(flow);
            }
            self.event_tree.set(first_link.index(), next);
        }
        self.send_data(flow);
        self.schedule_timers(flow);
    }

    fn on_receiver_timer(&mut self, flow: usize) {
        if let Some(end) = self.two_way.end_of_receiver(flow) {
            return self.at_end_of_two(end, Happening::ReceiverTimer);
        }
        self.sinks.at(flow).receiver.on_timer(self.now);
        self.send_acknowledgement(flow);
        self.schedule_timers(flow);
    }

    fn send_data(&mut self, flow: usize) {
        while let Some(segment) = self.sources.at(flow).sender.poll_segment(self.now) {
            if let Some(traces) = &mut self.traces {
                traces.sent(self.now, flow, &self.sources.at(flow).sender, segment.seq, segment.len);
                traces.handed_down(self.now, flow);
            }
            self.hand_down(data_vc(flow), segment);
        }
        if let Some(traces) = &mut self.traces {
            traces.settled(self.now, flow, &self.sources.at(flow).sender);
        }
    }

    fn send_acknowledgement(&mut self, flow: usize) {
        if let Some(segment) = self.sinks.at(flow).receiver.poll_segment(self.now) {
            let window = self.edges.written(ack_vc(flow), &segment);
            self.hand_down(ack_vc(flow), Segment { window, ..segment });
        }
    }

    fn hand_down(&mut self, vc: VcId, segment: Segment) {
        let first_link = self.vcs[vc].route[0].link;
        match &mut self.links[first_link].output {
            Output::Nic(nic, _) => {
                nic.push(vc, segment);
                self.feed_from_nic(first_link);
            }
            Output::Scheduler(scheduler) => {
                scheduler.push(vc, segment);
                self.feed_from_scheduler(first_link);
            }
            Output::PassThrough(_) | Output::Cells(_) | Output::Packets(_) => unreachable!("a flow begins at a host"),
        }
    }

    /// A unit is on link `id`: it may overtake others.
    fn launch(&mut self, id: LinkId, unit: UnderWay) {
        let (under_way, time) = (&mut self.under_way[id], unit.time);
        let place = under_way.partition_point(|before| before.time <= time);
        under_way.insert(place, unit);
        if place == 0 {
            self.event_tree.set(self.links.len() + id.index(), time);
        }
    }

    fn launch_packet(&mut self, id: LinkId, departure: Option<Departure<(PacketMeta, Unit)>>) {
        if let Some(Departure { handle: (_, unit), begins, arrives: time, marked }) = departure {
            if marked {
                mark(&mut self.frames, unit);
            }
            let link = &self.links[id];
            let node = link.changing().map_or(link.to, |changing| changing.far_end(begins));
            self.launch(id, UnderWay { time, node, unit });
        }
    }

    fn schedule_timers(&mut self, flow: usize) {
        let number = self.first_timer() + 2 * flow;
        self.event_tree.set(number, self.sources.deadline(flow));
        self.event_tree.set(number + 1, self.sinks.deadline(flow));
    }
}
