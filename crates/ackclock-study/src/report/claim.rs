//! Quantities and predicates: whether a claim holds, and the numbers that decide it.

use ackclock::record::stats::{Summary, summarize};

use crate::data::{Claim, Coordinates, Over, Point, Predicate, Quantity, Relation, Statistic};
use crate::measure::{Measurement, Metric};
use crate::study::Study;

/// The measurements of a study, seeds 1 to `seeds` at every point asked for.
#[derive(Clone, Copy)]
pub(crate) struct Measured<'a> {
    pub study: &'a Study,
    pub seeds: u64,
    pub run: &'a dyn Fn(&Point, u64) -> &'a Measurement,
}

/// Whether a claim holds, and why.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Examined {
    pub holds: bool,
    pub evidence: String,
}

impl Measured<'_> {
    /// For each seed the mean of a metric over points; `None` where it has no meaning at any of them.
    pub fn per_seed(&self, points: &[Point], metric: &Metric) -> Vec<Option<f64>> {
        let of_seed = |seed| {
            let values: Vec<f64> = points.iter().filter_map(|point| metric.value((self.run)(point, seed))).collect();
            summarize(&values).map(|summary| summary.mean)
        };
        (1..=self.seeds).map(of_seed).collect()
    }

    /// The mean of a metric over points, over the seeds.
    pub fn summary(&self, points: &[Point], metric: &Metric) -> Option<Summary> {
        let values: Vec<f64> = self.per_seed(points, metric).into_iter().flatten().collect();
        summarize(&values)
    }

    /// Whether a claim holds.
    pub fn examine(&self, claim: &Claim) -> Examined {
        match &claim.test {
            Predicate::Order { metric, is, of, resolution } => {
                self.order(&self.study.metric(metric, None), *is, of, *resolution)
            }
            Predicate::Bound { metric, over, of, is, value } => {
                let metric = &self.study.metric(metric, None);
                let points = self.study.checked_points(&of.at);
                match over {
                    Over::Mean => self.mean_bound(metric, of, *is, *value),
                    Over::EveryPoint => {
                        let mean = |point| self.summary(&[point], metric).map(|summary| summary.mean);
                        every_bound(points.into_iter().map(mean).collect(), of, *is, *value)
                    }
                    Over::EveryRun => {
                        let runs = points.into_iter().flat_map(|point| self.per_seed(&[point], metric));
                        every_bound(runs.collect(), of, *is, *value)
                    }
                }
            }
            Predicate::Difference { metric, of, minus, is, value, confident } => {
                self.differences(&self.study.metric(metric, None), of, minus).examine(*is, *value, *confident)
            }
            Predicate::Within { metric, of, from, to } => {
                let value = self.value(of, &self.study.metric(metric, None));
                Examined {
                    holds: value.is_some_and(|value| (*from..=*to).contains(&value)),
                    evidence: format!("{} {}; wanted: {from} to {to}", of.label, number(value)),
                }
            }
            Predicate::Quotient { metric, of, by, at_least, at_most } => {
                let metric = &self.study.metric(metric, None);
                let value = self.value(of, metric).zip(self.value(by, metric)).map(|(of, by)| of / by);
                let (least, most) = (at_least.unwrap_or(f64::NEG_INFINITY), at_most.unwrap_or(f64::INFINITY));
                let bounds = [("≥", at_least), ("≤", at_most)];
                let wanted: Vec<String> =
                    bounds.iter().filter_map(|(sign, bound)| Some(format!("{sign} {}", bound.as_ref()?))).collect();
                Examined {
                    holds: value.is_some_and(|value| (least..=most).contains(&value)),
                    evidence: format!(
                        "{} over {}: {}; wanted: {}",
                        of.label,
                        by.label,
                        number(value),
                        wanted.join(" and ")
                    ),
                }
            }
            Predicate::Pairs { metric, of, minus, is, value, share } => {
                self.differences(&self.study.metric(metric, None), of, minus).examine_each(*is, *value, *share)
            }
        }
    }

    /// The value of a quantity.
    fn value(&self, quantity: &Quantity, metric: &Metric) -> Option<f64> {
        let mean = |at: &Coordinates| {
            let points = self.study.checked_points(at);
            match quantity.statistic {
                Statistic::Mean => self.summary(&points, metric).map(|summary| summary.mean),
                Statistic::Median => median(self.per_seed(&points, metric).into_iter().flatten().collect()),
            }
        };
        let Some(axis) = &quantity.spread_over else { return mean(&quantity.at) };
        let along = quantity.at[axis].values().iter();
        let means: Option<Vec<f64>> = along.map(|value| mean(&with(&quantity.at, axis, value))).collect();
        summarize(&means?).map(|summary| summary.max - summary.min)
    }

    fn order(&self, metric: &Metric, is: Relation, of: &[Quantity], resolution: f64) -> Examined {
        let values: Vec<Option<f64>> = of.iter().map(|quantity| self.value(quantity, metric)).collect();
        let holds = values.windows(2).all(|pair| match pair {
            [Some(left), Some(right)] if (left - right).abs() < resolution => is.holds(0.0, 0.0),
            [Some(left), Some(right)] => is.holds(*left, *right),
            _ => false,
        });
        let numbers: Vec<String> =
            of.iter().zip(&values).map(|(quantity, value)| format!("{} {}", quantity.label, number(*value))).collect();
        let closer = if resolution > 0.0 { format!(" (closer than {resolution}: equal)") } else { String::new() };
        Examined { holds, evidence: format!("{}; wanted: each {} the next{closer}", numbers.join(", "), is.sign()) }
    }

    fn mean_bound(&self, metric: &Metric, of: &Quantity, is: Relation, bound: f64) -> Examined {
        let value = self.value(of, metric);
        let interval = match (&of.spread_over, of.statistic) {
            (Some(_), _) | (_, Statistic::Median) => String::new(),
            (None, Statistic::Mean) => {
                self.summary(&self.study.checked_points(&of.at), metric).map_or(String::new(), |s| interval(&s))
            }
        };
        Examined {
            holds: value.is_some_and(|value| is.holds(value, bound)),
            evidence: format!("{} {}{interval}; wanted: {} {}", of.label, number(value), is.sign(), bound),
        }
    }

    /// The difference of two quantities for each seed for which both have a value.
    fn differences(&self, metric: &Metric, of: &Quantity, minus: &Quantity) -> Differences {
        let values_of = |quantity: &Quantity| self.per_seed(&self.study.checked_points(&quantity.at), metric);
        let pairs = values_of(of).into_iter().zip(values_of(minus));
        Differences {
            label: format!("{} less {}", of.label, minus.label),
            values: pairs.filter_map(|(left, right)| Some(left? - right?)).collect(),
        }
    }
}

/// The difference of two quantities, seed by seed.
struct Differences {
    label: String,
    values: Vec<f64>,
}

impl Differences {
    /// Whether at least this share of them stands in the relation to a number.
    fn examine_each(&self, is: Relation, bound: f64, share: f64) -> Examined {
        let obeying = self.values.iter().filter(|difference| is.holds(**difference, bound)).count();
        let all = self.values.len();
        let (sign, wanted) = (is.sign(), share * 100.0);
        Examined {
            holds: all > 0 && obeying as f64 >= share * all as f64,
            evidence: format!("{}: {sign} {bound} in {obeying} of {all} seeds; wanted: in {wanted} %", self.label),
        }
    }

    /// Whether their mean, or the whole of its confidence interval, stands in the relation to a number.
    fn examine(&self, is: Relation, bound: f64, confident: bool) -> Examined {
        let Some(summary) = summarize(&self.values) else {
            return Examined { holds: false, evidence: format!("{}: nothing to compare", self.label) };
        };
        let ends = match (confident, summary.ci95) {
            (false, _) => vec![summary.mean],
            (true, Some(half)) => vec![summary.mean - half, summary.mean + half],
            (true, None) => Vec::new(),
        };
        Examined {
            holds: !ends.is_empty() && ends.iter().all(|end| is.holds(*end, bound)),
            evidence: format!(
                "{}: {}{} over {} seeds; wanted: {}{} {bound}",
                self.label,
                number(Some(summary.mean)),
                interval(&summary),
                summary.n,
                if confident { "all of it " } else { "" },
                is.sign(),
            ),
        }
    }
}

/// All values must obey the bound.
fn every_bound(values: Vec<Option<f64>>, of: &Quantity, is: Relation, bound: f64) -> Examined {
    let obeying = values.iter().filter(|value| value.is_some_and(|value| is.holds(value, bound))).count();
    let known: Vec<f64> = values.iter().copied().flatten().collect();
    let range = match summarize(&known) {
        Some(range) if range.min == range.max => number(Some(range.min)),
        Some(range) => format!("{} to {}", number(Some(range.min)), number(Some(range.max))),
        None => number(None),
    };
    let (sign, all) = (is.sign(), values.len());
    Examined { holds: obeying == all, evidence: format!("{} {range}; {sign} {bound} in {obeying} of {all}", of.label) }
}

/// The coordinates with one value on an axis.
fn with(at: &Coordinates, axis: &str, value: &str) -> Coordinates {
    let mut at = at.clone();
    at.insert(axis.into(), crate::data::OneOrMany::One(value.into()));
    at
}

/// The value in the middle, or the mean of the two there.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        _ if values.is_empty() => None,
        0 => Some((values[middle - 1] + values[middle]) / 2.0),
        _ => Some(values[middle]),
    }
}

fn interval(summary: &Summary) -> String {
    summary.ci95.map_or(String::new(), |half| format!(" ±{half:.3}"))
}

/// A measured number: whole ones (counts) as they are, everything else to three digits.
fn number(value: Option<f64>) -> String {
    match value {
        None => "undefined".into(),
        Some(value) if value.fract() == 0.0 => format!("{value}"),
        Some(value) => format!("{value:.3}"),
    }
}
