//! A queue for each flow of a port, as far as a hash tells flows apart, within limits for all of them together.

use std::collections::BTreeSet;

use super::discipline::{Dropped, QueuePort, QueuedPacket};
use crate::queue::DropReason;
use crate::rng::Stream;

/// The queues of a port, numbered in the order of their hash values; `S` is what the discipline has of each. Those that no connection has
/// are not there: a constellation has thousands of ports.
#[derive(Debug)]
pub(super) struct FlowQueues<S> {
    /// By connection, its queue.
    queue_of: Vec<u32>,
    queues: Vec<FlowQueue<S>>,
    /// Those that wait, by what the port knows them by, each with the one that came after it to the same queue.
    waiting: Vec<(QueuedPacket, u32)>,
    packets: u32,
    bytes: u64,
    max_packets: u32,
    max_bytes: u64,
}

/// The packets of a queue, by handle; of an empty one neither is there.
#[derive(Clone, Copy, Debug)]
struct FlowQueue<S> {
    first: u32,
    last: u32,
    bytes: u64,
    /// The queue whose turn comes after its own, if it has one.
    next_turn: u32,
    state: S,
}

/// A packet has left its queue.
pub(super) struct Left<'a, S> {
    pub(super) packet: QueuedPacket,
    /// What the discipline has of the queue.
    pub(super) state: &'a mut S,
    /// Octets that are left in all queues.
    pub(super) bytes: u64,
    /// Octets that are left in its own.
    pub(super) bytes_of_queue: u64,
}

/// No packet, and no queue.
const NONE: u32 = u32::MAX;

/// Some of the queues of a port, in the order of their turns. A queue is in one list at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turns {
    first: u32,
    last: u32,
}

impl Turns {
    /// No queue has a turn.
    pub(super) const NOBODY: Turns = Turns { first: NONE, last: NONE };

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.first == NONE
    }

    /// The queue whose turn it is.
    #[inline(always)]
    pub(super) fn first(&self) -> Option<u32> {
        (self.first != NONE).then_some(self.first)
    }

    /// The turn of a queue comes after those of all others.
    #[inline(always)]
    pub(super) fn push<S>(&mut self, number: u32, of: &mut FlowQueues<S>) {
        of.queues[number as usize].next_turn = NONE;
        match self.first {
            NONE => self.first = number,
            _ => of.queues[self.last as usize].next_turn = number,
        }
        self.last = number;
    }

    /// The first one goes.
    #[inline(always)]
    pub(super) fn pop<S>(&mut self, of: &FlowQueues<S>) {
        if let Some(number) = self.first() {
            self.first = of.queues[number as usize].next_turn;
        }
    }

    #[cfg(test)]
    pub(super) fn all<S>(&self, of: &FlowQueues<S>) -> Vec<u32> {
        let next = |at: u32| Some(of.queues[at as usize].next_turn).filter(|&at| at != NONE);
        std::iter::successors(self.first(), |&at| next(at)).collect()
    }

    /// A queue goes, wherever it is in the list.
    pub(super) fn remove<S>(&mut self, number: u32, of: &mut FlowQueues<S>) {
        let mut before = NONE;
        let mut at = self.first;
        while at != number {
            assert!(at != NONE, "a queue that goes has a turn");
            (before, at) = (at, of.queues[at as usize].next_turn);
        }
        let after = of.queues[number as usize].next_turn;
        match before {
            NONE => self.first = after,
            _ => of.queues[before as usize].next_turn = after,
        }
        if after == NONE {
            self.last = before;
        }
    }
}

impl<S: Clone> FlowQueues<S> {
    /// Empty queues for the connections of a port: of so many hash values each has one, which begins like this.
    pub(super) fn new(port: &QueuePort<'_>, hash_values: u32, draws: Stream, state: S) -> FlowQueues<S> {
        let hash = |flow: &u64| draws.below(hash_values.into(), *flow) as u32;
        FlowQueues::with_hashes(port, port.flows.iter().map(hash), state)
    }

    /// Empty queues for the connections of a port, of these hash values.
    pub(super) fn with_hashes(port: &QueuePort<'_>, hashes: impl Iterator<Item = u32>, state: S) -> FlowQueues<S> {
        let hashes: Vec<u32> = hashes.collect();
        let used: Vec<u32> = hashes.iter().copied().collect::<BTreeSet<u32>>().into_iter().collect();
        let number = |hash: &u32| used.binary_search(hash).expect("it is one of them") as u32;
        FlowQueues {
            queue_of: hashes.iter().map(number).collect(),
            queues: vec![FlowQueue { first: NONE, last: NONE, bytes: 0, next_turn: NONE, state }; used.len()],
            waiting: Vec::new(),
            packets: 0,
            bytes: 0,
            max_packets: port.max_packets,
            max_bytes: port.max_bytes,
        }
    }
}

impl<S> FlowQueues<S> {
    /// The same with no more packets and octets than these.
    pub(super) fn with_limits(self, max_packets: u32, max_bytes: u64) -> FlowQueues<S> {
        let (max_packets, max_bytes) = (self.max_packets.min(max_packets), self.max_bytes.min(max_bytes));
        FlowQueues { max_packets, max_bytes, ..self }
    }

    /// What the discipline has of a queue.
    #[cfg(test)]
    pub(super) fn state(&self, number: u32) -> &S {
        &self.queues[number as usize].state
    }

    /// What the discipline has of a queue, to be changed.
    #[inline(always)]
    pub(super) fn state_mut(&mut self, number: u32) -> &mut S {
        &mut self.queues[number as usize].state
    }

    /// How many queues there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.queues.len()
    }

    /// Octets in all queues.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Octets in one queue.
    pub(super) fn bytes_of(&self, number: u32) -> u64 {
        self.queues[number as usize].bytes
    }

    /// Whether less waits than may.
    #[inline(always)]
    pub(super) fn is_within_limits(&self) -> bool {
        self.packets <= self.max_packets && self.bytes <= self.max_bytes
    }

    /// A packet goes to the end of the queue of its connection: which that is, and what the discipline has of it.
    #[inline(always)]
    pub(super) fn push(&mut self, packet: QueuedPacket) -> (u32, &mut S) {
        let number = self.queue_of[packet.flow as usize];
        let (queue, bytes) = (&mut self.queues[number as usize], u64::from(packet.bytes));
        match self.waiting.get_mut(packet.handle as usize) {
            Some(place) => *place = (packet, NONE),
            None => grow(&mut self.waiting, packet),
        }
        match queue.first {
            NONE => queue.first = packet.handle,
            _ => self.waiting[queue.last as usize].1 = packet.handle,
        }
        queue.last = packet.handle;
        queue.bytes += bytes;
        self.bytes += bytes;
        self.packets += 1;
        (number, &mut queue.state)
    }

    /// The first packet of a queue, which stays.
    #[inline(always)]
    pub(super) fn first(&self, number: u32) -> Option<&QueuedPacket> {
        let first = self.queues[number as usize].first;
        (first != NONE).then(|| &self.waiting[first as usize].0)
    }

    /// The first packet of a queue leaves it.
    #[inline(always)]
    pub(super) fn pop(&mut self, number: u32) -> Option<QueuedPacket> {
        self.leave(number).map(|left| left.packet)
    }

    /// The same, with what is left.
    #[inline(always)]
    pub(super) fn leave(&mut self, number: u32) -> Option<Left<'_, S>> {
        let queue = &mut self.queues[number as usize];
        if queue.first == NONE {
            return None;
        }
        let (packet, next) = self.waiting[queue.first as usize];
        queue.first = next;
        queue.bytes -= u64::from(packet.bytes);
        self.bytes -= u64::from(packet.bytes);
        self.packets -= 1;
        Some(Left { packet, state: &mut queue.state, bytes: self.bytes, bytes_of_queue: queue.bytes })
    }

    /// The queue with the most octets; of several the first.
    pub(super) fn longest(&self) -> u32 {
        let most = self.queues.iter().map(|queue| queue.bytes).max();
        self.queues.iter().position(|queue| Some(queue.bytes) == most).expect("a port has connections") as u32
    }

    /// At most so many packets are dropped from the head of a queue, and no more once half of its octets are gone; how many.
    pub(super) fn drop_half(&mut self, number: u32, most_packets: u32, dropped: &mut Dropped) -> u32 {
        let before = self.bytes_of(number);
        let mut packets = 0;
        while packets < most_packets && 2 * (before - self.bytes_of(number)) < before {
            let Some(packet) = self.pop(number) else { break };
            dropped.push(packet, DropReason::Overflow);
            packets += 1;
        }
        packets
    }
}

#[inline(never)]
fn grow(waiting: &mut Vec<(QueuedPacket, u32)>, packet: QueuedPacket) {
    waiting.resize(packet.handle as usize, (QueuedPacket::default(), NONE));
    waiting.push((packet, NONE));
}
