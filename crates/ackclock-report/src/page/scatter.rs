//! One number against another: a point for each result, whiskers for the intervals, a small dot for each seed.
//! Drawn here, as SVG: it needs no script, and prints as sharply as text.

use super::html::Html;
use super::number::{Scale, fixed};
use ackclock_store::document::interval::Interval;

/// A plot of one number against another.
#[derive(Clone, Debug)]
pub struct Scatter {
    /// What is shown, as text for screen readers.
    pub label: String,
    /// Left to right: a name and a unit as in [`Scale::fitting`].
    pub x: (String, String),
    /// Bottom to top.
    pub y: (String, String),
    /// One for each result.
    pub points: Vec<Point>,
}

/// One result.
#[derive(Clone, Debug)]
pub struct Point {
    /// Which colour of the style sheet it has, counted on from the last to the first again.
    pub colour: usize,
    /// Its name, drawn beside it.
    pub name: String,
    /// Left to right.
    pub x: Interval,
    /// Bottom to top.
    pub y: Interval,
    /// The point of each seed.
    pub seeds: Vec<(f64, f64)>,
}

/// One axis: where values are drawn.
pub(super) struct Axis {
    pub(super) scale: Scale,
    low: f64,
    high: f64,
    pub(super) ticks: Vec<f64>,
    pub(super) decimals: usize,
}

impl Axis {
    /// An axis on which all values have room, from 0 if that costs little.
    pub(super) fn of(values: impl Iterator<Item = f64> + Clone, unit: &str) -> Axis {
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(f64::NEG_INFINITY, f64::max);
        let scale = Scale::fitting(high.abs(), unit);
        let (low, high) = (low * scale.factor, high * scale.factor);
        let low = if low > 0.0 && low < 0.5 * high { 0.0 } else { low };
        let margin = if high > low { 0.06 * (high - low) } else { high.abs().max(1.0) * 0.05 };
        let (low, high) = (if low == 0.0 { 0.0 } else { low - margin }, high + margin);
        let step = round_step((high - low) / 5.0);
        let first = (low / step).ceil() as i64;
        let ticks = (first..).map(|n| n as f64 * step).take_while(|tick| *tick <= high).collect();
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        Axis { scale, low, high, ticks, decimals }
    }

    /// 0 at the low end, 1 at the high end.
    pub(super) fn place(&self, value: f64) -> f64 {
        self.place_scaled(value * self.scale.factor)
    }

    pub(super) fn place_scaled(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }
}

impl Scatter {
    /// The plot in HTML.
    pub fn html(&self) -> Html {
        let mut html = Html::new();
        if self.points.is_empty() {
            return html;
        }
        let x = Axis::of(reach(self.points.iter().map(|point| &point.x)).into_iter(), &self.x.1);
        let y = Axis::of(reach(self.points.iter().map(|point| &point.y)).into_iter(), &self.y.1);
        let mut names = Names::default();
        let across = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * x.place(value);
        let up = |value: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y.place(value);
        let view = format!("0 0 {WIDTH} {HEIGHT}");
        let attributes =
            [("viewBox", view.as_str()), ("class", "scatter"), ("role", "img"), ("aria-label", &self.label)];
        html.tag("svg", &attributes, |svg| {
            self.grid(svg, &x, &y);
            for point in &self.points {
                let class = format!("series-{}", point.colour % COLOURS);
                svg.tag("g", &[("class", &class)], |svg| {
                    svg.leaf("title", &[], &point.name);
                    for (a, b) in &point.seeds {
                        circle(svg, "seed", across(*a), up(*b), 2.5);
                    }
                    let (px, py) = (across(point.x.mean), up(point.y.mean));
                    if let Some(half) = point.x.ci95 {
                        line(svg, "whisker", [across(point.x.mean - half), py, across(point.x.mean + half), py]);
                    }
                    if let Some(half) = point.y.ci95 {
                        line(svg, "whisker", [px, up(point.y.mean - half), px, up(point.y.mean + half)]);
                    }
                    circle(svg, "mean", px, py, 5.0);
                    let mut name = short(&point.name);
                    for (value, axis, arrow) in [(point.x.mean, &x, '→'), (point.y.mean, &y, '↑')] {
                        if value * axis.scale.factor > axis.high {
                            let number = fixed(value * axis.scale.factor, axis.decimals);
                            name += &format!(" {arrow} {number} {}", axis.scale.unit);
                        }
                    }
                    let (at, anchor) = if px > WIDTH * 0.6 { (px - 9.0, "end") } else { (px + 9.0, "start") };
                    text(svg, "name", at, names.free(px, py + 4.5), anchor, name.trim_end());
                });
            }
        });
        html
    }

    fn grid(&self, svg: &mut Html, x: &Axis, y: &Axis) {
        for tick in &x.ticks {
            let at = LEFT + (WIDTH - LEFT - RIGHT) * x.place_scaled(*tick);
            line(svg, "grid", [at, TOP, at, HEIGHT - BOTTOM]);
            text(svg, "tick", at, HEIGHT - BOTTOM + 18.0, "middle", &fixed(*tick, x.decimals));
        }
        for tick in &y.ticks {
            let at = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y.place_scaled(*tick);
            line(svg, "grid", [LEFT, at, WIDTH - RIGHT, at]);
            text(svg, "tick", LEFT - 6.0, at + 4.5, "end", &fixed(*tick, y.decimals));
        }
        let title = |(name, _): &(String, String), axis: &Axis| match axis.scale.unit.as_str() {
            "" => name.clone(),
            unit => format!("{name}, {unit}"),
        };
        text(svg, "axis", (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8.0, "middle", &title(&self.x, x));
        text(svg, "axis", LEFT, TOP - 12.0, "start", &title(&self.y, y));
    }
}

/// What an axis has to show: means and single seeds. Intervals of few seeds may be many times as long. A value that is more
/// than so many times as large as all others is left out where there are three or more.
fn reach<'a>(intervals: impl Iterator<Item = &'a Interval>) -> Vec<f64> {
    let mut intervals: Vec<&Interval> = intervals.collect();
    intervals.sort_by(|a, b| a.mean.total_cmp(&b.mean));
    if let [.., second, largest] = intervals[..]
        && intervals.len() > 2
        && second.mean > 0.0
        && largest.mean > OUTLIER * second.mean
    {
        intervals.pop();
    }
    intervals.iter().flat_map(|interval| [interval.mean, interval.min, interval.max]).collect()
}

/// Where names stand, so that none covers another.
#[derive(Default)]
struct Names(Vec<(f64, f64)>);

impl Names {
    /// The height for a name at a point: the next free one below.
    fn free(&mut self, x: f64, y: f64) -> f64 {
        let mut y = y;
        while let Some((_, taken)) =
            self.0.iter().find(|(other, taken)| (other - x).abs() < NAME_WIDTH && (taken - y).abs() < NAME_HEIGHT)
        {
            y = taken + NAME_HEIGHT;
        }
        self.0.push((x, y));
        y
    }
}

/// A name that has room in the plot.
fn short(name: &str) -> String {
    match name.chars().count() > LONGEST_NAME {
        true => name.chars().take(LONGEST_NAME - 1).chain(['…']).collect(),
        false => name.into(),
    }
}

pub(super) fn circle(svg: &mut Html, class: &str, x: f64, y: f64, r: f64) {
    let [x, y, r] = [x, y, r].map(|number| format!("{number:.1}"));
    svg.tag("circle", &[("class", class), ("cx", &x), ("cy", &y), ("r", &r)], |_| {});
}

pub(super) fn line(svg: &mut Html, class: &str, ends: [f64; 4]) {
    let [x1, y1, x2, y2] = ends.map(|number| format!("{number:.1}"));
    svg.tag("line", &[("class", class), ("x1", &x1), ("y1", &y1), ("x2", &x2), ("y2", &y2)], |_| {});
}

pub(super) fn text(svg: &mut Html, class: &str, x: f64, y: f64, anchor: &str, words: &str) {
    let [x, y] = [x, y].map(|number| format!("{number:.1}"));
    svg.leaf("text", &[("class", class), ("x", &x), ("y", &y), ("text-anchor", anchor)], words);
}

/// 1, 2 or 5 times a power of ten, not below `least`.
pub(super) fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|step| *step >= least).unwrap_or(10.0 * power)
}

pub(super) const WIDTH: f64 = 520.0;
pub(super) const HEIGHT: f64 = 360.0;
pub(super) const LEFT: f64 = 62.0;
pub(super) const RIGHT: f64 = 18.0;
pub(super) const TOP: f64 = 34.0;
pub(super) const BOTTOM: f64 = 52.0;
/// Room for a name.
const NAME_WIDTH: f64 = 130.0;
const NAME_HEIGHT: f64 = 13.0;
const LONGEST_NAME: usize = 24;
/// So many times as large as all others is out of scale.
const OUTLIER: f64 = 4.0;
/// Colours of the style sheet.
const COLOURS: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(mean: f64, half: f64) -> Interval {
        Interval { mean, ci95: Some(half), min: mean - half, max: mean + half }
    }

    #[test]
    fn points_whiskers_and_seeds_are_drawn_within_the_axes() {
        let point = |colour, x, y| Point {
            colour,
            name: "<b>".into(),
            x: interval(x, 0.001),
            y: interval(y, 1e6),
            seeds: vec![(x, y), (x + 0.001, y)],
        };
        let scatter = Scatter {
            label: "goodput against delay".into(),
            x: ("delay".into(), "s".into()),
            y: ("goodput".into(), "bit/s".into()),
            points: vec![point(0, 0.002, 2e7), point(1, 0.02, 1e8)],
        };
        let html = scatter.html();
        let svg = html.as_str();
        assert_eq!(svg.matches("class=\"whisker\"").count(), 4);
        assert_eq!(svg.matches("class=\"seed\"").count(), 4);
        assert!(svg.contains("delay, ms") && svg.contains("goodput, Mb/s") && svg.contains("&lt;b&gt;"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn one_point_and_zeros_have_axes_too() {
        for mean in [0.0, 5.0] {
            let one = Interval { mean, ci95: None, min: mean, max: mean };
            let point = Point { colour: 0, name: String::new(), x: one, y: one, seeds: vec![(mean, mean)] };
            let axes = || (String::new(), "s".to_string());
            let scatter = Scatter { label: String::new(), x: axes(), y: axes(), points: vec![point] };
            let html = scatter.html();
            assert!(!html.as_str().contains("NaN") && html.as_str().contains("class=\"tick\""));
        }
    }

    #[test]
    fn a_result_far_away_stands_at_the_edge_with_its_number() {
        let point = |name: &str, x| Point {
            colour: 0,
            name: name.into(),
            x: interval(x, 0.0),
            y: interval(1e6, 0.0),
            seeds: vec![],
        };
        let svg = |far| {
            let axes = |unit: &str| (String::new(), unit.to_string());
            let points = vec![point("near", 0.010), point("far", far), point("middle", 0.020)];
            Scatter { label: String::new(), x: axes("s"), y: axes("bit/s"), points }.html().as_str().to_owned()
        };
        assert!(svg(5.0).contains(">far → 5000 ms</text>") && svg(5.0).contains(">20</text>"), "{}", svg(5.0));
        assert!(svg(0.079).contains(">far</text>"));
        // All three have the same height: their names do not.
        let all = svg(0.079);
        let heights: std::collections::BTreeSet<&str> = all
            .split("class=\"name\"")
            .skip(1)
            .filter_map(|rest| rest.split("y=\"").nth(1)?.split('"').next())
            .collect();
        assert!(heights.len() > 1, "{all}");
    }

    #[test]
    fn steps_are_round() {
        assert_eq!([0.7, 1.0, 3.0, 12.0, 60.0].map(round_step), [1.0, 1.0, 5.0, 20.0, 100.0]);
    }
}
