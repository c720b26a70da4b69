//! A folder of a test's own, removed at its end.

use std::path::{Path, PathBuf};

pub(crate) struct TestFolder(PathBuf);

impl TestFolder {
    pub fn new(name: &str) -> TestFolder {
        let path = std::env::temp_dir().join(format!("ackclock-study-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        TestFolder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
