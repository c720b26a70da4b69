//! `ackclock export`: the tables of a result as CSV or JSON lines.

use std::path::Path;

use ackclock::record::Metric;
use ackclock_store::document::Document;
use ackclock_store::tables::{self, Column, columns, text};
use ackclock_store::{recorded, result};

use crate::args::{ExportArgs, Format};
use crate::console;
use crate::failure::{Exit, Failure};
use crate::output::{OTHER_FOLDER, Output};
use crate::replace::{self, Kind};

/// Exports the tables that are asked for, of all seeds.
pub fn export(args: &ExportArgs) -> Result<Exit, Failure> {
    let (folder, document) = result::open(&args.dir)?;
    let recorded = recorded(folder, &document)?;
    let wanted = match args.metric.as_slice() {
        [] => recorded,
        metrics => metrics.iter().filter_map(|name| Metric::named(name)).collect(),
    };
    let standard = args.to == Path::new("-");
    if standard && args.format == Format::Csv && wanted.len() > 1 {
        let names: Vec<&str> = wanted.iter().map(|metric| metric.name()).collect();
        return Err(Failure::usage(
            format_args!("{} tables do not fit into one CSV file: {}", wanted.len(), names.join(", ")),
            "choose one with --metric M, or a folder for a file of each with --to DIR",
        ));
    }
    // Before anything is written: what was not recorded, and what is damaged, of whichever seed.
    for run in &document.runs {
        let tables = tables::of_run(folder, &document, run)?;
        wanted.iter().try_for_each(|&metric| tables.verify_table(metric))?;
    }
    if standard {
        let mut output = Output::standard();
        for metric in wanted {
            table(&mut output, folder, &document, metric, args.format)?;
        }
        return output.finish().map(|()| Exit::Fine);
    }
    let ending = match args.format {
        Format::Csv => "csv",
        Format::Json => "jsonl",
    };
    let name = |metric: Metric| format!("{}.{ending}", metric.name());
    for &metric in &wanted {
        let begins = match args.format {
            Format::Csv => header(&columns(metric, &document.scenario.unit)),
            Format::Json => format!("{{\"metric\":\"{}\",", metric.name()),
        };
        replace::refuse_other(&args.to.join(name(metric)), Kind::Lines(&begins), OTHER_FOLDER)?;
    }
    for &metric in &wanted {
        let mut output = Output::file(&args.to, &name(metric), OTHER_FOLDER)?;
        table(&mut output, folder, &document, metric, args.format)?;
        output.finish()?;
    }
    let files = crate::diagnostics::plural(wanted.len(), "file");
    console::note(format_args!("wrote {files} to {}", args.to.display()));
    Ok(Exit::Fine)
}

/// The metrics that the first run recorded; all runs record the same.
pub fn recorded(folder: &Path, document: &Document) -> Result<Vec<Metric>, Failure> {
    let nothing = || {
        Failure::outside(
            format_args!("`{}` has no tables: nothing was recorded", folder.display()),
            "record metrics: `ackclock run FILE --record METRIC,...`; `ackclock list record` names the metrics",
        )
    };
    if !folder.join(tables::FOLDER).exists() && !recorded::is_promised(document) {
        return Err(nothing());
    }
    let run = document.runs.first().ok_or_else(nothing)?;
    let tables = tables::of_run(folder, document, run)?;
    Ok(tables.metrics())
}

/// The names of the columns of a table, as a line of CSV.
fn header(columns: &[Column]) -> String {
    let names: Vec<&str> = columns.iter().map(|column| &column.name[..]).collect();
    format!("seed,{}\n", names.join(","))
}

/// One table, the seeds one after the other. Only one series of rows is in memory at a time, that of one seed.
fn table(
    output: &mut Output,
    folder: &Path,
    document: &Document,
    metric: Metric,
    format: Format,
) -> Result<(), Failure> {
    let columns = columns(metric, &document.scenario.unit);
    if format == Format::Csv {
        output.write(&header(&columns))?;
    }
    for run in &document.runs {
        let tables = tables::of_run(folder, document, run)?;
        for series in tables.read(metric)? {
            for row in tables::rows(&series) {
                output.write(&match format {
                    Format::Csv => text::csv(run.seed, &columns, &row),
                    Format::Json => text::json(metric.name(), run.seed, &columns, &row),
                })?;
                if !output.is_open() {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}
