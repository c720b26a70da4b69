//! The cells of published tables: measurements beside them, and whether they agree.

use ackclock::record::stats::sample_sd;

use super::headline::chosen::{MEASURE, tolerance_name};
use super::headline::power::{power, published};
use super::headline::types::{LayoutReport, LayoutRowReport};
use super::quantity::Measured;
use super::{CellReport, Number, TableReport, Verdict};
use crate::data::{Card, Column, Row, Table, Tolerance, cell_id, merged};
use crate::plan::Scope;

/// The cells of a table, judged.
pub(super) fn table_report(measured: &Measured, scope: &Scope, card: &Card, table: &Table) -> TableReport {
    let mut cells = Vec::new();
    for row in scope.rows(measured.study, card) {
        for ((column, published), tolerance) in table.columns_of(row).iter().zip(&row.published).zip(&row.tolerance) {
            let tolerance = table.tolerance(tolerance).expect("checked when the study was loaded");
            let cell = cell_report(measured, (card, table), (row, column), *published, tolerance);
            let finding = measured.study.finding_for(&cell.id, scope.quick).map(|finding| finding.id.as_str());
            let verdict = Verdict::new(cell.verdict.agrees(), finding);
            cells.push(CellReport { verdict, ..cell });
        }
    }
    tell_apart(table, &mut cells);
    let mut report = TableReport {
        quantity: table.quantity.clone(),
        beside: table.beside.iter().map(|beside| beside.label.clone()).collect(),
        capacity_mbps: table.capacity_mbps.unwrap_or(measured.study.head.capacity_mbps),
        layout: layout(table, &cells),
        cells,
        power: None,
        readings: Vec::new(),
    };
    report.power = power(std::iter::once(published(Some(&report))));
    report
}

/// A cell, with a verdict that knows no finding.
fn cell_report(
    measured: &Measured,
    (card, table): (&Card, &Table),
    (row, column): (&Row, &Column),
    published: f64,
    tolerance: &Tolerance,
) -> CellReport {
    let points = measured.points(&merged(&row.at, &column.at));
    let name = table.metric_of(column);
    let metric = measured.study.metric(name, table.capacity_mbps);
    let values = match tolerance.is_about_runs() {
        true => points.iter().flat_map(|point| measured.per_seed(std::slice::from_ref(point), &metric)).collect(),
        false => measured.per_seed(&points, &metric),
    };
    let shown = |value: f64| value / column.unit + column.plus;
    let values: Vec<f64> = values.into_iter().flatten().map(shown).collect();
    let (least, most) = metric.bounds();
    let ours = Number::of(&values, (shown(least), shown(most)));
    let beside = table.beside.iter().map(|beside| {
        let metric = beside.metric();
        measured.summary(&points, &metric).expect("an efficiency always exists").mean
    });
    let deviation = sample_sd(&values).unwrap_or(0.0);
    let measure = table.after_results.as_ref().map(|_| MEASURE.to_owned());
    let by = tolerance.after_results.as_ref().map(|_| tolerance_name(tolerance));
    CellReport {
        id: cell_id(&card.id, &row.label, &column.label),
        row: row.label.clone(),
        column: column.label.clone(),
        published,
        tolerance: tolerance.distance(published, deviation),
        apart: None,
        wide: false,
        own: card.beyond || !table.is_published(row, column),
        depends_on: measure.into_iter().chain(by).collect(),
        judged_by: tolerance.clone(),
        exact: tolerance.is_exact(),
        counts: (name.kind(), column.unit),
        decimals: tolerance.printed_decimals().unwrap_or(column.decimals),
        tolerance_reason: tolerance.reason.clone(),
        ours,
        as_printed: ours.printed_with(tolerance),
        beside: beside.collect(),
        verdict: Verdict::new(tolerance.agrees(ours.mean, published, deviation), None),
    }
}

/// The published cells in the rows and columns of the publication, without rows and columns of which nothing was examined.
fn layout(table: &Table, cells: &[CellReport]) -> LayoutReport {
    let place = |name: &str| cells.iter().position(|cell| !cell.own && format!("{}/{}", cell.row, cell.column) == name);
    let row_of = |label: &str, names: Vec<String>| LayoutRowReport {
        label: label.into(),
        cells: names.iter().map(|name| place(name)).collect(),
    };
    let whole = match &table.layout {
        Some(layout) => LayoutReport {
            corner: layout.corner.clone(),
            columns: layout.columns.iter().map(|column| column.label.clone()).collect(),
            rows: (layout.rows.iter())
                .map(|row| row_of(row.label(), layout.columns.iter().map(|column| column.cell_of(row)).collect()))
                .collect(),
        },
        None => {
            let names =
                |row: &Row| table.columns.iter().map(|column| format!("{}/{}", row.label, column.label)).collect();
            LayoutReport {
                corner: String::new(),
                columns: table.columns.iter().map(|column| column.label.clone()).collect(),
                rows: table.rows.iter().map(|row| row_of(&row.label, names(row))).collect(),
            }
        }
    };
    whole.without_gaps()
}

impl LayoutReport {
    /// Without rows and columns that have no number.
    fn without_gaps(self) -> LayoutReport {
        let has_number = |column: usize| self.rows.iter().any(|row| row.cells[column].is_some());
        let kept: Vec<usize> = (0..self.columns.len()).filter(|column| has_number(*column)).collect();
        let rows = self.rows.iter().filter(|row| row.cells.iter().any(Option::is_some));
        let rows = rows.map(|row| LayoutRowReport {
            label: row.label.clone(),
            cells: kept.iter().map(|column| row.cells[*column]).collect(),
        });
        LayoutReport {
            rows: rows.collect(),
            columns: kept.iter().map(|column| self.columns[*column].clone()).collect(),
            corner: self.corner,
        }
    }
}

/// What the table distinguishes at each of its cells, and whether their tolerances are as large.
fn tell_apart(table: &Table, cells: &mut [CellReport]) {
    let quantity = |cell: &CellReport| {
        let column = table.columns.iter().find(|column| column.label == cell.column).expect("a cell has a column");
        (table.metric_of(column).text(), column.unit, column.plus)
    };
    let farthest = |cell: &CellReport, of: &dyn Fn(&CellReport) -> bool| {
        let others = cells.iter().filter(|other| of(other) && quantity(other) == quantity(cell));
        let distances = others.map(|other| (other.published - cell.published).abs());
        Some(distances.fold(0.0, f64::max)).filter(|distance| *distance > 0.0)
    };
    let apart: Vec<Option<f64>> = cells
        .iter()
        .map(|cell| {
            let of_row = farthest(cell, &|other| other.row == cell.row);
            of_row.or_else(|| farthest(cell, &|other| other.column == cell.column))
        })
        .collect();
    for (cell, apart) in cells.iter_mut().zip(apart) {
        cell.apart = apart;
        cell.wide = !cell.exact && apart.is_some_and(|apart| cell.tolerance >= apart * (1.0 - 1e-9));
    }
}
