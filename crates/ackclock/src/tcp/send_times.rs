//! When each outstanding segment was sent, and how often: for senders that measure every round trip.
//! Sources: [NS2] §2; Karn's rule [KP87].

use crate::batch::Queue;
use crate::units::{Span, Time};

/// The transmissions of the segments from `una` on. All but the last of a file are full.
#[derive(Clone, Debug)]
pub struct SendTimes {
    mss: u64,
    /// The first byte of the segment whose record is the first.
    una: u64,
    /// The first byte of the segment that is the next new one.
    next: u64,
    records: Queue<Transmissions>,
    /// When the first segment of all was sent first; never before that.
    start: Time,
}

/// The transmissions of one segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transmissions {
    /// When the last of them was.
    pub last: Time,
    /// How many there were.
    pub count: u32,
}

impl SendTimes {
    /// Nothing is sent.
    pub fn new(mss: u64) -> SendTimes {
        SendTimes { mss, una: 0, next: 0, records: Queue::default(), start: Time::NEVER }
    }

    /// The segment at `seq` is sent: one that was sent before, or the next new one.
    #[inline(always)]
    pub fn on_sent(&mut self, now: Time, seq: u64) {
        // Mostly it is the next new one, which is found without a division.
        if seq == self.next {
            if self.start == Time::NEVER {
                self.start = now;
            }
            self.next += self.mss;
            self.records.push(Transmissions { last: now, count: 1 });
        } else {
            self.on_sent_again(now, seq);
        }
    }

    #[inline(never)]
    fn on_sent_again(&mut self, now: Time, seq: u64) {
        let index = ((seq - self.una) / self.mss) as usize;
        let record = &mut self.records.as_mut_slice()[index];
        *record = Transmissions { last: now, count: record.count + 1 };
    }

    /// Everything before `una` is acknowledged: the round trip of the last segment of that, if it was sent once.
    #[inline(always)]
    pub fn on_ack(&mut self, now: Time, una: u64) -> Option<Span> {
        if self.una >= una {
            return None;
        }
        if self.una + self.mss < una {
            self.take_all_but_last(una);
        }
        let newest = self.records.first().copied();
        self.take();
        newest.filter(|record| record.count == 1).map(|record| now.since(record.last))
    }

    /// Takes the record of the first segment.
    #[inline(always)]
    fn take(&mut self) {
        self.records.take();
        self.una += self.mss;
    }

    /// Takes the records of what is before `una`, but that of the last segment.
    #[inline(never)]
    fn take_all_but_last(&mut self, una: u64) {
        while self.una + self.mss < una {
            self.take();
        }
    }

    /// The transmissions of the segment at `seq`, if it is outstanding.
    pub fn of(&self, seq: u64) -> Option<Transmissions> {
        let index = seq.checked_sub(self.una)? / self.mss;
        self.records.as_slice().get(index as usize).copied()
    }

    /// When the first segment of all was sent first.
    pub fn start(&self) -> Time {
        self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::instants::ms;

    #[test]
    fn only_what_was_sent_once_gives_a_round_trip() {
        let mut times = SendTimes::new(100);
        for (at, seq) in [(10, 0), (20, 100), (30, 200), (40, 100), (50, 300)] {
            times.on_sent(ms(at), seq);
        }
        assert_eq!(times.start(), ms(10));
        assert_eq!(times.on_ack(ms(60), 100), Some(Span::from_ms(50)));
        assert_eq!(times.of(100), Some(Transmissions { last: ms(40), count: 2 }));
        assert_eq!(times.on_ack(ms(70), 200), None, "which of the two was it?");
        assert_eq!(times.on_ack(ms(80), 400), Some(Span::from_ms(30)), "that of 300");
        assert_eq!(times.of(400), None);
        assert_eq!(times.of(300), None, "acknowledged");
    }
}
