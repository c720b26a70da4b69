//! What runs recorded, written to the result folder as each run ends, under a name that is not final yet. With the
//! result it is moved to its place; without one it is taken away.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;

use ackclock::record::Records;
use ackclock_results::document::{Document, Run, ScenarioPart};
use ackclock_results::tables::{self, FOLDER, Origin, Problem, TableError};

use crate::failure::Failure;

/// The place for what is not final yet, in a result folder.
#[derive(Debug)]
pub struct Stage {
    /// The result folder.
    result: PathBuf,
    path: PathBuf,
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
    pub fn keep(&self, scenario: &ScenarioPart, run: &Run, records: &Records) -> Result<(), Failure> {
        let folder = self.path.join(tables::seed_folder(run.seed));
        tables::write(&folder, &records.series, &Origin::of(scenario, run)).map_err(|error| {
            // Half of a run is of no use, and the disk may be full.
            let _ = fs::remove_dir_all(&folder);
            self.cannot_keep(run.seed, &error)
        })
    }

    /// Moves what was kept of the runs of a result to its final place, where it replaces what an earlier result left.
    pub fn take_over(&self, document: &Document) -> io::Result<()> {
        for run in &document.runs {
            let staged = self.path.join(tables::seed_folder(run.seed));
            if !staged.exists() {
                continue;
            }
            let place = tables::folder_of(&self.result, run.seed);
            fs::create_dir_all(self.result.join(FOLDER))?;
            if place.exists() {
                fs::remove_dir_all(&place)?;
            }
            fs::rename(staged, place)?;
        }
        Ok(())
    }

    /// Takes tables away that do not belong to the result: they are of an earlier one.
    pub fn remove_others(&self, document: &Document) {
        let all = self.result.join(FOLDER);
        for entry in fs::read_dir(&all).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let run = document.runs.iter().find(|run| tables::seed_folder(run.seed) == name);
            let belongs = run.is_some_and(|run| tables::of_run(&self.result, document, run).is_ok());
            if name.starts_with(SEED) && !belongs {
                // Best effort: who reads tables makes sure that they are those of the result.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        // Fails where something is inside, as it should.
        let _ = fs::remove_dir(all);
    }

    /// Takes away what has not been moved to its place.
    pub fn clear(&self) {
        let _ = fs::remove_dir_all(&self.path);
    }

    fn cannot_keep(&self, seed: u64, error: &TableError) -> Failure {
        let folder = self.result.display();
        match &error.problem {
            Problem::Io(cause) => Failure::outside(
                format_args!("cannot write the tables of seed {seed} to the folder `{folder}`: {cause}"),
                error.help(),
            ),
            _ => Failure::outside(error, error.help()),
        }
    }
}

/// Whether a folder holds nothing but tables of runs.
pub fn is_tables(path: &Path) -> bool {
    let mut entries = fs::read_dir(path).into_iter().flatten().flatten();
    path.ends_with(FOLDER) && entries.all(|entry| entry.file_name().to_string_lossy().starts_with(SEED))
}

/// Whether a name is that of the stage of a process that is no more, as far as that can be known.
fn is_abandoned(name: &str) -> bool {
    let id = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(ENDING)).and_then(|id| id.parse::<u32>().ok());
    let processes = Path::new("/proc");
    id.is_some_and(|id| {
        id == process::id() || processes.join("self").exists() && !processes.join(id.to_string()).exists()
    })
}

const PREFIX: &str = ".tables.";
const ENDING: &str = ".partial";
const SEED: &str = "seed-";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_works_on_is_abandoned() {
        assert!(is_abandoned(&format!(".tables.{}.partial", process::id())));
        assert!(
            !is_abandoned("tables") && !is_abandoned(".tables.x.partial") && !is_abandoned(".result.json.1.partial")
        );
        #[cfg(target_os = "linux")]
        {
            // Process 1 always lives; no process has the largest number.
            assert!(!is_abandoned(".tables.1.partial"));
            assert!(is_abandoned(&format!(".tables.{}.partial", u32::MAX)));
        }
    }
}
