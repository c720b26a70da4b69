//! From a flow of a scenario to its two ends, now or later.

use std::sync::Arc;

use super::names::Names;
use crate::net::flow::{Sink, Source};
use crate::rng::Stream;
use crate::scenario::{self, Scenario};
use crate::shared::Shared;
use crate::tcp::{ApplicationParams, Receiver, Sender, TcpParams, TickClock, TickPhase, Transfer};
use crate::units::{Span, Time};

/// What the ends of flows are made from that are not there from the beginning of a run: of each flow a few words.
pub(in crate::net) struct Makers {
    seed: u64,
    names: Arc<Names>,
    kinds: Vec<Kind>,
    /// By flow; empty if all flows are there from the beginning.
    plans: Vec<Plan>,
}

/// What flows have in common.
#[derive(PartialEq)]
pub(in crate::net) struct Kind {
    tcp: Shared<TcpParams>,
    clock: TickClock,
    stop: Option<Time>,
    application: Shared<ApplicationParams>,
    has_messages: bool,
}

/// What they do not.
#[derive(Clone, Copy)]
struct Plan {
    begins: Time,
    size: u64,
    /// [`AT_ONCE`] of a flow that is there from the beginning.
    kind: u32,
}

const AT_ONCE: u32 = u32::MAX;

/// Whether a flow is there from when it begins until it has ended. Others are there at all times: they have no end, or share a connection.
pub(in crate::net) fn comes_and_goes(flow: &scenario::Flow) -> bool {
    let shares = flow.back_of.is_some() || matches!(*flow.application, ApplicationParams::Exchanges(_));
    flow.size.is_some() && !shares
}

impl Makers {
    /// What the ends of the flows of a scenario are made from, which have these names.
    pub(in crate::net) fn new(scenario: &Scenario, seed: u64, names: Arc<Names>) -> Makers {
        let (mut kinds, mut plans) = (Vec::<Kind>::new(), Vec::new());
        if scenario.flows.iter().any(comes_and_goes) {
            plans.reserve_exact(scenario.flows.len());
        }
        let last = if plans.capacity() > 0 { scenario.flows.len() } else { 0 };
        for flow in scenario.flows.iter().take(last) {
            let mut plan = Plan { begins: Time::NEVER, size: 0, kind: AT_ONCE };
            if let Some(size) = flow.size.filter(|_| comes_and_goes(flow)) {
                let kind = Kind::new(flow, scenario, seed);
                // Those of one table follow each other.
                if kinds.last() != Some(&kind) {
                    kinds.push(kind);
                }
                plan = Plan { begins: flow.begins(seed), size, kind: kinds.len() as u32 - 1 };
            }
            plans.push(plan);
        }
        Makers { seed, names, kinds, plans }
    }

    /// When a flow begins that is not there from the beginning.
    pub(super) fn begins(&self, flow: usize) -> Time {
        self.plans[flow].begins
    }

    /// The sending end of such a flow, before anything has happened.
    pub(super) fn source(&self, flow: usize) -> Source {
        let Plan { begins, size, kind } = self.plans[flow];
        self.kinds[kind as usize].source(self.names.get(flow), self.seed, begins, Some(size))
    }

    /// The receiving end of such a flow.
    pub(super) fn sink(&self, flow: usize) -> Sink {
        self.kinds[self.plans[flow].kind as usize].sink(self.names.get(flow), self.seed)
    }
}

impl Kind {
    /// What holds for a flow.
    pub(super) fn new(flow: &scenario::Flow, scenario: &Scenario, seed: u64) -> Kind {
        let host = &scenario.nodes[scenario.links[flow.forward.first()].from].name;
        let timer = &flow.tcp.timer;
        let bound = timer.granularity.as_ps();
        let phase = match timer.phase {
            TickPhase::Common(phase) => phase,
            TickPhase::Random => Span::from_ps(Stream::new(seed, host, "tick-phase").below(bound, 0)),
        };
        Kind {
            tcp: flow.tcp.clone(),
            clock: TickClock::new(timer.granularity, phase),
            stop: flow.stop,
            application: flow.application.clone(),
            has_messages: flow.back_of.is_some() || matches!(*flow.application, ApplicationParams::Exchanges(_)),
        }
    }

    /// The sending end of the flow called `name`, which begins then and has so many bytes.
    pub(super) fn source(&self, name: &str, seed: u64, begins: Time, size: Option<u64>) -> Source {
        let application = self.application.start(seed, name);
        let transfer = Transfer { start: begins, stop: self.stop, size, application };
        let sender = Sender::new(&self.tcp, transfer, self.clock).with_randomness(&self.tcp, seed, name);
        Source::new(if self.has_messages { sender.with_messages(&self.tcp) } else { sender })
    }

    /// The receiving end of the flow called `name`.
    pub(super) fn sink(&self, name: &str, seed: u64) -> Sink {
        let receiver = Receiver::new(&self.tcp).with_randomness(&self.tcp, seed, name);
        Sink::new(if self.has_messages { receiver.with_messages() } else { receiver })
    }
}
