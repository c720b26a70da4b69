//! Lists: of names, of metrics, of segments that are lost on purpose.

use std::collections::BTreeMap;

use ackclock::keys::{Key, Kind, MOST_ORDINAL};
use ackclock::record::{GROUPS, Metric};
use ackclock::scenario::ForcedDrop;

use super::expectation::expectation;
use super::fields::Fields;
use super::simple::parameters;
use super::words::whole;
use crate::check::suggest;
use crate::text::diagnostic::{At, Report};
use crate::text::tree::{Item, Node, quoted};
use crate::value::{FileValue, Name};

/// Names of nodes: as many as the kind wants.
pub(super) fn names(name: &str, kind: &Kind, items: &[Item], at: At, report: &mut Report) -> Option<FileValue> {
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
    let enough =
        if matches!(kind, Kind::Ends) { items.len() == 2 } else { items.len() >= 2 || !matches!(kind, Kind::Route) };
    if fine && !enough {
        let (expected, example) = expectation(kind);
        report
            .error(at, format!("`{name}` has {} element{}", items.len(), if items.len() == 1 { "" } else { "s" }))
            .label(format!("expected {expected}"))
            .help(format!("write {name} = {example}"));
        return None;
    }
    fine.then_some(FileValue::Names(names))
}

pub(super) fn metrics(items: &[Item], report: &mut Report) -> Option<FileValue> {
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
    fine.then(|| FileValue::Metrics(metrics.into_iter().collect()))
}

/// What may stand in a list of metrics.
pub(crate) fn metric_words() -> Vec<&'static str> {
    GROUPS.iter().map(|(name, _)| *name).chain(Metric::ALL.iter().map(|metric| metric.name())).collect()
}

/// Segments that are lost on purpose.
pub(super) fn drops(keys: &[Key], items: &[Item], report: &mut Report) -> Option<FileValue> {
    let mut drops = BTreeMap::new();
    let mut fine = true;
    for item in items {
        let drop = match &item.node {
            Node::Integer(integer) => {
                let segment = whole("drops", *integer, 0, MOST_ORDINAL, item.at, report);
                segment.map(|segment| ForcedDrop { segment, transmission: 1 })
            }
            Node::Table(_) => drop_table(keys, item, report),
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
    fine.then_some(FileValue::Drops(drops.into_values().collect()))
}

fn drop_table(keys: &[Key], item: &Item, report: &mut Report) -> Option<ForcedDrop> {
    let known: Vec<&str> = keys.iter().map(|key| key.name).collect();
    let mut fields = Fields::new("drops", item, &known, report)?;
    let values = parameters(&mut fields, keys)?;
    Some(ForcedDrop { segment: values.long_integer("segment"), transmission: values.integer("transmission") })
}
