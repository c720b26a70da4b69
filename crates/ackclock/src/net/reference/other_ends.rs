//! Ends that are not those of one flow of TCP: of datagrams, and of connections with data in both directions. And those of flows that have
//! ended: what they need is freed once nothing can happen to them any more.

use super::Reference;
use super::build::{Link, Output};
use crate::ids::VcId;
use crate::net::flow::{self, End, ack_vc, data_vc};
use crate::net::two_way::{Happening, Side, TwoWayEnd};
use crate::packet::Segment;
use crate::scenario::Technology;
use crate::units::Time;

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
        let ends = (self.sources.at(end.sends), self.sinks.at(end.receives));
        self.two_way.handle(self.now, end, happening, ends, self.traces.as_deref_mut(), &mut out);
        let vc = if end.side == Side::Client { data_vc(end.path) } else { ack_vc(end.path) };
        for segment in out {
            let window = self.edges.written(vc, &segment);
            self.hand_down(vc, Segment { window, ..segment });
        }
        self.schedule_timers(end.sends);
        self.schedule_timers(end.receives);
    }
}

impl Reference {
    /// How many of the flows that come and go are there.
    pub fn open_flows(&self) -> usize {
        self.sources.open()
    }

    /// Frees what has ended, if many flows are there: flows without a timer of which nothing is under way, nor waits at a host.
    #[inline]
    pub(super) fn put_away_ended(&mut self) {
        if self.sources.are_many() {
            self.free_ended();
        }
    }

    /// Frees what has ended.
    #[cold]
    pub fn free_ended(&mut self) {
        let waiting: Vec<VcId> = self.links.iter().flat_map(waiting_at_host).collect();
        let is_packets = matches!(self.technology, Technology::Packet { .. });
        let is_idle = |vc: VcId| is_packets && self.frames[vc].packets.is_empty() && !waiting.contains(&vc);
        let mut over = self.sources.quiet();
        over.retain(|&flow| is_idle(data_vc(flow)) && is_idle(ack_vc(flow)));
        over.retain(|&flow| self.sinks.deadline(flow) == Time::NEVER);
        self.sources.put_away(&over, self.now);
        self.sinks.put_away(&over, self.now);
    }
}

/// The connections of which something waits before a link that begins at a host.
fn waiting_at_host(link: &Link) -> impl Iterator<Item = VcId> {
    let nic = match &link.output {
        Output::Nic(nic, _) => Some(nic),
        Output::Scheduler(_) | Output::PassThrough(_) | Output::Cells(_) | Output::Packets(_) => None,
    };
    nic.into_iter().flat_map(|nic| nic.waiting())
}
