//! What is shown of a sweep that has ended: tables and figures, in its folder and where they are asked for.

use std::path::{Path, PathBuf};

use ackclock_sweep::summary::{Baseline, Method};
use ackclock_sweep::{Plan, Results, Store, report};

use crate::args;
use crate::console;
use crate::failure::Failure;
use crate::replace::{self, Kind};

/// What was asked for, as far as it makes sense for a plan.
pub struct Shown {
    pub method: Method,
    pub baseline: Option<Baseline>,
    plots: Vec<(PathBuf, Format)>,
    page: Option<PathBuf>,
}

#[derive(Clone, Copy)]
enum Format {
    Svg,
    Pdf,
}

impl Shown {
    /// Refuses what there will not be, and what would replace other files, before anything is run. `folder` is that of the sweep.
    pub fn of(args: &args::Shown, plan: &Plan, folder: &Path) -> Result<Shown, Failure> {
        let read = |text: &str| {
            Baseline::parse(text, plan)
                .map_err(|(wrong, help)| Failure::usage(format_args!("--baseline: {wrong}"), help))
        };
        let baseline = args.baseline.as_deref().map(read).transpose()?;
        let plot = |path: &PathBuf| format(path).map(|format| (path.clone(), format));
        let plots = args.plot.iter().map(plot).collect::<Result<Vec<_>, _>>()?;
        for path in &args.plot {
            refuse_name(path, Kind::Figure, folder)?;
        }
        if let Some(path) = &args.report {
            refuse_page(path)?;
            refuse_name(path, Kind::Report, folder)?;
        }
        if !plots.is_empty() && !report::has_figure(plan) {
            return Err(Failure::usage(
                "--plot: this sweep has no figure",
                "vary a key over several values, as in --vary queue.buffer=0.1..4bdp:log:10",
            ));
        }
        Ok(Shown { method: args.interval.into(), baseline, plots, page: args.report.clone() })
    }

    /// The first file that is asked for beside those of the folder.
    pub fn asked_for(&self) -> Option<&Path> {
        self.plots.first().map(|(path, _)| path.as_path()).or(self.page.as_deref())
    }

    /// Writes the files that are asked for beside those of the folder, and says that it did.
    pub fn write(&self, results: &Results) -> Result<(), Failure> {
        for (path, format) in &self.plots {
            let plot = match format {
                Format::Svg => report::svg(results, self.method).map(String::into_bytes),
                Format::Pdf => report::pdf(results, self.method),
            };
            let none = || Failure::outside("--plot: no run has numbers to draw", "see why they failed, above");
            write(path, Kind::Figure, &plot.ok_or_else(none)?)?;
        }
        if let Some(path) = &self.page {
            write(path, Kind::Report, report::page(results, self.method).as_bytes())?;
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

/// A page has a name by which it opens in a browser.
fn refuse_page(path: &Path) -> Result<(), Failure> {
    let end = path.extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase);
    match end.as_deref() {
        Some("html" | "htm") => Ok(()),
        _ => Err(Failure::usage(
            format_args!("--report {}: a page is an HTML file", path.display()),
            "write a name that ends with .html",
        )),
    }
}

/// Refuses the name of a file that is of another kind, or that the folder of the sweep has for itself.
fn refuse_name(path: &Path, kind: Kind, sweep: &Path) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_in_sweep = match (folder.canonicalize(), sweep.canonicalize()) {
        (Ok(folder), Ok(sweep)) => folder == sweep,
        // What is not there yet.
        _ => folder == sweep,
    };
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if is_in_sweep && Store::has_file(name) {
        return Err(Failure::usage(
            format_args!("`{}` is a file that the folder of the sweep has for itself", path.display()),
            ELSEWHERE,
        ));
    }
    replace::refuse_other(path, kind, ELSEWHERE)
}

fn write(path: &Path, kind: Kind, content: &[u8]) -> Result<(), Failure> {
    replace::write(path, kind, content, ELSEWHERE)?;
    console::note(format_args!("{} written", path.display()));
    Ok(())
}

const ELSEWHERE: &str = "choose another file; the folder of the sweep has the same";
