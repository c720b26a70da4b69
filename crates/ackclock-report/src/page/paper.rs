//! Plots as files for a paper: below each other with one legend, as wide as a column, read in black and white.

use super::bands::{Bands, WIDTH, column};
use super::{pdf, svg};

/// Plots as SVG.
pub fn svg_file(plots: &[Bands]) -> String {
    let (drawing, height) = column(plots);
    svg::file(&drawing, [WIDTH, height], COLUMN)
}

/// Plots as PDF.
pub fn pdf_file(plots: &[Bands]) -> Vec<u8> {
    let (drawing, height) = column(plots);
    pdf::file(&drawing, [WIDTH, height], COLUMN)
}

/// Whether a file that begins so is one of these figures.
pub fn is_figure(head: &[u8]) -> bool {
    let has = |words: &str| head.windows(words.len()).any(|window| window == words.as_bytes());
    (head.starts_with(b"<svg ") && has(svg::MARK))
        || (head.starts_with(b"%PDF-") && has(&format!("({})", pdf::PRODUCER)))
}

/// 3.4 inches, in points of PostScript.
const COLUMN: f64 = 245.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::bands::{BandCurve, BandPoint};

    fn plots() -> Vec<Bands> {
        let point = |x: f64| BandPoint {
            x,
            mean: x * 1e6,
            interval: Some((x * 0.9e6, x * 1.1e6)),
            href: String::new(),
            about: String::new(),
        };
        let curve = |name: &str| BandCurve { name: name.into(), points: vec![point(1.0), point(2.0), point(3.0)] };
        let plot = |joined| Bands {
            title: "(100 µs)".into(),
            x: ("queue.buffer".into(), "bdp".into()),
            logarithmic: false,
            y: ("Goodput".into(), "bit/s".into()),
            reach: vec![0.0],
            joined,
            curves: vec![curve("reno"), curve("vegas → a"), curve("sack"), curve("d")],
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

    #[test]
    fn every_text_of_the_svg_is_in_the_pdf_and_offsets_are_right() {
        let pdf = pdf_file(&plots());
        assert!(pdf.starts_with(b"%PDF-1.7") && pdf.ends_with(b"%%EOF"));
        let has = |words: &[u8]| pdf.windows(words.len()).any(|window| window == words);
        // What is not ASCII is written in hexadecimal: µ is one octet of Latin-1.
        assert!(has(b"(reno)") && has(b"(vegas ? a)") && has(b"(Goodput, Mb/s)") && has(b"<2831303020B57329>"));
        let svg = svg_file(&plots());
        let count = |words: &[u8]| pdf.windows(words.len()).filter(|window| *window == words).count();
        assert_eq!(count(b"Tj"), svg.matches("<text").count());
        // Each object begins where the table of references says.
        let text = String::from_utf8_lossy(&pdf).into_owned();
        assert_eq!(text.matches(" 0 obj").count(), 7);
        let table = pdf.windows(4).rposition(|window| window == b"xref").unwrap();
        let start = pdf.windows(9).rposition(|window| window == b"startxref").unwrap();
        let said: usize = std::str::from_utf8(&pdf[start + 9..pdf.len() - 5]).unwrap().trim().parse().unwrap();
        assert!(said < pdf.len() && pdf[said..].starts_with(b"xref") && said <= table);
    }
}
