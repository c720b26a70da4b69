//! Ends that are not those of one flow of TCP: of datagrams, and of connections with data in both directions.

use super::Reference;
use crate::net::flow::{self, End, ack_vc, data_vc};
use crate::net::two_way::{Happening, Side, TwoWayEnd};
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

    /// Something happens at an end of a connection with data in both directions, which sends what it has then.
    pub(super) fn at_end_of_two(&mut self, end: TwoWayEnd, happening: Happening) {
        let mut out = Vec::new();
        let [sends, receives] =
            self.flows.get_disjoint_mut([end.sends, end.receives]).expect("a connection is two flows");
        let ends = (&mut sends.source, &mut receives.sink);
        self.two_way.handle(self.now, end, happening, ends, self.traces.as_deref_mut(), &mut out);
        let vc = if end.side == Side::Client { data_vc(end.path) } else { ack_vc(end.path) };
        for segment in out {
            self.hand_down(vc, segment);
        }
        self.schedule_timers(end.sends);
        self.schedule_timers(end.receives);
    }
}
