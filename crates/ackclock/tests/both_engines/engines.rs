//! Both engines on every kind of network, with every drop policy and every recovery: all records must be equal, to the
//! bit, at the end and on the way there.
//!
//! The product of networks, policies and recoveries is complete; what else there is to choose (buffers, pacing, service
//! order, segment sizes, timers, files, losses on purpose) is different in each case, drawn from its number.
//! `ENGINES_ROUNDS=N` runs the product so many times; without it, a part of it is run.

use std::path::Path;
use std::sync::Arc;

use crate::lab::agree::{assert_engines_agree, difference};
use crate::lab::choices::Choices;
use crate::lab::queues;
use crate::lab::random::{self, through_ports};
use crate::lab::routes;
use crate::lab::tcp;
use crate::lab::times::traffic_and_timers;
use ackclock::ids::{FlowId, Id};
use ackclock::record::{LinkLosses, PortRecord, Records};
use ackclock::rng::Stream;
use ackclock::scenario::{Buffer, Queue, Scenario, ServiceCategory};
use ackclock::sim::{self, Engine, Fusing, build_with};
use ackclock::tcp::TcpParams;
use ackclock::units::{Span, Time};
use ackclock_scenario::{Disk, load};

/// A network, and for how long it is simulated: long enough for losses and timeouts.
struct Network {
    name: &'static str,
    text: String,
    milliseconds: f64,
}

fn network(name: &'static str, milliseconds: f64, text: impl Into<String>) -> Network {
    Network { name, text: text.into(), milliseconds }
}

/// `sources` hosts on each side of two switches.
fn n_source(sources: u32, rate: &str, access_delay: &str, trunk_delay: &str) -> String {
    format!(
        "[network]\ntopology = \"n-source\"\nsources = {sources}\nrate = \"{rate}\"\naccess_delay = \"{access_delay}\"\n\
         trunk_delay = \"{trunk_delay}\"\n"
    )
}

fn dumbbell(sources: u32, [access, bottleneck]: [&str; 2], [access_delay, delay]: [&str; 2]) -> String {
    format!(
        "[network]\ntopology = \"dumbbell\"\nsources = {sources}\naccess_rate = \"{access}\"\n\
         access_delay = \"{access_delay}\"\nbottleneck_rate = \"{bottleneck}\"\nbottleneck_delay = \"{delay}\"\n"
    )
}

/// A graph in short: links as "a-b rate delay", flows as "a-b" or "a-s-t-b" with the nodes of the data's path. Nodes that
/// begin with s are switches.
fn graph(links: &[&str], flows: &[&str]) -> String {
    let mut text = "[network]\ntopology = \"graph\"\n".to_owned();
    let mut nodes: Vec<&str> = links.iter().flat_map(|link| link.split(' ').next().unwrap().split('-')).collect();
    nodes.sort_unstable();
    nodes.dedup();
    for node in nodes {
        let kind = if node.starts_with('s') { "switch" } else { "host" };
        text += &format!("[node.{node}]\nkind = \"{kind}\"\n");
    }
    for (number, link) in links.iter().enumerate() {
        let [ends, rate, delay] = link.split(' ').collect::<Vec<_>>()[..] else { panic!("{link}") };
        let (a, b) = ends.split_once('-').unwrap();
        let [rate, delay] = [rate, delay].map(|quantity| quantity.replace('_', " "));
        text += &format!("[link.l{number}]\nends = [\"{a}\", \"{b}\"]\nrate = \"{rate}\"\ndelay = \"{delay}\"\n");
    }
    for (number, flow) in flows.iter().enumerate() {
        let route: Vec<&str> = flow.split('-').collect();
        let (from, to) = (route[0], route[route.len() - 1]);
        text += &format!("[flow.g{number}]\nfrom = \"{from}\"\nto = \"{to}\"\n");
        if route.len() > 2 {
            text += &format!("route = {route:?}\n");
        }
    }
    text
}

const OC3: &str = "155.52_Mbps";

/// Links of one rate and one delay.
fn links(ends: &[&str], rate: &str, delay: &str) -> Vec<String> {
    ends.iter().map(|ends| format!("{ends} {rate} {delay}")).collect()
}

fn strs(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// Networks on which cells travel. Most of them carry packets as well.
fn networks() -> Vec<Network> {
    let parking_lot = links(
        &["a-s1", "s1-s2", "s2-s3", "s3-s4", "b-s1", "c-s2", "d-s3", "e-s4", "f-s2", "g-s3", "h-s4"],
        OC3,
        "10_us",
    );
    let roles = links(&["a-s1", "b-s1", "s1-s2", "c-s2", "d-s2"], OC3, "10_us");
    let ring = links(&["s1-s2", "s2-s3", "s3-s4", "s4-s1", "a-s1", "b-s2", "c-s3", "d-s4"], OC3, "3_us");
    let both = [
        "a-s1 155.52_Mbps 5_us",
        "b-s1 155.52_Mbps 300_us",
        "c-s2 155.52_Mbps 5_us",
        "d-s2 155.52_Mbps 41_us",
        "s1-s2 155.52_Mbps 1_ms",
    ];
    let through = [
        "a-s1 155.52_Mbps 5_us",
        "s1-s2 155.52_Mbps 5_us",
        "b-s2 155.52_Mbps 5_us",
        "s2-s3 155.52_Mbps 20_us",
        "s3-s4 155.52_Mbps 5_us",
        "c-s4 155.52_Mbps 7_us",
        "s4-s5 155.52_Mbps 5_us",
        "s5-s6 622.08_Mbps 5_us",
        "s6-d 622.08_Mbps 5_us",
    ];
    let homes = [
        "a-s1 155.52_Mbps 10_us",
        "a-s2 155.52_Mbps 10_us",
        "b-s1 155.52_Mbps 10_us",
        "b-s2 77.76_Mbps 10_us",
        "s1-s3 155.52_Mbps 10_us",
        "s2-s3 155.52_Mbps 10_us",
        "c-s3 155.52_Mbps 10_us",
        "a-b 155.52_Mbps 20_us",
    ];
    let slower = ["a-s1 155.52_Mbps 5_us", "s1-s2 51.84_Mbps 50_us", "s2-s3 149.76_Mbps 5_us", "s3-b 25_Mbps 5_us"];
    vec![
        network("two", 60.0, n_source(2, "155.52 Mbps", "5 us", "5 us")),
        network("LAN", 40.0, n_source(5, "155.52 Mbps", "5 us", "5 us")),
        network("fifteen", 40.0, n_source(15, "155.52 Mbps", "5 us", "5 us")),
        network("hundred", 30.0, n_source(100, "155.52 Mbps", "5 us", "5 us")),
        network("five hundred", 15.0, n_source(500, "155.52 Mbps", "5 us", "5 us")),
        network("WAN", 250.0, n_source(5, "155.52 Mbps", "5 ms", "5 ms")),
        network("GEO", 9000.0, n_source(3, "155.52 Mbps", "5 us", "275 ms")),
        network("1 ns", 30.0, n_source(4, "155.52 Mbps", "1 ns", "1 ns")),
        network("below a cell", 30.0, n_source(4, "155.52 Mbps", "300 ns", "1 us")),
        network("a cell exactly", 30.0, n_source(4, "424 Mbps", "1 us", "2 us")),
        network("10 Gb/s", 1.5, n_source(5, "10 Gbps", "1 us", "1 us")),
        network("64 kb/s", 90_000.0, n_source(3, "64 kbps", "20 ms", "20 ms")),
        network("fast access", 150.0, dumbbell(4, ["155.52 Mbps", "30 Mbps"], ["5 us", "500 us"])),
        network("slow access", 100.0, dumbbell(10, ["20 Mbps", "155.52 Mbps"], ["5 us", "100 us"])),
        network("odd rates", 60.0, dumbbell(4, ["149.76 Mbps", "139.264 Mbps"], ["13 us", "77 us"])),
        // Data and the acknowledgements of others leave one port for hosts equally far away, none of which both sends and
        // receives.
        network("one role each", 60.0, graph(&strs(&roles), &["a-c", "d-b", "a-c"])),
        network("parking lot", 30.0, graph(&strs(&parking_lot), &["a-e", "b-f", "c-g", "d-h", "a-h", "f-b"])),
        network(
            "ring",
            30.0,
            graph(&strs(&ring), &["a-s1-s2-s3-c", "b-s2-s3-s4-d", "c-s3-s4-s1-a", "d-s4-s1-s2-b", "a-b", "c-b"]),
        ),
        network("both directions", 60.0, graph(&both, &["a-c", "b-d", "c-a", "d-b", "a-d", "a-d", "c-b", "a-b"])),
        network("through ports", 40.0, graph(&through, &["a-d", "b-d", "c-d", "a-d", "d-b"])),
        network(
            "hosts with several links",
            30.0,
            graph(&homes, &["a-s1-s3-c", "a-s2-s3-c", "b-c", "b-s2-s3-c", "a-b", "c-s3-s2-a", "b-a"]),
        ),
        network("one slower input", 150.0, graph(&slower, &["a-b", "a-b", "b-a"])),
    ]
}

/// A network with a policy, a recovery, and everything else as the round says.
struct Case {
    name: String,
    scenario: Scenario,
    seed: u64,
}

fn case(network: &Network, technology: &str, policy: &str, recovery: usize, round: u64) -> Case {
    let name = format!("{}, {technology}, {policy}, recovery {recovery}, round {round}", network.name);
    let stream = Stream::new(round, &name, "engines");
    let bytes: Vec<u8> = (0..4000).map(|index| stream.at(index) as u8).collect();
    let choices = &mut Choices::new(&bytes);
    let text = format!(
        "duration = \"{} us\"\n{}",
        (network.milliseconds * 1000.0) as u64,
        network.text.replace("[network]", &format!("[network]\ntechnology = \"{technology}\""))
    );
    let mut scenario = crate::lab::scenario(&text, &[]);
    let mut tcp = tcp::tcp(choices);
    tcp.recovery = tcp::recovery(choices, recovery);
    tcp.mss = tcp.mss.max(40);
    tcp.receive_window = tcp.receive_window.max(30_000);
    tcp.window_scale = TcpParams::scale_for(tcp.receive_window);
    let own_pcr = choices.once_in(2);
    let mut pcr = None;
    for number in 0..scenario.flows.len() {
        let id = FlowId::from_index(number);
        let flow = &scenario.flows[id];
        if number == 0 || own_pcr {
            pcr = random::pcr(choices, &scenario, [&flow.forward, &flow.backward].map(|route| route.first()));
        }
        let limit = [&flow.forward, &flow.backward].map(|route| scenario.links[route.first()].rate).into_iter().min();
        let flow = &mut scenario.flows[id];
        flow.tcp = tcp.clone().into();
        flow.service = ServiceCategory::Ubr { pcr: pcr.filter(|&pcr| Some(pcr) <= limit) };
    }
    queues::queues(choices, &mut scenario, policy);
    traffic_and_timers(choices, &mut scenario);
    tcp::dialects(choices, &mut scenario);
    tcp::sack_options(choices, &mut scenario);
    tcp::hosts(choices, &mut scenario);
    Case { name, scenario, seed: round }
}

/// Of so many recoveries one is tried on each network with each policy, unless all are asked for.
const PRUNED: usize = 2;

/// What happened in all cases together.
#[derive(Clone, Debug, Default)]
struct Seen {
    cases: u64,
    /// Bytes.
    delivered: u64,
    overflow: u64,
    partial_frames: u64,
    refused_by_policy: u64,
    timeouts: u64,
    fast_retransmits: u64,
    forced_drops: u64,
    completed: u64,
    damaged_data: u64,
    damaged_acknowledgements: u64,
    taken_back: u64,
    /// Cases in which more than one port lost something.
    several_congested: u64,
    /// Cases in which cells went through a port without slots.
    through: u64,
}

impl Seen {
    fn lost(&self) -> u64 {
        self.overflow + self.partial_frames + self.refused_by_policy
    }

    fn add(&mut self, scenario: &Scenario, records: &Records) {
        crate::lab::conserves(records);
        let through = through_ports(scenario);
        self.cases += 1;
        for port in &records.ports {
            self.overflow += port.drops.overflow;
            self.partial_frames += port.drops.partial_frame;
            self.refused_by_policy += port.drops.policy;
        }
        for flow in &records.flows {
            self.delivered += flow.counts.bytes_delivered;
            self.timeouts += flow.counts.timeouts;
            self.fast_retransmits += flow.counts.fast_retransmits;
            self.forced_drops += flow.counts.forced_drops;
            self.completed += u64::from(flow.completed.is_some());
            self.damaged_data += flow.counts.damaged_frames;
            self.damaged_acknowledgements += flow.counts.damaged_ack_frames;
            self.taken_back += flow.counts.segments_discarded_in_host;
        }
        self.several_congested += u64::from(records.ports.iter().filter(|port| port.drops.total() > 0).count() > 1);
        let went_through = |port: &PortRecord| port.arrivals > 0 && through.contains(&port.name.as_str());
        self.through += u64::from(records.ports.iter().any(went_through));
    }
}

/// How often the whole product is run.
fn rounds() -> Option<u64> {
    std::env::var("ENGINES_ROUNDS").ok().map(|rounds| rounds.parse().expect("ENGINES_ROUNDS is a number"))
}

/// Every policy and every recovery on these networks. Without `ENGINES_ROUNDS` one recovery for each policy, another on
/// the next network. No network is idle.
fn run_matrix(networks: &[Network], technology: &str, policies: &[String]) -> Seen {
    let mut seen = Seen::default();
    for (at, network) in networks.iter().enumerate() {
        let before = seen.clone();
        for (of_policy, policy) in policies.iter().enumerate() {
            for recovery in 0..tcp::recoveries().len() {
                if rounds().is_none() && recovery % PRUNED != (at + of_policy) % PRUNED {
                    continue;
                }
                for round in 0..rounds().unwrap_or(1) {
                    let Case { name, mut scenario, seed } = case(network, technology, policy, recovery, round);
                    scenario.recording.delays = seen.cases.is_multiple_of(2);
                    seen.add(&scenario, &assert_engines_agree(&name, &scenario, seed));
                }
            }
        }
        assert!(
            seen.lost() > before.lost() && seen.delivered > before.delivered,
            "nothing happens on {}",
            network.name
        );
        assert!(seen.timeouts > before.timeouts, "no timeouts on {}", network.name);
    }
    seen
}

/// Whether the network is two switches with hosts around them.
fn is_line(network: &Network) -> bool {
    !network.text.contains("graph")
}

fn everything_happened(seen: &Seen) {
    for number in [seen.overflow, seen.partial_frames, seen.refused_by_policy, seen.timeouts, seen.fast_retransmits] {
        assert!(number >= 100, "{seen:?}");
    }
    for number in [seen.forced_drops, seen.completed, seen.damaged_data, seen.damaged_acknowledgements, seen.taken_back]
    {
        assert!(number >= 10, "{seen:?}");
    }
    assert!(seen.through >= seen.cases / 2, "{seen:?}");
}

#[test]
fn every_policy_and_recovery_on_cells_between_two_switches() {
    let networks: Vec<Network> = networks().into_iter().filter(is_line).collect();
    everything_happened(&run_matrix(&networks, "atm", &queues::cell_kinds()));
}

#[test]
fn every_policy_and_recovery_on_cells_in_graphs() {
    let networks: Vec<Network> = networks().into_iter().filter(|network| !is_line(network)).collect();
    let seen = run_matrix(&networks, "atm", &queues::cell_kinds());
    everything_happened(&seen);
    assert!(seen.several_congested >= seen.cases / 4, "{seen:?}");
}

/// Where there are several paths, and where there is one that now and then is not there.
#[test]
fn every_recovery_on_packets_whose_routes_change() {
    let mut lost = LinkLosses::default();
    let (mut delivered, mut fused) = (0, [0; 3]);
    for network in networks().iter().filter(|network| !is_line(network)) {
        for recovery in 0..tcp::recoveries().len() {
            for round in 0..rounds().unwrap_or(3) {
                let Case { name, mut scenario, seed } = case(network, "packet", "one queue", recovery, round);
                let stream = Stream::new(round, &name, "routes");
                let bytes: Vec<u8> = (0..1000).map(|index| stream.at(index) as u8).collect();
                routes::change(&mut Choices::new(&bytes), &mut scenario);
                scenario.recording.delays = round == 1;
                let records = assert_engines_agree(&name, &scenario, seed);
                crate::lab::conserves(&records);
                records.links.iter().for_each(|link| lost += link.lost);
                delivered += records.flows.iter().map(|flow| flow.counts.bytes_delivered).sum::<u64>();
                for (count, fusing) in fused.iter_mut().zip([Fusing::Always, Fusing::IfItPays, Fusing::Never]) {
                    let mut simulation = build_with(&scenario, seed, Engine::Batched);
                    simulation.set_fusing(fusing);
                    simulation.step(Time::NEVER);
                    assert_eq!(simulation.records(), records, "{name}: {fusing:?}");
                    *count += simulation.fused_packets();
                }
            }
        }
    }
    let [always, if_it_pays, never] = fused;
    assert!(always >= 100 && always > if_it_pays && never == 0, "packets at fused ports: {fused:?}");
    assert!(delivered > 1_000_000 && lost.no_route >= 100 && lost.no_receiver >= 100 && lost.ttl >= 10, "{lost:?}");
}

/// Packets have one policy; there are buffers in packets and in bytes.
#[test]
fn every_recovery_on_packets() {
    let seen = run_matrix(&networks(), "packet", &queues::packet_kinds());
    for number in [seen.overflow, seen.timeouts, seen.fast_retransmits] {
        assert!(number >= 100, "{seen:?}");
    }
    for number in [seen.forced_drops, seen.completed, seen.taken_back, seen.several_congested] {
        assert!(number >= 5, "{seen:?}");
    }
}

/// Congested ports between ports at which nothing waits: s1 and s3 have one input, s2 and s4 two, and what follows is
/// faster.
#[test]
fn ports_without_slots_before_between_and_after_congested_ones() {
    let network = networks().into_iter().find(|network| network.name == "through ports").unwrap();
    let case = case(&network, "atm", "tail-drop", 0, 0);
    let mut scenario = case.scenario;
    for link in scenario.links.iter_mut() {
        link.queue = Arc::new(Queue { buffer: Buffer::Cells(50), ..Queue::unlimited() });
    }
    scenario.duration = Span::from_ms(200);
    // Whoever loses begins again soon, at another time than the others.
    for (number, flow) in (0..).zip(scenario.flows.iter_mut()) {
        flow.tcp = TcpParams { receive_window: 60_000, ..TcpParams::default() }.into();
        flow.tcp.timer.granularity = Span::from_ms(1);
        flow.tcp.timer.initial_rto = Span::from_ms(10 + number);
        (flow.start, flow.start_jitter, flow.stop) = (Time::ZERO, Span::ZERO, None);
        (flow.size, flow.service) = (None, ServiceCategory::UBR);
        flow.forced_drops.clear();
    }
    let through = through_ports(&scenario);
    assert!(["s1->s2", "s3->s4", "s5->s6", "s6->d"].iter().all(|name| through.contains(name)), "{through:?}");
    let records = assert_engines_agree(&case.name, &scenario, 1);
    for name in ["s2->s3", "s4->s5"] {
        assert!(crate::lab::port(&records, name).drops.overflow > 0, "{name} is congested");
    }
}

/// The scenarios that come with the program, their beginning at least.
#[test]
fn the_scenarios_of_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let mut loaded = load(&Disk, entry.to_str().unwrap(), &[]).unwrap();
        let longest = Span::from_ms(if rounds().is_some() { 20_000 } else { 400 });
        loaded.scenario.duration = loaded.scenario.duration.min(longest);
        loaded.scenario.warmup = loaded.scenario.warmup.min(Span::from_ms(100));
        assert_engines_agree(&entry.display().to_string(), &loaded.scenario, loaded.seed);
        count += 1;
    }
    assert!(count >= 8, "{count} scenarios");
}

/// Ten minutes through Iridium, in which ports are fused most of the time; with `ENGINES_ROUNDS` a day.
#[test]
fn the_benchmark_through_a_constellation() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/bench/leo.toml");
    let seconds = if rounds().is_some() { 86_400 } else { 600 };
    let scenario = load(&Disk, file.to_str().unwrap(), &[format!("duration={seconds} s")]).unwrap().scenario;
    let records = assert_engines_agree("leo", &scenario, 1);
    let crossed: u64 = records.ports.iter().map(|port| port.arrivals).sum();
    let [if_it_pays, always] = [Fusing::IfItPays, Fusing::Always].map(|fusing| {
        let mut simulation = build_with(&scenario, 1, Engine::Batched);
        simulation.set_fusing(fusing);
        simulation.step(Time::NEVER);
        simulation.fused_packets()
    });
    let counts = (if_it_pays, always, crossed);
    assert!(always > crossed / 2 && if_it_pays > always / 10 * 9, "{counts:?}");
}

/// Steps of a microsecond, and of one picosecond less than a cell, which drift through all phases of a slot; and a run
/// that is cancelled.
#[test]
fn the_length_of_a_step_makes_no_difference() {
    let sets = ["duration=6 ms", "queue.buffer=100 cells", "tcp.tick=200 us", "tcp.initial_rto=1 ms"];
    let scenario = crate::lab::scenario(crate::lab::LAN, &sets);
    let whole = crate::lab::run(&scenario, 1);
    assert!(whole.ports.iter().any(|port| port.drops.policy > 0));
    for step_ps in [1_000_000, 2_726_336, 1_234_567_890] {
        let mut simulation = sim::build(&scenario, 1);
        let mut reference = sim::build_with(&scenario, 1, Engine::Reference);
        let mut steps = 0;
        while !simulation.progress().finished() {
            let until = simulation.progress().now + Span::from_ps(step_ps);
            simulation.step(until);
            simulation.step(until);
            reference.step(until);
            steps += 1;
            if steps % 50 == 0 {
                assert_eq!(difference(&simulation.records(), &reference.records()), None, "{until:?}");
            }
        }
        assert_eq!(difference(&simulation.records(), &whole), None, "steps of {step_ps} ps");
    }
    let [batched, reference] = [Engine::Batched, Engine::Reference].map(|engine| {
        let mut simulation = sim::build_with(&scenario, 1, engine);
        simulation.step(Time::from_ps(3_000_000_001));
        simulation.cancel();
        simulation.step(Time::NEVER);
        simulation.records()
    });
    assert!(!batched.complete);
    assert_eq!(difference(&batched, &reference), None);
}

/// The receiving host has the ends of all flows, and one link for their acknowledgements.
#[test]
fn a_star_with_a_receiver_that_all_flows_share() {
    for (technology, buffer) in [("atm", "200 cells"), ("packet", "20 packets")] {
        let text = format!(
            "duration = \"2 s\"\n[network]\ntechnology = \"{technology}\"\ntopology = \"star\"\nsources = 5\nrate = \"20 Mbps\"\n\
             access_delay = \"100 us\"\n[queue]\nbuffer = \"{buffer}\"\n[tcp]\ndialect = \"standard\"\n"
        );
        for sets in [&["record=[\"tcp\", \"ports\"]"][..], &["duration=60 s", "traffic.size=500 kB", "tcp.fin=true"]] {
            let records = assert_engines_agree(technology, &crate::lab::scenario(&text, sets), 3);
            let delivered: u64 = records.flows.iter().map(|flow| flow.counts.bytes_delivered).sum();
            // Of 5 MB the headers of cells and packets take a tenth at most, and what is lost some more; of files all arrives.
            let expected = if sets.len() == 1 { 3_500_000..5_000_000 } else { 2_500_000..2_500_001 };
            assert!(expected.contains(&delivered), "{technology}, {sets:?}: {delivered}");
        }
    }
}
