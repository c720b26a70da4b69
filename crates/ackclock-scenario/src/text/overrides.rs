//! `--set path=value`, and options that stand for a key: single values laid over the tree of the files.

use toml::de::DeValue;

use crate::text::diagnostic::{At, Report, TextId};
use crate::text::files::explain_syntax;
use crate::text::tree::{Entry, Item, Node, Table};

/// More keys than any path in a scenario has.
const MAX_DEPTH: usize = 16;

/// An option of a command that stands for a key of scenario files. What is wrong with its value is shown at the option.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    /// Its name, as in `--buffer`.
    pub option: &'a str,
    /// The key with the tables that it is in, as in `["queue", "buffer"]`.
    pub key: &'a [&'a str],
    /// What it is given.
    pub value: &'a str,
}

/// Lays options over the tree.
pub(crate) fn apply_arguments(tree: &mut Table, arguments: &[Argument<'_>], report: &mut Report) {
    for Argument { option, key, value } in arguments {
        let id = report.add_argument(option, value);
        report.stands_for(option, key);
        let Some(item) = parse_value(value, id, 0, report) else { continue };
        let at = item.at;
        lay(tree, key.iter().map(|name| ((*name).to_owned(), at)).collect(), item);
    }
}

/// Lays `--set` arguments over the tree, later ones over earlier ones.
pub(crate) fn apply(tree: &mut Table, overrides: &[String], report: &mut Report) {
    for set in overrides {
        let id = report.add_argument("--set", set);
        let Some((path, rest)) = parse_path(set, id, 0, "--set", report) else { continue };
        let Some(item) = parse_value(&set[rest..], id, rest, report) else { continue };
        lay(tree, path, item);
    }
}

/// Lays one value over the tree.
pub(crate) fn lay(tree: &mut Table, path: Vec<(String, At)>, item: Item) {
    let mut node = item;
    for (name, at) in path.into_iter().rev() {
        let mut table = Table::empty(at);
        table.entries.insert(name, Entry { key_at: at, item: node });
        node = Item { at, node: Node::Table(table) };
    }
    if let Node::Table(layer) = node.node {
        tree.overlay(layer);
    }
}

/// The keys before the first `=`, and where the value begins. `set` begins at `offset` in the text of an option.
pub(crate) fn parse_path(
    set: &str,
    id: TextId,
    offset: usize,
    option: &str,
    report: &mut Report,
) -> Option<(Vec<(String, At)>, usize)> {
    let example = format!("write a dotted path and a value, as in {option} \"queue.buffer=3000 cells\"");
    let mut path = Vec::new();
    let mut start = 0;
    loop {
        let rest = &set[start..];
        let blanks = rest.len() - rest.trim_start().len();
        start += blanks;
        let rest = &set[start..];
        let (name, length) = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => match rest[1..].find(quote) {
                Some(end) => (rest[1..=end].to_owned(), end + 2),
                None => {
                    report
                        .error(At::new(id, start..set.len(), offset), "a quoted key has no end")
                        .label(format!("expected {quote}"));
                    return None;
                }
            },
            _ => {
                let end = rest.find(['.', '=']).unwrap_or(rest.len());
                let name = rest[..end].trim_end();
                (name.to_owned(), name.len())
            }
        };
        let at = At::new(id, start..start + length, offset);
        let after = set[start + length..].trim_start();
        let next = set.len() - after.len();
        if name.is_empty() || !(after.is_empty() || after.starts_with(['.', '='])) {
            report
                .error(at, format!("{} is no `path=value`", crate::text::tree::quoted(set)))
                .label("expected a key")
                .help(example);
            return None;
        }
        path.push((name, at));
        if path.len() > MAX_DEPTH {
            report
                .error(At::new(id, 0..start, offset), "no key lies that deep")
                .label(format!("at most {MAX_DEPTH} names"));
            return None;
        }
        if after.is_empty() {
            report
                .error(At::new(id, 0..set.len(), offset), format!("{} has no value", crate::text::tree::quoted(set)))
                .label("expected path=value")
                .help(example);
            return None;
        }
        start = next + 1;
        if after.starts_with('=') {
            return Some((path, start));
        }
    }
}

/// Whether [`parse_value`] takes a text that has no quotes for that text.
pub(crate) fn is_plain_text(text: &str) -> bool {
    let is_trimmed = !text.is_empty() && text.trim() == text;
    let is_other = match DeValue::parse(text) {
        Ok(parsed) => !matches!(parsed.get_ref(), DeValue::Datetime(_)),
        Err(_) => text.starts_with(['"', '\'', '[', '{']),
    };
    is_trimmed && !is_other && !text.contains(char::is_control)
}

/// A TOML value, or else a text without quotes.
pub(crate) fn parse_value(text: &str, id: TextId, offset: usize, report: &mut Report) -> Option<Item> {
    let value = text.trim();
    let offset = offset + (text.len() - text.trim_start().len());
    match DeValue::parse(value) {
        Ok(parsed) if !matches!(parsed.get_ref(), DeValue::Datetime(_)) => Some(Item::read(&parsed, id, offset)),
        Err(error) if value.starts_with(['"', '\'', '[', '{']) => {
            let span = error.span().unwrap_or(0..value.len());
            let (what, label) = explain_syntax(value, error.message(), span.clone());
            report.error(At::new(id, span, offset), format!("not a TOML value: {what}")).label(label);
            None
        }
        _ => Some(Item { at: At::new(id, 0..value.len(), offset), node: Node::Text(value.to_owned()) }),
    }
}
