//! Routers that change acknowledgements: a process between the links by which packets come, the ports whose rates are used, and
//! the ports by which acknowledgements go on. From port to edge to port no time passes.
//!
//! Whatever enters a port that acknowledgements enter behind an edge passes this process, so that at one instant the order of all
//! that a link brings stays as it is.

use crate::ids::{Id, VcId};
use crate::net::batched::io::{Arrival, Destination, InputRef, Io};
use crate::net::batched::process::Process;
use crate::net::feedback::{Edge, EdgePlace, Passed};
use crate::packet::SegmentKind;
use crate::record::EdgeRecord;
use crate::units::Time;

/// The edges of one router.
pub(in crate::net::batched) struct EdgeProcess {
    mailbox: usize,
    /// In the order of their ports.
    edges: Vec<NumberedEdge>,
    passages: Vec<Passage>,
    packets: u64,
}

struct NumberedEdge {
    /// Its number among the edges of the network.
    number: usize,
    edge: Edge<Arrival>,
    /// At one instant acknowledgements that leave a bucket come after what links bring: the number of their input.
    bucket_input: u32,
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
    /// The router with these edges, by their numbers, which reads `mailbox`, in a network with so many links.
    pub(in crate::net::batched) fn new(
        mailbox: usize,
        edges: Vec<(usize, Edge<Arrival>)>,
        passages: Vec<Passage>,
        links: usize,
    ) -> EdgeProcess {
        let numbered = |(number, edge)| NumberedEdge { number, edge, bucket_input: (links + number) as u32 };
        EdgeProcess { mailbox, edges: edges.into_iter().map(numbered).collect(), passages, packets: 0 }
    }

    /// What the edge with this number did.
    ///
    /// # Panics
    /// If it is one of another router.
    pub(in crate::net::batched) fn record(&self, number: usize) -> EdgeRecord {
        self.edges[self.place(number)].edge.record()
    }

    fn place(&self, number: usize) -> usize {
        let place = self.edges.binary_search_by_key(&number, |edge| edge.number);
        place.expect("an edge is one of the router where it is")
    }

    fn on_arrival(&mut self, packet: &Arrival, io: &mut Io) {
        self.packets += 1;
        let input = packet.input_ref.input;
        let Some(EdgePlace { edge, session }) = self.passages[packet.input_ref.at_port.index()].place else {
            return self.post(packet.time, packet, input, io);
        };
        let segment = io.packet_side.segment(packet.frame);
        if segment.is_some_and(|segment| segment.kind == SegmentKind::SynAck) {
            // The window of a SYN has no scale, and it releases no data.
            return self.post(packet.time, packet, input, io);
        }
        let ack = Passed { handle: *packet, window: segment.and_then(|segment| segment.window) };
        let place = self.place(edge);
        if let Some(passed) = self.edges[place].edge.on_ack(packet.time, session, packet.seq_or_ack, ack) {
            self.leave(packet.time, passed, input, io);
        }
    }

    fn leave(&self, now: Time, passed: Passed<Arrival>, input: u32, io: &mut Io) {
        let Passed { handle: mut packet, window } = passed;
        if let Some(window) = window {
            let vc = self.passages[packet.input_ref.at_port.index()].vc;
            packet.frame = io.packet_side.write_window(vc, packet.frame, packet.seq_or_ack, window);
        }
        self.post(now, &packet, input, io);
    }

    fn post(&self, now: Time, packet: &Arrival, input: u32, io: &mut Io) {
        let Some(Destination::Port { mailbox, input_ref }) = self.passages[packet.input_ref.at_port.index()].to else {
            unreachable!("packets go from a router with edges to a packet port")
        };
        io.post(mailbox, Arrival { time: now, input_ref: InputRef { input, ..input_ref }, ..*packet });
    }

    /// When new rates come, and which edge they are for; the first at one instant.
    fn next_rates(&self, io: &Io) -> (Time, usize) {
        let next = |place: usize| io.rates[self.edges[place].number].front().map_or(Time::NEVER, |rates| rates.0);
        (0..self.edges.len()).map(|place| (next(place), place)).min().unwrap_or((Time::NEVER, 0))
    }

    /// When the next acknowledgement leaves a bucket, and of which edge; the first at one instant.
    fn next_release(&self) -> (Time, usize) {
        let edges = self.edges.iter().enumerate();
        edges.map(|(place, edge)| (edge.edge.next_release(), place)).min().unwrap_or((Time::NEVER, 0))
    }
}

impl Process for EdgeProcess {
    fn advance(&mut self, until: Time, io: &mut Io) {
        let mut mailbox = std::mem::take(&mut io.mailboxes[self.mailbox]);
        mailbox.settle(until);
        loop {
            let ((rates, rated), (release, releasing)) = (self.next_rates(io), self.next_release());
            let arrival = mailbox.first().map_or(Time::NEVER, |packet| packet.time);
            // At one instant in this order.
            let now = rates.min(arrival).min(release);
            if now >= until {
                break;
            }
            if rates == now {
                let NumberedEdge { number, edge, .. } = &mut self.edges[rated];
                if let Some((_, rates)) = io.rates[*number].pop_front() {
                    edge.on_rates(now, &rates);
                }
            } else if arrival == now {
                if let Some(&packet) = mailbox.first() {
                    mailbox.take();
                    self.on_arrival(&packet, io);
                }
            } else {
                let NumberedEdge { edge, bucket_input, .. } = &mut self.edges[releasing];
                let input = *bucket_input;
                if let Some((_, passed)) = edge.on_release(now) {
                    self.leave(now, passed, input, io);
                }
            }
        }
        io.mailboxes[self.mailbox] = mailbox;
    }

    fn next(&self, io: &Io) -> Time {
        io.mailboxes[self.mailbox].earliest().min(self.next_rates(io).0).min(self.next_release().0)
    }

    fn events(&self) -> u64 {
        self.packets
    }
}
