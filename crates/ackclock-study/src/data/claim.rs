//! What a study says beyond its numbers: claims as predicates over quantities.

use serde::Deserialize;

use super::{Coordinates, Origin, merged};
use crate::measure::MetricName;

/// `claims.toml`: what the study says beyond its numbers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claim {
    pub id: String,
    /// The card it is examined with.
    pub card: String,
    pub text: String,
    /// Whose statement it is. Without it, the publication's, on a card beyond it ours.
    pub tally: Option<Origin>,
    /// Why its bound was chosen when its results were known already.
    pub after_results: Option<String>,
    /// Whether it says that there is no difference: it must hold where there is none.
    #[serde(default)]
    pub equality: bool,
    /// What the quantity of a bound or range would be if the effect were absent: the claim must fail there.
    pub absent: Option<f64>,
    #[serde(default)]
    pub quick: bool,
    /// Instances: each becomes a claim `id/label` with these coordinates added to every quantity.
    #[serde(default)]
    pub each: Vec<Instance>,
    pub test: Predicate,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Instance {
    pub label: String,
    pub at: Coordinates,
    /// Whose statement it is, if not that of the claim.
    pub tally: Option<Origin>,
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
    Within {
        metric: MetricName,
        of: Quantity,
        from: f64,
        to: f64,
        /// It is enough that the 95 % confidence interval reaches into the range.
        #[serde(default)]
        confident: bool,
        /// The ends of the range may be off by this share of themselves.
        #[serde(default)]
        widened: f64,
    },
    /// The change from one quantity to another, as a part of the first, is the one from a published number to another, but
    /// for this share of it.
    Change { metric: MetricName, from: Quantity, to: Quantity, published: [f64; 2], within: f64 },
    /// A quantity divided by another lies between two numbers, of which one may be left out.
    Quotient { metric: MetricName, of: Quantity, by: Quantity, at_least: Option<f64>, at_most: Option<f64> },
    /// The value on an axis at which one quantity is largest is not the one at which another is.
    BestDiffers { metric: MetricName, along: String, of: Vec<Quantity> },
    /// The difference of two quantities stands in the relation to a number in at least this share of the seeds.
    Pairs { metric: MetricName, of: Quantity, minus: Quantity, is: Relation, value: f64, share: f64 },
    /// The mean over the seeds of the difference between a point and the one with the coordinates in `apart_from` stands in
    /// the relation to a number at this share of all points of the quantities at least.
    Points { metric: MetricName, of: Vec<Quantity>, is: Relation, value: f64, share: f64 },
}

impl Predicate {
    /// Whether it is about a statistic of the seeds, and not about single ones.
    pub fn asks_for_statistic(&self) -> bool {
        match self {
            Predicate::Bound { over, .. } => *over == Over::Mean,
            Predicate::Difference { .. } | Predicate::Pairs { .. } => false,
            _ => true,
        }
    }

    /// Whether it would hold if there were no effect: if what it compares were equal, or if its quantity were `absent`. `None`
    /// where it compares nothing.
    pub fn holds_without_effect(&self, absent: Option<f64>) -> Option<bool> {
        let of_quantity = |of: &Quantity| absent.or(of.without_effect());
        match self {
            Predicate::Order { is, .. } => Some(is.holds(0.0, 0.0)),
            Predicate::Difference { is, value, .. }
            | Predicate::Pairs { is, value, .. }
            | Predicate::Points { is, value, .. } => Some(is.holds(0.0, *value)),
            Predicate::Bound { of, is, value, .. } => Some(is.holds(of_quantity(of)?, *value)),
            Predicate::Within { of, from, to, .. } => Some((*from..=*to).contains(&of_quantity(of)?)),
            Predicate::Quotient { at_least, at_most, .. } => {
                Some(at_least.is_none_or(|least| least <= 1.0) && at_most.is_none_or(|most| most >= 1.0))
            }
            Predicate::Change { within, .. } => Some(*within >= 1.0),
            Predicate::BestDiffers { .. } => Some(false),
        }
    }

    pub fn metric(&self) -> &MetricName {
        match self {
            Predicate::Order { metric, .. }
            | Predicate::Bound { metric, .. }
            | Predicate::Difference { metric, .. }
            | Predicate::Within { metric, .. }
            | Predicate::Change { metric, .. }
            | Predicate::Quotient { metric, .. }
            | Predicate::BestDiffers { metric, .. }
            | Predicate::Pairs { metric, .. }
            | Predicate::Points { metric, .. } => metric,
        }
    }

    pub fn quantities(&self) -> Vec<&Quantity> {
        match self {
            Predicate::Order { of, .. } | Predicate::BestDiffers { of, .. } | Predicate::Points { of, .. } => {
                of.iter().collect()
            }
            Predicate::Bound { of, .. } | Predicate::Within { of, .. } => vec![of],
            Predicate::Difference { of, minus: other, .. }
            | Predicate::Pairs { of, minus: other, .. }
            | Predicate::Quotient { of, by: other, .. }
            | Predicate::Change { from: of, to: other, .. } => vec![of, other],
        }
    }

    pub fn quantities_mut(&mut self) -> Vec<&mut Quantity> {
        match self {
            Predicate::Order { of, .. } | Predicate::BestDiffers { of, .. } | Predicate::Points { of, .. } => {
                of.iter_mut().collect()
            }
            Predicate::Bound { of, .. } | Predicate::Within { of, .. } => vec![of],
            Predicate::Difference { of, minus: other, .. }
            | Predicate::Pairs { of, minus: other, .. }
            | Predicate::Quotient { of, by: other, .. }
            | Predicate::Change { from: of, to: other, .. } => vec![of, other],
        }
    }
}

/// A number made of measurements: the mean over its points and the seeds, another statistic, or something made of several of
/// these.
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
    /// By how much of the first mean along this axis the last one is larger.
    pub gain_over: Option<String>,
    /// The distance from the mean at these coordinates, which replace those of `at`.
    pub apart_from: Option<Coordinates>,
    /// The quotient by the mean at these coordinates, which replace those of `at`.
    pub over: Option<Coordinates>,
}

impl Quantity {
    /// All coordinates that it needs.
    pub fn all_at(&self) -> Vec<Coordinates> {
        let others = self.apart_from.iter().chain(&self.over).map(|other| merged(&self.at, other));
        std::iter::once(self.at.clone()).chain(others).collect()
    }

    /// In how many ways it is made of several means; one at most has a meaning.
    pub fn ways(&self) -> usize {
        let axes = [&self.spread_over, &self.gain_over].into_iter().flatten().count();
        axes + [&self.apart_from, &self.over].into_iter().flatten().count()
    }

    /// The axis along which it takes means.
    pub fn along(&self) -> Option<&str> {
        self.spread_over.as_deref().or(self.gain_over.as_deref())
    }

    /// What it is if what it is made of is equal everywhere; `None` of a single mean.
    fn without_effect(&self) -> Option<f64> {
        let is_difference = self.along().is_some() || self.apart_from.is_some();
        is_difference.then_some(0.0).or(self.over.as_ref().map(|_| 1.0))
    }

    /// Whether it is a part of something, whatever the unit of the metric.
    pub fn is_ratio(&self) -> bool {
        self.gain_over.is_some() || self.over.is_some()
    }
}

/// What stands for all seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Statistic {
    #[default]
    Mean,
    /// The median: half of the seeds are above, half below.
    Median,
    /// The standard deviation, as of a sample.
    Deviation,
    Least,
    Largest,
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

/// The whole of `claims.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claims {
    pub claim: Vec<Claim>,
}
