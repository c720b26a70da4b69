//! The figures of a sweep: each number over keys, with bands or bars for the confidence intervals; on a page, as SVG and PDF for a
//! paper, and as CSV.

use std::fmt::Write as _;

use ackclock_report::page::bands::{BandCurve, BandPoint, Bands};
use ackclock_report::page::heat::{self, HeatMap};
use ackclock_report::page::html::Html;
use ackclock_report::page::paper::{pdf_file, svg_file};

use super::layout::{Layout, Panel, accepted, layout, panels, rows_of};
use crate::metrics::METRICS;
use crate::plan::Plan;
use crate::results::Results;
use crate::summary::{Method, mean};
use crate::table::{Selection, summary_csv};

/// A number that is drawn: its metric, what it is called, and its unit as scales of plots know it.
pub(super) struct Drawn {
    pub(super) metric: &'static str,
    pub(super) name: &'static str,
    unit: &'static str,
    /// What it is multiplied with, and the decimals, in tables.
    pub(super) scale: f64,
    pub(super) shown: &'static str,
    pub(super) decimals: usize,
}

/// The numbers that runs have, by their places in the list of metrics.
pub(super) fn drawn(results: &Results) -> impl Iterator<Item = (usize, &'static Drawn)> {
    DRAWN.iter().filter_map(|drawn| {
        let place = METRICS.iter().position(|metric| metric.name == drawn.metric)?;
        results.has(place).then_some((place, drawn))
    })
}

/// Whether a sweep has anything that can be drawn: a key with numbers changes.
pub fn has_figure(plan: &Plan) -> bool {
    matches!(layout(plan), Some(Layout::Curves { .. } | Layout::Sample { .. }))
}

/// The figure for a paper as SVG: the plots of all numbers, of the points that have the first values of the keys that are neither on an
/// axis nor curves; of a sample all. `None` where there is none.
pub fn svg(results: &Results, method: Method) -> Option<String> {
    Some(svg_file(&Figures::of(results, method)?.paper()?))
}

/// The figure for a paper as PDF.
pub fn pdf(results: &Results, method: Method) -> Option<Vec<u8>> {
    Some(pdf_file(&Figures::of(results, method)?.paper()?))
}

/// The numbers behind the figure for a paper as CSV: a row for each of its points.
pub fn figure_csv(results: &Results, method: Method) -> Option<Vec<u8>> {
    let figures = Figures::of(results, method)?;
    let points: Vec<usize> = figures.on_paper().iter().flat_map(Panel::points).collect();
    let metrics: Vec<usize> = drawn(results).map(|(place, _)| place).collect();
    (!points.is_empty()).then(|| figures.csv(&points, &metrics))
}

/// What can be drawn of a sweep.
pub(super) struct Figures<'a> {
    results: &'a Results,
    method: Method,
    layout: Layout,
    panels: Vec<Panel>,
    left_out: usize,
}

impl<'a> Figures<'a> {
    /// `None` where no key with numbers changes.
    pub(super) fn of(results: &'a Results, method: Method) -> Option<Figures<'a>> {
        let layout = layout(results.plan())?;
        let (panels, left_out) = panels(results.plan(), &layout);
        Some(Figures { results, method, layout, panels, left_out })
    }

    /// The plots of a number, and its values as a file.
    pub(super) fn html(&self, (place, drawn): (usize, &'static Drawn)) -> Html {
        let mut html = Html::new();
        html.leaf("p", &[("class", "note")], METRICS[place].about);
        let points: Vec<usize> = match self.layout {
            Layout::Map { x, y } => {
                html.append(&self.map(x, y, (place, drawn)).html());
                accepted(self.results.plan()).collect()
            }
            Layout::Curves { .. } | Layout::Sample { .. } => {
                self.plots_html((place, drawn), &mut html);
                let mut points: Vec<usize> = self.panels.iter().flat_map(Panel::points).collect();
                points.sort_unstable();
                points.dedup();
                points
            }
        };
        if self.left_out > 0 {
            let text = format!("{} more plots are left out; summary.csv has their points.", self.left_out);
            html.leaf("p", &[("class", "note")], &text);
        }
        if points.len() <= MOST_ROWS {
            let file = format!("{}.csv", drawn.metric);
            let data = format!("data:text/csv;charset=utf-8,{}", percent_encoded(&self.csv(&points, &[place])));
            html.tag("p", &[("class", "note")], |html| {
                html.leaf("a", &[("href", &data), ("download", &file)], &file);
                html.text(": the numbers of this figure");
            });
        }
        html
    }

    fn plots_html(&self, drawn: (usize, &'static Drawn), html: &mut Html) {
        let mut plots: Vec<Bands> = self.panels.iter().map(|panel| self.plot(panel, drawn, true)).collect();
        // All plots of a number have the same upright axis.
        let reach: Vec<f64> = plots.iter().flat_map(Bands::extent).chain([0.0]).collect();
        plots.iter_mut().for_each(|plot| plot.reach.clone_from(&reach));
        html.tag("div", &[("class", "multiples")], |html| {
            plots.iter().for_each(|plot| {
                html.append(&plot.html());
            });
        });
        if let Some(most) = plots.iter().max_by_key(|plot| plot.curves.len()).filter(|plot| plot.curves.len() > 1) {
            html.append(&most.legend());
        }
    }

    /// The parts of the figure for a paper.
    fn on_paper(&self) -> &[Panel] {
        match self.layout {
            Layout::Sample { .. } => &self.panels,
            Layout::Curves { .. } | Layout::Map { .. } => &self.panels[..self.panels.len().min(1)],
        }
    }

    fn paper(&self) -> Option<Vec<Bands>> {
        let plots = drawn(self.results)
            .flat_map(|drawn| self.on_paper().iter().map(move |panel| self.plot(panel, drawn, false)))
            .collect::<Vec<_>>();
        (!plots.is_empty()).then_some(plots)
    }

    fn csv(&self, points: &[usize], metrics: &[usize]) -> Vec<u8> {
        let mut csv = Vec::new();
        let selection = Selection { points: Some(points), metrics: Some(metrics) };
        summary_csv(self.results, self.method, None, selection, &mut csv).expect("memory can be written to");
        csv
    }

    fn map(&self, x: usize, y: usize, (place, drawn): (usize, &'static Drawn)) -> HeatMap {
        let plan = self.results.plan();
        let axis = |dimension: usize| {
            (plan.dimensions[dimension][0].path.clone(), plan.dimensions[dimension][0].values.clone())
        };
        let cell = |point: usize| {
            let rows = rows_of(plan, point);
            let mean = mean(self.results, point, place, self.method)?.mean;
            Some(heat::Cell { x: rows[x], y: rows[y], mean, href: format!("#point-{point}"), about: plan.label(point) })
        };
        HeatMap {
            title: String::new(),
            of: (drawn.name.to_owned(), drawn.unit.to_owned()),
            x: axis(x),
            y: axis(y),
            cells: accepted(plan).filter_map(cell).collect(),
        }
    }

    fn plot(&self, panel: &Panel, (place, drawn): (usize, &'static Drawn), linked: bool) -> Bands {
        let plan = self.results.plan();
        let (dimension, key) = panel.axis;
        let key = &plan.dimensions[dimension][key];
        let point = |point: &usize| {
            let mean = mean(self.results, *point, place, self.method)?;
            Some(BandPoint {
                x: key.number(rows_of(plan, *point)[dimension]),
                mean: mean.mean,
                interval: mean.interval.map(|interval| (interval.low, interval.high)),
                href: if linked { format!("#point-{point}") } else { String::new() },
                about: plan.label(*point),
            })
        };
        let curve = |(name, points): &(String, Vec<usize>)| {
            let mut points: Vec<BandPoint> = points.iter().filter_map(point).collect();
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            BandCurve { name: name.clone(), points }
        };
        let unit = if key.unit == "bps" { "bit/s" } else { &key.unit };
        Bands {
            title: panel.title.clone(),
            x: (key.path.clone(), unit.to_owned()),
            logarithmic: is_logarithmic(&key.accepted_numbers()),
            y: (drawn.name.to_owned(), drawn.unit.to_owned()),
            reach: Vec::new(),
            curves: panel.curves.iter().map(curve).collect(),
            joined: panel.joined,
        }
    }
}

impl Panel {
    fn points(&self) -> impl Iterator<Item = usize> {
        self.curves.iter().flat_map(|(_, points)| points.iter().copied())
    }
}

/// For a link that has the data in itself: RFC 3986 §2.
fn percent_encoded(data: &[u8]) -> String {
    let mut text = String::with_capacity(data.len());
    for byte in data {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b',' | b':' | b'/' => {
                text.push(char::from(*byte));
            }
            byte => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text
}

/// Whether the ratios of successive values differ less than their differences do.
fn is_logarithmic(numbers: &[f64]) -> bool {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    if sorted.len() < 3 || sorted[0] <= 0.0 {
        return false;
    }
    let spread = |steps: Vec<f64>| {
        let largest = steps.iter().copied().fold(0.0, f64::max);
        largest / steps.iter().copied().fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE)
    };
    let steps = |step: fn(f64, f64) -> f64| sorted.windows(2).map(|pair| step(pair[0], pair[1])).collect();
    spread(steps(|a, b| (b / a).ln())) < spread(steps(|a, b| b - a))
}

const DRAWN: [Drawn; 6] = [
    Drawn { metric: "goodput_bps", name: "Goodput", unit: "bit/s", scale: 1e-6, shown: "Mb/s", decimals: 3 },
    Drawn {
        metric: "queueing_delay_p95_s",
        name: "Queueing delay, p95",
        unit: "s",
        scale: 1e3,
        shown: "ms",
        decimals: 3,
    },
    Drawn { metric: "loss", name: "Loss", unit: "fraction", scale: 100.0, shown: "%", decimals: 3 },
    Drawn { metric: "fairness", name: "Fairness", unit: "fraction", scale: 1.0, shown: "", decimals: 4 },
    Drawn { metric: "udp_loss", name: "Loss of UDP", unit: "fraction", scale: 100.0, shown: "%", decimals: 3 },
    Drawn { metric: "completion_p95_s", name: "Completion time, p95", unit: "s", scale: 1.0, shown: "s", decimals: 3 },
];
/// Of more points the page does not have the numbers, but summary.csv.
const MOST_ROWS: usize = 2000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ratios_are_told_from_equal_steps() {
        assert!(is_logarithmic(&[0.1, 0.37, 1.4, 5.0]) && !is_logarithmic(&[1.0, 2.0, 3.0]));
        assert!(!is_logarithmic(&[0.0, 1.0, 10.0]) && !is_logarithmic(&[1.0, 10.0]));
    }

    #[test]
    fn data_in_a_link_has_no_character_that_ends_it() {
        assert_eq!(percent_encoded(b"a,\"b c\"\n%#<"), "a,%22b%20c%22%0A%25%23%3C");
    }
}
