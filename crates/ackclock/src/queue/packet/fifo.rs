//! One queue, first in, first out, with a drop policy.

use super::discipline::{Dropped, LinkUse, QueueDiscipline, QueuePort, QueuedPacket, Room};
use super::{DropReason, PacketArrival, PacketPolicy, Verdict};
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

impl<P: PacketPolicy> Fifo<P> {
    /// The policy signals with a packet that has its turn, and perhaps with those behind it: the one that leaves.
    #[inline(never)]
    fn signal(
        &mut self,
        now: Time,
        mut packet: QueuedPacket,
        mut verdict: Verdict,
        dropped: &mut Dropped,
    ) -> Option<QueuedPacket> {
        loop {
            if let Some(packet) = dropped.leaving(packet, verdict, || self.policy.on_marked()) {
                return Some(packet);
            }
            let Some(next) = self.packets.pop() else {
                self.policy.on_idle();
                return None;
            };
            packet = next;
            verdict = self.policy.on_dequeue(now, now.since(packet.arrived), self.packets.bytes());
        }
    }
}

impl<P: PacketPolicy> QueueDiscipline for Fifo<P> {
    fn enqueue(&mut self, mut packet: QueuedPacket, link: LinkUse, dropped: &mut Dropped) {
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
            Verdict::Mark if arrival.is_full => dropped.push(packet, DropReason::Overflow),
            Verdict::Mark if packet.mark() => *self.packets.place(packet.bytes) = packet,
            Verdict::Mark => dropped.push(packet, DropReason::Policy),
        }
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Dropped) -> Option<QueuedPacket> {
        let Some(packet) = self.packets.pop() else {
            self.policy.on_idle();
            return None;
        };
        match self.policy.on_dequeue(now, now.since(packet.arrived), self.packets.bytes()) {
            Verdict::Accept => Some(packet),
            verdict => self.signal(now, packet, verdict, dropped),
        }
    }

    fn flush(&mut self) -> Option<QueuedPacket> {
        self.packets.pop()
    }

    fn accepts_at_once(&self) -> bool {
        self.policy.accepts_at_once()
    }

    fn room(&self) -> Option<Room> {
        let room = Room { packets: self.max_packets, bytes: self.packets.max_bytes() };
        self.policy.is_for_room_alone().then_some(room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ecn;
    use crate::queue::DropReason;
    use crate::queue::packet::BatchHints;
    use crate::units::Rate;

    /// Says the same of every packet, when it comes and at its turn, and counts what it is told of marks.
    struct Says(Verdict, Verdict, u32);

    impl PacketPolicy for Says {
        fn on_enqueue(&mut self, _arrival: &PacketArrival) -> Verdict {
            self.0
        }

        fn on_dequeue(&mut self, _now: Time, _waited: crate::units::Span, _left_bytes: u64) -> Verdict {
            self.1
        }

        fn on_marked(&mut self) {
            self.2 += 1;
        }
    }

    impl BatchHints for Says {}

    /// What becomes of a packet with these bits at a port with room for one that is free or not: what leaves, what is dropped, what the
    /// policy was told.
    fn fate(policy: Says, ecn: Ecn, is_full: bool) -> (Option<Ecn>, Option<DropReason>, u32) {
        let room = u32::from(!is_full);
        let port = QueuePort { rate: Rate::from_bps(1).unwrap(), max_packets: room, max_bytes: u64::MAX, flows: &[0] };
        let (mut fifo, mut dropped) = (Fifo::new(&port, policy), Dropped::default());
        let packet = QueuedPacket { bytes: 1500, ecn, ..QueuedPacket::default() };
        fifo.enqueue(packet, LinkUse { idle: None, is_free: false }, &mut dropped);
        let left = fifo.dequeue(Time::ZERO, &mut dropped).map(|packet| packet.ecn);
        let reason = dropped.drain().next().map(|(_, reason)| reason);
        (left, reason, fifo.policy.2)
    }

    /// RFC 3168 §5: what is not ECT is dropped where others are marked; a full buffer drops both.
    #[test]
    fn a_mark_drops_what_cannot_be_marked_and_what_does_not_fit() {
        let at_arrival = || Says(Verdict::Mark, Verdict::Accept, 0);
        let (ect, other) = (Ecn::ECT_0, Ecn::NOT_ECT);
        assert_eq!(fate(at_arrival(), ect, false), (Some(Ecn::CE), None, 0));
        assert_eq!(fate(at_arrival(), other, false), (None, Some(DropReason::Policy), 0));
        assert_eq!(fate(at_arrival(), ect, true), (None, Some(DropReason::Overflow), 0));
        let at_turn = || Says(Verdict::Accept, Verdict::Mark, 0);
        assert_eq!(fate(at_turn(), ect, false), (Some(Ecn::CE), None, 1));
        assert_eq!(fate(at_turn(), Ecn::CE, false), (Some(Ecn::CE), None, 1), "a signal, though it has the mark");
        assert_eq!(fate(at_turn(), other, false), (None, Some(DropReason::Policy), 0));
    }
}
