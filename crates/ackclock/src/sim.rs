//! Scenario in, records out: [`build`] a run, [`Simulation::step`] through it, read its [`Records`]. Between two steps flows can be
//! observed and steered ([`Simulation::observe`], [`Simulation::hold_window`], [`Simulation::hold_pacing_rate`]). The network alone,
//! between hosts that are outside, is an [`Emulation`].

mod emulation;
mod steering;

use crate::net::{self, Batched, Recorded, Recorder, Reference};
use crate::record::{
    Counted, FlowRecord, LinkRecord, MaxMinShare, PortRecord, Records, UdpRecord, combine, lost, metrics,
};
use crate::scenario::{Flow, Scenario, Technology};
use crate::tcp::ApplicationParams;
use crate::units::{Span, Time};

pub use crate::net::{Connection, Fusing, Passed};
pub use emulation::{Emulation, NotEmulated};
pub use steering::SteeringError;

/// Changes whenever any golden result changes.
pub const RESULT_VERSION: u32 = 5;

/// What computes a run. Both engines give the same records to the bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Parts of the network advance in batches, as far as the delays of the links make safe.
    #[default]
    Batched,
    /// One event after the other, as plain as it can be: what the other engine is checked against.
    Reference,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Everything before this instant has happened.
    pub now: Time,
    /// The end of the scenario.
    pub end: Time,
    /// Events handled, as the engine counts them: not comparable between engines.
    pub events: u64,
}

impl Progress {
    /// Whether there is nothing left to do.
    pub fn finished(&self) -> bool {
        self.now >= self.end
    }
}

/// One run of one scenario under one seed. No input or output, no threads, no clock.
pub struct Simulation {
    network: Network,
    seed: u64,
    now: Time,
    end: Time,
    warmup: Span,
    /// What was counted when the warm-up ended; `None` before, and without one.
    at_warmup: Option<Box<Counted>>,
    /// Payload rate of the bottleneck, bit/s.
    capacity_bps: Option<f64>,
    technology: Technology,
    /// For each flow: when it begins; never if efficiency and fairness are not about it.
    measured: Vec<Time>,
    /// Whether flows are files of a group, which come and go, or requests and responses: fairness is not about them.
    fairness_leaves_out: Vec<bool>,
    /// The max-min share of each flow, where ports give rates to flows of TCP.
    max_min: Vec<Option<MaxMinShare>>,
    recorder: Option<Box<Recorder>>,
    cancelled: bool,
}

/// A network in one of the engines.
enum Network {
    Batched(Box<Batched>),
    Reference(Box<Reference>),
}

impl Network {
    fn advance(&mut self, until: Time) {
        match self {
            Network::Batched(network) => network.advance(until),
            Network::Reference(network) => network.advance(until),
        }
    }

    fn end_warmup(&mut self) {
        match self {
            Network::Batched(network) => network.end_warmup(),
            Network::Reference(network) => network.end_warmup(),
        }
    }

    fn next_event(&self) -> Time {
        match self {
            Network::Batched(network) => network.next_event(),
            Network::Reference(network) => network.next_event(),
        }
    }

    fn events(&self) -> u64 {
        match self {
            Network::Batched(network) => network.events(),
            Network::Reference(network) => network.events(),
        }
    }

    fn flow_records(&self, simulated: Span, warmup: Span) -> Vec<FlowRecord> {
        match self {
            Network::Batched(network) => network.flow_records(simulated, warmup),
            Network::Reference(network) => network.flow_records(simulated, warmup),
        }
    }

    fn port_records(&self, now: Time) -> Vec<PortRecord> {
        match self {
            Network::Batched(network) => network.port_records(now),
            Network::Reference(network) => network.port_records(now),
        }
    }

    fn open_flows(&self) -> usize {
        match self {
            Network::Batched(network) => network.open_flows(),
            Network::Reference(network) => network.open_flows(),
        }
    }

    fn free_ended(&mut self) {
        match self {
            Network::Batched(network) => network.free_ended(),
            Network::Reference(network) => network.free_ended(),
        }
    }

    fn udp_records(&self, simulated: Span) -> Vec<UdpRecord> {
        match self {
            Network::Batched(network) => network.udp_records(simulated),
            Network::Reference(network) => network.udp_records(simulated),
        }
    }

    fn link_records(&self, now: Time) -> Vec<LinkRecord> {
        match self {
            Network::Batched(network) => network.link_records(now),
            Network::Reference(network) => network.link_records(now),
        }
    }

    fn recorded(&self, recorder: &Recorder, now: Time) -> Recorded {
        match self {
            Network::Batched(network) => network.recorded(recorder, now),
            Network::Reference(network) => network.recorded(recorder, now),
        }
    }

    fn take_recorded(&mut self, recorder: &Recorder, now: Time) -> Recorded {
        match self {
            Network::Batched(network) => network.take_recorded(recorder, now),
            Network::Reference(network) => network.take_recorded(recorder, now),
        }
    }
}

/// Builds a run on the default engine. It cannot fail: a [`Scenario`] is valid.
pub fn build(scenario: &Scenario, seed: u64) -> Simulation {
    build_with(scenario, seed, Engine::default())
}

/// Builds a run on the given engine.
pub fn build_with(scenario: &Scenario, seed: u64, engine: Engine) -> Simulation {
    let recorder = Recorder::new(scenario);
    let network = match engine {
        Engine::Batched => Network::Batched(Box::new(Batched::new(scenario, seed, recorder.as_deref()))),
        Engine::Reference => Network::Reference(Box::new(Reference::new(scenario, seed, recorder.as_deref()))),
    };
    prepared(scenario, seed, network, recorder)
}

/// A run of this network, which is that of the scenario.
fn prepared(scenario: &Scenario, seed: u64, network: Network, recorder: Option<Box<Recorder>>) -> Simulation {
    Simulation {
        network,
        recorder,
        seed,
        now: Time::ZERO,
        end: Time::ZERO + scenario.duration,
        warmup: scenario.warmup,
        at_warmup: None,
        technology: scenario.technology,
        capacity_bps: scenario.bottleneck.as_ref().map(|bottleneck| bottleneck.capacity_bps),
        measured: scenario.flows.iter().map(|flow| begins(scenario, flow, seed)).collect(),
        fairness_leaves_out: scenario.flows.iter().map(fairness_leaves_out).collect(),
        max_min: net::max_min_shares(scenario),
        cancelled: false,
    }
}

/// Whether the seed can make any difference to a scenario.
pub fn has_randomness(scenario: &Scenario) -> bool {
    net::has_randomness(scenario)
}

impl Simulation {
    /// Handles every event before `until` (at most to the end of the scenario).
    pub fn step(&mut self, until: Time) -> Progress {
        if !self.cancelled {
            let until = until.min(self.end);
            let warm = Time::ZERO + self.warmup;
            if self.now < warm && warm <= until {
                self.network.advance(warm);
                self.network.end_warmup();
                self.at_warmup = Some(Box::new(self.counted(warm)));
            }
            self.network.advance(until);
            self.now = self.now.max(until);
        }
        self.progress()
    }

    /// How far the run is.
    pub fn progress(&self) -> Progress {
        let end = if self.cancelled { self.now } else { self.end };
        Progress { now: self.now, end, events: self.network.events() }
    }

    /// How many of the flows that come and go, those of a given size, are in memory: those that have begun or are steered, but for most of those that have
    /// ended.
    pub fn open_flows(&self) -> usize {
        self.network.open_flows()
    }

    /// Says when the batched engine fuses ports that one port alone feeds, where routes change.
    pub fn set_fusing(&mut self, fusing: Fusing) {
        if let Network::Batched(network) = &mut self.network {
            network.set_fusing(fusing);
        }
    }

    /// How many packets have crossed fused ports, each counted at each port.
    pub fn fused_packets(&self) -> u64 {
        match &self.network {
            Network::Batched(network) => network.fused_packets(),
            Network::Reference(_) => 0,
        }
    }

    /// Frees what is left of flows to which nothing can happen any more. It changes no result, and is done by itself when many flows are
    /// there.
    pub fn free_ended(&mut self) {
        self.network.free_ended();
    }

    /// Before then, nothing happens, as far as is known: at least where the run is, at most its end.
    pub fn next_event(&self) -> Time {
        self.network.next_event().min(self.end).max(self.now)
    }

    /// Ends the run here: further steps do nothing, and the records say that it is not complete.
    pub fn cancel(&mut self) {
        self.cancelled = self.now < self.end;
    }

    /// The records up to now.
    pub fn records(&self) -> Records {
        let recorded = self.recorder.as_ref().map(|recorder| self.network.recorded(recorder, self.now));
        self.records_with(self.network.flow_records(self.now.since(Time::ZERO), self.warmup), recorded)
    }

    /// The records at the end. Long ones are not copied.
    pub fn finish(mut self) -> Records {
        let recorded = self.recorder.as_ref().map(|recorder| self.network.take_recorded(recorder, self.now));
        let flows = self.network.flow_records(self.now.since(Time::ZERO), self.warmup);
        // Of many flows there is no room for their ends and all records.
        if let Network::Batched(network) = &mut self.network {
            network.drop_ends();
        }
        self.records_with(flows, recorded)
    }

    /// What was counted up to `now`, to which the network has come.
    fn counted(&self, now: Time) -> Counted {
        let time = now.since(Time::ZERO);
        let flows = self.network.flow_records(time, self.warmup);
        let (ports, links) = (self.network.port_records(now), self.network.link_records(now));
        Counted::of(time, &flows, &self.udp_records(time, &ports, &links), &ports, &links)
    }

    /// The records of the sources of datagrams, with what ports and links lost of them.
    fn udp_records(&self, simulated: Span, ports: &[PortRecord], links: &[LinkRecord]) -> Vec<UdpRecord> {
        let mut udp = self.network.udp_records(simulated);
        // Of cells the network knows which of them are of one datagram.
        if let Technology::Packet { .. } = self.technology {
            for UdpRecord { name, counts, round_trips, .. } in &mut udp {
                let of_echoes = round_trips.as_ref().map_or(0, |_| lost(&format!("{name}/ack"), ports, links));
                // Of one that came twice and arrived once, the other may be lost.
                counts.lost = (lost(name, ports, links) + of_echoes).min(counts.sent - counts.delivered);
            }
        }
        udp
    }

    /// Jain's index over the goodputs of flows, each with its place; of files that come and go none, and without these of two at least.
    fn fairness(&self, goodputs: impl Iterator<Item = (usize, f64)> + Clone) -> Option<f64> {
        let all = goodputs.clone().count();
        let staying = goodputs.filter(|&(place, _)| !self.fairness_leaves_out[place]).map(|(_, goodput)| goodput);
        let count = staying.clone().count();
        metrics::jain(staying).filter(|_| count == all || count > 1)
    }

    fn records_with(&self, mut flows: Vec<FlowRecord>, recorded: Option<Recorded>) -> Records {
        let simulated = self.now.since(Time::ZERO);
        let mut ports = self.network.port_records(self.now);
        let links = self.network.link_records(self.now);
        let mut udp = self.udp_records(simulated, &ports, &links);
        let Recorded { series, captures, flows: of_flows, udp: of_udp, ports: mut sojourns } =
            recorded.unwrap_or_default();
        flows.iter_mut().zip(of_flows).for_each(|(flow, delays)| flow.delays = Some(Box::new(delays)));
        flows.iter_mut().zip(&self.max_min).for_each(|(flow, share)| flow.max_min = *share);
        udp.iter_mut().zip(of_udp).for_each(|(source, delays)| source.delays = Some(Box::new(delays)));
        ports.iter_mut().for_each(|port| port.sojourn = sojourns.remove(&port.name).map(Box::new));
        let of_measured = flows.iter().zip(&self.measured);
        let measured = || of_measured.clone().filter(|&(_, &begins)| begins < self.now).map(|(flow, _)| flow);
        let begun = |place: &usize| self.measured[*place] < self.now;
        let all = || (0..flows.len()).filter(begun);
        let goodput = || measured().map(|flow| flow.goodput_bps);
        let after_warmup: Option<f64> = measured().map(|flow| flow.goodput_after_warmup_bps).sum();
        let at_warmup = self.at_warmup.as_ref().filter(|_| simulated > self.warmup);
        // A flow whose data ended within the warm-up is none of those of the measured time.
        let ended = |place: usize| at_warmup.is_some_and(|at_warmup| at_warmup.had_ended(place, &flows[place]));
        let active = || all().filter(|&place| !ended(place));
        let later = || active().map(|place| (place, flows[place].goodput_after_warmup_bps.unwrap_or(0.0)));
        let rest = at_warmup.map(|at_warmup| {
            let end = Counted::of(simulated, &flows, &udp, &ports, &links);
            at_warmup.after(&end, self.fairness(later()))
        });
        let of_flows = flows.iter().flat_map(|flow| {
            [
                ((flow.name.as_str(), ":abr"), flow.abr.map_or(0, |abr| abr.fingerprint)),
                ((flow.name.as_str(), ":receiver"), flow.receiver_fingerprint),
                ((flow.name.as_str(), ":sender"), flow.sender_fingerprint),
            ]
        });
        let of_ports = ports.iter().map(|port| ((port.name.as_str(), ""), port.fingerprint));
        let of_rates =
            ports.iter().filter_map(|port| Some(((port.name.as_str(), ":rates"), port.rates?.fingerprint())));
        let of_edges =
            ports.iter().filter_map(|port| Some(((port.name.as_str(), ":feedback"), port.feedback?.fingerprint)));
        let of_links = links.iter().map(|link| ((link.name.as_str(), ":link"), link.fingerprint));
        let of_udp = udp.iter().map(|source| ((source.name.as_str(), ":udp"), source.fingerprint));
        let fingerprint =
            combine(of_flows.chain(of_ports).chain(of_rates).chain(of_edges).chain(of_links).chain(of_udp));
        Records {
            seed: self.seed,
            simulated,
            complete: self.now >= self.end,
            efficiency: self.capacity_bps.map(|capacity| goodput().sum::<f64>() / capacity),
            efficiency_after_warmup: self.capacity_bps.zip(after_warmup).map(|(capacity, goodput)| goodput / capacity),
            fairness: self.fairness(all().map(|place| (place, flows[place].goodput_bps))),
            after_warmup: rest,
            fingerprint,
            flows,
            udp,
            ports,
            links,
            series,
            captures,
        }
    }
}

/// Whether it is a file of a group, or one direction of an exchange: no rival of others.
fn fairness_leaves_out(flow: &Flow) -> bool {
    let exchanges = flow.back_of.is_some() || matches!(*flow.application, ApplicationParams::Exchanges(_));
    exchanges || flow.size.is_some() && flow.group.is_some()
}

/// When a flow begins, if efficiency and fairness are about it: about all flows, unless a bottleneck is named.
fn begins(scenario: &Scenario, flow: &Flow, seed: u64) -> Time {
    let measured =
        scenario.bottleneck.as_ref().is_none_or(|bottleneck| flow.forward.links().contains(&bottleneck.link));
    if measured { flow.begins(seed) } else { Time::NEVER }
}
