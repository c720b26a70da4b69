//! What is recorded of data between the two ends of a connection: one-way delays, and the jitter of
//! datagrams.
//!
//! A delay begins when TCP or the source of datagrams hands a packet down to its host, and ends when the packet has arrived
//! whole, as in IPPM (RFC 7679): so waiting for the host's own link is part of it. Each packet counts for itself, one that
//! is sent again from when it is handed down again; one that does not arrive has no delay.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::points::Points;
use crate::record::histogram::{Delays, Histogram};
use crate::record::{Columns, Metric, MetricSet};
use crate::units::{Span, Time};

/// Records the transit of the data of one flow, or of datagrams.
#[derive(Clone, Debug)]
pub struct TransitTrace {
    /// When what waits in the host was handed down, in order.
    waiting: VecDeque<Time>,
    /// When the packets under way were handed down, by their numbers. What is lost stays: 24 octets each.
    under_way: BTreeMap<u32, Time>,
    one_way: Option<Delays>,
    one_way_points: Option<Points>,
    /// Of datagrams.
    jitter: Option<Jitter>,
    sends: Option<Sends>,
}

/// How many datagrams are handed down in each interval.
#[derive(Clone, Debug)]
struct Sends {
    interval: Span,
    /// The number of each interval in which some are, and how many.
    sent: Vec<(u64, u64)>,
    /// When those were handed down that arrived damaged.
    damaged: Vec<Time>,
}

/// The interarrival jitter of RFC 3550 §6.4.1, after each arrival.
#[derive(Clone, Debug)]
struct Jitter {
    /// The delay of the last datagram that arrived; none before the first.
    last: Option<Span>,
    /// J, in picoseconds. It is a mean, no instant, so it need not be whole.
    estimate_ps: f64,
    estimates: Option<Delays>,
    points: Option<Points>,
}

/// Arrivals that a change takes to have its effect on the estimate, RFC 3550 §6.4.1.
const SMOOTHING: f64 = 16.0;

impl TransitTrace {
    /// Nothing is under way. It is counted how often each delay occurs that ends from `since` on, if that is asked for, and
    /// recorded over time what `metrics` say; there are jitter and loss of datagrams only.
    pub fn new(since: Option<Time>, metrics: MetricSet, interval: Span, of_udp: bool) -> TransitTrace {
        let points = |metric| metrics.contains(metric).then(Points::default);
        let jitter = || Jitter {
            last: None,
            estimate_ps: 0.0,
            estimates: since.map(Delays::new),
            points: points(Metric::Jitter),
        };
        let counts_sends = of_udp && metrics.contains(Metric::Loss);
        TransitTrace {
            waiting: VecDeque::new(),
            under_way: BTreeMap::new(),
            one_way: since.map(Delays::new),
            one_way_points: points(Metric::OneWayDelay),
            jitter: of_udp.then(jitter),
            sends: counts_sends.then(|| Sends { interval, sent: Vec::new(), damaged: Vec::new() }),
        }
    }

    /// Whether any of these metrics is recorded here.
    pub fn is_wanted(metrics: MetricSet) -> bool {
        [Metric::OneWayDelay, Metric::Jitter, Metric::Loss].iter().any(|&metric| metrics.contains(metric))
    }

    /// A packet is handed down to the host.
    pub fn handed_down(&mut self, now: Time) {
        self.waiting.push_back(now);
        if let Some(Sends { interval, sent, .. }) = &mut self.sends {
            let number = now.as_ps() / interval.as_ps();
            match sent.last_mut() {
                Some((last, count)) if *last == number => *count += 1,
                Some(_) | None => sent.push((number, 1)),
            }
        }
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
        // Of one that comes twice the first counts.
        let Some(handed_down) = self.under_way.remove(&number) else { return };
        if !has_payload {
            return;
        }
        let delay = now.since(handed_down);
        if let Some(one_way) = &mut self.one_way {
            one_way.add(now, delay);
        }
        if let Some(points) = &mut self.one_way_points {
            points.push(now, delay.as_secs_f64());
        }
        if let Some(jitter) = &mut self.jitter {
            jitter.arrives(now, delay);
        }
    }

    /// A packet arrives damaged.
    pub fn damaged(&mut self, number: u32) {
        let handed_down = self.under_way.remove(&number);
        if let Some(sends) = &mut self.sends {
            sends.damaged.extend(handed_down);
        }
    }

    /// How often each delay occurred, if that is asked for.
    pub fn one_way(&self) -> Option<&Histogram> {
        Some(self.one_way.as_ref()?.histogram())
    }

    /// The histogram of the jitter after each arrival, of datagrams.
    pub fn jitter(&self) -> Option<&Histogram> {
        Some(self.jitter.as_ref()?.estimates.as_ref()?.histogram())
    }

    /// Takes the record of one metric over time out; of datagrams ports and links lost these, by their numbers.
    pub fn take(&mut self, metric: Metric, lost: &BTreeSet<u32>, end: Time) -> Option<Columns> {
        match metric {
            Metric::OneWayDelay => Some(self.one_way_points.take()?.into_columns()),
            Metric::Jitter => Some(self.jitter.as_mut()?.points.take()?.into_columns()),
            _ => self.sends.as_ref().map(|sends| {
                // What is lost stays among those under way, unless a part of it arrives.
                let sent = lost.iter().filter_map(|number| self.under_way.get(number).copied());
                sends.losses(sent.chain(sends.damaged.iter().copied()), end)
            }),
        }
    }
}

impl Sends {
    /// The share that is lost of those sent in each interval; `lost` are the instants at which the lost ones were sent.
    fn losses(&self, lost: impl Iterator<Item = Time>, end: Time) -> Columns {
        let mut counts = vec![0_u64; self.sent.len()];
        for sent in lost {
            let number = sent.as_ps() / self.interval.as_ps();
            let place = self.sent.binary_search_by_key(&number, |(number, _)| *number);
            counts[place.expect("what is lost was sent")] += 1;
        }
        let begins = |number: u64| Time::ZERO + self.interval * number;
        let (mut shares, mut next) = (Points::default(), 0);
        for (&(number, sent), lost) in self.sent.iter().zip(counts) {
            if number > next {
                shares.change(begins(next), 0.0);
            }
            if begins(number) < end {
                shares.change(begins(number), lost as f64 / sent as f64);
            }
            next = number + 1;
        }
        if begins(next) < end {
            shares.change(begins(next), 0.0);
        }
        shares.into_columns()
    }
}

impl Jitter {
    /// D(i-1, i) is the difference of two delays: sender and receiver have one clock here.
    fn arrives(&mut self, now: Time, delay: Span) {
        let Some(last) = self.last.replace(delay) else { return };
        let difference = delay.as_ps().abs_diff(last.as_ps()) as f64;
        self.estimate_ps += (difference - self.estimate_ps) / SMOOTHING;
        let estimate = Span::from_ps(self.estimate_ps as u64);
        if let Some(estimates) = &mut self.estimates {
            estimates.add(now, estimate);
        }
        if let Some(points) = &mut self.points {
            points.push(now, estimate.as_secs_f64());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::instants::ps as at;

    fn new(of_udp: bool) -> TransitTrace {
        TransitTrace::new(Some(at(0)), MetricSet::NONE, Span::from_ps(1), of_udp)
    }

    fn ps(span: Option<Span>) -> u64 {
        span.unwrap().as_ps()
    }

    #[test]
    fn delays_begin_when_packets_are_handed_down() {
        let mut trace = new(false);
        for now in [10, 20, 30] {
            trace.handed_down(at(now));
        }
        trace.departs(0, false);
        trace.departs(1, true);
        // The number of what is lost on purpose is given to the next.
        trace.departs(1, false);
        trace.arrives(at(100), 1, true);
        trace.arrives(at(200), 0, true);
        assert_eq!(
            (trace.one_way().unwrap().count(), ps(trace.one_way().unwrap().min()), ps(trace.one_way().unwrap().max())),
            (2, 70, 190)
        );
        assert!(trace.jitter().is_none() && trace.under_way.is_empty() && trace.waiting.is_empty());
    }

    #[test]
    fn what_a_timeout_takes_back_has_no_delay() {
        let mut trace = new(false);
        trace.handed_down(at(10));
        trace.departs(0, false);
        trace.handed_down(at(20));
        trace.taken_back();
        trace.handed_down(at(50));
        trace.departs(1, false);
        trace.arrives(at(90), 1, true);
        assert_eq!((trace.one_way().unwrap().count(), ps(trace.one_way().unwrap().max())), (1, 40));
        trace.damaged(0);
        assert!(trace.under_way.is_empty());
    }

    #[test]
    fn what_has_no_payload_does_not_count() {
        let mut trace = new(false);
        trace.handed_down(at(10));
        trace.departs(0, false);
        trace.arrives(at(20), 0, false);
        assert_eq!(trace.one_way().unwrap().count(), 0);
    }

    #[test]
    fn jitter_by_hand() {
        // Delays of 1600, 3200, 3200 and 1600 ps: D is 1600, 0 and -1600; J is 100, 93.75 and 93.75 + 1506.25 / 16 = 187.89.
        let mut trace = new(true);
        for (number, delay) in (0..).zip([1600, 3200, 3200, 1600]) {
            let sent = 10_000 * u64::from(number);
            trace.handed_down(at(sent));
            trace.departs(number, false);
            trace.arrives(at(sent + delay), number, true);
        }
        let jitter = trace.jitter().unwrap();
        assert_eq!((jitter.count(), ps(jitter.min()), ps(jitter.quantile(500)), ps(jitter.max())), (3, 93, 100, 187));
    }

    #[test]
    fn losses_are_shares_of_what_is_sent_in_each_interval() {
        let metrics = [Metric::Loss, Metric::Jitter, Metric::OneWayDelay].into_iter().collect();
        let mut trace = TransitTrace::new(None, metrics, Span::from_ps(100), true);
        // Two in the first interval, one in the second, two in the fourth; 1, 2 and 4 do not arrive, 4 is under way.
        for (number, sent) in (0..).zip([10, 60, 110, 310, 390]) {
            trace.handed_down(at(sent));
            trace.departs(number, false);
            if number == 0 || number == 3 {
                trace.arrives(at(sent + 7), number, true);
            }
        }
        let points = |columns: Option<Columns>| match columns {
            Some(Columns::Points { time, value }) => (time, value),
            _ => panic!("no points"),
        };
        let shares = points(trace.take(Metric::Loss, &BTreeSet::from([1, 2]), at(399)));
        assert_eq!(shares, (vec![at(0), at(100), at(200)], vec![0.5, 1.0, 0.0]));
        assert_eq!(
            points(trace.take(Metric::OneWayDelay, &BTreeSet::new(), at(399))),
            (vec![at(17), at(317)], vec![7e-12, 7e-12])
        );
        assert_eq!(points(trace.take(Metric::Jitter, &BTreeSet::new(), at(399))), (vec![at(317)], vec![0.0]));
        assert!(trace.one_way().is_none() && trace.jitter().is_none());
    }
}
