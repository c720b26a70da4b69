//! Scenarios as a function of bytes: small networks of any shape, and anything that can be said about queues, TCP and
//! traffic. Equal rates, equal delays and round numbers are common, so that much happens at the same instants.
//!
//! Every value comes from [`Choices`], so that a shorter or smaller input is a simpler scenario.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;

use ackclock::ids::{FlowId, Id, IdVec, LinkId, NodeId};
use ackclock::link::LinkParams;
use ackclock::record::Metric;
use ackclock::scenario::*;
use ackclock::sim::{Engine, build_with};
use ackclock::tcp::*;
use ackclock::traffic::{CbrParams, Dither};
use ackclock::units::{CELL_BITS, Rate, Span, Time};

use super::queues::{cell_kinds, frame_cells, queues};
use super::tcp::{dialects, hosts, sack_options, tcp};
use super::{abr, paths, routes};

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
        let routes = || scenario.flows.iter().flat_map(|flow| [&flow.forward, &flow.backward]).flat_map(Route::links);
        for (id, link) in scenario.links.iter_ids().filter(|&(id, _)| routes().any(|of_route| of_route == id)) {
            let Link { name, rate, delay, params, queue: Queue { buffer, policy, service_order, rates }, .. } = link;
            write!(f, "{}: {name} {rate:?} {delay}", id.index())?;
            if !params.is_plain() {
                write!(f, " {params:?}")?;
            }
            let of_host = is_host(scenario, link.from);
            writeln!(
                f,
                "{}",
                if of_host { String::new() } else { format!(" {buffer:?} {policy:?} {service_order:?} {rates:?}") }
            )?;
        }
        scenario.udp.iter().try_for_each(|source| writeln!(f, "{source:?}"))?;
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
        udp: Vec::new(),
        bottleneck: None,
        recording: Recording::none(),
        events: Vec::new(),
    };
    let shared_tcp = tcp(choices);
    for number in 1..=1 + choices.below(8) {
        let own_tcp = choices.once_in(4);
        let tcp = if own_tcp { tcp(choices) } else { shared_tcp.clone() };
        let flow = flow(choices, &scenario, number, tcp);
        scenario.flows.push(flow);
    }
    // Only tail drop loses cells in the middle of frames whose ends arrive.
    let kind = if choices.once_in(6) { "tail-drop".to_owned() } else { choices.one_of(&cell_kinds()) };
    queues(choices, &mut scenario, &kind);
    let events = choices.one_of(&[20_000, 5_000, 50_000]);
    let odd = choices.below(1 << 16);
    scenario.duration = Span::from_ps(duration_ps(&scenario, events as f64) + odd);
    traffic_and_timers(choices, &mut scenario);
    paths::paths(choices, &mut scenario);
    udp(choices, &mut scenario);
    if choices.once_in(2) {
        let link = choices.one_of(&scenario.flows[FlowId::from_index(0)].forward.links());
        scenario.bottleneck = Some(Bottleneck { link, capacity_bps: 1e6 });
    }
    let seed = choices.below(4);
    shorten(&mut scenario, seed);
    let stops = stops(choices, &scenario);
    record(choices, &mut scenario);
    dialects(choices, &mut scenario);
    routes::routes(choices, &mut scenario);
    sack_options(choices, &mut scenario);
    scenario.recording.delays = choices.once_in(recorded_one_in());
    hosts(choices, &mut scenario);
    abr::abr(choices, &mut scenario);
    Example { scenario, seed, stops }
}

/// Some runs are recorded: everything, or one metric, or none; captures at all hosts, or none.
fn record(choices: &mut Choices, scenario: &mut Scenario) {
    if !choices.once_in(recorded_one_in()) {
        return;
    }
    let metrics: Vec<Metric> = match choices.below(5) {
        0 | 1 => vec![choices.one_of(&Metric::ALL)],
        2 | 3 => Metric::ALL.to_vec(),
        _ => Vec::new(),
    };
    let captures = metrics.is_empty() || choices.once_in(3);
    scenario.recording.metrics = metrics.into_iter().collect();
    let part = scenario.duration.as_ps() / (10 * (1 + choices.below(200)));
    scenario.recording.interval = Span::from_ps(10 * part.max(100_000));
    if captures {
        let hosts = scenario.nodes.iter_ids().filter(|(_, node)| node.kind == NodeKind::Host);
        scenario.recording.captures = hosts.map(|(id, _)| id).collect();
    }
}

/// One run in so many is recorded: half of them, or as `RECORDED_ONE_IN` says. To record a run and to compare what was
/// recorded takes longer than to simulate it, so long series of runs record fewer. What one of these finds is shown again
/// with the same number.
fn recorded_one_in() -> u64 {
    std::env::var("RECORDED_ONE_IN")
        .ok()
        .and_then(|number| number.parse().ok())
        .filter(|&number| number > 0)
        .unwrap_or(2)
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
            let (params, queue) = (LinkParams::plain(), Queue::unlimited());
            links.push(Link { name, from, to, rate, delay, params, queue });
        }
    }
    (nodes, links)
}

/// From 1 ns to more than 200 ms, as often short as long; a picosecond; and none.
pub fn any_delay(choices: &mut Choices) -> Span {
    let ps = match choices.below(32) {
        30 => 1,
        31 => return Span::ZERO,
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
        0..=4 => base,
        5 => Span::ZERO,
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
    let pcr = pcr(choices, scenario, [forward[0], backward[0]]);
    Flow {
        name: format!("f{number}"),
        forward: forward.into(),
        backward: backward.into(),
        start: Time::ZERO,
        start_jitter: choices.one_of(&[Span::ZERO, Span::ZERO, Span::from_us(1), Span::from_ms(3)]),
        stop: None,
        size: None,
        service: ServiceCategory::Ubr { pcr },
        tcp,
        forced_drops: Vec::new(),
    }
}

/// In some networks UDP at a constant rate, from hosts that send TCP and from others.
fn udp(choices: &mut Choices, scenario: &mut Scenario) {
    let count = choices.one_of(&[0, 0, 1, 2, 3]);
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
        let pcr = pcr(choices, scenario, [route[0], route[0]]);
        scenario.udp.push(UdpFlow { name: format!("u{number}"), route: route.into(), pcr, source });
    }
}

/// A peak cell rate that both hosts can send: their links' rate by default or by name, half of it, or a ratio of no small
/// numbers.
pub fn pcr(choices: &mut Choices, scenario: &Scenario, hosts: [LinkId; 2]) -> Option<Rate> {
    let limit = hosts.map(|link| scenario.links[link].rate.as_bps());
    let limit = limit[0].min(limit[1]);
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

pub fn is_host(scenario: &Scenario, node: NodeId) -> bool {
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

// ---- times ----

/// The time in which about so many units cross links: whatever limits the flows, the links of their hosts or their windows.
fn duration_ps(scenario: &Scenario, events: f64) -> u64 {
    let expected = |ps: f64| -> f64 {
        let of_flow = |flow: &Flow| {
            let route = [flow.forward.links(), flow.backward.links()].concat();
            let links = || route.iter().map(|&link| &scenario.links[link]);
            let (units, unit_bits) = match scenario.technology {
                Technology::Atm { .. } => (f64::from(frame_cells(flow.tcp.mss, scenario.technology)), CELL_BITS as f64),
                Technology::Packet { .. } => (1.0, f64::from(flow.tcp.mss + 40) * 8.0),
            };
            let rate =
                flow.forward.links().iter().map(|&link| scenario.links[link].rate.as_bps()).min().unwrap_or(1) as f64;
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
    let of_flow = |flow: &Flow| {
        [flow.forward.links(), flow.backward.links()]
            .concat()
            .iter()
            .map(|&link| scenario.links[link].delay.as_ps())
            .sum()
    };
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
        scope: TimerScope::Connection,
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
    let of_udp = scenario.udp.iter().map(|source| &source.route);
    for route in scenario.flows.iter().flat_map(|flow| [&flow.forward, &flow.backward]).chain(of_udp) {
        for pair in route.links().windows(2) {
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
