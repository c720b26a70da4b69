//! What a scenario may say about one TCP connection. Defaults: the OSU model of [SACK-UBR], as far as it is stated.

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
    /// Whether the receiver sends selective acknowledgements to a sender that can use them. Where it does not, a
    /// SACK sender recovers as New Reno.
    pub receiver_sack: bool,
}

/// New Reno with segments of 512 bytes, a window of 65 535 bytes, ticks of 100 ms, no delayed acknowledgements.
impl Default for TcpParams {
    fn default() -> TcpParams {
        TcpParams {
            mss: 512,
            recovery: RecoveryParams::NewReno(NewRenoParams {
                guard_after_timeout: true,
                restart_timer_on_partial_ack: true,
            }),
            growth: GrowthParams::Reno(CongestionAvoidance::AckCounting),
            initial_window_segments: 1,
            initial_ssthresh: 65_535,
            receive_window: 65_535,
            window_scale: 0,
            timer: TimerParams {
                granularity: Span::from_ms(100),
                phase: TickPhase::Common(Span::ZERO),
                min_rto_ticks: 2,
                max_rto: Span::from_secs(64),
                initial_rto: Span::from_secs(3),
            },
            ack: AckPolicy::EverySegment,
            out_of_order: OutOfOrder::Buffer,
            receiver_sack: true,
        }
    }
}

impl TcpParams {
    /// The window that the receiver's header field can express: `receive_window` in units of 2^`window_scale`,
    /// at most 65535 of them (RFC 7323 §2.3).
    pub fn advertised_window(&self) -> u64 {
        (self.receive_window >> self.window_scale).min(65_535) << self.window_scale
    }

    /// The smallest shift count that can express a window of `bytes`.
    pub fn scale_for(bytes: u64) -> u8 {
        (0..=14).find(|scale| bytes >> scale <= 65_535).unwrap_or(14)
    }
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
}

impl RecoveryParams {
    /// Whether this recovery reads selective acknowledgements.
    pub fn uses_sack(&self) -> bool {
        matches!(self, RecoveryParams::FallFloyd(_) | RecoveryParams::Rfc6675(_))
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
}

/// Window growth: the other axis.
#[derive(Clone, Debug, PartialEq)]
pub enum GrowthParams {
    /// Slow start and additive increase, halving on loss.
    Reno(CongestionAvoidance),
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
}

/// The coarse retransmission timer of BSD.
#[derive(Clone, Debug, PartialEq)]
pub struct TimerParams {
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
