//! Sources of datagrams, and where datagrams arrive: they are counted, and nothing is sent back, or each of them.

use super::Hosts;
use crate::ids::VcId;
use crate::net::batched::io::{Delivery, Io, What};
use crate::net::batched::process::Process;
use crate::net::flow::{self, Arrivals, End, ack_vc, data_vc, end_of};
use crate::packet::Segment;
use crate::scenario::{Scenario, Technology};
use crate::traffic::Cbr;
use crate::units::Time;

impl Hosts {
    /// The sources of datagrams, if they are here.
    pub(in crate::net::batched) fn udp(&self) -> &[Cbr] {
        &self.udp
    }

    /// What arrived of the datagrams that are sent back, by source of any kind; empty if there are none, or if they arrive elsewhere.
    pub(in crate::net::batched) fn echoed(&self) -> &[Arrivals] {
        &self.echoed
    }

    /// Whether this is the number of a source of datagrams: they follow those of the flows.
    pub(super) fn is_udp(&self, flow: usize) -> bool {
        flow >= self.sources.len().max(self.sinks.len())
    }

    /// Sends the next datagram of a source.
    pub(super) fn send_udp(&mut self, now: Time, flow: usize, number: usize, io: &mut Io) {
        let source = &mut self.udp[flow - self.sources.len()];
        let segment = flow::next_datagram(source);
        self.exits.timers.set(number, source.next());
        if let Some(traces) = io.packet_traces() {
            traces.handed_down(now, flow);
        }
        self.exits.uplinks.send_rare(now, data_vc(flow), number, segment, io);
    }

    /// A datagram arrives that is sent back, or comes back.
    pub(super) fn on_datagram(&mut self, now: Time, flow: usize, end: End, segment: &Segment, io: &mut Io) {
        let source = flow - self.sources.len().max(self.sinks.len());
        match end {
            End::Sender => self.udp[source].returns(now, segment.seq),
            End::Receiver => {
                self.echoed[source].add(now, segment.seq);
                let number = self.exits.numbering.of(flow, End::Receiver);
                self.exits.uplinks.send_rare(now, ack_vc(flow), number, *segment, io);
            }
        }
    }
}

/// The receiving ends of all other sources of datagrams.
pub(in crate::net::batched) struct UdpSinks {
    /// Which inbox they read.
    group: usize,
    /// How many flows there are: the sources of datagrams are numbered after them.
    flows: usize,
    technology: Technology,
    arrivals: Vec<Arrivals>,
    events: u64,
}

impl UdpSinks {
    /// The ends of the sources of a scenario, which read this inbox.
    pub(in crate::net::batched) fn new(group: usize, scenario: &Scenario) -> UdpSinks {
        let arrivals = vec![Arrivals::of(scenario); scenario.udp.len()];
        UdpSinks { group, flows: scenario.flows.len(), technology: scenario.technology, arrivals, events: 0 }
    }

    /// What arrived, by source.
    pub(in crate::net::batched) fn arrivals(&self) -> &[Arrivals] {
        &self.arrivals
    }

    fn on_packet(datagram: &Delivery, io: &mut Io) {
        let number = io.packet_side.number(datagram.frame);
        if let Some(segment) = io.packet_side.take(datagram.frame)
            && let Some(traces) = io.packet_traces()
        {
            traces.arrives(datagram.time, datagram.vc, number, &segment);
        }
    }

    /// A datagram arrives in cells, or what is left of it; returns whether it is whole.
    fn on_frame(datagram: &Delivery, io: &mut Io) -> bool {
        let &Delivery { time, seq_or_ack, vc, frame, size, what, .. } = datagram;
        let is_whole = what == What::WholeFrame;
        io.lost_datagrams.ended(vc, frame, is_whole);
        if let Some(traces) = io.packet_traces() {
            match is_whole {
                true => traces.arrives(time, vc, frame, &Segment { seq: seq_or_ack, len: size, ..Segment::default() }),
                false => traces.damaged(vc, frame),
            }
        }
        is_whole
    }
}

impl Process for UdpSinks {
    /// Datagrams are of no flow.
    fn add_under_way(&self, _: &Io, _: &mut Vec<VcId>) -> bool {
        true
    }

    fn advance(&mut self, until: Time, io: &mut Io) {
        let mut inbox = std::mem::take(&mut io.inboxes[self.group]);
        inbox.settle(until);
        for datagram in inbox.take_before(until) {
            self.events += 1;
            let is_whole = match self.technology {
                Technology::Atm { .. } => UdpSinks::on_frame(datagram, io),
                Technology::Packet { .. } => {
                    UdpSinks::on_packet(datagram, io);
                    true
                }
            };
            if is_whole {
                let source = end_of(datagram.vc).0 - self.flows;
                self.arrivals[source].add(datagram.time, datagram.seq_or_ack);
            }
        }
        io.inboxes[self.group] = inbox;
    }

    fn next(&self, io: &Io) -> Time {
        io.inboxes[self.group].earliest()
    }

    fn events(&self) -> u64 {
        self.events
    }
}
