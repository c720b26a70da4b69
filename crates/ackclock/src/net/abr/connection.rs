//! The RM cells of ABR connections that are under way, and what their sources did.

use std::collections::VecDeque;

use super::shares::flow_shares;
use super::trace::{CountTrace, EventTrace, RateTrace};
use crate::ids::VcId;
use crate::net::flow::end_of;
use crate::packet::RmCell;
use crate::record::{AbrRecord, Fingerprint, Metric};
use crate::scenario::{Recording, Scenario, ServiceCategory};
use crate::units::CELL_BITS;
use crate::units::Time;

/// The ABR connections of all flows that have one.
#[derive(Clone, Debug, Default)]
pub(in crate::net) struct AbrConnections {
    flows: usize,
    /// By flow; empty if no flow has one.
    connections: Vec<Option<AbrConnection>>,
}

impl AbrConnections {
    /// Those of a scenario.
    pub(in crate::net) fn new(scenario: &Scenario) -> AbrConnections {
        let flows = scenario.flows.len();
        if !scenario.has_abr() {
            return AbrConnections { flows, connections: Vec::new() };
        }
        let of_flow = |(service, share): (&ServiceCategory, Option<f64>)| match service {
            ServiceCategory::Abr(params) => {
                let share = share.unwrap_or(params.pcr);
                Some(AbrConnection::new(params.initial_rate(), share, &scenario.recording))
            }
            ServiceCategory::Ubr { .. } => None,
        };
        let services = scenario.flows.iter().map(|flow| &flow.service);
        AbrConnections { flows, connections: services.zip(flow_shares(scenario)).map(of_flow).collect() }
    }

    /// That of the flow to which a connection belongs, if it has one.
    pub(in crate::net) fn get(&self, vc: VcId) -> Option<&AbrConnection> {
        self.connections.get(end_of(vc).0)?.as_ref()
    }

    /// That of the flow to which an RM cell's connection belongs.
    pub(in crate::net) fn of(&mut self, vc: VcId) -> &mut AbrConnection {
        self.connections[end_of(vc).0].as_mut().expect("an RM cell is one of an ABR flow")
    }

    /// The warm-up ends: means begin.
    pub(in crate::net) fn end_warmup(&mut self, now: Time) {
        self.connections.iter_mut().flatten().for_each(|connection| connection.end_warmup(now));
    }

    /// What is recorded of each flow over time, if it is one of ABR.
    pub(in crate::net) fn traces(&self) -> impl Iterator<Item = Option<&AbrTraces>> {
        self.of_flows().map(|connection| Some(&*connection?.traces))
    }

    /// What the source of each flow did until `now`, if it is one of ABR.
    pub(in crate::net) fn records(&self, now: Time) -> impl Iterator<Item = Option<AbrRecord>> {
        self.of_flows().map(move |connection| Some(connection?.record(now)))
    }

    fn of_flows(&self) -> impl Iterator<Item = Option<&AbrConnection>> {
        (0..self.flows).map(|flow| self.connections.get(flow)?.as_ref())
    }
}

/// An ABR connection, apart from its two ends.
#[derive(Clone, Debug)]
pub(in crate::net) struct AbrConnection {
    /// What the RM cells under way say, there or back, by number, and the number of the oldest, modulo 2^32. A connection keeps
    /// its order: those that are lost are forgotten when a later one arrives.
    under_way: VecDeque<RmCell>,
    oldest: u32,
    record: AbrRecord,
    fingerprint: Fingerprint,
    /// ACR since some instant, and its integral until then, from the end of the warm-up on.
    since: Time,
    integral: f64,
    integral_begins: Time,
    traces: Box<AbrTraces>,
}

/// What is recorded of an ABR connection over time, each if it is.
#[derive(Clone, Debug)]
pub(in crate::net) struct AbrTraces {
    pub(in crate::net) acr: Option<RateTrace>,
    /// Of the backward RM cells that arrive: ER in bits per second, and CI.
    pub(in crate::net) er: Option<EventTrace>,
    pub(in crate::net) ci: Option<EventTrace>,
    /// Data cells that arrive with EFCI, if the engine tells when each does.
    pub(in crate::net) efci: Option<CountTrace>,
}

impl AbrConnection {
    /// A connection whose source begins at this rate and has this max-min share, both in cells per second.
    fn new(acr: f64, max_min_share: f64, recording: &Recording) -> AbrConnection {
        let is_recorded = |metric| recording.metrics.contains(metric);
        let of_acr = || {
            let mut trace = RateTrace::default();
            trace.change(Time::ZERO, acr);
            trace
        };
        let traces = AbrTraces {
            acr: is_recorded(Metric::Acr).then(of_acr),
            er: is_recorded(Metric::ExplicitRate).then(EventTrace::default),
            ci: is_recorded(Metric::Ci).then(EventTrace::default),
            efci: CountTrace::new(recording),
        };
        AbrConnection {
            under_way: VecDeque::new(),
            oldest: 0,
            record: AbrRecord { acr, least_acr: acr, max_min_share, ..AbrRecord::default() },
            fingerprint: Fingerprint::default(),
            since: Time::ZERO,
            integral: 0.0,
            integral_begins: Time::ZERO,
            traces: Box::new(traces),
        }
    }

    /// The source sends a forward RM cell; returns its number.
    pub(in crate::net) fn send(&mut self, now: Time, cell: RmCell, acr: f64) -> u32 {
        match cell.clp {
            true => self.record.out_of_rate_rm_cells += 1,
            false => self.record.forward_rm_cells += 1,
        }
        // Rules 5 and 6 change it just before.
        self.changes(now, acr);
        self.under_way.push_back(cell);
        self.oldest.wrapping_add(self.under_way.len() as u32 - 1)
    }

    fn place(&self, number: u32) -> usize {
        number.wrapping_sub(self.oldest) as usize
    }

    /// What an RM cell under way says.
    pub(in crate::net) fn cell(&self, number: u32) -> RmCell {
        self.under_way[self.place(number)]
    }

    /// The content of an RM cell under way, to be changed.
    pub(in crate::net) fn cell_mut(&mut self, number: u32) -> &mut RmCell {
        let place = self.place(number);
        &mut self.under_way[place]
    }

    /// A newer RM cell takes the place of one that waits at the destination.
    pub(in crate::net) fn replace(&mut self) {
        self.record.replaced_rm_cells += 1;
    }

    /// A port refuses an RM cell.
    pub(in crate::net) fn refuse(&mut self) {
        self.record.refused_rm_cells += 1;
    }

    /// A data cell arrives with EFCI.
    pub(in crate::net) fn met_congestion(&mut self, now: Time) {
        self.record.efci_cells += 1;
        if let Some(efci) = &mut self.traces.efci {
            efci.add(now);
        }
    }

    /// A backward RM cell arrives at the source.
    pub(in crate::net) fn arrive(&mut self, now: Time, number: u32) -> RmCell {
        self.record.backward_rm_cells += 1;
        let gone = self.place(number) + 1;
        self.oldest = number.wrapping_add(1);
        let cell = self.under_way.drain(..gone).next_back().expect("the RM cell was under way");
        if let Some(er) = &mut self.traces.er {
            er.add(now, cell.er * CELL_BITS as f64);
        }
        if let Some(ci) = &mut self.traces.ci {
            ci.add(now, f64::from(u8::from(cell.ci)));
        }
        cell
    }

    /// The backward RM cell that arrives leads to this rate.
    pub(in crate::net) fn follow(&mut self, now: Time, acr: f64) {
        self.changes(now, acr);
        self.fingerprint.event(now.as_ps(), acr.to_bits());
    }

    fn changes(&mut self, now: Time, acr: f64) {
        self.integral += self.record.acr * now.since(self.since).as_secs_f64();
        (self.since, self.record.acr) = (now, acr);
        self.record.least_acr = self.record.least_acr.min(acr);
        if let Some(trace) = &mut self.traces.acr {
            trace.change(now, acr);
        }
    }

    fn end_warmup(&mut self, now: Time) {
        (self.since, self.integral, self.integral_begins) = (now, 0.0, now);
    }

    fn record(&self, now: Time) -> AbrRecord {
        let passed = now.since(self.integral_begins).as_secs_f64();
        let integral = self.integral + self.record.acr * now.since(self.since).as_secs_f64();
        let mean_acr = if passed > 0.0 { integral / passed } else { self.record.acr };
        AbrRecord { mean_acr, fingerprint: self.fingerprint.value(), ..self.record }
    }
}
