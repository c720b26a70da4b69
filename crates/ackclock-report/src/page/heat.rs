//! A map of means over two parameters: the darker, the more. Where cells have room their values stand in them, so that
//! nothing is told by shades alone.

use super::drawing::{Anchor, Drawing, Letters};
use super::html::Html;
use super::number::{Scale, fixed};
use super::svg::{self, Screen};

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
    /// Where a link on it leads; empty for none.
    pub href: String,
    /// What it is, in a few words.
    pub about: String,
}

impl HeatMap {
    /// The map in HTML.
    pub fn html(&self) -> Html {
        let mut html = Html::new();
        let label = format!("{} over {} and {}", self.of.0, self.x.0, self.y.0);
        html.tag("figure", &[], |html| {
            if !self.title.is_empty() {
                html.leaf("figcaption", &[], &self.title);
            }
            svg::on_page(html, &label, |screen, svg| {
                let [width, height] = screen.pick([640.0, 360.0], [350.0, 330.0]);
                // A phone gets the picture of a large map, whose cells it could not tell apart, without links.
                let map = match screen {
                    Screen::Narrow if self.cells.len() > MOST_LINKED => &self.unlinked(),
                    _ => self,
                };
                svg.tag("g", &[("class", "series-0")], |svg| svg::draw(&map.drawing(width, height), svg));
                [width, height]
            });
        });
        html
    }

    fn unlinked(&self) -> HeatMap {
        let mut map = self.clone();
        map.cells.iter_mut().for_each(|cell| cell.href.clear());
        map
    }

    /// The map, so wide and high.
    pub(super) fn drawing(&self, wide: f64, high: f64) -> Drawing {
        let mut drawing = Drawing::default();
        let means = || self.cells.iter().map(|cell| cell.mean);
        let (low, largest) = (means().fold(f64::INFINITY, f64::min), means().fold(f64::NEG_INFINITY, f64::max));
        if low > largest {
            return drawing;
        }
        let scale = Scale::fitting(largest.abs(), &self.of.1);
        let decimals = decimals((largest - low).max(largest.abs() * 1e-3) * scale.factor);
        let shown = |mean: f64| fixed(mean * scale.factor, decimals);
        let left = (longest(&self.y.1) * LETTER + 14.0).clamp(40.0, wide / 2.0);
        let (columns, rows) = (self.x.1.len() as f64, self.y.1.len() as f64);
        let size = [(wide - left - RIGHT) / columns, (high - TOP - BOTTOM) / rows];
        let corner = |x: usize, y: usize| [left + x as f64 * size[0], high - BOTTOM - (y + 1) as f64 * size[1]];
        if self.cells.iter().all(|cell| cell.href.is_empty()) && self.cells.len() > MOST_SINGLE {
            self.runs([low, largest], corner, size, &mut drawing);
        } else {
            for cell in &self.cells {
                let [x, y] = corner(cell.x, cell.y);
                let about = || format!("{}: {} {}", cell.about, shown(cell.mean), scale.unit);
                let link = (!cell.href.is_empty()).then(|| (cell.href.clone(), about()));
                drawing.cells(
                    shade(share(cell.mean, low, largest)),
                    vec![[x, y, size[0], size[1]]],
                    size[0] > 4.0,
                    link,
                );
            }
        }
        let digits = means().map(|mean| shown(mean).chars().count()).max().unwrap_or(0) as f64;
        if size[0] >= digits * LETTER && size[1] >= 15.0 {
            for cell in &self.cells {
                let [x, y] = corner(cell.x, cell.y);
                let middle = [x + size[0] / 2.0, y + size[1] / 2.0 + 4.5];
                drawing.text(Letters::Axis, middle, Anchor::Middle, &shown(cell.mean));
            }
        }
        self.axes(left, [wide, high], size, &mut drawing);
        let unit = if scale.unit.is_empty() { String::new() } else { format!(", {}", scale.unit) };
        let range = format!("{}{unit}: {} (light) to {} (dark)", self.of.0, shown(low), shown(largest));
        drawing.text(Letters::Axis, [MARGIN, TOP - 24.0], Anchor::Start, &range);
        drawing
    }

    /// Cells without links in few shades, neighbours of one shade together: a map may have a hundred thousand.
    fn runs(
        &self,
        [low, largest]: [f64; 2],
        corner: impl Fn(usize, usize) -> [f64; 2],
        [width, height]: [f64; 2],
        drawing: &mut Drawing,
    ) {
        let level = |cell: &Cell| (share(cell.mean, low, largest) * (SHADES - 1) as f64).round() as usize;
        let mut cells: Vec<(usize, usize, usize)> =
            self.cells.iter().map(|cell| (cell.y, cell.x, level(cell))).collect();
        cells.sort_unstable();
        let mut of_level: Vec<Vec<[f64; 4]>> = vec![Vec::new(); SHADES];
        for run in cells.chunk_by(|a, b| a.0 == b.0 && a.1 + 1 == b.1 && a.2 == b.2) {
            let (row, column, level) = run[0];
            let [x, y] = corner(column, row);
            of_level[level].push([x, y, width * run.len() as f64, height]);
        }
        for (level, cells) in of_level.into_iter().enumerate().filter(|(_, cells)| !cells.is_empty()) {
            drawing.cells(shade(level as f64 / (SHADES - 1) as f64), cells, false, None);
        }
    }

    /// What the axes are, and their values; of many values some.
    fn axes(&self, left: f64, [wide, high]: [f64; 2], [width, height]: [f64; 2], drawing: &mut Drawing) {
        let every = |count: usize, room: f64, needed: f64| ((needed * count as f64 / room).ceil() as usize).max(1);
        let each = every(self.x.1.len(), wide - left - RIGHT, longest(&self.x.1) * LETTER + 8.0);
        for (nth, label) in self.x.1.iter().enumerate().step_by(each) {
            let place = [left + (nth as f64 + 0.5) * width, high - BOTTOM + 18.0];
            drawing.text(Letters::Tick, place, Anchor::Middle, label);
        }
        for (nth, label) in self.y.1.iter().enumerate().step_by(every(self.y.1.len(), high - TOP - BOTTOM, 18.0)) {
            let place = [left - 6.0, high - BOTTOM - (nth as f64 + 0.5) * height + 4.5];
            drawing.text(Letters::Tick, place, Anchor::End, label);
        }
        drawing.text(Letters::Axis, [MARGIN, TOP - 7.0], Anchor::Start, &self.y.0);
        drawing.text(Letters::Axis, [(left + wide - RIGHT) / 2.0, high - 8.0], Anchor::Middle, &self.x.0);
    }
}

fn longest(labels: &[String]) -> f64 {
    labels.iter().map(|label| label.chars().count()).max().unwrap_or(0) as f64
}

/// Where a mean lies between the least and the largest: 0 to 1.
fn share(mean: f64, low: f64, largest: f64) -> f64 {
    if largest > low { (mean - low) / (largest - low) } else { 0.0 }
}

/// How much of the colour a cell has.
fn shade(share: f64) -> f64 {
    LIGHTEST + (DARKEST - LIGHTEST) * share
}

/// Enough decimals to tell a hundredth of the range.
fn decimals(range: f64) -> usize {
    (2.0 - range.log10().floor()).clamp(0.0, 6.0) as usize
}

/// Room for a letter or a digit.
const LETTER: f64 = 8.4;
const RIGHT: f64 = 12.0;
/// Where words above the map begin.
const MARGIN: f64 = 8.0;
/// More links are no use on a phone.
const MOST_LINKED: usize = 400;
/// More cells without links are put together.
const MOST_SINGLE: usize = 2000;
/// In so many shades.
const SHADES: usize = 64;
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
        let svg = svg::of_wide(&map.html());
        assert!(
            svg.contains("Goodput, Mb/s: 1.00 (light) to 2.50 (dark)") && svg.contains("&lt;a&gt;: 2.50 Mb/s"),
            "{svg}"
        );
        assert!(svg.contains("fill-opacity=\"0.04\"") && svg.contains("fill-opacity=\"0.6\""));
        assert_eq!((svg.matches("<path").count(), svg.matches(">2.50</text>").count()), (2, 1));
        // Equal values, and none.
        map.cells.truncate(1);
        assert!(!map.html().as_str().contains("NaN"));
        map.cells.clear();
        assert!(!map.html().as_str().contains("<path"));
    }

    #[test]
    fn decimals_tell_a_hundredth_of_the_range() {
        assert_eq!([150.0, 1.5, 0.02, 0.0].map(decimals), [0, 2, 4, 6]);
    }
}
