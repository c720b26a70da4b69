//! How long a sweep takes, how much disk, and how much memory: measured on the beginnings of a few runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ackclock::sim;
use ackclock::units::Span;
use ackclock_scenario::sweep::Sweep;

use crate::check::Checked;
use crate::held;
use crate::metrics::{self, METRICS};
use crate::results::row::Row;
use crate::run::Options;
use crate::shard::Shard;
use crate::size::Sizes;

/// What the missing runs take.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Seconds on so many threads as were asked for.
    pub seconds: f64,
    /// Octets that they add to the ledger, and those of plan, tables, page and figures.
    pub disk_bytes: f64,
    /// The same if each point gets as many seeds as it may have.
    pub most_disk_bytes: f64,
    /// Numbers that the runs are going to have. They may have others, which what was begun of them does not show.
    pub numbers: Vec<String>,
}

impl Estimate {
    /// Of the missing runs: runs at a few points are begun, from the cheapest to the most expensive, each for a moment; the cost of the
    /// others follows from that. `None` if `stop` is set meanwhile.
    pub fn of(
        sweep: &Sweep<'_>,
        checked: &Checked,
        missing: &[usize],
        options: &Options<'_>,
        has_differences: bool,
    ) -> Option<Estimate> {
        let plan = &checked.plan;
        let cost = |run: &usize| checked.costs[run / plan.seeds];
        let (mut measured_s, mut measured_cost) = (0.0, 0.0);
        let mut rows: Vec<Row> = Vec::new();
        let began = Instant::now();
        for place in (0..PILOTS.min(missing.len())).take_while(|place| *place == 0 || began.elapsed() < ENOUGH) {
            // The list begins with the most expensive.
            let run = missing[(missing.len() - 1) * place / (PILOTS - 1).max(1)];
            let pilot = pilot(sweep, checked, run, options.stop)?;
            measured_s += pilot.seconds;
            measured_cost += cost(&run);
            rows.push(pilot.row);
        }
        let all: f64 = missing.iter().map(cost).sum();
        let simulation_s = if measured_cost > 0.0 { measured_s * all / measured_cost } else { 0.0 };
        let sizes = Sizes::of(plan, &rows);
        let least = plan.until_ci.as_ref().map_or(plan.seeds, |until| until.least);
        // Of a part nothing is written but its runs and the plan.
        let tables = |seeds: usize| match options.shard {
            Shard::WHOLE => sizes.tables(seeds, has_differences),
            _ => sizes.plan(),
        };
        let runs = missing.len() as f64;
        Some(Estimate {
            seconds: simulation_s / options.threads.min(missing.len()).max(1) as f64,
            disk_bytes: sizes.ledger(runs) + tables(least),
            most_disk_bytes: sizes.ledger(runs * plan.seeds as f64 / least as f64) + tables(plan.seeds),
            numbers: numbers(&rows),
        })
    }

    /// Octets of memory for the points and rows of a sweep, known before its points are loaded: what is the same however many runs go
    /// on at a time.
    pub fn memory_of(points: f64, seeds: f64) -> f64 {
        let rows = points * seeds * (METRICS.len() as f64 * 8.0 + RUN_MEMORY_BYTES);
        let held = (points * SCENARIO_MEMORY_BYTES).min(held::ROOM_BYTES as f64);
        BASE_MEMORY_BYTES + rows + points * POINT_MEMORY_BYTES + held
    }
}

/// The names of the numbers that any row has.
fn numbers(rows: &[Row]) -> Vec<String> {
    let usual = |place: &usize| rows.iter().any(|row| row.numbers.get(*place).is_some_and(Option::is_some));
    let usual = (0..METRICS.len()).filter(usual).map(|place| METRICS[place].name.to_owned());
    let asked = rows.iter().flat_map(|row| &row.asked).filter(|(_, number)| number.is_some());
    usual.chain(asked.map(|(text, _)| text.clone())).collect()
}

/// A run that was begun.
struct Pilot {
    /// How long the whole run takes, loading included.
    seconds: f64,
    /// What would be kept of it so far.
    row: Row,
}

fn pilot(sweep: &Sweep<'_>, checked: &Checked, run: usize, stop: &AtomicBool) -> Option<Pilot> {
    let (point, seed) = checked.plan.point_and_seed(run);
    let began = Instant::now();
    let scenario = checked.scenario(sweep, point).ok()?;
    let loading = began.elapsed().as_secs_f64() / checked.plan.seeds as f64;
    let began = Instant::now();
    let mut simulation = sim::build(&scenario, seed);
    // A network is built once, however long it runs.
    let building = began.elapsed().as_secs_f64();
    let began = Instant::now();
    let step = Span::from_ps((scenario.duration.as_ps() / STEPS).max(1));
    while !simulation.progress().finished() && began.elapsed() < PATIENCE {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        simulation.step(simulation.progress().now + step);
    }
    let done = simulation.progress().now.as_secs_f64() / scenario.duration.as_secs_f64();
    let running = began.elapsed().as_secs_f64() / done.max(1e-6);
    let began = Instant::now();
    let row = metrics::row(&scenario, &simulation.finish(), &checked.measures, checked.plan.keeps_documents());
    let seconds = loading + building + running + began.elapsed().as_secs_f64();
    Some(Pilot { seconds, row })
}

/// Runs that are begun.
const PILOTS: usize = 5;
/// After so long no other run is begun: to build a large network takes many seconds.
const ENOUGH: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_millis(200);
const STEPS: u64 = 1000;
/// Of a run beside its numbers: its status, its key, and its place by that.
const RUN_MEMORY_BYTES: f64 = 100.0;
/// Of a point: its key in the plan, its costs, its place in the page and in lists.
const POINT_MEMORY_BYTES: f64 = 500.0;
/// Of a small scenario that is held.
const SCENARIO_MEMORY_BYTES: f64 = 8000.0;
/// The program, groups of a table on their way to the disk, and the page.
const BASE_MEMORY_BYTES: f64 = 3e7;
