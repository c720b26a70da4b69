//! The descriptor of one parameter: what its value may be, what holds if it is not given, and what it means.

use super::quantity::{Dimension, Quantity};
use crate::units::Span;

/// The descriptor of one parameter, as users write it in a table of a scenario file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// What it is called.
    pub name: &'static str,
    /// What its value may be.
    pub kind: Kind,
    /// What holds if it is not given.
    pub default: Default,
    /// Where the default comes from.
    pub source: &'static str,
    /// What it means, in one sentence.
    pub about: &'static str,
    /// The keys of the same table on which it depends whether this one matters; all of them must hold.
    pub used_if: &'static [Condition],
}

/// Another key has one of these words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The other key.
    pub key: &'static str,
    /// Its words; of a flag `true` or `false`.
    pub is: &'static [&'static str],
}

/// What the value of a parameter may be. Limits are included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A number above 0, at most this.
    Number(f64),
    /// A number from 0 to 1.
    Share,
    /// A number from 0 to 1, which may be written as a fraction too, as in "1/16".
    Factor,
    /// A whole number from the first to the second, both included.
    Integer(u64, u64),
    /// A number with a unit.
    Quantity(Limit),
    /// A number with a unit of one of several dimensions.
    Quantities(&'static [Limit]),
    /// A level of a buffer of cells: a fraction of its size, more than 0 and at most 1, or a number of cells.
    Level,
    /// Whole numbers, each more than the one before; none is a list too.
    Integers,
    /// A table with these keys.
    Table(&'static [Key]),
    /// A value of this kind, or one of these words.
    Or(&'static Kind, &'static [&'static str]),
    /// The name of a mechanism of a family.
    Mechanism(Family),
    /// Any text.
    Text,
    /// The name of a node.
    NodeName,
    /// The name `a->b` of one direction of a link, or one of the words.
    LinkName(&'static [&'static str]),
    /// The two ends of a link.
    Ends,
    /// Nodes along a path.
    Route,
    /// Nodes, any number of them.
    Nodes,
    /// Nodes along a path, each from an instant on.
    RouteChanges,
    /// Segments lost on purpose; each a number, or a table with these keys.
    Drops(&'static [Key]),
    /// A quantity, or a list of quantities that hold one after the other.
    Schedule(&'static Kind),
    /// Intervals of time in which a link is down.
    Outages,
    /// Error models; the keys that each of their tables has beside those of its model.
    Errors(&'static [Key]),
    /// Quantities of one of these dimensions, one at least.
    Amounts(&'static [Limit]),
    /// A law of such quantities: a table with `law` and its parameters; or a single one, which is constant.
    Law(&'static Kind),
    /// Metrics and groups of metrics.
    Metrics,
    /// A latitude and a longitude.
    Position,
    /// A longitude.
    Longitude,
}

/// The limits of quantities of one dimension in its base unit, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Which units it may have: times, rates, sizes, counts of cells or packets.
    pub dimension: Dimension,
    /// The smallest amount.
    pub min: u64,
    /// The largest amount.
    pub max: u64,
}

/// A family of mechanisms, of which a key chooses one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Drop policies, of cells and of packets.
    Policy,
    /// What ports do for ABR connections.
    RateAlgorithm,
    /// How large the congestion window is.
    CongestionControl,
    /// What is retransmitted after a loss.
    Recovery,
    /// How long hosts take.
    HostModel,
    /// Defaults of TCP.
    Dialect,
    /// Which packets a link corrupts.
    ErrorModel,
    /// When how much data is handed to TCP.
    Application,
    /// How amounts are distributed.
    Law,
}

/// A single value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Whether it is so.
    Flag(bool),
    /// One of the words of its kind.
    Word(&'static str),
    /// A number; of a level a fraction of the buffer.
    Number(f64),
    /// A whole number, which no kind lets be negative.
    Integer(u64),
    /// A number with a unit.
    Quantity(Quantity),
}

/// What holds if a parameter is not given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    /// This value.
    Is(Value),
    /// For each word of an earlier key its value and the source of that.
    Of(&'static str, &'static [(&'static str, Value, &'static str)]),
    /// The value of an earlier key.
    SameAs(&'static str),
    /// It depends on other things; described in words.
    Derived(&'static str),
    /// None: the parameter must be given. An example, as in a scenario file; empty where its kind is example enough.
    Required(&'static str),
}

impl Key {
    /// A parameter that always matters.
    pub const fn new(
        name: &'static str,
        kind: Kind,
        default: Default,
        source: &'static str,
        about: &'static str,
    ) -> Key {
        Key { name, kind, default, source, about, used_if: &[] }
    }

    /// A parameter that must be given.
    pub const fn required(name: &'static str, kind: Kind, about: &'static str) -> Key {
        Key::required_as(name, kind, "", about)
    }

    /// A parameter that must be given, as in this example.
    pub const fn required_as(name: &'static str, kind: Kind, example: &'static str, about: &'static str) -> Key {
        Key::new(name, kind, Default::Required(example), "", about)
    }

    /// The same parameter, which matters only under these conditions.
    pub const fn used_if(self, conditions: &'static [Condition]) -> Key {
        Key { used_if: conditions, ..self }
    }
}

impl Condition {
    /// The other key has one of these words.
    pub const fn new(key: &'static str, is: &'static [&'static str]) -> Condition {
        Condition { key, is }
    }
}

impl Kind {
    /// A quantity of this dimension within limits in its base unit.
    pub const fn quantity(dimension: Dimension, min: u64, max: u64) -> Kind {
        Kind::Quantity(Limit { dimension, min, max })
    }

    /// A time from the first to the second, both included.
    pub const fn time(min: Span, max: Span) -> Kind {
        Kind::Quantity(Limit::time(min, max))
    }

    /// A rate in bits per second.
    pub const fn rate(min: u64, max: u64) -> Kind {
        Kind::quantity(Dimension::Rate, min, max)
    }

    /// A size in bytes.
    pub const fn bytes(min: u64, max: u64) -> Kind {
        Kind::quantity(Dimension::Size, min, max)
    }

    /// A number of cells.
    pub const fn cells(min: u64, max: u64) -> Kind {
        Kind::quantity(Dimension::Cells, min, max)
    }

    /// A number of packets.
    pub const fn packets(min: u64, max: u64) -> Kind {
        Kind::quantity(Dimension::Packets, min, max)
    }

    /// A number of segments.
    pub const fn segments(min: u64, max: u64) -> Kind {
        Kind::quantity(Dimension::Segments, min, max)
    }
}

impl Limit {
    /// Limits of times.
    pub const fn time(min: Span, max: Span) -> Limit {
        Limit { dimension: Dimension::Time, min: min.as_ps(), max: max.as_ps() }
    }
}

impl Value {
    /// An amount of something in the base unit of its dimension.
    pub const fn quantity(dimension: Dimension, amount: u64) -> Value {
        Value::Quantity(Quantity { dimension, amount })
    }

    /// A time, in whole picoseconds.
    pub const fn time(span: Span) -> Value {
        Value::quantity(Dimension::Time, span.as_ps())
    }

    /// A rate in bits per second.
    pub const fn rate(bps: u64) -> Value {
        Value::quantity(Dimension::Rate, bps)
    }

    /// A size in bytes.
    pub const fn bytes(bytes: u64) -> Value {
        Value::quantity(Dimension::Size, bytes)
    }

    /// A number of cells.
    pub const fn cells(cells: u64) -> Value {
        Value::quantity(Dimension::Cells, cells)
    }

    /// A number of packets.
    pub const fn packets(packets: u64) -> Value {
        Value::quantity(Dimension::Packets, packets)
    }

    /// A number of segments.
    pub const fn segments(segments: u64) -> Value {
        Value::quantity(Dimension::Segments, segments)
    }

    /// The word, or the boolean as a word.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Value::Word(word) => Some(word),
            Value::Flag(flag) => Some(if flag { "true" } else { "false" }),
            Value::Number(_) | Value::Integer(_) | Value::Quantity(_) => None,
        }
    }
}

/// The words of a table of words and their meanings.
pub const fn words_of<T, const N: usize>(table: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut words = [""; N];
    let mut next = 0;
    while next < N {
        words[next] = table[next].0;
        next += 1;
    }
    words
}

/// The words by which scenario files call the variants of an enum.
macro_rules! words {
    ($Enum:ident: $($word:literal = $variant:ident),+) => {
        impl $Enum {
            /// The words of scenario files, and what each stands for.
            pub const WORDS: &'static [(&'static str, $Enum)] = &[$(($word, $Enum::$variant)),+];
            /// The words of scenario files.
            pub const NAMES: &'static [&'static str] = &[$($word),+];
        }
    };
}
pub(crate) use words;

/// Packets and segments are counted up to this, 2^40: more than any run sends.
pub const MOST_ORDINAL: u64 = 1 << 40;
/// An hour.
pub const HOUR: Span = Span::from_secs(3_600);
/// A day.
pub const DAY: Span = Span::from_secs(24 * 3_600);
/// The rate of a link or of a source.
pub const RATE: Kind = Kind::rate(1, 1_000_000_000_000);
/// A one-way delay.
pub const DELAY: Kind = Kind::time(Span::ZERO, HOUR);
/// Any instant of a run.
pub const INSTANT: Kind = Kind::time(Span::ZERO, Span::from_secs(720 * 3_600));
/// An instant after the start of the run.
pub const LATER: Kind = Kind::time(Span::from_ps(1), Span::from_secs(720 * 3_600));
/// What matters only on networks of cells.
pub const ATM_ONLY: &[Condition] = &[Condition::new("technology", &["atm"])];
/// What matters only on networks of packets.
pub const PACKET_ONLY: &[Condition] = &[Condition::new("technology", &["packet"])];
