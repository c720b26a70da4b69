//! Scenarios as a function of bytes: small networks of any shape, and anything that can be said about queues, TCP and
//! traffic. Equal rates, equal delays and round numbers are common, so that much happens at the same instants.
//!
//! Every value comes from [`Choices`], so that a shorter or smaller input is a simpler scenario.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;

use ackclock::ids::{FlowId, Id, IdVec, LinkId, NodeId};
use ackclock::keys::{Dimension, Value, Values};
use ackclock::link::LinkParams;
use ackclock::record::Metric;
use ackclock::scenario::*;
use ackclock::tcp::*;
use ackclock::traffic::{CbrParams, Dither, PatternParams, TurnsParams};
use ackclock::units::{Rate, Span, Time};

use super::choices::Choices;
use super::paths::{instants, law};
use super::queues::{cell_kinds, queues};
use super::tcp::{
    dialects, ecn, hosts, hosts_of_today, sack_options, slow_start, tcp, timers, undo_responses, window_rules,
};
use super::times::{duration_ps, shorten, stops, traffic_and_timers};
use super::{abr, exchanges, feedback, medium, paths, routes};

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
        let routes = || scenario.flows.iter().flat_map(|flow| [&flow.forward, &flow.backward]);
        for (id, link) in scenario.links.iter_ids().filter(|&(id, _)| routes().any(|route| route.links().contains(&id)))
        {
            let Link { name, rate, delay, medium, params, queue, .. } = link;
            let Queue { buffer, policy, service_order, rates, feedback } = &**queue;
            write!(f, "{}: {name} {rate:?} {delay}", id.index())?;
            if !params.is_plain() {
                write!(f, " {params:?}")?;
            }
            if let Some(medium) = medium {
                write!(f, " {medium:?}")?;
            }
            let of_host = is_host(scenario, link.from);
            writeln!(
                f,
                "{}",
                if of_host {
                    String::new()
                } else {
                    format!(" {buffer:?} {policy:?} {service_order:?} {rates:?} {feedback:?}")
                }
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
    let mut stops = stops(choices, &scenario);
    record(choices, &mut scenario);
    dialects(choices, &mut scenario);
    routes::routes(choices, &mut scenario);
    sack_options(choices, &mut scenario);
    scenario.recording.delays = choices.once_in(recorded_one_in());
    hosts(choices, &mut scenario);
    abr::abr(choices, &mut scenario);
    applications(choices, &mut scenario);
    feedback::feedback(choices, &mut scenario, &mut stops);
    timers(choices, &mut scenario);
    window_rules(choices, &mut scenario);
    slow_start(choices, &mut scenario);
    ecn(choices, &mut scenario);
    hosts_of_today(choices, &mut scenario);
    readers(choices, &mut scenario);
    reneging(choices, &mut scenario);
    medium::media(choices, &mut scenario);
    exchanges::add_responses(&mut scenario);
    undo_responses(choices, &mut scenario);
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
            links.push(Link { name, from, to, rate, delay, medium: None, params, queue: queue.into() });
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
        application: ApplicationParams::Bulk(()).into(),
        service: ServiceCategory::Ubr { pcr },
        tcp: tcp.into(),
        group: None,
        forced_drops: Vec::new(),
        back_of: None,
    }
}

/// In some networks UDP at a constant rate, from hosts that send TCP and from others.
fn udp(choices: &mut Choices, scenario: &mut Scenario) {
    let count = choices.one_of(&[0, 0, 1, 2, 3]);
    let hosts: Vec<NodeId> = scenario.nodes.ids().filter(|&node| is_host(scenario, node)).collect();
    for number in 0..count {
        let (from, to) = (choices.index(hosts.len()), choices.index(hosts.len() - 1));
        let [from, to] = [from, (from + 1 + to) % hosts.len()].map(|place| hosts[place]);
        let there = route(choices, scenario, from, to);
        // Its choices are those of others, too, which stay what they were without echoes.
        let mut own = choices.clone();
        let echo = own.once_in(3).then(|| route(&mut own, scenario, to, from).into());
        let payload_bytes = choices.one_of(&[1000, 12, 1470, 513]);
        // So many in the whole run, whatever the links can take.
        let count = choices.one_of(&[500, 100, 3000]) * u64::from(payload_bytes) * 8;
        let rate = u128::from(count) * 1_000_000_000_000 / u128::from(scenario.duration.as_ps());
        let rate = u64::try_from(rate).unwrap_or(u64::MAX).clamp(1, 1_000_000_000_000);
        let time = |choices: &mut Choices| Time::from_ps(scenario.duration.as_ps() / 256 * choices.below(256));
        let source = CbrParams {
            payload_bytes,
            rate: Rate::from_bps(rate).expect("not zero"),
            interval: None,
            start: if choices.once_in(2) { time(choices) } else { Time::ZERO },
            stop: choices.once_in(2).then(|| time(choices)),
            dither: choices.one_of(&[Dither::Off, Dither::Uniform]),
            pattern: choices.once_in(3).then(|| Box::new(pattern(choices, scenario.duration, rate))),
        };
        let pcr = pcr(choices, scenario, [there[0], there[0]]);
        scenario.udp.push(UdpFlow { name: format!("u{number}"), route: there.into(), echo, pcr, source });
    }
}

/// Rates around this one, on and off by turns, in bursts.
fn pattern(choices: &mut Choices, duration: Span, bps: u64) -> PatternParams {
    let rate = |bps: u64| Rate::from_bps(bps.clamp(1, 1_000_000_000_000)).expect("not zero");
    let mut rates = vec![(Time::ZERO, rate(bps))];
    for time in instants(choices, duration) {
        rates.push((time, rate(bps / 4 * (1 + choices.below(8)))));
    }
    let about = |choices: &mut Choices| Span::from_ps(duration.as_ps() / choices.one_of(&[8, 64]) + 1);
    let turns = choices.once_in(2).then(|| {
        let (on, off) = (about(choices), about(choices));
        TurnsParams { on: law(choices, on), off: law(choices, off) }
    });
    PatternParams { rates, turns, burst: choices.one_of(&[1, 2, 7]) }
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

/// In some scenarios some flows have any application, most of them from very many offers to hardly any.
fn applications(choices: &mut Choices, scenario: &mut Scenario) {
    if !choices.once_in(4) {
        return;
    }
    for number in 0..scenario.flows.len() {
        if choices.once_in(2) {
            continue;
        }
        let flow = &scenario.flows[FlowId::from_index(number)];
        let (mss, rate) = (flow.tcp.mss, scenario.links[flow.forward.first()].rate.as_bps());
        let most_bps = MOST_SEGMENTS * 8.0 * f64::from(mss) / scenario.duration.as_secs_f64();
        let application = choices.one_of(application::ALL);
        let sampled = Values::sample(application.keys, &mut |bound| choices.below(bound));
        let values = Values::of(application.keys, |key| {
            let Value::Quantity(quantity) = sampled.value(key.name) else { return Some(sampled.value(key.name)) };
            let amount = match quantity.dimension {
                Dimension::Time => scenario.duration.as_ps() / choices.one_of(&[30, 7, 200, 1000, 2]),
                // No more segments than a run of this kind should take, be they of one byte.
                Dimension::Rate => (rate / choices.one_of(&[4, 1, 30, 300])).min(most_bps as u64),
                Dimension::Size => u64::from(mss) * choices.one_of(&[1, 2, 5, 40]),
                _ => quantity.amount,
            };
            Some(Value::quantity(quantity.dimension, amount.max(1)))
        });
        if let Ok(params) = (application.params)(&values, mss) {
            scenario.flows[FlowId::from_index(number)].application = params.into();
        }
    }
}

/// In some scenarios the receivers of some flows read at a rate that changes, from hardly at all to faster than data comes, or pause; and windows
/// are validated.
fn readers(choices: &mut Choices, scenario: &mut Scenario) {
    if !choices.once_in(6) {
        return;
    }
    for number in 0..scenario.flows.len() {
        let flow = &mut scenario.flows[FlowId::from_index(number)];
        flow.tcp.window_rules.window_validation = choices.once_in(3);
        flow.tcp.window_rules.idle_reduction = choices.one_of(&[IdleReduction::Halving, IdleReduction::RestartWindow]);
        if choices.once_in(2) {
            continue;
        }
        let fastest = scenario.links[flow.forward.first()].rate.as_bps();
        let mut rates = Vec::new();
        let mut at = Time::ZERO;
        for _ in 0..choices.one_of(&[1, 2, 5]) {
            let rate = if choices.once_in(4) { 0 } else { fastest / choices.one_of(&[1, 3, 10, 100]) };
            rates.push((at, Rate::from_bps(rate)));
            at += Span::from_ps(scenario.duration.as_ps() / choices.one_of(&[3, 20, 100]) + 1);
        }
        flow.tcp.reading = Some(ReadingParams { rates });
    }
}

/// In some scenarios the receivers of some flows discard what they hold beyond holes, once or again and again.
fn reneging(choices: &mut Choices, scenario: &mut Scenario) {
    if !choices.once_in(6) {
        return;
    }
    for number in 0..scenario.flows.len() {
        let flow = &mut scenario.flows[FlowId::from_index(number)];
        let times = choices.one_of(&[0, 1, 10, 300]);
        let instant = |_| Time::from_ps(choices.below(scenario.duration.as_ps()) + 1);
        flow.tcp.reneges_at = (0..times).map(instant).collect();
    }
}

/// An application at a rate produces about so many segments at most.
const MOST_SEGMENTS: f64 = 50_000.0;

// ---- what is in a scenario ----

/// The output ports of switches at which no cell ever waits: cell ports with one input of no higher rate. (The rule of
/// docs/architecture.md, written down once more.)
pub fn through_ports(scenario: &Scenario) -> Vec<&str> {
    let mut inputs: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); scenario.links.len()];
    let of_udp = scenario.udp.iter().flat_map(UdpFlow::routes);
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
    // Ports of edge devices have slots.
    let has_feedback = scenario.links.iter().any(|link| link.queue.feedback.is_some());
    let atm = matches!(scenario.technology, Technology::Atm { .. }) && !has_feedback;
    scenario.links.iter_ids().filter(|_| atm).filter(is_through).map(|(_, link)| link.name.as_str()).collect()
}
