//! Two bottlenecks in a row: flows over both, and flows over the second only.
//! Source: docs/scenarios.md.

use super::{Fallback, Flows, MadeFlow, Topology, Trunk};

pub(super) const TOPOLOGY: Topology = Topology {
    name: "cascade",
    about: "the same as n-source with a second trunk from sw2 to sw3, which flows g1, g2, ... cross, too",
    uses: &["sources", "cross_sources", "rate", "access_delay", "trunk_delay", "second_rate"],
    access_rate: "rate",
    bottleneck: None,
    one_destination: false,
    defaults: &[("second_rate", Fallback::Rate, "that of `rate`")],
    flows: |given| {
        let cross = MadeFlow::several('g', given.integer("cross_sources")?, 2, 3);
        Some(Flows {
            switches: 3,
            flows: MadeFlow::several('f', given.integer("sources")?, 1, 3).chain(cross).collect(),
        })
    },
    trunks: |given| {
        let delay = given.span("trunk_delay")?;
        Some(Trunk::chain([(given.rate("rate")?, delay), (given.rate("second_rate")?, delay)]))
    },
};
