//! Hosts at two switches, and all links of one rate.
//! Source: [SACK-UBR] Fig 5.

use super::{Flows, MadeFlow, Topology, Trunk};

pub(super) const TOPOLOGY: Topology = Topology {
    name: "n-source",
    about: "hosts s1 to sN and d1 to dN at two switches sw1 and sw2, with links of one rate",
    uses: &["sources", "rate", "access_delay", "trunk_delay"],
    access_rate: "rate",
    bottleneck: Some("sw1->sw2"),
    one_destination: false,
    defaults: &[],
    flows: |given| {
        Some(Flows { switches: 2, flows: MadeFlow::several('f', given.integer("sources")?, 1, 2).collect() })
    },
    trunks: |given| Some(Trunk::chain([(given.rate("rate")?, given.span("trunk_delay")?)])),
};
