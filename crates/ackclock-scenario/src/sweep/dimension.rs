//! A dimension of a sweep: keys that change together, with their values.

use crate::text::diagnostic::At;
use crate::text::overrides;
use crate::text::tree::{Item, Node, Table};
use crate::value;
use ackclock::keys::{Dimension as Measure, Quantity};

/// Keys that change together, with their values.
#[derive(Clone, Debug)]
pub struct Dimension {
    pub(super) paths: Vec<Path>,
    /// Of each row the value of each key.
    pub(super) rows: Vec<Vec<Item>>,
}

/// A key, with the tables that it is in.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) names: Vec<(String, At)>,
    pub(super) at: At,
}

/// A key and its values, for tables.
#[derive(Clone, Debug, PartialEq)]
pub struct VariedKey {
    /// The key with its tables, as in `queue.buffer`.
    pub path: String,
    /// The value at each row of the dimension, as in scenario files but without quotes.
    pub values: Vec<String>,
    /// The values as `--set` takes them: in quotes where they would be read as something else.
    pub arguments: Vec<String>,
    /// Of each value the number and what it counts, if it is a number or a quantity: `bps`, `s`, `bytes`, `cells`, `packets`, `bdp`,
    /// `segments`, `ticks`, `m`, `deg`; empty for plain numbers.
    pub numbers: Vec<Option<(f64, &'static str)>>,
}

impl Dimension {
    /// How many rows of values there are.
    #[expect(clippy::len_without_is_empty, reason = "there is a value at least")]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The keys, with all their values.
    pub fn keys(&self) -> Vec<VariedKey> {
        let key = |(place, path): (usize, &Path)| {
            let items = || self.rows.iter().map(move |row| &row[place].node);
            VariedKey {
                path: spelled(&path.names),
                values: items().map(plain).collect(),
                arguments: items().map(argument).collect(),
                numbers: items().map(number).collect(),
            }
        };
        self.paths.iter().enumerate().map(key).collect()
    }

    /// Lays the values of a row over a scenario.
    pub(super) fn lay(&self, row: usize, tree: &mut Table) {
        for (path, item) in self.paths.iter().zip(&self.rows[row]) {
            overrides::lay(tree, path.names.clone(), item.clone());
        }
    }
}

/// A path as `--set` takes it.
pub(super) fn spelled(names: &[(String, At)]) -> String {
    let is_bare = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_/".contains(c));
    let quoted = |(name, _): &(String, At)| match (is_bare(name), name.contains('"')) {
        (true, _) => name.clone(),
        // There are no escapes within the quotes of a path.
        (false, true) => format!("'{name}'"),
        (false, false) => format!("\"{name}\""),
    };
    names.iter().map(quoted).collect::<Vec<_>>().join(".")
}

/// The values of a table and of those in it, each as `--set` takes it.
pub(super) fn assignments(table: &Table) -> Vec<String> {
    let mut found = Vec::new();
    collect(table, &[], &mut found);
    found
}

fn collect(table: &Table, above: &[(String, At)], found: &mut Vec<String>) {
    for (name, entry) in &table.entries {
        let mut names = above.to_vec();
        names.push((name.clone(), entry.key_at));
        match &entry.item.node {
            Node::Table(table) => collect(table, &names, found),
            other => found.push(format!("{}={}", spelled(&names), argument(other))),
        }
    }
}

/// A value as a number, and what it counts.
fn number(node: &Node) -> Option<(f64, &'static str)> {
    match node {
        Node::Integer(Some(integer)) => Some((*integer as f64, "")),
        Node::Float(float) => Some((*float, "")),
        Node::Text(text) => {
            let Quantity { dimension, amount } = Quantity::parse(text, &Measure::ALL).ok()?;
            let (unit, factor) = dimension.column_unit();
            Some((amount as f64 / factor, unit))
        }
        Node::Integer(None) | Node::Flag(_) | Node::Date | Node::Array(_) | Node::Table(_) => None,
    }
}

/// A value as `--set` takes it: a text without quotes where it is read as that text.
fn argument(node: &Node) -> String {
    match node {
        Node::Text(text) if overrides::is_plain_text(text) => text.clone(),
        other => in_file(other),
    }
}

/// A value without the quotes around a text.
fn plain(node: &Node) -> String {
    match node {
        Node::Text(text) => text.clone(),
        other => in_file(other),
    }
}

/// A value as in a file.
fn in_file(node: &Node) -> String {
    match node {
        Node::Text(text) => value::text(text),
        Node::Flag(flag) => flag.to_string(),
        Node::Integer(Some(integer)) => integer.to_string(),
        Node::Integer(None) => "an integer beyond 64 bits".to_owned(),
        // As TOML spells it.
        Node::Float(float) if float.is_nan() => "nan".to_owned(),
        Node::Float(float) => format!("{float:?}"),
        Node::Date => "a date".to_owned(),
        Node::Array(items) => value::list(items.iter().map(|item| in_file(&item.node))),
        Node::Table(table) => {
            let entries: Vec<String> =
                table.entries.iter().map(|(key, entry)| format!("{key} = {}", in_file(&entry.item.node))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}
