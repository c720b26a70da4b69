//! The figures of a sweep: each number over keys, with bands or bars for the confidence intervals; on a page, as SVG and PDF for a
//! paper, and as CSV.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use ackclock::record::stats::Bounds;
use ackclock_report::page::bands::{BandCurve, BandPoint, Bands};
use ackclock_report::page::dots::{Dot, Dots};
use ackclock_report::page::heat::{self, HeatMap};
use ackclock_report::page::html::Html;
use ackclock_report::page::number::Scale;
use ackclock_report::page::paper::Plot;

use super::layout::{Layout, Panel, accepted, layout, panels, rows_of};
use crate::plan::{Key, Plan};
use crate::results::Results;
use crate::summary::{Method, mean};
use crate::table::{Selection, summary_csv};

/// A number that is drawn: its metric, what it is called, and its unit as scales of plots know it.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    pub(super) metric: Cow<'static, str>,
    pub(super) name: Cow<'static, str>,
    unit: &'static str,
    /// What it is multiplied with, and the decimals, in tables.
    pub(super) scale: f64,
    pub(super) shown: &'static str,
    pub(super) decimals: usize,
}

impl Drawn {
    /// What it is multiplied with where it is drawn: scales find prefixes of units themselves.
    fn factor(&self) -> f64 {
        if self.unit == "%" { self.scale } else { 1.0 }
    }
}

/// The numbers that runs have, by their places in a row: first those that were asked for.
pub(super) fn drawn(results: &Results) -> Vec<(usize, Drawn)> {
    numbers(results.plan()).filter(|(place, _)| results.has(*place)).collect()
}

/// The numbers that runs can have.
pub(super) fn numbers(plan: &Plan) -> impl Iterator<Item = (usize, Drawn)> + '_ {
    let asked = plan.asked().map(|(place, text)| (place, Drawn::asked(text, plan)));
    let is_asked = move |drawn: &&Drawn| plan.asked().any(|(_, text)| text == drawn.metric);
    let others = DRAWN.iter().filter(move |drawn| !is_asked(drawn));
    asked.chain(others.filter_map(|drawn| Some((plan.place_of(&drawn.metric)?, drawn.clone()))))
}

/// The name of a point that has a row: its values.
pub(super) fn row_name(plan: &Plan, point: usize) -> String {
    let values = plan.keys().zip(plan.rows_at(point)).map(|(key, row)| &*key.values[row]);
    values.collect::<Vec<_>>().join(", ")
}

impl Drawn {
    /// A measure that was asked for.
    fn asked(text: &str, plan: &Plan) -> Drawn {
        if let Some(usual) = DRAWN.iter().find(|drawn| drawn.metric == text) {
            return usual.clone();
        }
        let about = plan.about(plan.place_of(text).expect("it is one of the plan"));
        let (shown, scale, decimals) = about.shown();
        let unit = if shown.is_empty() { "fraction" } else { about.unit };
        let name = || Cow::Owned(text.to_owned());
        Drawn { metric: name(), name: name(), unit, scale, shown, decimals }
    }
}

/// Of which port loss and queueing delay are; `None` if no run has one.
pub fn ports(results: &Results) -> Option<String> {
    let ports = results.all_ports();
    let one = match ports.len() {
        0 => return None,
        1 => ports.first().map(|port| (*port).to_owned())?,
        n => format!("the port that limits, which is one of {n}: the column limiting_port of the tables"),
    };
    Some(format!("Loss and queueing delay are those of {one}."))
}

/// How much the figures of a number show.
#[derive(Debug)]
pub(crate) struct Drawings {
    /// Points whose numbers are in the page, or beside it.
    pub(crate) page_points: f64,
    /// Marks, or cells of maps, on the page.
    pub(crate) page_marks: f64,
    /// The same of the figure for a paper.
    pub(crate) paper_points: f64,
    pub(crate) paper_marks: f64,
}

/// What is going to be drawn of each number; `None` where nothing changes.
pub(crate) fn drawings(plan: &Plan) -> Option<Drawings> {
    let layout = layout(plan)?;
    let points = accepted(plan).count() as f64;
    if let Layout::Map { .. } = layout {
        // Of more cells than rows several are one piece of a path.
        let marks = if points > MOST_ROWS as f64 { points / 8.0 } else { points };
        return Some(Drawings { page_points: points, page_marks: marks, paper_points: points, paper_marks: marks });
    }
    if let Layout::Words = layout {
        let marks = points.min(MOST_DOTS as f64);
        return Some(Drawings { page_points: points, page_marks: marks, paper_points: points, paper_marks: marks });
    }
    let (panels, _) = panels(plan, &layout);
    let marks = |panels: &[Panel]| -> f64 {
        let of_curve = |panel: &Panel, points: usize| match panel.joined {
            true => points.min(MOST_VERTICES),
            false => points / panel.step(),
        };
        let of_panel =
            |panel: &Panel| panel.curves.iter().map(|(_, points)| of_curve(panel, points.len())).sum::<usize>();
        panels.iter().map(of_panel).sum::<usize>() as f64
    };
    let paper = if let Layout::Sample { .. } = layout { &panels[..] } else { &panels[..panels.len().min(1)] };
    let on_paper = paper.first().map_or(0, |panel| panel.points().count()) as f64;
    Some(Drawings {
        page_points: points,
        page_marks: marks(&panels),
        paper_points: on_paper,
        paper_marks: marks(paper),
    })
}

/// What can be drawn of a sweep.
pub(super) struct Figures<'a> {
    results: &'a Results,
    method: Method,
    layout: Layout,
    panels: Vec<Panel>,
    left_out: usize,
    /// The first of the points that have no row in the table of the page.
    first_without_row: usize,
}

impl<'a> Figures<'a> {
    /// `None` where nothing changes.
    pub(super) fn of(results: &'a Results, method: Method) -> Option<Figures<'a>> {
        let plan = results.plan();
        let layout = layout(plan)?;
        let (panels, left_out) = panels(plan, &layout);
        let first_without_row = accepted(plan).nth(MOST_ROWS).unwrap_or(usize::MAX);
        Some(Figures { results, method, layout, panels, left_out, first_without_row })
    }

    /// The plots of all numbers, two beside each other, with one legend for all of them.
    pub(super) fn html(&self) -> Html {
        let mut html = Html::new();
        let mut goes_beyond = false;
        html.tag("div", &[("class", "quarters")], |html| {
            for (place, number) in drawn(self.results) {
                let drawn = (place, &number);
                html.tag("div", &[("class", "quarter"), ("id", &id(&number.metric))], |html| {
                    html.leaf("h3", &[("title", self.results.plan().about(place).about)], &number.name);
                    goes_beyond |= self.plots_html(drawn, html);
                    self.numbers(drawn, html);
                });
            }
        });
        html.append(&self.legend());
        let mut note = |text: &str| {
            html.leaf("p", &[("class", "note")], text);
        };
        if let Some(sentence) = ports(self.results) {
            note(&sentence);
        }
        if goes_beyond {
            note("An arrow at the edge: the interval goes on beyond the axis.");
        }
        if self.left_out > 0 {
            note(&format!("{} more plots are left out; summary.csv has their points.", self.left_out));
        }
        if let Some(every) = self.panels.first().map(Panel::step).filter(|every| *every > 1) {
            note(&format!("Of very many points one in {every} is drawn; summary.csv has all."));
        }
        if let Layout::Words = self.layout
            && let points = accepted(self.results.plan()).count()
            && points > MOST_DOTS
        {
            note(&format!("The {MOST_DOTS} points with most goodput of {points} are drawn; summary.csv has all."));
        }
        html
    }

    /// The values behind the plots of a number, as a file.
    fn numbers(&self, (place, drawn): (usize, &Drawn), html: &mut Html) {
        let points = self.points(&self.panels);
        html.tag("p", &[("class", "note")], |html| {
            if points.len() <= MOST_INLINE {
                let file = format!("{}.csv", drawn.metric);
                let data = format!("data:text/csv;charset=utf-8,{}", percent_encoded(&self.csv(&points, &[place])));
                html.leaf("a", &[("href", &data), ("download", &file)], &file);
                html.text(": the numbers of this figure");
            } else {
                html.leaf("a", &[("href", "summary.csv")], "summary.csv");
                html.text(" in the folder of the sweep has the numbers of this figure: the columns ");
                html.leaf("code", &[], &format!("{0}, {0}_low, {0}_high", drawn.metric));
            }
        });
    }

    /// Whether an interval goes on beyond an axis.
    fn plots_html(&self, drawn: (usize, &Drawn), html: &mut Html) -> bool {
        let plots = self.bands(drawn);
        html.tag("div", &[("class", "multiples")], |html| match self.layout {
            Layout::Map { x, y } => {
                html.append(&self.map(x, y, drawn, true).html());
            }
            Layout::Words => {
                html.append(&self.dots(drawn, true).html());
            }
            Layout::Curves { .. } | Layout::Sample { .. } => plots.iter().for_each(|plot| {
                html.append(&plot.html());
            }),
        });
        plots.iter().any(Bands::goes_beyond)
    }

    /// The plots of curves of a number. All have the same upright axis.
    fn bands(&self, drawn: (usize, &Drawn)) -> Vec<Bands> {
        let mut plots: Vec<Bands> = self.panels.iter().map(|panel| self.plot(panel, drawn, true)).collect();
        let reach: Vec<f64> = plots.iter().flat_map(Bands::extent).collect();
        plots.iter_mut().for_each(|plot| plot.reach.clone_from(&reach));
        plots
    }

    /// The curves of all plots by name.
    fn legend(&self) -> Html {
        let Some((place, first)) = drawn(self.results).into_iter().next() else { return Html::new() };
        let plots = self.bands((place, &first));
        let most = plots.iter().max_by_key(|plot| plot.curves.len()).filter(|plot| plot.curves.len() > 1);
        most.map_or(Html::new(), Bands::legend)
    }

    /// The points by their names, those with the largest first number first; the same order for all numbers.
    fn dots(&self, (place, drawn): (usize, &Drawn), linked: bool) -> Dots {
        let plan = self.results.plan();
        let first = self::drawn(self.results).first().map_or(place, |(place, _)| *place);
        let of = |point: usize, place: usize| mean(self.results, point, place, self.method);
        let rank = |point: &usize| of(*point, first).map_or(f64::NEG_INFINITY, |mean| mean.mean);
        let mut points: Vec<usize> = accepted(plan).collect();
        points.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
        points.truncate(MOST_DOTS);
        let row = |point: usize| {
            let mean = of(point, place);
            Dot {
                name: row_name(plan, point),
                mean: mean.as_ref().map(|mean| mean.mean * drawn.factor()),
                interval: mean
                    .and_then(|mean| mean.interval)
                    .map(|Bounds { low, high }| (low * drawn.factor(), high * drawn.factor())),
                href: if linked { self.href(point) } else { String::new() },
            }
        };
        Dots { of: (drawn.name.to_string(), drawn.unit.to_owned()), rows: points.into_iter().map(row).collect() }
    }

    /// The parts of the figure for a paper.
    pub(super) fn on_paper(&self) -> &[Panel] {
        match self.layout {
            Layout::Sample { .. } => &self.panels,
            _ => &self.panels[..self.panels.len().min(1)],
        }
    }

    pub(super) fn paper(&self, numbers: &[(usize, Drawn)]) -> Option<Vec<Plot>> {
        let plots = numbers.iter().map(|(place, drawn)| (*place, drawn)).flat_map(|drawn| match self.layout {
            Layout::Map { x, y } => vec![Plot::Map(self.map(x, y, drawn, false))],
            Layout::Words => vec![Plot::Dots(self.dots(drawn, false))],
            Layout::Curves { .. } | Layout::Sample { .. } => {
                self.on_paper().iter().map(|panel| Plot::Bands(self.plot(panel, drawn, false))).collect()
            }
        });
        let plots: Vec<Plot> = plots.collect();
        (!plots.is_empty()).then_some(plots)
    }

    /// The points of plots, in their order; all of a map, and of points by their names.
    pub(super) fn points(&self, panels: &[Panel]) -> Vec<usize> {
        if let Layout::Map { .. } | Layout::Words = self.layout {
            return accepted(self.results.plan()).collect();
        }
        let mut points: Vec<usize> = panels.iter().flat_map(Panel::points).collect();
        // Those of a sample are in each of its plots.
        points.sort_unstable();
        points.dedup();
        points
    }

    pub(super) fn csv(&self, points: &[usize], metrics: &[usize]) -> Vec<u8> {
        let mut csv = Vec::new();
        let selection = Selection { points: Some(points), metrics: Some(metrics) };
        summary_csv(self.results, self.method, None, selection, &mut csv).expect("memory can be written to");
        csv
    }

    /// Where a link on a point leads: to its row, if it has one.
    fn href(&self, point: usize) -> String {
        if point < self.first_without_row { format!("#point-{point}") } else { String::new() }
    }

    fn map(&self, x: usize, y: usize, (place, drawn): (usize, &Drawn), linked: bool) -> HeatMap {
        let plan = self.results.plan();
        // Either all cells have links, or none: many are put together.
        let linked = linked && self.first_without_row == usize::MAX;
        let cell = |point: usize| {
            let rows = rows_of(plan, point);
            let mean = mean(self.results, point, place, self.method)?.mean * drawn.factor();
            let (href, about) =
                if linked { (self.href(point), plan.label(point)) } else { (String::new(), String::new()) };
            Some(heat::Cell { x: rows[x], y: rows[y], mean, href, about })
        };
        HeatMap {
            title: String::new(),
            of: (drawn.name.to_string(), drawn.unit.to_owned()),
            x: scale_of(&plan.dimensions[x][0]),
            y: scale_of(&plan.dimensions[y][0]),
            cells: accepted(plan).filter_map(cell).collect(),
        }
    }

    fn plot(&self, panel: &Panel, (place, drawn): (usize, &Drawn), linked: bool) -> Bands {
        let plan = self.results.plan();
        let (dimension, key) = panel.axis;
        let key = &plan.dimensions[dimension][key];
        let point = |point: &usize| {
            let mean = mean(self.results, *point, place, self.method)?;
            Some(BandPoint {
                x: key.number(rows_of(plan, *point)[dimension]),
                mean: mean.mean * drawn.factor(),
                interval: mean.interval.map(|Bounds { low, high }| (low * drawn.factor(), high * drawn.factor())),
                href: if linked { self.href(*point) } else { String::new() },
                about: plan.label(*point),
            })
        };
        let curve = |((name, points), label): (&(String, Vec<usize>), &String)| {
            let mut points: Vec<BandPoint> = points.iter().step_by(panel.step()).filter_map(point).collect();
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            BandCurve { name: name.clone(), label: label.clone(), points }
        };
        Bands {
            title: panel.title.clone(),
            x: (key.path.clone(), unit_of(key).to_owned()),
            logarithmic: is_logarithmic(&key.accepted_numbers()),
            y: (drawn.name.to_string(), drawn.unit.to_owned()),
            reach: Vec::new(),
            curves: panel.curves.iter().zip(&panel.labels).map(curve).collect(),
            joined: panel.joined,
        }
    }
}

/// The unit of a key as scales of plots know it.
fn unit_of(key: &Key) -> &str {
    if key.unit == "bps" { "bit/s" } else { &key.unit }
}

/// The name of a key with a unit for all its values, and these as short as they can be told apart.
pub(super) fn scale_of(key: &Key) -> (String, Vec<String>) {
    let numbers = key.accepted_numbers();
    let largest = numbers.iter().copied().fold(0.0, f64::max);
    let scale = Scale::fitting(largest, unit_of(key));
    let written = |digits: usize| -> Vec<String> {
        let one = |row| significant(key.number(row) * scale.factor, digits);
        (0..key.values.len()).map(one).collect()
    };
    let are_different = |labels: &Vec<String>| {
        let different: BTreeSet<&String> = labels.iter().collect();
        different.len() == labels.len()
    };
    let labels = (3..6).map(written).find(are_different).unwrap_or_else(|| written(6));
    let unit = if scale.unit.is_empty() { String::new() } else { format!(", {}", scale.unit) };
    (format!("{}{unit}", key.path), labels)
}

/// A number with so many significant digits, without zeros at the end.
fn significant(number: f64, digits: usize) -> String {
    if !number.is_finite() {
        return String::new();
    }
    let magnitude = if number == 0.0 { 0 } else { number.abs().log10().floor() as i32 };
    let text = format!("{number:.*}", (digits as i32 - 1 - magnitude).max(0) as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

impl Panel {
    pub(super) fn points(&self) -> impl Iterator<Item = usize> {
        self.curves.iter().flat_map(|(_, points)| points.iter().copied())
    }

    /// Of how many points of a curve one is drawn: points that are not joined each have a mark.
    fn step(&self) -> usize {
        let most = self.curves.iter().map(|(_, points)| points.len()).max().unwrap_or(0);
        if self.joined { 1 } else { most.div_ceil(MOST_MARKS).max(1) }
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

/// A name as the end of a link.
fn id(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

const fn usual(
    metric: &'static str,
    name: &'static str,
    unit: &'static str,
    (scale, shown, decimals): (f64, &'static str, usize),
) -> Drawn {
    Drawn { metric: Cow::Borrowed(metric), name: Cow::Borrowed(name), unit, scale, shown, decimals }
}

pub(super) static DRAWN: [Drawn; 6] = [
    usual("goodput_bps", "Goodput", "bit/s", (1e-6, "Mb/s", 3)),
    usual("queueing_delay_p95_s", "Queueing delay, p95", "s", (1e3, "ms", 3)),
    usual("loss", "Loss", "%", (100.0, "%", 3)),
    usual("fairness", "Fairness", "fraction", (1.0, "", 4)),
    usual("udp_loss", "Loss of UDP", "%", (100.0, "%", 3)),
    usual("completion_p95_s", "Completion time, p95", "s", (1.0, "s", 3)),
];
/// More points have no rows in the table of the page.
pub(crate) const MOST_ROWS: usize = 2000;
/// The numbers of more points are not in the page, but in a file beside it.
pub(crate) const MOST_INLINE: usize = 10_000;
/// Marks and vertices of a curve, about.
const MOST_VERTICES: usize = 500;
/// Rows of a plot of points by their names.
const MOST_DOTS: usize = 40;
/// Marks of a plot without curves.
const MOST_MARKS: usize = 3000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ratios_are_told_from_equal_steps() {
        assert!(is_logarithmic(&[0.1, 0.37, 1.4, 5.0]) && !is_logarithmic(&[1.0, 2.0, 3.0]));
        assert!(!is_logarithmic(&[0.0, 1.0, 10.0]) && !is_logarithmic(&[1.0, 10.0]));
    }

    #[test]
    fn values_on_the_axes_of_maps_are_short_and_differ() {
        let key = |numbers: &[f64], unit: &str| Key {
            path: "k".into(),
            values: numbers.iter().map(f64::to_string).collect(),
            arguments: None,
            unit: unit.into(),
            numbers: Some(numbers.iter().copied().map(Some).collect()),
        };
        assert_eq!(
            scale_of(&key(&[0.001, 0.001_544_45, 0.01], "s")),
            ("k, ms".into(), ["1", "1.54", "10"].map(String::from).into())
        );
        assert_eq!(scale_of(&key(&[1.0001, 1.0002], "")).1, ["1.0001", "1.0002"]);
        assert_eq!(
            scale_of(&key(&[0.0, 5e6, 1.5555e8], "bps")),
            ("k, Mb/s".into(), ["0", "5", "156"].map(String::from).into())
        );
    }

    #[test]
    fn data_in_a_link_has_no_character_that_ends_it() {
        assert_eq!(percent_encoded(b"a,\"b c\"\n%#<"), "a,%22b%20c%22%0A%25%23%3C");
    }
}
