//! The acknowledgement bucket: acknowledgements of a flow wait and leave at the rate that the flow may send at.
//! Source: \[RATE-CONTROL\] §4.2, §6.1.2.

use std::collections::VecDeque;

use crate::units::{Span, Time};

/// The acknowledgements of one flow that wait, or of several flows that are one unit; `T` is what the caller knows one by.
///
/// Between two releases lie n/r: n the segments that the first of the two acknowledged, at least 1, and r the rate in packets
/// per second. An empty bucket saves nothing up: an acknowledgement that comes late leaves at once, and the next one waits.
/// Where no rate is known yet (it is infinite), all leave at once.
///
/// One acknowledgement acknowledges a window at most. If it says more, others have come by another router, which have let their segments
/// go: then it counts for one segment.
#[derive(Clone, Debug)]
pub struct AckBucket<T> {
    flows: Vec<Flow>,
    /// The number of the flow of each, the bytes that it acknowledges, and what it is.
    waiting: VecDeque<(u32, u64, T)>,
    /// Segments that the last one that left acknowledged; 0 before the first.
    segments: u64,
    last_release: Time,
}

/// A flow whose acknowledgements wait.
#[derive(Clone, Copy, Debug)]
struct Flow {
    mss: u64,
    /// The most segments that one acknowledgement lets go.
    most: u64,
    /// The largest number that has left.
    released: u64,
    /// The largest number that has come.
    came: u64,
}

/// What becomes of the acknowledgement on a segment with data: the data do not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnData {
    /// It says nothing new, and goes on as it is.
    Old,
    /// It leaves with its data.
    Leaves,
    /// The data are to carry this number in its place, which has left before.
    Carries {
        /// The highest acknowledgement number that has left the bucket.
        number: u64,
        /// Whether it has to wait as an acknowledgement without data ([`AckBucket::push`]): no other one says as much.
        waits: bool,
    },
}

impl<T> AckBucket<T> {
    /// An empty bucket for a flow with segments of `mss` bytes, whose bytes are numbered from 0 and whose receiver advertises so many.
    pub fn new(mss: u32, window: u32) -> AckBucket<T> {
        let mut bucket =
            AckBucket { flows: Vec::with_capacity(1), waiting: VecDeque::new(), segments: 0, last_release: Time::ZERO };
        bucket.add_flow(mss, window);
        bucket
    }

    /// Another flow is one unit with those that the bucket is for: its number, which follows theirs. The first is 0.
    pub fn add_flow(&mut self, mss: u32, window: u32) -> usize {
        // A FIN is no byte of the window.
        self.flows.push(Flow { mss: u64::from(mss), most: u64::from(window.div_ceil(mss)) + 1, released: 0, came: 0 });
        self.flows.len() - 1
    }

    /// The acknowledgement of all before byte `number` of a flow comes: it waits. Whether one leaves, [`AckBucket::release`] says.
    pub fn push(&mut self, flow: usize, number: u64, ack: T) {
        let came = &mut self.flows[flow].came;
        *came = number.max(*came);
        self.waiting.push_back((flow as u32, number, ack));
    }

    /// A segment with data comes that acknowledges all before byte `number` of a flow, at this rate, in packets per second. Where
    /// nothing waits and the next acknowledgement may leave, it is this one. A number that came before does not wait: on data it is no
    /// duplicate acknowledgement, and without data it would be one.
    pub fn on_data(&mut self, now: Time, rate: f64, flow: usize, number: u64) -> OnData {
        let Flow { released, came, .. } = &mut self.flows[flow];
        let released = *released;
        let waits = number > *came;
        *came = number.max(*came);
        if number <= released {
            return OnData::Old;
        }
        if self.waiting.is_empty() && self.due(rate) <= now {
            self.leave(now, flow, number);
            return OnData::Leaves;
        }
        OnData::Carries { number: released, waits }
    }

    /// When the next acknowledgement leaves at this rate, in packets per second: possibly in the past. Never if none waits.
    pub fn next_release(&self, rate: f64) -> Time {
        if self.waiting.is_empty() {
            return Time::NEVER;
        }
        self.due(rate)
    }

    /// When the next acknowledgement may leave.
    fn due(&self, rate: f64) -> Time {
        let gap = self.segments as f64 / rate.max(LEAST_RATE);
        self.last_release + Span::from_ps((gap * PS_PER_SECOND).round() as u64)
    }

    /// The acknowledgement that leaves now, if one is due at this rate, in packets per second.
    pub fn release(&mut self, now: Time, rate: f64) -> Option<T> {
        if self.next_release(rate) > now {
            return None;
        }
        let (flow, number, ack) = self.waiting.pop_front()?;
        self.leave(now, flow as usize, number);
        Some(ack)
    }

    /// The acknowledgement of all before byte `number` of a flow leaves.
    fn leave(&mut self, now: Time, flow: usize, number: u64) {
        let Flow { mss, most, released, .. } = &mut self.flows[flow];
        let segments = number.saturating_sub(*released).div_ceil(*mss).max(1);
        self.segments = if segments > *most { 1 } else { segments };
        *released = number.max(*released);
        self.last_release = now;
    }

    /// Those that wait, the next one first.
    pub fn waiting(&self) -> impl Iterator<Item = &T> {
        self.waiting.iter().map(|(_, _, ack)| ack)
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

/// Packets per second at which acknowledgements leave at least: at a rate of 0 none ever would.
const LEAST_RATE: f64 = 10.0;

const PS_PER_SECOND: f64 = 1e12;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::instants::us;
    use proptest::prelude::*;

    /// When acknowledgements with these numbers that come at these times leave: releases at one instant come after arrivals.
    fn releases(mut bucket: AckBucket<u64>, arrivals: &[(u64, u64)], rate: impl Fn(Time) -> f64) -> Vec<(u64, Time)> {
        let mut left = Vec::new();
        for &(at, number) in arrivals.iter().chain([&(u64::MAX, 0)]) {
            let until = if at == u64::MAX { Time::NEVER } else { us(at) };
            loop {
                // The rate changes at 5 ms.
                let mut due = bucket.next_release(rate(Time::ZERO));
                if due >= us(5000) {
                    due = bucket.next_release(rate(us(5000))).max(us(5000));
                }
                if due >= until || bucket.is_empty() {
                    break;
                }
                left.extend(bucket.release(due, rate(due)).map(|ack| (ack, due)));
            }
            if until < Time::NEVER {
                bucket.push(0, number, number);
                left.extend(bucket.release(until, rate(until)).map(|ack| (ack, until)));
            }
        }
        left
    }

    /// The vector of the specification: 1000 packets per second, 500 from 5 ms on.
    #[test]
    fn release_times_by_hand() {
        let rate = |now: Time| if now < us(5000) { 1000.0 } else { 500.0 };
        let arrivals = [(0, 1), (200, 2), (400, 4), (3000, 5), (3100, 5), (3200, 6)];
        let times: Vec<Time> =
            releases(AckBucket::new(1, 64), &arrivals, rate).into_iter().map(|left| left.1).collect();
        assert_eq!(times, [0, 1000, 2000, 4000, 6000, 8000].map(us));
    }

    #[test]
    fn while_no_rate_is_known_none_waits() {
        let arrivals = [(0, 1), (1, 2), (2, 3)];
        let left = releases(AckBucket::new(1, 64), &arrivals, |_| f64::INFINITY);
        assert_eq!(left, [(1, us(0)), (2, us(1)), (3, us(2))]);
    }

    #[test]
    fn at_a_rate_of_zero_ten_leave_in_a_second() {
        let mut bucket = AckBucket::new(1, 64);
        bucket.push(0, 1, ());
        assert_eq!(bucket.release(us(0), 0.0), Some(()));
        assert_eq!(bucket.next_release(0.0), Time::NEVER, "none waits");
        bucket.push(0, 2, ());
        assert_eq!(bucket.next_release(0.0), us(100_000));
    }

    /// A window of four segments, which a FIN may follow.
    #[test]
    fn what_more_than_a_window_acknowledges_counts_for_one_segment() {
        for (number, segments) in [(5, 5), (6, 1)] {
            let mut bucket = AckBucket::new(1, 4);
            bucket.push(0, number, ());
            assert_eq!(bucket.release(us(0), 1000.0), Some(()));
            bucket.push(0, number + 1, ());
            assert_eq!(bucket.next_release(1000.0), us(1000 * segments), "{number}");
        }
    }

    /// Two flows with segments of 1 and 10 bytes: each counts its own segments, and they leave in the order in which they came.
    #[test]
    fn flows_of_one_bucket_share_its_rate() {
        let mut bucket = AckBucket::new(1, 64);
        bucket.add_flow(10, 640);
        for (flow, number) in [(0, 1), (1, 30), (0, 3), (1, 40)] {
            bucket.push(flow, number, (flow, number));
        }
        let left = [0, 1000, 4000, 6000].map(|at| bucket.release(us(at), 1000.0).map(|ack| (ack, at)));
        // One segment, three, two, and one.
        assert_eq!(left, [((0, 1), 0), ((1, 30), 1000), ((0, 3), 4000), ((1, 40), 6000)].map(Some));
    }

    /// 1000 packets per second. What may leave leaves with the data; what may not waits without them, once.
    #[test]
    fn segments_with_data_carry_what_has_left() {
        let mut bucket = AckBucket::new(1000, 64_000);
        let data = |bucket: &mut AckBucket<char>, at, number| bucket.on_data(us(at), 1000.0, 0, number);
        let behind = |number, waits| OnData::Carries { number, waits };
        assert_eq!(data(&mut bucket, 0, 0), OnData::Old);
        assert_eq!(data(&mut bucket, 0, 2000), OnData::Leaves, "nothing waits, and nothing has left");
        assert_eq!(data(&mut bucket, 1999, 3000), behind(2000, true), "two segments take two milliseconds");
        bucket.push(0, 3000, 'a');
        assert_eq!(data(&mut bucket, 1999, 3000), behind(2000, false), "it waits already");
        assert_eq!(data(&mut bucket, 2000, 4000), behind(2000, true), "another one is before it");
        bucket.push(0, 4000, 'b');
        assert_eq!(data(&mut bucket, 2000, 2000), OnData::Old);
        assert_eq!(bucket.release(us(2000), 1000.0), Some('a'));
        assert_eq!((data(&mut bucket, 2500, 4000), data(&mut bucket, 2500, 3000)), (behind(3000, false), OnData::Old));
        assert_eq!((bucket.len(), bucket.next_release(1000.0)), (1, us(3000)));
        assert_eq!(bucket.release(us(3000), 1000.0), Some('b'));
        assert_eq!((data(&mut bucket, 4000, 5000), bucket.next_release(1000.0)), (OnData::Leaves, Time::NEVER));
    }

    /// A part of a segment counts as one; an acknowledgement of less than what has left acknowledges nothing new.
    #[test]
    fn what_an_acknowledgement_counts_for() {
        let mut bucket = AckBucket::new(1000, 64_000);
        for number in [1500, 500, 2500] {
            bucket.push(0, number, number);
        }
        assert_eq!((bucket.release(us(0), 1000.0), bucket.next_release(1000.0)), (Some(1500), us(2000)));
        assert_eq!((bucket.release(us(2000), 1000.0), bucket.next_release(1000.0)), (Some(500), us(3000)));
        let on_data = OnData::Carries { number: 1500, waits: false };
        assert_eq!(bucket.on_data(us(2500), 1000.0, 0, 2500), on_data, "the largest number that has left");
        bucket.push(0, 2500, 2500);
        assert_eq!((bucket.release(us(3000), 1000.0), bucket.next_release(1000.0)), (Some(2500), us(4000)));
    }

    proptest! {
        /// In order, none lost, none twice; and between two at least what the segments of the first take.
        #[test]
        fn all_leave_once_in_order_at_the_rate(
            gaps in prop::collection::vec((0_u64..3000, 0_u64..3), 1..60), rate in 200.0..5000.0_f64,
        ) {
            let (mut at, mut number) = (0, 0);
            let arrivals: Vec<_> = gaps.iter().map(|(gap, more)| { at += gap; number += more; (at, number) }).collect();
            let left = releases(AckBucket::new(1, 64), &arrivals, |_| rate);
            prop_assert_eq!(left.iter().map(|left| left.0).collect::<Vec<_>>(), gaps_numbers(&arrivals));
            let mut before = 0;
            for pair in left.windows(2) {
                let segments = (pair[0].0 - before).max(1);
                before = pair[0].0;
                let gap = Span::from_ps((segments as f64 / rate * 1e12).round() as u64);
                prop_assert!(pair[1].1 >= pair[0].1 + gap);
            }
        }
    }

    fn gaps_numbers(arrivals: &[(u64, u64)]) -> Vec<u64> {
        arrivals.iter().map(|arrival| arrival.1).collect()
    }
}
