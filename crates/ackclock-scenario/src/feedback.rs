//! What must hold of feedback to TCP senders, and of the flows that it is for.

use std::collections::{BTreeMap, BTreeSet};

use ackclock::atm::rate::RateAlgorithm;
use ackclock::feedback::RoundTrip;
use ackclock::ids::LinkId;
use ackclock::keys::{Dimension, Quantity};
use ackclock::scenario::{Flow, Link};
use ackclock::units::Time;

use crate::flows::PlannedFlow;
use crate::network::Network;
use crate::queues::QueueSettings;
use crate::settings::Settings;
use crate::text::diagnostic::{At, Report};

/// Reports feedback to TCP senders that cannot work: no rates to tell, or acknowledgements that it cannot reach or change.
pub(crate) fn check(network: &Network, flows: &[PlannedFlow], settings: &QueueSettings, report: &mut Report) {
    let mut said = BTreeSet::new();
    let mut first = |at: Option<At>, what: &'static str| said.insert((at, what));
    let mut left = BTreeSet::new();
    let mut missed: BTreeMap<(Option<At>, bool), Missed> = BTreeMap::new();
    for (port, link) in network.links.iter_ids() {
        let Some(_) = link.queue.feedback else { continue };
        let (queue, is_of_port) = settings_of(link, settings);
        let at = queue.at("tcp_feedback");
        let word = queue.word("tcp_feedback").unwrap_or_default();
        let rates = link.queue.rates.as_ref();
        if !rates.is_some_and(computes_rates) {
            let at = if rates.is_some() { queue.at("rate_algorithm").or(at) } else { at };
            if first(at, "rates") {
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
            && let Some((key, problem, label, help)) = needs_fixed_routes(link, &planned.flow.name)
        {
            if first(at, "dynamic") {
                report.error(queue.at(key).or(at), problem).label(label).help(help);
            }
            continue;
        }
        for planned in &crossing {
            let headers = &planned.given.common.settings.own;
            let at = headers.at("encrypted_headers");
            if headers.flag("encrypted_headers") != Some(true) || !first(at, "encrypted") {
                continue;
            }
            let (name, port) = (&planned.flow.name, &link.name);
            report
                .error(at, format!("the router of the port {port} cannot change the acknowledgements of {name}"))
                .label("their headers are encrypted")
                .help("leave encrypted_headers out, or write tcp_feedback = \"none\" for the ports of its route");
        }
        for planned in crossing.iter().filter(|planned| returns(planned, network, port)) {
            if let Some(time) = left_at(planned, network, port)
                && left.insert(&*planned.flow.name)
            {
                warn_left(planned, time, &link.name, report);
            }
        }
        let misses = |planned: &PlannedFlow| crosses(planned, port) && !returns(planned, network, port);
        let misses: Vec<(usize, &str)> = (0..)
            .zip(flows)
            .filter(|(_, planned)| misses(planned))
            .map(|(n, planned)| (n, &*planned.flow.name))
            .collect();
        if !misses.is_empty() {
            let place = missed.entry((at, misses.len() == crossing.len() && is_of_port)).or_default();
            place.flows.extend(misses);
            place.ports.push(&link.name);
        }
    }
    for ((at, is_all), missed) in missed {
        missed.say(at, is_all, report);
    }
    // Of what is wrong, flows or ports are missing here.
    if !report.has_errors() {
        warn_idle(network, flows, settings, report);
    }
}

/// Flows whose acknowledgements do not pass the routers of ports by which their data leave, of feedback that is chosen at one place.
#[derive(Default)]
struct Missed<'a> {
    /// In the order of the scenario.
    flows: BTreeSet<(usize, &'a str)>,
    ports: Vec<&'a str>,
}

impl Missed<'_> {
    /// Says so: an error if the feedback is for a port of which all flows are here, a warning otherwise.
    fn say(&self, at: Option<At>, is_all: bool, report: &mut Report) {
        let flows: Vec<&str> = self.flows.iter().map(|(_, name)| *name).collect();
        let ports = match &self.ports[..] {
            [port] => format!("the router of the port {port}"),
            ports => format!("the routers of the ports {}", some_of(ports)),
        };
        let problem = format!("the acknowledgements of {} do not pass {ports}", some_of(&flows));
        let help = match (flows.len(), self.ports.len()) {
            (1, 1) => "let `back_route` of the flow pass that router",
            _ => "let `back_route` of each flow pass the routers by which its data leave",
        };
        match (is_all, flows.len()) {
            (true, _) => report.error(at, problem).label("so this feedback has no effect on any flow").help(help),
            (false, 1) => report.warning(at, problem).label("so this feedback has no effect on that flow").help(help),
            (false, _) => report.warning(at, problem).label("so this feedback has no effect on those flows").help(help),
        };
    }
}

/// Names with commas, `a, b and c`; of many the first ones and how many more there are.
fn some_of(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [others @ .., last] if names.len() <= NAMES_SAID => format!("{} and {last}", others.join(", ")),
        _ => format!("{} and {} more", names[..NAMES_SAID - 1].join(", "), names.len() + 1 - NAMES_SAID),
    }
}

/// The most names in one sentence.
const NAMES_SAID: usize = 8;

/// What is said about the queue of a port, and whether its feedback is said for this port alone.
fn settings_of<'a>(link: &Link, settings: &'a QueueSettings) -> (&'a Settings, bool) {
    let general = &settings.general.own;
    let own = settings.ports.iter().find(|(name, _)| *name == link.name).map_or(general, |(_, tables)| &tables.own);
    (own, own.at("tcp_feedback") != general.at("tcp_feedback"))
}

/// Warns about feedback at ports by which no data leave: all ports that it is chosen for at one place.
fn warn_idle(network: &Network, flows: &[PlannedFlow], settings: &QueueSettings, report: &mut Report) {
    let (mut idle, mut crossed) = (BTreeMap::new(), BTreeSet::new());
    for (port, link) in network.links.iter_ids().filter(|(_, link)| link.queue.feedback.is_some()) {
        let (queue, is_of_port) = settings_of(link, settings);
        let at = queue.at("tcp_feedback");
        if flows.iter().any(|planned| crosses(planned, port)) {
            crossed.insert(at);
        } else {
            idle.entry(at).or_insert(is_of_port.then_some(&link.name));
        }
    }
    for (at, port) in idle.into_iter().filter(|(at, _)| !crossed.contains(at)) {
        let (ports, help) = match port {
            Some(port) => (
                format!("the port {port}"),
                "write it for the port by which the data leave: its router changes the acknowledgements that come back",
            ),
            None => ("any port of a switch".to_owned(), "leave it out: it is for flows of TCP"),
        };
        let problem = format!("no TCP flow sends data by {ports}");
        report.warning(at, problem).label("so this feedback has no effect").help(help);
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

/// Why feedback at a port needs routes that do not change, with the key that decides this, a label and a remedy, if it does; `name`
/// is a flow whose route changes.
fn needs_fixed_routes(link: &Link, name: &str) -> Option<(&'static str, String, String, &'static str)> {
    let window = link.queue.feedback.and_then(|feedback| feedback.window);
    let port = &link.name;
    if shares_all(link) {
        let help = "write rate_algorithm = \"simplified-erica-plus\" or another one that measures";
        let problem = format!("a route of {name} changes, and max-min shares need routes that do not");
        return Some(("rate_algorithm", problem, format!("at the port {port}"), help));
    }
    let is_individual = window.is_some_and(|window| window.round_trip == RoundTrip::Individual);
    let help = "write feedback_round_trip = \"70 ms\" or another time for all flows";
    let label = format!("the port {port} has feedback_round_trip = \"individual\", which needs one that stays");
    let problem = format!("a route of {name} changes, and with it the round trip");
    is_individual.then_some(("feedback_round_trip", problem, label, help))
}

/// From an instant on a flow's acknowledgements do not pass the router of a port that its data leave by.
fn warn_left(planned: &PlannedFlow, time: Time, port: &str, report: &mut Report) {
    let settings = &planned.given.common.settings.own;
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
        let Flow { forward, backward, .. } = &planned.flow;
        let router = network.links[port].from;
        forward.at(time, &network.links).contains(&port)
            && !backward.at(time, &network.links).iter().skip(1).any(|link| network.links[*link].from == router)
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
