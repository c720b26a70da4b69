//! A scenario file as a tree of values, each with its place. Trees of several files are laid over one another.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::text::diagnostic::{At, TextId};

#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Its header, its braces, or the first mention of its name.
    pub(crate) at: At,
    pub(crate) entries: BTreeMap<String, Entry>,
}

/// A key and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key_at: At,
    pub(crate) item: Item,
}

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) at: At,
    pub(crate) node: Node,
}

/// A value as the file spells it.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Text(String),
    Flag(bool),
    /// `None`: beyond 64 bits.
    Integer(Option<i64>),
    Float(f64),
    Date,
    Array(Vec<Item>),
    Table(Table),
}

impl Table {
    pub(crate) fn empty(at: At) -> Table {
        Table { at, entries: BTreeMap::new() }
    }

    /// The table of a parsed document.
    pub(crate) fn read(table: &Spanned<DeTable<'_>>, text: TextId, offset: usize) -> Table {
        read_table(table.get_ref(), At::new(text, table.span(), offset), text, offset)
    }

    /// Lays another table over this one: tables are merged key by key, everything else is replaced.
    pub(crate) fn overlay(&mut self, over: Table) {
        for (name, entry) in over.entries {
            match (self.entries.get_mut(&name), entry) {
                (
                    Some(Entry { key_at, item: Item { at, node: Node::Table(below) } }),
                    Entry { key_at: over_key, item: Item { at: over_at, node: Node::Table(above) } },
                ) => {
                    below.at = above.at;
                    (*key_at, *at) = (over_key, over_at);
                    below.overlay(above);
                }
                (_, entry) => {
                    self.entries.insert(name, entry);
                }
            }
        }
    }
}

impl Item {
    pub(crate) fn read(value: &Spanned<DeValue<'_>>, text: TextId, offset: usize) -> Item {
        let at = At::new(text, value.span(), offset);
        let node = match value.get_ref() {
            DeValue::String(string) => Node::Text(string.to_string()),
            DeValue::Boolean(flag) => Node::Flag(*flag),
            DeValue::Integer(integer) => Node::Integer(i64::from_str_radix(integer.as_str(), integer.radix()).ok()),
            DeValue::Float(float) => Node::Float(float.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Datetime(_) => Node::Date,
            DeValue::Array(items) => Node::Array(items.iter().map(|item| Item::read(item, text, offset)).collect()),
            DeValue::Table(table) => Node::Table(read_table(table, at, text, offset)),
        };
        Item { at, node }
    }

    /// What it is, in a sentence.
    pub(crate) fn described(&self) -> String {
        match &self.node {
            Node::Text(text) => format!("the text {}", quoted(text)),
            Node::Flag(flag) => format!("the boolean {flag}"),
            Node::Integer(Some(integer)) => format!("the integer {integer}"),
            Node::Integer(None) => "an integer beyond 64 bits".to_owned(),
            Node::Float(float) => format!("the number {float:?}"),
            Node::Date => "a date or time".to_owned(),
            Node::Array(_) => "an array".to_owned(),
            Node::Table(_) => "a table".to_owned(),
        }
    }
}

/// A text in double quotes, cut where it is long.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown: String = text.chars().take(LONGEST).collect();
    if shown.len() < text.len() {
        shown.push('\u{2026}');
    }
    format!("{shown:?}")
}

fn read_table(table: &DeTable<'_>, at: At, text: TextId, offset: usize) -> Table {
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let name: &std::borrow::Cow<'_, str> = key.get_ref();
        (name.to_string(), Entry { key_at: At::new(text, key.span(), offset), item: Item::read(value, text, offset) })
    };
    Table { at, entries: table.iter().map(entry).collect() }
}
