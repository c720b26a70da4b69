//! Sweep files: a scenario, and what to vary.

use ackclock::measure::Expression;

use super::dimension::Path;
use super::measures;
use super::range::{self, Range};
use super::vary::{Assignment, Values, Varied};
use super::width::Width;
use crate::check::suggest;
use crate::text::diagnostic::{At, LoadError, Report};
use crate::text::files;
use crate::text::source::Source;
use crate::text::tree::{Entry, Item, Node, Table};

#[derive(Debug, Default)]
pub(super) struct SweepFile {
    /// The path of the scenario file, and where it is named.
    pub(super) scenario: Option<String>,
    at: Option<At>,
    pub(super) seeds: Option<u64>,
    pub(super) max_seeds: Option<u64>,
    pub(super) widths: Vec<Width>,
    pub(super) measures: Vec<Expression>,
    pub(super) latin_hypercube: Option<usize>,
    /// Values of every point.
    pub(super) sets: Option<Table>,
    pub(super) varied: Vec<Varied>,
}

/// Whether a file names a scenario, which no scenario does.
pub(super) fn is_sweep(tree: &Table) -> bool {
    tree.entries.contains_key("scenario")
}

impl SweepFile {
    /// Checks every key of the file at `path`; what is wrong is reported and left out. `numbers`: of what intervals are found.
    pub(super) fn read(
        tree: &Table,
        path: &str,
        known: &[&str],
        source: &dyn Source,
        report: &mut Report,
    ) -> SweepFile {
        let mut file = SweepFile { at: Some(tree.at), ..SweepFile::default() };
        // First of all, because intervals may be asked for of each.
        if let Some(Entry { item, .. }) = tree.entries.get("measures")
            && let Node::Array(items) = &item.node
        {
            file.measures.extend(items.iter().filter_map(|item| measure(item, report)));
        }
        for (name, entry) in &tree.entries {
            let item = &entry.item;
            match (name.as_str(), &item.node) {
                ("scenario", Node::Text(reference)) => {
                    file.scenario = Some(source.join(path, reference));
                    file.at = Some(item.at);
                }
                ("seeds", Node::Integer(Some(count @ 1..=MOST))) => file.seeds = Some(*count as u64),
                ("max_seeds", Node::Integer(Some(count @ 2..=MOST))) => file.max_seeds = Some(*count as u64),
                ("until_ci", Node::Text(text)) => {
                    file.widths.extend(Width::parse(text, item.at, known, &mut file.measures, report));
                }
                ("until_ci", Node::Array(items)) => {
                    for item in items {
                        file.widths.extend(width(item, known, &mut file.measures, report));
                    }
                }
                ("latin_hypercube", Node::Integer(Some(count @ 2..=MOST))) => {
                    file.latin_hypercube = Some(*count as usize);
                }
                ("measures", Node::Array(_)) => {}
                ("set", Node::Table(table)) => file.sets = Some(table.clone()),
                ("vary", Node::Table(table)) => {
                    let each = assignments(table, report).into_iter();
                    file.varied.extend(each.map(|assignment| Varied { assignments: vec![assignment] }));
                }
                ("zip", Node::Array(tables)) => {
                    file.varied.extend(tables.iter().filter_map(|table| together(table, report)));
                }
                (other, _) => wrong(other, entry, report),
            }
        }
        // In the order of the file: the last changes fastest.
        file.varied.sort_by_key(|varied| varied.assignments[0].path.at);
        file
    }

    /// The tree of the scenario; an empty one, with a report, if it cannot be read.
    pub(super) fn tree(&self, source: &dyn Source, report: &mut Report) -> Table {
        let at = self.at.expect("it was read");
        let Some(path) = &self.scenario else { return Table::empty(at) };
        match files::read(source, path, report) {
            Ok(tree) => {
                if let Some(entry) = tree.entries.get("scenario") {
                    report.error(entry.key_at, "a sweep file names another sweep file").label("expected a scenario");
                }
                tree
            }
            Err(LoadError::Unreadable { path, error }) => {
                report
                    .syntax_error(at, format!("the scenario {path} cannot be read: {error}"))
                    .label("not readable")
                    .help("the path is relative to the sweep file");
                Table::empty(at)
            }
            Err(LoadError::Invalid(_)) => Table::empty(at),
        }
    }
}

/// A key that sweep files do not have, or that is something else.
fn wrong(name: &str, entry: &Entry, report: &mut Report) {
    let Some((_, expected)) = KEYS.iter().find(|(key, _)| *key == name) else {
        let near = suggest::nearest(name, KEYS.map(|(key, _)| key));
        report
            .error(entry.key_at, format!("unknown key `{name}` in a sweep file"))
            .label(format!("known: {}", KEYS.map(|(key, _)| key).join(", ")))
            .help_if(near.map(|near| format!("did you mean `{near}`?")));
        return;
    };
    report
        .error(entry.item.at, format!("`{name}` is {}", entry.item.described()))
        .label(format!("expected {expected}"));
}

/// A measure of the list of a file.
fn measure(item: &Item, report: &mut Report) -> Option<Expression> {
    match &item.node {
        Node::Text(text) => measures::parse(text, item.at, report),
        _ => {
            report
                .error(item.at, format!("`measures` holds {}", item.described()))
                .label("expected text, as in \"share(goodput: f1)\"");
            None
        }
    }
}

fn width(item: &Item, known: &[&str], measures: &mut Vec<Expression>, report: &mut Report) -> Option<Width> {
    let Node::Text(text) = &item.node else {
        report
            .error(item.at, format!("`until_ci` holds {}", item.described()))
            .label("expected text, as in \"loss=10%\"");
        return None;
    };
    Width::parse(text, item.at, known, measures, report)
}

/// The keys of a table within [[zip]], which change together.
fn together(item: &Item, report: &mut Report) -> Option<Varied> {
    let Node::Table(table) = &item.node else {
        report.error(item.at, format!("`zip` holds {}", item.described())).label("expected a table: write [[zip]]");
        return None;
    };
    let assignments = assignments(table, report);
    (!assignments.is_empty()).then_some(Varied { assignments })
}

/// The keys of a table and of those in it, in the order of the file.
fn assignments(table: &Table, report: &mut Report) -> Vec<Assignment> {
    let mut found = Vec::new();
    collect(table, &[], &mut found, report);
    found.sort_by_key(|assignment| assignment.path.at);
    found
}

fn collect(table: &Table, above: &[(String, At)], found: &mut Vec<Assignment>, report: &mut Report) {
    for (name, entry) in &table.entries {
        let mut names = above.to_vec();
        names.push((name.clone(), entry.key_at));
        let at = entry.key_at;
        let values = match &entry.item.node {
            Node::Table(table) => {
                collect(table, &names, found, report);
                continue;
            }
            Node::Array(items) if items.is_empty() => {
                report.error(entry.item.at, format!("`{name}` has no values")).label("expected a value at least");
                continue;
            }
            Node::Array(items) => items.iter().map(|item| values(item, report)).collect(),
            _ => values(&entry.item, report).map(|values| vec![values]),
        };
        if let Some(values) = values {
            found.push(Assignment { path: Path { names, at }, values });
        }
    }
}

fn values(item: &Item, report: &mut Report) -> Option<Values> {
    match &item.node {
        Node::Text(text) if range::is_range(text) => Range::parse(text, item.at, report).map(Values::Range),
        _ => Some(Values::One(item.clone())),
    }
}

/// The keys of sweep files, and what they are.
const KEYS: [(&str, &str); 9] = [
    ("scenario", "the path of a scenario file in quotes"),
    ("seeds", "a whole number from 1 to 1000000"),
    ("max_seeds", "a whole number from 2 to 1000000"),
    ("measures", "a list of texts, as in [\"share(goodput: f1)\"]"),
    ("until_ci", "a share of the mean as text, as in \"2%\" or \"loss=10%\", or a list of such texts"),
    ("latin_hypercube", "a whole number from 2 to 1000000"),
    ("set", "a table of values: write [set]"),
    ("vary", "a table of lists and ranges: write [vary]"),
    ("zip", "tables of keys that change together: write [[zip]]"),
];
const MOST: i64 = 1_000_000;
