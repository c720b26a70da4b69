//! What several results recorded, drawn over time together.

use std::collections::BTreeSet;

use ackclock::record::{Metric, Series, Subject};
use ackclock::units::Time;

use super::entry::{Entry, name, unit};
use super::multiples;
use crate::page::Page;
use crate::page::chart::{Chart, Choice};
use crate::page::html::Html;
use crate::page::paper::Plot;
use crate::plots::{self, Source};

/// The metrics that are drawn if none is named: those that as many results as possible have recorded.
pub fn preferred(recorded: &[BTreeSet<Metric>]) -> Vec<Metric> {
    let count = |metric: Metric| recorded.iter().filter(|metrics| metrics.contains(&metric)).count();
    let most = PREFERRED.into_iter().map(count).max().unwrap_or(0);
    PREFERRED.into_iter().filter(|metric| most > 0 && count(*metric) == most).collect()
}

/// The charts of these metrics.
pub fn over_time(page: &mut Page, entries: &[Entry], metrics: &[Metric], points: usize) -> Html {
    let mut html = Html::new();
    let recorded: Vec<BTreeSet<Metric>> =
        entries.iter().map(|entry| entry.series.iter().map(|series| series.metric).collect()).collect();
    let is_recorded = |metric: &Metric| recorded.iter().any(|metrics| metrics.contains(metric));
    let mut drawn: Vec<Metric> = metrics.iter().copied().filter(is_recorded).collect();
    if drawn.is_empty() {
        drawn = preferred(&recorded);
    }
    if drawn.is_empty() {
        html.leaf(
            "p",
            &[],
            "Nothing was recorded over time, so there are no plots. For plots, run each scenario again with",
        );
        html.tag("pre", &[], |html| {
            html.leaf("code", &[], "--record tcp,ports");
        });
        return html;
    }
    let seeds: Vec<(usize, u64)> = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| !entry.series.is_empty())
        .filter_map(|(n, entry)| Some((n, entry.document.runs.first()?.seed)))
        .collect();
    let which = match &seeds[..] {
        [(_, first), rest @ ..] if rest.iter().all(|(_, seed)| seed == first) => format!(" (seed {first})"),
        all => {
            let each: Vec<String> = all.iter().map(|(n, seed)| format!("{}: seed {seed}", name(entries, *n))).collect();
            format!(" ({})", each.join(", "))
        }
    };
    html.leaf("p", &[], &format!("One run of each{which}. Drag across the plot to enlarge a part."));
    html.append(&multiples::rows(page, entries, &drawn, points / 2));
    // What belongs to flows is chosen together, and so is what belongs to ports.
    html.tag("details", &[], |html| {
        html.leaf("summary", &[], "All results in the same plots, with a choice of flows and ports");
        for subject in [Subject::Flow, Subject::Port, Subject::PortVc] {
            let of_subject: Vec<Metric> = drawn.iter().copied().filter(|metric| metric.subject() == subject).collect();
            if !of_subject.is_empty() {
                html.append(&of_one_subject(page, entries, &of_subject, points / 2 * of_subject.len() / drawn.len()));
            }
        }
    });
    html
}

/// The plots of a figure for a paper: of each metric a curve for each result, of its first flow or of the port compared.
pub fn on_paper(entries: &[Entry], metrics: &[Metric]) -> Vec<Plot> {
    let plot = |metric: &Metric| {
        let mut curves: Vec<(String, &Series)> = Vec::new();
        for (n, entry) in entries.iter().enumerate() {
            let of_metric = || entry.series.iter().filter(|series| series.metric == *metric);
            let port = ackclock_store::comparison::port(&entry.document);
            let compared = of_metric().find(|series| Some(plots::label(series).as_str()) == port);
            curves.extend(compared.or_else(|| of_metric().next()).map(|series| (name(entries, n), series)));
        }
        (!curves.is_empty()).then(|| plots::on_paper(*metric, &curves, &unit(entries), end(entries)))
    };
    metrics.iter().filter_map(plot).collect()
}

/// The end of the longest run.
fn end(entries: &[Entry]) -> Time {
    let runs = entries.iter().filter_map(|entry| entry.document.runs.first());
    Time::from_ps((runs.map(|run| run.simulated_s).fold(0.0, f64::max) * 1e12).round() as u64)
}

/// The charts of metrics of one subject, with one choice of whose lines they show.
fn of_one_subject(page: &mut Page, entries: &[Entry], metrics: &[Metric], points: usize) -> Html {
    let all: Vec<(usize, &Series)> = entries
        .iter()
        .enumerate()
        .flat_map(|(n, entry)| entry.series.iter().map(move |series| (n, series)))
        .filter(|(_, series)| metrics.contains(&series.metric))
        .take(points / 50)
        .collect();
    let mut members: Vec<(usize, String)> = Vec::new();
    let mut sources: Vec<Source> = Vec::new();
    let room = (points / all.len().max(1)).clamp(50, 8000);
    for (n, series) in all {
        let label = (n, plots::label(series));
        let member = members.iter().position(|known| *known == label).unwrap_or(members.len());
        if member == members.len() {
            members.push(label);
        }
        sources.push(Source { member, series, room });
    }
    let chosen = first_of_each(entries, &members);
    let end = end(entries);
    let mut kinds: Vec<&plots::Kind> = Vec::new();
    for kind in metrics.iter().map(|metric| plots::kind_of(*metric)) {
        if !kinds.iter().any(|known| std::ptr::eq(*known, kind)) {
            kinds.push(kind);
        }
    }
    let mut html = Html::new();
    let charts: Vec<Chart> =
        kinds.iter().filter_map(|kind| plots::compared(kind, &sources, &unit(entries), end)).collect();
    if charts.is_empty() {
        let names: Vec<&str> = metrics.iter().map(|metric| metric.name()).collect();
        html.leaf("p", &[], &format!("{} was recorded, but has no values.", names.join(", ")));
        return html;
    }
    let members = members.iter().map(|(n, label)| format!("{} · {label}", name(entries, *n))).collect();
    let (choice, controls) = page.choice(Choice { label: "Lines".into(), members, chosen });
    html.append(&controls);
    let class = if charts.len() == 1 { "charts one" } else { "charts" };
    html.tag("div", &[("class", class)], |html| {
        for chart in &charts {
            html.append(&page.chart(chart, choice));
        }
    });
    html
}

/// A reader sees one of each result to begin with: the port compared, or else the first that was recorded.
fn first_of_each(entries: &[Entry], members: &[(usize, String)]) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut owners: BTreeSet<usize> = BTreeSet::new();
    for preferred in [true, false] {
        for (member, (n, label)) in members.iter().enumerate() {
            let port = ackclock_store::comparison::port(&entries[*n].document);
            if (!preferred || Some(label.as_str()) == port) && chosen.len() < MOST_CHOSEN && owners.insert(*n) {
                chosen.push(member);
            }
        }
    }
    chosen.sort_unstable();
    chosen
}

/// Metrics in the order in which one is drawn if none is named.
const PREFERRED: [Metric; 6] =
    [Metric::Cwnd, Metric::Throughput, Metric::Rtt, Metric::Queue, Metric::Utilisation, Metric::Acknowledged];
/// As many lines as can be distinguished.
const MOST_CHOSEN: usize = 6;
