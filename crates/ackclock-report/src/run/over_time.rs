//! What was recorded over time: two plots for the first screen, all others for a section.

use ackclock::record::{Series, Subject};
use ackclock::units::Time;

use super::ranked::{busy_ports, ranked};
use crate::page::Page;
use crate::page::html::Html;
use crate::plots::{self, Recorded};
use crate::repeat::command_line;
use ackclock_store::comparison::port;
use ackclock_store::document::Document;

/// The plots of a result.
pub(super) struct Drawn {
    /// Throughput of the flows above the queue of a port, as far as they were recorded.
    pub(super) first: Html,
    /// The choices of what is shown, and the other plots.
    pub(super) rest: Html,
}

/// Draws what was recorded under a seed.
pub(super) fn draw(page: &mut Page, document: &Document, seed: u64, series: &[Series], points: usize) -> Drawn {
    let (mut first, mut html) = (Html::new(), Html::new());
    let Some(run) = document.runs.iter().find(|run| run.seed == seed).filter(|_| !series.is_empty()) else {
        html.leaf("p", &[], "Nothing was recorded over time, so there are no plots. For plots, run again with");
        html.tag("pre", &[], |html| {
            html.leaf("code", &[], &format!("{} --record tcp,ports", command_line(&document.command)));
        });
        return Drawn { first, rest: html };
    };
    html.leaf(
        "p",
        &[],
        &format!(
            "One run, that of seed {seed}. Drag across a plot to enlarge a part of the time; all plots follow. Double-click, \
             or Reset, shows all again."
        ),
    );
    let end = Time::from_ps((run.simulated_s * 1e12).round() as u64);
    let recorded = Recorded { series, unit: &document.scenario.unit, end };
    let groups = plots::groups(&recorded, |subject| shown_first(document, subject, series), points);
    for mut group in groups {
        let chosen: Vec<&str> = group.choice.chosen.iter().map(|n| group.choice.members[*n].as_str()).collect();
        if let ([port], Some(queue)) = (&chosen[..], group.charts.iter_mut().find(|chart| chart.id == "queue")) {
            queue.title = format!("Queue at {port}");
        }
        let (choice, controls) = page.choice(group.choice);
        html.append(&controls);
        if !group.note.is_empty() {
            html.leaf("p", &[("class", "note")], &group.note);
        }
        let (on_top, below): (Vec<_>, Vec<_>) =
            group.charts.iter().partition(|chart| FIRST.contains(&chart.id.as_str()));
        for chart in on_top {
            first.append(&page.low_chart(chart, choice));
        }
        html.tag("div", &[("class", "charts")], |html| {
            for chart in below {
                html.append(&page.chart(chart, choice));
            }
        });
    }
    Drawn { first, rest: html }
}

/// The flows with most, median and least goodput; the busiest port; its connections of these flows.
fn shown_first(document: &Document, subject: Subject, series: &[Series]) -> Vec<String> {
    let ranked = ranked(document);
    let mut flows: Vec<String> = Vec::new();
    for place in [0, ranked.len() / 2, ranked.len().saturating_sub(1)] {
        if let Some(flow) = ranked.get(place).filter(|flow| !flows.contains(&flow.name)) {
            flows.push(flow.name.clone());
        }
    }
    let recorded = |name: &str| series.iter().any(|series| series.of == name);
    let busiest = port(document).filter(|port| recorded(port)).map(str::to_string);
    let busiest = busiest.or_else(|| busy_ports(document).iter().map(|p| p.name.clone()).find(|name| recorded(name)));
    match subject {
        Subject::Flow => flows,
        Subject::Port => busiest.into_iter().collect(),
        Subject::PortVc => flows.iter().filter_map(|flow| Some(format!("{} · {flow}", busiest.as_ref()?))).collect(),
    }
}

/// The plots of the first screen.
const FIRST: [&str; 2] = ["throughput", "queue"];
