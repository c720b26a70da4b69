//! What must hold of feedback to TCP senders, and of the flows that it is for.

use std::collections::BTreeSet;

use ackclock::atm::rate::RateAlgorithm;
use ackclock::ids::LinkId;
use ackclock::scenario::UdpFlow;

use crate::flows::PlannedFlow;
use crate::network::Network;
use crate::queues::QueueSettings;
use crate::text::diagnostic::Report;

/// Reports feedback to TCP senders that cannot work: no rates to tell, or acknowledgements that it cannot reach or change.
pub(crate) fn check(
    network: &Network,
    flows: &[PlannedFlow],
    udp: &[UdpFlow],
    settings: &QueueSettings,
    report: &mut Report,
) {
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
        let of_udp = udp.iter().find(|source| source.route.fixed().is_none() && source.route.links().contains(&port));
        let of_flow = crossing.iter().find(|planned| is_dynamic(planned)).map(|planned| &planned.flow.name);
        if let Some(name) = of_flow.or(of_udp.map(|source| &source.name)) {
            if first("dynamic") {
                report
                    .error(at, format!("the route of {name} changes, and feedback needs routes that do not"))
                    .label(format!("at the port {}", link.name))
                    .help("write tcp_feedback = \"none\", or give the flow a `route` and a `back_route`");
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

fn crosses(planned: &PlannedFlow, port: LinkId) -> bool {
    planned.flow.forward.links().contains(&port)
}

fn is_dynamic(planned: &PlannedFlow) -> bool {
    [&planned.flow.forward, &planned.flow.backward].into_iter().any(|route| route.fixed().is_none())
}

/// Whether the acknowledgements of a flow pass the router of a port.
fn returns(planned: &PlannedFlow, network: &Network, port: LinkId) -> bool {
    let router = network.links[port].from;
    planned.flow.backward.links().iter().skip(1).any(|link| network.links[*link].from == router)
}
