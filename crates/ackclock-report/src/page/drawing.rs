//! What a plot consists of, whatever it is written as: SVG (`svg.rs`) or PDF (`paper/pdf.rs`). Lengths are in points of the
//! plot; `y` goes down.

/// A place: from the left, from the top.
pub(super) type Place = [f64; 2];

/// The size and colour of letters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Letters {
    /// Beside ticks.
    Tick,
    /// What an axis shows, legends and titles.
    Axis,
    /// The name of a series at its place.
    Name,
}

/// Which end of a text is at its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A piece of a plot. Series are known by their numbers: dashes and marks follow from that.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Element {
    /// A straight line from one end to the other, behind everything.
    Grid { from: Place, to: Place },
    /// Words.
    Text { letters: Letters, place: Place, anchor: Anchor, words: String },
    /// What follows is of a series, up to [`Element::EndSeries`].
    BeginSeries { nth: usize, name: String },
    /// The end of the pieces of a series.
    EndSeries,
    /// An area in a light shade.
    Band { nth: usize, corners: Vec<Place> },
    /// A bar from one end of an interval to the other.
    Bar { nth: usize, ends: [Place; 2] },
    /// Straight lines from point to point.
    Curve { nth: usize, points: Vec<Place> },
    /// From a mark to its name, where that has no room beside it.
    Leader { from: Place, to: Place },
    /// At the end of an axis: an interval goes on beyond it, and to where.
    Beyond { nth: usize, tip: Place, upwards: bool, about: String },
    /// Rectangles of a map in one shade, 0 to 1: from the left, from the top, width, height. With edges if they have room for them.
    Cells { shade: f64, cells: Vec<[f64; 4]>, has_edges: bool, link: Option<(String, String)> },
    /// A mark; a link on it, and what that says.
    Mark { nth: usize, place: Place, link: Option<(String, String)> },
}

/// A plot as a list of pieces, those behind first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Drawing {
    pub(super) elements: Vec<Element>,
}

impl Drawing {
    pub(super) fn grid(&mut self, [x1, y1, x2, y2]: [f64; 4]) {
        self.elements.push(Element::Grid { from: [x1, y1], to: [x2, y2] });
    }

    pub(super) fn leader(&mut self, from: Place, to: Place) {
        self.elements.push(Element::Leader { from, to });
    }

    pub(super) fn text(&mut self, letters: Letters, place: Place, anchor: Anchor, words: &str) {
        self.elements.push(Element::Text { letters, place, anchor, words: words.to_owned() });
    }

    pub(super) fn begin_series(&mut self, nth: usize, name: &str) {
        self.elements.push(Element::BeginSeries { nth, name: name.to_owned() });
    }

    pub(super) fn end_series(&mut self) {
        self.elements.push(Element::EndSeries);
    }

    pub(super) fn band(&mut self, nth: usize, corners: Vec<Place>) {
        self.elements.push(Element::Band { nth, corners });
    }

    pub(super) fn bar(&mut self, nth: usize, ends: [Place; 2]) {
        self.elements.push(Element::Bar { nth, ends });
    }

    pub(super) fn curve(&mut self, nth: usize, points: Vec<Place>) {
        self.elements.push(Element::Curve { nth, points });
    }

    pub(super) fn mark(&mut self, nth: usize, place: Place, link: Option<(String, String)>) {
        self.elements.push(Element::Mark { nth, place, link });
    }

    pub(super) fn beyond(&mut self, nth: usize, tip: Place, upwards: bool, about: String) {
        self.elements.push(Element::Beyond { nth, tip, upwards, about });
    }

    pub(super) fn cells(&mut self, shade: f64, cells: Vec<[f64; 4]>, has_edges: bool, link: Option<(String, String)>) {
        self.elements.push(Element::Cells { shade, cells, has_edges, link });
    }

    /// Puts the pieces of another plot in, further down by so much.
    pub(super) fn append(&mut self, other: Drawing, down: f64) {
        let lower = |place: &mut Place| place[1] += down;
        for mut element in other.elements {
            match &mut element {
                Element::Grid { from, to } | Element::Leader { from, to } => [from, to].into_iter().for_each(lower),
                Element::Text { place, .. } | Element::Mark { place, .. } => lower(place),
                Element::Band { corners: places, .. } | Element::Curve { points: places, .. } => {
                    places.iter_mut().for_each(lower);
                }
                Element::Bar { ends, .. } => ends.iter_mut().for_each(lower),
                Element::Beyond { tip, .. } => lower(tip),
                Element::Cells { cells, .. } => cells.iter_mut().for_each(|cell| cell[1] += down),
                Element::BeginSeries { .. } | Element::EndSeries => {}
            }
            self.elements.push(element);
        }
    }
}

/// The name of a series, and its colour: red, green and blue.
pub type Colour = (String, [u8; 3]);

/// The colour of a series, if it has one of its own.
pub(super) fn colour_of(name: &str, colours: &[Colour]) -> Option<[u8; 3]> {
    colours.iter().find(|(of, _)| of == name).map(|(_, colour)| *colour)
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    /// A circle of this radius.
    Circle(f64),
    /// Corners as seen from the place of the mark.
    Polygon(&'static [Place]),
}

/// The mark of a series: its shape, and whether it is filled.
pub(super) fn mark_of(nth: usize) -> (Shape, bool) {
    let shape = match nth % 3 {
        0 => Shape::Circle(3.6),
        1 => Shape::Polygon(&[[-3.4, -3.4], [3.4, -3.4], [3.4, 3.4], [-3.4, 3.4]]),
        _ => Shape::Polygon(&[[0.0, -4.4], [4.2, 3.4], [-4.2, 3.4]]),
    };
    (shape, nth < 3)
}

/// The corners of the sign for an interval that goes on beyond an axis, an open arrow.
pub(super) fn arrow([x, y]: Place, upwards: bool) -> [Place; 3] {
    let foot = if upwards { y + 6.0 } else { y - 6.0 };
    [[x - 4.5, foot], [x, y], [x + 4.5, foot]]
}

/// The lengths of dashes and of the gaps after them, of each series; a line without gaps has none.
pub(super) const DASHES: [&[u32]; 6] = [&[], &[7, 4], &[2, 3], &[9, 3, 2, 3], &[12, 5], &[4, 2]];
/// The width of curves.
pub(super) const CURVE: f64 = 2.0;
/// That of bars and of the edges of marks.
pub(super) const EDGE: f64 = 1.5;
/// How much of its colour a band has.
pub(super) const SHADE: f64 = 0.14;
