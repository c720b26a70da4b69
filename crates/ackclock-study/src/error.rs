//! What can go wrong outside: folders, files, data.

use std::fmt;
use std::io;
use std::path::PathBuf;

use ackclock_scenario::LoadError;
use ackclock_store::StoreError;

use crate::kernel::{KernelError, TRIES};

/// Why a study could not be reproduced. A difference from the published numbers is no error: it is in the report.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names of the fields say what they are")]
pub enum Error {
    /// There is no study of this name.
    UnknownStudy { name: String, known: Vec<String> },
    /// The study has no card of this name.
    UnknownCard { card: String, study: String, known: Vec<String> },
    /// Nothing of the study runs live; of these something does.
    NothingLive { study: String, live: Vec<&'static str> },
    /// The kernel, or what is between it and this program, does not do what a live run asks.
    Kernel(KernelError),
    /// So many live runs measured the machine and not the scenario, again and again; why, of the last one.
    Invalid { runs: usize, of: usize, reasons: String },
    /// No seeds were asked for: nothing would be run.
    NoSeeds,
    /// The embedded data of a study, a file within `studies/`, contradict themselves: a defect of the program.
    Data { file: String, message: String },
    /// A scenario within `studies/`, with what was set in it as `path=value`, is refused: a defect of the program.
    Scenario { file: String, sets: Vec<String>, error: LoadError },
    /// A run of such a scenario broke an invariant of the simulator: a defect of the program.
    Run { file: String, sets: Vec<String>, seed: u64, message: String },
    /// A file or folder of results cannot be read or written (permissions, full disk).
    Results { path: PathBuf, error: io::Error },
    /// The folder is not for this, is in use, or cannot be written to.
    Store(StoreError),
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        Error::Store(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownStudy { name, known } => {
                write!(f, "there is no study named \"{name}\"; there are: {}", known.join(", "))
            }
            Error::UnknownCard { card, study, known } => {
                write!(f, "the study {study} has no card named \"{card}\"; it has: {}", known.join(", "))
            }
            Error::NothingLive { study, live } => {
                write!(f, "nothing of the study {study} runs live; of these something does: {}", live.join(", "))
            }
            Error::Kernel(error) => write!(f, "{}", error.message),
            Error::Invalid { runs, of, reasons } => write!(
                f,
                "{runs} of {of} runs were invalid {TRIES} times: they measured this machine and not the scenario: {reasons}"
            ),
            Error::NoSeeds => write!(f, "a study needs at least one seed"),
            Error::Data { file, message } => write!(f, "studies/{file}: {message}"),
            Error::Scenario { file, sets, error } => {
                write!(f, "studies/{file}{}: {}", Settings(sets), LoadErrorText(error))
            }
            Error::Run { file, sets, seed, message } => {
                write!(f, "studies/{file}{}, seed {seed}: the run failed: {message}", Settings(sets))
            }
            Error::Results { path, error } => write!(f, "{}: {error}", path.display()),
            Error::Store(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Error {}

/// What was set, as a user would type it.
struct Settings<'a>(&'a [String]);

impl fmt::Display for Settings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|set| write!(f, " --set '{set}'"))
    }
}

/// All that is wrong with a scenario, on one line.
struct LoadErrorText<'a>(&'a LoadError);

impl fmt::Display for LoadErrorText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            LoadError::Unreadable { path, error } => write!(f, "{path}: {error}"),
            LoadError::Invalid(diagnostics) => {
                let messages: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
                write!(f, "{}", messages.join("; "))
            }
        }
    }
}
