//! Whether the window is used decides whether it grows; a pause may lower it.
//! Sources: RFC 9438 §5.8; RFC 7661 §4; RFC 5681 §4.1.

use super::Sender;
use crate::tcp::cc::{CongestionControl, Restart};
use crate::tcp::recovery::Recovery;
use crate::tcp::window_use::Validation;
use crate::units::Time;

impl Sender {
    /// New data is acknowledged: whether the window was used, if that matters.
    #[inline]
    pub(super) fn window_is_used(&mut self) -> bool {
        let (flight, window) = (&self.flight, &self.window);
        let watch = self.extra.as_mut().and_then(|extra| extra.window_use.as_mut());
        watch.is_none_or(|watch| watch.is_used(flight, window))
    }

    fn validation(&self) -> Option<&Validation> {
        self.extra.as_ref().and_then(|extra| extra.validation.as_deref())
    }

    /// Everything before `ack` is acknowledged, which recovery has not seen yet.
    pub(super) fn validate_window(&mut self, now: Time, ack: u64) {
        if self.validation().is_none() || self.recovery.in_recovery() {
            return;
        }
        let is_used = self.window_is_used();
        let Some(validation) = self.extra.as_mut().and_then(|extra| extra.validation.as_mut()) else { return };
        if validation.on_ack(now, ack, is_used, &self.flight, &mut self.window) {
            self.restart_congestion_control(now, true);
        }
    }

    fn restart_congestion_control(&mut self, now: Time, window_lowered: bool) {
        let deliveries = self.extra.as_ref().and_then(|extra| extra.deliveries.as_ref());
        let delivered = deliveries.map_or(0, |deliveries| deliveries.delivered());
        let restart = Restart { now, nxt: self.flight.nxt, delivered, window_lowered };
        self.congestion_control.on_restart(&restart);
    }

    /// How much of the window is in use, where that is validated and less than half of it, bytes.
    #[inline]
    pub(super) fn in_use(&self, now: Time) -> Option<f64> {
        self.validation()?.limit(now, &self.flight, &self.window)
    }

    /// The application writes, or a zero window is over: if nothing was outstanding, that ends a pause.
    pub(super) fn end_pause(&mut self, now: Time) {
        let Some(extra) = self.extra.as_deref() else { return };
        let Some(pauses) = &extra.pauses else { return };
        // Before the first segment there was none.
        if pauses.last_sent == Time::NEVER || self.flight.una < self.flight.max {
            return;
        }
        let (pause, timeout) = (now.since(pauses.last_sent), self.timer.timeout());
        let mut window_lowered = pause > timeout && pauses.lower(pause, timeout, &mut self.window);
        if let Some(validation) = self.extra.as_mut().and_then(|extra| extra.validation.as_mut()) {
            window_lowered |= validation.on_restart(now, &mut self.window);
        }
        self.restart_congestion_control(now, window_lowered);
    }
}
