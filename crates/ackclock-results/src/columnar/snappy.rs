//! Compression by Snappy, with its buffers kept.

use parquet::errors::ParquetError;
use snap::raw::{Encoder, max_compress_len};

/// A compressor.
pub(super) struct Snappy {
    encoder: Encoder,
    room: Vec<u8>,
}

impl Snappy {
    /// One that has compressed nothing yet.
    pub(super) fn new() -> Snappy {
        Snappy { encoder: Encoder::new(), room: Vec::new() }
    }

    /// A whole stream: how long the content is, and its elements.
    pub(super) fn compress(&mut self, content: &[u8]) -> Result<&[u8], ParquetError> {
        let most = max_compress_len(content.len());
        if self.room.len() < most {
            self.room.resize(most, 0);
        }
        let length =
            self.encoder.compress(content, &mut self.room).map_err(|error| ParquetError::External(error.into()))?;
        Ok(&self.room[..length])
    }

    /// Appends the elements alone.
    pub(super) fn elements(&mut self, content: &[u8], octets: &mut Vec<u8>) -> Result<(), ParquetError> {
        let stream = self.compress(content)?;
        let length = stream.iter().take_while(|octet| **octet >= 0x80).count() + 1;
        octets.extend_from_slice(&stream[length..]);
        Ok(())
    }
}
