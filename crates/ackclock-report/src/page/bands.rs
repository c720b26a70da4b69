//! Curves of means over a parameter, with bands for their confidence intervals; or means of points that are no curve, with a bar for
//! the interval of each. They need no script, print as sharply as text, and are read in black and white, because curves differ
//! in dashes and marks and not only in colour.

use super::drawing::{Anchor, Drawing, Letters, Place};
use super::html::Html;
use super::number::{Scale, fixed};
use super::scatter::Axis;
use super::svg::{self, Screen, shortened};

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
    /// What it is of, in full.
    pub name: String,
    /// The same in a few letters, which stand at the right end of the curve on a page; may be empty.
    pub label: String,
    /// From left to right.
    pub points: Vec<BandPoint>,
}

/// How large a plot is, in points of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) width: f64,
    pub(super) height: f64,
    /// Left of the plot: room for numbers.
    left: f64,
    /// Right of the plot: room for the names of curves.
    right: f64,
    /// Letters of such a name.
    longest: usize,
}

impl Frame {
    /// On paper: as wide as a column, in which letters of 13 points are 8 points high.
    pub(super) const PAPER: Frame = Frame::on_paper(400.0, 270.0);

    /// On paper, of another size.
    pub(super) const fn on_paper(width: f64, height: f64) -> Frame {
        Frame { width, height, left: LEFT, right: RIGHT, longest: 0 }
    }

    fn on_page(curves: &[BandCurve], screen: Screen) -> Frame {
        let longest = curves.iter().map(|curve| curve.label.chars().count()).max().unwrap_or(0);
        let longest = longest.min(screen.pick(LONGEST_LABEL, 9));
        let right = RIGHT + LETTER * longest as f64;
        screen.pick(
            Frame { width: 640.0, height: 262.0, left: LEFT, right, longest },
            Frame { width: 350.0, height: 240.0, left: 50.0, right, longest },
        )
    }

    fn bottom(self) -> f64 {
        self.height - BOTTOM
    }

    fn end(self) -> f64 {
        self.width - self.right
    }
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
        let label = format!("{} over {}{of}", self.y.0, self.x.0);
        html.tag("figure", &[], |html| {
            if !self.title.is_empty() {
                html.leaf("figcaption", &[], &self.title);
            }
            svg::on_page(html, &label, |screen, svg| {
                let frame = Frame::on_page(&self.curves, screen);
                svg::draw(&self.drawing(frame), svg);
                [frame.width, frame.height]
            });
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

    pub(super) fn drawing(&self, frame: Frame) -> Drawing {
        let mut drawing = Drawing::default();
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let Some(across) = Across::of(points().map(|point| point.x), &self.x.1, self.logarithmic) else {
            return drawing;
        };
        let y = self.upright();
        let left = frame.left;
        let at = |x: f64| left + (frame.end() - left) * across.place(x);
        let up = |value: f64| frame.bottom() - (frame.bottom() - TOP) * y.share(value);
        let mut end = f64::NEG_INFINITY;
        let is_crowded = across.is_crowded(&at);
        for (value, label) in &across.ticks {
            let (x, half) = (at(*value), label.chars().count() as f64 * LETTER / 2.0);
            drawing.grid([x, TOP, x, frame.bottom()]);
            // Where not all have room, powers of ten have a number.
            if x - half > end && !(is_crowded && label.contains(['2', '5'])) {
                end = x + half;
                drawing.text(Letters::Tick, [x, frame.bottom() + 18.0], Anchor::Middle, label);
            }
        }
        for tick in &y.ticks {
            let height = frame.bottom() - (frame.bottom() - TOP) * y.place_scaled(*tick);
            drawing.grid([left, height, frame.end(), height]);
            drawing.text(Letters::Tick, [left - 6.0, height + 4.5], Anchor::End, &fixed(*tick, y.decimals));
        }
        let middle = (left + frame.end()) / 2.0;
        let below = with_unit(&self.x.0, &across.unit);
        drawing.text(Letters::Axis, [middle, frame.height - 8.0], Anchor::Middle, &below);
        drawing.text(Letters::Axis, [left, TOP - 10.0], Anchor::Start, &with_unit(&self.y.0, &y.scale.unit));
        for (nth, curve) in self.curves.iter().enumerate() {
            curve.draw(nth, self.joined, frame, &at, &up, &mut drawing);
        }
        // Above the curves, and beside each other where several go on.
        for (nth, curve) in self.curves.iter().enumerate() {
            let beside = (nth as f64 - (self.curves.len() - 1) as f64 / 2.0) * BESIDE;
            for (point, end) in curve.points.iter().flat_map(|point| beyond(point, &y)) {
                let upwards = end > point.mean;
                let tip = [at(point.x) + beside, if upwards { TOP } else { frame.bottom() }];
                let shown = fixed(end * y.scale.factor, y.decimals);
                let about = format!("{}: its interval goes on to {shown} {}", curve.name, y.scale.unit);
                drawing.begin_series(nth, &curve.name);
                drawing.beyond(nth, tip, upwards, about.trim_start_matches(": ").trim_end().to_owned());
                drawing.end_series();
            }
        }
        if frame.longest > 0 {
            self.name_curves(frame, &at, &up, &mut drawing);
        }
        drawing
    }

    /// The short names of the curves at their right ends, moved apart where they would cover each other.
    fn name_curves(&self, frame: Frame, at: &dyn Fn(f64) -> f64, up: &dyn Fn(f64) -> f64, drawing: &mut Drawing) {
        let end = |(nth, curve): (usize, &BandCurve)| Some((nth, up(curve.points.last()?.mean)));
        let mut ends: Vec<(usize, f64)> = self.curves.iter().enumerate().filter_map(end).collect();
        ends.sort_by(|a, b| a.1.total_cmp(&b.1));
        let last = frame.bottom() - LINE * ends.len().saturating_sub(1) as f64;
        let mut lowest = TOP;
        for (place, (nth, end)) in ends.into_iter().enumerate() {
            let height = end.clamp(lowest, last + LINE * place as f64);
            lowest = height + LINE;
            let curve = &self.curves[nth];
            let label = shortened(&curve.label, frame.longest);
            drawing.begin_series(nth, &curve.name);
            if let Some(last) = curve.points.last() {
                drawing.leader([at(last.x) + 6.0, end], [frame.end() + 5.0, height]);
            }
            drawing.text(Letters::Name, [frame.end() + 8.0, height + 4.5], Anchor::Start, &label);
            drawing.end_series();
        }
    }

    /// The axis from bottom to top.
    fn upright(&self) -> Axis {
        Axis::of(self.extent().chain(self.reach.iter().copied()), &self.y.1)
    }

    /// Whether an interval goes on beyond the axis, which an arrow says.
    pub fn goes_beyond(&self) -> bool {
        let y = self.upright();
        self.curves.iter().flat_map(|curve| &curve.points).any(|point| beyond(point, &y).next().is_some())
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
    fn draw(
        &self,
        nth: usize,
        joined: bool,
        frame: Frame,
        at: &dyn Fn(f64) -> f64,
        up: &dyn Fn(f64) -> f64,
        drawing: &mut Drawing,
    ) {
        drawing.begin_series(nth, &self.name);
        let edge =
            |point: &BandPoint, end: fn((f64, f64)) -> f64| [at(point.x), up(point.interval.map_or(point.mean, end))];
        if joined {
            let points = thinned(&self.points);
            let upper = points.iter().map(|point| edge(point, |interval| interval.1));
            let lower = points.iter().rev().map(|point| edge(point, |interval| interval.0));
            // A curve without intervals has none.
            if points.iter().any(|point| point.interval.is_some()) {
                drawing.band(nth, clipped(upper.chain(lower).collect(), frame.bottom()));
            }
            drawing.curve(nth, points.iter().map(|point| [at(point.x), up(point.mean)]).collect());
        }
        // Where each leads somewhere, more of them are of use.
        let most = if self.points.iter().any(|point| !point.href.is_empty()) { MOST_LINKS } else { MOST_MARKS };
        let has_marks = !joined || self.points.len() <= most;
        for point in self.points.iter().filter(|_| has_marks) {
            if !joined && point.interval.is_some() {
                let ends = [edge(point, |interval| interval.0), edge(point, |interval| interval.1)];
                drawing.bar(nth, ends.map(|[x, y]| [x, y.clamp(TOP, frame.bottom())]));
            }
            let link = (!point.href.is_empty()).then(|| (point.href.clone(), point.about.clone()));
            drawing.mark(nth, [at(point.x), up(point.mean)], link);
        }
        drawing.end_series();
    }
}

/// Of a curve of very many points as many as its picture shows: of each part the ends, the least and the largest mean.
fn thinned(points: &[BandPoint]) -> Vec<&BandPoint> {
    if points.len() <= 4 * PARTS {
        return points.iter().collect();
    }
    let telling = |part: std::ops::Range<usize>| {
        let by_mean = |a: &usize, b: &usize| points[*a].mean.total_cmp(&points[*b].mean);
        let least = part.clone().min_by(by_mean).unwrap_or(part.start);
        let largest = part.clone().max_by(by_mean).unwrap_or(part.start);
        let mut kept = vec![part.start, least, largest, part.end - 1];
        kept.sort_unstable();
        kept.dedup();
        kept
    };
    let bounds = |nth: usize| nth * points.len() / PARTS;
    (0..PARTS).flat_map(|nth| telling(bounds(nth)..bounds(nth + 1))).map(|nth| &points[nth]).collect()
}

/// The ends of an interval that lie beyond an axis.
fn beyond<'a>(point: &'a BandPoint, axis: &Axis) -> impl Iterator<Item = (&'a BandPoint, f64)> + use<'a> {
    // Rounding leaves an end on the axis a little beyond.
    let is_beyond = |end: f64| !(-1e-9..=1.0 + 1e-9).contains(&axis.share(end));
    let ends = point.interval.map(|(low, high)| [low, high].map(|end| is_beyond(end).then_some(end)));
    ends.into_iter().flatten().flatten().map(move |end| (point, end))
}

/// The part of an area that lies between the ends of the upright axis: I. E. Sutherland, G. W. Hodgman, "Reentrant polygon
/// clipping", Communications of the ACM 17 (1974).
fn clipped(corners: Vec<Place>, bottom: f64) -> Vec<Place> {
    let inside: [&dyn Fn(f64) -> f64; 2] = [&|y| y - TOP, &|y| bottom - y];
    inside.into_iter().fold(corners, |corners, inside| {
        let mut kept = Vec::with_capacity(corners.len());
        for (nth, &corner) in corners.iter().enumerate() {
            let before = corners[(nth + corners.len() - 1) % corners.len()];
            let (from, to) = (inside(before[1]), inside(corner[1]));
            if (from < 0.0) != (to < 0.0) {
                let share = from / (from - to);
                kept.push([0, 1].map(|axis| before[axis] + share * (corner[axis] - before[axis])));
            }
            if to >= 0.0 {
                kept.push(corner);
            }
        }
        kept
    })
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

    /// Whether numbers at all ticks of a logarithmic axis would cover each other.
    fn is_crowded(&self, at: &dyn Fn(f64) -> f64) -> bool {
        let half = |label: &str| label.chars().count() as f64 * LETTER / 2.0;
        let covers = |pair: &[(f64, String)]| at(pair[1].0) - half(&pair[1].1) <= at(pair[0].0) + half(&pair[0].1);
        self.linear.is_none() && self.ticks.windows(2).any(covers)
    }

    /// 0 at the left, 1 at the right.
    fn place(&self, value: f64) -> f64 {
        match &self.linear {
            Some(axis) => axis.place(value),
            None => ((value / self.low).ln() / (self.high / self.low).ln()).clamp(0.0, 1.0),
        }
    }
}

pub(super) const LEFT: f64 = 62.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 48.0;
/// Between the arrows of two curves.
const BESIDE: f64 = 11.0;
/// The width of a letter, about; the height of a line.
const LETTER: f64 = 8.4;
const LINE: f64 = 14.0;
/// Letters of a name at the end of a curve.
const LONGEST_LABEL: usize = 14;
/// Marks of more points on a curve would cover it.
const MOST_MARKS: usize = 60;
const MOST_LINKS: usize = 300;
/// A plot shows no more parts of a curve.
const PARTS: usize = 500;
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
                    label: "reno".into(),
                    points: vec![point(0.1, 4e6, 1e5), point(1.0, 8e6, 2e5), point(4.0, 9e6, 9e9)],
                },
                BandCurve { name: "vegas".into(), label: "vegas".into(), points: vec![point(0.1, 5e6, 0.0)] },
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
            let svg = &svg::of_wide(&html);
            assert!(svg.contains("<figcaption>100 ms</figcaption>"));
            assert_eq!((svg.matches("<polyline").count(), svg.matches("<a href=\"#point-1\"").count()), (2, 4));
            assert!(svg.contains("&lt;reno&gt;") && svg.contains("a &lt; b") && !svg.contains("NaN"));
            assert!(svg.contains("goodput, Mb/s") && svg.contains("queue.buffer, bdp"), "{svg}");
        }
    }

    /// The third point of the first curve has an interval of 9 Gb/s, of which only the part on the axis is drawn.
    #[test]
    fn intervals_that_go_on_beyond_the_axis_have_an_arrow_there() {
        for joined in [true, false] {
            let mut bands = Bands { joined, ..bands(false) };
            assert!(bands.goes_beyond());
            let svg = svg::of_wide(&bands.html());
            assert_eq!(svg.matches("class=\"beyond\"").count(), 2, "up and down: {svg}");
            assert!(svg.contains("&lt;reno&gt;: its interval goes on to 9") && svg.contains("Mb/s</title>"), "{svg}");
            bands.curves[0].points[2].interval = Some((8e6, 9.3e6));
            assert!(!bands.goes_beyond() && !bands.html().as_str().contains("beyond"));
        }
    }

    /// Both curves end at the same height.
    #[test]
    fn names_stand_at_the_ends_of_curves_and_cover_none() {
        let mut bands = bands(false);
        bands.curves[1].points[0].mean = 9e6;
        let svg = svg::of_wide(&bands.html());
        let heights: Vec<f64> = svg
            .split("class=\"name\"")
            .skip(1)
            .filter_map(|rest| rest.split("y=\"").nth(1)?.split('"').next()?.parse().ok())
            .collect();
        assert!(heights.len() == 2 && (heights[0] - heights[1]).abs() >= LINE - 0.1, "{heights:?}");
        assert!(!svg_of(&bands, Frame::PAPER).contains("class=\"name\""), "on paper there is a legend");
    }

    fn svg_of(bands: &Bands, frame: Frame) -> String {
        let mut html = Html::new();
        svg::draw(&bands.drawing(frame), &mut html);
        html.as_str().to_owned()
    }

    #[test]
    fn of_very_many_points_those_are_drawn_that_show() {
        let point = |n: usize| BandPoint {
            x: n as f64,
            mean: if n == 77_777 { 9.0 } else { 1.0 },
            interval: None,
            href: String::new(),
            about: String::new(),
        };
        let points: Vec<BandPoint> = (0..100_000).map(point).collect();
        let kept = thinned(&points);
        assert!(kept.len() <= 4 * PARTS && kept.is_sorted_by(|a, b| a.x < b.x));
        assert!(kept.iter().any(|point| point.mean == 9.0));
        assert_eq!((kept[0].x, kept[kept.len() - 1].x), (0.0, 99_999.0));
        assert_eq!(thinned(&points[..2000]).len(), 2000);
    }

    #[test]
    fn an_area_is_cut_where_its_edges_cross_the_ends_of_the_axis() {
        let bottom = 252.0;
        let middle = (TOP + bottom) / 2.0;
        let clipped = |corners| super::clipped(corners, bottom);
        assert_eq!(clipped(vec![[0.0, middle], [10.0, middle], [5.0, middle + 1.0]]).len(), 3);
        // From the middle at 0 to as far above the axis as below it at 20: the edge leaves at 10.
        let cut = clipped(vec![[0.0, middle], [20.0, 2.0 * TOP - middle], [20.0, middle]]);
        assert_eq!(cut, [[0.0, middle], [10.0, TOP], [20.0, TOP], [20.0, middle]]);
        assert!(clipped(vec![[0.0, 0.0], [9.0, 0.0], [9.0, 1.0]]).is_empty());
    }

    #[test]
    fn points_that_are_no_curve_are_not_joined() {
        let sample = Bands { joined: false, ..bands(false) };
        let html = svg::of_wide(&sample.html());
        assert_eq!((html.matches("<polyline").count(), html.matches("<a href").count()), (0, 4));
        assert_eq!(html.matches("class=\"bar\"").count(), 4, "{html}");
        assert!(!sample.legend().as_str().contains("<polyline"));
    }
}
