//! The words of the language and what each means: one table for each key whose value is a word. The keys take their words from
//! here, and the reader of a value gets the meaning, so that no word can be forgotten.
//!
//! Words of mechanisms are in the files of the mechanisms.

use ackclock::link::{NoReceiver, Queued, UnderWay};
use ackclock::scenario::Technology;
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

/// Words for mechanisms that stand for another word: without a number the newest is meant.
pub(crate) const ALIASES: [(&str, &str); 1] = [("bbr", "bbr3")];

/// What a word stands for, if it is an alias.
pub(crate) fn alias(word: &str) -> Option<&'static str> {
    ALIASES.iter().find(|(alias, _)| *alias == word).map(|(_, meant)| *meant)
}

/// What a buffer has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counting {
    /// What waits.
    Waiting,
    /// Less than the limit, as in ns-2.
    Ns2,
}

pub(crate) const COUNTINGS: [(&str, Counting); 2] = [("waiting", Counting::Waiting), ("ns-2", Counting::Ns2)];

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

/// The ATM service of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    Ubr,
    Abr,
}

pub(crate) const SERVICES: [(&str, Service); 2] = [("ubr", Service::Ubr), ("abr", Service::Abr)];

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

/// The word of a meaning, for tables in which each meaning has one.
pub(crate) fn word_of<T: Copy + PartialEq>(meaning: T, table: &[(&'static str, T)]) -> &'static str {
    let found = table.iter().find(|(_, known)| *known == meaning);
    found.unwrap_or_else(|| unreachable!("every meaning has a word")).0
}
