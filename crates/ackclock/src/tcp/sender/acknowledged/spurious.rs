//! Spurious reductions are found and undone: the window is what it was before, and what was believed lost is in flight.
//! Sources: RFC 4015 §3; RFC 5682 §2, §3; docs/models/spurious.md.

use crate::packet::SackBlock;
use crate::tcp::cc::CongestionControl;
use crate::tcp::recovery::{Flight, Recovery};
use crate::tcp::sender::{NONE, Sender};
use crate::tcp::spurious::{Answer, Spurious, Undone, Verdict};
use crate::units::Time;

impl Sender {
    pub(in crate::tcp::sender) fn spurious_mut(&mut self) -> Option<&mut Spurious> {
        self.extra.as_mut().and_then(|extra| extra.spurious.as_deref_mut())
    }

    /// An event begins that may reduce the window.
    #[inline]
    pub(in crate::tcp::sender) fn watch_window(&mut self) {
        if let Some(spurious) = self.extra.as_mut().and_then(|extra| extra.spurious.as_mut()) {
            spurious.watch(self.window, self.recovery.in_recovery());
        }
    }

    /// It is over, and everything before `una` is acknowledged.
    #[inline]
    pub(in crate::tcp::sender) fn note_window(&mut self, una: u64) {
        if let Some(spurious) = self.extra.as_mut().and_then(|extra| extra.spurious.as_mut()) {
            spurious.note(&self.window, self.recovery.in_recovery(), una, self.flight.max);
        }
    }

    /// The timer has expired, the window is reduced. `again`: for the segment for which it expired last.
    pub(in crate::tcp::sender) fn note_timeout(&mut self, again: bool) {
        let (una, max, resumed) = (self.flight.una, self.flight.max, self.flight.nxt < self.flight.max);
        let estimates = self.timer.estimates();
        let Some(spurious) = self.spurious_mut() else { return };
        spurious.note_timeout(una, max, estimates);
        let repairs = spurious.was_repairing() || (resumed && !again);
        if let Some(f_rto) = &mut spurious.f_rto {
            f_rto.on_timeout(max, repairs);
        }
    }

    /// The segment of `len` bytes at `seq` is sent again.
    #[cold]
    #[inline(never)]
    pub(in crate::tcp::sender) fn note_retransmission(&mut self, now: Time, seq: u64, len: u64) {
        let (una, mss) = (self.flight.una, self.flight.mss);
        let stamp = self.extra.as_ref().and_then(|extra| extra.clock).map(|clock| clock.at(now));
        if let Some(spurious) = self.spurious_mut() {
            spurious.on_sent_again(una, SackBlock { start: seq, end: seq + len }, mss, stamp);
        }
    }

    /// Everything before `ack` is acknowledged, recovery has seen what is beyond it: whether that shows a spurious reduction.
    #[inline(never)]
    pub(in crate::tcp::sender) fn look_for_spurious(&mut self, now: Time, ack: u64) {
        let (una, flight) = (self.flight.una, Flight { una: ack, ..self.flight });
        let answer = Answer {
            una,
            ack,
            first_original: self.recovery.first_original(),
            has_new: flight.offered(flight.max),
            resume: self.flight.nxt,
        };
        let Some(spurious) = self.spurious_mut() else { return };
        let verdict = spurious.f_rto.as_mut().map_or(Verdict::None, |f_rto| f_rto.on_ack(&answer));
        let shown = spurious.is_shown(una, ack);
        if verdict == Verdict::Spurious || shown {
            self.undo(now, ack);
        } else if let Verdict::Resume(from) = verdict {
            self.flight.nxt = from;
        }
    }

    /// Everything before `ack` is acknowledged, and the timer has not seen it yet: it may be the first round trip after a spurious timeout.
    #[inline(never)]
    pub(in crate::tcp::sender) fn warn_timer(&mut self, ack: u64) {
        if let Some(estimates) = self.spurious_mut().and_then(|spurious| spurious.cautious(ack)) {
            self.timer.be_cautious(estimates);
        }
    }

    /// The last reduction was spurious.
    fn undo(&mut self, now: Time, ack: u64) {
        let (max, acked) = (self.flight.max, ack - self.flight.una);
        let echoes = self.ecn_mut().is_some_and(|ecn| ecn.echoed);
        let Some(spurious) = self.spurious_mut() else { return };
        if let Some(f_rto) = &mut spurious.f_rto {
            f_rto.on_timeout(max, true); // there is nothing to find out any more
        }
        let Some(undone) = spurious.take(acked, max - ack, echoes) else { return };
        if let Undone::Window(window) = undone {
            // In a recovery without SACK the window is inflated by duplicates.
            let has_grown = !self.recovery.in_recovery() && self.window.cwnd > window.cwnd;
            self.window.cwnd = if has_grown { self.window.cwnd } else { window.cwnd };
            self.window.ssthresh = self.window.ssthresh.max(window.ssthresh);
            self.congestion_control.on_undo();
        }
        self.recovery.on_undo(ack);
        self.flight.nxt = max;
        self.dup_acks = 0;
        (self.fast_retransmit, self.timed_out) = (NONE, NONE);
        self.stats.undone_reductions += 1;
        self.fingerprint.event(now.as_ps(), UNDONE);
    }

    /// What F-RTO wants sent: new data, or nothing; `None`: it has no say.
    #[inline(never)]
    pub(in crate::tcp::sender) fn next_by_f_rto(&mut self) -> Option<u64> {
        let new = Some(self.flight.max).filter(|&seq| self.flight.offered(seq));
        let f_rto = self.spurious_mut()?.f_rto.as_mut()?;
        let left = f_rto.new_segments()?;
        let next = new.filter(|_| left > 0);
        if next.is_some() {
            f_rto.on_new_sent();
        }
        Some(next.unwrap_or(NONE))
    }
}

/// In the fingerprint: no byte has this number.
const UNDONE: u64 = u64::MAX - 2;
