//! Which connections of a port a rate algorithm serves, and their max-min shares.

use super::port_rates::Served;
use crate::atm::{AbrParams, max_min};
use crate::ids::{FlowId, Id, IdVec, VcId};
use crate::net::flow::{End, Vc, data_vc, datagram, end_of};
use crate::packet::aal5;
use crate::scenario::{Link, Scenario, ServiceCategory, Technology, UdpFlow};
use crate::units::Time;

/// The parameters of ABR of the flow to which a connection belongs, if it is of that service.
pub(in crate::net) fn abr_params(scenario: &Scenario, vc: VcId) -> Option<&AbrParams> {
    match &scenario.flows.iter().nth(end_of(vc).0)?.service {
        ServiceCategory::Abr(params) => Some(params),
        ServiceCategory::Ubr { .. } => None,
    }
}

/// For each connection that crosses a port what a rate algorithm serves it as: the data connections of ABR flows, or, if the port
/// has feedback to TCP, those of all flows.
pub(in crate::net) fn served(scenario: &Scenario, crossing: &[VcId], has_feedback: bool) -> Vec<Option<Served>> {
    let mut numbers = 0..;
    let served = |&vc: &VcId| {
        let (flow, end) = end_of(vc);
        let rm_rates = abr_params(scenario, vc).map(|params| params.rm_rates);
        let is_served = rm_rates.is_some() || has_feedback && flow < scenario.flows.len();
        if is_served && end == End::Receiver { Some(Served { number: numbers.next()?, rm_rates }) } else { None }
    };
    crossing.iter().map(served).collect()
}

/// The max-min shares, in cells per second, of the ABR connections that cross a port, where this part of the capacity of every
/// link, less what UDP takes of it, is shared by all ABR connections; a peak cell rate limits its connection.
pub(in crate::net) fn max_min_shares(
    scenario: &Scenario,
    vcs: &IdVec<VcId, Vc>,
    crossing: &[VcId],
    part: f64,
) -> Vec<f64> {
    let route = |flow| vcs[data_vc(flow)].route.iter().map(|hop| hop.link.index()).collect();
    let shares = shares(scenario, part, route, |flow| peak_rate(scenario, flow));
    let of_data = crossing.iter().filter(|vc| end_of(**vc).1 == End::Receiver);
    of_data.filter_map(|vc| *shares.get(end_of(*vc).0)?).map(|bps| bps / CELL_BITS).collect()
}

/// The max-min share of each flow of the service ABR, in cells per second, where the whole capacity of every link is shared, less what
/// UDP takes of it.
pub(in crate::net) fn flow_shares(scenario: &Scenario) -> Vec<Option<f64>> {
    let shares = shares(scenario, 1.0, |flow| forward(scenario, flow), |flow| peak_rate(scenario, flow));
    shares.into_iter().map(|share| share.map(|bps| bps / CELL_BITS)).collect()
}

/// The max-min share of each flow, in bits per second on the wire, where all flows share this part of the capacity of every link,
/// less what UDP takes of it; a peak cell rate limits its connection.
pub(in crate::net) fn tcp_shares(scenario: &Scenario, part: f64) -> Vec<f64> {
    let of_ubr = |flow| scenario.flows[FlowId::from_index(flow)].service.pcr().map(|pcr| pcr.as_bps() as f64);
    let peak_rate = |flow| Some(peak_rate(scenario, flow).or_else(|| of_ubr(flow)).unwrap_or(f64::INFINITY));
    let shares = shares(scenario, part, |flow| forward(scenario, flow), peak_rate);
    shares.into_iter().flatten().collect()
}

fn forward(scenario: &Scenario, flow: usize) -> Vec<usize> {
    scenario.flows[FlowId::from_index(flow)].forward.links().iter().map(|link| link.index()).collect()
}

/// The peak rate of a flow in bits per second, if it is of the service ABR.
fn peak_rate(scenario: &Scenario, flow: usize) -> Option<f64> {
    abr_params(scenario, data_vc(flow)).map(|abr| abr.pcr * CELL_BITS)
}

/// The max-min shares in bits per second of the flows that have a peak rate, which may be infinite; their data cross the links of
/// `route`.
fn shares(
    scenario: &Scenario,
    part: f64,
    route: impl Fn(usize) -> Vec<usize>,
    peak_rate: impl Fn(usize) -> Option<f64>,
) -> Vec<Option<f64>> {
    let taken = taken_by_udp(scenario);
    let left = |(link, taken): (&Link, f64)| scaled((link.rate.as_bps() as f64 * part - taken).max(LEAST_BPS));
    let mut capacities: Vec<u64> = scenario.links.iter().zip(taken).map(left).collect();
    let mut connections = Vec::new();
    let mut flows = Vec::new();
    for flow in 0..scenario.flows.len() {
        let Some(peak) = peak_rate(flow) else { continue };
        let mut links = route(flow);
        if peak.is_finite() {
            links.push(capacities.len());
            capacities.push(scaled(peak));
        }
        connections.push(links);
        flows.push(flow);
    }
    let found = max_min::shares(&capacities, &connections).expect("each connection crosses a link, and links are few");
    let mut shares = vec![None; scenario.flows.len()];
    for (flow, share) in flows.into_iter().zip(found) {
        shares[flow] = Some(share.as_f64() / UNITS);
    }
    shares
}

/// What UDP takes of the capacity of each link, in bits per second on the wire: sources that send in this run, at their constant rates,
/// whether or not they send all the time. No source sends faster than its host's link or its peak cell rate let it.
fn taken_by_udp(scenario: &Scenario) -> Vec<f64> {
    let mut taken = vec![0.0; scenario.links.len()];
    let sends = |udp: &&UdpFlow| udp.source.start < Time::ZERO + scenario.duration;
    for udp in scenario.udp.iter().filter(sends) {
        let payload_bytes = udp.source.payload_bytes;
        let ip_bytes = datagram(0, payload_bytes).ip_bytes();
        let wire_bits = match scenario.technology {
            Technology::Packet { link_header_bytes } => 8.0 * f64::from(ip_bytes + link_header_bytes),
            Technology::Atm { llc } => CELL_BITS * f64::from(aal5::cells(ip_bytes, llc)),
        };
        let offered = udp.source.rate.as_bps() as f64 * wire_bits / (8.0 * f64::from(payload_bytes));
        for route in udp.routes() {
            let limit = udp.pcr.unwrap_or(scenario.links[route.first()].rate).as_bps() as f64;
            for link in route.fixed().into_iter().flatten() {
                taken[link.index()] += offered.min(limit);
            }
        }
    }
    taken
}

/// A rate in bits per second as a whole number of thousandths.
fn scaled(bps: f64) -> u64 {
    (bps * UNITS + 0.5) as u64
}

const UNITS: f64 = 1000.0;
/// What is left of a link at least: a share of nothing would not be one.
const LEAST_BPS: f64 = 1.0;
const CELL_BITS: f64 = 424.0;
