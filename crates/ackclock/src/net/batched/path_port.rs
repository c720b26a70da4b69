//! Packet ports of which it is not known, when a packet arrives, when it will be at the other end of the link: their
//! policy looks at time, or the link changes or corrupts packets. They are driven event by event, as in the reference, up
//! to the horizon: no transmission that begins before it can be changed by what comes after it.

use super::io::{Cells, Io, Item, SentPacket};
use super::packet_port::PortVc;
use crate::ids::{IdVec, VcId};
use crate::net::build;
use crate::net::link::{Link, Rider};
use crate::net::packet_port::{Departure, PacketPort, Turn};
use crate::path::Packet;
use crate::record::PortRecord;
use crate::record::trace::PortTrace;
use crate::units::Time;

/// Such a port.
pub(super) struct PathPort {
    mailbox: usize,
    port: PacketPort<Item>,
    vcs: IdVec<VcId, PortVc>,
    /// How many flows the scenario has.
    flows: usize,
    packets: u64,
}

impl PathPort {
    /// A port that reads `mailbox`, in a network with so many flows.
    pub(super) fn new(mailbox: usize, port: PacketPort<Item>, vcs: IdVec<VcId, PortVc>, flows: usize) -> PathPort {
        PathPort { mailbox, port, vcs, flows, packets: 0 }
    }

    /// Handles everything before `until`.
    pub(super) fn advance(&mut self, until: Time, io: &mut Io) {
        let mut mailbox = std::mem::take(&mut io.mailboxes[self.mailbox]);
        mailbox.settle(until);
        for packet in mailbox.take_before(until) {
            // At one instant departures come first.
            while self.port.next_event() <= packet.time {
                self.on_event(io);
            }
            self.on_arrival(packet, io);
        }
        while self.port.next_event() < until {
            self.on_event(io);
        }
        io.mailboxes[self.mailbox] = mailbox;
    }

    /// Before then nothing happens here, as far as is known.
    pub(super) fn next(&self, io: &Io) -> Time {
        io.mailboxes[self.mailbox].earliest().min(self.port.next_event())
    }

    /// Packets and departures handled so far.
    pub(super) fn events(&self) -> u64 {
        self.packets
    }

    /// The port's record at `now`.
    pub(super) fn record(&self, now: Time, name: &str, vcs: impl Iterator<Item = String>) -> PortRecord {
        self.port.monitor.record(now, name, vcs)
    }

    /// What the port recorded, if it did.
    pub(super) fn trace(&self) -> Option<PortTrace> {
        self.port.monitor.trace.as_deref().cloned()
    }

    /// The link behind it, if that is not plain.
    pub(super) fn link(&self) -> Option<&Link> {
        self.port.link.as_deref()
    }

    fn on_arrival(&mut self, packet: &Item, io: &mut Io) {
        self.packets += 1;
        let vc = &self.vcs[packet.entrance.at_port];
        let rider = Rider {
            vc: packet.entrance.at_port,
            vc_name: vc.name_hash,
            frame: io.sacks.number(packet.frame),
            packet: Packet { bytes: packet.size, kind: build::kind(vc.id, self.flows) },
        };
        let sacks = &mut io.sacks;
        let departure = self.port.on_arrival(packet.time, rider, *packet, |lost| {
            sacks.take(lost.frame);
        });
        self.launch(departure, io);
    }

    fn on_event(&mut self, io: &mut Io) {
        self.packets += 1;
        let sacks = &mut io.sacks;
        let forget = |lost: Item| {
            sacks.take(lost.frame);
        };
        match self.port.on_event(self.port.next_event(), forget, |_| false) {
            Some(Turn::Departs(departure)) => self.launch(Some(departure), io),
            Some(Turn::Leaves(_)) => unreachable!("there is no other port"),
            None => {}
        }
    }

    fn launch(&self, departure: Option<Departure<Item>>, io: &mut Io) {
        let Some(Departure { handle: Item { carries, entrance, frame, size, .. }, arrives: time, .. }) = departure
        else {
            return;
        };
        let vc = &self.vcs[entrance.at_port];
        io.send_packet(vc.to, time, vc.id, SentPacket { carries, frame, size, crossed: Cells::default() });
    }
}
