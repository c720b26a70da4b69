//! The hosts of a network, and its flows while it is paused: all processes are at the same instant then.

use super::hosts::Hosts;
use super::{Batched, LogicalProcess};
use crate::net::flow::Action;
use crate::net::two_way::TwoWay;
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

    /// The connections with data in both directions: their ends are where data is sent.
    pub(super) fn two_way(&self) -> &TwoWay {
        match &self.processes[self.sources] {
            LogicalProcess::Hosts(hosts) => hosts.two_way(),
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

    pub(super) fn hosts(&self) -> impl Iterator<Item = &Hosts> {
        self.processes.iter().filter_map(|process| match process {
            LogicalProcess::Hosts(hosts) => Some(&**hosts),
            _ => None,
        })
    }

    pub(super) fn hosts_mut(&mut self) -> impl Iterator<Item = &mut Hosts> {
        self.processes.iter_mut().filter_map(|process| match process {
            LogicalProcess::Hosts(hosts) => Some(&mut **hosts),
            _ => None,
        })
    }
}
