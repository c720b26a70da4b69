//! A column chunk of a Parquet file, page by page.
//! Source: the Parquet format, "File format" and "Data pages".
//!
//! For a column whose pages are not made by the library's own column writer.

use std::io::Write;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, PageType};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::writer::{SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

pub(super) struct Pages<'a> {
    writer: SerializedPageWriter<'a, Vec<u8>>,
    rows: u64,
    uncompressed: usize,
    dictionary: Option<u64>,
    data: Option<u64>,
}

/// Writes the next column of a row group: the pages that `fill` gives.
pub(super) fn write<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    column: ColumnDescPtr,
    compression: Compression,
    encodings: Vec<Encoding>,
    fill: impl FnOnce(&mut Pages<'_>) -> Result<(), ParquetError>,
) -> Result<(), ParquetError> {
    let mut sink = TrackedWrite::new(Vec::new());
    let writer = SerializedPageWriter::new(&mut sink);
    let mut pages = Pages { writer, rows: 0, uncompressed: 0, dictionary: None, data: None };
    fill(&mut pages)?;
    let Pages { mut writer, rows, uncompressed, dictionary, data } = pages;
    writer.close()?;
    let bytes = Bytes::from(sink.into_inner()?);
    let metadata = ColumnChunkMetaData::builder(column)
        .set_compression(compression)
        .set_encodings(encodings)
        .set_num_values(rows as i64)
        .set_total_compressed_size(bytes.len() as i64)
        .set_total_uncompressed_size(uncompressed as i64)
        .set_dictionary_page_offset(dictionary.map(|offset| offset as i64))
        .set_data_page_offset(data.map_or(0, |offset| offset as i64))
        .build()?;
    let close = ColumnCloseResult {
        bytes_written: bytes.len() as u64,
        rows_written: rows,
        metadata,
        bloom_filter: None,
        column_index: None,
        offset_index: None,
    };
    group.append_column(&bytes, close)
}

impl Pages<'_> {
    /// The page with each name of the data pages.
    pub(super) fn dictionary(&mut self, content: Vec<u8>, names: usize) -> Result<(), ParquetError> {
        let length = content.len();
        let (buf, num_values) = (content.into(), names as u32);
        self.push(Page::DictionaryPage { buf, num_values, encoding: Encoding::PLAIN, is_sorted: false }, length)
    }

    /// A page of so many rows. `content` is compressed as the chunk says; uncompressed it has so many octets.
    pub(super) fn data(
        &mut self,
        content: Vec<u8>,
        uncompressed: usize,
        encoding: Encoding,
        rows: usize,
    ) -> Result<(), ParquetError> {
        self.rows += rows as u64;
        let page = Page::DataPage {
            buf: content.into(),
            num_values: rows as u32,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        self.push(page, uncompressed)
    }

    fn push(&mut self, page: Page, uncompressed: usize) -> Result<(), ParquetError> {
        let spec = self.writer.write_page(CompressedPage::new(page, uncompressed))?;
        self.uncompressed += spec.uncompressed_size;
        let first = if spec.page_type == PageType::DICTIONARY_PAGE { &mut self.dictionary } else { &mut self.data };
        first.get_or_insert(spec.offset);
        Ok(())
    }
}
