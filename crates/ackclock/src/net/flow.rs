//! One TCP connection in the network: its two ends, its two connections, its segments lost on purpose.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::routes::Routed;
use crate::ids::{Id, LinkId, VcId};
use crate::packet::{LostFrames, Segment, SegmentKind};
use crate::record::{Fingerprint, FlowCounts, FlowRecord, LimitedTimes, Observation, UdpCounts, UdpRecord};
use crate::scenario::{self, MIN_DATAGRAM_BYTES, Scenario, Technology};
use crate::tcp::{Receiver, Sender, SenderStats};
use crate::traffic::{Cbr, Echoes};
use crate::units::{Span, Time};

/// A one-way path: data or acknowledgements of a flow.
pub(super) struct Vc {
    /// Hash of the name: the flow's, with `/ack` for the reverse path.
    pub(super) name_hash: u64,
    /// Its links; of a route that changes the first. Empty if nothing ever goes there.
    pub(super) route: Vec<Hop>,
    /// How it goes on after the first, if that changes.
    pub(super) routed: Option<Arc<Routed>>,
    /// From the start of one cell to the start of the next, at the source.
    pub(super) cell_spacing: Span,
}

impl Vc {
    /// The links that its packets cross, or may cross.
    pub(super) fn links(&self) -> impl Iterator<Item = LinkId> + Clone {
        let fixed = self.route.iter().filter(|_| self.routed.is_none()).map(|hop| hop.link);
        let dynamic = self.routed.iter().flat_map(|routed| routed.links.iter().copied());
        fixed.chain(dynamic)
    }
}

/// One link of a route.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    pub(super) link: LinkId,
    /// The connection's number at the port that feeds the link: ports count only the connections that cross them.
    pub(super) at_port: VcId,
}

/// The end that sends data.
pub(super) struct Source {
    pub(super) sender: Sender,
    /// Segments that a timeout took back before the host began to transmit them.
    pub(super) discarded_in_host: u64,
    /// Acknowledgements that arrived damaged.
    pub(super) damaged_frames: u64,
}

/// The end that receives data.
pub(super) struct Sink {
    pub(super) receiver: Receiver,
    /// Bytes delivered when the warm-up ended.
    delivered_in_warmup: u64,
    /// Data frames that arrived damaged.
    pub(super) damaged_frames: u64,
}

/// What records need of a sending end, and what is seen of it when a run is paused.
#[derive(Clone, Debug)]
pub(super) struct SourceSummary {
    stats: SenderStats,
    timeouts: Vec<Time>,
    fingerprint: u64,
    limited: LimitedTimes,
    discarded_in_host: u64,
    pub(super) damaged_frames: u64,
    pub(super) observed: Observation,
}

/// What records need of a receiving end.
#[derive(Clone, Debug)]
pub(super) struct SinkSummary {
    pub(super) delivered: u64,
    pub(super) delivered_in_warmup: u64,
    last_delivery: Time,
    unnecessary: u64,
    marked: u64,
    pub(super) damaged_frames: u64,
    fingerprint: u64,
}

/// Segments lost on purpose.
pub(super) struct ForcedDrops {
    mss: u64,
    /// Which, with the transmissions seen so far.
    drops: Vec<(scenario::ForcedDrop, u32)>,
    count: u64,
}

impl ForcedDrops {
    /// Those of a flow, if there are any.
    pub(super) fn new(flow: &scenario::Flow) -> Option<Box<ForcedDrops>> {
        let drops: Vec<_> = flow.forced_drops.iter().map(|&drop| (drop, 0)).collect();
        (!drops.is_empty()).then(|| Box::new(ForcedDrops { mss: u64::from(flow.tcp.mss), drops, count: 0 }))
    }

    /// How many were lost so far.
    pub(super) fn count(drops: &Option<Box<ForcedDrops>>) -> u64 {
        drops.as_ref().map_or(0, |drops| drops.count)
    }

    /// Whether this transmission of a segment is one to be lost. What takes no sequence numbers is not counted.
    pub(super) fn hit(&mut self, segment: &Segment) -> bool {
        if segment.len == 0 {
            return false;
        }
        let number = segment.seq / self.mss;
        let mut lost = false;
        for (drop, seen) in self.drops.iter_mut().filter(|(drop, _)| drop.segment == number) {
            *seen += 1;
            lost |= *seen == drop.transmission;
        }
        self.count += u64::from(lost);
        lost
    }
}

impl Source {
    /// The sending end of a flow.
    pub(super) fn new(sender: Sender) -> Source {
        Source { sender, discarded_in_host: 0, damaged_frames: 0 }
    }

    /// What records need of it, up to `now`.
    pub(super) fn summary(&self, now: Time) -> SourceSummary {
        SourceSummary {
            stats: self.sender.stats().clone(),
            timeouts: self.sender.timeouts(),
            fingerprint: self.sender.fingerprint(),
            limited: self.sender.limited(now),
            discarded_in_host: self.discarded_in_host,
            damaged_frames: self.damaged_frames,
            observed: self.sender.observe(now),
        }
    }
}

impl Sink {
    /// The receiving end of a flow.
    pub(super) fn new(receiver: Receiver) -> Sink {
        Sink { receiver, delivered_in_warmup: 0, damaged_frames: 0 }
    }

    /// The warm-up ends now: remembers what was delivered.
    pub(super) fn end_warmup(&mut self) {
        self.delivered_in_warmup = self.receiver.delivered();
    }

    /// What records need of it.
    pub(super) fn summary(&self) -> SinkSummary {
        SinkSummary {
            delivered: self.receiver.delivered(),
            delivered_in_warmup: self.delivered_in_warmup,
            last_delivery: self.receiver.last_delivery(),
            unnecessary: self.receiver.stats().unnecessary,
            marked: self.receiver.marked(),
            damaged_frames: self.damaged_frames,
            fingerprint: self.receiver.fingerprint(),
        }
    }
}

/// The record of the flow called `name`, of which so many segments were lost on purpose, after `simulated`, of which
/// the warm-up was the first part.
pub(super) fn record(
    name: &str,
    source: SourceSummary,
    sink: SinkSummary,
    forced_drops: u64,
    simulated: Span,
    warmup: Span,
) -> FlowRecord {
    let SourceSummary { stats, timeouts, .. } = source;
    let delivered = sink.delivered;
    let rate = |bytes: u64, span: Span| bytes as f64 * 8.0 / span.as_secs_f64();
    let warm = simulated > warmup;
    FlowRecord {
        name: name.to_owned(),
        goodput_bps: if simulated > Span::ZERO { rate(delivered, simulated) } else { 0.0 },
        goodput_after_warmup_bps: warm.then(|| rate(delivered - sink.delivered_in_warmup, simulated - warmup)),
        counts: FlowCounts {
            bytes_delivered: delivered,
            bytes_sent: stats.bytes_sent,
            segments_sent: stats.segments_sent,
            segments_discarded_in_host: source.discarded_in_host,
            retransmissions: stats.retransmissions,
            unnecessary_retransmissions: sink.unnecessary,
            fast_retransmits: stats.fast_retransmits,
            timeouts: timeouts.len() as u64,
            damaged_frames: sink.damaged_frames,
            damaged_ack_frames: source.damaged_frames,
            forced_drops,
            marked_segments: sink.marked,
            ecn_reductions: stats.ecn_reductions,
            undone_reductions: stats.undone_reductions,
        },
        timeout_times: timeouts,
        longest_backoff: stats.longest_backoff,
        completed: stats.completed,
        last_delivery: (delivered > 0).then_some(sink.last_delivery),
        sender_fingerprint: source.fingerprint,
        receiver_fingerprint: sink.fingerprint,
        limited: source.limited,
        delays: None,
        exchanges: None,
        abr: None,
        max_min: None,
    }
}

/// The segment that has the size of a datagram with so much payload, and its number: UDP's header is shorter.
pub(super) fn datagram(number: u64, payload_bytes: u32) -> Segment {
    Segment { seq: number, len: payload_bytes - MIN_DATAGRAM_BYTES, ..Segment::default() }
}

/// The next datagram of a source.
pub(super) fn next_datagram(source: &mut Cbr) -> Segment {
    let segment = datagram(source.send(), source.payload_bytes());
    // Of a kind of its own, as what comes back is taken where TCP is.
    if source.echoes().is_some() { Segment { kind: SegmentKind::Echo, ..segment } } else { segment }
}

/// What arrived of a source of datagrams.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals {
    count: u64,
    fingerprint: Fingerprint,
    /// The numbers that have arrived, if there may be copies: each counts once.
    seen: Option<BTreeSet<u64>>,
}

impl Arrivals {
    /// None yet, in a scenario.
    pub(super) fn of(scenario: &Scenario) -> Arrivals {
        Arrivals { seen: duplicates(scenario).then(BTreeSet::new), ..Arrivals::default() }
    }

    /// None yet of each source, if any has its datagrams sent back.
    pub(super) fn of_echoes(scenario: &Scenario) -> Vec<Arrivals> {
        let has_any = scenario.udp.iter().any(|source| source.echo.is_some());
        vec![Arrivals::of(scenario); if has_any { scenario.udp.len() } else { 0 }]
    }

    /// The datagram with this number arrives.
    pub(super) fn add(&mut self, now: Time, number: u64) {
        self.count += u64::from(self.seen.as_mut().is_none_or(|seen| seen.insert(number)));
        self.fingerprint.event(now.as_ps(), number);
    }

    /// The record of the source called `name`, of which so many datagrams were lost, after `simulated`.
    pub(super) fn record(&self, name: &str, source: &Cbr, lost: u64, simulated: Span) -> UdpRecord {
        // What is sent back has arrived when it is back.
        let delivered = source.echoes().map_or(self.count, Echoes::returned);
        let bytes = delivered * u64::from(source.payload_bytes());
        let seconds = simulated.as_secs_f64();
        let mut fingerprint = self.fingerprint;
        source.echoes().into_iter().for_each(|echoes| fingerprint.add(echoes.fingerprint()));
        UdpRecord {
            name: name.to_owned(),
            counts: UdpCounts { bytes_delivered: bytes, sent: source.sent(), delivered, lost },
            goodput_bps: if simulated > Span::ZERO { bytes as f64 * 8.0 / seconds } else { 0.0 },
            fingerprint: if self.count > 0 { fingerprint.value() } else { 0 },
            round_trips: source.echoes().map(|echoes| Box::new(echoes.round_trips().clone())),
            delays: None,
        }
    }
}

/// Whether packets may come twice.
pub(super) fn duplicates(scenario: &Scenario) -> bool {
    scenario.links.iter().any(|link| link.params.duplicate > 0.0)
}

/// What can be done to a flow while a simulation is paused: something is held from then on, or released.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// The congestion window, bytes.
    Window(Option<f64>),
    /// The pacing rate, bytes per second.
    PacingRate(Option<f64>),
}

impl Action {
    /// Does it to a sender, which then has something to send, perhaps.
    pub(super) fn act(self, now: Time, sender: &mut Sender) {
        match self {
            Action::Window(bytes) => sender.hold_window(now, bytes),
            Action::PacingRate(bytes_per_second) => sender.hold_pacing_rate(now, bytes_per_second),
        }
    }
}

/// The datagrams that have lost a cell, of all sources; none on a packet network, where ports count them.
#[derive(Clone, Debug, Default)]
pub(super) struct LostDatagrams {
    /// How many flows there are: the sources of datagrams are numbered after them.
    flows: usize,
    /// By source two: of those sent, and of those sent back.
    lost: Vec<LostFrames>,
}

impl LostDatagrams {
    /// None yet, in a scenario.
    pub(super) fn new(scenario: &Scenario) -> LostDatagrams {
        let sources = match scenario.technology {
            Technology::Atm { .. } => scenario.udp.len(),
            Technology::Packet { .. } => 0,
        };
        LostDatagrams { flows: scenario.flows.len(), lost: vec![LostFrames::default(); 2 * sources] }
    }

    /// A port refuses a cell of a frame. It is ignored unless that is a datagram.
    #[inline]
    pub(super) fn refused(&mut self, vc: VcId, frame: u32) {
        if let Some(lost) = self.of(vc) {
            lost.add(frame);
        }
    }

    /// The end of a frame arrives at the end of its connection, of a whole one or not: a frame whose cells have all arrived is lost
    /// with the one before, if that has lost its end. It is ignored unless it is a datagram.
    pub(super) fn ended(&mut self, vc: VcId, frame: u32, is_whole: bool) {
        if let Some(lost) = self.of(vc) {
            if !is_whole {
                lost.add(frame);
            }
            lost.end(frame);
        }
    }

    #[inline]
    fn of(&mut self, vc: VcId) -> Option<&mut LostFrames> {
        let place = vc.index().checked_sub(2 * self.flows)?;
        self.lost.get_mut(place)
    }

    /// How many datagrams of a source have lost a cell, there or back.
    pub(super) fn count(&self, source: usize) -> u64 {
        self.lost.iter().skip(2 * source).take(2).map(LostFrames::count).sum()
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

impl End {
    pub(super) fn other(self) -> End {
        match self {
            End::Receiver => End::Sender,
            End::Sender => End::Receiver,
        }
    }
}

/// By the flow on whose connection it comes, each flow that is the other direction of a connection.
pub(super) fn backs(scenario: &Scenario) -> BTreeMap<usize, usize> {
    let backs = scenario.flows.iter().enumerate();
    backs.filter_map(|(back, flow)| Some((flow.back_of?.index(), back))).collect()
}

/// Which flow's data each connection carries.
#[derive(Clone, Debug, Default)]
pub(super) struct DataFlows {
    flows: usize,
    /// By the flow on whose connection it comes, each flow that is the other direction of a connection.
    backs: BTreeMap<usize, usize>,
}

impl DataFlows {
    /// Of a scenario.
    pub(super) fn new(scenario: &Scenario) -> DataFlows {
        DataFlows { flows: scenario.flows.len(), backs: backs(scenario) }
    }

    /// The flow of TCP whose data comes on a connection; `None` if it carries acknowledgements alone, or datagrams.
    pub(super) fn of(&self, vc: VcId) -> Option<usize> {
        match end_of(vc) {
            (flow, _) if flow >= self.flows => None,
            (flow, End::Receiver) => Some(flow),
            (flow, End::Sender) => self.backs.get(&flow).copied(),
        }
    }
}

/// The name of a connection of the flow called `flow`: that name, with `/ack` for the reverse path.
pub(super) fn vc_name(flow: &str, end: End) -> Cow<'_, str> {
    match end {
        End::Receiver => flow.into(),
        End::Sender => [flow, "/ack"].concat().into(),
    }
}

/// Connections are numbered two to a flow: data, then acknowledgements. Sources of datagrams come after the flows, as if
/// they were flows too; on the reverse path of those come echoes, or it has no links.
pub(super) fn data_vc(flow: usize) -> VcId {
    Id::from_index(2 * flow)
}

/// The connection of a flow's acknowledgements.
pub(super) fn ack_vc(flow: usize) -> VcId {
    Id::from_index(2 * flow + 1)
}

/// The connection in the other direction: what acknowledges the data of this one comes there.
pub(super) fn reverse_of(vc: VcId) -> VcId {
    Id::from_index(vc.index() ^ 1)
}

/// The flow that a connection belongs to, and the end that it leads to.
pub(super) fn end_of(vc: VcId) -> (usize, End) {
    let index = vc.index();
    (index / 2, if index.is_multiple_of(2) { End::Receiver } else { End::Sender })
}
