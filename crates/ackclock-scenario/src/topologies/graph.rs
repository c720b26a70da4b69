//! Nothing but the tables of the file.
//! Source: docs/scenarios.md.

use super::{Flows, Topology};

pub(super) const TOPOLOGY: Topology = Topology {
    name: "graph",
    about: "[node] and [link] tables",
    uses: &[],
    access_rate: "access_rate",
    bottleneck: None,
    one_destination: false,
    defaults: &[],
    flows: |_| Some(Flows { switches: 0, flows: Vec::new() }),
    trunks: |_| Some(Vec::new()),
};
