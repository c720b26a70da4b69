//! The tables and figures of a sweep as files that have their names only when all of them are whole.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use ackclock_store::folder::checksum;
use ackclock_store::{ResultFolder, WholeFile};

use crate::error::Error;
use crate::report;
use crate::results::{Results, Status};
use crate::summary::{Baseline, Method};
use crate::table::{self, Selection};

/// The tables and figures of a sweep.
pub(crate) const TABLES: [&str; 8] = [
    "table.parquet",
    "table.csv",
    "summary.csv",
    "differences.csv",
    "report.html",
    "figure.svg",
    "figure.pdf",
    "figure.csv",
];

/// Writes all that there are of them, and removes the others: they are of other runs, or were asked for by an earlier command.
pub(crate) fn tables(
    folder: &mut ResultFolder,
    results: &Results,
    method: Method,
    baseline: Option<Baseline>,
) -> Result<(), Error> {
    let path = folder.path().to_path_buf();
    // There is none where no key with numbers changes, or no run has numbers.
    let figure = report::files(results, method);
    let write = |name: &str| -> io::Result<WholeFile> {
        let mut file = WholeFile::create(&path.join(name))?;
        match name {
            "table.parquet" => table::parquet(results, &mut file)?,
            "table.csv" => table::csv(results, &mut file)?,
            "summary.csv" => table::summary_csv(results, method, None, Selection::default(), &mut file)?,
            "differences.csv" => table::summary_csv(results, method, baseline, Selection::default(), &mut file)?,
            "report.html" => file.write_all(report::page(results, method).as_bytes())?,
            "figure.svg" => file.write_all(figure.as_ref().map_or("", |(svg, _)| svg).as_bytes())?,
            "figure.pdf" => file.write_all(figure.as_ref().map_or(&[], |(_, pdf)| pdf))?,
            _ => file.write_all(&report::figure_csv(results, method).unwrap_or_default())?,
        }
        file.flush()?;
        file.sync()?;
        Ok(file)
    };
    let mut files = Vec::new();
    let is_there = |name: &&str| match *name {
        "figure.svg" | "figure.pdf" | "figure.csv" => figure.is_some(),
        "differences.csv" => baseline.is_some(),
        _ => true,
    };
    for name in TABLES.into_iter().filter(is_there) {
        let failed = |error| Error::write(&path.join(name), error);
        let file = write(name).map_err(failed)?;
        let sum = checksum(file.temporary()).map_err(failed)?;
        files.push((name, sum, file));
    }
    let sums: Vec<(&str, String)> = files.iter().map(|(name, sum, _)| (*name, sum.clone())).collect();
    folder.note(&sums, false)?;
    for (name, _, file) in files {
        file.commit().map_err(|error| Error::write(&path.join(name), error))?;
    }
    for name in TABLES.iter().filter(|name| !is_there(name)) {
        remove(&path.join(name))?;
    }
    Ok(folder.note(&[], results.count(Status::Missing) == 0)?)
}

/// Removes a file, if it is there.
pub(crate) fn remove(file: &Path) -> Result<(), Error> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::write(file, error)),
        _ => Ok(()),
    }
}
