//! Scenarios as a function of bytes: small networks of any shape, and anything that can be said about queues, TCP and
//! traffic. Equal rates, equal delays and round numbers are common, so that much happens at the same instants.
//!
//! Every value comes from [`Choices`], so that a shorter or smaller input is a simpler scenario.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;

use ackclock::ids::{FlowId, Id, IdVec, LinkId, NodeId};
use ackclock::packet::{IP_HEADER_BYTES, TCP_HEADER_BYTES, aal5};
use ackclock::path::PathParams;
use ackclock::queue::drop::{DropParams, Forgiveness, FrameParams};
use ackclock::record::Metric;
use ackclock::scenario::*;
use ackclock::sim::{Engine, build_with};
use ackclock::tcp::*;
use ackclock::traffic::{CbrParams, Dither};
use ackclock::units::{CELL_BITS, Rate, Span, Time};

use super::paths;

/// Choices taken from bytes, one after the other. When there are no more bytes, it is the first of each.
pub struct Choices<'a>(std::slice::Iter<'a, u8>);

impl<'a> Choices<'a> {
    pub fn new(bytes: &'a [u8]) -> Choices<'a> {
        Choices(bytes.iter())
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        let mut number = 0_u64;
        let mut range = 1_u128;
        while range < u128::from(bound) {
            number = number << 8 | u64::from(self.0.next().copied().unwrap_or(0));
            range <<= 8;
        }
        number % bound.max(1)
    }

    pub fn index(&mut self, bound: usize) -> usize {
        self.below(bound as u64) as usize
    }

    pub fn one_of<T: Clone>(&mut self, words: &[T]) -> T {
        words[self.index(words.len())].clone()
    }

    /// Whether something happens that happens once in so many times, and never if no bytes are left.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == times - 1
    }
}

/// A scenario, its seed, and the instants at which the records are looked at.
#[derive(Clone)]
pub struct Example {
    pub scenario: Scenario,
    pub seed: u64,
    pub stops: Vec<Time>,
}

/// One line for each link that is used, and for each flow.
impl fmt::Debug for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Example { scenario, seed, stops } = self;
        let Scenario { technology, duration, warmup, .. } = scenario;
        writeln!(f, "{technology:?}, {duration}, warm-up {warmup}, seed {seed}, looked at {stops:?}")?;
        let routes = || scenario.flows.iter().flat_map(|flow| flow.forward.iter().chain(&flow.backward));
        for (id, link) in scenario.links.iter_ids().filter(|(id, _)| routes().any(|of_route| of_route == id)) {
            let Link { name, rate, delay, path, queue: Queue { buffer, policy, service_order }, .. } = link;
            write!(f, "{}: {name} {rate:?} {delay}", id.index())?;
            if !path.is_plain() {
                write!(f, " {path:?}")?;
            }
            let of_host = is_host(scenario, link.from);
            writeln!(
                f,
                "{}",
                if of_host { String::new() } else { format!(" {buffer:?} {policy:?} {service_order:?}") }
            )?;
        }
        scenario.datagrams.iter().try_for_each(|source| writeln!(f, "{source:?}"))?;
        scenario.flows.iter().try_for_each(|flow| writeln!(f, "{flow:?}"))
    }
}

/// The scenario of these bytes.
pub fn example(bytes: &[u8]) -> Example {
    let choices = &mut Choices::new(bytes);
    let technology = match choices.below(4) {
        0 | 1 => Technology::Atm { llc: true },
        2 => Technology::Atm { llc: false },
        _ => Technology::Packet { link_header_bytes: choices.one_of(&[0, 18, 1]) },
    };
    let (nodes, links) = network(choices);
    let mut scenario = Scenario {
        name: "random".to_owned(),
        duration: Span::from_ms(1),
        warmup: Span::ZERO,
        technology,
        nodes,
        links,
        flows: IdVec::new(),
        datagrams: Vec::new(),
        bottleneck: None,
        recording: Recording::none(),
    };
    let shared_tcp = tcp(choices);
    for number in 1..=1 + choices.below(8) {
        let own_tcp = choices.once_in(4);
        let tcp = if own_tcp { tcp(choices) } else { shared_tcp.clone() };
        let flow = flow(choices, &scenario, number, tcp);
        scenario.flows.push(flow);
    }
    let kind = choices.one_of(&POLICIES);
    queues(choices, &mut scenario, kind);
    let events = choices.one_of(&[20_000, 5_000, 50_000]);
    let odd = choices.below(1 << 16);
    scenario.duration = Span::from_ps(duration_ps(&scenario, events as f64) + odd);
    traffic_and_timers(choices, &mut scenario);
    paths::paths(choices, &mut scenario);
    datagrams(choices, &mut scenario);
    if choices.once_in(2) {
        let link = choices.one_of(&scenario.flows[FlowId::from_index(0)].forward);
        scenario.bottleneck = Some(Bottleneck { link, capacity_bps: 1e6 });
    }
    let seed = choices.below(4);
    shorten(&mut scenario, seed);
    let stops = stops(choices, &scenario);
    record(choices, &mut scenario);
    dialects(choices, &mut scenario);
    Example { scenario, seed, stops }
}

/// Half of the runs are recorded: everything, or one metric; captures at all hosts, or none.
fn record(choices: &mut Choices, scenario: &mut Scenario) {
    let metrics: Vec<Metric> = match choices.below(4) {
        0 | 1 => Vec::new(),
        2 => vec![choices.one_of(&Metric::ALL)],
        _ => Metric::ALL.to_vec(),
    };
    scenario.recording.metrics = metrics.into_iter().collect();
    let part = scenario.duration.as_ps() / (10 * (1 + choices.below(200)));
    scenario.recording.interval = Span::from_ps(10 * part.max(100_000));
    if choices.once_in(4) {
        let hosts = scenario.nodes.iter_ids().filter(|(_, node)| node.kind == NodeKind::Host);
        scenario.recording.captures = hosts.map(|(id, _)| id).collect();
    }
}

/// Instants in order, and rarely one that is past already.
fn stops(choices: &mut Choices, scenario: &Scenario) -> Vec<Time> {
    let ps = scenario.duration.as_ps();
    let cell_ps = scenario.links[LinkId::from_index(0)].rate.cell_time().as_ps();
    let mut stops: Vec<Time> = (0..choices.below(5))
        .map(|_| {
            let any = (u128::from(ps) * u128::from(choices.below(256)) / 256) as u64;
            // On the end of a slot, one before and one after.
            Time::from_ps(match choices.below(4) {
                0 => any,
                1 => any / cell_ps * cell_ps,
                2 => any / cell_ps * cell_ps + 1,
                _ => (any / cell_ps * cell_ps).saturating_sub(1),
            })
        })
        .collect();
    if !choices.once_in(8) {
        stops.sort();
    }
    stops
}

// ---- the network ----

/// Rates with which cells take whole or broken numbers of picoseconds: SONET, a cell per microsecond, satellites.
const RATES: [u64; 8] =
    [155_520_000, 424_000_000, 10_000_000, 149_760_000, 64_000, 1_000_000_000_000, 622_080_000, 9_999_991];

fn network(choices: &mut Choices) -> (IdVec<NodeId, Node>, IdVec<LinkId, Link>) {
    let (switches, hosts) = (1 + choices.index(6), 2 + choices.index(7));
    let mut nodes = IdVec::new();
    let mut add = |kind, letter, count| -> Vec<NodeId> {
        (1..=count).map(|number| nodes.push(Node { name: format!("{letter}{number}"), kind })).collect()
    };
    let hosts = add(NodeKind::Host, 'h', hosts);
    let switches = add(NodeKind::Switch, 's', switches);
    let mut pairs = Vec::new();
    // A tree of switches, more often a chain than a star, and then some rings.
    for number in 1..switches.len() {
        let other = if choices.once_in(4) { choices.index(number) } else { number - 1 };
        pairs.push((switches[other], switches[number]));
    }
    for _ in 0..choices.below(3) {
        pairs.push((choices.one_of(&switches), choices.one_of(&switches)));
    }
    for &host in &hosts {
        pairs.push((host, choices.one_of(&switches)));
        if choices.once_in(4) {
            pairs.push((host, choices.one_of(&switches)));
        }
        if choices.once_in(16) {
            pairs.push((host, choices.one_of(&hosts)));
        }
    }
    let mut seen = BTreeSet::new();
    pairs.retain(|&(a, b)| a != b && seen.insert((a.min(b), a.max(b))));

    let base_rate = Rate::from_bps(choices.one_of(&RATES)).expect("not zero");
    let base_delay = any_delay(choices);
    let mut links = IdVec::new();
    for (a, b) in pairs {
        let (rate, delay) = (rate(choices, base_rate), delay(choices, base_delay, base_rate));
        let asymmetric = choices.once_in(8);
        let back = if asymmetric {
            (self::rate(choices, base_rate), self::delay(choices, base_delay, base_rate))
        } else {
            (rate, delay)
        };
        for (from, to, (rate, delay)) in [(a, b, (rate, delay)), (b, a, back)] {
            let name = format!("{}->{}", nodes[from].name, nodes[to].name);
            let (path, queue) = (PathParams::plain(), Queue::unlimited());
            links.push(Link { name, from, to, rate, delay, path, queue });
        }
    }
    (nodes, links)
}

/// From 1 ns to more than 200 ms, as often short as long; and a picosecond.
pub fn any_delay(choices: &mut Choices) -> Span {
    let ps = match choices.below(31) {
        30 => 1,
        exponent => 1000_u64 << ((exponent + 12) % 30).min(28),
    };
    let odd = if choices.once_in(2) { choices.below(ps.min(1 << 16)) } else { 0 };
    Span::from_ps(ps + odd)
}

fn rate(choices: &mut Choices, base: Rate) -> Rate {
    let bps = base.as_bps();
    let bps = match choices.below(12) {
        0..=4 => bps,
        5 => bps / 2,
        6 => bps * 2,
        7 => bps / 3,
        8 => bps / 10,
        9 => bps + 1,
        10 => bps - 1,
        _ => bps / 100 * 99,
    };
    Rate::from_bps(bps.clamp(1000, 1_000_000_000_000)).expect("not zero")
}

fn delay(choices: &mut Choices, base: Span, rate: Rate) -> Span {
    match choices.below(12) {
        0..=5 => base,
        6 => base * 2,
        7 => rate.cell_time(),
        8 => rate.cell_time() * (1 + choices.below(100)),
        9 => base + Span::from_ps(1),
        10 => base + rate.cell_time(),
        _ => any_delay(choices),
    }
}

// ---- flows ----

fn flow(choices: &mut Choices, scenario: &Scenario, number: u64, tcp: TcpParams) -> Flow {
    let hosts: Vec<NodeId> = scenario.nodes.ids().filter(|&node| is_host(scenario, node)).collect();
    // Half of the flows have an end at the first host, so that ports are shared, in both directions.
    let to = if choices.once_in(2) { choices.index(hosts.len()) } else { 0 };
    let from = (to + 1 + choices.index(hosts.len() - 1)) % hosts.len();
    let (from, to) = if choices.once_in(3) { (to, from) } else { (from, to) };
    let forward = route(choices, scenario, hosts[from], hosts[to]);
    let backward = route(choices, scenario, hosts[to], hosts[from]);
    let pcr = pcr(choices, scenario, &forward, &backward);
    Flow {
        name: format!("f{number}"),
        forward,
        backward,
        start: Time::ZERO,
        start_jitter: choices.one_of(&[Span::ZERO, Span::ZERO, Span::from_us(1), Span::from_ms(3)]),
        stop: None,
        size: None,
        pcr,
        tcp,
        forced_drops: Vec::new(),
    }
}

/// In some packet networks UDP at a constant rate, from hosts that send TCP and from others.
fn datagrams(choices: &mut Choices, scenario: &mut Scenario) {
    let count = choices.one_of(&[0, 0, 1, 2, 3]);
    if matches!(scenario.technology, Technology::Atm { .. }) {
        return;
    }
    let hosts: Vec<NodeId> = scenario.nodes.ids().filter(|&node| is_host(scenario, node)).collect();
    for number in 0..count {
        let (from, to) = (choices.index(hosts.len()), choices.index(hosts.len() - 1));
        let route = route(choices, scenario, hosts[from], hosts[(from + 1 + to) % hosts.len()]);
        let payload_bytes = choices.one_of(&[1000, 12, 1470, 513]);
        // So many in the whole run, whatever the links can take.
        let count = choices.one_of(&[500, 100, 3000]) * u64::from(payload_bytes) * 8;
        let rate = u128::from(count) * 1_000_000_000_000 / u128::from(scenario.duration.as_ps());
        let rate = u64::try_from(rate).unwrap_or(u64::MAX).clamp(1, 1_000_000_000_000);
        let time = |choices: &mut Choices| Time::from_ps(scenario.duration.as_ps() / 256 * choices.below(256));
        let source = CbrParams {
            payload_bytes,
            rate: Rate::from_bps(rate).expect("not zero"),
            start: if choices.once_in(2) { time(choices) } else { Time::ZERO },
            stop: choices.once_in(2).then(|| time(choices)),
            dither: choices.one_of(&[Dither::Off, Dither::Uniform]),
        };
        scenario.datagrams.push(DatagramFlow { name: format!("u{number}"), route, source });
    }
}

/// A peak cell rate that both hosts can send: their links' rate by default or by name, half of it, or a ratio of no small
/// numbers.
pub fn pcr(choices: &mut Choices, scenario: &Scenario, forward: &[LinkId], backward: &[LinkId]) -> Option<Rate> {
    let limit = scenario.links[forward[0]].rate.min(scenario.links[backward[0]].rate).as_bps();
    let pcr = match choices.below(8) {
        0..=3 => None,
        4 => Some(limit),
        5 => Some(limit / 2),
        6 => Some(limit / 100 * 97),
        _ => Some(limit * 3 / 7),
    };
    let atm = matches!(scenario.technology, Technology::Atm { .. });
    pcr.filter(|_| atm).and_then(Rate::from_bps)
}

fn is_host(scenario: &Scenario, node: NodeId) -> bool {
    scenario.nodes[node].kind == NodeKind::Host
}

/// A path that visits no node twice and no host between: breadth first a short one, depth first perhaps a long one.
fn route(choices: &mut Choices, scenario: &Scenario, from: NodeId, to: NodeId) -> Vec<LinkId> {
    let depth_first = choices.once_in(4);
    let mut reached_by: IdVec<NodeId, Option<LinkId>> = scenario.nodes.iter().map(|_| None).collect();
    let mut open = VecDeque::from([from]);
    while let Some(node) = if depth_first { open.pop_back() } else { open.pop_front() } {
        if node != from && is_host(scenario, node) {
            continue;
        }
        for (id, link) in scenario.links.iter_ids().filter(|(_, link)| link.from == node) {
            if link.to != from && reached_by[link.to].is_none() {
                reached_by[link.to] = Some(id);
                open.push_back(link.to);
            }
        }
    }
    let mut path = Vec::new();
    let mut node = to;
    while node != from {
        let link = reached_by[node].expect("the network is connected by its switches");
        path.insert(0, link);
        node = scenario.links[link].from;
    }
    path
}

/// Anything that can be said about a connection but for its times.
pub fn tcp(choices: &mut Choices) -> TcpParams {
    let mss = choices.one_of(&[512, 512, 512, 1460, 1460, 40, 9140, 1]);
    let kind = choices.index(RECOVERIES);
    let recovery = recovery(choices, kind);
    let receive_window =
        u64::from(mss) * choices.one_of(&[20, 64, 8, 128, 40, 1, 3]) + choices.one_of(&[0, 0, u64::from(mss) / 2]);
    let scale = TcpParams::scale_for(receive_window);
    TcpParams {
        mss,
        recovery,
        growth: GrowthParams::Reno(choices.one_of(&[
            CongestionAvoidance::AckCounting,
            CongestionAvoidance::Integer,
            CongestionAvoidance::Float,
        ])),
        initial_window_segments: choices.one_of(&[1, 1, 2, 4, 20]),
        initial_ssthresh: choices.one_of(&[receive_window, receive_window, u64::from(mss) * 4, 1]),
        receive_window,
        window_scale: scale,
        ack: AckPolicy::EverySegment,
        out_of_order: choices.one_of(&[OutOfOrder::Buffer, OutOfOrder::Buffer, OutOfOrder::Discard]),
        receiver_sack: !choices.once_in(8),
        ..TcpParams::default()
    }
}

/// What differs between dialects, for all flows alike or for some. The last of all choices, so that those before remain
/// what they are in older inputs.
pub fn dialects(choices: &mut Choices, scenario: &mut Scenario) {
    if !choices.once_in(3) {
        return;
    }
    let mut dialect = dialect(choices);
    for flow in scenario.flows.iter_mut() {
        if choices.once_in(4) {
            dialect = self::dialect(choices);
        }
        dialect.apply(&mut flow.tcp);
    }
}

/// Some of what differs between dialects.
struct Dialect {
    timer: TimerKind,
    header_bytes: u16,
    first_segment: FirstSegment,
    host_queue: HostQueue,
    handshake: bool,
    fin: bool,
    timestamp_clock: Option<Span>,
    initial_window_from: InitialWindowFrom,
    new_reno: NewRenoParams,
    /// In the place of whatever the flow has.
    growth: Option<GrowthParams>,
    vegas_recovery: bool,
}

fn dialect(choices: &mut Choices) -> Dialect {
    let new_reno = NewRenoParams {
        restart_timer_on_fast_retransmit: choices.once_in(2),
        partial_ack_window: choices.one_of(&[PartialAckWindow::Reset, PartialAckWindow::Deflate]),
        recovery_burst_segments: choices.one_of(&[Some(2), None, Some(1)]),
        growth_at_recovery_end: choices.once_in(2),
        ..NewRenoParams::default()
    };
    Dialect {
        timer: choices.one_of(&[TimerKind::Ns2, TimerKind::Bsd, TimerKind::Rfc6298]),
        header_bytes: choices.one_of(&[0, 40, 52]),
        first_segment: choices.one_of(&[FirstSegment::Empty, FirstSegment::Data]),
        host_queue: choices.one_of(&[HostQueue::Keep, HostQueue::Discard]),
        initial_window_from: choices.one_of(&[
            InitialWindowFrom::FirstAck,
            InitialWindowFrom::SecondAck,
            InitialWindowFrom::Start,
        ]),
        new_reno,
        growth: growth(choices),
        vegas_recovery: !choices.once_in(4),
        handshake: choices.once_in(2),
        fin: choices.once_in(2),
        timestamp_clock: choices.one_of(&[None, Some(Span::from_ms(1)), Some(Span::from_us(3))]),
    }
}

fn growth(choices: &mut Choices) -> Option<GrowthParams> {
    let reroute = RerouteParams {
        first_packets: choices.one_of(&[1, 100]),
        block_packets: choices.one_of(&[3, 20]),
        blocks: choices.one_of(&[1, 4]),
        delta: choices.one_of(&[0.2, 0.01]),
        queued_packets: 1.0,
    };
    let reroute = choices.once_in(2).then_some(reroute);
    let vegas = VegasParams { gamma: choices.one_of(&[1.0, 2.0]), reroute, ..VegasParams::default() };
    match choices.below(9) {
        0..=2 => None,
        3 => Some(GrowthParams::Reno(CongestionAvoidance::ByteCounting)),
        4 => Some(GrowthParams::Cubic(CubicParams { fast_convergence: choices.once_in(2), ..CubicParams::default() })),
        5 => Some(GrowthParams::Vegas(vegas)),
        7 => Some(GrowthParams::VegasLinux(VegasLinuxParams::default())),
        6 => Some(GrowthParams::VegasPlus(VegasPlusParams {
            vegas,
            count_max: choices.one_of(&[8, 1, 2]),
            back: choices.one_of(&[PlusReturn::CountIsZero, PlusReturn::AnyLoss]),
        })),
        _ => Some(GrowthParams::VegasA(VegasAParams {
            vegas,
            increase: choices.one_of(&[Increase::AtOnce, Increase::Spread, Increase::SpreadAtFloor]),
            tie_up_probability: choices.one_of(&[0.01, 0.5, 0.0]),
            reset_ab_on_rto: choices.once_in(2),
            step: choices.one_of(&[AbStep::Unit, AbStep::Throughput, AbStep::Rtt]),
            ..VegasAParams::default()
        })),
    }
}

impl Dialect {
    fn apply(&self, tcp: &mut TcpParams) {
        tcp.timer.kind = self.timer;
        tcp.header_bytes = self.header_bytes;
        tcp.first_segment = self.first_segment;
        tcp.handshake = self.handshake;
        tcp.fin = self.fin;
        tcp.timestamp_clock = self.timestamp_clock;
        tcp.host_queue = self.host_queue;
        tcp.initial_window_from = self.initial_window_from;
        if let Some(growth) = &self.growth {
            tcp.growth = growth.clone();
            if self.vegas_recovery && growth.is_vegas() {
                tcp.recovery = RecoveryParams::Vegas;
            }
        }
        if let RecoveryParams::NewReno(params) = &mut tcp.recovery {
            let NewRenoParams { guard_after_timeout, restart_timer_on_partial_ack, .. } = *params;
            *params = NewRenoParams { guard_after_timeout, restart_timer_on_partial_ack, ..self.new_reno.clone() };
        }
    }
}

/// The number of recoveries.
pub const RECOVERIES: usize = 5;

/// A recovery, by its number, with any of its choices.
pub fn recovery(choices: &mut Choices, kind: usize) -> RecoveryParams {
    let mut no = || choices.once_in(3);
    let restart_timer_on_partial_ack = !no();
    match kind {
        0 => RecoveryParams::NewReno(NewRenoParams {
            guard_after_timeout: !no(),
            restart_timer_on_partial_ack,
            ..NewRenoParams::default()
        }),
        1 => RecoveryParams::Vanilla,
        2 => RecoveryParams::Reno,
        3 => RecoveryParams::FallFloyd(FallFloydParams {
            partial_ack_pipe_segments: if no() { 1 } else { 2 },
            restart_timer_on_partial_ack,
            only_below_highest_sack: !no(),
            guard_after_timeout: no(),
        }),
        _ => RecoveryParams::Rfc6675(Rfc6675Params { restart_timer_on_partial_ack }),
    }
}

// ---- queues ----

/// One queue for most ports.
pub fn queues(choices: &mut Choices, scenario: &mut Scenario, kind: &str) {
    let shared = queue_with(choices, scenario, kind);
    let all: Vec<LinkId> = scenario.links.ids().collect();
    for id in all {
        let own = choices.once_in(8);
        scenario.links[id].queue = if own { queue(choices, scenario) } else { shared.clone() };
    }
}

fn queue(choices: &mut Choices, scenario: &Scenario) -> Queue {
    let kind = choices.one_of(&POLICIES);
    queue_with(choices, scenario, kind)
}

/// Any queue with a policy of this kind, from one that holds nothing to one that holds everything.
pub fn queue_with(choices: &mut Choices, scenario: &Scenario, kind: &str) -> Queue {
    let mss = scenario.flows.iter().map(|flow| flow.tcp.mss).max().unwrap_or(512);
    let service_order = choices.one_of(&[ServiceOrder::Random, ServiceOrder::Rotating, ServiceOrder::Fixed]);
    if let Technology::Packet { link_header_bytes } = scenario.technology {
        let packet = u64::from(mss + IP_HEADER_BYTES + TCP_HEADER_BYTES + link_header_bytes);
        let packets = choices.one_of(&[5, 2, 1, 20, 50, 5, 0]);
        let buffer = match choices.below(8) {
            0..=3 => Buffer::Packets(packets),
            7 => Buffer::Infinite,
            // Not a whole number of packets.
            _ => Buffer::Bytes(u64::from(packets) * packet + choices.one_of(&[0, packet / 2, 40])),
        };
        let kind = choices.one_of(&paths::PACKET_POLICIES);
        let rate = scenario.links[LinkId::from_index(0)].rate;
        let policy = paths::packet_policy(choices, kind, (packet as u32, rate.serialization(8 * packet)));
        return Queue { buffer, policy, service_order };
    }
    let frame = frame_cells(mss, scenario.technology);
    let cells = match choices.below(16) {
        0..=4 => frame * 5,
        5..=7 => frame * 2,
        8 => frame,
        9 => choices.one_of(&[0, 1, 2]),
        10..=13 => frame * 20,
        _ => u32::MAX,
    };
    let buffer = if cells == u32::MAX { Buffer::Infinite } else { Buffer::Cells(cells) };
    let policy = policy(choices, kind, buffer, frame);
    Queue { buffer, policy, service_order }
}

/// Cells of a full segment.
fn frame_cells(mss: u32, technology: Technology) -> u32 {
    u32::from(aal5::cells(mss + IP_HEADER_BYTES + TCP_HEADER_BYTES, technology == Technology::Atm { llc: true }))
}

/// The drop policies by name, with their forgiveness.
pub const POLICIES: [&str; 11] = [
    "tail-drop",
    "ppd",
    "epd",
    "selective-drop",
    "fba",
    "epd toggle",
    "selective-drop toggle",
    "fba toggle",
    "epd episode",
    "selective-drop episode",
    "fba episode",
];

/// A policy of this kind; where the buffer has no room for a threshold below it, FBA becomes EPD.
fn policy(choices: &mut Choices, kind: &str, buffer: Buffer, frame_cells: u32) -> DropParams {
    let (rule, forgiveness) = kind.split_once(' ').unwrap_or((kind, ""));
    let capacity = match buffer {
        Buffer::Cells(cells) => f64::from(cells),
        _ => f64::INFINITY,
    };
    let fraction = choices.one_of(&[0.8, 0.5, 0.9, 0.0]);
    let threshold_cells =
        if capacity.is_finite() { fraction * capacity } else { fraction * f64::from(frame_cells * 4) };
    let load_ratio = choices.one_of(&[0.8, 0.5, 1.5, 0.0]);
    let frame = FrameParams { keep_eom_of_whole: choices.once_in(3) };
    let forgiveness = match forgiveness {
        "toggle" => Some(Forgiveness::Toggle),
        "episode" => {
            Some(Forgiveness::Episode { low_threshold_cells: threshold_cells * choices.one_of(&[1.0, 0.5, 0.0]) })
        }
        _ => None,
    };
    match rule {
        "tail-drop" => DropParams::TailDrop,
        "ppd" => DropParams::Ppd,
        "selective-drop" => DropParams::SelectiveDrop { threshold_cells, load_ratio, frame, forgiveness },
        "fba" if threshold_cells < capacity && capacity.is_finite() => {
            DropParams::Fba { threshold_cells, load_ratio, frame, forgiveness }
        }
        _ => DropParams::Epd { threshold_cells, frame, forgiveness },
    }
}

// ---- times ----

/// The time in which about so many units cross links: whatever limits the flows, the links of their hosts or their windows.
fn duration_ps(scenario: &Scenario, events: f64) -> u64 {
    let expected = |ps: f64| -> f64 {
        let of_flow = |flow: &Flow| {
            let links = || flow.forward.iter().chain(&flow.backward).map(|&link| &scenario.links[link]);
            let (units, unit_bits) = match scenario.technology {
                Technology::Atm { .. } => (f64::from(frame_cells(flow.tcp.mss, scenario.technology)), CELL_BITS as f64),
                Technology::Packet { .. } => (1.0, f64::from(flow.tcp.mss + 40) * 8.0),
            };
            let rate = flow.forward.iter().map(|&link| scenario.links[link].rate.as_bps()).min().unwrap_or(1) as f64;
            let by_rate = ps * rate / 1e12 / unit_bits;
            let round_trip: f64 = links().map(|link| link.delay.as_ps() as f64).sum();
            let window = (flow.tcp.receive_window / u64::from(flow.tcp.mss)) as f64 * units;
            let by_window = window * (ps / round_trip.max(1.0) + 1.0);
            by_rate.min(by_window) * links().count() as f64
        };
        scenario.flows.iter().map(of_flow).sum()
    };
    let mut ps = 1e6;
    while ps < 1e15 && expected(ps * 1.25) < events {
        ps *= 1.25;
    }
    // The first round trips of slow start carry little, so there is time for some of them.
    ps.max((8.0 * longest_round_trip_ps(scenario) as f64).min(16.0 * ps)) as u64
}

fn longest_round_trip_ps(scenario: &Scenario) -> u64 {
    let of_flow =
        |flow: &Flow| flow.forward.iter().chain(&flow.backward).map(|&link| scenario.links[link].delay.as_ps()).sum();
    scenario.flows.iter().map(of_flow).max().unwrap_or(0)
}

/// Whatever was expected, the run ends soon after this many events of the reference engine.
const MOST_EVENTS: u64 = 15_000;

fn shorten(scenario: &mut Scenario, seed: u64) {
    let mut simulation = build_with(scenario, seed, Engine::Reference);
    for part in 1..64 {
        let length = Span::from_ps(scenario.duration.as_ps() / 64 * part);
        if length > scenario.warmup && simulation.step(Time::ZERO + length).events > MOST_EVENTS {
            scenario.duration = length;
            break;
        }
    }
}

/// What depends on the length of the run: timers, starts, stops, files, losses on purpose, the warm-up.
pub fn traffic_and_timers(choices: &mut Choices, scenario: &mut Scenario) {
    let ps = scenario.duration.as_ps();
    let part =
        |numerator: u64, denominator: u64| (u128::from(ps) * u128::from(numerator) / u128::from(denominator)) as u64;
    // Patient enough to wait for an acknowledgement, or not.
    let patient = part(1, 40).max(longest_round_trip_ps(scenario));
    let granularity =
        Span::from_ps(choices.one_of(&[patient, patient, patient, patient / 5, part(1, 20), part(1, 500)]).max(1000));
    let phase = match choices.below(4) {
        0 | 1 => TickPhase::Common(Span::ZERO),
        2 => TickPhase::Random,
        _ => TickPhase::Common(Span::from_ps(granularity.as_ps() / 3)),
    };
    let timer = TimerParams {
        kind: TimerKind::Bsd,
        granularity,
        phase,
        min_rto_ticks: choices.one_of(&[2, 1, 3]),
        max_rto: granularity * 64,
        initial_rto: granularity * choices.one_of(&[4, 2, 10]),
    };
    let ack = match choices.below(3) {
        0 | 1 => AckPolicy::EverySegment,
        _ => AckPolicy::Delayed { timeout: granularity * choices.one_of(&[2, 1]) },
    };
    scenario.warmup = Span::from_ps(choices.one_of(&[0, part(1, 4), part(1, 3) + 1]).min(ps - 1));
    for flow in scenario.flows.iter_mut() {
        flow.tcp.timer = timer.clone();
        flow.tcp.ack = ack;
        let mss = u64::from(flow.tcp.mss);
        match choices.below(8) {
            0..=3 => {}
            4 => flow.start = Time::from_ps(part(choices.below(16), 16)),
            5 => flow.size = Some(1 + choices.one_of(&[mss * 10, mss * 4 - 1, mss / 2, mss * 100])),
            6 => {
                flow.start = Time::from_ps(part(choices.below(4), 16));
                flow.stop = Some(Time::from_ps(flow.start.as_ps() + 1 + part(choices.below(8), 16)));
            }
            _ => {
                let mut lost: Vec<(u64, u32)> =
                    (0..1 + choices.below(4)).map(|_| (choices.below(20), 1 + choices.below(3) as u32)).collect();
                lost.sort_unstable();
                lost.dedup();
                let drop = |(segment, transmission)| ForcedDrop { segment, transmission };
                flow.forced_drops = lost.into_iter().map(drop).collect();
            }
        }
    }
}

// ---- what is in a scenario ----

/// The output ports of switches at which no cell ever waits: cell ports with one input of no higher rate. (The rule of
/// docs/architecture.md, written down once more.)
pub fn through_ports(scenario: &Scenario) -> Vec<&str> {
    let mut inputs: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); scenario.links.len()];
    for route in scenario.flows.iter().flat_map(|flow| [&flow.forward, &flow.backward]) {
        for pair in route.windows(2) {
            inputs[pair[1].index()].insert(pair[0].index());
        }
    }
    let is_through = |&(id, link): &(LinkId, &Link)| {
        let of_port = &inputs[id.index()];
        let rate_of = |&input: &usize| scenario.links[LinkId::from_index(input)].rate;
        of_port.len() == 1 && of_port.iter().all(|input| rate_of(input) <= link.rate)
    };
    let atm = matches!(scenario.technology, Technology::Atm { .. });
    scenario.links.iter_ids().filter(|_| atm).filter(is_through).map(|(_, link)| link.name.as_str()).collect()
}
