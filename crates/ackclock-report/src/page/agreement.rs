//! Published numbers against ours: one dot per number, at the published one from left to right and at ours from bottom to
//! top, so that equal numbers lie on a diagonal. A bar shows from where to where ours agrees. Drawn here, as SVG: it
//! needs no script, and each dot is a link.

use super::html::Html;
use super::number::fixed;
use super::scatter::{circle, round_step};
use super::svg::{line, text};
use super::table::Tone;

/// Numbers that share their axes.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What they are.
    pub title: String,
    /// What is said below the title: how many agree.
    pub about: String,
    /// Where the title leads.
    pub link: String,
    /// The same in fewer letters, for panels that are very small.
    pub short: String,
    /// How large it is: of many panels each is small, with fewer words at its axes.
    pub size: Size,
    /// One for each number.
    pub dots: Vec<Dot>,
}

/// How large a panel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// One of four, two beside each other.
    Large,
    /// One of eight.
    Small,
    /// One of twenty; what its axes are is said beside them.
    Tiny,
}

/// A published number and ours.
#[derive(Clone, Debug)]
pub struct Dot {
    /// What is shown when it is pointed at, and read aloud.
    pub label: String,
    /// Where it leads.
    pub link: String,
    /// Left to right.
    pub published: f64,
    /// How far ours may be from it.
    pub tolerance: f64,
    /// Bottom to top.
    pub ours: f64,
    /// The verdict: colour and shape.
    pub tone: Tone,
}

/// Both axes of a panel, which are equal.
struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    ticks: Vec<f64>,
    decimals: usize,
    /// What the words at the ticks are divided by, and what stands for that.
    unit: (f64, &'static str),
}

/// Where on an axis numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Linear,
    Logarithmic,
    /// For shares of which most are close to 1: by the logarithm of what is missing to a little more than 1.
    TowardsOne,
}

impl Scale {
    /// Equal distances of this are equal distances on the axis; values below `low` are taken for it.
    fn of(self, value: f64, low: f64) -> f64 {
        match self {
            Scale::Linear => value,
            Scale::Logarithmic => value.max(low).ln(),
            Scale::TowardsOne => -(MORE_THAN_ONE - value).max(1e-9).ln(),
        }
    }
}

/// Whether most of many numbers are shares close to 1, others are not, and all are between 0 and 1 but for a little.
fn crowd_at_one(dots: &[Dot]) -> bool {
    let values = || dots.iter().flat_map(|dot| [dot.published, dot.ours]).filter(|value| value.is_finite());
    let close = values().filter(|value| *value > 0.85).count();
    let all_shares = values().all(|value| (0.0..=1.05).contains(&value));
    all_shares && dots.len() >= MANY_DOTS && 2 * close > values().count() && values().any(|value| value < 0.7)
}

impl Axis {
    /// Room for every dot. A tolerance that reaches further is cut off, or it would hide what the dots tell; an axis over
    /// more than two powers of ten without a zero is logarithmic.
    fn of(dots: &[Dot], intervals: f64) -> Axis {
        let values = || dots.iter().flat_map(|dot| [dot.published, dot.ours]).filter(|value| value.is_finite());
        let low = values().fold(f64::INFINITY, f64::min);
        let high = values().fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        // What is closer than every tolerance looks close.
        let tolerances = dots.iter().map(|dot| dot.tolerance).filter(|tolerance| *tolerance > 0.0);
        let least = tolerances.fold(f64::INFINITY, f64::min);
        let room = if least.is_finite() { (least - (high - low) / 2.0).max(0.0) } else { 0.0 };
        let (low, high) = (low - room, high + room);
        let logarithmic = low > 0.0 && high / low > 100.0;
        if logarithmic {
            let unit = prefix(high);
            let (low, high) = (low / 1.4, high * 1.4);
            let powers = low.log10().ceil() as i32..=high.log10().floor() as i32;
            let every = (powers.clone().count() as f64 / intervals) as i32 + 1;
            let ticks = powers.filter(|power| power % every == 0).map(|power| 10f64.powi(power)).collect();
            return Axis { scale: Scale::Logarithmic, low, high, ticks, decimals: 0, unit };
        }
        if crowd_at_one(dots) {
            let (low, high) = (low - 0.08, high.min(1.05) + 0.02);
            let ticks = [0.0, 0.5, 0.8, 0.9, 1.0].into_iter().filter(|tick| (low..=high).contains(tick)).collect();
            return Axis { scale: Scale::TowardsOne, low, high, ticks, decimals: 1, unit: prefix(high) };
        }
        let low = if low > 0.0 && low < 0.4 * high { 0.0 } else { low };
        // Words at ticks have few digits: numbers that differ in later ones only are one number.
        let is_one = high - low <= LEAST_SPREAD * high.abs();
        let margin = if is_one { (high.abs() * 0.05).max(0.5) } else { 0.07 * (high - low) };
        let (low, high) = (low - margin, high + margin);
        // Two ticks at least, or nobody can read a value.
        let mut step = round_step((high - low) / intervals);
        while (high / step).floor() - (low / step).ceil() < 1.0 {
            step = round_step(step / 2.5);
        }
        let first = (low / step).ceil() as i64;
        let ticks: Vec<f64> = (first..).map(|n| n as f64 * step).take_while(|tick| *tick <= high).collect();
        let unit = prefix(ticks.iter().fold(0.0, |most, tick| tick.abs().max(most)));
        let decimals = (-(step / unit.0).log10().floor()).max(0.0) as usize;
        Axis { scale: Scale::Linear, low, high, ticks, decimals, unit }
    }

    /// Whether a value has no room.
    fn is_beyond(&self, value: f64) -> bool {
        let room = 1e-9 * (self.high - self.low);
        value < self.low - room || value > self.high + room
    }

    /// 0 at the low end, 1 at the high end.
    fn place(&self, value: f64) -> f64 {
        let [value, low, high] = [value, self.low, self.high].map(|number| self.scale.of(number, self.low));
        ((value - low) / (high - low)).clamp(0.0, 1.0)
    }

    fn words(&self, tick: f64) -> String {
        let is_logarithmic = self.scale == Scale::Logarithmic;
        let (divisor, name) = if is_logarithmic { prefix(tick) } else { self.unit };
        let decimals =
            if is_logarithmic { (-(tick / divisor).log10().floor()).max(0.0) as usize } else { self.decimals };
        if tick == 0.0 { "0".into() } else { format!("{}{name}", fixed(tick / divisor, decimals)) }
    }
}

/// By what numbers above this are divided to be short, and the letter that stands for it.
fn prefix(size: f64) -> (f64, &'static str) {
    match size {
        size if size >= 1e9 => (1e9, " G"),
        size if size >= 1e6 => (1e6, " M"),
        size if size >= 1e4 => (1e3, " k"),
        _ => (1.0, ""),
    }
}

/// Where a panel has its plot, in units of its picture.
struct Frame {
    width: f64,
    height: f64,
    left: f64,
    top: f64,
    bottom: f64,
    /// Whether it has room for what its axes are.
    has_words: bool,
    class: &'static str,
    /// Intervals between ticks, about.
    intervals: f64,
}

const LARGE: Frame = Frame {
    width: 344.0,
    height: 196.0,
    left: 50.0,
    top: 18.0,
    bottom: 31.0,
    has_words: true,
    class: "agreement large",
    intervals: 5.0,
};
const SMALL: Frame = Frame {
    width: 168.0,
    height: 146.0,
    left: 42.0,
    top: 20.0,
    bottom: 31.0,
    has_words: true,
    class: "agreement",
    intervals: 2.0,
};
const TINY: Frame = Frame {
    width: 140.0,
    height: 104.0,
    left: 44.0,
    top: 7.0,
    bottom: 17.0,
    has_words: false,
    class: "agreement",
    intervals: 2.0,
};

impl Frame {
    fn across(&self, share: f64) -> f64 {
        self.left + (self.width - self.left - RIGHT) * share
    }

    fn up(&self, share: f64) -> f64 {
        self.height - self.bottom - (self.height - self.top - self.bottom) * share
    }
}

impl Panel {
    /// Whether its axes are wider close to 1, where most of its numbers are.
    pub fn is_wider_at_one(&self) -> bool {
        crowd_at_one(&self.dots)
    }

    /// The panel in HTML.
    pub fn html(&self) -> Html {
        let mut html = Html::new();
        html.tag("figure", &[("class", "panel")], |html| {
            html.tag("figcaption", &[], |html| {
                html.leaf("a", &[("href", &self.link)], &self.title);
                if self.size == Size::Tiny {
                    html.leaf("p", &[("title", &self.about)], &self.short);
                } else {
                    html.leaf("p", &[], &self.about);
                }
            });
            let frame = match self.size {
                Size::Large => LARGE,
                Size::Small => SMALL,
                Size::Tiny => TINY,
            };
            let view = format!("0 0 {} {}", frame.width, frame.height);
            let label = format!("{}, published against ours: {}", self.title, self.about);
            let attributes =
                [("viewBox", view.as_str()), ("class", frame.class), ("role", "group"), ("aria-label", &label)];
            html.tag("svg", &attributes, |svg| self.draw(svg, &frame));
        });
        html
    }

    fn draw(&self, svg: &mut Html, frame: &Frame) {
        let axis = Axis::of(&self.dots, frame.intervals);
        let (across, up) = (|share| frame.across(share), |share| frame.up(share));
        let mut end = 0.0;
        for tick in &axis.ticks {
            let (at, words) = (axis.place(*tick), axis.words(*tick));
            line(svg, "grid", [across(at), up(0.0), across(at), up(1.0)]);
            line(svg, "grid", [across(0.0), up(at), across(1.0), up(at)]);
            text(svg, "tick", frame.left - 5.0, up(at) + 4.0, "end", &words);
            // From left to right words have less room than upwards: the axes are equal, and one has all of them.
            let half = words.chars().count() as f64 * DIGIT / 2.0;
            let middle = across(at).min(frame.width - half);
            if middle - half >= end {
                text(svg, "tick", middle, up(0.0) + 14.0, "middle", &words);
                end = middle + half + 4.0;
            }
        }
        line(svg, "equal", [across(0.0), up(0.0), across(1.0), up(1.0)]);
        if frame.has_words {
            text(svg, "axis", across(0.5), frame.height - 4.0, "middle", "published");
            text(svg, "axis", 2.0, 13.0, "start", "ours");
        }
        for dot in &self.dots {
            let x = across(axis.place(dot.published));
            let ends = [dot.published - dot.tolerance, dot.published + dot.tolerance];
            let [low, high] = ends.map(|end| up(axis.place(end)));
            line(svg, "tolerance", [x, low, x, high]);
            // Where it goes on beyond the axis it has the head of an arrow.
            for (end, tip, foot) in [(ends[0], low, -HEAD), (ends[1], high, HEAD)] {
                if axis.is_beyond(end) {
                    head(svg, [x, tip], foot);
                }
            }
        }
        // What needs a look comes last, above the others.
        for tone in [Tone::Good, Tone::Neutral, Tone::Notable, Tone::Bad] {
            for dot in self.dots.iter().filter(|dot| dot.tone == tone) {
                svg.tag("a", &[("href", &dot.link), ("class", tone.class()), ("aria-label", &dot.label)], |svg| {
                    svg.leaf("title", &[], &dot.label);
                    let x = across(axis.place(dot.published));
                    if dot.ours.is_finite() {
                        mark(svg, tone, x, up(axis.place(dot.ours)));
                    } else {
                        // There is no such number: an open arrow at the lower edge points out of the plot.
                        head(svg, [x, up(0.0)], -HEAD);
                        circle(svg, "hit", x, up(0.0), 8.0);
                    }
                });
            }
        }
    }
}

/// The head of an arrow that points out of the plot, whose tip is at the edge.
fn head(svg: &mut Html, [x, tip]: [f64; 2], foot: f64) {
    path(svg, "beyond", &[(x - 3.0, tip + foot), (x, tip), (x + 3.0, tip + foot)]);
}

/// The shape of a verdict: a disc, a ring, a diamond or a cross; each with an invisible disc that is easier to hit.
pub fn mark(svg: &mut Html, tone: Tone, x: f64, y: f64) {
    circle(svg, "hit", x, y, 8.0);
    match tone {
        Tone::Good => circle(svg, "disc", x, y, 3.6),
        Tone::Neutral => circle(svg, "ring", x, y, 3.8),
        Tone::Notable => path(svg, "diamond", &[(x, y - 6.0), (x + 6.0, y), (x, y + 6.0), (x - 6.0, y), (x, y - 6.0)]),
        Tone::Bad => {
            line(svg, "cross", [x - 4.5, y - 4.5, x + 4.5, y + 4.5]);
            line(svg, "cross", [x - 4.5, y + 4.5, x + 4.5, y - 4.5]);
        }
    }
}

/// A verdict's shape beside its words, for a legend.
pub fn key(html: &mut Html, tone: Tone, words: &str) {
    html.tag("li", &[("class", tone.class())], |html| {
        let attributes = [("viewBox", "0 0 18 18"), ("class", "agreement key"), ("aria-hidden", "true")];
        html.tag("svg", &attributes, |svg| mark(svg, tone, 9.0, 9.0));
        html.text(" ").text(words);
    });
}

fn path(svg: &mut Html, class: &str, corners: &[(f64, f64)]) {
    let points: Vec<String> = corners.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    svg.tag("polyline", &[("class", class), ("points", &points.join(" "))], |_| {});
}

/// Numbers that are closer together than this part of them are drawn as if they were equal.
const LEAST_SPREAD: f64 = 1e-4;
/// Above every share that is drawn on an axis towards 1.
const MORE_THAN_ONE: f64 = 1.1;
/// Fewer dots do not crowd.
const MANY_DOTS: usize = 12;
const RIGHT: f64 = 12.0;
/// The width of a digit at a tick, about.
const DIGIT: f64 = 7.4;
/// How long the head of an arrow is.
const HEAD: f64 = 4.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(published: f64, tolerance: f64, ours: f64, tone: Tone) -> Dot {
        Dot { label: format!("<{published}>"), link: "#cell-t1-0".into(), published, tolerance, ours, tone }
    }

    fn panel(dots: Vec<Dot>) -> Html {
        sized(Size::Large, dots)
    }

    fn sized(size: Size, dots: Vec<Dot>) -> Html {
        let (about, short) = ("1 of 2 numbers agree".into(), "1 of 2".into());
        Panel { title: "t1".into(), about, short, link: "#card-t1".into(), size, dots }.html()
    }

    #[test]
    fn equal_numbers_lie_on_the_diagonal_and_bars_reach_as_far_as_the_tolerance() {
        let html = panel(vec![dot(0.5, 0.1, 0.5, Tone::Good), dot(1.0, 0.05, 0.6, Tone::Bad)]);
        let svg = html.as_str();
        // No wider for the tolerances: from .5 to 1 with 7 % of that on both sides: .465 to 1.035. .5 is at 50 + 282 * .0614 and at 165 - 147 * .0614.
        assert!(svg.contains("class=\"disc\" cx=\"67.3\" cy=\"156.0\""), "{svg}");
        // .4 is below the axis, .6 at 165 - 147 * .2368.
        assert!(svg.contains("class=\"tolerance\" x1=\"67.3\" y1=\"165.0\" x2=\"67.3\" y2=\"130.2\""), "{svg}");
        // And the head of an arrow says that it goes on; that of the second, .95 to 1.05, does so above.
        assert_eq!(svg.matches("class=\"beyond\"").count(), 2, "{svg}");
        assert_eq!(svg.matches("href=\"#cell-t1-0\"").count(), 2);
        assert!(
            svg.contains("&lt;0.5&gt;") && svg.contains("class=\"verdict bad\"") && svg.contains("class=\"cross\"")
        );
    }

    #[test]
    fn numbers_closer_than_their_tolerance_are_drawn_close_together() {
        let html = panel(vec![dot(1.0, 0.05, 0.999, Tone::Good), dot(1.0, 0.2, 1.0, Tone::Good)]);
        // .9495 to 1.0495 and 7 % of .1 on both sides: .001 of .114, over 147.
        assert!(html.as_str().contains("cy=\"92.1\"") && html.as_str().contains("cy=\"90.9\""), "{}", html.as_str());
    }

    #[test]
    fn rates_of_many_sizes_have_a_logarithmic_axis_and_zeros_do_not() {
        let wide = panel(vec![dot(1e3, 10.0, 1e3, Tone::Good), dot(2e6, 10.0, 2e6, Tone::Good)]);
        assert!(wide.as_str().contains(">1000<") && wide.as_str().contains(">1 M<"), "{}", wide.as_str());
        let zero = panel(vec![dot(0.0, 0.0, 0.0, Tone::Good), dot(2e6, 10.0, 2e6, Tone::Good)]);
        assert!(zero.as_str().contains(">0<") && zero.as_str().contains(">1.5 M<"), "{}", zero.as_str());
    }

    /// Of twelve numbers ten are .9 to .99, so that the axis is from .2 - .08 to .99 + .02.
    #[test]
    fn shares_that_crowd_at_1_have_wide_axes_there() {
        let shares = |low: f64| -> Vec<Dot> {
            let close = (0..10).map(|nth| 0.9 + 0.01 * f64::from(nth));
            close.chain([0.2, low]).map(|share| dot(share, 0.01, share, Tone::Good)).collect()
        };
        let axis = Axis::of(&shares(0.5), 5.0);
        assert_eq!((axis.scale, axis.ticks.clone()), (Scale::TowardsOne, vec![0.5, 0.8, 0.9, 1.0]));
        // What is missing to 1.1: .98 at the low end, .2 at .9, .09 at the high end. A linear axis has .876 below .9.
        assert!((axis.place(0.9) - (0.98_f64 / 0.2).ln() / (0.98_f64 / 0.09).ln()).abs() < 1e-9);
        assert!(axis.place(0.9) < 0.67 && axis.place(0.12) == 0.0 && axis.place(1.01) == 1.0);
        // Neither of few numbers, nor where one is no share.
        assert_eq!(Axis::of(&shares(0.5)[1..], 5.0).scale, Scale::Linear);
        assert_eq!(Axis::of(&shares(1.5), 5.0).scale, Scale::Linear);
    }

    #[test]
    fn a_number_that_must_be_equal_has_ticks_of_few_digits() {
        let html = panel(vec![dot(155.52, 1e-9, 155.52, Tone::Good)]);
        let ticks: Vec<&str> = html.as_str().split("class=\"tick\"").skip(1).collect();
        assert!(ticks.len() >= 6, "{}", html.as_str());
        for tick in ticks {
            let word = tick.split_once('>').unwrap().1.split_once('<').unwrap().0;
            assert!(["150", "155", "160"].contains(&word), "{word}");
        }
    }

    #[test]
    fn a_small_panel_has_few_words() {
        let words = |size, class: &str| {
            let dots = vec![dot(0.2, 0.1, 0.2, Tone::Good), dot(1.0, 0.05, 1.04, Tone::Bad)];
            sized(size, dots).as_str().matches(&format!("class=\"{class}\"")).count()
        };
        assert_eq!([Size::Large, Size::Small, Size::Tiny].map(|size| words(size, "tick")), [6, 4, 4]);
        assert_eq!([Size::Large, Size::Small, Size::Tiny].map(|size| words(size, "axis")), [2, 2, 0]);
        // From .5 to .95, where halves would leave one tick.
        let dots = vec![dot(0.55, 0.1, 0.88, Tone::Notable), dot(0.93, 0.05, 0.93, Tone::Good)];
        assert!(sized(Size::Small, dots).as_str().matches("class=\"tick\"").count() >= 4, "two at each axis");
    }

    #[test]
    fn what_has_no_number_or_but_one_is_drawn_too() {
        for html in [
            panel(vec![]),
            panel(vec![dot(0.0, 0.0, 0.0, Tone::Neutral)]),
            panel(vec![dot(3.0, f64::INFINITY, f64::NAN, Tone::Notable)]),
        ] {
            assert!(!html.as_str().contains("NaN") && !html.as_str().contains("inf"), "{}", html.as_str());
        }
    }
}
