//! What the points of a sweep have in common: the tree of the scenario without the keys that are varied. So two sweeps can be
//! told to be of one scenario, whatever their values are.

use std::collections::{BTreeMap, BTreeSet};

use blake3::Hasher;

use super::dimension::Path;
use ackclock::keys::{Dimension as Measure, Quantity};

use crate::check::version;
use crate::keys::outside::Outside;
use crate::text::diagnostic::Report;
use crate::text::tree::{Item, Node, Table};

/// Of each key at the top of a scenario a hash of its value, without what is varied and without the seed. Equal values have equal
/// hashes, however they are spelled; a value that is a default counts as given if it is.
///
/// Mechanisms from outside are part of it whether they are named or not, since values that are varied may name them.
pub(super) fn base<'a>(
    mut tree: Table,
    varied: impl Iterator<Item = &'a Path>,
    outside: &Outside,
) -> BTreeMap<String, String> {
    // What is wrong with old names was reported where the tree was loaded.
    version::translate(&mut tree, &mut Report::of(""));
    tree.entries.remove("version");
    tree.entries.remove("seed");
    for path in varied {
        let names: Vec<&str> = path.names.iter().map(|(name, _)| name.as_str()).collect();
        remove(&mut tree, &names);
    }
    let filled = tree.entries.iter().filter(|(_, entry)| !is_empty(&entry.item.node));
    let mut base: BTreeMap<String, String> =
        filled.map(|(name, entry)| (name.clone(), hash(&entry.item.node))).collect();
    let words: BTreeSet<String> = outside.words().map(|(family, word)| format!("{family:?} {word}")).collect();
    if !words.is_empty() {
        let item = |word| Item { at: tree.at, node: Node::Text(word) };
        base.insert(OUTSIDE.to_owned(), hash(&Node::Array(words.into_iter().map(item).collect())));
    }
    base
}

/// What the mechanisms from outside are called beside the keys of a scenario, none of which has such a name.
const OUTSIDE: &str = "mechanisms from outside";

/// A hash of a value, the same however it is spelled.
pub(super) fn hash(node: &Node) -> String {
    let mut hasher = Hasher::new();
    add(node, &mut hasher);
    hasher.finalize().to_hex()[..16].to_owned()
}

fn remove(table: &mut Table, names: &[&str]) {
    match names {
        [] => {}
        [name] => drop(table.entries.remove(*name)),
        [name, inner @ ..] => {
            if let Some(Node::Table(table)) = table.entries.get_mut(*name).map(|entry| &mut entry.item.node) {
                remove(table, inner);
            }
        }
    }
}

/// Whether it is a table without values, which says the same as none.
fn is_empty(node: &Node) -> bool {
    matches!(node, Node::Table(table) if table.entries.values().all(|entry| is_empty(&entry.item.node)))
}

fn add(node: &Node, hasher: &mut Hasher) {
    // Kinds and lengths, so that no two values run together to the same octets.
    let mut part = |kind: &str, text: &str| {
        hasher.update(kind.as_bytes()).update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    };
    match node {
        Node::Text(text) => match Quantity::parse(text, &Measure::ALL) {
            Ok(quantity) => part("quantity", &quantity.canonical()),
            Err(_) => part("text", text),
        },
        Node::Flag(flag) => part("flag", &flag.to_string()),
        // A number is the same with and without a point.
        Node::Integer(Some(integer)) if (*integer as f64) as i128 == i128::from(*integer) => {
            part("number", &format!("{:?}", *integer as f64));
        }
        Node::Integer(Some(integer)) => part("integer", &integer.to_string()),
        Node::Float(float) => part("number", &format!("{float:?}")),
        Node::Integer(None) | Node::Date => part("refused", ""),
        Node::Array(items) => {
            part("array", &items.len().to_string());
            items.iter().for_each(|item| add(&item.node, hasher));
        }
        Node::Table(table) => {
            let filled = table.entries.iter().filter(|(_, entry)| !is_empty(&entry.item.node));
            part("table", "");
            for (name, entry) in filled {
                hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
                add(&entry.item.node, hasher);
            }
            hasher.update(b"end");
        }
    }
}
