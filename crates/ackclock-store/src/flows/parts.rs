//! The parts of a run that are in files of their own, because they are many: its flows, sources of datagrams, ports and links.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Of more flows of TCP and sources of datagrams than this, the parts of a run are not in the document.
pub const MOST_IN_DOCUMENT: usize = 1000;

/// The files with the parts of a run, by their names without the ending.
pub type PartFiles = BTreeMap<String, PartFile>;

/// A file of one part of a run, as the document vouches for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartFile {
    /// How many rows it has.
    pub rows: u64,
    /// Its length.
    pub bytes: u64,
    /// BLAKE3 of its content, in hexadecimal digits.
    pub blake3: String,
}
