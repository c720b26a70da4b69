//! What the TOML files of a study may say: their types, and nothing else. Here the study itself and its points; each other file has a
//! module of its own.

pub(crate) mod abbreviation;
mod assumption;
mod axis_plot;
mod claim;
mod comparison;
pub(crate) mod figures;
mod finding;
mod layout;
mod table;

pub use abbreviation::Abbreviation;
pub(crate) use assumption::{Assumption, Assumptions, Group, Mark, Reading, Shown, Together, alternative};
pub(crate) use axis_plot::{AxisPlot, AxisPlots};
pub(crate) use claim::{Claim, Claims, Instance, Over, Predicate, Quantity, Relation, Statistic};
pub(crate) use comparison::{Compared, Comparison, Comparisons};
pub(crate) use finding::{Experiment, Finding, Findings};
pub(crate) use table::{Beside, Column, Row, Table, Tolerance};

use std::collections::BTreeMap;

use serde::Deserialize;

/// Whose number or statement is judged: the key `tally`. Agreement with the publication is counted apart from the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Origin {
    /// The publication prints it.
    #[default]
    Published,
    /// Ours: parameters, lengths, exact arithmetic, numbers of other literature, claims about our own code.
    Own,
}

/// `study.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub title: String,
    pub citation: String,
    /// Seeds 1 to this per point.
    pub seeds: u64,
    /// Seeds of each point with `--quick`.
    pub quick_seeds: u64,
    /// Seeds of each point for the alternatives of assumptions.
    pub sensitivity_seeds: u64,
    /// What counts as an efficiency of 1, unless a table says otherwise.
    pub capacity_mbps: f64,
    /// What in the publication does not fit together.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// Words of its tables and claims that not every reader knows.
    #[serde(default)]
    pub abbreviations: Vec<Abbreviation>,
    /// Warnings of the checker about what its scenarios mean to say.
    #[serde(default)]
    pub meant: Vec<Meant>,
    #[serde(rename = "card")]
    pub cards: Vec<Card>,
    #[serde(rename = "axis")]
    pub axes: Vec<Axis>,
}

/// A warning about a scenario that says what the scenario means.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Meant {
    /// The scenario file, as an axis names it.
    pub scenario: String,
    /// Words of the warning.
    pub warning: String,
    /// Why it is meant.
    pub reason: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Card {
    pub id: String,
    pub title: String,
    /// File of the table.
    pub table: Option<String>,
    /// Seeds 1 to this per point, whatever was asked for: for cards without randomness.
    pub seeds: Option<u64>,
    /// The same with `--quick`, where that is fewer.
    pub quick_seeds: Option<u64>,
    /// Whether it examines what the publication does not: all of it is our own then, unless a claim says otherwise.
    #[serde(default)]
    pub beyond: bool,
}

/// One dimension of the space of points.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Axis {
    pub name: String,
    pub values: Vec<AxisValue>,
}

/// One value on an axis, and what it sets.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AxisValue {
    pub name: String,
    /// The scenario file to start from. One axis names it.
    pub scenario: Option<String>,
    #[serde(default)]
    pub set: Vec<String>,
    /// Whether it means real hosts, on the TCP of this machine's kernel.
    #[serde(default)]
    pub live: bool,
}

/// Axis name to the values wanted on it. A point for every combination.
pub(crate) type Coordinates = BTreeMap<String, OneOrMany>;

/// One value or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub fn values(&self) -> &[String] {
        match self {
            OneOrMany::One(value) => std::slice::from_ref(value),
            OneOrMany::Many(values) => values,
        }
    }
}

/// A place in the space of points with everything chosen: a scenario file, settings, each `path=value`, and whether hosts are real.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    pub scenario: String,
    pub sets: Vec<String>,
    pub live: bool,
}

impl Point {
    /// The point with some settings replaced or added.
    pub fn with(&self, sets: &[String]) -> Point {
        let mut point = self.clone();
        for set in sets {
            let path = path_of(set);
            point.sets.retain(|old| path_of(old) != path);
            point.sets.push(set.clone());
        }
        point
    }
}

fn path_of(set: &str) -> &str {
    set.split('=').next().unwrap_or(set)
}

pub(crate) fn cell_id(card: &str, row: &str, column: &str) -> String {
    format!("{card}/{row}/{column}")
}

/// Coordinates of both; the second decides where both name an axis.
pub(crate) fn merged(first: &Coordinates, second: &Coordinates) -> Coordinates {
    let mut all = first.clone();
    all.extend(second.iter().map(|(axis, values)| (axis.clone(), values.clone())));
    all
}
