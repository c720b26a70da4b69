//! What the publication leaves open, and the alternatives.

use serde::Deserialize;

use super::Coordinates;
use super::table::{one, two};
use crate::measure::MetricName;

/// `assumptions.toml`: what the publication leaves open.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Assumption {
    pub id: String,
    /// The card it is reported with.
    pub card: String,
    pub statement: String,
    pub mark: Mark,
    pub reason: String,
    /// Why it was chosen when its results were known already, in a sentence; left out of what was chosen before.
    pub after_results: Option<String>,
    /// What the default is called in tables.
    pub default: String,
    #[serde(default, rename = "alternative")]
    pub alternatives: Vec<Alternative>,
    /// What is shown of each choice, of groups that do not say.
    #[serde(default = "efficiency_and_fairness")]
    pub show: Vec<Shown>,
    /// The points on which the alternatives are tried.
    #[serde(default)]
    pub on: Vec<Group>,
}

impl Assumption {
    /// What is shown of each choice of a group.
    pub fn shown_on<'a>(&'a self, group: &'a Group) -> &'a [Shown] {
        group.show.as_deref().unwrap_or(&self.show)
    }

    /// The alternatives that make sense on these points.
    pub fn alternatives_on<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = &'a Alternative> {
        self.alternatives.iter().chain(&group.alternatives)
    }
}

/// A number that is shown of each choice.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shown {
    pub label: String,
    pub metric: MetricName,
    /// What the metric is divided by.
    #[serde(default = "one")]
    pub unit: f64,
    /// Decimals.
    #[serde(default = "two")]
    pub decimals: usize,
}

/// What is shown where nothing is said.
fn efficiency_and_fairness() -> Vec<Shown> {
    let shown = |label: &str, metric| Shown { label: label.into(), metric, unit: one(), decimals: two() };
    vec![shown("efficiency", MetricName::Efficiency), shown("fairness", MetricName::Fairness)]
}

/// How sure an assumption is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mark {
    /// In the publication.
    Stated,
    /// In other publications.
    Literature,
    /// Our deduction.
    Inferred,
}

/// Another choice.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Alternative {
    pub label: String,
    pub set: Vec<String>,
    /// The cards whose numbers and claims are judged again with it.
    #[serde(default)]
    pub judged: Vec<String>,
}

/// Points that are averaged.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    pub label: String,
    pub at: Coordinates,
    /// What is shown of each choice, if it is not what the assumption says.
    pub show: Option<Vec<Shown>>,
    /// Alternatives that make sense on these points only.
    #[serde(default, rename = "alternative")]
    pub alternatives: Vec<Alternative>,
}

/// The whole of `assumptions.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Assumptions {
    pub assumption: Vec<Assumption>,
}
