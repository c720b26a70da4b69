//! What is measured of a run, and the metrics computed from it.

mod abr;
mod flow_history;
mod flow_metric;
mod measurement;
mod metric;
mod name;
mod part;
mod plateaus;
mod port_history;
mod rate_control;
mod sack;
mod timeouts;
mod unit;

pub(crate) use measurement::{MEASUREMENT_VERSION, Measurement, handovers};
pub(crate) use metric::Metric;
pub(crate) use name::MetricName;
