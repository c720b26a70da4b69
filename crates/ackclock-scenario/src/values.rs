//! One value of a file, checked against its kind.

use std::collections::BTreeMap;

use ackclock::record::{GROUPS, Metric, MetricSet};
use ackclock::scenario::ForcedDrop;

use crate::diagnostic::{At, Report};
use crate::keys::{Amount, Bare, Fallback, INSTANT, Key, Kind, Section, of_plain};
use crate::paths::{self, LinkErrors, Outage, Schedule};
use crate::positions::{self, Position};
use crate::quantity::{Dimension, Quantity, Trouble, bytes_per_second, nearest_unit};
use crate::suggest;
use crate::tree::{Item, Node, Table, quoted};

/// A checked value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Flag(bool),
    /// One of the words of the key's kind.
    Word(&'static str),
    Integer(u64),
    Number(f64),
    Quantity(Quantity),
    Names(Vec<Name>),
    /// Each once, in the order of [`Metric::ALL`].
    Metrics(MetricSet),
    Drops(Vec<ForcedDrop>),
    Schedule(Schedule),
    Outages(Vec<Outage>),
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

impl Value {
    /// The word, or the boolean as a word; what conditions of keys are compared with.
    pub(crate) fn word(&self) -> Option<&'static str> {
        match self {
            Value::Word(word) => Some(word),
            Value::Flag(flag) => Some(if *flag { "true" } else { "false" }),
            _ => None,
        }
    }
}

/// The default of a key, unless it depends on other things.
pub(crate) fn default_value(key: &Key) -> Option<Value> {
    fallback_value(key, &key.default)
}

/// The value of `key` that a default describes, unless it depends on other things.
pub(crate) fn fallback_value(key: &Key, default: &Fallback) -> Option<Value> {
    let node = match *default {
        Fallback::Text(text) => Node::Text(text.to_owned()),
        Fallback::Bare("true") => Node::Flag(true),
        Fallback::Bare("false") => Node::Flag(false),
        Fallback::Bare(number) => match number.parse() {
            Ok(integer) => Node::Integer(Some(integer)),
            Err(_) => Node::Float(number.parse().expect("a bare default is a boolean or a number")),
        },
        Fallback::Value(value) => return Some(of_plain(value)),
        Fallback::Required | Fallback::Derived(_) => return None,
    };
    let mut report = Report::default();
    let at = At::new(report.add_text(key.name, ""), 0..0, 0);
    let value = check(key, &Item { at, node }, &mut report);
    debug_assert!(value.is_some(), "the default of `{}` does not fit its kind", key.name);
    value
}

/// The value of `key`, or `None` and a report.
pub(crate) fn check(key: &Key, item: &Item, report: &mut Report) -> Option<Value> {
    let name = key.name;
    match (&key.kind, &item.node) {
        (Kind::Text | Kind::LinkName(_) | Kind::NodeName, Node::Text(text)) => Some(Value::Text(text.clone())),
        (Kind::Flag | Kind::FlagOr(_), Node::Flag(flag)) => Some(Value::Flag(*flag)),
        (Kind::Word(words) | Kind::FlagOr(words) | Kind::NumberOr { words, .. }, Node::Text(text)) => {
            word(name, words, text, item.at, report)
        }
        (Kind::Mechanism(family), Node::Text(text)) => word(name, family.names(), text, item.at, report),
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
            report.error(item.at, format!("`{name}` is {number}")).label("must be from 0 to 1");
            None
        }
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
        (Kind::Schedule(amount), Node::Array(items)) => paths::schedule(name, amount, items, item.at, report),
        (Kind::Amount(amount) | Kind::Schedule(amount), _) => quantity(name, amount, item, report),
        (Kind::Outages, Node::Array(items)) => paths::outages(items, report),
        (Kind::Errors, Node::Array(_) | Node::Table(_)) => {
            let place = if key.sections.contains(&Section::Place) { "receiver" } else { "egress" };
            paths::errors(item, place, report)
        }
        (Kind::Ends | Kind::Route | Kind::Nodes, Node::Array(items)) => names(name, &key.kind, items, item.at, report),
        (Kind::Drops, Node::Array(items)) => drops(items, report),
        (Kind::Metrics, Node::Array(items)) => metrics(items, report),
        (kind, _) => {
            let (expected, example) = expectation(kind);
            report
                .error(item.at, format!("`{name}` is {}", item.described()))
                .label(format!("expected {expected}"))
                .help(format!("write {name} = {example}"));
            None
        }
    }
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

/// A value that a key could have, as TOML.
pub(crate) fn example(key: &Key) -> String {
    match &key.kind {
        Kind::Amount(amount) | Kind::Schedule(amount) => match amount.limits.first() {
            Some(limit) => format!("\"10 {}\"", limit.example_unit()),
            None => "0".to_owned(),
        },
        kind => expectation(kind).1,
    }
}

fn expectation(kind: &Kind) -> (String, String) {
    let (expected, example) = match kind {
        Kind::Text => ("a text in quotes", "\"...\""),
        Kind::NodeName => ("the name of a node in quotes", "\"s1\""),
        Kind::LinkName(_) => ("the name of a link in one direction", "\"sw1->sw2\""),
        Kind::Flag => ("true or false", "true"),
        Kind::FlagOr(words) => return (format!("true, false or one of {}", listed(words)), "true".to_owned()),
        Kind::Word(words) => return (format!("one of {}", listed(words)), format!("{:?}", words[0])),
        Kind::Mechanism(family) => {
            return (format!("one of {}", listed(family.names())), format!("{:?}", family.names()[0]));
        }
        Kind::Integer { min, .. } => return ("a whole number".to_owned(), min.to_string()),
        Kind::Number { .. } => ("a number", "0.8"),
        Kind::NumberOr { words, .. } => return (format!("a number or one of {}", listed(words)), "0.8".to_owned()),
        Kind::Share => ("a number from 0 to 1", "0.5"),
        Kind::Ends => ("the two nodes that the link connects", "[\"a\", \"b\"]"),
        Kind::Route => ("a list of nodes, ends included", "[\"s1\", \"sw1\", \"sw2\", \"d1\"]"),
        Kind::Metrics => ("a list of metrics in quotes", "[\"cwnd\", \"queue\"]"),
        Kind::Nodes => ("a list of nodes in quotes", "[\"s1\", \"d1\"]"),
        Kind::Drops => ("a list of segment numbers", "[30, { segment = 31, transmission = 2 }]"),
        Kind::Position => ("a latitude and a longitude in degrees", "\"37.9 N 122.3 W\""),
        Kind::Longitude => ("a longitude in degrees", "\"95 W\""),
        Kind::Outages => ("a list of outages", "[{ from = \"10 s\", until = \"12 s\" }]"),
        Kind::Errors => ("an error model, or a list of them", "{ model = \"uniform\", rate = 0.01 }"),
        Kind::Amount(_) | Kind::Schedule(_) => unreachable!("quantities explain themselves"),
    };
    (expected.to_owned(), example.to_owned())
}

/// The quantity of a key within a table.
pub(crate) fn quantity_of(name: &str, amount: &Amount, item: &Item, report: &mut Report) -> Option<Quantity> {
    match quantity(name, amount, item, report)? {
        Value::Quantity(quantity) => Some(quantity),
        _ => None,
    }
}

/// The time of a key within a table, picoseconds, `min` at least.
pub(crate) fn time_of(name: &str, item: &Item, min: u64, report: &mut Report) -> Option<u64> {
    let amount = quantity_of(name, &Amount { limits: &[INSTANT], words: &[], bare: Bare::None }, item, report)?.amount;
    if amount >= min {
        return Some(amount);
    }
    let least = Quantity { dimension: Dimension::Time, amount: min }.canonical();
    report.error(item.at, format!("`{name}` is too short")).label(format!("at least {least}"));
    None
}

/// The word of a key within a table.
pub(crate) fn word_of(name: &str, words: &[&'static str], item: &Item, report: &mut Report) -> Option<&'static str> {
    let Node::Text(text) = &item.node else {
        let found = format!("`{name}` is {}", item.described());
        report.error(item.at, found).label(format!("expected one of {}", listed(words)));
        return None;
    };
    match word(name, words, text, item.at, report)? {
        Value::Word(word) => Some(word),
        _ => None,
    }
}

/// The whole number of a key within a table, `min` at least.
pub(crate) fn integer_of(name: &str, item: &Item, min: u64, report: &mut Report) -> Option<u64> {
    match item.node {
        Node::Integer(integer) => whole(name, integer, min, MAX_SEGMENT, item.at, report),
        _ => {
            let found = format!("`{name}` is {}", item.described());
            report.error(item.at, found).label("expected a whole number");
            None
        }
    }
}

fn word(name: &str, words: &[&'static str], text: &str, at: At, report: &mut Report) -> Option<Value> {
    if let Some(word) = words.iter().find(|word| **word == text) {
        return Some(Value::Word(word));
    }
    let help = suggest::explained(name, text).or_else(|| {
        let near = suggest::nearest(text, words.iter().copied());
        near.map(|near| format!("did you mean \"{near}\"?"))
    });
    report
        .error(at, format!("unknown {name} {}", quoted(text)))
        .label(format!("known: {}", words.join(", ")))
        .help_if(help);
    None
}

fn whole(name: &str, integer: Option<i64>, min: u64, max: u64, at: At, report: &mut Report) -> Option<u64> {
    let value = integer.and_then(|integer| u64::try_from(integer).ok());
    if let Some(value) = value.filter(|value| (min..=max).contains(value)) {
        return Some(value);
    }
    let found = integer.map_or("an integer beyond 64 bits".to_owned(), |integer| integer.to_string());
    let allowed = if min == max { format!("only {min} is known") } else { format!("must be {min} to {max}") };
    report.error(at, format!("`{name}` is {found}")).label(allowed);
    None
}

fn quantity(name: &str, amount: &Amount, item: &Item, report: &mut Report) -> Option<Value> {
    let dimensions: Vec<Dimension> = amount.limits.iter().map(|limit| limit.dimension).collect();
    match (&item.node, &amount.bare) {
        (Node::Integer(Some(_)) | Node::Float(_), Bare::Fraction) => {
            let number = float(&item.node);
            if number > 0.0 && number <= 1.0 {
                return Some(Value::Number(number));
            }
            let help = if number > 1.0 && number.fract() == 0.0 {
                format!("for cells write \"{number} cells\"")
            } else {
                String::new()
            };
            report
                .error(item.at, format!("`{name}` is {number}"))
                .label("a number without unit is a fraction of the buffer: more than 0, at most 1")
                .help_if((!help.is_empty()).then_some(help));
            return None;
        }
        (Node::Integer(integer), Bare::Integer { max }) => {
            return whole(name, *integer, 0, *max, item.at, report).map(Value::Integer);
        }
        (Node::Integer(_) | Node::Float(_), _) => {
            let number = match item.node {
                Node::Integer(Some(integer)) if integer >= 0 => integer.to_string(),
                Node::Float(float) if float.is_finite() && float >= 0.0 => float.to_string(),
                _ => {
                    report
                        .error(item.at, format!("`{name}` is {}", item.described()))
                        .label(format!("expected {}", alternatives(amount)));
                    return None;
                }
            };
            let examples: Vec<String> =
                amount.limits.iter().take(2).map(|limit| format!("\"{number} {}\"", limit.example_unit())).collect();
            let label = match examples.is_empty() {
                true => format!("expected {}", alternatives(amount)),
                false => format!("write {}", examples.join(" or ")),
            };
            report.error(item.at, format!("`{name}` needs a unit")).label(label).help(units(&dimensions));
            return None;
        }
        _ => {}
    }
    let Node::Text(text) = &item.node else {
        report
            .error(item.at, format!("`{name}` is {}", item.described()))
            .label(format!("expected {}", alternatives(amount)));
        return None;
    };
    if let Some(word) = amount.words.iter().find(|word| **word == text.trim()) {
        return Some(Value::Word(word));
    }
    match Quantity::parse(text, &dimensions) {
        Ok(quantity) => within_limits(name, amount, quantity, text, item.at, report),
        Err(trouble) => {
            explain(name, amount, &dimensions, text, trouble, item.at, report);
            None
        }
    }
}

fn within_limits(
    name: &str,
    amount: &Amount,
    quantity: Quantity,
    text: &str,
    at: At,
    report: &mut Report,
) -> Option<Value> {
    let limit = amount.limits.iter().find(|limit| limit.dimension == quantity.dimension)?;
    if (limit.min..=limit.max).contains(&quantity.amount) {
        return Some(Value::Quantity(quantity));
    }
    let spelled = |amount: u64| Quantity { dimension: quantity.dimension, amount }.canonical();
    let label = if quantity.amount < limit.min && quantity.amount == 0 {
        "must be more than 0".to_owned()
    } else {
        format!("must be {} to {}", spelled(limit.min), spelled(limit.max))
    };
    report.error(at, format!("`{name}` is {}", quoted(text.trim()))).label(label);
    None
}

fn explain(
    name: &str,
    amount: &Amount,
    dimensions: &[Dimension],
    text: &str,
    trouble: Trouble,
    at: At,
    report: &mut Report,
) {
    let shown = quoted(text.trim());
    match trouble {
        Trouble::NotANumber => {
            let near = suggest::nearest(text.trim(), amount.words.iter().copied());
            report
                .error(at, format!("`{name}` is {shown}"))
                .label(format!("expected {}", alternatives(amount)))
                .help_if(near.map(|near| format!("did you mean \"{near}\"?")));
        }
        Trouble::Negative => {
            report
                .error(at, format!("`{name}` is negative"))
                .label(format!("expected {}", alternatives(amount)))
                .help("zero or more is meant: leave out the sign");
        }
        Trouble::NoUnit { number } => {
            let label = match (&amount.bare, amount.limits.first()) {
                (Bare::None, Some(limit)) => format!("write \"{number} {}\"", limit.example_unit()),
                _ => format!("write {number} without quotes"),
            };
            report
                .error(at, format!("`{name}` needs a unit"))
                .label(label)
                .help_if((!dimensions.is_empty()).then(|| units(dimensions)));
        }
        Trouble::UnknownUnit { number, unit } if unit == "%" && matches!(amount.bare, Bare::Fraction) => {
            let fraction = number.parse::<f64>().map_or(String::new(), |percent| format!("write {}", percent / 100.0));
            report.error(at, format!("`{name}` is {shown}")).label(fraction).help("fractions are plain numbers");
        }
        Trouble::UnknownUnit { number, unit }
            if dimensions.contains(&Dimension::Rate) && bytes_per_second(&number, &unit).is_some() =>
        {
            let bits = bytes_per_second(&number, &unit).expect("just found");
            report
                .error(at, format!("{} is a unit of bytes per second", quoted(&unit)))
                .label(format!("in bits per second: \"{bits}\""))
                .help(units(dimensions));
        }
        Trouble::UnknownUnit { number, unit } => {
            let near = nearest_unit(&unit, dimensions);
            report
                .error(at, format!("{} is no unit", quoted(&unit)))
                .label(near.map_or_else(|| units(dimensions), |near| format!("did you mean \"{number} {near}\"?")))
                .help_if(near.is_some().then(|| units(dimensions)));
        }
        Trouble::WrongDimension { found, .. } => {
            report
                .error(at, format!("{shown} is {}, which does not fit `{name}`", found.name()))
                .label(format!("expected {}", alternatives(amount)))
                .help(units(dimensions));
        }
        Trouble::NotWhole { dimension } => {
            report
                .error(at, format!("{shown} is not a whole number of {}", dimension.base_unit()))
                .label(format!("the finest is {}", Quantity { dimension, amount: 1 }.canonical()));
        }
        Trouble::TooLarge { dimension } => {
            let limit = amount.limits.iter().find(|limit| limit.dimension == dimension);
            let most = limit.map(|limit| Quantity { dimension, amount: limit.max }.canonical());
            report
                .error(at, format!("`{name}` is {shown}"))
                .label(most.map_or_else(|| "too large".to_owned(), |most| format!("at most {most}")));
        }
    }
}

/// "a time or "never"".
fn alternatives(amount: &Amount) -> String {
    let mut all: Vec<String> = amount.limits.iter().map(|limit| limit.dimension.short_name().to_owned()).collect();
    match amount.bare {
        Bare::None => {}
        Bare::Fraction => all.insert(0, "a fraction of the buffer (more than 0, at most 1)".to_owned()),
        Bare::Integer { max } => all.push(format!("a whole number, 0 to {max}")),
    }
    all.extend(amount.words.iter().map(|word| format!("{word:?}")));
    match all.pop() {
        Some(last) if !all.is_empty() => format!("{} or {last}", all.join(", ")),
        last => last.unwrap_or_default(),
    }
}

fn units(dimensions: &[Dimension]) -> String {
    let lists: Vec<&str> = dimensions.iter().map(|dimension| dimension.unit_list()).collect();
    format!("units that fit: {}", lists.join(", "))
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

fn float(node: &Node) -> f64 {
    match node {
        Node::Integer(Some(integer)) => *integer as f64,
        Node::Float(float) => *float,
        _ => f64::NAN,
    }
}

fn names(name: &str, kind: &Kind, items: &[Item], at: At, report: &mut Report) -> Option<Value> {
    let mut names = Vec::with_capacity(items.len());
    let mut fine = true;
    for item in items {
        match &item.node {
            Node::Text(text) => names.push(Name { text: text.clone(), at: item.at }),
            _ => {
                fine = false;
                let found = format!("an element of `{name}` is {}", item.described());
                report.error(item.at, found).label("expected the name of a node in quotes");
            }
        }
    }
    let enough = match kind {
        Kind::Ends => items.len() == 2,
        Kind::Route => items.len() >= 2,
        _ => true,
    };
    if fine && !enough {
        let (expected, example) = expectation(kind);
        report
            .error(at, format!("`{name}` has {} element{}", items.len(), if items.len() == 1 { "" } else { "s" }))
            .label(format!("expected {expected}"))
            .help(format!("write {name} = {example}"));
        return None;
    }
    fine.then_some(Value::Names(names))
}

fn metrics(items: &[Item], report: &mut Report) -> Option<Value> {
    let mut metrics = Vec::new();
    let mut fine = true;
    for item in items {
        let Node::Text(text) = &item.node else {
            let found = format!("an element of `record` is {}", item.described());
            report.error(item.at, found).label("expected the name of a metric in quotes");
            fine = false;
            continue;
        };
        if let Some(metric) = Metric::named(text) {
            metrics.push(metric);
        } else if let Some((_, group)) = GROUPS.iter().find(|(name, _)| name == text) {
            metrics.extend_from_slice(group);
        } else {
            let words = metric_words();
            let near = suggest::nearest(text, words.iter().copied());
            report
                .error(item.at, format!("unknown metric {}", quoted(text)))
                .label(format!("known: {}", words.join(", ")))
                .help_if(near.map(|near| format!("did you mean \"{near}\"?")));
            fine = false;
        }
    }
    fine.then(|| Value::Metrics(metrics.into_iter().collect()))
}

/// What may stand in a list of metrics.
pub(crate) fn metric_words() -> Vec<&'static str> {
    GROUPS.iter().map(|(name, _)| *name).chain(Metric::ALL.iter().map(|metric| metric.name())).collect()
}

fn drops(items: &[Item], report: &mut Report) -> Option<Value> {
    let mut drops = BTreeMap::new();
    let mut fine = true;
    for item in items {
        let drop = match &item.node {
            Node::Integer(integer) => {
                let segment = whole("drops", *integer, 0, MAX_SEGMENT, item.at, report);
                segment.map(|segment| ForcedDrop { segment, transmission: 1 })
            }
            Node::Table(table) => drop_table(table, item.at, report),
            _ => {
                report
                    .error(item.at, format!("an element of `drops` is {}", item.described()))
                    .label("expected a segment number or a table")
                    .help("write 30, or { segment = 30, transmission = 2 }");
                None
            }
        };
        fine &= drop.is_some();
        if let Some(drop) = drop
            && drops.insert((drop.segment, drop.transmission), drop).is_some()
        {
            report.warning(item.at, "this loss is in the list already").label("counts once");
        }
    }
    fine.then_some(Value::Drops(drops.into_values().collect()))
}

fn drop_table(table: &Table, at: At, report: &mut Report) -> Option<ForcedDrop> {
    let mut fine = true;
    let (mut segment, mut transmission) = (None, Some(1));
    for (name, entry) in &table.entries {
        let (max, target) = match name.as_str() {
            "segment" => (MAX_SEGMENT, &mut segment),
            "transmission" => (u64::from(u32::MAX), &mut transmission),
            _ => {
                let near = suggest::nearest(name, ["segment", "transmission"]);
                report
                    .error(entry.key_at, format!("unknown key {} in `drops`", quoted(name)))
                    .label("known: segment, transmission")
                    .help_if(near.map(|near| format!("did you mean `{near}`?")));
                fine = false;
                continue;
            }
        };
        *target = match &entry.item.node {
            Node::Integer(integer) => {
                whole(name, *integer, u64::from(name == "transmission"), max, entry.item.at, report)
            }
            _ => {
                report
                    .error(entry.item.at, format!("`{name}` is {}", entry.item.described()))
                    .label("expected a whole number");
                None
            }
        };
        fine &= target.is_some();
    }
    if fine && segment.is_none() {
        report
            .error(at, "`segment` is missing")
            .label("which segment is lost?")
            .help("write { segment = 30, transmission = 2 }");
    }
    let transmission = u32::try_from(transmission?).ok()?;
    segment.filter(|_| fine).map(|segment| ForcedDrop { segment, transmission })
}

/// Segment numbers stay below this: 2^40 segments are more than any run sends.
const MAX_SEGMENT: u64 = 1 << 40;
