//! What can be wrong with tables: always a place, always a remedy.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk;

/// Why tables cannot be written or read.
#[derive(Debug)]
pub struct TableError {
    /// The file or folder.
    pub place: PathBuf,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong.
#[derive(Debug)]
pub enum Problem {
    /// The operating system said no.
    Io(io::Error),
    /// It is not there.
    Missing,
    /// It is not as it was written.
    Damaged(String),
    /// Something else than tables of ours.
    Foreign,
    /// Tables in another format.
    OtherFormat {
        /// The version of the format.
        found: u32,
    },
    /// Tables of another run than the result beside them.
    OtherRun,
    /// The metric was not recorded.
    NotRecorded {
        /// What was.
        recorded: Vec<String>,
    },
}

impl TableError {
    pub(super) fn new(place: &Path, problem: Problem) -> TableError {
        TableError { place: place.to_path_buf(), problem }
    }

    pub(super) fn io(place: &Path, error: io::Error) -> TableError {
        TableError::new(place, Problem::Io(error))
    }

    pub(super) fn damaged(place: &Path, what: impl fmt::Display) -> TableError {
        TableError::new(place, Problem::Damaged(what.to_string()))
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match &self.problem {
            Problem::Io(error) => disk::remedy(error).into(),
            Problem::Missing | Problem::Damaged(_) | Problem::OtherRun => {
                "run the scenario again: `ackclock run` on the scenario.toml of the folder, with --out DIR".into()
            }
            Problem::Foreign => "name a folder that `ackclock run` has written".into(),
            Problem::OtherFormat { found } if *found > super::FORMAT_VERSION => {
                "read it with the newer ackclock that wrote it".into()
            }
            Problem::OtherFormat { .. } => "read it with the older ackclock that wrote it, or run it again".into(),
            Problem::NotRecorded { recorded } if recorded.is_empty() => {
                "record it: `ackclock run FILE --record METRIC,...`; `ackclock list record` names them".into()
            }
            Problem::NotRecorded { recorded } => {
                format!("there are: {}; what else is wanted must be recorded: --record METRIC,...", recorded.join(", "))
            }
        }
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.display();
        match &self.problem {
            Problem::Io(error) => write!(f, "`{place}`: {error}"),
            Problem::Missing => write!(f, "`{place}` is missing"),
            Problem::Damaged(what) => write!(f, "`{place}` is damaged: {what}"),
            Problem::Foreign => write!(f, "`{place}` does not belong to tables of ackclock"),
            Problem::OtherFormat { found } => {
                write!(f, "`{place}` has format version {found}; this program reads {}", super::FORMAT_VERSION)
            }
            Problem::OtherRun => write!(f, "`{place}` belongs to another run than the result beside it"),
            Problem::NotRecorded { .. } => write!(f, "`{place}` was not recorded"),
        }
    }
}

impl Error for TableError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.problem {
            Problem::Io(error) => Some(error),
            _ => None,
        }
    }
}
