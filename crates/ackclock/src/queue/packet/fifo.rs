//! One queue, first in, first out, with a drop policy.

use super::discipline::{Dropped, LinkUse, QueueDiscipline, QueuePort, QueuedPacket};
use super::{PacketArrival, PacketPolicy, Verdict};
use crate::queue::packet_fifo::{PacketFifo, Waits};
use crate::units::Time;

/// A FIFO with a limit of packets and of octets, and a policy that may refuse packets or drop them at their turn.
#[derive(Debug)]
pub struct Fifo<P> {
    policy: P,
    packets: PacketFifo<QueuedPacket>,
    max_packets: u32,
}

impl Waits for QueuedPacket {
    fn bytes(&self) -> u32 {
        self.bytes
    }
}

impl<P: PacketPolicy> Fifo<P> {
    /// An empty FIFO with the limits of this port.
    pub fn new(port: &QueuePort<'_>, policy: P) -> Fifo<P> {
        Fifo { policy, packets: PacketFifo::new(port.max_bytes), max_packets: port.max_packets }
    }
}

impl<P: PacketPolicy> QueueDiscipline for Fifo<P> {
    fn enqueue(&mut self, packet: QueuedPacket, link: LinkUse, dropped: &mut Dropped) {
        if link.idle.is_some() {
            self.policy.on_idle();
        }
        let queued = self.packets.as_slice().len() as u32;
        let has_room = self.packets.has_room(packet.bytes, queued >= self.max_packets);
        let arrival = PacketArrival {
            now: packet.arrived,
            idle: link.idle,
            queued,
            queued_bytes: self.packets.bytes(),
            is_full: !has_room && !link.is_free,
        };
        match self.policy.on_enqueue(&arrival) {
            Verdict::Drop(reason) => dropped.push(packet, reason),
            Verdict::Accept => *self.packets.place(packet.bytes) = packet,
        }
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Dropped) -> Option<QueuedPacket> {
        while let Some(packet) = self.packets.pop() {
            match self.policy.on_dequeue(now, now.since(packet.arrived), self.packets.bytes()) {
                Verdict::Accept => return Some(packet),
                Verdict::Drop(reason) => dropped.push(packet, reason),
            }
        }
        self.policy.on_idle();
        None
    }

    fn flush(&mut self) -> Option<QueuedPacket> {
        self.packets.pop()
    }

    fn accepts_at_once(&self) -> bool {
        self.policy.accepts_at_once()
    }
}
