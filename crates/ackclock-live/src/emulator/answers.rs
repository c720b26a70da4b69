//! How late a receiving host acknowledges: from the instant at which a segment is written to its device until the acknowledgement is read
//! there that it must have sent by then.
//!
//! Linux acknowledges at once what arrives in order when more than one full segment is not acknowledged (RFC 9293 §3.8.6.3 asks for every second
//! one). So as soon as a segment has arrived, everything before it but one full segment is acknowledged, whatever it does with the
//! rest. What arrives out of order is answered by acknowledgements that say nothing new, and is not measured.

use std::collections::VecDeque;

use ackclock::ids::{FlowId, Id};
use ackclock::units::{Span, Time};

/// What receivers have not acknowledged yet.
pub(super) struct Answers {
    flows: Vec<OfFlow>,
}

#[derive(Clone, Debug)]
struct OfFlow {
    /// All bytes before this one have arrived in order.
    next: u64,
    /// All bytes before this one have been acknowledged by its receiver.
    acknowledged: u64,
    /// A full segment, bytes.
    full: u64,
    /// Up to where something must be acknowledged, and since when.
    awaited: VecDeque<(u64, Time)>,
    is_over: bool,
}

impl Answers {
    /// Nothing has arrived so far.
    pub(super) fn new(flows: usize) -> Answers {
        let flow = OfFlow { next: 0, acknowledged: 0, full: LEAST_FULL, awaited: VecDeque::new(), is_over: false };
        Answers { flows: vec![flow; flows] }
    }

    /// A segment with this payload is written to the device of the receiver.
    pub(super) fn written(&mut self, flow: FlowId, now: Time, seq: u64, payload: u32) {
        let flow = &mut self.flows[flow.index()];
        let end = seq + u64::from(payload);
        flow.full = flow.full.max(payload.into());
        if flow.is_over || payload == 0 || seq > flow.next || end <= flow.next {
            return;
        }
        flow.next = end;
        let must = end.saturating_sub(flow.full);
        if must > flow.acknowledged {
            flow.awaited.push_back((must, now));
        }
    }

    /// An acknowledgement of everything before `ack` is read: since when each of those that waited for it did so.
    pub(super) fn acknowledged(&mut self, flow: FlowId, ack: u64) -> impl Iterator<Item = Time> {
        let flow = &mut self.flows[flow.index()];
        flow.acknowledged = flow.acknowledged.max(ack);
        flow.next = flow.next.max(ack);
        std::iter::from_fn(move || {
            flow.awaited.front().filter(|(must, _)| *must <= flow.acknowledged)?;
            flow.awaited.pop_front().map(|(_, since)| since)
        })
    }

    /// The connection was reset: nothing is acknowledged any more.
    pub(super) fn reset(&mut self, flow: FlowId) {
        let flow = &mut self.flows[flow.index()];
        flow.awaited.clear();
        flow.is_over = true;
    }

    /// What is still not acknowledged: of each flow since when, and for how long by now.
    pub(super) fn missing(&self, now: Time) -> impl Iterator<Item = (usize, Time, Span)> {
        self.flows.iter().enumerate().filter_map(move |(number, flow)| {
            let (_, since) = flow.awaited.front()?;
            Some((number, *since, now.max(*since).since(*since)))
        })
    }
}

/// Linux takes no less for a full segment before it has seen one (`TCP_MSS_DEFAULT`).
const LEAST_FULL: u64 = 536;

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn flow() -> FlowId {
        FlowId::from_index(0)
    }

    fn since(answers: &mut Answers, ack: u64) -> Vec<Time> {
        answers.acknowledged(flow(), ack).collect()
    }

    #[test]
    fn all_but_one_full_segment_must_be_acknowledged() {
        let mut answers = Answers::new(1);
        answers.written(flow(), ms(1), 0, 1000);
        assert_eq!(answers.missing(ms(9)).count(), 0, "it may be delayed");
        answers.written(flow(), ms(2), 1000, 1000);
        answers.written(flow(), ms(3), 2000, 1000);
        assert_eq!(answers.missing(ms(9)).collect::<Vec<_>>(), [(0, ms(2), Span::from_ms(7))]);
        assert_eq!(since(&mut answers, 1000), [ms(2)]);
        assert_eq!(since(&mut answers, 1500), []);
        assert_eq!(since(&mut answers, 2000), [ms(3)]);
        assert_eq!(since(&mut answers, 3000), [], "the last one may be delayed");
        // Small ones: less than a full segment is not acknowledged.
        for n in 0..10 {
            answers.written(flow(), ms(10 + n), 3000 + 100 * n, 100);
        }
        assert_eq!(answers.missing(ms(90)).count(), 0);
        answers.written(flow(), ms(20), 4000, 100);
        assert_eq!(since(&mut answers, 4100), [ms(20)]);
    }

    #[test]
    fn what_is_out_of_order_says_nothing_until_the_gap_is_filled() {
        let mut answers = Answers::new(1);
        answers.written(flow(), ms(1), 0, 1000);
        for n in 2..9 {
            answers.written(flow(), ms(n), 1000 * n, 1000);
        }
        assert_eq!(answers.missing(ms(90)).count(), 0);
        // The missing one: what was before it must be acknowledged.
        answers.written(flow(), ms(50), 1000, 1000);
        assert_eq!(since(&mut answers, 9000), [ms(50)]);
        answers.written(flow(), ms(60), 9000, 1000);
        answers.written(flow(), ms(61), 4000, 1000);
        assert_eq!(answers.missing(ms(90)).count(), 0, "one that may be delayed, and one that was there before");
    }

    #[test]
    fn nobody_waits_for_a_connection_that_was_reset() {
        let mut answers = Answers::new(1);
        answers.written(flow(), ms(1), 0, 1000);
        answers.written(flow(), ms(1), 1000, 1000);
        answers.reset(flow());
        answers.written(flow(), ms(2), 2000, 1000);
        assert_eq!((answers.missing(ms(9)).count(), since(&mut answers, 3000)), (0, vec![]));
    }
}
