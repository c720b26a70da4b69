//! What only some senders have beside what all do.
//! Sources: docs/models/connection.md, docs/models/dialects.md.

use crate::packet::{IP_HEADER_BYTES, Segment, SegmentKind, TCP_HEADER_BYTES, Timestamps};
use crate::tcp::handshake::ActiveEnd;
use crate::tcp::pacer::Pacer;
use crate::tcp::sack::sack_ends::SackReader;
use crate::tcp::setup::Setup;
use crate::tcp::timer::timestamps::TimestampClock;
use crate::tcp::{SendTimes, TcpParams};
use crate::units::{Span, Time};

/// What only some senders have. Whatever uses it is compiled apart from what all do.
#[derive(Clone, Debug)]
pub(super) struct OptionalState {
    /// What is special about the beginning.
    pub(super) setup: Option<Setup>,
    /// When outstanding segments were sent.
    pub(super) times: Option<SendTimes>,
    /// The pace, if congestion control sets one.
    pub(super) pacer: Option<Pacer>,
    /// Opening the connection, and answering the receiver's FIN.
    pub(super) end: Option<ActiveEnd>,
    /// Whether the last byte is a FIN.
    pub(super) fin: bool,
    /// The clock of the timestamps option, and what is echoed in it.
    pub(super) clock: Option<TimestampClock>,
    pub(super) echo: u32,
    /// The round trip that the last segment has shown by its timestamps, if it has shown one.
    pub(super) sampled: Option<Span>,
    /// Selective acknowledgements of another form than all can read.
    pub(super) sack: Option<SackReader>,
}

impl OptionalState {
    pub(super) fn new(params: &TcpParams) -> Option<Box<OptionalState>> {
        let measures = params.congestion_control.needs().round_trips || params.recovery.needs().fine_timeouts;
        let times = measures.then(|| SendTimes::new(u64::from(params.mss)));
        let pacer = params.congestion_control.needs().delivery_rates.then(|| Pacer::new(u64::from(params.mss)));
        let setup = Setup::new(params);
        let end = (params.handshake || params.fin).then(|| ActiveEnd::new(params.handshake));
        let clock = params.timestamp_clock.map(TimestampClock::new);
        let sack = SackReader::new(params);
        let any = setup.is_some() || times.is_some() || pacer.is_some() || end.is_some() || clock.is_some();
        let any = any || sack.is_some();
        any.then(|| {
            Box::new(OptionalState { setup, times, pacer, end, fin: params.fin, clock, echo: 0, sampled: None, sack })
        })
    }

    /// Whether all segments are plain at present, and sent as soon as the window allows.
    pub(super) fn is_plain(&self) -> bool {
        let has_begun = self.setup.as_ref().is_none_or(Setup::is_over);
        let is_open = |end: &ActiveEnd| end.is_open() && !end.is_due() && !self.fin;
        has_begun && self.pacer.is_none() && self.clock.is_none() && self.end.as_ref().is_none_or(is_open)
    }

    /// Whether a plain sender has nothing of this to look at but when segments were sent.
    pub(super) fn allows_fast_path(&self) -> bool {
        self.setup.as_ref().is_none_or(Setup::is_past)
    }

    /// A segment on its way out, of a stream that ends at `limit`.
    pub(super) fn add_options(&self, now: Time, mut segment: Segment, limit: u64) -> Segment {
        if let Some(setup) = &self.setup {
            segment = setup.add_options(segment);
        }
        if let Some(end) = self.end.as_ref().filter(|_| segment.len == 0) {
            segment.kind = end.sent();
            if segment.kind == SegmentKind::Syn {
                segment.sack = self.sack.as_ref().map(SackReader::offer).unwrap_or_default();
            }
        } else if self.fin && segment.seq + u64::from(segment.len) == limit {
            segment.kind = SegmentKind::Fin;
        }
        if segment.payload() == 0 {
            segment.headers = (IP_HEADER_BYTES + TCP_HEADER_BYTES) as u16; // nothing could hold them otherwise
        }
        segment.timestamps = self.clock.map(|clock| Timestamps { value: clock.at(now), echo: self.echo });
        segment
    }
}
