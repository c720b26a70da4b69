//! The delay of the paths of flows over time: it shows what handovers change. A function of the scenario,
//! with which engines have nothing to do: what it is at an instant if everything stayed as it is then.

use crate::ids::LinkId;
use crate::scenario::{Route, Scenario};
use crate::units::{Span, Time};

/// Of each flow the propagation delay of its data, in seconds: at each multiple of the recording interval, and whenever
/// something happens to the network, where it differs from what it was before; infinite where there is no path.
pub(super) fn path_delays(scenario: &Scenario) -> Vec<Vec<(Time, f64)>> {
    let (instants, begin) = (instants(scenario), [Time::ZERO]);
    let of_flow = |route: &Route| {
        let instants = if changes(route, scenario) { &instants[..] } else { &begin };
        let delay = |&time: &Time| (time, delay_at(time, route, scenario).map_or(f64::INFINITY, Span::as_secs_f64));
        let mut delays: Vec<(Time, f64)> = instants.iter().map(delay).collect();
        delays.dedup_by_key(|&mut (_, delay)| delay);
        delays
    };
    scenario.flows.iter().map(|flow| of_flow(&flow.forward)).collect()
}

/// When delays are sampled, in order.
fn instants(scenario: &Scenario) -> Vec<Time> {
    let (end, interval) = (scenario.duration.as_ps(), scenario.recording.interval.as_ps());
    let regular = (0..end.div_ceil(interval)).map(|number| Time::from_ps(number * interval));
    let of_events = scenario.events.iter().map(|event| event.time).filter(|time| time.as_ps() < end);
    let mut all: Vec<Time> = regular.chain(of_events).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether the delay of a path may change at all.
fn changes(route: &Route, scenario: &Scenario) -> bool {
    let may = |&link: &LinkId| scenario.links[link].params.schedule.is_some();
    route.fixed().is_none_or(|links| links.iter().any(may))
}

/// The delay of a path, if everything stayed as it is at `time`; `None` if it does not lead to its destination then.
fn delay_at(time: Time, route: &Route, scenario: &Scenario) -> Option<Span> {
    let links = &scenario.links;
    let path = route.at(time, links);
    let reached = path.last().and_then(|&link| links[link].far_end(time));
    let of_link = |sum: Span, &link: &LinkId| match &links[link].params.schedule {
        None => Some(sum + links[link].delay),
        Some(schedule) => (schedule.outages.up_from(time) == time).then(|| sum + schedule.delays.at(time)),
    };
    path.iter().try_fold(Span::ZERO, of_link).filter(|_| reached == Some(route.destination(links)))
}
