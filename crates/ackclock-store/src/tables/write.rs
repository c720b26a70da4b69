//! From series to Parquet files.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use ackclock::record::{Columns, Metric, Series};
use ackclock::sim::RESULT_VERSION;
use parquet::errors::ParquetError;
use serde::{Deserialize, Serialize};

use super::spans::{IntervalRow, IntervalRows, Rows};
use super::{Column, FORMAT_VERSION, INDEX, Index, IndexedFile, Origin, SEED, TableError, columns};
use crate::seal;
use ackclock_columns::{Kind, Values, files};

/// Writes the series of one run to a folder, which is made if it is not there: a file for each metric, then the index.
/// Everything has reached the disk when this returns.
///
/// # Errors
/// If a file cannot be written: no room, no permission. What was begun stays; without an index it is not taken for
/// tables.
pub fn write(folder: &Path, series: &[Series], origin: &Origin) -> Result<(), TableError> {
    files::create_folder(folder).map_err(|error| TableError::io(folder, error))?;
    let mut files = Vec::new();
    for metric in Metric::ALL {
        let of_metric: Vec<&Series> = series.iter().filter(|series| series.metric == metric).collect();
        if !of_metric.is_empty() {
            files.push(table(folder, metric, &of_metric, origin)?);
        }
    }
    let path = folder.join(INDEX);
    let text = seal::to_text(&Index::new(origin, files));
    let mut file = files::create_new(&path).map_err(|error| TableError::io(&path, error))?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(|error| TableError::io(&path, error))
}

pub(super) fn file_name(metric: &str) -> String {
    format!("{metric}.parquet")
}

/// What the table of several series says about each of them: enough to take them apart again.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Part {
    pub of: String,
    pub vc: Option<String>,
    pub rows: u64,
    /// Of intervals: how many there are, if a row may stand for several.
    pub intervals: Option<u64>,
    /// Of intervals: their length and the end of the run.
    pub interval_ps: Option<u64>,
    pub end_ps: Option<u64>,
    /// Of drops: the connections that cross the port, whether or not they lost anything.
    pub names: Option<Vec<String>>,
}

impl Part {
    fn of(rows: &Rows<'_>) -> Part {
        let series = rows.series;
        let (interval_ps, end_ps) = match &series.columns {
            Columns::Intervals { interval, end, .. } => (Some(interval.as_ps()), Some(end.as_ps())),
            _ => (None, None),
        };
        let names = match &series.columns {
            Columns::Drops { names, .. } => Some(names.clone()),
            _ => None,
        };
        Part {
            of: series.of.clone(),
            vc: series.vc.clone(),
            rows: rows.len() as u64,
            intervals: rows.are_merged.then(|| series.columns.len() as u64),
            interval_ps,
            end_ps,
            names,
        }
    }
}

fn table(folder: &Path, metric: Metric, series: &[&Series], origin: &Origin) -> Result<IndexedFile, TableError> {
    let path = folder.join(file_name(metric.name()));
    let file = files::create_new(&path).map_err(|error| TableError::io(&path, error))?;
    let rows = write_table(&file, metric, series, origin).map_err(|error| TableError::io(&path, error))?;
    file.sync_all().map_err(|error| TableError::io(&path, error))?;
    IndexedFile::of(&path, metric.name(), rows).map_err(|error| TableError::io(&path, error))
}

/// How long the files of some series would be, without writing them: for each metric, in octets.
pub fn lengths(series: &[Series], origin: &Origin) -> Vec<(Metric, u64)> {
    let of_metric = |metric: Metric| -> Vec<&Series> { series.iter().filter(|of| of.metric == metric).collect() };
    let length = |metric: Metric| {
        let mut counted = Length::default();
        write_table(&mut counted, metric, &of_metric(metric), origin).expect("what only counts does not fail");
        (metric, counted.0)
    };
    Metric::ALL.into_iter().filter(|&metric| series.iter().any(|of| of.metric == metric)).map(length).collect()
}

/// Counts what is written to it.
#[derive(Default)]
pub struct Length(
    /// Octets.
    pub u64,
);

impl Write for Length {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.0 += octets.len() as u64;
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes the table of a metric. Returns how many rows it has.
fn write_table(file: impl Write + Send, metric: Metric, series: &[&Series], origin: &Origin) -> io::Result<u64> {
    let series: Vec<Rows> = series.iter().map(|series| Rows::of(series)).collect();
    let mut columns = columns(metric, &origin.unit);
    for column in columns.iter_mut().filter(|column| column.kind == Kind::Whole) {
        // What should be whole and is not is kept as it is.
        if !series.iter().all(|rows| column.all_numbers(rows.series, is_whole)) {
            column.kind = Kind::Number;
        }
    }
    parquet(file, metric, &columns, &series, origin).map_err(ackclock_columns::cause)?;
    Ok(series.iter().map(|rows| rows.len() as u64).sum())
}

/// Whether an integer of a Parquet file gives the same number again, to the bit.
fn is_whole(number: f64) -> bool {
    (0.0..=LARGEST_WHOLE).contains(&number) && (number as i64 as f64).to_bits() == number.to_bits()
}

fn parquet(
    file: impl Write + Send,
    metric: Metric,
    columns: &[Column],
    series: &[Rows<'_>],
    origin: &Origin,
) -> Result<(), ParquetError> {
    // A column of the seed comes first: tables of several runs can be read as one.
    let of_columns = columns.iter().map(|column| (column.name.as_str(), column.kind));
    let named: Vec<(&str, Kind)> = std::iter::once((SEED.0, Kind::Whole)).chain(of_columns).collect();
    let groups = row_groups(series);
    let mut intervals = Intervals::default();
    let name = metric.name().replace('-', "_");
    // The largest seed is that of TOML, which is that of the column.
    let seed = origin.seed as i64;
    ackclock_columns::write(
        file,
        &name,
        &named,
        metadata(metric, columns, series, origin),
        groups.len(),
        |group, column| match column.checked_sub(1) {
            None => Values::Same(seed, groups[group].iter().map(|(_, rows)| rows.len()).sum()),
            Some(column) => {
                intervals.go_to(group, &groups[group]);
                values(&columns[column], &groups[group], &intervals.rows)
            }
        },
    )
}

fn metadata(metric: Metric, columns: &[Column], series: &[Rows<'_>], origin: &Origin) -> Vec<(String, String)> {
    let parts: Vec<Part> = series.iter().map(Part::of).collect();
    let parts = serde_json::to_string(&parts).expect("parts have string keys only");
    let mut metadata = vec![
        ("format".into(), "ackclock-table".into()),
        ("format_version".into(), FORMAT_VERSION.to_string()),
        ("version".into(), env!("CARGO_PKG_VERSION").into()),
        ("result_version".into(), RESULT_VERSION.to_string()),
        ("scenario_hash".into(), origin.scenario_hash.clone()),
        ("seed".into(), origin.seed.to_string()),
        ("fingerprint".into(), origin.fingerprint.clone()),
        ("metric".into(), metric.name().into()),
        ("about".into(), metric.about().into()),
        (SERIES.into(), parts),
        (format!("column.{}.unit", SEED.0), String::new()),
        (format!("column.{}.about", SEED.0), SEED.1.into()),
    ];
    for column in columns {
        metadata.push((format!("column.{}.unit", column.name), column.unit.clone()));
        metadata.push((format!("column.{}.about", column.name), column.about.into()));
    }
    metadata
}

/// Which rows of which series make up each row group.
fn row_groups<'a, 'b>(series: &'b [Rows<'a>]) -> Vec<Vec<(&'b Rows<'a>, Range<usize>)>> {
    let mut groups = Vec::new();
    let mut group = Vec::new();
    let mut room = ROWS_PER_GROUP;
    for series in series {
        let mut from = 0;
        while from < series.len() {
            let to = series.len().min(from + room);
            group.push((series, from..to));
            room -= to - from;
            from = to;
            if room == 0 {
                groups.push(std::mem::take(&mut group));
                room = ROWS_PER_GROUP;
            }
        }
    }
    if !group.is_empty() {
        groups.push(group);
    }
    groups
}

/// The intervals of one group of rows, which are made when the group is written.
#[derive(Default)]
struct Intervals<'a> {
    group: Option<usize>,
    /// What is left of the series that goes on in the next group.
    rest: Option<IntervalRows<'a>>,
    /// Of each part of the group.
    rows: Vec<Vec<IntervalRow>>,
}

impl<'a> Intervals<'a> {
    /// Makes those of a group, of the first or of that after the last one.
    fn go_to(&mut self, group: usize, parts: &[(&Rows<'a>, Range<usize>)]) {
        if self.group == Some(group) {
            return;
        }
        self.group = Some(group);
        self.rows.clear();
        for (rows, range) in parts {
            if range.start == 0 {
                self.rest = rows.intervals();
            }
            self.rows.push(self.rest.iter_mut().flatten().take(range.len()).collect());
        }
    }
}

/// The values of a column in the parts of a group; `intervals` are those of each part, if it has any.
fn values<'a>(column: &Column, parts: &[(&Rows<'a>, Range<usize>)], intervals: &[Vec<IntervalRow>]) -> Values<'a> {
    let rows = || parts.iter().map(|(rows, range)| (rows.series, range.clone()));
    let numbers = || {
        let of_part =
            |((rows, range), intervals): (&(&Rows<'a>, Range<usize>), &Vec<IntervalRow>)| match rows.intervals() {
                Some(_) => Cow::Owned(intervals.iter().map(|interval| column.of_interval(interval)).collect()),
                None => Cow::Borrowed(&column.numbers(rows.series)[range.clone()]),
            };
        parts.iter().zip(intervals).map(of_part).collect()
    };
    match column.kind {
        Kind::Text => Values::Runs(rows().flat_map(|(series, rows)| column.names(series, rows)).collect()),
        Kind::Time if parts.iter().any(|(rows, _)| rows.intervals().is_some()) => {
            Values::Time(parts.iter().zip(intervals).flat_map(|((rows, _), of)| times(column, rows, of)).collect())
        }
        Kind::Time => column.times(rows()),
        Kind::Count => Values::Count(rows().flat_map(|(series, rows)| &column.counts(series)[rows]).copied().collect()),
        Kind::Number => Values::Number(numbers()),
        Kind::Whole => Values::Whole(numbers()),
        Kind::Optional | Kind::OptionalWhole => unreachable!("tables of runs have every number"),
        Kind::Name => unreachable!("names of tables of runs repeat"),
    }
}

fn times(column: &Column, rows: &Rows<'_>, intervals: &[IntervalRow]) -> Vec<u64> {
    let Columns::Intervals { interval, end, .. } = &rows.series.columns else { return Vec::new() };
    let time = |(start, end): (u64, u64)| if column.is_of_starts() { start } else { end };
    intervals.iter().map(|row| time(row.times(*interval, *end))).collect()
}

/// Enough to compress well, few enough that one column of it is a few megabytes in memory.
pub(crate) const ROWS_PER_GROUP: usize = 1 << 18;
/// 2⁵³: up to here every integer is a double.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;
/// The key of the parts.
pub(super) const SERIES: &str = "series";
