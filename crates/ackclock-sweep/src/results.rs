//! The rows of a sweep in memory: eight octets for each number, whatever the scenario.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

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

#[derive(Clone, Copy, Debug)]
struct Seeds {
    needed: u32,
    ended: u32,
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
    /// Of each point of its own how many seeds it is known to need, and how many of its runs have ended.
    seeds: Vec<Seeds>,
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
        let least = plan.until_ci.as_ref().map_or(plan.seeds, |until| until.least) as u32;
        Results {
            first,
            seeds: vec![Seeds { needed: least, ended: 0 }; plan.points.len()],
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

    /// How many seeds a point needs, by what is known: all, unless the plan makes that depend on its intervals. The number
    /// rises until enough runs have ended.
    pub fn seeds(&self, point: usize) -> usize {
        self.seeds[self.first[point] as usize].needed as usize
    }

    /// The runs that a point needs, by what is known.
    pub fn runs_of(&self, point: usize) -> Range<usize> {
        let first = point * self.plan.seeds;
        first..first + self.seeds(point)
    }

    /// All runs that are needed, by what is known, in the order of the points; those of refused points are not.
    pub fn runs(&self) -> impl Iterator<Item = usize> {
        let accepted = (0..self.plan.points.len()).filter(|point| self.plan.points[*point].is_some());
        accepted.flat_map(|point| self.runs_of(point))
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

    /// How many runs of their own that are needed have this status.
    pub fn count(&self, status: Status) -> usize {
        self.runs().filter(|run| self.is_own(*run) && self.status[*run] == status).count()
    }

    /// Whether any run has this number.
    pub fn has(&self, metric: usize) -> bool {
        self.runs().any(|run| self.number(run, metric).is_some())
    }

    /// The runs of their own by their keys.
    pub(crate) fn by_key(&self) -> HashMap<RunKey, usize> {
        let runs = (0..self.plan.runs()).filter(|run| self.is_own(*run));
        runs.filter_map(|run| self.plan.key(run).map(|key| (key, run))).collect()
    }

    /// Puts the row of a run into its place. A row with other numbers than these is not taken.
    pub(crate) fn set(&mut self, run: usize, row: Row) {
        let width = self.plan.metrics.len();
        let before = self.status[run];
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
        let point = run / self.plan.seeds;
        self.seeds[point].ended += u32::from(before == Status::Missing && self.status[run] != Status::Missing);
        match before {
            Status::Missing => self.ask_for_more(point),
            // Another outcome of a run may be one after which fewer are needed.
            _ => {
                let least = self.plan.until_ci.as_ref().map_or(self.plan.seeds, |until| until.least);
                self.seeds[point].needed = least as u32;
                self.ask_for_more(point);
            }
        }
    }

    /// Finds how many seeds a point needs, once those that it was known to need have ended.
    fn ask_for_more(&mut self, point: usize) {
        let Some(until) = &self.plan.until_ci else { return };
        let Seeds { mut needed, ended } = self.seeds[point];
        let first = point * self.plan.seeds;
        while needed <= ended {
            let runs = first..first + needed as usize;
            if self.status[runs.clone()].contains(&Status::Missing) {
                break;
            }
            let values = |metric: usize| runs.clone().filter_map(|run| self.number(run, metric)).collect();
            let after = until.after(needed as usize, values).min(self.plan.seeds) as u32;
            if after == needed {
                break;
            }
            needed = after;
        }
        self.seeds[point].needed = needed;
    }
}
