//! Windows that acknowledgements tell, and a window that is shut: the sender asks for it until it opens, as its retransmission timer would
//! expire.
//! Sources: RFC 9293 §3.8.6, §3.8.6.1, §3.10.7.4; RFC 5681 §2 for what is no duplicate acknowledgement. The question has a number that is
//! acknowledged, and no payload, as in Linux.

use crate::packet::{Segment, SegmentKind};
use crate::tcp::sender::Sender;
use crate::tcp::window_use::ToldWindow;
use crate::units::Time;

impl Sender {
    /// The acknowledgement of everything before `ack` tells this window, which the receiver tells, or which a router on its path has lowered,
    /// or lowered before and does no longer: without one the window is as it was. An older acknowledgement says nothing
    /// (RFC 9293 §3.10.7.4). What was sent stays sent when the right edge of the window moves to the left (RFC 9293 §3.8.6).
    ///
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

    /// Whether an acknowledgement tells of a larger window, and of no segment (RFC 5681 §2): it acknowledges nothing new, and its blocks are those
    /// of the one before. Where routers lower windows, and raise them again, one that has lost something may look like that.
    pub(super) fn is_window_update(&mut self, segment: &Segment, window: u32) -> bool {
        let is_larger = segment.ack == self.flight.una && u64::from(window) > self.flight.rwnd;
        let Some(told) = self.told_mut() else { return false };
        let before = std::mem::replace(&mut told.sack, segment.sack);
        is_larger && segment.kind == SegmentKind::Data && before == segment.sack
    }

    /// An acknowledgement comes that tells of a larger window only.
    pub(super) fn on_window_update(&mut self, now: Time, segment: &Segment) {
        if self.on_extra(now, segment) {
            self.pass_time(now);
            self.fingerprint.event(now.as_ps(), segment.ack);
            self.on_echo(now, segment.ack);
            self.update_send_state();
        }
    }

    /// The number of a question for the window, if one is due. The timer is that of the next one while the window is shut.
    #[inline]
    pub(in crate::tcp::sender) fn next_question(&mut self, now: Time) -> Option<u64> {
        if self.hears_windows() { self.ask(now) } else { None }
    }

    #[inline(never)]
    fn ask(&mut self, now: Time) -> Option<u64> {
        let flight = self.flight;
        let waits = self.window_end > 0 && flight.una == flight.max && flight.nxt < flight.limit;
        let is_shut = waits && flight.rwnd < flight.segment_len(flight.nxt);
        let told = self.told_mut()?;
        let was_shut = std::mem::replace(&mut told.is_shut, is_shut);
        told.questions = if is_shut { told.questions } else { 0 };
        told.is_asked = std::mem::take(&mut told.is_due) && is_shut;
        let is_asked = told.is_asked;
        match (was_shut, is_shut) {
            (false, true) => self.timer.start_after(now, 0),
            (true, false) => {
                self.timer.stop();
                self.end_pause(now);
            }
            _ => {}
        }
        let number = flight.una.saturating_sub(1);
        if is_asked {
            self.fingerprint.event(now.as_ps(), number);
        }
        is_asked.then_some(number)
    }

    /// Whether the timer is that of a question, and not of a retransmission; if it expires now, the question is due, and the next one
    /// after twice the time (RFC 9293 §3.8.6.1).
    pub(in crate::tcp::sender) fn asks_for_window(&mut self, now: Time) -> bool {
        if !self.told_mut().is_some_and(|told| told.is_shut) {
            return false;
        }
        self.pass_time(now);
        if self.timer.ends(now).is_some() {
            let Some(told) = self.told_mut() else { return true };
            (told.is_due, told.questions) = (true, told.questions.saturating_add(1));
            let questions = told.questions;
            self.timer.start_after(now, questions);
            self.update_send_state();
        }
        true
    }

    /// Whether the receiver tells windows.
    pub(in crate::tcp::sender) fn hears_windows(&self) -> bool {
        self.extra.as_ref().is_some_and(|extra| extra.told.is_some())
    }

    fn told_mut(&mut self) -> Option<&mut ToldWindow> {
        self.extra.as_mut().and_then(|extra| extra.told.as_mut())
    }
}
