//! What packet ports do for rate control of TCP: they give rates to flows, and they write windows into the acknowledgements that
//! enter them behind a router with window feedback.
//!
//! A window changes neither when an acknowledgement arrives nor what becomes of it, so it is written where the acknowledgement goes
//! next, when it arrives there: at the router. The rates are in a log, and the port is not ahead of it.

use crate::ids::{IdVec, VcId};
use crate::net::batched::io::{Arrival, Io};
use crate::net::batched::packet_side::PacketKey;
use crate::net::batched::packets::rate_log::RatedEdge;
use crate::net::feedback::{EdgePlace, PacketRates};
use crate::units::Time;

/// The acknowledgements into which ports of a process write windows.
pub(in crate::net::batched) struct AckWindows {
    /// By port and connection, the edge that they pass before.
    places: Vec<IdVec<VcId, Option<EdgePlace>>>,
}

/// A port that gives rates.
pub(in crate::net::batched) struct PortRates {
    rates: Box<PacketRates>,
    /// The edge that uses them, if acknowledgements pass it.
    edge: Option<usize>,
}

impl AckWindows {
    /// Of ports with these connections, of which some pass an edge before.
    pub(in crate::net::batched) fn new(places: Vec<IdVec<VcId, Option<EdgePlace>>>) -> AckWindows {
        let is_none = places.iter().flat_map(IdVec::iter).all(Option::is_none);
        AckWindows { places: if is_none { Vec::new() } else { places } }
    }

    /// Whether there are none.
    pub(in crate::net::batched) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Packets arrive at the ports; the rates of that time are known.
    #[inline(always)]
    pub(in crate::net::batched) fn write(&self, packets: &mut [Arrival], io: &mut Io) {
        if !self.places.is_empty() {
            self.write_each(packets, io);
        }
    }

    #[inline(never)]
    fn write_each(&self, packets: &mut [Arrival], io: &mut Io) {
        for packet in packets {
            if let Some(place) = self.places[packet.input_ref.port as usize][packet.input_ref.at_port] {
                write_window(packet, place, io);
            }
        }
    }
}

/// An acknowledgement passes an edge without a bucket. Mostly it carries nothing else.
#[inline(always)]
fn write_window(packet: &mut Arrival, place: EdgePlace, io: &mut Io) {
    let key = PacketKey(packet.frame);
    if !key.is_plain_or_window() {
        return write_into_segment(packet, place, io);
    }
    if let Some(window) = pass(packet.time, place, key.window(), &mut io.edges) {
        packet.frame = PacketKey::of_window(window).0;
    }
}

/// The same of one that carries more.
#[inline(never)]
fn write_into_segment(packet: &mut Arrival, place: EdgePlace, io: &mut Io) {
    let Io { packet_side, edges, .. } = io;
    if packet_side.segment(packet.frame).is_some_and(|segment| segment.kind.opens()) {
        // The window of a SYN has no scale, and it releases no data.
        return;
    }
    if let Some(window) = pass(packet.time, place, packet_side.window(packet.frame), edges) {
        packet.frame = packet_side.write_window(packet.frame, window);
    }
}

/// The window that an acknowledgement with this window is to carry, if it is to carry one.
#[inline(always)]
fn pass(now: Time, place: EdgePlace, window: Option<u32>, edges: &mut [RatedEdge<Arrival>]) -> Option<u32> {
    let EdgePlace { edge, session } = place;
    let RatedEdge { edge, rates } = &mut edges[edge];
    edge.session(session).pass_while(now, window, || rates.rate_at(now, session))
}

impl PortRates {
    /// Rates of a port, and the number of the edge that uses them, if one does.
    pub(in crate::net::batched) fn new(rates: Box<PacketRates>, edge: Option<usize>) -> PortRates {
        PortRates { rates, edge }
    }

    /// The algorithm.
    pub(in crate::net::batched) fn rates(&self) -> &PacketRates {
        &self.rates
    }

    /// When the interval that runs ends.
    pub(in crate::net::batched) fn interval_end(&self) -> Time {
        self.rates.interval_end()
    }

    /// Packets of a connection with so many bytes arrive before that, the last of them at `now`.
    #[inline(always)]
    pub(in crate::net::batched) fn on_arrival(&mut self, now: Time, at_port: VcId, bytes: u64) {
        self.rates.on_arrival(now, at_port, bytes);
    }

    /// The interval ends, while so many bytes wait.
    pub(in crate::net::batched) fn end_interval(&mut self, queued: u64, io: &mut Io) {
        self.rates.end_interval(queued);
        if let Some(edge) = self.edge {
            io.edges[edge].rates.push(self.rates.rates());
        }
    }
}
