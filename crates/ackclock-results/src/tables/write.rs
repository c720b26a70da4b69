//! From series to Parquet files.

use std::fs::{self, File};
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use ackclock::record::{Columns, Metric, Series};
use ackclock::sim::RESULT_VERSION;
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, SchemaDescriptor};
use serde::{Deserialize, Serialize};

use super::{Column, FORMAT_VERSION, INDEX, Index, IndexedFile, Kind, Origin, TableError, columns, names};

/// Writes the series of one run to a folder, which is made if it is not there: a file for each metric, then the index.
/// Everything has reached the disk when this returns.
///
/// # Errors
/// If a file cannot be written: no room, no permission. What was begun stays; without an index nobody takes it for
/// tables.
pub fn write(folder: &Path, series: &[Series], origin: &Origin) -> Result<(), TableError> {
    fs::create_dir_all(folder).map_err(|error| TableError::io(folder, error))?;
    let mut files = Vec::new();
    for metric in Metric::ALL {
        let of_metric: Vec<&Series> = series.iter().filter(|series| series.metric == metric).collect();
        if !of_metric.is_empty() {
            files.push(table(folder, metric, &of_metric, origin)?);
        }
    }
    let path = folder.join(INDEX);
    let text = serde_json::to_string_pretty(&Index::new(origin, files)).expect("the index has string keys only") + "\n";
    let mut file = File::create(&path).map_err(|error| TableError::io(&path, error))?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(|error| TableError::io(&path, error))
}

/// The name of a metric's file.
pub(super) fn file_name(metric: &str) -> String {
    format!("{metric}.parquet")
}

/// What the table of several series says about each of them: enough to take them apart again.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Part {
    pub of: String,
    pub vc: Option<String>,
    pub rows: u64,
    /// Of intervals: their length and the end of the run.
    pub interval_ps: Option<u64>,
    pub end_ps: Option<u64>,
    /// Of drops: the connections that cross the port, whether or not they lost anything.
    pub names: Option<Vec<String>>,
}

impl Part {
    fn of(series: &Series) -> Part {
        let (interval_ps, end_ps) = match &series.columns {
            Columns::Intervals { interval, end, .. } => (Some(interval.as_ps()), Some(end.as_ps())),
            _ => (None, None),
        };
        let names = match &series.columns {
            Columns::Drops { names, .. } => Some(names.clone()),
            _ => None,
        };
        let rows = series.columns.len() as u64;
        Part { of: series.of.clone(), vc: series.vc.clone(), rows, interval_ps, end_ps, names }
    }
}

fn table(folder: &Path, metric: Metric, series: &[&Series], origin: &Origin) -> Result<IndexedFile, TableError> {
    let path = folder.join(file_name(metric.name()));
    let file = File::create(&path).map_err(|error| TableError::io(&path, error))?;
    let columns = columns(metric, &origin.unit);
    parquet(&file, metric, &columns, series, origin).map_err(|error| TableError::io(&path, cause(error)))?;
    file.sync_all().map_err(|error| TableError::io(&path, error))?;
    let rows = series.iter().map(|series| series.columns.len() as u64).sum();
    IndexedFile::of(&path, metric.name(), rows).map_err(|error| TableError::io(&path, error))
}

/// What the operating system said, if it was that: a full disk shall be called one.
fn cause(error: ParquetError) -> std::io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(io) => *io,
            Err(other) => std::io::Error::other(other),
        },
        other => std::io::Error::other(other),
    }
}

fn parquet(
    file: &File,
    metric: Metric,
    columns: &[Column],
    series: &[&Series],
    origin: &Origin,
) -> Result<(), ParquetError> {
    let schema = Arc::new(parse_message_type(&schema(metric, columns))?);
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties(metric, columns, series, origin)))?;
    let descriptor = writer.schema_descr().clone();
    for rows in row_groups(series) {
        let mut group = writer.next_row_group()?;
        for (number, column) in columns.iter().enumerate() {
            write_column(&mut group, &descriptor, number, column, &rows)?;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

fn schema(metric: Metric, columns: &[Column]) -> String {
    let mut text = format!("message {} {{\n", metric.name().replace('-', "_"));
    for column in columns {
        text += &match column.kind {
            Kind::Text => format!("required binary {} (STRING);\n", column.name),
            Kind::Time => format!("required int64 {};\n", column.name),
            Kind::Count => format!("required int32 {} (INTEGER(32,false));\n", column.name),
            Kind::Number => format!("required double {};\n", column.name),
        };
    }
    text + "}"
}

/// Names are dictionaries; times go up and are kept as differences. Numbers are split into their bytes: those of the
/// exponent hardly change from row to row, which is what compression finds.
fn properties(metric: Metric, columns: &[Column], series: &[&Series], origin: &Origin) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .set_created_by(format!("ackclock {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(metadata(metric, columns, series, origin)));
    for column in columns {
        let encoding = match column.kind {
            Kind::Text => continue,
            Kind::Time | Kind::Count => Encoding::DELTA_BINARY_PACKED,
            Kind::Number => Encoding::BYTE_STREAM_SPLIT,
        };
        let path = ColumnPath::from(column.name.as_str());
        properties = properties.set_column_dictionary_enabled(path.clone(), false).set_column_encoding(path, encoding);
    }
    properties.build()
}

fn metadata(metric: Metric, columns: &[Column], series: &[&Series], origin: &Origin) -> Vec<KeyValue> {
    let parts: Vec<Part> = series.iter().map(|series| Part::of(series)).collect();
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
    ];
    for column in columns {
        metadata.push((format!("column.{}.unit", column.name), column.unit.clone()));
        metadata.push((format!("column.{}.about", column.name), column.about.into()));
    }
    metadata.into_iter().map(|(key, value): (String, String)| KeyValue::new(format!("ackclock.{key}"), value)).collect()
}

/// Which rows of which series make up each row group.
fn row_groups<'a>(series: &[&'a Series]) -> Vec<Vec<(&'a Series, Range<usize>)>> {
    let mut groups = Vec::new();
    let mut group = Vec::new();
    let mut room = ROWS_PER_GROUP;
    for &series in series {
        let mut from = 0;
        while from < series.columns.len() {
            let to = series.columns.len().min(from + room);
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

fn write_column(
    group: &mut SerializedRowGroupWriter<'_, &File>,
    schema: &SchemaDescriptor,
    number: usize,
    column: &Column,
    rows: &[(&Series, Range<usize>)],
) -> Result<(), ParquetError> {
    if column.kind == Kind::Text {
        let runs = rows.iter().flat_map(|(series, rows)| column.names(series, rows.clone()));
        return names::write(group, schema.column(number), runs);
    }
    let mut writer = group.next_column()?.expect("the schema has this column");
    for (series, rows) in rows {
        let rows = rows.clone();
        match column.kind {
            Kind::Text => unreachable!("names are written above"),
            Kind::Time => {
                writer.typed::<Int64Type>().write_batch(&column.times(series, rows), None, None)?;
            }
            Kind::Count => {
                let counts: Vec<i32> = column.counts(series)[rows].iter().map(|&count| count as i32).collect();
                writer.typed::<Int32Type>().write_batch(&counts, None, None)?;
            }
            Kind::Number => {
                writer.typed::<DoubleType>().write_batch(&column.numbers(series)[rows], None, None)?;
            }
        }
    }
    writer.close()
}

/// Enough to compress well, few enough that one column of it is a few megabytes in memory.
const ROWS_PER_GROUP: usize = 1 << 18;
/// The key of the parts.
pub(super) const SERIES: &str = "series";
