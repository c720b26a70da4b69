//! The numbers of a row: every number of the network, and the measures that were asked for.

use ackclock::measure::{Expression, Measure, OF_RUNS, Period, Range, Run, Runs};
use ackclock::record::Records;
use ackclock::scenario::Scenario;
use ackclock_report::run::settles_s;

use crate::plan::Plan;
use crate::results::row::Row;
use crate::results::sketch;

/// The numbers that every row has, in their order.
pub const METRICS: &[Measure<Runs>] = OF_RUNS;

/// What is known of a number of a row.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its unit; empty for counts. `units` are cells or packets, as ports of the network count them.
    pub unit: &'static str,
    /// What it means, in one sentence.
    pub about: &'static str,
    /// What it can be.
    range: Range,
}

impl About {
    /// The least and the most that it can be with so many flows.
    pub fn limits(&self, flows: usize) -> (f64, f64) {
        self.range.limits(flows)
    }
}

impl Plan {
    /// What is known of a number by its place in a row.
    pub fn about(&self, place: usize) -> About {
        match METRICS.get(place) {
            Some(Measure { unit, about, range, .. }) => About { unit, about, range: *range },
            None => match Expression::parse(&self.metrics[place]) {
                Ok(measure) => About { unit: measure.unit(), about: measure.about(), range: measure.range() },
                Err(_) => unreachable!("a plan whose measures cannot be read is refused"),
            },
        }
    }

    /// The measures that were asked for, with their places in a row.
    pub fn asked(&self) -> impl Iterator<Item = (usize, &str)> {
        self.metrics.iter().enumerate().skip(METRICS.len()).map(|(place, text)| (place, text.as_str()))
    }

    /// The place of a number in a row, by its name.
    pub fn place_of(&self, name: &str) -> Option<usize> {
        self.metrics.iter().position(|metric| metric == name)
    }
}

/// The row of a run. What is not defined, and what is not finite, is not there.
pub(crate) fn row(scenario: &Scenario, records: &Records, asked: &[Expression]) -> Row {
    let run = Run::new(scenario, records, Period::Measured);
    let completions = sketch::text(run.completions_s().iter().map(|seconds| ((seconds * 1e12).round() as u64, 1)));
    let histograms = [run.queueing(), run.one_way(), run.round_trip()];
    let [queueing, one_way, round_trip] = histograms.map(|histogram| {
        sketch::text(
            histogram.into_iter().flat_map(|histogram| histogram.bins()).map(|(value, times)| (value.as_ps(), times)),
        )
    });
    let asked = asked.iter().map(|measure| (measure.text().to_owned(), measure.value(&run))).collect();
    Row {
        numbers: METRICS.iter().map(|metric| (metric.of)(&run).filter(|number| number.is_finite())).collect(),
        asked,
        delays: vec![queueing, one_way, round_trip, completions],
        settles_s: settles_s(&records.series).filter(|settles_s| *settles_s > 0.0),
        failed: None,
    }
}
