//! Curves of means over a parameter, with bands for their confidence intervals; or means of points that are no curve, with a bar for
//! the interval of each. They need no script, print as sharply as text, and are read in black and white, because curves differ
//! in dashes and marks and not only in colour.

use super::drawing::{Anchor, Drawing, Letters};
use super::html::Html;
use super::number::{Scale, fixed};
use super::scatter::Axis;
use super::svg;

/// One plot.
#[derive(Clone, Debug)]
pub struct Bands {
    /// Of what it is, beside other plots; it stands above. May be empty.
    pub title: String,
    /// Left to right: a name and a unit as in [`Scale::fitting`].
    pub x: (String, String),
    /// Whether equal ratios of it are equally wide.
    pub logarithmic: bool,
    /// Bottom to top.
    pub y: (String, String),
    /// What the upright axis has to show beside the curves, so that several plots can have the same one.
    pub reach: Vec<f64>,
    /// At most as many as there are colours, [`MOST_CURVES`].
    pub curves: Vec<BandCurve>,
    /// Whether the points of a curve lie on one: they are not joined where they differ in more than what is drawn.
    pub joined: bool,
}

/// One curve.
#[derive(Clone, Debug)]
pub struct BandCurve {
    /// What it is of.
    pub name: String,
    /// From left to right.
    pub points: Vec<BandPoint>,
}

/// A mean.
#[derive(Clone, Debug)]
pub struct BandPoint {
    /// Left to right.
    pub x: f64,
    /// The mean.
    pub mean: f64,
    /// The ends of its interval.
    pub interval: Option<(f64, f64)>,
    /// Where a link on it leads; empty for none.
    pub href: String,
    /// What it is, in a few words.
    pub about: String,
}

impl Bands {
    /// The plot in HTML.
    pub fn html(&self) -> Html {
        let mut html = Html::new();
        let of = if self.title.is_empty() { String::new() } else { format!(", {}", self.title) };
        let (view, label) = (format!("0 0 {WIDTH} {HEIGHT}"), format!("{} over {}{of}", self.y.0, self.x.0));
        let attributes = [("viewBox", view.as_str()), ("class", "scatter"), ("role", "img"), ("aria-label", &label)];
        html.tag("figure", &[], |html| {
            if !self.title.is_empty() {
                html.leaf("figcaption", &[], &self.title);
            }
            html.tag("svg", &attributes, |html| svg::draw(&self.drawing(), html));
        });
        html
    }

    /// What the upright axis shows: means, and intervals that do not flatten all else.
    pub fn extent(&self) -> impl Iterator<Item = f64> + Clone + '_ {
        let points = self.curves.iter().flat_map(|curve| &curve.points);
        points.flat_map(|point| std::iter::once(point.mean).chain(shown_ends(point)))
    }

    /// Its curves by name, as they are drawn.
    pub fn legend(&self) -> Html {
        Html::of_class("ul", "legend", &{
            let mut items = Html::new();
            for (nth, curve) in self.curves.iter().enumerate() {
                items.tag("li", &[("class", &format!("series-{nth}"))], |li| {
                    let attributes =
                        [("viewBox", "0 0 40 12"), ("width", "40"), ("height", "12"), ("aria-hidden", "true")];
                    li.tag("svg", &attributes, |html| svg::draw(&self.sample(nth, 0.0, 6.0, 40.0), html));
                    li.text(&format!(" {}", curve.name));
                });
            }
            items
        })
    }

    /// The plot, [`WIDTH`] wide and [`HEIGHT`] high.
    pub(super) fn drawing(&self) -> Drawing {
        let mut drawing = Drawing::default();
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let Some(across) = Across::of(points().map(|point| point.x), &self.x.1, self.logarithmic) else {
            return drawing;
        };
        let y = Axis::of(self.extent().chain(self.reach.iter().copied()), &self.y.1);
        let at = |x: f64| LEFT + (WIDTH - LEFT - RIGHT) * across.place(x);
        let up = |value: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y.place(value);
        for (value, label) in &across.ticks {
            let x = at(*value);
            drawing.grid([x, TOP, x, HEIGHT - BOTTOM]);
            drawing.text(Letters::Tick, [x, HEIGHT - BOTTOM + 18.0], Anchor::Middle, label);
        }
        for tick in &y.ticks {
            let height = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y.place_scaled(*tick);
            drawing.grid([LEFT, height, WIDTH - RIGHT, height]);
            drawing.text(Letters::Tick, [LEFT - 6.0, height + 4.5], Anchor::End, &fixed(*tick, y.decimals));
        }
        let middle = (LEFT + WIDTH - RIGHT) / 2.0;
        let below = with_unit(&self.x.0, &across.unit);
        drawing.text(Letters::Axis, [middle, HEIGHT - 8.0], Anchor::Middle, &below);
        drawing.text(Letters::Axis, [LEFT, TOP - 10.0], Anchor::Start, &with_unit(&self.y.0, &y.scale.unit));
        for (nth, curve) in self.curves.iter().enumerate() {
            curve.draw(nth, self.joined, &at, &up, &mut drawing);
        }
        drawing
    }

    /// A piece of a curve with its mark, for a legend.
    pub(super) fn sample(&self, nth: usize, x: f64, y: f64, width: f64) -> Drawing {
        let mut drawing = Drawing::default();
        if self.joined {
            drawing.curve(nth, vec![[x, y], [x + width, y]]);
        }
        drawing.mark(nth, [x + width / 2.0, y], None);
        drawing
    }
}

impl BandCurve {
    fn draw(&self, nth: usize, joined: bool, at: &dyn Fn(f64) -> f64, up: &dyn Fn(f64) -> f64, drawing: &mut Drawing) {
        drawing.begin_series(nth, &self.name);
        let edge =
            |point: &BandPoint, end: fn((f64, f64)) -> f64| [at(point.x), up(point.interval.map_or(point.mean, end))];
        if joined {
            let upper = self.points.iter().map(|point| edge(point, |interval| interval.1));
            let lower = self.points.iter().rev().map(|point| edge(point, |interval| interval.0));
            drawing.band(nth, upper.chain(lower).collect());
            drawing.curve(nth, self.points.iter().map(|point| [at(point.x), up(point.mean)]).collect());
        }
        for point in &self.points {
            if !joined && point.interval.is_some() {
                drawing.bar(nth, [edge(point, |interval| interval.0), edge(point, |interval| interval.1)]);
            }
            let link = (!point.href.is_empty()).then(|| (point.href.clone(), point.about.clone()));
            drawing.mark(nth, [at(point.x), up(point.mean)], link);
        }
        drawing.end_series();
    }
}

/// The ends of an interval that the axis has to show: not those of an interval of few seeds that would flatten all else.
fn shown_ends(point: &BandPoint) -> impl Iterator<Item = f64> + Clone + use<> {
    let mean = point.mean;
    let fits = move |end: f64| (end - mean).abs() <= mean.abs();
    point.interval.map(|(low, high)| [low, high]).into_iter().flatten().filter(move |end| fits(*end))
}

fn with_unit(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name}, {unit}") }
}

/// The axis from left to right.
struct Across {
    linear: Option<Axis>,
    low: f64,
    high: f64,
    /// Values and what is written below them.
    ticks: Vec<(f64, String)>,
    unit: String,
}

impl Across {
    /// `None` of no values.
    fn of(values: impl Iterator<Item = f64> + Clone, unit: &str, logarithmic: bool) -> Option<Across> {
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.clone().fold(f64::NEG_INFINITY, f64::max);
        if low > high {
            return None;
        }
        if !logarithmic || low <= 0.0 || low == high {
            let axis = Axis::of(values, unit);
            let ticks =
                axis.ticks.iter().map(|tick| (*tick / axis.scale.factor, fixed(*tick, axis.decimals))).collect();
            let unit = axis.scale.unit.clone();
            return Some(Across { linear: Some(axis), low, high, ticks, unit });
        }
        let scale = Scale::fitting(high, unit);
        let margin = (high / low).powf(0.04);
        let (low, high) = (low / margin, high * margin);
        let decades = (high / low).log10();
        let steps: &[f64] = if decades > 3.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let exponents = (low * scale.factor).log10().floor() as i32..=(high * scale.factor).log10().ceil() as i32;
        let ticks = exponents.flat_map(|exponent| {
            let decimals = (-exponent).max(0) as usize;
            steps.iter().map(move |step| {
                let value = step * 10.0_f64.powi(exponent);
                (value, fixed(value, decimals))
            })
        });
        let ticks =
            ticks.map(|(value, label)| (value / scale.factor, label)).filter(|(value, _)| (low..=high).contains(value));
        Some(Across { linear: None, low, high, ticks: ticks.collect(), unit: scale.unit.clone() })
    }

    /// 0 at the left, 1 at the right.
    fn place(&self, value: f64) -> f64 {
        match &self.linear {
            Some(axis) => axis.place(value),
            None => ((value / self.low).ln() / (self.high / self.low).ln()).clamp(0.0, 1.0),
        }
    }
}

/// Plots below each other with one legend, as wide as a column of a paper: its drawing, [`WIDTH`] wide, and its height.
pub(super) fn column(plots: &[Bands]) -> (Drawing, f64) {
    let mut drawing = Drawing::default();
    let title = plots.first().map_or("", |plot| &plot.title);
    let head = if title.is_empty() { 0.0 } else { 24.0 };
    if !title.is_empty() {
        drawing.text(Letters::Axis, [LEFT, 18.0], Anchor::Start, title);
    }
    for (nth, plot) in plots.iter().enumerate() {
        drawing.append(plot.drawing(), head + nth as f64 * HEIGHT);
    }
    let mut y = head + plots.len() as f64 * HEIGHT + 10.0;
    if let Some(plot) = plots.first() {
        for (nth, curve) in plot.curves.iter().enumerate() {
            drawing.append(plot.sample(nth, LEFT, 0.0, 44.0), y);
            drawing.text(Letters::Axis, [LEFT + 54.0, y + 4.5], Anchor::Start, &curve.name);
            y += 20.0;
        }
    }
    (drawing, y)
}

pub(super) const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 48.0;
/// How many curves one plot can have.
pub const MOST_CURVES: usize = super::drawing::DASHES.len();

#[cfg(test)]
mod tests {
    use super::*;

    fn bands(logarithmic: bool) -> Bands {
        let point = |x: f64, mean: f64, half: f64| BandPoint {
            x,
            mean,
            interval: Some((mean - half, mean + half)),
            href: "#point-1".into(),
            about: "a < b".into(),
        };
        Bands {
            title: "100 ms".into(),
            x: ("queue.buffer".into(), "bdp".into()),
            logarithmic,
            y: ("goodput".into(), "bit/s".into()),
            reach: vec![0.0],
            joined: true,
            curves: vec![
                BandCurve {
                    name: "<reno>".into(),
                    points: vec![point(0.1, 4e6, 1e5), point(1.0, 8e6, 2e5), point(4.0, 9e6, 9e9)],
                },
                BandCurve { name: "vegas".into(), points: vec![point(0.1, 5e6, 0.0)] },
            ],
        }
    }

    #[test]
    fn ratios_are_equally_wide_where_that_is_asked_for() {
        let across = Across::of([0.1, 4.0].into_iter(), "bdp", true).unwrap();
        let places: Vec<f64> = [0.1, 0.2, 0.4, 0.8].iter().map(|x| across.place(*x)).collect();
        let steps: Vec<f64> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps.iter().all(|step| (step - steps[0]).abs() < 1e-12));
        let labels: Vec<&str> = across.ticks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(labels, ["0.1", "0.2", "0.5", "1", "2"]);
        assert!(Across::of([0.0, 4.0].into_iter(), "", true).unwrap().linear.is_some(), "nothing is a ratio of 0");
        assert!(Across::of(std::iter::empty(), "", false).is_none());
    }

    #[test]
    fn curves_have_bands_marks_and_names_and_no_interval_flattens_the_others() {
        for logarithmic in [false, true] {
            let html = bands(logarithmic).html();
            let svg = html.as_str();
            assert!(svg.contains("<figcaption>100 ms</figcaption>"));
            assert_eq!((svg.matches("<polyline").count(), svg.matches("<a href=\"#point-1\"").count()), (2, 4));
            assert!(svg.contains("&lt;reno&gt;") && svg.contains("a &lt; b") && !svg.contains("NaN"));
            assert!(svg.contains("goodput, Mb/s") && svg.contains("queue.buffer, bdp"), "{svg}");
        }
    }

    #[test]
    fn points_that_are_no_curve_are_not_joined() {
        let sample = Bands { joined: false, ..bands(false) };
        let html = sample.html();
        assert_eq!((html.as_str().matches("<polyline").count(), html.as_str().matches("<a href").count()), (0, 4));
        assert_eq!(html.as_str().matches("class=\"bar\"").count(), 4, "{}", html.as_str());
        assert!(!sample.legend().as_str().contains("<polyline"));
    }
}
