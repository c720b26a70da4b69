//! The live runs of a plan: so many at a time as is asked for, whatever the processors, and again where they measured the machine.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use ackclock::sim;
use ackclock::units::Time;

use crate::data::Point;
use crate::error::Error;
use crate::kernel::{Kernel, LiveRun, TRIES};
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

/// Makes the live runs of a plan that are missing, `at_once` at a time, the first seed of all points first, of each seed the shortest
/// first. Each is kept as it ends. How many runs of the plan are finished in the end.
pub(crate) fn run_missing(
    plan: &Plan,
    kernel: &dyn Kernel,
    at_once: usize,
    stored: &mut StoredRuns,
    stop: &AtomicBool,
    progress: &dyn Progress,
    finished: usize,
) -> Result<usize, Error> {
    let missing = in_order(plan, stored);
    let mut runs = Runs {
        all: missing.iter().map(|run| run.takes).sum(),
        parts: vec![0.0; missing.len()],
        bad: Vec::new(),
        reused: finished,
        finished,
    };
    if !missing.is_empty() {
        let order = match at_once {
            1 => "one after the other".to_owned(),
            more => format!("{more} at a time"),
        };
        let time = long(runs.all / at_once as f64);
        progress.noted(&format!("note: {} live runs go {order}, and take about {time}", missing.len()));
    }
    let (next, halt, (say, said)) = (AtomicUsize::new(0), AtomicBool::new(false), mpsc::channel());
    thread::scope(|scope| {
        for _ in 0..at_once.min(missing.len()) {
            let (say, missing, next, halt) = (say.clone(), &missing, &next, &halt);
            scope.spawn(move || {
                let places = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|_| !halt.load(Ordering::Relaxed));
                while let Some((place, run)) = places().and_then(|place| Some((place, missing.get(place)?))) {
                    // Who listens no longer has told `halt`.
                    let mut watch = |part: f64| drop(say.send((place, Said::Done(part))));
                    let over = valid(run, kernel, halt, &mut watch, progress);
                    drop(say.send((place, Said::Over(Box::new(over)))));
                }
            });
        }
        drop(say);
        let ended = loop {
            match said.recv_timeout(LOOK) {
                Ok((place, said)) => {
                    if let Err(error) = runs.heard(&missing[place], place, said, plan, stored, progress) {
                        break Err(error);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
            }
            if stop.load(Ordering::Relaxed) {
                halt.store(true, Ordering::Relaxed);
            }
        };
        halt.store(true, Ordering::Relaxed);
        ended
    })?;
    match runs.bad.pop() {
        Some(reasons) => Err(Error::Invalid { runs: runs.bad.len() + 1, of: plan.runs(), reasons }),
        None => Ok(runs.finished),
    }
}

/// A live run that is missing.
struct Missing<'p> {
    planned: &'p Planned,
    seed: u64,
    /// How long it will take, in seconds.
    takes: f64,
    /// How long its scenario is, in seconds.
    whole: f64,
}

fn in_order<'p>(plan: &'p Plan, stored: &StoredRuns) -> Vec<Missing<'p>> {
    let missing: Vec<(&Planned, u64)> =
        plan.live_runs().filter(|run| plan.lacks(*run, |key| stored.run(key))).collect();
    let mut times: BTreeMap<&Point, f64> = BTreeMap::new();
    for (planned, _) in &missing {
        times.entry(&planned.point).or_insert_with(|| takes(planned));
    }
    let run = |(planned, seed): (&'p Planned, u64)| Missing {
        planned,
        seed,
        takes: times[&planned.point],
        whole: planned.scenario.duration.as_secs_f64(),
    };
    let mut missing: Vec<Missing> = missing.into_iter().map(run).collect();
    missing.sort_by(|one, other| one.seed.cmp(&other.seed).then(one.takes.total_cmp(&other.takes)));
    missing
}

/// What a thread that makes live runs says of one.
enum Said {
    /// So much of it is done, of the whole scenario.
    Done(f64),
    /// It is over, or was stopped.
    Over(Box<Result<Option<LiveRun>, Error>>),
}

/// What is known of the live runs while they are made.
struct Runs {
    /// How long all take, in seconds.
    all: f64,
    /// Of each, the seconds that are done.
    parts: Vec<f64>,
    /// Why runs were invalid to the last.
    bad: Vec<String>,
    reused: usize,
    finished: usize,
}

impl Runs {
    fn heard(
        &mut self,
        run: &Missing,
        place: usize,
        said: Said,
        plan: &Plan,
        stored: &mut StoredRuns,
        progress: &dyn Progress,
    ) -> Result<(), Error> {
        match said {
            Said::Done(part) => self.parts[place] = (part * run.whole).min(run.takes),
            Said::Over(made) => {
                let Some(made) = (*made)? else { return Ok(()) };
                self.parts[place] = run.takes;
                if made.is_invalid {
                    self.bad.push(made.exactness.reasons.join("; "));
                } else {
                    let mut row = Row::of(&made.records, &run.planned.scenario, &plan.metrics);
                    row.live = Some(made.exactness);
                    stored.append(run.planned.key(run.seed), row)?;
                    self.finished += 1;
                }
            }
        }
        let fraction = (BEFORE + (1.0 - BEFORE) * self.parts.iter().sum::<f64>() / self.all).min(1.0);
        let Runs { reused, finished, .. } = *self;
        progress.advanced(&Status { runs_finished: finished, runs_reused: reused, runs: plan.runs(), fraction });
        Ok(())
    }
}

/// A run that is not invalid, or the last of a few that are; `None` if it was stopped.
fn valid(
    run: &Missing,
    kernel: &dyn Kernel,
    stop: &AtomicBool,
    watch: &mut dyn FnMut(f64),
    progress: &dyn Progress,
) -> Result<Option<LiveRun>, Error> {
    let (scenario, seed) = (&run.planned.scenario, run.seed);
    let differences = kernel.differences(scenario).map_err(Error::Kernel)?;
    for tried in 1..=TRIES {
        let run = kernel.run(scenario, seed, stop, watch).map_err(Error::Kernel)?;
        let Some(mut run) = run.filter(|_| !stop.load(Ordering::Relaxed)) else { return Ok(None) };
        if !run.is_invalid || tried == TRIES {
            run.exactness.differences = differences;
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
/// Whether it is to stop is looked at this often.
const LOOK: Duration = Duration::from_millis(50);
