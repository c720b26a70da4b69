//! What is found wrong in a folder that the program wrote: one line each, with its place and the remedy.

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use ackclock_columns::{Problem, files};
use serde::Serialize;

use crate::tables::TableError;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// Something is not as the program wrote it, or is missing.
    Damage,
    /// What a process left that was stopped, or what the program did not write. Results are not concerned.
    Remains,
}

/// Something found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Whether it is damage.
    pub weight: Weight,
    /// The file or folder.
    pub file: PathBuf,
    /// Where in it, as in `line 5`.
    pub place: Option<String>,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { file, place, what, remedy, .. } = self;
        let place = place.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
        write!(f, "`{}`{place}: {what}; {remedy}", file.display())
    }
}

/// All that was found in a folder, in the order in which it was looked at.
#[derive(Clone, Debug, Default)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// Adds damage of a file.
    pub fn damage(&mut self, file: &Path, what: impl Into<String>, remedy: impl Into<String>) {
        self.add(Weight::Damage, file, None, what.into(), remedy.into());
    }

    /// Adds damage at a place in a file.
    pub fn damage_at(
        &mut self,
        file: &Path,
        place: impl Into<String>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.add(Weight::Damage, file, Some(place.into()), what.into(), remedy.into());
    }

    /// Adds what is no damage.
    pub fn remains(&mut self, file: &Path, what: impl Into<String>, remedy: impl Into<String>) {
        self.add(Weight::Remains, file, None, what.into(), remedy.into());
    }

    /// Adds what is wrong with a table.
    pub fn table(&mut self, error: &TableError) {
        let what = match &error.problem {
            Problem::Missing => "it is missing".into(),
            Problem::Damaged(what) => what.clone(),
            // The message names the file in front.
            _ => {
                let said = error.to_string();
                let place = format!("`{}`", error.place.display());
                said.strip_prefix(&place).unwrap_or(&said).trim_start_matches(':').trim().to_owned()
            }
        };
        self.damage(&error.place, what, error.help());
    }

    /// Adds all of others.
    pub fn append(&mut self, others: Findings) {
        self.0.extend(others.0);
    }

    /// Takes what was found so far for remains: a process was stopped while it replaced these files.
    pub fn as_remains(mut self) -> Findings {
        for finding in &mut self.0 {
            finding.weight = Weight::Remains;
        }
        self
    }

    /// All of them.
    pub fn all(&self) -> &[Finding] {
        &self.0
    }

    /// Those of one weight.
    pub fn of(&self, weight: Weight) -> impl Iterator<Item = &Finding> {
        self.0.iter().filter(move |finding| finding.weight == weight)
    }

    fn add(&mut self, weight: Weight, file: &Path, place: Option<String>, what: String, remedy: String) {
        self.0.push(Finding { weight, file: file.to_path_buf(), place, what, remedy });
    }
}

/// The content of a file that has to be there; otherwise what is wrong is added, with this remedy.
pub fn read_file(path: &Path, remedy: &str, findings: &mut Findings) -> Option<Vec<u8>> {
    match files::read(path) {
        Ok(content) => Some(content),
        Err(error) => {
            let what = match error.kind() {
                ErrorKind::NotFound => "it is missing".into(),
                _ => format!("it cannot be read: {error}"),
            };
            findings.damage(path, what, remedy);
            None
        }
    }
}
