//! Figures as files: `--plot` of `plot`, `sweep`, `merge` and `compare`, and how they look.

use std::path::{Path, PathBuf};

use ackclock_report::page::paper::{Look, Plot, pdf_file, pdf_has, svg_file};

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
        let files = args.plot.iter().map(|path| Ok((path.as_path(), format(path)?)));
        let files: Vec<(&Path, Format)> = files.collect::<Result<_, Failure>>()?;
        for (path, _) in &files {
            replace::refuse_other(path, Kind::Figure, elsewhere)?;
        }
        let mut look = Look { title: args.title.clone(), ..Look::default() };
        if let Some(text) = &args.size {
            (look.width_pt, look.height_pt) = size(text)?;
        }
        for (option, text) in
            args.title.iter().map(|text| ("title", text)).chain(args.label.iter().map(|text| ("label", text)))
        {
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
        Ok(Figure { args, files, look, elsewhere })
    }

    /// The files that are going to be written.
    pub fn paths(&self) -> &'a [PathBuf] {
        &self.args.plot
    }

    /// Refuses labels of names that do not stand in the figure, and colours of what is no curve.
    pub fn check<S: AsRef<str>>(&self, names: &[S], curves: &[S]) -> Result<(), Failure> {
        self.args.label.iter().try_for_each(|text| labelled(text, names).map(|_| ()))?;
        self.args.color.iter().try_for_each(|text| known("color", text, colour(text)?.0, curves).map(|_| ()))
    }

    /// Writes plots to the files that were asked for, and says that it did.
    pub fn write(&self, mut plots: Vec<Plot>) -> Result<(), Failure> {
        if self.files.is_empty() {
            return Ok(());
        }
        let of = |names: &dyn Fn(&Plot) -> Vec<String>| -> Vec<String> { plots.iter().flat_map(names).collect() };
        let names = of(&|plot| plot.names().into_iter().map(str::to_owned).collect());
        let curves = of(&|plot| plot.curves().into_iter().map(str::to_owned).collect());
        self.check(&names, &curves)?;
        let labels = self.args.label.iter().map(|text| labelled(text, &names));
        let labels: Vec<(&str, &str)> = labels.collect::<Result<_, _>>()?;
        for (name, label) in &labels {
            plots.iter_mut().for_each(|plot| plot.rename(name, label));
        }
        let mut look = self.look.clone();
        for text in &self.args.color {
            let (name, colour) = colour(text)?;
            let drawn = labels.iter().find(|(of, _)| *of == name).map_or(name, |(_, label)| label);
            look.colours.push((drawn.to_owned(), colour));
        }
        for (path, format) in &self.files {
            let content = match format {
                Format::Svg => svg_file(&plots, &look).map(String::into_bytes),
                Format::Pdf => pdf_file(&plots, &look),
            };
            let content = content.map_err(|low| {
                let least = (low.least_pt / POINTS_PER_INCH * 10.0).ceil() / 10.0;
                let width = look.width_pt / POINTS_PER_INCH;
                Failure::usage(
                    format_args!(
                        "--size {}: the plots of this figure need a height of {least} in at least",
                        self.args.size.as_deref().unwrap_or_default()
                    ),
                    format_args!("write --size {width:.2}inx{least}in, or the width alone"),
                )
            })?;
            replace::write(path, Kind::Figure, &content, self.elsewhere)?;
            console::note(format_args!("{} written", path.display()));
        }
        Ok(())
    }
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
fn labelled<'a, S: AsRef<str>>(text: &'a str, names: &[S]) -> Result<(&'a str, &'a str), Failure> {
    let fits = |name: &S| text.strip_prefix(name.as_ref()).is_some_and(|rest| rest.starts_with('='));
    let longest = names.iter().filter(|name| fits(name)).map(|name| name.as_ref().len()).max();
    match (longest, text.split_once('=')) {
        (Some(length), _) => Ok((&text[..length], &text[length + 1..])),
        (None, Some((name, label))) => known("label", text, name, names).map(|name| (name, label)),
        (None, None) => Err(Failure::usage(
            format_args!("--label {text}: there is no `=`"),
            "write NAME=TEXT, as in reno='TCP Reno'",
        )),
    }
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

/// The name, if the figure has it.
pub fn known<'a, S: AsRef<str>>(option: &str, text: &str, name: &'a str, names: &[S]) -> Result<&'a str, Failure> {
    if names.iter().any(|known| known.as_ref() == name) {
        return Ok(name);
    }
    let mut all: Vec<&str> = names.iter().map(AsRef::as_ref).filter(|name| !name.is_empty()).collect();
    all.dedup();
    let help = match nearest(name, all.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if all.is_empty() => "leave the option out".into(),
        None => format!("there are: {}", all.into_iter().take(MOST_NAMES).collect::<Vec<_>>().join("; ")),
    };
    let what = match option {
        "color" => "curve",
        "metric" => "number",
        _ => "name",
    };
    Err(Failure::usage(format_args!("--{option} '{text}': the figure has no {what} `{name}`"), help))
}

/// The remedy where a file would replace another.
pub const OTHER_FILE: &str = "choose another file";
const POINTS_PER_INCH: f64 = 72.0;
/// Axes take more than an inch.
const LEAST_INCHES: f64 = 1.5;
const MOST_INCHES: f64 = 100.0;
/// Names in a message.
const MOST_NAMES: usize = 20;
