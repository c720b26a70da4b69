//! What kept a connection from sending more, and for how long.

use crate::units::Span;

/// For how long each of these kept a connection from sending more, from when it is open until its data have ended. The receive
/// window limits where it is not larger than the congestion window; a pace belongs to congestion control; the host limits
/// where it takes time for each segment. What a recovery lets wait is counted with the congestion window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitedTimes {
    /// The receive window was full.
    pub receive_window: Span,
    /// The congestion window was full, or congestion control's pace or the recovery allowed nothing.
    pub congestion_window: Span,
    /// The application had written nothing more.
    pub application: Span,
    /// The host was busy with a segment.
    pub host: Span,
}

impl LimitedTimes {
    /// What came after an earlier instant of the same connection.
    #[must_use]
    pub fn since(self, earlier: LimitedTimes) -> LimitedTimes {
        LimitedTimes {
            receive_window: self.receive_window - earlier.receive_window,
            congestion_window: self.congestion_window - earlier.congestion_window,
            application: self.application - earlier.application,
            host: self.host - earlier.host,
        }
    }
}
