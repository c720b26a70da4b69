//! Where the texts of scenario files come from.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use ackclock_sat::plan::Plan;

/// Where the texts of scenario files come from: a disk, or files embedded in a program.
pub trait Source {
    /// The bytes of the file at `path`.
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;
    /// The path that `extends = "reference"` in the file `from` means.
    fn join(&self, from: &str, reference: &str) -> String;

    /// The same path, such that it means the same file wherever it is written.
    fn absolute(&self, path: &str) -> String {
        path.to_owned()
    }

    /// The contact plan in the folder at `path`, and the BLAKE3 of its index.
    fn plan(&self, path: &str) -> Result<(Plan, String), Unreadable> {
        Err(Unreadable {
            problem: format!("the contact plan {path} cannot be read here"),
            help: "run a scenario with a plan where the plan is a folder on a disk".to_owned(),
        })
    }
}

/// A contact plan that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// What is wrong, with the place.
    pub problem: String,
    /// What to do.
    pub help: String,
}

/// The file system.
pub struct Disk;

impl Source for Disk {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn join(&self, from: &str, reference: &str) -> String {
        let folder = Path::new(from).parent().unwrap_or(Path::new(""));
        folder.join(reference).to_string_lossy().into_owned()
    }

    fn absolute(&self, path: &str) -> String {
        std::path::absolute(path).map_or(path.to_owned(), |path| path.to_string_lossy().into_owned())
    }

    #[cfg(feature = "files")]
    fn plan(&self, path: &str) -> Result<(Plan, String), Unreadable> {
        let folder = Path::new(path);
        let plan = Plan::read(folder).map_err(|error| Unreadable { problem: error.to_string(), help: error.help() })?;
        let index = std::fs::read(folder.join(ackclock_sat::plan::files::INDEX));
        let index = index.map_err(|error| Unreadable {
            problem: format!("the index of {path} cannot be read: {error}"),
            help: "check the path and the disk".to_owned(),
        })?;
        Ok((plan, blake3::hash(&index).to_hex().to_string()))
    }
}

/// Files held in memory: embedded in a program, typed into a page, made up by a test. Paths are separated by `/`.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: BTreeMap<String, Vec<u8>>,
}

impl Memory {
    /// No files.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// The same with one more file, which replaces a file of that path.
    pub fn with(mut self, path: &str, content: impl Into<Vec<u8>>) -> Memory {
        self.files.insert(path.to_owned(), content.into());
        self
    }
}

impl Source for Memory {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.files.get(path).cloned().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no such file"))
    }

    fn join(&self, from: &str, reference: &str) -> String {
        let mut parts: Vec<&str> = match reference.strip_prefix('/') {
            Some(_) => vec![""],
            None => from.rsplit_once('/').map_or(Vec::new(), |(folder, _)| folder.split('/').collect()),
        };
        for part in reference.trim_start_matches('/').split('/') {
            match part {
                "." | "" => {}
                ".." if parts.last().is_some_and(|last| !last.is_empty() && *last != "..") => {
                    parts.pop();
                }
                _ => parts.push(part),
            }
        }
        parts.join("/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_relative_to_the_file_that_makes_them() {
        let memory = Memory::new();
        assert_eq!(memory.join("a/b/c.toml", "base.toml"), "a/b/base.toml");
        assert_eq!(memory.join("a/b/c.toml", "../base.toml"), "a/base.toml");
        assert_eq!(memory.join("c.toml", "./base.toml"), "base.toml");
        assert_eq!(memory.join("c.toml", "../base.toml"), "../base.toml");
        assert_eq!(memory.join("a/c.toml", "/base.toml"), "/base.toml");
        assert_eq!(Disk.join("c.toml", "base.toml"), "base.toml");
        assert_eq!(Disk.join("a/c.toml", "base.toml"), Path::new("a").join("base.toml").to_string_lossy());
    }
}
