//! What is recorded of a sender.

use super::points::Points;
use crate::record::histogram::{Delays, Histogram};
use crate::record::{Columns, Metric, MetricSet};
use crate::units::{Span, Time};

/// What is recorded of a sender's timer, as it is after an event.
#[derive(Clone, Copy, Debug)]
pub struct TimerState {
    /// Smoothed round trip, seconds; `None` before the first sample.
    pub srtt: Option<f64>,
    /// Retransmission timeout, seconds.
    pub rto: f64,
}

/// What is recorded of a sender beside its timer, as it is after an event, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct SenderState {
    /// The congestion window.
    pub cwnd: f64,
    /// The slow-start threshold.
    pub ssthresh: f64,
    /// What may be outstanding.
    pub send_window: u64,
    /// First byte that is not acknowledged.
    pub una: u64,
}

/// Records a sender.
#[derive(Clone, Debug)]
pub struct SenderTrace {
    metrics: MetricSet,
    /// Whether of every event more than the congestion window is recorded.
    more_than_cwnd: bool,
    cwnd: Points,
    ssthresh: Points,
    send_window: Points,
    rtt: Points,
    round_trips: Option<Box<Delays>>,
    srtt: Points,
    rto: Points,
    sent: Points,
    retransmissions: Points,
    acknowledged: Points,
    /// First byte never sent.
    highest: u64,
    /// The segment whose round trip is measured, by its first byte, and when it was handed down.
    timed: Option<(u64, Time)>,
}

impl SenderTrace {
    /// A recorder of those of `metrics` that are a sender's, and of how often each round trip occurs from `round_trips_since`
    /// on; `None` if there is nothing to record.
    pub fn new(metrics: MetricSet, round_trips_since: Option<Time>) -> Option<Box<SenderTrace>> {
        const MINE: [Metric; 9] = [
            Metric::Cwnd,
            Metric::Ssthresh,
            Metric::SendWindow,
            Metric::Rtt,
            Metric::Srtt,
            Metric::Rto,
            Metric::Sent,
            Metric::Retransmissions,
            Metric::Acknowledged,
        ];
        let wanted = MINE.iter().any(|&metric| metrics.contains(metric)) || round_trips_since.is_some();
        wanted.then(|| {
            Box::new(SenderTrace {
                metrics,
                more_than_cwnd: OF_EVERY_EVENT.iter().any(|&metric| metrics.contains(metric)),
                cwnd: Points::default(),
                ssthresh: Points::default(),
                send_window: Points::default(),
                rtt: Points::default(),
                round_trips: round_trips_since.map(|since| Box::new(Delays::new(since))),
                srtt: Points::default(),
                rto: Points::default(),
                sent: Points::default(),
                retransmissions: Points::default(),
                acknowledged: Points::default(),
                highest: 0,
                timed: None,
            })
        })
    }

    /// Bytes up to `una` are acknowledged. To be called before the sender answers with new segments.
    pub fn acked(&mut self, now: Time, una: u64) {
        if let Some((_, since)) = self.timed.take_if(|(seq, _)| una > *seq) {
            self.sampled(now, now.since(since));
        }
    }

    /// An acknowledgement of all bytes up to `una` arrives at a sender of which no more is known.
    pub fn acknowledged(&mut self, now: Time, una: u64) {
        if self.metrics.contains(Metric::Acknowledged) {
            // Before the first it is no number, and the maximum is the other.
            self.acknowledged.change(now, self.acknowledged.last().max(una as f64));
        }
    }

    /// A segment, or its timestamp, has shown a round trip.
    pub fn sampled(&mut self, now: Time, rtt: Span) {
        if self.metrics.contains(Metric::Rtt) {
            self.rtt.push(now, rtt.as_secs_f64());
        }
        if let Some(round_trips) = &mut self.round_trips {
            round_trips.add(now, rtt);
        }
    }

    /// The segment of the bytes `seq..end` is handed down; `timed` is the segment whose round trip is measured now.
    pub fn sent(&mut self, now: Time, seq: u64, end: u64, timed: Option<u64>) {
        if self.metrics.contains(Metric::Sent) {
            self.sent.push(now, seq as f64);
        }
        if seq < self.highest && self.metrics.contains(Metric::Retransmissions) {
            self.retransmissions.push(now, seq as f64);
        }
        self.highest = self.highest.max(end);
        if timed != self.timed.map(|(seq, _)| seq) {
            self.timed = timed.map(|seq| (seq, now));
        }
    }

    /// Whether it records every event at the sender.
    pub fn wants_events(&self) -> bool {
        self.more_than_cwnd || self.metrics.contains(Metric::Cwnd)
    }

    /// Whether it records more than the window at every event.
    #[inline(always)]
    pub fn wants_state(&self) -> bool {
        self.more_than_cwnd
    }

    /// The window after an event, in bytes. For recorders that [want events](SenderTrace::wants_events), and nothing more.
    #[inline(always)]
    pub fn window(&mut self, now: Time, cwnd: f64) {
        self.cwnd.change(now, cwnd);
    }

    /// An event is over, and this is the sender's state now, and its timer.
    #[inline(never)]
    pub fn state(&mut self, now: Time, state: &SenderState, timer: impl FnOnce() -> TimerState) {
        if self.metrics.contains(Metric::Cwnd) {
            self.cwnd.change(now, state.cwnd);
        }
        if self.metrics.contains(Metric::Ssthresh) {
            self.ssthresh.change(now, state.ssthresh);
        }
        if self.metrics.contains(Metric::SendWindow) {
            self.send_window.change(now, state.send_window as f64);
        }
        if self.metrics.contains(Metric::Acknowledged) {
            self.acknowledged.change(now, state.una as f64);
        }
        if !self.metrics.contains(Metric::Srtt) && !self.metrics.contains(Metric::Rto) {
            return;
        }
        let timer = timer();
        if let Some(srtt) = timer.srtt.filter(|_| self.metrics.contains(Metric::Srtt)) {
            self.srtt.change(now, srtt);
        }
        if self.metrics.contains(Metric::Rto) {
            self.rto.change(now, timer.rto);
        }
    }

    /// The congestion window at an instant, after whatever happens then.
    pub fn cwnd_at(&self, instant: Time) -> Option<f64> {
        self.cwnd.at(instant)
    }

    /// Whether it wants to know of each segment sent and of each acknowledgement, not only of what has become of the
    /// window.
    pub fn wants_segments(&self) -> bool {
        let of_segments = [Metric::Rtt, Metric::Sent, Metric::Retransmissions];
        of_segments.iter().any(|&metric| self.metrics.contains(metric)) || self.round_trips.is_some()
    }

    /// How often each round trip occurred, if that is recorded.
    pub fn round_trips(&self) -> Option<&Histogram> {
        Some(self.round_trips.as_ref()?.histogram())
    }

    /// Takes the record of one of its metrics out.
    pub fn take(&mut self, metric: Metric) -> Columns {
        let points = match metric {
            Metric::Cwnd => &mut self.cwnd,
            Metric::Ssthresh => &mut self.ssthresh,
            Metric::SendWindow => &mut self.send_window,
            Metric::Rtt => &mut self.rtt,
            Metric::Srtt => &mut self.srtt,
            Metric::Rto => &mut self.rto,
            Metric::Sent => &mut self.sent,
            Metric::Retransmissions => &mut self.retransmissions,
            _ => &mut self.acknowledged,
        };
        std::mem::take(points).into_columns()
    }
}

/// What an event may change, beside the congestion window.
const OF_EVERY_EVENT: [Metric; 5] =
    [Metric::Ssthresh, Metric::SendWindow, Metric::Srtt, Metric::Rto, Metric::Acknowledged];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::instants::ps as at;

    fn set(metrics: &[Metric]) -> MetricSet {
        metrics.iter().copied().collect()
    }

    #[test]
    fn round_trips_are_those_of_timed_segments() {
        let mut trace = SenderTrace::new(set(&[Metric::Rtt, Metric::Sent, Metric::Retransmissions]), None).unwrap();
        trace.sent(at(10), 0, 100, Some(0));
        trace.sent(at(20), 100, 200, Some(0));
        trace.acked(at(500), 0);
        trace.acked(at(1_000_000_000_010), 100);
        trace.sent(at(1_000_000_000_010), 200, 300, Some(200));
        // Sent again: no longer timed.
        trace.sent(at(1_000_000_000_020), 100, 200, None);
        trace.acked(at(2_000_000_000_000), 300);
        assert_eq!(trace.take(Metric::Rtt), Columns::Points { time: vec![at(1_000_000_000_010)], value: vec![1.0] });
        let Columns::Points { value, .. } = trace.take(Metric::Retransmissions) else { panic!() };
        assert_eq!(value, [100.0]);
        assert_eq!(trace.take(Metric::Sent).len(), 4);
    }
}
