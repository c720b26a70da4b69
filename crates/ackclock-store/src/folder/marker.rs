//! The marker of a folder: a file that says what it holds, and checksums of files that have none of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use ackclock_columns::files;
use serde::{Deserialize, Serialize};

use crate::error::{Problem, StoreError};
use crate::holds::{Holds, MARKER};
use crate::owner::LOCK;
use crate::seal;
use crate::whole::{self, WholeFile};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marker {
    format: String,
    format_version: u32,
    about: String,
    pub holds: Holds,
    /// The version of the program that wrote it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ackclock: Option<String>,
    /// Of files without a checksum of their own, and those that a user may have changed: the checksums of what was last written
    /// under their names.
    #[serde(default)]
    pub written: BTreeMap<String, Vec<String>>,
    /// The checksums of lines of the ledger that were damaged, and whose runs were done again.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub mended: BTreeSet<String>,
    /// Whether the result in the folder is complete, so that it need not be read; `None` if there is none.
    #[serde(default)]
    pub complete: Option<bool>,
}

impl Marker {
    pub fn new(holds: Holds) -> Marker {
        Marker {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
            about: "ackclock replaces and removes its own files in this folder; without this file it does not".into(),
            holds,
            ackclock: None,
            written: BTreeMap::new(),
            mended: BTreeSet::new(),
            complete: None,
        }
    }

    /// The marker of a folder; `None` if the folder is empty.
    pub fn read(folder: &Path, holds: Holds) -> Result<Option<Marker>, StoreError> {
        let unusable = |reason: &str| StoreError::new(folder, Problem::Marker { reason: reason.into() });
        let text = match files::read(&folder.join(MARKER)) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return refuse_foreign(folder).map(|()| None),
            Err(error) => return Err(unusable(&error.to_string())),
        };
        let head: Head = serde_json::from_slice(&text).map_err(|_| unusable("it is damaged"))?;
        if head.format != FORMAT {
            return Err(unusable("it is of another program"));
        }
        if head.format_version != FORMAT_VERSION {
            return Err(unusable("it is of another version of ackclock"));
        }
        let marker: Marker = serde_json::from_slice(&text).map_err(|_| unusable("it is damaged"))?;
        match marker.holds == holds {
            true => Ok(Some(marker)),
            false => Err(StoreError::new(folder, Problem::HoldsOther { holds: marker.holds })),
        }
    }

    /// The marker of a folder, made sure to be as it was written; `None` if there is none.
    ///
    /// # Errors
    /// If it is not: how that shows.
    pub fn read_whole(folder: &Path) -> Result<Option<Marker>, String> {
        let text = match files::read(&folder.join(MARKER)) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("it cannot be read: {error}")),
        };
        let marker: Marker = seal::read(&text)?;
        match marker.format == FORMAT && marker.format_version == FORMAT_VERSION {
            true => Ok(Some(marker)),
            false => Err("it is of another version of ackclock, or of another program".into()),
        }
    }

    pub fn write(&mut self, folder: &Path) -> Result<(), StoreError> {
        self.ackclock = Some(env!("CARGO_PKG_VERSION").into());
        let text = seal::to_text(self);
        let write = || {
            let mut file = WholeFile::create(&folder.join(MARKER))?;
            file.write_all(text.as_bytes())?;
            file.commit()
        };
        write().map_err(|error| StoreError::folder(folder, error))
    }
}

/// Refuses a folder without a marker in which there is anything.
fn refuse_foreign(folder: &Path) -> Result<(), StoreError> {
    let entries = fs::read_dir(folder).map_err(|error| StoreError::folder(folder, error))?;
    // What comes before the marker may be left alone by a killed process.
    let before = |name: &str| name == LOCK || whole::name_of_partial(name) == Some(MARKER);
    match entries.flatten().any(|entry| !before(&entry.file_name().to_string_lossy())) {
        true => Err(StoreError::new(folder, Problem::Foreign { result: looks_like_result(folder) })),
        false => Ok(()),
    }
}

/// Whether there is a document of ours, by its first words: it may be large.
fn looks_like_result(folder: &Path) -> bool {
    ["result.json", "report.json"].iter().any(|name| {
        let mut head = String::new();
        let read = files::open(&folder.join(name)).and_then(|file| file.take(HEAD_BYTES).read_to_string(&mut head));
        read.is_ok() && head.starts_with('{') && (head.contains("\"ackclock-result\"") || head.contains("\"study\""))
    })
}

#[derive(Deserialize)]
struct Head {
    format: String,
    format_version: u32,
}

const FORMAT: &str = "ackclock-folder";
const FORMAT_VERSION: u32 = 1;
const HEAD_BYTES: u64 = 200;
