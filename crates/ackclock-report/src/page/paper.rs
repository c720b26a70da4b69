//! Plots as files for a paper: below each other with one legend, as wide as a column, read in black and white.

mod pdf;

use super::bands::{Bands, Frame, LEFT};
use super::dots::Dots;
use super::drawing::{Anchor, Drawing, Letters};
use super::heat::HeatMap;
use super::svg;

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

/// Plots as SVG, all below each other.
pub fn svg_file(plots: &[Plot]) -> String {
    let (drawing, height) = column(plots);
    svg::file(&drawing, [Frame::PAPER.width, height], pdf::COLUMN)
}

/// Plots as PDF, with as many on a page as a column has room for.
pub fn pdf_file(plots: &[Plot]) -> Vec<u8> {
    let pages: Vec<(Drawing, f64)> = plots.chunks(ON_A_PAGE).map(column).collect();
    pdf::file(&pages, Frame::PAPER.width, pdf::COLUMN)
}

/// Whether the font of PDF files has all characters of a text; those that it does not have become question marks.
pub fn pdf_has(words: &str) -> bool {
    pdf::has(words)
}

/// Plots below each other with one legend: a drawing, and its height.
fn column(plots: &[Plot]) -> (Drawing, f64) {
    let mut drawing = Drawing::default();
    let mut y = 0.0;
    let title = plots.first().map_or("", Plot::title);
    if !title.is_empty() {
        drawing.text(Letters::Axis, [LEFT, 18.0], Anchor::Start, title);
        y += 24.0;
    }
    for plot in plots {
        let height = match plot {
            Plot::Bands(bands) => {
                drawing.append(bands.drawing(Frame::PAPER), y);
                Frame::PAPER.height
            }
            Plot::Map(map) => {
                drawing.append(map.drawing(Frame::PAPER.width, MAP_HEIGHT), y);
                MAP_HEIGHT
            }
            Plot::Dots(dots) => {
                let (dots, height) = dots.drawing(Frame::PAPER.width);
                drawing.append(dots, y);
                height
            }
        };
        y += height;
    }
    let bands = || plots.iter().filter_map(|plot| if let Plot::Bands(bands) = plot { Some(bands) } else { None });
    y += 10.0;
    if let Some(first) = bands().next() {
        for (nth, curve) in first.curves.iter().enumerate().filter(|_| first.curves.len() > 1) {
            drawing.append(first.sample(nth, LEFT, 0.0, 44.0), y);
            drawing.text(Letters::Axis, [LEFT + 54.0, y + 4.5], Anchor::Start, &curve.name);
            y += 20.0;
        }
    }
    if bands().any(Bands::goes_beyond) {
        drawing.beyond(0, [LEFT + 22.0, y - 4.0], true, String::new());
        drawing.text(Letters::Axis, [LEFT + 54.0, y + 4.5], Anchor::Start, "the interval goes on beyond the axis");
        y += 20.0;
    }
    (drawing, y)
}

impl Plot {
    fn title(&self) -> &str {
        match self {
            Plot::Bands(bands) => &bands.title,
            Plot::Map(map) => &map.title,
            Plot::Dots(_) => "",
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
        for file in [svg_file(&plots()).into_bytes(), pdf_file(&plots())] {
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
        let svg = svg_file(&[map(3, 2)]);
        assert_eq!(svg.matches("<path").count(), 6, "{svg}");
        assert!(svg.contains("Goodput, b/s: 0") && svg.contains("rate, Mb/s"));
        let large = svg_file(&[map(200, 100)]);
        assert!(large.matches("<path").count() <= 64 && large.len() < 150_000, "{} octets", large.len());
        assert!(is_figure(&pdf_file(&[map(3, 2)])));
        let pages = |count: usize| {
            let pdf = pdf_file(&vec![map(3, 2); count]);
            String::from_utf8_lossy(&pdf).matches("/Type /Page\n").count()
        };
        assert_eq!([1, 4, 5, 9].map(pages), [1, 1, 2, 3]);
    }

    /// As publishers check it: each font has its program in the file; letters of 8 points, lines of .8, a column of 3.5 inches.
    #[test]
    fn fonts_are_embedded_and_letters_and_lines_have_the_size_of_a_paper() {
        let pdf = pdf_file(&plots());
        let text = String::from_utf8_lossy(&pdf).into_owned();
        let count = |words: &str| text.matches(words).count();
        assert_eq!((count("/Type /Font\n"), count("/Type /FontDescriptor"), count("/FontFile2 7 0 R")), (1, 1, 1));
        // The program itself: as long as it says, and a font of TrueType.
        let length: usize = text.split("/Length1 ").nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap();
        let object = pdf.windows(7).position(|window| window == b"7 0 obj").unwrap();
        let stream = object + pdf[object..].windows(7).position(|window| window == b"stream\n").unwrap() + 7;
        assert_eq!(&pdf[stream..stream + 4], &[0, 1, 0, 0]);
        assert!(pdf[stream + length..].starts_with(b"\nendstream"));
        let scale: f64 = pdf::COLUMN / Frame::PAPER.width;
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
    fn every_text_of_the_svg_is_in_the_pdf_and_offsets_are_right() {
        let pdf = pdf_file(&plots());
        assert!(pdf.starts_with(b"%PDF-1.7") && pdf.ends_with(b"%%EOF"));
        let has = |words: &[u8]| pdf.windows(words.len()).any(|window| window == words);
        // What is not ASCII is written in hexadecimal: µ is one octet of Latin-1, and the arrow has a code of its own.
        assert!(
            has(b"(reno)") && has(b"<766567617320802061>") && has(b"(Goodput, Mb/s)") && has(b"<2831303020B57329>")
        );
        let svg = svg_file(&plots());
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
