//! A column of names as a Parquet column chunk: each name once, then how often in a row.
//! Source: the Parquet format, "Encodings", dictionary encoding and the run-length / bit-packing hybrid.
//!
//! The library's own writer looks at every row, which for a column that says the same on a million rows costs more than
//! all others together. Here a run of equal names costs the same whatever its length.

use std::io::Write;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::writer::{SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

/// Writes the next column of a row group. `runs` are names and how often each comes, in the order of the rows.
pub(super) fn write<'a, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    column: ColumnDescPtr,
    runs: impl Iterator<Item = (&'a str, usize)>,
) -> Result<(), ParquetError> {
    let mut chunk = Chunk::default();
    for (name, rows) in runs {
        chunk.push(name, rows);
    }
    let (bytes, close) = chunk.encode(column)?;
    group.append_column(&bytes, close)
}

/// What a column chunk holds.
#[derive(Default)]
struct Chunk<'a> {
    /// Each name once.
    names: Vec<&'a str>,
    /// Which name, and how often in a row.
    runs: Vec<(usize, usize)>,
}

impl<'a> Chunk<'a> {
    fn push(&mut self, name: &'a str, rows: usize) {
        // Few names, and neighbours are mostly alike.
        let last = self.runs.last_mut().filter(|run| self.names[run.0] == name);
        if let Some((_, known)) = last {
            *known += rows;
            return;
        }
        let number = self.names.iter().position(|&known| known == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        self.runs.push((number, rows));
    }

    fn encode(&self, column: ColumnDescPtr) -> Result<(Bytes, ColumnCloseResult), ParquetError> {
        let rows: usize = self.runs.iter().map(|run| run.1).sum();
        let mut sink = TrackedWrite::new(Vec::new());
        let mut writer = SerializedPageWriter::new(&mut sink);
        let names = writer.write_page(whole(Page::DictionaryPage {
            buf: self.dictionary().into(),
            num_values: self.names.len() as u32,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        }))?;
        let data = writer.write_page(whole(Page::DataPage {
            buf: self.indices().into(),
            num_values: rows as u32,
            encoding: Encoding::RLE_DICTIONARY,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        }))?;
        writer.close()?;
        let bytes = Bytes::from(sink.into_inner()?);
        let metadata = ColumnChunkMetaData::builder(column)
            .set_compression(Compression::UNCOMPRESSED)
            .set_encodings(vec![Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY])
            .set_num_values(rows as i64)
            .set_total_compressed_size(bytes.len() as i64)
            .set_total_uncompressed_size(bytes.len() as i64)
            .set_dictionary_page_offset(Some(names.offset as i64))
            .set_data_page_offset(data.offset as i64)
            .build()?;
        let close = ColumnCloseResult {
            bytes_written: bytes.len() as u64,
            rows_written: rows as u64,
            metadata,
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        Ok((bytes, close))
    }

    /// The names, each after its length in 4 octets.
    fn dictionary(&self) -> Vec<u8> {
        let mut octets = Vec::new();
        for name in &self.names {
            octets.extend((name.len() as u32).to_le_bytes());
            octets.extend(name.as_bytes());
        }
        octets
    }

    /// The numbers of the names: how many bits a number has, then for each run twice its length as a variable-length
    /// integer and its number in whole octets.
    fn indices(&self) -> Vec<u8> {
        let bits = usize::BITS - self.names.len().saturating_sub(1).leading_zeros();
        let mut octets = vec![bits as u8];
        for &(number, rows) in &self.runs {
            let mut header = (rows as u64) << 1;
            while header >= 0x80 {
                octets.push(header as u8 | 0x80);
                header >>= 7;
            }
            octets.push(header as u8);
            octets.extend(&number.to_le_bytes()[..bits.div_ceil(8) as usize]);
        }
        octets
    }
}

/// A page that is not compressed.
fn whole(page: Page) -> CompressedPage {
    let length = page.buffer().len();
    CompressedPage::new(page, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(runs: &[(&'static str, usize)]) -> Chunk<'static> {
        let mut chunk = Chunk::default();
        for &(name, rows) in runs {
            chunk.push(name, rows);
        }
        chunk
    }

    #[test]
    fn equal_neighbours_are_one_run() {
        let chunk = chunk(&[("a", 2), ("a", 3), ("b", 1), ("a", 1)]);
        assert_eq!(chunk.names, ["a", "b"]);
        assert_eq!(chunk.runs, [(0, 5), (1, 1), (0, 1)]);
    }

    /// By hand: one bit tells two names apart; 300 rows are 600 = 0b100_1011000 in groups of seven bits.
    #[test]
    fn runs_are_a_length_and_a_number() {
        assert_eq!(chunk(&[("a", 300), ("b", 1)]).indices(), [1, 0xd8, 0x04, 0, 2, 1]);
        assert_eq!(chunk(&[("a", 5)]).indices(), [0, 10], "one name needs no number");
        assert_eq!(chunk(&[("ab", 5)]).dictionary(), [2, 0, 0, 0, b'a', b'b']);
    }

    #[test]
    fn more_than_256_names_have_numbers_of_two_octets() {
        let names: Vec<String> = (0..257).map(|number| number.to_string()).collect();
        let mut chunk = Chunk::default();
        for name in &names {
            chunk.push(name, 1);
        }
        let indices = chunk.indices();
        assert_eq!((indices[0], &indices[indices.len() - 3..]), (9, &[2, 0, 1][..]));
    }
}
