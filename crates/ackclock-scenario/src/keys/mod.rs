//! The language: every key of a scenario file, in the order in which files are written out. The checker, the
//! JSON Schema and the writer all read this table.

pub(crate) mod dialects;
mod mechanisms;
mod network;
mod sack;
mod satellites;
mod traffic;
mod udp;

pub(crate) use mechanisms::{Family, Mechanism, of_plain, policies, tcp_algorithms, to_plain};
pub(crate) use network::{MOST_BYTES, MOST_CELLS};

pub(crate) use ackclock::keys::Condition;

use crate::quantity::Dimension;

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
    /// The table of one drop policy below [`Section::Queue`].
    QueuePolicy(u8),
    Port,
    /// The table of one drop policy below [`Section::Port`].
    PortPolicy(u8),
    Atm,
    Packet,
    Tcp,
    /// The table of one congestion control or recovery below [`Section::Tcp`].
    TcpAlgorithm(u8),
    Traffic,
    Flow,
    FlowTcp,
    /// The table of one congestion control or recovery below [`Section::FlowTcp`].
    FlowTcpAlgorithm(u8),
    Udp,
    Satellites,
    Place,
}

/// What holds if a key is not given.
pub(crate) enum Fallback {
    /// It must be given.
    Required,
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
    /// A number with a unit, or something else that stands in its place.
    Amount(Amount),
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
    Schedule(Amount),
    /// Intervals of time in which a link is down.
    Outages,
    /// Error models.
    Errors,
}

/// A number with a unit, or something else that stands in its place.
pub(crate) struct Amount {
    /// Dimensions and their limits in base units, both included.
    pub(crate) limits: &'static [Limit],
    /// Words allowed instead.
    pub(crate) words: &'static [&'static str],
    /// Numbers without unit allowed instead.
    pub(crate) bare: Bare,
}

/// A dimension and its limits in base units, both included.
pub(crate) struct Limit {
    pub(crate) dimension: Dimension,
    pub(crate) min: u64,
    pub(crate) max: u64,
}

/// Which numbers without unit may stand in the place of a quantity.
pub(crate) enum Bare {
    None,
    /// More than 0, at most 1.
    Fraction,
    /// A whole number up to this.
    Integer {
        max: u64,
    },
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

impl Section {
    /// Every kind of table: those of [`Section::ALL`], and those of mechanisms for all ports and connections.
    pub(crate) fn everywhere() -> impl Iterator<Item = Section> {
        let policies = (0..policies().len()).map(|index| Section::QueuePolicy(index as u8));
        let algorithms = (0..tcp_algorithms().len()).map(|index| Section::TcpAlgorithm(index as u8));
        Section::ALL.iter().copied().chain(policies).chain(algorithms)
    }

    /// Every kind of table but those of mechanisms, and [`Section::LinkDirection`], whose keys [`Section::Link`] has too.
    pub(crate) const ALL: &'static [Section] = &[
        Section::Top,
        Section::Network,
        Section::Node,
        Section::Link,
        Section::Queue,
        Section::Port,
        Section::Atm,
        Section::Packet,
        Section::Tcp,
        Section::Traffic,
        Section::Flow,
        Section::FlowTcp,
        Section::Udp,
        Section::Satellites,
        Section::Place,
    ];

    /// How its header looks in general.
    pub(crate) fn header(self) -> &'static str {
        match self {
            Section::Top => "the top of the file",
            Section::Network => "[network]",
            Section::Node => "[node.NAME]",
            Section::Link => "[link.NAME]",
            Section::LinkDirection => "[link.\"A->B\"]",
            Section::Queue => "[queue]",
            Section::QueuePolicy(_) | Section::PortPolicy(_) => self.header_of_mechanism(),
            Section::TcpAlgorithm(_) | Section::FlowTcpAlgorithm(_) => self.header_of_mechanism(),
            Section::Port => "[port.\"A->B\"]",
            Section::Atm => "[atm]",
            Section::Packet => "[packet]",
            Section::Tcp => "[tcp]",
            Section::Traffic => "[traffic]",
            Section::Flow => "[flow.NAME]",
            Section::FlowTcp => "[flow.NAME.tcp]",
            Section::Udp => "[udp.NAME]",
            Section::Satellites => "[satellites]",
            Section::Place => "[place.NAME]",
        }
    }

    /// The key of the top level under which it is found.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Section::Top => "",
            Section::Network => "network",
            Section::Node => "node",
            Section::Link | Section::LinkDirection => "link",
            Section::Queue => "queue",
            Section::QueuePolicy(_) | Section::PortPolicy(_) => self.mechanism().map_or("", |mechanism| mechanism.name),
            Section::TcpAlgorithm(_) | Section::FlowTcpAlgorithm(_) => {
                self.mechanism().map_or("", |mechanism| mechanism.name)
            }
            Section::Port => "port",
            Section::Atm => "atm",
            Section::Packet => "packet",
            Section::Tcp | Section::FlowTcp => "tcp",
            Section::Traffic => "traffic",
            Section::Flow => "flow",
            Section::Udp => "udp",
            Section::Satellites => "satellites",
            Section::Place => "place",
        }
    }

    /// What it is for.
    pub(crate) fn about(self) -> &'static str {
        match self {
            Section::Top => "A scenario of Ackclock: a network, its traffic, the length of the experiment.",
            Section::Network => "What the network is made of.",
            Section::Node => "A host or a switch.",
            Section::Link => {
                "A duplex link; or, called \"A->B\", what is different in one direction of a link, or of all that fit a pattern as in \"s*->sw1\"."
            }
            Section::LinkDirection => "What is different in one direction of a link.",
            Section::Queue => "The queue of every output port of every switch.",
            Section::QueuePolicy(_) | Section::PortPolicy(_) => {
                self.mechanism().map_or("", |mechanism| mechanism.about)
            }
            Section::TcpAlgorithm(_) | Section::FlowTcpAlgorithm(_) => {
                self.mechanism().map_or("", |mechanism| mechanism.about)
            }
            Section::Port => "What is different at one output port of a switch.",
            Section::Atm => "What holds on ATM networks only.",
            Section::Packet => "What holds on packet networks only.",
            Section::Tcp => "Both ends of every TCP connection.",
            Section::Traffic => "What every flow has to send.",
            Section::Flow => "A TCP connection with bulk data in one direction.",
            Section::FlowTcp => "What is different at one connection.",
            Section::Satellites => "Satellites that join places on the ground, and the rules of their links.",
            Section::Place => {
                "A place on the ground with a terminal: flows begin and end there, and links may lead there. Its position may stand for the whole table."
            }
            Section::Udp => "Datagrams at a constant rate, whatever becomes of them.",
        }
    }

    /// Whether there is one table for each of several names.
    pub(crate) fn is_named(self) -> bool {
        matches!(self, Section::Node | Section::Link | Section::Port | Section::Flow | Section::Udp | Section::Place)
    }

    /// Its keys in the order of writing.
    pub(crate) fn keys(self) -> impl Iterator<Item = &'static Key> {
        network::KEYS
            .iter()
            .chain(traffic::KEYS)
            .chain(sack::KEYS)
            .chain(udp::KEYS)
            .chain(satellites::KEYS)
            .filter(move |key| key.sections.contains(&self))
            .chain(self.mechanism().map_or(&[][..], |mechanism| mechanism.keys()))
    }

    /// One of its keys.
    pub(crate) fn key_named(self, name: &str) -> Option<&'static Key> {
        self.keys().find(|key| key.name == name)
    }
}

/// Topologies with one line of two switches.
pub(crate) const ONE_LINE: &[&str] = &["n-source", "dumbbell"];
const ALWAYS: &[Condition] = &[];
const PACKET_ONLY: &[Condition] = &[Condition { key: "technology", is: &["packet"] }];
const ATM_ONLY: &[Condition] = &[Condition { key: "technology", is: &["atm"] }];
const TCPS: &[Section] = &[Section::Tcp, Section::FlowTcp];
const DAY_PS: u64 = 24 * HOUR_PS;
const HOUR_PS: u64 = 3_600 * SECOND_PS;
const SECOND_PS: u64 = 1_000_000_000_000;
const RATE: Limit = Limit { dimension: Dimension::Rate, min: 1, max: 1_000_000_000_000 };
/// Any instant of a run.
pub(crate) const INSTANT: Limit = Limit { dimension: Dimension::Time, min: 0, max: 720 * HOUR_PS };
const fn amount(limits: &'static [Limit]) -> Kind {
    Kind::Amount(Amount { limits, words: &[], bare: Bare::None })
}
const fn amount_or(limits: &'static [Limit], words: &'static [&'static str]) -> Kind {
    Kind::Amount(Amount { limits, words, bare: Bare::None })
}
