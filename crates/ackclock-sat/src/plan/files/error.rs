//! What can be wrong with a plan on the disk: always a place, always a remedy.

use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Why a plan cannot be written or read.
#[derive(Debug)]
pub struct PlanError {
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
    /// Something else than a plan of ours.
    Foreign,
    /// A plan in another format.
    OtherFormat {
        /// The version of the format.
        found: u32,
    },
}

impl PlanError {
    pub(super) fn new(place: &Path, problem: Problem) -> PlanError {
        PlanError { place: place.to_path_buf(), problem }
    }

    /// What the operating system said; that something is not there is worth its own remedy.
    pub(super) fn io(place: &Path, error: io::Error) -> PlanError {
        let problem = if error.kind() == ErrorKind::NotFound { Problem::Missing } else { Problem::Io(error) };
        PlanError::new(place, problem)
    }

    pub(super) fn damaged(place: &Path, what: impl fmt::Display) -> PlanError {
        PlanError::new(place, Problem::Damaged(what.to_string()))
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match &self.problem {
            Problem::Io(error) => match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room, or choose another disk".into(),
                ErrorKind::PermissionDenied => "allow access to it, or use a folder of your own".into(),
                _ => "check the path and the disk".into(),
            },
            Problem::Missing => format!("name the folder of a contact plan: one with a file {}", super::INDEX),
            Problem::Damaged(_) => "write the plan again, or copy it again with all its files".into(),
            Problem::Foreign => "name the folder of a contact plan that ackclock has written".into(),
            Problem::OtherFormat { found } if *found > super::FORMAT_VERSION => {
                "read it with the newer ackclock that wrote it".into()
            }
            Problem::OtherFormat { .. } => "write the plan again with this ackclock".into(),
        }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.display();
        match &self.problem {
            Problem::Io(error) => write!(f, "`{place}`: {error}"),
            Problem::Missing => write!(f, "`{place}` is missing"),
            Problem::Damaged(what) => write!(f, "`{place}` is damaged: {what}"),
            Problem::Foreign => write!(f, "`{place}` does not belong to a contact plan of ackclock"),
            Problem::OtherFormat { found } => {
                write!(f, "`{place}` has format version {found}; this program reads {}", super::FORMAT_VERSION)
            }
        }
    }
}

impl Error for PlanError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.problem {
            Problem::Io(error) => Some(error),
            _ => None,
        }
    }
}
