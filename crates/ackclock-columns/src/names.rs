//! A column of names as a Parquet column chunk: each name once, then how often in a row.
//! Source: the Parquet format, "Encodings", dictionary encoding and the run-length / bit-packing hybrid.
//!
//! The library's own writer looks at every row, which for a column that says the same on a million rows costs more than
//! all others together. Here a run of equal names costs the same whatever its length.

use std::io::Write;

use parquet::basic::{Compression, Encoding};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::ColumnDescPtr;

use crate::chunk;

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
    let encodings = vec![Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY];
    chunk::write(group, column, Compression::UNCOMPRESSED, encodings, |pages| {
        pages.dictionary(chunk.dictionary(), chunk.names.len())?;
        let indices = chunk.indices();
        let length = indices.len();
        pages.data(indices, length, Encoding::RLE_DICTIONARY, chunk.runs.iter().map(|run| run.1).sum())
    })
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
            varint((rows as u64) << 1, &mut octets);
            octets.extend(&number.to_le_bytes()[..bits.div_ceil(8) as usize]);
        }
        octets
    }
}

/// Appends a number in groups of seven bits, the lowest first.
fn varint(mut number: u64, octets: &mut Vec<u8>) {
    while number >= 0x80 {
        octets.push(number as u8 | 0x80);
        number >>= 7;
    }
    octets.push(number as u8);
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
