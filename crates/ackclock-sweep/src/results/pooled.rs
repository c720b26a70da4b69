//! Percentiles over all delays of all runs of a point together, and over all their files: from the sketches that the ledger has of
//! each run, which are read once more when the tables are written.

use std::collections::BTreeMap;
use std::path::Path;

use ackclock_store::{Ledger, StoreError};

use crate::results::row::Row;
use crate::results::sketch::Sketch;
use crate::results::{Results, Status};

/// A percentile over the runs of a point.
#[derive(Clone, Copy, Debug)]
pub struct Pooled {
    /// The name of its column.
    pub name: &'static str,
    /// What it means, in one sentence.
    pub about: &'static str,
}

/// What sketches of runs are of, in the order of a row.
pub(crate) const KINDS: usize = 4;
const PER_MILLE: [u32; 3] = [500, 950, 990];

/// Finds the percentiles of all points with two finished runs or more.
pub(crate) fn fill(results: &mut Results, ledger: &Path) -> Result<(), StoreError> {
    let plan = results.plan();
    let finished = |point: usize| results.runs_of(point).filter(|run| results.status(*run) == Status::Finished).count();
    let own = (0..plan.points.len()).filter(|point| results.is_own(point * plan.seeds));
    let mut open: BTreeMap<usize, Open> = own
        .map(|point| (point, finished(point)))
        .filter(|(_, finished)| *finished > 1)
        .map(|(point, left)| (point, Open { left, sketches: Default::default(), is_whole: true }))
        .collect();
    let mut found: BTreeMap<usize, Vec<Option<f64>>> = BTreeMap::new();
    if open.is_empty() {
        results.set_pooled(found);
        return Ok(());
    }
    let by_key = results.by_key();
    let mut seen = vec![false; plan.runs()];
    Ledger::read_each(ledger, |key, row: Row| {
        let Some(&run) = by_key.get(&key).filter(|_| row.failed.is_none()) else { return };
        let point = run / plan.seeds;
        let is_needed = results.runs_of(point).contains(&run) && !std::mem::replace(&mut seen[run], true);
        let Some(of_point) = open.get_mut(&point).filter(|_| is_needed) else { return };
        of_point.add(&row.delays);
        if of_point.left == 0
            && let Some(of_point) = open.remove(&point)
        {
            found.insert(point, of_point.percentiles());
        }
    })?;
    results.set_pooled(found);
    Ok(())
}

/// A point of which some runs are still to come.
struct Open {
    left: usize,
    sketches: [Sketch; KINDS],
    /// Whether each run had sketches that can be read.
    is_whole: bool,
}

impl Open {
    fn add(&mut self, delays: &[String]) {
        self.left -= 1;
        let added = self.sketches.iter_mut().zip(delays).all(|(sketch, text)| sketch.add_text(text).is_some());
        self.is_whole &= added && delays.len() == KINDS;
    }

    /// In the order of [`POOLED`]: three of each kind of delay.
    fn percentiles(&self) -> Vec<Option<f64>> {
        let mut percentiles = vec![None; POOLED.len()];
        for (kind, sketch) in self.sketches.iter().enumerate().filter(|_| self.is_whole) {
            for (place, value) in sketch.quantiles_s(PER_MILLE).into_iter().flatten().enumerate() {
                percentiles[kind * PER_MILLE.len() + place] = Some(value);
            }
        }
        percentiles
    }
}

const fn pooled(name: &'static str, about: &'static str) -> Pooled {
    Pooled { name, about }
}

/// The percentiles of a point, in seconds, to within 1.6 %: of each kind of delay that of 50, 95 and 99 %.
#[rustfmt::skip]
pub const POOLED: [Pooled; KINDS * PER_MILLE.len()] = [
    pooled("queueing_delay_pooled_p50_s",
        "The time that half of the units of all runs of a point waited at most at the port that limits: that of the bottleneck, or without one, of those that data pass, the one with the longest mean queue."),
    pooled("queueing_delay_pooled_p95_s",
        "The time that 95 % of the units of all runs of a point waited there at most."),
    pooled("queueing_delay_pooled_p99_s",
        "The time that 99 % of the units of all runs of a point waited there at most."),
    pooled("one_way_delay_pooled_p50_s",
        "The one-way delay that half of the segments of all flows in all runs of a point had at most."),
    pooled("one_way_delay_pooled_p95_s",
        "The one-way delay that 95 % of the segments of all flows in all runs of a point had at most."),
    pooled("one_way_delay_pooled_p99_s",
        "The one-way delay that 99 % of the segments of all flows in all runs of a point had at most."),
    pooled("round_trip_pooled_p50_s",
        "The value that half of the round trips that TCP measured in all runs of a point had at most."),
    pooled("round_trip_pooled_p95_s",
        "The value that 95 % of the round trips that TCP measured in all runs of a point had at most."),
    pooled("round_trip_pooled_p99_s",
        "The value that 99 % of the round trips that TCP measured in all runs of a point had at most."),
    pooled("completion_pooled_p50_s",
        "The completion time that half of the files of all runs of a point had at most, of those that came to their end."),
    pooled("completion_pooled_p95_s",
        "The completion time that 95 % of the files of all runs of a point had at most, of those that came to their end."),
    pooled("completion_pooled_p99_s",
        "The completion time that 99 % of the files of all runs of a point had at most, of those that came to their end."),
];
