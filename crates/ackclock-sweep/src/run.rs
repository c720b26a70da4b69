//! The runs of a plan that are missing.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use ackclock::record::Metric;
use ackclock::scenario::Scenario;
use ackclock::sim::Engine;
use ackclock::units::Span;
use ackclock_run::{End, Failure, Job, Jobs, Load};
use ackclock_scenario::sweep::Sweep;

use crate::check::Checked;
use crate::error::Error;
use crate::metrics;
use crate::results::row::Row;
use crate::results::{Results, Status};
use crate::shard::Shard;
use crate::store::Store;

/// How runs are done.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// How many at a time.
    pub threads: usize,
    /// By which engine; the results of all are equal.
    pub engine: Engine,
    /// The most that a run may take.
    pub time_limit: Option<Duration>,
    /// Which part of the sweep.
    pub shard: Shard,
    /// Whether runs that failed before are tried again.
    pub retry: bool,
    /// Set when the runs are to stop.
    pub stop: &'a AtomicBool,
}

/// The runs of a shard that are still to be done, the most expensive first.
pub fn missing(results: &Results, costs: &[f64], options: &Options<'_>) -> Vec<usize> {
    let mut points: Vec<usize> =
        (0..costs.len()).filter(|point| results.is_own(*point * results.plan().seeds)).collect();
    points.sort_by(|a, b| costs[*b].total_cmp(&costs[*a]));
    let has_point = results.plan().until_ci.is_some();
    let runs = points.into_iter().enumerate().flat_map(|(n, point)| results.runs_of(point).map(move |run| (n, run)));
    // How many runs a point needs shows only where all of them are.
    let nth = |n: usize, (nth_point, run)| (if has_point { nth_point } else { n }, run);
    let of_shard = runs.enumerate().map(|(n, run)| nth(n, run));
    let of_shard = of_shard.filter(|(nth, _)| options.shard.has(*nth)).map(|(_, run)| run);
    let is_open = |run: &usize| match results.status(*run) {
        Status::Missing => true,
        Status::Failed => options.retry,
        Status::Finished => false,
    };
    of_shard.filter(is_open).collect()
}

/// Does the runs of the shard that are not in the store, and keeps each as it ends. A run that fails, or that takes longer than
/// the limit, is kept with the reason, and the others go on. Returns how many ended; fewer than were missing if it was stopped.
///
/// # Errors
/// If a run cannot be kept, or the scenario cannot be loaded any more; what was finished until then is kept.
pub fn run_missing(
    sweep: &Sweep<'_>,
    checked: &Checked,
    store: &Store,
    options: &Options<'_>,
    watch: impl FnMut(&ackclock_run::Status) + Send,
) -> Result<usize, Error> {
    let missing = store.with_results(|results| missing(results, &checked.costs, options));
    let looked_at = store.with_results(Results::looked_at);
    let seeds = checked.plan.seeds;
    let cost = missing.iter().map(|run| checked.costs[run / seeds]).sum();
    let failed = Mutex::new(None);
    let load = |point: usize| match checked.scenario(sweep, point) {
        Ok(scenario) => Some(scenario),
        Err(error) => {
            *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            None
        }
    };
    // Runs of one point follow each other: the first of them loads it, and the others wait for that.
    let mut last: Option<(usize, Arc<OnceLock<Loaded>>)> = None;
    let jobs = missing.iter().map(|run| {
        let (point, seed) = checked.plan.point_and_seed(*run);
        let loaded = match &last {
            Some((of, loaded)) if *of == point => loaded.clone(),
            _ => last.insert((point, Arc::default())).1.clone(),
        };
        let of = (*run, loaded.clone());
        let is_looked_at = looked_at.contains(run);
        Job { scenario: OfPoint { point, loaded, load: &load, is_looked_at }, seed, cost: checked.costs[point], of }
    });
    let jobs = Jobs::as_they_come(jobs, missing.len(), cost);
    let keep = |(run, loaded): &(usize, Arc<OnceLock<Loaded>>), _: u64, end: End| {
        let scenario = loaded.get().and_then(|loaded| loaded.as_deref());
        store.keep(*run, row(scenario, end, options.time_limit, checked))
    };
    let runs =
        ackclock_run::run_each(jobs, options.threads, options.engine, options.time_limit, options.stop, watch, keep);
    store.sync()?;
    match runs.failure {
        Some(Failure::NotKept(error)) => return Err(error),
        Some(Failure::Panicked { message, .. }) => return Err(Error::Defect(message)),
        None => {}
    }
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(runs.kept.len()),
    }
}

/// The scenario of a point, once it is loaded; `None` if it cannot be.
type Loaded = Option<Arc<Scenario>>;

/// The scenario of a point, which is loaded once for all its runs.
struct OfPoint<'a, F> {
    point: usize,
    loaded: Arc<OnceLock<Loaded>>,
    load: &'a F,
    /// Whether it is found when the goodput settles.
    is_looked_at: bool,
}

impl<F: Fn(usize) -> Loaded + Sync> Load for OfPoint<'_, F> {
    fn load(self) -> Option<Arc<Scenario>> {
        let scenario = self.loaded.get_or_init(|| (self.load)(self.point)).clone()?;
        let is_small = scenario.flows.len() <= MOST_FLOWS_LOOKED_AT;
        Some(if self.is_looked_at && is_small && scenario.warmup == Span::ZERO {
            with_throughput(&scenario)
        } else {
            scenario
        })
    }
}

/// A scenario that records the throughputs of its flows, which changes no other number.
fn with_throughput(scenario: &Scenario) -> Arc<Scenario> {
    let mut scenario = scenario.clone();
    scenario.recording.metrics = [Metric::Throughput].into_iter().collect();
    scenario.recording.interval = Span::from_ps((scenario.duration.as_ps() / INTERVALS).max(1));
    Arc::new(scenario)
}

fn row(scenario: Option<&Scenario>, end: End, limit: Option<Duration>, checked: &Checked) -> Row {
    let failed = |reason: String| Row { failed: Some(reason), ..Row::default() };
    match end {
        End::Finished(records) => {
            let scenario = scenario.expect("a run that finished was loaded");
            metrics::row(scenario, &records, &checked.measures, checked.plan.keeps_documents())
        }
        End::Panicked(message) => failed(format!("a defect of ackclock: {message}")),
        End::OverTime => failed(format!("it took longer than {} s", limit.unwrap_or_default().as_secs_f64())),
    }
}

/// Parts of a run of which the throughput is looked at.
const INTERVALS: u64 = 1000;
/// Throughputs of more flows take too much memory.
const MOST_FLOWS_LOOKED_AT: usize = 2000;
