//! From Parquet files back to series, to the last bit.

use std::fs::File;
use std::path::{Path, PathBuf};

use ackclock::record::{Columns, DropReason, MOST_INTERVALS, Metric, PerInterval, Series, Shape};
use ackclock::units::{Span, Time};
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::spans::Counting;
use super::write::{Part, ROWS_PER_GROUP, SERIES, file_name};
use super::{Column, INDEX, Index, IndexedFile, OfTables, Origin, Problem, TableError, columns};
use crate::names::names;
use ackclock_columns::{Rows, decoded_bytes, files, panics, wrong};

/// The tables of one run, on the disk.
#[derive(Clone, Debug)]
pub struct Tables {
    folder: PathBuf,
    index: Index,
}

impl Tables {
    /// Reads the index of a folder.
    ///
    /// # Errors
    /// If there is none, or if it is not one that this program reads.
    pub fn open(folder: &Path) -> Result<Tables, TableError> {
        Ok(Tables { folder: folder.to_path_buf(), index: Index::read(folder)? })
    }

    /// Makes sure that these are the tables of a run.
    ///
    /// # Errors
    /// If they are those of another.
    pub fn expect(&self, origin: &Origin) -> Result<(), TableError> {
        match self.index.origin() == *origin {
            true => Ok(()),
            false => Err(TableError::new(&self.folder, Problem::Own(OfTables::OtherRun))),
        }
    }

    /// The index.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The metrics that there are tables of, in order.
    pub fn metrics(&self) -> Vec<Metric> {
        self.index.files.iter().filter_map(|file| Metric::named(&file.metric)).collect()
    }

    /// The columns of a metric's table.
    pub fn columns(&self, metric: Metric) -> Vec<Column> {
        columns(metric, &self.index.unit)
    }

    /// Makes sure that every file is as it was written.
    ///
    /// # Errors
    /// At the first that is not.
    pub fn verify(&self) -> Result<(), TableError> {
        self.index.files.iter().try_for_each(|entry| self.checked(entry).map(drop))
    }

    /// Everything that is not as it was written: of the index, and of each file, which is opened as Parquet. Files that are not in the
    /// index do not belong to the tables.
    pub fn damage(&self) -> Vec<TableError> {
        let index = self.folder.join(INDEX);
        let mut found: Vec<TableError> =
            Index::damage(&self.folder).map(|what| TableError::damaged(&index, what)).into_iter().collect();
        for entry in &self.index.files {
            let opened = self.checked(entry).and_then(|file| {
                let damaged = |what: String| TableError::damaged(&self.path(entry), what);
                let rows = readable(|| Ok(ackclock_columns::open(file)?.metadata().file_metadata().num_rows()));
                let rows = rows.map_err(damaged)?;
                match u64::try_from(rows) == Ok(entry.rows) {
                    true => Ok(()),
                    false => Err(damaged(format!("it has {rows} rows, {} were written", entry.rows))),
                }
            });
            found.extend(opened.err());
        }
        let is_listed =
            |name: &str| name == INDEX || self.index.files.iter().any(|file| file_name(&file.metric) == name);
        for name in names(&self.folder).into_iter().filter(|name| !is_listed(name)) {
            found.push(TableError::damaged(&self.folder.join(name), "it does not belong to these tables"));
        }
        found
    }

    /// Makes sure that a metric was recorded, and that its file is as it was written.
    ///
    /// # Errors
    /// If not.
    pub fn verify_table(&self, metric: Metric) -> Result<(), TableError> {
        self.checked(self.entry(metric)?).map(drop)
    }

    /// The series of a metric.
    ///
    /// # Errors
    /// If it was not recorded, or if its file is not as it was written.
    pub fn read(&self, metric: Metric) -> Result<Vec<Series>, TableError> {
        let entry = self.entry(metric)?;
        let file = self.checked(entry)?;
        let path = self.path(entry);
        readable(|| table(file, metric)).map_err(|error| TableError::damaged(&path, error))
    }

    fn entry(&self, metric: Metric) -> Result<&IndexedFile, TableError> {
        let name = metric.name();
        self.index.files.iter().find(|file| file.metric == name).ok_or_else(|| {
            let recorded = self.metrics().iter().map(|metric| metric.name().to_string()).collect();
            TableError::new(&self.folder.join(file_name(name)), Problem::Own(OfTables::NotRecorded { recorded }))
        })
    }

    /// All series, in the order in which they were written.
    ///
    /// # Errors
    /// If any file is not as it was written.
    pub fn read_all(&self) -> Result<Vec<Series>, TableError> {
        let mut all = Vec::new();
        for metric in self.metrics() {
            all.extend(self.read(metric)?);
        }
        Ok(all)
    }

    /// The file of an entry, once its checksum has been found to be right. A reader of Parquet may stumble over damage
    /// in any way; it only ever sees what was written.
    fn checked(&self, entry: &IndexedFile) -> Result<File, TableError> {
        let path = self.path(entry);
        let found = IndexedFile::of(&path, &entry.metric, entry.rows).map_err(|error| TableError::io(&path, error))?;
        if found.bytes != entry.bytes {
            let what = format!("it has {} bytes, {} were written", found.bytes, entry.bytes);
            return Err(TableError::damaged(&path, what));
        }
        if found.blake3 != entry.blake3 {
            return Err(TableError::damaged(&path, "its checksum is wrong"));
        }
        files::open(&path).map_err(|error| TableError::io(&path, error))
    }

    fn path(&self, entry: &IndexedFile) -> PathBuf {
        self.folder.join(file_name(&entry.metric))
    }
}

/// What a reader of a file finds, or what is wrong with the file. A checksum keeps nobody from changing file and checksum, and the library
/// may stumble over what it has not expected.
pub(crate) fn readable<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, String> {
    match panics::caught(read) {
        Ok(read) => read.map_err(|error| error.to_string()),
        Err(message) => Err(format!("it cannot be read: {message}")),
    }
}

/// Refuses a file that would take more memory than any that was written as it should be: a few octets can stand for many rows.
fn refuse_too_large(reader: &SerializedFileReader<File>, metric: Metric) -> Result<(), ParquetError> {
    let metadata = reader.metadata();
    if metadata.row_groups().iter().any(|group| usize::try_from(group.num_rows()).map_or(true, |n| n > ROWS_PER_GROUP))
    {
        return Err(wrong("a group of its rows is larger than any that is written"));
    }
    // Intervals are read group after group.
    if metric.shape() != Shape::Intervals && decoded_bytes(metadata) > MOST_DECODED_BYTES {
        let limit = MOST_DECODED_BYTES >> 30;
        return Err(wrong(&format!("it would take more than {limit} GiB in memory, the most that is read")));
    }
    Ok(())
}

fn table(file: File, metric: Metric) -> Result<Vec<Series>, ParquetError> {
    let reader = ackclock_columns::open(file)?;
    refuse_too_large(&reader, metric)?;
    let schema = reader.metadata().file_metadata().schema_descr();
    if schema.num_columns() != 1 + columns(metric, "").len() {
        return Err(wrong("it has other columns"));
    }
    let rows = reader.metadata().row_groups().iter().map(|group| group.num_rows() as u64).sum();
    let parts = parts(&reader)?;
    if parts.iter().try_fold(0, |sum: u64, part| sum.checked_add(part.rows)) != Some(rows) {
        return Err(wrong("its series do not have as many rows as the table"));
    }
    let mut rows = Rows::new(&reader);
    // The columns that repeat what the parts say (names, starts and ends of intervals) are for others.
    let columns: Vec<Columns> = match metric.shape() {
        Shape::Changes | Shape::Events => {
            rows.go_to(reader.metadata().file_metadata().schema_descr().num_columns() - 2);
            let mut time = rows.times()?.into_iter().map(Time::from_ps);
            let mut value = rows.numbers()?.into_iter();
            let points = |part: &Part| {
                let n = part.rows as usize;
                Ok(Columns::Points { time: time.by_ref().take(n).collect(), value: value.by_ref().take(n).collect() })
            };
            parts.iter().map(points).collect::<Result<_, ParquetError>>()?
        }
        Shape::Intervals => intervals(&reader, &parts)?,
        Shape::Drops => {
            // After the seed and the port.
            rows.go_to(2);
            let mut time = rows.times()?.into_iter().map(Time::from_ps);
            let mut vc = rows.texts()?.into_iter();
            let mut frame = rows.counts()?.into_iter();
            let mut reason = rows.texts()?.into_iter();
            let drops = |part: &Part| {
                let n = part.rows as usize;
                let names = part.names.clone().ok_or_else(|| wrong("no connections"))?;
                let index = |text: ByteArray| {
                    let found = names.iter().position(|name| name.as_bytes() == text.data());
                    found.map(|index| index as u32).ok_or_else(|| wrong("a connection that does not cross the port"))
                };
                Ok(Columns::Drops {
                    time: time.by_ref().take(n).collect(),
                    vc: vc.by_ref().take(n).map(index).collect::<Result<_, _>>()?,
                    frame: frame.by_ref().take(n).collect(),
                    reason: reason.by_ref().take(n).map(reason_named).collect::<Result<_, _>>()?,
                    names,
                })
            };
            parts.iter().map(drops).collect::<Result<_, ParquetError>>()?
        }
    };
    Ok(parts
        .into_iter()
        .zip(columns)
        .map(|(part, columns)| Series { metric, of: part.of, vc: part.vc, columns })
        .collect())
}

/// The intervals of each part. Group after group: of a day there are more rows than fit into memory, and series take little.
fn intervals(reader: &SerializedFileReader<File>, parts: &[Part]) -> Result<Vec<Columns>, ParquetError> {
    let columns = reader.metadata().file_metadata().schema_descr().num_columns();
    // The times say how many intervals a row stands for; they are of no use where that is one.
    let are_merged = parts.iter().any(|part| part.intervals.is_some());
    refuse_too_many(parts)?;
    let mut series = parts.iter().map(Intervals::of).collect::<Result<Vec<_>, _>>()?;
    let mut at = 0;
    for group in 0..reader.num_row_groups() {
        let mut rows = Rows::of_group(reader, group);
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        if are_merged {
            rows.go_to(columns - 5);
            (starts, ends) = (rows.times()?, rows.times()?);
        }
        rows.go_to(columns - 3);
        let [min, mean, max] = [rows.numbers()?, rows.numbers()?, rows.numbers()?];
        for row in 0..mean.len() {
            while series.get(at).is_some_and(|part| part.rows == 0) {
                at += 1;
            }
            let part = series.get_mut(at).ok_or_else(|| wrong("its series have fewer rows than the table"))?;
            let times = are_merged.then(|| (starts[row], ends[row]));
            part.add(times, [min[row], mean[row], max[row]])?;
        }
    }
    series.into_iter().map(Intervals::finish).collect()
}

/// Refuses rows that stand for more intervals than reports have memory and time for: a row can stand for any number.
fn refuse_too_many(parts: &[Part]) -> Result<(), ParquetError> {
    let of = |part: &Part| part.intervals.unwrap_or(part.rows);
    let all = parts.iter().fold(0, |sum: u64, part| sum.saturating_add(of(part)));
    if all > MOST_OF_A_TABLE || parts.iter().any(|part| of(part) > MOST_INTERVALS) {
        let limits = format!("2^{} in a series, 2^{} in all", MOST_INTERVALS.ilog2(), MOST_OF_A_TABLE.ilog2());
        return Err(wrong(&format!("it has more intervals than are read: {limits}")));
    }
    Ok(())
}

/// The intervals of one series, as far as they are read.
struct Intervals {
    interval: Span,
    end: Time,
    /// Rows that are still to come.
    rows: u64,
    counting: Option<Counting>,
    columns: [PerInterval; 3],
}

impl Intervals {
    fn of(part: &Part) -> Result<Intervals, ParquetError> {
        let interval = Span::from_ps(part.interval_ps.ok_or_else(|| wrong("no interval"))?);
        let end = Time::from_ps(part.end_ps.ok_or_else(|| wrong("no end"))?);
        let counting = part.intervals.map(|all| Counting::new(interval, end, all)).transpose()?;
        Ok(Intervals { interval, end, rows: part.rows, counting, columns: [const { PerInterval::new() }; 3] })
    }

    fn add(&mut self, times: Option<(u64, u64)>, numbers: [f64; 3]) -> Result<(), ParquetError> {
        let intervals = match (&mut self.counting, times) {
            (Some(counting), Some((start, end))) => counting.row(start, end)?,
            _ => 1,
        };
        self.columns.iter_mut().zip(numbers).for_each(|(column, number)| column.push_many(number, intervals));
        self.rows -= 1;
        Ok(())
    }

    fn finish(self) -> Result<Columns, ParquetError> {
        self.counting.map_or(Ok(()), Counting::finish)?;
        let [min, mean, max] = self.columns;
        Ok(Columns::Intervals { interval: self.interval, end: self.end, min, mean, max })
    }
}

fn parts(reader: &SerializedFileReader<File>) -> Result<Vec<Part>, ParquetError> {
    let metadata = reader.metadata().file_metadata().key_value_metadata();
    let key = format!("ackclock.{SERIES}");
    let parts = metadata.into_iter().flatten().find(|entry| entry.key == key).and_then(|entry| entry.value.as_ref());
    let parts = parts.ok_or_else(|| wrong("it does not say which series it holds"))?;
    serde_json::from_str(parts).map_err(|error| wrong(&error.to_string()))
}

fn reason_named(text: ByteArray) -> Result<DropReason, ParquetError> {
    DropReason::ALL
        .into_iter()
        .find(|reason| reason.name().as_bytes() == text.data())
        .ok_or_else(|| wrong("an unknown reason"))
}

/// Of a table of points or lost units. What a run records of these has to fit into memory as it is recorded.
pub(crate) const MOST_DECODED_BYTES: u64 = 1 << 33;

/// Intervals of all series of a table: that many are read in minutes. (In steps of 1 ms they are a day of 795 ports.)
const MOST_OF_A_TABLE: u64 = 1 << 36;
