//! The report of several results side by side.

mod entry;
mod multiples;
mod over_time;
mod scenarios;

use std::collections::BTreeSet;

use ackclock::record::Metric;
use ackclock_store::comparison::{Comparison, Difference, Measure, Verdict};
use ackclock_store::document::Document;
use ackclock_store::document::summary::least_fairness;

use crate::LARGEST_BYTES;
use crate::page::Page;
use crate::page::html::Html;
use crate::page::number::{Scale, fixed, plural};
use crate::page::scatter::{Point, Scatter};
use crate::page::table::{Cell, Table, Tone};
use entry::{name, unit};
use over_time::over_time;
use scenarios::scenarios_section;

pub use entry::Entry;
pub use over_time::{on_paper, preferred};

/// The report of two to twenty results as one HTML file. The first is the one that the others are compared with;
/// `metrics` are drawn over time; if there are none, whatever most of them recorded.
pub fn compare(entries: &[Entry], metrics: &[Metric]) -> String {
    compare_over(entries, metrics, &path_words(entries))
}

/// The page of a comparison, with what is common to the paths below the title.
pub fn compare_over(entries: &[Entry], metrics: &[Metric], path: &str) -> String {
    let results: Vec<(String, Document)> =
        entries.iter().map(|entry| (entry.label.clone(), entry.document.clone())).collect();
    let comparison = Comparison::of(&results);
    let mut smallest = String::new();
    for points in POINT_BUDGETS {
        smallest = page(entries, &comparison, metrics, path, points).render();
        if smallest.len() < LARGEST_BYTES {
            break;
        }
    }
    smallest
}

/// Sentences about what limits a comparison: seeds that are not common, scenarios or versions that differ.
pub fn remarks(comparison: &Comparison) -> Vec<String> {
    let results = &comparison.results;
    let mut remarks = Vec::new();
    if !comparison.same_seeds {
        remarks.push(match comparison.common_seeds.len() {
            0 => "No seed is common to all results: where a result shares no seed with the first, there is no paired \
                  difference."
                .to_string(),
            n => format!(
                "The results were not run under the same seeds: {} common to all. Differences use the seeds that both \
                 have; means use all.",
                if n == 1 { "1 seed is".into() } else { format!("{n} seeds are") }
            ),
        });
    }
    if comparison.common_seeds.len() == 1 {
        remarks.push(
            "With one common seed there are no confidence intervals. Run each scenario with --seeds 5 or more.".into(),
        );
    }
    let live: Vec<&str> =
        results.iter().filter(|result| result.live.is_some()).map(|result| result.label.as_str()).collect();
    if !live.is_empty() {
        let worst = results.iter().filter_map(|result| result.live).filter(|verdict| *verdict != "valid").max();
        let verdict = worst.map_or(String::new(), |verdict| format!(", with runs that are {verdict}"));
        remarks.push(format!(
            "{}: on the TCP of a kernel{verdict}. A seed repeats what the links lose, not what the machine does.",
            live.join(", ")
        ));
    }
    if results.iter().any(|result| result.result_version != results[0].result_version) {
        remarks.push("The results have different result versions, which may cause some of the differences.".into());
    }
    let ports: BTreeSet<&Option<String>> = results.iter().map(|result| &result.port).collect();
    if ports.len() > 1 {
        remarks.push("Queue and delay are measured at ports of different names; see the table.".into());
    }
    remarks
}

/// Sentences about results whose flows are limited by their receive windows.
pub fn limits(entries: &[Entry]) -> Vec<String> {
    let of = |entry: &Entry| Some(format!("{}: {}", entry.label, entry.document.limited_by_windows()?));
    entries.iter().filter_map(of).collect()
}

fn page(entries: &[Entry], comparison: &Comparison, metrics: &[Metric], path: &str, points: usize) -> Page {
    let base = &entries[0].label;
    let mut page = Page::new("Comparison", title(entries));
    let mut lead = Html::new();
    let path = if path.is_empty() { String::new() } else { format!("Path: {path}. ") };
    let scenarios = if comparison.same_scenario { "the same scenario" } else { "different scenarios" };
    lead.leaf(
        "p",
        &[("class", "lead")],
        &format!(
            "{path}{} of {scenarios}. Differences are relative to {base}.{}",
            plural(entries.len(), "result"),
            warmup_words(entries)
        ),
    );
    page.lead(&lead);
    page.lead(&glance(entries, comparison));

    let over_time = over_time(&mut page, entries, metrics, points);
    page.section("time", "Over time", over_time);
    if multiples::common_events(entries) {
        let events = entries[0].document.scenario.events.iter().filter(|event| event.time_s > 0.0);
        events.for_each(|event| page.mark(event.time_s, event.label()));
    }
    page.section("differences", "Differences", differences(entries, comparison));
    page.section("results", "Every number", side_by_side(entries, comparison).html());
    page.section("scenarios", "Scenarios", scenarios_section(entries, comparison));
    page
}

/// The first screen: goodput over delay, and the same numbers and what they cost as a table.
fn glance(entries: &[Entry], comparison: &Comparison) -> Html {
    let mut html = Html::new();
    html.tag("div", &[("class", "glance even")], |html| {
        html.append(&Html::of_class("div", "picture", &delay(comparison)));
        let mut numbers = at_a_glance(entries, comparison).html();
        let remarks: Vec<String> = remarks(comparison).into_iter().chain(limits(entries)).collect();
        if !remarks.is_empty() {
            numbers.leaf("p", &[("class", "note remark")], &remarks.join(" "));
        }
        html.append(&Html::of_class("div", "numbers", &numbers));
    });
    html
}

fn title(entries: &[Entry]) -> String {
    let labels: Vec<&str> = entries.iter().map(|entry| entry.label.as_str()).collect();
    match &labels[..] {
        [first @ .., last] if !first.is_empty() && labels.len() <= FEW => format!("{} and {last}", first.join(", ")),
        [first, .., last] if labels.len() > 1 => format!("{first} to {last}, {} results", labels.len()),
        _ => labels.concat(),
    }
}

/// Rates, delays and buffers that are the same in all of the scenarios, as they stand there.
pub fn path_words(entries: &[Entry]) -> String {
    let value = |entry: &Entry, key: &str| {
        // Sources have rates too: only the parts about network and queue count.
        let mut of_path = true;
        let lines = entry.document.scenario.resolved.lines().filter(|line| {
            if line.starts_with('[') {
                of_path = matches!(*line, "[network]" | "[queue]");
            }
            of_path
        });
        let line = { lines }.find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
        line.and_then(|rest| rest.split_once('"')).map(|(value, _)| value.to_string())
    };
    let common = PATH_KEYS.iter().filter_map(|(key, name)| {
        let first = value(entries.first()?, key)?;
        let same = entries.iter().all(|entry| value(entry, key).as_deref() == Some(&first));
        same.then(|| format!("{name} {first}"))
    });
    common.collect::<Vec<_>>().join(", ")
}

/// Whether the numbers leave out warm-ups.
fn warmup_words(entries: &[Entry]) -> String {
    let mut words: Vec<String> = entries.iter().map(|entry| entry.document.warmup_words()).collect();
    words.dedup();
    match &words[..] {
        [one] if one.is_empty() => String::new(),
        [one] => {
            let is_mixed = entries.iter().any(|entry| entry.document.made() != entries[0].document.made());
            let made = if is_mixed { "simulated and live" } else { entries[0].document.made() };
            format!(" {} s {made}{one}.", entries[0].document.scenario.duration_s)
        }
        _ => " Their warm-ups differ; each is excluded if its runs have numbers without it.".into(),
    }
}

/// How a measure is shown: the same prefix for all results.
fn scale(comparison: &Comparison, measure: &Measure, unit: &str) -> Scale {
    let largest = comparison.results.iter().filter_map(|result| result.measured(measure));
    let largest = largest.map(|measured| measured.summary.mean.abs()).fold(0.0, f64::max);
    match measure.unit() {
        "units" => Scale::plain(unit),
        unit => Scale::fitting(largest, unit),
    }
}

/// Decimals of a measure: none where every run of every result counted whole and the means are whole too.
fn decimals(comparison: &Comparison, measure: &Measure) -> usize {
    let measured = || comparison.results.iter().filter_map(move |result| result.measured(measure));
    let whole = measured().all(|m| m.summary.mean.fract() == 0.0 && m.summary.min == m.summary.max);
    match measure {
        Measure::Drops | Measure::LostOnLinks | Measure::Retransmissions | Measure::Timeouts if whole => 0,
        Measure::Efficiency | Measure::Fairness | Measure::WeightedFairness | Measure::UdpLoss => 4,
        Measure::GoodputBps | Measure::QueueingDelayS => 3,
        Measure::Asked(_) if measure.unit().is_empty() => 4,
        Measure::Asked(_) => 3,
        Measure::MeanQueue | Measure::Drops | Measure::LostOnLinks | Measure::Retransmissions | Measure::Timeouts => 1,
    }
}

/// The measures of a table: those that only some networks have where one of the results has them.
fn measures(comparison: &Comparison) -> impl Iterator<Item = Measure> {
    let has = |measure: &Measure| comparison.results.iter().any(|result| result.measured(measure).is_some());
    comparison.measures().into_iter().filter(move |measure| !measure.is_rare() || has(measure))
}

/// What decides between results, in few columns.
fn at_a_glance(entries: &[Entry], comparison: &Comparison) -> Table {
    let flows = entries.iter().map(|entry| entry.document.summary.flows.len()).max().unwrap_or(0);
    let is_told = |measure: &Measure| match measure {
        Measure::GoodputBps | Measure::QueueingDelayS | Measure::Drops | Measure::Timeouts | Measure::Asked(_) => true,
        Measure::Fairness => flows > 1,
        _ => false,
    };
    let told: Vec<Measure> = measures(comparison).filter(is_told).collect();
    numbers("Mean over the seeds", entries, comparison, &told, false)
}

fn side_by_side(entries: &[Entry], comparison: &Comparison) -> Table {
    let all: Vec<Measure> = measures(comparison).collect();
    numbers("Every result: mean over its seeds", entries, comparison, &all, true).note(
        "± is half the width of the 95 % confidence interval over the seeds (Student's t). Queueing delay is the mean \
         time that one unit waits at the port that limits: exact where delays are counted, else mean queue over \
         departures per second (Little's law). \
         Drops, retransmissions and timeouts are sums over all ports and flows; so are losses on links, after \
         their ports accepted the packets. UDP loss is the share of all UDP datagrams that were lost.",
    )
}

/// A row for each result with some of its measures.
fn numbers(caption: &str, entries: &[Entry], comparison: &Comparison, shown: &[Measure], seeds: bool) -> Table {
    let unit = unit(entries);
    let mut table = Table::new(caption).words("result");
    if seeds {
        table = table.column("seeds", "");
    }
    for measure in shown {
        table = table.column(measure.name(), scale(comparison, measure, &unit).unit);
    }
    for (n, result) in comparison.results.iter().enumerate() {
        let mut cells = vec![Cell::text(name(entries, n))];
        if seeds {
            cells.push(Cell::number(result.seeds.len() as f64, 0));
        }
        for measure in shown {
            let factor = scale(comparison, measure, &unit).factor;
            let digits = decimals(comparison, measure);
            let least = match measure {
                Measure::Fairness => Some(least_fairness(entries[n].document.flows())),
                Measure::Efficiency | Measure::UdpLoss | Measure::WeightedFairness => Some(0.0),
                _ => None,
            };
            cells.push(
                result
                    .measured(measure)
                    .map_or(Cell::None, |measured| Cell::measured(&measured.summary, factor, digits, least)),
            );
        }
        table.row(cells);
    }
    table
}

fn delay(comparison: &Comparison) -> Html {
    let points = comparison.results.iter().enumerate().filter_map(|(n, result)| {
        let (x, y) = (result.measured(&Measure::QueueingDelayS)?, result.measured(&Measure::GoodputBps)?);
        Some(Point {
            colour: n,
            name: result.label.clone(),
            x: x.summary,
            y: y.summary,
            seeds: x.values.iter().copied().zip(y.values.iter().copied()).collect(),
        })
    });
    let points: Vec<Point> = points.collect();
    let mut html = Html::new();
    if points.is_empty() {
        html.leaf("p", &[], "No unit passed a port in these runs, so there is no queueing delay.");
        return html;
    }
    let scatter = Scatter {
        label: "Total goodput against mean queueing delay; the numbers are in the table above".into(),
        x: ("mean queueing delay".into(), "s".into()),
        y: ("total goodput".into(), "bit/s".into()),
        has_diagonal: false,
        points,
    };
    html.append(&scatter.html());
    html.leaf(
        "p",
        &[("class", "note")],
        &format!(
            "Up and to the left is better. Small dots are seeds, whiskers the 95 % confidence intervals of the means.{}",
            if scatter.goes_beyond() { " An arrow: the interval goes on beyond the axis." } else { "" }
        ),
    );
    html
}

/// One matrix: a row for each result but the first, a column for each measure in which some of them differ.
fn differences(entries: &[Entry], comparison: &Comparison) -> Html {
    let mut html = Html::new();
    let unit = unit(entries);
    let others = 1..entries.len();
    let known = |measure: &Measure| others.clone().any(|n| comparison.difference(measure, n).is_some());
    let equal = |measure: &Measure| {
        let mut of = others.clone().filter_map(|n| comparison.difference(measure, n));
        of.all(|difference| difference.verdict == Verdict::Equal)
    };
    let (same, shown): (Vec<Measure>, Vec<Measure>) =
        comparison.measures().into_iter().filter(|measure| known(measure)).partition(|measure| equal(measure));
    if !shown.is_empty() {
        let mut table =
            Table::new(format!("Each result minus {}", entries[0].label)).words("result").column("seeds", "");
        for measure in &shown {
            table = table.column(measure.name(), scale(comparison, measure, &unit).unit);
        }
        for n in others.clone() {
            let of = |measure: &Measure| comparison.difference(measure, n);
            let seeds = shown.iter().find_map(of).map_or(0, |difference| difference.seeds);
            let mut cells = vec![Cell::text(name(entries, n)), Cell::number(seeds as f64, 0)];
            cells.extend(shown.iter().map(|measure| {
                let scale = scale(comparison, measure, &unit);
                of(measure).map_or(Cell::None, |found| difference(found, &scale, decimals(comparison, measure)))
            }));
            table.row(cells);
        }
        html.append(&table.html());
    }
    let apart: Vec<String> = others
        .clone()
        .filter(|n| comparison.measures().iter().all(|measure| comparison.difference(measure, *n).is_none()))
        .map(|n| name(entries, n))
        .collect();
    if !apart.is_empty() {
        let text =
            format!("No seed in common with {}, so no paired differences: {}.", entries[0].label, apart.join(", "));
        html.leaf("p", &[], &text);
    }
    if !same.is_empty() {
        let names: Vec<&str> = same.iter().map(|measure| measure.name()).collect();
        html.leaf("p", &[], &format!("Equal in all results under every seed: {}.", names.join(", ")));
    }
    html.leaf(
        "p",
        &[("class", "note")],
        "Differences are taken seed by seed; ± is half the width of the 95 % confidence interval of their mean. ✓ better, \
         ! worse: the interval does not hold zero; with many cells, one in twenty does so by chance. · no difference shown, \
         or one seed only.",
    );
    html
}

/// A difference with its sign, its interval, and whether it is for better or worse.
fn difference(difference: &Difference, scale: &Scale, decimals: usize) -> Cell {
    if difference.verdict == Verdict::Equal {
        return Cell::Verdict(Tone::Neutral, "equal".into());
    }
    let mean = difference.difference.mean * scale.factor;
    let sign = if mean > 0.0 { "+" } else { "" };
    let tone = match difference.is_better() {
        Some(true) => Tone::Good,
        Some(false) => Tone::Notable,
        None => Tone::Neutral,
    };
    let mean = format!("{sign}{}", fixed(mean, decimals));
    let half = difference.difference.ci95.map(|half| half * scale.factor);
    let cell = half.map_or(Cell::Number(mean.clone()), |half| Cell::half(mean, half, decimals));
    Cell::Judged(tone, Box::new(cell))
}

/// What a difference means, in words.
pub fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Equal => "equal under every seed",
        Verdict::Higher => "higher",
        Verdict::Lower => "lower",
        Verdict::NotShown => "no difference shown",
        Verdict::OneSeed => "one seed: no interval",
    }
}

/// Of more results than this a title names the first and the last.
const FEW: usize = 4;
/// Keys of resolved scenarios that tell what path it is, and what they are called.
const PATH_KEYS: [(&str, &str); 6] = [
    ("rate", "rate"),
    ("bottleneck_rate", "bottleneck"),
    ("bottleneck_delay", "with a delay of"),
    ("trunk_delay", "trunk delay"),
    ("access_delay", "access delay"),
    ("buffer", "buffer"),
];
/// Points on a page, generous first.
const POINT_BUDGETS: [usize; 4] = [200_000, 120_000, 60_000, 10_000];
#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_store::document::example::example;

    fn entry(label: &str, resolved: &str) -> Entry {
        let mut document = example(2, 2, 3);
        document.scenario.resolved = resolved.into();
        document.scenario.hash = blake3::hash(resolved.as_bytes()).to_hex().to_string();
        Entry { label: label.into(), document, series: Vec::new() }
    }

    #[test]
    fn the_lines_in_which_scenarios_differ_are_shown() {
        let html = compare(&[entry("<one>", "a = 1\nb = 2\n"), entry("two", "a = 1\nb = \"<3>\"\n")], &[]);
        assert!(html.contains("<del>− b = 2</del>") && html.contains("<ins>+ b = &quot;&lt;3&gt;&quot;</ins>"));
        assert!(html.contains("&lt;one&gt;") && !html.contains("<one>"));
        assert!(html.contains("2 results of different scenarios"));
    }

    #[test]
    fn what_is_needed_to_repeat_the_results_is_there() {
        let html = compare(&[entry("one", "a = 1\n"), entry("two", "a = 2\n")], &[]);
        for part in ["Resolved scenario of one (1 line)", "a = 1\n", "ackclock run x.toml", "00000000000000ff"] {
            assert!(html.contains(part), "{part}");
        }
        assert!(html.contains(">result version</th>") && html.contains(">Fingerprints<"));
    }

    #[test]
    fn equal_scenarios_are_said_to_be_equal() {
        let html = compare(&[entry("one", "a = 1\n"), entry("two", "a = 1\n")], &[]);
        assert!(
            html.contains("of the same scenario") && html.contains("Equal in all results under every seed: efficiency")
        );
        assert!(!html.contains("class=\"diff\""));
    }

    #[test]
    fn what_limits_a_comparison_is_said() {
        let remarks = |change: fn(&mut Document)| {
            let mut other = entry("two", "a = 1\n").document;
            change(&mut other);
            let results = [("one".to_string(), entry("one", "a = 1\n").document), ("two".to_string(), other)];
            super::remarks(&Comparison::of(&results)).join("\n")
        };
        assert_eq!(remarks(|_| ()), "");
        assert!(remarks(|d| d.runs.truncate(2)).contains("not run under the same seeds: 2 seeds are common"));
        assert!(remarks(|d| d.runs.truncate(1)).contains("With one common seed there are no confidence intervals"));
        assert!(remarks(|d| d.runs.iter_mut().for_each(|run| run.seed += 10)).contains("No seed is common"));
        assert!(remarks(|d| d.result_version += 1).contains("different result versions"));
    }

    #[test]
    fn twenty_results_bear_their_names_in_one_matrix() {
        let entries: Vec<Entry> = (0..20).map(|n| entry(&format!("variant {n}"), "a = 1\n")).collect();
        let mut entries = entries;
        for run in entries.iter_mut().skip(1).flat_map(|entry| &mut entry.document.runs) {
            run.ports[1].mean_queue /= 2.0;
        }
        let html = compare(&entries, &[]);
        let body = html.split_once("<main").unwrap().1;
        assert!(html.contains("variant 0 to variant 19, 20 results") && !body.contains("T  variant"));
        assert_eq!(body.matches("Each result minus variant 0</caption>").count(), 1);
        // Half the delay and half the queue, in each of the nineteen: better, and no warning.
        let praise = |sign: &str| body.matches(&format!("<span class=\"verdict {sign}\">")).count();
        assert_eq!((praise("good"), praise("notable")), (38, 0));
        assert!(body.contains("Equal in all results under every seed: efficiency, fairness, goodput"));
    }

    #[test]
    fn below_the_title_stand_the_parameters_of_the_path() {
        let path = "bottleneck_rate = \"20 Mbps\"\nbottleneck_delay = \"5 ms\"\nbuffer = ";
        let entries = [entry("one", &format!("{path}\"10 cells\"\n")), entry("two", &format!("{path}\"20 cells\"\n"))];
        assert!(compare(&entries, &[]).contains("Path: bottleneck 20 Mbps, with a delay of 5 ms. 2 results"));
        assert!(compare_over(&entries, &[], "a path").contains("Path: a path. 2 results"));
    }

    #[test]
    fn the_metrics_drawn_are_those_that_most_have_recorded() {
        let set = |metrics: &[Metric]| metrics.iter().copied().collect::<BTreeSet<_>>();
        assert_eq!(preferred(&[set(&[Metric::Cwnd, Metric::Queue]), set(&[Metric::Queue])]), [Metric::Queue]);
        assert_eq!(preferred(&[set(&[Metric::Cwnd, Metric::Queue])]), [Metric::Cwnd, Metric::Queue]);
        assert_eq!(preferred(&[set(&[Metric::Drops]), set(&[])]), []);
    }
}
