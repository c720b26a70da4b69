//! The rates of ABR flows against their max-min shares, for the table of a terminal.

use ackclock_store::document::Document;
use ackclock_store::document::abr::AbrSummary;

use super::columns::{NAME_LENGTH, Row, count, header, mean_in_brackets, short};

/// The ABR flows: of many the ones with the least and the largest part of their shares.
pub(super) fn rows(document: &Document) -> Vec<Row> {
    let flows = document.summary.flows.iter();
    let mut all: Vec<(&str, &AbrSummary)> = flows.filter_map(|flow| Some((&*flow.name, flow.abr.as_ref()?))).collect();
    let names = ["ABR flow", "mean ACR Mb/s", "share Mb/s", "of share", "RM cells", "returned", "EFCI"];
    let mut rows = vec![header(&names)];
    if all.len() <= LINES {
        rows.extend(all.iter().map(|(name, abr)| row(name, "", abr)));
        return rows;
    }
    all.sort_by(|a, b| part(b.1).total_cmp(&part(a.1)));
    for (rank, label) in [(0, "most"), (all.len() / 2, "median"), (all.len() - 1, "least")] {
        rows.push(row(all[rank].0, label, all[rank].1));
    }
    rows.push(vec![format!("... and {} more", all.len() - 3)]);
    rows
}

/// The part of its share that a connection has.
fn part(abr: &AbrSummary) -> f64 {
    abr.mean_acr_bps.mean / abr.max_min_share_bps.mean
}

fn row(name: &str, label: &str, abr: &AbrSummary) -> Row {
    let name = short(name, NAME_LENGTH);
    vec![
        if label.is_empty() { name } else { format!("{name} ({label})") },
        mean_in_brackets(&abr.mean_acr_bps, 1e-6, 3),
        mean_in_brackets(&abr.max_min_share_bps, 1e-6, 3),
        format!("{:.1} %", 100.0 * part(abr)),
        count(&abr.counts.forward_rm_cells),
        count(&abr.counts.backward_rm_cells),
        count(&abr.counts.efci_cells),
    ]
}

/// Lines of ABR flows.
const LINES: usize = 5;
