//! What runs recorded, written to the result folder as each run ends, under a name that is not final yet. With the
//! result it is moved to its place; without one it is taken away.
//!
//! There are two kinds of it, tables and captures, each with one folder for each seed; both go the same way.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;

use ackclock::record::Records;
use ackclock::scenario::Scenario;
use ackclock_results::document::{Document, Run, ScenarioPart};
use ackclock_results::pcapng::Meta;
use ackclock_results::tables::{self, Origin, Problem, TableError};
use ackclock_results::{captures, disk};

use crate::console;
use crate::failure::Failure;

/// The place for what is not final yet, in a result folder.
#[derive(Debug)]
pub struct Stage {
    /// The result folder.
    result: PathBuf,
    path: PathBuf,
}

/// What the runs of a scenario record.
#[derive(Debug)]
pub struct Wanted {
    tables: bool,
    /// What captures have to know of the scenario, which is gone when they are written.
    captures: Option<Meta>,
}

impl Wanted {
    /// What the runs of this scenario record; `part` is what the result says of it.
    pub fn of(scenario: &Scenario, part: &ScenarioPart) -> Wanted {
        let recording = &scenario.recording;
        Wanted {
            tables: !recording.metrics.is_empty(),
            captures: (!recording.captures.is_empty()).then(|| Meta::of(scenario, &part.hash)),
        }
    }

    /// Whether all that a run of the result in this folder recorded is there, whole.
    pub fn is_kept(&self, result: &Path, document: &Document, run: &Run) -> bool {
        let tables = || tables::of_run(result, document, run).and_then(|tables| tables.verify()).is_ok();
        (!self.tables || tables()) && (self.captures.is_none() || captures::are_whole(result, document, run))
    }

    /// Says where the captures of the result in this folder are, if there are any.
    pub fn announce(&self, result: &Path) {
        let folder = result.join(captures::FOLDER);
        if self.captures.is_some() {
            console::note(format_args!("captures in {}, for Wireshark and tcptrace", folder.display()));
        }
    }
}

impl Stage {
    /// The stage of this process. What was left by processes that are no more is taken away.
    pub fn new(result: &Path) -> Stage {
        for entry in fs::read_dir(result).into_iter().flatten().flatten() {
            if is_abandoned(&entry.file_name().to_string_lossy()) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let path = result.join(format!("{PREFIX}{}{ENDING}", process::id()));
        Stage { result: result.to_path_buf(), path }
    }

    /// Writes what a run recorded. May be called from several threads, once for each seed.
    pub fn keep(&self, wanted: &Wanted, part: &ScenarioPart, run: &Run, records: &Records) -> Result<(), Failure> {
        let kept = self.keep_tables(wanted, part, run, records).and_then(|()| match &wanted.captures {
            Some(meta) => self.keep_captures(meta, part, run, records),
            None => Ok(()),
        });
        if kept.is_err() {
            // Half of a run is of no use, and the disk may be full.
            for kind in KINDS {
                let _ = fs::remove_dir_all(self.staged(kind, run.seed));
            }
        }
        kept
    }

    fn keep_tables(&self, wanted: &Wanted, part: &ScenarioPart, run: &Run, records: &Records) -> Result<(), Failure> {
        if !wanted.tables {
            return Ok(());
        }
        let folder = self.staged(tables::FOLDER, run.seed);
        let written = tables::write(&folder, &records.series, &Origin::of(part, run));
        written.map_err(|TableError { place, problem }| match problem {
            Problem::Io(cause) => self.cannot_keep(tables::FOLDER, run.seed, &cause),
            problem => {
                let error = TableError { place, problem };
                Failure::outside(&error, error.help())
            }
        })
    }

    fn keep_captures(&self, meta: &Meta, part: &ScenarioPart, run: &Run, records: &Records) -> Result<(), Failure> {
        let folder = self.staged(captures::FOLDER, run.seed);
        captures::write(&folder, &records.captures, meta, part, run)
            .map_err(|cause| self.cannot_keep(captures::FOLDER, run.seed, &cause))
    }

    /// Moves what was kept of the runs of a result to its final place, where it replaces what an earlier result left.
    pub fn take_over(&self, document: &Document) -> io::Result<()> {
        for (kind, run) in KINDS.into_iter().flat_map(|kind| document.runs.iter().map(move |run| (kind, run))) {
            let staged = self.staged(kind, run.seed);
            if !staged.exists() {
                continue;
            }
            let all = self.result.join(kind);
            let place = all.join(tables::seed_folder(run.seed));
            fs::create_dir_all(all)?;
            if place.exists() {
                fs::remove_dir_all(&place)?;
            }
            fs::rename(staged, place)?;
        }
        Ok(())
    }

    /// Takes away what does not belong to the result: it is of an earlier one.
    pub fn remove_others(&self, document: &Document) {
        for kind in KINDS {
            let all = self.result.join(kind);
            for entry in fs::read_dir(&all).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let run = document.runs.iter().find(|run| tables::seed_folder(run.seed) == name);
                let belongs = run.is_some_and(|run| match kind {
                    captures::FOLDER => captures::belong(&self.result, document, run),
                    _ => tables::of_run(&self.result, document, run).is_ok(),
                });
                if name.starts_with(SEED) && !belongs {
                    // Best effort: who reads it makes sure that it is of the result.
                    let _ = fs::remove_dir_all(entry.path());
                }
            }
            // Fails where something is inside, as it should.
            let _ = fs::remove_dir(all);
        }
    }

    /// Takes away what has not been moved to its place.
    pub fn clear(&self) {
        let _ = fs::remove_dir_all(&self.path);
    }

    /// Where something of a seed is until the result is there.
    fn staged(&self, kind: &str, seed: u64) -> PathBuf {
        self.path.join(kind).join(tables::seed_folder(seed))
    }

    fn cannot_keep(&self, kind: &str, seed: u64, cause: &io::Error) -> Failure {
        let folder = self.result.display();
        Failure::outside(
            format_args!("cannot write the {kind} of seed {seed} to the folder `{folder}`: {cause}"),
            disk::remedy(cause),
        )
    }
}

/// Whether a folder holds nothing but what runs recorded.
pub fn is_recorded(path: &Path) -> bool {
    let mut entries = fs::read_dir(path).into_iter().flatten().flatten();
    KINDS.iter().any(|kind| path.ends_with(kind))
        && entries.all(|entry| entry.file_name().to_string_lossy().starts_with(SEED))
}

/// Whether a name is that of the stage of a process that is no more, as far as that can be known.
fn is_abandoned(name: &str) -> bool {
    let id = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(ENDING)).and_then(|id| id.parse::<u32>().ok());
    let processes = Path::new("/proc");
    id.is_some_and(|id| {
        id == process::id() || processes.join("self").exists() && !processes.join(id.to_string()).exists()
    })
}

/// The folders of a result that hold what its runs recorded.
const KINDS: [&str; 2] = [tables::FOLDER, captures::FOLDER];
const PREFIX: &str = ".recorded.";
const ENDING: &str = ".partial";
const SEED: &str = "seed-";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_works_on_is_abandoned() {
        assert!(is_abandoned(&format!(".recorded.{}.partial", process::id())));
        assert!(
            !is_abandoned("tables") && !is_abandoned(".recorded.x.partial") && !is_abandoned(".result.json.1.partial")
        );
        #[cfg(target_os = "linux")]
        {
            // Process 1 always lives; no process has the largest number.
            assert!(!is_abandoned(".recorded.1.partial"));
            assert!(is_abandoned(&format!(".recorded.{}.partial", u32::MAX)));
        }
    }
}
