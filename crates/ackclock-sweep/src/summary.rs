//! Points over their seeds: means with confidence intervals.

use ackclock::record::stats::{self, Bounds};
use ackclock::rng::Stream;
use ackclock_store::document::interval::Interval;

use crate::plan::{Key, Plan};
use crate::results::{Results, Status};

/// How the interval of a mean is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Student's t: for means of numbers that vary about as the normal distribution does.
    #[default]
    Student,
    /// Bootstrap, the percentile interval.
    Percentile,
    /// Bootstrap, corrected for bias and skewness (BCa).
    Bca,
}

/// What points are compared with: the points that differ from them in one dimension only, which has this row there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Baseline {
    dimension: usize,
    row: usize,
}

/// A mean over the seeds of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// Of how many runs.
    pub n: usize,
    /// The mean.
    pub mean: f64,
    /// The 95 % confidence interval, cut to what the number can be; `None` of one run.
    pub interval: Option<Bounds>,
    /// Whether half the width of the interval does not say all of it: it is cut, or is not symmetric.
    pub has_ends: bool,
}

/// How many runs of a point have this status.
pub fn count(results: &Results, point: usize, status: Status) -> usize {
    results.runs_of(point).filter(|run| results.status(*run) == status).count()
}

/// The mean of a number, by its place in the list of metrics, over the finished runs of a point; `None` if no run has it.
pub fn mean(results: &Results, point: usize, metric: usize, method: Method) -> Option<Mean> {
    let values: Vec<f64> = results.runs_of(point).filter_map(|run| results.number(run, metric)).collect();
    of_values(results, point, metric, method, &values, results.plan().about(metric).limits(results.plan().flows))
}

/// The points whose intervals are wider than was asked for: the most seeds were not enough.
pub fn too_wide(results: &Results) -> Vec<usize> {
    let plan = results.plan();
    let Some(until) = &plan.until_ci else { return Vec::new() };
    let is_narrow = |point: usize| {
        until.widths.iter().all(|width| {
            let metric = plan.place_of(&width.metric);
            let values =
                |metric| results.runs_of(point).filter_map(|run| results.number(run, metric)).collect::<Vec<_>>();
            metric.is_none_or(|metric| width.is_met(&values(metric)))
        })
    };
    let is_decided = |point: &usize| {
        plan.points[*point].is_some()
            && results.seeds(*point) == plan.seeds
            && results.runs_of(*point).all(|run| results.status(run) != Status::Missing)
    };
    (0..plan.points.len()).filter(is_decided).filter(|point| !is_narrow(*point)).collect()
}

/// The numbers that intervals were asked for and that no finished run has: nothing is known of how narrow they are.
pub fn without_values(results: &Results) -> Vec<String> {
    let until = results.plan().until_ci.iter().flat_map(|until| &until.widths);
    let is_there = |name: &str| results.plan().place_of(name).is_some_and(|place| results.has(place));
    until.map(|width| width.metric.clone()).filter(|name| !is_there(name)).collect()
}

/// The measures that were asked for and that no finished run has a value of.
pub fn measures_without_values(results: &Results) -> Vec<String> {
    let asked = results.plan().asked();
    asked.filter(|(place, _)| !results.has(*place)).map(|(_, text)| text.to_owned()).collect()
}

/// The mean difference of a number between a point and that which it is compared with, seed by seed: what both have in common
/// by their common random numbers cancels. `None` if no seed has the number at both.
pub fn difference(results: &Results, point: usize, metric: usize, method: Method, baseline: Baseline) -> Option<Mean> {
    let plan = results.plan();
    let base = baseline.point_of(plan, point);
    let pairs = results.runs_of(point).zip(results.runs_of(base));
    let both = |(run, base)| Some((results.number(run, metric)?, results.number(base, metric)?));
    let differences: Vec<f64> = pairs.filter_map(both).map(|(here, there)| here - there).collect();
    let (least, most) = plan.about(metric).limits(plan.flows);
    of_values(results, point, metric, method, &differences, (least - most, most - least))
}

/// How many seeds a point and that which it is compared with have in common, with a finished run of both.
pub fn pairs(results: &Results, point: usize, baseline: Baseline) -> usize {
    let base = baseline.point_of(results.plan(), point);
    let is_finished = |run: usize| results.status(run) == Status::Finished;
    let both = results.runs_of(point).zip(results.runs_of(base));
    both.filter(|(run, base)| is_finished(*run) && is_finished(*base)).count()
}

/// The keys of dimensions whose values all give the same: at no other values and under no seed does any number change with
/// them. Another key probably takes precedence.
pub fn without_effect(results: &Results) -> Vec<String> {
    let plan = results.plan();
    let row = |run: usize| (0..plan.metrics.len()).map(move |metric| results.number(run, metric));
    // Of runs that are missing, refused or failed nothing is known.
    let compared = |run: usize, baseline: Baseline| {
        let base = baseline.point_of(plan, run / plan.seeds) * plan.seeds + run % plan.seeds;
        let is_known = base != run && [run, base].iter().all(|run| results.status(*run) == Status::Finished);
        is_known.then(|| row(run).eq(row(base)))
    };
    let has_none = |dimension: &usize| {
        let baseline = Baseline { dimension: *dimension, row: 0 };
        let mut known = results.runs().filter_map(|run| compared(run, baseline)).peekable();
        known.peek().is_some() && known.all(|is_equal| is_equal)
    };
    let keys = (0..plan.dimensions.len()).filter(has_none).flat_map(|dimension| &plan.dimensions[dimension]);
    keys.map(|key| key.path.clone()).collect()
}

/// The mean of some values of a point, and its interval, cut to what the values can be.
fn of_values(
    results: &Results,
    point: usize,
    metric: usize,
    method: Method,
    values: &[f64],
    (least, most): (f64, f64),
) -> Option<Mean> {
    let summary = stats::summarize(values)?;
    let stream = || Stream::new(point as u64, &results.plan().metrics[metric], "bootstrap");
    let cut = Interval::from(summary).cut(least, most);
    let interval = match method {
        Method::Student => summary.ci95.map(|half| {
            let (low, high) = cut.unwrap_or((summary.mean - half, summary.mean + half));
            Bounds { low, high }
        }),
        Method::Percentile => stats::percentile(values, stats::mean, LEVEL, RESAMPLES, stream()),
        Method::Bca => stats::bca(values, stats::mean, LEVEL, RESAMPLES, stream()),
    };
    let has_ends = interval.is_some() && (method != Method::Student || cut.is_some());
    Some(Mean { n: summary.n, mean: summary.mean, interval, has_ends })
}

impl Baseline {
    /// Reads `key=value`, of a key that the plan varies and one of its values; blanks make no difference.
    ///
    /// # Errors
    /// If there is no such key or value: what is wrong, and what there is.
    pub fn parse(text: &str, plan: &Plan) -> Result<Baseline, (String, String)> {
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        let Some((path, value)) = text.split_once('=') else {
            let help = "write a key that is varied and one of its values, as in --baseline tcp.congestion_control=reno";
            return Err((format!("{text:?} is no key with a value"), help.into()));
        };
        let keys = || plan.dimensions.iter().enumerate().flat_map(|(n, keys)| keys.iter().map(move |key| (n, key)));
        let Some((dimension, key)) = keys().find(|(_, key)| plain(&key.path) == plain(path)) else {
            let known: Vec<&str> = keys().map(|(_, key)| key.path.as_str()).collect();
            return Err((format!("`{}` is not varied", path.trim()), format!("varied: {}", known.join(", "))));
        };
        match key.values.iter().position(|known| plain(known) == plain(value)) {
            Some(row) => Ok(Baseline { dimension, row }),
            None => {
                let known = format!("its values: {}", key.values.join(", "));
                Err((format!("`{}` is never {:?}", key.path, value.trim()), known))
            }
        }
    }

    /// All that a plan has.
    pub fn all(plan: &Plan) -> impl Iterator<Item = Baseline> {
        let rows = |(dimension, keys): (usize, &Vec<Key>)| {
            (0..keys[0].values.len()).map(move |row| Baseline { dimension, row })
        };
        plan.dimensions.iter().enumerate().flat_map(rows)
    }

    /// The point that a point is compared with.
    pub fn point_of(self, plan: &Plan, point: usize) -> usize {
        let length = |keys: &Vec<Key>| keys[0].values.len();
        let step: usize = plan.dimensions[self.dimension + 1..].iter().map(length).product();
        let row = point / step % length(&plan.dimensions[self.dimension]);
        point - row * step + self.row * step
    }

    /// As in `tcp.recovery = reno`.
    pub fn label(self, plan: &Plan) -> String {
        let keys = plan.dimensions[self.dimension].iter();
        keys.map(|key| format!("{} = {}", key.path, key.values[self.row])).collect::<Vec<_>>().join(", ")
    }
}

const LEVEL: f64 = 0.95;
const RESAMPLES: usize = 2000;

#[cfg(test)]
mod tests {
    use super::*;

    fn key(path: &str, values: &[&str]) -> Vec<Key> {
        let values = values.iter().map(|value| value.to_string()).collect();
        vec![Key { path: path.into(), values, arguments: None, unit: String::new(), numbers: None }]
    }

    #[test]
    fn the_point_of_a_comparison_differs_in_one_key() {
        let plan = Plan {
            dimensions: vec![key("a", &["1", "2"]), key("b", &["10 ms", "20 ms", "30 ms"]), key("c", &["x", "y"])],
            ..Plan::example()
        };
        let baseline = Baseline::parse("b = 20ms", &plan).unwrap();
        assert_eq!(baseline.label(&plan), "b = 20 ms");
        // Points are 6 a + 2 b + c.
        for (point, base) in [(0, 2), (1, 3), (2, 2), (5, 3), (6, 8), (11, 9)] {
            assert_eq!(baseline.point_of(&plan, point), base, "{point}");
        }
        let wrong = |text| Baseline::parse(text, &plan).unwrap_err();
        assert_eq!(wrong("b=40ms"), ("`b` is never \"40ms\"".into(), "its values: 10 ms, 20 ms, 30 ms".into()));
        assert_eq!(wrong("d=1"), ("`d` is not varied".into(), "varied: a, b, c".into()));
        assert!(wrong("b").1.contains("--baseline"));
    }
}
