//! Routers with acknowledgement buckets: a process between the links by which packets come, the ports whose rates are used, and the
//! ports by which acknowledgements go on. From port to edge to port no time passes.
//!
//! Whatever enters a port that acknowledgements enter behind an edge passes this process, so that at one instant the order of all
//! that a link brings stays as it is.

use crate::ids::Id;
use crate::net::batched::io::{Arrival, Destination, InputRef, Io};
use crate::net::batched::packets::rate_log::RatedEdge;
use crate::net::batched::process::Process;
use crate::net::feedback::{EdgePlace, Passed};
use crate::packet::SegmentKind;
use crate::units::Time;

/// The edges of one router.
pub(in crate::net::batched) struct EdgeProcess {
    mailbox: usize,
    /// In the order of their ports.
    edges: Vec<EdgeHere>,
    passages: Vec<Passage>,
    packets: u64,
}

struct EdgeHere {
    /// Its number among the edges of the network.
    number: usize,
    /// The interval of its port whose rates it has.
    interval: u64,
    /// At one instant acknowledgements that leave a bucket come after what links bring: the number of their input.
    bucket_input: u32,
}

/// A connection that passes the router.
pub(in crate::net::batched) struct Passage {
    /// The edge that changes it, if one does.
    pub(in crate::net::batched) place: Option<EdgePlace>,
    /// Where it goes next.
    pub(in crate::net::batched) to: Option<Destination>,
}

impl EdgeProcess {
    /// The router with the edges of these numbers, which reads `mailbox`, in a network with so many links.
    pub(in crate::net::batched) fn new(
        mailbox: usize,
        edges: impl Iterator<Item = usize>,
        passages: Vec<Passage>,
        links: usize,
    ) -> EdgeProcess {
        let here = |number: usize| EdgeHere { number, interval: 0, bucket_input: (links + number) as u32 };
        EdgeProcess { mailbox, edges: edges.map(here).collect(), passages, packets: 0 }
    }

    fn on_arrival(&mut self, packet: &Arrival, io: &mut Io) {
        self.packets += 1;
        let input = packet.input_ref.input;
        let Some(EdgePlace { edge, session }) = self.passages[packet.input_ref.at_port.index()].place else {
            return self.post(packet.time, packet, input, io);
        };
        if io.packet_side.segment(packet.frame).is_some_and(|segment| segment.kind == SegmentKind::SynAck) {
            // The window of a SYN has no scale, and it releases no data.
            return self.post(packet.time, packet, input, io);
        }
        let ack = Passed { handle: *packet, window: io.packet_side.window(packet.frame) };
        if let Some(passed) = io.edges[edge].edge.on_ack(packet.time, session, packet.seq_or_ack, ack) {
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

    /// When new rates come, and to which edge; the first at one instant.
    fn next_rates(&self, io: &Io) -> (Time, usize) {
        let next = |EdgeHere { number, interval, .. }: &EdgeHere| {
            io.edges[*number].rates.of_interval(interval + 1).map_or(Time::NEVER, |rates| rates.0)
        };
        let edges = self.edges.iter().enumerate();
        edges.map(|(place, edge)| (next(edge), place)).min().unwrap_or((Time::NEVER, 0))
    }

    fn take_rates(&mut self, place: usize, io: &mut Io) {
        let EdgeHere { number, interval, .. } = &mut self.edges[place];
        *interval += 1;
        let RatedEdge { edge, rates } = &mut io.edges[*number];
        if let Some((since, rates)) = rates.of_interval(*interval) {
            edge.on_rates(since, rates);
        }
    }

    /// When the next acknowledgement leaves a bucket, and of which edge; the first at one instant.
    fn next_release(&self, io: &Io) -> (Time, usize) {
        let edges = self.edges.iter().enumerate();
        let next = edges.map(|(place, edge)| (io.edges[edge.number].edge.next_release(), place)).min();
        next.unwrap_or((Time::NEVER, 0))
    }
}

impl Process for EdgeProcess {
    fn advance(&mut self, until: Time, io: &mut Io) {
        let mut mailbox = std::mem::take(&mut io.mailboxes[self.mailbox]);
        mailbox.settle(until);
        loop {
            let ((rates, rated), (release, releasing)) = (self.next_rates(io), self.next_release(io));
            let arrival = mailbox.first().map_or(Time::NEVER, |packet| packet.time);
            // At one instant in this order.
            let now = rates.min(arrival).min(release);
            if now >= until {
                break;
            }
            if rates == now {
                self.take_rates(rated, io);
            } else if arrival == now {
                if let Some(&packet) = mailbox.first() {
                    mailbox.take();
                    self.on_arrival(&packet, io);
                }
            } else {
                let EdgeHere { number, bucket_input: input, .. } = self.edges[releasing];
                if let Some((_, passed)) = io.edges[number].edge.on_release(now) {
                    self.leave(now, passed, input, io);
                }
            }
        }
        io.mailboxes[self.mailbox] = mailbox;
    }

    fn next(&self, io: &Io) -> Time {
        io.mailboxes[self.mailbox].earliest().min(self.next_rates(io).0).min(self.next_release(io).0)
    }

    fn events(&self) -> u64 {
        self.packets
    }
}
