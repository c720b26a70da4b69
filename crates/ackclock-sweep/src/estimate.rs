//! How long a sweep takes, and how much disk: measured on the beginnings of a few runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ackclock::sim;
use ackclock::units::Span;
use ackclock_scenario::sweep::Sweep;

use crate::check::Checked;
use crate::metrics::METRICS;

/// What the missing runs take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Seconds on so many threads as were asked for.
    pub seconds: f64,
    /// Octets that they add to the ledger and the tables.
    pub disk_bytes: f64,
    /// Octets of memory for the rows.
    pub memory_bytes: f64,
}

impl Estimate {
    /// Of the missing runs: runs at a few points are begun, from the cheapest to the most expensive, each for a moment; the cost of the
    /// others follows from that. `None` if `stop` is set meanwhile.
    pub fn of(
        sweep: &Sweep<'_>,
        checked: &Checked,
        missing: &[usize],
        threads: usize,
        stop: &AtomicBool,
    ) -> Option<Estimate> {
        let plan = &checked.plan;
        let cost = |run: &usize| checked.costs[run / plan.seeds];
        let (mut measured_s, mut measured_cost) = (0.0, 0.0);
        for place in 0..PILOTS.min(missing.len()) {
            // The list begins with the most expensive.
            let run = missing[(missing.len() - 1) * place / (PILOTS - 1).max(1)];
            let seconds = pilot(sweep, checked, run, stop)?;
            measured_s += seconds;
            measured_cost += cost(&run);
        }
        let all: f64 = missing.iter().map(cost).sum();
        let simulation_s = if measured_cost > 0.0 { measured_s * all / measured_cost } else { 0.0 };
        Some(Estimate {
            seconds: simulation_s / threads.min(missing.len()).max(1) as f64,
            disk_bytes: missing.len() as f64 * (plan.metrics.len() as f64 * NUMBER_BYTES + RUN_BYTES),
            memory_bytes: Estimate::memory_of(plan.runs() as f64),
        })
    }

    /// Octets of memory for the rows of so many runs, known before their points are loaded.
    pub fn memory_of(runs: f64) -> f64 {
        runs * (METRICS.len() as f64 * 8.0 + RUN_MEMORY_BYTES)
    }
}

/// Seconds that a run takes, from its beginning; loading it included.
fn pilot(sweep: &Sweep<'_>, checked: &Checked, run: usize, stop: &AtomicBool) -> Option<f64> {
    let (point, seed) = checked.plan.point_and_seed(run);
    let began = Instant::now();
    let scenario = checked.scenario(sweep, point).ok()?;
    let loading = began.elapsed().as_secs_f64() / checked.plan.seeds as f64;
    let began = Instant::now();
    let mut simulation = sim::build(&scenario, seed);
    let step = Span::from_ps((scenario.duration.as_ps() / STEPS).max(1));
    while !simulation.progress().finished() && began.elapsed() < PATIENCE {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        simulation.step(simulation.progress().now + step);
    }
    let done = simulation.progress().now.as_secs_f64() / scenario.duration.as_secs_f64();
    Some(loading + began.elapsed().as_secs_f64() / done.max(1e-6))
}

/// Runs that are begun.
const PILOTS: usize = 5;
const PATIENCE: Duration = Duration::from_millis(200);
const STEPS: u64 = 1000;
/// Of a number: 19 octets in the ledger, 19 in `table.csv`, 8 in `table.parquet`.
const NUMBER_BYTES: f64 = 46.0;
/// Of a run beside its numbers: key, checksum, seed and values.
const RUN_BYTES: f64 = 160.0;
const RUN_MEMORY_BYTES: f64 = 48.0;
