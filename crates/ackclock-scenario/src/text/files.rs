//! From a path and `--set` arguments to one tree: reading, syntax, `extends`.

use std::io::ErrorKind;
use std::ops::Range;

use toml::de::DeTable;

use crate::text::diagnostic::{At, LoadError, Report, TextId};
use crate::text::source::Source;
use crate::text::tree::{Entry, Item, Node, Table};

/// The largest scenario file that is read: a million flows with hosts and links of their own are shorter.
const MAX_FILE_BYTES: usize = 256 << 20;
/// How many files a chain of `extends` may have.
const MAX_CHAIN: usize = 16;

/// The tree of the file at `path`, laid over the trees of the files it extends.
pub(crate) fn read(source: &dyn Source, path: &str, report: &mut Report) -> Result<Table, LoadError> {
    let bytes = source.read(path).map_err(|error| LoadError::Unreadable { path: path.to_owned(), error })?;
    let mut layers = vec![parse(path, bytes, report)];
    let mut chain = vec![path.to_owned()];
    while let Some(entry) = layers.last_mut().and_then(|layer| layer.entries.remove("extends")) {
        let Some((path, bytes)) = extended(source, &chain, &entry, report) else { break };
        layers.push(parse(&path, bytes, report));
        chain.push(path);
    }
    let mut tree = layers.pop().expect("the first file is a layer");
    while let Some(layer) = layers.pop() {
        tree.at = layer.at;
        tree.overlay(layer);
    }
    Ok(tree)
}

/// The file that an `extends` entry names.
fn extended(source: &dyn Source, chain: &[String], entry: &Entry, report: &mut Report) -> Option<(String, Vec<u8>)> {
    let at = entry.item.at;
    let Node::Text(reference) = &entry.item.node else {
        report
            .error(at, format!("`extends` is {}, not a path", entry.item.described()))
            .label("expected a path in quotes")
            .help("write extends = \"base.toml\"; the path is relative to this file");
        return None;
    };
    let path = source.join(chain.last().expect("a chain begins with a file"), reference);
    if chain.contains(&path) {
        report
            .error(at, "the chain of `extends` comes back to a file that is already in it")
            .label(format!("{path} again"))
            .help(format!("the chain is {} -> {path}", chain.join(" -> ")));
        return None;
    }
    if chain.len() == MAX_CHAIN {
        report
            .error(at, format!("the chain of `extends` is longer than {MAX_CHAIN} files"))
            .label(format!("at most {MAX_CHAIN}"));
        return None;
    }
    match source.read_referenced(&path) {
        Ok(bytes) => Some((path, bytes)),
        Err(error) => {
            let help = match error.kind() {
                ErrorKind::Unsupported | ErrorKind::FileTooLarge => "name a scenario file: text of a few kB on a disk",
                _ => "the path is relative to the file that extends",
            };
            report
                .error(at, format!("the extended file {path} cannot be read: {error}"))
                .label("not readable")
                .help(help);
            None
        }
    }
}

fn parse(path: &str, bytes: Vec<u8>, report: &mut Report) -> Table {
    if bytes.len() > MAX_FILE_BYTES {
        let id = report.add_text(path, "");
        report
            .syntax_error(At::new(id, 0..0, 0), format!("{path} has {} bytes; at most 256 MiB is read", bytes.len()))
            .help("a scenario file is text of a few kB; is this another kind of file?");
        return Table::empty(At::new(id, 0..0, 0));
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let id = report.add_text(path, &text);
            let at = At::new(id, valid..valid + '\u{fffd}'.len_utf8(), 0);
            report
                .syntax_error(
                    at,
                    format!("{path} is not UTF-8 text: the byte at position {valid} belongs to no character"),
                )
                .label("not UTF-8")
                .help("save the file as UTF-8");
            return Table::empty(At::new(id, 0..0, 0));
        }
    };
    let id = report.add_text(path, &text);
    let (table, errors) = DeTable::parse_recoverable(&text);
    for error in errors {
        syntax(id, &text, error.message(), error.span().unwrap_or(0..0), report);
    }
    let mut tree = Table::read(&table, id, 0);
    // The whole file is no place to point at.
    tree.at = At::new(id, 0..0, 0);
    tree
}

fn syntax(id: TextId, text: &str, message: &str, span: Range<usize>, report: &mut Report) {
    // Lines may be long and errors many.
    let line = if report.is_long() { "" } else { line_around(text, span.start) };
    let header = line.trim_start().starts_with('[') && line.contains("->") && !line.contains('"');
    let (what, label) = explain_syntax(text, message, span.clone());
    report
        .syntax_error(At::new(id, span, 0), format!("not TOML: {what}"))
        .label(label)
        .help_if(header.then(|| "names with `->` need quotes in a header, as in [port.\"sw1->sw2\"]".to_owned()));
}

fn line_around(text: &str, byte: usize) -> &str {
    let start = text.get(..byte).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1);
    text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or("")
}

/// A message and a label for an error of the TOML parser.
pub(crate) fn explain_syntax(text: &str, message: &str, span: Range<usize>) -> (String, String) {
    let (what, expected) = message.split_once(", ").unwrap_or((message, ""));
    let value = text.get(span).unwrap_or("").trim();
    let is_word = value.chars().all(|c| c.is_alphanumeric() || " ._+-/%>".contains(c)) && !value.is_empty();
    let is_unquoted = ["string values must be quoted", "invalid float", "invalid boolean"].contains(&what);
    if is_word && is_unquoted {
        ("this value needs quotes".to_owned(), format!("write \"{value}\""))
    } else {
        (what.to_owned(), expected.to_owned())
    }
}

/// Refuses an `extends` that came from elsewhere than a file.
pub(crate) fn refuse_extends(tree: &mut Table, report: &mut Report) {
    if let Some(Entry { key_at, item: Item { .. } }) = tree.entries.remove("extends") {
        report.error(key_at, "`extends` works only in files").label("not here");
    }
}
