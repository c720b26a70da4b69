//! What a scenario may say about one TCP connection. Defaults: the OSU model of [SACK-UBR], as far as it is stated.

use super::offset_sack::{self, Form, Preference};
use super::sack_option;
use crate::packet::{IP_HEADER_BYTES, Segment, TCP_HEADER_BYTES, Timestamps};
use crate::units::Span;

/// All parameters of one connection, both ends.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpParams {
    /// Maximum segment size: payload bytes of a full segment.
    pub mss: u32,
    /// What is retransmitted after a loss, and when.
    pub recovery: RecoveryParams,
    /// How the congestion window grows and shrinks.
    pub growth: GrowthParams,
    /// Congestion window at the start, in segments.
    pub initial_window_segments: u32,
    /// From when the initial window holds.
    pub initial_window_from: InitialWindowFrom,
    /// Slow-start threshold at the start, bytes.
    pub initial_ssthresh: u64,
    /// Receiver window, bytes. What is advertised is this, rounded down to what `window_scale` can express.
    pub receive_window: u64,
    /// Shift count of the window scale option (RFC 7323 §2), 0 to 14.
    pub window_scale: u8,
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
            recovery: RecoveryParams::NewReno(NewRenoParams::default()),
            growth: GrowthParams::Reno(CongestionAvoidance::AckCounting),
            initial_window_segments: 1,
            initial_window_from: InitialWindowFrom::Start,
            initial_ssthresh: 65_535,
            receive_window: 65_535,
            window_scale: 0,
            timer: TimerParams {
                kind: TimerKind::Bsd,
                granularity: Span::from_ms(100),
                phase: TickPhase::Common(Span::ZERO),
                min_rto_ticks: 2,
                max_rto: Span::from_secs(64),
                initial_rto: Span::from_secs(3),
            },
            ack: AckPolicy::EverySegment,
            out_of_order: OutOfOrder::Buffer,
            header_bytes: (IP_HEADER_BYTES + TCP_HEADER_BYTES) as u16,
            first_segment: FirstSegment::Data,
            handshake: false,
            fin: false,
            timestamp_clock: None,
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
        self.receiver_sack && self.recovery.uses_sack()
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

    /// Octets of the longest datagram of either direction.
    pub fn longest_datagram(&self) -> u32 {
        let options = if self.timestamp_clock.is_some() { Timestamps::OPTION_BYTES } else { 0 };
        let data = self.mss + u32::from(self.header_bytes) + options;
        data.max(IP_HEADER_BYTES + TCP_HEADER_BYTES + Segment::MAX_OPTION_BYTES)
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

/// Loss recovery: what is retransmitted after a loss.
#[derive(Clone, Debug, PartialEq)]
pub enum RecoveryParams {
    /// Timeout only; duplicate acknowledgements are ignored.
    Vanilla,
    /// Fast retransmit and fast recovery (RFC 2001).
    Reno,
    /// Fast recovery that stays through partial acknowledgements (RFC 6582).
    NewReno(NewRenoParams),
    /// SACK with the PIPE variable of Fall and Floyd.
    FallFloyd(FallFloydParams),
    /// SACK of RFC 6675.
    Rfc6675(Rfc6675Params),
    /// Vegas' own: a fine timeout, looked at when acknowledgements come. It goes with Vegas and Vegas-A.
    Vegas,
}

impl RecoveryParams {
    /// Whether this recovery reads selective acknowledgements.
    pub fn uses_sack(&self) -> bool {
        matches!(self, RecoveryParams::FallFloyd(_) | RecoveryParams::Rfc6675(_))
    }

    /// Whether it asks when segments were sent.
    pub fn measures(&self) -> bool {
        matches!(self, RecoveryParams::Vegas)
    }
}

/// New Reno's choices.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRenoParams {
    /// After a timeout, ignore duplicate acknowledgements until everything sent before it is acknowledged
    /// (RFC 2582 §5).
    pub guard_after_timeout: bool,
    /// Whether a partial acknowledgement restarts the retransmission timer.
    pub restart_timer_on_partial_ack: bool,
    /// Whether a fast retransmit restarts the retransmission timer.
    pub restart_timer_on_fast_retransmit: bool,
    /// What a partial acknowledgement does to the window.
    pub partial_ack_window: PartialAckWindow,
    /// How many segments an acknowledgement allows during recovery, beside a retransmission; `None` is any number.
    pub recovery_burst_segments: Option<u32>,
    /// Whether the acknowledgement that ends recovery also lets the window grow.
    pub growth_at_recovery_end: bool,
}

/// RFC 6582, with the guard of RFC 2582.
impl Default for NewRenoParams {
    fn default() -> NewRenoParams {
        NewRenoParams {
            guard_after_timeout: true,
            restart_timer_on_partial_ack: true,
            restart_timer_on_fast_retransmit: false,
            partial_ack_window: PartialAckWindow::Deflate,
            recovery_burst_segments: None,
            growth_at_recovery_end: false,
        }
    }
}

/// What a partial acknowledgement does to the window that duplicates have inflated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialAckWindow {
    /// Deflated by what was acknowledged, then a segment more (RFC 6582 §3.2, step 5).
    Deflate,
    /// Back to ssthresh, as ns-2 does (`partial_window_deflation_` 0).
    Reset,
}

/// Choices that [SACK-UBR] §3 leaves open for its SACK.
#[derive(Clone, Debug, PartialEq)]
pub struct FallFloydParams {
    /// Segments by which a partial acknowledgement lowers PIPE.
    pub partial_ack_pipe_segments: u32,
    /// Whether a partial acknowledgement restarts the retransmission timer.
    pub restart_timer_on_partial_ack: bool,
    /// Retransmit only holes below the highest selectively acknowledged byte.
    pub only_below_highest_sack: bool,
    /// After a timeout, ignore duplicate acknowledgements until everything sent before it is acknowledged. The
    /// study describes no such guard; RFC 2582 §5 has it for New Reno.
    pub guard_after_timeout: bool,
}

/// Choices within RFC 6675.
#[derive(Clone, Debug, PartialEq)]
pub struct Rfc6675Params {
    /// Whether a partial acknowledgement restarts the retransmission timer (RFC 6675 §6 leaves it open).
    pub restart_timer_on_partial_ack: bool,
    /// Whether new data may be sent for the first two duplicates (RFC 6675 §5 (3), RFC 3042).
    pub limited_transmit: bool,
}

/// With limited transmit.
impl Default for Rfc6675Params {
    fn default() -> Rfc6675Params {
        Rfc6675Params { restart_timer_on_partial_ack: true, limited_transmit: true }
    }
}

/// Window growth: the other axis.
#[derive(Clone, Debug, PartialEq)]
pub enum GrowthParams {
    /// Slow start and additive increase, halving on loss.
    Reno(CongestionAvoidance),
    /// BBR, version 1.
    Bbr1(Bbr1Params),
    /// CUBIC of RFC 9438.
    Cubic(CubicParams),
    /// Vegas, as ns-2 has it.
    Vegas(VegasParams),
    /// Vegas-A: Vegas with thresholds that adapt.
    VegasA(VegasAParams),
    /// Vegas as Linux has it.
    VegasLinux(VegasLinuxParams),
    /// Vegas+: Vegas that turns to Reno among Renos.
    VegasPlus(VegasPlusParams),
}

impl GrowthParams {
    /// Whether it measures the round trip of every segment.
    pub fn measures(&self) -> bool {
        match self {
            GrowthParams::Reno(_) | GrowthParams::Bbr1(_) => false,
            GrowthParams::Cubic(_) | GrowthParams::VegasLinux(_) => true,
            GrowthParams::Vegas(_) | GrowthParams::VegasA(_) | GrowthParams::VegasPlus(_) => true,
        }
    }

    /// Whether it sets a rate at which segments leave, and measures that at which they are delivered.
    pub fn paces(&self) -> bool {
        matches!(self, GrowthParams::Bbr1(_))
    }

    /// Whether it is ns-2's Vegas or a relative of it, with its own recovery.
    pub fn is_vegas(&self) -> bool {
        matches!(self, GrowthParams::Vegas(_) | GrowthParams::VegasA(_) | GrowthParams::VegasPlus(_))
    }

    /// Whether the seed can make a difference.
    pub fn has_randomness(&self) -> bool {
        match self {
            GrowthParams::Reno(_) | GrowthParams::Cubic(_) | GrowthParams::VegasLinux(_) => false,
            GrowthParams::Vegas(_) | GrowthParams::VegasPlus(_) => false,
            GrowthParams::Bbr1(_) => true,
            GrowthParams::VegasA(params) => params.tie_up_probability + params.tie_down_probability > 0.0,
        }
    }
}

/// The constants of BBR, version 1 (\[BBR1\] §4.1.2, §4.3.5).
#[derive(Clone, Debug, PartialEq)]
pub struct Bbr1Params {
    /// For how long the shortest round trip is believed.
    pub rtprop_window: Span,
    /// For how long next to nothing is sent when it is measured again.
    pub probe_rtt: Span,
}

impl Default for Bbr1Params {
    fn default() -> Bbr1Params {
        Bbr1Params { rtprop_window: Span::from_secs(10), probe_rtt: Span::from_ms(200) }
    }
}

/// The constants of CUBIC (RFC 9438 §4.1, §4.6, §4.7).
#[derive(Clone, Debug, PartialEq)]
pub struct CubicParams {
    /// C, segments per second cubed.
    pub c: f64,
    /// What is left of the window after a loss.
    pub beta: f64,
    /// Whether a connection that loses below its last maximum gives way to others.
    pub fast_convergence: bool,
}

impl Default for CubicParams {
    fn default() -> CubicParams {
        CubicParams { c: 0.4, beta: 0.7, fast_convergence: true }
    }
}

/// The thresholds of Vegas, in packets that wait in queues.
#[derive(Clone, Debug, PartialEq)]
pub struct VegasParams {
    /// With fewer the window grows.
    pub alpha: f64,
    /// With more it shrinks.
    pub beta: f64,
    /// With more slow start ends.
    pub gamma: f64,
    /// Whether changes of route are looked for, and how.
    pub reroute: Option<RerouteParams>,
}

/// When Vegas takes round trips that have grown for a longer path.
#[derive(Clone, Debug, PartialEq)]
pub struct RerouteParams {
    /// K: packets at the beginning that are not looked at.
    pub first_packets: u32,
    /// N: packets in a block.
    pub block_packets: u32,
    /// L: blocks in a row.
    pub blocks: u32,
    /// How far above base their shortest round trips are, as a part of base.
    pub delta: f64,
    /// Packets that the new window lets wait.
    pub queued_packets: f64,
}

/// The thresholds of Linux' Vegas, whole segments.
#[derive(Clone, Debug, PartialEq)]
pub struct VegasLinuxParams {
    /// With fewer the window grows.
    pub alpha: u32,
    /// With more it shrinks.
    pub beta: u32,
    /// With more slow start ends.
    pub gamma: u32,
}

impl Default for VegasLinuxParams {
    fn default() -> VegasLinuxParams {
        VegasLinuxParams { alpha: 2, beta: 4, gamma: 1 }
    }
}

/// The choices of Vegas+.
#[derive(Clone, Debug, PartialEq)]
pub struct VegasPlusParams {
    /// Its thresholds in moderate mode.
    pub vegas: VegasParams,
    /// At this count it becomes aggressive.
    pub count_max: u32,
    /// When it becomes moderate again.
    pub back: PlusReturn,
}

impl Default for VegasPlusParams {
    fn default() -> VegasPlusParams {
        VegasPlusParams { vegas: VegasParams::default(), count_max: 8, back: PlusReturn::CountIsZero }
    }
}

/// When Vegas+ becomes moderate again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlusReturn {
    /// When losses have halved its count down to zero.
    CountIsZero,
    /// At any loss.
    AnyLoss,
}

impl Default for VegasParams {
    fn default() -> VegasParams {
        VegasParams { alpha: 1.0, beta: 3.0, gamma: 1.0, reroute: None }
    }
}

/// The choices of Vegas-A.
#[derive(Clone, Debug, PartialEq)]
pub struct VegasAParams {
    /// The thresholds at the start.
    pub vegas: VegasParams,
    /// How the window grows by a packet.
    pub increase: Increase,
    /// Throughputs that differ by no more than this part of the earlier one are equal.
    pub th_tolerance: f64,
    /// With this probability equal throughputs count as risen.
    pub tie_up_probability: f64,
    /// With this probability equal throughputs count as fallen.
    pub tie_down_probability: f64,
    /// Whether a loss makes the throughput before it count for nothing.
    pub reset_th_on_loss: bool,
    /// Whether a timeout sets the thresholds back to what they were at the start.
    pub reset_ab_on_rto: bool,
    /// Beyond this alpha does not rise.
    pub alpha_max: Option<f64>,
    /// By how much the thresholds move.
    pub step: AbStep,
    /// Whether they move together.
    pub coupling: AbCoupling,
}

impl Default for VegasAParams {
    fn default() -> VegasAParams {
        VegasAParams {
            vegas: VegasParams::default(),
            increase: Increase::AtOnce,
            th_tolerance: 1e-9,
            tie_up_probability: 0.01,
            tie_down_probability: 0.0,
            reset_th_on_loss: true,
            reset_ab_on_rto: false,
            alpha_max: None,
            step: AbStep::Unit,
            coupling: AbCoupling::Locked,
        }
    }
}

/// How a window grows by a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Increase {
    /// At once, when that is decided.
    AtOnce,
    /// By 1/cwnd with each acknowledgement of the next round trip.
    Spread,
    /// So while alpha is at its floor, which is what Vegas does; at once above it.
    SpreadAtFloor,
}

/// By how much the thresholds of Vegas-A move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbStep {
    /// By one packet.
    Unit,
    /// By the relative change of the throughput, times the window, at most one.
    Throughput,
    /// By the relative change of the round-trip time, times the window, at most one.
    Rtt,
}

/// Whether the thresholds of Vegas-A move together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AbCoupling {
    /// Always by the same.
    Locked,
    /// Each by its own multiple of the step.
    Independent {
        /// By which alpha rises.
        raise_alpha: f64,
        /// By which beta rises.
        raise_beta: f64,
        /// By which alpha falls.
        lower_alpha: f64,
        /// By which beta falls.
        lower_beta: f64,
    },
}

/// The arithmetic of `cwnd += mss * mss / cwnd`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionAvoidance {
    /// Integer division: the window stops growing beyond mss² bytes [SACK-UBR §7.2].
    Integer,
    /// Integers, but acknowledgements are counted until they are worth at least a byte.
    AckCounting,
    /// Floating point.
    Float,
    /// Acknowledged bytes are counted: a segment per window of them; in slow start no more than a segment per
    /// acknowledgement (RFC 5681 §3.1).
    ByteCounting,
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

/// Which retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerKind {
    /// 4.3BSD: round trips are counted in ticks, and the timer expires at a tick.
    Bsd,
    /// ns-2: round trips are counted in ticks, but the timer runs from the instant it is started.
    Ns2,
    /// RFC 6298: round trips are measured as they are; the tick is the granularity of the clock.
    Rfc6298,
}

/// The retransmission timer.
#[derive(Clone, Debug, PartialEq)]
pub struct TimerParams {
    /// Which timer.
    pub kind: TimerKind,
    /// Length of a tick.
    pub granularity: Span,
    /// Where the ticks lie.
    pub phase: TickPhase,
    /// Lower bound of the timeout, in ticks.
    pub min_rto_ticks: u32,
    /// Upper bound of the timeout, backoff included.
    pub max_rto: Span,
    /// The timeout before the first sample.
    pub initial_rto: Span,
}

/// The offset of a host's ticks from time zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TickPhase {
    /// All hosts tick at the same instants: at this offset, less than one tick, and every tick after it.
    Common(Span),
    /// Each host has an offset of its own, uniform within a tick, from the seed and the host's name.
    Random,
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
