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
use crate::packet::SackOption;

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

/// The alternative that the source uses.
impl Default for Preference {
    fn default() -> Preference {
        Preference::Always(Alternative::FirstEdge)
    }
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
    /// It.
    pub option: SackOption,
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
pub fn permit(flags: Flags) -> SackOption {
    SackOption::from(&[EXPERIMENT_KIND, 5, IDENTIFIER[0], IDENTIFIER[1], flags.0][..])
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
pub fn encode(blocks: &[WireBlock], alternative: Alternative, form: Form, room: usize) -> Option<SackOption> {
    let fitting = Fitting::of(blocks, alternative, form, Flags::ALL, room);
    (fitting.blocks == blocks.len()).then(|| fitting.write(blocks, alternative, form)).flatten()
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
/// them than that of RFC 2018, which has no more than `most_standard`. Nothing if there are no blocks, or no room for one.
pub fn report(
    blocks: &[WireBlock],
    negotiated: Negotiated,
    preference: Preference,
    room: usize,
    most_standard: usize,
) -> Option<Report> {
    let least = sack_option::capacity(room).min(most_standard).min(blocks.len());
    let standard = || Some(Report { option: sack_option::encode(&blocks[..least], room)?, blocks: least });
    match negotiated {
        Negotiated::Nothing => None,
        Negotiated::Standard => standard(),
        Negotiated::Offset(form, flags) => {
            let offset = longest(blocks, form, flags, preference, room);
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
    let allowed = alternatives.iter().copied().filter(|&alternative| flags.allows(alternative));
    let fitting = allowed.map(|alternative| (Fitting::of(blocks, alternative, form, flags, room), alternative));
    // The first of equals.
    let best = fitting.reduce(|best, other| if other.0.is_better_than(best.0) { other } else { best });
    let (fitting, alternative) = best?;
    let option = fitting.write(&blocks[..fitting.blocks], alternative, form)?;
    Some(Report { option, blocks: fitting.blocks })
}

/// How many of the first blocks an option can say.
#[derive(Clone, Copy, Debug, Default)]
struct Fitting {
    blocks: usize,
    width: Width,
    option_bytes: usize,
}

/// How wide offsets are.
#[derive(Clone, Copy, Debug, Default)]
struct Width {
    signed: bool,
    /// Bits of the largest, without its sign.
    magnitude: u32,
}

impl Fitting {
    /// With every block the offsets may become wider, so that another would not fit any more: the most that fit together.
    fn of(blocks: &[WireBlock], alternative: Alternative, form: Form, flags: Flags, room: usize) -> Fitting {
        let mut fitting = Fitting::default();
        let mut width = Width::default();
        let mut offsets = offsets(blocks, alternative);
        for (count, block) in (1..).zip(blocks) {
            // One of the first block, two of each other.
            offsets.by_ref().take(if count == 1 { 1 } else { 2 }).for_each(|offset| width.widen(offset));
            let option_bytes = form.header_bytes() + ((2 * count - 1) * width.bits() as usize).div_ceil(8);
            let allowed = !width.signed || flags.has(Flags::SIGNED);
            if block.bytes().is_none() || !allowed || option_bytes > room.min(OPTION_BYTES) {
                break;
            }
            fitting = Fitting { blocks: count, width, option_bytes };
        }
        fitting
    }

    fn is_better_than(self, other: Fitting) -> bool {
        (self.blocks, other.option_bytes) > (other.blocks, self.option_bytes)
    }

    /// The option with these blocks, which are as many as fit; nothing if none does.
    fn write(self, blocks: &[WireBlock], alternative: Alternative, form: Form) -> Option<SackOption> {
        let first = blocks.first()?;
        let mut option = SackOption::default();
        match form {
            Form::Private { kind } => option.extend(&[kind, self.option_bytes as u8]),
            Form::Experimental => {
                option.extend(&[EXPERIMENT_KIND, self.option_bytes as u8, IDENTIFIER[0], IDENTIFIER[1]]);
            }
        }
        let signed = if self.width.signed { SIGNED_BIT } else { 0 };
        let before = if alternative == Alternative::EdgeBefore { BEFORE_BIT } else { 0 };
        let width = self.width.bits();
        option.push(signed | before | width as u8);
        option.extend(&first.right.to_be_bytes());
        let (mut bits, mut held) = (0_u64, 0);
        for offset in offsets(blocks, alternative) {
            let mask = (1_u64 << width) - 1;
            bits = bits << width | u64::from(offset as u32) & mask;
            held += width;
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
}

impl Width {
    fn widen(&mut self, offset: i32) {
        // Two's complement needs a bit more than the number, or than its complement if it is negative.
        let bits = u32::BITS - (offset ^ (offset >> 31)).leading_zeros();
        self.magnitude = self.magnitude.max(bits);
        self.signed |= offset < 0;
    }

    fn bits(self) -> u32 {
        self.magnitude + u32::from(self.signed)
    }
}

/// The offsets of some blocks, in the order of the option.
fn offsets(blocks: &[WireBlock], alternative: Alternative) -> impl Iterator<Item = i32> {
    let mut from = blocks.first().map_or(0, |block| block.right);
    let edges = blocks.iter().flat_map(|block| [block.right, block.left]).skip(1);
    edges.map(move |edge| {
        let offset = from.wrapping_sub(edge) as i32;
        if alternative == Alternative::EdgeBefore {
            from = edge;
        }
        offset
    })
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

/// No option has more blocks: this many have offsets of one bit in 33 octets.
pub const MAX_BLOCKS: usize = 132;
/// RFC 4727, RFC 6994: shared by experiments.
const EXPERIMENT_KIND: u8 = 254;
/// Which experiment: not registered.
const IDENTIFIER: [u8; 2] = [0xac, 0x0c];
const SIGNED_BIT: u8 = 0x80;
const BEFORE_BIT: u8 = 0x40;
const WIDTH_BITS: u8 = 0x3f;

/// The blocks among all options of a segment, in either form; those of the first such option, if there are two.
pub fn find(options: &[u8], negotiated: Negotiated) -> Result<Option<Vec<WireBlock>>, Malformed> {
    let mut rest = &options[..options.len().min(OPTION_BYTES)];
    loop {
        rest = match *rest {
            [] | [END, ..] => return Ok(None),
            [NO_OPERATION, ..] => &rest[1..],
            [_] => return Err(Malformed::Length),
            [kind, length, ..] => {
                let length = usize::from(length);
                if length < 2 || length > rest.len() {
                    return Err(Malformed::Length);
                }
                let (option, after) = rest.split_at(length);
                if kind == sack_option::KIND && negotiated != Negotiated::Nothing {
                    return sack_option::decode(option).map(Some);
                }
                if let Negotiated::Offset(form, flags) = negotiated
                    && form.is_form_of(option)
                {
                    return decode(option, form, flags).map(Some);
                }
                after
            }
        };
    }
}

/// The options of one octet (RFC 9293 §3.1): the end of all, and filling.
const END: u8 = 0;
const NO_OPERATION: u8 = 1;

#[cfg(test)]
mod tests;
