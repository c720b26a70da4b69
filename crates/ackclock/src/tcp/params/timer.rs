//! What a scenario may say about the retransmission timer.

use crate::units::Span;

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
    /// What it times.
    pub scope: TimerScope,
    /// For how long the timer of a segment runs.
    pub segment_timeout: SegmentTimeout,
    /// Of which segments round trips are measured, where timestamps do not measure them.
    pub samples: RttSamples,
    /// How many mean deviations the timeout of BSD is above the smoothed round trip: more than 0.
    pub rttvar_factor: u32,
    /// Whether the gains of SRTT and RTTVAR are divided by the samples that a round trip is expected to have (RFC 7323
    /// appendix G), where timestamps give one with each acknowledgement. Only of [`TimerKind::Rfc6298`].
    pub scaled_gains: bool,
    /// Whether a fast retransmit restarts it, whatever the recovery says. 4.4BSD turns it off there, and its output routine starts
    /// it anew.
    pub restarts_at_fast_retransmit: bool,
    /// What the timeout has beyond that of RFC 6298, if it is that.
    pub margin: RtoMargin,
}

/// What a timeout has beyond SRTT + 4 RTTVAR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoMargin {
    /// Nothing.
    None,
    /// As in Linux 2.2: a quarter of it, and all of it divided by two as often as the congestion window has segments beyond the first.
    Linux22,
}

/// What a retransmission timer times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerScope {
    /// The connection: it starts when a segment is sent while it is off, and starts again with each acknowledgement of new data.
    Connection,
    /// The oldest segment that is not acknowledged: it runs from the instant at which that was sent last. A timeout forgets when
    /// the others were sent.
    Segment,
}

/// For how long the timer of the oldest segment runs from when that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentTimeout {
    /// For the timeout that holds when the segment becomes the oldest, or is sent again.
    Current,
    /// For the timeout that held when it was sent last.
    WhenSent,
}

/// Of which segments round trips are measured. Of what was sent more than once none is (Karn).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RttSamples {
    /// Of one at a time; any retransmission cancels it.
    OneAtATime,
    /// Of every one: an acknowledgement measures that of the last segment that it acknowledges.
    EverySegment,
}

/// The offset of a host's ticks from time zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TickPhase {
    /// All hosts tick at the same instants: at this offset, less than one tick, and every tick after it.
    Common(Span),
    /// Each host has an offset of its own, uniform within a tick, from the seed and the host's name.
    Random,
}
