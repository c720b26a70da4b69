//! How a port goes on during a run, for metrics over a part of it.

use ackclock::record::{Columns, Metric, Series};
use serde::{Deserialize, Serialize};

use super::part::{Part, mean};

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
    /// The largest distance of these means from the mean of all, as a part of that.
    QueueDeviation,
    /// The mean over the second half less that over the first half, as a part of the mean of all.
    QueueTrend,
    /// The part of the time in which it transmitted.
    Utilisation,
    /// The least of its means over intervals.
    LeastUtilisation,
}

impl OfPort {
    /// Names in study data.
    pub const NAMES: [(&'static str, OfPort); 8] = [
        ("queue", OfPort::Queue),
        ("queue-p5", OfPort::QueueP5),
        ("queue-median", OfPort::QueueMedian),
        ("queue-p95", OfPort::QueueP95),
        ("queue-deviation", OfPort::QueueDeviation),
        ("queue-trend", OfPort::QueueTrend),
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
                Columns::Intervals { interval, mean, .. } => Some((interval.as_secs_f64(), mean.to_vec())),
                _ => None,
            }
        };
        let ((interval, queue), (_, utilisation)) = (recorded(Metric::Queue)?, recorded(Metric::Utilisation)?);
        Some(PortHistory { interval, queue, utilisation })
    }

    /// What it has in a part of the run; `None` where nothing is recorded.
    pub fn value(&self, what: OfPort, part: Part) -> Option<f64> {
        let values = match what {
            OfPort::Queue
            | OfPort::QueueP5
            | OfPort::QueueMedian
            | OfPort::QueueP95
            | OfPort::QueueDeviation
            | OfPort::QueueTrend => &self.queue,
            OfPort::Utilisation | OfPort::LeastUtilisation => &self.utilisation,
        };
        let values = part.of(values, self.interval)?;
        match what {
            OfPort::Queue | OfPort::Utilisation => Some(mean(values)),
            OfPort::QueueDeviation => {
                let mean = mean(values);
                values.iter().map(|value| (value / mean - 1.0).abs()).reduce(f64::max)
            }
            OfPort::QueueTrend => {
                let (first, second) = (&values[..values.len() / 2], &values[values.len().div_ceil(2)..]);
                (!first.is_empty()).then(|| (mean(second) - mean(first)) / mean(values))
            }
            OfPort::LeastUtilisation => values.iter().copied().reduce(f64::min),
            OfPort::QueueP5 => Some(percentile(values, 5)),
            OfPort::QueueMedian => Some(percentile(values, 50)),
            OfPort::QueueP95 => Some(percentile(values, 95)),
        }
    }
}

/// The correlation (Pearson) of two things that go on together; `None` where one does not change.
pub(crate) fn correlation(first: &[f64], second: &[f64]) -> Option<f64> {
    let means = (mean(first), mean(second));
    let pairs = || first.iter().zip(second).map(|(one, other)| (one - means.0, other - means.1));
    let variance =
        pairs().map(|(one, _)| one * one).sum::<f64>() * pairs().map(|(_, other)| other * other).sum::<f64>();
    (variance > 0.0).then(|| pairs().map(|(one, other)| one * other).sum::<f64>() / variance.sqrt())
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
        let value = |what, part: &str| port.value(what, Part::named(part).unwrap()).unwrap();
        assert_eq!(value(OfPort::Queue, "0 to 10 s"), 10.5);
        // The last four: 4, 3, 2, 1.
        assert_eq!(value(OfPort::Queue, "8 to 10 s"), 2.5);
        assert_eq!(value(OfPort::QueueP5, "0 to 10 s"), 1.0);
        assert_eq!(value(OfPort::QueueMedian, "0 to 10 s"), 10.0);
        assert_eq!(value(OfPort::QueueP95, "0 to 10 s"), 19.0);
        assert_eq!(value(OfPort::Utilisation, "0 to 1 s"), 0.75);
        assert_eq!(value(OfPort::LeastUtilisation, "0 to 2 s"), 0.25);
        assert_eq!(value(OfPort::LeastUtilisation, "1.5 to 2 s"), 1.0);
        assert_eq!(port.value(OfPort::Queue, Part::named("10 to 12 s").unwrap()), None);
    }

    #[test]
    fn a_queue_goes_away_from_its_mean_and_has_a_trend() {
        let port = |queue: &[f64]| PortHistory { interval: 1.0, queue: queue.to_vec(), utilisation: Vec::new() };
        let value = |queue: &[f64], what| port(queue).value(what, Part::named("0 to 9 s").unwrap()).unwrap();
        // Mean 20: 15 is a quarter of it away.
        assert_eq!(value(&[24.0, 15.0, 21.0, 20.0], OfPort::QueueDeviation), 0.25);
        assert_eq!(value(&[24.0, 16.0, 25.0, 15.0], OfPort::QueueDeviation), 0.25);
        // From a mean of 8.5 to one of 11.5; 10 is in the middle. And back.
        assert!((value(&[8.0, 9.0, 10.0, 11.0, 12.0], OfPort::QueueTrend) - 0.3).abs() < 1e-12);
        assert!((value(&[12.0, 11.0, 10.0, 9.0, 8.0], OfPort::QueueTrend) + 0.3).abs() < 1e-12);
        assert_eq!(value(&[9.0, 12.0, 9.0], OfPort::QueueTrend), 0.0);
        assert_eq!(port(&[9.0]).value(OfPort::QueueTrend, Part::named("0 to 9 s").unwrap()), None);
    }

    #[test]
    fn things_that_go_on_together_are_correlated() {
        let up = [1.0, 2.0, 3.0];
        let near = |second: &[f64], expected: f64| {
            let value = correlation(&up, second).unwrap();
            assert!((value - expected).abs() < 1e-12, "{value}");
        };
        near(&[10.0, 20.0, 30.0], 1.0);
        near(&[3.0, 2.0, 1.0], -1.0);
        // Distances −1, 0, 1 and −1, 2, −1.
        near(&[0.0, 3.0, 0.0], 0.0);
        assert_eq!(correlation(&up, &[1.0; 3]), None);
    }
}
