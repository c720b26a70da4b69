//! `ackclock compare`: results side by side, on the terminal and as a report.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ackclock::record::Metric;
use ackclock_results::comparison::{Comparison, Difference, Measure, Verdict};
use ackclock_results::document::Document;
use ackclock_results::report::compare::{self, Entry, letter};
use ackclock_results::report::number::Scale;

use crate::args::CompareArgs;
use crate::diagnostics::plural;
use crate::failure::{Exit, Failure};
use crate::{console, kept, recorded, report, table};

/// Compares result folders with the first of them.
pub fn compare(args: &CompareArgs) -> Result<Exit, Failure> {
    let mut folders: Vec<(&Path, Document)> = Vec::new();
    for dir in &args.dirs {
        let (folder, document) = kept::open(dir)?;
        report::run(folder, &document, None)?;
        folders.push((folder, document));
    }
    let metric = metric(args, &folders)?;
    let labels = labels(&folders);
    let entries = labels.into_iter().zip(folders).map(|(label, (folder, document))| {
        let series = match metric {
            Some(metric) => recorded::series_of(folder, &document, &document.runs[0], metric)?,
            None => Vec::new(),
        };
        Ok(Entry { label, document, series })
    });
    let entries: Vec<Entry> = entries.collect::<Result<_, Failure>>()?;
    let results: Vec<(String, Document)> =
        entries.iter().map(|entry| (entry.label.clone(), entry.document.clone())).collect();
    let comparison = Comparison::of(&results);
    let path = args.out.clone().unwrap_or_else(|| PathBuf::from(COMPARISON));
    // Whatever becomes of the file: the numbers have been computed and are shown.
    let written = report::write(&path, &compare::compare(&entries, metric.as_slice()));
    console::print(&if args.json { comparison.to_json() } else { render(&entries, &comparison) })?;
    written?;
    for remark in compare::remarks(&comparison) {
        console::note(format_args!("note: {remark}"));
    }
    console::note(format_args!("report in {}", path.display()));
    Ok(Exit::Fine)
}

/// The metric that is drawn: what is asked for, or what most of them have recorded.
fn metric(args: &CompareArgs, folders: &[(&Path, Document)]) -> Result<Option<Metric>, Failure> {
    let recorded = folders.iter().map(|(folder, document)| recorded::metrics(folder, document, &document.runs[0]));
    let recorded: Vec<BTreeSet<Metric>> = recorded.collect::<Result<_, Failure>>()?;
    let Some(wanted) = args.metric.as_deref().and_then(Metric::named) else {
        return Ok(compare::preferred(&recorded));
    };
    if recorded.iter().any(|metrics| metrics.contains(&wanted)) {
        return Ok(Some(wanted));
    }
    let all: BTreeSet<&str> = recorded.iter().flatten().map(|metric| metric.name()).collect();
    let there = match all.is_empty() {
        true => "nothing was recorded; run each again with --record".to_string(),
        false => format!("there are: {}", all.into_iter().collect::<Vec<_>>().join(", ")),
    };
    Err(Failure::outside(format_args!("none of the results has recorded {}", wanted.name()), there))
}

/// What each result is called: by its scenario if that tells them apart, else by its folder.
fn labels(folders: &[(&Path, Document)]) -> Vec<String> {
    let names = |name: &dyn Fn(&Path, &Document) -> String| -> Vec<String> {
        folders.iter().map(|(folder, document)| name(folder, document)).collect()
    };
    let distinct = |names: &[String]| names.iter().collect::<BTreeSet<_>>().len() == names.len();
    let scenario = |_: &Path, document: &Document| document.scenario.name.clone();
    let last = |folder: &Path, _: &Document| {
        folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned())
    };
    let whole = |folder: &Path, _: &Document| folder.display().to_string();
    let found = [names(&scenario), names(&last), names(&whole)].into_iter().find(|names| distinct(names));
    // The same folder more than once: told apart by their letters.
    found.unwrap_or_else(|| names(&whole))
}

/// The table for people: means, and differences from the first as far as there is room.
fn render(entries: &[Entry], comparison: &Comparison) -> String {
    let unit = entries[0].document.scenario.unit.as_str();
    let mut columns = vec![
        (Measure::Efficiency, 4),
        (Measure::Fairness, 4),
        (Measure::GoodputBps, 3),
        (Measure::QueueingDelayS, 3),
        (Measure::Drops, 1),
        (Measure::LostOnLinks, 1),
        (Measure::DatagramLoss, 4),
        (Measure::Timeouts, 1),
    ];
    // What only some networks have is shown where one of the results has it.
    let has = |measure: Measure| comparison.results.iter().any(|result| result.measured(measure).is_some());
    columns.retain(|(measure, _)| !measure.is_rare() || has(*measure));
    let scale = |measure: Measure| match measure {
        Measure::GoodputBps => Scale { factor: 1e-6, unit: "Mb/s".into() },
        Measure::QueueingDelayS => Scale { factor: 1e3, unit: "ms".into() },
        Measure::MeanQueue | Measure::Drops | Measure::LostOnLinks => Scale::plain(unit),
        _ => Scale::plain(""),
    };
    let named = |measure: Measure| format!("{} {}", measure.name(), scale(measure).unit).trim_end().to_string();
    let mut rows = vec![vec!["result".to_string(), "seeds".into()]];
    rows[0].extend(columns.iter().map(|(measure, _)| named(*measure)));
    for (n, result) in comparison.results.iter().enumerate() {
        let mut row =
            vec![format!("{} {}", letter(n), table::short(&result.label, 24)), result.seeds.len().to_string()];
        row.extend(columns.iter().map(|(measure, digits)| {
            let value = result.measured(*measure).map(|measured| measured.summary.mean * scale(*measure).factor);
            value.map_or("-".into(), |value| format!("{value:.digits$}"))
        }));
        rows.push(row);
    }
    let mut text = table::align(rows);
    let shown: &[(Measure, usize)] = if entries.len() <= FEW { &columns } else { &columns[2..4] };
    for n in 1..entries.len() {
        let of: Vec<(&Difference, usize)> =
            shown.iter().filter_map(|(measure, digits)| Some((comparison.difference(*measure, n)?, *digits))).collect();
        let Some((first, _)) = of.first() else {
            text += &format!("\n{} - A: no common seed\n", letter(n));
            continue;
        };
        let head = format!("{} - A, {}", letter(n), plural(first.seeds, "common seed"));
        let mut rows = vec![vec![head, "difference".to_string(), "+/- 95 %".into(), "verdict".into()]];
        rows.extend(of.iter().map(|(difference, digits)| {
            let factor = scale(difference.measure).factor;
            let number = |value: f64| format!("{:.digits$}", value * factor);
            let half = difference.difference.ci95.map_or("-".into(), number);
            vec![named(difference.measure), number(difference.difference.mean), half, verdict(difference.verdict)]
        }));
        text.push('\n');
        text += &table::align(rows);
    }
    text
}

fn verdict(verdict: Verdict) -> String {
    compare::words(verdict).to_string()
}

/// Where the report goes if nothing is said.
const COMPARISON: &str = "comparison.html";
/// Of more results only goodput and delay are compared on the terminal.
const FEW: usize = 3;
