//! The path of acknowledgements through routers that change them.

use super::Reference;
use super::build::Output;
use crate::ids::{Id, LinkId};
use crate::net::feedback::{EdgePlace, Passed};
use crate::packet::{SegmentKind, Unit};

impl Reference {
    /// The first averaging intervals of packet ports begin.
    pub(super) fn schedule_intervals(&mut self) {
        for (id, link) in self.links.iter_ids() {
            if let Output::Packets(port) = &link.output {
                self.event_tree.set(id.index(), port.next_event());
            }
        }
    }

    /// An averaging interval of a port has ended: its router has new rates.
    pub(super) fn take_rates(&mut self, port: LinkId) {
        let Some(edge) = self.edges.of_port(port) else { return };
        let Output::Packets(of_port) = &self.links[port].output else {
            unreachable!("feedback belongs to packet ports")
        };
        let rates = of_port.rates().expect("an edge is one of a port with rates").rates();
        self.edges.edges[edge].on_rates(self.now, rates);
        self.schedule_release(edge);
    }

    /// An acknowledgement arrives by link `from` at a router that changes it, on its way to `port`.
    pub(super) fn on_ack_at_edge(&mut self, place: EdgePlace, port: LinkId, from: LinkId, unit: Unit) {
        let segment = &self.frames[unit.vc].packets.under_way[&unit.frame];
        if segment.kind == SegmentKind::SynAck {
            // The window of a SYN has no scale, and it releases no data.
            return self.forward(self.hop(port, unit.vc), self.links[from].input, unit);
        }
        let ack = Passed { handle: unit, window: segment.window };
        let passed = self.edges.edges[place.edge].on_ack(self.now, place.session, segment.ack, ack);
        if let Some(passed) = passed {
            self.leave_edge(passed, port, from);
        }
        self.schedule_release(place.edge);
    }

    /// An acknowledgement leaves a bucket.
    pub(super) fn on_release(&mut self, edge: usize) {
        if let Some((session, passed)) = self.edges.edges[edge].on_release(self.now) {
            let (_, port) = self.edges.plan.acks[edge][session];
            let port = port.expect("what has come also leaves");
            self.leave_edge(passed, port, port);
        }
        self.schedule_release(edge);
    }

    fn leave_edge(&mut self, Passed { handle: unit, window }: Passed<Unit>, port: LinkId, from: LinkId) {
        let segment = self.frames[unit.vc].packets.under_way.get_mut(&unit.frame).expect("it is on its way");
        segment.window = window;
        self.forward(self.hop(port, unit.vc), self.links[from].input, unit);
    }

    fn schedule_release(&mut self, edge: usize) {
        let number = 2 * self.links.len() + edge;
        self.event_tree.set(number, self.edges.edges[edge].next_release());
    }
}
