//! `ackclock export`: the tables of a result as CSV or JSON lines.

use std::path::Path;

use ackclock::record::{Metric, Series};
use ackclock_store::document::Document;
use ackclock_store::tables::{self, Cell, Column, columns};
use ackclock_store::{recorded, result};

use crate::args::{ExportArgs, Format};
use crate::console;
use crate::failure::{Exit, Failure};
use crate::output::{OTHER_FOLDER, Output};

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
    for &metric in &wanted {
        let mut output = Output::file(&args.to, &format!("{}.{ending}", metric.name()), OTHER_FOLDER)?;
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
        let names: Vec<&str> = columns.iter().map(|column| &column.name[..]).collect();
        output.write(&format!("seed,{}\n", names.join(",")))?;
    }
    for run in &document.runs {
        let tables = tables::of_run(folder, document, run)?;
        for series in tables.read(metric)? {
            for row in 0..series.columns.len() {
                output.write(&match format {
                    Format::Csv => csv(run.seed, &columns, &series, row),
                    Format::Json => json(run.seed, &columns, &series, row),
                })?;
                if !output.is_open() {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

fn csv(seed: u64, columns: &[Column], series: &Series, row: usize) -> String {
    let mut line = seed.to_string();
    for column in columns {
        line.push(',');
        match column.cell(series, row) {
            Cell::Text(text) => line += &quoted(text),
            Cell::Time(ps) => line += &ps.to_string(),
            Cell::Count(count) => line += &count.to_string(),
            Cell::Number(number) => line += &number.to_string(),
        }
    }
    line + "\n"
}

/// A name as a field of CSV (RFC 4180 §2).
pub fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into(),
    }
}

/// JSON has no infinity: what is infinite is null.
fn json(seed: u64, columns: &[Column], series: &Series, row: usize) -> String {
    let mut line = format!("{{\"metric\":\"{}\",\"seed\":{seed}", series.metric.name());
    for column in columns {
        let value = match column.cell(series, row) {
            Cell::Text(text) => serde_json::Value::from(text),
            Cell::Time(ps) => ps.into(),
            Cell::Count(count) => count.into(),
            Cell::Number(number) => number.into(),
        };
        line += &format!(",\"{}\":{value}", column.name);
    }
    line + "}\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::record::Columns;
    use ackclock::units::Time;

    fn series() -> Series {
        let columns = Columns::Points { time: vec![Time::ZERO, Time::from_ps(5)], value: vec![f64::INFINITY, 4096.5] };
        Series { metric: Metric::Ssthresh, of: "f,1".into(), vc: None, columns }
    }

    #[test]
    fn a_row_of_csv_has_every_bit_of_its_numbers() {
        let columns = columns(Metric::Ssthresh, "cells");
        assert_eq!(csv(3, &columns, &series(), 0), "3,\"f,1\",0,inf\n");
        assert_eq!(csv(3, &columns, &series(), 1), "3,\"f,1\",5,4096.5\n");
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
    }

    #[test]
    fn a_line_of_json_is_an_object_and_infinity_is_null() {
        let columns = columns(Metric::Ssthresh, "cells");
        let line = json(3, &columns, &series(), 0);
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        let expected = serde_json::json!(
            {"metric": "ssthresh", "seed": 3, "flow": "f,1", "time_ps": 0, "ssthresh_bytes": null});
        assert_eq!(value, expected);
        assert!(json(3, &columns, &series(), 1).ends_with("\"time_ps\":5,\"ssthresh_bytes\":4096.5}\n"));
    }
}
