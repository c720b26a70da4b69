//! Plots as SVG: within a page, and as files.

use super::drawing::{
    Anchor, CURVE, Colour, DASHES, Drawing, EDGE, Element, Letters, Place, SHADE, Shape, arrow, colour_of, mark_of,
};
use super::html::Html;

/// A file, so many points wide and high as the drawing is: black on white, but for curves with colours, and so wide on paper as is
/// said, in points of PostScript.
pub(super) fn file(drawing: &Drawing, [width, height]: [f64; 2], on_paper: f64, colours: &[Colour]) -> String {
    let mut body = Html::new();
    coloured(drawing, &mut body, colours);
    let [width, height, on_paper, high] =
        [width, height, on_paper, height * on_paper / width].map(|length| (length * 1e3).round() / 1e3);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{on_paper}pt\" height=\"{high}pt\" color=\"#000\" \
         font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"12.7\">\n{MARK}\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <style>.grid {{ stroke: #ddd; }} .bar {{ stroke: currentColor; }} .bar, polyline, .beyond path {{ stroke-width: 1.27px; }}</style>\n{}\n</svg>\n",
        body.as_str()
    )
}

/// For which windows a picture is drawn. Letters of one that is scaled down to a phone could not be read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Screen {
    /// Half of a page, or more.
    Wide,
    /// A phone.
    Narrow,
}

impl Screen {
    pub(super) fn pick<T>(self, wide: T, narrow: T) -> T {
        if self == Screen::Wide { wide } else { narrow }
    }
}

/// A picture for each kind of window, of which the style sheet shows one. `draw` draws it and gives its width and height, in points
/// that are pixels of the page, about.
pub(super) fn on_page(html: &mut Html, label: &str, draw: impl Fn(Screen, &mut Html) -> [f64; 2]) {
    for screen in [Screen::Wide, Screen::Narrow] {
        let mut body = Html::new();
        let [width, height] = draw(screen, &mut body);
        let view = format!("0 0 {width} {height}");
        let class = screen.pick("scatter on-wide", "scatter on-narrow");
        let attributes = [("viewBox", view.as_str()), ("class", class), ("role", "img"), ("aria-label", label)];
        html.tag("svg", &attributes, |svg| {
            svg.append(&body);
        });
    }
}

/// What stands in the picture for wide windows.
#[cfg(test)]
pub(super) fn of_wide(html: &Html) -> String {
    html.as_str().split("<svg viewBox").filter(|part| !part.contains("on-narrow")).collect()
}

/// In every file.
pub(super) const MARK: &str = "<!-- a figure of Ackclock -->";

/// Draws into an element of SVG. Series are groups of the class `series-N`, which has a colour.
pub(super) fn draw(drawing: &Drawing, svg: &mut Html) {
    coloured(drawing, svg, &[]);
}

/// Series with a colour of their own have that.
fn coloured(drawing: &Drawing, svg: &mut Html, colours: &[Colour]) {
    let mut elements = drawing.elements.iter();
    while let Some(element) = elements.next() {
        match element {
            Element::BeginSeries { nth, name } => {
                let class = format!("series-{nth}");
                let colour =
                    colour_of(name, colours).map(|[red, green, blue]| format!("#{red:02x}{green:02x}{blue:02x}"));
                let mut attributes = vec![("class", class.as_str())];
                attributes.extend(colour.iter().map(|colour| ("color", colour.as_str())));
                svg.tag("g", &attributes, |svg| {
                    svg.leaf("title", &[], name);
                    elements
                        .by_ref()
                        .take_while(|element| !matches!(element, Element::EndSeries))
                        .for_each(|element| one(element, svg));
                });
            }
            element => one(element, svg),
        }
    }
}

fn one(element: &Element, svg: &mut Html) {
    match element {
        Element::Grid { from, to } => line(svg, "grid", [from[0], from[1], to[0], to[1]]),
        Element::Text { letters, place, anchor, words } => {
            let class = match letters {
                Letters::Tick => "tick",
                Letters::Axis => "axis",
                Letters::Name => "name",
            };
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            text(svg, class, place[0], place[1], anchor, words);
        }
        Element::Band { corners, .. } => {
            let shade = SHADE.to_string();
            let attributes = [("points", &*points(corners)), ("fill", "currentColor"), ("fill-opacity", &shade)];
            svg.tag("polygon", &attributes, |_| {});
        }
        Element::Bar { ends: [from, to], .. } => {
            let width = EDGE.to_string();
            let [x1, y1, x2, y2] = [from[0], from[1], to[0], to[1]].map(|number| format!("{number:.1}"));
            let attributes = [("class", "bar"), ("x1", &*x1), ("y1", &y1), ("x2", &x2), ("y2", &y2)];
            let style = [("stroke", "currentColor"), ("stroke-width", &*width)];
            svg.tag("line", &[&attributes[..], &style].concat(), |_| {});
        }
        Element::Curve { nth, points: places } => {
            let (width, dashes) = (CURVE.to_string(), DASHES[nth % DASHES.len()].iter().map(u32::to_string));
            let attributes = [
                ("points", &*points(places)),
                ("fill", "none"),
                ("stroke", "currentColor"),
                ("stroke-width", &width),
                ("stroke-dasharray", &dashes.collect::<Vec<_>>().join(" ")),
            ];
            svg.tag("polyline", &attributes, |_| {});
        }
        Element::Leader { from, to } => line(svg, "leader", [from[0], from[1], to[0], to[1]]),
        Element::Beyond { tip, upwards, about, .. } => {
            let (path, width) = (format!("M{}", points(&arrow(*tip, *upwards))), CURVE.to_string());
            let style = [("fill", "none"), ("stroke", "currentColor"), ("stroke-width", &*width)];
            svg.tag("g", &[("class", "beyond")], |svg| {
                svg.leaf("title", &[], about);
                svg.tag("path", &[&[("d", &*path)][..], &style].concat(), |_| {});
            });
        }
        Element::Cells { shade, cells, has_edges, link: None } => rectangles(svg, *shade, cells, *has_edges),
        Element::Cells { shade, cells, has_edges, link: Some((href, about)) } => {
            svg.tag("a", &[("href", href), ("class", "series-0")], |svg| {
                svg.leaf("title", &[], about);
                rectangles(svg, *shade, cells, *has_edges);
            });
        }
        Element::Mark { nth, place, link: None } => mark(svg, *nth, *place),
        Element::Mark { nth, place, link: Some((href, about)) } => {
            // Of the colour of its curve, not of a link.
            svg.tag("a", &[("href", href), ("class", &format!("series-{nth}"))], |svg| {
                svg.leaf("title", &[], about);
                mark(svg, *nth, *place);
            });
        }
        Element::BeginSeries { .. } | Element::EndSeries => {}
    }
}

/// Rectangles in one shade, as one path: a map may have a hundred thousand.
fn rectangles(svg: &mut Html, shade: f64, cells: &[[f64; 4]], has_edges: bool) {
    let mut path = String::new();
    for [x, y, width, height] in cells.iter().map(|cell| cell.map(short)) {
        path += &format!("M{x} {y}h{width}v{height}h-{width}z");
    }
    let shade = short(shade);
    let fill = [("d", &*path), ("fill", "currentColor"), ("fill-opacity", &shade)];
    let edges: &[(&'static str, &str)] = match has_edges {
        true => &[("stroke", "currentColor"), ("stroke-opacity", "0.25")],
        false => &[("shape-rendering", "crispEdges")],
    };
    svg.tag("path", &[&fill[..], edges].concat(), |_| {});
}

/// A hundredth of a point exact, without zeros at the end.
fn short(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A mark of a shape of its own, filled or not.
fn mark(svg: &mut Html, nth: usize, [x, y]: Place) {
    let (shape, filled) = mark_of(nth);
    let width = EDGE.to_string();
    let fill = if filled { "currentColor" } else { "none" };
    let style = [("fill", fill), ("stroke", "currentColor"), ("stroke-width", &width)];
    match shape {
        Shape::Circle(radius) => {
            let [x, y, radius] = [format!("{x:.1}"), format!("{y:.1}"), radius.to_string()];
            let attributes = [[("cx", x.as_str()), ("cy", y.as_str()), ("r", radius.as_str())], style].concat();
            svg.tag("circle", &attributes, |_| {});
        }
        Shape::Polygon(corners) => {
            let corners = points(&corners.iter().map(|[dx, dy]| [x + dx, y + dy]).collect::<Vec<_>>());
            let attributes = [&[("points", corners.as_str())][..], &style[..]].concat();
            svg.tag("polygon", &attributes, |_| {});
        }
    }
}

fn points(places: &[Place]) -> String {
    places.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}

/// A text of at most so many letters.
pub(super) fn shortened(words: &str, longest: usize) -> String {
    match words.chars().count() > longest {
        true => words.chars().take(longest.saturating_sub(1)).chain(['…']).collect(),
        false => words.into(),
    }
}

/// A straight line between two points.
pub(super) fn line(svg: &mut Html, class: &str, ends: [f64; 4]) {
    let [x1, y1, x2, y2] = ends.map(|number| format!("{number:.1}"));
    svg.tag("line", &[("class", class), ("x1", &x1), ("y1", &y1), ("x2", &x2), ("y2", &y2)], |_| {});
}

/// Words at a point.
pub(super) fn text(svg: &mut Html, class: &str, x: f64, y: f64, anchor: &str, words: &str) {
    let [x, y] = [x, y].map(|number| format!("{number:.1}"));
    svg.leaf("text", &[("class", class), ("x", &x), ("y", &y), ("text-anchor", anchor)], words);
}
