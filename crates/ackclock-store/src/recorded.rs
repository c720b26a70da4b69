//! What a kept run recorded over time, for the commands that show it.

use std::collections::BTreeSet;
use std::path::Path;

use crate::document::{Document, Run};
use crate::tables::{self, Problem, TableError, Tables};
use ackclock::record::{Metric, Series};

/// Everything that a run of a result folder recorded; nothing if it recorded nothing.
pub fn series(folder: &Path, document: &Document, run: &Run) -> Result<Vec<Series>, TableError> {
    match open(folder, document, run)? {
        Some(tables) => tables.read_all(),
        None => Ok(Vec::new()),
    }
}

/// The recorded series of one metric.
pub fn series_of(folder: &Path, document: &Document, run: &Run, metric: Metric) -> Result<Vec<Series>, TableError> {
    match open(folder, document, run)? {
        Some(tables) if tables.metrics().contains(&metric) => tables.read(metric),
        _ => Ok(Vec::new()),
    }
}

/// Which metrics a run recorded.
pub fn metrics(folder: &Path, document: &Document, run: &Run) -> Result<BTreeSet<Metric>, TableError> {
    Ok(open(folder, document, run)?.map(|tables| tables.metrics().into_iter().collect()).unwrap_or_default())
}

/// Whether the scenario of a result asked for tables: if there are none, they were removed.
pub fn is_promised(document: &Document) -> bool {
    document.scenario.resolved.lines().any(|line| line.starts_with("record = [\""))
}

/// Whether the scenario of a result asked for captures.
pub fn promises_captures(document: &Document) -> bool {
    document.scenario.resolved.lines().any(|line| line.starts_with("capture = [\""))
}

/// A run without tables recorded nothing; tables that are missing, damaged, or of another run, are an error.
fn open(folder: &Path, document: &Document, run: &Run) -> Result<Option<Tables>, TableError> {
    match tables::of_run(folder, document, run) {
        Ok(tables) => Ok(Some(tables)),
        Err(error) if matches!(error.problem, Problem::Missing) && !is_expected(folder, document, run) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_expected(folder: &Path, document: &Document, run: &Run) -> bool {
    is_promised(document) || tables::folder_of(folder, run.seed).exists()
}
