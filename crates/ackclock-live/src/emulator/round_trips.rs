//! The round trips of a flow, as its sender can measure them: from the instant at which it hands a segment to the network until the
//! acknowledgement arrives that covers it. Of what was sent again it is not known which of both was acknowledged, so that is left
//! out (Karn's rule, RFC 6298 §3), and of several segments that one acknowledgement covers the last one counts.

use std::collections::VecDeque;

use ackclock::packet::Segment;
use ackclock::record::{Columns, Metric, Series};
use ackclock::units::Time;

/// What was seen of one flow so far.
#[derive(Clone, Debug, Default)]
pub(super) struct RoundTrips {
    /// What is not acknowledged: the byte behind the last one of each segment, when it was sent, and whether it was sent once.
    under_way: VecDeque<(u64, Time, bool)>,
    time: Vec<Time>,
    value: Vec<f64>,
}

impl RoundTrips {
    /// The sender hands a segment down.
    pub(super) fn sent(&mut self, now: Time, segment: &Segment) {
        let (begin, end) = (segment.seq, segment.seq + u64::from(segment.payload()));
        if begin == end {
            return;
        }
        match self.under_way.back() {
            Some(&(highest, ..)) if begin < highest => {
                // Sent again, whole or in part.
                let mut before = None;
                for (last, _, is_first) in &mut self.under_way {
                    *is_first &= *last <= begin || before.is_some_and(|before| before >= end);
                    before = Some(*last);
                }
                if end > highest {
                    self.under_way.push_back((end, now, false));
                }
            }
            _ => self.under_way.push_back((end, now, true)),
        }
    }

    /// An acknowledgement of everything before this byte arrives at the sender.
    pub(super) fn acknowledged(&mut self, now: Time, ack: u64) {
        let mut newest = None;
        while let Some((_, sent, is_first)) = self.under_way.front().copied().filter(|(end, ..)| *end <= ack) {
            newest = is_first.then_some(sent);
            self.under_way.pop_front();
        }
        if let Some(sent) = newest {
            self.time.push(now);
            self.value.push(now.since(sent).as_secs_f64());
        }
    }

    /// The series of the flow with this name.
    pub(super) fn into_series(self, name: &str) -> Series {
        let columns = Columns::Points { time: self.time, value: self.value };
        Series { metric: Metric::Rtt, of: name.to_owned(), vc: None, columns }
    }
}

#[cfg(test)]
mod tests {
    use ackclock::units::Span;

    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn segment(seq: u64, len: u32) -> Segment {
        Segment { seq, len, ..Segment::default() }
    }

    fn measured(trips: RoundTrips) -> (Vec<Time>, Vec<f64>) {
        let Columns::Points { time, value } = trips.into_series("f").columns else { panic!() };
        (time, value)
    }

    #[test]
    fn the_last_segment_that_an_acknowledgement_covers_is_measured() {
        let mut trips = RoundTrips::default();
        trips.sent(ms(10), &segment(0, 1000));
        trips.sent(ms(12), &segment(1000, 1000));
        trips.sent(ms(13), &segment(2000, 0));
        trips.sent(ms(14), &segment(2000, 1000));
        trips.acknowledged(ms(50), 0);
        trips.acknowledged(ms(60), 2000);
        trips.acknowledged(ms(64), 3000);
        trips.acknowledged(ms(65), 3000);
        assert_eq!(measured(trips), (vec![ms(60), ms(64)], vec![0.048, 0.05]));
    }

    #[test]
    fn what_was_sent_again_is_not_measured() {
        let mut trips = RoundTrips::default();
        for n in 0..4 {
            trips.sent(ms(10 + n), &segment(1000 * n, 1000));
        }
        // The second again.
        trips.sent(ms(100), &segment(1000, 1000));
        trips.acknowledged(ms(110), 1000);
        trips.acknowledged(ms(120), 2000);
        trips.acknowledged(ms(130), 4000);
        assert_eq!(measured(trips), (vec![ms(110), ms(130)], vec![0.1, 0.117]));
    }

    #[test]
    fn what_covers_more_than_what_was_sent_again_has_new_bytes_that_are_not_measured() {
        let mut trips = RoundTrips::default();
        trips.sent(ms(10), &segment(0, 1000));
        trips.sent(ms(100), &segment(0, 2000));
        trips.acknowledged(ms(150), 2000);
        assert_eq!(measured(trips), (vec![], vec![]));
    }
}
