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

/// The offset of a host's ticks from time zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TickPhase {
    /// All hosts tick at the same instants: at this offset, less than one tick, and every tick after it.
    Common(Span),
    /// Each host has an offset of its own, uniform within a tick, from the seed and the host's name.
    Random,
}
