//! Round trips as RACK knows them.
//! Source: RFC 8985 §6.2, step 1; RFC 6298 §2.

use super::shortest::Shortest;
use crate::units::{Span, Time};

/// RACK.min_RTT, SRTT of RFC 6298.
#[derive(Clone, Debug)]
pub(super) struct RoundTrips {
    pub(super) shortest: Shortest,
    pub(super) smoothed: Option<Span>,
}

impl RoundTrips {
    /// RFC 6298 §2.
    pub(super) fn sample(&mut self, now: Time, rtt: Span) {
        self.shortest.update(now, rtt);
        self.smoothed = Some(self.smoothed.map_or(rtt, |old| Span::from_ps((old * 7 + rtt).as_ps() / 8)));
    }
}
