//! What was recorded over time, as files: one folder for each run, in it one Parquet file for each metric and an index.
//!
//! The index is written last and holds a checksum of every file. What it does not vouch for is not read: a table that
//! was cut off, changed, or left by another run is an error with a place, never a wrong number.

mod columns;
mod error;
mod index;
mod read;
mod spans;
pub mod text;
mod write;

#[cfg(test)]
mod tests;

pub use columns::{Cell, Column, Row, SEED, columns, rows};
pub use error::{OfTables, Problem, TableError};
pub use index::{Index, IndexedFile};
pub use read::Tables;
pub(crate) use read::{MOST_DECODED_BYTES, readable};
pub(crate) use write::ROWS_PER_GROUP;
pub use write::{Length, lengths, write};

use std::path::{Path, PathBuf};

use crate::document::{Document, Run, ScenarioPart};

/// The number that changes whenever a reader of the tables would have to. 2: a column of the seed in front, whole numbers
/// as such, and rows that stand for several intervals.
pub const FORMAT_VERSION: u32 = 2;
/// The folder of all tables in a result folder.
pub const FOLDER: &str = "tables";
/// The file that vouches for the others.
pub const INDEX: &str = "index.json";

/// The run that tables belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The hash of the resolved scenario.
    pub scenario_hash: String,
    /// What ports count: `cells` or `packets`.
    pub unit: String,
    /// The seed.
    pub seed: u64,
    /// The run's fingerprint, sixteen hexadecimal digits.
    pub fingerprint: String,
}

impl Origin {
    /// The origin of what a run recorded.
    pub fn of(scenario: &ScenarioPart, run: &Run) -> Origin {
        Origin {
            scenario_hash: scenario.hash.clone(),
            unit: scenario.unit.clone(),
            seed: run.seed,
            fingerprint: run.fingerprint.clone(),
        }
    }
}

/// Where the tables of a seed are in a result folder.
pub fn folder_of(result: &Path, seed: u64) -> PathBuf {
    result.join(FOLDER).join(seed_folder(seed))
}

/// The name of the folder with the tables of a seed.
pub fn seed_folder(seed: u64) -> String {
    format!("seed-{seed}")
}

/// The tables of one run of a result, made sure to be those of this very run.
///
/// # Errors
/// If there are none, or if they are damaged or of another run.
pub fn of_run(result: &Path, document: &Document, run: &Run) -> Result<Tables, TableError> {
    let tables = Tables::open(&folder_of(result, run.seed))?;
    tables.expect(&Origin::of(&document.scenario, run))?;
    Ok(tables)
}
