//! Means of things that are no numbers, as names of TCPs: a row for each, with a bar for its interval. As SVG in a page, and for a
//! paper.

use super::drawing::{Anchor, Drawing, Letters};
use super::html::Html;
use super::number::fixed;
use super::scatter::Axis;
use super::svg::{self, Screen, shortened};

/// One plot.
#[derive(Clone, Debug)]
pub struct Dots {
    /// What is shown: a name and a unit as in [`super::number::Scale::fitting`].
    pub of: (String, String),
    /// From top to bottom.
    pub rows: Vec<Dot>,
}

/// A row of the plot.
#[derive(Clone, Debug)]
pub struct Dot {
    /// What it is of.
    pub name: String,
    /// The mean, if there is one.
    pub mean: Option<f64>,
    /// The ends of its interval.
    pub interval: Option<(f64, f64)>,
    /// Where a link on it leads; empty for none.
    pub href: String,
}

impl Dots {
    /// The plot in HTML.
    pub fn html(&self) -> Html {
        let mut html = Html::new();
        html.tag("figure", &[], |html| {
            svg::on_page(html, &self.of.0, |screen, svg| {
                let width = Screen::pick(screen, 640.0, 350.0);
                let (drawing, height) = self.drawing(width);
                svg::draw(&drawing, svg);
                [width, height]
            });
        });
        html
    }

    /// The plot, so many points wide, and its height.
    pub(super) fn drawing(&self, width: f64) -> (Drawing, f64) {
        let mut drawing = Drawing::default();
        let bottom = TOP + ROW * self.rows.len() as f64;
        let room = ((0.5 * width - MARGIN) / LETTER) as usize;
        let longest = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).min(room);
        let left = MARGIN + LETTER * longest as f64;
        // An interval of few seeds that is longer than its mean would flatten all else: it ends at the edge.
        let fits = |mean: f64, end: f64| (end - mean).abs() <= mean.abs();
        let values = self.rows.iter().filter_map(|row| Some((row.mean?, row.interval))).flat_map(|(mean, interval)| {
            let ends = interval.map(|(low, high)| [low, high]).into_iter().flatten();
            std::iter::once(mean).chain(ends.filter(move |end| fits(mean, *end)))
        });
        let values: Vec<f64> = values.collect();
        if values.is_empty() {
            return (drawing, bottom + BOTTOM);
        }
        let axis = Axis::of(values.into_iter(), &self.of.1);
        let at = |value: f64| left + (width - RIGHT - left) * axis.place(value);
        for tick in &axis.ticks {
            let x = left + (width - RIGHT - left) * axis.place_scaled(*tick);
            drawing.grid([x, TOP, x, bottom]);
            drawing.text(Letters::Tick, [x, bottom + 17.0], Anchor::Middle, &fixed(*tick, axis.decimals));
        }
        let unit = if axis.scale.unit.is_empty() { String::new() } else { format!(", {}", axis.scale.unit) };
        drawing.text(Letters::Axis, [left, TOP - 10.0], Anchor::Start, &format!("{}{unit}", self.of.0));
        for (nth, row) in self.rows.iter().enumerate() {
            let y = TOP + ROW * (nth as f64 + 0.5);
            let name = shortened(&row.name, longest);
            drawing.text(Letters::Tick, [left - 9.0, y + 4.5], Anchor::End, &name);
            let Some(mean) = row.mean else { continue };
            drawing.begin_series(0, &row.name);
            if let Some((low, high)) = row.interval {
                drawing.bar(0, [[at(low), y], [at(high), y]]);
                for (end, tip) in [(low, left), (high, width - RIGHT)] {
                    if !(-1e-9..=1.0 + 1e-9).contains(&axis.share(end)) {
                        drawing.text(Letters::Tick, [tip, y - 4.0], Anchor::Middle, if end < mean { "<" } else { ">" });
                    }
                }
            }
            let link = (!row.href.is_empty()).then(|| (row.href.clone(), row.name.clone()));
            drawing.mark(0, [at(mean), y], link);
            drawing.end_series();
        }
        (drawing, bottom + BOTTOM)
    }
}

const TOP: f64 = 34.0;
const BOTTOM: f64 = 30.0;
const RIGHT: f64 = 18.0;
const MARGIN: f64 = 16.0;
const ROW: f64 = 21.0;
const LETTER: f64 = 8.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_its_name_its_mean_and_its_interval() {
        let row = |name: &str, mean: Option<f64>| Dot {
            name: name.into(),
            mean,
            interval: mean.map(|mean| (mean - 1e6, mean + if mean > 8e6 { 9e9 } else { 1e6 })),
            href: "#point-1".into(),
        };
        let rows = vec![row("<cubic>", Some(9e6)), row("reno", Some(5e6)), row("failed", None)];
        let html = Dots { of: ("goodput".into(), "bit/s".into()), rows }.html();
        let svg = &svg::of_wide(&html);
        assert!(svg.contains("goodput, Mb/s") && svg.contains("&lt;cubic&gt;") && svg.contains(">failed</text>"));
        assert_eq!((svg.matches("class=\"bar\"").count(), svg.matches("<a href=\"#point-1\"").count()), (2, 2));
        assert!(svg.contains(">&gt;</text>"), "an interval that goes on beyond the axis says so");
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn nothing_to_draw_is_an_empty_plot() {
        assert!(!Dots { of: (String::new(), String::new()), rows: Vec::new() }.html().as_str().contains("NaN"));
    }
}
