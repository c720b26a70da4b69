//! Many runs: one thread pool for every command ([`run_all`]), with progress, a flag that stops it, and an error for a run that
//! panics; and the folder in which the runs of a scenario are kept as they end, so that the same command goes on from them
//! ([`Folder`]).

mod error;
mod estimate;
mod folder;
mod job;
mod pool;
mod progress;
mod unfinished;
mod verify;

pub use error::KeepError;
pub use estimate::{Estimate, document_bytes, most_crossings, network_bytes, run_bytes};
pub use folder::Folder;
pub use job::{Job, Jobs, Load};
pub use pool::{End, Failure, Runs, run_all, run_each};
pub use progress::{ALMOST, Status};
pub use unfinished::Wanted;
pub use verify::verify;
