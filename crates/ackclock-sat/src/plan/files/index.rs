//! The index of a plan: what is no table, and a checksum of each file and of itself.

use std::io::{self, Read, Write};
use std::path::Path;

use ackclock::units::{Span, Time};
use ackclock_columns::files;
use serde::{Deserialize, Serialize};

use super::{FORMAT_VERSION, PlanError, Problem};
use crate::plan::Plan;

/// What `plan.json` holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Index {
    /// Always `ackclock-plan`.
    format: String,
    format_version: u32,
    /// The version of the program.
    ackclock: String,
    end_ps: u64,
    ttl: u8,
    delay_error_ps: u64,
    settings: Vec<(String, String)>,
    pub files: Vec<IndexedFile>,
    /// Of the index as it would be written with this field empty.
    blake3: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct IndexedFile {
    pub table: String,
    pub rows: u64,
    pub bytes: u64,
    pub blake3: String,
}

/// What is looked at before anything that may differ between versions.
#[derive(Deserialize)]
struct Head {
    format: String,
    format_version: u32,
}

const FORMAT: &str = "ackclock-plan";

impl Index {
    pub fn of(plan: &Plan, files: Vec<IndexedFile>) -> Index {
        let mut index = Index {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
            ackclock: env!("CARGO_PKG_VERSION").into(),
            end_ps: plan.end.as_ps(),
            ttl: plan.ttl,
            delay_error_ps: plan.delay_error.as_ps(),
            settings: plan.settings.clone(),
            files,
            blake3: String::new(),
        };
        index.blake3 = index.checksum();
        index
    }

    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut file = files::create_new(path)?;
        file.write_all(self.text().as_bytes())?;
        file.sync_all()
    }

    pub fn read(path: &Path) -> Result<Index, PlanError> {
        let failed = |error| PlanError::io(path, error);
        let mut file = files::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        if length > MAX_INDEX_BYTES {
            return Err(PlanError::damaged(path, format!("it has {length} bytes; an index has a few kB")));
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(failed)?;
        let head: Head = serde_json::from_slice(&text).map_err(|error| PlanError::damaged(path, error))?;
        if head.format != FORMAT {
            return Err(PlanError::new(path, Problem::Foreign));
        }
        if head.format_version != FORMAT_VERSION {
            return Err(PlanError::new(path, Problem::OtherFormat { found: head.format_version }));
        }
        let index: Index = serde_json::from_slice(&text).map_err(|error| PlanError::damaged(path, error))?;
        match index.blake3 == index.checksum() {
            true => Ok(index),
            false => Err(PlanError::damaged(path, "its checksum is wrong")),
        }
    }

    /// Whether a text that may be damaged further on begins as an index.
    pub fn begins(text: &str) -> bool {
        let rest = text.strip_prefix('{').map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with(&format!("\"format\": \"{FORMAT}\"")))
    }

    /// A plan with everything that is in no table.
    pub fn empty_plan(&self) -> Plan {
        Plan {
            end: Time::from_ps(self.end_ps),
            ttl: self.ttl,
            delay_error: Span::from_ps(self.delay_error_ps),
            settings: self.settings.clone(),
            nodes: Vec::new(),
            contacts: Vec::new(),
            links: Vec::new(),
            hops: Vec::new(),
            routes: Vec::new(),
            events: Vec::new(),
        }
    }

    fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("the index has string keys only") + "\n"
    }

    fn checksum(&self) -> String {
        let bare = Index { blake3: String::new(), ..self.clone() };
        blake3::hash(bare.text().as_bytes()).to_hex().to_string()
    }
}

impl IndexedFile {
    /// Makes sure that a file is as it was written.
    pub fn check(&self, path: &Path) -> Result<(), PlanError> {
        let failed = |error| PlanError::io(path, error);
        let bytes = files::open(path).and_then(|file| file.metadata()).map_err(failed)?.len();
        if bytes != self.bytes {
            return Err(PlanError::damaged(path, format!("it has {bytes} bytes, {} were written", self.bytes)));
        }
        let (_, blake3) = ackclock_columns::checksum(path).map_err(failed)?;
        match blake3 == self.blake3 {
            true => Ok(()),
            false => Err(PlanError::damaged(path, "its checksum is wrong")),
        }
    }
}

const MAX_INDEX_BYTES: u64 = 1 << 24;
