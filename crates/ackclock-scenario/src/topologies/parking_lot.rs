//! A flow over all trunks of a chain, and one over each.
//! Source: docs/scenarios.md.

use super::{Fallback, Flows, MadeFlow, Topology, Trunk};

pub(super) const TOPOLOGY: Topology = Topology {
    name: "parking-lot",
    about: "a chain of switches with several bottlenecks, a flow A over all and one over each",
    uses: &["switches", "rate", "access_delay", "trunk_delay", "access_rate"],
    access_rate: "access_rate",
    bottleneck: None,
    one_destination: false,
    defaults: &[("access_rate", Fallback::Rate, "that of `rate`")],
    flows: |given| {
        let switches = usize::try_from(given.integer("switches")?).ok()?;
        let one_link = (1..switches).map(|at| MadeFlow::new(format!("B{at}"), at, at + 1));
        Some(Flows { switches, flows: [MadeFlow::new("A", 1, switches)].into_iter().chain(one_link).collect() })
    },
    trunks: |given| {
        let trunks = usize::try_from(given.integer("switches")?).ok()? - 1;
        Some(Trunk::chain(std::iter::repeat_n((given.rate("rate")?, given.span("trunk_delay")?), trunks)))
    },
};
