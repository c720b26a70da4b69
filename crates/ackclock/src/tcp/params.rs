//! What a scenario may say about one TCP connection. Defaults: the OSU model of [SACK-UBR], as far as it is stated.

mod timer;
mod window;

pub use timer::*;
pub use window::*;

use super::cc::{CongestionControlParams, Mechanism, Reno};
use super::host::HostModel;
use super::offset_sack::{self, Form, Preference};
use super::recovery::{Mechanism as _, NewReno, RecoveryParams};
use super::sack::sack_ends::SackReader;
use super::sack_option;
use crate::packet::{IP_HEADER_BYTES, Segment, SegmentKind, TCP_HEADER_BYTES, Timestamps};
use crate::units::Span;

/// All parameters of one connection, both ends.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpParams {
    /// Maximum segment size: payload bytes of a full segment.
    pub mss: u32,
    /// What is retransmitted after a loss, and when.
    pub recovery: RecoveryParams,
    /// How large the congestion window is.
    pub congestion_control: CongestionControlParams,
    /// Congestion window at the start, in segments.
    pub initial_window_segments: u32,
    /// From when the initial window holds.
    pub initial_window_from: InitialWindowFrom,
    /// Slow-start threshold at the start, bytes; `None` is infinite.
    pub initial_ssthresh: Option<u64>,
    /// Receiver window, bytes. What is advertised is this, rounded down to what `window_scale` can express.
    pub receive_window: u64,
    /// Shift count of the window scale option (RFC 7323 §2), 0 to 14.
    pub window_scale: u8,
    /// When the windows of congestion control rise and fall, and by how much.
    pub window_rules: WindowRules,
    /// The retransmission timer.
    pub timer: TimerParams,
    /// When the receiver acknowledges.
    pub ack: AckPolicy,
    /// What the receiver does with segments that arrive out of order.
    pub out_of_order: OutOfOrder,
    /// Octets of the IP and TCP headers of a data segment, options not counted. Acknowledgements always have 40.
    pub header_bytes: u16,
    /// What the first segment number carries.
    pub first_segment: FirstSegment,
    /// Whether the connection is opened by a three-way handshake; if not, it is open.
    pub handshake: bool,
    /// Whether it is closed by FINs, once the application has nothing more to send.
    pub fin: bool,
    /// The tick of the clock of the timestamps option (RFC 7323 §5.4), if both ends use that.
    pub timestamp_clock: Option<Span>,
    /// How long the hosts at both ends take.
    pub host: HostModel,
    /// What a timeout does with segments that the host has not begun to send.
    pub host_queue: HostQueue,
    /// Whether the receiver sends selective acknowledgements to a sender that can use them. Where it does not, a
    /// SACK sender recovers as New Reno.
    pub receiver_sack: bool,
    /// What a selective acknowledgement says, and how.
    pub sack: SackParams,
}

/// New Reno with segments of 512 bytes, a window of 65 535 bytes, ticks of 100 ms, no delayed acknowledgements.
impl Default for TcpParams {
    fn default() -> TcpParams {
        TcpParams {
            mss: 512,
            recovery: RecoveryParams::NewReno(NewReno::default_params()),
            congestion_control: CongestionControlParams::Reno(Reno::default_params()),
            initial_window_segments: 1,
            initial_window_from: InitialWindowFrom::Start,
            initial_ssthresh: Some(65_535),
            receive_window: 65_535,
            window_scale: 0,
            window_rules: WindowRules::BSD,
            timer: TimerParams {
                kind: TimerKind::Bsd,
                granularity: Span::from_ms(100),
                phase: TickPhase::Common(Span::ZERO),
                min_rto_ticks: 2,
                max_rto: Span::from_secs(64),
                initial_rto: Span::from_secs(3),
                scope: TimerScope::Connection,
                segment_timeout: SegmentTimeout::Current,
                samples: RttSamples::OneAtATime,
                rttvar_factor: 4,
                scaled_gains: false,
                restarts_at_fast_retransmit: false,
                margin: RtoMargin::None,
            },
            ack: AckPolicy::EverySegment,
            out_of_order: OutOfOrder::Buffer,
            header_bytes: (IP_HEADER_BYTES + TCP_HEADER_BYTES) as u16,
            first_segment: FirstSegment::Data,
            handshake: false,
            fin: false,
            timestamp_clock: None,
            host: HostModel::Immediate,
            host_queue: HostQueue::Discard,
            receiver_sack: true,
            sack: SackParams::default(),
        }
    }
}

impl TcpParams {
    /// The window that the receiver's header field can express: `receive_window` in units of 2^`window_scale`,
    /// at most 65535 of them (RFC 7323 §2.3).
    pub fn advertised_window(&self) -> u64 {
        (self.receive_window >> self.window_scale).min(65_535) << self.window_scale
    }

    /// Sequence numbers of the first segment that are no payload.
    pub fn empty_bytes(&self) -> u64 {
        match self.first_segment {
            FirstSegment::Data => 0,
            FirstSegment::Empty => u64::from(self.mss),
        }
    }

    /// Whether the receiver reports selective acknowledgements that the sender reads.
    pub fn uses_sack(&self) -> bool {
        self.receiver_sack && self.recovery.needs().sack
    }

    /// Whether it reports more than some blocks in the option of RFC 2018.
    pub fn reports_more_than_blocks(&self) -> bool {
        self.uses_sack() && (self.sack.offset.is_some() || self.sack.duplicates)
    }

    /// How many blocks the receiver reports at most: as many as the option may have, and as fit.
    pub fn most_sack_blocks(&self) -> u8 {
        match self.sack.offset {
            _ if !self.uses_sack() => 0,
            Some(_) => offset_sack::MAX_BLOCKS as u8,
            None => self.sack.standard_blocks.min(sack_option::capacity(self.sack_room()) as u8),
        }
    }

    /// Octets of the longest SACK option.
    pub fn longest_sack_option(&self) -> usize {
        match self.most_sack_blocks() {
            0 => 0,
            _ if self.sack.offset.is_some() => self.sack_room(),
            blocks => 2 + 8 * usize::from(blocks),
        }
    }

    /// Octets that other options leave for that of SACK.
    pub fn sack_room(&self) -> usize {
        match self.timestamp_clock {
            None => sack_option::Timestamps::Off.room(),
            Some(_) => sack_option::Timestamps::Aligned.room(),
        }
    }

    /// What the MSS option says: the payload of a full segment and the options that each segment carries, for which the sender
    /// takes off what they need (RFC 6691 §2).
    pub fn mss_option(&self) -> u32 {
        self.mss + if self.timestamp_clock.is_some() { Timestamps::OPTION_BYTES } else { 0 }
    }

    /// Octets of the datagram of a full segment without a SACK option.
    pub fn full_datagram(&self) -> u32 {
        self.mss_option() + u32::from(self.header_bytes)
    }

    /// Octets of the datagram that opens the connection, if one does: a SYN.
    pub fn opening_datagram(&self) -> Option<u32> {
        let syn = Segment {
            kind: SegmentKind::Syn,
            timestamps: self.timestamp_clock.map(|_| Timestamps { value: 0, echo: 0 }),
            sack: SackReader::new(self).as_ref().map(SackReader::offer).unwrap_or_default(),
            ..Segment::default()
        };
        self.handshake.then(|| syn.ip_bytes())
    }

    /// Octets of the longest datagram of either direction.
    pub fn longest_datagram(&self) -> u32 {
        self.full_datagram().max(IP_HEADER_BYTES + TCP_HEADER_BYTES + Segment::MAX_OPTION_BYTES)
    }

    /// Octets of the shortest datagram of either direction: an acknowledgement, or the last byte of a file.
    pub fn shortest_datagram(&self) -> u32 {
        (1 + u32::from(self.header_bytes)).min(IP_HEADER_BYTES + TCP_HEADER_BYTES)
    }

    /// The smallest shift count that can express a window of `bytes`.
    pub fn scale_for(bytes: u64) -> u8 {
        (0..=14).find(|scale| bytes >> scale <= 65_535).unwrap_or(14)
    }
}

/// What selective acknowledgements say, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct SackParams {
    /// How many blocks the option of RFC 2018 has at most: 1 to 4, of which 3 fit beside timestamps.
    pub standard_blocks: u8,
    /// The offset option, if the sender of data offers it.
    pub offset: Option<OffsetSackParams>,
    /// Whether what arrived twice is reported (RFC 2883).
    pub duplicates: bool,
}

/// Three blocks, as in [SACK-UBR] §3, and no more.
impl Default for SackParams {
    fn default() -> SackParams {
        SackParams { standard_blocks: 3, offset: None, duplicates: false }
    }
}

/// The offset option of a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetSackParams {
    /// What its offsets count from.
    pub preference: Preference,
    /// How it is recognized.
    pub form: Form,
    /// Whether the receiver of data knows it too; if not, the option of RFC 2018 is used.
    pub receiver_knows: bool,
}

/// From when the initial window holds; before that the window is one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialWindowFrom {
    /// From the first segment on (RFC 5681 §3.1).
    Start,
    /// From the first acknowledgement of new data on: it grows the window, and then this is set. ns-2's
    /// (`delay_growth_`) for all but Vegas.
    FirstAck,
    /// From the second acknowledgement of new data on, before it grows the window: ns-2's for Vegas.
    SecondAck,
}

/// Data that an application writes piece by piece, the first piece at its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writes {
    /// Bytes of each piece: whole segments. The last one may have less.
    pub bytes: u64,
    /// From one to the next. Not zero.
    pub interval: Span,
}

/// What the first segment number carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstSegment {
    /// Data like any other.
    Data,
    /// No data: the 40 octets that ns-2 calls a SYN. It takes the sequence numbers of a full segment, is acknowledged
    /// and repaired like one.
    Empty,
}

/// What a retransmission timeout does with segments that the host has not begun to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostQueue {
    /// They are taken back: they will be sent again.
    Discard,
    /// They go out.
    Keep,
}

/// When the receiver acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckPolicy {
    /// One acknowledgement for each segment.
    EverySegment,
    /// One for every second full segment, at the latest after `timeout`; at once for anything out of order and for
    /// what fills a hole (RFC 5681 §4.2).
    Delayed {
        /// The longest delay.
        timeout: Span,
    },
}

/// Segments beyond the next expected byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfOrder {
    /// Kept until the hole is filled.
    Buffer,
    /// Thrown away.
    Discard,
}
