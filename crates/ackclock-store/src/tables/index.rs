//! The index of a folder of tables: whose they are, which files there are, and a checksum of each.

use std::io;
use std::path::Path;

use ackclock::sim::RESULT_VERSION;
use ackclock_columns::files;
use serde::{Deserialize, Serialize};

use crate::seal;

use super::{FORMAT_VERSION, INDEX, Origin, Problem, TableError};

/// What `index.json` holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// Always `ackclock-tables`.
    pub format: String,
    /// See [`FORMAT_VERSION`].
    pub format_version: u32,
    /// The version of the program.
    pub ackclock: String,
    /// Changes whenever any run could give other numbers.
    pub result_version: u32,
    /// The hash of the resolved scenario.
    pub scenario_hash: String,
    /// What ports count: `cells` or `packets`.
    pub unit: String,
    /// The seed of the run.
    pub seed: u64,
    /// The run's fingerprint.
    pub fingerprint: String,
    /// The tables, in the order of the metrics.
    pub files: Vec<IndexedFile>,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedFile {
    /// The metric; the file is called METRIC.parquet.
    pub metric: String,
    /// How many rows it has.
    pub rows: u64,
    /// Its length.
    pub bytes: u64,
    /// BLAKE3 of its content, in hexadecimal digits.
    pub blake3: String,
}

impl Index {
    pub(super) fn new(origin: &Origin, files: Vec<IndexedFile>) -> Index {
        Index {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
            ackclock: env!("CARGO_PKG_VERSION").into(),
            result_version: RESULT_VERSION,
            scenario_hash: origin.scenario_hash.clone(),
            unit: origin.unit.clone(),
            seed: origin.seed,
            fingerprint: origin.fingerprint.clone(),
            files,
        }
    }

    pub(super) fn read(folder: &Path) -> Result<Index, TableError> {
        let path = folder.join(INDEX);
        let text = files::read(&path).map_err(|error| TableError::io(&path, error))?;
        // The version is looked at before anything that may differ between versions.
        let head: Head = serde_json::from_slice(&text).map_err(|error| TableError::damaged(&path, error))?;
        if head.format != FORMAT {
            return Err(TableError::new(&path, Problem::Foreign));
        }
        if head.format_version != FORMAT_VERSION {
            return Err(TableError::new(&path, Problem::OtherFormat { found: head.format_version }));
        }
        serde_json::from_slice(&text).map_err(|error| TableError::damaged(&path, error))
    }

    /// Whether it is as it was written: how it shows that it is not.
    pub(super) fn damage(folder: &Path) -> Option<String> {
        let text = files::read(&folder.join(INDEX)).ok()?;
        seal::read::<Index>(&text).err()
    }

    /// Whose tables these are.
    pub fn origin(&self) -> Origin {
        Origin {
            scenario_hash: self.scenario_hash.clone(),
            unit: self.unit.clone(),
            seed: self.seed,
            fingerprint: self.fingerprint.clone(),
        }
    }
}

impl IndexedFile {
    /// The entry for a file as it is on the disk.
    pub(super) fn of(path: &Path, metric: &str, rows: u64) -> io::Result<IndexedFile> {
        let (bytes, blake3) = ackclock_columns::checksum(path)?;
        Ok(IndexedFile { metric: metric.into(), rows, bytes, blake3 })
    }
}

#[derive(Deserialize)]
struct Head {
    format: String,
    format_version: u32,
}

const FORMAT: &str = "ackclock-tables";
