//! What a scenario may say about the window of a sender, whatever its congestion control.

/// When windows rise and fall, and by how much: what RFCs of today ask for and BSD did not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowRules {
    /// What a loss takes the half of, or another part.
    pub ssthresh_from: SsthreshFrom,
    /// Whether another timeout of the same segment leaves ssthresh as it is (RFC 5681 §3.1).
    pub hold_ssthresh: bool,
    /// Whether a window grows that the sender does not use (RFC 9438 §5.8 forbids it to CUBIC, which never does that).
    pub grow_unused: bool,
    /// Whether a sender that has sent nothing for longer than the retransmission timeout, and has nothing outstanding, begins
    /// again with the restart window, which is the initial window or less (RFC 5681 §4.1).
    pub restart_after_idle: bool,
    /// Whether, without SACK, the first two duplicate acknowledgements allow a new segment each beyond the window (RFC 3042).
    pub limited_transmit: bool,
}

impl WindowRules {
    /// The rules of BSD before RFC 5681, which the dialects `osu` and `ns2-2001` keep.
    pub const BSD: WindowRules = WindowRules {
        ssthresh_from: SsthreshFrom::Window,
        hold_ssthresh: false,
        grow_unused: true,
        restart_after_idle: false,
        limited_transmit: false,
    };
}

/// What a loss takes the half of, or another part, for ssthresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SsthreshFrom {
    /// The smaller of the congestion window and the receiver's.
    Window,
    /// What of this is in flight: FlightSize of RFC 5681 §3.1, equation (4), without what limited transmit has sent.
    Flight,
}
