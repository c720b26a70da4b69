//! Hosts at two switches, whose link has a rate and a delay of its own.
//! Source: docs/scenarios.md.

use super::{Topology, Trunk, n_source};

pub(super) const TOPOLOGY: Topology = Topology {
    name: "dumbbell",
    about: "the same, with another rate and delay between the switches",
    uses: &["sources", "access_delay", "access_rate", "bottleneck_rate", "bottleneck_delay"],
    access_rate: "access_rate",
    bottleneck: Some("sw1->sw2"),
    one_destination: false,
    defaults: &[],
    flows: n_source::TOPOLOGY.flows,
    trunks: |given| Some(Trunk::chain([(given.rate("bottleneck_rate")?, given.span("bottleneck_delay")?)])),
};
