//! Every point of a sweep loaded once: what is refused, what it costs, and the plan.

use std::sync::atomic::{AtomicBool, Ordering};

use ackclock::scenario::{Scenario, Technology};
use ackclock::sim::{self, RESULT_VERSION};
use ackclock_run::most_crossings;
use ackclock_scenario::sweep::{Dimension, Sweep};
use ackclock_scenario::{Diagnostic, LoadError, Loaded, Severity};
use ackclock_store::Key as RunKey;

use crate::error::Error;
use crate::metrics::METRICS;
use crate::plan::{FORMAT, FORMAT_VERSION, Key, Plan};
use crate::until::UntilCi;

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
    /// Loads every point, each with so many seeds, or with at most so many; `None` if `stop` is set meanwhile. `watch` gets how many points are done. If none of the first thousand
    /// points can be loaded, the others are not tried.
    ///
    /// # Errors
    /// If the scenario cannot be read, or if the seeds are too large.
    pub fn of(
        sweep: &Sweep<'_>,
        seeds: usize,
        until_ci: Option<UntilCi>,
        command: Vec<String>,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(usize),
    ) -> Result<Option<Checked>, Error> {
        let dimensions = sweep.dimensions().iter().map(keys).collect();
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
            unit: String::new(),
            first_seed: 0,
            seeds,
            until_ci,
            dimensions,
            metrics: METRICS.iter().map(|metric| metric.name.to_owned()).collect(),
            points: Vec::new(),
        };
        let mut checked = Checked {
            plan,
            costs: Vec::new(),
            durations_s: Vec::new(),
            refused: Vec::new(),
            refused_points: 0,
            warnings: Vec::new(),
            is_certain: true,
        };
        let points = usize::try_from(sweep.points()).expect("the caller has looked at the number of points");
        for point in 0..points {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            watch(point);
            match sweep.load(point) {
                Ok(loaded) => checked.accept(loaded)?,
                Err(LoadError::Invalid(diagnostics)) => checked.refuse(diagnostics),
                Err(error @ LoadError::Unreadable { .. }) => return Err(Error::Load(error)),
            }
            if checked.refused_points == ENOUGH && checked.plan.points.len() == ENOUGH {
                break;
            }
        }
        Ok(Some(checked))
    }

    /// How many points there are to run.
    pub fn accepted_points(&self) -> usize {
        self.plan.points.len() - self.refused_points
    }

    fn accept(&mut self, loaded: Loaded) -> Result<(), Error> {
        let Loaded { scenario, seed, resolved, warnings, .. } = loaded;
        let last = seed.saturating_add(self.plan.seeds as u64 - 1);
        if last > LARGEST_SEED {
            return Err(Error::Seeds { first: seed, seeds: self.plan.seeds });
        }
        let unit = unit(&scenario);
        if self.accepted_points() == 0 {
            self.plan.scenario = scenario.name.clone();
            self.plan.first_seed = seed;
            self.plan.unit = unit.into();
        } else if self.plan.unit != unit {
            self.plan.unit = "units".into();
        }
        self.is_certain &= !sim::has_randomness(&scenario);
        self.costs.push(most_crossings(&scenario).max(1.0));
        self.durations_s.push(scenario.duration.as_secs_f64());
        self.plan.points.push(Some(hash(&resolved)));
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

fn keys(dimension: &Dimension) -> Vec<Key> {
    dimension.keys().into_iter().map(Key::from).collect()
}

/// What a point is known by.
pub(crate) fn hash(resolved: &str) -> RunKey {
    RunKey::new(resolved, 0, RESULT_VERSION)
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
/// So many points that are all refused say enough.
const ENOUGH: usize = 1000;
/// The largest integer of a TOML file.
const LARGEST_SEED: u64 = i64::MAX as u64;
