//! The runs of a plan that are missing.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use ackclock::measure::Expression;
use ackclock::record::Metric;
use ackclock::scenario::Scenario;
use ackclock::sim::Engine;
use ackclock::units::Span;
use ackclock_run::{End, Failure, Job, Jobs, Load};
use ackclock_scenario::sweep::Sweep;
use serde::{Deserialize, Serialize};

use crate::check::Checked;
use crate::error::Error;
use crate::metrics;
use crate::results::row::Row;
use crate::results::{Results, Status};
use crate::shard::Shard;
use crate::store::Store;

/// How runs are done.
#[derive(Clone, Copy)]
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
    /// Says whether runs that end now are void, as where a mechanism from outside failed: they are not kept.
    pub are_void: &'a (dyn Fn() -> bool + Sync),
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("threads", &self.threads).field("shard", &self.shard).finish_non_exhaustive()
    }
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
    let todo = todo(checked, store, options);
    let failed = Mutex::new(None);
    let load = |point: usize| match checked.scenario(sweep, point) {
        Ok(scenario) => Some(scenario),
        Err(error) => {
            *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            None
        }
    };
    let (measures, keeps_documents) = (&checked.measures[..], checked.plan.keeps_documents());
    let rows = Rows { measures, keeps_documents, load };
    let ended = rows.make(&todo, options, watch, |run, row| store.keep(run, row));
    store.sync()?;
    let ended = ended?;
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(ended),
    }
}

/// A run that is to be done.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Todo {
    /// Its number in the plan.
    pub run: usize,
    pub point: usize,
    pub seed: u64,
    /// The computing time that it takes, in any unit.
    pub cost: f64,
    /// Whether it is found when the goodput settles.
    pub is_looked_at: bool,
}

/// The runs of the shard that are still to be done, the most expensive first.
pub(crate) fn todo(checked: &Checked, store: &Store, options: &Options<'_>) -> Vec<Todo> {
    let missing = store.with_results(|results| missing(results, &checked.costs, options));
    let looked_at = store.with_results(Results::looked_at);
    let todo = |run: usize| {
        let (point, seed) = checked.plan.point_and_seed(run);
        Todo { run, point, seed, cost: checked.costs[point], is_looked_at: looked_at.contains(&run) }
    };
    missing.into_iter().map(todo).collect()
}

/// What makes rows of runs, here or in another process.
pub(crate) struct Rows<'a, F> {
    /// The measures that are asked for.
    pub measures: &'a [Expression],
    /// Whether rows have documents of their runs.
    pub keeps_documents: bool,
    /// Loads a point; `None` if it cannot be loaded, and then no other run begins.
    pub load: F,
}

impl<F: Fn(usize) -> Loaded + Sync> Rows<'_, F> {
    /// Does the runs, and hands the row of each to `keep` as it ends. Returns how many ended; fewer if they were stopped.
    ///
    /// # Errors
    /// If a row is not kept.
    pub fn make(
        &self,
        todo: &[Todo],
        options: &Options<'_>,
        watch: impl FnMut(&ackclock_run::Status) + Send,
        keep: impl Fn(usize, Row) -> Result<(), Error> + Sync,
    ) -> Result<usize, Error> {
        let cost = todo.iter().map(|todo| todo.cost).sum();
        // Runs of one point follow each other: the first of them loads it, and the others wait for that.
        let mut last: Option<(usize, Arc<OnceLock<Loaded>>)> = None;
        let jobs = todo.iter().map(|&Todo { run, point, seed, cost, is_looked_at }| {
            let loaded = match &last {
                Some((of, loaded)) if *of == point => loaded.clone(),
                _ => last.insert((point, Arc::default())).1.clone(),
            };
            let of = (run, loaded.clone());
            Job { scenario: OfPoint { point, loaded, load: &self.load, is_looked_at }, seed, cost, of }
        });
        let jobs = Jobs::as_they_come(jobs, todo.len(), cost);
        let keep = |(run, loaded): &(usize, Arc<OnceLock<Loaded>>), _: u64, end: End| {
            let scenario = loaded.get().and_then(|loaded| loaded.as_deref());
            match (options.are_void)() {
                true => Err(Error::Void),
                false => keep(*run, self.row(scenario, end, options.time_limit)),
            }
        };
        let (threads, engine, limit, stop) = (options.threads, options.engine, options.time_limit, options.stop);
        let runs = ackclock_run::run_each(jobs, threads, engine, limit, stop, watch, keep);
        match runs.failure {
            Some(Failure::NotKept(error)) => Err(error),
            Some(Failure::Panicked { message, .. }) => Err(Error::Defect(message)),
            None => Ok(runs.kept.len()),
        }
    }

    fn row(&self, scenario: Option<&Scenario>, end: End, limit: Option<Duration>) -> Row {
        let failed = |reason: String| Row { failed: Some(reason), ..Row::default() };
        match end {
            End::Finished(records) => {
                let scenario = scenario.expect("a run that finished was loaded");
                metrics::row(scenario, &records, self.measures, self.keeps_documents)
            }
            End::Panicked(message) => failed(format!("a defect of ackclock: {message}")),
            End::OverTime => failed(format!("it took longer than {} s", limit.unwrap_or_default().as_secs_f64())),
        }
    }
}

/// The scenario of a point, once it is loaded; `None` if it cannot be.
pub(crate) type Loaded = Option<Arc<Scenario>>;

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

/// A scenario that records the throughputs of its flows, too, which changes no other number: what measures need is recorded as before, in the
/// intervals that the scenario says.
fn with_throughput(scenario: &Scenario) -> Arc<Scenario> {
    let mut scenario = scenario.clone();
    if scenario.recording.metrics.is_empty() {
        scenario.recording.interval = Span::from_ps((scenario.duration.as_ps() / INTERVALS).max(1));
    }
    let recorded = Metric::ALL.into_iter().filter(|metric| scenario.recording.metrics.contains(*metric));
    scenario.recording.metrics = recorded.chain([Metric::Throughput]).collect();
    Arc::new(scenario)
}

/// Parts of a run of which the throughput is looked at.
const INTERVALS: u64 = 1000;
/// Throughputs of more flows take too much memory.
const MOST_FLOWS_LOOKED_AT: usize = 2000;
