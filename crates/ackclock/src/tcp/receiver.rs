//! The receiving end: puts segments in order, acknowledges.
//! Sources: [SACK-UBR] §3; RFC 2018 §4 for the order of SACK blocks; RFC 5681 §4.2 through
//! [`DelayedAck`].

use super::{DelayedAck, OutOfOrder, TcpParams};
use crate::packet::{MAX_SACK_BLOCKS, SackBlock, SackBlocks, Segment};
use crate::record::Fingerprint;
use crate::units::Time;

/// What the receiver counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Segments that arrived whole.
    pub segments_received: u64,
    /// Of those, segments of which it held every byte already.
    pub unnecessary: u64,
}

/// The receiving end of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    mss: u64,
    sack: bool,
    out_of_order: OutOfOrder,
    delayed_ack: DelayedAck,
    /// Next byte expected: everything before it is delivered.
    nxt: u64,
    /// What is held beyond it, in order of sequence, never touching.
    held: Vec<Held>,
    /// Counts segments out of order, to tell which block is the most recent.
    reports: u64,
    ack_due: bool,
    stats: ReceiverStats,
    fingerprint: Fingerprint,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    start: u64,
    end: u64,
    /// When it last grew: the order in which blocks are reported.
    reported: u64,
}

impl Receiver {
    /// The receiver of a connection with the given parameters.
    pub fn new(params: &TcpParams) -> Receiver {
        Receiver {
            mss: u64::from(params.mss),
            sack: params.receiver_sack && params.recovery.uses_sack(),
            out_of_order: params.out_of_order,
            delayed_ack: DelayedAck::new(params.ack),
            nxt: 0,
            held: Vec::new(),
            reports: 0,
            ack_due: false,
            stats: ReceiverStats::default(),
            fingerprint: Fingerprint::default(),
        }
    }

    /// A data segment.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        self.fingerprint.add(now.as_ps());
        self.fingerprint.add(segment.seq);
        self.stats.segments_received += 1;
        let (start, end) = (segment.seq, segment.seq + u64::from(segment.len));
        let hole_open = !self.held.is_empty();
        let in_order = start == self.nxt;
        if end <= self.nxt || self.report_again(start, end) {
            self.stats.unnecessary += 1;
        } else if start <= self.nxt {
            self.nxt = end;
            self.deliver_held();
        } else if self.out_of_order == OutOfOrder::Buffer {
            self.hold(start, end);
        }
        let ordinary = in_order && !hole_open && end - start == self.mss;
        self.ack_due |= self.delayed_ack.on_segment(now, ordinary);
    }

    /// The deadline has come.
    pub fn on_timer(&mut self, now: Time) {
        self.ack_due |= self.delayed_ack.on_timer(now);
    }

    /// The acknowledgement to send, if one is due.
    pub fn poll_segment(&mut self, now: Time) -> Option<Segment> {
        if !std::mem::take(&mut self.ack_due) {
            return None;
        }
        self.fingerprint.add(now.as_ps());
        self.fingerprint.add(self.nxt);
        Some(Segment { seq: 0, len: 0, ack: self.nxt, sack: self.sack_blocks() })
    }

    /// When [`Receiver::on_timer`] is to be called.
    pub fn next_deadline(&self) -> Option<Time> {
        self.delayed_ack.deadline()
    }

    /// Bytes delivered to the application, in order, each once.
    pub fn delivered(&self) -> u64 {
        self.nxt
    }

    /// What was counted.
    pub fn stats(&self) -> ReceiverStats {
        self.stats
    }

    /// Hash over every segment received and every acknowledgement sent, with their times.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint.value()
    }

    /// If the segment is held already, its block is the one to report first.
    fn report_again(&mut self, start: u64, end: u64) -> bool {
        let Some(held) = self.held.iter_mut().find(|held| held.start <= start && end <= held.end) else {
            return false;
        };
        self.reports += 1;
        held.reported = self.reports;
        true
    }

    fn hold(&mut self, mut start: u64, mut end: u64) {
        // Everything that touches the new segment becomes one block with it.
        let first = self.held.partition_point(|held| held.end < start);
        let last = self.held.partition_point(|held| held.start <= end);
        if first < last {
            start = start.min(self.held[first].start);
            end = end.max(self.held[last - 1].end);
        }
        self.reports += 1;
        self.held.splice(first..last, [Held { start, end, reported: self.reports }]);
    }

    fn deliver_held(&mut self) {
        let reached = self.held.iter().take_while(|held| held.start <= self.nxt).count();
        for held in self.held.drain(..reached) {
            self.nxt = self.nxt.max(held.end);
        }
    }

    /// RFC 2018 §4: first the block of the segment that caused this acknowledgement, then the most recently
    /// reported ones.
    fn sack_blocks(&self) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        if !self.sack {
            return blocks;
        }
        let mut newer_than_all = u64::MAX;
        for _ in 0..MAX_SACK_BLOCKS {
            let older = self.held.iter().filter(|held| held.reported < newer_than_all);
            let Some(held) = older.max_by_key(|held| held.reported) else { break };
            newer_than_all = held.reported;
            blocks.push(SackBlock { start: held.start, end: held.end });
        }
        blocks
    }
}
