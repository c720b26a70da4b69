//! Connections with data in both directions: none of it is on a fast path.

use super::Hosts;
use crate::net::batched::io::Io;
use crate::net::flow::{End, ack_vc, data_vc};
use crate::net::two_way::{Happening, Side, TwoWay, TwoWayEnd};
use crate::units::Time;

impl Hosts {
    /// The same hosts with these connections.
    pub(in crate::net::batched) fn with_two_way(self, two_way: TwoWay) -> Hosts {
        Hosts { two_way, ..self }
    }

    /// The connections with data in both directions.
    pub(in crate::net::batched) fn two_way(&self) -> &TwoWay {
        &self.two_way
    }

    /// Something happens at an end of such a connection, which sends what it has then.
    #[inline(never)]
    pub(super) fn at_end_of_two(&mut self, now: Time, end: TwoWayEnd, happening: Happening, io: &mut Io) {
        let mut out = Vec::new();
        let (source, sink) = (self.sources.at(end.sends), self.sinks.at(end.receives));
        self.two_way.handle(now, end, happening, (source, sink), io.traces.as_deref_mut(), &mut out);
        let (vc, number) = match end.side {
            Side::Client => (data_vc(end.path), self.exits.numbering.of(end.path, End::Sender)),
            Side::Server => (ack_vc(end.path), self.exits.numbering.of(end.path, End::Receiver)),
        };
        for segment in out {
            self.exits.uplinks.send_rare(now, vc, number, segment, io);
        }
        let [sender, receiver] = [(end.sends, End::Sender), (end.receives, End::Receiver)]
            .map(|(flow, end)| self.exits.numbering.of(flow, end));
        self.exits.timers.set(sender, self.sources.deadline(end.sends));
        self.exits.timers.set(receiver, self.sinks.deadline(end.receives));
    }
}
