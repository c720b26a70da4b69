//! The values of keys: what a scenario file says, once it is checked, and how it is written out.

pub(crate) mod positions;
pub(crate) mod rate_trace;

use std::fmt::Write as _;

use ackclock::keys::{Dimension, Kind, Quantity, Setting, Value};
use ackclock::link::ErrorParams;
use ackclock::record::MetricSet;
use ackclock::scenario::ForcedDrop;
use ackclock::units::{Span, Time};

use self::positions::Position;
use self::rate_trace::RateTrace;
use crate::text::diagnostic::At;

/// The checked value of a key of a scenario file: what every parameter may be, or what only files have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FileValue {
    Setting(Setting),
    Text(String),
    Names(Vec<Name>),
    /// Each once, in the order of [`Metric::ALL`].
    Metrics(MetricSet),
    Drops(Vec<ForcedDrop>),
    Schedule(Schedule),
    RateTrace(RateTrace),
    Outages(Vec<Outage>),
    RouteChanges(Vec<RouteChange>),
    Errors(Vec<LinkErrors>),
    Position(Position),
    /// Degrees east.
    Longitude(f64),
}

/// A name in a list, and where it is.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) at: At,
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.text == other.text
    }
}

/// A quantity that changes: from time 0 on, then from later instants on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Schedule {
    pub(crate) first: Quantity,
    /// Picoseconds, in order.
    pub(crate) then: Vec<(u64, Quantity)>,
}

/// When a link is down: from one instant until another, or for ever.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outage {
    pub(crate) from_ps: u64,
    pub(crate) until_ps: Option<u64>,
}

/// Errors of a link, in one direction or in both.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinkErrors {
    /// What it is made of, in the order of writing.
    pub(crate) keys: Vec<(&'static str, FileValue)>,
    pub(crate) params: ErrorParams,
    /// The name `a->b` of the direction; `None`: both, each by itself.
    pub(crate) direction: Option<Name>,
}

/// The nodes along a path from an instant on, and where that is said.
#[derive(Clone, Debug)]
pub(crate) struct RouteChange {
    pub(crate) at_ps: u64,
    pub(crate) nodes: Vec<Name>,
    pub(crate) place: At,
}

impl PartialEq for RouteChange {
    fn eq(&self, other: &RouteChange) -> bool {
        (self.at_ps, &self.nodes) == (other.at_ps, &other.nodes)
    }
}

impl From<Value> for FileValue {
    fn from(value: Value) -> FileValue {
        FileValue::Setting(Setting::One(value))
    }
}

impl From<Quantity> for FileValue {
    fn from(quantity: Quantity) -> FileValue {
        Value::Quantity(quantity).into()
    }
}

impl FileValue {
    /// A single value that every parameter may have.
    pub(crate) fn single(&self) -> Option<Value> {
        if let FileValue::Setting(Setting::One(value)) = self { Some(*value) } else { None }
    }

    /// The word, or the boolean as a word; what conditions of keys are compared with.
    pub(crate) fn word(&self) -> Option<&'static str> {
        self.single().and_then(Value::word)
    }

    /// The quantity; of one that changes, at the start.
    pub(crate) fn quantity(&self) -> Option<Quantity> {
        match (self, self.single()) {
            (_, Some(Value::Quantity(quantity))) => Some(quantity),
            (FileValue::Schedule(schedule), _) => Some(schedule.first),
            (FileValue::RateTrace(trace), _) => trace.first(),
            _ => None,
        }
    }

    /// As in a file.
    pub(crate) fn spelled(&self) -> String {
        match self {
            FileValue::Setting(setting) => spelled(setting),
            FileValue::Text(string) => text(string),
            FileValue::Names(names) => list(names.iter().map(|name| text(&name.text))),
            FileValue::Metrics(metrics) => list(metrics.iter().map(|metric| text(metric.name()))),
            FileValue::Drops(all) => drops(all),
            FileValue::Schedule(schedule) => schedule.spelled(),
            FileValue::RateTrace(trace) => trace_spelled(trace),
            FileValue::Outages(all) => list(all.iter().map(|outage| outage.spelled())),
            FileValue::RouteChanges(all) => list(all.iter().map(RouteChange::spelled)),
            FileValue::Position(position) => text(&position.to_string()),
            FileValue::Longitude(degrees) => text(&positions::spelled_longitude(*degrees)),
            FileValue::Errors(all) => {
                list(all.iter().map(|errors| table(errors.keys.iter().map(|(key, value)| (*key, value.spelled())))))
            }
        }
    }
}

fn spelled(setting: &Setting) -> String {
    match setting {
        Setting::One(Value::Flag(flag)) => flag.to_string(),
        Setting::One(Value::Word(word)) => text(word),
        Setting::One(Value::Integer(integer)) => integer.to_string(),
        Setting::One(Value::Number(number)) => format!("{number:?}"),
        Setting::One(Value::Quantity(quantity)) => text(&quantity.canonical()),
        Setting::Integers(integers) => list(integers.iter().map(u64::to_string)),
        Setting::Amounts(amounts) => list(amounts.iter().map(|amount| text(&amount.canonical()))),
        Setting::Table(values) => table(values.iter().map(|(key, setting)| (key, spelled(setting)))),
    }
}

fn trace_spelled(trace: &RateTrace) -> String {
    let digest = trace.digest.as_ref().map(|digest| ("digest", text(digest)));
    let keys = [("trace", text(&trace.path)), ("format", text(trace.format.name()))];
    table(keys.into_iter().chain(digest))
}

impl Schedule {
    pub(crate) fn points(&self) -> impl Iterator<Item = (Time, u64)> {
        let then = self.then.iter().map(|&(ps, quantity)| (Time::from_ps(ps), quantity.amount));
        [(Time::ZERO, self.first.amount)].into_iter().chain(then)
    }

    /// As in a file.
    fn spelled(&self) -> String {
        let key = later_key(self.first.dimension);
        let mut text = format!("[{:?}", self.first.canonical());
        for (ps, quantity) in &self.then {
            let _ = write!(text, ", {{ at = {}, {key} = {:?} }}", time(*ps), quantity.canonical());
        }
        text + "]"
    }
}

/// What a value of a schedule is called that holds from an instant on, by the kind of its key.
pub(crate) fn changed(kind: &Kind) -> &'static str {
    let is_rate = matches!(kind, Kind::Quantity(limit) if limit.dimension == Dimension::Rate);
    later_key(if is_rate { Dimension::Rate } else { Dimension::Time })
}

fn later_key(dimension: Dimension) -> &'static str {
    if dimension == Dimension::Rate { "rate" } else { "delay" }
}

impl RouteChange {
    /// As in a file.
    fn spelled(&self) -> String {
        let nodes = list(self.nodes.iter().map(|name| text(&name.text)));
        format!("{{ at = {}, route = {nodes} }}", time(self.at_ps))
    }
}

impl Outage {
    pub(crate) fn covers(self, duration: Span) -> bool {
        self.from_ps == 0 && self.until_ps.is_none_or(|until| until >= duration.as_ps())
    }

    /// As in a file.
    fn spelled(self) -> String {
        let until = self.until_ps.map_or("\"never\"".to_owned(), time);
        format!("{{ from = {}, until = {until} }}", time(self.from_ps))
    }
}

fn time(ps: u64) -> String {
    format!("{:?}", Quantity { dimension: Dimension::Time, amount: ps }.canonical())
}

/// Segments lost on purpose, as in a file.
pub(crate) fn drops(drops: &[ForcedDrop]) -> String {
    list(drops.iter().map(|drop| match drop.transmission {
        1 => drop.segment.to_string(),
        transmission => format!("{{ segment = {}, transmission = {transmission} }}", drop.segment),
    }))
}

fn table<'a>(keys: impl Iterator<Item = (&'a str, String)>) -> String {
    let keys: Vec<String> = keys.map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", keys.join(", "))
}

/// A list, as in a file.
pub(crate) fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// A basic string of TOML 1.0.
pub(crate) fn text(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
