//! Tables of mechanisms: their keys are those that the mechanisms describe themselves.

use std::sync::LazyLock;

use ackclock::atm::rate;
use ackclock::keys::{Default, Key as Described, Kind as DescribedKind, Setting, Value as Plain, Values};
use ackclock::link::errors;
use ackclock::queue::{cell, packet};
use ackclock::tcp::{cc, host, recovery};
use ackclock::units::Span;

use super::dialects;
use super::key::{Amount, Bare, Fallback, Family, Key, Kind, Limit, Section};
use super::words::TechnologyWord;
use crate::values::Value;
use crate::values::quantity::{Dimension, Quantity};

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
            let mut names = policies(TechnologyWord::Atm);
            let packets = policies(TechnologyWord::Packet);
            names.extend(packets.into_iter().filter(|name| cell::POLICIES.iter().all(|policy| policy.name != *name)));
            names
        });
        static CONGESTION_CONTROLS: LazyLock<Vec<&'static str>> =
            LazyLock::new(|| cc::ALL.iter().map(|algorithm| algorithm.name).collect());
        static RECOVERIES: LazyLock<Vec<&'static str>> =
            LazyLock::new(|| recovery::ALL.iter().map(|algorithm| algorithm.name).collect());
        static HOST_MODELS: LazyLock<Vec<&'static str>> =
            LazyLock::new(|| host::MODELS.iter().map(|model| model.name).collect());
        static RATE_ALGORITHMS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
            let algorithms = rate::ALGORITHMS.iter().map(|algorithm| algorithm.name);
            [NO_RATES].into_iter().chain(algorithms).collect()
        });
        static DIALECTS: LazyLock<Vec<&'static str>> =
            LazyLock::new(|| dialects::ALL.iter().map(|dialect| dialect.name).collect());
        static ERROR_MODELS: LazyLock<Vec<&'static str>> =
            LazyLock::new(|| errors::ALL.iter().map(|model| model.name).collect());
        match self {
            Family::Policy => &POLICIES,
            Family::RateAlgorithm => &RATE_ALGORITHMS,
            Family::CongestionControl => &CONGESTION_CONTROLS,
            Family::Recovery => &RECOVERIES,
            Family::HostModel => &HOST_MODELS,
            Family::Dialect => &DIALECTS,
            Family::ErrorModel => &ERROR_MODELS,
        }
    }
}

/// The drop policies of what travels in the networks of a technology.
pub(crate) fn policies(technology: TechnologyWord) -> Vec<&'static str> {
    match technology {
        TechnologyWord::Atm => cell::POLICIES.iter().map(|policy| policy.name).collect(),
        TechnologyWord::Packet => packet::POLICIES.iter().map(|policy| policy.name).collect(),
    }
}

impl Kind {
    /// The words that a value of this kind may be, itself or in the place of something else.
    pub(crate) fn words(&self) -> &'static [&'static str] {
        match self {
            Kind::Word(words) | Kind::FlagOr(words) | Kind::NumberOr { words, .. } | Kind::LinkName(words) => words,
            Kind::Mechanism(family) => family.names(),
            Kind::Amount(amount) | Kind::Schedule(amount) => amount.words,
            Kind::Text | Kind::NodeName | Kind::Flag | Kind::Integer { .. } | Kind::Number { .. } => &[],
            Kind::Share | Kind::Factor => &[],
            Kind::Ends | Kind::Route | Kind::Drops | Kind::Position | Kind::Longitude | Kind::Metrics => &[],
            Kind::Nodes | Kind::Outages | Kind::RouteChanges | Kind::Integers | Kind::Table(_) | Kind::Errors(_) => &[],
        }
    }
}

/// The drop policies that have parameters, those of cells, then those of packets; and then the rate algorithms.
pub(crate) fn queue_algorithms() -> &'static [Mechanism] {
    static ALL: LazyLock<Vec<Mechanism>> = LazyLock::new(|| {
        let cells = cell::POLICIES.iter().map(|policy| (policy.name, policy.about, policy.keys));
        let packets = packet::POLICIES.iter().map(|policy| (policy.name, policy.about, policy.keys));
        let around = ["queue", "port.\"A->B\""];
        let policies = cells.chain(packets).map(|described| Mechanism::new("policy", around, described));
        let rates = rate::ALGORITHMS.iter().map(|algorithm| {
            Mechanism::new("rate_algorithm", around, (algorithm.name, algorithm.about, algorithm.keys))
        });
        tables(policies.chain(rates))
    });
    &ALL
}

/// The congestion controls, then the recoveries, then the host models that have parameters.
pub(crate) fn tcp_algorithms() -> &'static [Mechanism] {
    static ALL: LazyLock<Vec<Mechanism>> = LazyLock::new(|| {
        let around = ["tcp", "flow.NAME.tcp"];
        let congestion_controls = cc::ALL.iter().map(|algorithm| {
            Mechanism::new("congestion_control", around, (algorithm.name, algorithm.about, algorithm.keys))
        });
        let recoveries = recovery::ALL
            .iter()
            .map(|algorithm| Mechanism::new("recovery", around, (algorithm.name, algorithm.about, algorithm.keys)));
        let hosts =
            host::MODELS.iter().map(|model| Mechanism::new("host", around, (model.name, model.about, model.keys)));
        tables(congestion_controls.chain(recoveries).chain(hosts))
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
        DescribedKind::Factor => Kind::Factor,
        DescribedKind::Rate(min, max) => amount(Dimension::Rate, min, max),
        DescribedKind::Cells(min, max) => amount(Dimension::Cells, min, max),
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
        Plain::Rate(bps) => quantity(Dimension::Rate, bps),
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
    let amount = if let Value::Quantity(quantity) = value { Some(quantity.amount) } else { None };
    let number = if let Value::Number(number) = value { Some(*number) } else { None };
    let word = if let Value::Word(word) = value { Some(*word) } else { None };
    let plain = match *kind {
        DescribedKind::Integers => {
            let Value::Integers(integers) = value else { return None };
            return Some(Setting::Integers(integers.clone()));
        }
        DescribedKind::Table(keys) => {
            let Value::Table(entries) = value else { return None };
            let entry = |key: &Described| entries.iter().find(|(name, _)| *name == key.name);
            return Some(Setting::Table(Values::of(keys, |key| Some(to_plain(key, &entry(key)?.1)))));
        }
        DescribedKind::Or(kind, words) => match word.filter(|word| words.contains(word)) {
            Some(word) => Plain::Word(word),
            None => return setting_of(kind, value),
        },
        DescribedKind::Flag => {
            let Value::Flag(flag) = value else { return None };
            Plain::Flag(*flag)
        }
        DescribedKind::Integer(..) => {
            let Value::Integer(integer) = value else { return None };
            Plain::Integer(*integer)
        }
        DescribedKind::Word(_) => Plain::Word(word?),
        DescribedKind::Number(_) | DescribedKind::Share | DescribedKind::Factor => Plain::Number(number?),
        DescribedKind::Time(..) => Plain::Time(Span::from_ps(amount?)),
        DescribedKind::Rate(..) => Plain::Rate(amount?),
        DescribedKind::Cells(..) => Plain::Cells(amount?),
        DescribedKind::Bytes(..) => Plain::Bytes(amount?),
        DescribedKind::Packets(..) => Plain::Packets(amount?),
        DescribedKind::Segments(..) => Plain::Segments(amount?),
        DescribedKind::Level => amount.map(Plain::Cells).or(number.map(Plain::Fraction))?,
    };
    Some(Setting::One(plain))
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

/// The mechanisms that a kind of table chooses from.
#[derive(Clone, Copy)]
pub(crate) struct Chooses {
    /// The families that its keys choose members of.
    pub(crate) families: &'static [Family],
    /// Those with parameters.
    pub(crate) mechanisms: &'static [Mechanism],
    /// The kind of the table of each of these, within it.
    pub(crate) section: fn(u8) -> Section,
}

impl Section {
    /// What it chooses from, if it chooses mechanisms.
    pub(crate) fn chooses(self) -> Option<Chooses> {
        let of_queues = |section| {
            let families = &[Family::Policy, Family::RateAlgorithm];
            Chooses { families, mechanisms: queue_algorithms(), section }
        };
        let of_tcp = |section| {
            let families = &[Family::CongestionControl, Family::Recovery, Family::HostModel];
            Chooses { families, mechanisms: tcp_algorithms(), section }
        };
        match self {
            Section::Queue => Some(of_queues(Section::QueueAlgorithm)),
            Section::Port => Some(of_queues(Section::PortAlgorithm)),
            Section::Tcp => Some(of_tcp(Section::TcpAlgorithm)),
            Section::FlowTcp => Some(of_tcp(Section::FlowTcpAlgorithm)),
            Section::Top | Section::Network | Section::Node | Section::Link | Section::LinkDirection => None,
            Section::Atm | Section::Packet | Section::Traffic | Section::Flow | Section::Udp => None,
            Section::Abr | Section::FlowAbr | Section::Satellites | Section::Place => None,
            Section::QueueAlgorithm(_) | Section::PortAlgorithm(_) => None,
            Section::TcpAlgorithm(_) | Section::FlowTcpAlgorithm(_) => None,
        }
    }

    /// The mechanism whose table it is.
    pub(crate) fn mechanism(self) -> Option<&'static Mechanism> {
        match self {
            Section::QueueAlgorithm(index) | Section::PortAlgorithm(index) => {
                Some(&queue_algorithms()[usize::from(index)])
            }
            Section::TcpAlgorithm(index) | Section::FlowTcpAlgorithm(index) => {
                Some(&tcp_algorithms()[usize::from(index)])
            }
            Section::Top | Section::Network | Section::Node | Section::Link | Section::LinkDirection => None,
            Section::Queue | Section::Port | Section::Tcp | Section::FlowTcp => None,
            Section::Atm | Section::Packet | Section::Traffic | Section::Flow | Section::Udp => None,
            Section::Abr | Section::FlowAbr | Section::Satellites | Section::Place => None,
        }
    }

    /// The families of which its keys choose members with tables in it.
    pub(crate) fn families(self) -> impl Iterator<Item = Family> {
        self.chooses().map_or(&[][..], |chooses| chooses.families).iter().copied()
    }

    /// The table of a mechanism, how its header looks.
    pub(super) fn header_of_mechanism(self) -> &'static str {
        let of_one = matches!(self, Section::PortAlgorithm(_) | Section::FlowTcpAlgorithm(_));
        self.mechanism().map_or("", |mechanism| &mechanism.headers[usize::from(of_one)])
    }
}

/// The word of a port that computes no rates.
pub(crate) const NO_RATES: &str = "none";
const LEVELS: &[Limit] = &[Limit { dimension: Dimension::Cells, min: 0, max: 1 << 31 }];
