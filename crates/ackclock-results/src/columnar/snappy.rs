//! Compression by Snappy, with its buffers kept.
//! Source: the format description of Snappy: a stream is the length of the content and then elements, each of which is
//! literal or repeats what came before.

use parquet::errors::ParquetError;
use snap::raw::{Encoder, max_compress_len};

/// A compressor.
pub(super) struct Snappy {
    encoder: Encoder,
    room: Vec<u8>,
}

/// How well the pieces of something compress, of which one follows the other: where it is of no use, most are left as
/// they are without a look at them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Experience {
    /// So many pieces are left as they are before the next is tried.
    to_leave: u32,
}

/// How many pieces are left as they are after one that did not get shorter.
const LEFT_AFTER_FAILURE: u32 = 7;
/// A piece must get shorter by this part of its length.
const WORTH_IT: usize = 32;
/// The longest literal whose length has two octets.
const LONGEST_LITERAL: usize = 1 << 16;

impl Snappy {
    /// One that has compressed nothing yet.
    pub(super) fn new() -> Snappy {
        Snappy { encoder: Encoder::new(), room: Vec::new() }
    }

    /// Appends the elements of the next piece of something, without its length.
    pub(super) fn elements(
        &mut self,
        content: &[u8],
        experience: &mut Experience,
        octets: &mut Vec<u8>,
    ) -> Result<(), ParquetError> {
        if experience.to_leave > 0 {
            experience.to_leave -= 1;
            literal(content, octets);
            return Ok(());
        }
        let stream = self.compress(content)?;
        let length = stream.iter().take_while(|octet| **octet >= 0x80).count() + 1;
        let elements = &stream[length..];
        if elements.len() + content.len() / WORTH_IT > content.len() {
            experience.to_leave = LEFT_AFTER_FAILURE;
        }
        octets.extend_from_slice(elements);
        Ok(())
    }

    /// A whole stream.
    fn compress(&mut self, content: &[u8]) -> Result<&[u8], ParquetError> {
        let most = max_compress_len(content.len());
        if self.room.len() < most {
            self.room.resize(most, 0);
        }
        let length =
            self.encoder.compress(content, &mut self.room).map_err(|error| ParquetError::External(error.into()))?;
        Ok(&self.room[..length])
    }
}

/// The content as it is. A literal begins with 61 times four and two octets of its length less one.
fn literal(content: &[u8], octets: &mut Vec<u8>) {
    for piece in content.chunks(LONGEST_LITERAL) {
        octets.push(61 << 2);
        octets.extend(((piece.len() - 1) as u16).to_le_bytes());
        octets.extend_from_slice(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::super::delta::varint;
    use super::*;

    /// Octets that do not repeat.
    fn noise(count: usize) -> Vec<u8> {
        (0..count as u64).map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 29) as u8 ^ (n * n >> 7) as u8).collect()
    }

    #[test]
    fn what_does_not_compress_is_soon_left_as_it_is_and_tried_again_later() {
        let (mut snappy, mut experience) = (Snappy::new(), Experience::default());
        // Longer than one literal.
        let pieces: Vec<Vec<u8>> = (0..8).map(|_| noise(70_000)).chain([vec![7; 70_000]]).collect();
        let (mut stream, mut lengths) = (Vec::new(), Vec::new());
        varint(9 * 70_000, &mut stream);
        for piece in &pieces {
            let before = stream.len();
            snappy.elements(piece, &mut experience, &mut stream).unwrap();
            lengths.push(stream.len() - before);
        }
        assert_eq!(snap::raw::Decoder::new().decompress_vec(&stream).unwrap(), pieces.concat());
        // The first is tried, seven are literals of two pieces, and the ninth is tried again.
        assert_eq!(lengths[1..8], [70_006; 7]);
        assert!(lengths[8] < 7000, "{lengths:?}");
    }
}
