//! What is kept of a reproduction: the folder, and the ledger of finished runs in it.

use std::collections::BTreeMap;
use std::path::Path;

use ackclock_store::{Damage, Holds, Key, Ledger, ResultFolder};

use crate::error::Error;
use crate::measure::Row;
use crate::progress::Progress;
use crate::report::files::FILES;

/// Finished runs, in memory and on disk.
pub(crate) struct StoredRuns {
    folder: ResultFolder,
    ledger: Ledger,
    runs: BTreeMap<Key, Row>,
    /// Checksums of lines of the ledger that are damaged.
    damaged: Vec<String>,
}

impl StoredRuns {
    /// Takes the folder, which is made if it is not there, and reads what is in its ledger.
    pub fn open(folder: &Path, progress: &dyn Progress) -> Result<StoredRuns, Error> {
        let folder = ResultFolder::take(folder, Holds::Reproduction, &FILES, &mut |owner| {
            progress.noted(&format!(
                "process {} on {} used the folder last: checking for ten seconds whether it still does",
                owner.process, owner.machine
            ));
        })?;
        let (ledger, runs, damage): (_, _, Damage) = Ledger::open(&folder.path().join(LEDGER))?;
        if !damage.is_none() {
            progress.noted(&format!("warning: {damage}"));
        }
        Ok(StoredRuns { folder, ledger, runs, damaged: damage.checksums })
    }

    /// The folder, for the reports.
    pub fn folder(&mut self) -> &mut ResultFolder {
        &mut self.folder
    }

    pub fn run(&self, key: &Key) -> Option<&Row> {
        self.runs.get(key)
    }

    /// Adds a finished run. What was kept of it before and is not asked for now stays.
    pub fn append(&mut self, key: Key, mut run: Row) -> Result<(), Error> {
        self.folder.check()?;
        for (metric, value) in self.runs.get(&key).into_iter().flat_map(|before| &before.values) {
            run.values.entry(metric.clone()).or_insert(*value);
        }
        self.ledger.append(&key, &run)?;
        self.runs.insert(key, run);
        Ok(())
    }

    /// Notes that the runs in damaged lines were done again, with all others.
    pub fn note_mended(&mut self) -> Result<(), Error> {
        Ok(self.folder.note_mended(&self.damaged)?)
    }

    /// Makes sure that every run has reached the disk.
    pub fn sync(&mut self) -> Result<(), Error> {
        self.folder.check()?;
        Ok(self.ledger.sync()?)
    }
}

pub(crate) const LEDGER: &str = "runs.jsonl";
