//! The offset SACK option: edges as distances from one absolute edge, in as few bits as the largest needs, so that more
//! blocks fit than into the option of RFC 2018.
//! Source: \[VEGAS-A\] §5.2, Fig. 38; docs/models/offset-sack.md has what its text leaves open. RFC 6994 for the form with
//! an identifier and for the negotiation.
//!
//! ```text
//! kind, length, [identifier,] X, A, offsets of X bits, zero bits up to an octet
//! ```
//!
//! A is the right edge of the first block. The offsets are its left edge, then right and left edge of each further block.

use super::sack_option::{self, Malformed, OPTION_BYTES, WireBlock};

/// What an offset counts from, downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternative {
    /// The first edge: alternative 1 of the source, the one that it uses.
    FirstEdge,
    /// The edge before it: alternative 2.
    EdgeBefore,
}

/// Which alternative the sender of an option uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// Always this one.
    Always(Alternative),
    /// The one with which more blocks fit, then the shorter one, then the first.
    Shorter,
}

/// How the option is recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// By a kind of its own, as in the source: for closed tests, as there is none.
    Private {
        /// The kind.
        kind: u8,
    },
    /// By the kind for experiments and an identifier, RFC 6994. The identifier is not registered.
    Experimental,
}

/// What an end of a connection can decode: one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags(u8);

/// What the two ends of a connection have agreed upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Negotiated {
    /// No SACK.
    Nothing,
    /// The option of RFC 2018.
    Standard,
    /// That, or the offset option in this form, with what both can decode.
    Offset(Form, Flags),
}

/// What a SYN says about SACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynSack {
    /// Whether it carries the option of RFC 2018 §2.
    pub permitted: bool,
    /// What its sender can decode, if it says so.
    pub offset: Option<Flags>,
}

/// The option that an acknowledgement carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Kind, length and contents.
    pub option: Vec<u8>,
    /// How many of the blocks it has.
    pub blocks: usize,
}

impl Flags {
    /// Edges counted from the first one.
    pub const FIRST_EDGE: Flags = Flags(1);
    /// Edges counted from the one before.
    pub const EDGE_BEFORE: Flags = Flags(2);
    /// Edges above the one they are counted from.
    pub const SIGNED: Flags = Flags(4);
    /// Everything.
    pub const ALL: Flags = Flags(7);

    /// What both have.
    pub fn and(self, other: Flags) -> Flags {
        Flags(self.0 & other.0)
    }

    /// What either has.
    pub fn or(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    fn allows(self, alternative: Alternative) -> bool {
        self.has(match alternative {
            Alternative::FirstEdge => Flags::FIRST_EDGE,
            Alternative::EdgeBefore => Flags::EDGE_BEFORE,
        })
    }
}

impl Form {
    /// Octets before the offsets: 7, or 9 with an identifier.
    fn header_bytes(self) -> usize {
        match self {
            Form::Private { .. } => 7,
            Form::Experimental => 9,
        }
    }

    /// Whether an option, of which kind and length are the first two octets, has this form.
    pub fn is_form_of(self, option: &[u8]) -> bool {
        match self {
            Form::Private { kind } => option.first() == Some(&kind),
            Form::Experimental => option.first() == Some(&EXPERIMENT_KIND) && option.get(2..4) == Some(&IDENTIFIER),
        }
    }
}

/// The option of a SYN that says what its sender can decode: RFC 6994 form, five octets.
pub fn permit(flags: Flags) -> [u8; 5] {
    [EXPERIMENT_KIND, 5, IDENTIFIER[0], IDENTIFIER[1], flags.0]
}

/// What the option of a SYN says; nothing if it is another option, or has an unknown length. Unknown flags are ignored.
pub fn permitted(option: &[u8]) -> Option<Flags> {
    match option {
        [EXPERIMENT_KIND, 5, high, low, flags] if [*high, *low] == IDENTIFIER => Some(Flags(*flags).and(Flags::ALL)),
        _ => None,
    }
}

/// What two ends have agreed upon, each of which has sent one of these SYNs.
pub fn negotiate(ours: SynSack, theirs: SynSack, form: Form) -> Negotiated {
    if !(ours.permitted && theirs.permitted) {
        return Negotiated::Nothing;
    }
    match ours.offset.zip(theirs.offset).map(|(ours, theirs)| ours.and(theirs)) {
        Some(flags) if flags.has(Flags::FIRST_EDGE) || flags.has(Flags::EDGE_BEFORE) => Negotiated::Offset(form, flags),
        _ => Negotiated::Standard,
    }
}

/// The option with all of these blocks, or nothing if it is longer than `room` octets, or if there is no such option: for
/// no blocks, for an empty one or for distances of 2^31 and more.
pub fn encode(blocks: &[WireBlock], alternative: Alternative, form: Form, room: usize) -> Option<Vec<u8>> {
    let offsets = Offsets::of(blocks, alternative)?;
    let length = offsets.option_bytes(form);
    if length > room.min(OPTION_BYTES) {
        return None;
    }
    let mut option = Vec::with_capacity(length);
    match form {
        Form::Private { kind } => option.extend_from_slice(&[kind, length as u8]),
        Form::Experimental => option.extend_from_slice(&[EXPERIMENT_KIND, length as u8, IDENTIFIER[0], IDENTIFIER[1]]),
    }
    let signed = if offsets.signed { SIGNED_BIT } else { 0 };
    let before = if alternative == Alternative::EdgeBefore { BEFORE_BIT } else { 0 };
    option.push(signed | before | offsets.width as u8);
    option.extend_from_slice(&blocks[0].right.to_be_bytes());
    let (mut bits, mut held) = (0_u64, 0);
    for offset in offsets.all {
        let mask = (1_u64 << offsets.width) - 1;
        bits = bits << offsets.width | u64::from(offset as u32) & mask;
        held += offsets.width;
        while held >= 8 {
            held -= 8;
            option.push((bits >> held) as u8);
        }
    }
    if held > 0 {
        option.push((bits << (8 - held)) as u8);
    }
    Some(option)
}

/// The blocks of an option, of which kind and length are the first two octets. `flags` are what was negotiated.
pub fn decode(option: &[u8], form: Form, flags: Flags) -> Result<Vec<WireBlock>, Malformed> {
    let header = form.header_bytes();
    let is_long_enough = option.len() > header && usize::from(option[1]) == option.len();
    if !is_long_enough || option.len() > OPTION_BYTES || !form.is_form_of(option) {
        return Err(Malformed::Length);
    }
    let (layout, first_edge) = (option[header - 5], &option[header - 4..header]);
    let width = u32::from(layout & WIDTH_BITS);
    if width == 0 || width > 32 {
        return Err(Malformed::Width);
    }
    let (signed, before) = (layout & SIGNED_BIT != 0, layout & BEFORE_BIT != 0);
    let alternative = if before { Alternative::EdgeBefore } else { Alternative::FirstEdge };
    if !flags.allows(alternative) || signed && !flags.has(Flags::SIGNED) {
        return Err(Malformed::NotNegotiated);
    }
    let first_edge = first_edge.iter().fold(0, |edge, &octet| edge << 8 | u32::from(octet));
    let mut offsets = read(&option[header..], width, signed);
    // One and two for each further block: what is beyond is padding.
    if offsets.len().is_multiple_of(2) {
        offsets.pop();
    }
    blocks(first_edge, &offsets, alternative)
}

/// The option that says most of these blocks, the most recent first, in `room` octets: the offset option if it has more of
/// them than that of RFC 2018. Nothing if there are no blocks, or no room for one.
pub fn report(blocks: &[WireBlock], negotiated: Negotiated, preference: Preference, room: usize) -> Option<Report> {
    let standard = || {
        let option = sack_option::encode(blocks, room)?;
        Some(Report { option, blocks: blocks.len().min(sack_option::capacity(room)) })
    };
    match negotiated {
        Negotiated::Nothing => None,
        Negotiated::Standard => standard(),
        Negotiated::Offset(form, flags) => {
            let offset = longest(blocks, form, flags, preference, room);
            let least = sack_option::capacity(room).min(blocks.len());
            offset.filter(|report| report.blocks > least).or_else(standard)
        }
    }
}

/// The offset option with the most of the first blocks.
fn longest(blocks: &[WireBlock], form: Form, flags: Flags, preference: Preference, room: usize) -> Option<Report> {
    let alternatives: &[Alternative] = match &preference {
        Preference::Always(alternative) => std::slice::from_ref(alternative),
        Preference::Shorter => &[Alternative::FirstEdge, Alternative::EdgeBefore],
    };
    // An old block far away may need more bits and push another one out, so every number is tried.
    (1..=blocks.len()).rev().find_map(|count| {
        let blocks = &blocks[..count];
        let allowed = alternatives.iter().filter(|&&alternative| {
            flags.allows(alternative)
                && Offsets::of(blocks, alternative).is_some_and(|offsets| !offsets.signed || flags.has(Flags::SIGNED))
        });
        let options = allowed.filter_map(|&alternative| encode(blocks, alternative, form, room));
        options.min_by_key(Vec::len).map(|option| Report { option, blocks: count })
    })
}

/// The offsets of some blocks, and how wide they are.
struct Offsets {
    all: Vec<i32>,
    signed: bool,
    /// Bits, 1 to 32.
    width: u32,
}

impl Offsets {
    fn of(blocks: &[WireBlock], alternative: Alternative) -> Option<Offsets> {
        let first = blocks.first()?.right;
        if blocks.iter().any(|block| block.bytes().is_none()) {
            return None;
        }
        let mut all = Vec::with_capacity(2 * blocks.len() - 1);
        let mut from = first;
        for edge in blocks.iter().flat_map(|block| [block.right, block.left]).skip(1) {
            all.push(from.wrapping_sub(edge) as i32);
            if alternative == Alternative::EdgeBefore {
                from = edge;
            }
        }
        let signed = all.iter().any(|&offset| offset < 0);
        // Two's complement needs a bit more than the number, or than its complement if it is negative.
        let bits = |&offset: &i32| u32::BITS - (offset ^ (offset >> 31)).leading_zeros() + u32::from(signed);
        let width = all.iter().map(bits).max()?;
        Some(Offsets { all, signed, width })
    }

    fn option_bytes(&self, form: Form) -> usize {
        form.header_bytes() + (self.all.len() * self.width as usize).div_ceil(8)
    }
}

/// All offsets of so many bits that there are in `octets`.
fn read(octets: &[u8], width: u32, signed: bool) -> Vec<i32> {
    let (mut offsets, mut bits, mut held) = (Vec::new(), 0_u64, 0);
    for &octet in octets {
        bits = bits << 8 | u64::from(octet);
        held += 8;
        while held >= width {
            held -= width;
            let raw = (bits >> held & ((1 << width) - 1)) as u32;
            let unused = u32::BITS - width;
            offsets.push(if signed { (raw << unused) as i32 >> unused } else { raw as i32 });
        }
    }
    offsets
}

/// The blocks of these offsets, up to the first pair that is padding.
fn blocks(first_edge: u32, offsets: &[i32], alternative: Alternative) -> Result<Vec<WireBlock>, Malformed> {
    let mut from = first_edge;
    let mut edge = |offset: i32| {
        let edge = from.wrapping_sub(offset as u32);
        if alternative == Alternative::EdgeBefore {
            from = edge;
        }
        edge
    };
    let (&first, pairs) = offsets.split_first().ok_or(Malformed::Length)?;
    let mut blocks = vec![WireBlock { left: edge(first), right: first_edge }];
    for pair in pairs.chunks_exact(2) {
        let right = edge(pair[0]);
        let block = WireBlock { left: edge(pair[1]), right };
        if block.left == block.right {
            break;
        }
        blocks.push(block);
    }
    if blocks.iter().any(|block| block.bytes().is_none()) { Err(Malformed::Block) } else { Ok(blocks) }
}

/// RFC 4727, RFC 6994: shared by experiments.
const EXPERIMENT_KIND: u8 = 254;
/// Which experiment: not registered.
const IDENTIFIER: [u8; 2] = [0xac, 0x0c];
const SIGNED_BIT: u8 = 0x80;
const BEFORE_BIT: u8 = 0x40;
const WIDTH_BITS: u8 = 0x3f;

#[cfg(test)]
mod tests;
