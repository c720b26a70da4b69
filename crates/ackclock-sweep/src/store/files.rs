//! The names of the files in the folder of a sweep.

use crate::write;

/// The finished runs.
pub(crate) const LEDGER: &str = "runs.jsonl";
/// What was asked for.
pub(crate) const PLAN: &str = "sweep.json";

/// The files of a sweep that the program replaces.
pub(crate) fn own_files() -> Vec<&'static str> {
    [PLAN].into_iter().chain(write::TABLES).collect()
}
