//! Random rate control of TCP: ports that compute rates, and routers or ATM edge devices that give them to senders.

use std::sync::Arc;

use ackclock::atm::rate::{ALGORITHMS, RateAlgorithm};
use ackclock::feedback::{Feedback, RoundTrip, Units, WindowFeedback};
use ackclock::ids::LinkId;
use ackclock::keys::Values;
use ackclock::scenario::{Flow, NodeKind, Scenario, Technology};
use ackclock::units::{Span, Time};

use super::choices::Choices;

/// In some networks ports compute rates, and their routers give them to senders. Averaging intervals may end where the run stops.
pub fn feedback(choices: &mut Choices, scenario: &mut Scenario, stops: &mut [Time]) {
    let is_fixed = |flow: &Flow| flow.forward.fixed().is_some() && flow.backward.fixed().is_some();
    let changes = !scenario.flows.iter().all(is_fixed);
    let one_in = match scenario.technology {
        // Where routes change less arrives.
        Technology::Packet { .. } => {
            if changes {
                2
            } else {
                3
            }
        }
        Technology::Atm { .. } => 5,
    };
    if choices.once_in(one_in) {
        of_ports(choices, scenario, stops);
    }
}

/// The same, in every packet network without a medium that links share; else nothing is done.
pub fn everywhere(choices: &mut Choices, scenario: &mut Scenario, stops: &mut [Time]) -> bool {
    let has_medium = scenario.links.iter().any(|link| link.medium.is_some());
    if has_medium || matches!(scenario.technology, Technology::Atm { .. }) {
        return false;
    }
    of_ports(choices, scenario, stops);
    true
}

fn of_ports(choices: &mut Choices, scenario: &mut Scenario, stops: &mut [Time]) {
    let of_switches = |id: &LinkId| scenario.nodes[scenario.links[*id].from].kind == NodeKind::Switch;
    let links: Vec<LinkId> = scenario.links.ids().filter(of_switches).collect();
    let interval = Span::from_ps((scenario.duration.as_ps() / choices.one_of(&[10, 100, 1000])).max(1));
    // Cells are not grouped.
    let groups: &[u32] = if matches!(scenario.technology, Technology::Packet { .. }) { &[1, 1, 2, 3] } else { &[1] };
    let kind = feedback_of(choices, interval, groups);
    let everywhere = choices.once_in(2);
    for link in links {
        if everywhere || choices.once_in(3) {
            let queue = Arc::make_mut(&mut scenario.links[link].queue);
            queue.rates = Some(algorithm(choices, interval));
            queue.feedback = Some(if everywhere { kind } else { feedback_of(choices, interval, groups) });
        }
    }
    if choices.once_in(2) {
        let whole = |ps: u64| ps - ps % interval.as_ps();
        scenario.duration = Span::from_ps(whole(scenario.duration.as_ps()));
        stops.iter_mut().for_each(|stop| *stop = Time::from_ps(whole(stop.as_ps())));
    }
}

/// Whether acknowledgements that a router changes enter a port whose rates the same router uses: rates and acknowledgements depend on
/// each other at one instant.
pub fn depends_on_itself(scenario: &Scenario) -> bool {
    let gives_rates = |id: LinkId| {
        scenario.links[id].queue.feedback.is_some()
            && scenario.flows.iter().any(|flow| flow.forward.links().contains(&id))
    };
    scenario.flows.iter().any(|flow| {
        let (forward, backward) = (flow.forward.links(), flow.backward.links());
        let changed = |back: &&LinkId| {
            let is_here = |id: &&LinkId| scenario.links[**id].from == scenario.links[**back].from;
            forward.iter().skip(1).find(is_here).is_some_and(|&id| gives_rates(id))
        };
        backward.iter().skip(1).filter(changed).any(|&id| gives_rates(id))
    })
}

fn feedback_of(choices: &mut Choices, time: Span, groups: &[u32]) -> Feedback {
    let round_trip = choices.one_of(&[RoundTrip::Individual, RoundTrip::Fixed(time)]);
    let window = WindowFeedback { round_trip, units: choices.one_of(&[Units::Payload, Units::Wire]) };
    let (with_window, bucket) = choices.one_of(&[(true, false), (false, true), (true, true)]);
    Feedback { window: with_window.then_some(window), bucket, group: choices.one_of(groups) }
}

/// Any algorithm that computes rates.
fn algorithm(choices: &mut Choices, interval: Span) -> RateAlgorithm {
    let computing: Vec<_> = ALGORITHMS.iter().filter(|algorithm| algorithm.name != "efci").collect();
    let described = choices.one_of(&computing);
    let values = Values::sample(described.keys, &mut |bound| choices.below(bound));
    let defaults = || (described.params)(&Values::defaults(described.keys)).expect("defaults fit together");
    match (described.params)(&values).unwrap_or_else(|_| defaults()) {
        RateAlgorithm::Capc(mut params) => {
            params.interval = interval;
            RateAlgorithm::Capc(params)
        }
        RateAlgorithm::Erica(mut params) => {
            params.sharing.interval = interval;
            RateAlgorithm::Erica(params)
        }
        RateAlgorithm::EricaPlus(mut params) => {
            params.sharing.interval = interval;
            RateAlgorithm::EricaPlus(params)
        }
        RateAlgorithm::SimplifiedEricaPlus(mut params) => {
            params.interval = interval;
            RateAlgorithm::SimplifiedEricaPlus(params)
        }
        other => other,
    }
}
