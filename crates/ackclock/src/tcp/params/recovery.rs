//! What a scenario may say about loss recovery: what is retransmitted, and when.

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
    /// RACK-TLP of RFC 8985, with SACK.
    Rack,
    /// Vegas' own, as ns-2 has it: a fine timeout, looked at when acknowledgements come. It goes with Vegas and its
    /// relatives ([`has_fine_timeouts`](super::CongestionControlParams::has_fine_timeouts)).
    Vegas,
    /// The same as it was published.
    Vegas1995,
}

impl RecoveryParams {
    /// Whether this recovery reads selective acknowledgements.
    pub fn uses_sack(&self) -> bool {
        matches!(self, RecoveryParams::FallFloyd(_) | RecoveryParams::Rfc6675(_) | RecoveryParams::Rack)
    }

    /// Whether it asks when segments were sent.
    pub fn measures(&self) -> bool {
        matches!(self, RecoveryParams::Vegas | RecoveryParams::Vegas1995)
    }
}

/// New Reno's choices.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRenoParams {
    /// After a timeout, ignore duplicate acknowledgements until everything sent before it is acknowledged
    /// (RFC 2582 §5).
    pub guard_after_timeout: bool,
    /// Which partial acknowledgements restart the retransmission timer.
    pub restart_timer_on_partial_ack: PartialAckTimer,
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
            restart_timer_on_partial_ack: PartialAckTimer::Each,
            restart_timer_on_fast_retransmit: false,
            partial_ack_window: PartialAckWindow::Deflate,
            recovery_burst_segments: None,
            growth_at_recovery_end: false,
        }
    }
}

/// Which partial acknowledgements of a recovery restart the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialAckTimer {
    /// Each one: a window with many holes is repaired hole by hole ("slow but steady" of RFC 6582 §4).
    Each,
    /// The first: a window with many holes ends in a timeout and slow start ("impatient"; RFC 6582 §3.2, step 5).
    First,
    /// None.
    Never,
}

impl PartialAckTimer {
    /// Whether this one does; `is_first` in its recovery.
    pub fn restarts(self, is_first: bool) -> bool {
        match self {
            PartialAckTimer::Each => true,
            PartialAckTimer::First => is_first,
            PartialAckTimer::Never => false,
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
