//! The max-min shares that rates for TCP are to come near to.

use crate::net::abr::tcp_shares;
use crate::packet::aal5;
use crate::record::MaxMinShare;
use crate::scenario::{Flow, Scenario, Technology};
use crate::units::CELL_BITS;

/// The max-min share of each flow, where some port gives rates to flows of TCP. Where none does, or a route changes, nothing.
pub(in crate::net) fn max_min(scenario: &Scenario) -> Vec<Option<MaxMinShare>> {
    let gives_rates = scenario.links.iter().any(|link| link.queue.feedback.is_some());
    let is_fixed = scenario.flows.iter().all(|flow| flow.forward.fixed().is_some());
    if !gives_rates || !is_fixed {
        return Vec::new();
    }
    let share = |(flow, wire_bps): (&Flow, f64)| {
        Some(MaxMinShare { wire_bps, payload_bps: wire_bps * payload_of_wire(scenario.technology, flow) })
    };
    scenario.flows.iter().zip(tcp_shares(scenario, 1.0)).map(share).collect()
}

/// The part that payload has of what a full segment takes on the wire.
fn payload_of_wire(technology: Technology, flow: &Flow) -> f64 {
    let datagram = flow.tcp.full_datagram();
    let bits = match technology {
        Technology::Packet { link_header_bytes } => 8 * u64::from(datagram + link_header_bytes),
        Technology::Atm { llc } => CELL_BITS * u64::from(aal5::cells(datagram, llc)),
    };
    f64::from(8 * flow.tcp.mss) / bits as f64
}
