//! The cells of published tables: measurements beside them, and whether they agree.

use ackclock::record::stats::sample_sd;

use super::quantity::Measured;
use super::{CellReport, Number, TableReport, Verdict};
use crate::data::{Beside, Card, Table, cell_id, merged};
use crate::measure::Metric;
use crate::plan::Scope;

/// The cells of a table, judged.
pub(super) fn table_report(measured: &Measured, scope: &Scope, card: &Card, table: &Table) -> TableReport {
    let study = measured.study;
    let mut cells = Vec::new();
    for row in scope.rows(study, card) {
        for ((column, published), tolerance) in table.columns_of(row).iter().zip(&row.published).zip(&row.tolerance) {
            let points = measured.points(&merged(&row.at, &column.at));
            let name = column.metric.as_ref().unwrap_or(&table.metric);
            let metric = study.metric(name, table.capacity_mbps);
            let tolerance = table.tolerance(tolerance).expect("checked when the study was loaded");
            let values = match tolerance.is_about_runs() {
                true => {
                    points.iter().flat_map(|point| measured.per_seed(std::slice::from_ref(point), &metric)).collect()
                }
                false => measured.per_seed(&points, &metric),
            };
            let values: Vec<f64> =
                values.into_iter().flatten().map(|value| value / column.unit + column.plus).collect();
            let (least, most) = metric.bounds();
            let shown = |value: f64| value / column.unit + column.plus;
            let ours = Number::of(&values, (shown(least), shown(most)));
            let beside = table.beside.iter().map(|beside| {
                let Beside { capacity_mbps, after_warmup, .. } = beside;
                let metric = Metric::Efficiency { capacity_bps: capacity_mbps * 1e6, after_warmup: *after_warmup };
                measured.summary(&points, &metric).expect("an efficiency always exists").mean
            });
            let id = cell_id(&card.id, &row.label, &column.label);
            let deviation = sample_sd(&values).unwrap_or(0.0);
            let agrees = tolerance.agrees(ours.mean, *published, deviation);
            let finding = study.finding_for(&id, scope.quick).map(|finding| finding.id.as_str());
            let verdict = Verdict::new(agrees, finding);
            cells.push(CellReport {
                id,
                row: row.label.clone(),
                column: column.label.clone(),
                published: *published,
                tolerance: tolerance.distance(*published, deviation),
                apart: None,
                wide: false,
                exact: tolerance.is_exact(),
                counts: (name.counts(), column.unit),
                decimals: tolerance.printed_decimals().unwrap_or(column.decimals),
                tolerance_reason: tolerance.reason.clone(),
                ours,
                as_printed: ours.printed_with(tolerance),
                beside: beside.collect(),
                verdict,
            });
        }
    }
    tell_apart(table, &mut cells);
    TableReport {
        quantity: table.quantity.clone(),
        beside: table.beside.iter().map(|beside| beside.label.clone()).collect(),
        cells,
    }
}

/// What the table distinguishes at each of its cells, and whether their tolerances are as large.
fn tell_apart(table: &Table, cells: &mut [CellReport]) {
    let quantity = |cell: &CellReport| {
        let column = table.columns.iter().find(|column| column.label == cell.column).expect("a cell has a column");
        (column.metric.as_ref().unwrap_or(&table.metric), column.unit, column.plus)
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
