//! Points over their seeds: means with confidence intervals.

use ackclock::record::stats::{self, Bounds};
use ackclock::rng::Stream;

use crate::plan::Plan;
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

/// A mean over the seeds of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// Of how many runs.
    pub n: usize,
    /// The mean.
    pub mean: f64,
    /// The 95 % confidence interval; `None` of one run.
    pub interval: Option<Bounds>,
}

/// How many runs of a point have this status.
pub fn count(results: &Results, point: usize, status: Status) -> usize {
    runs_of(results.plan(), point).filter(|run| results.status(*run) == status).count()
}

/// The mean of a number, by its place in the list of metrics, over the finished runs of a point; `None` if no run has it.
pub fn mean(results: &Results, point: usize, metric: usize, method: Method) -> Option<Mean> {
    let values: Vec<f64> = runs_of(results.plan(), point).filter_map(|run| results.number(run, metric)).collect();
    let summary = stats::summarize(&values)?;
    let stream = || Stream::new(point as u64, &results.plan().metrics[metric], "bootstrap");
    let interval = match method {
        Method::Student => summary.ci95.map(|half| Bounds { low: summary.mean - half, high: summary.mean + half }),
        Method::Percentile => stats::percentile(&values, stats::mean, LEVEL, RESAMPLES, stream()),
        Method::Bca => stats::bca(&values, stats::mean, LEVEL, RESAMPLES, stream()),
    };
    Some(Mean { n: summary.n, mean: summary.mean, interval })
}

fn runs_of(plan: &Plan, point: usize) -> std::ops::Range<usize> {
    point * plan.seeds..(point + 1) * plan.seeds
}

const LEVEL: f64 = 0.95;
const RESAMPLES: usize = 2000;
