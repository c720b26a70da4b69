//! One number against another: a point for each result, whiskers for the intervals, a small dot for each seed.
//! Drawn here, as SVG: it needs no script, and prints as sharply as text.

use super::html::Html;
use super::number::{Scale, fixed};
use super::svg::{self, line, shortened, text};
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

    /// Whether a value lies beyond the ends. Rounding leaves an end a little beyond.
    pub(super) fn is_beyond(&self, value: f64) -> bool {
        let (scaled, room) = (value * self.scale.factor, 1e-9 * (self.high - self.low));
        scaled < self.low - room || scaled > self.high + room
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
        let axes = [axis(|point| &point.x, &self.x.1), axis(|point| &point.y, &self.y.1)];
        svg::on_page(&mut html, &self.label, |screen, svg| {
            let frame = screen.pick(WIDE_FRAME, NARROW_FRAME);
            self.draw(&axes, &frame, svg);
            [frame.width, frame.height]
        });
        html
    }

    fn draw(&self, [x, y]: &[Axis; 2], frame: &Frame, svg: &mut Html) {
        let place = |x_value: f64, y_value: f64| [frame.across(x.place(x_value)), frame.up(y.place(y_value))];
        self.grid(svg, frame, x, y);
        if self.has_diagonal {
            let ([x1, y1], end) = (place(0.0, 0.0), x.end().min(y.end()));
            let [x2, y2] = place(end, end);
            line(svg, "diagonal", [x1, y1, x2, y2]);
        }
        let mut names = Names::default();
        for point in &self.points {
            let class = format!("series-{}", point.colour % COLOURS);
            svg.tag("g", &[("class", &class)], |svg| {
                svg.leaf("title", &[], &point.name);
                for (a, b) in &point.seeds {
                    let [px, py] = place(*a, *b);
                    circle(svg, "seed", px, py, 2.5);
                }
                let (means, halves) = ([point.x.mean, point.y.mean], [point.x.ci95, point.y.ci95]);
                for (nth, axis) in [x, y].into_iter().enumerate() {
                    let Some(half) = halves[nth] else { continue };
                    let end = |sign: f64| {
                        let mut value = means;
                        value[nth] += sign * half;
                        (place(value[0], value[1]), sign, axis.is_beyond(value[nth]))
                    };
                    let ends = [end(-1.0), end(1.0)];
                    let [([x1, y1], ..), ([x2, y2], ..)] = ends;
                    line(svg, "whisker", [x1, y1, x2, y2]);
                    names.bars.push([x1.min(x2), y1.min(y2), x1.max(x2), y1.max(y2)]);
                    for (tip, sign, _) in ends.into_iter().filter(|(.., is_beyond)| *is_beyond) {
                        arrow(svg, tip, nth == 0, sign);
                    }
                }
                let [px, py] = place(point.x.mean, point.y.mean);
                circle(svg, "mean", px, py, 5.0);
                names.add([px, py], &point.name, class.clone());
            });
        }
        names.draw(frame, svg);
    }

    /// Whether an interval goes on beyond an axis, which an arrow says.
    pub fn goes_beyond(&self) -> bool {
        let origin = self.has_diagonal.then_some(0.0);
        let beyond = |of: fn(&Point) -> &Interval, unit: &str| {
            let values: Vec<f64> = reach(self.points.iter().map(of)).chain(origin).collect();
            let axis = Axis::telling(values.into_iter(), unit);
            let ends = |one: &Interval| one.ci95.map(|half| [one.mean - half, one.mean + half]);
            self.points.iter().filter_map(|point| ends(of(point))).flatten().any(|end| axis.is_beyond(end))
        };
        !self.points.is_empty() && (beyond(|point| &point.x, &self.x.1) || beyond(|point| &point.y, &self.y.1))
    }

    fn grid(&self, svg: &mut Html, frame: &Frame, x: &Axis, y: &Axis) {
        let (right, bottom) = (frame.across(1.0), frame.up(0.0));
        for tick in frame.thinned(x) {
            let at = frame.across(x.place_scaled(tick));
            line(svg, "grid", [at, TOP, at, bottom]);
            text(svg, "tick", at, bottom + 18.0, "middle", &fixed(tick, x.decimals));
        }
        for tick in &y.ticks {
            let at = frame.up(y.place_scaled(*tick));
            line(svg, "grid", [frame.left, at, right, at]);
            text(svg, "tick", frame.left - 6.0, at + 4.5, "end", &fixed(*tick, y.decimals));
        }
        let title = |(name, _): &(String, String), axis: &Axis| match axis.scale.unit.as_str() {
            "" => name.clone(),
            unit => format!("{name}, {unit}"),
        };
        text(svg, "axis", (frame.left + right) / 2.0, frame.height - 8.0, "middle", &title(&self.x, x));
        text(svg, "axis", frame.left, TOP - 12.0, "start", &title(&self.y, y));
    }
}

/// Where a plot is in its picture.
pub(super) struct Frame {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) left: f64,
    /// Letters of a name.
    longest: usize,
}

pub(super) const WIDE_FRAME: Frame = Frame { width: 640.0, height: 310.0, left: 62.0, longest: 24 };
pub(super) const NARROW_FRAME: Frame = Frame { width: 350.0, height: 280.0, left: 50.0, longest: 16 };

impl Frame {
    /// From 0, the left end of the plot, to 1, the right one.
    pub(super) fn across(&self, share: f64) -> f64 {
        self.left + (self.width - self.left - RIGHT) * share
    }

    /// From 0, the lower end, to 1, the upper one.
    pub(super) fn up(&self, share: f64) -> f64 {
        self.height - BOTTOM - (self.height - TOP - BOTTOM) * share
    }

    /// Of the ticks from left to right those that have room beside each other.
    pub(super) fn thinned(&self, axis: &Axis) -> Vec<f64> {
        let mut end = f64::NEG_INFINITY;
        let ticks = axis.ticks.iter().copied().filter(|tick| {
            let half = (fixed(*tick, axis.decimals).chars().count() as f64 * DIGIT + 6.0) / 2.0;
            let at = self.across(axis.place_scaled(*tick));
            let has_room = at - half >= end;
            if has_room {
                end = at + half;
            }
            has_room
        });
        ticks.collect()
    }
}

/// What an axis has to show: means and single seeds. Intervals of few seeds may be many times as long.
fn reach<'a>(intervals: impl Iterator<Item = &'a Interval>) -> impl Iterator<Item = f64> {
    intervals.flat_map(|interval| [interval.mean, interval.min, interval.max])
}

/// The names of points, to be drawn so that none covers another, nor a point: points in one place have one name together.
#[derive(Default)]
struct Names {
    points: Vec<Named>,
    /// What a name should not cover: from the left, from the top, to the right, to the bottom.
    bars: Vec<[f64; 4]>,
}

struct Named {
    at: [f64; 2],
    names: Vec<String>,
    class: String,
}

/// Where a name stands.
struct Stand {
    /// From the left, from the top, to the right, to the bottom.
    area: [f64; 4],
    anchor: &'static str,
    /// Whether it stands at its point.
    is_beside: bool,
}

impl Names {
    fn add(&mut self, at: [f64; 2], name: &str, class: String) {
        let is_here = |named: &&mut Named| (0..2).all(|axis| (named.at[axis] - at[axis]).abs() < SAME_PLACE);
        match self.points.iter_mut().find(is_here) {
            Some(named) => named.names.push(name.to_owned()),
            None => self.points.push(Named { at, names: vec![name.to_owned()], class }),
        }
    }

    fn draw(self, frame: &Frame, svg: &mut Html) {
        let mut taken: Vec<[f64; 4]> = Vec::new();
        for named in &self.points {
            let words = together(&named.names, frame.longest);
            let is_free = |area: &[f64; 4]| {
                let is_within = area[0] >= frame.left + 2.0
                    && area[2] <= frame.width - 2.0
                    && area[1] >= TOP - 2.0
                    && area[3] <= frame.up(0.0) - 1.0;
                let covers_point = self.points.iter().any(|other| {
                    let [x, y] = other.at;
                    cover(area, &[x - 6.0, y - 6.0, x + 6.0, y + 6.0])
                });
                is_within && !covers_point && !taken.iter().any(|other| cover(area, other))
            };
            let stands: Vec<Stand> =
                stands(named.at, &words).into_iter().filter(|stand| is_free(&stand.area)).collect();
            // Where the plot is full the point says its name itself.
            let clear = stands.iter().find(|stand| !self.bars.iter().any(|bar| cover(&stand.area, bar)));
            let Some(stand) = clear.or(stands.first()) else { continue };
            let [left, top, right, bottom] = stand.area;
            let [x, y] = named.at;
            svg.tag("g", &[("class", &named.class)], |svg| {
                if !stand.is_beside {
                    line(svg, "leader", [x, y, x.clamp(left, right), y.clamp(top, bottom)]);
                }
                let at = match stand.anchor {
                    "start" => left,
                    "end" => right,
                    _ => (left + right) / 2.0,
                };
                text(svg, "name", at, bottom - 3.0, stand.anchor, &words);
            });
            taken.push(stand.area);
        }
    }
}

/// Where a name may stand, the best first: at its point, else at the next heights.
fn stands([x, y]: [f64; 2], words: &str) -> Vec<Stand> {
    let width = words.chars().count() as f64 * LETTER;
    let beside = |dy: f64, is_beside: bool| {
        let rows = [y + dy - NAME_HEIGHT / 2.0, y + dy + NAME_HEIGHT / 2.0];
        let stand = move |left: f64, anchor: &'static str| Stand {
            area: [left, rows[0], left + width, rows[1]],
            anchor,
            is_beside,
        };
        [stand(x + BESIDE, "start"), stand(x - BESIDE - width, "end"), stand(x - width / 2.0, "middle")]
    };
    let near = beside(0.0, true).into_iter().take(2).chain([-16.0, 16.0].into_iter().flat_map(|dy| beside(dy, true)));
    let far = (2..ROWS).flat_map(|row| [-1.0, 1.0].map(|sign| sign * f64::from(row) * NAME_HEIGHT));
    near.chain(far.flat_map(|dy| beside(dy, false))).collect()
}

/// Whether two areas have a part in common.
fn cover(a: &[f64; 4], b: &[f64; 4]) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Several names as one that has room in the plot.
fn together(names: &[String], longest: usize) -> String {
    let all = names.join(", ");
    match names {
        [first, .., last] if all.chars().count() > longest + longest / 2 => {
            format!("{} to {}", shortened(first, longest), shortened(last, longest))
        }
        [one] => shortened(one, longest),
        _ => all,
    }
}

/// The sign at an end of an axis that an interval goes on.
fn arrow(svg: &mut Html, [x, y]: [f64; 2], is_across: bool, sign: f64) {
    let at = |along: f64, aside: f64| {
        let [dx, dy] = if is_across { [-sign * along, aside] } else { [aside, sign * along] };
        format!("{:.1},{:.1}", x + dx, y + dy)
    };
    let path = format!("M{} {} {}", at(6.0, -4.5), at(0.0, 0.0), at(6.0, 4.5));
    let style = [("fill", "none"), ("stroke", "currentColor"), ("stroke-width", "2")];
    svg.tag("g", &[("class", "beyond")], |svg| {
        svg.leaf("title", &[], "the interval goes on beyond the axis");
        svg.tag("path", &[&[("d", &*path)][..], &style].concat(), |_| {});
    });
}

pub(super) fn circle(svg: &mut Html, class: &str, x: f64, y: f64, r: f64) {
    let [x, y, r] = [x, y, r].map(|number| format!("{number:.1}"));
    svg.tag("circle", &[("class", class), ("cx", &x), ("cy", &y), ("r", &r)], |_| {});
}

/// 1, 2 or 5 times a power of ten, not below `least`.
pub(super) fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|step| *step >= least).unwrap_or(10.0 * power)
}

pub(super) const RIGHT: f64 = 18.0;
pub(super) const TOP: f64 = 34.0;
pub(super) const BOTTOM: f64 = 52.0;
/// The width of a letter of a name and of a digit at a tick, about; of wide fonts, too.
const LETTER: f64 = 8.4;
const DIGIT: f64 = 8.0;
const NAME_HEIGHT: f64 = 13.0;
/// From the middle of a point to its name.
const BESIDE: f64 = 9.0;
/// Points as near as that are in one place.
const SAME_PLACE: f64 = 6.0;
/// Heights at which a name may stand, above its point and below it.
const ROWS: i32 = 22;
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
        let svg = svg::of_wide(&scatter.html());
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
            let scatter = Scatter { label: String::new(), x: axes("s"), y: axes("bit/s"), has_diagonal: false, points };
            svg::of_wide(&scatter.html())
        };
        let marks = |svg: &str| -> Vec<f64> {
            let number = |rest: &str| rest.split("cx=\"").nth(1)?.split('"').next()?.parse().ok();
            svg.split("class=\"mean\"").skip(1).filter_map(number).collect()
        };
        let left = WIDE_FRAME.left;
        // Linear from 0: the middle is twice as far from it as the first.
        let near = marks(&svg(0.079));
        assert!(((near[2] - left) / (near[0] - left) - 2.0).abs() < 0.02, "{near:?}");
        // Equal ratios: 5 s is 8 doublings beyond 20 ms, which is one beyond 10 ms.
        let far = marks(&svg(5.0));
        assert!(((far[1] - far[0]) / (far[2] - far[0]) - 500f64.log2()).abs() < 0.1, "{far:?}");
        assert!(far[1] < WIDE_FRAME.width - RIGHT && svg(5.0).contains(">5000</text>"), "{}", svg(5.0));
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
        let svg = svg::of_wide(&html);
        let of_names = |attribute: &str| -> Vec<f64> {
            let number = |rest: &str| rest.split(attribute).nth(1)?.split('"').next()?.parse().ok();
            svg.split("class=\"name\"").skip(1).filter_map(number).collect()
        };
        let places: Vec<(f64, f64)> = of_names(" x=\"").into_iter().zip(of_names(" y=\"")).collect();
        assert!(svg.contains(">f0, f1, f2, f3, f4, f5, f6</text>") && places.len() > 20, "{places:?}");
        assert!(places.iter().all(|(_, y)| (TOP..=WIDE_FRAME.up(0.0)).contains(y)), "{places:?}");
        let begins = format!("class=\"diagonal\" x1=\"{:.1}\" y1=\"{:.1}\"", WIDE_FRAME.left, WIDE_FRAME.up(0.0));
        assert!(svg.contains(&begins), "{svg}");
    }

    /// Six results, of which four are nearly in one place: what the browser test found as two names upon each other.
    #[test]
    fn names_stand_at_their_points_and_cover_neither_each_other_nor_a_point() {
        let point = |name: &str, x: f64, y: f64| Point {
            colour: 0,
            name: name.into(),
            x: interval(x, 0.0),
            y: interval(y, 0.0),
            seeds: vec![],
        };
        let (x, y) = (("delay".into(), "s".into()), ("goodput".into(), "bit/s".into()));
        let names = ["cmp-reno", "cmp-cubic", "cmp-bbr3", "cmp-vegas", "cmp-hybla", "cmp-vegas-linux"];
        let places = [(27.3, 19.236), (37.1, 19.242), (37.6, 18.592), (8.5, 19.236), (26.9, 19.256), (15.2, 19.236)];
        let points = names.iter().zip(places).map(|(name, (x, y))| point(name, x * 1e-3, y * 1e6)).collect();
        let html = Scatter { label: String::new(), x, y, has_diagonal: false, points }.html();
        let drawn: Vec<&str> = html.as_str().split("class=\"name\"").skip(1).collect();
        let words: Vec<&str> = drawn.iter().map(|rest| rest.split(['>', '<']).nth(1).unwrap()).collect();
        for name in names {
            let says = |words: &&&str| words.split(", ").any(|one| one == name);
            assert_eq!(words.iter().filter(says).count(), 2, "on each screen {name}: {words:?}");
        }
        // Of two at one place and four alone each has a stand that no other has.
        let mut areas: Vec<[f64; 4]> = Vec::new();
        for (x, y) in [(100.0, 60.0), (104.0, 68.0), (150.0, 60.0), (160.0, 62.0)] {
            let stand =
                stands([x, y], "cmp-vegas").into_iter().find(|stand| !areas.iter().any(|a| cover(&stand.area, a)));
            areas.push(stand.unwrap().area);
        }
        assert_eq!(areas.len(), 4);
    }

    /// Both intervals of the second point are longer than the axes.
    #[test]
    fn an_interval_that_goes_on_beyond_an_axis_says_so() {
        let point = |mean: f64, half: f64| {
            let one = Interval { mean, ci95: Some(half), min: mean, max: mean };
            Point { colour: 0, name: "a".into(), x: one, y: one, seeds: vec![(mean, mean)] }
        };
        let scatter = |half: f64| {
            let axis = || ("rate".to_string(), "bit/s".to_string());
            let points = vec![point(1e6, 0.0), point(3e6, half)];
            Scatter { label: String::new(), x: axis(), y: axis(), has_diagonal: false, points }
        };
        let arrows = |half: f64| svg::of_wide(&scatter(half).html()).matches("class=\"beyond\"").count();
        assert_eq!((arrows(9e6), arrows(1e4)), (4, 0));
        assert!(scatter(9e6).goes_beyond() && !scatter(1e4).goes_beyond());
    }

    #[test]
    fn steps_are_round() {
        assert_eq!([0.7, 1.0, 3.0, 12.0, 60.0].map(round_step), [1.0, 1.0, 5.0, 20.0, 100.0]);
    }
}
