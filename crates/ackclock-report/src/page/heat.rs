//! A map of means over two parameters: the darker, the more. Drawn as SVG; where cells have room their values stand in them, so that
//! nothing is told by shades alone.

use super::html::Html;
use super::number::{Scale, fixed};
use super::scatter::text;

/// A map of means over two parameters.
#[derive(Clone, Debug)]
pub struct HeatMap {
    /// Of what it is, beside other maps; it stands above. May be empty.
    pub title: String,
    /// What is shown: a name and a unit as in [`Scale::fitting`].
    pub of: (String, String),
    /// Left to right: what it is, and its values.
    pub x: (String, Vec<String>),
    /// Bottom to top.
    pub y: (String, Vec<String>),
    /// At most one for each pair of values.
    pub cells: Vec<Cell>,
}

/// A mean.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The number of its value from left to right.
    pub x: usize,
    /// That from bottom to top.
    pub y: usize,
    /// The mean.
    pub mean: f64,
    /// Where a link on it leads.
    pub href: String,
    /// What it is, in a few words.
    pub about: String,
}

impl HeatMap {
    /// The map in HTML.
    pub fn html(&self) -> Html {
        let mut html = Html::new();
        let (view, label) =
            (format!("0 0 {WIDTH} {HEIGHT}"), format!("{} over {} and {}", self.of.0, self.x.0, self.y.0));
        let attributes = [("viewBox", view.as_str()), ("class", "scatter"), ("role", "img"), ("aria-label", &label)];
        html.tag("figure", &[], |html| {
            if !self.title.is_empty() {
                html.leaf("figcaption", &[], &self.title);
            }
            html.tag("svg", &attributes, |svg| self.draw(svg));
        });
        html
    }

    fn draw(&self, svg: &mut Html) {
        let means = || self.cells.iter().map(|cell| cell.mean);
        let (low, high) = (means().fold(f64::INFINITY, f64::min), means().fold(f64::NEG_INFINITY, f64::max));
        if low > high {
            return;
        }
        let scale = Scale::fitting(high.abs(), &self.of.1);
        let decimals = decimals((high - low).max(high.abs() * 1e-3) * scale.factor);
        let shown = |mean: f64| fixed(mean * scale.factor, decimals);
        let (columns, rows) = (self.x.1.len() as f64, self.y.1.len() as f64);
        let letters = |labels: &[String]| labels.iter().map(|label| label.chars().count()).max().unwrap_or(0) as f64;
        let left = (letters(&self.y.1) * LETTER + 14.0).clamp(40.0, WIDTH / 2.0);
        let (width, height) = ((WIDTH - left - RIGHT) / columns, (HEIGHT - TOP - BOTTOM) / rows);
        let has_room = width >= 38.0 && height >= 15.0;
        for cell in &self.cells {
            let (x, y) = (left + cell.x as f64 * width, HEIGHT - BOTTOM - (cell.y + 1) as f64 * height);
            let shade = if high > low { (cell.mean - low) / (high - low) } else { 0.0 };
            let [from, top, wide, tall] = [x, y, width, height].map(|number| format!("{number:.1}"));
            svg.tag("a", &[("href", &cell.href), ("class", "series-0")], |svg| {
                svg.leaf("title", &[], &format!("{}: {} {}", cell.about, shown(cell.mean), scale.unit));
                let attributes = [
                    ("x", from.as_str()),
                    ("y", &top),
                    ("width", &wide),
                    ("height", &tall),
                    ("fill", "currentColor"),
                    ("fill-opacity", &format!("{:.3}", LIGHTEST + (DARKEST - LIGHTEST) * shade)),
                    ("stroke", "currentColor"),
                    ("stroke-opacity", "0.25"),
                ];
                svg.tag("rect", &attributes, |_| {});
                if has_room {
                    text(svg, "axis", x + width / 2.0, y + height / 2.0 + 4.5, "middle", &shown(cell.mean));
                }
            });
        }
        // Of many values some are written.
        let every = |count: usize, room: f64, needed: f64| ((needed * count as f64 / room).ceil() as usize).max(1);
        let each = every(self.x.1.len(), WIDTH - left - RIGHT, letters(&self.x.1) * LETTER + 8.0);
        for (nth, label) in self.x.1.iter().enumerate().step_by(each) {
            text(svg, "tick", left + (nth as f64 + 0.5) * width, HEIGHT - BOTTOM + 18.0, "middle", label);
        }
        for (nth, label) in self.y.1.iter().enumerate().step_by(every(self.y.1.len(), HEIGHT - TOP - BOTTOM, 16.0)) {
            text(svg, "tick", left - 6.0, HEIGHT - BOTTOM - (nth as f64 + 0.5) * height + 4.5, "end", label);
        }
        let unit = if scale.unit.is_empty() { String::new() } else { format!(", {}", scale.unit) };
        let range = format!("{}{unit}: {} (light) to {} (dark)", self.of.0, shown(low), shown(high));
        text(svg, "axis", left, TOP - 24.0, "start", &range);
        text(svg, "axis", left, TOP - 7.0, "start", &self.y.0);
        text(svg, "axis", (left + WIDTH - RIGHT) / 2.0, HEIGHT - 8.0, "middle", &self.x.0);
    }
}

/// Enough decimals to tell a hundredth of the range.
fn decimals(range: f64) -> usize {
    (2.0 - range.log10().floor()).clamp(0.0, 6.0) as usize
}

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 380.0;
/// Room for a letter or a digit.
const LETTER: f64 = 7.8;
const RIGHT: f64 = 12.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 48.0;
/// How much of the colour the least and the largest mean have: words on both can be read.
const LIGHTEST: f64 = 0.04;
const DARKEST: f64 = 0.6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_has_a_cell_with_its_value_and_the_largest_is_the_darkest() {
        let cell = |x, y, mean| Cell { x, y, mean, href: format!("#point-{x}-{y}"), about: "<a>".into() };
        let mut map = HeatMap {
            title: String::new(),
            of: ("Goodput".into(), "bit/s".into()),
            x: ("queue.buffer".into(), vec!["1 bdp".into(), "2 bdp".into()]),
            y: ("rate".into(), vec!["1 Mbps".into()]),
            cells: vec![cell(0, 0, 1e6), cell(1, 0, 2.5e6)],
        };
        let html = map.html();
        let svg = html.as_str();
        assert!(
            svg.contains("Goodput, Mb/s: 1.00 (light) to 2.50 (dark)") && svg.contains("&lt;a&gt;: 2.50 Mb/s"),
            "{svg}"
        );
        assert!(svg.contains("fill-opacity=\"0.040\"") && svg.contains("fill-opacity=\"0.600\""));
        assert_eq!((svg.matches("<rect").count(), svg.matches(">2.50</text>").count()), (2, 1));
        // Equal values, and none.
        map.cells.truncate(1);
        assert!(!map.html().as_str().contains("NaN"));
        map.cells.clear();
        assert!(!map.html().as_str().contains("<rect"));
    }

    #[test]
    fn decimals_tell_a_hundredth_of_the_range() {
        assert_eq!([150.0, 1.5, 0.02, 0.0].map(decimals), [0, 2, 4, 6]);
    }
}
