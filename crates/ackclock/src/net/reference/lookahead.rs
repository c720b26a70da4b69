//! When a frame arrives at the earliest: until then whoever drives the engine in real time has nothing to do.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Reference;
use super::build::Output;
use crate::ids::{Id, IdVec, LinkId, NodeId};
use crate::net::routes::far_ends;
use crate::scenario::{NodeKind, Scenario, Technology};
use crate::units::{Span, Time};

/// For each link the least time from when the transmission of a unit on it is complete until it is at a host, wherever it goes.
#[derive(Clone, Debug)]
pub struct LeastTimes {
    /// Its delay, and what comes after it.
    links: IdVec<LinkId, (Span, Span)>,
}

impl LeastTimes {
    /// Those of a scenario.
    pub fn new(scenario: &Scenario) -> LeastTimes {
        // Dijkstra's algorithm from all hosts at once, against the direction of the links.
        let mut to_host: IdVec<NodeId, Span> = scenario.nodes.iter().map(|_| Span::from_ps(u64::MAX)).collect();
        let mut into: IdVec<NodeId, Vec<(NodeId, Span)>> = scenario.nodes.iter().map(|_| Vec::new()).collect();
        for link in scenario.links.iter() {
            let unit = match scenario.technology {
                Technology::Atm { .. } => link.rate.cell_time(),
                Technology::Packet { .. } => Span::ZERO,
            };
            let time = unit + link.params.least_delay(link.delay);
            far_ends(link).for_each(|node| into[node].push((link.from, time)));
        }
        let mut open = BinaryHeap::new();
        for (node, _) in scenario.nodes.iter_ids().filter(|(_, node)| node.kind == NodeKind::Host) {
            to_host[node] = Span::ZERO;
            open.push(Reverse((Span::ZERO, node.index())));
        }
        while let Some(Reverse((time, node))) = open.pop() {
            let node = NodeId::from_index(node);
            if time > to_host[node] {
                continue;
            }
            for &(before, link) in &into[node] {
                // Hosts do not forward.
                if scenario.nodes[before].kind == NodeKind::Switch && time + link < to_host[before] {
                    to_host[before] = time + link;
                    open.push(Reverse((time + link, before.index())));
                }
            }
        }
        let of_link = |link| {
            let after = far_ends(link).map(|node| to_host[node]).min().unwrap_or(Span::ZERO);
            (link.params.least_delay(link.delay), after)
        };
        LeastTimes { links: scenario.links.iter().map(of_link).collect() }
    }
}

impl Reference {
    /// No frame arrives at the end of a connection before then, unless one is handed down until then.
    pub fn next_arrival(&self, least: &LeastTimes) -> Time {
        let of_link = |(id, link): (LinkId, &super::build::Link)| {
            let (delay, after) = least.links[id];
            let under_way =
                self.under_way[id].iter().find(|unit| unit.unit.pti.eom()).map(|unit| unit.time.saturating_add(after));
            let event = self.event_tree.of(self.media.output_of(id).index());
            let departs = match &link.output {
                Output::Cells(port) => {
                    port.cells_before_end_of_frame().map(|cells| event + link.cell_time * u64::from(cells + 1))
                }
                Output::Nic(..) | Output::Packets(_) | Output::Scheduler(_) => {
                    Some(event).filter(|&event| event < Time::NEVER)
                }
                Output::PassThrough(_) => None,
            };
            let departs = departs.map(|departs| departs.saturating_add(delay).saturating_add(after));
            under_way.into_iter().chain(departs).min().unwrap_or(Time::NEVER)
        };
        self.links.iter_ids().map(of_link).min().unwrap_or(Time::NEVER)
    }
}
