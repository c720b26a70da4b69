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
    /// Whether both axes begin at 0, with a line on which the two numbers are equal.
    pub has_diagonal: bool,
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
    /// Whether equal ratios are equally long.
    logarithmic: bool,
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
        Axis { scale, low, high, ticks, decimals, logarithmic: false }
    }

    /// An axis on which no value flattens all others: of values above 0 of which the largest is more than [`WIDE`] times the
    /// smallest, equal ratios are equally long.
    fn telling(values: impl Iterator<Item = f64> + Clone, unit: &str) -> Axis {
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.clone().fold(f64::NEG_INFINITY, f64::max);
        if low <= 0.0 || high <= WIDE * low {
            return Axis::of(values, unit);
        }
        // The prefix of the smallest value: the others have more digits, and none has zeros behind the point.
        let scale = Scale::fitting(low, unit);
        let margin = (high / low).powf(0.05);
        let (low, high) = (low * scale.factor / margin, high * scale.factor * margin);
        let steps: &[f64] = if high / low > 2000.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let exponents = low.log10().floor() as i32..=high.log10().ceil() as i32;
        let ticks = exponents.flat_map(|exponent| steps.iter().map(move |step| step * 10f64.powi(exponent)));
        let ticks: Vec<f64> = ticks.filter(|tick| (low..=high).contains(tick)).collect();
        let decimals = ticks.first().map_or(0, |least| (-least.log10().floor()).max(0.0) as usize);
        Axis { scale, low, high, ticks, decimals, logarithmic: true }
    }

    /// 0 at the low end, 1 at the high end.
    pub(super) fn place(&self, value: f64) -> f64 {
        self.place_scaled(value * self.scale.factor)
    }

    /// The largest value that has room.
    fn end(&self) -> f64 {
        self.high / self.scale.factor
    }

    /// As [`Axis::place`], but below 0 and above 1 for what lies beyond the ends.
    pub(super) fn share(&self, value: f64) -> f64 {
        (value * self.scale.factor - self.low) / (self.high - self.low)
    }

    pub(super) fn place_scaled(&self, value: f64) -> f64 {
        if self.logarithmic {
            let share = (value.max(self.low) / self.low).ln() / (self.high / self.low).ln();
            return share.clamp(0.0, 1.0);
        }
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
        let origin = self.has_diagonal.then_some(0.0);
        let axis = |of: fn(&Point) -> &Interval, unit: &str| {
            let values: Vec<f64> = reach(self.points.iter().map(of)).chain(origin).collect();
            Axis::telling(values.into_iter(), unit)
        };
        let (x, y) = (axis(|point| &point.x, &self.x.1), axis(|point| &point.y, &self.y.1));
        let mut names = Names::default();
        let across = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * x.place(value);
        let up = |value: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y.place(value);
        let view = format!("0 0 {WIDTH} {HEIGHT}");
        let attributes =
            [("viewBox", view.as_str()), ("class", "scatter"), ("role", "img"), ("aria-label", &self.label)];
        html.tag("svg", &attributes, |svg| {
            self.grid(svg, &x, &y);
            if self.has_diagonal {
                let end = x.end().min(y.end());
                line(svg, "diagonal", [across(0.0), up(0.0), across(end), up(end)]);
            }
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
                    names.add(px, py, &short(&point.name));
                });
            }
            names.draw(svg);
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

/// What an axis has to show: means and single seeds. Intervals of few seeds may be many times as long.
fn reach<'a>(intervals: impl Iterator<Item = &'a Interval>) -> impl Iterator<Item = f64> {
    intervals.flat_map(|interval| [interval.mean, interval.min, interval.max])
}

/// The names of points, to be drawn so that none covers another: points in one place have one name together.
#[derive(Default)]
struct Names(Vec<(f64, f64, Vec<String>)>);

impl Names {
    fn add(&mut self, x: f64, y: f64, name: &str) {
        let is_here = |(other, height, _): &&mut (f64, f64, Vec<String>)| {
            (*other - x).abs() < SAME_PLACE && (*height - y).abs() < SAME_PLACE
        };
        match self.0.iter_mut().find(is_here) {
            Some((.., names)) => names.push(name.to_owned()),
            None => self.0.push((x, y, vec![name.to_owned()])),
        }
    }

    fn draw(self, svg: &mut Html) {
        let mut taken: Vec<(f64, f64)> = Vec::new();
        for (x, y, names) in self.0 {
            // Beside the point, else at the next free height, below or above it. Where the plot is full the point says its name itself.
            let is_free = |height: &f64| {
                let covers = |&(other, taken): &(f64, f64)| {
                    (other - x).abs() < NAME_WIDTH && (taken - height).abs() < NAME_HEIGHT
                };
                (TOP + NAME_HEIGHT..=HEIGHT - BOTTOM).contains(height) && !taken.iter().any(covers)
            };
            let beside = (y + 4.5).clamp(TOP + NAME_HEIGHT, HEIGHT - BOTTOM);
            let heights = (0..ROWS).flat_map(|row| [f64::from(row), -f64::from(row)]);
            let Some(height) = heights.map(|row| beside + row * NAME_HEIGHT).find(is_free) else { continue };
            taken.push((x, height));
            let (at, anchor) = if x > WIDTH * 0.6 { (x - 9.0, "end") } else { (x + 9.0, "start") };
            text(svg, "name", at, height, anchor, &together(&names));
        }
    }
}

/// Several names as one that has room in the plot.
fn together(names: &[String]) -> String {
    match names {
        [name] => name.clone(),
        [first, .., last] => format!("{} to {}", short(first), short(last)),
        [] => String::new(),
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

pub(super) const WIDTH: f64 = 600.0;
pub(super) const HEIGHT: f64 = 330.0;
pub(super) const LEFT: f64 = 62.0;
pub(super) const RIGHT: f64 = 18.0;
pub(super) const TOP: f64 = 34.0;
pub(super) const BOTTOM: f64 = 52.0;
/// Room for a name.
const NAME_WIDTH: f64 = 130.0;
const NAME_HEIGHT: f64 = 13.0;
const LONGEST_NAME: usize = 24;
/// Points as near as that are in one place.
const SAME_PLACE: f64 = 6.0;
/// Heights at which a name may stand, below its point and above it.
const ROWS: i32 = 24;
/// A linear axis is for values of which the largest is at most so many times the smallest.
const WIDE: f64 = 50.0;
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
            has_diagonal: false,
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
            let scatter =
                Scatter { label: String::new(), x: axes(), y: axes(), has_diagonal: false, points: vec![point] };
            let html = scatter.html();
            assert!(!html.as_str().contains("NaN") && html.as_str().contains("class=\"tick\""));
        }
    }

    /// 10, 20 and 79 ms; then 10 ms, 20 ms and 5 s.
    #[test]
    fn a_result_far_away_is_drawn_where_it_is() {
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
            Scatter { label: String::new(), x: axes("s"), y: axes("bit/s"), has_diagonal: false, points }
                .html()
                .as_str()
                .to_owned()
        };
        let marks = |svg: &str| -> Vec<f64> {
            let number = |rest: &str| rest.split("cx=\"").nth(1)?.split('"').next()?.parse().ok();
            svg.split("class=\"mean\"").skip(1).filter_map(number).collect()
        };
        // Linear from 0: the middle is twice as far from it as the first.
        let near = marks(&svg(0.079));
        assert!(((near[2] - LEFT) / (near[0] - LEFT) - 2.0).abs() < 0.02, "{near:?}");
        // Equal ratios: 5 s is 8 doublings beyond 20 ms, which is one beyond 10 ms.
        let far = marks(&svg(5.0));
        assert!(((far[1] - far[0]) / (far[2] - far[0]) - 500f64.log2()).abs() < 0.1, "{far:?}");
        assert!(far[1] < WIDTH - RIGHT && svg(5.0).contains(">5000</text>"), "{}", svg(5.0));
        // All three have the same height: their names do not.
        let all = svg(0.079);
        let heights: std::collections::BTreeSet<&str> = all
            .split("class=\"name\"")
            .skip(1)
            .filter_map(|rest| rest.split("y=\"").nth(1)?.split('"').next())
            .collect();
        assert!(heights.len() > 1, "{all}");
    }

    /// Forty results, seven of them in one place near the lower edge.
    #[test]
    fn names_stay_in_the_plot_and_apart_and_the_diagonal_begins_at_the_origin() {
        let point = |number: usize| {
            let place = if number < 7 { 5e6 } else { 5e6 + 1e6 * number as f64 };
            Point {
                colour: 0,
                name: format!("f{number}"),
                x: interval(place, 0.0),
                y: interval(place, 0.0),
                seeds: vec![],
            }
        };
        let axis = || ("rate".to_string(), "bit/s".to_string());
        let points = (0..40).map(point).collect();
        let html = Scatter { label: String::new(), x: axis(), y: axis(), has_diagonal: true, points }.html();
        let svg = html.as_str();
        let of_names = |attribute: &str| -> Vec<f64> {
            let number = |rest: &str| rest.split(attribute).nth(1)?.split('"').next()?.parse().ok();
            svg.split("class=\"name\"").skip(1).filter_map(number).collect()
        };
        let places: Vec<(f64, f64)> = of_names(" x=\"").into_iter().zip(of_names(" y=\"")).collect();
        assert!(svg.contains(">f0 to f6</text>") && places.len() > 20, "{places:?}");
        for (number, (x, y)) in places.iter().enumerate() {
            assert!((TOP..=HEIGHT - BOTTOM).contains(y), "{places:?}");
            assert!(places[..number].iter().all(|(a, b)| (a - x).abs() > 100.0 || (b - y).abs() > 12.0), "{places:?}");
        }
        let begins = format!("class=\"diagonal\" x1=\"{LEFT:.1}\" y1=\"{:.1}\"", HEIGHT - BOTTOM);
        assert!(svg.contains(&begins), "{svg}");
    }

    #[test]
    fn steps_are_round() {
        assert_eq!([0.7, 1.0, 3.0, 12.0, 60.0].map(round_step), [1.0, 1.0, 5.0, 20.0, 100.0]);
    }
}
