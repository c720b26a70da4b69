//! Which connections of a port a rate algorithm serves, and their max-min shares.

use crate::atm::max_min;
use crate::ids::{Id, IdVec, VcId};
use crate::net::flow::{Vc, data_vc};
use crate::scenario::{Scenario, ServiceCategory};

/// For each connection that crosses a port its number among the data connections of ABR flows that do.
pub(in crate::net) fn served(scenario: &Scenario, crossing: &[VcId]) -> Vec<Option<usize>> {
    let mut next = 0;
    let mut number = |vc: &VcId| {
        is_abr_data(scenario, *vc).then(|| {
            next += 1;
            next - 1
        })
    };
    crossing.iter().map(&mut number).collect()
}

fn is_abr_data(scenario: &Scenario, vc: VcId) -> bool {
    let flow = vc.index() / 2;
    flow < scenario.flows.len() && data_vc(flow) == vc && abr_of(scenario, flow).is_some()
}

fn abr_of(scenario: &Scenario, flow: usize) -> Option<&crate::atm::AbrParams> {
    match &scenario.flows.iter().nth(flow)?.service {
        ServiceCategory::Abr(params) => Some(params),
        ServiceCategory::Ubr { .. } => None,
    }
}

/// The max-min shares, in cells per second, of the ABR connections that cross a port, where this part of the capacity of every
/// link is shared by all ABR connections; a peak cell rate limits its connection.
pub(in crate::net) fn max_min_shares(
    scenario: &Scenario,
    vcs: &IdVec<VcId, Vc>,
    crossing: &[VcId],
    part: f64,
) -> Vec<f64> {
    let mut capacities: Vec<u64> = scenario.links.iter().map(|link| scaled(link.rate.as_bps() as f64 * part)).collect();
    let mut connections = Vec::new();
    let mut places = Vec::new();
    for flow in 0..scenario.flows.len() {
        let Some(abr) = abr_of(scenario, flow) else { continue };
        let mut links: Vec<usize> = vcs[data_vc(flow)].route.iter().map(|hop| hop.link.index()).collect();
        links.push(capacities.len());
        capacities.push(scaled(abr.pcr * CELL_BITS));
        connections.push(links);
        places.push(data_vc(flow));
    }
    let shares = max_min::shares(&capacities, &connections).expect("each connection crosses a link, and links are few");
    let share = |vc: &VcId| {
        let place = places.binary_search(vc).ok()?;
        Some(shares[place].as_f64() / UNITS / CELL_BITS)
    };
    crossing.iter().filter_map(share).collect()
}

/// A rate in bits per second as a whole number of thousandths.
fn scaled(bps: f64) -> u64 {
    (bps * UNITS + 0.5) as u64
}

const UNITS: f64 = 1000.0;
const CELL_BITS: f64 = 424.0;
