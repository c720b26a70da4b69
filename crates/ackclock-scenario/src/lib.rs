//! Scenario files: text in, [`ackclock::scenario::Scenario`] out, or every error of the file at once.

use std::ops::Range;
use std::sync::Arc;

/// Where the texts of scenario files come from: a disk, or files embedded in a program.
pub trait Source {
    /// The bytes of the file at `path`.
    fn read(&self, path: &str) -> std::io::Result<Vec<u8>>;
    /// The path that `extends = "reference"` in the file `from` means.
    fn join(&self, from: &str, reference: &str) -> String;
}

/// The file system.
pub struct Disk;

/// A scenario that passed every check.
#[derive(Debug)]
pub struct Loaded {
    /// The scenario.
    pub scenario: ackclock::scenario::Scenario,
    /// The first seed (key `seed`).
    pub seed: u64,
    /// The scenario file with every key written out. Canonical: it does not depend on how the values were given
    /// (file, `extends`, `--set`, default), has no comments, and loads to the same scenario.
    pub resolved: String,
    /// The same with a comment at each key that says where its value comes from: `check --print`.
    pub annotated: String,
    /// What is probably not meant, though it can be run.
    pub warnings: Vec<Diagnostic>,
}

/// A scenario that cannot be used.
#[derive(Debug)]
pub enum LoadError {
    /// A file could not be read.
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// Everything that is wrong with the scenario, never empty.
    Invalid(Vec<Diagnostic>),
}

/// One thing wrong with a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where; `None` where a key is missing from a file that is empty of it.
    pub place: Option<Place>,
    /// A short text at the caret.
    pub label: String,
    /// What to do.
    pub help: Option<String>,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The scenario cannot be run.
    Error,
    /// It can, but probably is not meant so.
    Warning,
}

/// A place in a scenario file or in a `--set` argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The file's path, or `--set`.
    pub file: Arc<str>,
    /// Its whole text.
    pub text: Arc<str>,
    /// The bytes that are meant.
    pub span: Range<usize>,
}

/// Reads a scenario file, applies `sets` (each `path=value`), fills in defaults and checks everything.
pub fn load(_source: &dyn Source, _path: &str, _sets: &[String]) -> Result<Loaded, LoadError> {
    unimplemented!()
}

/// The JSON Schema (draft-07) of scenario files, from the same table that drives the checker.
pub fn json_schema() -> serde_json::Value {
    unimplemented!()
}
