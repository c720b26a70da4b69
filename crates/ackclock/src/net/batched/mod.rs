//! The batched engine: no event list. Each logical process (a group of hosts, a port) is advanced in one go to
//! its horizon, the time up to which everything that can reach it is known, because transmissions and links take time.
//! docs/engine.md explains it with a picture; the reference engine beside it is the specification.
//!
//! Ties are decided as there, by structure: so the size of the batches, and which process goes first, make no difference.

mod abr;
mod build;
mod cells;
mod directory;
mod ended;
mod fifo_monitor;
mod frame_side;
mod fusion;
mod hosts;
mod io;
mod logical_process;
mod mailbox;
mod mailbox_set;
mod next_hop;
mod packet_side;
mod packets;
mod process;
mod steering;
mod upstreams;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use cells::passed::Passed;
use directory::{Directory, Entry, Output, PassThroughPort};
pub use fusion::Fusing;
use fusion::Fusion;
use hosts::Hosts;
use io::{Io, UnderWay};
use logical_process::LogicalProcess;
use process::Ports;
use upstreams::Upstream;

use super::feedback::PacketRates;
use super::flow::{self, Arrivals};
use super::host_traces::HostTraces;
use super::link::{Link, PacketMeta};
use super::port_stats;
use super::recorder::{LinkRecording, PortRecording, RatesRecording, Recorded, Recorder};
use crate::ids::{Id, IdVec, LinkId, VcId};
use crate::link::{Packet, PacketKind};
use crate::packet::Ecn;
use crate::record::trace::PortTrace;
use crate::record::{EdgeRecord, FlowRecord, LinkRecord, PortRecord, UdpRecord};
use crate::rng::name_hash;
use crate::traffic::Cbr;
use crate::units::{Span, Time};

/// A network in processes.
pub struct Batched {
    processes: Vec<LogicalProcess>,
    /// The order in which they are advanced; those at which nothing happens by itself for a while are left out.
    order: Vec<usize>,
    /// How far each process is: everything before has happened there.
    clocks: Vec<Time>,
    /// For each process, what can reach it: from which process, and how long that takes at least.
    upstreams: Vec<Vec<Upstream>>,
    /// For each process, the ports whose rates it reads at the instant at which they change; empty where there are no rates.
    rates_read: Vec<Vec<usize>>,
    /// By flow, the ports that write into its backward RM cells: the source reads such a cell when they have. Empty if there are
    /// no RM cells.
    writers: Vec<Vec<Upstream>>,
    /// The process of the hosts that send data.
    sources: usize,
    io: Io,
    directory: Directory,
    /// The ports whose rates edges use, in the order of these.
    edges: Vec<LinkId>,
    /// Where routes change: which ports are fused for a while.
    fusion: Option<Box<Fusion>>,
}

/// The longest batch. Most are shorter, as the delays of a loop bound them; this bounds what is under way where links
/// are long.
const LONGEST_BATCH: Span = Span::from_ms(500);

/// After so many rounds at most it is looked at whether anything has happened in them.
const MOST_ROUNDS: u32 = 8;

impl Batched {
    /// Handles every event before `until`.
    pub fn advance(&mut self, until: Time) {
        self.end_intervals(until);
        let mut events = self.events();
        // To ask every process whether something has happened costs as much as a short batch. So they are asked after more and more
        // rounds, as long as it has.
        let (mut rounds, mut left) = (1, 1);
        loop {
            let (slowest, until_here) = self.settle_fusion(until);
            if slowest >= until {
                break;
            }
            let goal = until_here.min(slowest + LONGEST_BATCH);
            for place in 0..self.order.len() {
                let number = self.order[place];
                let horizon = self.horizon(number).min(goal);
                if horizon > self.clocks[number] {
                    self.processes[number].process_mut().advance(horizon, &mut self.io);
                    self.clocks[number] = horizon;
                    if self.is_blocked(number) {
                        break;
                    }
                }
            }
            left -= 1;
            if left > 0 {
                continue;
            }
            self.io.edges.iter_mut().for_each(|edge| edge.rates.forget_before(slowest));
            let before = std::mem::replace(&mut events, self.events());
            if before == events {
                self.skip(until_here);
                events = self.events();
                rounds = 1;
            } else {
                rounds = MOST_ROUNDS.min(2 * rounds);
            }
            left = rounds;
            self.put_away_ended();
        }
    }

    /// The engine is about to advance to `until`: averaging intervals that end where it is now, end.
    fn end_intervals(&mut self, until: Time) {
        self.io.until = until;
        for (process, &clock) in self.processes.iter_mut().zip(&self.clocks) {
            if process.next_rates() < Time::NEVER && clock > Time::ZERO {
                process.process_mut().advance(clock, &mut self.io);
            }
        }
    }

    /// Events handled so far: frames at hosts, timers, cells and packets at ports that are not done with another one.
    pub fn events(&self) -> u64 {
        self.processes.iter().map(|process| process.process().events()).sum()
    }

    /// The warm-up ends now: remembers what was delivered.
    pub fn end_warmup(&mut self) {
        self.hosts_mut().for_each(Hosts::end_warmup);
        // Every process is where the warm-up ends.
        self.io.abr.connections.end_warmup(self.clocks[0]);
    }

    /// The flows' records up to now, which is `simulated` after the start.
    pub fn flow_records(&self, simulated: Span, warmup: Span) -> Vec<FlowRecord> {
        let now = Time::ZERO + simulated;
        let sources = self.hosts().flat_map(|hosts| hosts.sources(now));
        let sinks = self.hosts().flat_map(|hosts| hosts.sinks(now));
        let ends = self.directory.flows().zip(sources).zip(sinks);
        let record = |(((name, (source, forced_drops)), sink), abr): (((&str, _), _), _)| FlowRecord {
            abr,
            ..flow::record(name, source, sink, forced_drops, simulated, warmup)
        };
        let records = ends.zip(self.io.abr.records(now)).map(record).enumerate();
        records.map(|(flow, record)| self.two_way().complete(flow, record)).collect()
    }

    /// Drops the ends of all flows, of which there are records: the network does not go on.
    pub fn drop_ends(&mut self) {
        self.hosts_mut().for_each(Hosts::drop_ends);
    }

    /// The records of the sources of datagrams, `simulated` after the start; what packet ports and links lost is not known here.
    pub fn udp_records(&self, simulated: Span) -> Vec<UdpRecord> {
        let sources = self.hosts().flat_map(Hosts::udp);
        let sinks = self.processes.iter().filter_map(|process| match process {
            LogicalProcess::Udp(sinks) => Some(sinks.arrivals()),
            _ => None,
        });
        let all = self.directory.udp().zip(sources).zip(sinks.flatten()).enumerate();
        let lost = |number| self.io.lost_datagrams.count(number);
        let echoed: Vec<&Arrivals> = self.hosts().flat_map(Hosts::echoed).collect();
        let record = |(number, ((name, source), arrivals)): (usize, ((&str, &Cbr), &Arrivals))| {
            let arrivals = if source.echoes().is_some() { echoed[number] } else { arrivals };
            arrivals.record(name, source, lost(number), simulated)
        };
        all.map(record).collect()
    }

    /// The records of all switch ports at `now`.
    pub fn port_records(&self, now: Time) -> Vec<PortRecord> {
        let (under_way, names, mut passed) = (self.io.under_way(), self.directory.vc_names(), BTreeMap::new());
        let mut record = |(number, link): (usize, Entry<'_>)| {
            let feedback = self.edge_record(LinkId::from_index(number), now);
            Some(PortRecord { feedback, ..self.port_record(&link, &names, &under_way, &mut passed, now)? })
        };
        // One by one they would be copied as their memory grows, and of many flows they are most of all records.
        let mut records = Vec::with_capacity(self.directory.switch_ports());
        records.extend(self.directory.links().enumerate().filter_map(&mut record));
        records
    }

    /// The records at `now` of all links that change or corrupt packets.
    pub fn link_records(&self, now: Time) -> Vec<LinkRecord> {
        let record = |(link, entry): (Cow<'_, Link>, Entry<'_>)| {
            link.record(now, entry.name, entry.crossing.iter().map(|&vc| self.directory.vc_name(vc).into()))
        };
        self.links().into_iter().map(record).collect()
    }

    /// What was recorded over time up to `now`, and what was captured.
    pub fn recorded(&self, recorder: &Recorder, now: Time) -> Recorded {
        let of_port = |(process, port)| self.ports(process).trace(port, now);
        let ports = self.recorded_outputs().map(|port| port.and_then(of_port)).collect();
        self.recorded_with(self.io.traces.clone(), ports, recorder, now)
    }

    /// What was recorded, at the end of the run: it is moved out.
    pub fn take_recorded(&mut self, recorder: &Recorder, now: Time) -> Recorded {
        let hosts = self.io.traces.take();
        let outputs: Vec<_> = self.recorded_outputs().collect();
        let mut of_port = |(process, port)| self.processes[process as usize].process_mut().take_trace(port, now);
        let ports = outputs.into_iter().map(|port| port.and_then(&mut of_port)).collect();
        self.recorded_with(hosts, ports, recorder, now)
    }

    /// For each link the process and the number of its port. Where nothing waits, or next to nothing, nothing is recorded.
    fn recorded_outputs(&self) -> impl Iterator<Item = Option<(u32, u32)>> {
        self.directory.links().map(|link| match link.output {
            Output::Port { process, port } => Some((process, port)),
            Output::Nic | Output::PassThroughPort(_) | Output::LastHopPort { .. } => None,
        })
    }

    fn recorded_with(
        &self,
        hosts: Option<Box<HostTraces>>,
        ports: Vec<Option<PortTrace>>,
        recorder: &Recorder,
        now: Time,
    ) -> Recorded {
        let ports = self.directory.links().enumerate().zip(ports);
        let ports = ports.filter_map(|((number, Entry { name, crossing, .. }), trace)| {
            Some(PortRecording { link: LinkId::from_index(number), name, crossing, trace: trace? })
        });
        let links: Vec<LinkRecording<'_>> = self
            .links()
            .into_iter()
            .map(|(link, Entry { name, crossing, .. })| {
                let lost = link.losses.before(now).copied().collect();
                LinkRecording { link: link.id, name, crossing, lost }
            })
            .collect();
        let mut recorded = recorder.recorded(hosts, ports.collect(), &links, &self.rates_recorded(now), now);
        self.two_way().write_numbers(&mut recorded.captures);
        recorded
    }

    /// What ABR connections and the ports that tell them rates recorded.
    fn rates_recorded(&self, now: Time) -> RatesRecording {
        let connections = &self.io.abr.connections;
        let allocation = |Entry { name, output, .. }: Entry<'_>| match output {
            Output::Port { process, port } => match &self.processes[process as usize] {
                LogicalProcess::Runs(port) => Some((name.to_owned(), port.allocations(now)?)),
                LogicalProcess::Cells(port) => Some((name.to_owned(), port.rates()?.allocations(now)?)),
                ports => Some((name.to_owned(), ports.rates(port)?.allocations()?)),
            },
            Output::Nic | Output::PassThroughPort(_) | Output::LastHopPort { .. } => None,
        };
        let allocations = self.directory.links().filter_map(allocation).collect();
        RatesRecording::new(connections, allocations, now).with_efci(self.io.abr.efci(now))
    }

    /// The links that change or corrupt packets, in the order of the scenario.
    fn links(&self) -> Vec<(Cow<'_, Link>, Entry<'_>)> {
        let of_hosts = self.hosts().flat_map(Hosts::links);
        let of_ports = self.processes.iter().filter_map(LogicalProcess::ports).flat_map(Ports::links);
        let mut links: Vec<&Link> = of_hosts.chain(of_ports).collect();
        links.sort_by_key(|link| link.id);
        let entry = |link: &Link| self.directory.link(link.id.index());
        links.into_iter().map(|link| (self.with_lost_behind_hosts(link), entry(link))).collect()
    }

    /// A link with what was lost behind it.
    fn with_lost_behind_hosts<'a>(&self, link: &'a Link) -> Cow<'a, Link> {
        let mut link = Cow::Borrowed(link);
        let id = link.id;
        for lost in self.io.lost_behind_hosts.iter().filter(|lost| lost.link == id) {
            let number = self.directory.link(id.index()).crossing.binary_search(&lost.vc);
            let vc = VcId::from_index(number.expect("what is lost behind a link has crossed it"));
            let vc_name = name_hash(&self.directory.vc_name(lost.vc));
            let packet = Packet { bytes: 0, kind: PacketKind::Acknowledgement };
            let meta = PacketMeta { vc, vc_name, frame: lost.frame, packet, ecn: Ecn::NOT_ECT };
            link.to_mut().losses.add(lost.time, lost.time, &meta, lost.reason);
        }
        link
    }

    /// The record of a port, with these names of connections. `passed` has, by process, the cells that the port before a port without a queue has accepted.
    fn port_record(
        &self,
        link: &Entry<'_>,
        names: &IdVec<VcId, Arc<str>>,
        under_way: &UnderWay,
        passed: &mut BTreeMap<usize, Passed>,
        now: Time,
    ) -> Option<PortRecord> {
        let mut names = link.crossing.iter().map(|&vc| names[vc].clone());
        match link.output {
            Output::Nic => None,
            Output::Port { process, port } => Some(self.ports(process).record(port, now, link.name, &mut names)),
            Output::LastHopPort { process, last_hop } => match &self.processes[process as usize] {
                LogicalProcess::Packets(packets) => {
                    Some(packets.last_hop_record(last_hop, now, under_way, link.crossing, link.name, names))
                }
                LogicalProcess::Cells(port) => {
                    let passed = passed.entry(process as usize).or_insert_with(|| port.passed());
                    Some(port.last_hop(last_hop).record(passed, now, link.name, names))
                }
                _ => unreachable!("last-hop ports are behind ports of which departures are known on arrival"),
            },
            Output::PassThroughPort(number) => {
                let PassThroughPort { behind, lag, numbers, threshold } = self.directory.pass_through(number);
                let passed: Vec<u64> = match &self.processes[*behind] {
                    LogicalProcess::Hosts(hosts) => {
                        link.crossing.iter().map(|&vc| hosts.passed(vc, *lag, now)).collect()
                    }
                    LogicalProcess::Cells(cells) => {
                        let passed = passed.entry(*behind).or_insert_with(|| cells.passed());
                        numbers.iter().map(|&number| passed.of(number, *lag, now)).collect()
                    }
                    LogicalProcess::Runs(port) => {
                        let passed = passed.entry(*behind).or_insert_with(|| port.passed());
                        numbers.iter().map(|&number| passed.of(number, *lag, now)).collect()
                    }
                    LogicalProcess::Packets(_)
                    | LogicalProcess::Changing(_)
                    | LogicalProcess::Routed(_)
                    | LogicalProcess::Medium(_)
                    | LogicalProcess::Udp(_)
                    | LogicalProcess::Edge(_)
                    | LogicalProcess::CellEdges(_) => {
                        unreachable!("a packet network has no ports without a queue")
                    }
                };
                Some(port_stats::passed(link.name, names.zip(passed), threshold.is_some()))
            }
        }
    }

    /// What the router of a port did to acknowledgements, if it gives rates.
    fn edge_record(&self, port: LinkId, now: Time) -> Option<EdgeRecord> {
        let edge = &self.io.edges[self.edges.binary_search(&port).ok()?].edge;
        let allocation = match self.directory.link(port.index()).output {
            Output::Port { process, port } => match &self.processes[process as usize] {
                LogicalProcess::Runs(port) => port.allocation_bps(now),
                LogicalProcess::Cells(port) => port.rates().and_then(|rates| rates.allocation_bps(now)),
                ports => ports.rates(port).and_then(PacketRates::allocation),
            },
            Output::LastHopPort { process, last_hop } => match &self.processes[process as usize] {
                LogicalProcess::Cells(port) => port.last_hop(last_hop).rates().allocation_bps(now),
                LogicalProcess::Packets(ports) => ports.last_hop_rates(last_hop).and_then(PacketRates::allocation),
                _ => None,
            },
            Output::Nic | Output::PassThroughPort(_) => None,
        };
        Some(EdgeRecord { allocation, ..edge.record() })
    }

    /// Up to when everything that can reach a process is known.
    fn horizon(&mut self, process: usize) -> Time {
        let clocks = &self.clocks;
        let of = |upstream: &Upstream| clocks[upstream.from] + upstream.lookahead;
        let arrivals = self.upstreams[process].iter().map(of).min().unwrap_or(Time::NEVER);
        let arrivals = match self.rates_read.get(process) {
            None => arrivals,
            // A port gives new rates at the end of an interval, and not before.
            Some(read) => read
                .iter()
                .fold(arrivals, |least, &from| least.min(self.processes[from].next_rates().max(clocks[from]))),
        };
        if process != self.sources {
            return arrivals;
        }
        // A backward RM cell may be there before ports on its path have written into it.
        let writers = &self.writers;
        self.io.abr.first_unready(arrivals, |flow, arrives| writers[flow].iter().all(|port| arrives < of(port)))
    }

    /// Before then nothing happens anywhere, as far as is known.
    pub fn next_event(&self) -> Time {
        let next = self.processes.iter().map(|process| process.process().next(&self.io));
        next.min().expect("a network has hosts")
    }

    /// Nothing happened within the horizons: goes to the first thing that will.
    fn skip(&mut self, until: Time) {
        let next = self.next_event().min(until);
        for (process, clocks) in self.processes.iter_mut().zip(&mut self.clocks).filter(|(_, clocks)| **clocks < next) {
            process.process_mut().advance(next, &mut self.io);
            *clocks = next;
        }
    }

    /// The process of ports with this number.
    fn ports(&self, process: u32) -> &dyn Ports {
        self.processes[process as usize].ports().expect("hosts are no ports")
    }
}
