//! Hosts at one switch that all send to one host (incast).
//! Source: docs/scenarios.md.

use super::{Flows, MadeFlow, Topology};

pub(super) const TOPOLOGY: Topology = Topology {
    name: "star",
    about: "hosts s1 to sN and d1 at one switch sw1, where all flows go to d1",
    uses: &["sources", "rate", "access_delay"],
    access_rate: "rate",
    bottleneck: Some("sw1->d1"),
    one_destination: true,
    defaults: &[],
    flows: |given| {
        Some(Flows { switches: 1, flows: MadeFlow::several('f', given.integer("sources")?, 1, 1).collect() })
    },
    trunks: |_| Some(Vec::new()),
};
