//! Where datagrams arrive: they are counted, and nothing is sent back.

use crate::net::batched::io::{Delivery, Io, What};
use crate::net::batched::process::Process;
use crate::net::flow::{Arrivals, end_of};
use crate::packet::Segment;
use crate::scenario::{Scenario, Technology};
use crate::units::Time;

/// The receiving ends of all sources of datagrams.
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
