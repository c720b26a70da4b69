//! Slow start, whatever the congestion control: how much an acknowledgement adds at most, and what ends it before something is lost.
//! Sources: RFC 5681 §3.1; RFC 3465 §2.2; and those of the files here.

mod hystart;
mod hystart_plus_plus;
mod rule;

pub(super) use rule::SlowStart;

use crate::units::{Span, Time};

/// New data is acknowledged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acknowledged {
    pub(super) now: Time,
    /// First byte not acknowledged now; next byte to send.
    pub(super) una: u64,
    pub(super) nxt: u64,
    /// The round trip of the newest segment acknowledged, if it was sent once.
    pub(super) rtt: Option<Span>,
    /// Bytes acknowledged; of a segment; of the receiver's window.
    pub(super) bytes: f64,
    pub(super) mss: f64,
    pub(super) advertised: f64,
}

/// What a rule says about an acknowledgement in slow start.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Advice {
    /// The window grows by this part of the usual.
    Grow(f64),
    /// It grows by this part of the usual, and slow start ends: ssthresh is the window then.
    End(f64),
}
