//! What is needed of links and flows only when records are made: names, and which connections cross what. Kept
//! compactly, as a network may have hundreds of thousands of them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ids::{Id, IdVec, LinkId, VcId};
use crate::net::ends::Names;
use crate::net::flow::{self, End};
use crate::net::lists::Lists;
use crate::net::recorder::flow_names;
use crate::scenario::Scenario;
use crate::units::Span;

/// The flows and the links of a network.
pub(super) struct Directory {
    /// And then the sources of datagrams.
    flows: Arc<Names>,
    flow_count: usize,
    /// By the flow on whose connection they come, the flows that are the other direction of one.
    backs: BTreeMap<usize, usize>,
    links: Names,
    /// For each link, its output.
    outputs: Vec<Output>,
    pass_throughs: Vec<PassThroughPort>,
    /// The connections that cross the links.
    crossing: Lists<LinkId, VcId>,
}

/// What feeds a link.
#[derive(Clone, Copy)]
pub(super) enum Output {
    /// A host: no record.
    Nic,
    /// A port: which process, and which port of those in it.
    Port { process: u32, port: u32 },
    /// A port that is done together with the one before it: which process, and which last-hop port of those in it.
    LastHopPort { process: u32, last_hop: u32 },
    /// A port where nothing waits is no process: it adds a constant delay behind another output.
    PassThroughPort(u32),
}

/// A port where nothing waits.
pub(super) struct PassThroughPort {
    /// The process behind which it is.
    pub(super) behind: usize,
    /// From the instant that the lag of that process's next hops counts from, to the arrival here.
    pub(super) lag: Span,
    /// The numbers of the crossing connections at that process; of no meaning at hosts.
    pub(super) numbers: Vec<VcId>,
    /// That of the drop policy, which never acts.
    pub(super) threshold: Option<f64>,
}

/// A link, for its record.
pub(super) struct Entry<'a> {
    pub(super) name: &'a str,
    pub(super) output: Output,
    pub(super) crossing: &'a [VcId],
}

impl Directory {
    /// The directory of a scenario, of whose links these connections cross each; still without outputs.
    pub(super) fn new(scenario: &Scenario, crossing: Lists<LinkId, VcId>) -> Directory {
        Directory {
            flows: Arc::new(flow_names(scenario).collect()),
            flow_count: scenario.flows.len(),
            backs: flow::backs(scenario),
            links: scenario.links.iter().map(|link| link.name.as_str()).collect(),
            outputs: Vec::with_capacity(scenario.links.len()),
            pass_throughs: Vec::new(),
            crossing,
        }
    }

    /// Adds what is known of the next link.
    pub(super) fn push(&mut self, output: Output) {
        self.outputs.push(output);
    }

    /// Adds the next link, whose port never keeps anything.
    pub(super) fn push_pass_through(&mut self, pass_through: PassThroughPort) {
        self.push(Output::PassThroughPort(self.pass_throughs.len() as u32));
        self.pass_throughs.push(pass_through);
    }

    /// How many links are not fed by hosts.
    pub(super) fn switch_ports(&self) -> usize {
        self.outputs.iter().filter(|output| !matches!(output, Output::Nic)).count()
    }

    /// The links in the order of the scenario.
    pub(super) fn links(&self) -> impl Iterator<Item = Entry<'_>> {
        (0..self.outputs.len()).map(|link| self.link(link))
    }

    /// One of them, by its number.
    pub(super) fn link(&self, number: usize) -> Entry<'_> {
        Entry {
            name: self.links.get(number),
            output: self.outputs[number],
            crossing: self.crossing.of(LinkId::from_index(number)),
        }
    }

    /// A port where nothing waits.
    pub(super) fn pass_through(&self, number: u32) -> &PassThroughPort {
        &self.pass_throughs[number as usize]
    }

    /// The names of the flows, and then of the sources of datagrams.
    pub(super) fn names(&self) -> Arc<Names> {
        self.flows.clone()
    }

    /// The names of the flows in the order of the scenario.
    pub(super) fn flows(&self) -> impl Iterator<Item = &str> {
        (0..self.flow_count).map(|flow| self.flow(flow))
    }

    /// The name of a flow.
    pub(super) fn flow(&self, flow: usize) -> &str {
        self.flows.get(flow)
    }

    /// The names of all connections.
    pub(super) fn vc_names(&self) -> IdVec<VcId, Arc<str>> {
        (0..2 * self.flows.len()).map(|vc| self.vc_name(VcId::from_index(vc)).into()).collect()
    }

    /// The names of the sources of datagrams in the order of the scenario.
    pub(super) fn udp(&self) -> impl Iterator<Item = &str> {
        (self.flow_count..self.flows.len()).map(|source| self.flows.get(source))
    }

    pub(super) fn vc_name(&self, vc: VcId) -> Cow<'_, str> {
        let (flow, end): (usize, End) = flow::end_of(vc);
        match self.backs.get(&flow).filter(|_| end == End::Sender) {
            Some(&back) => self.flows.get(back).into(),
            None => flow::vc_name(self.flows.get(flow), end),
        }
    }
}
