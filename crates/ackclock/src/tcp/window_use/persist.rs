//! The persist timer: what a sender remembers while the receiver advertises no room for the next segment.
//! Source: RFC 9293 §3.8.6.1.

use crate::packet::SackOption;
use crate::tcp::TcpParams;

/// What a sender remembers of the windows of a receiver whose application does not read at once.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tcp) struct Persist {
    /// The SACK option of the last acknowledgement: a window update repeats it.
    pub(in crate::tcp) sack: SackOption,
    /// Whether there is no room for the next segment, so that the timer is that of the next window probe.
    pub(in crate::tcp) is_zero_window: bool,
    /// Whether a window probe is due, and whether the segment that is sent is one.
    pub(in crate::tcp) probe_is_due: bool,
    pub(in crate::tcp) sends_probe: bool,
    /// How many were sent in this zero window.
    pub(in crate::tcp) probes: u32,
}

impl Persist {
    /// Of a sender whose receiver has a reader of its own speed.
    pub(in crate::tcp) fn new(params: &TcpParams) -> Option<Persist> {
        params.reading.is_some().then(Persist::default)
    }
}
