//! What a report says of its live runs: on which kernel, how exact they were, and what that kernel does in another way.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::data::Point;
use crate::measure::Row;
use crate::plan::Scope;
use crate::study::Study;

/// The live runs of a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveReport {
    /// How many there are.
    pub runs: usize,
    /// Those that are less exact than they should be.
    pub degraded: usize,
    /// Why they are less exact; each reason once.
    pub reasons: Vec<String>,
    /// What went wrong with connections, each once.
    pub problems: Vec<String>,
    /// The kernels, usually one.
    pub kernels: Vec<String>,
    /// In the worst run 999 of 1000 packets were late by this at most, seconds.
    pub late_p999_s: Option<f64>,
    /// What the kernel does in another way than the scenarios say.
    pub differences: Vec<String>,
}

impl LiveReport {
    /// Of the live runs in the scope; `None` if there are none.
    pub(crate) fn of<'a>(study: &Study, scope: &Scope, run: &'a dyn Fn(&Point, u64) -> &'a Row) -> Option<LiveReport> {
        let demand = scope.demand(study);
        let live = demand.iter().filter(|(point, _)| point.live);
        let rows = live.flat_map(|(point, demand)| (1..=demand.seeds).map(move |seed| run(point, seed)));
        let all: Vec<_> = rows.filter_map(|row| row.live.as_ref()).collect();
        let once = |of: &mut dyn Iterator<Item = String>| of.collect::<BTreeSet<_>>().into_iter().collect();
        let late = all.iter().filter_map(|live| live.late_p999_s);
        (!all.is_empty()).then(|| LiveReport {
            runs: all.len(),
            degraded: all.iter().filter(|live| !live.reasons.is_empty()).count(),
            reasons: once(&mut all.iter().flat_map(|live| live.reasons.iter().cloned())),
            problems: once(&mut all.iter().flat_map(|live| live.problems.iter().cloned())),
            kernels: once(&mut all.iter().map(|live| live.kernel.clone())),
            late_p999_s: late.reduce(f64::max),
            differences: once(&mut all.iter().flat_map(|live| live.differences.iter().cloned())),
        })
    }

    /// In sentences: how many runs, and how exact.
    pub(crate) fn words(&self) -> String {
        let LiveReport { runs, degraded, kernels, .. } = self;
        let mut text = format!("{runs} runs were live, on {}", kernels.join(" and "));
        if let Some(late) = self.late_p999_s {
            text += &format!("; in the worst of them 99.9 % of the packets were late by {:.1} ms at most", 1e3 * late);
        }
        text += match degraded {
            0 => "; all are valid.",
            _ => "; ",
        };
        if *degraded > 0 {
            text += &format!("{degraded} are degraded, the others valid.");
        }
        text
    }

    /// What is to be said beside that, with its heading.
    pub(crate) fn lists(&self) -> [(&'static str, &[String]); 3] {
        [
            ("Why runs are degraded", &self.reasons[..self.reasons.len().min(MOST)]),
            ("What went wrong", &self.problems[..self.problems.len().min(MOST)]),
            ("What the kernel does in its own way", &self.differences),
        ]
    }
}

/// Reasons have numbers in them, so there can be one for each run.
const MOST: usize = 5;
