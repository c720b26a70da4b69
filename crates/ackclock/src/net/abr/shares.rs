//! Which connections of a port a rate algorithm serves, and their max-min shares.

use super::port_rates::Served;
use crate::atm::{AbrParams, max_min};
use crate::ids::{FlowId, Id, IdVec, VcId};
use crate::net::flow::{End, Vc, data_vc, end_of};
use crate::scenario::{Scenario, ServiceCategory};

/// The parameters of ABR of the flow to which a connection belongs, if it is of that service.
pub(in crate::net) fn abr_params(scenario: &Scenario, vc: VcId) -> Option<&AbrParams> {
    match &scenario.flows.iter().nth(end_of(vc).0)?.service {
        ServiceCategory::Abr(params) => Some(params),
        ServiceCategory::Ubr { .. } => None,
    }
}

/// For each connection that crosses a port what a rate algorithm serves it as: the data connections of ABR flows.
pub(in crate::net) fn served(scenario: &Scenario, crossing: &[VcId]) -> Vec<Option<Served>> {
    let mut numbers = 0..;
    let served = |&vc: &VcId| {
        let params = abr_params(scenario, vc).filter(|_| end_of(vc).1 == End::Receiver)?;
        Some(Served { number: numbers.next()?, rm_rates: params.rm_rates })
    };
    crossing.iter().map(served).collect()
}

/// The max-min shares, in cells per second, of the ABR connections that cross a port, where this part of the capacity of every
/// link is shared by all ABR connections; a peak cell rate limits its connection.
pub(in crate::net) fn max_min_shares(
    scenario: &Scenario,
    vcs: &IdVec<VcId, Vc>,
    crossing: &[VcId],
    part: f64,
) -> Vec<f64> {
    let shares = shares(scenario, part, |flow| vcs[data_vc(flow)].route.iter().map(|hop| hop.link.index()).collect());
    crossing.iter().filter(|vc| end_of(**vc).1 == End::Receiver).filter_map(|vc| *shares.get(end_of(*vc).0)?).collect()
}

/// The max-min share of each flow of the service ABR, in cells per second, where the whole capacity of every link is shared.
pub(in crate::net) fn flow_shares(scenario: &Scenario) -> Vec<Option<f64>> {
    shares(scenario, 1.0, |flow| {
        let links = scenario.flows[FlowId::from_index(flow)].forward.links();
        links.iter().map(|link| link.index()).collect()
    })
}

/// The max-min share of each flow that is ABR, whose data cross the links of `route`.
fn shares(scenario: &Scenario, part: f64, route: impl Fn(usize) -> Vec<usize>) -> Vec<Option<f64>> {
    let mut capacities: Vec<u64> = scenario.links.iter().map(|link| scaled(link.rate.as_bps() as f64 * part)).collect();
    let mut connections = Vec::new();
    let mut flows = Vec::new();
    for flow in 0..scenario.flows.len() {
        let Some(abr) = abr_params(scenario, data_vc(flow)) else { continue };
        let mut links = route(flow);
        links.push(capacities.len());
        capacities.push(scaled(abr.pcr * CELL_BITS));
        connections.push(links);
        flows.push(flow);
    }
    let found = max_min::shares(&capacities, &connections).expect("each connection crosses a link, and links are few");
    let mut shares = vec![None; scenario.flows.len()];
    for (flow, share) in flows.into_iter().zip(found) {
        shares[flow] = Some(share.as_f64() / UNITS / CELL_BITS);
    }
    shares
}

/// A rate in bits per second as a whole number of thousandths.
fn scaled(bps: f64) -> u64 {
    (bps * UNITS + 0.5) as u64
}

const UNITS: f64 = 1000.0;
const CELL_BITS: f64 = 424.0;
