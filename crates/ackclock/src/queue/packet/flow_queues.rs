//! A queue for each flow of a port, as far as a hash tells flows apart, within limits for all of them together.

use std::collections::{BTreeSet, VecDeque};

use super::discipline::{Dropped, QueuePort, QueuedPacket};
use crate::queue::DropReason;
use crate::rng::Stream;

/// The queues of a port, numbered in the order of their hash values. Those that no connection has are not there: a constellation has
/// thousands of ports.
#[derive(Debug)]
pub(super) struct FlowQueues {
    /// By connection, its queue.
    queue_of: Vec<u32>,
    queues: Vec<FlowQueue>,
    packets: u32,
    bytes: u64,
    max_packets: u32,
    max_bytes: u64,
}

#[derive(Debug, Default)]
struct FlowQueue {
    packets: VecDeque<QueuedPacket>,
    bytes: u64,
}

impl FlowQueues {
    /// Empty queues for the connections of a port: of so many hash values each has one.
    pub(super) fn new(port: &QueuePort<'_>, hash_values: u32, draws: Stream) -> FlowQueues {
        FlowQueues::with_hashes(port, port.flows.iter().map(|flow| draws.below(hash_values.into(), *flow) as u32))
    }

    /// Empty queues for the connections of a port, of these hash values.
    pub(super) fn with_hashes(port: &QueuePort<'_>, hashes: impl Iterator<Item = u32>) -> FlowQueues {
        let hashes: Vec<u32> = hashes.collect();
        let used: Vec<u32> = hashes.iter().copied().collect::<BTreeSet<u32>>().into_iter().collect();
        let number = |hash: &u32| used.binary_search(hash).expect("it is one of them") as u32;
        FlowQueues {
            queue_of: hashes.iter().map(number).collect(),
            queues: used.iter().map(|_| FlowQueue::default()).collect(),
            packets: 0,
            bytes: 0,
            max_packets: port.max_packets,
            max_bytes: port.max_bytes,
        }
    }

    /// The same with no more packets and octets than these.
    pub(super) fn with_limits(self, max_packets: u32, max_bytes: u64) -> FlowQueues {
        let (max_packets, max_bytes) = (self.max_packets.min(max_packets), self.max_bytes.min(max_bytes));
        FlowQueues { max_packets, max_bytes, ..self }
    }

    /// How many queues there are.
    pub(super) fn len(&self) -> usize {
        self.queues.len()
    }

    /// Octets in all queues.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Octets in one queue.
    pub(super) fn bytes_of(&self, number: u32) -> u64 {
        self.queues[number as usize].bytes
    }

    /// Whether less waits than may.
    pub(super) fn is_within_limits(&self) -> bool {
        self.packets <= self.max_packets && self.bytes <= self.max_bytes
    }

    /// A packet goes to the end of the queue of its connection; which that is.
    pub(super) fn push(&mut self, packet: QueuedPacket) -> u32 {
        let number = self.queue_of[packet.flow as usize];
        let (queue, bytes) = (&mut self.queues[number as usize], u64::from(packet.bytes));
        queue.packets.push_back(packet);
        queue.bytes += bytes;
        self.bytes += bytes;
        self.packets += 1;
        number
    }

    /// The first packet of a queue, which stays.
    pub(super) fn first(&self, number: u32) -> Option<&QueuedPacket> {
        self.queues[number as usize].packets.front()
    }

    /// The first packet of a queue leaves it.
    pub(super) fn pop(&mut self, number: u32) -> Option<QueuedPacket> {
        let queue = &mut self.queues[number as usize];
        let packet = queue.packets.pop_front()?;
        queue.bytes -= u64::from(packet.bytes);
        self.bytes -= u64::from(packet.bytes);
        self.packets -= 1;
        Some(packet)
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
