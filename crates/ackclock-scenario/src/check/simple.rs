//! Values of simple kinds: those that mechanisms describe their keys with, and texts.

use ackclock::keys::{Default, Key, Kind, MOST_ORDINAL, Quantity, Setting, Value, Values};
use ackclock::law;

use super::expectation::{example, unexpected};
use super::fields::Fields;
use super::quantities;
use super::quantities::Amount;
use super::suggest::nearest;
use super::words::{float, whole, word};
use crate::keys::words::alias;
use crate::keys::{LAW, names};
use crate::text::diagnostic::Report;
use crate::text::tree::{Item, Node, quoted};
use crate::value::FileValue;

/// The value of `key`, or `None` and a report.
pub(super) fn check(key: &Key, item: &Item, report: &mut Report) -> Option<FileValue> {
    of_kind(key, &key.kind, item, report)
}

fn of_kind(key: &Key, kind: &Kind, item: &Item, report: &mut Report) -> Option<FileValue> {
    let name = key.name;
    let single = |value: Option<Value>| value.map(FileValue::from);
    match (kind, &item.node) {
        (Kind::Text | Kind::LinkName(_) | Kind::NodeName, Node::Text(text)) => Some(FileValue::Text(text.clone())),
        (Kind::Flag, Node::Flag(flag)) => Some(Value::Flag(*flag).into()),
        (Kind::Word(words) | Kind::Or(Kind::Number(_), words), Node::Text(text)) => {
            single(word(name, words, text, item.at, report).map(Value::Word))
        }
        // Another text may be meant to be true or false.
        (Kind::Or(Kind::Flag, words), Node::Text(text)) if nearest(text, words.iter().copied()).is_some() => {
            single(word(name, words, text, item.at, report).map(Value::Word))
        }
        (
            Kind::Or(kind @ (Kind::Flag | Kind::Number(_)), _),
            Node::Flag(_) | Node::Integer(Some(_)) | Node::Float(_),
        ) => of_kind(key, kind, item, report),
        (Kind::Mechanism(family), Node::Text(text)) => {
            single(word(name, names(*family), alias(text).unwrap_or(text), item.at, report).map(Value::Word))
        }
        (Kind::Integer(min, max), Node::Integer(integer)) => {
            single(whole(name, *integer, *min, *max, item.at, report).map(Value::Integer))
        }
        (Kind::Number(max), Node::Integer(Some(_)) | Node::Float(_)) => {
            let number = float(&item.node);
            if number > 0.0 && number <= *max {
                return Some(Value::Number(number).into());
            }
            report.error(item.at, format!("`{name}` is {number}")).label(format!("must be more than 0, at most {max}"));
            None
        }
        (Kind::Share, Node::Integer(Some(_)) | Node::Float(_)) => {
            let number = float(&item.node);
            if (0.0..=1.0).contains(&number) {
                return Some(Value::Number(number).into());
            }
            let help = (number > 1.0 && number <= 100.0).then(|| format!("{number} per cent are {}", number / 100.0));
            report.error(item.at, format!("`{name}` is {number}")).label("must be 0 to 1").help_if(help);
            None
        }
        (Kind::Factor, Node::Integer(Some(_)) | Node::Float(_) | Node::Text(_)) => single(factor(name, item, report)),
        (Kind::Integers, Node::Array(items)) => {
            integers(name, items, report).map(|integers| FileValue::Setting(Setting::Integers(integers)))
        }
        (Kind::Amounts(_), Node::Array(items)) => {
            let amounts =
                items.iter().map(|item| quantities::quantity(name, &amount_of(kind), item, report)?.quantity());
            let amounts: Option<Vec<Quantity>> = amounts.collect();
            amounts.map(|amounts| FileValue::Setting(Setting::Amounts(amounts)))
        }
        (Kind::Law(kind), Node::Table(_)) => law(name, kind, item, report),
        (Kind::Law(kind), _) => of_kind(key, kind, item, report),
        (Kind::Table(keys), Node::Table(_)) => {
            let known: Vec<&str> = keys.iter().map(|key| key.name).collect();
            let mut fields = Fields::new(name, item, &known, report)?;
            parameters(&mut fields, keys).map(|values| FileValue::Setting(Setting::Table(values)))
        }
        (kind, _) => match Amount::of(kind) {
            Some(amount) => quantities::quantity(name, &amount, item, report),
            None => unexpected(key, item, report),
        },
    }
}

/// A law in a table: the keys of each are those that it describes itself, and its amounts are of this kind.
fn law(name: &str, kind: &Kind, item: &Item, report: &mut Report) -> Option<FileValue> {
    let mut known = vec![LAW.name];
    for key in law::ALL.iter().flat_map(|law| law.keys) {
        if !known.contains(&key.name) {
            known.push(key.name);
        }
    }
    let mut fields = Fields::new(name, item, &known, report)?;
    let chosen = fields.item(LAW.name, &example(&LAW))?;
    let word = check(&LAW, chosen, fields.report)?.word()?;
    let law = law::ALL.iter().find(|law| law.name == word)?;
    let is_own = |name: &str| name == LAW.name || law.keys.iter().any(|key| key.name == name);
    if let Some((other, entry)) = fields.table.entries.iter().find(|(name, _)| !is_own(name)) {
        let own: Vec<&str> = law.keys.iter().map(|key| key.name).collect();
        fields
            .report
            .error(entry.key_at, format!("`{other}` has no meaning with law = {word:?}"))
            .label(format!("its keys: {}", own.join(", ")));
        return None;
    }
    let mut values = Values::default();
    values.push(LAW.name, Setting::One(Value::Word(law.name)));
    parameters(&mut fields, law.keys)?.iter().for_each(|(key, setting)| values.push(key, setting.clone()));
    let limit = amount_of(kind).limits.first().copied()?;
    for (key, amount) in law::amounts(&values) {
        if amount.dimension != limit.dimension {
            let (is, wanted) = (amount.dimension.short_name(), limit.dimension.short_name());
            fields
                .report
                .error(
                    fields.at(key),
                    format!("`{key}` is {}, and `{name}` is about another quantity", amount.canonical()),
                )
                .label(format!("expected {wanted}, not {is}"));
            return None;
        }
        if amount.amount > limit.max {
            let most = Quantity { dimension: limit.dimension, amount: limit.max }.canonical();
            fields
                .report
                .error(fields.at(key), format!("`{key}` is {}", amount.canonical()))
                .label(format!("at most {most}"));
            return None;
        }
    }
    let setting = Setting::Table(values);
    match law::Law::read(&setting) {
        Err(misfit) => {
            let entry = misfit.keys.iter().find_map(|key| fields.table.entries.get(*key));
            fields.report.error(entry.map_or(item.at, |entry| entry.item.at), misfit.problem).label(misfit.expected);
            return None;
        }
        // A law may have smaller amounts than what is constant, but not always.
        Ok(law) if law.mean().is_some_and(|mean| mean < limit.min as f64) => {
            let least = Quantity { dimension: limit.dimension, amount: limit.min }.canonical();
            fields
                .report
                .error(item.at, format!("the amounts of `{name}` are too small"))
                .label(format!("at least {least} on average"));
            return None;
        }
        Ok(_) => {}
    }
    Some(FileValue::Setting(setting))
}

fn amount_of<'k>(kind: &'k Kind) -> Amount<'k> {
    match kind {
        Kind::Amounts(limits) => Amount::of_limits(limits),
        kind => Amount::of(kind).expect("a kind of quantities"),
    }
}

/// The default of a key, unless it depends on other things.
pub(crate) fn default_value(key: &Key) -> Option<FileValue> {
    match (key.default, key.kind) {
        (Default::Is(Value::Word(word)), Kind::Text | Kind::LinkName(_)) => Some(FileValue::Text(word.to_owned())),
        (Default::Is(value), _) => Some(value.into()),
        (Default::Of(..) | Default::SameAs(_) | Default::Derived(_) | Default::Required(_), _) => None,
    }
}

/// The parameters that these keys of a table describe.
pub(super) fn parameters(fields: &mut Fields<'_>, keys: &[Key]) -> Option<Values> {
    let mut values = Values::default();
    for (name, value) in settings(fields, keys.iter())? {
        if let FileValue::Setting(setting) = value {
            values.push(name, setting);
        }
    }
    Some(values)
}

/// The values of these keys of a table, given or defaults; everything wrong is reported.
pub(super) fn settings<'k>(
    fields: &mut Fields<'_>,
    keys: impl Iterator<Item = &'k Key>,
) -> Option<Vec<(&'static str, FileValue)>> {
    let values: Vec<(&'static str, Option<FileValue>)> = keys.map(|key| (key.name, setting(fields, key))).collect();
    values.into_iter().map(|(name, value)| value.map(|value| (name, value))).collect()
}

fn setting(fields: &mut Fields<'_>, key: &Key) -> Option<FileValue> {
    if !fields.table.entries.contains_key(key.name)
        && let Some(default) = default_value(key)
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
fn integers(name: &str, items: &[Item], report: &mut Report) -> Option<Vec<u64>> {
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
    Some(integers)
}
