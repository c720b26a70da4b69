//! The keys of one table in a list.

use ackclock::keys::{Kind, Quantity};

use super::quantities::{quantity_of, time_of};
use crate::check::suggest;
use crate::text::diagnostic::{At, Report};
use crate::text::tree::{Item, Node, Table, quoted};

/// The keys of one table in a list.
pub(super) struct Fields<'a> {
    /// The key whose value the table is in.
    name: &'a str,
    pub(super) table: &'a Table,
    place: At,
    pub(super) report: &'a mut Report,
}

impl<'a> Fields<'a> {
    /// A table with no other than the known keys, or a report.
    pub(super) fn new(name: &'a str, item: &'a Item, known: &[&str], report: &'a mut Report) -> Option<Fields<'a>> {
        let Node::Table(table) = &item.node else {
            report
                .error(item.at, format!("an element of `{name}` is {}", item.described()))
                .label("expected a table in braces")
                .help(format!("known keys: {}", known.join(", ")));
            return None;
        };
        let mut fine = true;
        for (key, entry) in table.entries.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
            let near = suggest::nearest(key, known.iter().copied());
            report
                .error(entry.key_at, format!("unknown key {} in `{name}`", quoted(key)))
                .label(format!("known: {}", known.join(", ")))
                .help_if(near.map(|near| format!("did you mean `{near}`?")));
            fine = false;
        }
        fine.then_some(Fields { name, table, place: item.at, report })
    }

    /// Where the value of a key is; without one where the table is.
    pub(super) fn at(&self, key: &str) -> At {
        self.table.entries.get(key).map_or(self.place, |entry| entry.item.at)
    }

    /// The value of a key, or a report that it is missing.
    pub(super) fn item(&mut self, key: &str, example: &str) -> Option<&'a Item> {
        let item = self.table.entries.get(key).map(|entry| &entry.item);
        if item.is_none() {
            self.report
                .error(self.place, format!("`{key}` is missing in `{}`", self.name))
                .label("needs one more key")
                .help(format!("add {key} = {example}"));
        }
        item
    }

    pub(super) fn is_word(&self, key: &str, word: &str) -> bool {
        matches!(self.table.entries.get(key).map(|entry| &entry.item.node), Some(Node::Text(text)) if text == word)
    }

    /// A time, picoseconds, `min` at least.
    pub(super) fn time(&mut self, key: &str, min: u64) -> Option<u64> {
        let item = self.item(key, "\"10 s\"")?;
        time_of(key, item, min, self.report)
    }

    pub(super) fn quantity(&mut self, key: &str, kind: &Kind) -> Option<Quantity> {
        let item = self.item(key, "\"...\"")?;
        quantity_of(key, kind, item, self.report)
    }
}
