//! A sender from outside: what is seen of it while a simulation is paused, and what is held there until it is released.
//!
//! A held window takes the place of the congestion control's after every event; while a recovery repairs losses, the window is the
//! recovery's. A held pacing rate takes the place of the congestion control's, or sets a pace where that has none. The congestion control
//! goes on with what it sees, so that it goes on from there when it is released.

use super::Sender;
use super::held::Held;
use crate::record::{Observation, Stage};
use crate::tcp::cc::CongestionControl;
use crate::tcp::recovery::Recovery;
use crate::units::Time;

impl Sender {
    /// What is seen of it now.
    pub fn observe(&self, now: Time) -> Observation {
        let timer = self.timer_state();
        Observation {
            now,
            stage: self.stage(),
            segment_bytes: self.flight.mss,
            window: self.window.cwnd,
            ssthresh: self.window.ssthresh,
            in_recovery: self.recovery.in_recovery(),
            in_flight: self.in_flight(),
            pacing_rate: self.held().rate_or(self.congestion_control.pacing_rate()),
            smoothed_round_trip_s: timer.srtt,
            timeout_s: timer.rto,
            acknowledged: self.flight.una,
            sent: self.stats.bytes_sent,
            segments_sent: self.stats.segments_sent,
            retransmissions: self.stats.retransmissions,
            timeouts: self.timer.expirations().len(),
        }
    }

    /// Where the connection is.
    pub fn stage(&self) -> Stage {
        match () {
            () if !self.started => Stage::NotBegun,
            () if self.flight.una >= self.flight.limit && self.next_write == Time::NEVER => Stage::Ended,
            () => Stage::Open,
        }
    }

    /// Holds the congestion window at so many bytes from now on, or releases it. Segments that it allows are asked for next.
    pub fn hold_window(&mut self, now: Time, bytes: Option<f64>) {
        self.hold(now, |held| held.window = bytes);
    }

    /// Holds the pacing rate at so many bytes per second from now on, or releases it. The next segment may leave at once.
    pub fn hold_pacing_rate(&mut self, now: Time, bytes_per_second: Option<f64>) {
        self.hold(now, |held| held.set_rate(now, bytes_per_second));
    }

    fn hold(&mut self, now: Time, change: impl FnOnce(&mut Held)) {
        change(&mut self.extra.get_or_insert_default().held);
        // Whether segments are plain is looked at anew; before the start, when that comes.
        self.plain = false;
        if self.started {
            self.pass_time(now);
            self.update_send_state();
        }
    }

    /// The window, if it is held and no recovery has it.
    #[inline(never)]
    pub(super) fn apply_held_window(&mut self) {
        if let Some(window) = self.held().window.filter(|_| !self.recovery.in_recovery()) {
            self.window.cwnd = window;
        }
    }

    fn held(&self) -> Held {
        self.extra.as_ref().map_or(Held::default(), |extra| extra.held)
    }
}
