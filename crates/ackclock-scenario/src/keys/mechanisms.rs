//! Tables of mechanisms: their keys are those that the mechanisms describe themselves.

use std::sync::LazyLock;

use ackclock::keys::{Default, Key as Described, Kind as DescribedKind, Setting, Value as Plain, Values};
use ackclock::link::errors;
use ackclock::queue::{cell, packet};
use ackclock::tcp::{cc, recovery};
use ackclock::units::Span;

use super::dialects;
use super::key::{Amount, Bare, Fallback, Family, Key, Kind, Limit, Section};
use crate::quantity::{Dimension, Quantity};
use crate::value::Value;

/// The table of one mechanism.
pub(crate) struct Mechanism {
    /// The key that chooses it.
    pub(crate) key: &'static str,
    /// What it is called.
    pub(crate) name: &'static str,
    /// What it is.
    pub(crate) about: &'static str,
    /// How the header of its table looks: for all ports or connections, and for one.
    headers: [String; 2],
    /// What the mechanism says of its keys.
    pub(crate) described: &'static [Described],
    keys: Vec<Key>,
}

impl Family {
    /// The names of all, each once.
    pub(crate) fn names(self) -> &'static [&'static str] {
        static POLICIES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
            let mut names: Vec<&'static str> = cell::POLICIES.iter().map(|policy| policy.name).collect();
            let packets = packet::POLICIES.iter().map(|policy| policy.name);
            names.extend(packets.filter(|name| cell::POLICIES.iter().all(|policy| policy.name != *name)));
            names
        });
        static CONGESTION_CONTROLS: LazyLock<Vec<&'static str>> =
            LazyLock::new(|| cc::ALL.iter().map(|algorithm| algorithm.name).collect());
        static RECOVERIES: LazyLock<Vec<&'static str>> =
            LazyLock::new(|| recovery::ALL.iter().map(|algorithm| algorithm.name).collect());
        static DIALECTS: LazyLock<Vec<&'static str>> =
            LazyLock::new(|| dialects::ALL.iter().map(|dialect| dialect.name).collect());
        static ERROR_MODELS: LazyLock<Vec<&'static str>> =
            LazyLock::new(|| errors::ALL.iter().map(|model| model.name).collect());
        match self {
            Family::Policy => &POLICIES,
            Family::CongestionControl => &CONGESTION_CONTROLS,
            Family::Recovery => &RECOVERIES,
            Family::Dialect => &DIALECTS,
            Family::ErrorModel => &ERROR_MODELS,
        }
    }
}

/// The drop policies that have parameters: those of cells, then those of packets.
pub(crate) fn policies() -> &'static [Mechanism] {
    static ALL: LazyLock<Vec<Mechanism>> = LazyLock::new(|| {
        let cells = cell::POLICIES.iter().map(|policy| (policy.name, policy.about, policy.keys));
        let packets = packet::POLICIES.iter().map(|policy| (policy.name, policy.about, policy.keys));
        let around = ["queue", "port.\"A->B\""];
        tables(cells.chain(packets).map(|described| Mechanism::new("policy", around, described)))
    });
    &ALL
}

/// The congestion controls, then the recoveries that have parameters.
pub(crate) fn tcp_algorithms() -> &'static [Mechanism] {
    static ALL: LazyLock<Vec<Mechanism>> = LazyLock::new(|| {
        let around = ["tcp", "flow.NAME.tcp"];
        let congestion_controls = cc::ALL.iter().map(|algorithm| {
            Mechanism::new("congestion_control", around, (algorithm.name, algorithm.about, algorithm.keys))
        });
        let recoveries = recovery::ALL
            .iter()
            .map(|algorithm| Mechanism::new("recovery", around, (algorithm.name, algorithm.about, algorithm.keys)));
        tables(congestion_controls.chain(recoveries))
    });
    &ALL
}

/// Those that have parameters. No two may have tables of one name.
fn tables(mechanisms: impl Iterator<Item = Mechanism>) -> Vec<Mechanism> {
    let all: Vec<Mechanism> = mechanisms.filter(|mechanism| !mechanism.keys.is_empty()).collect();
    assert!(all.iter().enumerate().all(|(i, one)| all[..i].iter().all(|other| other.name != one.name)));
    all
}

type DescribedMechanism = (&'static str, &'static str, &'static [Described]);

impl Mechanism {
    fn new(key: &'static str, around: [&str; 2], (name, about, described): DescribedMechanism) -> Mechanism {
        let headers = around.map(|around| format!("[{around}.{name}]"));
        Mechanism { key, name, about, headers, described, keys: described.iter().map(described_key).collect() }
    }

    pub(super) fn keys(&self) -> &[Key] {
        &self.keys
    }
}

/// A key of a mechanism as one of the language. What is made here lives as long as the program, once for each key.
pub(super) fn described_key(described: &Described) -> Key {
    let default = match described.default {
        Default::Is(value) => Fallback::Value(value),
        Default::SameAs(other) => Fallback::Derived(format!("that of `{other}`").leak()),
        Default::Of(other, cases) => {
            let cases: Vec<String> =
                cases.iter().map(|(word, value, _)| format!("{} with {other} = {word}", spelled(*value))).collect();
            Fallback::Derived(cases.join(", ").leak())
        }
        Default::Required(example) => Fallback::RequiredAs(example),
    };
    Key {
        // Asked for by table, not by section.
        sections: &[],
        name: described.name,
        kind: kind(&described.kind),
        default,
        source: described.source,
        about: described.about,
        used_if: described.used_if,
    }
}

fn kind(kind: &DescribedKind) -> Kind {
    kind_or(kind, &[])
}

/// A kind, or one of these words.
fn kind_or(kind: &DescribedKind, words: &'static [&'static str]) -> Kind {
    let amount = |dimension, min, max| {
        let limits: &'static [Limit] = Box::leak(Box::new([Limit { dimension, min, max }]));
        Kind::Amount(Amount { limits, words, bare: Bare::None })
    };
    match *kind {
        DescribedKind::Flag if !words.is_empty() => Kind::FlagOr(words),
        DescribedKind::Number(max) if !words.is_empty() => Kind::NumberOr { max, words },
        DescribedKind::Flag => Kind::Flag,
        DescribedKind::Word(words) => Kind::Word(words),
        DescribedKind::Number(max) => Kind::Number { max },
        DescribedKind::Share => Kind::Share,
        DescribedKind::Integer(min, max) => Kind::Integer { min, max },
        DescribedKind::Time(min, max) => amount(Dimension::Time, min.as_ps(), max.as_ps()),
        DescribedKind::Bytes(min, max) => amount(Dimension::Size, min, max),
        DescribedKind::Packets(min, max) => amount(Dimension::Packets, min, max),
        DescribedKind::Segments(min, max) => amount(Dimension::Segments, min, max),
        DescribedKind::Level => Kind::Amount(Amount { limits: LEVELS, words, bare: Bare::Fraction }),
        DescribedKind::Integers => Kind::Integers,
        DescribedKind::Table(keys) => Kind::Table(Vec::leak(keys.iter().map(described_key).collect())),
        DescribedKind::Or(kind, words) => kind_or(kind, words),
    }
}

/// The value of a mechanism's key as scenario files have it.
pub(crate) fn of_plain(value: Plain) -> Value {
    let quantity = |dimension, amount| Value::Quantity(Quantity { dimension, amount });
    match value {
        Plain::Flag(flag) => Value::Flag(flag),
        Plain::Word(word) => Value::Word(word),
        Plain::Number(number) | Plain::Fraction(number) => Value::Number(number),
        Plain::Time(span) => quantity(Dimension::Time, span.as_ps()),
        Plain::Bytes(bytes) => quantity(Dimension::Size, bytes),
        Plain::Integer(integer) => Value::Integer(integer),
        Plain::Packets(packets) => quantity(Dimension::Packets, packets),
        Plain::Segments(segments) => quantity(Dimension::Segments, segments),
        Plain::Cells(cells) => quantity(Dimension::Cells, cells),
    }
}

/// A checked value as the mechanism has it.
///
/// # Panics
/// If it was checked for another kind.
pub(crate) fn to_plain(described: &Described, value: &Value) -> Setting {
    setting_of(&described.kind, value)
        .unwrap_or_else(|| unreachable!("`{}` is {:?}, and was read as {value:?}", described.name, described.kind))
}

fn setting_of(kind: &DescribedKind, value: &Value) -> Option<Setting> {
    Some(match (*kind, value) {
        (DescribedKind::Integers, Value::Integers(integers)) => Setting::Integers(integers.clone()),
        (DescribedKind::Table(keys), Value::Table(entries)) => {
            let entry = |key: &Described| entries.iter().find(|(name, _)| *name == key.name);
            Setting::Table(Values::of(keys, |key| Some(to_plain(key, &entry(key)?.1))))
        }
        (kind, value) => Setting::One(plain_of(&kind, value)?),
    })
}

fn plain_of(kind: &DescribedKind, value: &Value) -> Option<Plain> {
    Some(match (*kind, value) {
        (DescribedKind::Flag, Value::Flag(flag)) => Plain::Flag(*flag),
        (DescribedKind::Word(_), Value::Word(word)) => Plain::Word(word),
        (DescribedKind::Number(_) | DescribedKind::Share, Value::Number(number)) => Plain::Number(*number),
        (DescribedKind::Integer(..), Value::Integer(integer)) => Plain::Integer(*integer),
        (DescribedKind::Time(..), Value::Quantity(time)) => Plain::Time(Span::from_ps(time.amount)),
        (DescribedKind::Bytes(..), Value::Quantity(size)) => Plain::Bytes(size.amount),
        (DescribedKind::Packets(..), Value::Quantity(packets)) => Plain::Packets(packets.amount),
        (DescribedKind::Segments(..), Value::Quantity(segments)) => Plain::Segments(segments.amount),
        (DescribedKind::Level, Value::Quantity(cells)) => Plain::Cells(cells.amount),
        (DescribedKind::Level, Value::Number(fraction)) => Plain::Fraction(*fraction),
        (DescribedKind::Or(_, words), Value::Word(word)) if words.contains(word) => Plain::Word(word),
        (DescribedKind::Or(kind, _), value) => return plain_of(kind, value),
        _ => return None,
    })
}

/// As in a scenario file.
fn spelled(value: Plain) -> String {
    match of_plain(value) {
        Value::Quantity(quantity) => quantity.canonical(),
        Value::Flag(flag) => flag.to_string(),
        Value::Word(word) => word.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Integer(integer) => integer.to_string(),
        other => unreachable!("no mechanism has {other:?}"),
    }
}

impl Section {
    /// The mechanism whose table it is.
    pub(crate) fn mechanism(self) -> Option<&'static Mechanism> {
        match self {
            Section::QueuePolicy(index) | Section::PortPolicy(index) => Some(&policies()[usize::from(index)]),
            Section::TcpAlgorithm(index) | Section::FlowTcpAlgorithm(index) => {
                Some(&tcp_algorithms()[usize::from(index)])
            }
            _ => None,
        }
    }

    /// The families of which its keys choose members with tables in it.
    pub(crate) fn families(self) -> impl Iterator<Item = Family> {
        let families: &[Family] = match self {
            Section::Queue | Section::Port => &[Family::Policy],
            Section::Tcp | Section::FlowTcp => &[Family::CongestionControl, Family::Recovery],
            _ => &[],
        };
        families.iter().copied()
    }

    /// The table of a mechanism, how its header looks.
    pub(super) fn header_of_mechanism(self) -> &'static str {
        let of_one = matches!(self, Section::PortPolicy(_) | Section::FlowTcpAlgorithm(_));
        self.mechanism().map_or("", |mechanism| &mechanism.headers[usize::from(of_one)])
    }
}

const LEVELS: &[Limit] = &[Limit { dimension: Dimension::Cells, min: 0, max: 1 << 31 }];
