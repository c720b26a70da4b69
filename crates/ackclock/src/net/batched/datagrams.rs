//! Where datagrams arrive: they are counted, and nothing is sent back.

use super::io::Io;
use crate::net::flow::{Arrivals, end_of};
use crate::units::Time;

/// The receiving ends of all sources of datagrams.
pub(super) struct DatagramSinks {
    /// Which inbox they read.
    group: usize,
    /// How many flows there are: the sources of datagrams are numbered after them.
    flows: usize,
    arrivals: Vec<Arrivals>,
    events: u64,
}

impl DatagramSinks {
    /// The ends of so many sources, in a network with so many flows.
    pub(super) fn new(group: usize, flows: usize, sources: usize) -> DatagramSinks {
        DatagramSinks { group, flows, arrivals: vec![Arrivals::default(); sources], events: 0 }
    }

    /// Counts what arrives before `until`.
    pub(super) fn advance(&mut self, until: Time, io: &mut Io) {
        let mut inbox = std::mem::take(&mut io.inboxes[self.group]);
        inbox.settle(until);
        for datagram in inbox.take_before(until) {
            self.events += 1;
            let number = io.sacks.number(datagram.frame);
            if let Some(segment) = io.sacks.take(datagram.frame)
                && let Some(traces) = io.packet_traces()
            {
                traces.arrives(datagram.time, datagram.vc, number, &segment);
            }
            let source = end_of(datagram.vc).0 - self.flows;
            self.arrivals[source].add(datagram.time, datagram.carries);
        }
        io.inboxes[self.group] = inbox;
    }

    /// Before then nothing arrives, as far as is known.
    pub(super) fn next(&self, io: &Io) -> Time {
        io.inboxes[self.group].earliest()
    }

    /// Datagrams that have arrived.
    pub(super) fn events(&self) -> u64 {
        self.events
    }

    /// What arrived, by source.
    pub(super) fn arrivals(&self) -> &[Arrivals] {
        &self.arrivals
    }
}
