//! What segments say about SACK, as it is on the wire.

use std::fmt;

/// Bytes `start..end` held by the receiver beyond a hole (RFC 2018 §3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// First byte held.
    pub start: u64,
    /// First byte after those held.
    pub end: u64,
}

/// A TCP option as it is on the wire: kind, length, contents; or none. In an acknowledgement it is that with the blocks
/// held, in a SYN the offer of another form of it.
///
/// What the octets mean is known to those who write and read them, in `tcp`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SackOption {
    /// Zero beyond the length.
    octets: [u8; SackOption::MAX_BYTES],
    len: u8,
}

impl SackOption {
    /// Octets of all options of a segment together (RFC 9293 §3.1).
    pub const MAX_BYTES: usize = 40;

    /// Adds an octet.
    ///
    /// # Panics
    /// If there are [`SackOption::MAX_BYTES`] already.
    #[inline]
    pub fn push(&mut self, octet: u8) {
        self.octets[usize::from(self.len)] = octet;
        self.len += 1;
    }

    /// Adds octets.
    ///
    /// # Panics
    /// If they are more than [`SackOption::MAX_BYTES`] with those that there are.
    #[inline]
    pub fn extend(&mut self, octets: &[u8]) {
        let from = usize::from(self.len);
        self.octets[from..from + octets.len()].copy_from_slice(octets);
        self.len += octets.len() as u8;
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Kind, length and contents.
    #[inline]
    pub fn octets(&self) -> &[u8] {
        &self.octets[..usize::from(self.len)]
    }

    /// Octets that it takes with the NOPs before it: whole words of four, as the data offset counts them.
    #[inline]
    pub fn padded_bytes(&self) -> u32 {
        u32::from(self.len).next_multiple_of(4)
    }
}

impl Default for SackOption {
    #[inline]
    fn default() -> SackOption {
        SackOption { octets: [0; SackOption::MAX_BYTES], len: 0 }
    }
}

impl From<&[u8]> for SackOption {
    fn from(octets: &[u8]) -> SackOption {
        let mut option = SackOption::default();
        option.extend(octets);
        option
    }
}

impl fmt::Debug for SackOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.octets().iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

/// The number on the wire of a byte of the stream, modulo 2^32 (RFC 9293 §3.4). Both ends have 0 as their initial number,
/// which a SYN takes or would have taken, so that the first byte is 1, as readers of captures show it.
#[inline]
pub fn wire_number(seq: u64) -> u32 {
    seq.wrapping_add(1) as u32
}
