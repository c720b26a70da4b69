//! One number against another: a point for each result, whiskers for the intervals, a small dot for each seed.
//! Drawn here, as SVG: it needs no script, and prints as sharply as text.

use super::html::Html;
use super::number::{Scale, fixed};
use crate::summary::Interval;

/// A plot of one number against another.
#[derive(Clone, Debug)]
pub struct Scatter {
    /// What is shown, for those who cannot see it.
    pub label: String,
    /// Left to right: a name and a unit as in [`Scale::fitting`].
    pub x: (String, String),
    /// Bottom to top.
    pub y: (String, String),
    /// At most one for each letter.
    pub points: Vec<Point>,
}

/// One result.
#[derive(Clone, Debug)]
pub struct Point {
    /// A letter, drawn at the point.
    pub letter: char,
    /// What it stands for.
    pub name: String,
    /// Left to right.
    pub x: Interval,
    /// Bottom to top.
    pub y: Interval,
    /// The same, seed by seed.
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
        let reach = |interval: &Interval| {
            let half = interval.ci95.unwrap_or(0.0);
            [(interval.mean - half).max(0.0f64.min(interval.min)), interval.mean + half, interval.min, interval.max]
        };
        let x = Axis::of(self.points.iter().flat_map(|point| reach(&point.x)), &self.x.1);
        let y = Axis::of(self.points.iter().flat_map(|point| reach(&point.y)), &self.y.1);
        let across = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * x.place(value);
        let up = |value: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y.place(value);
        let view = format!("0 0 {WIDTH} {HEIGHT}");
        let attributes =
            [("viewBox", view.as_str()), ("class", "scatter"), ("role", "img"), ("aria-label", &self.label)];
        html.tag("svg", &attributes, |svg| {
            self.grid(svg, &x, &y);
            for (nth, point) in self.points.iter().enumerate() {
                let class = format!("series-{}", nth % COLOURS);
                svg.tag("g", &[("class", &class)], |svg| {
                    svg.leaf("title", &[], &format!("{} {}", point.letter, point.name));
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
                    circle(svg, "mean", px, py, 10.0);
                    text(svg, "letter", px, py + 4.5, "middle", &point.letter.to_string());
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
        let point = |letter, x, y| Point {
            letter,
            name: "<b>".into(),
            x: interval(x, 0.001),
            y: interval(y, 1e6),
            seeds: vec![(x, y), (x + 0.001, y)],
        };
        let scatter = Scatter {
            label: "goodput against delay".into(),
            x: ("delay".into(), "s".into()),
            y: ("goodput".into(), "bit/s".into()),
            points: vec![point('A', 0.002, 2e7), point('B', 0.02, 1e8)],
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
            let point = Point { letter: 'A', name: String::new(), x: one, y: one, seeds: vec![(mean, mean)] };
            let axes = || (String::new(), "s".to_string());
            let scatter = Scatter { label: String::new(), x: axes(), y: axes(), points: vec![point] };
            let html = scatter.html();
            assert!(!html.as_str().contains("NaN") && html.as_str().contains("class=\"tick\""));
        }
    }

    #[test]
    fn steps_are_round() {
        assert_eq!([0.7, 1.0, 3.0, 12.0, 60.0].map(round_step), [1.0, 1.0, 5.0, 20.0, 100.0]);
    }
}
