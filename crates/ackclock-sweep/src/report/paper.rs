//! The figure of a sweep for a paper: its plots, as files, its numbers, and the names that stand in it.

use ackclock_report::page::paper::{Look, Plot, pdf_file, pdf_has, svg_file};

use super::figures::{Drawn, Figures, drawn, numbers, row_name, scale_of};
use super::layout::{Layout, accepted, layout, panels};
use crate::plan::Plan;
use crate::results::Results;
use crate::summary::Method;

/// Whether a sweep has anything that can be drawn: a key changes.
pub fn has_figure(plan: &Plan) -> bool {
    layout(plan).is_some()
}

/// The figure for a paper: the plots of the numbers of these names, of all if there are none, of the points that have the first values
/// of the keys that are neither on an axis nor curves; of a sample and of a map all. `None` where there is none.
pub fn plots(results: &Results, method: Method, metrics: &[String]) -> Option<Vec<Plot>> {
    Figures::of(results, method)?.paper(metrics)
}

/// The same of all numbers as a column of a paper, as SVG and as PDF.
pub(crate) fn files(results: &Results, method: Method) -> Option<(String, Vec<u8>)> {
    let (plots, look) = (plots(results, method, &[])?, Look::default());
    Some((svg_file(&plots, &look).ok()?, pdf_file(&plots, &look).ok()?))
}

/// What stands in the figure of a sweep.
#[derive(Debug)]
pub struct Named {
    /// The numbers that it can show, as columns of the tables are called.
    pub metrics: Vec<String>,
    /// Names of numbers, axes, and curves or rows.
    pub names: Vec<String>,
    /// Those of curves, in their order.
    pub curves: Vec<String>,
}

/// The names of a figure, which are known before anything is run; of nothing where there is none.
pub fn named(plan: &Plan) -> Named {
    let numbers: Vec<Drawn> = numbers(plan).map(|(_, drawn)| drawn).collect();
    let metrics = numbers.iter().map(|drawn| drawn.metric.to_string()).collect();
    let mut names: Vec<String> = numbers.iter().map(|drawn| drawn.name.to_string()).collect();
    let mut curves = Vec::new();
    match layout(plan) {
        Some(Layout::Map { x, y }) => names.extend([x, y].map(|key| scale_of(&plan.dimensions[key][0]).0)),
        Some(Layout::Words) => names.extend(accepted(plan).map(|point| row_name(plan, point))),
        Some(layout) => {
            let first = panels(plan, &layout).0.into_iter().next();
            names.extend(first.iter().map(|panel| plan.dimensions[panel.axis.0][panel.axis.1].path.clone()));
            curves = first.map_or(Vec::new(), |panel| panel.curves.into_iter().map(|(name, _)| name).collect());
            names.extend(curves.clone());
        }
        None => {}
    }
    Named { metrics, names, curves }
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
