//! Predicates: whether a claim holds, and the numbers that decide it.

use ackclock::record::stats::summarize;

use super::quantity::Measured;
use super::written::Written;
use crate::data::{Over, Point, Predicate, Quantity, Relation, Statistic, merged};
use crate::measure::Metric;

/// Whether a claim holds, and why.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Examined {
    pub holds: bool,
    pub evidence: String,
}

impl Measured<'_> {
    /// Whether a predicate is true.
    pub fn examine(&self, test: &Predicate) -> Examined {
        let metric = &self.study.metric(test.metric(), None);
        match test {
            Predicate::Order { is, of, resolution, .. } => self.order(metric, *is, of, *resolution),
            Predicate::Bound { over, of, is, value, .. } => match over {
                Over::Mean => self.mean_bound(metric, of, *is, *value),
                Over::EveryPoint | Over::EveryRun => self.every_bound(metric, *over, of, (*is, *value)),
            },
            Predicate::Difference { of, minus, is, value, confident, .. } => {
                self.differences(metric, of, minus).examine(*is, *value, *confident)
            }
            Predicate::Within { of, from, to, confident, widened, .. } => {
                self.within(metric, of, [*from, *to], (*confident, *widened))
            }
            Predicate::Change { from, to, published, within, .. } => {
                self.change(metric, [from, to], *published, *within)
            }
            Predicate::Quotient { of, by, at_least, at_most, .. } => {
                self.quotient(metric, [of, by], [*at_least, *at_most])
            }
            Predicate::BestDiffers { along, of, .. } => self.best_differs(metric, along, of),
            Predicate::Pairs { of, minus, is, value, share, .. } => {
                self.differences(metric, of, minus).examine_each(*is, *value, *share)
            }
            Predicate::Points { of, is, value, share, .. } => self.most_points(metric, of, (*is, *value), *share),
        }
    }

    fn unit_of(&self, metric: &Metric, quantity: &Quantity) -> &str {
        if quantity.is_ratio() { "" } else { self.unit(metric, &quantity.at) }
    }

    fn order(&self, metric: &Metric, is: Relation, of: &[Quantity], resolution: f64) -> Examined {
        let values: Vec<Option<f64>> = of.iter().map(|quantity| self.value(quantity, metric)).collect();
        let holds = values.windows(2).all(|pair| match pair {
            [Some(left), Some(right)] if (left - right).abs() < resolution => is.holds(0.0, 0.0),
            [Some(left), Some(right)] => is.holds(*left, *right),
            _ => false,
        });
        let known: Vec<f64> = values.iter().copied().flatten().collect();
        let written = Written::of(self.unit_of(metric, &of[0]), &known, &[]);
        let numbers: Vec<String> = of
            .iter()
            .zip(&values)
            .map(|(quantity, value)| format!("{}: {}", quantity.label, written.number(*value)))
            .collect();
        let closer = match resolution > 0.0 {
            true => format!(" (closer than {}: equal)", written.bound(resolution)),
            false => String::new(),
        };
        Examined { holds, evidence: format!("{}; wanted: each {} the next{closer}", numbers.join(", "), is.sign()) }
    }

    fn mean_bound(&self, metric: &Metric, of: &Quantity, is: Relation, bound: f64) -> Examined {
        let value = self.value(of, metric);
        let written = Written::of(self.unit_of(metric, of), value.as_slice(), &[bound]);
        let summary = match (of.ways(), of.statistic) {
            (0, Statistic::Mean) => self.summary(&self.points(&of.at), metric),
            _ => None,
        };
        let number = match (value, summary.and_then(|summary| summary.ci95)) {
            (Some(value), Some(half)) => written.interval(value, half, metric.bounds()),
            (value, _) => written.number(value),
        };
        Examined {
            holds: value.is_some_and(|value| is.holds(value, bound)),
            evidence: format!("{}: {number}; wanted: {} {}", of.label, is.sign(), written.bound(bound)),
        }
    }

    /// All values must obey the bound: the means at every point, or those of every run.
    fn every_bound(&self, metric: &Metric, over: Over, of: &Quantity, (is, bound): (Relation, f64)) -> Examined {
        let mut values: Vec<Option<f64>> = Vec::new();
        for point in self.points(&of.at) {
            match over {
                Over::EveryRun => values.extend(self.per_seed(&[point], metric)),
                _ => values.push(self.summary(&[point], metric).map(|summary| summary.mean)),
            }
        }
        let obeying = values.iter().filter(|value| value.is_some_and(|value| is.holds(value, bound))).count();
        let known: Vec<f64> = values.iter().copied().flatten().collect();
        let range = summarize(&known);
        let ends = range.as_ref().map_or(Vec::new(), |range| vec![range.min, range.max]);
        let written = Written::of(self.unit_of(metric, of), &ends, &[bound]);
        let range = match range {
            Some(range) if range.min < range.max => written.range(range.min, range.max),
            range => written.number(range.map(|range| range.min)),
        };
        let (all, what) = (values.len(), if over == Over::EveryRun { "runs" } else { "points" });
        let (label, bound) = (&of.label, written.bound(bound));
        let wanted = format!("wanted: {} {bound} in all {what}", is.sign());
        Examined { holds: obeying == all, evidence: format!("{label}: {range}; {wanted}, so in {obeying} of {all}") }
    }

    /// A range, of which the ends may be off by a share of themselves; with confidence, it is enough to reach into it.
    fn within(
        &self,
        metric: &Metric,
        of: &Quantity,
        [from, to]: [f64; 2],
        (confident, widened): (bool, f64),
    ) -> Examined {
        let value = self.value(of, metric);
        let written = Written::of(self.unit_of(metric, of), value.as_slice(), &[from, to]);
        let summary = if confident { self.summary(&self.points(&of.at), metric) } else { None };
        let half = summary.and_then(|summary| summary.ci95);
        let number = match (value, half) {
            (Some(value), Some(half)) => written.interval(value, half, limits(metric, of)),
            (value, _) => written.number(value),
        };
        let room = half.unwrap_or(0.0);
        let [least, most] = [from - widened * from.abs() - room, to + widened * to.abs() + room];
        let ends = match widened > 0.0 {
            true => format!(", or {} % beyond an end", Written::of("", &[], &[]).bound(100.0 * widened)),
            false => String::new(),
        };
        let reaches = if confident { "the interval reaches into " } else { "" };
        Examined {
            holds: value.is_some_and(|value| (least..=most).contains(&value)),
            evidence: format!("{}: {number}; wanted: {reaches}{}{ends}", of.label, written.bounds(from, to)),
        }
    }

    /// A change as a part of where it begins, against the published one.
    fn change(&self, metric: &Metric, of: [&Quantity; 2], published: [f64; 2], within: f64) -> Examined {
        let part = |[from, to]: [f64; 2]| to / from - 1.0;
        let wanted = part(published);
        let values = of.map(|quantity| self.value(quantity, metric));
        let ours = values[0].zip(values[1]).map(|(from, to)| part([from, to]));
        let written = Written::of(self.unit_of(metric, of[0]), &values.into_iter().flatten().collect::<Vec<_>>(), &[]);
        let percent = |part: f64| format!("{:+.1} %", 100.0 * part);
        let room = within * wanted.abs();
        Examined {
            holds: ours.is_some_and(|ours| (ours - wanted).abs() <= room),
            evidence: format!(
                "{}: {}, {}: {}, a change of {}; wanted: {} to {}, published {} to {}",
                of[0].label,
                written.number(values[0]),
                of[1].label,
                written.number(values[1]),
                ours.map_or("undefined".into(), percent),
                percent(wanted - room),
                percent(wanted + room),
                published[0],
                published[1],
            ),
        }
    }

    fn quotient(&self, metric: &Metric, [of, by]: [&Quantity; 2], [at_least, at_most]: [Option<f64>; 2]) -> Examined {
        let values = [of, by].map(|quantity| self.value(quantity, metric));
        let quotient = values[0].zip(values[1]).map(|(of, by)| of / by);
        let bounds: Vec<f64> = [at_least, at_most].into_iter().flatten().collect();
        let of_both = Written::of(self.unit_of(metric, of), &values.into_iter().flatten().collect::<Vec<_>>(), &[]);
        let written = Written::of("", quotient.as_slice(), &bounds);
        let wanted: Vec<String> = [("≥", at_least), ("≤", at_most)]
            .into_iter()
            .filter_map(|(sign, bound)| Some(format!("{sign} {}", written.bound(bound?))))
            .collect();
        let (least, most) = (at_least.unwrap_or(f64::NEG_INFINITY), at_most.unwrap_or(f64::INFINITY));
        Examined {
            holds: quotient.is_some_and(|quotient| (least..=most).contains(&quotient)),
            evidence: format!(
                "{}: {}, {}: {}, a quotient of {}; wanted: {}",
                of.label,
                of_both.number(values[0]),
                by.label,
                of_both.number(values[1]),
                written.number(quotient),
                wanted.join(" and ")
            ),
        }
    }

    fn best_differs(&self, metric: &Metric, along: &str, of: &[Quantity]) -> Examined {
        let best: Vec<Option<(&str, f64)>> = of.iter().map(|quantity| self.best(quantity, along, metric)).collect();
        let known: Vec<f64> = best.iter().flatten().map(|(_, value)| *value).collect();
        let written = Written::of(self.unit_of(metric, &of[0]), &known, &[]);
        let words: Vec<String> = of
            .iter()
            .zip(&best)
            .map(|(quantity, best)| match best {
                Some((name, value)) => {
                    format!("{}: best at {name}, with {}", quantity.label, written.number(Some(*value)))
                }
                None => format!("{}: undefined", quantity.label),
            })
            .collect();
        let names: Option<Vec<&str>> = best.iter().map(|best| best.map(|(name, _)| name)).collect();
        Examined {
            holds: names.is_some_and(|names| names.iter().any(|name| *name != names[0])),
            evidence: format!("{}; wanted: not the same", words.join(", ")),
        }
    }

    /// The difference between each point of these quantities and the point at other coordinates, as a mean over the seeds: whether
    /// it stands in the relation to a number at this share of them.
    fn most_points(&self, metric: &Metric, of: &[Quantity], (is, bound): (Relation, f64), share: f64) -> Examined {
        let mut values: Vec<Option<f64>> = Vec::new();
        for quantity in of {
            let others = quantity.apart_from.as_ref().map(|other| self.points(&merged(&quantity.at, other)));
            let pairs = self.points(&quantity.at).into_iter().zip(others.unwrap_or_default());
            values.extend(pairs.map(|(point, other)| {
                summarize(&self.seed_by_seed(metric, &[point], &[other])).map(|summary| summary.mean)
            }));
        }
        let obeying = values.iter().filter(|value| value.is_some_and(|value| is.holds(value, bound))).count();
        let (all, known) = (values.len(), values.into_iter().flatten().collect::<Vec<f64>>());
        let written = Written::of(self.unit(metric, &of[0].at), &known, &[bound]);
        let (sign, bound, wanted) = (is.sign(), written.bound(bound), share * 100.0);
        let range = match summarize(&known) {
            Some(range) => format!(", from {} to {}", written.number(Some(range.min)), written.number(Some(range.max))),
            None => String::new(),
        };
        let label = &of[0].label;
        Examined {
            holds: all > 0 && obeying as f64 >= share * all as f64,
            evidence: format!("{label}: {sign} {bound} at {obeying} of {all} points{range}; wanted: at {wanted} %"),
        }
    }

    /// The difference of two quantities for each seed for which both have a value.
    fn differences(&self, metric: &Metric, of: &Quantity, minus: &Quantity) -> Differences<'_> {
        Differences {
            label: format!("{} less {}", of.label, minus.label),
            unit: self.unit_of(metric, of),
            values: self.seed_by_seed(metric, &self.points(&of.at), &self.points(&minus.at)),
        }
    }

    /// The difference of the means over points for each seed for which both have a value.
    fn seed_by_seed(&self, metric: &Metric, of: &[Point], minus: &[Point]) -> Vec<f64> {
        let pairs = self.per_seed(of, metric).into_iter().zip(self.per_seed(minus, metric));
        pairs.filter_map(|(left, right)| Some(left? - right?)).collect()
    }
}

/// The difference of two quantities, seed by seed.
struct Differences<'a> {
    label: String,
    unit: &'a str,
    values: Vec<f64>,
}

impl Differences<'_> {
    /// Whether at least this share of them stands in the relation to a number.
    fn examine_each(&self, is: Relation, bound: f64, share: f64) -> Examined {
        let obeying = self.values.iter().filter(|difference| is.holds(**difference, bound)).count();
        let all = self.values.len();
        let (sign, wanted) = (is.sign(), share * 100.0);
        let bound = Written::of(self.unit, &self.values, &[bound]).bound(bound);
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
        let written = Written::of(self.unit, &[summary.mean], &[bound]);
        let number = match summary.ci95 {
            Some(half) => written.interval(summary.mean, half, (f64::NEG_INFINITY, f64::INFINITY)),
            None => written.number(Some(summary.mean)),
        };
        Examined {
            holds: !ends.is_empty() && ends.iter().all(|end| is.holds(*end, bound)),
            evidence: format!(
                "{}: {number} over {} seeds; wanted: {}{} {}",
                self.label,
                summary.n,
                if confident { "all of it " } else { "" },
                is.sign(),
                written.bound(bound),
            ),
        }
    }
}

/// What a quantity can be: a difference or a quotient of measures has not their limits.
fn limits(metric: &Metric, of: &Quantity) -> (f64, f64) {
    if of.ways() == 0 { metric.bounds() } else { (f64::NEG_INFINITY, f64::INFINITY) }
}
