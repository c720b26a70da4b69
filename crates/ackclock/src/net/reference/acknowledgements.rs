//! The path of packets through routers, and of acknowledgements through routers and edge devices that change them.

use super::Reference;
use super::build::Output;
use super::cell_port::Input;
use super::edges::{AtEdge, rates_of};
use crate::ids::{Id, LinkId, NodeId};
use crate::link::Forwarding;
use crate::net::feedback::{EdgePlace, Passed, PassedData};
use crate::packet::aal5::Reassembled;
use crate::packet::{Pti, Segment, Unit};
use crate::scenario::Technology;

impl Reference {
    /// Where a unit goes on that is at a node now.
    pub(super) fn forwarding(&self, unit: Unit, node: NodeId) -> Forwarding {
        let vc = &self.vcs[unit.vc];
        match &vc.routed {
            None => vc.route.get(usize::from(unit.hop)).map_or(Forwarding::Arrived, |hop| Forwarding::By(hop.link)),
            Some(routed) => routed.table.forward(node, self.now, unit.hop),
        }
    }

    /// The first averaging intervals of ports begin whose ends are events.
    pub(super) fn schedule_intervals(&mut self) {
        for (id, link) in self.links.iter_ids() {
            match &link.output {
                Output::Packets(port) => self.event_tree.set(id.index(), port.next_event()),
                Output::Cells(port) => self.event_tree.set(id.index(), port.interval_end()),
                Output::Nic(..) | Output::Scheduler(_) | Output::PassThrough(_) => {}
            }
        }
    }

    /// An averaging interval of a port has ended: its router or edge device has new rates.
    pub(super) fn take_rates(&mut self, port: LinkId) {
        let Some(edge) = self.edges.of_port(port) else { return };
        self.edges.edges[edge].on_rates(self.now, rates_of(&self.links[port].output));
        self.schedule_release(edge);
    }

    /// An acknowledgement arrives by link `from` at a router that changes it, on its way to `port`; or one of its cells at an edge
    /// device.
    pub(super) fn on_ack_at_edge(&mut self, place: EdgePlace, port: LinkId, from: LinkId, unit: Unit) {
        let EdgePlace { edge, session } = place;
        let frames = &self.frames[unit.vc];
        let segment = match self.technology {
            Technology::Packet { .. } => *frames.packets.get(unit),
            Technology::Atm { .. } => match self.edges.reassemblers[edge][session].on_unit(unit) {
                None => return,
                Some(Reassembled::Good { frame }) => frames.sent.segment(frame),
                Some(Reassembled::Damaged) => {
                    self.edges.edges[edge].on_damaged();
                    if let Some(traces) = &mut self.traces {
                        traces.damaged(unit.vc, unit.frame);
                    }
                    return;
                }
            },
        };
        if segment.len > 0 && !segment.kind.opens() {
            return self.on_data_at_edge(place, port, from, unit, segment);
        }
        let ack = Passed { handle: AtEdge { unit, from }, window: segment.window };
        let edge = &mut self.edges.edges[edge];
        let passed = match (segment.kind, self.technology) {
            // The window of a SYN has no scale, and it releases no data.
            (kind, Technology::Packet { .. }) if kind.opens() => Some(ack),
            (kind, Technology::Atm { .. }) if kind.opens() => edge.on_syn(self.now, session, ack),
            _ => edge.on_ack(self.now, session, segment.ack, ack),
        };
        match passed {
            Some(passed) if passed.handle.unit.vc == unit.vc => self.leave_edge(passed, port),
            // One of another flow that shares the bucket.
            Some(passed) => self.leave_by_route(place.edge, passed),
            None => {}
        }
        self.schedule_release(place.edge);
    }

    /// Data that acknowledge arrive by link `from` at a router that changes what they say, on their way to `port`: they go on at once.
    fn on_data_at_edge(&mut self, place: EdgePlace, port: LinkId, from: LinkId, unit: Unit, segment: Segment) {
        let EdgePlace { edge, session } = place;
        let packets = &mut self.frames[unit.vc].packets;
        let PassedData { number, window, alone } =
            self.edges.edges[edge].on_data(self.now, session, segment.ack, segment.window);
        if let Some(frame) = alone {
            let alone = Unit { frame, index: 0, ..unit };
            packets.insert(alone, segment.acknowledgement_alone());
            let ack = Passed { handle: AtEdge { unit: alone, from }, window: segment.window };
            self.edges.edges[edge].wait(self.now, session, segment.ack, ack);
        }
        let data = packets.get_mut(unit).expect("it is on its way");
        (data.ack, data.window) = (number, window);
        self.forward(self.hop(port, unit.vc), self.links[from].input, unit);
        self.schedule_release(edge);
    }

    /// An acknowledgement leaves a bucket.
    pub(super) fn on_release(&mut self, edge: usize) {
        if let Some((session, passed)) = self.edges.edges[edge].on_release(self.now) {
            match self.edges.plan().acks[edge][session].next {
                Some(port) => self.leave_edge(passed, port),
                None => self.leave_by_route(edge, passed),
            }
        }
        self.schedule_release(edge);
    }

    /// An acknowledgement leaves a bucket by the route of now.
    fn leave_by_route(&mut self, edge: usize, passed: Passed<AtEdge>) {
        let (node, AtEdge { unit, from }) = (self.links[self.edges.plan().ports[edge]].from, passed.handle);
        match self.forwarding(unit, node) {
            Forwarding::By(port) => self.leave_edge(passed, port),
            Forwarding::Lost(reason) => self.lose(from, unit, reason),
            Forwarding::Arrived => unreachable!("no acknowledgement ends at a router"),
        }
    }

    fn leave_edge(&mut self, Passed { handle: AtEdge { unit, from }, window }: Passed<AtEdge>, port: LinkId) {
        let hop = self.hop(port, unit.vc);
        let frames = &mut self.frames[unit.vc];
        match self.technology {
            Technology::Packet { .. } => {
                let segment = frames.packets.get_mut(unit).expect("it is on its way");
                segment.window = window;
                self.forward(hop, self.links[from].input, unit);
            }
            Technology::Atm { .. } => {
                frames.sent.write_window(unit.frame, window);
                // All cells of the frame enter the port at this instant. What came last is the last of them.
                let input = Input(self.vcs[unit.vc].name_hash);
                for index in 0..=unit.index {
                    self.forward(hop, input, Unit { index, pti: Pti::data(index == unit.index), ..unit });
                }
            }
        }
    }

    fn schedule_release(&mut self, edge: usize) {
        let number = 2 * self.links.len() + edge;
        self.event_tree.set(number, self.edges.edges[edge].next_release());
    }
}
