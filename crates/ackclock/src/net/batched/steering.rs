//! The flows of a network that is paused: all processes are at the same instant.

use super::{Batched, LogicalProcess};
use crate::net::flow::Action;
use crate::record::Observation;

impl Batched {
    /// The name of a flow.
    pub fn flow_name(&self, flow: usize) -> &str {
        self.directory.flow(flow)
    }

    /// What is seen of a flow at the instant to which all processes have come.
    pub fn observe(&self, flow: usize) -> Observation {
        match &self.processes[self.sources] {
            LogicalProcess::Hosts(hosts) => hosts.observe(flow),
            _ => unreachable!("hosts send data"),
        }
    }

    /// Does something to a flow at this instant, and sends what it has then.
    pub fn steer(&mut self, flow: usize, action: Action) {
        match &mut self.processes[self.sources] {
            LogicalProcess::Hosts(hosts) => hosts.steer(flow, action, &mut self.io),
            _ => unreachable!("hosts send data"),
        }
    }
}
