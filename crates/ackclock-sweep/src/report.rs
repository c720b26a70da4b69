//! The figures of a sweep: each number over a key, with bands for the confidence intervals; on a page, and as SVG for a paper.

use ackclock_report::page::Page;
use ackclock_report::page::bands::{BandCurve, BandPoint, Bands, MOST_CURVES, svg_file};
use ackclock_report::page::heat::{self, HeatMap};
use ackclock_report::page::html::Html;
use ackclock_report::page::table::{Cell, Table};
use ackclock_report::repeat::command_line;
use ackclock_scenario::sweep::rows;
use ackclock_store::document::interval::Interval;

use crate::metrics::METRICS;
use crate::plan::{Key, Plan};
use crate::results::{Results, Status};
use crate::summary::{Method, count, mean};

/// A number that is drawn: its metric, what it is called, and its unit as scales of plots know it.
struct Drawn {
    metric: &'static str,
    name: &'static str,
    unit: &'static str,
    /// What it is multiplied with, and the decimals, in tables.
    scale: f64,
    shown: &'static str,
    decimals: usize,
}

/// What is drawn against what.
#[derive(Debug, PartialEq)]
struct Layout {
    /// The dimension from left to right.
    x: usize,
    /// That of the curves.
    curves: Option<usize>,
    /// Those of the plots beside each other.
    panels: Vec<usize>,
}

/// Some of the points in one plot.
struct Panel {
    title: String,
    /// For each curve its name and its points, by their numbers.
    curves: Vec<(String, Vec<usize>)>,
}

/// The page of a sweep: curves, and a table of all points with the command of each.
pub fn page(results: &Results, method: Method) -> String {
    let plan = results.plan();
    let mut page = Page::new("Sweep", &plan.scenario);
    page.lead(&lead(results, method));
    match layout(plan) {
        Some(layout) if map_of(plan, &layout).is_some() => {
            let y = map_of(plan, &layout).expect("it was asked for");
            for (place, drawn) in drawn(results) {
                let mut body = Html::new();
                body.leaf("p", &[("class", "note")], METRICS[place].about);
                body.append(&map(results, method, layout.x, y, (place, drawn)).html());
                page.section(drawn.metric.replace('_', "-"), drawn.name, body);
            }
        }
        Some(layout) => {
            let (panels, left_out) = panels(plan, &layout);
            for (place, drawn) in drawn(results) {
                let body = figures(results, method, &layout, &panels, left_out, (place, drawn));
                page.section(drawn.metric.replace('_', "-"), drawn.name, body);
            }
        }
        None => {
            let text = "No key with numbers changes, so there are no curves; the table has all points.";
            let mut html = Html::new();
            html.leaf("p", &[], text);
            page.section("curves", "Curves", html);
        }
    }
    page.section("points", "Points", table(results, method));
    page.section_named("repeat", "Repeat", "How to repeat it", repeat(plan));
    page.render()
}

/// The curves of all points that have the first values of the keys that are neither on an axis nor curves, one plot for each
/// number, as a file for a paper; `None` where no key with numbers changes.
pub fn svg(results: &Results, method: Method) -> Option<String> {
    let plan = results.plan();
    let layout = layout(plan)?;
    let (panels, _) = panels(plan, &layout);
    let panel = panels.first()?;
    let plots = drawn(results).map(|(place, drawn)| plot(results, method, &layout, panel, (place, drawn), false));
    Some(svg_file(&plots.collect::<Vec<_>>()))
}

fn lead(results: &Results, method: Method) -> Html {
    let plan = results.plan();
    let points = plan.points.iter().flatten().count();
    let interval = match method {
        Method::Student => "Student's t",
        Method::Percentile => "bootstrap, percentiles of 2,000 resamples",
        Method::Bca => "bootstrap, BCa, 2,000 resamples",
    };
    let mut html = Html::new();
    let bands = match plan.seeds {
        1 => "One seed: no confidence intervals.".to_owned(),
        seeds => format!("Means over {seeds} seeds; bands and ± are 95 % confidence intervals ({interval})."),
    };
    let failed = results.count(Status::Failed);
    let failures =
        if failed > 0 { format!(" {failed} runs failed: the column `status` of the table.") } else { String::new() };
    html.leaf("p", &[("class", "lead")], &format!("{points} points, {} runs. {bands}{failures}", points * plan.seeds));
    html
}

/// The numbers that runs have, by their places in the list of metrics.
fn drawn(results: &Results) -> impl Iterator<Item = (usize, &'static Drawn)> {
    DRAWN.iter().filter_map(|drawn| {
        let place = METRICS.iter().position(|metric| metric.name == drawn.metric)?;
        results.has(place).then_some((place, drawn))
    })
}

/// Of the keys with numbers the one with most values is the axis; of the others, the dimension with most values that can be
/// told apart as curves.
fn layout(plan: &Plan) -> Option<Layout> {
    let length = |dimension: usize| plan.dimensions[dimension][0].values.len();
    let is_axis = |dimension: &usize| {
        let numbers = plan.dimensions[*dimension][0].numbers.as_deref().unwrap_or_default();
        // A sample is no curve: its other keys change from point to point.
        let in_order = numbers.is_sorted_by(|a, b| a < b) || numbers.is_sorted_by(|a, b| a > b);
        numbers.len() > 1 && (in_order || plan.dimensions[*dimension].len() == 1)
    };
    let all = 0..plan.dimensions.len();
    // The first of equally long ones.
    let x = all.clone().rev().filter(is_axis).max_by_key(|dimension| length(*dimension))?;
    let curves = all
        .clone()
        .rev()
        .filter(|dimension| *dimension != x && (2..=MOST_CURVES).contains(&length(*dimension)))
        .max_by_key(|dimension| length(*dimension));
    let panels = all.filter(|dimension| *dimension != x && Some(*dimension) != curves).collect();
    Some(Layout { x, curves, panels })
}

/// The plots beside each other, and how many there is no room for.
fn panels(plan: &Plan, layout: &Layout) -> (Vec<Panel>, usize) {
    let lengths: Vec<usize> = plan.dimensions.iter().map(|keys| keys[0].values.len()).collect();
    let mut found: Vec<(Vec<usize>, Panel)> = Vec::new();
    let mut left_out: Vec<Vec<usize>> = Vec::new();
    for point in (0..plan.points.len()).filter(|point| plan.points[*point].is_some()) {
        let rows = rows(&lengths, point);
        let place: Vec<usize> = layout.panels.iter().map(|dimension| rows[*dimension]).collect();
        let nth = match found.iter().position(|(known, _)| *known == place) {
            Some(nth) => nth,
            None if found.len() < MOST_PANELS => {
                let title: Vec<String> = layout
                    .panels
                    .iter()
                    .map(|dimension| named(&plan.dimensions[*dimension], rows[*dimension]))
                    .collect();
                found.push((place, Panel { title: title.join(", "), curves: Vec::new() }));
                found.len() - 1
            }
            None => {
                if !left_out.contains(&place) {
                    left_out.push(place);
                }
                continue;
            }
        };
        let curve =
            layout.curves.map_or(String::new(), |dimension| named(&plan.dimensions[dimension], rows[dimension]));
        let curves = &mut found[nth].1.curves;
        match curves.iter_mut().find(|(known, _)| *known == curve) {
            Some((_, points)) => points.push(point),
            None => curves.push((curve, vec![point])),
        }
    }
    (found.into_iter().map(|(_, panel)| panel).collect(), left_out.len())
}

/// The second dimension of a map: where only two change, both of numbers, and both have too many values for curves.
fn map_of(plan: &Plan, layout: &Layout) -> Option<usize> {
    let is_long = |dimension: usize| {
        let key = &plan.dimensions[dimension][0];
        key.numbers.is_some() && key.values.len() > MOST_CURVES
    };
    match layout.panels[..] {
        [other] if layout.curves.is_none() && is_long(other) && is_long(layout.x) => Some(other),
        _ => None,
    }
}

fn map(results: &Results, method: Method, x: usize, y: usize, (place, drawn): (usize, &'static Drawn)) -> HeatMap {
    let plan = results.plan();
    let lengths: Vec<usize> = plan.dimensions.iter().map(|keys| keys[0].values.len()).collect();
    let axis =
        |dimension: usize| (plan.dimensions[dimension][0].path.clone(), plan.dimensions[dimension][0].values.clone());
    let cell = |point: usize| {
        let rows = rows(&lengths, point);
        let mean = mean(results, point, place, method)?.mean;
        Some(heat::Cell { x: rows[x], y: rows[y], mean, href: format!("#point-{point}"), about: plan.label(point) })
    };
    HeatMap {
        title: String::new(),
        of: (drawn.name.to_owned(), drawn.unit.to_owned()),
        x: axis(x),
        y: axis(y),
        cells: (0..plan.points.len()).filter_map(cell).collect(),
    }
}

/// The values of a row of a dimension, as in `queue.buffer = 10 packets`.
fn named(keys: &[Key], row: usize) -> String {
    keys.iter().map(|key| format!("{} = {}", key.path, key.values[row])).collect::<Vec<_>>().join(", ")
}

fn figures(
    results: &Results,
    method: Method,
    layout: &Layout,
    panels: &[Panel],
    left_out: usize,
    drawn: (usize, &'static Drawn),
) -> Html {
    let mut plots: Vec<Bands> = panels.iter().map(|panel| plot(results, method, layout, panel, drawn, true)).collect();
    // All plots of a number have the same upright axis.
    let reach: Vec<f64> = plots.iter().flat_map(Bands::extent).chain([0.0]).collect();
    plots.iter_mut().for_each(|plot| plot.reach.clone_from(&reach));
    let mut html = Html::new();
    html.leaf("p", &[("class", "note")], METRICS[drawn.0].about);
    html.tag("div", &[("class", "multiples")], |html| {
        plots.iter().for_each(|plot| {
            html.append(&plot.html());
        });
    });
    if let Some(most) = plots.iter().max_by_key(|plot| plot.curves.len()).filter(|plot| plot.curves.len() > 1) {
        html.append(&most.legend());
    }
    if left_out > 0 {
        let text = format!("{left_out} more plots are left out; summary.csv has their points.");
        html.leaf("p", &[("class", "note")], &text);
    }
    html
}

fn plot(
    results: &Results,
    method: Method,
    layout: &Layout,
    panel: &Panel,
    (place, drawn): (usize, &'static Drawn),
    linked: bool,
) -> Bands {
    let plan = results.plan();
    let lengths: Vec<usize> = plan.dimensions.iter().map(|keys| keys[0].values.len()).collect();
    let key = &plan.dimensions[layout.x][0];
    let numbers = key.numbers.as_deref().unwrap_or_default();
    let point = |point: &usize| {
        let mean = mean(results, *point, place, method)?;
        Some(BandPoint {
            x: numbers[rows(&lengths, *point)[layout.x]],
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
        logarithmic: is_logarithmic(numbers),
        y: (drawn.name.to_owned(), drawn.unit.to_owned()),
        reach: Vec::new(),
        curves: panel.curves.iter().map(curve).collect(),
    }
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

/// A row for each point: values, means, and the command that runs it alone.
fn table(results: &Results, method: Method) -> Html {
    let plan = results.plan();
    let shown: Vec<(usize, &Drawn)> = drawn(results).collect();
    let mut table = Table::new("Means of all points");
    for key in plan.keys() {
        table = table.words(&key.path);
    }
    if plan.dimensions.is_empty() {
        table = table.words("scenario");
    }
    table = table.column("runs", "");
    for (_, drawn) in &shown {
        table = table.column(drawn.name, drawn.shown);
    }
    table = table.words("command");
    let accepted: Vec<usize> = (0..plan.points.len()).filter(|point| plan.points[*point].is_some()).collect();
    for point in accepted.iter().take(MOST_ROWS) {
        let of_keys = plan.keys().zip(plan.rows_at(*point)).map(|(key, row)| Cell::text(key.values[row].clone()));
        let mut cells: Vec<Cell> = of_keys.collect();
        if cells.is_empty() {
            cells.push(Cell::text(plan.scenario.clone()));
        }
        cells.push(Cell::number(count(results, *point, Status::Finished) as f64, 0));
        for (place, drawn) in &shown {
            cells.push(mean(results, *point, *place, method).map_or(Cell::None, |mean| {
                let ci95 = mean.interval.map(|interval| (interval.high - interval.low) / 2.0);
                let interval = Interval { mean: mean.mean, ci95, min: mean.mean, max: mean.mean };
                Cell::interval(&interval, drawn.scale, drawn.decimals)
            }));
        }
        cells.push(Cell::Code(command_line(&plan.command_of(*point))));
        table.row_named(format!("point-{point}"), cells);
    }
    if accepted.len() > MOST_ROWS {
        table = table.note(format!("{} more points are in summary.csv.", accepted.len() - MOST_ROWS));
    }
    table.html()
}

fn repeat(plan: &Plan) -> Html {
    let mut html = Html::new();
    html.leaf("p", &[], &format!("Ackclock {}, result version {}:", plan.ackclock, plan.result_version));
    html.tag("pre", &[], |html| {
        html.leaf("code", &[], &command_line(&plan.command));
    });
    html
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
/// More plots beside each other are not looked at.
const MOST_PANELS: usize = 24;
const MOST_ROWS: usize = 2000;

#[cfg(test)]
mod tests {
    use super::*;

    fn dimension(path: &str, numbers: Option<Vec<f64>>, values: usize) -> Vec<Key> {
        let values = (0..values).map(|value| value.to_string()).collect();
        vec![Key { path: path.into(), values, unit: String::new(), numbers }]
    }

    fn plan(dimensions: Vec<Vec<Key>>) -> Plan {
        Plan { dimensions, ..Plan::example() }
    }

    #[test]
    fn the_longest_key_with_numbers_is_the_axis_and_few_values_are_curves() {
        let numbers = |count: usize| Some((0..count).map(|n| n as f64).collect());
        let of = |dimensions| layout(&plan(dimensions));
        let (words, few, many) =
            (dimension("w", None, 3), dimension("f", numbers(4), 4), dimension("m", numbers(9), 9));
        assert_eq!(of(vec![words.clone(), few.clone()]), Some(Layout { x: 1, curves: Some(0), panels: vec![] }));
        assert_eq!(
            of(vec![words.clone(), few, many.clone(), many.clone()]),
            Some(Layout { x: 2, curves: Some(1), panels: vec![0, 3] })
        );
        assert_eq!(of(vec![words.clone()]), None);
        let two = plan(vec![dimension("a", numbers(9), 9), dimension("b", numbers(7), 7)]);
        assert_eq!(map_of(&two, &layout(&two).unwrap()), Some(1));
        let three = plan(vec![dimension("a", numbers(9), 9), dimension("b", numbers(7), 7), dimension("w", None, 2)]);
        assert_eq!(map_of(&three, &layout(&three).unwrap()), None);
        let sampled = [dimension("a", Some(vec![3.0, 1.0, 2.0]), 3), many].concat();
        assert_eq!(of(vec![sampled]), None, "a sample is no curve");
        assert_eq!(of(vec![dimension("a", Some(vec![3.0, 1.0, 2.0]), 3), words]).map(|layout| layout.x), Some(0));
    }

    #[test]
    fn equal_ratios_are_told_from_equal_steps() {
        assert!(is_logarithmic(&[0.1, 0.37, 1.4, 5.0]) && !is_logarithmic(&[1.0, 2.0, 3.0]));
        assert!(!is_logarithmic(&[0.0, 1.0, 10.0]) && !is_logarithmic(&[1.0, 10.0]));
    }
}
