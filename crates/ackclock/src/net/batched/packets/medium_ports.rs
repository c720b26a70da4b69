//! The packet ports of a medium, in one process: they share a transmitter, so who sends when depends on all that comes to any of them.
//! They are driven event by event, as in the reference, up to the horizon. What goes from one of them to another arrives no earlier than
//! that: the lookahead of the process to itself.

use std::sync::Arc;

use crate::ids::{IdVec, VcId};
use crate::link::Turns;
use crate::net::batched::io::{Arrival, Io};
use crate::net::batched::packets::changing_port::{Held, Packets};
use crate::net::batched::packets::port::PortVc;
use crate::net::batched::process::{Ports, Process};
use crate::net::build::PacketKinds;
use crate::net::link::Link;
use crate::net::packet_port::PacketPort;
use crate::record::PortRecord;
use crate::record::trace::PortTrace;
use crate::units::Time;

/// The ports of one medium, of which one transmits at a time.
pub(in crate::net::batched) struct MediumPorts {
    mailbox: usize,
    turns: Turns,
    /// In the order of their links.
    ports: Vec<MediumPort>,
    kinds: PacketKinds,
    packets: u64,
}

/// A port of a medium, and the connections that cross it.
pub(in crate::net::batched) struct MediumPort {
    pub(in crate::net::batched) port: PacketPort<Held>,
    pub(in crate::net::batched) vcs: IdVec<VcId, PortVc>,
}

impl MediumPorts {
    /// Ports in the order of their links, which read `mailbox`.
    pub(in crate::net::batched) fn new(
        mailbox: usize,
        turns: Turns,
        ports: Vec<MediumPort>,
        kinds: PacketKinds,
    ) -> MediumPorts {
        MediumPorts { mailbox, turns, ports, kinds, packets: 0 }
    }

    fn on_arrival(&mut self, packet: &Arrival, io: &mut Io) {
        self.packets += 1;
        let copies = self.ports[packet.input_ref.port as usize].port.duplicates();
        let copy = copies.then(|| Arrival { frame: io.packet_side.copy(packet.frame), ..*packet });
        self.take_in(packet, io);
        if let Some(copy) = copy {
            self.take_in(&copy, io);
        }
    }

    fn take_in(&mut self, packet: &Arrival, io: &mut Io) {
        let number = packet.input_ref.port as usize;
        let MediumPort { port, vcs } = &mut self.ports[number];
        let mut packets = Packets { vcs, kinds: &self.kinds, io };
        let (coming, held) = packets.coming(packet);
        let departure = port.arrives_at_medium(packet.time, coming, held, (&mut self.turns, number), &mut packets);
        if let Some(departure) = departure {
            packets.launch(&departure);
        }
    }

    fn on_turn(&mut self, io: &mut Io) {
        self.packets += 1;
        let (now, number) = (self.turns.next(), self.turns.port());
        let MediumPort { port, vcs } = &mut self.ports[number];
        let mut packets = Packets { vcs, kinds: &self.kinds, io };
        if let Some(departure) = port.take_turn(now, (&mut self.turns, number), &mut packets) {
            packets.launch(&departure);
        }
    }
}

impl Process for MediumPorts {
    fn add_under_way(&self, io: &Io, vcs: &mut Vec<VcId>) -> bool {
        let coming = io.mailboxes[self.mailbox].waiting().iter().map(|packet| packet.input_ref);
        vcs.extend(coming.map(|to| self.ports[to.port as usize].vcs[to.at_port].id));
        for MediumPort { port, vcs: crossing } in &self.ports {
            vcs.extend(port.all_waiting().map(|packet| crossing[packet.vc].id));
        }
        true
    }

    fn advance(&mut self, until: Time, io: &mut Io) {
        let mut mailbox = std::mem::take(&mut io.mailboxes[self.mailbox]);
        mailbox.settle(until);
        for packet in mailbox.take_before(until).iter() {
            // At one instant turns come first.
            while self.turns.next() <= packet.time {
                self.on_turn(io);
            }
            self.on_arrival(packet, io);
        }
        while self.turns.next() < until {
            self.on_turn(io);
        }
        // What goes on to another of these ports.
        let sent = std::mem::replace(&mut io.mailboxes[self.mailbox], mailbox);
        sent.waiting().iter().for_each(|&packet| io.mailboxes[self.mailbox].post(packet));
    }

    fn next(&self, io: &Io) -> Time {
        io.mailboxes[self.mailbox].earliest().min(self.turns.next())
    }

    fn events(&self) -> u64 {
        self.packets
    }

    fn take_trace(&mut self, port: u32, _now: Time) -> Option<PortTrace> {
        self.ports[port as usize].port.monitor.trace.take().map(|trace| *trace)
    }
}

impl Ports for MediumPorts {
    fn record(&self, port: u32, now: Time, name: &str, vcs: &mut dyn Iterator<Item = Arc<str>>) -> PortRecord {
        self.ports[port as usize].port.monitor.record(now, name, vcs)
    }

    fn trace(&self, port: u32, _now: Time) -> Option<PortTrace> {
        self.ports[port as usize].port.monitor.trace.as_deref().cloned()
    }

    fn links(&self) -> Vec<&Link> {
        self.ports.iter().filter_map(|port| port.port.link.as_deref()).collect()
    }
}
