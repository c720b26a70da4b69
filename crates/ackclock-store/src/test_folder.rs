//! A folder of a test's own, removed at its end.

use std::path::{Path, PathBuf};

pub struct TestFolder(PathBuf);

impl TestFolder {
    pub fn new(name: &str) -> TestFolder {
        let path = std::env::temp_dir().join(format!("ackclock-store-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        TestFolder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The names in it, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
