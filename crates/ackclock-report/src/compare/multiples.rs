//! Small multiples: a row for each result with two plots over time, all with the same axes.

use ackclock::record::{Metric, Series, Subject};
use ackclock::units::Time;

use super::entry::{Entry, name, unit};
use crate::page::Page;
use crate::page::chart::{Chart, Choice, Data, Line};
use crate::page::html::Html;
use crate::page::number::{fixed, plural};
use crate::plots::{self, Source};

/// The rows: of each result the first flow that was recorded, and the port that is compared. `drawn` are the metrics that are
/// drawn anywhere on the page.
pub(super) fn rows(page: &mut Page, entries: &[Entry], drawn: &[Metric], points: usize) -> Html {
    let wanted: Vec<Metric> = PREFERRED.into_iter().filter(|metric| drawn.contains(metric)).collect();
    let of = |subject: Subject| wanted.iter().copied().find(|metric| metric.subject() == subject);
    let metrics: Vec<Metric> = [of(Subject::Flow), of(Subject::Port)].into_iter().flatten().collect();
    let room = (points / (entries.len() * metrics.len()).max(1)).clamp(50, 4000);
    let columns: Vec<Vec<Option<Chart>>> = metrics.iter().map(|metric| column(entries, *metric, room)).collect();
    let mut html = Html::new();
    let mut folded = Html::new();
    for n in 0..entries.len() {
        let charts = columns.iter().filter_map(|column| column[n].as_ref());
        let mut row = Html::new();
        row.tag("div", &[("class", "charts row")], |html| {
            for chart in charts {
                let member = chart.about.clone();
                let (choice, controls) =
                    page.choice(Choice { label: "Lines".into(), members: vec![member], chosen: vec![0] });
                html.tag("div", &[("hidden", "hidden")], |html| {
                    html.append(&controls);
                });
                html.append(&page.low_chart(chart, choice));
            }
        });
        if n < ROWS_OPEN { &mut html } else { &mut folded }.append(&row);
    }
    if entries.len() > ROWS_OPEN {
        html.tag("details", &[], |html| {
            html.leaf("summary", &[], &plural(entries.len() - ROWS_OPEN, "more result")).append(&folded);
        });
    }
    html
}

/// The plots of a metric, one for each result that recorded it.
fn column(entries: &[Entry], metric: Metric, room: usize) -> Vec<Option<Chart>> {
    let kind = plots::kind_of(metric);
    let owners: Vec<Option<&Series>> = entries.iter().map(|entry| first(entry, metric)).collect();
    let belongs = |series: &Series, owner: &Series| plots::label(series) == plots::label(owner);
    let mut sources: Vec<Source> = Vec::new();
    for (n, owner) in owners.iter().enumerate() {
        let Some(owner) = owner else { continue };
        let of_kind = entries[n].series.iter().filter(|series| std::ptr::eq(plots::kind_of(series.metric), kind));
        sources.extend(of_kind.filter(|s| belongs(s, owner)).map(|series| Source { member: n, series, room }));
    }
    let end = entries.iter().filter_map(|entry| entry.document.runs.first()).map(|run| run.simulated_s);
    let end = Time::from_ps((end.fold(0.0, f64::max) * 1e12).round() as u64);
    let Some(all) = plots::compared(kind, &sources, &unit(entries), end) else { return vec![None; entries.len()] };
    let largest =
        |lines: &mut dyn Iterator<Item = &Line>| lines.flat_map(|line| values(&line.data)).fold(0.0, f64::max);
    let highest = largest(&mut all.lines.iter().filter(|line| !all.hidden_roles.contains(&line.role)));
    let reach = all.top.map_or(highest, |top| top.min(highest));
    let one = |(n, owner): (usize, &Option<&Series>)| {
        let lines: Vec<Line> =
            all.lines.iter().filter(|line| line.member == n).map(|line| Line { member: 0, ..line.clone() }).collect();
        let owner = plots::label((*owner)?);
        // A window far above all others leaves its plot, and the title says to where.
        let own = largest(&mut lines.iter());
        let beyond = if own > 1.001 * reach && all.top.is_some() {
            format!(" ↑ up to {} {}", fixed(own, 0), all.unit)
        } else {
            String::new()
        };
        Some(Chart {
            id: format!("{}-of-{n}", all.id),
            title: format!("{}: {} of {owner}{beyond}", name(entries, n), all.title.to_lowercase()),
            about: owner,
            colour: Some(n),
            reach: (reach > 0.0).then_some(reach),
            top: None,
            apart: false,
            marks: events(entries, n),
            lines,
            ..all.clone()
        })
    };
    owners.iter().enumerate().map(one).collect()
}

/// The port that is compared, else what was recorded first.
fn first(entry: &Entry, metric: Metric) -> Option<&Series> {
    let port = ackclock_store::comparison::port(&entry.document);
    let of_metric = || entry.series.iter().filter(|series| series.metric == metric);
    of_metric().find(|series| Some(series.of.as_str()) == port).or_else(|| of_metric().next())
}

/// The instants of the events of a result, unless all results have the same: those are on every plot of the page.
fn events(entries: &[Entry], n: usize) -> Vec<f64> {
    if common_events(entries) {
        return Vec::new();
    }
    entries[n].document.scenario.events.iter().map(|event| event.time_s).filter(|time| *time > 0.0).collect()
}

/// Whether the same happens to the networks of all results.
pub(super) fn common_events(entries: &[Entry]) -> bool {
    entries.iter().all(|entry| entry.document.scenario.events == entries[0].document.scenario.events)
}

fn values(data: &Data) -> impl Iterator<Item = f64> + '_ {
    let (value, max) = match data {
        Data::Points { value, .. } => (value, &[][..]),
        Data::Intervals { mean, max, .. } => (mean, &max[..]),
    };
    value.iter().chain(max).copied().filter(|value| value.is_finite())
}

/// What is drawn first of flows and of ports.
const PREFERRED: [Metric; 8] = [
    Metric::Cwnd,
    Metric::SendWindow,
    Metric::Throughput,
    Metric::Acr,
    Metric::Rtt,
    Metric::Queue,
    Metric::Sojourn,
    Metric::Utilisation,
];
/// More rows are folded.
const ROWS_OPEN: usize = 6;
