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
    #[serde(default = "two")]
    pub decimals: usize,
}

/// What is shown where nothing is said.
fn efficiency_and_fairness() -> Vec<Shown> {
    let shown =
        |name: &str| Shown { label: name.into(), metric: MetricName::known(name), unit: one(), decimals: two() };
    vec![shown("efficiency"), shown("fairness")]
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

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Alternative {
    pub label: String,
    pub set: Vec<String>,
    /// The cards whose numbers and claims are judged again with it.
    #[serde(default)]
    pub judged: Vec<String>,
    /// Whether it is a second reading, which stands beside the default in the tables and in the verdict.
    #[serde(default)]
    pub beside: bool,
}

/// Alternatives to several assumptions at once.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Together {
    pub id: String,
    /// What it is called.
    pub label: String,
    /// Why they belong together.
    pub reason: String,
    /// The alternatives, `assumption/label`.
    pub of: Vec<String>,
    /// What is set besides; with what the alternatives set, once the study is loaded.
    #[serde(default)]
    pub set: Vec<String>,
    /// The cards whose numbers and claims are judged again with them.
    pub judged: Vec<String>,
    /// As of an alternative.
    #[serde(default)]
    pub beside: bool,
}

impl Together {
    /// Adds what the alternatives set; what it sets itself replaces that.
    pub fn gather(&mut self, assumptions: &[Assumption]) {
        let of = self.of.iter().filter_map(|name| alternative(assumptions, name));
        let sets: Vec<String> = of.flat_map(|(_, alternative)| &alternative.set).chain(&self.set).cloned().collect();
        self.set = sets;
    }
}

/// An assumption and an alternative to it, by `assumption/label`.
pub(crate) fn alternative<'a>(assumptions: &'a [Assumption], name: &str) -> Option<(&'a Assumption, &'a Alternative)> {
    let (id, label) = name.split_once('/')?;
    let assumption = assumptions.iter().find(|assumption| assumption.id == id)?;
    let of_groups = assumption.on.iter().flat_map(|group| &group.alternatives);
    let mut all = assumption.alternatives.iter().chain(of_groups);
    Some((assumption, all.find(|alternative| alternative.label == label)?))
}

/// Settings with which cards are judged again: of an alternative, or of several together.
#[derive(Clone, Debug)]
pub(crate) struct Reading<'a> {
    /// The name of the assumption, or of the alternatives together.
    pub id: &'a str,
    pub statement: &'a str,
    /// Why the default was chosen when its results were known, if it was.
    pub after_results: Option<String>,
    /// What the default is called.
    pub default: String,
    pub label: &'a str,
    pub set: &'a [String],
    pub beside: bool,
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
    #[serde(default)]
    pub together: Vec<Together>,
}
