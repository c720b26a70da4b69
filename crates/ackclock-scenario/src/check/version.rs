//! Files of version 1 of the language: parameters of mechanisms stood in the table around those of the mechanisms, some under
//! other names.

use crate::keys::{Mechanism, Section};
use crate::text::diagnostic::{At, Report};
use crate::text::tree::{Entry, Node, Table};

/// Keys of version 1 in [tcp] and what they are called now; in [queue] `red_values` alone.
const RENAMED: &[(&str, &[&str])] = &[
    ("growth", &["congestion_control"]),
    ("rtprop_window", &["bbr1.rtprop_window", "bbr3.min_rtt_window"]),
    ("bbr_loss_threshold", &["bbr3.loss_threshold"]),
    ("bbr_beta", &["bbr3.beta"]),
    ("bbr_headroom", &["bbr3.headroom"]),
    ("cubic_c", &["cubic.c"]),
    ("cubic_beta", &["cubic.beta"]),
    ("plus_return", &["vegas-plus.return_at"]),
    ("linux_alpha", &["vegas-linux.alpha"]),
    ("linux_beta", &["vegas-linux.beta"]),
    ("linux_gamma", &["vegas-linux.gamma"]),
    ("ab_step", &["vegas-a.step"]),
    ("ab_coupling", &["vegas-a.coupling"]),
];
const RENAMED_IN_QUEUE: &[(&str, &[&str])] = &[("red_values", &["red.values"])];

/// What a key that this table had in version 1 under another name is called now.
pub(crate) fn renamed(section: Section, word: &str) -> Option<&'static [&'static str]> {
    let names = match section {
        Section::Tcp | Section::FlowTcp => RENAMED,
        Section::Queue | Section::Port => RENAMED_IN_QUEUE,
        Section::Top | Section::Network | Section::Node | Section::Link | Section::LinkDirection => return None,
        Section::Medium => return None,
        Section::Atm | Section::Packet | Section::Traffic | Section::Flow => return None,
        Section::Arrivals | Section::Udp => return None,
        Section::Abr | Section::FlowAbr | Section::Satellites | Section::Place => return None,
        Section::QueueAlgorithm(_) | Section::PortAlgorithm(_) => return None,
        Section::TcpAlgorithm(_) | Section::FlowTcpAlgorithm(_) => return None,
        Section::Application(_) | Section::FlowApplication(_) => return None,
    };
    names.iter().find(|(old, _)| *old == word).map(|(_, new)| *new)
}

/// Reports what files of version 1 call otherwise as one error, and calls it as it is called now, so that the rest can be
/// checked.
pub(crate) fn translate(tree: &mut Table, report: &mut Report) {
    let version = tree.entries.get("version").filter(|entry| matches!(entry.item.node, Node::Integer(Some(1))));
    let version_at = version.map(|entry| entry.item.at);
    let has_old_names = tables(tree).iter().any(|(section, table)| {
        let old = |(name, entry): (&String, &Entry)| {
            renamed(*section, name).is_some() && report.file_of(entry.key_at).is_some()
        };
        table.entries.iter().any(old)
    });
    // A file that says version 2 has made a mistake, like an argument.
    if version_at.is_none() && (tree.entries.contains_key("version") || !has_old_names) {
        return;
    }
    let of_tcp =
        |(section, table): (Section, &mut Table)| if section == Section::Tcp { chosen(table) } else { Vec::new() };
    let general: Vec<String> = tables(tree).into_iter().flat_map(of_tcp).collect();
    let mut moves = Vec::new();
    for (section, table) in tables(tree) {
        let own = chosen(table);
        for name in table.entries.keys().cloned().collect::<Vec<_>>() {
            let mut new = names_of_today(section, &name);
            if new.is_empty() {
                continue;
            }
            // That of the mechanism that is chosen, here or for all; a congestion control goes before a recovery of its name.
            let of = |name: &String| new.iter().find(|path| path.starts_with(&format!("{name}.")));
            if let Some(path) = own.iter().chain(&general).find_map(of).cloned() {
                new = vec![path];
            }
            let Some(entry) = table.entries.remove(&name) else { continue };
            moves.push((entry.key_at, name, new.clone()));
            if let [path] = &new[..] {
                insert(table, path, entry);
            }
        }
    }
    moves.sort_by_key(|(at, ..)| *at);
    let Some(at) = version_at.or(moves.first().map(|(at, ..)| *at)) else { return };
    tree.entries.remove("version");
    let changes: Vec<String> = moves.iter().map(|(at, old, new)| change(*at, old, new, report)).collect();
    let help = match &changes[..] {
        [] => "write version = 2: all of its keys keep their names".to_owned(),
        changes => format!("write version = 2, and {}", changes.join(", ")),
    };
    report.error(at, "this is a scenario file of version 1").label("this program reads version 2").help(help);
}

fn change(at: At, old: &str, new: &[String], report: &Report) -> String {
    format!("`{}` for `{old}` ({})", new.join("` or `"), report.file_line(at))
}

/// What a key that is none of this table is called now, with the mechanism's table: the candidates.
fn names_of_today(section: Section, name: &str) -> Vec<String> {
    if section.key_named(name).is_some() {
        return Vec::new();
    }
    if let Some(new) = renamed(section, name) {
        let same = mechanisms_of(section).iter().filter(|mechanism| has_key(mechanism, name));
        let same = same.map(|mechanism| format!("{}.{name}", mechanism.name));
        let mut all: Vec<String> = new.iter().map(|path| (*path).to_owned()).chain(same).collect();
        all.dedup();
        return all;
    }
    let of_mechanism = mechanisms_of(section).iter().filter(|mechanism| has_key(mechanism, name));
    of_mechanism.map(|mechanism| format!("{}.{name}", mechanism.name)).collect()
}

fn mechanisms_of(section: Section) -> &'static [Mechanism] {
    section.chooses().map_or(&[], |chooses| chooses.mechanisms)
}

fn has_key(mechanism: &Mechanism, name: &str) -> bool {
    mechanism.keys.iter().any(|key| key.name == name)
}

/// The mechanisms that a table chooses, by what they are called in either version.
fn chosen(table: &Table) -> Vec<String> {
    let word = |key: &str| match &table.entries.get(key)?.item.node {
        Node::Text(text) => Some(text.clone()),
        _ => None,
    };
    ["growth", "congestion_control", "recovery", "policy"].into_iter().filter_map(word).collect()
}

/// Puts a value where `table.key`, or `key`, says, if nothing is there.
fn insert(table: &mut Table, path: &str, entry: Entry) {
    let Some((name, key)) = path.split_once('.') else {
        table.entries.entry(path.to_owned()).or_insert(entry);
        return;
    };
    let at = entry.key_at;
    let around = table.entries.entry(name.to_owned()).or_insert_with(|| Entry {
        key_at: at,
        item: crate::text::tree::Item { at, node: Node::Table(Table::empty(at)) },
    });
    if let Node::Table(inner) = &mut around.item.node {
        inner.entries.entry(key.to_owned()).or_insert(entry);
    }
}

/// The tables that choose mechanisms.
fn tables(tree: &mut Table) -> Vec<(Section, &mut Table)> {
    let mut all = Vec::new();
    for (name, entry) in &mut tree.entries {
        let Node::Table(table) = &mut entry.item.node else { continue };
        if name == Section::Tcp.key() {
            all.push((Section::Tcp, table));
        } else if name == Section::Queue.key() {
            all.push((Section::Queue, table));
        } else if name == Section::Port.key() {
            all.extend(table.entries.values_mut().filter_map(table_of).map(|port| (Section::Port, port)));
        } else if name == Section::Flow.key() {
            let flows = table.entries.values_mut().filter_map(table_of);
            let tcp = flows.filter_map(|flow| flow.entries.get_mut(Section::FlowTcp.key()).and_then(table_of));
            all.extend(tcp.map(|tcp| (Section::FlowTcp, tcp)));
        }
    }
    all
}

fn table_of(entry: &mut Entry) -> Option<&mut Table> {
    match &mut entry.item.node {
        Node::Table(table) => Some(table),
        _ => None,
    }
}
