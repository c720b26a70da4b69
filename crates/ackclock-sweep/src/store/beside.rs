//! Runs that sweeps beside a folder keep: what one command simulated is not simulated again by another. A run is the same if its
//! key is: a hash of the resolved scenario, the seed and the version of results.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ackclock::measure::Expression;
use ackclock_store::document::Run;
use ackclock_store::{Key, Ledger, MARKER};

use super::files::{LEDGER, PLAN};
use crate::results::row::Row;

/// A run as a result has it, and the folder of the sweep that keeps it.
#[derive(Clone, Debug)]
pub struct KeptRun {
    /// The run, with no measures but those that were asked for.
    pub run: Run,
    /// Where it is kept.
    pub folder: PathBuf,
}

/// Those of the runs with these keys that the sweeps in these folders keep with all of these measures, in the order of their seeds.
/// What cannot be read is left out: the runs in it are simulated.
pub fn kept_runs(sweeps: &[PathBuf], keys: &BTreeSet<Key>, measures: &[Expression]) -> Vec<KeptRun> {
    let mut found: BTreeMap<Key, KeptRun> = BTreeMap::new();
    for sweep in sweeps {
        let is_wanted = |key: &Key| keys.contains(key);
        let _ = Ledger::read_wanted(&sweep.join(LEDGER), is_wanted, |key, row: Row| {
            let Some(mut run) = row.document.map(|run| *run) else { return };
            if measures.iter().all(|measure| run.measures.contains_key(measure.text())) {
                run.measures.retain(|text, _| measures.iter().any(|measure| measure.text() == text));
                found.insert(key, KeptRun { run, folder: sweep.clone() });
            }
        });
    }
    let mut runs: Vec<KeptRun> = found.into_values().collect();
    runs.sort_by_key(|kept| kept.run.seed);
    runs
}

/// The folders of sweeps in the folder around this one, which is not among them, by name.
pub fn sweeps_beside(folder: &Path) -> Vec<PathBuf> {
    let Ok(own) = fs::canonicalize(folder) else { return Vec::new() };
    // As the user wrote it, if that names the folder around it.
    let around = match (folder.file_name(), folder.parent()) {
        (Some(_), Some(parent)) if parent == Path::new("") => Path::new("."),
        (Some(_), Some(parent)) => parent,
        _ => own.parent().unwrap_or(&own),
    };
    let is_sweep = |path: &PathBuf| [MARKER, PLAN, LEDGER].iter().all(|name| path.join(name).is_file());
    let is_other = |path: &PathBuf| fs::canonicalize(path).is_ok_and(|path| path != own);
    let entries = fs::read_dir(around).into_iter().flatten().flatten().map(|entry| around.join(entry.file_name()));
    let mut sweeps: Vec<PathBuf> = entries.filter(is_sweep).filter(is_other).collect();
    sweeps.sort_unstable();
    sweeps
}
