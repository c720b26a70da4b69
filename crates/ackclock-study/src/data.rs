//! What the TOML files of a study may say: their types, and nothing else.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::abbreviations::Abbreviation;
use crate::measure::MetricName;

/// `study.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub title: String,
    pub citation: String,
    /// Seeds 1 to this per point.
    pub seeds: u64,
    /// The same with `--quick`.
    pub quick_seeds: u64,
    /// The same for the alternatives of assumptions.
    pub sensitivity_seeds: u64,
    /// What counts as an efficiency of 1, unless a table says otherwise.
    pub capacity_mbps: f64,
    /// What in the publication does not fit together.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// Words of its tables and claims that not every reader knows.
    #[serde(default)]
    pub abbreviations: Vec<Abbreviation>,
    #[serde(rename = "card")]
    pub cards: Vec<Card>,
    #[serde(rename = "axis")]
    pub axes: Vec<Axis>,
}

/// A card.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Card {
    pub id: String,
    pub title: String,
    /// File of the table.
    pub table: Option<String>,
    /// Seeds 1 to this per point, whatever was asked for: for cards without randomness.
    pub seeds: Option<u64>,
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

/// A place in the space of points with everything chosen: a scenario file and settings, each `path=value`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    pub scenario: String,
    pub sets: Vec<String>,
}

impl Point {
    /// The same with some settings replaced or added.
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

/// `tables/*.toml`: a published table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    /// For people: what is in it, of what.
    pub quantity: String,
    pub metric: MetricName,
    pub capacity_mbps: Option<f64>,
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

/// How far apart still agrees.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tolerance {
    pub name: String,
    pub value: f64,
    #[serde(default)]
    pub is: Meaning,
    pub reason: String,
}

/// What the value of a tolerance means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Meaning {
    /// The largest distance of our mean from the published number.
    #[default]
    Distance,
    /// The same, as a share of the published number.
    Share,
    /// The same, in standard deviations of our runs, those at different points of one cell included.
    Deviations,
    /// The step of the last digit printed: our number, rounded, is the published one.
    Rounded,
    /// The same, but digits beyond the last were cut off.
    Truncated,
    /// The same, but rounded up.
    RoundedUp,
}

impl Tolerance {
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

/// A column of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Column {
    pub label: String,
    pub at: Coordinates,
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

fn one() -> f64 {
    1.0
}

fn two() -> usize {
    2
}

/// A row of a table: one number per column that it has. Where it names several points, its numbers are means over them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    pub label: String,
    pub at: Coordinates,
    /// It has the first so many columns, and the publication has nothing in the others; without it, it has all.
    pub columns: Option<usize>,
    pub published: Vec<f64>,
    /// Names of tolerances, one per column.
    pub tolerance: Vec<String>,
    #[serde(default)]
    pub quick: bool,
}

/// `claims.toml`: what the study says beyond its numbers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claim {
    pub id: String,
    /// The card it is examined with.
    pub card: String,
    pub text: String,
    #[serde(default)]
    pub quick: bool,
    /// Instances: each becomes a claim `id/label` with these coordinates added to every quantity.
    #[serde(default)]
    pub each: Vec<Instance>,
    pub test: Predicate,
}

/// An instance of a claim.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Instance {
    pub label: String,
    pub at: Coordinates,
    /// Not part of the quick subset although the claim is.
    #[serde(default)]
    pub slow: bool,
}

/// What must be true.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Predicate {
    /// Each quantity stands in the relation to the next.
    Order {
        metric: MetricName,
        is: Relation,
        of: Vec<Quantity>,
        /// What is closer together is equal.
        #[serde(default)]
        resolution: f64,
    },
    /// A quantity stands in the relation to a number.
    Bound {
        metric: MetricName,
        #[serde(default)]
        over: Over,
        of: Quantity,
        is: Relation,
        value: f64,
    },
    /// The difference of two quantities, seed by seed, stands in the relation to a number.
    Difference {
        metric: MetricName,
        of: Quantity,
        minus: Quantity,
        is: Relation,
        value: f64,
        /// The whole 95 % confidence interval, not only the mean.
        #[serde(default)]
        confident: bool,
    },
    /// A quantity lies between two numbers, or at one of them.
    Within { metric: MetricName, of: Quantity, from: f64, to: f64 },
    /// A quantity divided by another lies between two numbers, of which one may be left out.
    Quotient { metric: MetricName, of: Quantity, by: Quantity, at_least: Option<f64>, at_most: Option<f64> },
    /// The difference of two quantities stands in the relation to a number in at least this share of the seeds.
    Pairs { metric: MetricName, of: Quantity, minus: Quantity, is: Relation, value: f64, share: f64 },
}

impl Predicate {
    /// Whether it is about a statistic of the seeds, and not about single ones.
    pub fn asks_for_statistic(&self) -> bool {
        match self {
            Predicate::Bound { over, .. } => *over == Over::Mean,
            Predicate::Difference { .. } => false,
            _ => true,
        }
    }

    pub fn quantities(&self) -> Vec<&Quantity> {
        match self {
            Predicate::Order { of, .. } => of.iter().collect(),
            Predicate::Bound { of, .. } | Predicate::Within { of, .. } => vec![of],
            Predicate::Difference { of, minus: other, .. }
            | Predicate::Pairs { of, minus: other, .. }
            | Predicate::Quotient { of, by: other, .. } => vec![of, other],
        }
    }

    pub fn quantities_mut(&mut self) -> Vec<&mut Quantity> {
        match self {
            Predicate::Order { of, .. } => of.iter_mut().collect(),
            Predicate::Bound { of, .. } | Predicate::Within { of, .. } => vec![of],
            Predicate::Difference { of, minus: other, .. }
            | Predicate::Pairs { of, minus: other, .. }
            | Predicate::Quotient { of, by: other, .. } => vec![of, other],
        }
    }
}

/// A number made of measurements: the mean over its points and the seeds, another statistic, or the spread along an axis.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Quantity {
    pub label: String,
    #[serde(default)]
    pub at: Coordinates,
    /// Of the seeds. A difference, and what holds at every point or in every run, does not ask.
    #[serde(default)]
    pub statistic: Statistic,
    /// Largest less smallest of the means along this axis.
    pub spread_over: Option<String>,
}

/// What stands for all seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Statistic {
    /// The mean.
    #[default]
    Mean,
    /// The median: half of the seeds are above, half below.
    Median,
}

/// What a bound is meant for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Over {
    /// The mean over points and seeds.
    #[default]
    Mean,
    /// The mean over the seeds, at every point.
    EveryPoint,
    /// Every single run.
    EveryRun,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) enum Relation {
    #[serde(rename = "<")]
    Less,
    #[serde(rename = "<=")]
    AtMost,
    #[serde(rename = "==")]
    Equal,
    #[serde(rename = ">=")]
    AtLeast,
    #[serde(rename = ">")]
    Greater,
}

impl Relation {
    pub fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Relation::Less => left < right,
            Relation::AtMost => left <= right,
            Relation::Equal => left == right,
            Relation::AtLeast => left >= right,
            Relation::Greater => left > right,
        }
    }

    pub fn sign(self) -> &'static str {
        match self {
            Relation::Less => "<",
            Relation::AtMost => "≤",
            Relation::Equal => "=",
            Relation::AtLeast => "≥",
            Relation::Greater => ">",
        }
    }
}

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
    /// What the default is called in tables.
    pub default: String,
    #[serde(default, rename = "alternative")]
    pub alternatives: Vec<Alternative>,
    /// The points on which the alternatives are tried.
    #[serde(default)]
    pub on: Vec<Group>,
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

/// What is shown of a group that does not say.
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
}

/// Points that are averaged.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    pub label: String,
    pub at: Coordinates,
    /// What is shown of each choice.
    #[serde(default = "efficiency_and_fairness")]
    pub show: Vec<Shown>,
    /// Alternatives that make sense on these points only.
    #[serde(default, rename = "alternative")]
    pub alternatives: Vec<Alternative>,
}

/// `findings.toml`: a difference that is known.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Finding {
    pub id: String,
    pub title: String,
    pub text: String,
    pub evidence: Vec<String>,
    /// Names of cells, `card/row/column`, and of claims, `claim:id`, that differ however much of the study is examined.
    #[serde(default)]
    pub covers: Vec<String>,
    /// The same of those that differ only with the seeds of the whole study.
    #[serde(default)]
    pub whole_only: Vec<String>,
    /// The same of those that differ only with the few seeds of the quick subset.
    #[serde(default)]
    pub quick_only: Vec<String>,
}

impl Finding {
    /// The cells and claims that it explains in the quick subset, or in the whole study.
    pub fn covered(&self, quick: bool) -> impl Iterator<Item = &String> {
        self.covers.iter().chain(if quick { &self.quick_only } else { &self.whole_only })
    }
}

/// The whole of `claims.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claims {
    pub claim: Vec<Claim>,
}

/// The whole of `assumptions.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Assumptions {
    pub assumption: Vec<Assumption>,
}

/// The whole of `findings.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Findings {
    #[serde(default)]
    pub finding: Vec<Finding>,
}

impl Assumption {
    /// The alternatives that make sense on these points.
    pub fn alternatives_on<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = &'a Alternative> {
        self.alternatives.iter().chain(&group.alternatives)
    }
}

impl Table {
    /// The columns that a row has.
    pub fn columns_of(&self, row: &Row) -> &[Column] {
        &self.columns[..row.columns.unwrap_or(self.columns.len()).min(self.columns.len())]
    }

    pub fn tolerance(&self, name: &str) -> Option<&Tolerance> {
        self.tolerances.iter().find(|tolerance| tolerance.name == name)
    }
}

/// The name of a cell.
pub(crate) fn cell_id(card: &str, row: &str, column: &str) -> String {
    format!("{card}/{row}/{column}")
}

/// Coordinates of both; the second decides where both name an axis.
pub(crate) fn merged(first: &Coordinates, second: &Coordinates) -> Coordinates {
    let mut all = first.clone();
    all.extend(second.iter().map(|(axis, values)| (axis.clone(), values.clone())));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees(value: f64, is: Meaning, ours: f64, published: f64) -> bool {
        Tolerance { name: "t".into(), value, is, reason: "r".into() }.agrees(ours, published, 2.0)
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
        let tolerance = Tolerance { name: "t".into(), value: 0.01, is: Meaning::RoundedUp, reason: "r".into() };
        assert_eq!((tolerance.printed(0.07), tolerance.printed_decimals()), (Some(0.07), Some(2)));
        // What is a step in decimal may be a little off in binary, on either side.
        assert!(agrees(0.1, Meaning::RoundedUp, 160.3, 160.3) && agrees(0.1, Meaning::Truncated, 160.3, 160.3));
        assert!(agrees(1.0, Meaning::Truncated, 217_320.0, 217_320.0));
    }
}
