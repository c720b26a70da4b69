//! What was recorded over time, as plots of a figure for a paper.

use ackclock::record::{Columns, Metric, Series, Shape};
use ackclock::units::Time;

use super::kinds::kind_of;
use crate::decimate;
use crate::page::bands::{BandCurve, BandPoint, Bands, MOST_CURVES};
use crate::page::paper::Plot;

/// The plot of a metric, a curve for each of these series by its name; `unit` is what ports count. Of more curves than can be told
/// apart the first.
pub fn on_paper(metric: Metric, curves: &[(String, &Series)], unit: &str, end: Time) -> Plot {
    let unit = if metric.unit() == "units" { unit } else { metric.unit() };
    let curve = |(name, series): &(String, &Series)| BandCurve {
        name: name.clone(),
        label: String::new(),
        points: points(series, end),
    };
    Plot::Bands(Bands {
        title: String::new(),
        x: ("time".into(), "s".into()),
        logarithmic: false,
        y: (name_on_paper(metric).into(), if unit == "fraction" { String::new() } else { unit.into() }),
        reach: vec![0.0],
        curves: curves.iter().take(MOST_CURVES).map(curve).collect(),
        joined: metric.shape() != Shape::Events,
    })
}

/// What a metric is called in such a plot.
pub fn name_on_paper(metric: Metric) -> &'static str {
    let part = kind_of(metric).parts.iter().find(|(known, ..)| *known == metric);
    part.map_or(metric.name(), |(_, name, _)| *name)
}

/// What holds until it changes has two points at each change; means of intervals stand in their middle.
fn points(series: &Series, end: Time) -> Vec<BandPoint> {
    let point = |x: f64, mean: f64| BandPoint { x, mean, interval: None, href: String::new(), about: String::new() };
    let mut made = Vec::new();
    match &series.columns {
        Columns::Points { time, value } => {
            let kept = decimate::keep(time, value, end, MOST_POINTS);
            let mut held = None;
            for (time, value) in kept.into_iter().map(|n| (time[n].as_secs_f64(), value[n])) {
                made.extend(held.filter(|_| series.metric.shape() == Shape::Changes).map(|held| point(time, held)));
                made.push(point(time, value));
                held = Some(value);
            }
            if let Some(held) = held.filter(|_| series.metric.shape() == Shape::Changes) {
                made.push(point(end.as_secs_f64(), held));
            }
        }
        Columns::Intervals { interval, mean, .. } => {
            let length = interval.as_secs_f64();
            made.extend(mean.iter().enumerate().map(|(n, mean)| point((n as f64 + 0.5) * length, mean)));
        }
        Columns::Drops { time, .. } => {
            made.extend(time.iter().enumerate().map(|(n, time)| point(time.as_secs_f64(), n as f64 + 1.0)));
        }
    }
    made.retain(|point| point.mean.is_finite());
    made
}

/// A curve has no more points: a column of a paper shows less.
const MOST_POINTS: usize = 2000;
