//! Opening a file whose sizes and counts can be relied on.
//! Source: the Parquet format, "File format", "Data pages" and `parquet.thrift`.
//!
//! The library takes sizes of pages and counts of names as a file says them, and asks for memory accordingly: a file of some hundred octets
//! can make it ask for many gigabytes, with a checksum that is right. Here they are held against what is there, before the library reads them.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::read::wrong;
use crate::thrift::{BINARY, BYTE, FALSE, Field, I32, I64, LIST, STRUCT, TRUE, walk};

/// Opens a Parquet file: its columns are as long as it says, and take no more memory than [`decoded_bytes`](crate::decoded_bytes).
///
/// # Errors
/// If it cannot be read, if it is no such file, if it says of itself that it holds more than it can, or if its pages are of kinds that this program
/// does not write. A file that was forged may make the library panic: see [`panics::caught`](crate::panics::caught).
pub fn open(mut file: File) -> Result<SerializedFileReader<File>, ParquetError> {
    check_footer(&mut file)?;
    let pages = file.try_clone()?;
    let reader = SerializedFileReader::new(file)?;
    let length = pages.metadata()?.len();
    let mut chunks = Chunks { file: pages, left: length };
    for group in reader.metadata().row_groups() {
        group.columns().iter().try_for_each(|column| chunks.check(group, column))?;
    }
    Ok(reader)
}

/// Lists in the footer have no more elements than it has octets for, and groups of columns no more columns.
fn check_footer(file: &mut File) -> Result<(), ParquetError> {
    let length = file.seek(SeekFrom::End(0))?;
    let tail = length.checked_sub(TAIL).ok_or_else(|| wrong("it is too short"))?;
    file.seek(SeekFrom::Start(tail))?;
    let mut footer = [0; 4];
    file.read_exact(&mut footer)?;
    let footer = u64::from(u32::from_le_bytes(footer));
    let begin = tail.checked_sub(footer).ok_or_else(|| wrong("its footer is longer than the file"))?;
    let octets = octets(file, begin, footer)?;
    let mut is_sound = true;
    let mut show = |field: Field<'_>| {
        is_sound &=
            is_of_footer(&field) && (field.path != SUBCOLUMNS || u64::try_from(field.value).is_ok_and(|n| n <= footer));
    };
    match walk(&octets, &mut show) {
        Ok(_) if is_sound => Ok(()),
        _ => Err(wrong("its footer is broken")),
    }
}

/// Whether a field of the footer has its type. The library does not look at types, and would find other fields than were shown here. Up to the list of
/// groups this is known of every field; behind it, the library itself holds lists against what is there.
fn is_of_footer(field: &Field<'_>) -> bool {
    match (field.path, field.kind) {
        ([1], kind) => kind == I32,
        ([3], kind) => kind == I64,
        ([6], kind) => kind == BINARY,
        // The element of a list has the place of the list.
        ([2 | 4 | 5 | 7], kind) => kind == LIST || kind == STRUCT,
        ([2, 4], kind) => kind == BINARY,
        ([2, 1..=9], kind) => kind == I32,
        // What a column stands for: a text, or a whole number, with bits and a sign.
        ([2, 10] | [2, 10, 1 | 10], kind) => kind == STRUCT,
        ([2, 10, 10, 1], kind) => kind == BYTE,
        ([2, 10, 10, 2], kind) => kind == TRUE || kind == FALSE,
        ([4 | 5 | 7, ..], _) => true,
        _ => false,
    }
}

/// Columns of groups, page after page.
struct Chunks {
    file: File,
    /// Octets of the file that no column has claimed yet: no two have the same.
    left: u64,
}

impl Chunks {
    fn check(&mut self, group: &RowGroupMetaData, column: &ColumnChunkMetaData) -> Result<(), ParquetError> {
        let natural = |number: i64| u64::try_from(number).map_err(|_| wrong("a size or a place is negative"));
        let length = natural(column.compressed_size())?;
        self.left = self.left.checked_sub(length).ok_or_else(|| wrong("its columns are longer than the file"))?;
        let mut at = natural(column.dictionary_page_offset().unwrap_or(column.data_page_offset()))?;
        let end = at.checked_add(length).ok_or_else(|| wrong("a column is longer than the file"))?;
        let mut unclaimed = natural(column.uncompressed_size())?;
        let rows = natural(group.num_rows())?;
        while at < end {
            let header = octets(&mut self.file, at, MOST_HEADER.min(end - at))?;
            let (taken, page) = Page::of(&header).ok_or_else(|| wrong("the header of a page is broken"))?;
            page.check(column.compression(), rows)?;
            unclaimed = unclaimed
                .checked_sub(page.uncompressed)
                .ok_or_else(|| wrong("the pages of a column are larger than the column"))?;
            at += taken as u64 + page.compressed;
        }
        if at > end { Err(wrong("a page is longer than its column")) } else { Ok(()) }
    }
}

/// What the header of a page says.
#[derive(Debug, Default)]
struct Page {
    kind: u64,
    uncompressed: u64,
    compressed: u64,
    /// Of a page of data, levels of rows without a value included.
    values: u64,
    encoding: u64,
    /// Of a dictionary.
    names: u64,
}

impl Page {
    /// By a header, which takes so many octets. Only fields that are written may be there, each of its type: the library does not look at types.
    fn of(header: &[u8]) -> Option<(usize, Page)> {
        let mut page = Page::default();
        let mut is_known = true;
        let mut show = |field: Field<'_>| {
            let (place, kind) = match field.path {
                [1] => (Some(&mut page.kind), I32),
                [2] => (Some(&mut page.uncompressed), I32),
                [3] => (Some(&mut page.compressed), I32),
                [5, 1] => (Some(&mut page.values), I32),
                [5, 2] => (Some(&mut page.encoding), I32),
                [7, 1] => (Some(&mut page.names), I32),
                // The checksum, the encodings of levels, that of a dictionary, whether it is sorted.
                [4] | [5, 3 | 4] | [7, 2] => (None, I32),
                [7, 3] => (None, if field.kind == FALSE { FALSE } else { TRUE }),
                [5 | 7] => (None, STRUCT),
                _ => (None, NONE),
            };
            is_known &= field.kind == kind;
            let value = u64::try_from(field.value);
            match (place, value) {
                (Some(place), Ok(value)) => *place = value,
                (Some(_), Err(_)) => is_known = false,
                (None, _) => {}
            }
        };
        let taken = walk(header, &mut show).ok()?;
        is_known.then_some((taken, page))
    }

    fn check(&self, compression: Compression, rows: u64) -> Result<(), ParquetError> {
        let most = match compression {
            Compression::UNCOMPRESSED => self.compressed,
            _ => self.compressed.saturating_mul(MOST_SNAPPY),
        };
        if self.uncompressed > most {
            return Err(wrong("a page is larger than what it can hold"));
        }
        match self.kind {
            DATA if self.values > rows => Err(wrong("a page has more rows than its group")),
            DATA if UNWRITTEN.contains(&self.encoding) => Err(wrong("a page has an encoding that is not written")),
            DATA => Ok(()),
            // Each has its length in front of it.
            DICTIONARY if self.names > self.uncompressed / 4 => Err(wrong("a page has fewer names than it says")),
            DICTIONARY => Ok(()),
            _ => Err(wrong("a page of another kind")),
        }
    }
}

/// Some octets of a file, fewer where it ends.
fn octets(file: &mut File, begin: u64, length: u64) -> Result<Vec<u8>, ParquetError> {
    file.seek(SeekFrom::Start(begin))?;
    let mut octets = Vec::new();
    file.take(length).read_to_end(&mut octets)?;
    Ok(octets)
}

/// The length of the footer and four letters are the end of a file.
const TAIL: u64 = 8;
/// Those that are written have less than a hundred octets.
const MOST_HEADER: u64 = 1024;
/// Snappy copies at most 64 octets by an element of two or three.
const MOST_SNAPPY: u64 = 32;
const DATA: u64 = 0;
const DICTIONARY: u64 = 2;
/// Lengths of texts and prefixes as differences: their count is in the page, and the library trusts it.
const UNWRITTEN: [u64; 2] = [6, 7];
/// How many columns a group of columns has.
const SUBCOLUMNS: [i16; 2] = [2, 5];
/// No field has this type.
const NONE: u8 = 0;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::basic::Encoding;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::*;
    use crate::chunk;

    /// What a column of names says of itself that is not so.
    struct Lies {
        names: usize,
        uncompressed: usize,
        encoding: Encoding,
        compression: Compression,
    }

    const NONE: Lies =
        Lies { names: 1, uncompressed: 3, encoding: Encoding::RLE_DICTIONARY, compression: Compression::UNCOMPRESSED };

    fn opened(name: &str, lies: Lies) -> Result<(), String> {
        let path = std::env::temp_dir().join(format!("ackclock-open-{name}-{}.parquet", std::process::id()));
        let schema = Arc::new(parse_message_type("message table { required binary name (STRING); }").unwrap());
        let mut writer = SerializedFileWriter::new(File::create(&path).unwrap(), schema, Arc::default()).unwrap();
        let column = writer.schema_descr().column(0);
        let mut group = writer.next_row_group().unwrap();
        chunk::write(&mut group, column, lies.compression, vec![lies.encoding], |pages| {
            pages.dictionary(vec![1, 0, 0, 0, b'a'], lies.names)?;
            // Numbers of one bit, five times the first.
            pages.data(vec![1, 10, 0], lies.uncompressed, lies.encoding, 5)
        })
        .unwrap();
        group.close().unwrap();
        writer.close().unwrap();
        let opened = open(File::open(&path).unwrap());
        std::fs::remove_file(&path).unwrap();
        let reader = opened.map_err(|error| error.to_string())?;
        let texts = crate::Rows::new(&reader).texts().map_err(|error| error.to_string())?;
        assert!(texts.len() == 5 && texts.iter().all(|text| text.data() == b"a"));
        Ok(())
    }

    #[test]
    fn a_page_that_holds_more_than_it_can_is_refused_when_the_file_is_opened() {
        const MANY: usize = (1 << 31) - 1;
        opened("true", NONE).unwrap();
        for (name, lies, expected) in [
            ("names", Lies { names: MANY, ..NONE }, "a page has fewer names than it says"),
            ("two", Lies { names: 2, ..NONE }, "a page has fewer names than it says"),
            ("size", Lies { uncompressed: MANY, ..NONE }, "a page is larger than what it can hold"),
            (
                "snappy",
                Lies { uncompressed: MANY, compression: Compression::SNAPPY, ..NONE },
                "a page is larger than what it can hold",
            ),
            (
                "encoding",
                Lies { encoding: Encoding::DELTA_LENGTH_BYTE_ARRAY, ..NONE },
                "a page has an encoding that is not written",
            ),
        ] {
            let error = opened(name, lies).unwrap_err();
            assert!(error.contains(expected), "{name}: {error}");
        }
    }

    #[test]
    fn a_header_has_only_fields_that_are_written_each_of_its_type() {
        // Of a page of data: 1 kind, 2 and 3 sizes, 5: { 1 rows, 2 encoding, 3 and 4 encodings of levels }.
        let header =
            [0x15, 0x00, 0x15, 0x14, 0x15, 0x12, 0x2c, 0x15, 0x0a, 0x15, 0x0a, 0x15, 0x06, 0x15, 0x06, 0x00, 0x00];
        let (length, page) = Page::of(&header).unwrap();
        assert_eq!((length, page.uncompressed, page.compressed, page.values), (17, 10, 9, 5));
        assert!(page.check(Compression::SNAPPY, 5).is_ok() && page.check(Compression::UNCOMPRESSED, 5).is_err());
        assert!(page.check(Compression::SNAPPY, 4).is_err());
        for (at, octet, what) in [
            (0, 0x16, "a kind of 64 bits"),
            (3, 0x13, "a negative size"),
            (6, 0x3c, "a structure that is not known"),
            (7, 0x18, "octets, a place further"),
        ] {
            let mut other = header;
            other[at] = octet;
            assert!(Page::of(&other).is_none(), "{what}");
        }
    }
}
