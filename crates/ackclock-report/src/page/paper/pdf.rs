//! Plots as a PDF file, for papers: black on white, with a font that is embedded, as publishers ask for (ISO 32000-1, 9.6.3 and 9.9).
//! The font is ours to ship, so that none is looked for on the machine and every machine writes the same file.

use pdf_writer::types::{FontFlags, LineCapStyle};
use pdf_writer::{Content, Finish as _, Name, Pdf, Rect, Ref, Str, TextStr};

use crate::page::bands::Frame;
use crate::page::drawing::{Anchor, Colour, DASHES, Drawing, Element, Place, SHADE, Shape, arrow, colour_of, mark_of};

/// A file with a page for each drawing that is so many points wide and high, scaled to so wide a page, in points of PostScript.
/// Curves without a colour are black.
pub(super) fn file(drawings: &[(Drawing, f64)], width: f64, on_paper: f64, colours: &[Colour]) -> Vec<u8> {
    let scale = (on_paper / width) as f32;
    let [catalog, pages, font, shade, info] = [1, 2, 3, 4, 5].map(Ref::new);
    let of_page = |nth: usize| [0, 1].map(|which| Ref::new(8 + 2 * nth as i32 + which));
    let mut pdf = Pdf::new();
    // First, so that the beginning of a file says whose it is.
    pdf.document_info(info).producer(TextStr(PRODUCER));
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids((0..drawings.len()).map(|nth| of_page(nth)[0])).count(drawings.len() as i32);
    embed(&mut pdf, font);
    pdf.ext_graphics(shade).non_stroking_alpha(SHADE as f32);
    for (nth, (drawing, height)) in drawings.iter().enumerate() {
        let ([page, content], height) = (of_page(nth), *height as f32 * scale);
        let mut description = pdf.page(page);
        description.parent(pages).media_box(Rect::new(0.0, 0.0, on_paper as f32, height)).contents(content);
        let mut resources = description.resources();
        resources.fonts().pair(LETTERS, font);
        resources.ext_g_states().pair(SHADED, shade);
        resources.finish();
        description.finish();
        let mut body = Content::new();
        // From the upper left corner downwards, as plots are drawn.
        body.transform([scale, 0.0, 0.0, -scale, 0.0, height]);
        drawing.elements.iter().for_each(|element| one(element, colours, &mut body));
        pdf.stream(content, &body.finish());
    }
    pdf.finish()
}

/// The font, its description and its program: three objects, the first of which is `font`, the others 6 and 7.
fn embed(pdf: &mut Pdf, font: Ref) {
    let [descriptor, program] = [6, 7].map(Ref::new);
    let mut simple = pdf.indirect(font).dict();
    simple.pair(Name(b"Type"), Name(b"Font")).pair(Name(b"Subtype"), Name(b"TrueType"));
    simple.pair(Name(b"BaseFont"), FONT_NAME).pair(Name(b"FontDescriptor"), descriptor);
    simple.pair(Name(b"FirstChar"), i32::from(b' ')).pair(Name(b"LastChar"), 255);
    simple.insert(Name(b"Widths")).array().items(WIDTHS.iter().map(|width| i32::from(*width)));
    let mut encoding = simple.insert(Name(b"Encoding")).dict();
    encoding.pair(Name(b"Type"), Name(b"Encoding")).pair(Name(b"BaseEncoding"), Name(b"WinAnsiEncoding"));
    let mut differences = encoding.insert(Name(b"Differences")).array();
    differences.item(i32::from(FIRST_SIGN));
    SIGNS.iter().for_each(|(_, name)| {
        differences.item(Name(name.as_bytes()));
    });
    differences.finish();
    encoding.finish();
    simple.finish();
    pdf.font_descriptor(descriptor)
        .name(FONT_NAME)
        .flags(FontFlags::NON_SYMBOLIC)
        .bbox(Rect::new(-411.0, -261.0, 1385.0, 946.0))
        .italic_angle(0.0)
        .ascent(928.0)
        .descent(-236.0)
        .cap_height(729.0)
        .stem_v(80.0)
        .font_file2(program);
    pdf.stream(program, FONT).pair(Name(b"Length1"), FONT.len() as i32);
}

fn one(element: &Element, colours: &[Colour], body: &mut Content) {
    match element {
        Element::Grid { from, to } | Element::Leader { from, to } => {
            body.save_state().set_stroke_gray(GRID).set_line_width(LINE * 0.6);
            path(&[*from, *to], body);
            body.stroke().restore_state();
        }
        Element::Text { place, anchor, words, .. } => text(*place, *anchor, words, body),
        Element::Band { corners, .. } => {
            body.save_state().set_parameters(SHADED);
            path(corners, body);
            body.close_path().fill_nonzero().restore_state();
        }
        Element::Bar { ends, .. } => {
            body.set_line_width(LINE);
            path(ends, body);
            body.stroke();
        }
        Element::Curve { nth, points } => {
            let dashes = DASHES[nth % DASHES.len()].iter().map(|length| *length as f32);
            body.save_state().set_line_width(LINE).set_line_cap(LineCapStyle::ButtCap);
            body.set_dash_pattern(dashes, 0.0);
            path(points, body);
            body.stroke().restore_state();
        }
        Element::Beyond { tip, upwards, .. } => {
            body.save_state().set_line_width(LINE);
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
        Element::BeginSeries { name, .. } => {
            body.save_state();
            if let Some(colour) = colour_of(name, colours) {
                let [red, green, blue] = colour.map(|part| f32::from(part) / 255.0);
                body.set_fill_rgb(red, green, blue).set_stroke_rgb(red, green, blue);
            }
        }
        Element::EndSeries => {
            body.restore_state();
        }
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
    body.set_line_width(LINE);
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

fn text([x, y]: Place, anchor: Anchor, words: &str, body: &mut Content) {
    let bytes = encoded(words);
    let begin = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - width(words) / 2.0,
        Anchor::End => x - width(words),
    };
    body.begin_text().set_font(LETTERS, SIZE as f32);
    body.set_text_matrix([1.0, 0.0, 0.0, -1.0, begin as f32, y as f32]);
    body.show(Str(&bytes)).end_text();
}

/// Of a text, in points of plots. What the font does not have is as wide as high: elsewhere it is no question mark.
pub(super) fn width(words: &str) -> f64 {
    words.chars().map(|c| code(c).map_or(1000.0, width_of)).sum::<f64>() / 1000.0 * SIZE
}

/// In the encoding of the font; characters that it does not have become question marks.
fn encoded(words: &str) -> Vec<u8> {
    words.chars().map(|c| code(c).unwrap_or(b'?')).collect()
}

/// Whether all characters of a text can be shown.
pub(super) fn has(words: &str) -> bool {
    words.chars().all(|c| code(c).is_some())
}

/// The code of a character in the encoding of the font, WinAnsi with a few signs where that has letters that nobody needs.
fn code(c: char) -> Option<u8> {
    match c {
        ' '..='~' | '\u{a0}'..='\u{ff}' => Some(c as u8),
        '\u{3bc}' => Some(0xb5),
        '\u{2013}' => Some(0x96),
        // The narrow no-break space between thousands.
        '\u{202f}' => Some(0xa0),
        c => SIGNS.iter().position(|(sign, _)| *sign == c).map(|nth| FIRST_SIGN + nth as u8),
    }
}

/// Signs beside those of WinAnsi, and what PDF calls them, from [`FIRST_SIGN`] on.
const SIGNS: [(char, &str); 5] = [
    ('\u{2192}', "arrowright"),
    ('\u{2264}', "lessequal"),
    ('\u{2265}', "greaterequal"),
    ('\u{2212}', "minus"),
    ('\u{2026}', "ellipsis"),
];
const FIRST_SIGN: u8 = 0x80;

/// In thousandths of the size, as the font says.
fn width_of(byte: u8) -> f64 {
    f64::from(WIDTHS.get(usize::from(byte.wrapping_sub(b' '))).copied().unwrap_or(0))
}

/// Of the codes from the blank on.
#[rustfmt::skip]
const WIDTHS: [u16; 224] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
    636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
    1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
    603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
    500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
    635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838, 0,
    838, 838, 838, 838, 1000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 500, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    318, 401, 636, 636, 636, 636, 337, 500, 500, 1000, 471, 612, 838, 361, 1000, 500,
    500, 838, 401, 401, 500, 636, 636, 318, 500, 401, 471, 612, 969, 969, 969, 531,
    684, 684, 684, 684, 684, 684, 974, 698, 632, 632, 632, 632, 295, 295, 295, 295,
    775, 748, 787, 787, 787, 787, 787, 838, 787, 732, 732, 732, 732, 611, 605, 630,
    613, 613, 613, 613, 613, 613, 982, 550, 615, 615, 615, 615, 278, 278, 278, 278,
    612, 634, 612, 612, 612, 612, 612, 838, 612, 634, 634, 634, 634, 592, 635, 592,
];
/// In every file.
pub(super) const PRODUCER: &str = "Ackclock";
const LETTERS: Name<'static> = Name(b"F1");
const SHADED: Name<'static> = Name(b"G1");
/// The glyphs of Latin-1 and of a few signs of DejaVu Sans, whose licence stands beside it.
const FONT: &[u8] = include_bytes!("../../../assets/fonts/DejaVuSans-latin.ttf");
/// The name of a part of a font begins so (ISO 32000-1, 9.6.4).
const FONT_NAME: Name<'static> = Name(b"ACKCLK+DejaVuSans");
/// Lines, in points of plots.
const LINE: f32 = (0.8 * Frame::PAPER.width / COLUMN) as f32;
/// Letters have 8 points of PostScript, lines .8; here in points of plots, of which a column is as wide as [`Frame::PAPER`].
const SIZE: f64 = 8.0 * Frame::PAPER.width / COLUMN;
const GRID: f32 = 0.87;
const EDGE_OF_CELL: f32 = 0.6;

/// 3.5 inches, in points of PostScript.
pub(super) const COLUMN: f64 = 252.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// From the tables of the font itself (OpenType 1.9: hmtx, cmap of format 4).
    #[test]
    fn widths_are_those_of_the_font() {
        let u16_at = |at: usize| usize::from(u16::from_be_bytes([FONT[at], FONT[at + 1]]));
        let u32_at = |at: usize| (u16_at(at) << 16) | u16_at(at + 2);
        let table = |name: &[u8]| {
            (0..u16_at(4))
                .map(|nth| 12 + 16 * nth)
                .find(|at| &FONT[*at..*at + 4] == name)
                .map(|at| u32_at(at + 8))
                .unwrap()
        };
        let (cmap, hmtx, units) = (table(b"cmap"), table(b"hmtx"), u16_at(table(b"head") + 18) as f64);
        let map =
            (0..u16_at(cmap + 2)).map(|nth| cmap + u32_at(cmap + 8 + 8 * nth)).find(|at| u16_at(*at) == 4).unwrap();
        let doubled = u16_at(map + 6);
        let glyph = |c: usize| {
            let nth = (0..doubled / 2).find(|nth| u16_at(map + 14 + 2 * nth) >= c).unwrap();
            let [start, delta, offset] = [1, 2, 3].map(|part| map + 16 + part * doubled + 2 * nth);
            match u16_at(offset) {
                0 => (c + u16_at(delta)) % 65536,
                by => u16_at(offset + by + 2 * (c - u16_at(start))),
            }
        };
        let metrics = u16_at(table(b"hhea") + 34);
        for c in (' '..='~').chain('\u{a0}'..='\u{ff}').chain(SIGNS.map(|(sign, _)| sign)).chain(['\u{2013}']) {
            let glyph = glyph(c as usize);
            assert!(glyph > 0, "no glyph of {c:?}");
            let wide = u16_at(hmtx + 4 * glyph.min(metrics - 1)) as f64 * 1000.0 / units;
            assert!((width_of(code(c).unwrap()) - wide).abs() <= 0.5, "{c:?}: {wide}");
        }
        assert_eq!((code('Δ'), has("≤ 5 → 6 …")), (None, true));
    }
}
