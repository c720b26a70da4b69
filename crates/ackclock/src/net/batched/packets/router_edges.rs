//! The edges of a router, or of an ATM edge device, that is a process: which rates each of them has taken, and what happens next.

use crate::engine::EventTree;
use crate::net::batched::io::{Arrival, Io};
use crate::net::batched::packets::rate_log::RatedEdge;
use crate::net::feedback::{EdgePlace, Passed, PassedData};
use crate::packet::Segment;
use crate::units::Time;

/// The edges of one router, in the order of their ports.
pub(in crate::net::batched) struct RouterEdges {
    edges: Vec<EdgeHere>,
    /// When each of them gets new rates, as far as was known when the process began to advance.
    rates: EventTree,
    /// When each of them releases an acknowledgement.
    releases: EventTree,
}

struct EdgeHere {
    /// Its number among the edges of the network.
    number: usize,
    /// The interval of its port whose rates it has.
    interval: u64,
}

impl RouterEdges {
    /// Those with these numbers.
    pub(in crate::net::batched) fn new(edges: impl Iterator<Item = usize>) -> RouterEdges {
        let edges: Vec<EdgeHere> = edges.map(|number| EdgeHere { number, interval: 0 }).collect();
        RouterEdges { rates: EventTree::new(edges.len()), releases: EventTree::new(edges.len()), edges }
    }

    /// The number among the edges of the network of the one at this place.
    pub(in crate::net::batched) fn number(&self, place: usize) -> usize {
        self.edges[place].number
    }

    /// The process begins to advance: ports may have given new rates.
    pub(in crate::net::batched) fn begin(&mut self, io: &Io) {
        for place in 0..self.edges.len() {
            self.rates.set(place, self.rates_of(place, io));
        }
    }

    /// When new rates come, and to the edge at which place; the first at one instant.
    pub(in crate::net::batched) fn next_rates(&self) -> (Time, usize) {
        self.rates.earliest()
    }

    /// The new rates of the edge at this place have come.
    pub(in crate::net::batched) fn take_rates(&mut self, place: usize, io: &mut Io) {
        let EdgeHere { number, interval } = &mut self.edges[place];
        *interval += 1;
        let RatedEdge { edge, rates } = &mut io.edges[*number];
        if let Some((since, rates)) = rates.of_interval(*interval) {
            edge.on_rates(since, rates);
        }
        self.releases.set(place, edge.next_release());
        self.rates.set(place, self.rates_of(place, io));
    }

    /// An acknowledgement has come to the edge with this number.
    pub(in crate::net::batched) fn after_ack(&mut self, number: usize, io: &Io) {
        let place = self.edges.binary_search_by_key(&number, |edge| edge.number);
        let place = place.expect("an edge is one of the router where it is");
        self.releases.set(place, io.edges[number].edge.next_release());
    }

    /// When the next acknowledgement leaves a bucket, and of the edge at which place; the first at one instant.
    pub(in crate::net::batched) fn next_release(&self) -> (Time, usize) {
        self.releases.earliest()
    }

    /// The acknowledgement that leaves a bucket of the edge at this place now.
    pub(in crate::net::batched) fn release(&mut self, now: Time, place: usize, io: &mut Io) -> Option<Passed<Arrival>> {
        let edge = &mut io.edges[self.edges[place].number].edge;
        let released = edge.on_release(now);
        self.releases.set(place, edge.next_release());
        released.map(|(_, passed)| passed)
    }

    /// The acknowledgements that wait in buckets, in any order.
    pub(in crate::net::batched) fn waiting<'a>(&'a self, io: &'a Io) -> impl Iterator<Item = &'a Arrival> {
        self.edges.iter().flat_map(|of| io.edges[of.number].edge.waiting())
    }

    /// When something happens here next.
    pub(in crate::net::batched) fn next(&self, io: &Io) -> Time {
        let rates = (0..self.edges.len()).map(|place| self.rates_of(place, io)).min();
        self.releases.next().min(rates.unwrap_or(Time::NEVER))
    }

    fn rates_of(&self, place: usize, io: &Io) -> Time {
        let EdgeHere { number, interval } = self.edges[place];
        io.edges[number].rates.of_interval(interval + 1).map_or(Time::NEVER, |rates| rates.0)
    }
}

/// A packet comes to an edge on its connection. Whether it goes on now, in any case, because it opens the connection or is data: then it is
/// changed already. Other packets are acknowledgements alone.
#[inline]
pub(super) fn pass_at_once(packet: &Arrival, place: EdgePlace, io: &mut Io) -> bool {
    match io.packet_side.segment(packet.frame) {
        // The window of a SYN has no scale, and it releases no data.
        Some(segment) if segment.kind.opens() => true,
        Some(segment) if segment.len > 0 => {
            let segment = *segment;
            on_data(packet, segment, place, io);
            true
        }
        Some(_) | None => false,
    }
}

#[inline(never)]
fn on_data(packet: &Arrival, segment: Segment, EdgePlace { edge, session }: EdgePlace, io: &mut Io) {
    let Io { packet_side, edges, .. } = io;
    let edge = &mut edges[edge].edge;
    let PassedData { number, window, alone } = edge.on_data(packet.time, session, segment.ack, segment.window);
    if let Some(number) = alone {
        let alone = segment.acknowledgement_alone();
        let size = packet.size - segment.ip_bytes() + alone.ip_bytes();
        let frame = packet_side.keep_made(alone, number);
        let handle = Arrival { seq_or_ack: alone.seq + alone.ack, frame, size, ..*packet };
        edge.wait(packet.time, session, segment.ack, Passed { handle, window: segment.window });
    }
    packet_side.write_acknowledgement(packet.frame, number, window);
}
