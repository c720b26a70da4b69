//! An application that offers its data little by little: what it has not offered yet cannot be sent.

use super::{NONE, Sender};
use crate::tcp::TcpParams;
use crate::tcp::application::Known;
use crate::tcp::window_use::Pauses;
use crate::units::Time;

impl Sender {
    /// The application offers data, if it does so now.
    pub(super) fn write_if_due(&mut self, now: Time) {
        if now >= self.next_write && !self.has_messages() {
            self.pass_time(now);
            self.end_pause(now);
            self.write(now);
            self.update_send_state();
        }
    }

    /// The application offers its first data or more of it, unless it has stopped or offers all at once.
    #[inline(never)]
    pub(super) fn write(&mut self, now: Time) {
        let Some(offered) = self.extra.as_mut().and_then(|extra| extra.offered.as_mut()) else { return };
        let Known { until, next } = offered.ask(now, self.size);
        if next == Time::NEVER {
            return self.end_data(now, until);
        }
        self.next_write = next;
        // Segments are full: a part of one waits for the rest.
        self.flight.limit = until - until % self.flight.mss;
    }

    /// The sender of one direction of a connection with data in both: it has nothing to send until it is told of messages.
    #[must_use]
    pub fn with_messages(mut self, params: &TcpParams) -> Sender {
        let extra = self.extra.get_or_insert_default();
        (extra.has_messages, extra.pauses) = (true, Some(Pauses::new(params)));
        (self.flight.limit, self.plain) = (0, false);
        self
    }

    /// Whether it is told of messages.
    pub(super) fn has_messages(&self) -> bool {
        self.extra.as_ref().is_some_and(|extra| extra.has_messages)
    }

    /// Whether there may be more messages.
    pub(super) fn awaits_messages(&self) -> bool {
        self.size == NONE && self.has_messages()
    }

    /// Whether its application may begin to send now: it has not, or has waited until now.
    pub fn may_write(&self, now: Time) -> bool {
        self.started && (now >= self.next_write || self.flight.limit == 0)
    }

    /// A message more is to be sent, up to this place of the stream.
    pub fn write_until(&mut self, now: Time, end: u64) {
        self.pass_time(now);
        self.end_pause(now);
        (self.flight.limit, self.next_write) = (end, Time::NEVER);
        self.update_send_state();
    }

    /// There will be more at this instant.
    pub fn write_at(&mut self, time: Time) {
        self.next_write = time;
    }

    /// There will be no more.
    pub fn end_writing(&mut self, now: Time) {
        self.pass_time(now);
        self.end_data(now, self.flight.limit);
        self.update_send_state();
    }

    /// So many of the numbers that were sent last stand for nothing.
    pub fn leave_out(&mut self, unfilled: u32) {
        self.stats.bytes_sent -= u64::from(unfilled);
    }

    /// The data ends at this byte.
    fn end_data(&mut self, now: Time, end: u64) {
        (self.next_write, self.size) = (Time::NEVER, end);
        self.flight.limit = self.end_of_stream();
        if self.flight.una >= end {
            self.stats.completed.get_or_insert(now);
        }
    }

    /// The number behind the last byte, and the FIN if there is one.
    pub(super) fn end_of_stream(&self) -> u64 {
        let fin = u64::from(self.extra.as_ref().is_some_and(|extra| extra.fin));
        self.size.saturating_add(fin)
    }
}
