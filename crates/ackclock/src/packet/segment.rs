//! A TCP segment, as far as the model has it: no payload, sequence numbers that do not wrap.

use super::{Ecn, IP_HEADER_BYTES, SackOption, TCP_HEADER_BYTES};

/// A data segment, or a pure acknowledgement (`len` 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First byte of the payload, counted from 0 at the start of the connection.
    pub seq: u64,
    /// Sequence numbers that it takes: payload bytes, but for some [`kinds`](SegmentKind).
    pub len: u32,
    /// Octets of the IP and TCP headers, options not counted.
    pub headers: u16,
    /// What the sequence numbers stand for.
    pub kind: SegmentKind,
    /// Next byte expected by the sender of this segment.
    pub ack: u64,
    /// Selective acknowledgements.
    pub sack: SackOption,
    /// The timestamps option.
    pub timestamps: Option<Timestamps>,
    /// The receive window in bytes, if a router has written it, a host that is outside, or a receiver whose application does not read at
    /// once: a whole number of units of the receiver's window scale. Without one it is what the receiver advertises.
    pub window: Option<u32>,
    /// The bits of explicit congestion notification.
    pub ecn: Ecn,
    /// Of a connection with data in both directions, how many of the sequence numbers that it takes stand for nothing, as its message ends
    /// before them; `None` of a connection with data in one direction.
    pub unfilled: Option<u32>,
}

/// The timestamps option (RFC 7323 §3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamps {
    /// TSval: the clock of who sends it.
    pub value: u32,
    /// TSecr: what it has from the other end.
    pub echo: u32,
}

impl Timestamps {
    /// Octets of the option with two NOPs before it (RFC 7323, appendix A).
    pub const OPTION_BYTES: u32 = 12;
}

/// What the sequence numbers of a segment stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SegmentKind {
    /// Payload, a byte each.
    #[default]
    Data,
    /// Nothing: ns-2's number 0, which is as long as a header.
    Empty,
    /// None are taken: opens the connection. Byte 0 is the first of the payload all the same.
    Syn,
    /// None are taken: the answer to it.
    SynAck,
    /// None are taken: an acknowledgement of the receiver's SYN or FIN.
    Ack,
    /// All but the last are payload; the last is the sender's FIN.
    Fin,
    /// None are taken: the receiver's FIN.
    FinAck,
    /// None are taken: asks how large the window is, by a number that is acknowledged.
    Probe,
    /// Payload of a datagram that the other end sends back, and of its echo.
    Echo,
}

impl SegmentKind {
    /// Whether it opens a connection, or answers what does: its window has no scale (RFC 7323 §2.2).
    #[inline]
    pub(crate) fn opens(self) -> bool {
        matches!(self, SegmentKind::Syn | SegmentKind::SynAck)
    }

    /// Every kind, at the place of its number.
    pub(super) const ALL: [SegmentKind; 9] = [
        SegmentKind::Data,
        SegmentKind::Empty,
        SegmentKind::Syn,
        SegmentKind::SynAck,
        SegmentKind::Ack,
        SegmentKind::Fin,
        SegmentKind::FinAck,
        SegmentKind::Probe,
        SegmentKind::Echo,
    ];
}

/// No payload, the usual headers.
impl Default for Segment {
    #[inline]
    fn default() -> Segment {
        Segment {
            seq: 0,
            len: 0,
            headers: (IP_HEADER_BYTES + TCP_HEADER_BYTES) as u16,
            kind: SegmentKind::Data,
            ack: 0,
            sack: SackOption::default(),
            timestamps: None,
            window: None,
            ecn: Ecn::NOT_ECT,
            unfilled: None,
        }
    }
}

/// Octets of a SYN's options beside timestamps: segment size 4, window scale 3, SACK permitted 2, and three NOPs
/// (RFC 9293 §3.7.1, RFC 7323 §2.2, RFC 2018 §2).
const SYN_OPTION_BYTES: u32 = 12;

impl Segment {
    /// Octets of the longest options: those of TCP have room for no more.
    pub const MAX_OPTION_BYTES: u32 = 40;

    /// Octets of the IP datagram: payload, TCP and IP headers, options.
    #[inline]
    pub fn ip_bytes(&self) -> u32 {
        self.payload() + u32::from(self.headers) + self.option_bytes()
    }

    /// Octets of the options.
    #[inline]
    pub fn option_bytes(&self) -> u32 {
        let timestamps = if self.timestamps.is_some() { Timestamps::OPTION_BYTES } else { 0 };
        let syn = if self.kind.opens() { SYN_OPTION_BYTES } else { 0 };
        timestamps + syn + self.sack.padded_bytes()
    }

    /// Payload bytes.
    #[inline]
    pub fn payload(&self) -> u32 {
        match self.kind {
            SegmentKind::Data | SegmentKind::Echo => self.len - self.unfilled.unwrap_or(0),
            SegmentKind::Fin => self.len - 1,
            _ => 0,
        }
    }

    /// What acknowledges as much as this segment with data, and has none: it comes after the data, with their timestamps and their echo of
    /// marks.
    pub(crate) fn acknowledgement_alone(&self) -> Segment {
        Segment {
            seq: self.seq + u64::from(self.len),
            len: 0,
            kind: SegmentKind::Data,
            // Neither what says that a window is reduced nor what can be marked: both are of the data (RFC 3168 §6.1.2, §6.1.4).
            ecn: if self.ecn.ece() { Ecn::ECE } else { Ecn::NOT_ECT },
            unfilled: self.unfilled.map(|_| 0),
            ..*self
        }
    }

    /// Whether its two numbers and its length on the wire say everything.
    #[inline]
    pub fn is_plain(&self) -> bool {
        let has_bits = self.ecn != Ecn::NOT_ECT;
        self.kind == SegmentKind::Data
            && self.sack.is_empty()
            && self.timestamps.is_none()
            && self.window.is_none()
            && self.unfilled.is_none()
            && !has_bits
    }
}
