//! What can be wrong with a folder of tables: always a place, always a remedy.

use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Why files of a kind cannot be written or read.
#[derive(Debug)]
pub struct FileError<K> {
    /// The file or folder.
    pub place: PathBuf,
    /// What is wrong with it.
    pub problem: Problem<K>,
}

/// What is wrong: with files of any kind, or with those of kind `K` alone.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names of the fields say what they are")]
pub enum Problem<K> {
    /// The operating system said no.
    Io(io::Error),
    /// It is not there.
    Missing,
    /// It is not as it was written.
    Damaged(String),
    /// Something else than files of this kind.
    Foreign,
    /// Files in another format.
    OtherFormat { found: u32 },
    /// What only files of this kind can have.
    Own(K),
}

/// A kind of files, as the problems that only they can have.
pub trait FileKind: fmt::Debug + Sized {
    /// What they are, for `does not belong to ...`.
    const WHAT: &'static str;
    /// The version of the format that is read.
    const FORMAT_VERSION: u32;

    /// What is wrong, for a problem of their own: the end of a sentence that begins with the place.
    fn words(&self) -> &'static str;

    /// What to do about it.
    fn help(problem: &Problem<Self>) -> String;
}

impl<K: FileKind> FileError<K> {
    /// Something is wrong with a place.
    pub fn new(place: &Path, problem: Problem<K>) -> FileError<K> {
        FileError { place: place.to_path_buf(), problem }
    }

    /// What the operating system said; that something is not there is worth its own remedy.
    pub fn io(place: &Path, error: io::Error) -> FileError<K> {
        let problem = if error.kind() == ErrorKind::NotFound { Problem::Missing } else { Problem::Io(error) };
        FileError::new(place, problem)
    }

    /// It is not as it was written.
    pub fn damaged(place: &Path, what: impl fmt::Display) -> FileError<K> {
        FileError::new(place, Problem::Damaged(what.to_string()))
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        K::help(&self.problem)
    }
}

impl<K: FileKind> fmt::Display for FileError<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.display();
        match &self.problem {
            Problem::Io(error) => write!(f, "`{place}`: {error}"),
            Problem::Missing => write!(f, "`{place}` is missing"),
            Problem::Damaged(what) => write!(f, "`{place}` is damaged: {what}"),
            Problem::Foreign => write!(f, "`{place}` does not belong to {}", K::WHAT),
            Problem::OtherFormat { found } => {
                write!(f, "`{place}` has format version {found}; this program reads {}", K::FORMAT_VERSION)
            }
            Problem::Own(problem) => write!(f, "`{place}` {}", problem.words()),
        }
    }
}

impl<K: FileKind> Error for FileError<K> {}
