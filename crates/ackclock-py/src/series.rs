//! What was recorded of a metric over time, as a table.

use ackclock::record::{Columns, Metric, Series};
use ackclock::units::Time;
use ackclock_columns::Kind;
use ackclock_store::tables::{self, Cell};

use crate::table::{self, Made, Table};

/// The table of a metric: rows of several series, one after the other. Times are seconds.
pub fn series_table(metric: Metric, unit: &str, found: &[(u64, &Series)]) -> Table {
    let columns = tables::columns(metric, unit);
    let lengths: Vec<usize> = found.iter().map(|(_, series)| series.columns.len()).collect();
    let seeds = found.iter().zip(&lengths).flat_map(|((seed, _), rows)| std::iter::repeat_n(*seed as i64, *rows));
    let mut made = vec![Made {
        name: tables::SEED.0.into(),
        unit: String::new(),
        about: tables::SEED.1.into(),
        values: table::integers(seeds.collect()),
    }];
    for column in &columns {
        let is_of_subject = matches!(column.name.as_str(), "flow" | "port");
        let values = match column.kind {
            Kind::Text if is_of_subject => {
                let runs: Vec<(&str, usize)> =
                    found.iter().zip(&lengths).map(|((_, series), rows)| (series.of.as_str(), *rows)).collect();
                table::runs_of_names(&runs)
            }
            Kind::Text => table::names(cells(found, column).map(|cell| match cell {
                Cell::Text(text) => text,
                _ => "",
            })),
            _ => table::numbers(numbers(found, column)),
        };
        let is_time = column.kind == Kind::Time;
        let name = if is_time { column.name.replace("_ps", "_s") } else { column.name.clone() };
        let unit = if is_time { "s".to_owned() } else { column.unit.clone() };
        made.push(Made { name, unit, about: column.about.into(), values });
    }
    Table::of(made)
}

fn cells<'a>(found: &'a [(u64, &'a Series)], column: &'a tables::Column) -> impl Iterator<Item = Cell<'a>> {
    found.iter().flat_map(move |(_, series)| tables::rows(series).map(move |row| column.cell(&row)))
}

/// The numbers of a column; times in seconds. Points are taken as they are: there may be millions.
fn numbers(found: &[(u64, &Series)], column: &tables::Column) -> Vec<f64> {
    let points = |series: &Series, numbers: &mut Vec<f64>| match (&series.columns, column.kind) {
        (Columns::Points { time, .. }, Kind::Time) => numbers.extend(time.iter().map(|time| time.as_secs_f64())),
        (Columns::Points { value, .. }, _) => numbers.extend_from_slice(value),
        (Columns::Intervals { interval, end, mean, .. }, Kind::Time) => {
            let first = u64::from(column.name.starts_with("end"));
            let at = |n: usize| interval.as_ps().saturating_mul(n as u64 + first).min(end.as_ps());
            numbers.extend((0..mean.len()).map(|n| Time::from_ps(at(n)).as_secs_f64()));
        }
        (Columns::Intervals { min, mean, max, .. }, Kind::Number | Kind::Whole) => {
            let of = match () {
                () if column.name.contains("_min_") => min,
                () if column.name.contains("_max_") => max,
                () => mean,
            };
            of.stretches().for_each(|(value, times)| numbers.extend(std::iter::repeat_n(value, times as usize)));
        }
        _ => numbers.extend(tables::rows(series).map(|row| match column.cell(&row) {
            Cell::Time(ps) => Time::from_ps(ps).as_secs_f64(),
            Cell::Count(count) => f64::from(count),
            Cell::Number(number) => number,
            Cell::Text(_) => f64::NAN,
        })),
    };
    let mut numbers = Vec::new();
    found.iter().for_each(|(_, series)| points(series, &mut numbers));
    numbers
}
