//! From a contact plan to links: what the ways through the sky are made of.

use ackclock::path::{Course, InService, Outages, Queued};
use ackclock::scenario::DatagramFlow;
use ackclock::units::Time;
use ackclock_sat::plan::Plan;

use crate::diagnostic::Report;
use crate::flows::PlannedFlow;
use crate::network::Network;
use crate::satellites::Satellites;

/// Puts what the contact plan says into a network whose flows are known.
pub(crate) fn fill(
    satellites: &Satellites,
    network: &mut Network,
    flows: &[PlannedFlow],
    datagrams: &[DatagramFlow],
    report: &mut Report,
) -> Option<Plan> {
    let plan = satellites.plan(pairs(network, flows, datagrams), report)?;
    if satellites.is_bent_pipe() {
        bent_pipe(satellites, network, &plan, report)?;
    }
    Some(plan)
}

/// The pairs of places between which something is sent, each once, the lower number first.
fn pairs(network: &Network, flows: &[PlannedFlow], datagrams: &[DatagramFlow]) -> Vec<(usize, usize)> {
    let of_flows = flows.iter().flat_map(|planned| [&planned.flow.forward, &planned.flow.backward]);
    let paths = of_flows.chain(datagrams.iter().map(|source| &source.route));
    let through = paths.flatten().filter_map(|link| network.through_sky.get(link));
    let mut pairs: Vec<(usize, usize)> = through.map(|&(a, b)| (a.min(b), a.max(b))).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// A mirror: one hop from place to place.
fn bent_pipe(satellites: &Satellites, network: &mut Network, plan: &Plan, report: &mut Report) -> Option<()> {
    let links: Vec<_> = network.through_sky.iter().map(|(&link, &pair)| (link, pair)).collect();
    for (link, (from, to)) in links {
        let of = |place: usize| plan.named(&satellites.places[place].name);
        let errors = satellites.errors(to, report)?;
        let link = &mut network.links[link];
        link.path.errors = errors;
        match plan.delay(of(from)?, of(to)?, Time::ZERO) {
            Some(delay) => link.delay = delay,
            // Nothing is ever sent: what its delay would be does not matter.
            None => {
                let never = vec![(Time::ZERO, Time::NEVER)];
                let outages = Outages::new(never, InService::Finish, Queued::Keep);
                link.path.course = Some(Course { outages, ..Course::constant(link.rate, link.delay) });
            }
        }
    }
    Some(())
}
