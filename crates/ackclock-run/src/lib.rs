//! Many runs: one thread pool for every command, with progress, a flag that stops it, and an error for a run that panics.

mod job;
mod panics;
mod pool;
mod progress;

pub use job::{Job, Jobs};
pub use panics::is_of_a_run;
pub use pool::{Failure, Runs, run_all};
pub use progress::{ALMOST, Status};
