//! The network: hosts, ports and links, and the two engines that drive them. Read `reference` first: it is the
//! specification. docs/engine.md explains what `batched` does differently, and why the result is the same.

mod abr;
mod batched;
mod build;
mod ends;
mod feedback;
mod flow;
mod host_traces;
mod last_hops;
mod link;
mod lists;
mod nic;
mod packet_port;
mod path_delays;
mod port_stats;
mod queue_monitor;
mod randomness;
mod recorder;
mod reference;
mod routes;
mod two_way;

pub use batched::{Batched, Fusing};
pub use flow::Action;
pub use randomness::has_randomness;
pub use recorder::{Recorded, Recorder};
pub use reference::{Connection, LeastTimes, Passed, Reference};

use crate::record::MaxMinShare;
use crate::scenario::Scenario;

/// The max-min share of each flow of TCP, where some port gives rates to flows of TCP.
pub fn max_min_shares(scenario: &Scenario) -> Vec<Option<MaxMinShare>> {
    feedback::max_min(scenario)
}
