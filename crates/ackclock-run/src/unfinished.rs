//! Runs that are finished while their result is not: each is kept as it ends, in a folder of its own within the result
//! folder. With the result, what they recorded is moved to its place and the rest is taken away. What is there survives
//! the end of the process, however it ends, and the same command goes on from it.
//!
//! The numbers of a run are a line of a ledger, written when all that it recorded has reached the disk. What is recorded
//! is of three kinds, tables, captures, and the parts of a run of many flows, each with one folder for each seed; all are kept in
//! the same way.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ackclock::record::{Metric, Records};
use ackclock::scenario::Scenario;
use ackclock::sim::RESULT_VERSION;
use ackclock_report::captures;
use ackclock_report::captures::pcapng::{Meta, Real};
use ackclock_store::document::{Document, Run, ScenarioPart};
use ackclock_store::flows::parts::MOST_IN_DOCUMENT;
use ackclock_store::result::UNFINISHED;
use ackclock_store::tables::{self, Origin, TableError};
use ackclock_store::{Damage, Key, Ledger, Problem, StoreError, files, flows};

use crate::KeepError;

/// The finished runs of a scenario whose result is not written yet.
#[derive(Debug)]
pub struct Unfinished {
    result: PathBuf,
    path: PathBuf,
    /// There once a run is in it.
    ledger: Mutex<Option<Ledger>>,
    /// Whether another process has the folder now, so that nothing is removed.
    is_left: bool,
}

/// What the runs of a scenario record.
#[derive(Debug)]
pub struct Wanted {
    tables: bool,
    /// What captures have to know of the scenario, which is gone when they are written.
    captures: Option<Meta>,
    /// Whether flows are so many that they have files.
    flows: bool,
}

impl Wanted {
    /// What the runs of this scenario record; `part` is what the result says of it.
    pub fn of(scenario: &Scenario, part: &ScenarioPart) -> Wanted {
        let recording = &scenario.recording;
        Wanted {
            tables: !recording.metrics.is_empty(),
            captures: (!recording.captures.is_empty()).then(|| Meta::of(scenario, &part.hash)),
            flows: scenario.flows.len() + scenario.udp.len() > MOST_IN_DOCUMENT,
        }
    }

    /// The same of runs between real hosts.
    pub fn between(mut self, hosts: Real) -> Wanted {
        if let Some(meta) = &mut self.captures {
            meta.real = Some(hosts);
        }
        self
    }

    #[cfg(test)]
    pub(crate) fn nothing() -> Wanted {
        Wanted { tables: false, captures: None, flows: false }
    }

    /// Whether all that a run recorded is in these folders, whole. Tables and captures may be in different ones: a process may have been
    /// stopped while they were moved.
    fn is_kept(&self, places: &[&Path], document: &Document, run: &Run) -> bool {
        let tables = |at: &&Path| tables::of_run(at, document, run).and_then(|tables| tables.verify()).is_ok();
        let captures = |at: &&Path| captures::are_whole(at, document, run);
        (!self.tables || places.iter().any(tables)) && (self.captures.is_none() || places.iter().any(captures))
    }

    /// Whether the numbers of a run are all of it: nothing is recorded, and it has no files.
    pub fn is_nothing(&self) -> bool {
        !self.tables && self.captures.is_none() && !self.flows
    }

    /// Whether the parts of its runs are in files.
    pub fn has_many_flows(&self) -> bool {
        self.flows
    }

    /// Where the captures of the result in this folder are, if there are any.
    pub fn captures_in(&self, result: &Path) -> Option<PathBuf> {
        self.captures.is_some().then(|| result.join(captures::FOLDER))
    }
}

impl Unfinished {
    /// What is kept of a scenario in a result folder.
    pub fn of(result: &Path, part: &ScenarioPart) -> Unfinished {
        let path = result.join(UNFINISHED).join(&part.hash[..part.hash.len().min(HASH_DIGITS)]);
        Unfinished { result: result.to_path_buf(), path, ledger: Mutex::new(None), is_left: false }
    }

    /// The runs that were finished before under these seeds, with all that they recorded, in the order of the seeds; and
    /// what of the ledger cannot be used.
    pub fn finished_before(
        &self,
        wanted: &Wanted,
        part: &ScenarioPart,
        seeds: &RangeInclusive<u64>,
    ) -> Result<(Vec<Run>, Damage), StoreError> {
        let path = self.path.join(LEDGER);
        if !path.exists() {
            return Ok((Vec::new(), Damage::default()));
        }
        let (ledger, runs, damage): (_, BTreeMap<Key, Run>, _) = Ledger::open(&path)?;
        *self.ledger() = Some(ledger);
        let document = Document::new(Vec::new(), part.clone(), Vec::new(), Vec::new());
        // After Ctrl-C, what was recorded is with the numbers that were finished until then.
        let is_kept = |run: &Run| wanted.is_kept(&[&self.path, &self.result], &document, run);
        let of_scenario = Key::of_scenario(&part.resolved, RESULT_VERSION);
        // Of this scenario, not only in its folder. What is there is looked at, and not what might be.
        let is_of = |(key, run): &(Key, Run)| {
            seeds.contains(&run.seed) && *key == of_scenario.with_seed(run.seed, RESULT_VERSION)
        };
        let with_parts = |mut run: Run| match run.parts.is_empty() {
            true => Some(run),
            false => [&self.path, &self.result].iter().any(|at| flows::fill(at, &mut run).is_ok()).then_some(run),
        };
        let kept = runs.into_iter().filter(is_of).map(|(_, run)| run).filter(is_kept);
        let mut finished: Vec<Run> = kept.filter_map(with_parts).collect();
        finished.sort_by_key(|run| run.seed);
        Ok((finished, damage))
    }

    /// Whether a run that is kept now makes files or folders.
    pub fn makes_files(&self, wanted: &Wanted) -> bool {
        wanted.tables || wanted.captures.is_some() || wanted.flows || self.ledger().is_none()
    }

    /// Keeps what a run recorded, and its numbers in the ledger. May be called from several threads, once for each seed. Returns the
    /// run with the names of its files, if it has some.
    pub fn keep(&self, wanted: &Wanted, part: &ScenarioPart, run: Run, records: &Records) -> Result<Run, KeepError> {
        let run = self.keep_recorded(wanted, part, run, records)?;
        let mut ledger = self.ledger();
        let mut append = || -> Result<(), StoreError> {
            if ledger.is_none() {
                files::create_folder(&self.path).map_err(|error| StoreError::io(&self.path, error))?;
                let (new, _, _): (_, BTreeMap<Key, Run>, _) = Ledger::open(&self.path.join(LEDGER))?;
                *ledger = Some(new);
            }
            let ledger = ledger.as_mut().expect("it was opened above");
            let key = Key::of_scenario(&part.resolved, RESULT_VERSION).with_seed(run.seed, RESULT_VERSION);
            ledger.append(&key, &*run.kept())
        };
        append()?;
        Ok(run)
    }

    /// Keeps what a run recorded. Without its numbers no command resumes from it: for a result that is written next. Returns the run
    /// with the names of its files, if it has some.
    pub fn keep_recorded(
        &self,
        wanted: &Wanted,
        part: &ScenarioPart,
        mut run: Run,
        records: &Records,
    ) -> Result<Run, KeepError> {
        // What a killed process left of this seed was not finished.
        for kind in KINDS {
            let _ = fs::remove_dir_all(self.recorded(kind, run.seed));
        }
        let captured = || match &wanted.captures {
            Some(meta) => self.keep_captures(meta, part, &run, records),
            None => Ok(()),
        };
        let kept = self.keep_tables(wanted, part, &run, records).and_then(|()| captured());
        let kept = kept.and_then(|()| self.keep_flows(part, &mut run, records));
        if kept.is_err() {
            // Half of a run is of no use, and the disk may be full.
            for kind in KINDS {
                let _ = fs::remove_dir_all(self.recorded(kind, run.seed));
            }
        }
        kept.map(|()| run)
    }

    fn keep_tables(&self, wanted: &Wanted, part: &ScenarioPart, run: &Run, records: &Records) -> Result<(), KeepError> {
        if !wanted.tables {
            return Ok(());
        }
        let folder = self.recorded(tables::FOLDER, run.seed);
        let written = tables::write(&folder, &records.series, &Origin::of(part, run));
        written.map_err(|error| self.cannot_write(tables::FOLDER, run.seed, error))
    }

    fn keep_flows(&self, part: &ScenarioPart, run: &mut Run, records: &Records) -> Result<(), KeepError> {
        if records.flows.len() + records.udp.len() > MOST_IN_DOCUMENT {
            let written = flows::write(&flows::folder_of(&self.path, run.seed), part, run, records);
            run.parts = written.map_err(|error| self.cannot_write(flows::FOLDER, run.seed, error))?;
        }
        Ok(())
    }

    fn keep_captures(&self, meta: &Meta, part: &ScenarioPart, run: &Run, records: &Records) -> Result<(), KeepError> {
        let folder = self.recorded(captures::FOLDER, run.seed);
        captures::write(&folder, &records.captures, meta, part, run)
            .map_err(|cause| self.cannot_keep(captures::FOLDER, run.seed, cause))
    }

    /// Moves what was kept of the runs of a result to its final place, where it replaces what an earlier result left.
    pub fn take_over(&self, document: &Document) -> io::Result<()> {
        let is_there = |(kind, seed): &(&str, u64)| self.recorded(kind, *seed).exists();
        let all = KINDS.into_iter().flat_map(|kind| document.runs.iter().map(move |run| (kind, run.seed)));
        let recorded: Vec<(&str, u64)> = all.filter(is_there).collect();
        // What needs room on the disk comes first: nothing is replaced before.
        for (kind, _) in &recorded {
            files::create_folder(&self.result.join(kind))?;
        }
        for (kind, seed) in recorded {
            let place = self.result.join(kind).join(tables::seed_folder(seed));
            if place.exists() {
                fs::remove_dir_all(&place)?;
            }
            fs::rename(self.recorded(kind, seed), place)?;
        }
        Ok(())
    }

    /// Takes away what is not of the result that has been written: what earlier ones recorded, and unfinished runs.
    pub fn remove_others(&self, document: &Document) {
        *self.ledger() = None;
        // Best effort, here and below: readers of what is left check that it is of the result.
        let _ = fs::remove_dir_all(self.result.join(UNFINISHED));
        for kind in KINDS {
            let all = self.result.join(kind);
            for entry in fs::read_dir(&all).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let run = document.runs.iter().find(|run| tables::seed_folder(run.seed) == name);
                let belongs = run.is_some_and(|run| match kind {
                    captures::FOLDER => captures::belong(&self.result, document, run),
                    flows::FOLDER => !run.parts.is_empty(),
                    _ => tables::of_run(&self.result, document, run).is_ok(),
                });
                if name.starts_with(SEED) && !belongs && is_recorded(kind, &entry.path()) {
                    let _ = fs::remove_dir_all(entry.path());
                }
            }
            // Fails where something is inside, as it should.
            let _ = fs::remove_dir(all);
        }
    }

    /// Makes sure that what would be replaced or removed of what runs recorded holds nothing else.
    pub fn check_recorded(&self) -> Result<(), StoreError> {
        for kind in KINDS {
            for entry in fs::read_dir(self.result.join(kind)).into_iter().flatten().flatten() {
                let path = entry.path();
                if entry.file_name().to_string_lossy().starts_with(SEED) && !is_recorded(kind, &path) {
                    return Err(StoreError::new(&path, Problem::NotOurs));
                }
            }
        }
        Ok(())
    }

    /// Makes sure that finished runs have reached the disk.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.ledger().as_mut().map_or(Ok(()), Ledger::sync)
    }

    /// From here on nothing is removed: the folder is another's.
    pub fn leave(&mut self) {
        self.is_left = true;
    }

    /// Where something of a seed is until the result is there.
    fn recorded(&self, kind: &str, seed: u64) -> PathBuf {
        self.path.join(kind).join(tables::seed_folder(seed))
    }

    /// A thread that panicked while it held the ledger left a line that is cut off at most.
    fn ledger(&self) -> MutexGuard<'_, Option<Ledger>> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cannot_write(&self, kind: &'static str, seed: u64, error: TableError) -> KeepError {
        match error.problem {
            tables::Problem::Io(cause) => self.cannot_keep(kind, seed, cause),
            _ => KeepError::Tables(error),
        }
    }

    fn cannot_keep(&self, kind: &'static str, seed: u64, cause: io::Error) -> KeepError {
        KeepError::Recorded { kind, seed, folder: self.result.clone(), cause }
    }
}

/// What no command can resume from does not stay.
impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.is_left && self.ledger().is_none() {
            let _ = fs::remove_dir_all(&self.path);
            // Fails where unfinished runs of another scenario are inside, as it should.
            let _ = fs::remove_dir(self.result.join(UNFINISHED));
        }
    }
}

/// Whether a folder holds nothing but what a run recorded.
pub(crate) fn is_recorded(kind: &str, path: &Path) -> bool {
    let ours = |name: &str| match name.rsplit_once('.') {
        _ if kind == flows::FOLDER => flows::is_of_run(name),
        Some((metric, "parquet")) => kind == tables::FOLDER && Metric::named(metric).is_some(),
        Some((_, "pcapng")) => kind == captures::FOLDER,
        _ => name == tables::INDEX,
    };
    let is_ours = |entry: fs::DirEntry| {
        entry.file_type().is_ok_and(|kind| kind.is_file()) && ours(&entry.file_name().to_string_lossy())
    };
    fs::read_dir(path).is_ok_and(|entries| entries.flatten().all(is_ours))
}

/// The folders of a result that hold what its runs recorded.
pub(crate) const KINDS: [&str; 3] = [tables::FOLDER, captures::FOLDER, flows::FOLDER];
pub(crate) const SEED: &str = "seed-";
pub(crate) const LEDGER: &str = "runs.jsonl";
const HASH_DIGITS: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_with_other_files_are_not_taken_for_recorded() {
        let place = std::env::temp_dir().join(format!("ackclock-{}-recorded", std::process::id()));
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(&place).unwrap();
        let holds = |name: &str, kind| {
            fs::write(place.join(name), "").unwrap();
            let recorded = is_recorded(kind, &place);
            fs::remove_file(place.join(name)).unwrap();
            recorded
        };
        assert!(holds("cwnd.parquet", tables::FOLDER) && holds("index.json", tables::FOLDER));
        assert!(holds("s1.pcapng", captures::FOLDER) && holds("index.json", captures::FOLDER));
        for (name, kind) in [
            ("measured.parquet", tables::FOLDER),
            ("cwnd.csv", tables::FOLDER),
            ("s1.pcapng", tables::FOLDER),
            ("cwnd.parquet", captures::FOLDER),
            ("notes", captures::FOLDER),
        ] {
            assert!(!holds(name, kind), "{name} in {kind}");
        }
        fs::create_dir(place.join("cwnd.parquet")).unwrap();
        assert!(!is_recorded(tables::FOLDER, &place), "a folder");
        fs::remove_dir_all(place).unwrap();
    }
}
