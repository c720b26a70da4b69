//! An application that writes its data piece by piece, at equal intervals: what it has not written yet cannot be sent.

use super::Sender;
use crate::tcp::Writes;
use crate::units::Time;

impl Sender {
    /// The application writes, if its next piece is due.
    pub(super) fn write_if_due(&mut self, now: Time) {
        if now >= self.next_write {
            self.pass_time(now);
            self.end_pause(now);
            self.write(now);
            self.update_send_state();
        }
    }

    /// The application writes its first piece or the next one, unless it has stopped or has nothing more.
    #[inline(never)]
    pub(super) fn write(&mut self, now: Time) {
        let Some(Writes { bytes, interval }) = self.extra.as_ref().and_then(|extra| extra.writes) else { return };
        self.flight.limit = self.flight.limit.saturating_add(bytes).min(self.size);
        self.next_write = now + interval;
        if self.flight.limit == self.size {
            self.next_write = Time::NEVER;
            self.flight.limit = self.end_of_stream();
        }
    }

    /// The number behind the last byte, and the FIN if there is one.
    pub(super) fn end_of_stream(&self) -> u64 {
        let fin = u64::from(self.extra.as_ref().is_some_and(|extra| extra.fin));
        self.size.saturating_add(fin)
    }
}
