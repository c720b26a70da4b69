//! Summaries of flows and ports, one at a time: of many flows all together would take twice the memory of a run.

use crate::document::interval::{Interval, over};
use crate::document::summary::{FlowSummary, Load, PortSummary, rank};
use crate::document::{Document, Limited, Port, Run};

impl Document {
    /// How many flows of TCP each run has.
    pub fn flows(&self) -> usize {
        self.runs.first().map_or(0, |run| run.flows.len())
    }

    /// The summary of a flow.
    pub fn flow(&self, number: usize) -> Option<FlowSummary> {
        FlowSummary::of(&nth(&self.runs, |run| &run.flows, number))
    }

    /// What limited each flow, with its name; of some it is not known.
    pub(crate) fn limits(&self) -> impl Iterator<Item = (&str, Option<Limited<Interval>>)> {
        let of = |number| {
            let flows = nth(&self.runs, |run| &run.flows, number);
            (flows.first().map_or("", |flow| &flow.name), Limited::over(&flows))
        };
        (0..self.flows()).map(of)
    }

    /// The numbers of the flows, those with the largest goodput first.
    pub fn flows_by_goodput(&self) -> Vec<usize> {
        let goodput = |number| {
            let flows = nth(&self.runs, |run| &run.flows, number);
            over(&flows, |flow| Some(flow.goodput_bps)).map_or(0.0, |goodput| goodput.mean)
        };
        let mut ranked: Vec<(usize, f64)> = (0..self.flows()).map(|number| (number, goodput(number))).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked.into_iter().map(|(number, _)| number).collect()
    }

    /// The summary of a port.
    pub fn port(&self, number: usize) -> Option<PortSummary> {
        PortSummary::of(&nth(&self.runs, |run| &run.ports, number))
    }

    /// The numbers of the ports that [`crate::document::summary::busy_ports`] lists.
    pub fn busy_ports(&self) -> Vec<usize> {
        let ports = self.runs.first().map_or(0, |run| run.ports.len());
        let load = |number| {
            let ports = nth(&self.runs, |run| &run.ports, number);
            let of = |number: fn(&Port) -> f64| over(&ports, |port| Some(number(port)));
            let drops = of(|port| port.drops.total as f64);
            Load {
                largest_queue: of(|port| port.max_queue as f64).map_or(0.0, |queue| queue.max),
                mean_queue: of(|port| port.mean_queue).map_or(0.0, |queue| queue.mean),
                most_drops: drops.map_or(0.0, |drops| drops.max),
                mean_drops: drops.map_or(0.0, |drops| drops.mean),
            }
        };
        rank((0..ports).map(load))
    }
}

/// The part of this number of every run.
fn nth<P>(runs: &[Run], parts: impl Fn(&Run) -> &Vec<P>, number: usize) -> Vec<&P> {
    runs.iter().filter_map(|run| parts(run).get(number)).collect()
}
