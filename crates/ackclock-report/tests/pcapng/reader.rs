//! A reader of pcapng, written from the draft and knowing nothing of the writer. It refuses what is not well formed.

#[derive(Debug)]
pub struct Block {
    pub block_type: u32,
    pub body: Vec<u8>,
}

/// One packet of an enhanced packet block.
#[derive(Debug)]
pub struct Packet {
    pub interface: u32,
    /// In the unit of the interface.
    pub time: u64,
    pub original_length: u32,
    pub bytes: Vec<u8>,
    pub options: Vec<(u16, Vec<u8>)>,
}

pub const SECTION_HEADER: u32 = 0x0a0d_0d0a;
pub const INTERFACE: u32 = 1;
pub const NAMES: u32 = 4;
pub const PACKET: u32 = 6;

pub fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

pub fn blocks(file: &[u8]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut rest = file;
    while !rest.is_empty() {
        let length = u32_at(rest, 4) as usize;
        assert!(length >= 12 && length.is_multiple_of(4), "a block of {length} octets");
        assert_eq!(u32_at(rest, length - 4) as usize, length, "both lengths agree");
        blocks.push(Block { block_type: u32_at(rest, 0), body: rest[8..length - 4].to_vec() });
        rest = &rest[length..];
    }
    blocks
}

/// A list of options, or of records of names, up to its end, which must be there and be the last.
pub fn options(bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
    let mut options = Vec::new();
    let mut rest = bytes;
    loop {
        let (code, length) = (u16_at(rest, 0), usize::from(u16_at(rest, 2)));
        if code == 0 {
            assert_eq!((length, rest.len()), (0, 4), "the end is empty and nothing comes after it");
            return options;
        }
        let padded = length.next_multiple_of(4);
        assert!(rest[4 + length..4 + padded].iter().all(|octet| *octet == 0), "padding is zero");
        options.push((code, rest[4..4 + length].to_vec()));
        rest = &rest[4 + padded..];
    }
}

impl Packet {
    pub fn of(block: &Block) -> Packet {
        assert_eq!(block.block_type, PACKET);
        let body = &block.body;
        let length = u32_at(body, 12) as usize;
        let padded = length.next_multiple_of(4);
        assert!(body[20 + length..20 + padded].iter().all(|octet| *octet == 0), "padding is zero");
        Packet {
            interface: u32_at(body, 0),
            time: (u64::from(u32_at(body, 4)) << 32 | u64::from(u32_at(body, 8)))
                .checked_sub(BEGINS_S * 1_000_000_000)
                .expect("a simulation begins in the year 2000"),
            original_length: u32_at(body, 16),
            bytes: body[20..20 + length].to_vec(),
            options: options(&body[20 + padded..]),
        }
    }

    /// The text of the option with the given code.
    pub fn text(&self, code: u16) -> &str {
        text(&self.options, code)
    }

    /// The whole datagram: what was not captured is zeros.
    pub fn datagram(&self) -> Vec<u8> {
        let mut datagram = self.bytes.clone();
        datagram.resize(self.original_length as usize, 0);
        datagram
    }
}

/// The text of the only option with the given code.
pub fn text(options: &[(u16, Vec<u8>)], code: u16) -> &str {
    let found: Vec<_> = options.iter().filter(|(this, _)| *this == code).collect();
    assert_eq!(found.len(), 1, "one option {code}");
    std::str::from_utf8(&found[0].1).expect("UTF-8")
}

/// RFC 791 §3.1, RFC 9293 §3.1: the sum in ones' complement, word by word with the carry added at once, over what
/// contains its checksum. It is ffff if that is right.
pub fn ones_complement_sum(bytes: &[u8]) -> u16 {
    let mut sum = 0u16;
    for pair in bytes.chunks(2) {
        let word = u16::from(pair[0]) * 256 + u16::from(*pair.get(1).unwrap_or(&0));
        let (wrapped, carry) = sum.overflowing_add(word);
        sum = wrapped + u16::from(carry);
    }
    sum
}

/// The pseudo header and the segment of a datagram, of which the checksum of TCP is taken.
pub fn tcp_with_pseudo_header(datagram: &[u8]) -> Vec<u8> {
    let segment = &datagram[20..];
    let length = (segment.len() as u16).to_be_bytes();
    [&datagram[12..20], &[0, datagram[9]], &length, segment].concat()
}

/// 2000-01-01 00:00 UTC, seconds after 1970: tcptrace passes over a packet of the instant 0.
pub const BEGINS_S: u64 = 946_684_800;
