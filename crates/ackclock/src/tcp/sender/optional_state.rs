//! What only some senders have beside what all do.
//! Sources: docs/models/connection.md, docs/models/dialects.md.

use super::held::Held;
use crate::packet::{IP_HEADER_BYTES, Segment, SegmentKind, TCP_HEADER_BYTES, Timestamps};
use crate::tcp::application::Offered;
use crate::tcp::ecn::EcnSender;
use crate::tcp::handshake::ActiveEnd;
use crate::tcp::host::SegmentServer;
use crate::tcp::pacer::{Deliveries, Pace};
use crate::tcp::sack::sack_ends::SackReader;
use crate::tcp::setup::Setup;
use crate::tcp::slow_start::SlowStart;
use crate::tcp::spurious::{FRto, Spurious};
use crate::tcp::timer::segment_starts::SegmentStarts;
use crate::tcp::timer::timestamps::{SamplesPerRound, TimestampClock};
use crate::tcp::window_use::{Pauses, Persist, Validation, WindowUse};
use crate::tcp::{HostModel, RttSamples, SendTimes, TcpParams, TimerScope};
use crate::units::{Span, Time};

/// What only some senders have. Whatever uses it is compiled apart from what all do. What is large and rare stands elsewhere: ten thousand
/// senders may be open at a time.
#[derive(Debug, Default)]
pub(super) struct OptionalState {
    /// What is special about the beginning.
    pub(super) setup: Option<Setup>,
    /// When outstanding segments were sent.
    pub(super) times: Option<SendTimes>,
    /// Whether the timer takes the round trip of every segment from that.
    pub(super) samples_every: bool,
    /// The pace, if congestion control sets one.
    pub(super) pace: Option<Pace>,
    /// What is delivered, if congestion control needs rates of that.
    pub(super) deliveries: Option<Box<Deliveries>>,
    /// Opening the connection, and answering the receiver's FIN.
    pub(super) end: Option<ActiveEnd>,
    /// Whether the last byte is a FIN.
    pub(super) fin: bool,
    /// The clock of the timestamps option, and what is echoed in it.
    pub(super) clock: Option<TimestampClock>,
    pub(super) echo: u32,
    /// The round trip that the last segment has shown, by its timestamps or as the acknowledgement of another segment, if it has
    /// shown one.
    pub(super) sampled: Option<Span>,
    /// How many such there are in a round trip.
    pub(super) samples: SamplesPerRound,
    /// Selective acknowledgements of another form than all can read.
    pub(super) sack: Option<SackReader>,
    /// The server of a host that takes time for segments.
    pub(super) server: Option<Box<SegmentServer>>,
    /// When segments were sent, where the timer is that of the oldest one.
    pub(super) starts: Option<Box<SegmentStarts>>,
    /// The application, if it does not offer everything at once.
    pub(super) offered: Option<Offered>,
    /// Whether what it sends are messages of a connection with data in both directions.
    pub(super) has_messages: bool,
    /// When it sent last, if it may pause.
    pub(super) pauses: Option<Pauses>,
    /// Whether the window is used, where it does not grow otherwise.
    pub(super) window_use: Option<Box<WindowUse>>,
    /// How much of it was in use of late, where that is validated.
    pub(super) validation: Option<Box<Validation>>,
    /// The rule of slow start, if it is not that of congestion control.
    pub(super) slow_start: Option<Box<SlowStart>>,
    /// Explicit congestion notification.
    pub(super) ecn: Option<Box<EcnSender>>,
    /// What undoes spurious reductions, if anything does.
    pub(super) spurious: Option<Box<Spurious>>,
    /// The persist timer, if the receiver advertises windows that change.
    pub(super) persist: Option<Box<Persist>>,
    /// What is held from outside.
    pub(super) held: Held,
}

impl OptionalState {
    pub(super) fn new(params: &TcpParams, offered: Option<Offered>) -> Option<Box<OptionalState>> {
        let samples_every = params.timer.samples == RttSamples::EverySegment && params.timestamp_clock.is_none();
        let measures = params.congestion_control.needs().round_trips || params.recovery.needs().fine_timeouts;
        let slow_start = SlowStart::new(params);
        let measures = measures || slow_start.as_ref().is_some_and(SlowStart::measures);
        let times = (measures || samples_every).then(|| SendTimes::new(u64::from(params.mss)));
        let needs = params.congestion_control.needs();
        let deliveries = needs.delivery_rates.then(|| Box::new(Deliveries::new(u64::from(params.mss))));
        let pace = needs.pacing.then_some(Pace::BEGIN);
        let setup = Setup::new(params);
        let end = (params.handshake || params.fin).then(|| ActiveEnd::new(params.handshake));
        let clock = params.timestamp_clock.map(TimestampClock::new);
        let sack = SackReader::new(params);
        let any = setup.is_some() || times.is_some() || end.is_some() || clock.is_some();
        let any = any || deliveries.is_some() || pace.is_some() || slow_start.is_some();
        let server = match &params.host {
            HostModel::Immediate => None,
            HostModel::Served(served) => Some(Box::new(served.segments(0, ""))),
        };
        let starts = match params.timer.scope {
            TimerScope::Connection => None,
            TimerScope::Segment => Some(Box::new(SegmentStarts::new(params.timer.segment_timeout))),
        };
        let window_use = WindowUse::new(params).map(Box::new);
        let ecn = EcnSender::new(params).map(Box::new);
        let spurious = Spurious::new(params).map(Box::new);
        let persist = Persist::new(params).map(Box::new);
        let any = any || ecn.is_some() || spurious.is_some() || persist.is_some();
        let any =
            any || window_use.is_some() || sack.is_some() || server.is_some() || starts.is_some() || offered.is_some();
        any.then(|| {
            let (fin, echo, sampled) = (params.fin, 0, None);
            Box::new(OptionalState {
                setup,
                times,
                samples_every,
                pace,
                deliveries,
                end,
                fin,
                clock,
                echo,
                sampled,
                samples: SamplesPerRound::default(),
                sack,
                server,
                starts,
                pauses: (offered.is_some() || persist.is_some()).then(|| Pauses::new(params)),
                offered,
                has_messages: false,
                window_use,
                validation: Validation::new(params).map(Box::new),
                slow_start: slow_start.map(Box::new),
                ecn,
                spurious,
                persist,
                held: Held::default(),
            })
        })
    }

    /// Whether a loss at `una` belongs to what a mark was answered for.
    pub(super) fn has_answered(&self, una: u64) -> bool {
        self.ecn.as_ref().is_some_and(|ecn| ecn.has_answered(una))
    }

    /// Whether all segments are plain at present, and sent as soon as the window allows.
    pub(super) fn is_plain(&self) -> bool {
        let has_begun = self.setup.as_ref().is_none_or(Setup::is_over);
        let is_open = |end: &ActiveEnd| end.is_open() && !end.is_due() && !self.fin;
        let at_once = !self.is_paced() && self.server.is_none() && self.ecn.is_none() && self.persist.is_none();
        let at_once = at_once && !self.has_messages;
        has_begun && at_once && self.clock.is_none() && self.end.as_ref().is_none_or(is_open)
    }

    /// Whether segments leave at a pace, or after a time, or what is delivered of them is measured.
    pub(super) fn is_paced(&self) -> bool {
        self.pace.is_some()
            || self.ecn.as_ref().is_some_and(|ecn| ecn.not_before > Time::ZERO)
            || self.deliveries.is_some()
            || self.held.is_paced()
    }

    /// Whether F-RTO decides what is sent.
    pub(super) fn awaits_verdict(&self) -> bool {
        self.f_rto().is_some_and(|f_rto| f_rto.new_segments().is_some())
    }

    fn f_rto(&self) -> Option<FRto> {
        self.spurious.as_ref().and_then(|spurious| spurious.f_rto)
    }

    /// Whether a plain sender has nothing of this to look at but when segments were sent.
    pub(super) fn allows_fast_path(&self) -> bool {
        let is_held = !self.held.leaves_window();
        self.setup.as_ref().is_none_or(Setup::is_past)
            && self.starts.is_none()
            && !self.samples_every
            && !is_held
            && self.slow_start.is_none()
            && self.validation.is_none()
            && self.f_rto().is_none_or(|f_rto| f_rto.is_off())
            && self.spurious.as_ref().is_none_or(|spurious| spurious.is_calm())
    }

    /// A segment on its way out, of a stream that ends at `end`.
    pub(super) fn add_options(&self, now: Time, mut segment: Segment, end: u64) -> Segment {
        if let Some(setup) = &self.setup {
            segment = setup.add_options(segment);
        }
        if segment.len == 0 && self.persist.as_ref().is_some_and(|persist| persist.sends_probe) {
            segment.kind = SegmentKind::Probe;
        } else if let Some(active) = self.end.as_ref().filter(|_| segment.len == 0) {
            segment.kind = active.sent();
            if segment.kind == SegmentKind::Syn {
                segment.sack = self.sack.as_ref().map(SackReader::offer).unwrap_or_default();
            }
        } else if self.fin && segment.seq + u64::from(segment.len) == end {
            segment.kind = SegmentKind::Fin;
        }
        if let Some(ecn) = &self.ecn {
            segment.ecn = ecn.bits_of(segment.kind, segment.len > 0);
        }
        if segment.payload() == 0 {
            segment.headers = (IP_HEADER_BYTES + TCP_HEADER_BYTES) as u16; // nothing could hold them otherwise
        }
        segment.timestamps = self.clock.map(|clock| Timestamps { value: clock.at(now), echo: self.echo });
        segment
    }
}
