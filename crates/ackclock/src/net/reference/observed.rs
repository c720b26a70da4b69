//! What is seen of a flow whose ends are outside the simulator: segments as they are handed down at one host, and as they arrive
//! at the other.

use std::collections::BTreeMap;

use crate::packet::Segment;
use crate::record::{Fingerprint, FlowCounts, FlowRecord, LimitedTimes};
use crate::units::{Span, Time};

/// What was seen so far.
#[derive(Clone, Debug, Default)]
pub(super) struct ObservedFlow {
    /// Bytes that the application has to send, if they end.
    size: Option<u64>,
    bytes_sent: u64,
    segments_sent: u64,
    retransmissions: u64,
    unnecessary: u64,
    /// First byte never handed down.
    highest: u64,
    /// First byte that has not arrived, and what has arrived beyond it: first bytes with the bytes behind the last ones.
    delivered: u64,
    beyond: BTreeMap<u64, u64>,
    delivered_in_warmup: u64,
    last_delivery: Option<Time>,
    completed: Option<Time>,
    sender_fingerprint: Fingerprint,
    receiver_fingerprint: Fingerprint,
}

impl ObservedFlow {
    /// Nothing was seen so far of a flow of so many bytes; `None` is infinite.
    pub(super) fn new(size: Option<u64>) -> ObservedFlow {
        ObservedFlow { size, ..ObservedFlow::default() }
    }

    /// The sender hands a segment down. Returns whether it carries bytes.
    pub(super) fn sent(&mut self, now: Time, segment: &Segment) -> bool {
        let payload = segment.payload();
        if payload == 0 {
            return false;
        }
        self.sender_fingerprint.event(now.as_ps(), segment.seq);
        self.segments_sent += 1;
        self.bytes_sent += u64::from(payload);
        self.retransmissions += u64::from(segment.seq < self.highest);
        self.highest = self.highest.max(segment.seq + u64::from(payload));
        true
    }

    /// A segment arrives whole at the receiver.
    pub(super) fn arrived(&mut self, now: Time, segment: &Segment) {
        let (mut start, mut end) = (segment.seq, segment.seq + u64::from(segment.payload()));
        if start == end {
            return;
        }
        self.receiver_fingerprint.event(now.as_ps(), segment.seq);
        let covering = self.beyond.range(..=start).next_back().is_some_and(|(_, &held)| held >= end);
        if end <= self.delivered || covering {
            self.unnecessary += 1;
            return;
        }
        // Whatever it overlaps or touches becomes one with it.
        while let Some((&first, &last)) = self.beyond.range(..=end).next_back().filter(|&(_, &last)| last >= start) {
            (start, end) = (start.min(first), end.max(last));
            self.beyond.remove(&first);
        }
        if start <= self.delivered {
            self.delivered = end;
            self.last_delivery = Some(now);
        } else {
            self.beyond.insert(start, end);
        }
    }

    /// An acknowledgement arrives whole at the sender.
    pub(super) fn acknowledged(&mut self, now: Time, segment: &Segment) {
        self.sender_fingerprint.event(now.as_ps(), segment.ack);
        if self.completed.is_none() && self.size.is_some_and(|size| segment.ack >= size) {
            self.completed = Some(now);
        }
    }

    /// Bytes that have arrived, and all before them.
    pub(super) fn delivered(&self) -> u64 {
        self.delivered
    }

    /// The warm-up ends now.
    pub(super) fn end_warmup(&mut self) {
        self.delivered_in_warmup = self.delivered;
    }

    /// The record of the flow called `name` after `simulated`, of which the warm-up was the first part; `damaged` are frames of data
    /// and of acknowledgements that arrived damaged. What only its ends know is left out.
    pub(super) fn record(
        &self,
        name: &str,
        (damaged_frames, damaged_ack_frames, forced_drops): (u64, u64, u64),
        simulated: Span,
        warmup: Span,
    ) -> FlowRecord {
        let rate = |bytes: u64, span: Span| bytes as f64 * 8.0 / span.as_secs_f64();
        let after_warmup = self.delivered - self.delivered_in_warmup;
        FlowRecord {
            name: name.to_owned(),
            goodput_bps: if simulated > Span::ZERO { rate(self.delivered, simulated) } else { 0.0 },
            goodput_after_warmup_bps: (simulated > warmup).then(|| rate(after_warmup, simulated - warmup)),
            counts: FlowCounts {
                bytes_delivered: self.delivered,
                bytes_sent: self.bytes_sent,
                segments_sent: self.segments_sent,
                segments_discarded_in_host: 0,
                retransmissions: self.retransmissions,
                unnecessary_retransmissions: self.unnecessary,
                fast_retransmits: 0,
                timeouts: 0,
                damaged_frames,
                damaged_ack_frames,
                forced_drops,
                // What hosts outside do about marks is not looked at.
                marked_segments: 0,
                ecn_reductions: 0,
                undone_reductions: 0,
            },
            timeout_times: Vec::new(),
            longest_backoff: 0,
            completed: self.completed,
            last_delivery: self.last_delivery,
            sender_fingerprint: self.sender_fingerprint.value(),
            receiver_fingerprint: self.receiver_fingerprint.value(),
            limited: LimitedTimes::default(),
            delays: None,
            exchanges: None,
            abr: None,
            max_min: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::instants::ps as at;

    fn bytes(seq: u64, len: u32) -> Segment {
        Segment { seq, len, ..Segment::default() }
    }

    #[test]
    fn bytes_count_once_and_in_order() {
        let mut flow = ObservedFlow::new(None);
        // 0..100, then 200..300 and 400..500 beyond holes, then 100..450 fills and overlaps all.
        for (now, seq, len, delivered) in
            [(1, 0, 100, 100), (2, 200, 100, 100), (3, 400, 100, 100), (4, 250, 50, 100), (5, 100, 350, 500)]
        {
            flow.arrived(at(now), &bytes(seq, len));
            assert_eq!(flow.delivered(), delivered, "at {now}");
        }
        flow.arrived(at(6), &bytes(450, 50));
        let record = flow.record("f", (1, 2, 3), Span::from_secs(1), Span::ZERO);
        assert_eq!((record.counts.unnecessary_retransmissions, record.last_delivery), (2, Some(at(5))));
        assert_eq!((record.counts.damaged_frames, record.counts.forced_drops, record.goodput_bps), (1, 3, 4000.0));
    }

    #[test]
    fn what_begins_below_the_highest_byte_is_sent_again() {
        let mut flow = ObservedFlow::new(Some(200));
        for (seq, len) in [(0, 0), (0, 100), (100, 100), (0, 100)] {
            assert_eq!(flow.sent(at(seq), &bytes(seq, len)), len > 0);
        }
        flow.acknowledged(at(7), &Segment { ack: 199, ..Segment::default() });
        flow.acknowledged(at(8), &Segment { ack: 200, ..Segment::default() });
        flow.acknowledged(at(9), &Segment { ack: 201, ..Segment::default() });
        let record = flow.record("f", (0, 0, 0), Span::from_secs(1), Span::ZERO);
        let counts = record.counts;
        assert_eq!((counts.segments_sent, counts.bytes_sent, counts.retransmissions), (3, 300, 1));
        assert_eq!(record.completed, Some(at(8)));
    }
}
