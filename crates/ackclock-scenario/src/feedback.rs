//! What must hold of feedback to TCP senders, and of the flows that it is for.

use std::collections::BTreeSet;

use ackclock::atm::rate::RateAlgorithm;
use ackclock::feedback::RoundTrip;
use ackclock::ids::LinkId;
use ackclock::scenario::{Link, Route};
use ackclock::units::Time;

use crate::flows::PlannedFlow;
use crate::network::Network;
use crate::queues::QueueSettings;
use crate::text::diagnostic::Report;
use crate::values::quantity::{Dimension, Quantity};

/// Reports feedback to TCP senders that cannot work: no rates to tell, or acknowledgements that it cannot reach or change.
pub(crate) fn check(network: &Network, flows: &[PlannedFlow], settings: &QueueSettings, report: &mut Report) {
    let mut said = BTreeSet::new();
    for (port, link) in network.links.iter_ids() {
        let Some(_) = link.queue.feedback else { continue };
        let own = settings.ports.iter().find(|(name, _)| *name == link.name).map(|(_, tables)| &tables.own);
        let queue = own.unwrap_or(&settings.general.own);
        let at = queue.at("tcp_feedback");
        let mut first = |what: &'static str| said.insert((at, what));
        let word = queue.word("tcp_feedback").unwrap_or_default();
        let rates = link.queue.rates.as_ref();
        if !rates.is_some_and(computes_rates) {
            let at = if rates.is_some() { queue.at("rate_algorithm").or(at) } else { at };
            if first("rates") {
                let problem = match rates {
                    None => format!("tcp_feedback = \"{word}\" has no rates to tell"),
                    Some(algorithm) => format!("the rate algorithm {} computes no rates", algorithm.name()),
                };
                report
                    .error(at, problem)
                    .label("TCP senders need explicit rates")
                    .help("write rate_algorithm = \"simplified-erica-plus\" or another one that computes rates");
            }
            continue;
        }
        let crossing: Vec<&PlannedFlow> = flows.iter().filter(|planned| crosses(planned, port)).collect();
        let changing = flows.iter().find(|planned| is_dynamic(planned));
        if let Some(planned) = changing.filter(|planned| crosses(planned, port) || shares_all(link))
            && let Some((problem, label, help)) = needs_fixed_routes(link, &planned.flow.name)
        {
            if first("dynamic") {
                report.error(at, problem).label(label).help(help);
            }
            continue;
        }
        let encrypts = |planned: &&&PlannedFlow| planned.given.common.settings.flag("encrypted_headers") == Some(true);
        if let Some(planned) = crossing.iter().find(encrypts)
            && first("encrypted")
        {
            let (name, port) = (&planned.flow.name, &link.name);
            report
                .error(
                    planned.given.common.settings.at("encrypted_headers"),
                    format!("the router of the port {port} cannot change the acknowledgements of {name}"),
                )
                .label("their headers are encrypted")
                .help("leave encrypted_headers out, or write tcp_feedback = \"none\" for the ports of its route");
        }
        let passing = crossing.iter().filter(|planned| returns(planned, network, port));
        let left = passing.copied().find_map(|planned| Some((planned, left_at(planned, network, port)?)));
        if let Some((planned, time)) = left
            && first("left")
        {
            warn_left(planned, time, &link.name, report);
        }
        let missed: Vec<&&PlannedFlow> = crossing.iter().filter(|planned| !returns(planned, network, port)).collect();
        let Some(planned) = missed.first() else { continue };
        let name = &planned.flow.name;
        let problem = format!("the acknowledgements of {name} do not pass the router of the port {}", link.name);
        let help = "let `back_route` of the flow pass that router";
        if missed.len() == crossing.len() && own.is_some() {
            if first("missed") {
                report.error(at, problem).label("so this feedback has no effect on any flow").help(help);
            }
        } else if first("some missed") {
            report.warning(at, problem).label("so this feedback has no effect on that flow").help(help);
        }
    }
}

/// Whether an algorithm computes explicit rates.
fn computes_rates(algorithm: &RateAlgorithm) -> bool {
    !matches!(algorithm, RateAlgorithm::Efci(_))
}

/// Whether the rates of a port depend on the routes of all flows.
fn shares_all(link: &Link) -> bool {
    matches!(link.queue.rates, Some(RateAlgorithm::MaxMin(_)))
}

/// Why feedback at a port needs routes that do not change, with a label and a remedy, if it does; `name` is a flow whose route changes.
fn needs_fixed_routes(link: &Link, name: &str) -> Option<(String, String, &'static str)> {
    let window = link.queue.feedback.and_then(|feedback| feedback.window);
    let label = format!("at the port {}", link.name);
    if shares_all(link) {
        let help = "write rate_algorithm = \"simplified-erica-plus\" or another one that measures";
        return Some((format!("a route of {name} changes, and max-min shares need routes that do not"), label, help));
    }
    let is_individual = window.is_some_and(|window| window.round_trip == RoundTrip::Individual);
    let help = "write feedback_round_trip = \"70 ms\" or another time for all flows";
    is_individual.then(|| (format!("a route of {name} changes, and with it the round trip"), label, help))
}

/// From an instant on a flow's acknowledgements do not pass the router of a port that its data leave by.
fn warn_left(planned: &PlannedFlow, time: Time, port: &str, report: &mut Report) {
    let settings = &planned.given.common.settings;
    let from = Quantity { dimension: Dimension::Time, amount: time.as_ps() }.canonical();
    let name = &planned.flow.name;
    report
        .warning(
            settings.at("back_route_changes").or(settings.at("route_changes")),
            format!("from {from} on the acknowledgements of {name} do not pass the router of the port {port}"),
        )
        .label("then this feedback has no effect on that flow")
        .help("let both routes of the flow pass that router");
}

/// The first instant at which the data of a flow cross a port whose router its acknowledgements do not pass, if keys of the flow change
/// its routes.
fn left_at(planned: &PlannedFlow, network: &Network, port: LinkId) -> Option<Time> {
    let misses = |&time: &Time| {
        let path = |route: &Route| route.at(time, &network.links);
        let router = network.links[port].from;
        path(&planned.flow.forward).contains(&port)
            && !path(&planned.flow.backward).iter().skip(1).any(|link| network.links[*link].from == router)
    };
    let changes = planned.given.route_changes.iter().flatten().map(|change| change.time);
    let mut times: Vec<Time> = changes.collect();
    if !times.is_empty() {
        times.push(Time::ZERO);
    }
    times.sort_unstable();
    times.into_iter().find(misses)
}

fn crosses(planned: &PlannedFlow, port: LinkId) -> bool {
    planned.flow.forward.links().contains(&port)
}

fn is_dynamic(planned: &PlannedFlow) -> bool {
    [&planned.flow.forward, &planned.flow.backward].into_iter().any(|route| route.fixed().is_none())
}

/// Whether the acknowledgements of a flow pass the router of a port.
fn returns(planned: &PlannedFlow, network: &Network, port: LinkId) -> bool {
    let router = network.links[port].from;
    planned.flow.backward.links().iter().any(|link| network.links[*link].from == router)
}
