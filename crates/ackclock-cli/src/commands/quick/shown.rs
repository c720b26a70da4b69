//! What came out of one of the results that `quick` compares.

use ackclock::record::{Columns, Metric, Series};
use ackclock_store::document::Document;

use super::compared::Group;

/// One result of `quick` with what its table, chart and page show.
pub struct Shown {
    pub name: String,
    /// Its TCP, or its mixture.
    pub tcp: String,
    pub policy: String,
    pub groups: Vec<Group>,
    pub document: Document,
    /// The largest window that its receivers advertise, as scenario files spell it.
    pub receive_window: String,
    /// Mean round trip of all flows over all runs, seconds; and of the flows of each group.
    pub rtt: Option<f64>,
    pub group_rtts: Vec<Option<f64>>,
    /// What the first seed recorded.
    pub series: Vec<Series>,
}

/// What was recorded of a metric, of the flows or ports that are asked for by name.
pub fn columns<'a>(
    series: &'a [Series],
    metric: Metric,
    is_of: impl Fn(&str) -> bool + 'a,
) -> impl Iterator<Item = &'a Columns> {
    series.iter().filter(move |series| series.metric == metric && is_of(&series.of)).map(|series| &series.columns)
}
