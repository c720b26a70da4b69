//! What can be wrong with a folder of results: one message with its place, and the remedy.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use ackclock_columns::files;

use crate::holds::{Holds, MARKER};
use crate::owner::{LOCK, Owner};

/// What is wrong, and where.
#[derive(Debug)]
pub struct StoreError {
    /// The folder, or a file in it.
    pub place: PathBuf,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What can be wrong with a folder of results.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names of the fields say what they are")]
pub enum Problem {
    /// The operating system refused something to do with a file.
    Io(io::Error),
    /// Nothing can be written to the folder.
    Folder(io::Error),
    /// The folder has no marker and is not empty. A result lies in it if it is of a program that wrote no markers, or its marker was
    /// removed.
    Foreign { result: bool },
    /// The marker says that the folder holds something else.
    HoldsOther { holds: Holds },
    /// The marker cannot be read, or is of a later version of the program.
    Marker { reason: String },
    /// A file or folder that would be replaced or removed is not as the program wrote it.
    NotOurs,
    /// Another process uses the folder.
    InUse(Option<Owner>),
    /// Another process took the folder while this one was suspended.
    LockLost,
    /// The folder, or the lock in it, was removed while this process used it.
    LockGone,
}

impl StoreError {
    /// An error of this place.
    pub fn new(place: &Path, problem: Problem) -> StoreError {
        StoreError { place: place.to_path_buf(), problem }
    }

    /// What the operating system said of this place.
    pub fn io(place: &Path, error: io::Error) -> StoreError {
        StoreError::new(place, Problem::Io(error))
    }

    /// What the operating system said of this folder.
    pub fn folder(place: &Path, error: io::Error) -> StoreError {
        StoreError::new(place, Problem::Folder(error))
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        let shown = self.place.display();
        match &self.problem {
            Problem::Io(error) | Problem::Folder(error) if files::Refused::of(error).is_some() => {
                format!("{}, or name another folder with --out DIR", files::REFUSED_HELP)
            }
            Problem::Io(error) | Problem::Folder(error) => match error.kind() {
                ErrorKind::FileTooLarge => {
                    "raise the limit of the length of files (`ulimit -f`), and run the same command again".into()
                }
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    "free space on the disk, or choose another folder with --out DIR".into()
                }
                _ => "choose another folder with --out DIR".into(),
            },
            Problem::Foreign { result: false } => "name a new or empty folder with --out DIR".into(),
            Problem::Foreign { result: true } => {
                format!("rename it (`mv {shown} {shown}.old`), or name a new or empty folder with --out DIR")
            }
            Problem::HoldsOther { .. } => "name another folder with --out DIR".into(),
            Problem::Marker { .. } => {
                "name another folder with --out DIR; the results in this one can still be read".into()
            }
            Problem::NotOurs => "move or rename it, or name another folder with --out DIR".into(),
            Problem::InUse(_) => format!(
                "wait for its end, or name another folder with --out DIR; if no such process exists, remove `{}`",
                self.place.join(LOCK).display()
            ),
            Problem::LockLost => "finished runs are kept; run the same command again when the other has ended".into(),
            Problem::LockGone => {
                "run the same command again; leave the folder in its place, with the files in it, until it has ended"
                    .into()
            }
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.place.display();
        match &self.problem {
            Problem::Io(error) if files::Refused::of(error).is_some() => {
                write!(f, "`{shown}` cannot be used: {error}; nothing was run")
            }
            Problem::Io(error) => write!(f, "cannot write `{shown}`: {error}"),
            Problem::Folder(error) => write!(f, "cannot write to the folder `{shown}`: {error}"),
            Problem::Foreign { result: false } => {
                write!(f, "`{shown}` holds files that are not a result of ackclock; nothing was run")
            }
            Problem::Foreign { result: true } => write!(
                f,
                "`{shown}` holds a result but not the file `{MARKER}`, which marks a folder in which ackclock may \
                 replace files; nothing was run"
            ),
            Problem::HoldsOther { holds } => write!(f, "`{shown}` holds {}; nothing was run", holds.in_words()),
            Problem::Marker { reason } => {
                write!(f, "`{}` cannot be used: {reason}; nothing was run", self.place.join(MARKER).display())
            }
            Problem::NotOurs => {
                write!(
                    f,
                    "`{shown}` was changed after ackclock wrote it, and would be replaced or removed; nothing was run"
                )
            }
            Problem::InUse(Some(owner)) => {
                write!(f, "`{shown}` is in use by process {} on {}", owner.process, owner.machine)
            }
            Problem::InUse(None) => write!(f, "`{shown}` is in use by another process"),
            Problem::LockGone => write!(
                f,
                "there is no `{LOCK}` in `{shown}` any more: while this process used the folder, somebody removed or renamed it, or removed this file; nothing more was written"
            ),
            Problem::LockLost => {
                write!(f, "another process took over `{shown}` while this one was suspended; nothing more was written")
            }
        }
    }
}

impl std::error::Error for StoreError {}
