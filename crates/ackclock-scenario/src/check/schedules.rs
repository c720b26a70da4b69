//! Lists of instants: quantities and routes that change, and outages.

use ackclock::keys::{Kind, Quantity};

use super::fields::Fields;
use super::lists;
use super::quantities::quantity_of;
use crate::text::diagnostic::{At, Report};
use crate::text::tree::{Item, Node};
use crate::value::{self, FileValue, Outage, RouteChange, Schedule};

/// A list of quantities with their instants: `["10 ms", { at = "20 s", delay = "100 ms" }]`.
pub(super) fn schedule(name: &str, kind: &Kind, items: &[Item], at: At, report: &mut Report) -> Option<FileValue> {
    let Some((first, rest)) = items.split_first() else {
        report.error(at, format!("`{name}` is empty")).label("expected the value at the start");
        return None;
    };
    if matches!(first.node, Node::Table(_)) {
        report
            .error(first.at, format!("`{name}` has no value at the start"))
            .label("the first element holds from time 0 on")
            .help(format!("write {name} = [\"...\", {{ at = \"20 s\", {} = \"...\" }}]", value::changed(kind)));
        return None;
    }
    let later = value::changed(kind);
    let first = quantity_of(name, kind, first, report);
    let mut then: Vec<(u64, Quantity)> = Vec::with_capacity(rest.len());
    let mut fine = true;
    for item in rest {
        let mut fields = Fields::new(name, item, &["at", later], report)?;
        let (time, value) = (fields.time("at", 1), fields.quantity(later, kind));
        let (Some(time), Some(value)) = (time, value) else {
            fine = false;
            continue;
        };
        if then.last().is_some_and(|&(before, _)| before >= time) {
            report.error(item.at, format!("`{name}` goes back in time")).label("each instant must be later");
            fine = false;
        }
        then.push((time, value));
    }
    let first = first.filter(|_| fine)?;
    Some(FileValue::Schedule(Schedule { first, then }))
}

/// A list of outages: `[{ from = "10 s", until = "12 s" }]`.
pub(super) fn outages(items: &[Item], report: &mut Report) -> Option<FileValue> {
    let mut outages: Vec<Outage> = Vec::with_capacity(items.len());
    let mut fine = true;
    for item in items {
        let mut fields = Fields::new("outages", item, &["from", "until"], report)?;
        let from = fields.time("from", 0);
        let until = if fields.is_word("until", "never") { Some(None) } else { fields.time("until", 1).map(Some) };
        let (Some(from_ps), Some(until_ps)) = (from, until) else {
            fine = false;
            continue;
        };
        let is_apart = outages.last().is_none_or(|before| before.until_ps.is_some_and(|until| until < from_ps));
        if until_ps.is_some_and(|until| until <= from_ps) || !is_apart {
            report
                .error(item.at, "outages are not in order")
                .label("each must end after it begins, and begin after the one before has ended");
            fine = false;
        }
        outages.push(Outage { from_ps, until_ps });
    }
    fine.then_some(FileValue::Outages(outages))
}

/// A list of routes with their instants: `[{ at = "2 s", route = ["s1", "sw1", "d1"] }]`.
pub(super) fn routes(name: &str, items: &[Item], report: &mut Report) -> Option<FileValue> {
    let mut changes: Vec<RouteChange> = Vec::with_capacity(items.len());
    let mut fine = true;
    for item in items {
        let mut fields = Fields::new(name, item, &["at", "route"], report)?;
        let (time, route) = (fields.time("at", 1), fields.item("route", "[\"s1\", \"sw1\", \"d1\"]"));
        let nodes = match route.map(|route| (&route.node, route)) {
            Some((Node::Array(nodes), route)) => lists::names("route", &Kind::Route, nodes, route.at, fields.report),
            Some((_, route)) => {
                let found = format!("`route` in `{name}` is {}", route.described());
                fields.report.error(route.at, found).label("expected a list of nodes, ends included");
                None
            }
            None => None,
        };
        let (Some(at_ps), Some(FileValue::Names(nodes))) = (time, nodes) else {
            fine = false;
            continue;
        };
        if changes.last().is_some_and(|before| before.at_ps >= at_ps) {
            report.error(item.at, format!("`{name}` goes back in time")).label("each instant must be later");
            fine = false;
        }
        changes.push(RouteChange { at_ps, nodes, place: item.at });
    }
    fine.then_some(FileValue::RouteChanges(changes))
}
