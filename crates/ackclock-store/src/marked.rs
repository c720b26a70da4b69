//! What a folder holds, for those who only look: its marker, its lock, and the files in it that are not of a result.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::{Problem, StoreError};
use crate::finding::{Findings, read_file};
use crate::folder::checksum;
use crate::folder::marker::Marker;
use crate::holds::{Holds, MARKER};
use crate::ledger::LineSum;
use crate::lock::{self, Seen};
use crate::names::names;
use crate::owner::LOCK;
use crate::result::UNFINISHED;
use crate::whole::name_of_partial;

/// A folder of results that is looked at. Nothing in it is written.
#[derive(Debug)]
pub struct Marked {
    path: PathBuf,
    holds: Holds,
    /// `None` if it is missing or damaged.
    marker: Option<Marker>,
}

impl Marked {
    /// Opens a folder; `None` if it has no marker, and nothing that ackclock writes.
    ///
    /// # Errors
    /// If a process uses the folder.
    pub fn open(path: &Path, findings: &mut Findings) -> Result<Option<Marked>, StoreError> {
        let in_use = |owner| Err(StoreError::new(path, Problem::InUse(owner)));
        let is_left = match lock::look(path) {
            Seen::Held(owner) => return in_use(owner),
            Seen::Left => true,
            Seen::Free => false,
        };
        let read = Marker::read_whole(path);
        let there = |name: &str| path.join(name).exists();
        let guessed = [
            ("sweep.json", Holds::Sweep),
            ("result.json", Holds::Run),
            (UNFINISHED, Holds::Run),
            ("report.json", Holds::Reproduction),
        ];
        let guessed = guessed.into_iter().find(|(name, _)| there(name)).map(|(_, holds)| holds);
        let marker = match read {
            Ok(Some(marker)) => Some(marker),
            Ok(None) if guessed.is_none() => return Ok(None),
            Ok(None) => {
                findings.damage(&path.join(MARKER), "it is missing", without_marker(guessed));
                None
            }
            Err(what) => {
                findings.damage(&path.join(MARKER), what, without_marker(guessed));
                None
            }
        };
        if is_left {
            let what = "a process that was stopped left it, or one of another machine uses the folder";
            findings.remains(&path.join(LOCK), what, "the next command in the folder removes it");
        }
        let Some(holds) = marker.as_ref().map(|marker| marker.holds).or(guessed) else { return Ok(None) };
        Ok(Some(Marked { path: path.to_path_buf(), holds, marker }))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it holds.
    pub fn holds(&self) -> Holds {
        self.holds
    }

    /// Whether the marker says that the result is complete.
    pub fn is_complete(&self) -> bool {
        self.marker.as_ref().is_some_and(|marker| marker.complete == Some(true))
    }

    /// Whether this version of the program wrote to it last: what it would write now is what is there.
    pub fn is_of_this_version(&self) -> bool {
        let version = self.marker.as_ref().and_then(|marker| marker.ackclock.as_deref());
        version == Some(env!("CARGO_PKG_VERSION"))
    }

    /// Whether a line of the ledger was damaged when its run was done again.
    pub fn is_mended(&self, line: LineSum) -> bool {
        self.marker.as_ref().is_some_and(|marker| marker.mended.contains(&line.to_string()))
    }

    /// Whether the marker has a checksum of a file.
    pub fn has_checksum(&self, name: &str) -> bool {
        self.marker.as_ref().is_some_and(|marker| marker.written.contains_key(name))
    }

    /// Makes sure that a file of which the marker has a checksum fits it. Whether it does, or cannot be compared.
    pub fn check(&self, name: &str, remedy: &str, findings: &mut Findings) -> bool {
        let known = self.marker.as_ref().and_then(|marker| marker.written.get(name));
        let path = self.path.join(name);
        let what = match (checksum(&path), known) {
            (Err(error), _) if error.kind() == ErrorKind::NotFound => "it is missing".into(),
            (Err(error), _) => format!("it cannot be read: {error}"),
            (Ok(found), Some(known)) if !known.contains(&found) => "it was changed after ackclock wrote it".into(),
            (Ok(_), _) => return true,
        };
        findings.damage(&path, what, remedy);
        false
    }

    /// Whether a process was stopped while it wrote a file of this name.
    pub fn has_partial(&self, of: &str) -> bool {
        names(&self.path).iter().any(|name| name_of_partial(name) == Some(of))
    }

    /// Names what is in the folder beside these files: what processes left that were stopped, and what ackclock did not write.
    pub fn others(&self, ours: &[&str], findings: &mut Findings) {
        for name in names(&self.path) {
            let path = self.path.join(&name);
            // A folder of results of its own is looked at by itself.
            if path.join(MARKER).exists() {
                continue;
            }
            if name_of_partial(&name).is_some() {
                let what = "a process that was stopped left it";
                findings.remains(&path, what, "the next command in the folder removes it");
            } else if ![MARKER, LOCK].contains(&name.as_str()) && !ours.contains(&name.as_str()) {
                findings.remains(&path, "ackclock did not write it", "it stays; nothing reads it");
            }
        }
    }
}

/// A page that `report` or `quick` wrote is as it was written, and is there if it `has_to_be`.
pub fn check_page(path: &Path, has_to_be: bool, findings: &mut Findings) {
    if !path.exists() && !has_to_be {
        return;
    }
    if let Some(page) = read_file(path, PAGE_AGAIN, findings)
        && let Some(what) = crate::seal::page_damage(&page)
    {
        findings.damage(path, what, PAGE_AGAIN);
    }
}

/// What to do about a page.
pub const PAGE_AGAIN: &str =
    "remove it if it is there, and write it again with `ackclock report`, or with the same command";

/// What can be done with a folder without a marker that can be relied on.
fn without_marker(holds: Option<Holds>) -> &'static str {
    match holds {
        Some(Holds::Sweep) => {
            "`ackclock merge DIR --out NEW` of this folder puts its runs into a new one, where the same `ackclock sweep` goes on"
        }
        _ => "the results can be read; to run something into the folder, rename it and run the same command again",
    }
}
