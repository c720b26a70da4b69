//! Curves of shares over a quantity, such as distributions. Drawn here, as SVG: it needs no script, and prints as sharply as
//! text.

use super::html::Html;
use super::number::fixed;
use super::scatter::{Axis, BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, line, text};

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

/// One curve.
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
        let across = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * value;
        let up = |share: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share / 100.0;
        html.leaf("p", &[("class", "note")], &self.label);
        let view = format!("0 0 {WIDTH} {HEIGHT}");
        let attributes =
            [("viewBox", view.as_str()), ("class", "scatter"), ("role", "img"), ("aria-label", &self.label)];
        html.tag("svg", &attributes, |svg| {
            for tick in &x.ticks {
                let at = across(x.place_scaled(*tick));
                line(svg, "grid", [at, TOP, at, HEIGHT - BOTTOM]);
                text(svg, "tick", at, HEIGHT - BOTTOM + 18.0, "middle", &fixed(*tick, x.decimals));
            }
            for share in [0.0, 25.0, 50.0, 75.0, 95.0] {
                line(svg, "grid", [LEFT, up(share), WIDTH - RIGHT, up(share)]);
                text(svg, "tick", LEFT - 6.0, up(share) + 4.5, "end", &fixed(share, 0));
            }
            let title = format!("{}, {}", self.x.0, x.scale.unit);
            text(svg, "axis", (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8.0, "middle", &title);
            text(svg, "axis", LEFT, TOP - 12.0, "start", &self.y);
            for (nth, curve) in self.curves.iter().enumerate() {
                let points: Vec<String> =
                    curve.points.iter().map(|&(a, b)| format!("{:.1},{:.1}", across(x.place(a)), up(b))).collect();
                let (class, points) = (format!("series-{nth}"), points.join(" "));
                svg.tag("g", &[("class", &class)], |svg| {
                    svg.leaf("title", &[], &curve.name);
                    let attributes = [
                        ("points", points.as_str()),
                        ("fill", "none"),
                        ("stroke", "currentColor"),
                        ("stroke-width", "2"),
                    ];
                    svg.tag("polyline", &attributes, |_| {});
                });
            }
        });
        html.tag("ul", &[("class", "letters")], |html| {
            for (nth, curve) in self.curves.iter().enumerate() {
                html.leaf("li", &[("class", &format!("series-{nth}"))], &curve.name);
            }
        });
        html
    }
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
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains("delay, ms") && svg.contains("&lt;f1&gt;") && !svg.contains("NaN"));
        let none = Curves { curves: Vec::new(), ..curves };
        assert!(none.html().is_empty());
    }
}
