//! Sources of datagrams.

use super::Reference;
use crate::net::flow::{self, data_vc};

impl Reference {
    pub(super) fn send_udp(&mut self, source: usize) {
        let cbr = &mut self.udp[source].1;
        let segment = flow::datagram(cbr.send(), cbr.payload_bytes());
        if let Some(traces) = &mut self.traces {
            traces.handed_down(self.now, self.flows.len() + source);
        }
        self.hand_down(data_vc(self.flows.len() + source), segment);
        self.schedule_udp(source);
    }

    pub(super) fn schedule_udp(&mut self, source: usize) {
        self.event_tree.set(self.first_udp() + source, self.udp[source].1.next());
    }
}
