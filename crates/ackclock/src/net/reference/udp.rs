//! Sources of datagrams.

use super::Reference;
use crate::net::flow::{self, End, ack_vc, data_vc};
use crate::packet::Segment;

impl Reference {
    pub(super) fn send_udp(&mut self, source: usize) {
        let segment = flow::next_datagram(&mut self.udp[source].1);
        if let Some(traces) = &mut self.traces {
            traces.handed_down(self.now, self.flows.len() + source);
        }
        self.hand_down(data_vc(self.flows.len() + source), segment);
        self.schedule_udp(source);
    }

    /// A datagram arrives at one end of the connection of a source, or comes back to it.
    pub(super) fn on_datagram(&mut self, source: usize, end: End, segment: Segment) {
        let (_, cbr, arrivals) = &mut self.udp[source];
        match end {
            End::Sender => cbr.returns(self.now, segment.seq),
            End::Receiver => {
                arrivals.add(self.now, segment.seq);
                if cbr.echoes().is_some() {
                    self.hand_down(ack_vc(self.flows.len() + source), segment);
                }
            }
        }
    }

    pub(super) fn schedule_udp(&mut self, source: usize) {
        self.event_tree.set(self.first_udp() + source, self.udp[source].1.next());
    }
}
