//! Why a sweep ends: a message with its place, and the remedy.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use ackclock_scenario::LoadError;
use ackclock_store::{StoreError, disk};

/// Why a sweep ends.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names of the fields say what they are")]
pub enum Error {
    /// The folder or the ledger cannot be used.
    Store(StoreError),
    /// The scenario cannot be read.
    Load(LoadError),
    /// There are more seeds than numbers for them from the first on.
    Seeds { first: u64, seeds: usize },
    /// A point is another scenario than it was when the sweep began.
    Changed { point: String },
    /// The plan in a folder is damaged.
    Plan { file: PathBuf, reason: String },
    /// The plan in a folder that is to be put together with others is damaged.
    PartPlan { file: PathBuf, reason: String },
    /// A folder holds another sweep.
    Other { folder: PathBuf, because: String },
    /// A folder that is to be put together with others holds another sweep than they do.
    OtherPart { folder: PathBuf, because: String },
    /// A folder holds no sweep.
    NoSweep(PathBuf),
    /// A run has different numbers in two folders, which are in the order of the alphabet; so do so many more.
    Disagree { run: String, more: usize, folders: [PathBuf; 2] },
    /// A table cannot be written.
    Write { file: PathBuf, cause: io::Error },
    /// A run was finished and could not be made a row.
    Defect(String),
    /// A mechanism from outside failed: runs since then mean nothing.
    Void,
    /// What is asked for makes no sense: what is wrong, and what to do.
    Usage { wrong: String, help: String },
    /// A cluster does not do what it is to, or a worker of it cannot: what is wrong, and what to do.
    Cluster { wrong: String, help: String },
}

impl Error {
    pub(crate) fn write(file: &Path, cause: io::Error) -> Error {
        Error::Write { file: file.to_path_buf(), cause }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Error::Store(error) => error.help(),
            Error::Load(_) => "check the path and the disk".into(),
            Error::Seeds { .. } => "choose a smaller first seed with --set seed=N".into(),
            Error::Changed { .. } => {
                "finished runs are kept; leave the files that the scenario reads as they are, and run the same command again".into()
            }
            Error::Plan { .. } => {
                "name another folder with --out DIR, or remove this file and run the same `ackclock sweep` again: finished runs are used"
                    .into()
            }
            Error::PartPlan { .. } => {
                "leave this folder out, or remove this file and run the part again with --out of this folder: finished runs are used; nothing was written"
                    .into()
            }
            Error::Other { .. } => "name another folder with --out DIR; nothing in this one was changed".into(),
            Error::OtherPart { .. } => {
                "leave this folder out, or run its part again with the scenario, values and seeds of the others, by this program; nothing was written".into()
            }
            Error::Disagree { .. } => {
                "`ackclock verify` on each names damage; leave out the folder that is wrong, or run its part again into a new one; nothing was written"
                    .into()
            }
            Error::NoSweep(_) => "name folders of `ackclock sweep`".into(),
            Error::Write { cause, .. } => match cause.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    "finished runs are kept; free space on the disk, and run the same command again".into()
                }
                _ => format!("finished runs are kept; {}", disk::remedy(cause)),
            },
            Error::Cluster { help, .. } | Error::Usage { help, .. } => help.clone(),
            Error::Void => "mend the mechanism, and raise its version; finished runs are kept".into(),
            Error::Defect(_) => "please report it with the command line and the output of `ackclock --version`".into(),
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        Error::Store(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Store(error) => write!(f, "{error}"),
            Error::Load(LoadError::Unreadable { path, error }) => write!(f, "cannot read `{path}`: {error}"),
            Error::Load(LoadError::Invalid(diagnostics)) => {
                let first = diagnostics.first().map_or("", |diagnostic| &diagnostic.message);
                write!(f, "the scenario cannot be loaded any more: {first}")
            }
            Error::Seeds { first, seeds } => {
                write!(f, "{seeds} seeds from {first} on go beyond the largest seed, {}", i64::MAX)
            }
            Error::Changed { point } => {
                write!(
                    f,
                    "the scenario at {point} is another than when the sweep began: a file that it reads was changed"
                )
            }
            Error::Plan { file, reason } | Error::PartPlan { file, reason } => {
                write!(f, "`{}` cannot be used: {reason}", file.display())
            }
            Error::Other { folder, because } => {
                write!(f, "`{}` holds another sweep: {because}; nothing was run", folder.display())
            }
            Error::OtherPart { folder, because } => {
                write!(f, "`{}` is no part of the same sweep: {because}", folder.display())
            }
            Error::Disagree { run, more, folders: [one, other] } => {
                let (one, other) = (one.display(), other.display());
                let more = if *more > 0 { format!(", and {more} more") } else { String::new() };
                match one.to_string() == other.to_string() {
                    true => write!(f, "`{one}` has the run at {run} twice, with different numbers{more}"),
                    false => write!(f, "`{one}` and `{other}` have different numbers of the run at {run}{more}"),
                }
            }
            Error::NoSweep(folder) => write!(f, "`{}` holds no sweep", folder.display()),
            Error::Write { file, cause } => write!(f, "cannot write `{}`: {cause}", file.display()),
            Error::Cluster { wrong, .. } | Error::Usage { wrong, .. } => f.write_str(wrong),
            Error::Void => f.write_str("a mechanism from outside failed"),
            Error::Defect(message) => write!(f, "ackclock has a defect: {message}"),
        }
    }
}

impl std::error::Error for Error {}
