//! FQ-CoDel: packets wait in many queues, one for each flow as far as a hash tells flows apart; the queues are served in turn by
//! octets, new ones first, and each has a CoDel of its own.
//! Source: RFC 8290 §4 and §5, whose names are used; Linux `sch_fq_codel` for what is dropped at the limit.
//!
//! The hash is a function of the seed, of the port and of the connection's name: data and acknowledgements of a flow are two
//! connections, as their addresses and ports are exchanged.

use super::codel::{CoDel, CoDelParams};
use super::flow_queues::{FlowQueues, Left, Turns};
use super::{Dropped, LinkUse, Mechanism, PacketPolicy, QueueDiscipline, QueuePort, QueuedPacket, ecn_key};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::queue::{Port, Verdict};
use crate::rng::Stream;
use crate::units::Time;

/// The parameters of FQ-CoDel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqCoDelParams {
    /// How many queues the hash chooses among.
    pub flows: u32,
    /// What a queue may send in its turn, octets.
    pub quantum_bytes: u32,
    /// The most packets that wait, in all queues together; the buffer of the port may be smaller.
    pub limit_packets: u32,
    /// The most octets that wait, in all queues together; the buffer of the port may be smaller.
    pub memory_bytes: u64,
    /// The most packets that are dropped at once when there is no room.
    pub drop_batch: u32,
    /// CoDel in each queue.
    pub codel: CoDelParams,
    /// Of which queues CoDel asks how much waits behind a packet.
    pub backlog: Backlog,
    /// Whether packets that are dropped for lack of room raise CoDel's count.
    pub batch_raises_count: bool,
}

/// What CoDel compares with the size of a large packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backlog {
    /// What waits in all queues, as in Linux.
    All,
    /// What waits in the queue of the packet.
    Queue,
}

/// The state of FQ-CoDel.
#[derive(Debug)]
pub struct FqCoDel {
    params: FqCoDelParams,
    queues: FlowQueues<FlowState>,
    new_queues: Turns,
    old_queues: Turns,
}

#[derive(Clone, Debug)]
struct FlowState {
    /// What its queue may still send in this turn, octets.
    deficit: i64,
    is_active: bool,
    codel: CoDel,
}

impl Mechanism for FqCoDel {
    const NAME: &'static str = "fq-codel";
    const ABOUT: &'static str =
        "FQ-CoDel: each flow has a queue with CoDel, and the queues are served in turn, those that just began first.";
    #[rustfmt::skip]
    const KEYS: &'static [Key] = &[
        Key::new("flows", Kind::Integer(1, 65_536), Default::Is(Value::Integer(1024)), "RFC 8290 §5.2.4",
            "The number of queues among which a hash of the flow chooses; 1: one queue with CoDel."),
        Key::new("quantum", Kind::bytes(256, 1 << 20), Default::Is(Value::bytes(1514)), "RFC 8290 §5.2.3",
            "How many bytes a queue sends in its turn."),
        Key::new("limit", Kind::packets(1, 1 << 31), Default::Is(Value::packets(10_240)), "RFC 8290 §5.2.3",
            "The most packets that wait in all queues; a smaller `buffer` of the port takes its place."),
        Key::new("memory", Kind::bytes(1, 1 << 40), Default::Is(Value::bytes(32 << 20)), "Linux",
            "The most bytes that wait in all queues; a smaller `buffer` of the port takes its place."),
        Key::new("drop_batch", Kind::Integer(1, 65_536), Default::Is(Value::Integer(64)), "RFC 8290 §4.1; Linux",
            "The most packets that the longest queue loses at once when there is no room: half of its bytes at most."),
        CoDel::KEYS[0],
        CoDel::KEYS[1],
        CoDel::KEYS[2],
        Key::new("codel_backlog", Kind::Word(&["all", "queue"]), Default::Is(Value::Word("all")), "Linux",
            "Which bytes are compared with `mtu`: those of all queues, or those of the queue of the packet."),
        Key::new("batch_raises_count", Kind::Flag, Default::Is(Value::Flag(true)), "Linux since 2019",
            "Whether packets dropped for lack of room raise the count from which CoDel computes its next drop."),
        ecn_key(true, "Linux"),
    ];
    const DOUBT: fn(&Values) -> Option<Misfit> = |values| {
        let (flows, limit) = (values.integer("flows"), values.amount("limit"));
        let is_tight = limit / PACKETS_EACH < u64::from(flows) && flows > 1;
        CoDel::DOUBT(values).or_else(|| {
            is_tight.then(|| Misfit {
                keys: &["limit", "flows"],
                problem: format!(
                    "`limit` of fq-codel leaves {:.1} packets for each of {flows} queues",
                    // Rounded down: what is less than enough is not said to be enough.
                    (10 * limit / u64::from(flows)) as f64 / 10.0
                ),
                expected: "at least 8 packets for each queue, or fewer `flows`",
            })
        })
    };
    type Params = FqCoDelParams;
    type State = FqCoDel;

    fn params(values: &Values, port: &Port) -> Result<FqCoDelParams, Misfit> {
        Ok(FqCoDelParams {
            flows: values.integer("flows"),
            quantum_bytes: values.amount("quantum") as u32,
            limit_packets: values.amount("limit") as u32,
            memory_bytes: values.amount("memory"),
            drop_batch: values.integer("drop_batch"),
            codel: CoDel::params(values, port)?,
            backlog: if values.word("codel_backlog") == "all" { Backlog::All } else { Backlog::Queue },
            batch_raises_count: values.flag("batch_raises_count"),
        })
    }

    /// Which connections share a queue.
    fn is_random(params: &FqCoDelParams, connections: usize) -> bool {
        params.flows > 1 && connections > 1
    }

    fn marks(params: &FqCoDelParams) -> bool {
        params.codel.marks
    }

    fn start(params: &FqCoDelParams, port: &QueuePort<'_>, draws: Stream) -> FqCoDel {
        FqCoDel::new(*params, FlowQueues::new(port, params.flows, draws, FlowState::new(params)))
    }
}

impl FlowState {
    fn new(params: &FqCoDelParams) -> FlowState {
        FlowState { deficit: 0, is_active: false, codel: CoDel::new(params.codel) }
    }
}

impl FqCoDel {
    fn new(params: FqCoDelParams, queues: FlowQueues<FlowState>) -> FqCoDel {
        FqCoDel {
            params,
            queues: queues.with_limits(params.limit_packets, params.memory_bytes),
            new_queues: Turns::NOBODY,
            old_queues: Turns::NOBODY,
        }
    }

    /// The first packet leaves a queue; and what its CoDel says of it.
    #[inline(always)]
    fn take(&mut self, number: u32, now: Time) -> Option<(QueuedPacket, Verdict, &mut FlowState)> {
        let Left { packet, state, bytes, bytes_of_queue } = self.queues.leave(number)?;
        let left_bytes = match self.params.backlog {
            Backlog::All => bytes,
            Backlog::Queue => bytes_of_queue,
        };
        let verdict = state.codel.on_dequeue(now, now.since(packet.arrived), left_bytes);
        Some((packet, verdict, state))
    }

    /// CoDel signals with a packet, and perhaps with those behind it: the one that leaves, if one does.
    #[inline(never)]
    fn signal(
        &mut self,
        number: u32,
        now: Time,
        mut packet: QueuedPacket,
        mut verdict: Verdict,
        dropped: &mut Dropped,
    ) -> Option<QueuedPacket> {
        loop {
            let FlowState { codel, deficit, .. } = self.queues.state_mut(number);
            if let Some(packet) = dropped.leaving(packet, verdict, || codel.on_marked()) {
                *deficit -= i64::from(packet.bytes);
                return Some(packet);
            }
            (packet, verdict, _) = self.take(number, now)?;
        }
    }

    /// The queue whose turn it is has none of its packets left. An empty queue stays for a round, so that it cannot be new again at
    /// once.
    #[inline(never)]
    fn end_turn_of_empty(&mut self, number: u32, is_new: bool) {
        self.queues.state_mut(number).codel.on_idle();
        let list = if is_new { &mut self.new_queues } else { &mut self.old_queues };
        list.pop(&self.queues);
        match is_new && !self.old_queues.is_empty() {
            true => self.old_queues.push(number, &mut self.queues),
            false => self.queues.state_mut(number).is_active = false,
        }
    }

    /// RFC 8290 §4.1: the longest queue loses packets, until there is room.
    #[inline(never)]
    fn make_room(&mut self, dropped: &mut Dropped) {
        while !self.queues.is_within_limits() {
            let longest = self.queues.longest();
            let packets = self.queues.drop_half(longest, self.params.drop_batch, dropped);
            if self.params.batch_raises_count {
                self.queues.state_mut(longest).codel.raise_count(packets.into());
            }
        }
    }
}

impl QueueDiscipline for FqCoDel {
    /// RFC 8290 §4.1.
    fn enqueue(&mut self, packet: QueuedPacket, link: LinkUse, dropped: &mut Dropped) {
        let (number, flow) = self.queues.push(packet);
        if !flow.is_active {
            flow.is_active = true;
            flow.deficit = self.params.quantum_bytes.into();
            self.new_queues.push(number, &mut self.queues);
        }
        if !link.is_free && !self.queues.is_within_limits() {
            self.make_room(dropped);
        }
    }

    /// RFC 8290 §4.2.
    fn dequeue(&mut self, now: Time, dropped: &mut Dropped) -> Option<QueuedPacket> {
        loop {
            let (number, is_new) = match self.new_queues.first() {
                Some(number) => (number, true),
                None => (self.old_queues.first()?, false),
            };
            let flow = self.queues.state_mut(number);
            if flow.deficit <= 0 {
                flow.deficit += i64::from(self.params.quantum_bytes);
                let list = if is_new { &mut self.new_queues } else { &mut self.old_queues };
                list.pop(&self.queues);
                self.old_queues.push(number, &mut self.queues);
                continue;
            }
            // RFC 8289 §5.5: CoDel takes a packet of the queue, and may drop others before it. What leaves is taken off the deficit.
            if let Some((packet, verdict, flow)) = self.take(number, now) {
                if verdict == Verdict::Accept {
                    flow.deficit -= i64::from(packet.bytes);
                    return Some(packet);
                }
                let leaves = self.signal(number, now, packet, verdict, dropped);
                if leaves.is_some() {
                    return leaves;
                }
            }
            self.end_turn_of_empty(number, is_new);
        }
    }

    fn flush(&mut self) -> Option<QueuedPacket> {
        loop {
            let number = self.new_queues.first().or(self.old_queues.first())?;
            if let Some(packet) = self.queues.pop(number) {
                return Some(packet);
            }
            let flow = self.queues.state_mut(number);
            flow.is_active = false;
            flow.codel.on_idle();
            let list = if self.new_queues.is_empty() { &mut self.old_queues } else { &mut self.new_queues };
            list.pop(&self.queues);
        }
    }
}

/// With fewer for each queue, what waits is lost before CoDel sees it.
const PACKETS_EACH: u64 = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Ecn;
    use crate::queue::DropReason;
    use crate::units::{Rate, Span};

    /// Each connection has a queue of its own, and CoDel never drops.
    fn fq_codel(change: impl FnOnce(&mut FqCoDelParams)) -> FqCoDel {
        let port = Port { capacity_cells: None, rate: Rate::from_bps(10_000_000).unwrap() };
        let mut params = FqCoDel::params(&Values::defaults(FqCoDel::KEYS), &port).unwrap();
        change(&mut params);
        FqCoDel::new(params, own_queues(&params, &at_port(u32::MAX, u64::MAX)))
    }

    fn at_port(max_packets: u32, max_bytes: u64) -> QueuePort<'static> {
        QueuePort { rate: Rate::from_bps(10_000_000).unwrap(), max_packets, max_bytes, flows: &[0, 1, 2] }
    }

    fn own_queues(params: &FqCoDelParams, port: &QueuePort<'_>) -> FlowQueues<FlowState> {
        FlowQueues::with_hashes(port, port.flows.iter().map(|flow| *flow as u32), FlowState::new(params))
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    /// A packet comes while the link transmits: those that are dropped for it, by handle.
    fn enqueue(queue: &mut FqCoDel, now: Time, (handle, flow, bytes): (u32, u32, u32)) -> Vec<u32> {
        let mut dropped = Dropped::default();
        let packet = QueuedPacket { arrived: now, handle, bytes, flow, ecn: Ecn::NOT_ECT };
        queue.enqueue(packet, LinkUse { idle: None, is_free: false }, &mut dropped);
        dropped.drain().map(|(packet, reason)| (packet.handle, assert_eq!(reason, DropReason::Overflow)).0).collect()
    }

    /// The flow whose packet leaves, and how many are dropped before.
    fn dequeue(queue: &mut FqCoDel, now: Time) -> (Option<u32>, usize) {
        let mut dropped = Dropped::default();
        let packet = queue.dequeue(now, &mut dropped);
        (packet.map(|packet| packet.flow), dropped.drain().count())
    }

    fn order(queue: &mut FqCoDel) -> String {
        std::iter::from_fn(|| dequeue(queue, Time::ZERO).0).map(|flow| ['A', 'B', 'C'][flow as usize]).collect()
    }

    #[test]
    fn queues_take_turns_by_octets() {
        // Quantum 1514: A sends two of 1500 octets in its first turn, B six of 300.
        let mut queue = fq_codel(|_| ());
        for handle in 0..14 {
            enqueue(&mut queue, Time::ZERO, if handle < 6 { (handle, 0, 1500) } else { (handle, 1, 300) });
        }
        assert_eq!(order(&mut queue), "AABBBBBBABBAAA");
        assert_eq!(queue.queues.bytes(), 0);
    }

    /// The same numbers as in the test of ns-3: what is left of the deficits, and which queues are active. In the end a deficit of exactly
    /// nothing is filled once more.
    #[test]
    fn deficits_follow_the_packets() {
        let mut queue = fq_codel(|params| params.quantum_bytes = 90);
        let state = |queue: &FqCoDel| [0, 1].map(|number| queue.queues.state(number).deficit);
        enqueue(&mut queue, Time::ZERO, (0, 0, 120));
        enqueue(&mut queue, Time::ZERO, (1, 0, 120));
        enqueue(&mut queue, Time::ZERO, (4, 0, 120));
        assert_eq!((dequeue(&mut queue, Time::ZERO).0, state(&queue)[0]), (Some(0), -30));
        enqueue(&mut queue, Time::ZERO, (2, 1, 120));
        enqueue(&mut queue, Time::ZERO, (3, 1, 120));
        let expected = [(Some(1), [60, -30]), (Some(0), [-60, 60]), (Some(1), [30, -60]), (Some(0), [-90, 30])];
        for expected in expected {
            assert_eq!((dequeue(&mut queue, Time::ZERO).0, state(&queue)), expected);
        }
        assert_eq!((dequeue(&mut queue, Time::ZERO).0, state(&queue)), (None, [90, 30]));
        assert!((0..queue.queues.len() as u32).all(|number| !queue.queues.state(number).is_active));
    }

    #[test]
    fn without_room_the_longest_queue_loses_half_of_its_octets_from_its_head() {
        let mut queue = fq_codel(|params| params.limit_packets = 4);
        for handle in 0..3 {
            assert_eq!(enqueue(&mut queue, Time::ZERO, (handle, 0, 120)), [0_u32; 0]);
        }
        assert_eq!(enqueue(&mut queue, Time::ZERO, (3, 1, 120)), [0_u32; 0]);
        assert_eq!(enqueue(&mut queue, Time::ZERO, (4, 1, 120)), [0, 1], "240 of 360 octets");
        assert_eq!((queue.queues.bytes(), queue.queues.state(0).codel.count()), (360, 2));
        // Not more than a batch at once, and of two that are equal the first.
        let mut queue = fq_codel(|params| (params.limit_packets, params.drop_batch) = (4, 1));
        let arrivals = [(0, 1, 120), (1, 1, 120), (2, 0, 120), (3, 0, 120), (4, 2, 100)];
        let lost: Vec<Vec<u32>> = arrivals.iter().map(|packet| enqueue(&mut queue, Time::ZERO, *packet)).collect();
        assert_eq!(lost, [vec![], vec![], vec![], vec![], vec![2]]);
    }

    #[test]
    fn a_smaller_buffer_of_the_port_is_the_limit_and_a_free_link_needs_none() {
        let FqCoDel { params, .. } = fq_codel(|_| ());
        let mut queue = FqCoDel::new(params, own_queues(&params, &at_port(2, 1000)));
        let lost = [100, 100, 100, 950].map(|bytes| enqueue(&mut queue, Time::ZERO, (bytes, 0, bytes)));
        assert_eq!(lost, [vec![], vec![], vec![100, 100], vec![100, 950]], "two packets, and 1000 octets");
        let mut dropped = Dropped::default();
        let packet = QueuedPacket { arrived: ms(1), handle: 1, bytes: 1500, flow: 0, ecn: Ecn::NOT_ECT };
        queue.enqueue(packet, LinkUse { idle: Some(Span::from_ms(1)), is_free: true }, &mut dropped);
        assert_eq!(queue.dequeue(ms(1), &mut dropped), Some(packet));
        assert_eq!(dropped.drain().count(), 0);
    }

    #[test]
    fn a_flow_that_just_began_goes_before_the_others_once() {
        let mut queue = fq_codel(|_| ());
        for handle in 0..4 {
            enqueue(&mut queue, Time::ZERO, (handle, 0, 1500));
        }
        assert_eq!((0..2).map(|_| dequeue(&mut queue, Time::ZERO).0).collect::<Vec<_>>(), [Some(0), Some(0)]);
        enqueue(&mut queue, Time::ZERO, (4, 1, 100));
        assert_eq!(dequeue(&mut queue, Time::ZERO).0, Some(1), "A has used its turn up, and B is new");
        // Its queue is empty, which shows at its next turn: then it is an old one for a round, and no new one.
        assert_eq!(dequeue(&mut queue, Time::ZERO).0, Some(0));
        enqueue(&mut queue, Time::ZERO, (5, 1, 100));
        assert!(queue.new_queues.is_empty() && queue.old_queues.all(&queue.queues).len() == 2);
    }

    /// Above the target of 5 ms from 0 on, in queues of their own: CoDel drops in the one that is long.
    #[test]
    fn each_queue_has_its_own_codel() {
        let mut queue = fq_codel(|_| ());
        for handle in 0..400 {
            enqueue(&mut queue, Time::ZERO, (handle, 0, 1500));
        }
        let dropped: Vec<u64> = (5..=250)
            .filter(|&now| {
                // A thin flow beside it. Turns go on until each of both has had one.
                enqueue(&mut queue, ms(now), (1000, 1, 100));
                let (mut served, mut dropped) = ([false; 2], 0);
                while served != [true; 2] {
                    let (flow, more) = dequeue(&mut queue, ms(now));
                    served[flow.unwrap() as usize] = true;
                    dropped += more;
                }
                dropped > 0
            })
            .collect();
        // The first wait above 5 ms at 5 ms: the first drop 100 ms later, the next after 100/√1 ms.
        assert_eq!(dropped, [105, 205]);
    }

    #[test]
    fn a_link_that_goes_down_empties_all_queues() {
        let mut queue = fq_codel(|_| ());
        for handle in 0..6 {
            enqueue(&mut queue, Time::ZERO, (handle, handle % 3, 1500));
        }
        dequeue(&mut queue, Time::ZERO);
        assert_eq!(std::iter::from_fn(|| queue.flush()).count(), 5);
        assert!(
            queue.queues.bytes() == 0
                && (0..queue.queues.len() as u32).all(|number| !queue.queues.state(number).is_active)
        );
        enqueue(&mut queue, ms(1), (9, 2, 100));
        assert_eq!((dequeue(&mut queue, ms(1)).0, dequeue(&mut queue, ms(1)).0), (Some(2), None));
    }

    #[test]
    fn connections_share_a_queue_where_their_hashes_are_equal() {
        let FqCoDel { params, .. } = fq_codel(|_| ());
        let port = at_port(u32::MAX, u64::MAX);
        let one = FqCoDel::start(&FqCoDelParams { flows: 1, ..params }, &port, Stream::new(1, "port", "fq-codel"));
        assert_eq!(one.queues.len(), 1);
        // RFC 8290 §5.2.4 is about this: of ten flows two meet in one of 1024 queues with a probability of 4.3 %.
        let flows: Vec<u64> = (0..10).map(crate::rng::mix).collect();
        let port = QueuePort { flows: &flows, ..port };
        let alone = (0..4000)
            .filter(|&seed| FqCoDel::start(&params, &port, Stream::new(seed, "port", "fq-codel")).queues.len() == 10)
            .count();
        assert!((alone as f64 / 4000.0 - 0.957).abs() < 0.013, "{alone}");
    }
}
