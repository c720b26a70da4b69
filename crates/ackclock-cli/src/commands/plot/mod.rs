//! `ackclock plot`: the numbers behind each figure, as CSV files, FIGURE-NAME.csv for each flow or port.

pub mod figure;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ackclock::record::{Metric, Series};
use ackclock::units::Time;
use ackclock_report::figures::{self, FIGURES, Figure};
use ackclock_report::page::bands::MOST_CURVES;
use ackclock_report::page::paper::Plot;
use ackclock_report::plots;
use ackclock_store::document::{Document, Run};
use ackclock_store::result;
use ackclock_store::tables::{self, OfTables, Problem, TableError, Tables};

use super::export;
use crate::args::PlotArgs;
use crate::console;
use crate::diagnostics::plural;
use crate::failure::{Exit, Failure};
use crate::output::{OTHER_FOLDER, Output};
use crate::replace::{self, Kind};
use figure::{Figure as FigureFile, OTHER_FILE};

/// Writes the figures that are asked for, or all for which there are tables.
pub fn plot(args: &PlotArgs) -> Result<Exit, Failure> {
    let (folder, document) = result::open(&args.dir)?;
    let recorded = export::recorded(folder, &document)?;
    let run = run(folder, &document, args.seed)?;
    let tables = tables::of_run(folder, &document, run)?;
    let possible = |figure: &&Figure| match args.figure.as_slice() {
        [] => recorded.contains(&figure.metrics[0]),
        wanted => wanted.iter().any(|name| name == figure.name),
    };
    let figures: Vec<&Figure> = FIGURES.iter().filter(possible).collect();
    if figures.is_empty() {
        return Err(Failure::outside(
            format_args!("`{}` has no records of which there is a figure", folder.display()),
            format_args!("figures show: {}", FIGURES.map(|figure| figure.metrics[0].name()).join(", ")),
        ));
    }
    let unit = &document.scenario.unit;
    let mut figure_file = FigureFile::of(&args.drawn, OTHER_FILE)?;
    let files = || Files { to: args.to.clone(), used: BTreeSet::new() };
    // Twice: before anything is written it is known that nothing of others is replaced.
    let mut looked_at = files();
    for figure in &figures {
        each(figure, &tables, &mut looked_at, |files, name, curves| {
            let begins = figures::header(curves, unit);
            replace::refuse_other(&files.to.join(name), Kind::Lines(&begins), OTHER_FOLDER)
        })?;
    }
    if !figure_file.is_none() {
        let plots: Vec<Plot> =
            figures.iter().map(|figure| on_paper(figure.metrics[0], &tables, run, unit)).collect::<Result<_, _>>()?;
        figure_file.label_plots(&plots)?;
        figure_file.drawn(plots)?.write()?;
    }
    let mut files = files();
    for figure in &figures {
        each(figure, &tables, &mut files, |files, name, curves| {
            let mut output = Output::file(&files.to, name, OTHER_FOLDER)?;
            output.write(&figures::csv(curves, unit))?;
            output.finish()
        })?;
    }
    let count = plural(files.used.len(), "file");
    console::note(format_args!("wrote {count} of seed {} to {}", run.seed, args.to.display()));
    Ok(Exit::Fine)
}

/// What a figure shows first, of all flows or ports that can be told apart.
fn on_paper(metric: Metric, tables: &Tables, run: &Run, unit: &str) -> Result<Plot, Failure> {
    let series = tables.read(metric)?;
    if series.len() > MOST_CURVES {
        console::note(format_args!(
            "note: of {} curves of {} the first {MOST_CURVES} are drawn",
            series.len(),
            metric.name()
        ));
    }
    let curves: Vec<(String, &Series)> = series.iter().map(|series| (plots::label(series), series)).collect();
    Ok(plots::on_paper(metric, &curves, unit, Time::from_ps((run.simulated_s * 1e12).round() as u64)))
}

/// The run of a seed, or the first.
fn run<'a>(folder: &Path, document: &'a Document, seed: Option<u64>) -> Result<&'a Run, Failure> {
    let found = document.runs.iter().find(|run| seed.is_none_or(|seed| seed == run.seed));
    found.ok_or_else(|| {
        let seeds: Vec<String> = document.runs.iter().take(20).map(|run| run.seed.to_string()).collect();
        Failure::usage(
            format_args!("`{}` has no run of this seed", folder.display()),
            format_args!("there are: {}", seeds.join(", ")),
        )
    })
}

/// Calls `write` for each file of a figure with its name and its curves.
fn each(
    figure: &Figure,
    tables: &Tables,
    files: &mut Files,
    mut write: impl FnMut(&Files, &str, &[&Series]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut curves = Vec::new();
    for (n, &metric) in figure.metrics.iter().enumerate() {
        match tables.read(metric) {
            Ok(series) => curves.push((metric, series)),
            Err(TableError { problem: Problem::Own(OfTables::NotRecorded { .. }), .. }) if n > 0 => {}
            Err(error) => return Err(error.into()),
        }
    }
    for (n, first) in curves[0].1.iter().enumerate() {
        let subject = match &first.vc {
            Some(vc) => format!("{}-{vc}", first.of),
            None => first.of.clone(),
        };
        // The series of each metric are in the order of the scenario: the n-th of each is of the same flow.
        let same = |series: &&Series| series.of == first.of && series.vc == first.vc;
        let of_subject: Vec<&Series> = curves.iter().filter_map(|(_, series)| series.get(n).filter(same)).collect();
        let name = files.name(figure.name, &subject);
        write(files, &name, &of_subject)?;
    }
    Ok(())
}

/// Files of one folder, no two of the same name.
struct Files {
    to: PathBuf,
    used: BTreeSet<String>,
}

impl Files {
    /// A name that any system and any plotting program can bear.
    fn name(&mut self, figure: &str, subject: &str) -> String {
        let mut plain = String::new();
        for c in subject.chars() {
            match c {
                c if c.is_ascii_alphanumeric() || "_.".contains(c) => plain.push(c),
                _ if plain.ends_with('-') => {}
                _ => plain.push('-'),
            }
        }
        let mut name = format!("{figure}-{plain}.csv");
        let mut n = 2;
        while !self.used.insert(name.clone()) {
            name = format!("{figure}-{plain}-{n}.csv");
            n += 1;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_plain_names_of_their_own() {
        let mut files = Files { to: PathBuf::new(), used: BTreeSet::new() };
        assert_eq!(files.name("queue", "sw1->sw2"), "queue-sw1-sw2.csv");
        assert_eq!(files.name("queue", "sw1-sw2"), "queue-sw1-sw2-2.csv");
        assert_eq!(files.name("vc-queue", "a->b-f1/ack"), "vc-queue-a-b-f1-ack.csv");
    }
}
