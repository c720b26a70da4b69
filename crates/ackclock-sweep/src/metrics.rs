//! The numbers of a row: every number of the network, and the measures that were asked for.

use ackclock::measure::{Expression, Measure, OF_RUNS, Period, Run, Runs};
use ackclock::record::Records;
use ackclock::scenario::Scenario;
use ackclock_report::run::settles_s;

use crate::results::row::Row;
use crate::results::sketch;

/// The numbers that every row has, in their order.
pub const METRICS: &[Measure<Runs>] = OF_RUNS;

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
        numbers: METRICS.iter().map(|metric| metric.value(&run, None).filter(|number| number.is_finite())).collect(),
        asked,
        port: run.limiting_port().map(|port| port.record.name.clone()),
        delays: vec![queueing, one_way, round_trip, completions],
        settles_s: settles_s(&records.series).filter(|settles_s| *settles_s > 0.0),
        failed: None,
    }
}
