//! What a folder of results holds, by its marker.

use serde::{Deserialize, Serialize};

/// The name of the marker.
pub const MARKER: &str = ".ackclock";

/// What a folder holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    /// The result of `run`.
    Run,
    /// Runs and report of a study, by `reproduce`.
    Reproduction,
    /// Runs and tables of a sweep, by `sweep` and `merge`.
    Sweep,
}

impl Holds {
    /// In words: `the result of ...`.
    pub fn in_words(self) -> &'static str {
        match self {
            Holds::Run => "the result of `ackclock run`",
            Holds::Reproduction => "a study of `ackclock reproduce`",
            Holds::Sweep => "a sweep of `ackclock sweep`",
        }
    }
}
