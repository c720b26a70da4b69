//! What is seen of a flow while a simulation is paused.

use crate::units::Time;

/// What is seen of the sender of a flow while a simulation is paused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// The instant: everything before it has happened.
    pub now: Time,
    /// Where the connection is.
    pub stage: Stage,
    /// Bytes of a full segment.
    pub segment_bytes: u64,
    /// The congestion window, bytes.
    pub window: f64,
    /// The slow-start threshold, bytes; infinite before the first loss, if nothing else was set.
    pub ssthresh: f64,
    /// Whether a loss is being repaired without a timeout.
    pub in_recovery: bool,
    /// Bytes believed to be in the network.
    pub in_flight: u64,
    /// The rate at which segments may leave, bytes per second; `None`: as the windows allow.
    pub pacing_rate: Option<f64>,
    /// The smoothed round trip of the retransmission timer, seconds; `None` before the first sample.
    pub smoothed_round_trip_s: Option<f64>,
    /// The retransmission timeout, seconds.
    pub timeout_s: f64,
    /// Bytes acknowledged.
    pub acknowledged: u64,
    /// Bytes sent, those sent again included.
    pub sent: u64,
    /// Segments sent, those sent again included.
    pub segments_sent: u64,
    /// Segments sent again.
    pub retransmissions: u64,
    /// How often the retransmission timer has expired.
    pub timeouts: usize,
}

/// Where a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Its application has not begun.
    NotBegun,
    /// It sends, or may.
    Open,
    /// Its application offers nothing more, and everything is acknowledged.
    Ended,
}

impl Observation {
    /// Bits per second that were acknowledged since an earlier observation; `None` at the same instant.
    pub fn delivery_rate_bps(&self, earlier: &Observation) -> Option<f64> {
        let seconds = self.now.since(earlier.now).as_secs_f64();
        (seconds > 0.0).then(|| (self.acknowledged - earlier.acknowledged) as f64 * 8.0 / seconds)
    }

    /// Of the segments sent since an earlier observation the share that was sent again; `None` if none was sent.
    pub fn loss(&self, earlier: &Observation) -> Option<f64> {
        let sent = self.segments_sent - earlier.segments_sent;
        (sent > 0).then(|| (self.retransmissions - earlier.retransmissions) as f64 / sent as f64)
    }
}
