//! One value of a file, checked against its kind.

mod errors;
mod expectation;
mod fields;
mod lists;
pub(crate) mod not_modelled;
mod quantities;
mod schedules;
mod simple;
pub(crate) mod suggest;
mod traces;
pub(crate) mod version;
mod words;

use ackclock::keys::{Key, Kind, Value};

pub(crate) use expectation::example;
pub(crate) use lists::metric_words;
pub(crate) use quantities::{Amount, Bare, nearest_unit};
pub(crate) use simple::default_value;
pub(crate) use words::{Here, outside_has_no_keys};

use self::expectation::expectation;
use crate::keys::outside::Outside;
use crate::text::diagnostic::{At, Report};
use crate::text::overrides;
use crate::text::tree::{Item, Node, quoted};
use crate::value::FileValue;
use crate::value::positions::{self, Position};

/// The value of `key`, or `None` and a report: one of what there is `here`.
pub(crate) fn check_in(here: Here<'_>, key: &Key, item: &Item, report: &mut Report) -> Option<FileValue> {
    if let (Kind::Mechanism(family), Node::Text(text)) = (&key.kind, &item.node) {
        let word = words::mechanism(key.name, *family, text, here, item.at, report);
        return word.map(|word| Value::Word(word).into());
    }
    if let (Kind::Errors(around), Node::Array(_) | Node::Table(_)) = (&key.kind, &item.node) {
        return errors::errors(item, around, here.outside, report);
    }
    if let (Some(amount), Some(technology)) = (Amount::of(&key.kind), here.technology) {
        return quantities::quantity_in(technology, key.name, &amount, item, report);
    }
    check(key, item, report)
}

/// The value of `key`, or `None` and a report.
pub(crate) fn check(key: &Key, item: &Item, report: &mut Report) -> Option<FileValue> {
    let name = key.name;
    match (&key.kind, &item.node) {
        (Kind::Position, Node::Text(text)) => {
            let position = Position::parse(text);
            not_on_a_map(position.is_none(), key, text, item.at, report);
            position.map(FileValue::Position)
        }
        (Kind::Longitude, Node::Text(text)) => {
            let longitude = positions::longitude(text);
            not_on_a_map(longitude.is_none(), key, text, item.at, report);
            longitude.map(FileValue::Longitude)
        }
        (Kind::Schedule(kind), Node::Array(items)) => schedules::schedule(name, kind, items, item.at, report),
        (Kind::Schedule(_), Node::Table(_)) if name == "rate" => traces::rate_trace(name, item, report),
        (Kind::Schedule(kind), _) => quantities::quantity_of(name, kind, item, report).map(FileValue::from),
        (Kind::Outages, Node::Array(items)) => schedules::outages(items, report),
        (Kind::RouteChanges, Node::Array(items)) => schedules::routes(name, items, report),
        (Kind::Errors(around), Node::Array(_) | Node::Table(_)) => {
            errors::errors(item, around, &Outside::default(), report)
        }
        (Kind::Ends | Kind::Route | Kind::Nodes, Node::Array(items)) => {
            lists::names(name, &key.kind, items, item.at, report)
        }
        (Kind::Drops(keys), Node::Array(items)) => lists::drops(keys, items, report),
        (Kind::Metrics, Node::Array(items)) => lists::metrics(items, report),
        (_, _) => simple::check(key, item, report),
    }
}

/// The value of `key` that a text says, as `--set` takes it.
///
/// # Panics
/// If the key cannot have it.
pub(crate) fn value_of(key: &Key, text: &str) -> FileValue {
    let mut report = Report::default();
    let id = report.add_text(key.name, text);
    let item = overrides::parse_value(text, id, 0, &mut report);
    let value = item.and_then(|item| check(key, &item, &mut report));
    value.unwrap_or_else(|| unreachable!("`{}` cannot be {text}", key.name))
}

fn not_on_a_map(is_wrong: bool, key: &Key, text: &str, at: At, report: &mut Report) {
    if is_wrong {
        let (expected, example) = expectation(&key.kind);
        report
            .error(at, format!("`{}` is {}", key.name, quoted(text)))
            .label(format!("expected {expected}"))
            .help(format!("write {} = {example}", key.name));
    }
}
