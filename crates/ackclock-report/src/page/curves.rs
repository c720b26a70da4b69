//! Curves of shares over a quantity, such as distributions. Drawn here, as SVG: it needs no script, and prints as sharply as
//! text.

use super::drawing::DASHES;
use super::html::Html;
use super::number::fixed;
use super::scatter::{Axis, Frame, NARROW_FRAME, TOP, WIDE_FRAME};
use super::svg::{self, line, text};

/// Some curves in one plot.
#[derive(Clone, Debug)]
pub struct Curves {
    /// What is shown; it stands above, and is read aloud.
    pub label: String,
    /// Left to right: a name and a unit as in [`Scale::fitting`](super::number::Scale::fitting).
    pub x: (String, String),
    /// Bottom to top, from 0 to 100.
    pub y: String,
    /// At most as many as there are colours.
    pub curves: Vec<Curve>,
}

#[derive(Clone, Debug)]
pub struct Curve {
    /// What it is of.
    pub name: String,
    /// From left to right.
    pub points: Vec<(f64, f64)>,
}

impl Curves {
    /// The plot in HTML.
    pub fn html(&self) -> Html {
        let mut html = Html::new();
        if self.curves.is_empty() {
            return html;
        }
        let x = Axis::of(self.curves.iter().flat_map(|curve| &curve.points).map(|&(x, _)| x), &self.x.1);
        html.leaf("p", &[("class", "note")], &self.label);
        svg::on_page(&mut html, &self.label, |screen, svg| {
            let frame = screen.pick(WIDE_FRAME, NARROW_FRAME);
            self.draw(&x, &frame, svg);
            [frame.width, frame.height]
        });
        html.tag("ul", &[("class", "legend")], |html| {
            for (nth, curve) in self.curves.iter().enumerate() {
                html.tag("li", &[("class", &format!("series-{nth}"))], |li| {
                    let sample = [("viewBox", "0 0 40 12"), ("width", "40"), ("height", "12"), ("aria-hidden", "true")];
                    li.tag("svg", &sample, |svg| polyline(svg, nth, "0,6 40,6"));
                    li.text(" ").text(&curve.name);
                });
            }
        });
        html
    }

    fn draw(&self, x: &Axis, frame: &Frame, svg: &mut Html) {
        let (right, bottom) = (frame.across(1.0), frame.up(0.0));
        for tick in frame.thinned(x) {
            let at = frame.across(x.place_scaled(tick));
            line(svg, "grid", [at, TOP, at, bottom]);
            text(svg, "tick", at, bottom + 18.0, "middle", &fixed(tick, x.decimals));
        }
        for share in [0.0, 25.0, 50.0, 75.0, 95.0] {
            let at = frame.up(share / 100.0);
            line(svg, "grid", [frame.left, at, right, at]);
            text(svg, "tick", frame.left - 6.0, at + 4.5, "end", &fixed(share, 0));
        }
        let title = format!("{}, {}", self.x.0, x.scale.unit);
        text(svg, "axis", (frame.left + right) / 2.0, frame.height - 8.0, "middle", &title);
        text(svg, "axis", frame.left, TOP - 12.0, "start", &self.y);
        for (nth, curve) in self.curves.iter().enumerate() {
            let place = |&(a, b): &(f64, f64)| format!("{:.1},{:.1}", frame.across(x.place(a)), frame.up(b / 100.0));
            let points: Vec<String> = curve.points.iter().map(place).collect();
            svg.tag("g", &[("class", &format!("series-{nth}"))], |svg| {
                svg.leaf("title", &[], &curve.name);
                polyline(svg, nth, &points.join(" "));
            });
        }
    }
}

/// A curve, whose dashes tell it from others in black and white.
fn polyline(svg: &mut Html, nth: usize, points: &str) {
    let dashes: Vec<String> = DASHES[nth % DASHES.len()].iter().map(u32::to_string).collect();
    let attributes = [
        ("points", points),
        ("fill", "none"),
        ("stroke", "currentColor"),
        ("stroke-width", "2"),
        ("stroke-dasharray", &dashes.join(" ")),
    ];
    svg.tag("polyline", &attributes, |_| {});
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_rise_within_the_axes_and_are_named() {
        let curve = |name: &str, points: &[(f64, f64)]| Curve { name: name.into(), points: points.to_vec() };
        let curves = Curves {
            label: "delays".into(),
            x: ("delay".into(), "s".into()),
            y: "share, %".into(),
            curves: vec![
                curve("<f1>", &[(0.01, 0.0), (0.02, 50.0), (0.04, 100.0)]),
                curve("f2", &[(0.03, 0.0), (0.03, 100.0)]),
            ],
        };
        let html = curves.html();
        let svg = html.as_str();
        // Of each screen, and in the legend.
        assert_eq!(svg.matches("<polyline").count(), 6);
        assert!(svg.contains("stroke-dasharray"), "the second is told from the first without colours");
        assert!(svg.contains("delay, ms") && svg.contains("&lt;f1&gt;") && !svg.contains("NaN"));
        let none = Curves { curves: Vec::new(), ..curves };
        assert!(none.html().is_empty());
    }
}
