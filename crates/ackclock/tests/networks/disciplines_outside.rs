//! A FIFO, CoDel and deficit round robin written outside of the crate, as an extender writes them: equal to those inside, packet for
//! packet, on both engines.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::lab::agree::assert_engines_agree;
use crate::lab::port;
use ackclock::queue::packet::{
    CustomDiscipline, Dropped, LinkUse, PacketPolicyParams, QueueDiscipline, QueuePort, QueuedPacket,
};
use ackclock::queue::{DropReason, PolicyParams};
use ackclock::record::Records;
use ackclock::units::{Span, Time};

/// Four flows with segments of different sizes and a file among them, and datagrams, through 3 Mb/s.
const NETWORK: &str = "duration = \"20 s\"\nbottleneck = \"none\"\n[network]\ntechnology = \"packet\"\ntopology = \"dumbbell\"\nsources = 4\n\
    access_rate = \"100 Mbps\"\naccess_delay = \"1 ms\"\nbottleneck_rate = \"3 Mbps\"\nbottleneck_delay = \"9 ms\"\n\
    [tcp]\ndialect = \"standard\"\n[flow.f2]\nsize = \"300 kB\"\nstart = \"1 s\"\n[flow.f3.tcp]\nmss = \"536 B\"\n\
    [udp.call]\nfrom = \"s1\"\nto = \"d1\"\npayload = \"200 B\"\nrate = \"64 kbps\"\n";

/// The records with this policy, which is one of the crate, and with one from outside at the same port.
fn inside_and_outside<D>(sets: &[&str], start: fn(&QueuePort<'_>) -> D) -> [Records; 2]
where
    D: QueueDiscipline + 'static,
{
    let inside = crate::lab::scenario(NETWORK, sets);
    let mut outside = inside.clone();
    let custom = CustomDiscipline::new("outside", move |port, _| Box::new(start(port)));
    let bottleneck = outside.links.iter_mut().find(|link| link.name == "sw1->sw2").unwrap();
    Arc::make_mut(&mut bottleneck.queue).policy = PolicyParams::Packets(PacketPolicyParams::Custom(custom));
    [inside, outside].map(|scenario| assert_engines_agree("a discipline from outside", &scenario, 5))
}

/// One queue with limits.
struct Queue {
    packets: VecDeque<QueuedPacket>,
    bytes: u64,
    max_packets: usize,
    max_bytes: u64,
}

impl Queue {
    fn new(port: &QueuePort<'_>) -> Queue {
        Queue { packets: VecDeque::new(), bytes: 0, max_packets: port.max_packets as usize, max_bytes: port.max_bytes }
    }

    fn push(&mut self, packet: QueuedPacket, link: LinkUse, dropped: &mut Dropped) {
        let bytes = self.bytes + u64::from(packet.bytes);
        if !link.is_free && (self.packets.len() >= self.max_packets || bytes > self.max_bytes) {
            return dropped.push(packet, DropReason::Overflow);
        }
        self.bytes = bytes;
        self.packets.push_back(packet);
    }

    fn pop(&mut self) -> Option<QueuedPacket> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.bytes);
        Some(packet)
    }
}

struct OwnFifo(Queue);

impl QueueDiscipline for OwnFifo {
    fn enqueue(&mut self, packet: QueuedPacket, link: LinkUse, dropped: &mut Dropped) {
        self.0.push(packet, link, dropped);
    }

    fn dequeue(&mut self, _now: Time, _dropped: &mut Dropped) -> Option<QueuedPacket> {
        self.0.pop()
    }

    fn flush(&mut self) -> Option<QueuedPacket> {
        self.0.pop()
    }
}

#[test]
fn a_fifo_from_outside_is_tail_drop() {
    for buffer in ["queue.buffer=12 packets", "queue.buffer=9 kB"] {
        let [inside, outside] = inside_and_outside(&[buffer], |port| OwnFifo(Queue::new(port)));
        assert!(port(&inside, "sw1->sw2").drops.overflow > 50);
        assert_eq!(inside, outside);
    }
}

/// RFC 8289 §5, with the target and the interval of its §4.
struct OwnCoDel {
    queue: Queue,
    first_above: Option<Time>,
    dropping: bool,
    drop_next: Time,
    count: u64,
    last_count: u64,
}

const TARGET: Span = Span::from_ms(5);
const INTERVAL: Span = Span::from_ms(100);
const MTU: u64 = 1500;

impl OwnCoDel {
    fn control_law(&self, from: Time) -> Time {
        from + Span::from_ps((INTERVAL.as_ps() as f64 / (self.count as f64).sqrt()) as u64)
    }

    /// The next packet, and whether it is all right to drop it.
    fn next(&mut self, now: Time) -> (Option<QueuedPacket>, bool) {
        let Some(packet) = self.queue.pop() else {
            self.first_above = None;
            return (None, false);
        };
        if now.since(packet.arrived) < TARGET || self.queue.bytes <= MTU {
            self.first_above = None;
            return (Some(packet), false);
        }
        let since = *self.first_above.get_or_insert(now + INTERVAL);
        (Some(packet), now >= since)
    }
}

impl QueueDiscipline for OwnCoDel {
    fn enqueue(&mut self, packet: QueuedPacket, link: LinkUse, dropped: &mut Dropped) {
        self.queue.push(packet, link, dropped);
    }

    fn dequeue(&mut self, now: Time, dropped: &mut Dropped) -> Option<QueuedPacket> {
        let (mut packet, mut ok) = self.next(now);
        if self.dropping {
            self.dropping = ok;
            while self.dropping && now >= self.drop_next {
                dropped.push(packet?, DropReason::Policy);
                self.count += 1;
                (packet, ok) = self.next(now);
                self.dropping = ok;
                if ok {
                    self.drop_next = self.control_law(self.drop_next);
                }
            }
        } else if ok {
            dropped.push(packet?, DropReason::Policy);
            (packet, _) = self.next(now);
            self.dropping = true;
            let (delta, recently) = (self.count - self.last_count, now < self.drop_next + INTERVAL * 16);
            self.count = if delta > 1 && recently { delta } else { 1 };
            self.drop_next = self.control_law(now);
            self.last_count = self.count;
        }
        packet
    }

    fn flush(&mut self) -> Option<QueuedPacket> {
        self.queue.pop()
    }
}

#[test]
fn codel_from_outside_is_codel() {
    let start = |port: &QueuePort<'_>| OwnCoDel {
        queue: Queue::new(port),
        first_above: None,
        dropping: false,
        drop_next: Time::ZERO,
        count: 0,
        last_count: 0,
    };
    for buffer in ["queue.buffer=200 packets", "queue.buffer=15 packets"] {
        let [inside, outside] = inside_and_outside(&["queue.policy=codel", buffer], start);
        assert!(port(&inside, "sw1->sw2").drops.policy > 50);
        assert_eq!(inside, outside);
    }
}

/// [SV96] §3 without a limit: a queue for each connection.
struct OwnDrr {
    queues: Vec<VecDeque<QueuedPacket>>,
    deficits: Vec<u32>,
    active: VecDeque<usize>,
    has_turn: bool,
}

const QUANTUM: u32 = 1514;

impl QueueDiscipline for OwnDrr {
    fn enqueue(&mut self, packet: QueuedPacket, _link: LinkUse, _dropped: &mut Dropped) {
        let number = packet.flow as usize;
        self.queues[number].push_back(packet);
        if self.queues[number].len() == 1 {
            self.active.push_back(number);
        }
    }

    fn dequeue(&mut self, _now: Time, _dropped: &mut Dropped) -> Option<QueuedPacket> {
        loop {
            let number = *self.active.front()?;
            if !std::mem::replace(&mut self.has_turn, true) {
                self.deficits[number] += QUANTUM;
            }
            let first = self.queues[number][0].bytes;
            if first > self.deficits[number] {
                self.active.rotate_left(1);
                self.has_turn = false;
                continue;
            }
            self.deficits[number] -= first;
            let packet = self.queues[number].pop_front();
            if self.queues[number].is_empty() {
                (self.deficits[number], self.has_turn) = (0, false);
                self.active.pop_front();
            }
            return packet;
        }
    }

    fn flush(&mut self) -> Option<QueuedPacket> {
        self.queues.iter_mut().find_map(VecDeque::pop_front)
    }
}

#[test]
fn deficit_round_robin_from_outside_is_drr() {
    let start = |port: &QueuePort<'_>| OwnDrr {
        queues: port.flows.iter().map(|_| VecDeque::new()).collect(),
        deficits: vec![0; port.flows.len()],
        active: VecDeque::new(),
        has_turn: false,
    };
    let sets = ["queue.policy=drr", "queue.buffer=100000 packets", "tcp.receive_window=60 kB"];
    let [inside, outside] = inside_and_outside(&sets, start);
    assert!(port(&inside, "sw1->sw2").max_queue > 60);
    assert_eq!(inside, outside);
}
