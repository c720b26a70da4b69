//! Differences from the publication that are known, and how its text is read, with the experiments that show it.

use serde::Deserialize;

/// `findings.toml`: a difference that is known, or a reading of the text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Finding {
    pub id: String,
    pub title: String,
    pub text: String,
    #[serde(default)]
    pub evidence: Vec<String>,
    /// Names of comparisons whose runs show it. They are reported with it, and not with their cards.
    #[serde(default)]
    pub experiments: Vec<String>,
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

impl Finding {
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
