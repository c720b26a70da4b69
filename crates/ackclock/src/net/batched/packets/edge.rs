//! Routers with acknowledgement buckets: a process between the links by which packets come, the ports whose rates are used, and the
//! ports by which acknowledgements go on. From port to edge to port no time passes.
//!
//! Whatever enters a port that acknowledgements enter behind an edge passes this process, so that at one instant the order of all
//! that a link brings stays as it is.

use crate::ids::{Id, VcId};
use crate::net::batched::io::{Arrival, Destination, InputRef, Io};
use crate::net::batched::mailbox_set::MailboxSet;
use crate::net::batched::packets::router_edges::{RouterEdges, pass_at_once};
use crate::net::batched::process::Process;
use crate::net::feedback::{EdgePlace, Passed};
use crate::units::Time;

/// The edges of one router.
pub(in crate::net::batched) struct EdgeProcess {
    mailboxes: MailboxSet<Arrival>,
    edges: RouterEdges,
    passages: Vec<Passage>,
    /// How many links there are.
    links: usize,
    packets: u64,
}

/// A connection that passes the router.
pub(in crate::net::batched) struct Passage {
    pub(in crate::net::batched) vc: VcId,
    /// The edge that changes it, if one does.
    pub(in crate::net::batched) place: Option<EdgePlace>,
    /// Where it goes next.
    pub(in crate::net::batched) to: Option<Destination>,
}

impl EdgeProcess {
    /// The router with the edges of these numbers, which reads these mailboxes, in a network with so many links.
    pub(in crate::net::batched) fn new(
        mailboxes: MailboxSet<Arrival>,
        edges: impl Iterator<Item = usize>,
        passages: Vec<Passage>,
        links: usize,
    ) -> EdgeProcess {
        EdgeProcess { mailboxes, edges: RouterEdges::new(edges), passages, links, packets: 0 }
    }

    fn on_arrival(&mut self, packet: &Arrival, io: &mut Io) {
        self.packets += 1;
        let input = packet.input_ref.input;
        let Some(EdgePlace { edge, session }) = self.passages[packet.input_ref.at_port.index()].place else {
            return self.post(packet.time, packet, input, io);
        };
        if pass_at_once(packet, EdgePlace { edge, session }, io) {
            self.edges.after_ack(edge, io);
            return self.post(packet.time, packet, input, io);
        }
        let ack = Passed { handle: *packet, window: io.packet_side.window(packet.frame) };
        let number = io.packet_side.acknowledged(packet.frame, packet.seq_or_ack);
        let passed = io.edges[edge].edge.on_ack(packet.time, session, number, ack);
        self.edges.after_ack(edge, io);
        if let Some(passed) = passed {
            self.leave(packet.time, passed, input, io);
        }
    }

    fn leave(&self, now: Time, passed: Passed<Arrival>, input: u32, io: &mut Io) {
        let Passed { handle: mut packet, window } = passed;
        if let Some(window) = window {
            packet.frame = io.packet_side.write_window(packet.frame, window);
        }
        self.post(now, &packet, input, io);
    }

    fn post(&self, now: Time, packet: &Arrival, input: u32, io: &mut Io) {
        let Some(Destination::Port { mailbox, input_ref }) = self.passages[packet.input_ref.at_port.index()].to else {
            unreachable!("packets go from a router with edges to a packet port")
        };
        io.post(mailbox, Arrival { time: now, input_ref: InputRef { input, ..input_ref }, ..*packet });
    }
}

impl Process for EdgeProcess {
    fn add_under_way(&self, io: &Io, vcs: &mut Vec<VcId>) -> bool {
        let coming = self.mailboxes.waiting(&io.mailboxes).chain(self.edges.waiting(io));
        vcs.extend(coming.map(|packet| self.passages[packet.input_ref.at_port.index()].vc));
        true
    }

    fn advance(&mut self, until: Time, io: &mut Io) {
        let mut taken = self.mailboxes.take_before(until, &mut io.mailboxes);
        let mut arrivals = taken.items().iter();
        self.edges.begin(io);
        loop {
            let ((rates, rated), (release, releasing)) = (self.edges.next_rates(), self.edges.next_release());
            let arrival = arrivals.as_slice().first().map_or(Time::NEVER, |packet| packet.time);
            // At one instant in this order.
            let now = rates.min(arrival).min(release);
            if now >= until {
                break;
            }
            if rates == now {
                self.edges.take_rates(rated, io);
            } else if arrival == now {
                if let Some(packet) = arrivals.next() {
                    self.on_arrival(packet, io);
                }
            } else {
                let number = self.edges.number(releasing);
                if let Some(passed) = self.edges.release(now, releasing, io) {
                    // At one instant acknowledgements that leave a bucket come after what links bring.
                    self.leave(now, passed, (self.links + number) as u32, io);
                }
            }
        }
        self.mailboxes.give_back(taken, &mut io.mailboxes);
    }

    fn next(&self, io: &Io) -> Time {
        self.mailboxes.earliest(&io.mailboxes).min(self.edges.next(io))
    }

    fn events(&self) -> u64 {
        self.packets
    }
}
