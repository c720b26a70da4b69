//! Plots as a PDF file, for papers: black on white, with the font Helvetica that every reader of PDF has (ISO 32000-1,
//! 9.6.2.2), so that no font is looked for on the machine and every machine writes the same file.

use pdf_writer::types::LineCapStyle;
use pdf_writer::{Content, Finish as _, Name, Pdf, Rect, Ref, Str, TextStr};

use crate::page::drawing::{
    Anchor, CURVE, DASHES, Drawing, EDGE, Element, Letters, Place, SHADE, Shape, arrow, mark_of,
};

/// A file with a page for each drawing that is so many points wide and high, scaled to so wide a page, in points of PostScript.
pub(super) fn file(drawings: &[(Drawing, f64)], width: f64, on_paper: f64) -> Vec<u8> {
    let scale = (on_paper / width) as f32;
    let [catalog, pages, font, shade, info] = [1, 2, 3, 4, 5].map(Ref::new);
    let of_page = |nth: usize| [0, 1].map(|which| Ref::new(6 + 2 * nth as i32 + which));
    let mut pdf = Pdf::new();
    // First, so that the beginning of a file says whose it is.
    pdf.document_info(info).producer(TextStr(PRODUCER));
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids((0..drawings.len()).map(|nth| of_page(nth)[0])).count(drawings.len() as i32);
    pdf.type1_font(font).base_font(Name(b"Helvetica")).encoding_predefined(Name(b"WinAnsiEncoding"));
    pdf.ext_graphics(shade).non_stroking_alpha(SHADE as f32);
    for (nth, (drawing, height)) in drawings.iter().enumerate() {
        let ([page, content], height) = (of_page(nth), *height as f32 * scale);
        let mut description = pdf.page(page);
        description.parent(pages).media_box(Rect::new(0.0, 0.0, on_paper as f32, height)).contents(content);
        let mut resources = description.resources();
        resources.fonts().pair(HELVETICA, font);
        resources.ext_g_states().pair(SHADED, shade);
        resources.finish();
        description.finish();
        let mut body = Content::new();
        // From the upper left corner downwards, as plots are drawn.
        body.transform([scale, 0.0, 0.0, -scale, 0.0, height]);
        drawing.elements.iter().for_each(|element| one(element, &mut body));
        pdf.stream(content, &body.finish());
    }
    pdf.finish()
}

fn one(element: &Element, body: &mut Content) {
    match element {
        Element::Grid { from, to } | Element::Leader { from, to } => {
            body.save_state().set_stroke_gray(GRID).set_line_width(1.0);
            path(&[*from, *to], body);
            body.stroke().restore_state();
        }
        Element::Text { letters, place, anchor, words } => text(*letters, *place, *anchor, words, body),
        Element::Band { corners, .. } => {
            body.save_state().set_parameters(SHADED);
            path(corners, body);
            body.close_path().fill_nonzero().restore_state();
        }
        Element::Bar { ends, .. } => {
            body.set_line_width(EDGE as f32);
            path(ends, body);
            body.stroke();
        }
        Element::Curve { nth, points } => {
            let dashes = DASHES[nth % DASHES.len()].iter().map(|length| *length as f32);
            body.save_state().set_line_width(CURVE as f32).set_line_cap(LineCapStyle::ButtCap);
            body.set_dash_pattern(dashes, 0.0);
            path(points, body);
            body.stroke().restore_state();
        }
        Element::Beyond { tip, upwards, .. } => {
            body.save_state().set_line_width(CURVE as f32);
            path(&arrow(*tip, *upwards), body);
            body.stroke().restore_state();
        }
        Element::Cells { shade, cells, has_edges, .. } => {
            body.save_state().set_fill_gray(1.0 - *shade as f32).set_stroke_gray(EDGE_OF_CELL).set_line_width(0.5);
            for [x, y, width, height] in cells.iter().map(|cell| cell.map(|length| length as f32)) {
                body.rect(x, y, width, height);
            }
            if *has_edges {
                body.fill_nonzero_and_stroke()
            } else {
                body.fill_nonzero()
            };
            body.restore_state();
        }
        Element::Mark { nth, place, .. } => mark(*nth, *place, body),
        Element::BeginSeries { .. } | Element::EndSeries => {}
    }
}

fn path(places: &[Place], body: &mut Content) {
    for (nth, [x, y]) in places.iter().enumerate() {
        let (x, y) = (*x as f32, *y as f32);
        if nth == 0 {
            body.move_to(x, y)
        } else {
            body.line_to(x, y)
        };
    }
}

fn mark(nth: usize, [x, y]: Place, body: &mut Content) {
    let (shape, filled) = mark_of(nth);
    body.set_line_width(EDGE as f32);
    match shape {
        Shape::Polygon(corners) => {
            let corners: Vec<Place> = corners.iter().map(|[dx, dy]| [x + dx, y + dy]).collect();
            path(&corners, body);
        }
        Shape::Circle(radius) => circle([x as f32, y as f32], radius as f32, body),
    }
    body.close_path();
    if filled {
        body.fill_nonzero_and_stroke()
    } else {
        body.stroke()
    };
}

/// Four Bézier curves; the error is below 0.03 % of the radius.
fn circle([x, y]: [f32; 2], radius: f32, body: &mut Content) {
    let bend = radius * 0.552_284_8;
    body.move_to(x + radius, y);
    body.cubic_to(x + radius, y + bend, x + bend, y + radius, x, y + radius);
    body.cubic_to(x - bend, y + radius, x - radius, y + bend, x - radius, y);
    body.cubic_to(x - radius, y - bend, x - bend, y - radius, x, y - radius);
    body.cubic_to(x + bend, y - radius, x + radius, y - bend, x + radius, y);
}

fn text(letters: Letters, [x, y]: Place, anchor: Anchor, words: &str, body: &mut Content) {
    let size = match letters {
        Letters::Tick => 12.0,
        Letters::Axis | Letters::Name => 13.0,
    };
    let bytes = encoded(words);
    let width = bytes.iter().map(|byte| width_of(*byte)).sum::<f64>() / 1000.0 * size;
    let begin = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - width / 2.0,
        Anchor::End => x - width,
    };
    body.begin_text().set_font(HELVETICA, size as f32);
    body.set_text_matrix([1.0, 0.0, 0.0, -1.0, begin as f32, y as f32]);
    body.show(Str(&bytes)).end_text();
}

/// In the encoding WinAnsi; characters that it does not have become question marks.
fn encoded(words: &str) -> Vec<u8> {
    words.chars().map(|c| code(c).unwrap_or(b'?')).collect()
}

/// Whether all characters of a text can be shown.
pub(super) fn has(words: &str) -> bool {
    words.chars().all(|c| code(c).is_some())
}

/// The code of a character in the encoding WinAnsi, which has those of Latin-1.
fn code(c: char) -> Option<u8> {
    match c {
        ' '..='~' | '\u{a0}'..='\u{ff}' => Some(c as u8),
        '\u{3bc}' => Some(0xb5),
        '\u{2013}' => Some(0x96),
        '\u{2212}' => Some(b'-'),
        // The narrow no-break space between thousands.
        '\u{202f}' => Some(0xa0),
        _ => None,
    }
}

/// In thousandths of the size, as the metrics of Helvetica say; those of the letters beyond ASCII differ little from a digit's.
fn width_of(byte: u8) -> f64 {
    let place = usize::from(byte.wrapping_sub(b' '));
    f64::from(WIDTHS.get(place).copied().unwrap_or(556))
}

/// Of the characters from the blank to the tilde.
#[rustfmt::skip]
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/// In every file.
pub(super) const PRODUCER: &str = "Ackclock";
const HELVETICA: Name<'static> = Name(b"F1");
const SHADED: Name<'static> = Name(b"G1");
const GRID: f32 = 0.87;
const EDGE_OF_CELL: f32 = 0.6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_width_of_a_text_is_the_sum_of_its_letters() {
        let width = |words: &str| encoded(words).iter().map(|byte| width_of(*byte)).sum::<f64>();
        assert_eq!(width("Mb/s, 10"), 833.0 + 556.0 + 278.0 + 500.0 + 278.0 + 278.0 + 1112.0);
        assert_eq!((width("~"), width(" "), width("µ"), width("Δ")), (584.0, 278.0, 556.0, 556.0));
    }
}
