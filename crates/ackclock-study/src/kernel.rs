//! Runs on the TCP of a kernel: what they are asked of, and what is kept of them. Whoever calls this crate has the kernel.

use std::sync::atomic::AtomicBool;

use ackclock::record::Records;
use ackclock::scenario::Scenario;
use serde::{Deserialize, Serialize};

/// How often a live run is made until it is valid.
pub const TRIES: usize = 3;

/// What makes live runs, of several threads at a time if so many are asked for.
pub trait Kernel: Sync {
    /// What it does in another way than the scenario says, in sentences.
    ///
    /// # Errors
    /// If it cannot do what the scenario says.
    fn differences(&self, scenario: &Scenario) -> Result<Vec<String>, KernelError>;

    /// Makes one run, which takes as long as the scenario says, or until a second after the last byte of all files. `watch` is told
    /// the part of the run that is done. `None` if `stop` became true.
    ///
    /// # Errors
    /// If this machine lacks something, or does not let it go on.
    fn run(
        &self,
        scenario: &Scenario,
        seed: u64,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(f64),
    ) -> Result<Option<LiveRun>, KernelError>;
}

/// What came out of one live run.
#[derive(Clone, Debug)]
pub struct LiveRun {
    /// Its records, as of a simulation.
    pub records: Records,
    /// Whether it measures the machine, and not the scenario: it is made again.
    pub is_invalid: bool,
    /// How exact it was.
    pub exactness: Exactness,
}

/// How exact a live run was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exactness {
    /// The kernel, as `Linux 6.18.44`.
    pub kernel: String,
    /// Why it is degraded or invalid; of a valid run nothing.
    pub reasons: Vec<String>,
    /// What went wrong with connections.
    pub problems: Vec<String>,
    /// By how much 999 of 1000 packets were late at most, seconds.
    pub late_p999_s: Option<f64>,
    /// What the kernel does in another way than the scenario says.
    pub differences: Vec<String>,
}

/// Why there is no live run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelError {
    /// What is wrong, in a sentence.
    pub message: String,
    /// What to do about it.
    pub help: String,
}
