//! How a flow goes on during a run, for metrics over a part of it.

use super::part::Intervals;
use crate::record::{Columns, Metric, Series};
use crate::units::{Span, Time};

/// How a flow went on, interval by interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FlowHistory {
    /// Bits per second delivered in order.
    pub throughput_bps: Intervals,
    /// The congestion window, segments: a mean over time, as are the next two.
    pub cwnd: Intervals,
    /// What the sender might have outstanding, bytes.
    pub send_window: Intervals,
    /// The part of each interval in which the window that the sender was told is less than its congestion window.
    pub told: Intervals,
    /// Bytes sent for the first time.
    pub sent: Intervals,
}

impl FlowHistory {
    /// Of a flow with segments of `mss` bytes, in a run that ended at `end`.
    pub fn of(flow: &str, mss: u32, series: &[Series], interval: Span, end: Time) -> FlowHistory {
        let recorded = |metric: Metric| series.iter().find(|series| series.metric == metric && series.of == flow);
        let points = |metric: Metric| match &recorded(metric)?.columns {
            Columns::Points { time, value } => Some((time.as_slice(), value.as_slice())),
            _ => None,
        };
        let throughput_bps = match recorded(Metric::Throughput).map(|series| &series.columns) {
            Some(Columns::Intervals { mean, .. }) => mean.to_vec(),
            _ => Vec::new(),
        };
        let intervals = end.as_ps().div_ceil(interval.as_ps().max(1)) as usize;
        let edge = |n: usize| Time::from_ps(interval.as_ps() * n as u64).min(end);
        let means = |(time, value): (&[Time], &[f64])| {
            (0..intervals).map(|n| mean_of_changes(time, value, edge(n), edge(n + 1))).collect::<Vec<f64>>()
        };
        let (cwnd, send_window) = (points(Metric::Cwnd), points(Metric::SendWindow));
        let told = cwnd.zip(send_window).map(|(cwnd, send_window)| {
            let (time, told) = is_less(send_window, cwnd);
            means((&time, &told))
        });
        let firsts = |(time, value): (&[Time], &[f64])| {
            let mut furthest = 0.0;
            let within = |n| {
                &value[time.partition_point(|&time| time < edge(n))..time.partition_point(|&time| time < edge(n + 1))]
            };
            (0..intervals)
                .map(|n| {
                    let before = furthest;
                    furthest = within(n).iter().copied().fold(before, f64::max);
                    furthest - before
                })
                .collect()
        };
        let of = |values: Vec<f64>| Intervals { interval, duration: end.since(Time::ZERO), values };
        let cwnd = cwnd.map(means).unwrap_or_default();
        FlowHistory {
            throughput_bps: of(throughput_bps),
            cwnd: of(cwnd.into_iter().map(|bytes| bytes / f64::from(mss)).collect()),
            send_window: of(send_window.map(means).unwrap_or_default()),
            told: of(told.unwrap_or_default()),
            sent: of(points(Metric::Sent).map(firsts).unwrap_or_default()),
        }
    }

    /// The longest time in which nothing was delivered, seconds; `None` where that was not recorded.
    pub fn longest_pause(&self) -> Option<f64> {
        let Intervals { interval, values, .. } = &self.throughput_bps;
        let pauses = values.split(|value| *value > 0.0).map(<[f64]>::len);
        (!values.is_empty()).then(|| pauses.max().unwrap_or(0) as f64 * interval.as_secs_f64())
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
        let of =
            |series: &[Series]| FlowHistory::of("f", 1000, series, Span::from_ms(10), Time::ZERO + Span::from_ms(30));
        let history = of(&all);
        let tenths = |values: &[f64]| values.iter().map(|value| (value * 10.0).round()).collect::<Vec<f64>>();
        assert_eq!(tenths(&history.told.values), [6.0, 7.0, 10.0]);
        assert_eq!(history.sent.values, [1000.0, 2000.0, 0.0]);
        assert_eq!(tenths(&history.cwnd.values), [16.0, 22.0, 30.0]);
        let without = of(&all[..2]);
        assert!([&without.told, &without.sent, &without.send_window].iter().all(|of| of.values.is_empty()));
    }

    #[test]
    fn a_pause_is_a_time_without_any_value() {
        let pause = |values: &[f64]| {
            let throughput_bps =
                Intervals { interval: Span::from_ms(10), values: values.to_vec(), ..Intervals::default() };
            let history = FlowHistory { throughput_bps, ..FlowHistory::default() };
            history.longest_pause().map(|pause| (pause * 1000.0).round())
        };
        assert_eq!(pause(&[0.0, 5.0, 0.0, 0.0, 0.0, 1.0, 0.0]), Some(30.0));
        assert_eq!((pause(&[1.0, 2.0]), pause(&[0.0, 0.0]), pause(&[])), (Some(0.0), Some(20.0), None));
    }
}
