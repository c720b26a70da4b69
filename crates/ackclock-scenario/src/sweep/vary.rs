//! `--vary path=values`: what one argument, or one entry of a sweep file, says.

use std::collections::HashSet;

use super::base;
use super::dimension::{self, Dimension, Path};
use super::range::{self, Range};
use crate::text::diagnostic::{At, Report, TextId};
use crate::text::overrides;
use crate::text::tree::{Item, quoted};

/// Keys that change together.
#[derive(Debug)]
pub(super) struct Varied {
    pub(super) assignments: Vec<Assignment>,
}

/// A key and what it is given.
#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) path: Path,
    pub(super) values: Vec<Values>,
}

/// One or more values of a list.
#[derive(Debug)]
pub(super) enum Values {
    One(Item),
    Range(Range),
}

/// A key whose values are sampled from a range.
#[derive(Debug)]
pub(super) struct Sampled {
    pub(super) path: Path,
    pub(super) range: Range,
}

/// Reads an argument: assignments separated by `;`, each with values separated by commas. `None`: wrong, and reported.
pub(super) fn argument(text: &str, report: &mut Report) -> Option<Varied> {
    let id = report.add_argument(OPTION, text);
    let parts = separated(text, ';');
    let assignments: Option<Vec<Assignment>> =
        parts.into_iter().map(|(start, part)| assignment(part, start, id, report)).collect();
    Some(Varied { assignments: assignments? })
}

fn assignment(text: &str, offset: usize, id: TextId, report: &mut Report) -> Option<Assignment> {
    let (names, rest) = overrides::parse_path(text, id, offset, OPTION, report)?;
    let begin = text.len() - text.trim_start().len();
    let at = At::new(id, begin..text[..rest].trim_end_matches([' ', '=']).len(), offset);
    let value = |(start, part): (usize, &str)| value(part, offset + rest + start, id, report);
    let values: Option<Vec<Values>> = separated(&text[rest..], ',').into_iter().map(value).collect();
    Some(Assignment { path: Path { names, at }, values: values? })
}

fn value(text: &str, offset: usize, id: TextId, report: &mut Report) -> Option<Values> {
    let trimmed = text.trim();
    let begin = text.len() - text.trim_start().len();
    let at = At::new(id, begin..begin + trimmed.len(), offset);
    if trimmed.is_empty() {
        report
            .error(at, "a value is missing")
            .label("expected a value")
            .help("separate values by single commas, as in --vary \"queue.buffer=10 packets,20 packets\"");
        return None;
    }
    match range::is_range(trimmed) {
        true => Range::parse(trimmed, at, report).map(Values::Range),
        false => overrides::parse_value(text, id, offset, report).map(Values::One),
    }
}

/// The parts between separators that are neither in quotes nor in brackets or braces, each with its place.
fn separated(text: &str, separator: char) -> Vec<(usize, &str)> {
    let (mut parts, mut start, mut depth, mut quote) = (Vec::new(), 0, 0_i32, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) => quote = (c != open).then_some(open),
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            (None, c) if c == separator && depth == 0 => {
                parts.push((start, &text[start..at]));
                start = at + c.len_utf8();
            }
            (None, _) => {}
        }
    }
    parts.push((start, &text[start..]));
    parts
}

impl Varied {
    /// The only key, if it is to be sampled; else all as they are. `None`: wrong, and reported.
    pub(super) fn sampled(mut self, report: &mut Report) -> Option<Result<Sampled, Varied>> {
        let open = |values: &Values| matches!(values, Values::Range(range) if range.count.is_none());
        let Some(range) = self.assignments.iter().flat_map(|assignment| &assignment.values).find(|values| open(values))
        else {
            return Some(Err(self));
        };
        let Values::Range(range) = range else { unreachable!("only ranges are open") };
        let range = range.clone();
        if self.assignments.len() > 1 || self.assignments[0].values.len() > 1 {
            report
                .error(range.at, format!("the range {} has no number of values", quoted(&range.text)))
                .label("expected :N")
                .help(format!("write {}:10 for ten values; a range that is sampled stands by itself", range.text));
            return None;
        }
        let Assignment { path, .. } = self.assignments.remove(0);
        Some(Ok(Sampled { path, range }))
    }

    /// All values, row by row. `None`: wrong, and reported.
    pub(super) fn dimension(self, report: &mut Report) -> Option<Dimension> {
        let mut paths: Vec<Path> = Vec::new();
        let mut columns: Vec<Vec<Item>> = Vec::new();
        for Assignment { path, values } in self.assignments {
            let items = |values| match values {
                Values::One(item) => vec![item],
                Values::Range(range) => range.values(range.count.unwrap_or(2)),
            };
            let column: Vec<Item> = values.into_iter().flat_map(items).collect();
            let first = columns.first().map_or(column.len(), Vec::len);
            if column.len() != first {
                report
                    .error(path.at, "keys that change together have equally many values")
                    .label(format!("{} here, {first} of the first key", column.len()))
                    .help(
                        "give every key of the list as many values; keys in --vary arguments of their own are combined",
                    );
                return None;
            }
            paths.push(path);
            columns.push(column);
        }
        let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
        let rows = std::iter::from_fn(|| columns.iter_mut().map(Iterator::next).collect::<Option<Vec<Item>>>());
        Some(Dimension { rows: each_once(rows, &paths, report), paths })
    }
}

/// The rows, of equal ones the first: the points would be the same runs. Equal values of a list are named; those of a range are equal
/// because they are rounded, and come once anyway.
fn each_once(rows: impl Iterator<Item = Vec<Item>>, paths: &[Path], report: &mut Report) -> Vec<Vec<Item>> {
    let mut seen: HashSet<Vec<String>> = HashSet::new();
    let mut kept = Vec::new();
    let mut again: Option<At> = None;
    for row in rows {
        if seen.insert(row.iter().map(|item| base::hash(&item.node)).collect()) {
            kept.push(row);
        } else {
            again = again.or(row.first().map(|item| item.at));
        }
    }
    if let Some(at) = again {
        let names: Vec<String> = paths.iter().map(|path| format!("`{}`", dimension::spelled(&path.names))).collect();
        let has = if names.len() == 1 { "has" } else { "have" };
        report
            .warning(at, format!("{} {has} the same value twice", names.join(" and ")))
            .label("counts once")
            .help("leave it out");
    }
    kept
}

impl Sampled {
    /// Reports that it is not said how many values there are to be.
    pub(super) fn needs_a_number(&self, report: &mut Report) {
        let text = &self.range.text;
        report
            .error(self.range.at, format!("the range {} has no number of values", quoted(text)))
            .label("expected :N")
            .help(format!("write {text}:10 for ten values, or --latin-hypercube N for a sample of N points"));
    }
}

const OPTION: &str = "--vary";
