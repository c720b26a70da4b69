//! The words of the language and what each means: one table for each key whose value is a word. The keys take their words from
//! here, and the reader of a value gets the meaning, so that no word can be forgotten.
//!
//! Words of mechanisms are in the files of the mechanisms.

use ackclock::feedback::Units;
use ackclock::link::{AppliesTo, InService, NoReceiver, Place, Queued, Reordering, Shape, UnderWay};
use ackclock::scenario::{NodeKind, ServiceOrder, Technology};
use ackclock::tcp::offset_sack::{Alternative, Preference};
use ackclock::tcp::{
    FirstSegment, HostQueue, InitialWindowFrom, OutOfOrder, RtoMargin, RttSamples, SegmentTimeout, SsthreshFrom,
    TimerKind, TimerScope,
};
use ackclock_sat::elements::Unusable;
use ackclock_sat::isl::IslPattern;

/// What travels on the links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TechnologyWord {
    Atm,
    Packet,
}

pub(crate) const TECHNOLOGIES: [(&str, TechnologyWord); 2] =
    [("atm", TechnologyWord::Atm), ("packet", TechnologyWord::Packet)];

impl TechnologyWord {
    /// What kind of network it makes, in messages.
    pub(crate) fn network(self) -> &'static str {
        match self {
            TechnologyWord::Atm => "ATM",
            TechnologyWord::Packet => "packet",
        }
    }

    /// What travels there.
    pub(crate) fn of(technology: Technology) -> TechnologyWord {
        match technology {
            Technology::Atm { .. } => TechnologyWord::Atm,
            Technology::Packet { .. } => TechnologyWord::Packet,
        }
    }
}

/// How the network is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topology {
    NSource,
    Dumbbell,
    Cascade,
    ParkingLot,
    Gfc1,
    Gfc2,
    NByN,
    Graph,
}

pub(crate) const TOPOLOGIES: [(&str, Topology); 8] = [
    ("n-source", Topology::NSource),
    ("dumbbell", Topology::Dumbbell),
    ("cascade", Topology::Cascade),
    ("parking-lot", Topology::ParkingLot),
    ("gfc-1", Topology::Gfc1),
    ("gfc-2", Topology::Gfc2),
    ("n-by-n", Topology::NByN),
    ("graph", Topology::Graph),
];

impl Topology {
    /// What scenario files call it.
    pub(crate) fn word(self) -> &'static str {
        word_of(self, &TOPOLOGIES)
    }

    /// Whether it makes switches and flows by itself.
    pub(crate) fn makes_flows(self) -> bool {
        match self {
            Topology::NSource | Topology::Dumbbell | Topology::Cascade | Topology::ParkingLot => true,
            Topology::Gfc1 | Topology::Gfc2 | Topology::NByN => true,
            Topology::Graph => false,
        }
    }

    /// The link that limits its flows, if it has one such link.
    pub(crate) fn bottleneck(self) -> Option<&'static str> {
        match self {
            Topology::NSource | Topology::Dumbbell | Topology::NByN => Some("sw1->sw2"),
            Topology::Cascade | Topology::ParkingLot | Topology::Gfc1 | Topology::Gfc2 | Topology::Graph => None,
        }
    }
}

/// Words for mechanisms that stand for another word: without a number the newest is meant.
pub(crate) const ALIASES: [(&str, &str); 1] = [("bbr", "bbr3")];

/// What a word stands for, if it is an alias.
pub(crate) fn alias(word: &str) -> Option<&'static str> {
    ALIASES.iter().find(|(alias, _)| *alias == word).map(|(_, meant)| *meant)
}

pub(crate) const NODE_KINDS: [(&str, NodeKind); 2] = [("host", NodeKind::Host), ("switch", NodeKind::Switch)];

pub(crate) const DELAY_SHAPES: [(&str, Shape); 2] = [("steps", Shape::Steps), ("linear", Shape::Linear)];
pub(crate) const REORDERINGS: [(&str, Reordering); 2] =
    [("natural", Reordering::Natural), ("prevent", Reordering::Prevent)];
pub(crate) const UNDER_WAYS: [(&str, UnderWay); 2] = [("keep", UnderWay::Keep), ("drop", UnderWay::Drop)];
pub(crate) const IN_SERVICES: [(&str, InService); 2] = [("finish", InService::Finish), ("lose", InService::Lose)];
pub(crate) const QUEUED: [(&str, Queued); 2] = [("keep", Queued::Keep), ("flush", Queued::Flush)];

/// Where an error model acts.
pub(crate) const PLACES: [(&str, Place); 3] =
    [("egress", Place::Egress), ("ingress", Place::Ingress), ("receiver", Place::Receiver)];
/// What an error model applies to.
pub(crate) const APPLIES_TO: [(&str, AppliesTo); 3] =
    [("all", AppliesTo::All), ("tcp", AppliesTo::Tcp), ("data", AppliesTo::Data)];

/// What a buffer has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counting {
    /// What waits.
    Waiting,
    /// Less than the limit, as in ns-2.
    Ns2,
}

pub(crate) const COUNTINGS: [(&str, Counting); 2] = [("waiting", Counting::Waiting), ("ns-2", Counting::Ns2)];
pub(crate) const SERVICE_ORDERS: [(&str, ServiceOrder); 4] = [
    ("random", ServiceOrder::Random),
    ("rotating", ServiceOrder::Rotating),
    ("fixed", ServiceOrder::Fixed),
    ("arrival", ServiceOrder::Arrival),
];

/// How the router of a port tells TCP senders rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TcpFeedback {
    None,
    Window,
    Bucket,
    Both,
}

pub(crate) const TCP_FEEDBACKS: [(&str, TcpFeedback); 4] = [
    ("none", TcpFeedback::None),
    ("window", TcpFeedback::Window),
    ("bucket", TcpFeedback::Bucket),
    ("both", TcpFeedback::Both),
];
pub(crate) const FEEDBACK_UNITS: [(&str, Units); 2] = [("payload", Units::Payload), ("wire", Units::Wire)];

/// The ATM service of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    Ubr,
    Abr,
}

pub(crate) const SERVICES: [(&str, Service); 2] = [("ubr", Service::Ubr), ("abr", Service::Abr)];

pub(crate) const INITIAL_WINDOW_FROM: [(&str, InitialWindowFrom); 3] = [
    ("start", InitialWindowFrom::Start),
    ("first-ack", InitialWindowFrom::FirstAck),
    ("second-ack", InitialWindowFrom::SecondAck),
];
pub(crate) const FIRST_SEGMENTS: [(&str, FirstSegment); 2] =
    [("data", FirstSegment::Data), ("empty", FirstSegment::Empty)];
pub(crate) const TIMERS: [(&str, TimerKind); 3] =
    [("bsd", TimerKind::Bsd), ("ns2", TimerKind::Ns2), ("rfc6298", TimerKind::Rfc6298)];
pub(crate) const TIMER_SCOPES: [(&str, TimerScope); 2] =
    [("connection", TimerScope::Connection), ("segment", TimerScope::Segment)];
pub(crate) const SEGMENT_TIMEOUTS: [(&str, SegmentTimeout); 2] =
    [("current", SegmentTimeout::Current), ("when-sent", SegmentTimeout::WhenSent)];
pub(crate) const RTT_SAMPLES: [(&str, RttSamples); 2] =
    [("one-at-a-time", RttSamples::OneAtATime), ("every-segment", RttSamples::EverySegment)];
pub(crate) const SSTHRESH_FROM: [(&str, SsthreshFrom); 2] =
    [("window", SsthreshFrom::Window), ("flight", SsthreshFrom::Flight)];
pub(crate) const RTO_MARGINS: [(&str, RtoMargin); 2] = [("none", RtoMargin::None), ("linux-2.2", RtoMargin::Linux22)];
pub(crate) const HOST_QUEUES: [(&str, HostQueue); 2] = [("discard", HostQueue::Discard), ("keep", HostQueue::Keep)];
pub(crate) const OUT_OF_ORDER: [(&str, OutOfOrder); 2] =
    [("buffer", OutOfOrder::Buffer), ("discard", OutOfOrder::Discard)];

pub(crate) const SACK_OPTIONS: [(&str, Option<Preference>); 4] = [
    ("standard", None),
    ("offset-1", Some(Preference::Always(Alternative::FirstEdge))),
    ("offset-2", Some(Preference::Always(Alternative::EdgeBefore))),
    ("offset-auto", Some(Preference::Shorter)),
];

/// How an offset SACK option is recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OffsetSackKind {
    Private,
    Experimental,
}

pub(crate) const OFFSET_SACK_KINDS: [(&str, OffsetSackKind); 2] =
    [("private", OffsetSackKind::Private), ("experimental", OffsetSackKind::Experimental)];

/// Which satellite a terminal uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handover {
    Sticky,
    MaxElevation,
    MaxRemainingTime,
    LeastDelay,
}

pub(crate) const HANDOVERS: [(&str, Handover); 4] = [
    ("sticky", Handover::Sticky),
    ("max-elevation", Handover::MaxElevation),
    ("max-remaining-time", Handover::MaxRemainingTime),
    ("least-delay", Handover::LeastDelay),
];

/// What becomes of element sets that cannot be used.
pub(crate) const UNUSABLE_ELEMENTS: [(&str, Unusable); 2] =
    [("refuse", Unusable::Refuse), ("leave-out", Unusable::LeaveOut)];

/// What keeps the checks of terminals apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckJitter {
    None,
    Half,
}

pub(crate) const CHECK_JITTERS: [(&str, CheckJitter); 2] = [("none", CheckJitter::None), ("half", CheckJitter::Half)];

pub(crate) const ISLS: [(&str, IslPattern); 5] = [
    ("none", IslPattern::None),
    ("in-plane", IslPattern::InPlane),
    ("grid", IslPattern::Grid),
    ("grid-nearest", IslPattern::GridNearest),
    ("grid-across-seam", IslPattern::GridAcrossSeam),
];

/// When routes between satellites are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoutingWord {
    AtChange,
    Interval,
}

pub(crate) const ROUTINGS: [(&str, RoutingWord); 2] =
    [("at-change", RoutingWord::AtChange), ("interval", RoutingWord::Interval)];

/// What a geostationary satellite is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    BentPipe,
    Regenerative,
}

pub(crate) const PAYLOADS: [(&str, Payload); 2] =
    [("bent-pipe", Payload::BentPipe), ("regenerative", Payload::Regenerative)];

/// What happens to packets that wait at a terminal when it leaves its satellite, and to those sent without a receiver.
pub(crate) const TERMINAL_QUEUES: [(&str, (Queued, NoReceiver)); 3] = [
    ("keep", (Queued::Keep, NoReceiver::Lose)),
    ("drop", (Queued::Flush, NoReceiver::Lose)),
    ("old-address", (Queued::Keep, NoReceiver::LoseAddressed)),
];
pub(crate) const OLD_DOWNLINKS: [(&str, NoReceiver); 2] =
    [("drop", NoReceiver::Lose), ("reroute", NoReceiver::Reroute)];
pub(crate) const IN_FLIGHT: [(&str, UnderWay); 2] = [("deliver", UnderWay::Keep), ("drop", UnderWay::Drop)];

/// What becomes of packets that wait for a link between satellites when it goes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IslQueue {
    Drain,
    Drop,
}

pub(crate) const ISL_QUEUES: [(&str, IslQueue); 2] = [("drain", IslQueue::Drain), ("drop", IslQueue::Drop)];

/// The words of a table.
pub(super) const fn words_of<T, const N: usize>(table: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut words = [""; N];
    let mut next = 0;
    while next < N {
        words[next] = table[next].0;
        next += 1;
    }
    words
}

/// The word of a meaning, for tables in which each meaning has one.
pub(crate) fn word_of<T: Copy + PartialEq>(meaning: T, table: &[(&'static str, T)]) -> &'static str {
    let found = table.iter().find(|(_, known)| *known == meaning);
    found.unwrap_or_else(|| unreachable!("every meaning has a word")).0
}
