//! One end of each flow. Flows that come and go, as files that arrive, are there from when they begin until nothing can happen to them any
//! more: a run may have a million of them, of which few are open at a time. What is left of a flow is what records say, and what is seen of
//! it when the run is paused.
//!
//! An engine knows when nothing can happen to a flow any more: it has ended, neither end has a timer, and none of its packets is under way.
//! It looks at that when a thousand flows have come since the last time, or a quarter of those that were there ([`Ends::are_many`]).

mod makers;
mod names;

use std::sync::Arc;

pub(super) use makers::Makers;
pub(super) use names::Names;

use makers::{Kind, comes_and_goes};

use super::flow::{Sink, SinkSummary, Source, SourceSummary};
use crate::record::{Observation, Stage};
use crate::scenario::Scenario;
use crate::units::Time;

/// So many more flows that come and go may be there than at the last time, or a quarter more, before it is looked again whether some have ended.
const FEW: usize = 1024;

/// One end of a flow.
pub(super) trait FlowEnd: Sized {
    /// What is left of it.
    type Summary;

    /// That of a flow that begins, or begins later.
    fn make(makers: &Makers, flow: usize) -> Self;

    /// When its timer expires next.
    fn deadline(&self) -> Time;

    /// The same before it is made.
    fn first_deadline(makers: &Makers, flow: usize) -> Time;

    /// What records need of it, up to `now`.
    fn summary(&self, now: Time) -> Self::Summary;
}

/// One end of each flow.
pub(super) struct Ends<E: FlowEnd> {
    states: Vec<State<E>>,
    makers: Option<Arc<Makers>>,
    /// Those of the flows that come and go that are there.
    open: Vec<u32>,
    /// More than these are many.
    few: usize,
}

enum State<E: FlowEnd> {
    /// It is made when something happens to it.
    Later,
    Open(Box<E>),
    /// Nothing can happen to it any more.
    Over(Box<E::Summary>),
}

/// Both ends of all flows of a scenario.
pub(super) fn of_flows(scenario: &Scenario, seed: u64, makers: Arc<Makers>) -> (Ends<Source>, Ends<Sink>) {
    let flows = scenario.flows.len();
    let (mut sources, mut sinks) = (Ends::with_capacity(flows, &makers), Ends::with_capacity(flows, &makers));
    for flow in scenario.flows.iter() {
        if comes_and_goes(flow) {
            sources.states.push(State::Later);
            sinks.states.push(State::Later);
            continue;
        }
        let kind = Kind::new(flow, scenario, seed);
        let source = kind.source(&flow.name, seed, flow.begins(seed), flow.size);
        sources.states.push(State::Open(Box::new(source)));
        sinks.states.push(State::Open(Box::new(kind.sink(&flow.name, seed))));
    }
    (sources, sinks)
}

impl<E: FlowEnd> Default for Ends<E> {
    /// None: they are elsewhere.
    fn default() -> Ends<E> {
        Ends { states: Vec::new(), makers: None, open: Vec::new(), few: FEW }
    }
}

impl<E: FlowEnd> Ends<E> {
    fn with_capacity(flows: usize, makers: &Arc<Makers>) -> Ends<E> {
        Ends { states: Vec::with_capacity(flows), makers: Some(makers.clone()), open: Vec::new(), few: FEW }
    }

    /// How many flows there are: none if their ends are elsewhere.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether their ends are elsewhere.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The end of a flow, if it is there.
    #[inline(always)]
    pub(super) fn get_mut(&mut self, flow: usize) -> Option<&mut E> {
        match self.states.get_mut(flow) {
            Some(State::Open(end)) => Some(end),
            _ => None,
        }
    }

    /// The same, to be read.
    pub(super) fn get(&self, flow: usize) -> Option<&E> {
        match self.states.get(flow) {
            Some(State::Open(end)) => Some(end),
            _ => None,
        }
    }

    /// The end of a flow to which something happens. It is made if that is the first.
    ///
    /// # Panics
    /// If it was put away: nothing could happen to it.
    #[inline(always)]
    pub(super) fn at(&mut self, flow: usize) -> &mut E {
        if !matches!(self.states[flow], State::Open(_)) {
            self.begin(flow);
        }
        match &mut self.states[flow] {
            State::Open(end) => end,
            State::Later | State::Over(_) => unreachable!("it has begun"),
        }
    }

    #[cold]
    #[inline(never)]
    fn begin(&mut self, flow: usize) {
        assert!(matches!(self.states[flow], State::Later), "something happens to flow {flow}, which has ended");
        self.states[flow] = State::Open(Box::new(E::make(self.makers(), flow)));
        self.open.push(flow as u32);
    }

    fn makers(&self) -> &Makers {
        self.makers.as_deref().expect("who has flows can make their ends")
    }

    /// When the timer of a flow expires next.
    pub(super) fn deadline(&self, flow: usize) -> Time {
        match &self.states[flow] {
            State::Later => E::first_deadline(self.makers(), flow),
            State::Open(end) => end.deadline(),
            State::Over(_) => Time::NEVER,
        }
    }

    /// How many of the flows that come and go are there.
    pub(super) fn open(&self) -> usize {
        self.open.len()
    }

    /// Whether so many are there that it is worthwhile to look whether some have ended.
    #[inline]
    pub(super) fn are_many(&self) -> bool {
        self.open.len() > self.few
    }

    /// Nothing can happen to these flows any more.
    pub(super) fn put_away(&mut self, flows: &[usize], now: Time) {
        for &flow in flows {
            if let State::Open(end) = &self.states[flow] {
                self.states[flow] = State::Over(Box::new(end.summary(now)));
            }
        }
        self.open.retain(|&flow| matches!(self.states[flow as usize], State::Open(_)));
        self.few = self.open.len() + FEW.max(self.open.len() / 4);
    }

    /// What records need of each, up to `now`.
    pub(super) fn summaries(&self, now: Time) -> impl Iterator<Item = E::Summary>
    where
        E::Summary: Clone,
    {
        self.states.iter().enumerate().map(move |(flow, state)| match state {
            State::Later => E::make(self.makers(), flow).summary(now),
            State::Open(end) => end.summary(now),
            State::Over(summary) => E::Summary::clone(summary),
        })
    }
}

impl Ends<Source> {
    /// The flows that come and go, are there, have ended, and have no timer.
    pub(super) fn quiet(&self) -> Vec<usize> {
        let is_quiet = |source: &Source| source.sender.stage() == Stage::Ended && source.deadline() == Time::NEVER;
        let open = self.open.iter().map(|&flow| flow as usize);
        open.filter(|&flow| self.get(flow).is_some_and(is_quiet)).collect()
    }

    /// What is seen of a flow at the instant to which the network has come.
    pub(super) fn observe(&self, flow: usize, now: Time) -> Observation {
        match &self.states[flow] {
            State::Later => Source::make(self.makers(), flow).sender.observe(now),
            State::Open(source) => source.sender.observe(now),
            State::Over(summary) => Observation { now, ..summary.observed },
        }
    }
}

impl Ends<Sink> {
    /// The warm-up ends now: each remembers what was delivered.
    pub(super) fn end_warmup(&mut self) {
        for state in &mut self.states {
            match state {
                State::Later => {}
                State::Open(sink) => sink.end_warmup(),
                State::Over(summary) => summary.delivered_in_warmup = summary.delivered,
            }
        }
    }
}

impl FlowEnd for Source {
    type Summary = SourceSummary;

    fn make(makers: &Makers, flow: usize) -> Source {
        makers.source(flow)
    }

    #[inline]
    fn deadline(&self) -> Time {
        self.sender.deadline()
    }

    fn first_deadline(makers: &Makers, flow: usize) -> Time {
        makers.begins(flow)
    }

    fn summary(&self, now: Time) -> SourceSummary {
        Source::summary(self, now)
    }
}

impl FlowEnd for Sink {
    type Summary = SinkSummary;

    fn make(makers: &Makers, flow: usize) -> Sink {
        makers.sink(flow)
    }

    #[inline]
    fn deadline(&self) -> Time {
        self.receiver.deadline()
    }

    fn first_deadline(_: &Makers, _: usize) -> Time {
        Time::NEVER
    }

    fn summary(&self, _: Time) -> SinkSummary {
        Sink::summary(self)
    }
}
