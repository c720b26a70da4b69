//! One TCP connection in the network: its two ends, its two connections, its segments lost on purpose.

use crate::ids::{Id, LinkId, VcId};
use crate::packet::aal5::Reassembler;
use crate::packet::{FrameLog, Segment};
use crate::record::FlowRecord;
use crate::scenario;
use crate::tcp::{Receiver, Sender};
use crate::units::Span;

/// A one-way path: data or acknowledgements of a flow.
pub(super) struct Vc {
    /// The flow's name, with `/ack` for the way back.
    pub(super) name: String,
    /// Hash of the name.
    pub(super) name_hash: u64,
    pub(super) route: Vec<Hop>,
    /// From the start of one cell to the start of the next, at the source.
    pub(super) cell_spacing: Span,
    pub(super) frames: FrameLog,
    pub(super) reassembler: Reassembler,
    pub(super) damaged_frames: u64,
}

/// One link of a route.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    pub(super) link: LinkId,
    /// The connection's number at the port that feeds the link: ports count only the connections that cross them.
    pub(super) at_port: VcId,
}

/// A connection.
pub(super) struct Flow {
    pub(super) name: String,
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    pub(super) mss: u64,
    /// Segments lost on purpose, with the transmissions seen so far.
    pub(super) forced_drops: Vec<(scenario::ForcedDrop, u32)>,
    pub(super) forced_drop_count: u64,
    pub(super) discarded_in_host: u64,
    /// Bytes delivered when the warm-up ended.
    pub(super) delivered_in_warmup: u64,
}

impl Flow {
    /// Whether this transmission of a data segment is one to be lost.
    pub(super) fn drops_on_purpose(&mut self, segment: &Segment) -> bool {
        let number = segment.seq / self.mss;
        let mut lost = false;
        for (drop, seen) in self.forced_drops.iter_mut().filter(|(drop, _)| drop.segment == number) {
            *seen += 1;
            lost |= *seen == drop.transmission;
        }
        self.forced_drop_count += u64::from(lost);
        lost
    }

    /// The flow's record after `simulated`, of which the warm-up was the first part; the damaged frames are those of
    /// data and of acknowledgements.
    pub(super) fn record(&self, simulated: Span, warmup: Span, damaged: u64, damaged_acks: u64) -> FlowRecord {
        let stats = self.sender.stats();
        let delivered = self.receiver.delivered();
        let rate = |bytes: u64, span: Span| bytes as f64 * 8.0 / span.as_secs_f64();
        let warm = simulated > warmup;
        FlowRecord {
            name: self.name.clone(),
            goodput_bps: if simulated > Span::ZERO { rate(delivered, simulated) } else { 0.0 },
            goodput_after_warmup_bps: warm.then(|| rate(delivered - self.delivered_in_warmup, simulated - warmup)),
            bytes_delivered: delivered,
            bytes_sent: stats.bytes_sent,
            segments_sent: stats.segments_sent,
            segments_discarded_in_host: self.discarded_in_host,
            retransmissions: stats.retransmissions,
            unnecessary_retransmissions: self.receiver.stats().unnecessary,
            fast_retransmits: stats.fast_retransmits,
            timeouts: stats.timeouts.len() as u64,
            timeout_times: stats.timeouts.clone(),
            longest_backoff: stats.longest_backoff,
            damaged_frames: damaged,
            damaged_ack_frames: damaged_acks,
            forced_drops: self.forced_drop_count,
            completed: stats.completed,
            sender_fingerprint: self.sender.fingerprint(),
            receiver_fingerprint: self.receiver.fingerprint(),
        }
    }
}

/// Which end of which flow a connection leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Data, to the receiver.
    Receiver,
    /// Acknowledgements, to the sender.
    Sender,
}

/// Connections are numbered two to a flow: data, then acknowledgements.
pub(super) fn data_vc(flow: usize) -> VcId {
    Id::from_index(2 * flow)
}

/// The connection of a flow's acknowledgements.
pub(super) fn ack_vc(flow: usize) -> VcId {
    Id::from_index(2 * flow + 1)
}

/// The flow that a connection belongs to, and the end that it leads to.
pub(super) fn end_of(vc: VcId) -> (usize, End) {
    let index = vc.index();
    (index / 2, if index.is_multiple_of(2) { End::Receiver } else { End::Sender })
}
