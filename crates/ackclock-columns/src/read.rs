//! Reading, column after column.

use std::fs::File;
use std::ops::Range;

use parquet::basic::Type;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{FileReader, SerializedFileReader};

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

/// Reads column after column, each whole; an error if it is of another kind, or shorter than the table.
pub struct Rows<'a> {
    reader: &'a SerializedFileReader<File>,
    /// The groups of rows that are read.
    groups: Range<usize>,
    at: usize,
}

impl<'a> Rows<'a> {
    /// Begins with the first column.
    pub fn new(reader: &'a SerializedFileReader<File>) -> Rows<'a> {
        Rows { reader, groups: 0..reader.num_row_groups(), at: 0 }
    }

    /// Reads the rows of one group only, from the first column on.
    pub fn of_group(reader: &'a SerializedFileReader<File>, group: usize) -> Rows<'a> {
        Rows { reader, groups: group..group + 1, at: 0 }
    }

    /// Goes on with another column.
    pub fn go_to(&mut self, column: usize) {
        self.at = column;
    }

    /// The next column, of times in picoseconds.
    pub fn times(&mut self) -> Result<Vec<u64>, ParquetError> {
        let values = self.column(|reader| match reader {
            ColumnReader::Int64ColumnReader(reader) => Some(reader),
            _ => None,
        })?;
        values.into_iter().map(|ps| u64::try_from(ps).map_err(|_| wrong("a time is negative"))).collect()
    }

    /// The next column, of whole numbers.
    pub fn counts(&mut self) -> Result<Vec<u32>, ParquetError> {
        let values = self.column(|reader| match reader {
            ColumnReader::Int32ColumnReader(reader) => Some(reader),
            _ => None,
        })?;
        Ok(values.into_iter().map(|count| count as u32).collect())
    }

    /// The next column, of numbers, which may be whole ones.
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

    /// The next column, of numbers that are not there on some rows.
    pub fn optional(&mut self) -> Result<Vec<Option<f64>>, ParquetError> {
        self.sparse(|reader| match reader {
            ColumnReader::DoubleColumnReader(reader) => Some(reader),
            _ => None,
        })
    }

    /// The next column, of whole numbers that are not there on some rows.
    ///
    /// # Errors
    /// If it is of another kind, shorter than the table, or has a negative number.
    pub fn optional_whole(&mut self) -> Result<Vec<Option<u64>>, ParquetError> {
        let values = self.sparse(|reader| match reader {
            ColumnReader::Int64ColumnReader(reader) => Some(reader),
            _ => None,
        })?;
        let whole = |number: i64| u64::try_from(number).map_err(|_| wrong("a whole number is negative"));
        values.into_iter().map(|number| number.map(whole).transpose()).collect()
    }

    fn sparse<T: DataType>(
        &mut self,
        typed: impl Fn(ColumnReader) -> Option<ColumnReaderImpl<T>>,
    ) -> Result<Vec<Option<T::T>>, ParquetError> {
        let mut values = Vec::new();
        for group in self.groups.clone() {
            let group = self.reader.get_row_group(group)?;
            let mut reader =
                typed(group.get_column_reader(self.at)?).ok_or_else(|| wrong("a column of another type"))?;
            let rows = group.metadata().num_rows() as usize;
            let (mut there, mut levels) = (Vec::new(), Vec::new());
            let (read, ..) = reader.read_records(rows, Some(&mut levels), None, &mut there)?;
            if read != rows || levels.len() != rows {
                return Err(wrong("a column is shorter than the table"));
            }
            let mut there = there.into_iter();
            values.extend(levels.into_iter().map(|level| if level > 0 { there.next() } else { None }));
        }
        self.at += 1;
        Ok(values)
    }

    /// The next column, of names.
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
        for group in self.groups.clone() {
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
