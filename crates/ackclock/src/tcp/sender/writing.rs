//! An application that offers its data little by little: what it has not offered yet cannot be sent.

use super::Sender;
use crate::tcp::application::Known;
use crate::units::Time;

impl Sender {
    /// The application offers data, if it does so now.
    pub(super) fn write_if_due(&mut self, now: Time) {
        if now >= self.next_write {
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
