//! Values of simple kinds: those that mechanisms describe their keys with, and texts.

use ackclock::keys::MOST_ORDINAL;

use super::expectation::{example, unexpected};
use super::fields::Fields;
use super::words::{float, whole, word};
use super::{defaults, quantities};
use crate::keys::words::alias;
use crate::keys::{Key, Kind};
use crate::text::diagnostic::Report;
use crate::text::tree::{Item, Node, quoted};
use crate::values::Value;

/// Whether [`check`] knows a kind.
pub(super) fn knows(kind: &Kind) -> bool {
    match kind {
        Kind::Flag | Kind::FlagOr(_) | Kind::Word(_) | Kind::Mechanism(_) | Kind::Integer { .. } => true,
        Kind::Number { .. } | Kind::NumberOr { .. } | Kind::Share | Kind::Factor | Kind::Amount(_) => true,
        Kind::Integers | Kind::Table(_) | Kind::Text | Kind::NodeName | Kind::LinkName(_) => true,
        Kind::Ends | Kind::Route | Kind::Drops => false,
        Kind::Position | Kind::Longitude | Kind::Metrics | Kind::Nodes => false,
        Kind::Schedule(_) | Kind::Outages | Kind::RouteChanges | Kind::Errors(_) => false,
    }
}

/// The value of `key`, or `None` and a report.
pub(super) fn check(key: &Key, item: &Item, report: &mut Report) -> Option<Value> {
    let name = key.name;
    match (&key.kind, &item.node) {
        (Kind::Text | Kind::LinkName(_) | Kind::NodeName, Node::Text(text)) => Some(Value::Text(text.clone())),
        (Kind::Flag | Kind::FlagOr(_), Node::Flag(flag)) => Some(Value::Flag(*flag)),
        (Kind::Word(words) | Kind::FlagOr(words) | Kind::NumberOr { words, .. }, Node::Text(text)) => {
            word(name, words, text, item.at, report).map(Value::Word)
        }
        (Kind::Mechanism(family), Node::Text(text)) => {
            word(name, family.names(), alias(text).unwrap_or(text), item.at, report).map(Value::Word)
        }
        (Kind::Integer { min, max }, Node::Integer(integer)) => {
            whole(name, *integer, *min, *max, item.at, report).map(Value::Integer)
        }
        (Kind::Number { max } | Kind::NumberOr { max, .. }, Node::Integer(Some(_)) | Node::Float(_)) => {
            let number = float(&item.node);
            if number > 0.0 && number <= *max {
                return Some(Value::Number(number));
            }
            report.error(item.at, format!("`{name}` is {number}")).label(format!("must be more than 0, at most {max}"));
            None
        }
        (Kind::Share, Node::Integer(Some(_)) | Node::Float(_)) => {
            let number = float(&item.node);
            if (0.0..=1.0).contains(&number) {
                return Some(Value::Number(number));
            }
            let help = (number > 1.0 && number <= 100.0).then(|| format!("{number} per cent are {}", number / 100.0));
            report.error(item.at, format!("`{name}` is {number}")).label("must be 0 to 1").help_if(help);
            None
        }
        (Kind::Factor, Node::Integer(Some(_)) | Node::Float(_) | Node::Text(_)) => factor(name, item, report),
        (Kind::Integers, Node::Array(items)) => integers(name, items, report),
        (Kind::Table(keys), Node::Table(_)) => {
            let known: Vec<&str> = keys.iter().map(|key| key.name).collect();
            let mut fields = Fields::new(name, item, &known, report)?;
            settings(&mut fields, keys.iter()).map(Value::Table)
        }
        (Kind::Amount(amount), _) => quantities::quantity(name, amount, item, report),
        (_, _) => unexpected(key, item, report),
    }
}

/// The values of these keys of a table, given or defaults; everything wrong is reported.
pub(super) fn settings<'k>(
    fields: &mut Fields<'_>,
    keys: impl Iterator<Item = &'k Key>,
) -> Option<Vec<(&'static str, Value)>> {
    let values: Vec<(&'static str, Option<Value>)> = keys.map(|key| (key.name, setting(fields, key))).collect();
    values.into_iter().map(|(name, value)| value.map(|value| (name, value))).collect()
}

fn setting(fields: &mut Fields<'_>, key: &Key) -> Option<Value> {
    if !fields.table.entries.contains_key(key.name)
        && let Some(default) = defaults::value(key, &key.default, check)
    {
        return Some(default);
    }
    let item = fields.item(key.name, &example(key))?;
    check(key, item, fields.report)
}

/// A number from 0 on, or a fraction of two whole numbers as text. What of that a parameter may be, its check says.
fn factor(name: &str, item: &Item, report: &mut Report) -> Option<Value> {
    let (number, shown) = match &item.node {
        Node::Text(text) => {
            let parts =
                text.split_once('/').map(|(over, under)| (over.trim().parse::<u32>(), under.trim().parse::<u32>()));
            let number = match parts {
                Some((Ok(over), Ok(under))) => f64::from(over) / f64::from(under),
                Some(_) | None => f64::NAN,
            };
            (number, quoted(text))
        }
        node => (float(node), float(node).to_string()),
    };
    if number >= 0.0 && number.is_finite() {
        return Some(Value::Number(number));
    }
    let label = "expected a number from 0 to 1, or a fraction as in \"1/16\"";
    report.error(item.at, format!("`{name}` is {shown}")).label(label);
    None
}

/// Whole numbers, each more than the one before.
fn integers(name: &str, items: &[Item], report: &mut Report) -> Option<Value> {
    let mut integers: Vec<u64> = Vec::with_capacity(items.len());
    for item in items {
        let Node::Integer(integer) = item.node else {
            let found = format!("an element of `{name}` is {}", item.described());
            report.error(item.at, found).label("expected a whole number");
            return None;
        };
        let integer = whole(name, integer, 0, MOST_ORDINAL, item.at, report)?;
        if integers.last().is_some_and(|&before| before >= integer) {
            report.error(item.at, format!("`{name}` are not in order")).label("each must be more than the one before");
            return None;
        }
        integers.push(integer);
    }
    Some(Value::Integers(integers))
}
