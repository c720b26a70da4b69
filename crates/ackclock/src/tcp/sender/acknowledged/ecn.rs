//! Echoed marks: the window is reduced, once in a window of data, and nothing is sent again.
//! Source: RFC 3168 §6.1.2.

use crate::tcp::cc::{CongestionControl, Loss};
use crate::tcp::ecn::EcnSender;
use crate::tcp::recovery::Recovery;
use crate::tcp::sender::Sender;
use crate::units::Time;

impl Sender {
    pub(in crate::tcp::sender) fn ecn_mut(&mut self) -> Option<&mut EcnSender> {
        self.extra.as_mut().and_then(|extra| extra.ecn.as_deref_mut())
    }

    /// A segment is sent with so much payload: whether queues may mark it.
    pub(in crate::tcp::sender) fn mark_as_capable(&mut self, is_new: bool, payload: u64) {
        if let Some(ecn) = self.ecn_mut() {
            ecn.on_sent(is_new, payload);
        }
    }

    /// Whether the window may grow with the acknowledgement that is handled now.
    pub(in crate::tcp::sender) fn marks_allow_growth(&self) -> bool {
        self.extra.as_ref().and_then(|extra| extra.ecn.as_ref()).is_none_or(|ecn| ecn.allows_growth())
    }

    /// An acknowledgement of everything before `ack` comes to a sender with ECN; recovery has not seen it yet.
    #[inline(never)]
    pub(in crate::tcp::sender) fn on_echo(&mut self, now: Time, ack: u64) {
        if self.extra.as_ref().is_none_or(|extra| extra.ecn.is_none()) {
            return;
        }
        let repairs = self.recovery.in_recovery() || self.flight.nxt < self.flight.max;
        let (max, timeout, in_use) = (self.flight.max, self.timer.timeout(), self.in_use(now));
        let in_flight = self.in_flight();
        let Some(ecn) = self.ecn_mut() else { return };
        if ecn.on_ack(ack, in_flight) && !repairs {
            self.window.cwnd = self.window.ssthresh;
        }
        let Some(ecn) = self.ecn_mut() else { return };
        // Of one window losses and marks are one event.
        if !ecn.echoed || !ecn.is_news(ack) || repairs {
            return;
        }
        let kept = ecn.kept;
        let loss = Loss { kept, ..self.flight.loss(self.window_rules.ssthresh_from) }.of_use(in_use);
        let was_one = loss.used(&self.window) <= loss.mss;
        let cwnd = self.window.cwnd;
        if !self.congestion_control.on_mark(&loss, &mut self.window) {
            return;
        }
        self.count_reduction();
        self.stats.ecn_reductions += 1;
        self.fingerprint.event(now.as_ps(), ECHO);
        if let Some(spurious) = self.spurious_mut() {
            spurious.on_mark();
        }
        let ssthresh = self.window.ssthresh;
        if let Some(ecn) = self.ecn_mut() {
            ecn.on_mark(max);
            if was_one {
                ecn.wait(now, timeout);
            } else if ecn.is_proportional && cwnd > ssthresh {
                ecn.begin_reduction();
                self.window.cwnd = cwnd;
            }
        }
    }

    /// The acknowledgement of everything before `ack` is handled, before which `una` was: a window that comes down in proportion follows.
    #[inline(never)]
    pub(in crate::tcp::sender) fn reduce_for_marks(&mut self, una: u64) {
        let ecn = self.extra.as_ref().and_then(|extra| extra.ecn.as_ref());
        if ecn.is_none_or(|ecn| !ecn.comes_down()) {
            return;
        }
        let (mss, in_flight, is_safe) = (self.flight.mss, self.in_flight(), self.flight.una > una);
        let repairs = self.recovery.in_recovery();
        let Some(ecn) = self.extra.as_mut().and_then(|extra| extra.ecn.as_mut()) else { return };
        match repairs {
            // Its reduction takes the place of this one.
            true => ecn.end_reduction(),
            false => ecn.reduce(mss, in_flight, is_safe, &mut self.window),
        }
    }
}

/// In the fingerprint: no byte has this number.
const ECHO: u64 = u64::MAX - 1;
