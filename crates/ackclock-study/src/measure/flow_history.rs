//! How a flow goes on during a run, for metrics over a part of it.

use ackclock::record::{Columns, Metric, Series};
use ackclock::units::Time;
use serde::{Deserialize, Serialize};

/// How a flow went on: means over intervals that follow each other from the start of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FlowHistory {
    /// The length of the intervals, seconds.
    pub interval: f64,
    /// Bits per second delivered in order.
    pub throughput_bps: Vec<f64>,
    /// The congestion window over time, segments.
    pub cwnd: Vec<f64>,
    /// What the sender might have outstanding, bytes; empty where it was not recorded.
    #[serde(default)]
    pub send_window: Vec<f64>,
}

impl FlowHistory {
    /// Of a flow of which both were recorded.
    pub fn of(flow: &str, mss: u32, series: &[Series], end: Time) -> Option<FlowHistory> {
        let recorded = |metric: Metric| series.iter().find(|series| series.metric == metric && series.of == flow);
        let (throughput, cwnd) = (recorded(Metric::Throughput)?, recorded(Metric::Cwnd)?);
        let Columns::Intervals { interval, mean, .. } = &throughput.columns else { return None };
        let edge = |n: usize| Time::from_ps(interval.as_ps() * n as u64).min(end);
        let means = |series: &Series| match &series.columns {
            Columns::Points { time, value } => {
                Some((0..mean.len()).map(|n| mean_of_changes(time, value, edge(n), edge(n + 1))).collect::<Vec<f64>>())
            }
            _ => None,
        };
        Some(FlowHistory {
            interval: interval.as_secs_f64(),
            throughput_bps: mean.clone(),
            cwnd: means(cwnd)?.into_iter().map(|bytes| bytes / f64::from(mss)).collect(),
            send_window: recorded(Metric::SendWindow).and_then(means).unwrap_or_default(),
        })
    }

    /// The longest time in which these values are 0, seconds.
    pub fn longest_pause(&self, values: &[f64]) -> f64 {
        let pauses = values.split(|value| *value > 0.0).map(<[f64]>::len);
        pauses.max().unwrap_or(0) as f64 * self.interval
    }

    /// The mean of some values over the intervals from one instant to another, seconds.
    pub fn mean(&self, values: &[f64], from: f64, to: f64) -> Option<f64> {
        let part = part(values, self.interval, from, to)?;
        Some(part.iter().sum::<f64>() / part.len() as f64)
    }
}

/// The values of the intervals from one instant to another, seconds; `None` if there are none.
pub(crate) fn part(values: &[f64], interval: f64, from: f64, to: f64) -> Option<&[f64]> {
    let place = |seconds: f64| (seconds / interval).round() as usize;
    values.get(place(from)..place(to).min(values.len())).filter(|part| !part.is_empty())
}

/// The mean over time, from one instant to another, of a value that holds from each change until the next; zero before
/// the first.
fn mean_of_changes(time: &[Time], value: &[f64], from: Time, to: Time) -> f64 {
    let first = time.partition_point(|&time| time <= from);
    let mut now = (from, first.checked_sub(1).map_or(0.0, |before| value[before]));
    let mut sum = 0.0;
    let changes = time[first..].iter().zip(&value[first..]).take_while(|&(&time, _)| time < to);
    for (&time, &value) in changes.chain([(&to, &0.0)]) {
        sum += now.1 * time.since(now.0).as_secs_f64();
        now = (time, value);
    }
    if to > from { sum / to.since(from).as_secs_f64() } else { now.1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::units::Span;

    #[test]
    fn a_mean_over_time_weighs_each_value_by_how_long_it_holds() {
        let (time, value) = ([10, 20, 40].map(|ms| Time::ZERO + Span::from_ms(ms)), [2.0, 4.0, 8.0]);
        let mean = |from, to| {
            let [from, to] = [from, to].map(|ms| Time::ZERO + Span::from_ms(ms));
            mean_of_changes(&time, &value, from, to)
        };
        let near = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-9, "{value} {expected}");
        near(mean(0, 10), 0.0);
        near(mean(10, 20), 2.0);
        near(mean(12, 14), 2.0);
        // 10 ms of nothing, 10 of 2, 20 of 4, 10 of 8.
        near(mean(0, 40), 100.0 / 40.0);
        near(mean(0, 50), 180.0 / 50.0);
        near(mean(40, 1000), 8.0);
    }

    #[test]
    fn a_pause_is_a_time_without_any_value() {
        let history = FlowHistory { interval: 0.01, ..FlowHistory::default() };
        let pause = |values: &[f64]| (history.longest_pause(values) * 1000.0).round();
        assert_eq!(pause(&[0.0, 5.0, 0.0, 0.0, 0.0, 1.0, 0.0]), 30.0);
        assert_eq!((pause(&[1.0, 2.0]), pause(&[0.0, 0.0]), pause(&[])), (0.0, 20.0, 0.0));
    }
}
