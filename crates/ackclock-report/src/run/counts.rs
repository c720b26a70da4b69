//! Counts in the tables of a report.

use ackclock_store::document::interval::Interval;

use crate::page::table::Cell;

/// A mean of counts: whole numbers where every run counted the same.
pub(super) fn counts_cell(counted: &Interval, runs: usize) -> Cell {
    let decimals = usize::from(runs > 1 && counted.min != counted.max && counted.mean < 1000.0);
    match counted.ci95 {
        Some(_) if counted.min == counted.max => Cell::number(counted.mean, 0),
        _ => Cell::interval(counted, 1.0, decimals),
    }
}
