//! `ackclock compare`: results side by side, on the terminal and as a report.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ackclock::measure::Expression;
use ackclock::record::Metric;
use ackclock_report::compare::{self, Entry};
use ackclock_report::page::number::Scale;
use ackclock_store::comparison::{Comparison, Difference, Measure, Verdict};
use ackclock_store::document::Document;
use ackclock_store::tables::TableError;
use ackclock_store::{recorded, result};

use super::plot::figure::{Figure, OTHER_FILE};
use super::{own_page, report};
use crate::args::CompareArgs;
use crate::failure::{Exit, Failure};
use crate::{console, output, table};

/// Compares result folders with the first of them.
pub fn compare(args: &CompareArgs) -> Result<Exit, Failure> {
    if let [dir] = &args.dirs[..] {
        let page = own_page::of(dir)?.ok_or_else(|| {
            Failure::usage(
                format_args!("`{}` has nothing to be compared with", dir.display()),
                "name two or more result folders, or the folder of one sweep",
            )
        })?;
        if !args.figure.plot.is_empty() {
            return Err(Failure::usage(
                format_args!("--plot: `{}` is not the folder of a run", dir.display()),
                "name two or more results of `run`; a sweep has figure.svg and figure.pdf in its folder",
            ));
        }
        return own_page::show(&page, args.out.as_deref());
    }
    let mut figure = Figure::of(&args.figure, OTHER_FILE)?;
    let mut folders: Vec<(&Path, Document)> = Vec::new();
    for dir in &args.dirs {
        if let Some(page) = own_page::of(dir)? {
            return Err(Failure::usage(
                format_args!("`{}` holds many results, and their comparison is {}", dir.display(), page.display()),
                "compare takes folders of `run`, or the folder of one sweep",
            ));
        }
        let (folder, document) = result::open(dir)?;
        report::run(folder, &document, None)?;
        folders.push((folder, document));
    }
    only_measures(&args.measure, folders.iter_mut().map(|(_, document)| document))?;
    let metrics = metrics(args, &folders)?;
    let labels = labels(&folders);
    let entries = labels.into_iter().zip(folders).map(|(label, (folder, document))| {
        let mut series = Vec::new();
        for metric in &metrics {
            series.extend(recorded::series_of(folder, &document, &document.runs[0], *metric)?);
        }
        Ok(Entry { label, document, series })
    });
    let entries: Vec<Entry> = entries.collect::<Result<_, Failure>>()?;
    let results: Vec<(String, Document)> =
        entries.iter().map(|entry| (entry.label.clone(), entry.document.clone())).collect();
    let comparison = Comparison::of(&results);
    let drawn = if figure.is_none() {
        None
    } else {
        let plots = compare::on_paper(&entries, &metrics);
        if plots.is_empty() {
            return Err(Failure::outside(
                "--plot: nothing was recorded over time",
                "run each again with --record tcp,ports",
            ));
        }
        figure.label_plots(&plots)?;
        Some(figure.drawn(plots)?)
    };
    let path = args.out.clone().unwrap_or_else(|| PathBuf::from(COMPARISON));
    // Whatever becomes of the file: the numbers have been computed and are shown.
    let written = report::write(&path, &compare::compare(&entries, &metrics));
    output::print(&if args.json { comparison.to_json() } else { render(&entries, &comparison) })?;
    written?;
    for remark in compare::remarks(&comparison).into_iter().chain(compare::limits(&entries)) {
        console::note(format_args!("note: {remark}"));
    }
    console::note(format_args!("report in {}", path.display()));
    if let Some(drawn) = drawn {
        drawn.write()?;
    }
    Ok(Exit::Fine)
}

/// Leaves only these of the measures that the results were run with; all of them if none is named.
fn only_measures<'a>(wanted: &[String], documents: impl Iterator<Item = &'a mut Document>) -> Result<(), Failure> {
    if wanted.is_empty() {
        return Ok(());
    }
    for text in wanted {
        if let Err(error) = Expression::parse(text) {
            return Err(Failure::usage(
                format_args!("--measure '{text}': {error}"),
                "docs/measures.md has all measures",
            ));
        }
    }
    // Spaces make no other measure.
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    let wanted: Vec<(String, &String)> = wanted.iter().map(|text| (plain(text), text)).collect();
    let is_wanted = |text: &String| wanted.iter().any(|(known, _)| *known == plain(text));
    let mut there: BTreeSet<String> = BTreeSet::new();
    for run in documents.flat_map(|document| &mut document.runs) {
        there.extend(run.measures.keys().cloned());
        run.measures.retain(|text, _| is_wanted(text));
    }
    let is_there = |known: &String| there.iter().any(|text| plain(text) == *known);
    let Some((_, lacking)) = wanted.iter().find(|(known, _)| !is_there(known)) else { return Ok(()) };
    let there: Vec<String> = there.into_iter().collect();
    let help = match there.is_empty() {
        true => format!("run each again with --measure '{lacking}'"),
        false => format!("run each again with --measure '{lacking}'; there are: {}", there.join("; ")),
    };
    Err(Failure::outside(format_args!("none of the results was run with the measure `{lacking}`"), help))
}

/// The metrics that are drawn: what is asked for, or what most of them have recorded.
fn metrics(args: &CompareArgs, folders: &[(&Path, Document)]) -> Result<Vec<Metric>, Failure> {
    let recorded = folders.iter().map(|(folder, document)| recorded::metrics(folder, document, &document.runs[0]));
    let recorded: Vec<BTreeSet<Metric>> = recorded.collect::<Result<_, TableError>>()?;
    let Some(wanted) = args.metric.as_deref().and_then(Metric::named) else {
        return Ok(compare::preferred(&recorded));
    };
    if recorded.iter().any(|metrics| metrics.contains(&wanted)) {
        return Ok(vec![wanted]);
    }
    let all: BTreeSet<&str> = recorded.iter().flatten().map(|metric| metric.name()).collect();
    let there = match all.is_empty() {
        true => "nothing was recorded; run each again with --record".to_string(),
        false => format!("there are: {}", all.into_iter().collect::<Vec<_>>().join(", ")),
    };
    Err(Failure::outside(format_args!("none of the results has recorded {}", wanted.name()), there))
}

/// What each result is called: by its scenario if that distinguishes them, else by its folder.
fn labels(folders: &[(&Path, Document)]) -> Vec<String> {
    let names = |name: &dyn Fn(&Path, &Document) -> String| -> Vec<String> {
        folders.iter().map(|(folder, document)| name(folder, document)).collect()
    };
    let distinct = |names: &[String]| names.iter().collect::<BTreeSet<_>>().len() == names.len();
    let scenario = |_: &Path, document: &Document| match document.live {
        Some(_) => format!("{} (live)", document.scenario.name),
        None => document.scenario.name.clone(),
    };
    let last = |folder: &Path, _: &Document| {
        folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned())
    };
    let whole = |folder: &Path, _: &Document| folder.display().to_string();
    let found = [names(&scenario), names(&last), names(&whole)].into_iter().find(|names| distinct(names));
    // One folder more than once: their letters distinguish them.
    found.unwrap_or_else(|| names(&whole))
}

/// The tables for people: the means of every result, and below them how each differs from the first.
fn render(entries: &[Entry], comparison: &Comparison) -> String {
    let unit = entries[0].document.scenario.unit.as_str();
    let mut columns = vec![
        (Measure::Efficiency, 4),
        (Measure::Fairness, 4),
        (Measure::WeightedFairness, 4),
        (Measure::GoodputBps, 3),
        (Measure::QueueingDelayS, 3),
        (Measure::Drops, 1),
        (Measure::LostOnLinks, 1),
        (Measure::UdpLoss, 4),
        (Measure::Timeouts, 1),
    ];
    // What only some networks have is shown where one of the results has it.
    let has = |measure: &Measure| comparison.results.iter().any(|result| result.measured(measure).is_some());
    columns.retain(|(measure, _)| !measure.is_rare() || has(measure));
    let asked = comparison.measures().into_iter().filter(|measure| matches!(measure, Measure::Asked(_)));
    columns.extend(asked.map(|measure| (measure, 4)));
    let scale = |measure: &Measure| match measure {
        Measure::Asked(_) => {
            let means =
                comparison.results.iter().filter_map(|result| Some(result.measured(measure)?.summary.mean.abs()));
            Scale::fitting(means.fold(0.0, f64::max), measure.unit())
        }
        Measure::GoodputBps => Scale { factor: 1e-6, unit: "Mb/s".into() },
        Measure::QueueingDelayS => Scale { factor: 1e3, unit: "ms".into() },
        Measure::MeanQueue | Measure::Drops | Measure::LostOnLinks => Scale::plain(unit),
        _ => Scale::plain(""),
    };
    let head = |measure: &Measure| match (measure, scale(measure).unit) {
        (Measure::QueueingDelayS, unit) => format!("delay {unit}"),
        (Measure::Drops | Measure::LostOnLinks, _) => measure.name().to_string(),
        (_, unit) => format!("{} {unit}", measure.name()).trim_end().to_string(),
    };
    let name = |n: usize| table::short(&comparison.results[n].label, 24);
    let mut rows = vec![vec!["result".to_string(), "seeds".into()]];
    rows[0].extend(columns.iter().map(|(measure, _)| head(measure)));
    for (n, result) in comparison.results.iter().enumerate() {
        let mut row = vec![name(n), result.seeds.len().to_string()];
        row.extend(columns.iter().map(|(measure, digits)| {
            let value = result.measured(measure).map(|measured| measured.summary.mean * scale(measure).factor);
            value.map_or("-".into(), |value| format!("{value:.digits$}"))
        }));
        rows.push(row);
    }
    let mut text = title(entries) + &table::align(rows) + "\n";
    // What is equal in all needs no column.
    let differs = |measure: &Measure| {
        let differences = (1..entries.len()).filter_map(|n| comparison.difference(measure, n));
        differences.into_iter().any(|difference| difference.verdict != Verdict::Equal)
    };
    let known = |measure: &Measure| (1..entries.len()).any(|n| comparison.difference(measure, n).is_some());
    let (shown, same): (Vec<_>, Vec<_>) =
        columns.into_iter().filter(|(measure, _)| known(measure)).partition(|(measure, _)| differs(measure));
    let mut rows = vec![vec![format!("minus {}", name(0)), "seeds".to_string()]];
    rows[0].extend(shown.iter().map(|(measure, _)| head(measure)));
    for n in 1..entries.len() {
        let of = |measure: &Measure| comparison.difference(measure, n);
        let Some(seeds) = comparison.measures().iter().find_map(of).map(|difference| difference.seeds) else {
            rows.push(vec![name(n), "0".into(), "no common seed".into()]);
            continue;
        };
        let mut row = vec![name(n), seeds.to_string()];
        row.extend(shown.iter().map(|(measure, digits)| {
            of(measure).map_or("-".into(), |found| difference(found, scale(measure).factor, *digits))
        }));
        rows.push(row);
    }
    if rows[0].len() > 2 || rows.iter().any(|row| row.len() > 2) {
        text += &table::align(rows);
        text += "differences seed by seed, +/- 95 % unless every seed gives the same; * if the interval does not contain 0\n";
    }
    if !same.is_empty() {
        let names: Vec<&str> = same.iter().map(|(measure, _)| measure.name()).collect();
        text += &format!("equal in all results with every seed: {}\n", names.join(", "));
    }
    text
}

/// What is common to the results; nothing where nothing is.
fn title(entries: &[Entry]) -> String {
    let path = compare::path_words(entries);
    let is_mixed = entries.iter().any(|entry| entry.document.made() != entries[0].document.made());
    let times: BTreeSet<String> = entries
        .iter()
        .map(|entry| {
            let document = &entry.document;
            let made = if is_mixed { "" } else { document.made() };
            format!("{} s {made}{}", document.scenario.duration_s, document.warmup_words()).replace(" ,", ",")
        })
        .collect();
    let time = if times.len() == 1 { times.into_iter().next() } else { None };
    let parts: Vec<String> = [Some(path), time].into_iter().flatten().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { String::new() } else { parts.join(": ") + "\n" }
}

/// `+0.123+-0.010*`; `+0.123*` if every seed gives the same difference.
fn difference(difference: &Difference, factor: f64, digits: usize) -> String {
    let mean = difference.difference.mean * factor;
    let half = match difference.difference.ci95 {
        None | Some(0.0) => String::new(),
        Some(_) => format!("+-{}", table::half_width(&difference.difference, factor, digits)),
    };
    match difference.verdict {
        Verdict::Equal => "equal".into(),
        Verdict::Higher | Verdict::Lower => format!("{mean:+.digits$}{half}*"),
        Verdict::NotShown | Verdict::OneSeed => format!("{mean:+.digits$}{half}"),
    }
}

/// Where the report goes if nothing is said.
const COMPARISON: &str = "comparison.html";

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_store::document::interval::Interval;

    #[test]
    fn a_difference_that_every_seed_gives_has_no_interval_of_zero() {
        let text = |ci95| {
            let interval = Interval { mean: 0.25, ci95, min: 0.25, max: 0.25 };
            let difference = Difference {
                measure: Measure::Efficiency,
                result: 1,
                seeds: 3,
                difference: interval,
                verdict: Verdict::Higher,
            };
            super::difference(&difference, 1.0, 3)
        };
        let all = [None, Some(0.0), Some(0.0001), Some(0.01)].map(text);
        assert_eq!(all, ["+0.250*", "+0.250*", "+0.250+-<0.001*", "+0.250+-0.010*"]);
    }
}
