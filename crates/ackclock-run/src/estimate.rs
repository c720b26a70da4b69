//! How much a run is going to write, before it is run. The scenario is simulated on a smaller scale of time: it ends
//! earlier, flows start and stop earlier and have smaller files, links change and are down earlier and for a shorter time, all by
//! the same power of two, so that everything that a scenario says of its flows and links is in what is measured. What such a run
//! records is measured in the form in which it would be written. Two scales give a straight line over the duration: what a run
//! begins with is written once, the rest in proportion to time. Three scales give two such lines; where these differ, the answer
//! is a range. The more runs there are, the larger are the scales: the estimate takes a part of the time of all.
//!
//! The motion of satellites is not scaled: a run on a smaller scale has the satellites of the beginning.
//!
//! Only runs that can write more than a gigabyte are looked at, by a bound on rows and octets, and only for long if they are
//! near to it, so that other scenarios do not wait.

use std::sync::atomic::{AtomicBool, Ordering};

use ackclock::ids::{Id, LinkId};
use ackclock::link::LinkSchedule;
use ackclock::packet::{IP_HEADER_BYTES, TCP_HEADER_BYTES, aal5};
use ackclock::record::{Captured, Columns, DropReason, Metric, PerInterval, Records, Series, Shape, Subject};
use ackclock::scenario::{Flow, NodeKind, Scenario, Technology};
use ackclock::sim;
use ackclock::units::{Span, Time};
use ackclock_report::captures;
use ackclock_report::captures::pcapng::Meta;
use ackclock_store::document::{Run, ScenarioPart};
use ackclock_store::flows::parts::MOST_IN_DOCUMENT;
use ackclock_store::tables::{self, Origin};

/// What one run writes.
#[derive(Debug)]
pub struct Estimate {
    /// The octets of each metric, and of the captures.
    pub parts: Vec<(&'static str, f64)>,
    /// Octets in all.
    pub bytes: f64,
    /// The least that the larger scales and the smaller ones say.
    pub low: f64,
    /// The most that they say.
    pub high: f64,
    /// The octets of memory that the records take until they are written, the least that the scales say.
    pub memory_bytes: f64,
    /// The duration of the longest run that was simulated.
    pub simulated: Span,
}

impl Estimate {
    /// Of each of so many runs, the first of which has this seed, if all together may write more than a gigabyte, or some of them
    /// hold as much in memory: a file may take a tenth of what it is made of. `None` also if `stop` is set meanwhile. `watch` gets which part of a run on a smaller scale is done.
    pub fn of_much(
        scenario: &Scenario,
        part: &ScenarioPart,
        seed: u64,
        runs: usize,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(f64),
    ) -> Option<Estimate> {
        if scenario.recording.metrics.is_empty() && scenario.recording.captures.is_empty() {
            return None;
        }
        let bound = Bound::of(scenario);
        if bound.bytes * runs.max(AT_A_TIME) as f64 <= MUCH_BYTES {
            return None;
        }
        let enough = Enough { work: LEAST_WORK, runs, bytes: MUCH_BYTES / runs as f64 };
        let estimate = Estimate::of(scenario, part, seed, &bound, &enough, stop, watch)?;
        (estimate.is_much(runs) || estimate.memory_bytes * AT_A_TIME as f64 > MUCH_BYTES).then_some(estimate)
    }

    /// Whether so many runs are going to write more than a gigabyte.
    pub fn is_much(&self, runs: usize) -> bool {
        self.high * runs as f64 > MUCH_BYTES
    }

    /// Whether the scales agree so well that one number says it.
    pub fn is_close(&self) -> bool {
        self.high <= CLOSE * self.low
    }
}

/// More packets or cells than the runs of a scenario can send through switches, each counted at every port that it crosses: a
/// measure of the time that one run takes.
pub fn most_crossings(scenario: &Scenario) -> f64 {
    Bound::of(scenario).crossings
}

/// About how many octets a document of results, or a ledger, has for each run of a scenario, without what is recorded.
pub fn document_bytes(scenario: &Scenario) -> f64 {
    match has_many_flows(scenario) {
        true => of_parts(scenario, FLOW_COLUMNS_BYTES, PORT_COLUMNS_BYTES),
        false => of_parts(scenario, FLOW_BYTES, PORT_BYTES),
    }
}

/// About how many octets of memory a run takes that is finished.
pub fn run_bytes(scenario: &Scenario) -> f64 {
    match has_many_flows(scenario) {
        true => of_parts(scenario, FLOW_MEMORY_BYTES, PORT_MEMORY_BYTES),
        false => document_bytes(scenario) * MEMORY_PER_OCTET,
    }
}

/// Whether the parts of a run are in files, not in the document.
fn has_many_flows(scenario: &Scenario) -> bool {
    scenario.flows.len() + scenario.udp.len() > MOST_IN_DOCUMENT
}

fn of_parts(scenario: &Scenario, of_flow: f64, of_port: f64) -> f64 {
    let ends = scenario.flows.len() + scenario.udp.len();
    // Percentiles of delays are as long as the rest.
    let delays = if scenario.recording.delays { 2.0 } else { 1.0 };
    delays * (ends as f64 * of_flow + switch_ports(scenario) * of_port)
}

/// About how many octets of memory a scenario and one network of it take.
pub fn network_bytes(scenario: &Scenario) -> f64 {
    let ends = scenario.flows.len() + scenario.udp.len();
    ends as f64 * END_MEMORY_BYTES + scenario.links.len() as f64 * LINK_MEMORY_BYTES
}

fn switch_ports(scenario: &Scenario) -> f64 {
    scenario.links.iter().filter(|link| scenario.nodes[link.from].kind == NodeKind::Switch).count() as f64
}

/// When an estimate is good enough.
struct Enough {
    /// Events and rows of the run on the largest scale, at least.
    work: u64,
    /// How many runs there will be.
    runs: usize,
    /// Much less than so many octets by each of them need no better estimate.
    bytes: f64,
}

impl Enough {
    /// Whether a run on this scale was the last, of which so much is to be written by each run.
    fn reached(&self, scale: u32, work: u64, bytes: f64) -> bool {
        let little = work > self.work / 16 && bytes < self.bytes / 8.0;
        // The next one takes twice as long as this: of all runs together it is to be a small part.
        let is_large = (self.runs as f64) * f64::from(scale).exp2() <= PART_OF_ALL;
        scale == 0 || little || work > self.work && (is_large || work > MOST_WORK)
    }
}

/// What a run on a smaller scale recorded.
struct Pilot {
    duration: Span,
    /// Events and rows.
    work: u64,
    parts: Vec<(&'static str, f64)>,
    memory: [(&'static str, f64); 1],
}

impl Estimate {
    /// Simulates on larger and larger scales of time, until that is enough.
    fn of(
        scenario: &Scenario,
        part: &ScenarioPart,
        seed: u64,
        bound: &Bound,
        enough: &Enough,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(f64),
    ) -> Option<Estimate> {
        let mut pilots: Vec<Pilot> = Vec::new();
        for scale in (0..=bound.scale(enough.work)).rev() {
            pilots.push(Pilot::run(&scaled(scenario, scale), part, seed, stop, watch)?);
            let work = pilots[pilots.len() - 1].work;
            if pilots.len() < PILOTS && scale > 0 {
                continue;
            }
            let estimate = Estimate::by(&pilots, scenario.duration);
            if enough.reached(scale, work, estimate.high) {
                return Some(estimate);
            }
        }
        None
    }

    fn by(pilots: &[Pilot], duration: Span) -> Estimate {
        let last = &pilots[pilots.len() - 1];
        let (parts, bytes, other) = Estimate::lines(pilots, |pilot| &pilot.parts, duration);
        let (_, memory, other_memory) = Estimate::lines(pilots, |pilot| &pilot.memory, duration);
        Estimate {
            parts,
            bytes,
            low: bytes.min(other),
            high: bytes.max(other),
            memory_bytes: memory.min(other_memory),
            simulated: last.duration,
        }
    }

    /// What the larger scales say, in parts and in all, and what the smaller ones say in all.
    fn lines(pilots: &[Pilot], parts: Parts, duration: Span) -> (Vec<(&'static str, f64)>, f64, f64) {
        let found = match pilots {
            [.., before, last] => line(before, last, parts, duration),
            [last] => parts(last).to_vec(),
            [] => Vec::new(),
        };
        let bytes = sum(&found);
        // At full length nothing is left to guess.
        let other = match pilots {
            [.., first, second, last] if last.duration < duration => sum(&line(first, second, parts, duration)),
            _ => bytes,
        };
        (found, bytes, other)
    }
}

/// What of a run on a smaller scale is looked at.
type Parts = fn(&Pilot) -> &[(&'static str, f64)];

fn sum(parts: &[(&str, f64)]) -> f64 {
    parts.iter().map(|(_, bytes)| bytes).sum()
}

/// What two runs say of one of this duration.
fn line(before: &Pilot, last: &Pilot, parts: Parts, duration: Span) -> Vec<(&'static str, f64)> {
    let [first, second, whole] = [before.duration, last.duration, duration].map(Span::as_secs_f64);
    let part = |&(name, bytes): &(&'static str, f64)| {
        let shorter = parts(before).iter().find(|(other, _)| *other == name).map_or(0.0, |(_, bytes)| *bytes);
        (name, bytes + (bytes - shorter).max(0.0) * (whole - second) / (second - first))
    };
    parts(last).iter().map(part).collect()
}

/// The scenario, shorter by this power of two.
fn scaled(scenario: &Scenario, scale: u32) -> Scenario {
    let mut scaled = scenario.clone();
    let span = |span: Span| Span::from_ps(span.as_ps() >> scale);
    let time = |time: Time| Time::from_ps(time.as_ps() >> scale);
    scaled.duration = span(scaled.duration).max(Span::from_ps(1));
    scaled.warmup = Span::ZERO;
    for flow in scaled.flows.iter_mut() {
        flow.start = time(flow.start);
        flow.start_jitter = span(flow.start_jitter);
        flow.stop = flow.stop.map(time);
        flow.size = flow.size.map(|bytes| (bytes >> scale).max(1));
    }
    for flow in &mut scaled.udp {
        flow.source.start = time(flow.source.start);
        flow.source.stop = flow.source.stop.map(time);
        flow.source.pattern = flow.source.pattern.take().map(|pattern| Box::new(pattern.scaled(scale)));
    }
    // A contact plan has routes, which are not scaled.
    let ordinary = |schedule: &&mut Box<LinkSchedule>| schedule.far_ends.is_none();
    for schedule in scaled.links.iter_mut().filter_map(|link| link.params.schedule.as_mut()).filter(ordinary) {
        **schedule = schedule.scaled(scale);
    }
    scaled
}

impl Pilot {
    fn run(
        scenario: &Scenario,
        part: &ScenarioPart,
        seed: u64,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(f64),
    ) -> Option<Pilot> {
        let mut simulation = sim::build(scenario, seed);
        let step = Span::from_ps((scenario.duration.as_ps() / STEPS).max(1));
        while !simulation.progress().finished() {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let now = simulation.step(simulation.progress().now + step).now;
            watch(now.as_secs_f64() / scenario.duration.as_secs_f64());
        }
        let events = simulation.progress().events;
        let records = simulation.finish();
        let parts = lengths(&records, scenario, part);
        let (content, held) = content_and_held(&records);
        let rows = content as u64 / size_of::<(Time, f64)>() as u64;
        Some(Pilot { duration: scenario.duration, work: events + rows, parts, memory: [("memory", held)] })
    }
}

/// The octets that the records over time of a run are made of, and how many it takes for them at the most.
fn content_and_held(records: &Records) -> (f64, f64) {
    let of_series = |series: &Series| match &series.columns {
        Columns::Points { time, .. } => (time.len() * size_of::<(Time, f64)>(), HELD_OF_POINTS),
        Columns::Drops { time, .. } => (time.len() * size_of::<(Time, [u32; 2], DropReason)>(), HELD_OF_LOSSES),
        Columns::Intervals { min, mean, max, .. } => {
            ([min, mean, max].map(PerInterval::held_bytes).iter().sum(), HELD_OF_INTERVALS)
        }
    };
    let captured: usize = records.captures.iter().map(|capture| capture.packets.len()).sum();
    let captures = (captured * size_of::<Captured>(), HELD_OF_CAPTURES);
    let all = records.series.iter().map(of_series).chain([captures]);
    all.fold((0.0, 0.0), |(content, held), (octets, factor)| (content + octets as f64, held + factor * octets as f64))
}

/// How long the files of a run would be.
fn lengths(records: &Records, scenario: &Scenario, part: &ScenarioPart) -> Vec<(&'static str, f64)> {
    let lengths = tables::lengths(&records.series, &Origin::of(part, &Run::from(records)));
    let mut parts: Vec<(&str, f64)> =
        lengths.into_iter().map(|(metric, bytes)| (metric.name(), bytes as f64)).collect();
    if !scenario.recording.captures.is_empty() {
        let meta = Meta::of(scenario, &part.hash);
        parts.push(("captures", captures::length(&records.captures, &meta, records.seed) as f64));
    }
    parts
}

/// More than a run can write, and the units of work that it has to do at most.
struct Bound {
    bytes: f64,
    crossings: f64,
}

impl Bound {
    /// Each flow sends at the rate of its slowest link for as long as it is active, or until its file is sent; flows that are
    /// held up most by the same link send no more than that takes. Links are as at the start of the run.
    fn of(scenario: &Scenario) -> Bound {
        let mut crossing = vec![0_u32; scenario.links.len()];
        for flow in scenario.flows.iter() {
            flow.forward.at(Time::ZERO, &scenario.links).iter().for_each(|link| crossing[link.index()] += 1);
        }
        // What is asked of each link by flows that are held up most there: bits, packets, and ports that these cross.
        let mut asked = vec![[0.0; 3]; scenario.links.len()];
        for flow in scenario.flows.iter() {
            let route = flow.forward.at(Time::ZERO, &scenario.links);
            let rate = |link: &LinkId| scenario.links[*link].rate.as_bps() as f64;
            let part = |link: &LinkId| rate(link) / f64::from(crossing[link.index()]);
            let Some(narrowest) = route.iter().min_by(|a, b| part(a).total_cmp(&part(b))) else { continue };
            let slowest = route.iter().map(rate).fold(f64::INFINITY, f64::min);
            let stop = flow.stop.map_or(scenario.duration.as_secs_f64(), Time::as_secs_f64);
            let (wire_bits, crossings) = on_the_wire(scenario, flow, &route);
            let of_file = flow.size.map_or(f64::INFINITY, |bytes| (bytes as f64 / f64::from(flow.tcp.mss)).ceil());
            let active = (stop - flow.start.as_secs_f64()).max(0.0);
            let offered = flow.application.offered_in(Span::from_ps((active * 1e12) as u64));
            let of_application = (offered / f64::from(flow.tcp.mss)).ceil();
            let of_windows = packets_of_windows(scenario, flow, &route, active);
            let packets = (active * slowest / wire_bits).min(of_file).min(of_application).min(of_windows);
            let of_link = [packets * wire_bits, packets, packets * crossings];
            asked[narrowest.index()].iter_mut().zip(of_link).for_each(|(all, more)| *all += more);
        }
        let (mut packets, mut crossings) = (0.0, 0.0);
        for (link, asked) in scenario.links.iter().zip(&asked).filter(|(_, asked)| asked[0] > 0.0) {
            let room = (link.rate.as_bps() as f64 * scenario.duration.as_secs_f64() / asked[0]).min(1.0);
            packets += asked[1] * room;
            crossings += asked[2] * room;
        }
        for source in scenario.udp.iter().flat_map(|flow| flow.routes().map(|_| &flow.source)) {
            let stop = source.stop.map_or(scenario.duration.as_secs_f64(), Time::as_secs_f64);
            let of_source = (stop - source.start.as_secs_f64()).max(0.0) * source.largest_rate().as_bps() as f64
                / (8.0 * f64::from(source.payload_bytes));
            packets += of_source;
            crossings += of_source * DATAGRAM_PORTS;
        }
        Bound { bytes: bytes(scenario, packets, crossings), crossings }
    }

    /// A scale that is far too small for so much work.
    fn scale(&self, work: u64) -> u32 {
        ((self.crossings / work as f64).max(1.0).log2() + FIRST_SCALES).ceil() as u32
    }
}

/// What a receive window allows a flow to send in so many seconds: a window in each round trip. Without a bound where links or
/// routes change.
fn packets_of_windows(scenario: &Scenario, flow: &Flow, route: &[LinkId], seconds: f64) -> f64 {
    let back = flow.backward.at(Time::ZERO, &scenario.links);
    let links = || route.iter().chain(&*back).map(|link| &scenario.links[*link]);
    let routes_are_fixed = [&flow.forward, &flow.backward].into_iter().all(|route| route.fixed().is_some());
    let is_fixed = routes_are_fixed && links().all(|link| link.params.schedule.is_none());
    let round_trip: f64 = links().map(|link| link.delay.as_secs_f64()).sum();
    if !is_fixed || round_trip == 0.0 {
        return f64::INFINITY;
    }
    (seconds / round_trip).ceil() * (flow.tcp.receive_window as f64 / f64::from(flow.tcp.mss)).ceil()
}

/// The bits of a full segment of a flow, and the ports that its cells and those of its acknowledgement cross, if each
/// segment is acknowledged.
fn on_the_wire(scenario: &Scenario, flow: &Flow, route: &[LinkId]) -> (f64, f64) {
    let of_switch = |link: &&LinkId| scenario.nodes[scenario.links[**link].from].kind == NodeKind::Switch;
    let back = flow.backward.at(Time::ZERO, &scenario.links);
    let [ports, ports_back] = [route, &back].map(|route| route.iter().filter(of_switch).count() as f64);
    let ip_bytes = flow.tcp.mss + HEADER_BYTES;
    match scenario.technology {
        Technology::Atm { llc } => {
            let [cells, cells_back] = [ip_bytes, HEADER_BYTES].map(|bytes| f64::from(aal5::cells(bytes, llc)));
            (cells * CELL_BITS, cells * ports + cells_back * ports_back)
        }
        Technology::Packet { link_header_bytes } => (f64::from(ip_bytes + link_header_bytes) * 8.0, ports + ports_back),
    }
}

/// More than a run can write that sends so many packets, which cross so many ports.
fn bytes(scenario: &Scenario, packets: f64, crossings: f64) -> f64 {
    let recording = &scenario.recording;
    let intervals = (scenario.duration.as_secs_f64() / recording.interval.as_secs_f64()).ceil();
    let flows = (scenario.flows.len() + scenario.udp.len()) as f64;
    let ports = switch_ports(scenario);
    let of_metric = |metric: Metric| match (metric.shape(), metric.subject()) {
        (Shape::Intervals, Subject::Flow) => INTERVAL_BYTES * intervals * flows,
        (Shape::Intervals, Subject::Port) => INTERVAL_BYTES * intervals * ports,
        (Shape::Intervals, Subject::PortVc) => INTERVAL_BYTES * intervals * flows * VC_PORTS,
        // Each unit comes, goes, or is lost.
        (_, Subject::Port | Subject::PortVc) => ROW_BYTES * 2.0 * crossings,
        (_, Subject::Flow) => ROW_BYTES * (packets + intervals * flows),
    };
    let captured = CAPTURED_BYTES * 2.0 * packets * recording.captures.len().min(2) as f64;
    recording.metrics.iter().map(of_metric).sum::<f64>() + captured
}

/// The memory that records take at the most in the course of a run, over that of their content, as measured of ten scenarios (the test
/// `memory.rs` repeats it). Lists are handed on (1.0 to 1.2), losses become columns (1.8), captures are sorted (1.0 to 1.3);
/// octets of intervals are shared, and what new ones are told by is beside them (1.3 to 1.4).
const HELD_OF_POINTS: f64 = 1.2;
const HELD_OF_LOSSES: f64 = 1.8;
const HELD_OF_CAPTURES: f64 = 1.35;
const HELD_OF_INTERVALS: f64 = 1.35;
/// So many runs may hold their records at a time, at least.
const AT_A_TIME: usize = 8;
/// Less than this is written without a word.
const MUCH_BYTES: f64 = 1e9;
/// What the longest run of an estimate has at least to do, in events and rows: some tenths of a second, where runs that
/// write a gigabyte take minutes. Once one has done `MOST_WORK`, which takes up to ten seconds, it is the longest.
const LEAST_WORK: u64 = 1_000_000;
const MOST_WORK: u64 = 60 * LEAST_WORK;
/// A run of an estimate is long enough if it is this part of all runs together.
const PART_OF_ALL: f64 = 64.0;
/// How many scales it takes to see whether what is written is in proportion to time.
const PILOTS: usize = 3;
/// Two estimates that differ by less than this factor are one.
const CLOSE: f64 = 1.25;
/// So many scales are tried below the one that has too many events by the bound.
const FIRST_SCALES: f64 = 4.0;
/// How often a run of an estimate looks whether it is to stop.
const STEPS: u64 = 256;
/// TCP and IP headers without options.
const HEADER_BYTES: u32 = IP_HEADER_BYTES + TCP_HEADER_BYTES;
const CELL_BITS: f64 = 424.0;
/// Ports that datagrams cross, if it is many.
const DATAGRAM_PORTS: f64 = 8.0;
/// Of a row at the most: a time of 8 octets, a number of 8, and what says whose it is.
const ROW_BYTES: f64 = 20.0;
/// Two times and three numbers.
const INTERVAL_BYTES: f64 = 44.0;
/// Of a datagram with its comment.
const CAPTURED_BYTES: f64 = 200.0;
/// Ports that a connection crosses, with its reverse path: of constellations it may be more, but only few are crossed at once.
const VC_PORTS: f64 = 16.0;

/// Of a flow in a document: its counters.
const FLOW_BYTES: f64 = 430.0;
/// Of a port that is not the host's.
const PORT_BYTES: f64 = 510.0;
/// Of a flow, and of a port with what each connection did there, as columns.
const FLOW_COLUMNS_BYTES: f64 = 20.0;
const PORT_COLUMNS_BYTES: f64 = 20.0;
/// Of a flow, and of a port, of a run that is finished.
const FLOW_MEMORY_BYTES: f64 = 810.0;
const PORT_MEMORY_BYTES: f64 = 480.0;
/// A run takes so many octets of memory for each of its text.
const MEMORY_PER_OCTET: f64 = 1.5;
/// Of a flow in memory, with both of its ends.
const END_MEMORY_BYTES: f64 = 1800.0;
/// Of one direction of a link in memory, with its port and its node.
const LINK_MEMORY_BYTES: f64 = 600.0;

#[cfg(test)]
mod tests;
