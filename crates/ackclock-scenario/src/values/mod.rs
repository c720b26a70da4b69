//! One value of a file, checked against its kind.

mod defaults;
mod errors;
mod expectation;
mod fields;
mod lists;
pub(crate) mod positions;
mod quantities;
pub(crate) mod quantity;
mod schedules;
mod simple;
mod value;
mod words;

pub(crate) use expectation::example;
pub(crate) use lists::metric_words;
pub(crate) use value::{LinkErrors, Name, Outage, RouteChange, Schedule, Value, drops, list, text};

use self::expectation::unexpected;
use self::positions::Position;
use crate::keys::words::TechnologyWord;
use crate::keys::{Fallback, Family, Key, Kind};
use crate::text::diagnostic::{At, Report};
use crate::text::tree::{Item, Node, quoted};

/// The default of a key, unless it depends on other things.
pub(crate) fn default_value(key: &Key) -> Option<Value> {
    fallback_value(key, &key.default)
}

/// The value of `key` that a default describes, unless it depends on other things.
pub(crate) fn fallback_value(key: &Key, default: &Fallback) -> Option<Value> {
    defaults::value(key, default, check)
}

/// The value of `key`, or `None` and a report; in a network whose technology is known, of what that technology has.
pub(crate) fn check_in(
    technology: Option<TechnologyWord>,
    key: &Key,
    item: &Item,
    report: &mut Report,
) -> Option<Value> {
    let policy = (&key.kind, &item.node, technology);
    if let (Kind::Mechanism(Family::Policy), Node::Text(text), Some(technology)) = policy {
        return words::policy(key.name, text, technology, item.at, report).map(Value::Word);
    }
    if let (Kind::Amount(amount), Some(technology)) = (&key.kind, technology) {
        return quantities::quantity_in(technology, key.name, amount, item, report);
    }
    check(key, item, report)
}

/// The value of `key`, or `None` and a report.
pub(crate) fn check(key: &Key, item: &Item, report: &mut Report) -> Option<Value> {
    let name = key.name;
    match (&key.kind, &item.node) {
        (Kind::Position, Node::Text(text)) => {
            let position = Position::parse(text);
            not_on_a_map(position.is_none(), key, text, item.at, report);
            position.map(Value::Position)
        }
        (Kind::Longitude, Node::Text(text)) => {
            let longitude = positions::longitude(text);
            not_on_a_map(longitude.is_none(), key, text, item.at, report);
            longitude.map(Value::Longitude)
        }
        (Kind::Schedule(amount), Node::Array(items)) => schedules::schedule(name, amount, items, item.at, report),
        (Kind::Schedule(amount), _) => quantities::quantity(name, amount, item, report),
        (Kind::Outages, Node::Array(items)) => schedules::outages(items, report),
        (Kind::RouteChanges, Node::Array(items)) => schedules::routes(name, items, report),
        (Kind::Errors(around), Node::Array(_) | Node::Table(_)) => errors::errors(item, around, report),
        (Kind::Ends | Kind::Route | Kind::Nodes, Node::Array(items)) => {
            lists::names(name, &key.kind, items, item.at, report)
        }
        (Kind::Drops, Node::Array(items)) => lists::drops(items, report),
        (Kind::Metrics, Node::Array(items)) => lists::metrics(items, report),
        (kind, _) if simple::knows(kind) => simple::check(key, item, report),
        (_, _) => unexpected(key, item, report),
    }
}

fn not_on_a_map(is_wrong: bool, key: &Key, text: &str, at: At, report: &mut Report) {
    if is_wrong {
        let (expected, example) = expectation::expectation(&key.kind);
        report
            .error(at, format!("`{}` is {}", key.name, quoted(text)))
            .label(format!("expected {expected}"))
            .help(format!("write {} = {example}", key.name));
    }
}
