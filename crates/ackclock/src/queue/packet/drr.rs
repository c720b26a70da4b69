//! Deficit round robin: packets wait in a queue for each flow, as far as a hash tells flows apart, and the queues are served in turn by
//! octets.
//! Source: \[SV96\] §3, its algorithm and its names; §3.3 for the queue that loses when there is no room.

use super::flow_queues::{FlowQueues, Turns};
use super::{Dropped, LinkUse, Mechanism, QueueDiscipline, QueuePort, QueuedPacket};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::queue::Port;
use crate::rng::Stream;
use crate::units::Time;

/// The parameters of deficit round robin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrrParams {
    /// How many queues the hash chooses among.
    pub flows: u32,
    /// Q: what is added to what a queue may send when its turn comes, octets.
    pub quantum_bytes: u32,
}

/// The state of deficit round robin.
#[derive(Debug)]
pub struct Drr {
    quantum_bytes: u64,
    /// Each with DC: what it may still send in this turn, octets.
    queues: FlowQueues<u64>,
    /// ActiveList: the queues in which packets wait, in the order of their turns.
    active: Turns,
    /// Whether the quantum of the first of them was added.
    has_turn: bool,
}

impl Mechanism for Drr {
    const NAME: &'static str = "drr";
    const ABOUT: &'static str =
        "Deficit round robin: each flow has a queue, and the queues are served in turn by bytes.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("flows", Kind::Integer(1, 65_536), Default::Is(Value::Integer(1024)), "Ackclock, as RFC 8290 §5.2.4",
            "The number of queues among which a hash of the flow chooses; 1: one queue."),
        Key::new("quantum", Kind::bytes(256, 1 << 20), Default::Is(Value::bytes(1514)), "[SV96] §3.2: the largest packet",
            "How many bytes are added to what a queue may send in its turn."),
    ];
    type Params = DrrParams;
    type State = Drr;

    fn params(values: &Values, _: &Port) -> Result<DrrParams, Misfit> {
        Ok(DrrParams { flows: values.integer("flows"), quantum_bytes: values.amount("quantum") as u32 })
    }

    /// Which connections share a queue.
    fn is_random(params: &DrrParams, connections: usize) -> bool {
        params.flows > 1 && connections > 1
    }

    fn start(params: &DrrParams, port: &QueuePort<'_>, draws: Stream) -> Drr {
        Drr::new(params.quantum_bytes, FlowQueues::new(port, params.flows, draws, 0))
    }
}

impl Drr {
    fn new(quantum_bytes: u32, queues: FlowQueues<u64>) -> Drr {
        Drr { quantum_bytes: quantum_bytes.into(), queues, active: Turns::NOBODY, has_turn: false }
    }

    /// A queue in which nothing waits any more leaves the list, wherever it is there.
    fn leave_if_empty(&mut self, number: u32) {
        if self.queues.first(number).is_some() {
            return;
        }
        *self.queues.state_mut(number) = 0;
        self.has_turn &= self.active.first() != Some(number);
        self.active.remove(number, &mut self.queues);
    }
}

impl QueueDiscipline for Drr {
    /// \[SV96\] Fig. 3, "enqueuing module".
    fn enqueue(&mut self, packet: QueuedPacket, link: LinkUse, dropped: &mut Dropped) {
        let (number, _) = self.queues.push(packet);
        if self.queues.first(number) == Some(&packet) {
            self.active.push(number, &mut self.queues);
        }
        while !link.is_free && !self.queues.is_within_limits() {
            let longest = self.queues.longest();
            self.queues.drop_half(longest, 1, dropped);
            self.leave_if_empty(longest);
        }
    }

    /// \[SV96\] Fig. 3, "dequeuing module", a packet at a time.
    fn dequeue(&mut self, _now: Time, _dropped: &mut Dropped) -> Option<QueuedPacket> {
        loop {
            let number = self.active.first()?;
            let bytes = u64::from(self.queues.first(number).expect("an active queue is not empty").bytes);
            let deficit = self.queues.state_mut(number);
            if !self.has_turn {
                *deficit += self.quantum_bytes;
                self.has_turn = true;
            }
            if bytes <= *deficit {
                *deficit -= bytes;
                let packet = self.queues.pop(number);
                self.leave_if_empty(number);
                return packet;
            }
            self.active.pop(&self.queues);
            self.active.push(number, &mut self.queues);
            self.has_turn = false;
        }
    }

    fn flush(&mut self) -> Option<QueuedPacket> {
        let number = self.active.first()?;
        let packet = self.queues.pop(number);
        self.leave_if_empty(number);
        packet
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ecn;
    use crate::units::Rate;

    fn drr(max_packets: u32) -> Drr {
        let rate = Rate::from_bps(10_000_000).unwrap();
        let port = QueuePort { rate, max_packets, max_bytes: u64::MAX, flows: &[0, 1, 2] };
        Drr::new(500, FlowQueues::with_hashes(&port, 0..3, 0))
    }

    /// Packets come while the link transmits: those that are dropped for them, by handle.
    fn enqueue(drr: &mut Drr, packets: &[(u32, u32)]) -> Vec<u32> {
        let mut dropped = Dropped::default();
        for (handle, &(flow, bytes)) in packets.iter().enumerate() {
            let packet = QueuedPacket { arrived: Time::ZERO, handle: handle as u32, bytes, flow, ecn: Ecn::NOT_ECT };
            drr.enqueue(packet, LinkUse { idle: None, is_free: false }, &mut dropped);
        }
        dropped.drain().map(|(packet, _)| packet.handle).collect()
    }

    fn order(drr: &mut Drr) -> Vec<(u32, u32)> {
        let mut dropped = Dropped::default();
        std::iter::from_fn(|| drr.dequeue(Time::ZERO, &mut dropped)).map(|packet| (packet.flow, packet.bytes)).collect()
    }

    /// As in Figures 1 and 2 of the paper: a quantum of 500, and a first queue that begins with a packet of 200 and one of 750 octets.
    #[test]
    fn what_a_turn_leaves_is_there_in_the_next() {
        let mut drr = drr(u32::MAX);
        enqueue(&mut drr, &[(0, 200), (0, 750), (0, 20), (1, 500), (1, 500), (2, 200), (2, 600), (2, 100)]);
        // First turns: 0 sends 200 and keeps 300, 1 sends 500, 2 sends 200 and keeps 300. Second: 0 may send 800.
        let expected = [(0, 200), (1, 500), (2, 200), (0, 750), (0, 20), (1, 500), (2, 600), (2, 100)];
        assert_eq!(order(&mut drr), expected);
        assert_eq!(
            [0, 1, 2].map(|number| *drr.queues.state(number)),
            [0, 0, 0],
            "what an empty queue has left is gone"
        );
    }

    #[test]
    fn a_packet_above_the_quantum_waits_for_enough_turns() {
        let mut drr = drr(u32::MAX);
        enqueue(&mut drr, &[(0, 1400), (1, 400), (1, 400), (1, 400), (1, 400)]);
        assert_eq!(order(&mut drr), [(1, 400), (1, 400), (0, 1400), (1, 400), (1, 400)]);
    }

    #[test]
    fn without_room_the_longest_queue_loses_its_first_packet() {
        let mut drr = drr(3);
        assert_eq!(enqueue(&mut drr, &[(0, 100), (1, 300), (2, 100), (2, 100)]), [1], "its queue is empty then");
        assert_eq!(order(&mut drr), [(0, 100), (2, 100), (2, 100)]);
        assert!(drr.active.is_empty() && !drr.has_turn);
    }

    #[test]
    fn a_link_that_goes_down_empties_all_queues() {
        let mut drr = drr(u32::MAX);
        enqueue(&mut drr, &[(0, 100), (0, 100), (1, 300), (2, 100)]);
        assert_eq!(std::iter::from_fn(|| drr.flush()).count(), 4);
        assert!(drr.queues.bytes() == 0 && drr.active.is_empty());
    }
}
