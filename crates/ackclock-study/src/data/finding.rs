//! Differences from the publication that are known, and how its text is read, with the experiments that show it.

use serde::Deserialize;

use super::{Compared, Predicate, Shown};

/// `findings.toml`: a difference that is known, or a reading of the text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Finding {
    pub id: String,
    pub title: String,
    pub text: String,
    /// The card that a reading is about. Its number of seeds is that of the experiments.
    pub card: Option<String>,
    /// Names of cells and claims that hold, to which a reading belongs.
    #[serde(default)]
    pub about: Vec<String>,
    /// What was measured to establish it, in words.
    #[serde(default)]
    pub evidence: Vec<String>,
    /// What is measured to establish it, every time.
    #[serde(default, rename = "experiment")]
    pub experiments: Vec<Experiment>,
    /// Names of cells, `card/row/column`, and of claims, `claim:id`, that differ however much of the study is examined.
    #[serde(default)]
    pub covers: Vec<String>,
    /// Cells and claims that differ only with the seeds of the whole study.
    #[serde(default)]
    pub whole_only: Vec<String>,
    /// Cells and claims that differ only with the few seeds of the quick subset.
    #[serde(default)]
    pub quick_only: Vec<String>,
}

/// Runs that show why something differs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Experiment {
    pub text: String,
    /// What is compared, of what.
    pub label: String,
    /// What is shown of each choice.
    pub show: Vec<Shown>,
    #[serde(rename = "row")]
    pub rows: Vec<Compared>,
    /// What must be true, or the text is not.
    pub test: Option<Predicate>,
}

impl Finding {
    /// Whether it says how the text is read, and explains no difference.
    pub fn is_reading(&self) -> bool {
        self.covered(false).chain(self.covered(true)).next().is_none()
    }

    /// The cells and claims that it explains in the quick subset, or in the whole study.
    pub fn covered(&self, quick: bool) -> impl Iterator<Item = &String> {
        self.covers.iter().chain(if quick { &self.quick_only } else { &self.whole_only })
    }
}

/// The whole of `findings.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Findings {
    #[serde(default)]
    pub finding: Vec<Finding>,
}
