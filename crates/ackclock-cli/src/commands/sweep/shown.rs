//! What is shown of a sweep that has ended: tables and figures, in its folder and where they are asked for.

use std::path::{Path, PathBuf};

use ackclock_sweep::summary::{Baseline, Method};
use ackclock_sweep::{Plan, Results, Store, report};

use super::super::plot::figure::{Figure, known};
use crate::args;
use crate::console;
use crate::failure::Failure;
use crate::replace::{self, Kind};

/// What was asked for, as far as it makes sense for a plan.
pub struct Shown<'a> {
    pub method: Method,
    pub baseline: Option<Baseline>,
    figure: Figure<'a>,
    /// The numbers that it shows, all if there are none.
    metrics: &'a [String],
    page: Option<PathBuf>,
}

impl<'a> Shown<'a> {
    /// Refuses what there will not be, and what would replace other files, before anything is run. `folder` is that of the sweep.
    pub fn of(args: &'a args::Shown, plan: &Plan, folder: &Path) -> Result<Shown<'a>, Failure> {
        let read = |text: &str| {
            Baseline::parse(text, plan)
                .map_err(|(wrong, help)| Failure::usage(format_args!("--baseline: {wrong}"), help))
        };
        let baseline = args.baseline.as_deref().map(read).transpose()?;
        for path in &args.figure.plot {
            refuse_in_sweep(path, folder)?;
        }
        let figure = Figure::of(&args.figure, ELSEWHERE)?;
        if let Some(path) = &args.report {
            refuse_page(path)?;
            refuse_in_sweep(path, folder)?;
            replace::refuse_other(path, Kind::Report, ELSEWHERE)?;
        }
        if !figure.paths().is_empty() && !report::has_figure(plan) {
            return Err(Failure::usage(
                "--plot: this sweep has no figure",
                "vary a key over several values, as in --vary queue.buffer=0.1..4bdp:log:10",
            ));
        }
        let named = report::named(plan);
        figure.check(&named.names, &named.curves)?;
        args.metric.iter().try_for_each(|name| known("metric", name, name, &named.metrics).map(|_| ()))?;
        let (method, page) = (args.interval.into(), args.report.clone());
        Ok(Shown { method, baseline, figure, metrics: &args.metric, page })
    }

    /// The first file that is asked for beside those of the folder.
    pub fn asked_for(&self) -> Option<&Path> {
        self.figure.paths().first().or(self.page.as_ref()).map(PathBuf::as_path)
    }

    /// Writes the files that are asked for beside those of the folder, and says that it did.
    pub fn write(&self, results: &Results) -> Result<(), Failure> {
        if !self.figure.paths().is_empty() {
            let none = || Failure::outside("--plot: no run has numbers to draw", "see why they failed, above");
            self.figure.write(report::plots(results, self.method, self.metrics).ok_or_else(none)?)?;
        }
        if let Some(path) = &self.page {
            replace::write(path, Kind::Report, report::page(results, self.method).as_bytes(), ELSEWHERE)?;
            console::note(format_args!("{} written", path.display()));
        }
        Ok(())
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

/// Refuses the name of a file that the folder of the sweep has for itself.
fn refuse_in_sweep(path: &Path, sweep: &Path) -> Result<(), Failure> {
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
    Ok(())
}

const ELSEWHERE: &str = "choose another file; the folder of the sweep has the same";
