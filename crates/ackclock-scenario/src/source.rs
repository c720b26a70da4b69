//! Where the texts of scenario files come from.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Where the texts of scenario files come from: a disk, or files embedded in a program.
pub trait Source {
    /// The bytes of the file at `path`.
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;
    /// The path that `extends = "reference"` in the file `from` means.
    fn join(&self, from: &str, reference: &str) -> String;
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
