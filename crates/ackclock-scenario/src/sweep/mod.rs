//! Sweeps: one scenario under many values of some of its keys. `--vary` arguments and sweep files in, points out, each of
//! which loads as a scenario; or every error at once, with the same carets and remedies as a scenario file.
//!
//! A dimension is a key with a list of values, or several keys that change together. The points are all combinations of the
//! dimensions. `docs/sweeps.md` describes the language.

mod base;
mod dimension;
mod file;
mod measures;
mod range;
mod sample;
mod vary;
mod width;

use std::collections::{BTreeMap, BTreeSet};

use ackclock::measure::Expression;
use ackclock::record::Metric;

pub use dimension::{Dimension, VariedKey};
pub use measures::{Lack, asked, asked_or_of_files};
pub use width::Width;

use crate::keys::outside::Outside;
use crate::load::{Loaded, load_tree};
use crate::text::diagnostic::{At, LoadError, Report};
use crate::text::files;
use crate::text::overrides;
use crate::text::source::Source;
use crate::text::tree::{Entry, Item, Node, Table};
use dimension::Path;
use file::SweepFile;
use vary::{Assignment, Sampled, Varied};

/// What a command line asks for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// A scenario file, or a sweep file that names one.
    pub file: &'a str,
    /// `path=value`, for every point.
    pub sets: &'a [String],
    /// `path=values`, each a dimension; assignments separated by `;` change together.
    pub vary: &'a [String],
    /// The number of points of a Latin hypercube over the ranges without a number of values.
    pub latin_hypercube: Option<usize>,
    /// `[number=]share`: how narrow confidence intervals are to be.
    pub until_ci: &'a [String],
    /// Measures that are kept of each run, as `share(goodput: f1)`.
    pub measures: &'a [String],
    /// The names of the numbers that intervals are found of; the first is meant where none is named.
    pub numbers: &'a [&'a str],
    /// The mechanisms from outside that scenarios may name.
    pub outside: Option<&'a Outside>,
}

/// A scenario and the values that it is to be run with.
pub struct Sweep<'a> {
    source: &'a dyn Source,
    /// The path of the scenario file.
    path: String,
    tree: Table,
    report: Report,
    outside: Outside,
    dimensions: Vec<Dimension>,
    /// The number of seeds that a sweep file asks for.
    pub seeds: Option<u64>,
    /// The most seeds of a point that a sweep file allows where more seeds make intervals narrower.
    pub max_seeds: Option<u64>,
    /// The intervals that points get more seeds for, those of the command line if there are any; each number once.
    pub widths: Vec<Width>,
    /// The measures that are kept of each run, each once: those of the file, of the command line, and of the intervals.
    pub measures: Vec<Expression>,
    /// The arguments by which a scenario is run alone as at any point, but for the values of the point: its file, and `--set`
    /// with what holds at every point.
    pub arguments: Vec<String>,
}

impl<'a> Sweep<'a> {
    /// Reads the files and arguments of a sweep. Recordings of the scenario are left out; its delays are counted, unless it says
    /// that they are not to be.
    ///
    /// # Errors
    /// If the dimensions are wrong. What a value does to the scenario shows when its points are loaded.
    pub fn read(source: &'a dyn Source, request: &Request<'_>) -> Result<Sweep<'a>, LoadError> {
        let mut report = Report::of(request.file);
        let mut tree = files::read(source, request.file, &mut report)?;
        let mut path = request.file.to_owned();
        let mut file = None;
        if file::is_sweep(&tree) {
            let read = SweepFile::read(&tree, request.file, request.numbers, source, &mut report);
            path = read.scenario.clone().unwrap_or(path);
            report.be_about(&path);
            tree = read.tree(source, &mut report);
            file = Some(read);
        }
        let is_readable = !report.has_errors();
        let mut arguments = vec![path.clone()];
        let (counts_delays, interval) = without_recordings(&mut tree);
        if counts_delays {
            arguments.extend(["--set".into(), "delays=true".into()]);
        }
        let SweepFile {
            sets, varied: of_file, seeds, max_seeds, widths: of_widths, mut measures, latin_hypercube, ..
        } = file.unwrap_or_default();
        if let Some(sets) = sets {
            dimension::assignments(&sets).into_iter().for_each(|set| arguments.extend(["--set".into(), set]));
            tree.overlay(sets);
        }
        request.sets.iter().for_each(|set| arguments.extend(["--set".into(), set.clone()]));
        overrides::apply(&mut tree, request.sets, &mut report);
        refuse_recordings(&tree, &mut report);
        let varied: Vec<Varied> = of_file
            .into_iter()
            .chain(request.vary.iter().filter_map(|text| vary::argument(text, &mut report)))
            .collect();
        refuse_twice(&varied, &mut report);
        let of_sweep = (path != request.file).then_some(request.file);
        warn_of_sets(&varied, &tree, of_sweep, &mut report);
        let wanted = request.latin_hypercube.or(latin_hypercube);
        let dimensions = dimensions(varied, wanted, &mut report);
        measures.extend(request.measures.iter().filter_map(|text| measures::argument(text, &mut report)));
        let widths = widths(request, of_widths, &mut measures, &mut report);
        let mut seen = BTreeSet::new();
        measures.retain(|measure| seen.insert(measure.text().to_owned()));
        record_for(&measures, interval, &mut tree, &mut arguments);
        let mut sweep = Sweep {
            source,
            path,
            tree,
            report,
            outside: request.outside.cloned().unwrap_or_default(),
            dimensions,
            seeds,
            max_seeds,
            widths,
            measures,
            arguments,
        };
        if sweep.report.has_errors() {
            // With what is wrong in the scenario, so that all is said at once.
            let report = std::mem::take(&mut sweep.report);
            match load_tree(sweep.tree_of(0), is_readable, source, &sweep.outside, &sweep.path, report) {
                Err(error) => return Err(error),
                Ok(_) => unreachable!("a report with errors is refused"),
            }
        }
        Ok(sweep)
    }

    /// What changes. The last dimension changes fastest from point to point.
    pub fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    /// How many combinations there are.
    pub fn points(&self) -> u128 {
        self.dimensions.iter().fold(1, |points, dimension| points.saturating_mul(dimension.len() as u128))
    }

    /// What all points have in common: of each key at the top of the scenario a hash of its value, without what is varied and
    /// without the seed.
    pub fn base(&self) -> BTreeMap<String, String> {
        base::base(self.tree.clone(), self.dimensions.iter().flat_map(|dimension| &dimension.paths), &self.outside)
    }

    /// The scenario at a point.
    ///
    /// # Errors
    /// If the scenario or a value is wrong.
    pub fn load(&self, point: usize) -> Result<Loaded, LoadError> {
        load_tree(self.tree_of(point), true, self.source, &self.outside, &self.path, self.report.clone())
    }

    fn tree_of(&self, point: usize) -> Table {
        let mut tree = self.tree.clone();
        for (dimension, row) in self.dimensions.iter().zip(rows_of(&self.dimensions, point)) {
            dimension.lay(row, &mut tree);
        }
        tree
    }
}

/// The number of the value of each dimension at a point.
pub fn rows_of(dimensions: &[Dimension], point: usize) -> Vec<usize> {
    let lengths: Vec<usize> = dimensions.iter().map(Dimension::len).collect();
    rows(&lengths, point)
}

/// The number of the value of each dimension at a point, where dimensions have so many values.
pub fn rows(lengths: &[usize], point: usize) -> Vec<usize> {
    let mut rest = point;
    let mut rows: Vec<usize> = lengths
        .iter()
        .rev()
        .map(|length| {
            let row = rest % length;
            rest /= length;
            row
        })
        .collect();
    rows.reverse();
    rows
}

/// What a sweep does not keep is not recorded; delays, of which it keeps percentiles, are counted. Whether they were not said
/// to be, and the interval of records that was.
fn without_recordings(tree: &mut Table) -> (bool, Option<Entry>) {
    let interval = tree.entries.get("record_interval").cloned();
    for key in RECORDINGS {
        tree.entries.remove(key);
    }
    let at = tree.at;
    let is_said = tree.entries.contains_key("delays");
    let item = Item { at, node: Node::Flag(true) };
    tree.entries.entry("delays".to_owned()).or_insert(Entry { key_at: at, item });
    (!is_said, interval)
}

/// Records what measures need, in the intervals that the scenario says.
fn record_for(measures: &[Expression], interval: Option<Entry>, tree: &mut Table, arguments: &mut Vec<String>) {
    let needed: BTreeSet<&str> = measures.iter().flat_map(Expression::series).map(Metric::name).collect();
    if needed.is_empty() {
        return;
    }
    let at = tree.at;
    let words: Vec<Item> = needed.iter().map(|name| Item { at, node: Node::Text((*name).to_owned()) }).collect();
    tree.entries.insert("record".to_owned(), Entry { key_at: at, item: Item { at, node: Node::Array(words) } });
    if let Some(interval) = interval {
        tree.entries.insert("record_interval".to_owned(), interval);
    }
    arguments.extend(["--set".into(), format!("record={:?}", needed.iter().collect::<Vec<_>>())]);
}

/// Those that the scenario file had are gone by now.
fn refuse_recordings(tree: &Table, report: &mut Report) {
    for key in RECORDINGS {
        if let Some(entry) = tree.entries.get(key) {
            no_recordings(key, entry.key_at, report);
        }
    }
}

fn no_recordings(key: &str, at: At, report: &mut Report) {
    report
        .error(at, format!("`{key}` has no effect in a sweep"))
        .label("a sweep keeps one row for each run")
        .help("record one run with `ackclock run --record`");
}

/// Keys that are no dimension, and keys of two dimensions, also where one is a table that has the other.
fn refuse_twice(varied: &[Varied], report: &mut Report) {
    let mut seen: Vec<&[(String, At)]> = Vec::new();
    let begins_with = |long: &[(String, At)], short: &[(String, At)]| {
        short.len() <= long.len() && short.iter().zip(long).all(|((a, _), (b, _))| a == b)
    };
    for Path { names, at } in varied.iter().flat_map(|varied| &varied.assignments).map(|Assignment { path, .. }| path) {
        let (name, spelled) = (names[0].0.as_str(), dimension::spelled(names));
        if names.len() == 1 && name == "seed" {
            report
                .error(*at, "seeds are a dimension of their own")
                .label("not here")
                .help("write --seeds N for N seeds from that of the scenario on");
        } else if names.len() == 1 && WORDS.contains(&name) {
            report
                .error(*at, format!("`{name}` cannot be varied"))
                .label("words that change no run")
                .help("say it once with --set, or in the scenario");
        } else if names.len() == 1 && RECORDINGS.contains(&name) {
            no_recordings(name, *at, report);
        } else if seen.iter().any(|other| other.len() == names.len() && begins_with(other, names)) {
            report
                .error(*at, format!("`{spelled}` is varied twice"))
                .label("the second time")
                .help("list all its values in one place, separated by commas");
        } else if let Some(other) = seen.iter().find(|other| begins_with(other, names) || begins_with(names, other)) {
            report
                .error(
                    *at,
                    format!(
                        "`{spelled}` and `{}` are varied, of which one is a part of the other",
                        dimension::spelled(other)
                    ),
                )
                .label("the same key once more")
                .help("vary keys that are in no table which is varied as a whole");
        }
        seen.push(names);
    }
}

/// Values of the command line, or of the sweep file of this path, that no point has: the key is varied.
fn warn_of_sets(varied: &[Varied], tree: &Table, of_sweep: Option<&str>, report: &mut Report) {
    for Assignment { path: Path { names, .. }, .. } in varied.iter().flat_map(|varied| &varied.assignments) {
        let Some(at) = place_of(tree, names) else { continue };
        // Values of the scenario file are what is varied.
        if report.file_of(at).is_none_or(|file| Some(file) == of_sweep) {
            report
                .warning(at, format!("`{}` is set and varied", dimension::spelled(names)))
                .label("no run has this value")
                .help("leave it out, or put it among the values that are varied");
        }
    }
}

/// Where a key stands in a tree.
fn place_of(tree: &Table, names: &[(String, At)]) -> Option<At> {
    let ((name, _), inner) = names.split_first()?;
    let entry = tree.entries.get(name)?;
    match &entry.item.node {
        _ if inner.is_empty() => Some(entry.key_at),
        Node::Table(table) => place_of(table, inner),
        _ => None,
    }
}

/// Those of the command line replace those of the file. Of a number that is named twice the narrower interval counts.
fn widths(
    request: &Request<'_>,
    of_file: Vec<Width>,
    measures: &mut Vec<Expression>,
    report: &mut Report,
) -> Vec<Width> {
    let known = request.numbers;
    let of_arguments: Vec<Width> =
        request.until_ci.iter().filter_map(|text| Width::argument(text, known, measures, report)).collect();
    let mut widths: Vec<Width> = Vec::new();
    for width in if request.until_ci.is_empty() { of_file } else { of_arguments } {
        match widths.iter_mut().find(|other| other.number == width.number) {
            Some(other) => other.share = other.share.min(width.share),
            None => widths.push(width),
        }
    }
    widths
}

/// Grids are dimensions of their own; all that is sampled is one more.
fn dimensions(varied: Vec<Varied>, wanted: Option<usize>, report: &mut Report) -> Vec<Dimension> {
    let (mut dimensions, mut sampled): (Vec<Dimension>, Vec<Sampled>) = (Vec::new(), Vec::new());
    for varied in varied {
        match varied.sampled(report) {
            Some(Ok(range)) => sampled.push(range),
            Some(Err(varied)) => dimensions.extend(varied.dimension(report)),
            None => {}
        }
    }
    match wanted {
        None => sampled.iter().for_each(|sampled| sampled.needs_a_number(report)),
        Some(_) if sampled.is_empty() && !report.has_errors() => {
            report.error(None, "nothing is left for the Latin hypercube").help(
                "vary a range without a number of values, as in --vary queue.buffer=0.1..4bdp:log; a range with a number is a grid",
            );
        }
        Some(points) if !sampled.is_empty() => dimensions.push(sample::latin_hypercube(&sampled, points)),
        Some(_) => {}
    }
    dimensions
}

/// Keys that say what a scenario is.
const WORDS: [&str; 2] = ["name", "description"];
const RECORDINGS: [&str; 3] = ["record", "record_interval", "capture"];
