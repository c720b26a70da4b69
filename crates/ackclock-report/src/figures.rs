//! The numbers behind each figure, as CSV for pgfplots, gnuplot and the like.
//!
//! Time in seconds, one column for each curve. At each instant at which anything happens there is a row; what holds is repeated in it,
//! what did not happen then is `nan`, and so is what is infinite, for neither can be drawn.

use ackclock::record::{Columns, Metric, Series, Shape};
use ackclock_store::tables::columns;

/// A figure: what is drawn in it.
#[derive(Debug)]
pub struct Figure {
    /// Its name.
    pub name: &'static str,
    /// Its curves. Without the first there is no figure.
    pub metrics: &'static [Metric],
}

/// Every figure.
pub const FIGURES: [Figure; 18] = [
    Figure { name: "cwnd", metrics: &[Metric::Cwnd, Metric::Ssthresh] },
    Figure { name: "rtt", metrics: &[Metric::Rtt, Metric::Srtt, Metric::Rto] },
    Figure { name: "sequence", metrics: &[Metric::Sent, Metric::Retransmissions, Metric::Acknowledged] },
    Figure { name: "throughput", metrics: &[Metric::Throughput] },
    Figure { name: "delay", metrics: &[Metric::Delay] },
    Figure { name: "one-way-delay", metrics: &[Metric::OneWayDelay] },
    Figure { name: "jitter", metrics: &[Metric::Jitter] },
    Figure { name: "loss", metrics: &[Metric::Loss] },
    Figure { name: "acr", metrics: &[Metric::Acr, Metric::MaxMinShare] },
    Figure { name: "er", metrics: &[Metric::ExplicitRate] },
    Figure { name: "ci", metrics: &[Metric::Ci] },
    Figure { name: "efci", metrics: &[Metric::Efci] },
    Figure { name: "allocation", metrics: &[Metric::Allocation] },
    Figure { name: "queue", metrics: &[Metric::Queue] },
    Figure { name: "sojourn", metrics: &[Metric::Sojourn] },
    Figure { name: "vc-queue", metrics: &[Metric::VcQueue] },
    Figure { name: "marks", metrics: &[Metric::Marks] },
    Figure { name: "utilisation", metrics: &[Metric::Utilisation] },
];

/// The names of the figures.
pub fn names() -> Vec<&'static str> {
    FIGURES.iter().map(|figure| figure.name).collect()
}

/// The numbers behind a figure of one flow or port, whose curves are these.
pub fn csv(curves: &[&Series], unit: &str) -> String {
    match curves {
        [first, ..] if matches!(first.columns, Columns::Intervals { .. }) => intervals(first, unit),
        curves => points(curves, unit),
    }
}

/// The first line of the numbers behind a figure: the names of its columns.
pub fn header(curves: &[&Series], unit: &str) -> String {
    match curves {
        [first, ..] if matches!(first.columns, Columns::Intervals { .. }) => {
            let columns = columns(first.metric, unit);
            let numbers = &columns[columns.len() - 3..];
            format!("start_s,end_s,{},{},{}\n", numbers[0].name, numbers[1].name, numbers[2].name)
        }
        curves => {
            let name =
                |series: &&Series| columns(series.metric, unit).last().map_or(String::new(), |last| last.name.clone());
            let names: Vec<String> = curves.iter().map(name).collect();
            format!("time_s,{}\n", names.join(","))
        }
    }
}

fn intervals(series: &Series, unit: &str) -> String {
    let mut text = header(&[series], unit);
    let Columns::Intervals { interval, end, min, mean, max } = &series.columns else { return text };
    let numbers = min.iter().zip(mean.iter()).zip(max.iter());
    for (n, ((min, mean), max)) in numbers.enumerate() {
        let start = interval.as_ps().saturating_mul(n as u64);
        let stop = start.saturating_add(interval.as_ps()).min(end.as_ps());
        let row = [seconds(start), seconds(stop), number(min), number(mean), number(max)];
        text += &(row.join(",") + "\n");
    }
    text
}

/// Several curves over one time.
fn points(curves: &[&Series], unit: &str) -> String {
    let mut text = header(curves, unit);
    let curves: Vec<_> = curves
        .iter()
        .filter_map(|series| match &series.columns {
            Columns::Points { time, value } => Some((series.metric.shape() == Shape::Changes, time, value)),
            _ => None,
        })
        .collect();
    let mut next = vec![0; curves.len()];
    let mut held = vec![f64::NAN; curves.len()];
    while let Some(now) = curves.iter().zip(&next).filter_map(|((_, time, _), &n)| time.get(n)).min() {
        text += &seconds(now.as_ps());
        // Several values of one curve at one instant are as many rows.
        for (curve, (holds, time, value)) in curves.iter().enumerate() {
            let mut shown = if *holds { held[curve] } else { f64::NAN };
            if time.get(next[curve]) == Some(now) {
                shown = value[next[curve]];
                held[curve] = shown;
                next[curve] += 1;
            }
            text += &format!(",{}", number(shown));
        }
        text.push('\n');
    }
    text
}

fn number(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { "nan".into() }
}

/// Exact: twelve digits are picoseconds.
fn seconds(ps: u64) -> String {
    let (whole, rest) = (ps / PS_PER_S, ps % PS_PER_S);
    match format!("{rest:012}").trim_end_matches('0') {
        "" => whole.to_string(),
        digits => format!("{whole}.{digits}"),
    }
}

const PS_PER_S: u64 = 1_000_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::units::{Span, Time};

    fn series(metric: Metric, rows: &[(u64, f64)]) -> Series {
        let (time, value) = rows.iter().map(|&(ms, value)| (Time::from_ps(ms * 1_000_000_000), value)).unzip();
        Series { metric, of: "f1".into(), vc: None, columns: Columns::Points { time, value } }
    }

    #[test]
    fn what_holds_is_repeated_and_what_happens_is_not() {
        let rtt = series(Metric::Rtt, &[(10, 0.5), (30, 0.75)]);
        let srtt = series(Metric::Srtt, &[(20, 0.625)]);
        assert_eq!(
            points(&[&rtt, &srtt], "cells"),
            "time_s,rtt_s,srtt_s\n0.01,0.5,nan\n0.02,nan,0.625\n0.03,0.75,0.625\n"
        );
    }

    #[test]
    fn two_values_at_one_instant_are_two_rows_and_infinity_is_not_drawn() {
        let sent = series(Metric::Sent, &[(0, 0.0), (0, 512.0)]);
        let ssthresh = series(Metric::Ssthresh, &[(0, f64::INFINITY)]);
        assert_eq!(points(&[&sent, &ssthresh], "cells"), "time_s,sent_bytes,ssthresh_bytes\n0,0,nan\n0,512,nan\n");
    }

    #[test]
    fn the_last_interval_ends_with_the_run() {
        let columns = Columns::Intervals {
            interval: Span::from_ms(10),
            end: Time::from_ps(15_000_000_000),
            min: vec![0.0, 1.0].into(),
            mean: vec![0.5, 2.0].into(),
            max: vec![1.0, 3.0].into(),
        };
        let queue = Series { metric: Metric::Queue, of: "a->b".into(), vc: None, columns };
        let text = "start_s,end_s,queue_min_cells,queue_mean_cells,queue_max_cells\n0,0.01,0,0.5,1\n0.01,0.015,1,2,3\n";
        assert_eq!(intervals(&queue, "cells"), text);
    }

    #[test]
    fn seconds_are_exact() {
        assert_eq!(seconds(2_726_337), "0.000002726337");
        assert_eq!(seconds(3 * PS_PER_S), "3");
    }
}
