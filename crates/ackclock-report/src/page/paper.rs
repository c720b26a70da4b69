//! Plots as files for a paper: below each other with one legend, as wide as a column, read in black and white.

mod pdf;

use super::bands::{Bands, Frame, LEFT};
use super::dots::Dots;
pub use super::drawing::Colour;
use super::drawing::{Anchor, Drawing, Element, Letters, Place};
use super::heat::HeatMap;
use super::svg;
use pdf::COLUMN;

/// A plot of a figure.
#[derive(Clone, Debug)]
pub enum Plot {
    /// Curves or points with intervals.
    Bands(Bands),
    /// A map.
    Map(HeatMap),
    /// Means of things that are no numbers.
    Dots(Dots),
}

/// How a figure looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// How wide it is, in points of 1/72 inch.
    pub width_pt: f64,
    /// How high it is; without it each plot has a height of its own.
    pub height_pt: Option<f64>,
    /// What stands above it, in the place of the title of the first plot.
    pub title: Option<String>,
    /// The colours of curves by their names; the others are black.
    pub colours: Vec<Colour>,
}

impl Default for Look {
    /// As wide as a column, black on white.
    fn default() -> Look {
        Look { width_pt: COLUMN, height_pt: None, title: None, colours: Vec::new() }
    }
}

/// A figure has no room for its plots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooLow {
    /// The least height, in points.
    pub least_pt: f64,
}

/// A name that stands in a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// As it stands there.
    pub text: String,
    /// What else it may be called.
    pub also: Vec<String>,
    /// What it is the name of.
    pub of: Of,
}

/// What has a name in a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Of {
    /// What is drawn over the axis.
    Number,
    /// An axis.
    Axis,
    /// Means in a row of their own.
    Row,
    /// A curve, which may have a colour.
    Curve,
}

/// Plots as SVG, all below each other. Texts that are wider than the figure are shortened.
pub fn svg_file(plots: &[Plot], look: &Look) -> Result<String, TooLow> {
    let (drawing, height) = column(plots, look)?;
    Ok(svg::file(&drawing, [look.width(), height], look.width_pt, &look.colours))
}

/// Plots as PDF, with as many on a page as a column has room for, unless the height is given.
pub fn pdf_file(plots: &[Plot], look: &Look) -> Result<Vec<u8>, TooLow> {
    let on_a_page = if look.height_pt.is_some() { plots.len().max(1) } else { ON_A_PAGE };
    let pages: Result<Vec<_>, _> = plots.chunks(on_a_page).map(|plots| column(plots, look)).collect();
    Ok(pdf::file(&pages?, look.width(), look.width_pt, &look.colours))
}

/// Whether the font of PDF files has all characters of a text; those that it does not have become question marks.
pub fn pdf_has(words: &str) -> bool {
    pdf::has(words)
}

/// How wide a figure is that has room for all texts, in points, where one has not.
pub fn wide_enough_pt(plots: &[Plot], look: &Look) -> Option<f64> {
    let (drawing, _) = uncut(plots, look).ok()?;
    let lack = |element: &Element| match element {
        Element::Text { place, anchor, words, .. } => pdf::width(words) - room(*place, *anchor, look.width()),
        _ => 0.0,
    };
    let lack = drawing.elements.iter().filter(|element| is_words(element)).map(lack).fold(0.0, f64::max);
    (lack > 0.0).then(|| look.width_pt + lack * look.scale())
}

/// Plots below each other, with a legend below those that have the same curves: a drawing, and its height. Texts that have no room are
/// shortened.
fn column(plots: &[Plot], look: &Look) -> Result<(Drawing, f64), TooLow> {
    let (mut drawing, height) = uncut(plots, look)?;
    for element in drawing.elements.iter_mut().filter(|element| is_words(element)) {
        if let Element::Text { place, anchor, words, .. } = element {
            *words = fitting(words, room(*place, *anchor, look.width()));
        }
    }
    Ok((drawing, height))
}

/// Numbers are not shortened: they would be others.
fn is_words(element: &Element) -> bool {
    matches!(element, Element::Text { words, .. } if words.contains(char::is_alphabetic))
}

/// How wide a text may be at its place.
fn room([x, _]: Place, anchor: Anchor, width: f64) -> f64 {
    match anchor {
        Anchor::Start => width - x - MARGIN,
        Anchor::Middle => 2.0 * (x.min(width - x) - MARGIN),
        Anchor::End => x - MARGIN,
    }
}

/// A text without so much of its middle that it is no wider than this: names differ at their ends, and units stand there.
fn fitting(words: &str, room: f64) -> String {
    if pdf::width(words) <= room {
        return words.to_owned();
    }
    let letters: Vec<char> = words.chars().collect();
    let kept = |count: usize| -> String {
        let (head, tail) = (count.div_ceil(2), count / 2);
        letters[..head].iter().chain(&['…']).chain(&letters[letters.len() - tail..]).collect()
    };
    (0..letters.len()).map(kept).take_while(|words| pdf::width(words) <= room).last().unwrap_or_else(|| kept(0))
}

fn uncut(plots: &[Plot], look: &Look) -> Result<(Drawing, f64), TooLow> {
    let mut drawing = Drawing::default();
    let width = look.width();
    let title = look.title.as_deref().unwrap_or(plots.first().map_or("", Plot::title));
    let goes_beyond = plots.iter().any(|plot| matches!(plot, Plot::Bands(bands) if bands.goes_beyond()));
    let legend = |nth: usize| {
        let is_last = plots.get(nth + 1).is_none_or(|next| next.curves() != plots[nth].curves());
        if let Plot::Bands(bands) = &plots[nth] {
            Some(bands).filter(|of| is_last && of.curves.len() > 1)
        } else {
            None
        }
    };
    let lines = (0..plots.len()).filter_map(legend).map(|bands| bands.curves.len()).sum::<usize>();
    let above = if title.is_empty() { 0.0 } else { 24.0 };
    let stretched = look.stretched(plots, above + 10.0 + LINE * (lines + usize::from(goes_beyond)) as f64)?;
    let mut y = above;
    if !title.is_empty() {
        drawing.text(Letters::Axis, [LEFT, 18.0], Anchor::Start, title);
    }
    for (place, plot) in plots.iter().enumerate() {
        let (part, height) = match plot {
            Plot::Bands(bands) => {
                let height = stretched.unwrap_or(Frame::PAPER.height);
                (bands.drawing(Frame::on_paper(width, height)), height)
            }
            Plot::Map(map) => {
                let height = stretched.unwrap_or(MAP_HEIGHT);
                (map.drawing(width, height), height)
            }
            Plot::Dots(dots) => dots.drawing(width),
        };
        drawing.append(part, y);
        y += height;
        let Some(bands) = legend(place) else { continue };
        for (nth, curve) in bands.curves.iter().enumerate() {
            drawing.begin_series(nth, &curve.name);
            drawing.append(bands.sample(nth, LEFT, 0.0, 44.0), y + 10.0);
            drawing.end_series();
            drawing.text(Letters::Axis, [LEFT + 54.0, y + 14.5], Anchor::Start, &curve.name);
            y += LINE;
        }
    }
    y += 10.0;
    if goes_beyond {
        drawing.beyond(0, [LEFT + 22.0, y - 4.0], true, String::new());
        drawing.text(Letters::Axis, [LEFT + 54.0, y + 4.5], Anchor::Start, "the interval goes on beyond the axis");
        y += LINE;
    }
    Ok((drawing, look.height_pt.map_or(y, |height| (height / look.scale()).max(y))))
}

impl Look {
    /// Points of a paper for each of a plot: letters and lines have the same size whatever that of the figure.
    fn scale(&self) -> f64 {
        COLUMN / Frame::PAPER.width
    }

    /// In points of a plot.
    fn width(&self) -> f64 {
        self.width_pt / self.scale()
    }

    /// How high each plot is that can be stretched; `others` is the height of everything around plots. `None` if plots have heights
    /// of their own.
    fn stretched(&self, plots: &[Plot], others: f64) -> Result<Option<f64>, TooLow> {
        let Some(height) = self.height_pt.map(|height| height / self.scale()) else { return Ok(None) };
        let own = |plot: &Plot| if let Plot::Dots(dots) = plot { Some(dots.drawing(self.width()).1) } else { None };
        let fixed = others + plots.iter().filter_map(own).sum::<f64>();
        let count = plots.iter().filter(|plot| own(plot).is_none()).count() as f64;
        let least = fixed + count * LEAST_HEIGHT;
        // A thousandth of a point is lost where units are converted.
        if height < least - 1e-3 {
            return Err(TooLow { least_pt: least * self.scale() });
        }
        Ok(Some((height - fixed) / count.max(1.0)))
    }
}

impl Plot {
    fn title(&self) -> &str {
        match self {
            Plot::Bands(bands) => &bands.title,
            Plot::Map(map) => &map.title,
            Plot::Dots(_) => "",
        }
    }

    /// The names that stand in it: of axes, numbers and curves or rows.
    pub fn names(&self) -> Vec<Name> {
        let name = |of: Of| move |text: &String| Name { text: text.clone(), also: Vec::new(), of };
        let (number, axis) = (name(Of::Number), name(Of::Axis));
        let mut names: Vec<Name> = match self {
            Plot::Bands(bands) => {
                let curves = bands.curves.iter().map(|curve| name(Of::Curve)(&curve.name));
                [axis(&bands.x.0), number(&bands.y.0)].into_iter().chain(curves).collect()
            }
            Plot::Map(map) => vec![axis(&map.x.0), axis(&map.y.0), number(&map.of.0)],
            Plot::Dots(dots) => {
                let rows = dots.rows.iter().map(|row| name(Of::Row)(&row.name));
                std::iter::once(number(&dots.of.0)).chain(rows).collect()
            }
        };
        names.retain(|name| !name.text.is_empty());
        names
    }

    /// The names of its curves, in their order.
    fn curves(&self) -> Vec<&str> {
        match self {
            Plot::Bands(bands) => bands.curves.iter().map(|curve| curve.name.as_str()).collect(),
            Plot::Map(_) | Plot::Dots(_) => Vec::new(),
        }
    }

    /// Puts texts in the place of names wherever these stand: each name with its text.
    pub fn rename(&mut self, texts: &[(String, String)]) {
        let names: Vec<&mut String> = match self {
            Plot::Bands(bands) => {
                let curves = bands.curves.iter_mut().map(|curve| &mut curve.name);
                [&mut bands.x.0, &mut bands.y.0].into_iter().chain(curves).collect()
            }
            Plot::Map(map) => vec![&mut map.x.0, &mut map.y.0, &mut map.of.0],
            Plot::Dots(dots) => {
                std::iter::once(&mut dots.of.0).chain(dots.rows.iter_mut().map(|row| &mut row.name)).collect()
            }
        };
        for name in names {
            if let Some((_, text)) = texts.iter().find(|(known, _)| known == name) {
                text.clone_into(name);
            }
        }
    }
}

/// Whether a file that begins so is one of these figures.
pub fn is_figure(head: &[u8]) -> bool {
    let has = |words: &str| head.windows(words.len()).any(|window| window == words.as_bytes());
    (head.starts_with(b"<svg ") && has(svg::MARK))
        || (head.starts_with(b"%PDF-") && has(&format!("({})", pdf::PRODUCER)))
}

/// Four plots with a legend are 9 to 10 inches high.
const ON_A_PAGE: usize = 4;
const MAP_HEIGHT: f64 = 330.0;
/// Of a plot, in points of its own: axes take a half of it.
const LEAST_HEIGHT: f64 = 160.0;
/// Between a text and the edge of the figure.
const MARGIN: f64 = 4.0;
/// Of the legend.
const LINE: f64 = 20.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::bands::{BandCurve, BandPoint};
    use crate::page::heat::Cell;

    fn plots() -> Vec<Plot> {
        let point = |x: f64| BandPoint {
            x,
            mean: x * 1e6,
            interval: Some((x * 0.9e6, x * 1.1e6)),
            href: String::new(),
            about: String::new(),
        };
        let curve = |name: &str| BandCurve {
            name: name.into(),
            label: String::new(),
            points: vec![point(1.0), point(2.0), point(3.0)],
        };
        let plot = |joined| {
            Plot::Bands(Bands {
                title: "(100 µs)".into(),
                x: ("queue.buffer".into(), "bdp".into()),
                logarithmic: false,
                y: ("Goodput".into(), "bit/s".into()),
                reach: vec![0.0],
                joined,
                curves: vec![curve("reno"), curve("vegas → a"), curve("sack"), curve("d")],
            })
        };
        vec![plot(true), plot(false)]
    }

    #[test]
    fn figures_are_told_from_those_of_other_programs() {
        for file in
            [svg_file(&plots(), &Look::default()).unwrap().into_bytes(), pdf_file(&plots(), &Look::default()).unwrap()]
        {
            assert!(is_figure(&file[..file.len().min(1000)]));
            assert!(!is_figure(&file[file.len() / 2..]));
        }
        assert!(!is_figure(b"%PDF-1.5 (another) ") && !is_figure(b"<svg xmlns=\"\">") && !is_figure(b""));
    }

    /// A map of three by two, and one of so many cells that they are written as runs of one shade.
    #[test]
    fn maps_are_figures_too_and_many_plots_have_several_pages() {
        let map = |columns: usize, rows: usize| {
            let cell = |n: usize| Cell {
                x: n % columns,
                y: n / columns,
                mean: (n / 7) as f64,
                href: String::new(),
                about: String::new(),
            };
            let names = |count: usize| (0..count).map(|n| n.to_string()).collect();
            Plot::Map(HeatMap {
                title: String::new(),
                of: ("Goodput".into(), "bit/s".into()),
                x: ("queue.buffer, bdp".into(), names(columns)),
                y: ("rate, Mb/s".into(), names(rows)),
                cells: (0..columns * rows).map(cell).collect(),
            })
        };
        let svg = svg_file(&[map(3, 2)], &Look::default()).unwrap();
        assert_eq!(svg.matches("<path").count(), 6, "{svg}");
        assert!(svg.contains("Goodput, b/s: 0") && svg.contains("rate, Mb/s"));
        let large = svg_file(&[map(200, 100)], &Look::default()).unwrap();
        assert!(large.matches("<path").count() <= 64 && large.len() < 150_000, "{} octets", large.len());
        assert!(is_figure(&pdf_file(&[map(3, 2)], &Look::default()).unwrap()));
        let pages = |count: usize| {
            let pdf = pdf_file(&vec![map(3, 2); count], &Look::default()).unwrap();
            String::from_utf8_lossy(&pdf).matches("/Type /Page\n").count()
        };
        assert_eq!([1, 4, 5, 9].map(pages), [1, 1, 2, 3]);
    }

    /// As publishers check it: each font has its program in the file; letters of 8 points, lines of .8, a column of 3.5 inches.
    #[test]
    fn fonts_are_embedded_and_letters_and_lines_have_the_size_of_a_paper() {
        let pdf = pdf_file(&plots(), &Look::default()).unwrap();
        let text = String::from_utf8_lossy(&pdf).into_owned();
        let count = |words: &str| text.matches(words).count();
        assert_eq!((count("/Type /Font\n"), count("/Type /FontDescriptor"), count("/FontFile2 7 0 R")), (1, 1, 1));
        // The program itself: as long as it says, and a font of TrueType.
        let length: usize = text.split("/Length1 ").nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap();
        let object = pdf.windows(7).position(|window| window == b"7 0 obj").unwrap();
        let stream = object + pdf[object..].windows(7).position(|window| window == b"stream\n").unwrap() + 7;
        assert_eq!(&pdf[stream..stream + 4], &[0, 1, 0, 0]);
        assert!(pdf[stream + length..].starts_with(b"\nendstream"));
        let scale: f64 = COLUMN / Frame::PAPER.width;
        assert!(text.contains("/MediaBox [0 0 252 "), "3.5 inches");
        let before = |operator: &str| -> Vec<f64> {
            let lines = text.lines().filter_map(|line| line.strip_suffix(operator));
            lines.filter_map(|line| line.split(' ').next_back()?.parse::<f64>().ok()).map(|size| size * scale).collect()
        };
        let (letters, lines) = (before(" Tf"), before(" w"));
        assert!(letters.len() > 10 && letters.iter().all(|size| (size - 8.0).abs() < 0.01), "{letters:?}");
        assert!(
            lines.iter().any(|width| (width - 0.8).abs() < 0.01) && lines.iter().all(|width| *width < 0.81),
            "{lines:?}"
        );
    }

    #[test]
    fn a_figure_has_the_size_and_the_colours_that_are_asked_for() {
        let colours = vec![("reno".to_owned(), [0xd5, 0x5e, 0x00])];
        let look = Look { width_pt: 518.4, height_pt: Some(432.0), title: Some("Both".into()), colours };
        let svg = svg_file(&plots(), &look).unwrap();
        assert!(svg.contains("width=\"518.4pt\" height=\"432pt\"") && svg.contains(">Both<"), "{svg}");
        // Of both plots the curve, and its piece in the legend.
        assert_eq!((svg.matches("color=\"#d55e00\"").count(), svg.matches(" color=\"#").count()), (3, 4), "{svg}");
        let pdf = String::from_utf8_lossy(&pdf_file(&plots(), &look).unwrap()).into_owned();
        assert!(pdf.contains("/MediaBox [0 0 518.4 432]") && pdf.matches("/Type /Page\n").count() == 1);
        assert!(pdf.contains("(Both)") && pdf.matches("0.8352941 0.36862746 0 rg").count() == 3, "{pdf}");
        // Two plots of 160 with a title of 24, four lines of 20 in the legend and 10 above it: 434 of .63 points.
        let low = |height: f64| svg_file(&plots(), &Look { height_pt: Some(height), ..look.clone() });
        assert!(low(274.0).is_ok());
        assert!((low(273.0).unwrap_err().least_pt - 434.0 * 0.63).abs() < 1e-9);
    }

    #[test]
    fn names_are_replaced_wherever_they_stand() {
        let mut all = plots();
        // At once: what is called d then is not what was called so before.
        let texts = [("reno", "d"), ("d", "TCP Reno")].map(|(name, text)| (name.to_owned(), text.to_owned()));
        all.iter_mut().for_each(|plot| plot.rename(&texts));
        let names: Vec<String> = all[1].names().into_iter().map(|name| name.text).collect();
        assert_eq!(names, ["queue.buffer", "Goodput", "d", "vegas → a", "sack", "TCP Reno"]);
        assert_eq!(all[0].curves()[0], "d");
    }

    /// Letters of DejaVu Sans that are 634 wide, of a thousandth of 12.7 points each: 8.05.
    #[test]
    fn texts_end_within_the_figure() {
        let text = "n".repeat(50);
        assert_eq!(fitting(&text, 402.6), text);
        // An ellipsis is 1000 wide, 12.7: within 100 points are ten letters beside it, of which five stand before it.
        assert_eq!(fitting(&text, 100.0), "nnnnn…nnnnn");
        // 2494 of `good`, 1000 of the ellipsis and 2356 of `Mb/s` are 74.3 points, with another 635 of `p` 82.4.
        assert_eq!((fitting("goodput, Mb/s", 80.0), fitting("n", 1.0)), ("good…Mb/s".into(), "…".into()));
        assert_eq!(
            [Anchor::Start, Anchor::Middle, Anchor::End].map(|end| room([100.0, 0.0], end, 400.0)),
            [296.0, 192.0, 96.0]
        );
        // 50 letters from the place of titles on, 62, and a margin of 4: 468.6 of .63 points.
        let look = Look { title: Some(text.clone()), ..Look::default() };
        let wide = wide_enough_pt(&plots(), &look).unwrap();
        assert!((wide - 295.2).abs() < 0.3, "{wide}");
        assert!(svg_file(&plots(), &look).unwrap().contains("nnn…nnn"));
        let look = Look { width_pt: wide + 0.1, ..look };
        assert!(wide_enough_pt(&plots(), &look).is_none() && svg_file(&plots(), &look).unwrap().contains(&text));
        assert!(wide_enough_pt(&plots(), &Look::default()).is_none());
    }

    #[test]
    fn every_text_of_the_svg_is_in_the_pdf_and_offsets_are_right() {
        let pdf = pdf_file(&plots(), &Look::default()).unwrap();
        assert!(pdf.starts_with(b"%PDF-1.7") && pdf.ends_with(b"%%EOF"));
        let has = |words: &[u8]| pdf.windows(words.len()).any(|window| window == words);
        // What is not ASCII is written in hexadecimal: µ is one octet of Latin-1, and the arrow has a code of its own.
        assert!(
            has(b"(reno)") && has(b"<766567617320802061>") && has(b"(Goodput, Mb/s)") && has(b"<2831303020B57329>")
        );
        let svg = svg_file(&plots(), &Look::default()).unwrap();
        let count = |words: &[u8]| pdf.windows(words.len()).filter(|window| *window == words).count();
        assert_eq!(count(b"Tj"), svg.matches("<text").count());
        // Each object begins where the table of references says.
        let text = String::from_utf8_lossy(&pdf).into_owned();
        assert_eq!(text.matches(" 0 obj").count(), 9);
        let table = pdf.windows(4).rposition(|window| window == b"xref").unwrap();
        let start = pdf.windows(9).rposition(|window| window == b"startxref").unwrap();
        let said: usize = std::str::from_utf8(&pdf[start + 9..pdf.len() - 5]).unwrap().trim().parse().unwrap();
        assert!(said < pdf.len() && pdf[said..].starts_with(b"xref") && said <= table);
    }
}
