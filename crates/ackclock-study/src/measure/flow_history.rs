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
    /// The part of each interval in which the window that the sender was told is less than its congestion window; empty where it was
    /// not recorded.
    #[serde(default)]
    pub told: Vec<f64>,
    /// Bytes sent for the first time; empty where it was not recorded.
    #[serde(default)]
    pub sent: Vec<f64>,
}

impl FlowHistory {
    /// Of a flow of which throughput and congestion window were recorded.
    pub fn of(flow: &str, mss: u32, series: &[Series], end: Time) -> Option<FlowHistory> {
        let recorded = |metric: Metric| series.iter().find(|series| series.metric == metric && series.of == flow);
        let points = |metric: Metric| match &recorded(metric)?.columns {
            Columns::Points { time, value } => Some((time.as_slice(), value.as_slice())),
            _ => None,
        };
        let Columns::Intervals { interval, mean, .. } = &recorded(Metric::Throughput)?.columns else { return None };
        let edge = |n: usize| Time::from_ps(interval.as_ps() * n as u64).min(end);
        let means = |(time, value): (&[Time], &[f64])| {
            (0..mean.len()).map(|n| mean_of_changes(time, value, edge(n), edge(n + 1))).collect::<Vec<f64>>()
        };
        let cwnd = points(Metric::Cwnd)?;
        let told = |send_window| {
            let (time, told) = is_less(send_window, cwnd);
            means((&time, &told))
        };
        let firsts = |(time, value): (&[Time], &[f64])| {
            let mut furthest = 0.0;
            let within = |n| {
                &value[time.partition_point(|&time| time < edge(n))..time.partition_point(|&time| time < edge(n + 1))]
            };
            (0..mean.len())
                .map(|n| {
                    let before = furthest;
                    furthest = within(n).iter().copied().fold(before, f64::max);
                    furthest - before
                })
                .collect()
        };
        let send_window = points(Metric::SendWindow);
        Some(FlowHistory {
            interval: interval.as_secs_f64(),
            throughput_bps: mean.to_vec(),
            cwnd: means(cwnd).into_iter().map(|bytes| bytes / f64::from(mss)).collect(),
            send_window: send_window.map(means).unwrap_or_default(),
            told: send_window.map(told).unwrap_or_default(),
            sent: points(Metric::Sent).map(firsts).unwrap_or_default(),
        })
    }

    /// The longest time in which these values are 0, seconds.
    pub fn longest_pause(&self, values: &[f64]) -> f64 {
        let pauses = values.split(|value| *value > 0.0).map(<[f64]>::len);
        pauses.max().unwrap_or(0) as f64 * self.interval
    }
}

/// When it changes whether one value that changes is less than another: 1 where it is, 0 where it is not.
fn is_less(one: (&[Time], &[f64]), other: (&[Time], &[f64])) -> (Vec<Time>, Vec<f64>) {
    let mut times: Vec<Time> = one.0.iter().chain(other.0).copied().collect();
    times.sort_unstable();
    times.dedup();
    let at = |(time, value): (&[Time], &[f64]), now: Time| {
        time.partition_point(|&time| time <= now).checked_sub(1).map(|last| value[last])
    };
    let is_less = |now: &Time| matches!((at(one, *now), at(other, *now)), (Some(one), Some(other)) if one < other);
    let values = times.iter().map(|now| f64::from(u8::from(is_less(now)))).collect();
    (times, values)
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

    fn series(metric: Metric, points: &[(u64, f64)]) -> Series {
        let columns = Columns::Points {
            time: points.iter().map(|point| Time::ZERO + Span::from_ms(point.0)).collect(),
            value: points.iter().map(|point| point.1).collect(),
        };
        Series { metric, of: "f".into(), vc: None, columns }
    }

    /// Three intervals of 10 ms. The window that is told is less than the congestion window from 4 ms on, equal from 15, less from 18.
    #[test]
    fn a_history_knows_which_window_limits_and_what_is_sent_for_the_first_time() {
        let columns = Columns::Intervals {
            interval: Span::from_ms(10),
            end: Time::ZERO + Span::from_ms(30),
            min: vec![0.0; 3].into(),
            mean: vec![8.0; 3].into(),
            max: vec![9.0; 3].into(),
        };
        let all = [
            Series { metric: Metric::Throughput, of: "f".into(), vc: None, columns },
            series(Metric::Cwnd, &[(0, 1000.0), (4, 2000.0), (18, 3000.0)]),
            series(Metric::SendWindow, &[(0, 1000.0), (15, 2000.0)]),
            // At 12 ms a segment is sent again.
            series(Metric::Sent, &[(0, 0.0), (9, 1000.0), (10, 2000.0), (12, 500.0), (19, 3000.0)]),
        ];
        let history = FlowHistory::of("f", 1000, &all, Time::ZERO + Span::from_ms(30)).unwrap();
        let tenths = |values: &[f64]| values.iter().map(|value| (value * 10.0).round()).collect::<Vec<f64>>();
        assert_eq!(tenths(&history.told), [6.0, 7.0, 10.0]);
        assert_eq!(history.sent, [1000.0, 2000.0, 0.0]);
        assert_eq!(tenths(&history.cwnd), [16.0, 22.0, 30.0]);
        let without = FlowHistory::of("f", 1000, &all[..2], Time::ZERO + Span::from_ms(30)).unwrap();
        assert!(without.told.is_empty() && without.sent.is_empty() && without.send_window.is_empty());
    }

    #[test]
    fn a_pause_is_a_time_without_any_value() {
        let history = FlowHistory { interval: 0.01, ..FlowHistory::default() };
        let pause = |values: &[f64]| (history.longest_pause(values) * 1000.0).round();
        assert_eq!(pause(&[0.0, 5.0, 0.0, 0.0, 0.0, 1.0, 0.0]), 30.0);
        assert_eq!((pause(&[1.0, 2.0]), pause(&[0.0, 0.0]), pause(&[])), (0.0, 20.0, 0.0));
    }
}
