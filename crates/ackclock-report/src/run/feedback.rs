//! The part of a report about rate control of TCP: what routers did to acknowledgements, and goodput against max-min shares.

use ackclock_store::document::Document;
use ackclock_store::document::feedback::{FeedbackSummary, MaxMinSummary};
use ackclock_store::document::summary::{FlowSummary, PortSummary};

use super::counts::counts_cell;
use crate::page::html::Html;
use crate::page::number::{Scale, fixed};
use crate::page::scatter::{Point, Scatter};
use crate::page::table::{Cell, Table};

/// The tables and the plot; nothing where no router changed an acknowledgement.
pub(super) fn section(document: &Document) -> Html {
    let mut html = ports(document);
    if !html.is_empty() {
        html.append(&shares(document));
    }
    html
}

fn ports(document: &Document) -> Html {
    let told = |port: &'_ PortSummary| port.feedback.filter(|feedback| feedback.acks.max > 0.0);
    let all: Vec<(&PortSummary, FeedbackSummary)> =
        document.summary.ports.iter().filter_map(|port| Some((port, told(port)?))).collect();
    if all.is_empty() {
        return Html::new();
    }
    let largest =
        all.iter().filter_map(|(_, feedback)| feedback.allocation_bps).map(|rate| rate.mean).fold(0.0, f64::max);
    let scale = Scale::fitting(largest, "bit/s");
    // Edge devices of ATM networks alone put frames together.
    let has_damaged =
        all.iter().filter_map(|(_, feedback)| feedback.damaged_ack_frames).any(|damaged| damaged.max > 0.0);
    let mut table = Table::new("Ports that tell TCP senders rates")
        .words("port")
        .column("acknowledgements", "")
        .column("windows lowered", "")
        .column("most waiting in buckets", "");
    if has_damaged {
        table = table.column("damaged acknowledgements", "");
    }
    let mut table = table.column("rate offered at the end", &*scale.unit);
    let runs = document.runs.len();
    for (port, feedback) in &all {
        let counted = [&feedback.acks, &feedback.windows_lowered, &feedback.most_acks_waiting];
        let damaged = feedback.damaged_ack_frames.as_ref().filter(|_| has_damaged);
        let mut row = vec![Cell::text(&port.name)];
        row.extend(counted.into_iter().chain(damaged).map(|count| counts_cell(count, runs)));
        row.push(Cell::maybe(&feedback.allocation_bps, scale.factor, 3));
        table.row(row);
    }
    table.note("Rates are those on the wire. The rate offered is that for a flow that the port limits.").html()
}

/// What flows have of their max-min shares; nothing where they have none.
fn shares(document: &Document) -> Html {
    let all: Vec<(&FlowSummary, MaxMinSummary)> =
        document.summary.flows.iter().filter_map(|flow| Some((flow, flow.max_min?))).collect();
    let mut html = Html::new();
    if all.is_empty() {
        return html;
    }
    let largest = all.iter().map(|(_, share)| share.max_min_share_bps.mean).fold(0.0, f64::max);
    let scale = Scale::fitting(largest, "bit/s");
    let mut table = Table::new("Flows and their max-min shares")
        .words("flow")
        .column("goodput", &*scale.unit)
        .column("goodput at the share", &*scale.unit)
        .column("goodput of that", "")
        .column("share on the wire", &*scale.unit);
    for (flow, share) in all.iter().take(LISTED) {
        let part = flow.goodput_bps.mean / share.max_min_goodput_bps.mean;
        table.row(vec![
            Cell::text(&flow.name),
            Cell::interval(&flow.goodput_bps, scale.factor, 3),
            Cell::number(share.max_min_goodput_bps.mean * scale.factor, 3),
            Cell::Number(format!("{} %", fixed(100.0 * part, 1))),
            Cell::number(share.max_min_share_bps.mean * scale.factor, 3),
        ]);
    }
    let more = all.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" {more} more in result.json.") } else { String::new() };
    let note = format!(
        "Max-min shares are those of whole links, less what UDP takes, that all flows of TCP share among themselves; no window limits a \
         flow.{more}"
    );
    html.append(&table.note(note).html());
    let point = |(colour, (flow, share)): (usize, &(&FlowSummary, MaxMinSummary))| Point {
        colour,
        name: flow.name.clone(),
        x: share.max_min_goodput_bps,
        y: flow.goodput_bps,
        seeds: Vec::new(),
    };
    let plot = Scatter {
        label: "Goodput of every flow against that at its max-min share".into(),
        x: ("goodput at the max-min share".into(), "bit/s".into()),
        y: ("goodput".into(), "bit/s".into()),
        has_diagonal: true,
        points: all.iter().enumerate().map(point).collect(),
    };
    html.append(&plot.html());
    html
}

/// More are in the document.
const LISTED: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_store::document::example::{example, with_feedback};

    #[test]
    fn ports_that_changed_acknowledgements_are_listed() {
        assert!(section(&example(3, 2, 1)).is_empty());
        let html = section(&with_feedback(example(3, 2, 1)));
        let row = html.as_str().split("<tr").find(|row| row.contains(">sw1-&gt;sw2</th>")).unwrap();
        for number in [">5000<", ">400<", ">70<", ">2<", "10.000"] {
            assert!(row.contains(number), "{number}: {row}");
        }
    }

    /// Flow 2 has 2.1 Mb/s, and a share of 24, of which 20 are payload.
    #[test]
    fn flows_are_compared_with_their_shares() {
        let html = section(&with_feedback(example(3, 2, 1)));
        let row = html.as_str().split("<tr").find(|row| row.contains(">f2</th>")).unwrap();
        for number in ["2.100", "20.000", "10.5 %", "24.000"] {
            assert!(row.contains(number), "{number}: {row}");
        }
        let plot = html.as_str().split("<svg").nth(1).unwrap();
        assert!(plot.contains("goodput at the max-min share") && plot.contains("f3"), "{plot}");
    }
}
