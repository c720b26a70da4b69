//! SACK on the wire: the option of RFC 2018, duplicates as in RFC 2883, and how much room there is.
//!
//! Sequence numbers are the 32 bits of the wire and wrap; only their differences are compared, and those are below 2^31.

use crate::packet::{SackBlock, SackOption, wire_number};

/// The kind of the option that allows SACK on a connection, RFC 2018 §2; its length is 2.
pub const PERMITTED_KIND: u8 = 4;
/// The kind of the option itself, RFC 2018 §3.
pub const KIND: u8 = 5;
/// Octets that all options of a segment can have, RFC 9293 §3.1.
pub const OPTION_BYTES: usize = SackOption::MAX_BYTES;
/// As many blocks fit into the option of RFC 2018 if there is no other.
pub const MAX_BLOCKS: usize = 4;

/// Bytes that a receiver holds: from `left` up to and without `right`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WireBlock {
    /// The sequence number of the first byte.
    pub left: u32,
    /// The sequence number after the last byte.
    pub right: u32,
}

/// Whether each segment carries the timestamps option of RFC 7323, and how it is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timestamps {
    /// It does not.
    Off,
    /// Ten octets after two NOPs, RFC 7323 appendix A.
    Aligned,
    /// Ten octets.
    Bare,
}

/// Why an option is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// Its length does not fit its contents, or the options of the segment.
    Length,
    /// A width of no bits, or of more than 32.
    Width,
    /// A form that was not negotiated.
    NotNegotiated,
    /// A block that is empty, or 2^31 bytes and more.
    Block,
}

/// What a list of blocks says to the sender of the data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SackReport {
    /// What arrived twice, RFC 2883.
    pub duplicate: Option<WireBlock>,
    /// What the receiver holds, in the order of the option.
    pub blocks: Vec<WireBlock>,
}

impl WireBlock {
    /// A block of the stream on the wire.
    #[inline]
    pub fn of(block: SackBlock) -> WireBlock {
        WireBlock { left: wire_number(block.start), right: wire_number(block.end) }
    }

    /// The block of the stream that this is, no edge of which is 2^31 bytes and more from byte `ack`.
    #[inline]
    pub fn near(self, ack: u64) -> SackBlock {
        let from = wire_number(ack);
        let byte = |number: u32| ack.saturating_add_signed((number.wrapping_sub(from) as i32).into());
        SackBlock { start: byte(self.left), end: byte(self.right) }
    }

    /// How many bytes; none if that is nothing, or more than half of all numbers.
    pub fn bytes(self) -> Option<u32> {
        let length = self.right.wrapping_sub(self.left);
        (1..=i32::MAX as u32).contains(&length).then_some(length)
    }

    /// Whether all of it is in another one.
    pub fn is_within(self, other: WireBlock) -> bool {
        at_or_after(self.left, other.left) && at_or_after(other.right, self.right)
    }
}

impl Timestamps {
    /// Octets left for other options: 40, 28 or 30.
    pub fn room(self) -> usize {
        match self {
            Timestamps::Off => OPTION_BYTES,
            Timestamps::Aligned => OPTION_BYTES - 12,
            Timestamps::Bare => OPTION_BYTES - 10,
        }
    }
}

/// How many blocks fit into so many octets: 4 into 40, 3 beside timestamps.
pub fn capacity(room: usize) -> usize {
    room.min(OPTION_BYTES).saturating_sub(2) / 8
}

/// The option with these blocks of the stream, the most recent first, of which the first [`MAX_BLOCKS`] are taken; none if
/// there are none.
pub fn of_stream(blocks: &[SackBlock]) -> SackOption {
    write(blocks.iter().take(MAX_BLOCKS).map(|&block| WireBlock::of(block)))
}

/// The blocks of the stream that an option of RFC 2018 beside the acknowledgement of everything before byte `ack` has.
pub fn to_stream(option: &SackOption, ack: u64) -> Result<Blocks, Malformed> {
    let (contents, _) = contents(option.octets())?.as_chunks::<8>();
    let mut blocks = Blocks::default();
    for (place, octets) in blocks.blocks.iter_mut().zip(contents) {
        *place = of_octets(octets)?.near(ack);
        blocks.count += 1;
    }
    Ok(blocks)
}

/// The blocks of an option of RFC 2018.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    blocks: [SackBlock; MAX_BLOCKS],
    count: usize,
}

impl Blocks {
    /// In the order of the option.
    pub fn as_slice(&self) -> &[SackBlock] {
        &self.blocks[..self.count]
    }
}

/// The option with these blocks, of which as many are taken as fit into `room` octets; nothing if none does.
pub fn encode(blocks: &[WireBlock], room: usize) -> Option<SackOption> {
    let option = write(blocks.iter().take(capacity(room)).copied());
    (!option.is_empty()).then_some(option)
}

/// The option with these blocks, none if there are none.
#[inline]
fn write(blocks: impl ExactSizeIterator<Item = WireBlock>) -> SackOption {
    let mut option = SackOption::default();
    if blocks.len() > 0 {
        option.extend(&[KIND, 2 + 8 * blocks.len() as u8]);
    }
    for WireBlock { left, right } in blocks {
        option.extend(&left.to_be_bytes());
        option.extend(&right.to_be_bytes());
    }
    option
}

/// The blocks of an option, of which kind and length are the first two octets.
pub fn decode(option: &[u8]) -> Result<Vec<WireBlock>, Malformed> {
    contents(option)?.as_chunks::<8>().0.iter().map(of_octets).collect()
}

/// What follows kind and length of an option of RFC 2018: eight octets for each block.
fn contents(option: &[u8]) -> Result<&[u8], Malformed> {
    let &[KIND, length, ref contents @ ..] = option else { return Err(Malformed::Length) };
    let fits = usize::from(length) == option.len() && !contents.is_empty() && contents.len().is_multiple_of(8);
    if fits { Ok(contents) } else { Err(Malformed::Length) }
}

fn of_octets(octets: &[u8; 8]) -> Result<WireBlock, Malformed> {
    let [a, b, c, d, e, f, g, h] = *octets;
    let block = WireBlock { left: u32::from_be_bytes([a, b, c, d]), right: u32::from_be_bytes([e, f, g, h]) };
    block.bytes().map(|_| block).ok_or(Malformed::Block)
}

/// What blocks say to a sender to which everything before `una` is acknowledged, and which has sent everything before
/// `nxt`. What lies outside is ignored, block by block, but for a duplicate in the first place.
pub fn evaluate(blocks: &[WireBlock], una: u32, nxt: u32) -> SackReport {
    let Some(&first) = blocks.first() else { return SackReport::default() };
    // RFC 2883 §4: it lies below the acknowledgement, or in the second block.
    let below = at_or_after(una, first.right);
    let inside = blocks.get(1).is_some_and(|&second| first.is_within(second));
    let duplicate = (below || inside).then_some(first);
    let is_news =
        |block: &&WireBlock| at_or_after(block.left, una) && block.left != una && at_or_after(nxt, block.right);
    let blocks = blocks[usize::from(duplicate.is_some())..].iter().filter(is_news).copied().collect();
    SackReport { duplicate, blocks }
}

/// Whether one sequence number is another one or comes after it.
fn at_or_after(number: u32, other: u32) -> bool {
    number.wrapping_sub(other) as i32 >= 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(left: u32, right: u32) -> WireBlock {
        WireBlock { left, right }
    }

    /// Table 19 of [VEGAS-A]: what the standard option says at each segment of 500 bytes, every second one lost.
    #[test]
    fn the_standard_option_has_room_for_the_last_four_blocks() {
        let held: Vec<WireBlock> = [10_000, 9000, 8000, 7000, 6000].map(|left| block(left, left + 500)).to_vec();
        let option = encode(&held, Timestamps::Off.room()).unwrap();
        assert_eq!(option.octets().len(), 34);
        assert_eq!(decode(option.octets()).unwrap(), held[..4]);
        let beside_timestamps = encode(&held, Timestamps::Aligned.room()).unwrap();
        assert_eq!(decode(beside_timestamps.octets()).unwrap(), held[..3]);
        assert_eq!(encode(&held[..1], 40).unwrap().octets(), [5, 10, 0, 0, 0x27, 0x10, 0, 0, 0x29, 4]);
        assert_eq!([capacity(40), capacity(30), capacity(28), capacity(9)], [4, 3, 3, 0]);
        assert_eq!((encode(&held, 9), encode(&[], 40)), (None, None));
    }

    #[test]
    fn malformed_options_are_ignored() {
        assert_eq!(decode(&[5, 2]), Err(Malformed::Length));
        assert_eq!(decode(&[5, 9, 0, 0, 0, 0, 0, 0, 0]), Err(Malformed::Length));
        assert_eq!(decode(&[5, 18, 0, 0, 0, 0, 0, 0, 0, 1]), Err(Malformed::Length));
        assert_eq!(decode(&[5, 10, 0, 0, 0, 7, 0, 0, 0, 7]), Err(Malformed::Block));
        assert_eq!(decode(&[5, 10, 0, 0, 0, 8, 0, 0, 0, 7]), Err(Malformed::Block));
        assert_eq!(decode(&[5, 10, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1]), Ok(vec![block(u32::MAX, 1)]), "it wraps");
    }

    #[test]
    fn duplicates_are_told_from_what_is_held() {
        // RFC 2883 §4.1, below the acknowledgement; §4.2, in the second block; and neither.
        let (una, nxt) = (4000, 10_000);
        let held = [block(5000, 6000)];
        assert_eq!(
            evaluate(&[block(3000, 3500), held[0]], una, nxt),
            SackReport { duplicate: Some(block(3000, 3500)), blocks: held.to_vec() }
        );
        assert_eq!(evaluate(&[block(5000, 5500), held[0]], una, nxt).duplicate, Some(block(5000, 5500)));
        assert_eq!(evaluate(&[held[0], block(7000, 7500)], una, nxt).duplicate, None);
        // What was acknowledged or not sent is ignored, block by block.
        let all = [held[0], block(3000, 3500), block(9000, 11_000), block(9000, 10_000)];
        assert_eq!(evaluate(&all, una, nxt).blocks, [held[0], block(9000, 10_000)]);
        assert_eq!(evaluate(&[], una, nxt), SackReport::default());
    }
}
