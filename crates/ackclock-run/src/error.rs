//! Why a finished run could not be kept.

use std::fmt;
use std::io;
use std::path::PathBuf;

use ackclock_store::StoreError;
use ackclock_store::disk;
use ackclock_store::tables::TableError;

/// Why a finished run could not be kept.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names of the fields say what they are")]
pub enum KeepError {
    /// The folder or the ledger of finished runs cannot be written.
    Store(StoreError),
    /// Its tables cannot be written.
    Tables(TableError),
    /// A file of what it recorded, `tables` or `captures`, cannot be written.
    Recorded { kind: &'static str, seed: u64, folder: PathBuf, cause: io::Error },
}

impl KeepError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            KeepError::Store(error) => error.help(),
            KeepError::Tables(error) => error.help(),
            KeepError::Recorded { cause, .. } => disk::remedy(cause).into(),
        }
    }
}

impl From<StoreError> for KeepError {
    fn from(error: StoreError) -> KeepError {
        KeepError::Store(error)
    }
}

impl fmt::Display for KeepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeepError::Store(error) => write!(f, "{error}"),
            KeepError::Tables(error) => write!(f, "{error}"),
            KeepError::Recorded { kind, seed, folder, cause } => {
                write!(f, "cannot write the {kind} of seed {seed} to the folder `{}`: {cause}", folder.display())
            }
        }
    }
}

impl std::error::Error for KeepError {}
