//! Plots of metrics over an axis of a study.

use serde::Deserialize;

use super::{Compared, Coordinates, Shown, merged};

/// Curves over an axis: what a figure of a publication shows over a parameter. They are shown, not judged.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AxisPlot {
    pub id: String,
    /// The card it is reported with.
    pub card: String,
    pub title: String,
    /// What the publication describes there.
    pub shows: String,
    /// What all points have in common, with the values on the axis from left to right: numbers.
    pub at: Coordinates,
    /// The axis from left to right.
    pub over: String,
    /// What it is, with a unit.
    pub x: String,
    /// What is drawn, a plot each.
    pub show: Vec<Shown>,
    #[serde(rename = "curve")]
    pub curves: Vec<Compared>,
}

impl AxisPlot {
    /// The values on the axis; empty if it is not in `at`.
    pub fn values(&self) -> &[String] {
        self.at.get(&self.over).map_or(&[], |values| values.values())
    }

    /// The coordinates of a point of a curve.
    pub fn at(&self, curve: &Compared, value: &str) -> Coordinates {
        let mut at = merged(&self.at, &curve.at);
        at.insert(self.over.clone(), super::OneOrMany::One(value.into()));
        at
    }

    /// The coordinates of all points.
    pub fn all_at(&self) -> impl Iterator<Item = Coordinates> + '_ {
        self.curves.iter().flat_map(|curve| self.values().iter().map(|value| self.at(curve, value)))
    }
}

/// The whole of `plots.toml`, which a study may do without.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AxisPlots {
    #[serde(default)]
    pub plot: Vec<AxisPlot>,
}
