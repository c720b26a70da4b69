//! What a scenario may say about one TCP connection. Defaults: the OSU model of [SACK-UBR], as far as it is stated.

mod ecn;
mod reading;
mod sack;
mod timer;
mod window;

pub use ecn::*;
pub use reading::*;
pub use sack::*;
pub use timer::*;
pub use window::*;

use super::cc::{self, CongestionControlParams};
use super::host::{self, HostModel};
use super::offset_sack;
use super::recovery::{self, RecoveryParams};
use super::sack::sack_ends::SackReader;
use super::sack_option;
use crate::keys::{self, Condition, Default, Family, HOUR, Key, Kind, Value, Values, words};
use crate::packet::{IP_HEADER_BYTES, Segment, SegmentKind, TCP_HEADER_BYTES, Timestamps};
use crate::units::{Span, Time};

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
    /// Whether packets can be marked (explicit congestion notification), and what marks do.
    pub ecn: EcnParams,
    /// How fast the application of the receiver reads; `None`: at once.
    pub reading: Option<ReadingParams>,
    /// When the receiver discards what it holds beyond a hole, and has acknowledged selectively, in any order; mostly never.
    pub reneges_at: Vec<Time>,
}

/// The defaults of all keys: New Reno as in the model of [SACK-UBR].
impl std::default::Default for TcpParams {
    fn default() -> TcpParams {
        let values = Values::defaults(TcpParams::KEYS);
        let of_family = "a default is of its family";
        let recovery = recovery::Algorithm::named(values.word("recovery")).expect(of_family).with_defaults();
        let congestion_control =
            cc::Algorithm::named(values.word("congestion_control")).expect(of_family).with_defaults();
        let host = host::MODELS.iter().find(|model| model.name == values.word("host")).expect(of_family);
        let host = (host.params)(&Values::defaults(host.keys)).expect("defaults fit together");
        TcpParams::read(&values, recovery, congestion_control, host)
    }
}

impl TcpParams {
    /// The keys of both ends of a connection, the parameters of mechanisms left out.
    pub const KEYS: &'static [Key] =
        &keys::joined::<COUNT>(&[OWN_KEYS, TimerParams::KEYS, SackParams::KEYS, EcnParams::KEYS]);

    /// What the keys describe, with these mechanisms. Of a receive window that follows the path ("auto") the smallest is taken.
    pub fn read(
        values: &Values,
        recovery: RecoveryParams,
        congestion_control: CongestionControlParams,
        host: HostModel,
    ) -> TcpParams {
        let is_auto = values.is_word("receive_window");
        let receive_window = if is_auto { UNSCALED_WINDOW } else { values.amount("receive_window") };
        let receiver_sack = values.flag("receiver_sack");
        // Of other connections the keys have no meaning, whatever they say.
        let has_sack = receiver_sack && recovery.needs().sack;
        TcpParams {
            mss: values.count("mss"),
            sack: if has_sack { SackParams::read(values) } else { SackParams::default() },
            recovery,
            congestion_control,
            initial_window_segments: values.count("initial_window"),
            initial_window_from: values.choice("initial_window_from", InitialWindowFrom::WORDS),
            initial_ssthresh: match values.value("initial_ssthresh") {
                Value::Quantity(bytes) => Some(bytes.amount),
                word => (word == Value::Word("window")).then_some(receive_window),
            },
            receive_window,
            window_scale: match values.value("window_scale") {
                Value::Integer(scale) => scale as u8,
                _ => TcpParams::scale_for(receive_window),
            },
            window_rules: WindowRules::read(values),
            timer: TimerParams::read(values),
            ack: match values.word("delayed_ack") {
                "false" => AckPolicy::EverySegment,
                "linux" => AckPolicy::Linux,
                _ => AckPolicy::Delayed { timeout: values.time("delayed_ack_timeout") },
            },
            out_of_order: values.choice("out_of_order", OutOfOrder::WORDS),
            header_bytes: values.count("header") as u16,
            first_segment: values.choice("first_segment", FirstSegment::WORDS),
            handshake: values.flag("handshake"),
            fin: values.flag("fin"),
            timestamp_clock: values.flag("timestamps").then(|| values.time("timestamp_clock")),
            host,
            host_queue: values.choice("host_queue_at_timeout", HostQueue::WORDS),
            receiver_sack,
            ecn: EcnParams::read(values),
            reading: None,
            reneges_at: Vec::new(),
        }
    }

    /// The window that the receiver's header field can express: `receive_window` in units of 2^`window_scale`,
    /// at most 65535 of them (RFC 7323 §2.3).
    pub fn advertised_window(&self) -> u64 {
        (self.receive_window >> self.window_scale).min(UNSCALED_WINDOW) << self.window_scale
    }

    /// Whether it is validated how much of the window is in use. Congestion controls that measure rates of delivery have their own rules.
    pub(super) fn validates_window(&self) -> bool {
        self.window_rules.window_validation && !self.congestion_control.needs().delivery_rates
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
        (0..=14).find(|scale| bytes >> scale <= UNSCALED_WINDOW).unwrap_or(14)
    }
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
words!(InitialWindowFrom: "start" = Start, "first-ack" = FirstAck, "second-ack" = SecondAck);

/// What the first segment number carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstSegment {
    /// Data like any other.
    Data,
    /// No data: the 40 octets that ns-2 calls a SYN. It takes the sequence numbers of a full segment, is acknowledged
    /// and repaired like one.
    Empty,
}
words!(FirstSegment: "data" = Data, "empty" = Empty);

/// What a retransmission timeout does with segments that the host has not begun to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostQueue {
    /// They are taken back: they will be sent again.
    Discard,
    /// They go out.
    Keep,
}
words!(HostQueue: "discard" = Discard, "keep" = Keep);

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
    /// As Linux decides: each of the first, then every second, and one that stays alone after 40 to 200 ms.
    Linux,
}

/// Segments beyond the next expected byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfOrder {
    /// Kept until the hole is filled.
    Buffer,
    /// Thrown away.
    Discard,
}
words!(OutOfOrder: "buffer" = Buffer, "discard" = Discard);

#[rustfmt::skip]
const OWN_KEYS: &[Key] = &[
    Key::new("mss", Kind::bytes(1, 65_495), Default::Is(Value::bytes(512)), "[SACK-UBR] §6.1",
        "Payload of a full segment."),
    Key::new("header", Kind::bytes(0, 2_000), Default::Is(Value::bytes(40)), "RFC 791, RFC 9293",
        "Octets of the headers of a data segment, options not counted. An acknowledgement always has 40."),
    Key::new("recovery", Kind::Mechanism(Family::Recovery), Default::Is(Value::Word("new-reno")), "[SACK-UBR] §2.3",
        "What is retransmitted after a loss, and when. fall-floyd, rfc6675 and rack use SACK; vegas and vegas-1995 have a fine-grained timeout, and work with the congestion controls of Vegas."),
    Key::new("congestion_control", Kind::Mechanism(Family::CongestionControl), Default::Is(Value::Word("reno")), "[SACK-UBR] §2.1",
        "The algorithm that sets the congestion window."),
    Key::new("initial_window", Kind::segments(1, 65_535), Default::Is(Value::segments(1)), "[SACK-UBR] §2.1",
        "Congestion window at the start."),
    Key::new("initial_window_from", Kind::Word(InitialWindowFrom::NAMES), Default::Is(Value::Word("start")), "RFC 5681 §3.1",
        "When the initial window is set; before that it is one segment. ns-2 sets it at the first acknowledgement, its Vegas at the second."),
    Key::new("first_segment", Kind::Word(FirstSegment::NAMES), Default::Is(Value::Word("data")), "[SACK-UBR]: connections are established",
        "The content of segment 0: data, or 40 octets without payload, which ns-2 calls a SYN."),
    Key::new("handshake", Kind::Flag, Default::Is(Value::Flag(false)), "[SACK-UBR] §6.1: established",
        "Whether the connection is opened by a three-way handshake."),
    Key::new("fin", Kind::Flag, Default::Is(Value::Flag(false)), "[SACK-UBR] §6.1: never closed",
        "Whether the connection is closed by FINs when the application has nothing more to send."),
    Key::new("timestamps", Kind::Flag, Default::Is(Value::Flag(false)), "[SACK-UBR]: none",
        "Whether all segments have the timestamps option, 12 octets, from which round trips are measured."),
    Key::new("timestamp_clock", Kind::time(Span::from_ps(1_000), HOUR), Default::Is(Value::time(Span::from_ms(1))), "RFC 7323 §5.4: 1 ms to 1 s",
        "The tick of the timestamp clock.").used_if(&[Condition::new("timestamps", &["true"])]),
    Key::new("initial_ssthresh", Kind::Or(&Kind::bytes(1, 1 << 40), &["window", "infinite"]), Default::Is(Value::Word("window")), "[SD-PLUS] §2; elsewhere inferred",
        "Slow-start threshold at the start; \"window\": the receive window; \"infinite\": slow start ends with the first loss."),
    Key::new("ssthresh_from", Kind::Word(SsthreshFrom::NAMES), Default::Is(Value::Word("window")), "literature: BSD",
        "What a loss takes a part of for ssthresh: the smaller of the congestion and the receive window, or what of that is in flight (FlightSize)."),
    Key::new("hold_ssthresh", Kind::Flag, Default::Is(Value::Flag(false)), "literature: BSD",
        "Whether ssthresh stays as it is when the same segment times out again."),
    Key::new("limited_transmit", Kind::Flag, Default::Is(Value::Flag(false)), "literature: BSD",
        "Whether, without SACK, the first two duplicate acknowledgements allow a new segment each beyond the congestion window."),
    Key::new("slow_start_exit", Kind::Word(SlowStartExit::NAMES), Default::Is(Value::Word("loss")), "RFC 5681 §3.1",
        "What ends slow start before ssthresh: a loss; or round trips that become longer, by HyStart++ (RFC 9406, in the first slow start) or by HyStart as in Linux. Congestion controls that measure rates of delivery have their own."),
    Key::new("slow_start_limit", Kind::Or(&Kind::segments(1, 65_535), &["own", "unlimited"]), Default::Is(Value::Word("own")), "RFC 5681 §3.1: a segment",
        "How many segments an acknowledgement adds to the window at most in slow start (L of RFC 3465); \"own\": as the congestion control grows, with hystart++ 8 (RFC 9406); \"unlimited\": all that it acknowledges, as in Linux."),
    Key::new("window_growth", Kind::Word(WindowGrowth::NAMES), Default::Is(Value::Word("standard")), "RFC 5681 §3.1",
        "What makes a window grow: what is acknowledged, if the window was full; or, as in Linux, what is delivered, where what was selectively acknowledged before or was told by duplicates does not count again, and in slow start if half of the window was used."),
    Key::new("undo", Kind::Word(Undo::NAMES), Default::Is(Value::Word("off")), "literature: BSD",
        "What shows that a reduction of the window was spurious, so that it is undone: D-SACKs of everything that was sent again, timestamps of what was sent before that (RFC 3522), or both. Not with BBR and with the recoveries of Vegas."),
    Key::new("undo_response", Kind::Word(UndoResponse::NAMES), Default::Is(Value::Word("restore")), "literature: BSD, Linux",
        "What is done after a timeout that was spurious: the window and ssthresh are restored; or the Eifel response (RFC 4015): the window is what is in flight and at most an initial window more, with the old one as ssthresh, and with the timer of RFC 6298 round trips are expected to be as long as the next one."),
    Key::new("f_rto", Kind::Flag, Default::Is(Value::Flag(false)), "literature: BSD",
        "Whether a timeout is followed by new data, to find out whether it was spurious, so that it is undone (F-RTO, RFC 5682). Not with BBR and with the recoveries of Vegas."),
    Key::new("grow_unused_window", Kind::Flag, Default::Is(Value::Flag(true)), "literature: BSD",
        "Whether the congestion window grows with acknowledgements of data that did not fill it. That of cubic and hybla never does."),
    Key::new("restart_after_idle", Kind::Flag, Default::Is(Value::Flag(false)), "Ackclock",
        "Whether a sender that has sent nothing for longer than the retransmission timeout begins again with the restart window: at most the initial window. Congestion controls with a pace keep theirs."),
    Key::new("idle_reduction", Kind::Word(IdleReduction::NAMES), Default::Is(Value::Word("restart-window")), "RFC 5681 §4.1",
        "How a pause lowers the window: to the restart window; or by half for each retransmission timeout that it lasted, not below that, as on Linux (RFC 2861).").used_if(IF_RESTARTS),
    Key::new("window_validation", Kind::Flag, Default::Is(Value::Flag(false)), "RFC 7661: experimental",
        "Whether a congestion window of which less than half is in use is kept for five minutes, does not grow, and after a loss is half of what was in use (RFC 7661). In place of `restart_after_idle`; not with BBR."),
    Key::new("receive_window", Kind::Or(&Kind::bytes(1, 1 << 30), &["auto"]), Default::Is(Value::bytes(65535)), "[SACK-UBR] §6.1",
        "Receiver window; \"auto\": twice the product of the slowest link's rate and the round trip, and the buffer before that link (4 MiB if it is infinite)."),
    Key::new("window_scale", Kind::Or(&Kind::Integer(0, 14), &["auto"]), Default::Is(Value::Word("auto")), "RFC 7323 §2: the smallest that expresses the window",
        "Shift count of the window scale option."),
    Key::new("host", Kind::Mechanism(Family::HostModel), Default::Is(Value::Word("immediate")), "[SACK-UBR]: none stated; inferred",
        "How long the hosts at both ends take for a segment and for an acknowledgement."),
    Key::new("host_queue_at_timeout", Kind::Word(HostQueue::NAMES), Default::Is(Value::Word("discard")), "inferred",
        "What a timeout does with the segments that the host has not begun to send."),
    Key::new("delayed_ack", Kind::Or(&Kind::Flag, &["linux"]), Default::Is(Value::Flag(false)), "[SACK-UBR] §6.1",
        "Whether the receiver acknowledges only every second segment; \"linux\": as Linux does, each segment at first and while its window opens, then every second one, and one alone after 40 to 200 ms."),
    Key::new("delayed_ack_timeout", Kind::time(Span::from_ps(1), HOUR), Default::Is(Value::time(Span::from_ms(200))), "literature: BSD fast timer",
        "The longest delay of an acknowledgement.").used_if(&[Condition::new("delayed_ack", &["true"])]),
    Key::new("out_of_order", Kind::Word(OutOfOrder::NAMES), Default::Is(Value::Word("buffer")), "inferred",
        "What the receiver does with segments beyond a hole."),
    Key::new("receiver_sack", Kind::Flag, Default::Is(Value::Flag(true)), "RFC 2018 §2",
        "Whether the receiver sends selective acknowledgements to a sender that can use them."),
];
const IF_RESTARTS: &[Condition] =
    &[Condition::new("restart_after_idle", &["true"]), Condition::new("window_validation", &["false"])];
const COUNT: usize = OWN_KEYS.len() + TimerParams::KEYS.len() + SackParams::KEYS.len() + EcnParams::KEYS.len();
/// The largest window without scaling (RFC 7323 §2).
pub const UNSCALED_WINDOW: u64 = 65_535;
