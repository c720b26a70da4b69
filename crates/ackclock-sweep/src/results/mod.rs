//! The rows of a sweep in memory: eight octets for each number, whatever the scenario.

pub(crate) mod pooled;
pub(crate) mod row;
pub(crate) mod sketch;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use ackclock_store::Key as RunKey;

use crate::metrics::METRICS;
use crate::plan::Plan;
use crate::results::row::Row;

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
    /// Of points with several runs the percentiles over all of them, once they were found.
    pooled: BTreeMap<usize, Vec<Option<f64>>>,
    /// Of each run the port that limits, as a place in the list of their names.
    ports: Vec<Option<u32>>,
    port_names: Vec<String>,
    /// Of runs that were looked at for that, when their goodput settles.
    settles_s: BTreeMap<usize, f64>,
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
            pooled: BTreeMap::new(),
            ports: vec![None; runs],
            port_names: Vec::new(),
            settles_s: BTreeMap::new(),
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

    /// The port that limits in a run: loss, queue and queueing delay are of it.
    pub fn port(&self, run: usize) -> Option<&str> {
        self.ports[self.own(run)].map(|place| self.port_names[place as usize].as_str())
    }

    /// The ports that limit in the runs of a point, each once.
    pub fn ports_of(&self, point: usize) -> BTreeSet<&str> {
        self.runs_of(point).filter_map(|run| self.port(run)).collect()
    }

    /// The ports that limit in any run, each once.
    pub fn all_ports(&self) -> BTreeSet<&str> {
        self.runs().filter_map(|run| self.port(run)).collect()
    }

    /// How many runs of their own that are needed have this status.
    pub fn count(&self, status: Status) -> usize {
        self.runs().filter(|run| self.is_own(*run) && self.status[*run] == status).count()
    }

    /// Whether any run has this number.
    pub fn has(&self, metric: usize) -> bool {
        self.runs().any(|run| self.number(run, metric).is_some())
    }

    /// A percentile over all runs of a point, by its place in [`POOLED`](crate::POOLED).
    pub fn pooled(&self, point: usize, place: usize) -> Option<f64> {
        self.pooled.get(&(self.first[point] as usize))?[place]
    }

    /// Whether any point has this percentile over its runs.
    pub fn has_pooled(&self, place: usize) -> bool {
        self.pooled.values().any(|percentiles| percentiles[place].is_some())
    }

    pub(crate) fn set_pooled(&mut self, pooled: BTreeMap<usize, Vec<Option<f64>>>) {
        self.pooled = pooled;
    }

    /// The runs in which it is looked at when the goodput settles: the first of the first point, of one in the middle, and of the last.
    pub(crate) fn looked_at(&self) -> Vec<usize> {
        let seeds = self.plan.seeds;
        let own: Vec<usize> = (0..self.plan.points.len()).filter(|point| self.is_own(point * seeds)).collect();
        let Some(last) = own.len().checked_sub(1) else { return Vec::new() };
        [0, last / 2, last].map(|nth| own[nth] * seeds).into()
    }

    /// The runs whose goodput settles later than at once, and when, in seconds; of those that were looked at for that.
    pub fn settling(&self) -> impl Iterator<Item = (usize, f64)> {
        self.settles_s.iter().map(|(run, settles_s)| (*run, *settles_s))
    }

    /// The runs of their own by their keys.
    pub(crate) fn by_key(&self) -> HashMap<RunKey, usize> {
        let runs = (0..self.plan.runs()).filter(|run| self.is_own(*run));
        runs.filter_map(|run| self.plan.key(run).map(|key| (key, run))).collect()
    }

    /// Puts the row of a run into its place. A row that lacks a number is not taken: the run is made again.
    pub(crate) fn set(&mut self, run: usize, row: Row) {
        let width = self.plan.metrics.len();
        let before = self.status[run];
        match row.failed {
            Some(reason) => {
                self.failures.insert(run, reason);
                self.status[run] = Status::Failed;
            }
            None if row.numbers.len() == METRICS.len()
                && self.plan.asked().all(|(_, text)| row.asked.contains_key(text)) =>
            {
                let asked = self.plan.asked().map(|(_, text)| row.asked[text]);
                let numbers = row.numbers.into_iter().chain(asked);
                let place = &mut self.numbers[run * width..(run + 1) * width];
                place.iter_mut().zip(numbers).for_each(|(place, number)| *place = number.unwrap_or(f64::NAN));
                self.failures.remove(&run);
                self.ports[run] = row.port.map(|name| place_of(&mut self.port_names, name));
                self.status[run] = Status::Finished;
                if let Some(settles_s) = row.settles_s {
                    self.settles_s.insert(run, settles_s);
                }
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
            let after = until.after(needed as usize, &self.plan.metrics, values).min(self.plan.seeds) as u32;
            if after == needed {
                break;
            }
            needed = after;
        }
        self.seeds[point].needed = needed;
    }
}

/// The place of a name in a list, to which it is added if it is new. There are few: most runs of a sweep have one port that limits.
fn place_of(names: &mut Vec<String>, name: String) -> u32 {
    let place = names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    });
    place as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::until::{MetricWidth, UntilCi};

    fn row(goodput: f64) -> Row {
        let of = |name: &str| (name == "goodput_bps").then_some(goodput);
        Row { numbers: METRICS.iter().map(|metric| of(metric.name)).collect(), ..Row::default() }
    }

    /// One point with 2 to 12 seeds, until its goodput is known to 10 %.
    fn results() -> Results {
        let widths = vec![MetricWidth { metric: "goodput_bps".into(), share: 0.1 }];
        Results::new(Plan {
            seeds: 12,
            until_ci: Some(UntilCi { least: 2, widths }),
            metrics: METRICS.iter().map(|metric| metric.name.to_owned()).collect(),
            points: vec![Some(RunKey::new("a", 0, 0)), None, Some(RunKey::new("a", 0, 0))],
            ..Plan::example()
        })
    }

    #[test]
    fn a_point_asks_for_more_seeds_when_all_that_it_asked_for_have_ended() {
        let mut results = results();
        let runs = |results: &Results| results.runs().collect::<Vec<_>>();
        assert_eq!(
            (results.seeds(0), runs(&results)),
            (2, vec![0, 1, 24, 25]),
            "the third point is the first once more"
        );
        results.set(1, row(10.0));
        assert_eq!(results.seeds(0), 2, "the first is missing");
        results.set(0, row(9.0));
        // Half a width of 67 %: four seeds. Then 14 %: as many more as that needs.
        assert_eq!(results.seeds(0), 4);
        results.set(2, row(9.0));
        assert_eq!((results.seeds(0), results.count(Status::Missing)), (4, 1));
        results.set(3, row(10.5));
        let half = |values: &[f64]| {
            let summary = ackclock::record::stats::summarize(values).unwrap();
            summary.ci95.unwrap() / summary.mean
        };
        let ratio = half(&[9.0, 10.0, 9.0, 10.5]) / 0.1;
        let needed = (4.0 * ratio * ratio).ceil() as usize;
        assert!((6..8).contains(&needed), "{needed}");
        assert_eq!((results.seeds(0), results.seeds(2)), (needed, needed));
        (4..needed).for_each(|run| results.set(run, row(9.6)));
        assert_eq!((results.seeds(0), results.count(Status::Missing)), (needed, 0));
        assert_eq!(results.count(Status::Finished), needed, "runs of equal points count once");
    }

    #[test]
    fn a_step_of_one_seed_is_taken_and_the_most_seeds_are_the_end() {
        let mut results = results();
        results.set(0, row(10.0));
        results.set(1, row(10.15));
        // Half a width of 9.5 %.
        assert_eq!(results.seeds(0), 2);
        // The same run came out otherwise when it was tried again: 11 %, so three seeds.
        results.set(1, row(10.18));
        assert_eq!(results.seeds(0), 3);
        results.set(1, row(10.15));
        assert_eq!(results.seeds(0), 2);
        results.set(1, row(30.0));
        (2..12).for_each(|run| results.set(run, row(if run % 2 == 0 { 1.0 } else { 30.0 })));
        assert_eq!((results.seeds(0), results.count(Status::Missing)), (12, 0));
    }
}
