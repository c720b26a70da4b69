//! A sender from outside: what is seen of it while a simulation is paused, and what is held there until it is released; an application that
//! writes when it likes, and what is believed of what is outstanding, for those who have nothing but a sender.
//!
//! A held window takes the place of the congestion control's after every event; while a recovery repairs losses, the window is the
//! recovery's. A held pacing rate takes the place of the congestion control's, or sets a pace where that has none. The congestion control
//! goes on with what it sees, so that it goes on from there when it is released.

use super::Sender;
use super::held::Held;
use crate::record::{Observation, Stage};
use crate::tcp::cc::CongestionControl;
use crate::tcp::recovery::{Recovery, SegmentCounts};
use crate::units::Time;

/// What a sender does about losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Nothing: nothing is known to be missing.
    None,
    /// Nothing yet: something may be missing.
    Disorder,
    /// The window was reduced because of a mark.
    Reduced,
    /// It repairs losses that acknowledgements have shown.
    Recovery,
    /// It repairs what a timeout has shown.
    Timeout,
}

/// What a sender believes of what is outstanding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What it does about losses.
    pub repair: Repair,
    /// Outstanding segments, by what is believed of them; without selective acknowledgements duplicates count as held.
    pub counts: SegmentCounts,
}

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

    /// The application writes so many bytes more, which are whole segments. Of a sender whose application has said that it will write
    /// later ([`Offer::next`](crate::tcp::application::Offer)).
    pub fn write_more(&mut self, now: Time, bytes: u64) {
        debug_assert!(bytes.is_multiple_of(self.flight.mss), "{bytes} B are no whole segments");
        self.pass_time(now);
        self.end_pause(now);
        self.flight.limit += bytes;
        if self.started {
            self.update_send_state();
        }
    }

    /// What it believes of what is outstanding.
    pub fn standing(&self) -> Standing {
        let without_sack = SegmentCounts {
            held: u64::from(self.dup_acks),
            lost: u64::from(self.recovery.in_recovery()),
            again: 0,
            after_timeout: self.flight.nxt < self.flight.max,
        };
        let known = self.recovery.loss_detection().and_then(|detection| detection.counts(&self.flight));
        let counts = known.unwrap_or(without_sack);
        let is_reduced = self.extra.as_ref().and_then(|extra| extra.ecn.as_ref()).is_some_and(|ecn| ecn.is_reduced());
        let repair = match () {
            () if counts.after_timeout => Repair::Timeout,
            () if self.recovery.in_recovery() => Repair::Recovery,
            () if is_reduced => Repair::Reduced,
            () if counts.held > 0 || self.dup_acks > 0 => Repair::Disorder,
            () => Repair::None,
        };
        Standing { repair, counts }
    }
}
