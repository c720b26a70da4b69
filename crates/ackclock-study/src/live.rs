//! The live runs of a plan: one after the other, whatever the processors, and again where they measured the machine.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use ackclock::sim;
use ackclock::units::Time;

use crate::data::Point;
use crate::error::Error;
use crate::kernel::{Exactness, Kernel, LiveRun, TRIES};
use crate::measure::Row;
use crate::plan::{Plan, Planned};
use crate::progress::{Progress, Status};
use crate::stored_result::StoredRuns;

/// Says what the kernel does in another way than the scenarios of a plan say, each once.
///
/// # Errors
/// If it cannot do what one of them says: before anything is run.
pub(crate) fn announce(plan: &Plan, kernel: &dyn Kernel, progress: &dyn Progress) -> Result<(), Error> {
    let mut all = BTreeSet::new();
    for planned in plan.scenarios.iter().filter(|planned| planned.point.live) {
        all.extend(kernel.differences(&planned.scenario).map_err(Error::Kernel)?);
    }
    all.iter().for_each(|difference| progress.noted(&format!("note: {difference}")));
    Ok(())
}

/// How long a live run will take, in seconds: as long as the simulated one, until all files are delivered and a second more.
fn takes(planned: &Planned) -> f64 {
    let scenario = &planned.scenario;
    let whole = scenario.duration.as_secs_f64();
    if scenario.flows.iter().any(|flow| flow.size.is_none()) || scenario.flows.is_empty() {
        return whole;
    }
    let mut simulation = sim::build(scenario, 1);
    simulation.step(Time::ZERO + scenario.duration);
    let ends =
        simulation.finish().flows.iter().map(|flow| flow.completed.map_or(whole, Time::as_secs_f64)).reduce(f64::max);
    ends.map_or(whole, |ends| (ends + 1.0).min(whole))
}

/// Makes the live runs of a plan that are missing, the first seed of all points first, of each seed the shortest first. Each is kept as
/// it ends. How many runs of the plan are finished in the end.
pub(crate) fn run_missing(
    plan: &Plan,
    kernel: &dyn Kernel,
    stored: &mut StoredRuns,
    stop: &AtomicBool,
    progress: &dyn Progress,
    mut finished: usize,
) -> Result<usize, Error> {
    let mut missing: Vec<(&Planned, u64)> =
        plan.live_runs().filter(|run| plan.lacks(*run, |key| stored.run(key))).collect();
    let mut times: BTreeMap<&Point, f64> = BTreeMap::new();
    for (planned, _) in &missing {
        times.entry(&planned.point).or_insert_with(|| takes(planned));
    }
    missing
        .sort_by(|(one, seed), (other, later)| seed.cmp(later).then(times[&one.point].total_cmp(&times[&other.point])));
    let all: f64 = missing.iter().map(|(planned, _)| times[&planned.point]).sum();
    if !missing.is_empty() {
        let runs = missing.len();
        progress.noted(&format!("note: {runs} live runs go one after the other, and take about {}", long(all)));
    }
    let (reused, mut done, mut bad) = (finished, 0.0, Vec::new());
    for (planned, seed) in &missing {
        let (takes, whole) = (times[&planned.point], planned.scenario.duration.as_secs_f64());
        let report = |part: f64, runs_finished: usize, done: f64| {
            let fraction = BEFORE + (1.0 - BEFORE) * (done + (part * whole).min(takes)) / all;
            progress.advanced(&Status { runs_finished, runs_reused: reused, runs: plan.runs(), fraction });
        };
        let differences = kernel.differences(&planned.scenario).map_err(Error::Kernel)?;
        let mut watch = |part: f64| report(part, finished, done);
        let Some(run) = valid(planned, *seed, kernel, stop, &mut watch, progress)? else { return Ok(finished) };
        if run.is_invalid {
            bad.push(run.exactness.reasons.join("; "));
        } else {
            let mut row = Row::of(&run.records, &planned.scenario, &plan.metrics);
            row.live = Some(Exactness { differences, ..run.exactness });
            stored.append(planned.key(*seed), row)?;
            finished += 1;
        }
        done += takes;
        report(0.0, finished, done);
    }
    match bad.pop() {
        Some(reasons) => Err(Error::Invalid { runs: bad.len() + 1, of: plan.runs(), reasons }),
        None => Ok(finished),
    }
}

/// A run that is not invalid, or the last of a few that are; `None` if it was stopped.
fn valid(
    planned: &Planned,
    seed: u64,
    kernel: &dyn Kernel,
    stop: &AtomicBool,
    watch: &mut dyn FnMut(f64),
    progress: &dyn Progress,
) -> Result<Option<LiveRun>, Error> {
    for tried in 1..=TRIES {
        let run = kernel.run(&planned.scenario, seed, stop, watch).map_err(Error::Kernel)?;
        let Some(run) = run.filter(|_| !stop.load(Ordering::Relaxed)) else { return Ok(None) };
        if !run.is_invalid || tried == TRIES {
            return Ok(Some(run));
        }
        let reasons = run.exactness.reasons.join("; ");
        progress.noted(&format!("a run is invalid and made again: {reasons}"));
    }
    unreachable!("the last one is handed over")
}

/// A time in words.
fn long(seconds: f64) -> String {
    if seconds < 120.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", seconds / 60.0) }
}

/// The part of the work that simulations are, for who watches.
pub(crate) const BEFORE: f64 = 0.02;
