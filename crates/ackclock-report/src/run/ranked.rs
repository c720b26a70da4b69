//! Flows and ports in the order in which they are shown.

use ackclock_store::document::Document;
use ackclock_store::document::summary::{self, FlowSummary, PortSummary};

/// The ports to which something happened, those that dropped and queued most first.
pub(super) fn busy_ports(document: &Document) -> Vec<&PortSummary> {
    summary::busy_ports(&document.summary.ports)
}

/// The flows, those with most goodput first.
pub(super) fn ranked(document: &Document) -> Vec<&FlowSummary> {
    let mut ranked: Vec<&FlowSummary> = document.summary.flows.iter().collect();
    ranked.sort_by(|a, b| b.goodput_bps.mean.total_cmp(&a.goodput_bps.mean));
    ranked
}
