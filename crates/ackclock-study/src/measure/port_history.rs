//! How a port goes on during a run, for metrics over a part of it.

use ackclock::record::{Columns, Metric, Series};
use serde::{Deserialize, Serialize};

use super::flow_history::part;

/// How a port went on: means over intervals that follow each other from the start of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PortHistory {
    /// The length of the intervals, seconds.
    pub interval: f64,
    /// Units that waited.
    pub queue: Vec<f64>,
    /// The part of the time in which it transmitted.
    pub utilisation: Vec<f64>,
}

/// What a port has in a part of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfPort {
    /// The mean of what waited, units.
    Queue,
    /// The 5th percentile of the means over intervals of what waited, units.
    QueueP5,
    /// Their median.
    QueueMedian,
    /// Their 95th percentile.
    QueueP95,
    /// The part of the time in which it transmitted.
    Utilisation,
    /// The least of its means over intervals.
    LeastUtilisation,
}

impl OfPort {
    /// Names in study data.
    pub const NAMES: [(&'static str, OfPort); 6] = [
        ("queue", OfPort::Queue),
        ("queue-p5", OfPort::QueueP5),
        ("queue-median", OfPort::QueueMedian),
        ("queue-p95", OfPort::QueueP95),
        ("utilisation", OfPort::Utilisation),
        ("least-utilisation", OfPort::LeastUtilisation),
    ];
}

impl PortHistory {
    /// Of a port of which both were recorded.
    pub fn of(port: &str, series: &[Series]) -> Option<PortHistory> {
        let recorded = |metric: Metric| {
            let of_port = |series: &&Series| series.metric == metric && series.vc.is_none() && series.of == port;
            match &series.iter().find(of_port)?.columns {
                Columns::Intervals { interval, mean, .. } => Some((interval.as_secs_f64(), mean.clone())),
                _ => None,
            }
        };
        let ((interval, queue), (_, utilisation)) = (recorded(Metric::Queue)?, recorded(Metric::Utilisation)?);
        Some(PortHistory { interval, queue, utilisation })
    }

    /// What it has from one instant to another, seconds; `None` where nothing is recorded.
    pub fn value(&self, what: OfPort, from: f64, to: f64) -> Option<f64> {
        let values = match what {
            OfPort::Queue | OfPort::QueueP5 | OfPort::QueueMedian | OfPort::QueueP95 => &self.queue,
            OfPort::Utilisation | OfPort::LeastUtilisation => &self.utilisation,
        };
        let values = part(values, self.interval, from, to)?;
        match what {
            OfPort::Queue | OfPort::Utilisation => Some(values.iter().sum::<f64>() / values.len() as f64),
            OfPort::LeastUtilisation => values.iter().copied().reduce(f64::min),
            OfPort::QueueP5 => Some(percentile(values, 5)),
            OfPort::QueueMedian => Some(percentile(values, 50)),
            OfPort::QueueP95 => Some(percentile(values, 95)),
        }
    }
}

/// The least value that at least so many of a hundred do not exceed.
fn percentile(values: &[f64], percent: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[(sorted.len() * percent).div_ceil(100).max(1) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_run_has_means_percentiles_and_a_least_value() {
        let queue: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        let utilisation = vec![0.5, 1.0, 0.25, 1.0];
        let port = PortHistory { interval: 0.5, queue, utilisation };
        let value = |what, from, to| port.value(what, from, to).unwrap();
        assert_eq!(value(OfPort::Queue, 0.0, 10.0), 10.5);
        // The last four: 4, 3, 2, 1.
        assert_eq!(value(OfPort::Queue, 8.0, 10.0), 2.5);
        assert_eq!(value(OfPort::QueueP5, 0.0, 10.0), 1.0);
        assert_eq!(value(OfPort::QueueMedian, 0.0, 10.0), 10.0);
        assert_eq!(value(OfPort::QueueP95, 0.0, 10.0), 19.0);
        assert_eq!(value(OfPort::Utilisation, 0.0, 1.0), 0.75);
        assert_eq!(value(OfPort::LeastUtilisation, 0.0, 2.0), 0.25);
        assert_eq!(value(OfPort::LeastUtilisation, 1.5, 2.0), 1.0);
        assert_eq!(port.value(OfPort::Queue, 10.0, 12.0), None);
    }
}
