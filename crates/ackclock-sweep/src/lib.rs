//! Sweeps: one scenario under many values and seeds. From the points of an
//! [`ackclock_scenario::sweep::Sweep`] to runs, and from these to one table with a row for each run.
//!
//! One arrow, in steps: [`Checked`] loads every point and makes the [`Plan`]; [`Store`] holds the plan and the ledger of
//! finished runs in a folder; [`run_missing`] does what is not in it, or [`cluster`] has it done; [`merge()`] puts the folders of shards together; [`table`],
//! [`summary`] and [`report`] make tables and figures of what is there. A row has all numbers of a network, [`METRICS`], and the
//! measures that were asked for; of a small sweep the run as a result has it, too ([`kept_runs`]).

mod check;
pub mod cluster;
mod error;
mod estimate;
mod held;
mod merge;
mod metrics;
mod plan;
pub mod report;
mod results;
mod run;
mod shard;
mod size;
mod store;
pub mod summary;
pub mod table;
mod verify;
mod write;

pub use check::{Checked, Refused};
pub use error::Error;
pub use estimate::Estimate;
pub use merge::{Merged, merge, plan_of};
pub use metrics::METRICS;
pub use plan::until::{MetricWidth, Seeds, UntilCi};
pub use plan::{About, Key, Plan};
pub use results::pooled::{POOLED, Pooled};
pub use results::{Results, Status};
pub use run::{Options, missing, run_missing};
pub use shard::Shard;
pub use store::beside::{KeptRun, kept_runs, sweeps_beside};
pub use store::{Opened, Store};
pub use verify::verify;
