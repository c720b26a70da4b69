//! Plots over an axis: their numbers from measurements, and how a page shows them.

use ackclock_report::page::bands::{BandCurve, BandPoint, Bands};
use ackclock_report::page::html::Html;

use super::quantity::Measured;
use super::{AlternativeReport, AxisPlotReport, GroupReport, Number, ShownReport};
use crate::data::{AxisPlot, Shown};

pub(crate) fn axis_plot_report(measured: &Measured, plot: &AxisPlot) -> AxisPlotReport {
    let quantity = |shown: &Shown| {
        let row = |value: &String| AlternativeReport {
            label: value.clone(),
            numbers: plot
                .curves
                .iter()
                .map(|curve| measured.shown(&measured.points(&plot.at(curve, value)), shown))
                .collect(),
        };
        let curve = |label: &str| ShownReport { label: label.into(), decimals: shown.decimals };
        GroupReport {
            label: shown.label.clone(),
            shown: plot.curves.iter().map(|of| curve(&of.label)).collect(),
            alternatives: plot.values().iter().map(row).collect(),
        }
    };
    AxisPlotReport {
        id: plot.id.clone(),
        title: plot.title.clone(),
        shows: plot.shows.clone(),
        x: plot.x.clone(),
        quantities: plot.show.iter().map(quantity).collect(),
    }
}

impl AxisPlotReport {
    /// A plot for each quantity beside each other, with one legend.
    pub(crate) fn drawn(&self) -> Html {
        let plots = self.quantities.iter().map(|quantity| self.bands(quantity));
        let plots: Vec<Bands> = plots.filter(|plot| plot.extent().next().is_some()).collect();
        let mut html = Html::new();
        html.tag("div", &[("class", "multiples")], |html| {
            plots.iter().for_each(|plot| {
                html.append(&plot.html());
            });
        });
        if let Some(plot) = plots.first() {
            html.append(&plot.legend());
        }
        html
    }

    fn bands(&self, quantity: &GroupReport) -> Bands {
        let x = |row: &AlternativeReport| row.label.parse().expect("checked when the study was loaded");
        let curve = |(nth, curve): (usize, &ShownReport)| {
            let points = quantity.alternatives.iter().filter(|row| row.numbers[nth].n > 0);
            let point = |row: &AlternativeReport| BandPoint {
                x: x(row),
                mean: row.numbers[nth].mean,
                interval: ends(&row.numbers[nth]),
                href: String::new(),
                about: String::new(),
            };
            BandCurve { name: curve.label.clone(), label: curve.label.clone(), points: points.map(point).collect() }
        };
        let values: Vec<f64> = quantity.alternatives.iter().map(x).collect();
        Bands {
            title: String::new(),
            x: (self.x.clone(), String::new()),
            // From 512 to 8192 by doubling, but not from 1 to 7.
            logarithmic: values.last() > values.first().map(|first| first * 10.0).as_ref(),
            y: (quantity.label.clone(), String::new()),
            reach: vec![0.0],
            curves: quantity.shown.iter().enumerate().map(curve).collect(),
            joined: true,
        }
    }
}

/// The ends of the confidence interval, cut to what the quantity can be.
fn ends(number: &Number) -> Option<(f64, f64)> {
    let whole = number.ci95.map(|half| (number.mean - half, number.mean + half));
    number.cut.map(|[low, high]| (low, high)).or(whole)
}
