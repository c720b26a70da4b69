//! Every point of a sweep loaded once: what is refused, what it costs, and the plan.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use ackclock::measure::Expression;
use ackclock::scenario::{Scenario, Technology};
use ackclock::sim::{self, RESULT_VERSION};
use ackclock_run::{most_crossings, network_bytes};
use ackclock_scenario::sweep::{Dimension, Lack, Sweep};
use ackclock_scenario::{Diagnostic, LoadError, Loaded, Severity};
use ackclock_store::Key as RunKey;

use crate::error::Error;
use crate::held::{Held, Small};
use crate::metrics::METRICS;
use crate::plan::until::UntilCi;
use crate::plan::{FORMAT, FORMAT_VERSION, Key, Plan};

/// A sweep of which every point was loaded.
#[derive(Debug)]
pub struct Checked {
    /// What is to be run.
    pub plan: Plan,
    /// The computing time of a run at each point, in any unit; 0 of refused points.
    pub costs: Vec<f64>,
    /// The simulated time of a run at each point, seconds.
    pub durations_s: Vec<f64>,
    /// What is wrong, each thing once.
    pub refused: Vec<Refused>,
    /// How many points are refused.
    pub refused_points: usize,
    /// What is probably not meant, each thing once.
    pub warnings: Vec<Diagnostic>,
    /// Whether every point gives the same under every seed.
    pub is_certain: bool,
    /// The most memory that the scenario of a point and one network of it take, octets.
    pub network_bytes: f64,
    /// The measures that were asked for.
    pub(crate) measures: Vec<Expression>,
    /// What they lack at every point that was accepted.
    pub lacks: Vec<Lack>,
    held: Held,
}

/// Something that is wrong at some points.
#[derive(Debug)]
pub struct Refused {
    /// What is wrong.
    pub diagnostic: Diagnostic,
    /// At how many points.
    pub points: usize,
    /// The values of the first of them.
    pub first: String,
}

impl Checked {
    /// Loads every point on so many threads, each with so many seeds, or with at most so many; `None` if `stop` is set meanwhile. `watch` gets how many points are done. If none of the first thousand
    /// points can be loaded, the others are not tried.
    ///
    /// # Errors
    /// If the scenario cannot be read, or if the seeds are too large.
    pub fn of(
        sweep: &Sweep<'_>,
        seeds: usize,
        until_ci: Option<UntilCi>,
        command: Vec<String>,
        threads: usize,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(usize),
    ) -> Result<Option<Checked>, Error> {
        let dimensions =
            sweep.dimensions().iter().map(|dimension| keys(dimension, &vec![true; dimension.len()])).collect();
        let mut run: Vec<String> = ["ackclock", "run"].map(str::to_owned).into();
        run.extend(sweep.arguments.iter().cloned());
        let plan = Plan {
            run,
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
            ackclock: env!("CARGO_PKG_VERSION").into(),
            result_version: RESULT_VERSION,
            command,
            scenario: String::new(),
            base: sweep.base(),
            unit: String::new(),
            flows: 0,
            first_seed: 0,
            seeds,
            until_ci,
            dimensions,
            metrics: METRICS
                .iter()
                .map(|metric| metric.name.to_owned())
                .chain(sweep.measures.iter().map(|measure| measure.text().to_owned()))
                .collect(),
            points: Vec::new(),
        };
        let mut checked = Checked {
            measures: sweep.measures.clone(),
            lacks: Vec::new(),
            plan,
            costs: Vec::new(),
            durations_s: Vec::new(),
            refused: Vec::new(),
            refused_points: 0,
            warnings: Vec::new(),
            is_certain: true,
            network_bytes: 0.0,
            held: Held::new(),
        };
        let points = usize::try_from(sweep.points()).expect("the caller has looked at the number of points");
        let mut first = 0;
        while first < points {
            // What the points of a part say is put together in their order, whatever the threads do.
            let part = first..points.min(first + PART);
            for loaded in load_all(sweep, part.clone(), threads) {
                match loaded {
                    Ok(found) => checked.accept(found)?,
                    Err(LoadError::Invalid(diagnostics)) => checked.refuse(diagnostics),
                    Err(error @ LoadError::Unreadable { .. }) => return Err(Error::Load(error)),
                }
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            first = part.end;
            watch(first);
            if checked.refused_points >= ENOUGH && checked.refused_points == checked.plan.points.len() {
                break;
            }
        }
        if checked.refused_points > 0 && checked.plan.points.len() == points {
            // A value that is refused is not among those that are drawn and listed as numbers.
            let accepted = |place| checked.plan.accepted_rows(place);
            let dimensions = sweep.dimensions().iter().enumerate();
            checked.plan.dimensions = dimensions.map(|(place, dimension)| keys(dimension, &accepted(place))).collect();
        }
        Ok(Some(checked))
    }

    /// How many points there are to run.
    pub fn accepted_points(&self) -> usize {
        self.plan.points.len() - self.refused_points
    }

    /// The scenario of a point that was accepted. Those that are not in memory any more are loaded again.
    ///
    /// # Errors
    /// If a point that is loaded again cannot be loaded any more, or is another scenario than it was.
    pub(crate) fn scenario(&self, sweep: &Sweep<'_>, point: usize) -> Result<Arc<Scenario>, Error> {
        if let Some(scenario) = self.held.get(point) {
            return Ok(scenario);
        }
        let loaded = sweep.load(point).map_err(Error::Load)?;
        if self.plan.points[point] != Some(RunKey::of_scenario(&loaded.resolved, RESULT_VERSION)) {
            return Err(Error::Changed { point: self.plan.label(point) });
        }
        Ok(Arc::new(loaded.scenario))
    }

    fn accept(&mut self, found: Found) -> Result<(), Error> {
        let Found { name, seed, unit, flows, key, cost, duration_s, is_certain, network_bytes, warnings, small, lacks } =
            found;
        let last = seed.saturating_add(self.plan.seeds as u64 - 1);
        if last > LARGEST_SEED {
            return Err(Error::Seeds { first: seed, seeds: self.plan.seeds });
        }
        match self.accepted_points() {
            0 => self.lacks = lacks,
            _ => self.lacks.retain(|lack| lacks.iter().any(|other| lack.is_same(other))),
        }
        if self.accepted_points() == 0 {
            self.plan.scenario = name;
            self.plan.first_seed = seed;
            self.plan.unit = unit.into();
        } else if self.plan.unit != unit {
            self.plan.unit = "units".into();
        }
        self.plan.flows = self.plan.flows.max(flows);
        self.is_certain &= is_certain;
        self.network_bytes = self.network_bytes.max(network_bytes);
        self.costs.push(cost);
        self.durations_s.push(duration_s);
        if let Some(small) = small {
            self.held.hold(self.plan.points.len(), small);
        }
        self.plan.points.push(Some(key));
        for warning in warnings {
            if self.warnings.len() < MOST_KINDS && !self.warnings.iter().any(|known| is_same(known, &warning)) {
                self.warnings.push(warning);
            }
        }
        Ok(())
    }

    fn refuse(&mut self, diagnostics: Vec<Diagnostic>) {
        let point = self.plan.points.len();
        self.refused_points += 1;
        self.costs.push(0.0);
        self.durations_s.push(0.0);
        self.plan.points.push(None);
        for diagnostic in diagnostics.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error) {
            match self.refused.iter().position(|known| is_same(&known.diagnostic, &diagnostic)) {
                Some(known) => self.refused[known].points += 1,
                None if self.refused.len() < MOST_KINDS => {
                    self.refused.push(Refused { diagnostic, points: 1, first: self.plan.label(point) });
                }
                None => {}
            }
        }
    }
}

/// What the plan needs of a point.
struct Found {
    name: String,
    seed: u64,
    unit: &'static str,
    flows: usize,
    key: RunKey,
    cost: f64,
    duration_s: f64,
    is_certain: bool,
    network_bytes: f64,
    warnings: Vec<Diagnostic>,
    small: Option<Small>,
    lacks: Vec<Lack>,
}

impl Found {
    fn of(mut loaded: Loaded, measures: &[Expression]) -> Found {
        let scenario = &loaded.scenario;
        Found {
            lacks: measures.iter().flat_map(|measure| Lack::of(measure, scenario)).collect(),
            seed: loaded.seed,
            unit: unit(scenario),
            flows: scenario.flows.len(),
            key: RunKey::of_scenario(&loaded.resolved, RESULT_VERSION),
            cost: most_crossings(scenario).max(1.0),
            duration_s: scenario.duration.as_secs_f64(),
            is_certain: !sim::has_randomness(scenario),
            network_bytes: network_bytes(scenario),
            name: scenario.name.clone(),
            warnings: std::mem::take(&mut loaded.warnings),
            small: Small::of(loaded),
        }
    }
}

/// What is found at some points, in order.
fn load_all(sweep: &Sweep<'_>, points: Range<usize>, threads: usize) -> Vec<Result<Found, LoadError>> {
    let each = points.len().div_ceil(threads.max(1)).max(1);
    let parts = points.clone().step_by(each).map(|first| first..points.end.min(first + each));
    thread::scope(|scope| {
        let load = |part: Range<usize>| {
            let found = |point| sweep.load(point).map(|loaded| Found::of(loaded, &sweep.measures));
            part.map(found).collect::<Vec<_>>()
        };
        let loading: Vec<_> = parts.map(|part| scope.spawn(move || load(part))).collect();
        let joined = loading.into_iter().map(|part| part.join().unwrap_or_else(|panic| resume_unwind(panic)));
        joined.flatten().collect()
    })
}

/// The keys of a dimension, of whose rows these are accepted.
fn keys(dimension: &Dimension, is_accepted: &[bool]) -> Vec<Key> {
    dimension.keys().into_iter().map(|key| Key::new(key, is_accepted)).collect()
}

fn unit(scenario: &Scenario) -> &'static str {
    match scenario.technology {
        Technology::Atm { .. } => "cells",
        Technology::Packet { .. } => "packets",
    }
}

/// Whether two findings are one and the same thing, said of two points.
fn is_same(a: &Diagnostic, b: &Diagnostic) -> bool {
    let span =
        |of: &Diagnostic| of.place.as_ref().map(|place| (place.file.clone(), place.span.clone(), place.text.clone()));
    a.message == b.message && a.label == b.label && span(a) == span(b)
}

/// More kinds of mistakes are not listed.
const MOST_KINDS: usize = 20;
/// So many points are loaded between two looks at what was found.
const PART: usize = 256;
/// So many points that are all refused say enough.
const ENOUGH: usize = 1000;
/// The largest integer of a TOML file.
const LARGEST_SEED: u64 = i64::MAX as u64;
