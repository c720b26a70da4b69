//! Output ports of packet switches, packet by packet: when each is transmitted is known when it arrives.
//!
//! Ports that one output feeds, and nothing else, advance together: behind a bottleneck there are as many as flows.

use std::collections::VecDeque;

use super::counts::Counts;
use super::io::{Arrived, Destination, Io, Item, Leg, UnderWay};
use super::serializer::Serializers;
use super::tail::Tail;
use crate::ids::{Id, IdVec, VcId};
use crate::queue::drop::{Arrival, DropPolicy, DropReason, TailDrop, Verdict};
use crate::record::PortRecord;
use crate::record::trace::{PortTrace, Refused};
use crate::units::Time;

/// Ports that share a mailbox.
pub(super) struct PacketPorts {
    mailbox: usize,
    ports: Vec<PacketPort>,
    tails: Vec<Tail>,
    serializers: Serializers,
    packets: u64,
}

/// A packet port.
#[derive(Clone)]
pub(super) struct PacketPort {
    serializer: u32,
    /// Limit of waiting bytes, beside the limit of packets that the buffer has.
    max_bytes: u64,
    waiting_bytes: u64,
    policy: TailDrop,
    vcs: IdVec<VcId, PortVc>,
    /// When the transmission of the last accepted packet is complete.
    free: Time,
    /// The packets that waited when the last one arrived: when their transmission begins, connection, octets.
    waiting: VecDeque<(Time, VcId, u32)>,
    counts: Counts,
    trace: Option<Box<PortTrace>>,
}

/// One connection at a port.
#[derive(Clone)]
pub(super) struct PortVc {
    pub(super) id: VcId,
    pub(super) name_hash: u64,
    /// From the completion of a transmission to the arrival.
    pub(super) leg: Leg,
}

impl PacketPorts {
    /// Ports that read `mailbox`, and those behind them.
    pub(super) fn new(
        mailbox: usize,
        ports: Vec<PacketPort>,
        tails: Vec<Tail>,
        serializers: Serializers,
    ) -> PacketPorts {
        PacketPorts { mailbox, ports, tails, serializers, packets: 0 }
    }

    /// Handles every arrival before `until`.
    pub(super) fn advance(&mut self, until: Time, io: &mut Io) {
        let mut mailbox = std::mem::take(&mut io.mailboxes[self.mailbox]);
        mailbox.settle(until);
        let packets = mailbox.take_before(until);
        self.packets += packets.len() as u64;
        for packet in packets {
            self.ports[packet.port as usize].on_arrival(packet, &mut self.tails, &mut self.serializers, io);
        }
        io.mailboxes[self.mailbox] = mailbox;
    }

    /// Before then nothing happens here, as far as is known.
    pub(super) fn next(&self, io: &Io) -> Time {
        io.mailboxes[self.mailbox].earliest()
    }

    /// Packets transmitted or refused so far.
    pub(super) fn events(&self) -> u64 {
        self.packets
    }

    /// One port's record at `now`.
    pub(super) fn record(&self, port: usize, now: Time, name: &str, vcs: impl Iterator<Item = String>) -> PortRecord {
        let port = self.ports[port].at(now);
        let waiting = port.waiting.iter().map(|&(start, vc, _)| (vc, start.as_ps()));
        port.counts.record(now, name, vcs, waiting)
    }

    /// What one port recorded before `now`, if it did.
    pub(super) fn trace(&self, port: usize, now: Time) -> Option<PortTrace> {
        let port = &self.ports[port];
        port.trace.is_some().then(|| port.at(now).trace).flatten().map(|trace| *trace)
    }

    /// The record at `now` of one of the ports behind them.
    pub(super) fn tail_record(
        &self,
        tail: usize,
        now: Time,
        under_way: &UnderWay,
        name: &str,
        vcs: impl Iterator<Item = String>,
    ) -> PortRecord {
        let tail = &self.tails[tail];
        let before = &self.ports[tail.place.behind as usize];
        let accepted = |vc: VcId| (before.vcs[vc].id, before.counts.accepted_of(vc));
        tail.record(now, accepted, under_way, name, vcs)
    }
}

impl PacketPort {
    /// An idle port whose packets this serializer serializes.
    pub(super) fn new(
        serializer: u32,
        max_bytes: u64,
        vcs: IdVec<VcId, PortVc>,
        counts: Counts,
        trace: Option<Box<PortTrace>>,
    ) -> PacketPort {
        PacketPort {
            serializer,
            max_bytes,
            waiting_bytes: 0,
            policy: TailDrop,
            vcs,
            free: Time::ZERO,
            waiting: VecDeque::new(),
            counts,
            trace,
        }
    }

    /// The port with everything before `now`: departures are handled when the next packet arrives.
    fn at(&self, now: Time) -> PacketPort {
        let mut port = self.clone();
        while port.waiting.front().is_some_and(|&(start, ..)| start < now) {
            port.depart();
        }
        port
    }

    #[inline]
    fn on_arrival(&mut self, packet: &Item, tails: &mut [Tail], serializers: &mut Serializers, io: &mut Io) {
        let &Item { time: now, at_port, frame, size: bytes, .. } = packet;
        // At one instant departures come first.
        while self.waiting.front().is_some_and(|&(start, ..)| start <= now) {
            self.depart();
        }
        self.counts.arrive(at_port, 1);
        let start = if self.waiting.is_empty() && self.free <= now {
            now
        } else {
            let verdict = if self.waiting_bytes + u64::from(bytes) > self.max_bytes {
                Verdict::Drop(DropReason::Overflow)
            } else {
                self.policy.admit(Arrival { vc: at_port, eom: true }, self.counts.buffer())
            };
            if let Verdict::Drop(reason) = verdict {
                if let Some(trace) = &mut self.trace {
                    trace.refused(Refused { time: now, vc: at_port.index() as u32, frame, reason });
                }
                return self.counts.refuse(now, at_port, self.vcs[at_port].name_hash, reason);
            }
            self.counts.enter(at_port, now.as_ps());
            self.counts.wait(at_port, self.free.since(now).as_ps());
            self.waiting_bytes += u64::from(bytes);
            self.waiting.push_back((self.free, at_port, bytes));
            self.record_queue(now, at_port);
            self.free
        };
        self.free = start + serializers.time(self.serializer, bytes);
        if let Some(trace) = &mut self.trace {
            trace.transmits(start, self.free);
        }
        let vc = &self.vcs[at_port];
        let time = self.free + vc.leg.lag;
        match vc.leg.to {
            Destination::Tail { tail, at_port } => {
                let tail = &mut tails[tail as usize];
                let complete = tail.pass(now, time, serializers.time(tail.place.serializer, bytes), at_port);
                let (time, group, link) = (complete + tail.place.lag, tail.place.group, tail.place.link);
                io.deliver(group, Arrived { time, vc: vc.id, frame, link, good: true });
            }
            Destination::Host { group, link } => {
                io.deliver(group, Arrived { time, vc: vc.id, frame, link, good: true });
            }
            Destination::Port { mailbox, port, input, at_port } => {
                io.post(mailbox, Item { time, port, input, at_port, frame, size: bytes, index: 0, eom: true });
            }
        }
    }

    #[inline]
    fn depart(&mut self) {
        let Some((start, vc, bytes)) = self.waiting.pop_front() else { return };
        self.counts.leave(vc, 1, start.as_ps());
        self.waiting_bytes -= u64::from(bytes);
        self.record_queue(start, vc);
    }

    /// A packet of `vc` has come or gone.
    #[inline]
    fn record_queue(&mut self, now: Time, vc: VcId) {
        if let Some(trace) = &mut self.trace {
            trace.queued(now, self.waiting.len() as u32);
            trace.queued_of(now, vc.index(), self.counts.buffer().queued_of(vc));
        }
    }
}
