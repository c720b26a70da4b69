//! The names of flows and of groups, and where flows come from.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::document::{Document, Named, is_name};
use crate::text::diagnostic::Report;
use crate::text::names::natural;
use crate::topologies::MadeFlow;
use crate::value::FileValue;

/// Where a flow comes from.
#[derive(Clone, Copy)]
pub(super) enum Origin {
    /// The topology makes it, with this number.
    Topology(usize),
    /// It has a table of its own.
    Table,
    /// It is a file that arrives: of which table, and which of its files.
    Arrives(usize, usize),
}

/// The names of all flows in natural order, and where they come from.
pub(super) fn of_flows(
    document: &Document,
    made: &[MadeFlow],
    tables: &HashMap<&str, &Named>,
) -> Vec<(String, Origin)> {
    let files = &document.files;
    let of_files = files.iter().map(|of| of.files.len()).sum::<usize>();
    let mut names = Vec::with_capacity(made.len() + tables.len() + of_files);
    names.extend(made.iter().enumerate().map(|(number, flow)| (flow.name.clone(), Origin::Topology(number))));
    let known: BTreeSet<&str> = match tables.is_empty() {
        true => BTreeSet::new(),
        false => made.iter().map(|flow| &*flow.name).filter(|name| tables.contains_key(name)).collect(),
    };
    let own = document.flows.iter().filter(|named| !known.contains(&*named.name));
    names.extend(own.map(|named| (named.name.clone(), Origin::Table)));
    for (of, table) in files.iter().enumerate() {
        names.extend((0..table.files.len()).map(|place| (table.name_of(place), Origin::Arrives(of, place))));
    }
    names.sort_by(|(a, _), (b, _)| natural(a, b));
    names
}

/// A group has a name as flows have, and none of theirs: measures know flows and groups by it.
pub(super) fn check_groups(document: &Document, names: &[(String, Origin)], report: &mut Report) {
    let groups = document.tables_of_flows().filter_map(|flow| Some((flow.given.value("group")?, flow)));
    let mut taken: HashSet<&str> = HashSet::new();
    for (group, flow) in groups {
        let (FileValue::Text(group), Some(at)) = (group, flow.given.key_at("group")) else { continue };
        // Of many flows few have a group, or all of them.
        if taken.is_empty() {
            let sources = document.udp.iter().map(|source| &*source.name);
            taken = names.iter().map(|(name, _)| &**name).chain(sources).collect();
        }
        if !is_name(group) {
            report
                .error(at, format!("{group:?} cannot be the name of a group"))
                .label("not a name")
                .help("a name has up to 64 letters, digits, `_`, `-` and `.`");
        } else if taken.contains(&**group) {
            report
                .error(at, format!("there is a flow or a source called `{group}`, too"))
                .label("not known apart")
                .help("measures know flows and groups by their names: choose another one");
        }
    }
}
