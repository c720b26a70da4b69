//! Parquet files of plain columns: what tables of runs and contact plans have in common.
//!
//! Only for this project's crates; files are checked against a checksum before they are read, since a reader of Parquet
//! may stumble over damage in any way.

mod chunk;
mod delta;
mod error;
mod names;
mod snappy;
mod split;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use ackclock::units::Time;
use parquet::basic::{Compression, Encoding, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue, ParquetMetaData, RowGroupMetaData};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnDescPtr, ColumnPath, SchemaDescriptor};

pub use error::{FileError, FileKind, Problem};

use self::snappy::{Experience, Snappy};
use self::split::Planes;
use crate::tables::Kind;

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values<'a> {
    /// Names.
    Text(Vec<&'a str>),
    /// Names, each with how often it comes in a row: of a column that says the same on many rows.
    Runs(Vec<(&'a str, usize)>),
    /// Picoseconds.
    Time(Vec<u64>),
    /// Picoseconds, as instants and in pieces.
    Instants(Vec<&'a [Time]>),
    /// Whole numbers.
    Count(Vec<u32>),
    /// Numbers, in pieces.
    Number(Vec<Cow<'a, [f64]>>),
    /// Whole numbers below 2⁵³, in pieces.
    Whole(Vec<Cow<'a, [f64]>>),
    /// One number, so many times.
    Same(i64, usize),
}

impl Values<'_> {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        match self {
            Values::Text(texts) => texts.len(),
            Values::Runs(runs) => runs.iter().map(|run| run.1).sum(),
            Values::Time(times) => times.len(),
            Values::Instants(pieces) => pieces.iter().map(|piece| piece.len()).sum(),
            Values::Count(counts) => counts.len(),
            Values::Number(pieces) | Values::Whole(pieces) => pieces.iter().map(|piece| piece.len()).sum(),
            Values::Same(_, rows) => *rows,
        }
    }
}

/// Writes a file of columns with names and kinds. `values` is asked for each column of each group of rows, in order; what
/// it returns is of the kind of the column. Keys of the metadata get the prefix `ackclock.`.
///
/// # Errors
/// If the file cannot be written to.
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

/// What the operating system said, if it was that: a full disk shall be called one.
pub fn cause(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(io) => *io,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

/// The length of a file and the BLAKE3 of its content, in hexadecimal digits.
///
/// # Errors
/// If it cannot be read.
pub fn checksum(path: &Path) -> io::Result<(u64, String)> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok((hasher.count(), hasher.finalize().to_hex().to_string()))
}

/// How many bytes the columns of a file take when they are read, by what the file says of itself. To ask is cheap: nothing
/// is decoded. Where a column says the same on many rows the file may be a ten-thousandth of it.
pub fn decoded_bytes(file: &ParquetMetaData) -> u64 {
    let of_column = |column: &ColumnChunkMetaData, rows: i64| {
        let width = match column.column_type() {
            Type::INT32 => 4,
            Type::INT64 | Type::DOUBLE => 8,
            _ => size_of::<ByteArray>() as u64,
        };
        // A negative number is a lie; it does not make the sum smaller.
        let octets = u64::try_from(column.uncompressed_size()).unwrap_or(u64::MAX);
        // So many values of a column are asked for as its group has rows.
        let rows = u64::try_from(rows).unwrap_or(u64::MAX);
        rows.saturating_mul(width).saturating_add(octets)
    };
    let of_group = |group: &RowGroupMetaData| {
        group.columns().iter().map(|column| of_column(column, group.num_rows())).fold(0, u64::saturating_add)
    };
    file.row_groups().iter().map(of_group).fold(0, u64::saturating_add)
}

/// A file that is not as it should be.
pub fn wrong(what: &str) -> ParquetError {
    ParquetError::General(what.into())
}

/// Reads column after column, each whole.
pub struct Rows<'a> {
    reader: &'a SerializedFileReader<File>,
    at: usize,
}

impl<'a> Rows<'a> {
    /// Begins with the first column.
    pub fn new(reader: &'a SerializedFileReader<File>) -> Rows<'a> {
        Rows { reader, at: 0 }
    }

    /// Goes on with another column.
    pub fn go_to(&mut self, column: usize) {
        self.at = column;
    }

    /// The next column, of times in picoseconds.
    ///
    /// # Errors
    /// If it is of another kind, or shorter than the table.
    pub fn times(&mut self) -> Result<Vec<u64>, ParquetError> {
        let values = self.column(|reader| match reader {
            ColumnReader::Int64ColumnReader(reader) => Some(reader),
            _ => None,
        })?;
        values.into_iter().map(|ps| u64::try_from(ps).map_err(|_| wrong("a time is negative"))).collect()
    }

    /// The next column, of whole numbers.
    ///
    /// # Errors
    /// If it is of another kind, or shorter than the table.
    pub fn counts(&mut self) -> Result<Vec<u32>, ParquetError> {
        let values = self.column(|reader| match reader {
            ColumnReader::Int32ColumnReader(reader) => Some(reader),
            _ => None,
        })?;
        Ok(values.into_iter().map(|count| count as u32).collect())
    }

    /// The next column, of numbers, which may be whole ones.
    ///
    /// # Errors
    /// If it is of another kind, or shorter than the table.
    pub fn numbers(&mut self) -> Result<Vec<f64>, ParquetError> {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        if self.at < schema.num_columns() && schema.column(self.at).physical_type() == Type::INT64 {
            return Ok(self.times()?.into_iter().map(|number| number as f64).collect());
        }
        self.column(|reader| match reader {
            ColumnReader::DoubleColumnReader(reader) => Some(reader),
            _ => None,
        })
    }

    /// The next column, of names.
    ///
    /// # Errors
    /// If it is of another kind, or shorter than the table.
    pub fn texts(&mut self) -> Result<Vec<ByteArray>, ParquetError> {
        self.column(|reader| match reader {
            ColumnReader::ByteArrayColumnReader(reader) => Some(reader),
            _ => None,
        })
    }

    fn column<T: DataType>(
        &mut self,
        typed: impl Fn(ColumnReader) -> Option<ColumnReaderImpl<T>>,
    ) -> Result<Vec<T::T>, ParquetError> {
        let mut values = Vec::new();
        for group in 0..self.reader.num_row_groups() {
            let group = self.reader.get_row_group(group)?;
            let mut reader =
                typed(group.get_column_reader(self.at)?).ok_or_else(|| wrong("a column of another type"))?;
            let rows = group.metadata().num_rows() as usize;
            let (read, ..) = reader.read_records(rows, None, None, &mut values)?;
            if read != rows {
                return Err(wrong("a column is shorter than the table"));
            }
        }
        self.at += 1;
        Ok(values)
    }
}

fn schema(message: &str, columns: &[(&str, Kind)]) -> String {
    let mut text = format!("message {message} {{\n");
    for (name, kind) in columns {
        text += &match kind {
            Kind::Text => format!("required binary {name} (STRING);\n"),
            Kind::Time | Kind::Whole => format!("required int64 {name};\n"),
            Kind::Count => format!("required int32 {name} (INTEGER(32,false));\n"),
            Kind::Number => format!("required double {name};\n"),
        };
    }
    text + "}"
}

/// Whole numbers go up and are kept as differences. What the other columns are written as is said where that is done.
fn properties(columns: &[(&str, Kind)], metadata: Vec<(String, String)>) -> WriterProperties {
    let metadata = metadata.into_iter().map(|(key, value)| KeyValue::new(format!("ackclock.{key}"), value)).collect();
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .set_created_by(format!("ackclock {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(metadata));
    for (name, _) in columns.iter().filter(|(_, kind)| *kind == Kind::Count) {
        let (path, encoding) = (ColumnPath::from(*name), Encoding::DELTA_BINARY_PACKED);
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
        Values::Time(times) => write_times(group, descriptor, &[times], |ps| *ps as i64),
        Values::Instants(pieces) => write_times(group, descriptor, pieces, |time| time.as_ps() as i64),
        Values::Count(counts) => {
            let mut writer = group.next_column()?.expect("the schema has this column");
            let values: Vec<i32> = counts.iter().map(|&count| count as i32).collect();
            writer.typed::<Int32Type>().write_batch(&values, None, None)?;
            writer.close()
        }
        Values::Number(pieces) => write_numbers(group, descriptor, &slices(pieces)),
        Values::Whole(pieces) => write_times(group, descriptor, &slices(pieces), |number| *number as i64),
        Values::Same(number, rows) => write_same(group, descriptor, *number, *rows),
    }
}

fn write_times<W: Write + Send, T>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    column: ColumnDescPtr,
    pieces: &[&[T]],
    ps: impl Fn(&T) -> i64,
) -> Result<(), ParquetError> {
    let encoding = Encoding::DELTA_BINARY_PACKED;
    let (mut snappy, mut experience, mut octets) = (Snappy::new(), Experience::default(), Vec::new());
    chunk::write(group, column, Compression::SNAPPY, vec![Encoding::RLE, encoding], |pages| {
        paged(pieces, ps, |times| {
            octets.clear();
            delta::encode(times, &mut octets);
            let mut stream = Vec::with_capacity(octets.len() + octets.len() / 8);
            delta::varint(octets.len() as u64, &mut stream);
            snappy.elements(&octets, &mut experience, &mut stream)?;
            pages.data(stream, octets.len(), encoding, times.len())
        })
    })
}

fn slices<'a>(pieces: &'a [Cow<'_, [f64]>]) -> Vec<&'a [f64]> {
    pieces.iter().map(|piece| &**piece).collect()
}

/// Every page but the last is the same, and made once.
fn write_same<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    column: ColumnDescPtr,
    number: i64,
    rows: usize,
) -> Result<(), ParquetError> {
    let encoding = Encoding::DELTA_BINARY_PACKED;
    chunk::write(group, column, Compression::SNAPPY, vec![Encoding::RLE, encoding], |pages| {
        let mut page = |rows: usize, pages_of_it: usize| {
            let mut octets = Vec::new();
            delta::encode(&vec![number; rows], &mut octets);
            let mut stream = Vec::new();
            delta::varint(octets.len() as u64, &mut stream);
            Snappy::new().elements(&octets, &mut Experience::default(), &mut stream)?;
            (0..pages_of_it).try_for_each(|_| pages.data(stream.clone(), octets.len(), encoding, rows))
        };
        if rows >= ROWS_PER_PAGE {
            page(ROWS_PER_PAGE, rows / ROWS_PER_PAGE)?;
        }
        if !rows.is_multiple_of(ROWS_PER_PAGE) { page(rows % ROWS_PER_PAGE, 1) } else { Ok(()) }
    })
}

fn write_numbers<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    column: ColumnDescPtr,
    pieces: &[&[f64]],
) -> Result<(), ParquetError> {
    let encoding = Encoding::BYTE_STREAM_SPLIT;
    let mut planes = Planes::new();
    chunk::write(group, column, Compression::SNAPPY, vec![Encoding::RLE, encoding], |pages| {
        paged(
            pieces,
            |number| *number,
            |numbers| {
                let mut octets = Vec::new();
                planes.compress(numbers, &mut octets)?;
                pages.data(octets, 8 * numbers.len(), encoding, numbers.len())
            },
        )
    })
}

/// The pieces one after the other, cut into pages.
fn paged<T, U>(
    pieces: &[&[T]],
    value: impl Fn(&T) -> U,
    mut write: impl FnMut(&[U]) -> Result<(), ParquetError>,
) -> Result<(), ParquetError> {
    let mut page = Vec::with_capacity(ROWS_PER_PAGE);
    for piece in pieces {
        let mut rest = *piece;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(ROWS_PER_PAGE - page.len()));
            page.extend(now.iter().map(&value));
            rest = later;
            if page.len() == ROWS_PER_PAGE {
                write(&page)?;
                page.clear();
            }
        }
    }
    if page.is_empty() { Ok(()) } else { write(&page) }
}

/// Enough that a page finds what repeats, few enough that it stays in the cache while it is made.
const ROWS_PER_PAGE: usize = 1 << 14;
