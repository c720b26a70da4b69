//! The parts of a run of many flows as files: a folder for each run, in it a Parquet file of its flows, one of its sources of
//! datagrams, of its ports and of its links, and one of each list that these have. One row is one flow, one column one number of
//! what the document says of a flow; where it says nothing, there is nothing.
//!
//! The document holds a checksum of every file, so the checksum of the document vouches for all of them.

mod each;
mod join;
mod kept;
pub mod parts;
mod split;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use ackclock::record::Records;
use ackclock::sim::RESULT_VERSION;
use ackclock_columns::{Kind, Rows, Values, decoded_bytes, files, wrong};
use parquet::basic::Type;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::reader::FileReader;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::document::summary::SummaryPart;
use crate::document::{Document, Run, ScenarioPart, run};
use crate::names::names;
use crate::tables::{MOST_DECODED_BYTES, ROWS_PER_GROUP, SEED, TableError, readable, seed_folder};
use join::Source;
use parts::{PartFile, PartFiles};
use split::{Column, Columns, Numbers, Table};

/// The folder of all runs of many flows in a result folder.
pub const FOLDER: &str = "flows";

/// Where the files of a seed are in a result folder.
pub fn folder_of(result: &Path, seed: u64) -> PathBuf {
    result.join(FOLDER).join(seed_folder(seed))
}

/// Whether a file of this name is one of those that are written.
pub fn is_of_run(name: &str) -> bool {
    let first = name.strip_suffix(ENDING).and_then(|name| name.split('.').next());
    first.is_some_and(|first| PARTS.contains(&first)) && !name.contains(['/', '\\'])
}

/// Writes the parts of a run to a folder, which is made if it is not there. Everything has reached the disk when this returns.
///
/// # Errors
/// If a file cannot be written: no room, no permission. What was begun stays.
pub fn write(folder: &Path, scenario: &ScenarioPart, run: &Run, records: &Records) -> Result<PartFiles, TableError> {
    let [flows, udp, ports, links] = PARTS;
    let mut files = Files::new(folder, scenario, run)?;
    files.add(flows, run::flows::<&str>(records))?;
    files.add(udp, run::udp::<&str>(records))?;
    files.add(ports, run::ports::<&str>(records))?;
    files.add(links, run::links::<&str>(records))?;
    Ok(files.written)
}

/// The files of a run, as far as they are written.
struct Files<'a> {
    folder: &'a Path,
    scenario: &'a ScenarioPart,
    run: &'a Run,
    written: PartFiles,
}

impl<'a> Files<'a> {
    fn new(folder: &'a Path, scenario: &'a ScenarioPart, run: &'a Run) -> Result<Files<'a>, TableError> {
        files::create_folder(folder).map_err(|error| TableError::io(folder, error))?;
        Ok(Files { folder, scenario, run, written: PartFiles::new() })
    }

    /// Writes a part and its lists. One of its records is in memory at a time.
    fn add<T: Serialize>(&mut self, part: &str, records: impl Iterator<Item = T>) -> Result<(), TableError> {
        let mut all = Table::new(records.size_hint().0);
        for record in records {
            all.push(&record).expect("parts of a run have names and numbers that are not negative");
        }
        for table in all.finish().into_iter().filter(|table| table.rows > 0) {
            let name = name_of(part, &table.name);
            let path = path_of(self.folder, &name);
            let failed = |error: io::Error| TableError::io(&path, error);
            let file = files::create_new(&path).map_err(failed)?;
            write_table(&file, &name, &table, self.scenario, self.run).map_err(failed)?;
            file.sync_all().map_err(failed)?;
            let (bytes, blake3) = files::checksum(&path).map_err(failed)?;
            self.written.insert(name, PartFile { rows: table.rows as u64, bytes, blake3 });
        }
        Ok(())
    }
}

/// Reads the parts of a run from a result folder.
///
/// # Errors
/// If a file is missing, or is not as it was written.
pub fn fill(result: &Path, run: &mut Run) -> Result<(), TableError> {
    let [flows, udp, ports, links] = PARTS;
    let folder = folder_of(result, run.seed);
    let parts = &run.parts;
    let (flows, udp) = (read(&folder, parts, flows)?, read(&folder, parts, udp)?);
    let (ports, links) = (read(&folder, parts, ports)?, read(&folder, parts, links)?);
    (run.flows, run.udp, run.ports, run.links) = (flows, udp, ports, links);
    Ok(())
}

/// Reads the parts of all runs of a document as `result.json` keeps it, and summarizes them.
///
/// # Errors
/// If a file is missing, or is not as it was written.
pub fn fill_document(result: &Path, document: &mut Document) -> Result<(), TableError> {
    if document.runs.iter().all(|run| run.parts.is_empty()) {
        return Ok(());
    }
    for run in document.runs.iter_mut().filter(|run| !run.parts.is_empty()) {
        fill(result, run)?;
    }
    let SummaryPart { flows, udp, ports, links, .. } = SummaryPart::of(&document.runs);
    let summary = &mut document.summary;
    (summary.flows, summary.udp, summary.ports, summary.links) = (flows, udp, ports, links);
    Ok(())
}

/// Everything of a run that is not as it was written. Files that the document does not name do not belong to the run.
pub fn damage(result: &Path, run: &Run) -> Vec<TableError> {
    let folder = folder_of(result, run.seed);
    let opened = |(name, entry): (&String, &PartFile)| {
        let file = checked(&folder, name, entry)?;
        let rows = readable(|| sound_rows(&ackclock_columns::open(file)?, entry.rows));
        rows.map_err(|error| TableError::damaged(&path_of(&folder, name), error))
    };
    let mut found: Vec<TableError> = run.parts.iter().filter_map(|part| opened(part).err()).collect();
    let is_named = |name: &String| run.parts.keys().any(|part| format!("{part}{ENDING}") == *name);
    for name in names(&folder).into_iter().filter(|name| !is_named(name)) {
        found.push(TableError::damaged(&folder.join(name), "it does not belong to this run"));
    }
    found
}

/// The name of the file with a list of a part, or with the part itself; `lists` ends in a dot.
fn name_of(part: &str, lists: &str) -> String {
    format!("{part}.{lists}").trim_end_matches('.').into()
}

fn path_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}{ENDING}"))
}

fn write_table(file: &File, name: &str, table: &Columns, scenario: &ScenarioPart, run: &Run) -> io::Result<()> {
    // A column of the seed comes first: tables of several runs can be read as one.
    let of_columns = table.columns.iter().map(|(name, column)| (name.as_str(), column.kind()));
    let named: Vec<(&str, Kind)> = std::iter::once((SEED.0, Kind::Whole)).chain(of_columns).collect();
    let metadata = vec![
        ("format".into(), "ackclock-flows".into()),
        ("version".into(), env!("CARGO_PKG_VERSION").into()),
        ("result_version".into(), RESULT_VERSION.to_string()),
        ("scenario_hash".into(), scenario.hash.clone()),
        ("seed".into(), run.seed.to_string()),
        ("fingerprint".into(), run.fingerprint.clone()),
        ("part".into(), name.into()),
    ];
    let groups = table.rows.div_ceil(ROWS_PER_GROUP);
    let values = |group: usize, column: usize| {
        let begin = group * ROWS_PER_GROUP;
        let end = table.rows.min(begin + ROWS_PER_GROUP);
        match column.checked_sub(1) {
            // The largest seed is that of TOML, which is that of the column.
            None => Values::Same(run.seed as i64, end - begin),
            Some(column) => table.columns[column].1.values(begin, end),
        }
    };
    let message = name.replace('.', "_");
    ackclock_columns::write(file, &message, &named, metadata, groups, values).map_err(ackclock_columns::cause)
}

impl Column {
    fn kind(&self) -> Kind {
        match self {
            Column::Whole(Numbers::Each(_)) => Kind::Whole,
            Column::Whole(Numbers::Some(_)) => Kind::OptionalWhole,
            Column::Number(Numbers::Each(_)) => Kind::Number,
            Column::Number(Numbers::Some(_)) => Kind::Optional,
            Column::Names(..) => Kind::Name,
        }
    }

    fn values(&self, begin: usize, end: usize) -> Values<'_> {
        match self {
            Column::Whole(Numbers::Each(numbers)) => Values::Integers(&numbers[begin..end]),
            Column::Whole(Numbers::Some(numbers)) => Values::OptionalWhole(numbers[begin..end].to_vec()),
            Column::Number(Numbers::Each(numbers)) => Values::Number(vec![numbers[begin..end].into()]),
            Column::Number(Numbers::Some(numbers)) => Values::Optional(numbers[begin..end].to_vec()),
            Column::Names(text, bounds) => Values::Names(text, &bounds[begin..=end]),
        }
    }
}

/// The records of a part; none where there is no file of it.
fn read<T: DeserializeOwned>(folder: &Path, parts: &PartFiles, part: &str) -> Result<Vec<T>, TableError> {
    let Some(records) = read_table(folder, parts, part, "")? else { return Ok(Vec::new()) };
    let damaged = |what: String| TableError::damaged(&path_of(folder, part), what);
    let source = Source::new(records, &mut |list: &str| read_table(folder, parts, part, list), &damaged)?;
    source.records().map_err(|error| damaged(error.to_string()))
}

/// The table of a list of a part, or of the part itself; `None` if there is no file of it.
fn read_table(folder: &Path, parts: &PartFiles, part: &str, lists: &str) -> Result<Option<Columns>, TableError> {
    let name = name_of(part, lists);
    let Some(entry) = parts.get(&name) else { return Ok(None) };
    let file = checked(folder, &name, entry)?;
    let columns = readable(|| columns(file, entry.rows));
    let (rows, columns) = columns.map_err(|error| TableError::damaged(&path_of(folder, &name), error))?;
    Ok(Some(Columns { name: lists.into(), rows, columns }))
}

/// A file, once its checksum has been found to be right. A reader of Parquet may stumble over damage in any way; it only ever
/// sees what was written.
fn checked(folder: &Path, name: &str, entry: &PartFile) -> Result<File, TableError> {
    let path = path_of(folder, name);
    if !is_of_run(&format!("{name}{ENDING}")) {
        return Err(TableError::damaged(&path, "a run has no part of this name"));
    }
    let (bytes, blake3) = files::checksum(&path).map_err(|error| TableError::io(&path, error))?;
    if bytes != entry.bytes {
        return Err(TableError::damaged(&path, format!("it has {bytes} bytes, {} were written", entry.bytes)));
    }
    if blake3 != entry.blake3 {
        return Err(TableError::damaged(&path, "its checksum is not that in the result beside it"));
    }
    files::open(&path).map_err(|error| TableError::io(&path, error))
}

/// Makes sure that a file has so many rows, in groups as they are written, and does not take more memory than any that was
/// written.
fn sound_rows(reader: &impl FileReader, rows: u64) -> Result<(), ParquetError> {
    let metadata = reader.metadata();
    let of_groups: Option<Vec<usize>> =
        metadata.row_groups().iter().map(|group| usize::try_from(group.num_rows()).ok()).collect();
    let groups = of_groups.filter(|groups| groups.iter().all(|group| *group <= ROWS_PER_GROUP));
    let groups = groups.ok_or_else(|| wrong("a group of its rows is larger than any that is written"))?;
    if groups.iter().sum::<usize>() as u64 != rows {
        return Err(wrong(&format!("it does not have the {rows} rows that were written")));
    }
    if decoded_bytes(metadata) > MOST_DECODED_BYTES {
        let limit = MOST_DECODED_BYTES >> 30;
        return Err(wrong(&format!("it would take more than {limit} GiB in memory, the most that is read")));
    }
    Ok(())
}

/// The columns of a file without that of the seed, and how many rows they have.
#[allow(clippy::type_complexity)]
fn columns(file: File, rows: u64) -> Result<(usize, Vec<(String, Column)>), ParquetError> {
    let reader = ackclock_columns::open(file)?;
    sound_rows(&reader, rows)?;
    let schema = reader.metadata().file_metadata().schema_descr();
    let mut from = Rows::new(&reader);
    from.go_to(1);
    let mut columns = Vec::new();
    for column in schema.columns().iter().skip(1) {
        let values = match (column.physical_type(), column.max_def_level() > 0) {
            (Type::INT64, false) => Column::Whole(Numbers::Each(from.times()?)),
            (Type::INT64, true) => Column::Whole(Numbers::Some(from.optional_whole()?)),
            (Type::DOUBLE, false) => Column::Number(Numbers::Each(from.numbers()?)),
            (Type::DOUBLE, true) => Column::Number(Numbers::Some(from.optional()?)),
            (Type::BYTE_ARRAY, false) => names_of(from.texts()?)?,
            _ => return Err(wrong("a column of another type")),
        };
        columns.push((column.name().into(), values));
    }
    Ok((rows as usize, columns))
}

fn names_of(texts: Vec<ByteArray>) -> Result<Column, ParquetError> {
    let (mut text, mut bounds) = (String::new(), vec![0]);
    for name in texts {
        text.push_str(std::str::from_utf8(name.data()).map_err(|_| wrong("a name is no text"))?);
        bounds.push(text.len());
    }
    Ok(Column::Names(text, bounds))
}

/// The parts of a run that are in files.
const PARTS: [&str; 4] = ["flows", "udp", "ports", "links"];
const ENDING: &str = ".parquet";

#[cfg(test)]
mod tests;
