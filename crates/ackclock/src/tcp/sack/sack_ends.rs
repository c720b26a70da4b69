//! The two ends of a connection that has more than three blocks of RFC 2018: what each offers, writes and reads.
//! Sources: \[VEGAS-A\] §5.2; RFC 2018 §4; RFC 2883 §4; RFC 6994 for the offer; docs/models/offset-sack.md.

use super::offset_sack::{self, Flags, Negotiated, SynSack};
use super::sack_option::{self, WireBlock};
use crate::packet::{SackBlock, SackOption, Segment};
use crate::tcp::{OffsetSackParams, SackParams, TcpParams};

/// What a sender of data has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackStats {
    /// Options ignored because they make no sense.
    pub malformed: u64,
    /// Reports of what arrived twice (RFC 2883).
    pub duplicates: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::tcp) struct Report {
    /// What arrived twice (RFC 2883).
    pub(in crate::tcp) duplicate: Option<SackBlock>,
    /// The blocks that the receiver holds.
    pub(in crate::tcp) blocks: Vec<SackBlock>,
}

/// The receiver of data, which writes.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct SackWriter {
    params: SackParams,
    negotiated: Negotiated,
    /// Octets that other options leave.
    room: usize,
    /// What the next report calls a duplicate.
    duplicate: Option<SackBlock>,
}

/// The sender of data, which reads.
#[derive(Clone, Debug)]
pub(in crate::tcp) struct SackReader {
    offset: Option<OffsetSackParams>,
    negotiated: Negotiated,
    stats: SackStats,
}

impl SackWriter {
    /// That of a connection with these parameters, if there is anything to write that not all do.
    pub(in crate::tcp) fn new(params: &TcpParams) -> Option<SackWriter> {
        params.reports_more_than_blocks().then(|| SackWriter {
            params: params.sack.clone(),
            negotiated: at_start(params),
            room: params.sack_room(),
            duplicate: None,
        })
    }

    /// A SYN came: what the answer offers.
    pub(in crate::tcp) fn on_syn(&mut self, syn: &Segment) -> SackOption {
        let offer = self.params.offset.as_ref().filter(|offset| offset.receiver_knows).map(|_| Flags::ALL);
        let offered = offset_sack::permitted(syn.sack.octets());
        self.negotiated = negotiated(self.params.offset.as_ref(), offer, offered);
        offer.filter(|_| offered.is_some()).map_or_else(SackOption::default, offset_sack::permit)
    }

    /// This arrived although it was held (RFC 2883 §4).
    pub(in crate::tcp) fn on_duplicate(&mut self, duplicate: SackBlock) {
        if self.params.duplicates {
            self.duplicate = Some(duplicate);
        }
    }

    /// Whether the next acknowledgement says what arrived twice.
    pub(in crate::tcp) fn has_duplicate(&self) -> bool {
        self.duplicate.is_some()
    }

    /// The option of the next acknowledgement, if `held` are the blocks held, the most recently reported first.
    pub(in crate::tcp) fn report(&mut self, held: &[SackBlock]) -> SackOption {
        let blocks: Vec<WireBlock> = self.duplicate.take().iter().chain(held).copied().map(WireBlock::of).collect();
        let preference = self.params.offset.as_ref().map(|offset| offset.preference).unwrap_or_default();
        let most_standard = usize::from(self.params.standard_blocks);
        let report = offset_sack::report(&blocks, self.negotiated, preference, self.room, most_standard);
        report.map_or_else(SackOption::default, |report| report.option)
    }
}

impl SackReader {
    /// That of a connection with these parameters, if there is anything to read that not all can.
    pub(in crate::tcp) fn new(params: &TcpParams) -> Option<SackReader> {
        params.reports_more_than_blocks().then(|| SackReader {
            offset: params.sack.offset.clone(),
            negotiated: at_start(params),
            stats: SackStats::default(),
        })
    }

    pub(in crate::tcp) fn offer(&self) -> SackOption {
        self.offset.as_ref().map_or_else(SackOption::default, |_| offset_sack::permit(Flags::ALL))
    }

    pub(in crate::tcp) fn on_syn_ack(&mut self, answer: &Segment) {
        let offered = offset_sack::permitted(answer.sack.octets());
        let ours = self.offset.as_ref().map(|_| Flags::ALL);
        self.negotiated = negotiated(self.offset.as_ref(), ours, offered);
    }

    /// What an acknowledgement reports to a sender that has sent everything before byte `max`.
    pub(in crate::tcp) fn read(&mut self, segment: &Segment, max: u64) -> Report {
        let Ok(found) = offset_sack::find(segment.sack.octets(), self.negotiated) else {
            self.stats.malformed += 1;
            return Report::default();
        };
        let [una, nxt] = [segment.ack, max].map(crate::packet::wire_number);
        let report = sack_option::evaluate(&found.unwrap_or_default(), una, nxt);
        self.stats.duplicates += u64::from(report.duplicate.is_some());
        let near = |block: WireBlock| block.near(segment.ack);
        Report { duplicate: report.duplicate.map(near), blocks: report.blocks.into_iter().map(near).collect() }
    }

    pub(in crate::tcp) fn stats(&self) -> SackStats {
        self.stats
    }
}

/// What holds before any SYN: of a connection that is established without one, what both ends know.
fn at_start(params: &TcpParams) -> Negotiated {
    let offset = params.sack.offset.as_ref();
    let both = offset.filter(|offset| offset.receiver_knows && !params.handshake).map(|_| Flags::ALL);
    negotiated(offset, both, both)
}

/// What follows from two offers of ends that both permit SACK.
fn negotiated(offset: Option<&OffsetSackParams>, ours: Option<Flags>, theirs: Option<Flags>) -> Negotiated {
    let syn = |offset| SynSack { permitted: true, offset };
    offset.map_or(Negotiated::Standard, |params| offset_sack::negotiate(syn(ours), syn(theirs), params.form))
}
