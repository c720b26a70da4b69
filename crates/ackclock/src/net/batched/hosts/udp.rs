//! Where datagrams arrive: they are counted, and nothing is sent back.

use crate::net::batched::io::Io;
use crate::net::batched::process::Process;
use crate::net::flow::{Arrivals, end_of};
use crate::units::Time;

/// The receiving ends of all sources of datagrams.
pub(in crate::net::batched) struct UdpSinks {
    /// Which inbox they read.
    group: usize,
    /// How many flows there are: the sources of datagrams are numbered after them.
    flows: usize,
    arrivals: Vec<Arrivals>,
    events: u64,
}

impl UdpSinks {
    /// The ends of so many sources, in a network with so many flows.
    pub(in crate::net::batched) fn new(group: usize, flows: usize, sources: usize) -> UdpSinks {
        UdpSinks { group, flows, arrivals: vec![Arrivals::default(); sources], events: 0 }
    }

    /// What arrived, by source.
    pub(in crate::net::batched) fn arrivals(&self) -> &[Arrivals] {
        &self.arrivals
    }
}

impl Process for UdpSinks {
    fn advance(&mut self, until: Time, io: &mut Io) {
        let mut inbox = std::mem::take(&mut io.inboxes[self.group]);
        inbox.settle(until);
        for datagram in inbox.take_before(until) {
            self.events += 1;
            let number = io.packet_side.number(datagram.frame);
            if let Some(segment) = io.packet_side.take(datagram.frame)
                && let Some(traces) = io.packet_traces()
            {
                traces.arrives(datagram.time, datagram.vc, number, &segment);
            }
            let source = end_of(datagram.vc).0 - self.flows;
            self.arrivals[source].add(datagram.time, datagram.seq_or_ack);
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
