//! The fast path: what a sender leaves out of an acknowledgement and of a transmission, because its outcome is certain.
//!
//! A sender is on the fast path (`Sender::update_send_state`) while all of this holds:
//! - its segments are plain: the connection is open, its options need nothing, and it has no pace ([`OptionalState::is_plain`]);
//! - what is special about the beginning is over ([`OptionalState::allows_fast_path`]);
//! - no duplicate acknowledgement was the last, and no segment waits to be sent again at once;
//! - recovery does not control sending, and is idle: new data acknowledged without blocks would mean [`NewAck::Grow`] and
//!   change nothing in it but the round trip, which it gets.
//!
//! An acknowledgement of new data without blocks then changes only what this file changes: the timer's sample and deadline, the
//! window, una and nxt. None of the conditions can end by it, so the sender stays on the fast path until another method is
//! called. That both paths do the same is tested by `tests/tcp/tcp_families.rs`, with every recovery and its hints taken away, and by
//! `tests/tcp/tcp_properties.rs`.
//!
//! [`NewAck::Grow`]: crate::tcp::recovery::NewAck::Grow

use super::{NONE, Sender};
use crate::tcp::HostQueue;
use crate::tcp::recovery::BatchHints;
use crate::units::Time;

impl Sender {
    /// An acknowledgement without blocks. If it is on the fast path it is handled; else nothing is done. Returns whether it was.
    #[inline(always)]
    pub(super) fn on_ack_fast(&mut self, now: Time, ack: u64) -> bool {
        if !self.fast_path || ack <= self.flight.una || ack > self.flight.max {
            return false;
        }
        self.account_fast();
        self.timer.pass(now);
        self.stop_if_due(now);
        self.fingerprint.event(now.as_ps(), ack);
        self.on_new_ack_fast(now, ack);
        true
    }

    /// [`Sender::on_new_ack`] without what is certain.
    #[inline(always)]
    fn on_new_ack_fast(&mut self, now: Time, ack: u64) {
        if ack > self.timed {
            self.timer.sample(now, self.timed_at, &self.window, self.flight.mss);
            self.timed = NONE;
        }
        if self.extra.is_none() {
            self.grow(ack);
        } else {
            self.measure_and_grow_fast(now, ack);
        }
        self.flight.una = ack;
        if ack > self.flight.nxt {
            self.flight.nxt = ack; // the receiver held more than was sent again
        }
        if ack == self.flight.max {
            self.timer.stop();
        } else {
            self.timer.start(now);
        }
        if ack >= self.size {
            self.stats.completed.get_or_insert(now);
        }
        self.open_window();
        self.limited_by_windows(now);
    }

    /// [`Sender::poll`] on the fast path.
    #[inline(always)]
    pub fn poll_fast(&mut self, now: Time) -> Option<(u64, u32)> {
        let (seq, len) = self.next_fast(now)?;
        Some((seq, self.send_fast(now, seq, len)))
    }

    /// The next segment on the fast path, as its first byte and its length; `None` if the window or the data allows none. To be asked
    /// before anything else: mostly one acknowledgement allows one segment.
    #[inline(always)]
    pub fn next_fast(&mut self, now: Time) -> Option<(u64, u64)> {
        let seq = self.flight.nxt;
        if seq >= self.flight.limit {
            self.data_ends(now);
            return None;
        }
        let len = self.flight.segment_len(seq);
        (seq + len <= self.window_end).then_some((seq, len))
    }

    /// Sends what [`Sender::next_fast`] returned now: mostly new data, and always a plain segment. Returns its length.
    #[inline(always)]
    pub fn send_fast(&mut self, now: Time, seq: u64, len: u64) -> u32 {
        debug_assert!(self.plain, "a sender on the fast path is");
        if seq < self.flight.max {
            return self.send(now, seq, false);
        }
        if self.timed == NONE {
            self.time(now, seq);
        }
        if self.extra.is_some() {
            self.remember_fast(now, seq);
        }
        (self.flight.nxt, self.flight.max) = (seq + len, seq + len);
        if self.timer.is_off() {
            self.timer.start(now);
        }
        self.count(now, seq, len);
        len as u32
    }

    /// Until when nothing that waits in the host can be taken back, of a sender on the fast path, whatever is acknowledged
    /// meanwhile: a timeout does that, and an acknowledgement that comes later starts the timer again.
    #[inline]
    pub fn keeps_waiting_until(&self, now: Time) -> Time {
        match self.host_queue {
            HostQueue::Discard => self.deadline().min(now + self.timer.least()),
            HostQueue::Keep => Time::NEVER,
        }
    }

    /// [`Sender::measure_and_grow`] without recovery, which would let the window grow and change nothing.
    #[inline(always)]
    pub(super) fn measure_and_grow_fast(&mut self, now: Time, ack: u64) {
        let Some(times) = self.extra.as_deref_mut().and_then(|extra| extra.times.as_mut()) else {
            return self.grow_if_used(ack);
        };
        let (start, rtt) = (times.start(), times.on_ack(now, ack));
        self.recovery.on_round_trip(now, start, rtt);
        self.grow_by_measure(now, ack, start, rtt);
    }

    /// [`Sender::remember`] of a sender without a pace.
    #[inline(always)]
    pub(super) fn remember_fast(&mut self, now: Time, seq: u64) {
        let Some(extra) = self.extra.as_deref_mut() else { return };
        if let Some(times) = &mut extra.times {
            times.on_sent(now, seq);
        }
        if let Some(pauses) = &mut extra.pauses {
            pauses.last_sent = now;
        }
    }
}
