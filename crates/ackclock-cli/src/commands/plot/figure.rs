//! Figures as files: `--plot` of `plot`, `sweep`, `merge` and `compare`, and how they look.

use std::path::Path;

use ackclock::record::Metric;
use ackclock_report::page::paper::{Look, Name, Of, Plot, pdf_file, pdf_has, svg_file, wide_enough_pt};
use ackclock_report::plots::name_on_paper;

use crate::args::FigureArgs;
use crate::console;
use crate::failure::Failure;
use crate::replace::{self, Kind};
use crate::spelling::nearest;

/// What was asked for.
pub struct Figure<'a> {
    args: &'a FigureArgs,
    files: Vec<(&'a Path, Format)>,
    look: Look,
    /// Names, and what stands in the place of each.
    labels: Vec<(String, String)>,
    elsewhere: &'static str,
}

#[derive(Clone, Copy, PartialEq)]
enum Format {
    Svg,
    Pdf,
}

impl<'a> Figure<'a> {
    /// Refuses what no figure can have, and files that would replace others; `elsewhere` is the remedy for these.
    pub fn of(args: &'a FigureArgs, elsewhere: &'static str) -> Result<Figure<'a>, Failure> {
        let mut files: Vec<(&Path, Format)> = Vec::new();
        for path in &args.plot {
            let format = format(path)?;
            replace::refuse_other(path, Kind::Figure, elsewhere)?;
            let plain = |path: &'a Path| path.strip_prefix(".").unwrap_or(path);
            if !files.iter().any(|(known, _)| plain(known) == plain(path)) {
                files.push((path, format));
            }
        }
        let mut look = Look { title: args.title.clone(), ..Look::default() };
        if let Some(text) = &args.size {
            (look.width_pt, look.height_pt) = size(text)?;
        }
        for (option, text) in
            args.title.iter().map(|text| ("title", text)).chain(args.label.iter().map(|text| ("label", text)))
        {
            if text.contains(char::is_control) {
                return Err(Failure::usage(
                    format_args!("--{option} {text:?}: a text of a figure is one line"),
                    "leave line feeds and other control characters out",
                ));
            }
            let is_pdf = files.iter().any(|(_, format)| *format == Format::Pdf);
            if let Some(letter) = text.chars().find(|letter| is_pdf && !pdf_has(&letter.to_string())) {
                return Err(Failure::usage(
                    format_args!("--{option} '{text}': the font of PDF files has no `{letter}`"),
                    "write the figure as SVG, or choose another text",
                ));
            }
        }
        for text in &args.color {
            colour(text)?;
        }
        Ok(Figure { args, files, look, labels: Vec::new(), elsewhere })
    }

    /// Whether none is asked for.
    pub fn is_none(&self) -> bool {
        self.files.is_empty()
    }

    /// The first file that is going to be written.
    pub fn first(&self) -> Option<&'a Path> {
        self.files.first().map(|(path, _)| *path)
    }

    /// Whether it is as high as is said, whatever its plots need.
    pub fn has_height(&self) -> bool {
        self.look.height_pt.is_some()
    }

    /// Gives what stands in the figure, `names`, its labels and colours. Refuses those of what does not stand there, several of one
    /// thing, and one label of several curves.
    pub fn label(&mut self, names: &[Name]) -> Result<(), Failure> {
        for text in &self.args.label {
            let (name, label) = labelled(text, names)?;
            if label.trim().is_empty() {
                return Err(Failure::usage(
                    format_args!("--label '{text}': there is no text"),
                    "leave the option out, and the name stays as it is",
                ));
            }
            if self.labels.iter().any(|(known, _)| *known == name.text) {
                return Err(twice("label", text, name));
            }
            self.labels.push((name.text.clone(), label.to_owned()));
        }
        let shown = |name: &Name| {
            let label = self.labels.iter().find(|(known, _)| *known == name.text);
            label.map_or(&name.text, |(_, label)| label).clone()
        };
        let is_curve = |name: &&Name| matches!(name.of, Of::Curve | Of::Row);
        for (_, label) in &self.labels {
            let mut so_called = names.iter().filter(is_curve).filter(|name| shown(name) == *label);
            let first = so_called.next();
            if so_called.any(|name| first.is_some_and(|first| first.text != name.text)) {
                return Err(Failure::usage(
                    format_args!("--label: two curves would have the name `{label}`"),
                    "give each of them a label of its own",
                ));
            }
        }
        let curves: Vec<Name> = names.iter().filter(|name| name.of == Of::Curve).cloned().collect();
        let mut coloured: Vec<&Name> = Vec::new();
        for text in &self.args.color {
            let (called, colour) = colour(text)?;
            let name = meant(called, &curves).ok_or_else(|| unknown("color", text, called, &curves))?;
            if coloured.contains(&name) {
                return Err(twice("color", text, name));
            }
            coloured.push(name);
            self.look.colours.push((shown(name), colour));
        }
        Ok(())
    }

    /// The same of the names of these plots.
    pub fn label_plots(&mut self, plots: &[Plot]) -> Result<(), Failure> {
        let mut names: Vec<Name> = plots.iter().flat_map(Plot::names).collect();
        for name in names.iter_mut().filter(|name| name.of == Of::Number) {
            let metrics = Metric::ALL.into_iter().filter(|metric| name_on_paper(*metric) == name.text);
            name.also.extend(metrics.map(|metric| metric.name().to_owned()));
        }
        self.label(&names)
    }

    /// The labels of what does not stand in these plots.
    pub fn unused_labels(&self, plots: &[Plot]) -> Vec<&'a str> {
        let names: Vec<Name> = plots.iter().flat_map(Plot::names).collect();
        let is_unused = |(_, (name, _)): &(&String, &(String, String))| !names.iter().any(|known| known.text == *name);
        self.args.label.iter().zip(&self.labels).filter(is_unused).map(|(text, _)| text.as_str()).collect()
    }

    /// Draws plots, and refuses those for which there is no room.
    pub fn drawn(&self, mut plots: Vec<Plot>) -> Result<Drawn<'_>, Failure> {
        plots.iter_mut().for_each(|plot| plot.rename(&self.labels));
        let draw = |&(path, format): &(&'a Path, Format)| {
            let content = match format {
                Format::Svg => svg_file(&plots, &self.look).map(String::into_bytes),
                Format::Pdf => pdf_file(&plots, &self.look),
            };
            let content = content.map_err(|low| {
                let least = tenths(low.least_pt);
                Failure::usage(
                    format_args!(
                        "--size {}: the plots of this figure need a height of {least} in at least",
                        self.args.size.as_deref().unwrap_or_default()
                    ),
                    format_args!(
                        "write --size {:.2}inx{least}in, or the width alone",
                        self.look.width_pt / POINTS_PER_INCH
                    ),
                )
            })?;
            Ok((path, content))
        };
        let files = self.files.iter().map(draw).collect::<Result<_, Failure>>()?;
        Ok(Drawn { files, wide_enough_pt: wide_enough_pt(&plots, &self.look), elsewhere: self.elsewhere })
    }
}

/// A figure that can be written.
pub struct Drawn<'a> {
    files: Vec<(&'a Path, Vec<u8>)>,
    wide_enough_pt: Option<f64>,
    elsewhere: &'static str,
}

impl Drawn<'_> {
    /// Writes it to the files that were asked for, and says that it did.
    pub fn write(&self) -> Result<(), Failure> {
        for (path, content) in &self.files {
            replace::write(path, Kind::Figure, content, self.elsewhere)?;
            console::note(format_args!("{} written", path.display()));
        }
        if let (Some(wide), [_, ..]) = (self.wide_enough_pt, &self.files[..]) {
            let wide = tenths(wide);
            console::note(format_args!(
                "note: texts that are wider than the figure are shortened; --size {wide}in has room for them"
            ));
        }
        Ok(())
    }
}

/// Inches with one decimal, not less than so many points.
fn tenths(points: f64) -> f64 {
    (points / POINTS_PER_INCH * 10.0).ceil() / 10.0
}

fn format(path: &Path) -> Result<Format, Failure> {
    match path.extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => Ok(Format::Svg),
        Some("pdf") => Ok(Format::Pdf),
        _ => Err(Failure::usage(
            format_args!("--plot {}: the format is not known", path.display()),
            "write a name that ends with .svg or .pdf",
        )),
    }
}

/// A width and perhaps a height, in points.
fn size(text: &str) -> Result<(f64, Option<f64>), Failure> {
    let wrong = |what: &str| {
        Failure::usage(
            format_args!("--size {text}: {what}"),
            "write a width, as in 3.5in, or width and height, as in 180mmx90mm",
        )
    };
    // The x of `px` does not stand between lengths.
    let plain = text.replace("px", "p");
    let lengths: Option<Vec<f64>> = plain.split(['x', '×']).map(|part| length(part.trim())).collect();
    let (width, height) = match lengths.as_deref() {
        Some([width]) => (*width, None),
        Some([width, height]) => (*width, Some(*height)),
        _ => return Err(wrong("a length is a number with one of in, cm, mm, pt, px")),
    };
    let range = LEAST_INCHES * POINTS_PER_INCH..=MOST_INCHES * POINTS_PER_INCH;
    if !range.contains(&width) || height.is_some_and(|height| !range.contains(&height)) {
        return Err(wrong(&format!("a figure has {LEAST_INCHES} to {MOST_INCHES} in on each side")));
    }
    Ok((width, height))
}

/// In points.
fn length(text: &str) -> Option<f64> {
    let units = [("in", 72.0), ("cm", 72.0 / 2.54), ("mm", 72.0 / 25.4), ("pt", 1.0), ("p", 0.75)];
    let (number, points) = units.into_iter().find_map(|(unit, points)| Some((text.strip_suffix(unit)?, points)))?;
    number.trim().parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number * points)
}

/// The name and the text of a label: names may contain `=`, so that the longest known one counts.
fn labelled<'a, 'n>(text: &'a str, names: &'n [Name]) -> Result<(&'n Name, &'a str), Failure> {
    let found = text.rmatch_indices('=').find_map(|(at, _)| Some((meant(&text[..at], names)?, &text[at + 1..])));
    found.ok_or_else(|| match text.split_once('=') {
        Some((called, _)) => unknown("label", text, called, names),
        None => {
            Failure::usage(format_args!("--label {text}: there is no `=`"), "write NAME=TEXT, as in reno='TCP Reno'")
        }
    })
}

/// What has a name in a figure, or is the only thing that may also be called so.
pub fn meant<'n>(called: &str, names: &'n [Name]) -> Option<&'n Name> {
    names.iter().find(|name| name.text == called).or_else(|| {
        let mut so_called = names.iter().filter(|name| name.also.iter().any(|also| also == called));
        let first = so_called.next()?;
        so_called.all(|name| name.text == first.text).then_some(first)
    })
}

fn twice(option: &str, text: &str, name: &Name) -> Failure {
    let what = if option == "color" { "colour" } else { option };
    let name = &name.text;
    Failure::usage(format_args!("--{option} '{text}': `{name}` has a {what} already"), "leave one of them out")
}

/// The name of a curve and its colour.
fn colour(text: &str) -> Result<(&str, [u8; 3]), Failure> {
    let parsed = text.rsplit_once('=').and_then(|(name, colour)| {
        let digits = colour
            .strip_prefix('#')
            .filter(|digits| digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        let part = |nth: usize| u8::from_str_radix(&digits[2 * nth..2 * nth + 2], 16).ok();
        Some((name, [part(0)?, part(1)?, part(2)?]))
    });
    parsed.ok_or_else(|| {
        Failure::usage(
            format_args!("--color {text}: this is no name with a colour"),
            "write NAME=#RRGGBB, as in 'reno=#0072b2'",
        )
    })
}

/// What is said of a name that the figure does not have.
pub fn unknown(option: &str, text: &str, called: &str, names: &[Name]) -> Failure {
    let mut all: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
    all.dedup();
    let others = names.iter().flat_map(|name| &name.also).map(String::as_str);
    let help = match nearest(called, all.iter().copied().chain(others)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if all.is_empty() => "leave the option out".into(),
        None => format!("there are: {}", all.into_iter().take(MOST_NAMES).collect::<Vec<_>>().join("; ")),
    };
    let what = match option {
        "color" => "curve",
        "metric" => "number",
        _ => "name",
    };
    Failure::usage(format_args!("--{option} '{text}': the figure has no {what} `{called}`"), help)
}

/// The remedy where a file would replace another.
pub const OTHER_FILE: &str = "choose another file";
const POINTS_PER_INCH: f64 = 72.0;
/// Axes take more than an inch.
const LEAST_INCHES: f64 = 1.5;
const MOST_INCHES: f64 = 100.0;
/// Names in a message.
const MOST_NAMES: usize = 20;
