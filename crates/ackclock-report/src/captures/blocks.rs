//! The grammar of pcapng: blocks with options, everything in units of four octets.
//! Source: \[PCAPNG\] §3.1 (blocks), §3.5 (options).

use std::io::{self, Write};

/// A block being put together. It is used again for the next one.
#[derive(Default)]
pub(super) struct Block {
    bytes: Vec<u8>,
}

impl Block {
    /// Begins a block of the given type; what was in here is gone.
    pub(super) fn begin(&mut self, block_type: u32) -> &mut Block {
        self.bytes.clear();
        self.u32(block_type).u32(0) // the length is not known yet
    }

    pub(super) fn u16(&mut self, value: u16) -> &mut Block {
        self.bytes(&value.to_le_bytes())
    }

    pub(super) fn u32(&mut self, value: u32) -> &mut Block {
        self.bytes(&value.to_le_bytes())
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> &mut Block {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Zeros up to the next multiple of four octets.
    pub(super) fn pad(&mut self) -> &mut Block {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self
    }

    /// An option. Its length does not count the padding. Longer text than the length can say is cut off.
    pub(super) fn option(&mut self, code: u16, value: &[u8]) {
        let value = &value[..value.len().min(usize::from(u16::MAX))];
        self.u16(code).u16(value.len() as u16).bytes(value).pad();
    }

    pub(super) fn end_of_options(&mut self) -> &mut Block {
        self.u16(0).u16(0)
    }

    /// Writes the block with its length, which stands at its beginning and at its end.
    pub(super) fn write(&mut self, out: &mut impl Write) -> io::Result<()> {
        let length = u32::try_from(self.bytes.len() + 4).expect("a block of less than 4 GiB").to_le_bytes();
        self.bytes[4..8].copy_from_slice(&length);
        self.bytes(&length);
        out.write_all(&self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_count_the_whole_block_but_not_the_padding_of_an_option() {
        let mut block = Block::default();
        block.begin(7).option(1, b"abcde");
        let mut out = Vec::new();
        block.end_of_options().write(&mut out).unwrap();
        let expected = [
            [7, 0, 0, 0],
            [28, 0, 0, 0], // 4 type + 4 length + 4 code and length + 8 value + 4 end + 4 length
            [1, 0, 5, 0],
            *b"abcd",
            *b"e\0\0\0",
            [0, 0, 0, 0],
            [28, 0, 0, 0],
        ];
        assert_eq!(out, expected.concat());
    }

    #[test]
    fn a_block_is_used_again() {
        let mut block = Block::default();
        let mut out = Vec::new();
        block.begin(7).u32(1).write(&mut out).unwrap();
        out.clear();
        block.begin(8).write(&mut out).unwrap();
        assert_eq!(out, [[8, 0, 0, 0], [12, 0, 0, 0], [12, 0, 0, 0]].concat());
    }
}
