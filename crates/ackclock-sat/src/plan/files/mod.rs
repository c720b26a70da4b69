//! A contact plan as a folder: a Parquet file for each of its tables, and an index that vouches for them.
//!
//! | file | a row for each |
//! |---|---|
//! | `nodes.parquet` | satellite or terminal |
//! | `contacts.parquet` | time during which two nodes see each other |
//! | `delays.parquet` | breakpoint of the delay of a link |
//! | `hops.parquet` | change of the next node on the path to a destination |
//! | `routes.parquet` | change of the path between two terminals |
//! | `events.parquet` | thing that happened to a link |
//!
//! The index is written last and holds a checksum of every file and of itself. A file that was cut off, changed, or left
//! by another plan is an error with a place, never another plan. A plan that is read is equal to the one written.

mod error;
mod format;
mod index;
mod sound;
mod tables;

pub use error::{OfPlans, PlanError, Problem};
pub use format::{FORMAT_VERSION, INDEX};

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::process;

use ackclock_columns::{Kind, files};
use parquet::file::reader::FileReader;

use self::index::{Index, IndexedFile};
use self::tables::TABLES;
use super::Plan;

/// Tables of few bytes can stand for many rows: 90 kB were 2.8 GB. A day of a shell of 1584 satellites takes a tenth of this.
const MAX_DECODED_BYTES: u64 = 1 << 29;
/// Where the files of a plan are until all are there, with the number of the process.
const STAGE: &str = ".part-";

impl Plan {
    /// Writes the plan to a folder, which is made if it is not there. Everything has reached the disk when this returns.
    ///
    /// # Errors
    /// If a file cannot be written: no room, no permission. Then the folder is as it was.
    pub fn write(&self, folder: &Path) -> Result<(), PlanError> {
        let is_new = !folder.exists();
        refuse_others(folder)?;
        files::create_folder(folder).map_err(|error| PlanError::io(folder, error))?;
        remove_abandoned(folder);
        let stage = folder.join(format!("{STAGE}{}", process::id()));
        let written = self.write_files(&stage, folder).and_then(|()| take_over(&stage, folder));
        if written.is_err() {
            let _ = fs::remove_dir_all(&stage);
            if is_new {
                let _ = fs::remove_dir(folder);
            }
        }
        written
    }

    /// Writes the files to `stage`, which is made; errors name them by their places in `folder`.
    fn write_files(&self, stage: &Path, folder: &Path) -> Result<(), PlanError> {
        files::create_folder(stage).map_err(|error| PlanError::io(folder, error))?;
        // Held until all is in its place: what a killed process left is told by it.
        let _lock = File::open(stage).inspect(|stage| drop(stage.try_lock()));
        let mut written = Vec::new();
        for table in TABLES {
            let (path, place) = (stage.join(table.file_name()), folder.join(table.file_name()));
            let failed = |error| PlanError::io(&place, error);
            let file = files::create_new(&path).map_err(failed)?;
            let named: Vec<(&str, Kind)> = table.columns.iter().map(|column| (column.name, column.kind)).collect();
            let mut columns = (table.values)(self).into_iter().map(Some).collect::<Vec<_>>();
            let rows = columns.first().and_then(Option::as_ref).map_or(0, |(rows, _)| *rows);
            ackclock_columns::write(&file, table.name, &named, table.metadata(), usize::from(rows > 0), |_, column| {
                columns[column].take().expect("each column is asked for once").1
            })
            .map_err(|error| failed(ackclock_columns::cause(error)))?;
            file.sync_all().map_err(failed)?;
            let (bytes, blake3) = ackclock_columns::checksum(&path).map_err(failed)?;
            written.push(IndexedFile { table: table.name.into(), rows: rows as u64, bytes, blake3 });
        }
        let written = Index::of(self, written).write(&stage.join(INDEX));
        written.map_err(|error| PlanError::io(&folder.join(INDEX), error))
    }

    /// The plan of a folder.
    ///
    /// # Errors
    /// If there is none, or if any of its files is not as it was written.
    pub fn read(folder: &Path) -> Result<Plan, PlanError> {
        let index = Index::read(&folder.join(INDEX))?;
        let mut plan = index.empty_plan();
        let mut decoded_bytes = 0;
        for table in TABLES {
            let path = folder.join(table.file_name());
            let entry = index.files.iter().find(|file| file.table == table.name);
            let entry = entry.ok_or_else(|| PlanError::damaged(&folder.join(INDEX), "it does not name all tables"))?;
            entry.check(&path)?;
            let damaged = |what: String| PlanError::damaged(&path, what);
            let file = files::open(&path).map_err(|error| PlanError::io(&path, error))?;
            let reader = ackclock_columns::panics::caught(|| ackclock_columns::open(file)).map_err(damaged)?;
            let reader = reader.map_err(|error| damaged(error.to_string()))?;
            if reader.metadata().file_metadata().schema_descr().num_columns() != table.columns.len() {
                return Err(damaged("it has other columns".into()));
            }
            decoded_bytes += ackclock_columns::decoded_bytes(reader.metadata());
            if decoded_bytes > MAX_DECODED_BYTES {
                let limit = MAX_DECODED_BYTES >> 20;
                return Err(damaged(format!(
                    "the plan would take more than {limit} MiB in memory, the most that is read"
                )));
            }
            let read = ackclock_columns::panics::caught(|| (table.read)(&mut plan, &reader)).map_err(damaged)?;
            read.map_err(|error| damaged(error.to_string()))?;
        }
        plan.check_sound().map_err(|what| PlanError::damaged(folder, what))?;
        Ok(plan)
    }
}

/// Refuses a folder in which something has the name of a file of a plan and is none: a table of a result is not one, nor is that of
/// another program.
fn refuse_others(folder: &Path) -> Result<(), PlanError> {
    let foreign = |path: &Path| Err(PlanError::new(path, Problem::Own(OfPlans::NotOurs)));
    let index = folder.join(INDEX);
    let has_index = match Index::read(&index) {
        Ok(_) => true,
        Err(error) => match &error.problem {
            Problem::Missing => false,
            Problem::OtherFormat { .. } => true,
            // A plan that is damaged is written again.
            Problem::Damaged(_) if files::read_to_string(&index).is_ok_and(|text| Index::begins(&text)) => true,
            _ => return foreign(&index),
        },
    };
    for table in TABLES {
        let path = folder.join(table.file_name());
        match files::open(&path) {
            Ok(file) if is_ours(&file, table.name, has_index) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) if files::Refused::of(&error).is_none() => return Err(PlanError::io(&path, error)),
            _ => return foreign(&path),
        }
    }
    Ok(())
}

/// Whether a file is this table of a plan; beside the index of a plan also if it was cut off or changed so that it cannot be read.
fn is_ours(mut file: &File, table: &str, has_index: bool) -> bool {
    let mut begin = [0; PARQUET.len()];
    let begins = file.read_exact(&mut begin).is_ok() && begin == *PARQUET;
    let Ok(file) = file.try_clone() else { return false };
    match ackclock_columns::panics::caught(|| ackclock_columns::open(file)) {
        Ok(Ok(reader)) => {
            let metadata = reader.metadata().file_metadata().key_value_metadata();
            let has = |key: &str, value: &str| {
                let mut entries = metadata.into_iter().flatten();
                entries.any(|entry| entry.key == key && entry.value.as_deref() == Some(value))
            };
            has("ackclock.format", "ackclock-plan") && has("ackclock.table", table)
        }
        _ => has_index && begins,
    }
}

/// Removes what killed processes left of plans that they were writing: nobody holds the lock of it, and nothing else is in it.
fn remove_abandoned(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_stage = entry
            .file_name()
            .to_string_lossy()
            .strip_prefix(STAGE)
            .is_some_and(|process| process.parse::<u32>().is_ok());
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_stage
            && is_folder
            && File::open(entry.path()).is_ok_and(|stage| stage.try_lock().is_ok())
            && fs::read_dir(entry.path()).is_ok_and(|mut inside| inside.all(|file| file.is_ok_and(is_of_a_plan)))
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether something has the name of a file of a plan and is a file.
fn is_of_a_plan(entry: fs::DirEntry) -> bool {
    let name = entry.file_name();
    let is_named = name == INDEX || TABLES.iter().any(|table| name.to_str() == Some(&table.file_name()));
    is_named && entry.file_type().is_ok_and(|kind| kind.is_file())
}

/// What a Parquet file begins with.
const PARQUET: &[u8; 4] = b"PAR1";

/// The text of the index of a plan: what tells it from others.
pub fn index(folder: &Path) -> std::io::Result<Vec<u8>> {
    files::read(&folder.join(INDEX))
}

/// Moves the files of a plan to their places, first the index of what was there away: between two plans there is none.
fn take_over(stage: &Path, folder: &Path) -> Result<(), PlanError> {
    let old = folder.join(INDEX);
    if old.exists() {
        fs::remove_file(&old).map_err(|error| PlanError::io(&old, error))?;
    }
    for name in TABLES.iter().map(|table| table.file_name()).chain([INDEX.to_owned()]) {
        let path = folder.join(&name);
        fs::rename(stage.join(&name), &path).map_err(|error| PlanError::io(&path, error))?;
    }
    fs::remove_dir(stage).map_err(|error| PlanError::io(stage, error))
}

#[cfg(test)]
mod tests;
