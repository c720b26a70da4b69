//! The part of a report about ABR connections: their rates against their max-min shares, as a table and as a plot.

use ackclock_store::document::Document;
use ackclock_store::document::abr::AbrSummary;
use ackclock_store::document::summary::{FlowSummary, PortSummary};

use super::counts::counts_cell;
use crate::page::html::Html;
use crate::page::number::{Scale, fixed};
use crate::page::scatter::{Point, Scatter};
use crate::page::table::{Cell, Table};

/// The tables and the plot; nothing without ABR flows.
pub(super) fn section(document: &Document) -> Html {
    let mut html = Html::new();
    let all: Vec<(&FlowSummary, &AbrSummary)> =
        document.summary.flows.iter().filter_map(|flow| Some((flow, flow.abr.as_ref()?))).collect();
    if all.is_empty() {
        return html;
    }
    html.append(&rates(document, &all).html());
    html.append(&plot(document, &all).html());
    let caption = "Each point is an ABR connection: its mean ACR against its max-min share of whole links. The line is the whole \
                   share. With the same part of every share all points are on a line through the origin: 5 % below the line \
                   with a target utilisation of 0.95.";
    html.leaf("p", &[("class", "note")], caption);
    html.append(&ports(document));
    html
}

fn rates(document: &Document, all: &[(&FlowSummary, &AbrSummary)]) -> Table {
    let largest = all.iter().map(|(_, abr)| abr.max_min_share_bps.mean).fold(0.0, f64::max);
    let scale = Scale::fitting(largest, "bit/s");
    let mut table = Table::new("ABR connections")
        .words("flow")
        .column("mean ACR", &*scale.unit)
        .column("max-min share", &*scale.unit)
        .column("ACR of share", "")
        .column("least ACR", &*scale.unit)
        .column("RM cells sent", "")
        .column("returned", "")
        .column("out of rate", "")
        .column("cells with EFCI", "");
    let runs = document.runs.len();
    for (flow, abr) in all.iter().take(LISTED) {
        let part = abr.mean_acr_bps.mean / abr.max_min_share_bps.mean;
        table.row(vec![
            Cell::text(&flow.name),
            Cell::interval(&abr.mean_acr_bps, scale.factor, 3),
            Cell::number(abr.max_min_share_bps.mean * scale.factor, 3),
            Cell::Number(format!("{} %", fixed(100.0 * part, 1))),
            Cell::number(abr.least_acr_bps.min * scale.factor, 3),
            counts_cell(&abr.counts.forward_rm_cells, runs),
            counts_cell(&abr.counts.backward_rm_cells, runs),
            counts_cell(&abr.counts.out_of_rate_rm_cells, runs),
            counts_cell(&abr.counts.efci_cells, runs),
        ]);
    }
    let more = all.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" {more} more in result.json.") } else { String::new() };
    table.note(format!(
        "Rates include cell headers and RM cells. Max-min shares are those of whole links that ABR connections share among \
         themselves, less the cell rate of UDP.{more}"
    ))
}

fn plot(document: &Document, all: &[(&FlowSummary, &AbrSummary)]) -> Scatter {
    let seeds = |name: &str| -> Vec<(f64, f64)> {
        let of_runs = document.runs.iter().flat_map(|run| &run.flows).filter(|flow| flow.name == name);
        of_runs.filter_map(|flow| flow.abr.as_ref()).map(|abr| (abr.max_min_share_bps, abr.mean_acr_bps)).collect()
    };
    // Of many, names would cover each other: the seeds of those are left out too.
    let point = |(colour, (flow, abr)): (usize, &(&FlowSummary, &AbrSummary))| Point {
        colour,
        name: flow.name.clone(),
        x: abr.max_min_share_bps,
        y: abr.mean_acr_bps,
        seeds: if all.len() <= LISTED { seeds(&flow.name) } else { Vec::new() },
    };
    Scatter {
        label: "Mean ACR of every ABR connection against its max-min share".into(),
        x: ("max-min share".into(), "bit/s".into()),
        y: ("mean ACR".into(), "bit/s".into()),
        has_diagonal: true,
        points: all.iter().enumerate().map(point).collect(),
    }
}

/// What ports told sources.
fn ports(document: &Document) -> Html {
    let all: Vec<&PortSummary> = document.summary.ports.iter().filter(|port| port.rates.is_some()).collect();
    if all.is_empty() {
        return Html::new();
    }
    let largest = all.iter().filter_map(|port| port.rates?.allocation_bps).map(|rate| rate.mean).fold(0.0, f64::max);
    let scale = Scale::fitting(largest, "bit/s");
    let mut table = Table::new("Ports with a rate algorithm")
        .words("port")
        .column("rate offered at the end", &*scale.unit)
        .column("cells marked with EFCI", "");
    for port in &all {
        let Some(rates) = port.rates else { continue };
        table.row(vec![
            Cell::text(&port.name),
            Cell::maybe(&rates.allocation_bps, scale.factor, 3),
            counts_cell(&rates.marked_cells, document.runs.len()),
        ]);
    }
    table.note("The rate offered at the end is ERQ of CAPC, the fair share of ERICA and ERICA+.").html()
}

/// More are in the document.
const LISTED: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_store::document::example::{example, with_abr};

    #[test]
    fn every_connection_is_compared_with_its_share() {
        assert!(section(&example(3, 2, 1)).is_empty());
        let html = section(&with_abr(example(3, 2, 1)));
        let text = html.as_str();
        for expected in ["ABR connections", "90.0 %", "45.0 %", "max-min share", "Ports with a rate algorithm"] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        // Of flow 2 of 3, in Mb/s: 0.45 of 20; RM cells sent and returned. Of a port: 12 Mb/s, and 7 cells marked.
        let row = |begin: &str| text.split("<tr").find(|row| row.contains(begin)).unwrap_or_else(|| panic!("{text}"));
        for (begin, numbers) in [
            (">f2</th>", ["9.000", "20.000", "45.0 %", "1.000", ">100<", ">98<"]),
            (">sw1-&gt;sw2</th>", ["12.000", ">7<", "", "", "", ""]),
        ] {
            for number in numbers {
                assert!(row(begin).contains(number), "{number}: {}", row(begin));
            }
        }
        let plot = text.split("<svg").nth(1).unwrap_or_else(|| panic!("no plot in {text}"));
        assert!(plot.contains("mean ACR") && ["f1", "f2", "f3"].iter().all(|name| plot.contains(name)), "{plot}");
    }
}
