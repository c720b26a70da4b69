//! At which rate data is delivered, measured with every acknowledgement: for congestion controls that pace.
//! Source: \[DRATE\] (draft-cheng-iccrg-delivery-rate-estimation-00), whose functions the comments name.

use std::collections::VecDeque;

use super::sack::interval_set::IntervalSet;
use crate::packet::SackBlock;
use crate::units::{Span, Time};

/// What a connection has delivered, and the state of that when each outstanding segment was sent.
#[derive(Clone, Debug)]
pub(super) struct DeliveryRateEstimator {
    mss: u64,
    /// The number of the segment whose record is the first.
    first: u64,
    /// One for each segment from `first` on that was ever sent.
    records: VecDeque<Sent>,
    /// The segments from `first` on that are delivered.
    held: IntervalSet,
    /// C.delivered, C.delivered_time, C.first_sent_time.
    delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    /// C.app_limited: while no more than this is delivered, samples say what was offered, not what the path can do.
    limited_until: u64,
    /// The shortest round trip there was.
    shortest: Option<Span>,
    /// C.lost: bytes lost in all, each time they were.
    lost: u64,
    /// The number of the first segment that was not yet tested for loss.
    lost_below: u64,
}

/// What is remembered of the last transmission of a segment.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at: Time,
    transmissions: u32,
    app_limited: bool,
    delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    /// P.tx_in_flight, P.lost.
    in_flight: u64,
    lost: u64,
    /// Whether it is known to be lost.
    is_lost: bool,
}

/// What an acknowledgement says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Delivered {
    /// Bytes that it says are delivered, and were not known to be.
    pub(super) now: u64,
    /// Bytes delivered in all.
    pub(super) total: u64,
    /// The shortest round trip of these segments that were sent once.
    pub(super) rtt: Option<Span>,
    /// What the newest of these segments says; `None` if nothing new is delivered.
    pub(super) sample: Option<Sample>,
}

/// What the newest of the segments says that are delivered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    /// Bytes delivered and lost in all when it was sent.
    pub(super) prior_delivered: u64,
    pub(super) prior_lost: u64,
    /// Bytes in flight then, itself included.
    pub(super) in_flight: u64,
    /// Bytes per second delivered since then, if that can be trusted.
    pub(super) rate: Option<f64>,
    /// Whether the application had not enough to send.
    pub(super) app_limited: bool,
}

/// A segment that is known to be lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LostTransmission {
    pub(super) number: u64,
    /// Its bytes.
    pub(super) len: u64,
    /// Bytes in flight when it was sent, itself included.
    pub(super) in_flight: u64,
    /// Bytes lost since then, itself included.
    pub(super) lost: u64,
    /// Whether the application had not enough to send then.
    pub(super) app_limited: bool,
}

impl DeliveryRateEstimator {
    /// Of a connection with segments of `mss` bytes that has sent nothing.
    pub(super) fn new(mss: u64) -> DeliveryRateEstimator {
        DeliveryRateEstimator {
            mss,
            first: 0,
            records: VecDeque::new(),
            held: IntervalSet::default(),
            delivered: 0,
            delivered_at: Time::ZERO,
            first_sent: Time::ZERO,
            limited_until: 0,
            shortest: None,
            lost: 0,
            lost_below: 0,
        }
    }

    /// SendPacket: the segment at `seq`, one that was sent before or the next new one; `idle`: nothing was outstanding before,
    /// SND.NXT = SND.UNA; `in_flight`: bytes that are in flight, itself included.
    // That nothing is in flight by loss detection does not make it idle: what is outstanding may have been delayed only, and then
    // the interval would be too short and the rate too high.
    pub(super) fn on_sent(&mut self, now: Time, seq: u64, idle: bool, in_flight: u64) {
        if idle {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        let sent = |transmissions| Sent {
            at: now,
            transmissions,
            app_limited: self.limited_until > 0,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            in_flight,
            lost: self.lost,
            is_lost: false,
        };
        let number = seq / self.mss;
        match self.records.get_mut((number - self.first) as usize) {
            Some(record) => {
                *record = sent(record.transmissions + 1);
                // After a timeout RFC 2018 §8 has the sender forget what the receiver holds, and send it again. The network
                // carries it again, and what is in flight counts it: without this, each such segment would seem to be lost
                // when it is acknowledged.
                self.held.remove(number, number + 1);
            }
            None => self.records.push_back(sent(1)),
        }
    }

    /// An acknowledgement of everything before `una` and of `blocks`; nothing beyond `max` was ever sent.
    pub(super) fn on_ack(&mut self, now: Time, una: u64, blocks: &[SackBlock], max: u64) -> Delivered {
        let before = self.delivered;
        let mut newest: Option<Sent> = None;
        let mut rtt: Option<Span> = None;
        while self.first * self.mss < una {
            let record = self.records.pop_front().expect("what is acknowledged was sent");
            if !self.held.contains(self.first) {
                self.deliver(now, self.first, record, max, &mut newest, &mut rtt);
            }
            self.first += 1;
        }
        self.held.remove_below(self.first);
        for block in blocks {
            let (start, end) = (block.start.max(una), block.end.min(max));
            if start < end {
                self.hold(now, (start / self.mss, end.div_ceil(self.mss)), max, &mut newest, &mut rtt);
            }
        }
        // GenerateRateSample ()
        if self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        self.shortest = self.shortest.into_iter().chain(rtt).min();
        let sample = newest.map(|sent| {
            let interval = sent.at.since(sent.first_sent).max(now.since(sent.delivered_at));
            // Shorter than a round trip: acknowledgements were compressed, or a retransmission was not needed.
            let trusted = interval > Span::ZERO && self.shortest.is_none_or(|shortest| interval >= shortest);
            let rate = trusted.then(|| (self.delivered - sent.delivered) as f64 / interval.as_secs_f64());
            let Sent { delivered: prior_delivered, lost: prior_lost, in_flight, app_limited, .. } = sent;
            Sample { prior_delivered, prior_lost, in_flight, rate, app_limited }
        });
        Delivered { now: self.delivered - before, total: self.delivered, rtt, sample }
    }

    /// C.delivered.
    pub(super) fn delivered(&self) -> u64 {
        self.delivered
    }

    /// C.lost.
    pub(super) fn lost(&self) -> u64 {
        self.lost
    }

    /// What was sent before the byte `seq` and is not delivered is lost: the next of these segments, as long as there is one
    /// that was not known to be; nothing beyond `max` was ever sent.
    pub(super) fn lose_below(&mut self, seq: u64, max: u64) -> Option<LostTransmission> {
        self.lost_below = self.lost_below.max(self.first);
        while self.lost_below * self.mss < seq.min(max) {
            let number = self.lost_below;
            self.lost_below += 1;
            if let Some(lost) = self.lose(number, max) {
                return Some(lost);
            }
        }
        None
    }

    /// The segment of this number is lost, unless it is delivered or known to be lost; nothing beyond `max` was ever sent.
    pub(super) fn lose(&mut self, number: u64, max: u64) -> Option<LostTransmission> {
        let record = self.records.get_mut(number.checked_sub(self.first)? as usize)?;
        if record.is_lost || self.held.contains(number) {
            return None;
        }
        record.is_lost = true;
        let len = self.mss.min(max - number * self.mss);
        self.lost += len;
        let Sent { in_flight, app_limited, lost, .. } = *record;
        Some(LostTransmission { number, len, in_flight, lost: self.lost - lost, app_limited })
    }

    /// What was sent again since it was lost may be lost again.
    pub(super) fn look_again(&mut self) {
        self.lost_below = self.first;
    }

    /// What is sent from now on, up to what is in flight, says nothing about the path.
    pub(super) fn limit(&mut self, in_flight: u64) {
        self.limited_until = (self.delivered + in_flight).max(1);
    }

    /// The segments of these numbers are selectively acknowledged.
    fn hold(
        &mut self,
        now: Time,
        (start, end): (u64, u64),
        max: u64,
        newest: &mut Option<Sent>,
        rtt: &mut Option<Span>,
    ) {
        let mut number = self.held.first_absent(start.max(self.first));
        while number < end {
            let record = self.records[(number - self.first) as usize];
            self.deliver(now, number, record, max, newest, rtt);
            self.held.insert(number, number + 1);
            number = self.held.first_absent(number + 1);
        }
    }

    /// UpdateRateSample (): one more segment is known to be delivered.
    fn deliver(
        &mut self,
        now: Time,
        number: u64,
        record: Sent,
        max: u64,
        newest: &mut Option<Sent>,
        rtt: &mut Option<Span>,
    ) {
        self.delivered += self.mss.min(max - number * self.mss);
        self.delivered_at = now;
        if newest.is_none_or(|newest| (record.delivered, record.at) >= (newest.delivered, newest.at)) {
            *newest = Some(record);
            self.first_sent = record.at;
        }
        if record.transmissions == 1 {
            let sample = now.since(record.at);
            *rtt = Some(rtt.map_or(sample, |rtt| rtt.min(sample)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::instants::ms;

    const MSS: u64 = 1000;

    fn sample(delivered: &Delivered) -> Sample {
        delivered.sample.expect("something is delivered")
    }

    /// Ten segments, one every 10 ms from 0 on; each acknowledged 100 ms after it was sent: from the second flight on the
    /// rate is a segment in 10 ms.
    #[test]
    fn the_rate_is_that_of_sending_and_of_acknowledgements() {
        let mut deliveries = DeliveryRateEstimator::new(MSS);
        (0..10).for_each(|n| deliveries.on_sent(ms(n * 10), n * MSS, n == 0, MSS));
        // The first was sent when nothing was delivered: 1000 bytes in the 100 ms since.
        let first = deliveries.on_ack(ms(100), MSS, &[], 10 * MSS);
        assert_eq!((first.now, first.total, sample(&first).prior_delivered), (1000, 1000, 0));
        assert_eq!((sample(&first).rate, first.rtt), (Some(10_000.0), Some(Span::from_ms(100))));
        deliveries.on_sent(ms(100), 10 * MSS, false, MSS);
        for n in 1..10 {
            deliveries.on_ack(ms(100 + n * 10), (n + 1) * MSS, &[], 11 * MSS);
        }
        // That of 100 ms: 1000 bytes were delivered then; ten segments in 100 ms.
        let second = deliveries.on_ack(ms(200), 11 * MSS, &[], 11 * MSS);
        assert_eq!(
            (second.total, sample(&second).prior_delivered, sample(&second).rate),
            (11_000, 1000, Some(100_000.0))
        );
    }

    /// Ten segments sent over 90 ms whose acknowledgements all come at once: the sender was no faster than 10 ms each.
    #[test]
    fn compressed_acknowledgements_do_not_make_the_path_faster() {
        let mut deliveries = DeliveryRateEstimator::new(MSS);
        (0..11).for_each(|n| deliveries.on_sent(ms(n * 10), n * MSS, n == 0, MSS));
        let all = deliveries.on_ack(ms(101), 11 * MSS, &[], 11 * MSS);
        assert_eq!(all.rtt, Some(Span::from_ms(1)));
        // 11 segments, sent in 100 ms, acknowledged 101 ms after the connection began.
        assert_eq!(sample(&all).rate, Some(11_000.0 / 0.101));
    }

    /// ns-3 #735: three segments at 0, acknowledged after 100 ms; 1 and 2 are retransmitted unnecessarily, and what their first
    /// copies caused comes at once. The first interval is that since 0; the second, 3 ms from 104 on, says nothing.
    #[test]
    fn a_sample_of_less_than_a_round_trip_is_discarded() {
        let mut deliveries = DeliveryRateEstimator::new(MSS);
        (0..3).for_each(|n| deliveries.on_sent(ms(0), n * MSS, n == 0, MSS));
        deliveries.on_ack(ms(100), MSS, &[], 3 * MSS);
        deliveries.on_sent(ms(104), MSS, false, MSS);
        let long = deliveries.on_ack(ms(106), 2 * MSS, &[], 3 * MSS);
        assert_eq!((long.now, sample(&long).rate), (MSS, Some(1000.0 / 0.104)));
        deliveries.on_sent(ms(107), 2 * MSS, false, MSS);
        let short = deliveries.on_ack(ms(108), 3 * MSS, &[], 3 * MSS);
        assert_eq!((short.now, sample(&short).rate), (MSS, None));
    }

    #[test]
    fn selective_acknowledgements_count_once() {
        let mut deliveries = DeliveryRateEstimator::new(MSS);
        (0..5).for_each(|n| deliveries.on_sent(ms(n), n * MSS, n == 0, MSS));
        let block = |start: u64, end: u64| SackBlock { start: start * MSS, end: end * MSS };
        assert_eq!(deliveries.on_ack(ms(50), 0, &[block(2, 3)], 5 * MSS).now, 1000);
        assert_eq!(deliveries.on_ack(ms(51), 0, &[block(2, 4)], 5 * MSS).now, 1000);
        assert_eq!(deliveries.on_ack(ms(51), 0, &[block(2, 4)], 5 * MSS).sample, None, "no news");
        // Segment 1 was sent twice: no round trip is known of it.
        deliveries.on_sent(ms(60), MSS, false, MSS);
        deliveries.on_sent(ms(60), 0, false, MSS);
        let cumulative = deliveries.on_ack(ms(110), 4 * MSS, &[], 5 * MSS);
        assert_eq!((cumulative.now, cumulative.total, cumulative.rtt), (2000, 4000, None));
        let last = deliveries.on_ack(ms(120), 4 * MSS + 300, &[], 4 * MSS + 300);
        assert_eq!(last.now, 300, "the end of a file");
    }

    /// Three segments, of which 1 is held; after a timeout 0 and 1 are sent again, and the acknowledgement of both says that the
    /// network has delivered two.
    #[test]
    fn what_is_sent_again_though_it_is_held_is_delivered_again() {
        let mut deliveries = DeliveryRateEstimator::new(MSS);
        (0..3).for_each(|n| deliveries.on_sent(ms(n), n * MSS, n == 0, MSS));
        let held = [SackBlock { start: MSS, end: 2 * MSS }];
        assert_eq!(deliveries.on_ack(ms(50), 0, &held, 3 * MSS).now, MSS);
        deliveries.on_sent(ms(1000), 0, true, MSS);
        deliveries.on_sent(ms(1000), MSS, false, 2 * MSS);
        assert_eq!(deliveries.on_ack(ms(1050), 2 * MSS, &[], 3 * MSS).now, 2 * MSS);
    }

    #[test]
    fn what_was_sent_when_the_application_had_no_more_is_marked() {
        let mut deliveries = DeliveryRateEstimator::new(MSS);
        deliveries.on_sent(ms(0), 0, true, MSS);
        deliveries.limit(MSS);
        deliveries.on_sent(ms(1), MSS, false, MSS);
        assert!(!sample(&deliveries.on_ack(ms(10), MSS, &[], 2 * MSS)).app_limited);
        deliveries.on_sent(ms(11), 2 * MSS, false, MSS);
        assert!(sample(&deliveries.on_ack(ms(12), 2 * MSS, &[], 3 * MSS)).app_limited);
        deliveries.on_sent(ms(13), 3 * MSS, false, MSS);
        assert!(
            sample(&deliveries.on_ack(ms(20), 3 * MSS, &[], 4 * MSS)).app_limited,
            "sent before the mark was passed"
        );
        assert!(!sample(&deliveries.on_ack(ms(30), 4 * MSS, &[], 4 * MSS)).app_limited);
    }

    /// Ten segments; 3, 5 and 6 are held, so that everything before 3 is lost, each once; then a timeout.
    #[test]
    fn losses_are_counted_once_for_each_transmission() {
        let mut deliveries = DeliveryRateEstimator::new(MSS);
        (0..10).for_each(|n| deliveries.on_sent(ms(n), n * MSS, n == 0, (n + 1) * MSS));
        let held = [SackBlock { start: 5 * MSS, end: 7 * MSS }, SackBlock { start: 3 * MSS, end: 4 * MSS }];
        let delivered = deliveries.on_ack(ms(100), MSS, &held, 10 * MSS);
        assert_eq!((sample(&delivered).in_flight, sample(&delivered).prior_lost), (7 * MSS, 0), "that of 6");
        let lose = |deliveries: &mut DeliveryRateEstimator, below: u64| {
            std::iter::from_fn(|| deliveries.lose_below(below * MSS, 10 * MSS)).collect::<Vec<LostTransmission>>()
        };
        let lost = lose(&mut deliveries, 3);
        let of = |number: u64, lost: u64| LostTransmission {
            number,
            len: MSS,
            in_flight: (number + 1) * MSS,
            lost,
            app_limited: false,
        };
        assert_eq!(lost, [of(1, MSS), of(2, 2 * MSS)]);
        assert_eq!(lose(&mut deliveries, 3), []);
        // 1 is sent again, 2 is not; 4 and what is above 6 is lost with the timeout, and so is 1 once more.
        deliveries.on_sent(ms(110), MSS, false, 5 * MSS);
        deliveries.look_again();
        let numbers: Vec<u64> = lose(&mut deliveries, 10).iter().map(|lost| lost.number).collect();
        assert_eq!(numbers, [1, 4, 7, 8, 9]);
        assert_eq!(deliveries.lost(), 7 * MSS);
    }
}
