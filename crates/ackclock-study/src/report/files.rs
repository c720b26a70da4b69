//! A report as files.

use std::io::{self, Write};

use ackclock_store::{ResultFolder, WholeFile};

use super::{Report, page};
use crate::error::Error;
use crate::figure::DrawnFigure;

/// What is written of it.
pub(crate) const FILES: [&str; 3] = ["report.json", "report.txt", "report.html"];

impl Report {
    /// Writes `report.json`, `report.txt` and `report.html` into the folder, each whole or not at all. `command` is how
    /// to repeat it.
    pub(crate) fn write(
        &self,
        folder: &mut ResultFolder,
        figures: &[DrawnFigure],
        command: &[String],
    ) -> Result<(), Error> {
        let page = page::render(self, figures, command);
        let contents = [self.json(), self.text(), page];
        let sums = contents.each_ref().map(|content| blake3::hash(content.as_bytes()).to_hex().to_string());
        let noted: Vec<(&str, String)> = FILES.into_iter().zip(sums).collect();
        folder.note(&noted, false)?;
        for (name, content) in FILES.into_iter().zip(&contents) {
            let path = folder.path().join(name);
            let write = || -> io::Result<()> {
                let mut file = WholeFile::create(&path)?;
                file.write_all(content.as_bytes())?;
                file.commit()
            };
            write().map_err(|error| Error::Results { path, error })?;
        }
        Ok(folder.note(&[], true)?)
    }
}
