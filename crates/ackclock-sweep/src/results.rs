//! The rows of a sweep in memory: eight octets for each number, whatever the scenario.

use std::collections::{BTreeMap, HashMap};

use ackclock_store::Key as RunKey;
use serde::{Deserialize, Serialize};

use crate::plan::Plan;

/// What is kept of a run: a line of the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// In the order of [`METRICS`](crate::METRICS); nothing of a run that failed.
    pub numbers: Vec<Option<f64>>,
    /// Why there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// What became of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It was not done yet.
    Missing,
    /// Its numbers are there.
    Finished,
    /// It ended without numbers.
    Failed,
}

/// The rows of a sweep.
#[derive(Debug)]
pub struct Results {
    plan: Plan,
    /// Of each point the first one that is the same scenario.
    first: Vec<u32>,
    /// Those of a run follow each other; NaN is none.
    numbers: Vec<f64>,
    status: Vec<Status>,
    failures: BTreeMap<usize, String>,
}

impl Results {
    /// No rows yet.
    pub fn new(plan: Plan) -> Results {
        let mut of: HashMap<RunKey, u32> = HashMap::new();
        let first = |(point, key): (usize, &Option<RunKey>)| {
            key.map_or(point as u32, |key| *of.entry(key).or_insert(point as u32))
        };
        let first = plan.points.iter().enumerate().map(first).collect();
        let runs = plan.runs();
        Results {
            first,
            numbers: vec![f64::NAN; runs * plan.metrics.len()],
            status: vec![Status::Missing; runs],
            failures: BTreeMap::new(),
            plan,
        }
    }

    /// What was asked for.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Whether a run is one of its own: not that of a refused point, nor one whose scenario an earlier point has too.
    pub fn is_own(&self, run: usize) -> bool {
        let point = run / self.plan.seeds;
        self.plan.points[point].is_some() && self.first[point] as usize == point
    }

    /// The run that stands for it.
    fn own(&self, run: usize) -> usize {
        self.first[run / self.plan.seeds] as usize * self.plan.seeds + run % self.plan.seeds
    }

    /// What became of a run.
    pub fn status(&self, run: usize) -> Status {
        self.status[self.own(run)]
    }

    /// Why a run has no numbers.
    pub fn failure(&self, run: usize) -> Option<&str> {
        self.failures.get(&self.own(run)).map(String::as_str)
    }

    /// A number of a run, by its place in the list of metrics.
    pub fn number(&self, run: usize, metric: usize) -> Option<f64> {
        let number = self.numbers[self.own(run) * self.plan.metrics.len() + metric];
        (!number.is_nan()).then_some(number)
    }

    /// How many runs of their own have this status.
    pub fn count(&self, status: Status) -> usize {
        (0..self.plan.runs()).filter(|run| self.is_own(*run) && self.status[*run] == status).count()
    }

    /// Whether any run has this number.
    pub fn has(&self, metric: usize) -> bool {
        self.numbers.iter().skip(metric).step_by(self.plan.metrics.len()).any(|number| !number.is_nan())
    }

    /// The runs of their own by their keys.
    pub(crate) fn by_key(&self) -> HashMap<RunKey, usize> {
        let runs = (0..self.plan.runs()).filter(|run| self.is_own(*run));
        runs.filter_map(|run| self.plan.key(run).map(|key| (key, run))).collect()
    }

    /// Puts the row of a run into its place. A row with other numbers than these is not taken.
    pub(crate) fn set(&mut self, run: usize, row: Row) {
        let width = self.plan.metrics.len();
        match row.failed {
            Some(reason) => {
                self.failures.insert(run, reason);
                self.status[run] = Status::Failed;
            }
            None if row.numbers.len() == width => {
                let place = &mut self.numbers[run * width..(run + 1) * width];
                place.iter_mut().zip(row.numbers).for_each(|(place, number)| *place = number.unwrap_or(f64::NAN));
                self.failures.remove(&run);
                self.status[run] = Status::Finished;
            }
            None => {}
        }
    }
}
