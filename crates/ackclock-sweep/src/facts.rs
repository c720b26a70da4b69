//! What has to be known of a scenario to make a row of a run of it.

use ackclock::scenario::{Flow, Scenario};
use ackclock::units::{Span, Time};

/// What has to be known of a scenario to make a row of a run of it.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The name of the bottleneck's port.
    pub(crate) bottleneck: Option<String>,
    /// When each flow with a size begins; `None` of the others, and where it depends on the seed.
    pub(crate) files: Vec<Option<Time>>,
}

impl Facts {
    /// Of this scenario.
    pub fn of(scenario: &Scenario) -> Facts {
        let start = |flow: &Flow| (flow.size.is_some() && flow.start_jitter == Span::ZERO).then_some(flow.start);
        Facts {
            bottleneck: scenario.bottleneck.as_ref().map(|bottleneck| scenario.links[bottleneck.link].name.clone()),
            files: scenario.flows.iter().map(start).collect(),
        }
    }
}
