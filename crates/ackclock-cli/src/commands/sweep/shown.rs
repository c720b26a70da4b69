//! What is shown of a sweep that has ended: tables and figures, in its folder and where they are asked for.

use std::path::{Path, PathBuf};

use ackclock_report::page::paper::Name;
use ackclock_sweep::report::Number;
use ackclock_sweep::summary::{Baseline, Method};
use ackclock_sweep::{Plan, Results, Status, Store, report};

use super::super::plot::figure::{Figure, meant, unknown};
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
    metrics: Vec<String>,
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
        let mut figure = Figure::of(&args.figure, ELSEWHERE)?;
        if let Some(path) = &args.report {
            refuse_page(path)?;
            refuse_in_sweep(path, folder)?;
            replace::refuse_other(path, Kind::Report, ELSEWHERE)?;
        }
        if !figure.is_none() && !report::has_figure(plan) {
            return Err(Failure::usage(
                "--plot: this sweep has no figure",
                "vary a key over several values, as in --vary queue.buffer=0.1..4bdp:log:10",
            ));
        }
        let (mut numbers, others) = report::named(plan);
        let wanted = wanted(&args.metric, &numbers)?;
        numbers.retain(|number| wanted.is_empty() || wanted.contains(&number.metric));
        let names: Vec<Name> = numbers.into_iter().map(|number| number.name).chain(others).collect();
        figure.label(&names)?;
        let (method, page) = (args.interval.into(), args.report.clone());
        Ok(Shown { method, baseline, figure, metrics: wanted, page })
    }

    /// Refuses a figure that has no room for the plots of the numbers that runs are known to have.
    pub fn refuse_low(&self, plan: &Plan, numbers: &[String]) -> Result<(), Failure> {
        if self.figure.has_height() {
            self.figure.drawn(report::plots_before(plan, &self.metrics, numbers))?;
        }
        Ok(())
    }

    /// The first file that is asked for beside those of the folder.
    pub fn asked_for(&self) -> Option<&Path> {
        self.figure.first().or(self.page.as_deref())
    }

    /// Writes the files that are asked for beside those of the folder, and says that it did.
    pub fn write(&self, results: &Results) -> Result<(), Failure> {
        if let Some(path) = &self.page {
            replace::write(path, Kind::Report, report::page(results, self.method).as_bytes(), ELSEWHERE)?;
            console::note(format_args!("{} written", path.display()));
        }
        if self.figure.is_none() { Ok(()) } else { self.write_figure(results) }
    }

    /// An error, if not all was written that was asked for: what can be drawn is drawn.
    fn write_figure(&self, results: &Results) -> Result<(), Failure> {
        if results.count(Status::Finished) == 0 {
            return Err(Failure::outside("--plot: no run has numbers to draw", "see why they failed, above"));
        }
        let plots = report::plots(results, self.method, &self.metrics);
        if plots.is_none() && self.metrics.is_empty() {
            return Err(Failure::outside(
                "--plot: no run has a value of a number that figures show",
                "keep other numbers with --measure, which are drawn, too",
            ));
        }
        if let Some(plots) = plots {
            for label in self.figure.unused_labels(&plots) {
                console::note(format_args!(
                    "warning: --label '{label}': no run has a value of it, and it is not drawn"
                ));
            }
            // The runs are done: nothing is wrong with the command line alone.
            let late = |failure| match failure {
                Failure::Message { text, help, .. } => Failure::outside(text, help),
                other => other,
            };
            self.figure.drawn(plots).map_err(late)?.write()?;
        }
        let has = |metric: &str| results.plan().place_of(metric).is_some_and(|place| results.has(place));
        match self.metrics.iter().find(|metric| !has(metric)) {
            None => Ok(()),
            Some(metric) => Err(Failure::outside(
                format_args!("--metric {metric}: no run has a value of this number, and it is not drawn"),
                format_args!("`ackclock explain {metric}` says where it is defined"),
            )),
        }
    }
}

/// The numbers that are asked for, as runs are asked for them.
fn wanted(asked: &[String], numbers: &[Number]) -> Result<Vec<String>, Failure> {
    let name = |Number { metric, name }: &Number| Name {
        text: metric.clone(),
        also: name.also.iter().chain([&name.text]).cloned().collect(),
        of: name.of,
    };
    let names: Vec<Name> = numbers.iter().map(name).collect();
    let metric = |text: &String| match meant(text, &names) {
        Some(name) => Ok(name.text.clone()),
        None => Err(unknown("metric", text, text, &names)),
    };
    asked.iter().map(metric).collect()
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
