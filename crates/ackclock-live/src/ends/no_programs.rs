//! Without the feature `bpf` the kernel gets no programs: flows have its own congestion controls, and no acknowledgement is seen.

use std::collections::BTreeMap;

use ackclock::ids::NodeId;
use ackclock::scenario::Scenario;
use ackclock::units::Time;

use super::trace::Acknowledged;
use crate::clock::Clock;
use crate::hosts::Host;
use crate::settings::FlowSettings;
use crate::{Addresses, LiveError};

/// Nothing is loaded: this program is built without the feature `bpf`.
pub struct CongestionControls;

impl CongestionControls {
    /// An error if a flow needs one.
    pub fn load(flows: &[FlowSettings]) -> Result<CongestionControls, LiveError> {
        match flows.iter().find(|flow| flow.algorithm.program.is_some()) {
            None => Ok(CongestionControls),
            Some(flow) => Err(LiveError::machine(
                format_args!("this program cannot load `{}` into the kernel", flow.algorithm.name),
                "build it with the feature `bpf` (docs/live-vegas-a.md), or simulate the scenario with `ackclock run`",
            )),
        }
    }

    /// What the kernel calls the congestion control of a flow.
    pub fn name<'a>(&'a self, _flow: usize, settings: &'a FlowSettings) -> &'a str {
        settings.algorithm.kernel
    }
}

/// Nothing is seen.
pub struct Acknowledgements;

impl Acknowledgements {
    /// Watches nothing.
    pub fn watch(_: &Scenario, _: &Addresses, _: &BTreeMap<NodeId, Host>) -> Acknowledgements {
        Acknowledgements
    }

    /// Nothing.
    pub fn drain(&mut self, _: Clock, _: impl FnMut(usize, Time, &Acknowledged)) {}

    /// They are not.
    pub fn are_seen(&self) -> bool {
        false
    }

    /// Acknowledgements that were not seen, though programs look at them: there are no programs.
    pub fn lost(&self) -> u64 {
        0
    }
}
