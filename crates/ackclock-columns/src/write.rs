//! Writing, group of rows after group of rows.

use std::io::Write;
use std::sync::Arc;

use ackclock::units::Time;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, SchemaDescriptor};

use crate::{Kind, Values, names};

/// Writes a file of columns with names and kinds. `values` is asked for each column of each group of rows, in order; what
/// it returns is of the kind of the column. Keys of the metadata get the prefix `ackclock.`.
pub fn write<'a>(
    file: impl Write + Send,
    message: &str,
    columns: &[(&str, Kind)],
    metadata: Vec<(String, String)>,
    groups: usize,
    mut values: impl FnMut(usize, usize) -> Values<'a>,
) -> Result<(), ParquetError> {
    let schema = Arc::new(parse_message_type(&schema(message, columns))?);
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties(columns, metadata)))?;
    let descriptor = writer.schema_descr().clone();
    for group in 0..groups {
        let mut rows = writer.next_row_group()?;
        for column in 0..columns.len() {
            write_column(&mut rows, &descriptor, column, &values(group, column))?;
        }
        rows.close()?;
    }
    writer.close()?;
    Ok(())
}

fn schema(message: &str, columns: &[(&str, Kind)]) -> String {
    let mut text = format!("message {message} {{\n");
    for (name, kind) in columns {
        text += &match kind {
            Kind::Text | Kind::Name => format!("required binary {name} (STRING);\n"),
            Kind::Time | Kind::Whole => format!("required int64 {name};\n"),
            Kind::Count => format!("required int32 {name} (INTEGER(32,false));\n"),
            Kind::Number => format!("required double {name};\n"),
            Kind::Optional => format!("optional double {name};\n"),
            Kind::OptionalWhole => format!("optional int64 {name};\n"),
        };
    }
    text + "}"
}

/// Whole numbers go up and are kept as differences; of other numbers signs and exponents hardly change from row to row, and
/// octets of the same place are kept together.
fn properties(columns: &[(&str, Kind)], metadata: Vec<(String, String)>) -> WriterProperties {
    let metadata = metadata.into_iter().map(|(key, value)| KeyValue::new(format!("ackclock.{key}"), value)).collect();
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .set_created_by(format!("ackclock {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(metadata));
    for (name, kind) in columns {
        let encoding = match kind {
            // Written by `names`, which says so itself.
            Kind::Text => continue,
            Kind::Name => Encoding::PLAIN,
            Kind::Time | Kind::Count | Kind::Whole | Kind::OptionalWhole => Encoding::DELTA_BINARY_PACKED,
            Kind::Number | Kind::Optional => Encoding::BYTE_STREAM_SPLIT,
        };
        let path = ColumnPath::from(*name);
        properties = properties.set_column_dictionary_enabled(path.clone(), false).set_column_encoding(path, encoding);
    }
    properties.build()
}

fn write_column<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    schema: &SchemaDescriptor,
    column: usize,
    values: &Values<'_>,
) -> Result<(), ParquetError> {
    let descriptor = schema.column(column);
    match values {
        Values::Text(texts) => names::write(group, descriptor, texts.iter().map(|text| (*text, 1))),
        Values::Runs(runs) => names::write(group, descriptor, runs.iter().copied()),
        // 720 hours, the longest scenario, are a quarter of the range.
        Values::Time(times) => batches::<Int64Type, _>(group, [&times[..]], |&ps| ps as i64),
        Values::Instants(pieces) => {
            batches::<Int64Type, _>(group, pieces.iter().copied(), |time: &Time| time.as_ps() as i64)
        }
        Values::Count(counts) => batches::<Int32Type, _>(group, [&counts[..]], |&count| count as i32),
        Values::Number(pieces) => {
            batches::<DoubleType, _>(group, pieces.iter().map(|piece| &**piece), |&number| number)
        }
        Values::Whole(pieces) => {
            batches::<Int64Type, _>(group, pieces.iter().map(|piece| &**piece), |&number| number as i64)
        }
        Values::Optional(numbers) => optional::<DoubleType, _>(group, numbers, |&number| number),
        Values::OptionalWhole(numbers) => optional::<Int64Type, _>(group, numbers, |&number| number as i64),
        Values::Integers(numbers) => batches::<Int64Type, _>(group, [*numbers], |&number| number as i64),
        Values::Names(text, bounds) => distinct(group, text, bounds),
        Values::Same(number, rows) => {
            let batch = vec![*number; BATCH.min(*rows)];
            let whole = std::iter::repeat_n(&batch[..], rows / BATCH);
            let rest = &batch[..rows % BATCH];
            batches::<Int64Type, _>(group, whole.chain([rest]), |&number| number)
        }
    }
}

/// Writes the next column, in which some rows have nothing.
fn optional<T: DataType, U>(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    numbers: &[Option<U>],
    value: impl Fn(&U) -> T::T,
) -> Result<(), ParquetError> {
    let mut writer = group.next_column()?.expect("the schema has this column");
    for numbers in numbers.chunks(BATCH) {
        let there: Vec<T::T> = numbers.iter().flatten().map(&value).collect();
        let levels: Vec<i16> = numbers.iter().map(|number| i16::from(number.is_some())).collect();
        writer.typed::<T>().write_batch(&there, Some(&levels), None)?;
    }
    writer.close()
}

/// Writes the next column, of names of which hardly any comes twice: a dictionary of them would be as long as they are.
fn distinct(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    text: &str,
    bounds: &[usize],
) -> Result<(), ParquetError> {
    let mut writer = group.next_column()?.expect("the schema has this column");
    let first = bounds[0];
    // All names share one piece of memory.
    let octets = Bytes::copy_from_slice(&text.as_bytes()[first..bounds[bounds.len() - 1]]);
    let name = |bounds: &[usize]| ByteArray::from(octets.slice(bounds[0] - first..bounds[1] - first));
    let mut names = Vec::with_capacity(BATCH);
    let mut rest = bounds.windows(2);
    while rest.len() > 0 {
        names.clear();
        names.extend(rest.by_ref().take(BATCH).map(name));
        writer.typed::<ByteArrayType>().write_batch(&names, None, None)?;
    }
    writer.close()
}

/// Writes the next column, some rows at a time.
fn batches<'a, T: DataType, U: 'a>(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    pieces: impl IntoIterator<Item = &'a [U]>,
    value: impl Fn(&U) -> T::T,
) -> Result<(), ParquetError> {
    let mut writer = group.next_column()?.expect("the schema has this column");
    let mut batch = Vec::with_capacity(BATCH);
    for piece in pieces.into_iter().flat_map(|piece| piece.chunks(BATCH)) {
        batch.clear();
        batch.extend(piece.iter().map(&value));
        writer.typed::<T>().write_batch(&batch, None, None)?;
    }
    writer.close()
}

/// How many rows are converted at once: few enough to stay in the cache.
const BATCH: usize = 1 << 14;
