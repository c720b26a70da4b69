//! Windows in acknowledgements, and zero windows: while the receiver has no room for the next segment the sender sends window probes, when
//! its retransmission timer would expire.
//! Sources: RFC 9293 §3.8.6, §3.8.6.1, §3.10.7.4; RFC 5681 §2 for what is no duplicate acknowledgement. A probe has the number before una and no
//! payload, as in Linux.

use crate::packet::{Segment, SegmentKind};
use crate::tcp::sender::Sender;
use crate::tcp::window_use::Persist;
use crate::units::Time;

impl Sender {
    /// The acknowledgement of everything before `ack` has this window: one that the receiver advertises anew, or that a router on its path has
    /// lowered, or lowered before and does no longer. Without one the window is as it was. An older acknowledgement says nothing
    /// (RFC 9293 §3.10.7.4). What was sent stays sent when the right edge of the window moves to the left (RFC 9293 §3.8.6).
    pub fn on_window(&mut self, now: Time, ack: u64, window: u32) {
        // On the fast path the acknowledgement itself says what limits from now on.
        if self.fast_path && ack > self.flight.una {
            self.account_fast()
        } else {
            self.account(now)
        }
        if ack >= self.flight.una {
            self.flight.rwnd = u64::from(window);
        }
        // With nothing acknowledged the caller would not open the window.
        if ack == self.flight.una && self.window_end > 0 {
            self.open_window();
        }
    }

    /// Whether an acknowledgement is a window update only, and no duplicate (RFC 5681 §2): the window is larger, nothing new is acknowledged, and
    /// the blocks are those of the one before. Where routers lower windows and raise them again, a duplicate may look like that.
    pub(super) fn is_window_update(&mut self, segment: &Segment, window: u32) -> bool {
        let is_larger = segment.ack == self.flight.una && u64::from(window) > self.flight.rwnd;
        let Some(persist) = self.persist_mut() else { return false };
        let before = std::mem::replace(&mut persist.sack, segment.sack);
        is_larger && segment.kind == SegmentKind::Data && before == segment.sack
    }

    /// A window update comes.
    pub(super) fn on_window_update(&mut self, now: Time, segment: &Segment) {
        if self.on_extra(now, segment) {
            self.pass_time(now);
            self.fingerprint.event(now.as_ps(), segment.ack);
            self.on_echo(now, segment.ack);
            self.update_send_state();
        }
    }

    /// The number of a window probe, if one is due. With a zero window the timer is that of the next one.
    #[inline]
    pub(in crate::tcp::sender) fn next_window_probe(&mut self, now: Time) -> Option<u64> {
        if self.has_persist_timer() { self.update_persist_timer(now) } else { None }
    }

    #[inline(never)]
    fn update_persist_timer(&mut self, now: Time) -> Option<u64> {
        let flight = self.flight;
        let waits = self.window_end > 0 && flight.una == flight.max && flight.nxt < flight.limit;
        let is_zero_window = waits && flight.rwnd < flight.segment_len(flight.nxt);
        let persist = self.persist_mut()?;
        let was_zero_window = std::mem::replace(&mut persist.is_zero_window, is_zero_window);
        persist.probes = if is_zero_window { persist.probes } else { 0 };
        persist.sends_probe = std::mem::take(&mut persist.probe_is_due) && is_zero_window;
        let sends_probe = persist.sends_probe;
        match (was_zero_window, is_zero_window) {
            (false, true) => self.timer.start_after(now, 0),
            (true, false) => {
                self.timer.stop();
                self.end_pause(now);
                self.open_window();
            }
            _ => {}
        }
        let number = flight.una.saturating_sub(1);
        if sends_probe {
            self.fingerprint.event(now.as_ps(), number);
        }
        sends_probe.then_some(number)
    }

    /// Whether the timer is that of a window probe, and not of a retransmission; if it expires now, the probe is due, and the next one after
    /// twice the time (RFC 9293 §3.8.6.1).
    pub(in crate::tcp::sender) fn on_persist_timer(&mut self, now: Time) -> bool {
        if !self.persist_mut().is_some_and(|persist| persist.is_zero_window) {
            return false;
        }
        self.pass_time(now);
        if self.timer.take_expiry(now).is_some() {
            let Some(persist) = self.persist_mut() else { return true };
            (persist.probe_is_due, persist.probes) = (true, persist.probes.saturating_add(1));
            let probes = persist.probes;
            self.timer.start_after(now, probes);
            self.update_send_state();
        }
        true
    }

    /// Whether the receiver advertises windows that change.
    pub(in crate::tcp::sender) fn has_persist_timer(&self) -> bool {
        self.extra.as_ref().is_some_and(|extra| extra.persist.is_some())
    }

    fn persist_mut(&mut self) -> Option<&mut Persist> {
        self.extra.as_mut().and_then(|extra| extra.persist.as_deref_mut())
    }
}
