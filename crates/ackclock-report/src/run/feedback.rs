//! The part of a report about rate control of TCP: what routers did to acknowledgements.

use ackclock_store::document::Document;
use ackclock_store::document::feedback::FeedbackSummary;
use ackclock_store::document::summary::PortSummary;

use super::counts::counts_cell;
use crate::page::html::Html;
use crate::page::number::Scale;
use crate::page::table::{Cell, Table};

/// The table; nothing where no router changed an acknowledgement.
pub(super) fn section(document: &Document) -> Html {
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
}
