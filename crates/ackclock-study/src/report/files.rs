//! A report as files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ackclock_store::WholeFile;

use super::{Report, page};
use crate::figure::DrawnFigure;

/// What is written of it.
pub(crate) const FILES: [&str; 3] = ["report.json", "report.txt", "report.html"];

impl Report {
    /// Writes `report.json`, `report.txt` and `report.html` into the folder, each whole or not at all. `command` is how
    /// to repeat it.
    pub(crate) fn write(
        &self,
        folder: &Path,
        figures: &[DrawnFigure],
        command: &[String],
    ) -> Result<(), (PathBuf, io::Error)> {
        let page = page::render(self, figures, command);
        for (name, content) in FILES.into_iter().zip([self.json(), self.text(), page]) {
            let path = folder.join(name);
            let write = || -> io::Result<()> {
                let mut file = WholeFile::create(&path)?;
                file.write_all(content.as_bytes())?;
                file.commit()
            };
            write().map_err(|error| (path.clone(), error))?;
        }
        Ok(())
    }
}
