//! What a scenario with ABR connections puts in the place of plain hosts and ports, in both engines.

use super::shares::{abr_params, max_min_shares, served, tcp_shares};
use super::{CellScheduler, PortRates};
use crate::atm::rate::{Port, Unit};
use crate::ids::{IdVec, LinkId, VcId};
use crate::net::feedback::opening;
use crate::net::flow::{End, Vc, end_of};
use crate::record::Metric;
use crate::scenario::{self, Scenario};

/// The output of a host at which ABR connections begin or end; none of another host. `crossing` are the connections that cross
/// the link.
pub(in crate::net) fn scheduler(
    scenario: &Scenario,
    id: LinkId,
    vcs: &IdVec<VcId, Vc>,
    crossing: &[VcId],
) -> Option<CellScheduler> {
    let abr = |vc: VcId| abr_params(scenario, vc);
    if crossing.iter().all(|&vc| abr(vc).is_none()) {
        return None;
    }
    let mut scheduler = CellScheduler::new(scenario.links[id].rate.cell_time());
    for &vc in crossing {
        match (abr(vc), end_of(vc).1) {
            (Some(params), End::Receiver) => scheduler.add_abr(vc, *params),
            (service, _) => scheduler.add_fixed(vc, vcs[vc].cell_spacing, service.is_some()),
        }
    }
    Some(scheduler)
}

/// The rate algorithm of a port, if it has one that says rates to somebody: ABR connections cross it, or TCP flows to which the port
/// has feedback.
pub(in crate::net) fn rates(
    scenario: &Scenario,
    seed: u64,
    link: &scenario::Link,
    vcs: &IdVec<VcId, Vc>,
    crossing: &[VcId],
) -> Option<Box<PortRates>> {
    let algorithm = link.queue.rates.as_ref()?;
    let has_feedback = link.queue.feedback.is_some();
    let served = served(scenario, crossing, has_feedback);
    let max_min = |part| match has_feedback {
        false => max_min_shares(scenario, vcs, crossing, part),
        true => {
            let shares = tcp_shares(scenario, part);
            let of_data = crossing.iter().zip(&served).filter(|(_, served)| served.is_some());
            of_data.map(|(&vc, _)| shares[end_of(vc).0] / Unit::Cell.bits()).collect()
        }
    };
    let connections = served.iter().flatten().count();
    let openings: Vec<u64> = match has_feedback {
        false => Vec::new(),
        true => {
            let of_data = crossing.iter().zip(&served).filter(|(_, served)| served.is_some());
            of_data.map(|(&vc, _)| opening(scenario, vc)).collect()
        }
    };
    let port = Port { rate: link.rate, unit: Unit::Cell, connections, max_min: &max_min, openings: &openings };
    (connections > 0).then(|| {
        let mut rates = Box::new(PortRates::new(algorithm, &port, (&link.name, seed), served.clone()));
        if has_feedback {
            rates.give_rates_to_tcp();
        }
        if scenario.recording.metrics.contains(Metric::Allocation) {
            rates.record_allocation();
        }
        rates
    })
}
