//! The plan of a sweep: which points, which seeds, which keys of runs. It is kept beside the runs, so that tables can be made,
//! and shards put together, without the scenario.

mod numbers;
pub(crate) mod until;

pub use numbers::About;

use std::collections::{BTreeMap, BTreeSet};

use ackclock::measure::Expression;
use ackclock::sim::RESULT_VERSION;
use ackclock_scenario::sweep::{VariedKey, rows};
use ackclock_store::{Key as RunKey, seal};
use serde::{Deserialize, Serialize};

use crate::metrics::METRICS;
use until::UntilCi;

/// What is run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What this file is: `ackclock-sweep`.
    pub format: String,
    /// Changes when readers of the plan have to change.
    pub format_version: u32,
    /// The version of the program.
    pub ackclock: String,
    /// Changes whenever any run could give other numbers.
    pub result_version: u32,
    /// The words of the command that repeats the sweep, without folder, threads, parts and how it is shown.
    pub command: Vec<String>,
    /// The words of a command that runs the scenario alone, but for the values of a point and the number of seeds.
    pub run: Vec<String>,
    /// The name of the scenario.
    pub scenario: String,
    /// What all points have in common: of each key at the top of the scenario a hash of its value, without the keys that change.
    #[serde(default)]
    pub base: BTreeMap<String, String>,
    /// What ports count: `cells` or `packets`; `units` where points differ.
    pub unit: String,
    /// The most flows of any point, on which it depends how small a fairness index can be.
    #[serde(default)]
    pub flows: usize,
    /// The first seed.
    pub first_seed: u64,
    /// How many seeds each point has, at most if that depends on its intervals.
    pub seeds: usize,
    /// When points have enough seeds, if not all have the same number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ci: Option<UntilCi>,
    /// What changes together, in the order of the command line.
    pub dimensions: Vec<Vec<Key>>,
    /// The numbers of a row.
    pub metrics: Vec<String>,
    /// Of each point a hash of the resolved scenario without the first seed, and the result version; none where the scenario refuses it. The last
    /// dimension changes fastest.
    pub points: Vec<Option<RunKey>>,
}

/// A key and its values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key {
    /// The key with its tables.
    pub path: String,
    /// Its values as scenario files spell them.
    pub values: Vec<String>,
    /// Its values as `--set` takes them, if some of them need quotes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<String>>,
    /// The unit of the values as numbers, as the end of a name; empty for plain numbers.
    pub unit: String,
    /// The values as numbers, if all that the scenario accepts are; none of values that it refuses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<Vec<Option<f64>>>,
}

impl Key {
    /// A key, of whose values the scenario accepts these.
    pub fn new(key: VariedKey, is_accepted: &[bool]) -> Key {
        let VariedKey { path, values, arguments, numbers } = key;
        let accepted =
            || numbers.iter().zip(is_accepted).filter(|(_, is_accepted)| **is_accepted).map(|(number, _)| number);
        let unit = accepted().next().and_then(|number| number.map(|(_, unit)| unit));
        let is_of_unit = unit.is_some() && accepted().all(|number| number.map(|(_, unit)| unit) == unit);
        let number = |(number, is_accepted): (&Option<(f64, &str)>, &bool)| {
            number.filter(|_| *is_accepted).map(|(number, _)| number)
        };
        Key {
            path,
            arguments: (arguments != values).then_some(arguments),
            unit: unit.filter(|_| is_of_unit).unwrap_or_default().to_owned(),
            numbers: is_of_unit.then(|| numbers.iter().zip(is_accepted).map(number).collect()),
            values,
        }
    }

    /// A value as `--set` takes it.
    fn argument(&self, row: usize) -> &str {
        &self.arguments.as_ref().unwrap_or(&self.values)[row]
    }

    /// A value as a number; not a number if it is none, or refused.
    pub fn number(&self, row: usize) -> f64 {
        self.numbers.as_ref().and_then(|numbers| numbers[row]).unwrap_or(f64::NAN)
    }

    /// The numbers of the values that the scenario accepts, in their order; none if they are no numbers.
    pub fn accepted_numbers(&self) -> Vec<f64> {
        self.numbers.iter().flatten().flatten().copied().collect()
    }
}

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// If it is not one, or is not as it was written: why.
    pub fn parse(text: &[u8]) -> Result<Plan, String> {
        let plan: Plan = serde_json::from_slice(text).map_err(|error| format!("it is damaged: {error}"))?;
        if plan.format != FORMAT {
            return Err("it is not the plan of a sweep".into());
        }
        // That of another version may have been written in another way.
        if plan.is_of_this_version() {
            seal::read::<Plan>(text)?;
        }
        if plan.is_of_this_version() && plan.asked().any(|(_, text)| Expression::parse(text).is_err()) {
            return Err("it is damaged: a number of a row is no measure".into());
        }
        let is_even = |keys: &Vec<Key>| {
            let length = keys.first().map_or(0, |key| key.values.len());
            keys.iter().all(|key| {
                key.values.len() == length
                    && key.numbers.as_ref().is_none_or(|numbers| numbers.len() == length)
                    && key.arguments.as_ref().is_none_or(|arguments| arguments.len() == length)
            })
        };
        let lengths = plan.dimensions.iter().map(|keys| keys.first().map_or(0, |key| key.values.len()));
        let points = lengths.into_iter().try_fold(1_usize, usize::checked_mul);
        if !plan.dimensions.iter().all(is_even) || points != Some(plan.points.len()) {
            return Err("it is damaged: points and values do not match".into());
        }
        let runs = plan.points.len().checked_mul(plan.seeds).filter(|runs| *runs <= MOST_RUNS);
        let last = plan.first_seed.checked_add(plan.seeds as u64);
        if plan.seeds == 0 || runs.is_none() || last.is_none() {
            return Err(format!("it is damaged: {} seeds from {} on", plan.seeds, plan.first_seed));
        }
        if plan.until_ci.as_ref().is_some_and(|until| !until.is_sound(plan.seeds, &plan.metrics)) {
            return Err("it is damaged: no number of seeds follows from its rule".into());
        }
        Ok(plan)
    }

    /// How many runs there are at most, those of refused points included.
    pub fn runs(&self) -> usize {
        self.points.len() * self.seeds
    }

    /// Whether rows have documents of their runs: of a large sweep they would take much room.
    pub(crate) fn keeps_documents(&self) -> bool {
        self.runs() <= MOST_WITH_DOCUMENTS
    }

    /// The point and the seed of a run.
    pub fn point_and_seed(&self, run: usize) -> (usize, u64) {
        (run / self.seeds, self.first_seed + (run % self.seeds) as u64)
    }

    /// What identifies a run, by a hash of the resolved scenario, the seed, and the result version; `None` of refused points.
    pub fn key(&self, run: usize) -> Option<RunKey> {
        let (point, seed) = self.point_and_seed(run);
        Some(self.points[point]?.with_seed(seed, self.result_version))
    }

    /// Of each row of a dimension whether the scenario accepts it at any point.
    pub fn accepted_rows(&self, dimension: usize) -> Vec<bool> {
        let lengths: Vec<usize> = self.dimensions.iter().map(|keys| keys[0].values.len()).collect();
        let step: usize = lengths[dimension + 1..].iter().product();
        let mut accepted = vec![false; lengths[dimension]];
        for (point, _) in self.points.iter().enumerate().filter(|(_, key)| key.is_some()) {
            accepted[point / step % lengths[dimension]] = true;
        }
        accepted
    }

    /// All keys that change, in the order of the dimensions.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.dimensions.iter().flatten()
    }

    /// Of each key the number of its value at a point.
    pub fn rows_at(&self, point: usize) -> Vec<usize> {
        let lengths: Vec<usize> = self.dimensions.iter().map(|keys| keys[0].values.len()).collect();
        let rows = rows(&lengths, point);
        self.dimensions.iter().zip(rows).flat_map(|(keys, row)| keys.iter().map(move |_| row)).collect()
    }

    /// The values of a point, as in `queue.buffer = 10 packets, tcp.recovery = reno`.
    pub fn label(&self, point: usize) -> String {
        let value = |(key, row): (&Key, usize)| format!("{} = {}", key.path, key.values[row]);
        self.keys().zip(self.rows_at(point)).map(value).collect::<Vec<_>>().join(", ")
    }

    /// What follows the words of [`Plan::run`] in a command that runs a point alone with so many seeds.
    pub fn arguments_of(&self, point: usize, seeds: usize) -> Vec<String> {
        let set = |(key, row): (&Key, usize)| ["--set".into(), format!("{}={}", key.path, key.argument(row))];
        let mut words: Vec<String> = self.keys().zip(self.rows_at(point)).flat_map(set).collect();
        if seeds > 1 {
            words.extend(["--seeds".into(), seeds.to_string()]);
        }
        words
    }

    /// In what this sweep differs from another so that their runs are not to be in one folder; `None` if only values and seeds do.
    pub fn differs_from(&self, other: &Plan) -> Option<String> {
        let keys = |plan: &Plan| plan.keys().map(|key| key.path.clone()).collect::<Vec<_>>().join(", ");
        if self.scenario != other.scenario || keys(self) != keys(other) {
            return Some(match keys(self) {
                keys if keys.is_empty() => format!("of `{}` without keys", self.scenario),
                keys => format!("of `{}` over {keys}", self.scenario),
            });
        }
        let names: BTreeSet<&String> = self.base.keys().chain(other.base.keys()).collect();
        let other: Vec<&str> = names
            .into_iter()
            .filter(|name| self.base.get(*name) != other.base.get(*name))
            .map(String::as_str)
            .collect();
        let said = || format!("of another `{}`, which differs in `{}`", self.scenario, other.join("`, `"));
        (!other.is_empty()).then(said)
    }

    /// Whether both are of the same sweep, whatever their commands call its files and in whatever order they say what is set.
    pub fn is_same_sweep(&self, other: &Plan) -> bool {
        let without =
            |plan: &Plan| Plan { command: Vec::new(), run: Vec::new(), ackclock: String::new(), ..plan.clone() };
        without(self) == without(other)
    }

    /// Whether this program would make the same rows.
    pub fn is_of_this_version(&self) -> bool {
        self.format_version == FORMAT_VERSION
            && self.result_version == RESULT_VERSION
            && self.metrics.len() >= METRICS.len()
            && self.metrics.iter().zip(METRICS).all(|(name, metric)| name == metric.name)
    }

    /// Eight digits that change with the points, not with the number of seeds.
    pub fn short_hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for key in self.keys() {
            hasher.update(key.path.as_bytes());
        }
        for point in self.points.iter().flatten() {
            hasher.update(point.to_string().as_bytes());
        }
        hasher.finalize().to_hex()[..8].to_owned()
    }
}

/// A document takes about 4 kB for each flow and 1 kB for each port, ten times as much as a row.
const MOST_WITH_DOCUMENTS: usize = 10_000;

#[cfg(test)]
impl Plan {
    /// A plan of nothing.
    pub(crate) fn example() -> Plan {
        Plan {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
            ackclock: env!("CARGO_PKG_VERSION").into(),
            result_version: RESULT_VERSION,
            command: Vec::new(),
            run: Vec::new(),
            scenario: "example".into(),
            base: BTreeMap::new(),
            unit: "packets".into(),
            flows: 2,
            first_seed: 1,
            seeds: 1,
            until_ci: None,
            dimensions: Vec::new(),
            metrics: Vec::new(),
            points: Vec::new(),
        }
    }
}

/// More would need hundreds of gigabytes of memory.
const MOST_RUNS: usize = 1_000_000_000;
/// By which a plan is recognized.
pub const FORMAT: &str = "ackclock-sweep";
/// Changes when readers of the plan have to change.
pub const FORMAT_VERSION: u32 = 3;
