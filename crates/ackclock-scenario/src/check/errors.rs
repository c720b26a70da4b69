//! Error models, as the value of the key `errors`: the keys of each are those that it describes itself.

use ackclock::keys::{Family, Key, Value, Values};
use ackclock::link::{AppliesTo, ErrorModelParams, ErrorParams, Place};

use super::expectation::example;
use super::fields::Fields;
use super::simple::{check, parameters, settings};
use super::words::{Here, mechanism, outside_has_no_keys};
use crate::keys::outside::Outside;
use crate::keys::{ErrorModelKeys, MODEL, error_models};
use crate::text::diagnostic::{At, Report};
use crate::text::tree::{Item, Node, Table};
use crate::value::{FileValue, LinkErrors, Name};

/// One error model, or a list of them, in tables that have the keys `around` beside those of the model.
pub(super) fn errors(item: &Item, around: &[Key], outside: &Outside, report: &mut Report) -> Option<FileValue> {
    let items = match &item.node {
        Node::Array(items) => items.as_slice(),
        _ => std::slice::from_ref(item),
    };
    let all: Vec<Option<LinkErrors>> = items.iter().map(|item| error(item, around, outside, report)).collect();
    all.into_iter().collect::<Option<Vec<_>>>().map(FileValue::Errors)
}

fn error(item: &Item, around: &[Key], outside: &Outside, report: &mut Report) -> Option<LinkErrors> {
    let mut fields = Fields::new("errors", item, &known(around), report)?;
    let chosen = fields.item(MODEL.name, &example(&MODEL))?;
    let name = match &chosen.node {
        Node::Text(text) => {
            let here = Here { technology: None, outside };
            mechanism(MODEL.name, Family::ErrorModel, text, here, chosen.at, fields.report)?
        }
        _ => check(&MODEL, chosen, fields.report)?.word()?,
    };
    let own = match outside.error_model(name) {
        Some(custom) => no_keys(&mut fields, name, around).map(|()| (Values::default(), custom)),
        None => own(&mut fields, name, around, item.at),
    };
    let others = settings(&mut fields, around.iter());
    let ((own, params), others) = (own?, others?);
    if let Some(key) = params.corrupts_all() {
        let at = fields.at(key);
        fields
            .report
            .warning(at, "every packet is corrupted")
            .label("no packet that it applies to can arrive")
            .help("a probability of 0.01 is one packet in a hundred; for a link that is down, write `outages`");
    }
    let word = |name: &str| others.iter().find(|(known, _)| *known == name).and_then(|(_, value)| value.word());
    let params = ErrorParams {
        model: params,
        place: meaning(word("place")?, Place::WORDS)?,
        applies_to: meaning(word("applies_to")?, AppliesTo::WORDS)?,
    };
    let direction = fields.table.entries.get("direction").and_then(|entry| match &entry.item.node {
        Node::Text(text) if text != "both" => Some(Name { text: text.clone(), at: entry.item.at }),
        _ => None,
    });
    let own = own.iter().map(|(name, setting)| (name, FileValue::Setting(setting.clone())));
    let keys = [(MODEL.name, Value::Word(name).into())].into_iter().chain(own).chain(others).collect();
    Some(LinkErrors { keys, params, direction })
}

/// What a table says of a model of the simulator.
fn own(fields: &mut Fields<'_>, name: &str, around: &[Key], at: At) -> Option<(Values, ErrorModelParams)> {
    let model = error_models().iter().find(|known| known.model.name == name)?;
    refuse_those_of_others(fields, model, around)?;
    let own = parameters(fields, &model.keys)?;
    match (model.model.params)(&own) {
        Ok(params) => Some((own, params)),
        Err(misfit) => {
            let given = misfit.keys.iter().find_map(|path| place_of(fields.table, path));
            fields.report.error(given.unwrap_or(at), misfit.problem).label(misfit.expected);
            None
        }
    }
}

/// Reports a key of a model from outside: such a one has none.
fn no_keys(fields: &mut Fields<'_>, name: &str, around: &[Key]) -> Option<()> {
    let is_here = |key: &str| key == MODEL.name || around.iter().any(|known| known.name == key);
    let Some((_, entry)) = fields.table.entries.iter().find(|(key, _)| !is_here(key)) else { return Some(()) };
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    outside_has_no_keys(fields.report, entry.key_at, name, "it");
    None
}

/// The keys that some table of an error model has, in order.
fn known(around: &[Key]) -> Vec<&'static str> {
    let mut known = vec![MODEL.name];
    for key in error_models().iter().flat_map(|model| &model.keys).chain(around) {
        if !known.contains(&key.name) {
            known.push(key.name);
        }
    }
    known
}

/// Reports a key of another model.
fn refuse_those_of_others(fields: &mut Fields<'_>, model: &ErrorModelKeys, around: &[Key]) -> Option<()> {
    let is_here = |name: &str| name == MODEL.name || model.keys.iter().chain(around).any(|key| key.name == name);
    let Some((key, entry)) = fields.table.entries.iter().find(|(name, _)| !is_here(name)) else { return Some(()) };
    let name = model.model.name;
    let own: Vec<&str> = model.keys.iter().map(|key| key.name).collect();
    fields
        .report
        .error(entry.key_at, format!("`{key}` is no key of the model {name}"))
        .label(format!("keys of {name}: {}", own.join(", ")));
    None
}

/// Where the value of a key is given: `key`, or `table.key`.
fn place_of(table: &Table, path: &str) -> Option<At> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let item = &table.entries.get(first)?.item;
    match (rest, &item.node) {
        (Some(rest), Node::Table(table)) => place_of(table, rest),
        (_, _) => Some(item.at),
    }
}

fn meaning<T: Copy>(word: &str, table: &[(&str, T)]) -> Option<T> {
    table.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
}
