//! The figure of a sweep for a paper: its plots, as files, its numbers, and the names that stand in it.

use ackclock_report::page::paper::{Look, Name, Of, Plot, pdf_file, pdf_has, svg_file};

use super::figures::{Drawn, Figures, drawn, numbers, row_name, scale_of};
use super::layout::{Layout, accepted, layout, panels};
use crate::plan::Plan;
use crate::results::Results;
use crate::summary::Method;
use crate::table::identifier;

/// Whether a sweep has anything that can be drawn: a key changes.
pub fn has_figure(plan: &Plan) -> bool {
    layout(plan).is_some()
}

/// The figure for a paper: the plots of the numbers of these names, of all if there are none, of the points that have the first values
/// of the keys that are neither on an axis nor curves; of a sample and of a map all. `None` where there is none.
pub fn plots(results: &Results, method: Method, metrics: &[String]) -> Option<Vec<Plot>> {
    let drawn = drawn(results).into_iter().filter(|(_, drawn)| is_wanted(drawn, metrics));
    Figures::of(results, method)?.paper(&drawn.collect::<Vec<_>>())
}

/// The same without points, of the numbers that runs are known to have: what room it needs is known before anything is run.
pub fn plots_before(plan: &Plan, metrics: &[String], has: &[String]) -> Vec<Plot> {
    let numbers =
        numbers(plan).filter(|(_, drawn)| is_wanted(drawn, metrics) && has.iter().any(|has| *has == drawn.metric));
    let results = Results::new(Plan { seeds: 1, until_ci: None, ..plan.clone() });
    let figures = Figures::of(&results, Method::Student);
    figures.and_then(|figures| figures.paper(&numbers.collect::<Vec<_>>())).unwrap_or_default()
}

fn is_wanted(drawn: &Drawn, metrics: &[String]) -> bool {
    metrics.is_empty() || metrics.iter().any(|metric| *metric == drawn.metric)
}

/// The same of all numbers as a column of a paper, as SVG and as PDF.
pub(crate) fn files(results: &Results, method: Method) -> Option<(String, Vec<u8>)> {
    let (plots, look) = (plots(results, method, &[])?, Look::default());
    Some((svg_file(&plots, &look).ok()?, pdf_file(&plots, &look).ok()?))
}

/// A number that the figure of a sweep can show.
#[derive(Clone, Debug)]
pub struct Number {
    /// The number as runs are asked for it, such as `goodput_bps` or `share(goodput: new)`.
    pub metric: String,
    /// What it is called in the figure. It is also called as it is asked for, and as its column of the tables.
    pub name: Name,
}

/// The numbers that the figure of a sweep can show, and the names of its axes, and curves or rows. They are known before anything is
/// run. The values of a curve are also its name.
pub fn named(plan: &Plan) -> (Vec<Number>, Vec<Name>) {
    let name = |text: &str, also: &[&str], of: Of| Name {
        text: text.to_owned(),
        also: also.iter().filter(|also| !also.is_empty()).map(|also| (*also).to_owned()).collect(),
        of,
    };
    let number = |(_, drawn): (usize, Drawn)| Number {
        name: name(&drawn.name, &[&drawn.metric, &identifier(&drawn.metric)], Of::Number),
        metric: drawn.metric.into_owned(),
    };
    let names = match layout(plan) {
        Some(Layout::Map { x, y }) => {
            [x, y].map(|key| name(&scale_of(&plan.dimensions[key][0]).0, &[], Of::Axis)).into()
        }
        Some(Layout::Words) => accepted(plan).map(|point| name(&row_name(plan, point), &[], Of::Row)).collect(),
        Some(layout) => {
            let panels = panels(plan, &layout).0;
            let axes =
                panels.iter().map(|panel| name(&plan.dimensions[panel.axis.0][panel.axis.1].path, &[], Of::Axis));
            let curves = panels.first().map(|panel| panel.curves.iter().zip(&panel.labels)).into_iter().flatten();
            let curves = curves.map(|((curve, _), values)| name(curve, &[values], Of::Curve));
            axes.chain(curves).filter(|name| !name.text.is_empty()).collect()
        }
        None => Vec::new(),
    };
    (numbers(plan).map(number).collect(), names)
}

/// Whether the figure as PDF has all letters that stand in it; others become question marks.
pub fn pdf_has_letters(plan: &Plan) -> bool {
    plan.keys().flat_map(|key| std::iter::once(&key.path).chain(&key.values)).all(|words| pdf_has(words))
}

/// The numbers behind the figure for a paper as CSV: a row for each of its points.
pub fn figure_csv(results: &Results, method: Method) -> Option<Vec<u8>> {
    let figures = Figures::of(results, method)?;
    let points = figures.points(figures.on_paper());
    let metrics: Vec<usize> = drawn(results).into_iter().map(|(place, _)| place).collect();
    (!points.is_empty()).then(|| figures.csv(&points, &metrics))
}
