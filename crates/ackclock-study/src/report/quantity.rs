//! Quantities: the numbers that a claim compares, from measurements.

use ackclock::record::stats::{Summary, sample_sd, summarize};

use super::Number;
use crate::data::{Coordinates, OneOrMany, Point, Quantity, Shown, Statistic, merged};
use crate::measure::{Metric, Row};
use crate::study::Study;

/// The measurements of a study, seeds 1 to `seeds` at every point asked for.
#[derive(Clone, Copy)]
pub(crate) struct Measured<'a> {
    pub study: &'a Study,
    pub seeds: u64,
    pub run: &'a dyn Fn(&Point, u64) -> &'a Row,
    /// Settings that replace or join those of every point: of an alternative to an assumption.
    pub changes: &'a [String],
}

impl<'a> Measured<'a> {
    pub fn points(&self, at: &Coordinates) -> Vec<Point> {
        self.study.checked_points(at).iter().map(|point| point.with(self.changes)).collect()
    }

    /// For each seed the mean of a metric over points; `None` where it has no meaning at any of them.
    pub fn per_seed(&self, points: &[Point], metric: &Metric) -> Vec<Option<f64>> {
        let of_seed = |seed| {
            let values: Vec<f64> = points.iter().filter_map(|point| metric.value((self.run)(point, seed))).collect();
            summarize(&values).map(|summary| summary.mean)
        };
        (1..=self.seeds).map(of_seed).collect()
    }

    /// The mean of a metric over points, over the seeds.
    pub fn summary(&self, points: &[Point], metric: &Metric) -> Option<Summary> {
        let values: Vec<f64> = self.per_seed(points, metric).into_iter().flatten().collect();
        summarize(&values)
    }

    /// A number that is shown of these points.
    pub fn shown(&self, points: &[Point], shown: &Shown) -> Number {
        let metric = self.study.metric(&shown.metric, None);
        let values = self.per_seed(points, &metric).into_iter().flatten();
        let values: Vec<f64> = values.map(|value| value / shown.unit).collect();
        let (least, most) = metric.bounds();
        Number::of(&values, (least / shown.unit, most / shown.unit))
    }

    /// The unit of a metric at these coordinates.
    pub fn unit(&self, metric: &Metric, at: &Coordinates) -> &'a str {
        metric.unit((self.run)(&self.points(at)[0], 1))
    }

    pub fn value(&self, quantity: &Quantity, metric: &Metric) -> Option<f64> {
        let mean = |at: &Coordinates| self.statistic(at, quantity.statistic, metric);
        let along =
            |axis: &str| -> Option<Vec<f64>> { values_on(&quantity.at, axis).map(|(_, at)| mean(&at)).collect() };
        if let Some(axis) = &quantity.spread_over {
            return summarize(&along(axis)?).map(|summary| summary.max - summary.min);
        }
        if let Some(axis) = &quantity.gain_over {
            let means = along(axis)?;
            return Some(means.last()? / means.first()? - 1.0);
        }
        let value = mean(&quantity.at)?;
        match (&quantity.apart_from, &quantity.over) {
            (Some(other), _) => Some((value - mean(&merged(&quantity.at, other))?).abs()),
            (_, Some(other)) => Some(value / mean(&merged(&quantity.at, other))?),
            (None, None) => Some(value),
        }
    }

    /// The name on an axis at which a quantity is largest, and its value there; the first of equal ones.
    pub fn best<'q>(&self, quantity: &'q Quantity, along: &str, metric: &Metric) -> Option<(&'q str, f64)> {
        let mut best: Option<(&str, f64)> = None;
        for (name, at) in values_on(&quantity.at, along) {
            let value = self.statistic(&at, quantity.statistic, metric)?;
            if best.is_none_or(|(_, most)| value > most) {
                best = Some((name, value));
            }
        }
        best
    }

    fn statistic(&self, at: &Coordinates, statistic: Statistic, metric: &Metric) -> Option<f64> {
        let values: Vec<f64> = self.per_seed(&self.points(at), metric).into_iter().flatten().collect();
        match statistic {
            Statistic::Mean => summarize(&values).map(|summary| summary.mean),
            Statistic::Median => median(values),
            Statistic::Deviation => sample_sd(&values),
            Statistic::Least => summarize(&values).map(|summary| summary.min),
            Statistic::Largest => summarize(&values).map(|summary| summary.max),
        }
    }
}

/// The coordinates with each single value that they have on an axis.
fn values_on<'a>(at: &'a Coordinates, axis: &str) -> impl Iterator<Item = (&'a str, Coordinates)> {
    let axis = axis.to_owned();
    at[&axis].values().iter().map(move |value| {
        let mut one = at.clone();
        one.insert(axis.clone(), OneOrMany::One(value.clone()));
        (value.as_str(), one)
    })
}

/// The value in the middle, or the mean of the two there.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        _ if values.is_empty() => None,
        0 => Some((values[middle - 1] + values[middle]) / 2.0),
        _ => Some(values[middle]),
    }
}
