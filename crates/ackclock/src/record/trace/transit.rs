//! What is recorded of the way of data from one end of a connection to the other: one-way delays, and the jitter of
//! datagrams.
//!
//! A delay begins when TCP or the source of datagrams hands a packet down to its host, and ends when the packet has arrived
//! whole, as in IPPM (RFC 7679): so waiting for the host's own link is part of it. Each packet counts for itself, one that
//! is sent again from when it is handed down again; one that does not arrive has no delay.

use std::collections::{BTreeMap, VecDeque};

use crate::record::histogram::{Delays, Histogram};
use crate::units::{Span, Time};

/// Records the way of the data of one flow, or of datagrams.
#[derive(Clone, Debug)]
pub struct TransitTrace {
    /// When what waits in the host was handed down, in order.
    waiting: VecDeque<Time>,
    /// When the packets under way were handed down, by their numbers. What is lost stays: 24 octets each.
    under_way: BTreeMap<u32, Time>,
    one_way: Delays,
    /// Of datagrams.
    jitter: Option<Jitter>,
}

/// The interarrival jitter of RFC 3550 §6.4.1, after each arrival.
#[derive(Clone, Debug)]
struct Jitter {
    /// The delay of the last datagram that arrived; none before the first.
    last: Option<Span>,
    /// J, in picoseconds. It is a mean, no instant, so it need not be whole.
    estimate_ps: f64,
    estimates: Delays,
}

/// Arrivals that a change takes to have its effect on the estimate, RFC 3550 §6.4.1.
const SMOOTHING: f64 = 16.0;

impl TransitTrace {
    /// Nothing is under way. What arrives before `since` does not count; there is jitter of datagrams only.
    pub fn new(since: Time, of_datagrams: bool) -> TransitTrace {
        let jitter = || Jitter { last: None, estimate_ps: 0.0, estimates: Delays::new(since) };
        TransitTrace {
            waiting: VecDeque::new(),
            under_way: BTreeMap::new(),
            one_way: Delays::new(since),
            jitter: of_datagrams.then(jitter),
        }
    }

    /// A packet is handed down to the host.
    pub fn handed_down(&mut self, now: Time) {
        self.waiting.push_back(now);
    }

    /// A timeout takes back all that wait.
    pub fn taken_back(&mut self) {
        self.waiting.clear();
    }

    /// The first of those that wait begins to be transmitted, as packet `number`; or it is `lost` on purpose, and has none.
    pub fn departs(&mut self, number: u32, lost: bool) {
        let handed_down = self.waiting.pop_front().expect("what departs was handed down");
        if !lost {
            self.under_way.insert(number, handed_down);
        }
    }

    /// A packet arrives whole. Only payload counts, `has_payload` says whether it has any.
    pub fn arrives(&mut self, now: Time, number: u32, has_payload: bool) {
        let handed_down = self.under_way.remove(&number).expect("what arrives has departed");
        if !has_payload {
            return;
        }
        let delay = now.since(handed_down);
        self.one_way.add(now, delay);
        if let Some(jitter) = &mut self.jitter {
            jitter.arrives(now, delay);
        }
    }

    /// A packet arrives damaged.
    pub fn damaged(&mut self, number: u32) {
        self.under_way.remove(&number);
    }

    /// The delays.
    pub fn one_way(&self) -> &Histogram {
        self.one_way.histogram()
    }

    /// The jitter after each arrival, of datagrams.
    pub fn jitter(&self) -> Option<&Histogram> {
        Some(self.jitter.as_ref()?.estimates.histogram())
    }
}

impl Jitter {
    /// D(i-1, i) is the difference of two delays: sender and receiver have one clock here.
    fn arrives(&mut self, now: Time, delay: Span) {
        let Some(last) = self.last.replace(delay) else { return };
        let difference = delay.as_ps().abs_diff(last.as_ps()) as f64;
        self.estimate_ps += (difference - self.estimate_ps) / SMOOTHING;
        self.estimates.add(now, Span::from_ps(self.estimate_ps as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    fn ps(span: Option<Span>) -> u64 {
        span.unwrap().as_ps()
    }

    #[test]
    fn delays_begin_when_packets_are_handed_down() {
        let mut trace = TransitTrace::new(at(0), false);
        for now in [10, 20, 30] {
            trace.handed_down(at(now));
        }
        trace.departs(0, false);
        trace.departs(1, true);
        // The number of what is lost on purpose is given to the next.
        trace.departs(1, false);
        trace.arrives(at(100), 1, true);
        trace.arrives(at(200), 0, true);
        assert_eq!((trace.one_way().count(), ps(trace.one_way().min()), ps(trace.one_way().max())), (2, 70, 190));
        assert!(trace.jitter().is_none() && trace.under_way.is_empty() && trace.waiting.is_empty());
    }

    #[test]
    fn what_a_timeout_takes_back_has_no_delay() {
        let mut trace = TransitTrace::new(at(0), false);
        trace.handed_down(at(10));
        trace.departs(0, false);
        trace.handed_down(at(20));
        trace.taken_back();
        trace.handed_down(at(50));
        trace.departs(1, false);
        trace.arrives(at(90), 1, true);
        assert_eq!((trace.one_way().count(), ps(trace.one_way().max())), (1, 40));
        trace.damaged(0);
        assert!(trace.under_way.is_empty());
    }

    #[test]
    fn what_has_no_payload_does_not_count() {
        let mut trace = TransitTrace::new(at(0), false);
        trace.handed_down(at(10));
        trace.departs(0, false);
        trace.arrives(at(20), 0, false);
        assert_eq!(trace.one_way().count(), 0);
    }

    #[test]
    fn jitter_by_hand() {
        // Delays of 1600, 3200, 3200 and 1600 ps: D is 1600, 0 and -1600; J is 100, 93.75 and 93.75 + 1506.25 / 16 = 187.89.
        let mut trace = TransitTrace::new(at(0), true);
        for (number, delay) in (0..).zip([1600, 3200, 3200, 1600]) {
            let sent = 10_000 * u64::from(number);
            trace.handed_down(at(sent));
            trace.departs(number, false);
            trace.arrives(at(sent + delay), number, true);
        }
        let jitter = trace.jitter().unwrap();
        assert_eq!((jitter.count(), ps(jitter.min()), ps(jitter.quantile(500)), ps(jitter.max())), (3, 93, 100, 187));
    }
}
