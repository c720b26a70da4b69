//! A round trip of Vegas, and what its measurements say.
//! Sources: [BP95]; [NS2] §2, §3.   Units: packets, seconds.

/// The smallest window, in packets.
pub(in crate::tcp::cc) const MIN_WINDOW: f64 = 2.0;

/// One round trip, as it is at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::tcp::cc) struct Round {
    /// Packets sent in it.
    pub(in crate::tcp::cc) sent: f64,
    /// Packets under way just before the acknowledgement that ends it.
    pub(in crate::tcp::cc) in_flight: f64,
    /// The mean round-trip time of those acknowledged in it, seconds.
    pub(in crate::tcp::cc) rtt: f64,
    /// The shortest round-trip time, seconds.
    pub(in crate::tcp::cc) base: f64,
}

impl Round {
    /// Packets per second that were sent: actual, or Th.
    pub(in crate::tcp::cc) fn actual(&self) -> f64 {
        self.sent / self.rtt
    }

    /// Packets in queues: (expected − actual) · base.
    pub(in crate::tcp::cc) fn diff(&self) -> f64 {
        self.in_flight - self.sent * self.base / self.rtt
    }

    /// diff, rounded to a whole number as in ns-2.
    pub(in crate::tcp::cc) fn diff_rounded(&self) -> f64 {
        let expected = self.in_flight / self.base;
        (((expected - self.actual()) * self.base + 0.5) as i64) as f64
    }
}
