//! The scenarios of several results, and how each differs from the first.

use ackclock_store::comparison::Comparison;

use super::entry::{Entry, name};
use crate::diff::{self, Line};
use crate::page::html::Html;
use crate::page::table::{Cell, Table};
use crate::repeat::{command_line, fingerprints, resolved, seed_words};

/// The section of the scenarios.
pub fn scenarios_section(entries: &[Entry], comparison: &Comparison) -> Html {
    let mut html = Html::new();
    let mut table = Table::new("Commands and scenarios");
    for column in ["result", "scenario", "seeds", "hash", "Ackclock", "result version", "command"] {
        table = table.words(column);
    }
    for (n, entry) in entries.iter().enumerate() {
        let scenario = &entry.document.scenario;
        let hash = scenario.hash.chars().take(12).collect();
        table.row(vec![
            Cell::text(name(entries, n)),
            Cell::text(&scenario.name),
            Cell::Text(seed_words(&entry.document)),
            Cell::Code(hash),
            Cell::text(&entry.document.ackclock),
            Cell::text(entry.document.result_version.to_string()),
            Cell::Code(command_line(&entry.document.command)),
        ]);
    }
    html.append(&table.html());
    let mut more = Html::new();
    more.append(&fingerprints(entries.iter().map(|entry| (entry.label.as_str(), &entry.document))));
    let title = format!("Resolved scenario of {}", name(entries, 0));
    more.append(&resolved(&title, &entries[0].document.scenario.resolved));
    let mut said = "Fingerprints of the runs, and the resolved scenario".to_owned();
    if comparison.same_scenario {
        html.leaf("p", &[], "All results have the same resolved scenario.");
    } else {
        said = "Fingerprints of the runs, the resolved scenario, and how the others differ from it".into();
        for n in 1..entries.len() {
            more.append(&scenario_diff(entries, n));
        }
    }
    html.tag("details", &[], |html| {
        html.leaf("summary", &[], &said).append(&more);
    });
    html
}

/// How the resolved scenario of a result differs from that of the first.
fn scenario_diff(entries: &[Entry], n: usize) -> Html {
    let (old, new) = (&entries[0].document.scenario.resolved, &entries[n].document.scenario.resolved);
    let mut html = Html::new();
    html.leaf("h3", &[], &format!("From {} to {}", name(entries, 0), name(entries, n)));
    if old == new {
        html.leaf("p", &[], "The resolved scenarios are equal.");
        return html;
    }
    let Some(lines) = diff::lines(old, new) else {
        html.leaf("p", &[], "The resolved scenarios differ in too many lines to show.");
        return html;
    };
    let shown = diff::shortened(&lines, 2);
    let label = format!("Differences of the resolved scenarios of {} and {}", name(entries, 0), name(entries, n));
    html.tag("pre", &[("class", "diff"), ("tabindex", "0"), ("role", "region"), ("aria-label", &label)], |html| {
        for line in shown.iter().take(DIFF_LINES) {
            match line {
                Some(Line::Same(text)) => html.text("  ").text(text),
                Some(Line::Removed(text)) => html.leaf("del", &[], &format!("− {text}")),
                Some(Line::Added(text)) => html.leaf("ins", &[], &format!("+ {text}")),
                None => html.leaf("span", &[("class", "gap")], "  …"),
            };
            html.text("\n");
        }
    });
    if shown.len() > DIFF_LINES {
        html.leaf("p", &[("class", "note")], &format!("{} more lines differ.", shown.len() - DIFF_LINES));
    }
    html
}

/// Longer differences are cut.
const DIFF_LINES: usize = 400;
