//! Whether the window is used decides whether it grows; a pause may lower it.
//! Sources: RFC 9438 §5.8; RFC 7661 §4.4; RFC 5681 §4.1.

use super::Sender;
use crate::tcp::cc::{CongestionControl, Restart};
use crate::units::Time;

impl Sender {
    /// New data is acknowledged: whether the window was used, if that matters.
    #[inline]
    pub(super) fn window_is_used(&mut self) -> bool {
        let (flight, window) = (&self.flight, &self.window);
        let watch = self.extra.as_mut().and_then(|extra| extra.window_use.as_mut());
        watch.is_none_or(|watch| watch.is_used(flight, window))
    }

    /// The application writes: if nothing was outstanding, that ends a pause.
    pub(super) fn end_pause(&mut self, now: Time) {
        let Some(extra) = self.extra.as_deref() else { return };
        let Some(pauses) = &extra.pauses else { return };
        // Before the first segment there was none.
        if pauses.last_sent == Time::NEVER || self.flight.una < self.flight.max {
            return;
        }
        let delivered = extra.deliveries.as_ref().map_or(0, |deliveries| deliveries.delivered());
        let is_long = now.since(pauses.last_sent) > self.timer.timeout();
        let window_lowered = is_long && pauses.restart_window < self.window.cwnd;
        if window_lowered {
            self.window.cwnd = pauses.restart_window;
        }
        let restart = Restart { now, nxt: self.flight.nxt, delivered, window_lowered };
        self.congestion_control.on_restart(&restart);
    }
}
