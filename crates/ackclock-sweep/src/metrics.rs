//! The numbers of a row: every number of the network, and the measures that were asked for.

use ackclock::measure::{Expression, Measure, OF_RUNS, Period, Run, Runs};
use ackclock::record::Records;
use ackclock::scenario::Scenario;
use ackclock_report::run::settles_s;
use ackclock_store::document::Run as Document;
use ackclock_store::flows::parts::MOST_IN_DOCUMENT;

use crate::results::row::{LEAST_WITH_DOCUMENT, Row};
use crate::results::sketch;

/// The numbers that every row has, in their order.
pub const METRICS: &[Measure<Runs>] = OF_RUNS;

/// The row of a run. What is not defined, and what is not finite, is not there. With its document if documents are kept, if that alone
/// is a result, as runs of so many flows have files, and if it is worth its room.
pub(crate) fn row(scenario: &Scenario, records: &Records, asked: &[Expression], keeps_documents: bool) -> Row {
    let units: u64 = records.ports.iter().map(|port| port.arrivals).sum();
    let has_document = keeps_documents && units >= LEAST_WITH_DOCUMENT;
    let has_document = has_document && records.flows.len() + records.udp.len() <= MOST_IN_DOCUMENT;
    let document = has_document.then(|| Document::from(records).measured(asked, scenario, records));
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
        document: document.map(Box::new),
    }
}
