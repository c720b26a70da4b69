//! What the language is made of: keys, kinds of values, kinds of tables.

pub(crate) use ackclock::keys::Condition;

use super::words::TechnologyWord;
use crate::values::quantity::Dimension;

/// A key that may occur in one or more sections.
pub(crate) struct Key {
    /// Where it may occur.
    pub(crate) sections: &'static [Section],
    /// What it is called there.
    pub(crate) name: &'static str,
    /// What its value may be.
    pub(crate) kind: Kind,
    /// What holds if it is not given.
    pub(crate) default: Fallback,
    /// Where the default comes from; spec marks as in the model pages.
    pub(crate) source: &'static str,
    /// What it means.
    pub(crate) about: &'static str,
    /// On which other keys it depends whether this one is used; all of them must hold.
    pub(crate) used_if: &'static [Condition],
}

/// The kinds of tables in a scenario file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Section {
    Top,
    Network,
    Node,
    Link,
    LinkDirection,
    Queue,
    /// The table of one drop policy or rate algorithm below [`Section::Queue`].
    QueueAlgorithm(u8),
    Port,
    /// The table of one drop policy or rate algorithm below [`Section::Port`].
    PortAlgorithm(u8),
    Atm,
    Packet,
    Abr,
    Tcp,
    /// The table of one congestion control, recovery or host model below [`Section::Tcp`].
    TcpAlgorithm(u8),
    Traffic,
    Flow,
    FlowAbr,
    FlowTcp,
    /// The table of one congestion control, recovery or host model below [`Section::FlowTcp`].
    FlowTcpAlgorithm(u8),
    Udp,
    Satellites,
    Place,
}

/// What holds if a key is not given.
pub(crate) enum Fallback {
    /// It must be given.
    Required,
    /// It must be given, as in this example.
    RequiredAs(&'static str),
    /// The value in quotes.
    Text(&'static str),
    /// The value without quotes: a number or a boolean.
    Bare(&'static str),
    /// What a mechanism says itself.
    Value(ackclock::keys::Value),
    /// It depends on other things; described in words.
    Derived(&'static str),
}

/// What a value may be.
pub(crate) enum Kind {
    /// Any text.
    Text,
    /// The name of a node.
    NodeName,
    /// The name `a->b` of one direction of a link, or one of the words.
    LinkName(&'static [&'static str]),
    /// A boolean.
    Flag,
    /// A boolean, or one of these words.
    FlagOr(&'static [&'static str]),
    /// One of these words.
    Word(&'static [&'static str]),
    /// The name of a mechanism.
    Mechanism(Family),
    /// A whole number.
    Integer { min: u64, max: u64 },
    /// A number above 0.
    Number { max: f64 },
    /// A number above 0, or one of these words.
    NumberOr { max: f64, words: &'static [&'static str] },
    /// A number from 0 to 1, both included.
    Share,
    /// A number from 0 to 1, or a fraction as text.
    Factor,
    /// A number with a unit, or something else that stands in its place.
    Amount(Amount<'static>),
    /// The two ends of a link.
    Ends,
    /// Nodes along a path.
    Route,
    /// Segments lost on purpose.
    Drops,
    /// A latitude and a longitude.
    Position,
    /// A longitude.
    Longitude,
    /// Metrics and groups of metrics.
    Metrics,
    /// Nodes, any number of them.
    Nodes,
    /// A quantity, or a list of quantities that hold one after the other.
    Schedule(Amount<'static>),
    /// Intervals of time in which a link is down.
    Outages,
    /// Nodes along a path, each from an instant on.
    RouteChanges,
    /// Whole numbers, each more than the one before.
    Integers,
    /// A table with these keys.
    Table(&'static [Key]),
    /// Error models; the keys that each of their tables has beside those of its model.
    Errors(&'static [Key]),
}

/// A number with a unit, or something else that stands in its place.
#[derive(Clone, Copy)]
pub(crate) struct Amount<'a> {
    /// Dimensions and their limits in base units, both included.
    pub(crate) limits: &'a [Limit],
    /// Words allowed instead.
    pub(crate) words: &'static [&'static str],
    /// Numbers without unit allowed instead.
    pub(crate) bare: Bare,
}

/// A dimension and its limits in base units, both included.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    pub(crate) dimension: Dimension,
    pub(crate) min: u64,
    pub(crate) max: u64,
}

/// Which numbers without unit may stand in the place of a quantity.
#[derive(Clone, Copy)]
pub(crate) enum Bare {
    None,
    /// More than 0, at most 1.
    Fraction,
    /// A whole number up to this.
    Integer {
        max: u64,
    },
}

impl Amount<'_> {
    /// The limits of what networks of a technology can have of it: where cells and packets are counted, cells are of ATM networks, and
    /// packets and octets are of packet networks.
    pub(crate) fn limits_in(&self, technology: TechnologyWord) -> Vec<Limit> {
        let counts = |dimension| self.limits.iter().any(|limit| limit.dimension == dimension);
        let is_of_both = counts(Dimension::Cells) && counts(Dimension::Packets);
        let fits = |limit: &&Limit| match limit.dimension {
            Dimension::Cells => technology == TechnologyWord::Atm,
            Dimension::Packets | Dimension::Size => technology == TechnologyWord::Packet,
            _ => true,
        };
        self.limits.iter().filter(|limit| !is_of_both || fits(limit)).copied().collect()
    }
}

impl Limit {
    /// The unit that an example most likely wants.
    pub(crate) fn example_unit(&self) -> &'static str {
        match self.dimension {
            Dimension::Rate => "Mbps",
            Dimension::Time if self.max > DAY_PS => "s",
            Dimension::Time => "ms",
            Dimension::Size => "B",
            Dimension::Distance => "km",
            other => other.unit_list(),
        }
    }
}

/// A family of mechanisms, of which a key chooses one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Drop policies, of cells and of packets.
    Policy,
    /// What ports do for ABR connections.
    RateAlgorithm,
    CongestionControl,
    Recovery,
    HostModel,
    Dialect,
    ErrorModel,
}

pub(super) const ALWAYS: &[Condition] = &[];
pub(super) const PACKET_ONLY: &[Condition] = &[Condition { key: "technology", is: &["packet"] }];
pub(super) const ATM_ONLY: &[Condition] = &[Condition { key: "technology", is: &["atm"] }];
pub(super) const TCPS: &[Section] = &[Section::Tcp, Section::FlowTcp];
pub(super) const DAY_PS: u64 = 24 * HOUR_PS;
pub(super) const HOUR_PS: u64 = 3_600 * SECOND_PS;
pub(super) const SECOND_PS: u64 = 1_000_000_000_000;
pub(super) const RATE: Limit = Limit { dimension: Dimension::Rate, min: 1, max: 1_000_000_000_000 };
/// Any instant of a run.
pub(crate) const INSTANT: Limit = Limit { dimension: Dimension::Time, min: 0, max: 720 * HOUR_PS };
/// An instant after the start of the run.
pub(super) const LATER: Limit = Limit { dimension: Dimension::Time, min: 1, max: INSTANT.max };
pub(super) const fn amount(limits: &'static [Limit]) -> Kind {
    Kind::Amount(Amount { limits, words: &[], bare: Bare::None })
}
pub(super) const fn amount_or(limits: &'static [Limit], words: &'static [&'static str]) -> Kind {
    Kind::Amount(Amount { limits, words, bare: Bare::None })
}
