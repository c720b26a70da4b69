//! `ackclock reproduce`: run published studies again and compare.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use ackclock::sim::{Engine, RESULT_VERSION};
use ackclock_study::{Error, Outcome, Plan, Progress, Report, Selection, Status, Study};
use serde::Serialize;

use crate::args::ReproduceArgs;
use crate::failure::{Exit, Failure};
use crate::progress::Reporter;
use crate::{console, interrupt, output, seeds, spelling};

/// Runs the studies that are asked for, one after the other.
pub fn reproduce(args: &ReproduceArgs, command: Vec<String>) -> Result<Exit, Failure> {
    let wanted = wanted(args)?;
    let stop = interrupt::watch();
    // Each run is kept as it ends, in a line that must be whole.
    interrupt::keep_finished();
    let mut reports = Vec::new();
    for (study, plan) in &wanted {
        let folder = args.out.join(study.folder_name());
        let outcome = match args.live {
            true => live(study, plan, args.at_once, &folder, stop)?,
            false => one(study, plan, args.engine.into(), &folder, stop)?,
        };
        match outcome {
            Outcome::Finished(report) => {
                if !args.json {
                    let gap = if reports.is_empty() { "" } else { "\n" };
                    output::print(&format!("{gap}{}", report.text()))?;
                }
                if args.seeds.is_some() && !report.passed() {
                    console::note(format_args!(
                        "note: findings apply to the seeds of the study and to those of --quick; with --seeds some numbers may \
             differ by chance"
                    ));
                }
                console::note(format_args!("report in {}", folder.display()));
                reports.push(report);
            }
            Outcome::Stopped { finished, total } => {
                console::note(format_args!(
                    "interrupted: {finished} of {total} runs of {} are finished and kept in {}\n\
                     run the same command again to resume",
                    study.name(),
                    folder.display()
                ));
                return Ok(Exit::Interrupted);
            }
        }
    }
    let passed = reports.iter().all(Report::passed);
    if args.json {
        output::print(&document(command, reports))?;
    }
    Ok(if passed { Exit::Fine } else { Exit::Differs })
}

/// The studies and what to run of each. Finds every mistake of the command line before anything is run.
fn wanted(args: &ReproduceArgs) -> Result<Vec<(Study, Plan)>, Failure> {
    let (names, card) = match &args.study {
        None => (ackclock_study::names(), None),
        Some(study) => match study.split_once('/') {
            Some((study, card)) => (vec![study], Some(card.to_string())),
            None => (vec![study.as_str()], None),
        },
    };
    let selection = Selection { card, quick: args.quick, seeds: args.seeds };
    let load = |name: &&str| {
        let study = if args.live { Study::load_live(name)? } else { Study::load(name)? };
        let plan = study.plan(&selection)?;
        Ok((study, plan))
    };
    names.iter().map(load).collect::<Result<_, Error>>().map_err(failure)
}

fn one(study: &Study, plan: &Plan, engine: Engine, folder: &Path, stop: &AtomicBool) -> Result<Outcome, Failure> {
    let watcher = Watcher(Mutex::new(Reporter::new()));
    let outcome = ackclock_study::reproduce(study, plan, engine, folder, seeds::cores(), stop, &watcher);
    watcher.0.into_inner().unwrap_or_else(PoisonError::into_inner).clear();
    outcome.map_err(failure)
}

/// The part of a study that runs live.
fn live(study: &Study, plan: &Plan, at_once: u8, folder: &Path, stop: &AtomicBool) -> Result<Outcome, Failure> {
    let kernel = crate::commands::live::kernel()?;
    let watcher = Watcher(Mutex::new(Reporter::new()));
    let outcome =
        ackclock_study::reproduce_live(study, plan, (&kernel, at_once.into()), folder, seeds::cores(), stop, &watcher);
    watcher.0.into_inner().unwrap_or_else(PoisonError::into_inner).clear();
    outcome.map_err(failure)
}

struct Watcher(Mutex<Reporter>);

impl Progress for Watcher {
    fn advanced(&self, status: &Status) {
        let mut reporter = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reporter.update(status.fraction, |_| format!("{} of {} runs", status.runs_finished, status.runs));
    }

    fn noted(&self, note: &str) {
        console::note(format_args!("{note}"));
    }
}

/// The document of `--json`.
#[derive(Serialize)]
struct Document {
    format: &'static str,
    format_version: u32,
    ackclock: &'static str,
    result_version: u32,
    command: Vec<String>,
    studies: Vec<Report>,
}

fn document(command: Vec<String>, studies: Vec<Report>) -> String {
    let document = Document {
        format: "ackclock-reproduction",
        format_version: 1,
        ackclock: env!("CARGO_PKG_VERSION"),
        result_version: RESULT_VERSION,
        command,
        studies,
    };
    serde_json::to_string_pretty(&document).expect("the document has string keys only") + "\n"
}

fn failure(error: Error) -> Failure {
    let nearest = |wanted: &str, known: &[String], prefix: &str| match spelling::nearest(
        wanted,
        known.iter().map(String::as_str),
    ) {
        Some(name) => format!("did you mean `{prefix}{name}`?"),
        None => "`ackclock list studies` shows them with their titles".into(),
    };
    match &error {
        Error::UnknownStudy { name, known } => Failure::usage(&error, nearest(name, known, "")),
        Error::UnknownCard { card, study, known } => Failure::usage(&error, nearest(card, known, &format!("{study}/"))),
        Error::NothingLive { .. } => Failure::usage(&error, "leave --live out to reproduce it by simulation"),
        Error::Kernel(kernel) => Failure::outside(&error, &kernel.help),
        Error::Invalid { .. } => Failure::outside(
            &error,
            "the others are kept: end other programs, and run the same command again for those that are missing",
        ),
        Error::NoSeeds => Failure::usage(&error, "give a number above 0: --seeds N"),
        Error::Results { error: io, .. } => {
            Failure::outside(&error, output::remedy(io, "choose another folder with --out DIR"))
        }
        Error::Store(store) => Failure::outside(store, store.help()),
        Error::Data { .. } | Error::Scenario { .. } | Error::Run { .. } => Failure::defect(&error),
    }
}
