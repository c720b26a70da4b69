//! The part of a report about runs on the TCP of a kernel: how exact they were, and what the kernel was set to.

use ackclock_store::document::Document;
use ackclock_store::document::live::Setting;

use crate::page::html::Html;
use crate::page::table::{Cell, Table};

/// The tables and lists; nothing of simulated runs.
pub(super) fn section(document: &Document) -> Html {
    let mut html = Html::new();
    let (Some(live), Some(line)) = (&document.live, document.live_line()) else { return html };
    html.leaf("p", &[], &format!("{line}."));
    html.append(&runs(document).html());
    let names = live.congestion_controls.iter();
    let names: Vec<String> = names.map(|of| format!("{} ({} in the kernel)", of.name, of.kernel_name)).collect();
    html.leaf("p", &[], &format!("Congestion control: {}.", names.join(", ")));
    if !live.differences.is_empty() {
        html.leaf("p", &[], "What the kernel does in another way than the scenario says:");
        html.tag("ul", &[], |html| {
            for difference in &live.differences {
                html.leaf("li", &[], difference);
            }
        });
    }
    html.tag("details", &[], |html| {
        html.leaf("summary", &[], "What hosts were set to").append(&settings(&live.settings).html());
    });
    html
}

fn runs(document: &Document) -> Table {
    let mut table = Table::new("Live runs")
        .words("seed")
        .words("verdict")
        .column("late p50", "ms")
        .column("p99", "ms")
        .column("p99.9", "ms")
        .column("most", "ms")
        .column("hosts p99.9", "ms")
        .column("pauses felt", "%")
        .column("lost outside", "packets")
        .column("load", "")
        .column("processor", "")
        .words("why");
    for run in document.runs.iter().take(LISTED) {
        let Some(live) = &run.live else { continue };
        let number = |value: Option<f64>, factor: f64, decimals| match value {
            Some(value) => Cell::number(value * factor, decimals),
            None => Cell::None,
        };
        let ms = |seconds| number(seconds, 1e3, 3);
        let late = &live.lateness;
        let why: Vec<&str> = live.reasons.iter().chain(&live.problems).map(String::as_str).collect();
        table.row(vec![
            Cell::text(run.seed.to_string()),
            Cell::text(live.verdict.name()),
            ms(late.p50_s),
            ms(late.p99_s),
            ms(late.p999_s),
            ms(late.max_s),
            ms(live.host_lateness.p999_s),
            Cell::number(100.0 * live.pauses_felt, 1),
            Cell::number(live.drops_outside as f64, 0),
            number(live.load, 1.0, 1),
            number(Some(live.processor), 1.0, 2),
            Cell::text(why.join("; ")),
        ]);
    }
    table.note(
        "Late: how much later than the scenario says packets left the emulator. Hosts: how late they acknowledged what they must at once, and \
         their programs sent what was due. Pauses felt: for which part of the time of flows a pause had effects.",
    )
}

fn settings(all: &[Setting]) -> Table {
    let mut table = Table::new("Settings").words("host").words("setting").words("value");
    for Setting { host, setting, value } in all.iter().take(SETTINGS_LISTED) {
        table.row(vec![Cell::text(host), Cell::Code(setting.clone()), Cell::Code(value.clone())]);
    }
    table
}

/// More runs and settings are left to `result.json`.
const LISTED: usize = 50;
const SETTINGS_LISTED: usize = 500;
