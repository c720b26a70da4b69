//! Packets at ports, of which some share a medium.

use super::Shared;
use crate::ids::{Id, LinkId};
use crate::net::link::PacketMeta;
use crate::net::packet_port::{Coming, Departure};
use crate::net::reference::Reference;
use crate::net::reference::build::Output;
use crate::net::reference::under_way::PacketsHere;
use crate::packet::Unit;

impl Reference {
    /// It is a turn at a medium.
    pub(in crate::net::reference) fn on_turn(&mut self, medium: usize) {
        let now = self.now;
        let Shared { turns, links } = &mut self.media.all[medium];
        let number = turns.port();
        let id = links[number];
        let Output::Packets(port) = &mut self.links[id].output else { unreachable!("media are of ports of packets") };
        let mut owner = PacketsHere { frames: &mut self.frames, can_leave: |_| false };
        let departure = port.take_turn(now, (turns, number), &mut owner);
        self.event_tree.set(links[0].index(), turns.next());
        self.launch_packet(id, departure);
    }

    /// A packet comes to a port: what departs at once, if something does.
    pub(in crate::net::reference) fn arrives_at_port(
        &mut self,
        id: LinkId,
        coming: Coming,
        handle: (PacketMeta, Unit),
    ) -> Option<Departure<(PacketMeta, Unit)>> {
        let now = self.now;
        let Output::Packets(port) = &mut self.links[id].output else {
            unreachable!("packets come to ports of packets")
        };
        let mut owner = PacketsHere { frames: &mut self.frames, can_leave: |_| false };
        match self.media.places[id] {
            None => {
                let departure = port.on_arrival(now, coming, handle, &mut owner);
                self.event_tree.set(id.index(), port.next_event());
                departure
            }
            Some((medium, number)) => {
                let Shared { turns, links } = &mut self.media.all[medium];
                let departure = port.arrives_at_medium(now, coming, handle, (turns, number), &mut owner);
                self.event_tree.set(links[0].index(), turns.next());
                departure
            }
        }
    }
}
