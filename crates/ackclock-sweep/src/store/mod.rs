//! The folder of a sweep: its plan, the ledger of finished runs, and the tables that are made of them.

pub(crate) mod beside;
pub(crate) mod files;

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ackclock::sim::RESULT_VERSION;
use ackclock_store::{Damage, Holds, Key, Ledger, MARKER, Owner, ResultFolder, WholeFile, files as owned, seal};

use crate::error::Error;
use crate::plan::Plan;
use crate::results::pooled;
use crate::results::row::Row;
use crate::results::{Results, Status};
use crate::shard::Shard;
use crate::summary::{Baseline, Method};
use crate::write;
use beside::sweeps_beside;
use files::{LEDGER, PLAN, own_files};

/// The folder of a sweep, which this process uses alone.
#[derive(Debug)]
pub struct Store {
    folder: ResultFolder,
    kept: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    ledger: Ledger,
    results: Results,
}

/// The folder of a sweep that was looked at, before anything is written. Dropped as it is, it leaves the folder as it was: one that
/// was made goes again.
#[derive(Debug)]
pub struct Opened {
    folder: ResultFolder,
    before: Option<Plan>,
    /// `None` as long as there is none.
    ledger: Option<Ledger>,
    results: Results,
    /// Those of the results that are in other folders only.
    beside: Vec<(usize, Row)>,
}

impl Opened {
    /// What is there of the plan.
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// Takes over what sweeps beside the folder keep of the runs that are missing, without their documents. Returns how many runs.
    ///
    /// Some runs are done again all the same: in these it is looked at when the goodput settles.
    pub fn take_beside(&mut self) -> usize {
        let looked_at = self.results.looked_at();
        let mut missing = self.results.by_key();
        missing.retain(|_, run| self.results.status(*run) == Status::Missing && !looked_at.contains(run));
        if missing.is_empty() {
            return 0;
        }
        for sweep in sweeps_beside(self.folder.path()) {
            let is_wanted = |key: &Key| missing.contains_key(key);
            let _ = Ledger::read_wanted(&sweep.join(LEDGER), is_wanted, |key, row: Row| {
                let Some(run) = missing.get(&key).copied() else { return };
                let row = Row { document: None, settles_s: None, ..row };
                let is_open = self.results.status(run) == Status::Missing && self.beside.len() < MOST_FROM_BESIDE;
                if is_open && row.failed.is_none() {
                    self.results.set(run, row.clone());
                    // A row that lacks a measure is not taken.
                    if self.results.status(run) == Status::Finished {
                        self.beside.push((run, row));
                    }
                }
            });
        }
        self.beside.len()
    }

    /// Writes the plan, so that runs can follow. Tables of fewer or other runs stay until the new ones are whole.
    pub fn begin(self) -> Result<Store, Error> {
        let Opened { mut folder, before, ledger, results, beside } = self;
        let path = folder.path().to_path_buf();
        let plan = results.plan();
        let is_other = before.as_ref().is_some_and(|before| !before.is_same_sweep(plan));
        if is_other || results.count(Status::Missing) + results.count(Status::Failed) > 0 {
            folder.note_incomplete()?;
        }
        // First of all the ledger: where there is a plan, a ledger that is not there is gone.
        let mut ledger = match ledger {
            Some(ledger) => ledger,
            None => Ledger::open_each(&path.join(LEDGER), |_, _: Row| {})?.0,
        };
        for (run, row) in &beside {
            ledger.append(&plan.key(*run).expect("runs of refused points are not taken over"), row)?;
        }
        if before.as_ref() != Some(plan) {
            write_plan(&path, plan)?;
        }
        Ok(Store { folder, kept: Mutex::new(Kept { ledger, results }) })
    }
}

impl Store {
    /// The folder for a sweep where none is given: the same points have the same folder, and each shard has one of its own.
    pub fn default_path(plan: &Plan, shard: Shard) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
        let name: String = plan.scenario.chars().take(60).map(plain).collect();
        let part = match shard {
            Shard::WHOLE => String::new(),
            Shard { index, of } => format!("-{index}-of-{of}"),
        };
        Path::new("results").join(format!("{name}-sweep-{}{part}", plan.short_hash()))
    }

    /// Takes the folder, which is made if it is not there, and reads the runs in it that belong to the plan. `waits` is told of
    /// the process that used the folder last, if it has to be seen whether it still does.
    ///
    /// # Errors
    /// If the folder cannot be used, or holds a sweep over other keys, of another scenario or of another version.
    pub fn open(path: &Path, plan: Plan, mut waits: impl FnMut(&Owner)) -> Result<(Opened, Damage), Error> {
        let folder = ResultFolder::take(path, Holds::Sweep, &own_files(), &mut waits)?;
        let before = read_plan(path)?;
        if let Some(before) = &before {
            check_other(path, before, &plan)?;
        }
        for table in write::TABLES {
            folder.check_unchanged(table)?;
        }
        let mut results = Results::new(plan);
        let file = path.join(LEDGER);
        if !file.exists() {
            return Ok((Opened { folder, before, ledger: None, results, beside: Vec::new() }, Damage::default()));
        }
        let by_key = results.by_key();
        let (ledger, damage) = Ledger::open_each(&file, |key, row: Row| {
            if let Some(run) = by_key.get(&key) {
                results.set(*run, row);
            }
        })?;
        Ok((Opened { folder, before, ledger: Some(ledger), results, beside: Vec::new() }, damage))
    }

    /// Whether a folder of a sweep has a file of this name for itself.
    pub fn has_file(name: &str) -> bool {
        [LEDGER, MARKER].contains(&name) || own_files().contains(&name)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Keeps the row of a run. May be called from several threads.
    pub(crate) fn keep(&self, run: usize, row: Row) -> Result<(), Error> {
        self.folder.check()?;
        let mut kept = self.kept();
        let key = kept.results.plan().key(run).expect("runs of refused points are not run");
        kept.ledger.append(&key, &row)?;
        kept.results.set(run, row);
        Ok(())
    }

    /// Makes sure that every run has reached the disk.
    pub fn sync(&self) -> Result<(), Error> {
        Ok(self.kept().ledger.sync()?)
    }

    /// Notes that the runs in damaged lines of the ledger were done again, as all that were missing.
    pub fn note_mended(&mut self, damage: &Damage) -> Result<(), Error> {
        Ok(self.folder.note_mended(&damage.checksums)?)
    }

    /// Looks at what there is.
    pub fn with_results<T>(&self, look: impl FnOnce(&Results) -> T) -> T {
        look(&self.kept().results)
    }

    /// Writes the tables of the runs that there are: `table.parquet` and `table.csv`, a row for each run, `summary.csv`, a
    /// row for each point, and the figures `report.html` and `figure.svg`; with a baseline `differences.csv`.
    ///
    /// # Errors
    /// If they cannot be written; then those of before are as they were.
    pub fn write_tables(&mut self, method: Method, baseline: Option<Baseline>) -> Result<(), Error> {
        self.folder.check_now()?;
        let results = &mut self.kept.get_mut().unwrap_or_else(PoisonError::into_inner).results;
        pooled::fill(results, &self.folder.path().join(LEDGER))?;
        write::tables(&mut self.folder, results, method, baseline)
    }

    /// A thread that panicked while it held them left a line that is cut off at most.
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The plan in a folder, if there is one.
pub(crate) fn read_plan(folder: &Path) -> Result<Option<Plan>, Error> {
    let file = folder.join(PLAN);
    let unusable = |reason: String| Error::Plan { file: file.clone(), reason };
    let text = match owned::read(&file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(error.to_string())),
        Ok(text) => text,
    };
    Plan::parse(&text).map(Some).map_err(unusable)
}

/// Refuses a folder whose runs are of another scenario, over other keys, or of another version.
pub(crate) fn check_other(folder: &Path, before: &Plan, plan: &Plan) -> Result<(), Error> {
    let other = |because: String| Err(Error::Other { folder: folder.to_path_buf(), because });
    if !before.is_of_this_version() {
        let found = before.result_version;
        return other(match found == RESULT_VERSION {
            true => format!("another version of ackclock ({}) wrote it in another way", before.ackclock),
            false => format!("of result version {found}, and this program makes results of version {RESULT_VERSION}"),
        });
    }
    before.differs_from(plan).map_or(Ok(()), other)
}

fn write_plan(folder: &Path, plan: &Plan) -> Result<(), Error> {
    let file = folder.join(PLAN);
    let text = seal::to_text(plan);
    let write = || {
        let mut whole = WholeFile::create(&file)?;
        whole.write_all(text.as_bytes())?;
        whole.commit()
    };
    write().map_err(|error| Error::write(&file, error))
}

/// They are in memory until the sweep begins: a kilobyte each.
const MOST_FROM_BESIDE: usize = 100_000;
