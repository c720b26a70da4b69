//! A published table of a study, and what still agrees with it.

use serde::Deserialize;

use super::layout::Layout;
use super::{Coordinates, Origin};
use crate::measure::{Metric, MetricName};

/// `tables/*.toml`: a published table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    /// For people: what is in it, of what.
    pub quantity: String,
    pub metric: MetricName,
    pub capacity_mbps: Option<f64>,
    /// Whose numbers they are.
    #[serde(default)]
    pub tally: Origin,
    /// Why its measure was chosen when its results were known already.
    pub after_results: Option<String>,
    /// How the publication arranges it, if otherwise.
    pub layout: Option<Layout>,
    #[serde(default)]
    pub beside: Vec<Beside>,
    #[serde(rename = "tolerance")]
    pub tolerances: Vec<Tolerance>,
    #[serde(rename = "column")]
    pub columns: Vec<Column>,
    #[serde(rename = "row")]
    pub rows: Vec<Row>,
}

/// Another way to compute the numbers of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Beside {
    pub label: String,
    pub capacity_mbps: f64,
    #[serde(default)]
    pub after_warmup: bool,
}

impl Beside {
    pub fn metric(&self) -> Metric {
        Metric::efficiency(self.capacity_mbps * 1e6, self.after_warmup)
    }
}

/// How far apart still agrees.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tolerance {
    pub name: String,
    pub value: f64,
    #[serde(default)]
    pub is: Meaning,
    pub reason: String,
    /// Why it was chosen when its results were known already.
    pub after_results: Option<String>,
}

/// What the value of a tolerance means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Meaning {
    /// The largest distance of our mean from the published number.
    #[default]
    Distance,
    /// A distance, as a share of the published number.
    Share,
    /// A distance, in standard deviations of our runs, those at different points of one cell included.
    Deviations,
    /// The step of the last digit printed: our number, rounded, is the published one.
    Rounded,
    /// The step of the last digit printed: our number, truncated, is the published one.
    Truncated,
    /// The step of the last digit printed: our number, rounded up, is the published one.
    RoundedUp,
}

impl Tolerance {
    #[cfg(test)]
    pub fn distance_of(value: f64) -> Tolerance {
        Tolerance { name: "t".into(), value, is: Meaning::Distance, reason: "r".into(), after_results: None }
    }

    /// How far our mean may be from `published`, if our runs scatter with this standard deviation.
    pub fn distance(&self, published: f64, deviation: f64) -> f64 {
        match self.is {
            Meaning::Share => self.value * published.abs(),
            Meaning::Deviations => self.value * deviation,
            _ => self.value,
        }
    }

    /// Whether our mean agrees. Published numbers have few digits: what equals the tolerance in decimal shall not fail
    /// in binary.
    pub fn agrees(&self, ours: f64, published: f64, deviation: f64) -> bool {
        match self.printed(ours) {
            Some(printed) => (printed / self.value).round() == (published / self.value).round(),
            None => (ours - published).abs() <= self.distance(published, deviation) + tiny(published),
        }
    }

    /// A number of ours with as many digits as the study printed, got as the study got them; `None` where not every digit is
    /// asked for.
    pub fn printed(&self, ours: f64) -> Option<f64> {
        let steps = ours / self.value;
        let steps = match self.is {
            Meaning::Rounded => steps.round(),
            Meaning::Truncated => (steps + tiny(ours)).floor(),
            Meaning::RoundedUp => (steps - tiny(ours)).ceil(),
            _ => return None,
        };
        Some(steps * self.value)
    }

    /// Decimals of the last digit that was printed; `None` where not every digit is asked for.
    pub fn printed_decimals(&self) -> Option<usize> {
        let is_whole = |decimals: &i32| (self.value * 10_f64.powi(*decimals)).fract().abs() < 1e-9;
        self.is_exact().then(|| (0..9).find(is_whole).unwrap_or(9) as usize)
    }

    /// Whether it is about how single runs scatter.
    pub fn is_about_runs(&self) -> bool {
        self.is == Meaning::Deviations
    }

    /// Whether it asks for every digit that was printed.
    pub fn is_exact(&self) -> bool {
        matches!(self.is, Meaning::Rounded | Meaning::Truncated | Meaning::RoundedUp)
    }
}

/// What a number may be off because decimal fractions are none in binary.
fn tiny(number: f64) -> f64 {
    1e-12 * number.abs().max(1.0)
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Column {
    pub label: String,
    pub at: Coordinates,
    /// Whose numbers they are.
    #[serde(default)]
    pub tally: Origin,
    /// Instead of the table's.
    pub metric: Option<MetricName>,
    /// What the metric is divided by: the unit of the column.
    #[serde(default = "one")]
    pub unit: f64,
    /// What is added to it then, where the study counts from somewhere else.
    #[serde(default)]
    pub plus: f64,
    /// Decimals of its numbers.
    #[serde(default = "two")]
    pub decimals: usize,
}

/// The unit of a number that names none.
pub(super) fn one() -> f64 {
    1.0
}

/// The decimals of a number that names none.
pub(super) fn two() -> usize {
    2
}

/// A row of a table: one number per column that it has. Where it names several points, its numbers are means over them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    pub label: String,
    pub at: Coordinates,
    /// Whose numbers they are.
    #[serde(default)]
    pub tally: Origin,
    /// It has the first so many columns, and the publication has nothing in the others; without it, it has all.
    pub columns: Option<usize>,
    pub published: Vec<f64>,
    /// Names of tolerances, one per column.
    pub tolerance: Vec<String>,
    #[serde(default)]
    pub quick: bool,
}

impl Table {
    /// The columns that a row has.
    pub fn columns_of(&self, row: &Row) -> &[Column] {
        &self.columns[..row.columns.unwrap_or(self.columns.len()).min(self.columns.len())]
    }

    /// What the numbers of a column are.
    pub fn metric_of<'a>(&'a self, column: &'a Column) -> &'a MetricName {
        column.metric.as_ref().unwrap_or(&self.metric)
    }

    /// Whether the publication prints the number: nothing says that it is ours.
    pub fn is_published(&self, row: &Row, column: &Column) -> bool {
        [self.tally, row.tally, column.tally] == [Origin::Published; 3]
    }

    /// What is wrong with its layout: every published cell has one place; a place may be empty.
    pub fn check_layout(&self) -> Result<(), String> {
        let Some(layout) = &self.layout else { return Ok(()) };
        let mut places: Vec<String> =
            layout.rows.iter().flat_map(|row| layout.columns.iter().map(|column| column.cell_of(row))).collect();
        places.sort();
        if let Some(twice) = places.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("the layout has two places for \"{}\"", twice[0]));
        }
        for row in &self.rows {
            for column in self.columns_of(row) {
                let cell = format!("{}/{}", row.label, column.label);
                if self.is_published(row, column) && places.binary_search(&cell).is_err() {
                    return Err(format!("the layout has no place for \"{cell}\""));
                }
            }
        }
        Ok(())
    }

    pub fn tolerance(&self, name: &str) -> Option<&Tolerance> {
        self.tolerances.iter().find(|tolerance| tolerance.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tolerance(value: f64, is: Meaning) -> Tolerance {
        Tolerance { is, ..Tolerance::distance_of(value) }
    }

    fn agrees(value: f64, is: Meaning, ours: f64, published: f64) -> bool {
        tolerance(value, is).agrees(ours, published, 2.0)
    }

    #[test]
    fn a_tolerance_is_a_distance_a_share_or_so_many_deviations() {
        assert!(agrees(0.1, Meaning::Distance, 0.8, 0.9) && !agrees(0.1, Meaning::Distance, 0.79, 0.9));
        assert!(agrees(0.1, Meaning::Share, 220.0, 200.0) && !agrees(0.1, Meaning::Share, 221.0, 200.0));
        assert!(agrees(3.0, Meaning::Deviations, 206.0, 200.0) && !agrees(3.0, Meaning::Deviations, 206.1, 200.0));
    }

    /// As the digits of a number are printed: 160.2528 s as 160.252, 160.253 or, rounded up to tenths, 160.3.
    #[test]
    fn printed_digits_are_cut_off_rounded_or_rounded_up() {
        assert!(agrees(0.001, Meaning::Truncated, 160.2528, 160.252));
        assert!(!agrees(0.001, Meaning::Truncated, 160.2528, 160.253));
        assert!(agrees(0.001, Meaning::Rounded, 160.2528, 160.253));
        assert!(!agrees(0.001, Meaning::Rounded, 160.2524, 160.253));
        assert!(agrees(0.1, Meaning::RoundedUp, 160.2528, 160.3));
        assert!(!agrees(0.1, Meaning::RoundedUp, 160.3001, 160.3));
        // 0.07 are 7.000000000000001 hundredths in binary.
        let tolerance = tolerance(0.01, Meaning::RoundedUp);
        assert_eq!((tolerance.printed(0.07), tolerance.printed_decimals()), (Some(0.07), Some(2)));
        // What is a step in decimal may be a little off in binary, on either side.
        assert!(agrees(0.1, Meaning::RoundedUp, 160.3, 160.3) && agrees(0.1, Meaning::Truncated, 160.3, 160.3));
        assert!(agrees(1.0, Meaning::Truncated, 217_320.0, 217_320.0));
    }
}
