//! The files that a sweep reads, kept as they are read here, and read from there by a worker, which has none of them.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError};

use ackclock_sat::plan::Plan;
use ackclock_scenario::{Disk, Source, Unreadable};
use serde::{Deserialize, Serialize};

/// Files by their paths, and what paths are in their absolute form.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Files {
    texts: BTreeMap<String, String>,
    absolute: BTreeMap<String, String>,
}

/// A source that keeps what is read from another one.
pub struct Recording<'a> {
    of: &'a dyn Source,
    read: Mutex<Files>,
}

impl<'a> Recording<'a> {
    /// Nothing is read yet.
    pub fn new(of: &'a dyn Source) -> Recording<'a> {
        Recording { of, read: Mutex::default() }
    }

    /// What was read.
    pub(super) fn files(&self) -> Files {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep(&self, path: &str, bytes: &[u8]) {
        // What is no text is refused by whoever asked for it, here as at a worker.
        if let Ok(text) = std::str::from_utf8(bytes) {
            let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            read.texts.insert(path.to_owned(), text.to_owned());
        }
    }
}

impl Source for Recording<'_> {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.of.read(path).inspect(|bytes| self.keep(path, bytes))
    }

    fn read_referenced(&self, path: &str) -> io::Result<Vec<u8>> {
        self.of.read_referenced(path).inspect(|bytes| self.keep(path, bytes))
    }

    fn join(&self, from: &str, reference: &str) -> String {
        self.of.join(from, reference)
    }

    fn absolute(&self, path: &str) -> String {
        let absolute = self.of.absolute(path);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.absolute.insert(path.to_owned(), absolute.clone());
        absolute
    }

    fn plan(&self, path: &str) -> Result<(Plan, String), Unreadable> {
        self.of.plan(path)
    }
}

/// A worker's: the files that were sent. Contact plans are folders of their own, and are read where the worker is.
impl Source for Files {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let text = self.texts.get(path).ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "it was not sent"))?;
        Ok(text.as_bytes().to_vec())
    }

    fn join(&self, from: &str, reference: &str) -> String {
        Disk.join(from, reference)
    }

    fn absolute(&self, path: &str) -> String {
        self.absolute.get(path).cloned().unwrap_or_else(|| path.to_owned())
    }

    fn plan(&self, path: &str) -> Result<(Plan, String), Unreadable> {
        Disk.plan(path)
    }
}
