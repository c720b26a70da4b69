//! Scenario in, records out: [`build`] a run, [`Simulation::step`] through it, read its [`Records`].

use crate::net::{self, Reference};
use crate::record::{Records, combine, metrics};
use crate::scenario::{Bottleneck, Scenario};
use crate::units::{Span, Time};

/// Changes whenever any golden result changes.
pub const RESULT_VERSION: u32 = 1;

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Everything before this instant has happened.
    pub now: Time,
    /// The end of the scenario.
    pub end: Time,
    /// Events handled: one per cell (or packet) and hop, and one per timer.
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
    engine: Reference,
    seed: u64,
    now: Time,
    end: Time,
    warmup: Span,
    bottleneck: Option<Bottleneck>,
    has_randomness: bool,
    cancelled: bool,
}

/// Builds a run. It cannot fail: a [`Scenario`] is valid.
pub fn build(scenario: &Scenario, seed: u64) -> Simulation {
    Simulation {
        engine: Reference::new(scenario, seed),
        seed,
        now: Time::ZERO,
        end: Time::ZERO + scenario.duration,
        warmup: scenario.warmup,
        bottleneck: scenario.bottleneck.clone(),
        has_randomness: net::has_randomness(scenario),
        cancelled: false,
    }
}

impl Simulation {
    /// Handles every event before `until` (at most to the end of the scenario).
    pub fn step(&mut self, until: Time) -> Progress {
        if !self.cancelled {
            let until = until.min(self.end);
            let warm = Time::ZERO + self.warmup;
            if self.now < warm && warm <= until {
                self.engine.advance(warm);
                self.engine.end_warmup();
            }
            self.engine.advance(until);
            self.now = self.now.max(until);
        }
        self.progress()
    }

    /// How far the run is.
    pub fn progress(&self) -> Progress {
        let end = if self.cancelled { self.now } else { self.end };
        Progress { now: self.now, end, events: self.engine.events() }
    }

    /// Ends the run here: further steps do nothing, and the records say that it is not complete.
    pub fn cancel(&mut self) {
        self.cancelled = self.now < self.end;
    }

    /// Whether the seed can make any difference to this scenario.
    pub fn has_randomness(&self) -> bool {
        self.has_randomness
    }

    /// The records up to now.
    pub fn records(&self) -> Records {
        let simulated = self.now.since(Time::ZERO);
        let flows = self.engine.flow_records(simulated, self.warmup);
        let ports = self.engine.port_records(self.now);
        let capacity = self.bottleneck.as_ref().map(|bottleneck| bottleneck.capacity_bps);
        let efficiency = |goodput: f64| capacity.map(|capacity| goodput / capacity);
        let of_flows = flows.iter().flat_map(|flow| {
            [
                (format!("{}:sender", flow.name), flow.sender_fingerprint),
                (format!("{}:receiver", flow.name), flow.receiver_fingerprint),
            ]
        });
        let of_ports = ports.iter().map(|port| (port.name.clone(), port.fingerprint));
        let fingerprints: Vec<(String, u64)> = of_flows.chain(of_ports).collect();
        Records {
            seed: self.seed,
            simulated,
            complete: self.now >= self.end,
            efficiency: efficiency(flows.iter().map(|flow| flow.goodput_bps).sum()),
            efficiency_after_warmup: efficiency(flows.iter().map(|flow| flow.goodput_after_warmup_bps).sum()),
            fairness: metrics::jain(flows.iter().map(|flow| flow.goodput_bps)),
            fingerprint: combine(fingerprints.iter().map(|(name, hash)| (name.as_str(), *hash))),
            flows,
            ports,
        }
    }
}
