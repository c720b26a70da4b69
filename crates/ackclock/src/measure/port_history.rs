//! How a port goes on during a run, for metrics over a part of it.

use super::part::{Intervals, mean};
use crate::record::{Columns, Metric, Records, Series};
use crate::scenario::Recording;

/// How a port went on, interval by interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PortHistory {
    /// Mean number of units that waited; the one in transmission does not count.
    pub queue: Intervals,
    /// The part of the time in which it transmitted.
    pub utilisation: Intervals,
}

impl PortHistory {
    /// Of the port of this name, in a run that ended at `end` and recorded this. An idle port has no record: nothing waited there.
    pub fn of(port: &str, records: &Records, recording: &Recording) -> PortHistory {
        let Recording { interval, metrics, .. } = recording;
        let intervals = records.simulated.as_ps().div_ceil(interval.as_ps().max(1)) as usize;
        let recorded = |metric: Metric| {
            let of_port = |series: &&Series| series.metric == metric && series.vc.is_none() && series.of == port;
            let values = match records.series.iter().find(of_port).map(|series| &series.columns) {
                Some(Columns::Intervals { mean, .. }) => mean.to_vec(),
                _ if metrics.contains(metric) => vec![0.0; intervals],
                _ => Vec::new(),
            };
            Intervals { interval: *interval, duration: records.simulated, values }
        };
        PortHistory { queue: recorded(Metric::Queue), utilisation: recorded(Metric::Utilisation) }
    }
}

/// The largest distance of values from their mean, as a part of that.
pub(super) fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values);
    values.iter().map(|value| (value / mean - 1.0).abs()).reduce(f64::max)
}

/// The mean over the second half less that over the first half, as a part of the mean of all.
pub(super) fn trend(values: &[f64]) -> Option<f64> {
    let (first, second) = (&values[..values.len() / 2], &values[values.len().div_ceil(2)..]);
    (!first.is_empty()).then(|| (mean(second) - mean(first)) / mean(values))
}

/// The correlation (Pearson) of two things that go on together; `None` where one does not change.
pub fn correlation(first: &[f64], second: &[f64]) -> Option<f64> {
    let means = (mean(first), mean(second));
    let pairs = || first.iter().zip(second).map(|(one, other)| (one - means.0, other - means.1));
    let variance =
        pairs().map(|(one, _)| one * one).sum::<f64>() * pairs().map(|(_, other)| other * other).sum::<f64>();
    (variance > 0.0).then(|| pairs().map(|(one, other)| one * other).sum::<f64>() / variance.sqrt())
}

/// The least value that at least so many of a hundred do not exceed.
pub(super) fn percentile(values: &[f64], percent: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[(sorted.len() * percent).div_ceil(100).max(1) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occur() {
        let values: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        assert_eq!([5, 50, 95].map(|percent| percentile(&values, percent)), [1.0, 10.0, 19.0]);
    }

    #[test]
    fn values_go_away_from_their_mean_and_have_a_trend() {
        // Mean 20: 15 is a quarter of it away.
        assert_eq!(deviation(&[24.0, 15.0, 21.0, 20.0]), Some(0.25));
        assert_eq!(deviation(&[24.0, 16.0, 25.0, 15.0]), Some(0.25));
        // From a mean of 8.5 to one of 11.5; 10 is in the middle. And back.
        assert!((trend(&[8.0, 9.0, 10.0, 11.0, 12.0]).unwrap() - 0.3).abs() < 1e-12);
        assert!((trend(&[12.0, 11.0, 10.0, 9.0, 8.0]).unwrap() + 0.3).abs() < 1e-12);
        assert_eq!((trend(&[9.0, 12.0, 9.0]), trend(&[9.0])), (Some(0.0), None));
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
