//! The output port of a packet switch: FIFO with tail drop, limited in packets or in bytes.

use std::collections::VecDeque;

use super::occupancy::Occupancy;
use crate::ids::VcId;
use crate::packet::Unit;
use crate::queue::drop::{Arrival, DropPolicy, DropReason, TailDrop, Verdict};
use crate::units::{Rate, Span, Time};

/// A packet port.
pub(super) struct PacketPort {
    rate: Rate,
    /// Limit of waiting bytes, beside the limit of packets that the buffer has.
    max_bytes: u64,
    waiting_bytes: u64,
    policy: TailDrop,
    /// Packets with their connections' numbers at this port and their sizes.
    queue: VecDeque<(VcId, Unit, u32)>,
    free: Time,
    pub(super) occupancy: Occupancy,
}

/// A packet that begins to be transmitted.
pub(super) struct Departure {
    pub(super) packet: Unit,
    /// When its last bit has left.
    pub(super) complete: Time,
}

impl PacketPort {
    /// An idle port.
    pub(super) fn new(rate: Rate, max_bytes: u64, occupancy: Occupancy) -> PacketPort {
        PacketPort {
            rate,
            max_bytes,
            waiting_bytes: 0,
            policy: TailDrop,
            queue: VecDeque::new(),
            free: Time::ZERO,
            occupancy,
        }
    }

    /// A packet of the port's connection `vc`, `bytes` on the wire, arrives. It is transmitted at once, or waits (then the port's next departure
    /// is at [`PacketPort::next_departure`]), or is refused.
    pub(super) fn on_arrival(
        &mut self,
        now: Time,
        vc: VcId,
        packet: Unit,
        bytes: u32,
        vc_name: u64,
    ) -> Option<Departure> {
        self.occupancy.arrive(vc);
        if self.queue.is_empty() && self.free <= now {
            self.occupancy.pass(vc);
            return Some(self.transmit(now, packet, bytes));
        }
        let verdict = if self.waiting_bytes + u64::from(bytes) > self.max_bytes {
            Verdict::Drop(DropReason::Overflow)
        } else {
            self.policy.admit(Arrival { vc, eom: true }, self.occupancy.buffer())
        };
        match verdict {
            Verdict::Drop(reason) => self.occupancy.refuse(now, vc, vc_name, packet.frame, reason),
            Verdict::Accept => {
                self.occupancy.enter(now, vc);
                self.waiting_bytes += u64::from(bytes);
                self.queue.push_back((vc, packet, bytes));
            }
        }
        None
    }

    /// The transmission that ran is complete: the next begins.
    pub(super) fn on_departure(&mut self, now: Time) -> Option<Departure> {
        let (vc, packet, bytes) = self.queue.pop_front()?;
        self.occupancy.leave(now, vc);
        self.waiting_bytes -= u64::from(bytes);
        Some(self.transmit(now, packet, bytes))
    }

    /// When the next waiting packet begins to be transmitted.
    pub(super) fn next_departure(&self) -> Time {
        if self.queue.is_empty() { Time::NEVER } else { self.free }
    }

    fn transmit(&mut self, now: Time, packet: Unit, bytes: u32) -> Departure {
        let time: Span = self.rate.serialization(u64::from(bytes) * 8);
        self.free = now + time;
        self.occupancy.transmits(now, time);
        Departure { packet, complete: self.free }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;
    use crate::queue::Buffer;

    fn port(max_packets: u32, max_bytes: u64) -> PacketPort {
        // 1 Gb/s: one byte takes 8 ns.
        PacketPort::new(Rate::from_bps(1_000_000_000).unwrap(), max_bytes, Occupancy::new(max_packets, 1, None))
    }

    fn packet(frame: u32) -> Unit {
        Unit { vc: VcId::from_index(0), frame, index: 0, hop: 0, eom: true }
    }

    fn ns(ns: u64) -> Time {
        Time::from_ps(ns * 1000)
    }

    #[test]
    fn packets_follow_each_other_without_gaps() {
        let mut port = port(10, u64::MAX);
        assert_eq!(port.on_arrival(ns(0), VcId::from_index(0), packet(0), 100, 0).unwrap().complete, ns(800));
        assert!(port.on_arrival(ns(10), VcId::from_index(0), packet(1), 50, 0).is_none());
        assert_eq!(port.next_departure(), ns(800));
        let next = port.on_departure(ns(800)).unwrap();
        assert_eq!((next.packet.frame, next.complete), (1, ns(1200)));
        assert_eq!(port.next_departure(), Time::NEVER);
        assert!(
            port.on_arrival(ns(1200), VcId::from_index(0), packet(2), 100, 0).is_some(),
            "idle at the very instant"
        );
    }

    #[test]
    fn the_limit_counts_waiting_packets() {
        let mut port = port(2, u64::MAX);
        for frame in 0..4 {
            port.on_arrival(ns(0), VcId::from_index(0), packet(frame), 100, 0);
        }
        assert_eq!((port.queue.len(), port.occupancy.buffer().queued()), (2, 2), "one under way, two wait, one gone");
    }

    #[test]
    fn or_waiting_bytes() {
        let mut port = port(Buffer::INFINITE, 150);
        for frame in 0..3 {
            port.on_arrival(ns(0), VcId::from_index(0), packet(frame), 100, 0);
        }
        assert_eq!(port.queue.len(), 1);
        port.on_arrival(ns(0), VcId::from_index(0), packet(3), 50, 0);
        assert_eq!(port.queue.len(), 2, "50 bytes fit exactly");
        port.on_arrival(ns(0), VcId::from_index(0), packet(4), 1, 0);
        assert_eq!(port.queue.len(), 2);
    }
}
