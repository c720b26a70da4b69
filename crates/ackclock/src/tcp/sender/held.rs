//! What is held of a sender from outside: its window, its pacing rate.

use crate::units::{Span, Time};

/// What is held of a sender.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    /// The congestion window, bytes.
    pub(super) window: Option<f64>,
    /// The pacing rate, bytes per second.
    rate: Option<f64>,
    /// At the held rate, the next segment may be sent then.
    next: Time,
}

impl Held {
    /// Whether segments leave at a held rate.
    pub(super) fn is_paced(&self) -> bool {
        self.rate.is_some()
    }

    /// Whether the window is that of the congestion control.
    pub(super) fn leaves_window(&self) -> bool {
        self.window.is_none()
    }

    /// Holds the pacing rate, or releases it; the next segment may leave at once.
    pub(super) fn set_rate(&mut self, now: Time, rate: Option<f64>) {
        (self.rate, self.next) = (rate, now);
    }

    /// When the next segment may be sent.
    pub(super) fn next(&self) -> Time {
        if self.is_paced() { self.next } else { Time::ZERO }
    }

    /// The held rate, or else this one.
    pub(super) fn rate_or(&self, rate: Option<f64>) -> Option<f64> {
        self.rate.or(rate)
    }

    /// A segment of `len` bytes is sent.
    pub(super) fn on_sent(&mut self, now: Time, len: u64) {
        if let Some(rate) = self.rate {
            self.next = self.next.max(now) + Span::from_ps((len as f64 * 1e12 / rate) as u64);
        }
    }
}
